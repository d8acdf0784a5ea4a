"""Confusion matrices with intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import DataError
from halfwidth.core.metric_spec import PROPORTION
from halfwidth.core.spec import Metric
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.test_sets.class_context import ClassContext, class_context
from halfwidth.estimation.test_sets.jobs import share_job
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.rates import sensitivity
from halfwidth.results.curves import Confusion


def confusion_matrix(
    cases: TestSet, request: Request, cautions: tuple[Caution, ...] = ()
) -> Confusion:
    """Counts of true and predicted classes, and the interval of each share of a true class."""
    if cases.predicted is None:
        raise DataError("a confusion matrix needs decisions, and there are none")
    names, classes = tuple(str(label) for label in cases.labels), range(cases.n_classes)
    cells = cases.truth * cases.n_classes + cases.predicted
    counts = np.bincount(cells, minlength=cases.n_classes**2).reshape(len(names), len(names))
    context = class_context(cases, "omit", "")
    predicted_as = [np.equal(cases.predicted, predicted) for predicted in classes]
    jobs = [
        replace(_share_job(cases, context, true, predicted, hits), cautions=cautions)
        for true in classes
        for predicted, hits in enumerate(predicted_as)
    ]
    estimates = estimate_jobs(jobs, request)
    rows = tuple(estimates[row * len(names) : (row + 1) * len(names)] for row in classes)
    return Confusion(names, counts.astype(np.int64), rows)


def _share_job(
    cases: TestSet, context: ClassContext, true: int, predicted: int, hits: NDArray[np.bool_]
) -> Job:
    """The share of one true class that is predicted as another, or as itself: its sensitivity."""
    name = str(cases.labels[true])
    same = true == predicted
    metric = Metric(SAMPLE_METRICS[sensitivity.__name__] if same else PROPORTION)
    job = share_job(hits, metric, cases, cases.truth == true)
    return replace(
        job,
        label=name if same else f"{name} predicted as {cases.labels[predicted]}",
        average="none" if same else None,
        classes=replace(context, which=true),
    )
