"""`bca_expanded` against SciPy's BCa of the same replicates at the levels of Hesterberg (2015)."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import halfwidth as hw
from halfwidth.core.types import Alternative
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.distribution import Replicates
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import bootstrap_distribution

Array = NDArray[np.float64]
ScipysAlternative = Literal["two-sided", "greater", "less"]
SIDES: list[tuple[Alternative, ScipysAlternative]] = [
    ("two-sided", "two-sided"),
    ("lower", "greater"),
    ("upper", "less"),
]
RESAMPLES = 999
SAMPLES = {
    "12 of one tail": np.random.default_rng(1).beta(8, 1.5, 12),
    "40 of a long tail": np.random.default_rng(2).lognormal(0, 1, 40),
}


def sd(values: Array, axis: int = -1) -> Any:
    return np.std(values, axis=axis, ddof=1)


def ratio(totals: Array, sizes: Array, axis: int = -1) -> Any:
    return totals.sum(axis=axis) / sizes.sum(axis=axis)


def expanded_level(confidence: float, n: int, alternative: str) -> float:
    """The level at which a normal quantile is √(n/(n - 1)) times that of t."""
    tail = (1 - confidence) / (2 if alternative == "two-sided" else 1)
    reach = math.sqrt(n / (n - 1)) * float(stats.t.ppf(tail, n - 1))
    share = float(stats.norm.cdf(reach))
    return 1 - share * (2 if alternative == "two-sided" else 1)


def scipys(
    samples: tuple[Array, ...],
    statistic: Any,
    n: int,
    replicates: Array,
    confidence: float,
    alternative: ScipysAlternative,
) -> list[float]:
    given: Any = {
        "n_resamples": 0,
        "bootstrap_result": SimpleNamespace(bootstrap_distribution=replicates),
    }
    made: Any = stats.bootstrap(
        samples,
        statistic,
        paired=len(samples) > 1,
        method="BCa",
        confidence_level=expanded_level(confidence, n, alternative),
        alternative=alternative,
        **given,
    )
    return list(made.confidence_interval)


def replicates_of(values: Array, design: Design, name: str, estimate: float) -> Array:
    made = bootstrap_distribution(values[None], design, resolve_statistic(name), Plan(8, RESAMPLES))
    assert isinstance(made, Replicates)
    # SciPy knows ties only where they are exact; ours are ties within 1e-12.
    tied = np.abs(made.ordered[0] - estimate) < 1e-12
    return np.asarray(np.where(tied, estimate, made.ordered[0]))


@pytest.mark.parametrize(("alternative", "theirs"), SIDES)
@pytest.mark.parametrize(("name", "reduce"), [("mean", np.mean), ("sd", sd)])
def test_it_is_scipys_bca_at_the_expanded_level(
    name: str, reduce: Any, alternative: Alternative, theirs: ScipysAlternative
) -> None:
    for values in SAMPLES.values():
        n, estimate = len(values), float(reduce(values))
        replicates = replicates_of(np.sort(values), Design.iid(n), name, estimate)
        for confidence in (0.5, 0.9, 0.95):
            wanted = scipys((values,), reduce, n, replicates, confidence, theirs)
            got = hw.summary_ci(
                values,
                statistic=name,
                method="bca_expanded",
                confidence_level=confidence,
                alternative=alternative,
                n_resamples=RESAMPLES,
                rng=8,
                bounds=(-math.inf, math.inf),
            )
            if name == "sd" and alternative == "upper":
                wanted[0] = 0.0  # the end of the range of a spread
            assert [got.low, got.high] == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize(("alternative", "theirs"), SIDES)
def test_of_clusters_n_is_their_number(alternative: Alternative, theirs: ScipysAlternative) -> None:
    generator = np.random.default_rng(3)
    groups = np.repeat(np.arange(9), [1, 2, 2, 3, 5, 1, 9, 4, 3])
    cases = generator.beta(8, 1.5, len(groups)) + 0.1 * generator.normal(size=9)[groups]
    values, design = arrange(cases, groups)
    totals = np.bincount(groups, cases).astype(float)
    sizes = np.bincount(groups).astype(float)
    replicates = replicates_of(values, design, "mean", float(ratio(totals, sizes)))
    wanted = scipys((totals, sizes), ratio, 9, replicates, 0.95, theirs)
    got = hw.summary_ci(
        cases,
        groups=groups,
        method="bca_expanded",
        alternative=alternative,
        n_resamples=RESAMPLES,
        rng=8,
        bounds=(-math.inf, math.inf),
    )
    assert [got.low, got.high] == pytest.approx(wanted, rel=1e-10)


def test_each_stratum_costs_a_degree_of_freedom() -> None:
    values, strata = SAMPLES["40 of a long tail"], np.arange(40) % 4
    expanded = hw.summary_ci(values, strata=strata, method="bca_expanded", rng=1)
    reach = math.sqrt(40 / 36) * float(stats.t.ppf(0.025, 36))
    level = 1 - 2 * float(stats.norm.cdf(reach))
    plain = hw.summary_ci(values, strata=strata, method="bca", confidence_level=level, rng=1)
    assert (expanded.low, expanded.high) == pytest.approx((plain.low, plain.high), rel=1e-12)


def test_of_a_proportion_known_by_its_counts() -> None:
    reach = math.sqrt(50 / 49) * float(stats.t.ppf(0.025, 49))
    level = 1 - 2 * float(stats.norm.cdf(reach))
    plain = hw.proportion_ci(45, 50, method="bca", confidence_level=level)
    expanded = hw.proportion_ci(45, 50, method="bca_expanded")
    assert (expanded.low, expanded.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
