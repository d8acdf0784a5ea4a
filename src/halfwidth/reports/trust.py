"""How far to trust the intervals: what was found for such samples, and what more cases bring."""

from __future__ import annotations

import math

from halfwidth.core.formatting import fixed
from halfwidth.document.parts import Column, Heading, Kind, Note, Paragraph, Part, Section, Table
from halfwidth.estimation.evidence_lookup import findings_for
from halfwidth.intervals.all_methods import METHODS
from halfwidth.planning.expected_intervals import halfwidth_with_more_cases
from halfwidth.reports.results import Results
from halfwidth.results.documents.estimates import in_common
from halfwidth.results.estimate import Estimate
from halfwidth.results.ranking_words import listed

# A longer table is folded, and its rows are extrapolated.
MOST_ROWS = 20
# As many times the cases that there are.
TIMES = (2, 4, 10)


def trust(results: Results) -> Section | None:
    """What coverage to expect of these intervals, and how they would shrink."""
    estimates = [e for e in results.estimates if math.isfinite(e.halfwidth)]
    if not estimates:
        return None
    parts: list[Part] = [*_coverage(estimates)]
    shrinking = [e for e in estimates if e.halfwidth > 0]
    if shrinking:
        parts.append(_what_more(shrinking, results))
    return Section("How far to trust the intervals", tuple(parts))


def _coverage(estimates: list[Estimate]) -> list[Part]:
    """What the study found for each method at such a number of cases, each said once."""
    coverages: dict[str, dict[str, None]] = {}
    unknown: dict[str, None] = {}
    for estimate in estimates:
        # The study had independent cases only.
        row = (
            findings_for(estimate, chosen=False).at(estimate.n)
            if estimate.design == "iid"
            else None
        )
        if row is None:
            unknown[f"the {estimate.subject} by {estimate.method_title}"] = None
        else:
            title = METHODS[row.method].title if row.method in METHODS else row.method
            text = row.coverage_sentence.replace(f"by {row.method} ", f"by {title} ")
            coverages.setdefault(text, {})[estimate.subject] = None
    texts = [
        f"For the {listed(list(of))}: {text[:1].lower()}{text[1:]}"
        for text, of in coverages.items()
    ]
    parts: list[Part] = [Heading("Coverage to expect"), *map(Paragraph, texts)]
    if unknown:
        which = listed(list(unknown)) if texts else "intervals like these"
        parts.append(Paragraph(f"The study of real instances does not cover {which}."))
    return parts


def _what_more(estimates: list[Estimate], results: Results) -> Section:
    units = results.units
    if any(e.n_groups is not None for e in estimates):
        units = "clusters"
    # Each takes a few tenths of a second.
    few = len(estimates) <= MOST_ROWS
    simulated = [_simulated(estimate, results) if few else None for estimate in estimates]
    notes = []
    if any(simulated):
        notes.append(_simulation_note(units, every=all(simulated)))
    if not all(simulated):
        notes.append(_extrapolation_note(units))
    parts = (*in_common(_widths(estimates, simulated)), *map(Note, notes))
    return Section(f"What more {units} would bring", parts, folded=len(estimates) > MOST_ROWS)


def _simulated(estimate: Estimate, results: Results) -> list[float] | None:
    """Half-widths with more cases like these, or None where they cannot be simulated."""
    values = results.values_behind(estimate)
    if values is None:
        return None
    halfwidths = [halfwidth_with_more_cases(estimate, values, times) for times in TIMES]
    known = [one for one in halfwidths if one is not None]
    return known if len(known) == len(halfwidths) else None


def _simulation_note(units: str, *, every: bool) -> str:
    start = "Half-widths" if every else "Half-widths without ~ are"
    return (
        f"{start}{' are' if every else ''} means over studies of so many {units}, drawn from "
        f"these with replacement, each with its interval by the same method: of {units} to come "
        "that are like these. halfwidth plan says how many a wanted width needs, and from how many "
        "on intervals hold their level."
    )


def _extrapolation_note(units: str) -> str:
    text = (
        "~: an extrapolation; half-widths shrink about as the square root of the number of "
        f"{units} grows"
    )
    if units == "clusters":
        text += ", if they are as large as these; more cases of the same clusters bring less"
    if units == "runs":
        return f"{text}."
    return (
        f"{text}. halfwidth plan says how many cases a wanted width needs, and from how many on "
        "intervals hold their level."
    )


def _widths(estimates: list[Estimate], simulated: list[list[float] | None]) -> Table:
    labelled = any(estimate.label for estimate in estimates)
    unit = "clusters" if all(estimate.n_groups is not None for estimate in estimates) else "n"
    columns = (
        *([Column("label")] if labelled else []),
        Column("statistic"),
        Column(unit, Kind.NUMBER),
        Column("half-width", Kind.NUMBER),
        *(Column(f"{times} times as many", Kind.NUMBER) for times in TIMES),
    )
    rows = (
        (
            *([e.label or e.subject] if labelled else []),
            e.subject,
            str(e.n if unit == "n" else e.n_groups),
            fixed(e.halfwidth, e.decimals + 1),
            *(
                [fixed(halfwidth, e.decimals + 1) for halfwidth in halfwidths]
                if halfwidths
                else [f"~{fixed(e.halfwidth / math.sqrt(x), e.decimals + 1)}" for x in TIMES]
            ),
        )
        for e, halfwidths in zip(estimates, simulated, strict=True)
    )
    return Table(columns, tuple(rows))
