"""Metrics of which neither more nor less is better rank no models, and refuse no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import halfwidth as hw

N = 80
RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 2, N)
DATA = hw.Predictions.from_arrays(
    TRUTH,
    {
        name: np.clip(share * TRUTH + RNG.uniform(0, 1 - share, N), 0.01, 0.99)
        for name, share in (("A", 0.3), ("B", 0.2))
    },
)
DRAWN: dict[str, Any] = {"rng": 1, "n_resamples": 199}
OTHERS = ["oe_ratio", "calibration_slope", "brier_uncertainty"]


def test_the_others_are_ranked_and_a_note_says_what_is_left_out() -> None:
    ranked = hw.rank(DATA, metric=["auroc", *OTHERS], **DRAWN)
    (alone,) = hw.rank(DATA, metric="auroc", **DRAWN)
    assert [one.to_dict() for one in ranked] == [alone.to_dict()]
    assert ranked.notes[-1] == (
        "not ranked: O:E ratio, calibration slope, uncertainty (Brier), of which neither more nor "
        "less is better"
    )


@pytest.mark.parametrize(
    ("metric", "words"),
    [("oe_ratio", "closer to one is better"), ("brier_uncertainty", "neither a higher nor a low")],
)
def test_alone_they_are_refused(metric: str, words: str) -> None:
    with pytest.raises(hw.OptionError, match=words):
        hw.rank(DATA, metric=metric, **DRAWN)


def test_a_report_estimates_and_compares_them_all_the_same() -> None:
    page = hw.report(DATA, metric=["auroc", "oe_ratio"], figures=False, **DRAWN).to_html()
    assert "A: O:E ratio" in page
    assert "difference in O:E ratio" in page
    assert "not ranked: O:E ratio, of which neither more nor less is better" in page
    alone = hw.report(DATA, metric="oe_ratio", figures=False, **DRAWN).to_html()
    assert "A: O:E ratio" in alone
    assert "no ranks: O:E ratio: closer to one is better" in alone


def test_a_margin_of_the_others_is_all_that_is_needed() -> None:
    compared = hw.compare(DATA, metric=["auroc", "oe_ratio"], margin={"auroc": 0.1}, **DRAWN)
    assert [one.verdict is not None for one in compared] == [True, False]
    words = "O:E ratio: no margin says what a loss is"
    with pytest.raises(hw.OptionError, match=words):
        hw.gate(DATA, metric=["auroc", "oe_ratio"], margin={"auroc": 0.1}, new="A", against="B")
