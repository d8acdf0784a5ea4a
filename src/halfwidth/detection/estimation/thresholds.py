"""Thresholds of localisation and ranges of size, as users write them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from halfwidth.core.checks import as_list, as_number, is_number
from halfwidth.core.errors import OptionError, proposed
from halfwidth.core.option_names import spelled
from halfwidth.detection.matching.words import area_text

# As COCO has them: https://cocodataset.org/#detection-eval, areas in pixels.
COCO_THRESHOLDS = "0.5:0.95"
COCO_STEP = 0.05
COCO_AREAS = {
    "all": None,
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}
# The outcomes of a detection at all thresholds are one number of two bits each.
MOST_THRESHOLDS = 26
EXAMPLES = "0.5, 0.5:0.95 (steps of 0.05), 0.2:0.8:0.1, 0.25,0.5 or coco"

AreaRange = tuple[float, float]


def parse_thresholds(wanted: Any, option: str = "threshold") -> tuple[float, ...] | None:
    """Thresholds that a number, numbers or a text mean; None where nothing is given.

    >>> parse_thresholds(0.5), parse_thresholds("0.25,0.5"), parse_thresholds([0.1, 0.3])
    ((0.5,), (0.25, 0.5), (0.1, 0.3))
    >>> len(parse_thresholds("coco")), parse_thresholds("0.2:0.6:0.2")
    (10, (0.2, 0.4, 0.6))
    """
    if wanted is None:
        return None
    if isinstance(wanted, str):
        thresholds = _from_text(wanted, option)
    elif is_number(wanted):
        thresholds = [as_number(option, wanted)]
    else:
        listed = as_list(wanted)
        if not listed:
            raise OptionError(
                f"{spelled(option, wanted)} holds no threshold; for example {EXAMPLES}"
            )
        thresholds = [as_number(option, one) for one in listed]
    for one in thresholds:
        if one < 0:
            raise OptionError(f"{spelled(option, one)} is negative; give a threshold of at least 0")
    if len(set(thresholds)) < len(thresholds):
        raise OptionError(f"{spelled(option, wanted)} names a threshold twice")
    if len(thresholds) > MOST_THRESHOLDS:
        raise OptionError(
            f"{spelled(option, wanted)} makes {len(thresholds)} thresholds; give at most "
            f"{MOST_THRESHOLDS}"
        )
    return tuple(sorted(thresholds))


def _from_text(text: str, option: str) -> list[float]:
    if text.strip().lower() == "coco":
        text = COCO_THRESHOLDS
    parts = text.split(":")
    if len(parts) == 1:
        return [_number(part, text, option) for part in text.split(",")]
    if len(parts) > 3:
        raise OptionError(f"{spelled(option, text)} is not a range; give for example {EXAMPLES}")
    numbers = [_number(part, text, option) for part in parts]
    low, high, step = (*numbers, COCO_STEP)[:3]
    if step > high:
        # Start, step and stop, as COCO's code and paper have them.
        high, step = step, high
    if not (low < high and 0 < step <= high - low + 1e-9):
        raise OptionError(
            f"{spelled(option, text)} is no range LOW:HIGH[:STEP]; for example {EXAMPLES}"
        )
    count = round((high - low) / step)
    if abs(low + count * step - high) > 1e-9 * max(1.0, abs(high)):
        raise OptionError(f"{spelled(option, text)}: steps of {step:g} from {low:g} miss {high:g}")
    if count >= MOST_THRESHOLDS:
        return list(np.arange(count + 1.0))
    return [float(one) for one in np.linspace(low, high, count + 1)]


def _number(part: str, text: str, option: str) -> float:
    try:
        number = float(part)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise OptionError(
            f"{spelled(option, text)} is no threshold{proposed(text, ['coco'])}; for example "
            f"{EXAMPLES}"
        )
    return number


def parse_areas(areas: Any) -> tuple[tuple[str, AreaRange | None], ...]:
    """Ranges of size with their names; one without limits where nothing is given.

    >>> parse_areas(None), parse_areas("small"), parse_areas((0, 100))
    ((('', None),), (('small', (0.0, 1024.0)),), (('areas up to 100', (0.0, 100.0)),))
    """
    if areas is None:
        return (("", None),)
    if isinstance(areas, str):
        return tuple(_area_of_text(part) for part in _area_parts(areas))
    listed = as_list(areas)
    if listed and len(listed) == 2 and all(is_number(one) for one in listed):
        return (_area_range(*listed),)
    if not listed:
        raise OptionError(
            f"{spelled('area', areas)} is neither {', '.join(COCO_AREAS)} nor a pair of numbers"
        )
    return tuple(area for one in listed for area in parse_areas(one))


def _area_parts(text: str) -> list[str]:
    """Names and pairs of numbers in a list with commas."""
    parts: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        # The second number of a pair belongs to the first.
        pairs_up = parts and _is_number(parts[-1]) and _is_number(part)
        if pairs_up:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return parts


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _area_of_text(text: str) -> tuple[str, AreaRange | None]:
    name = text.strip().lower()
    if name in COCO_AREAS:
        return name, COCO_AREAS[name]
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(
            f"{spelled('area', text)} is neither one of {', '.join(COCO_AREAS)} nor LOW,HIGH in "
            f"pixels or voxels{proposed(name, COCO_AREAS)}"
        ) from None
    return _area_range(low, high)


def _area_range(low: Any, high: Any) -> tuple[str, AreaRange]:
    ends = (as_number("area", low), math.inf if high == math.inf else as_number("area", high))
    if not 0 <= ends[0] < ends[1]:
        raise OptionError(f"{spelled('area', (low, high))} must be a range of areas ≥ 0")
    return f"areas {area_text(ends)}", ends


def without_repeats(groups: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """All thresholds of several lists, each once, in ascending order."""
    return tuple(sorted({one for group in groups for one in group}))
