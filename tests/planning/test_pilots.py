"""``hw.plan``: which pilots there are in data, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import halfwidth as hw

RNG = np.random.default_rng(2)
A, B = RNG.beta(9, 2, 30), RNG.beta(7, 2, 30)
LONG = pd.DataFrame(
    {"case": [*range(30)] * 2, "model": ["A"] * 30 + ["B"] * 30, "dice": [*A, *B], "site": "x"}
)
QUICK: dict[str, Any] = {"method": "t", "n_samples": 100, "rng": 1}


@pytest.mark.slow
def test_each_model_and_goal_is_planned_as_by_itself() -> None:
    values = hw.CaseValues.from_table(LONG, "dice", metric="dsc", model="model")
    plans = hw.plan(values, halfwidth=[0.03, 0.05], **QUICK)
    assert [one.label for one in plans] == ["A"] * 2 + ["B"] * 2
    assert [one.wanted for one in plans] == [0.06, 0.1] * 2
    # A size asks for no search.
    plans = hw.plan(
        values,
        n=[20, 30],
        statistic=["mean", "median"],
        **QUICK | {"method": "percentile", "n_resamples": 49},
    )
    assert [one.label for one in plans] == ["A"] * 4 + ["B"] * 4
    assert [(one.quantity, one.n) for one in plans] == [
        *((f"{name} DSC", n) for name in ("mean", "median") for n in (20, 30)),
    ] * 2
    first, *_ = hw.plan({"A": A, "B": B}, n=20, metric="dsc", **QUICK)
    (alone,) = hw.plan(A, n=20, metric="dsc", **QUICK)
    assert (first.label, first.width) == ("A", alone.width)
    document = plans.to_dict()
    assert [one["label"] for one in document["plans"]] == [one.label for one in plans]
    assert len(plans.to_frame()) == 8
    assert repr(plans).startswith("SampleSizes (8):\n  ")
    assert plans[2:].items == plans.items[2:]


def test_metrics_in_columns_are_planned_apart() -> None:
    table = pd.DataFrame({"dice": A, "hd": 5 / B})
    plans = hw.plan(
        hw.CaseValues.from_table(table, metric={"dice": "dsc", "hd": "hd95"}), n=20, **QUICK
    )
    assert [one.quantity for one in plans] == ["mean DSC", "mean HD95"]


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (A, {}, "give one of halfwidth=, width= and n="),
        (A, {"n": 9, "halfwidth": 0.1}, "give one of halfwidth=, width= and n="),
        (A, {"n": []}, "n= is an empty list"),
        (A, {"n": 9, "curve": "yes"}, "curve='yes' is neither"),
        (A, {"n": 10**6}, "more than the 20000 cases"),
        (hw.CaseValues.from_arrays(A, failures="unseen"), {"n": 9}, "failures='unseen' has no"),
        (hw.Predictions.from_arrays([0, 1], [0.1, 0.9]), {"n": 9}, "Predictions cannot be a pilot"),
        (pd.DataFrame({"a": A, "b": B}), {"n": 9}, "several numeric columns"),
    ],
)
def test_what_cannot_be_planned_is_refused(data: Any, options: Any, words: str) -> None:
    with pytest.raises(hw.OptionError, match=words):
        hw.plan(data, **options)
