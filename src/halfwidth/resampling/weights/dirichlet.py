"""The gamma variates that Dirichlet weights are made of: divided by their sum they are weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import COMPILED_DRAWS, MOST_KEPT, Plan
from halfwidth.resampling.kernels import native, native_areas, reference
from halfwidth.resampling.weights.blocks import Features, Pace, Planned, in_blocks
from halfwidth.resampling.weights.gammas import gammas


@frozen(eq=False)
class Weighted(Planned):
    """What units weigh in some draws; the cases of a stratum as many as they are."""

    def variates(self) -> Array:
        """Gamma(1) variates of all units, (B, U); how draws are cut into blocks does not matter."""
        kept = self._kept()
        if kept is not None:
            return kept[self.start : self.stop]
        return _drawn(self.design, self.plan, self.start, self.stop)

    def rows(self) -> Array:
        """What each unit weighs, (B, U)."""
        weights = _drawn(self.design, self.plan, self.start, self.stop)
        _fix_strata(weights, self.design)
        return weights

    def lanes(self) -> Array:
        """Side by side for kernels, (blocks, U, LANES); 1 where a block is not full."""
        plan, units, part = self.plan, self.design.units, (self.start, self.stop)
        name, of = "weights side by side", (self.design, plan.entropy)
        kept: Any = plan.kept if plan.n_resamples * units <= MOST_KEPT else None
        kept = {} if kept is None else kept
        # Until others are asked for: samples of one design come one after the other.
        if kept.get(name, (None,))[0] != of:
            kept[name] = of, {}
        blocks: dict[tuple[int, int], Array] = kept[name][1]
        if part not in blocks:
            turned = native_areas.turned_exponentials(weights_key(self.design, plan), *part, units)
            _fix_strata(np.moveaxis(turned, 1, -1), self.design)
            blocks[part] = turned
        return blocks[part]

    def sums(self, features: Features) -> Array:
        """Sums of features with the variates of the units in each stratum, (H, K, B)."""
        if is_summed_by_kernel(features, self.plan):
            key, block = weights_key(self.design, self.plan), (self.start, self.stop)
            units = self.design.units
            return np.stack(
                [native.sum_weighted(part, key, *block, units) for part in features.in_place]
            )
        by_stratum = zip(features.by_stratum, self.design.by_stratum(self.variates()), strict=True)
        return np.stack([reference.sum_weighted(part, own) for part, own in by_stratum])

    def _kept(self) -> Array | None:
        """The variates of all draws, for all samples of one design; None: not to be kept."""
        plan, units = self.plan, self.design.units
        if plan.kept is None or plan.n_resamples * units > MOST_KEPT:
            return None

        def drawn() -> Array:
            kept = np.empty((plan.n_resamples, units))
            for start, stop in plan.blocks(units):
                kept[start:stop] = _drawn(self.design, plan, start, stop)
            return kept

        return plan.once("weights of units", (), self.design, drawn)


def _drawn(design: Design, plan: Plan, start: int, stop: int) -> Array:
    key, units = weights_key(design, plan), design.units
    draw = native.exponentials if plan.compiles else rng.exponentials
    return plan.drawn(lambda first, last: draw(key, first, last, units), start, stop, units)


def _fix_strata(weights: Array, design: Design) -> None:
    """Let the cases of each stratum weigh as many as they are, (..., U), in place."""
    if len(design.strata) == 1:
        return
    sizes = design.by_stratum(design.unit_sizes.astype(float))
    for own, size in zip(design.by_stratum(weights), sizes, strict=True):
        own *= size.sum() / (own @ size)[..., None]  # noqa: PLW2901 -- a view, worked on in place


def weights_key(design: Design, plan: Plan) -> rng.Key:
    """The key of the weights of units, which are the same for every statistic of as many."""
    return rng.derive_key(plan.entropy, "weights", design.units)


def weighted_sums(features: Features, plan: Plan) -> Iterator[tuple[slice, Array]]:
    """Ranges of draws, and sums of features with the variates of units, (H, K, B)."""
    design = features.design
    each = len(features.values) * len(design.strata)
    pace = Pace(plan.block_elements // max(design.units, each))
    if is_summed_by_kernel(features, plan):
        most = COMPILED_DRAWS // (design.units * len(design.strata))
        pace = Pace(min(plan.block_elements // each, most), threaded=True)

    def summed(start: int, stop: int) -> Array:
        return Weighted(design, plan, start, stop).sums(features)

    return in_blocks(summed, plan, pace)


def is_summed_by_kernel(features: Features, plan: Plan) -> bool:
    """Whether to draw anew, which for a few sums takes less than a product with kept variates."""
    return plan.compiles and len(features.values) < reference.MANY_FEATURES


def pseudo_weights(masses: Sequence[float] | Array, plan: Plan) -> Array:
    """Gamma(mass) variates of pseudo-cases in all draws, shape (B, P); 0 where the mass is 0."""
    columns = [
        gammas(plan.entropy, ("weights of pseudo-cases", place), float(mass), plan.n_resamples)
        for place, mass in enumerate(masses)
    ]
    return np.stack(columns, axis=-1)


def typical_weight(weights: Array) -> float:
    """What a pseudo-case weighs beside cases of such weights: Σw²/Σw, the total over Kish's n.

    Where a few cases hold nearly all the weight, as little is known as of those few.

    >>> typical_weight(np.array([1.0, 1.0, 0.0, 0.0]))
    1.0
    """
    return float((weights**2).sum() / weights.sum())


def pseudo_weights_of_classes(masses: Sequence[float], n_classes: int, plan: Plan) -> Array:
    """Gamma(mass) variates, (P, C, B): resample b of class c takes the (b + c)-th of one stream."""
    most = plan.n_resamples + n_classes - 1
    streams = [
        gammas(plan.entropy, ("weights of pseudo-cases", place), float(mass), most)
        for place, mass in enumerate(masses)
    ]
    windows = [np.lib.stride_tricks.sliding_window_view(s, plan.n_resamples) for s in streams]
    return np.stack(windows)


# How often a pseudo-pair lies at different ends for the two models, where they are independent.
INDEPENDENT = 0.5


def masses_at_corners(masses: Masses, discordance: float = INDEPENDENT) -> tuple[float, ...]:
    """Masses of pseudo-pairs: both bad, first bad, second bad, both good.

    The first of two models has the ``masses`` of bad and of good ones; the second, of which a bad
    one raises the difference, has them the other way round. Independent models have the product;
    what is less discordant lies where both are bad or both are good, half of it at either.

    >>> masses_at_corners((0.5, 0.5), 0.125)
    (0.4375, 0.0625, 0.0625, 0.4375)
    >>> masses_at_corners((1.0, 0.0))
    (0.0, 1.0, 0.0, 0.0)
    """
    bad, good = masses
    total = bad + good or 1.0
    both_bad, first_bad, second_bad, both_good = (
        mine * other / total for mine in masses for other in masses[::-1]
    )
    alike = 1 - discordance / INDEPENDENT
    moved = alike * (first_bad + second_bad) / 2
    return (
        both_bad + moved,
        first_bad - alike * first_bad,
        second_bad - alike * second_bad,
        both_good + moved,
    )


def weights_at_corners(
    masses: Masses,
    n_classes: int,
    plan: Plan,
    *,
    share: float = 1.0,
    discordance: float = INDEPENDENT,
) -> tuple[Array, Array]:
    """Weights of pseudo-pairs as the first and as the second of two models has them.

    Of pseudo-cases of the class and of others, the bad and the good ones, (2, 2, n_classes, B)
    each; their masses are those of `masses_at_corners` times the share.

    >>> first, second = weights_at_corners((0.5, 0.0), 1, Plan(1, 9))
    >>> first.any(axis=-1)[0, :, 0], second.any(axis=-1)[0, :, 0]
    (array([ True, False]), array([False,  True]))
    """
    corners = [share * mass for mass in masses_at_corners(masses, discordance)]
    drawn = pseudo_weights_of_classes([*corners, *corners], n_classes, plan)
    by_corner = drawn.reshape(2, 2, 2, n_classes, plan.n_resamples)
    return by_corner.sum(axis=2), by_corner.sum(axis=1)


def pseudo_sizes(design: Design, plan: Plan, masses: Masses) -> Array:
    """What the pseudo-cases at both bounds weigh in each stratum, in cases: shape (B, H, 2)."""
    # A pseudo-cluster weighs as many cases as the clusters of its stratum on average. Strata divide
    # the masses among them by their shares of the cases, so that their number changes nothing.
    sizes = np.add.reduceat(design.unit_sizes, design.first_units).astype(float)
    stratum_masses = sizes[:, None] / design.n * np.array(masses)

    def drawn() -> Array:
        drawn = pseudo_weights(stratum_masses.ravel(), plan).reshape(-1, *stratum_masses.shape)
        return np.asarray(drawn * (sizes / np.array(design.strata))[:, None])

    return plan.once(("sizes of pseudo-cases", masses), (), design, drawn)


def masses_of_spread(pseudo_cases: PseudoCases) -> Masses:
    """The masses at both bounds that serve the upper end of a spread.

    At either bound those of the end of an interval that has more of it there: `gaffke`, one of
    whose pseudo-cases lies at each bound, has both.

    >>> from halfwidth.core.types import Bounds
    >>> masses_of_spread(PseudoCases.outward(1, Bounds(0, 1)))
    (1.0, 1.0)
    """
    at_low, at_high = zip(pseudo_cases.low, pseudo_cases.high, strict=True)
    return float(max(at_low)), float(max(at_high))


# --------------------------------------------------------------------------- discordance

# To whose multiples the share of pseudo-cases at different ends is rounded, so that pairs of models
# share their draws.
STEP = 1 / 32


def discordance_of_left_out(left_out: Array, places: NDArray[np.intp]) -> Array:
    """Discordance of pairs of models, (S, 2), from the statistic without each case, (M, n).

    acos(r)/π for the correlation r of what the cases change of the statistic of either model: how
    often two normal variates of that correlation lie on different sides of their medians (decision
    0048). ½ where nothing is known of it.
    """
    defined = np.isfinite(left_out).all(axis=0)
    if not defined.any():
        return np.full(len(places), INDEPENDENT)
    centred = left_out[:, defined] - left_out[:, defined].mean(axis=-1, keepdims=True)
    return discordance_of(centred, places)


def discordance_of(centred: Array, places: NDArray[np.intp], share: float = 1.0) -> Array:
    """Discordance from what has the correlation, less its mean, (M, n); times a share of it."""
    products = centred @ centred.T
    length = np.sqrt(np.diag(products))
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.nan_to_num(products / np.outer(length, length))
    apart = np.arccos(np.clip(correlation, -1.0, 1.0)) / np.pi
    rounded = np.ceil(share * apart[places[:, 0], places[:, 1]] / STEP) * STEP
    return np.asarray(np.clip(rounded, STEP, INDEPENDENT))
