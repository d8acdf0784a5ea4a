"""What a review of the designs found, kept from coming back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support import codes, message

import halfwidth as hw
from halfwidth.document import progress

CLUSTERS = np.repeat(np.arange(40), 3)


@pytest.mark.parametrize("clusters", [5, 40])
@pytest.mark.parametrize("kind", ["groups", "strata"])
def test_equal_values_get_an_interval_in_every_design(kind: str, clusters: int) -> None:
    units = np.repeat(np.arange(clusters), 3)
    design: dict[str, Any] = {kind: units}
    e = hw.summary_ci(np.ones(len(units)), metric="dsc", **design)
    assert (e.method, e.high) == ("dirichlet", 1.0)
    assert 0 < e.low < 1
    assert not {"HW304", "HW306"} & set(codes(e))
    # Without a range nothing is known but the value itself.
    e = hw.summary_ci(np.ones(len(units)), **design)
    assert (e.method, e.low, e.high) == ("t", 1.0, 1.0)
    assert "HW304" in codes(e)


def test_advice_for_equal_values_can_be_followed() -> None:
    e = hw.summary_ci(np.ones(120), metric="dsc", groups=CLUSTERS, method="bca")
    assert "percentile is defined" in message(e, "HW306")
    assert not math.isnan(
        hw.summary_ci(np.ones(120), metric="dsc", groups=CLUSTERS, method="percentile").low
    )


@pytest.mark.parametrize("statistic", ["mean", "median", "sd"])
def test_strata_of_one_case_each_give_no_interval(statistic: str) -> None:
    values = np.linspace(0.5, 0.9, 12)
    e = hw.summary_ci(values, metric="dsc", statistic=statistic, strata=range(12), rng=1)
    assert math.isnan(e.low)
    assert "no stratum holds two units" in message(e, "HW306")
    assert "HW404" not in codes(e)
    assert "HW304" not in codes(e)


def test_a_single_cluster_gives_no_interval_and_names_what_is_missing() -> None:
    for values in ([0, 1, 1.0], [0.5, 0.6, 0.9]):
        e = hw.summary_ci(values, groups=["a"] * 3)
        assert math.isnan(e.low)
        assert "it needs at least 2 clusters and there is 1" in message(e, "HW306")


def test_a_pair_out_of_range_is_refused_even_where_it_would_be_left_out() -> None:
    with pytest.raises(hw.DataError, match="values: 1 of 3 values lie outside"):
        hw.difference_ci([0.9, 7, 0.8], [0.9, math.nan, 0.7], metric="dsc", missing="omit")


def test_infinite_values_of_pairs_are_counted() -> None:
    first, second = [2.0, math.inf, 3.0, 4.0], [1.0, 5.0, math.nan, 2.0]
    e = hw.difference_ci(first, second, metric="hd95", missing="omit")
    assert (e.n, e.n_missing) == (2, 2)
    assert "1 of them infinite" in message(e, "HW101")


def test_a_column_is_named_by_a_text() -> None:
    frame = {"case": list("abcd"), "dice": [0.9, 0.8, 0.7, 0.6]}
    for wrong in (["case"], np.arange(4)):
        with pytest.raises(hw.OptionError, match="takes the name of a column"):
            hw.estimate(hw.CaseValues.from_table(frame, "dice", groups=wrong))  # type: ignore[arg-type]


def test_a_label_may_lack_where_the_case_is_left_out() -> None:
    e = hw.summary_ci(
        [0.1, math.nan, 0.41, 0.3], groups=["a", None, "b", "b"], missing="omit", method="t"
    )
    assert (e.n, e.n_groups) == (3, 2)


def test_a_case_without_id_is_found_by_its_row() -> None:
    frame = {"case": ["a", None, "c"], "dice": [0.9, 0.8, 0.7]}
    with pytest.raises(hw.DataError, match=r"lack a label in groups \(case in row 3\)"):
        hw.estimate(hw.CaseValues.from_table(frame, "dice", groups="case"))


def test_many_clusters_in_several_strata_are_not_all_listed() -> None:
    with pytest.raises(hw.DataError, match=r"40 cluster\(s\) .*and 35 more"):
        hw.summary_ci(np.linspace(0, 1, 120), groups=CLUSTERS, strata=[0, 1, 0] * 40)


def test_blocks_of_slow_work_begin_small_and_grow_while_they_are_quick() -> None:
    ranges = list(progress.growing(1000, 64))
    assert [stop - start for start, stop in ranges[:8]] == [1, 2, 4, 8, 16, 32, 64, 64]
    assert ranges[-1][1] == 1000


def test_blocks_of_slow_work_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUICK", -1.0)
    assert list(progress.growing(4, 64)) == [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_one_estimate_can_be_drawn() -> None:
    values = np.linspace(0.5, 0.9, 30)
    e = hw.summary_ci(values, metric="dsc", label="x", rng=1)
    assert len(hw.plots.forest.frame(e)) == 1
    assert hw.plots.forest(e).get_figure() is not None
    assert hw.plots.distribution({"x": values}, e).get_figure() is not None
