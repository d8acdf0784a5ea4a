"""What doors answer to options that belong elsewhere, say the same again, or do nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import Run

import halfwidth as hw

VALUES = np.linspace(0.5, 0.95, 30)
FRAME = pd.DataFrame(
    {
        "case": [*range(20)] * 2,
        "model": ["A"] * 20 + ["B"] * 20,
        "organ": ["x", "y"] * 20,
        "dsc": np.concatenate([VALUES[:20], VALUES[:20] ** 2]),
    }
)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (
            lambda mine: hw.compare(  # type: ignore[call-arg]
                mine, by="organ", margin=0.02
            ),
            "hw.compare(hw.CaseValues.from_table(mine, by='organ'), margin=0.02)",
        ),
        (
            lambda mine: hw.rank(  # type: ignore[call-arg]
                mine, missing="worst"
            ),
            "hw.rank(hw.CaseValues.from_table(mine, missing='worst'))",
        ),
        (
            lambda mine: hw.gate(  # type: ignore[call-arg]
                mine, new="A", against="B", margin=0.1, by="organ"
            ),
            "hw.gate(hw.CaseValues.from_table(mine, by='organ'), new='A', against='B', margin=0.1)",
        ),
    ],
)
def test_an_option_of_data_is_answered_by_a_line_that_works(
    call: Callable[[Any], Any], line: str
) -> None:
    with pytest.raises(hw.OptionError, match=re.escape(line)) as refused:
        call(FRAME)
    written = str(refused.value).rpartition("): ")[2]
    assert written == line
    named = line.replace("margin", "metric='dsc', margin") if "metric" not in line else line
    if "rank" in named:
        named = named.replace("missing='worst')", "missing='worst', metric='dsc')")
    assert eval(named, {"hw": hw, "mine": FRAME}) is not None  # noqa: S307 -- the line to copy


def test_two_arrays_keep_their_names_in_the_line() -> None:
    old, new, patients = VALUES, VALUES**2, np.repeat(np.arange(15), 2)
    line = "hw.compare(hw.CaseValues.from_arrays({'A': old, 'B': new}, groups=patients))"
    with pytest.raises(hw.OptionError, match=re.escape(line)):
        hw.compare(old, new, groups=patients)  # type: ignore[call-arg]
    assert hw.compare(hw.CaseValues.from_arrays({"A": old, "B": new}, groups=patients)) is not None


def test_what_data_say_already_may_be_repeated() -> None:
    values = hw.CaseValues.from_arrays({"A": VALUES, "B": VALUES**2}, metric="dsc")
    for name in ("dsc", "dice"):
        assert hw.estimate(values, metric=name, rng=1) == hw.estimate(values, rng=1)
        assert hw.compare(values, metric=name, rng=1)[0].value > 0
    with pytest.raises(hw.OptionError, match=r"metric='iou' has no effect"):
        hw.estimate(values, metric="iou")


def test_resamples_that_nobody_draws_are_refused_and_a_seed_is_not() -> None:
    truth, scores = np.repeat([0, 1], 20), np.linspace(0, 1, 40)
    idle: list[Callable[..., Any]] = [
        lambda **more: hw.summary_ci(VALUES, metric="dsc", **more),
        lambda **more: hw.difference_ci(VALUES, VALUES**2, **more),
        lambda **more: hw.metric_ci(truth, scores, metric="accuracy", **more),
    ]
    for door in idle:
        with pytest.raises(hw.OptionError, match=r"n_resamples=200 has no effect: auto takes"):
            door(n_resamples=200)
        assert door(rng=1) is not None
    assert hw.metric_ci(truth, scores, metric="auroc", n_resamples=200, rng=1).n_resamples == 200


def test_a_metric_behind_values_is_given_by_its_name() -> None:
    with pytest.raises(hw.OptionError, match=r"given by name: metric='dsc'"):
        hw.estimate(VALUES, "dsc")


def test_a_test_set_has_metrics_of_a_first_look(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "scores.csv"
    rows = [f"{i % 2},{(i % 2) * 0.3 + i / 60:.3f},{int(i % 3 == 0)}" for i in range(40)]
    file.write_text("\n".join(["y,p,d", *rows]) + "\n")
    scored = run("ci", file, "--target", "y", "--score", "p", "--json")
    assert [one["metric"] for one in scored.estimates] == ["auroc", "average_precision"]
    assert "no --metric is named; of scores these are taken" in scored.err
    decided = run("ci", file, "--target", "y", "--prediction", "d", "--json")
    listed = [one["metric"] for one in decided.estimates]
    assert listed == ["accuracy", "balanced_accuracy", "mcc"]
    drawn = tmp_path / "decision.svg"
    command = ("ci", file, "--target", "y", "--score", "p", "--plot", drawn)
    assert run(*command, "--plot-kind", "decision", "--n-resamples", "99").status == 0
    assert drawn.exists()


def test_options_are_taken_as_people_write_them(run: Run) -> None:
    once = run("plan", "mean", "--sd", "0.1", "--halfwidth", "0.02", "--halfwidth", "0.03")
    assert run("plan", "mean", "--sd", "0.1", "--half-width", "0.02,0.03").out == once.out
    assert run("plan", "mean", "--sd", "0.1", "--half-width=0.02,0.03").out == once.out
    several = run("plan", "runs", "--quantile", "0.5", "--quantile", "0.9")
    assert run("plan", "runs", "--quantile", "0.5,0.9").out == several.out
    assert several.out
    # A decimal comma is no list.
    assert run("plan", "mean", "--sd", "0,1", "--halfwidth", "0.02").status == 2
    refused = run("plan", "--sd", "0.1", "--halfwidth", "0.02")
    assert "did you mean 'halfwidth plan mean --sd ...'" in refused.err
