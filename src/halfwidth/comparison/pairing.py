"""Two models on the same cases as one job: the contrast of a statistic."""

from __future__ import annotations

from dataclasses import replace

from halfwidth.core.comparison import Effect
from halfwidth.estimation.differences import difference_functional, paired_records
from halfwidth.estimation.pipeline import Job


def pair_job(first: Job, second: Job, effect: Effect) -> Job:
    """The statistic of the first minus (or over) that of the second."""
    functional = difference_functional(first.functional, effect)
    records = paired_records(first.records, second.records, functional)
    cautions = tuple(dict.fromkeys((*first.cautions, *second.cautions)))
    n_not_applicable = max(first.n_not_applicable, second.n_not_applicable)
    return replace(
        first,
        functional=functional,
        records=records,
        cautions=cautions,
        n_not_applicable=n_not_applicable,
    )
