"""A study and the front doors give the same bounds on the same samples and draws."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from over_data import metric_ci
from smallstudies import cells_of_sets, cells_of_values, labelled, of_logits

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.intervals.compute import intervals
from halfwidth.study.simulation.cells import Cells, batch_parts, batch_plan, simulated
from halfwidth.study.simulation.fitted import fitted

STATISTICS = ["mean", "sd", "trimmed_mean", "median", "iqr", "quantile:q=0.8"]
SAMPLES = 3


def _drawn(cells: Cells) -> Array:
    """The samples of the second batch, which has `SAMPLES` of them."""
    (part,) = batch_parts(cells, fitted(cells.instance).population, 1, SAMPLES)
    return part


def _made(cells: Cells, measured: Any) -> list[list[tuple[str, float, list[float]]]]:
    """For each sample: method, level, and estimate, bounds and share of undefined resamples."""
    made = simulated(cells, measured, fitted(cells.instance).population)
    names = [(method.name, level) for level in cells.spec.levels for method in measured.methods]
    return [
        [
            (
                name,
                level.confidence_level,
                [made.estimates[at], one.low[at], one.high[at], one.undefined_share[at]],
            )
            for (name, level), one in zip(names, made.bounded, strict=True)
        ]
        for at in range(SAMPLES, 2 * SAMPLES)
    ]


def _said(e: hw.Estimate) -> list[float]:
    return [e.value, e.low, e.high, e.n_undefined / (e.n_resamples or 1)]


def _same(found: list[float], expected: list[float]) -> bool:
    return np.allclose(found, expected, rtol=1e-12, atol=1e-12, equal_nan=True)


# --------------------------------------------------------------------------- values of cases

POPULATIONS: dict[str, dict[str, Any]] = {
    "beta": {"family": "beta", "a": 8, "b": 2, "metric": "dsc"},
    "normal": {"family": "normal", "location": 4},
    "hits": {"family": "bernoulli", "probability": 0.8, "metric": "correct"},
    # Two values: ties, constant samples, bootstraps without spread.
    "coarse": {"family": "bernoulli", "probability": 0.9},
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("n", [3, 15])
@pytest.mark.parametrize("name", POPULATIONS)
def test_statistics_of_cases(name: str, n: int) -> None:
    population = POPULATIONS[name]
    cells = cells_of_values(
        population,
        sizes=[n],
        samples=2 * SAMPLES,
        batches=2,
        resamples=60,
        statistics=STATISTICS,
        levels=[0.9],
        alternative="lower" if name == "normal" else "two-sided",
    )
    values, plan, metric = _drawn(cells), batch_plan(cells, 1), cells.instance.metric
    assert metric is not None
    for measured in cells.measured:
        for place, of_sample in enumerate(_made(cells, measured)):
            for method, level, found in of_sample:
                # Its samples have numbers of their own; the first has that of the front door.
                if method == "exact_randomized" and place:
                    continue
                e = hw.summary_ci(
                    values[place],
                    metric=population.get("metric"),
                    bounds=None if "metric" in population else metric.spec.bounds,
                    statistic=measured.statistic,
                    method=method,
                    confidence_level=level,
                    alternative=cells.spec.levels[0].alternative,
                    n_resamples=60,
                    rng=plan.entropy,
                )
                assert _same(found, _said(e)), (measured.statistic, method, place)


# --------------------------------------------------------------------------- test sets

COUNTING = [
    ("accuracy", "", 3),
    ("balanced_accuracy", "", 3),
    ("f_beta", "macro", 3),
    ("f_beta", "micro", 3),
    ("f_beta", "none", 3),
    ("f_beta", "binary", 2),
    ("mcc", "", 3),
    ("mcc", "", 2),
    ("cohen_kappa", "", 3),
    ("sensitivity", "macro", 3),
    ("lr_plus", "binary", 2),
]
RANKING = [
    ("auroc", "binary", 2),
    ("auroc", "macro", 3),
    ("auroc", "none", 3),
    ("average_precision", "binary", 2),
    ("average_precision", "macro", 3),
    ("average_precision", "micro", 3),
]


def _check_test_sets(cells: Cells, average: str) -> None:
    """Every method of every row of each sample, against a call for that sample alone."""
    (metric,) = cells.spec.metrics
    classes = cells.instance.classes
    records, plan = _drawn(cells), batch_plan(cells, 1)

    @functools.cache
    def asked(place: int, method: str, level: float) -> list[hw.Estimate] | None:
        """A row for each class or one; None for a binary ranking of a single class."""
        truth = records[place, -1].astype(int)
        try:
            made = metric_ci(
                *(truth, records[place, :-1].T if len(classes) > 2 else records[place, 1]),
                metric=metric,
                average=average or None,
                labels=list(range(len(classes))),
                scores="probabilities",
                absent_class=cells.spec.absent_class,
                method=method,
                confidence_level=level,
                n_resamples=60,
                rng=plan.entropy,
            )
        except hw.DataError:
            assert metric.spec.name in ("auroc", "average_precision")
            assert len(np.unique(truth)) == 1
            return None
        return [made] if isinstance(made, hw.Estimate) else list(made)

    for row, measured in enumerate(cells.measured):
        for place, of_sample in enumerate(_made(cells, measured)):
            for method, level, found in of_sample:
                rows = asked(place, method, level)
                if rows is None:
                    assert all(math.isnan(value) for value in found[:3])
                    continue
                assert len(rows) == len(cells.measured)
                assert _same(found, _said(rows[row])), (measured.label, method, place)


@pytest.mark.sampled(8)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # infinite ratios
@pytest.mark.parametrize(("metric", "average", "classes"), COUNTING + RANKING)
def test_metrics_of_test_sets(metric: str, average: str, classes: int) -> None:
    shares = [0.75, 0.25] if classes == 2 else [0.5, 0.4, 0.1]
    cells = cells_of_sets(
        labelled(classes=classes, shares=shares),
        *(metric, 12),
        average or None,
        samples=2 * SAMPLES,
        batches=2,
        resamples=60,
        levels=[0.9],
    )
    _check_test_sets(cells, average)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("absent_class", ["zero", "undefined"])
@pytest.mark.parametrize(
    ("metric", "average"),
    [("f_beta", "macro"), ("sensitivity", "weighted"), ("auroc", "macro"), ("auroc", "weighted")],
)
def test_samples_without_a_class(metric: str, average: str, absent_class: str) -> None:
    cells = cells_of_sets(
        labelled(classes=3, shares=[0.5, 0.45, 0.05], seed=4),
        *(metric, 8),
        average,
        samples=2 * SAMPLES,
        batches=2,
        resamples=60,
        levels=[0.9],
        absent_class=absent_class,
    )
    absent = [len(np.unique(sample[-1])) < 3 for sample in _drawn(cells)]
    assert any(absent)
    _check_test_sets(cells, average)


def test_equal_scores_of_two_classes_are_a_positive_decision() -> None:
    """Probabilities of exactly one half, as coarse ones are, go to the positive class."""
    share = np.array([0.5, 0.5, 0.25, 0.75, 0.75, 0.5, 0.25, 0.5])
    truth = np.array([1, 0, 0, 1, 1, 1, 0, 0])
    instance = of_logits("halves", np.log(np.stack([1 - share, share])), truth, empirical=True)
    for metric in ("accuracy", "mcc"):
        cells = cells_of_sets(
            instance, metric, 12, samples=2 * SAMPLES, batches=2, resamples=60, levels=[0.9]
        )
        _check_test_sets(cells, "")


def test_many_samples_at_once_are_those_one_by_one() -> None:
    """Cells that only other samples of a batch hold must not matter to a sample."""
    for metric, average in (("ppv", "weighted"), ("f_beta", "macro"), ("mcc", None)):
        cells = cells_of_sets(
            labelled(classes=3, shares=[0.5, 0.45, 0.05], seed=4),
            *(metric, 8),
            average,
            samples=80,
            batches=2,
            resamples=40,
            absent_class="undefined",
        )
        (measured,) = cells.measured
        population = fitted(cells.instance).population
        made = simulated(cells, measured, population)
        (records,) = batch_parts(cells, population, 0, 40)
        values, plan = measured.samples(records), batch_plan(cells, 0)

        for place in range(40):
            alone = intervals(
                values[place : place + 1],
                measured.reduce,
                measured.methods,
                cells.spec.levels[0],
                bounds=measured.bounds,
                plan=plan,
                design=measured.design(8),
            )
            for one, many in zip(alone, made.bounded, strict=True):
                found = [many.low[place], many.high[place]]
                assert _same(found, [one.interval.low[0], one.interval.high[0]]), metric
