"""Designs: how the cases of a sample belong together, and hence what a resample draws.

What is drawn is a *unit*: a case, or a cluster with all its cases. Units are drawn with
replacement within each stratum, as many as it has.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array

Codes = NDArray[np.intp]


@frozen
class Design:
    """Units and strata of a sample whose cases stand in canonical order (`arrange`)."""

    strata: tuple[int, ...]  # Units in each stratum; one entry where there are no strata
    # Cases in each unit, stratum after stratum; None where every unit is one case
    sizes: tuple[int, ...] | None = None
    # Whether several values of each case must stay together (those of several models, say), so that
    # no sample may be sorted by itself, and none has draws of its own
    paired: bool = False

    @classmethod
    def iid(cls, n: int) -> Design:
        """N independent cases, ascending."""
        return cls((n,))

    @property
    def name(self) -> str:
        """``iid``, ``clustered``, ``stratified``, ``clustered within strata`` or ``paired``."""
        stratified = len(self.strata) > 1
        if self.sizes is not None:
            return "clustered within strata" if stratified else "clustered"
        return "stratified" if stratified else "paired" if self.paired else "iid"

    @functools.cached_property
    def simple(self) -> bool:
        """Whether cases are independent and ascending, so that closed forms hold."""
        return self.sizes is None and len(self.strata) == 1 and not self.paired

    @functools.cached_property
    def independent(self) -> bool:
        """Whether cases are drawn one by one from a single stratum."""
        return self.sizes is None and len(self.strata) == 1

    @functools.cached_property
    def units(self) -> int:
        """How many units there are, and are drawn."""
        return sum(self.strata)

    @functools.cached_property
    def n(self) -> int:
        """How many cases there are."""
        return self.units if self.sizes is None else sum(self.sizes)

    @functools.cached_property
    def degrees_of_freedom(self) -> int:
        """Units less strata: what is left to estimate a variance from."""
        return self.units - len(self.strata)

    @functools.cached_property
    def effective_units(self) -> float:
        """Units of equal size that these are worth: Σₕ (Σ n)²/Σ n² (Kish), n their cases."""
        sizes = self.by_stratum(self.unit_sizes.astype(float))
        return float(sum(n.sum() ** 2 / (n**2).sum() for n in sizes))

    @functools.cached_property
    def effective_degrees(self) -> float:
        """Effective units less strata; 1 or more where there is a degree of freedom at all."""
        if self.sizes is None or self.degrees_of_freedom < 1:
            return float(self.degrees_of_freedom)
        return max(self.effective_units - len(self.strata), 1.0)

    @functools.cached_property
    def equal_sizes(self) -> bool:
        """Whether all resamples have as many cases as the sample."""
        return self.sizes is None or len(set(self.sizes)) == 1

    @functools.cached_property
    def unit_sizes(self) -> NDArray[np.intp]:
        """Cases in each unit."""
        sizes = self.sizes
        return np.ones(self.units, dtype=np.intp) if sizes is None else np.array(sizes, np.intp)

    @functools.cached_property
    def first_cases(self) -> NDArray[np.intp]:
        """Position of the first case of each unit."""
        return np.cumsum(self.unit_sizes) - self.unit_sizes

    @functools.cached_property
    def first_units(self) -> NDArray[np.intp]:
        """Position of the first unit of each stratum."""
        return np.cumsum([0, *self.strata[:-1]])

    @functools.cached_property
    def unit_of_case(self) -> NDArray[np.intp]:
        """The unit that each case belongs to, (n,)."""
        return np.repeat(np.arange(self.units), self.unit_sizes)

    @functools.cached_property
    def stratum_of_case(self) -> NDArray[np.intp]:
        """The stratum that each case belongs to, (n,)."""
        return np.repeat(np.arange(len(self.strata)), self.strata)[self.unit_of_case]

    def totals(self, cases: Array) -> Array:
        """Sums over the cases of each unit, shape (..., n) -> (..., U)."""
        if self.sizes is None:
            return cases
        return np.asarray(np.add.reduceat(cases, self.first_cases, axis=-1))

    def by_stratum(self, units: Array) -> list[Array]:
        """What belongs to the units, (..., U), stratum after stratum."""
        return np.split(units, self.first_units[1:], axis=-1)

    def stratum_means(self, units: Array) -> Array:
        """Mean over the units of each stratum, to set against each unit, (..., U or 1)."""
        if len(self.strata) == 1:
            return np.asarray(units.mean(axis=-1, keepdims=True))
        means = np.add.reduceat(units, self.first_units, axis=-1) / np.array(self.strata)
        return np.repeat(means, self.strata, axis=-1)

    def variance_of_total(self, units: Array) -> Array:
        """Estimated variance of Σz over the units drawn, shape (..., U) -> (...)."""
        # Σₕ Gₕ/(Gₕ - 1) Σ_g (z_g - z̄ₕ)², Gₕ the units of stratum h. A stratum of one unit says
        # nothing of its variance and adds nothing; NaN where all are such.
        if self.degrees_of_freedom < 1:
            return np.full(units.shape[:-1], np.nan)
        with np.errstate(over="ignore", invalid="ignore"):  # infinite, of values beyond 1e154
            squares = (units - self.stratum_means(units)) ** 2
        counts = np.array(self.strata, float)
        weights = counts / np.maximum(counts - 1, 1)
        return np.asarray(np.add.reduceat(squares, self.first_units, axis=-1) @ weights)


def arrange(
    values: Array,
    groups: Codes | None = None,
    strata: Codes | None = None,
    *,
    paired: bool = False,
    identities: Codes | None = None,
) -> tuple[Array, Design]:
    """Bring cases into an order that depends on neither the names nor the order given.

    Cases ascend within their cluster; clusters ascend within their stratum by size, then by
    their values; so do strata. Tables whose columns share clusters and strata therefore share one
    design.

    Where models are compared, position i must be the same case for each. With ``identities`` cases
    ascend by these, whatever their values: every model is arranged by itself, and a resample holds
    the same cases for all of them, however many there are.
    """
    named = identities is not None
    if values.ndim == 1 and groups is None and strata is None and not (named or paired):
        return np.sort(values), Design((len(values),))
    keys = np.atleast_2d(values if identities is None else identities)
    order, design = _order(keys, groups, strata, paired=paired or named)
    return values[..., order], design


def _order(
    keys: NDArray[Any], groups: Codes | None, strata: Codes | None, *, paired: bool
) -> tuple[Codes, Design]:
    """The canonical order of cases by their keys, (k, n), and their design in it."""
    n = keys.shape[-1]
    if groups is None and strata is None:
        order = np.lexsort(keys[::-1]) if paired else np.argsort(keys[0], kind="stable")
        return order, Design((n,), paired=paired)
    member = np.arange(n) if groups is None else groups
    by_unit = np.lexsort((*keys[::-1], member))
    sizes = np.unique(member, return_counts=True)[1]
    first = np.cumsum(sizes) - sizes
    stratum = np.zeros(len(sizes), dtype=np.intp) if strata is None else strata[by_unit[first]]
    ascending = _ascending(keys[:, by_unit], first, sizes)
    blocks = [ascending[stratum[ascending] == one] for one in np.unique(stratum)]
    cases = [by_unit[case_positions(first[block], sizes[block])] for block in blocks]

    def size_then_keys(place: int) -> tuple[int, list[int], list[float]]:
        sizes_of_units = sizes[blocks[place]]
        return len(sizes_of_units), sizes_of_units.tolist(), keys[:, cases[place]].ravel().tolist()

    places = sorted(range(len(blocks)), key=size_then_keys)
    in_order = np.concatenate([sizes[blocks[place]] for place in places])
    # Clusters of one case each are independent cases.
    alone = bool((sizes == 1).all())
    design = Design(
        tuple(len(blocks[place]) for place in places),
        None if alone else tuple(in_order.tolist()),
        paired,
    )
    return np.concatenate([cases[place] for place in places]), design


def _ascending(keys: NDArray[Any], first: Codes, sizes: Codes) -> Codes:
    """Units ordered by their number of cases, then by the keys of these."""
    parts = []
    for size in np.unique(sizes):
        units = np.flatnonzero(sizes == size)
        # A row per unit: its keys in the first column, then in the next.
        rows = keys[:, first[units, None] + np.arange(size)]
        columns = np.moveaxis(rows, 1, -1).reshape(-1, len(units))
        parts.append(units[np.lexsort(columns[::-1])])
    return np.concatenate(parts)


def case_positions(first: Codes, sizes: Codes) -> Codes:
    """Positions of all cases of some units, unit after unit."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(first - before, sizes) + np.arange(sizes.sum())
