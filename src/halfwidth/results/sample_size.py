"""The result of planning: numbers of cases, widths and requirements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from halfwidth.core.formatting import fixed, json_text, percent, plain
from halfwidth.core.frozen import frozen
from halfwidth.results.result import SCHEMA_VERSION, Result

if TYPE_CHECKING:
    from halfwidth.document.parts import Document

WIDTH_NEEDS = "width"


@frozen
class Requirement:
    """The number of cases that a goal requires.

    Attributes
    ----------
    what : str
        ``"width"``, ``"reliable coverage of the mean DSC"``, ...
    n : int
    source : str
        The formula or the reference.
    """

    what: str
    n: int
    source: str


@frozen
class Simulated:
    """The simulated widths at the n of a plan.

    Attributes
    ----------
    samples : int
        Studies simulated.
    reached : float or None
        Share of them whose interval is no wider than wanted.
    reached_se : float or None
        Its Monte-Carlo standard error.
    n_low, n_high : int or None
        Result of the search if all shares were two standard errors higher, or
        lower.
    q1, median, q3 : float
        Quartiles of the widths.
    assured : float
        The width that the share ``assurance`` of the studies keep below.
    undefined : int
        Studies without an interval, or with one of no width; they count as too wide.
    seed : int
    """

    samples: int
    reached: float | None
    reached_se: float | None
    n_low: int | None
    n_high: int | None
    q1: float
    median: float
    q3: float
    assured: float
    undefined: int
    seed: int


@frozen(repr=False)
class SampleSize(Result):
    """A number of cases and the width of the interval they give.

    Attributes
    ----------
    quantity : str
        What is estimated: ``"mean DSC"``.
    n : int
        Cases in all: the most that one of the requirements asks for, or the number given.
    width : float
        Of the interval at n, under the assumptions.
    low, high : float
        The expected ends of the interval at n; NaN if unknown.
    formula : str
        Name of the formula for the width, or of the method whose intervals were simulated.
    formula_text : str
        The formula, or what was simulated.
    confidence_level : float
    assumed : mapping of str to float
        The assumptions of the formula: ``{"sd": 0.1}``.
    wanted : float or None
        The width asked for; None where n was given.
    requirements : tuple of Requirement
        The goals and the cases they require.
    counts : mapping of str to int
        The cases of each class, if classes matter.
    assurance : float or None
        The probability with which a study of n cases reaches the width.
    power : float or None
        The probability that a test at n cases finds the assumed difference.
    aim : float or None
        The power asked for.
    unit : str
        Of widths and ends.
    parts : tuple of SampleSize
        Where several intervals are planned at once.
    notes : tuple of str
        Remarks for the reader.
    simulated : Simulated or None
    rule : str
        The version of ``auto`` that takes this method: then the plan is that of the interval that a
        study gets by default. Empty where the method was named.
    shape : str
        How cases are assumed to be distributed; empty where a formula does without.
    label : str
        Of the pilot, where there are several.
    curve : tuple of (int, float)
        The width at other n, for a figure.
    part_curves : mapping of str to tuple of (int, float)
        The same of each of ``parts``, by all cases.
    """

    quantity: str
    n: int
    width: float
    formula: str
    formula_text: str
    confidence_level: float
    assumed: Mapping[str, float]
    low: float = math.nan
    high: float = math.nan
    wanted: float | None = None
    requirements: tuple[Requirement, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    assurance: float | None = None
    power: float | None = None
    aim: float | None = None
    unit: str = ""
    parts: tuple[SampleSize, ...] = ()
    notes: tuple[str, ...] = ()
    simulated: Simulated | None = None
    rule: str = ""
    shape: str = ""
    label: str = ""
    curve: tuple[tuple[int, float], ...] = field(default=(), compare=False)
    part_curves: Mapping[str, tuple[tuple[int, float], ...]] = field(
        default_factory=dict, compare=False
    )

    @property
    def halfwidth(self) -> float:
        """Half of the width: the number after the ±."""
        return self.width / 2

    @property
    def n_for_width(self) -> int | None:
        """The fewest cases for the width wanted; None where n was given."""
        numbers = [need.n for need in self.requirements if need.what == WIDTH_NEEDS]
        return numbers[0] if numbers else None

    @property
    def solves_for_n(self) -> bool:
        """Whether the plan is for a width or a power, rather than for a given n."""
        return self.wanted is not None or self.aim is not None

    @property
    def decided_by(self) -> str:
        """The requirement that takes most cases; ``"given"`` if n was given."""
        if not self.solves_for_n:
            return "given"
        return max(self.requirements, key=lambda need: need.n).what

    @property
    def decimals(self) -> int:
        """Decimals of a width in text."""
        return width_decimals(min(self.width, self.wanted or self.width))

    def sentence(self) -> str:
        """The plan in words.

        Examples
        --------
        >>> from halfwidth.planning import mean_n
        >>> mean_n(0.1, halfwidth=0.02, metric="dsc", method="t").sentence()
        '99 cases give a 95 % CI of the mean DSC of half-width 0.0199 (t; SD 0.1); width decides.'
        """
        reach = fixed(self.halfwidth, self.decimals)
        unit = f" {self.unit}" if self.unit else ""
        assumed = ", ".join(
            f"{name.replace('_', ' ').replace('sd', 'SD')} {value:g}"
            for name, value in self.assumed.items()
        )
        named = f"{self.formula}, the default interval" if self.rule else self.formula
        rests_on = "; ".join(filter(None, [named, assumed, self.shape]))
        end = f"; {self.decided_by} decides" if self.solves_for_n else ""
        return (
            f"{self.n} cases give a {percent(self.confidence_level)} CI of the {self.quantity} of "
            f"half-width {reach}{unit} ({rests_on}){end}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain types; NaN is None."""
        plan: dict[str, Any] = {
            "label": self.label,
            "of": self.quantity,
            "n": self.n,
            "width": plain(self.width),
            "halfwidth": plain(self.halfwidth),
            "low": plain(self.low),
            "high": plain(self.high),
            "unit": self.unit,
            "confidence_level": self.confidence_level,
            "formula": self.formula,
            "rule": self.rule or None,
            "shape": self.shape or None,
            "assumed": dict(self.assumed),
            "wanted_width": self.wanted,
            "assurance": self.assurance,
            "power": self.power,
            "wanted_power": self.aim,
            "decided_by": self.decided_by,
            "requirements": [vars(need) for need in self.requirements],
            "counts": dict(self.counts),
            "notes": list(self.notes),
            "parts": [part.to_dict() for part in self.parts],
        }
        if self.simulated is not None:
            simulated = vars(self.simulated).items()
            plan["simulated"] = {name: plain(value) for name, value in simulated}
        return plan

    def to_json(self) -> str:
        """The plan as JSON, with its ``schema_version``."""
        return json_text({"schema_version": SCHEMA_VERSION, "plans": [self.to_dict()]})

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row, and one of each part: assumptions, counts and simulated widths as columns."""
        row = self.to_dict()
        for name in ("assumed", "counts", "requirements", "notes", "parts", "simulated"):
            row.pop(name, None)
        row |= {"n_for_width": self.n_for_width, **self.assumed, **self.counts}
        row |= vars(self.simulated) if self.simulated is not None else {}
        return [row, *(one for part in self.parts for one in part.to_rows())]

    def document(self) -> Document:
        """What is needed, and what the numbers rest on."""
        from halfwidth.results.documents.plans import plans_document

        return plans_document([self])

    def __repr__(self) -> str:
        return f"SampleSize: {self.sentence()}"


def width_decimals(width: float) -> int:
    """Decimals that leave half of a width three significant digits.

    >>> width_decimals(0.04), width_decimals(1.24), width_decimals(350.0)
    (4, 3, 0)
    """
    if not math.isfinite(width) or width <= 0:
        return 3
    return max(0, 2 - math.floor(math.log10(width / 2) + 1e-9))
