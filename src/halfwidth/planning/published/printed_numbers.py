"""Printed numbers: reading them, their rounding, and whether they are possible."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from halfwidth.core.checks import MOST_CASES, as_number
from halfwidth.core.errors import DataError, OptionError, shown
from halfwidth.core.formatting import Printed
from halfwidth.core.option_names import spelled
from halfwidth.core.types import UNIT_INTERVAL, Bounds
from halfwidth.planning.checks import check_extent

# Coarsest rounding of a number on a bounded range, in units of the range: two decimals of a share.
MOST_ROUNDING = 0.005


class ClaimError(DataError):
    """A published number is impossible; ``field`` names it."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def read_number(field: str, printed: Any) -> float:
    """A finite number; keeps its decimals if it was read from a print."""
    try:
        number = as_number(field, printed, "a finite number")
        check_extent(field, number)
    except OptionError:
        # A field is an argument, a flag or a column.
        text = f"{field} {shown(printed)} is not a finite number that can be squared"
        raise ClaimError(field, text) from None
    return printed if isinstance(printed, Printed) else number


def read_whole_number(field: str, printed: Any) -> int:
    """A number of cases."""
    number = read_number(field, printed)
    if not number.is_integer():
        raise ClaimError(field, f"{field} {shown(printed)} is not a whole number")
    if number > MOST_CASES:
        raise ClaimError(
            field,
            f"{field} {number:g} is more than {MOST_CASES:.0e} cases; give a realistic number",
        )
    return int(number)


def read_scale(printed: dict[str, Any]) -> float:
    """What published numbers are divided by."""
    scale = 1.0 if printed["scale"] is None else read_number("scale", printed["scale"])
    if scale <= 0:
        raise ClaimError("scale", f"{spelled('scale', scale)} is not above 0; 100 for per cent")
    return scale


def read_label(printed: dict[str, Any]) -> str:
    """The label of a claim."""
    return "" if printed["label"] is None else str(printed["label"])


def decimals_in(number: float) -> int:
    """Decimals of a number as written; a computed number has more than any print."""
    if isinstance(number, Printed):
        return number.decimals
    exponent = Decimal(repr(float(number))).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def most_decimals(printed: dict[str, Any], fields: tuple[str, ...], scale: float) -> int:
    """The most decimals of some printed numbers, in the metric's unit."""
    shift = math.log10(scale)
    if not shift.is_integer():
        return 0
    decimals = [decimals_in(printed[name]) for name in fields if printed[name] is not None]
    return max([max(0, places + int(shift)) for places in decimals], default=0)


def rounding_of_difference(
    field: str, printed: dict[str, Any], scale: float, bounds: Bounds
) -> float:
    """How far rounding may have changed a difference; trailing zeros of a print are lost."""
    if printed["versus"] is None:
        return 0.0
    unit = 10.0 ** -max(decimals_in(printed[name]) for name in (field, "versus")) / scale
    return min(unit, 2 * MOST_ROUNDING * bounds.width)


def check_in_range(field: str, value: float, bounds: Bounds, printed: Any, scale: float) -> None:
    """Refuse a value beyond the range, with a hint where it looks like per cent."""
    if bounds.low <= value <= bounds.high:
        return
    hint = f"; for per cent give {spelled('scale', 100)}"
    if scale != 1 or bounds != UNIT_INTERVAL or not 2 <= value <= 100:
        hint = ""
    raise ClaimError(
        field, f"{field} {read_number(field, printed):g} lies outside the range {bounds}{hint}"
    )
