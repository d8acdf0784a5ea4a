"""All rankings of a call: one for each family and scheme, their consensus and their stability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halfwidth.comparison.families import MeasuredFamily
from halfwidth.comparison.settings import Settings
from halfwidth.core.ranking import Rankings
from halfwidth.ranking.assembling import metric_names, ranked
from halfwidth.ranking.consensus import Place, combined_together, consensus_of, parts_of
from halfwidth.ranking.options import RankingOptions
from halfwidth.ranking.stability import stability_of

# The label of the cases of a family, which all its metrics and classes share, and a family.
Labelled = tuple[str, MeasuredFamily]


def all_ranked(
    measured: Sequence[Labelled],
    options: RankingOptions,
    settings: Settings,
    notes: Sequence[str] = (),
) -> Rankings:
    """A ranking for each family and scheme, with what they say together."""
    asked = [(cases, one, scheme) for cases, one in measured for scheme in options.schemes]
    places = [Place(one.label, metric_names(one), scheme) for _, one, scheme in asked]
    together = combined_together(places, over_metrics=options.combining.over_metrics)
    rankings, traces = [], []
    for at, (cases, family, scheme) in enumerate(asked):
        ranking, trace = ranked(family, scheme, options, settings, parts_of(at, together))
        rankings.append(ranking)
        traces.append(replace(trace, cases=cases))
    found = [(one, consensus_of(one, rankings, traces, options.combining)) for one in together]
    consensus = tuple(one for _, one in found if one is not None)
    without = {one.over: len(one.members) for one, made in found if made is None}
    lacking = [
        f"no consensus over {count} {over}: no two models are in all of them; absent_model='last' "
        "(--absent-model last) gives models the last rank where they are absent"
        for over, count in without.items()
    ]
    stability = stability_of(rankings, consensus)
    return Rankings(tuple(rankings), (*notes, *lacking), consensus, stability)
