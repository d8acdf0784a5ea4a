"""``report``: data or finished results in, a page out."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from halfwidth.core.by_metric import Numbers
from halfwidth.core.checks import as_flag
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.files import write_whole
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import flag_of, spelled
from halfwidth.data.predictions import Predictions
from halfwidth.document.html.page import render_fragment, render_html
from halfwidth.document.parts import Document
from halfwidth.document.progress import followed
from halfwidth.document.render import render
from halfwidth.estimation.resolve import AUTO
from halfwidth.measuring.quantities import USUAL_STATISTIC
from halfwidth.reports.document import report_document
from halfwidth.reports.of_data import curves_of_predictions, results_of_data
from halfwidth.reports.results import Results
from halfwidth.results.comparison import Comparisons
from halfwidth.results.curves import SeveralCurves
from halfwidth.results.estimate import Estimates
from halfwidth.results.ranking import Rankings
from halfwidth.results.result import Result
from halfwidth.verbs.given import as_data_of_models

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
# What holds several results of a kind.
Several = Estimates | Comparisons | Rankings | SeveralCurves[Any]


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
        if not isinstance(path, str | Path):
            raise OptionError(f"path={shown(path)} names no file")
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


def report(
    data: Any,
    path: str | Path | None = None,
    *,
    metric: Any = None,
    statistic: Any = USUAL_STATISTIC,
    average: Any = None,
    margin: Numbers | None = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
    title: str = TITLE,
    figures: bool = True,
) -> Report:
    """Everything on one page: cautions, tables, figures, a paragraph for the paper.

    Of one model its estimates; of several also their ranks, and of up to five, or with a
    ``margin``, their differences; of scores the curves whose numbers are estimated. Of several
    statistics the first ranks and compares models. Whoever wants other results gives these.

    Parameters
    ----------
    data : CaseValues, Predictions or Detections; frame or array-like; or finished results
        What is given as frames and arrays becomes data with the usual options. Or what `estimate`,
        `compare`, `rank`, `curve` and their kin return, one or several, in any order; those of a
        kind are joined, and curves that were made together are drawn together.
    path : str or Path, optional
        Where to write it; its ending says how: .html, .md, .tex, .json or .txt.
    metric : str, MetricSpec or callable, or sequence of them, optional
        Of predictions and detections, what is estimated; of values, what they are, where their
        data do not say it.
    statistic : str, callable or StatisticSpec, default "mean"
        Summary statistic of values of cases; with parameters: ``"quantile:0.9"``.
    average : str or sequence of them, optional
        Over classes: ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``; ``"none"`` takes
        each class apart.
    margin : float or mapping of str to float, optional
        Largest loss that would not matter, above 0, in the unit of the metric (of a ratio a
        share): asks for non-inferiority and equivalence.
    method : str, default "auto"
        CI method, one of ``halfwidth.METHODS``; ``"auto"`` chooses on evidence.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    n_resamples : int, optional
        Bootstrap resamples; default: 9999, and none where the bootstrap distribution is known
        exactly, as of means and of ratios of counts.
    rng : None, int, SeedSequence or Generator, optional
        Makes bootstraps repeatable; default: fresh, and reported.
    title : str, default "Performance with confidence intervals"
        Of the page.
    figures : bool, default True
        Whether to draw the values of the cases, the curves and the sets of ranks; takes
        matplotlib.

    Returns
    -------
    Report
        ``save("report.html")`` writes it.

    Raises
    ------
    DataError, OptionError, UnknownNameError
        As for the verbs, and for options of inference beside finished results.

    Examples
    --------
    >>> import halfwidth as hw
    >>> values = hw.CaseValues.from_arrays([0.91, 0.88, 0.93, 0.79, 0.90, 0.92], metric="dsc")
    >>> page = hw.report(values, title="Liver", figures=False).to_html()
    >>> "Content-Security-Policy" in page
    True
    >>> hw.report(hw.estimate(values), figures=False).title
    'Performance with confidence intervals'
    """
    if not isinstance(title, str):
        raise OptionError(f"title={shown(title)} is no text")
    if path is not None and not isinstance(path, str | Path):
        raise OptionError(
            f"path={shown(path)} names no file; a report is of data alone: "
            "report(Predictions.from_arrays(y_true, y_score), metric=...)"
        )
    drawn = as_flag("figures", figures)
    asked = {
        "metric": metric,
        "statistic": statistic,
        "average": average,
        "margin": margin,
        "method": method,
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
        "rng": rng,
    }
    finished = _finished(data)
    with followed(2, "parts of the report") as step:
        if finished is None:
            results = _results_of(data, title, asked, with_curves=drawn)
        else:
            _refuse_inference(asked)
            results = _joined(finished, title)
        page = Report(title, report_document(results, with_figures=drawn))
        step()
        if path is not None:
            page.save(path)
    return page


def _finished(results: Any) -> list[Any] | None:
    """The finished results that are given; None where it is data."""
    if _is_told(results):
        return [results]
    if isinstance(results, Iterator):
        return list(results)
    if not isinstance(results, list | tuple):
        return None
    are_results = [_is_told(one) for one in results]
    return list(results) if any(are_results) or not are_results else None


def _refuse_inference(asked: Mapping[str, Any]) -> None:
    """Finished results are what they are."""
    usual = {
        name: one.default
        for name, one in inspect.signature(report).parameters.items()
        if name in asked
    }
    for name, value in asked.items():
        if type(value) is not type(usual[name]) or value != usual[name]:
            raise OptionError(
                f"{spelled(name, value)} has no effect on finished results; it belongs where they "
                "are made"
            )


def _results_of(source: Any, title: str, asked: Mapping[str, Any], *, with_curves: bool) -> Results:
    """What there is to tell of data."""
    given = as_data_of_models(source, None, asked["metric"], "report", estimates=True)
    data = replace(cast("Any", given), kept={})
    results = results_of_data(data, **asked)
    estimates, curves = results.estimates, ()
    if isinstance(data, Predictions) and with_curves and not any(len(e.by) > 1 for e in estimates):
        how = {name: asked[name] for name in ("confidence_level", "n_resamples", "rng")}
        curves, why_not = curves_of_predictions(data, estimates, **how)
        if why_not:
            estimates = replace(estimates, notes=(*estimates.notes, why_not))
    return Results(
        title=title,
        estimates=estimates,
        comparisons=results.comparisons,
        rankings=results.rankings,
        curves=curves,
    )


def _joined(results: list[Any], title: str) -> Results:
    if not results:
        raise OptionError("a report needs data or a result: report(estimate(values))")
    each = [_several(one) for one in results]
    curves = tuple(one for one in each if isinstance(one, SeveralCurves))
    estimates = [one for one in each if isinstance(one, Estimates)]
    return Results(
        title=title,
        # Curves by themselves have their areas to tell.
        estimates=_all_estimates(estimates or [one.areas for one in curves]),
        comparisons=_all_comparisons([one for one in each if isinstance(one, Comparisons)]),
        rankings=_all_rankings([one for one in each if isinstance(one, Rankings)]),
        curves=curves,
    )


def _is_told(one: Any) -> bool:
    """Whether a report takes this result, or a collection of such."""
    told = one.collection if isinstance(one, Result) else None
    if isinstance(told, SeveralCurves):
        # Curves over centres have no numbers that sum them up.
        return hasattr(told, "areas")
    return isinstance(told, Estimates | Comparisons | Rankings)


def _several(one: Any) -> Several:
    """A result with others of its kind, were it the only one; of a gate its comparisons."""
    if _is_told(one):
        return cast("Several", one.collection)
    raise OptionError(
        f"{shown(one)} is not a result: a report takes what summary_ci, metric_ci, estimate, "
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
