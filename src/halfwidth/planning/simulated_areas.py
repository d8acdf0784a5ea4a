"""AUROCs in studies with normal scores, and the intervals that a study gets by default."""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.rng import derive_key, uniforms
from halfwidth.core.spec import MethodSpec, Metric, spec_of
from halfwidth.core.types import Array, Interval, Level
from halfwidth.estimation.choose import FEW_RANKED_WRONG, MANY_RANKED_WRONG
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.functionals import Classes, MetricRow, Policies, build_functional
from halfwidth.estimation.records import Functional
from halfwidth.intervals.auc import delong_logit_t, delong_t
from halfwidth.intervals.compute import intervals
from halfwidth.intervals.dirichlet_intervals import dirichlet
from halfwidth.intervals.two_samples import mover
from halfwidth.metrics.ranking import auroc
from halfwidth.planning.scaled_studies import ScaledStudies
from halfwidth.planning.width_formulas import smallest_n
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.results.sample_size import SampleSize

ENTROPY, N_RESAMPLES = 20_261_129, 599
# Scores drawn at once, which bound time and memory; fewer studies where they are resampled, and
# those of two models take longer.
SCORES, RESAMPLED, MOST_RESAMPLED = 3_000_000, 300_000, 2000
FEWEST, MOST = 200, 4000
# Cases, and cases of the rarer class, from which on nothing but the scale changes, where they rank
# twice as many wrongly as make a difference.
MANY, MANY_OF_CLASS, MOST_CASES = 2000, 150, 20_000
# A share of studies that is told.
FEW_SHARE = 0.005
# Studies share one block of resamples, which correlates their widths, so many at a time.
BATCH = 25
# DeLong's variance has a component within each class.
LEAST_OF_A_CLASS = 2


@frozen
class AreaStudies:
    """Studies of one model, or of two, whose scores are normal within each class."""

    # Of each model.
    areas: tuple[float, ...]
    # Of the scores of two models within a class; None of models on cases of their own.
    correlation: float | None
    prevalence: float
    sd_ratio: float
    level: Level
    # Of each AUROC; None for what ``auto`` takes of a study.
    method: MethodSpec | None = None

    def intervals(self, n: int) -> Interval:
        """Intervals of the AUROC, or of the difference, in many studies of n cases."""
        scores = self._drawn(n)
        if self.correlation is not None or len(self.areas) == 1:
            return self._by_delong(scores)[0]
        (first, one), (second, other) = (self._by_delong(scores[:, [k]]) for k in (0, 1))
        return mover(np.stack([one, other]), (first, second), "difference", self.level)

    def weighted_share(self, n: int) -> float:
        """Share of studies in which ``auto`` takes Dirichlet weights, for a model at least."""
        return float(self._few(self._drawn(min(n, MOST_CASES))).mean())

    @property
    def studies(self) -> ScaledStudies:
        """What a number of cases gives, and how many a goal takes."""
        least = smallest_n(
            lambda n: min(class_counts(n, self.prevalence)) >= LEAST_OF_A_CLASS,
            2 * LEAST_OF_A_CLASS,
        )
        truth = self.areas[0] - self.areas[1] if len(self.areas) > 1 else self.areas[0]
        wrong = 2 * self._enough / min(min(area, 1 - area) for area in self.areas)
        rarer = min(self.prevalence, 1 - self.prevalence)
        many = max(MANY, math.ceil(max(MANY_OF_CLASS, wrong) / rarer))
        return ScaledStudies(self.intervals, truth, least, min(many, MOST_CASES))

    @property
    def _enough(self) -> float:
        """Cases of the rarer class ranked wrongly, from which on ``auto`` takes DeLong's."""
        return FEW_RANKED_WRONG - 1e-9 if self.correlation is None else MANY_RANKED_WRONG

    def described(self, plan: SampleSize) -> SampleSize:
        """A plan with the method that most studies of its n take, and which others do."""
        paired = self.correlation is not None
        delong, share = (
            (delong_t if paired else delong_logit_t).__name__,
            self.weighted_share(plan.n),
        )
        if self.method is not None:
            delong = self.method.name
        text = f"Of such studies {100 * share:.0f} % take {dirichlet.__name__}, others {delong}."
        mixed = self.method is None and FEW_SHARE <= share <= 1 - FEW_SHARE
        notes = (text, *plan.notes) if mixed else plan.notes
        formula = dirichlet.__name__ if share > 0.5 else delong
        if len(self.areas) > 1 and not paired:
            formula = f"{mover.__name__}:{formula}"
        return replace(plan, formula=formula, notes=notes)

    def _drawn(self, n: int) -> Array:
        """Scores of many studies, positive cases first, (S, models, n)."""
        from scipy import special

        models, (positives, _) = len(self.areas), class_counts(n, self.prevalence)
        studies = max(FEWEST, min(MOST, SCORES // (models * n)))
        key = derive_key(ENTROPY, "scores", n)
        scores = special.ndtri(uniforms(key, 0, studies, models * n)).reshape(studies, models, n)
        if self.correlation is not None:
            own = math.sqrt(1 - self.correlation**2)
            scores[:, 1] = self.correlation * scores[:, 0] + own * scores[:, 1]
        shifts = math.hypot(1, self.sd_ratio) * special.ndtri(self.areas)
        scores[..., :positives] = self.sd_ratio * scores[..., :positives] + shifts[:, None]
        if models > 1:
            return np.asarray(scores)
        # Widths are to scatter as they do, so that each study is resampled that would be.
        most = max(FEWEST, min(MOST_RESAMPLED, RESAMPLED // n))
        resampled = np.cumsum(self._few(scores))
        return np.asarray(scores[: np.searchsorted(resampled, most) + 1])

    def _few(self, scores: Array) -> NDArray[np.bool_]:
        """Where a model ranks few cases of the rarer class wrongly, by the rule of `choose`."""
        if self.method is not None:
            return np.full(len(scores), self.method.name == dirichlet.__name__)
        counts = class_counts(scores.shape[-1], self.prevalence)
        areas = _components(scores, counts[0])[0].mean(axis=-1)
        wrong = min(counts) * np.minimum(areas, 1 - areas).min(axis=-1)
        return np.asarray(wrong < self._enough)

    def _by_delong(self, scores: Array) -> tuple[Interval, Array]:
        """Intervals of one AUROC, or of two on the same cases, and the estimates."""
        n, paired = scores.shape[-1], scores.shape[1] == 2
        counts = class_counts(n, self.prevalence)
        by_class = [
            placed[:, 0] - placed[:, 1] if paired else placed[:, 0]
            for placed in _components(scores, counts[0])
        ]
        estimate = by_class[0].mean(axis=-1)
        parts = [placed.var(axis=-1, ddof=1) / placed.shape[-1] for placed in by_class]
        error, few = np.sqrt(parts[0] + parts[1]), self._few(scores)
        few |= error <= 0
        with np.errstate(invalid="ignore"):
            spread = sum(part**2 / (count - 1) for part, count in zip(parts, counts, strict=True))
            degrees = error**4 / spread
        delong = (delong_t if paired else delong_logit_t)(estimate, error, degrees, self.level)
        ends = np.stack([delong.low, delong.high])
        # Of two models resampling some is enough for a power: how far that moves ends depends on
        # the estimate alone, nearly, and others take it from a neighbour.
        rows = np.flatnonzero(few)[np.argsort(estimate[few], kind="stable")]
        most = min(MOST_RESAMPLED, RESAMPLED // n) // scores.shape[1] ** 2
        step = math.ceil(len(rows) / max(most, FEWEST)) or 1
        usual = np.where(np.isfinite(ends), ends, estimate)[:, rows]
        chosen, moved = rows[::step], -usual[:, ::step]
        batches = math.ceil(len(chosen) / BATCH)
        for batch in range(batches):
            some = chosen[batch::batches]
            # Quantiles of few resamples lie nearer to the middle than those of many.
            moved[:, batch::batches] += estimate[some] + self._few_resamples * (
                self._weighted(scores[some], batch) - estimate[some]
            )
        ends[:, rows] = usual + np.repeat(moved, step, axis=1)[:, : len(rows)]
        return Interval.of(*ends), estimate

    @property
    def _few_resamples(self) -> float:
        """Distance by which ends of normal draws lie too near to the middle, on average."""
        from scipy import special

        tail = self.level.tail
        found = (tail * (N_RESAMPLES - 1) + 1) / (N_RESAMPLES + 1)
        return float(special.ndtri(tail) / special.ndtri(found))

    def _weighted(self, scores: Array, batch: int) -> Array:
        """Both ends by Dirichlet weights."""
        functional, n = _functional(paired=scores.shape[1] == 2), scores.shape[-1]
        (computed,) = intervals(
            _records(scores, class_counts(n, self.prevalence)[0]),
            functional.statistic,
            [spec_of(dirichlet)],
            self.level,
            bounds=functional.metric.spec.bounds,
            plan=Plan(derive_key(ENTROPY, "resamples", n, batch).value, N_RESAMPLES, kept={}),
            design=Design((n,), None, True),
            clip=True,
            errors=False,
        )
        return np.stack([computed.interval.low, computed.interval.high])


def class_counts(n: int, prevalence: float) -> tuple[int, int]:
    """Positive and negative cases of n, to the nearest whole numbers; neither falls as n grows.

    >>> class_counts(10, 0.25), class_counts(11, 0.25)
    ((3, 7), (3, 8))
    """
    positives = math.floor(n * prevalence + 0.5)
    return positives, n - positives


def _components(scores: Array, positives: int) -> tuple[Array, Array]:
    """DeLong's structural components: which share of the other class each case is ranked above.

    Of positive cases, which come first, and of negative ones, which are to lie below.
    """
    negatives = scores.shape[-1] - positives
    order = np.argsort(scores, axis=-1)
    positive = order < positives
    below = np.cumsum(~positive, axis=-1) / negatives
    above = 1 - np.cumsum(positive, axis=-1) / positives
    placed = np.empty(scores.shape)
    np.put_along_axis(placed, order, np.where(positive, below, above), axis=-1)
    return placed[..., :positives], placed[..., positives:]


def _records(scores: Array, positives: int) -> Array:
    """Records of ranked cases: scores, and which cases are negative; of two models a pair."""
    negative = np.broadcast_to(np.arange(scores.shape[-1]) >= positives, scores.shape)
    records = np.stack([scores, negative], axis=-2)
    return records if scores.shape[1] == 2 else np.asarray(records[:, 0])


@functools.cache
def _functional(*, paired: bool) -> Functional:
    """The AUROC of two classes, or the difference of those of two models."""
    metric = Metric(spec_of(auroc))
    row, policies = MetricRow(metric, "binary", 1), Policies("omit", "omit")
    one = build_functional(row, metric, Classes((0, 1), 1), policies)
    return difference_functional(one) if paired else one
