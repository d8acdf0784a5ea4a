"""Comparisons in words: p-values, and the sentence of a difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from halfwidth.core.formatting import fixed_apart, percent, rough_percent
from halfwidth.core.forms import NO_EFFECT
from halfwidth.core.titles import IF_UNSEEN
from halfwidth.core.types import Level
from halfwidth.results.comparison_results import (
    BETTER,
    EXCLUDED,
    NON_INFERIOR,
    OPEN,
    SHOWN,
    TOO_FEW,
    UNDECIDED,
    WORSE,
)

if TYPE_CHECKING:
    from halfwidth.results.comparison import Difference, TestResult, Verdict

CORRECTIONS = {
    "stepdown": "stepdown",
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "benjamini_hochberg": "Benjamini-Hochberg",
}
SMALLEST_P = 0.001
# Sentences of as many comparisons as a reader would read; of more there is one of each family.
MOST_SENTENCES = 6
# How often a study of so many cases as are said to settle a difference does.
POWER_NEEDED = 0.8


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


def decisive_p(difference: Difference) -> float:
    """The p value that the verdict rests on: adjusted where several are compared."""
    return difference.p_adjusted if difference.correction else difference.p_value


def _p_text(difference: Difference) -> str:
    """``p = .003``; of several comparisons ``p = .012 (stepdown, 3 comparisons)``."""
    equals = p_equals(p_text(decisive_p(difference)))
    if not difference.correction:
        return equals
    how = f"{CORRECTIONS[difference.correction]}, {difference.n_comparisons} comparisons"
    return f"{equals} ({how})"


def effect_text(difference: Difference) -> str:
    """What the difference is: ``higher by 0.012``, ``1.05 times``, ``the same``."""
    estimate = difference.estimate
    if math.isnan(difference.value):
        return "not defined"
    if difference.effect == "ratio":
        return f"{estimate.text_of(difference.value)} times as large"
    if difference.value == 0:
        return "the same"
    direction = "higher" if difference.value > 0 else "lower"
    return f"{direction} by {estimate.text_of(abs(difference.value))}{_in_unit_of(difference)}"


def interval_text(difference: Difference) -> str:
    """``95 % CI 0.004 to 0.020``, whose sign is that of the difference, whatever the words."""
    estimate = difference.estimate
    level = percent(estimate.confidence_level)
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return f"no {level} CI"
    ends = f"{estimate.text_of(estimate.low)} to {estimate.text_of(estimate.high)}"
    downwards = difference.effect == "difference" and difference.value < 0
    direction = " of the difference" if downwards else ""
    return f"{level} CI{direction} {ends}{_in_unit_of(difference)}"


def _in_unit_of(difference: Difference) -> str:
    """`` mm``; empty of a ratio, and of a metric without a unit."""
    unit = difference.metric_spec.unit
    return f" {unit}" if unit and difference.effect == "difference" else ""


def sentence(difference: Difference) -> str:
    """One sentence for a paper.

    Examples
    --------
    ``B against A: mean DSC higher by 0.012 (95 % CI 0.004 to 0.020; n = 110; paired Dirichlet);
    p = .003.``
    """
    return f"{_described(difference, None)}."


def _described(difference: Difference, margin: float | None) -> str:
    """The sentence without its verdict and its end."""
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
        others = simultaneous.n_comparisons - 1
        text += f"; together with {others} other{'s' * (others > 1)} "
        text += together_text(difference, margin)
    if estimate.unseen_failures_matter:
        text += f"; {estimate.unseen_failures_text}{_in_unit_of(difference)} {IF_UNSEEN}"
    if not math.isnan(difference.p_value):
        text += f"; {_p_text(difference)}"
    if difference.test is not None and not math.isnan(difference.test.p_value):
        text += f"; {difference.test.title} {p_statement(difference.test)}"
    return text


def together_text(difference: Difference, margin: float | None) -> str:
    """``-0.033 to 0``: an end at what is claimed is that, and no rounded number."""
    both = difference.simultaneous
    if both is None or math.isnan(both.low) or math.isnan(both.high):
        return "none"
    limits = [in_unit(difference, loss) for loss in (0.0, margin or 0.0, -(margin or 0.0))]
    if difference.effect == "ratio":
        limits += [1 / limit for limit in limits]

    return " to ".join(
        f"{end:.4g}"
        if any(math.isclose(end, limit, abs_tol=1e-15) for limit in limits)
        else difference.estimate.text_of(end)
        for end in (both.low, both.high)
    )


# --------------------------------------------------------------------------- verdicts


def verdict_sentence(difference: Difference, verdict: Verdict) -> str:
    """The sentence of a difference with what it allows to say."""
    claim = claim_text(difference, verdict)
    enough = _enough_text(difference, verdict) if verdict.unsettled else ""
    return f"{_described(difference, verdict.margin)}: {claim}.{enough}"


def claim_text(difference: Difference, verdict: Verdict) -> str:
    """``B is better``, whichever of both comes first."""
    first, second = difference.first, difference.second
    margin = _margin_text(difference, verdict)
    if verdict.word == TOO_FEW:
        count, least = difference.n_comparisons, f"{verdict.least_p:.3g}".removeprefix("0")
        adjusted = f", adjusted for {count} comparisons," if difference.correction else ""
        return (
            f"{_units(difference)} are too few to say which is better, as no exact test of so few"
            f"{adjusted} has p below {least}"
        )
    if verdict.word in (BETTER, WORSE):
        better = f"{first if verdict.word == BETTER else second} is better"
        return {
            None: better,
            SHOWN: f"{better} by more than {margin}",
            EXCLUDED: f"{better}, but by less than {margin}",
            UNDECIDED: f"{better}; whether by more than {margin} is open",
        }[verdict.beyond_margin]
    if verdict.word == OPEN:
        if math.isnan(difference.estimate.low) or difference.estimate.asked is not None:
            level = percent(_asked(difference).confidence_level)
            return f"which is better is open without a {level} CI"
        also = f", as is whether one is worse by {margin}" if margin else ""
        return f"which is better is open{also}"
    shown = [p for p in verdict.p_not_worse if p <= _asked(difference).alpha]
    p = p_equals(p_text(max(shown)))
    if len(shown) == 2:
        return f"neither is worse by {margin} ({p})"
    name = first if verdict.word == NON_INFERIOR else second
    return f"{name} is non-inferior by {margin} ({p})"


def _margin_text(difference: Difference, verdict: Verdict) -> str:
    if verdict.margin is None:
        return ""
    return f"the margin of {verdict.margin:g}{_in_unit_of(difference)}"


def verdict_text(difference: Difference) -> str:
    """The verdict in a cell: *worse*, *worse by > 0.02*."""
    verdict = difference.verdict
    if verdict is None:
        return ""
    sign = {SHOWN: ">", EXCLUDED: "<"}.get(verdict.beyond_margin or "")
    return f"{verdict.word} by {sign} {verdict.margin:g}" if sign else verdict.word


def families_of(differences: Iterable[Difference]) -> list[list[Difference]]:
    """Differences of one label and subject together, in their order."""
    families: dict[tuple[str, str], list[Difference]] = {}
    for one in differences:
        families.setdefault((one.estimate.label, one.subject), []).append(one)
    return list(families.values())


def family_sentence(differences: Sequence[Difference]) -> str:
    """What all comparisons of a family allow to say, in one sentence.

    Examples
    --------
    ``liver, mean DSC: C is better than A by 0.037 (0.023 to 0.052; p = .001); open: A against B,
    B against C (95 % CIs of each pair alone; n = 40; p by stepdown of 3 comparisons).``
    """
    first = differences[0]
    claims, alike = [], {TOO_FEW: "", OPEN: "open"}
    together: dict[str, list[str]] = {}
    for one in differences:
        if one.verdict is None:
            continue
        if one.verdict.word not in alike:
            claims.append(_claim_of(one, one.verdict))
            continue
        what = alike[one.verdict.word] or claim_text(one, one.verdict)
        together.setdefault(what, []).append(f"{one.first} against {one.second}")
    claims += [f"{what}: {', '.join(pairs)}" for what, pairs in together.items()]
    label = f"{first.estimate.label}, " if first.estimate.label else ""
    alone = " of each pair alone" if first.correction else ""
    basis = ", ".join(dict.fromkeys(one.estimate.basis_text for one in differences))
    how = ""
    if first.correction:
        how = f"; p by {CORRECTIONS[first.correction]} of {first.n_comparisons} comparisons"
    level = percent(first.estimate.confidence_level)
    return f"{label}{first.subject}: {'; '.join(claims)} ({level} CIs{alone}; {basis}{how})."


def _claim_of(difference: Difference, verdict: Verdict) -> str:
    """``C is better than A by 0.037 (0.023 to 0.052; p = .001)``, the better model first."""
    names = difference.first, difference.second
    if verdict.word not in (BETTER, WORSE):
        numbers = _numbers(difference, signed=True)
        return f"{' against '.join(names)} {numbers}: {claim_text(difference, verdict)}"
    better, other = names if verdict.word == BETTER else names[::-1]
    than = {SHOWN: ", more than ", EXCLUDED: ", less than "}.get(verdict.beyond_margin or "")
    margin = f"{than}{_margin_text(difference, verdict)}" if than else ""
    by = f": {difference.first}" if difference.effect == "ratio" else " by"
    return f"{better} is better than {other}{by} {_numbers(difference, signed=False)}{margin}"


def _numbers(difference: Difference, *, signed: bool) -> str:
    """``0.037 (0.023 to 0.052; p = .001)``; of a ratio ``1.25 times as large (1.20 to 1.31; ...)``.

    Without its sign a difference is that of the better model.
    """
    estimate = difference.estimate
    value, low, high = difference.value, difference.low, difference.high
    if value < 0 and not signed:
        value, low, high = -value, -high, -low
    ratio = " times as large" if difference.effect == "ratio" else ""
    ends = "no CI"
    if not math.isnan(low):
        ends = f"{estimate.text_of(low)} to {estimate.text_of(high)}"
    size = f"{estimate.text_of(value)}{_in_unit_of(difference)}{ratio}"
    return f"{size} ({ends}; {p_equals(p_text(decisive_p(difference)))})"


def _units(difference: Difference) -> str:
    """``4 pairs``; of unpaired models ``3 and 4 cases``."""
    estimate = difference.estimate
    if estimate.n_groups is not None:
        return f"{estimate.n_groups} {'pairs of ' * difference.paired}clusters"
    if difference.paired:
        return f"{estimate.n} pairs"
    return f"{' and '.join(map(str, estimate.n_each or (estimate.n,)))} {estimate.case_noun}s"


def _enough_text(difference: Difference, verdict: Verdict) -> str:
    """Which lead and which number of cases would be enough for an unsettled difference."""
    estimate = difference.estimate
    if math.isnan(verdict.lead_needed):
        return ""
    # Without a margin the lead is that of the model that is ahead.
    ahead = -1 if verdict.margin is None and verdict.lead_needed < 0 else 1
    better = "above" if difference.sign * ahead > 0 else "below"
    needed = bound_text(difference, in_unit(difference, verdict.lead_needed), verdict.margin)
    counted = units = f"{estimate.case_noun}s"
    if estimate.n_groups is not None:
        counted, units = f"{counted} in {estimate.n_groups} clusters", "clusters"
    observed = f"the observed {difference.effect}, {estimate.text_of(estimate.value)},"
    shows = f"show {difference.first} to be non-inferior" if verdict.margin else "be enough"
    start = f" With {estimate.n} {counted} a {difference.effect} {better} {needed} would {shows};"
    if verdict.n_needed is None:
        limit = f"{in_unit(difference, -(verdict.margin or 0.0)):.6g}"
        return f"{start} {observed} lies too near {limit} to say how many {units} would settle it."
    needed, power = f"about {verdict.n_needed:,} {units}", percent(POWER_NEEDED)
    return f"{start} {needed} would settle {observed} with a power of {power}."


def _asked(difference: Difference) -> Level:
    """The level asked for, which that of the single interval need not be."""
    return difference.estimate.asked or difference.estimate.level


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


def share_that_undoes(difference: Difference) -> float:
    """The share of cases in which the first model alone would have to fail for its bound to pass.

    A failure is the worst value of the metric: a share s of them lowers the mean of the first model
    by s times its distance from that, and the bound of the difference, which is (bound + margin)
    from where it no longer shows what it shows, by as much. NaN but for differences of means.
    """
    bound = difference.low if difference.sign > 0 else -difference.high
    return _share_failing(difference, bound, difference.first_value)


def _share_failing(difference: Difference, bound: float, value: float) -> float:
    """Share of failures for an oriented bound, and the model that could fail."""
    spec, verdict = difference.estimate.statistic_spec.spec, difference.verdict
    worst = difference.metric_spec.spec.worst
    means = difference.effect == "difference" and spec.is_mean_of_values
    if not means or worst is None or verdict is None:
        return math.nan
    room, distance = bound + (verdict.margin or 0.0), abs(value - worst)
    return room / distance if distance and math.isfinite(room) else math.nan


def failing_text(difference: Difference, share: float, where: str = "") -> str:
    """``failed in 1.3 % of cases (DSC 0)``."""
    metric = difference.metric_spec.spec
    return f"failed in {rough_percent(share)} of cases{where} ({metric.display} {metric.worst:g})"


def _unless_failing(difference: Difference, ends: tuple[float, float]) -> str:
    """Which share of failures of either model alone would undo that both are equivalent."""
    low, high = ends if difference.sign > 0 else (-ends[1], -ends[0])
    shares = (
        _share_failing(difference, low, difference.first_value),
        _share_failing(difference, -high, difference.second_value),
    )
    share = min(shares)
    return f", unless either alone {failing_text(difference, share)}" if share < 1 else ""


def equivalence_sentence(difference: Difference) -> str:
    """Whether the models are equivalent within the margin; empty where none was given."""
    result = difference.verdict
    if result is None or result.margin is None or result.equivalent is None:
        return ""
    if result.beyond_margin == SHOWN:
        return ""
    own = difference.simultaneous or difference.estimate
    level, low, high = _asked(difference), own.low, own.high
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
    if not result.equivalent:
        return f"Not shown to be equivalent within ±{result.margin:g} ({interval})."
    unless = _unless_failing(difference, (low, high))
    return f"Equivalent within ±{result.margin:g} ({interval}){unless}."
