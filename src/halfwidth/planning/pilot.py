"""The widths of intervals of studies of n cases, simulated from the values of a pilot."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from halfwidth.core.errors import OptionError
from halfwidth.estimation.resolve import AUTO
from halfwidth.planning.checks import check_assurance, check_n, wanted_width
from halfwidth.planning.simulated_studies import MOST_CASES, Studies, check_pilot
from halfwidth.results.sample_size import WIDTH_NEEDS, Requirement, SampleSize

# Multiples of the n planned at which a curve is simulated too.
AROUND = (0.25, 0.5, 2.0)


def pilot_n(
    values: Any,
    *,
    width: float | None = None,
    halfwidth: float | None = None,
    assurance: float = 0.8,
    metric: Any = None,
    statistic: Any = "mean",
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_samples: int = 1000,
    n_resamples: int = 999,
    rng: Any = None,
    bounds: Any = None,
    scale: float = 1.0,
    missing: Any = "raise",
    penalty: float | None = None,
    label: str = "",
    curve: bool = False,
) -> SampleSize:
    """The cases at which a share ``assurance`` of studies have an interval of the width wanted.

    Studies of n cases are drawn from the pilot with replacement, each gets its interval by the
    method, and the n at which the share of intervals no wider than wanted reaches the assurance
    is found by bisection. It supposes that the share grows with n, and that the cases to come are
    like those of the pilot; a small pilot misses rare failures.

    Parameters
    ----------
    values : array-like, shape (n,)
        Per-case values of a pilot; independent cases.
    width, halfwidth : float
        One of them, in the metric's unit.
    assurance : float, default 0.8
        From 0.5 up to below 1.
    metric, statistic, method, confidence_level, bounds, scale, missing, penalty
        As for `summary_ci`. ``"auto"`` is chosen anew for each n.
    n_samples : int, default 1000
        Studies drawn at each n.
    n_resamples : int, default 999
        Bootstrap resamples of each, where any are drawn.
    rng : None, int, SeedSequence or Generator, optional
    label : str, optional
        Carried into the result, and said in errors.
    curve : bool, default False
        Whether to simulate a quarter, half and twice as many cases too, for `plots.plan_curve`.

    Returns
    -------
    SampleSize
        ``simulated`` holds the share, its Monte-Carlo standard error, the quartiles of the
        widths, and how far n would move by two such errors.

    Raises
    ------
    DataError
        For values that cannot be used, or that are all equal.
    OptionError
        Also if no n up to 20 000 reaches the width.

    References
    ----------
    Kupper & Hafner (1989) for the assurance.

    Examples
    --------
    >>> dice = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
    >>> plan = pilot_n(dice, halfwidth=0.02, metric="dsc", method="t", rng=1)
    >>> plan.n_for_width
    24
    """
    studies = check_pilot(
        values,
        (metric, bounds, statistic),
        (n_samples, scale, label),
        method=method,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=penalty,
    )
    spec = studies.sample.metric.spec
    range_ = studies.statistic.range(spec.bounds, math.inf)
    wanted = wanted_width(width, halfwidth, range_, f"the {studies.quantity}")
    share = check_assurance(assurance)
    n = studies.smallest_n(wanted, share)
    margin = 2 * studies.share_error(n, wanted)
    low = studies.smallest_n(wanted, share - margin)
    high = _smallest_n_or_none(studies, wanted, share + margin)
    needs = (Requirement(WIDTH_NEEDS, n, f"simulated, with probability {share:g}"), *studies.needs)
    planned = max(need.n for need in needs)
    plan = studies.plan_at(planned, share, wanted, AROUND if curve else ())
    # The range of n refers to the width alone.
    simulated = None if plan.simulated is None else replace(plan.simulated, n_low=low, n_high=high)
    return replace(plan, wanted=wanted, requirements=needs, assurance=share, simulated=simulated)


def _smallest_n_or_none(studies: Studies, wanted: float, share: float) -> int | None:
    """The n for a share, or None if no n reaches it."""
    try:
        return studies.smallest_n(wanted, share) if share < 1 else None
    except OptionError:
        return None


def pilot_width(
    values: Any,
    n: int,
    *,
    assurance: float = 0.8,
    metric: Any = None,
    statistic: Any = "mean",
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_samples: int = 1000,
    n_resamples: int = 999,
    rng: Any = None,
    bounds: Any = None,
    scale: float = 1.0,
    missing: Any = "raise",
    penalty: float | None = None,
    label: str = "",
    curve: bool = False,
) -> SampleSize:
    """The widths of the intervals of studies of n cases, drawn from a pilot.

    Parameters
    ----------
    n : int
        Cases of each study, at least 2.
    values, assurance, metric, statistic, method, confidence_level, n_samples, n_resamples, rng
        As for `pilot_n`.
    bounds, scale, missing, penalty, label, curve
        As for `pilot_n`.

    Returns
    -------
    SampleSize
        ``width`` is the median; ``simulated`` holds the quartiles and the width that the share
        ``assurance`` of studies keep below.

    Raises
    ------
    DataError, OptionError

    Examples
    --------
    >>> dice = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
    >>> round(pilot_width(dice, 40, metric="dsc", method="t", rng=1).width, 3)
    0.026
    """
    studies = check_pilot(
        values,
        (metric, bounds, statistic),
        (n_samples, scale, label),
        method=method,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=penalty,
    )
    checked = check_n(n, 2, "a study")
    if checked > MOST_CASES:
        raise OptionError(f"n={checked} is more than the {MOST_CASES} cases that are simulated")
    return studies.plan_at(checked, check_assurance(assurance), None, AROUND if curve else ())
