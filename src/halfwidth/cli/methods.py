"""``halfwidth methods``: what exists, and when to use which."""

from __future__ import annotations

from typing import Annotated

import typer

from halfwidth.cli import completion
from halfwidth.cli.answer import Answer
from halfwidth.cli.branch_commands import commands_of_branches
from halfwidth.cli.command import refuse_given
from halfwidth.cli.option_groups import argument, option
from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.parameters import Parameter
from halfwidth.core.references import cite
from halfwidth.core.spec import Estimand, MethodSpec, Need, Statistic
from halfwidth.core.types import Level
from halfwidth.document.parts import (
    Document,
    Heading,
    Items,
    Kind,
    Note,
    Paragraph,
    Table,
)
from halfwidth.estimation.resolve import accepted_methods
from halfwidth.intervals.all_methods import METHODS, method_named
from halfwidth.intervals.quantile import exact as exact_method
from halfwidth.intervals.ranks import minimum_n
from halfwidth.metrics.names import possible_estimands
from halfwidth.summaries.all_statistics import STATISTICS


def methods(
    ctx: typer.Context,
    name: Annotated[
        str | None, argument("Show one method in full.", "METHOD", completed=completion.methods)
    ] = None,
    statistic: Annotated[
        str | None,
        option("Only methods for this statistic.", "NAME", completed=completion.statistics),
    ] = None,
    metric: Annotated[
        str | None,
        option(
            "Only methods for this metric of a test set or of detections.",
            "NAME",
            completed=completion.metrics_of_sets,
        ),
    ] = None,
    what_for: Annotated[
        str | None,
        option(
            " ".join(branch.TASK_HELP for branch in commands_of_branches()),
            "NAME",
            flags=("--for",),
            completed=completion.one_of(*(branch.TASK for branch in commands_of_branches())),
        ),
    ] = None,
) -> Answer:
    """List the CI methods and when to use which.

    \b
    halfwidth methods
    halfwidth methods --statistic median
    halfwidth methods --metric auroc
    halfwidth methods bca
    halfwidth methods --for detection
    """
    if what_for is not None:
        tasks = {branch.TASK: branch for branch in commands_of_branches()}
        if what_for not in tasks:
            raise UnknownNameError("task (--for)", what_for, tuple(tasks))
        if name is not None or statistic is not None or metric is not None:
            raise OptionError("--for lists what there is for a task; leave out all else")
        return Answer(tasks[what_for].overview())
    if name is not None:
        why = f"selects from the list of methods; leave it out, or leave out {name}"
        refuse_given(ctx, ("statistic", "metric"), why)
        return Answer(in_full(method_named(name)))
    chosen = list(METHODS)
    if statistic is not None:
        # Its parameters, which a quantile needs, do not matter here.
        spec = STATISTICS[statistic.partition(":")[0]]
        accepted = accepted_methods(Statistic(spec), binary=spec.estimand is Estimand.MEAN)
        chosen = [method for method in METHODS if method.name in accepted]
    if metric is not None:
        estimands = possible_estimands(metric)
        # Resamples of these have no standard error of their own.
        means = bool(estimands & {Estimand.MEAN, Estimand.PROPORTION})
        chosen = [
            method
            for method in chosen
            if method.makes_for(estimands)
            and (means or method.distribution is not Need.STUDENTIZED)
        ]
    return Answer(_overview(chosen))


def _overview(chosen: list[MethodSpec]) -> Document:
    rows = [
        [method.name, method.accepts_text, str(method.min_n), method.use_when] for method in chosen
    ]
    kinds = {"method": Kind.NAME, "for": Kind.TEXT, "use it": Kind.TEXT}
    table = Table.from_rows(["method", "for", "min n", "use it"], rows, kinds=kinds)
    return Document((table, Note("auto chooses among them; 'halfwidth methods NAME' says more.")))


def in_full(method: MethodSpec) -> Document:
    """What is known of a method."""
    fields = {
        "for": method.accepts_text,
        "use it": method.use_when,
        "least n": str(method.min_n) + _least_for_quantiles(method),
        "designs": method.designs_text,
        **{one.name: _parameter(one) for one in method.parameters},
        "assumes": method.assumes,
        "promises": ", ".join(sorted(method.promises)) or "nothing",
        "cautions": ", ".join(method.cautions) or "those that the data call for",
        "source": str(cite(method.cite)) if method.cite else "-",
    }
    return Document(
        (
            Heading(f"{method.name}: {method.title}"),
            Paragraph(method.summary.replace("`", "")),
            Items.from_texts(fields.items()),
        )
    )


def _parameter(parameter: Parameter) -> str:
    default = "" if parameter.default is None else f"; {parameter.default:g} unless given"
    return f"{parameter.summary}: {parameter.allowed_text}{default}"


def _least_for_quantiles(method: MethodSpec) -> str:
    if method.name != exact_method.__name__:
        return ""

    return f" at any level; at 95 %: {minimum_n(0.5, Level())} for a median"
