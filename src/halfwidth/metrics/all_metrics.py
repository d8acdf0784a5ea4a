"""Every metric the package knows: of a case by its values, of a test set, of detections."""

from __future__ import annotations

import re

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.option_names import flag_of
from halfwidth.core.spec import MetricSpec
from halfwidth.metrics.families import OF_CASES, OF_DETECTIONS, OF_TEST_SETS, specs_when_asked

METRICS: Catalogue[MetricSpec] = Catalogue("metric", specs_when_asked(*OF_CASES))
SAMPLE_METRICS: Catalogue[MetricSpec] = Catalogue(
    "metric of a test set", specs_when_asked(*OF_TEST_SETS), order=lambda spec: spec.listed
)
DETECTION_METRICS: Catalogue[MetricSpec] = Catalogue(
    "metric of detections", specs_when_asked(*OF_DETECTIONS)
)

# AP50 is AP at 0.5.
_WITH_THRESHOLD = re.compile(r"(?P<name>[a-z_]+?)_?(?P<percent>\d\d)")


def without_threshold(name: str) -> tuple[str, str]:
    """A metric of detections and the threshold in per cent behind it: ``ap50``, ``ap`` and 50."""
    match = _WITH_THRESHOLD.fullmatch(name.strip().lower())
    if name not in DETECTION_METRICS and match and match["name"] in DETECTION_METRICS:
        return match["name"], match["percent"]
    return name, ""


def is_sample_metric(spec: MetricSpec) -> bool:
    """Whether a metric is of whole test sets, and not of values of cases."""
    name = spec.name
    return name in SAMPLE_METRICS and name not in METRICS and SAMPLE_METRICS[name] == spec


def refuse_detection_metric(name: str) -> None:
    """Refuse a metric of detections where values of cases or a test set are expected."""
    if without_threshold(name.partition("@")[0])[0] in DETECTION_METRICS:
        raise OptionError(
            f"{shown(name)} is a metric of detections: use halfwidth detect, or "
            f"compare, rank, gate and report with {flag_of('references')} "
            "(Detections.from_files)"
        )
