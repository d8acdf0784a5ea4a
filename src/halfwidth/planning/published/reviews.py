"""The results of reviewing published numbers."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import json_text
from halfwidth.core.frozen import frozen
from halfwidth.core.notebook import html_of
from halfwidth.planning.published.claims import AurocClaim, Claim, CountClaim, MeanClaim
from halfwidth.planning.published.comparisons import Comparison
from halfwidth.planning.published.leads import Lead
from halfwidth.planning.published.wording import (
    list_assumptions,
    missing_reports,
    review_conditions,
    review_findings,
)
from halfwidth.results.estimate import Estimate
from halfwidth.results.estimates import SCHEMA_VERSION, Estimates
from halfwidth.results.sequence import ResultSequence

if TYPE_CHECKING:
    import pandas as pd


@frozen(repr=False)
class Review:
    """A published number with the interval that it should have had.

    Attributes
    ----------
    claim : Claim
        What was published.
    estimates : tuple of Estimate
        The estimate to quote, and after it others of the same number for comparison.
    ends : tuple of Estimate
        Where the SD is a guess: the estimates with the smallest and the largest plausible SD;
        empty elsewhere.
    lead : Lead or None
        Over another model on the same cases.
    """

    claim: Claim
    estimates: tuple[Estimate, ...]
    ends: tuple[Estimate, ...] = ()
    lead: Lead | None = None

    @property
    def estimate(self) -> Estimate:
        """The estimate to quote."""
        return self.estimates[0]

    @property
    def value(self) -> float:
        """The published value, in the metric's unit."""
        return self.estimate.value

    @property
    def low(self) -> float:
        """Lower bound of the interval."""
        return self.estimate.low

    @property
    def high(self) -> float:
        """Upper bound of the interval."""
        return self.estimate.high

    @property
    def halfwidth(self) -> float:
        """Half of the width of the interval."""
        return self.estimate.halfwidth

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Those of the estimate to quote."""
        return self.estimate.cautions

    @property
    def approximate(self) -> bool:
        """Whether the SD is a guess."""
        return self.claim.source == "guess"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the interval assumes and the paper does not say."""
        return list_assumptions(self)

    @property
    def should_have_reported(self) -> tuple[str, ...]:
        """What would have spared the guesswork."""
        return missing_reports(self)

    def sentence(self) -> str:
        """One sentence, as `Estimate.sentence`; ``≈`` where the SD is a guess."""
        sentence = self.estimate.sentence()
        return sentence.replace("; t).", "; t, SD guessed).") if self.approximate else sentence

    def paragraph(self) -> str:
        """Text for a review: value, interval, method, assumptions, what is missing."""
        return f"{review_findings(self)} {review_conditions(self)}"

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract: the fields of an estimate, and what the review adds."""
        claim, lead = self.claim, self.lead
        spread = claim.spread if isinstance(claim, MeanClaim) else None
        ends = self.ends or (self.estimate, self.estimate)
        return {
            **self.estimate.to_dict(),
            "source": claim.source,
            "approximate": self.approximate,
            "sd": None if spread is None else spread.sd,
            "sd_low": None if spread is None else spread.low,
            "sd_high": None if spread is None else spread.high,
            "halfwidth_low": _plain(ends[0].halfwidth),
            "halfwidth_high": _plain(ends[1].halfwidth),
            "positives": claim.positives if isinstance(claim, AurocClaim) else None,
            "successes": claim.successes if isinstance(claim, CountClaim) else None,
            "others": [e.to_dict() for e in self.estimates[1:]],
            "lead": None if lead is None else _plain(asdict(lead)),
            "assumptions": list(self.assumptions),
            "should_have_reported": list(self.should_have_reported),
            "paragraph": self.paragraph(),
        }

    def to_row(self) -> dict[str, Any]:
        """A flat row: one number to a column."""
        row, lead = self.to_dict(), self.lead
        nested = ("by", "parameters", "others", "lead", "assumptions", "should_have_reported")
        for name in (*nested, "paragraph"):
            row.pop(name)
        row["bounds"] = self.estimate.to_row()["bounds"]
        row["cautions"] = " ".join(caution.code for caution in self.cautions)
        row["versus"] = None if lead is None else lead.versus
        row["difference"] = None if lead is None else lead.difference
        row["correlation_needed"] = None if lead is None else lead.needed
        return row

    def __repr__(self) -> str:
        lines = [f"Review: {self.sentence()}", *(f"  {caution}" for caution in self.cautions)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_of(Reviews((self,)))


@frozen(repr=False)
class Reviews(ResultSequence[Review]):
    """Reviews in the order of their table.

    Attributes
    ----------
    items : tuple of Review
    notes : tuple of str
        What was done to the table: columns left out.
    comparisons : tuple of Comparison
        Rows of the table against each other.
    """

    items: tuple[Review, ...]
    notes: tuple[str, ...] = ()
    comparisons: tuple[Comparison, ...] = ()

    def _some(self, items: tuple[Review, ...]) -> Reviews:
        """Comparisons are between all rows of the table."""
        return Reviews(items, self.notes)

    @property
    def estimates(self) -> Estimates:
        """The estimates to quote, and of a single review the others too."""
        if len(self) == 1:
            return Estimates(self.items[0].estimates, self.notes)
        return Estimates(tuple(item.estimate for item in self), self.notes)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions, each text once."""
        return self.estimates.cautions

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return {
            "schema_version": SCHEMA_VERSION,
            "reviews": [item.to_dict() for item in self],
            "comparisons": [_plain(asdict(one)) for one in self.comparisons],
        }

    def to_json(self) -> str:
        """The JSON contract as text."""
        return json_text(self.to_dict())

    def to_frame(self) -> pd.DataFrame:
        """A row per published number."""
        import pandas as pd

        return pd.DataFrame([item.to_row() for item in self])

    def _repr_html_(self) -> str:
        return html_of(self)

    def __repr__(self) -> str:
        return "\n".join([f"Reviews ({len(self)}):", *(f"  {item.sentence()}" for item in self)])


def _plain(value: Any) -> Any:
    """The value with null for NaN and infinities, which JSON does not have."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
