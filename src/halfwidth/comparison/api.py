"""The public functions for comparing models: arrays or tables in, differences out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from halfwidth.comparison.assembling import compared
from halfwidth.comparison.families import Family
from halfwidth.comparison.inputs import models_of
from halfwidth.comparison.matching import Unmatched
from halfwidth.comparison.measuring import of_test_sets, of_values
from halfwidth.comparison.prediction_tables import prediction_columns, prediction_families
from halfwidth.comparison.settings import resolve_settings
from halfwidth.comparison.sources import TableColumns, column_list, column_name, sources_of
from halfwidth.comparison.value_tables import value_families
from halfwidth.core.comparison import Comparisons, Effect
from halfwidth.core.errors import OptionError
from halfwidth.core.undefined import AbsentClass, Missing, Undefined
from halfwidth.estimation.grouping import Over
from halfwidth.estimation.resolve import (
    AUTO,
    resolve_request,
)

Test = Literal["auto", "permutation", "mcnemar", "mcnemar_midp", "wilcoxon", "none"]
Correction = Literal["holm", "bonferroni", "benjamini_hochberg"]


def compare(
    models: Any,
    y_true: Any = None,
    *,
    metric: Any = None,
    statistic: Any = "mean",
    average: Any = None,
    baseline: str | None = None,
    effect: Effect = "difference",
    paired: bool = True,
    test: Test = "auto",
    correction: Correction = "holm",
    simultaneous: bool | None = None,
    margin: float | None = None,
    goal: float | None = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
    missing: Missing = "raise",
    penalty: float | None = None,
    unmatched: Unmatched = "raise",
    groups: Any = None,
    strata: Any = None,
    over: Over = "cases",
    bounds: Any = None,
    scale: float = 1.0,
    labels: Any = None,
    pos_label: Any = None,
    scores: str = "auto",
    threshold: float | str | None = None,
    absent_class: AbsentClass = "omit",
    undefined: Undefined = "omit",
    costs: Any = None,
    priors: Any = None,
    sample_weight: Any = None,
    keep_cases: bool = False,
) -> Comparisons:
    """Differences between models with their intervals, and what stands beside these.

    Examples
    --------
    >>> import halfwidth as hw
    >>> result = hw.compare(
    ...     {
    ...         "B": [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91],
    ...         "A": [0.90, 0.85, 0.93, 0.70, 0.89, 0.90, 0.85, 0.93, 0.87, 0.90],
    ...     },
    ...     metric="dsc",
    ... )
    >>> print(f"{result[0].value:.3f}")
    0.021
    """
    settings = resolve_settings(
        resolve_request(
            method=method,
            confidence_level=confidence_level,
            alternative="two-sided",
            n_resamples=n_resamples,
            rng=rng,
            missing=missing,
            penalty=penalty,
            over=over,
        ),
        effect=effect,
        paired=paired,
        baseline=baseline,
        test=test,
        correction=correction,
        simultaneous=simultaneous,
        margin=margin,
        goal=goal,
        unmatched=unmatched,
        keep_cases=keep_cases,
    )
    given = {
        "statistic": statistic,
        "over": over,
        "scale": scale,
        "penalty": penalty,
        "average": average,
        "labels": labels,
        "pos_label": pos_label,
        "scores": scores,
        "threshold": threshold,
        "absent_class": absent_class,
        "undefined": undefined,
        "costs": costs,
        "priors": priors,
        "sample_weight": sample_weight,
    }
    measuring = (of_values if y_true is None else of_test_sets)(metric, bounds, given)
    cases = {"target": y_true, "groups": groups, "strata": strata, "weights": sample_weight}
    family = Family(models_of(models, cases), measuring.metric)
    return compared(measuring.measured(family, settings), settings)


def compare_table(
    table: Any,
    value: Any = None,
    *,
    by: str = "model",
    within: Any = (),
    case: str | None = None,
    target: str | None = None,
    score: Any = (),
    prediction: Any = None,
    metric: Any = None,
    statistic: Any = "mean",
    average: Any = None,
    baseline: str | None = None,
    effect: Effect = "difference",
    paired: bool = True,
    test: Test = "auto",
    correction: Correction = "holm",
    simultaneous: bool | None = None,
    margin: float | None = None,
    goal: float | None = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
    missing: Missing = "raise",
    penalty: float | None = None,
    unmatched: Unmatched = "raise",
    groups: str | None = None,
    strata: str | None = None,
    over: Over = "cases",
    bounds: Any = None,
    scale: float = 1.0,
    labels: Any = None,
    pos_label: Any = None,
    scores: str = "auto",
    threshold: float | str | None = None,
    absent_class: AbsentClass = "omit",
    undefined: Undefined = "omit",
    costs: Any = None,
    priors: Any = None,
    sample_weight: str | None = None,
    keep_cases: bool = False,
) -> Comparisons:
    """Differences between the models of a table, or of several tables.

    Examples
    --------
    >>> import pandas as pd, halfwidth as hw
    >>> frame = pd.DataFrame({
    ...     "case": ["a", "b", "c", "c", "b", "a"],
    ...     "model": ["U-Net"] * 3 + ["ViT"] * 3,
    ...     "dice": [0.91, 0.88, 0.93, 0.85, 0.80, 0.89],
    ... })
    >>> result = hw.compare_table(frame, "dice", metric="dsc")
    >>> print(f"{result[0].value:.3f}")
    0.060
    """
    settings = resolve_settings(
        resolve_request(
            method=method,
            confidence_level=confidence_level,
            alternative="two-sided",
            n_resamples=n_resamples,
            rng=rng,
            missing=missing,
            penalty=penalty,
            over=over,
        ),
        effect=effect,
        paired=paired,
        baseline=baseline,
        test=test,
        correction=correction,
        simultaneous=simultaneous,
        margin=margin,
        goal=goal,
        unmatched=unmatched,
        keep_cases=keep_cases,
    )
    columns = TableColumns(
        by,
        column_list("within", within),
        column_name("case", case),
        column_name("groups", groups),
        column_name("strata", strata),
        column_name("sample_weight", sample_weight),
    )
    given = {
        "statistic": statistic,
        "over": over,
        "scale": scale,
        "penalty": penalty,
        "average": average,
        "labels": labels,
        "pos_label": pos_label,
        "scores": scores,
        "threshold": threshold,
        "absent_class": absent_class,
        "undefined": undefined,
        "costs": costs,
        "priors": priors,
        "sample_weight": sample_weight,
    }
    where = prediction_columns(target, score, prediction)
    of_columns = isinstance(value, Mapping) or (where is not None and where.of_models)
    sources = sources_of(table, by, of_columns=of_columns)
    if where is not None:
        if value is not None:
            raise OptionError("value= is for values of cases, target= for predictions; not both")
        measuring = of_test_sets(metric, bounds, given)
        families, notes = prediction_families(sources, columns, where, measuring, settings)
    else:
        measuring = of_values(metric, bounds, given, named=False)
        values = dict(value) if isinstance(value, Mapping) else list(column_list("value", value))
        families, notes = value_families(sources, columns, values or None, metric, bounds, settings)
    measured = [one for family in families for one in measuring.measured(family, settings)]
    return compared(measured, settings, notes)
