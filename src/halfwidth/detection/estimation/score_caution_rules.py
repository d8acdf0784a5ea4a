"""Caution rules about the scores of detections, and what was left out before they were written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.checks import as_choice
from halfwidth.core.forms import EFFECT_WORDS
from halfwidth.detection.arithmetic.match_curves import AveragePrecision
from halfwidth.detection.arithmetic.match_records import ScoreRecords, Unpack
from halfwidth.detection.estimation.context import DetectionContext
from halfwidth.detection.estimation.metric_kinds import is_counting
from halfwidth.detection.forms.declared import MatchCurve
from halfwidth.detection.results.estimate import DetectionEstimate
from halfwidth.metrics.averaging import AreaFinish

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


def subject_of_each(e: DetectionEstimate) -> str:
    """The subject; of a difference that of each detector, since the caution is true of each."""
    return e.subject.removeprefix(f"{EFFECT_WORDS['difference']} ")


def score_cautions(e: DetectionEstimate, context: DetectionContext) -> Iterator[Caution | None]:
    """Scores that rank nothing, and detections that were cut before they were written."""
    cut, lists, matching = context.summary.cut, context.summary.lists, context.matching
    form, detections = e.metric_spec.form, len(context.summary.lists.category)
    ranked, counting = isinstance(form, MatchCurve), is_counting(e.metric_spec)
    if ranked and cut.distinct == 1 and detections > 1:
        detail = f"All detections score {cut.lowest:g}"
        yield caution("HW877", detail=detail, what=subject_of_each(e))
    some_equal = 1 < cut.distinct < detections
    if isinstance(form, MatchCurve) and isinstance(form.values, AveragePrecision) and some_equal:
        yield _equal_scores(form.values, e, context)
    if ranked:
        yield _cut_at_score(e, context)
    fullest = max(FEWEST_FULL, SOME_FULL * lists.n_images)
    if (ranked or counting) and cut.most >= LEAST_MOST and cut.full >= fullest:
        yield caution("HW879", count=cut.full, total=lists.n_images, most=cut.most, by="")
    limited = matching.score_threshold is not None or matching.max_detections is not None
    if counting and lists.score is not None and cut.distinct > 1 and not limited:
        low, high = cut.lowest, cut.highest
        yield caution("HW885", count=detections, low=low, high=high, what=e.subject)


def _equal_scores(
    kind: AveragePrecision, e: DetectionEstimate, context: DetectionContext
) -> Caution | None:
    """Where the order of equal scores moves the metric by much of what its interval allows for."""
    if not e.low < e.high:
        return None
    lowest, highest = _over_orders(kind, e.average, context)
    if not highest - lowest > MUCH_OF_WIDTH * (e.high - e.low):
        return None
    low, high = e.text_of(lowest), e.text_of(highest)
    return caution("HW886", what=subject_of_each(e), low=low, high=high)


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
    chosen, cut = context.matching.score_threshold, context.summary.cut
    if chosen is not None and chosen > cut.lowest:
        return caution("HW878", lowest=chosen, by=" (score_threshold)", what=subject_of_each(e))
    # Logits have no end.
    ratings = cut.whole and 1 < cut.highest <= MOST_RATING
    scaled = cut.lowest >= 0 and cut.highest <= 100 and not ratings
    if not scaled or cut.distinct < 2:
        return None
    # Of probabilities, also in per cent, or unknown.
    end = 1.0 if cut.highest <= 1 else 100.0 if cut.highest > 50 else cut.highest
    share = cut.lowest / end
    scores = len(context.summary.lists.category)
    if share < CUT_SCORE or (1 - share) ** scores > RARELY_SO_HIGH:
        return None
    return caution("HW878", lowest=cut.lowest, by="", what=subject_of_each(e))
