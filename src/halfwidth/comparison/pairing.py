"""Two models on the same cases as one job: the contrast of a statistic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from halfwidth.core.cautions import Caution
from halfwidth.estimation.differences import difference_functional, paired_records
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.records import Functional
from halfwidth.results.comparison import Effect


def pair_job(first: Job, second: Job, effect: Effect, names: tuple[str, str] = ("", "")) -> Job:
    """The first minus (or over) the second; with ``names`` cautions of one say of which."""
    functional = difference_functional(common_functional(first, second), effect)
    records = paired_records(first.records, second.records, functional)
    n_not_applicable = max(first.n_not_applicable, second.n_not_applicable)
    matched = first.matched
    if matched is not None and second.matched is not None:
        matched = matched.against(second.matched, effect)
    classes = first.classes
    if classes is not None and second.classes is not None:
        classes = classes.beside(second.classes)
    return replace(
        first,
        functional=functional,
        records=records,
        cautions=tuple(_cautions(first, second, names)),
        n_not_applicable=n_not_applicable,
        classes=classes,
        matched=matched,
    )


def _cautions(first: Job, second: Job, names: tuple[str, str]) -> Iterator[Caution]:
    """Cautions of both once, those of one with its name."""
    for name, own, other in zip(names, (first, second), (second, first), strict=True):
        for one in own.cautions:
            if one not in other.cautions:
                yield one.said_of(name)
            elif own is first:
                yield one


def common_functional(first: Job, second: Job) -> Functional:
    """Functional of both, without parameters that were found on the cases of one: its threshold."""
    metrics = [job.functional.metric for job in (first, second)]
    if metrics[0] == metrics[1]:
        return first.functional
    other = metrics[1].parameters
    shared = {
        name: value for name, value in metrics[0].parameters.items() if other.get(name) == value
    }
    return replace(first.functional, metric=replace(metrics[0], parameters=shared))
