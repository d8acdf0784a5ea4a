"""Rankings in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from halfwidth.core.formatting import as_beginning, percent

if TYPE_CHECKING:
    from halfwidth.results.ranking import RankedModel, Ranking, RankSet
    from halfwidth.results.ranking_consensus import ConsensusModel, RankStability

    # Sets of ranks and the models that have them.
    Run = list[tuple[RankSet, list[str]]]

# So many settled ranks in a row are said at once.
SHORTEST_RUN = 3
# Of many models a sentence names so many sets of ranks, and so many models at once; the table has
# them all.
SETS_NAMED, MODELS_NAMED = 8, 12
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


def some(names: Sequence[str]) -> str:
    """Names in a sentence, of which many are cut short.

    >>> some([str(i) for i in range(1, 21)])
    '1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 8 more'
    """
    rest = len(names) - MODELS_NAMED
    return listed([*names[:MODELS_NAMED], f"{rest} more"] if rest > 1 else names)


def about(label: str, subject: str) -> str:
    """What a ranking is of, at the beginning of a sentence: ``liver, mean DSC``."""
    return f"{label}, {subject}" if label else as_beginning(subject)


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
    confidence = f"({percent(confidence_level)} confidence)"
    if nothing_settled(models):
        return f"the order is open: each of the {count} models may have any rank {confidence}"
    if settled:
        verb = "is" if len(settled) == 1 else "are"
        texts = [f"{some(settled)} {verb} first of {count} {confidence}"]
    elif len(first) == count:
        texts = [f"any of the {count} models may be first {confidence}"]
    else:
        texts = [f"{some(first)} may be first of {count} {confidence}"]
    runs = _runs({one: names for one, names in _by_set(models).items() if one.high > 1})
    return "; ".join([*texts, *_texts_of_runs(runs)])


def nothing_settled(models: Sequence[RankedModel | ConsensusModel]) -> bool:
    """Whether each model may have any rank."""
    return all((m.rank_set.low, m.rank_set.high) == (1, len(models)) for m in models) and (
        len(models) > 1
    )


def _texts_of_runs(runs: Sequence[Run]) -> list[str]:
    """What each run says; those of many models within which ranks they are together."""
    named = len(runs) if len(runs) <= SETS_NAMED + 1 else SETS_NAMED
    texts = [text for run in runs[:named] for text in _run_texts(run)]
    rest = [one for run in runs[named:] for one in run]
    if rest:
        count = sum(len(names) for _, names in rest)
        low, high = min(one.low for one, _ in rest), max(one.high for one, _ in rest)
        texts.append(f"the ranks of the other {count} models are within {low} to {high}")
    return texts


def agreements(stability: RankStability) -> list[str]:
    """How far rankings agree over tasks, metrics and schemes, a sentence for each."""
    texts = []
    for over, between in _BETWEEN.items():
        pairs = stability.over(over)
        taus = pairs.taus
        if taus:
            least, most = f"{min(taus):.2f}", f"{max(taus):.2f}"
            spread = f" ({least} to {most})" if least != most else ""
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
        names = [
            name if len(each) == 1 else f"{name} (in {count} of {len(each)})"
            for name, count in Counter(name for names in each for name in names).most_common()
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


def _runs(by_set: Mapping[RankSet, list[str]]) -> list[Run]:
    """Sets in their order; settled ranks of single models that follow each other, together."""
    runs: list[Run] = []
    for rank_set, names in by_set.items():
        last = runs[-1][-1] if runs else None
        if (
            last
            and _settled(*last)
            and _settled(rank_set, names)
            and last[0].low + 1 == rank_set.low
        ):
            runs[-1].append((rank_set, names))
        else:
            runs.append([(rank_set, names)])
    return runs


def _settled(rank_set: RankSet, names: Sequence[str]) -> bool:
    return rank_set.low == rank_set.high and len(names) == 1


def _run_texts(run: Run) -> list[str]:
    if len(run) < SHORTEST_RUN:
        return [_within(rank_set, names) for rank_set, names in run]
    names = some([name for _, names in run for name in names])
    return [f"{names} have the ranks {run[0][0].low} to {run[-1][0].low} in this order"]


def _within(rank_set: RankSet, names: Sequence[str]) -> str:
    subject = f"the rank of {names[0]} is" if len(names) == 1 else f"the ranks of {some(names)} are"
    return f"{subject} {'' if rank_set.low == rank_set.high else 'within '}{rank_set}"
