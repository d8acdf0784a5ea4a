"""How often intervals of clustered cases hold the true value, in simulations with fixed seeds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from halfwidth import METHODS
from halfwidth.core.types import UNBOUNDED, UNIT_INTERVAL, Array, Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.designs import Codes, Design, arrange
from halfwidth.resampling.draws import Plan

# Coverages of thousands of samples: a minute and a half in all.
pytestmark = pytest.mark.slow

Covered = NDArray[np.bool_]

FALSE_ALARM = 1e-6
RESAMPLES = 999


def covered(
    values: Array,
    truth: float,
    methods: list[str],
    design: Design | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    binary: bool = False,
) -> dict[str, Covered]:
    """Whether the interval of each sample, by each method, holds the truth."""
    made = intervals(
        values,
        resolve_statistic("mean"),
        [METHODS[name] for name in methods],
        Level(level),
        bounds=UNIT_INTERVAL if binary else UNBOUNDED,
        plan=Plan(seed, RESAMPLES),
        design=design,
        binary=binary,
    )
    # Bounds at 0 and at 1 are there but for rounding.
    return {
        name: (one.interval.low <= truth + 1e-12) & (truth - 1e-12 <= one.interval.high)
        for name, one in zip(methods, made, strict=True)
    }


def in_order(
    samples: Array, groups: Codes | None, strata: Codes | None = None
) -> tuple[Array, Design]:
    """Samples with the same clusters and strata, each in canonical order."""
    made = [arrange(sample, groups, strata) for sample in samples]
    (design,) = {design for _, design in made}
    return np.stack([values for values, _ in made]), design


def binomial_range(share: float, trials: int) -> tuple[float, float]:
    """Shares outside which a binomial falls with the false-alarm probability, both sides."""
    low, high = (float(stats.binom.isf(p, trials, share)) for p in (1 - 5e-7, 5e-7))
    return low / trials, high / trials


def assert_more_often(these: Covered, those: Covered) -> None:
    """The first covers more often, on the same samples: sign test, false alarm 1e-6."""
    only_first, only_second = int((these & ~those).sum()), int((those & ~these).sum())
    assert (
        stats.binomtest(only_first, only_first + only_second, alternative="greater").pvalue
        < FALSE_ALARM
    )


def normal_clusters(
    generator: np.random.Generator, samples: int, clusters: int, size: int, resemblance: float = 0.5
) -> Array:
    """Cases of mean 0 and variance 1; the resemblance is the intra-class correlation."""
    own = np.sqrt(resemblance) * generator.normal(size=(samples, clusters, 1))
    rest = np.sqrt(1 - resemblance) * generator.normal(size=(samples, clusters, size))
    return np.asarray((own + rest).reshape(samples, clusters * size))


def batches(clusters: int, size: int, count: int) -> Iterator[tuple[int, Array]]:
    """Batches of 400 samples, which share their draws, each with a seed of its own."""
    for seed in range(count):
        generator = np.random.default_rng([seed, clusters, size])
        yield seed, normal_clusters(generator, 400, clusters, size)


def joined(parts: list[dict[str, Covered]]) -> dict[str, Covered]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


# --------------------------------------------------------------------------- a mean


@pytest.mark.parametrize("clusters", [2, 5, 15, 40])
def test_cluster_robust_t_is_exact_for_normal_clusters_of_one_size(clusters: int) -> None:
    # It is then Student's t of the cluster means. Binomial, false alarm 1e-6 each, 3e-6 a case.
    samples = 10_000
    generator = np.random.default_rng(clusters)
    values, design = in_order(
        normal_clusters(generator, samples, clusters, 4), np.repeat(np.arange(clusters), 4)
    )
    for level in (0.8, 0.95, 0.99):
        got = covered(values, 0.0, ["t"], design, level=level)["t"].mean()
        low, high = binomial_range(level, samples)
        assert low <= got <= high


@pytest.mark.parametrize("clusters", [15, 40])
def test_cluster_bootstraps_cover_a_normal_mean_where_those_of_cases_do_not(clusters: int) -> None:
    # Clusters of 5 with an intra-class correlation of 1/2: the variance of a mean is 3 times that
    # of independent cases, so that their intervals cover about P(|Z| < 1.96/√3) = .74.
    # A percentile interval lacks the factor √(G/(G - 1)) of the SE and the t quantile: it covers
    # about P(|T| < 1.96 √(1 - 1/G)), .940 at G = 40 and .921 at 15. BCa does as well.
    # Over 30 batches of 400 samples the standard error of a share is .003 for clusters and .006
    # for cases. The bounds, .02 and .05, are missed with probability below 1e-6 each; that leaves
    # .003 for what these approximations are wrong by.
    groups = np.repeat(np.arange(clusters), 5)
    by_cluster, by_case = [], []
    for seed, samples in batches(clusters, 5, 30):
        values, design = in_order(samples, groups)
        methods = ["t", "percentile", "bca", "studentized"]
        by_cluster.append(covered(values, 0.0, methods, design, seed=seed))
        by_case.append(covered(samples, 0.0, ["t", "percentile", "bca"], seed=seed))
    got, wrong = joined(by_cluster), joined(by_case)
    for name in wrong:
        assert 0.68 < wrong[name].mean() < 0.79
        assert_more_often(got[name], wrong[name])
    normal = 1.96 * np.sqrt(1 - 1 / clusters)
    expected = 1 - 2 * float(stats.t.sf(normal, clusters - 1))
    for name in ("percentile", "bca"):
        assert abs(got[name].mean() - expected) < 0.02
    for name in ("t", "studentized"):
        assert abs(got[name].mean() - 0.95) < 0.02


def test_textbook_t_and_studentized_cover_less_where_clusters_differ_in_size_and_t_does_not() -> (
    None
):
    # 20 clusters of 1 to 15 cases, which weigh like 12 equal ones. The shares are near .924, .936
    # and .909 for percentile, .95 for t, with a standard error of .003 over 20 batches: bounds of
    # .02 are missed with probability below 1e-6 each. Sign tests at 1e-6.
    sizes = np.resize([1, 2, 4, 8, 15], 20)
    groups = np.repeat(np.arange(20), sizes)
    parts = []
    for seed in range(20):
        generator = np.random.default_rng([seed, 1])
        own = generator.normal(size=(400, 20))[:, groups]
        samples = np.sqrt(0.5) * (own + generator.normal(size=(400, len(groups))))
        values, design = in_order(samples, groups)
        methods = ["t", "cluster_robust_t", "percentile", "studentized"]
        parts.append(covered(values, 0.0, methods, design, seed=seed))
    got = joined(parts)
    assert abs(got["t"].mean() - 0.95) < 0.02
    assert abs(got["cluster_robust_t"].mean() - 0.924) < 0.02
    assert abs(got["studentized"].mean() - 0.936) < 0.02
    assert_more_often(got["t"], got["cluster_robust_t"])
    assert_more_often(got["cluster_robust_t"], got["percentile"])


# Quantiles of a log-normal distribution, as in decision 0042.
UNEQUAL = {
    5: [2, 4, 7, 12, 27],
    10: [1, 3, 4, 5, 7, 8, 11, 15, 21, 38],
    20: [1, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 10, 12, 13, 16, 19, 23, 31, 52],
}


@pytest.mark.parametrize("share", [None, 0.5, 0.8], ids=["mean", "half", "four fifths"])
@pytest.mark.parametrize("clusters", UNEQUAL)
def test_few_unequal_clusters_that_resemble_themselves_are_covered(
    clusters: int, share: float | None
) -> None:
    # Intra-class correlation .8, at least 93 % wanted; 2000 samples, whose binomial falls short of
    # .93 by .028 with probability 1e-6. The textbook's t covers 87 to 90 % of the time.
    groups = np.repeat(np.arange(clusters), UNEQUAL[clusters])
    generator = np.random.default_rng(clusters)
    own = generator.normal(size=(2000, clusters))[:, groups]
    effect = np.sqrt(0.8) * own + np.sqrt(0.2) * generator.normal(size=(2000, len(groups)))
    if share is None:
        values, design = in_order(effect, groups)
        got = covered(values, 0.0, ["t", "cluster_robust_t"], design)
        assert got["t"].mean() > 0.93 - 0.028
        assert_more_often(got["t"], got["cluster_robust_t"])
        return
    below = float(stats.norm.ppf(share))
    values, design = in_order((effect < below).astype(float), groups)
    got = covered(values, share, ["wilson"], design, binary=True)
    assert got["wilson"].mean() > 0.93 - 0.028


def test_studentized_covers_the_mean_of_skewed_clusters_more_often_than_t_and_percentile() -> None:
    # Cluster effects with a long tail to the left, as failures of a model on some patients make.
    # Sign tests, false alarm 1e-6 each.
    groups = np.repeat(np.arange(20), 4)
    parts = []
    for seed in range(20):
        generator = np.random.default_rng([seed, 2])
        own = -generator.lognormal(0, 1, (400, 20))[:, groups]
        samples = own + generator.normal(size=(400, 80))
        values, design = in_order(samples, groups)
        truth = -float(np.exp(0.5))
        parts.append(covered(values, truth, ["studentized", "t", "percentile"], design, seed=seed))
    got = joined(parts)
    assert_more_often(got["studentized"], got["t"])
    assert_more_often(got["t"], got["percentile"])


@pytest.mark.parametrize("clustered", [False, True])
def test_strata_narrow_intervals_to_their_level(clustered: bool) -> None:
    # 4 strata of 10 units each, far apart. t is exact there (G - H degrees of freedom): binomial,
    # false alarm 1e-6. The percentile bootstrap covers about P(|T| < 1.96 √(1 - 1/10)) = .929; its
    # standard error over 12 batches is .004, and bounds of .024 are missed with probability below
    # 1e-6. Without strata intervals are several times too wide.
    size = 3 if clustered else 1
    of_unit = np.repeat(np.arange(4), 10)
    groups = np.repeat(np.arange(40), size) if clustered else None
    strata = np.repeat(of_unit, size)
    means = np.array([-4.5, -1.5, 1.5, 4.5])
    parts, without = [], []
    for seed in range(12):
        generator = np.random.default_rng([seed, 3])
        samples = normal_clusters(generator, 400, 40, size) + means[strata]
        values, design = in_order(samples, groups, strata)
        parts.append(covered(values, 0.0, ["t", "percentile", "studentized"], design, seed=seed))
        values, design = in_order(samples, groups)
        without.append(covered(values, 0.0, ["t"], design, seed=seed))
    got, wide = joined(parts), joined(without)
    low, high = binomial_range(0.95, 4_800)
    assert low <= got["t"].mean() <= high
    expected = 1 - 2 * float(stats.t.sf(1.96 * np.sqrt(0.9), 36))
    assert abs(got["percentile"].mean() - expected) < 0.024
    assert abs(got["studentized"].mean() - 0.95) < 0.024
    assert wide["t"].mean() > 0.999


# --------------------------------------------------------------------------- a proportion


@pytest.mark.parametrize("clusters", [10, 20, 40])
def test_wilson_with_design_effect_covers_a_proportion_where_plain_wilson_does_not(
    clusters: int,
) -> None:
    # Clusters of 5 whose shares are Beta with mean .8 and an intra-class correlation of .3. The
    # design effect is 2.2, so that plain Wilson covers about P(|Z| < 1.96/√2.2) = .81 (exactly,
    # .80 to .83); with it the shares are near .935, .937 and .946. Over 8000 samples the standard
    # errors are .005 and .003: bounds of .03 and .018 are missed with probability below 1e-6 each.
    samples, size, share = 8_000, 5, 0.8
    generator = np.random.default_rng(clusters)
    chances = generator.beta(
        share * (1 / 0.3 - 1), (1 - share) * (1 / 0.3 - 1), (samples, clusters)
    )
    hits = generator.uniform(size=(samples, clusters, size)) < chances[..., None]
    values, design = in_order(
        hits.reshape(samples, -1).astype(float), np.repeat(np.arange(clusters), size)
    )
    got = covered(values, share, ["wilson"], design, binary=True)["wilson"]
    plain = covered(values, share, ["wilson"], binary=True)["wilson"]
    assert abs(got.mean() - 0.94) < 0.025
    assert 0.77 < plain.mean() < 0.86
    assert_more_often(got, plain)


def test_few_clusters_of_many_cases_need_the_trials_that_few_degrees_of_freedom_leave() -> None:
    # 5 clusters of 20 with mean .8 and an intra-class correlation of .3. Wilson on n over the
    # design effect, z for t, covers .86; with (z/t)^2 of those trials .94. Over 8000 samples the
    # standard errors are .004 and .003: bounds of .02 are missed with probability below 1e-6 each.
    samples, clusters, size, share = 8_000, 5, 20, 0.8
    generator = np.random.default_rng(20)
    chances = generator.beta(
        share * (1 / 0.3 - 1), (1 - share) * (1 / 0.3 - 1), (samples, clusters)
    )
    hits = generator.uniform(size=(samples, clusters, size)) < chances[..., None]
    values, design = in_order(
        hits.reshape(samples, -1).astype(float), np.repeat(np.arange(clusters), size)
    )
    got = covered(values, share, ["wilson"], design, binary=True)["wilson"]
    assert abs(got.mean() - 0.94) < 0.02
    # By hand, without the factor.
    shares = hits.mean(axis=(1, 2))
    variance = hits.mean(axis=2).var(axis=1, ddof=1) / clusters
    usual = variance > 0
    trials = np.minimum(shares[usual] * (1 - shares[usual]) / variance[usual], clusters * size)
    low, high = proportion_confint(shares[usual] * trials, trials, 0.05, "wilson")
    plain = (low <= share) & (share <= high)
    assert abs(plain.mean() - 0.86) < 0.02
