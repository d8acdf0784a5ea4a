"""A review in sentences: its assumptions, what the paper lacks, a paragraph to paste."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from halfwidth.core.formatting import decimals_for, fixed, fixed_apart, percent
from halfwidth.core.types import UNIT_INTERVAL
from halfwidth.intervals.auc import delong_logit, newcombe
from halfwidth.planning.published.claims import AurocClaim, CountClaim, MeanClaim
from halfwidth.planning.published.leads import Lead
from halfwidth.planning.spread import spread_models, usual_correlations, usual_spread

if TYPE_CHECKING:
    from halfwidth.planning.published.reviews import Review

# Rounding is mentioned if it may be this share of a difference.
NOTABLE_ROUNDING = 0.05
# Cautions that the sentence about the interval covers.
COVERED = ("HW106", "HW309")


def list_assumptions(review: Review) -> tuple[str, ...]:
    """What the interval assumes and the paper does not say."""
    claim = review.claim
    independent = f"the {claim.n} cases are independent of each other (no patient counts twice)"
    assumptions = [independent, *_assumptions_of_claim(review)]
    if review.lead is not None:
        assumptions.append("both models were tested on the same cases")
        if claim.rounding >= NOTABLE_ROUNDING * abs(review.lead.difference):
            assumptions.append(
                f"both values are as printed (rounding may have changed their difference by up to "
                f"{claim.rounding:g})"
            )
        if isinstance(claim, MeanClaim) and claim.rival and claim.spread == claim.rival.spread:
            assumptions.append("the values of the other model have the same SD")
    return tuple(assumptions)


def _assumptions_of_claim(review: Review) -> list[str]:
    match review.claim:
        case MeanClaim():
            return _assumptions_of_mean(review, review.claim)
        case CountClaim():
            return [
                *_inferred_count(review.claim),
                "each case is right or wrong, and any threshold was chosen on other cases",
            ]
        case AurocClaim():
            return _assumptions_of_auroc(review)


def _inferred_count(claim: CountClaim) -> list[str]:
    """The counts that print as the given share, if there are several."""
    low = math.ceil(claim.n * (claim.value - claim.half_unit) - 1e-6)
    high = math.floor(claim.n * (claim.value + claim.half_unit) + 1e-6)
    if low >= high:
        return []
    x = claim.successes
    return [f"the count is {x}, though {max(low, 0)} to {min(high, claim.n)} print alike"]


def _assumptions_of_mean(review: Review, claim: MeanClaim) -> list[str]:
    spread = claim.spread
    normal = _normal_mean(review)
    if spread.model is not None:
        model = spread.model
        guess = (
            f"the SD of the cases, which was not published, is {spread.sd:.2f}, as is usual for "
            f"this mean on {model.instances} instances of {' and '.join(model.sources)} (for 90 % "
            f"of tasks that the fit had not seen, between {spread.low:.2f} and {spread.high:.2f})"
        )
        return [guess, normal]
    if claim.source == "sem":
        return ["the SEM is SD/√n over cases, not over runs or folds", normal]
    if claim.source == "halfwidth":
        return ["what was published is half of a 95 % interval by t over cases", normal]
    basis = "the SD is that of cases (n - 1), not of runs or folds and not the SEM"
    return [basis + _sem_hint(claim), normal]


def _normal_mean(review: Review) -> str:
    """What a t interval assumes of the mean, and what contradicts it."""
    n, needed = review.claim.n, review.claim.metric.reliable_n
    supposed = f"the mean of {n} cases is nearly normal"
    if any(caution.code == "HW202" for caution in review.cautions):
        return f"{supposed}, which a long tail makes doubtful at any n that is not large"
    if n < needed:
        return f"{supposed}, which is doubtful below about {needed} cases"
    return f"{supposed} (so it is from about {needed} on, unless there is a long tail)"


def _sem_hint(claim: MeanClaim) -> str:
    """A hint if an SD is so small that it may be the SEM."""
    printed, spec = claim.spread, claim.metric.spec
    known = spec.name in spread_models() and spec.bounds == UNIT_INTERVAL
    if not known or not printed.sd:
        return ""
    usual = usual_spread(spec.name, claim.value, claim.n, spec.bounds)
    as_sem = printed.sd * math.sqrt(claim.n)
    if usual.outside or printed.sd >= usual.low or as_sem > usual.high:
        return ""
    return (
        f" (it is small: {usual.low:.2f} to {usual.high:.2f} is usual for this mean; were it the "
        f"SEM, the SD would be {as_sem:.2f} and the half-width {as_sem / printed.sd:.2g} times as "
        "large)"
    )


def _assumptions_of_auroc(review: Review) -> list[str]:
    named = {
        delong_logit.__name__: (
            "the scores are normal with equal variances in both classes: DeLong's own variance "
            "needs the scores (Hanley and McNeil's supposes exponential ones)"
        ),
        newcombe.__name__: "the variance is Hanley and McNeil's, with Newcombe's class sizes",
    }
    return [named[review.estimate.method]]


def missing_reports(review: Review) -> tuple[str, ...]:
    """What the paper should have reported."""
    claim, level = review.claim, percent(review.estimate.confidence_level)
    reports = {
        "mean": [f"the {level} CI of the mean with its method and n"],
        "proportion": [f"the {level} CI of the proportion and the count behind it"],
        "auroc": [f"the {level} CI of the AUROC by DeLong's method, and the size of each class"],
    }[claim.kind]
    if isinstance(claim, MeanClaim):
        reports += ["the SD over cases"] * (claim.source != "sd")
        reports.append("how many cases had no value and what they counted")
    if review.lead is not None:
        reports.append(
            {
                "mean": "the CI of the mean difference, case by case, or the values of both models "
                "for every case",
                "proportion": "how many cases only the one and only the other model got right",
                "auroc": "the CI of the difference by DeLong's paired method, or both models' "
                "scores",
            }[claim.kind]
        )
    return tuple(reports)


def review_findings(review: Review) -> str:
    """What is found of a published number: its interval and what it leads by."""
    sentences = [_interval_sentence(review)]
    if review.lead is not None:
        sentences.append(lead_sentence(review.lead, review.estimate.metric_spec.unit))
        sentences += _usual_correlation(review)
    messages = [one.message for one in review.cautions if one.code not in COVERED]
    sentences += [message[:1].upper() + message[1:] for message in messages]
    return " ".join(sentences)


def review_conditions(review: Review) -> str:
    """What a finding assumes, and what the authors should have reported."""
    return (
        f"This assumes that {'; '.join(review.assumptions)}. The authors should have reported "
        f"{'; '.join(review.should_have_reported)}."
    )


def _usual_correlation(review: Review) -> list[str]:
    """The usual correlations, where these are known."""
    lead, spec = review.lead, review.claim.metric.spec
    if lead is None or not lead.difference or spec.bounds != UNIT_INTERVAL:
        return []
    if not isinstance(review.claim, MeanClaim) or spec.name not in usual_correlations():
        return []
    usual = usual_correlations()[spec.name]
    sentence = (
        f"For comparison: {usual.pairs} pairs of models in a public benchmark whose means were "
        f"within {usual.within:g} of each other had correlations of {usual.low:.2f} to "
        f"{usual.high:.2f} (5 to 95 %; median {usual.median:.2f})."
    )
    return [sentence]


def _interval_sentence(review: Review) -> str:
    e, claim = review.estimate, review.claim
    unit = f" {e.metric_spec.unit}" if e.metric_spec.unit else ""
    value, low, high = (e.text_of(x) for x in (e.value, e.low, e.high))
    half = fixed(e.halfwidth, e.decimals)
    about = f"{e.label}: " if e.label else ""
    is_cut = any(caution.code == "HW309" for caution in e.cautions)
    cut = ", cut to the range of the metric" if is_cut else ""
    level = percent(e.confidence_level)
    match claim:
        case MeanClaim():
            sd = fixed_apart(claim.spread.sd, e.decimals)
            basis = f"n = {claim.n} and an SD of {sd}{unit}"
        case CountClaim():
            basis = f"{claim.successes} of {claim.n} cases"
        case AurocClaim():
            basis = f"{claim.positives} positive cases of {claim.n}"
    interval = (
        f"{about}From {basis} the {e.subject} of {value}{unit} has a {level} CI of {low} to "
        f"{high}{unit} (half-width {half}; {e.method_title}{cut})."
    )
    if not review.ends:
        return interval
    ends = [end.halfwidth for end in review.ends]
    narrow, wide = (fixed(end, decimals_for(e.value, min(ends))) for end in ends)
    return (
        f"{interval} This is an approximation: the SD is a guess from the mean, and over the SDs "
        f"that are plausible for it the half-width is {narrow} to {wide}{unit}."
    )


# --------------------------------------------------------------------------- leads


def lead_sentence(lead: Lead, unit: str) -> str:
    """Whether a lead is larger than noise, in a sentence or two."""
    places = lead.decimals
    size, other = fixed(abs(lead.difference), places), fixed(lead.versus, places)
    noun = {True: "lead", False: "lag", None: "difference"}[lead.ahead]
    unit = f" {unit}" if unit else ""
    preposition = {True: "over", False: "behind", None: "from"}[lead.ahead]
    if lead.difference == 0:
        return f"There is no difference from {other}{unit}."
    sentence = (
        f"The {noun} of {size}{unit} {preposition} {other}{unit} is larger than noise "
        f"{correlation_needed(lead.needed, lead)}."
    )
    low, high = lead.needed_low, lead.needed_high
    if low == high:
        return sentence
    return (
        f"{sentence} With the smallest plausible SD it is so {correlation_needed(low, lead)}, with "
        f"the largest {correlation_needed(high, lead)}."
    )


def correlation_needed(needed: float, lead: Lead) -> str:
    """The correlation above which a lead is larger than noise, in words."""
    if needed == -math.inf:
        return f"whatever the correlation of the {lead.of}"
    if needed == math.inf:
        return f"at no correlation of the {lead.of}" + " that the counts allow" * (lead.most < 1)
    if needed <= 0:
        return f"even if the {lead.of} are not correlated"
    return f"only if the correlation of the {lead.of} is {correlation_text(needed)} or more"


def correlation_text(needed: float) -> str:
    """A threshold rounded up, so that statements about it hold.

    >>> correlation_text(0.7712), correlation_text(0.9991)
    ('0.78', '0.9991')
    """
    places = 2 if needed <= 0.99 else 4
    return f"{math.ceil(needed * 10**places - 1e-9) / 10**places:.{places}f}"
