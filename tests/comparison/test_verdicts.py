"""Verdicts: words by p values and intervals, too few pairs, numbers of cases, goals, refusals."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.comparison.verdicts import (
    Sides,
    check_goal,
    check_margin,
    goal_result,
    rounded,
    verdict,
)
from halfwidth.document.render import render
from halfwidth.metrics.names import resolve_metric
from halfwidth.results.comparison import Effect, Verdict
from halfwidth.results.comparison_words import family_sentence

VALUES = np.linspace(0.4, 0.9, 30)
GAIN = hw.MetricSpec("gain", better=hw.Better.HIGHER)
LOSS = hw.MetricSpec("loss", better=hw.Better.LOWER)
SPREAD = np.linspace(-1, 1, 12) / stats.sem(np.linspace(-1, 1, 12))


def models(low: float, high: float, level: float = 0.95, old: float = 10.0) -> dict[str, Any]:
    """Two models whose 95 % t interval has these ends."""
    values = old + np.cos(np.arange(12))
    half = (high - low) / 2 / stats.t.ppf((1 + level) / 2, 11)
    return {"new": values + (low + high) / 2 + half * SPREAD, "old": values}


def judged(data: Any, margin: float | None = None, **options: Any) -> Verdict:
    found = hw.compare(data, margin=margin, **{"metric": GAIN, "method": "t", **options})[0].verdict
    assert found is not None
    return found


def said_by_all_values(low: float, high: float, margin: float) -> tuple[str, str | None]:
    """The word, and whether by more than the margin, as all differences in an interval say it."""
    inside = np.linspace(low, high, 201)
    claims = {
        "better": inside > 0,
        "worse": inside < 0,
        "non-inferior": inside > -margin,
        "non-superior": inside < margin,
        "open": np.isfinite(inside),
    }
    word = next(name for name, holds in claims.items() if holds.all())
    if not margin or word not in ("better", "worse"):
        return word, None
    size = np.abs(inside)
    beyond = "shown" if (size > margin).all() else "open"
    return word, "excluded" if (size < margin).all() else beyond


ENDS = [*itertools.combinations((-2.5, -1.5, -0.5, 0.5, 1.5, 2.5), 2)]


@pytest.mark.parametrize("margin", [None, 1, 2])
def test_words_say_what_all_values_of_the_interval_do(margin: int | None) -> None:
    for place, (low, high) in enumerate(ENDS):
        data, metric = models(low, high), GAIN
        if place % 2:
            # Where lower is better the other model is the better one, whichever comes first.
            data, metric = dict(reversed(data.items())), LOSS
        found = judged(data, margin, metric=metric)
        assert (found.word, found.beyond_margin) == said_by_all_values(low, high, margin or 0)


@pytest.mark.parametrize(("metric", "limit"), [(GAIN, 0.8), (LOSS, 1.2)])
def test_the_margin_of_a_ratio_is_a_share_lost_or_its_inverse_won(
    metric: Any, limit: float
) -> None:
    words = set()
    for ends in itertools.combinations((-3.1, -1.3, -0.6, 1.4, 3.2), 2):
        data = models(*ends)
        for names in (["new", "old"], ["old", "new"]):
            chosen = {name: data[name] for name in names}
            (item,) = hw.compare(chosen, metric=metric, effect="ratio", margin=0.2)
            low, high = sorted(item.sign * np.log([item.low, item.high]))
            found = item.verdict
            assert found is not None
            expected = said_by_all_values(low, high, abs(math.log(limit)))
            assert (found.word, found.beyond_margin) == expected
            words.add(expected)
    assert len(words) >= 6


HALF, NONE = (0.5, 0.5), (math.nan, math.nan)


@pytest.mark.parametrize(
    ("better", "beyond", "not_worse", "least", "expected"),
    [
        ((0.05, 0.97), NONE, NONE, 0.0, ("better", None)),
        ((0.0501, 0.97), NONE, NONE, 0.05, ("open", None)),
        ((0.97, 0.01), HALF, (0.2, 0.01), 0.0, ("worse", "open")),
        ((0.01, 0.97), (0.05, 1), (0.01, 0.9), 0.0, ("better", "shown")),
        ((0.97, 0.01), HALF, (0.05, 0.01), 0.0, ("worse", "excluded")),
        (HALF, HALF, (0.05, 0.05), 0.0, ("non-inferior", None)),
        (HALF, HALF, (0.06, 0.05), 0.0, ("non-superior", None)),
        ((0.01, 0.97), (0.01, 1), (0.01, 0.9), 0.06, ("too few pairs", None)),
    ],
)
def test_a_claim_holds_where_its_p_value_is_at_most_alpha(
    better: Any, beyond: Any, not_worse: Any, least: float, expected: Any
) -> None:
    sides = Sides(better, beyond, not_worse, 0.05, least)
    assert (sides.word, sides.beyond_margin) == expected


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_p_is_the_least_alpha_at_which_the_interval_excludes_no_difference(level: float) -> None:
    for end in (-0.01, 0.01):
        data = models(end, 2, level=level)
        (item,) = hw.compare(data, metric=GAIN, method="t", confidence_level=level)
        assert item.p_value == pytest.approx(stats.ttest_rel(*data.values()).pvalue, rel=1e-3)
        assert item.verdict is not None
        assert (item.verdict.word == "better") == (item.p_value <= 1 - level) == (end > 0)


def test_of_several_models_adjusted_p_values_decide() -> None:
    data = {"old": models(0.02, 2)["old"], "new": models(0.02, 2)["new"], "none": SPREAD[::-1] + 11}
    item = hw.compare(data, metric=GAIN, method="t", rng=1)["old", "new"]
    assert item.verdict is not None
    assert item.simultaneous is not None
    assert item.p_value <= 0.05 < item.p_adjusted
    assert (item.verdict.word, item.verdict.simultaneous) == ("open", True)
    assert item.simultaneous.low < 0 < item.simultaneous.high
    assert "(stepdown, 3 comparisons)" in item.sentence()
    alone = hw.compare(data, metric=GAIN, method="t", correction="none")["old", "new"]
    assert alone.verdict is not None
    assert (alone.verdict.word, alone.correction) == ("worse", "")


@pytest.mark.parametrize(("effect", "metric"), [("difference", "dsc"), ("ratio", "hd95")])
def test_the_order_of_models_changes_signs_and_words_alone(effect: Effect, metric: str) -> None:
    mirrored = {"better": "worse", "worse": "better", "open": "open"}
    rng = np.random.default_rng(4)
    case = rng.beta(9, 2, 25)
    data = {f"m{k}": np.clip(case - k / 50 + rng.normal(0, 0.03, 25), 0, 1) for k in range(3)}
    options: dict[str, Any] = {"metric": metric, "effect": effect, "margin": 0.05, "rng": 1}
    there = hw.compare(data, **options)
    back = hw.compare(dict(reversed(data.items())), **options)
    for item in there:
        other = back[item.second, item.first]
        assert other.p_adjusted == pytest.approx(item.p_adjusted, rel=1e-6)
        assert item.verdict is not None
        assert other.verdict is not None
        assert other.verdict.beyond_margin == item.verdict.beyond_margin
        assert other.verdict.p_not_worse == pytest.approx(item.verdict.p_not_worse[::-1], rel=1e-3)
        if item.verdict.word in mirrored:
            assert other.verdict.word == mirrored[item.verdict.word]
        if effect == "difference":
            assert (other.low, other.high) == (-item.high, -item.low)


def test_a_metric_without_a_direction_has_no_verdict() -> None:
    data = {"new": VALUES, "old": VALUES[::-1] / 2}
    (item,) = hw.compare(data, metric="relative_volume_error", method="t")
    assert item.verdict is None
    assert item.p_value < 0.05


# --------------------------------------------------------------------------- too few pairs


def ahead(n: int, count: int = 2) -> dict[str, Any]:
    """Models of which each is far better than the next in all cases."""
    values = 1 + np.arange(n) / 100
    return {f"m{k}": values - k + np.sin(np.arange(n) + k) / 1000 for k in range(count)}


@pytest.mark.parametrize(
    ("n", "level", "count", "enough"),
    [
        *((n, 0.95, 2, n > 5) for n in (3, 4, 5, 6)),
        *((4 + k, 0.9, 2, bool(k)) for k in (0, 1)),
        *((7 + k, 0.99, 2, bool(k)) for k in (0, 1)),
        # Of three comparisons an exact test has 3 · 2^(1 - n).
        *((6 + k, 0.95, 3, bool(k)) for k in (0, 1)),
    ],
)
def test_of_too_few_pairs_none_is_better(n: int, level: float, count: int, enough: bool) -> None:
    options: dict[str, Any] = {"metric": GAIN, "method": "t", "confidence_level": level}
    found = hw.compare(ahead(n, count), margin=0.1, **options)
    least = 2.0 ** (1 - n) * len(found)
    for item in found:
        assert item.verdict is not None
        assert item.low > 0
        assert item.p_value == pytest.approx(2.0 ** (1 - n))
        assert item.verdict.least_p == least
        words = ("better", "shown") if enough else ("too few pairs", None)
        assert (item.verdict.word, item.verdict.beyond_margin) == words
        assert item.verdict.not_inferior == enough
        assert (f"{n} pairs are too few to say which is better" in item.sentence()) != enough
    alone = hw.difference_ci(*list(ahead(n, count).values())[:2], **options)
    assert (found[0].low, found[0].high) == (alone.low, alone.high)


def test_clusters_are_units_of_which_there_may_be_too_few() -> None:
    values = hw.CaseValues.from_arrays(ahead(20), groups=np.arange(20) // 4)
    (item,) = hw.compare(values, metric=GAIN)
    assert item.verdict is not None
    assert item.verdict.word == "too few pairs"
    assert "5 pairs of clusters are too few to say which is better" in item.sentence()


@pytest.mark.parametrize(
    ("sizes", "ways"), [((3, 3), 20), ((3, 4), 35), ((4, 4), 70), ((3, 5), 56)]
)
def test_of_unpaired_cases_the_ways_to_divide_them_count(sizes: Any, ways: int) -> None:
    data = {name: ahead(n)[name] for name, n in zip(("m0", "m1"), sizes, strict=True)}
    values = hw.CaseValues.from_arrays(data, pairing="none")
    (item,) = hw.compare(values, metric=GAIN, method="t")
    assert item.verdict is not None
    assert item.verdict.least_p == pytest.approx(2 / ways)
    assert item.verdict.word == ("better" if 2 / ways <= 0.05 else "too few pairs")
    few = f"{sizes[0]} and {sizes[1]} cases are too few" in item.sentence()
    assert few == (2 / ways > 0.05)


# --------------------------------------------------------------------------- equivalence


def test_equivalence_rests_on_the_interval_at_twice_alpha() -> None:
    # At 90 % the interval is .82 times as wide.
    found = judged(models(-0.9, 1.1), 1.0)
    assert (found.word, found.equivalent) == ("non-inferior", True)
    assert found.equivalence_high == pytest.approx(0.1 + 1.795885 / 2.200985, rel=1e-5)
    text = as_text(hw.compare(models(-0.9, 1.1), metric=GAIN, method="t", margin=1.0))
    assert "Equivalent within ±1 (90 % CI -0.72 to 0.92)." in text
    text = as_text(hw.compare(models(-0.9, 1.3), metric=GAIN, method="t", margin=1.0))
    assert "Not shown to be equivalent within ±1 (90 % CI -0.70 to 1.10)." in text
    assert judged(models(-0.9, 1.1)).equivalent is None
    assert "quivalent" not in as_text(hw.compare(models(-0.9, 1.1), metric=GAIN, method="t"))


def as_text(comparisons: hw.Comparisons) -> str:
    return " ".join(render(comparisons.document(), "table").split())


@pytest.mark.parametrize(("level", "expected"), [(0.95, 90), (0.99, 98), (0.9, 80)])
def test_level_of_equivalence(level: float, expected: int) -> None:
    found = hw.compare(
        models(-0.1, 0.1), metric=GAIN, method="t", margin=0.5, confidence_level=level
    )
    assert f"Equivalent within ±0.5 ({expected} % CI" in as_text(found)


# --------------------------------------------------------------------------- lead and n


def paired_values(n: int, shift: float = 0.0) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    old = rng.normal(10, 3, n)
    return {"new": old + rng.normal(0.3, 1.0, n) + shift, "old": old}


@pytest.mark.parametrize(("shift", "margin"), [(0, None), (0, 0.1), (-0.1, 0.05)])
def test_so_many_cases_settle_the_observed_difference_in_four_of_five_studies(
    shift: float, margin: float | None
) -> None:
    data = paired_values(20, shift)
    found = judged(data, margin, metric="hd95", method="z")
    assert (found.word, found.n_needed is not None) == ("open", True)
    # By the normal approximation of the power of z: (z(.975) + z(.8))² s² / distance².
    lost = data["new"] - data["old"]
    distance = abs(lost.mean() - (margin or 0.0))
    exact = ((1.959964 + 0.841621) * lost.std(ddof=1) / distance) ** 2
    assert found.n_needed is not None
    assert exact <= found.n_needed <= 1.1 * exact + 1
    assert f"about {found.n_needed:,} cases would settle" in found.sentence


def test_what_settles_a_difference_is_counted_in_clusters() -> None:
    rng = np.random.default_rng(8)
    new = (rng.normal(0.35, 1.0, 56)[:, None] + rng.normal(0, 0.1, (56, 5))).ravel()
    each = {"new": 10 - new, "old": np.full(280, 10.0)}
    options: dict[str, Any] = {"metric": "hd95", "method": "t"}
    alone = {name: values.reshape(56, 5).mean(axis=1) for name, values in each.items()}
    of_patients = judged(alone, **options)
    values = hw.CaseValues.from_arrays(each, groups=np.repeat(np.arange(56), 5))
    found = judged(values, **options)
    assert found.n_needed is not None
    # Patients of five structures each are 56 cases of their means.
    assert found.n_needed == pytest.approx(of_patients.n_needed, rel=0.1)
    assert "With 280 cases in 56 clusters a difference" in found.sentence
    assert f"about {found.n_needed} clusters would settle" in found.sentence


@pytest.mark.parametrize(("n", "method"), [(20, "dirichlet"), (60, "dirichlet"), (10, "t")])
def test_what_few_cases_cost_falls_faster(n: int, method: str) -> None:
    rng = np.random.default_rng(3)
    old = rng.beta(9, 2, n)
    new = np.clip(old + 0.004 + rng.normal(0, 0.03, n), 0, 1)
    options: dict[str, Any] = {"metric": "dsc", "method": method, "rng": 1}
    options["margin"] = 0.01 if method == "dirichlet" else 0.002

    def copied(times: int) -> hw.Difference:
        return hw.compare({"new": np.tile(new, times), "old": np.tile(old, times)}, **options)[0]

    first = copied(1).verdict
    assert first is not None
    assert first.n_needed is not None

    def often_enough(times: int) -> bool:
        """Whether the bound is z(.8) standard errors within the limit."""
        item = copied(times)
        error = (new - old).std(ddof=1) / math.sqrt(times * n)
        return bool(item.low + options["margin"] > 0.841621 * error)

    enough = next(k for k in range(2, 50) if often_enough(k))
    # Between the last number of copies that is not enough and the first that is; 40 % either way.
    assert 0.6 * (enough - 1) * n < first.n_needed < 1.4 * enough * n


@pytest.mark.parametrize("margin", [None, 0.25])
def test_a_lead_that_large_would_have_been_enough(margin: float | None) -> None:
    data = paired_values(40)
    found = judged(data, margin, metric="hd95", method="z")
    # Lower is better: the lead is how much lower; without a margin it is that of the model ahead.
    value, lead = (data["new"] - data["old"]).mean(), found.lead_needed
    assert (lead < 0) == (margin is None)
    for further, expected in ((1e-6, "non-inferior" if margin else "worse"), (-1e-6, "open")):
        # A shift of all values moves the interval along.
        shifted = data["new"] - (value + lead + math.copysign(further, further * lead))
        again = judged({"new": shifted, "old": data["old"]}, margin, metric="hd95", method="z")
        assert again.word == expected


# Half a standard error from the limit and less, of a half-width of 1.96: nobody knows which side.
@pytest.mark.parametrize(("centre", "said"), [(0.0, False), (0.49, False), (0.55, True)])
def test_cases_are_not_counted_for_a_difference_at_the_limit(centre: float, said: bool) -> None:
    data = models(centre - 2.201, centre + 2.201)
    found = judged(data, method="z")
    assert (found.n_needed is not None) == said
    near = "lies too near 0 to say how many cases would settle it."
    assert found.sentence.endswith(near) == (not said)


def test_without_an_interval_nothing_is_said() -> None:
    (item,) = hw.compare(models(-1, 2), metric=GAIN, method="t")
    estimate = replace(item.estimate, low=math.nan, high=math.nan)
    unknown = replace(item, estimate=estimate, p_value=math.nan)
    found = verdict(unknown, Sides(NONE, NONE, NONE, 0.05), 0.1)
    assert found is not None
    assert (found.word, found.equivalent, found.n_needed) == ("open", False, None)
    assert math.isnan(found.lead_needed)
    assert found.sentence == (
        "new against old: mean gain higher by 0.500 (no 95 % CI; n = 12; paired t): which is "
        "better "
        "is open without a 95 % CI."
    )


@pytest.mark.parametrize(
    ("n", "expected"), [(7, 7), (61, 61), (473, 480), (500, 500), (123_456, 130_000)]
)
def test_rough_numbers_never_fall_short(n: int, expected: int) -> None:
    assert rounded(n) == expected


# --------------------------------------------------------------------------- sentences


SENTENCES = [
    ((0.1, 2.1), None, "higher by 1.1 (95 % CI 0.1 to 2.1", "p = .03: new is better."),
    (
        (-2.1, -0.1),
        None,
        "lower by 1.1 (95 % CI of the difference -2.1 to -0.1",
        "p = .03: old is better.",
    ),
    (
        (1.1, 3.1),
        1,
        "higher by 2.1 (95 % CI 1.1 to 3.1",
        "p < .001: new is better by more than the margin of 1.",
    ),
    (
        (0.1, 0.9),
        1,
        "higher by 0.50 (95 % CI 0.10 to 0.90",
        "p = .02: new is better, but by less than the margin of 1.",
    ),
    (
        (0.1, 3.1),
        1,
        "higher by 1.6 (95 % CI 0.1 to 3.1",
        "p = .04: new is better; whether by more than the margin of 1 is open.",
    ),
    (
        (-0.4, 0.3),
        1,
        "lower by 0.050 (95 % CI of the difference -0.400 to 0.300",
        "p = .76: neither is worse by the margin of 1 (p < .001).",
    ),
    (
        (-0.4, 1.3),
        1,
        "higher by 0.45 (95 % CI -0.40 to 1.30",
        "p = .27: new is non-inferior by the margin of 1 (p = .003).",
    ),
    (
        (-1.3, 0.4),
        1,
        "lower by 0.45 (95 % CI of the difference -1.30 to 0.40",
        (
            "p = .27: old is non-inferior by the margin of 1 (p = .003). With 12 cases a "
            "difference "
            "above -0.15 would show new to be non-inferior; about 51 cases would settle the "
            "observed "
            "difference, -0.45, with a power of 80 %."
        ),
    ),
    (
        (-2, 2.4),
        1,
        "higher by 0.20 (95 % CI -2.00 to 2.40",
        (
            "p = .85: which is better is open, as is whether one is worse by the margin of 1. "
            "With 12 "
            "cases a difference above 1.20 would show new to be non-inferior; about 71 cases would "
            "settle the observed difference, 0.20, with a power of 80 %."
        ),
    ),
    (
        (-2.1, 1.5),
        None,
        "lower by 0.30 (95 % CI of the difference -2.10 to 1.50",
        (
            "p = .72: which is better is open. With 12 cases a difference below -1.80 would be "
            "enough; "
            "the observed difference, -0.30, lies too near 0 to say how many cases would settle it."
        ),
    ),
]


@pytest.mark.parametrize(("ends", "margin", "numbers", "claim"), SENTENCES)
def test_the_sentence_of_a_difference_ends_in_its_verdict(
    ends: Any, margin: float | None, numbers: str, claim: str
) -> None:
    text = f"new against old: mean gain {numbers}; n = 12; paired t); {claim}"
    assert judged(models(*ends), margin).sentence == text


def test_of_ratios_and_units_and_too_few_pairs_too() -> None:
    (ratio,) = hw.compare(models(0.1, 2.1), metric=GAIN, effect="ratio", margin=0.1)
    assert ratio.sentence() == (
        "new against old: mean gain 1.11 times as large (95 % CI 1.01 to 1.21; n = 12; paired "
        "Fieller); p = .03: new is better; whether by more than the margin of 0.1 is open."
    )
    (distance,) = hw.compare(models(0.1, 0.9), metric="hd95", method="t", margin=1)
    assert distance.sentence() == (
        "new against old: mean HD95 higher by 0.50 mm (95 % CI 0.10 to 0.90 mm; n = 12; paired t); "
        "p = .02: old is better, but by less than the margin of 1 mm."
    )
    (few,) = hw.compare(ahead(5), metric=GAIN, method="t", margin=0.1)
    assert few.sentence() == (
        "m0 against m1: mean gain higher by 1.0002 (95 % CI 0.9993 to 1.0011; n = 5; paired t); "
        "p = .06: 5 pairs are too few to say which is better, as no exact test of so few has p "
        "below .0625."
    )


# --------------------------------------------------------------------------- families


def of_organs(organs: int) -> hw.CaseValues:
    """Three models within levels: the first is worse than the two others, which are alike."""
    case = np.arange(30)
    good = 0.9 + np.sin(case * 7) / 100
    values = {"c": 0.85 + np.cos(case) / 100, "a": good, "b": good + np.cos(case * 3) / 200}
    tables = [
        pd.DataFrame({"case": case, "organ": f"organ {place}", "model": name, "dsc": of_model})
        for place in range(organs)
        for name, of_model in values.items()
    ]
    return hw.CaseValues.from_table(pd.concat(tables), "dsc", metric="dsc", by="organ")


AHEAD = "{} is better than c by 0.051 (0.047 to 0.055; p < .001)"


@pytest.mark.parametrize(
    ("margin", "of_a", "of_b", "last"),
    [
        (None, AHEAD.format("a"), AHEAD.format("b"), "open: a against b"),
        (
            0.02,
            f"{AHEAD.format('a')}, more than the margin of 0.02",
            f"{AHEAD.format('b')}, more than the margin of 0.02",
            (
                "a against b -0.0001 (-0.0015 to 0.0013; p = .92): neither is worse by the margin "
                "of 0.02 (p < .001)"
            ),
        ),
    ],
)
def test_of_many_comparisons_each_level_has_one_sentence_wherever_they_are_told(
    margin: float | None, of_a: str, of_b: str, last: str
) -> None:
    compared = hw.compare(of_organs(3), margin=margin, method="t", rng=1)
    how = "(95 % CIs of each pair alone; n = 30; p by stepdown of 3 comparisons)."
    report = hw.report(compared, figures=False).document
    for told in (repr(compared), render(compared.document(), "table"), render(report, "markdown")):
        text = " ".join(told.replace("\\<", "<").split())
        for place in range(3):
            assert f"organ {place}, mean DSC: {of_a}; {of_b}; {last} {how}" in text
        # A report says it in brief, below the table and for the paper.
        assert text.count(how) == (9 if told.startswith("#") else 3)


def test_the_sentence_of_a_family_keeps_signs_and_groups_what_is_too_few() -> None:
    case = np.arange(30)
    worse = 10 + np.sin(case * 7) / 2
    each = {"x": worse, "y": worse - 0.1 + np.cos(case * 3) / 2, "z": worse / 2 + np.cos(case) / 9}
    options: dict[str, Any] = {"metric": "hd95", "method": "t", "rng": 1}
    found = hw.compare(each, margin=0.4, **options)
    assert found["x", "y"].value > 0
    assert "x against y 0.087 mm (-0.055 to 0.229; p = .31)" in family_sentence(found)
    back = hw.compare(dict(reversed(each.items())), margin=0.4, **options)
    assert "y against x -0.087 mm (-0.229 to 0.055; p = .31)" in family_sentence(back)
    ratio = family_sentence(hw.compare(each, metric="hd95", effect="ratio"))
    assert "z is better than x: x 2.001 times as large (1.989 to 2.013; p < .001)" in ratio
    few = {name: values[:4] for name, values in each.items()}
    assert family_sentence(hw.compare(few, **options)) == (
        "mean HD95: 4 pairs are too few to say which is better, as no exact test of so few, "
        "adjusted for 3 comparisons, has p below .375: x against y, x against z, y against z (95 % "
        "CIs of each pair alone; n = 4; p by stepdown of 3 comparisons)."
    )


# --------------------------------------------------------------------------- cases of the issue


def test_who_is_better_is_ranked_before(shared: Path) -> None:
    table = pd.read_csv(shared / "inputs" / "st_dsc3.csv")
    data = hw.CaseValues.from_table(table, "dsc", metric="dsc")
    compared, (ranking,) = hw.compare(data, rng=1), hw.rank(data, rng=1)
    for one in compared:
        assert one.verdict is not None
        claims = ranking.claims
        assert ((one.second, one.first) in claims) == (one.verdict.word == "worse")
        assert (one.verdict.word == "worse") == (one.p_adjusted <= 0.05)
    assert [one.verdict.word for one in compared if one.verdict] == ["worse"] * 3


def test_the_first_model_of_a_file_has_no_say(shared: Path) -> None:
    table = pd.read_csv(shared / "inputs" / "org_long.csv").query("organ == 'left kidney'")
    mirrored = {"better": "worse", "worse": "better", "open": "open"}
    both = [
        hw.compare(
            hw.CaseValues.from_table(table[::step], "dice", metric="dsc", by="organ"),
            margin=0.02,
            rng=1,
        )
        for step in (1, -1)
    ]
    for one in both[0]:
        other = both[1][one.label, one.second, one.first]
        assert one.verdict is not None
        assert other.verdict is not None
        assert other.p_adjusted == pytest.approx(one.p_adjusted, rel=1e-6)
        assert other.verdict.beyond_margin == one.verdict.beyond_margin
        if one.verdict.word in mirrored:
            assert other.verdict.word == mirrored[one.verdict.word]


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
