"""Accuracy, sensitivity and other shares of two classifiers on the same cases: `hw.compare`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from over_data import over

import halfwidth as hw
from halfwidth.core.types import Level
from halfwidth.intervals import newcombe_paired, tango, wilson

DRAWS = np.random.default_rng(11)
N = 60
TRUTH = (np.arange(N) % 3 > 0).astype(int)
FIRST = np.where(DRAWS.random(N) < 0.9, TRUTH, 1 - TRUTH)
SECOND = np.where(DRAWS.random(N) < 0.75, TRUTH, 1 - TRUTH)
GROUPS = np.arange(N) // 3


def compared(metric: str = "accuracy", **options: Any) -> hw.Estimate:
    models = {"A": FIRST, "B": SECOND}
    estimate: hw.Estimate = over(hw.compare, hw.Predictions.from_arrays)(
        TRUTH, models, pos_label=1, metric=metric, **options
    )[0].estimate
    return estimate


def table(among: Any = slice(None)) -> list[int]:
    """Both right, only the first, only the second, neither."""
    first, second = (FIRST == TRUTH)[among], (SECOND == TRUTH)[among]
    kinds = (first & second, first & ~second, ~first & second, ~first & ~second)
    return [int(kind.sum()) for kind in kinds]


@pytest.mark.parametrize(
    ("metric", "among"),
    [("accuracy", slice(None)), ("sensitivity", TRUTH == 1), ("specificity", TRUTH == 0)],
)
def test_shares_of_the_same_cases_come_to_their_table(metric: str, among: Any) -> None:
    for effect in ("difference", "ratio"):
        e, known = compared(metric, effect=effect), newcombe_paired(table(among), effect, Level())
        assert e.method == "newcombe_paired"
        assert (e.low, e.high) == pytest.approx((float(known.low), float(known.high)), rel=1e-14)
        assert e.standard_error == pytest.approx(float(known.standard_error))
        assert e.n == sum(table(among))
    e, score = compared(metric, method="tango"), tango(table(among), Level())
    assert (e.low, e.high) == (float(score.low), float(score.high))
    assert e.method_title == "paired Tango score"


def test_values_that_are_0_or_1_are_proportions_too() -> None:
    models = {"A": (FIRST == TRUTH).astype(float), "B": (SECOND == TRUTH).astype(float)}
    e = hw.compare(models, metric="correct")[0].estimate
    assert (e.method, e.low) == ("newcombe_paired", compared().low)


def test_shares_of_different_cases_are_no_pairs() -> None:
    # The cases that either model calls positive.
    assert compared("ppv").method == "dirichlet"
    with pytest.raises(hw.OptionError, match="makes no interval for the PPV"):
        compared("ppv", method="tango")
    with pytest.raises(hw.OptionError, match="makes no interval"):
        compared(effect="ratio", method="tango")


def test_clusters_count_as_what_they_are_worth() -> None:
    e, alone = compared(groups=GROUPS), compared()
    assert e.method_title == "Newcombe score with design effect"
    assert e.value == alone.value
    assert e.width > alone.width
    # Clusters of equal cases are worth one case each, and a little less for being few.
    repeated = {"A": np.repeat(FIRST, 3), "B": np.repeat(SECOND, 3)}
    thrice = hw.compare(
        hw.Predictions.from_arrays(
            np.repeat(TRUTH, 3), repeated, groups=np.repeat(np.arange(N), 3)
        ),
        metric="accuracy",
    )[0].estimate
    assert alone.width < thrice.width < 1.1 * alone.width


def test_clusters_without_a_disagreement_weigh_as_many_cases_as_there_are_clusters() -> None:
    models = {"A": FIRST, "B": FIRST.copy()}
    e = hw.compare(
        hw.Predictions.from_arrays(TRUTH, models, groups=GROUPS), metric="accuracy", method="tango"
    )[0].estimate
    z2 = float(wilson(0, 1, Level()).high / (1 - wilson(0, 1, Level()).high))
    units = N / 3
    assert e.high == pytest.approx(z2 / (units + z2), rel=1e-10)
    assert e.low == -e.high


def test_no_positive_proportion_has_no_ratio() -> None:
    models = {"A": np.zeros(20), "B": np.ones(20)}
    e = hw.compare(models, metric="correct", effect="ratio")[0].estimate
    assert np.isnan(e.low)
    assert "HW306" in [caution.code for caution in e.cautions]
