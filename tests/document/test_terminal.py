"""Tables wrap between words, and fit a narrow terminal with every number whole."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from over_data import metric_ci

import halfwidth as hw
from halfwidth.document import terminal_width
from halfwidth.document.parts import Document, Kind, Table
from halfwidth.document.render import render as render_document

LABELS = ["Submandibular-Lt", "relative_volume_error_of_the_liver", "left upper lobe", "0"]


def render(estimates: hw.Estimates, fmt: str) -> str:
    return render_document(estimates.document(), fmt)


def text_table(headings: list[str], rows: list[list[str]], numbers: list[str]) -> str:
    kinds = {name: Kind.TEXT for name in headings if name not in numbers}
    return render_document(Document((Table.from_rows(headings, rows, kinds=kinds),)), "table")


def estimates() -> hw.Estimates:
    rng = np.random.default_rng(1)
    columns = {label: rng.beta(9, 1, 30) for label in LABELS}
    return hw.estimate(
        hw.CaseValues.from_table(columns, metric="dsc"), method="t", statistic=["mean", "median"]
    )


def numbers(e: hw.Estimate) -> list[str]:
    places = e.decimals
    interval = f"{e.low:.{places}f} to {e.high:.{places}f}"
    return [str(e.n), f"{e.value:.{places}f}", interval, f"{e.halfwidth:.{places}f}"]


@pytest.mark.parametrize("columns", [40, 48, 56, 64, 72, 80, 200])
def test_every_number_is_whole_on_a_narrow_terminal(columns: int) -> None:
    made = hw.estimate(
        hw.CaseValues.from_table(
            {"case": list("abcdef"), "Submandibular-Lt": [0.5, 0.6, 0.7, 0.8, 0.85, 0.9]},
            metric="dsc",
        ),
        method="t",
    )
    with terminal_width.on_terminal(columns):
        text = render(made, "table")
    assert max(map(len, text.splitlines())) <= columns
    for number in numbers(made[0]):
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", text)


def test_no_word_is_broken() -> None:
    headings = ["label", "text", "n"]
    rows = [["Submandibular-Lt", "a_name_of_several_words and more words than fit " * 2, "123"]]
    for columns in range(40, 81):
        with terminal_width.on_terminal(columns):
            text = text_table(headings, rows, ["n"])
        for line in text.splitlines():
            for piece in re.findall(r"[A-Za-z]+", line):
                assert piece in {
                    *("label", "text", "n", "Submandibular", "Lt", "a", "name", "of", "several"),
                    *("words", "and", "more", "than", "fit"),
                }
        assert max(map(len, text.splitlines())) <= columns


def test_what_is_no_word_is_folded_and_not_cut() -> None:
    text = text_table(["label", "n"], [["x" * 100, "1"]], ["n"])
    assert text.count("x") == 100
    assert max(map(len, text.splitlines())) <= 80


def test_a_minus_stays_with_its_number() -> None:
    with terminal_width.on_terminal(40):
        text = text_table(
            ["what"], [["a difference of -0.25 or of -0.5 to -0.125 at the most"]], []
        )
    assert "-0.25" in text
    assert not re.search(r"-\n", text)


def test_a_pipe_has_80_columns_and_what_cannot_be_narrowed_is_not_cut() -> None:
    headings = [f"number{i}" for i in range(12)]
    text = text_table(headings, [["0.123456"] * 12], headings)
    assert text.splitlines()[-1].split() == ["0.123456"] * 12
    with terminal_width.on_terminal(80):
        assert max(map(len, text_table(headings, [["0.123456"] * 12], headings).splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"metric": "correct"}, "Wilson with design effect"),
        ({"metric": "dsc", "method": "t"}, "cluster-robust t"),
        ({"metric": "dsc", "method": "percentile", "rng": 1, "n_resamples": 99}, "cluster"),
    ],
)
def test_the_method_shown_with_clusters_is_the_one_used(
    options: dict[str, object], shown: str
) -> None:
    values = np.random.default_rng(1).integers(0, 2, 60) * 1.0
    table = {"patient": [f"p{i // 3}" for i in range(60)], "value": values}
    made = hw.estimate(hw.CaseValues.from_table(table, "value", groups="patient"), **options)  # type: ignore[arg-type]
    for fmt in ("table", "markdown", "latex"):
        assert shown in render(made, fmt)
    assert made[0].method_title == (shown if shown != "cluster" else made[0].method_title)


def test_a_label_that_is_a_number_does_not_read_as_a_count() -> None:
    truth = [0] * 25 + [1] * 18 + [2] * 17
    guess = [0] * 23 + [1] * 2 + [1] * 15 + [2] * 3 + [2] * 17
    how: dict[str, Any] = {"metric": "sensitivity", "average": "none", "method": "percentile"}
    made = metric_ci(truth, guess, scores="labels", **how)
    lines = dict(made.caution_lines())
    assert lines["HW203"].startswith("label 0: 2 failures among 25 cases")
    assert not re.search(r"(?<!label) 0: ", render(made, "table"))


def test_the_worst_value_does_not_read_as_a_label() -> None:
    (e,) = hw.estimate(
        hw.CaseValues.from_table({"liver": [0.0] * 5 + [0.8, 0.9] * 10}, metric="dsc"), method="t"
    )
    (text,) = [str(c) for c in e.cautions if c.code == "HW103"]
    assert "equal the worst one (0): failures" in text
