"""Results as a notebook shows them: the tables of the report with what belongs to them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from halfwidth.document.html.page import render_fragment
from halfwidth.document.parts import Document, Item, Items, Note, Part
from halfwidth.planning.published.reviews import Reviews
from halfwidth.planning.published.reviews_document import reviews_document
from halfwidth.planning.subsampling import Subsamples
from halfwidth.report.subsamples import subsamples_document
from halfwidth.report.whole.comparing import differences
from halfwidth.report.whole.performance import performance
from halfwidth.report.whole.pictures import figures_of_curves
from halfwidth.report.whole.results import AnyCurves, Results
from halfwidth.results.audit import Audit
from halfwidth.results.calibration_results import CalibrationTests
from halfwidth.results.centre_results import CentreResults
from halfwidth.results.comparison import Comparisons
from halfwidth.results.documents.audits import audit_document
from halfwidth.results.documents.calibration import calibration_document
from halfwidth.results.documents.plans import plans_document
from halfwidth.results.documents.rankings import rankings_document
from halfwidth.results.estimates import Estimates
from halfwidth.results.ranking import Rankings
from halfwidth.results.sample_size import SampleSize


def notebook_html(results: Any) -> str:
    """A part of a page, with a style of its own and no script."""
    return render_fragment(Document(tuple(_parts(results))))


@functools.singledispatch
def _parts(results: Any) -> Iterable[Part]:
    raise TypeError(f"{type(results).__name__} has no document")


@_parts.register
def _(results: Estimates) -> Iterable[Part]:
    section = performance(Results(title="", estimates=results))
    found = section.parts if section else (Note("No estimates."),)
    return (*found, _cautions(results), *map(Note, results.notes))


@_parts.register
def _(results: Comparisons) -> Iterable[Part]:
    section = differences(Results(title="", comparisons=results))
    found = section.parts if section else (Note("No comparisons."),)
    return (*found, _cautions(results), *map(Note, results.notes))


@_parts.register
def _(results: AnyCurves) -> Iterable[Part]:
    drawn = figures_of_curves([results]) if find_spec("matplotlib") else ()
    # Decision curves have no number that sums them up.
    return (*drawn, *(_parts(results.areas) if results.areas else ()))


@_parts.register
def _(results: Rankings) -> Iterable[Part]:
    return (*rankings_document(results).parts, *map(Note, results.notes))


@_parts.register
def _(results: SampleSize) -> Iterable[Part]:
    return plans_document([results]).parts


@_parts.register
def _(results: CalibrationTests | CentreResults) -> Iterable[Part]:
    return (*calibration_document(results).parts, *map(Note, results.notes))


@_parts.register
def _(results: Subsamples) -> Iterable[Part]:
    return subsamples_document(results).parts


@_parts.register
def _(results: Reviews) -> Iterable[Part]:
    return (*reviews_document(results).parts, *map(Note, results.notes))


@_parts.register
def _(results: Audit) -> Iterable[Part]:
    return (*audit_document(results).parts, *map(Note, results.notes))


def _cautions(results: Estimates | Comparisons) -> Items:
    return Items(tuple(Item(code, text, code) for code, text in results.caution_lines()))
