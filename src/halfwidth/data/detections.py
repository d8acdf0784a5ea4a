"""Detections: what detectors found in images, and the objects that were to be found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_table.option import Kind
from halfwidth.core.options import spelled
from halfwidth.core.public_functions import checked_options
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.undefined import AbsentClass, Undefined
from halfwidth.data.families import MeasuredFamily, shown_data
from halfwidth.data.measured_detections import detector_jobs, measured_detectors
from halfwidth.data.measuring import Matched, Measurable
from halfwidth.data.quantities import Quantities
from halfwidth.data.sources import check_names_differ
from halfwidth.estimation.detections.requests import DetectorRequest, detector_request
from halfwidth.estimation.functionals import CustomMetric
from halfwidth.estimation.resolve import Request, resolve_request
from halfwidth.estimation.tables import JobsOfCases, joined
from halfwidth.io.detections.api import names_detectors
from halfwidth.metrics.catalogue import DETECTION_METRICS


@frozen(eq=False, repr=False)
class Detections:
    """What one detector or several found in images, and the objects that were to be found.

    Made by `from_files`, which takes what was read as well.

    Attributes
    ----------
    detections : mapping of str to object
        Those of each detector by its name; an empty one where there is only one.
    references : object
    matching : mapping
        How both are matched, and what is undefined: the options of `from_files`.
    """

    kind: ClassVar = Kind.DETECTIONS

    detections: Mapping[str, Any]
    references: Any
    matching: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    @checked_options
    def from_files(
        cls,
        detections: Any,
        references: Any,
        *,
        localisation: str | None = None,
        assignment: str | None = None,
        threshold: Any = None,
        admits: str | None = None,
        score_threshold: float | None = None,
        max_detections: int | None = None,
        area: Any = None,
        by_class: bool = True,
        duplicates: str = "false_positive",
        boundary_distance: float | None = None,
        dilation: int | None = None,
        by_threshold: bool = False,
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
        localisation, assignment, threshold, admits, score_threshold, max_detections, area, by_class
            How detections are matched with references, as for `detection_ci`.
        duplicates, boundary_distance, dilation, classes, unknown_images, absent_class, undefined
            As for `detection_ci`.
        groups, strata : str, mapping, Series or sequence, optional
            Patient and stratum of each image: a column or field of the references, a label for
            each name, or one for each image in the order of the references.

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
        matching = {
            "localisation": localisation,
            "assignment": assignment,
            "threshold": threshold,
            "admits": admits,
            "score_threshold": score_threshold,
            "max_detections": max_detections,
            "area": area,
            "by_class": by_class,
            "duplicates": duplicates,
            "boundary_distance": boundary_distance,
            "dilation": dilation,
            "by_threshold": by_threshold,
            "classes": classes,
            "unknown_images": unknown_images,
            "absent_class": absent_class,
            "undefined": undefined,
            "groups": groups,
            "strata": strata,
        }
        named = detections if names_detectors(detections) else {"": detections}
        check_names_differ(named)
        return cls({str(name): one for name, one in named.items()}, references, matching)

    def __repr__(self) -> str:
        return shown_data("Detections", self.models)

    def __post_init__(self) -> None:
        self._requested(Quantities())

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the detectors; none where there is only one, without a name."""
        return tuple(name for name in self.detections if name)

    def request(self, **inference: Any) -> Request:
        """What all estimates of a verb share."""
        return resolve_request(missing="raise", penalty=None, **inference)

    def jobs(self, quantities: Quantities, **inference: Any) -> tuple[JobsOfCases, Request]:
        """What is estimated of each detector, metric, class and threshold, and the request."""
        request = self.request(**inference)
        requested = self._requested(quantities)
        found = (
            detector_jobs(one, self.references, requested).labelled_by(name)
            for name, one in self.detections.items()
        )
        return joined(found), request

    def families(self, quantities: Quantities, _: Matched) -> tuple[list[Comparable], list[str]]:
        """The detectors by each metric and class, matched, and notes on what was read."""
        requested = self._requested(quantities)
        if not requested.metrics:
            raise OptionError(
                f"nothing says what detectors are compared by: {spelled('metric')}, one of "
                f"{', '.join(DETECTION_METRICS.names)}"
            )
        families, notes = measured_detectors(self.detections, self.references, requested)
        return [ComparedDetectors(one) for one in families], notes

    def _requested(self, quantities: Quantities) -> DetectorRequest:
        choices = {**self.matching, "average": quantities.average}
        return detector_request(quantities.metric, choices, usual=True)


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
