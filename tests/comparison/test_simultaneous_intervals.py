"""Which way simultaneous intervals are made, and that they agree with what is claimed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth.core.spec import Statistic
from halfwidth.resampling.designs import arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.joint.simultaneous import all_pairs, studentized_differences

Array = NDArray[Any]
PAIRS = all_pairs(3)
HOW: dict[str, Any] = {"n_resamples": 999, "rng": 5}
SHARE = {**HOW, "confidence_level": 1 - 0.05 / 3, "correction": "none"}


def values_of(n: int, lead: float = 0.0) -> Array:
    generator = np.random.default_rng(2)
    case = 0.8 + 0.1 * generator.normal(size=n)
    noise = 0.05 * generator.normal(size=(3, n))
    noise -= noise.mean(axis=1, keepdims=True)
    return np.clip(case + noise + lead * np.arange(3)[:, None], 0, 1)


def of_values(values: Array) -> hw.CaseValues:
    """Models whose cases are known by their names, in this order."""
    cases = [f"c{place:04d}" for place in range(values.shape[-1])]
    return hw.CaseValues.from_arrays(
        {f"m{place}": pd.Series(one, index=cases) for place, one in enumerate(values)}
    )


def made(values: Array, metric: str = "dsc", **options: Any) -> hw.Comparisons:
    return hw.compare(of_values(values), metric=metric, **{**HOW, **options})


def methods(of: hw.Comparisons) -> list[str]:
    return [one.simultaneous.method for one in of if one.simultaneous]


def ends(of: hw.Comparisons) -> Array:
    """The simultaneous ones."""
    return np.array(
        [(one.simultaneous.low, one.simultaneous.high) for one in of if one.simultaneous]
    )


def singles(of: hw.Comparisons) -> Array:
    return np.array([(one.low, one.high) for one in of])


@pytest.mark.parametrize(
    ("n", "method", "name"),
    [(20, "auto", "dirichlet_pareto"), (300, "dirichlet", "dirichlet")],
)
def test_dirichlet_intervals_hold_together_by_the_draws_of_all(
    n: int, method: str, name: str
) -> None:
    values = values_of(n)
    got, bonferroni = made(values, method=method), made(values, method=method, **SHARE)
    assert methods(got) == [name] * 3
    wider = (ends(got) - singles(got)) * [-1, 1]
    assert (wider > 0).all()
    assert ((ends(got) - singles(bonferroni)) * [-1, 1] <= 1e-9).all()


def test_means_without_bounds_get_max_t() -> None:
    values = 30 * values_of(40)
    got = made(values, "hd95")
    bonferroni = made(values, "hd95", **SHARE)
    assert methods(got) == ["max_t"] * 3
    arranged, design = arrange(values, identities=np.arange(40))
    mean = Statistic(hw.STATISTICS["mean"])
    several = studentized_differences(list(arranged), PAIRS, design, mean, Plan(5, 999))
    largest = np.abs(several.replicates).max(axis=0)
    critical = np.sort(largest)[int(np.ceil(0.95 * 1000)) - 1]
    by_hand = several.estimates[:, None] + critical * several.standard_errors[:, None] * [-1, 1]
    assert ends(got) == pytest.approx(by_hand, rel=0.005)
    assert ((ends(got) - singles(got)) * [-1, 1] >= -1e-12).all()
    assert ((ends(got) - singles(bonferroni)) * [-1, 1] <= 1e-9).all()


@pytest.mark.parametrize(
    ("n", "metric", "statistic"), [(30, "dsc", "median"), (9, "dsc", "mean"), (9, "hd95", "mean")]
)
def test_without_a_joint_law_and_below_ten_cases_it_is_bonferronis_share(
    n: int, metric: str, statistic: str
) -> None:
    got = made(values_of(n), metric, statistic=statistic)
    assert methods(got) == ["bonferroni"] * 3
    bonferroni = made(values_of(n), metric, statistic=statistic, **SHARE)
    assert ends(got) == pytest.approx(singles(bonferroni), rel=1e-6)


def test_no_interval_is_wider_than_bonferronis() -> None:
    """Where a resample has no spread, t* of it is huge."""
    values = np.random.default_rng(3).lognormal(2, 1.5, (3, 12))
    values[1, 2:] = values[0, 2:]
    got, bonferroni = made(values, "hd95"), made(values, "hd95", **SHARE)
    assert ((ends(got) - singles(bonferroni)) * [-1, 1] <= 1e-9).all()


def test_nearly_equal_models_do_not_spoil_the_intervals_of_the_others() -> None:
    """The second model differs from the first in one case of twelve."""
    values = 30 * values_of(12)
    values[1] = values[0]
    values[1, 4] += 3
    got = made(values, "hd95")
    assert methods(got) == ["bonferroni", "max_t", "max_t"]
    raised = [[one.code for one in item.cautions if one.code == "HW815"] for item in got]
    assert raised == [["HW815"], [], []]
    assert ends(got)[0] == pytest.approx(singles(made(values, "hd95", **SHARE))[0], rel=1e-6)


def test_ratios_come_back_from_the_log_scale() -> None:
    got = made(30 * values_of(25), "hd95", effect="ratio")
    assert methods(got) == ["max_t"] * 3
    for (low, high), single in zip(ends(got), got, strict=True):
        assert 0 < low <= single.low < single.value < single.high <= high


def said_by_models(n: int = 60) -> tuple[Array, Array]:
    """The true classes, and what three models say, which err as often as each other."""
    generator = np.random.default_rng(3)
    truth = generator.integers(0, 2, n)
    wrong = generator.random((3, n)).argsort(axis=-1) < n // 5
    return truth, np.where(wrong, 1 - truth, truth)


@pytest.mark.parametrize(("method", "way"), [("percentile", "max_t"), ("dirichlet", "dirichlet")])
def test_functions_of_tables_hold_together_within_their_range(method: str, way: str) -> None:
    truth, said = said_by_models()
    models = {f"m{place}": one for place, one in enumerate(said)}
    got = hw.compare(hw.Predictions.from_arrays(truth, models), metric="mcc", method=method, **HOW)
    assert methods(got) == [way] * 3
    assert (np.abs(ends(got)) <= 2).all()
    assert ((ends(got) - singles(got)) * [-1, 1] >= 0).all()


@pytest.mark.parametrize(
    ("metric", "statistic"), [("dsc", "mean"), ("hd95", "mean"), ("dsc", "median")]
)
@pytest.mark.parametrize("margin", [None, 0.02])
def test_an_end_lies_at_what_is_claimed(metric: str, statistic: str, margin: float | None) -> None:
    got = made(values_of(40, lead=0.05), metric, statistic=statistic, margin=margin)
    claimed = 0
    for item, (low, high) in zip(got, ends(got), strict=True):
        assert item.verdict is not None
        if item.verdict.word == "open":
            assert low < 0 < high
            continue
        claimed += 1
        limit = margin if margin and item.verdict.beyond_margin == "shown" else 0.0
        nearer = max(low, -high)
        assert nearer == pytest.approx(limit, abs=1e-12)
    assert claimed
