"""Intervals from random weights of the cases, and of pseudo-cases at the metric's bounds."""

from __future__ import annotations

import numpy as np

from halfwidth.core.parameters import Parameter
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Drawn, Estimand, Need, Promise, Unanswered, interval_method
from halfwidth.core.types import Array, Bounds, Interval, Level
from halfwidth.resampling.distribution import Quantiles

__all__ = ["dirichlet", "gaffke"]

MASS = Parameter("mass", 0.5, "of the pseudo-case at each bound, in cases", above=0.0, at_most=10.0)
PROMISES = frozenset(
    {
        Promise.CONTAINS_ESTIMATE,
        Promise.STAYS_IN_RANGE,
        Promise.NESTED,
        Promise.EQUIVARIANT,
    }
)


def pseudo_cases_of_mass(bounds: Bounds, *, paired: bool, mass: float) -> PseudoCases:
    """A pseudo-case of a mass at either bound."""
    return PseudoCases.at_both(mass, bounds, paired=paired)


def _whole(bounds: Bounds, *, paired: bool) -> PseudoCases:
    return PseudoCases.outward(1.0, bounds, paired=paired)


def undefined_reason(_sample: Unanswered) -> tuple[str, str]:
    """Why there is no interval, and what helps."""
    return "the statistic is undefined under random weights", "add cases"


def _between(weighted: tuple[Quantiles, Quantiles], estimate: Array, level: Level) -> Interval:
    """From quantile to quantile, and as far as the estimate where it lies beyond one."""
    lower, upper = weighted
    return Interval.of(
        np.minimum(lower.quantile(level.tail), estimate),
        np.maximum(upper.quantile(1 - level.tail), estimate),
    )


@interval_method(
    no_interval=undefined_reason,
    title="Dirichlet",
    drawn=Drawn("wine", "dashed", "p"),
    accepts=frozenset(Estimand),
    needs=(Need.WEIGHTED, Need.ESTIMATE),
    pseudo_cases=pseudo_cases_of_mass,
    parameters=(MASS,),
    use_when="for few cases of a metric with finite bounds: near its level where bootstraps and "
    "t are far too narrow; wide where the spread is small compared with the range",
    assumes="Cases unlike any observed may turn up, as bad or as good as the metric's bounds "
    "allow, about as often as if half a case more had been seen at each bound. So even without a "
    "failure among n cases it allows for rare ones, and it is wide where the spread is small "
    "compared with the range. Where you know that values beyond some point are impossible, say "
    "so with bounds (--bounds .5,1). Cases, or clusters, are independent.",
    min_n=1,
    promises=PROMISES,
    cite="rubin1981",
)
def dirichlet(weighted: tuple[Quantiles, Quantiles], estimate: Array, level: Level) -> Interval:
    """The statistic under random weights, with half a pseudo-case at each bound of the metric.

    The weights (w) ~ Dirichlet(1, ..., 1, ½, ½): 1 for each case and ½ for a pseudo-case at each
    end of the range [a, b]. The interval reaches from the α/2 to the 1 - α/2 quantile of the
    statistic so weighted, and holds its estimate. Pseudo-cases only ever add to an SD or an IQR:
    there they serve the upper end alone, and the lower one comes from the weights of the cases.
    Of two models on the same cases ¼ of a pseudo-case lies at each pair of ends, (a, a), (a, b),
    (b, a) and (b, b), so that each model has ½ at a and at b.

    Parameters
    ----------
    weighted : pair of Distribution
        Of the statistic under such weights, for the lower and for the upper end.
    estimate : ndarray
        The statistic of each sample.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit and range. NaN where the statistic is undefined.

    References
    ----------
    Rubin (1981), without pseudo-cases. On 0/1 data the mean's interval is that of Jeffreys.
    """
    return _between(weighted, estimate, level)


@interval_method(
    no_interval=undefined_reason,
    title="Gaffke",
    drawn=Drawn("navy", "broken", "<"),
    accepts=frozenset(Estimand),
    needs=(Need.WEIGHTED, Need.ESTIMATE),
    pseudo_cases=_whole,
    use_when="like dirichlet but more conservative: conjectured, not proved, to cover a mean at "
    "least as often as it says",
    assumes="Values lie within the metric's bounds, and cases, or clusters, are independent. "
    "That it then covers a mean at least as often as it says is a conjecture: no counterexample "
    "is known, and no proof.",
    min_n=1,
    promises=PROMISES,
    cautions=("HW316",),
    cite="gaffke2005",
)
def gaffke(weighted: tuple[Quantiles, Quantiles], estimate: Array, level: Level) -> Interval:
    """The statistic under random weights, with a whole pseudo-case at the bound beyond each end.

    The lower end is the α/2 quantile under the weights Dirichlet(1, ..., 1, 1) of the cases and of
    a pseudo-case at the lower bound of the range; the upper end is the 1 - α/2 quantile with one
    at the upper bound.

    Parameters
    ----------
    weighted : pair of Distribution
        Of the statistic under such weights, for the lower and for the upper end.
    estimate : ndarray
        The statistic of each sample.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit and range. NaN where the statistic is undefined.

    References
    ----------
    Gaffke (2005); Learned-Miller & Thomas (2019), who conjecture that the mean is covered at least
    as often as the level says. On 0/1 data it is the interval of Clopper and Pearson.
    """
    return _between(weighted, estimate, level)


# The catalogue lists these, in this order.
DECLARED = (dirichlet, gaffke)
