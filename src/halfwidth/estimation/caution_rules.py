"""Caution rules: each yields what one kind of fact calls for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.formatting import percent, rough_percent
from halfwidth.core.forms import Contrast
from halfwidth.core.spec import ENLARGED, Estimand, MethodSpec, Need, Unanswered, spec_of
from halfwidth.core.titles import metric_title, statistic_title
from halfwidth.core.types import Level
from halfwidth.core.undefined import WRONG
from halfwidth.estimation.caution_context import CautionContext
from halfwidth.estimation.resolve import AUTO
from halfwidth.estimation.sample_caution_rules import case_cautions
from halfwidth.estimation.worst_values import identical_worst
from halfwidth.intervals.bootstrap import bca_expanded
from halfwidth.intervals.dirichlet_intervals import dirichlet, dirichlet_pareto, open_side
from halfwidth.intervals.mean import t
from halfwidth.intervals.quantile import semiparametric
from halfwidth.intervals.ranks import attainable_level, attainable_of_differences, minimum_n

REPLICATES_BEYOND = 10
ROUNDING = 1e-9
# Cautions about how well a method covers; the most special one that was raised quotes the study.
QUOTING = ("HW313", "HW307", "HW303", "HW302", "HW301", "HW204", "HW201")
# A concentration bound always covers; what it costs is width.
OF_WIDTH = "HW307"
# This one is about the smallest class, whatever the number of cases.
OF_CLASSES = "HW204"
# What becomes of missing values.
POLICIES = {
    "worst": "counted as the worst value",
    "worst_rank": "given the last rank of their case",
    WRONG: "counted as wrong answers",
}


def cautions_for(context: CautionContext) -> tuple[Caution, ...]:
    """All cautions that the facts call for, in the order of their codes."""
    e, rules = context.estimate, list(RULES)
    # Of test sets, runs and detections; other calls need not load them.
    if context.classes is not None or e.statistic_spec.spec.of_records:
        from halfwidth.estimation.test_sets.class_size_rules import class_size_cautions

        rules.append(class_size_cautions)
    if context.classes is not None:
        from halfwidth.estimation.test_sets.class_caution_rules import class_cautions

        rules.append(class_cautions)
    if e.over == "runs":
        from halfwidth.estimation.runs.run_caution_rules import run_cautions

        rules.append(run_cautions)
    if context.matched is not None:
        rules.append(context.matched.cautions)
    cautions = sorted(_raised(rules, context), key=lambda one: one.code)
    return tuple(_with_evidence(cautions, context) if context.as_studied else cautions)


def interval_cautions(context: CautionContext) -> list[Caution]:
    """Cautions about the bounds and the method that they are by."""
    return _raised(INTERVAL_RULES, context)


def _raised(rules: Iterable[Rule], context: CautionContext) -> list[Caution]:
    """What rules yield, with another remedy where the usual one is to take what was taken."""
    cautions = [one for rule in rules for one in rule(context) if one is not None]
    taken = {context.estimate.method_spec.function.__name__, *([AUTO] if context.chosen else [])}
    return [
        replace(one, taken=True)
        if one.spec.otherwise and taken & {*re.findall(r"\w+", one.spec.remedy)}
        else one
        for one in cautions
    ]


def _with_evidence(cautions: list[Caution], context: CautionContext) -> list[Caution]:
    """The cautions, the most special one about coverage with what the study found."""
    codes = [one.code for one in cautions]
    quoting = next((code for code in QUOTING if code in codes), None)
    if quoting is None:
        return cautions
    row = context.findings.at(context.estimate.n)
    if quoting == OF_CLASSES and context.classes is not None:
        # Of all cases only what speaks for the caution says something of the smallest class.
        short = row if row is not None and row.falls_short else None
        by_class = context.class_findings
        row = by_class.at(context.classes.smallest) if by_class.rows else short
    if row is not None and context.findings.own:
        place = codes.index(quoting)
        quotation = row.width_sentence if quoting == OF_WIDTH else row.coverage_sentence
        cautions[place] = replace(cautions[place], message=f"{cautions[place].message} {quotation}")
    return cautions


# --------------------------------------------------------------------------- failures


def _about_failures(context: CautionContext) -> Iterator[Caution | None]:
    """Failures among the values, and such as none of these cases is."""
    e = context.estimate
    if e.n_missing:
        yield _missing(context)
    if not context.constant:
        yield identical_worst(context.values, e.metric_spec.spec)
    if context.undefined:
        return
    yield _unseen(context)
    if context.stands_in and e.method == dirichlet.__name__:
        # Values that say nothing of how far others lie, so that ``auto`` takes the bounds.
        units = context.units_text
        if context.units >= spec_of(dirichlet_pareto).min_n:
            spread = e.statistic_spec.spec.estimand is Estimand.SPREAD
            units += f" of one {'mean' if context.clustered and not spread else 'value'}"
        yield caution("HW319", what=units, range=e.metric_spec.spec.bounds)
    elif context.mostly_equal and e.method == dirichlet_pareto.__name__:
        units = f"{context.units_text}, more than half of one value,"
        yield caution("HW319", what=units, range=e.metric_spec.spec.bounds)


def _unseen(context: CautionContext) -> Caution | None:
    """What a share of failures that the cases do not exclude would make of a mean."""
    e, values = context.estimate, context.values
    spec = e.metric_spec.spec
    mean = e.method == dirichlet_pareto.__name__ and e.statistic_spec.spec.is_mean_of_values
    if not (mean and len(values)) or spec.worst is None or not math.isfinite(spec.worst):
        return None
    if e.over == "runs" or e.design == "paired" or (values == spec.worst).any():
        return None
    share = 1 - (1 - e.confidence_level) ** (1 / context.units)
    value = e.value + share * (spec.worst - e.value)
    if e.low <= value <= e.high:
        return None
    return caution(
        "HW315",
        n=context.units_text,
        share=rough_percent(share),
        level=percent(e.confidence_level),
        what=e.subject,
        value=e.text_of(value),
        worst=f"{spec.worst:g}",
    )


def _missing(context: CautionContext) -> Caution:
    e = context.estimate
    if context.absent is not None and len(context.absent) > 1:
        return missing_caution(context.absent, context.n_infinite, e.missing)
    what = "values missing" if e.without_result is None else "cases without a result"
    total = e.n + (0 if e.missing in ("worst", WRONG) else e.n_missing)
    return _missing_of(e.n_missing, total, what, context.n_infinite, e.missing)


def missing_caution(absent: NDArray[np.bool_], n_infinite: int, policy: str) -> Caution:
    """The caution about missing values of several models, (models, cases)."""
    what = f"values missing, in {int(absent.any(axis=0).sum())} of {absent.shape[-1]} cases"
    return _missing_of(int(absent.sum()), absent.size, what, n_infinite, policy)


def _missing_of(count: int, total: int, what: str, n_infinite: int, policy: str) -> Caution:
    infinite = f" ({n_infinite} of them infinite)" if n_infinite else ""
    numbers = {"count": count, "total": total, "what": what, "infinite": infinite}
    return caution("HW101", **numbers, policy=POLICIES.get(policy, "left out"))


# --------------------------------------------------------------------------- method


def _about_method(context: CautionContext) -> Iterator[Caution]:
    """What a method is known for, and the level that it attains."""
    e, method = context.estimate, context.estimate.method_spec
    # A jackknife of clusters takes many values, and the expanded BCa covers there (decision 0042).
    of_clusters = context.clustered and method is spec_of(bca_expanded)
    if Need.ACCELERATION in method.needs and not (e.statistic_spec.spec.smooth or of_clusters):
        yield caution("HW301", what=statistic_title(e.statistic_spec))
    if e.asked is not None and not context.undefined:
        open_end = Need.OPEN_SIDE in method.needs
        yield _open_end(context) if open_end else _level_out_of_reach(context, e.asked)
    for code in method.cautions:
        yield caution(code, method=method.title)


def _level_out_of_reach(context: CautionContext, asked: Level) -> Caution:
    e, q = context.estimate, context.estimate.statistic_spec.quantile_level
    contrast = e.statistic_spec.spec.estimand is Estimand.QUANTILE_CONTRAST
    reach = attainable_of_differences if contrast else attainable_level
    instead = f"The interval is of {percent(e.confidence_level)}."
    if e.alternative != asked.alternative:
        side = "above" if e.alternative == "lower" else "below"
        instead = f"The {e.level.text} is given; {side} it is open."
    return caution(
        "HW308",
        n=context.units_text,
        # Rounded down: what is out of reach must not read as the level that is wanted.
        attainable=percent(math.floor(1e4 * reach(context.units, q, asked)) / 1e4),
        what=f"{q:g} quantile" if e.over == "runs" else statistic_title(e.statistic_spec),
        wanted=percent(asked.confidence_level),
        needed=f"{minimum_n(q, asked, reach)} {context.noun}s",
        instead=instead,
    )


def _open_end(context: CautionContext) -> Caution:
    e = context.estimate
    beyond = "above" if e.alternative == "lower" else "below"
    return caution("HW322", n=context.units_text, beyond=beyond, instead=e.level.text)


# --------------------------------------------------------------------------- resamples


def _about_resamples(context: CautionContext) -> Iterator[Caution]:
    """Too few of them, some without a value, and such as are further off than the cases."""
    e, distribution = context.estimate, context.estimate.method_spec.distribution
    if e.n_resamples is not None and e.n_resamples * e.level.tail < REPLICATES_BEYOND:
        beyond = e.n_resamples * e.level.tail
        yield caution("HW311", n_resamples=e.n_resamples, beyond=beyond)
    if context.undefined:
        return
    studentized = distribution is Need.STUDENTIZED
    if e.n_undefined:
        quantity = f"{'studentized ' if studentized else ''}{e.subject}"
        yield caution("HW310", what=quantity, count=e.n_undefined, total=e.n_resamples)
    if context.infinite and studentized:
        yield caution("HW312")
    elif context.infinite:
        draws = "draws of weights" if distribution is Need.WEIGHTED else "resamples"
        yield caution("HW314", what=e.subject, draws=draws)
    spec = e.statistic_spec.spec
    own = spec.form.statistic if isinstance(spec.form, Contrast) else spec
    # Resamples of an error that noise makes larger, and resampling once more.
    if own.estimand in ENLARGED and {Need.DISTRIBUTION, Need.WEIGHTED} & {*e.method_spec.needs}:
        quantity = e.subject if own is spec else f"{metric_title(e.metric_spec)} of each model"
        yield caution("HW321", method=e.method_spec.title, what=quantity)


# --------------------------------------------------------------------------- bounds


def _about_bounds(context: CautionContext) -> Iterator[Caution]:
    """The bounds against each other, the estimate, the values and the range."""
    e, method, values = context.estimate, context.estimate.method_spec, context.values
    # With fewer than ten cases weights reach as far beyond their draws as it takes.
    if context.clipped and Need.WEIGHTED not in method.needs:
        yield caution("HW309", method=method.title, range=e.range, what=e.subject)
    if context.undefined:
        reason, alternative = _why_no_interval(context)
        yield caution("HW306", method=method.title, reason=reason, alternative=alternative)
        return
    if e.low == e.high:
        yield _no_width(context)
    outer = e.range
    if e.low < outer.low or e.high > outer.high:
        low, high = e.text_of(e.low), e.text_of(e.high)
        yield caution("HW305", low=low, high=high, range=outer, what=e.subject)
    finite = [abs(end) for end in (e.value, e.low, e.high) if math.isfinite(end)]
    slack = ROUNDING * max(finite, default=0.0)
    if math.isfinite(e.value) and not e.low - slack <= e.value <= e.high + slack:
        value, low, high = map(e.text_of, (e.value, e.low, e.high))
        yield caution("HW320", what=e.subject, value=value, low=low, high=high)
    if method.name == semiparametric.__name__:
        below = e.alternative != "upper" and (e.low < values[:1]).any()
        above = e.alternative != "lower" and (e.high > values[-1:]).any()
        if below or above:
            yield caution("HW317", method=method.title, n=context.units_text)


def _no_width(context: CautionContext) -> Caution:
    e = context.estimate
    if e.over == "runs" and context.constant:
        return caution("HW707", n=context.units_text, value=e.value)
    reason = "both bounds fall on tied values"
    if context.constant:
        reason = f"all values of {context.units_text} are equal"
    elif e.method_spec.resamples and not len(context.values):
        reason = f"all resamples of {context.units_text} give the same"
    return caution("HW304", reason=reason)


def _why_no_interval(context: CautionContext) -> tuple[str, str]:
    """The reason, and what helps."""
    e, method, units = context.estimate, context.estimate.method_spec, context.units
    if math.isnan(e.value):
        return _why_undefined(context)
    least = _fewest_units(method, context)
    if units < least:
        noun = "cluster" if "cluster" in context.units_text else "case"
        needed = f"it needs at least {least} {noun}s and there {'is' if units == 1 else 'are'}"
        return f"{needed} {units}", _works_from(context, noun) or f"collect more {noun}s"
    strata = () if context.design is None else context.design.strata
    if len(strata) > 1 and max(strata) < 2:
        return "no stratum holds two units to compare", "leave strata out"
    if method.no_interval is not None:
        mean = e.statistic_spec.spec.estimand is Estimand.MEAN
        independent = context.design is None or context.design.simple
        sample = Unanswered(
            method=e.method,
            units=units,
            noun=context.noun,
            level=e.level,
            quantile_level=e.statistic_spec.quantile_level,
            constant=context.constant,
            proportion=context.successes is not None,
            bounded_mean=e.metric_spec.spec.bounds.finite and mean and independent,
            open_end=open_side(e.statistic_spec, e.metric_spec.spec.bounds, units) == e.alternative,
        )
        return method.no_interval(sample)
    if method.resamples:
        return "the statistic is undefined on every resample", "choose another statistic"
    return "its formula is undefined on these values", "choose another method, or auto"


def _why_undefined(context: CautionContext) -> tuple[str, str]:
    if context.no_value:
        return context.no_value, "report the other classes without it"
    form = context.estimate.statistic_spec.spec.form
    if isinstance(form, Contrast) and form.effect == "ratio":
        return "a ratio needs two positive values, and one is not", "compare by the difference"
    if context.matched is not None:
        return context.matched.why_undefined(context.estimate)
    quantity = f"the {context.estimate.subject} of {context.units_text}"
    return f"{quantity} is undefined", "collect more cases"


def _fewest_units(method: MethodSpec, context: CautionContext) -> int:
    statistic = context.estimate.statistic_spec.spec
    return max(method.fewest_units(statistic, clustered=context.clustered), 1)


def _works_from(context: CautionContext, noun: str) -> str:
    """Which method makes an interval of so few units, if one does."""
    e = context.estimate
    # Of so few cases the bounds of a metric say more than how these vary.
    if e.method_spec.instead is dirichlet and e.metric_spec.spec.bounds.finite:
        fewest = _fewest_units(spec_of(dirichlet), context)
        if context.units >= fewest:
            return f"{dirichlet.__name__} works from {fewest} {noun}{'s' * (fewest > 1)} on"
    mean = e.statistic_spec.spec.estimand is Estimand.MEAN
    return f"{t.__name__} works from 2 {noun}s on" if context.units > 1 and mean else ""


Rule = Callable[[CautionContext], Iterable[Caution | None]]
# About the interval alone, whatever the cases are.
INTERVAL_RULES: tuple[Rule, ...] = (_about_method, _about_resamples, _about_bounds)
RULES: tuple[Rule, ...] = (_about_failures, case_cautions, *INTERVAL_RULES)
