"""The consensus of rankings over tasks, over metrics, or over both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from halfwidth.arithmetic.ranks import ranks_of
from halfwidth.core.checks import as_choice
from halfwidth.core.frozen import frozen
from halfwidth.core.parameters import one_of_words, words_in
from halfwidth.ranking.consensus_sets import REDUCTIONS, combined_ranks, consensus_bounds
from halfwidth.ranking.rank_sets import with_rank
from halfwidth.ranking.ranks import rank_distribution, shares_of
from halfwidth.ranking.schemes import WITHIN_CASES
from halfwidth.ranking.traces import Trace, joined_resamples
from halfwidth.results.ranking import Ranking, RankSet
from halfwidth.results.ranking_consensus import COMBINATIONS, Consensus, ConsensusModel
from halfwidth.results.ranking_words import listed

TASKS, METRICS, BOTH = "tasks", "metrics", "tasks and metrics"
OMIT, LAST = "omit", "last"


@frozen
class Combining:
    """How rankings are combined, checked."""

    combine: str = "mean_rank"
    # Whether they are combined over metrics too.
    over_metrics: bool = False
    # What becomes of a model that some ranking lacks.
    absent: str = OMIT


def resolve_combining(combine: Any) -> Combining:
    """Check how rankings are combined; where nothing is said, metrics are not.

    >>> resolve_combining("median_rank:absent_model=last").absent
    'last'
    """
    if combine is None:
        return Combining()
    as_choice("combine", combine.partition(":")[0] if isinstance(combine, str) else combine)
    absent = one_of_words("absent_model", (OMIT, LAST), "a model that some task lacks")
    name, words = words_in(combine, dict.fromkeys(COMBINATIONS, (absent,)))
    return Combining(name, True, words[absent.name])


@frozen
class Place:
    """What tells a ranking from others of a call."""

    task: str
    metrics: tuple[str, ...]
    scheme: str


@frozen
class Together:
    """Rankings that are combined over tasks, metrics or both, by their places among all."""

    over: str
    members: tuple[int, ...]


def combined_together(places: Sequence[Place], *, over_metrics: bool) -> list[Together]:
    """Which rankings a consensus is made of: those of one scheme that differ in task or metric.

    >>> places = [Place(task, (metric,), "s") for task in "AB" for metric in ("dsc", "hd95")]
    >>> [(one.over, one.members) for one in combined_together(places, over_metrics=True)]
    [('tasks', (0, 2)), ('tasks', (1, 3)), ('metrics', (0, 1)), ('metrics', (2, 3)), \
('tasks and metrics', (0, 1, 2, 3))]
    """
    kinds: dict[str, Callable[[Place], tuple[Any, ...]]] = {
        TASKS: lambda one: (one.scheme, one.metrics)
    }
    if over_metrics:
        kinds |= {METRICS: lambda one: (one.scheme, one.task), BOTH: lambda one: (one.scheme,)}
    together = []
    for over, common in kinds.items():
        groups: dict[Any, list[int]] = {}
        for at, place in enumerate(places):
            # Ranks within cases are combined within cases.
            if over == TASKS or place.scheme != WITHIN_CASES:
                groups.setdefault(common(place), []).append(at)
        together += [
            Together(over, tuple(one)) for one in groups.values() if _differ(over, one, places)
        ]
    return together


def _differ(over: str, members: Sequence[int], places: Sequence[Place]) -> bool:
    tasks = {places[at].task for at in members}
    metrics = {places[at].metrics for at in members}
    return (over == METRICS or len(tasks) > 1) and (over == TASKS or len(metrics) > 1)


def parts_of(place: int, together: Sequence[Together]) -> set[int]:
    """Into how many parts the error probability is divided wherever a ranking is combined."""
    return {len(one.members) for one in together if place in one.members}


def consensus_of(
    together: Together,
    rankings: Sequence[Ranking],
    traces: Sequence[Trace],
    combining: Combining,
) -> Consensus | None:
    """The consensus of some of the rankings of a call; None where they share no two models."""
    own = [rankings[at] for at in together.members]
    parts = [traces[at] for at in together.members]
    every = list(dict.fromkeys(name for one in parts for name in one.names))
    lacking = tuple(name for name in every if any(name not in one.names for one in parts))
    names = [name for name in every if combining.absent == LAST or name not in lacking]
    if len(names) < 2:
        return None
    ranks = np.stack([one.ranks(names) for one in parts])
    values = REDUCTIONS[combining.combine](ranks, axis=0)
    resampled = joined_resamples(parts, names, own[0].seed)
    drawn = None if resampled is None else combined_ranks(resampled, combining.combine).T
    distribution = None if drawn is None else rank_distribution(-values, -drawn)
    bounds = consensus_bounds(
        [one.claimed(names, len(own)) for one in parts], combining.combine
    ).tolist()
    top = own[0].top
    models = []
    for place, (name, rank) in enumerate(zip(names, ranks_of(-values).tolist(), strict=True)):
        models.append(
            ConsensusModel(
                name,
                float(values[place]),
                tuple(ranks[:, place].tolist()),
                rank,
                with_rank(RankSet(*bounds[place]), rank),
                *shares_of(distribution, place, top),
            )
        )
    return Consensus(
        tuple(sorted(models, key=lambda model: model.value)),
        _subject(together.over, own, combining.combine),
        combining.combine,
        together.over,
        tuple(_names(together.over, own)),
        own[0].label if together.over == METRICS else "",
        tuple(dict.fromkeys(name for one in own for name in one.metrics)),
        own[0].scheme,
        lacking if combining.absent == OMIT else (),
        lacking if combining.absent == LAST else (),
        own[0].confidence_level,
        top,
        0 if distribution is None else len(distribution.taus),
        own[0].seed,
    )


def _subject(over: str, rankings: Sequence[Ranking], combine: str) -> str:
    """Subject in prose: ``mean of ranks by mean DSC over 9 tasks``."""
    by = listed(list(dict.fromkeys(one.subject for one in rankings)))
    tasks = len({one.label for one in rankings})
    over_tasks = "" if over == METRICS else f" over {tasks} tasks"
    return f"{COMBINATIONS[combine]} by {by}{over_tasks}"


def _names(over: str, rankings: Sequence[Ranking]) -> Iterator[str]:
    """What tells each ranking from the others that it is combined with."""
    for one in rankings:
        parts = {TASKS: (one.label,), METRICS: one.metrics, BOTH: (one.label, *one.metrics)}[over]
        yield " / ".join(filter(None, parts))
