"""Intervals for a rate: how many events there are for each case."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.spec import Estimand, Need, Promise, interval_method
from halfwidth.core.types import Interval, Level

__all__ = ["garwood"]


@interval_method(
    title="Garwood",
    accepts=frozenset({Estimand.RATE}),
    needs=(Need.ESTIMATE, Need.UNITS),
    use_when="for counts that are 0, or alike in all images, of which resamples say nothing",
    min_n=1,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED}),
    cautions=("HW318",),
    cite="garwood1936",
    assumes="The number of events is Poisson: they come one by one, not many in a few images. Of "
    "clusters (patients) that all images of one have as many events as any of them.",
)
def garwood(rate: ArrayLike, units: ArrayLike, level: Level) -> Interval:
    """Garwood's exact interval of a Poisson rate: x events of m units, x = rate · m.

    The bounds are the rates at which x or more events, and x or fewer, have probability α/2:
    half the quantiles of χ² with 2x and 2x + 2 degrees of freedom, over m. Without an event they
    are 0 and -ln(α/2)/m, which is 3.69/m at 95 %, or -ln(α)/m = 3.00/m for a bound on one side.

    Units are images, or clusters where there are some: m clusters count as m images and their
    events are scaled to that. As a patient's images may all go wrong together, more images of one
    are then no further evidence, which is on the safe side. So is, for an average over classes, to
    take it for the rate of one class.

    Parameters
    ----------
    rate, units : array-like
        Events for each case, and how many independent units there are.
    level : Level

    Returns
    -------
    Interval
        Within [0, ∞).

    References
    ----------
    Garwood (1936).

    Examples
    --------
    >>> interval = garwood(0.0, 50, Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.0000 0.0738
    """
    from scipy import special

    share, m = np.asarray(rate, float), np.asarray(units, float)
    events = share * m
    low = np.where(events > 0, special.gammaincinv(np.maximum(events, 1e-300), level.tail), 0.0)
    high = special.gammainccinv(events + 1, level.tail)
    return Interval.of(low / m, high / m, np.sqrt(share / m))


# The catalogue lists these, in this order.
DECLARED = (garwood,)
