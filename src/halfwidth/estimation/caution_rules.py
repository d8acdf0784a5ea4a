"""Caution rules: a short function for each, all in `RULES`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.estimate import Estimate, statistic_title
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Better, Estimand, Kind, Need, Promise, Unanswered
from halfwidth.core.types import Array
from halfwidth.estimation.evidence import cases_needed, with_evidence
from halfwidth.estimation.runs.run_caution_rules import RUN_RULES
from halfwidth.estimation.test_sets.class_caution_rules import METRIC_RULES, ClassContext
from halfwidth.intervals.mean import sample_skewness, t
from halfwidth.intervals.quantile import semiparametric
from halfwidth.intervals.ranks import attainable_level, minimum_n
from halfwidth.resampling.designs import Design
from halfwidth.summaries.quantile import quantile

# Values beyond the quartiles by this many IQRs are "far out" (Tukey 1977). From so many cases
# on a sample absorbs them, unless they bring skewness.
FAR_OUT, ABSORBS_OUTLIERS = 3.0, 50
# Normal intervals for a mean want n above 25 times the squared skewness (Cochran 1977, section
# 2.15); the skewness of few values is too noisy to say that it is small.
STRONG_SKEW, COCHRAN = 1.0, 25.0
FEWEST_FOR_SHAPE = 5
# From this many identical worst values on, and this share, they look like a penalty.
FEWEST_PENALTIES, PENALTY_SHARE = 3, 0.01
# With fewer failures (or successes) than this the normal approximation is useless.
RARE, NEAR_AN_END = 5, 0.2
REPLICATES_BEYOND = 10
# Below so many clusters intervals of clustered data under-cover, however many cases they hold
# (tests/oracles/test_cluster_coverage.py). Unequal clusters weigh like fewer equal ones (Carter,
# Schnepel & Steigerwald 2017, without their term for the intra-cluster correlation); it matters
# where that is less than this share of their number.
FEW_EFFECTIVE, UNEQUAL = 20, 0.75


@frozen
class CautionContext:
    """What the rules look at.

    Attributes
    ----------
    estimate : Estimate
        Without its cautions.
    values : ndarray
        Per-case values, ascending; empty where only counts are known.
    n_infinite : int
        Infinite values among the missing ones.
    successes : float or None
        Where the estimate is a proportion.
    chosen : bool
        Whether ``auto`` chose the method.
    clipped : bool
        Whether a bound was cut to the range.
    infinite : bool
        Whether the method gave an infinite bound.
    design : Design or None
        Where there are samples.
    classes : ClassContext or None
        Where the metric is of a classification.
    """

    estimate: Estimate
    values: Array
    n_infinite: int = 0
    successes: float | None = None
    chosen: bool = False
    clipped: bool = False
    infinite: bool = False
    design: Design | None = None
    classes: ClassContext | None = None

    @property
    def what(self) -> str:
        """The estimated quantity in prose."""
        return self.estimate.subject

    @property
    def strata(self) -> tuple[int, ...]:
        """Units in each stratum."""
        return () if self.design is None else self.design.strata

    @property
    def units(self) -> int:
        """How many independent units there are."""
        return self.estimate.n if self.design is None else self.design.units

    @property
    def units_text(self) -> str:
        """The same with what they are: ``12 clusters``."""
        return f"{self.units} {self.noun}{'' if self.units == 1 else 's'}"

    @property
    def noun(self) -> str:
        """What an independent unit is called."""
        if self.is_of_runs:
            return "run"
        clusters = self.estimate.over == "clusters" or (self.design and self.design.sizes)
        return "cluster" if clusters else "case"

    @property
    def is_of_runs(self) -> bool:
        """Whether values are of training runs."""
        return self.estimate.over == "runs"

    @property
    def constant(self) -> bool:
        """Whether all values are equal."""
        if self.successes is not None:
            return self.successes in (0, self.estimate.n)
        return bool(len(self.values)) and bool(self.values[0] == self.values[-1])

    @property
    def undefined(self) -> bool:
        """Whether there is no interval."""
        return math.isnan(self.estimate.low) or math.isnan(self.estimate.high)

    @property
    def as_studied(self) -> bool:
        """Whether cases were drawn and classes counted as in the study of real instances."""
        independent = self.design is None or self.design.independent
        usual = self.classes is None or self.classes.absent == "omit"
        return independent and usual and not self.undefined and not self.is_of_runs

    @property
    def guaranteed(self) -> bool:
        """Whether the method covers at any n."""
        return Promise.GUARANTEED in self.estimate.method_spec.promises


def cautions_for(context: CautionContext) -> tuple[Caution, ...]:
    """All cautions that the facts call for, in the order of their codes."""
    method = context.estimate.method_spec
    raised = [rule(context) for rule in RULES]
    if context.classes is not None:
        raised += [rule(context.estimate, context.classes) for rule in METRIC_RULES]
    if context.is_of_runs:
        raised += [rule(context.estimate) for rule in RUN_RULES]
    raised += [caution(code, method=method.title) for code in method.cautions]
    cautions = [one for one in raised if one is not None]
    ordered = tuple(sorted(cautions, key=lambda item: item.code))
    return with_evidence(ordered, context.estimate) if context.as_studied else ordered


# --------------------------------------------------------------------------- data


def _missing(context: CautionContext) -> Caution | None:
    e = context.estimate
    if not e.n_missing:
        return None
    policy = "left out" if e.missing == "omit" else "counted as the worst value"
    total = e.n + (e.n_missing if e.missing == "omit" else 0)
    infinite = f" ({context.n_infinite} of them infinite)" if context.n_infinite else ""
    return caution("HW101", count=e.n_missing, total=total, infinite=infinite, policy=policy)


def _identical_worst(context: CautionContext) -> Caution | None:
    spec, values = context.estimate.metric_spec.spec, context.values
    if spec.kind is Kind.BINARY or not len(values) or context.constant:
        return None
    end = spec.worst
    if end is None:
        end = {Better.HIGHER: values[0], Better.LOWER: values[-1]}.get(spec.better)
        if end is None or not _stands_apart(values, end):
            return None
    count = int((values == end).sum())
    if count < max(FEWEST_PENALTIES, PENALTY_SHARE * len(values)):
        return None
    return caution("HW103", count=count, total=len(values), value=float(end))


def _stands_apart(values: Array, end: float) -> bool:
    """Whether a value lies farther from all others than they reach from their median.

    A constant put in for failures does; the longest of many voxel distances, often tied, does not.
    """
    rest = values[values != end]
    nearest = rest[np.abs(rest - end).argmin()]
    return bool(abs(end - nearest) > abs(nearest - quantile(rest, q=0.5)))


def _fences(values: Array) -> tuple[float, float]:
    """The ends beyond which values are far out."""
    lower, upper = (float(quantile(values, q=q)) for q in (0.25, 0.75))
    reach = FAR_OUT * (upper - lower)
    return lower - reach, upper + reach


# --------------------------------------------------------------------------- sample


def _few_cases(context: CautionContext) -> Caution | None:
    e = context.estimate
    if context.guaranteed or context.undefined or context.is_of_runs:
        return None
    statistic = e.statistic_spec
    needed = statistic.spec.reliable_n(e.metric_spec.reliable_n, **statistic.parameters)
    if context.design is not None and context.design.sizes is not None:
        needed = max(needed, FEW_EFFECTIVE)
    needed_text = f"about {needed} or more"
    studied = cases_needed(e) if context.as_studied else None
    if studied is not None:
        reliable_from, largest = studied
        if reliable_from is None:
            needed, needed_text = largest + 1, f"more than {largest}"
        elif reliable_from > needed:
            needed, needed_text = reliable_from, f"about {reliable_from} or more"
    if context.units >= needed:
        return None
    return caution("HW201", n=context.units_text, what=context.what, needed=needed_text)


def _outliers(context: CautionContext) -> Caution | None:
    spec, values = context.estimate.statistic_spec.spec, context.values
    sensitive = spec.smooth and spec.estimand in (Estimand.MEAN, Estimand.SPREAD)
    if not sensitive or context.successes is not None or len(values) < FEWEST_FOR_SHAPE:
        return None
    if context.guaranteed or context.constant:
        return None
    low, high = _fences(values)
    # Without a spread between the quartiles every other value would be far out.
    n_far_out = int(((values < low) | (values > high)).sum()) if low < high else 0
    skewness = float(sample_skewness(values))
    skewed = abs(skewness) > STRONG_SKEW and len(values) < COCHRAN * skewness**2
    if not skewed and not (n_far_out and len(values) < ABSORBS_OUTLIERS):
        return None
    details = [f"{n_far_out} of {len(values)} values far out (beyond 3 IQR)"] * bool(n_far_out)
    details += [f"skewness {skewness:.1f}"] * skewed
    what = statistic_title(context.estimate.statistic_spec)
    return caution("HW202", detail=", ".join(details), what=what)


def _near_an_end(context: CautionContext) -> Caution | None:
    e, successes = context.estimate, context.successes
    if successes is None or not e.n:
        return None
    failures = e.n - successes
    rare, end = (failures, 1) if failures < successes else (successes, 0)
    if rare >= RARE or rare > NEAR_AN_END * e.n:
        return None
    kind = ("failure" if end else "success") + ("" if rare == 1 else "s" if end else "es")
    return caution("HW203", rare=int(rare) or "no", kind=kind, n=_cases(e.n), end=end)


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
    reason = (
        f"all values of {context.units_text} are equal"
        if context.constant
        else "both bounds fall on tied values"
    )
    return caution("HW304", reason=reason)


def _outside(context: CautionContext) -> Caution | None:
    e = context.estimate
    if context.undefined or (e.low >= e.range.low and e.high <= e.range.high):
        return None
    low, high = e.text_of(e.low), e.text_of(e.high)
    return caution("HW305", low=low, high=high, range=e.range, what=context.what)


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


def _why_no_interval(context: CautionContext) -> tuple[str, str]:
    e = context.estimate
    if math.isnan(e.value):
        return f"the {context.what} of {context.units_text} is undefined", "collect more cases"
    clustered = context.design is not None and context.design.sizes is not None
    least = max(e.method_spec.fewest_units(clustered=clustered), 1)
    if context.units < least:
        unit = "clusters" if "cluster" in context.units_text else "cases"
        needed = f"it needs at least {least} {unit} and there "
        hint = f"{t.__name__} works from 2 {unit} on" if context.units > 1 and _is_mean(e) else ""
        are = "is" if context.units == 1 else "are"
        return f"{needed}{are} {context.units}", hint or f"collect more {unit}"
    if len(context.strata) > 1 and max(context.strata) < 2:
        return "no stratum holds two units that could be compared", "leave strata out"
    if e.method_spec.no_interval is not None:
        return e.method_spec.no_interval(_unanswered(context))
    if e.method_spec.resamples:
        return "the statistic is undefined on every resample", "choose another statistic"
    return "its formula is undefined on these values", "choose another method, or auto"


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
    if not context.chosen or e.method != semiparametric.__name__ or context.undefined:
        return None
    q = e.statistic_spec.quantile_level
    return caution(
        "HW308",
        n=context.units_text,
        # Rounded down: what is out of reach must not read as the level that is wanted.
        attainable=math.floor(1e4 * attainable_level(context.units, q, e.level)) / 1e4,
        what=f"{q:g} quantile" if context.is_of_runs else statistic_title(e.statistic_spec),
        wanted=e.confidence_level,
        needed=f"{minimum_n(q, e.level)} {context.noun}s",
    )


def _clipped(context: CautionContext) -> Caution | None:
    e = context.estimate
    if not context.clipped:
        return None
    return caution("HW309", method=e.method_spec.title, range=e.range, what=context.what)


def _infinite(context: CautionContext) -> Caution | None:
    if not context.infinite or context.undefined:
        return None
    e = context.estimate
    if e.method_spec.distribution is Need.STUDENTIZED:
        return caution("HW312")
    return caution("HW314", what=context.what)


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


# --------------------------------------------------------------------------- design


def _unequal_clusters(context: CautionContext) -> Caution | None:
    if context.design is None or context.design.sizes is None:
        return None
    sizes = context.design.unit_sizes.astype(float)
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    if effective >= min(FEW_EFFECTIVE, UNEQUAL * len(sizes)):
        return None
    return caution("HW403", clusters=len(sizes), effective=effective)


def _single_units(context: CautionContext) -> Caution | None:
    single = sum(units == 1 for units in context.strata)
    if not single or len(context.strata) == 1 or context.undefined:
        return None
    unit = "cluster" if "cluster" in context.units_text else "case"
    return caution("HW404", single=single, strata=len(context.strata), unit=unit)


def _cases(n: int) -> str:
    return "1 case" if n == 1 else f"{n} cases"


RULES: tuple[Callable[[CautionContext], Caution | None], ...] = (
    _missing,
    _identical_worst,
    _few_cases,
    _outliers,
    _near_an_end,
    _bca_on_order_statistic,
    _no_width,
    _outside,
    _no_interval,
    _level_out_of_reach,
    _clipped,
    _undefined_resamples,
    _infinite,
    _few_resamples,
    _unequal_clusters,
    _single_units,
)
