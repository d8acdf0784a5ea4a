"""Leads over another model against paired tests on data with that very correlation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

import halfwidth as hw
from halfwidth.core.types import Array, Level
from halfwidth.intervals import wilson
from halfwidth.planning.published.leads import CORRELATIONS, Lead, Reach, difference, needed

review = hw.planning.review


def lead_of(found: hw.planning.Review) -> Lead:
    assert found.lead is not None
    return found.lead


def pair_with(
    n: int, means: tuple[float, float], sds: tuple[float, float], rho: float
) -> tuple[Array, Array]:
    """Two samples with exactly these means, SDs (n - 1) and correlation."""
    raw = np.random.default_rng(3).normal(size=(2, n))
    raw -= raw.mean(axis=1, keepdims=True)
    first = raw[0] / np.linalg.norm(raw[0])
    rest = raw[1] - first * (first @ raw[1])
    second = rho * first + math.sqrt(1 - rho**2) * rest / np.linalg.norm(rest)
    scale = math.sqrt(n - 1)
    return means[0] + sds[0] * scale * first, means[1] + sds[1] * scale * second


@pytest.mark.parametrize("rho", [*CORRELATIONS, -0.4])
@pytest.mark.parametrize("sds", [(0.10, 0.10), (0.08, 0.13)])
def test_the_interval_of_a_mean_difference_is_that_of_the_paired_t_test(
    rho: float, sds: tuple[float, float]
) -> None:
    values, other = pair_with(50, (0.85, 0.83), sds, rho)
    wanted = stats.ttest_rel(values, other).confidence_interval()
    found = lead_of(review(50, mean=0.85, sd=sds[0], metric="dsc", versus=0.83, versus_sd=sds[1]))
    rows = {row.correlation: row for row in found.rows}
    if rho in rows:
        assert rows[rho].low == pytest.approx(wanted.low)
        assert rows[rho].high == pytest.approx(wanted.high)
        assert rows[rho].larger == ("yes" if wanted.low > 0 else "no")
    reach = [stats.t.ppf(0.975, 49) * sd / math.sqrt(50) for sd in sds]
    pair = Reach(reach[0], reach[0]), Reach(reach[1], reach[1])
    assert difference(0.85, 0.83, *pair, rho) == pytest.approx((wanted.low, wanted.high))


@pytest.mark.parametrize("versus", [0.83, 0.87])
def test_at_the_correlation_needed_the_paired_t_test_has_p_005(versus: float) -> None:
    found = lead_of(review(50, mean=0.85, sd=0.10, metric="dsc", versus=versus))
    assert 0 < found.needed < 1
    values, other = pair_with(50, (0.85, versus), (0.10, 0.10), found.needed)
    assert stats.ttest_rel(values, other).pvalue == pytest.approx(0.05)


def test_some_leads_need_no_correlation_and_some_have_none_that_would_do() -> None:
    assert lead_of(review(50, mean=0.85, sd=0.05, metric="dsc", versus=0.5)).needed == -math.inf
    equal = lead_of(review(50, mean=0.85, sd=0.05, metric="dsc", versus=0.85))
    assert (equal.needed, equal.ahead) == (math.inf, None)
    # Two SDs that differ leave a difference that varies, however correlated.
    small = lead_of(review(50, mean=0.85, sd=0.05, metric="dsc", versus=0.849, versus_sd=0.20))
    assert small.needed == math.inf
    assert {row.larger for row in small.rows} == {"no"}


@pytest.mark.parametrize(
    ("metric", "mean", "versus", "ahead"),
    [
        ("dsc", 0.85, 0.83, True),
        ("dsc", 0.83, 0.85, False),
        ("hd95", 0.83, 0.85, True),
        ("hd95", 0.85, 0.83, False),
        (None, 0.85, 0.83, None),
    ],
)
def test_who_is_ahead_depends_on_what_is_better(
    metric: str | None, mean: float, versus: float, ahead: bool | None
) -> None:
    found = review(50, mean=mean, sd=0.1, metric=metric, versus=versus)
    assert lead_of(found).ahead is ahead
    word = {True: "The lead of", False: "The lag of", None: "The difference of"}[ahead]
    assert word in found.paragraph()


def test_a_guessed_sd_leaves_the_verdict_open_where_it_decides() -> None:
    found = lead_of(review(200, mean=0.85, metric="dsc", versus=0.80))
    by_hand = [
        lead_of(review(200, mean=0.85, sd=own, metric="dsc", versus=0.80, versus_sd=other)).needed
        for own, other in guesses(200, 0.85, 0.80)
    ]
    assert [found.needed_low, found.needed, found.needed_high] == pytest.approx(by_hand)
    assert found.needed_low < found.needed < found.needed_high
    for row in found.rows:
        always = row.correlation >= found.needed_high
        never = row.correlation < found.needed_low
        assert row.larger == ("yes" if always else "no" if never else "depends")


def guesses(n: int, mean: float, versus: float) -> list[tuple[float, float]]:
    claims: list[Any] = [review(n, mean=m, metric="dsc").claim for m in (mean, versus)]
    own, other = (claim.spread for claim in claims)
    return [(own.low, other.low), (own.sd, other.sd), (own.high, other.high)]


# --------------------------------------------------------------------------- proportions


def test_uncorrelated_counts_have_newcombes_interval_of_two_samples() -> None:
    found = lead_of(review(200, correct=181, versus_correct=170))
    low, high = confint_proportions_2indep(181, 200, 170, 200, method="newcomb", compare="diff")
    assert (found.rows[0].low, found.rows[0].high) == pytest.approx((low, high))


def joint_counts(n: int, x: int, y: int) -> list[float]:
    """The correlations of all tables with x right by one model and y by the other."""
    found = []
    for both in range(max(0, x + y - n), min(x, y) + 1):
        first = np.repeat([1, 1, 0, 0], [both, x - both, y - both, n - x - y + both])
        second = np.repeat([1, 0, 1, 0], [both, x - both, y - both, n - x - y + both])
        found.append(float(np.corrcoef(first, second)[0, 1]))
    return found


@pytest.mark.parametrize(("x", "y"), [(18, 15), (15, 18), (10, 2), (19, 19)])
def test_no_table_of_the_counts_has_a_larger_correlation(x: int, y: int) -> None:
    found = lead_of(review(20, correct=x, versus_correct=y))
    assert found.most == pytest.approx(max(joint_counts(20, x, y)))
    assert max(row.correlation for row in found.rows) <= found.most + 1e-12


@pytest.mark.parametrize(("x", "y"), [(20, 15), (0, 3), (20, 20)])
def test_a_count_of_all_or_none_is_correlated_with_nothing(x: int, y: int) -> None:
    found = lead_of(review(20, correct=x, versus_correct=y))
    assert [row.correlation for row in found.rows] == [0.0]


def test_differences_of_paired_counts_are_covered() -> None:
    # p = .90 and .84 with a correlation of .5, n = 150, 4000 samples, the correlation known: Monte-
    # Carlo error .0034, below .93 or above .975 with probability under 1e-7.
    p, q, phi, n = 0.90, 0.84, 0.5, 150
    both = p * q + phi * math.sqrt(p * (1 - p) * q * (1 - q))
    tables = np.random.default_rng(1).multinomial(
        n, [both, p - both, q - both, 1 - p - q + both], 4000
    )
    covered = 0
    for table in tables:
        x, y = table[0] + table[1], table[0] + table[2]
        one, two = wilson(x, n, Level(0.95)), wilson(y, n, Level(0.95))
        reaches = [
            Reach(k / n - float(made.low), float(made.high) - k / n)
            for k, made in ((x, one), (y, two))
        ]
        low, high = difference(x / n, y / n, reaches[0], reaches[1], phi)
        covered += low <= p - q <= high
    assert 0.93 < covered / 4000 < 0.975


# --------------------------------------------------------------------------- AUROC and formulas


def test_a_lead_of_areas_comes_from_both_intervals() -> None:
    found = review(300, auroc=0.91, positives=60, versus=0.88)
    own, other = found.estimate, review(300, auroc=0.88, positives=60).estimate
    row = lead_of(found).rows[0]
    below, above = own.value - own.low, other.high - other.value
    assert row.low == pytest.approx(0.03 - math.hypot(below, above))
    assert lead_of(found).of == "two AUROCs"


@pytest.mark.parametrize("d", [0.01, 0.05, -0.05])
def test_the_correlation_needed_is_where_the_interval_meets_0(d: float) -> None:
    own, other = Reach(0.04, 0.06), Reach(0.05, 0.03)
    threshold = needed(0.8 + d, 0.8, own, other)
    if math.isinf(threshold):
        low, high = difference(0.8 + d, 0.8, own, other, 1.0)
        assert low < 0 < high
        return
    low, high = difference(0.8 + d, 0.8, own, other, threshold)
    assert (low if d > 0 else high) == pytest.approx(0, abs=1e-12)
