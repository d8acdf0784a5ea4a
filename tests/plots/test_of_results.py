"""`halfwidth.plot`: the picture of a result that the command line draws, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from over_data import over

import halfwidth as hw

DICE = np.linspace(0.7, 0.95, 12)
OTHER = DICE[::-1] - 0.03
TRUTH = np.arange(40) % 2
SCORE = np.where(TRUTH == 1, 0.6, 0.4) + np.sin(np.arange(40)) / 4


RESULTS: dict[str, Callable[[], Any]] = {
    "an estimate": lambda: hw.summary_ci(DICE, metric="dsc"),
    "estimates with their cases": lambda: hw.estimate(
        hw.CaseValues.from_table({"A": DICE, "B": OTHER}, metric="dsc")
    ),
    "a difference": lambda: hw.difference_ci(DICE, OTHER, metric="dsc"),
    "one of several differences": lambda: hw.compare(DICE, OTHER, metric="dsc")[0],
    "limits of agreement": lambda: hw.limits_of_agreement(DICE, OTHER, metric="dsc"),
    "a curve": lambda: hw.curve(TRUTH, "roc", y_score=SCORE, n_resamples=49, rng=1)[0],
    "a confusion matrix": lambda: hw.confusion_ci(TRUTH, (SCORE > 0.5).astype(int)),
    "a plan": lambda: hw.planning.mean(0.1, halfwidth=0.02, method="t"),
    "subsamples": lambda: hw.planning.subsample(DICE, sizes=[4], repeats=9, rng=1),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_draws_itself(name: str) -> None:
    result = RESULTS[name]()
    figure = result.plot()
    assert isinstance(figure, Figure)
    assert figure.axes
    assert len(hw.plot(result).axes) == len(figure.axes)
    assert all(one.startswith(b"\x89PNG") for one in result.pictures())


def dots_in(figure: Figure) -> int:
    drawn: list[Any] = list(figure.axes[0].collections)
    return sum(len(one.get_offsets()) for one in drawn)


def test_values_are_drawn_where_they_were_kept() -> None:
    kept = RESULTS["estimates with their cases"]()
    bare = hw.Estimates(tuple(kept))
    assert len(kept.plot().axes) == len(kept.plot("distribution").axes)
    # A raincloud has a dot for each of 24 cases, a forest has none of them.
    assert dots_in(kept.plot()) >= 24 > dots_in(bare.plot())


def test_other_pictures_have_names() -> None:
    estimate = RESULTS["an estimate"]()
    assert isinstance(hw.plot(estimate, "forest"), Figure)
    with pytest.raises(hw.OptionError, match="did you mean 'forest'"):
        hw.plot(estimate, "forrest")


@pytest.mark.parametrize(
    ("name", "kind", "remedy"),
    [
        (
            "an estimate",
            "distribution",
            "estimate returns have: plot(estimates[:1], 'distribution')",
        ),
        (
            "one of several differences",
            "cases",
            "compare returns have: plot(differences[:1], 'cases')",
        ),
    ],
)
def test_one_result_has_no_values_of_cases(name: str, kind: str, remedy: str) -> None:
    with pytest.raises(hw.OptionError) as caught:
        hw.plot(RESULTS[name](), kind)
    assert remedy in str(caught.value)


def texts_of(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.texts]


def test_the_first_of_several_pages_says_how_to_draw_the_next() -> None:
    one = hw.summary_ci(DICE)
    estimates = hw.Estimates(tuple(replace(one, label=f"organ {i}") for i in range(45)))
    shown = estimates.plot()
    assert texts_of(shown) == ["page 1 of 2; plot(…, page=2) draws the next"]
    # Above all else, and none of it cut off.
    shown.draw_without_rendering()
    (line,) = (text.get_window_extent() for text in shown.texts)
    assert line.y1 <= shown.bbox.y1
    boxes: list[Any] = [ax.get_tightbbox() for ax in shown.axes]
    assert line.y0 >= max(box.y1 for box in boxes)
    second = estimates.plot(page=2)
    assert texts_of(second) == []
    labels = [*labels_of(shown.axes[0]), *labels_of(second.axes[0])]
    assert labels == [f"organ {i}" for i in range(45)]
    with pytest.raises(hw.OptionError, match="page=9"):
        estimates.plot(page=9)


def test_what_has_no_picture_says_so() -> None:
    audit = over(hw.check, hw.CaseValues.from_table)(
        {"case": ["a", "b", "c"], "dice": [91.0, 88.5, 12.0]}
    )
    with pytest.raises(hw.OptionError, match="Audit has no picture"):
        hw.plot(audit)
    with pytest.raises(hw.OptionError, match="is not a result"):
        hw.plot([0.9, 0.8])  # type: ignore[arg-type]


def table(models: int, organs: tuple[str, ...] = ("",)) -> hw.CaseValues:
    """Values of two metrics."""
    rng = np.random.default_rng(1)
    rows = [
        (f"c{i}", f"model {model}", organ, metric, value * (30 if metric == "hd95" else 1))
        for model in range(models)
        for organ in organs
        for metric in ("dsc", "hd95", "nsd")
        for i, value in enumerate(rng.beta(5 + (7 * model) % 4, 2, 12))
        if metric != "nsd" or organs == ("",)
    ]
    named = pd.DataFrame(rows, columns=["case", "model", "organ", "metric", "value"])
    return hw.CaseValues.from_table(named, by="organ" if len(organs) > 1 else [])


def labels_of(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def test_a_forest_that_says_best_first_is_sorted_within_each_metric() -> None:
    estimates = hw.estimate(table(3))
    page = estimates.plot("forest")
    for ax, metric, sign in zip(page.axes, ("dsc", "hd95", "nsd"), (-1, 1, -1), strict=True):
        own = [e for e in estimates if e.metric == metric]
        best_first = sorted(own, key=lambda e: sign * e.value)
        assert labels_of(ax) == [e.label for e in best_first]
    assert any(text.get_text().startswith("best first") for text in page.axes[-1].texts)
    grouped = hw.estimate(table(3, ("liver", "spleen"))).plot("forest")
    notes = [text.get_text() for text in grouped.axes[-1].texts]
    assert any(note.startswith("best first within each model") for note in notes)


def test_every_page_of_a_ranking_names_its_metric() -> None:
    rankings = hw.rank(table(3), rng=1, n_resamples=49)
    for page, metric in enumerate(("DSC", "HD95", "NSD"), 1):
        drawn = rankings.plot("significance", page=page)
        note = drawn.legends[0].get_title().get_text()
        assert note.startswith(f"mean {metric}"), note


@pytest.mark.slow
def test_a_report_holds_all_pages_of_its_pictures() -> None:
    whole = hw.report(table(3), n_resamples=49, rng=1).to_html()
    # The values of each metric, and the ranks by each: a page for each metric.
    assert whole.count("<img ") == 6
    for number in (1, 2, 3):
        assert f"(page {number} of 3)" in whole


def test_a_class_without_a_curve_says_why() -> None:
    truth = np.array(list("abc") * 10)
    score = np.tile([0.6, 0.4, 0.0], (30, 1)) + np.outer(np.sin(np.arange(30)) / 5, [1, -1, 0])
    curves = hw.curve(truth, "reliability", y_score=score, average="none", n_resamples=19, rng=1)
    words = [" ".join(text.get_text() for text in ax.texts) for ax in curves.plot().axes]
    assert ["no curve" in said for said in words] == [False, False, True]
    assert "no curve: the model gives all\ncases one probability" in words[2]


def test_a_notebook_is_given_the_picture_itself() -> None:
    shown = RESULTS["an estimate"]().plot()
    assert shown._repr_png_().startswith(b"\x89PNG")
