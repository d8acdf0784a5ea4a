"""Pictures of finished results, as bytes of a PNG."""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from halfwidth.core.formatting import percent
from halfwidth.document.parts import Figure
from halfwidth.report.whole.performance import pale_text
from halfwidth.report.whole.results import AnyCurves, Results
from halfwidth.results.calibration_curves import CalibrationCurves
from halfwidth.results.detection_curves import DetectionCurves
from halfwidth.results.detection_estimate import DetectionEstimate
from halfwidth.results.estimates import Cases, Estimates
from halfwidth.results.ranking import Rankings

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

DOTS_PER_INCH = 110
# So few colours suffice for figures like these, and take a third of the bytes.
COLOURS = 64
CURVES = {
    "roc": "ROC curves",
    "pr": "Precision-recall curves",
    "decision": "Decision curves",
    "smooth": "Smooth calibration curves",
    "isotonic": "Isotonic calibration curves (CORP)",
    "bins": "Calibration in bins",
    "froc": "FROC curves",
    "afroc": "AFROC curves",
    "wafroc": "Weighted AFROC curves",
}
# Rows of values that one figure holds.
MOST_ROWS = 20


def figures_of_cases(results: Results) -> Iterator[Figure]:
    """The values behind the estimates, where they were kept: a figure of each family.

    Dots are drawn into a picture, so that no value can be read out of the page.
    """
    numbers: dict[Any, int] = {}
    for family in results.families:
        known = {cases.label: cases for cases in family.cases if cases is not None}
        if not results.cases:
            known = {label: _numbered(cases, numbers) for label, cases in known.items()}
        labels = list(known)
        about = f"{family.task}: " if family.task else ""
        caption = f"{about}{family.metric or 'values'} of each case, with estimates and intervals"
        if pale := pale_text(family.estimates):
            caption += f"; {pale}"
        for start in range(0, len(labels), MOST_ROWS):
            some = labels[start : start + MOST_ROWS]
            shown = Estimates(
                tuple(e for e in family.estimates if e.label in some),
                cases=tuple(known[label] for label in some),
            )
            picture = functools.partial(_cases_picture, shown)
            yield Figure("distribution", caption, shown, picture=picture)


def _numbered(cases: Cases, numbers: dict[Any, int]) -> Cases:
    """Cases whose clusters have numbers, the same in all figures: their names may be patients."""
    if cases.groups is None:
        return cases
    places = [numbers.setdefault(name, len(numbers) + 1) for name in cases.groups]
    return replace(cases, groups=tuple(f"cluster {place}" for place in places))


def _cases_picture(estimates: Estimates) -> bytes:
    from halfwidth.plots import figure_of_table

    return png(figure_of_table(estimates))


def figures_of_ranks(rankings: Rankings | None) -> tuple[Figure, ...]:
    """The sets of ranks of each ranking."""
    if not rankings:
        return ()
    return (
        Figure(
            "rank-sets",
            "Ranks of the models with the sets of ranks that hold together",
            rankings,
            picture=functools.partial(_ranks_picture, rankings),
        ),
    )


def _ranks_picture(rankings: Rankings) -> bytes:
    from halfwidth.plots import figures_of_rankings

    return png(figures_of_rankings(rankings, "rank-sets")[0])


def figures_of_curves(each: Iterable[AnyCurves]) -> Iterator[Figure]:
    """Curves with their bands."""
    for curves in each:
        level = percent(curves[0].confidence_level)
        bands = "bars" if curves[0].kind == "bins" else "bands"
        caption = f"{CURVES[curves[0].kind]} with pointwise {level} {bands}"
        if isinstance(curves[0].area, DetectionEstimate):
            caption += f"; matched by {curves[0].area.matched_by}"
        yield Figure("curves", caption, curves, picture=functools.partial(_curves_picture, curves))


def _curves_picture(curves: AnyCurves) -> bytes:
    from halfwidth import plots

    if isinstance(curves, CalibrationCurves):
        return png(plots.figure_of_calibration(curves))
    if isinstance(curves, DetectionCurves):
        drawn = {"froc": plots.froc, "pr": plots.detection_pr}.get(curves[0].kind, plots.afroc)
        ax = drawn(curves)
    else:
        ax = {"roc": plots.roc, "pr": plots.pr, "decision": plots.decision}[curves[0].kind](curves)
    return png(cast("Drawing", ax.figure))


def png(drawing: Drawing) -> bytes:
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
