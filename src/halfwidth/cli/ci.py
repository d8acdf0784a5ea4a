"""``halfwidth ci``: intervals for a table of per-case values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli import figures, options
from halfwidth.cli.output import note, write

__all__ = ["ci"]

STRICT_STATUS = 3
# Draws that take NumPy some twenty seconds.
LONG_JOB = 2e9


def ci(
    file: Annotated[
        Path, typer.Argument(help="Table: .csv, .tsv, .txt, .parquet or .xlsx.", metavar="FILE")
    ],
    value: Annotated[
        list[str] | None,
        typer.Option(
            help="Column with values; repeatable. Default: all numeric columns.",
            metavar="COLUMN",
            show_default=False,
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Column whose levels are estimated apart; repeatable.",
            metavar="COLUMN",
            show_default=False,
        ),
    ] = None,
    metric: options.Metric = None,
    statistic: options.Statistics = ["mean"],  # noqa: B006 -- typer copies it
    method: options.Method = "auto",
    confidence_level: options.ConfidenceLevel = 0.95,
    alternative: options.Alternative = "two-sided",
    n_resamples: options.NResamples = 9999,
    seed: options.Seed = None,
    missing: options.Missing = "raise",
    penalty: options.Penalty = None,
    scale: options.Scale = 1.0,
    bounds: options.BoundsOption = None,
    case: options.Case = None,
    groups: options.Groups = None,
    strata: options.Strata = None,
    over: options.OverOption = "cases",
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    plot_kind: options.PlotKind = None,
    strict: options.Strict = False,
    debug: options.Debug = False,
) -> int:
    """Confidence intervals for summary statistics of per-case metric values.

    A wide table has a column per structure: all numeric columns are estimated at once. A long one
    has one value column and columns to group by. A canonical table (columns case, metric, value)
    needs no options.

    \b
    halfwidth ci dice.csv --metric dsc
    halfwidth ci dice.csv --metric dsc --scale 100 --missing omit --statistic median
    halfwidth ci long.csv --value dice --by model --by task --metric dsc --json
    halfwidth ci long.csv --value dice --groups patient --metric dsc --plot dice.png
    """
    fmt = options.resolve_format(fmt, json, out)
    kind = figures.check(plot, plot_kind)

    # Heavy libraries load here, so that help and slips cost nothing.
    from halfwidth.estimation.tables import summary_table
    from halfwidth.intervals.catalogue import METHODS
    from halfwidth.io.readers import read_table
    from halfwidth.report.tables import render
    from halfwidth.resampling.kernels import compiled

    other: dict[str, Any] = {
        "method": method,
        "confidence_level": confidence_level,
        "alternative": alternative,
        "n_resamples": n_resamples,
        "rng": seed,
        "missing": missing,
        "penalty": penalty,
        "groups": groups,
        "strata": strata,
        "over": over,
        "bounds": options.parse_bounds(bounds),
        "scale": scale,
    }
    table = read_table(file)
    long = len(table) * n_resamples > LONG_JOB and (method == "auto" or METHODS[method].resamples)
    if long and not compiled.available():
        note(
            f"{len(table)} rows and {n_resamples} resamples may take minutes; "
            "pip install 'halfwidth[fast]' makes most of that seconds"
        )
    estimates = summary_table(
        table,
        value,
        by=by,
        case=case,
        metric=options.only_metric(metric),
        statistic=statistic,
        keep_cases=kind == "distribution",
        **other,
    )
    for said in estimates.notes:
        note(said)
    if plot is not None and kind is not None:
        figures.draw(estimates, plot, kind)
        note(f"wrote {plot}")
    write(render(estimates, fmt), out)
    return STRICT_STATUS if strict and estimates.cautions else 0
