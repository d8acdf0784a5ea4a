"""Curves of what is reported: ROC, precision-recall, calibration, FROC and those of detectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import halfwidth as hw
from halfwidth.cli import predictions, reading
from halfwidth.cli.detection_figures import curves_like, labelled
from halfwidth.cli.output import note
from halfwidth.core.errors import OptionError
from halfwidth.estimation.test_sets.calibration_curves import SUMMARIES
from halfwidth.estimation.test_sets.curves import AREA_OF
from halfwidth.metrics.counting import net_benefit
from halfwidth.results.detection_curves import DetectionCurve, DetectionCurves
from halfwidth.results.detection_estimate import DetectionEstimate
from halfwidth.tables.challenge_columns import MODEL_COLUMNS
from halfwidth.tables.prediction_columns import class_cells, score_cells

if TYPE_CHECKING:
    from halfwidth.data.detections import Detections
    from halfwidth.io.table import Table
    from halfwidth.results.calibration_curves import CalibrationCurves, CalibrationKind
    from halfwidth.results.curves import Curves
    from halfwidth.results.estimate import Estimate
    from halfwidth.tables.folds import ModelFile

# Draws of the bands, unless a number is asked for: each point of a band is seen, not read off.
RESAMPLES = 999
# Kinds of calibration curves that a report draws where their numbers are estimated.
CALIBRATION: tuple[CalibrationKind, ...] = ("smooth",)
# What curves of a test set take under the same names as its metrics.
SHARED = ("scores", "missing", "confidence_level")


def curves_of_test_sets(
    given: Mapping[str, Any], files: Mapping[str, ModelFile], estimates: Sequence[Estimate]
) -> tuple[Curves | CalibrationCurves, ...]:
    """Those whose numbers were estimated: of all models in one figure, where each has one curve.

    There are none of tasks, of weighted cases, and where models may have other cases than those
    that they are compared on.
    """
    kinds: dict[str, str] = {area: kind for kind, area in AREA_OF.items()}
    kinds |= {net_benefit.__name__: "decision"} | {
        name: kind for kind in CALIBRATION for name in SUMMARIES[kind]
    }
    of_metrics = {kinds[e.metric]: e for e in estimates if e.metric in kinds}
    others = given["unmatched"] != "raise"
    if not of_metrics or not given["score"] or given["within"] or given["weight"] or others:
        return ()
    each = list(_tables(given, files))
    drawn: list[Curves | CalibrationCurves] = []
    for kind, estimate in of_metrics.items():
        try:
            of_models = {name: _curves(given, table, kind, estimate.seed) for name, table in each}
        except OptionError as error:
            # An average over two classes need not know which of them is positive.
            note(f"no curves are drawn: {error}")
            return ()
        drawn += _together(of_models)
    return tuple(drawn)


def _tables(
    given: Mapping[str, Any], files: Mapping[str, ModelFile]
) -> Iterator[tuple[str, Table]]:
    """The table of each model, by its name."""
    for name, path in files.items():
        table = reading.table_in(path, reading.Options.from_given(given), again=True)
        by = given["by"] or next((one for one in MODEL_COLUMNS if one in table), None)
        if len(files) > 1 or by is None:
            yield name, table
            continue
        levels = np.array([str(level) for level in table.levels(by)])
        for model in dict.fromkeys(levels):
            yield str(model), table.only(np.flatnonzero(levels == model))


def _curves(given: Mapping[str, Any], table: Table, kind: str, seed: int | None) -> Any:

    target = class_cells(table, given["target"], numbers=False)
    positive = given["positive"]
    design: dict[str, Any] = {
        name: table.levels(given[name]) for name in ("groups", "strata") if given[name] is not None
    }
    curves: Any = hw.calibration_curve_ci if kind in CALIBRATION else hw.curve_ci
    return curves(
        target,
        score_cells(table, given["score"], "the table"),
        kind=kind,
        labels=predictions.parse_labels(given["labels"], target),
        pos_label=None if positive is None else predictions.parse_label(positive, target),
        n_resamples=given["n_resamples"] or RESAMPLES,
        rng=given["seed"] if seed is None else seed,
        **design,
        **{name: given[name] for name in SHARED},
    )


def _together(of_models: Mapping[str, Any]) -> Iterable[Any]:
    """A figure of all models where each has one curve, else one of each model."""
    if len(of_models) == 1:
        return of_models.values()
    together = type(next(iter(of_models.values())))
    if all(len(one) == 1 for one in of_models.values()):
        named = (replace(one[0], label=name) for name, one in of_models.items())
        return [together(tuple(named))]
    return [
        together(tuple(replace(one, label=f"{name}, {one.label}") for one in some))
        for name, some in of_models.items()
    ]


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
        found: list[DetectionCurve] = []
        for name, some in estimates.items():
            first = next((one for one in some if one.metric == area), None)
            if isinstance(first, DetectionEstimate):
                rule = replace(first.matching, thresholds=first.matching.thresholds[:1])
                draws = {
                    "n_resamples": asked["n_resamples"] or RESAMPLES,
                    "rng": asked["rng"] if first.seed is None else first.seed,
                }
                curves = curves_like(kind, data, name, rule, {**asked, **draws})
                found += (labelled(one, name, curves) for one in curves)
        if found:
            drawn.append(DetectionCurves(tuple(found)))
    return tuple(drawn)
