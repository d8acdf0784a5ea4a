"""The results of reviewing published numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import fixed, fixed_apart, percent, plain
from halfwidth.core.frozen import frozen
from halfwidth.document.parts import Data, Document, Heading, Kind, Paragraph, Part, Table
from halfwidth.planning.published.claims import AurocClaim, Claim, CountClaim, MeanClaim
from halfwidth.planning.published.comparisons import Comparison, comparison_summary
from halfwidth.planning.published.leads import Lead
from halfwidth.planning.published.unpaired import CONDITION, UnpairedDifference
from halfwidth.planning.published.wording import (
    correlation_text,
    list_assumptions,
    missing_reports,
    review_conditions,
    review_findings,
)
from halfwidth.results.documents.estimates import estimates_document
from halfwidth.results.estimate import Estimate, Estimates
from halfwidth.results.result import ResultCollection, SingleResult

PLAUSIBLE = "over plausible SDs"
KINDS = {
    **dict.fromkeys(("label", "of", "better", "higher", "other"), Kind.TEXT),
    "larger than noise": Kind.NAME,
}


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
    unpaired : UnpairedDifference or None
        From another model on cases of its own.
    """

    claim: Claim
    estimates: tuple[Estimate, ...]
    ends: tuple[Estimate, ...] = ()
    lead: Lead | None = None
    unpaired: UnpairedDifference | None = None

    @property
    def _alone(self) -> Reviews:
        return Reviews((self,))

    @property
    def label(self) -> str:
        """Label of the claim."""
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
        """Cautions of the estimate to quote."""
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
            "unpaired": None if self.unpaired is None else plain(asdict(self.unpaired)),
            "assumptions": list(self.assumptions),
            "should_have_reported": list(self.should_have_reported),
            "paragraph": self.paragraph(),
        }

    def to_row(self) -> dict[str, Any]:
        """A flat row: one number to a column."""
        row, lead = self.to_dict(), self.lead
        nested = ("by", "parameters", "others", "lead", "unpaired", "assumptions")
        for name in (*nested, "should_have_reported", "paragraph"):
            row.pop(name)
        row["bounds"] = self.estimate.to_row()["bounds"]
        row["cautions"] = " ".join(caution.code for caution in self.cautions)
        row["versus"] = None if lead is None else lead.versus
        row["difference"] = None if lead is None else lead.difference
        if self.unpaired is not None:
            row["versus"], row["difference"] = self.unpaired.versus, self.unpaired.difference
        for name in ("low", "high", "p"):
            found = None if self.unpaired is None else plain(getattr(self.unpaired, name))
            row[f"difference_{name}"] = found
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
        Rows of the table against each other, as far as they may be of the same cases.
    unpaired : tuple of UnpairedDifference
        Rows that are of different cases, since their numbers of cases differ.
    """

    KEY = "reviews"

    items: tuple[Review, ...]
    notes: tuple[str, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    unpaired: tuple[UnpairedDifference, ...] = ()

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
            "unpaired": [plain(asdict(one)) for one in self.unpaired],
        }

    def document(self) -> Document:
        """Intervals, leads over other models, and a paragraph for each review."""
        intervals = estimates_document(self.estimates)
        data = Data(self.to_dict, lambda: [item.to_row() for item in self])
        return Document((*intervals.parts, *_leads(self), *_paragraphs(self)), data)

    def __repr__(self) -> str:
        return "\n".join([f"Reviews ({len(self)}):", *(f"  {item.sentence()}" for item in self)])


# --------------------------------------------------------------------------- as a document


def _paragraphs(reviews: Reviews) -> Iterator[Paragraph]:
    """The findings, and once what all that assume the same have in common."""
    alike: dict[str, list[str]] = {}
    for item in reviews:
        alike.setdefault(review_conditions(item), []).append(review_findings(item))
    for conditions, findings in alike.items():
        yield Paragraph(" ".join([*findings, conditions]))
    if reviews.comparisons:
        level = reviews[0].estimate.confidence_level
        yield Paragraph(comparison_summary(reviews.comparisons, level))
    unpaired = [*reviews.unpaired, *(one.unpaired for one in reviews if one.unpaired)]
    if unpaired:
        yield Paragraph(" ".join([*(one.sentence() for one in unpaired), f"{CONDITION}."]))


# --------------------------------------------------------------------------- leads


def _leads(reviews: Reviews) -> Iterator[Part]:
    """Every correlation for a single review, a row per review for several."""
    leading = [(item, item.lead) for item in reviews if item.lead is not None]
    if len(reviews) == 1 and leading:
        yield from _in_full(*leading[0])
    elif leading:
        yield from _in_short(leading)
    if reviews.comparisons:
        yield from _compared_rows(reviews.comparisons)


def _in_full(review: Review, lead: Lead) -> tuple[Part, ...]:
    level = percent(review.estimate.confidence_level)
    places = lead.decimals
    guessed = review.approximate
    rows = []
    for row in lead.rows:
        low, high = fixed_apart(row.low, places), fixed_apart(row.high, places)
        half = fixed(row.halfwidth, places)
        cells = [f"{row.correlation:.2f}", f"{low} to {high}", half]
        if guessed:
            ends = [fixed(end, places) for end in (row.halfwidth_low, row.halfwidth_high)]
            cells.append(" to ".join(ends))
        rows.append([*cells, row.larger])
    headings = ["correlation", f"{level} CI of the difference", "half-width"]
    headings += [PLAUSIBLE] * guessed + ["larger than noise"]
    value, versus = fixed(lead.value, places), fixed(lead.versus, places)
    title = (
        f"Difference {fixed(lead.difference, places)} ({value} against {versus}) by the "
        f"correlation of the {lead.of}"
    )
    return Heading(title), Table.from_rows(headings, rows, kinds=KINDS)


def _in_short(leading: Sequence[tuple[Review, Lead]]) -> tuple[Part, ...]:
    rows = [
        (
            item.claim.label,
            fixed(lead.versus, lead.decimals),
            fixed(lead.difference, lead.decimals),
            _needed_cell(lead.needed),
        )
        for item, lead in leading
    ]
    title = "Leads over another model on the same cases, and the correlation that they need"
    headings = ["label", "versus", "difference", "needed"]
    return Heading(title), Table.from_rows(headings, rows, kinds=KINDS)


def _compared_rows(comparisons: Sequence[Comparison]) -> tuple[Part, ...]:
    """Rows of the table against each other."""
    several = len({(one.part, one.subject, one.n) for one in comparisons}) > 1
    rows = []
    for one in comparisons:
        lead = one.lead
        ends = lead.rows[0]
        interval = " to ".join(fixed_apart(end, lead.decimals) for end in (ends.low, ends.high))
        about = ", ".join(part for part in (one.part, one.subject) if part)
        cells = [about, one.first, one.second][not several :]
        cells += [fixed_apart(lead.difference, lead.decimals), interval]
        rows.append([*cells, _needed_cell(lead.needed), _needed_cell(one.jointly.needed)])
    known = all(one.lead.ahead is not None or not one.lead.difference for one in comparisons)
    headings = ["of"] * several + [
        "better" if known else "higher",
        "other",
        "difference",
        "CI if uncorrelated",
    ]
    title = (
        "Rows against each other on the same cases: the correlation that a difference needs to be "
        "larger than noise, and the one that it needs where every pair counts (of all)"
    )
    return Heading(title), Table.from_rows([*headings, "needed", "of all"], rows, kinds=KINDS)


def _needed_cell(needed: float) -> str:
    if not math.isfinite(needed):
        return "any" if needed < 0 else "none will do"
    return "0" if needed <= 0 else correlation_text(needed)
