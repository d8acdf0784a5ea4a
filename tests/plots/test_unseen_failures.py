"""Pale bars on request: the interval if cases can fail as none here did, where much longer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

import halfwidth as hw
from halfwidth import plots
from halfwidth.plots import (
    differences,
    distribution,
    figures_of_forest,
    forest,
)
from halfwidth.plots.style import PALE

RNG = np.random.default_rng(6)
GOOD = RNG.uniform(0.88, 0.94, 30)
NOTE = "pale bar: 95 % CI if cases can fail as none here did"


def pale_bars(ax: Axes) -> list[tuple[float, ...]]:
    return [tuple(np.ravel(line.get_xdata())) for line in ax.lines if line.get_color() == PALE]


def notes_of(ax: Axes) -> str:
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def ends_of(frame: Any) -> list[tuple[float, ...]]:
    columns = frame[["low_if_unseen_failures", "high_if_unseen_failures"]]
    return list(columns.itertuples(index=False, name=None))


def test_a_forest_has_a_pale_bar_and_one_note() -> None:
    models = {"A": GOOD, "B": GOOD - 0.02}
    estimates = [
        hw.summary_ci(values, metric="dsc", label=m, failures="both")
        for m, values in models.items()
    ]
    wanted = [e.if_unseen_failures for e in estimates]
    assert ends_of(forest.frame(estimates)) == wanted
    (page,) = figures_of_forest(estimates, sort=True)
    for ax, note in ((plots.forest(estimates), NOTE), (page.axes[0], f"best first · {NOTE}")):
        assert pale_bars(ax) == wanted
        assert notes_of(ax).count(note) == 1
        low, high = ax.get_xlim()
        assert all(low <= end <= high for ends in wanted for end in ends or ())


def test_no_bar_is_drawn_that_nobody_asked_for() -> None:
    e = hw.summary_ci(GOOD, metric="dsc")
    assert e.if_unseen_failures is None
    assert not pale_bars(plots.forest(e))


def test_no_bar_where_failures_were_seen() -> None:
    e = hw.summary_ci(np.r_[GOOD, np.zeros(30)], metric="dsc", failures="both")
    assert e.if_unseen_failures is not None
    ax = plots.forest(e)
    assert not pale_bars(ax)
    assert "pale" not in notes_of(ax)
    assert np.isnan(ends_of(forest.frame(e))).all()


def test_a_lower_bound_has_a_pale_bar_on_its_side() -> None:
    e = hw.summary_ci(GOOD, metric="dsc", alternative="lower", failures="both")
    ax = plots.forest(e)
    ((low, high),) = pale_bars(ax)
    assert low == e.if_unseen_failures[0]  # type: ignore[index]
    assert high == ax.get_xlim()[1]
    assert "pale bar: 95 % lower bound if cases can fail" in notes_of(ax)


def test_a_distribution_has_the_bar_of_the_mean_alone() -> None:
    both = [
        hw.summary_ci(GOOD, metric="dsc", statistic=name, failures="both")
        for name in ("mean", "sd")
    ]
    frame, ax = distribution.frame({"": GOOD}, both), plots.distribution({"": GOOD}, both)
    (row,) = frame[frame["kind"] == "unseen failures"].to_dict("records")
    assert row["statistic"] == "mean"
    assert (row["low"], row["high"]) == both[0].if_unseen_failures
    assert pale_bars(ax) == [(row["low"], row["high"])]
    assert NOTE in notes_of(ax)


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_differences_have_pale_bars(correction: Any) -> None:
    models = {name: GOOD - shift for name, shift in (("A", 0), ("B", 0.01), ("C", 0.02))}
    models = {name: values + RNG.normal(0, 0.005, 30) for name, values in models.items()}
    data = hw.CaseValues.from_arrays(models, metric="dsc", failures="both")
    compared = hw.compare(data, rng=1, n_resamples=99, correction=correction)
    wanted = [item.estimate.if_unseen_failures for item in compared]
    ax = differences(compared)
    assert ends_of(differences.frame(compared)) == pale_bars(ax) == wanted
    assert NOTE in notes_of(ax)
