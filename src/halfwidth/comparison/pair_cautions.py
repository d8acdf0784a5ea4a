"""Cautions about a comparison itself, beside those about its interval and its test."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from halfwidth.comparison.estimates import ChosenPairs, Pair
from halfwidth.comparison.multiplicity import UNCORRECTED
from halfwidth.comparison.no_difference import BY_NAME
from halfwidth.comparison.settings import Settings
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.formatting import percent, rough_percent
from halfwidth.core.forms import TIE_SHARE
from halfwidth.core.titles import metric_title
from halfwidth.estimation.pipeline import Job
from halfwidth.results.comparison import Difference
from halfwidth.results.comparison_words import decisive_p, p_equals, p_statement, p_text

# Shares of a class that differ by this much are of different populations or designs.
PREVALENCES_APART = 0.1


def pair_cautions(chosen: ChosenPairs, pair: Pair, settings: Settings) -> tuple[Caution, ...]:
    """What the two models, and the family that they are compared in, give reason to doubt."""
    jobs = chosen.jobs(pair)
    cautions = [*_identical(jobs, pair)] if settings.paired else [*_prevalences(jobs, pair)]
    if chosen.family.n_shared:
        cautions.append(caution("HW803", shared=chosen.family.n_shared))
    if settings.correction == UNCORRECTED and len(chosen.pairs) > 1:
        level = percent(settings.request.level.confidence_level)
        cautions.append(caution("HW805", count=len(chosen.pairs), level=level))
    return tuple(cautions)


def disagreement(difference: Difference) -> tuple[Caution, ...]:
    """Where a test that was asked for would be read otherwise than the p value of the interval."""
    estimate, test = difference.estimate, difference.test
    if test is None or math.isnan(test.p_value) or math.isnan(difference.p_value):
        return ()
    rejected = (test.adjusted if test.correction else test.p_value) <= estimate.level.alpha
    excluded = decisive_p(difference) <= estimate.level.alpha
    if excluded == rejected:
        return ()
    differs = caution(
        "HW807",
        test=f"{test.title[:1].upper()}{test.title[1:]}:",
        p=p_statement(test),
        level=percent(estimate.confidence_level),
        own=p_equals(p_text(decisive_p(difference))),
        asks=BY_NAME[test.name].asks,
        interval=_interval_says(difference, excluded=excluded),
    )
    return (differs,)


def _interval_says(difference: Difference, *, excluded: bool) -> str:
    """What an interval asks that a test does not."""
    method = difference.estimate.method_spec
    if not excluded and (method.of_each or method).pseudo_cases is not None:
        return "the interval also allows for cases beyond those seen"
    return f"the interval says how large the {difference.effect_of_subject} may be among all cases"


def _identical(jobs: tuple[Job, Job], pair: Pair) -> Iterator[Caution]:
    first, second = (job.records.arranged for job in jobs)
    if first.shape == second.shape and np.allclose(first, second, rtol=TIE_SHARE, atol=0):
        functional = jobs[0].functional
        results = functional.statistic.spec.of_records or functional.binary
        noun = "result" if results else "value"
        yield caution("HW801", first=pair[0], second=pair[1], what=noun)


def _prevalences(jobs: tuple[Job, Job], pair: Pair) -> Iterator[Caution]:
    """Where a metric depends on the shares of classes, and these differ."""
    metric = jobs[0].functional.metric
    first, second = (job.classes for job in jobs)
    depends = metric.spec.prevalence_dependent and not metric.states_prevalence
    if first is None or second is None or not depends:
        return
    shares = [context.sizes / context.sizes.sum() for context in (first, second)]
    apart = np.abs(shares[0] - shares[1])
    if first.labels != second.labels or apart.max() < PREVALENCES_APART:
        return
    # Of two classes the positive one, which is the last where nothing else is said.
    last = len(apart) - 1 if len(apart) == 2 else int(apart.argmax())
    which = last if first.which is None else first.which
    yield caution(
        "HW804",
        what=metric_title(metric),
        label=first.labels[which],
        first=pair[0],
        second=pair[1],
        first_share=rough_percent(float(shares[0][which])),
        second_share=rough_percent(float(shares[1][which])),
    )
