"""Verdicts: the words by their definition, numbers of cases, goals, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.comparison.verdicts import (
    check_goal,
    check_margin,
    goal_result,
    rounded,
    verdict,
)
from halfwidth.document.render import render
from halfwidth.estimation.resolve import resolve_metric
from halfwidth.results.comparison import Effect, SimultaneousInterval

VALUES = np.linspace(0.4, 0.9, 30)
TEMPLATE = {
    name: hw.difference_ci(VALUES, VALUES[::-1], metric=name, method="t")
    for name in ("dsc", "hd95", "relative_volume_error")
}


def difference(
    low: float, high: float, *, metric: str = "dsc", effect: Effect = "difference", n: int = 50
) -> hw.Difference:
    value = (low + high) / 2
    estimate = replace(TEMPLATE[metric], value=value, low=low, high=high, n=n)
    return hw.Difference("new", "old", 0.8, 0.8, estimate, resolve_metric(metric), effect)


def word(item: hw.Difference, margin: float | None = None) -> str:
    found = verdict(item, margin)
    assert found is not None
    return found.word


# The four words from their meaning: what every true difference within the interval would say.
GRID = [(low, high) for low in range(-4, 5) for high in range(low, 5)]


def word_of_all_values(low: int, high: int, margin: int) -> str:
    inside = [low + step * (high - low) / 200 for step in range(201)]
    if all(true > 0 for true in inside):
        return "superior"
    if all(true > -margin for true in inside):
        return "non-inferior"
    return "inferior" if all(true < -margin for true in inside) else "inconclusive"


@pytest.mark.parametrize("margin", [1, 2])
def test_words_mean_what_all_values_of_the_interval_say(margin: int) -> None:
    for low, high in GRID:
        expected = word_of_all_values(low, high, margin)
        ends = low / 10, high / 10
        assert word(difference(*ends), margin / 10) == expected
        # Lower is better: the same seen in a mirror.
        flipped = difference(-ends[1], -ends[0], metric="hd95")
        assert word(flipped, margin / 10) == expected
        ratio = difference(1 + ends[0], 1 + ends[1], effect="ratio")
        assert word(ratio, margin / 10 + 1e-12) == expected or low == -margin or high == -margin


def test_without_a_margin_the_limit_is_no_difference() -> None:
    assert [word(difference(low, low + 0.1)) for low in (-0.2, -0.05, 0.01)] == [
        "inferior",
        "inconclusive",
        "superior",
    ]


def test_a_metric_without_a_direction_has_no_verdict() -> None:
    assert verdict(difference(0.1, 0.2, metric="relative_volume_error")) is None


def test_no_interval_is_inconclusive() -> None:
    found = verdict(difference(math.nan, math.nan), 0.1)
    assert found is not None
    assert (found.word, found.equivalent, found.n_needed) == ("inconclusive", False, None)
    assert math.isnan(found.lead_needed)
    assert (
        found.sentence
        == "new against old is inconclusive: the difference in mean DSC has no interval."
    )


def test_an_open_interval_has_no_lead_that_would_do() -> None:
    found = verdict(difference(-math.inf, 3.0, metric="dsc"), 0.1)
    assert found is not None
    assert (found.word, found.n_needed, math.isnan(found.lead_needed)) == (
        "inconclusive",
        None,
        True,
    )


def test_equivalence_rests_on_its_own_interval() -> None:
    item = difference(-0.02, 0.006)
    plain, given = verdict(item, 0.01), verdict(item, 0.01, equivalence=(-0.009, 0.004))
    assert plain is not None
    assert given is not None
    assert (plain.equivalent, given.equivalent) == (False, True)
    assert (given.equivalence_low, given.equivalence_high) == (-0.009, 0.004)
    assert "Equivalent within ±0.01 (90 % CI -0.009 to 0.004)." in printed(item, given)
    not_shown = "Not shown to be equivalent within ±0.01 (95 % CI -0.020 to 0.006)."
    assert not_shown in printed(item, plain)
    none = verdict(item)
    assert none is not None
    assert none.equivalent is None
    assert "quivalent" not in printed(item, none)


def printed(item: hw.Difference, found: Any) -> str:
    return as_text(hw.Comparisons((replace(item, verdict=found),)))


def as_text(comparisons: hw.Comparisons) -> str:
    return " ".join(render(comparisons.document(), "table").split())


@pytest.mark.parametrize(("level", "expected"), [(0.95, 90), (0.99, 98), (0.9, 80)])
def test_level_of_equivalence(level: float, expected: int) -> None:
    sides = {"new": [0.8, 0.9, 0.85, 0.7], "old": [0.81, 0.88, 0.86, 0.71]}
    found = hw.compare(sides, metric="dsc", method="t", margin=0.5, confidence_level=level)
    assert f"Equivalent within ±0.5 ({expected} % CI" in as_text(found)


def test_the_simultaneous_interval_decides() -> None:
    item = difference(0.01, 0.05)
    wider = replace(item, simultaneous=SimultaneousInterval(-0.01, 0.07, "max_t", 3))
    assert word(item) == "superior"
    found = verdict(wider, 0.02)
    assert found is not None
    assert (found.word, found.simultaneous) == ("non-inferior", True)
    assert "the simultaneous 95 % CI" in found.sentence


# --------------------------------------------------------------------------- lead and n


def paired_values(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    old = rng.normal(10, 3, n)
    return old + rng.normal(0.3, 1.0, n), old


def compared(new: Any, old: Any, metric: str = "hd95") -> hw.Difference:
    estimate = hw.difference_ci(new, old, metric=metric, method="z", missing="omit")
    return hw.Difference("new", "old", new.mean(), old.mean(), estimate, resolve_metric(metric))


@pytest.mark.parametrize(("shift", "margin"), [(0, None), (0, 0.15), (0.35, 0.3)])
def test_so_many_cases_settle_the_observed_difference_in_four_of_five_studies(
    shift: float, margin: float | None
) -> None:
    new, old = paired_values(20)
    item = compared(new + shift, old)
    found = verdict(item, margin)
    assert found is not None
    assert found.n_needed is not None
    # By the normal approximation of the power of z: (z(.975) + z(.8))² s² / distance².
    distance = abs(item.value - (margin or 0.0))
    exact = ((1.959964 + 0.841621) * (new - old).std(ddof=1) / distance) ** 2
    assert exact <= found.n_needed <= 1.1 * exact + 1
    assert f"about {found.n_needed:,} cases would settle" in found.sentence


def test_what_settles_a_difference_is_counted_in_clusters() -> None:
    rng = np.random.default_rng(8)
    new = (rng.normal(0.3, 1.0, 56)[:, None] + rng.normal(0, 0.1, (56, 5))).ravel()
    models = {"new": 10 - new, "old": np.full(280, 10.0)}
    patients = np.repeat(np.arange(56), 5)
    options: dict[str, Any] = {"metric": "hd95", "method": "t", "test": "none", "margin": 0.15}
    alone = {name: values.reshape(56, 5).mean(axis=1) for name, values in models.items()}
    of_patients = hw.compare(alone, **options)[0].verdict
    values = hw.CaseValues.from_arrays(models, groups=patients)
    found = hw.compare(values, **options)[0].verdict
    assert found is not None
    assert of_patients is not None
    assert found.n_needed is not None
    # Patients of five structures each are 56 cases of their means.
    assert found.n_needed == pytest.approx(of_patients.n_needed, rel=0.1)
    assert 56 < found.n_needed < 280
    assert "With 280 cases in 56 clusters a difference" in found.sentence
    assert f"about {found.n_needed} clusters would settle" in found.sentence


@pytest.mark.parametrize(("n", "method"), [(20, "dirichlet"), (60, "dirichlet"), (10, "t")])
def test_what_few_cases_cost_falls_faster(n: int, method: str) -> None:
    rng = np.random.default_rng(3)
    old = rng.beta(9, 2, n)
    new = np.clip(old + 0.004 + rng.normal(0, 0.03, n), 0, 1)
    options: dict[str, Any] = {"metric": "dsc", "test": "none", "method": method, "rng": 1}
    options["margin"] = 0.01 if method == "dirichlet" else 0.002

    def copied(times: int) -> hw.Difference:
        models = {"new": np.tile(new, times), "old": np.tile(old, times)}
        return hw.compare(models, **options)[0]

    first = copied(1).verdict
    assert first is not None
    assert first.n_needed is not None

    def often_enough(times: int) -> bool:
        """Whether the bound is z(.8) standard errors within the limit."""
        item = copied(times)
        error = (new - old).std(ddof=1) / math.sqrt(times * n)
        return item.low + options["margin"] > 0.841621 * error

    enough = next(k for k in range(2, 50) if often_enough(k))
    # Between the last number of copies that is not enough and the first that is; 40 % either way.
    assert 0.6 * (enough - 1) * n < first.n_needed < 1.4 * enough * n


@pytest.mark.parametrize("margin", [None, 0.25])
def test_a_lead_that_large_would_have_been_enough(margin: float | None) -> None:
    new, old = paired_values(40)
    found = verdict(compared(new, old), margin)
    assert found is not None
    value = compared(new, old).value
    # Lower is better: the lead is how much lower. A shift of all values moves the interval along.
    for further, expected in ((1e-6, {"superior", "non-inferior"}), (-1e-6, {"inconclusive"})):
        shifted = new - (value + found.lead_needed + further)
        assert word(compared(shifted, old), margin) in expected


# Half a standard error from the limit and less, of a half-width of 1.96: nobody knows which side.
@pytest.mark.parametrize(("centre", "said"), [(0.0, False), (0.049, False), (0.055, True)])
def test_cases_are_not_counted_for_a_difference_at_the_limit(centre: float, said: bool) -> None:
    found = verdict(difference(centre - 0.196, centre + 0.196))
    assert found is not None
    assert (found.n_needed is not None) == said
    near = f"the observed difference, {centre:.2f}, lies too near 0 to say how many cases would"
    assert (near in found.sentence) == (not said)


def test_a_settled_difference_needs_no_cases() -> None:
    found = verdict(difference(0.1, 0.2), 0.05)
    assert found is not None
    assert found.n_needed is None


@pytest.mark.parametrize(
    ("n", "expected"), [(7, 7), (61, 61), (473, 480), (500, 500), (123_456, 130_000)]
)
def test_rough_numbers_never_fall_short(n: int, expected: int) -> None:
    assert rounded(n) == expected


# --------------------------------------------------------------------------- sentences


def sentence(item: hw.Difference, margin: float | None = None) -> str:
    found = verdict(item, margin)
    assert found is not None
    return found.sentence


def test_sentences() -> None:
    assert sentence(difference(0.004, 0.021), 0.01) == (
        "new is superior to old: the 95 % CI of the difference in mean DSC, 0.004 to 0.021, lies "
        "above 0."
    )
    assert sentence(difference(-0.0049, 0.021), 0.005) == (
        "new is non-inferior to old by the margin of 0.005: the 95 % CI of the difference in mean "
        "DSC, -0.0049 to 0.021, lies above -0.005."
    )
    assert sentence(difference(1.5, 4.5, metric="hd95"), 1) == (
        "new is inferior to old: the 95 % CI of the difference in mean HD95, 1.5 to 4.5 mm, lies "
        "above 1, and lower is better."
    )
    assert sentence(difference(-0.02, 0.012), 0.01) == (
        "new against old is inconclusive: the 95 % CI of the difference in mean DSC, -0.020 to "
        "0.012, contains -0.01. With 50 cases a difference above 0.006 would be enough; about 730 "
        "cases would settle the observed difference, -0.004, with a power of 80 %."
    )
    assert sentence(difference(-math.inf, 3.0)).endswith("-∞ to 3.000, contains 0.")


def test_a_loss_within_the_margin_is_told() -> None:
    assert sentence(difference(-0.008, -0.002), 0.01).endswith(
        "-0.0080 to -0.0020, lies above -0.01; it is worse, but by less than that."
    )


# --------------------------------------------------------------------------- goals


def test_a_goal_is_met_by_the_bound_on_the_bad_side() -> None:
    e = hw.summary_ci(VALUES, metric="dsc", method="t")
    assert goal_result("new", e, e.low - 1e-9).met
    assert not goal_result("new", e, e.low).met
    distance = hw.summary_ci(VALUES, metric="hd95", method="t")
    assert goal_result("new", distance, distance.high + 1e-9).met
    assert not goal_result("new", distance, distance.high).met


def test_sentences_of_goals() -> None:
    e = replace(hw.summary_ci(VALUES, metric="dsc", method="t"), value=0.65, low=0.598, high=0.702)
    assert goal_result("new", e, 0.5).sentence == (
        "new reaches the goal of 0.5: the lower bound of the 95 % CI of mean DSC, 0.60, lies above "
        "it."
    )
    assert goal_result("new", e, 0.6).sentence == (
        "new is not shown to reach the goal of 0.6: the lower bound of the 95 % CI of mean DSC, "
        "0.598, does not lie above it."
    )
    unknown = goal_result("new", replace(e, low=math.nan, high=math.nan), 0.6)
    assert not unknown.met
    assert unknown.sentence.endswith("the goal of 0.6: the mean DSC has no interval.")


# --------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("metric", "margin", "effect", "words"),
    [
        ("dsc", -0.01, "difference", "margin=-0.01 is not above 0"),
        ("dsc", 0, "difference", "margin=0 is not above 0"),
        ("dsc", "0.01", "difference", "margin='0.01' is not a number"),
        ("dsc", math.nan, "difference", "not a finite number"),
        ("dsc", True, "difference", "not a number"),
        ("dsc", 1, "difference", "for 1 % write 0.01"),
        ("hd95", 1, "ratio", "below 1"),
        ("hd95", 1e308, "difference", "margin=1e+308 is beyond 1e+100"),
        ("relative_volume_error", 1, "difference", "higher or lower is better"),
    ],
)
def test_margins_that_are_refused(metric: str, margin: Any, effect: Effect, words: str) -> None:
    with pytest.raises(hw.OptionError, match=r"^margin") as error:
        check_margin(margin, resolve_metric(metric), effect)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("metric", "goal", "words"),
    [
        ("dsc", 90, "for 90 % write 0.9"),
        ("dsc", -0.1, "outside the range of DSC"),
        ("relative_volume_error", 1, "higher or lower is better"),
    ],
)
def test_goals_that_are_refused(metric: str, goal: float, words: str) -> None:
    with pytest.raises(hw.OptionError, match=r"^goal") as error:
        check_goal(goal, resolve_metric(metric))
    assert words in str(error.value)


def test_margins_and_goals_that_are_allowed() -> None:
    check_margin(None, resolve_metric("relative_volume_error"))
    check_goal(None, resolve_metric("relative_volume_error"))
    check_margin(5, resolve_metric("hd95"))
    check_margin(0.05, resolve_metric("dsc"), "ratio")
    check_goal(1, resolve_metric("dsc"))
