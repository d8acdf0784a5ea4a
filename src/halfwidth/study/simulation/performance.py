"""The performance of a method in a cell: coverage, width, misses, and their standard errors."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Bounds

# The identity of a row; no two rows of a study agree in all of these columns.
IDENTITY = {
    "instance": "string",
    "task": "string",
    "model": "string",
    "source": "string",
    "metric": "string",
    "statistic": "string",
    "average": "string",
    "label": "string",
    "n": "int64",
    "method": "string",
    "confidence_level": "double",
    "alternative": "string",
}
POPULATION = {
    "n_cases": "int64",
    "population": "string",
    "population_mean": "double",
    "population_sd": "double",
    "population_skewness": "double",
    "population_kurtosis": "double",
    "interdecile_range": "double",
    "truth": "double",
    "truth_se": "double",
    "truth_how": "string",
}
SETTINGS = {"samples": "int64", "resamples": "int64", "batches": "int64"}
POINTS = {
    "estimate_mean": "double",
    "bias": "double",
    "bias_se": "double",
    "rmse": "double",
    "estimates_undefined": "int64",
}
INTERVALS = {
    "coverage": "double",
    "coverage_se": "double",
    "coverage_low": "double",
    "coverage_high": "double",
    "coverage_defined": "double",
    "coverage_defined_se": "double",
    "missed_below": "double",
    "missed_above": "double",
    "width_mean": "double",
    "width_q1": "double",
    "width_median": "double",
    "width_q3": "double",
    "width_mean_relative": "double",
    "width_median_relative": "double",
    "centre_shift": "double",
    "share_outside": "double",
    "undefined": "int64",
    "zero_width": "int64",
    "infinite": "int64",
    "resamples_undefined": "double",
}
# Every column of a study and its type, as Arrow names it.
COLUMNS = IDENTITY | POPULATION | SETTINGS | POINTS | INTERVALS
# What a study of ``auto`` has besides; others keep the columns of earlier versions.
CHOICES = {"chosen": "string"}

# Bounds that miss the truth by less are rounding: the share of the size of what is compared.
ROUNDING = 1e-12
# For the 95 % interval of a coverage.
LEVEL_AND_HALF = 0.975


@frozen
class Point:
    """The truth that estimates and intervals are set against."""

    value: float
    # Of the population, by which widths are divided; NaN for test sets.
    interdecile_range: float
    # Which samples share draws.
    batch: NDArray[np.intp]
    # Standard error of the value; 0 where it is exact.
    error: float = 0.0

    @property
    def known(self) -> float:
        """The value; NaN where the population has none, or an infinite one."""
        return self.value if np.isfinite(self.value) else float("nan")


@frozen
class Bounded:
    """The intervals of one method at one level, one for each sample."""

    # NaN where the method gave none.
    low: Array
    high: Array
    # Share of the resamples of each sample on which the statistic was undefined.
    undefined_share: Array
    # The method of each sample where one was chosen for each; else empty.
    methods: NDArray[np.object_] = field(default_factory=lambda: np.empty(0, dtype=object))


def point_performance(estimates: Array, truth: Point) -> dict[str, Any]:
    """Bias and root mean square error of the point estimate, over the samples that have one.

    An infinite estimate counts as undefined. The standard error of the bias takes samples as
    independent, which they are: batches share draws of resamples, not of samples. The error of the
    truth is part of it.
    """
    defined = estimates[np.isfinite(estimates)]
    error = defined - truth.known
    mean_error = error.std(ddof=1) / np.sqrt(len(error)) if len(error) > 1 else float("nan")
    return {
        "estimate_mean": _mean(defined),
        "bias": _mean(error),
        "bias_se": float(np.hypot(mean_error, truth.error)),
        "rmse": float(np.sqrt(_mean(error**2))),
        "estimates_undefined": int(len(estimates) - len(defined)),
    }


def interval_performance(bounded: Bounded, truth: Point, inside: Bounds) -> dict[str, Any]:
    """The columns `INTERVALS` of one method at one level; the statistic can lie in ``inside``.

    An undefined interval is a miss in ``coverage``, and left out of ``coverage_defined``, of
    ``missed_below`` (the interval lies below the truth) and ``missed_above`` in so far as it is
    neither, and of widths and centres. Standard errors come from the differences between batches,
    whose samples share draws; ``coverage_low`` and ``coverage_high`` are Wilson's interval for as
    many independent samples as would be known as well.
    """
    low, high, value = bounded.low, bounded.high, truth.known
    defined = ~(np.isnan(low) | np.isnan(high))
    tolerance = ROUNDING * np.fmax(abs(value), np.fmax(_size(low), _size(high)))
    below = defined & (high < value - tolerance)
    above = defined & (low > value + tolerance)
    covers = defined & ~below & ~above
    # What does not exist is neither held nor missed.
    counted = np.full_like(defined, not np.isnan(value))
    coverage, error = _share_in_batches(covers, counted, truth.batch)
    coverage_defined, defined_error = _share_in_batches(covers, counted & defined, truth.batch)
    coverage_low, coverage_high = _wilson(coverage, error, truth.batch)
    widths = _widths(low[defined], high[defined])
    with np.errstate(invalid="ignore"):  # both ends may be infinite
        middles = ((low + high) / 2)[defined]
    infinite = ~np.isfinite(widths)
    q1, median, q3 = _quartiles(widths)
    return {
        "coverage": coverage,
        "coverage_se": error,
        "coverage_low": coverage_low,
        "coverage_high": coverage_high,
        "coverage_defined": coverage_defined,
        "coverage_defined_se": defined_error,
        "missed_below": float(below.mean()) if counted.all() else float("nan"),
        "missed_above": float(above.mean()) if counted.all() else float("nan"),
        "width_mean": _mean(widths),
        "width_q1": q1,
        "width_median": median,
        "width_q3": q3,
        "width_mean_relative": _relative(_mean(widths), truth.interdecile_range),
        "width_median_relative": _relative(median, truth.interdecile_range),
        "centre_shift": _mean(middles[~infinite]) - value,
        "share_outside": _mean(_outside(low[defined], high[defined], inside)),
        "undefined": int((~defined).sum()),
        "zero_width": int((widths <= 0).sum()),
        "infinite": int(infinite.sum()),
        "resamples_undefined": _mean(bounded.undefined_share),
    }


def method_shares(methods: NDArray[np.object_]) -> str:
    """The share of samples that took each method, the most frequent first.

    >>> method_shares(np.array(["hall", "t", "hall", "hall"], dtype=object))
    'hall 0.7500, t 0.2500'
    """
    counts = sorted(Counter(methods).items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count / len(methods):.4f}" for name, count in counts)


def _mean(values: Array) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _size(bounds: Array) -> Array:
    return np.where(np.isfinite(bounds), np.abs(bounds), 0.0)


def _relative(width: float, scale: float) -> float:
    return width / scale if scale > 0 else float("nan")


def _quartiles(widths: Array) -> tuple[float, float, float]:
    if not len(widths):
        return (float("nan"),) * 3
    at = [0.25, 0.5, 0.75]
    below, above = (np.quantile(widths, at, method=side) for side in ("lower", "higher"))
    with np.errstate(invalid="ignore"):
        between = np.quantile(widths, at)
    # Nothing lies between a finite and an infinite width.
    between = np.where(np.isinf(above), above, between)
    low, middle, high = np.where(below == above, below, between)
    return float(low), float(middle), float(high)


def _widths(low: Array, high: Array) -> Array:
    """Also from one infinity to the same one a width is infinite."""
    infinite = np.isinf(low) | np.isinf(high)
    with np.errstate(invalid="ignore"):
        return np.where(infinite, np.inf, high - low)


def _outside(low: Array, high: Array, inside: Bounds) -> Array:
    """The share of the length of each interval that lies where the statistic cannot."""
    width = _widths(low, high)
    usable = np.isfinite(width) & (width > 0)
    low, high, width = low[usable], high[usable], width[usable]
    kept = np.clip(high, inside.low, inside.high) - np.clip(low, inside.low, inside.high)
    return np.asarray(1 - kept / width)


def _share_in_batches(
    hit: NDArray[np.bool_], among: NDArray[np.bool_], batch: NDArray[np.intp]
) -> tuple[float, float]:
    """A share, and its standard error from how it differs between batches.

    With h hits among m in batch k and share p = Σh/Σm, the error is that of a ratio of totals,
    √(K/(K-1) Σ(h - p m)²) / Σm.
    """
    counts = int(batch.max()) + 1
    hits = np.bincount(batch, hit & among, minlength=counts)
    trials = np.bincount(batch, among, minlength=counts)
    total = trials.sum()
    if not total:
        return float("nan"), float("nan")
    share = hits.sum() / total
    if counts < 2:
        return float(share), float("nan")
    squares = ((hits - share * trials) ** 2).sum()
    return float(share), float(np.sqrt(counts / (counts - 1) * squares) / total)


def _wilson(share: float, error: float, batch: NDArray[np.intp]) -> tuple[float, float]:
    """Wilson's 95 % interval of a coverage, with the design effect of the batches, at least 1.

    Where the effect is above 1 the error is known from K batches only: t with K - 1 degrees of
    freedom stands for the normal.
    """
    from scipy import special

    if np.isnan(share):
        return float("nan"), float("nan")
    samples = len(batch)
    spread = share * (1 - share) / samples
    effect = max(1.0, error**2 / spread) if spread > 0 and np.isfinite(error) else 1.0
    n = samples / effect
    known = special.ndtri(LEVEL_AND_HALF)
    z = float(known if effect <= 1 else special.stdtrit(batch.max(), LEVEL_AND_HALF))
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return float(max(0.0, middle - reach)), float(min(1.0, middle + reach))
