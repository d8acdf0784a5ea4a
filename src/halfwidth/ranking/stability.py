"""How far rankings agree over tasks, metrics and schemes, and with their consensus."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from halfwidth.arithmetic.ranks import ranks_of
from halfwidth.ranking.ranks import kendall_taus
from halfwidth.results.ranking import Ranking
from halfwidth.results.ranking_consensus import Consensus, RankAgreement, RankStability
from halfwidth.results.ranking_words import listed

TASKS, METRICS, SCHEMES, CONSENSUS = "tasks", "metrics", "schemes", "consensus"


def stability_of(rankings: Sequence[Ranking], consensus: Sequence[Consensus]) -> RankStability:
    """Agreement of each two rankings that differ in nothing but the task, the metric or the scheme.

    A consensus over tasks is compared with the rankings that it combines.
    """
    pairs = [
        _between(one, other, over)
        for one, other in itertools.combinations(rankings, 2)
        if (over := _difference(one, other))
    ]
    pairs.sort(key=lambda pair: (TASKS, METRICS, SCHEMES).index(pair.over))
    for one in consensus:
        if one.over == TASKS:
            pairs += _with_consensus(one)
    return RankStability(tuple(pairs))


def agreement(first: Mapping[str, int], second: Mapping[str, int]) -> tuple[float, tuple[str, ...]]:
    """Kendall's τ-b of two rankings, and the models whose rank differs.

    Models that are in one ranking only are left out, and the others ranked without them.

    >>> tau, moved = agreement({"A": 1, "B": 2, "C": 3}, {"A": 1, "C": 2, "B": 3, "D": 4})
    >>> round(tau, 3), moved
    (0.333, ('B', 'C'))
    """
    names = [name for name in first if name in second]
    if not names:
        return float("nan"), ()
    ranks = np.array([[float(one[name]) for name in names] for one in (first, second)])
    among = ranks_of(-ranks)
    moved = [name for name, (one, other) in zip(names, among.T, strict=True) if one != other]
    return float(kendall_taus(among[:1], among[1])[0]), tuple(moved)


def _difference(first: Ranking, second: Ranking) -> str | None:
    """The one respect in which two rankings differ; None where they differ in several or none."""
    respects = {
        TASKS: first.label != second.label,
        METRICS: first.metrics != second.metrics,
        SCHEMES: first.scheme != second.scheme,
    }
    differing = [over for over, differs in respects.items() if differs]
    # Metrics with their own combination would agree in part by construction.
    alone = METRICS not in differing or len(first.metrics) == len(second.metrics) == 1
    return differing[0] if len(differing) == 1 and alone else None


def _between(first: Ranking, second: Ranking, over: str) -> RankAgreement:
    names = {
        TASKS: (first.label, second.label),
        METRICS: (listed(first.metrics), listed(second.metrics)),
        SCHEMES: (first.scheme, second.scheme),
    }[over]
    ranks = [{model.name: model.rank for model in one.models} for one in (first, second)]
    tau, moved = agreement(*ranks)
    return RankAgreement(
        over,
        *names,
        "" if over == TASKS else first.label,
        "" if over == METRICS else listed(first.metrics),
        "" if over == SCHEMES else first.scheme,
        tau,
        moved,
        len(ranks[0].keys() & ranks[1].keys()),
    )


def _with_consensus(consensus: Consensus) -> Iterator[RankAgreement]:
    """Each ranking of a task with the consensus over all."""
    together = {model.name: model.rank for model in consensus.models}
    for place, task in enumerate(consensus.rankings):
        own = {model.name: model.ranks[place] for model in consensus.models}
        tau, moved = agreement(own, together)
        metric = listed(consensus.metrics)
        yield RankAgreement(
            CONSENSUS, task, CONSENSUS, "", metric, consensus.scheme, tau, moved, len(own)
        )
