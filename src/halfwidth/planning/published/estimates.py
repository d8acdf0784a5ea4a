"""Intervals from published numbers: a mean and an SD, a count, an AUROC and the class sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.formatting import decimals_for, fixed, fixed_apart
from halfwidth.core.kinds import Estimand
from halfwidth.core.spec import MethodSpec, Need, Statistic, StatisticSpec, range_of_values, spec_of
from halfwidth.core.types import Array, Level
from halfwidth.estimation.caution_context import CautionContext
from halfwidth.estimation.caution_rules import cautions_for
from halfwidth.estimation.one_sample import proportion_ci
from halfwidth.estimation.sample_caution_rules import MAY_UNDER_COVER
from halfwidth.estimation.test_sets.class_size_rules import FEW_OF_A_CLASS, NEAR_END
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.auc import delong_logit, hanley_mcneil, newcombe
from halfwidth.intervals.compute import Ingredients, apply
from halfwidth.intervals.mean import t as student_t
from halfwidth.metrics.ranking import auroc
from halfwidth.planning.published.claims import AurocClaim, Claim, CountClaim, MeanClaim
from halfwidth.planning.spread import Spread, SpreadModel
from halfwidth.results.estimate import Estimate
from halfwidth.summaries.all_statistics import STATISTICS

MEAN = Statistic(STATISTICS["mean"])
AUROC = Statistic(
    StatisticSpec(auroc.__name__, "AUROC", auroc, Estimand.AUROC, range_rule=range_of_values)
)


def estimates_of_claim(claim: Claim, level: Level) -> tuple[Estimate, ...]:
    """The estimate to quote, followed by others of the same number for comparison."""
    match claim:
        case MeanClaim():
            estimate = mean_estimate(claim, claim.spread.sd, level)
            return (_with_spread_cautions(estimate, claim, level),)
        case CountClaim():
            estimate = replace(
                proportion_ci(claim.successes, claim.n, confidence_level=level.confidence_level),
                label=claim.label,
                metric_spec=claim.metric,
                given_decimals=claim.decimals,
            )
            return (estimate,)
        case AurocClaim():
            return auroc_estimates(claim, level)


# --------------------------------------------------------------------------- means


def mean_estimate(claim: MeanClaim, sd: float, level: Level) -> Estimate:
    """Student's t about a published mean, cut to the metric's range."""
    ingredients = Ingredients(
        {
            Need.ESTIMATE: lambda: np.array([claim.value]),
            Need.ROBUST_ERROR: lambda: np.array([sd / np.sqrt(claim.n)]),
            Need.DEGREES_OF_FREEDOM: lambda: claim.n - 1,
        }
    )
    return _apply_method(claim, spec_of(student_t), ingredients, MEAN, level)


def _apply_method(
    claim: Claim, method: MethodSpec, ingredients: Ingredients, statistic: Statistic, level: Level
) -> Estimate:
    computed = apply(method, ingredients, level, claim.metric.spec.bounds, clip=True)
    estimate = Estimate(
        value=claim.value,
        low=float(computed.interval.low[0]),
        high=float(computed.interval.high[0]),
        level=level,
        metric_spec=claim.metric,
        statistic_spec=statistic,
        method_spec=method,
        n=claim.n,
        label=claim.label,
        given_decimals=claim.decimals,
        standard_error=float(computed.interval.standard_error[0]),
    )
    context = CautionContext(estimate, clipped=bool(computed.clipped[0]))
    # The caution about equal values is added below, where the SD is known.
    raised = [one for one in cautions_for(context) if one.code != "HW304"]
    return replace(estimate, cautions=tuple(raised))


def _with_spread_cautions(estimate: Estimate, claim: MeanClaim, level: Level) -> Estimate:
    spread = claim.spread
    raised: list[Caution] = list(estimate.cautions)
    if spread.model is not None:
        raised.append(_guessed_sd(estimate, claim, spread.model, level))
    if spread.sd == 0:
        at_end = "a mean at the end of the range leaves no spread"
        reason = "the published spread is 0" if spread.model is None else at_end
        raised.append(caution("HW304", reason=reason))
    raised += _skewed_values(estimate, spread)
    return replace(estimate, cautions=tuple(sorted(raised, key=lambda item: item.code)))


def _guessed_sd(estimate: Estimate, claim: MeanClaim, model: SpreadModel, level: Level) -> Caution:
    spread = claim.spread
    ends = [mean_estimate(claim, sd, level).halfwidth for sd in (spread.low, spread.high)]
    places = decimals_for(estimate.value, ends[0] or ends[1])
    low, high = (fixed(end, places) for end in ends)
    beyond = "; its mean lies beyond theirs" if spread.outside else ""
    return caution(
        "HW106",
        sd=fixed_apart(spread.sd, 2),
        low=fixed_apart(spread.low, 2),
        high=fixed_apart(spread.high, 2),
        instances=model.instances,
        tasks=model.tasks,
        sources=" and ".join(model.sources),
        beyond=beyond,
        width_low=low,
        width_high=high,
    )


def _skewed_values(estimate: Estimate, spread: Spread) -> list[Caution]:
    """Values that reach as far below their mean as above it have an SD within that reach."""
    bounds = estimate.metric_spec.spec.bounds
    for end, reach in (
        ("upper", bounds.high - estimate.value),
        ("lower", estimate.value - bounds.low),
    ):
        # With a guessed SD the smallest one counts, so that the caution is certain.
        if spread.low > reach:
            places = decimals_for(spread.low, spread.low)
            detail = (
                f"An SD of {fixed(spread.low, places + 1)} with a mean only "
                f"{fixed(reach, places + 1)} from the {end} end of the range needs a long tail"
            )
            return [caution("HW202", detail=detail, what="mean", doubt=MAY_UNDER_COVER)]
    return []


# --------------------------------------------------------------------------- AUROC


def auroc_estimates(claim: AurocClaim, level: Level) -> tuple[Estimate, ...]:
    """DeLong on the logit with the variance of normal scores, then Hanley and McNeil.

    If the scores separate the classes completely, both variances vanish, and Newcombe's interval
    remains.
    """
    area = np.array([claim.value])
    sizes = np.array([float(claim.positives)]), np.array([float(claim.negatives)])
    ingredients = Ingredients(
        {
            Need.ESTIMATE: lambda: area,
            Need.STANDARD_ERROR: lambda: binormal_se(area, *sizes),
            Need.CLUSTER_DEGREES: lambda: np.inf,
            Need.CLASS_UNITS: lambda: sizes,
        }
    )
    names = (
        (newcombe.__name__,)
        if claim.value in (0.0, 1.0)
        else (delong_logit.__name__, hanley_mcneil.__name__)
    )
    estimates = [_apply_method(claim, METHODS[name], ingredients, AUROC, level) for name in names]
    return tuple(replace(e, cautions=_with_class_cautions(e, claim)) for e in estimates)


def _with_class_cautions(estimate: Estimate, claim: AurocClaim) -> tuple[Caution, ...]:
    raised = list(estimate.cautions)
    count, name = min((claim.positives, "positive"), (claim.negatives, "negative"))
    if count < FEW_OF_A_CLASS:
        cases = f"{count} case{'' if count == 1 else 's'}"
        raised.append(
            caution(
                "HW204",
                name=f"Class {name}",
                count=cases,
                more="",
                what=estimate.subject,
                needed=f"about {FEW_OF_A_CLASS} or more",
            )
        )
    end = round(estimate.value)
    if abs(estimate.value - end) <= NEAR_END:
        value = fixed_apart(estimate.value, 3, (float(end),))
        raised.append(caution("HW207", what="AUROC", value=value, end=float(end)))
    return tuple(sorted(raised, key=lambda item: item.code))


def binormal_se(area: Array, positives: Any, negatives: Any) -> Array:
    """Standard error of an AUROC of normal scores with equal variances; 0 at A = 0 and A = 1.

    SE² = [A(1 - A) + (m - 1)(Q - A²) + (n - 1)(Q - A²)] / (mn), m positive and n negative cases,
    and Q = Φ₂(a, a; ½), a = Φ⁻¹(A): the probability that two positive cases both score above a
    negative one. Φ₂ is by Owen's T (1956): Φ₂(a, a; ½) = A - 2 T(a, 1/√3). DeLong's standard error
    is a little larger on average (`halfwidth.planning.aurocs.expected_delong_variance`).
    """
    from scipy import special

    both = area - 2 * special.owens_t(special.ndtri(area), 1 / np.sqrt(3))
    excess = both - area**2
    certain = (area <= 0) | (area >= 1)
    variance = (area * (1 - area) + (positives + negatives - 2) * excess) / (positives * negatives)
    return np.sqrt(np.where(certain, 0.0, np.maximum(variance, 0.0)))
