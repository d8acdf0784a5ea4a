"""Failures: the fence by hand, and what failures share that others do not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from analysed import cell

from halfwidth import DataError, UnknownNameError
from halfwidth.study import analysis
from halfwidth.study.analysis import what_they_share


def instances(coverages: list[float], **given: Any) -> pd.DataFrame:
    """A task for each coverage; lists are taken one by one."""
    rows = []
    for i, coverage in enumerate(coverages):
        own = {k: v[i] if isinstance(v, list) else v for k, v in given.items()}
        rows.append(cell(task=f"t{i}", coverage=coverage, **own))
    return pd.DataFrame(rows)


def test_the_fence_is_below_the_first_quartile() -> None:
    # Type 7: Q1 .92, Q3 .94, fence .89; Q3 - 1.5 IQR would be .91 and take the second too.
    found = analysis.failures(instances([0.85, 0.90, 0.92, 0.93, 0.935, 0.94, 0.95, 0.92, 0.94]))
    assert found["fence"].to_numpy() == pytest.approx([0.89] * 9)
    assert found.loc[found["failure"], "task"].tolist() == ["t0"]
    assert found["task"].iloc[:2].tolist() == ["t0", "t1"]
    assert set(found["instances"]) == {9}


def test_quartiles_are_those_of_numpy() -> None:
    coverages = np.random.default_rng(1).beta(20, 2, 23)
    q1, q3 = np.quantile(coverages, [0.25, 0.75])
    found = analysis.failures(instances(coverages.tolist()))
    assert found["fence"].iloc[0] == pytest.approx(q1 - 1.5 * (q3 - q1))


def test_a_coverage_at_the_fence_is_no_failure() -> None:
    assert not analysis.failures(instances([0.93] * 6))["failure"].any()


def test_each_metric_and_average_has_its_own_fence() -> None:
    usual = [0.93, 0.94, 0.95, 0.94]
    cells = pd.concat(
        [
            instances([*usual, 0.80]),
            instances([0.78, 0.80, 0.81, 0.80, 0.79], metric="nsd"),
            instances([*usual, 0.5], metric="f1", statistic="", average="macro"),
        ]
    )
    found = analysis.failures(cells)
    assert found.loc[found["failure"], "metric"].tolist() == ["dsc", "f1"]


def test_only_one_method_and_size_is_looked_at() -> None:
    usual = [0.93, 0.94, 0.95, 0.94]
    cells = pd.concat(
        [
            instances([*usual, 0.80]),
            instances([0.1, *usual], n=25),
            instances([0.1, *usual], method="t"),
        ]
    )
    assert analysis.failures(cells).query("failure")["task"].tolist() == ["t4"]
    assert analysis.failures(cells, "t").query("failure")["task"].tolist() == ["t0"]
    with pytest.raises(UnknownNameError, match=r"'60'.*Known: 50, 25"):
        analysis.failures(cells, n=60)
    with pytest.raises(UnknownNameError, match="did you mean 'percentile'"):
        analysis.failures(cells, "percentil")


def test_an_unknown_coverage_is_no_failure_and_counts_for_nothing() -> None:
    found = analysis.failures(instances([0.93, 0.94, 0.95, 0.94, math.nan, 0.8]))
    assert found.loc[found["failure"], "task"].tolist() == ["t5"]
    assert set(found["instances"]) == {5}


def test_failures_share_what_was_put_in() -> None:
    cells = instances(
        [*[0.93, 0.94, 0.95, 0.94, 0.94, 0.94, 0.93, 0.95], 0.6, 0.7],
        population_skewness=[-1.0, -0.5, 1.5, 0.0, -3.0, 1.0, 1.0, -2.0, -5.0, 4.0],
        truth=[0.5, 0.6, 0.7, 0.8, 0.9, 0.5, 0.5, 0.5, 0.97, 0.94],
        n_cases=[60, 60, 200, 300, 400, 500, 600, 700, 800, 900],
    )
    found = what_they_share(analysis.failures(cells)).set_index("property")
    skewness = found.loc["absolute_skewness"]
    assert (skewness["failures"], skewness["others"]) == (2, 8)
    assert (skewness["median_failures"], skewness["median_others"]) == (4.5, 1.0)
    assert (skewness["share_failures"], skewness["share_others"]) == (1.0, 0.125)
    assert found.loc["truth", "share_failures"] == 0.5
    assert found.loc["n_cases", "share_others"] == 0.25
    assert "largest_share" not in found.index


def test_characteristics_are_added_by_instance() -> None:
    cells = instances(
        [*[0.94, 0.93, 0.95, 0.94, 0.94, 0.93], 0.5, 0.6],
        metric="f1",
        statistic="",
        average="macro",
    )
    names = cells["instance"].tolist()
    table = pd.DataFrame(
        {
            "instance": names[::-1],
            "classes": 2,
            "largest_share": [0.98, 0.96, 0.5, 0.6, 0.55, 0.52, 0.5, 0.5],
            "smallest_share": [0.02, 0.04, 0.5, 0.4, 0.45, 0.48, 0.5, 0.5],
        }
    )
    found = analysis.failures(cells, characteristics=table)
    assert found.loc[found["failure"], "largest_share"].tolist() == [0.96, 0.98]
    shared = what_they_share(found).set_index("property")
    assert shared.loc["imbalance", "share_failures"] == 1.0
    assert shared.loc["imbalance", "share_others"] == 0.0
    assert shared.loc["imbalance", "median_failures"] == pytest.approx(2 * 0.97)
    # 1 and 2 of 50.
    assert shared.loc["smallest_count", "median_failures"] == pytest.approx(1.5)
    assert shared.loc["smallest_share", "share_failures"] == 1.0
    assert shared["share_failures"].isna()["largest_share"]


def test_distances_have_no_value_near_1() -> None:
    cells = instances([0.94, 0.93, 0.95, 0.94, 0.5], metric="assd", truth=[3.0, 2.0, 5.0, 4.0, 1.0])
    assert "truth" not in what_they_share(analysis.failures(cells))["property"].tolist()


def test_thresholds_of_values_are_not_those_of_logits() -> None:
    coverages = [*[0.93, 0.94, 0.95, 0.94, 0.94], 0.5]
    own: dict[str, Any] = {
        "statistic": "",
        "population_skewness": 12.0,
        "population_kurtosis": 90.0,
    }
    own["truth"] = [0.8, 0.8, 0.7, 0.6, 0.8, 0.97]
    found = what_they_share(analysis.failures(instances(coverages, metric="accuracy", **own)))
    shared = found.set_index("property")
    assert not {"absolute_skewness", "kurtosis"} & set(shared.index)
    skewness = shared.loc["multivariate_skewness"]
    assert (skewness["median_failures"], skewness["beyond"]) == (12.0, "")
    assert np.isnan(skewness["share_failures"])
    # Accuracy is a metric of test sets only.
    assert (shared.loc["truth", "share_failures"], shared.loc["truth", "share_others"]) == (1, 0)


def test_mcc_reaches_below_0() -> None:
    cells = instances([0.94, 0.93, 0.95, 0.94, 0.5], metric="mcc", statistic="", truth=0.97)
    assert "truth" not in what_they_share(analysis.failures(cells))["property"].tolist()


def test_no_failures_share_nothing() -> None:
    assert what_they_share(analysis.failures(instances([0.93] * 5))).empty


def test_bad_characteristics_are_errors() -> None:
    cells = instances([0.93, 0.94])
    with pytest.raises(DataError, match="lack a column instance"):
        analysis.failures(cells, characteristics=pd.DataFrame({"name": ["a"]}))
    with pytest.raises(DataError, match="'a' has more than one row"):
        analysis.failures(cells, characteristics=pd.DataFrame({"instance": ["a", "a"]}))
    with pytest.raises(DataError, match="lacks failure"):
        what_they_share(cells)
