"""What all comparisons of a family allow to say together: p values, claims and intervals.

Verdicts, ranks and gates take them from here, so that none claims what another denies. A pair has
two sides: that its difference lies above a value (side 0), and that it lies below (side 1). Its own
p value is that of its interval; of several pairs it is adjusted, by default by stepdown under the
law that fits the single intervals (`Comparanda.joint_law`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import field

import numpy as np

from halfwidth.comparison.multiplicity import (
    BONFERRONI,
    HOLM,
    STEPDOWN,
    UNCORRECTED,
    adjusted_p_values,
)
from halfwidth.comparison.p_values import InvertedInterval
from halfwidth.core.forms import Effect
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Level
from halfwidth.resampling.joint.laws import Flags, JointLaw, LargestT, RankedDraws
from halfwidth.resampling.joint.stepdown import adjusted_by_stepdown, against_family

MAX_T = "max_t"
# Of the ends of an interval: the larger, the nearer to the estimate.
UPWARDS = np.array([1.0, -1.0])


@frozen(eq=False)
class FamilyInference:
    """The comparisons of a family, and what is claimed of them at a level.

    ``beyond`` is the distance from no difference that claims are about: side 0 claims a difference
    above it, side 1 one below its negative. With a distance below 0 they claim that neither model
    is better by as much.
    """

    pairs: Sequence[InvertedInterval]
    # The least p value of an exact test of so many units, (P,).
    least: Array
    level: Level
    correction: str = STEPDOWN
    effect: Effect = "difference"
    # -1 where smaller values are better: a margin of a ratio is the share that may be lost.
    sign: int = 1
    law: JointLaw | None = None
    # What has been asked already.
    known: dict[Hashable, Array] = field(default_factory=dict)

    def own(self, beyond: float = 0.0) -> Array:
        """P values of the pairs by themselves, (P, 2); NaN of one without an interval."""
        every = lambda: np.array([self._own(one, beyond) for one in self.pairs])  # noqa: E731
        return self._once(("own", beyond), every)

    def _once(self, key: Hashable, make: Callable[[], Array]) -> Array:
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def _own(self, pair: InvertedInterval, beyond: float) -> tuple[float, float]:
        above, below = self._nulls(beyond)
        sides = (pair.value - above, above), (below - pair.value, below)
        p_values = [pair.p_value(null) if ahead >= 0 else 1.0 for ahead, null in sides]
        undefined = np.isnan(pair.low) or np.isnan(pair.high)
        return (np.nan, np.nan) if undefined else (p_values[0], p_values[1])

    def _nulls(self, beyond: float) -> tuple[float, float]:
        """Above which value side 0 lies, and below which side 1; of the swapped ratio the same."""
        if self.effect == "difference":
            return beyond, -beyond
        lost = 1 - self.sign * abs(beyond)
        nulls = sorted((lost, 1 / lost), reverse=beyond > 0)
        return nulls[0], nulls[1]

    def adjusted(self, beyond: float = 0.0, some: Flags | None = None) -> Array:
        """P values of some of the pairs, adjusted for their number, (P, 2); NaN of the others.

        None is smaller than that of an exact test of so many units, times as many as the pairs are.
        """
        if some is None:
            return self._once(("adjusted", beyond), lambda: self.adjusted(beyond, self._all))
        own = np.where(some[:, None], self.own(beyond), np.nan)
        if self.correction == UNCORRECTED or some.sum() < 2:
            return self._at_least(own, 1)
        if self.correction != STEPDOWN:
            sides = [adjusted_p_values(side, self.correction) for side in own.T]
            return self._at_least(np.stack(sides, axis=-1), int(some.sum()))
        adjusted = adjusted_by_stepdown(own / 2, self._seen(own, beyond), self.law)
        return self._at_least(adjusted, int(some.sum()))

    def not_worse(
        self, margin: float, some: Flags | None = None, alpha: float | None = None
    ) -> Array:
        """Adjusted p values of sides being better, or worse by less than a margin, (P, 2).

        Against the sides that are left at ``alpha`` (that of the level) when all are claimed that
        are better by the margin, so that both kinds of claims hold together.
        """
        if some is None:
            return self._once(("not worse", margin), lambda: self.not_worse(margin, self._all))
        if self.correction != STEPDOWN or some.sum() < 2:
            return self.adjusted(-margin, some)
        left = self.adjusted(margin, some) > (alpha or self.level.alpha)
        own = np.where(some[:, None], self.own(-margin), np.nan)
        p_values = against_family(own / 2, self._seen(own, -margin), self.law, left)
        return self._at_least(p_values, int(some.sum()))

    @property
    def _all(self) -> Flags:
        return np.ones(len(self.pairs), dtype=bool)

    def _seen(self, own: Array, beyond: float) -> Array | None:
        if self.law is None:
            return None
        return self.law.seen(own / 2, np.array(self._nulls(beyond)))

    def _at_least(self, p_values: Array, count: int) -> Array:
        least = np.minimum(self.least * count, 1.0)
        return np.maximum(p_values, least[:, None])

    @property
    def floor(self) -> Array:
        """What no p value of the whole family is below, (P,)."""
        count = 1 if self.correction == UNCORRECTED else len(self.pairs)
        return np.minimum(self.least * count, 1.0)

    # ----------------------------------------------------------------------- intervals

    def together(self, margin: float | None) -> Array | None:
        """Ends that hold together, (P, 2), and agree with all claims; None without a correction.

        An end whose side is claimed lies at what is claimed, the others at the last critical value
        (Strassburger & Bretz 2008).
        """
        if len(self.pairs) < 2 or self.correction not in (STEPDOWN, HOLM, BONFERRONI):
            return None
        better = self.adjusted()
        claimed = better <= self.level.alpha
        if self.correction == HOLM:
            claimed = np.repeat(claimed.any(axis=-1, keepdims=True), 2, axis=-1)
        elif self.correction == BONFERRONI:
            claimed = np.zeros_like(claimed)
        ends = self.ends(self.level, ~claimed)
        claims = [(0.0, better)]
        if margin is not None:
            not_worse = np.fmin(self.not_worse(margin), better)
            claims = [(-margin, not_worse), (0.0, better), (margin, self.adjusted(margin))]
        outside = np.array([-np.inf, np.inf])
        ends = np.where((better <= self.level.alpha) & claimed, outside, ends) * UPWARDS
        for beyond, p_values in claims:
            null = np.array(self._nulls(beyond)) * UPWARDS
            held = p_values <= self.level.alpha
            ends = np.where(held, np.fmax(ends, null), np.fmin(ends, null))
        # Without the sign of a zero.
        return np.asarray(np.where(np.isnan(better), np.nan, ends * UPWARDS + 0.0))

    def ends(self, level: Level, family: Flags | None = None, *, together: bool = True) -> Array:
        """The ends of all sides, (P, 2), of which those of the family hold together."""
        if not together or len(self.pairs) < 2:
            return self._singles(level)
        if family is None:
            family = np.stack([self._all, self._all], axis=-1)
        count = max(int(family.sum()), 2)
        tail, beside = level.alpha / count, None
        if isinstance(self.law, RankedDraws):
            joint = self.law.tail(self._farthest(self.law, family), level.alpha)
            tail = max(tail, min(joint, level.alpha / 2))
            beside = self.law.reach(tail) * UPWARDS
        ends = self._singles(Level(1 - 2 * tail))
        if isinstance(self.law, LargestT):
            share = family[self.law.known].sum() / count
            nearer = self.law.ends(self._farthest(self.law, family), level.alpha * share)
            ends = np.stack(
                [np.fmax(ends[:, 0], nearer[:, 0]), np.fmin(ends[:, 1], nearer[:, 1])]
            ).T
        if beside is not None:
            ends = _farther(ends, beside)
        ends = _farther(ends, self._singles(level))
        limits = [(one.range.low, one.range.high) for one in self.pairs]
        return np.asarray(np.clip(ends, *np.array(limits).T[:, :, None]))

    def _farthest(self, law: JointLaw, family: Flags) -> Array:
        farthest = None
        for pair, side in np.argwhere(family & law.known[:, None]).tolist():
            farthest = law.farthest(farthest, (pair, side))
        return np.zeros(0) if farthest is None else farthest

    def _singles(self, level: Level) -> Array:
        if level == self.level:
            return np.array([(one.low, one.high) for one in self.pairs])
        return np.array([one.law.with_others(level) for one in self.pairs])

    def method_of(self, pair: int, single: str) -> str:
        """How the interval of a pair is made to hold with those of the others."""
        if self.law is None or not self.law.known[pair]:
            return BONFERRONI
        return MAX_T if isinstance(self.law, LargestT) else single


def _farther(ends: Array, others: Array) -> Array:
    """The ends farther out, of those that there are."""
    return np.asarray(np.fmin(ends * UPWARDS, others * UPWARDS) * UPWARDS)
