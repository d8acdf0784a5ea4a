"""Paces of coverage: by hand, exact where the model is, and what is left out is counted."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from analysed import SIZES, cell, curve, with_pace

from halfwidth import DataError, OptionError, UnknownNameError
from halfwidth.study import analysis
from halfwidth.study.analysis import cells_of, chosen


def test_a_curve_that_follows_the_model_has_its_pace_and_no_error() -> None:
    row = analysis.pace(with_pace(-2.0)).iloc[0]
    assert row["pace"] == pytest.approx(-2.0, abs=1e-12)
    assert row["fit_error"] == pytest.approx(0, abs=1e-12)
    assert (row["sizes"], row["left_out"]) == (len(SIZES), 0)


def test_two_sizes_by_hand() -> None:
    # Excess -.1 at n = 10 and +.01 at 20: (-.01 + .0005) / (.01 + .0025) = -.76.
    cells = curve({10: 0.85, 20: 0.96}.__getitem__, (10, 20), coverage_se=0.004)
    row = analysis.pace(cells).iloc[0]
    assert row["pace"] == pytest.approx(-0.76, abs=1e-12)
    # Fitted .874 and .912: residuals -.024 and .048.
    squares = 0.024**2 + 0.048**2
    assert row["fit_error"] == pytest.approx(math.sqrt(squares / (0.85**2 + 0.96**2)), rel=1e-12)
    # √(.004² (.01 + .0025)) / .0125 = .004 / √.0125.
    assert row["pace_se"] == pytest.approx(0.004 / math.sqrt(0.0125), rel=1e-12)


def test_against_least_squares_of_numpy() -> None:
    rng = np.random.default_rng(1)
    noise = dict(zip(SIZES, rng.normal(0, 0.01, len(SIZES)), strict=True))
    cells = curve(lambda n: 0.95 - 3 / n + noise[n])
    design = 1 / cells["n"].to_numpy(float)[:, None]
    expected = np.linalg.lstsq(design, cells["coverage"].to_numpy() - 0.95, rcond=None)[0][0]
    assert analysis.pace(cells)["pace"].item() == pytest.approx(expected, rel=1e-10)


def test_the_standard_error_is_that_of_simulated_coverages() -> None:
    # 400 curves: the SD of their paces is known to 3.5 %, 20 % is beyond 5 SD (p < 1e-6).
    rng = np.random.default_rng(2)
    cells = [
        cell(instance=str(place), n=n, coverage=0.95 - 2 / n + rng.normal(0, 0.005))
        for place in range(400)
        for n in SIZES
    ]
    found = analysis.pace(pd.DataFrame(cells).assign(coverage_se=0.005))
    assert found["pace"].std() == pytest.approx(found["pace_se"].iloc[0], rel=0.2)


def test_each_level_is_fitted_to_its_own() -> None:
    cells = pd.concat(
        [with_pace(-1.0), curve(lambda n: 0.8 - 3 / n, confidence_level=0.8)], ignore_index=True
    )
    found = analysis.pace(cells).set_index("confidence_level")["pace"]
    assert found.to_dict() == pytest.approx({0.8: -3.0, 0.95: -1.0})


def test_undefined_coverages_are_left_out_and_counted() -> None:
    cells = with_pace(-2.0)
    cells.loc[[0, 3], ["coverage", "coverage_se"]] = math.nan
    row = analysis.pace(cells).iloc[0]
    assert row["pace"] == pytest.approx(-2.0)
    assert (row["sizes"], row["left_out"], row["pace_se"]) == (3, 2, 0.0)


def test_no_coverage_and_a_single_size_say_so() -> None:
    nothing = analysis.pace(curve(lambda _: math.nan)).iloc[0]
    assert math.isnan(nothing["pace"])
    assert math.isnan(nothing["fit_error"])
    assert nothing["sizes"] == 0
    single = analysis.pace(with_pace(-2.0, (25,))).iloc[0]
    assert single["pace"] == pytest.approx(-2.0)
    assert math.isnan(single["fit_error"])


def test_an_unknown_error_of_a_coverage_makes_that_of_the_pace_unknown() -> None:
    cells = with_pace(-2.0, coverage_se=0.01)
    cells.loc[1, "coverage_se"] = math.nan
    assert math.isnan(analysis.pace(cells)["pace_se"].item())


def test_rows_may_come_in_any_order_and_keep_what_goes_along() -> None:
    parts = [
        with_pace(float(-i), task=f"t{i}", model="m", population_skewness=-float(i), n_cases=10 * i)
        for i in (3, 1, 2)
    ]
    mixed = pd.concat(parts).sample(frac=1, random_state=3)
    found = analysis.pace(mixed)
    assert found["task"].tolist() == ["t1", "t2", "t3"]
    assert found["pace"].to_numpy() == pytest.approx([-1, -2, -3])
    assert found["population_skewness"].tolist() == [-1, -2, -3]
    assert found["n_cases"].tolist() == [10, 20, 30]


# --------------------------------------------------------------------------- cells


def test_studies_are_put_together() -> None:
    one, other = with_pace(-1.0, task="a"), with_pace(-1.0, task="b")
    assert len(cells_of(one, other)) == 2 * len(SIZES)


def test_a_cell_that_stands_twice_is_an_error() -> None:
    one = with_pace(-1.0, task="a")
    with pytest.raises(DataError, match=r"5 cells occur twice.*instance a/dsc.*leave out one"):
        cells_of(one, one.assign(source="another path"))


def test_nothing_and_other_frames_are_errors() -> None:
    with pytest.raises(OptionError, match="no study is given"):
        cells_of()
    with pytest.raises(DataError, match="lacks instance"):
        cells_of(pd.DataFrame({"a": [1]}))
    with pytest.raises(DataError, match="lacks coverage_se"):
        analysis.pace(with_pace(-1.0).drop(columns="coverage_se"))


def test_rows_are_chosen() -> None:
    cells = pd.concat([with_pace(-1.0), with_pace(-1.0, metric="nsd", statistic="median")])
    assert set(chosen(cells, metric="nsd")["metric"]) == {"nsd"}
    assert set(chosen(cells, metric="dsc", n=["10", 250], level=0.95)["n"]) == {10, 250}
    assert len(chosen(cells, metric=["dsc", "nsd"])) == len(cells)


def test_what_is_not_there_is_an_error_that_proposes() -> None:
    cells = pd.concat([with_pace(-1.0), with_pace(-1.0, metric="nsd", statistic="median")])
    with pytest.raises(UnknownNameError, match="did you mean 'dsc'"):
        chosen(cells, metric="dcs")
    with pytest.raises(UnknownNameError, match=r"of metric dsc.*Known: mean"):
        chosen(cells, metric="dsc", statistic="median")
    with pytest.raises(UnknownNameError, match="'many'"):
        chosen(cells, n="many")
    with pytest.raises(OptionError, match="no n to choose by"):
        chosen(analysis.pace(cells), n=10)


# --------------------------------------------------------------------------- unfinished studies


def unfinished() -> pd.DataFrame:
    """Of two metrics on four instances; one lacks the larger sizes, whose pace is another."""
    curves = [
        with_pace(pace - place, task=f"t{place}", model="m", metric=metric)
        for metric, pace in (("dsc", -1.0), ("nsd", -3.0))
        for place in range(4)
    ]
    cells = pd.concat(curves, ignore_index=True)
    lacking = (cells["task"] == "t3") & (cells["n"] > 25) & (cells["metric"] == "dsc")
    return cells[~lacking]


def test_paces_of_other_n_are_left_out_and_counted() -> None:
    paces = analysis.pace(unfinished())
    assert paces.set_index(["metric", "task"])["at"]["dsc", "t3"] == "10, 25"
    assert paces["pace"].notna().all()
    summary = analysis.pace_summary(paces).set_index("metric")
    assert summary["left_out"].to_dict() == {"dsc": 1, "nsd": 0}
    assert summary["pace_median"].to_dict() == pytest.approx({"dsc": -2.0, "nsd": -4.5})
    (test,) = analysis.pace_tests(paces, rng=1).to_dict("records")
    assert (test["n"], test["left_out"]) == (3, 1)
    assert (test["mean_a"], test["mean_b"]) == pytest.approx((-2.0, -4.0))


def test_a_method_that_gives_no_interval_at_some_n_is_compared_with_none_that_does() -> None:
    whole = [with_pace(-1.0 - place, task=f"t{place}", model="m") for place in range(3)]
    other = [
        with_pace(-2.0, task=f"t{place}", model="m", method="exact").assign(
            coverage=lambda cells: cells["coverage"].where(cells["n"] > 25)
        )
        for place in range(3)
    ]
    paces = analysis.pace(pd.concat([*whole, *other], ignore_index=True))
    assert (analysis.pace_summary(paces)["left_out"] == 0).all()
    (test,) = analysis.pace_tests(paces, "method", rng=1).to_dict("records")
    assert (test["n"], test["left_out"]) == (0, 3)


def test_samples_without_an_interval_do_not_slow_the_pace() -> None:
    cells = with_pace(-2.0)
    none = np.where(cells["n"] == 10, 0.6, 0.0)
    partly = cells.assign(
        coverage=cells["coverage"] * (1 - none), undefined=none * cells["samples"]
    )
    row = analysis.pace(partly).iloc[0]
    assert row["pace"] == pytest.approx(-2.0, abs=1e-9)
    assert row["no_interval"] == pytest.approx(0.6 / len(SIZES))
