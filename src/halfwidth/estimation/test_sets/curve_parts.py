"""What all curves of a test set share: their grid and their classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import spec_of
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.intervals.bootstrap import percentile

# Heights are taken at 0, 1/200, ..., 1.
STEPS = 200
GRID = np.arange(STEPS + 1)


def classes_drawn(cases: TestSet) -> tuple[str, Sequence[int]]:
    """The positive class where one is known, of more than two classes each; and that average."""
    if cases.positive is not None:
        return "binary", (cases.positive,)
    if cases.n_classes == 2:
        raise OptionError(
            "a curve of two classes needs to know which of "
            f"{shortened([repr(label) for label in cases.labels])} is positive: "
            f"{spelled('pos_label')}"
        )
    return "none", range(cases.n_classes)


def too_few_clusters(job: Job) -> bool:
    """Whether there are too few clusters to draw from for an interval."""
    design, statistic = job.records.design, job.functional.statistic.spec
    fewest = spec_of(percentile).fewest_units(statistic, clustered=design.sizes is not None)
    return design.sizes is not None and design.units < fewest
