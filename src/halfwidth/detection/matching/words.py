"""How a matching of detections with references reads: in prose, and as parameters of a result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from halfwidth.detection.matching.match_lists import MatchingRule

# Of numbers that were computed by adding steps.
STEP_ERROR = 1e-9
# Where COCO's large objects end: none is so large.
NO_END = 1e10


def matching_text(
    matching: MatchingRule,
    localisation: str,
    assignment: str,
    *,
    unit: str,
    has_threshold: bool,
) -> str:
    """The choices that made a result, in prose: ``box IoU ≥ 0.5, greedy by score``.

    A criterion without a threshold is one of points, which lie in a mask or do not.
    """
    at = f" {matching.admits} {thresholds_text(matching.thresholds)} {unit}".rstrip()
    parts = [f"{localisation}{at}" if has_threshold else localisation, assignment]
    if matching.score_threshold is not None:
        parts.append(f"scores ≥ {matching.score_threshold:g}")
    if matching.max_detections is not None:
        most = matching.max_detections
        parts.append(f"at most {most} detection{'' if most == 1 else 's'}")
    if matching.area_range is not None:
        parts.append(f"areas {area_text(matching.area_range)}")
    if not matching.by_class:
        parts.append("whatever the class")
    if matching.duplicates_ignored:
        parts.append("duplicates ignored")
    return ", ".join(parts)


def thresholds_text(thresholds: Sequence[float]) -> str:
    """Thresholds in prose, a series of equal steps as such.

    >>> thresholds_text((0.5,)), thresholds_text((0.25, 0.5, 0.9))
    ('0.5', '0.25/0.5/0.9')
    >>> thresholds_text(tuple(0.5 + 0.05 * step for step in range(10)))
    '0.5 to 0.95 by 0.05'
    """
    first, last = thresholds[0], thresholds[-1]
    if len(thresholds) > 2:
        step = (last - first) / (len(thresholds) - 1)
        even = (first + step * place for place in range(len(thresholds)))
        if all(abs(a - b) < STEP_ERROR for a, b in zip(thresholds, even, strict=True)):
            return f"{first:g} to {last:g} by {step:.6g}"
    return "/".join(f"{threshold:.6g}" for threshold in thresholds)


def area_text(area_range: tuple[float, float]) -> str:
    """A range of sizes in prose.

    >>> area_text((0, 1024)), area_text((1024, 9216)), area_text((9216, float("inf")))
    ('up to 1024', '1024 to 9216', 'from 9216')
    """
    low, high = area_range
    if high >= NO_END:
        return f"from {low:g}"
    return f"{low:g} to {high:g}" if low > 0 else f"up to {high:g}"


def matching_parameters(matching: MatchingRule) -> dict[str, Any]:
    """The choices as parameters of a result, as JSON holds them; those not made are left out."""
    thresholds = [float(one) for one in matching.thresholds]
    chosen: dict[str, Any] = {
        "localisation": matching.localisation,
        "assignment": matching.assignment,
        "threshold": thresholds[0] if len(thresholds) == 1 else thresholds,
        "admits": str(matching.admits),
    }
    if matching.score_threshold is not None:
        chosen["score_threshold"] = matching.score_threshold
    if matching.max_detections is not None:
        chosen["max_detections"] = matching.max_detections
    if matching.area_range is not None:
        chosen["area_range"] = [end if math.isfinite(end) else None for end in matching.area_range]
    if not matching.by_class:
        chosen["by_class"] = False
    if matching.duplicates_ignored:
        chosen["duplicates_ignored"] = True
    return chosen
