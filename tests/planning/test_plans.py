"""What plans promise beyond their numbers: frozen, told in words, honest about what decides."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth import planning
from halfwidth.planning import SampleSize

PAIRS: dict[str, tuple[Callable[..., SampleSize], Callable[[int], SampleSize]]] = {
    "mean": (
        lambda **wanted: planning.mean(0.1, **wanted),
        lambda n: planning.mean(0.1, n=n),
    ),
    "difference": (
        lambda **wanted: planning.difference(0.1, **wanted),
        lambda n: planning.difference(0.1, n=n),
    ),
    "proportion": (
        lambda **wanted: planning.proportion(0.8, **wanted),
        lambda n: planning.proportion(0.8, n=n),
    ),
    "auroc": (
        lambda **wanted: planning.auroc(0.8, **wanted),
        lambda n: planning.auroc(0.8, n=n),
    ),
    "quantile": (
        lambda **wanted: planning.quantile(0.5, **wanted),
        lambda n: planning.quantile(0.5, n=n),
    ),
    "classes": (
        lambda **wanted: planning.classes(0.8, 0.9, prevalence=0.4, **wanted),
        lambda n: planning.classes(0.8, 0.9, n=n, prevalence=0.4),
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("width", [0.05, 0.12, 0.3])
def test_width_and_n_are_a_pair(name: str, width: float) -> None:
    n_for, width_at = PAIRS[name]
    plan = n_for(halfwidth=width / 2)
    assert plan.width <= width
    assert width_at(plan.n).width == pytest.approx(plan.width)
    assert plan.n == max(need.n for need in plan.requirements)
    assert plan.decided_by in {need.what for need in plan.requirements if need.n == plan.n}
    assert dict(plan.curve)[plan.n] == plan.width
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.n = 3  # type: ignore[misc]


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({}, "say what to plan for: halfwidth=, or n="),
        (
            {"n": 50, "halfwidth": 0.1},
            "halfwidth=0.1 asks for a number of cases, and n=50 gives one",
        ),
        ({"halfwidth": 0}, "halfwidth=0 is not above 0"),
        ({"halfwidth": -0.1}, "halfwidth=-0.1 is not above 0"),
        ({"halfwidth": float("inf")}, "halfwidth=inf is not a finite number"),
        ({"halfwidth": "0.1"}, "halfwidth='0.1' is not a number"),
        ({"halfwidth": True}, "halfwidth=True is not a number"),
    ],
)
def test_impossible_widths(name: str, wanted: dict[str, Any], words: str) -> None:
    with pytest.raises(hw.OptionError, match=words.replace("(", r"\(")):
        PAIRS[name][0](**wanted)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("n", [1, 0, -5, 2.5, "10", True, None])
def test_impossible_numbers_of_cases(name: str, n: Any) -> None:
    with pytest.raises(hw.OptionError, match="n="):
        PAIRS[name][1](n)


@pytest.mark.parametrize("level", [95, 0, 1, "0.95", True])
def test_impossible_levels(level: Any) -> None:
    with pytest.raises(hw.OptionError, match="confidence_level"):
        planning.mean(0.1, halfwidth=0.05, confidence_level=level)


@pytest.mark.parametrize(
    "plan", [planning.mean, planning.difference, planning.classes, planning.auroc_difference]
)
def test_what_goes_with_a_half_width_is_refused_with_a_number_of_cases(plan: Any) -> None:
    further = "power" if plan is planning.auroc_difference else "assurance"
    given = {"prevalence": 0.5} if plan is planning.classes else {}
    with pytest.raises(hw.OptionError, match=f"{further}=0.8 asks for a number of cases"):
        plan(0.1, n=50, **{further: 0.8}, **given)


@pytest.mark.slow
def test_the_n_for_reliable_coverage_comes_from_the_specs() -> None:
    for metric, statistic, n in (
        ("dsc", "mean", 25),
        ("assd", "mean", 75),
        ("assd", "sd", 225),
        ("dsc", "quantile:0.9", 100),
    ):
        plan = planning.mean(0.1, halfwidth=0.25, metric=metric, statistics=[statistic])
        assert plan.requirements[-1].n == n
        assert plan.n == max(need.n for need in plan.requirements)
    assert planning.proportion(0.5, halfwidth=0.45).n == 10
    assert planning.auroc(0.8, halfwidth=0.45).n == 25


def test_a_mean_of_distances_has_its_unit() -> None:
    plan = planning.mean(12.0, halfwidth=2.0, metric="hd95")
    assert plan.unit == "mm"
    assert re.search(r"half-width [\d.]+ mm", plan.sentence())


def test_assurance_takes_more_cases_than_an_average() -> None:
    ways: list[dict[str, Any]] = [{}, {"metric": "dsc"}, {"method": "t"}]
    for given in ways:
        plain = planning.mean(0.1, halfwidth=0.02, **given)
        assured = planning.mean(0.1, halfwidth=0.02, assurance=0.9, **given)
        assert assured.n > plain.n
        assert assured.requirements[0].source == f"{plain.formula}, with probability 0.9"


def test_a_pilot_of_zeros_and_ones_is_a_proportion() -> None:
    right = np.repeat([True, False], [45, 5])
    (plan,) = hw.plan(right, halfwidth=0.075, rng=1, n_samples=200)
    assert (plan.quantity, plan.formula) == ("proportion", "wilson")
    expected = planning.proportion(0.9, halfwidth=0.075).n
    # Four in five studies, against the study that finds what is expected.
    assert expected < plan.n < 1.6 * expected


def test_a_pilot_counts_intervals_of_no_width_as_too_wide() -> None:
    """Nine values in ten are the same: small samples of them have no spread at all."""
    values = np.repeat([1.0, 0.0], [95, 5])
    (made,) = hw.plan(values, n=5, method="t", metric="dsc", rng=1, n_samples=500)
    assert made.simulated is not None
    # P(all five alike) = 0.95⁵ + 0.05⁵ = .774; 5 standard errors of 500 draws are .094.
    assert made.simulated.undefined / 500 == pytest.approx(0.774, abs=0.094)
    assert np.isnan(made.width)


def test_a_pilot_does_not_touch_the_global_generator() -> None:
    before = np.random.get_state()[1].copy()  # type: ignore[index]  # noqa: NPY002
    hw.plan([0.1, 0.5, 0.9], n=10, method="t", rng=1, n_samples=100)
    after = np.random.get_state()[1]  # type: ignore[index]  # noqa: NPY002
    np.testing.assert_array_equal(before, after)


def test_everything_public_is_there() -> None:
    for name in planning.__all__:
        assert getattr(planning, name) is not None
    assert set(planning.__all__) <= set(dir(planning))


def test_a_plan_by_a_named_method_says_where_auto_takes_another() -> None:
    bounded = planning.mean(0.1, halfwidth=0.02, metric="dsc", method="t")
    usual = hw.summary_ci([0.8, 0.9, 0.95], metric="dsc").method
    assert f"takes {usual} here" in bounded.notes[0]
    assert bounded.rule == ""
    paired = planning.difference(0.1, halfwidth=0.02, metric="dsc", method="t").notes
    assert paired == bounded.notes
    by_default = planning.mean(0.1, halfwidth=0.02, metric="dsc", mean=0.8)
    assert (by_default.formula, by_default.rule, by_default.notes) == (usual, "auto@2", ())
    assert planning.difference(1.0, halfwidth=0.2, metric="hd95", method="t").notes == ()
    assert planning.mean(0.1, halfwidth=0.02, metric="dsc", method="z").notes == ()


def test_bounds_have_no_effect_on_formulas() -> None:
    for plan in (planning.mean, planning.difference):
        with pytest.raises(hw.OptionError, match=r"bounds=\(0, 1\) has no effect with method 'z'"):
            plan(0.1, halfwidth=0.02, bounds=(0, 1), method="z")


def test_areas_at_the_end_of_their_range_are_refused() -> None:
    with pytest.raises(hw.OptionError, match="expected=1e-320 is too extreme"):
        planning.auroc_difference(1e-320, halfwidth=0.02, correlation=0.5)
