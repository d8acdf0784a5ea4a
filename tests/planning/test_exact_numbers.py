"""Plans of exact numbers, `Decimal` and `Fraction`, are those of the same floats."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import halfwidth as hw
from halfwidth import planning

DRAWN: dict[str, Any] = {"n_samples": 100, "n_resamples": 49, "rng": 1, "data": [0.25, 0.5, 0.75]}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mean", {"sd": 0.25, "halfwidth": 0.125, "assurance": 0.75}),
    ("mean", {"sd": 0.25, "n": 50}),
    ("proportion", {"expected": 0.75, "halfwidth": 0.125}),
    ("proportion", {"expected": 0.75, "n": 50}),
    ("auroc", {"expected": 0.75, "prevalence": 0.25, "halfwidth": 0.125, "sd_ratio": 0.5}),
    ("auroc", {"expected": 0.75, "n": 60, "prevalence": 0.25}),
    (
        "classes",
        {
            "sensitivity": 0.75,
            "specificity": 0.5,
            "prevalence": 0.5,
            "halfwidth": 0.25,
            "assurance": 0.75,
        },
    ),
    ("classes", {"sensitivity": 0.75, "specificity": 0.5, "prevalence": 0.25, "n": 99}),
    ("difference", {"sd_a": 0.25, "sd_b": 0.125, "correlation": 0.5, "halfwidth": 0.125}),
    ("difference", {"sd": 0.25, "difference": 0.125, "power": 0.75}),
    ("difference", {"n": 50, "sd": 0.25, "difference": 0.125}),
    ("quantile", {"quantile": 0.25, "halfwidth": 0.125, "sd": 0.25}),
    ("quantile", {"quantile": 0.25, "n": 60}),
    ("minimum_runs", {"quantile": 0.25}),
    ("review", {"n": 50, "mean": 0.75, "sd": 0.25, "versus": 0.5, "scale": 1.0, "metric": "dsc"}),
    ("review", {"n": 50, "auroc": 0.75, "positives": 20}),
    ("plan", {"halfwidth": 0.25, "assurance": 0.75, **DRAWN}),
    ("plan", {"n": 10, "assurance": 0.75, **DRAWN}),
)


def exact(value: Any, kind: type[Decimal | Fraction]) -> Any:
    if isinstance(value, list):
        return [exact(one, kind) for one in value]
    return kind(value) if isinstance(value, float) else value


@pytest.mark.sampled(8)
@pytest.mark.parametrize("kind", [Decimal, Fraction])
@pytest.mark.parametrize(("name", "given"), CALLS)
def test_exact_numbers_plan_as_floats_do(
    name: str, given: dict[str, Any], kind: type[Decimal | Fraction]
) -> None:
    plan = hw.plan if name == "plan" else getattr(planning, name)
    made = plan(**{key: exact(value, kind) for key, value in given.items()})
    assert str(made) == str(plan(**given))
    for way in ("to_json", "to_dict", "sentence"):
        assert not hasattr(made, way) or getattr(made, way)()
