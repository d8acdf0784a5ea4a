"""Quantiles of training runs (lehmann2025): point estimates, widths and guaranteed coverage."""

from __future__ import annotations

import functools
import hashlib
import math
from typing import Any

import numpy as np
import pytest
from scipy import special, stats
from smallstudies import cells_of_values, rows_of, the_row

from halfwidth import Bounds
from halfwidth.core.spec import MetricLevel
from halfwidth.core.types import Array
from halfwidth.intervals.ranks import minimum_n
from halfwidth.study import populations
from halfwidth.study.simulation.cells import Cells
from halfwidth.study.specs.spec import Instance, StudySpec

QUANTILES = ["quantile:q=0.1", "quantile:q=0.9"]
LEVELS = {"quantile:q=0.1": 0.1, "quantile:q=0.9": 0.9, "median": 0.5}
# A mean of S values lies beyond 4.5 of its standard errors with probability 7e-6.
ERRORS = 4.5


def _picks(n: int, q: float) -> tuple[int, float]:
    """The type-7 quantile is X₍k₎ + w (X₍k+1₎ - X₍k₎): k and w."""
    position = (n - 1) * q
    below = math.floor(position + 1e-9)
    return below + 1, position - below


def _uniform_moments(n: int, q: float) -> tuple[float, float]:
    """Mean and variance of the quantile of n uniforms: X₍k₎ is Beta(k, n + 1 - k)."""
    k, w = _picks(n, q)
    mean = (k + w) / (n + 1)
    scale = (n + 1) ** 2 * (n + 2)
    variance = k * (n + 1 - k) / scale
    if w > 1e-9:
        other, shared = (k + 1) * (n - k) / scale, k * (n - k) / scale
        variance = (1 - w) ** 2 * variance + w**2 * other + 2 * w * (1 - w) * shared
    return mean, variance


@pytest.mark.parametrize("n", [10, 11, 50])
def test_bias_and_error_of_quantiles_of_uniforms(n: int) -> None:
    samples = 5000
    cells = cells_of_values(
        {"family": "uniform", "low": 2, "high": 6},
        sizes=[n],
        samples=samples,
        statistics=[*QUANTILES, "median"],
        methods=["exact"],
    )
    rows = rows_of(cells)
    for statistic, q in LEVELS.items():
        row = the_row(rows, statistic=statistic)
        mean, variance = _uniform_moments(n, q)
        assert row["truth"] == pytest.approx(2 + 4 * q, rel=1e-12)
        assert row["interdecile_range"] == pytest.approx(3.2, rel=1e-12)
        error = 4 * math.sqrt(variance / samples)
        assert abs(row["bias"] - 4 * (mean - q)) < ERRORS * error
        assert row["bias_se"] == pytest.approx(error, rel=0.06)
        # The fourth moment of a Beta is below six times its squared variance here.
        squares = variance + (mean - q) ** 2
        assert abs(row["rmse"] ** 2 / 16 - squares) < ERRORS * squares * math.sqrt(5 / samples)


def test_bias_and_error_of_quantiles_of_exponentials() -> None:
    """Rényi: X₍k₎ is a sum of independent exponentials of rates n, n - 1, ..."""
    n, samples = 21, 5000
    cells = cells_of_values(
        {"family": "exponential", "scale": 3},
        sizes=[n],
        samples=samples,
        statistics=[*QUANTILES, "median"],
        methods=["exact"],
    )
    rows = rows_of(cells)
    rates = 1 / np.arange(n, 0, -1)
    for statistic, q in LEVELS.items():
        k, w = _picks(n, q)
        assert abs(w) < 1e-9  # 20 q is a whole number
        mean, variance = 3 * rates[:k].sum(), 9 * (rates[:k] ** 2).sum()
        row = the_row(rows, statistic=statistic)
        assert row["truth"] == pytest.approx(-3 * math.log1p(-q), rel=1e-12)
        bias = mean + 3 * math.log1p(-q)
        assert abs(row["bias"] - bias) < ERRORS * math.sqrt(variance / samples)
        assert row["rmse"] ** 2 == pytest.approx(variance + bias**2, rel=0.25)


def test_widths_are_divided_by_the_interdecile_range() -> None:
    """Of the exact interval, whose bounds are order statistics of normals."""
    n, samples = 40, 2000
    cells = cells_of_values(
        {"family": "normal", "location": -7, "scale": 5},
        sizes=[n],
        samples=samples,
        resamples=60,
        statistics=["median"],
        levels=[0.9],
        methods=["exact", "percentile", "semiparametric"],
    )
    rows = rows_of(cells)
    decile = 2 * 5 * special.ndtri(0.9)
    for one in rows:
        assert one["interdecile_range"] == pytest.approx(decile, rel=1e-12)
        for name in ("width_mean", "width_median"):
            assert one[f"{name}_relative"] == pytest.approx(one[name] / decile, rel=1e-12)
    # E X₍k₎ of normals by quadrature over the Beta distribution of its probability.
    k = int(stats.binom(n, 0.5).ppf(0.05))
    nodes = (np.arange(200_000) + 0.5) / 200_000
    expected = -2 * float(special.ndtri(special.betaincinv(k, n + 1 - k, nodes)).mean())
    row = the_row(rows, method="exact")
    error = 2 * 1.25 / math.sqrt(n * samples)
    assert abs(row["width_mean"] / 5 - expected) < ERRORS * error


# --------------------------------------------------------------------------- guaranteed coverage

RUNS = np.random.default_rng(12).beta(30, 4, size=40_000)
COARSE = np.round(RUNS, 2)


def _of_runs(values: Array, spec: StudySpec) -> Cells:
    """A large number of runs that stand for the population (lehmann2025, 4.2)."""
    instance = Instance(
        name="runs",
        task="runs",
        model="",
        source="",
        level=MetricLevel.INDIVIDUAL,
        metric=None,
        build=functools.partial(populations.empirical, values),
        n_cases=len(values),
        digest=hashlib.sha256(values.tobytes()).hexdigest(),
        bounds=Bounds(0, 1),
    )
    return Cells(instance, None, spec.sizes[0], spec)


def _study(n: int, **study: Any) -> StudySpec:
    asked = {"sizes": [n], "samples": 2000, "levels": [0.5, 0.9, 0.95], "statistics": QUANTILES}
    return cells_of_values({"family": "uniform"}, **asked, methods=["exact"], **study).spec


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [10, 30])
@pytest.mark.parametrize("population", ["uniform", "lognormal", "t", "runs", "coarse"])
def test_exact_covers_at_least_as_often_as_it_says_or_is_undefined(population: str, n: int) -> None:
    """Four standard errors below: 3e-5 for each of the 60 coverages."""
    spec = _study(n)
    if population in ("runs", "coarse"):
        cells = _of_runs(RUNS if population == "runs" else COARSE, spec)
    else:
        given = {"family": population, **({"df": 1} if population == "t" else {})}
        cells = cells_of_values(
            given,
            sizes=[n],
            samples=2000,
            levels=[0.5, 0.9, 0.95],
            statistics=QUANTILES,
            methods=["exact"],
        )
    rows = rows_of(cells)
    undefined = 0
    for statistic in QUANTILES:
        for level in spec.levels:
            row = the_row(rows, statistic=statistic, confidence_level=level.confidence_level)
            if n < minimum_n(LEVELS[statistic], level):
                undefined += 1
                assert (row["undefined"], row["coverage"], row["missed_below"]) == (2000, 0, 0)
                assert math.isnan(row["width_mean"])
                assert math.isnan(row["coverage_defined"])
                continue
            wanted = level.confidence_level
            assert row["undefined"] == 0
            assert row["coverage"] > wanted - 4 * math.sqrt(wanted * (1 - wanted) / 2000)
    # 10 values reach one decile with 0.65, 30 with 0.958.
    assert undefined == (4 if n == 10 else 0)


def test_quantiles_of_many_runs_are_runs() -> None:
    rows = rows_of(_of_runs(RUNS, _study(30)))
    ordered = np.sort(RUNS)
    for statistic in QUANTILES:
        row = the_row(rows, statistic=statistic, confidence_level=0.95)
        # inf{x : F(x) ≥ q} of 40 000 runs.
        assert row["truth"] == ordered[int(40_000 * LEVELS[statistic]) - 1]
        assert (row["truth_how"], row["n_cases"]) == ("formula", 40_000)
        assert row["population"] == "empirical"
        spread = ordered[36_000 - 1] - ordered[4000 - 1]
        assert row["interdecile_range"] == pytest.approx(spread, rel=1e-12)
