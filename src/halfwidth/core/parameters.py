"""Parameters of metrics and statistics: numbers that are never part of a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from halfwidth.core.errors import OptionError, UnknownNameError

__all__ = ["Parameter", "bind", "parse_name"]


@dataclass(frozen=True)
class Parameter:
    """A number that belongs to a metric or a statistic, never to its name.

    Attributes
    ----------
    name : str
    default : float or None
        None where there is no sensible default.
    summary : str
    allowed : callable
        ``allowed(value)`` says whether a value may be used.
    allowed_text : str
        The same in words, for error messages.
    unit : str
    """

    name: str
    default: float | None
    summary: str
    allowed: Callable[[float], bool]
    allowed_text: str
    unit: str = ""

    def check(self, value: object, owner: str) -> float:
        """The value as a float, or an error that says what is allowed."""
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = float("nan")
        if not self.allowed(number):
            raise OptionError(f"{owner}: {self.name}={value} is not {self.allowed_text}")
        return number


def bind(
    owner: str, declared: tuple[Parameter, ...], given: Mapping[str, object], *, complete: bool
) -> Mapping[str, float]:
    """Check the given parameters against the declared ones and fill in the defaults.

    ``complete`` asks for a value of every parameter; a metric whose values arrive ready-made may
    leave some unsaid, a statistic may not.
    """
    names = [parameter.name for parameter in declared]
    for name in given:
        if name not in names:
            if not names:
                raise OptionError(f"{owner} has no parameters, got {name!r}")
            raise UnknownNameError(f"parameter of {owner}", name, names)
    bound: dict[str, float] = {}
    for parameter in declared:
        if parameter.name in given:
            bound[parameter.name] = parameter.check(given[parameter.name], owner)
        elif parameter.default is not None:
            bound[parameter.name] = parameter.default
        elif complete:
            raise OptionError(
                f"{owner} needs {parameter.name} ({parameter.summary}); "
                f"write {owner}:{parameter.name}=VALUE, {parameter.allowed_text}"
            )
    return MappingProxyType(bound)


def parse_name(
    text: str, declared: Callable[[str], tuple[Parameter, ...]]
) -> tuple[str, dict[str, object]]:
    """Split ``"quantile:q=0.9"`` or, for the first parameter, ``"quantile:0.9"``.

    >>> share = Parameter("share", 0.25, "", lambda value: True, "any number")
    >>> parse_name("trimmed_mean:0.1", lambda name: (share,))
    ('trimmed_mean', {'share': '0.1'})
    """
    name, _, tail = text.partition(":")
    given: dict[str, object] = {}
    for position, part in enumerate(filter(None, (p.strip() for p in tail.split(",")))):
        key, equals, value = part.partition("=")
        if not equals:
            parameters = declared(name)
            if position >= len(parameters):
                raise OptionError(f"{text!r}: {name} takes {len(parameters)} parameter(s)")
            key, value = parameters[position].name, part
        given[key.strip()] = value.strip()
    return name.strip(), given
