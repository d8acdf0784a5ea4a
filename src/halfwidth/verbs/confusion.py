"""``confusion_ci``: the confusion matrix of predictions, with an interval in each cell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from halfwidth.estimation.resolve import AUTO
from halfwidth.estimation.test_sets.confusion import confusion_matrix
from halfwidth.measuring.kinds import kind_of
from halfwidth.measuring.read_test_sets import test_sets_for
from halfwidth.results.curves import Confusion
from halfwidth.verbs.given import only_cases, predictions_in


def confusion_ci(
    data: Any,
    y_score: Any = None,
    *,
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
) -> Confusion:
    """Confusion matrix, and for each true class the share predicted as each, with intervals.

    Each interval is one of its own; several together hold all their true values less often.
    ``"auto"`` is Wilson's, with a design effect where cases come in clusters.

    Parameters
    ----------
    data : Predictions, or array-like
        Of one model; their threshold, where they have one, is a number. With ``y_score`` the true
        classes.
    y_score : array-like, optional
        Predicted classes, or scores, which become decisions as in `metric_ci`; where ``data`` are
        true classes.
    method : str, default "auto"
        CI method, one of ``halfwidth.METHODS``; ``"auto"`` chooses on evidence.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    n_resamples : int, optional
        Bootstrap resamples; default: 9999, and none where the bootstrap distribution is known
        exactly, as of means and of ratios of counts.
    rng : None, int, SeedSequence or Generator, optional
        Makes bootstraps repeatable; default: fresh, and reported.

    Returns
    -------
    Confusion
        On the diagonal are the sensitivities that `metric_ci` gives.

    Raises
    ------
    DataError, OptionError
        As `metric_ci`, and for several models.

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
    purpose = "a confusion matrix"
    predictions = predictions_in(data, y_score, purpose)
    request = kind_of(predictions).request(
        predictions,
        method=method,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    read = test_sets_for(purpose, predictions, decided=True, without=("sample_weight",))
    only = only_cases(read, purpose)
    matrix = confusion_matrix(only.cases, request, only.model.cautions)
    return replace(matrix, label=only.label)
