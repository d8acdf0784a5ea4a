"""Caution rules about the sample: too few cases or clusters, outliers, proportions near an end."""

from __future__ import annotations

from collections.abc import Iterator

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.spec import Estimand, MethodSpec, Need, Promise, Takes, spec_of
from halfwidth.core.titles import statistic_title
from halfwidth.estimation.caution_context import CautionContext
from halfwidth.estimation.evidence_lookup import Findings
from halfwidth.intervals.dirichlet_intervals import open_side
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
# Cases from which means and SDs without bounds are covered as often as what the study found has to
# be (decision 0090).
WITHOUT_BOUNDS = {Estimand.MEAN: 12, Estimand.SPREAD: 25}
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


def case_cautions(context: CautionContext) -> Iterator[Caution | None]:
    """Too few or unequal units, values far from all others, a proportion near an end."""
    e, method, design = context.estimate, context.estimate.method_spec, context.design
    guaranteed = Promise.GUARANTEED in method.promises
    if not (guaranteed or context.undefined or e.over == "runs"):
        if design is not None and design.sizes is not None:
            yield _few_clusters(context, design)
        else:
            yield _few_cases(context)
    if design is not None and not design.independent:
        yield from _about_units(context, design)
    spec = e.statistic_spec.spec
    leans = spec.smooth and spec.estimand in (Estimand.MEAN, Estimand.SPREAD)
    enough = len(context.values) >= FEWEST_FOR_SHAPE and context.successes is None
    if leans and enough and not (guaranteed or context.constant):
        yield _outliers(context)
    # Score and exact intervals know the binomial distribution, and cover at its ends as elsewhere.
    binomial = Need.SUCCESSES in method.needs and not method.cautions
    if context.successes is not None and e.n and not (binomial and context.as_studied):
        yield _near_an_end(context.successes, e.n)


def _about_units(context: CautionContext, design: Design) -> Iterator[Caution]:
    """Clusters so unequal that a few of them decide, and strata of a single unit."""
    if design.sizes is not None:
        clusters, effective = design.units, design.effective_units
        if effective < min(_clusters_needed(context), UNEQUAL * clusters):
            yield caution("HW403", clusters=clusters, effective=effective)
    single, strata = design.strata.count(1), len(design.strata)
    if single and strata > 1 and not context.undefined:
        unit = "cluster" if "cluster" in context.units_text else "case"
        yield caution("HW404", single=single, strata=strata, unit=unit)


def _few_cases(context: CautionContext) -> Caution | None:
    e, findings = context.estimate, context.findings
    if _is_placed_without_bounds(e):
        findings, least = Findings(), WITHOUT_BOUNDS[e.statistic_spec.spec.estimand]
        side = open_side(e.statistic_spec, e.metric_spec.spec.bounds, context.units)
        if side and e.alternative != "two-sided":
            # The end that is not open lies on the side without a tail.
            return None
    else:
        least = 0 if findings.rows else _declared_least(e)
    few = findings.too_few(e.n) if findings.rows else context.units < least
    if not few or (context.by_class and _left_to_classes(context)):
        return None
    needed = findings.needed_text if findings.rows else f"about {least} or more"
    return caution("HW201", n=context.units_text, what=e.subject, needed=needed)


def _is_placed_without_bounds(e: Estimate) -> bool:
    """Whether the data place its pseudo-cases, and no bound of the metric limits them."""
    placed = Need.OPEN_SIDE in e.method_spec.needs
    return placed and not e.metric_spec.spec.bounds.finite


def _left_to_classes(context: CautionContext) -> bool:
    """Whether the cases of the smallest class say more than those in all (HW204).

    Not of a part of an area, which rests on the few cases beyond its rate; nor of a method that was
    named and studied by n alone.
    """
    metric, studied = context.estimate.metric_spec, bool(context.class_findings.rows)
    if callable(metric.spec.reliable_n) and not metric.usual:
        return False
    if metric.spec.takes is Takes.PROBABILITIES and not studied:
        # Bins and curves need cases of any class.
        return False
    return context.chosen or studied or not context.findings.rows


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
    return caution(
        "HW201", n=count, what=context.estimate.subject, needed=f"about {needed} or more"
    )


def _clusters_needed(context: CautionContext) -> int:
    """Effective clusters from which on intervals by a method hold."""
    least = 0 if context.by_class else _declared_least(context.estimate)
    return clusters_needed(context.estimate.method_spec, least)


def clusters_needed(method: MethodSpec, least: int) -> int:
    """Effective clusters from which on its intervals hold, of a statistic that takes ``least``."""
    robust = {Need.ROBUST_ERROR, Need.TRIALS} & set(method.needs)
    return FEW_ROBUST if robust else max(least, FEW_CLUSTERS)


def _outliers(context: CautionContext) -> Caution | None:
    """Values far from all others that a mean or an SD leans on."""
    values, method = context.values, context.estimate.method_spec
    lower, upper = (float(quantile(values, q=q)) for q in (0.25, 0.75))
    reach = FAR_OUT * (upper - lower)
    # Without a spread between the quartiles every other value would be far out.
    outside = (values < lower - reach) | (values > upper + reach)
    far_out = int(outside.sum()) if reach > 0 else 0
    if not far_out or len(values) >= max(
        ABSORBS_OUTLIERS, COCHRAN * float(sample_skewness(values)) ** 2
    ):
        return None
    # Methods that lengthen the side of the tail, as those that ``auto`` takes do.
    minds_skew = context.chosen or SKEW_NEEDS & {*method.needs} or method is spec_of(hall)
    return caution(
        "HW202",
        detail=f"{far_out} of {len(values)} values far out (beyond {FAR_OUT:g} IQR)",
        what=statistic_title(context.estimate.statistic_spec),
        doubt="" if minds_skew else MAY_UNDER_COVER,
    )


def _near_an_end(successes: float, n: int) -> Caution | None:
    """A proportion of few failures or successes."""
    failures = n - successes
    rare, end = (failures, 1) if failures < successes else (successes, 0)
    if rare >= RARE or rare > NEAR_AN_END * n:
        return None
    kind = ("failure" if end else "success") + ("" if rare == 1 else "s" if end else "es")
    cases = "1 case" if n == 1 else f"{n} cases"
    return caution("HW203", rare=int(rare) or "no", kind=kind, n=cases, end=end)
