"""Means and SDs without finite bounds: pseudo-cases that the data place, with nothing to stop them.

The law is simulated as it is defined, and far bounds that are never reached give the same ends by
the inversion that other tests know. Above 95 % ends go on as those of Student's t do.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from support import codes, message

import halfwidth as hw

Array = NDArray[Any]
LEVELS = (0.5, 0.9, 0.95, 0.96, 0.999)
SKEWED = np.random.default_rng(3).lognormal(1, 1, 14)
GROUPS = np.repeat(np.arange(12), [1, 2, 1, 3, 1, 1, 2, 1, 1, 4, 1, 2])
CLUSTERED = np.random.default_rng(4).lognormal(1, 1, len(GROUPS))
STRATA = np.arange(14) % 3
SLOW_PLACES = [pytest.param(place, marks=pytest.mark.slow) for place in (0, 1, 2, 4)]


def of(values: Array, statistic: str = "mean", **given: Any) -> hw.Estimate:
    options: dict[str, Any] = {"statistic": statistic, "rng": 1}
    return hw.summary_ci(values, **options | given)


def expanded(n: float, tail: float = 0.025) -> tuple[float, float]:
    """The tail of n units, and how many times as far out the interval ends as its quantile."""

    def reach(units: float) -> float:
        return float(math.sqrt(units / (units - 1)) * stats.t.isf(tail, units - 1))

    least = max(n, 10.0)
    return float(stats.norm.sf(reach(least))), reach(n) / reach(least)


def test_auto_takes_it_of_means_and_sds_whatever_the_design() -> None:
    for statistic, metric in (("mean", "hd"), ("sd", None)):
        assert of(SKEWED, statistic, metric=metric).method == "dirichlet_pareto"
        clustered = of(CLUSTERED, statistic, metric=metric, groups=GROUPS)
        assert clustered.method == "dirichlet_pareto"
        stratified = of(np.tile(SKEWED, 5), statistic, metric=metric, strata=np.tile(STRATA, 5))
        assert stratified.method == "dirichlet_pareto"


# --------------------------------------------------------------------------- the law


def simulated(values: Array, draws: int, mass: float, shape: float) -> tuple[Array, ...]:
    """Weights of the cases and of the pseudo-case in each draw, which add up to 1, and its U."""
    rng = np.random.default_rng(11)
    weights = rng.gamma(np.append(np.ones(len(values)), mass), size=(draws, len(values) + 1))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights[:, :-1], weights[:, -1], rng.random(draws) ** (-1 / shape)


@pytest.mark.parametrize("metric", ["hd", None])
@pytest.mark.parametrize("n", [4, 14])
def test_ends_of_a_mean_are_quantiles_of_its_law(n: int, metric: str | None) -> None:
    values, draws = SKEWED[:n], 100_000
    e, (tail, factor) = of(values, metric=metric), expanded(n)
    weights, added, far = simulated(values, draws, 0.5, 2.0)
    mean, ends = values.mean(), []
    for sign, distance in ((-1, mean - values.min()), (1, values.max() - mean)):
        place = mean + sign * distance * far
        place = np.maximum(place, 0) if metric else place
        ends.append(sign * (weights @ values + added * place))
    for sign, end, rows in zip((-1, 1), (e.low, e.high), ends, strict=True):
        if sign > 0 and math.isinf(end):
            assert (metric, n) == ("hd", 4)
            continue
        if end == 0:
            assert (metric, n) == ("hd", 4)
            continue
        quantile = mean + (end - mean) / factor
        share = (rows > sign * quantile).mean()
        assert share == pytest.approx(tail, abs=5 * math.sqrt(tail / draws))


@pytest.mark.parametrize("options", [{}, {"groups": GROUPS}])
def test_bounds_that_are_never_reached_change_nothing(options: dict[str, Any]) -> None:
    values = CLUSTERED if options else SKEWED
    # Of so light a tail both sides have the same, with bounds too.
    light: dict[str, Any] = {"method": "dirichlet_pareto:shape=15"}
    for scale in (1e-6,) if options else (1e6,):
        some = scale * values
        mean, most = some.mean(), np.abs(some - some.mean()).max()
        far: dict[str, Any] = {"bounds": (mean - 1e4 * most, mean + 1e4 * most)}
        free, bound = of(some, **options, **light), of(some, **options, **light, **far)
        width = bound.high - bound.low
        assert free.low == pytest.approx(bound.low, abs=1e-6 * width)
        assert free.high == pytest.approx(bound.high, abs=1e-6 * width)
        free = of(some, **options)
        half = of(some, **options, bounds=(mean - 3e4 * most, math.inf))
        assert (half.low, half.high) == pytest.approx((free.low, free.high), abs=1e-6 * width)


def test_the_tail_may_be_a_heavy_one() -> None:
    # With a tail index of 1 the pseudo-case has no mean; quantiles have no need of one.
    values, draws = SKEWED, 100_000
    e, (tail, _) = of(values, method="dirichlet_pareto:shape=1"), expanded(len(values))
    weights, added, far = simulated(values, draws, 0.5, 1.0)
    place = values.mean() + (values.max() - values.mean()) * far
    share = (weights @ values + added * place > e.high).mean()
    assert share == pytest.approx(tail, abs=5 * math.sqrt(tail / draws))


@pytest.mark.parametrize("n", [7, 14])
def test_ends_of_an_sd_are_quantiles_of_its_law(n: int) -> None:
    values, draws = SKEWED[:n], 100_000
    e, (tail, factor) = of(values, "sd", metric="hd"), expanded(n)
    off, sd = values - values.mean(), values.std(ddof=1)
    weights, added, far = simulated(values, draws, 1.5, 2.4)
    farthest = off[np.abs(off).argmax()]
    place = farthest * far
    # A distance is not below 0.
    place = np.maximum(place, -values.mean())
    variances = weights @ off**2 + added * place**2 - (weights @ off + added * place) ** 2
    high = np.sqrt(n / (n - 1) * variances)
    plain = weights / weights.sum(axis=1, keepdims=True)
    low = np.sqrt(n / (n - 1) * (plain @ off**2 - (plain @ off) ** 2))
    # Of 9999 draws of the interval and of these.
    error = 5 * math.sqrt(tail / 9999)
    assert (high > sd + (e.high - sd) / factor).mean() == pytest.approx(tail, abs=error)
    assert (low < sd + (e.low - sd) / factor).mean() == pytest.approx(tail, abs=error)


# --------------------------------------------------------------------------- levels


@pytest.mark.parametrize("statistic", ["mean", "sd"])
@pytest.mark.parametrize(
    ("values", "options", "degrees"),
    [
        (SKEWED, {}, 13),
        (SKEWED, {"strata": STRATA, "method": "dirichlet_pareto"}, 11),
        (np.tile(SKEWED, 6), {"strata": np.tile(STRATA, 6)}, 81),
        (CLUSTERED[:12], {"groups": np.arange(12)}, 11),
    ],
)
def test_above_95_percent_ends_lie_further_out_as_those_of_t(
    values: Array, options: dict[str, Any], degrees: int, statistic: str
) -> None:
    usual = of(values, statistic, **options)
    for level in (0.96, 0.999):
        further = of(values, statistic, confidence_level=level, **options)
        ratio = stats.t.isf((1 - level) / 2, degrees) / stats.t.isf(0.025, degrees)
        assert further.high - further.value == pytest.approx(ratio * (usual.high - usual.value))
        low = usual.value - ratio * (usual.value - usual.low)
        assert further.low == pytest.approx(max(low, 0) if statistic == "sd" else low)


def test_one_sided_bounds_are_ends_of_two_sided_intervals() -> None:
    for statistic in ("mean", "sd"):
        for level in (0.9, 0.999):
            both = of(SKEWED, statistic, metric="hd", confidence_level=level)
            for side in ("lower", "upper"):
                one = of(
                    *(SKEWED, statistic),
                    metric="hd",
                    alternative=side,
                    confidence_level=1 - (1 - level) / 2,
                )
                own = (one.low, both.low) if side == "lower" else (one.high, both.high)
                assert own[0] == pytest.approx(own[1], rel=1e-9)


def test_with_finite_bounds_ends_are_quantiles_at_every_level() -> None:
    values = np.random.default_rng(2).beta(8, 2, 14)
    usual, further = (of(values, metric="dsc", confidence_level=level) for level in (0.95, 0.999))
    ratio = stats.t.isf(0.0005, 13) / stats.t.isf(0.025, 13)
    assert further.value - further.low > 1.05 * ratio * (usual.value - usual.low)


# --------------------------------------------------------------------------- what always holds


def designs() -> list[tuple[Array, dict[str, Any]]]:
    rng = np.random.default_rng(7)
    return [
        (rng.normal(size=5), {}),
        (rng.standard_cauchy(12), {}),
        (np.append(np.full(19, 2.0), 90.0), {}),
        (rng.exponential(size=len(GROUPS)), {"groups": GROUPS}),
        (rng.lognormal(size=14), {"strata": STRATA}),
    ]


@pytest.mark.parametrize("place", [*SLOW_PLACES, 3])
@pytest.mark.parametrize("statistic", ["mean", "sd"])
def test_intervals_hold_their_estimate_and_widen_with_the_level(place: int, statistic: str) -> None:
    values, options = designs()[place]
    for metric in (None, "hd"):
        if metric and values.min() < 0:
            continue
        made = [
            of(values, statistic, metric=metric, confidence_level=level, **options)
            for level in LEVELS
        ]
        for e in made:
            assert e.low <= e.value <= e.high
        for inner, outer in itertools.pairwise(made):
            assert outer.low <= inner.low
            assert inner.high <= outer.high


@pytest.mark.parametrize("place", [*SLOW_PLACES, 3])
@pytest.mark.parametrize("statistic", ["mean", "sd"])
def test_intervals_move_with_shifts_scales_and_reflections(place: int, statistic: str) -> None:
    values, options = designs()[place]
    for level in (0.8, 0.999):
        e = of(values, statistic, confidence_level=level, **options)
        tolerance = 1e-6 * (e.high - e.low)
        for shift, scale in ((0.0, 1e-3), (-7.0, 40.0)):
            moved = of(shift + scale * values, statistic, confidence_level=level, **options)
            offset = 0 if statistic == "sd" else shift
            ends = [(end - offset) / scale for end in (moved.low, moved.high)]
            assert ends == pytest.approx([e.low, e.high], abs=tolerance)
        # Draws are of the cases in their order, which a reflection turns round.
        if statistic == "mean" and "strata" not in options:
            turned = of(-values, statistic, confidence_level=level, **options)
            assert (-turned.high, -turned.low) == pytest.approx((e.low, e.high), abs=tolerance)


def test_each_model_of_a_table_has_the_interval_that_it_has_alone() -> None:
    rng = np.random.default_rng(5)
    models = {name: rng.lognormal(1, 1, 20) for name in "abc"}
    for statistic in ("mean", "sd"):
        for e in hw.estimate(models, metric="hd", statistic=statistic, rng=1):
            alone = of(models[e.label], statistic, metric="hd")
            assert (e.low, e.high, e.method) == (alone.low, alone.high, "dirichlet_pareto")


# --------------------------------------------------------------------------- below ten cases


@pytest.mark.parametrize("n", [3, 9, 10, 11])
def test_a_mean_distance_of_fewer_than_ten_cases_is_open_above(n: int) -> None:
    values = SKEWED[:n]
    e = of(values, metric="hd")
    lower = of(values, metric="hd", alternative="lower", confidence_level=0.975)
    assert e.low == lower.low > 0 or e.low == 0
    if n >= 10:
        assert math.isfinite(e.high)
        assert "HW322" not in codes(e)
        return
    assert math.isinf(e.high)
    assert (e.alternative, e.confidence_level) == ("lower", 0.975)
    assert f"{n} cases do not show how far above them others may lie" in message(e, "HW322")
    assert "HW322" not in codes(lower)
    upper = of(values, metric="hd", alternative="upper")
    assert math.isnan(upper.high)
    assert "10 would do" in message(upper, "HW306")


def test_the_open_end_is_that_without_a_bound() -> None:
    values = -SKEWED[:6]
    below = of(values, bounds=(-math.inf, 0))
    above = of(-values, bounds=(0, math.inf))
    assert (below.alternative, above.alternative) == ("upper", "lower")
    assert below.high == pytest.approx(-above.low)
    assert "how far below them" in message(below, "HW322")
    # Signed errors have a tail on either side, and SDs a pseudo-case that is heavy enough.
    for e in (of(values), of(-values, "sd", metric="hd")):
        assert math.isfinite(e.high)
        assert "HW322" not in codes(e)


def test_clusters_are_what_is_counted() -> None:
    few = of(CLUSTERED, metric="hd", groups=GROUPS % 9)
    enough = of(CLUSTERED, metric="hd", groups=GROUPS % 10)
    assert math.isinf(few.high)
    assert "9 clusters do not show" in message(few, "HW322")
    assert math.isfinite(enough.high)


def test_two_samples_are_put_together_where_no_end_can_be_open() -> None:
    models = {"a": SKEWED, "b": SKEWED + np.arange(14)}
    method = "mover:dirichlet_pareto"
    for metric, bounds in (("hd", (0, 1000)), (None, None)):
        data = hw.CaseValues.from_arrays(models, metric=metric, bounds=bounds, pairing="none")
        (item,) = hw.compare(data, method=method, test="none")
        assert math.isfinite(item.estimate.low)
    data = hw.CaseValues.from_arrays(models, metric="hd", pairing="none")
    with pytest.raises(hw.OptionError, match="intervals of one level"):
        hw.compare(data, method=method, test="none")


def test_few_equal_distances_have_the_lower_end_of_dirichlet() -> None:
    for n in (3, 9):
        e = of(np.full(n, 2.0), metric="hd")
        # P(the pseudo-case at 0 weighs more) of a Beta(½, n) variate.
        assert e.low == pytest.approx(2 * (1 - stats.beta(0.5, n).isf(0.025)))
        assert math.isinf(e.high)
        bounded = of(np.full(n, 2.0), bounds=(0, 50))
        assert e.low == pytest.approx(bounded.low)


def test_an_open_end_is_written_as_a_bound_everywhere() -> None:
    e = of(SKEWED[:5], metric="hd")
    assert "lower 97.5 % confidence bound" in e.sentence()
    assert "inf" not in e.sentence()
    row = e.to_dict()
    assert row["alternative"] == "lower"
    assert row["asked"]["confidence_level"] == 0.95
