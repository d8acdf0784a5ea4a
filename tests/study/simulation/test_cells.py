"""What the rows of a chunk depend on, and what they do not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from smallstudies import (
    Row,
    cells_of_sets,
    cells_of_values,
    frozen,
    labelled,
    of_logits,
    rows_of,
    spec_of_sets,
    spec_of_values,
    the_row,
)

import halfwidth as hw
from halfwidth.intervals.compute import intervals
from halfwidth.study.simulation import cells as cells_module
from halfwidth.study.simulation import fitted as fitted_module
from halfwidth.study.simulation.cells import (
    Cells,
    batch_parts,
    batch_plan,
    batch_sizes,
    simulate,
    simulated,
)
from halfwidth.study.simulation.fitted import fitted
from halfwidth.study.simulation.performance import COLUMNS, IDENTITY

BETA = {"family": "beta", "a": 8, "b": 2, "bounds": [0, 1]}
STATISTICS = ["mean", "sd", "trimmed_mean", "median", "iqr", "quantile:q=0.8"]


def _keyed(rows: Iterable[Row]) -> dict[Any, dict[str, Any]]:
    """Rows by what they are of, which no two have in common."""
    listed = list(rows)
    keyed = {tuple(row[name] for name in IDENTITY): frozen(row) for row in listed}
    assert len(keyed) == len(listed)
    return keyed


def _forget() -> None:
    """Populations and truths that this process keeps."""
    fitted_module._kept.cache_clear()
    fitted_module._kept_truth.cache_clear()


def _cells(**study: Any) -> Cells:
    asked = {"sizes": [12], "samples": 24, "batches": 4, "resamples": 60, "truth_draws": 2000}
    return cells_of_values(BETA, **{**asked, "statistics": STATISTICS, **study})


def _of_sets(metric: str, n: int = 14, **study: Any) -> Cells:
    asked = {"samples": 24, "batches": 4, "resamples": 60, "truth_draws": 2000}
    return cells_of_sets(labelled(classes=3), metric, n, **{**asked, **study})


# --------------------------------------------------------------------------- rows


def test_a_row_has_every_column_and_no_other() -> None:
    for cells in (_cells(), _of_sets("mcc"), _of_sets("auroc")):
        made = simulate(cells)
        assert made.rows
        for row in made.rows:
            assert set(row) == set(COLUMNS)
            kinds = {"string": str, "int64": int, "double": float}
            for name, kind in COLUMNS.items():
                allowed = (kinds[kind], type(None)) if name == "n_cases" else (kinds[kind],)
                assert isinstance(row[name], allowed), name
        expected = sum(len(one.methods) for one in cells.measured)
        assert len(made.rows) == len(_keyed(made.rows)) == expected
        assert [timing["n"] for timing in made.timings] == [cells.n] * len(cells.measured)


def test_a_row_repeats_what_the_study_was_asked() -> None:
    row = rows_of(_cells(levels=[0.9], seed=3))[0]
    assert (row["samples"], row["resamples"], row["batches"]) == (24, 60, 4)
    assert (row["n"], row["confidence_level"], row["alternative"]) == (12, 0.9, "two-sided")
    assert (row["truth"], row["truth_se"], row["truth_how"]) == (0.8, 0.0, "formula")
    assert (row["n_cases"], row["population"], row["population_mean"]) == (None, "parametric", 0.8)


@pytest.mark.parametrize(("samples", "batches"), [(24, 4), (23, 4), (5, 5), (7, 2), (6, 4)])
def test_batches_differ_by_one_sample_at_most(samples: int, batches: int) -> None:
    spec = replace(spec_of_values(BETA), samples=samples, batches=batches)
    sizes = batch_sizes(spec)
    assert (sum(sizes), len(sizes)) == (samples, batches)
    assert max(sizes) - min(sizes) <= 1


def test_intervals_are_those_of_each_batch_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    # Parts of 3 samples: batches of 7, 6 and 6 are drawn in parts of 3 and less.
    monkeypatch.setattr(cells_module, "MOST_DRAWN", 3 * 12 + 11)
    cells = _cells(statistics=["mean"], levels=[0.9, 0.95], methods=["t", "percentile", "bca"])
    cells = replace(cells, spec=replace(cells.spec, samples=19, batches=3))
    population = fitted(cells.instance).population
    (measured,) = cells.measured
    made = simulated(cells, measured, population)
    assert made.batch.tolist() == [0] * 7 + [1] * 6 + [2] * 6
    place = 0
    for batch, samples in enumerate((7, 6, 6)):
        parts = list(batch_parts(cells, population, batch, samples))
        assert [len(part) for part in parts] == ([3, 3, 1] if samples == 7 else [3, 3])
        values = np.concatenate(parts)
        here = slice(place, place + samples)
        place += samples
        assert np.allclose(made.estimates[here], values.mean(axis=-1), rtol=1e-14, atol=0)
        plan = batch_plan(cells, batch)
        alone = intervals(
            values,
            measured.reduce,
            measured.methods,
            *cells.spec.levels,
            bounds=measured.bounds,
            plan=plan,
        )
        assert len(alone) == len(made.bounded) == 6
        for one, bounded in zip(alone, made.bounded, strict=True):
            assert np.allclose(one.interval.low, bounded.low[here], rtol=1e-13, atol=0)
            assert np.allclose(one.interval.high, bounded.high[here], rtol=1e-13, atol=0)


def test_methods_that_need_more_cases_are_undefined_in_all_samples() -> None:
    cells = _cells(sizes=[2], statistics=["mean", "trimmed_mean"], levels=[0.9, 0.95])
    rows = rows_of(cells)
    for measured in cells.measured:
        for method in measured.methods:
            fewest = max(method.min_n, measured.reduce.spec.min_n)
            for level in (0.9, 0.95):
                row = the_row(
                    rows,
                    statistic=measured.statistic,
                    method=method.name,
                    confidence_level=level,
                )
                if fewest > 2:
                    assert (row["undefined"], row["coverage"]) == (24, 0)
                    assert math.isnan(row["width_mean"])
                    assert row["resamples_undefined"] == 0
    assert the_row(rows, statistic="mean", method="t", confidence_level=0.9)["undefined"] == 0
    assert the_row(rows, statistic="mean", method="bca", confidence_level=0.9)["undefined"] == 24


def test_an_undefined_estimate_has_no_interval() -> None:
    # The front door says so too; each resample of such a sample is undefined as well.
    rare = labelled(classes=3, shares=[0.5, 0.45, 0.05])
    for metric in ("f_beta", "mcc", "cohen_kappa", "auroc"):
        averaged = metric in ("f_beta", "auroc")
        cells = cells_of_sets(
            *(rare, metric, 8, "macro" if averaged else None),
            samples=40,
            batches=2,
            resamples=40,
            absent_class="undefined",
        )
        population = fitted(cells.instance).population
        (measured,) = cells.measured
        made = simulated(cells, measured, population)
        missing = np.isnan(made.estimates)
        assert missing.any() == averaged
        for bounded in made.bounded:
            assert np.isnan(bounded.low[missing]).all()


def test_ratios_that_are_infinite_are_counted_and_warn_of_nothing() -> None:
    """Without a false positive LR+ is infinite: so are estimates, bounds and resamples."""
    sets = labelled(classes=2, shares=[0.5, 0.5], shift=3)
    cells = cells_of_sets(
        *(sets, "lr_plus", 12, "binary"),
        samples=40,
        batches=2,
        resamples=40,
        truth_draws=40_000,
    )
    rows = rows_of(cells)
    assert all(math.isfinite(row["truth"]) for row in rows)
    row = the_row(rows, method="percentile")
    assert row["infinite"] > 0
    assert row["width_mean"] == math.inf
    assert row["coverage"] + row["missed_below"] + row["missed_above"] + row[
        "undefined"
    ] / 40 == pytest.approx(1)
    assert 0 < row["estimates_undefined"] < 40


# --------------------------------------------------------------------------- what does not matter


def test_the_same_cell_gives_the_same_rows_again() -> None:
    for cells in (_cells(), _of_sets("auroc"), _of_sets("f_beta")):
        first = rows_of(cells)
        _forget()
        assert _keyed(first) == _keyed(rows_of(cells))


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["two-sided", "lower"])
def test_levels_together_are_each_level_alone(alternative: str) -> None:
    levels = [0.5, 0.95, 0.99]
    makers: list[Callable[..., Cells]] = [
        partial(_cells, alternative=alternative, samples=8),
        *(
            partial(_of_sets, metric, alternative=alternative, samples=8)
            for metric in ("accuracy", "mcc", "auroc")
        ),
    ]
    for make in makers:
        together = _keyed(rows_of(make(levels=levels)))
        alone = [_keyed(rows_of(make(levels=[level]))) for level in levels]
        assert together == {key: row for rows in alone for key, row in rows.items()}
        assert len(together) == len(levels) * len(alone[0])


def test_other_sizes_statistics_and_methods_make_no_difference() -> None:
    whole = spec_of_values(
        BETA,
        {"family": "normal"},
        sizes=[12, 20, 31],
        samples=24,
        batches=4,
        resamples=60,
        statistics=STATISTICS,
    )
    every: dict[Any, dict[str, Any]] = {}
    for instance in hw.study.plan(whole).instances:
        for n in whole.sizes:
            every |= _keyed(rows_of(Cells(instance, None, n, whole)))
    for statistics, methods, sizes in (
        (["mean"], ["percentile"], [20]),
        (["iqr", "mean"], ["bca", "t"], [20, 12]),
        (["median"], ["exact"], [31]),
        (["quantile:q=0.8", "sd"], ["basic", "studentized"], [31, 20, 12]),
        (["trimmed_mean"], "all", [12]),
    ):
        part = spec_of_values(
            BETA,
            sizes=sizes,
            samples=24,
            batches=4,
            resamples=60,
            statistics=statistics,
            methods=methods,
        )
        (instance,) = hw.study.plan(part).instances
        for n in part.sizes:
            for key, row in _keyed(rows_of(Cells(instance, None, n, part))).items():
                assert every[key] == row, key


def test_other_metrics_and_averages_make_no_difference() -> None:
    sets = labelled(classes=3)
    asked = {"sizes": [14], "samples": 24, "batches": 4, "resamples": 60, "truth_draws": 2000}
    both = spec_of_sets(
        metrics=["mcc", "f_beta", "auroc"], averages=["macro", "micro", "none"], **asked
    )
    every: dict[Any, dict[str, Any]] = {}
    for metric in both.metrics:
        every |= _keyed(rows_of(Cells(sets, metric, 14, both)))
    for name, averages, methods in (
        ("f_beta", ["micro"], "all"),
        ("auroc", ["macro"], ["basic"]),
        ("f_beta", ["none"], ["percentile", "delta"]),
    ):
        alone = spec_of_sets(metrics=[name], averages=averages, methods=methods, **asked)
        rows = _keyed(rows_of(Cells(sets, alone.metrics[0], 14, alone)))
        assert rows
        for key, row in rows.items():
            assert every[key] == row, key


def test_samples_and_draws_are_the_same_for_all_metrics_of_an_instance() -> None:
    sets = labelled(classes=3)
    spec = spec_of_sets(metrics=["mcc", "auroc"], sizes=[14], samples=20)
    one, other = (Cells(sets, metric, 14, spec) for metric in spec.metrics)
    population = fitted(sets).population
    for batch in range(3):
        assert batch_plan(one, batch) == batch_plan(other, batch)
        first = list(batch_parts(one, population, batch, 2))
        second = list(batch_parts(other, population, batch, 2))
        assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_the_truth_depends_on_the_instance_alone_whichever_comes_first() -> None:
    """Two names of the same data: each has its own large draw, in any process and order."""
    data = np.random.default_rng(3)
    logits, truth = data.normal(size=(2, 60)), data.integers(2, size=60)

    def truths(*names: str) -> dict[str, float]:
        _forget()
        found = {}
        for name in names:
            cells = cells_of_sets(
                of_logits(name, logits, truth),
                *("mcc", 12),
                samples=4,
                batches=2,
                resamples=20,
                truth_draws=2000,
                methods=["delta"],
            )
            found[name] = rows_of(cells)[0]["truth"]
        return found

    first = truths("one", "other")
    assert first == truths("other", "one")
    assert first["other"] == truths("other")["other"]


# --------------------------------------------------------------------------- what does


def _draws(cells: Cells, batch: int = 0) -> tuple[int, tuple[float, ...]]:
    (part,) = batch_parts(cells, fitted(cells.instance).population, batch, 2)
    return batch_plan(cells, batch).entropy, tuple(part.ravel()[:4].tolist())


def test_batches_sizes_seeds_and_instances_have_their_own_samples_and_draws() -> None:
    made = [
        _draws(_cells()),
        _draws(_cells(), 1),
        _draws(_cells(sizes=[13])),
        _draws(_cells(seed=1)),
        _draws(cells_of_values({**BETA, "name": "another name"}, sizes=[12])),
    ]
    assert len({entropy for entropy, _ in made}) == len(made)
    assert len({values for _, values in made}) == len(made)


def test_neither_the_number_of_samples_nor_of_resamples_changes_the_first_sample() -> None:
    assert _draws(_cells()) == _draws(_cells(samples=48, resamples=99))


def test_each_row_has_the_bounds_of_its_own_level_and_method() -> None:
    rows = rows_of(_cells(statistics=["mean"], levels=[0.5, 0.99], methods=["t", "percentile"]))
    assert [(row["confidence_level"], row["method"]) for row in rows] == [
        (0.5, "t"),
        (0.5, "percentile"),
        (0.99, "t"),
        (0.99, "percentile"),
    ]
    widths = [row["width_mean"] for row in rows]
    assert widths[0] < widths[2]
    assert widths[1] < widths[3]
