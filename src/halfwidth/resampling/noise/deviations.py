"""Mean deviations of cases, the noise in them, and how large the true ones may be.

What is observed is Σ|d̂| of K mean deviations d̂ = δ + noise, which noise alone makes larger than
Σ|δ|. True deviations are taken to be λ times those observed, and a draw of the noise tells the
largest λ at which it would have given no more than was observed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.forms import AbsoluteSums, Sums
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import AllDefined
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form

# Elements of a temporary: the draws of some samples, or the deviations of their cases.
AT_ONCE = 2**20
ROUNDING = 1e-12
# A direction in which units add less than this share of what they add in another has no noise.
SINGULAR = 1e-12
# Newton's method takes a step for each kink that it passes, and mostly passes several at once.
MOST_STEPS = 200


@frozen
class Deviations(AllDefined):
    """Mean deviations of a batch of samples."""

    centre: Array  # (S, K): those observed, which add up in size to what is estimated
    # (S, L, K): roots A of their covariances AᵀA: where each case happens as often as was foreseen,
    # and as the cases show it
    perfect: Array
    noise: Array
    draws: Array  # (B, L): standard normal ones, or of Student's t

    @property
    def n_resamples(self) -> int:
        """B."""
        return len(self.draws)

    def quantile(self, probability: Array | float) -> Array:
        """Quantile of the size of what is observed, if the true deviations are those observed."""
        return np.asarray(np.quantile(self.replicates, probability, axis=-1))

    def standard_deviation(self) -> Array:
        """The SD of the same."""
        return np.asarray(self.replicates.std(axis=-1, ddof=1))

    def one(self, row: int, draws: Array) -> Deviations:
        """One of the samples, with draws of its own."""
        some = slice(row, row + 1)
        return Deviations(self.centre[some], self.perfect[some], self.noise[some], draws)

    def apart(self, other: Deviations) -> Array:
        """What the deviations of two models differ by at most, in total, (S, B)."""
        # By what those observed differ by and the noise of each draw, of the one or the other kind,
        # as more is. The sizes of true ones differ by no more.
        observed = np.abs(self.centre - other.centre).sum(axis=-1)

        def drawn(row: int) -> Array:
            kinds = (self.perfect[row], other.perfect[row]), (self.noise[row], other.noise[row])
            noises = (self.draws @ own - other.draws @ its for own, its in kinds)
            most = np.max([np.abs(noise).sum(axis=-1) for noise in noises], axis=0)
            return np.asarray(observed[row] + most)

        return self._by_sample(drawn)

    @functools.cached_property
    def size(self) -> Array:
        """What is observed, (S,)."""
        return np.asarray(np.abs(self.centre).sum(axis=-1))

    @functools.cached_property
    def perfect_sizes(self) -> Array:
        """Sizes of draws where each case happens as often as was foreseen, (S, B)."""
        return self._by_sample(lambda row: np.abs(self.draws @ self.perfect[row]).sum(axis=-1))

    @functools.cached_property
    def replicates(self) -> Array:
        """Sizes of draws, if the true deviations are those observed, (S, B)."""
        return self._by_sample(
            lambda row: np.abs(self.centre[row] + self.draws @ self.noise[row]).sum(axis=-1)
        )

    def _by_sample(self, sizes_of: Callable[[int], Array]) -> Array:
        return np.stack([sizes_of(row) for row in range(len(self.centre))])

    def true_sizes(self, observed: Array, *, even: bool) -> Array:
        """The largest true sizes at which each draw of the noise gives no more than was observed.

        (S,) -> (S, B), in the order of the draws; 0 where there is none. The true deviations have
        the signs and proportions of those observed. Noise adds to some and takes from others, so
        that these look less even than the true ones, and of uneven ones more would be noise; even
        ones have the proportions of √(d̂² + SE²). From perfect calibration to what is observed the
        noise changes from one kind to the other, and beyond it where it grows, as it does where
        more happens than was foreseen.
        """
        return self._by_sample(lambda row: self._sizes_of(row, observed[row], even))

    def _sizes_of(self, row: int, observed: float, even: bool) -> Array:
        variance = (self.noise[row] ** 2).sum(axis=0)
        direction = self.centre[row].copy()
        if even:
            direction = np.copysign(np.sqrt(direction**2 + variance), direction)
        total = np.abs(direction).sum()
        if not (total > 0 and observed > 0):
            return np.zeros(len(self.draws))
        direction *= observed / total
        grows = variance > (self.perfect[row] ** 2).sum(axis=0)
        scales = np.empty(len(self.draws))
        step = max(1, AT_ONCE // len(direction))
        for start in range(0, len(scales), step):
            draws = self.draws[start : start + step]
            scales[start : start + step] = _largest_scales(
                direction, draws @ self.perfect[row], draws @ self.noise[row], grows, observed
            )
        return scales * observed


def _largest_scales(
    direction: Array, perfect: Array, noise: Array, grows: NDArray[np.bool_], observed: float
) -> Array:
    """The largest λ at which deviations and noise, (K,) and (B, K), make Σ|…| what was observed."""
    # Up to λ = 1 the noise goes from that of perfect calibration to that of the cases; beyond it
    # goes on where it grows.
    change = np.where(grows, noise - perfect, 0.0)
    scales = _largest_roots(noise - change, direction + change, observed, 1.0, np.inf)
    (rest,) = np.nonzero(np.isnan(scales))
    change = direction + noise[rest] - perfect[rest]
    within = _largest_roots(perfect[rest], change, observed, 0.0, 1.0)
    scales[rest] = np.where(np.isnan(within), 0.0, within)
    return scales


def _largest_roots(base: Array, slope: Array, level: float, floor: float, most: float) -> Array:
    """The largest x from ``floor`` to ``most`` at which Σ|base + x slope| is the level, (B,)."""
    # NaN where there is none. The sum is convex, so that Newton's steps from the right never pass a
    # root.
    size = np.maximum(np.abs(slope).sum(axis=-1), np.finfo(float).tiny)
    # From here on the sum is above the level.
    x = np.minimum((level + np.abs(base).sum(axis=-1)) / size, most)
    active = np.arange(len(x))
    for _ in range(MOST_STEPS):
        along = slope[active]
        at = base[active] + x[active, None] * along
        above = np.abs(at).sum(axis=-1) - level
        rise = (np.sign(at) * along).sum(axis=-1)
        going = above > ROUNDING * level
        active, above, rise = active[going], above[going], rise[going]
        if not len(active):
            break
        reached = x[active] - above / np.where(rise > 0, rise, 1.0)
        lost = (rise <= 0) | (reached < floor)
        x[active] = np.where(lost, np.nan, reached)
        active = active[~lost]
    return np.asarray(x)


def deviations(records: Array, design: Design, statistic: Statistic, plan: Plan) -> Deviations:
    """The mean deviations of samples, (S, k, n), each in the canonical order of the design."""
    # Of clusters the noise where all happens as foreseen is that of independent cases, times what
    # clusters add to the noise of these cases; draws are those of Student's t.
    step = _samples_at_once(records[:1], statistic)
    parts = [
        _made_of_samples(records[start : start + step], design, statistic)[:3]
        for start in range(0, len(records), step)
    ]
    centre, perfect, noise = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Deviations(centre, perfect, noise, standard_draws(plan, centre.shape[-1], design))


def paired_deviations(
    pairs: Array, design: Design, statistic: Statistic
) -> tuple[Deviations, Deviations, list[Array]]:
    """Deviations of two models, (S, 2, k, n), without draws, and the `coupling` of each, (K, K)."""
    step = _samples_at_once(pairs[:1, 0], statistic)
    sides: tuple[list[tuple[Array, ...]], list[tuple[Array, ...]]] = ([], [])
    couplings = []
    for start in range(0, len(pairs), step):
        both = [
            _made_of_samples(pairs[start : start + step, side], design, statistic)
            for side in (0, 1)
        ]
        for parts, own in zip(sides, both, strict=True):
            parts.append(own[:3])
        couplings += [coupling(*units) for units in zip(both[0][3], both[1][3], strict=True)]
    first, second = (_without_draws(parts) for parts in sides)
    return first, second, couplings


def _without_draws(parts: list[tuple[Array, ...]]) -> Deviations:
    centre, perfect, noise = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Deviations(centre, perfect, noise, np.empty((0, 0)))


def coupling(first: Array, second: Array) -> Array:
    """Correlations of the standard draws of two noises made by units: (K, U), (L, U) -> (K, L)."""
    # Of draws of which the symmetric roots of the covariances make the noises. No singular value
    # exceeds 1. Zeros where a noise is unknown.
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return np.zeros((len(first), len(second)))
    return _inverse_root(first @ first.T) @ (first @ second.T) @ _inverse_root(second @ second.T)


def _samples_at_once(sample: Array, statistic: Statistic) -> int:
    return max(1, AT_ONCE // declared_form(statistic, Sums).features(sample).size)


def absolute_sums(statistic: Statistic) -> AbsoluteSums:
    """How a statistic is a sum of sizes of mean deviations."""
    absolute = declared_form(statistic, Sums).absolute
    if absolute is None:
        raise TypeError(f"{statistic.spec.name} is no sum of sizes of deviations")
    return absolute


def standard_draws(plan: Plan, count: int, design: Design) -> Array:
    """Standard normal draws, (B, K); with clusters those of Student's t."""
    from scipy import special

    clustered = design.sizes is not None
    key = rng.derive_key(plan.entropy, "deviations")
    drawn = rng.uniforms(key, 0, plan.n_resamples, count + clustered)
    normal = special.ndtri(drawn[:, :count])
    if clustered:
        degrees = design.effective_degrees
        normal *= np.sqrt(degrees / special.chdtri(degrees, drawn[:, -1:]))
    return np.asarray(normal)


def _made_of_samples(
    records: Array, design: Design, statistic: Statistic
) -> tuple[Array, Array, Array, Array]:
    """Deviations, the roots of their covariances with and without what happened, and by units."""
    form, absolute = declared_form(statistic, Sums), absolute_sums(statistic)
    features, foreseen = form.features(records), absolute.probabilities(records)
    weights = np.ones((len(records), 1, features.shape[-1]))
    if absolute.weighted:
        features, weights, foreseen = features[:, :-1], features[:, -1:], foreseen[:, :-1]
    size = weights.sum(axis=-1)
    centre = features.sum(axis=-1) / size
    rest = features - centre[..., None] * weights
    units = units_of(rest, design)
    noise = covariance_of(units)
    perfect = -foreseen @ foreseen.swapaxes(-1, -2)
    places = np.arange(perfect.shape[-1])
    perfect[:, places, places] += (foreseen * weights).sum(axis=-1)
    squares = (rest**2).sum(axis=(-2, -1))
    perfect *= added_by_clusters(squares, noise, design)[:, None, None]
    scale = absolute.share / size
    scale = scale[..., None]
    return centre * absolute.share, root(perfect) * scale, root(noise) * scale, units


def added_by_clusters(squares: Array, noise: Array, design: Design) -> Array:
    """How many times the variance of independent cases that of the sums is, 1 at least, (S,)."""
    # `squares` add up to it over independent cases, (S,); `noise` are the covariances, (S, K, K).
    if design.sizes is None:
        return np.ones(len(squares))
    added = np.einsum("skk->s", noise)
    ratio = np.where(squares > 0, added / np.where(squares > 0, squares, 1.0), 1.0)
    return np.asarray(np.maximum(ratio, 1.0))


def covariance_of(units: Array) -> Array:
    """Covariance of the sums over the units, (S, K, U) -> (S, K, K)."""
    return np.asarray(units @ units.swapaxes(-1, -2))


def units_of(cases: Array, design: Design) -> Array:
    """What each unit adds to sums, (..., K, n) -> (..., K, U), whose products are a covariance."""
    units = design.totals(cases)
    counts = np.array(design.strata, float)
    weights = np.repeat(counts / np.maximum(counts - 1, 1), design.strata)
    return np.asarray((units - design.stratum_means(units)) * np.sqrt(weights))


def root(matrices: Array) -> Array:
    """Symmetric square roots, which are unique, (..., K, K)."""
    values, vectors = np.linalg.eigh(matrices)
    return np.asarray(
        (vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]) @ vectors.swapaxes(-1, -2)
    )


def _inverse_root(matrix: Array) -> Array:
    """A symmetric square root of the inverse, in the directions that have one."""
    values, vectors = np.linalg.eigh(matrix)
    positive = values > SINGULAR * max(values[-1], 0.0)
    scales = np.where(positive, 1 / np.sqrt(np.where(positive, values, 1.0)), 0.0)
    return np.asarray((vectors * scales) @ vectors.T)
