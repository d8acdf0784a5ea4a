"""Sufficient forms: what a summary statistic needs to know of a resample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from halfwidth.core.types import Array

__all__ = ["Form", "Moments", "OrderStatistics", "SortedWeights"]


@dataclass(frozen=True)
class Moments:
    """A statistic that is a function of n and of power sums about a centre.

    Attributes
    ----------
    order : int
        Highest power needed.
    finish : callable
        ``finish(n, sums, centre, **parameters)`` with ``sums[p - 1] = Σ(x - centre)^p``; n is a
        number, or one for each entry of the last axis.
    """

    order: int
    finish: Callable[..., Array]


@dataclass(frozen=True)
class SortedWeights:
    """An L-statistic: ``weights(n, **parameters) @ sorted sample``.

    The weights add up to 1 (location) or to 0 (spread).
    """

    weights: Callable[..., Array]


@dataclass(frozen=True)
class OrderStatistics:
    """An L-statistic of a few order statistics.

    ``picks(n, **parameters)`` returns their 1-based ranks, ascending, and their weights, which add
    up to 1 (location) or to 0 (spread).
    """

    picks: Callable[..., tuple[Array, Array]]


Form = Moments | SortedWeights | OrderStatistics
