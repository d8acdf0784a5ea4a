"""Numbers as text, with as many digits as their interval supports."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Self

MOST_DECIMALS = 8
# As many decimals more are taken to tell a number from the end of a range.
MORE_TO_TELL = 3
# All that a double holds.
MOST_DIGITS = 17
# A number with more digits than so many beyond those that its interval supports was computed, and
# not printed for anybody to read.
BEYOND_SUPPORT = 3


class Printed(float):
    """A number with the decimals that it was printed with: ``0.90`` has two.

    >>> Printed("0.90").decimals, Printed("1e-3").decimals, Printed("12").decimals
    (2, 3, 0)
    """

    @property
    def decimals(self) -> int:
        """Decimals of the print."""
        return self._decimals

    def __new__(cls, text: str) -> Self:
        """Make a number of its text."""
        from decimal import Decimal

        printed = super().__new__(cls, text)
        exponent = Decimal(text.strip()).as_tuple().exponent
        printed._decimals = max(0, -exponent) if isinstance(exponent, int) else 0
        return printed

    _decimals: int


def as_given(supported: int, stated: int) -> int:
    """Decimals of a number that was stated and of what is computed from it: the rule of `review`.

    As many as its interval supports, and no fewer than were stated; a number with many digits more
    than its interval supports was computed, and gets those of the interval.

    >>> as_given(2, 3), as_given(3, 2), as_given(2, 12)
    (3, 3, 2)
    """
    return max(supported, stated) if stated <= supported + BEYOND_SUPPORT else supported


def decimals_for(value: float, reach: float, largest: float = math.inf) -> int:
    """Decimals of a value and its bounds: all that is printed of an estimate is rounded by this.

    First what the interval supports, the rule of the Particle Data Group: two digits of the
    half-width ``reach`` where it begins with 1.00 to 3.54, else one. That is too short where the
    interval is wide: 0.75 and 0.667 would read 0.8 and 0.7, beside the table that they come from.
    So a value of a bounded range, whose end farthest from 0 is ``largest``, is told to a hundredth
    of that (a DSC with two decimals), and any other with one decimal more than its interval
    supports where that leaves it a single significant digit (7.3 mm, not 7). Without a finite reach
    above 0, three significant digits of the value.

    >>> decimals_for(0.89714, 0.0052, 1.0), decimals_for(0.667, 0.41, 1.0)
    (3, 2)
    >>> decimals_for(80.3, 1.28), decimals_for(7.31, 4.2), decimals_for(0.02, 4.2)
    (1, 1, 1)
    """
    plain = math.isfinite(value) and value != 0
    if not math.isfinite(reach) or reach <= 0:
        return max(0, 2 - _exponent(value)) if plain else 3
    exponent = _exponent(reach)
    digits = 2 if reach / 10.0**exponent < 3.55 else 1
    supported = max(0, digits - 1 - exponent)
    if math.isfinite(largest) and largest > 0:
        return max(supported, 2 - _exponent(largest))
    return max(supported, min(supported + 1, 1 - _exponent(value))) if plain else supported


def _exponent(number: float) -> int:
    """The power of ten of the first digit."""
    return math.floor(math.log10(abs(number)))


def apart_from(value: float, bounds: Iterable[float], decimals: int) -> int:
    """Decimals with which a value is not printed as one of its bounds where they differ.

    An interval that is long on one side only has a bound close to its value on the other: 0.92
    with the bounds 0.03 and 0.94. Up to two more decimals are taken.

    >>> apart_from(0.92, (0.03, 0.94), 1), apart_from(0.92, (0.03, 0.92), 1)
    (2, 1)
    """
    others = [bound for bound in bounds if bound != value and math.isfinite(bound)]
    if not math.isfinite(value):
        return decimals
    return next(
        (
            decimals + more
            for more in range(MORE_TO_TELL)
            if fixed(value, decimals + more) not in {fixed(b, decimals + more) for b in others}
        ),
        decimals,
    )


def fixed(value: float, decimals: int) -> str:
    """A number with so many decimals; ``n/a`` for NaN, ``∞`` for infinity.

    With many decimals in significant digits instead, so many that numbers which differ in their
    last decimal still do.

    >>> fixed(0.5, 2), fixed(-0.0001, 2), fixed(math.inf, 2)
    ('0.50', '0.00', '∞')
    >>> fixed(1.2e-11, 12), fixed(1 + 1.2e-10, 11)
    ('1.2e-11', '1.00000000012')
    >>> fixed(3e40, 2)
    '3e+40'
    """
    if math.isnan(value):
        return "n/a"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if decimals > MOST_DECIMALS and value:
        digits = math.floor(math.log10(abs(value))) + 1 + decimals
        return f"{value:.{min(max(digits, 1), MOST_DIGITS)}g}"
    if abs(value) >= 10.0**MOST_DIGITS:
        # Further digits are none of the number's own.
        return repr(float(value))
    text = f"{value:.{min(decimals, MOST_DECIMALS)}f}"
    return text.lstrip("-") if float(text) == 0 else text


def fixed_apart(value: float, decimals: int, ends: Iterable[float] = (0.0,)) -> str:
    """Write as `fixed` does, with more decimals where a number would be printed as an end.

    A bound of 0.0003 printed as 0.00 hides that the interval leaves out 0, and a value of 0.9996
    printed as 1.00 that it is not perfect. Numbers that are nearer to the end than three more
    decimals tell are printed as the end.

    >>> fixed_apart(0.0003, 2), fixed_apart(0.9996, 2, (0, 1)), fixed_apart(1.0, 2, (0, 1))
    ('0.0003', '0.9996', '1.00')
    """
    text = fixed(value, decimals)
    taken = {fixed(end, decimals) for end in ends if end != value}
    if text not in taken or not math.isfinite(value):
        return text
    for more in range(1, MORE_TO_TELL + 1):
        longer = fixed(value, decimals + more)
        if longer not in {fixed(end, decimals + more) for end in ends}:
            return longer
    return text


def told_apart(values: Iterable[float], decimals: int, ends: Iterable[float]) -> int:
    """Decimals of a value and its bounds, which are rounded alike: as many as one of them needs.

    >>> told_apart((0.13, -3.57, 3.83), 0, (0.0,)), told_apart((6.6, 3.8, 11.6), 0, (0.0,))
    (1, 0)
    """
    kept = tuple(ends)
    texts = [fixed_apart(value, decimals, kept) for value in values]
    return max([decimals, *(len(text.partition(".")[2]) for text in texts if "e" not in text)])


def percent(share: float) -> str:
    """A share as per cent: ``95 %``.

    >>> percent(0.95), percent(0.999), percent(1 - 2**-53)
    ('95 %', '99.9 %', '99.99999999999999 %')
    >>> percent(1 - 0.1 / 3)
    '96.6667 %'
    """
    text = f"{100 * share:.6g}"
    # What is less than all must not read as all.
    return f"{100 * share!r} %" if text == "100" and share < 1 else f"{text} %"


def rough_percent(share: float) -> str:
    """A share as per cent, rounded, but not to none or all where it is neither.

    >>> rough_percent(0.1234567), rough_percent(0.0004), rough_percent(0.99996), rough_percent(1.0)
    ('12.3 %', '0.04 %', '99.996 %', '100 %')
    """
    for more in range(MORE_TO_TELL + 1):
        rounded = round(share, 3 + more)
        if rounded not in (0.0, 1.0) or share in (0.0, 1.0):
            return percent(rounded)
    return percent(share)


def per_cent_hint(number: float) -> str:
    """What to write instead of a number of per cent; nothing where it can be none.

    >>> per_cent_hint(95.0), per_cent_hint(1.0)
    ('; for 95 % write 0.95', '')
    """
    return f"; for {number:g} % write {number / 100:g}" if 1 < number < 100 else ""


def as_beginning(text: str) -> str:
    """Capitalize a text as at the beginning of a sentence; names such as wAFROC, n stay.

    >>> as_beginning("mean DSC"), as_beginning("wAFROC AUC"), as_beginning("n = 12")
    ('Mean DSC', 'wAFROC AUC', 'n = 12')
    """
    return text if text[1:2].isupper() or text[1:2] == " " else text[:1].upper() + text[1:]


def json_text(document: Any) -> str:
    """A document of plain types as indented JSON, which has no NaN.

    >>> print(json_text({"label": "Milz, links", "value": None}))
    {
      "label": "Milz, links",
      "value": null
    }
    """
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    # What turns the direction of writing, or a screen obeys, is the same when it is escaped.
    return re.sub(r"[^\n -~]", lambda one: _escaped(one[0]), text)


def _escaped(letter: str) -> str:
    return letter if letter.isprintable() else json.dumps(letter)[1:-1]


def plain(value: Any) -> Any:
    """A value that JSON can hold: without types of NumPy, None for what is not finite.

    >>> plain({"value": float("nan"), "by": (1, "liver")})
    {'value': None, 'by': [1, 'liver']}
    """
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number of things in words.

    >>> counted(1, "lesion"), counted(2, "false positive")
    ('1 lesion', '2 false positives')
    """
    return f"{number} {singular if number == 1 else plural or singular + 's'}"
