"""Limits of agreement between two measurements of the same cases (Bland and Altman)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from halfwidth.core.checks import as_choice, as_list, as_number
from halfwidth.core.errors import DataError, OptionError, shown
from halfwidth.core.forms import Effect
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array, Level
from halfwidth.core.undefined import Missing
from halfwidth.estimation.differences import ready_pairs
from halfwidth.estimation.resolve import AUTO, resolve_metric, resolve_request
from halfwidth.results.agreement import Agreement, Limit
from halfwidth.results.comparison import ComparedCases

FEWEST = 3


def limits_of_agreement(
    first: Any,
    second: Any,
    *,
    metric: Any = None,
    effect: Effect = "difference",
    share: float = 0.95,
    confidence_level: float = 0.95,
    missing: Missing = "raise",
    groups: Any = None,
    names: tuple[str, str] = ("first", "second"),
) -> Agreement:
    """The bias between two measurements of the same cases, and their limits of agreement.

    The limits are d̄ ± z s, d̄ and s the mean and SD of the differences: between them lie 95 % of
    the differences, if these are normal and no wider spread for large values than for small ones.
    Where they spread with size, as volumes do, ask for the ratio: the same on logarithms. Intervals
    are exact for normal differences: that of the bias by t, those of the limits by noncentral t.
    With clusters the SD has the components between and within them, the interval of the bias is
    robust to them, and the limits have none.

    Parameters
    ----------
    first, second : array-like, shape (n,)
        The measurements of each case; cases in the same order, or pandas Series with the same
        labels.
    metric : str, MetricSpec or metric function, optional
        What the values are: ``"dsc"``, ``"hd95"``, ``"nsd:tolerance=3"``, ...; decides range,
        unit and which direction is better.
    effect : {"difference", "ratio"}, default "difference"
        First minus second, or first over second. Of raters the ratio is Williams' index: 1
        where the model is like one more rater.
    share : float, default 0.95
        Of the differences between the limits.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    missing : {"raise", "omit", "worst"}, default "raise"
        What a missing value means; ``"omit"`` leaves out a case that misses either value.
    groups : array-like, shape (n,), optional
        Cluster of each case: its patient, its scan. Cases of a cluster are resampled together.
    names : pair of str, default ('first', 'second')
        What the two are called.

    Returns
    -------
    Agreement

    Raises
    ------
    DataError, OptionError
        As for `difference_ci`; for fewer than 3 cases, and for a ratio of values that are not
        positive.

    References
    ----------
    Bland and Altman (1999); Carkeet (2015); with clusters Bland and Altman (2007).

    Examples
    --------
    >>> import halfwidth as hw
    >>> agreement = hw.limits_of_agreement([10.1, 12.0, 9.4, 11.2], [9.8, 12.3, 9.0, 11.0])
    >>> [round(limit.value, 2) for limit in (agreement.lower, agreement.bias, agreement.upper)]
    [-0.46, 0.15, 0.76]
    """
    request = resolve_request(
        method=AUTO,
        confidence_level=confidence_level,
        alternative="two-sided",
        n_resamples=None,
        rng=None,
        missing=missing,
        penalty=None,
    )
    if request.missing == "worst":
        raise OptionError(f"{spelled('missing', 'worst')} has no meaning for agreement; use 'omit'")
    as_choice("effect", effect)
    names = _two_names(names)
    bound_metric = resolve_metric(metric, None)
    pairs = ready_pairs(
        {"first": first, "second": second, "groups": groups, "strata": None}, bound_metric, request
    )
    cases = ComparedCases(
        dict(zip(names, pairs.values, strict=True)),
        bound_metric,
        groups=None if pairs.groups is None else tuple(pairs.groups.tolist()),
    )
    return agreement_of(cases, *names, effect, request.level, share=share)


def _two_names(names: Any) -> tuple[str, str]:
    given = as_list(names) or []
    if len(given) != 2 or not all(isinstance(name, str) for name in given) or len(set(given)) < 2:
        raise OptionError(f"names={shown(names)} are not two different names")
    return given[0], given[1]


def agreement_of(
    cases: ComparedCases,
    first: str,
    second: str,
    effect: Effect,
    level: Level,
    *,
    share: float = 0.95,
) -> Agreement:
    """The agreement of two models on the cases that were compared."""
    share = as_number("share", share, "between 0 and 1")
    if not 0 < share < 1:
        raise OptionError(f"share={share:g} is not between 0 and 1")
    pair = [cases.values[name] for name in (first, second)]
    if len(pair[0]) < FEWEST:
        raise DataError(f"limits of agreement need {FEWEST} cases or more, got {len(pair[0])}")
    if effect == "ratio":
        if min(float(values.min()) for values in pair) <= 0:
            raise DataError("a ratio needs values above 0; compare differences instead")
        pair = [np.log(values) for values in pair]
    differences, means = pair[0] - pair[1], (pair[0] + pair[1]) / 2
    codes = None
    if cases.groups is not None:
        _, codes = np.unique(np.asarray(cases.groups, dtype=str), return_inverse=True)
    confidence = float(level.confidence_level)
    bias, sd, limits = _limits(differences, codes, share, confidence)
    if effect == "ratio":
        means, differences = np.exp(means), np.exp(differences)
        try:
            bias, *limits = (Limit(*map(math.exp, limit)) for limit in (bias, *limits))
        except OverflowError:
            raise DataError(
                f"the ratios of {first} to {second} lie so far apart that their limits exceed the "
                "largest number in floating point; compare differences instead"
            ) from None
    return Agreement(
        first=first,
        second=second,
        bias=bias,
        lower=limits[0],
        upper=limits[1],
        sd=sd,
        means=means,
        differences=differences,
        metric_spec=cases.metric_spec,
        effect=effect,
        share=share,
        confidence_level=confidence,
        label=cases.label,
        by=cases.by,
        n_groups=None if codes is None else int(codes.max()) + 1,
        groups=cases.groups,
    )


def _limits(
    differences: Array, codes: Any, share: float, confidence: float
) -> tuple[Limit, float, list[Limit]]:
    """Bias, SD, and both limits."""
    from scipy import special

    n, mean = len(differences), float(differences.mean())
    z = float(special.ndtri((1 + share) / 2))
    tail = (1 - confidence) / 2
    if codes is not None:
        sd, standard_error, df = _clustered(differences, codes)
        reach = float(special.stdtrit(df, 1 - tail)) * standard_error if df else math.nan
        bias = Limit(mean, mean - reach, mean + reach)
        values = (mean - z * sd, mean + z * sd)
        return bias, sd, [Limit(value, math.nan, math.nan) for value in values]
    sd = float(differences.std(ddof=1))
    reach = float(special.stdtrit(n - 1, 1 - tail)) * sd / math.sqrt(n)
    near, far = tolerance_factors(n, z, tail)
    return (
        Limit(mean, mean - reach, mean + reach),
        sd,
        [
            Limit(mean - z * sd, mean - far * sd, mean - near * sd),
            Limit(mean + z * sd, mean + near * sd, mean + far * sd),
        ],
    )


def tolerance_factors(n: int, z: float, tail: float) -> tuple[float, float]:
    """Factors k for which mean + k s is a lower and an upper bound of μ + z σ, either at 1 - tail.

    k = t' / √n, t' a quantile of the noncentral t with n - 1 degrees of freedom about z√n.

    >>> round(tolerance_factors(10, 1.6448536, 0.05)[1], 3)  # the factor of a tolerance bound
    2.911
    """
    from scipy import special

    centre = z * math.sqrt(n)
    near, far = (float(special.nctdtrit(n - 1, centre, p)) for p in (tail, 1 - tail))
    return near / math.sqrt(n), far / math.sqrt(n)


def _clustered(differences: Array, codes: Any) -> tuple[float, float, int]:
    """SD with its parts between and within clusters, robust SE of the mean, its df."""
    n, sizes = len(differences), np.bincount(codes)
    n_clusters = len(sizes)
    sums = np.bincount(codes, differences)
    deviations = sums - differences.mean() * sizes
    if n_clusters < 2:
        return float(differences.std(ddof=1)), math.nan, 0
    standard_error = math.sqrt(n_clusters / (n_clusters - 1) * float((deviations**2).sum())) / n
    between = float((deviations**2 / sizes).sum()) / (n_clusters - 1)
    within_squares = float(((differences - (sums / sizes)[codes]) ** 2).sum())
    if n == n_clusters:
        return math.sqrt(between), standard_error, n_clusters - 1
    within = within_squares / (n - n_clusters)
    typical_size = (n - float((sizes**2).sum()) / n) / (n_clusters - 1)
    variance = within + max(between - within, 0.0) / typical_size
    return math.sqrt(variance), standard_error, n_clusters - 1
