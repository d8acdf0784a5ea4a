"""Intervals by a standard error alone, on the scale where a statistic is nearest to normal."""

from __future__ import annotations

import numpy as np

from halfwidth.core.spec import (
    Estimand,
    Need,
    Promise,
    Transform,
    Unanswered,
    interval_method,
)
from halfwidth.core.types import Array, Interval, Level
from halfwidth.intervals.auc import quantile_factor
from halfwidth.intervals.bootstrap import percentile
from halfwidth.intervals.dirichlet_intervals import dirichlet

__all__ = ["delta", "jackknife_t"]


def _no_error_reason(_sample: Unanswered) -> tuple[str, str]:
    reason = "the standard error is 0 or unknown, or the scale ends here"
    return reason, f"{percentile.__name__} is defined"


@interval_method(
    no_interval=_no_error_reason,
    title="delta method",
    accepts=frozenset(
        {
            *(Estimand.COUNTING, Estimand.CONTRAST, Estimand.MEAN_RATIO),
            Estimand.OBSERVED_OVER_EXPECTED,
        }
    ),
    needs=(Need.ESTIMATE, Need.STANDARD_ERROR, Need.TRANSFORM, Need.CLUSTER_DEGREES),
    use_when="for functions of a confusion matrix without resampling; poor near the ends of the "
    "range and at small n",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED}),
    cite="takahashi2022",
    assumes="The confusion matrix is nearly normal, and the metric nearly linear over its spread.",
)
def delta(
    estimate: Array, standard_error: Array, transform: Transform, degrees: float, level: Level
) -> Interval:
    """Delta method, θ̂ ± z·SE with the gradient at the matrix and its multinomial covariance.

    SE² = (Σ g²p - (Σ gp)²)/n: p the shares of the cells, g the derivatives by them. LR+ is taken on
    the log scale and predictive values at a target prevalence on the logit: h⁻¹(h(θ̂) ±
    z·h'(θ̂)·SE). With clusters the SE is cluster-robust, and t quantiles of clusters less strata
    are used.

    Parameters
    ----------
    estimate, standard_error : ndarray
    transform : Transform
    degrees : float
        Infinite for independent cases.
    level : Level

    Returns
    -------
    Interval
        May leave the range on the identity scale; NaN where the SE is 0 or undefined, or θ̂ is at
        the end of its scale.

    References
    ----------
    Takahashi et al. (2022) for F1; Simel, Samsa & Matchar (1991) for LR+;
    Mercaldo, Lau & Zhou (2007) for predictive values.
    """
    return _on_scale(estimate, standard_error, quantile_factor(degrees, level), transform)


@interval_method(
    no_interval=_no_error_reason,
    instead=dirichlet,
    title="jackknife with t",
    accepts=frozenset(
        {
            *(Estimand.AUROC, Estimand.AUROC_DIFFERENCE, Estimand.COUNTING),
            *(Estimand.CONTRAST, Estimand.OTHER),
        }
    ),
    needs=(Need.ESTIMATE, Need.JACKKNIFE_ERROR, Need.TRANSFORM, Need.UNIT_DEGREES),
    use_when="for metrics of many cases, or of fifty clusters or more, and their differences, "
    "without resampling: where a bootstrap would take long, or Dirichlet weights are too wide",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED}),
    cite="efron_stein1981",
    assumes="The statistic is nearly normal, and leaving out one case, or cluster, changes it a "
    "little.",
)
def jackknife_t(
    estimate: Array, jackknife_error: Array, transform: Transform, degrees: float, level: Level
) -> Interval:
    """θ̂ ± t · SE with the jackknife's SE over cases, or over clusters.

    SE² = (G - 1)/G Σ (θ₋g - θ̂)², θ₋g the statistic without unit g of G; with strata θ₋g is set
    against its mean over the stratum. t has units less strata degrees of freedom. An average
    precision is taken on the logit scale, a ratio on the log scale.

    Parameters
    ----------
    estimate, jackknife_error : ndarray
    transform : Transform
    degrees : float
        Units less strata.
    level : Level

    Returns
    -------
    Interval
        May leave the range on the identity scale; NaN where the SE is 0 or the statistic is
        undefined without some unit, or θ̂ is at the end of its scale.

    References
    ----------
    Efron & Stein (1981).
    """
    return _on_scale(estimate, jackknife_error, quantile_factor(degrees, level), transform)


def _on_scale(
    estimate: Array, standard_error: Array, factor: float, transform: Transform
) -> Interval:
    """h⁻¹(h(θ̂) ± factor · h'(θ̂) · SE)."""
    from scipy import special

    known = np.where(standard_error > 0, standard_error, np.nan)
    reach = factor * known
    with np.errstate(divide="ignore", invalid="ignore"):
        if transform is Transform.LOG:
            ratio = np.exp(reach / estimate)
            low, high = estimate / ratio, estimate * ratio
        elif transform is Transform.LOGIT:
            middle, reach = special.logit(estimate), reach / (estimate * (1 - estimate))
            low, high = special.expit(middle - reach), special.expit(middle + reach)
        else:
            low, high = estimate - reach, estimate + reach
    return Interval.of(low, high, known)


# The catalogue lists these, in this order.
DECLARED = (delta, jackknife_t)
