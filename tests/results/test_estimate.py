"""What an estimate offers: the names of the contract, and the ways out of Python."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import halfwidth as hw

DICE = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
KEYS = [
    "label",
    "by",
    "metric",
    "parameters",
    "bounds",
    "statistic",
    "average",
    "value",
    "low",
    "high",
    "halfwidth",
    "method",
    "rule",
    "confidence_level",
    "alternative",
    "n",
    "n_missing",
    "missing",
    "n_not_applicable",
    "n_groups",
    "n_effective",
    "design",
    "over",
    "standard_error",
    "n_resamples",
    "n_undefined",
    "seed",
    "if_unseen_failures",
    "cautions",
]
COLUMNS = [
    *(key for key in KEYS if key not in ("by", "if_unseen_failures", "cautions")),
    *("low_if_unseen_failures", "high_if_unseen_failures", "cautions"),
]


def estimate(**options: Any) -> hw.Estimate:
    return hw.summary_ci(DICE, **({"metric": "dsc", "method": "z", "label": "liver"} | options))


def estimates() -> hw.Estimates:
    columns = {"case": list("abcdefghij"), "liver": DICE, "spleen": DICE[::-1], "aorta": DICE}
    return hw.estimate(
        hw.CaseValues.from_table(columns, metric="dsc"), method="bca", rng=5, n_resamples=199
    )


# --------------------------------------------------------------------------- the contract's names


def test_names_of_the_contract() -> None:
    e = estimate(method="percentile", rng=3, n_resamples=99)
    assert e.value == pytest.approx(np.mean(DICE))
    assert e.low < e.value < e.high
    assert (e.metric, e.statistic, e.method) == ("dsc", "mean", "percentile")
    assert (e.n, e.n_missing, e.n_groups, e.design, e.average) == (10, 0, None, "iid", None)
    assert (e.n_resamples, e.seed, e.n_undefined) == (99, 3, 0)
    assert (e.confidence_level, e.alternative, e.missing) == (0.95, "two-sided", "raise")
    assert [caution.code for caution in e.cautions] == ["HW201", "HW311"]


def test_width_and_halfwidth_follow_from_the_bounds() -> None:
    e = estimate()
    assert e.width == e.high - e.low
    assert e.halfwidth == e.width / 2


def test_z_interval_is_the_mean_and_1_96_standard_errors() -> None:
    e = estimate()
    assert e.standard_error == pytest.approx(np.std(DICE, ddof=1) / math.sqrt(10))
    assert e.halfwidth == pytest.approx(1.959963984540054 * e.standard_error)


def test_confidence_interval_has_the_names_of_scipy() -> None:
    e = estimate()
    assert e.confidence_interval == (e.low, e.high)
    assert e.confidence_interval.low == e.low
    assert e.confidence_interval.high == e.high


@pytest.mark.parametrize("alternative", ["lower", "upper"])
def test_a_one_sided_interval_has_no_width(alternative: str) -> None:
    e = estimate(alternative=alternative)
    assert math.isnan(e.width)
    assert math.isnan(e.halfwidth)
    assert e.to_dict()["halfwidth"] is None


def test_parameters_of_metric_and_statistic_are_apart_from_the_names() -> None:
    e = estimate(metric="nsd:tolerance=3", statistic="quantile:0.5", method="exact")
    assert (e.metric, e.statistic) == ("nsd", "quantile")
    assert e.parameters == {"tolerance": 3.0, "q": 0.5}


def test_estimates_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        estimate().value = 1.0  # type: ignore[misc]


def test_estimates_survive_pickling_as_worker_processes_need() -> None:
    e = estimate()
    assert pickle.loads(pickle.dumps(e)) == e  # noqa: S301 -- made in the line itself


# --------------------------------------------------------------------------- JSON


def test_keys_of_the_json_contract() -> None:
    assert list(estimate().to_dict()) == KEYS


def test_json_document_has_a_version_and_a_list() -> None:
    document = json.loads(estimate().to_json())
    assert list(document) == ["schema_version", "estimates"]
    assert document["schema_version"] == 1
    assert document["estimates"] == [estimate().to_dict()]


def test_json_of_a_table_has_one_entry_per_row() -> None:
    table = estimates()
    document = json.loads(table.to_json())
    assert document == table.to_dict()
    assert [entry["label"] for entry in document["estimates"]] == ["liver", "spleen", "aorta"]


def test_nan_and_infinity_are_null_in_json() -> None:
    one_case = json.loads(hw.summary_ci([0.9]).to_json())["estimates"][0]
    for name in ("low", "high", "halfwidth", "standard_error", "n_resamples", "seed"):
        assert one_case[name] is None
    open_end = estimate(metric=None, alternative="lower")
    assert open_end.high == math.inf
    assert open_end.to_dict()["high"] is None
    assert open_end.to_dict()["low"] == open_end.low


def test_json_holds_plain_types_whatever_the_levels_were() -> None:
    columns = {"g": np.array([1, 1, 2, 2]), "ok": np.array([True, False, True, True])}
    table = hw.estimate(hw.CaseValues.from_table(columns, "ok", by="g"))
    assert [entry["by"] for entry in table.to_dict()["estimates"]] == [{"g": 1}, {"g": 2}]
    assert json.loads(table.to_json()) == table.to_dict()


def test_json_keeps_letters_beyond_ascii() -> None:
    assert '"label": "größe"' in estimate(label="größe").to_json()


def test_cautions_in_json_have_code_and_message() -> None:
    entry = estimate().to_dict()["cautions"][0]
    assert set(entry) == {"code", "message"}
    assert entry["code"] == "HW201"
    assert entry["message"].startswith(
        "10 cases; reliable intervals for the mean DSC need about 50 or more. On 164 real instances"
    )


# --------------------------------------------------------------------------- frames


def test_frame_of_one_estimate_has_one_row_with_the_names_of_the_contract() -> None:
    frame = estimate().to_frame()
    assert list(frame.columns) == COLUMNS
    assert len(frame) == 1
    assert frame["value"].item() == estimate().value
    assert frame["cautions"].item() == "HW201"


def test_frame_shows_the_levels_apart_and_parameters_as_text() -> None:
    columns = {"model": ["U"] * 5 + ["V"] * 5, "task": ["a", "b"] * 5, "nsd": DICE}
    table = hw.estimate(
        hw.CaseValues.from_table(columns, "nsd", by=["model", "task"], metric="nsd:tolerance=3")
    )
    frame = table.to_frame()
    assert list(frame.columns[:2]) == ["model", "task"]
    assert list(frame["model"]) == ["U", "U", "V", "V"]
    assert set(frame["parameters"]) == {"tolerance=3"}
    assert table.by == ("model", "task")


def test_frame_has_words_of_parameters_where_json_has_them() -> None:
    surfaces = hw.summary_ci([1.0, 2, 3, 4], metric="hd95:definition=surface", rng=1)
    assert surfaces.to_dict()["parameters"] == {"definition": "surface"}
    assert surfaces.to_frame()["parameters"].tolist() == ["definition=surface"]


def test_frame_keeps_nan_and_infinity_as_numbers() -> None:
    frame = estimate(metric=None, alternative="lower").to_frame()
    assert frame["high"].item() == math.inf
    assert math.isnan(frame["halfwidth"].item())


@pytest.mark.parametrize("name", ["method", "label", "n", "metric", "value"])
def test_frame_keeps_levels_whose_column_is_named_like_one_of_the_contract(name: str) -> None:
    columns = {name: ["U-Net"] * 5 + ["ViT"] * 5, "dice": DICE}
    frame = hw.estimate(hw.CaseValues.from_table(columns, "dice", by=name)).to_frame()
    shown = [list(frame[column]) for column in frame.columns if column != "label"]
    assert ["U-Net", "ViT"] in (shown if name != "label" else [*shown, list(frame["label"])])
    assert list(frame.columns).count("method") == 1


# --------------------------------------------------------------------------- sentences


def test_sentence_as_in_a_paper() -> None:
    assert estimate(label="").sentence() == "Mean DSC 0.893 (95 % CI 0.866 to 0.920; n = 10; z)."


def test_sentence_of_a_labelled_row_begins_with_the_label() -> None:
    assert estimate().sentence().startswith("liver: mean DSC 0.893 (95 % CI")


def test_sentence_of_the_hippocampus_data(shared: Any) -> None:
    text = (shared / "data/segval/hippocampus_3d_dsc.csv").read_text().splitlines()[1:]
    e = hw.summary_ci([float(line.split(",")[2]) for line in text], metric="dsc", scale=100, rng=1)
    assert e.sentence() == ("Mean DSC 0.897 (95 % CI 0.889 to 0.903; n = 110; Dirichlet-Pareto).")


def test_sentence_names_the_parameters_that_were_chosen() -> None:
    e = estimate(label="", metric="nsd:3", statistic="trimmed_mean:0.1", method="trimmed_t")
    assert e.sentence().startswith("Trimmed mean (share 0.1) of NSD (tolerance 3 mm) 0.9")
    assert estimate(statistic="trimmed_mean", method="trimmed_t").subject == "trimmed mean DSC"
    assert estimate(statistic="quantile:0.9", method="percentile").subject == "0.9 quantile of DSC"


@pytest.mark.parametrize(
    ("alternative", "text"),
    [
        ("lower", "(lower 95 % confidence bound 0.871; n = 10; z)"),
        ("upper", "(upper 95 % confidence bound 0.915; n = 10; z)"),
    ],
)
@pytest.mark.parametrize("metric", [None, "dsc"])
def test_a_one_sided_bound_keeps_its_digits_whatever_the_range(
    alternative: str, text: str, metric: str | None
) -> None:
    sentence = estimate(alternative=alternative, metric=metric).sentence()
    assert text in sentence
    assert " 0.893 " in sentence


def test_a_level_near_1_is_not_printed_as_100_per_cent() -> None:
    assert "100 %" not in estimate(confidence_level=1 - 1e-9).sentence()


# --------------------------------------------------------------------------- showing


def test_repr_is_the_sentence_and_the_cautions() -> None:
    first, second = repr(estimate()).splitlines()
    assert first == f"Estimate: {estimate().sentence()}"
    assert second.startswith("  HW201 10 cases;")


def test_repr_of_a_table_gives_each_caution_text_once() -> None:
    lines = repr(estimates()).splitlines()
    assert lines[0] == "Estimates (3):"
    assert sum("HW201" in line for line in lines) == 1


def test_html_escapes_labels() -> None:
    html = estimate(label="<script>alert(1)</script> & <b>")._repr_html_()
    assert "<script" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;" in html


def test_html_escapes_the_name_of_a_metric_of_ones_own() -> None:
    html = estimate(metric="<img src=x>", bounds=(0, 1))._repr_html_()
    assert "<img" not in html


# --------------------------------------------------------------------------- collections


def test_estimates_behave_like_a_sequence() -> None:
    table = estimates()
    assert len(table) == 3
    assert [e.label for e in table] == ["liver", "spleen", "aorta"]
    assert table[-1] is table.items[2]
    assert isinstance(table[1:], hw.Estimates)
    assert [e.label for e in table[1:]] == ["spleen", "aorta"]
    with pytest.raises(IndexError):
        table[3]


def test_an_empty_slice_shows_itself_without_an_error() -> None:
    none = estimates()[:0]
    assert repr(none) == "Estimates (0):"
    assert json.loads(none.to_json())["estimates"] == []
    assert len(none.to_frame()) == 0
    assert isinstance(none._repr_html_(), str)
