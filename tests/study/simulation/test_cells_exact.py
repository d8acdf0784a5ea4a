"""Coverage and width of a cell where both are known: by theory, or by enumerating a binomial."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special, stats
from smallstudies import cells_of_sets, cells_of_values, of_logits, rows_of, the_row

import halfwidth as hw
from halfwidth.core.types import Array, Level
from halfwidth.intervals.ranks import exact_ranks
from halfwidth.study.simulation.cells import Cells
from halfwidth.study.specs.spec import Instance

Z = 1.959963984540054
# A share of S samples or a mean of S widths lies beyond 4.5 of its standard errors with
# probability 7e-6; a test here makes at most 100 such comparisons.
ERRORS = 4.5


def _close(found: float, expected: float, error: float) -> bool:
    return abs(found - expected) <= ERRORS * error + 1e-12


# --------------------------------------------------------------------------- means of normals


def test_t_covers_a_normal_mean_as_often_as_it_says() -> None:
    # 99 degrees of freedom for its own standard error: |t| > 4 has probability 1.2e-4; five of it.
    n, samples = 10, 10_000
    cells = cells_of_values(
        {"family": "normal", "location": 3, "scale": 2},
        sizes=[n],
        samples=samples,
        batches=100,
        levels=[0.8, 0.95],
        statistics=["mean"],
        methods=["t", "z"],
    )
    rows = rows_of(cells)
    t_quantile = stats.t(n - 1)
    for level in (0.8, 0.95):
        z = special.ndtri((1 + level) / 2)
        known = {"t": level, "z": 1 - 2 * t_quantile.sf(z)}
        factor = {"t": t_quantile.isf((1 - level) / 2), "z": z}
        for method, coverage in known.items():
            row = the_row(rows, method=method, confidence_level=level)
            assert abs(row["coverage"] - coverage) < 4 * row["coverage_se"]
            binomial = math.sqrt(coverage * (1 - coverage) / samples)
            for side in ("missed_below", "missed_above"):
                half = (1 - coverage) / 2
                assert _close(row[side], half, math.sqrt(half * (1 - half) / samples))
            assert row["coverage_low"] < row["coverage"] < row["coverage_high"]
            assert 3 * binomial < row["coverage_high"] - row["coverage_low"] < 5 * binomial
            # E s = c₄ σ, Var s = (1 - c₄²) σ².
            c4 = math.sqrt(2 / (n - 1)) * math.exp(special.gammaln(n / 2) - special.gammaln(4.5))
            unit = 2 * factor[method] * 2 / math.sqrt(n)
            error = unit * math.sqrt((1 - c4**2) / samples)
            assert _close(row["width_mean"], unit * c4, error)
            for name, p in (("width_q1", 0.25), ("width_median", 0.5), ("width_q3", 0.75)):
                quantile = math.sqrt(stats.chi2(n - 1).ppf(p) / (n - 1))
                slope = stats.chi2(n - 1).pdf(quantile**2 * (n - 1)) * 2 * quantile * (n - 1)
                error = unit * math.sqrt(p * (1 - p) / samples) / slope
                assert _close(row[name], unit * quantile, error), name
    decile = 2 * 2 * special.ndtri(0.9)
    row = rows[0]
    assert row["interdecile_range"] == pytest.approx(decile, rel=1e-12)
    assert row["width_mean_relative"] == pytest.approx(row["width_mean"] / decile, rel=1e-12)
    assert row["width_median_relative"] == pytest.approx(row["width_median"] / decile, rel=1e-12)
    # The centre of t is the mean of the sample, and so is the estimate.
    assert row["centre_shift"] == pytest.approx(row["bias"], rel=1e-9, abs=1e-12)
    assert _close(row["estimate_mean"], 3, 2 / math.sqrt(n * samples))
    assert _close(row["bias"], 0, 2 / math.sqrt(n * samples))
    assert row["bias_se"] == pytest.approx(2 / math.sqrt(n * samples), rel=0.04)
    assert _close(row["rmse"] ** 2, 4 / n, 4 / n * math.sqrt(2 / samples))


@pytest.mark.parametrize(("alternative", "side"), [("lower", "above"), ("upper", "below")])
def test_a_one_sided_t_misses_on_its_own_side_alone(alternative: str, side: str) -> None:
    samples = 4000
    cells = cells_of_values(
        {"family": "normal", "location": 3},
        sizes=[8],
        samples=samples,
        levels=[0.9],
        alternative=alternative,
        statistics=["mean"],
        methods=["t"],
    )
    (row,) = rows_of(cells)
    other = {"above": "below", "below": "above"}[side]
    assert (row["alternative"], row[f"missed_{other}"]) == (alternative, 0)
    assert _close(row[f"missed_{side}"], 0.1, math.sqrt(0.09 / samples))
    assert row["infinite"] == samples  # the open end of a range without end


# --------------------------------------------------------------------------- medians


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "population",
    [
        {"family": "normal"},
        {"family": "lognormal"},
        {"family": "beta", "a": 8, "b": 2},
        {"parts": [{"family": "normal", "location": -2}, {"family": "exponential", "weight": 3}]},
    ],
    ids=["normal", "lognormal", "beta", "mixture"],
)
def test_order_statistics_cover_a_quantile_as_often_as_a_binomial_says(
    population: dict[str, object],
) -> None:
    n, samples, levels = 32, 3000, (0.5, 0.9, 0.95)
    cells = cells_of_values(
        population,
        sizes=[n],
        samples=samples,
        levels=list(levels),
        statistics=["median", "quantile:q=0.3", "quantile:q=0.95"],
        methods=["exact"],
    )
    rows = rows_of(cells)
    for q, statistic in ((0.5, "median"), (0.3, "quantile:q=0.3"), (0.95, "quantile:q=0.95")):
        for level in levels:
            row = the_row(rows, statistic=statistic, confidence_level=level)
            ranks = exact_ranks(n, q, Level(level))
            if ranks is None:
                assert (row["coverage"], row["undefined"]) == (0, samples)
                assert math.isnan(row["coverage_defined"])
                continue
            # X₍k₎ ≤ Q ≤ X₍l₎ where from k to l - 1 values lie below Q.
            below = stats.binom(n, q)
            coverage = below.cdf(ranks[1] - 1) - below.cdf(ranks[0] - 1)
            assert coverage >= level
            error = math.sqrt(coverage * (1 - coverage) / samples)
            assert _close(row["coverage"], coverage, error)
            missed = below.cdf(ranks[0] - 1)  # so few lie below that X₍k₎ > Q
            assert _close(row["missed_above"], missed, math.sqrt(missed * (1 - missed) / samples))
    assert the_row(rows, statistic="quantile:q=0.95", confidence_level=0.95)["undefined"] == samples


# --------------------------------------------------------------------------- proportions


def _wald(x: Array, n: int) -> tuple[Array, Array]:
    share = x / n
    reach = Z * np.sqrt(share * (1 - share) / n)
    return share - reach, share + reach


def _wilson(x: Array, n: int) -> tuple[Array, Array]:
    middle = (x + Z**2 / 2) / (n + Z**2)
    reach = Z / (n + Z**2) * np.sqrt(x * (n - x) / n + Z**2 / 4)
    return middle - reach, middle + reach


def _agresti_coull(x: Array, n: int) -> tuple[Array, Array]:
    trials = n + Z**2
    share = (x + Z**2 / 2) / trials
    reach = Z * np.sqrt(share * (1 - share) / trials)
    return share - reach, share + reach


def _clopper_pearson(x: Array, n: int) -> tuple[Array, Array]:
    low = np.where(x > 0, stats.beta.ppf(0.025, np.maximum(x, 1), n - x + 1), 0.0)
    high = np.where(x < n, stats.beta.ppf(0.975, x + 1, np.maximum(n - x, 1)), 1.0)
    return low, high


def _jeffreys(x: Array, n: int) -> tuple[Array, Array]:
    # Brown, Cai and DasGupta (2001): the end of the range where there is no success or failure.
    low = np.where(x > 0, stats.beta.ppf(0.025, x + 0.5, n - x + 0.5), 0.0)
    high = np.where(x < n, stats.beta.ppf(0.975, x + 0.5, n - x + 0.5), 1.0)
    return low, high


FORMULAS: dict[str, Callable[[Array, int], tuple[Array, Array]]] = {
    "wilson": _wilson,
    "clopper_pearson": _clopper_pearson,
    "jeffreys": _jeffreys,
    "agresti_coull": _agresti_coull,
    "wald": _wald,
}


def _check_against_binomial(cells: Cells, p: float, *, others: tuple[str, ...] = ()) -> None:
    """Coverage, misses, width and length out of range of all methods, by enumeration."""
    rows = rows_of(cells)
    n, samples = cells.n, cells.spec.samples
    x = np.arange(n + 1, dtype=float)
    mass = stats.binom(n, p).pmf(x)
    bounds = {name: formula(x, n) for name, formula in FORMULAS.items()}
    for name in others:
        made = [hw.proportion_ci(int(count), n, method=name) for count in x]
        bounds[name] = (np.array([e.low for e in made]), np.array([e.high for e in made]))
    assert set(bounds) <= {row["method"] for row in rows}

    def of(row: str, values: Any, name: str) -> None:
        expected = float(mass @ values)
        error = math.sqrt(float(mass @ (values - expected) ** 2) / samples)
        assert _close(the_row(rows, method=name)[row], expected, error), (name, row)

    for name, (low, high) in bounds.items():
        # A truth from a large draw decides alike, for no bound is that near.
        assert np.abs(np.stack([low, high]) - p).min() >= 8 * rows[0]["truth_se"]
        # Bootstraps have shares of n as bounds, and p may be one.
        below, above = high < p - 1e-9, low > p + 1e-9
        of("coverage", ~below & ~above, name)
        of("missed_below", below, name)
        of("missed_above", above, name)
        of("width_mean", high - low, name)
        of("centre_shift", (low + high) / 2 - rows[0]["truth"], name)
        row = the_row(rows, method=name)
        assert row["undefined"] == 0
        width = high - low
        shares = float(mass @ (width <= 0))
        assert _close(row["zero_width"] / samples, shares, math.sqrt(shares / samples))
    # Only intervals with a length have a share of it out of range.
    low, high = bounds["wald"]
    some = high > low
    outside = 1 - (np.clip(high, 0, 1) - np.clip(low, 0, 1))[some] / (high - low)[some]
    expected = float(mass[some] @ outside / mass[some].sum())
    found = the_row(rows, method="wald")["share_outside"]
    assert _close(found, expected, math.sqrt(mass[some] @ (outside - expected) ** 2 / samples))


BOOTSTRAPS = ("percentile", "basic", "bca")


@pytest.mark.parametrize(("p", "n"), [(0.8, 20), (0.93, 12)])
def test_proportions_of_cases_against_all_outcomes_of_a_binomial(p: float, n: int) -> None:
    cells = cells_of_values(
        {"family": "bernoulli", "probability": p, "metric": "correct"},
        sizes=[n],
        samples=4000,
        batches=10,
        resamples=99,
        statistics=["mean"],
        methods=[*FORMULAS, *BOOTSTRAPS],
    )
    # The distribution of all resamples is binomial too, and no draw is made.
    _check_against_binomial(cells, p, others=("percentile", "basic"))


def _right_and_wrong(right: int, of: int) -> Instance:
    """An empirical population of which a known share is classified right."""
    generator = np.random.default_rng(2)
    truth = generator.integers(3, size=of)
    said = np.where(np.arange(of) < right, truth, (truth + 1) % 3)
    logits = generator.normal(size=(3, of))
    logits[said, np.arange(of)] += 10
    return of_logits("accuracy", logits, truth, empirical=True)


@pytest.mark.slow
def test_accuracy_against_all_outcomes_of_a_binomial() -> None:
    instance = _right_and_wrong(54, 80)
    cells = cells_of_sets(instance, "accuracy", 20, samples=4000, resamples=99)
    p = 54 / 80
    (measured,) = cells.measured
    assert measured.binary
    assert set(FORMULAS) | set(BOOTSTRAPS) < {method.name for method in measured.methods}
    row = rows_of(cells)[0]
    assert (row["truth"], row["truth_se"], row["truth_how"]) == (p, 0.0, "formula")
    _check_against_binomial(cells, p, others=("percentile", "basic"))


def test_methods_for_a_proportion_want_a_metric_of_hits() -> None:
    population = {"family": "bernoulli", "probability": 0.5}
    (plain,) = cells_of_values(population, statistics=["mean"]).measured
    (hits,) = cells_of_values({**population, "metric": "correct"}, statistics=["mean"]).measured
    of_proportions = {method.name for method in hits.methods} - {m.name for m in plain.methods}
    assert of_proportions == set(FORMULAS)
    assert all(method in hw.METHODS.names for method in of_proportions)
