"""``halfwidth study advise``: which method to use, by a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from halfwidth.cli import completion
from halfwidth.cli.answer import Answer
from halfwidth.cli.option_groups import argument, option
from halfwidth.cli.options import FormatOfStdout, Json, Seed, resolve_format
from halfwidth.cli.study_answers import Names, cells_in, filter_option
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.core.parameters import split_names
from halfwidth.core.rng import resolve_seed
from halfwidth.study.analysis import advice, chosen


def advise(
    stores: Annotated[list[Path], argument("The store of a study, or several.", "STORE...")],
    metric: Annotated[Names, filter_option("this metric", completed=completion.all_metrics)] = None,
    statistic: Annotated[
        Names, filter_option("this statistic", completed=completion.statistics)
    ] = None,
    average: Annotated[Names, filter_option("this average")] = None,
    method: Annotated[
        Names, filter_option("among these methods", completed=completion.methods)
    ] = None,
    n: Annotated[Names, filter_option("this size", "--n", "-n")] = None,
    top: Annotated[
        int,
        option(
            "Methods shown of each n, besides those that cannot be told apart from the first.",
            "K",
            Group.ESTIMATE,
        ),
    ] = 3,
    reference: Annotated[
        str | None,
        option(
            "The method that widths are compared with; default: t, else wilson or percentile.",
            "METHOD",
            Group.ESTIMATE,
            completed=completion.methods,
        ),
    ] = None,
    seed: Seed = None,
    fmt: FormatOfStdout = None,
    json: Json = False,
) -> Answer:
    """Which method to use on data like those of a study: reliable ones first, then narrow ones.

    A method is reliable where at least three quarters of the instances are missed at most 1.2 times
    as often as the level allows (94 % coverage of 95 % intervals). Add "auto" to the methods of the
    spec to see how what you get by default compares.

    \b
    halfwidth study advise store/
    halfwidth study advise store/ --metric dsc --statistic mean -n 10,50
    halfwidth study advise seg/ cls/ --json
    """
    from halfwidth.study.reports.advice import advice_document

    written = resolve_format(fmt, json)
    if top < 1:
        raise OptionError(f"--top {top}: show at least 1 method of each n")
    filters_typed = {
        "metric": metric,
        "statistic": statistic,
        "average": average,
        "method": method,
        "n": n,
    }
    filters = {name: split_names(texts) for name, texts in filters_typed.items() if texts}
    resolved = resolve_seed(seed)
    ranked = advice(chosen(cells_in(stores), **filters), reference=reference, rng=resolved)
    return Answer(advice_document(ranked, top=top, seed=resolved), written)
