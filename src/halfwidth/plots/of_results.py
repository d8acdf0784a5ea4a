"""One picture for every result: the one that the command line draws."""

from __future__ import annotations

import functools
import io
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from halfwidth.core.branches import modules_brought
from halfwidth.core.checks import one_of
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.titles import metric_title
from halfwidth.document.progress import followed
from halfwidth.plots.bland_altman import bland_altman
from halfwidth.plots.comparison import figures_of_differences
from halfwidth.plots.confusion import confusion
from halfwidth.plots.curve_parts import curve_text, height_of
from halfwidth.plots.curves import decision, pr, roc
from halfwidth.plots.distribution_panels import figures_of_table
from halfwidth.plots.figure import AnyFigure, figure
from halfwidth.plots.forest_pages import figures_of_forest
from halfwidth.plots.pairs import OF_ONE_PAIR, figures_of_pairs
from halfwidth.plots.plan import plan_curve
from halfwidth.plots.ranking.panels import OF_ONE_RANKING, figures_of_rankings
from halfwidth.plots.sheets import packed
from halfwidth.plots.style import NOTE_SIZE, PAGE, QUIET
from halfwidth.plots.subsampling import figure_of_subsamples
from halfwidth.results.agreement import Agreement
from halfwidth.results.comparison import Comparisons, Difference
from halfwidth.results.curves import Confusion, Curve, Curves
from halfwidth.results.estimate import Estimate, Estimates
from halfwidth.results.ranking import Rankings
from halfwidth.results.result import Result
from halfwidth.results.sample_size import SampleSize, SampleSizes
from halfwidth.results.subsamples import Subsamples

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# Forests of more rows are grouped and sorted.
LONG = 8
# Curves whose colours and strokes differ.
MOST_CURVES = 21
# Inches of a line above a page.
HEAD = 0.2
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
        Which page, from 1, where the picture takes several. Default: the first, which then says
        above how many there are.

    Returns
    -------
    matplotlib Figure
        A notebook shows it.

    Raises
    ------
    OptionError
        For a result that has no picture, a kind that it does not have, a page that is not there,
        and where matplotlib is missing.

    Examples
    --------
    >>> import halfwidth as hw
    >>> e = hw.summary_ci([0.91, 0.88, 0.93, 0.79, 0.90, 0.92], metric="dsc")
    >>> figure = hw.plot(e)
    >>> len(figure.axes)
    1
    """
    pages = pages_of(result, kind)
    if page is None:
        if len(pages) > 1:
            _head(pages[0], f"page 1 of {len(pages)}; plot(…, page=2) draws the next")
        return pages[0]
    if isinstance(page, bool) or page not in range(1, len(pages) + 1):
        raise OptionError(f"page={shown(page)}: the picture has {len(pages)}, from 1")
    return pages[page - 1]


def pages_of(result: Result, kind: str | None = None) -> list[Figure]:
    """All pages of the picture of a result."""
    if not isinstance(result, Result):
        raise OptionError(
            f"{shown(result)} is not a result; give plot what a verb returns: plot(estimate(data))"
        )
    drawn = result.collection
    if isinstance(drawn, Sequence) and not drawn:
        raise OptionError(f"{type(result).__name__} without results cannot be drawn")
    with followed(1, "pictures drawn"):
        return figure_of(result, kind).pages(drawn)


def _head(page: Figure, text: str) -> None:
    """A line above all else on a page: below it may be a legend."""
    inches = page.get_figheight()
    engine: Any = page.get_layout_engine()
    page.set_figheight(inches + HEAD)
    share = HEAD / (inches + HEAD)
    if engine is not None:
        engine.set(rect=(0, 0, 1, 1 - share))
    style: dict[str, Any] = {"ha": "right", "va": "top", "fontsize": NOTE_SIZE, "color": QUIET}
    page.text(0.995, 1 - 0.2 * share, text, **style)


def figure_of(result: Result, kind: str | None = None) -> AnyFigure:
    """What draws this picture of a result; its caption says what the picture shows."""
    drawn = result.collection
    kinds = next((kinds for of, kinds in _pictures() if isinstance(drawn, of)), None)
    if kinds is None:
        raise OptionError(f"{type(drawn).__name__} has no picture")
    if kind is None:
        without_cases = isinstance(drawn, Estimates) and not drawn.cases
        kind = "forest" if without_cases else next(iter(kinds))
    drawing = kinds[one_of("kind", kind, tuple(kinds))]
    if isinstance(result, Estimate | Difference) and kind != "forest":
        is_estimate = isinstance(result, Estimate)
        verb, several = ("estimate", "estimates") if is_estimate else ("compare", "differences")
        raise OptionError(
            f"one {several[:-1]} has no values of cases to draw; those that {verb} returns have: "
            f"plot({several}[:1], {kind!r})"
        )
    return drawing


@figure(figures_of_forest.caption, figures_of_forest.frame)
def _forest(estimates: Estimates) -> list[Figure]:
    """Forest of many rows, grouped by the first column whose levels have several, and sorted."""
    is_long = len(estimates) > LONG
    return figures_of_forest(estimates, by=_grouping(estimates) if is_long else None, sort=is_long)


def _grouping(estimates: Estimates) -> str | None:
    """The first column of which each level has several rows of one panel."""
    # A panel for each metric: rows of one are sorted.
    first = metric_title(estimates[0].metric_spec)
    rows = [e for e in estimates if metric_title(e.metric_spec) == first]
    levels: dict[str, set[str]] = {}
    for e in rows:
        for name, level in e.by.items():
            levels.setdefault(name, set()).add(str(level))
    several = [name for name, own in levels.items() if 1 < len(own) <= len(rows) / 2]
    return several[0] if several else None


def _by_metric(comparisons: Comparisons) -> list[list[Difference]]:
    by_metric: dict[tuple[str, str], list[Difference]] = {}
    for item in comparisons:
        by_metric.setdefault((item.estimate.metric, item.metric_spec.unit), []).append(item)
    return list(by_metric.values())


def _frame_of_differences(comparisons: Comparisons) -> pd.DataFrame:
    import pandas as pd

    frames = map(figures_of_differences.frame, _by_metric(comparisons))
    return pd.concat(frames, ignore_index=True)


@figure(figures_of_differences.caption, _frame_of_differences)
def _differences(comparisons: Comparisons) -> list[Figure]:
    """A forest of the differences of each metric."""
    pages_by_metric = map(figures_of_differences, _by_metric(comparisons))
    return [page for pages in pages_by_metric for page in pages]


def _figure_of_curves(curves: Curves) -> AnyFigure:
    return {"roc": roc, "pr": pr, "decision": decision}[curves[0].kind]


@figure("Curves with their bands", lambda curves: _figure_of_curves(curves).frame(curves))
def _curves(curves: Curves) -> Any:
    """Curves on as many pages as it takes to tell them apart, those of one model together."""
    drawing = _figure_of_curves(curves)

    def fits(page: list[Curve]) -> bool:
        texts = [curve_text(curve.label, curve.area) for curve in page]
        return len(page) <= MOST_CURVES and height_of(texts) <= PAGE

    of_models = itertools.groupby(curves, lambda curve: curve.label.rpartition(", ")[0])
    parts: list[list[Curve]] = []
    for _, group in of_models:
        own = list(group)
        parts += [own] if fits(own) else [[curve] for curve in own]
    return [drawing(page) for page in packed(parts, fits)]


def _kinds(pages: AnyFigure, kinds: Mapping[str, AnyFigure]) -> dict[str, AnyFigure]:
    """The figures of all pairs or rankings, as the figure of one of them is called."""
    return {
        kind: figure(of.caption, functools.partial(pages.frame, kind=kind))(
            functools.partial(pages, kind=kind)
        )
        for kind, of in kinds.items()
    }


# The pictures of each kind of result, the usual one first.
PICTURES: dict[type[Result], dict[str, AnyFigure]] = {
    Estimates: {"distribution": figures_of_table, "forest": _forest},
    Comparisons: {"forest": _differences, **_kinds(figures_of_pairs, OF_ONE_PAIR)},
    Rankings: _kinds(figures_of_rankings, OF_ONE_RANKING),
    Agreement: {"bland-altman": bland_altman},
    Curves: {"curves": _curves},
    Confusion: {"confusion": confusion},
    SampleSize: {"plan": plan_curve},
    SampleSizes: {"plan": plan_curve},
    Subsamples: {"subsamples": figure_of_subsamples},
}


def _pictures() -> Iterator[tuple[type[Result], dict[str, AnyFigure]]]:
    """The pictures of each kind of result, then those that branches bring."""
    yield from PICTURES.items()
    for module in modules_brought("FIGURES"):
        yield from module.PICTURES.items()


def picture(page: Figure) -> bytes:
    """A page as a small PNG that is the same each time."""
    from PIL import Image

    from halfwidth.plots.canvas import encoded_quietly

    how = {"dpi": DOTS_PER_INCH, "bbox_inches": "tight", "pad_inches": 0.05}
    raw = encoded_quietly(page, **how, pil_kwargs={"compress_level": 0})
    with Image.open(io.BytesIO(raw)) as image:
        few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    packed = io.BytesIO()
    few.save(packed, format="png", optimize=True)
    return packed.getvalue()
