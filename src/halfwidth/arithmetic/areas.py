"""Areas under curves of ranked scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranked_scores import cumulated, in_parts
from halfwidth.arithmetic.tie_counts import area_from_ties, count_ties
from halfwidth.core.forms import Area, FastArea, RankedAreas, Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Numbers


def areas_of_rows(area: Area, ranking: Ranking) -> tuple[Array, Array]:
    """The area and the positive entries of each row of a ranking, two of (R,)."""
    if ranking.weight is None and area.fast is not None:
        ties = count_ties(ranking.mark)
        return area_from_ties(area.fast, ties), ties.positives
    areas, positives = [], []
    for row, mark in enumerate(ranking.mark):
        weight = np.ones(len(mark)) if ranking.weight is None else ranking.weight[row]
        tp, fp = cumulated(mark, weight)
        areas.append(area.curve(tp, fp))
        positives.append(tp[-1])
    return np.array(areas), np.array(positives)


def areas_of_counts(
    area: Area, ranking: Ranking, unit: NDArray[np.intp], counts: Numbers
) -> tuple[Array, Numbers]:
    """Areas of rankings at counts of units, (B, U), and their positive entries: (R, B) each."""
    shape = (len(ranking.case), len(counts))
    areas, positives = np.empty(shape), np.empty(shape)
    for row, (case, mark) in enumerate(zip(ranking.case, ranking.mark, strict=True)):
        drawn = counts[:, unit[case]]
        if ranking.weight is not None:
            drawn = drawn * ranking.weight[row]
        tp, fp = cumulated(mark, drawn)
        areas[row], positives[row] = area.curve(tp, fp), tp[:, -1]
    return areas, positives


def ranking_values(form: RankedAreas, records: Array) -> Array:
    """A function of areas of each test set, (..., k, n) -> (...)."""
    sets = records.reshape(-1, *records.shape[-2:])
    values = np.empty(len(sets))
    for part in in_parts(sets):
        area, positives = areas_of_rows(form.area, form.rank(sets[part]))
        shape = (len(sets[part]), -1)
        values[part] = form.finish(area.reshape(shape), positives.reshape(shape))
    return values.reshape(records.shape[:-2])


def _concordance(tp: Numbers, fp: Numbers) -> Array:
    """AUROC from cumulated entries at each distinct score, (..., G) -> (...)."""
    previous = np.zeros_like(tp)
    previous[..., 1:] = tp[..., :-1]
    above = (np.diff(fp, prepend=0, axis=-1) * (tp + previous)).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(above / (2.0 * tp[..., -1] * fp[..., -1]))


def _steps(tp: Numbers, fp: Numbers) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(tp + fp > 0, tp / (tp + fp), 0.0)
        return np.asarray((np.diff(tp, prepend=0, axis=-1) * precision).sum(axis=-1) / tp[..., -1])


def _trapezoid(tp: Numbers, fp: Numbers) -> Array:
    """Precision-recall points joined by straight lines; recall 0 has the first precision's 1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(tp + fp > 0, tp / (tp + fp), 1.0)
        before = np.ones_like(precision)
        before[..., 1:] = precision[..., :-1]
        steps = np.diff(tp, prepend=0, axis=-1)
        return np.asarray((steps * (precision + before) / 2).sum(axis=-1) / tp[..., -1])


def _interpolated(tp: Numbers, fp: Numbers) -> Array:
    """Mean over 101 recalls of the best precision at that recall or a higher one."""
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(tp + fp > 0, tp / (tp + fp), 0.0)
        recall = tp / tp[..., -1:]
    best = np.maximum.accumulate(precision[..., ::-1], axis=-1)[..., ::-1]
    total = np.zeros(tp.shape[:-1])
    for wanted in np.linspace(0, 1, 101):
        # Rounding must not lose a recall that is reached.
        at = (recall < wanted - 1e-12).sum(axis=-1)
        reached = at < tp.shape[-1]
        at = np.minimum(at, tp.shape[-1] - 1)[..., None]
        total += np.where(reached, np.take_along_axis(best, at, axis=-1)[..., 0], 0.0)
    return np.where(tp[..., -1] > 0, total / 101, np.nan)


CONCORDANCE = Area(_concordance, FastArea.CONCORDANCE)
STEPS = Area(_steps, FastArea.PRECISION_STEPS)
TRAPEZOID, INTERPOLATED = Area(_trapezoid), Area(_interpolated)


@frozen
class PartialConcordance:
    """The part of an AUROC up to a false positive rate, set on its scale.

    ½ (1 + (A - m²/2) / (m - m²/2)), A the area up to the rate m, between thresholds on the line
    that joins them: ½ without skill and 1 at best, as of the whole area.
    """

    max_fpr: float

    def __call__(self, tp: Numbers, fp: Numbers) -> Array:
        """Area from cumulated entries at each distinct score, (..., G) -> (...)."""
        positives, negatives = tp[..., -1], fp[..., -1]
        last = self.max_fpr * negatives[..., None]
        rise, run = np.diff(tp, prepend=0, axis=-1), np.diff(fp, prepend=0, axis=-1)
        # How far each step goes before the rate is reached.
        width = np.clip(last - (fp - run), 0, run)
        share = width / np.where(run > 0, run, 1)
        twice = (width * (2 * (tp - rise) + rise * share)).sum(axis=-1)
        least = self.max_fpr**2 / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            part = twice / (2.0 * positives * negatives)
        return np.asarray((1 + (part - least) / (self.max_fpr - least)) / 2)
