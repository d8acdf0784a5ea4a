"""``plan``: the cases that a wanted width needs, from the values of a pilot."""

from __future__ import annotations

from typing import Any

from halfwidth.core.checks import as_flag, as_list
from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.data.case_values import CaseValues
from halfwidth.estimation.resolve import AUTO
from halfwidth.measuring.quantities import USUAL_STATISTIC, Quantities
from halfwidth.planning.checks import check_positive
from halfwidth.planning.pilot import PilotGoals, plans_of_pilot
from halfwidth.results.sample_size import SampleSizes
from halfwidth.verbs.given import as_data


def plan(
    data: Any,
    *,
    halfwidth: Any = None,
    width: Any = None,
    n: Any = None,
    assurance: float = 0.8,
    metric: Any = None,
    statistic: Any = USUAL_STATISTIC,
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_samples: int = 1000,
    n_resamples: int | None = 999,
    rng: Any = None,
    curve: bool = False,
) -> SampleSizes:
    """The cases that a wanted half-width needs, or the width of so many, from a pilot.

    Studies of n cases are drawn from the values of the pilot with replacement, and each gets its
    interval by the method. The n for a half-width is the smallest of which a share ``assurance`` of
    studies have an interval as narrow. It supposes that this share grows with n, and that the cases
    to come are like those of the pilot; a small pilot misses rare failures. Independent cases that
    lie outermost, unless they tie or fail, are drawn from a tail that reaches further. What is
    known of a study without a pilot is planned by the functions of `halfwidth.planning`.

    Where the pilot has clusters (``groups``, such as the patient of each case), studies draw whole
    clusters, intervals are those that `estimate` makes of them, and n counts clusters. With
    ``over="clusters"`` they are intervals of a statistic of the means of clusters. Strata keep
    their shares.

    Parameters
    ----------
    data : CaseValues; or data frame, or array-like
        Values of a pilot's cases, each model and level by itself. What is given as frames and
        arrays becomes data with the usual options.
    halfwidth : float or sequence of float, optional
        The half-width wanted, the number after the ±. In the metric's unit; half of the width,
        where the interval is not symmetric.
    width : float or sequence of float, optional
        Instead of it the width wanted, high - low.
    n : int or sequence of int, optional
        The reverse: the width that so many cases give.
    assurance : float, default 0.8
        Share of studies that are to reach the width, from 0.5 up to below 1.
    metric : str, MetricSpec or callable, or sequence of them, optional
        Of predictions and detections, what is estimated; of values, what they are, where their
        data do not say it.
    statistic : str, callable or StatisticSpec, default "mean"
        Summary statistic of values of cases; with parameters: ``"quantile:0.9"``.
    method : str, default "auto"
        CI method, one of ``halfwidth.METHODS``; ``"auto"`` chooses on evidence.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    n_samples : int, default 1000
        Studies drawn at each n.
    n_resamples : int, default 999
        Bootstrap resamples of each study, where any are drawn.
    rng : None, int, SeedSequence or Generator, optional
        Makes bootstraps repeatable; default: fresh, and reported.
    curve : bool, default False
        Whether to simulate a quarter, half and twice as many cases too, for `plots.plan_curve`.

    Returns
    -------
    SampleSizes
        A plan for each model, level, statistic and goal. Its ``counted`` says what n counts, and
        ``n_cases`` how many cases the clusters hold. Its ``simulated`` holds the share of studies,
        its Monte-Carlo standard error, the quartiles of the widths, and how far n would move by two
        such errors.

    Raises
    ------
    DataError
        For values that cannot be used, or that are all equal.
    OptionError, UnknownNameError
        Also if no n up to 20 000 reaches the width.

    References
    ----------
    Kupper & Hafner (1989) for the assurance.

    Examples
    --------
    >>> import halfwidth as hw
    >>> dice = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
    >>> (plan,) = hw.plan(dice, halfwidth=0.02, metric="dsc", method="t", rng=1)
    >>> plan.n_for_width
    50
    >>> round(hw.plan(dice, n=40, metric="dsc", method="t", rng=1)[0].width, 3)
    0.029
    """
    values = as_data(data, None, metric, estimates=True)
    if not isinstance(values, CaseValues):
        raise OptionError(
            f"{type(values).__name__} cannot be a pilot: studies are drawn from values of cases "
            "(CaseValues); planning.auroc and planning.classes plan test sets"
        )
    if [halfwidth, width, n].count(None) != 2:
        raise OptionError(
            f"give one of {spelled('halfwidth')}, {spelled('width')} and {spelled('n')}, the "
            "number of cases"
        )
    wanted = [check_positive("width", one) / 2 for one in _each("width", width)]
    wanted += _each("halfwidth", halfwidth)
    goals = PilotGoals(wanted, _each("n", n), assurance, as_flag("curve", curve))
    return plans_of_pilot(
        values.with_metric(metric),
        goals,
        Quantities(statistic=statistic).statistics,
        method=method,
        confidence_level=confidence_level,
        n_samples=n_samples,
        n_resamples=n_resamples,
        rng=rng,
    )


def _each(name: str, goals: Any) -> list[Any]:
    """One, several, or none."""
    if goals is None:
        return []
    several = as_list(goals)
    if several is not None and not several:
        raise OptionError(f"{spelled(name)} is an empty list")
    return [goals] if several is None else several
