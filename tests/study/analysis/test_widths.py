"""Ratios of widths and shifts of intervals, by hand and of a study that was run."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from analysed import cell

import halfwidth as hw
from halfwidth.study.analysis import shifts, width_ratios


def made(method: str, widths: list[float], **given: object) -> pd.DataFrame:
    """One cell for each instance."""
    return pd.DataFrame(
        [cell(method=method, width_mean=w, task=f"t{i}", **given) for i, w in enumerate(widths)]
    )


def test_ratios_are_taken_on_the_same_instance() -> None:
    cells = pd.concat([made("t", [0.1, 0.2, 0.4]), made("hoeffding", [0.4, 0.4, 0.4])])
    row = width_ratios(cells).iloc[0]
    assert (row["method"], row["reference"], row["instances"]) == ("hoeffding", "t", 3)
    # 4, 2 and 1.
    assert (row["ratio_q1"], row["ratio_median"], row["ratio_q3"]) == pytest.approx((1.5, 2, 3))


def test_the_reference_has_no_row_and_statistics_without_it_are_left_out() -> None:
    cells = pd.concat(
        [
            made("t", [0.1]),
            made("z", [0.09]),
            made("exact", [0.2], statistic="median"),
            made("bca", [0.3], statistic="median"),
        ]
    )
    found = width_ratios(cells)
    assert found[["statistic", "method"]].to_numpy().tolist() == [["mean", "z"]]


def test_ratios_that_do_not_exist_are_left_out_and_counted() -> None:
    cells = pd.concat([made("t", [0.0, math.nan, 0.1, 0.1]), made("z", [0.1, 0.1, math.inf, 0.2])])
    row = width_ratios(cells).iloc[0]
    assert (row["instances"], row["left_out"], row["ratio_median"]) == (4, 3, pytest.approx(2))
    none = width_ratios(cells[cells["task"] == "t0"]).iloc[0]
    assert math.isnan(none["ratio_median"])


def test_sizes_and_levels_stay_apart() -> None:
    parts = [
        made(m, [w * (2 if m == "z" else 1)], n=n, confidence_level=level)
        for m in ("t", "z")
        for n, w in ((10, 0.3), (25, 0.2))
        for level in (0.8, 0.95)
    ]
    found = width_ratios(pd.concat(parts))
    assert len(found) == 4
    assert found["ratio_median"].to_numpy() == pytest.approx([2] * 4)


def test_shifts_by_hand() -> None:
    cells = pd.concat(
        [
            made("percentile", [0.1], centre_shift=-0.002, coverage=0.93),
            made("basic", [0.1], centre_shift=0.003, coverage=0.90),
        ]
    )
    found = shifts(cells).set_index("method")
    basic, itself = found.loc["basic"], found.loc["percentile"]
    assert basic["shift_median"] == pytest.approx(0.003)
    assert basic["relative_shift_median"] == pytest.approx(0.03)
    assert basic["shift_difference_median"] == pytest.approx(0.005)
    assert basic["coverage_difference_median"] == pytest.approx(-0.03)
    assert (itself["shift_difference_q3"], itself["coverage_difference_q1"]) == (0, 0)


def test_quartiles_are_of_differences_not_differences_of_quartiles() -> None:
    pairs = [(1.0, 3.0), (2.0, 1.0), (6.0, 2.0)]
    cells = pd.DataFrame(
        [
            cell(task=str(i), method=method, centre_shift=shift)
            for i, pair in enumerate(pairs)
            for method, shift in zip(("percentile", "basic"), pair, strict=True)
        ]
    )
    found = shifts(cells).set_index("method")
    # Differences 2, -1, -4; the medians of the two differ by 0.
    assert found.loc["basic", "shift_difference_median"] == -1


def test_basic_intervals_mirror_percentile_intervals_of_a_study_that_was_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = '[study]\nsizes = [12]\nsamples = 40\nresamples = 60\nstatistics = ["mean"]\n'
    spec += 'methods = ["basic", "percentile"]\n[[populations]]\nfamily = "lognormal"\n'
    (tmp_path / "spec.toml").write_text(spec, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    hw.study.run("spec.toml", "store")
    cells = hw.study.open("store").to_frame()
    row = width_ratios(cells, "percentile").iloc[0]
    assert row["ratio_median"] == pytest.approx(1, rel=1e-12)
    found = shifts(cells).set_index("method")["shift_median"]
    # Middles lie on either side of the estimate, so the shifts sum to twice its bias.
    assert found.sum() == pytest.approx(2 * cells["bias"].iloc[0], rel=1e-9)


def test_one_sided_intervals_have_neither_middle_nor_width() -> None:
    both = [made(method, [0.1, 0.2]) for method in ("t", "percentile")]
    bounds = [made(method, [0.9, 0.8], alternative="lower") for method in ("t", "percentile")]
    for analysis in (shifts, width_ratios):
        found = analysis(pd.concat([*both, *bounds]))
        assert set(found["alternative"]) == {"two-sided"}
        with pytest.raises(hw.DataError, match="all intervals are one-sided"):
            analysis(pd.concat(bounds))


def test_a_method_that_is_not_there_is_an_error() -> None:
    cells = made("percentile", [0.1])
    with pytest.raises(hw.UnknownNameError, match="did you mean 'percentile'"):
        width_ratios(cells, "percentil")
    with pytest.raises(hw.DataError, match="no other method"):
        width_ratios(cells, "percentile")
    with pytest.raises(hw.DataError, match="lacks centre_shift"):
        shifts(cells.drop(columns="centre_shift"))
    assert np.isfinite(shifts(cells)["shift_median"]).all()
