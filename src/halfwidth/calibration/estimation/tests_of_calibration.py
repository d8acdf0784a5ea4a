"""Tests whether outcomes happen as often as probabilities say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from halfwidth.calibration.metrics.bins import ece
from halfwidth.calibration.metrics.perfect import (
    BoundStatistic,
    Departure,
    resolve_statistic,
)
from halfwidth.calibration.results.tests_of_calibration import CalibrationTest, CalibrationTests
from halfwidth.core import rng as random
from halfwidth.core.cautions import caution
from halfwidth.core.checks import as_list, one_of
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.spec import Metric, spec_of
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import MetricRow, metric_rows, probabilities_of_one
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.test_sets.jobs import check_probabilities
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.resampling.draws import Plan

AVERAGES = ("binary", "none", "top_label")
# Samples whose statistics differ by less than this share of themselves are as far away: sums of the
# same outcomes are rounded differently where they stand in other blocks.
ROUNDING = 1e-9
# Where Lyapunov's ratio is no larger, the distribution in large samples is as near to that of the
# statistic as 9999 draws are (decision 0092), which of 10⁶ cases would take a minute.
SMOOTH = 0.03


def calibration_tests(
    cases: TestSet, statistics: Sequence[Any], average: Any, request: Request
) -> CalibrationTests:
    """A test for each statistic and average.

    If each case is positive with the probability that the model gives it, independently, then
    outcomes drawn from the probabilities are distributed as those observed.
    """
    chosen = [resolve_statistic(one) for one in statistics]
    averages = None
    if average is not None:
        named = [average] if isinstance(average, str) else as_list(average)
        averages = [one_of("average", one, AVERAGES) for one in named or [average]]
    if not chosen:
        raise OptionError("statistic: name at least one")
    check_probabilities("a test of calibration", cases)
    _refuse_clusters(cases)
    rows = list(metric_rows(Metric(spec_of(ece)), averages, cases.classes))
    tests = (_tested(one, row, cases, request) for one in chosen for row in rows)
    return CalibrationTests(tuple(tests), cases.notes)


def _refuse_clusters(cases: TestSet) -> None:
    if cases.groups is None or len(np.unique(cases.groups)) == cases.n:
        return
    raise DataError(
        f"{cases.n} cases come in {len(np.unique(cases.groups))} clusters, but a test of "
        "calibration takes outcomes for independent and would be too sure; take one case of each "
        "cluster, or the interval of the calibration slope, which allows for clusters"
    )


def _tested(
    chosen: BoundStatistic, row: MetricRow, cases: TestSet, request: Request
) -> CalibrationTest:
    """The test of one row."""
    p, y = probabilities_of_one(row, cases)
    weights = np.ones(cases.n) if cases.weights is None else cases.weights
    # Neither the order of rows nor the outcomes decide which draws a case gets.
    p, weights, y = np.array([p, weights, y])[:, np.lexsort((weights, p))]
    departure = chosen.prepare(p, None if cases.weights is None else weights)
    value = float(departure.of(y[None])[0])
    large = _in_large_samples(departure, value)
    n_resamples = request.n_resamples
    if departure.roughness <= SMOOTH and not request.draws:
        n_resamples, p_value = 0, float(large["asymptotic_p"])
    else:
        p_value = (1 + _as_far(departure, value, p, request)) / (1 + n_resamples)
    impossible = int((((p == 0) & (y == 1)) | ((p == 1) & (y == 0))).sum())
    return CalibrationTest(
        statistic=chosen.statistic.name,
        title=chosen.statistic.title,
        parameters={**chosen.parameters, **departure.chosen},
        value=value,
        p_value=p_value,
        **large,
        average=str(row.average),
        label=row.label,
        n=cases.n,
        observed=int(y.sum()),
        expected=float(p.sum()),
        n_resamples=n_resamples,
        seed=request.seed,
        n_missing=cases.n_missing,
        cautions=(
            *cases.cautions,
            *([caution("HW341", count=impossible, n=cases.n)] if impossible else []),
        ),
    )


def _as_far(departure: Departure, value: float, p: Array, request: Request) -> int:
    """Samples of outcomes that lie as far from ascending probabilities as those observed."""
    plan = Plan(request.seed, request.n_resamples, threads=request.threads)
    key, outcomes = random.derive_key(request.seed, "outcomes", len(p)), random.trials(p)
    far = abs(value) if departure.normal else value
    least = far - ROUNDING * abs(far) if np.isfinite(far) else far

    def as_far(block: tuple[int, int]) -> int:
        drawn: Array = departure.of(outcomes(key, *block).astype(float))
        return int(((np.abs(drawn) if departure.normal else drawn) >= least).sum())

    blocks = plan.in_threads(max(1, plan.block_elements // len(p)), as_far)
    return sum(exceeding for _, exceeding in blocks)


def _in_large_samples(departure: Departure, value: float) -> dict[str, Any]:
    """The distribution of a statistic in large samples, and the p-value by it."""
    from scipy import special

    if departure.normal:
        return {"reference": "normal", "asymptotic_p": float(2 * special.ndtr(-abs(value)))}
    if departure.df is not None:
        p = float(special.chdtrc(departure.df, value))
        return {"reference": f"chi-square, {departure.df} df", "asymptotic_p": p}
    return {"reference": "", "asymptotic_p": math.nan}
