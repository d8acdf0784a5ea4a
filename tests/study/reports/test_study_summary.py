"""The summary of a study as text says what its numbers hide."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from halfwidth.document.render import render
from halfwidth.study.reports.answers import summary_document


def summary(**given: Any) -> pd.DataFrame:
    row = {
        "metric": "dsc",
        "statistic": "median",
        "average": "",
        "label": "",
        "confidence_level": 0.95,
        "alternative": "two-sided",
        "n": 10,
        "method": "percentile",
        **{f"coverage_{part}": 0.9 for part in ("median", "q1", "q3")},
        **{f"width_{part}": 0.1 for part in ("median", "q1", "q3")},
        "missed_above": 0.07,
        "missed_below": 0.025,
        "instances": 3,
        "coverage_se": 0.004,
        "undefined": 0.0,
        "zero_width": 0.0,
        "truth_error": math.nan,
    }
    return pd.DataFrame([{**row, **given}])


def test_columns_that_say_nothing_are_left_out() -> None:
    text = render(summary_document(summary()), "table")
    assert "no CI %" not in text
    assert "0 width %" not in text
    assert "truth_draws" not in text


def test_the_two_ends_are_told_apart() -> None:
    text = render(summary_document(summary()), "table")
    assert "cover %    Q1    Q3  above  below  width" in text
    assert "90.0  90.0  90.0    7.0    2.5    0.1" in text
    none = render(summary_document(summary(missed_above=math.nan)), "table")
    assert "90.0      -    2.5" in none


def test_intervals_that_are_missing_or_without_width_are_told() -> None:
    text = render(summary_document(summary(undefined=0.031, zero_width=0.5)), "markdown")
    assert "| no CI % | 0 width % |" in text
    assert "| 3.1 | 50.0 |" in text


def test_true_values_that_are_not_known_well_are_told() -> None:
    assert "truth_draws" not in render(summary_document(summary(truth_error=0.01)), "table")
    assert "known to 5.0 % of a width" in render(
        summary_document(summary(truth_error=0.05)), "markdown"
    )
