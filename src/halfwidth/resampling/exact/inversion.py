"""Quantiles of ratios of weighted sums of gamma variates, by numerical inversion.

θ = Σ g A / Σ g B with independent g ~ Gamma(m) and B > 0 is below t where Σ g d > 0, d = tB - A.
That sum has the cumulant function K(s) = -Σ m log(1 - ds), and (Gil-Pelaez 1951; Imhof 1961)

    P(θ < t) = 1/(2πi) ∫ exp(K(s)) ds/s

along any path from below to above that meets the real axis between 0 and 1/max d. The path here
goes through the saddle point s₀, where the integrand is smallest of that range, and bends to the
side to which it decays: s = s₀ + σ(i sinh u + β(cosh u - 1)). Near s₀ the path of steepest descent
would have half this β, which for skewed sums is too straight further out. The integrand is smooth
in u and decays like an exponential at least, so that the trapezoid rule converges geometrically;
nothing cancels, so that small probabilities have all their digits. A unit whose A is random, given
which all is as above, has the mean of its factor (1 - ds)^-m over A in place of one.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array

Complex = NDArray[np.complex128]

# Between nodes, at which errors of a probability are mostly below 1e-9 of it, and nodes at a time.
STEP, NODES = 0.2, 16
# The last terms are below this share of the sum. In units of a standard normal quantile, how near
# the probability of a bound comes to the one asked for.
NEGLIGIBLE, CLOSE = 1e-13, 1e-10
# The same where the last step is by a series, whose error is about a tenth of the fourth power. It
# takes shapes that add up to more than this.
VERY_CLOSE, ENOUGH_SHAPE = 5e-3, 6
# How many times as wide as the mean distance of its places a random unit makes the first guess: of
# 72 samples of 10 to 60 cases this left the fewest integrals, 2 for each.
FAR_PLACES = 2.0
# Steps by rough probabilities, which cost a fraction of an integral, before the first one.
ROUGH_STEPS, MANY_UNITS, MOST_CORRECTION = 3, 500, 0.5
# Of a range of 1, what no bound can tell apart: with little mass next to a limit quantiles are
# nearer to it still.
FINEST = 1e-30
MOST_BEND = 1.0
# Half the nodes must do nearly as well: the error of all is about the square of theirs. Where they
# do not, other paths follow, with a share of the bend and finer steps: the bend suits what is near,
# and can lead uphill further out, which a straight path never does. The best one counts.
MOST_ERROR = 1e-5
OTHER_PATHS = ((1.0, 0.1), (0.5, 0.1), (0.0, 0.1), (0.5, 0.05), (0.0, 0.05), (0.0, 0.025))
# An integrand that grows beyond this multiple of what it is at the saddle point is of a bad path.
MOST_PEAK, MOST_EXPONENT = 2.0, 100.0
# Terms of a tiny mass beside values that equal t hardly shrink; none overflows up to this u.
FARTHEST = 150.0
# The path need not go through the saddle point itself: how near, in units of the integrand's width.
NEAR_SADDLE = 0.05
MOST_STEPS = 200
# An atom costs a logarithm, a unit a product; to look for ties costs as much as few units do.
MANY_TIES, FEW_UNITS = 4, 32
# Times that factors are multiplied by each other before a logarithm is taken of them.
HALVINGS = 3
# Complex elements of a temporary, 4 MiB.
MOST_ELEMENTS = 2**18
HALF = 0.5
ROUNDING = 16 * np.finfo(float).eps


@frozen(eq=False)
class RandomUnit:
    """A unit of a Gamma(mass) weight whose A is random: where it lies, and how often.

    Given its A it is an atom. What it adds to exp(K(s)) is the mean of (1 - ds)^-mass over A.
    """

    # (S, K): A, and the probability of each, which add up to 1
    totals: Array
    shares: Array
    # B and the shape
    size: float
    mass: float

    def rows(self, chosen: NDArray[Any]) -> RandomUnit:
        """Units of some samples."""
        return RandomUnit(self.totals[chosen], self.shares[chosen], self.size, self.mass)

    def above(self, others: RandomUnit) -> RandomUnit:
        """The samples of both, of the same size and mass."""
        totals = np.concatenate([self.totals, others.totals])
        shares = np.concatenate([self.shares, others.shares])
        return RandomUnit(totals, shares, self.size, self.mass)

    def tilted(self, off: Array, s: Array) -> Tilted:
        """What it is at s, given d of each place, (S, K)."""
        factors = 1 - off * s[:, None]
        terms = self.shares * factors**-self.mass
        value = terms.sum(axis=-1)
        return Tilted(off / factors, terms / value[:, None], self.mass, np.log(value))


class Tilted(NamedTuple):
    """A random unit at s, and the derivatives of the log of what it adds there."""

    q: Array  # (S, K): d/(1 - ds) of each place
    # (S, K): the share of each place in the mean of (1 - ds)^-mass, whose log is `log_mean`, (S,)
    shares: Array
    mass: float
    log_mean: Array

    def cumulants(self, order: int) -> list[Array]:
        """The first derivatives of the log, up to four, (S,) each."""
        powers, moments, rising = self.shares, [], 1.0
        for power in range(order):
            powers, rising = powers * self.q, rising * (self.mass + power)
            moments.append(rising * powers.sum(axis=-1))
        cumulants = moments[:1]
        if order > 1:
            cumulants.append(moments[1] - moments[0] ** 2)
        if order > 2:
            first, second, third, fourth = moments
            cumulants.append(third - 3 * first * second + 2 * first**3)
            cumulants.append(
                fourth - 4 * first * third - 3 * second**2 + 12 * first**2 * second - 6 * first**4
            )
        return cumulants

    def rows(self, chosen: NDArray[Any]) -> Tilted:
        """Terms of some samples."""
        return Tilted(self.q[chosen], self.shares[chosen], self.mass, self.log_mean[chosen])

    def along(self, off: Complex) -> Complex:
        """The mean at s + off as a share of that at s, (S, N)."""
        out = np.empty(off.shape, dtype=complex)
        rows = max(1, MOST_ELEMENTS // (off.shape[-1] * self.q.shape[-1]))
        for top in range(0, len(off), rows):
            part = slice(top, top + rows)
            factors = 1 - off[part, :, None] * self.q[part, None]
            # A square root takes a third of the time of any other power.
            powers = 1 / np.sqrt(factors) if self.mass == HALF else factors**-self.mass
            out[part] = np.einsum("sk,snk->sn", self.shares[part], powers)
        return out


@frozen(eq=False)
class GammaRatios:
    """Σ g A / Σ g B for S samples: units of Gamma(1) weights, and atoms of other shapes."""

    totals: Array  # (S, U): A of units, from 0 up to `sizes`
    sizes: Array  # (U,): B of units
    # (S, P): A, B and the shape of atoms; atoms without mass are left out
    atom_totals: Array
    atom_sizes: Array
    masses: Array
    random: RandomUnit | None = None

    def rows(self, chosen: NDArray[Any]) -> GammaRatios:
        """Ratios of some samples."""
        return GammaRatios(
            self.totals[chosen],
            self.sizes,
            self.atom_totals[chosen],
            self.atom_sizes[chosen],
            self.masses[chosen],
            self.random and self.random.rows(chosen),
        )

    def above(self, others: GammaRatios) -> GammaRatios:
        """The samples of both, of the same sizes."""
        return GammaRatios(
            np.concatenate([self.totals, others.totals]),
            self.sizes,
            np.concatenate([self.atom_totals, others.atom_totals]),
            np.concatenate([self.atom_sizes, others.atom_sizes]),
            np.concatenate([self.masses, others.masses]),
            self.random and others.random and self.random.above(others.random),
        )

    def merged(self) -> GammaRatios:
        """Make equal units of a single sample one atom where there are many such."""
        if len(self.totals) != 1 or len(self.sizes) < FEW_UNITS or np.ptp(self.sizes):
            return self
        distinct, counts = np.unique(self.totals[0], return_counts=True)
        if len(distinct) > len(self.sizes) / MANY_TIES:
            return self
        return GammaRatios(
            np.empty((1, 0)),
            np.empty(0),
            np.append(distinct[None], self.atom_totals, axis=-1),
            np.append(np.full((1, len(distinct)), self.sizes[0]), self.atom_sizes, axis=-1),
            np.append(counts[None].astype(float), self.masses, axis=-1),
            self.random,
        )

    @property
    def equal_sizes(self) -> bool:
        """Whether all sizes are 1."""
        random = self.random is None or self.random.size == 1
        return bool((self.sizes == 1).all() and (self.atom_sizes == 1).all()) and random

    @property
    def shapes(self) -> Array:
        """The sum of all shapes, (S,)."""
        random = 0.0 if self.random is None else self.random.mass
        return np.asarray(len(self.sizes) + self.masses.sum(axis=-1) + random)

    @property
    def limits(self) -> tuple[Array, Array]:
        """The smallest and the largest value that θ can take."""
        ratios = [self.totals / self.sizes, self.atom_totals / self.atom_sizes]
        if self.random is not None:
            ratios.append(self.random.totals / self.random.size)
        joined = np.concatenate(ratios, axis=-1)
        return joined.min(axis=-1), joined.max(axis=-1)

    def moments(self) -> tuple[Array, Array]:
        """Mean and SD of θ without a random unit: to first order, unless all sizes are equal."""
        weight = self.sizes.sum() + (self.masses * self.atom_sizes).sum(axis=-1)
        total = self.totals.sum(axis=-1) + (self.masses * self.atom_totals).sum(axis=-1)
        mean = (total / weight)[:, None]
        squares = ((self.totals - mean * self.sizes) ** 2).sum(axis=-1)
        off = self.atom_totals - mean * self.atom_sizes
        squares = squares + (self.masses * off**2).sum(axis=-1)
        shapes = len(self.sizes) + self.masses.sum(axis=-1)
        return mean[:, 0], np.sqrt(squares * shapes / (shapes + 1)) / weight


def lower_quantiles(ratios: GammaRatios, probability: float) -> Array:
    """The t with P(θ < t) = probability, which is at most about a half.

    The normal quantile of P(θ < t) is nearly a straight line in t. Where all sizes are equal its
    derivatives come from the same integrand, and two or three steps do; else steps follow its
    secants. Where one would leave what is known to enclose t, that is halved.
    """
    from scipy import special

    wanted = float(special.ndtri(probability))
    low, high = ratios.limits
    quantiles = low.copy()
    # Units that differ by rounding are equal.
    active = np.flatnonzero(high - low > ROUNDING * high)
    if not len(active):
        return quantiles
    if len(active) < len(low):
        ratios, low, high = ratios.rows(active), low[active], high[active]
    search = _Search(ratios, low, high, probability)
    for step in range(MOST_STEPS):
        done = search.step(wanted, halve=step > 8 and step % 2 == 1)
        quantiles[active[done]] = search.t[done]
        if done.all():
            return quantiles
        active = active[~done]
        search.keep(~done)
    quantiles[active] = search.t
    return quantiles


class _Search:
    """Where each sample's quantile is known to be, and where it is looked for next."""

    def __init__(self, ratios: GammaRatios, low: Array, high: Array, probability: float) -> None:
        self.ratios, self.low, self.high, self.floor = ratios, low, high, low
        self.t = _first_guess(ratios, low, high, probability)
        self.saddle: Array | None = None
        # Of few units rough probabilities are too rough to save an integral.
        if ratios.totals.shape[-1] + ratios.masses.shape[-1] >= MANY_UNITS:
            self.t, self.saddle = _roughly(ratios, self.t, low, high, probability)
        self.last: tuple[Array, Array] | None = None

    def step(self, wanted: float, *, halve: bool) -> NDArray[np.bool_]:
        """Look at t and choose the next one; tells for which samples that is the last."""
        from scipy import special

        log_probability, derivatives, self.saddle = log_probability_below(
            self.ratios, self.t, self.saddle
        )
        log_probability = np.minimum(log_probability, -1e-300)
        normal = special.ndtri_exp(log_probability)
        above = normal > wanted
        self.high = np.where(above, self.t, self.high)
        self.low = np.where(above, self.low, self.t)
        off = wanted - normal
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # One over the normal density, to go from P to its normal quantile.
            stretch = np.exp(log_probability + normal**2 / 2) * np.sqrt(2 * np.pi)
            if len(derivatives) > 1:
                step, enough = _inverse_series(off, normal, derivatives * stretch), VERY_CLOSE
            else:
                rise, enough = self._rise(normal, derivatives[0] * stretch), CLOSE
                step = off / rise
        inside = (self.t + step > self.low) & (self.t + step < self.high)
        done = (np.abs(off) <= CLOSE) | (inside & (np.abs(off) <= enough))
        done |= self.high - self.low <= np.maximum(4 * np.finfo(float).eps * self.high, FINEST)
        self.last = self.t, normal
        ahead = np.where(inside & (done | (not halve)), self.t + step, self._middle())
        self.t = np.where(done & ~inside, self.t, ahead)
        return done

    def _rise(self, normal: Array, first: Array) -> Array:
        """The slope of the normal quantile along a secant; at first from that of the integrand."""
        if self.last is None:
            return first
        secant = (normal - self.last[1]) / (self.t - self.last[0])
        return np.where(secant > 0, secant, first)

    def _middle(self) -> Array:
        """The middle of what encloses t, of logarithms where its ends are far apart."""
        low, high = self.low - self.floor, self.high - self.floor
        low = np.where(low > 0, low, 1e-16 * high)
        return self.floor + np.where(high > 16 * low, np.sqrt(low * high), (low + high) / 2)

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        """Go on with some of the samples."""
        if chosen.all():
            return
        self.ratios = self.ratios.rows(chosen)
        self.low, self.high, self.floor = self.low[chosen], self.high[chosen], self.floor[chosen]
        self.t = self.t[chosen]
        self.saddle = None if self.saddle is None else self.saddle[chosen]
        if self.last is not None:
            self.last = self.last[0][chosen], self.last[1][chosen]


def _inverse_series(off: Array, normal: Array, derivatives: Array) -> Array:
    """How far ahead the normal quantile rises by ``off``, by derivatives of P over its density."""
    first, bend, twist = derivatives
    second = bend + normal * first**2
    third = twist + normal * first * bend + first**3 + 2 * normal * first * second
    step, curl = off / first, second / (2 * first)
    series = step - curl * step**2 + (2 * curl**2 - third / (6 * first)) * step**3
    return np.asarray(np.where(np.abs(series - step) < np.abs(step) / 2, series, step))


def _first_guess(ratios: GammaRatios, low: Array, high: Array, probability: float) -> Array:
    """The quantile of the Beta variate with the same mean and SD."""
    from scipy import special

    mean, deviation = ratios.moments()
    if ratios.random is not None:
        # Its SD is that of few places far out, which a quantile hardly knows of.
        away = np.abs(ratios.random.totals - mean[:, None] * ratios.random.size)
        weight = ratios.random.mass * (ratios.random.shares * away).sum(axis=-1)
        deviation = np.hypot(deviation, FAR_PLACES * weight / ratios.shapes)
    share = (mean - low) / (high - low)
    size = share * (1 - share) * ((high - low) / deviation) ** 2 - 1
    size = np.maximum(size, 1e-3)
    guess = special.betaincinv(share * size, (1 - share) * size, probability)
    guess = np.where(np.isfinite(guess), guess, 0.5)
    return np.asarray(low + (high - low) * np.clip(guess, 1e-12, 1 - 1e-12))


def _roughly(
    ratios: GammaRatios, t: Array, low: Array, high: Array, probability: float
) -> tuple[Array, Array | None]:
    """The quantile by rough probabilities, or as near as they come; and the saddle point there."""
    from scipy import special

    wanted, saddle = float(special.ndtri(probability)), None
    for _ in range(ROUGH_STEPS):
        at = _Saddle.located(ratios, t, saddle)
        log_probability = np.minimum(at.log_integrand + np.log(at.laplace()), -1e-300)
        normal = special.ndtri_exp(log_probability)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            rise = at.slope(ratios) * np.exp(log_probability + normal**2 / 2) * np.sqrt(2 * np.pi)
            ahead = t + (wanted - normal) / rise
        inside = (low < ahead) & (ahead < high)
        t, saddle = np.where(inside, ahead, t), at.s
        if not inside.any() or (np.abs(wanted - normal)[inside] < VERY_CLOSE).all():
            break
    return t, saddle


def log_probability_below(
    ratios: GammaRatios, t: Array, saddle: Array | None = None
) -> tuple[Array, Array, Array]:
    """Log P(θ < t), derivatives of P(θ < t) over P(θ < t), and the saddle point.

    The first three derivatives, (3, S), where all sizes are equal and shapes add up to enough for
    their integrals to be short; else about the first, (1, S). ``saddle`` is where to look for the
    saddle point first.
    """
    at = _Saddle.located(ratios, t, saddle)
    sums, s = at.integrated(ratios.masses), at.s
    # Of spreads below a billionth of the range no path is left that rounding does not spoil.
    spoilt = ~(sums[0] > 0)
    if spoilt.any():
        sums[:, spoilt] = at.laplace()[spoilt]
    log_probability = at.log_integrand + np.log(sums[0])
    shapes = ratios.shapes
    if ratios.equal_sizes and shapes.min() > ENOUGH_SHAPE:
        # At t + τ every 1 - ds is (1 - τs)(1 - ds'), s' = s/(1 - τs), which leaves in the integral
        # over s' the factor (1 + τs') to the power of Σ m - 1 alone.
        factors = np.cumprod([(shapes - power) * s for power in (1, 2, 3)], axis=0)
        return log_probability, factors * sums[1:] / sums[0], s
    return log_probability, at.slope(ratios)[None], s


class _Saddle(NamedTuple):
    """The integrand at its saddle point."""

    s: Array  # (S,)
    log_integrand: Array  # (S,): K(s) - log s
    # (S, U) and (S, P): 1 - ds
    unit_factors: Array
    atom_factors: Array
    # (S, U) and (S, P), d/(1 - ds): exp(K(s') - K(s)) is the product of (1 - q(s' - s))^-m
    q: Array
    q_atoms: Array
    tilted: Tilted | None  # Of the random unit
    # (S,): derivatives of K
    second: Array
    third: Array
    fourth: Array

    @classmethod
    def located(cls, ratios: GammaRatios, t: Array, start: Array | None) -> _Saddle:
        units = t[:, None] * ratios.sizes - ratios.totals
        atoms = t[:, None] * ratios.atom_sizes - ratios.atom_totals
        masses, random = ratios.masses, ratios.random
        places = None if random is None else t[:, None] * random.size - random.totals
        s = _saddle(units, atoms, masses, start, random, places)
        unit_factors, atom_factors = 1 - units * s[:, None], 1 - atoms * s[:, None]
        q, q_atoms = units / unit_factors, atoms / atom_factors
        # Products: general powers take many times as long.
        square, square_atoms = q * q, q_atoms * q_atoms
        second = square.sum(axis=-1) + (masses * square_atoms).sum(axis=-1)
        third = 2 * ((square * q).sum(axis=-1) + (masses * square_atoms * q_atoms).sum(axis=-1))
        fourth = 6 * ((square * square).sum(axis=-1) + (masses * square_atoms**2).sum(axis=-1))
        # Few logarithms are taken.
        log_value = -np.log(_products(unit_factors)).sum(axis=1)
        log_value -= (masses * np.log(atom_factors)).sum(axis=-1)
        tilted = None
        if random is not None and places is not None:
            tilted = random.tilted(places, s)
            random_cumulants = tilted.cumulants(4)
            second, third = second + random_cumulants[1], third + random_cumulants[2]
            fourth = fourth + random_cumulants[3]
            log_value = log_value + tilted.log_mean
        log_value -= np.log(s)
        derivatives = (second, third, fourth)
        return cls(s, log_value, unit_factors, atom_factors, q, q_atoms, tilted, *derivatives)

    def laplace(self) -> Array:
        """The integral over the integrand at s, by Laplace's method to the second order."""
        second = self.second + self.s**-2
        third, fourth = self.third - 2 * self.s**-3, self.fourth + 6 * self.s**-4
        further = fourth / (8 * second**2) - 5 * third**2 / (24 * second**3)
        # Where that is no small correction the series says nothing.
        further = np.where(np.abs(further) < MOST_CORRECTION, further, 0.0)
        return np.asarray((1 + further) * (2 * np.pi * second) ** -0.5)

    def slope(self, ratios: GammaRatios) -> Array:
        """The derivative of the log integrand at s by t, s Σ m B/(1 - ds)."""
        slope = (ratios.sizes / self.unit_factors).sum(axis=-1)
        slope = slope + (ratios.masses * ratios.atom_sizes / self.atom_factors).sum(axis=-1)
        if ratios.random is not None and self.tilted is not None:
            # 1/(1 - ds) is 1 + qs.
            rises = ratios.random.size * (1 + self.tilted.q * self.s[:, None])
            slope = slope + ratios.random.mass * (self.tilted.shares * rises).sum(axis=-1)
        return np.asarray(self.s * slope)

    def integrated(self, masses: Array) -> Array:
        """Integrals of the integrand times (s'/s)^k, k from 0 to 3, over the integrand at s."""
        largest = np.maximum(self.q.max(axis=-1, initial=0), self.q_atoms.max(axis=-1, initial=0))
        if self.tilted is not None:
            largest = np.maximum(largest, self.tilted.q.max(axis=-1))
        scale = np.minimum((self.second + self.s**-2) ** -0.5, 1 / largest)
        bend = 2 * self.third * scale / (3 * self.second)
        bend = np.minimum(np.maximum(bend, -MOST_BEND), MOST_BEND)
        path = _Path(self.q, self.q_atoms, masses, self.tilted, self.s, scale, bend)
        total, error = _trapezoid(path, STEP)
        for share, step in OTHER_PATHS:
            again = error > MOST_ERROR
            if not again.any():
                break
            other = path.rows(again)
            integrals, error_there = _trapezoid(other._replace(bend=share * other.bend), step)
            total[:, again] = np.where(error_there < error[again], integrals, total[:, again])
            error[again] = np.minimum(error[again], error_there)
        return total


def _products(factors: NDArray[Any]) -> NDArray[Any]:
    """Products of up to eight factors along the second axis."""
    # So many at most that none overflows. Halves multiply each other, and what is left of an odd
    # number stays as it is.
    left = []
    for _ in range(HALVINGS):
        half = factors.shape[1] // 2
        left.append(factors[:, 2 * half :])
        factors = factors[:, :half] * factors[:, half : 2 * half]
    return np.concatenate([factors, *left], axis=1)


def _saddle(
    units: Array,
    atoms: Array,
    masses: Array,
    start: Array | None,
    random: RandomUnit | None,
    places: Array | None,
) -> Array:
    """The minimum of K(s) - log s between 0 and 1/max d, roughly."""
    # It is convex and rises to infinity at both ends. Steps are Newton's, where they stay within
    # what is known to enclose it; else they are long ones, for d may differ by many orders of
    # magnitude.
    largest = np.maximum(units.max(axis=-1, initial=0), atoms.max(axis=-1, initial=0))
    if places is not None:
        largest = np.maximum(largest, places.max(axis=-1))
    low, high = np.zeros(largest.shape), 1 / largest
    if start is None:
        mean = units.sum(axis=-1) + (masses * atoms).sum(axis=-1)
        variance = (units**2).sum(axis=-1) + (masses * atoms**2).sum(axis=-1)
        start = (np.sqrt(mean**2 + 4 * variance) - mean) / (2 * variance)
    s = np.minimum(start, 0.9 * high)
    for _ in range(100):
        q, q_atoms = units / (1 - units * s[:, None]), atoms / (1 - atoms * s[:, None])
        slope = q.sum(axis=-1) + (masses * q_atoms).sum(axis=-1) - 1 / s
        curvature = (q**2).sum(axis=-1) + (masses * q_atoms**2).sum(axis=-1) + s**-2
        if random is not None and places is not None:
            first, second = random.tilted(places, s).cumulants(2)
            slope, curvature = slope + first, curvature + second
        close = np.abs(slope) < NEAR_SADDLE * np.sqrt(curvature)
        if close.all():
            break
        low, high = np.where(slope < 0, s, low), np.where(slope < 0, high, s)
        up = np.where(high > 4 * s, np.sqrt(s * high), (s + high) / 2)
        down = np.where(low > 0, (low + s) / 2, s / 16)
        ahead = s - slope / curvature
        ahead = np.where(ahead >= high, up, np.where(ahead <= low, down, ahead))
        # What is found of a sample does not depend on the others of its batch.
        s = np.where(close, s, ahead)
    return np.asarray(s)


class _Path(NamedTuple):
    """Where the integrand of some samples goes through the saddle point s, of what it is made."""

    q: Array
    q_atoms: Array
    masses: Array
    tilted: Tilted | None
    s: Array
    scale: Array  # How wide the integrand is at s
    bend: Array

    def rows(self, chosen: NDArray[Any]) -> _Path:
        """Paths of some samples."""
        tilted = self.tilted and self.tilted.rows(chosen)
        q, q_atoms, masses, _, s, scale, bend = self
        return _Path(
            q[chosen],
            q_atoms[chosen],
            masses[chosen],
            tilted,
            s[chosen],
            scale[chosen],
            bend[chosen],
        )


def _trapezoid(path: _Path, step: float) -> tuple[Array, Array]:
    """Integrals, and how far off the first would be, as a share of it, by half the nodes."""
    samples, scales = len(path.s), path.scale
    total, coarse, peak = np.zeros((4, samples)), np.zeros(samples), np.zeros(samples)
    first, rows = 0, np.arange(samples)
    while len(rows):
        q, q_atoms, masses, tilted, s, scale, bend = path
        # A path of fewer units takes more nodes, and more at a time cost little.
        nodes = NODES if q.shape[-1] + q_atoms.shape[-1] >= MANY_UNITS else 2 * NODES
        sinh, cosh = _nodes(first, nodes, step)
        bent: Complex = np.multiply(1j, bend[:, None])
        weight = cosh - bent * sinh
        if not first:
            weight[:, 0] /= 2
        off = 1j * scale[:, None] * (sinh - bent * (cosh - 1))
        logs = _log_factors(q, off) + _log_powers(q_atoms, masses, off)
        values = np.exp(-np.maximum(logs.real, -MOST_EXPONENT) - 1j * logs.imag)
        if tilted is not None:
            values *= tilted.along(off)
        beside = 1 + off / s[:, None]
        values /= beside
        peak[rows] = np.maximum(peak[rows], np.abs(values).max(axis=-1))
        values *= weight
        first += nodes
        last = np.abs(values[:, -1])
        coarse[rows] += 2 * values[:, ::2].real.sum(axis=-1)
        powers = np.cumprod([values, beside, beside, beside], axis=0)
        total[:, rows] += powers.real.sum(axis=-1)
        going = (last > NEGLIGIBLE * np.abs(total[0, rows])) & (peak[rows] <= MOST_PEAK)
        if step * first >= FARTHEST or not going.any():
            break
        if not going.all():
            rows, path = rows[going], path.rows(going)
    astray = (peak > MOST_PEAK) | ~(total[0] > 0)
    error = np.where(astray, np.inf, np.abs(coarse - total[0]) / np.abs(total[0]))
    return total * scales * step / np.pi, error


@functools.lru_cache(maxsize=256)
def _nodes(first: int, count: int, step: float) -> tuple[Array, Array]:
    """The hyperbolic sine and cosine of some nodes."""
    u = step * np.arange(first, first + count)
    return np.sinh(u), np.cosh(u)


def _log_factors(q: Array, off: Complex) -> Complex:
    """Log of the product of 1 - off·q over units, (S, U) and (S, N) -> (S, N)."""
    out = np.zeros(off.shape, dtype=complex)
    units = q.shape[-1]
    rows = max(1, MOST_ELEMENTS // (off.shape[-1] * max(units, 1)))
    columns = MOST_ELEMENTS // off.shape[-1]
    for top in range(0, len(q), rows):
        part = slice(top, top + rows)
        for left in range(0, units, columns):
            factors = off[part, None] * -q[part, left : left + columns, None]
            factors += 1
            out[part] += _logs(_products(factors)).sum(axis=1)
    return out


def _log_powers(q_atoms: Array, masses: Array, off: Complex) -> Complex:
    """Log of the product of (1 - off·q)^mass over atoms, (S, P) and (S, N) -> (S, N)."""
    out = np.zeros(off.shape, dtype=complex)
    atoms = q_atoms.shape[-1]
    if not atoms:
        return out
    rows = max(1, MOST_ELEMENTS // (off.shape[-1] * atoms))
    for top in range(0, len(off), rows):
        part = slice(top, top + rows)
        logs = _logs(1 - off[part, :, None] * q_atoms[part, None])
        out[part] = np.einsum("sp,snp->sn", masses[part], logs)
    return out


def _logs(values: Complex) -> Complex:
    """Logarithms, of real numbers: those of complex ones take several times as long."""
    out = np.empty(values.shape, dtype=complex)
    out.real = 0.5 * np.log(values.real**2 + values.imag**2)
    out.imag = np.arctan2(values.imag, values.real)
    return out
