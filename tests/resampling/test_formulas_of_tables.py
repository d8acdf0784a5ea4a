"""Formulas that are read off functions of counts, and the kernel that works them out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from batches import (
    EVERY,
    KERNELS,
    RESAMPLES,
    WAYS,
    Array,
    assert_equal,
    batch,
    declared_form,
    statistic_of,
)

from halfwidth.core import rng
from halfwidth.core.forms import CellCounts
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.counts import MULTINOMIAL_FROM, CellSamples
from halfwidth.resampling.forms.evaluation import replicates_of
from halfwidth.resampling.kernels import native_tables
from halfwidth.resampling.kernels.formulas import MOST_CELLS, MOST_WEIGHT, Operation, read_off
from halfwidth.resampling.kernels.native import side_by_side
from halfwidth.resampling.kernels.programs import WIDTH, Program, Step, program_of

Finish = Callable[[Array], Array]


def finished(codes: Array, design: Design, form: CellCounts, plan: Plan) -> Array:
    return replicates_of(CellSamples(form, codes, design), len(codes), design, plan)


def count(cells: Array, place: int) -> Any:
    return cells[..., place]


ODD: dict[str, Finish] = {
    "one cell": lambda c: count(c, 2) * 1.0,
    "cells apart, weighed": lambda c: 2 * count(c, 0) + 3 * count(c, 3) - count(c, 1) * 1.0,
    "heaviest": lambda c: MOST_WEIGHT * count(c, 0) * 1.0,
    "heavier": lambda c: 2.0 * MOST_WEIGHT * count(c, 0) - 7 * count(c, 1),
    "negative": lambda c: -(count(c, 0) * 1.0) - count(c, 1),
    "halves": lambda c: count(c, 0) * 0.5 + 1.25,
    "differences cancel": lambda c: (count(c, 0) - count(c, 0)) * 1.0 + count(c, 1),
    "products": lambda c: 1.0 * count(c, 0) * count(c, 1) + count(c, 2) * count(c, 3),
    "square": lambda c: (1.0 * count(c, 0) - count(c, 1)) ** 2,
    "root": lambda c: np.sqrt(1.0 * count(c, 0) + count(c, 1)),
    "used twice": lambda c: (1.0 * count(c, 0) / 3 + count(c, 1)) * (1.0 * count(c, 0) / 3),
    "sum with itself": lambda c: (1.0 * count(c, 0)) / 3 + (1.0 * count(c, 0)) / 3,
    "greater": lambda c: np.where(count(c, 0) > count(c, 1), 1.0 * count(c, 2), 0.5),
    "less": lambda c: np.where(count(c, 0) < count(c, 1), 1.0, -1.0 * count(c, 2)),
    "equal": lambda c: np.where(count(c, 0) == count(c, 1), 1.0, 0.0),
    "both": lambda c: np.where((count(c, 0) > 1) & (count(c, 1) > 1), 1.0, 0.0),
    "number over": lambda c: 2.0 / (count(c, 0) + 1.0),
    "number less": lambda c: 1.5 - count(c, 0) / (count(c, 1) + 0.5),
}
QUOTIENTS: dict[str, Finish] = {
    "quotient": lambda c: np.true_divide(count(c, 0), count(c, 1)),
    "NaN seen": lambda c: np.where(np.isnan(np.true_divide(count(c, 0), count(c, 1))), -1.0, 2.0),
    "NaN seen elsewhere": lambda c: np.where(
        np.isnan(np.true_divide(count(c, 0), count(c, 1))), -1.0, count(c, 2) * 1.0
    ),
    "nothing of it": lambda c: np.true_divide(count(c, 0), count(c, 1)) * 0.0,
    "NaN and more": lambda c: np.where(
        np.isnan(np.true_divide(count(c, 0), count(c, 1))) & (count(c, 2) > 1), -1.0, 2.0
    ),
}


@KERNELS
@pytest.mark.parametrize("name", [*ODD, *QUOTIENTS])
def test_a_formula_gives_what_the_function_gives(name: str) -> None:
    finish = {**ODD, **QUOTIENTS}[name]
    codes, design = batch(10, 2), Design.iid(10)
    form = CellCounts(4, finish)
    assert program_of(finish, 4) is not None
    plan = Plan(15, RESAMPLES)
    with np.errstate(invalid="ignore", divide="ignore"):
        plain = finished(codes, design, form, dataclasses.replace(plan, compiled=False))
    fast = finished(codes, design, form, dataclasses.replace(plan, compiled=True))
    assert_equal(fast, plain)


@KERNELS
def test_counts_fit_into_their_bits() -> None:
    n = MULTINOMIAL_FROM - 1
    assert n <= native_tables.MOST_TABLE_UNITS
    weighed: list[tuple[int, Finish]] = [
        (1, lambda c: MOST_WEIGHT * c[..., 0] * 1.0),
        (1, lambda c: MOST_WEIGHT * c[..., 0] * 1.0 + c[..., 1]),
        (2, lambda c: 2.0 * MOST_WEIGHT * c[..., 0] + c[..., 1]),
        (2, lambda c: 1.0 * MOST_WEIGHT * c[..., 0] + (1.0 * MOST_WEIGHT * c[..., 0] + c[..., 1])),
    ]
    for times, finish in weighed:
        plan = Plan(16, 10, compiled=True)
        made = finished(np.zeros((2, n)), Design.iid(n), CellCounts(4, finish), plan)
        assert (made == times * MOST_WEIGHT * n).all()


@pytest.mark.parametrize(
    "finish",
    [
        lambda c: c.max(axis=-1),
        lambda c: np.where(c[..., 0] >= 1, 1.0, 0.0),
        lambda c: np.log(c[..., 0] + 1.0),
        lambda c: c[..., 0] ** 3,
        lambda c: np.full(c.shape[:-1], 0.5),
        lambda c: c[..., :2] * 1.0,
        lambda c: np.take(np.arange(9.0), c[..., 0]),
        lambda c: c[..., 0] * np.inf if c[..., 0] > 1 else c[..., 0],
    ],
)
def test_other_functions_have_no_formula(finish: Finish) -> None:
    assert program_of(finish, 4) is None


@pytest.mark.parametrize("fast", WAYS)
def test_a_function_without_a_formula_is_called(fast: bool) -> None:
    codes, design = batch(10, 2), Design.iid(10)
    form = CellCounts(4, lambda counts: counts.max(axis=-1) / 10)
    made = finished(codes, design, form, Plan(17, RESAMPLES, compiled=fast))
    drawn = Plan(17, RESAMPLES).indices(design, 0, RESAMPLES)
    tables = [[np.bincount(one[rows].astype(int)).max() / 10 for rows in drawn] for one in codes]
    assert_equal(made, np.array(tables))


def test_a_function_that_cannot_be_hashed_has_a_formula() -> None:
    class Finishes:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, counts: Array) -> Array:
            return np.asarray(counts[..., 0] * 1.0)

    assert program_of(Finishes(), 4) is not None


def test_long_tables_have_no_formula() -> None:
    finish: Finish = lambda counts: counts.sum(axis=-1) * 1.0  # noqa: E731
    assert read_off(finish, MOST_CELLS) is not None
    assert read_off(finish, MOST_CELLS + 1) is None
    form = declared_form(statistic_of("expected_cost", classes=int(np.sqrt(MOST_CELLS))))
    assert program_of(form.finish, form.n_cells) is not None


def test_sums_of_neighbouring_cells_take_one_pair_of_boundaries() -> None:
    form = declared_form(statistic_of("sensitivity", "none", 5))
    program = program_of(form.finish, 25)
    assert program is not None
    assert program.pairs.tolist() == [[6, 7], [5, 10]]


@pytest.mark.parametrize(("name", "average"), EVERY)
def test_no_step_reads_the_register_it_writes(name: str, average: str) -> None:
    form = declared_form(statistic_of(name, average, 4, "omit", "zero"))
    program = program_of(form.finish, form.n_cells)
    for step, into, *read in [] if program is None else program.steps.tolist():
        used = {Step.ROOT: 1, Step.IS_NAN: 1, Step.COUNT: 0, Step.ADD_TO: 1}.get(step, 2)
        used += step in (Step.CHOOSE, Step.CHOOSE_IF_NAN)
        assert program is not None
        assert into not in read[:used]
        assert len(program.numbers) <= into < program.registers
    assert [*Step] == [*range(1, 14)]
    assert all(Step[one.name].value == one.value for one in Operation if one.name != "NUMBER")


# --------------------------------------------------------------------------- kernel


@KERNELS
@pytest.mark.parametrize("units", [1, 2, 15, 16, 17, 250, 1024, 1025, 4999])
def test_cumulated_draws_are_those_of_the_generator(units: int) -> None:
    key = rng.Key(2**90 + 5)
    for start, stop in ((0, 1), (3, 3 + WIDTH), (7, 40), (5, 6 + WIDTH)):
        made = native_tables.cumulated(side_by_side([(key, 0, units)], start, stop, units))
        drawn = rng.indices(key, start, stop, units, units)
        counts = np.stack([np.bincount(row, minlength=units) for row in drawn])
        wanted = np.zeros((made.shape[0] * WIDTH, units + 1))
        wanted[: stop - start, 1:] = counts.cumsum(axis=-1)
        assert np.array_equal(np.moveaxis(made, 1, 2).reshape(-1, units + 1), wanted)


@KERNELS
def test_what_does_not_fit_is_refused() -> None:
    program = program_of(lambda counts: counts[..., 1] * 1.0, 2)
    assert program is not None
    draws, ends, into = np.zeros((1, 4, WIDTH), np.int16), np.array([[0, 1, 3]]), np.empty((1, 9))

    def refused(draws: Array = draws, ends: Array = ends, into: Array = into) -> None:
        with pytest.raises(ValueError, match=r"fit|beyond|rows"):
            native_tables.finish(program, draws, ends, into)

    native_tables.finish(program, draws, ends, into)
    assert (into == 0).all()
    refused(draws=draws[:, :, 1:])
    refused(draws=np.zeros((1, native_tables.MOST_TABLE_UNITS + 2, WIDTH), np.int16))
    refused(ends=np.array([[0, 1, 4]]))
    refused(ends=np.array([[-1, 1, 3]]))
    refused(ends=np.array([[0, 1]]))
    refused(ends=np.array([[0, 1, 3]] * 2))
    refused(into=np.empty((1, WIDTH + 1)))
    refused(into=np.empty((9, 1)).T)
    refused(into=np.empty((1, 9), np.float32))


def test_the_steps_of_a_metric_are_few() -> None:
    # What the speed rests on: F1 of five classes takes ten counts, six quotients and four sums.
    form = declared_form(statistic_of("f1", "macro", 5))
    program = program_of(form.finish, 25)
    assert isinstance(program, Program)
    steps = program.steps[: program.quick, 0]
    assert (steps == Step.COUNT).sum() == 10
    assert (steps == Step.DIVIDE).sum() == 6
    assert program.quick == 20
