"""Every figure has a caption and a frame, and what stands in the frame is on its axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from detectioncurves import curves, over_several
from detectionscenes import boxed
from handmade import family

import halfwidth as hw
from halfwidth.cli import comparison_options, figures
from halfwidth.plots.figure import Figure
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
    return hw.estimate(hw.CaseValues.from_table(MODELS, metric="dsc"), keep_cases=True, **DRAWS)


def pairs(*names: tuple[str, str]) -> hw.Comparisons:
    return family(MODELS, names or [("A", "B"), ("C", "B")])


def rankings(tasks: int = 1) -> hw.Rankings:
    long = {"dsc": CASES.ravel(), "model": np.repeat([*"ABC"], 24)}
    long |= {"case": np.tile(np.arange(24), 3), "task": np.tile(np.arange(24) % tasks, 3)}
    by = ["task"] if tasks > 1 else []
    data = hw.CaseValues.from_table(long, "dsc", metric="dsc", case="case", model="model", by=by)
    return hw.rank(data, keep_cases=True, **DRAWS)


def of_scores(kind: Any, **how: Any) -> Any:
    return hw.curve(TRUTH, kind, y_score=SCORE, **how)


def classes() -> hw.Confusion:
    return hw.confusion_ci(TRUTH, (SCORE > 0.5).astype(int))


def subsamples() -> Any:
    return hw.planning.subsample(CASES[0], metric="dsc", sizes=[5, 10], repeats=9, **DRAWS)


# What each is drawn of, and the columns of its frame that are places on the axes; of maps their
# shares are the colours.
ONE = {"A": CASES[0]}
ESTIMATE = hw.summary_ci(CASES[0], metric="dsc", label="A")
EXAMPLES: dict[str, tuple[Callable[[], tuple[Any, ...]], str]] = {
    "forest": (lambda: (estimates(),), "x y low high"),
    "figures_of_forest": (lambda: (estimates(),), "x y low high"),
    "distribution": (lambda: (ONE, ESTIMATE), "x y low high"),
    "figure_of": (lambda: (ONE, ESTIMATE), "x y low high"),
    "figure_of_panels": (lambda: ({"a": hw.plots.Panel(ONE, [ESTIMATE])},), "x y low high"),
    "figure_of_table": (lambda: (estimates(),), "x y low high"),
    "differences": (
        lambda: (pairs(),),
        "x y low high simultaneous_low simultaneous_high margin_low margin_high",
    ),
    "figures_of_differences": (lambda: (pairs(),), "x y low high margin_low margin_high"),
    "paired_cases": (lambda: (pairs(("A", "B")),), "first second"),
    "bland_altman": (lambda: (pairs(("A", "B")),), "x y low high"),
    "figure_of_pairs": (lambda: (pairs(),), "first second"),
    "roc": (lambda: (of_scores("roc", **DRAWS),), "x y low high"),
    "pr": (lambda: (of_scores("pr", **DRAWS),), "x y low high"),
    "decision": (lambda: (of_scores("decision", **DRAWS),), "x y low high"),
    "calibration": (lambda: (of_scores("reliability-bins"),), "x y low high"),
    "figure_of_calibration": (lambda: (of_scores("reliability", **DRAWS),), "x low high"),
    "confusion": (lambda: (classes(),), "share"),
    "detection_pr": (lambda: (curves("pr", ("a", "b")),), "x y low high"),
    "froc": (lambda: (curves("froc", ("a",)),), "y low high"),
    "afroc": (lambda: (curves("wafroc", ("a",)),), "x y low high"),
    "over_thresholds": (lambda: (over_several(),), "value low high"),
    "figure_over_thresholds": (lambda: (over_several(),), "value low high"),
    "matched_image": (lambda: (*boxed(), "worst"), "x y"),
    "figure_of_worst_images": (boxed, "x y"),
    "plan_curve": (lambda: (hw.planning.mean_n(0.1, halfwidth=0.02, method="t"),), "n halfwidth"),
    "subsample_means": (lambda: (subsamples(),), "k mean low high spread_low spread_high"),
    "subsample_halfwidths": (lambda: (subsamples(),), "k halfwidth boot_halfwidth"),
    "figure_of_subsamples": (lambda: (subsamples(),), "mean low high halfwidth boot_halfwidth"),
    "rank_sets": (lambda: (rankings(),), "y rank"),
    "significance": (lambda: (rankings(),), "x"),
    "dots": (lambda: (rankings(),), "x y"),
    "case_heatmap": (lambda: (rankings(),), "share"),
    "heatmap": (lambda: (rankings(),), "share"),
    "blob": (lambda: (rankings(),), "y rank low high median"),
    "rank_lines": (lambda: (rankings(2),), "x y"),
    "podium": (lambda: (rankings(),), "x"),
    "figures_of_rankings": (lambda: (rankings(2),), "y rank"),
}


def numbers_on(ax: Any) -> list[float]:
    """Every coordinate of what is drawn in the units of the axes, and what colours stand for."""
    found: list[Any] = [line.get_xydata() for line in ax.lines]
    for drawn in ax.collections:
        found += [path.vertices for path in drawn.get_paths()]
        found += [drawn.get_offsets(), np.ma.filled(drawn.get_array(), np.nan)]
    for patch in ax.patches:
        found.append(patch.get_patch_transform().transform(patch.get_path().vertices))
    for inset in ax.child_axes:
        found.append(numbers_on(inset))
    flat = [np.asarray(one, dtype=float).ravel() for one in found if one is not None]
    return [float(number) for one in flat for number in one if np.isfinite(number)]


def figures_in(drawn: Any) -> list[Any]:
    return [page.figure for page in (drawn if isinstance(drawn, list) else [drawn])]


def test_every_public_figure_has_an_example_and_a_caption_of_its_own() -> None:
    assert EXAMPLES.keys() == PUBLIC.keys()
    for name, figure in PUBLIC.items():
        assert figure.caption[0].isupper(), name
        assert not figure.caption.endswith("."), name


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_stands_in_the_frame_is_on_the_axes(name: str) -> None:
    given, columns = EXAMPLES[name]
    frame = PUBLIC[name].frame(*given())
    assert isinstance(frame, pd.DataFrame)
    axes = [ax for page in figures_in(PUBLIC[name](*given())) for ax in page.axes]
    known = np.unique([number for ax in axes for number in numbers_on(ax)])
    for column in columns.split():
        wanted = pd.to_numeric(frame[column]).to_numpy(dtype=float)
        wanted = wanted[np.isfinite(wanted)]
        assert len(wanted), column
        away = np.abs(known[np.newaxis] - wanted[:, np.newaxis]).min(axis=1)
        assert away.max() < 1e-9, (column, wanted[away.argmax()])


def test_the_command_line_offers_the_pictures_that_results_have() -> None:
    kinds = {of.__name__: tuple(own) for of, own in PICTURES.items()}
    assert kinds["Estimates"] == figures.KINDS
    assert kinds["Rankings"] == figures.RANKING_KINDS
    assert set(kinds["Comparisons"]) == {"forest", *comparison_options.OF_CASES}
