"""The public function for reports: finished results in, a page out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from halfwidth.core.checks import as_flag
from halfwidth.core.comparison import Comparisons, Difference
from halfwidth.core.errors import DataError, OptionError, shown
from halfwidth.core.estimate import Estimate
from halfwidth.core.estimates import Estimates
from halfwidth.core.frozen import frozen
from halfwidth.core.ranking import Ranking, Rankings
from halfwidth.report.document import Document
from halfwidth.report.html.page import render_html
from halfwidth.report.render import render
from halfwidth.report.whole.document import report_document
from halfwidth.report.whole.results import Results

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
ONE = (Estimate, Estimates, Difference, Comparisons, Ranking, Rankings)


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
        return render_html(self.document, self.title)

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
                "halfwidth report --pdf"
            )
        text = self.to_html() if fmt == "html" else render(self.document, fmt)
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise DataError(f"{path}: cannot be written ({error.strerror})") from None

    def _repr_html_(self) -> str:
        from halfwidth.report.html.page import render_fragment

        return render_fragment(self.document)


def make_report(results: Any, *, title: str = TITLE, figures: bool = True) -> Report:
    """A report of finished results: cautions, tables, figures, a paragraph for the paper.

    Parameters
    ----------
    results : Estimate, Estimates, Difference, Comparisons, Ranking or Rankings, or several of them
        What `summary_ci`, `metric_ci`, `summary_table`, `compare`, `rank` and their kin return, in
        any order; those of a kind are joined.
    title : str
    figures : bool, default True
        Whether to draw the values of the cases, where these were kept (``keep_cases=True``), and
        the sets of ranks. Takes matplotlib.

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
    estimates: list[Estimates] = []
    comparisons: list[Comparisons] = []
    rankings: list[Rankings] = []
    for one in results:
        match one:
            case Estimate():
                estimates.append(Estimates((one,)))
            case Estimates():
                estimates.append(one)
            case Difference():
                comparisons.append(Comparisons((one,)))
            case Comparisons():
                comparisons.append(one)
            case Ranking():
                rankings.append(Rankings((one,)))
            case Rankings():
                rankings.append(one)
            case _:
                raise OptionError(
                    f"{shown(one)} is no result: a report takes what summary_ci, metric_ci, "
                    "summary_table, compare, rank and their kin return"
                )
    if not results:
        raise OptionError("a report needs a result: make_report(summary_ci(values))")
    return Results(
        title=title,
        estimates=_all_estimates(estimates),
        comparisons=_all_comparisons(comparisons),
        rankings=_all_rankings(rankings),
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
