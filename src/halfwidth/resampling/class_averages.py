"""Intervals for an average over classes, made of those of the classes.

Pseudo-cases for each class would draw every class a little towards the middle of its range, and the
average with it: its error shrinks with the number of classes, what it is drawn by does not. So each
class has its own distribution under Dirichlet weights, and how far the average may lie from its
estimate is worked out from how far each class may (MOVER, Zou & Donner 2008):
θ̂ ∓ √(Σ wᵢ wⱼ rᵢⱼ dᵢ dⱼ), with dᵢ the distance of a bound of class i from its estimate, wᵢ its
weight in the average and rᵢⱼ the correlation of two classes, which share their cases.

Where classes weigh as many cases as they have, these shares vary with the cases too. What that adds
to the variance of the average is added to the square of its distance, z² times it. A class without
a case that an average leaves out may have any value: where ``bounds`` are given, it has the worst
one for the one end and the best one for the other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import UNBOUNDED, Array, Bounds

# By so much sums of weights miss 1.
ROUNDING = 1e-9


@frozen(eq=False)
class Classes:
    """The classes of an average, as they were observed."""

    average: Array  # (S,)
    values: Array  # (S, C): anything where a class has no weight
    weights: Array  # (S, C): of the classes in the average
    # ``by_support(values, support)``, both (..., C) -> (...), where the support of a class in the
    # sample is its weight; None where weights are fixed.
    by_support: Callable[[Array, Array], Array] | None = None
    # The share of classes without a case that are left out, (S,), and between what their values lie
    left_out: tuple[Array, Bounds] | None = None

    @classmethod
    def averaged(
        cls,
        values: Array,
        support: Array,
        average: Callable[[Array, Array], Array],
        bounds: Bounds = UNBOUNDED,
    ) -> Classes:
        """Average of values and support, (S, C) -> (S,), that is linear in the values."""
        weights = linear_weights(lambda each: average(each, support), values)
        # Whether shares matter is of the average, not of samples, which may hold a single class.
        even = np.ones((1, support.shape[-1]))
        alike, rising = (
            linear_weights(functools.partial(_averaged, average, of), even)
            for of in (even, even.cumsum(axis=-1))
        )
        fixed = (alike == rising).all()
        left_out = None
        if fixed and bounds.finite:
            # Where an absent class counts as 0, the weights of the others do not add up to 1.
            omitted = np.abs(weights.sum(axis=-1) - 1) < ROUNDING
            absent = (np.isnan(values) & (support == 0)).sum(axis=-1) * omitted
            left_out = absent / np.maximum(absent + (weights != 0).sum(axis=-1), 1), bounds
        averages = average(values, support)
        return cls(averages, values, weights, None if fixed else average, left_out)

    def with_average(self, replicates: Array, support: Array) -> Array:
        """Replicates of classes, (S, C, B), and behind them of their average where shares vary."""
        if self.by_support is None:
            return replicates
        each = (np.where(self.weights[..., None] == 0, 0.0, replicates), support)
        whole = self.by_support(*(np.moveaxis(one, 1, -1) for one in each))
        return np.concatenate([replicates, whole[:, None]], axis=1)


@frozen(eq=False)
class ClassAverage:
    """The distribution of an average over classes for one end of an interval, for S samples."""

    estimate: Array  # (S,): the average
    classes: Array  # (S, C): its estimates, anything where a class has no weight
    weights: Array  # (S, C): of the classes in the average
    replicates: Array  # (S, C, B): of each class under Dirichlet weights; NaN where it is undefined
    correlation: Array  # (S, C, C): of the replicates of two classes
    shares: Array  # (S,): variance that varying shares of classes add
    # Whether it lies between its classes, whatever their shares: not where these are differences.
    between: bool
    # As of `Classes`
    left_out: tuple[Array, Bounds] | None = None

    @classmethod
    def from_replicates(cls, observed: Classes, replicates: Array) -> ClassAverage:
        """Take over replicates of the classes, (S, C, B), and of the average behind them."""
        used, average = observed.weights != 0, replicates[:, observed.values.shape[-1] :]
        classes, replicates = np.where(used, observed.values, 0.0), replicates[:, : used.shape[-1]]
        replicates[~used] = 0.0
        correlation = np.stack([_correlation(one) for one in replicates])
        shares = np.zeros(len(classes))
        if average.size:
            fixed = np.einsum("sc,scb->sb", observed.weights, replicates)
            shares = _variance(average[:, 0]) - _variance(fixed)
        return cls(
            *(observed.average, classes, observed.weights, replicates, correlation),
            np.maximum(shares, 0.0),
            observed.by_support is not None,
            observed.left_out,
        )

    @property
    def n_resamples(self) -> int:
        """Replicates of a class."""
        return int(self.replicates.shape[-1])

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """Undefined replicates of the class with most of them."""
        return np.asarray(np.isnan(self.replicates).sum(axis=-1).max(axis=-1))

    def quantile(self, probability: Array | float) -> Array:
        """The estimate less the distance of a quantile below the median, plus that of one above."""
        from scipy.special import ndtri

        probability = np.broadcast_to(np.asarray(probability, float), self.estimate.shape)
        sign = np.where(probability < 0.5, -1.0, 1.0)
        away = np.maximum(sign[:, None] * (self._class_quantiles(probability) - self.classes), 0.0)
        with np.errstate(invalid="ignore"):
            added = np.where(self.shares > 0, ndtri(probability) ** 2 * self.shares, 0.0)
        reach = self._root(self.weights * away, added)
        if self.between:
            farthest = sign[:, None] * (self.classes - self.estimate[:, None]) + away
            reach = np.minimum(reach, np.where(self.weights != 0, farthest, 0.0).max(axis=-1))
        end = np.asarray(self.estimate + sign * reach)
        if self.left_out is None:
            return end
        share, bounds = self.left_out
        return end + share * (np.where(sign < 0, bounds.low, bounds.high) - end)

    def standard_deviation(self) -> Array:
        """The SD, of those of the classes and of their shares."""
        return self._root(self.weights * np.nanstd(self.replicates, axis=-1), self.shares)

    def _class_quantiles(self, probability: Array) -> Array:
        """Type-7 quantiles of the defined replicates of each class, (S,) -> (S, C)."""
        defined = self.n_resamples - np.isnan(self.replicates).sum(axis=-1)
        position = probability[:, None] * np.maximum(defined - 1, 0)
        below = np.floor(position).astype(np.intp)
        above = np.minimum(below + 1, np.maximum(defined - 1, 0))
        # NaN comes last.
        ordered = np.partition(self.replicates, np.union1d(below, above), axis=-1)
        low, high = (
            np.take_along_axis(ordered, rank[..., None], axis=-1)[..., 0] for rank in (below, above)
        )
        return np.asarray(low + (position - below) * (high - low))

    def _root(self, reach: Array, added: Array) -> Array:
        squares = np.einsum("sc,scd,sd->s", reach, self.correlation, reach)
        return np.asarray(np.sqrt(np.maximum(squares, 0.0) + added))


def _averaged(average: Callable[[Array, Array], Array], support: Array, each: Array) -> Array:
    return average(each, support)


def _variance(replicates: Array) -> Array:
    """Variance of the replicates that are defined, (S, B) -> (S,); 0 where none is."""
    return np.asarray(np.ma.masked_invalid(replicates).var(axis=-1).filled(0.0))


def _correlation(replicates: Array) -> Array:
    """Correlations of the replicates of classes, (C, B) -> (C, C); 0 where one does not vary."""
    undefined = np.isnan(replicates).any(axis=0)
    defined = replicates[:, ~undefined] if undefined.any() else replicates
    if defined.shape[-1] < 2:
        return np.eye(len(replicates))
    centred = defined - defined.mean(axis=-1, keepdims=True)
    products = centred @ centred.T
    length = np.sqrt(np.diag(products))
    length[length == 0] = 1.0
    correlation = products / np.outer(length, length)
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)


def linear_weights(average: Callable[[Array], Array], classes: Array) -> Array:
    """The weight of each class in an average, (S, C) -> (S, C); 0 where a class has no value."""
    from_classes, weights = average(classes), np.zeros(classes.shape)
    for which in range(classes.shape[-1]):
        moved = classes.copy()
        moved[:, which] += 1.0
        weights[:, which] = average(moved) - from_classes
    return np.where(np.isnan(classes), 0.0, weights)
