"""Detections: what detectors found in images, and the objects that were to be found."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, TypeVar

from halfwidth.core.checks import as_list
from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_table.option import DataKind
from halfwidth.core.public_functions import checked_options
from halfwidth.core.undefined import AbsentClass, Undefined
from halfwidth.data.families import Pairing, check_names_differ, known_models, shown_data
from halfwidth.detection.estimation.matchings import Matching, as_matching
from halfwidth.detection.estimation.requests import DetectorRequest, detector_request
from halfwidth.detection.io.read_objects import names_detectors

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
    several_models: ClassVar = "from_files({'A': detections, 'B': detections}, references)"

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
        self.requested()
        # What is in memory is counted now, before anything is matched.
        if isinstance(self.references, list):
            for name, labels in (("groups", self.groups), ("strata", self.strata)):
                _check_count(name, labels, len(self.references))

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the detectors; none where there is only one, without a name."""
        return tuple(name for name in self.detections if name)

    def taking(self, names: Collection[str]) -> Detections:
        """The data of some models.

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

    def requested(self, metric: Any = None, average: Any = None) -> DetectorRequest:
        """What is computed of each detector, checked as far as it can be without reading any."""
        return detector_request(
            metric,
            self.matching,
            average=average,
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
