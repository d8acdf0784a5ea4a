from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image
from support import refusal

import halfwidth as hw
from halfwidth import plots
from halfwidth.plots import Panel, distribution, figures_of_panels, write_figure

RNG = np.random.default_rng(0)
DICE = {"liver $x": RNG.beta(9, 1, 40)}
DISTANCE = {"liver $x": RNG.gamma(2, 3, 40)}


def estimates_of(samples: dict[str, Any], metric: str) -> list[hw.Estimate]:
    return [hw.summary_ci(v, metric=metric, label=k, rng=1) for k, v in samples.items()]


def figure() -> Figure:
    groups = {"liver $x": np.repeat(np.arange(20), 2)}
    drawn: Any = distribution(DICE, estimates_of(DICE, "dsc"), groups=groups).figure
    return drawn  # type: ignore[no-any-return]


def test_a_panel_per_metric() -> None:
    panels = {
        "Dice": Panel(DICE, estimates_of(DICE, "dsc")),
        "Distance $_": (DISTANCE, estimates_of(DISTANCE, "hd95"), None),
    }
    (made,) = figures_of_panels(panels)
    assert [ax.get_title(loc="left") for ax in made.axes] == ["Dice", "Distance $_"]
    assert [ax.get_xlabel() for ax in made.axes] == ["DSC", "HD95 [mm]"]
    # What the shapes mean is said once, below.
    assert [sum("dots: cases" in t.get_text() for t in ax.texts) for ax in made.axes] == [0, 1]
    assert made.get_size_inches()[0] == pytest.approx(17 / 2.54)
    with pytest.raises(hw.OptionError, match="at least one panel"):
        figures_of_panels({})


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".SVG"])
def test_files_are_the_same_byte_for_byte(suffix: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}{suffix}" for name in "abc"]
    made = figure()
    for file, drawn in zip(files, (made, made, figure()), strict=True):
        write_figure(drawn, file)
    first, *others = (file.read_bytes() for file in files)
    assert len(first) > 5000
    assert others == [first, first]


def test_svg_holds_text_and_neither_date_nor_version(tmp_path: Path) -> None:
    file = tmp_path / "a.svg"
    write_figure(figure(), file)
    text = file.read_text(encoding="utf-8")
    assert "liver $x" in text
    assert "<dc:date>" not in text
    assert mpl.__version__ not in text


def test_png_has_200_dots_per_inch(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    write_figure(figure(), file)
    with Image.open(file) as picture:
        assert picture.width == pytest.approx(200 * 17 / 2.54, abs=1)


def test_axes_are_written_with_their_figure_and_nothing_is_cut_off(tmp_path: Path) -> None:
    """Axes without a layout engine make no room for the texts beside them."""
    made = Figure(figsize=(4, 3))
    ax = plots.distribution(DICE, estimates_of(DICE, "dsc"), made.add_subplot())
    file = tmp_path / "a.png"
    write_figure(ax, file)
    with Image.open(file) as picture:
        assert picture.width > 200 * 4
    nested: Any = Figure().subfigures()
    write_figure(nested.add_subplot(), tmp_path / "b.png")


@pytest.mark.parametrize("name", ["a.jpg", "a", "svg"])
def test_other_files_are_refused_with_the_choices(name: str, tmp_path: Path) -> None:
    with pytest.raises(hw.OptionError, match=r"\.png, \.svg, \.pdf"):
        write_figure(figure(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    file = tmp_path / "none" / "a.svg"
    with pytest.raises(hw.DataError, match=r"a\.svg: cannot be written"):
        write_figure(figure(), file)


def test_writing_leaves_the_settings_alone(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    write_figure(figure(), tmp_path / "a.svg")
    assert dict(mpl.rcParams) == before


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    made = estimates_of(DICE, "dsc")
    for call in (
        lambda: plots.distribution(DICE, made),
        lambda: plots.figures_of_panels({"": Panel(DICE, made)}),
        lambda: hw.plots.forest(made),
    ):
        with pytest.raises(hw.OptionError, match=r"pip install 'halfwidth\[plots\]'"):
            call()
    # The numbers need none.
    assert len(hw.plots.distribution.frame(DICE, made))
    assert len(hw.plots.forest.frame(made))


@pytest.mark.slow
def test_neither_pyplot_nor_a_window_is_touched(tmp_path: Path) -> None:
    code = f"""
import sys
import halfwidth as hw
from halfwidth import plots
assert "matplotlib" not in sys.modules and "pandas" not in sys.modules
values = [0.1, 0.5, 0.7, 0.8, 0.85, 0.9]
e = hw.summary_ci(values, metric="dsc", label="x")
figure = plots.distribution({{"x": values}}, [e], groups={{"x": [1, 1, 2, 2, 3, 3]}})
for suffix in ("png", "svg", "pdf"):
    plots.write_figure(figure, {str(tmp_path)!r} + "/a." + suffix)
plots.write_figure(plots.forest([e]), {str(tmp_path)!r} + "/b.png")
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_figures_take_finished_results_only() -> None:
    pytest.importorskip("matplotlib")
    plots: Any = hw.plots
    for draw in (plots.forest, plots.roc, plots.pr, plots.plan_curve):
        assert "is neither of type" in refusal(functools.partial(draw, [1, 2]))
    for draw in (plots.confusion, plots.subsample_means, plots.figures_of_table):
        assert "is not what" in refusal(functools.partial(draw, None))
    assert "is no axes" in refusal(lambda: plots.forest(hw.summary_ci([0.9, 0.8, 0.7]), ax={}))


def test_options_that_a_figure_lacks_are_named() -> None:
    estimates = hw.estimate({"A": [0.9, 0.8, 0.7], "B": [0.8, 0.7, 0.9]}, metric="dsc", rng=1)
    with pytest.raises(
        hw.OptionError, match=r"forest\(\) has no option wrong; it has estimates, ax"
    ):
        hw.plots.forest(estimates, wrong=3)  # type: ignore[call-arg]
    with pytest.raises(hw.OptionError, match=r"forest\.frame\(\) has no option wrong; it has est"):
        hw.plots.forest.frame(estimates, wrong=3)  # type: ignore[call-arg]


def test_a_png_is_drawn_once_and_leaves_the_figure_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = hw.plot(hw.summary_ci([0.9, 0.8, 0.7, 0.95, 0.85], metric="dsc"))
    drawn, draw = [], Figure.draw

    def counted(*one: Any) -> None:
        drawn.append(one)
        draw(*one)

    monkeypatch.setattr(Figure, "draw", counted)
    before = figure.get_layout_engine(), figure.dpi
    write_figure(figure, tmp_path / "one.png")
    assert len(drawn) == 1
    assert (figure.get_layout_engine(), figure.dpi) == before
