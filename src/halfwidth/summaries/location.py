"""Summary statistics of location: mean and trimmed mean."""

from __future__ import annotations

import numpy as np

from halfwidth.core.forms import Moments, SortedWeights
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Estimand, range_of_values, statistic
from halfwidth.core.types import Array
from halfwidth.core.undefined import nan_per_sample

__all__ = ["mean", "trimmed_mean"]

TRIM_SHARE = Parameter("share", 0.25, "share cut from each side", at_least=0, below=0.5)


def _mean_from_sum(n: int | Array, total: Array, centre: Array) -> Array:
    total /= n
    total += centre
    return total


def _influence_on_mean(values: Array) -> Array:
    """Deviation from the mean."""
    return np.asarray(values - mean(values)[..., None])


@statistic(
    listed=0,
    title="mean",
    estimand=Estimand.MEAN,
    form=Moments(1, _mean_from_sum),
    influence=_influence_on_mean,
    range_rule=range_of_values,
    synonyms=("average",),
)
def mean(values: Array, *, axis: int = -1) -> Array:
    """Arithmetic mean, Σx / n.

    Parameters
    ----------
    values : ndarray
        Finite values of the metric, in its unit.
    axis : int
        The sample axis.

    Returns
    -------
    ndarray
        One mean per sample, in the metric's unit and range; NaN for an empty sample.

    Examples
    --------
    >>> float(mean(np.array([0.75, 0.9, 0.9])))
    0.85
    """
    if not np.shape(values)[axis]:
        return nan_per_sample(values, axis=axis)
    # About the first value, so that equal values have exactly themselves as their mean.
    first = np.take(values, 0, axis=axis)
    return np.asarray(first + np.mean(values - np.expand_dims(first, axis), axis=axis))


def _trimmed_weights(n: int, share: float) -> Array:
    cut = cases_cut(n, share)
    weights = np.zeros(n)
    weights[cut : n - cut] = 1.0 / (n - 2 * cut)
    return weights


def cases_cut(n: int, share: float) -> int:
    """⌊share · n⌋, the cases cut from each side, whatever rounding does (0.29 · 100 is below 29).

    >>> cases_cut(10, 0.25), cases_cut(100, 0.29)
    (2, 29)
    """
    cut = int(np.floor(share * n * (1 + 4 * np.finfo(float).eps)))
    return max(0, min(cut, (n - 1) // 2))


def _influence_on_trimmed_mean(values: Array, share: float) -> Array:
    """(w - w̄) / (1 - 2γ), w the winsorised values: Tukey and McLaughlin's variance."""
    n = values.shape[-1]
    cut = cases_cut(n, share)
    ends = np.partition(values, [cut, n - cut - 1], axis=-1)
    winsorised = np.clip(values, ends[..., cut, None], ends[..., n - cut - 1, None])
    return _influence_on_mean(winsorised) / (1 - 2 * share)


def _cases_for_trimmed_mean(_metric_n: int, **_: float) -> int:
    return 10


@statistic(
    listed=2,
    title="trimmed mean",
    reliable_n=_cases_for_trimmed_mean,
    estimand=Estimand.TRIMMED_MEAN,
    form=SortedWeights(_trimmed_weights),
    influence=_influence_on_trimmed_mean,
    range_rule=range_of_values,
    parameters=(TRIM_SHARE,),
    synonyms=("interquartile_mean", "iqm", "tmean"),
    cite="tukey_mclaughlin1963",
)
def trimmed_mean(values: Array, *, share: float = 0.25, axis: int = -1) -> Array:
    """Mean of what is left after cutting ⌊share · n⌋ values from each side.

    Parameters
    ----------
    values : ndarray
        Finite values of the metric, in its unit.
    share : float, default 0.25
        Share cut from *each* side, in [0, 0.5); 0.25 gives the interquartile mean.
    axis : int
        The sample axis.

    Returns
    -------
    ndarray
        One trimmed mean per sample, in the metric's unit and range; NaN for an empty sample.

    References
    ----------
    Tukey & McLaughlin (1963).

    Examples
    --------
    >>> float(trimmed_mean(np.array([0.0, 2.0, 4.0, 100.0])))
    3.0
    """
    ordered = np.sort(values, axis=axis)
    n = ordered.shape[axis]
    cut = cases_cut(n, share)
    return mean(np.take(ordered, np.arange(cut, n - cut), axis=axis), axis=axis)


# The catalogue lists these, in this order.
DECLARED = (mean, trimmed_mean)
