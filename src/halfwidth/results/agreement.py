"""How far two measurements of the same cases differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halfwidth.arithmetic.agreement_limits import limits_of
from halfwidth.core.checks import as_number
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.formatting import decimals_for, fixed, percent, plain
from halfwidth.core.forms import Effect
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array
from halfwidth.document.parts import Cell, Column, Data, Document, Kind, Note, Table
from halfwidth.results.fields import Field, fields_dict, fields_row
from halfwidth.results.result import SCHEMA_VERSION, Result

if TYPE_CHECKING:
    from halfwidth.results.comparison import ComparedCases

FEWEST = 3

# What JSON and rows say of the two measurements.
ABOUT = (
    Field("label"),
    Field("first"),
    Field("second"),
    Field("effect"),
    Field("share"),
    Field("confidence_level"),
    Field("n"),
    Field("n_groups"),
    Field("sd"),
)


class Limit(NamedTuple):
    """A number with its bounds; NaN where there is no interval."""

    value: float
    low: float
    high: float

    @property
    def value_text(self) -> str:
        """The number, with as many decimals as its interval supports."""
        return fixed(self.value, self._decimals)

    @property
    def ends_text(self) -> str:
        """The bounds: ``0.10 to 0.12``; empty without an interval."""
        if not math.isfinite(self.high - self.low):
            return ""
        return f"{fixed(self.low, self._decimals)} to {fixed(self.high, self._decimals)}"

    @property
    def _decimals(self) -> int:
        reach = (self.high - self.low) / 2
        return decimals_for(self.value, reach if math.isfinite(reach) else math.nan)


@frozen(eq=False, repr=False)
class Agreement(Result):
    """How far two measurements of a case differ: the bias, and the limits of agreement.

    Attributes
    ----------
    first, second : str
        What was compared, first minus second (or over second).
    bias : Limit
        The mean difference, or the geometric mean of the ratios.
    lower, upper : Limit
        The limits between which ``share`` of the differences of new cases lie, if these are normal.
    sd : float
        Standard deviation of the differences, of ratios that of their logarithms.
    means, differences : ndarray, shape (n,)
        Of each case the (geometric) mean of the two values, and their difference or ratio.
    metric_spec : Metric
    effect : {"difference", "ratio"}
    share : float
    confidence_level : float
    label : str
        What the cases are of.
    by : mapping
        The levels of the columns within which they were compared.
    n_groups : int or None
        Clusters; None where none were given.
    groups : tuple or None
        The cluster of each case.
    """

    first: str
    second: str
    bias: Limit
    lower: Limit
    upper: Limit
    sd: float
    means: Array
    differences: Array
    metric_spec: Metric
    effect: Effect = "difference"
    share: float = 0.95
    confidence_level: float = 0.95
    label: str = ""
    by: Mapping[str, Any] = field(default_factory=dict)
    n_groups: int | None = None
    groups: tuple[Any, ...] | None = None

    @property
    def n(self) -> int:
        """Cases."""
        return len(self.differences)

    @property
    def n_text(self) -> str:
        """How many cases, in how many clusters: ``n = 200 in 100 clusters``."""
        return f"n = {self.n}" + ("" if self.n_groups is None else f" in {self.n_groups} clusters")

    @property
    def centre(self) -> str:
        """What the bias is: ``mean difference``."""
        return {"difference": "mean difference", "ratio": "geometric mean ratio"}[self.effect]

    def sentence(self) -> str:
        """One sentence for a paper."""
        reach = (self.upper.value - self.lower.value) / 2
        places = decimals_for(self.bias.value, reach / math.sqrt(max(self.n, 1)))
        bias, low, high, lower, upper = (
            fixed(number, places) for number in (*self.bias, self.lower.value, self.upper.value)
        )
        unit = self.metric_spec.unit if self.effect == "difference" else ""
        return (
            f"{self.first} against {self.second}: {self.centre} {bias}{f' {unit}' if unit else ''} "
            f"({percent(self.confidence_level)} CI {low} to {high}), {percent(self.share)} limits "
            f"of agreement {lower} to {upper} ({self.n_text})."
        )

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return {
            "schema_version": SCHEMA_VERSION,
            **fields_dict(self, ABOUT),
            "by": {name: plain(level) for name, level in self.by.items()},
            "metric": self.metric_spec.spec.name,
            **{name: plain(limit._asdict()) for name, limit in self._limits.items()},
            "sentence": self.sentence(),
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row for the bias and for each limit."""
        about = fields_row(self, ABOUT)
        return [{**about, "kind": kind, **limit._asdict()} for kind, limit in self._limits.items()]

    def document(self) -> Document:
        """A table of the bias and the limits, and what they are of."""
        unit = self.metric_spec.unit if self.effect == "difference" else ""
        share = percent(self.share)
        words = {
            "bias": self.centre,
            "lower": f"lower limit, {share}",
            "upper": f"upper limit, {share}",
        }
        columns = (
            Column(f"{self.first} against {self.second}" + (f" [{unit}]" if unit else "")),
            Column("value", Kind.NUMBER),
            Column(f"{percent(self.confidence_level)} CI", Kind.INTERVAL),
        )
        rows = tuple(
            (
                Cell(words[kind]),
                Cell(limit.value_text, limit.value, unit),
                Cell(limit.ends_text or "none", (limit.low, limit.high), unit),
            )
            for kind, limit in self._limits.items()
        )
        about = f"{self.label}: " if self.label else ""
        normal = {"difference": "these", "ratio": "their logarithms"}[self.effect]
        note = Note(
            f"{about}{self.n_text}. Between the limits lie {share} of the {self.effect}s of new "
            f"cases, if {normal} are normal."
        )
        return Document((Table(columns, rows), note), Data(self.to_dict, self.to_rows))

    @property
    def _limits(self) -> dict[str, Limit]:
        return {"bias": self.bias, "lower": self.lower, "upper": self.upper}

    def __repr__(self) -> str:
        return f"Agreement: {self.sentence()}"


def agreement_of(
    cases: ComparedCases,
    first: str,
    second: str,
    effect: Effect,
    confidence: float,
    *,
    share: float = 0.95,
) -> Agreement:
    """The agreement of two models on the cases that were compared."""
    share = as_number("share", share, "between 0 and 1")
    if not 0 < share < 1:
        raise OptionError(f"share={share:g} is not between 0 and 1")
    pair = [cases.values[name] for name in (first, second)]
    if len(pair[0]) < FEWEST:
        raise DataError(f"limits of agreement need {FEWEST} cases or more, got {len(pair[0])}")
    if effect == "ratio":
        if min(float(values.min()) for values in pair) <= 0:
            raise DataError("a ratio needs values above 0; compare differences instead")
        pair = [np.log(values) for values in pair]
    differences, means = pair[0] - pair[1], (pair[0] + pair[1]) / 2
    codes = None
    if cases.groups is not None:
        _, codes = np.unique(np.asarray(cases.groups, dtype=str), return_inverse=True)
    sd, triples = limits_of(differences, codes, share, confidence)
    limits = [Limit(*triple) for triple in triples]
    if effect == "ratio":
        means, differences = np.exp(means), np.exp(differences)
        try:
            limits = [Limit(*map(math.exp, limit)) for limit in limits]
        except OverflowError:
            raise DataError(
                f"the ratios of {first} to {second} lie so far apart that their limits exceed the "
                "largest number in floating point; compare differences instead"
            ) from None
    bias, lower, upper = limits
    return Agreement(
        first=first,
        second=second,
        bias=bias,
        lower=lower,
        upper=upper,
        sd=sd,
        means=means,
        differences=differences,
        metric_spec=cases.metric_spec,
        effect=effect,
        share=share,
        confidence_level=confidence,
        label=cases.label,
        by=cases.by,
        n_groups=None if codes is None else int(codes.max()) + 1,
        groups=cases.groups,
    )
