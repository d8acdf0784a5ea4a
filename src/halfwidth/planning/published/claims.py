"""Published numbers: what a paper printed, checked once at the door."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from halfwidth.core.errors import DataError, HalfwidthError, closest
from halfwidth.core.spec import Metric
from halfwidth.core.types import UNIT_INTERVAL, Level
from halfwidth.estimation.resolve import PROPORTION, resolve_metric
from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS
from halfwidth.planning.published.printed_numbers import (
    MOST_ROUNDING,
    ClaimError,
    check_in_range,
    decimals_of,
    label_of,
    number_of,
    places_of,
    rounding_of,
    scale_of,
    whole_number_of,
)
from halfwidth.planning.spread import Spread, largest_sd, usual_spread

__all__ = ["FIELDS", "Claim", "ClaimError", "Of", "read_claim"]

Of = Literal["mean", "proportion", "auroc"]
Source = Literal["sd", "sem", "halfwidth", "guess", "counts"]
# What a row of published numbers may hold.
FIELDS = (
    "n",
    "mean",
    "sd",
    "sem",
    "halfwidth",
    "metric",
    "correct",
    "auroc",
    "positives",
    "versus",
    "versus_sd",
    "versus_correct",
    "scale",
    "label",
)
# What a paper prints after a ±; all of them lead to the SD of the cases.
SPREADS = ("sd", "sem", "halfwidth")
# Level of a published interval.
PUBLISHED = Level(0.95)
# Metrics of a test set that are proportions of all its cases, so that the count is known.
SHARES = ("accuracy", "correct")
# Metrics of a test set that are proportions of some cases.
SHARES_OF_SOME = ("sensitivity", "specificity", "ppv", "npv")


@dataclass(frozen=True)
class Claim:
    """What a paper printed, in the metric's unit, found possible.

    Attributes
    ----------
    n : int
        Cases.
    of : {"mean", "proportion", "auroc"}
    value : float
    metric : Metric
    spread : Spread or None
        SD of the cases (n - 1), where the value is their mean.
    source : {"sd", "sem", "halfwidth", "guess", "counts"}
        What the interval rests on.
    successes : int or None
    positives : int or None
    versus : float or None
        The value of the model that this one is said to beat, on the same cases.
    versus_spread : Spread or None
    versus_successes : int or None
    rounding : float
        By how much the rounding of two prints may have changed their difference.
    printed_to : float
        Half of the last digit of a share, from which a count was inferred; 0 where counts are
        given.
    decimals : int
        The most that a value was printed with, in the metric's unit; 0 where counts are given.
    label : str
    """

    n: int
    of: Of
    value: float
    metric: Metric
    spread: Spread | None = None
    source: Source = "counts"
    successes: int | None = None
    positives: int | None = None
    versus: float | None = None
    versus_spread: Spread | None = None
    versus_successes: int | None = None
    rounding: float = 0.0
    printed_to: float = 0.0
    decimals: int = 0
    label: str = ""


def read_claim(given: dict[str, Any], bounds: Any = None) -> Claim:
    """The claim that some of the `FIELDS` make.

    Parameters
    ----------
    given : dict
        By field; None where the paper says nothing.
    bounds : (low, high), optional
        Range of the values; replaces that of the metric.

    Returns
    -------
    Claim

    Raises
    ------
    ClaimError
        If a number cannot be, or the numbers do not fit together; it names the field.
    """
    told = {name: given.get(name) for name in FIELDS}
    of = _kind(told)
    if told["n"] is None:
        raise ClaimError("n", "n is missing: give the number of cases")
    n = whole_number_of("n", told["n"])
    if n < 1:
        raise ClaimError("n", f"n={n} is no number of cases; it is 1 or more")
    if n == 1 and of != "proportion":
        why = "one case has no spread" if of == "mean" else "it takes a case of each class"
        raise ClaimError("n", f"n=1 allows no interval: {why}")
    return {"mean": _of_mean, "proportion": _of_counts, "auroc": _of_auroc}[of](n, told, bounds)


# Which fields go with which.
_OWN: dict[str, tuple[str, ...]] = {
    "mean": ("mean", "sd", "sem", "halfwidth", "versus", "versus_sd", "scale", "metric"),
    "correct": ("correct", "versus_correct", "metric"),
    "auroc": ("auroc", "positives", "versus", "scale", "metric"),
}


def _kind(told: dict[str, Any]) -> Of:
    """What was published; refuses fields that would be ignored."""
    heads = [name for name in _OWN if told[name] is not None]
    if len(heads) != 1:
        listed = ", ".join(heads)
        text = f"{listed} exclude each other" if heads else "there is no published number"
        raise ClaimError(heads[1] if heads else "mean", f"{text}: give mean, correct or auroc")
    (head,) = heads
    stray = [
        name
        for name in FIELDS
        if told[name] is not None and name not in (*_OWN[head], "n", "label")
    ]
    # A scale of 1 says nothing.
    stray = [name for name in stray if not (name == "scale" and told["scale"] == 1)]
    if stray:
        instead = "give versus_correct" if stray[0] == "versus" else "leave it out"
        raise ClaimError(stray[0], f"{stray[0]} has no effect with {head}; {instead}")
    if head == "mean":
        return "mean"
    return "proportion" if head == "correct" else "auroc"


# --------------------------------------------------------------------------- means


def _metric_named(told: dict[str, Any]) -> str:
    """The metric as it was called, in small letters; nothing where there is none."""
    metric = told["metric"]
    return metric.strip().lower() if isinstance(metric, str) else "" if metric is None else "?"


def _of_mean(n: int, told: dict[str, Any], bounds: Any) -> Claim:
    name = _metric_named(told).partition(":")[0].strip()
    bare = all(told[field] is None for field in SPREADS)
    if name in SHARES and bare and bounds is None:
        return _of_share(n, told)
    metric = _metric_of_cases(told["metric"], bounds)
    scale = scale_of(told)
    value = number_of("mean", told["mean"]) / scale
    check_in_range("mean", value, metric.spec.bounds, told["mean"], scale)
    spread, source = _spread(n, told, metric, value, scale)
    versus = other = None
    if told["versus"] is not None:
        versus = number_of("versus", told["versus"]) / scale
        check_in_range("versus", versus, metric.spec.bounds, told["versus"], scale)
        other = spread
        if told["versus_sd"] is not None:
            sd = _possible("versus_sd", told["versus_sd"], told["versus"], n, metric, scale)
            other = Spread.known(sd)
        elif source == "guess":
            other = usual_spread(metric.spec.name, versus, n, metric.spec.bounds)
    elif told["versus_sd"] is not None:
        raise ClaimError("versus_sd", "versus_sd has no effect without versus")
    return Claim(
        n,
        "mean",
        value,
        metric,
        spread,
        source,
        versus=versus,
        versus_spread=other,
        rounding=rounding_of("mean", told, scale, metric.spec.bounds),
        decimals=decimals_of(told, ("mean", "versus"), scale),
        label=label_of(told),
    )


def _spread(
    n: int, told: dict[str, Any], metric: Metric, value: float, scale: float
) -> tuple[Spread, Source]:
    given = [field for field in SPREADS if told[field] is not None]
    if len(given) > 1:
        listed = " and ".join(given)
        raise ClaimError(given[1], f"{listed} exclude each other: give what the paper prints")
    if given:
        (field,) = given
        sd = _possible(field, told[field], told["mean"], n, metric, scale)
        return Spread.known(sd), cast("Source", field)
    try:
        return usual_spread(metric.spec.name, value, n, metric.spec.bounds), "guess"
    except DataError as error:
        raise ClaimError("sd", str(error)) from None


def _sds(field: str, n: int) -> float:
    """How many times a published spread the SD is."""
    if field == "sem":
        return math.sqrt(n)
    if field == "halfwidth":
        from scipy import special

        return math.sqrt(n) / float(-special.stdtrit(n - 1, PUBLISHED.tail))
    return 1.0


def _possible(
    field: str, printed: Any, mean_printed: Any, n: int, metric: Metric, scale: float
) -> float:
    """The SD of cases that was printed, unless no values in the range can have it.

    Printed numbers are rounded: a mean of 1.00 may be .995.
    """
    number, mean = number_of(field, printed), number_of("mean", mean_printed)
    if number < 0:
        raise ClaimError(field, f"{field}={number:g} is negative; a spread is 0 or more")
    bounds = metric.spec.bounds
    half = 0.5 * 10.0 ** -max(places_of(number), places_of(mean)) / scale
    # Zeros at the end of a print are lost: 0.9 was printed with two decimals at least.
    half = min(half, MOST_ROUNDING * bounds.width)
    number, mean = number / scale, mean / scale
    factor = _sds(field, n)
    nearby = [min(max(mean + step, bounds.low), bounds.high) for step in (-half, 0.0, half)]
    most = max(largest_sd(near, n, bounds) for near in nearby)
    if (number - half) * factor > most * (1 + 1e-9):
        what = f"{field}={number:g}" + (f" (an SD of {number * factor:.4g})" * (factor != 1))
        raise ClaimError(
            field,
            f"{what} is impossible: {n} values in {bounds} with mean {mean:g} have an SD of "
            f"{most:.4g} at most; check n, the metric and the unit (scale 100 for per cent)",
        )
    return number * factor


def _metric_of_cases(name: Any, bounds: Any) -> Metric:
    bare = str(name or "").partition(":")[0].strip().lower()
    if isinstance(name, str) and bounds is None and bare not in METRICS and bare in SAMPLE_METRICS:
        hint = {
            "auroc": "give it as auroc, with positives",
            "accuracy": "give n and the count that is right (correct)",
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


def _of_counts(n: int, told: dict[str, Any], bounds: Any) -> Claim:
    counts: dict[str, int] = {}
    for field in ("correct", "versus_correct"):
        if told[field] is None:
            continue
        count = whole_number_of(field, told[field])
        if not 0 <= count <= n:
            raise ClaimError(field, f"{field}={count} of n={n}: it lies between 0 and n")
        counts[field] = count
    right, other = counts["correct"], counts.get("versus_correct")
    if bounds is not None:
        raise ClaimError("correct", "bounds have no effect with correct; leave them out")
    return Claim(
        n,
        "proportion",
        right / n,
        _metric_of_shares(told["metric"]),
        successes=right,
        versus=None if other is None else other / n,
        versus_successes=other,
        label=label_of(told),
    )


def _metric_of_shares(name: Any) -> Metric:
    if name is None:
        return Metric(PROPORTION)
    bare = str(name).strip().lower()
    if bare == "correct":
        return Metric(METRICS["correct"])
    if bare in ("accuracy", *SHARES_OF_SOME):
        return Metric(SAMPLE_METRICS[bare])
    known = ("accuracy", "correct", *SHARES_OF_SOME)
    near = closest(bare, known)
    proposal = f"; did you mean {near!r}?" if near else ""
    raise ClaimError(
        "metric", f"{name!r} is no proportion of cases{proposal}; with correct: {', '.join(known)}"
    )


def _of_share(n: int, told: dict[str, Any]) -> Claim:
    """An accuracy printed as a share: the count that it is of."""
    scale = scale_of(told)
    counts = {}
    for field, of in (("mean", "correct"), ("versus", "versus_correct")):
        if told[field] is None:
            continue
        number = number_of(field, told[field])
        share = number / scale
        check_in_range(field, share, UNIT_INTERVAL, number, scale)
        count, half = round(share * n), 0.5 * 10.0 ** -places_of(number) / scale
        if abs(count / n - share) > half * (1 + 1e-9):
            raise ClaimError(
                field,
                f"{field}={number:g} is no share of n={n} cases: {count} of them are "
                f"{count / n * scale:.6g}; is n right?",
            )
        counts[of] = count
    if told["versus_sd"] is not None:
        raise ClaimError("versus_sd", f"versus_sd has no effect with {told['metric']}")
    claim = _of_counts(n, {**told, **counts, "versus_correct": counts.get("versus_correct")}, None)
    half = 0.5 * 10.0 ** -places_of(number_of("mean", told["mean"])) / scale
    rounding = rounding_of("mean", told, scale, UNIT_INTERVAL)
    places = decimals_of(told, ("mean", "versus"), scale)
    return replace(claim, rounding=rounding, printed_to=half, decimals=places)


# --------------------------------------------------------------------------- AUROC


def _of_auroc(n: int, told: dict[str, Any], bounds: Any) -> Claim:
    if bounds is not None or _metric_named(told) not in ("", "auroc"):
        raise ClaimError("metric", "with auroc the metric is auroc; leave metric and bounds out")
    scale = scale_of(told)
    values = {}
    for field in ("auroc", "versus"):
        if told[field] is not None:
            values[field] = number_of(field, told[field]) / scale
            check_in_range(field, values[field], UNIT_INTERVAL, told[field], scale)
    if told["positives"] is None:
        raise ClaimError(
            "positives",
            "auroc needs positives, the number of positive cases: its variance "
            "rests on the smaller class",
        )
    positives = whole_number_of("positives", told["positives"])
    if not 0 < positives < n:
        raise ClaimError(
            "positives",
            f"positives={positives} of n={n}: an AUROC needs a case of each class, so it lies "
            "between 1 and n - 1",
        )
    return Claim(
        n,
        "auroc",
        values["auroc"],
        Metric(SAMPLE_METRICS["auroc"]),
        positives=positives,
        versus=values.get("versus"),
        rounding=rounding_of("auroc", told, scale, UNIT_INTERVAL),
        decimals=decimals_of(told, ("auroc", "versus"), scale),
        label=label_of(told),
    )
