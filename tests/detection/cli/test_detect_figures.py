"""Figures that ``halfwidth detect`` draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.axes
import numpy as np
import pytest
from matplotlib.figure import Figure
from support import Run

COLUMNS = "image,class,x_min,y_min,x_max,y_max"
PLAIN = ("--n-resamples", "99", "--seed", "1")


@pytest.fixture
def boxes(tmp_path: Path) -> tuple[str, ...]:
    """Thirty images; those with an odd number hold objects of two classes."""
    rng = np.random.default_rng(0)
    true, found = [COLUMNS], [f"{COLUMNS},score"]
    for image in range(30):
        for name, left in (("cyst", 10), ("lesion", 60)):
            if image % 2:
                true.append(f"scan{image:02d},{name},{left},10,{left + 20},30")
            if rng.random() < 0.7:
                shift = int(rng.integers(0, 9)) + (0 if image % 2 else 30)
                corners = f"{left},{10 + shift},{left + 20},{30 + shift}"
                found.append(f"scan{image:02d},{name},{corners},{rng.random():.3f}")
    every = [f"scan{image:02d}" for image in range(30)]
    paths = [tmp_path / name for name in ("found.csv", "true.csv", "images.txt")]
    for path, lines in zip(paths, (found, true, every), strict=True):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(paths[0]), str(paths[1]), "--images", str(paths[2])


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is written to files."""
    kept: list[Any] = []
    monkeypatch.setattr(Figure, "savefig", lambda one, *_, **__: kept.append(one))
    return kept


def axes_of(one: Any) -> matplotlib.axes.Axes:
    found = one.axes[0] if isinstance(one, Figure) else one
    assert isinstance(found, matplotlib.axes.Axes)
    return found


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("options", "label"),
    [
        ("--metric ap", "recall"),
        ("--metric froc_score", "false positives per image"),
        ("--metric afroc_auc", "false positive fraction, images without objects"),
        ("--metric wafroc_auc", "false positive fraction, images without objects"),
        ("--metric ap --plot-kind froc", "false positives per image"),
        ("--metric ap,froc_score --by-threshold --threshold 0.3,0.5", "box IoU ≥"),
        ("--metric ap --plot-kind forest", "AP50"),
    ],
)
def test_each_kind_is_drawn(
    run: Run, boxes: tuple[str, ...], drawn: list[Any], options: str, label: str, tmp_path: Path
) -> None:
    plot = str(tmp_path / "figure.png")
    ran = run("detect", *boxes, *options.split(), *PLAIN, "--average", "micro", "--plot", plot)
    assert ran.status == 0, ran.err
    (one,) = drawn
    assert axes_of(one).get_xlabel().endswith(label)
    assert f"wrote {plot}" in ran.err


def test_matches_are_those_of_the_first_estimate(
    run: Run, boxes: tuple[str, ...], drawn: list[Any], tmp_path: Path
) -> None:
    options = ["--metric", "ap", "--threshold", "0.7", "--assignment", "hungarian"]
    ran = run(
        "detect",
        *boxes,
        *options,
        *PLAIN,
        "--plot-kind",
        "matches",
        "--plot",
        str(tmp_path / "worst.png"),
    )
    assert ran.status == 0, ran.err
    (legend,) = drawn[0].legends
    assert legend.get_title().get_text().startswith("box IoU ≥ 0.7, Hungarian; detections with")
    titles = " ".join(ax.get_title(loc="left") for ax in drawn[0].axes)
    assert "missed" in titles
    # Names of images stand nowhere.
    assert "scan" not in titles


def test_several_thresholds_have_a_curve_each(
    run: Run, boxes: tuple[str, ...], drawn: list[Any], tmp_path: Path
) -> None:
    options = ["--metric", "ap", "--threshold", "0.3,0.5", "--average", "micro"]
    assert run("detect", *boxes, *options, *PLAIN, "--plot", str(tmp_path / "pr.png")).status == 0
    legend: Any = axes_of(drawn[0]).get_legend()
    names = [text.get_text().partition(":")[0] for text in legend.get_texts()]
    assert names == ["box IoU ≥ 0.3", "box IoU ≥ 0.5"]


def test_the_figure_of_several_sizes_says_whose_it_is(
    run: Run, boxes: tuple[str, ...], drawn: list[Any], tmp_path: Path
) -> None:
    options = ["--metric", "ap", "--area", "all", "--area", "0,500", "--average", "micro"]
    ran = run("detect", *boxes, *options, *PLAIN, "--plot", str(tmp_path / "pr.png"))
    assert ran.status == 0, ran.err
    assert "the figure shows the first row: box IoU ≥ 0.5, greedy by score\n" in ran.err
    assert len(drawn) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--metric ap --plot-kind thresholds", "takes --by-threshold"),
        ("--metric ap --plot-kind roc", "unknown plot kind 'roc'"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_anything_is_read(
    run: Run, options: str, message: str, tmp_path: Path
) -> None:
    plot = str(tmp_path / "figure.png")
    ran = run("detect", "no.csv", "neither.csv", *options.split(), "--plot", plot)
    assert ran.status == 2
    assert message in ran.err
    assert "no.csv" not in ran.err


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("options", "note"),
    [
        ("--metric froc_score --threshold 0.3", ""),
        ("--metric ap --threshold 0.3,0.5 --plot-kind pr", "the figure shows threshold 0.3"),
        ("--metric ap --by-threshold --threshold 0.3,0.5", ""),
        ("--metric ap --plot-kind matches", "wrote {figure}\nhalfwidth: wrote {second}"),
    ],
)
def test_several_detectors_share_a_figure(
    options: str, note: str, boxes: tuple[str, ...], drawn: list[Any], run: Run
) -> None:
    found, true, *images = boxes
    copied = Path(found).with_name("copy.csv")
    copied.write_bytes(Path(found).read_bytes())
    files = (f"A={found}", f"B={copied}", true, *images)
    figure = Path(found).with_name("x.png")
    ran = run("detect", *files, *PLAIN, "--plot", figure, *options.split())
    assert ran.status == 0, ran.err
    second = figure.with_stem("x-2")
    assert note.format(figure=figure, second=second) in ran.err
    if "matches" in options:
        assert [page.get_suptitle() for page in drawn] == ["A", "B"]
    else:
        labels = axes_of(drawn[0]).get_legend_handles_labels()[1]
        assert [label.partition(":")[0] for label in labels] == ["A", "B"]
