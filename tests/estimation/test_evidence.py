from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import metric_ci

import halfwidth as hw
from halfwidth.core.spec import Metric
from halfwidth.estimation.evidence import (
    CLASS_SIZES,
    OF_CASES,
    Evidence,
    metric_family,
    rows_of,
    statistic_studied,
)
from halfwidth.estimation.evidence_lookup import Findings, findings_for
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.study.analysis import evidence_rows

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
            assert (rows["n"].eq(0) == rows["smallest"].gt(0)).all()
            # Of pooled sizes there are no widths.
            assert (rows["n"].eq(0) == rows["width_median"].isna()).all()
            assert set(rows["method"]) <= {"auto", *(method.name for method in hw.METHODS)}
            for what in ("coverage", "width"):
                low, middle, high = (rows[f"{what}_{said}"] for said in ("q1", "median", "q3"))
                assert not (low > middle).any()
                assert not (middle > high).any()
            assert rows["coverage_q3"].le(1).all()
            assert rows["coverage_q1"].ge(0).all()
            assert rows["instances"].ge(10).all()
            of_reference = rows[rows["method"] == rows["reference"]]
            assert of_reference["width_ratio"].eq(1).all()


def test_hoeffding_always_covers_and_t_does_not() -> None:
    rows = hw.evidence("dsc", n=10).set_index("method")
    assert rows.loc["hoeffding", "coverage_q1"] == 1
    assert rows["coverage_median"]["t"] < 0.95


def test_a_size_that_was_not_studied_is_an_error() -> None:
    with pytest.raises(hw.OptionError, match="n = 30 was not studied; choose one of 10, 25"):
        hw.evidence("dsc", n=30)
    with pytest.raises(hw.OptionError, match="is not a whole number of cases"):
        hw.evidence("dsc", n=np.array([10, 25]))  # type: ignore[arg-type]
    with pytest.raises(hw.OptionError, match="does not name an average"):
        hw.evidence("auroc", average=np.array(["macro"]))  # type: ignore[arg-type]


def test_nothing_was_found_of_a_distance_in_millimetres() -> None:
    assert hw.evidence("assd").empty
    assert metric_family(Metric(hw.METRICS["assd"])) == ""


@pytest.mark.parametrize("name", ["dsc", "iou", "nsd", "boundary_iou"])
def test_metrics_of_segmentation_between_0_and_1_are_one_family(name: str) -> None:
    assert metric_family(Metric(hw.METRICS[name])) == OF_CASES


# --------------------------------------------------------------------------- what is near


def of_t() -> Findings:
    return Findings(rows_of(OF_CASES, "mean", "", "t"))


@pytest.mark.parametrize(("n", "size"), [(7, 10), (10, 10), (24, 10), (30, 25), (625, 250)])
def test_the_next_size_below_speaks(n: int, size: int) -> None:
    found = of_t().at(n)
    assert found is not None
    assert found.n == size


@pytest.mark.parametrize("n", [0, 6, 626, 10_000])
def test_no_size_is_near(n: int) -> None:
    assert of_t().at(n) is None


def test_another_share_of_trimming_was_not_studied() -> None:
    usual, other = (resolve_statistic(f"trimmed_mean{more}") for more in ("", ":share=0.1"))
    assert statistic_studied(DSC.spec, usual) == "trimmed_mean"
    assert statistic_studied(DSC.spec, other) is None


def row(n: int = 0, median: float = 0.95, quarter: float = 0.93, **changed: Any) -> Evidence:
    """What was found at a size."""
    names: dict[str, Any] = {"family": OF_CASES, "statistic": "mean", "average": "", "method": "t"}
    shares = {"coverage_median": median, "coverage_q1": quarter, "coverage_q3": 0.96}
    widths = dict.fromkeys(("width_q1", "width_median", "width_q3", "width_ratio"), 1.0)
    others: dict[str, Any] = {"smallest": 0, "instances": 50, "reference": "t", "undefined": 0.0}
    return Evidence(**(names | shares | widths | others | {"n": n} | changed))


def test_the_median_and_the_first_quartile_say_from_where_on_coverage_holds() -> None:
    short = Findings((row(10, 0.92), row(25, 0.95, 0.89), row(50, 0.93, 0.9), row(100)))
    assert short.needed == 50
    assert [short.too_few(n) for n in (5, 10, 25, 49, 50, 1000)] == [True] * 4 + [False] * 2


def test_a_size_that_falls_short_after_one_that_did_not_is_one_too_many() -> None:
    assert Findings((row(10), row(25, 0.9), row(50))).needed == 50


def test_what_is_never_reliable_needs_more_than_was_studied() -> None:
    never = Findings((row(10, 0.8), row(250, 0.9)))
    assert never.needed is None
    assert never.needed_text == "more than 250"
    assert never.too_few(250)
    # More cases than were studied are no reason to ask for more.
    assert not never.too_few(251)


def test_far_fewer_cases_than_were_studied_are_too_few() -> None:
    always = Findings((row(10), row(25)))
    assert [always.too_few(n) for n in (6, 7, 10)] == [True, False, False]


def test_rows_of_classes_say_how_many_cases_of_the_smallest_they_are_of() -> None:
    assert "with 5 to 9 cases of the smallest class (median)" in row(smallest=5).coverage_sentence
    assert "with 40 or more cases of the smallest class" in row(smallest=40).coverage_sentence


# --------------------------------------------------------------------------- what auto is told


def ship(monkeypatch: pytest.MonkeyPatch, shipped: Mapping[str, tuple[Evidence, ...]]) -> None:
    """Let these rows by method, of sizes of all cases, be all evidence there is."""
    monkeypatch.setattr(
        "halfwidth.estimation.evidence_lookup._findings",
        lambda *what, by_class: Findings(() if by_class else shipped.get(what[-1], ())),
    )


def test_what_auto_chose_is_judged_by_auto_and_a_named_method_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shipped = {"auto": (row(10, method="auto"),), "hall": (row(10, 0.8, method="hall"), row(25))}
    ship(monkeypatch, shipped)
    chosen, named = (hw.summary_ci(values(12), metric="dsc", method=m) for m in ("auto", "hall"))
    assert findings_for(chosen, chosen=True).rows[0].method == "auto"
    assert not messages(chosen, "HW201")
    assert "95 % intervals by hall covered 80 % at n = 10" in messages(named, "HW201")[0]


def test_a_method_that_leaves_samples_without_an_interval_is_not_what_auto_gave(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shipped = {"delong_logit": (row(10, 0.2, undefined=0.7), row(25, 0.6), row(50))}
    ship(monkeypatch, shipped)
    truth, scores = [0, 1] * 10, np.random.default_rng(1).random(20)
    estimate = metric_ci(truth, scores, metric="auroc", method="delong_logit")
    assert not findings_for(estimate, chosen=True).rows
    assert findings_for(estimate, chosen=False).rows


def test_a_distance_is_judged_as_metrics_between_0_and_1_under_the_same_method() -> None:
    distances = np.random.default_rng(1).gamma(6, 0.2, 30)
    chosen = findings_for(hw.summary_ci(distances, metric="assd"), chosen=True)
    assert chosen.rows
    assert not chosen.own
    assert not findings_for(hw.summary_ci(distances, metric="assd", method="t"), chosen=False).rows


# --------------------------------------------------------------------------- what cautions say


def test_few_cases_are_told_what_the_method_did() -> None:
    (message,) = messages(hw.summary_ci(values(12), metric="dsc", method="t"), "HW201")
    found = of_t().at(12)
    assert found is not None
    assert message.endswith(found.coverage_sentence)
    assert "On 164 real instances (DSC and NSD) 95 % intervals by t covered" in message


def test_the_caution_about_the_method_quotes_where_there_is_one() -> None:
    estimate = hw.summary_ci(values(12), metric="dsc", method="basic")
    assert "real instances" in messages(estimate, "HW302")[0]
    assert "real instances" not in messages(estimate, "HW201")[0]


def test_a_concentration_bound_is_told_its_width() -> None:
    (message,) = messages(hw.summary_ci(values(50), metric="dsc", method="hoeffding"), "HW307")
    found = Findings(rows_of(OF_CASES, "mean", "", "hoeffding")).at(50)
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


@pytest.mark.parametrize("method", ["delong", "percentile"])
def test_a_difference_is_not_quoted_the_coverage_of_single_areas(method: str) -> None:
    generator, truth = np.random.default_rng(2), np.arange(113) % 2
    scores = {name: truth + generator.normal(0, 0.9, 113) for name in "ab"}
    data = hw.Predictions.from_arrays(truth, scores, scores="any")
    asked: dict[str, Any] = {"metric": "auroc", "method": method, "rng": 1, "n_resamples": 199}
    assert "real instances" in messages(hw.estimate(data, **asked)[0], "HW201")[0]
    for effect in ("difference", "ratio") if method == "percentile" else ("difference",):
        (one,) = hw.compare(data, effect=effect, **asked)
        assert not any("real instances" in item.message for item in one.cautions)


@pytest.mark.parametrize("other", [{"sample_weight": [1, 2] * 26}, {"threshold": "youden_j"}])
def test_weights_and_chosen_thresholds_were_not_studied(other: dict[str, Any]) -> None:
    truth = [0, 1] * 26
    scores = np.random.default_rng(3).random(52) / 2 + 0.4 * np.array(truth)
    asked: dict[str, Any] = {"metric": "f1", "method": "percentile", "rng": 1, "n_resamples": 199}
    assert "real instances" in messages(metric_ci(truth, scores, **asked), "HW201")[0]
    estimate = metric_ci(truth, scores, **asked, **other)
    assert not any("real instances" in item.message for item in estimate.cautions)


def test_the_policy_for_absent_classes_is_that_of_the_study() -> None:
    truth = [0, 1, 2] * 4
    scores = np.random.default_rng(0).dirichlet(np.ones(3), 12)
    quoted = {}
    for policy in ("omit", "zero"):
        how: dict[str, Any] = {"absent_class": policy, "method": "percentile", "rng": 1}
        estimate = metric_ci(truth, scores, metric="auroc", average="macro", **how)
        quoted[policy] = any("real instances" in item.message for item in estimate.cautions)
    assert quoted == {"omit": True, "zero": False}


def test_averages_are_judged_by_their_smallest_class() -> None:
    truth = np.repeat([0, 1, 2], [40, 40, 3])
    scores = np.random.default_rng(1).dirichlet(np.ones(3), 83) + 0.8 * np.eye(3)[truth]
    scores /= scores.sum(axis=1, keepdims=True)
    estimate = metric_ci(truth, scores, metric="f1", average="macro", rng=1)
    assert not messages(estimate, "HW201")
    (message,) = messages(estimate, "HW204")
    assert message.startswith("class '2': 3 cases; reliable intervals for the macro F1 need")
    # Of macro AUROCs with so few cases of a class `auto` was found to cover well enough.
    area = metric_ci(truth, scores, metric="auroc", average="macro", rng=1)
    assert not messages(area, "HW204")


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
    with pytest.raises(hw.DataError, match="95 %"):
        evidence_rows(cells(confidence_level=0.9))
    with pytest.raises(hw.DataError, match="95 %"):
        evidence_rows(distances)


def test_instances_are_pooled_by_their_smallest_class_too() -> None:
    of_sets = cells(metric="auroc", statistic="", average="macro").query("method == 't'")
    more = pd.concat([of_sets, of_sets.assign(n=20, coverage=0.9)])
    # A tenth of 10 and 20 cases is 1 and 2 cases; a half is 5 and 10.
    shares = {name: 0.5 if name.startswith("0") else 0.1 for name in of_sets["instance"]}
    rows = evidence_rows(more, smallest_shares=shares)
    pooled = rows.set_index("smallest")
    assert {1, 5, 10} <= set(CLASS_SIZES)
    assert list(zip(rows["n"], rows["smallest"], strict=True)) == [
        *((0, 1), (0, 5), (0, 10), (10, 0), (20, 0))
    ]
    assert list(rows["instances"]) == [4, 2, 2, 6, 6]
    # The two n of an instance are one value of it: .86 and .9, .87 and .9.
    assert pooled["coverage_median"][1] == pytest.approx((0.88 + 0.885) / 2)
    assert pooled["coverage_median"][10] == pytest.approx(0.9)
    assert rows["width_median"].isna().tolist() == [True] * 3 + [False] * 2


def test_a_width_of_0_is_no_unit() -> None:
    rows = evidence_rows(cells(width_mean=0.0))
    assert all(math.isnan(ratio) for ratio in rows["width_ratio"])


# --------------------------------------------------------------------------- what auto makes of it


@pytest.mark.parametrize(
    ("drawn", "n", "method"),
    [
        ("skewed", 3, "dirichlet_pareto"),
        ("skewed", 25, "dirichlet_pareto"),
        ("two heaps", 100, "dirichlet_pareto"),
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
    estimate = hw.summary_ci(samples[drawn], metric="assd", statistic="sd", rng=1, n_resamples=999)
    assert estimate.method == method
