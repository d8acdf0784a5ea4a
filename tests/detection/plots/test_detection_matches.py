from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from detectionscenes import CLASSES, boxed, centred, solid
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

import halfwidth as hw
from halfwidth.core.objects import Unit
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import Admits, MatchingRule
from halfwidth.detection.plots.pictures import STYLES, Label, placed_labels
from halfwidth.detection.plots.scenes import Mark, best_cut, matched
from halfwidth.plots import figure_of_worst_images, matched_image


def painted(figure: Any) -> None:
    canvas: Any = FigureCanvasAgg
    canvas(figure).draw()


def panels(figure: Figure) -> list[Axes]:
    return [ax for ax in figure.axes if ax.axison]


def marks(frame: Any, image: str) -> list[tuple[str, str, int]]:
    own = frame[frame["image"] == image]
    found = own[["mark", "side", "place"]].drop_duplicates()
    return [tuple(row) for row in found.to_numpy()]


def test_each_object_is_what_it_counts_for() -> None:
    frame = figure_of_worst_images.frame(*boxed(), score_threshold=None)
    assert list(dict.fromkeys(frame["image"])) == ["worst", "one error"]
    assert sorted(marks(frame, "worst")) == sorted(
        [
            ("true positive", "detection", 0),
            ("false positive", "detection", 1),
            ("false positive", "detection", 2),
            ("counts for nothing", "detection", 3),
            ("object found", "reference", 0),
            ("missed object", "reference", 1),
            ("counts for nothing", "reference", 2),
        ]
    )
    assert sorted(marks(frame, "one error")) == sorted(
        [
            ("true positive", "detection", 0),
            ("false positive", "detection", 1),
            ("object found", "reference", 0),
            ("missed object", "reference", 1),
        ]
    )


def test_the_errors_of_all_images_are_those_of_the_match_lists() -> None:
    lists, detections, references = boxed()
    found = matched(lists, detections, references, None, None)
    for image in range(4):
        scene = found.scene(image)
        assert found.errors()[image] == scene.count(Mark.FALSE) + scene.count(Mark.MISSED)
        assert lists.n_references[image].sum() == scene.count(Mark.FOUND) + scene.count(Mark.MISSED)
    assert found.errors().tolist() == [0, 2, 3, 0]


def test_a_higher_score_threshold_hides_detections_and_misses_what_they_found() -> None:
    frame = figure_of_worst_images.frame(*boxed(), score_threshold=0.85)
    assert set(frame["image"]) == {"one error", "worst"}
    assert set(frame.loc[frame["image"] == "one error", "mark"]) == {"missed object"}
    assert np.nanmin(frame["score"]) == 0.95


def test_the_score_threshold_is_where_f1_is_highest() -> None:
    lists, detections, references = boxed()
    scores = np.unique(lists.score)  # type: ignore[arg-type]

    def f1(cut: float) -> float:
        kept = (lists.score >= cut) & (lists.outcome[0] != 2)  # type: ignore[operator]
        true = (lists.outcome[0][kept] == 1).sum()
        return float(2 * true / (kept.sum() + lists.n_references.sum()))

    assert best_cut(lists, 0) == max(scores, key=f1) == 0.8
    figure = figure_of_worst_images(lists, detections, references)
    assert "scores ≥ 0.8, where F1 is highest" in title_of(figure)
    own = match_images(detections, references, MatchingRule(score_threshold=0.3))
    assert "F1" not in title_of(figure_of_worst_images(own, detections, references))


def title_of(figure: Figure) -> str:
    (legend,) = figure.legends
    return legend.get_title().get_text().replace("\n", " ")


def test_a_score_that_several_detections_share_is_kept_or_left_out_whole() -> None:
    lists, _, _ = boxed()
    ties = replace(lists, score=np.full(len(lists.image), 0.5))
    assert best_cut(ties, 0) == 0.5
    assert best_cut(replace(lists, score=None), 0) is None


def test_what_is_drawn_is_in_the_frame() -> None:
    frame = figure_of_worst_images.frame(*boxed(), score_threshold=None)
    for panel, ax in enumerate(panels(figure_of_worst_images(*boxed(), score_threshold=None)), 1):
        own = frame[frame["panel"] == panel]
        drawn = {(line.get_gid(), *map(tuple, np.asarray(line.get_xydata()))) for line in ax.lines}
        wanted = {
            (mark, *map(tuple, corners[["x", "y"]].to_numpy(float)))
            for (mark, *_), corners in own.groupby(["mark", "side", "place", "outline"])
        }
        assert drawn == wanted


def test_marks_differ_in_colour_in_stroke_and_as_points() -> None:
    styles = list(STYLES.values())
    assert set(STYLES) == set(Mark)
    assert len({style.colour for style in styles}) == len(styles)
    assert len({(str(style.stroke), style.width) for style in styles}) == len(styles)
    assert len({(style.marker, style.hollow) for style in styles}) == len(styles)
    # Found ones are as thin as no other line, and errors differ from what is right in stroke alone.
    assert len({str(STYLES[mark].stroke) for mark in (Mark.TRUE, Mark.FALSE, Mark.MISSED)}) == 3


def test_the_canvas_has_the_proportions_of_the_image() -> None:
    for ax in panels(figure_of_worst_images(*boxed())):
        assert (ax.get_xlim(), ax.get_ylim(), ax.get_aspect()) == ((0, 100), (80, 0), 1)
    (ax,) = panels(figure_of_worst_images(*solid()))
    # x and y are seen along z; a voxel is twice as long in y.
    assert (ax.get_xlim(), ax.get_ylim(), ax.get_aspect()) == ((0, 30), (20, 0), 2)


def test_masks_are_silhouettes_with_their_holes() -> None:
    frame = figure_of_worst_images.frame(*solid())
    outer, inner = (
        frame[(frame["mark"] == "object found") & (frame["outline"] == outline)]
        for outline in sorted(
            (0, 1),
            key=lambda outline: (
                -np.ptp(
                    frame.loc[
                        (frame["mark"] == "object found") & (frame["outline"] == outline), "x"
                    ]
                )
            ),
        )
    )

    def ends(part: Any) -> list[float]:
        return [part["x"].min(), part["x"].max(), part["y"].min(), part["y"].max()]

    assert ends(outer) == [10, 18, 5, 11]
    # The line runs half a voxel inside the hole's corner voxels.
    assert ends(inner) == [13, 15, 7, 9]
    assert ends(frame[frame["mark"] == "missed object"]) == [20, 28, 12, 18]
    assert "seen along z" in title_of(figure_of_worst_images(*solid()))


def test_points_are_markers_and_radii_are_circles() -> None:
    lists, detections, references = centred()
    frame = figure_of_worst_images.frame(lists, detections, references, score_threshold=None)
    marks_of_points = frame.loc[frame["side"] == "detection", "mark"].tolist()
    assert sorted(marks_of_points) == ["false positive", "true positive"]
    missed = frame[frame["mark"] == "missed object"]
    np.testing.assert_allclose(np.hypot(missed["x"] - 40, missed["y"] - 30), 6)
    (ax,) = panels(figure_of_worst_images(lists, detections, references, score_threshold=None))
    (cross,) = [line for line in ax.lines if line.get_gid() == "false positive"]
    assert (cross.get_marker(), cross.get_linestyle()) == ("x", "None")
    # All objects fit where no size is known, and the note says so.
    page = figure_of_worst_images(lists, detections, references, score_threshold=None)
    assert "what the objects span" in title_of(page)
    assert "span" not in title_of(figure_of_worst_images(*boxed()))
    assert ax.get_xlim()[0] < 6
    assert ax.get_xlim()[1] > 46
    assert {text.get_text() for text in ax.texts} == {"88", "71"}


def test_radii_are_lengths_and_their_circles_ellipses_of_voxels() -> None:
    lists, detections, references = centred()
    spaced = replace(references, spacing=((0.5, 2.0),))
    frame = figure_of_worst_images.frame(lists, detections, spaced, score_threshold=None)
    missed = frame[frame["mark"] == "missed object"]
    np.testing.assert_allclose(np.hypot(2 * (missed["x"] - 40), 0.5 * (missed["y"] - 30)), 6)


def test_an_object_outside_the_range_of_sizes_counts_for_nothing() -> None:
    _, detections, references = boxed()
    how = MatchingRule(area_range=(0, 350))
    frame = figure_of_worst_images.frame(
        match_images(detections, references, how), detections, references, score_threshold=None
    )
    side = frame[frame["side"] == "reference"]
    assert set(side["mark"]) == {"counts for nothing"}


def test_lesions_are_found_whole() -> None:
    _, detections, references = solid()
    for dilation, found in ((0, 1), (3, 2)):
        # Dilated far enough, both masks are one lesion, which is found.
        how = MatchingRule("mask_overlap", "lesionwise", (0.0,), Admits.ABOVE, dilation=dilation)
        lists = match_images(detections, references, how)
        scene = matched(lists, detections, references, None, None).scene(0)
        assert (scene.count(Mark.FOUND), scene.count(Mark.MISSED)) == (found, 2 - found)


def test_detections_may_come_in_another_order_and_lack_images() -> None:
    lists, detections, references = boxed()
    other = replace(detections, images=("worst", "fine"), objects=detections.objects[2::-2])
    other = replace(other, shapes=other.shapes[:2] if other.shapes else None)
    frame = figure_of_worst_images.frame(
        match_images(other, references), other, references, score_threshold=None
    )
    wanted = figure_of_worst_images.frame(lists, detections, references, score_threshold=None)
    assert frame[frame["image"] == "worst"][["mark", "x", "y"]].to_numpy().tolist() == (
        wanted[wanted["image"] == "worst"][["mark", "x", "y"]].to_numpy().tolist()
    )


def test_names_are_shown_only_when_asked_for() -> None:
    def words(figure: Figure) -> str:
        texts = [ax.get_title(loc="left") for ax in panels(figure)]
        return " ".join([*texts, *(text.get_text() for ax in figure.axes for text in ax.texts)])

    plain = words(figure_of_worst_images(*boxed(), score_threshold=None))
    assert "worst" not in plain
    assert plain.startswith("1: 2 FP, 1 of 2 missed 2: 1 FP, 1 of 2 missed")
    assert "worst" in words(figure_of_worst_images(*boxed(), names=True))


def test_solid_images_are_all_looked_at_along_one_axis() -> None:
    _, detections, references = solid()
    # The second scan is short along x, but both together along z.
    both = [
        replace(
            one,
            images=("scan", "other"),
            objects=one.objects * 2,
            shapes=((10, 20, 30), (26, 20, 25)),
            spacing=((1.0, 2.0, 1.0),) * 2,
        )
        for one in (detections, references)
    ]
    lists = match_images(both[0], both[1], MatchingRule("mask_iou", "hungarian"))
    figure = figure_of_worst_images(lists, both[0], both[1])
    assert [ax.get_xlim()[1] for ax in panels(figure)] == [30, 25]
    assert "seen along z;" in title_of(figure)


def test_labels_stay_on_the_canvas_and_apart() -> None:
    lists, detections, references = boxed()
    found = matched(lists, detections, references, None, None)
    for image in range(4):
        scene = found.scene(image)
        labels = placed_labels(scene, CLASSES, 1.2)
        boxes = [label.box() for label in labels]
        for at, (left, top, right, bottom) in enumerate(boxes):
            assert left >= 0
            assert top >= 0
            assert right <= 120
            assert bottom <= 96
            for other in boxes[:at]:
                apart = (
                    left >= other[2] or other[0] >= right or top >= other[3] or other[1] >= bottom
                )
                assert apart
    assert all(isinstance(label, Label) for label in labels)


@pytest.mark.parametrize("width", [pytest.param("page", marks=pytest.mark.slow), "column"])
def test_no_text_is_cut(width: Any) -> None:
    figure = figure_of_worst_images(*boxed(), score_threshold=None, names=True, width=width)
    painted(figure)
    (legend,) = figure.legends
    titles = [ax._left_title for ax in panels(figure)]  # type: ignore[attr-defined]
    for text in [*legend.get_texts(), legend.get_title(), *titles]:
        box = Text.get_window_extent(text)
        assert figure.bbox.x0 - 1 < box.x0 < box.x1 < figure.bbox.x1 + 1
        assert figure.bbox.y0 - 1 < box.y0 < box.y1 < figure.bbox.y1 + 1
    lowest = min(ax.get_window_extent().y0 for ax in panels(figure))
    assert legend.get_window_extent().y1 <= lowest + 1


def test_the_legend_says_what_there_is_and_no_more() -> None:
    (legend,) = figure_of_worst_images(*boxed(), score_threshold=None).legends
    names = [text.get_text() for text in legend.get_texts()]
    assert set(names) == {
        *("true positive", "false positive (FP)", "missed object", "object found"),
        "counts for nothing",
    }
    colours = {to_hex(line.get_color()) for line in legend.get_lines()}
    assert colours == {style.colour.lower() for style in STYLES.values()}
    (legend,) = figure_of_worst_images(*solid()).legends
    assert "counts for nothing" not in [text.get_text() for text in legend.get_texts()]


def test_one_image_is_drawn_into_given_axes() -> None:
    ax = Figure(layout="constrained").add_subplot()
    assert matched_image(*boxed(), "fine", ax) is ax
    painted(ax.figure)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]  # type: ignore[union-attr]
    assert texts == ["true positive", "object found"]
    painted(matched_image(*boxed(), "empty").figure)
    with pytest.raises(hw.UnknownNameError, match="unknown image"):
        matched_image(*boxed(), "other")


def test_without_errors_there_is_an_empty_page() -> None:
    _, detections, references = boxed()
    fine: Any = [
        replace(side, images=("fine",), objects=side.objects[:1], shapes=None)
        for side in (detections, references)
    ]
    figure = figure_of_worst_images(match_images(*fine), *fine)
    assert panels(figure) == []
    assert "no image has errors" in title_of(figure)
    painted(figure)
    assert figure_of_worst_images.frame(match_images(*fine), *fine).empty


def test_fractions_of_an_image_have_a_square_canvas() -> None:
    lists, detections, references = boxed()

    def shrunk(one: Any) -> Any:
        small = tuple(
            replace(objects, boxes=np.asarray(objects.boxes) / 100) for objects in one.objects
        )
        return replace(one, objects=small, unit=Unit.FRACTION)

    for ax in panels(figure_of_worst_images(lists, shrunk(detections), shrunk(references))):
        assert (ax.get_xlim(), ax.get_ylim()) == ((0, 1), (1, 0))


def test_what_does_not_fit_is_refused() -> None:
    lists, detections, references = boxed()
    with pytest.raises(hw.DataError, match="references are not those of the matches"):
        figure_of_worst_images(lists, detections, replace(references, images=("a", "b", "c", "d")))
    with pytest.raises(
        hw.OptionError, match=r"threshold=0\.7 is not among the matched thresholds: 0\.5"
    ):
        figure_of_worst_images(lists, detections, references, threshold=0.7)
    with pytest.raises(hw.OptionError, match="most=0 must be an integer ≥ 1"):
        figure_of_worst_images(lists, detections, references, most=0)
    with pytest.raises(hw.OptionError, match="score_threshold"):
        figure_of_worst_images(lists, detections, references, score_threshold="high")  # type: ignore[arg-type]
    for anything in (np.ones(2), [0.5]):
        with pytest.raises(hw.OptionError, match="score_threshold"):
            figure_of_worst_images.frame(lists, detections, references, score_threshold=anything)  # type: ignore[arg-type]
        with pytest.raises(hw.OptionError, match="is not the name of an image"):
            matched_image(lists, detections, references, anything)  # type: ignore[arg-type]
    with pytest.raises(hw.OptionError, match="needs scores"):
        figure_of_worst_images.frame(
            replace(lists, score=None), detections, references, score_threshold=0.5
        )
    with pytest.raises(hw.OptionError, match="is no MatchLists"):
        figure_of_worst_images(references, detections, references)  # type: ignore[arg-type]
