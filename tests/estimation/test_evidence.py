from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import halfwidth as hw
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.spec import Metric
from halfwidth.estimation.evidence import OF_CASES, cases_needed, find_evidence, metric_family
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.study.analysis.evidence import evidence_rows

MEAN = resolve_statistic("mean")
DSC = Metric(hw.METRICS["dsc"])


def values(n: int) -> list[float]:
    drawn: list[float] = np.random.default_rng(n).beta(8, 2, n).tolist()
    return drawn


def messages(estimate: hw.Estimate, code: str) -> list[str]:
    return [item.message for item in estimate.cautions if item.code == code]


# --------------------------------------------------------------------------- the data file


def test_the_file_holds_quartiles_of_known_methods() -> None:
    for metric in ("dsc", "accuracy", "auroc", "average_precision", "mcc"):
        for statistic in ("mean", "median", "trimmed_mean", "sd", "iqr"):
            rows = hw.evidence(metric, statistic=statistic)
            assert len(rows)
            assert set(rows["method"]) <= {method.name for method in hw.METHODS}
            for what in ("coverage", "width"):
                low, middle, high = (rows[f"{what}_{said}"] for said in ("q1", "median", "q3"))
                assert (low <= middle).all()
                assert (middle <= high).all()
            assert rows["coverage_q3"].le(1).all()
            assert rows["coverage_q1"].ge(0).all()
            assert rows["instances"].isin([26, 50, 162, 164]).all()
            of_reference = rows[rows["method"] == rows["reference"]]
            assert of_reference["width_ratio"].eq(1).all()


def test_hoeffding_always_covers_and_t_does_not() -> None:
    rows = hw.evidence("dsc", n=10).set_index("method")
    assert rows.loc["hoeffding", "coverage_q1"] == 1
    assert rows["coverage_median"]["t"] < 0.95


def test_a_size_that_was_not_studied_is_an_error() -> None:
    with pytest.raises(OptionError, match="n = 30 was not studied; choose one of 10, 25"):
        hw.evidence("dsc", n=30)


def test_nothing_was_found_of_a_distance_in_millimetres() -> None:
    assert hw.evidence("assd").empty
    assert metric_family(Metric(hw.METRICS["assd"])) == ""


@pytest.mark.parametrize("name", ["dsc", "iou", "nsd", "boundary_iou"])
def test_metrics_of_segmentation_between_0_and_1_are_one_family(name: str) -> None:
    assert metric_family(Metric(hw.METRICS[name])) == OF_CASES


# --------------------------------------------------------------------------- what is near


@pytest.mark.parametrize(("n", "size"), [(7, 10), (10, 10), (24, 10), (30, 25), (625, 250)])
def test_the_next_size_below_speaks(n: int, size: int) -> None:
    found = find_evidence(DSC, MEAN, "", "t", n)
    assert found is not None
    assert found.n == size


@pytest.mark.parametrize("n", [0, 6, 626, 10_000])
def test_no_size_is_near(n: int) -> None:
    assert find_evidence(DSC, MEAN, "", "t", n) is None


def test_another_share_of_trimming_was_not_studied() -> None:
    usual, other = (resolve_statistic(f"trimmed_mean{more}") for more in ("", ":share=0.1"))
    assert find_evidence(DSC, usual, "", "percentile", 25) is not None
    assert find_evidence(DSC, other, "", "percentile", 25) is None


# --------------------------------------------------------------------------- what cautions say


def test_few_cases_are_told_what_the_method_did() -> None:
    (message,) = messages(hw.summary_ci(values(12), metric="dsc", method="t"), "HW201")
    found = find_evidence(DSC, MEAN, "", "t", 12)
    assert found is not None
    assert message.endswith(found.of_coverage)
    assert "On 164 real instances (DSC and NSD) 95 % intervals by t covered" in message


def test_the_caution_about_the_method_quotes_where_there_is_one() -> None:
    estimate = hw.summary_ci(values(12), metric="dsc", method="basic")
    assert "real instances" in messages(estimate, "HW302")[0]
    assert "real instances" not in messages(estimate, "HW201")[0]


def test_a_concentration_bound_is_told_its_width() -> None:
    (message,) = messages(hw.summary_ci(values(50), metric="dsc", method="hoeffding"), "HW307")
    found = find_evidence(DSC, MEAN, "", "hoeffding", 50)
    assert found is not None
    assert f"hoeffding was {found.width_ratio:.1f} times as wide as t at n = 50" in message


@pytest.mark.parametrize(
    "other",
    [
        {"confidence_level": 0.9},
        {"alternative": "lower"},
        {"groups": [*range(10), 0, 1]},
        {"strata": [0, 1] * 6},
    ],
)
def test_what_was_not_studied_is_not_quoted(other: dict[str, Any]) -> None:
    estimate = hw.summary_ci(values(12), metric="dsc", method="percentile", rng=1, **other)
    assert messages(estimate, "HW201")
    assert not any("real instances" in item.message for item in estimate.cautions)


def test_the_policy_for_absent_classes_is_that_of_the_study() -> None:
    truth = [0, 1, 2] * 4
    scores = np.random.default_rng(0).dirichlet(np.ones(3), 12)
    quoted = {}
    for policy in ("omit", "zero"):
        estimate = hw.metric_ci(
            truth, scores, metric="auroc", average="macro", absent_class=policy, rng=1
        )
        quoted[policy] = any("real instances" in item.message for item in estimate.cautions)
    assert quoted == {"omit": True, "zero": False}


def test_a_ranked_metric_of_too_few_cases_is_told_how_many_it_needs() -> None:
    generator = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2], 20)
    scores = generator.dirichlet(np.ones(3), 60) + 0.8 * np.eye(3)[truth]
    estimate = hw.metric_ci(
        truth, scores / scores.sum(axis=1, keepdims=True), metric="auroc", average="macro", rng=1
    )
    assert estimate.method == "bca"
    assert cases_needed(estimate) == (100, 250)
    (message,) = messages(estimate, "HW201")
    assert message.startswith("60 cases; reliable intervals for the macro AUROC need about 100")
    assert "On 50 real instances 95 % intervals by bca covered 88.2 % at n = 50" in message


def test_a_method_that_never_got_there_needs_more_than_was_studied() -> None:
    truth = np.repeat([0, 1, 2], 40)
    scores = np.random.default_rng(1).dirichlet(np.ones(3), 120) + 0.8 * np.eye(3)[truth]
    scores /= scores.sum(axis=1, keepdims=True)
    for method, count in (("percentile", 1), ("bca", 0)):
        estimate = hw.metric_ci(
            truth, scores, metric="auroc", average="macro", method=method, rng=1, n_resamples=999
        )
        found = messages(estimate, "HW201")
        assert len(found) == count
        assert all("need more than 250." in message for message in found)


def test_more_cases_than_were_studied_are_no_reason_to_ask_for_more() -> None:
    truth = np.repeat([0, 1, 2], 100)
    scores = np.random.default_rng(1).dirichlet(np.ones(3), 300) + 0.8 * np.eye(3)[truth]
    scores /= scores.sum(axis=1, keepdims=True)
    estimate = hw.metric_ci(
        truth, scores, metric="auroc", average="macro", method="percentile", rng=1, n_resamples=999
    )
    assert cases_needed(estimate) is None
    assert not messages(estimate, "HW201")


# --------------------------------------------------------------------------- how it is made


def cells(**changed: Any) -> pd.DataFrame:
    """Two methods on two metrics of one model on three tasks."""
    rows = [
        {
            "instance": f"{task}/{metric}",
            "metric": metric,
            "statistic": "mean",
            "average": "",
            "label": "",
            "n": 10,
            "method": method,
            "confidence_level": 0.95,
            "alternative": "two-sided",
            "coverage": 0.8 + 0.01 * task + 0.05 * (method == "t"),
            "width_mean": (1.0 + task) * (2.0 if method == "hoeffding" else 1.0),
            "undefined": task,
            "samples": 10,
        }
        for task in range(3)
        for metric in ("dsc", "nsd")
        for method in ("t", "hoeffding")
    ]
    return pd.DataFrame(rows).assign(**changed)


def test_instances_of_one_family_are_pooled() -> None:
    rows = evidence_rows(cells()).set_index("method")
    assert list(rows["instances"]) == [6, 6]
    assert rows.loc["t", "coverage_median"] == pytest.approx(0.86)
    # Type 7 of .85, .85, .86, .86, .87, .87: a quarter of the way from the second to the third.
    assert rows.loc["t", "coverage_q1"] == pytest.approx(0.8525)
    assert rows.loc["hoeffding", "width_ratio"] == pytest.approx(2)
    assert rows.loc["t", "undefined"] == pytest.approx(0.1)
    assert set(rows["reference"]) == {"t"}


def test_other_levels_and_metrics_are_left_out() -> None:
    distances = cells(metric="assd")
    assert len(evidence_rows(pd.concat([cells(), distances]))) == 2
    with pytest.raises(DataError, match="95 %"):
        evidence_rows(cells(confidence_level=0.9))
    with pytest.raises(DataError, match="95 %"):
        evidence_rows(distances)


def test_a_width_of_0_is_no_unit() -> None:
    rows = evidence_rows(cells(width_mean=0.0))
    assert all(math.isnan(ratio) for ratio in rows["width_ratio"])


# --------------------------------------------------------------------------- what auto makes of it


@pytest.mark.parametrize(
    ("drawn", "n", "method"),
    [
        ("skewed", 24, "percentile"),
        ("skewed", 25, "bca"),
        ("two heaps", 100, "percentile"),
        ("constant", 30, "percentile"),
    ],
)
def test_the_method_that_auto_chooses_for_an_sd(drawn: str, n: int, method: str) -> None:
    generator = np.random.default_rng(3)
    samples = {
        "skewed": generator.beta(8, 2, n),
        "two heaps": np.where(np.arange(n) % 2, 0.9, 0.05) + 0.01 * generator.random(n),
        "constant": np.full(n, 0.5),
    }
    estimate = hw.summary_ci(samples[drawn], metric="dsc", statistic="sd", rng=1, n_resamples=999)
    assert estimate.method == method
