"""Errors and degrees of freedom for few clusters and rare classes, by loops over clusters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from over_data import metric_ci
from scipy import special, stats
from statsmodels.stats.proportion import proportion_confint

import halfwidth as hw
from halfwidth.core.spec import Metric
from halfwidth.metrics.averaging import CountingFinish
from halfwidth.metrics.building import weighted_counting_statistic
from halfwidth.resampling.designs import arrange
from halfwidth.resampling.engine import leave_one_out

Array = NDArray[Any]

SIZES = {
    "2 clusters": [3, 5],
    "equal": [4] * 12,
    "unequal": [1, 2, 2, 3, 5, 1, 9, 4],
    "one large": [60, 1, 2, 1, 3, 2],
    "many": [1, 2, 3, 4] * 30,
}


def labels(sizes: list[int]) -> NDArray[np.intp]:
    return np.repeat(np.arange(len(sizes)), sizes)


def clustered(sizes: list[int], seed: int = 0) -> tuple[Array, Array]:
    """Values that resemble each other within clusters, in mixed order."""
    generator, groups = np.random.default_rng([seed, *sizes[:5]]), labels(sizes)
    values = generator.normal(size=len(sizes))[groups] + generator.normal(size=len(groups))
    order = generator.permutation(len(groups))
    return values[order], groups[order]


def kish(weights: Array) -> float:
    return float(weights.sum() ** 2 / (weights**2).sum())


def jackknife_error(statistic: Any, groups: Array, *cases: Array) -> float:
    """√((G - 1)/G Σ (θ₋g - θ̂)²), deleting one cluster after the other."""
    everything = statistic(*cases)
    left_out = [statistic(*(one[groups != g] for one in cases)) for g in np.unique(groups)]
    share = (len(left_out) - 1) / len(left_out)
    return math.sqrt(share * sum((value - everything) ** 2 for value in left_out))


# --------------------------------------------------------------------------- means


@pytest.mark.parametrize("kind", SIZES)
def test_t_has_the_error_of_a_jackknife_over_clusters(kind: str) -> None:
    values, groups = clustered(SIZES[kind])
    error = jackknife_error(np.mean, groups, values)
    # The same as CR3 of the regression on a constant: residuals of a cluster over 1 - n_g/n.
    sizes, residuals = np.bincount(groups), np.bincount(groups, values - values.mean())
    n, clusters = len(values), len(sizes)
    by_leverage = (clusters - 1) / clusters * ((residuals / (n - sizes)) ** 2).sum()
    assert error == pytest.approx(math.sqrt(by_leverage), rel=1e-12)
    degrees = max(kish(sizes.astype(float)) - 1, 1.0)
    for level in (0.5, 0.95, 0.99):
        got = hw.summary_ci(values, groups=groups, method="t", confidence_level=level)
        reach = stats.t.ppf((1 + level) / 2, degrees) * error
        assert got.standard_error == pytest.approx(error, rel=1e-10)
        wanted = (values.mean() - reach, values.mean() + reach)
        assert (got.low, got.high) == pytest.approx(wanted, rel=1e-10)


def test_t_of_clusters_of_one_size_is_the_textbook_one() -> None:
    values, groups = clustered(SIZES["equal"])
    ours, textbook = (
        hw.summary_ci(values, groups=groups, method=method) for method in ("t", "cluster_robust_t")
    )
    assert (ours.low, ours.high) == pytest.approx((textbook.low, textbook.high), rel=1e-12)


def test_t_of_independent_cases_and_strata_is_the_textbook_one() -> None:
    values, strata = clustered(SIZES["unequal"])[0], np.arange(27) % 3
    for given in (None, strata):
        options: dict[str, Any] = {"strata": given}
        ours = hw.summary_ci(values, method="t", **options)
        textbook = hw.summary_ci(values, method="cluster_robust_t", **options)
        assert (ours.low, ours.high) == (textbook.low, textbook.high)


STRATA = np.array([0, 0, 0, 1, 1, 1, 1, 1])


def test_t_of_clusters_within_strata_compares_those_of_a_stratum() -> None:
    values, groups = clustered(SIZES["unequal"])
    strata = STRATA[groups]
    left_out = np.array([values[groups != g].mean() for g in range(8)])
    variance, degrees = 0.0, 0.0
    for h in (0, 1):
        own = left_out[h == STRATA]
        variance += (7 / 8) ** 2 * len(own) * own.var(ddof=1)
        degrees += kish(np.bincount(groups)[h == STRATA].astype(float)) - 1
    got = hw.summary_ci(values, groups=groups, strata=strata, method="t")
    reach = stats.t.ppf(0.975, degrees) * math.sqrt(variance)
    wanted = (values.mean() - reach, values.mean() + reach)
    assert (got.low, got.high) == pytest.approx(wanted, rel=1e-10)


def test_errors_of_equal_clusters_within_strata_are_the_textbook_ones() -> None:
    values, groups = clustered([3] * 8)
    strata = STRATA[groups]
    ours, textbook = (
        hw.summary_ci(values, groups=groups, strata=strata, method=method)
        for method in ("t", "cluster_robust_t")
    )
    assert (ours.low, ours.high) == pytest.approx((textbook.low, textbook.high), rel=1e-10)


# --------------------------------------------------------------------------- proportions

# Our methods by the names of statsmodels.
PROPORTIONS = {
    "wilson": "wilson",
    "wald": "normal",
    "agresti_coull": "agresti_coull",
    "clopper_pearson": "beta",
    "jeffreys": "jeffreys",
}


def hits(sizes: list[int], resemblance: float) -> tuple[Array, Array]:
    """Right and wrong cases, whose share of right ones varies between clusters."""
    generator, groups = np.random.default_rng([3, *sizes[:4]]), labels(sizes)
    one, two = 0.8 * (1 / resemblance - 1), 0.2 * (1 / resemblance - 1)
    chance = generator.beta(one, two, len(sizes))[groups]
    return (generator.uniform(size=len(groups)) < chance).astype(float), groups


def trials_by_resemblance(values: Array, groups: Array) -> float:
    """n / (1 + ρ(Σn_g²/n - 1)), ρ = (F - 1)/(F - 1 + n₀) of the analysis of variance by SciPy."""
    sizes, n = np.bincount(groups), len(values)
    f = stats.f_oneway(*(values[groups == g] for g in range(len(sizes)))).statistic
    typical = (n - (sizes**2).sum() / n) / (len(sizes) - 1)
    correlation = min(max((f - 1) / (f - 1 + typical), 0.0), 1.0)
    return float(n / (1 + correlation * ((sizes**2).sum() / n - 1)))


def for_few(level: float, degrees_of_freedom: float) -> float:
    """Korn and Graubard's factor of the trials: (z/t)²."""
    tail = (1 - level) / 2
    return float((stats.norm.isf(tail) / stats.t.isf(tail, degrees_of_freedom)) ** 2)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("method", PROPORTIONS)
@pytest.mark.parametrize("resemblance", [0.2, 0.6])
@pytest.mark.parametrize("kind", ["equal", "unequal", "one large", "many"])
@pytest.mark.filterwarnings("ignore:all input arrays have length 1")
def test_proportion_counts_as_many_trials_as_would_be_known_as_well(
    kind: str, resemblance: float, method: str
) -> None:
    values, groups = hits(SIZES[kind], resemblance)
    p, clusters = values.mean(), len(SIZES[kind])
    known = p * (1 - p) / jackknife_error(np.mean, groups, values) ** 2
    trials = min(known, trials_by_resemblance(values, groups), len(values))
    for level in (0.8, 0.95):
        left = trials * for_few(level, clusters - 1)
        low, high = proportion_confint(p * left, left, 1 - level, PROPORTIONS[method])
        got = hw.summary_ci(values, groups=groups, method=method, confidence_level=level)
        # statsmodels cuts Wald's and Agresti and Coull's bounds to [0, 1].
        assert (max(got.low, 0.0), min(got.high, 1.0)) == pytest.approx((low, high), rel=1e-9)


def test_within_strata_a_proportion_has_the_trials_of_its_robust_error() -> None:
    values, groups = hits(SIZES["unequal"], 0.6)
    strata = STRATA[groups]
    p = values.mean()
    mean = hw.summary_ci(values, groups=groups, strata=strata, method="t")
    degrees = sum(kish(np.bincount(groups)[h == STRATA].astype(float)) - 1 for h in (0, 1))
    left = min(p * (1 - p) / mean.standard_error**2, len(values)) * for_few(0.95, degrees)
    got = hw.summary_ci(values, groups=groups, strata=strata, method="wilson")
    wanted = proportion_confint(p * left, left, 0.05, "wilson")
    assert (got.low, got.high) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("right", [False, True])
def test_unequal_clusters_all_alike_are_as_many_trials_as_they_weigh(right: bool) -> None:
    sizes = SIZES["one large"]
    trials = kish(np.array(sizes, float))
    wanted = proportion_confint(right * trials, trials, 0.05, "wilson")
    got = hw.summary_ci([right] * sum(sizes), groups=labels(sizes))
    assert (got.low, got.high) == pytest.approx(wanted, rel=1e-10, abs=1e-12)


# --------------------------------------------------------------------------- AUROC


def area(truth: Array, score: Array) -> float:
    p, q = score[truth == 1][:, None], score[truth == 0][None]
    return float(np.where(p > q, 1.0, np.where(p == q, 0.5, 0.0)).mean())


def class_variances(truth: Array, score: Array) -> tuple[float, float]:
    """V₁ and V₀ from the components of each positive and each negative case."""
    p, q = score[truth == 1][:, None], score[truth == 0][None]
    psi = np.where(p > q, 1.0, np.where(p == q, 0.5, 0.0))
    return tuple(np.var(psi.mean(axis=k), ddof=1) / psi.shape[1 - k] for k in (1, 0))


def cases(seed: int, positives: int, negatives: int) -> tuple[Array, Array]:
    truth = np.repeat([1, 0], [positives, negatives])
    generator = np.random.default_rng(seed)
    return truth, np.round(truth + generator.normal(size=len(truth)), 1)


def on_logit(value: float, error: float, degrees: float, level: float = 0.95) -> Array:
    reach = stats.t.ppf((1 + level) / 2, degrees) * error / (value * (1 - value))
    return np.asarray(special.expit(special.logit(value) + np.array([-reach, reach])))


@pytest.mark.parametrize(("positives", "negatives"), [(2, 7), (5, 95), (12, 30), (40, 8)])
def test_rare_class_gives_satterthwaites_degrees_of_freedom(positives: int, negatives: int) -> None:
    truth, score = cases(positives, positives, negatives)
    one, other = class_variances(truth, score)
    degrees = (one + other) ** 2 / (one**2 / (positives - 1) + other**2 / (negatives - 1))
    got: Any = metric_ci(truth, score, metric="auroc", scores="any", method="delong_logit_t")
    wanted = on_logit(area(truth, score), math.sqrt(one + other), degrees)
    np.testing.assert_allclose([got.low, got.high], wanted, rtol=1e-10)
    upper: Any = metric_ci(
        *(truth, score),
        metric="auroc",
        scores="any",
        method="delong_logit_t",
        confidence_level=0.975,
        alternative="upper",
    )
    assert (upper.low, upper.high) == (0.0, pytest.approx(wanted[1], rel=1e-10))


def test_components_of_a_worked_example() -> None:
    # Positives .9, .6, .4 over negatives .5, .3, .1: components 1, 1, 2/3 and 2/3, 1, 1, each with
    # the variance 1/27. Both parts are v = 1/81, the area is 8/9, and df = (2v)²/(v²/2 + v²/2) = 4.
    truth, score = [1, 1, 1, 0, 0, 0], [0.9, 0.6, 0.4, 0.5, 0.3, 0.1]
    got: Any = metric_ci(truth, score, metric="auroc", method="delong_logit_t")
    assert got.value == pytest.approx(8 / 9)
    assert got.standard_error == pytest.approx(math.sqrt(2 / 81))
    np.testing.assert_allclose([got.low, got.high], on_logit(8 / 9, math.sqrt(2 / 81), 4))


@pytest.mark.parametrize("seed", range(6))
def test_auroc_of_clusters_has_the_error_of_a_jackknife(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sizes = [2, 3, 3, 5, 8, 9, 12, 20]
    groups = labels(sizes)
    truth = generator.integers(0, 2, len(groups))
    effect = generator.normal(size=8)[groups]
    score = np.round(truth + effect + generator.normal(size=len(groups)), 1)
    error = jackknife_error(area, groups, truth, score)
    # Sums of components by cluster, as in Obuchowski (1997), and the weight of each class.
    psi_truth = [truth == 1, truth == 0]
    p, q = score[psi_truth[0]][:, None], score[psi_truth[1]][None]
    psi = np.where(p > q, 1.0, np.where(p == q, 0.5, 0.0))
    variances, effective = [], []
    for own, means in zip(psi_truth, (psi.mean(axis=1), psi.mean(axis=0)), strict=True):
        sums = np.bincount(groups[own], means - psi.mean(), minlength=8) / own.sum()
        counts = np.bincount(groups[own], minlength=8)
        held = (counts > 0).sum()
        variances.append(held / (held - 1) * (sums**2).sum())
        effective.append(kish(counts.astype(float)))
    degrees = sum(variances) ** 2 / sum(
        v**2 / (k - 1) for v, k in zip(variances, effective, strict=True)
    )
    degrees = max(min(degrees, kish(np.array(sizes, float)) - 1), 1.0)
    got: Any = metric_ci(
        truth, score, metric="auroc", scores="any", method="delong_logit_t", groups=groups
    )
    assert got.standard_error == pytest.approx(error, rel=1e-10)
    np.testing.assert_allclose(
        [got.low, got.high], on_logit(area(truth, score), error, degrees), rtol=1e-9
    )


def test_class_in_a_single_cluster_has_no_error_and_auto_takes_dirichlet() -> None:
    truth = np.array([1, 1, 0, 0, 0, 0, 0, 0])
    score = np.array([0.9, 0.4, 0.5, 0.3, 0.2, 0.1, 0.6, 0.2])
    groups = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    named: Any = metric_ci(truth, score, metric="auroc", groups=groups, method="delong_logit_t")
    assert math.isnan(named.low)
    chosen: Any = metric_ci(truth, score, metric="auroc", groups=groups)
    assert chosen.method == "dirichlet"
    assert chosen.low < chosen.value <= chosen.high


def test_weights_of_a_cell_that_a_cluster_takes_along_leave_nothing_behind() -> None:
    generator, wrong = np.random.default_rng(0), 0
    metric = Metric(hw.SAMPLE_METRICS["sensitivity"], {})
    statistic = weighted_counting_statistic(metric, CountingFinish(metric, 2, "binary", 1), "omit")
    for _ in range(50):
        truth, said = generator.integers(0, 2, (2, 40))
        groups = np.where(truth == 1, 0, generator.integers(1, 8, 40))
        records = np.stack([2.0 * truth + said, np.round(generator.uniform(0.1, 1, 40), 2)])
        arranged, design = arrange(records, groups, None, paired=True)
        left = leave_one_out(arranged[None], design, statistic)[0]
        (unit,) = np.flatnonzero(arranged[0, design.first_cases] >= 2)
        wrong += not np.isnan(left[unit])
    assert not wrong
