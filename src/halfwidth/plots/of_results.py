"""One picture for every result: the one that the command line draws."""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from halfwidth.core.checks import one_of
from halfwidth.core.errors import OptionError, shown
from halfwidth.plots.bland_altman import bland_altman
from halfwidth.plots.calibration import figure_of_calibration
from halfwidth.plots.comparison_pages import figures_of_differences
from halfwidth.plots.confusion import confusion
from halfwidth.plots.curves import decision, pr, roc
from halfwidth.plots.detection.curves import afroc, detection_pr, froc
from halfwidth.plots.figure import figure_of_table
from halfwidth.plots.forest_pages import figures_of_forest
from halfwidth.plots.pairs import KINDS as KINDS_OF_PAIRS
from halfwidth.plots.pairs import figure_of_pairs
from halfwidth.plots.plan import plan_curve
from halfwidth.plots.ranking.panels import figures_of_rankings
from halfwidth.plots.style import require_matplotlib
from halfwidth.plots.subsampling import figure_of_subsamples
from halfwidth.results.agreement import Agreement
from halfwidth.results.calibration_curves import CalibrationCurves
from halfwidth.results.centre_curves import CentreCurves
from halfwidth.results.comparison import Comparisons, Difference
from halfwidth.results.curves import Confusion, Curves
from halfwidth.results.detection_curves import DetectionCurves
from halfwidth.results.estimate import Estimates
from halfwidth.results.ranking import Rankings
from halfwidth.results.result import Result
from halfwidth.results.sample_size import SampleSize, SampleSizes
from halfwidth.results.subsamples import Subsamples

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Pages = Callable[[Any], Sequence["Figure"]]
RANKING_KINDS = (
    *("rank-sets", "significance", "lines", "dots", "podium", "case-heatmap", "heatmap", "blob"),
)
# Forests of more rows are grouped and sorted.
LONG = 8
DOTS_PER_INCH = 110
# So few colours suffice for figures like these, and take a third of the bytes.
COLOURS = 64


def plot(result: Result, kind: str | None = None, *, page: int | None = None) -> Figure:
    """Draw a result as the command line draws it.

    Parameters
    ----------
    result : what a function of this library returned
        Estimates of values of cases are drawn with these, others as a forest; differences as a
        forest; rankings as sets of ranks; limits of agreement beside the differences of the cases;
        curves, confusion matrices, plans and subsamples as what they are.
    kind : str, optional
        Another picture of the same result: of estimates ``"distribution"`` or ``"forest"``; of
        differences ``"forest"``, ``"cases"`` or ``"bland-altman"``; of rankings ``"rank-sets"``,
        ``"significance"``, ``"lines"``, ``"dots"``, ``"podium"``, ``"case-heatmap"``,
        ``"heatmap"`` or ``"blob"``. Other results have one.
    page : int, optional
        Which page, from 1, where the picture takes several.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    OptionError
        For a result that has no picture, a kind that it does not have, a page that is not there or
        is not named, and where matplotlib is missing.

    Examples
    --------
    >>> import halfwidth as hw
    >>> e = hw.summary_ci([0.91, 0.88, 0.93, 0.79, 0.90, 0.92], metric="dsc")
    >>> figure = hw.plot(e)
    >>> len(figure.axes)
    1
    """
    pages = pages_of(result, kind)
    if page is None and len(pages) == 1:
        return pages[0]
    if page is None:
        raise OptionError(f"the picture has {len(pages)} pages; page=1 is the first")
    if isinstance(page, bool) or page not in range(1, len(pages) + 1):
        raise OptionError(f"page={shown(page)}: the picture has {len(pages)}, from 1")
    return pages[page - 1]


def pages_of(result: Result, kind: str | None = None) -> list[Figure]:
    """All pages of the picture of a result."""
    if not isinstance(result, Result):
        raise OptionError(f"{shown(result)} is no result; plot takes what this library returns")
    require_matplotlib()
    drawn = result.collection
    if isinstance(drawn, Sequence) and not drawn:
        raise OptionError(f"{type(result).__name__} of nothing have no picture")
    kinds = next((kinds for of, kinds in PICTURES.items() if isinstance(drawn, of)), None)
    if kinds is None:
        raise OptionError(f"{type(result).__name__} has no picture")
    if kind is None:
        without_cases = isinstance(drawn, Estimates) and not drawn.cases
        kind = "forest" if without_cases else next(iter(kinds))
    return list(kinds[one_of("kind", kind, tuple(kinds))](drawn))


def _figure(ax: Axes) -> Figure:
    return cast("Figure", ax.figure)


def _forest(estimates: Estimates) -> list[Figure]:
    """Of many rows, grouped by the first column whose levels have several rows each, and sorted."""
    is_long = len(estimates) > LONG
    return figures_of_forest(estimates, by=_grouping(estimates) if is_long else None, sort=is_long)


def _grouping(estimates: Estimates) -> str | None:
    levels: dict[str, set[str]] = {}
    for e in estimates:
        for name, level in e.by.items():
            levels.setdefault(name, set()).add(str(level))
    several = [name for name, own in levels.items() if 1 < len(own) <= len(estimates) / 2]
    return several[0] if several else None


def _differences(comparisons: Comparisons) -> list[Figure]:
    """A forest of the differences of each metric."""
    of_metric: dict[tuple[str, str], list[Difference]] = {}
    for item in comparisons:
        of_metric.setdefault((item.estimate.metric, item.metric_spec.unit), []).append(item)
    return [page for items in of_metric.values() for page in figures_of_differences(items)]


def _pairs(comparisons: Comparisons, kind: str) -> list[Figure]:
    return [figure_of_pairs(comparisons, kind)]


def _curves(curves: Curves | DetectionCurves) -> list[Figure]:
    kind = curves[0].kind
    if isinstance(curves, DetectionCurves):
        return [_figure({"froc": froc, "pr": detection_pr}.get(kind, afroc)(curves))]
    return [_figure({"roc": roc, "pr": pr, "decision": decision}[kind](curves))]


# The pictures of each kind of result, the usual one first.
PICTURES: dict[type[Result], dict[str, Pages]] = {
    Estimates: {"distribution": lambda one: [figure_of_table(one)], "forest": _forest},
    Comparisons: {
        "forest": _differences,
        **{kind: functools.partial(_pairs, kind=kind) for kind in KINDS_OF_PAIRS},
    },
    Rankings: {kind: functools.partial(figures_of_rankings, kind=kind) for kind in RANKING_KINDS},
    Agreement: {"bland-altman": lambda one: [_figure(bland_altman(one))]},
    CalibrationCurves: {"curves": lambda one: [figure_of_calibration(one)]},
    CentreCurves: {"curves": lambda one: [figure_of_calibration(one)]},
    Curves: {"curves": _curves},
    DetectionCurves: {"curves": _curves},
    Confusion: {"confusion": lambda one: [_figure(confusion(one))]},
    SampleSize: {"plan": lambda one: [_figure(plan_curve(one))]},
    SampleSizes: {"plan": lambda some: [_figure(plan_curve(some))]},
    Subsamples: {"subsamples": lambda one: [figure_of_subsamples(one)]},
}


def picture(drawing: Figure) -> bytes:
    """A drawing as a small PNG that is the same each time."""
    from PIL import Image

    raw = io.BytesIO()
    with warnings.catch_warnings():
        # Names in other scripts have boxes for letters; beside the picture they stand in full.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        drawing.savefig(
            raw,
            format="png",
            dpi=DOTS_PER_INCH,
            bbox_inches="tight",
            pad_inches=0.05,
            metadata={"Software": None},
        )
    raw.seek(0)
    with Image.open(raw) as image:
        few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    packed = io.BytesIO()
    few.save(packed, format="png", optimize=True)
    return packed.getvalue()
