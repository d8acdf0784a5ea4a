"""Pictures of the cases and of the ranks behind a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from halfwidth.document.parts import Figure
from halfwidth.plots.of_results import figure_of
from halfwidth.reports.whole.results import Results
from halfwidth.results.documents.estimates import pale_text
from halfwidth.results.estimate import Cases, Estimates
from halfwidth.results.ranking import Rankings


def figures_of_cases(results: Results) -> Iterator[Figure]:
    """A figure of the values of each family, in dots, so that none can be read out of the page."""
    numbers: dict[Any, int] = {}
    for family in results.estimates.families:
        known = {cases.label: cases for cases in family.cases if cases is not None}
        if not results.cases:
            known = {label: _numbered(cases, numbers) for label, cases in known.items()}
        about = f"{family.task}: " if family.task else ""
        caption = f"{about}{family.metric or 'values'} of each case, with estimates and intervals"
        if pale := pale_text(family.estimates):
            caption += f"; {pale}"
        if known:
            shown = Estimates(
                tuple(e for e in family.estimates if e.label in known), cases=tuple(known.values())
            )
            yield Figure("distribution", caption, shown, pictures=shown.pictures)


def _numbered(cases: Cases, numbers: dict[Any, int]) -> Cases:
    """Cases whose clusters have numbers, the same in all figures: their names may be patients."""
    if cases.groups is None:
        return cases
    places = [numbers.setdefault(name, len(numbers) + 1) for name in cases.groups]
    return replace(cases, groups=tuple(f"cluster {place}" for place in places))


def figures_of_ranks(rankings: Rankings | None) -> tuple[Figure, ...]:
    """The sets of ranks of each ranking."""
    if not rankings:
        return ()
    return (Figure("rank-sets", figure_of(rankings).caption, rankings, pictures=rankings.pictures),)
