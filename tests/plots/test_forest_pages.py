"""Forests of several metrics and of long tables: panels, pages, order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import halfwidth as hw
from halfwidth.plots import figures_of_differences, figures_of_forest

RNG = np.random.default_rng(0)
VALUES = RNG.beta(9, 1, 40)
LIVER, SPLEEN = (
    hw.summary_ci(VALUES * factor, metric="dsc", method="t", label=label)
    for factor, label in ((0.9, "liver"), (1.0, "spleen"))
)
FAR, NEAR = (
    hw.summary_ci(VALUES * factor, metric="hd95", method="t", label=label)
    for factor, label in ((9, "liver"), (1, "spleen"))
)
SPREAD = hw.summary_ci(VALUES, metric="dsc", statistic="sd", label="liver", rng=1, n_resamples=99)
# One estimate a level would be no group.
MANY = [
    replace(LIVER, value=0.5 + k / 100, by={"model": f"m{k % 2}"}, label=f"m{k % 2} / part {k}")
    for k in range(30)
]


def titles(figure: Figure) -> list[str]:
    return [ax.get_title(loc="left") for ax in figure.axes]


def test_each_metric_and_scale_has_a_panel_with_its_unit() -> None:
    (figure,) = figures_of_forest([LIVER, SPLEEN, SPREAD, FAR, NEAR])
    assert titles(figure) == ["DSC", "Spread of DSC", "HD95"]
    assert [ax.get_xlabel() for ax in figure.axes][::2] == ["mean DSC", "mean HD95 [mm]"]
    assert [len(ax.get_yticklabels()) for ax in figure.axes] == [2, 1, 2]
    low, high = figure.axes[1].get_xlim()
    assert high - low < 0.5 < figure.axes[2].get_xlim()[1]


def test_metrics_of_one_scale_share_a_panel_where_each_has_one_estimate() -> None:
    truth, score = np.arange(60) % 2, np.arange(60) % 7
    table = hw.metric_ci(
        truth,
        score > 2,
        metric=["accuracy", "f1", "mcc"],
        method="percentile",
        rng=1,
        n_resamples=99,
    )
    (figure,) = figures_of_forest(table)
    # The rows name the metrics.
    assert titles(figure) == ["", ""]
    first = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert first == ["accuracy", "F1"]
    assert figure.axes[0].get_xlabel() == "value"


def test_long_tables_are_grouped_sorted_and_split_into_pages_of_one_axis() -> None:
    frame = figures_of_forest.frame(MANY, by="model", sort=True, rows=20)
    assert frame.groupby("page").size().tolist() == [18, 12]
    assert frame["title"].unique().tolist() == ["DSC (1 of 2)", "DSC (2 of 2)"]
    for _, part in frame.groupby("heading"):
        assert part["x"].is_monotonic_decreasing
    assert sorted(frame["x"]) == sorted(e.value for e in MANY)
    pages = figures_of_forest(MANY, by="model", sort=True, rows=20)
    assert len(pages) == 2
    assert pages[0].axes[0].get_xlim() == pages[1].axes[0].get_xlim()
    assert "best first within each model" in [text.get_text() for text in pages[0].axes[0].texts]
    given = figures_of_forest.frame(MANY, rows=40)
    assert given["x"].tolist() == [e.value for e in MANY]


def test_the_best_distance_is_the_shortest() -> None:
    assert figures_of_forest.frame([FAR, NEAR], sort=True)["text"].tolist() == ["spleen", "liver"]
    assert figures_of_forest.frame([LIVER, SPLEEN], sort=True)["text"].tolist() == [
        "spleen",
        "liver",
    ]


def test_a_column_has_no_room_for_more_than_the_numbers() -> None:
    long = replace(LIVER, label="a_model_with_a_long-name_of-its-own")
    (figure,) = figures_of_forest([long, SPLEEN], width="column")
    assert figure.get_size_inches()[0] == pytest.approx(8.5 / 2.54)
    (ax,) = figure.axes
    figure.draw_without_rendering()
    assert ax.bbox.width > 0.2 * figure.bbox.width
    texts = {text.get_text() for text in ax.texts}
    assert not any(text.startswith("n = ") for text in texts)
    assert "estimate (95 % CI)" in texts
    assert ax.get_yticklabels()[0].get_text().count("\n") == 1


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(hw.OptionError, match="at least one estimate"):
        figures_of_forest([])
    with pytest.raises(hw.OptionError, match="rows=5 must be an integer ≥ 10"):
        figures_of_forest([LIVER], rows=5)
    with pytest.raises(hw.OptionError, match="figures_of_forest"):
        hw.plots.forest([LIVER, FAR])
    assert isinstance(figures_of_forest.frame(LIVER), pd.DataFrame)


def test_differences_of_many_families_are_pages_of_one_axis() -> None:
    organs = ("liver", "spleen", "aorta", "colon")
    rows = [
        (case, organ, name, float(value ** (1 + k)))
        for organ in organs
        for k, name in enumerate("abc")
        for case, value in enumerate(VALUES[:12])
    ]
    table = pd.DataFrame(rows, columns=["case", "organ", "model", "dsc"])
    of_organs = hw.compare(
        hw.CaseValues.from_table(table, "dsc", metric="dsc", by="organ"), method="t", rng=1
    )
    pages: list[Any] = figures_of_differences(of_organs, rows=10)
    labels = [[text.get_text() for text in page.axes[0].get_yticklabels()] for page in pages]
    pairs = ["  a − b", "  a − c", "  b − c"]
    assert labels == [["liver", *pairs, "spleen", *pairs], ["aorta", *pairs, "colon", *pairs]]
    assert len({page.axes[0].get_xlim() for page in pages}) == 1
    assert len(figures_of_differences(of_organs)) == 1
    with pytest.raises(hw.OptionError, match="integer ≥ 10"):
        figures_of_differences(of_organs, rows=3)
    with pytest.raises(hw.OptionError, match="at least one comparison"):
        figures_of_differences([])
