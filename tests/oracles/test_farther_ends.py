"""Methods whose ends are the farther ones of two: in thin strata, and of both readings."""

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
LEVELS = (0.5, 0.95, 0.999)
SLOW_PLACES = [pytest.param(place, marks=pytest.mark.slow) for place in (2, 3)]


def of(values: Any, **given: Any) -> hw.Estimate:
    options: dict[str, Any] = {"metric": "dsc", "rng": 1}
    return hw.summary_ci(values, **options | given)


# --------------------------------------------------------------------------- thin strata


def stratified() -> list[tuple[Array, Array]]:
    rng = np.random.default_rng(3)
    failing = np.where(rng.random(24) < 0.1, 0.0, rng.normal(0.9, 0.02, 24))
    return [
        (rng.beta(8, 2, 12), np.arange(12) % 3),
        (failing, np.arange(24) % 12),
        (rng.beta(30, 3, 9), np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])),
        (rng.beta(8, 2, 40), np.arange(40) % 20),
    ]


@pytest.mark.parametrize("place", [0, 1, *SLOW_PLACES])
@pytest.mark.parametrize("level", [0.95, pytest.param(0.999, marks=pytest.mark.slow)])
def test_of_thin_strata_each_end_is_the_farther_of_two(place: int, level: float) -> None:
    values, strata = stratified()[place]
    chosen, placed, plain = (
        of(values, strata=strata, confidence_level=level, method=method)
        for method in ("auto", "dirichlet_pareto", "t")
    )
    assert chosen.method == "dirichlet_pareto_or_t"
    assert chosen.low == pytest.approx(max(min(placed.low, plain.low), 0))
    assert chosen.high == pytest.approx(min(max(placed.high, plain.high), 1))
    assert chosen.low <= chosen.value <= chosen.high


def test_intervals_of_thin_strata_widen_with_the_level_and_move_with_the_values() -> None:
    for values, strata in stratified()[:1]:
        made = [of(values, strata=strata, confidence_level=level) for level in LEVELS]
        for inner, outer in itertools.pairwise(made):
            assert outer.low <= inner.low
            assert inner.high <= outer.high
        e = of(10 + 3 * values, strata=strata, metric=None, bounds=(10, 13))
        assert [(end - 10) / 3 for end in (e.low, e.high)] == pytest.approx(
            [made[1].low, made[1].high], abs=1e-6
        )
        for side in ("lower", "upper"):
            one = of(values, strata=strata, confidence_level=0.975, alternative=side)
            ends = (one.low, made[1].low) if side == "lower" else (one.high, made[1].high)
            assert ends[0] == pytest.approx(ends[1])


def test_differences_within_thin_strata_reach_as_far_as_either_too() -> None:
    first, strata = stratified()[0]
    models = {"a": first, "b": np.random.default_rng(4).beta(8, 2, 12)}
    data = hw.CaseValues.from_arrays(models, metric="dsc", strata=strata)
    made = {
        method: hw.compare(data, method=method, rng=1)[0]
        for method in ("auto", "dirichlet_pareto", "t")
    }
    ends = {name: (one.estimate.low, one.estimate.high) for name, one in made.items()}
    assert made["auto"].estimate.method == "dirichlet_pareto_or_t"
    assert ends["auto"][0] == pytest.approx(min(ends["dirichlet_pareto"][0], ends["t"][0]))
    assert ends["auto"][1] == pytest.approx(max(ends["dirichlet_pareto"][1], ends["t"][1]))


def test_distances_in_thin_strata_have_no_upper_bound_to_go_by() -> None:
    values, strata = np.random.default_rng(3).lognormal(1, 1, 12), np.arange(12) % 3
    e = of(values, metric="hd", strata=strata)
    placed, plain = (
        of(values, metric="hd", strata=strata, method=method)
        for method in ("dirichlet_pareto", "t")
    )
    assert e.method == "dirichlet_pareto_or_t"
    assert e.low == pytest.approx(max(min(placed.low, plain.low), 0))
    assert e.high == max(placed.high, plain.high)
    few = of(values[:8], metric="hd", strata=strata[:8])
    assert math.isinf(few.high)
    assert "8 cases do not show how far above them" in message(few, "HW322")


def test_one_case_in_each_stratum_has_no_interval() -> None:
    for metric in ("dsc", "hd"):
        e = of([0.2, 0.5, 0.9], metric=metric, strata=[1, 2, 3])
        assert math.isnan(e.low)
        assert math.isnan(e.high)
        assert "no stratum holds two units to compare" in message(e, "HW306")


@pytest.mark.slow
def test_thin_strata_of_a_model_that_fails_are_covered() -> None:
    """Three strata of four, values near 1 and some far below."""
    rng, strata = np.random.default_rng(5), np.arange(12) % 3
    off = stats.lognorm(1.3, scale=0.03).ppf((np.arange(20_000) + 0.5) / 20_000)
    population = np.maximum(1 - off, 0)
    truth, held = population.mean(), {"auto": 0, "t": 0}
    for _ in range(300):
        values = rng.choice(population, 12)
        for method in held:
            draws = {"n_resamples": 999} if method == "auto" else {}
            e = of(values, strata=strata, method=method, **draws)
            held[method] += e.low <= truth <= e.high
    assert held["t"] / 300 < 0.88
    assert held["auto"] / 300 > held["t"] / 300 + 0.06


# --------------------------------------------------------------------------- both readings


def readings() -> list[Array]:
    rng = np.random.default_rng(6)
    return [
        np.tile([0.0, 1.0], 5),
        np.tile([0.0, 1.0], 20),
        np.array([0.0, 1.0, 1.0, 0.0, 0.5]),
        np.array([0.0, 1.0, 1.0]),
        rng.beta(0.3, 0.3, 12),
        rng.beta(8, 2, 12),
        np.append(rng.beta(30, 2, 29), 0.0),
    ]


@pytest.mark.parametrize("place", [0, 4, 5, *SLOW_PLACES])
@pytest.mark.parametrize("statistic", ["mean", "sd"])
def test_allowing_for_failures_unseen_never_makes_an_interval_shorter(
    place: int, statistic: str
) -> None:
    values = readings()[place]
    for level in (0.95, 0.999):
        given: dict[str, Any] = {"metric": "dsc", "statistic": statistic, "rng": 1}
        given |= {"bounds": (0, 1), "confidence_level": level}
        seen = hw.summary_ci(values, **given)
        other = seen.if_unseen_failures
        assert seen.method == "dirichlet_pareto"
        assert other is not None
        assert other.low <= seen.low <= seen.value <= seen.high <= other.high
        unseen = hw.summary_ci(values, **given, failures="unseen")
        assert (unseen.low, unseen.high) == pytest.approx(other)
        # Each end is the farther one of the two methods by themselves.
        alone = hw.summary_ci(values, **given, method="dirichlet")
        assert other.low == pytest.approx(min(seen.low, alone.low), abs=1e-9)
        assert other.high == pytest.approx(max(seen.high, alone.high), abs=1e-9)
        named = hw.summary_ci(values, **given, method=unseen.method)
        assert (named.low, named.high) == (unseen.low, unseen.high)


def test_of_differences_and_clusters_it_is_the_farther_end_too() -> None:
    rng = np.random.default_rng(7)
    values = np.tile([0.0, 1.0, 1.0], 8)
    e = of(values, bounds=(0, 1), groups=np.arange(24) // 2)
    first, second = np.tile([0.0, 0.0, 1.0, 1.0], 4), np.tile([0.0, 1.0, 0.0, 1.0], 4)
    second[0] += 0.5 * rng.random()
    (pair,) = hw.compare({"a": first, "b": second}, metric="dsc", rng=1)
    for one in (e, pair.estimate):
        other = one.if_unseen_failures
        assert other is not None
        assert other.low <= one.low <= one.high <= other.high


def test_without_bounds_there_is_one_reading() -> None:
    values = np.random.default_rng(8).lognormal(size=20)
    assert of(values, metric="hd").if_unseen_failures is None
    with pytest.raises(hw.OptionError, match="tells seen from unseen"):
        of(values, metric="hd", failures="unseen")
    assert "HW315" not in codes(of(values, metric="hd"))
