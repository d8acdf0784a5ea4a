"""Metrics of the masks of matched objects, measured once for each pair, lesion or image."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.objects import CroppedMask, Objects, ObjectSet
from halfwidth.core.parameters import UNIT
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.detection.matching.match_lists import MatchLists, Measured, Outcome
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.metrics.masks import MaskPair

Corner = NDArray[np.intp]
Values = dict[Measured, Array]


def measure(
    matches: MatchLists, detections: ObjectSet, references: ObjectSet, metrics: Iterable[Metric]
) -> MatchLists:
    """Match lists with what some metrics need of the masks, measured once.

    Metrics that need no masks are passed over; distances take the spacing of the images, unless
    their parameter ``unit`` says that they are meant in voxels.
    """
    metrics = list(metrics)
    wanted = wanted_by(metrics)
    missing = [one for one in wanted if one not in matches.measured]
    if not missing:
        return matches
    images = _Images(matches, detections, references, _names_of(metrics))
    measured: Values = {}
    for of, measure in (
        ("pairs", _measure_pairs),
        ("lesions", _measure_lesions),
        ("sizes", _measure_sizes),
        ("voxels", _count_voxels),
    ):
        some = [one for one in missing if one.of == of]
        if some:
            measured |= measure(images, some)
    return replace(matches, measured={**matches.measured, **measured})


def wanted_by(metrics: Iterable[Metric]) -> list[Measured]:
    """What some metrics need of masks beside the matches, each once."""
    forms = [metric.form for metric in metrics]
    return list(
        dict.fromkeys(one for form in forms if isinstance(form, ImageSums) for one in form.measured)
    )


def _names_of(metrics: Iterable[Metric]) -> str:
    """The names of the metrics that need masks."""
    forms = [(metric.spec.name, metric.form) for metric in metrics]
    names = [name for name, form in forms if isinstance(form, ImageSums) and form.measured]
    return ", ".join(dict.fromkeys(names))


class _Images:
    """The masks of both sides by image, and the geometry of these."""

    def __init__(
        self, matches: MatchLists, detections: ObjectSet, references: ObjectSet, asking: str
    ) -> None:
        self.matches, self.asking = matches, asking
        none = Objects(category=np.empty(0, dtype=np.intp), masks=())
        places = detections.places(matches.images)
        self.detections = [none if place is None else detections.objects[place] for place in places]
        self.references = [
            references.objects[place]
            for place in references.places(matches.images)
            if place is not None
        ]
        self.shapes, self.spacing = references.shapes, references.spacing

    def masks(self, image: int, *, true: bool) -> Sequence[CroppedMask]:
        """Masks of the detections of an image or, where ``true``, of its references."""
        objects = (self.references if true else self.detections)[image]
        if objects.masks is None:
            if not len(objects):
                return ()
            whose = "references" if true else "detections"
            raise DataError(
                f"{self.asking} needs masks, which the {whose} of image "
                f"{self.matches.images[image]!r} lack; object_f_beta, ap and others need none"
            )
        return objects.masks

    def pair(
        self, image: int, detections: Sequence[int], references: Sequence[int], *, in_voxels: bool
    ) -> MaskPair:
        """Some detections together against some references together."""
        predicted, true = self.masks(image, true=False), self.masks(image, true=True)
        sides = [predicted[place] for place in detections], [true[place] for place in references]
        low, high = _joint_box([*sides[0], *sides[1]])
        one, other = (_joined(side, low, high) for side in sides)
        spacing = None if self.spacing is None else self.spacing[image]
        if in_voxels:
            spacing = (1.0,) * len(low)
        # Without its shape an image is taken to be more than one voxel thick.
        shape = np.maximum(high, 2) if self.shapes is None else self.shapes[image]
        return MaskPair.from_crops(one, other, spacing, tuple(int(length) for length in shape))

    def voxel_size(self, image: int) -> float:
        """In mm³, or in mm²; 1 where the spacing is unknown."""
        return 1.0 if self.spacing is None else float(np.prod(self.spacing[image]))


def _joint_box(masks: Sequence[CroppedMask]) -> tuple[Corner, Corner]:
    """The corners of the smallest box around the crops of several masks."""
    starts = np.array([one.start for one in masks], dtype=np.intp)
    stops = starts + np.array([one.mask.shape for one in masks], dtype=np.intp)
    return starts.min(axis=0), stops.max(axis=0)


def _joined(masks: Sequence[CroppedMask], low: Corner, high: Corner) -> NDArray[np.bool_]:
    """Several masks as one, within a box that holds them."""
    whole = np.zeros(tuple(high - low), dtype=bool)
    for one in masks:
        place = tuple(
            slice(start, start + length)
            for start, length in zip(np.array(one.start) - low, one.mask.shape, strict=True)
        )
        whole[place] |= one.mask
    return whole


# --------------------------------------------------------------------------- pairs and lesions


class _Metrics:
    """Metrics of two masks, with those in mm and those in voxels told apart."""

    def __init__(self, images: _Images, wanted: Sequence[Measured]) -> None:
        self.images = images
        self.metrics = [Metric(METRICS[one.metric], dict(one.parameters)) for one in wanted]
        for metric in self.metrics:
            if metric.spec.spaced and not metric.in_voxels and images.spacing is None:
                raise OptionError(
                    "distances between boundaries need the spacing of the images, which have none; "
                    "with unit=voxel they are meant in voxels (instance_hd95:unit=voxel)"
                )

    def values(
        self, image: int, detections: Sequence[int], references: Sequence[int]
    ) -> list[float]:
        """The values of some detections together against some references together."""
        pairs = {
            in_voxels: self.images.pair(image, detections, references, in_voxels=in_voxels)
            for in_voxels in {metric.in_voxels for metric in self.metrics}
        }
        return [
            float(metric.function(pairs[metric.in_voxels], **_without_unit(metric)))
            for metric in self.metrics
        ]


def _without_unit(metric: Metric) -> dict[str, float]:
    """The parameters that its function takes."""
    return {name: value for name, value in metric.parameters.items() if name != UNIT.name}


def _measure_pairs(images: _Images, wanted: Sequence[Measured]) -> Values:
    """The values of each true positive and its reference; a pair of several thresholds, once."""
    matches, metrics = images.matches, _Metrics(images, wanted)
    values = np.full((len(wanted), *matches.outcome.shape), np.nan)
    at, which = np.nonzero(matches.outcome == Outcome.TRUE_POSITIVE)
    pairs = np.stack([which, matches.reference[at, which]])
    distinct, place = np.unique(pairs, axis=1, return_inverse=True)
    measured = np.empty((len(wanted), distinct.shape[1]))
    for i, (detection, reference) in enumerate(distinct.T):
        image, place_in_image = matches.image[detection], matches.detection[detection]
        measured[:, i] = metrics.values(int(image), [int(place_in_image)], [int(reference)])
    values[:, at, which] = measured[:, place.ravel()]
    return dict(zip(wanted, values, strict=True))


def _measure_lesions(images: _Images, wanted: Sequence[Measured]) -> Values:
    """The values of each lesion and all that detects it, taken together."""
    lesions, metrics = images.matches.lesions or (), _Metrics(images, wanted)
    values = np.full((len(wanted), len(lesions)), np.nan)
    for i, one in enumerate(lesions):
        if one.detections:
            values[:, i] = metrics.values(one.image, one.detections, one.references)
    return dict(zip(wanted, values, strict=True))


def _measure_sizes(images: _Images, wanted: Sequence[Measured]) -> Values:
    sizes = np.zeros(len(images.matches.lesions or ()))
    for i, one in enumerate(images.matches.lesions or ()):
        masks = [images.masks(one.image, true=True)[place] for place in one.references]
        voxels = np.count_nonzero(_joined(masks, *_joint_box(masks)))
        sizes[i] = voxels * images.voxel_size(one.image)
    return dict.fromkeys(wanted, sizes)


# --------------------------------------------------------------------------- voxels


def _count_voxels(images: _Images, wanted: Sequence[Measured]) -> Values:
    """Voxels of the masks of each class together; crowds and what is ignored are left out."""
    matches = images.matches
    n_classes = len(matches.classes)
    counts = np.zeros((3, n_classes, matches.n_images))
    # Detections below a threshold of the score are not among the matches.
    order = np.argsort(matches.image, kind="stable")
    ends = np.searchsorted(matches.image[order], np.arange(matches.n_images + 1))
    for image, (start, stop) in enumerate(itertools.pairwise(ends)):
        objects, kept = images.references[image], order[start:stop]
        predicted, true = images.masks(image, true=False), images.masks(image, true=True)
        predicted_class, true_class = matches.category[kept], objects.category
        if not matches.matching.by_class:  # all are of the first
            predicted_class, true_class = map(np.zeros_like, (predicted_class, true_class))
        for category in set(predicted_class.tolist()) | set(true_class.tolist()):
            own = matches.detection[kept][predicted_class == category]
            counts[:, category, image] = _voxels(
                [predicted[place] for place in own],
                *_to_be_found(objects, true, np.flatnonzero(true_class == category)),
            )
    return dict.fromkeys(wanted, counts)


def _to_be_found(
    objects: Objects, masks: Sequence[CroppedMask], own: NDArray[np.intp]
) -> tuple[list[CroppedMask], list[CroppedMask]]:
    """The masks of a class that are to be found, and those that are not."""
    none = np.zeros(len(objects), dtype=bool)
    beside = (none if objects.crowd is None else objects.crowd) | (
        none if objects.ignored is None else objects.ignored
    )
    places = own.tolist()
    return [masks[i] for i in places if not beside[i]], [masks[i] for i in places if beside[i]]


def _voxels(
    detections: Sequence[CroppedMask],
    references: Sequence[CroppedMask],
    beside: Sequence[CroppedMask],
) -> tuple[int, int, int]:
    """TP, FN and FP."""
    if not detections and not references:
        return 0, 0, 0
    box = _joint_box([*detections, *references, *beside])
    predicted, reference, void = (
        _joined(masks, *box) for masks in (detections, references, beside)
    )
    predicted &= reference | ~void
    tp = int(np.count_nonzero(predicted & reference))
    return tp, int(np.count_nonzero(reference)) - tp, int(np.count_nonzero(predicted)) - tp
