"""Differences and ratios of two models on the same cases: a pair stays a pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import DataError
from halfwidth.core.forms import EFFECT_WORDS, Contrast, Effect, RankedAreas, differences_of
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import Failures
from halfwidth.core.spec import (
    Better,
    Estimand,
    Kind,
    Metric,
    MetricLevel,
    Statistic,
    StatisticSpec,
    Transform,
    range_of_values,
)
from halfwidth.core.titles import statistic_title
from halfwidth.core.types import Alternative, Array, Bounds
from halfwidth.core.undefined import Missing, leave_out_both
from halfwidth.estimation.check import check_magnitude, ready_values, scaled_numbers
from halfwidth.estimation.choose import inverted_together
from halfwidth.estimation.grouping import arrange_cases, unit_codes
from halfwidth.estimation.pairing import paired
from halfwidth.estimation.pipeline import Job, estimate_jobs, refuse_idle_draws
from halfwidth.estimation.records import NO_VALUES, Functional, Records
from halfwidth.estimation.resolve import AUTO, Request, resolve_request, resolve_statistic
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.designs import arrange
from halfwidth.results.estimate import Estimate


def difference_functional(functional: Functional, effect: Effect = "difference") -> Functional:
    """The difference, or ratio, of a functional of one model between two, of `paired_records`."""
    statistic, spec = functional.statistic, functional.statistic.spec
    metric = _metric_of_contrasts(functional.metric, effect)
    name, title = f"{spec.name}_{effect}", f"{EFFECT_WORDS[effect]} {statistic_title(statistic)}"
    bounds = functional.metric.spec.bounds
    if effect == "difference" and spec.is_mean_of_values and not functional.is_proportion:
        # A mean of differences: one value a case, so that nothing need stay together.
        paired_spec = replace(spec, name=name, title=title, synonyms=(), pair_bounds=bounds)
        return Functional(Statistic(paired_spec), metric)
    contrast = Contrast(spec, effect)
    paired_spec = StatisticSpec(
        name,
        title,
        function=_Contrasted(contrast),
        estimand=_estimand(functional, effect),
        form=contrast,
        range_rule=range_of_values,
        smooth=spec.smooth,
        min_n=spec.min_n,
        quantile_level=spec.quantile_level,
        reliable_n=spec.reliable_n,
        influence=_Influence(contrast) if spec.influence else None,
        transform=Transform.LOG if effect == "ratio" else Transform.IDENTITY,
        of_records=spec.of_records,
        pair_bounds=bounds,
    )
    return Functional(Statistic(paired_spec, statistic.parameters), metric)


def paired_records(first: Records, second: Records, functional: Functional) -> Records:
    """The records of two models, arranged by identities, as `difference_functional` takes them."""
    if first.design != second.design:
        raise TypeError("the records of a pair have one design")
    pairs, design = np.stack([first.arranged, second.arranged]), first.design
    values, least = NO_VALUES, 0.0
    if not functional.statistic.spec.of_records:
        least = max(first.least_of_model, second.least_of_model)
        differences = differences_of(*pairs)
        values = np.sort(differences)
        if not isinstance(functional.statistic.spec.form, Contrast):
            pairs, design = arrange(
                differences,
                design.unit_of_case if design.sizes else None,
                design.stratum_of_case if len(design.strata) > 1 else None,
            )
    cautions = tuple(dict.fromkeys((*first.cautions, *second.cautions)))
    joint = replace(
        first,
        arranged=pairs,
        design=design,
        values=values,
        paired=True,
        cautions=cautions,
        least_distance=least,
    )
    if first.absent is None or second.absent is None or first.absent is second.absent:
        return joint
    absent = np.concatenate([first.absent, second.absent])
    return replace(
        joint,
        absent=absent,
        n_missing=int(absent.any(axis=0).sum()),
        n_infinite=first.n_infinite + second.n_infinite,
    )


@frozen
class _Contrasted:
    """The contrast of a statistic of two models."""

    contrast: Contrast

    def __call__(self, pairs: Array, **parameters: float) -> Array:
        del parameters["axis"]  # the last one
        one = Statistic(self.contrast.statistic, parameters)
        return self.contrast.between(one(pairs[:, 0]), one(pairs[:, 1]))


@frozen
class _Influence:
    """The influence of each case on a contrast; on a ratio by the derivatives of its logarithm."""

    contrast: Contrast

    def __call__(self, pairs: Array, **parameters: float) -> Array:
        spec = self.contrast.statistic
        if spec.influence is None:
            raise TypeError(f"{spec.name} declares no influence")
        first, second = (spec.influence(pairs[:, side], **parameters) for side in (0, 1))
        if self.contrast.effect == "difference":
            return np.asarray(first - second)
        one = Statistic(spec, parameters)
        values = one(pairs[:, 0])[:, None], one(pairs[:, 1])[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            relative = first / values[0] - second / values[1]
        return self.contrast.between(*values) * relative


def _estimand(functional: Functional, effect: Effect) -> Estimand:
    spec = functional.statistic.spec
    if functional.is_proportion:
        difference, ratio = Estimand.PROPORTION_DIFFERENCE, Estimand.PROPORTION_RATIO
        return difference if effect == "difference" else ratio
    one_area = isinstance(spec.form, RankedAreas) and spec.form.row is not None
    if effect == "difference" and spec.estimand is Estimand.AUROC and one_area:
        return Estimand.AUROC_DIFFERENCE
    if effect == "difference" and inverted_together(functional.statistic):
        return Estimand.CALIBRATION_ERROR_DIFFERENCE
    if spec.estimand is Estimand.QUANTILE:
        return Estimand.QUANTILE_CONTRAST
    if effect == "ratio" and spec.is_mean_of_values:
        return Estimand.MEAN_RATIO
    return Estimand.CONTRAST


def _metric_of_contrasts(metric: Metric, effect: Effect) -> Metric:
    """The metric with the range of its differences or ratios; none of them is the worst."""
    width = metric.spec.bounds.width
    spec = replace(
        metric.spec,
        bounds=Bounds(-width, width) if effect == "difference" else Bounds(0.0, np.inf),
        bounds_rule=None,
        kind=Kind.CONTINUOUS,
        better=Better.UNSTATED,
        unit=metric.spec.unit if effect == "difference" else "",
    )
    if spec.level is MetricLevel.SAMPLE:
        spec = replace(spec, estimand=Estimand.CONTRAST)
    return replace(metric, spec=spec)


@frozen(eq=False)
class ReadyPairs:
    """Two values of each case that counts, (2, n), and its cluster and stratum."""

    values: Array
    groups: NDArray[np.intp] | None
    strata: NDArray[np.intp] | None
    # Which values are missing, (2, cases), and how many are infinite.
    absent: NDArray[np.bool_]
    n_infinite: int
    # About how they were paired.
    cautions: tuple[Caution, ...]


def ready_pairs(arguments: Mapping[str, Any], metric: Metric, request: Request) -> ReadyPairs:
    """Both values of each case, in range and present, from named values, groups and strata."""
    inputs = paired(arguments)
    names, (*both, groups, strata) = list(arguments)[:2], inputs.aligned.values()
    sides = [
        scaled_numbers(side, metric, 1.0, name) for side, name in zip(both, names, strict=True)
    ]
    if len(sides[0]) != len(sides[1]):
        raise DataError(
            f"{names[0]} and {names[1]} differ in length ({len(sides[0])} and {len(sides[1])}); "
            "a pair needs both values of a case, in the same place"
        )
    absent, n_infinite = ~np.isfinite(sides), int(np.isinf(sides).sum())
    if request.missing == "omit":
        sides = list(leave_out_both(*sides))
    ready = [
        ready_values(side, metric, request, where=name)
        for side, name in zip(sides, names, strict=True)
    ]
    codes = unit_codes(groups, strata, ready[0].kept, names[0])
    return ReadyPairs(
        np.stack([side.values for side in ready]),
        *codes,
        absent,
        n_infinite,
        inputs.cautions(ready[0].kept, groups),
    )


def difference_ci(
    values: Any,
    other: Any,
    *,
    metric: Any = None,
    statistic: Any = "mean",
    method: str = AUTO,
    failures: Failures = "seen",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    rng: Any = None,
    missing: Missing = "raise",
    penalty: float | None = None,
    groups: Any = None,
    strata: Any = None,
    bounds: Any = None,
) -> Estimate:
    """Confidence interval for the difference of a statistic between two models, case by case.

    The difference is the statistic of ``values`` minus that of ``other``. Both values of a case are
    resampled together, so that what makes a case hard for both models cancels.

    Parameters
    ----------
    values, other : array-like, shape (n,)
        A value per case of each model, in the metric's unit; cases in the same order, or pandas
        Series with the same labels, by which they are then paired.
    metric : str, MetricSpec or metric function, optional
        What the values are: ``"dsc"``, ``"hd95"``, ``"nsd:tolerance=3"``, ...; decides range,
        unit and which direction is better.
    statistic : str, callable or StatisticSpec, default "mean"
        Summary statistic of values of cases; with parameters: ``"quantile:0.9"``.
    method : str, default "auto"
        CI method, one of ``halfwidth.METHODS``; ``"auto"`` chooses on evidence.
    failures : {"seen", "unseen", "both"}, default "seen"
        What ``"auto"`` allows for: ``"seen"``, failures such as these cases show; ``"unseen"``,
        failures as none of them did; ``"both"``, the first with the second beside it.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    alternative : {"two-sided", "lower", "upper"}, default "two-sided"
        ``"lower"`` gives a lower confidence bound, ``"upper"`` an upper one.
    n_resamples : int, optional
        Bootstrap resamples; default: 9999, and none where the bootstrap distribution is known
        exactly, as of means and of ratios of counts.
    rng : None, int, SeedSequence or Generator, optional
        Makes bootstraps repeatable; default: fresh, and reported.
    missing : {"raise", "omit", "worst"}, default "raise"
        What a missing value means; ``"omit"`` leaves out a case that misses either value.
    penalty : float, optional
        The worst value with ``missing="worst"``, for metrics without one (distances), in the
        unit after scaling.
    groups : array-like, shape (n,), optional
        Cluster of each case: its patient, its scan. Cases of a cluster are resampled together.
    strata : array-like, shape (n,), optional
        Stratum of each case (its site, its class), where the number of cases in each was fixed
        beforehand: bootstraps keep it.
    bounds : (low, high), optional
        Range of the values, for a metric of your own.

    Returns
    -------
    Estimate
        With ``design`` ``"paired"`` (or that of the clusters and strata); ``value`` > 0 where
        ``values`` has the larger statistic.

    Raises
    ------
    DataError, OptionError
        As for `summary_ci`, and if the two differ in length or in the labels of their cases.

    Examples
    --------
    >>> import halfwidth as hw
    >>> first = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
    >>> second = [0.90, 0.85, 0.93, 0.70, 0.89, 0.90, 0.85, 0.93, 0.87, 0.90]
    >>> e = hw.difference_ci(first, second, metric="dsc")
    >>> print(f"{e.value:.3f} ({e.low:.3f} to {e.high:.3f}), {e.method_title}")
    0.021 (-0.008 to 0.054), paired Dirichlet-Pareto
    """
    request = resolve_request(
        method=method,
        failures=failures,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=penalty,
    )
    bound_metric, bound_statistic = resolve_metric(metric, bounds), resolve_statistic(statistic)
    pairs = ready_pairs(
        {"values": values, "other": other, "groups": groups, "strata": strata},
        bound_metric,
        request,
    )
    check_magnitude(pairs.values[0] - pairs.values[1], "differences")
    functional = difference_functional(Functional(bound_statistic, bound_metric))
    in_order, design = arrange_cases(
        pairs.values, pairs.groups, pairs.strata, request.over, paired=True
    )
    first_records, second_records = (
        Records(
            one,
            design,
            pairs.values.shape[-1],
            n_groups=None if pairs.groups is None else len(np.unique(pairs.groups)),
            over=request.over,
            n_missing=int(pairs.absent.any(axis=0).sum()),
            n_infinite=pairs.n_infinite,
            absent=pairs.absent,
            cautions=pairs.cautions,
        )
        for one in in_order
    )
    records = paired_records(first_records, second_records, functional)
    (estimate,) = estimate_jobs([Job(functional, records)], request)
    refuse_idle_draws([estimate], request)
    return estimate
