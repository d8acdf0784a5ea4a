"""The results of reviewing published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import plain
from halfwidth.core.frozen import frozen
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
from halfwidth.results.estimates import Estimates
from halfwidth.results.result import ResultCollection, SingleResult

if TYPE_CHECKING:
    from halfwidth.document.parts import Document


@frozen(repr=False)
class Review(SingleResult):
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
    def _alone(self) -> Reviews:
        return Reviews((self,))

    @property
    def label(self) -> str:
        """Of what it is."""
        return self.estimate.label

    @property
    def by(self) -> Mapping[str, Any]:
        """The levels of the columns that tell rows apart."""
        return self.estimate.by

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
            "halfwidth_low": plain(ends[0].halfwidth),
            "halfwidth_high": plain(ends[1].halfwidth),
            "positives": claim.positives if isinstance(claim, AurocClaim) else None,
            "successes": claim.successes if isinstance(claim, CountClaim) else None,
            "others": [e.to_dict() for e in self.estimates[1:]],
            "lead": None if lead is None else plain(asdict(lead)),
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


@frozen(repr=False)
class Reviews(ResultCollection[Review]):
    """Reviews in the order of their table.

    Attributes
    ----------
    items : tuple of Review
    notes : tuple of str
        What was done to the table: columns left out.
    comparisons : tuple of Comparison
        Rows of the table against each other.
    """

    KEY = "reviews"

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
        return super().to_dict() | {
            "comparisons": [plain(asdict(one)) for one in self.comparisons],
        }

    def document(self) -> Document:
        """Intervals, leads over other models, and a paragraph for each review."""
        from halfwidth.planning.published.reviews_document import reviews_document

        return reviews_document(self)

    def __repr__(self) -> str:
        return "\n".join([f"Reviews ({len(self)}):", *(f"  {item.sentence()}" for item in self)])
