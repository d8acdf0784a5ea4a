"""The public functions for ranking models: arrays or tables in, rankings out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from halfwidth.comparison.families import Family
from halfwidth.comparison.inputs import models_of
from halfwidth.comparison.matching import Unmatched
from halfwidth.comparison.measuring import measuring_test_sets, measuring_values
from halfwidth.comparison.prediction_tables import prediction_columns
from halfwidth.comparison.settings import Settings, resolve_settings
from halfwidth.comparison.sources import (
    TableColumns,
    column_name,
    sources_of,
)
from halfwidth.core.errors import OptionError
from halfwidth.core.options import spelled
from halfwidth.core.pseudo_cases import Failures
from halfwidth.core.undefined import AbsentClass, Undefined
from halfwidth.estimation.grouping import Over
from halfwidth.estimation.resolve import AUTO, Request, resolve_request
from halfwidth.ranking.challenge_tables import challenge_columns
from halfwidth.ranking.consensus import resolve_combining
from halfwidth.ranking.missing_values import (
    RankedMissing,
    check_worst_rank,
    measured_with_policies,
)
from halfwidth.ranking.options import RankingOptions, resolve_options
from halfwidth.ranking.several_metrics import listed_metrics, metric_columns, penalized
from halfwidth.ranking.table_families import Measured, table_families, with_same_cases
from halfwidth.ranking.together import all_ranked
from halfwidth.results.ranking import Rankings

Scheme = Literal["aggregate_then_rank", "rank_then_aggregate", "test_then_rank"]
Combine = Literal["mean_rank", "median_rank"]
AbsentModel = Literal["omit", "last"]


def rank(
    models: Any,
    y_true: Any = None,
    *,
    metric: Any = None,
    statistic: Any = "mean",
    average: Any = None,
    scheme: Scheme | Sequence[Scheme] = "aggregate_then_rank",
    test: str = "auto",
    ties: str = "min",
    margin: float = 0.0,
    top: int = 3,
    method: str = AUTO,
    failures: Failures = "seen",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
    missing: RankedMissing = "raise",
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
) -> Rankings:
    """Models by rank, and the ranks that each may have: confidence sets for ranks.

    The rank of a model is 1 + the number of models that are better. Its set counts those that the
    differences between models, taken together, show to be better or worse. How ranks spread over
    bootstrap resamples stands beside it; at near ties that is no confidence set.

    Parameters
    ----------
    models : mapping of str to array-like, or data frame
        From the name of each model to a value for each case, or, with ``y_true``, to its scores or
        predictions; as for `compare`.
    y_true : array-like, optional
        True classes or numbers of the cases, for metrics of a whole test set.
    metric : str, MetricSpec or callable, optional
        What the values are (``halfwidth.METRICS``), or the metric of a test set
        (``halfwidth.SAMPLE_METRICS``). Its direction says which model is better.
    statistic : str, callable or StatisticSpec, default "mean"
        Of values of cases, or of the ranks within cases.
    average : {"binary", "macro", "micro", "weighted", "none"}, optional
        Of a metric of a test set; ``"none"`` makes a ranking for each class.
    scheme : {"aggregate_then_rank", "rank_then_aggregate", "test_then_rank"}, or several
        ``"aggregate_then_rank"`` ranks models by the statistic of their values,
        ``"rank_then_aggregate"`` by the statistic of their ranks within each case,
        ``"test_then_rank"`` by how many others they beat in one-sided paired tests with Holm's
        correction. Several make a ranking each.
    test : {"auto", "wilcoxon", "permutation", "mcnemar", "mcnemar_midp"}
        Of ``"test_then_rank"``. ``"auto"``: Wilcoxon's signed-rank test of values of cases, else
        that of `compare`.
    ties : {"min", "average", "max"}
        The rank that models share which are equal in a case, of ``"rank_then_aggregate"``. In the
        ranking itself it always is the smallest.
    margin : float, default 0
        A model ranks behind those that are better by more than this, in the unit of the metric (of
        ``"rank_then_aggregate"`` in ranks).
    top : int, default 3
        How many first ranks the share of resamples among the first takes together.
    method : str, default "auto"
        A method for the differences (see ``halfwidth.METHODS``).
    confidence_level, n_resamples, rng, penalty, over, bounds, scale
        As for `summary_ci`.
    missing : {"raise", "omit", "worst", "worst_rank"}
        What a missing value means. A case that is left out for one model is left out for all.
        ``"worst_rank"``, with ``"rank_then_aggregate"``: the last rank of its case. Where values
        are missing, the result has the ranks under each policy (``under_policies``).
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
    Rankings
        Of one metric one `Ranking`; with ``average="none"`` one for each class. One for each
        scheme: ``result["rank_then_aggregate"]``.

    Raises
    ------
    DataError
        If models share no cases, or one only, if cases are there for some models only, or if values
        are missing without a policy; says which.
    OptionError
        For an option that is not allowed or does not fit the others, and where nothing says whether
        higher or lower values are better.

    References
    ----------
    Mogstad, Romano, Shaikh & Wilhelm (2024): confidence sets for ranks.

    Examples
    --------
    >>> import halfwidth as hw
    >>> (ranking,) = hw.rank(
    ...     {
    ...         "A": [0.91, 0.88, 0.93, 0.89, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91] * 4,
    ...         "B": [0.90, 0.89, 0.92, 0.90, 0.89, 0.92, 0.85, 0.93, 0.91, 0.90] * 4,
    ...         "C": [0.31, 0.25, 0.33, 0.17, 0.29, 0.30, 0.25, 0.43, 0.27, 0.40] * 4,
    ...     },
    ...     metric="dsc",
    ...     rng=1,
    ... )
    >>> print(ranking.sentence())
    Mean DSC: A and B may be first of 3 (95 % confidence); the ranks of A and B are within 1 to 2; \
the rank of C is 3.
    """
    options = resolve_options(scheme, test, ties, margin, top, missing)
    settings = ranking_settings(
        resolve_request(
            method=method,
            failures=failures,
            confidence_level=confidence_level,
            alternative="two-sided",
            n_resamples=n_resamples,
            rng=rng,
            missing="raise" if options.worst_rank else missing,
            penalty=penalty,
            over=over,
        ),
        unmatched,
        keep_cases=keep_cases,
        test=test,
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
    return _ranked([(family, measuring)], options, settings)


def rank_table(
    table: Any,
    value: Any = None,
    *,
    by: str | None = None,
    within: Any = (),
    task: Any = (),
    case: str | None = None,
    target: str | None = None,
    score: Any = (),
    prediction: Any = None,
    metric: Any = None,
    statistic: Any = "mean",
    average: Any = None,
    scheme: Scheme | Sequence[Scheme] = "aggregate_then_rank",
    test: str = "auto",
    ties: str = "min",
    margin: float = 0.0,
    top: int = 3,
    combine: Combine | None = None,
    absent_model: AbsentModel = "omit",
    method: str = AUTO,
    failures: Failures = "seen",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
    missing: RankedMissing = "raise",
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
) -> Rankings:
    """Rankings of the models of a table, or of several tables.

    Rows are matched by the ids of their cases, never by their places.

    Parameters
    ----------
    table : data frame, mapping of columns, sequence of tables, or mapping of str to table
        As for `compare_table`: a column names the model of each row, or there is a table for each
        model. A challenge's table with the columns algorithm (or model), task, case and value is
        read as it is.
    value : str, sequence of str, or mapping of str to str, optional
        Columns of values, each of which is ranked apart; or, from the name of each model, its
        column. Default: every numeric column.
    by : str, optional
        The column of models; default ``model``, else ``algorithm``.
    within : str or sequence of str, optional
        Columns within each combination of whose levels models are ranked apart, such as the task;
        default in a canonical table: ``task`` and ``label``, in a challenge's: ``task``.
    task : str or sequence of str, optional
        The same by another name.
    case, target, score, prediction, groups, strata, sample_weight
        Columns, as for `compare_table`.
    metric : str, MetricSpec or callable, sequence or mapping of these, optional
        As for `rank`. Several are ranked each by itself: those of a canonical table, columns that
        are called as their metrics, or a mapping from column to metric.
    statistic, average, scheme, test, ties, margin, top, method, confidence_level, n_resamples
        As for `rank`.
    combine : {"mean_rank", "median_rank"}, optional
        What the ranks of a model in several rankings are reduced to. Over tasks there always is a
        consensus, by mean ranks unless this says otherwise; with ``combine`` there also is one over
        the metrics of a task.
    absent_model : {"omit", "last"}
        What becomes of a model that some task lacks (``unmatched="omit"``): it is left out of the
        consensus, or has the last rank in that task.
    rng, missing, penalty, unmatched, over, bounds, scale, labels, pos_label, scores, threshold
        As for `rank`.
    absent_class, undefined, costs, priors, keep_cases
        As for `rank`.

    Returns
    -------
    Rankings
        One for each combination of levels, each column and each scheme; ``result["liver"]``, of
        several schemes ``result["liver", "rank_then_aggregate"]``. Confidence sets hold together
        within each ranking, not over all.

    Raises
    ------
    DataError, OptionError, UnknownNameError
        As for `rank`, and for columns that are not there.

    Examples
    --------
    >>> import pandas as pd, halfwidth as hw
    >>> frame = pd.DataFrame({
    ...     "case": list("abcdef") * 2,
    ...     "algorithm": ["U-Net"] * 6 + ["ViT"] * 6,
    ...     "value": [0.91, 0.88, 0.93, 0.90, 0.89, 0.92, 0.35, 0.30, 0.39, 0.41, 0.22, 0.37],
    ... })
    >>> hw.rank_table(frame, metric="dsc", rng=1)[0]["U-Net"].rank
    1
    """
    combining = resolve_combining(combine, absent_model)
    options = replace(
        resolve_options(scheme, test, ties, margin, top, missing), combining=combining
    )
    settings = ranking_settings(
        resolve_request(
            method=method,
            failures=failures,
            confidence_level=confidence_level,
            alternative="two-sided",
            n_resamples=n_resamples,
            rng=rng,
            missing="raise" if options.worst_rank else missing,
            penalty=penalty,
            over=over,
        ),
        unmatched,
        keep_cases=keep_cases,
        test=test,
    )
    where = prediction_columns(target, score, prediction)
    named = challenge_columns(table, by, within, task, value, of_cases=where is None)
    columns = TableColumns(
        named.by,
        named.within,
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
    of_columns = isinstance(value, Mapping) or (where is not None and where.columns_by_model)
    sources = sources_of(table, columns.by, of_columns=of_columns)
    if where is not None and value is not None:
        raise OptionError(
            f"{spelled('value')} is for values of cases, {spelled('target')} for "
            "predictions; not both"
        )
    several = isinstance(metric, Mapping) or len(listed_metrics(metric)) > 1
    wanted = metric_columns(
        metric, value if several else named.value, sources, of_cases=where is None
    )
    families, notes = table_families(sources, columns, where, wanted, bounds, given, settings)
    return _ranked(families, options, settings, [*named.notes, *notes])


def ranking_settings(request: Request, unmatched: Any, *, keep_cases: Any, test: Any) -> Settings:
    """All pairs of models on the same cases, without verdicts."""
    settings = resolve_settings(
        request,
        effect="difference",
        paired=True,
        baseline=None,
        test=test,
        correction="holm",
        simultaneous=True,
        margin=None,
        goal=None,
        unmatched=unmatched,
        keep_cases=keep_cases,
    )
    return replace(settings, ranked=True)


def _ranked(
    families: Sequence[Measured],
    options: RankingOptions,
    settings: Settings,
    notes: Sequence[str] = (),
) -> Rankings:
    if options.worst_rank:
        check_worst_rank(options.schemes, families[0][1])
    further: list[str] = []
    if options.combining.over_metrics:
        families, further = with_same_cases(families, settings)
    measured = [
        (family.label, one)
        for family, measuring in families
        for one in measured_with_policies(
            family,
            measuring,
            penalized(settings, family, several=len(families) > 1),
            worst_rank=options.worst_rank,
        )
    ]
    return all_ranked(measured, options, settings, [*notes, *further])
