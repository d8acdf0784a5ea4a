"""Cases as lines and Bland-Altman plots show the cases that comparisons carry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from handmade import hand_made
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import halfwidth as hw
from halfwidth import plots
from halfwidth.plots import (
    bland_altman,
    differences,
    figures_of_pairs,
    paired_cases,
)
from halfwidth.plots.style import PALE

ONE = hand_made(1)


def drawn(figure: Any) -> None:
    canvas: Any = FigureCanvasAgg
    canvas(figure).draw()


def texts_of(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_a_line_for_each_case_from_the_second_to_the_first() -> None:
    ax, frame = paired_cases(ONE), paired_cases.frame(ONE)
    values = ONE.cases[0].values
    np.testing.assert_array_equal(frame["first"], values["model B"])
    (lines,) = (made for made in ax.collections if isinstance(made, LineCollection))
    segments = np.array(lines.get_segments())
    np.testing.assert_array_equal(segments[:, :, 1], frame[["second", "first"]])
    better = int((values["model B"] > values["model A"]).sum())
    assert f"better in {better}" in texts_of(ax)
    assert f"better in {30 - better}" in texts_of(ax)


def test_where_less_is_better_the_lower_value_wins() -> None:
    frame = paired_cases.frame(hand_made(1, metric="hd95"))
    np.testing.assert_array_equal(frame["better"], np.sign(frame["second"] - frame["first"]))


@pytest.mark.parametrize("effect", ["difference", "ratio"])
def test_bland_altman_is_its_frame(effect: Any) -> None:
    comparisons = hand_made(1, effect=effect)
    values = comparisons.cases[0].values
    first, second = values["model B"], values["model A"]
    made = hw.limits_of_agreement(first, second, metric="dsc", effect=effect)
    frame, ax = bland_altman.frame(comparisons), plots.bland_altman(comparisons)
    cases = frame[frame["kind"] == "case"]
    wanted = first - second if effect == "difference" else first / second
    np.testing.assert_allclose(cases["y"], wanted, rtol=1e-12)
    (dots,) = (c for c in ax.collections if np.shape(c.get_offsets()) == (30, 2))
    np.testing.assert_array_equal(dots.get_offsets(), cases[["x", "y"]])
    heights = {float(np.ravel(line.get_ydata())[0]) for line in ax.lines}
    for kind in ("lower", "bias", "upper"):
        (row,) = frame[frame["kind"] == kind].to_dict("records")
        assert (row["y"], row["low"], row["high"]) == pytest.approx(getattr(made, kind))
        assert row["y"] in heights
    assert heights - set(frame["y"]) == {0.0 if effect == "difference" else 1.0}


def test_the_bias_has_the_interval_of_the_forest() -> None:
    rng = np.random.default_rng(5)
    easy = rng.uniform(0.85, 0.95, 30)
    models = {"A": easy, "B": easy - 0.01 + rng.normal(0, 0.01, 30)}
    data = hw.CaseValues.from_arrays(models, metric="dsc", failures="both")
    compared = hw.compare(data, rng=1)
    (forest,) = differences.frame(compared).to_dict("records")
    frame, ax = bland_altman.frame(compared).set_index("kind"), plots.bland_altman(compared)
    assert tuple(frame.loc["bias", ["y", "low", "high"]]) == (
        forest["x"],
        forest["low"],
        forest["high"],
    )
    assert f"mean\n{forest['numbers']}" in texts_of(ax)
    ends = (forest["low_if_unseen_failures"], forest["high_if_unseen_failures"])
    assert ends == compared[0].estimate.if_unseen_failures
    assert tuple(frame.loc["unseen failures", ["low", "high"]]) == ends
    (pale,) = (line for line in ax.lines if line.get_color() == PALE)
    assert tuple(np.ravel(pale.get_ydata())) == ends
    assert "pale bar: 95 % CI if cases can fail as none here did" in ax.get_title(
        loc="left"
    ).replace("\n", " ")


@pytest.mark.parametrize("options", [{"statistic": "median"}, {"effect": "ratio"}])
def test_the_bias_is_none_of_what_else_is_compared(options: Any) -> None:
    values = ONE.cases[0].values
    compared = hw.compare(values, metric="dsc", rng=1, n_resamples=99, **options)
    frame = bland_altman.frame(compared).set_index("kind")
    effect = options.get("effect", "difference")
    made = hw.limits_of_agreement(*values.values(), metric="dsc", effect=effect)
    assert tuple(frame.loc["bias", ["y", "low", "high"]]) == pytest.approx(made.bias)


@pytest.mark.parametrize("kind", ["cases", "bland-altman"])
@pytest.mark.parametrize("count", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_a_panel_for_each_pair_without_overlaps(kind: str, count: int) -> None:
    comparisons = hand_made(count, by={"organ": "left kidney"})
    (figure,) = figures_of_pairs(comparisons, kind)
    panels = [ax for ax in figure.axes if ax.axison]
    assert len(panels) == count
    drawn(figure)
    boxes = [ax.bbox for ax in panels]
    for ax in panels:
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        texts = [*ax.texts, ax.xaxis.label, ax.yaxis.label, ax.title]
        texts += [tick for tick in ax.get_xticklabels() if left <= tick.get_position()[0] <= right]
        texts += [tick for tick in ax.get_yticklabels() if low <= tick.get_position()[1] <= high]
        for text in texts:
            if not text.get_text().strip():
                continue
            box = Text.get_window_extent(text)
            assert figure.bbox.x0 <= box.x0 + 1 < box.x1 - 1 <= figure.bbox.x1, text
            for other in boxes:
                overlap = Bbox.intersection(box, other)
                assert overlap is None or overlap.width * overlap.height < 1, text
            boxes.append(box)


def test_texts_of_close_limits_are_kept_apart() -> None:
    values = np.r_[np.zeros(200), 1.0]
    made = hw.limits_of_agreement(values, np.zeros(201))
    ax = plots.bland_altman(made)
    drawn(ax.figure)
    boxes = [Text.get_window_extent(text) for text in ax.texts if "\n" in text.get_text()]
    assert len(boxes) == 3
    for one, other in ((0, 1), (1, 2), (0, 2)):
        assert Bbox.intersection(boxes[one], boxes[other]) is None


def test_what_cannot_be_drawn_is_refused() -> None:
    several = hand_made(3)
    for draw in (paired_cases, plots.bland_altman, paired_cases.frame, plots.bland_altman.frame):
        with pytest.raises(hw.OptionError, match="draws one pair"):
            draw(several)
        with pytest.raises(hw.OptionError, match="draws values of cases"):
            draw(hw.Comparisons(ONE.items))
        with pytest.raises(hw.OptionError, match="not on the same cases"):
            draw(hw.Comparisons((replace(ONE.items[0], paired=False),), cases=ONE.cases))
    with pytest.raises(hw.OptionError, match="is none of cases, bland-altman"):
        figures_of_pairs(ONE, "lines")


def test_families_told_apart_by_their_column_have_their_own_cases() -> None:
    rng = np.random.default_rng(1)
    table: dict[str, Any] = {
        "case": [f"c{k}" for k in range(20)] * 2,
        "model": ["A"] * 20 + ["B"] * 20,
        "liver": rng.beta(9, 1, 40),
        "spleen": rng.beta(5, 2, 40),
    }
    compared = hw.compare(hw.CaseValues.from_table(table, ["liver", "spleen"], metric="dsc"), rng=1)
    for place, organ in enumerate(("liver", "spleen")):
        frame = paired_cases.frame(compared[place : place + 1])
        assert sorted(frame["first"]) == pytest.approx(sorted(table[organ][:20]))
        assert organ in texts_of(paired_cases(compared[place : place + 1]))
        assert organ in texts_of(plots.bland_altman(compared[place : place + 1]))
    labels = [text.get_text() for text in differences(compared).get_yticklabels()]
    assert labels == ["liver", "spleen"]
