"""The public functions for comparing a model with raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth.comparison.raters import RATERS, Ratings, against_raters, pair_name
from halfwidth.comparison.settings import (
    Settings,
    check_against_metric,
    check_family,
    resolve_settings,
)
from halfwidth.core.errors import DataError, OptionError, UnknownNameError, quoted
from halfwidth.core.forms import Effect
from halfwidth.core.options import spelled
from halfwidth.core.undefined import AbsentClass, Missing, Undefined
from halfwidth.data.families import Family, ModelCases
from halfwidth.data.inputs import models_of
from halfwidth.data.matching import Unmatched, matched
from halfwidth.data.measured_test_sets import measure_test_sets
from halfwidth.data.measured_values import ValueOptions
from halfwidth.data.measuring import Measurable, measuring_each_metric, measuring_values
from halfwidth.data.sources import Source, TableColumns, column_list, column_name
from halfwidth.data.value_tables import value_families
from halfwidth.estimation.grouping import Over
from halfwidth.estimation.resolve import AUTO, resolve_request, resolve_statistic
from halfwidth.estimation.test_sets.options import TestSetOptions
from halfwidth.io.table import Table
from halfwidth.results.comparison import Comparisons


def compare_with_raters(
    model: Any,
    raters: Any,
    *,
    metric: Any,
    average: Any = None,
    effect: Effect = "difference",
    margin: float | None = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
    missing: Missing = "raise",
    unmatched: Unmatched = "raise",
    groups: Any = None,
    strata: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    absent_class: AbsentClass = "omit",
    undefined: Undefined = "omit",
    name: str = "model",
) -> Comparisons:
    """Whether a model agrees with raters as well as the raters agree with each other.

    The difference is the mean over raters of the metric of the model with the rater as the
    reference, minus the mean over pairs of raters of the metric of one with the other as the
    reference (both ways). Cases are resampled, with all that was said of each; the raters are
    these, so that the interval is about further cases, not further raters.

    Parameters
    ----------
    model : array-like, shape (n,)
        The label, or the number, that the model gives each case.
    raters : mapping of str to array-like, or frame with a column for each
        Those of two or more raters; pandas labels match cases.
    metric : str, MetricSpec or metric function
        A metric of decisions or numbers: ``"cohen_kappa"``, ``"accuracy"``, ``"f1"``, ``"mae"``.
    average, labels, pos_label, absent_class, undefined
        As for `metric_ci`.
    effect : {"difference", "ratio"}
        The ratio is Williams' index: 1 where the model is like one more rater.
    margin : float, optional
        The smallest loss of agreement that matters, for a verdict.
    method, confidence_level, n_resamples, rng, groups, strata
        As for `metric_ci`.
    missing : {"raise", "omit"}
        ``"omit"`` leaves out cases that anyone did not label.
    unmatched : {"raise", "omit"}
        ``"omit"`` leaves out cases that are not there for all.
    name : str
        What the model is called.

    Returns
    -------
    Comparisons
        Of one difference, the model against ``"raters"``.

    Raises
    ------
    DataError, OptionError
        As for `compare`, and for fewer than two raters.

    References
    ----------
    Williams (1976); figure SN 2.17 of Reinke et al. (2024).

    Examples
    --------
    >>> import halfwidth as hw
    >>> model = [0, 1, 1, 0, 2, 2, 1, 0, 1, 2] * 4
    >>> raters = {"A": [0, 1, 1, 0, 2, 1, 1, 0, 1, 2] * 4, "B": [0, 1, 2, 0, 2, 2, 1, 0, 0, 2] * 4}
    >>> d = hw.compare_with_raters(model, raters, metric="accuracy")[0]
    >>> round(d.first_value, 3), round(d.second_value, 3), round(d.value, 3)
    (0.85, 0.7, 0.15)
    """
    settings = _settings(
        resolve_request(
            method=method,
            confidence_level=confidence_level,
            alternative="two-sided",
            n_resamples=n_resamples,
            rng=rng,
            missing=missing,
            penalty=None,
        ),
        effect,
        margin,
        unmatched,
    )
    options = TestSetOptions(
        labels, pos_label, "labels", absent_class=absent_class, undefined=undefined
    )
    averages = None if average is None else [average]
    (measuring,) = measuring_each_metric([metric], averages, options, None)
    if measuring.numbers:
        options = replace(options, scores="numbers")
        (measuring,) = measuring_each_metric([metric], averages, options, None)
    if measuring.requested is None:
        raise TypeError("a metric of a test set is measured on test sets")
    check_against_metric(settings, measuring.metric)
    people = models_of(raters, {}, argument="raters")
    ratings = _ratings(str(name), [one.name for one in people])
    everyone = models_of(
        {ratings.model: model, **_columns(raters)}, {"groups": groups, "strata": strata}
    )
    family = matched(Family(everyone, measuring.metric), settings.how.unmatched)
    pairs = Family(_pairs(family.models, ratings), family.metric, n_unmatched=family.n_unmatched)
    measured = measure_test_sets(pairs, measuring.requested, settings.request.missing, paired=True)
    differences = against_raters(measured, ratings, settings)
    return Comparisons(differences, notes=(_fixed(ratings),))


def compare_with_raters_table(
    table: Any,
    value: Any = None,
    *,
    model: str,
    raters: Sequence[str] | None = None,
    prediction: str = "prediction",
    reference: str = "reference",
    within: Any = (),
    case: str | None = None,
    metric: Any = None,
    statistic: Any = "mean",
    effect: Effect = "difference",
    margin: float | None = None,
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
) -> Comparisons:
    """As `compare_with_raters`, from a table of per-case values of pairs, such as DSC of masks.

    Each row has a case, the one whose mask was scored, the one whose mask was the reference, and a
    value: what `score_folders` gives for the model against each rater, and for each rater against
    each other, one below the other with two columns that say which it is. Of two raters one order
    will do.

    Parameters
    ----------
    table : DataFrame or mapping of columns
    value : str, optional
        Column of values; default: as for `CaseValues.from_table`.
    model : str
        What the model is called in the columns of pairs.
    raters : sequence of str, optional
        Default: all others in these columns.
    prediction, reference : str
        The columns of pairs.
    within : str or sequence of str
        Columns within whose levels the comparison is made.
    case, metric, statistic, missing, penalty, unmatched, groups, strata, over, bounds, scale
        As for `CaseValues.from_table` and `compare`.
    effect, margin, method, confidence_level, n_resamples, rng
        As for `compare_with_raters`.

    Returns
    -------
    Comparisons
        A difference for each family.

    Raises
    ------
    DataError, OptionError, UnknownNameError
        As for `compare`, and if a pair is not in the table.

    Examples
    --------
    >>> import pandas as pd, halfwidth as hw
    >>> table = pd.DataFrame({
    ...     "case": ["a", "b", "c"] * 3,
    ...     "prediction": ["U-Net"] * 6 + ["B"] * 3,
    ...     "reference": ["A"] * 3 + ["B"] * 3 + ["A"] * 3,
    ...     "dice": [0.91, 0.88, 0.93, 0.85, 0.80, 0.89, 0.84, 0.81, 0.88],
    ... })
    >>> d = hw.compare_with_raters_table(table, "dice", model="U-Net", metric="dsc")[0]
    >>> round(d.first_value, 3), round(d.second_value, 3)
    (0.877, 0.843)
    """
    settings = _settings(
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
        effect,
        margin,
        unmatched,
    )
    options = ValueOptions(resolve_statistic(statistic), scale)
    measuring = measuring_values(metric, bounds, options, named=False)
    whole = Table.from_frame(table)
    pair_columns = (
        column_name("prediction", prediction) or "prediction",
        column_name("reference", reference) or "reference",
    )
    people = column_list("raters", raters)
    sources, ratings = _pair_tables(whole, str(model), people, pair_columns)
    columns = TableColumns(
        "",
        column_list("within", within),
        column_name("case", case),
        column_name("groups", groups),
        column_name("strata", strata),
    )
    values = list(column_list("value", value))
    families, notes = value_families(sources, columns, values or None, metric, bounds, settings.how)
    found = [Measurable(family, measuring) for family in families]
    for family in found:
        check_family(family, settings)
    measured = [one for family in found for one in family.measured(settings.how)]
    differences = against_raters(measured, ratings, settings)
    return Comparisons(differences, notes=(*notes, _fixed(ratings)))


def _settings(request: Any, effect: Any, margin: Any, unmatched: Any) -> Settings:
    return resolve_settings(
        request,
        effect=effect,
        paired=True,
        baseline=None,
        test="none",
        correction="holm",
        simultaneous=False,
        margin=margin,
        goal=None,
        unmatched=unmatched,
        keep_cases=False,
    )


def _fixed(ratings: Ratings) -> str:
    return (
        f"the interval is about further cases, not about raters other than {quoted(ratings.raters)}"
    )


def _ratings(model: str, raters: Sequence[str]) -> Ratings:
    if len(raters) < 2:
        raise OptionError(
            f"{len(raters)} rater{'s' * (not raters)} given ({spelled('raters')}); raters agree "
            "with each other where there are two or more (with one, score the model against it)"
        )
    if model in raters or RATERS in (model, *raters):
        raise OptionError(
            f"model {model!r} and raters {quoted(raters)} need names of their own, and none of "
            f"them may be {RATERS!r}"
        )
    return Ratings(model, tuple(raters))


# --------------------------------------------------------------------------- labels


def _columns(raters: Any) -> dict[str, Any]:
    names = list(raters) if isinstance(raters, Mapping) else list(raters.columns)
    return {str(name): raters[name] for name in names}


def _pairs(everyone: Sequence[ModelCases], ratings: Ratings) -> tuple[ModelCases, ...]:
    """Each pair as a model, whose target is what its second member said."""
    said = {one.name: one for one in everyone}
    return tuple(
        ModelCases(
            pair_name(prediction, reference),
            said[prediction].predictions,
            said[prediction].identities,
            target=said[reference].predictions,
            groups=said[prediction].groups,
            strata=said[prediction].strata,
            cautions=said[prediction].cautions,
        )
        for prediction, reference in (*ratings.with_model, *ratings.among_raters)
    )


# --------------------------------------------------------------------------- tables


def _pair_tables(
    table: Table, model: str, raters: Sequence[str], columns: tuple[str, str]
) -> tuple[list[Source], Ratings]:
    """The rows of each pair as a table of its own, and who the raters are."""
    for name in columns:
        if name not in table:
            raise UnknownNameError("column", name, table.names)
    sides = [[str(level) for level in table.levels(name)] for name in columns]
    there = list(dict.fromkeys(zip(*sides, strict=True)))
    people = list(dict.fromkeys(name for pair in there for name in pair))
    if model not in people:
        raise UnknownNameError("model", model, people)
    others = [name for name in people if name != model]
    for name in raters:
        if name not in others:
            raise UnknownNameError("rater", name, others)
    ratings = _ratings(model, raters or others)
    sources = []
    rows = np.array([pair_name(*pair) for pair in zip(*sides, strict=True)], dtype=object)
    kept = [name for name in table.names if name not in columns]
    for one, other in (*ratings.with_model, *ratings.among_raters):
        found = [pair for pair in ((one, other), (other, one)) if pair in there]
        if not found:
            raise DataError(
                f"no rows of {one!r} with {other!r}: columns {columns[0]} and {columns[1]} must "
                "have the model with each rater, and each two raters"
            )
        # Of raters both orders count where both are there.
        if one != model and (one, other) not in there:
            continue
        chosen = np.flatnonzero(rows == pair_name(*found[0]))
        part = {name: table.columns[name][chosen] for name in kept}
        sources.append(Source(Table.from_frame(part), pair_name(one, other)))
    return sources, ratings
