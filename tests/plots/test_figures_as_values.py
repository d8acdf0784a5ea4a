"""Every figure has a caption and a frame, and what stands in the frame is on its axes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from detectioncurves import curves, over_several
from detectionscenes import boxed
from handmade import family
from scipy.spatial import KDTree

import halfwidth as hw
from halfwidth.cli import comparison_options, figures
from halfwidth.core.types import Array
from halfwidth.plots import Figure
from halfwidth.plots.of_results import PICTURES

PUBLIC = {
    name: one for name in hw.plots.__all__ if isinstance(one := getattr(hw.plots, name), Figure)
}
DRAWS: dict[str, Any] = {"n_resamples": 99, "rng": 1}
TRUTH = np.arange(40) % 2
SCORE = np.round(np.where(TRUTH == 1, 0.6, 0.4) + np.sin(np.arange(40)) / 4, 3)
CASES = np.random.default_rng(3).beta(6, 2, (3, 24))
MODELS = dict(zip("ABC", CASES, strict=True))


def estimates() -> hw.Estimates:
    return hw.estimate(hw.CaseValues.from_table(MODELS, metric="dsc"), **DRAWS)


def pairs(*names: tuple[str, str]) -> hw.Comparisons:
    return family(MODELS, names or [("A", "B"), ("C", "B")])


def rankings(tasks: int = 1) -> hw.Rankings:
    long = {"dsc": CASES.ravel(), "model": np.repeat([*"ABC"], 24)}
    long |= {"case": np.tile(np.arange(24), 3), "task": np.tile(np.arange(24) % tasks, 3)}
    by = ["task"] if tasks > 1 else []
    data = hw.CaseValues.from_table(long, "dsc", metric="dsc", case="case", model="model", by=by)
    return hw.rank(data, **DRAWS)


def of_scores(kind: Any, **how: Any) -> Any:
    return hw.curve(TRUTH, kind, y_score=SCORE, **how)


def classes() -> hw.Confusion:
    return hw.confusion_ci(TRUTH, (SCORE > 0.5).astype(int))


def subsamples() -> Any:
    return hw.planning.subsample(CASES[0], metric="dsc", sizes=[5, 10], repeats=9, rng=1)


# What each is drawn of, and the columns of its frame that are places on the axes, in pairs where
# both say a place; of maps their shares are the colours.
ONE = {"A": CASES[0]}
ESTIMATE = hw.summary_ci(CASES[0], metric="dsc", label="A")
ROWS = ("x,y", "low,y", "high,y")
MARGINS = ("margin_low", "margin_high")
CLOUDS = (
    "x,y if kind in ['case', 'density', 'estimate']",
    "low,y if kind in ['whiskers', 'estimate']",
    "high,y if kind in ['whiskers', 'estimate']",
    *("x", "low", "high"),
)
CURVES = ("x,y if drawn == 'line'", "x,low if drawn == 'band'", "x,high if drawn == 'band'")
EXAMPLES: dict[str, tuple[Callable[[], tuple[Any, ...]], tuple[str, ...]]] = {
    "forest": (lambda: (estimates(),), ROWS),
    "figures_of_forest": (lambda: (estimates(),), ROWS),
    "distribution": (lambda: (ONE, ESTIMATE), CLOUDS),
    "figures_of_panels": (lambda: ({"a": hw.plots.Panel(ONE, [ESTIMATE])},), CLOUDS),
    "figures_of_table": (lambda: (estimates(),), CLOUDS),
    "differences": (
        lambda: (pairs(),),
        (*ROWS, *MARGINS, "simultaneous_low,y", "simultaneous_high,y"),
    ),
    "figures_of_differences": (lambda: (pairs(),), (*ROWS, *MARGINS)),
    "paired_cases": (lambda: (pairs(("A", "B")),), ("first", "second")),
    "bland_altman": (
        lambda: (pairs(("A", "B")),),
        ("x,y if kind == 'case'", "y", "low", "high"),
    ),
    "figures_of_pairs": (lambda: (pairs(),), ("first", "second")),
    "roc": (lambda: (of_scores("roc", **DRAWS),), CURVES),
    "pr": (lambda: (of_scores("pr", **DRAWS),), CURVES),
    "decision": (lambda: (of_scores("decision", **DRAWS),), CURVES),
    "calibration": (lambda: (of_scores("reliability-bins"),), ("x,y", "x,low", "x,high")),
    "figures_of_calibration": (
        lambda: (of_scores("reliability", **DRAWS),),
        ("x,low", "x,high", "y"),
    ),
    "confusion": (lambda: (classes(),), ("share",)),
    "detection_pr": (lambda: (curves("pr", ("a", "b")),), CURVES),
    # Its axis begins at 1/16.
    "froc": (
        lambda: (curves("froc", ("a",)),),
        (
            "x,y if drawn == 'line' and x >= 1 / 16",
            "x,y if drawn == 'point'",
            "x,low if drawn in ['point', 'band']",
            "x,high if drawn in ['point', 'band']",
        ),
    ),
    "afroc": (lambda: (curves("wafroc", ("a",)),), (*CURVES, "x,y if drawn == 'beyond'")),
    "over_thresholds": (
        lambda: (over_several(),),
        ("threshold,value", "threshold,low", "threshold,high"),
    ),
    "figures_over_thresholds": (lambda: (over_several(),), ("threshold,value", "threshold,low")),
    "matched_image": (lambda: (*boxed(), "worst"), ("x,y",)),
    "figure_of_worst_images": (boxed, ("x,y",)),
    "plan_curve": (
        lambda: (hw.planning.mean(0.1, halfwidth=0.02, method="t"),),
        ("n,halfwidth",),
    ),
    "subsample_means": (
        lambda: (subsamples(),),
        ("k,mean", "k,low", "k,high", "k,spread_low", "k,spread_high"),
    ),
    "subsample_halfwidths": (lambda: (subsamples(),), ("k,halfwidth", "k,boot_halfwidth")),
    "figure_of_subsamples": (lambda: (subsamples(),), ("k,mean", "k,low", "k,halfwidth")),
    "rank_sets": (lambda: (rankings(),), ("rank,y",)),
    "significance": (lambda: (rankings(),), ("x",)),
    "dots": (lambda: (rankings(),), ("x,y if kind in ['case', 'estimate']", "low", "high")),
    "case_heatmap": (lambda: (rankings(),), ("share",)),
    "heatmap": (lambda: (rankings(),), ("share",)),
    "blob": (lambda: (rankings(),), ("rank,y", "low,y", "high,y", "median,y")),
    "rank_lines": (lambda: (rankings(2),), ("x,y",)),
    "podium": (lambda: (rankings(),), ("x,y if kind == 'case'",)),
    "figures_of_rankings": (lambda: (rankings(2),), ("rank,y",)),
}


def drawn_on(ax: Any) -> tuple[Array, Array]:
    """Every point of what is drawn in the units of the axes, and the numbers of colours."""
    points = [np.asarray(line.get_xydata(), float) for line in ax.lines]
    colours = [np.empty(0)]
    for drawn in ax.collections:
        points += [np.asarray(path.vertices, float) for path in drawn.get_paths()]
        points.append(np.ma.filled(np.ma.asarray(drawn.get_offsets(), float), np.nan))
        if drawn.get_array() is not None:
            colours.append(np.ma.filled(drawn.get_array(), np.nan).ravel())
    points += [
        patch.get_patch_transform().transform(patch.get_path().vertices) for patch in ax.patches
    ]
    return np.concatenate([one.reshape(-1, 2) for one in points]), np.concatenate(colours)


def figures_in(drawn: Any) -> list[Any]:
    return [page.figure for page in (drawn if isinstance(drawn, list) else [drawn])]


def test_every_public_figure_has_an_example_and_a_caption_of_its_own() -> None:
    assert EXAMPLES.keys() == PUBLIC.keys()
    for name, figure in PUBLIC.items():
        assert figure.caption[0].isupper(), name
        assert not figure.caption.endswith("."), name


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_stands_in_the_frame_is_on_the_axes(name: str) -> None:
    given, places = EXAMPLES[name]
    frame = PUBLIC[name].frame(*given())
    assert isinstance(frame, pd.DataFrame)
    every = [drawn_on(ax) for page in figures_in(PUBLIC[name](*given())) for ax in page.axes]
    points = np.concatenate([points for points, _ in every])
    numbers = np.concatenate([points.ravel(), *(colours for _, colours in every)])
    for place in places:
        columns, _, rows = place.partition(" if ")
        some = frame.query(rows) if rows else frame
        wanted = some[columns.split(",")].dropna().to_numpy(float)
        known = points if wanted.shape[1] == 2 else numbers[:, np.newaxis]
        assert len(wanted), place
        known = known[np.isfinite(known).all(axis=1)]
        away = np.asarray(KDTree(known).query(wanted)[0])
        assert away.max() < 1e-9, (place, wanted[away.argmax()])


def test_the_command_line_offers_the_pictures_that_results_have() -> None:
    kinds = {of.__name__: tuple(own) for of, own in PICTURES.items()}
    assert kinds["Estimates"] == figures.KINDS
    assert kinds["Rankings"] == figures.RANKING_KINDS
    assert set(kinds["Comparisons"]) == {"forest", *comparison_options.OF_CASES}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_figure_is_pickled_by_its_name_and_does_not_change(name: str) -> None:
    assert pickle.loads(pickle.dumps(PUBLIC[name])) is PUBLIC[name]  # noqa: S301
    with pytest.raises(AttributeError, match="cannot be changed"):
        PUBLIC[name].caption = "something else"
