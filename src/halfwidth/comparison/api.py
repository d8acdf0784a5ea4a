"""The public functions for comparing models: arrays or tables in, differences out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from halfwidth.comparison.assembling import compared
from halfwidth.comparison.families import Family, MeasuredFamily
from halfwidth.comparison.inputs import models_of
from halfwidth.comparison.matching import Unmatched
from halfwidth.comparison.measuring import measuring_test_sets, measuring_values
from halfwidth.comparison.prediction_tables import (
    PredictionColumns,
    prediction_columns,
    prediction_families,
)
from halfwidth.comparison.settings import Settings, resolve_settings
from halfwidth.comparison.sources import (
    TableColumns,
    column_list,
    column_name,
    sources_of,
    value_columns,
)
from halfwidth.comparison.value_tables import value_families
from halfwidth.core.errors import OptionError
from halfwidth.core.options import spelled
from halfwidth.core.pseudo_cases import Failures
from halfwidth.core.undefined import AbsentClass, Missing, Undefined
from halfwidth.estimation.grouping import Over
from halfwidth.estimation.resolve import (
    AUTO,
    resolve_request,
)
from halfwidth.results.comparison import Comparisons, Effect

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
    failures: Failures = "seen",
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
    """Differences between models with their confidence intervals, and what stands beside these.

    The interval of the difference is the result. A p-value stands beside it, and with several
    comparisons an interval that holds together with all others; a verdict rests on that.

    Parameters
    ----------
    models : mapping of str to array-like, or data frame
        From the name of each model to a value for each case in the metric's unit, or, with
        ``y_true``, to its scores or predictions, as `metric_ci` takes them. Of a frame each column
        is a model. Labels of pandas Series and frames say which case a row is of, in any order;
        without labels all models have the same cases in the same places.
    y_true : array-like, optional
        True classes or numbers of the cases, for metrics of a whole test set.
    metric : str, MetricSpec or callable, optional
        What the values are (``halfwidth.METRICS``), or the metric of a test set
        (``halfwidth.SAMPLE_METRICS``). Its direction says which model is better.
    statistic : str, callable or StatisticSpec, default "mean"
        Of values of cases.
    average : {"binary", "macro", "micro", "weighted", "none"}, optional
        Of a metric of a test set; ``"none"`` makes a comparison for each class.
    baseline : str, optional
        The model that all others are compared with; default: all pairs.
    effect : {"difference", "ratio"}
        First minus second, or first over second.
    paired : bool, default True
        Whether models were measured on the same cases. False takes their cases for independent.
    test : {"auto", "permutation", "mcnemar", "mcnemar_midp", "wilcoxon", "none"}
        The test beside the interval. ``"auto"``: mid-p McNemar for proportions of independent
        cases, else a permutation of the two results of each case.
    correction : {"holm", "bonferroni", "benjamini_hochberg"}
        How p-values of several comparisons are adjusted for their number.
    simultaneous : bool, optional
        Whether intervals are to hold together; default: where there are several comparisons.
    margin : float, optional
        How much worse the first model may be and still be called non-inferior, above 0, in the unit
        of the metric; of a ratio a share.
    goal : float, optional
        What each model alone should reach: its interval must lie beyond it.
    method : str, default "auto"
        A method for the difference (see ``halfwidth.METHODS``).
    confidence_level, n_resamples, rng, penalty, over, bounds, scale
        As for `summary_ci`. A seed gives the same resamples for every pair of models.
    missing : {"raise", "omit", "worst"}
        What a missing value means. A case that is left out for one model is left out for all.
    unmatched : {"raise", "omit"}
        What becomes of cases that are not there for all models.
    groups, strata : array-like, optional
        Cluster and stratum of each case, as for `summary_ci`.
    labels, pos_label, scores, threshold, absent_class, undefined, costs, priors, sample_weight
        As for `metric_ci`.
    keep_cases : bool, default False
        Whether the result carries the values of the cases, as some figures need them.

    Returns
    -------
    Comparisons
        A `Difference` for each pair, by its place or by name: ``result["B", "A"]``.

    Raises
    ------
    DataError
        If models share no cases, or one only, if cases are there for some models only, or if values
        are missing without a policy; says which.
    OptionError
        For an option that is not allowed or does not fit the others.

    Examples
    --------
    >>> import halfwidth as hw
    >>> result = hw.compare(
    ...     {
    ...         "B": [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91],
    ...         "A": [0.90, 0.85, 0.93, 0.70, 0.89, 0.90, 0.85, 0.93, 0.87, 0.90],
    ...     },
    ...     metric="dsc",
    ...     margin=0.2,
    ... )
    >>> one = result["B", "A"]
    >>> print(f"{one.value:.3f} ({one.low:.2f} to {one.high:.2f}), {one.verdict.word}")
    0.021 (-0.01 to 0.05), non-inferior
    """
    settings = resolve_settings(
        resolve_request(
            method=method,
            failures=failures,
            verdicts=True,
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
    cases = {"target": y_true, "groups": groups, "strata": strata, "weights": sample_weight}
    named_models = models_of(models, cases)
    measuring = (measuring_values if y_true is None else measuring_test_sets)(metric, bounds, given)
    family = Family(named_models, measuring.metric)
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
    failures: Failures = "seen",
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

    Rows are matched by the ids of their cases, never by their places.

    Parameters
    ----------
    table : data frame, mapping of columns, sequence of tables, or mapping of str to table
        One table with a column that names the model of each row; several of them; or a table for
        each model, by its name. A canonical long table (``case, metric, value, model``) needs no
        further options.
    value : str, sequence of str, or mapping of str to str, optional
        Columns of values, each of which is compared apart; or, from the name of each model, its
        column. Default: every numeric column.
    by : str, default "model"
        The column of models.
    within : str or sequence of str, optional
        Columns within whose levels models are compared, such as the structure; default in a
        canonical table: ``task`` and ``label``. Their comparisons are a family: p-values are
        adjusted, and intervals hold together, within each family.
    case : str, optional
        Column of case ids; default: the first of case, case_id, id, subject, patient, name,
        filename that exists. With ``groups``, ids need be unique within their cluster only.
    target : str, optional
        Column of true classes or numbers, for metrics of a test set; with ``score`` or
        ``prediction``.
    score : str, sequence of str, or mapping of str to these, optional
        Columns of scores; as a mapping, those of each model.
    prediction : str or mapping of str to str, optional
        The column of predicted classes or numbers; as a mapping, that of each model.
    groups, strata, sample_weight : str, optional
        Columns that name the cluster, the stratum and the weight of each case.
    metric, statistic, average, baseline, effect, paired, test, correction, simultaneous
        As for `compare`.
    margin, goal, method, confidence_level, n_resamples, rng, missing, penalty, unmatched
        As for `compare`.
    over, bounds, scale, labels, pos_label, scores, threshold, absent_class, undefined
        As for `compare`.
    costs, priors, keep_cases
        As for `compare`.

    Returns
    -------
    Comparisons
        Family after family; ``result["liver", "B", "A"]``.

    Raises
    ------
    DataError, OptionError, UnknownNameError
        As for `compare`, and for columns that are not there.

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
            failures=failures,
            verdicts=True,
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
        column_name("by", by) or "",
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
    measured, notes = _measured(table, value, columns, where, (metric, bounds, given), settings)
    return compared(measured, settings, notes)


def _measured(
    table: Any,
    value: Any,
    columns: TableColumns,
    where: PredictionColumns | None,
    wanted: tuple[Any, Any, Mapping[str, Any]],
    settings: Settings,
) -> tuple[list[MeasuredFamily], list[str]]:
    """The models of a table, measured family by family, and notes on what was read.

    ``wanted``: the metric, its bounds and further options of what is computed.
    """
    metric, bounds, given = wanted
    of_columns = isinstance(value, Mapping) or (where is not None and where.columns_by_model)
    sources = sources_of(table, columns.by, of_columns=of_columns)
    if where is not None:
        if value is not None:
            raise OptionError(
                f"{spelled('value')} is for values of cases, {spelled('target')} for "
                "predictions; not both"
            )
        measuring = measuring_test_sets(metric, bounds, given)
        families, notes = prediction_families(sources, columns, where, measuring, settings)
    else:
        measuring = measuring_values(metric, bounds, given, named=False)
        families, notes = value_families(
            sources, columns, value_columns(value), metric, bounds, settings
        )
    return [one for family in families for one in measuring.measured(family, settings)], notes
