"""What the intervals of a method are like in studies of n assumed cases, found by simulation.

Studies are simulated at few numbers of cases, the nodes, each twice the one before. How much wider
the intervals are there than the formula of Student's t changes slowly with n, so that it is known
between the nodes. Draws have fixed keys: a plan is the same whenever it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import Need
from halfwidth.core.rng import derive_key
from halfwidth.core.spec import MethodSpec, Statistic
from halfwidth.core.types import Array, Bounds, Interval, Level
from halfwidth.intervals.compute import intervals
from halfwidth.intervals.dirichlet_intervals import open_side
from halfwidth.intervals.two_samples import mover, mover_or_welch, welch
from halfwidth.planning.assumed_cases import AssumedCases, PilotCases
from halfwidth.resampling.draws import Plan
from halfwidth.results.estimate import Estimate

# The nodes are 3, 6, 12, ... cases, and studies are not simulated beyond the last.
FIRST, DOUBLINGS = 3, 12
LAST = FIRST * 2**DOUBLINGS
# Values drawn at a node, which bound its time; fewest and most studies. Methods that need
# neither weights nor resamples take a hundredth of the time.
VALUES, QUICK_VALUES = 20_000, 400_000
FEWEST, MOST, MOST_QUICK = 20, 200, 4000
# Times as many studies of which only the SD is computed.
MORE = 20
# How fast the excess over t falls beyond the nodes simulated: as a power of n.
POWER = 0.5
N_RESAMPLES = 999
# At levels next to 0 intervals have no width to compare with.
LEAST_FACTOR = 1e-9
ENTROPY = 20_261_130


@frozen(eq=False)
class Node:
    """Studies of one number of cases."""

    # How far the ends of their intervals lie from the estimate, in half-widths by the formula of t;
    # their average is adjusted for the SDs that happened to be drawn.
    below: Array
    above: Array
    # How far the estimates lie from the true mean, in standard errors.
    off: Array
    # Widths of many studies, ascending, in widths by the formula of t.
    widths: Array
    # Monte-Carlo standard error of their mean, relative to it.
    error: float


@frozen(eq=False)
class ExpectedIntervals:
    """Intervals for a mean, for a mean difference of pairs, or of two groups of n cases each."""

    # Of the mean or the differences; of two groups, of either.
    cases: tuple[AssumedCases | PilotCases, ...]
    # The mean, or that of differences within cases; of a pilot any.
    statistic: Statistic
    # Of one sample; of two groups `mover` puts its intervals together, unless it is of two itself.
    method: MethodSpec
    level: Level
    # Of the values.
    bounds: Bounds
    # How many studies are simulated, against as many as a plan takes.
    effort: float = 1.0
    known: dict[int, Node] = field(default_factory=dict)

    def standard_error(self, n: int) -> float:
        """The true one of the mean, or of the difference of two."""
        return math.sqrt(sum(one.variance for one in self.cases) / n)

    def width(self, n: int) -> float:
        """The mean width of the intervals of studies of n cases."""
        return self._between(n, _mean_width) * self.width_by_t(n)

    def assured_width(self, n: int, share: float) -> float:
        """The width that the share of studies of n cases keep below."""
        ratio = self._between(n, lambda node: float(np.quantile(node.widths, share)))
        return ratio * self.width_by_t(n)

    def power(self, n: int, difference: float, margin: float | None) -> float:
        """How often the interval excludes 0, or lies above -margin, at a true difference.

        The mean of normal cases is independent of how they scatter about it, so that its
        distribution needs no simulation: only how far the ends lie from it does. Of a pilot's
        cases it depends on that, and is the simulated one.
        """
        from scipy import special

        error, half = self.standard_error(n), self.width_by_t(n) / 2
        from_pilot = any(isinstance(one, PilotCases) for one in self.cases)

        def share_above(ahead: Array, off: Array) -> Array:
            """How often the mean lies so far ahead, in standard errors."""
            return np.asarray(off > -ahead if from_pilot else special.ndtr(ahead))

        def at(node: Node) -> float:
            scale = half * self._between(n, _mean_width) / _mean_width(node)
            below, above = scale * node.below, scale * node.above
            if margin is not None:
                return float(share_above((difference + margin - below) / error, node.off).mean())
            higher = share_above((difference - below) / error, node.off)
            lower = share_above((-difference - above) / error, -node.off)
            return float((higher + lower).mean())

        low, share = self._place(n)
        if not share:
            return at(self._node(low))
        if from_pilot:
            # Of few distinct cases it is no smooth function of n.
            return at(self._node(n))
        return (1 - share) * at(self._node(low)) + share * at(self._node(2 * low))

    def width_at(self, n: int) -> float:
        """The mean width in studies of n cases exactly, whatever the nodes."""
        return _mean_width(self._simulated(n)) * self.width_by_t(n)

    def curve_width(self, n: int) -> float:
        """The mean width from the nodes that were simulated, for a figure."""
        return self._between(n, _mean_width, simulate=False) * self.width_by_t(n)

    def width_by_t(self, n: int) -> float:
        """2 t SE, by the true standard error."""
        from scipy import special

        degrees = len(self.cases) * (n - 1)
        factor = max(-special.stdtrit(degrees, self.level.tail), LEAST_FACTOR)
        return float(2 * factor * self.standard_error(n))

    def _between(self, n: int, ratio: Callable[[Node], float], *, simulate: bool = True) -> float:
        """A ratio to t at n: a power of n between the nodes on either side."""
        low, share = self._place(n)
        if simulate:
            for size in (low, 2 * low) if share else (low,):
                self._node(size)
        sizes = sorted(self.known)
        ratios = [ratio(self.known[size]) for size in sizes]
        if n > sizes[-1] or n < sizes[0]:
            nearest = -1 if n > sizes[-1] else 0
            return float(ratios[nearest] ** ((sizes[nearest] / n) ** POWER))
        if n in self.known:
            return ratios[sizes.index(n)]
        place = int(np.searchsorted(sizes, n))
        lower, upper = sizes[place - 1 : place + 1]
        first, second = ratios[place - 1 : place + 1]
        at = math.log(n / lower) / math.log(upper / lower)
        if min(first, second) > 1:
            # The excess over t falls about as a power of n.
            logs = math.log(math.log(first)), math.log(math.log(second))
            return math.exp(math.exp((1 - at) * logs[0] + at * logs[1]))
        return float(first ** (1 - at) * second**at)

    def _place(self, n: int) -> tuple[int, float]:
        """The node at or below n, and how far it is to the next, on a logarithmic scale."""
        # Where few cases leave an end open their intervals have no width.
        opens = Need.OPEN_SIDE in self._single.needs
        low, share = _place(n)
        while opens and open_side(self.statistic, self.bounds, low):
            low, share = 2 * low, 0.0
        return low, share

    def _node(self, n: int) -> Node:
        if n not in self.known:
            self.known[n] = self._simulated(n)
        return self.known[n]

    @property
    def _slow(self) -> bool:
        return self._single.resamples or Need.WEIGHTED in self._single.needs

    @property
    def _single(self) -> MethodSpec:
        """The method of either group."""
        return self.method.of_each or self.method

    def _simulated(self, n: int) -> Node:
        most, values = (MOST, VALUES) if self._slow else (MOST_QUICK, QUICK_VALUES)
        studies = max(int(self.effort * min(values // n, most)), FEWEST)
        sides = [self._sides(group, studies, n) for group in range(len(self.cases))]
        half = self.width_by_t(n) / 2
        (below, above, off, spreads, many), *others = sides
        if others:
            ((down, up, other_off, other_spreads, other_many),) = others
            off = off - other_off
            # About estimates of 0.
            zeros = np.zeros((2, studies))
            errors = np.array([spreads, other_spreads]) / math.sqrt(n)
            degrees = np.full((2, 1), n - 1.0)
            each = Interval.of(-below, above), Interval.of(-down, up)
            if self.method.name == welch.__name__:
                both = welch(zeros, errors, degrees, self.level)
            elif self.method.of_each is None:
                both = mover(zeros, each, "difference", self.level)
            else:
                both = mover_or_welch(zeros, each, "difference", errors, degrees, self.level)
            below, above = -both.low, both.high
            spreads, many = np.hypot(spreads, other_spreads), np.hypot(many, other_many)
        widths, error = _widths_of_many(below + above, spreads, many)
        drawn = (below + above).mean()
        adjusted = widths.mean() / drawn / half if drawn > 0 else 1 / half
        off = off / self.standard_error(n)
        return Node(below * adjusted, above * adjusted, off, np.sort(widths) / (2 * half), error)

    def _sides(self, group: int, studies: int, n: int) -> tuple[Array, Array, Array, Array, Array]:
        """Distances of the ends from the mean, its error, SDs of these studies and of many more."""
        cases = self.cases[group]
        values = cases.drawn(derive_key(ENTROPY, "plan", group, n), studies, n)
        spreads = many = values.std(axis=1, ddof=1)
        if self._slow:
            more = cases.drawn(derive_key(ENTROPY, "plan, SDs", group, n), MORE * studies, n)
            many = more.std(axis=1, ddof=1)
        if self.method.name == welch.__name__:
            return spreads, spreads, values.mean(axis=1) - cases.mean, spreads, many
        (computed,) = intervals(
            values,
            self.statistic,
            [self._single],
            self.level,
            bounds=self.bounds,
            plan=Plan(derive_key(ENTROPY, "resamples", n).value, N_RESAMPLES, kept={}),
            clip=True,
            errors=False,
        )
        estimate = self.statistic(values)
        below, above = estimate - computed.interval.low, computed.interval.high - estimate
        return below, above, estimate - cases.mean, spreads, many


def _mean_width(node: Node) -> float:
    return float(node.widths.mean())


def _place(n: int) -> tuple[int, float]:
    doublings = min(int(math.log2(n / FIRST) + 1e-12), DOUBLINGS)
    low = FIRST * 2**doublings
    return low, 0.0 if doublings == DOUBLINGS else math.log2(n / low)


def _widths_of_many(widths: Array, spreads: Array, many: Array) -> tuple[Array, float]:
    """Widths of many studies of which the SDs are known, from the widths of some.

    The logarithm of a width is nearly linear in that of the SD; what is left of it is much smaller
    than the difference between studies, and is added in turn.
    """
    known = (widths > 0) & (spreads > 0)
    if known.sum() < FEWEST // 2:
        return widths, 0.0
    x, y = np.log(spreads[known]), np.log(widths[known])
    slope, start = np.polyfit(x, y, 1) if np.ptp(x) else (0.0, y.mean())
    left = y - (start + slope * x)
    seen = many[many > 0]
    many_widths = np.exp(start + slope * np.log(seen) + np.resize(left, len(seen)))
    return many_widths, float(left.std(ddof=2) / math.sqrt(len(left)))


# Fewest cases that say how others would scatter.
FEWEST_CASES = 3
# A report asks of each row three times, and for two digits.
EFFORT = 0.3


def halfwidth_with_more_cases(estimate: Estimate, values: Array, times: int) -> float | None:
    """The mean half-width of studies of so many times the cases, drawn from these.

    By the method and for the statistic of the estimate. Cases that are drawn from n scatter less
    than the population by √((n - 1)/n), which is made up for. None where studies cannot be
    simulated from values: of clusters, of a whole test set, of two models, of one-sided intervals.

    >>> import numpy as np
    >>> from halfwidth import summary_ci
    >>> dice = np.array([0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91])
    >>> now = summary_ci(dice, metric="dsc", method="t")
    >>> round(now.halfwidth, 4), round(halfwidth_with_more_cases(now, dice, 4), 4)
    (0.0309, 0.0137)
    """
    statistic, n = estimate.statistic_spec, len(values)
    simple = estimate.design == "iid" and estimate.level.alternative == "two-sided"
    if not (simple and n == estimate.n and n >= FEWEST_CASES):
        return None
    if statistic.spec.of_records or np.ptp(values) == 0:
        return None
    expected = ExpectedIntervals(
        (PilotCases(np.sort(values)),),
        statistic,
        estimate.method_spec,
        Level(estimate.level.confidence_level),
        estimate.metric_spec.spec.bounds,
        EFFORT,
    )
    width = expected.width_at(times * n)
    return width / 2 * math.sqrt(n / (n - 1)) if math.isfinite(width) else None
