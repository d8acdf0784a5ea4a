"""Scoring one case: two label maps, or two masks of a structure, already read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.core.spec import Metric
from halfwidth.core.undefined import Status, status_of
from halfwidth.metrics.masks import Mask, MaskPair, union_box
from halfwidth.scoring.bounding_boxes import Box, label_boxes
from halfwidth.scoring.components import count_parts
from halfwidth.scoring.label_definitions import Label
from halfwidth.scoring.memory import check_room
from halfwidth.scoring.metric_choice import Wanted, parameter_text
from halfwidth.scoring.scores import LabelScores, Value

__all__ = ["absent", "score_label_maps", "score_pair"]

Spacing = tuple[float, ...] | None
Held = tuple[tuple[int, ...], tuple[int, ...]]

# A label map without names may hold so many labels; a CT or a photograph holds more.
MOST_LABELS = 500


def score_label_maps(
    prediction: NDArray[Any],
    reference: NDArray[Any],
    spacing: Spacing,
    labels: Sequence[Label] | None,
    wanted: Wanted,
    *,
    regions: Sequence[Label] = (),
    max_voxels: int | None = None,
) -> tuple[tuple[LabelScores, ...], Held]:
    """Every label of a case; those named, or without names those that either map holds.

    Each map is passed over once, for the boxes of all its labels; the rest happens within boxes.

    Parameters
    ----------
    prediction, reference : ndarray of bool or unsigned int, same shape
    spacing : tuple of float or None
    labels : sequence of Label, or None
    wanted : Wanted
    regions : sequence of Label
        Scored after the labels.
    max_voxels : int, optional
        See `score_pair`.

    Returns
    -------
    tuple of LabelScores
    tuple
        The values that the prediction and the reference hold.
    """
    boxes, true_boxes = label_boxes(prediction), label_boxes(reference)
    scored = []
    named = _labels_in(boxes, true_boxes) if labels is None else labels
    for label in (*named, *regions):
        own = [held.get(value) for value in label.values for held in (boxes, true_boxes)]
        box = union_box(*own, ndim=reference.ndim)
        found, truth = _is(prediction[box], label), _is(reference[box], label)
        pair = MaskPair.of_crops(found, truth, spacing, reference.shape)
        scored.append(score_pair(pair, label.name, wanted.of(label.name), max_voxels))
    return tuple(scored), (tuple(boxes), tuple(true_boxes))


def _labels_in(*maps: Mapping[int, Box]) -> tuple[Label, ...]:
    """The labels that any of the maps holds, named by their values."""
    values = sorted(set().union(*maps))
    if len(values) > MOST_LABELS:
        raise DataError(
            f"the label maps hold {len(values)} different values (up to {values[-1]}), which looks "
            f"like an image rather than a label map; more than {MOST_LABELS} labels need names "
            "(labels=, --label-names)"
        )
    return tuple(Label(str(value), (value,)) for value in values)


def _is(voxels: NDArray[Any], label: Label) -> Mask:
    first, *others = label.values
    mask = np.asarray(voxels == first)
    for value in others:
        mask |= voxels == value
    return mask


def score_pair(
    pair: MaskPair, label: str, metrics: Sequence[Metric], max_voxels: int | None = None
) -> LabelScores:
    """All metrics of one label of one case, in the memory that so many voxels may take."""
    if max_voxels is not None:
        check_room(pair, label, metrics, max_voxels)
    tp, fn, _, _ = pair.counts
    return LabelScores(
        label,
        tuple(_value(pair, metric) for metric in metrics),
        str(pair.presence),
        tp + fn,
        count_parts(pair.reference),
        pair.spacing,
    )


def _value(pair: MaskPair, metric: Metric) -> Value:
    function = metric.spec.function
    assert function is not None  # noqa: S101 -- metrics of masks have one
    value = float(function(pair, **metric.parameters))
    on_skeletons = metric.spec.name == "cldice"
    status = status_of(value, pair.presence, on_skeletons=on_skeletons)
    return Value(metric.spec.name, parameter_text(metric), value, str(status))


def absent(label: str, metrics: Sequence[Metric]) -> LabelScores:
    """A label that is in neither mask."""
    nothing = str(Status.NOT_APPLICABLE)
    values = (Value(m.spec.name, parameter_text(m), math.nan, nothing) for m in metrics)
    return LabelScores(label, tuple(values), nothing, 0, 0)
