"""Assertions for the tests of a model: ``from halfwidth.testing import assert_not_inferior``."""

from __future__ import annotations

import unittest
from typing import TYPE_CHECKING, Any, Literal

from halfwidth.core.checks import one_of
from halfwidth.core.public_functions import public_function
from halfwidth.measuring.kinds import classes_of_models
from halfwidth.results.gate import PASSED, UNDECIDED
from halfwidth.verbs.gate import gate

if TYPE_CHECKING:
    from halfwidth.results.comparison import Difference

__all__ = ["assert_not_inferior"]

Inconclusive = Literal["fail", "skip", "pass"]
INCONCLUSIVE: tuple[Inconclusive, ...] = ("fail", "skip", "pass")
# One seed for all calls: a test must not pass today and fail tomorrow on the same values.
SEED = 1


def assert_not_inferior(
    new: Any,
    old: Any = None,
    *,
    margin: float,
    metric: Any = None,
    inconclusive: Inconclusive = "fail",
    statistic: Any = "mean",
    average: Any = None,
    method: str = "auto",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = SEED,
) -> Difference:
    """Fail a test unless a new model is shown not to be worse than the old one by a margin.

    The interval [L, U] of the difference, oriented so that positive is better, decides: the test
    passes if L > -margin, and fails if U < -margin. Otherwise there are too few cases to say, and
    ``inconclusive`` decides. It is the rule of `halfwidth.gate`.

    Parameters
    ----------
    new : array-like; or CaseValues, Predictions or Detections
        Values of the cases of the new model, in the same order as those of the old one, or pandas
        objects labelled by case, which are matched by their labels. Or data of two models, of which
        the first is the new one.
    old : array-like, optional
        Values of the cases of the old model.
    margin : float
        The largest loss that would not matter, above 0, in the unit of the metric.
    metric : str, MetricSpec or metric function
        What the values are, or the metric of the test set; it must say which direction is better.
    inconclusive : {"fail", "skip", "pass"}
        What to do with too few cases. A test that passed on a handful of cases whatever the model
        would be none, so that the default is to fail; ``"skip"`` shows in the report that nothing
        was tested, ``"pass"`` raises an alarm only where the new model is shown to be worse.
    statistic, average, method, confidence_level, n_resamples
        As for `halfwidth.compare`.
    rng : int, SeedSequence or Generator, default 1
        Fixed, so that the same values always get the same answer.

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
    AssertionError: new against old: mean DSC lower by 0.20000 (95 % CI ...
    """
    one_of("inconclusive", inconclusive, INCONCLUSIVE)
    judged = gate(
        new if old is None else {"new": new, "old": old},
        margin=margin,
        metric=metric,
        statistic=statistic,
        average=average,
        method=method,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    if judged.outcome == UNDECIDED and inconclusive == "skip":
        raise unittest.SkipTest(judged.reason)
    allowed = (PASSED, UNDECIDED) if inconclusive == "pass" else (PASSED,)
    if judged.outcome not in allowed:
        raise AssertionError(judged.reason)
    return judged.comparisons[0]


globals()["assert_not_inferior"] = public_function(
    assert_not_inferior,
    __name__,
    "assert_not_inferior",
    classes_of_models,
)
