"""What tests of batches of test sets share: metrics, tables, and how those of rows are counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth.core.forms import CellCounts
from halfwidth.core.spec import Metric, Statistic, Takes
from halfwidth.core.undefined import ABSENT_CLASS, AbsentClass, Undefined
from halfwidth.metrics.averaging import CountingFinish
from halfwidth.metrics.building import counting_statistic
from halfwidth.resampling.kernels import native
from halfwidth.resampling.kernels.programs import WIDTH

Array = NDArray[Any]
# More than one row of resamples, and the last not full.
RESAMPLES = WIDTH + 44
COUNTING = [spec for spec in hw.SAMPLE_METRICS if spec.takes in (Takes.TWO_BY_TWO, Takes.CONFUSION)]
EVERY = [(spec.name, average) for spec in COUNTING for average in spec.averages or ("",)]
KERNELS = pytest.mark.skipif(not native.available(), reason="there is no compiled library")
WAYS = [False, pytest.param(True, marks=KERNELS)]


def metric_of(name: str, **parameters: float) -> Metric:
    needed = {"exchange_rate": 0.3} if name == "net_benefit" else {}
    return Metric(hw.SAMPLE_METRICS[name], {**needed, **parameters})


def statistic_of(
    name: str,
    average: str = "",
    classes: int = 3,
    absent: AbsentClass = "omit",
    undefined: Undefined = "omit",
    parameters: dict[str, float] | None = None,
    **tables: Any,
) -> Statistic:
    metric = metric_of(name, **(parameters or {}))
    finish = CountingFinish(metric, classes, average, min(1, classes - 1), absent, **tables)
    return counting_statistic(metric, finish, undefined)


def declared_form(statistic: Statistic) -> CellCounts:
    form = statistic.spec.form
    assert isinstance(form, CellCounts)
    return form


def batch(n: int, classes: int, samples: int = 5) -> Array:
    """Test sets in order of their cells; classes are absent from some, one is all of the last."""
    draw = np.random.default_rng([n, classes])
    shares = np.r_[1.0, np.full(classes - 1, 0.3)]
    truth = draw.choice(classes, (samples, n), p=shares / shares.sum())
    said = np.where(draw.random((samples, n)) < 0.6, truth, draw.integers(0, classes, (samples, n)))
    truth[1][truth[1] == classes - 1] = 0
    said[2] = 0
    truth[-1], said[-1] = 1, 1
    return np.sort(truth * classes + said, axis=-1).astype(float)


def tables_of(codes: Array, cells: int, drawn: Array) -> Array:
    """Tables of the rows drawn, counted as whole numbers."""
    return np.stack(
        [
            [np.bincount(sample[rows].astype(int), minlength=cells) for rows in drawn]
            for sample in codes
        ]
    )


def of_rows(codes: Array, statistic: Statistic, drawn: Array) -> Array:
    """The metric of the tables of the rows drawn."""
    form = declared_form(statistic)
    return form.finish(tables_of(codes, form.n_cells, drawn))


def assert_equal(got: Array, wanted: Array) -> None:
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12, equal_nan=True)


def policies_for(average: str) -> tuple[AbsentClass, ...]:
    """What an absent class may count, where there is an average over classes."""
    return ABSENT_CLASS if average in ("macro", "weighted") else ABSENT_CLASS[:1]
