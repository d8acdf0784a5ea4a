"""A margin, a goal, a penalty for each metric by its name; one number of several units is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import Run, refusal

import halfwidth

# Wrong calls are no business of a type checker.
hw: Any = halfwidth
CASES = [f"c{i:02d}" for i in range(24)]
MODELS = ("A", "B")


def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    hard = rng.normal(0, 0.08, len(CASES))
    parts = [
        pd.DataFrame(
            {
                "case": CASES,
                "model": model,
                "dsc": np.clip(0.8 + hard + rng.normal(0, 0.02, len(CASES)), 0, 1).round(4),
                "hd95": np.abs(6 - 30 * hard + rng.normal(0, 1.0, len(CASES))).round(3),
            }
        )
        for model in MODELS
    ]
    return pd.concat(parts)


def values(metric: Any = ("dsc", "hd95"), frame: pd.DataFrame | None = None, **options: Any) -> Any:
    frame = table() if frame is None else frame
    named = metric if isinstance(metric, str) else [*metric]
    value = {"value": metric} if isinstance(metric, str) else {}
    return hw.CaseValues.from_table(frame, metric=named, case="case", **value, **options)


MARGINS = {"dsc": 0.02, "hd95": 1.0}


def test_each_metric_has_the_verdict_of_its_own_margin() -> None:
    together = hw.compare(values(), margin=MARGINS, goal={"hd95": 7, "dsc": 0.7}, rng=1)
    assert {one.estimate.metric: one.verdict.margin for one in together} == MARGINS
    assert {one.estimate.metric: one.goal for one in together.goals} == {"hd95": 7, "dsc": 0.7}
    for metric, margin in MARGINS.items():
        alone = hw.compare(values(metric), margin=margin, rng=1)
        own = [one.verdict for one in together if one.estimate.metric == metric]
        assert own == [one.verdict for one in alone]


def test_a_synonym_names_the_metric_and_parameters_come_first() -> None:
    compared = hw.compare(values(), margin={"Dice": 0.02, "Hausdorff95": 1}, rng=1)
    assert {one.verdict.margin for one in compared} == {0.02, 1.0}
    frame = table().assign(nsd=table().dsc)
    data = values("nsd", frame).with_metric(None)
    tolerance = hw.CaseValues.from_table(
        frame, metric="nsd:tolerance=2", value="nsd", case="case", model="model"
    )
    asked: Any = {"nsd": 0.1, "nsd:tolerance=2": 0.05}
    assert hw.compare(tolerance, margin=asked, rng=1)[0].verdict.margin == 0.05
    assert "nsd:tolerance=2" in refusal(lambda: hw.compare(data, margin=asked, rng=1))


@pytest.mark.slow
def test_a_gate_and_ranks_take_the_margin_of_each() -> None:
    gate = hw.gate(values(), margin=MARGINS, new="A", against="B")
    assert [one.verdict.margin for one in gate.comparisons] == [0.02, 1.0]
    together = hw.rank(values(), margin=MARGINS, rng=1)
    assert [one.margin for one in together] == [0.02, 1.0]
    for ranking, (metric, margin) in zip(together, MARGINS.items(), strict=True):
        (alone,) = hw.rank(values(metric), margin=margin, rng=1)
        assert [one.rank for one in ranking.models] == [one.rank for one in alone.models]
        assert [one.rank_set for one in ranking.models] == [one.rank_set for one in alone.models]
    combined = hw.rank(values(), margin=MARGINS, combine="mean_rank", rng=1)
    assert len(combined.consensus) == 1


@pytest.mark.parametrize(
    "verb", ["estimate", "compare", pytest.param("rank", marks=pytest.mark.slow)]
)
def test_a_penalty_is_that_of_the_metrics_that_are_named(verb: str) -> None:
    frame = table()
    frame.iloc[3, 3] = frame.iloc[30, 2] = np.nan
    worst: dict[str, Any] = {"frame": frame, "missing": "worst"}
    call = getattr(hw, verb)
    found = call(values(penalty={"hd95": 200}, **worst), rng=1)
    # Of several metrics, one penalty is that of distances.
    assert found.to_dict() == call(values(penalty=200, **worst), rng=1).to_dict()
    if verb == "estimate":
        filled = frame.fillna({"hd95": 200.0, "dsc": 0.1})
        means = filled.groupby("model")[["dsc", "hd95"]].mean()
        own = call(values(penalty={"hd95": 200, "dsc": 0.1}, **worst), rng=1)
        assert {(one.by["model"], one.metric): one.value for one in own} == pytest.approx(
            {(model, metric): means.loc[model, metric] for model in MODELS for metric in MARGINS}
        )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: hw.compare(values(), margin=0.05), "margin=0.05 is one number for metrics of dif"),
        (lambda: hw.compare(values(), goal=0.05), "goal=0.05 is one number for metrics of differe"),
        (lambda: hw.rank(values(), margin=0.05), "DSC (without a unit), HD95 (mm); give each its"),
        (lambda: hw.gate(values(), margin=0.05, new="A", against="B"), "margin={'dsc': 'NUMBER'"),
        (lambda: hw.compare(values(), margin={"dsc": 0.02}), "has no number for hd95; give each"),
        (lambda: hw.compare(values(), margin={"dcs": 0.02}), "margin= 'dcs'; did you mean 'dsc'?"),
        (lambda: hw.compare(values(), margin={}), "margin={} names no metric"),
        (lambda: hw.compare(values(), margin={"dsc": "x", "hd95": 1}), "margin='x' is not a numb"),
        (
            lambda: hw.estimate(values(missing="worst", penalty={"hd": 200})),
            "unknown metric of penalty= 'hd'; did you mean 'hd95'?",
        ),
    ],
)
def test_what_is_refused(call: Any, words: str) -> None:
    assert words in refusal(call)


def test_a_share_has_no_unit_and_neither_have_ranks() -> None:
    """Of a ratio a margin is a share, and of ranks within cases it is in ranks."""
    ratios = hw.compare(values(), effect="ratio", margin=0.05, baseline="A", rng=1)
    assert {one.verdict.margin for one in ratios} == {0.05}
    ranked = hw.rank(values(), scheme="rank_then_aggregate", margin=0.5, rng=1)
    assert {one.margin for one in ranked} == {0.5}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("compare t.csv --metric dsc,hd95 --margin .05", "--margin dsc=NUMBER,hd95=NUMBER"),
        ("compare t.csv --metric dsc,hd95 --margin dsc=x", "a valid number or METRIC=NUMBER."),
        ("rank t.csv --metric dsc,hd95 --margin dsc=.02", "has no number for hd95"),
        ("ci t.csv --metric dsc,hd95 --missing worst --penalty hd=9", "did you mean 'hd95'?"),
    ],
)
def test_the_command_refuses_in_its_own_words(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    table().to_csv("t.csv", index=False)
    ran = run(*arguments.split())
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err


def test_the_command_takes_the_margin_of_each(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table().to_csv("t.csv", index=False)
    ran = run(
        *("compare", "t.csv", "--metric", "dsc,hd95", "--seed", "1", "--json"),
        *("--margin", "dsc=.02,hd95=1"),
    )
    typed = [one["verdict"] for one in json.loads(ran.out)["comparisons"]]
    compared = hw.compare(values(), margin=MARGINS, rng=1)
    assert typed == [one.verdict.to_dict() for one in compared]
