"""Caution rules about the scores of detections, and what was left out before they were written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from halfwidth.arithmetic.match_curves import AveragePrecision
from halfwidth.arithmetic.match_records import ScoreRecords, Unpack
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.checks import as_choice
from halfwidth.core.detection_forms import MatchCurve
from halfwidth.core.forms import EFFECT_WORDS
from halfwidth.estimation.detections.context import DetectionContext
from halfwidth.estimation.detections.metric_kinds import is_counting
from halfwidth.metrics.averaging import AreaFinish
from halfwidth.results.detection_estimate import DetectionEstimate

# Scores in [0, 1], or in per cent, were cut where the lowest is above this share of the highest.
CUT_SCORE = 0.05
# Unless so many scores, spread evenly, would begin there by chance more often than this.
RARELY_SO_HIGH = 0.01
# Whole numbers up to this are ratings by people, which begin where they begin.
MOST_RATING = 10
# Images that were cut at a number, and what number is none that comes by itself.
SOME_FULL, FEWEST_FULL, LEAST_MOST = 0.05, 3, 5
# An order of equal scores matters that moves a value by this share of the width of its interval.
MUCH_OF_WIDTH = 0.25

Rule = Callable[[DetectionEstimate, DetectionContext], Caution | None]


def subject_of_each(e: DetectionEstimate) -> str:
    """The subject; of a difference that of each detector, since the caution is true of each."""
    return e.subject.removeprefix(f"{EFFECT_WORDS['difference']} ")


def _unranked(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    cut = context.summary.cut
    ranked = isinstance(e.metric_spec.form, MatchCurve)
    if not ranked or cut.distinct != 1 or len(context.summary.lists.category) < 2:
        return None
    return caution("HW877", detail=f"All detections score {cut.lowest:g}", what=subject_of_each(e))


def _equal_scores(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    """Where the order of equal scores moves the metric by much of what its interval allows for."""
    form = e.metric_spec.form
    if not isinstance(form, MatchCurve) or not isinstance(form.values, AveragePrecision):
        return None
    distinct = context.summary.cut.distinct
    # Of a single score HW877 speaks.
    if distinct < 2 or distinct == len(context.summary.lists.category) or not e.low < e.high:
        return None
    lowest, highest = _over_orders(form.values, e.average, context)
    if not highest - lowest > MUCH_OF_WIDTH * (e.high - e.low):
        return None
    return caution(
        "HW886",
        what=subject_of_each(e),
        low=e.text_of(float(lowest)),
        high=e.text_of(float(highest)),
    )


def _over_orders(
    kind: AveragePrecision, average: str | None, context: DetectionContext
) -> tuple[float, float]:
    """The least and the greatest AP that an order of equal scores gives."""
    lists, pooled = context.summary.lists, average == "micro"
    known, which = lists.matching.thresholds, context.which
    places = [known.index(threshold) for threshold in context.matching.thresholds]
    records = ScoreRecords(which, pooled)(replace(lists, outcome=lists.outcome[places]))
    classes = 1 if pooled or which is not None else len(lists.classes)
    by_class = Unpack(classes, len(places))(records)
    absent = as_choice("absent_class", context.absent)
    finish = AreaFinish("none" if classes == 1 else average or "none", absent=absent)
    ends = np.array([kind.over_orders(one) for one in by_class])
    objects = np.array([one.references.sum() for one in by_class], dtype=float)
    low, high = (float(finish(areas, objects)) for areas in ends.T)
    return low, high


def _cut_at_score(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    if not isinstance(e.metric_spec.form, MatchCurve):
        return None
    chosen, cut = context.matching.score_threshold, context.summary.cut
    if chosen is not None and chosen > cut.lowest:
        return caution("HW878", lowest=chosen, by=" (score_threshold)", what=subject_of_each(e))
    # Logits have no end.
    ratings = cut.whole and 1 < cut.highest <= MOST_RATING
    scaled = cut.lowest >= 0 and cut.highest <= 100 and not ratings
    if not scaled or cut.distinct < 2:
        return None
    share = cut.lowest / _end_of_scale(cut.highest)
    scores = len(context.summary.lists.category)
    if share < CUT_SCORE or (1 - share) ** scores > RARELY_SO_HIGH:
        return None
    return caution("HW878", lowest=cut.lowest, by="", what=subject_of_each(e))


def _end_of_scale(highest: float) -> float:
    """The end of the scale: of probabilities, also in per cent, or unknown."""
    return 1.0 if highest <= 1 else 100.0 if highest > 50 else highest


def _cut_at_number(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    if not isinstance(e.metric_spec.form, MatchCurve) and not is_counting(e.metric_spec):
        return None
    cut, images = context.summary.cut, context.summary.lists.n_images
    if cut.most < LEAST_MOST or cut.full < max(FEWEST_FULL, SOME_FULL * images):
        return None
    return caution("HW879", count=cut.full, total=images, most=cut.most, by="")


def _no_score_threshold(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    lists, cut = context.summary.lists, context.summary.cut
    if lists.score is None or context.matching.score_threshold is not None or cut.distinct < 2:
        return None
    if not is_counting(e.metric_spec) or context.matching.max_detections is not None:
        return None
    return caution(
        "HW885", count=len(lists.category), low=cut.lowest, high=cut.highest, what=e.subject
    )


SCORE_RULES: tuple[Rule, ...] = (
    _unranked,
    _equal_scores,
    _cut_at_score,
    _cut_at_number,
    _no_score_threshold,
)
