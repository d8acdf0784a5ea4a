"""The public function for confusion matrices with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.checks import as_number
from halfwidth.core.errors import DataError
from halfwidth.core.spec import Metric
from halfwidth.core.undefined import Missing
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.resolve import AUTO, PROPORTION
from halfwidth.estimation.test_sets.class_context import ClassContext, class_context
from halfwidth.estimation.test_sets.curve_parts import plain_request
from halfwidth.estimation.test_sets.jobs import share_job
from halfwidth.estimation.test_sets.reading import check_test_set
from halfwidth.estimation.test_sets.score_scales import Scores, check_kind
from halfwidth.estimation.test_sets.test_set import Decisions, TestSet
from halfwidth.metrics.catalogue import SAMPLE_METRICS
from halfwidth.metrics.rates import sensitivity
from halfwidth.results.curves import Confusion

WANTED_THRESHOLD = "a number; to choose one on the data, use metric_ci with the name of a metric"


def confusion_ci(
    y_true: Any,
    y_score: Any,
    *,
    labels: Sequence[Any] | None = None,
    pos_label: Any = None,
    scores: Scores = "auto",
    threshold: float | None = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    groups: Any = None,
    strata: Any = None,
    rng: Any = None,
    n_resamples: int | None = None,
    missing: Missing = "raise",
) -> Confusion:
    """Confusion matrix, and for each true class the share predicted as each, with intervals.

    Parameters
    ----------
    y_true : array-like, shape (n,)
        True classes.
    y_score : array-like, shape (n,) or (n, C)
        Predicted classes, or scores, which become decisions as in `metric_ci`.
    labels, pos_label, scores, threshold, groups, strata, missing
        As for `metric_ci`; the threshold is a number.
    method : str, default "auto"
        Of those for proportions (see ``halfwidth.METHODS``); ``"auto"`` is Wilson's, with a
        design effect where cases come in clusters.
    confidence_level, rng, n_resamples
        As for `summary_ci`. Each interval is one of its own; several together hold all their
        true values less often.

    Returns
    -------
    Confusion
        On the diagonal are the sensitivities that `metric_ci` gives.

    Raises
    ------
    DataError, OptionError
        As `metric_ci`.

    See Also
    --------
    halfwidth.plots.confusion.confusion : the figure.

    Examples
    --------
    >>> import halfwidth as hw
    >>> truth = ["cat"] * 20 + ["dog"] * 30
    >>> said = ["cat"] * 18 + ["dog"] * 30 + ["cat"] * 2
    >>> frame = hw.confusion_ci(truth, said).to_frame()
    >>> print(frame.drop(columns="method").round(2).to_string(index=False))
    true predicted  count  n  share  low  high
     cat       cat     18 20   0.90 0.70  0.97
     cat       dog      2 20   0.10 0.03  0.30
     dog       cat      2 30   0.07 0.02  0.21
     dog       dog     28 30   0.93 0.79  0.98
    """
    request = plain_request(method, confidence_level, n_resamples, rng, missing)
    cases = check_test_set(
        y_true,
        y_score,
        Decisions(check_kind(scores), _plain_threshold(threshold), needed=True, tuned=False),
        labels=labels,
        pos_label=pos_label,
        missing=missing,
        groups=groups,
        strata=strata,
    )
    if cases.predicted is None:
        raise DataError("a confusion matrix needs decisions, and there are none")
    names, classes = tuple(str(label) for label in cases.labels), range(cases.n_classes)
    cells = cases.truth * cases.n_classes + cases.predicted
    counts = np.bincount(cells, minlength=cases.n_classes**2).reshape(len(names), len(names))
    context = class_context(cases, "omit", "")
    predicted_as = [np.equal(cases.predicted, predicted) for predicted in classes]
    jobs = [
        _share_job(cases, context, true, predicted, hits)
        for true in classes
        for predicted, hits in enumerate(predicted_as)
    ]
    estimates = estimate_jobs(jobs, request)
    rows = tuple(estimates[row * len(names) : (row + 1) * len(names)] for row in classes)
    return Confusion(names, counts.astype(np.int64), rows)


def _plain_threshold(threshold: Any) -> float | None:
    return None if threshold is None else as_number("threshold", threshold, WANTED_THRESHOLD)


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
