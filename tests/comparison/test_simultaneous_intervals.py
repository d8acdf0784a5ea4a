"""Which way simultaneous intervals are made, and that it is the way that they name."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from batches import statistic_of
from halfwidth.comparison.simultaneous import (
    Comparanda,
    Simultaneous,
    evidence_of,
    simultaneous_intervals,
)
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth.core.pseudo_cases import PseudoCases, Reach
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import Level
from halfwidth.estimation.differences import difference_functional, paired_records
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import Request, resolve_metric, resolve_request
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.joint.dirichlet import draws_of_means, draws_of_test_sets
from halfwidth.resampling.joint.simultaneous import all_pairs, studentized_differences

Array = NDArray[Any]
PAIRS = all_pairs(3)
PLAN = Plan(5, 999)


def request(**options: Any) -> Request:
    given = {"method": "auto", "confidence_level": 0.95, "alternative": "two-sided"}
    given |= {"n_resamples": 999, "rng": 5, "missing": "raise", "penalty": None, "over": "cases"}
    return resolve_request(**{**given, **options})


def values_of(n: int, *, seed: int = 2) -> Array:
    generator = np.random.default_rng(seed)
    return np.clip(
        0.8 + 0.1 * generator.normal(size=n) + 0.05 * generator.normal(size=(3, n)), 0, 1
    )


def records(values: Array) -> list[Records]:
    n = values.shape[-1]
    arranged = [arrange(one, identities=np.arange(n)) for one in values]
    return [Records(one, design, n, np.sort(one)) for one, design in arranged]


def made(
    functional: Functional, values: Array, effect: Any = "difference", **options: Any
) -> tuple[Simultaneous, list[hw.Estimate], list[Level]]:
    """Simultaneous intervals, the single ones, and the levels that were asked for."""
    return made_of(functional, records(values), effect, **options)


def made_of(
    functional: Functional, models: list[Records], effect: Any = "difference", **options: Any
) -> tuple[Simultaneous, list[hw.Estimate], list[Level]]:
    given, levels = request(**options), []
    jobs = [Job(functional, one) for one in models]

    def singles(level: Level) -> tuple[hw.Estimate, ...]:
        levels.append(level)
        pairs = [pair_of(jobs[first], jobs[second], effect) for first, second in PAIRS]
        return estimate_jobs(pairs, replace(given, level=level))

    estimates = list(singles(given.level))
    family = Comparanda(functional, models, PAIRS, effect)
    together_ = simultaneous_intervals(family, PLAN, given.level, estimates, singles)
    return together_, estimates, levels[1:]


def pair_of(first: Job, second: Job, effect: Any) -> Job:
    """The contrast of two models as a job."""
    functional = difference_functional(first.functional, effect)
    both = paired_records(first.records, second.records, functional)
    return replace(first, functional=functional, records=both)


def mean_of(metric: str) -> Functional:
    return Functional(Statistic(hw.STATISTICS["mean"]), resolve_metric(metric, None))


def methods(of: Simultaneous) -> list[str]:
    return [one.method for one in of.intervals]


@pytest.mark.parametrize(
    ("n", "method", "name", "reach"),
    # Of few cases the pseudo-case at the bounds, which all pairs share, would outweigh them.
    [
        (20, "auto", "dirichlet_pareto", Reach(5.0, shared=True)),
        (2000, "dirichlet", "dirichlet", None),
    ],
)
def test_dirichlet_intervals_are_made_at_the_level_at_which_they_hold_together(
    n: int, method: str, name: str, reach: Reach | None
) -> None:
    values, functional = values_of(n), mean_of("dsc")
    got, estimates, levels = made(functional, values, method=method)
    assert methods(got) == [name] * 3
    design = records(values)[0].design
    half = PseudoCases.outward(0.5, hw.Bounds(0, 1), paired=True, reach=reach)
    assert levels == [draws_of_means(values, PAIRS, design, PLAN, half).together(Level(0.95)).level]
    assert 0.95 < levels[0].confidence_level < 1 - 0.05 / 3
    for interval, single in zip(got.intervals, estimates, strict=True):
        assert interval.low < single.low < single.high < interval.high
        assert interval.n_comparisons == 3


def test_other_masses_of_pseudo_cases_are_taken_over() -> None:
    _, _, levels = made(mean_of("dsc"), values_of(20), method="dirichlet:mass=2")
    half = PseudoCases.outward(2.0, hw.Bounds(0, 1), paired=True)
    design = records(values_of(20))[0].design
    assert levels == [
        draws_of_means(values_of(20), PAIRS, design, PLAN, half).together(Level(0.95)).level
    ]


@pytest.mark.parametrize("alternative", ["two-sided", "lower", "upper"])
def test_means_without_bounds_get_max_t(alternative: Any) -> None:
    values, functional = 30 * values_of(20), mean_of("hd95")
    got, estimates, levels = made(functional, values, alternative=alternative)
    level = Level(0.95, alternative)
    assert methods(got) == ["max_t"] * 3
    assert not levels  # no other level was needed
    models = records(values)
    differences = studentized_differences(
        [one.arranged for one in models], PAIRS, models[0].design, functional.statistic, PLAN
    )
    bounds = differences.bounds(level)
    for place, (interval, single) in enumerate(zip(got.intervals, estimates, strict=True)):
        low, high = float(bounds.low[place]), float(bounds.high[place])
        assert interval.low == min(low, single.low)
        assert interval.high == max(high, single.high)


def test_a_statistic_without_a_standard_error_gets_bonferronis_share() -> None:
    functional = Functional(Statistic(hw.STATISTICS["median"]), resolve_metric("dsc", None))
    got, estimates, levels = made(functional, values_of(30))
    assert methods(got) == ["bonferroni"] * 3
    assert levels == [Level(1 - 0.05 / 3)]
    assert all(
        interval.low <= single.low and single.high <= interval.high
        for interval, single in zip(got.intervals, estimates, strict=True)
    )


def test_nearly_equal_models_do_not_spoil_the_intervals_of_the_others() -> None:
    """The second model differs from the first in one case of twelve."""
    values = 30 * values_of(12)
    values[1] = values[0]
    values[1, 4] += 3
    got, _, levels = made(mean_of("hd95"), values)
    assert methods(got) == ["bonferroni", "max_t", "max_t"]
    assert levels == [Level(1 - 0.05 / 3)]
    assert all(np.isfinite([one.low, one.high]).all() for one in got.intervals[1:])
    (warning,), *others = got.cautions
    assert warning.code == "HW815"
    assert others == [(), ()]
    models = records(values)
    differences = studentized_differences(
        [one.arranged for one in models],
        PAIRS[1:],
        models[0].design,
        mean_of("hd95").statistic,
        PLAN,
    )
    # Two of three comparisons have two thirds of the error probability.
    assert got.intervals[1].low == differences.bounds(Level(1 - 0.05 * 2 / 3)).low[0]


def test_ratios_come_back_from_the_log_scale() -> None:
    values, functional = 30 * values_of(25), mean_of("hd95")
    got, estimates, _ = made(functional, values, effect="ratio")
    assert methods(got) == ["max_t"] * 3
    for interval, single in zip(got.intervals, estimates, strict=True):
        assert 0 < interval.low <= single.low < single.value < single.high <= interval.high


def cells_of_models(n: int = 60) -> Array:
    """Cells of the tables of three models on two classes."""
    generator = np.random.default_rng(3)
    truth = generator.integers(0, 2, n)
    wrong = generator.random((3, n)) < np.array([[0.1], [0.2], [0.4]])
    return np.asarray(2 * truth + np.where(wrong, 1 - truth, truth), dtype=float)


def made_of_tables(
    metric: str, **options: Any
) -> tuple[Simultaneous, list[hw.Estimate], list[Level]]:
    codes = cells_of_models()
    functional = Functional(statistic_of(metric, "", 2), Metric(hw.SAMPLE_METRICS[metric]))
    models = [Records(one, arrange(one, identities=np.arange(60))[1], 60) for one in codes]
    return made_of(functional, models, **options)


def test_functions_of_tables_get_max_t_within_their_range() -> None:
    got, _, levels = made_of_tables("mcc", method="percentile")
    assert methods(got) == ["max_t"] * 3
    assert not levels
    assert all(-2 <= one.low < one.high <= 2 for one in got.intervals)


def test_dirichlet_intervals_of_test_sets_rest_on_the_draws_that_these_share() -> None:
    got, estimates, (level,) = made_of_tables("mcc", method="dirichlet")
    assert methods(got) == ["dirichlet"] * 3
    assert 0.95 < level.confidence_level < 1 - 0.05 / 3
    for interval, single in zip(got.intervals, estimates, strict=True):
        assert interval.low < single.low < single.high < interval.high
    # As many draws as the level allows lie beyond a bound of any pair.
    codes = cells_of_models()
    statistic, half = statistic_of("mcc", "", 2), PseudoCases.outward(0.5, hw.Bounds(-1, 1))
    draws = draws_of_test_sets(
        codes, PAIRS, Design((60,), paired=True), statistic, PLAN, half, "difference"
    )
    assert draws is not None
    outside = np.zeros(PLAN.n_resamples, dtype=bool)
    for place, interval in enumerate(got.intervals):
        lower, upper = draws.contrasts(place)
        outside |= (lower < interval.low) | (upper > interval.high)
    assert 0.03 < outside.mean() <= 0.05


@pytest.mark.parametrize(
    ("metric", "statistic", "ways"),
    [
        ("dsc", "mean", {"dirichlet_pareto"}),
        ("hd95", "mean", {"max_t", "bonferroni"}),
        ("dsc", "median", {"bonferroni"}),
    ],
)
def test_stepdown_claims_what_the_intervals_say_and_more(
    metric: str, statistic: str, ways: set[str]
) -> None:
    generator = np.random.default_rng(7)
    lead = np.array([0.0, 0.0, 0.05, 0.3])[:, None]
    values = np.clip(0.4 + lead + 0.1 * generator.normal(size=(4, 40)), 0, 1)
    values[1] = values[0]
    values[1, 0] += 0.01  # the first two differ in one case
    functional = Functional(Statistic(hw.STATISTICS[statistic]), resolve_metric(metric, None))
    models, pairs = records(values), all_pairs(4)
    jobs = [Job(functional, one) for one in models]

    def of_some(level: Level, some: NDArray[np.bool_]) -> tuple[hw.Estimate, ...]:
        both = [pair_of(jobs[first], jobs[second], "difference") for first, second in pairs[some]]
        return estimate_jobs(both, replace(request(), level=level))

    every = np.ones(len(pairs), dtype=bool)
    singles = functools.partial(of_some, some=every)
    estimates, family = singles(Level(0.95)), Comparanda(functional, models, pairs)
    got = simultaneous_intervals(family, PLAN, Level(0.95), estimates, singles)
    assert set(methods(got)) == ways
    for margin in (0.0, 0.05):
        evidence = evidence_of(family, PLAN, Level(0.95), estimates, of_some, margin)
        claims = evidence.claims(every).better
        said = [(one.low > margin, one.high < -margin) for one in got.intervals]
        assert (claims >= np.array(said)).all()
        assert not claims[0].any()
        assert claims[pairs[:, 1] == 3, 1].all()  # the last model leads by far
        assert not claims[:, 0].any()
