"""Two models on the same cases as one job: the difference of a statistic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from halfwidth.core.comparison import Effect
from halfwidth.core.errors import OptionError
from halfwidth.core.spec import Estimand
from halfwidth.estimation.paired_differences import _difference_in, _metric_of_differences
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.records import Functional
from halfwidth.resampling.designs import Design


def pair_job(first: Job, second: Job, effect: Effect) -> Job:
    """The statistic of the first minus (or over) that of the second."""
    if effect != "difference":
        raise OptionError("effect='ratio' is not there yet")
    what = first.functional
    linear = what.statistic.spec.estimand is Estimand.MEAN
    both = np.stack([first.records.arranged, second.records.arranged])
    columns = both[0] - both[1] if linear else both
    design = first.records.design
    if linear and design.independent:
        columns, design = np.sort(columns), Design.iid(design.n)
    records = replace(
        first.records,
        arranged=columns,
        design=design,
        values=np.sort(both[0] - both[1]),
        paired=True,
        cautions=tuple(dict.fromkeys((*first.records.cautions, *second.records.cautions))),
    )
    statistic = _difference_in(what.statistic, what.metric.spec.bounds)
    return replace(
        first,
        functional=Functional(statistic, _metric_of_differences(what.metric)),
        records=records,
    )
