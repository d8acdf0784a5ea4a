"""Bootstrap intervals, against scipy.stats.bootstrap on other and on identical replicates."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import halfwidth as hw
from halfwidth.core.types import Alternative
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Replicates
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import acceleration, bootstrap_distribution

Array = NDArray[np.float64]
Reduces = Callable[..., Any]
Method = Literal["percentile", "basic", "BCa"]

RESAMPLES = 9999


def sd(values: Array, axis: int = -1) -> Any:
    return np.std(values, axis=axis, ddof=1)


def trimmed(values: Array, axis: int = -1) -> Any:
    return stats.trim_mean(values, 0.25, axis=axis)


def ninth_decile(values: Array, axis: int = -1) -> Any:
    return np.quantile(values, 0.9, axis=axis)


# Our name, and the statistic by NumPy or SciPy.
STATISTICS: dict[str, Reduces] = {
    "mean": np.mean,
    "sd": sd,
    "trimmed_mean": trimmed,
    "median": np.median,
    "quantile:0.9": ninth_decile,
    "iqr": stats.iqr,
}
DRAWN = [name for name in STATISTICS if name not in {"median", "quantile:0.9"}]
METHODS: list[Method] = ["percentile", "basic", "BCa"]
SAMPLES = {
    "dice of 25": np.random.default_rng(1).beta(8, 1.5, 25),
    "dice of 60": np.random.default_rng(2).beta(8, 1.5, 60),
    "long tail of 41": np.random.default_rng(3).lognormal(0, 1, 41),
}


def scipy_bootstrap(
    values: Array,
    name: str,
    method: Method,
    confidence: float,
    replicates: Array | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
) -> Any:
    """SciPy's interval; from the given replicates, or from draws of its own."""
    own: Any = {"n_resamples": RESAMPLES, "rng": np.random.default_rng(99)}
    given: Any = {
        "n_resamples": 0,
        "bootstrap_result": SimpleNamespace(bootstrap_distribution=replicates),
    }
    return stats.bootstrap(
        (values,),
        STATISTICS[name],
        method=method,
        confidence_level=confidence,
        alternative=alternative,
        **(own if replicates is None else given),
    )


def plain_acceleration(values: Array, reduce: Reduces) -> float:
    """Efron & Tibshirani (1993), eqn 14.15, from a jackknife in a plain loop."""
    left_out = np.array([float(reduce(np.delete(values, i))) for i in range(len(values))])
    d = left_out.mean() - left_out
    return float((d**3).sum() / (6 * (d**2).sum() ** 1.5))


# --------------------------------------------------------------------------- other replicates


def bca_share(bias: float, a: float, tail: float) -> float:
    shifted = bias + float(stats.norm.ppf(tail))
    return float(stats.norm.cdf(bias + shifted / (1 - a * shifted)))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", STATISTICS)
def test_bounds_agree_with_scipys_within_monte_carlo_error(
    name: str, method: Method, sample: str
) -> None:
    # A percentile bound at share p of B replicates has an SD of √(p(1-p)/B)/f, f their density.
    # Seen on the scale of shares of SciPy's replicates f cancels: that of our bound deviates from
    # SciPy's by the two errors √(p(1-p)/B). BCa's p itself has the error of its z₀, whose share
    # s has √(s(1-s)/B). Six of these allowed: false alarm 2e-9 a bound, 2e-7 for all 108.
    values, reduce = SAMPLES[sample], STATISTICS[name]
    estimate = float(reduce(values))
    for confidence in (0.95,):
        theirs = scipy_bootstrap(values, name, method, confidence)
        replicates = np.sort(theirs.bootstrap_distribution)
        ours = hw.summary_ci(
            values,
            statistic=name,
            method=method.lower(),
            confidence_level=confidence,
            n_resamples=RESAMPLES,
            rng=5,
        )
        assert ours.value == pytest.approx(estimate, rel=1e-12)
        tails = ((1 - confidence) / 2, (1 + confidence) / 2)
        for tail, ours_at, theirs_at in zip(
            tails, (ours.low, ours.high), theirs.confidence_interval, strict=True
        ):
            error_of_share, share, ours_of, theirs_of = 0.0, tail, ours_at, theirs_at
            if method == "basic":
                share, ours_of, theirs_of = (
                    1 - tail,
                    2 * estimate - ours_at,
                    2 * estimate - theirs_at,
                )
            elif method == "BCa":
                a = plain_acceleration(values, reduce)
                below = np.mean(replicates < estimate) / 2 + np.mean(replicates <= estimate) / 2
                bias = float(stats.norm.ppf(below))
                share = bca_share(bias, a, tail)
                slope = (bca_share(bias + 1e-4, a, tail) - bca_share(bias - 1e-4, a, tail)) / 2e-4
                of_bias = math.sqrt(below * (1 - below) / RESAMPLES) / float(stats.norm.pdf(bias))
                error_of_share = abs(slope) * of_bias
            # SciPy's bound is where the share says: the comparison is with SciPy, not with us.
            assert theirs_of == pytest.approx(float(np.quantile(replicates, share)), rel=1e-9)
            one = math.sqrt(share * (1 - share) / RESAMPLES) + error_of_share
            allowed = 6 * math.sqrt(2) * one
            rounding = 1e-9 * abs(estimate)
            assert np.mean(replicates < ours_of - rounding) <= share + allowed
            assert np.mean(replicates <= ours_of + rounding) >= share - allowed


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", STATISTICS)
def test_standard_error_is_the_sd_of_scipys_replicates(name: str) -> None:
    # The SD of B replicates has a relative SE of √((κ - 1)/(4B)), κ their kurtosis; six of the two
    # together: false alarm 2e-9 each.
    for sample, values in SAMPLES.items():
        theirs = scipy_bootstrap(values, name, "percentile", 0.95)
        kurtosis = float(stats.kurtosis(theirs.bootstrap_distribution, fisher=False))
        allowed = 6 * math.sqrt(2 * (kurtosis - 1) / (4 * RESAMPLES))
        ours = hw.summary_ci(values, statistic=name, method="percentile", rng=6)
        assert ours.standard_error == pytest.approx(theirs.standard_error, rel=allowed), sample


# --------------------------------------------------------------------------- same replicates


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("alternative", "scipys"), [("two-sided", "two-sided"), ("lower", "greater"), ("upper", "less")]
)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", DRAWN)
def test_scipy_makes_the_same_interval_of_the_same_replicates(
    name: str,
    method: Method,
    alternative: Alternative,
    scipys: Literal["two-sided", "greater", "less"],
) -> None:
    statistic = resolve_statistic(name)
    for values in SAMPLES.values():
        ordered, design = np.sort(values)[None], Design.iid(len(values))
        made = bootstrap_distribution(ordered, design, statistic, Plan(8, RESAMPLES))
        assert isinstance(made, Replicates)
        # SciPy knows ties only where they are exact; ours are ties within 1e-12.
        estimate = float(STATISTICS[name](values))
        tied = np.abs(made.ordered[0] - estimate) < 1e-12
        replicates = np.where(tied, estimate, made.ordered[0])
        for confidence in (0.8, 0.99):
            theirs = scipy_bootstrap(values, name, method, confidence, replicates, scipys)
            ours = hw.summary_ci(
                values,
                statistic=name,
                method=method.lower(),
                confidence_level=confidence,
                alternative=alternative,
                n_resamples=RESAMPLES,
                rng=8,
                bounds=(-math.inf, math.inf),
            )
            wanted = list(theirs.confidence_interval)
            if statistic.spec.name in {"sd", "iqr"} and alternative == "upper":
                wanted[0] = 0.0  # the end of the range of a spread
            assert [ours.low, ours.high] == pytest.approx(wanted, rel=1e-10)
            assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-10)


def test_undefined_replicates_are_left_out_and_counted() -> None:
    # SciPy's quantiles of the replicates that are defined; its bootstrap gives NaN for all.
    generator = np.random.default_rng(4)
    rows = generator.normal(size=(3, 500))
    rows[0, ::7], rows[1, :490], rows[2] = np.nan, np.nan, np.nan
    made = Replicates.sorting(rows.copy())
    np.testing.assert_array_equal(made.n_undefined, np.isnan(rows).sum(axis=-1))
    for p in (0.025, 0.3, 0.975):
        wanted = [np.quantile(row[~np.isnan(row)], p) for row in rows[:2]]
        got = made.quantile(p)
        np.testing.assert_allclose(got[:2], wanted, rtol=1e-12)
        assert np.isnan(got[2])
    np.testing.assert_allclose(made.mean()[:2], np.nanmean(rows[:2], axis=-1), rtol=1e-12)
    np.testing.assert_allclose(
        made.standard_deviation()[:2], np.nanstd(rows[:2], axis=-1, ddof=1), rtol=1e-12
    )


def test_share_below_counts_half_of_the_ties() -> None:
    # scipy.stats.percentileofscore(kind="mean") is the mid proportion.
    values = np.random.default_rng(5).integers(0, 6, (4, 301)) / 4
    made = Replicates.sorting(values.copy())
    for score in (0.0, 0.25, 0.6, 1.25, 2.0):
        wanted = [stats.percentileofscore(row, score, kind="mean") / 100 for row in values]
        got = made.share_below(np.full(4, score), np.full(4, 1e-12))
        np.testing.assert_allclose(got, wanted, rtol=1e-13)


# --------------------------------------------------------------------------- acceleration


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", STATISTICS)
def test_acceleration_is_that_of_a_plain_jackknife(name: str) -> None:
    generator = np.random.default_rng(6)
    for n in (4, 5, 8, 25, 60, 101):
        batch = np.stack(
            [
                generator.beta(8, 1.5, n),
                generator.lognormal(0, 1, n),
                100 + generator.gamma(0.5, size=n),
                generator.normal(size=n) * 1e-9,
            ]
        )
        got = acceleration(
            np.sort(batch, axis=-1), Design.iid(batch.shape[-1]), resolve_statistic(name)
        )
        for row, values in enumerate(batch):
            wanted = plain_acceleration(values, STATISTICS[name])
            assert got[row] == pytest.approx(wanted, rel=1e-6, abs=1e-9), (n, row)


def test_acceleration_of_a_mean_is_a_sixth_of_the_skewness_over_root_n() -> None:
    for values in SAMPLES.values():
        wanted = float(stats.skew(values)) / (6 * math.sqrt(len(values)))
        got = acceleration(
            np.sort(values)[None], Design.iid(len(values)), resolve_statistic("mean")
        )
        assert got[0] == pytest.approx(wanted, rel=1e-9)


def test_acceleration_of_the_median_is_zero_for_even_n() -> None:
    # STATISTICS §3: half of the leave-one-out medians lie on either side, equally far.
    for n in (4, 10, 60):
        values = np.sort(np.random.default_rng(n).normal(size=n))
        got = acceleration(values[None], Design.iid(values.shape[-1]), resolve_statistic("median"))
        assert got[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", STATISTICS)
def test_bca_is_undefined_where_the_jackknife_variance_vanishes(name: str) -> None:
    equal = np.full(30, 0.8)
    # The values about the centre are equal, so that leaving one case out moves nothing.
    centre = np.sort(np.r_[np.linspace(0, 0.4, 10), np.full(20, 0.7), np.linspace(0.8, 1, 10)])
    cases = [equal, centre] if name == "median" else [equal]
    for values in cases:
        got = hw.summary_ci(values, metric="dsc", statistic=name, method="bca", rng=1)
        assert math.isnan(got.low)
        assert math.isnan(got.high)
        assert got.cautions
        # Where it does not vanish it is defined: the test above is not about the sample's size.
        spread = hw.summary_ci(
            np.linspace(0.1, 0.9, 30) ** 2, metric="dsc", statistic=name, method="bca", rng=1
        )
        assert spread.low < spread.high


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["mean", "sd", "trimmed_mean", "median", "iqr"])
def test_bootstrap_of_equal_values_is_a_point(name: str) -> None:
    # Every resample of equal values is the sample, so every replicate is the estimate.
    for value in (0.1, 0.7, 1 / 3, 61.7):
        for n in (10, 12, 31, 61, 97):
            values = np.full(n, value)
            for method in ("percentile", "basic"):
                got = hw.summary_ci(values, statistic=name, method=method, rng=1, n_resamples=500)
                assert (got.low, got.high) == (got.value, got.value)
                assert got.standard_error == 0
