"""Schemes of ranking: what the models of a family are ranked by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth.arithmetic.ranks import TIES, ranks_in_cases
from halfwidth.comparison.no_difference import BY_NAME
from halfwidth.core.checks import as_choice, as_list
from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import one_of_words, words_in
from halfwidth.core.spec import Better, Metric, MetricSpec
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Array, Bounds
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.resolve import AUTO
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.ranking.consensus_sets import REDUCTIONS
from halfwidth.results.ranking_words import listed

AGGREGATE, WITHIN_CASES, TESTS = "aggregate_then_rank", "rank_then_aggregate", "test_then_rank"
# With the parameters that each has.
SCHEMES = {
    AGGREGATE: (),
    WITHIN_CASES: (one_of_words("ties", TIES, "the rank that equal models share in a case"),),
    TESTS: (one_of_words("test", (AUTO, *BY_NAME), "by which models win"),),
}


def resolve_schemes(scheme: Any) -> dict[str, dict[str, str]]:
    """The names of one scheme or of several, each once, and their parameters.

    >>> resolve_schemes("rank_then_aggregate:ties=max")
    {'rank_then_aggregate': {'ties': 'max'}}
    """
    names: Iterable[Any] | None = [scheme] if isinstance(scheme, str) else as_list(scheme)
    if not names:
        raise OptionError(
            f"{spelled('scheme', scheme)} names no scheme; there are {', '.join(SCHEMES)}"
        )
    schemes: dict[str, dict[str, str]] = {}
    for text in names:
        as_choice("scheme", text.partition(":")[0] if isinstance(text, str) else text)
        name, words = words_in(text, SCHEMES)
        if schemes.setdefault(name, words) != words:
            raise OptionError(f"{spelled('scheme', scheme)} names {name} twice")
    return schemes


def values_of_scheme(family: FamilyJobs, scheme: str, ties: str) -> FamilyJobs:
    """The family with the values by which a scheme ranks its models."""
    return ranks_within_cases(family, ties) if scheme == WITHIN_CASES else family


def combined_within_cases(families: Sequence[FamilyJobs], combine: str, ties: str) -> FamilyJobs:
    """The mean or median of the ranks by several metrics within each case, in place of values.

    The families are of the same models and cases, each by another metric.
    """
    first = families[0]
    each = [ranks_within_cases(one, ties) for one in families]
    ranks = np.array(
        [[one.jobs[name].records.arranged for name in first.jobs] for one in each], dtype=float
    )
    metrics = [next(iter(one.jobs.values())).functional.metric for one in families]
    spec = rank_metric(metrics, len(first.jobs), "median " if combine == "median_rank" else "")
    return with_ranks(each[0], REDUCTIONS[combine](ranks, axis=0), spec)


def ranks_within_cases(family: FamilyJobs, ties: str) -> FamilyJobs:
    """The family with the ranks of the models within each case in place of their values."""
    if not family.values:
        raise OptionError(
            f"{spelled('scheme', 'rank_then_aggregate')} ranks the models within each case, and a "
            "metric of a whole test set has no values of cases; use 'aggregate_then_rank'"
        )
    jobs = family.jobs
    first = next(iter(jobs.values()))
    values = np.stack([job.records.arranged for job in jobs.values()])
    whole = np.zeros(values.shape[-1], dtype=bool)
    lacking = np.stack([family.lacking.get(name, whole) for name in jobs], axis=-1)
    ranks = ranks_in_cases(sign_of(first) * values.T, lacking, ties).T
    return with_ranks(family, ranks, rank_metric([first.functional.metric], len(jobs)))


def sign_of(job: Job) -> float:
    """1 where higher values are better, else -1."""
    return 1.0 if job.functional.metric.spec.better is Better.HIGHER else -1.0


def with_ranks(family: FamilyJobs, ranks: Array, metric: Metric) -> FamilyJobs:
    """The family with ranks in place of its values, (K, n)."""
    ranked_jobs = {
        name: replace(
            job,
            functional=replace(job.functional, metric=metric, binary=False),
            records=replace(job.records, arranged=row, values=np.sort(row)),
        )
        for (name, job), row in zip(family.jobs.items(), ranks, strict=True)
    }
    return replace(family, jobs=ranked_jobs)


def rank_metric(metrics: Sequence[Metric], models: int, reduced: str = "") -> Metric:
    """What the rank of a model within a case is, as a metric of this case."""
    by = listed([title for title in map(metric_title, metrics) if title])
    return Metric(
        MetricSpec(
            "rank",
            title=f"{reduced}rank by {by}".removesuffix(" by "),
            summary="rank of the model within the case",
            bounds=Bounds(1.0, float(models)),
            better=Better.LOWER,
        )
    )
