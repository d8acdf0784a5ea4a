"""The public function for reports: finished results in, a page out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from halfwidth.core.checks import as_flag
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.files import write_whole
from halfwidth.core.frozen import frozen
from halfwidth.core.options import flag_of
from halfwidth.document.html.page import render_fragment, render_html
from halfwidth.document.parts import Document
from halfwidth.document.render import render
from halfwidth.reports.whole.document import report_document
from halfwidth.reports.whole.results import AnyCurves, Results
from halfwidth.results.calibration_curves import CalibrationCurve, CalibrationCurves
from halfwidth.results.comparison import Comparisons, Difference
from halfwidth.results.curves import Curve, Curves
from halfwidth.results.detection_curves import DetectionCurve, DetectionCurves
from halfwidth.results.estimate import Estimate, Estimates
from halfwidth.results.gate import Gate
from halfwidth.results.ranking import Ranking, Rankings

TITLE = "Performance with confidence intervals"
# What the ending of a name asks for.
BY_SUFFIX = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".tex": "latex",
    ".json": "json",
    ".txt": "table",
}
# What holds several results of a kind, by what is one of them.
Several = Estimates | Comparisons | Rankings | AnyCurves
SEVERAL_OF: dict[type, Any] = {
    Estimate: Estimates,
    Difference: Comparisons,
    Ranking: Rankings,
    Curve: Curves,
    CalibrationCurve: CalibrationCurves,
    DetectionCurve: DetectionCurves,
}
ONE = (*SEVERAL_OF, *SEVERAL_OF.values())


@frozen(eq=False)
class Report:
    """A report that can be written in several ways.

    Attributes
    ----------
    title : str
    document : Document
    """

    title: str
    document: Document

    def to_html(self) -> str:
        """One file that loads nothing from anywhere."""
        return render_html(self.document)

    def save(self, path: str | Path) -> None:
        """Write it as the ending of the name says: .html, .md, .tex, .json or .txt.

        Raises
        ------
        OptionError
            For another ending.
        DataError
            If the file cannot be written.
        """
        path = Path(path)
        fmt = BY_SUFFIX.get(path.suffix.lower())
        if fmt is None:
            raise OptionError(
                f"{path.name}: a report ends in one of {', '.join(BY_SUFFIX)}; .pdf is made by "
                f"halfwidth report {flag_of('pdf')}"
            )
        text = self.to_html() if fmt == "html" else render(self.document, fmt)
        write_whole(path, text.encode())

    def _repr_html_(self) -> str:
        return render_fragment(self.document)


def make_report(results: Any, *, title: str = TITLE, figures: bool = True) -> Report:
    """A report of finished results: cautions, tables, figures, a paragraph for the paper.

    Parameters
    ----------
    results : Estimate, Estimates, Difference, Comparisons, Ranking, Rankings, curves, or several
        What `summary_ci`, `metric_ci`, `estimate`, `compare`, `rank`, `curve` and their kin
        return, in any order; those of a kind are joined, and curves that were made together are
        drawn together.
    title : str, default "Performance with confidence intervals"
        Of the page.
    figures : bool, default True
        Whether to draw the values of the cases, where these were kept (``keep_cases=True``),
        the curves and the sets of ranks; takes matplotlib.

    Returns
    -------
    Report
        ``save("report.html")`` writes it.

    Raises
    ------
    OptionError
        For anything that is no result.

    Examples
    --------
    >>> import halfwidth as hw
    >>> e = hw.summary_ci([0.91, 0.88, 0.93, 0.79, 0.90, 0.92], metric="dsc")
    >>> page = hw.make_report(e, title="Liver").to_html()
    >>> "Content-Security-Policy" in page
    True
    """
    if not isinstance(title, str):
        raise OptionError(f"title={shown(title)} is no text")
    single = isinstance(results, ONE) or not isinstance(results, Iterable)
    joined = _joined([results] if single else list(results), title)
    return Report(title, report_document(joined, with_figures=as_flag("figures", figures)))


def _joined(results: list[Any], title: str) -> Results:
    if not results:
        raise OptionError("a report needs a result: make_report(summary_ci(values))")
    each = [_several(one) for one in results]
    curves = tuple(one for one in each if isinstance(one, AnyCurves))
    estimates = [one for one in each if isinstance(one, Estimates)]
    return Results(
        title=title,
        # Curves by themselves have their areas to tell.
        estimates=_all_estimates(estimates or [one.areas for one in curves]),
        comparisons=_all_comparisons([one for one in each if isinstance(one, Comparisons)]),
        rankings=_all_rankings([one for one in each if isinstance(one, Rankings)]),
        curves=curves,
    )


def _several(one: Any) -> Several:
    """A result with others of its kind, were it the only one; of a gate its comparisons."""
    if isinstance(one, Gate):
        return one.comparisons
    for single, several in SEVERAL_OF.items():
        if isinstance(one, single | several):
            made: Several = one if isinstance(one, several) else several((one,))
            return made
    raise OptionError(
        f"{shown(one)} is no result: a report takes what summary_ci, metric_ci, estimate, "
        "compare, rank, curve and their kin return"
    )


def _all_estimates(each: list[Estimates]) -> Estimates:
    return Estimates(
        tuple(item for one in each for item in one),
        tuple(dict.fromkeys(note for one in each for note in one.notes)),
        tuple(cases for one in each for cases in one.cases),
    )


def _all_comparisons(each: list[Comparisons]) -> Comparisons | None:
    if not each:
        return None
    return Comparisons(
        tuple(item for one in each for item in one),
        tuple(goal for one in each for goal in one.goals),
        tuple(dict.fromkeys(note for one in each for note in one.notes)),
    )


def _all_rankings(each: list[Rankings]) -> Rankings | None:
    if not each:
        return None
    if len(each) == 1:
        return each[0]
    return Rankings(
        tuple(item for one in each for item in one),
        tuple(dict.fromkeys(note for one in each for note in one.notes)),
        tuple(consensus for one in each for consensus in one.consensus),
    )
