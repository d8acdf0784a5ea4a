"""Detections: what detectors found in images, and the objects that were to be found."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field, replace
from typing import Any, ClassVar, TypeVar, cast

from halfwidth.core.checks import as_list
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.option_table.option import DataKind
from halfwidth.core.public_functions import checked_options
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.undefined import AbsentClass, Undefined
from halfwidth.data.families import (
    MeasuredFamily,
    check_names_differ,
    known_models,
    naming,
    shown_data,
)
from halfwidth.data.matching import Pairing
from halfwidth.data.measured_detections import (
    Read,
    detector_jobs,
    distinct_notes,
    measured_detectors,
)
from halfwidth.data.measuring import Matched, Measurable
from halfwidth.data.quantities import Quantities
from halfwidth.estimation.detections.matchings import Matching, as_matching
from halfwidth.estimation.detections.requests import DetectorRequest, detector_request
from halfwidth.estimation.detections.sets import sets_of
from halfwidth.estimation.functionals import CustomMetric
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.resolve import Request, resolve_request
from halfwidth.estimation.tables import JobsOfCases
from halfwidth.io.detections.read_objects import names_detectors, read_objects
from halfwidth.metrics.all_metrics import DETECTION_METRICS

T = TypeVar("T")


@frozen(eq=False, repr=False)
class Detections:
    """What one detector or several found in images, and the objects that were to be found.

    Made by `from_files`, which takes what was read as well.

    Attributes
    ----------
    detections : mapping of str to object
        Those of each detector by its name; an empty one where there is only one.
    references : object
    matching : Matching
    classes, unknown_images, absent_class, undefined, groups, strata
        As `from_files` takes them.
    """

    kind: ClassVar = DataKind.DETECTIONS
    # All are of the images of the references.
    pairing: ClassVar[Pairing] = "complete"

    detections: Mapping[str, Any]
    references: Any
    matching: Matching = field(default_factory=Matching)
    classes: Sequence[str] | Mapping[str, str] | None = None
    unknown_images: str = "raise"
    absent_class: AbsentClass = "omit"
    undefined: Undefined = "omit"
    groups: Any = None
    strata: Any = None
    # What verbs on these data have in common, where several are to share it.
    kept: dict[Hashable, Any] | None = field(default=None, kw_only=True)

    @classmethod
    @checked_options
    def from_files(
        cls,
        detections: Any,
        references: Any,
        *,
        matching: Matching | Mapping[str, Any] | None = None,
        classes: Sequence[str] | Mapping[str, str] | None = None,
        unknown_images: str = "raise",
        absent_class: AbsentClass = "omit",
        undefined: Undefined = "omit",
        groups: Any = None,
        strata: Any = None,
    ) -> Detections:
        """Detections and references in files or folders, or as they were read.

        Parameters
        ----------
        detections : path, list, DataFrame, dict or ObjectSet, or mapping of str to these
            Files or folders of any format that `halfwidth detect` reads, or what was read: a list
            of a dict per image with ``boxes`` (x0, y0, x1, y1), ``labels``, ``scores`` and
            ``masks``. A mapping whose values are any of these names several detectors.
        references : path, list, DataFrame, dict or ObjectSet
            The objects to be found, the same for all; lists in the order of the detections.
        matching : Matching or mapping, optional
            How detections are matched with references; default: as is usual for the objects at
            hand. In short a mapping of its options, ``{"threshold": 0.3}``; the ``matching`` of an
            estimate matches as that was.
        classes : sequence of str or mapping, optional
            The only classes that count; default: all of the references. A mapping gives names of
            the detections' classes the references' names.
        unknown_images : {"raise", "omit"}, default "raise"
            What becomes of detections of images that the references lack.
        absent_class : {"omit", "zero", "undefined"}, default "omit"
            What a class without a value counts in an average, in the data or in a resample.
        undefined : {"omit", "zero", "worst"}, default "omit"
            What 0/0 counts: ``"omit"``, nothing; ``"zero"``, as in scikit-learn; ``"worst"``.
        groups : str, mapping, Series or sequence, optional
            Patient of each image: a column or field of the references, a label for each name, or
            one for each image in the order of the references.
        strata : str, mapping, Series or sequence, optional
            Stratum of each image, as the patient.

        Returns
        -------
        Detections

        Raises
        ------
        DataError, OptionError
            For options that are not allowed.

        Examples
        --------
        >>> import halfwidth as hw
        >>> square = [10, 10, 50, 50]
        >>> references = [{"boxes": [square], "labels": [1]} for _ in range(40)]
        >>> found = [{"boxes": [square] if i % 4 else [], "labels": [1] if i % 4 else [],
        ...           "scores": [0.9] if i % 4 else []} for i in range(40)]
        >>> data = hw.Detections.from_files(found, references)
        >>> print(f"{hw.estimate(data, metric='object_sensitivity')[0].value:.2f}")
        0.75
        """
        named = detections if names_detectors(detections) else {"": detections}
        check_names_differ(named)
        return cls(
            {str(name): one for name, one in named.items()},
            references,
            as_matching(matching),
            classes,
            unknown_images,
            absent_class,
            undefined,
            groups,
            strata,
        )

    def __repr__(self) -> str:
        return shown_data("Detections", self.models)

    def __post_init__(self) -> None:
        self.requested(Quantities())
        # What is in memory is counted now, before anything is matched.
        if isinstance(self.references, list):
            for name, labels in (("groups", self.groups), ("strata", self.strata)):
                _check_count(name, labels, len(self.references))

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the detectors; none where there is only one, without a name."""
        return tuple(name for name in self.detections if name)

    def taking(self, names: Collection[str]) -> Detections:
        """The same data of some models.

        Parameters
        ----------
        names : sequence of str
            Of the models that are kept.

        Returns
        -------
        Detections

        Raises
        ------
        UnknownNameError
            For a model that the data have not.
        """
        wanted = known_models(names, self.models)
        kept = {name: one for name, one in self.detections.items() if name in wanted}
        return replace(self, detections=kept)

    def request(self, **inference: Any) -> Request:
        """What all estimates of a verb share."""
        return resolve_request(kept=self.kept, **inference)

    def jobs(self, quantities: Quantities, **inference: Any) -> tuple[JobsOfCases, Request]:
        """What is estimated of each detector, metric, class and threshold, and the request."""
        request = self.request(**inference)
        requested = self.requested(quantities)
        jobs: list[Job] = []
        notes: dict[str, list[str]] = {}
        for name, one in self.detections.items():
            with naming(name) if name else nullcontext():
                read = self._read(one, self.references, requested)
                own = detector_jobs(read, requested).labelled_by(name)
            jobs += own.jobs
            for note in own.notes:
                notes.setdefault(note, []).append(name)
        distinct = distinct_notes(notes, len(self.detections))
        return JobsOfCases(tuple(jobs), tuple(distinct)), request

    def families(self, quantities: Quantities, _: Matched) -> tuple[list[Comparable], list[str]]:
        """The detectors by each metric and class, matched, and notes on what was read."""
        requested = self.requested(quantities)
        if not requested.metrics:
            raise OptionError(
                f"name the metric to compare detectors by: {spelled('metric')}, one of "
                f"{', '.join(DETECTION_METRICS.names)}"
            )

        def measured() -> tuple[list[Comparable], list[str]]:
            named = {"groups": self.groups, "strata": self.strata}
            columns: Any = {name: one for name, one in named.items() if isinstance(one, str)}
            true = read_objects(self.references, role="references", **columns)
            read = {}
            for name, one in self.detections.items():
                with naming(name):
                    read[name] = self._read(one, true, requested)
            families, notes = measured_detectors(read, requested)
            return [ComparedDetectors(one) for one in families], notes

        of = self.detections, self.matching, quantities.metric, quantities.average
        return self._once("families", of, measured)

    def _read(self, detections: Any, references: Any, requested: DetectorRequest) -> Read:
        """Both sides of a detector."""
        of = detections, references, self.matching.by_class
        make = functools.partial(sets_of, detections, references, **requested.sources)
        return self._once("sets", of, make)

    def _once(self, name: str, of: tuple[Any, ...], make: Callable[[], T]) -> T:
        """What is made of these very objects: once, where it is kept."""
        known = [] if self.kept is None else self.kept.setdefault(name, [])
        for objects, made in known:
            if all(map(operator.is_, objects, of)):
                return cast("T", made)
        made = make()
        known.append((of, made))
        return made

    def requested(self, quantities: Quantities) -> DetectorRequest:
        """What is computed of each detector, checked as far as it can be without reading any."""
        return detector_request(
            quantities.metric,
            self.matching,
            average=quantities.average,
            absent_class=self.absent_class,
            undefined=self.undefined,
            classes=self.classes,
            unknown_images=self.unknown_images,
            groups=self.groups,
            strata=self.strata,
        )


def _check_count(name: str, labels: Any, images: int) -> None:
    """Refuse a list of labels of another length than that of the images."""
    listed = None if hasattr(labels, "index") and hasattr(labels, "to_dict") else as_list(labels)
    if listed is not None and len(listed) != images:
        raise DataError(
            f"{name} has {len(listed)} labels for {images} images of the references; give one for "
            "each, in their order, or a mapping from their names"
        )


@frozen(eq=False)
class ComparedDetectors:
    """Detectors by one metric, matched with the same references."""

    family: MeasuredFamily

    @property
    def label(self) -> str:
        """Nothing: all metrics and classes are of the same images."""
        return ""

    @property
    def models(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.family.jobs)

    @property
    def metric(self) -> Metric | CustomMetric:
        """What they are compared on."""
        return next(iter(self.family.jobs.values())).functional.metric

    @property
    def statistic(self) -> Statistic | None:
        """None: images have no values of their own."""
        return None

    def measured(self, _: Matched) -> list[MeasuredFamily]:
        """The family: detections were matched when they were read."""
        return [self.family]


# Models of one place of some data, by one metric: what is compared, and ranked.
Comparable = Measurable | ComparedDetectors
