"""Which detection is whose: strategies of assignment."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.detection.matching.match_lists import Admits

Places = NDArray[np.intp]
Admitted = NDArray[np.bool_]
Assign = Callable[[Array, Admitted], Places]


@frozen(eq=False)
class AssignmentSpec:
    """What is known of a strategy of assignment."""

    name: str
    title: str
    summary: str
    # Of gains (D, R), higher where a detection lies better on a reference, rows by descending
    # score, and of which pairs each of T thresholds admits (T, D, R): the reference of each
    # detection (T, D), -1 where it has none. None where more than the pairs is needed.
    function: Assign | None
    needs_scores: bool = False
    # Whether it takes criteria of overlap above one half alone.
    of_overlap: bool = False
    # The only criterion that it takes; empty where there is a choice.
    localisation: str = ""
    # How its threshold is meant unless the user says otherwise; None: as the criterion has it.
    admits: Admits | None = None
    pitfalls: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    cite: str = ""


def greedy_by_score(gains: Array, admitted: Admitted) -> Places:
    """Each detection in turn takes the best reference that is left, the last of equal ones.

    >>> gains = np.array([[0.6, 0.7], [0.5, 0.9]])
    >>> greedy_by_score(gains, gains[None] >= 0.5)
    array([[1, 0]])
    """
    thresholds, rows, columns = admitted.shape
    taken = np.full((thresholds, rows), -1, dtype=np.intp)
    free = np.ones((thresholds, columns), dtype=bool)
    each = np.arange(thresholds)
    for row in range(rows if columns else 0):
        left = np.where(admitted[:, row] & free, gains[row], -np.inf)
        best = columns - 1 - np.argmax(left[:, ::-1], axis=1)
        some = left[each, best] > -np.inf
        taken[some, row] = best[some]
        free[each[some], best[some]] = False
    return taken


def greedy_by_localisation(gains: Array, admitted: Admitted) -> Places:
    """The best pair of all first, then the best of those that are left, the first of equal ones.

    >>> gains = np.array([[0.6, 0.7], [0.5, 0.9]])
    >>> greedy_by_localisation(gains, gains[None] >= 0.5)
    array([[0, 1]])
    """
    taken = np.full(admitted.shape[:2], -1, dtype=np.intp)
    some = np.flatnonzero(admitted.any(axis=0))
    columns = gains.shape[1]
    rows_left, columns_left = np.ones(len(gains), dtype=bool), np.ones(columns, dtype=bool)
    for pair in some[np.argsort(-gains.ravel()[some], kind="stable")]:
        row, column = divmod(int(pair), columns)
        if rows_left[row] and columns_left[column]:
            rows_left[row] = columns_left[column] = False
            # A tighter threshold only ends earlier.
            taken[admitted[:, row, column], row] = column
    return taken


def hungarian(gains: Array, admitted: Admitted) -> Places:
    """The pairs whose localisations have the greatest sum; of distances most pairs, then the least.

    >>> gains = np.array([[0.6, 0.7], [0.5, 0.9]])
    >>> hungarian(gains, gains[None] >= 0.5)
    array([[0, 1]])
    """
    from scipy.optimize import linear_sum_assignment

    taken = np.full(admitted.shape[:2], -1, dtype=np.intp)
    for at, allowed in enumerate(admitted):
        if not allowed.any():
            continue
        worth = np.where(allowed, gains, 0.0)
        if (gains[allowed] <= 0).any():
            # No pair less for any distance: the least of so many pairs weighs more than them all.
            room = 1.0 - worth.min()
            worth = np.where(allowed, gains + room * (min(gains.shape) + 1), 0.0)
        rows, columns = linear_sum_assignment(worth, maximize=True)
        real = allowed[rows, columns]
        taken[at, rows[real]] = columns[real]
    return taken


class ConflictError(ValueError):
    """Two detections lie on one reference, or two references on one detection."""

    def __init__(self, *, detections: bool) -> None:
        super().__init__()
        self.detections = detections


def overlap_above_half(_gains: Array, admitted: Admitted) -> Places:
    """The only reference that each detection can have, where objects do not overlap.

    >>> gains = np.array([[0.6, 0.1], [0.2, 0.9]])
    >>> overlap_above_half(gains, gains[None] > 0.5)
    array([[0, 1]])
    """
    for axis in (1, 2):
        if admitted.shape[axis] and (admitted.sum(axis=axis) > 1).any():
            raise ConflictError(detections=axis == 1)
    taken = np.full(admitted.shape[:2], -1, dtype=np.intp)
    at, rows, columns = np.nonzero(admitted)
    taken[at, rows] = columns
    return taken


DECLARED = (
    AssignmentSpec(
        name="greedy_by_score",
        title="greedy by score",
        summary="detections by descending score, each to the best reference left",
        function=greedy_by_score,
        needs_scores=True,
        synonyms=("greedy", "coco", "greedy_by_score_matching"),
        pitfalls=("needs scores that mean something: their order decides who is matched first",),
        cite="everingham2015",
    ),
    AssignmentSpec(
        name="greedy_by_localisation",
        title="greedy by localisation",
        summary="the best pair first, then the best of those left",
        function=greedy_by_localisation,
        synonyms=("greedy_by_localization_criterion", "greedy_by_localisation_criterion"),
        cite="maier_hein2024",
    ),
    AssignmentSpec(
        name="hungarian",
        title="Hungarian",
        summary="the pairs of greatest total localisation; of distances as many pairs as can be, "
        "then the least total",
        function=hungarian,
        synonyms=("optimal", "munkres", "optimal_matching", "hungarian_matching"),
        cite="kuhn1955",
        pitfalls=("flatters where predictions are ambiguous",),
    ),
    AssignmentSpec(
        name="overlap_above_half",
        title="overlap above one half",
        summary="of objects that do not overlap at most one overlaps another by more than half",
        function=overlap_above_half,
        of_overlap=True,
        admits=Admits.ABOVE,
        synonyms=("overlap_above_0.5", "overlap_>_0.5", "matching_via_overlap_>_0.5", "unique"),
        pitfalls=("needs detections that do not overlap each other, and references likewise",),
        cite="everingham2006",
    ),
    AssignmentSpec(
        name="lesionwise",
        title="lesion-wise",
        summary="BraTS 2023: references whose dilated masks touch are one lesion, and all "
        "detections that touch its dilated mask are its match together",
        function=None,
        localisation="mask_overlap",
        pitfalls=(
            "one detection may find several lesions",
            "what counts as one lesion depends on the dilation",
        ),
        cite="saluja2023",
    ),
)
