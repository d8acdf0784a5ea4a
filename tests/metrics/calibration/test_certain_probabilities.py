"""Probabilities of exactly 0 and 1, with few cases of a class: every search ends, in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize
from scipy.special import expit, logit

import halfwidth as hw
from halfwidth.core.spec import Takes

Array = NDArray[Any]
OF_PROBABILITIES = [one.name for one in hw.SAMPLE_METRICS if one.takes is Takes.PROBABILITIES]

# Of 24 cases as many are certain as are not.
SAID = np.where(np.arange(24) % 2, np.arange(24) / 24, np.arange(24) % 4 / 2)
ONE = (np.arange(24) == 9).astype(int)
OUTCOMES = {"one positive": ONE, "one negative": 1 - ONE, "all negative": 0 * ONE}


@pytest.mark.parametrize("name", OF_PROBABILITIES)
@pytest.mark.parametrize("which", OUTCOMES)
def test_each_calibration_metric_answers_or_says_why_not(name: str, which: str) -> None:
    y = OUTCOMES[which]
    value = getattr(hw.metrics, name)(y, SAID)
    e, refused = None, ""
    try:
        e = hw.metric_ci(y, SAID, metric=name, n_resamples=20, rng=1)
    except hw.DataError as error:
        refused = str(error)
    if e is None:
        assert math.isnan(value)
        assert refused.startswith((f"{name} needs cases of both", f"{name} has no "))
    else:
        assert e.value == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)
        assert math.isnan(e.low) or e.low <= e.value <= e.high


def one_positive() -> tuple[Array, Array]:
    """39 cases, of which one is positive: every halving of the last step overshot by rounding."""
    between = (
        *(0.7334, 0.4935, 0.7139, 0.8243, 0.8408, 0.0234, 0.4018, 0.1813, 0.5512, 0.4453, 0.3115),
        *(0.5736, 0.2402, 1.0, 0.3709, 0.211, 0.358, 0.6627, 1.0),
    )
    probabilities = np.concatenate([between, np.zeros(20)])
    return (np.arange(39) == 0).astype(int), probabilities


def test_calibration_in_the_large_of_one_positive_is_the_root_of_its_equation() -> None:
    y, p = one_positive()
    e = hw.metric_ci(y, p, metric="calibration_in_the_large", rng=1)
    known = logit(np.clip(p, 1e-7, 1 - 1e-7))
    root = optimize.brentq(lambda a: float((y - expit(known + a)).sum()), -40, 40, xtol=1e-13)
    assert e.value == pytest.approx(root, abs=1e-7)
    resampled = hw.metric_ci(
        y, p, metric="calibration_in_the_large", method="percentile", n_resamples=99, rng=1
    )
    assert resampled.low <= e.value <= resampled.high
