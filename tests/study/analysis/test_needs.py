"""Sizes that a coverage or a width needs: known ones, falling curves, and those out of reach."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from analysed import SIZES, cell, curve, with_pace

from halfwidth import DataError, OptionError
from halfwidth.study import analysis
from halfwidth.study.analysis import sizes_for_coverage, sizes_for_width


def widths(w: float, sizes: tuple[int, ...] = SIZES, **given: str) -> pd.DataFrame:
    """Mean widths w/√n."""
    return pd.DataFrame([cell(n=n, width_mean=w / math.sqrt(n), **given) for n in sizes])


def with_paces(*paces: float) -> pd.DataFrame:
    """Coverages .95 - b/n, a task for each b."""
    return pd.concat([with_pace(-b, task=str(b)) for b in paces])


def test_the_first_size_that_covers() -> None:
    row = sizes_for_coverage(curve(lambda n: 0.95 - 1 / n), 0.925).iloc[0]
    assert (row["n"], row["reached"], row["smallest"], row["largest"]) == (50, True, 10, 250)


def test_the_wanted_coverage_goes_with_the_level() -> None:
    coverages = {10: 0.86, 25: 0.88, 50: 0.93}
    cells = pd.concat(
        curve(coverages.__getitem__, coverages, confidence_level=level) for level in (0.9, 0.95)
    )
    found = analysis.needs(cells)
    assert found["goal"].tolist() == [0.875, 0.925]
    assert found["n_median"].tolist() == [25, 50]
    assert analysis.needs(cells, target=0.925)["n_median"].tolist() == [50, 50]


def test_a_coverage_at_the_target_has_reached_it() -> None:
    row = sizes_for_coverage(curve({10: 0.9, 25: 0.925, 50: 0.93}.__getitem__, (10, 25, 50)))
    assert row["n"].item() == 25


def test_a_curve_that_falls_again_has_not_reached_it() -> None:
    rising = {10: 0.8, 25: 0.93, 50: 0.92, 100: 0.93, 250: 0.94}
    assert sizes_for_coverage(curve(rising.__getitem__))["n"].item() == 100
    falling = rising | {250: 0.5}
    row = sizes_for_coverage(curve(falling.__getitem__)).iloc[0]
    assert math.isnan(row["n"])
    assert not row["reached"]


def test_an_unknown_coverage_has_not_reached_it() -> None:
    known = {10: 0.94, 25: math.nan, 50: 0.94}
    assert sizes_for_coverage(curve(known.__getitem__, (10, 25, 50)))["n"].item() == 50


def test_rows_in_any_order_give_the_same() -> None:
    cells = with_paces(0, 1, 3)
    expected = sizes_for_coverage(cells)
    mixed = sizes_for_coverage(cells.sample(frac=1, random_state=1))
    pd.testing.assert_frame_equal(mixed, expected)
    assert expected["n"].tolist() == [10, 50, 250]


def test_widths_in_reach_and_beyond() -> None:
    cells = pd.concat([widths(1.0, task="a"), widths(0.5, task="b"), widths(1.5, task="c")])
    found = sizes_for_width(cells, 0.1).set_index("task")
    assert found["n"].tolist() == pytest.approx([100, 25, 250])
    far = sizes_for_width(cells, 0.05).set_index("task")
    assert far["reached"].tolist() == [False, True, False]
    assert far["n"].tolist()[1] == 100
    # (w / .05)².
    assert far["n_extrapolated"].tolist() == [400, 100, 900]


def test_widths_that_are_not_finite_are_not_extrapolated() -> None:
    cells = widths(1.0)
    cells.loc[cells["n"] == 250, "width_mean"] = math.nan
    row = sizes_for_width(cells, 0.5).iloc[0]
    assert np.isnan([row["n"], row["n_extrapolated"]]).all()


def test_quartiles_are_needs_of_instances() -> None:
    cells = with_paces(0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 8.0, 9.0)
    each = sizes_for_coverage(cells)["n"].tolist()
    assert each[:6] == [10, 25, 50, 100, 250, 250]
    assert np.isnan(each[6:]).all()
    row = analysis.needs(cells).iloc[0]
    # Two, four and six of the eight.
    assert (row["n_q1"], row["n_median"], row["n_q3"]) == (25, 100, 250)
    assert (row["reached"], row["instances"], row["largest"]) == (0.75, 8, 250)
    assert (row["wanted"], row["goal"]) == ("coverage", 0.925)


def test_quartiles_that_are_out_of_reach_say_so() -> None:
    cells = with_paces(1.0, 7.0, 9.0)
    row = analysis.needs(cells).iloc[0]
    assert row["n_q1"] == 50
    assert np.isnan([row["n_median"], row["n_q3"]]).all()
    assert row["reached"] == pytest.approx(1 / 3)


def test_quartiles_of_widths_go_beyond_under_their_own_name() -> None:
    cells = pd.concat([widths(w, task=str(w)) for w in (0.5, 1.0, 1.5, 2.0)])
    row = analysis.needs(cells, width=0.05).iloc[0]
    assert (row["n_q1"], row["n_extrapolated_q1"]) == (100, 100)
    assert math.isnan(row["n_median"])
    assert (row["n_extrapolated_median"], row["n_extrapolated_q3"]) == (400, 900)


def test_each_method_has_its_own() -> None:
    cells = pd.concat([curve(lambda n: 0.95), curve(lambda n: 0.95 - 2 / n, method="basic")])
    found = analysis.needs(cells).set_index("method")["n_median"]
    assert found.to_dict() == {"basic": 100, "percentile": 10}


def test_bad_goals_are_errors() -> None:
    cells = curve(lambda n: 0.95)
    with pytest.raises(OptionError, match=r"target=92\.5 is not a coverage"):
        analysis.needs(cells, target=92.5)
    with pytest.raises(OptionError, match="width=0"):
        analysis.needs(cells, width=0)
    with pytest.raises(OptionError, match="not both"):
        analysis.needs(cells, target=0.9, width=0.1)
    with pytest.raises(DataError, match="lacks width_mean"):
        analysis.needs(cells.drop(columns="width_mean"), width=0.1)
