"""P values of families against a bootstrap that shares nothing with theirs, and of many cases."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import halfwidth as hw


def four_models(n: int, ahead: tuple[float, ...]) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    case = rng.normal(0, 1, n)
    return {name: case + rng.normal(by, 0.5, n) for name, by in zip("ABCD", ahead, strict=True)}


def test_of_many_cases_stepdown_is_that_of_a_multiplier_bootstrap() -> None:
    models, n = four_models(400, (0, 0.05, 0.1, 0.12)), 400
    differences = np.array(
        [one - other for one, other in itertools.combinations(models.values(), 2)]
    )
    means = differences.mean(axis=1)
    errors = differences.std(axis=1, ddof=1) / np.sqrt(n)
    weights = np.random.default_rng(1).normal(size=(4999, n))
    drawn = ((differences - means[:, None]) @ weights.T / n) / errors[:, None]
    drawn, seen = np.concatenate([drawn, -drawn]), np.concatenate([means, -means])
    seen = seen / np.tile(errors, 2)
    adjusted, least = np.empty(len(seen)), 0.0
    order = np.argsort(-seen)
    for place, side in enumerate(order):
        farthest = drawn[order[place:]].max(axis=0)
        least = max(least, (1 + (farthest >= seen[side]).sum()) / 5000)
        adjusted[side] = least
    compared = hw.compare(models, method="t", rng=1)
    ours = [one.p_adjusted for one in compared]
    # A standard error of either share is .007 at most; t* of each resample costs as much.
    assert ours == pytest.approx(np.minimum(*np.split(adjusted, 2)), abs=0.04)


@pytest.mark.parametrize("pairing", ["complete", "none"])
def test_any_number_of_cases_has_a_least_p_value(pairing: Any) -> None:
    models = {name: own for name, own in four_models(1500, (0, 0.2, 0, 0)).items() if name in "AB"}
    (one,) = hw.compare(hw.CaseValues.from_arrays(models, pairing=pairing), method="auto")
    assert 0 < one.p_value < 0.01
