"""The tables of the gate are of what users are told."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
_SPEC = importlib.util.spec_from_file_location("errors_of_gate", ROOT / "benchmarks" / "gate.py")
assert _SPEC is not None
assert _SPEC.loader is not None
script = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = script
_SPEC.loader.exec_module(script)


@pytest.mark.slow
def test_the_gate_is_measured_on_the_intervals_of_compare_in_both_readings() -> None:
    both = [script.normal_pair(), script.failing_pair()]
    compared = script.same_as_the_front_door(both, samples=1)
    # Two populations, five sizes, two readings, and the intervals of both verdicts.
    assert compared == 2 * 5 * 2 * 2


def test_equivalence_and_a_pass_at_the_margin_are_errors_of_a_model_that_fails_unseen() -> None:
    """Of samples without a failure both are claimed: no interval of cases knows of others."""
    population = script.failing_pair()
    found = script.rates(script.OF_BOTH_READINGS, population, "-D", 25, 40).shares
    rng = np.random.default_rng([25, 0, population.values.shape[1]])
    drawn = population.sample("-D", (40, 25), rng)
    unharmed = 100 * np.mean((drawn[:, 0] > 0).all(axis=-1))
    seen, unseen = found
    assert seen[[0, 2]] == pytest.approx(unharmed, abs=5)
    assert 20 < unharmed < 50
    assert unseen[[0, 2]] == pytest.approx(0)
