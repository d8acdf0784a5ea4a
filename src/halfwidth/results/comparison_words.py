"""Comparisons in words: p-values, and the sentence of a difference."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from halfwidth.core.formatting import fixed_apart, percent
from halfwidth.results.estimate import IF_UNSEEN

if TYPE_CHECKING:
    from halfwidth.results.comparison import Difference, TestResult

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


def p_statement(test: TestResult) -> str:
    """``p = .003``, or what is left of it after the correction: ``p = .012 (Holm)``."""
    corrected = bool(test.correction) and not math.isnan(test.adjusted)
    text = p_text(test.adjusted if corrected else test.p_value)
    equals = f"p {text[0]} {text[1:]}" if text[0] in "<>" else f"p = {text}"
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
    of_what = " of the difference" if downwards else ""
    return f"{level} CI{of_what} {ends}{f' {unit}' if unit else ''}"


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
