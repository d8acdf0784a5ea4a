"""A printed value agrees with its source: wide intervals do not cut it to one digit."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.document.render import render


def mean_of(values: list[float], **options: Any) -> hw.Estimate:
    return hw.summary_ci(values, rng=1, **options)


def test_a_bounded_value_has_two_decimals_however_wide_its_interval() -> None:
    wide = mean_of([0.3, 0.95, 1.0], metric="dsc", method="t")
    assert wide.halfwidth > 0.9
    assert wide.sentence().startswith("Mean DSC 0.75 (95 % CI -0.22 to 1.72; n = 3;")
    thirds = hw.proportion_ci(2, 3)
    assert thirds.sentence().startswith("Proportion 0.67 (95 % CI 0.21 to 0.94; n = 3;")


def test_a_narrow_interval_gives_the_digits_that_it_did() -> None:
    values = list(np.linspace(0.85, 0.95, 110))
    assert mean_of(values, metric="dsc", method="t").sentence().startswith("Mean DSC 0.900 (95 %")


def test_a_value_without_bounds_has_two_digits_and_no_more_than_one_that_says_nothing() -> None:
    wide = mean_of([2.1, 3.4, 5.2, 18.54], metric="hd95", method="t")
    assert wide.sentence().startswith("Mean HD95 7.3 mm (95 % CI -4.8 to 19.4 mm; n = 4;")
    # Two digits already.
    large = mean_of([21.0, 34.0, 52.0, 185.4], metric="hd95", method="t")
    assert large.sentence().startswith("Mean HD95 73 mm (95 % CI -48 to 194 mm; n = 4;")
    tiny = mean_of([-5.2, 3.1, 8.4, -6.2], metric="bias", bounds=(-np.inf, np.inf), method="t")
    assert tiny.text_of(tiny.value) == "0.03"
    assert tiny.text_of(tiny.high) == "11.11"


def test_a_range_of_hundred_is_told_in_whole_numbers() -> None:
    wide = mean_of([31.0, 72.4, 98.0], metric="score", bounds=(0, 100), method="t")
    assert wide.text_of(wide.value) == "67"


def test_a_difference_is_rounded_as_the_two_values_beside_it() -> None:
    first, second = [2.1, 3.4, 5.2, 16.62], [2.0, 3.1, 9.9, 11.84]
    compared = hw.compare({"A": first, "B": second}, metric="hd95", method="t", rng=1)
    assert compared[0].high - compared[0].low > 7
    row = next(line for line in render(compared.document(), "table").splitlines() if "6.8" in line)
    assert row.split()[:3] == ["6.8", "6.7", "0.1"]


@pytest.mark.parametrize("fmt", ["table", "markdown", "latex"])
def test_every_format_has_the_same_digits(fmt: str) -> None:
    wide = mean_of([0.3, 0.95, 1.0], metric="dsc", method="t")
    printed = render(wide.document(), fmt)
    assert re.findall(r"0\.7\d*\b", printed) == ["0.75"] * printed.count("0.7")
    assert "0.75" in printed


def test_a_label_of_a_figure_has_the_digits_of_the_table() -> None:
    values = {"A": [0.3, 0.95, 1.0], "B": [0.2, 0.9, 0.9]}
    data = hw.CaseValues.from_arrays(values, metric="dsc")
    axes = hw.plot(hw.estimate(data, method="t"), kind="forest").axes
    written = {text.get_text() for one in axes for text in one.texts}
    written |= {label.get_text() for one in axes for label in one.get_yticklabels()}
    assert any("0.75" in text for text in written), written
