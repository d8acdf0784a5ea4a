"""Caution rules: a short function for each, all in `RULES`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.formatting import percent
from halfwidth.core.forms import Contrast
from halfwidth.core.spec import ENLARGED, Estimand, Need, Unanswered, spec_of
from halfwidth.core.titles import metric_title, statistic_title
from halfwidth.estimation.caution_context import CautionContext
from halfwidth.estimation.evidence_lookup import with_evidence
from halfwidth.estimation.resolve import AUTO
from halfwidth.estimation.sample_caution_rules import SAMPLE_RULES
from halfwidth.estimation.worst_values import identical_worst
from halfwidth.intervals.dirichlet_intervals import dirichlet, dirichlet_pareto
from halfwidth.intervals.mean import t
from halfwidth.intervals.quantile import semiparametric
from halfwidth.intervals.ranks import attainable_level, attainable_of_differences, minimum_n
from halfwidth.results.estimate import Estimate

REPLICATES_BEYOND = 10
ROUNDING = 1e-9


def cautions_for(context: CautionContext) -> tuple[Caution, ...]:
    """All cautions that the facts call for, in the order of their codes."""
    method = context.estimate.method_spec
    raised = [*(rule(context) for rule in RULES), *_further_cautions(context)]
    raised += [caution(code, method=method.title) for code in method.cautions]
    cautions = [_not_what_ran(one, context) for one in raised if one is not None]
    ordered = tuple(sorted(cautions, key=lambda item: item.code))
    if not context.as_studied:
        return ordered
    smallest = None if context.classes is None else context.classes.smallest
    return with_evidence(ordered, context.estimate, chosen=context.chosen, smallest=smallest)


def _not_what_ran(raised: Caution, context: CautionContext) -> Caution:
    """The caution, with its other remedy where the usual one is to take what was taken."""
    taken = {context.estimate.method_spec.function.__name__, *([AUTO] if context.chosen else [])}
    words = set(re.findall(r"\w+", raised.spec.remedy))
    return replace(raised, taken=True) if raised.spec.otherwise and words & taken else raised


def _further_cautions(context: CautionContext) -> Iterator[Caution | None]:
    """What is said of test sets, runs and detections alone; other calls need not load it."""
    e = context.estimate
    if context.classes is not None or e.statistic_spec.spec.of_records:
        from halfwidth.estimation.test_sets.class_size_rules import CLASS_SIZE_RULES

        yield from (rule(context) for rule in CLASS_SIZE_RULES)
    if context.classes is not None:
        from halfwidth.estimation.test_sets.class_caution_rules import METRIC_RULES

        yield from (rule(e, context.classes) for rule in METRIC_RULES)
    if context.is_of_runs:
        from halfwidth.estimation.runs.run_caution_rules import RUN_RULES

        yield from (rule(e) for rule in RUN_RULES)
    if context.matched is not None:
        from halfwidth.estimation.detections.caution_rules import detection_cautions

        yield from detection_cautions(e, context.matched)


# --------------------------------------------------------------------------- data


def _missing(context: CautionContext) -> Caution | None:
    e = context.estimate
    if not e.n_missing:
        return None
    counts = e.missing == "worst"
    policy = "counted as the worst value" if counts else "left out"
    total = e.n + (0 if counts else e.n_missing)
    what = "values missing" if e.without_result is None else "cases without a result"
    infinite = f" ({context.n_infinite} of them infinite)" if context.n_infinite else ""
    return caution(
        "HW101", count=e.n_missing, total=total, what=what, infinite=infinite, policy=policy
    )


def _identical_worst(context: CautionContext) -> Caution | None:
    if context.constant:
        return None
    return identical_worst(context.values, context.estimate.metric_spec.spec)


# --------------------------------------------------------------------------- method


def _bca_on_order_statistic(context: CautionContext) -> Caution | None:
    e = context.estimate
    if Need.ACCELERATION in e.method_spec.needs and not e.statistic_spec.spec.smooth:
        return caution("HW301", what=statistic_title(e.statistic_spec))
    return None


def _no_width(context: CautionContext) -> Caution | None:
    e = context.estimate
    if context.undefined or e.low != e.high:
        return None
    if context.is_of_runs and context.constant:
        return caution("HW707", n=context.units_text, value=e.value)
    reason = "both bounds fall on tied values"
    if context.constant:
        reason = f"all values of {context.units_text} are equal"
    elif e.method_spec.resamples and not len(context.values):
        reason = f"all resamples of {context.units_text} give the same"
    return caution("HW304", reason=reason)


def _outside(context: CautionContext) -> Caution | None:
    e = context.estimate
    if context.undefined or (e.low >= e.range.low and e.high <= e.range.high):
        return None
    low, high = e.text_of(e.low), e.text_of(e.high)
    return caution("HW305", low=low, high=high, range=e.range, what=context.what)


def _without_estimate(context: CautionContext) -> Caution | None:
    e = context.estimate
    if context.undefined or not math.isfinite(e.value):
        return None
    slack = ROUNDING * max(abs(end) for end in (e.value, e.low, e.high) if math.isfinite(end))
    if e.low - slack <= e.value <= e.high + slack:
        return None
    value, low, high = map(e.text_of, (e.value, e.low, e.high))
    return caution("HW320", what=context.what, value=value, low=low, high=high)


def _no_interval(context: CautionContext) -> Caution | None:
    if not context.undefined:
        return None
    reason, alternative = _why_no_interval(context)
    return caution(
        "HW306",
        method=context.estimate.method_spec.title,
        reason=reason,
        alternative=alternative,
    )


def _why_undefined(context: CautionContext) -> tuple[str, str]:
    form = context.estimate.statistic_spec.spec.form
    if isinstance(form, Contrast) and form.effect == "ratio":
        return "a ratio is of two positive values, and one is not", "compare by the difference"
    if context.matched is not None:
        from halfwidth.estimation.detections.caution_rules import why_undefined

        return why_undefined(context.estimate, context.matched)
    return f"the {context.what} of {context.units_text} is undefined", "collect more cases"


def _why_no_interval(context: CautionContext) -> tuple[str, str]:
    e = context.estimate
    if math.isnan(e.value):
        return _why_undefined(context)
    clustered = context.design is not None and context.design.sizes is not None
    least = max(e.method_spec.fewest_units(e.statistic_spec.spec, clustered=clustered), 1)
    if context.units < least:
        unit = "clusters" if "cluster" in context.units_text else "cases"
        needed = f"it needs at least {least} {unit} and there "
        hint = _works_from(context, unit, clustered=clustered)
        are = "is" if context.units == 1 else "are"
        return f"{needed}{are} {context.units}", hint or f"collect more {unit}"
    if len(context.strata) > 1 and max(context.strata) < 2:
        return "no stratum holds two units that could be compared", "leave strata out"
    if e.method_spec.no_interval is not None:
        return e.method_spec.no_interval(_unanswered(context))
    if e.method_spec.resamples:
        return "the statistic is undefined on every resample", "choose another statistic"
    return "its formula is undefined on these values", "choose another method, or auto"


def _works_from(context: CautionContext, unit: str, *, clustered: bool) -> str:
    """Which method makes an interval of so few units, if one does."""
    e = context.estimate
    # Of so few cases the bounds of a metric say more than how these vary.
    if e.method_spec.instead is dirichlet:
        fewest = spec_of(dirichlet).fewest_units(e.statistic_spec.spec, clustered=clustered)
        if context.units >= max(fewest, 1):
            every = unit if fewest > 1 else unit[:-1]
            return f"{dirichlet.__name__} works from {max(fewest, 1)} {every} on"
    return f"{t.__name__} works from 2 {unit} on" if context.units > 1 and _is_mean(e) else ""


def _unanswered(context: CautionContext) -> Unanswered:
    """What a method may say of the sample."""
    e = context.estimate
    independent = context.design is None or context.design.simple
    return Unanswered(
        method=e.method,
        units=context.units,
        noun=context.noun,
        level=e.level,
        quantile_level=e.statistic_spec.quantile_level,
        constant=context.constant,
        proportion=context.successes is not None,
        bounded_mean=e.metric_spec.spec.bounds.finite and _is_mean(e) and independent,
    )


def _is_mean(estimate: Estimate) -> bool:
    return estimate.statistic_spec.spec.estimand is Estimand.MEAN


def _level_out_of_reach(context: CautionContext) -> Caution | None:
    e = context.estimate
    if e.asked is None or context.undefined:
        return None
    q = e.statistic_spec.quantile_level
    of_pairs = e.statistic_spec.spec.estimand is Estimand.QUANTILE_CONTRAST
    reach = attainable_of_differences if of_pairs else attainable_level
    attainable = reach(context.units, q, e.asked)
    given = f"The interval is of {percent(e.confidence_level)}."
    if e.alternative != e.asked.alternative:
        side = "above" if e.alternative == "lower" else "below"
        given = f"The {e.level.text} is given; {side} it is open."
    return caution(
        "HW308",
        n=context.units_text,
        # Rounded down: what is out of reach must not read as the level that is wanted.
        attainable=percent(math.floor(1e4 * attainable) / 1e4),
        what=f"{q:g} quantile" if context.is_of_runs else statistic_title(e.statistic_spec),
        wanted=percent(e.asked.confidence_level),
        needed=f"{minimum_n(q, e.asked, reach)} {context.noun}s",
        instead=given,
    )


def _extrapolated(context: CautionContext) -> Caution | None:
    e, values = context.estimate, context.values
    if e.method != semiparametric.__name__ or context.undefined or not len(values):
        return None
    below = e.alternative != "upper" and e.low < values[0]
    above = e.alternative != "lower" and e.high > values[-1]
    if not (below or above):
        return None
    return caution("HW317", method=e.method_spec.title, n=context.units_text)


def _clipped(context: CautionContext) -> Caution | None:
    e = context.estimate
    # Below ten cases these reach as far beyond their draws as it takes, and no further than that.
    if not context.clipped or Need.WEIGHTED in e.method_spec.needs:
        return None
    return caution("HW309", method=e.method_spec.title, range=e.range, what=context.what)


def _resampled_error(context: CautionContext) -> Caution | None:
    """Resamples of an error that noise makes larger, and resampling once more."""
    e = context.estimate
    spec, what = e.statistic_spec.spec, context.what
    if isinstance(spec.form, Contrast):
        spec, what = spec.form.statistic, f"{metric_title(e.metric_spec)} of each model"
    draws = {Need.DISTRIBUTION, Need.WEIGHTED} & set(e.method_spec.needs)
    if spec.estimand not in ENLARGED or not draws or context.undefined:
        return None
    return caution("HW321", method=e.method_spec.title, what=what)


def _infinite(context: CautionContext) -> Caution | None:
    if not context.infinite or context.undefined:
        return None
    e = context.estimate
    if e.method_spec.distribution is Need.STUDENTIZED:
        return caution("HW312")
    weighted = e.method_spec.distribution is Need.WEIGHTED
    draws = "draws of weights" if weighted else "resamples"
    return caution("HW314", what=context.what, draws=draws)


def _undefined_resamples(context: CautionContext) -> Caution | None:
    e = context.estimate
    if not e.n_undefined or context.undefined:
        return None
    ratio = "studentized " if e.method_spec.distribution is Need.STUDENTIZED else ""
    return caution("HW310", what=ratio + context.what, count=e.n_undefined, total=e.n_resamples)


def _few_resamples(context: CautionContext) -> Caution | None:
    e = context.estimate
    if e.n_resamples is None:
        return None
    beyond = e.n_resamples * e.level.tail
    if beyond >= REPLICATES_BEYOND:
        return None
    return caution("HW311", n_resamples=e.n_resamples, beyond=beyond)


def _unseen_failures(context: CautionContext) -> Caution | None:
    """An interval that would be much longer if cases could fail as none of these did."""
    e = context.estimate
    if context.undefined or not e.unseen_failures_matter:
        return None
    return caution("HW315", n=context.units_text, interval=e.unseen_failures_text)


def _no_distance(context: CautionContext) -> Caution | None:
    """Values that say nothing of how far others lie, so that ``auto`` takes the bounds."""
    e = context.estimate
    if context.undefined or not (context.stands_in and e.method == dirichlet.__name__):
        return None
    what = context.units_text
    if context.units >= spec_of(dirichlet_pareto).min_n:
        of_clusters = context.design is not None and context.design.sizes is not None
        spread = e.statistic_spec.spec.estimand is Estimand.SPREAD
        what += f" of one {'mean' if of_clusters and not spread else 'value'}"
    return caution("HW319", what=what, range=e.metric_spec.spec.bounds)


Rule = Callable[[CautionContext], Caution | None]
# About the bounds alone, whatever the cases are.
INTERVAL_RULES: tuple[Rule, ...] = (
    _bca_on_order_statistic,
    _no_width,
    _outside,
    _without_estimate,
    _no_interval,
    _level_out_of_reach,
    _extrapolated,
    _clipped,
    _undefined_resamples,
    _infinite,
    _few_resamples,
    _resampled_error,
)
RULES: tuple[Rule, ...] = (
    _missing,
    _identical_worst,
    *SAMPLE_RULES,
    *INTERVAL_RULES,
    _unseen_failures,
    _no_distance,
)


def interval_cautions(context: CautionContext) -> list[Caution]:
    """Cautions about the bounds and the method that they are by."""
    raised = [rule(context) for rule in INTERVAL_RULES]
    method = context.estimate.method_spec
    raised += [caution(code, method=method.title) for code in method.cautions]
    return [_not_what_ran(one, context) for one in raised if one is not None]
