"""``halfwidth plan subsample``: what smaller test sets would have said."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli import figures, options, reading
from halfwidth.cli.answer import Answer
from halfwidth.cli.option_groups import argument, declared, option, with_options
from halfwidth.cli.output import note
from halfwidth.cli.plan_options import parse_sizes
from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.option_table.option import Group
from halfwidth.data.case_values import CaseValues
from halfwidth.io.table import Table
from halfwidth.planning.pilot_tables import Pilot, pilots_in
from halfwidth.planning.subsampling import subsample as subsample_values


@with_options(reading.plain_table_options)
def subsample(
    ctx: typer.Context,
    file: Annotated[Path, argument(f"{reading.TABLE_HELP}.", "FILE")],
    value: options.Value = None,
    sizes: Annotated[
        list[str] | None, declared("sizes", more="Repeatable, or a list with commas: 10,20,50.")
    ] = None,
    repeats: Annotated[int, declared("repeats")] = 100,
    metric: options.OneMetric = None,
    confidence_level: options.ConfidenceLevel = 0.95,
    seed: options.Seed = None,
    missing: options.Missing = "raise",
    penalty: options.Penalty = None,
    scale: options.Scale = 1.0,
    bounds: options.BoundsOption = None,
    ddof: Annotated[int, declared("ddof")] = 0,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: Annotated[
        Path | None,
        option("Draw mean and half-width against k: FILE.png, .svg or .pdf.", "FILE", Group.OUTPUT),
    ] = None,
) -> Answer:
    """Average mean, SD and interval of subsamples of a test set, without replacement.

    \b
    halfwidth plan subsample dice.csv --value dice --metric dsc --seed 1
    halfwidth plan subsample dice.csv --value dice --sizes 10,20,50 \\
        --plot sizes.png
    """
    fmt = options.resolve_format(fmt, json, out)
    figures.check(plot, None, ("subsamples",))
    settings: dict[str, Any] = {
        "sizes": parse_sizes("--sizes", sizes) if sizes else None,
        "repeats": repeats,
        "ddof": ddof,
        "metric": metric,
        "confidence_level": confidence_level,
        "rng": seed,
        "missing": missing,
        "penalty": penalty,
        "scale": scale,
        "bounds": options.parse_bounds(bounds),
    }

    how = reading.Options.from_given(ctx.params)
    table = reading.table_in(file, how)
    sample = _sample(table, file, value, metric, missing)
    subsamples = subsample_values(sample.values, label=sample.column, **settings)
    document = subsamples.document()
    if plot is not None:
        document = figures.with_picture(document, subsamples, plot, "subsamples")
    return Answer(document, fmt, out)


def _sample(table: Table, file: Path, value: str | None, metric: str | None, missing: str) -> Pilot:
    """The values of one column, or those of a canonical table of one metric, model and label."""
    tables = CaseValues.from_table(table, value).tables
    layout = tables.layout(tables.sources[0], [value] if value else None)
    samples = pilots_in(table, layout, metric=metric, missing=missing)
    if len(samples) > 1:
        names = shortened([f"{one.label} {one.metric or ''}".strip() for one in samples], 6)
        raise OptionError(
            f"{file} holds {len(samples)} samples ({names}), and subsamples come from one: name "
            "its metric (--metric), or the rows of one model and label (--where COLUMN=LEVEL)"
        )
    sample = samples[0]
    note(*sample.notes)
    if sample.repeats:
        note("cases repeat; all rows are drawn as if they were independent")
    if sample.groups is not None:
        note("clusters are not kept together: more cases are needed where they matter")
    if sample.strata is not None:
        note("strata are not kept: cases of all are drawn alike")
    return sample
