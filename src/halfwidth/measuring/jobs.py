"""Jobs of a verb: of models by themselves, and of models that are compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.estimation.pipeline import Job
from halfwidth.results.comparison import ComparedCases
from halfwidth.results.estimate import MODEL, Cases


@frozen(eq=False)
class JobsOfCases:
    """What is estimated of values of cases."""

    jobs: tuple[Job, ...]
    # What was assumed about its columns, and what was left out.
    notes: tuple[str, ...]
    # The values behind the jobs of each statistic.
    cases: tuple[Cases, ...] = ()

    def without_labels(self) -> JobsOfCases:
        """The jobs and their cases, rows without labels."""
        return replace(
            self,
            jobs=tuple(replace(job, label="") for job in self.jobs),
            cases=tuple(replace(one, label="") for one in self.cases),
        )

    def labelled_by(self, name: str | None) -> JobsOfCases:
        """The jobs as of a model: its name begins the labels of rows and is a level of theirs."""
        if not name:
            return self

        def label(own: str) -> str:
            return " / ".join(filter(None, [name, own]))

        return replace(
            self,
            jobs=tuple(
                replace(job, label=label(job.label), by={MODEL: name, **job.by})
                for job in self.jobs
            ),
            cases=tuple(replace(one, label=label(one.label)) for one in self.cases),
        )


def joined(each: Iterable[JobsOfCases]) -> JobsOfCases:
    """What is estimated of several models or tables; a note that all have is said once."""
    every = list(each)
    return JobsOfCases(
        tuple(job for one in every for job in one.jobs),
        tuple(dict.fromkeys(note for one in every for note in one.notes)),
        tuple(cases for one in every for cases in one.cases),
    )


@frozen(eq=False)
class FamilyJobs:
    """A family of which each model has become a job: a functional of its records.

    Where models are paired, the records of all are of the same cases in the same order. What is
    told of each model is told by its name.
    """

    jobs: Mapping[str, Job]
    label: str = ""
    by: Mapping[str, Any] = field(default_factory=dict)
    n_unmatched: int = 0
    # The values of the cases that count, where cases have values, and the clusters of these cases.
    values: Mapping[str, Array] = field(default_factory=dict)
    groups: tuple[Any, ...] | None = None
    paired: bool = True
    # Cases that unpaired models share all the same.
    n_shared: int = 0
    # How many cases have no value; and which records these are, where such cases are kept.
    n_missing: Mapping[str, int] = field(default_factory=dict)
    lacking: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    # The family under each policy for missing values.
    policies: Mapping[str, FamilyJobs] = field(default_factory=dict)

    @property
    def cases(self) -> ComparedCases:
        """The values behind the results."""
        job = next(iter(self.jobs.values()))
        return ComparedCases(self.values, job.functional.metric, self.by, self.groups, self.label)
