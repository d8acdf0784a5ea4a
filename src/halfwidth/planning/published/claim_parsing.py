"""Claims made of the printed numbers of a paper, checked once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, cast

from halfwidth.core.errors import DataError, HalfwidthError, closest
from halfwidth.core.metric_spec import PROPORTION
from halfwidth.core.spec import Metric
from halfwidth.core.types import UNIT_INTERVAL, Level
from halfwidth.metrics.agreement import accuracy
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS
from halfwidth.metrics.names import resolve_metric
from halfwidth.metrics.rates import npv, ppv, sensitivity, specificity
from halfwidth.planning.published.claims import (
    AurocClaim,
    Claim,
    ClaimKind,
    CountClaim,
    MeanClaim,
    SpreadSource,
)
from halfwidth.planning.published.printed_numbers import (
    MOST_ROUNDING,
    ClaimError,
    check_in_range,
    decimals_in,
    most_decimals,
    read_label,
    read_number,
    read_scale,
    read_whole_number,
    rounding_of_difference,
)
from halfwidth.planning.spread import Spread, largest_sd, usual_spread

# What a paper prints after a ±; each leads to the SD of the cases.
SPREADS = ("sd", "sem", "halfwidth")
# What a row of published numbers may hold.
FIELDS = (
    *("n", "mean", *SPREADS, "metric", "correct", "auroc", "positives"),
    *("versus", "versus_sd", "versus_correct", "versus_n", "scale", "label"),
)
# Level of a published interval.
PUBLISHED = Level(0.95)
# Metrics of a test set that are proportions of all its cases, so that the count is known.
SHARES = (accuracy.__name__, "correct")
# Metrics of a test set that are proportions of some cases.
SHARES_OF_SOME = (sensitivity.__name__, specificity.__name__, ppv.__name__, npv.__name__)
# The fields that go with each published number.
_COMPANIONS: dict[str, tuple[str, ...]] = {
    "mean": ("mean", *SPREADS, "versus", "versus_sd", "versus_n", "scale", "metric"),
    "correct": ("correct", "versus_correct", "versus_n", "metric"),
    "auroc": ("auroc", "positives", "versus", "scale", "metric"),
}


def parse_claim(fields: dict[str, Any], bounds: Any) -> Claim:
    """The claim made by some of the `FIELDS`; a `ClaimError` names the one that is impossible."""
    printed = {name: fields.get(name) for name in FIELDS}
    kind = _claim_kind(printed)
    if printed["n"] is None:
        raise ClaimError("n", "n is missing: give the number of cases")
    n = read_whole_number("n", printed["n"])
    if n < 1:
        raise ClaimError("n", f"n={n} is no number of cases; it is 1 or more")
    if n == 1 and kind != "proportion":
        why = "one case has no spread" if kind == "mean" else "it takes a case of each class"
        raise ClaimError("n", f"n=1 allows no interval: {why}")
    if kind == "mean":
        return _parse_mean(n, printed, bounds)
    if kind == "proportion":
        return _parse_count(n, printed, bounds)
    return _parse_auroc(n, printed, bounds)


def _claim_kind(printed: dict[str, Any]) -> ClaimKind:
    """What was published; refuses fields that would be ignored."""
    heads = [name for name in _COMPANIONS if printed[name] is not None]
    if len(heads) != 1:
        listed = ", ".join(heads)
        text = f"{listed} exclude each other" if heads else "there is no published number"
        raise ClaimError(heads[1] if heads else "mean", f"{text}: give mean, correct or auroc")
    (head,) = heads
    allowed = (*_COMPANIONS[head], "n", "label")
    stray = [name for name in FIELDS if printed[name] is not None and name not in allowed]
    # A scale of 1 changes nothing.
    stray = [name for name in stray if not (name == "scale" and printed["scale"] == 1)]
    if stray:
        instead = "give versus_correct" if stray[0] == "versus" else "leave it out"
        raise ClaimError(stray[0], f"{stray[0]} has no effect with {head}; {instead}")
    if head == "mean":
        return "mean"
    return "proportion" if head == "correct" else "auroc"


# --------------------------------------------------------------------------- means


def _metric_name(printed: dict[str, Any]) -> str:
    """The metric as it was called, in lower case; empty if there is none."""
    metric = printed["metric"]
    return metric.strip().lower() if isinstance(metric, str) else "" if metric is None else "?"


def _parse_mean(n: int, printed: dict[str, Any], bounds: Any) -> MeanClaim | CountClaim:
    name = _metric_name(printed).partition(":")[0].strip()
    without_spread = all(printed[field] is None for field in SPREADS)
    if name in SHARES and without_spread and bounds is None:
        return _parse_share(n, printed)
    metric = _metric_of_cases(printed["metric"], bounds)
    scale = read_scale(printed)
    value = read_number("mean", printed["mean"]) / scale
    check_in_range("mean", value, metric.spec.bounds, printed["mean"], scale)
    spread, source = _parse_spread(n, printed, metric, value, scale)
    claim = MeanClaim(
        n=n,
        value=value,
        metric=metric,
        spread=spread,
        source=source,
        rounding=rounding_of_difference("mean", printed, scale, metric.spec.bounds),
        decimals=most_decimals(printed, ("mean", "versus"), scale),
        label=read_label(printed),
    )
    return replace(claim, rival=_parse_rival(claim, printed, scale))


def _parse_rival(claim: MeanClaim, printed: dict[str, Any], scale: float) -> MeanClaim | None:
    if printed["versus"] is None:
        if printed["versus_sd"] is not None:
            raise ClaimError("versus_sd", "versus_sd has no effect without versus")
        _rival_n(printed, claim.n)
        return None
    n, metric = _rival_n(printed, claim.n), claim.metric
    bounds = metric.spec.bounds
    value = read_number("versus", printed["versus"]) / scale
    check_in_range("versus", value, bounds, printed["versus"], scale)
    spread = claim.spread
    if printed["versus_sd"] is not None:
        sd = _sd_of_cases("versus_sd", printed["versus_sd"], printed["versus"], n, metric, scale)
        spread = Spread.known(sd)
    elif claim.source == "guess":
        spread = usual_spread(metric.spec.name, value, n, bounds)
    return replace(claim, n=n, value=value, spread=spread)


def _rival_n(printed: dict[str, Any], n: int) -> int:
    """Cases of the other model, which are those of the first unless their number is given."""
    if printed["versus_n"] is None:
        return n
    if printed["versus"] is None and printed["versus_correct"] is None:
        raise ClaimError("versus_n", "versus_n has no effect without the value of another model")
    found = read_whole_number("versus_n", printed["versus_n"])
    least = 1 if printed["sd"] is printed["sem"] is printed["halfwidth"] is None else 2
    if found < least:
        raise ClaimError("versus_n", f"versus_n={found} is too few cases; it is {least} or more")
    return found


def _parse_spread(
    n: int, printed: dict[str, Any], metric: Metric, value: float, scale: float
) -> tuple[Spread, SpreadSource]:
    spreads = [field for field in SPREADS if printed[field] is not None]
    if len(spreads) > 1:
        listed = " and ".join(spreads)
        raise ClaimError(
            spreads[1], f"{listed} exclude each other: give the one that the paper prints"
        )
    if spreads:
        (field,) = spreads
        sd = _sd_of_cases(field, printed[field], printed["mean"], n, metric, scale)
        return Spread.known(sd), cast("SpreadSource", field)
    try:
        return usual_spread(metric.spec.name, value, n, metric.spec.bounds), "guess"
    except DataError as error:
        raise ClaimError("sd", str(error)) from None


def _sd_per_spread(field: str, n: int) -> float:
    """The factor from a published spread to the SD."""
    if field == "sem":
        return math.sqrt(n)
    if field == "halfwidth":
        from scipy import special

        return math.sqrt(n) / float(-special.stdtrit(n - 1, PUBLISHED.tail))
    return 1.0


def _sd_of_cases(
    field: str, printed: Any, mean_printed: Any, n: int, metric: Metric, scale: float
) -> float:
    """The SD of cases from a printed spread; refuses one that no values in the range can have."""
    number, mean = read_number(field, printed), read_number("mean", mean_printed)
    if number < 0:
        raise ClaimError(field, f"{field} {number:g} is negative; a spread is 0 or more")
    bounds = metric.spec.bounds
    half = 0.5 * 10.0 ** -max(decimals_in(number), decimals_in(mean)) / scale
    # Trailing zeros of a print are lost: 0.9 was printed with two decimals at least.
    half = min(half, MOST_ROUNDING * bounds.width)
    number, mean = number / scale, mean / scale
    factor = _sd_per_spread(field, n)
    # Printed numbers are rounded: a mean of 1.00 may be .995.
    means = [min(max(mean + step, bounds.low), bounds.high) for step in (-half, 0.0, half)]
    most = max(largest_sd(each, n, bounds) for each in means)
    if (number - half) * factor > most * (1 + 1e-9):
        as_sd = f" (an SD of {number * factor:.4g})" if factor != 1 else ""
        raise ClaimError(
            field,
            f"{field} {number:g}{as_sd} is impossible: {n} values in {bounds} with mean {mean:g} "
            f"have an SD of {most:.4g} at most; check n, the metric and the unit (scale 100 for "
            "per cent)",
        )
    return number * factor


def _metric_of_cases(name: Any, bounds: Any) -> Metric:
    bare = str("" if name is None else name).partition(":")[0].strip().lower()
    if isinstance(name, str) and bounds is None and bare not in METRICS and bare in SAMPLE_METRICS:
        hint = {
            "auroc": "give it as auroc, with positives",
            accuracy.__name__: "give n and the count that is right (correct)",
        }.get(bare, "ask for the confusion matrix or the predictions")
        raise ClaimError(
            "metric",
            f"{bare} is a metric of a whole test set, not a mean over cases: {hint}",
        )
    try:
        return resolve_metric(name, bounds)
    except HalfwidthError as error:
        raise ClaimError("metric", str(error)) from None


# --------------------------------------------------------------------------- proportions


def _parse_count(n: int, printed: dict[str, Any], bounds: Any) -> CountClaim:
    counts: dict[str, int] = {}
    other = _rival_n(printed, n)
    for field, of in (("correct", n), ("versus_correct", other)):
        if printed[field] is None:
            continue
        count = read_whole_number(field, printed[field])
        if not 0 <= count <= of:
            raise ClaimError(field, f"{field} {count} of n={of}: it lies between 0 and n")
        counts[field] = count
    right, rival_right = counts["correct"], counts.get("versus_correct")
    if bounds is not None:
        raise ClaimError("correct", "bounds have no effect with correct; leave them out")
    metric = _metric_of_shares(printed["metric"])
    claim = CountClaim(
        n=n, value=right / n, metric=metric, successes=right, label=read_label(printed)
    )
    if rival_right is None:
        return claim
    rival = replace(claim, n=other, value=rival_right / other, successes=rival_right)
    return replace(claim, rival=rival)


def _metric_of_shares(name: Any) -> Metric:
    if name is None:
        return Metric(PROPORTION)
    bare = str(name).strip().lower()
    if bare == "correct":
        return Metric(METRICS["correct"])
    if bare in (accuracy.__name__, *SHARES_OF_SOME):
        return Metric(SAMPLE_METRICS[bare])
    known = (accuracy.__name__, "correct", *SHARES_OF_SOME)
    nearest = closest(bare, known)
    proposal = f"; did you mean {nearest!r}?" if nearest else ""
    raise ClaimError(
        "metric", f"{name!r} is no proportion of cases{proposal}; with correct: {', '.join(known)}"
    )


def _parse_share(n: int, printed: dict[str, Any]) -> CountClaim:
    """An accuracy printed as a share: infers the count."""
    scale = read_scale(printed)
    counts = {}
    sizes = (n, _rival_n(printed, n))
    names = (("mean", "correct"), ("versus", "versus_correct"))
    for of, (field, count_field) in zip(sizes, names, strict=True):
        if printed[field] is None:
            continue
        number = read_number(field, printed[field])
        share = number / scale
        check_in_range(field, share, UNIT_INTERVAL, number, scale)
        count, half = round(share * of), 0.5 * 10.0 ** -decimals_in(number) / scale
        if abs(count / of - share) > half * (1 + 1e-9):
            raise ClaimError(
                field,
                f"{field} {number:g} is no share of n={of} cases: {count} of them are "
                f"{count / of * scale:.6g}; is n right?",
            )
        counts[count_field] = count
    if printed["versus_sd"] is not None:
        raise ClaimError("versus_sd", f"versus_sd has no effect with {printed['metric']}")
    with_counts = {**printed, **counts, "versus_correct": counts.get("versus_correct")}
    return replace(
        _parse_count(n, with_counts, None),
        rounding=rounding_of_difference("mean", printed, scale, UNIT_INTERVAL),
        half_unit=0.5 * 10.0 ** -decimals_in(read_number("mean", printed["mean"])) / scale,
        decimals=most_decimals(printed, ("mean", "versus"), scale),
    )


# --------------------------------------------------------------------------- AUROC


def _parse_auroc(n: int, printed: dict[str, Any], bounds: Any) -> AurocClaim:
    if bounds is not None or _metric_name(printed) not in ("", "auroc"):
        raise ClaimError("metric", "with auroc the metric is auroc; leave metric and bounds out")
    scale = read_scale(printed)
    values = {}
    for field in ("auroc", "versus"):
        if printed[field] is not None:
            values[field] = read_number(field, printed[field]) / scale
            check_in_range(field, values[field], UNIT_INTERVAL, printed[field], scale)
    if printed["positives"] is None:
        raise ClaimError(
            "positives",
            "auroc needs positives, the number of positive cases: its variance "
            "rests on the smaller class",
        )
    positives = read_whole_number("positives", printed["positives"])
    if not 0 < positives < n:
        raise ClaimError(
            "positives",
            f"positives {positives} of n={n}: an AUROC needs a case of each class, so "
            "it lies between 1 and n - 1",
        )
    claim = AurocClaim(
        n=n,
        value=values["auroc"],
        metric=Metric(SAMPLE_METRICS["auroc"]),
        positives=positives,
        rounding=rounding_of_difference("auroc", printed, scale, UNIT_INTERVAL),
        decimals=most_decimals(printed, ("auroc", "versus"), scale),
        label=read_label(printed),
    )
    versus = values.get("versus")
    return claim if versus is None else replace(claim, rival=replace(claim, value=versus))
