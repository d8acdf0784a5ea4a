"""What the help of some verbs lists at its end: the names that their options take."""

from __future__ import annotations

from collections.abc import Callable

from halfwidth.cli.mask_options import MASK_METRICS
from halfwidth.metrics.all_metrics import DETECTION_METRICS, METRICS, SAMPLE_METRICS
from halfwidth.metrics.detection.all_criteria import ASSIGNMENTS, LOCALISATIONS
from halfwidth.tables.importers.all_importers import IMPORTERS


def _metrics_epilog() -> str:
    return (
        f"Metrics of per-case values: {', '.join(METRICS.names)}.\n\n"
        f"Metrics of a whole test set: {', '.join(SAMPLE_METRICS.names)}; with parameters, for "
        "example f_beta:beta=2, ppv:prevalence=0.05, cohen_kappa:weights=quadratic."
    )


def _comparing_epilog() -> str:
    return (
        f"{_metrics_epilog()}\n\nMetrics of detections (--references): "
        f"{', '.join(DETECTION_METRICS.names)}; thresholds and parameters as in 'halfwidth detect'."
    )


def _score_epilog() -> str:
    return f"Metrics of masks: {', '.join(MASK_METRICS)}."


def _detect_epilog() -> str:
    return (
        f"Metrics of detections: {', '.join(DETECTION_METRICS.names)}; with parameters, for "
        "example sensitivity_at_fppi:fppi=0.5, ap:interpolation=all_points.\n\n"
        f"Localisation: {', '.join(LOCALISATIONS.names)}.\n\n"
        f"Assignment: {', '.join(ASSIGNMENTS.names)}."
    )


def _convert_epilog() -> str:
    known = ", ".join(f"{one.title} ({one.name})" for one in IMPORTERS)
    return f"Results of other programs, with the name for --input-format: {known}."


EPILOGS: dict[str, Callable[[], str]] = {
    "ci": _metrics_epilog,
    "compare": _comparing_epilog,
    "convert": _convert_epilog,
    "detect": _detect_epilog,
    "gate": _comparing_epilog,
    "rank": _comparing_epilog,
    "score": _score_epilog,
}
