"""Matches in images: one picture, and a page of those with the most errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from halfwidth.core.checks import as_count, one_of, plain_text
from halfwidth.core.errors import OptionError, UnknownNameError, shown
from halfwidth.core.objects import ObjectSet
from halfwidth.detection.matching.match_lists import MatchLists
from halfwidth.detection.plots.pictures import STYLES, paint_scene
from halfwidth.detection.plots.scenes import Mark, Matched, Scene, matched
from halfwidth.plots import curve_parts
from halfwidth.plots.figure import figure
from halfwidth.plots.legends import height_below, legend_below
from halfwidth.plots.sheets import fitted
from halfwidth.plots.style import NOTE_SIZE, PANEL_TITLE, TITLE, WIDTHS, Width, axes_width, shorter

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = (
    *("panel", "image", "mark", "side", "place", "category", "score", "similarity", "outline"),
    *("x", "y"),
)
# Images beside each other, and the proportions that a panel may have.
ACROSS: dict[Width, int] = {"page": 4, "column": 2}
MOST: dict[Width, int] = {"page": 12, "column": 8}
LARGEST = 4.0  # inches of a panel
FLATTEST, TALLEST = 0.5, 1.5
# Inches between panels and of a line above one, and letters that fit an inch there.
GAP, LINE, LETTERS = 0.08, 0.14, 16


def _frame(
    matches: MatchLists,
    detections: ObjectSet,
    references: ObjectSet,
    *,
    most: int = 12,
    threshold: float | None = None,
    score_threshold: float | Literal["auto"] | None = "auto",
) -> pd.DataFrame:
    match = matched(matches, detections, references, threshold, score_threshold)
    return _frame_of_scenes(matches, match.worst(_checked(most)))


def _frame_of_scenes(matches: MatchLists, scenes: Sequence[Scene]) -> pd.DataFrame:
    import pandas as pd

    rows = [
        (
            *(panel, matches.images[scene.place], str(shape.mark), shape.side, shape.place),
            *(matches.classes[shape.category], shape.score, shape.similarity, outline, x, y),
        )
        for panel, scene in enumerate(scenes, 1)
        for shape in scene.shapes
        for outline, line in enumerate(shape.lines)
        for x, y in line
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _scene(match: Matched, image: str) -> Scene:
    if not isinstance(image, str):
        raise OptionError(f"image={shown(image)} is not the name of an image")
    if image not in match.matches.images:
        raise UnknownNameError("image", image, match.matches.images)
    return match.scene(match.matches.images.index(image))


def _frame_of_image(
    matches: MatchLists,
    detections: ObjectSet,
    references: ObjectSet,
    image: str,
    *,
    threshold: float | None = None,
    score_threshold: float | Literal["auto"] | None = "auto",
) -> pd.DataFrame:
    match = matched(matches, detections, references, threshold, score_threshold)
    return _frame_of_scenes(matches, [_scene(match, image)])


@figure("Matches of an image", _frame_of_image)
def matched_image(
    matches: MatchLists,
    detections: ObjectSet,
    references: ObjectSet,
    image: str,
    ax: Axes | None = None,
    *,
    threshold: float | None = None,
    score_threshold: float | Literal["auto"] | None = "auto",
) -> Axes:
    """Draw the matches of one image on a plain canvas, as `figure_of_worst_images` does.

    Parameters
    ----------
    matches, detections, references, threshold, score_threshold
        As for `figure_of_worst_images`.
    image : str
        Its name.
    ax : matplotlib Axes, optional
        Drawn into; the legend stands beside them, or above narrow ones, so give their figure
        ``layout="constrained"``. Default: the axes of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError, DataError
        As for `figure_of_worst_images`, or if there is no such image.
    """
    match = matched(matches, detections, references, threshold, score_threshold)
    scene = _scene(match, image)
    if ax is None:
        ax = curve_parts.new_axes([])
    paint_scene(ax, scene, matches.classes, axes_width(ax))
    legend = _legend([scene])
    for name, entry in legend.items():
        ax.plot([], [], label=name, **entry.line)
    if legend:
        curve_parts.add_legend(ax)
    curve_parts.add_note(ax, _note(match, [scene]))
    return ax


@figure("Matches of the images with the most errors", _frame)
def figure_of_worst_images(
    matches: MatchLists,
    detections: ObjectSet,
    references: ObjectSet,
    *,
    most: int | None = None,
    threshold: float | None = None,
    score_threshold: float | Literal["auto"] | None = "auto",
    title: str = "",
    names: bool = False,
    width: Width = "page",
) -> Figure:
    """Draw the matches of the images with the most errors, each on a plain canvas.

    False positives, missed objects and true positives differ in colour and in stroke; objects that
    are found are thin lines. Small are the scores of detections and, of several classes, the
    classes of errors, where there is room. Pictures of images are not needed and not shown; solid
    images are all looked at along the axis in which they are shortest, masks as silhouettes.

    Parameters
    ----------
    matches : MatchLists
        Of these detections and references.
    detections, references : ObjectSet
    most : int, optional
        How many images at most; default: 12, in a column 8. Those with as many errors come in the
        order of the references.
    threshold : float, optional
        Of localisation, one of those that were matched at; default: the first.
    score_threshold : float, "auto" or None
        Detections that score less are not shown, and what only they find is missed. ``"auto"``:
        where the F1 score of all images and classes together is highest, unless the matching has a
        score threshold. None: all are shown.
    title : str, default none
        Above all, such as the detector.
    names : bool
        Whether the names of images stand above them, which may tell who a patient is. Without
        them they are numbered, as in the frame.
    width : {"page", "column"}
        17 cm or 8.5 cm.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    OptionError
        For an option that is not allowed, or if matplotlib is missing.
    DataError
        If the references are not those of the matches.

    See Also
    --------
    matched_image : one image of your choice.

    Notes
    -----
    ``figure_of_worst_images.frame`` gives columns ``panel, image, mark, side, place, category,
    score, similarity, outline, x, y``: the panels count from 1, ``side`` and ``place`` say which
    object it is, and ``x`` and ``y`` are the corners of each of its outlines, in the coordinates of
    boxes.
    """
    one_of("width", width, tuple(WIDTHS))
    plain_text("title", title)
    match = matched(matches, detections, references, threshold, score_threshold)
    scenes = match.worst(MOST[width] if most is None else _checked(most))
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from halfwidth.plots.canvas import new_figure

    inches, across = WIDTHS[width], min(ACROSS[width], max(len(scenes), 1))
    down = max(1, math.ceil(len(scenes) / across))
    panel = min(inches / across - GAP, LARGEST)
    high = panel * _proportion(scenes) + LINE * (1 + names) + GAP
    legend = _legend(scenes)
    note = "; ".join([*_note(match, scenes), _share(match, len(scenes))])
    above = TITLE if title else 0.0
    height = down * high + above + height_below(legend, note, inches)
    layout = ConstrainedLayoutEngine(w_pad=GAP / 2, h_pad=GAP / 2, wspace=0, hspace=0)
    figure = new_figure(inches, height, layout)
    grid = figure.subplots(down, across, squeeze=False).ravel()
    for place, ax in enumerate(grid):
        if place >= len(scenes):
            ax.set_axis_off()
            continue
        scene = scenes[place]
        paint_scene(
            ax, scene, matches.classes, panel * min(1, _proportion(scenes) / scene.canvas.shape)
        )
        if across == 1:
            ax.set_anchor("N")
        _title(ax, scene, place, matches.images[scene.place] if names else "", panel)
    legend_below(figure, legend, note)
    if title:
        style: dict[str, Any] = {"x": GAP / 2 / inches, "ha": "left", **PANEL_TITLE}
        name = fitted(title, inches - GAP, PANEL_TITLE["fontsize"], bold=True, most=1)
        figure.suptitle(name, parse_math=False, **style)
    return figure


def _checked(most: Any) -> int:
    count = as_count(most)
    if count is None or count < 1:
        raise OptionError(f"most={shown(most)} must be an integer ≥ 1")
    return count


def _share(match: Matched, drawn: int) -> str:
    """How many images with errors there are, beside those that are drawn."""
    with_errors = int((match.errors() > 0).sum())
    if not with_errors:
        return "no image has errors"
    if drawn == with_errors:
        return f"all images with errors ({drawn} of {match.matches.n_images})"
    return f"the {f'{drawn} ' if drawn > 1 else ''}worst of {with_errors} images with errors"


def _proportion(scenes: Sequence[Scene]) -> float:
    """Height of a panel over its width: the median of the images', within limits."""
    shapes = sorted(scene.canvas.shape for scene in scenes)
    # Without a picture there is but the note.
    return min(max(shapes[len(shapes) // 2], FLATTEST), TALLEST) if shapes else 0.02


def _title(ax: Axes, scene: Scene, place: int, name: str, inches: float) -> None:
    """The name of an image, or its number, and how many errors it has."""
    missed, found = scene.count(Mark.MISSED), scene.count(Mark.FOUND)
    errors = f"{scene.count(Mark.FALSE)} FP, {missed} of {missed + found} missed"
    first = f"{shorter(name, int(LETTERS * inches))}\n" if name else f"{place + 1}: "
    style: dict[str, Any] = {"fontsize": NOTE_SIZE, "pad": 2.5, "linespacing": 1.1}
    ax.set_title(first + errors, loc="left", parse_math=False, **style)


class Entry(NamedTuple):
    """What a legend shows: arguments of ``Axes.plot``."""

    line: dict[str, Any]


def _legend(scenes: Sequence[Scene]) -> dict[str, Entry]:
    """What is in the pictures, as it is drawn there."""
    shapes = [shape for scene in scenes for shape in scene.shapes]
    entries = {}
    for mark, style in STYLES.items():
        lines = [line for shape in shapes if shape.mark is mark for line in shape.lines]
        if lines:
            are_points = all(len(line) == 1 for line in lines)
            name = f"{mark} (FP)" if mark is Mark.FALSE else str(mark)
            entries[name] = Entry(style.point if are_points else style.line)
    return entries


def _note(match: Matched, scenes: Sequence[Scene]) -> list[str]:
    """How detections were matched, and what is shown, in clauses."""
    clauses = [match.text]
    if match.cut is not None:
        why = ", where F1 is highest" if match.chosen else ""
        clauses.append(f"detections with scores ≥ {match.cut:.3g}{why}")
    hidden = {scene.canvas.hidden_axis for scene in scenes} - {""}
    if hidden:
        clauses.append(f"seen along {' or '.join(sorted(hidden))}")
    if not all(scene.canvas.whole for scene in scenes):
        clauses.append("canvas: what the objects span")
    return clauses
