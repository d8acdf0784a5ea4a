"""Verdicts: what the interval of a difference, or the bound of one model, allows to say.

All of it follows from intervals that exist; nothing is computed from cases here. Differences are
oriented, so that positive is better, and of a ratio 1 is taken off: 0 is "no difference" and a
margin is a share of the second model's value.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from halfwidth.core.checks import as_number
from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import fixed_apart, percent
from halfwidth.core.forms import NO_EFFECT
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Better, Metric
from halfwidth.core.titles import IF_UNSEEN
from halfwidth.estimation.check import LARGEST
from halfwidth.results.comparison import Difference, Effect, GoalResult, Verdict
from halfwidth.results.comparison_words import bound_text, in_unit
from halfwidth.results.estimate import Estimate

SUPERIOR = "superior"
NON_INFERIOR = "non-inferior"
INFERIOR = "inferior"
INCONCLUSIVE = "inconclusive"

# How often a study of so many cases as are said to settle a difference does.
POWER_NEEDED = 0.8
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
    margin: float | None = None,
    *,
    equivalence: tuple[float, float] | None = None,
    error: Callable[[], float] | None = None,
    both: bool = False,
) -> Verdict | None:
    """What a difference's interval says: it rests on the simultaneous one where there is one.

    With the oriented interval [L, U] and a margin D, which is 0 where none is given: superior if
    L > 0, else non-inferior if L > -D, inferior if U < -D, and inconclusive otherwise. None where
    nothing says which direction is better.

    Parameters
    ----------
    difference : Difference
    margin : float, optional
        The largest loss that would not matter, above 0, as `check_margin` allows it; of a ratio as
        a share.
    equivalence : tuple of float, optional
        The interval at 1 - 2α by the same method. Where it lies within ±margin the models are
        equivalent. Without it, the verdict's own interval must, which is a stricter test.
    error : callable, optional
        The standard error of the difference by the cases alone, asked for where it is needed: for
        the number of cases that would settle an inconclusive difference.
    both : bool
        Whether the verdict is to hold too if cases can fail as none of these did.
    """
    if difference.sign == 0:
        return None
    interval = difference.simultaneous or difference.estimate
    low, high = interval.low, interval.high
    if difference.simultaneous is None and difference.estimate.asked is not None:
        # An interval of another level shows nothing at the one that was asked for.
        low = high = math.nan
    oriented = _oriented(difference, low, high)
    loss = margin or 0.0
    word = seen = _word(oriented, loss)
    otherwise = _if_unseen_failures(difference, oriented, seen, loss)
    if both and otherwise is not None:
        word = INCONCLUSIVE if INCONCLUSIVE in (seen, otherwise) else otherwise
    lead = oriented.value - oriented.low - loss
    needed = None
    if seen == INCONCLUSIVE and oriented.known:
        needed = _n_needed(difference, oriented, loss, error() if error else math.nan)
    narrow = (math.nan, math.nan)
    if equivalence is not None:
        # What the wider level excludes stays excluded, also where another method serves there.
        narrow = max(equivalence[0], interval.low), min(equivalence[1], interval.high)
    ends = _oriented(difference, *(narrow if equivalence else (low, high)))
    return Verdict(
        word,
        _sentence(difference, oriented, seen, margin, needed, otherwise, word),
        margin,
        equivalent=None if margin is None else -margin < ends.low and ends.high < margin,
        equivalence_low=narrow[0],
        equivalence_high=narrow[1],
        simultaneous=difference.simultaneous is not None,
        lead_needed=lead if math.isfinite(lead) else math.nan,
        n_needed=needed,
    )


def _oriented(difference: Difference, low: float, high: float) -> _Oriented:
    null, sign = NO_EFFECT[difference.effect], difference.sign
    ends = sorted((sign * (low - null), sign * (high - null)))
    return _Oriented(sign * (difference.value - null), *ends)


def _word(oriented: _Oriented, loss: float) -> str:
    if oriented.low > 0:
        return SUPERIOR
    if oriented.low > -loss:
        return NON_INFERIOR
    if oriented.high < -loss:
        return INFERIOR
    return INCONCLUSIVE


def _if_unseen_failures(
    difference: Difference, oriented: _Oriented, word: str, loss: float
) -> str | None:
    """The word if cases can fail as none of these did; None where it is the same, or unknown."""
    unseen = difference.estimate.if_unseen_failures
    if unseen is None or not oriented.known:
        return None
    other = _oriented(difference, *unseen)
    # What holds together with other comparisons reaches no less far.
    low, high = min(oriented.low, other.low), max(oriented.high, other.high)
    otherwise = _word(_Oriented(oriented.value, low, high), loss)
    return None if otherwise == word else otherwise


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


# --------------------------------------------------------------------------- their sentences


def _sentence(
    difference: Difference,
    oriented: _Oriented,
    word: str,
    margin: float | None,
    n_needed: int | None,
    otherwise: str | None,
    verdict_word: str,
) -> str:
    """What the interval says, and what it would say if cases can fail as none of these did."""
    text = _own_sentence(difference, oriented, word, margin, n_needed)
    if otherwise is None:
        return text
    unseen = difference.estimate.unseen_failures_text
    text = f"{text} {otherwise.capitalize()} {IF_UNSEEN}: {unseen}."
    return (
        text if word == verdict_word else f"{verdict_word.capitalize()}, since both count. {text}"
    )


def _own_sentence(
    difference: Difference,
    oriented: _Oriented,
    word: str,
    margin: float | None,
    n_needed: int | None,
) -> str:
    first, second = difference.first, difference.second
    if not oriented.known:
        subject, level = difference.effect_of_subject, _level_text(difference)
        return f"{first} against {second} is inconclusive: the {subject} has no{level} interval."
    interval = _interval_text(difference, margin)
    above, below = _directions(difference)
    limit = _limit_text(difference, 0.0 if word == SUPERIOR else margin or 0.0)
    lower = "" if difference.sign > 0 else ", and lower is better"
    if word == SUPERIOR:
        return f"{first} is superior to {second}: {interval} lies {above} {limit}{lower}."
    if word == NON_INFERIOR:
        worse = "; it is worse, but by less than that" if oriented.high < 0 else ""
        return (
            f"{first} is non-inferior to {second} by the margin of {margin:g}: {interval} lies "
            f"{above} {limit}{lower}{worse}."
        )
    if word == INFERIOR:
        return f"{first} is inferior to {second}: {interval} lies {below} {limit}{lower}."
    enough = _enough_text(difference, oriented, margin, n_needed)
    return f"{first} against {second} is inconclusive: {interval} contains {limit}{lower}.{enough}"


def _enough_text(
    difference: Difference, oriented: _Oriented, margin: float | None, n: int | None
) -> str:
    """Which lead and which number of cases would be enough for an inconclusive difference."""
    estimate, loss = difference.estimate, margin or 0.0
    lead = oriented.value - oriented.low - loss
    if not math.isfinite(lead):
        return ""
    better, _ = _directions(difference)
    needed = bound_text(difference, in_unit(difference, lead), margin)
    counted = units = f"{estimate.case_noun}s"
    if estimate.n_groups is not None:
        counted, units = f"{counted} in {estimate.n_groups} clusters", "clusters"
    observed = f"the observed {difference.effect}, {estimate.text_of(estimate.value)},"
    start = f" With {estimate.n} {counted} a {difference.effect} {better} {needed} would be enough;"
    if n is None:
        limit = _limit_text(difference, loss)
        return f"{start} {observed} lies too near {limit} to say how many {units} would settle it."
    power = percent(POWER_NEEDED)
    return f"{start} about {n:,} {units} would settle {observed} with a power of {power}."


def _asked(estimate: Estimate) -> float:
    """The level asked for, which that of the single interval need not be."""
    return float((estimate.asked or estimate.level).confidence_level)


def _level_text(difference: Difference) -> str:
    """`` simultaneous 95 %`` where the cases are too few for the level."""
    kind = " simultaneous" if difference.simultaneous else ""
    few = difference.estimate.asked is not None or kind
    return f"{kind} {percent(_asked(difference.estimate))}" if few else ""


def _directions(difference: Difference) -> tuple[str, str]:
    """On which side of a limit better and worse differences lie."""
    return ("above", "below") if difference.sign > 0 else ("below", "above")


def _interval_text(difference: Difference, margin: float | None) -> str:
    """``the 95 % CI of the difference in mean DSC, 0.004 to 0.020,``."""
    estimate, simultaneous = difference.estimate, difference.simultaneous
    interval = simultaneous or estimate
    low, high = (bound_text(difference, end, margin) for end in (interval.low, interval.high))
    unit = estimate.metric_spec.unit
    kind = "simultaneous " if simultaneous else ""
    return (
        f"the {kind}{percent(_asked(estimate))} CI of the {difference.effect_of_subject}, "
        f"{low} to {high}{f' {unit}' if unit else ''},"
    )


def _limit_text(difference: Difference, loss: float) -> str:
    """Where a loss lies on the axis: ``-0.01``, or ``0.01`` where lower is better."""
    return f"{in_unit(difference, -loss):.6g}"


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
