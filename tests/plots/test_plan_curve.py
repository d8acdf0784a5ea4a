"""The curve of width against cases shows finished plans, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation

import halfwidth as hw
from halfwidth.plots import plan_curve


def test_the_n_planned_is_chosen_in_the_frame_and_written() -> None:
    plan = hw.planning.mean(0.1, halfwidth=0.02, metric="dsc", method="t")
    ax = plan_curve(plan)
    frame = plan_curve.frame(plan)
    (chosen,) = frame.loc[frame["chosen"], "n"]
    assert chosen == plan.n == 99
    assert "mean DSC" in ax.get_ylabel()
    texts = [text.get_text() for text in ax.texts]
    assert any(text.startswith("n = 99\n") for text in texts)
    assert (np.diff(frame["width"]) < 0).all()


def test_the_frame_holds_what_the_formula_gives() -> None:
    frame = plan_curve.frame(hw.planning.proportion(0.9, halfwidth=0.05))
    for n, width in zip(frame["n"], frame["width"], strict=True):
        e = hw.planning.proportion(0.9, n=int(n))
        assert width == e.width


def texts_of(ax: Axes) -> set[str]:
    return {text.get_text() for text in ax.texts}


def test_plans_of_several_sds_are_told_apart_at_their_ends() -> None:
    plans = [
        hw.planning.mean(sd, halfwidth=h, method="t") for sd in (0.1, 0.2) for h in (0.02, 0.05)
    ]
    ax = plan_curve(plans)
    assert {"SD 0.1", "SD 0.2"} <= texts_of(ax)
    assert set(plan_curve.frame(plans)["line"]) == {"SD 0.1", "SD 0.2"}
    dots = [line for line in ax.get_lines() if line.get_marker() == "o"]
    assert [int(np.ravel(dot.get_xdata())[0]) for dot in dots] == [99, 25, 387, 64]


def test_each_of_two_quantities_has_a_curve_with_its_name() -> None:
    plan = hw.planning.classes(0.9, 0.95, prevalence=0.1, halfwidth=0.05)
    frame, ax = plan_curve.frame(plan), plan_curve(plan)
    assert {"sensitivity", "specificity"} == set(frame["line"]) <= texts_of(ax)
    chosen = frame[frame["chosen"]].set_index("line")
    assert chosen["n"].tolist() == [1410, 1410]
    for part in plan.parts:
        assert chosen.loc[part.quantity, "width"] == part.width
    assert ax.get_ylabel() == "half-width of the 95 % CI"
    # One that is not planned for has no curve.
    alone = hw.planning.classes(0.9, prevalence=0.1, halfwidth=0.05)
    assert set(plan_curve.frame(alone)["line"]) == {"sensitivity"}


@pytest.mark.slow
def test_it_draws_into_given_axes_and_names_round_numbers() -> None:
    given = Figure().add_subplot()
    ax = plan_curve(hw.planning.mean(1.0, halfwidth=0.1), given)
    assert ax is given
    assert {"100", "200", "500", "1000"} <= {text.get_text() for text in ax.get_xticklabels()}


def test_a_simulated_plan_shows_what_was_simulated_on_a_curve() -> None:
    values = np.random.default_rng(0).normal(size=50)
    (plan,) = hw.plan(values, halfwidth=0.3, method="t", rng=1, n_samples=100)
    far = replace(plan, curve=((200, 0.4), (1447, 0.1)), n=200)
    frame = plan_curve.frame(plan)
    assert plan.simulated is not None
    (chosen,) = frame.loc[frame["chosen"] & (frame["source"] == "simulated"), "width"]
    assert chosen == plan.simulated.assured
    known = frame[frame["source"] == "simulated"]
    assert list(zip(known["n"], known["width"], strict=True)) == list(plan.curve)
    # Between two sizes far apart the curve is a power of n, and not a chord.
    between = plan_curve.frame(far).query("source == 'between'")
    slope = np.log(0.1 / 0.4) / np.log(1447 / 200)
    np.testing.assert_allclose(between["width"], 0.4 * (between["n"] / 200) ** slope)
    assert len(between) > 10
    ax = plan_curve(far)
    assert np.size(ax.get_lines()[0].get_xdata()) == len(between) + 2
    assert "small dots: n simulated" in " ".join(texts_of(ax))


def test_a_pilot_of_one_n_has_a_curve_where_one_is_wanted() -> None:
    values = np.random.default_rng(0).normal(size=50)
    planned = partial(hw.plan, values, method="t", rng=1, n_samples=100)
    (plan,) = planned(n=40, curve=True)
    assert [n for n, _ in plan.curve] == [10, 20, 40, 80]
    for n, width in plan.curve:
        alone = planned(n=n)[0].simulated
        assert alone is not None
        assert width == alone.assured
    assert (np.diff([width for _, width in plan.curve]) < 0).all()


def numbers_of(ax: Axes) -> dict[tuple[float, float], str]:
    """What is written beside dots, by their place."""
    notes = [text for text in ax.texts if isinstance(text, Annotation)]
    return {note.xy: note.get_text() for note in notes if note.get_text().startswith("n = ")}


def test_numbers_of_dots_do_not_cover_each_other() -> None:
    plans = [hw.planning.mean(sd, n=n, method="t") for sd in (5, 10) for n in (10, 50, 200)]
    ax = plan_curve(plans)
    written = numbers_of(ax)
    # The upper dots have theirs; there is no room for more.
    assert {text.split("\n")[0] for text in written.values()} == {"n = 10", "n = 50", "n = 200"}
    assert len(written) < len(plans)
    for (n, half), text in written.items():
        assert half == next(p.halfwidth for p in plans if p.n == n and str(10) in str(p.assumed))
        assert text.endswith(f"{half:.3g}")
    # Two cases have an interval 25 times as wide as 10 have, which would flatten the rest.
    assert ax.get_ylim()[1] < 20 < plan_curve.frame(plans)["halfwidth"].max()


def test_no_plan_is_an_error() -> None:
    with pytest.raises(hw.OptionError, match="at least one plan"):
        plan_curve([])
