"""``gate``: whether a new model is worse than the old one by a margin, of any kind of data."""

from __future__ import annotations

from typing import Any

from halfwidth.comparison.gate import judge
from halfwidth.core.by_metric import Numbers
from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.data.case_values import CaseValues
from halfwidth.data.families import known_models
from halfwidth.data.run_values import NOT_COMPARED
from halfwidth.estimation.resolve import AUTO
from halfwidth.measuring.quantities import USUAL_STATISTIC
from halfwidth.results.comparison import Comparisons, Effect
from halfwidth.results.gate import Gate
from halfwidth.verbs.compare import compare
from halfwidth.verbs.given import as_data_of_models

# One seed for all calls, so that the same cases always get the same answer.
SEED = 1


def gate(
    data: Any,
    other: Any = None,
    *,
    margin: Numbers,
    new: str | None = None,
    against: str | None = None,
    metric: Any = None,
    statistic: Any = USUAL_STATISTIC,
    average: Any = None,
    effect: Effect = "difference",
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = SEED,
) -> Gate:
    """Let a new model pass unless it is worse than the old one.

    The interval [L, U] of the difference, oriented so that positive is better, decides: the model
    passes if L > -margin in every family. It fails if U < -margin in one, where of m families that
    interval is the one at the level 1 - α/m. Otherwise there are too few cases to say.

    Parameters
    ----------
    data, other
        As `compare` takes them: of two models, or of several of which two are named.
    margin : float or mapping of str to float
        Largest loss that would not matter, above 0, in the unit of the metric; of a ratio a
        share. Of several metrics that of each: ``{"dsc": 0.02, "hd95": 1}``.
    new : str, optional
        The name of the new model; default: the first.
    against : str, optional
        The name of the old model; default: the other of two.
    metric : str, MetricSpec or callable, or sequence of them, optional
        Of predictions and detections, what is estimated; of values, what they are, where their
        data do not say it.
    statistic : str, callable or StatisticSpec, default "mean"
        Summary statistic of values of cases; with parameters: ``"quantile:0.9"``.
    average : str or sequence of them, optional
        Over classes: ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``; ``"none"`` takes
        each class apart.
    effect : {"difference", "ratio"}, default "difference"
        First minus second, or first over second.
    method : str, default "auto"
        CI method, one of ``halfwidth.METHODS``; ``"auto"`` chooses on evidence.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    n_resamples : int, optional
        Bootstrap resamples; default: 9999, and none where the bootstrap distribution is known
        exactly, as of means and of ratios of counts.
    rng : int, SeedSequence or Generator, default 1
        Of bootstraps; fixed, so that the same cases always get the same answer.

    Returns
    -------
    Gate
        Its ``outcome`` is ``"passed"``, ``"failed"`` or ``"undecided"``.

    Raises
    ------
    DataError, OptionError, UnknownNameError
        As for `compare`, and for another number of models than two.

    Examples
    --------
    >>> import halfwidth as hw
    >>> old = [0.90, 0.85, 0.93, 0.70, 0.89, 0.90, 0.85, 0.93, 0.87, 0.90] * 10
    >>> new = [value + 0.004 for value in old]
    >>> hw.gate({"new": new, "old": old}, metric="dsc", margin=0.05).outcome
    'passed'
    """
    dataset = as_data_of_models(data, other, metric, "gate")
    names = dataset.models
    if isinstance(dataset, CaseValues) and dataset.are_runs:
        raise OptionError(NOT_COMPARED)
    named = known_models([name for name in (new, against) if name is not None], names)
    if len(set(named)) == 2:
        dataset, names = dataset.taking(named), named
    if len(names) != 2 or len(set(named)) < len(named):
        have = f"{len(names)} model(s) ({', '.join(names)})" if names else "one without a name"
        raise OptionError(
            f"a gate compares a new model with an old one, but the data have {have}; name two: "
            f"{spelled('new', 'B')}, {spelled('against', 'A')}"
        )
    others = (name for name in names if name not in (named or names[:1]))
    old = str(against) if against is not None else next(others)

    def compare_at(level: float) -> Comparisons:
        # Verdicts rest on single intervals, and need no test.
        return compare(
            dataset,
            metric=metric,
            statistic=statistic,
            average=average,
            baseline=old,
            effect=effect,
            test="none",
            correction="none",
            margin=margin,
            method=method,
            confidence_level=level,
            n_resamples=n_resamples,
            rng=rng,
        )

    return judge(compare_at, confidence_level)
