"""What a study records of a method, against slow definitions and other libraries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from halfwidth import Bounds
from halfwidth.core.types import UNBOUNDED, Array
from halfwidth.study.simulation.performance import (
    COLUMNS,
    INTERVALS,
    POINTS,
    Bounded,
    Point,
    interval_performance,
    point_performance,
)

UNIT = Bounds(0, 1)
NAN, INF = math.nan, math.inf


def _point(value: float, batch: Any, spread: float = NAN) -> Point:
    return Point(value, spread, np.asarray(batch, dtype=np.intp))


def _recorded(
    low: Any, high: Any, value: float, batch: Any = None, inside: Bounds = UNIT
) -> dict[str, Any]:
    low, high = np.asarray(low, float), np.asarray(high, float)
    batch = np.zeros(len(low)) if batch is None else batch
    return interval_performance(
        Bounded(low, high, np.zeros(len(low))), _point(value, batch), inside
    )


# --------------------------------------------------------------------------- slow definitions


def _mean(values: Sequence[float]) -> float:
    if not values:
        return NAN
    return INF if INF in values else math.fsum(values) / len(values)


def _quartile(widths: Sequence[float], p: float) -> float:
    """Type 7, by its definition; between a finite and an infinite width it is infinite."""
    if not widths:
        return NAN
    ordered = sorted(widths)
    position = (len(ordered) - 1) * p
    below = math.floor(position)
    if position == below or ordered[below] == INF:
        return ordered[below]
    return ordered[below] + (position - below) * (ordered[below + 1] - ordered[below])


def _share_and_error(hit: list[bool], among: list[bool], batch: list[int]) -> tuple[float, float]:
    """A ratio of totals of clusters and its standard error, as Cochran (1977), 11.11, has it."""
    total = sum(among)
    if not total:
        return NAN, NAN
    clusters = range(max(batch) + 1)
    share = sum(h and a for h, a in zip(hit, among, strict=True)) / total
    if len(clusters) < 2:
        return share, NAN
    residuals = []
    for one in clusters:
        mine = [i for i, b in enumerate(batch) if b == one]
        hits = sum(hit[i] and among[i] for i in mine)
        residuals.append(hits - share * sum(among[i] for i in mine))
    many = len(residuals)
    spread = math.fsum(r * r for r in residuals) / (many - 1)
    return share, math.sqrt(many * spread) / total


def _outside(low: float, high: float, inside: Bounds) -> float:
    """Length of [low, high] less that of what lies in the range, over the former."""
    overlap = max(0.0, min(high, inside.high) - max(low, inside.low))
    return 1 - overlap / (high - low)


def _slowly(made: Bounded, truth: Point, inside: Bounds) -> dict[str, Any]:
    covers, below, above, defined, widths, centres, outside = [], [], [], [], [], [], []
    for low, high in zip(made.low.tolist(), made.high.tolist(), strict=True):
        known = not (math.isnan(low) or math.isnan(high))
        sizes = [abs(x) for x in (truth.value, low, high) if math.isfinite(x)]
        slack = 1e-12 * max(sizes, default=0.0)
        below.append(known and high < truth.value - slack)
        above.append(known and low > truth.value + slack)
        covers.append(known and low - slack <= truth.value <= high + slack)
        defined.append(known)
        if not known:
            continue
        width = high - low
        widths.append(width)
        if math.isfinite(width):
            centres.append((low + high) / 2 - truth.value)
            if width > 0:
                outside.append(_outside(low, high, inside))
    batch = truth.batch.tolist()
    coverage, error = _share_and_error(covers, [True] * len(covers), batch)
    of_defined, its_error = _share_and_error(covers, defined, batch)
    relative = truth.interdecile_range if truth.interdecile_range > 0 else NAN
    return {
        "coverage": coverage,
        "coverage_se": error,
        "coverage_defined": of_defined,
        "coverage_defined_se": its_error,
        "missed_below": sum(below) / len(below),
        "missed_above": sum(above) / len(above),
        "width_mean": _mean(widths),
        "width_q1": _quartile(widths, 0.25),
        "width_median": _quartile(widths, 0.5),
        "width_q3": _quartile(widths, 0.75),
        "width_mean_relative": _mean(widths) / relative,
        "width_median_relative": _quartile(widths, 0.5) / relative,
        "centre_shift": _mean(centres),
        "share_outside": _mean(outside),
        "undefined": len(defined) - sum(defined),
        "zero_width": sum(width <= 0 for width in widths),
        "infinite": sum(math.isinf(width) for width in widths),
        "resamples_undefined": _mean(made.undefined_share.tolist()),
    }


def _random_bounds(generator: np.random.Generator, samples: int, *, infinite: bool) -> Bounded:
    """Bounds about the unit interval: missing, without width, out of range, infinite."""
    ends = np.sort(generator.normal(0.5, 0.5, size=(2, samples)), axis=0)
    low, high = ends[0].copy(), ends[1].copy()
    kind = generator.integers(10, size=samples)
    low[kind == 0] = NAN
    high[kind == 1] = NAN
    high[kind == 2] = low[kind == 2]
    low[kind == 3] = high[kind == 3] = 0.5
    low[kind == 4] += 3.0
    high[kind == 4] += 3.0
    if infinite:
        high[kind == 5] = INF
        low[kind == 6] = -INF
    return Bounded(low, high, generator.random(samples))


@pytest.mark.parametrize("infinite", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_records_are_what_slow_definitions_say(*, seed: int, infinite: bool) -> None:
    generator = np.random.default_rng([seed, infinite])
    samples = int(generator.integers(1, 40))
    # One batch, several of one size, several of different sizes.
    batches = int(generator.integers(1, min(samples, 7) + 1))
    if seed % 2:
        batch = np.arange(samples) * batches // samples
    else:
        batch = np.concatenate([np.arange(batches), generator.integers(batches, size=samples)])
        batch = np.sort(batch[:samples])
    made = _random_bounds(generator, samples, infinite=infinite)
    truth = _point(0.5, batch, generator.choice([0.0, 0.3, NAN]))
    inside = (UNIT, Bounds(0, INF), UNBOUNDED)[seed % 3]
    found, slow = interval_performance(made, truth, inside), _slowly(made, truth, inside)
    assert set(found) == set(INTERVALS)
    for name, value in slow.items():
        assert found[name] == pytest.approx(value, rel=1e-12, abs=1e-14, nan_ok=True), name
    gone = found["undefined"] / samples
    total = found["coverage"] + found["missed_below"] + found["missed_above"] + gone
    assert total == pytest.approx(1, abs=1e-12)
    assert 0 <= found["coverage_low"] <= found["coverage"] <= found["coverage_high"] <= 1


@pytest.mark.parametrize("seed", range(20))
def test_points_are_what_slow_definitions_say(seed: int) -> None:
    generator = np.random.default_rng(seed)
    estimates = generator.normal(2, 0.1, size=int(generator.integers(2, 30)))
    estimates[generator.random(len(estimates)) < 0.2] = NAN
    estimates[0] = 1.9
    if seed % 3 == 0:
        estimates[-1] = INF
    found = point_performance(estimates, _point(2.1, np.zeros(len(estimates))))
    known = [value for value in estimates.tolist() if math.isfinite(value)]
    assert set(found) == set(POINTS)
    assert found["estimate_mean"] == pytest.approx(_mean(known), rel=1e-14)
    assert found["bias"] == pytest.approx(_mean(known) - 2.1, rel=1e-12)
    squares = [(value - 2.1) ** 2 for value in known]
    assert found["rmse"] == pytest.approx(math.sqrt(_mean(squares)), rel=1e-13)
    assert found["estimates_undefined"] == len(estimates) - len(known)
    expected = stats.sem(known) if len(known) > 1 else NAN
    assert found["bias_se"] == pytest.approx(expected, rel=1e-12, nan_ok=True)
    drawn = replace(_point(2.1, np.zeros(len(estimates))), error=0.03)
    with_truth = math.sqrt(expected**2 + 0.03**2)
    assert point_performance(estimates, drawn)["bias_se"] == pytest.approx(with_truth, nan_ok=True)


def test_no_estimate_at_all() -> None:
    found = point_performance(np.full(3, NAN), _point(0.5, [0, 0, 1]))
    assert found.pop("estimates_undefined") == 3
    assert all(math.isnan(value) for value in found.values())


# --------------------------------------------------------------------------- errors of coverages


def test_the_standard_error_is_that_of_a_ratio_of_totals() -> None:
    # Batches of 2, 3 and 4 with 1, 3 and 2 hits: p = 6/9, residuals -1/3, 1, -2/3.
    hits = [1, 0, 1, 1, 1, 1, 1, 0, 0]
    low = np.where(np.array(hits) == 1, 0.0, 0.8)
    found = _recorded(low, low + 0.2, 0.1, [0, 0, 1, 1, 1, 2, 2, 2, 2])
    assert found["coverage"] == pytest.approx(6 / 9, rel=1e-15)
    assert found["coverage_se"] == pytest.approx(math.sqrt(3 / 2 * 14 / 9) / 9, rel=1e-13)


def test_with_batches_of_one_size_it_is_the_error_of_their_mean() -> None:
    generator = np.random.default_rng(4)
    hits = generator.random((10, 50)) < 0.9
    low = np.where(hits.ravel(), 0.0, 0.8)
    found = _recorded(low, low + 0.2, 0.1, np.repeat(np.arange(10), 50))
    assert found["coverage_se"] == pytest.approx(stats.sem(hits.mean(axis=1)), rel=1e-12)


def test_samples_that_share_nothing_have_the_binomial_error() -> None:
    hits = np.random.default_rng(5).random(400) < 0.9
    low = np.where(hits, 0.0, 0.8)
    found = _recorded(low, low + 0.2, 0.1, np.arange(400))
    share = hits.mean()
    assert found["coverage_se"] == pytest.approx(math.sqrt(share * (1 - share) / 399), rel=1e-12)


def _hits(counts: Sequence[int], size: int) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    hits = np.array([[i < count for i in range(size)] for count in counts]).ravel()
    return hits, np.repeat(np.arange(len(counts)), size)


@pytest.mark.parametrize("counts", [(190,), (95, 95), (200,), (0,), (100, 100), (7, 7, 7, 7)])
def test_the_interval_of_a_coverage_is_wilsons_where_batches_agree(counts: tuple[int, ...]) -> None:
    from statsmodels.stats.proportion import proportion_confint

    size = 200 // len(counts)
    hits, batch = _hits(counts, size)
    low = np.where(hits, 0.0, 0.8)
    found = _recorded(low, low + 0.2, 0.1, batch)
    expected = proportion_confint(sum(counts), 200, 0.05, "wilson")
    interval = (found["coverage_low"], found["coverage_high"])
    assert interval == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_batches_that_differ_count_for_fewer_samples() -> None:
    from statsmodels.stats.proportion import proportion_confint

    hits, batch = _hits((50, 40, 48, 30), 50)
    low = np.where(hits, 0.0, 0.8)
    found = _recorded(low, low + 0.2, 0.1, batch)
    share = 168 / 200
    effect = found["coverage_se"] ** 2 / (share * (1 - share) / 200)
    assert effect > 5
    # The effect is known from four batches only: t with 3 degrees of freedom.
    alpha = 2 * stats.norm.sf(stats.t.ppf(0.975, 3))
    expected = proportion_confint(168 / effect, 200 / effect, alpha, "wilson")
    interval = (found["coverage_low"], found["coverage_high"])
    assert interval == pytest.approx(expected, rel=1e-12)


# --------------------------------------------------------------------------- edges


@pytest.mark.parametrize("size", [1e-300, 1e-6, 1.0, 1e9])
def test_a_bound_on_the_truth_covers_it_whatever_the_rounding(size: float) -> None:
    third = size / 3
    near = third * (1 + 4e-16)
    off = third * (1 + 1e-9)
    found = _recorded([near, off, third], [size, size, third], third, inside=UNBOUNDED)
    assert found["coverage"] == pytest.approx(2 / 3)
    assert found["missed_above"] == pytest.approx(1 / 3)
    found = _recorded([0.0, 0.0], [third * (1 - 4e-16), third * (1 - 1e-9)], third)
    assert (found["coverage"], found["missed_below"]) == (0.5, 0.5)


def test_a_truth_of_zero_is_covered_by_a_bound_of_rounding() -> None:
    # -1e-17 comes of (a - b) with a and b about 1: no size of the bounds tells of it.
    found = _recorded([1e-17, -1.0], [1.0, -1e-17], 0.0, inside=UNBOUNDED)
    assert found["coverage"] == 1


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_a_truth_that_does_not_exist_is_neither_covered_nor_missed(value: float) -> None:
    # The mean of a Cauchy distribution: a coverage of 1 or of 0 would both be made up.
    found = _recorded([0.1, 0.2, NAN], [0.4, 0.6, NAN], value, [0, 0, 1])
    for name in INTERVALS:
        if name.startswith(("coverage", "missed", "centre")):
            assert math.isnan(found[name]), name
    assert found["width_mean"] == pytest.approx(0.35)
    assert found["undefined"] == 1


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_points_without_a_truth_warn_of_nothing(value: float) -> None:
    found = point_performance(np.array([0.1, 0.3]), _point(value, [0, 1]))
    assert found["estimate_mean"] == pytest.approx(0.2)
    assert not math.isfinite(found["bias"])
    assert not math.isfinite(found["rmse"])


@pytest.mark.parametrize(
    ("low", "high"), [(-INF, INF), (INF, INF), (-INF, -INF)], ids=["whole", "above", "below"]
)
def test_intervals_with_two_infinite_ends(low: float, high: float) -> None:
    found = _recorded([low, 0.25], [high, 0.75], 0.5, inside=UNBOUNDED)
    assert found["infinite"] == 1
    assert found["coverage"] == (1 if low < high else 0.5)
    assert found["centre_shift"] == 0
    # From ∞ to ∞ there is no width, which is not to make all of them unknown.
    assert found["width_mean"] == INF


def test_quartiles_of_widths_of_which_some_are_infinite() -> None:
    found = _recorded(np.zeros(5), [1, 2, 3, INF, INF], 0.5, inside=UNBOUNDED)
    quartiles = [found[f"width_{name}"] for name in ("q1", "median", "q3")]
    assert quartiles == [2, 3, INF]


@pytest.mark.parametrize(
    ("low", "high", "share"),
    [
        (0.25, 0.75, 0.0),
        (-0.5, 0.5, 0.5),
        (0.5, 1.5, 0.5),
        (-1.0, 3.0, 0.75),
        (1.5, 2.5, 1.0),
        (-2.0, -1.0, 1.0),
        (0.0, 1.0, 0.0),
    ],
)
def test_the_share_of_an_interval_out_of_range(low: float, high: float, share: float) -> None:
    assert _recorded([low], [high], 0.5)["share_outside"] == pytest.approx(share, abs=1e-15)
    assert _recorded([low], [high], 0.5, inside=UNBOUNDED)["share_outside"] == 0


def test_nothing_but_undefined_intervals() -> None:
    none = np.full(4, NAN)
    found = _recorded(none, none, 0.5, [0, 0, 1, 1])
    assert (found["coverage"], found["undefined"], found["zero_width"]) == (0, 4, 0)
    for name in ("coverage_defined", "coverage_defined_se", "width_mean", "width_q1"):
        assert math.isnan(found[name]), name


def test_columns_are_those_of_a_row_and_stand_once() -> None:
    assert len(COLUMNS) == 50
    assert set(INTERVALS) < set(COLUMNS)
    assert set(POINTS) < set(COLUMNS)


def test_records_do_not_touch_what_they_are_made_of() -> None:
    made = _random_bounds(np.random.default_rng(1), 20, infinite=True)
    before: list[Array] = [made.low.copy(), made.high.copy()]
    interval_performance(made, _point(0.5, np.zeros(20)), UNIT)
    assert np.array_equal(before[0], made.low, equal_nan=True)
    assert np.array_equal(before[1], made.high, equal_nan=True)
