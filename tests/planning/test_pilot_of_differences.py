"""Plans for the power of a comparison whose differences are like those of a pilot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import Run

import halfwidth as hw
from halfwidth.core.types import Array

planning = hw.planning
RNG = np.random.default_rng(4)
PILOTS = {
    "normal": 0.03 * RNG.normal(size=40),
    "skewed": 0.03 * RNG.exponential(size=40) ** 1.5,
    "one in twenty fails": np.where(np.arange(40) < 2, 0.3, 0.01 * RNG.normal(size=40)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", PILOTS)
def test_studies_of_the_planned_n_have_the_power(kind: str) -> None:
    """Within 3.4 standard errors of the difference of two shares, either of 1000 studies."""
    samples, near = 1000, 0.06
    pilot = PILOTS[kind]
    size = len(pilot)
    difference = 0.8 * float(pilot.std())
    plan = planning.difference(pilot=pilot, difference=difference, power=0.8, metric="dsc")
    n, planned = plan.n, plan.power
    assert planned is not None
    cases = difference + (pilot - pilot.mean()) * np.sqrt(size / (size - 1))
    rng, found = np.random.default_rng(9), 0
    for _ in range(samples):
        drawn = cases[rng.integers(0, size, n)]
        e = hw.difference_ci(0.5 + drawn / 2, 0.5 - drawn / 2, metric="dsc")
        found += not e.low <= 0 <= e.high
    assert found / samples == pytest.approx(planned, abs=near)


def test_the_side_to_which_differences_are_skewed_counts() -> None:
    """Far differences on the good side do not reach down to 0; on the bad side they do."""
    pilot = PILOTS["skewed"]

    def power(pilot: Array) -> float:
        plan = planning.difference(n=12, pilot=pilot, difference=0.05, metric="dsc")
        assert plan.power is not None
        assert plan.assumed["sd"] == pytest.approx(pilot.std(ddof=1))
        return plan.power

    assert abs(power(pilot) - power(-pilot)) > 0.02


def test_formulas_take_its_sd_alone() -> None:
    pilot = PILOTS["skewed"]
    given: dict[str, Any] = {"difference": 0.02, "power": 0.8, "metric": "dsc", "method": "t"}
    plan = planning.difference(pilot=pilot, **given)
    assert plan.n == planning.difference(float(pilot.std(ddof=1)), **given).n
    assert any("SD of the pilot alone" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pilot": [0.01, 0.02]}, "no spread: a plan takes"),
        ({"pilot": [0.01] * 9}, "no spread: a plan takes"),
        ({"pilot": [0.01, 0.02, np.nan]}, "missing or infinite"),
        ({"pilot": [1, 2, 30]}, "outside"),
        ({"pilot": [0.01, 0.02, 0.05], "sd": 0.1}, "leave out sd"),
        ({"pilot": [0.01, 0.02, 0.05], "unpaired": True}, "needs the same cases for both models"),
    ],
)
def test_a_pilot_that_says_nothing_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(hw.OptionError, match=words):
        planning.difference(halfwidth=0.02, metric="dsc", **given)


def test_a_table_of_two_models_is_one(run: Run, tmp_path: Path) -> None:
    new = np.round(RNG.beta(8, 2, 30), 3)
    old = np.round(np.clip(new - 0.02 + PILOTS["normal"][:30], 0, 1), 3)
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    rows = [f"c{k},{a},{b}" for k, (a, b) in enumerate(zip(new, old, strict=True))]
    wide.write_text("\n".join(["case,new,old", *rows]) + "\n", encoding="utf-8")
    rows = [f"c{k},{m},{v[k]}" for m, v in (("new", new), ("old", old)) for k in range(30)]
    long.write_text("\n".join(["case,model,dsc", *rows[::-1][30:], *rows[30:]]), encoding="utf-8")
    asked = ("--margin", "0.02", "--metric", "dsc", "-n", "50", "--method", "t", "--json")
    by_columns = run(
        "plan", "difference", "--pilot", wide, "--value", "new", "--value", "old", *asked
    )
    by_model = run("plan", "difference", "--pilot", long, *asked)
    found = [json.loads(one.out)["plans"][0] for one in (by_columns, by_model)]
    direct = planning.difference(n=50, pilot=new - old, margin=0.02, metric="dsc", method="t")
    assert [one["power"] for one in found] == pytest.approx([direct.power] * 2)
    refused = run("plan", "difference", "--pilot", wide, "--value", "new", *asked)
    assert (refused.status, "of two" in refused.err) == (2, True)
    long.write_text("\n".join(["case,model,dsc", *rows[1:]]), encoding="utf-8")
    unmatched = run("plan", "difference", "--pilot", long, *asked)
    assert (unmatched.status, "one value of either model" in unmatched.err) == (2, True)
