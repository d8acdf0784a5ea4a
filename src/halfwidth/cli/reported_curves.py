"""Curves of what is reported: ROC, precision-recall, calibration, FROC and those of detectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from halfwidth.cli import predictions, reading
from halfwidth.cli.detection_figures import curves_like, labelled
from halfwidth.cli.output import note
from halfwidth.data.predictions import Predictions
from halfwidth.reports.of_data import CURVE_OF, RESAMPLES, curves_of_predictions
from halfwidth.results.detection_curves import DetectionCurve, DetectionCurves
from halfwidth.results.detection_estimate import DetectionEstimate
from halfwidth.tables.prediction_columns import class_cells

if TYPE_CHECKING:
    from halfwidth.data.detections import Detections
    from halfwidth.results.calibration_curves import CalibrationCurves
    from halfwidth.results.curves import Curves
    from halfwidth.results.estimate import Estimate
    from halfwidth.tables.folds import ModelFile

# What describes the cases under the same names.
SHARED = ("scores", "missing", "case", "groups", "strata")


def curves_of_test_sets(
    params: Mapping[str, Any], files: Mapping[str, ModelFile], estimates: Sequence[Estimate]
) -> tuple[Curves | CalibrationCurves, ...]:
    """Those whose numbers were estimated: of all models in one figure, where each has one curve.

    There are none of tasks, of weighted cases, and where models may have other cases than those
    that they are compared on.
    """
    others = params["pairing"] != "complete"
    wanted = any(one.metric in CURVE_OF for one in estimates)
    if not wanted or not params["score"] or params["within"] or params["sample_weight"] or others:
        return ()
    curves, why_not = curves_of_predictions(
        _predictions(params, files),
        estimates,
        confidence_level=params["confidence_level"],
        n_resamples=params["n_resamples"],
        rng=params["seed"],
    )
    if why_not:
        note(why_not)
    return curves


def _predictions(params: Mapping[str, Any], files: Mapping[str, ModelFile]) -> Predictions:
    """What curves are drawn of; options of metrics alone have no effect on these."""
    read = reading.Options.from_given(params)
    tables = {name: reading.table_in(path, read, again=True) for name, path in files.items()}
    first = next(iter(tables.values()))
    cells = class_cells(first, params["target"], numbers=False)
    positive = params["pos_label"]
    return Predictions.from_table(
        tables if len(tables) > 1 else first,
        params["target"],
        score=params["score"],
        model=params["by"],
        labels=predictions.parse_labels(params["labels"], cells),
        pos_label=None if positive is None else predictions.parse_label(positive, cells),
        **{name: params[name] for name in SHARED},
    )


# --------------------------------------------------------------------------- detectors


def curves_of_detectors(
    data: Detections, estimates: Mapping[str, Sequence[Estimate]], asked: Mapping[str, Any]
) -> tuple[DetectionCurves, ...]:
    """Those whose areas were estimated, of all detectors in one figure.

    At the first threshold of localisation, where an average is over several. ``estimates``: by the
    name of the detector; ``asked``: the options of the verb.
    """
    from halfwidth.estimation.detections.curves import AREA_OF

    drawn = []
    for kind, area in AREA_OF.items():
        curves_of_kind: list[DetectionCurve] = []
        for name, some in estimates.items():
            first = next((one for one in some if one.metric == area), None)
            if isinstance(first, DetectionEstimate):
                rule = replace(first.matching, thresholds=first.matching.thresholds[:1])
                draws = {
                    "n_resamples": asked["n_resamples"] or RESAMPLES,
                    "rng": asked["rng"] if first.seed is None else first.seed,
                }
                curves = curves_like(kind, data, name, rule, {**asked, **draws})
                curves_of_kind += (labelled(one, name, curves) for one in curves)
        if curves_of_kind:
            drawn.append(DetectionCurves(tuple(curves_of_kind)))
    return tuple(drawn)
