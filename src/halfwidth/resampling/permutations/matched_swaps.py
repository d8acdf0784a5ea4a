"""Ranks of detections within a detector, whose scores need not have the scale of another's."""

from __future__ import annotations

from halfwidth.arithmetic.match_records import SLOT
from halfwidth.arithmetic.ranked_scores import mean_ranks
from halfwidth.core.types import Array

# Elements of temporaries at a time: 32 MiB.
AT_A_TIME = 2**22


def ranks_within(records: Array, classes: int) -> Array:
    """Records (k, n) with scores replaced by their ranks from the highest of their class, below 0.

    Equal scores have their mean rank.
    """
    ranked = records.copy()
    slots = ranked[classes:-1].reshape(-1, SLOT, records.shape[-1])
    scores, category = slots[:, 0], slots[:, 1]
    for which in range(classes):
        own = category == which
        scores[own] = -mean_ranks(-scores[own])
    return ranked
