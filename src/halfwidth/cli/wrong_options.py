"""The right option for a wrong one: former options, those of other libraries, and typos."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from halfwidth.core.errors import closest
from halfwidth.core.option_names import Door, flag_of, spelled
from halfwidth.core.option_table.table import OPTIONS, SAID_BY

# What an option is called here, or was called before: the first of the right-hand side that the
# verb has is proposed. An error rather than an alias, so that each option has one name.
OTHER_NAMES: dict[str, tuple[str, ...]] = {
    # Once names of this command.
    "--threads": ("--jobs",),
    "--labels": ("--label-names",),
    "--level": ("--over", "--confidence-level"),
    "--target": ("--coverage",),
    "--kind": ("--method",),
    "--within": ("--by",),
    "--by": ("--model",),
    # In other programs; arguments of libraries are in the table of options.
    "--bootstrap": ("--n-resamples",),
    "--class": ("--classes",),
    "--patient": ("--groups", "--case"),
    "--column": ("--value",),
    "--output": ("--out",),
    "--figure": ("--plot",),
    "--verbose": ("--debug",),
    "--silent": ("--quiet",),
}


def _level(share: float) -> str | None:
    """A confidence level given as a share or in per cent."""
    share = share / 100 if share > 1 else share
    return f"--confidence-level {share:.12g}" if 0.5 <= share < 1 else None


def _level_of_alpha(alpha: float) -> str | None:
    return f"--confidence-level {1 - alpha:.12g}" if 0 < alpha <= 0.5 else None


LEVELS: dict[str, Callable[[float], str | None]] = {
    "--alpha": _level_of_alpha,
    "--ci": _level,
    "--cl": _level,
    "--level": _level,
    "--conf-level": _level,
    "--confidence": _level,
}


def proposal(given: str, value: str | None, known: Iterable[str]) -> str | None:
    """The option that was meant, with its value where that changes; None where nothing is near.

    Parameters
    ----------
    given : str
        The option that does not exist.
    value : str or None
        What was typed after it.
    known : iterable of str
        The options that do.

    Examples
    --------
    >>> known = ["--metric", "--confidence-level", "--seed", "--scores"]
    >>> proposal("--metrics", "dsc", known), proposal("--alpha", "0.05", known)
    ('--metric', '--confidence-level 0.95')
    >>> proposal("--rng", "1", known), proposal("--frobnicate", None, known)
    ('--seed', None)
    """
    options = list(known)
    if given in LEVELS and "--confidence-level" in options:
        return _with_level(given, value, options)
    argument = given.removeprefix("--").replace("-", "_")
    said_by, meant = SAID_BY.get(argument.removeprefix("no_"), ("", ""))
    if said_by and flag_of(said_by) in options:
        return spelled(said_by, meant, door=Door.COMMAND_LINE)
    called = [flag_of(name) for name, one in OPTIONS.items() if argument in one.elsewhere.split()]
    for flag in (*OTHER_NAMES.get(given, ()), flag_of(argument), *called):
        if flag in options:
            return flag
    # Compared without dashes, which alone would make all names alike.
    words = {name.lstrip("-"): name for name in options}
    nearest = closest(given.lstrip("-"), words)
    return words[nearest] if nearest else None


def _with_level(given: str, value: str | None, options: Collection[str]) -> str:
    for name in OTHER_NAMES.get(given, ()):
        if name in options and not _is_number(value):
            return name
    level = LEVELS[given](float(value)) if value is not None and _is_number(value) else None
    return level or "--confidence-level"


def _is_number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True
