"""Rankings in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from halfwidth.core.formatting import percent

if TYPE_CHECKING:
    from halfwidth.core.ranking import RankedModel, Ranking, RankSet
    from halfwidth.core.ranking_consensus import ConsensusModel, RankStability

# What a policy does with missing values.
POLICIES = {
    "omit": "if left out",
    "worst": "if the worst value",
    "worst_rank": "if last in its case",
}


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["A"]), listed(["A", "B"]), listed(["A", "B", "C"]), listed([])
    ('A', 'A and B', 'A, B and C', '')
    """
    if not names:
        return ""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def about(label: str, subject: str) -> str:
    """What a ranking is of, at the beginning of a sentence: ``liver, mean DSC``."""
    return f"{label}, {subject}" if label else f"{subject[:1].upper()}{subject[1:]}"


def sentence(ranking: Ranking) -> str:
    """Who is first, or may be, and within which ranks all others are."""
    margin = f"{ranking.margin:g}"
    beyond = f" A model ranks behind those better by more than {margin}." if ranking.margin else ""
    said = clauses(ranking.models, ranking.confidence_level)
    return f"{about(ranking.label, ranking.subject)}: {said}.{beyond}"


def clauses(models: Sequence[RankedModel | ConsensusModel], confidence_level: float) -> str:
    """Who is first, or may be, and within which ranks all others are, from sets of ranks."""
    first = [model.name for model in models if 1 in model.rank_set]
    settled = [model.name for model in models if model.rank_set.high == 1]
    count = len(models)
    confidence = f"of {count} ({percent(confidence_level)} confidence)"
    if settled:
        texts = [f"{listed(settled)} {'is' if len(settled) == 1 else 'are'} first {confidence}"]
    elif len(first) == count:
        texts = [f"any may be first {confidence}"]
    else:
        texts = [f"{listed(first)} may be first {confidence}"]
    texts += [
        _within(rank_set, names) for rank_set, names in _by_set(models).items() if rank_set.high > 1
    ]
    return "; ".join(texts)


def agreements(stability: RankStability) -> list[str]:
    """How far rankings agree over tasks, metrics and schemes, a sentence for each."""
    texts = []
    for over, between in _BETWEEN.items():
        pairs = stability.over(over)
        taus = pairs.taus
        if taus:
            spread = f" ({min(taus):.2f} to {max(taus):.2f})" if len(taus) > 1 else ""
            mean = ", on average" if len(taus) > 1 else ""
            texts.append(f"Kendall's tau {between}{mean}: {pairs.mean_tau:.2f}{spread}.")
    return [*texts, *_changes(stability)]


def _changes(stability: RankStability) -> list[str]:
    """Which models change places between each two schemes, those that often do first."""
    moved: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for pair in stability.over("schemes"):
        moved.setdefault((pair.first, pair.second), []).append(pair.moved)
    texts = []
    for schemes, each in moved.items():
        counts = Counter(name for names in each for name in names).most_common()
        of_all = [f"in {count} of {len(each)}" for _, count in counts]
        names = [
            name if len(each) == 1 else f"{name} ({share})"
            for (name, _), share in zip(counts, of_all, strict=True)
        ]
        if names:
            verb = "change places" if len(names) > 1 else "changes its place"
            texts.append(f"{listed(names)} {verb} between {listed(schemes)}.")
    return texts


# What the pairs of each kind are called.
_BETWEEN = {
    "tasks": "between tasks",
    "consensus": "of the tasks with their consensus",
    "metrics": "between metrics",
    "schemes": "between schemes",
}


def _by_set(models: Sequence[RankedModel | ConsensusModel]) -> dict[RankSet, list[str]]:
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
