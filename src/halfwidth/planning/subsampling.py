"""How mean, SD and interval behave on subsamples of a test set (El Jurdi et al. 2023, 2025)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from halfwidth.core import rng as random
from halfwidth.core.checks import as_count, as_list, is_number, plain_text
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Need, spec_of
from halfwidth.core.types import UNBOUNDED, Array
from halfwidth.estimation.check import check_sample
from halfwidth.estimation.resolve import (
    USUAL_RESAMPLES,
    Request,
    resolve_request,
    resolve_statistic,
)
from halfwidth.intervals.bootstrap import percentile
from halfwidth.intervals.compute import apply, sample_ingredients
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.results.subsamples import SubsampleRow, Subsamples

SIZES = (10, 20, 30, 50, 100, 200, 300, 500, 1000)
DDOFS = (0, 1)
MOST_REPEATS = 10**6


def subsample(
    values: Any,
    *,
    sizes: Iterable[int] | None = None,
    repeats: int = 100,
    metric: Any = None,
    ddof: int = 0,
    confidence_level: float = 0.95,
    rng: Any = None,
    missing: Any = "raise",
    penalty: float | None = None,
    scale: float = 1.0,
    bounds: Any = None,
    label: str = "",
) -> Subsamples:
    """Draw subsamples of several sizes and average their estimates of the mean.

    For each size k, ``repeats`` subsamples of k cases are drawn without replacement. Of each come
    the mean, the SD, SEM = SD/√k, the normal interval ∓ z SEM and its width relative to the mean;
    and the mean, the SD and the percentile interval of the bootstrap's means, whose distribution is
    exact: nothing is drawn of it. All are averaged over the subsamples. With the defaults these are
    Tables .4 to .11 of El Jurdi et al. (2025) and Table 2 of El Jurdi et al. (2023), who drew
    15 000 resamples.

    Parameters
    ----------
    values : array-like, shape (n,)
        One value per case.
    sizes : iterable of int, optional
        Cases in a subsample; default: 10 to 1000 and all. From 2 to n; 10, 20, 30, 50, 100,
        200, 300, 500, 1000 below n, and n.
    repeats : int, default 100
        Subsamples of each size. At k = n there is but one.
    metric : str, MetricSpec or metric function, optional
        What the values are: their range, their unit, and from how many cases their mean is
        reliable.
    ddof : {0, 1}, default 0
        SD with division by k (0, as in the papers) or k - 1 (1).
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    rng : None, int, SeedSequence or Generator, optional
        Makes subsamples repeatable; default: fresh, and reported. A source of randomness as in
        SPEC 7. The result's ``seed`` reproduces it.
    missing : {"raise", "omit", "worst"}, default "raise"
        What a missing value means: ``"raise"``, an error; ``"omit"``: not applicable, leave it
        out; ``"worst"``: failed, count it as the worst value. An infinite value is missing too.
    penalty : float, optional
        The worst value with ``missing="worst"``, for metrics without one (distances), in the
        unit after scaling.
    scale : float, default 1.0
        Values are divided by it; 100 for per cent.
    bounds : (low, high), optional
        Range of the values; replaces that of the metric, or declares one of your own.
    label : str, optional
        Carried into the result.

    Returns
    -------
    Subsamples

    Raises
    ------
    DataError
        For values that are missing without a policy, out of range, not numbers, or none at all.
    OptionError
        For a size above n or below 2, or another option that is not allowed.

    References
    ----------
    El Jurdi, Varoquaux & Colliot (2023); El Jurdi et al. (2025), appendix 1.

    Examples
    --------
    >>> import numpy as np
    >>> dice = np.linspace(0.6, 0.95, 40)
    >>> found = subsample(dice, sizes=[10, 40], metric="dsc", rng=1)
    >>> [f"{row.k}: {row.halfwidth:.2f}" for row in found.rows]
    ['10: 0.06', '40: 0.03']
    """
    request = resolve_request(
        method=percentile.__name__,
        confidence_level=confidence_level,
        alternative="two-sided",
        n_resamples=USUAL_RESAMPLES,
        rng=rng,
        missing=missing,
        penalty=penalty,
    )
    if not is_number(ddof) or ddof not in DDOFS:
        raise OptionError(f"{spelled('ddof', ddof)} is neither 0 (as in the papers) nor 1")
    repeats = _integer("repeats", repeats)
    if not 1 <= repeats <= MOST_REPEATS:
        raise OptionError(
            f"{spelled('repeats', repeats)} is not from 1 to {MOST_REPEATS}; usual: 100"
        )
    bound_metric = resolve_metric(metric, bounds)
    sample = check_sample(
        values, bound_metric, request, scale=scale, where=plain_text("label", label) or "values"
    )
    ready = np.asarray(sample.values, float)
    rows = tuple(
        _row(_draw_subsamples(ready, k, repeats, request.seed), request, ddof)
        for k in _sizes(sizes, len(ready))
    )
    return Subsamples(
        rows,
        bound_metric,
        len(ready),
        repeats,
        ddof,
        request.seed,
        request.level,
        label,
    )


def _sizes(sizes: Iterable[int] | None, n: int) -> list[int]:
    if n < 2:
        raise OptionError(f"{n} value{'s' * (n != 1)} cannot be subsampled; 2 are the least")
    if sizes is None:
        return [*(k for k in SIZES if k < n), n]
    listed = as_list(sizes)
    if listed is None:
        raise OptionError(f"{spelled('sizes', sizes)} is no list of numbers of cases")
    numbers = sorted({_integer("sizes", k) for k in listed})
    if not numbers:
        raise OptionError("sizes is empty; give numbers of cases, such as 10, 20, 50")
    if numbers[-1] > n:
        raise OptionError(
            f"sizes: a subsample of {numbers[-1]} cases cannot be drawn without replacement "
            f"from {n}"
        )
    if numbers[0] < 2:
        raise OptionError(f"sizes: {numbers[0]} is too few; an SD takes 2 cases or more")
    return numbers


def _integer(name: str, value: Any) -> int:
    count = as_count(value)
    if count is None:
        raise OptionError(f"{name}: {shown(value)} is not a whole number")
    return count


def _draw_subsamples(values: Array, k: int, repeats: int, seed: int) -> Array:
    """Subsamples (repeats, k), ascending: the k smallest of n uniforms; for k = n only one."""
    n = len(values)
    if k == n:
        return np.sort(values)[None]
    key = random.derive_key(seed, "subsample", k, n)
    order = np.argsort(random.uniforms(key, 0, repeats, n), axis=-1)[:, :k]
    return np.sort(values[order], axis=-1)


def _row(samples: Array, request: Request, ddof: int) -> SubsampleRow:
    from scipy import special

    k = samples.shape[-1]
    z = float(-special.ndtri(request.level.tail))
    mean, sd = samples.mean(axis=-1), samples.std(axis=-1, ddof=ddof)
    sem = sd / np.sqrt(k)
    boot_means, boot_sems, lows, highs = _bootstrapped(samples, request)
    boot_mean, average = float(boot_means.mean()), float(sem.mean())
    low, high = float(lows.mean()) - boot_mean, float(highs.mean()) - boot_mean
    return SubsampleRow(
        k,
        mean=float(mean.mean()),
        sd=float(sd.mean()),
        sem=average,
        low=-z * average,
        high=z * average,
        nu=_relative(2 * z * average, float(mean.mean())),
        nu_each=float(np.mean([_relative(2 * z * s, m) for s, m in zip(sem, mean, strict=True)])),
        boot_mean=boot_mean,
        boot_sem=float(boot_sems.mean()),
        boot_low=low,
        boot_high=high,
        boot_nu=_relative(high - low, boot_mean),
        mean_spread=_spread(mean),
        sd_spread=_spread(sd),
        sem_spread=_spread(sem),
        width_spread=_spread(2 * z * sem),
        boot_width_spread=_spread(highs - lows),
    )


def _bootstrapped(samples: Array, request: Request) -> tuple[Array, Array, Array, Array]:
    """Mean and SD of the bootstrap's means of each subsample, and its percentile bounds: exact."""
    mean, plan = resolve_statistic("mean"), Plan(request.seed, convolves=True)
    ingredients = sample_ingredients(samples, Design.iid(samples.shape[-1]), mean, plan=plan)
    distribution = ingredients[Need.DISTRIBUTION]
    computed = apply(spec_of(percentile), ingredients, request.level, UNBOUNDED, errors=False)
    bounds = computed.interval
    return distribution.mean(), distribution.standard_deviation(), bounds.low, bounds.high


def _relative(width: float, mean: float) -> float:
    """A width relative to a mean; NaN if the mean is 0."""
    return float(width / mean) if mean else float("nan")


def _spread(numbers: Array) -> float:
    return float(numbers.std(ddof=1)) if len(numbers) > 1 else 0.0
