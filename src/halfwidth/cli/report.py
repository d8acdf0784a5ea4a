"""``halfwidth report``: everything that is known of some results, on one page."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from halfwidth.cli import (
    comparison_options,
    options,
    reading,
    reported_models,
)
from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.kept_inputs import refuse_inputs
from halfwidth.cli.option_groups import argument, option, switch, with_options
from halfwidth.cli.output import note
from halfwidth.cli.printing import print_page
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.document.parts import Document
from halfwidth.document.progress import followed
from halfwidth.reports.document import report_document
from halfwidth.reports.report import Report
from halfwidth.reports.results import InputFile, Results
from halfwidth.tables.folds import files_of

TITLE = "Performance with confidence intervals"


@with_options(*comparison_options.OF_MODELS)
def report(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        argument(
            f"{reading.FILE_HELP}. Of one model; or with the models in a column (--model); or a "
            "table for each model: NAME=FILE calls it NAME. Several columns of values are those "
            "of one model.",
            "FILE",
        ),
    ] = None,
    model: options.Model = None,
    value: options.Values = None,
    by: Annotated[
        list[str] | None,
        option(
            "Column whose levels are reported apart, such as the organ; repeatable.",
            "COLUMN",
            Group.INPUT,
            flags=("--by", "--task"),
        ),
    ] = None,
    model_from: reading.ModelFrom = None,
    missing: options.Missing = "raise",
    metric: options.Metric = None,
    baseline: comparison_options.Baseline = None,
    margin: comparison_options.Margin = None,
    seed: options.Seed = None,
    title: Annotated[str, option("Heading of the page.", "TEXT", Group.OUTPUT)] = TITLE,
    out: Annotated[Path, option("The page.", "FILE", Group.OUTPUT, flags=("--out", "-o"))] = Path(
        "report.html"
    ),
    pdf: Annotated[
        bool,
        switch("--pdf", "As PDF too, beside the page; takes Chromium or Chrome.", Group.OUTPUT),
    ] = False,
    latex: Annotated[bool, switch("--latex", "As LaTeX too.", Group.OUTPUT)] = False,
    markdown: Annotated[bool, switch("--markdown", "As Markdown too.", Group.OUTPUT)] = False,
    json: Annotated[bool, switch("--json", "As JSON too.", Group.OUTPUT)] = False,
    figures: Annotated[
        bool,
        switch(
            "--figures/--no-figures",
            "Draw the values of the cases, as dots in a picture, and the sets of ranks.",
            Group.OUTPUT,
        ),
    ] = True,
    include_cases: Annotated[
        bool,
        switch(
            "--include-cases",
            "Put the ids and the values of all cases on the page; without it none is there.",
            Group.OUTPUT,
        ),
    ] = False,
    protocol: Annotated[
        Path | None,
        option(
            "File in which was laid down beforehand what would be done; the report states its "
            "hash.",
            "FILE",
            Group.OUTPUT,
        ),
    ] = None,
    strict: options.Strict = False,
) -> Answer:
    """Everything that is known of some results on one page that loads nothing from anywhere.

    Cautions, tables with intervals, the values behind them, differences and ranks of models, what
    more cases would bring, a paragraph for the paper, answers to reporting checklists, and how each
    number came about. No id and no value of a case is on the page.

    \b
    halfwidth report dice.csv --metric dsc -o report.html
    halfwidth report A=new.csv B=old.csv --metric dsc --margin 0.01 --pdf
    halfwidth report models.csv --by task --metric dsc
    halfwidth report preds.csv --target y --score p1 --metric auroc,sensitivity
    halfwidth report detections.json --references references.json \\
        --metric ap50,froc_score
    """
    if not files:
        raise OptionError(
            "name a table: halfwidth report FILE; 'halfwidth report --help' says more"
        )
    if any(text.rpartition("=")[2] == "-" for text in files):
        raise OptionError(
            "a report states the hashes of its files, and standard input (-) has none; save the "
            "table and name it"
        )
    if out.suffix.lower() not in (".html", ".htm"):
        raise OptionError(
            f"-o {out}: the page ends in .html; --pdf, --latex, --markdown and --json write others"
        )
    if not out.parent.is_dir():
        raise DataError(f"{out}: cannot be written (no folder {out.parent})")
    if protocol is not None and not protocol.is_file():
        raise DataError(f"--protocol {protocol}: there is no such file")
    if figures:
        _check_figures()
    wanted = {".tex": latex, ".md": markdown, ".json": json, ".pdf": pdf}
    written = [out, *(out.with_suffix(suffix) for suffix, asked in wanted.items() if asked)]
    refuse_inputs(ctx, written)

    with followed(2, "parts of the report") as step:
        reported = reported_models.results_of(ctx, files, figures=figures)
        sources = tuple(
            InputFile.from_file(path, " ".join(filter(None, (name, fold and f"fold {fold}"))))
            for name, model in reported.files.items()
            for fold, path in files_of(model).items()
        )
        results = Results(
            title=title,
            estimates=reported.estimates,
            comparisons=reported.comparisons,
            rankings=reported.rankings,
            curves=reported.curves,
            sources=sources,
            protocol=None if protocol is None else InputFile.from_file(protocol, "protocol"),
            # Files without their folders, which may say whose they are.
            command=shlex.join(["halfwidth", *map(_without_folder, ctx.obj)]),
            cases=reported_models.cases_of(ctx.params, reported.files) if include_cases else (),
        )
        page = Report(title, report_document(results, with_figures=figures))
        step()
        _write(page, written)

    return Answer(Document(), status=strict_status(strict, results.cautions))


def _check_figures() -> None:
    """Refuse before any work is done where nothing can be drawn."""
    from halfwidth.plots.style import require_matplotlib

    try:
        require_matplotlib(None)
    except OptionError as error:
        raise OptionError(f"{error}; or leave out the figures: --no-figures") from None


def _without_folder(word: str) -> str:
    """The last part of a path, which may follow the name of a model or of an option.

    >>> _without_folder("A=/home/me/new.csv"), _without_folder("auroc")
    ('A=new.csv', 'auroc')
    """
    before, equals, path = word.rpartition("=")
    return f"{before}{equals}{Path(path).name}" if path else word


def _write(page: Report, files: list[Path]) -> None:
    for file in files:
        if file.suffix == ".pdf":
            print_page(files[0], file)
        else:
            page.save(file)
        note(f"wrote {file}")
