"""Sample sizes against published tables, other libraries, brute force and simulation."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import halfwidth as hw
from halfwidth.core.types import Array, Level
from halfwidth.intervals.ranks import exact_ranks, minimum_n
from halfwidth.planning import SampleSize

StudyPlan = Callable[[], SampleSize]
# Tests by simulation allow 5 standard errors: a false alarm of 6e-7 each.
ERRORS = 5
Z = stats.norm.ppf(0.975)


# --------------------------------------------------------------------------- means


def width_by_z(sd: float, n: int) -> float:
    return hw.planning.mean(sd, n=n, method="z").width


def test_table_3_of_eljurdi_2023(shared: Path) -> None:
    with (shared / "reference" / "eljurdi2023_table3.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    sds = [float(name.split("_")[1]) for name in rows[0] if name.endswith("_w")]
    assert (len(rows), len(sds)) == (9, 7)
    width = np.array([[width_by_z(sd, int(row["k"])) for sd in sds] for row in rows])
    for name, made in (("sem", width / (2 * Z)), ("w", width)):
        printed = np.array([[float(row[f"sigma_{sd:g}_{name}"]) for sd in sds] for row in rows])
        # Four widths of the SD 10.75 are printed .01 high: an unrounded one was used.
        assert np.abs(made.round(2) - printed).max() <= 0.01 + 1e-9
        others = [place for place, sd in enumerate(sds) if sd != 10.75]
        assert np.abs(made - printed)[:, others].max() <= 0.00501


def test_table_3_of_eljurdi_2025(shared: Path) -> None:
    with (shared / "reference" / "eljurdi_table3_rows.csv").open(newline="") as file:
        rows = [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]
    assert len(rows) == 28
    for row in rows:
        half = width_by_z(row["sigma"], int(row["k"])) / 2
        assert round(half / Z, 2) == pytest.approx(row["sem"], abs=0.01 + 1e-9)
        assert round(half, 2) == pytest.approx(row["half_ci"], abs=0.01 + 1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("ratio", [0.05, 0.3, 1.0, 2.5])
@pytest.mark.parametrize("formula", ["t", "z"])
def test_the_n_of_a_mean_is_the_first_of_all_that_suffice(
    formula: str, ratio: float, level: float
) -> None:
    def width(n: int) -> float:
        of = stats.t(n - 1) if formula == "t" else stats.norm()
        return float(2 * of.ppf(0.5 + level / 2) / math.sqrt(n))

    plan = hw.planning.mean(1.0, halfwidth=ratio / 2, method=formula, confidence_level=level)
    n = plan.n_for_width
    assert n is not None
    assert width(n) <= ratio
    assert n == 2 or width(n - 1) > ratio
    given = hw.planning.mean(1.0, n=n, method=formula, confidence_level=level)
    assert given.width == pytest.approx(width(n), rel=1e-12)
    assert given.halfwidth == given.width / 2


def test_a_difference_has_the_sd_of_its_differences() -> None:
    generator = np.random.default_rng(4)
    a, b = generator.multivariate_normal([0, 0], [[4, 1.2], [1.2, 1]], size=50).T
    s_a, s_b, r = a.std(ddof=1), b.std(ddof=1), np.corrcoef(a, b)[0, 1]
    by_parts = hw.planning.difference(sd_a=s_a, sd_b=s_b, n=50, correlation=r)
    interval = stats.ttest_rel(a, b).confidence_interval()
    assert by_parts.width == pytest.approx(interval.high - interval.low, rel=1e-9)
    e = hw.summary_ci(a - b, method="t")
    assert hw.planning.difference((a - b).std(ddof=1), n=50).width == pytest.approx(e.width)


def probability_of_width(n: int, wanted: float) -> float:
    """That the t interval of n standard normal values is at most so wide: (n - 1) s² is χ²."""
    widest = wanted * math.sqrt(n) / (2 * stats.t.ppf(0.975, n - 1))
    return float(stats.chi2.cdf((n - 1) * widest**2, n - 1))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("ratio", [0.2, 0.4, 1.0])
@pytest.mark.parametrize("assurance", [0.5, 0.8, 0.95])
def test_assurance_of_a_mean_is_the_share_of_simulated_studies(
    ratio: float, assurance: float
) -> None:
    plan = hw.planning.mean(1.0, halfwidth=ratio / 2, assurance=assurance, method="t")
    n = plan.n_for_width
    assert n is not None
    studies = 20_000
    drawn = np.random.default_rng(n).normal(size=(studies, n))
    widths = 2 * stats.t.ppf(0.975, n - 1) * drawn.std(axis=1, ddof=1) / math.sqrt(n)
    share, expected = (widths <= ratio).mean(), probability_of_width(n, ratio)
    error = math.sqrt(expected * (1 - expected) / studies)
    assert abs(share - expected) < ERRORS * error
    # The first of all that suffice, by brute force.
    every = [probability_of_width(m, ratio) for m in range(2, 2 * n)]
    assert expected >= assurance
    assert max(m for m, p in enumerate(every, start=2) if p < assurance) == n - 1


# --------------------------------------------------------------------------- proportions


@pytest.mark.parametrize("p", [0.0, 0.02, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("width", [0.02, 0.1, 0.35, 0.9])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_n_of_a_proportion_is_exact(p: float, width: float, level: float) -> None:
    """Widths from statsmodels, at every n up to twice the one found."""
    plan = hw.planning.proportion(p, halfwidth=width / 2, confidence_level=level)
    n = plan.n_for_width
    assert n is not None
    sizes = np.arange(2, 2 * max(n, plan.n) + 2)
    low, high = proportion_confint(p * sizes, sizes, alpha=1 - level, method="wilson")
    enough = high - low <= width
    assert enough[sizes >= n].all()
    assert not enough[sizes < n].any()
    place = plan.n - 2
    assert (plan.low, plan.high) == pytest.approx((low[place], high[place]), abs=1e-12)


@pytest.mark.parametrize("prevalence", [0.02, 0.1, 0.5, 0.7])
def test_each_class_has_enough(prevalence: float) -> None:
    plan = hw.planning.classes(0.9, 0.95, prevalence=prevalence, halfwidth=0.05)
    needed = [hw.planning.proportion(p, halfwidth=0.05).n for p in (0.9, 0.95)]
    counts = (plan.n * prevalence, plan.n * (1 - prevalence))
    assert all(count >= need - 1e-6 for count, need in zip(counts, needed, strict=True))
    assert (plan.n - 1) * prevalence < needed[0] or (plan.n - 1) * (1 - prevalence) < needed[1]
    assert sum(plan.counts.values()) == plan.n
    assert all(part.halfwidth <= 0.05 for part in plan.parts)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("shares", "prevalence", "halfwidth", "assurance"),
    [
        ((0.9, None), 0.1, 0.05, 0.9),
        ((0.9, 0.95), 0.1, 0.05, 0.9),
        ((0.8, 0.9), 0.5, 0.08, 0.8),
        ((0.95, 0.9), 0.3, 0.05, 0.9),
        ((0.85, 0.85), 0.5, 0.1, 0.9),
    ],
)
def test_assurance_of_the_classes_is_of_both_widths(
    shares: tuple[float, float | None], prevalence: float, halfwidth: float, assurance: float
) -> None:
    """By the exact double binomial, of the intervals of statsmodels."""

    def narrow(cases: int, p: float | None) -> float:
        if p is None:
            return 1.0
        hits = np.arange(cases + 1)
        low, high = proportion_confint(hits, cases, method="wilson") if cases else (0.0, 1.0)
        return float(stats.binom.pmf(hits, cases, p)[high - low <= 2 * halfwidth].sum())

    def share(n: int) -> float:
        m = np.arange(*np.asarray(stats.binom.ppf([1e-7, 1 - 1e-7], n, prevalence)).astype(int))
        both = [narrow(one, shares[0]) * narrow(n - one, shares[1]) for one in m]
        return float(stats.binom.pmf(m, n, prevalence) @ both)

    plan = hw.planning.classes(
        *shares, prevalence=prevalence, halfwidth=halfwidth, assurance=assurance
    )
    assert share(plan.n) >= assurance > share(plan.n - 1)


@pytest.mark.parametrize("method", ["wilson", "wald"])
def test_assurance_of_a_proportion_is_binomial(method: str) -> None:
    plan = hw.planning.proportion(0.9, width=0.08, assurance=0.8, method=method)
    named = {"wilson": "wilson", "wald": "normal"}[method]

    def share(n: int) -> float:
        hits = np.arange(n + 1)
        with np.errstate(invalid="ignore"):
            low, high = proportion_confint(hits, n, method=named)
        width = high - low
        narrow = (width <= 0.08 + 1e-12) & (width > 0)
        return float(stats.binom.pmf(hits, n, 0.9)[narrow].sum())

    assert share(plan.n) >= 0.8 > share(plan.n - 1)


def test_sample_sizes_of_wald_are_those_published() -> None:
    """Table S2 of André et al. (2025), which rounds 3457.3 and 380.3 down."""
    expected = {0.5: 9604, 0.8: 6147, 0.9: 3458, 0.95: 1825, 0.99: 381}
    found = {
        p: hw.planning.proportion(p, halfwidth=0.01, method="wald").n_for_width for p in expected
    }
    assert found == expected


@pytest.mark.parametrize(("q", "sd"), [(0.5, 0.1), (0.9, 0.1), (0.9, None)])
def test_assurance_of_a_quantile_is_the_share_of_its_exact_intervals(
    q: float, sd: float | None
) -> None:
    """Widths in 20 000 samples, of normal values or of shares, with NumPy's draws."""
    options: dict[str, Any] = {} if sd is None else {"sd": sd}
    plan = hw.planning.quantile(q, halfwidth=0.04, assurance=0.8, **options)
    name = "median" if q == 0.5 else f"quantile:{q}"

    def widths(n: int) -> Any:
        generator = np.random.default_rng(4)
        values = (
            generator.random((20_000, n)) if sd is None else generator.normal(0, sd, (20_000, n))
        )
        one = hw.summary_ci(np.arange(float(n)), statistic=name)
        low, high = int(one.low), int(one.high)
        values.partition((low, high), axis=1)
        return values[:, high] - values[:, low]

    # Ranks of the ends are whole numbers, so that the share goes up in steps.
    n = plan.requirements[0].n
    assert (widths(n) <= 0.08).mean() >= 0.79
    assert (widths(n - 1) <= 0.08).mean() <= 0.81
    plain = hw.planning.quantile(q, n=n, **options)
    assert plain.width == pytest.approx(widths(n).mean(), rel=0.01)


# --------------------------------------------------------------------------- areas


def delong_variance(positives: Array, negatives: Array) -> float:
    """DeLong's variance by its definition."""
    wins = (positives[:, None] > negatives) + 0.5 * (positives[:, None] == negatives)
    return float(
        wins.mean(axis=1).var(ddof=1) / len(positives)
        + wins.mean(axis=0).var(ddof=1) / len(negatives)
    )


def planned_variance(area: float, m: int, n: int, ratio: float) -> float:
    """The square of the error that DeLong's interval is planned with."""
    plan = hw.planning.auroc(area, n=m + n, prevalence=m / (m + n), method="delong", sd_ratio=ratio)
    return (plan.halfwidth / float(stats.norm.ppf(0.975))) ** 2


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("area", "ratio"), [(0.6, 1.0), (0.85, 1.0), (0.85, 2.0), (0.95, 0.5)])
@pytest.mark.parametrize(("m", "n"), [(5, 12), (40, 25)])
def test_the_expectation_of_delongs_variance(area: float, ratio: float, m: int, n: int) -> None:
    generator = np.random.default_rng(m)
    shift = stats.norm.ppf(area) * math.sqrt(1 + ratio**2)
    made = np.array(
        [
            delong_variance(generator.normal(shift, ratio, m), generator.normal(0, 1, n))
            for _ in range(1500)
        ]
    )
    expected = planned_variance(area, m, n, ratio)
    assert abs(made.mean() - expected) < ERRORS * made.std(ddof=1) / math.sqrt(len(made))


@pytest.mark.parametrize("ratio", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("area", [0.55, 0.8, 0.97])
@pytest.mark.parametrize(("m", "n"), [(8, 90), (30, 20)])
def test_the_variance_is_that_of_bivariate_normal_scores(
    area: float, ratio: float, m: int, n: int
) -> None:
    """2 A (1 - A) + (m - 2)(Q₁ - A²) + (n - 2)(Q₂ - A²), over m n."""
    d = stats.norm.ppf(area)
    first, second = (
        stats.multivariate_normal(cov=[[1, rho], [rho, 1]]).cdf([d, d]) - area**2
        for rho in (1 / (1 + ratio**2), ratio**2 / (1 + ratio**2))
    )
    wanted = (2 * area * (1 - area) + (m - 2) * first + (n - 2) * second) / (m * n)
    assert planned_variance(area, m, n, ratio) == pytest.approx(wanted, abs=1e-6 / min(m, n))


@pytest.mark.slow
@pytest.mark.parametrize("formula", ["delong_logit", "delong", "hanley_mcneil"])
@pytest.mark.parametrize("prevalence", [0.05, 0.3, 0.5])
@pytest.mark.parametrize(("area", "width"), [(0.5, 0.3), (0.85, 0.1), (0.97, 0.05)])
def test_the_n_of_an_area_is_the_first_of_all_that_suffice(
    area: float, width: float, prevalence: float, formula: str
) -> None:
    plan = hw.planning.auroc(area, prevalence=prevalence, halfwidth=width / 2, method=formula)
    n = plan.n_for_width
    assert n is not None

    def width_at(size: int) -> float:
        return hw.planning.auroc(area, n=size, prevalence=prevalence, method=formula).width

    assert width_at(n) <= width < width_at(n - 1)
    assert all(width_at(size) <= width for size in range(n, n + 60))
    assert sum(plan.counts.values()) == plan.n


def test_the_interval_of_an_area_is_that_of_the_method() -> None:
    """Hanley and McNeil's own example: an area of .893 with 51 and 58 cases has the SE .0325."""
    plan = hw.planning.auroc(0.893, n=109, prevalence=51 / 109, method="hanley_mcneil")
    assert dict(plan.counts) == {"positives": 51, "negatives": 58}
    assert plan.halfwidth == pytest.approx(stats.norm.ppf(0.975) * 0.0325, abs=1e-4)


def test_a_planned_area_has_the_width_of_what_is_then_measured() -> None:
    """The mean width of `metric_ci` over 300 test sets of normal scores."""
    plan = hw.planning.auroc(0.85, n=200, prevalence=0.3)
    generator = np.random.default_rng(8)
    truth = np.repeat([1, 0], [60, 140])
    shift = stats.norm.ppf(0.85) * math.sqrt(2) * truth
    widths = np.array(
        [
            hw.metric_ci(
                truth, generator.normal(shift), metric="auroc", method="delong_logit"
            ).width
            for _ in range(300)
        ]
    )
    error = widths.std(ddof=1) / math.sqrt(len(widths))
    # The width is no linear function of the area, hence 1 % on top.
    assert abs(widths.mean() - plan.width) < ERRORS * error + 0.01 * plan.width


# --------------------------------------------------------------------------- quantiles


def rank_span(q: float, n: int, level: float = 0.95) -> float:
    return hw.planning.quantile(q, n=n, confidence_level=level).width


@pytest.mark.slow
@pytest.mark.parametrize("q", [0.05, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("width", [0.12, 0.15, 0.4])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_n_of_a_quantile_is_the_last_wide_one_plus_one(
    q: float, width: float, level: float
) -> None:
    at = Level(level)
    least = minimum_n(q, at)
    plan = hw.planning.quantile(q, halfwidth=width / 2, confidence_level=level)
    wide = [n for n in range(least, 4 * plan.n) if rank_span(q, n, level) > width]
    assert plan.n_for_width == (wide[-1] + 1 if wide else least)


@pytest.mark.parametrize(("n", "q"), [(10, 0.5), (40, 0.9), (60, 0.25)])
def test_a_rank_span_is_the_share_of_the_population_that_is_held(n: int, q: float) -> None:
    ranks = exact_ranks(n, q, Level())
    assert ranks is not None
    uniform = np.sort(np.random.default_rng(n).random((20_000, n)), axis=1)
    held = uniform[:, ranks[1] - 1] - uniform[:, ranks[0] - 1]
    error = held.std(ddof=1) / math.sqrt(len(held))
    assert abs(held.mean() - rank_span(q, n)) < ERRORS * error


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_the_width_of_a_quantile_of_normal_values(q: float) -> None:
    """2 z times the SE of the sample quantile, which a simulation gives."""
    n = 2000
    plan = hw.planning.quantile(q, n=n, sd=0.1)
    drawn = np.random.default_rng(5).normal(0, 0.1, size=(4000, n))
    spread = float(np.quantile(drawn, q, axis=1).std(ddof=1))
    simulated = 2 * stats.norm.ppf(0.975) * spread
    # The SE of an SD is SD/√(2 · 4000); the asymptotic formula is off by less than 1 % here.
    assert abs(simulated / plan.width - 1) < ERRORS / math.sqrt(8000) + 0.01


# --------------------------------------------------------------------------- pilot


@pytest.mark.parametrize("halfwidth", [0.2, 0.3])
def test_a_pilot_of_normal_values_needs_what_the_formula_says(halfwidth: float) -> None:
    """A pilot that is the normal distribution itself: its quantiles at 2000 even levels."""
    pilot = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    (plan,) = hw.plan(pilot, halfwidth=halfwidth, method="t", n_samples=2000, rng=3)
    expected = hw.planning.mean(float(pilot.std()), halfwidth=halfwidth, assurance=0.8, method="t")
    n, found = plan.n_for_width, plan.simulated
    assert n is not None
    assert found is not None
    true = probability_of_width(n, 2 * halfwidth)
    assert found.reached is not None
    # The share at the n that was searched for is biased upwards by its own search, by less
    # than a standard error.
    assert abs(found.reached - true) < (ERRORS + 1) * math.sqrt(0.8 * 0.2 / 2000)
    assert found.n_low is not None
    assert found.n_high is not None
    assert found.n_low - 4 <= expected.n <= found.n_high + 4


def reaching_further(pilot: Array, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Draws of 40 values, those outermost that are none of many from a tail with these as means."""
    drawn = rng.choice(pilot, size=shape)
    for ordered in (np.sort(pilot), -np.sort(-pilot)):
        if ordered[0] not in (0, ordered[1]):
            excess = ordered[:6].mean() - ordered[6]
            drawn += np.where(drawn == ordered[0], excess * (rng.exponential(size=shape) - 1), 0)
    return drawn


@pytest.mark.parametrize("n", [8, 60])
@pytest.mark.parametrize("failures", [0, 1, 3])
def test_the_widths_of_a_skewed_pilot_are_those_of_another_generator(n: int, failures: int) -> None:
    """Shares and medians of t intervals against NumPy's own draws; no line of code is shared."""
    pilot = 1 + np.random.default_rng(9).lognormal(sigma=1.0, size=40)
    # Failures have no tail, nor do values that tie.
    pilot[:failures] = 0
    if failures:
        pilot[np.argsort(pilot)[-2:]] = pilot.max()
    drawn = reaching_further(pilot, np.random.default_rng(10), (20_000, n))
    widths = 2 * stats.t.ppf(0.975, n - 1) * drawn.std(axis=1, ddof=1) / math.sqrt(n)
    # The spread of the pilot is off by a factor, as that of pilots drawn from it is the other way.
    again = reaching_further(pilot, np.random.default_rng(11), (20_000, 40))
    logs = np.log(again.std(axis=1))
    widths *= np.exp(logs.mean() - logs) * 40 / 39
    wanted = float(np.quantile(widths, 0.7))
    (plan,) = hw.plan(pilot, metric="hd95", n=n, method="t", rng=2, n_samples=2000, assurance=0.7)
    assert plan.simulated is not None
    # The share of our studies below their 70 % quantile; both sides are random.
    error = math.sqrt(0.7 * 0.3 * (1 / 2000 + 1 / 20_000))
    low, high = np.quantile(widths, [0.7 - ERRORS * error, 0.7 + ERRORS * error])
    assert low <= plan.simulated.assured <= high
    error = math.sqrt(0.5 * 0.5 * (1 / 2000 + 1 / 20_000))
    low, high = np.quantile(widths, [0.5 - ERRORS * error, 0.5 + ERRORS * error])
    assert low <= plan.width <= high
    assert plan.simulated.assured == pytest.approx(wanted, rel=0.1)


def test_studies_reach_beyond_the_outermost_case_of_the_pilot() -> None:
    """The pilot is 40 even quantiles of the population, whose 80 cases reach further than these."""
    pilot = 50 + stats.norm.ppf((np.arange(40) + 0.5) / 40)
    (plan,) = hw.plan(pilot, n=80, statistic="quantile:0.95", method="exact", metric="hd95", rng=1)
    # The interval goes from the 72nd to the last case.
    ordered = np.sort(np.random.default_rng(5).normal(size=(20_000, 80)), axis=1)
    wide = np.quantile(ordered[:, 79] - ordered[:, 71], 0.8)
    assert plan.simulated is not None
    # More by what a pilot does not know of the spread. As cases are drawn as they are it is 1.18.
    assert wide < plan.simulated.assured < 1.2 * wide


@pytest.mark.slow
@pytest.mark.parametrize(("name", "statistic"), [("percentile", "median"), ("bca", "mean")])
def test_a_simulated_study_has_the_interval_of_the_front_door(name: str, statistic: str) -> None:
    """The mean width over studies, against intervals that `summary_ci` makes one by one."""
    pilot = np.random.default_rng(3).beta(9, 2, size=50).round(2)
    (plan,) = hw.plan(pilot, n=30, method=name, statistic=statistic, rng=1, n_samples=1000)
    generator = np.random.default_rng(11)
    widths = np.array(
        [
            hw.summary_ci(
                generator.choice(pilot, 30),
                statistic=statistic,
                method=name,
                n_resamples=999,
                rng=seed,
            ).width
            for seed in range(400)
        ]
    )
    assert plan.simulated is not None
    for u, found in ((0.5, plan.simulated.median), (0.8, plan.simulated.assured)):
        # Studies of a batch share draws, which makes 1000 of them worth 300 or more.
        error = math.sqrt(u * (1 - u) * (1 / 300 + 1 / 400))
        low, high = np.quantile(widths, [max(u - ERRORS * error, 0), min(u + ERRORS * error, 1)])
        assert low <= found <= high
