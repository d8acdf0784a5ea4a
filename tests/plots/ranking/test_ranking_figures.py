"""Figures of rankings show finished results, with one order and one colour of the models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import EllipseCollection, LineCollection, QuadMesh
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from scipy import stats
from support import RANKING_KINDS

import halfwidth as hw
from halfwidth import plots
from halfwidth.plots.style import shorter

FEW: dict[str, Any] = {"n_resamples": 99, "rng": 2}
LEADS = {"nnU-Net_A": 0.3, "B": 0.02, "C": 0.0, "model of a team with a long name": 0.01}


def table() -> dict[str, Any]:
    generator = np.random.default_rng(4)
    columns: dict[str, list[Any]] = {"case": [], "model": [], "task": [], "dsc": []}
    for task in ("liver", "left_kidney", "aorta"):
        case = generator.normal(0.5, 0.1, 15)
        for name, lead in LEADS.items():
            if (task, name) == ("aorta", "C"):
                continue
            columns["case"] += [f"c{number}" for number in range(15)]
            columns["model"] += [name] * 15
            columns["task"] += [task] * 15
            columns["dsc"] += np.clip(case + lead + generator.normal(0, 0.05, 15), 0, 1).tolist()
    return columns


RANKINGS = hw.rank(
    hw.CaseValues.from_table(table(), "dsc", metric="dsc", by="task", pairing="common"),
    **FEW,
)
LIVER = RANKINGS["liver"]
ONE_AXES = {
    plots.rank_sets: plots.rank_sets.frame,
    plots.blob: plots.blob.frame,
    plots.heatmap: plots.blob.frame,
    plots.significance: plots.significance.frame,
    plots.dots: plots.dots.frame,
    plots.case_heatmap: plots.case_heatmap.frame,
    plots.podium: plots.podium.frame,
}


def drawn(figure: Any) -> None:
    canvas: Any = FigureCanvasAgg
    canvas(figure).draw()


def parts(ax: Axes, kind: str, type_: Any = object) -> Any:
    """The artists of a kind; matplotlib's types say less than tests ask."""
    return [made for made in getattr(ax, kind) if isinstance(made, type_)]


def many(count: int) -> hw.Rankings:
    """One ranking of many models, each of which may have its rank or the next one."""
    any_set = LIVER.models[0].rank_set
    models = tuple(
        replace(
            LIVER.models[0],
            name=f"team {place}",
            rank=place + 1,
            rank_set=replace(any_set, low=place + 1, high=min(place + 2, count)),
            marginal_set=replace(any_set, low=place + 1, high=place + 1),
            shares=tuple(float(rank == place) for rank in range(count)),
        )
        for place in range(count)
    )
    claims = [(one.name, other.name) for one in models for other in models]
    told = tuple((one, other) for one, other in claims if int(other[5:]) > int(one[5:]) + 1)
    return hw.Rankings((replace(LIVER, models=models, claims=told, groups=()),))


def test_models_have_one_order_and_one_colour() -> None:
    styles = plots.model_styles(RANKINGS)
    means = {
        name: np.mean([m.rank for one in RANKINGS for m in one.models if m.name == name])
        for name in LEADS
    }
    assert list(styles) == sorted(styles, key=means.__getitem__)
    assert next(iter(styles)) == "nnU-Net_A"
    many_styles = plots.model_styles(many(30))
    coloured = list(many_styles.values())[:20]
    assert len({style.colour for style in coloured}) == 20
    assert len(set(list(many_styles.values())[20:])) == 1
    (page,) = plots.figures_of_rankings(RANKINGS)
    first = list(styles)
    labels = [text.get_text() for text in page.axes[0].get_yticklabels()]
    assert labels == [shorter(name, 30) for name in first]
    for ax, ranking in zip(page.axes, RANKINGS, strict=False):
        dots = {
            tuple(line.get_xydata()[0]): line
            for line in parts(ax, "lines")
            if len(line.get_xydata()) == 1
        }
        rows = {model.name: (model.rank, first.index(model.name)) for model in ranking.models}
        assert set(dots) == set(rows.values())
        for name, place in rows.items():
            assert dots[place].get_color() == styles[name].colour
            assert dots[place].get_marker() == styles[name].marker


@pytest.mark.parametrize(("kind", "alone"), [("rank-sets", plots.rank_sets), ("blob", plots.blob)])
def test_panels_have_the_numbers_of_a_figure_of_one_ranking(kind: str, alone: Any) -> None:
    frame = plots.figures_of_rankings.frame([LIVER], kind=kind)
    assert frame.equals(alone.frame(LIVER)[frame.columns])


def test_every_set_is_drawn() -> None:
    frame, ax = plots.rank_sets.frame(LIVER), plots.rank_sets(LIVER)
    assert frame["model"].tolist() == [model.name for model in LIVER.models]
    bars = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in parts(ax, "patches")]
    thick = frame[["rank_low", "rank_high"]].to_numpy(float) + np.array([-0.32, 0.32])
    np.testing.assert_allclose(bars, thick)
    lines = [np.asarray(line.get_xydata()) for line in parts(ax, "lines")]
    for row in frame.to_dict("records"):
        y = row["y"]
        ends = (row["marginal_low"] - 0.32, row["marginal_high"] + 0.32)
        assert any(np.array_equal(line, [[ends[0], y], [ends[1], y]]) for line in lines)
        assert any(np.array_equal(line, [[row["rank"], y]]) for line in lines)
    texts = {text.get_text() for text in ax.texts}
    assert {str(model.rank_set) for model in LIVER.models} <= texts
    assert any("hold together" in text for text in texts)


def test_areas_of_blobs_are_shares() -> None:
    frame, ax = plots.blob.frame(LIVER), plots.blob(LIVER)
    (blobs,) = parts(ax, "collections", EllipseCollection)
    np.testing.assert_allclose(blobs.get_widths() ** 2, 0.94**2 * frame["share"])
    np.testing.assert_array_equal(blobs.get_offsets(), frame[["rank", "y"]])
    for name, part in frame.groupby("model"):
        shares = np.array(LIVER[str(name)].shares)
        assert part["share"].tolist() == shares[shares > 0].tolist()
        ranks = np.repeat(part["rank"], np.rint(part["share"] * 99).astype(int))
        assert part["median"].iloc[0] == np.quantile(ranks, 0.5, method="inverted_cdf")
        assert part["low"].iloc[0] == np.quantile(ranks, 0.025, method="inverted_cdf")
        assert part["high"].iloc[0] == np.quantile(ranks, 0.975, method="inverted_cdf")
    assert any("no confidence sets" in text.get_text() for text in ax.texts)


def test_over_tasks_blobs_have_a_panel_for_each_model() -> None:
    (page,) = plots.figures_of_rankings(RANKINGS, "blob")
    styles = plots.model_styles(RANKINGS)
    titles = [ax.get_title(loc="left") for ax in page.axes if ax.axison]
    assert titles[0] == "nnU-Net_A"
    assert len(titles) == len(styles)
    tasks = [text.get_text() for text in page.axes[0].get_yticklabels()]
    assert tasks == [ranking.label for ranking in RANKINGS]
    at = list(styles).index("C")
    (blobs,) = parts(page.axes[at], "collections", EllipseCollection)
    rows = {tasks[int(y)] for y in np.asarray(blobs.get_offsets())[:, 1]}
    assert rows == set(tasks) - {"aorta"}


def test_the_map_of_resamples_has_their_shares() -> None:
    ax = plots.heatmap(LIVER)
    (cells,) = parts(ax, "collections", QuadMesh)
    expected = [model.shares for model in LIVER.models]
    np.testing.assert_array_equal(np.asarray(cells.get_array()), expected)
    numbers = [text.get_text() for text in ax.texts[:-1]]
    shares = [share for model in LIVER.models for share in model.shares if share >= 0.005]
    assert numbers == [f"{100 * share:.0f}" for share in shares]
    for model, frame in zip(LIVER.models, parts(ax, "patches"), strict=True):
        assert frame.get_x() == model.rank - 0.5


def test_the_map_of_claims_has_those_of_the_ranking() -> None:
    frame, ax = plots.significance.frame(LIVER), plots.significance(LIVER)
    better = frame[frame["claim"] == 1]
    assert set(zip(better["model"], better["other"], strict=True)) == set(LIVER.claims)
    worse = frame[frame["claim"] == -1]
    assert set(zip(worse["other"], worse["model"], strict=True)) == set(LIVER.claims)
    assert LIVER.claims
    patches = parts(ax, "patches")
    filled = [patch for patch in patches if patch.get_facecolor()[3]]
    for cells, shown in ((filled, frame[frame["claim"] != 0]), (patches, frame)):
        places = {(p.get_x() + 0.46, p.get_y() + 0.46) for p in cells}
        np.testing.assert_allclose(sorted(places), sorted(zip(shown["x"], shown["y"], strict=True)))


def test_lines_join_the_ranks_of_tasks_and_leave_gaps() -> None:
    ax, frame = plots.rank_lines(RANKINGS), plots.rank_lines.frame(RANKINGS)
    lines = [line for line in parts(ax, "lines") if len(line.get_xdata()) == len(RANKINGS)]
    styles = list(plots.model_styles(RANKINGS))
    for line, name in zip(lines, reversed(styles), strict=True):
        ranks = [
            next((m.rank for m in ranking.models if m.name == name), np.nan) for ranking in RANKINGS
        ]
        np.testing.assert_array_equal(line.get_ydata(), ranks)
    assert len(frame) == sum(len(ranking.models) for ranking in RANKINGS)
    assert [text.get_text() for text in ax.get_xticklabels()] == [one.label for one in RANKINGS]


def test_dots_are_the_cases_and_boxes_their_quartiles() -> None:
    frame, ax = plots.dots.frame(LIVER), plots.dots(LIVER)
    assert LIVER.cases is not None
    values = LIVER.cases.values
    drawn_dots = {
        line.get_color(): line for line in parts(ax, "lines") if len(line.get_xdata()) == 15
    }
    for name, style in plots.model_styles(LIVER).items():
        assert sorted(drawn_dots[style.colour].get_xdata()) == sorted(values[name])
        mine = frame[frame["model"] == name].set_index("kind")
        quartiles = np.quantile(values[name], [0.25, 0.5, 0.75])
        box = mine.loc["box"]
        np.testing.assert_allclose([box["low"], box["x"], box["high"]], quartiles)
        assert mine.loc["estimate", "x"] == LIVER[name].value
    boxes = {(patch.get_x(), patch.get_width()) for patch in parts(ax, "patches")}
    expected = frame[frame["kind"] == "box"]
    assert boxes == set(zip(expected["low"], expected["high"] - expected["low"], strict=True))


def test_ranks_within_cases_have_no_place_among_the_values() -> None:
    given = {name: np.linspace(0.2, 0.8, 12) + k / 9 for k, name in enumerate("AB")}
    (ranked,) = hw.rank(given, metric="dsc", scheme="rank_then_aggregate", **FEW)
    assert set(plots.dots.frame(ranked)["kind"]) == {"case", "box", "whiskers"}
    assert not any("diamonds" in text.get_text() for text in plots.dots(ranked).texts)


def test_ranks_within_cases_are_those_of_scipy() -> None:
    assert LIVER.cases is not None
    values = LIVER.cases.values
    names = list(values)
    ranks = stats.rankdata(-np.stack([values[name] for name in names]), "min", axis=0)
    frame = plots.case_heatmap.frame(LIVER)
    podium = plots.podium.frame(LIVER)
    for name, row in zip(names, ranks.astype(int), strict=True):
        expected = np.bincount(row, minlength=len(names) + 1)[1:]
        mine = frame[frame["model"] == name].set_index("rank")["count"]
        assert mine.reindex(range(1, 5), fill_value=0).tolist() == expected.tolist()
        bars = podium[(podium["kind"] == "bar") & (podium["model"] == name)]
        np.testing.assert_allclose(bars["y"], expected / 15)
        dots = podium[(podium["kind"] == "case") & (podium["model"] == name)]
        assert sorted(zip(dots["y"], dots["place"], strict=True)) == sorted(
            zip(values[name], row, strict=True)
        )


def test_where_less_is_better_the_least_value_is_first() -> None:
    given = {"A": np.arange(12.0), "B": np.arange(12.0) + 1}
    (ranked,) = hw.rank(given, metric="hd95", **FEW)
    frame = plots.case_heatmap.frame(ranked)
    assert frame[["model", "rank", "count"]].to_numpy().tolist() == [["A", 1, 12], ["B", 2, 12]]


def test_a_podium_is_thinned_and_says_so() -> None:
    generator = np.random.default_rng(6)
    given = {f"team {place}": generator.beta(9 - place / 4, 2, 450) for place in range(14)}
    (ranked,) = hw.rank(given, metric="dsc", method="t", **FEW)
    frame, figure = plots.podium.frame(ranked), plots.podium(ranked)
    dots = frame[frame["kind"] == "case"]
    assert (dots["case"].nunique(), dots["model"].nunique()) == (200, 12)
    assert set(dots["model"]) == {model.name for model in ranked.models[:12]}
    (lines,) = parts(figure.axes[0], "collections", LineCollection)
    assert np.shape(lines.get_segments()) == (200, 12, 2)
    note = figure.legends[0].get_title().get_text().replace("\n", " ")
    assert "200 of 450 cases" in note
    assert "the first 12 of 14 models, placed among each other" in note
    bars = frame[frame["kind"] == "bar"]
    # Shares of all 450 cases.
    assert bars.groupby("model")["y"].sum().tolist() == pytest.approx([1.0] * 12)
    np.testing.assert_allclose(450 * bars["y"], np.rint(450 * bars["y"]), atol=1e-9)


def test_metrics_combined_have_no_values_of_cases() -> None:
    combined = replace(LIVER, metrics=("dsc", "hd95"), subject="mean rank by DSC and HD95")
    with pytest.raises(hw.OptionError, match="dots draws the values of one metric, and mean rank"):
        plots.dots(combined)
    assert len(plots.figures_of_rankings([LIVER, combined], "podium")) == 1
    assert len(plots.figures_of_rankings([LIVER, combined], "heatmap")) == 2


def test_without_cases_figures_of_them_say_what_to_do() -> None:
    bare = replace(LIVER, cases=None)
    for draw in (plots.dots, plots.podium, plots.case_heatmap, plots.dots.frame):
        with pytest.raises(hw.OptionError, match=r"liver: .* draws values of cases"):
            draw(bare)
    generator = np.random.default_rng(1)
    truth = generator.integers(0, 2, 40)
    scores = {name: generator.random(40) + truth / 2 for name in "AB"}
    (of_test_set,) = hw.rank(truth, scores, metric="auroc", **FEW)
    with pytest.raises(
        hw.OptionError,
        match="a metric of a whole test set has none",
    ):
        plots.dots(of_test_set)


def test_lines_join_the_schemes_of_each_task() -> None:
    labelled = [
        replace(one, scheme=scheme, subject=scheme)
        for one in RANKINGS[:2]
        for scheme in ("aggregate_then_rank", "rank_then_aggregate", "test_then_rank")
    ]
    (page,) = plots.figures_of_rankings(labelled, "lines")
    assert [ax.get_title(loc="left") for ax in page.axes] == [one.label for one in RANKINGS[:2]]
    schemes = [text.get_text().replace("\n", "") for text in page.axes[0].get_xticklabels()]
    assert schemes == ["aggregate_then_rank", "rank_then_aggregate", "test_then_rank"]
    names = [text.get_text() for text in page.legends[0].get_texts()]
    assert names == list(plots.model_styles(labelled))
    # Of one task, a figure with the names beside the lines.
    (alone,) = plots.figures_of_rankings(labelled[:3], "lines")
    shown = {text.get_text() for text in alone.axes[0].texts}
    assert shown == {shorter(name, 30) for name in names}


def test_lines_of_equal_ranks_are_told_apart() -> None:
    even = tuple(replace(model, rank=1) for model in LIVER.models)
    frame = plots.rank_lines.frame([replace(LIVER, models=even), LIVER])
    tied = frame[frame["x"] == 0]
    assert tied["y"].is_unique
    assert tied["y"].mean() == pytest.approx(1)
    assert (tied["y"] - 1).abs().max() < 0.5
    assert (frame["y"] == frame["rank"])[frame["x"] == 1].all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", RANKING_KINDS)
@pytest.mark.parametrize("width", ["page", "column"])
def test_texts_lie_within_the_figure_and_apart(kind: str, width: Any) -> None:
    for figure in plots.figures_of_rankings(RANKINGS, kind, width=width):
        drawn(figure)
        assert figure.get_size_inches()[1] < 9.8
        boxes: list[Bbox] = []
        for ax in figure.axes:
            if not ax.axison:
                continue
            for text in shown_texts(ax):
                box = Text.get_window_extent(text)
                assert figure.bbox.x0 <= box.x0 + 1 < box.x1 - 1 <= figure.bbox.x1, text
                for other in boxes:
                    overlap = Bbox.intersection(box, other)
                    assert overlap is None or min(overlap.width, overlap.height) < 2, text
                boxes.append(box)


def shown_texts(ax: Axes) -> list[Text]:
    (left, right), (low, high) = ax.get_xlim(), sorted(ax.get_ylim())
    left_title: Any = getattr(ax, "_left_title")  # noqa: B009
    texts = [*ax.texts, ax.xaxis.label, ax.yaxis.label, left_title]
    sides = (("x", left, right, "labelbottom"), ("y", low, high, "labelleft"))
    for axis, first, last, side in sides:
        of_axis = ax.xaxis if axis == "x" else ax.yaxis
        if not of_axis.get_tick_params().get(side, True):
            continue
        place = 0 if axis == "x" else 1
        texts += [t for t in of_axis.get_ticklabels() if first <= t.get_position()[place] <= last]
    return [text for text in texts if text.get_text().strip()]


@pytest.mark.slow
def test_many_panels_take_several_pages() -> None:
    labelled = [
        replace(
            LIVER,
            models=tuple(
                replace(model, estimate=replace(model.estimate, label=f"task {place}"))
                for model in many(30)[0].models
            ),
        )
        for place in range(8)
    ]
    pages = plots.figures_of_rankings(labelled)
    panels = [[ax for ax in page.axes if ax.axison] for page in pages]
    assert [len(page) for page in panels] == [3, 3, 2]
    assert [ax.get_title(loc="left") for page in panels for ax in page] == [
        f"task {place}" for place in range(8)
    ]
    (page,) = plots.figures_of_rankings(many(100))
    assert page.get_size_inches()[1] < 9.8


@pytest.mark.parametrize("draw", [*ONE_AXES, *ONE_AXES.values()])
def test_several_rankings_need_a_figure_of_several(draw: Any) -> None:
    with pytest.raises(hw.OptionError, match=r"draws one ranking, and there are 3.*rankings\[0\]"):
        draw(RANKINGS)
    with pytest.raises(hw.OptionError, match="at least one ranking"):
        draw(())
    with pytest.raises(hw.OptionError, match="neither of type Ranking"):
        draw("liver")


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(hw.OptionError, match="there is one ranking"):
        plots.rank_lines(LIVER)  # type: ignore[arg-type]
    with pytest.raises(hw.OptionError, match="is none of rank-sets"):
        plots.figures_of_rankings(LIVER, "pie")
    with pytest.raises(hw.OptionError, match="is none of page, column"):
        plots.figures_of_rankings(LIVER, width=8)  # type: ignore[arg-type]
    with pytest.raises(hw.OptionError, match="is not what model_styles gives"):
        plots.rank_sets(LIVER, styles={"B": "red"})  # type: ignore[dict-item]
    with pytest.raises(hw.OptionError, match="styles has no"):
        plots.rank_sets(LIVER, styles=plots.model_styles(RANKINGS["aorta"]))
    bare = replace(LIVER, models=tuple(replace(model, shares=()) for model in LIVER.models))
    with pytest.raises(hw.OptionError, match="liver: no resample has a value of every model"):
        plots.blob(bare)
