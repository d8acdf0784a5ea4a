"""Verdicts: what the p values of a difference, or the bound of one model, allow to say.

All of it follows from p values and intervals that exist; nothing is computed from cases here.
Differences are oriented, so that positive is better, and of a ratio 1 is taken off: 0 is "no
difference" and a margin is a share of the second model's value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from halfwidth.comparison.inference import FamilyInference
from halfwidth.core.checks import as_number
from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import fixed_apart, percent
from halfwidth.core.forms import NO_EFFECT
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Better, Metric
from halfwidth.core.types import Array
from halfwidth.estimation.check import LARGEST
from halfwidth.results.comparison import Difference, Effect, GoalResult, Verdict
from halfwidth.results.comparison_results import (
    BETTER,
    EXCLUDED,
    NON_INFERIOR,
    NON_SUPERIOR,
    OPEN,
    SHOWN,
    TOO_FEW,
    UNDECIDED,
    WORSE,
)
from halfwidth.results.comparison_words import POWER_NEEDED, verdict_sentence
from halfwidth.results.estimate import Estimate

# More times the cases are not said: by then the difference lies within half a standard error of
# the limit, and on which side of it the truth lies is open.
MOST_TIMES = 30


def check_margin(margin: float | None, metric: Metric, effect: Effect = "difference") -> None:
    """Refuse a margin that is not a loss in the unit of the metric."""
    if margin is None:
        return
    number = as_number("margin", margin)
    if number <= 0:
        raise OptionError(
            f"{spelled('margin', margin)} is not above 0: give the largest loss that would not "
            "matter as a positive number, whichever direction is better"
        )
    if effect == "ratio" and number >= 1:
        raise OptionError(
            f"{spelled('margin', margin)} of a ratio is not below 1: give the largest share that "
            "may be lost; 0.05 allows the first model to be 5 % worse"
        )
    bounds = metric.spec.bounds
    if effect == "difference" and number >= bounds.width:
        raise OptionError(
            f"{spelled('margin', margin)} is as large as the whole range of {metric.spec.called}, "
            f"{bounds}; give it in the unit of the metric"
            + (f": for {margin:g} % write {margin / 100:g}" if bounds.width <= 1 else "")
        )
    _check_extent("margin", number)
    _check_direction("margin", metric)


def check_goal(goal: float | None, metric: Metric) -> None:
    """Refuse a goal that no value of the metric can reach, or that all do."""
    if goal is None:
        return
    number, bounds = as_number("goal", goal), metric.spec.bounds
    if not bounds.low <= number <= bounds.high:
        per_cent = bounds.high == 1 < number <= 100
        hint = f"; for {goal:g} % write {number / 100:g}" if per_cent else ""
        raise OptionError(
            f"{spelled('goal', goal)} is outside the range of {metric.spec.called}, {bounds}{hint}"
        )
    _check_extent("goal", number)
    _check_direction("goal", metric)


def _check_extent(name: str, number: float) -> None:
    if abs(number) > LARGEST:
        raise OptionError(
            f"{spelled(name, number)} is beyond {LARGEST:g}, the largest value there is"
        )


def _check_direction(name: str, metric: Metric) -> None:
    if metric.spec.better in (Better.ZERO, Better.ONE):
        raise OptionError(
            f"{spelled(name)} needs a metric where higher or lower is better; for "
            f"{metric.spec.called} it is {metric.spec.better}: state the interval, or take a "
            "metric such as ici or brier"
        )
    if metric.spec.better not in (Better.HIGHER, Better.LOWER):
        raise OptionError(
            f"{spelled(name)} needs to know whether higher or lower is better, and nothing says so "
            f"of {metric.spec.called}; name the metric ({spelled('metric')})"
        )


# --------------------------------------------------------------------------- differences


@frozen
class Sides:
    """P values of one comparison, of the first model and of the second, and what they are held to.

    Of either model: that it is better, that it is so by more than the margin, and that it is not
    worse by it. All are adjusted for the family.
    """

    better: tuple[float, float]
    beyond: tuple[float, float]
    not_worse: tuple[float, float]
    alpha: float
    # The least p value of an exact test of so many units, for so large a family.
    least: float = 0.0

    @classmethod
    def from_family(
        cls, family: FamilyInference, pair: int, sign: int, margin: float | None
    ) -> Sides:
        """Sides of a pair of the family; ``sign`` is 1 where larger values are better, else -1."""

        def by_model(p_values: Array) -> tuple[float, float]:
            first, second = p_values[pair][::sign].tolist()
            return first, second

        better = by_model(family.adjusted())
        beyond = not_worse = (math.nan, math.nan)
        if margin is not None:
            beyond = by_model(family.adjusted(margin))
            least = by_model(family.not_worse(margin))
            # Who is better is not worse.
            not_worse = min(better[0], least[0]), min(better[1], least[1])
        return cls(better, beyond, not_worse, family.level.alpha, float(family.floor[pair]))

    @property
    def word(self) -> str:
        """The verdict: a claim holds exactly where its p value is at most α."""
        if self.least > self.alpha:
            return TOO_FEW
        claims = (
            (BETTER, self.better[0]),
            (WORSE, self.better[1]),
            (NON_INFERIOR, self.not_worse[0]),
            (NON_SUPERIOR, self.not_worse[1]),
        )
        return next((word for word, p in claims if p <= self.alpha), OPEN)

    @property
    def beyond_margin(self) -> str | None:
        """Whether the better model is so by more than the margin; None where none is better."""
        word = self.word
        if word not in (BETTER, WORSE) or math.isnan(self.beyond[0]):
            return None
        ahead = 0 if word == BETTER else 1
        if self.beyond[ahead] <= self.alpha:
            return SHOWN
        return EXCLUDED if self.not_worse[1 - ahead] <= self.alpha else UNDECIDED


@frozen
class _Oriented:
    """A difference and its interval, positive where the first model is better."""

    value: float
    low: float
    high: float

    def reach(self, ahead: float) -> float:
        """How far the bound is that would have to pass the limit: ``ahead`` of it, or behind."""
        return self.value - self.low if ahead > 0 else self.high - self.value

    @property
    def known(self) -> bool:
        return not (math.isnan(self.low) or math.isnan(self.high))


def verdict(
    difference: Difference,
    sides: Sides,
    margin: float | None = None,
    *,
    equivalence: tuple[float, float] | None = None,
    error: Callable[[], float] | None = None,
) -> Verdict | None:
    """What a difference allows to say, the same whichever model comes first.

    Of the claims whose p value is at most α the first one: that a model is better; with a margin D,
    that one is not worse by D. None where nothing says which direction is better.

    Parameters
    ----------
    difference : Difference
    sides : Sides
    margin : float, optional
        The largest loss that would not matter, above 0, as `check_margin` allows it; of a ratio as
        a share.
    equivalence : tuple of float, optional
        The interval at 1 - 2α by the same method. Where it lies within ±margin the models are
        equivalent. Without it, the verdict's own interval must, which is a stricter test.
    error : callable, optional
        The standard error of the difference by the cases alone, asked for where it is needed: for
        the number of cases that would settle an open difference.
    """
    if difference.sign == 0:
        return None
    interval = difference.simultaneous or difference.estimate
    low, high = interval.low, interval.high
    if difference.estimate.asked is not None:
        # An interval of another level shows nothing at the one that was asked for.
        low = high = math.nan
    oriented, loss, word = _oriented(difference, low, high), margin or 0.0, sides.word
    lead = oriented.value - oriented.low - loss
    if margin is None and oriented.value < 0:
        # The second model is the one that is ahead.
        lead = oriented.value - oriented.high
    narrow = (math.nan, math.nan)
    if equivalence is not None:
        # What the wider level excludes stays excluded, also where another method serves there.
        narrow = max(equivalence[0], interval.low), min(equivalence[1], interval.high)
    ends = _oriented(difference, *(narrow if equivalence else (low, high)))
    equivalent = None if margin is None else -margin < ends.low and ends.high < margin
    judged = Verdict(
        word,
        "",
        margin,
        beyond_margin=sides.beyond_margin,
        p_not_worse=sides.not_worse,
        least_p=sides.least,
        equivalent=equivalent and word != TOO_FEW,
        equivalence_low=narrow[0],
        equivalence_high=narrow[1],
        simultaneous=difference.simultaneous is not None,
        lead_needed=lead if math.isfinite(lead) else math.nan,
    )
    if judged.unsettled and oriented.known:
        needed = _n_needed(difference, oriented, loss, error() if error else math.nan)
        judged = replace(judged, n_needed=needed)
    return replace(judged, sentence=verdict_sentence(difference, judged))


def _oriented(difference: Difference, low: float, high: float) -> _Oriented:
    null, sign = NO_EFFECT[difference.effect], difference.sign
    ends = sorted((sign * (low - null), sign * (high - null)))
    return _Oriented(sign * (difference.value - null), *ends)


def _n_needed(difference: Difference, oriented: _Oriented, loss: float, error: float) -> int | None:
    """The cases, or clusters, whose bound passes the limit often enough if the difference stays.

    Of the way r from the difference to its bound, z SE is sampling error, which falls as 1/√n. The
    rest is what few cases cost (failures that were not seen, the quantile of t, skewness) and
    falls as 1/n. With m cases and x = √(n/m) the way is z SE x + (r - z SE) x², and differences
    scatter by SE x, which a power of 80 % takes z(.8) times beside it.
    """
    from scipy import special

    ahead, estimate = abs(oriented.value + loss), difference.estimate
    reach = oriented.reach(oriented.value + loss)
    if not ahead or not math.isfinite(reach / ahead):
        return None
    alone = _oriented(difference, estimate.low, estimate.high).reach(oriented.value + loss)
    z = float(special.ndtri(1 - estimate.level.tail))
    # All of the way is sampling error where that is not known.
    share = min(z * error / alone, 1.0) if error > 0 and alone > 0 else 1.0
    known = error if share < 1 else reach / z
    linear, rest = share * reach + float(special.ndtri(POWER_NEEDED)) * known, (1 - share) * reach
    # The root of rest x² + linear x = ahead, in the form that holds for rest = 0 too.
    x = 2 * ahead / (linear + math.sqrt(linear**2 + 4 * rest * ahead))
    if x**2 * MOST_TIMES < 1:
        return None
    n = estimate.n if estimate.n_groups is None else estimate.n_groups
    return rounded(max(math.floor(n / x**2), n) + 1)


def rounded(n: int) -> int:
    """A rough number of cases, two digits of it, never fewer.

    >>> rounded(473), rounded(61), rounded(123_456)
    (480, 61, 130000)
    """
    unit = int(10 ** max(0, len(str(n)) - 2))
    return -(-n // unit) * unit


# --------------------------------------------------------------------------- goals


def goal_result(model: str, estimate: Estimate, goal: float) -> GoalResult:
    """Whether the bound of a model by itself, on its bad side, lies beyond a goal."""
    higher = estimate.metric_spec.spec.better is Better.HIGHER
    bound = estimate.low if higher else estimate.high
    # A bound that so few cases cannot give at the level asked for shows nothing at that level.
    known = estimate.asked is None and not math.isnan(bound)
    met = known and (bound > goal if higher else bound < goal)
    side, beyond = ("lower", "above") if higher else ("upper", "below")
    end = fixed_apart(bound, estimate.decimals, (0.0, goal))
    unit = f" {estimate.metric_spec.unit}" if estimate.metric_spec.unit else ""
    about = f"the {side} bound of the {percent(estimate.confidence_level)} CI of {estimate.subject}"
    start = f"{model} reaches" if met else f"{model} is not shown to reach"
    if not known:
        level = "" if estimate.asked is None else f" {percent(estimate.asked.confidence_level)}"
        sentence = f"{start} the goal of {goal:g}: the {estimate.subject} has no{level} interval."
        return GoalResult(model, estimate, goal, met, sentence)
    lies = "lies" if met else "does not lie"
    sentence = f"{start} the goal of {goal:g}: {about}, {end}{unit}, {lies} {beyond} it."
    return GoalResult(model, estimate, goal, met, sentence)
