"""Intervals of coefficients that were fitted by maximum likelihood."""

from __future__ import annotations

from halfwidth.core.spec import Drawn, Estimand, Need, Promise, Unanswered, interval_method
from halfwidth.core.types import Array, Interval, Level
from halfwidth.intervals.auc import quantile_factor

__all__ = ["model_wald"]


def _no_fit_reason(_sample: Unanswered) -> tuple[str, str]:
    reason = "the regression has no single finite fit (one class only, equal or separating scores)"
    return reason, "no other method has an interval either"


@interval_method(
    title="Wald, model-based",
    no_interval=_no_fit_reason,
    drawn=Drawn("teal", "dashed", "s"),
    accepts=frozenset({Estimand.COEFFICIENT}),
    needs=(Need.ESTIMATE, Need.MODEL_ERROR),
    use_when="a slope or an intercept of independent cases; covers as it says from 50 cases on, "
    "where robust errors are too small",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED}),
    independent_only=True,
    cite="cox1958",
    assumes="The log odds are the line that is fitted, and the coefficient is nearly normal.",
)
def model_wald(estimate: Array, model_error: Array, level: Level) -> Interval:
    """Wald's interval, β̂ ± z·SE, SE² from the inverse of the information Σ μ(1 - μ) x xᵀ.

    It is what statistical software prints beside a coefficient of a logistic regression.

    Parameters
    ----------
    estimate, model_error : ndarray
        β̂ and its SE, of each sample.
    level : Level

    Returns
    -------
    Interval
        Symmetric about the coefficient; NaN where there is no fit.

    References
    ----------
    Cox (1958).
    """
    reach = quantile_factor(float("inf"), level) * model_error
    return Interval.of(estimate - reach, estimate + reach, model_error)


# The catalogue lists these, in this order.
DECLARED = (model_wald,)
