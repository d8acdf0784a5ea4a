"""The gate: its three outcomes, several comparisons at once, and the pytest helper."""

from __future__ import annotations

import functools
import unittest
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.comparison.gate import judge
from halfwidth.results.comparison_words import share_that_undoes
from halfwidth.testing import assert_not_inferior

MARGIN = 1.0
GAIN = hw.MetricSpec("gain", better=hw.Better.HIGHER)
OPTIONS: dict[str, Any] = {"new": "new", "against": "old", "metric": GAIN, "method": "t"}
SPREAD = np.linspace(-1, 1, 12) / stats.sem(np.linspace(-1, 1, 12))
HALF = stats.t.ppf(0.975, 11)


def judged(*ends: tuple[float, float]) -> hw.Gate:
    """The gate of comparisons whose 95 % t intervals have these ends, of one organ each."""
    old, tables = 10 + np.cos(np.arange(12)), []
    for place, (low, high) in enumerate(ends):
        new = old + (low + high) / 2 + (high - low) / 2 / HALF * SPREAD
        cases = {"case": range(12), "organ": f"organ {place}"}
        for name, values in {"new": new, "old": old}.items():
            tables.append(pd.DataFrame({**cases, "model": name, "gain": values}))
    data = hw.CaseValues.from_table(pd.concat(tables), "gain", by="organ")
    return hw.gate(data, margin=MARGIN, **OPTIONS)


GOOD, BAD, LIKELY_BAD = (-0.5, 1.0), (-4.0, -2.0), (-3.0, -1.02)


@pytest.mark.parametrize(
    ("ends", "outcome", "status", "words"),
    [
        ((0.1, 2.0), "passed", 0, "new is better; whether by more than the margin of 1 is open."),
        ((-0.9, 2.0), "passed", 0, "new is non-inferior by the margin of 1 (p = .04)."),
        ((-0.9, -0.1), "passed", 0, "old is better, but by less than the margin of 1."),
        ((-3.0, -1.1), "failed", 4, "old is better by more than the margin of 1."),
        (
            (-3.0, -0.9),
            "undecided",
            5,
            (
                "would show new to be non-inferior; about 27 cases would settle the observed "
                "difference, -1.9, with a power of 80 %."
            ),
        ),
        (
            (-1.1, 0.9),
            "undecided",
            5,
            (
                "would show new to be non-inferior; about 27 cases would settle the observed "
                "difference, -0.10, with a power of 80 %."
            ),
        ),
        (
            (-3.0, 2.0),
            "undecided",
            5,
            (
                "the observed difference, -0.50, lies too near -1 to say how many cases would "
                "settle "
                "it."
            ),
        ),
    ],
)
def test_one_comparison(ends: tuple[float, float], outcome: str, status: int, words: str) -> None:
    found = judged(ends)
    assert (found.outcome, found.status) == (outcome, status)
    assert found.sentence().startswith(f"{outcome}: organ 0, new against old: mean gain ")
    assert found.sentence().endswith(words)
    assert found.to_dict()["gate"]["status"] == status


def test_of_too_few_pairs_none_passes_and_none_fails() -> None:
    values = np.arange(5) / 100
    for ahead in (3, -3):
        data = {"new": values + ahead + np.sin(np.arange(5)) / 1000, "old": values}
        found = hw.gate(data, margin=MARGIN, **OPTIONS)
        assert found.status == 5
        assert "5 pairs are too few to say which is better" in found.reason


def test_several_comparisons_pass_where_all_do() -> None:
    found = judged(GOOD, GOOD, GOOD)
    assert found.status == 0
    assert found.reason == (
        "new is not inferior to old in any of 3 comparisons: organ 0 / mean gain (margin 1), "
        "organ 1 / mean gain (margin 1), organ 2 / mean gain (margin 1)."
    )


def test_the_share_that_undoes_a_passed_gate_moves_its_bound_onto_the_margin() -> None:
    rng = np.random.default_rng(3)
    old = rng.normal(0.8, 0.05, 200)
    new = old + rng.normal(0.01, 0.01, 200)
    models = {"new": new, "old": old}
    passed = hw.gate(models, new="new", against="old", metric="dsc", margin=0.02)
    (item,) = passed.comparisons
    share = share_that_undoes(item)
    assert item.low - share * new.mean() == pytest.approx(-0.02)
    assert f"Undone if new alone failed in {100 * share:.2g} % of cases (DSC 0)." in passed.reason
    # Of distances there is no worst value, and of a ratio no such shift.
    distances = {name: 10 * (1 - values) for name, values in models.items()}
    assert (
        "Undone" not in hw.gate(distances, new="new", against="old", metric="hd95", margin=2).reason
    )


def test_several_comparisons_fail_by_the_stricter_level() -> None:
    found = judged(GOOD, BAD, BAD)
    assert found.status == 4
    assert found.reason.startswith("organ 1, new against old: mean gain lower by 3.0 (95 % CI")
    assert found.reason.endswith(
        "old is better by more than the margin of 1. Also inferior: organ 2 / mean gain (-4.0 to "
        "-2.0, margin 1)."
    )
    assert judged(LIKELY_BAD).status == 4
    found = judged(GOOD, LIKELY_BAD)
    assert found.status == 5
    assert found.reason.endswith(" At 97.5 %, by which one of 2 fails, it is not shown.")


def test_rows_for_programs_say_the_outcome_first() -> None:
    found = judged(GOOD, (-1.5, 0.4))
    rows = found.to_rows()
    assert [row["outcome"] for row in rows] == ["undecided", "undecided"]
    assert list(rows[0])[:2] == ["outcome", "organ"]
    assert [row["n_needed"] for row in rows] == [None, 93]
    assert found.to_dict()["gate"]["n_needed"] == 93


def test_a_gate_needs_a_margin() -> None:
    item = replace(judged(GOOD).comparisons[0], verdict=None)
    with pytest.raises(hw.OptionError, match="mean gain: no margin says what a loss is"):
        judge(lambda _: hw.Comparisons((item,)), 0.95)


def compared_at(models: dict[str, Any], level: float) -> hw.Comparisons:
    return hw.compare(models, metric=GAIN, confidence_level=level, method="t", margin=MARGIN)


@pytest.mark.slow
@pytest.mark.parametrize("truth", [-MARGIN, 0.0, MARGIN])
def test_it_passes_and_fails_as_often_as_it_should(truth: float) -> None:
    """400 test sets; a sound gate breaks each bound once in ten thousand times or less."""
    rng = np.random.default_rng(17)
    counts = {"passed": 0, "failed": 0, "undecided": 0}
    for _ in range(400):
        old = rng.normal(0, 1, 20)
        new = old + truth + rng.normal(0, 3 * MARGIN, 20)
        found = judge(functools.partial(compared_at, {"new": new, "old": old}), 0.95)
        counts[found.outcome] += 1
    if truth == -MARGIN:
        assert 1 <= counts["passed"] <= 26
        assert 1 <= counts["failed"] <= 26
    else:
        # At a true difference of 0 a failure takes an error of 3.5 SE, at +D one of 5 SE.
        assert counts["failed"] <= 3
        assert counts["passed"] >= (80 if truth == 0 else 280)


# --------------------------------------------------------------------------- in pytest


def models(n: int, loss: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(8)
    old = rng.normal(20, 3, n)
    return old + loss + rng.normal(0, 0.5, n), old


def test_a_model_that_is_no_worse_passes() -> None:
    item = assert_not_inferior(*models(40, 0.0), metric="hd95", margin=1)
    assert item.verdict is not None
    assert item.verdict.word == "non-inferior"
    assert (item.first, item.second) == ("new", "old")


def test_a_worse_model_fails_whatever_is_said_of_too_few_cases() -> None:
    for word in ("fail", "skip", "pass"):
        with pytest.raises(AssertionError, match=r"old is better by more than the margin of 1 mm"):
            assert_not_inferior(
                *models(40, 2.0),
                metric="hd95",
                margin=1,
                inconclusive=word,
            )


def test_too_few_cases_fail_skip_or_pass() -> None:
    new, old = models(8, 0.8)
    with pytest.raises(AssertionError, match="With 8 cases a difference below"):
        assert_not_inferior(new, old, metric="hd95", margin=1)
    with pytest.raises(unittest.SkipTest, match="With 8 cases a difference below"):
        assert_not_inferior(new, old, metric="hd95", margin=1, inconclusive="skip")
    assert assert_not_inferior(new, old, metric="hd95", margin=1, inconclusive="pass").value > 0


def test_the_same_values_get_the_same_answer() -> None:
    new, old = models(30, 0.2)
    options: dict[str, Any] = {"metric": "hd95", "margin": 3, "method": "percentile"}
    options["n_resamples"] = 999
    ends = {assert_not_inferior(new, old, statistic="median", **options).low for _ in range(3)}
    assert len(ends) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"margin": -1}, "margin=-1.0 is not above 0"),
        ({"inconclusive": "skp"}, "did you mean 'skip'?"),
        ({"metric": "hd59"}, "did you mean 'hd95'?"),
    ],
)
def test_what_the_helper_refuses(options: dict[str, Any], words: str) -> None:
    with pytest.raises(hw.HalfwidthError) as error:
        assert_not_inferior(*models(10, 0), **{"metric": "hd95", "margin": 1, **options})
    assert words in str(error.value)


def test_an_option_of_data_is_told_where_it_goes() -> None:
    with pytest.raises(hw.OptionError, match=r"groups; it describes the data: .*\(CaseValues, Pre"):
        assert_not_inferior([0.9] * 9, [0.8] * 9, margin=0.1, groups=[1] * 9)  # type: ignore[call-arg]
