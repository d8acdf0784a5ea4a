"""Models by the tests that they win against each other: the scheme test-then-rank.

A model wins against another where a one-sided test rejects that it does no better, by Holm's
correction for all ordered pairs. All such claims hold together at the level, so that sets of ranks
follow from them as they do from differences.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from halfwidth.comparison.multiplicity import adjusted_p_values
from halfwidth.comparison.no_difference import BY_NAME, Setting, run_tests
from halfwidth.comparison.paired_tests import signed_ranks
from halfwidth.comparison.settings import Settings
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.forms import differences_of
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Array
from halfwidth.estimation.resolve import AUTO
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.ranking.claims import ClaimedPairs
from halfwidth.ranking.rank_sets import Claims, Flags, square
from halfwidth.ranking.resampled_tests import resampled_test
from halfwidth.resampling.joint.simultaneous import Pairs
from halfwidth.resampling.permutations.swap_tests import differing_units
from halfwidth.results.comparison import TestResult

WILCOXON = "wilcoxon"
# Tests on a resample cost more than a statistic; shares of resamples need no more of them.
USUAL_RESAMPLES = 999


class WonTests(ClaimedPairs):
    """Which model wins against which, by the test of the settings."""

    def __init__(self, family: FamilyJobs, sign: float, settings: Settings) -> None:
        """``sign``: 1 where higher values are better, else -1."""
        super().__init__(len(family.jobs))
        self.jobs, self.sign, self.settings = list(family.jobs.values()), sign, settings
        names = list(family.jobs)
        self.pairs = [(names[one], names[other]) for one, other in self.places.tolist()]
        results = run_tests(_test_of(family, settings), family.jobs, self.pairs, settings.request)
        self.results = [one for one in results if one is not None]
        metric = metric_title(self.jobs[0].functional.metric) or "values"
        self.subject = f"{metric} by tests won ({self.results[0].title})"
        self.p_values = _one_sided(self.results, sign * self._advantages())
        # Against how many others each model wins, (K,).
        self.wins = self.claims()[0].sum(axis=1).astype(float)

    def resampled_wins(self) -> Array:
        """The number of wins of each model on resamples, (K, B); none where that is not known."""
        request, plan = self.settings.request, self.settings.plan
        if not request.draws:
            plan = replace(plan, n_resamples=min(USUAL_RESAMPLES, plan.n_resamples))
        resampled = resampled_test(self.results[0].name, self.jobs[0].functional)
        if resampled is None:
            return np.empty((self.models, 0))
        differences = [differences_of(*pair) for pair in self._pairs()]
        signed = resampled(differences, self.jobs[0].records.design, plan)
        return wins_of(signed * self.sign, self.places, self.models, request.level.alpha)

    @functools.cached_property
    def cautions(self) -> list[Caution]:
        """Cautions of the tests, and where no model can win any."""
        cautions = [
            one.said_of(" vs ".join(pair))
            for pair, result in zip(self.pairs, self.results, strict=True)
            for one in result.cautions
        ]
        tests, alpha = 2 * len(self.places), self.settings.request.level.alpha
        least = min(map(self._least, self._pairs(), self.results))
        if least * tests > alpha:
            cautions.append(caution("HW853", tests=tests, least=least, needed=alpha / tests))
        return cautions

    def claims_of(self, some: Flags, parts: int) -> Claims:
        """Which model of some pairs wins against the other; not to win is not to be better."""
        ordered = self.p_values[some]
        rejected = adjusted_p_values(ordered.ravel()) <= self.settings.request.level.alpha / parts
        better = square(self.places[some], rejected.reshape(ordered.shape), self.models)
        return better, better.T

    def _pairs(self) -> list[tuple[Array, Array]]:
        """The values of both models of each pair."""
        values = [job.records.arranged for job in self.jobs]
        return [(values[one], values[other]) for one, other in self.places]

    def _advantages(self) -> Array:
        """Which model of each pair has the larger values, as the test sees it, (P,)."""
        if self.results[0].name == WILCOXON:
            sums = [float(signed_ranks(first - second).sum()) for first, second in self._pairs()]
            return np.asarray(np.sign(sums))
        values = [job.value for job in self.jobs]
        return np.asarray(np.sign([values[one] - values[other] for one, other in self.places]))

    def _least(self, pair: tuple[Array, Array], result: TestResult) -> float:
        """The smallest one-sided p-value that the test of a pair can have."""
        units = differing_units(*pair, self.jobs[0].records.design)
        drawn = 0.0 if result.n_resamples is None else 0.5 / (1 + result.n_resamples)
        return float(max(0.5**units, drawn))


def _test_of(family: FamilyJobs, settings: Settings) -> str:
    """The test that is named; else that of challenges where it answers the question."""
    first = next(iter(family.jobs.values()))
    setting = Setting(first.functional, first.records.design, paired=True)
    usual = settings.test == AUTO and not BY_NAME[WILCOXON].refusal(setting)
    return WILCOXON if usual else settings.test


def _one_sided(results: Sequence[TestResult], advantages: Array) -> Array:
    """P-values of either model of a pair being better, (P, 2).

    The distributions of these tests are symmetric, so that half of a two-sided p-value belongs to
    the side of the difference. The other side is above .5; 1 stands for it, as for both sides of a
    test that cannot be made.
    """
    p_values = np.array([result.p_value for result in results])
    halves = np.where(np.isnan(p_values), 1.0, p_values / 2)
    sides = np.array([1.0, -1.0])
    return np.where(advantages[:, None] * sides > 0, halves[:, None], 1.0)


def wins_of(signed: Array, places: Pairs, models: int, alpha: float) -> Array:
    """Wins on resamples by Holm, (K, B), of one-sided p, (P, B), negative of a better second."""
    p_values = np.abs(signed)
    order = np.argsort(p_values, axis=0, kind="stable")
    left = 2 * len(places) - np.arange(len(places))[:, None]
    rejected = np.take_along_axis(p_values, order, axis=0) * left <= alpha
    # Holm stops at the first test that does not reject.
    rejected = np.logical_and.accumulate(rejected, axis=0)
    won = np.zeros_like(rejected)
    np.put_along_axis(won, order, rejected, axis=0)
    wins = np.zeros((models, signed.shape[-1]))
    for (one, other), rejects, side in zip(places, won, signed, strict=True):
        wins[one] += rejects & (side > 0)
        wins[other] += rejects & (side < 0)
    return wins
