"""The curve of width against cases shows finished plans, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

import halfwidth as hw
from halfwidth.plots import plan_curve, plan_frame


def test_the_curve_is_the_frame() -> None:
    plan = hw.planning.mean_n(0.1, halfwidth=0.02, metric="dsc")
    ax = plan_curve(plan)
    frame = plan_frame(plan)
    line = ax.get_lines()[0]
    np.testing.assert_array_equal(line.get_xdata(), frame["n"])
    np.testing.assert_array_equal(line.get_ydata(), frame["halfwidth"])
    (chosen,) = frame.loc[frame["chosen"], "n"]
    assert chosen == plan.n == 99
    assert "mean DSC" in ax.get_ylabel()
    texts = [text.get_text() for text in ax.texts]
    assert any(text.startswith("n = 99\n") for text in texts)
    assert (np.diff(frame["width"]) < 0).all()


def test_the_frame_holds_what_the_formula_gives() -> None:
    frame = plan_frame(hw.planning.proportion_n(0.9, width=0.1))
    for n, width in zip(frame["n"], frame["width"], strict=True):
        e = hw.planning.proportion_width(0.9, int(n))
        assert width == e.width


def test_plans_of_several_sds_are_told_apart() -> None:
    plans = [hw.planning.mean_n(sd, halfwidth=h) for sd in (0.1, 0.2) for h in (0.02, 0.05)]
    ax = plan_curve(plans)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["sd 0.1", "sd 0.2"]
    dots = [line for line in ax.get_lines() if line.get_marker() == "o"]
    assert [int(np.ravel(dot.get_xdata())[0]) for dot in dots] == [99, 25, 387, 64]


def test_it_draws_into_given_axes_and_names_round_numbers() -> None:
    given = Figure().add_subplot()
    ax = plan_curve(hw.planning.mean_n(1.0, halfwidth=0.1), given)
    assert ax is given
    assert {"100", "200", "500", "1000"} <= {text.get_text() for text in ax.get_xticklabels()}


def test_a_simulated_plan_shows_what_was_simulated() -> None:
    values = np.random.default_rng(0).normal(size=50)
    plan = hw.planning.pilot_n(values, halfwidth=0.3, method="t", rng=1, n_samples=100)
    frame = plan_frame(plan)
    assert plan.n in set(frame["n"])
    assert plan.simulated is not None
    assert float(frame.loc[frame["chosen"], "width"].iloc[0]) == plan.simulated.assured
    plan_curve(plan).figure.canvas.draw()


def test_no_plan_is_an_error() -> None:
    with pytest.raises(hw.OptionError, match="at least one plan"):
        plan_curve([])
