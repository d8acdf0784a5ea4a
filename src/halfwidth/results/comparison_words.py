"""Comparisons in words: p-values, and the sentence of a difference."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from halfwidth.core.formatting import fixed_apart, percent
from halfwidth.core.forms import NO_EFFECT
from halfwidth.core.titles import IF_UNSEEN
from halfwidth.core.types import Level

if TYPE_CHECKING:
    from halfwidth.results.comparison import Difference, TestResult, Verdict

CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "benjamini_hochberg": "Benjamini-Hochberg",
}
SMALLEST_P = 0.001


def p_text(p: float) -> str:
    """A p-value as medical journals print it: ``.03``, ``.004``, ``<.001``.

    Two decimals from .01 on, three below, and near .05 as many as tell on which side it is.

    >>> [p_text(p) for p in (0.2549, 0.0312, 0.0496, 0.0037, 0.0004, 0.999)]
    ['.25', '.03', '.0496', '.004', '<.001', '>.99']
    """
    if math.isnan(p):
        return "n/a"
    if p < SMALLEST_P:
        return f"<{SMALLEST_P:.3f}".replace("0.", ".")
    if p > 0.99:
        return ">.99"
    decimals = 2 if p >= 0.01 else 3
    text = fixed_apart(p, decimals, (0.05, 0.01))
    return text.replace("0.", ".", 1)


def p_equals(text: str) -> str:
    """A p-value that was made a text in a sentence: ``p = .03``, ``p < .001``."""
    return f"p {text[0]} {text[1:]}" if text[0] in "<>" else f"p = {text}"


def p_statement(test: TestResult) -> str:
    """``p = .003``, or what is left of it after the correction: ``p = .012 (Holm)``."""
    corrected = bool(test.correction) and not math.isnan(test.adjusted)
    text = p_text(test.adjusted if corrected else test.p_value)
    equals = p_equals(text)
    return f"{equals} ({CORRECTIONS[test.correction]})" if corrected else equals


def effect_text(difference: Difference) -> str:
    """What the difference is: ``higher by 0.012``, ``1.05 times``, ``the same``."""
    estimate, unit = difference.estimate, difference.metric_spec.unit
    if math.isnan(difference.value):
        return "not defined"
    if difference.effect == "ratio":
        return f"{estimate.text_of(difference.value)} times as large"
    if difference.value == 0:
        return "the same"
    direction = "higher" if difference.value > 0 else "lower"
    return f"{direction} by {estimate.text_of(abs(difference.value))}{f' {unit}' if unit else ''}"


def interval_text(difference: Difference) -> str:
    """``95 % CI 0.004 to 0.020``, whose sign is that of the difference, whatever the words."""
    estimate, unit = difference.estimate, difference.metric_spec.unit
    level = percent(estimate.confidence_level)
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return f"no {level} CI"
    ends = f"{estimate.text_of(estimate.low)} to {estimate.text_of(estimate.high)}"
    downwards = difference.effect == "difference" and difference.value < 0
    direction = " of the difference" if downwards else ""
    return f"{level} CI{direction} {ends}{f' {unit}' if unit else ''}"


def sentence(difference: Difference) -> str:
    """One sentence for a paper.

    Examples
    --------
    ``B against A: mean DSC higher by 0.012 (95 % CI 0.004 to 0.020; n = 110; paired Dirichlet);
    p = .003.``
    """
    estimate = difference.estimate
    about = f"{estimate.label}, " if estimate.label else ""
    missing = f"; {estimate.n_missing} missing" if estimate.n_missing else ""
    unmatched = f"; {difference.n_unmatched} unmatched" if difference.n_unmatched else ""
    text = (
        f"{about}{difference.first} against {difference.second}: {difference.subject} "
        f"{effect_text(difference)} ({interval_text(difference)}; {estimate.basis_text}{missing}"
        f"{unmatched}; {estimate.method_title})"
    )
    simultaneous = difference.simultaneous
    if simultaneous is not None and not math.isnan(simultaneous.low):
        ends = f"{estimate.text_of(simultaneous.low)} to {estimate.text_of(simultaneous.high)}"
        others = simultaneous.n_comparisons - 1
        text += f"; together with {others} other{'s' * (others > 1)} {ends}"
    if estimate.unseen_failures_matter:
        unit = f" {difference.metric_spec.unit}" if difference.metric_spec.unit else ""
        text += f"; {estimate.unseen_failures_text}{unit} {IF_UNSEEN}"
    if difference.test is not None and not math.isnan(difference.test.p_value):
        text += f"; {p_statement(difference.test)}"
    return f"{text}."


def equivalence_level(level: Level) -> Level:
    """The level 1 - 2α of the interval that shows equivalence with an error of α on either side.

    >>> equivalence_level(Level(0.95)).confidence_level
    0.9
    """
    return Level(float(1 - 2 * Decimal(repr(level.alpha))), level.alternative)


def in_unit(difference: Difference, oriented: float) -> float:
    """An oriented difference as a difference or a ratio."""
    return NO_EFFECT[difference.effect] + difference.sign * oriented


def bound_text(difference: Difference, number: float, margin: float | None) -> str:
    """A bound with the decimals of the difference, more where it would read as a limit."""
    losses = (0.0, margin or 0.0, -(margin or 0.0))
    ends = [in_unit(difference, loss) for loss in losses]
    return fixed_apart(number, difference.estimate.decimals, ends)


def equivalence_sentence(difference: Difference, result: Verdict) -> str:
    """Whether the models are equivalent within the margin; empty where none was given."""
    if result.margin is None or result.equivalent is None:
        return ""
    own = difference.simultaneous or difference.estimate
    level, low, high = difference.estimate.asked or difference.estimate.level, own.low, own.high
    if not math.isnan(result.equivalence_low):
        level, low, high = (
            equivalence_level(level),
            result.equivalence_low,
            result.equivalence_high,
        )
    if math.isnan(low) or math.isnan(high):
        return f"Not shown to be equivalent within ±{result.margin:g}."
    ends = " to ".join(bound_text(difference, end, result.margin) for end in (low, high))
    kind = "simultaneous " if result.simultaneous else ""
    interval = f"{kind}{percent(level.confidence_level)} CI {ends}"
    start = "Equivalent" if result.equivalent else "Not shown to be equivalent"
    return f"{start} within ±{result.margin:g} ({interval})."
