"""The gate: its three outcomes, several comparisons at once, and the pytest helper."""

from __future__ import annotations

import functools
import unittest
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.comparison.gate import judge, share_that_undoes
from halfwidth.comparison.verdicts import verdict
from halfwidth.estimation.resolve import resolve_metric
from halfwidth.testing import assert_not_inferior

MARGIN = 0.1
VALUES = np.linspace(0.4, 0.9, 30)
TEMPLATE = hw.difference_ci(VALUES, VALUES[::-1], metric="dsc", method="t")


def difference(low: float, high: float, label: str = "") -> hw.Difference:
    estimate = replace(TEMPLATE, value=(low + high) / 2, low=low, high=high, label=label, n=50)
    item = hw.Difference(
        "new", "old", 0.8, 0.8, estimate, resolve_metric("dsc"), subject="mean DSC"
    )
    return replace(item, verdict=verdict(item, MARGIN))


def judged(*ends: tuple[float, float], at_stricter: tuple[tuple[float, float], ...] = ()) -> Any:
    """The gate of comparisons with these intervals, and others at any stricter level."""
    asked: list[float] = []

    def compare_at(level: float) -> hw.Comparisons:
        asked.append(level)
        chosen = ends if level == 0.95 else at_stricter
        items = (difference(*both, label=f"organ {k}") for k, both in enumerate(chosen))
        return hw.Comparisons(tuple(items))

    return judge(compare_at, 0.95), asked


@pytest.mark.parametrize(
    ("ends", "outcome", "status"),
    [
        ((0.01, 0.2), "passed", 0),
        ((-0.09, 0.2), "passed", 0),
        ((-0.3, -0.11), "failed", 4),
        ((-0.3, -0.09), "undecided", 5),
        ((-0.1, 0.2), "undecided", 5),
    ],
)
def test_one_comparison(ends: tuple[float, float], outcome: str, status: int) -> None:
    found, asked = judged(ends)
    assert (found.outcome, found.status) == (outcome, status)
    assert asked == [0.95]
    assert found.sentence().startswith(f"{outcome}: organ 0: ")
    assert found.to_dict()["gate"]["status"] == status


GOOD, BAD, OPEN = (-0.05, 0.1), (-0.3, -0.2), (-0.15, -0.04)


def test_several_comparisons_pass_where_all_do() -> None:
    found, asked = judged(GOOD, GOOD, GOOD)
    assert found.status == 0
    assert found.reason == (
        "new is not inferior to old in any of 3 comparisons: organ 0 / mean DSC (margin 0.1), "
        "organ 1 / mean DSC (margin 0.1), organ 2 / mean DSC (margin 0.1). Undone if new alone "
        "failed in 6.2 % of cases of organ 0 (DSC 0)."
    )
    assert asked == [0.95]


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
    found, asked = judged(GOOD, BAD, BAD, at_stricter=(GOOD, BAD, BAD))
    assert found.status == 4
    assert found.reason.startswith("organ 1 / mean DSC: new is inferior to old")
    assert found.reason.endswith(" Also inferior: organ 2 / mean DSC (-0.30 to -0.20, margin 0.1).")
    assert asked == [0.95, pytest.approx(1 - 0.05 / 3, abs=1e-15)]


def test_inferior_at_the_usual_level_alone_is_no_pass_and_no_failure() -> None:
    found, _ = judged(GOOD, BAD, at_stricter=(GOOD, OPEN))
    assert found.status == 5
    found, _ = judged(GOOD, OPEN)
    assert found.status == 5
    assert found.reason.startswith("organ 1 / mean DSC: new against old: the 95 % CI")


def test_rows_for_programs_say_the_outcome_first() -> None:
    found, _ = judged(GOOD, (-0.12, 0.02))
    rows = found.to_rows()
    assert [row["outcome"] for row in rows] == ["undecided", "undecided"]
    assert list(rows[0])[:2] == ["outcome", "label"]
    needed = [row["n_needed"] for row in rows]
    assert found.to_dict()["gate"]["n_needed"] == max(n for n in needed if n is not None)


def test_a_gate_needs_a_margin() -> None:
    item = replace(difference(0, 1), verdict=None)
    with pytest.raises(hw.OptionError, match="mean DSC: no margin says what a loss is"):
        judge(lambda _: hw.Comparisons((item,)), 0.95)


def compared_at(models: dict[str, Any], level: float) -> hw.Comparisons:
    metric = hw.MetricSpec("gain", better=hw.Better.HIGHER)
    options: dict[str, Any] = {"margin": MARGIN, "method": "t", "test": "none"}
    return hw.compare(models, metric=metric, confidence_level=level, **options)


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
        with pytest.raises(AssertionError, match=r"new is inferior to old: the 95 % CI of the"):
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
