"""Checks of the options of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halfwidth.core.checks import MOST_CASES, as_count, as_number
from halfwidth.core.errors import OptionError, UnknownNameError, shown
from halfwidth.core.formatting import per_cent_hint
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Bounds, Level

MOST_EXTREME, MOST_EXTENT = 1e-9, 1e100


def check_share(name: str, value: Any, *, ends: bool = False) -> float:
    """A number strictly between 0 and 1; with ``ends``, these too."""
    number = as_number(name, value)
    if 0 < number < 1 or (ends and number in (0, 1)):
        return number
    where = "from 0 to 1" if ends else "strictly between 0 and 1"
    raise OptionError(f"{spelled(name, value)} is not {where}{per_cent_hint(number)}")


def check_level_of_quantile(name: str, value: Any) -> float:
    """A number strictly between 0 and 1, not too close to them for any sample."""
    q = check_share(name, value)
    if min(q, 1 - q) < MOST_EXTREME:
        raise OptionError(
            f"{spelled(name, value)} is too extreme: it would take more than a billion cases; "
            f"{MOST_EXTREME:g} to 1 - {MOST_EXTREME:g} are allowed"
        )
    return q


def check_positive(name: str, value: Any) -> float:
    """A finite number above 0."""
    number = as_number(name, value)
    if number <= 0:
        raise OptionError(f"{spelled(name, value)} is not above 0")
    check_extent(name, number)
    return number


def check_extent(name: str, number: float) -> None:
    """Refuse numbers whose squares overflow or underflow."""
    if number and not 1 / MOST_EXTENT <= abs(number) <= MOST_EXTENT:
        raise OptionError(f"{spelled(name, number)} cannot be squared in floating point; scale it")


def check_sd(name: str, value: Any, bounds: Bounds, called: str) -> float:
    """An SD that values within these bounds can have: at most half of the range."""
    number = check_positive(name, value)
    if number > bounds.width / 2:
        hint = "; for values in per cent divide by 100" if bounds == Bounds(0, 1) else ""
        raise OptionError(
            f"{spelled(name, value)} is impossible: the SD of {called} within {bounds} is "
            f"{bounds.width / 2:g} at most{hint}"
        )
    return number


def check_n(value: Any, least: int, purpose: str) -> int:
    """A whole number of cases, no fewer than an interval needs."""
    n = as_count(value)
    if n is None:
        raise OptionError(f"n={shown(value)} is not a whole number")
    if n < least:
        raise OptionError(f"n={shown(n)} is too few: {purpose} needs at least {least}")
    if n > MOST_CASES:
        raise OptionError(
            f"n={shown(n)} is more than {MOST_CASES:.0e} cases; give a realistic number"
        )
    return n


def check_assurance(value: Any) -> float:
    """A share of studies, half of them at least."""
    number = as_number("assurance", value)
    if 0.5 <= number < 1:
        return number
    raise OptionError(
        f"{spelled('assurance', value)} is not from 0.5 up to below 1{per_cent_hint(number)} "
        "(usual: 0.8)"
    )


def check_power(value: Any, level: Level, margin: float | None) -> float:
    """A share of studies above the level of the test; one-sided with a margin."""
    power = check_share("power", value)
    if power <= level.tail * (2 if margin is None else 1):
        raise OptionError(
            f"{spelled('power', power)} is not above the level of the test; usual: 0.8"
        )
    return power


def power_text(power: float, difference: float | None, margin: float | None) -> str:
    """What a power is wanted for."""
    goal = f"a difference of {difference:g}" if margin is None else f"non-inferiority by {margin:g}"
    return f"power {power:g} for {goal}"


def check_not_inferior(difference: float, margin: float) -> None:
    """Refuse a true loss of the margin or more."""
    if difference <= -margin:
        raise OptionError(
            f"{spelled('difference', difference)} is not above -margin, {-margin:g}: such a model "
            "is inferior, and no number of cases can show otherwise"
        )


def check_choice(kind: str, name: Any, choices: Sequence[str]) -> str:
    """One of a few names."""
    if not isinstance(name, str) or name not in choices:
        raise UnknownNameError(kind, name, choices)
    return name


def check_goal(
    n: Any, halfwidth: Any, width: Any = None, *, power: Any = None, assurance: Any = None
) -> Any:
    """The half-width that is wanted; a number of cases alone, or else a width, a power, or both."""
    goals = {"halfwidth": halfwidth, "width": width, "power": power, "assurance": assurance}
    if n is not None:
        for name, value in goals.items():
            if value is not None:
                raise OptionError(
                    f"{spelled(name, value)} asks for a number of cases, and {spelled('n', n)} "
                    "gives one; leave one of them out"
                )
    elif halfwidth is None and width is None and power is None:
        raise OptionError(
            f"say what to plan for: {spelled('halfwidth')}, or {spelled('n')} for the width that "
            "so many cases give"
        )
    if width is None:
        return halfwidth
    if halfwidth is not None:
        raise OptionError(
            f"{spelled('halfwidth', halfwidth)} and {spelled('width', width)}: give one of them; "
            "the width is twice the half-width"
        )
    return check_positive("width", width) / 2


def wanted_width(halfwidth: Any, bounds: Bounds, called: str) -> float:
    """The width of the half-width that is wanted of a quantity, less than that of its range."""
    number = check_positive("halfwidth", halfwidth)
    if number >= bounds.width / 2:
        raise OptionError(
            f"{spelled('halfwidth', halfwidth)} (a width of {2 * number:g}) is no restriction: "
            f"no interval of {called} within {bounds} is wider; ask for less than "
            f"{bounds.width / 2:g}"
        )
    return 2 * number
