"""Assertions for the tests of a model: ``from halfwidth.testing import assert_not_inferior``."""

from __future__ import annotations

import unittest
from typing import TYPE_CHECKING, Any, Literal

from halfwidth.comparison.api import compare
from halfwidth.comparison.gate import PASSED, UNDECIDED, gate
from halfwidth.core.checks import one_of

if TYPE_CHECKING:
    from halfwidth.results.comparison import Difference

__all__ = ["assert_not_inferior"]

Inconclusive = Literal["fail", "skip", "pass"]
INCONCLUSIVE: tuple[Inconclusive, ...] = ("fail", "skip", "pass")
# One seed for all calls: a test must not pass today and fail tomorrow on the same values.
SEED = 1


def assert_not_inferior(
    new: Any,
    old: Any,
    y_true: Any = None,
    *,
    metric: Any,
    margin: float,
    inconclusive: Inconclusive = "fail",
    statistic: Any = "mean",
    average: Any = None,
    paired: bool = True,
    method: str = "auto",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = SEED,
    missing: Literal["raise", "omit", "worst"] = "raise",
    penalty: float | None = None,
    unmatched: Literal["raise", "omit"] = "raise",
    groups: Any = None,
    strata: Any = None,
    bounds: Any = None,
    scale: float = 1.0,
    labels: Any = None,
    pos_label: Any = None,
    scores: Any = "auto",
    threshold: float | str | None = None,
) -> Difference:
    """Fail a test unless a new model is shown not to be worse than the old one by a margin.

    The interval [L, U] of the difference, oriented so that positive is better, decides: the test
    passes if L > -margin, and fails if U < -margin. Otherwise there are too few cases to say, and
    ``inconclusive`` decides. It is the rule of ``halfwidth gate``.

    Parameters
    ----------
    new, old : array-like
        Values of the cases, or with ``y_true`` their scores or predicted classes; cases in the
        same order, or pandas objects labelled by case, which are matched by their labels.
    y_true : array-like, optional
        True classes or numbers, for a metric of the whole test set.
    metric : str, MetricSpec or metric function
        What the values are, or the metric of the test set; it must say which direction is better.
    margin : float
        The largest loss that would not matter, above 0, in the unit of the metric.
    inconclusive : {"fail", "skip", "pass"}
        What to do with too few cases. A test that passed on a handful of cases whatever the model
        would be none, so that the default is to fail; ``"skip"`` shows in the report that nothing
        was tested, ``"pass"`` raises an alarm only where the new model is shown to be worse.
    statistic, average, paired, method, confidence_level, n_resamples, missing, penalty, unmatched
        As for `halfwidth.compare`.
    rng : int, SeedSequence or Generator, default 1
        Fixed, so that the same values always get the same answer.
    groups, strata, bounds, scale, labels, pos_label, scores, threshold
        As for `halfwidth.compare`.

    Returns
    -------
    Difference
        New minus old, with its verdict.

    Raises
    ------
    AssertionError
        With the sentence of the verdict.
    unittest.SkipTest
        Where there are too few cases and they are to skip the test, in pytest as well.
    DataError, OptionError
        As `halfwidth.compare`.

    Examples
    --------
    >>> from halfwidth.testing import assert_not_inferior
    >>> old = [0.90, 0.85, 0.93, 0.70, 0.89, 0.90, 0.85, 0.93, 0.87, 0.90] * 10
    >>> new = [value + 0.004 for value in old]
    >>> round(assert_not_inferior(new, old, metric="dsc", margin=0.05).value, 4)
    0.004
    >>> assert_not_inferior([value - 0.2 for value in old], old, metric="dsc", margin=0.05)
    Traceback (most recent call last):
        ...
    AssertionError: new is inferior to old: the 95 % CI of the difference in mean DSC, ...
    """
    one_of("inconclusive", inconclusive, INCONCLUSIVE)
    judged = gate(
        lambda level: compare(
            {"new": new, "old": old},
            y_true,
            metric=metric,
            margin=margin,
            statistic=statistic,
            average=average,
            paired=paired,
            test="none",
            simultaneous=False,
            method=method,
            confidence_level=level,
            n_resamples=n_resamples,
            rng=rng,
            missing=missing,
            penalty=penalty,
            unmatched=unmatched,
            groups=groups,
            strata=strata,
            bounds=bounds,
            scale=scale,
            labels=labels,
            pos_label=pos_label,
            scores=scores,
            threshold=threshold,
        ),
        confidence_level,
    )
    if judged.outcome == UNDECIDED and inconclusive == "skip":
        raise unittest.SkipTest(judged.sentence)
    allowed = (PASSED, UNDECIDED) if inconclusive == "pass" else (PASSED,)
    if judged.outcome not in allowed:
        raise AssertionError(judged.sentence)
    return judged.comparisons[0]
