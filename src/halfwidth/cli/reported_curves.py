"""Curves of what is reported: ROC, precision-recall, calibration, FROC and those of detectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from halfwidth.cli.output import note
from halfwidth.data.predictions import Predictions
from halfwidth.reports.of_data import CURVE_OF, curves_of_predictions

if TYPE_CHECKING:
    from halfwidth.calibration.results.curves import CalibrationCurves
    from halfwidth.results.curves import Curves
    from halfwidth.results.estimate import Estimate

# What describes the cases under the same names.
SHARED = ("scores", "missing", "case", "groups", "strata")


def curves_of_test_sets(
    data: Predictions, params: Mapping[str, Any], estimates: Sequence[Estimate]
) -> tuple[Curves | CalibrationCurves, ...]:
    """Curves whose numbers were estimated: of all models in one figure, where each has one curve.

    There are none of tasks, of weighted cases, and where models may have other cases than those
    that they are compared on.
    """
    others = params["pairing"] != "complete"
    wanted = any(one.metric in CURVE_OF for one in estimates)
    if not wanted or not params["score"] or params["by"] or params["sample_weight"] or others:
        return ()
    curves, why_not = curves_of_predictions(
        data.without_metrics(),
        estimates,
        confidence_level=params["confidence_level"],
        n_resamples=params["n_resamples"],
        rng=params["seed"],
    )
    if why_not:
        note(why_not)
    return curves
