"""Curves of what is reported: ROC, precision-recall, calibration, FROC and those of detectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from halfwidth.cli.detection_figures import curves_behind
from halfwidth.cli.output import note
from halfwidth.data.predictions import Predictions
from halfwidth.reports.of_data import CURVE_OF, RESAMPLES, curves_of_predictions
from halfwidth.results.detection_estimate import DetectionEstimate

if TYPE_CHECKING:
    from halfwidth.data.detections import Detections
    from halfwidth.results.calibration_curves import CalibrationCurves
    from halfwidth.results.curves import Curves
    from halfwidth.results.detection_curves import DetectionCurves
    from halfwidth.results.estimate import Estimate

# What describes the cases under the same names.
SHARED = ("scores", "missing", "case", "groups", "strata")


def curves_of_test_sets(
    data: Predictions, params: Mapping[str, Any], estimates: Sequence[Estimate]
) -> tuple[Curves | CalibrationCurves, ...]:
    """Those whose numbers were estimated: of all models in one figure, where each has one curve.

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


# --------------------------------------------------------------------------- detectors


def curves_of_detectors(
    data: Detections, estimates: Sequence[Estimate], asked: Mapping[str, Any]
) -> tuple[DetectionCurves, ...]:
    """Those whose areas were estimated, of all detectors in one figure.

    At the first threshold of localisation, where an average is over several. ``asked``: the options
    of the verb.
    """
    from halfwidth.estimation.detections.curves import AREA_OF

    drawn = []
    for kind, area in AREA_OF.items():
        first = next((one for one in estimates if one.metric == area), None)
        if isinstance(first, DetectionEstimate):
            rule = replace(first.matching, thresholds=first.matching.thresholds[:1])
            draws = {
                "n_resamples": asked["n_resamples"] or RESAMPLES,
                "rng": asked["rng"] if first.seed is None else first.seed,
            }
            at_first = replace(first, matching=rule)
            drawn.append(curves_behind(kind, data, at_first, {**asked, **draws}))
    return tuple(drawn)
