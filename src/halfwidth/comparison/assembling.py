"""Comparisons of measured families: estimates, and what stands beside them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from halfwidth.comparison.estimates import (
    ChosenPairs,
    error_of_cases,
    estimates_of,
    inference_of,
)
from halfwidth.comparison.inference import FamilyInference
from halfwidth.comparison.joint_laws import cautions_of
from halfwidth.comparison.multiplicity import BONFERRONI, UNCORRECTED, corrected
from halfwidth.comparison.no_difference import run_tests
from halfwidth.comparison.pair_cautions import disagreement, pair_cautions
from halfwidth.comparison.paired_tests import superiority
from halfwidth.comparison.pairing import common_functional
from halfwidth.comparison.settings import Settings
from halfwidth.comparison.verdicts import Sides, goal_result, verdict
from halfwidth.core.by_metric import number_of
from halfwidth.core.cautions import Caution
from halfwidth.core.spec import Better
from halfwidth.core.titles import subject_of
from halfwidth.core.types import Array
from halfwidth.document.progress import following
from halfwidth.estimation.pipeline import by_itself, estimate_jobs
from halfwidth.measuring.jobs import FamilyJobs
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
    families: Sequence[FamilyJobs], settings: Settings, notes: Sequence[str] = ()
) -> Comparisons:
    """All comparisons of all families."""
    chosen = [
        ChosenPairs(one, tuple(settings.pairs(list(one.jobs))), settings.effect) for one in families
    ]
    level = settings.request.level
    estimates = estimates_of(chosen, settings, level)
    items: list[Difference] = []
    each = [*zip(chosen, estimates, strict=True)]
    for one, own in following(each, "families of models compared"):
        items += _judged(one, own, settings)
    return Comparisons(
        tuple(items),
        _goals(families, settings),
        tuple(notes),
        tuple(one.cases for one in families if one.values),
    )


def _judged(
    chosen: ChosenPairs, estimates: Sequence[Estimate], settings: Settings
) -> list[Difference]:
    """The differences of a family, with what they allow to say."""
    differences = _differences(chosen, estimates, settings)
    if not differences:
        return []
    margin = number_of(settings.margin, differences[0].metric_spec)
    family = inference_of(chosen, estimates, settings)
    differences = [
        with_p_values(difference, family, place) for place, difference in enumerate(differences)
    ]
    together = family.together(margin)
    if together is not None:
        differences = [
            _with_simultaneous(difference, family, place, together[place], settings)
            for place, difference in enumerate(differences)
        ]
    narrow = equivalence_ends(family, margin)
    judged = []
    for place, (pair, difference) in enumerate(zip(chosen.pairs, differences, strict=True)):
        own = None
        if difference.sign:
            sides = Sides.from_family(family, place, difference.sign, margin)
            error = functools.partial(error_of_cases, chosen, pair, settings)
            ends = None if narrow is None else narrow[place]
            own = verdict(difference, sides, margin, equivalence=ends, error=error)
        judged.append(replace(difference, verdict=own))
    return [_with_cautions(one, disagreement(one)) for one in judged]


def with_p_values(difference: Difference, family: FamilyInference, place: int) -> Difference:
    """The difference with the p value of its own interval, and the adjusted one."""
    own = max(float(np.min(family.own()[place])), float(family.least[place]))
    if len(family.pairs) < 2 or family.correction == UNCORRECTED:
        return replace(difference, p_value=own)
    return replace(
        difference,
        p_value=own,
        p_adjusted=float(np.min(family.adjusted()[place])),
        correction=family.correction,
        n_comparisons=len(family.pairs),
    )


def equivalence_ends(family: FamilyInference, margin: float | None) -> list[Ends] | None:
    """The intervals that show equivalence, where a margin is given and alpha allows them."""
    if margin is None or family.level.alpha >= 0.5:
        return None
    ends = family.ends(equivalence_level(family.level), together=family.correction != UNCORRECTED)
    return [(low, high) for low, high in ends.tolist()]


def _goals(families: Sequence[FamilyJobs], settings: Settings) -> tuple[GoalResult, ...]:
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
    """The differences of a family, with the tests that are asked for."""
    tests = _tests(chosen, settings)
    return [
        _with_cautions(
            _difference(chosen, pair, estimate, test, settings),
            pair_cautions(chosen, pair, settings),
        )
        for pair, estimate, test in zip(chosen.pairs, estimates, tests, strict=True)
    ]


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
    difference: Difference, family: FamilyInference, place: int, ends: Array, settings: Settings
) -> Difference:
    """The difference with its simultaneous interval, and the seed if that was drawn."""
    estimate, (low, high) = difference.estimate, ends.tolist()
    method = family.method_of(place, estimate.method)
    if method != BONFERRONI:
        estimate = replace(estimate, seed=settings.request.seed)
    interval = SimultaneousInterval(low, high, method, len(family.pairs))
    difference = replace(difference, simultaneous=interval, estimate=estimate)
    return _with_cautions(difference, cautions_of(family.law, place))


def _with_cautions(difference: Difference, further: Sequence[Caution]) -> Difference:
    """The difference with what else there is to doubt, in the order of the codes."""
    estimate = difference.estimate
    cautions = sorted([*estimate.cautions, *further], key=lambda one: one.code)
    return replace(difference, estimate=replace(estimate, cautions=tuple(dict.fromkeys(cautions))))


def _superiority(family: FamilyJobs, pair: tuple[str, str], better: Better) -> float:
    """Share of cases in which the first model is better; NaN where cases have no values."""
    if not family.values:
        return float("nan")
    sign = {Better.HIGHER: 1, Better.LOWER: -1}.get(better, 0)
    first, second = (family.values[name] for name in pair)
    return superiority(first, second, sign, paired=family.paired)
