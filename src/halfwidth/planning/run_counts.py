"""The fewest runs for which a quantile has an interval."""

from __future__ import annotations

from halfwidth.core.types import Level
from halfwidth.intervals.quantile import asymptotic
from halfwidth.intervals.quantile import exact as exact_method
from halfwidth.intervals.ranks import minimum_n, minimum_n_asymptotic
from halfwidth.planning.checks import check_choice, check_level_of_quantile

KINDS = (exact_method.__name__, asymptotic.__name__)


def minimum_runs(quantile: float, confidence_level: float = 0.95, method: str = "exact") -> int:
    """The fewest runs with which quantile q has a two-sided confidence interval.

    ``exact``: the smallest n with qⁿ + (1 - q)ⁿ ≤ α, below which no two order statistics hold the
    quantile often enough, whatever the distribution. ``asymptotic``: the smallest n with
    1 ≤ k < l ≤ n, k and l = n(q ∓ z √(q(1 - q)/n)).

    Parameters
    ----------
    quantile : float
        Level q of the quantile, strictly between 0 and 1: 0.5 for the median.
    confidence_level : float, default 0.95
        Strictly between 0 and 1.
    method : {"exact", "asymptotic"}

    Returns
    -------
    int
        Independent runs in which one source of variation changes; folds of one cross-validation
        are not.

    Raises
    ------
    OptionError
        If q or the level is not strictly between 0 and 1.
    UnknownNameError
        For another method.

    References
    ----------
    Lehmann & Paromau (2025), Tables 1 and 2; Zieliński & Zieliński (2005).

    Examples
    --------
    >>> minimum_runs(0.5), minimum_runs(0.9, 0.95), minimum_runs(0.9, 0.95, "asymptotic")
    (6, 29, 35)
    """
    q = check_level_of_quantile("quantile", quantile)
    level = Level(confidence_level)
    exact = check_choice("method", method, KINDS) == exact_method.__name__
    return minimum_n(q, level) if exact else minimum_n_asymptotic(q, level)
