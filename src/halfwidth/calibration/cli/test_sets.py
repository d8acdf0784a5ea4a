"""``halfwidth ci`` with --calibration-test or --centre: answers of their own, of a test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from halfwidth.calibration.verbs import calibration_by_centre, calibration_test
from halfwidth.cli import option_groups
from halfwidth.cli.command import refuse_given
from halfwidth.cli.figures import check, with_drawn
from halfwidth.cli.given_data import data_in
from halfwidth.cli.option_groups import option
from halfwidth.cli.output import note
from halfwidth.core.cautions import Caution
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.core.parameters import split_names
from halfwidth.core.processes import check_jobs
from halfwidth.data.predictions import Predictions
from halfwidth.document.parts import Document
from halfwidth.verbs.curve import curve

if TYPE_CHECKING:
    from halfwidth.calibration.results.centre_curves import CentreCurves
    from halfwidth.calibration.results.centre_results import CentreResults
    from halfwidth.calibration.results.tests_of_calibration import CalibrationTests

Tests = Annotated[
    list[str] | None,
    option(
        "Instead of intervals the p-value of a test of perfect calibration: spiegelhalter, "
        "hosmer_lemeshow, likelihood_ratio, ece, kce; repeatable, or a list with commas.",
        "NAME",
        Group.TEST_SETS,
    ),
]
Centre = Annotated[
    str | None,
    option(
        "Column of centres: calibration slope, intercepts and O:E (or those of --metric) in "
        "each, on average, and in a new one; --plot draws their calibration curves.",
        "COLUMN",
        Group.TEST_SETS,
    ),
]
# Options that neither looks at; and those that one of them does not.
IDLE = (
    *("method", "alternative", "strata", "threshold", "absent_class", "undefined", "costs"),
    *("priors", "bounds", "by", "model"),
)
IDLE_IN_TESTS = ("metric", "confidence_level", "plot", "plot_kind")
IDLE_IN_CENTRES = ("n_resamples", "seed", "jobs")


def options(calibration_test: Tests = None, centre: Centre = None) -> None:
    """Answers about calibration."""


# What is drawn of centres.
PLOT_KINDS = ("calibration",)
NAMES = option_groups.names_in(options)


def document_of(ctx: typer.Context, files: Sequence[str]) -> tuple[Document, Sequence[Caution]]:
    """The answer, and the cautions in it."""
    params = ctx.params
    tested, centre = params["calibration_test"], params["centre"]
    if tested and centre:
        raise OptionError("--calibration-test and --centre ask different things; give one of them")
    option = "--calibration-test" if tested else "--centre"
    idle = (*IDLE, *(IDLE_IN_TESTS if tested else IDLE_IN_CENTRES))
    refuse_given(ctx, idle, f"has no effect with {option}")
    kind = None if tested else check(params["plot"], params["plot_kind"], PLOT_KINDS)
    if centre and params["target_file"]:
        raise OptionError("--centre: arrays have no columns; give a table")
    # Centres are the levels of the data.
    levels = [centre] if centre else []
    data = cast("Predictions", data_in(files, {**params, "by": levels}, compared=False))
    results = _tests(data, params) if tested else _over_centres(data, params)
    note(*results.notes)
    document, cautions = results.document(), results.cautions
    if kind is None:
        return document, cautions
    curves = _curves_of_centres(data, params)
    title = "Calibration curves over centres"
    return with_drawn(document, curves, params["plot"], cautions, title)


def _tests(data: Predictions, params: Mapping[str, Any]) -> CalibrationTests:
    tests: CalibrationTests = calibration_test(
        data,
        statistic=split_names(params["calibration_test"]),
        average=params["average"] or None,
        n_resamples=params["n_resamples"],
        rng=params["seed"],
        n_threads=check_jobs(params["jobs"]),
    )
    return tests


def _over_centres(data: Predictions, params: Mapping[str, Any]) -> CentreResults:
    results: CentreResults = calibration_by_centre(
        data,
        metric=split_names(params["metric"] or ()) or None,
        average=params["average"] or None,
        confidence_level=params["confidence_level"],
    )
    return results


def _curves_of_centres(data: Predictions, params: Mapping[str, Any]) -> CentreCurves:
    """The calibration curves of the centres."""
    try:
        curves = curve(
            data,
            "calibration-by-centre",
            average=params["average"] or None,
            confidence_level=params["confidence_level"],
        )
    except DataError as error:
        raise DataError(f"{error}; leave out --plot to get the table alone") from None
    return cast("CentreCurves", curves)
