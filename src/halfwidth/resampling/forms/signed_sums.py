"""Differences of two models as functions of sums over cases whose signs swaps choose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.forms.contract import OfSwaps, Swapped


@frozen(eq=False)
class SignedSums:
    """A difference between two models as a function of sums with signs."""

    features: Array  # (K, U): what each unit contributes to the sums
    difference: Callable[[Array], Array]  # `difference(sums)`, (K, B) -> (B,)

    def as_given(self) -> float:
        """The difference without a swap."""
        return float(self.difference(self.features.sum(axis=-1, keepdims=True))[0])

    def after_swaps(self) -> OfSwaps:
        """Sums after swaps of units: only units that contribute to a sum are looked at."""
        moved = np.flatnonzero(self.features.any(axis=0))
        rows = np.flatnonzero(self.features.any(axis=1))
        features = self.features[np.ix_(rows, moved)]
        totals = self.features.sum(axis=-1, keepdims=True)

        def differences(swapped: Swapped) -> Array:
            sums = np.repeat(totals, len(swapped), axis=1)
            sums[rows] -= 2 * (features @ swapped[:, moved].T.astype(float))
            return self.difference(sums)

        return differences


def plain_sum(contributions: Array) -> SignedSums:
    """A difference that is itself a sum of what units contribute, (U,)."""
    return SignedSums(contributions[None], lambda sums: sums[0])


def sums_of_models(
    first: Array, second: Array, design: Design, finish: Callable[[Array], Array]
) -> SignedSums:
    """A function of the sums of each model, whose mean stays while half their difference varies."""
    # `first` and `second` have a row for each sum, (K, n); `finish(sums)`, (K, B) -> (B,).
    middle = (first.sum(axis=-1) + second.sum(axis=-1))[:, None] / 2

    def difference(sums: Array) -> Array:
        return finish(middle + sums) - finish(middle - sums)

    return SignedSums(design.totals((first - second) / 2), difference)
