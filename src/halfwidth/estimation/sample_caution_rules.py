"""Caution rules about the sample: too few cases or clusters, outliers, proportions near an end."""

from __future__ import annotations

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.spec import Estimand, Need, Takes, spec_of
from halfwidth.core.titles import statistic_title
from halfwidth.core.types import Array
from halfwidth.estimation.caution_context import CautionContext
from halfwidth.estimation.evidence_lookup import Found, found_for
from halfwidth.intervals.mean import hall, sample_skewness
from halfwidth.resampling.designs import Design
from halfwidth.results.estimate import Estimate
from halfwidth.summaries.quantiles import quantile

# Values beyond the quartiles by this many IQRs are far out: 1 to 3 % of samples of 30 to 200
# values without failures have one, and 42 % of those of real instances (decision 0043). From so
# many cases on a sample absorbs them, unless they make it as skewed as Cochran (1977, section
# 2.15) says: normal intervals for a mean want n above 25 times the squared skewness. Skewness
# without such values did not go with less coverage.
FAR_OUT, ABSORBS_OUTLIERS, COCHRAN = 4.0, 50, 25.0
FEWEST_FOR_SHAPE = 5
# What methods need that mind skewness, besides Hall's.
SKEW_NEEDS = {Need.ACCELERATION, Need.STUDENTIZED, Need.WEIGHTED}
MAY_UNDER_COVER = ", whose interval may under-cover"
# With fewer failures (or successes) than this the normal approximation is useless.
RARE, NEAR_AN_END = 5, 0.2
# Fewer effective clusters under-cover, however many cases they hold: unequal clusters weigh like
# fewer equal ones (Kish). Intervals from the jackknife over clusters, and of proportions on the
# trials that it leaves, hold from the first number on (decision 0042), others from the second
# (tests/oracles/test_cluster_coverage.py). Inequality matters where fewer than the share of the
# clusters are left.
FEW_ROBUST, FEW_CLUSTERS, UNEQUAL = 5, 20, 0.75


def few_cases(context: CautionContext) -> Caution | None:
    """Fewer cases, or clusters, than reliable intervals take."""
    e = context.estimate
    if context.guaranteed or context.undefined or context.is_of_runs:
        return None
    if context.design is not None and context.design.sizes is not None:
        return _few_clusters(context, context.design)
    found = found_for(e, chosen=context.chosen) if context.as_studied else Found()
    if context.by_class and _left_to_classes(context, found):
        return None
    if found.rows:
        few, needed = found.too_few(e.n), found.needed_text
    else:
        least = _declared_least(e)
        few, needed = context.units < least, f"about {least} or more"
    if not few:
        return None
    return caution("HW201", n=context.units_text, what=context.what, needed=needed)


def _left_to_classes(context: CautionContext, found: Found) -> bool:
    """Whether the cases of the smallest class say more than those in all (HW204).

    Not of a part of an area, which rests on the few cases beyond its rate; nor of a method that was
    named and studied by n alone.
    """
    metric = context.estimate.metric_spec
    if callable(metric.spec.reliable_n) and not metric.usual:
        return False
    by_class = found_for(context.estimate, chosen=context.chosen, by_class=True)
    if metric.spec.takes is Takes.PROBABILITIES and not by_class.rows:
        # Bins and curves need cases of any class.
        return False
    return context.chosen or bool(by_class.rows) or not found.rows


def _declared_least(e: Estimate) -> int:
    """Cases for reliable coverage as the specs of statistic and metric say."""
    statistic = e.statistic_spec
    return statistic.spec.reliable_n(e.metric_spec.reliable_n, **statistic.parameters)


def _few_clusters(context: CautionContext, design: Design) -> Caution | None:
    needed = _clusters_needed(context)
    if design.effective_units >= needed:
        return None
    count = context.units_text
    if not design.equal_sizes:
        count += f" that weigh like {design.effective_units:.3g} equal ones"
    return caution("HW201", n=count, what=context.what, needed=f"about {needed} or more")


def _clusters_needed(context: CautionContext) -> int:
    """Effective clusters from which on intervals by a method hold."""
    e = context.estimate
    if {Need.ROBUST_ERROR, Need.TRIALS} & set(e.method_spec.needs):
        return FEW_ROBUST
    return FEW_CLUSTERS if context.by_class else max(_declared_least(e), FEW_CLUSTERS)


def outliers(context: CautionContext) -> Caution | None:
    """Values far from all others that a mean or an SD leans on."""
    spec, values = context.estimate.statistic_spec.spec, context.values
    sensitive = spec.smooth and spec.estimand in (Estimand.MEAN, Estimand.SPREAD)
    if not sensitive or context.successes is not None or len(values) < FEWEST_FOR_SHAPE:
        return None
    if context.guaranteed or context.constant:
        return None
    low, high = _fences(values)
    # Without a spread between the quartiles every other value would be far out.
    n_far_out = int(((values < low) | (values > high)).sum()) if low < high else 0
    absorbs = max(ABSORBS_OUTLIERS, COCHRAN * float(sample_skewness(values)) ** 2)
    if not n_far_out or len(values) >= absorbs:
        return None
    return caution(
        "HW202",
        detail=f"{n_far_out} of {len(values)} values far out (beyond {FAR_OUT:g} IQR)",
        what=statistic_title(context.estimate.statistic_spec),
        doubt="" if _minds_skew(context) else MAY_UNDER_COVER,
    )


def _minds_skew(context: CautionContext) -> bool:
    """Whether a method lengthens the side of the tail, as those that `auto` takes do."""
    method = context.estimate.method_spec
    corrected = SKEW_NEEDS & set(method.needs) or method is spec_of(hall)
    return context.chosen or bool(corrected)


def _fences(values: Array) -> tuple[float, float]:
    """The ends beyond which values are far out."""
    lower, upper = (float(quantile(values, q=q)) for q in (0.25, 0.75))
    reach = FAR_OUT * (upper - lower)
    return lower - reach, upper + reach


def near_an_end(context: CautionContext) -> Caution | None:
    """A proportion of few failures or successes by a method that is normal or draws resamples.

    Score and exact intervals know the binomial distribution, and cover there as elsewhere.
    """
    e, successes = context.estimate, context.successes
    binomial = Need.SUCCESSES in e.method_spec.needs and not e.method_spec.cautions
    if successes is None or not e.n or (binomial and context.as_studied):
        return None
    failures = e.n - successes
    rare, end = (failures, 1) if failures < successes else (successes, 0)
    if rare >= RARE or rare > NEAR_AN_END * e.n:
        return None
    kind = ("failure" if end else "success") + ("" if rare == 1 else "s" if end else "es")
    cases = "1 case" if e.n == 1 else f"{e.n} cases"
    return caution("HW203", rare=int(rare) or "no", kind=kind, n=cases, end=end)


def unequal_clusters(context: CautionContext) -> Caution | None:
    """Clusters so unequal that a few of them decide."""
    if context.design is None or context.design.sizes is None:
        return None
    clusters, effective = context.design.units, context.design.effective_units
    if effective >= min(_clusters_needed(context), UNEQUAL * clusters):
        return None
    return caution("HW403", clusters=clusters, effective=effective)


def single_units(context: CautionContext) -> Caution | None:
    """Strata of a single unit, whose spread cannot be seen."""
    single = sum(units == 1 for units in context.strata)
    if not single or len(context.strata) == 1 or context.undefined:
        return None
    unit = "cluster" if "cluster" in context.units_text else "case"
    return caution("HW404", single=single, strata=len(context.strata), unit=unit)


SAMPLE_RULES = (few_cases, outliers, near_an_end, unequal_clusters, single_units)
