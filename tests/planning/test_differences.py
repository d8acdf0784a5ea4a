"""Power and width of a difference of means, and plans of one class, against statsmodels."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from scipy import stats
from statsmodels.stats.power import TTestIndPower, TTestPower
from support import Run

import halfwidth as hw

planning = hw.planning


def power_of_difference(
    difference: float, sd: float, n: int, confidence_level: float = 0.95, *, paired: bool = True
) -> float:
    """The power that is planned where the t test decides."""
    plan = planning.difference(
        sd,
        n=n,
        difference=difference,
        method="t",
        unpaired=not paired,
        confidence_level=confidence_level,
    )
    assert plan.power is not None
    return plan.power


@pytest.mark.parametrize("n", [2, 5, 30, 200])
@pytest.mark.parametrize("effect", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("confidence_level", [0.95, 0.8])
def test_power_is_that_of_statsmodels(n: int, effect: float, confidence_level: float) -> None:
    alpha = 1 - confidence_level
    for paired, oracle in ((True, TTestPower()), (False, TTestIndPower())):
        ours = power_of_difference(effect, 1.0, n, confidence_level, paired=paired)
        theirs = float(oracle.power(effect, n, alpha))
        if math.isnan(theirs):  # a tail that SciPy has no value for
            theirs = 1.0
        assert ours == pytest.approx(theirs, abs=1e-8)


def test_power_is_a_number_however_large_the_difference() -> None:
    for n in (2, 3, 10, 1000):
        sizes = (0.1, 1, 10, 1e2, 1e4, 1e9, 1e15)
        found = [power_of_difference(size, 1.0, n) for size in sizes]
        assert all(0 < one <= 1 for one in found)
        assert found == sorted(found)


def test_power_is_a_number_at_levels_near_one() -> None:
    # P(Z + 4 > c S), with S normal about 1 with variance 1/(2 ν): Φ((4 - c) / √(1 + c²/(2 ν))).
    found = power_of_difference(4.0, math.sqrt(1953), 1953, 0.999999999999)
    assert found == pytest.approx(7.97e-4, rel=0.01)


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(("effect", "power"), [(0.2, 0.9), (0.5, 0.8), (1.5, 0.8)])
def test_the_n_for_a_power_is_that_of_statsmodels(
    effect: float, power: float, paired: bool
) -> None:
    plan = planning.difference(1.0, difference=effect, power=power, unpaired=not paired, method="t")
    solver = TTestPower() if paired else TTestIndPower()
    exact = solver.solve_power(effect, power=power, alpha=0.05)
    (need,) = [one for one in plan.requirements if one.what.startswith("power")]
    assert need.n == math.ceil(exact - 1e-6)
    assert plan.power is not None
    assert plan.power >= power
    assert plan.n == max(one.n for one in plan.requirements)


def test_pairs_have_the_sd_of_their_differences() -> None:
    one = planning.difference(sd_a=0.1, sd_b=0.12, correlation=0.8, difference=0.02, power=0.9)
    sd = math.sqrt(0.1**2 + 0.12**2 - 2 * 0.8 * 0.1 * 0.12)
    assert one.assumed["sd"] == pytest.approx(sd)
    assert one.n == planning.difference(sd, difference=-0.02, power=0.9).n


def test_the_interval_of_two_groups_is_that_of_scipy() -> None:
    a = stats.norm(0.0, 1.0).ppf([(i + 0.5) / 12 for i in range(12)])
    b = stats.norm(0.5, 1.7).ppf([(i + 0.5) / 12 for i in range(12)])
    interval = stats.ttest_ind(a, b).confidence_interval(0.95)
    plan = planning.difference(
        sd_a=a.std(ddof=1), sd_b=b.std(ddof=1), n=12, unpaired=True, method="t"
    )
    assert plan.width == pytest.approx(interval.high - interval.low)


def test_the_assurance_of_two_groups_counts_their_degrees_of_freedom() -> None:
    plan = planning.difference(1.0, unpaired=True, halfwidth=0.5, assurance=0.8, method="t")
    n = plan.n_for_width
    assert n is not None

    def share(m: int) -> float:
        degrees = 2 * m - 2
        largest = 0.5 / (stats.t.ppf(0.975, degrees) * math.sqrt(2 / m))
        return float(stats.chi2.cdf(degrees * largest**2, degrees))

    assert share(n) >= 0.8 > share(n - 1)


def test_a_power_beside_a_width_asks_for_the_larger() -> None:
    alone = planning.difference(0.05, halfwidth=0.01)
    both = planning.difference(0.05, halfwidth=0.01, difference=0.01, power=0.9)
    power = planning.difference(0.05, difference=0.01, power=0.9)
    assert (alone.power, alone.n) == (None, 99)
    assert both.n == power.n > 99
    assert both.decided_by == "power 0.9 for a difference of 0.01"
    assert both.to_dict()["wanted_power"] == 0.9


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sd": 1.0, "power": 0.8}, "power needs a difference"),
        ({"sd": 1.0, "power": 80, "difference": 1.0}, "for 80 % write 0.8"),
        ({"sd": 1.0, "power": 0.05, "difference": 1.0}, "not above the level of the test"),
        ({"sd": 1.0, "power": 0.8, "difference": 0.0}, "difference=0.0 is not above 0"),
        ({"sd": 0.1, "power": 0.8, "difference": 2.0, "metric": "dsc"}, "is not within"),
        ({"sd": 1.0}, "say what to plan for"),
        ({"sd": 1.0, "correlation": 0.5, "unpaired": True, "n": 9}, "have no correlation"),
        ({"sd": 1.0, "correlation": 0.5, "n": 9}, "goes with the SDs of both models"),
        ({"sd_a": 1.0, "sd_b": 1.0, "n": 9}, "or the SDs of both models and their correlation"),
        ({"sd": 1.0, "sd_a": 1.0, "n": 9}, "give one sd=, or sd_a= and sd_b= instead of it"),
        ({"unpaired": True, "n": 9}, "SD of the cases of each group, or both of them"),
        ({"sd": 1.0, "power": 0.8, "difference": 1e-7}, "takes more than 1000000000 cases"),
    ],
)
def test_what_cannot_be_planned(given: dict[str, object], words: str) -> None:
    with pytest.raises(hw.OptionError, match=words):
        planning.difference(**given)  # type: ignore[arg-type]


def test_the_command_tells_power_beside_the_width(run: Run) -> None:
    ran = run("plan", "difference", "--sd", "0.05", "--difference", "0.02", "--power", "0.8")
    assert (ran.status, ran.err) == (0, "")
    assert re_row(ran.out) == ["52", "0.0139", "0.0278", "80.8", "%"]
    given = ("plan", "difference", "--unpaired", "--sd", "1", "--difference", "0.5", "--json")
    (plan,) = json.loads(run(*given, "-n", "64", "--method", "t").out)["plans"]
    assert plan["power"] == pytest.approx(0.8015, abs=1e-4)
    assert plan["of"] == "difference in mean of two groups"
    assert "each of the two groups" in plan["notes"][0]
    assert "--power 0.8 asks for a number" in run(*given, "-n", "64", "--power", "0.8").err
    for sds in (("--sd-a", "1"), ("--sd-a", "1", "--sd-b", "1")):
        assert "give one --sd, or" in run(*given, "-n", "64", *sds).err


def re_row(out: str) -> list[str]:
    """The first row of the first table, without what decided."""
    lines = out.splitlines()
    rule = next(place for place, line in enumerate(lines) if line.startswith("─"))
    return lines[rule + 1].split()[:5]


# --------------------------------------------------------------------------- one class


@pytest.mark.parametrize("prevalence", [0.1, 0.7])
def test_one_of_sensitivity_and_specificity_is_enough(prevalence: float) -> None:
    for name, share in (("sensitivity", prevalence), ("specificity", 1 - prevalence)):
        expected: dict[str, Any] = {name: 0.9}
        plan = planning.classes(**expected, prevalence=prevalence, halfwidth=0.05)
        needed = planning.proportion(0.9, halfwidth=0.05).n
        assert plan.n == math.ceil(needed / share - 1e-9)
        assert (plan.quantity, [part.quantity for part in plan.parts]) == (name, [name])
        assert sum(plan.counts.values()) == plan.n


def test_classes_without_either_say_so(run: Run) -> None:
    ran = run("plan", "classes", "--prevalence", ".1", "--halfwidth", ".05")
    assert (ran.status, ran.out) == (2, "")
    assert "give --sensitivity, --specificity or both" in ran.err
    given = ("plan", "classes", "--sensitivity", ".9", "--prevalence", ".1", "-n", "200")
    ran = run(*given)
    assert ran.status == 0
    assert "pecificity" not in ran.out
