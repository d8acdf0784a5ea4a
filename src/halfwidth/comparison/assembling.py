"""From measured families to comparisons: estimates, and what stands beside them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from halfwidth.comparison.estimates import ChosenPairs, error_of_cases, estimates_of, together_of
from halfwidth.comparison.multiplicity import UNCORRECTED, corrected
from halfwidth.comparison.no_difference import run_tests
from halfwidth.comparison.pair_cautions import disagreement, pair_cautions
from halfwidth.comparison.paired_tests import superiority
from halfwidth.comparison.pairing import common_functional
from halfwidth.comparison.settings import Settings
from halfwidth.comparison.simultaneous import BONFERRONI
from halfwidth.comparison.verdicts import goal_result, verdict
from halfwidth.core.by_metric import number_of
from halfwidth.core.cautions import Caution
from halfwidth.core.spec import Better
from halfwidth.core.titles import subject_of
from halfwidth.core.types import Level
from halfwidth.data.families import MeasuredFamily
from halfwidth.document.progress import following
from halfwidth.estimation.pipeline import by_itself, estimate_jobs
from halfwidth.results.comparison import (
    Comparisons,
    Difference,
    GoalResult,
    SimultaneousInterval,
    TestResult,
)
from halfwidth.results.comparison_words import equivalence_level
from halfwidth.results.estimate import Estimate

Ends = tuple[float, float]


def compared(
    families: Sequence[MeasuredFamily], settings: Settings, notes: Sequence[str] = ()
) -> Comparisons:
    """All comparisons of all families."""
    chosen = [ChosenPairs(one, tuple(settings.pairs(list(one.jobs)))) for one in families]
    level = settings.request.level
    estimates = estimates_of(chosen, settings, level)
    items: list[Difference] = []
    each = [*zip(chosen, estimates, _equivalence(chosen, settings), strict=True)]
    for one, own, ends in following(each, "families of models compared"):
        differences = _differences(one, own, settings)
        for pair, difference, narrow in zip(one.pairs, differences, ends, strict=True):
            error = functools.partial(error_of_cases, one, pair, settings)
            margin = number_of(settings.margin, difference.metric_spec)
            both = settings.request.failures == "both"
            judged = verdict(difference, margin, equivalence=narrow, error=error, both=both)
            items.append(replace(difference, verdict=judged))
    return Comparisons(
        tuple(items),
        _goals(families, settings),
        tuple(notes),
        tuple(one.cases for one in families if one.values),
    )


def _equivalence(
    chosen: Sequence[ChosenPairs], settings: Settings
) -> Sequence[Sequence[Ends | None]]:
    """The intervals that show equivalence, where a margin is given and alpha allows them."""
    level = settings.request.level
    if settings.margin is None or level.alpha >= 0.5:
        return [[None] * len(one.pairs) for one in chosen]
    narrower = equivalence_level(level)
    ends: list[list[Ends | None]] = []
    for one, own in zip(chosen, estimates_of(chosen, settings, narrower), strict=True):
        together = _together(one, own, settings, narrower)
        ends.append([(interval.low, interval.high) for interval in together or own])
    return ends


def _together(
    chosen: ChosenPairs, estimates: Sequence[Estimate], settings: Settings, level: Level
) -> tuple[SimultaneousInterval, ...]:
    """Intervals of a family that hold together; none where it has one, or they are not wanted."""
    if len(chosen.pairs) < 2 or settings.correction == UNCORRECTED:
        return ()
    return together_of(chosen, estimates, settings, level).intervals


def _goals(families: Sequence[MeasuredFamily], settings: Settings) -> tuple[GoalResult, ...]:
    """Each model alone against the goal."""
    if settings.goal is None:
        return ()
    named = [(name, by_itself(job)) for one in families for name, job in one.jobs.items()]
    estimates = estimate_jobs([job for _, job in named], settings.request)
    return tuple(
        goal_result(name, estimate, goal)
        for (name, _), estimate in zip(named, estimates, strict=True)
        if (goal := number_of(settings.goal, estimate.metric_spec)) is not None
    )


# --------------------------------------------------------------------------- differences


def _differences(
    chosen: ChosenPairs, estimates: Sequence[Estimate], settings: Settings
) -> list[Difference]:
    """The differences of a family, with tests and intervals that hold together beside them."""
    tests = _tests(chosen, settings)
    differences = [
        _with_cautions(
            _difference(chosen, pair, estimate, test, settings),
            pair_cautions(chosen, pair, settings),
        )
        for pair, estimate, test in zip(chosen.pairs, estimates, tests, strict=True)
    ]
    if len(differences) > 1 and settings.correction != UNCORRECTED:
        together = together_of(chosen, estimates, settings, settings.request.level)
        differences = [
            _with_cautions(_with_simultaneous(difference, interval, settings), further)
            for difference, interval, further in zip(
                differences, together.intervals, together.cautions, strict=True
            )
        ]
    return [_with_cautions(one, disagreement(one)) for one in differences]


def _tests(chosen: ChosenPairs, settings: Settings) -> Sequence[TestResult | None]:
    """Tests of a family, all on the same draws, adjusted for their number."""
    jobs = chosen.family.jobs
    request = settings.request
    tests = run_tests(settings.test, jobs, chosen.pairs, request, paired=settings.paired)
    results = [one for one in tests if one is not None]
    return corrected(results, settings.correction) if len(results) == len(tests) else tests


def _difference(
    chosen: ChosenPairs,
    pair: tuple[str, str],
    estimate: Estimate,
    test: TestResult | None,
    settings: Settings,
) -> Difference:
    first, second = chosen.jobs(pair)
    functional = common_functional(first, second)
    if test is not None and test.n_resamples is not None:
        estimate = replace(estimate, seed=settings.request.seed)
    over = "" if first.records.n_groups is None else first.records.over
    return Difference(
        *pair,
        first.value,
        second.value,
        estimate,
        functional.metric,
        settings.effect,
        settings.paired,
        chosen.family.n_unmatched,
        test=test,
        superiority=_superiority(chosen.family, pair, functional.metric.spec.better),
        subject=subject_of(functional.metric, functional.statistic, first.average, over),
    )


def _with_simultaneous(
    difference: Difference, interval: SimultaneousInterval, settings: Settings
) -> Difference:
    """The difference with its simultaneous interval, and the seed if that was drawn."""
    estimate = difference.estimate
    if interval.method != BONFERRONI:
        estimate = replace(estimate, seed=settings.request.seed)
    return replace(difference, simultaneous=interval, estimate=estimate)


def _with_cautions(difference: Difference, further: Sequence[Caution]) -> Difference:
    """The difference with what else there is to doubt, in the order of the codes."""
    estimate = difference.estimate
    cautions = sorted([*estimate.cautions, *further], key=lambda one: one.code)
    return replace(difference, estimate=replace(estimate, cautions=tuple(dict.fromkeys(cautions))))


def _superiority(family: MeasuredFamily, pair: tuple[str, str], better: Better) -> float:
    """Share of cases in which the first model is better; NaN where cases have no values."""
    if not family.values:
        return float("nan")
    sign = {Better.HIGHER: 1, Better.LOWER: -1}.get(better, 0)
    first, second = (family.values[name] for name in pair)
    return superiority(first, second, sign, paired=family.paired)
