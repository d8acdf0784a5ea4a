"""Rankings in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from halfwidth.core.formatting import percent

if TYPE_CHECKING:
    from halfwidth.core.ranking import RankedModel, Ranking, RankSet

# What a policy does with missing values.
POLICIES = {
    "omit": "if left out",
    "worst": "if the worst value",
    "worst_rank": "if last in its case",
}


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["A"]), listed(["A", "B"]), listed(["A", "B", "C"])
    ('A', 'A and B', 'A, B and C')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def sentence(ranking: Ranking) -> str:
    """Who is first, or may be, and within which ranks all others are."""
    subject = f"{ranking.subject[:1].upper()}{ranking.subject[1:]}"
    about = f"{ranking.label}, {ranking.subject}" if ranking.label else subject
    first = [model.name for model in ranking.models if 1 in model.rank_set]
    settled = [model.name for model in ranking.models if model.rank_set.high == 1]
    count = len(ranking.models)
    confidence = f"of {count} ({percent(ranking.confidence_level)} confidence)"
    if settled:
        clauses = [f"{listed(settled)} {'is' if len(settled) == 1 else 'are'} first {confidence}"]
    elif len(first) == count:
        clauses = [f"any may be first {confidence}"]
    else:
        clauses = [f"{listed(first)} may be first {confidence}"]
    clauses += [
        _within(rank_set, names)
        for rank_set, names in _by_set(ranking.models).items()
        if rank_set.high > 1
    ]
    margin = f"{ranking.margin:g}"
    beyond = f" A model ranks behind those better by more than {margin}." if ranking.margin else ""
    return f"{about}: {'; '.join(clauses)}.{beyond}"


def _by_set(models: Sequence[RankedModel]) -> dict[RankSet, list[str]]:
    """Names of the models that share a set of ranks, in the order of these."""
    by_set: dict[RankSet, list[str]] = {}
    for model in sorted(models, key=lambda one: (one.rank_set.low, one.rank_set.high)):
        by_set.setdefault(model.rank_set, []).append(model.name)
    return by_set


def _within(rank_set: RankSet, names: Sequence[str]) -> str:
    subject = (
        f"the rank of {names[0]} is" if len(names) == 1 else f"the ranks of {listed(names)} are"
    )
    return f"{subject} {'' if rank_set.low == rank_set.high else 'within '}{rank_set}"
