"""Rows of one table of published numbers against each other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal, get_args

from halfwidth.core.checks import one_of
from halfwidth.core.formatting import percent
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Better
from halfwidth.core.types import Level
from halfwidth.planning.published.claims import Claim
from halfwidth.planning.published.leads import Lead, lead_over
from halfwidth.planning.published.unpaired import UnpairedDifference, cases_of, unpaired_difference

Compare = Literal["auto", "best", "pairs", "none"]
# Up to so many rows every pair is shown.
FEW_ROWS = 4


@frozen
class NamedClaim:
    """A claim of a table, with its names."""

    claim: Claim
    model: str
    # The structure or the task; only rows of the same part are compared.
    part: str = ""


@frozen
class Comparison:
    """Two rows of a table."""

    # What the two rows have in common: the structure or the task, and the metric.
    part: str
    subject: str
    # The better row and the other one.
    first: str
    second: str
    # Of the first over the second, at the level of the call.
    lead: Lead
    # The same at the level at which all pairs hold jointly (Bonferroni), and how many these are.
    jointly: Lead
    pairs: int
    n: int


def compare(
    rows: Sequence[NamedClaim], level: Level, how: Compare = "auto"
) -> tuple[Comparison, ...]:
    """Rows with the same metric, part and number of cases, two at a time."""
    one_of("compare", how, get_args(Compare))
    groups = (
        () if how == "none" else _grouped(rows, lambda row: (*_subject(row), cases_of(row.claim)))
    )
    return tuple(pair for group in groups for pair in _compare_group(group, level, how))


def compare_unpaired(
    rows: Sequence[NamedClaim], level: Level, how: Compare = "auto"
) -> tuple[UnpairedDifference, ...]:
    """Rows with the same metric and part, but another number of cases, two at a time."""
    groups = () if how == "none" else _grouped(rows, _subject)
    return tuple(
        unpaired_difference(one.claim, other.claim, level, (one.model, other.model), one.part)
        for group in groups
        for one, other in _shown_pairs(_ranked(group), how)
        if cases_of(one.claim) != cases_of(other.claim)
    )


def _grouped(
    rows: Sequence[NamedClaim], key: Callable[[NamedClaim], object]
) -> list[list[NamedClaim]]:
    groups: dict[object, list[NamedClaim]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return [group for group in groups.values() if len(group) > 1]


def _subject(row: NamedClaim) -> tuple[object, ...]:
    """What two rows must have in common for their difference to mean something."""
    metric = row.claim.metric
    return row.part, row.claim.kind, metric.spec.name, str(metric.parameters)


def _ranked(rows: Sequence[NamedClaim]) -> list[NamedClaim]:
    better = rows[0].claim.metric.spec.better
    return sorted(rows, key=lambda row: row.claim.value, reverse=better is not Better.LOWER)


def _shown_pairs(
    ranked: Sequence[NamedClaim], how: Compare
) -> Iterator[tuple[NamedClaim, NamedClaim]]:
    if how == "pairs" or (how == "auto" and len(ranked) <= FEW_ROWS):
        yield from combinations(ranked, 2)
    else:
        yield from ((ranked[0], other) for other in ranked[1:])


def _compare_group(rows: Sequence[NamedClaim], level: Level, how: Compare) -> Iterator[Comparison]:
    # The better rows are chosen by the compared numbers themselves, so the correction counts all
    # pairs of a group, whichever of them are shown.
    pairs = math.comb(len(rows), 2)
    joint = replace(level, confidence_level=1 - (1 - level.confidence_level) / pairs)
    for first, second in _shown_pairs(_ranked(rows), how):
        claim = first.claim
        yield Comparison(
            first.part,
            claim.metric.spec.display or claim.metric.spec.name,
            first.model,
            second.model,
            lead_over(claim, second.claim, level),
            lead_over(claim, second.claim, joint),
            pairs,
            claim.n,
        )


def comparison_summary(comparisons: Sequence[Comparison], level: float) -> str:
    """A summary of the comparisons of a table, with their assumptions."""
    alone = _tally([one.lead for one in comparisons])
    jointly = _tally([one.jointly for one in comparisons])
    counts = sorted({one.pairs for one in comparisons})
    plural = "s" * (len(comparisons) != 1)
    summary = f"Of {len(comparisons)} difference{plural} between rows, {alone}."
    if counts[-1] > 1:
        each = " or ".join(percent(round(1 - (1 - level) / pairs, 4)) for pairs in counts)
        summary += (
            f" Counting every pair of a group, since the best row is known only from these numbers "
            f"(Bonferroni, intervals of {each}): {jointly}."
        )
    guess = any(one.lead.needed_low != one.lead.needed_high for one in comparisons)
    assumed = "rows with the same n are of the same cases; differences are those of the prints"
    if guess:
        assumed += "; SDs that were not published are those that are usual for the means"
    return f"{summary} This assumes that {assumed}. The correlation of two rows is not published."


def _tally(leads: Sequence[Lead]) -> str:
    words = Counter(_verdict(lead) for lead in leads)
    order = ("even without a correlation", "only from some correlation on", "at no correlation")
    parts = [f"{words[word]} {word}" for word in order if words[word]]
    return f"larger than noise: {', '.join(parts)}"


def _verdict(lead: Lead) -> str:
    if lead.needed == math.inf:
        return "at no correlation"
    return "even without a correlation" if lead.needed <= 0 else "only from some correlation on"
