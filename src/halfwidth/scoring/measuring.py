"""Metrics of one case from arrays: two label maps, or two masks of a structure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.core.undefined import Status, status_of
from halfwidth.metrics.masks import Mask, MaskPair, union_box
from halfwidth.metrics.overlap import cldice
from halfwidth.scoring.bounding_boxes import BoundingBox, label_bounding_boxes
from halfwidth.scoring.components import count_components
from halfwidth.scoring.label_definitions import Label
from halfwidth.scoring.memory import check_memory
from halfwidth.scoring.metric_choice import MetricChoice, parameter_text
from halfwidth.scoring.scores import LabelScores, Value

Spacing = tuple[float, ...] | None
Held = tuple[tuple[int, ...], tuple[int, ...]]

# The most labels of a label map without names; a CT or a photograph has more values.
MOST_LABELS = 500


def score_label_maps(
    prediction: NDArray[Any],
    reference: NDArray[Any],
    spacing: Spacing,
    labels: Sequence[Label] | None,
    metrics: MetricChoice,
    *,
    regions: Sequence[Label],
    max_voxels: int | None,
) -> tuple[tuple[LabelScores, ...], Held]:
    """Score every label of a case, and list the values in the prediction and in the reference.

    The labels are the given ones, or else those found in either map; the regions come after them.
    One pass over each map (of booleans or unsigned integers) finds the bounding boxes of all its
    labels; the rest happens within them.
    """
    boxes, true_boxes = label_bounding_boxes(prediction), label_bounding_boxes(reference)
    scored = []
    named = _labels_in(boxes, true_boxes) if labels is None else labels
    for label in (*named, *regions):
        boxes_of_label = [held.get(value) for value in label.values for held in (boxes, true_boxes)]
        box = union_box(*boxes_of_label, ndim=reference.ndim)
        predicted, truth = (
            _mask_of_label(prediction[box], label),
            _mask_of_label(reference[box], label),
        )
        pair = MaskPair.from_crops(predicted, truth, spacing, reference.shape)
        scored.append(score_pair(pair, label.name, metrics.for_label(label.name), max_voxels))
    return tuple(scored), (tuple(boxes), tuple(true_boxes))


def _labels_in(*maps: Mapping[int, BoundingBox]) -> tuple[Label, ...]:
    """The labels found in any of the maps, named by their values."""
    values = sorted(set().union(*maps))
    if len(values) > MOST_LABELS:
        raise DataError(
            f"the label maps hold {len(values)} different values (up to {values[-1]}), which looks "
            f"like an image rather than a label map; more than {MOST_LABELS} labels need names "
            f"({spelled('score.labels')})"
        )
    return tuple(Label(str(value), (value,)) for value in values)


def _mask_of_label(voxels: NDArray[Any], label: Label) -> Mask:
    first, *others = label.values
    mask = np.asarray(voxels == first)
    for value in others:
        mask |= voxels == value
    return mask


def score_pair(
    pair: MaskPair, label: str, metrics: Sequence[Metric], max_voxels: int | None = None
) -> LabelScores:
    """All metrics of one label of one case, within the memory that ``max_voxels`` allows."""
    if max_voxels is not None:
        check_memory(pair, label, metrics, max_voxels)
    tp, fn, _, _ = pair.counts
    return LabelScores(
        label,
        tuple(_value(pair, metric) for metric in metrics),
        str(pair.presence),
        tp + fn,
        count_components(pair.reference),
        pair.spacing,
    )


def _value(pair: MaskPair, metric: Metric) -> Value:
    value = float(metric.function(pair, **metric.parameters))
    on_skeletons = metric.spec.name == cldice.__name__
    status = status_of(value, pair.presence, on_skeletons=on_skeletons)
    return Value(metric.spec.name, parameter_text(metric), value, str(status))


def absent(label: str, metrics: Sequence[Metric]) -> LabelScores:
    """A label that is in neither mask."""
    # What is left of two empty masks depends neither on their shape nor on their spacing.
    empty = np.zeros((2, 2), dtype=bool)
    nothing = MaskPair.of(empty, empty, 1)
    values = tuple(_value(nothing, metric) for metric in metrics)
    return LabelScores(label, values, str(Status.NOT_APPLICABLE), 0, 0)
