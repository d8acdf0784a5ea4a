"""Clusters and strata, against loops over units, enumeration, formulas and statsmodels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from over_data import over
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint
from support import codes, message

import halfwidth as hw
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.resampling.designs import Codes, Design, arrange
from halfwidth.resampling.distribution import ExactDistribution, Replicates
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import (
    acceleration,
    bootstrap_distribution,
    leave_one_out,
    replicates,
)
from halfwidth.resampling.kernels import reference

Array = NDArray[np.float64]
Reduces = Callable[[Array], Any]

FALSE_ALARM = 1e-6

# By NumPy and SciPy.
STATISTICS: dict[str, Reduces] = {
    "mean": np.mean,
    "sd": lambda values: np.std(values, ddof=1),
    "sd:ddof=0": np.std,
    "trimmed_mean": lambda values: stats.trim_mean(values, 0.25),
    "trimmed_mean:0.1": lambda values: stats.trim_mean(values, 0.1),
    "median": np.median,
    "quantile:0.9": lambda values: np.quantile(values, 0.9),
    "iqr": lambda values: np.subtract(*np.quantile(values, [0.75, 0.25])),
}
UNEQUAL = [1, 2, 2, 3, 5, 1, 9, 4]


def labels(sizes: list[int]) -> Codes:
    return np.repeat(np.arange(len(sizes)), sizes)


# Cluster and stratum of each case, and whether the values of a case stay together.
DESIGNS: dict[str, tuple[Codes | None, Codes | None, bool]] = {
    "clusters of equal size": (labels([3] * 9), None, False),
    "clusters of unequal size": (labels(UNEQUAL), None, False),
    "strata": (None, labels([1, 4, 9, 12]), False),
    "strata of equal size": (None, labels([9] * 3), False),
    "clusters within strata": (labels(UNEQUAL), labels([8, 19]), False),
    "equal clusters within equal strata": (labels([3] * 8), labels([12, 12]), False),
    "paired": (None, None, True),
    "paired clusters": (labels(UNEQUAL), None, True),
}


def batch_of(samples: int, name: str) -> tuple[Array, Design]:
    """Samples of several shapes with the same clusters and strata, in canonical order."""
    groups, strata, paired = DESIGNS[name]
    n = 27 if groups is None or strata is None else len(groups)
    n = n if strata is None else len(strata)
    generator = np.random.default_rng(n)
    kinds = [
        generator.beta(8, 1.5, (samples, n)),
        np.round(generator.beta(8, 1.5, (samples, n)), 1),
        1000 + generator.normal(size=(samples, n)),
        generator.lognormal(0, 2, (samples, n)),
    ]
    rows = np.stack([kinds[place % len(kinds)][place] for place in range(samples)])
    if paired:
        return arrange(rows, groups, strata, paired=True)
    made = [arrange(row, groups, strata) for row in rows]
    (design,) = {design for _, design in made}
    return np.stack([values for values, _ in made]), design


def cases_by_unit(sample: Array, design: Design) -> list[Array]:
    sizes = [1] * sum(design.strata) if design.sizes is None else list(design.sizes)
    return np.split(sample, np.cumsum(sizes)[:-1].tolist())


def of_resamples(sample: Array, design: Design, plan: Plan, reduce: Reduces) -> Array:
    """The plain way: put together the cases of the units drawn, and reduce them."""
    units = cases_by_unit(sample, design)
    drawn = plan.indices(design, 0, plan.n_resamples)
    return np.array([reduce(np.concatenate([units[u] for u in row])) for row in drawn])


def assert_close(got: Array, wanted: Array, values: Array, name: str) -> None:
    """Equal within rounding of each sample's scale.

    An SD is a root: a rounding of 1e-16 of the squares is one of 1e-8 where the SD vanishes.
    """
    assert got.shape == wanted.shape
    assert np.isfinite(wanted).all()
    scale = np.abs(values).max(axis=-1, keepdims=True)
    vanishes = (wanted < 1e-4 * scale) & name.startswith("sd")
    assert (np.abs(got - wanted) <= np.where(vanishes, 1e-7, 1e-12) * scale).all()


# --------------------------------------------------------------------------- same draws


@pytest.mark.sampled(6)
@pytest.mark.parametrize("design_name", DESIGNS)
@pytest.mark.parametrize("name", STATISTICS)
def test_replicates_are_the_statistic_of_the_cases_of_the_units_drawn(
    name: str, design_name: str
) -> None:
    (values, design), plan = batch_of(6, design_name), Plan(entropy=5, n_resamples=12)
    statistic = resolve_statistic(name)
    wanted = np.stack([of_resamples(row, design, plan, STATISTICS[name]) for row in values])
    for samples in (1, 3, 6):
        part = values[:samples]
        got = replicates(part, design, statistic, plan)
        assert_close(got, wanted[:samples], part, name)
    drawn = plan.indices(design, 0, plan.n_resamples)
    assert_close(reference.plain(values, design, statistic, drawn), wanted, values, name)
    for elements in (1, design.n, 7 * design.n + 3):
        small = Plan(entropy=5, n_resamples=12, block_elements=elements)
        assert_close(replicates(values, design, statistic, small), wanted, values, name)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("design_name", DESIGNS)
@pytest.mark.parametrize("name", STATISTICS)
def test_leave_one_out_values_are_those_of_a_loop_that_deletes_units(
    name: str, design_name: str
) -> None:
    values, design = batch_of(4, design_name)
    wanted = np.empty((len(values), design.units))
    for row, sample in enumerate(values):
        units = cases_by_unit(sample, design)
        for left in range(design.units):
            rest = np.concatenate(units[:left] + units[left + 1 :])
            wanted[row, left] = STATISTICS[name](rest)
    got = leave_one_out(values, design, resolve_statistic(name))
    assert_close(got, wanted, values, name)


# Where strata differ in size, see the skewness below.
ONE_SIZE = [name for name in DESIGNS if name not in ("strata", "clusters within strata")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("design_name", ONE_SIZE)
@pytest.mark.parametrize("name", STATISTICS)
def test_acceleration_is_that_of_davison_and_hinkley(name: str, design_name: str) -> None:
    # Their section 5.3.2: influence values l by the jackknife in each stratum, and
    # a = (1/6) Σ n⁻³ Σ l³ / (Σ n⁻² Σ l²)^1.5.
    values, design = batch_of(4, design_name)
    got = acceleration(values, design, resolve_statistic(name))
    for row, sample in enumerate(values):
        units, first = cases_by_unit(sample, design), 0
        cubes = squares = 0.0
        for count in design.strata:
            left_out = np.array(
                [
                    STATISTICS[name](np.concatenate(units[:unit] + units[unit + 1 :]))
                    for unit in range(first, first + count)
                ]
            )
            influence = (count - 1) * (left_out.mean() - left_out)
            cubes += (influence**3).sum() / count**3
            squares += (influence**2).sum() / count**2
            first += count
        if squares**0.5 <= 1e-12 * np.abs(sample).max():
            assert np.isnan(got[row])
        else:
            assert got[row] == pytest.approx(cubes / (6 * squares**1.5), rel=1e-6, abs=1e-9)


STRATA = [(9, 9), (3, 40), (2, 10), (1, 20), (2, 5, 40)]


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("strata", STRATA, ids=str)
def test_acceleration_of_a_mean_is_a_sixth_of_the_skewness_of_its_replicates(
    strata: tuple[int, ...], clustered: bool
) -> None:
    # The mean of a resample is a sum of independent draws, whose cumulants add up: with clusters
    # of one size κ₃/κ₂^1.5 = ΣΣ(z - z̄ₕ)³ / (ΣΣ(z - z̄ₕ)²)^1.5 over all units, however many a
    # stratum has. BCa's acceleration is a sixth of that.
    size = 3 if clustered else 1
    of_unit = np.repeat(np.arange(len(strata)), strata)
    generator = np.random.default_rng(sum(strata))
    given = np.where(
        np.repeat(of_unit, size) == 0,
        generator.lognormal(0, 1.5, size * len(of_unit)),
        generator.lognormal(1, 0.3, size * len(of_unit)),
    )
    groups = np.repeat(np.arange(len(of_unit)), size)
    values, design = arrange(given, groups, np.repeat(of_unit, size))
    totals = given.reshape(-1, size).sum(axis=-1)
    centred = totals - np.array([totals[of_unit == h].mean() for h in of_unit])
    wanted = (centred**3).sum() / (6 * (centred**2).sum() ** 1.5)
    got = acceleration(values[None], design, resolve_statistic("mean"))[0]
    assert got == pytest.approx(wanted, rel=1e-9)


# --------------------------------------------------------------------------- enumeration

CLUSTERS: list[list[float]] = [[0.9], [0.2, 0.5], [0.1, 0.4, 0.8]]
# Two strata of two clusters each.
NESTED: list[list[list[float]]] = [[[0.9], [0.2, 0.5]], [[0.3, 0.7, 0.8], [0.1]]]


def all_resamples(strata: list[list[list[float]]]) -> list[Array]:
    """Every resample: of each stratum as many clusters as it has, in every way."""
    ways = [product(clusters, repeat=len(clusters)) for clusters in strata]
    return [np.array([x for part in way for unit in part for x in unit]) for way in product(*ways)]


def chances_of(replicates: list[Any]) -> dict[float, float]:
    counts = Counter(round(float(value), 9) for value in replicates)
    return {value: count / len(replicates) for value, count in counts.items()}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["mean", "median", "sd", "iqr", "trimmed_mean"])
@pytest.mark.parametrize("strata", [[CLUSTERS], NESTED], ids=["3 clusters", "2 strata of 2"])
def test_distribution_is_that_of_all_resamples(strata: list[list[list[float]]], name: str) -> None:
    # Chi-square on the support, and mean and SD within 5 standard errors; false alarm below 3e-6.
    # Chi-square is exact only in the limit, but each cell here expects thousands.
    everything = all_resamples(strata)
    assert len(everything) == (27 if len(strata) == 1 else 16)
    wanted = [STATISTICS[name](resample) for resample in everything]
    clusters = [unit for stratum in strata for unit in stratum]
    values, design = arrange(
        np.concatenate(clusters),
        labels([len(unit) for unit in clusters]),
        labels([sum(len(unit) for unit in stratum) for stratum in strata]),
    )
    resamples = 100_000
    got = bootstrap_distribution(values[None], design, resolve_statistic(name), Plan(11, resamples))
    assert isinstance(got, Replicates)
    chances = chances_of(wanted)
    seen = Counter(np.round(got.ordered[0], 9).tolist())
    assert seen.keys() == chances.keys()
    observed = [seen[value] for value in chances]
    expected = [resamples * chance for chance in chances.values()]
    assert stats.chisquare(observed, expected).pvalue > FALSE_ALARM
    centred = np.array(wanted) - np.mean(wanted)
    spread = np.sqrt((centred**2).mean())
    kurtosis = (centred**4).mean() / spread**4
    assert abs(got.mean()[0] - np.mean(wanted)) < 5 * spread / np.sqrt(resamples)
    allowed = 5 * np.sqrt((kurtosis - 1) / (4 * resamples))
    assert got.standard_deviation()[0] == pytest.approx(spread, rel=allowed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "name"), [(25, "median"), (40, "median"), (30, "quantile:0.9"), (31, "quantile:0.9")]
)
def test_exact_distribution_of_order_statistics_is_that_of_a_million_resamples(
    n: int, name: str
) -> None:
    # Total variation: its expectation is at most ½ Σ√(p/N), and by McDiarmid's inequality it
    # exceeds that by √(ln(10⁶)/(2N)) with probability 1e-6.
    resamples, chunk = 1_000_000, 100_000
    generator = np.random.default_rng(n)
    values = np.sort(generator.lognormal(size=n))
    got = bootstrap_distribution(values[None], Design.iid(n), resolve_statistic(name), Plan(0))
    assert isinstance(got, ExactDistribution)
    wanted: Counter[float] = Counter()
    for _ in range(resamples // chunk):
        drawn = values[generator.integers(0, n, (chunk, n), dtype=np.uint8)]
        found = np.quantile(drawn, resolve_statistic(name).quantile_level, axis=-1)
        kinds, counts = np.unique(np.round(found, 9), return_counts=True)
        wanted.update(dict(zip(kinds.tolist(), counts.tolist(), strict=True)))
    made: Counter[float] = Counter()
    for value, chance in zip(got.support[0].tolist(), got.probability[0].tolist(), strict=True):
        made[round(value, 9)] += chance
    apart = sum(abs(made[v] - wanted[v] / resamples) for v in made.keys() | wanted.keys()) / 2
    expected = sum(np.sqrt(chance / resamples) for chance in made.values()) / 2
    assert apart < expected + np.sqrt(np.log(1 / FALSE_ALARM) / (2 * resamples))


# --------------------------------------------------------------------------- standard errors

SIZES: dict[str, list[int]] = {
    "2 clusters": [3, 5],
    "equal": [4] * 12,
    "unequal": UNEQUAL,
    "one large": [60, 1, 2, 1, 3, 2],
    "many": [1, 2, 3, 4] * 30,
}


def clustered(sizes: list[int], seed: int = 0) -> tuple[Array, Codes]:
    """Values that resemble each other within clusters, in mixed order."""
    generator = np.random.default_rng([seed, *sizes[:5]])
    groups = labels(sizes)
    values = generator.normal(size=len(sizes))[groups] + generator.normal(size=len(groups))
    order = generator.permutation(len(groups))
    return values[order], groups[order]


@pytest.mark.parametrize("kind", SIZES)
def test_textbook_t_is_the_cluster_robust_interval_of_statsmodels(kind: str) -> None:
    # statsmodels multiplies by G/(G - 1) · (n - 1)/(n - k), which is G/(G - 1) for a constant.
    values, groups = clustered(SIZES[kind])
    fitted = OLS(values, np.ones(len(values))).fit(
        cov_type="cluster",
        cov_kwds={"groups": groups, "use_correction": True, "df_correction": True},
        use_t=True,
    )
    for level in (0.5, 0.9, 0.95, 0.999):
        got = hw.summary_ci(
            values, groups=groups, method="cluster_robust_t", confidence_level=level
        )
        low, high = fitted.conf_int(alpha=1 - level)[0]
        assert got.value == pytest.approx(fitted.params[0], rel=1e-12)
        assert got.standard_error == pytest.approx(fitted.bse[0], rel=1e-10)
        assert (got.low, got.high) == pytest.approx((low, high), rel=1e-10)
        assert (got.n, got.n_groups) == (len(values), len(SIZES[kind]))


@pytest.mark.parametrize("alternative", ["lower", "upper"])
def test_one_sided_t_of_clusters_has_the_bound_of_the_two_sided_one(
    alternative: Literal["lower", "upper"],
) -> None:
    values, groups = clustered(UNEQUAL)
    one = hw.summary_ci(
        values, groups=groups, method="t", confidence_level=0.975, alternative=alternative
    )
    two = hw.summary_ci(values, groups=groups, method="t", confidence_level=0.95)
    wanted = (two.low, np.inf) if alternative == "lower" else (-np.inf, two.high)
    assert (one.low, one.high) == pytest.approx(wanted, rel=1e-12)


def test_t_of_strata_has_the_textbook_standard_error() -> None:
    # Cochran (1977), section 5.4: SE² = Σ Wₕ² sₕ²/nₕ, Wₕ = nₕ/n; n - H degrees of freedom.
    counts = [2, 5, 20, 13]
    strata = labels(counts)
    generator = np.random.default_rng(1)
    values = generator.normal(size=4)[strata] * 3 + generator.normal(size=len(strata))
    n = len(values)
    variance = sum(
        (count / n) ** 2 * values[strata == h].var(ddof=1) / count for h, count in enumerate(counts)
    )
    got = hw.summary_ci(values, strata=strata, method="t")
    reach = stats.t.ppf(0.975, n - len(counts)) * np.sqrt(variance)
    assert got.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)
    assert (got.low, got.high) == pytest.approx(
        (values.mean() - reach, values.mean() + reach), rel=1e-12
    )


def linearized_variance(values: Array, groups: Codes, strata: Codes) -> float:
    """Σₕ Gₕ/(Gₕ - 1) Σ_g (z_g - z̄ₕ)², z_g = Σ(x - x̄)/n: that of a ratio in surveys."""
    total, n = 0.0, len(values)
    for h in np.unique(strata):
        own = np.unique(groups[strata == h])
        z = np.array([(values[groups == g] - values.mean()).sum() / n for g in own])
        if len(own) > 1:
            total += len(own) / (len(own) - 1) * ((z - z.mean()) ** 2).sum()
    return total


def test_textbook_t_of_clusters_within_strata_is_that_of_a_ratio_in_a_survey() -> None:
    values, groups = clustered(UNEQUAL)
    strata = np.array([0, 0, 0, 1, 1, 1, 1, 2])[groups]
    got = hw.summary_ci(values, groups=groups, strata=strata, method="cluster_robust_t")
    error = np.sqrt(linearized_variance(values, groups, strata))
    reach = stats.t.ppf(0.975, 8 - 3) * error
    assert got.standard_error == pytest.approx(error, rel=1e-12)
    assert (got.low, got.high) == pytest.approx(
        (values.mean() - reach, values.mean() + reach), rel=1e-12
    )
    assert "HW404" in codes(got)


@pytest.mark.parametrize("method", ["auto", "t", "z", "hall", "bca", "percentile", "studentized"])
@pytest.mark.parametrize("n", [8, 30, 80])
def test_clusters_of_one_case_each_are_as_no_clusters(n: int, method: str) -> None:
    values = np.random.default_rng(n).beta(8, 2, n)
    alone = [f"patient {place}" for place in np.random.default_rng(1).permutation(n)]
    wanted = hw.summary_ci(values, metric="dsc", method=method, rng=3)
    got = hw.summary_ci(values, metric="dsc", method=method, rng=3, groups=alone)
    assert (got.low, got.high, got.standard_error, got.method) == (
        wanted.low,
        wanted.high,
        wanted.standard_error,
        wanted.method,
    )
    assert got.n_groups == n


@pytest.mark.parametrize("with_strata", [False, True])
@pytest.mark.parametrize(
    ("statistic", "method"),
    [
        *(("mean", m) for m in ("auto", "t", "hoeffding", "bca", "percentile", "studentized")),
        ("median", "auto"),
        ("sd", "percentile"),
        ("trimmed_mean", "bca"),
    ],
)
def test_over_clusters_is_the_statistic_of_the_cluster_means(
    statistic: str, method: str, with_strata: bool
) -> None:
    sizes = UNEQUAL * 2
    groups = labels(sizes)
    values = np.random.default_rng(2).beta(8, 2, len(groups))
    means = np.array([values[groups == g].mean() for g in range(len(sizes))])
    of_cluster = np.arange(len(sizes)) % 2
    if with_strata and method == "hoeffding":
        method = "z"
    options: dict[str, Any] = {"metric": "dsc", "method": method, "statistic": statistic, "rng": 4}
    wanted = hw.summary_ci(means, strata=of_cluster if with_strata else None, **options)
    cases = hw.CaseValues.from_arrays(
        values,
        groups=groups,
        strata=of_cluster[groups] if with_strata else None,
        over="clusters",
    )
    (got,) = hw.estimate(cases, **options)
    assert (got.value, got.low, got.high) == pytest.approx(
        (wanted.value, wanted.low, wanted.high), rel=1e-11
    )
    assert (got.method, got.n, got.n_groups) == (wanted.method, len(values), len(sizes))


# --------------------------------------------------------------------------- proportions

# Our methods by the names of statsmodels.
PROPORTIONS = {
    "wilson": "wilson",
    "wald": "normal",
    "agresti_coull": "agresti_coull",
    "clopper_pearson": "beta",
    "jeffreys": "jeffreys",
}


def hits(sizes: list[int], resemblance: float, seed: int = 0) -> tuple[Array, Codes]:
    """Right and wrong cases, whose share of right ones varies between clusters."""
    generator, groups = np.random.default_rng([seed, *sizes[:4]]), labels(sizes)
    one, two = 0.8 * (1 / resemblance - 1), 0.2 * (1 / resemblance - 1)
    chance = generator.beta(one, two, len(sizes))[groups]
    return (generator.uniform(size=len(groups)) < chance).astype(float), groups


def for_few(level: float, degrees_of_freedom: int) -> float:
    """Korn and Graubard's factor of the trials: (z/t)²."""
    tail = (1 - level) / 2
    return float((stats.norm.isf(tail) / stats.t.isf(tail, degrees_of_freedom)) ** 2)


@pytest.mark.parametrize("method", PROPORTIONS)
def test_clusters_never_count_for_more_than_their_cases(method: str) -> None:
    # Each cluster is right twice and wrong once: the shares of clusters differ less than by chance.
    values, groups = np.tile([0.0, 1.0, 1.0], 10), labels([3] * 10)
    trials = 30 * for_few(0.95, 9)
    low, high = proportion_confint(20 / 30 * trials, trials, 0.05, PROPORTIONS[method])
    got = hw.summary_ci(values, groups=groups, method=method)
    assert (got.low, got.high) == pytest.approx((low, high), rel=1e-10)


@pytest.mark.parametrize("right", [False, True])
def test_each_cluster_is_one_trial_where_all_cases_are_alike(right: bool) -> None:
    values, groups = [right] * 30, labels([3] * 10)
    low, high = proportion_confint(10 * right, 10, 0.05, "wilson")
    got = hw.summary_ci(values, groups=groups)
    assert (got.low, got.high) == pytest.approx((low, high), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("method", [*PROPORTIONS, "t", "studentized"])
@pytest.mark.parametrize(
    ("strata", "groups"),
    [([0, 0, 0, 1, 1, 1], None), ([0] * 5 + [1] * 10, None), ([0] * 6 + [1] * 6, labels([3] * 4))],
    ids=["3 and 3", "5 and 10", "clusters"],
)
def test_strata_each_all_alike_give_an_interval_about_the_share_or_say_that_there_is_none(
    strata: list[int], groups: Codes | None, method: str
) -> None:
    # Without a spread in any stratum the SE is 0, though the share is neither 0 nor 1.
    got = hw.summary_ci(
        [float(stratum) for stratum in strata], strata=strata, groups=groups, method=method, rng=1
    )
    if np.isnan(got.low):
        assert "HW306" in codes(got)
    else:
        assert got.low <= got.value <= got.high


# --------------------------------------------------------------------------- labels

LABELLED: dict[str, list[Any]] = {
    "texts": [f"patient {k}" for k in range(8)],
    "numbers": [10**20 + k for k in range(8)],
    "fractions": [k / 7 for k in range(8)],
    "tuples": [("centre", k) for k in range(8)],
    "mixed": [1, "1", (1,), 2.5, "", b"1", -1, frozenset({1})],
    "dates": list(pd.date_range("2024-01-01", periods=8)),
}


@pytest.mark.parametrize("kind", LABELLED)
def test_labels_are_of_any_kind(kind: str) -> None:
    values, groups = clustered(UNEQUAL)
    strata = groups // 4
    options: dict[str, Any] = {"method": "bca", "rng": 5}
    wanted = hw.summary_ci(values, groups=groups, strata=strata, **options)
    named = [LABELLED[kind][code] for code in groups]
    above = [LABELLED[kind][code] for code in strata]
    assert hw.summary_ci(values, groups=named, strata=above, **options) == wanted
    if kind != "tuples":
        index = np.arange(100, 100 + len(named))
        series = pd.Series(named, index=index, dtype=object)
        assert hw.summary_ci(values, groups=series, strata=tuple(above), **options) == wanted


@pytest.mark.parametrize("option", ["groups", "strata"])
@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, np.datetime64("NaT")])
def test_missing_label_is_refused_by_case(option: str, missing: Any) -> None:
    values = [0.1, 0.2, 0.3, 0.4]
    given: dict[str, Any] = {option: ["a", "a", missing, "b"]}
    with pytest.raises(hw.DataError, match=rf"1 of 4 .*{option}.*#3"):
        hw.summary_ci(values, **given)
    frame = pd.DataFrame({"case": list("wxyz"), "dice": values, "of": given[option]})
    column: dict[str, Any] = {option: "of"}
    with pytest.raises(hw.DataError, match=rf"'dice'.*{option}.*\by\b"):
        over(hw.estimate, hw.CaseValues.from_table)(frame, "dice", metric="dsc", **column)


@pytest.mark.parametrize("option", ["groups", "strata"])
def test_labels_for_another_number_of_cases_are_refused(option: str) -> None:
    given: dict[str, Any] = {option: [1, 1, 2]}
    with pytest.raises(hw.DataError, match=rf"{option} has 3 labels for 4 values"):
        hw.summary_ci([0.1, 0.2, 0.3, 0.4], **given)


@pytest.mark.parametrize("option", ["groups", "strata"])
@pytest.mark.parametrize(
    "wrong",
    [7, 2.5, np.array(3), np.zeros((4, 2)), [[1], [1], [2], [2]], [{}, {}, {}, {}], "patient"],
    ids=["number", "fraction", "0 dimensions", "2 dimensions", "lists", "mappings", "text"],
)
def test_what_is_no_list_of_labels_is_refused_by_name(option: str, wrong: Any) -> None:
    given: dict[str, Any] = {option: wrong}
    with pytest.raises(hw.HalfwidthError, match=option):
        hw.summary_ci([0.1, 0.2, 0.3, 0.4], **given)


def test_cluster_in_two_strata_is_refused_by_name() -> None:
    values = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    groups, strata = ["Ann", "Ann", "Bob", "Bob", "Cy", "Cy"], [1, 1, 1, 2, 2, 2]
    with pytest.raises(hw.DataError, match=r"1 cluster.*stratum.*\bBob\b") as caught:
        hw.summary_ci(values, groups=groups, strata=strata)
    assert "Ann" not in str(caught.value)
    frame = pd.DataFrame({"dice": values, "patient": groups, "site": strata})
    with pytest.raises(hw.DataError, match=r"\bBob\b"):
        hw.estimate(hw.CaseValues.from_table(frame, "dice", groups="patient", strata="site"))


def test_over_clusters_without_clusters_is_refused() -> None:
    with pytest.raises(hw.OptionError, match="groups"):
        hw.estimate(hw.CaseValues.from_arrays([0.1, 0.2, 0.3], over="clusters"))
    with pytest.raises(hw.OptionError, match=r"clusterz.*did you mean 'clusters'"):
        hw.CaseValues.from_arrays(
            [0.1, 0.2, 0.3],
            groups=[1, 1, 2],
            over="clusterz",  # type: ignore[arg-type]
        )


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("statistic", "method", "usable"),
    [
        ("mean", "hall", ["t", "z", "percentile", "bca", "studentized"]),
        ("mean", "hoeffding", ["t", "z", "percentile", "bca", "studentized"]),
        ("mean", "empirical_bernstein", ["t", "z", "percentile", "bca", "studentized"]),
        ("median", "exact", ["percentile", "bca"]),
        ("median", "semiparametric", ["percentile", "bca"]),
        ("trimmed_mean", "trimmed_t", ["percentile", "bca", "studentized"]),
    ],
)
@pytest.mark.parametrize("option", ["groups", "strata"])
def test_method_for_independent_cases_is_refused_naming_those_that_fit(
    option: str, statistic: str, method: str, usable: list[str]
) -> None:
    given: dict[str, Any] = {option: np.arange(20) % 5}
    values = np.linspace(0.1, 0.9, 20)
    with pytest.raises(hw.OptionError, match=rf"'{method}'.*{option}") as caught:
        hw.summary_ci(values, metric="dsc", statistic=statistic, method=method, **given)
    named = str(caught.value).rpartition("use auto, ")[2].split(", ")
    assert set(usable) <= set(named)
    for one in named:
        made = hw.summary_ci(values, metric="dsc", statistic=statistic, method=one, rng=1, **given)
        assert made.n == 20


@pytest.mark.parametrize("values", [[0.1, 0.2, 0.4], [0.0, 1.0, 1.0]], ids=["mean", "proportion"])
@pytest.mark.parametrize(
    "given", [{"groups": [1, 1, 1]}, {"strata": [1, 2, 3]}], ids=["1 cluster", "strata of 1"]
)
def test_reason_for_no_interval_of_a_single_unit_is_not_its_resamples(
    given: dict[str, Any], values: list[float]
) -> None:
    got = hw.summary_ci(values, **given)
    assert np.isnan(got.low)
    assert got.n_resamples is None
    assert "resample" not in message(got, "HW306")


# --------------------------------------------------------------------------- order and names

METHODS = [("mean", "bca"), ("mean", "studentized"), ("median", "percentile"), ("sd", "percentile")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("statistic", "method"), METHODS)
@pytest.mark.parametrize("with_strata", [False, True])
def test_estimate_depends_on_neither_the_order_of_cases_nor_the_names_of_clusters(
    statistic: str, method: str, with_strata: bool
) -> None:
    values, groups = clustered(UNEQUAL)
    strata = groups % 2 if with_strata else None
    options: dict[str, Any] = {"statistic": statistic, "method": method, "rng": 6}
    wanted = hw.summary_ci(values, groups=groups, strata=strata, **options)
    generator = np.random.default_rng(0)
    for _ in range(5):
        order, names = generator.permutation(len(values)), generator.permutation(100)
        got = hw.summary_ci(
            values[order],
            groups=names[groups[order]],
            strata=None if strata is None else names[strata[order]],
            **options,
        )
        assert got == wanted


def test_seed_of_a_generator_reproduces_an_estimate_of_clusters() -> None:
    values, groups = clustered(UNEQUAL)
    options: dict[str, Any] = {"groups": groups, "method": "percentile", "n_resamples": 999}
    generator, twin = np.random.default_rng(1), np.random.default_rng(1)
    first = hw.summary_ci(values, rng=generator, **options)
    second = hw.summary_ci(values, rng=generator, **options)
    assert first == hw.summary_ci(values, rng=twin, **options)
    assert first == hw.summary_ci(values, rng=first.seed, **options)
    assert (second.seed, second.low) != (first.seed, first.low)


@pytest.mark.parametrize(("statistic", "method"), [*METHODS, ("mean", "auto")])
def test_row_of_a_table_is_the_estimate_of_its_values_with_their_clusters(
    statistic: str, method: str
) -> None:
    liver, patients = clustered(UNEQUAL)
    models = np.random.default_rng(1).permutation(np.arange(len(liver)) % 2)
    frame = pd.DataFrame(
        {
            "model": np.array(["A", "B"])[models],
            "patient": [f"P{code}" for code in patients],
            "site": [f"S{code // 4}" for code in patients],
            "liver": liver,
            "spleen": liver[::-1] ** 3,
        }
    )
    options: dict[str, Any] = {"statistic": statistic, "method": method, "rng": 7}
    table = over(hw.estimate, hw.CaseValues.from_table)(
        frame, ["liver", "spleen"], by="model", groups="patient", strata="site", **options
    )
    assert [(e.by["model"], "spleen" in e.label) for e in table] == list(
        product(frame["model"].unique(), [False, True])
    )
    for e in table:
        rows = frame[frame["model"] == e.by["model"]]
        wanted = hw.summary_ci(
            rows["spleen" if "spleen" in e.label else "liver"],
            groups=rows["patient"],
            strata=rows["site"],
            **options,
        )
        assert (e.value, e.low, e.high, e.standard_error) == pytest.approx(
            (wanted.value, wanted.low, wanted.high, wanted.standard_error), rel=1e-10
        )
        assert (e.n, e.n_groups, e.seed) == (wanted.n, wanted.n_groups, wanted.seed)


def test_columns_of_a_table_with_the_same_clusters_share_their_draws() -> None:
    values, patients = clustered(UNEQUAL)
    frame = pd.DataFrame({"one": values, "two": values + 1, "patient": patients})
    for statistic in ("mean", "median", "sd"):
        one, two = hw.estimate(
            hw.CaseValues.from_table(frame, ["one", "two"], groups="patient"),
            statistic=statistic,
            method="percentile",
            rng=8,
        )
        moved = 0.0 if statistic == "sd" else 1.0
        assert (two.low - moved, two.high - moved) == pytest.approx((one.low, one.high), rel=1e-11)


def test_clusters_that_vanish_with_their_missing_values_are_not_counted() -> None:
    frame = pd.DataFrame(
        {
            "patient": list("aabbccd"),
            "liver": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
            "spleen": [np.nan, np.nan, 0.3, 0.4, np.nan, 0.6, np.nan],
        }
    )
    liver, spleen = hw.estimate(
        hw.CaseValues.from_table(frame, ["liver", "spleen"], groups="patient", missing="omit"),
        method="t",
    )
    assert (liver.n, liver.n_groups, liver.n_missing) == (7, 4, 0)
    assert (spleen.n, spleen.n_groups, spleen.n_missing) == (3, 2, 4)
    wanted = hw.summary_ci([0.3, 0.4, 0.6], groups=[1, 1, 2], method="t")
    assert (spleen.low, spleen.high) == (wanted.low, wanted.high)
