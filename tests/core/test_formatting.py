"""Digits: as many as the interval supports, and never a number that says something else."""

from __future__ import annotations

import math

import numpy as np
import pytest

from halfwidth.core.formatting import decimals_for, fixed, percent

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("value", "low", "high", "decimals"),
    [
        (0.897137, 0.891910, 0.902364, 3),  # half-width 0.0052: one digit
        (0.5, 0.4877, 0.5123, 3),  # 0.0123: two digits
        (0.5, 0.4646, 0.5354, 3),  # 0.0354: the last with two digits
        (0.5, 0.464, 0.536, 2),  # 0.036: the first with one
        (5.0, 4.0, 6.0, 1),
        (80.3, 79.0, 81.5, 1),
        (500.0, 464.6, 535.4, 0),
        (5000.0, 2000.0, 8000.0, 0),  # never digits before the point
    ],
)
def test_the_half_width_gets_one_or_two_digits(
    value: float, low: float, high: float, decimals: int
) -> None:
    assert decimals_for(value, (high - low) / 2) == decimals


@pytest.mark.parametrize(
    ("value", "decimals"), [(0.89714, 3), (12.34, 1), (1234.5, 0), (0.001234, 5), (0.0, 3)]
)
@pytest.mark.parametrize("reach", [NAN, 0.0, INF])
def test_without_an_interval_a_value_gets_three_significant_digits(
    value: float, decimals: int, reach: float
) -> None:
    assert decimals_for(value, reach) == decimals


def test_an_undefined_value_asks_for_some_decimals_all_the_same() -> None:
    assert decimals_for(NAN, NAN) == 3


def test_printed_half_widths_are_right_to_15_per_cent_at_any_magnitude() -> None:
    for halfwidth in np.geomspace(1e-9, 1e5, 4001):
        printed = float(fixed(halfwidth, decimals_for(0.0, halfwidth)))
        assert printed == pytest.approx(halfwidth, rel=0.15)


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.5, 2, "0.50"),
        (-0.5, 1, "-0.5"),
        (-0.0001, 2, "0.00"),
        (-0.0, 0, "0"),
        (NAN, 2, "n/a"),
        (INF, 2, "∞"),
        (-INF, 2, "-∞"),
        (1234.5678, 0, "1235"),
    ],
)
def test_fixed(value: float, decimals: int, text: str) -> None:
    assert fixed(value, decimals) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.95, "95 %"),
        (0.9, "90 %"),
        (0.975, "97.5 %"),
        (0.999, "99.9 %"),
        (0.9999, "99.99 %"),
        (0.99999, "99.999 %"),
        (0.07, "7 %"),
    ],
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize("share", [0.999999, 0.9999999, 1 - 1e-9, 1 - 1e-12])
def test_no_level_below_1_is_called_100_per_cent(share: float) -> None:
    assert percent(share) != "100 %"
