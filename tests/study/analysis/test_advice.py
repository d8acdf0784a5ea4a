"""`advice`: ranks that are known, quantiles and draws of tasks against plain computations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from analysed import cell

from halfwidth import DataError, UnknownNameError, summary_ci
from halfwidth.core.types import Level
from halfwidth.study import analysis
from halfwidth.study.analysis.advice import auto_choice, counted_quantile

TASKS, MODELS = 6, 4
# Coverage and width of each method, and how much both differ between instances.
WAYS = {
    "narrow": (0.90, 0.1, 0.02),
    "t": (0.945, 0.2, 0.002),
    "hall": (0.955, 0.24, 0.002),
    "gaffke": (0.98, 0.3, 0.002),
    "poor": (0.7, 0.1, 0.02),
}


def _cells(ways: dict[str, tuple[float, float, float]] = WAYS, **more: Any) -> pd.DataFrame:
    generator = np.random.default_rng(1)
    rows = []
    for task in range(TASKS):
        for model in range(MODELS):
            for method, (coverage, width, spread) in ways.items():
                off = spread * generator.uniform(-1, 1)
                row = {"task": f"task{task}", "model": f"model{model}", "method": method}
                numbers = {"coverage": coverage + off, "width_mean": width, "coverage_se": 0.003}
                rows.append(cell(**row, **numbers, **more))
    return pd.DataFrame(rows)


def test_reliable_methods_come_by_width_and_the_others_by_their_quartile() -> None:
    found = analysis.advice(_cells(), rng=1)
    assert found["method"].tolist() == ["t", "hall", "gaffke", "narrow", "poor"]
    assert found["rank"].tolist() == [1, 2, 3, 4, 5]
    assert found["reliable"].tolist() == [True, True, True, False, False]
    assert (found["instances"] == TASKS * MODELS).all()
    assert (found["tasks"] == TASKS).all()
    assert (found["reference"] == "t").all()
    np.testing.assert_allclose(found["width_ratio_median"], [1, 1.2, 1.5, 0.5, 0.5], rtol=1e-12)
    assert found["first"].tolist() == [1, 0, 0, 0, 0]
    assert not found["tied"].any()


def test_quartiles_are_those_of_pandas() -> None:
    cells = _cells()
    found = analysis.advice(cells, rng=1).set_index("method")
    grouped = cells.groupby("method")["coverage"]
    for name, expected in (
        ("coverage_q1", grouped.quantile(0.25)),
        ("coverage_median", grouped.median()),
        ("coverage_lowest", grouped.min()),
    ):
        np.testing.assert_allclose(found[name], expected[found.index], rtol=1e-12)


@pytest.mark.parametrize(("level", "wanted"), [(0.8, 0.76), (0.9, 0.88), (0.99, 0.988)])
def test_what_is_wanted_goes_with_the_level(level: float, wanted: float) -> None:
    """At most 1.2 times the misses that the level allows: 94 % at 95 %."""
    ways = {"just": (wanted, 2.0, 0.0), "short": (wanted - 1e-6, 1.0, 0.0)}
    found = analysis.advice(_cells(ways, confidence_level=level), rng=1)
    assert found["method"].tolist() == ["just", "short"]
    np.testing.assert_allclose(found["wanted"], wanted, rtol=1e-12)
    assert found["reliable"].tolist() == [True, False]


def test_the_ninth_decile_decides_between_equal_medians() -> None:
    cells = _cells({"a": (0.96, 0.2, 0.0), "b": (0.96, 0.2, 0.0), "t": (0.5, 0.2, 0.0)})
    wide = cells["model"].eq("model0") & cells["method"].eq("a")
    found = analysis.advice(cells.assign(width_mean=cells["width_mean"].where(~wide, 1.0)), rng=1)
    assert found["method"].tolist() == ["b", "a", "t"]
    assert found["width_ratio_median"].tolist() == [1, 1, 1]


def test_equal_methods_share_a_rank_and_are_tied() -> None:
    found = analysis.advice(_cells({"a": (0.96, 0.2, 0.0), "b": (0.96, 0.2, 0.0)}), rng=1)
    assert found["rank"].tolist() == [1, 1]
    assert found["first"].tolist() == [1, 1]
    assert found["tied"].sum() == 1  # with the one that stands first


def test_differences_of_rounding_are_none() -> None:
    """Bounds of one method by two ways differ in their eighth digit."""
    found = analysis.advice(
        _cells({"a": (0.96, 0.2, 0.0), "b": (0.96, 0.2 * (1 - 1e-9), 0.0)}), rng=1
    )
    assert found["rank"].tolist() == [1, 1]


def test_draws_of_tasks_are_those_of_a_loop() -> None:
    """One of six tasks fails: it is drawn often enough to lower the quartile in some draws."""
    cells = _cells({"t": (0.95, 0.2, 0.0), "safe": (0.96, 0.3, 0.0)})
    failing = cells["task"].isin(["task0"]) & cells["method"].eq("t")
    cells.loc[failing, "coverage"] = 0.8
    found = analysis.advice(cells, n_bootstrap=4000, rng=1).set_index("method")
    # t is unreliable where more than a quarter of the instances are of the failing task.
    generator = np.random.default_rng(2)
    drawn = generator.integers(TASKS, size=(20_000, TASKS))
    t_first = []
    for row in drawn[:4000]:
        coverages = np.repeat(np.where(row == 0, 0.8, 0.95), MODELS)
        t_first.append(np.quantile(coverages, 0.25) >= 0.94)
    error = math.sqrt(0.25 / 4000)
    assert abs(found.loc["t", "first"] - np.mean(t_first)) < 6 * error
    assert math.isclose(found["first"].sum(), 1)
    assert found.loc["safe", "tied"]
    assert found.loc["t", "coverage_q1_low"] == 0.8
    assert found.loc["t", "coverage_q1_high"] == 0.95


def test_one_task_says_nothing_of_how_sure_a_rank_is() -> None:
    found = analysis.advice(_cells().query("task == 'task1'"), rng=1)
    assert found["first"].isna().all()
    assert found["coverage_q1_low"].isna().all()
    assert not found["tied"].any()


def test_instances_without_a_task_are_drawn_one_by_one() -> None:
    cells = _cells()
    found = analysis.advice(cells.assign(task=""), rng=1)
    assert (found["tasks"] == TASKS * MODELS).all()


def test_missing_numbers() -> None:
    """A method on half of the instances, one without a true value, widths of zero."""
    cells = _cells({"t": (0.95, 0.2, 0.0), "half": (0.95, 0.1, 0.0), "none": (0.95, 0.1, 0.0)})
    cells = cells[~(cells["method"].eq("half") & cells["model"].isin(["model0", "model1"]))]
    cells.loc[cells["method"].eq("none"), "coverage"] = np.nan
    found = analysis.advice(cells, rng=1).set_index("method")
    assert found.index.tolist() == ["half", "t", "none"]
    assert found["instances"].tolist() == [TASKS * MODELS // 2, TASKS * MODELS, 0]
    assert not found.loc["none", "reliable"]
    found = analysis.advice(cells.assign(width_mean=0.0), rng=1)
    assert found["width_ratio_median"].isna().all()


def test_the_reference_is_named_or_the_usual_one() -> None:
    assert set(analysis.advice(_cells(), reference="hall", rng=1)["reference"]) == {"hall"}
    others = _cells({"bca": (0.95, 0.1, 0), "percentile": (0.95, 0.2, 0)})
    assert set(analysis.advice(others, rng=1)["reference"]) == {"percentile"}
    with pytest.raises(UnknownNameError, match="tt"):
        analysis.advice(_cells(), reference="tt")


def test_one_sided_intervals_are_refused() -> None:
    with pytest.raises(DataError, match="one-sided"):
        analysis.advice(_cells(alternative="lower"))


def test_counted_quantiles_are_those_of_repeated_values() -> None:
    generator = np.random.default_rng(3)
    values = generator.normal(size=7).round(1)
    values[2] = np.nan
    counts = generator.integers(0, 4, size=(30, 7)).astype(float)
    counts[0] = 0
    for share in (0.0, 0.25, 0.5, 0.9, 1.0):
        found = counted_quantile(values, counts, share)
        for one, row in zip(found, counts, strict=True):
            repeated = np.repeat(values, row.astype(int))
            repeated = repeated[~np.isnan(repeated)]
            expected = np.quantile(repeated, share) if len(repeated) else math.nan
            assert math.isclose(one, expected, rel_tol=1e-12) or math.isnan(expected)


@pytest.mark.parametrize("n", [10, 25, 50, 100])
@pytest.mark.parametrize("metric", ["dsc", "hd95"])
@pytest.mark.parametrize("statistic", ["mean", "sd", "median"])
def test_what_auto_takes_is_what_it_takes(metric: str, statistic: str, n: int) -> None:
    values = (np.arange(n) + 0.5) / n
    expected = summary_ci(values, metric=metric, statistic=statistic, rng=1).method
    assert auto_choice(metric, statistic, n, Level()) == expected


def test_nothing_is_said_of_what_auto_takes_of_test_sets() -> None:
    assert auto_choice("auroc", "", 50, Level()) == ""
    assert auto_choice("smile", "mean", 50, Level()) == ""
