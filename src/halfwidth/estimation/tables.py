"""The public function for tables: many columns, groups and statistics at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from halfwidth.core.checks import as_flag, as_list, one_of
from halfwidth.core.errors import DataError, OptionError, shortened, shown
from halfwidth.core.options import spelled, spelled_both
from halfwidth.core.pseudo_cases import Failures
from halfwidth.core.spec import Kind, Statistic
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Alternative
from halfwidth.core.undefined import ALL_POLICIES, MISSING_POLICIES
from halfwidth.estimation.check import Sample, check_sample
from halfwidth.estimation.grouping import Over
from halfwidth.estimation.missing_policies import MissingOrAll, Variant, variants
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.repeat_cautions import repeat_cautions
from halfwidth.estimation.resolve import (
    AUTO,
    resolve_request,
    resolve_statistic,
)
from halfwidth.estimation.slice_metrics import SliceMetrics
from halfwidth.io.layout import Layout, Slice, layout_of, not_applicable_note, pooled_models, slices
from halfwidth.io.table import Table
from halfwidth.metrics.catalogue import METRICS
from halfwidth.results.estimates import Cases, Estimates


def summary_table(
    frame: Any,
    values: str | Sequence[str] | None = None,
    *,
    by: str | Sequence[str] | None = None,
    case: str | None = None,
    metric: Any = None,
    statistic: Any = "mean",
    method: str = AUTO,
    failures: Failures = "seen",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    rng: Any = None,
    missing: MissingOrAll = "raise",
    penalty: float | None = None,
    groups: str | None = None,
    strata: str | None = None,
    over: Over = "cases",
    bounds: Any = None,
    scale: float = 1.0,
    keep_cases: bool = False,
) -> Estimates:
    """Confidence intervals for a whole table: many columns, groups and statistics at once.

    Parameters
    ----------
    frame : DataFrame (pandas or polars), or mapping of column names to sequences
        A row per case (wide: a column per structure) or per case and group (long). A canonical
        long table (columns ``case, metric, value`` and optionally ``model, task, label, status,
        parameters``) needs no further options.
    values : str or sequence of str, optional
        Value columns; default: every numeric column that is neither a case id nor a group.
    by : str or sequence of str, optional
        Columns whose levels are estimated apart.
    case : str, optional
        Column of case ids; default: the first of case, case_id, id, subject, patient, name,
        filename that exists.
    metric : str, MetricSpec or metric function, optional
        What the values are; in a canonical table, the one metric to estimate.
    statistic : str, callable or sequence of them, default "mean"
        One or several.
    groups, strata : str, optional
        Columns that name the cluster and the stratum of each row. A canonical table may have
        them as ``group`` and ``stratum``.
    missing : {"raise", "omit", "worst", "all"}
        As for `summary_ci`. ``"all"`` gives three rows instead of one: cases without a result left
        out, counted as the worst value, and as the table itself has them. Cases without a result
        are those whose value is missing, infinite or the ``penalty``, and in a canonical table
        those whose ``status`` is missed or spurious.
    method, confidence_level, alternative, n_resamples, rng, penalty, over, bounds, scale
        As for `summary_ci`. All rows of the result share the seed, and a row equals what
        `summary_ci` gives for its values alone.
    keep_cases : bool, default False
        Whether the result carries the values of the cases (``.cases``), as a plot of their
        distribution needs. No table, JSON document or sentence holds them.

    Returns
    -------
    Estimates
        A row for each group, column and statistic; has ``to_frame()``, ``to_json()`` and shows
        itself as a table in notebooks.

    Raises
    ------
    DataError, OptionError, UnknownNameError
        As for `summary_ci`, naming the column and the case.

    Examples
    --------
    >>> import pandas as pd, halfwidth as hw
    >>> frame = pd.DataFrame({
    ...     "case": ["a", "b", "c", "a", "b", "c"],
    ...     "model": ["U-Net"] * 3 + ["ViT"] * 3,
    ...     "dice": [0.91, 0.88, 0.93, 0.85, 0.80, 0.89],
    ... })
    >>> table = hw.summary_table(frame, "dice", by="model", metric="dsc", statistic="median")
    >>> [(e.label, round(e.value, 2)) for e in table]
    [('U-Net', 0.91), ('ViT', 0.85)]
    """
    one_of("missing", missing, (*MISSING_POLICIES, ALL_POLICIES))
    request = resolve_request(
        method=method,
        failures=failures,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        missing="worst" if missing == ALL_POLICIES else missing,
        penalty=penalty,
        over=over,
    )
    statistics = [resolve_statistic(one) for one in _several(statistic)]
    check_names(case=case, groups=groups, strata=strata)
    table = Table.from_frame(frame)
    layout = layout_of(table, column_names(values), column_names(by), case, groups, strata)
    metrics = SliceMetrics(table, layout, metric, bounds)
    if len(metrics.held) > 1 and metric is None and (scale != 1 or bounds is not None):
        raise OptionError(
            "scale and bounds would apply to every metric of the table "
            f"({shortened(metrics.held)}); name the one that is meant: {spelled('metric')}"
        )
    notes = layout_notes(layout, groups, strata) + pooled_models(table, layout)
    if metric is None and bounds is None:
        notes += _ranges_not_used(layout)
    jobs: list[Job] = []
    cases: list[Cases] = []
    parts: list[Slice] = []
    keep_cases = as_flag("keep_cases", keep_cases)
    for together in variants(table, layout, metrics, request, missing, scale):
        samples = [_sample(variant, scale) for variant in together]
        parts.append(together[0].part)
        if keep_cases:
            cases += map(_variant_cases, together, samples)
        jobs += [
            _job(one, variant, sample)
            for one in statistics
            for variant, sample in zip(together, samples, strict=True)
        ]
    if not jobs:
        held = dict.fromkeys(f"{part.metric}{part.parameters}" for part in slices(table, layout))
        raise DataError(f"no rows of metric {metric!r} in the table; it holds {shortened([*held])}")
    if all(job.records.n_cases == 0 for job in jobs):
        raise DataError("no values left: every value is missing or not applicable")
    notes += not_applicable_note(parts)
    return Estimates(estimate_jobs(jobs, request), tuple(notes), tuple(cases))


def _ranges_not_used(layout: Layout) -> list[str]:
    """Columns that are called as a metric whose range no one said to be theirs."""
    called = [] if layout.metric else [name for name in layout.values if name in METRICS]
    specs = {name: METRICS[name] for name in called}
    return [
        (
            f"column {name!r} is taken for numbers without a range; if they are {spec.called}, say "
            f"so ({spelled_both('metric', spec.name)})"
        )
        for name, spec in specs.items()
        if spec.kind is not Kind.BINARY
    ]


def _sample(variant: Variant, scale: float) -> Sample:
    part = variant.part
    return check_sample(
        variant.values,
        variant.metric,
        variant.request,
        scale=scale,
        where=variant.place,
        cases=part.cases,
        groups=part.groups,
        strata=part.strata,
        may_be_empty=True,
    )


def _job(statistic: Statistic, variant: Variant, sample: Sample) -> Job:
    part = variant.part
    return Job(
        sample.functional(statistic),
        sample.records,
        variant.label,
        part.by,
        repeat_cautions(part.repeats, len(part.cases)),
        part.n_not_applicable,
        without=variant.without,
    )


def check_names(**columns: Any) -> None:
    """Refuse labels where the name of a column is meant."""
    for option, given in columns.items():
        if given is not None and not isinstance(given, str):
            raise OptionError(
                f"{spelled(option, given)} is no text; here it takes the name of a column (a label "
                "per case is for summary_ci)"
            )


def layout_notes(layout: Layout, groups: str | None, strata: str | None) -> list[str]:
    """Columns that were used or left out by default."""
    notes = [f"left out: {shortened(layout.left_out)}"] if layout.left_out else []
    for what, given, column in (
        ("clusters", groups, layout.groups),
        ("strata", strata, layout.strata),
    ):
        if given is None and column is not None:
            notes.append(f"{what} are taken from column {shown(column)} of the table")
    return notes


def _variant_cases(variant: Variant, sample: Sample) -> Cases:
    groups = variant.part.groups
    labels = None if groups is None else tuple(itertools.compress(groups, sample.kept))
    return Cases(variant.label, metric_title(sample.metric), sample.given, labels)


def column_names(given: str | Sequence[str] | None) -> list[str] | None:
    """One name, several, or None as they were given; an `OptionError` for anything else."""
    if given is None:
        return None
    listed = [given] if isinstance(given, str) else as_list(given)
    if listed is None:
        raise OptionError(f"{shown(given)} is neither the name of a column nor a list of names")
    return [str(name) for name in listed]


def _several(statistic: Any) -> list[Any]:
    single = isinstance(statistic, str | Callable) or not isinstance(statistic, Sequence)
    chosen = [statistic] if single else list(statistic)
    if not chosen:
        raise OptionError("statistic: name at least one")
    return chosen
