"""All rankings of a call: one for each family and scheme, their consensus and their stability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from halfwidth.comparison.settings import Settings
from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.option_names import spelled, spelled_both
from halfwidth.document.progress import followed
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.ranking.assembling import metric_names, ranked
from halfwidth.ranking.consensus import (
    LAST,
    TASKS,
    Place,
    Together,
    combined_together,
    consensus_of,
    parts_of,
)
from halfwidth.ranking.ranking_options import RankingOptions
from halfwidth.ranking.schemes import WITHIN_CASES
from halfwidth.ranking.stability import stability_of
from halfwidth.results.ranking import Rankings

# The label of the cases of a family, which all its metrics and classes share, and a family.
Labelled = tuple[str, FamilyJobs]


def all_ranked(
    measured: Sequence[Labelled],
    options: RankingOptions,
    settings: Settings,
    notes: Sequence[str],
) -> Rankings:
    """A ranking for each family and scheme, with what they say together."""
    over_metrics = options.combining.over_metrics
    asked = [(cases, [one], scheme) for cases, one in measured for scheme in options.schemes]
    if over_metrics and WITHIN_CASES in options.schemes:
        asked += [(cases, own, WITHIN_CASES) for cases, own in _by_task(measured)]
    places = [Place(own[0].label, metric_names(*own), scheme) for _, own, scheme in asked]
    together = combined_together(places, over_metrics=over_metrics)
    if over_metrics:
        _check_combined(places, together, options)
    _check_absent(options, settings)
    rankings, traces = [], []
    with followed(sum(len(own[0].jobs) for _, own, _ in asked), "models ranked") as step:
        for at, (cases, (family, *further), scheme) in enumerate(asked):
            parts = parts_of(at, together)
            ranking, trace = ranked(family, scheme, options, settings, parts, further, step=step)
            rankings.append(ranking)
            traces.append(replace(trace, cases=cases))
    combined = [(one, consensus_of(one, rankings, traces, options.combining)) for one in together]
    consensus = tuple(one for _, one in combined if one is not None)
    without = {one.over: len(one.members) for one, consensus in combined if consensus is None}
    lacking = [
        (
            f"no consensus over {count} {over}: no two models are in all of them; the last rank "
            f"can be given where a model is absent ({spelled_both('combine', _with_last(options))})"
        )
        for over, count in without.items()
    ]
    stability = stability_of(rankings, consensus)
    return Rankings(tuple(rankings), (*notes, *lacking), consensus, stability)


def _check_combined(
    places: Sequence[Place], together: Sequence[Together], options: RankingOptions
) -> None:
    """Refuse to combine what is alone, or by a margin that has the unit of one metric."""
    combine = options.combining.combine
    if not together and all(len(place.metrics) == 1 for place in places):
        raise OptionError(
            f"{spelled('combine', combine)} combines ranks over metrics or tasks, and there is one "
            f"ranking; name several metrics ({spelled('metric')}) or the column of tasks "
            f"({spelled('by')})"
        )
    by_name = isinstance(options.margins, Mapping)
    if by_name and WITHIN_CASES in options.schemes:
        raise OptionError(
            f"{spelled('margin', options.margins)}: the ranks within a case by several metrics "
            "are combined, and their margin is one number of ranks"
        )
    if options.margins and not by_name and any(one.over != TASKS for one in together):
        raise OptionError(
            f"{spelled('margin', options.margins)} is in the unit of one metric, and several are "
            "combined; give each its own, or rank within cases, where it is in ranks: "
            f"{spelled('scheme', WITHIN_CASES)}"
        )


def _with_last(options: RankingOptions) -> str:
    """How rankings are combined where an absent model is last."""
    return f"{options.combining.combine}:absent_model={LAST}"


def _check_absent(options: RankingOptions, settings: Settings) -> None:
    """Refuse a rank for models that no ranking can lack."""
    if options.combining.absent == LAST and settings.how.pairing == "complete":
        raise OptionError(
            f"{spelled('combine', _with_last(options))} has no effect when a task without a "
            f"model is an error: {spelled('pairing', 'common')}"
        )


def _by_task(measured: Sequence[Labelled]) -> Iterator[tuple[str, list[FamilyJobs]]]:
    """The families of each task, where they are of several metrics."""
    by_label: dict[str, list[Labelled]] = {}
    for cases, family in measured:
        by_label.setdefault(family.label, []).append((cases, family))
    for own in by_label.values():
        families = [family for _, family in own]
        if len(families) > 1:
            _check_same_models(families)
            yield own[0][0], families


def _check_same_models(families: Sequence[FamilyJobs]) -> None:
    """Ranks within cases are combined of the same models alone."""
    first, *others = families
    for other in others:
        differing = sorted(first.jobs.keys() ^ other.jobs.keys())
        if differing:
            raise DataError(
                f"{first.label + ': ' if first.label else ''}{shortened(differing)} has values of "
                "some metrics only, so that ranks within cases cannot be combined; leave it out "
                f"of the table, or leave out {spelled('combine')}"
            )
