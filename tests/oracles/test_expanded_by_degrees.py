"""`percentile_expanded` and `dirichlet_expanded` against their plain methods, SciPy's t and ν."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from detectors import match_lists, records_of
from numpy.typing import NDArray
from scipy import stats

import halfwidth as hw
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Bounds, Level
from halfwidth.estimation.differences import difference_functional
from halfwidth.intervals.catalogue import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import jackknife_degrees, leave_one_out
from halfwidth.summaries.catalogue import STATISTICS

Array = NDArray[np.float64]
MEAN = Statistic(STATISTICS["mean"])
RESAMPLES = 499


def degrees_by_scipy(values: Array) -> float:
    """2G/(κ - 1), at most G - 1."""
    kurtosis = float(stats.kurtosis(values, fisher=False))
    return min(2 * len(values) / (kurtosis - 1), len(values) - 1.0)


def difference_of_detectors(seed: int, images: int, effect: Any = "difference") -> tuple[Any, ...]:
    functional, pair = records_of(match_lists(seed, images), "ap")
    contrast = difference_functional(functional, effect)
    return contrast, np.stack(pair), Design((images,), paired=True)


def ends(contrast: Any, pair: Array, design: Design, name: str, level: Level) -> Array:
    (made,) = intervals(
        pair[None],
        contrast.statistic,
        [METHODS[name]],
        level,
        bounds=contrast.metric.spec.bounds,
        plan=Plan(3, RESAMPLES),
        design=design,
    )
    return np.array([made.interval.low[0], made.interval.high[0]])


@pytest.mark.parametrize("draw", ["normal", "exponential", "standard_cauchy"])
def test_the_degrees_of_freedom_of_a_mean_are_those_of_its_kurtosis(draw: str) -> None:
    values = np.sort(getattr(np.random.default_rng(4), draw)(size=(3, 40)))
    wanted = [degrees_by_scipy(one) for one in values]
    np.testing.assert_allclose(jackknife_degrees(values, Design.iid(40), MEAN), wanted, rtol=1e-9)


def test_degrees_of_freedom_lie_between_one_and_units_less_strata() -> None:
    """Deviations of one size know their size; where one case differs ν is little above 2."""
    two_values, one_differs = np.repeat([0.0, 1.0], 10), np.append(np.zeros(19), 1.0)
    both, iid = np.stack([two_values, one_differs]), Design.iid(20)
    found = jackknife_degrees(np.concatenate([both, np.ones((1, 20))]), iid, MEAN)
    np.testing.assert_allclose(found, [19, degrees_by_scipy(one_differs), np.nan])
    assert 2 < found[1] < 2.4
    values, strata = arrange(two_values, strata=np.arange(20) % 4)
    assert jackknife_degrees(values[None], strata, MEAN) == 16


def test_they_are_of_patients_where_these_are_drawn() -> None:
    contrast, pair, _ = difference_of_detectors(5, 24)
    arranged, design = arrange(pair[0], np.arange(24) // 3, paired=True, identities=np.arange(24))
    both = np.stack([arranged, arrange(pair[1], np.arange(24) // 3, paired=True,
                                       identities=np.arange(24))[0]])  # fmt: skip
    left_out = leave_one_out(both[None], design, contrast.statistic)[0]
    assert left_out.shape == (8,)
    found = jackknife_degrees(both[None], design, contrast.statistic)
    np.testing.assert_allclose(found, degrees_by_scipy(left_out))


@pytest.mark.parametrize("name", ["percentile", "dirichlet"])
@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_ends_lie_further_by_t_over_z(name: str, side: Any) -> None:
    contrast, pair, design = difference_of_detectors(6, 30)
    level = Level(0.9, side)
    plain, found = (ends(contrast, pair, design, name + more, level) for more in ("", "_expanded"))
    value = float(contrast.statistic(pair[None])[0])
    nu = degrees_by_scipy(leave_one_out(pair[None], design, contrast.statistic)[0])
    tail = 0.05 if side == "two-sided" else 0.1
    factor = math.sqrt(30 / 29) * stats.t.ppf(tail, nu) / stats.norm.ppf(tail)
    wanted = np.clip(value + factor * (plain - value), -1, 1)
    open_end = {"lower": 1, "upper": 0}.get(side)
    if open_end is not None:
        wanted[open_end] = (-1, 1)[open_end]
    np.testing.assert_allclose(found, wanted, rtol=1e-10)
    assert nu < 29
    assert (np.delete(found - plain, open_end if open_end is not None else []) != 0).all()


def test_of_a_ratio_the_logarithms_reach_further() -> None:
    contrast, pair, design = difference_of_detectors(6, 30, "ratio")
    level = Level(0.95)
    plain, found = (
        ends(contrast, pair, design, name, level) for name in ("percentile", "percentile_expanded")
    )
    value = float(contrast.statistic(pair[None])[0])
    nu = degrees_by_scipy(leave_one_out(pair[None], design, contrast.statistic)[0])
    factor = math.sqrt(30 / 29) * stats.t.ppf(0.025, nu) / stats.norm.ppf(0.025)
    np.testing.assert_allclose(found, value * (plain / value) ** factor, rtol=1e-10)


def test_a_level_beyond_the_draws_takes_their_outermost_as_what_they_are() -> None:
    """At 99.99 % the outermost of 499 draws stands for a tail of 1/500, not of 1/20 000."""
    contrast, pair, design = difference_of_detectors(6, 30)
    level = Level(0.9999)
    plain, found = (
        ends(contrast, pair, design, name, level) for name in ("percentile", "percentile_expanded")
    )
    value = float(contrast.statistic(pair[None])[0])
    nu = degrees_by_scipy(leave_one_out(pair[None], design, contrast.statistic)[0])
    factor = math.sqrt(30 / 29) * stats.t.ppf(0.00005, nu) / stats.norm.ppf(1 / 500)
    np.testing.assert_allclose(found, np.clip(value + factor * (plain - value), -1, 1), rtol=1e-10)


def test_means_carried_by_few_cases_are_covered() -> None:
    """Of 30 cases 1 in 5 differs from 0: resamples say 95 % and hold 91 %, t with ν holds 97 %."""
    generator = np.random.default_rng(7)
    values = generator.normal(size=(2000, 30)) * (generator.random((2000, 30)) < 0.2)
    made = intervals(
        np.sort(values[values.any(axis=1)]),
        MEAN,
        [METHODS["percentile"], METHODS["percentile_expanded"]],
        Level(0.95),
        bounds=Bounds(-math.inf, math.inf),
        plan=Plan(1, RESAMPLES),
    )
    short, held = (((one.interval.low <= 0) & (one.interval.high >= 0)).mean() for one in made)
    assert short < 0.935
    assert 0.94 < held < 0.985


def test_two_perfect_detectors_have_an_interval_of_what_was_not_seen() -> None:
    """No image changes their difference, which is 0 in every resample."""
    boxes = [[10.0, 10.0, 50.0, 50.0]]
    references = [{"boxes": boxes, "labels": [1]} for _ in range(30)]
    models = {
        name: [{**one, "scores": [score]} for one in references]
        for name, score in (("a", 0.9), ("b", 0.8))
    }
    found = hw.compare(
        hw.Detections.from_files(models, references), metric="ap50", rng=1, n_resamples=499
    )
    difference = found["a", "b"].estimate
    assert difference.method == "dirichlet_expanded"
    assert difference.low < 0 < difference.high
    asked = hw.compare(
        hw.Detections.from_files(models, references),
        metric="ap50",
        rng=1,
        n_resamples=499,
        method="percentile_expanded",
    )["a", "b"].estimate
    assert math.isnan(asked.low)
    assert any("dirichlet_expanded" in one.message for one in asked.cautions)
