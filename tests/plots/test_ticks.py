"""Ticks: numbers in full, as many as stand apart."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from halfwidth.plots.ticks import number_texts, plain_numbers

LIMITS = [(0.0, 1.0), (0.7251, 0.7254), (-2e-9, 3e-9), (0, 7.3e8), (123456.085, 123456.094)]


def drawn(limits: tuple[float, float], inches: float, scale: str = "linear") -> Any:
    figure = Figure(figsize=(inches, 1.2), layout="constrained")
    ax = figure.add_subplot()
    ax.set_xscale(scale)
    ax.set_xlim(*limits)
    plain_numbers(ax.xaxis)
    figure.draw_without_rendering()
    return ax


@pytest.mark.sampled(6)
@pytest.mark.parametrize("inches", [1.1, 2.4, 6.7])
@pytest.mark.parametrize("limits", LIMITS)
def test_labels_stand_apart_and_say_where_they_are(
    limits: tuple[float, float], inches: float
) -> None:
    ax = drawn(limits, inches)
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    labels = [label for label in ax.get_xticklabels() if label.get_text()]
    boxes = [label.get_window_extent() for label in labels]
    if inches > 2:
        assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))
    said = [_number(label.get_text()) for label in labels]
    np.testing.assert_allclose(said, ticks, atol=1e-3 * (high - low))
    assert not ax.xaxis.get_offset_text().get_text()
    assert len(ticks) >= (3 if inches > 6 else 1)


def _number(text: str) -> float:
    digits = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    mantissa, _, power = text.replace("\N{MINUS SIGN}", "-").partition("×10")
    return float(mantissa) * 10.0 ** int(power.translate(digits) or 0)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("limits", [(0.45, 1.2), (0.2, 1.3), (0.01, 300.0), (1e-9, 1e9)])
@pytest.mark.parametrize("inches", [1.3, 6.7])
def test_a_logarithmic_axis_has_two_labels_at_least(
    limits: tuple[float, float], inches: float
) -> None:
    ax = drawn(limits, inches, "log")
    low, high = ax.get_xlim()
    assert sum(low <= tick <= high for tick in ax.get_xticks()) >= 2
    boxes = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    assert inches < 2 or all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


def test_numbers_that_are_not_there_are_said() -> None:
    assert number_texts([]) == []
    assert number_texts([float("nan")]) == ["nan"]
