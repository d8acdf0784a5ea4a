"""``halfwidth plan calibration``: cases for the calibration slope, the intercepts and O:E."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from halfwidth.calibration.planning import QUANTITIES
from halfwidth.calibration.planning import calibration as planned_calibration
from halfwidth.cli import options, reading
from halfwidth.cli.answer import Answer
from halfwidth.cli.option_groups import argument, declared, option
from halfwidth.cli.plan_options import Outlet, Plot, Sizes, answer, parse_sizes
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.core.parameters import split_names
from halfwidth.tables.prediction_columns import class_cells

SHORT_HELP = "Calibration slope, intercepts and O:E."


def calibration(
    file: Annotated[
        Path | None,
        argument(
            f"{reading.TABLE_HELP}: a pilot, whose predicted probabilities stand in --score.",
            "FILE",
        ),
    ] = None,
    score: Annotated[
        str | None,
        option("Column of predicted probabilities of the pilot.", "COLUMN", Group.TEST_SETS),
    ] = None,
    slope_halfwidth: Annotated[float | None, declared("slope_halfwidth")] = None,
    intercept_halfwidth: Annotated[float | None, declared("intercept_halfwidth")] = None,
    in_the_large_halfwidth: Annotated[float | None, declared("in_the_large_halfwidth")] = None,
    oe_halfwidth: Annotated[float | None, declared("oe_halfwidth")] = None,
    n: Sizes = None,
    metric: Annotated[
        list[str] | None,
        option(
            "With --n: what the widths are of; default: the slope, both intercepts and O:E.",
            "NAME",
            Group.ESTIMATE,
        ),
    ] = None,
    prevalence: Annotated[float | None, declared("prevalence", "calibration")] = None,
    auroc: Annotated[float | None, declared("auroc", "planning")] = None,
    lp_mean: Annotated[float | None, declared("lp_mean")] = None,
    lp_sd: Annotated[float | None, declared("lp_sd")] = None,
    lp_skewness: Annotated[float | None, declared("lp_skewness")] = None,
    confidence_level: options.ConfidenceLevel = 0.95,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: Plot = None,
) -> Answer:
    """Calibration slope, its intercepts and O:E of a model that is well calibrated.

    By the intervals that ci makes by default, from how the log odds of cases are spread.

    \b
    halfwidth plan calibration --prevalence 0.1 --auroc 0.8 \\
        --slope-halfwidth 0.2 --oe-halfwidth 0.1
    halfwidth plan calibration --lp-mean -3 --lp-sd 1.2 -n 500 -n 2000
    halfwidth plan calibration pilot.csv --score p --slope-halfwidth 0.15
    """
    outlet = Outlet.from_options(fmt, json, out, plot)
    wanted: dict[str, Any] = {
        "slope_halfwidth": slope_halfwidth,
        "intercept_halfwidth": intercept_halfwidth,
        "in_the_large_halfwidth": in_the_large_halfwidth,
        "oe_halfwidth": oe_halfwidth,
    }
    if bool(n) == any(one is not None for one in wanted.values()):
        raise OptionError(
            "say what to plan for: --slope-halfwidth, --intercept-halfwidth, "
            "--in-the-large-halfwidth, --oe-halfwidth (or several), or --n for the widths of so "
            f"many cases; got {'both' if n else 'none of them'}"
        )
    if metric and not n:
        raise OptionError("--metric goes with --n; the option of a half-width names its metric")
    if (file is None) != (score is None):
        raise OptionError("a pilot needs a table FILE and its column of probabilities, --score")

    shared: dict[str, Any] = {
        "prevalence": prevalence,
        "auroc": auroc,
        "lp_mean": lp_mean,
        "lp_sd": lp_sd,
        "lp_skewness": lp_skewness,
        "pilot": None if file is None else _probabilities(file, str(score)),
        "confidence_level": confidence_level,
    }
    if not n:
        named = zip(QUANTITIES, wanted.values(), strict=True)
        halfwidths = {name: one for name, one in named if one is not None}
        return answer([planned_calibration(halfwidth=halfwidths, **shared)], outlet)
    return answer(
        [
            planned_calibration(name, n=size, **shared)
            for name in split_names(metric or list(QUANTITIES))
            for size in parse_sizes("--n", n)
        ],
        outlet,
    )


def _probabilities(file: Path, column: str) -> Any:
    table = reading.table_in(file, reading.Options())
    reading.check_columns(table, [column])
    return class_cells(table, column, numbers=True)
