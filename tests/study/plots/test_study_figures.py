"""What stands in the frames, and that the artists are made of it."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.text import Text
from studycells import SIZES, cells_of, sets_of

from halfwidth import METHODS, METRICS, SAMPLE_METRICS, Bounds
from halfwidth.core.spec import Estimand
from halfwidth.core.types import Level
from halfwidth.intervals import empirical_bernstein, hoeffding, t
from halfwidth.plots import write_figure
from halfwidth.study import plots as study
from halfwidth.study.plots import (
    METHOD_STYLES,
    METRIC_STYLES,
    NotThereError,
    basic_shift,
    bca_median,
    characteristics,
    coverage_boxes,
    failures_figure,
    figures_of,
    graph,
    method_styles,
    micro_macro,
    series_styles,
    targets_of,
    theoretical_width,
)
from halfwidth.study.plots.own_styles import METHODS_DRAWN, PLACES, SHORT_TITLES
from halfwidth.study.plots.styles import method_groups

CELLS, SETS = cells_of(), sets_of()
BOTH = pd.concat([CELLS, SETS], ignore_index=True)
MEAN_DSC = targets_of(CELLS)[0]


class Drawn(NamedTuple):
    figure: Any
    frame: pd.DataFrame


def both(figure: Any, *given: Any) -> Drawn:
    return Drawn(figure(*given), figure.frame(*given))


def named(cells: pd.DataFrame) -> dict[str, Any]:
    """The figures of a study, whose instances that fail have cases."""
    cases = lambda names: {name: np.linspace(0.2, 1, 30) for name in names}  # noqa: E731
    return {figure.name: figure for figure in figures_of(cells, cases)}


# One instance fails.
FAILED = BOTH["instance"] == BOTH["instance"].iloc[0]
FIGURES = named(BOTH.assign(coverage=BOTH["coverage"].mask(FAILED, 0.3)))
# One of each family; the others are drawn by the same functions.
KINDS = [
    *("coverage-dsc-mean", "width-f1-macro", "boxes-accuracy"),
    *("overview-width-test-sets", "metrics-coverage", "micro-macro", "location-dispersion"),
    *("segmentation-classification", "bca-median", "sample-needs"),
    *("characteristics", "characteristics-test-sets"),
    *("concentration-dsc", "pace-by-metric", "skewness-by-metric", "pace-errors-test-sets"),
    *("p-values-mean", "p-values-segmentation-classification-macro", "failures-dsc"),
    "p-values-tasks-mean",
]


@functools.cache
def drawn_once(name: str) -> Drawn:
    """A figure that several tests look at."""
    return Drawn(*FIGURES[name].drawn())


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_figure_can_be_drawn(name: str) -> None:
    drawn = drawn_once(name)
    drawn.figure.draw_without_rendering()
    assert len(drawn.frame)


def test_a_figure_can_be_opened(tmp_path: Path) -> None:
    write_figure(drawn_once("coverage-dsc-mean").figure, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG\r\n")


def test_there_is_a_graph_of_coverage_and_one_of_width_for_each_target() -> None:
    for family in ("coverage-", "width-", "boxes-"):
        assert sum(name.startswith(family) for name in FIGURES) == len(targets_of(BOTH)) == 11
    assert {"coverage-accuracy", "width-f1-micro", "boxes-nsd-sd"} <= FIGURES.keys()


# ------------------------------------------------------------------------------- lines


def panels(drawn: Drawn) -> list[tuple[Any, pd.DataFrame]]:
    columns = int(drawn.frame["column"].max()) + 1
    return [
        (drawn.figure.axes[int(part["row"].iloc[0] * columns + part["column"].iloc[0])], part)
        for _, part in drawn.frame.groupby(["row", "column"])
    ]


@pytest.mark.parametrize(
    "drawn",
    [
        both(graph, CELLS, MEAN_DSC, "coverage"),
        both(graph, CELLS, MEAN_DSC, "width"),
        both(micro_macro, SETS, "t"),
    ],
)
def test_lines_and_bands_hold_the_numbers_of_the_frame_and_no_others(drawn: Drawn) -> None:
    for ax, part in panels(drawn):
        lines = {line.get_gid(): line for line in ax.lines if line.get_gid() != "level"}
        bands = {band.get_gid(): band for band in ax.collections}
        assert lines.keys() == bands.keys() == set(part["series"])
        for name, rows in part.groupby("series"):
            np.testing.assert_array_equal(lines[name].get_xydata(), rows[["n", "median"]])
            heights = {float(y) for _, y in bands[name].get_paths()[0].vertices}
            assert heights == {*rows["q1"], *rows["q3"]}


def test_medians_and_quartiles_are_those_of_the_instances() -> None:
    frame = graph.frame(CELLS, MEAN_DSC, "coverage")
    row = frame[(frame["series"] == "bca") & (frame["n"] == 25)].iloc[0]
    own = CELLS.query("metric == 'dsc' and statistic == 'mean' and method == 'bca' and n == 25")
    expected = own["coverage"].quantile([0.25, 0.5, 0.75]).tolist()
    np.testing.assert_allclose(row[["q1", "median", "q3"]].astype(float), expected, rtol=1e-12)
    assert row["instances"] == 6


def test_undefined_coverages_are_left_out_and_infinite_widths_not_drawn() -> None:
    cells = CELLS.assign(width_mean=np.where(CELLS["n"] == 10, np.inf, CELLS["width_mean"]))
    cells.loc[cells["instance"] == "model/task0/dsc", "coverage"] = np.nan
    assert set(graph.frame(cells, MEAN_DSC, "coverage")["instances"]) == {5}
    drawn = both(graph, cells, MEAN_DSC, "width")
    assert np.isinf(drawn.frame.loc[drawn.frame["n"] == 10, "median"]).all()
    for line in drawn.figure.axes[0].lines:
        assert np.isnan(line.get_ydata()[0])
        assert np.isfinite(line.get_ydata()[1:]).all()


def test_the_axis_of_coverage_shows_the_level_and_says_what_it_leaves_out() -> None:
    cells = CELLS.assign(coverage=np.where(CELLS["method"] == "basic", 0.3, CELLS["coverage"]))
    ax: Any
    (ax,) = graph(cells, MEAN_DSC, "coverage").axes
    assert 0.45 < ax.get_ylim()[0] <= 0.5
    assert "95" in [label.get_text() for label in ax.get_yticklabels()]
    (level,) = [line for line in ax.lines if line.get_gid() == "level"]
    assert list(level.get_ydata()) == [0.95, 0.95]
    note = ax.figure.legends[0].get_title().get_text().replace("\n", " ")
    assert "below 50 % is not shown (basic)" in note
    # Where BCa fails, its fall is what is to be seen.
    failed = CELLS.assign(coverage=np.where(CELLS["method"] == "bca", 0.2, CELLS["coverage"]))
    assert bca_median(failed).axes[0].get_ylim()[0] < 0.2


def test_averages_by_other_names_stand_together() -> None:
    frame = micro_macro.frame(SETS, "percentile")
    titles = list(dict.fromkeys(frame["panel"]))
    assert titles[0] == "balanced accuracy (macro), accuracy (micro): coverage"
    assert titles[1::2] == ["balanced accuracy (macro), accuracy (micro): width", "F1: width"]
    with pytest.raises(NotThereError, match="no metric of test sets has both"):
        micro_macro(CELLS, "percentile")


def test_segmentation_beside_classification_needs_both() -> None:
    frame = study.segmentation_classification.frame(BOTH, "t", ["macro"], ["mean", "median"])
    assert set(frame["series"]) == {"DSC", "NSD", "balanced accuracy", "macro F1"}
    assert frame.groupby(["row", "column"]).ngroups == 4
    with pytest.raises(NotThereError, match="give both stores"):
        study.segmentation_classification.frame(SETS, "t", ["macro"], ["mean"])


def test_an_overview_has_a_row_for_each_statistic_and_a_column_for_each_metric() -> None:
    frame = study.overview.frame(CELLS, targets_of(CELLS), "coverage")
    panel = frame.set_index(["row", "column"])["panel"]
    assert panel[1, 0].unique().tolist() == ["median DSC"]
    assert panel[2, 1].unique().tolist() == ["SD of NSD"]


def test_statistics_and_shifts_are_those_that_are_there() -> None:
    assert set(study.location_dispersion.frame(CELLS, "t")["series"]) == {"mean", "median", "SD"}
    frame = basic_shift.frame(CELLS)
    assert set(frame["series"]) == {"percentile", "bca", "basic"}
    shifts = frame[(frame["quantity"] == "shift") & (frame["series"] == "basic")]
    own = CELLS.query("metric == 'dsc' and statistic == 'mean' and method == 'basic'")
    expected = own.groupby("n")["centre_shift"].median()
    found = shifts[shifts["panel"] == "mean DSC"].set_index("n")["median"]
    np.testing.assert_allclose(found, expected[found.index], rtol=1e-12)


def test_one_sided_intervals_have_no_width_and_no_middle() -> None:
    cells = BOTH.assign(alternative="lower")
    own = named(cells)
    for name in ("basic-shift", "sample-needs", "width-dsc-mean", "overview-width"):
        with pytest.raises(NotThereError, match="one-sided intervals only"):
            own[name].drawn()
    for name in ("micro-macro", "segmentation-classification", "coverage-dsc-mean"):
        assert set(own[name].drawn()[1]["quantity"]) == {"coverage"}
    # Beside two-sided ones they are left out.
    mixed = named(pd.concat([CELLS, CELLS.assign(alternative="lower")]))
    with pytest.raises(NotThereError, match="one-sided intervals only"):
        mixed["width-dsc-mean-lower"].drawn()
    assert len(mixed["width-dsc-mean-two-sided"].drawn()[1])


def test_where_medians_reach_what_is_wanted_and_stay() -> None:
    flat = cells_of(metrics=["dsc"], instances=1, methods=["t"], statistics=["mean"])
    cells = flat.assign(coverage=[0.93, 0.91, 0.94], width_mean=[0.3, 0.2, 0.1])
    frame = study.sample_needs.frame(cells, "t", coverage=0.925, width=0.2)
    reached = frame[frame["reached"]].set_index("quantity")["n"].to_dict()
    # 10 cases cover enough, and 25 do not.
    assert reached == {"coverage": 50, "width": 25}
    assert not study.sample_needs.frame(cells, "t", coverage=0.96, width=0.01)["reached"].any()


# ------------------------------------------------------------------------------- boxes


def test_boxes_and_points_hold_the_numbers_of_the_frame() -> None:
    drawn = both(coverage_boxes, CELLS, MEAN_DSC)
    (ax,) = drawn.figure.axes
    lines = {line.get_gid(): line for line in ax.lines if line.get_gid()}
    for name, rows in drawn.frame.groupby("series"):
        box, point = rows[rows["drawn"] == "box"], rows[rows["drawn"] == "point"]
        np.testing.assert_array_equal(lines[f"medians {name}"].get_xydata(), box[["x", "median"]])
        np.testing.assert_array_equal(lines[f"points {name}"].get_xydata(), point[["x", "value"]])
    patches = [patch for patch in ax.patches if patch.get_gid() == "t"]
    ends = [(p.get_path().vertices[:, 1].min(), p.get_path().vertices[:, 1].max()) for p in patches]
    boxes = drawn.frame[(drawn.frame["drawn"] == "box") & (drawn.frame["series"] == "t")]
    assert ends == list(zip(boxes["q1"], boxes["q3"], strict=True))


def test_whiskers_end_within_one_and_a_half_times_the_box_and_what_is_beyond_is_counted() -> None:
    cells = cells_of(metrics=["dsc"], instances=8, methods=["t"], statistics=["mean"])
    cells = cells[cells["n"] == 10]
    cells = cells.assign(coverage=[0.2, 0.8, 0.9, 0.91, 0.92, 0.93, 0.94, 0.999])
    frame = coverage_boxes.frame(cells, MEAN_DSC)
    (box,) = frame[frame["drawn"] == "box"].to_dict("records")
    # Q1 = 0.875, Q3 = 0.9325, of type 7: positions 1.75 and 5.25; the fences 0.78875, 1.01875.
    assert box["q1"] == pytest.approx(0.875)
    assert box["q3"] == pytest.approx(0.9325)
    assert (box["whisker_low"], box["whisker_high"]) == (0.8, 0.999)
    assert (box["below"], box["above"], box["instances"]) == (1, 1, 8)
    assert (frame["drawn"] == "point").sum() == 6


def test_fewer_than_five_instances_are_points_without_a_box() -> None:
    cells = CELLS[~CELLS["instance"].str.contains("task[45]")]
    drawn = both(coverage_boxes, cells, MEAN_DSC)
    (ax,) = drawn.figure.axes
    gids = {line.get_gid() for line in ax.lines}
    assert {"few t", "few bca"} <= gids
    assert not [patch for patch in ax.patches if patch.get_gid() == "t"]
    assert not {"medians t", "points t"} & gids
    points = drawn.frame[(drawn.frame["drawn"] == "point") & (drawn.frame["series"] == "t")]
    (line,) = [line for line in ax.lines if line.get_gid() == "few t"]
    np.testing.assert_array_equal(line.get_xydata(), points[["x", "value"]])
    assert (
        drawn.frame.loc[drawn.frame["drawn"] == "box", ["q1", "q3", "whisker_low"]]
        .isna()
        .all(axis=None)
    )
    said = "Of fewer than 5 instances: points alone."
    for one, few in ((drawn, True), (both(coverage_boxes, CELLS, MEAN_DSC), False)):
        note = one.figure.legends[0].get_title().get_text().replace("\n", " ")
        assert (said in note) == few
    clouds = named(cells)["pace-by-metric"].drawn()[0]
    assert {p.get_gid() for p in clouds.axes[0].patches} == {"normal"}
    assert [t.get_text() for t in clouds.axes[0].get_xticklabels()] == ["DSC", "NSD"]


def test_the_line_of_t_does_not_look_like_a_quartile() -> None:
    ax: Any = study.concentration(CELLS, MEAN_DSC).axes[1]
    (line,) = [line for line in ax.lines if line.get_gid() == "t"]
    assert (line.get_linestyle(), list(line.get_ydata())) == ("-", [1, 1])
    assert "t" in [text.get_text() for text in ax.texts]


def test_characteristics_are_those_of_the_instances_each_once() -> None:
    frame = characteristics.frame(CELLS)
    points = frame[(frame["drawn"] == "point") & (frame["panel"] == "skewness")]
    own = CELLS.drop_duplicates("instance")
    assert sorted(points["value"]) == sorted(own["population_skewness"])


def test_populations_by_formula_have_no_cases_and_no_range_of_normal_samples() -> None:
    cells = CELLS.assign(n_cases=pd.array([pd.NA] * len(CELLS), dtype="Int64"))
    drawn = both(characteristics, cells)
    note = drawn.figure.legends[0].get_title().get_text()
    assert "Grey" not in note
    assert not [a for ax in drawn.figure.axes for a in ax.patches if a.get_gid() == "normal"]
    # Where some have cases, the range is that of their median size.
    some = cells.assign(n_cases=cells["n_cases"].where(cells["metric"] == "nsd", 80))
    text = characteristics(some).legends[0].get_title().get_text()
    assert "normal samples of 80 cases" in text.replace("\n", " ")


# ------------------------------------------------------------------------------- others


@pytest.mark.parametrize("n", [2, 10, 1000])
def test_widths_by_formula_are_those_of_our_intervals(n: int) -> None:
    values = np.random.default_rng(n).beta(3, 1, n)
    sd, level, bounds = values.std(ddof=1), Level(0.95), Bounds(0, 1)
    made = {
        "hoeffding": hoeffding(values, bounds, level),
        "empirical_bernstein": empirical_bernstein(values, bounds, level),
        "t": t(values.mean(), sd / np.sqrt(n), n - 1, level),
    }
    for name, interval in made.items():
        (width,) = theoretical_width(name, np.array([float(n)]), sd, bounds, level)
        assert width == pytest.approx(float(interval.high - interval.low), rel=1e-12)


def test_far_out_empirical_bernstein_is_half_as_wide_again_as_t() -> None:
    # At 10⁹ the term in 1/n is not yet gone.
    # √(2 ln 80) / 1.959964 = 1.5104 (André et al., Table S5).
    frame = study.concentration.frame(CELLS, MEAN_DSC)
    last = frame[(frame["panel"] == "ratio") & (frame["n"] == 1e9)]
    bernstein = last[last["method"] == "empirical_bernstein"]["value"]
    np.testing.assert_allclose(bernstein, 1.5104, atol=2e-3)
    hoeffding_ = last[(last["method"] == "hoeffding")]
    np.testing.assert_allclose(hoeffding_["value"] * hoeffding_["sd"], 0.6929, atol=5e-4)


def made_tests(p: list[float], n: list[int]) -> pd.DataFrame:
    """As of `pace_tests`, for DSC, NSD and HD95."""
    made = pd.DataFrame({"a": ["dsc", "dsc", "nsd"], "b": ["nsd", "hd95", "hd95"], "n": n, "p": p})
    count = int(made["p"].notna().sum())
    made = made.assign(mean_a=[-0.5, -0.5, -0.8], mean_b=[-0.8, -0.2, -0.2], tasks=3)
    made = made.assign(p_bonferroni=count * made["p"])
    return made.assign(
        difference=made["mean_a"] - made["mean_b"], significant=made["p_bonferroni"] < 0.05
    )


def test_only_tests_that_were_made_are_counted_and_what_they_are_of_is_said() -> None:
    drawn = both(study.p_values, made_tests([0.2, 2e-5, np.nan], [9, 40, 0]), "pace")
    note = drawn.figure.legends[0].get_title().get_text().replace("\n", " ")
    assert "p of 2 tests by permutations of instances." in note
    assert "(p < 0.025)" in note
    row = drawn.frame.iloc[1]
    assert (row["n"], row["tasks"], row["level"]) == (40, 3, "instance")
    assert row[["mean_a", "mean_b", "difference"]].tolist() == [-0.5, -0.2, -0.3]


def test_pairs_too_few_for_a_small_p_have_a_dash_and_the_note_says_so() -> None:
    drawn = both(study.p_values, made_tests([0.0625, 0.03125, 0.5], [5, 6, 20]), "pace")
    assert drawn.frame["text"].tolist() == ["-", "0.031", "0.500"]
    assert drawn.frame["p"].tolist() == [0.0625, 0.03125, 0.5]
    note = drawn.figure.legends[0].get_title().get_text().replace("\n", " ")
    assert "-: fewer than 6 instances, which give no p below 0.05." in note
    # Of tasks there are three, whatever the number of instances.
    of_tasks = both(study.p_values, made_tests([0.25, 0.25, 0.25], [20, 20, 20]), "pace", "task")
    assert set(of_tasks.frame["text"]) == {"-"}


def test_p_values_are_written_and_marked_by_more_than_colour() -> None:
    tests = made_tests([0.2, 2e-5, np.nan], [9, 40, 0])
    (ax,) = (drawn := both(study.p_values, tests, "pace")).figure.axes
    assert drawn.frame["text"].tolist() == ["0.200", "2e-5 *", "-"]
    assert [text.get_text() for text in ax.texts] == ["0.200", "2e-5 *", "-"]
    assert [text.get_position() for text in ax.texts] == [(0, 0), (0, 1), (1, 1)]
    edges = [patch.get_linewidth() for patch in ax.patches]
    assert edges[1] > edges[0] == edges[2]


def test_the_bins_of_failing_instances_hold_all_their_cases() -> None:
    failing = pd.DataFrame({"instance": ["b", "a"], "coverage": [0.8, 0.5]})
    values = {"a": np.array([0.0, 0.5, 1.0]), "b": np.array([0.99, 0.01])}
    frame = failures_figure.frame(failing, values, MEAN_DSC)
    assert list(dict.fromkeys(frame["instance"])) == ["a", "b"]
    assert frame.groupby("instance")["count"].sum().to_dict() == {"a": 3, "b": 2}
    assert (frame["low"].min(), frame["high"].max()) == (0, 1)
    with pytest.raises(NotThereError, match="no instance has a coverage far below"):
        failures_figure.frame(failing.head(0), values, MEAN_DSC)


def test_outliers_of_failing_instances_are_counted_and_seen() -> None:
    cases = np.concatenate([np.linspace(0.7, 0.9, 97), [0.1, 0.1, 0.2]])
    name = "a-very-long-name-of-a-model/and-of-a-task-with-many-structures/dsc"
    names = [f"{name}{place}" for place in range(3)]
    failing = pd.DataFrame({"instance": names, "coverage": 0.8})
    drawn = both(failures_figure, failing, dict.fromkeys(names, cases), MEAN_DSC, "t", 50)
    assert set(drawn.frame["outliers"]) == {3}
    drawn.figure.draw_without_rendering()
    right = drawn.figure.bbox.x1
    for ax in drawn.figure.axes:
        title = ax.get_title(loc="left")
        assert title.splitlines()[1:] == ["coverage 80 %", "3 of 100 below Q1 − 1.5 IQR"]
        assert ax._left_title.get_window_extent().x1 <= right
        # A bar of one case has a tenth of the height or more.
        heights = ax.transAxes.inverted().transform(ax.transData.transform([(0, 0), (0, 1)]))
        assert heights[1, 1] - heights[0, 1] > 0.1
    # Of distances those are bad that are large.
    far = targets_of(cells_of(metrics=["hd95"], statistics=["mean"]))[0]
    assert set(
        failures_figure.frame(failing, dict.fromkeys(names, 1 - cases), far)["outliers"]
    ) == {3}
    assert set(failures_figure.frame(failing, dict.fromkeys(names, cases), far)["outliers"]) == {0}


def test_own_styles_are_of_methods_and_metrics_that_there_are() -> None:
    assert METHODS_DRAWN.keys() | SHORT_TITLES.keys() <= set(METHODS.names)
    assert PLACES.keys() <= {*METRICS.names, *SAMPLE_METRICS.names}


def test_methods_that_stand_in_one_figure_never_share_a_colour() -> None:
    for estimand in Estimand:
        own = [
            METHOD_STYLES[m.name]
            for m in METHODS
            if estimand in m.accepts and m.name in METHODS_DRAWN
        ]
        assert len({style.colour for style in own}) == len(own), estimand
    colours = [style.colour for style in METHOD_STYLES.values()]
    assert max(colours.count(colour) for colour in colours) <= 2
    assert colours.count(METHOD_STYLES["auto"].colour) == 1, "it stands beside any other"
    styles = method_styles([*METHOD_STYLES, *(f"mine{place}" for place in range(12))])
    assert len({(style.colour, style.stroke) for style in styles.values()}) == len(styles)
    assert len({(style.colour, style.marker) for style in METHOD_STYLES.values()}) == len(
        METHOD_STYLES
    )
    assert all("_" not in style.label for style in METHOD_STYLES.values())
    # The bootstraps of most figures differ in stroke and in marker.
    usual = [styles[name] for name in ("percentile", "bca", "basic")]
    assert len({style.stroke for style in usual}) == len({style.marker for style in usual}) == 3


ALL_OF_A_MEAN = [m.name for m in METHODS if Estimand.MEAN in m.accepts and m.name in METHODS_DRAWN]


def test_a_panel_has_four_methods_at_most_a_title_of_its_own_and_names_at_its_lines() -> None:
    cells = cells_of(metrics=["dsc"], statistics=["mean"], methods=ALL_OF_A_MEAN)
    drawn = both(graph, cells, MEAN_DSC, "coverage")
    assert set(drawn.frame["series"]) == set(ALL_OF_A_MEAN)
    assert drawn.frame.groupby(["row", "column"])["series"].nunique().tolist() == [4, 4, 3, 3]
    titles = [ax.get_title(loc="left") for ax in drawn.figure.axes]
    assert len(set(titles)) == 4
    assert {ax.get_ylabel() for ax in drawn.figure.axes} == {"coverage of the 95 % CI [%]"}
    drawn.figure.draw_without_rendering()
    named = []
    for ax, (_, part) in zip(
        drawn.figure.axes, drawn.frame.groupby(["row", "column"]), strict=True
    ):
        names = [text for text in ax.texts if str(text.get_gid()).startswith("name ")]
        assert len(names) == part["series"].nunique()
        named += [text.get_text().replace("\n", " ") for text in names]
        boxes = sorted((Text.get_window_extent(text) for text in names), key=lambda box: box.y0)
        assert all(low.y1 <= high.y0 + 0.5 for low, high in itertools.pairwise(boxes))
        assert all(ax.bbox.x1 < box.x0 and box.x1 <= drawn.figure.bbox.x1 for box in boxes)
    assert {"BCa", "Hall", "t (CR1)", "empirical Bernstein"} <= set(named)
    assert [text.get_text() for text in drawn.figure.legends[0].get_texts()] == []


def test_an_overview_of_many_methods_has_a_page_for_each_group() -> None:
    cells = cells_of(metrics=["dsc"], statistics=["mean"], methods=ALL_OF_A_MEAN)
    pages = [f for f in figures_of(cells) if f.name.startswith("overview-width")]
    assert [page.name for page in pages] == [f"overview-width-{k}" for k in (1, 2, 3, 4)]
    assert "without resampling" in pages[2].says
    assert set(pages[2].drawn()[1]["series"]) == {"t", "hall", "z"}


def test_boxes_end_where_counts_begin() -> None:
    cells = CELLS.assign(coverage=np.where(CELLS["method"] == "basic", 0.45, CELLS["coverage"]))
    low = cells["instance"].isin(sorted(set(cells["instance"]))[:3]) & (cells["method"] == "bca")
    drawn = both(coverage_boxes, cells.assign(coverage=cells["coverage"].mask(low, 0.3)), MEAN_DSC)
    for ax in drawn.figure.axes:
        # Whiskers and medians are lines without a name, and so are those between sizes.
        lines = [line for line in ax.lines if line.get_gid() in (None, "medians bca")]
        lines = [line for line in lines if line.get_transform() == ax.transData]
        drawn_at = np.concatenate([np.asarray(line.get_ydata(), float) for line in lines])
        assert np.nanmin(drawn_at) >= 0.5
        paths = [patch.get_path().vertices for patch in ax.patches]
        assert min(path[:, 1].min() for path in paths) >= 0.5
    below = drawn.frame[drawn.frame["drawn"] == "box"].groupby("series")["below"].max()
    assert below["basic"] == 6
    assert below["bca"] == 2


@pytest.mark.slow
def test_a_method_looks_the_same_in_every_figure() -> None:
    for cells in (CELLS, CELLS[CELLS["method"].isin(["bca", "t"])]):
        for quantity in ("coverage", "width"):
            (ax,) = graph(cells, MEAN_DSC, quantity).axes
            (line,) = [line for line in ax.lines if line.get_gid() == "bca"]
            assert to_hex(line.get_color()).upper() == METHOD_STYLES["bca"].colour
            assert line.get_marker() == METHOD_STYLES["bca"].marker


@pytest.mark.slow
def test_a_metric_looks_the_same_in_every_figure() -> None:
    for name in ("metrics-coverage", "sample-needs", "pace-by-metric", "characteristics"):
        drawn = drawn_once(name)
        styles = series_styles(drawn.frame["series"])
        for series, style in styles.items():
            if series.rpartition(" ")[2] in {"DSC", "NSD"}:
                assert style == METRIC_STYLES[series.rpartition(" ")[2].lower()]
    assert series_styles(["AUROC", "NSD"])["NSD"] == series_styles(["NSD"])["NSD"]
    assert len({(style.colour, style.marker) for style in METRIC_STYLES.values()}) == len(
        METRIC_STYLES
    )


def test_series_of_one_metric_share_a_colour_and_no_more() -> None:
    names = ["macro F1", "micro F1", "F1", "NSD (tolerance = 2)", "NSD (tolerance = 1)", "mine"]
    styles = series_styles([*names, "yours", "balanced accuracy", "accuracy"])
    assert len(set(styles.values())) == len(styles)
    assert {styles[name].colour for name in names[:3]} == {METRIC_STYLES["f1"].colour}
    assert series_styles(["micro F1"])["micro F1"] == styles["micro F1"]
    assert styles["balanced accuracy"] == METRIC_STYLES["balanced_accuracy"]
    assert styles["accuracy"] == METRIC_STYLES["accuracy"]


@pytest.mark.slow
def test_the_same_numbers_give_the_same_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_figure(coverage_boxes(CELLS, MEAN_DSC), tmp_path / f"{name}.pdf")
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_letters_are_large_enough_in_a_column() -> None:
    figure: Any = graph(CELLS, MEAN_DSC, "coverage")
    assert figure.get_size_inches()[0] == pytest.approx(8.5 / 2.54)
    (ax,) = figure.axes
    texts = [ax.title, ax.xaxis.label, *ax.get_xticklabels(), *figure.legends[0].get_texts()]
    assert min(text.get_fontsize() for text in texts) >= 7
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    assert len(boxes) == len(SIZES)
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))


# Colours as protanopes, deuteranopes and tritanopes see them (Machado et al. 2009, severity 1).
SEEN_BY = (
    np.eye(3),
    np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
)
TO_XYZ = np.array([[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0178, 0.1095, 0.8727]])


def seen(colour: str, by: Any) -> Any:
    """A colour in CIELAB as it is seen."""
    coded = np.array(to_rgb(colour))
    light = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(by @ light, 0, 1)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("estimand", [e for e in Estimand if "two" not in e])
def test_colours_of_a_panel_differ_for_colour_blind_readers(estimand: Estimand) -> None:
    names = [m.name for m in METHODS if estimand in m.accepts and m.name in METHODS_DRAWN]
    for _, group in method_groups(names):
        for one, other in itertools.combinations(group, 2):
            for by in SEEN_BY:
                colours = (METHOD_STYLES[name].colour for name in (one, other))
                first, second = (seen(colour, by) for colour in colours)
                assert np.linalg.norm(first - second) > 14, (one, other)


# --------------------------------------------------------------------------- no interval


def test_samples_without_an_interval_are_no_misses_but_a_thing_of_their_own() -> None:
    none = np.where((CELLS["method"] == "bca") & (CELLS["n"] == 10), 1.0, 0.0)
    none = np.where((CELLS["method"] == "basic") & (CELLS["n"] == 25), 0.75, none)
    samples = CELLS["samples"].to_numpy()
    cells = CELLS.assign(coverage=CELLS["coverage"] * (1 - none), undefined=none * samples)
    frame = graph.frame(cells, MEAN_DSC, "coverage").set_index(["series", "n"])
    whole = graph.frame(CELLS, MEAN_DSC, "coverage").set_index(["series", "n"])
    assert frame["no_interval"]["bca", 10] == 1
    assert frame["no_interval"]["basic", 25] == 0.75
    assert np.isnan(frame["median"]["bca", 10])
    # The same intervals cover as before.
    rest = frame.drop(("bca", 10))["median"]
    np.testing.assert_allclose(rest, whole["median"][rest.index], rtol=1e-12)
    drawn = both(graph, cells, MEAN_DSC, "coverage")
    marks = {line.get_gid(): line for ax in drawn.figure.axes for line in ax.lines}
    assert list(marks["none bca"].get_xdata()) == [10]
    assert list(marks["partly basic"].get_xdata()) == [25]
    said = drawn.figure.legends[0].get_title().get_text().replace("\n", " ")
    assert "samples without an interval, which do not count (" in said
    assert "BCa 100 %" in said
    assert "basic 75 %" in said
    others = {str(gid) for gid in marks if str(gid).startswith(("none", "partly"))}
    assert others == {"none bca", "partly basic"}


def test_boxes_say_how_many_samples_have_no_interval() -> None:
    none = np.where((CELLS["method"] == "bca") & (CELLS["n"] == 10), 0.5, 0.0)
    cells = CELLS.assign(
        coverage=CELLS["coverage"] * (1 - none), undefined=none * CELLS["samples"].to_numpy()
    )
    drawn = both(coverage_boxes, cells, MEAN_DSC)
    boxes = drawn.frame[drawn.frame["drawn"] == "box"].set_index(["series", "group"])
    whole = coverage_boxes.frame(CELLS, MEAN_DSC)
    whole = whole[whole["drawn"] == "box"].set_index(["series", "group"])
    assert boxes["no_interval"]["bca", "10"] == 0.5
    np.testing.assert_allclose(boxes["median"], whole["median"], rtol=1e-12)
    crosses = [text for ax in drawn.figure.axes for text in ax.texts if text.get_gid() == "none"]
    assert [text.get_text() for text in crosses] == ["×\n50"]
