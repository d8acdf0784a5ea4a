"""Parameters of metrics and statistics: numbers that are never part of a name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.formatting import per_cent_hint
from halfwidth.core.frozen import frozen


@frozen
class Parameter:
    """A number that belongs to a metric or a statistic, never to its name."""

    name: str
    # None where there is no sensible default.
    default: float | None
    summary: str
    # What is allowed.
    at_least: float = -math.inf
    above: float = -math.inf
    at_most: float = math.inf
    below: float = math.inf
    # The only values allowed, where there are but a few.
    choices: tuple[float, ...] = ()
    unit: str = ""
    # Words that stand for numbers.
    words: tuple[tuple[str, float], ...] = ()
    # The words by which lengths are in voxels, whatever the spacing.
    in_voxels: tuple[str, ...] = ()
    # Whether leaving it unsaid means something.
    optional: bool = False
    # Whether a value that is computed names it even where it is the usual one: the first choice.
    named: bool = False
    # Whether it is how far a boundary may be off, which one option sets for all metrics.
    tolerated: bool = False
    # How far from a limit that it must not reach a value has to be: closer, no number of cases is
    # enough.
    apart: float = 0.0
    # Whether it is a whole number.
    whole: bool = False

    @property
    def allowed_text(self) -> str:
        """What is allowed, in words."""
        if self.words:
            return " or ".join(word for word, _ in self.words)
        if self.choices:
            return " or ".join(f"{choice:g}" for choice in self.choices)
        limits = {
            "at least": self.at_least,
            "above": self.above,
            "at most": self.at_most,
            "below": self.below,
        }
        ends = [f"{word} {limit:g}" for word, limit in limits.items() if math.isfinite(limit)]
        limits_text = " and ".join(ends)
        if self.whole:
            return f"a whole number {limits_text}".strip()
        return limits_text or "a number"

    def word(self, value: float) -> str:
        """A value as it is written in an option: a number, or the word that stands for it."""
        named = next((word for word, number in self.words if number == value), None)
        return named or repr(value).removesuffix(".0")

    def text(self, value: float, *, in_voxels: bool = False) -> str:
        """A value with its unit, or the word that stands for it."""
        unit = "voxels" if in_voxels and self.unit == "mm" else self.unit
        return self.word(value) if self.words else f"{value:g} {unit}".strip()

    def check(self, value: object, owner: str) -> float:
        """The value as a float, or an error that says what is allowed."""
        for word, meant in self.words:
            if value == word:
                return meant
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = math.nan
        inside = self.at_least <= number <= self.at_most and self.above < number < self.below
        inside = inside and (number.is_integer() or not self.whole)
        if not inside or (self.choices and number not in self.choices):
            finite = "finite and " if math.isinf(number) else ""
            hint = per_cent_hint(number) if min(self.at_most, self.below) == 1 else ""
            raise OptionError(
                f"{owner}: {self.name}={value} is not {finite}{self.allowed_text}{hint}"
            )
        if min(number - self.above, self.below - number) < self.apart:
            raise OptionError(
                f"{owner}: {self.name}={value} is too extreme for any number of cases; a value is "
                f"{self.allowed_text} by {self.apart:g} or more"
            )
        return number


def one_of_words(name: str, words: Sequence[str], summary: str) -> Parameter:
    """A parameter that is one of a few words, by default the first.

    >>> one_of_words("ties", ("min", "max"), "shared ranks").check("max", "ranks")
    1.0
    """
    numbered = tuple((word, float(place)) for place, word in enumerate(words))
    return Parameter(name, 0.0, summary, at_least=math.inf, words=numbered)


MILLIMETRE, VOXEL = 0.0, 1.0
# Said of values that were measured in voxels, lest they be taken for millimetres.
UNIT = Parameter(
    "unit",
    None,
    "of lengths: mm, or voxel where the spacing was said to be 1",
    words=(("mm", MILLIMETRE), ("voxel", VOXEL)),
    choices=(MILLIMETRE, VOXEL),
    optional=True,
)


def bind(
    owner: str, declared: tuple[Parameter, ...], values: Mapping[str, object], *, complete: bool
) -> dict[str, float]:
    """Check values of parameters and fill in the defaults; ``complete`` asks for all of them."""
    names = [parameter.name for parameter in declared]
    for name in values:
        if name not in names:
            if not names:
                raise OptionError(f"{owner} has no parameters, got {name!r}")
            raise UnknownNameError(f"parameter of {owner}", name, names)
    bound: dict[str, float] = {}
    for parameter in declared:
        if parameter.name in values:
            bound[parameter.name] = parameter.check(values[parameter.name], owner)
        elif parameter.default is not None:
            bound[parameter.name] = parameter.default
        elif complete and not parameter.optional:
            raise OptionError(
                f"{owner} needs {parameter.name} ({parameter.summary}); "
                f"write {owner}:{parameter.name}=VALUE, {parameter.allowed_text}"
            )
    return bound


def split_names(texts: Sequence[str]) -> list[str]:
    """Single names of lists with commas, which also part the parameters of one name.

    >>> split_names(["dsc,hd:percentile=99,definition=pooled,nsd:2"])
    ['dsc', 'hd:percentile=99,definition=pooled', 'nsd:2']
    """
    names: list[str] = []
    for part in (part.strip() for text in texts for part in text.split(",")):
        name = part.partition(":")[0]
        if "=" in name and names:
            names[-1] += ("," if ":" in names[-1] else ":") + part
        elif part:
            names.append(part)
    return names


def words_in(
    text: str, declared: Mapping[str, tuple[Parameter, ...]]
) -> tuple[str, dict[str, str]]:
    """A name that is declared, and the words that its parameters are.

    >>> words_in("a:ties=max", {"a": (one_of_words("ties", ("min", "max"), "shared ranks"),)})
    ('a', {'ties': 'max'})
    """
    name, values = parse_name(text, declared.__getitem__)
    bound = bind(name, declared[name], values, complete=True)
    return name, {one.name: one.word(bound[one.name]) for one in declared[name]}


def parse_name(
    text: str, declared: Callable[[str], tuple[Parameter, ...]]
) -> tuple[str, dict[str, object]]:
    """Split ``"quantile:q=0.9"`` or, for the first parameter, ``"quantile:0.9"``.

    >>> parse_name("trimmed_mean:0.1", lambda name: (Parameter("share", 0.25, ""),))
    ('trimmed_mean', {'share': '0.1'})
    """
    name, _, tail = text.partition(":")
    values: dict[str, object] = {}
    for position, part in enumerate(filter(None, (p.strip() for p in tail.split(",")))):
        key, equals, value = part.partition("=")
        if not equals:
            parameters = declared(name)
            if position >= len(parameters):
                raise OptionError(f"{text!r}: {name} takes {len(parameters)} parameter(s)")
            key, value = parameters[position].name, part
        if key.strip() in values:
            raise OptionError(f"{text!r}: {key.strip()} is given twice")
        values[key.strip()] = value.strip()
    return name.strip(), values
