from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from over_data import over

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.plots import pr, roc

curves_from = over(hw.curve, hw.Predictions.from_arrays)

RNG = np.random.default_rng(0)
NAMES = ["B $x_1", "hospital of the north", "cat"]
TRUTH = RNG.choice(NAMES, 120)
SCORE = np.eye(3)[np.searchsorted(sorted(NAMES), TRUTH)] + RNG.normal(size=(120, 3))
CURVES = {
    kind: curves_from(TRUTH, SCORE, kind=kind, scores="logits", n_resamples=199, rng=1)
    for kind in ("roc", "pr")
}
DRAW: dict[Any, Any] = {"roc": roc, "pr": pr}
KINDS: list[Any] = ["roc", "pr"]


def painted(ax: Axes) -> None:
    canvas: Any = FigureCanvasAgg
    canvas(ax.figure).draw()


def bands_of(ax: Axes) -> list[Array]:
    found = [c for c in ax.collections if isinstance(c, PolyCollection)]
    return [np.asarray(band.get_paths()[0].vertices) for band in found]


def test_references_are_the_diagonal_and_the_prevalences() -> None:
    straight = [np.asarray(line.get_xydata()) for line in roc(CURVES["roc"]).lines]
    assert [line.tolist() for line in straight if len(line) == 2] == [[[0, 0], [1, 1]]]
    straight = [np.asarray(line.get_xydata()) for line in pr(CURVES["pr"]).lines]
    assert [line.tolist() for line in straight if len(line) == 2] == [
        [[0, share], [1, share]] for share in (curve.n_positive / 120 for curve in CURVES["pr"])
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_the_legend_says_class_area_and_interval(kind: Any) -> None:
    ax = DRAW[kind](CURVES[kind])
    legend = ax.get_legend()
    texts = [text.get_text().replace("\n", " ") for text in legend.get_texts()]
    title = {"roc": "AUROC", "pr": "AP"}[kind]
    for text, curve in zip(texts, CURVES[kind], strict=True):
        e = curve.area
        assert e is not None
        numbers = [f"{number:.{e.decimals}f}" for number in (e.value, e.low, e.high)]
        assert text == f"{curve.label}: {title} {numbers[0]} ({numbers[1]} to {numbers[2]})"
    assert any("pointwise 95 % CI" in text.get_text() for text in ax.texts)
    assert [ax.get_xlabel(), ax.get_ylabel()] == {
        "roc": ["1 - specificity", "sensitivity"],
        "pr": ["recall", "precision"],
    }[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_untied_scores_are_drawn_in_steps_from_end_to_end(kind: Any) -> None:
    for line in DRAW[kind](CURVES[kind]).lines:
        corners = np.asarray(line.get_xydata())
        if len(corners) == 2:
            continue
        assert (np.diff(corners, axis=0) == 0).any(axis=1).all()
        assert line.get_drawstyle() == "default"
        ends = corners[[0, -1]].tolist()
        assert ends == [[0, 0], [1, 1]] if kind == "roc" else [end[0] for end in ends] == [0, 1]


def test_bands_of_roc_curves_begin_at_the_origin_and_end_in_the_corner() -> None:
    for curve, band in zip(CURVES["roc"], bands_of(roc(CURVES["roc"])), strict=True):
        assert curve.to_frame().iloc[0][["x", "y", "low", "high"]].tolist() == [0, 0, 0, 0]
        assert curve.to_frame().iloc[-1][["x", "y", "low", "high"]].tolist() == [1, 1, 1, 1]
        assert {(0.0, 0.0), (1.0, 1.0)} <= set(map(tuple, band.tolist()))


def test_axes_are_a_square() -> None:
    ax = pr(CURVES["pr"])
    assert ax.get_aspect() == roc(CURVES["roc"]).get_aspect() == 1
    low, high = ax.get_xlim()
    assert -0.05 < low < 0
    assert 1 < high < 1.05


def many(classes: int, word: str = "long ") -> hw.Curves:
    curve = CURVES["roc"][0]
    return hw.Curves(tuple(replace(curve, label=f"class {k} {word * k}") for k in range(classes)))


@pytest.mark.slow
def test_twenty_classes_look_different() -> None:
    ax = roc(many(20))
    curved: list[Any] = [line for line in ax.lines if len(np.asarray(line.get_xydata())) > 2]
    styles = {(to_hex(line.get_color()), str(line._dash_pattern)) for line in curved}
    assert len(styles) == 20
    painted(ax)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("curves", [CURVES["roc"], CURVES["pr"], many(10), many(20), many(20, "")])
def test_no_text_is_cut(curves: hw.Curves) -> None:
    ax = DRAW[curves[0].kind](curves)
    painted(ax)
    legend = ax.get_legend()
    texts = [*legend.get_texts(), *ax.texts, *ax.get_xticklabels(), *ax.get_yticklabels()]
    for text in [*texts, ax.xaxis.label, ax.yaxis.label]:
        box = Text.get_window_extent(text)
        assert ax.figure.bbox.x0 <= box.x0 < box.x1 <= ax.figure.bbox.x1
        assert ax.figure.bbox.y0 <= box.y0 < box.y1 <= ax.figure.bbox.y1
    assert legend.get_window_extent().x0 > ax.bbox.x1


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_figure_is_no_wider_than_its_square_and_legend(kind: Any) -> None:
    ax = DRAW[kind](CURVES[kind])
    painted(ax)
    box, dpi = ax.figure.get_tightbbox(), ax.figure.dpi
    assert 0 <= box.x0 < 0.1
    assert 0 <= ax.figure.get_figwidth() - box.x1 < 0.1
    assert ax.bbox.width / dpi > 2.3


def test_many_curves_have_no_bands_and_no_note_of_them() -> None:
    ax = roc(many(5))
    assert not bands_of(ax)
    assert not any("band" in note.get_text() for note in ax.texts)


def test_one_curve_axes_given_and_no_area() -> None:
    ax = Figure(layout="constrained").add_subplot(1, 2, 1)
    curve: hw.Curve = replace(CURVES["roc"][0], area=None)
    assert roc(curve, ax) is ax
    (text,) = ax.get_legend().get_texts()  # type: ignore[union-attr]
    assert text.get_text() == "B $x_1"
    assert not any("brackets" in note.get_text() for note in ax.texts)
    painted(ax)


def test_a_class_without_a_curve_is_said() -> None:
    truth, score = RNG.integers(0, 2, 40), RNG.dirichlet([1, 1, 1], 40)
    ax = roc(curves_from(truth, score, labels=[0, 1, 2], n_resamples=99, rng=1, kind="roc"))
    painted(ax)
    assert "n/a (no interval)" in ax.get_legend().get_texts()[2].get_text()  # type: ignore[union-attr]


def test_other_kinds_and_nothing_are_refused() -> None:
    with pytest.raises(hw.OptionError, match="these have kind='pr'"):
        roc(CURVES["pr"])
    with pytest.raises(hw.OptionError, match="these have kind='roc'"):
        pr([*CURVES["pr"], *CURVES["roc"]])
    with pytest.raises(hw.OptionError, match="at least one"):
        roc([])
