"""Standard errors between batches, and what sharing draws does to coverages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from smallstudies import cells_of_values, rows_of

from halfwidth.study.simulation.performance import IDENTITY

IDENTIFIED = [name for name in IDENTITY if name not in ("n", "confidence_level")]


@pytest.mark.slow
def test_errors_between_batches_are_those_between_repeated_runs() -> None:
    """The variance of a coverage over 40 seeds against the mean of its squared standard errors.

    With 19 resamples, shared by 100 samples, it is three times the binomial one. The bounds hold
    for F(39, 360) but in 1 of 10 000 cases each; four ratios are tested.
    """
    runs, batches = 40, 10
    found: dict[Any, list[tuple[float, float]]] = {}
    for seed in range(runs):
        cells = cells_of_values(
            {"family": "normal"},
            seed=seed,
            sizes=[10],
            samples=1000,
            batches=batches,
            resamples=19,
            statistics=["mean"],
            methods=["percentile", "basic"],
            levels=[0.5, 0.9],
        )
        for row in rows_of(cells):
            key = (row["method"], row["confidence_level"])
            found.setdefault(key, []).append((row["coverage"], row["coverage_se"]))
    assert len(found) == 4
    known = stats.f(runs - 1, runs * (batches - 1))
    for (_, level), pairs in found.items():
        coverages, errors = np.array(pairs).T
        ratio = coverages.var(ddof=1) / (errors**2).mean()
        assert known.ppf(1e-4) < ratio < known.isf(1e-4)
        if level == 0.9:
            binomial = coverages.mean() * (1 - coverages.mean()) / 1000
            assert (errors**2).mean() > 2 * binomial


@pytest.mark.parametrize(
    "population",
    [{"family": "lognormal"}, pytest.param({"family": "normal"}, marks=pytest.mark.slow)],
    ids=["lognormal", "normal"],
)
def test_shared_draws_give_the_coverage_of_draws_of_ones_own(population: dict[str, Any]) -> None:
    """Ten batches against a batch for each sample.

    A difference of 6 standard errors, of which one has but 9 degrees of freedom, comes by chance
    with a probability below 2e-4; there are 12 for each population.
    """
    samples = 200

    def rows(batches: int) -> list[dict[str, Any]]:
        cells = cells_of_values(
            population,
            sizes=[15],
            samples=samples,
            batches=batches,
            resamples=99,
            statistics=["mean", "sd"],
            methods=["percentile", "basic", "bca"],
        )
        return rows_of(cells)

    shared, alone = rows(10), rows(samples)
    assert len(shared) == 6
    for one, other in zip(shared, alone, strict=True):
        assert [one[name] for name in IDENTIFIED] == [other[name] for name in IDENTIFIED]
        share = other["coverage"]
        binomial = math.sqrt(share * (1 - share) / (samples - 1))
        assert other["coverage_se"] == pytest.approx(binomial, rel=1e-12)
        error = math.hypot(one["coverage_se"], other["coverage_se"])
        assert abs(one["coverage"] - share) < 6 * error
        # Widths vary by less than 0.6 of themselves: 0.6 √(2/200) is 6 %.
        assert one["width_mean"] == pytest.approx(other["width_mean"], rel=0.3)


def test_what_draws_nothing_has_the_binomial_error_but_for_chance() -> None:
    """T of independent samples: 99 degrees of freedom, χ² bounds of 1e-4 on either side."""
    cells = cells_of_values(
        {"family": "normal"},
        sizes=[10],
        samples=2000,
        batches=100,
        levels=[0.8],
        statistics=["mean"],
        methods=["t"],
    )
    (row,) = rows_of(cells)
    ratio = row["coverage_se"] ** 2 / (row["coverage"] * (1 - row["coverage"]) / 2000)
    known = stats.chi2(99)
    assert known.ppf(1e-4) < 99 * ratio < known.isf(1e-4)
