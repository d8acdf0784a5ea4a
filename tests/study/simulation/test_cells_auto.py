"""``auto`` in a study: the bounds of every sample are those that a user gets of it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_data import metric_ci
from smallstudies import HERE, cells_of_sets, cells_of_values, labelled, rows_of
from support import quickly

import halfwidth as hw
from halfwidth.study.simulation.cells import Cells, batch_parts, batch_plan, simulated
from halfwidth.study.simulation.fitted import fitted
from halfwidth.study.simulation.performance import CHOICES, COLUMNS
from halfwidth.study.specs.parsing import parse_spec

SAMPLES, RESAMPLES = 4, 40
SMALL = {"samples": 2 * SAMPLES, "batches": 2, "resamples": RESAMPLES, "methods": ["auto"]}
# Few and equal values, heaps at the bounds, none of a class: where `auto` takes other methods.
POPULATIONS: dict[str, dict[str, Any]] = {
    "beta": {"family": "beta", "a": 8, "b": 2, "metric": "dsc"},
    "failures": {
        "parts": [
            {"family": "beta", "a": 18, "b": 2, "weight": 0.9},
            {"family": "bernoulli", "probability": 0, "weight": 0.1},
        ],
        "metric": "dsc",
    },
    "unbounded": {"family": "lognormal"},
    "hits": {"family": "bernoulli", "probability": 0.8, "metric": "correct"},
    "two values": {"family": "bernoulli", "probability": 0.9, "metric": "dsc"},
}


def _batch(cells: Cells) -> tuple[Any, int]:
    """The samples of the second batch, and the seed of its draws."""
    (drawn,) = batch_parts(cells, fitted(cells.instance).population, 1, SAMPLES)
    return drawn, batch_plan(cells, 1).entropy


def _check(cells: Cells, measured: Any, expected: list[hw.Estimate | None], which: int = 0) -> None:
    """The bounds and methods of the second batch are those of the front door."""
    bounded = simulated(cells, measured, fitted(cells.instance).population).bounded[which]
    for place, estimate in enumerate(expected, start=SAMPLES):
        found = (bounded.low[place], bounded.high[place])
        if estimate is None:
            assert all(map(math.isnan, found))
            continue
        bounds = (estimate.low, estimate.high)
        assert np.allclose(found, bounds, rtol=1e-12, atol=1e-12, equal_nan=True)
        assert bounded.methods[place] == estimate.method
        share = estimate.n_undefined / (estimate.n_resamples or 1)
        assert bounded.undefined_share[place] == share


@pytest.mark.sampled(4)
@pytest.mark.parametrize("n", [3, 12, 60])
@pytest.mark.parametrize("name", POPULATIONS)
def test_statistics_of_cases(name: str, n: int) -> None:
    statistics = ["mean", "sd", "median", "trimmed_mean", "iqr", "quantile:q=0.8"]
    cells = cells_of_values(POPULATIONS[name], sizes=[n], statistics=statistics, **SMALL)
    values, seed = _batch(cells)
    assert cells.instance.metric is not None
    metric = POPULATIONS[name].get("metric")
    for measured in cells.measured:
        expected = [
            quickly(
                hw.summary_ci,
                sample,
                metric=metric,
                bounds=None if metric else cells.instance.bounds,
                statistic=measured.statistic,
                n_resamples=RESAMPLES,
                rng=seed,
            )
            for sample in values
        ]
        _check(cells, measured, list(expected))


@pytest.mark.parametrize(
    ("metric", "average", "classes"),
    [
        ("accuracy", None, 2),
        ("balanced_accuracy", None, 2),
        ("f1", "binary", 2),
        ("sensitivity", "binary", 2),
        ("ppv", "binary", 2),
        ("mcc", None, 3),
        ("f1", "macro", 3),
        ("auroc", "binary", 2),
        ("auroc", "macro", 3),
        ("average_precision", "binary", 2),
    ],
)
@pytest.mark.parametrize("n", [10, 60])
def test_metrics_of_test_sets(metric: str, average: str | None, classes: int, n: int) -> None:
    shares = [0.85, 0.15] if classes == 2 else [0.5, 0.4, 0.1]
    # Classes so far apart that samples without an error are common.
    instance = labelled(classes=classes, shares=shares, shift=3.0)
    cells = cells_of_sets(instance, metric, n, average, **SMALL)
    drawn, seed = _batch(cells)

    def asked(sample: Any) -> hw.Estimate | None:
        try:
            estimate = metric_ci(
                sample[-1].astype(int),
                sample[1] if classes == 2 else sample[:-1].T,
                metric=metric,
                average=average,
                labels=list(range(classes)),
                scores="probabilities",
                n_resamples=RESAMPLES,
                rng=seed,
            )
        except hw.DataError:
            assert metric in ("auroc", "average_precision")
            assert len(np.unique(sample[-1])) == 1
            return None
        assert isinstance(estimate, hw.Estimate)
        return estimate

    (measured,) = cells.measured
    _check(cells, measured, [asked(sample) for sample in drawn])


def test_every_level_has_its_own_choice() -> None:
    """Nine values have an exact interval of the median at 95 %, and none at 99.9 %."""
    study = {"levels": [0.95, 0.999], "methods": ["auto", "percentile"], "statistics": ["median"]}
    cells = cells_of_values(POPULATIONS["beta"], sizes=[9], **SMALL | study)
    values, seed = _batch(cells)
    (measured,) = cells.measured
    chosen = []
    for place, level in enumerate(cells.spec.levels):
        expected = [
            quickly(
                hw.summary_ci,
                sample,
                metric="dsc",
                statistic="median",
                confidence_level=level.confidence_level,
                n_resamples=RESAMPLES,
                rng=seed,
            )
            for sample in values
        ]
        _check(cells, measured, list(expected), 2 * place + 1)
        chosen.append(expected[0].method)
    assert chosen[0] != chosen[1]
    rows = rows_of(cells)
    assert [row["chosen"] for row in rows] == [
        *("", f"{chosen[0]} 1.0000"),
        *("", f"{chosen[1]} 1.0000"),
    ]


def test_stores_without_auto_keep_their_columns(tmp_path: Path) -> None:
    """What earlier versions wrote is read, and gone on with, as before."""
    folders = {}
    for methods in (["t"], ["t", "auto"]):
        study = {"sizes": [10], "samples": 4, "batches": 2, "resamples": 9, "methods": methods}
        spec = parse_spec(
            {"study": study | {"statistics": ["mean"]}, "populations": [POPULATIONS["beta"]]}, HERE
        )
        folders[len(methods)] = tmp_path / str(len(methods))
        assert not hw.study.run(spec, folders[len(methods)]).failed
    plain, both = (hw.study.open(folder) for folder in folders.values())
    assert list(plain.to_frame().columns) == list(COLUMNS)
    assert list(both.to_frame().columns) == [*COLUMNS, *CHOICES]
    with pytest.raises(hw.UnknownNameError, match="chosen"):
        plain.to_frame(["chosen"])
    together = hw.study.analysis.cells_of(plain, both.to_frame().query("method == 'auto'"))
    assert together["chosen"].notna().tolist() == [False, True]
