"""``halfwidth methods``: what exists, and when to use which."""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

from halfwidth.cli import completion
from halfwidth.cli.output import write
from halfwidth.core.references import cite
from halfwidth.core.spec import Estimand, MethodSpec, Need, Statistic
from halfwidth.core.types import Level
from halfwidth.report import page
from halfwidth.report.tables import text_table


def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Show one method in full.",
            metavar="[METHOD]",
            autocompletion=completion.methods,
        ),
    ] = None,
    statistic: Annotated[
        str | None,
        typer.Option(
            help="Only methods for this statistic.",
            metavar="NAME",
            show_default=False,
            autocompletion=completion.statistics,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help="Only methods for this metric of a test set.",
            metavar="NAME",
            show_default=False,
            autocompletion=completion.sample_metrics,
        ),
    ] = None,
) -> None:
    """List the CI methods and when to use which.

    \b
    halfwidth methods
    halfwidth methods --statistic median
    halfwidth methods --metric auroc
    halfwidth methods bca
    """
    from halfwidth.intervals.catalogue import METHODS

    if name is not None:
        write(_in_full(METHODS[name]) + "\n")
        return
    chosen = list(METHODS)
    if statistic is not None:
        from halfwidth.estimation.resolve import accepted_methods
        from halfwidth.summaries.catalogue import STATISTICS

        # Its parameters, which a quantile needs, do not matter here.
        spec = STATISTICS[statistic.partition(":")[0]]
        accepted = accepted_methods(Statistic(spec), binary=spec.estimand is Estimand.MEAN)
        chosen = [method for method in METHODS if method.name in accepted]
    if metric is not None:
        from halfwidth.estimation.metric_front import estimands_of

        wanted = estimands_of(metric)
        # Resamples of these have no standard error of their own.
        means = bool(wanted & {Estimand.MEAN, Estimand.PROPORTION})
        chosen = [
            method
            for method in chosen
            if method.accepts & wanted and (means or method.distribution is not Need.STUDENTIZED)
        ]
    write(_overview(chosen) + "\n")


def _overview(chosen: list[MethodSpec]) -> str:
    rows = [
        [method.name, method.accepts_text, str(method.min_n), method.use_when] for method in chosen
    ]
    headings, whole = ["method", "for", "min n", "use it"], ("method", "min n")
    table = text_table(headings, rows, right=("min n",), whole=whole)
    return table + "\nauto chooses among them; 'halfwidth methods NAME' says more."


def _in_full(method: MethodSpec) -> str:
    source = str(cite(method.cite)) if method.cite else "-"
    promises = ", ".join(sorted(method.promises)) or "nothing"
    fields = {
        "for": method.accepts_text,
        "use it": method.use_when,
        "least n": str(method.min_n) + _least_for_quantiles(method),
        "designs": method.designs_text,
        "promises": promises,
        "cautions": ", ".join(method.cautions) or "those that the data call for",
        "source": source,
    }
    lines = [
        f"{method.name}: {method.title}",
        "",
        *textwrap.wrap(method.summary.replace("`", ""), page.width()),
        "",
    ]
    for field, text in fields.items():
        lines += textwrap.wrap(
            f"{field:<9} {text}", page.width(), subsequent_indent=" " * 10, break_long_words=False
        )
    return "\n".join(lines)


def _least_for_quantiles(method: MethodSpec) -> str:
    if method.name != "exact":
        return ""
    from halfwidth.intervals.ranks import minimum_n

    return f" at any level; at 95 %: {minimum_n(0.5, Level())} for a median"
