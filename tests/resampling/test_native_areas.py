"""Kernels for ranked scores: the sums of plain NumPy on the same draws, exact where whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth.arithmetic.areas import areas_of_counts
from halfwidth.arithmetic.ranked_scores import rank
from halfwidth.core import rng
from halfwidth.core.forms import Area, RankedAreas, Ranking
from halfwidth.core.spec import Metric
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.evaluation import replicates_of
from halfwidth.resampling.forms.ranked_samples import RankedSamples
from halfwidth.resampling.kernels import native, native_areas
from halfwidth.resampling.kernels.native import side_by_side
from halfwidth.resampling.kernels.native_areas import prepared

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no compiled library")

Array = NDArray[Any]
KEY = rng.Key(2**100 + 12345)
# Around the borders of bytes, of the rules for draws, and of the pieces that a kernel works in.
UNITS = [1, 2, 3, 15, 16, 17, 31, 33, 250, 255, 256, 257, 1000, 1024, 1025, 4096, 8193]


def counts_of(key: rng.Key, start: int, stop: int, units: int) -> Array:
    draws = rng.indices(key, start, stop, units, units)
    return np.stack([np.bincount(row, minlength=units) for row in draws])


def area_of(kind: str) -> Area:
    area = Metric(hw.SAMPLE_METRICS[kind]).form
    assert isinstance(area, Area)
    return area


def areas_of_resamples(kind: str, ranking: Ranking, design: Design, plan: Plan) -> Array:
    form = RankedAreas(area_of(kind), lambda _: ranking, lambda areas, _: areas[..., 0])
    rows = len(ranking.case)
    return replicates_of(RankedSamples(form, ranking, rows, design), rows, design, plan)


def drawn(kind: str, unit: Array, mark: Array, units: int, start: int, stop: int) -> Array:
    """Areas and positives of lists, from the library."""
    lists = prepared(unit.astype(np.int32), mark, units, auroc=kind == "auroc")
    counts = side_by_side([(KEY, 0, units)], start, stop, units)
    return np.array(native_areas.areas(lists, counts, 0, len(unit)))


def check(scores: Array, positive: Array, unit: Array, units: int, resamples: int = 40) -> None:
    found = rank(positive.astype(bool), scores.astype(float))
    of_entry = np.take_along_axis(unit, found.case.astype(np.intp), axis=-1)
    ranking, stop = Ranking(of_entry.astype(np.int32), found.mark), 3 + resamples
    counts = counts_of(KEY, 3, stop, units)
    for kind in ("auroc", "average_precision"):
        areas, held = areas_of_counts(area_of(kind), ranking, np.arange(units), counts)
        made = drawn(kind, of_entry, found.mark, units, 3, stop)
        assert np.array_equal(made[1], held)
        # Twice the area is a whole number; average precisions differ by rounding.
        np.testing.assert_allclose(made[0], areas, rtol=0 if kind == "auroc" else 1e-12)
        cuts = ((3, 4), (4, stop - 1), (stop - 1, stop))
        parts = [drawn(kind, of_entry, found.mark, units, *cut) for cut in cuts]
        assert np.array_equal(np.concatenate(parts, axis=-1), made, equal_nan=True), "to the bit"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("levels", [1, 3, 10**9])
@pytest.mark.parametrize("rate", [0.0, 0.03, 0.5, 1.0])
def test_sums_of_one_list(units: int, levels: int, rate: float) -> None:
    draw = np.random.default_rng(units + levels)
    scores = draw.integers(0, levels, (1, units))
    check(
        scores,
        draw.random((1, units)) < rate,
        np.arange(units)[None],
        units,
        40 if units < 2000 else 5,
    )


@pytest.mark.parametrize("units", [1, 3, 40, 256, 1025, 5000])
@pytest.mark.parametrize(("rows", "each"), [(3, 1), (2, 3), (4, 20)])
def test_sums_of_several_lists_with_several_entries_of_a_unit(
    units: int, rows: int, each: int
) -> None:
    draw = np.random.default_rng(units + rows)
    entries = units * each
    unit = np.stack([draw.permutation(np.arange(entries) % units) for _ in range(rows)])
    scores = draw.integers(0, 50, (rows, entries))
    check(scores, draw.random((rows, entries)) < 0.3, unit, units, 3 if entries > 2000 else 40)


@pytest.mark.parametrize(
    "units", [2**18 + 5, *(pytest.param(n, marks=pytest.mark.slow) for n in (2**20, 2**20 + 1))]
)
@pytest.mark.parametrize("order", [1, -1])
def test_sums_of_large_lists_in_either_order(units: int, order: int) -> None:
    draw = np.random.default_rng(units)
    scores = order * np.arange(units)[None]
    check(scores, draw.random((1, units)) < 0.5, np.arange(units)[None], units, 3)


def test_a_list_may_leave_units_out_and_dwell_on_one() -> None:
    draw = np.random.default_rng(4)
    check(draw.integers(0, 9, (2, 20)), draw.random((2, 20)) < 0.5, np.full((2, 20), 7), 300)
    check(draw.random((2, 7000)), draw.random((2, 7000)) < 0.3, np.full((2, 7000), 1), 50)


def test_a_perfect_ranking_has_no_rounding() -> None:
    scores = np.arange(9500.0)[None]
    ranking = rank(scores > 4000, scores)
    for kind in ("auroc", "average_precision"):
        assert (drawn(kind, ranking.case, ranking.mark, 9500, 0, 50)[0] == 1).all()


def test_entries_that_lie_outside_are_refused_before_c_reads_them() -> None:
    mark = np.full((1, 4), Ranking.LAST_OF_TIES, np.uint8)
    for unit in ([[0, 1, 2, 4]], [[-1, 1, 2, 3]], [[0, 1, 2]]):
        with pytest.raises(ValueError, match=r"refused|in one piece"):
            prepared(np.array(unit, np.int32), mark, 4, auroc=True)
    lists = prepared(np.array([[0, 1, 2, 3]], np.int32), mark, 4, auroc=True)
    counts = side_by_side([(KEY, 0, 5)], 0, 3, 5)
    with pytest.raises(ValueError, match="5 units"):
        native_areas.areas(lists, counts, 0, 1)


DESIGNS = {
    "independent": Design((60,), paired=True),
    "strata": Design((20, 40), paired=True),
    "clusters": Design((30,), (2,) * 30, paired=True),
    "unequal clusters": Design((3, 3), (5, 10, 15, 8, 12, 10), paired=True),
}


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
@pytest.mark.parametrize("kind", ["auroc", "average_precision"])
def test_areas_of_resamples_are_those_of_plain_numpy(design: Design, kind: str) -> None:
    draw = np.random.default_rng(5)
    scores = draw.integers(0, 20, (3, 60)).astype(float)
    ranking = rank(draw.random((3, 60)) < 0.2, scores)
    made = [
        areas_of_resamples(kind, ranking, design, Plan(3, 99, compiled=use))
        for use in (False, True)
    ]
    assert np.isnan(made[0]).any() or design.units > 6
    np.testing.assert_allclose(made[1], made[0], rtol=1e-12)


def test_threads_change_nothing() -> None:
    draw = np.random.default_rng(6)
    ranking = rank(draw.random((2, 500)) < 0.4, draw.random((2, 500)))
    design = Design((500,), paired=True)
    made = [
        areas_of_resamples("auroc", ranking, design, Plan(3, 1001, compiled=True, threads=threads))
        for threads in (1, 3)
    ]
    assert np.array_equal(made[0], made[1])


def test_a_user_gets_the_same_interval_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 3, 400)
    scores = draw.dirichlet([1, 1, 1], 400)
    made = []
    for use in (False, True):
        monkeypatch.setattr(native, "available", lambda use=use: use)
        made.append(
            hw.metric_ci(truth, scores, metric=["auroc", "average_precision"], method="bca", rng=1)
        )
    for plain, fast in zip(*made, strict=True):
        np.testing.assert_allclose(plain.confidence_interval, fast.confidence_interval, rtol=1e-12)
