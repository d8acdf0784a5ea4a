"""Rankings of many test sets at once: what each would give alone, on the same draws.

No test draws anything that is not seeded, so none has a false alarm.
"""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from halfwidth import METHODS, SAMPLE_METRICS
from halfwidth.arithmetic import ranked_scores
from halfwidth.arithmetic.areas import areas_of_counts
from halfwidth.arithmetic.ranked_scores import RankEach, cumulated, rank
from halfwidth.core import rng
from halfwidth.core.forms import Area, RankedAreas, Ranking
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import Level
from halfwidth.intervals.compute import intervals
from halfwidth.metrics import building
from halfwidth.metrics.averaging import AreaFinish, averaged
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms import ranked, ranked_samples
from halfwidth.resampling.forms.evaluation import replicates_of
from halfwidth.resampling.forms.ranked_errors import class_units
from halfwidth.resampling.forms.ranked_left_out import without_each_unit
from halfwidth.resampling.forms.ranked_samples import RankedSamples
from halfwidth.resampling.kernels import native, native_areas
from halfwidth.resampling.weights.bootstrap import counter

Array = NDArray[Any]
KINDS = ["auroc", "average_precision"]
THREE = [METHODS[name] for name in ("percentile", "basic", "bca")]


def records_of(samples: int, n: int, classes: int, *, tied: bool = False) -> Array:
    """Records: scores of each class, shifted where it is the true one, and codes."""
    draw = np.random.default_rng([samples, n, classes])
    code = draw.integers(0, classes, (samples, n))
    scores = draw.normal(size=(samples, classes, n))
    scores += 1.5 * (code[:, None] == np.arange(classes)[:, None])
    if tied:
        scores = np.round(scores)
    return np.concatenate([scores, code[:, None].astype(float)], axis=1)


def statistic_of(kind: str, average: str, classes: int) -> Statistic:
    metric = Metric(SAMPLE_METRICS[kind], {})
    each = RankEach(classes, flatten=average == "micro")
    return building.ranking_statistic(metric, each, AreaFinish(average), "omit")


def declared_form(statistic: Statistic) -> RankedAreas:
    form = statistic.spec.form
    assert isinstance(form, RankedAreas)
    return form


def area_of(kind: str) -> Area:
    area = Metric(SAMPLE_METRICS[kind]).form
    assert isinstance(area, Area)
    return area


def row_by_row(kind: str, found: Ranking) -> list[float]:
    ones = np.ones(found.mark.shape[-1])
    return [float(area_of(kind).curve(*cumulated(mark, ones))) for mark in found.mark]


# --------------------------------------------------------------------------- estimates


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("kind", KINDS)
def test_estimates_of_a_batch_are_those_of_each_row(
    kind: str, average: str, tied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    statistic = statistic_of(kind, average, 3)
    form = declared_form(statistic)
    for n in (2, 5, 40):
        sets = records_of(9, n, 3, tied=tied)
        wanted = []
        for records in sets:
            found = form.rank(records)
            positives = np.array([(mark & Ranking.POSITIVE).sum() for mark in found.mark])
            wanted.append(form.finish(np.array(row_by_row(kind, found)), positives))
        got = statistic(sets)
        np.testing.assert_allclose(got, wanted, rtol=1e-13)
        monkeypatch.setattr(ranked_scores, "AT_A_TIME", 1)
        assert np.array_equal(statistic(sets), got, equal_nan=True), "in parts"
        assert np.array_equal(statistic(sets.reshape(3, 3, 4, n)).ravel(), got, equal_nan=True)
        assert np.array_equal(statistic(sets[4]), got[4], equal_nan=True)
        monkeypatch.undo()


@pytest.mark.parametrize("absent", ["omit", "zero", "undefined"])
@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_areas_may_be_turned_before_they_are_averaged(average: str, absent: Any) -> None:
    draw = np.random.default_rng(3)
    area = draw.random((4, 3, 50))
    area[draw.random(area.shape) < 0.3] = np.nan
    area[:, :, 0] = np.nan
    support = draw.integers(0, 9, area.shape).astype(float)
    turned = np.moveaxis(area, 1, -1), np.moveaxis(support, 1, -1)
    got = AreaFinish(average, absent=absent)(*turned)
    values, weights = (np.ascontiguousarray(part) for part in turned)
    wanted = np.asarray(averaged(values, weights, average, absent))
    np.testing.assert_allclose(got, wanted, rtol=1e-15)


def test_order_of_ties_is_free_in_a_batch_only() -> None:
    scores = np.random.default_rng(2).integers(0, 5, (1, 300)).astype(float)
    positive = np.arange(300)[None] % 3 == 0
    kept, free = (rank(positive, scores, keep=keep) for keep in (True, False))
    turned = np.argsort(scores[0], kind="stable")[::-1]
    assert np.array_equal(kept.case[0], turned)
    assert np.array_equal(np.sort(free.case[0]), np.arange(300))
    assert row_by_row("auroc", kept) == row_by_row("auroc", free)
    records = np.concatenate([scores, 1.0 - positive])
    assert np.array_equal(RankEach(1)(records).case[0], turned)
    assert np.array_equal(RankEach(1)(records[None]).case[0], turned)


def test_class_units_of_a_batch_are_those_of_each_test_set() -> None:
    sets = records_of(12, 30, 2)
    one = building.ranking_statistic(
        Metric(SAMPLE_METRICS["auroc"], {}), RankEach(2), AreaFinish("binary", 1), "omit"
    )
    clusters = Design((10,), (3,) * 10, paired=True)
    for design in (Design((30,), paired=True), clusters):
        with_it, without = class_units(sets, design, one)
        unit = np.repeat(np.arange(design.units), design.unit_sizes)
        for records, held, others in zip(sets, with_it, without, strict=True):
            positive = records[2] == 1
            for count, entries in ((held, positive), (others, ~positive)):
                sizes = np.bincount(unit[entries])
                assert count == pytest.approx(sizes.sum() ** 2 / (sizes**2).sum())


# --------------------------------------------------------------------------- jackknife


def deleted(statistic: Statistic, sets: Array) -> Array:
    n = sets.shape[-1]
    return np.stack([statistic(np.delete(sets, case, axis=-1)) for case in range(n)], axis=-1)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize(("average", "classes"), [("macro", 1), ("macro", 3), ("micro", 4)])
@pytest.mark.parametrize("kind", [*KINDS, "average_precision_trapezoid"])
def test_values_without_each_case_are_those_of_a_loop_that_deletes_it(
    kind: str, average: str, classes: int, tied: bool
) -> None:
    statistic = statistic_of(kind, average, classes)
    for n in (2, 3, 8, 41):
        sets = records_of(7, n, max(classes, 2), tied=tied)
        sets = np.delete(sets, 1, axis=1) if classes == 1 else sets
        design = Design((n,), paired=True)
        got = without_each_unit(declared_form(statistic), sets, design)
        assert got.shape == (7, n)
        np.testing.assert_allclose(got, deleted(statistic, sets), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_cases_may_have_several_positives_among_ties(kind: str) -> None:
    draw = np.random.default_rng(8)
    n, each = 20, 5

    def ranked(records: Array) -> Ranking:
        scores, positive = records[..., :each, :], records[..., each:, :] > 0
        shape = (-1, each * records.shape[-1])
        return rank(positive.reshape(shape), scores.reshape(shape), cases=records.shape[-1])

    form = RankedAreas(area_of(kind), ranked, lambda area, _positives: area[..., 0])
    scores = draw.integers(0, 4, (6, each, n)).astype(float)
    records = np.concatenate([scores, draw.integers(0, 2, (6, each, n))], axis=1)
    got = without_each_unit(form, records, Design((n,), paired=True))
    for sample, found in zip(records, got, strict=True):
        left = [ranked(np.delete(sample, case, axis=-1)) for case in range(n)]
        wanted = [row_by_row(kind, one)[0] for one in left]
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_more_cases_than_16_bits_tell_apart() -> None:
    n = 2**16 + 3
    draw = np.random.default_rng(9)
    records = np.stack([draw.random(n), draw.integers(0, 2, n)])[None]
    statistic = statistic_of("auroc", "micro", 1)
    got = without_each_unit(declared_form(statistic), records, Design((n,), paired=True))[0]
    for case in (0, 1, n - 2, n - 1):
        left = statistic(np.delete(records[0], case, axis=-1))
        assert got[case] == pytest.approx(float(left), rel=1e-13)


# --------------------------------------------------------------------------- resamples

DESIGNS = {
    "independent": lambda n: Design((n,), paired=True),
    "strata": lambda n: Design((n // 3, n - n // 3), paired=True),
    "clusters": lambda n: Design((n // 2,), (2,) * (n // 2), paired=True),
    "large clusters": lambda n: Design((2,), (n // 2,) * 2, paired=True),
}


def whole(kind: str, found: Ranking, samples: int, design: Design, plan: Plan) -> Array:
    """Areas and positives of all rows and resamples, put together; two under one another."""
    rows = len(found.case) // samples
    made = np.empty((2, samples, rows, plan.n_resamples))
    for which, row in np.ndindex(2, rows):
        finish = lambda *both, which=which, row=row: both[which][..., row]  # noqa: E731
        ready = RankedSamples(
            RankedAreas(area_of(kind), lambda _: found, finish), found, samples, design
        )
        made[which, :, row] = replicates_of(ready, samples, design, plan)
    return made.reshape(2, samples * rows, -1)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("flatten", [False, True])
@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
@pytest.mark.parametrize("kind", KINDS)
def test_areas_of_a_batch_are_those_of_plain_numpy(
    kind: str, design: Any, flatten: bool, tied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_the_library()
    for n, classes in ((4, 2), (34, 3), (260, 2)):
        sets = records_of(5, n, classes, tied=tied)
        found = RankEach(classes, flatten=flatten)(sets)
        under = design(n)
        plan = Plan(11, 70, compiled=True)
        counts = counter(under, Plan(11, 70, compiled=False))(0, 70)
        unit = np.repeat(np.arange(under.units), under.unit_sizes)
        areas, held = areas_of_counts(area_of(kind), found, unit, counts)
        got = whole(kind, found, 5, under, plan)
        assert np.array_equal(got[1], held)
        if kind == "auroc":
            assert np.array_equal(got[0], areas, equal_nan=True)
        np.testing.assert_allclose(got[0], areas, rtol=1e-12)
        plain = whole(kind, found, 5, under, Plan(11, 70, compiled=False))
        assert np.array_equal(plain[0], areas, equal_nan=True)
        monkeypatch.setattr(ranked_samples, "MOST_SHARED", 1)
        monkeypatch.setattr(ranked_samples, "MOST_AT_ONCE", 1)
        assert np.array_equal(whole(kind, found, 5, under, plan), got, equal_nan=True), "in blocks"
        monkeypatch.undo()


def needs_the_library() -> None:
    if not native.available():
        pytest.skip("there is no compiled library")


def sums_are_those_of_numpy(unit: Array, mark: Array, units: int) -> None:
    """Check the kernels on lists that are no rankings of test sets."""
    key, stop = rng.Key(99), 45
    draws = rng.indices(key, 0, stop, units, units)
    counts = np.stack([np.bincount(row, minlength=units) for row in draws])
    found = Ranking(unit.astype(np.int32), mark.astype(np.uint8))
    drawn = native.side_by_side([(key, 0, units)], 0, stop, units)
    for kind in KINDS:
        auroc = kind == "auroc"
        lists = native_areas.prepared(found.case, found.mark, units, auroc=auroc)
        areas, held = areas_of_counts(area_of(kind), found, np.arange(units), counts)
        area, positives = native_areas.areas(lists, drawn, 0, len(unit))
        assert np.array_equal(positives, held)
        np.testing.assert_allclose(area, areas, rtol=0 if auroc else 1e-12)


def marks_of(groups: list[tuple[int, int]]) -> Array:
    """Marks of tie groups of so many negatives and so many positives, in mixed order."""
    draw, made = np.random.default_rng(5), []
    for negatives, positives in groups:
        mark = draw.permutation(np.repeat([0, 1], [negatives, positives]))
        mark[-1] += Ranking.LAST_OF_TIES
        made.append(mark)
    return np.concatenate(made)


LISTS: dict[str, list[tuple[int, int]]] = {
    "no positive": [(1, 0)] * 200,
    "no negative": [(0, 1)] * 200,
    "all tied": [(150, 150)],
    "more ties than 8 bits hold": [(1, 0), (0, 400), (300, 350)],
    "long ties of one mark": [(0, 90), (200, 0), (0, 150), (70, 0), (0, 64), (64, 0), (0, 65)],
    "long mixed ties": [(0, 1), (1, 1), (130, 70), (1, 0), (70, 130), (0, 3), (5, 5)],
    "positives first": [(0, 1)] * 130 + [(1, 0)] * 170,
    "positives last": [(1, 0)] * 170 + [(0, 1)] * 130,
    "by turns": [(1, 0), (0, 1)] * 150,
    "one positive far down": [(1, 0)] * 399 + [(0, 1)],
    "steps of just so many": [(64, 0), (0, 1), (63, 0), (0, 1), (65, 0), (0, 1), (0, 64), (0, 65)],
}


@pytest.mark.parametrize("groups", LISTS.values(), ids=LISTS)
def test_lists_of_any_shape(groups: list[tuple[int, int]]) -> None:
    needs_the_library()
    mark = marks_of(groups)
    draw = np.random.default_rng(6)
    unit = np.stack([draw.permutation(len(mark)) for _ in range(2)])
    sums_are_those_of_numpy(unit, np.stack([mark, mark]), len(mark))


@pytest.mark.parametrize("times", [2, 6, 10, 11, 40])
@pytest.mark.parametrize("units", [3, 25, 26, 300])
def test_units_may_come_several_times(times: int, units: int) -> None:
    needs_the_library()
    draw = np.random.default_rng(times)
    entries = times * units
    unit = np.stack([draw.permutation(entries) % units for _ in range(2)])
    positive = draw.random((2, entries)) < 0.3
    found = rank(positive, draw.integers(0, entries // 2, (2, entries)).astype(float))
    sums_are_those_of_numpy(np.take_along_axis(unit, found.case, -1), found.mark, units)


@pytest.mark.parametrize(("units", "rate"), [(4000, 0.84), (4000, 0.86), (8000, 0.9)])
def test_many_positives(units: int, rate: float) -> None:
    needs_the_library()
    draw = np.random.default_rng(units)
    unit = np.stack([draw.permutation(units) for _ in range(2)])
    mark = Ranking.LAST_OF_TIES + (draw.random((2, units)) < rate)
    sums_are_those_of_numpy(unit, mark, units)


@pytest.mark.parametrize(("n", "classes", "rate"), [(250, 1, 0.6), (1000, 6, 0.1), (8000, 1, 0.97)])
def test_a_perfect_ranking_is_perfect_to_the_last_bit(n: int, classes: int, rate: float) -> None:
    needs_the_library()
    draw = np.random.default_rng(n)
    positive = draw.random((2, n * classes)) < rate
    scores = draw.random(positive.shape) + positive
    # Negatives above positives, of a case that some resamples leave out.
    scores[:, 0], positive[:, 0] = 3.0, False
    found = rank(positive, scores)
    unit = found.case % n
    lists = native_areas.prepared(unit.astype(np.int32), found.mark, n, auroc=False)
    counts = native.side_by_side([(rng.Key(4), 0, n)], 0, 64, n)
    area, _ = native_areas.areas(lists, counts, 0, 2)
    drawn = rng.indices(rng.Key(4), 0, 64, n, n)
    perfect = ~(drawn == 0).any(axis=-1)
    assert perfect.any()
    assert (area[:, perfect] == 1).all()
    assert (area <= 1).all()


# --------------------------------------------------------------------------- intervals


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("average", "n"), [("macro", 7), ("macro", 50), ("micro", 50)])
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_of_a_batch_are_those_of_each_test_set(
    kind: str, average: str, n: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compiled:
        needs_the_library()
    statistic, sets = statistic_of(kind, average, 3), records_of(5, n, 3)
    design, plan = Design((n,), paired=True), Plan(7, 199, compiled=compiled)

    def made(values: Array) -> Array:
        return np.array(
            [
                (one.interval.low, one.interval.high, one.n_undefined)
                for one in intervals(values, statistic, THREE, Level(), plan=plan, design=design)
            ]
        )

    wanted = np.concatenate([made(one[None]) for one in sets], axis=-1)
    got = made(sets)
    np.testing.assert_allclose(got, wanted, rtol=1e-13)
    monkeypatch.setattr(ranked, "MOST_RANKED", 1)
    assert np.array_equal(made(sets), got, equal_nan=True), "in parts"


@pytest.mark.parametrize(("average", "n", "classes"), [("macro", 250, 3), ("micro", 2000, 4)])
def test_a_batch_takes_some_tens_of_megabytes(average: str, n: int, classes: int) -> None:
    # Areas and positives of all rows and resamples would take 100 * 3 * 9999 * 16 bytes = 48 MB,
    # and the replicates themselves take 8 MB.
    needs_the_library()
    statistic, sets = (
        statistic_of("average_precision", average, classes),
        records_of(100, n, classes),
    )
    plan, design = Plan(7, 9999 if n < 1000 else 999, compiled=True), Design((n,), paired=True)
    intervals(sets[:2], statistic, THREE, Level(), plan=plan, design=design)
    tracemalloc.start()
    intervals(sets, statistic, THREE, Level(), plan=plan, design=design)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6


# --------------------------------------------------------------------------- Dirichlet weights


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize(("compiled", "threads"), [(None, 1), (None, 2), (False, 1)])
def test_dirichlet_intervals_of_a_batch_are_those_of_each_test_set(
    kind: str, average: str, compiled: bool | None, threads: int
) -> None:
    records, statistic = records_of(5, 24, 3, tied=True), statistic_of(kind, average, 3)

    def bounds(some: Array, plan: Plan) -> Array:
        (made,) = intervals(some, statistic, [METHODS["dirichlet"]], Level(0.9), plan=plan)
        return np.stack([made.interval.low, made.interval.high])

    plan = Plan(3, 301, compiled=compiled, threads=threads, kept={})
    alone = [bounds(sample[None], Plan(3, 301)) for sample in records]
    assert np.allclose(bounds(records, plan), np.concatenate(alone, axis=1), rtol=0, atol=1e-12)
