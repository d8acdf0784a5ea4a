"""Families of predictions in tables: a column of models, a table or columns for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.data.families import Family, ModelCases, Pairing, check_names_differ, take
from halfwidth.data.repeat_cautions import box_cautions, repeat_cautions
from halfwidth.data.sources import (
    ModelTable,
    TableColumns,
    column_list,
    family_label,
    row_identities,
)
from halfwidth.data.table_parts import TablePart, families_of
from halfwidth.metrics.names import CustomMetric
from halfwidth.tables.layout import column_labels, grouped_rows, level_text
from halfwidth.tables.prediction_columns import class_cells, score_cells
from halfwidth.tables.repeats import case_column, repeats_in


@frozen(eq=False)
class PredictionColumns:
    """Where true classes and predictions are."""

    # None for readers, who are compared with each other.
    target: str | None
    # The columns of each model; under the empty name those that all models have.
    predictions: Mapping[str, tuple[str, ...]]
    # Whether they hold scores, rather than predicted classes.
    scores: bool
    # Whether each row is a case, so that no ids are looked for, and those that are named are ids
    # of rows, not of parts of clusters.
    rows_are_cases: bool = False

    @property
    def used(self) -> list[str]:
        """All of them."""
        predicted = [name for names in self.predictions.values() for name in names]
        return [*filter(None, [self.target]), *predicted]

    @property
    def columns_by_model(self) -> bool:
        """Whether each model has columns of its own."""
        return "" not in self.predictions

    @property
    def spelled(self) -> tuple[str, str]:
        """What messages call those of true classes and of predictions that all models have."""
        names = [*self.predictions.get("", ())]
        option = "score" if self.scores else "prediction"
        return (
            spelled("target", self.target),
            spelled(option, names[0] if len(names) == 1 else names),
        )


def prediction_columns(target: Any, score: Any, prediction: Any) -> PredictionColumns:
    """Which columns hold predictions."""
    scored = columns_of_models("score", score)
    predicted = columns_of_models("prediction", prediction)
    if not isinstance(target, str):
        raise OptionError(f"{spelled('target', target)} is not a text; give the name of a column")
    if bool(scored) == bool(predicted):
        raise OptionError(
            f"{spelled('target')} needs {spelled('score')} (a column for each class, or that of "
            f"the positive one) or {spelled('prediction')}" + ("; not both" if scored else "")
        )
    if any(len(columns) > 1 for columns in predicted.values()):
        raise OptionError(
            f"{spelled('prediction')} takes one column (of each model); scores may be several"
        )
    return PredictionColumns(target, scored or predicted, bool(scored))


def columns_of_models(option: str, names: Any) -> dict[str, tuple[str, ...]]:
    """The columns of each model, or under the empty name those that all models have."""
    if isinstance(names, Mapping):
        check_names_differ(names)
        return {str(model): column_list(option, columns) for model, columns in names.items()}
    columns = column_list(option, names)
    return {"": columns} if columns else {}


def prediction_families(
    sources: Sequence[ModelTable],
    columns: TableColumns,
    where: PredictionColumns,
    metric: Metric | CustomMetric,
    *,
    numbers: bool,
    pairing: Pairing,
) -> tuple[list[Family], list[str]]:
    """The families that tables hold, and what was left out."""
    parts = []
    for source in sources:
        parts += [
            TablePart(tuple(within.values()), within, family_label(within), metric, model)
            for within, model in models_in(
                source, columns, where, numbers=numbers, paired=pairing != "none"
            )
        ]
    return families_of(parts, pairing)


def models_in(
    source: ModelTable,
    columns: TableColumns,
    where: PredictionColumns,
    *,
    numbers: bool,
    paired: bool,
) -> list[tuple[dict[str, Any], ModelCases]]:
    """The models of a table, within each combination of levels.

    ``numbers``: whether targets are numbers, not classes; ``paired``: whether something has to say
    which case a row is. The columns name none of models where the table is of one.
    """
    table = source.table
    named = source.model is not None or where.columns_by_model or not columns.by
    by = [] if named else [columns.by]
    used = [
        *where.used,
        *columns.within,
        *by,
        *filter(None, (columns.strata, columns.weights)),
    ]
    case = columns.case or (
        # Of one model a person is no name of a case: several rows may be of one.
        None if where.rows_are_cases else case_column(table, used, persons=paired)
    )
    target = None if where.target is None else class_cells(table, where.target, numbers=numbers)
    cells = {
        name: _cells(source, where, names, numbers=numbers)
        for name, names in where.predictions.items()
    }
    models = []
    factors = {name: table.factor(name) for name in (*columns.within, *by)}
    for levels, rows in grouped_rows(factors, len(table)):
        within = {name: levels[name] for name in columns.within}
        groups = column_labels(table, columns.groups, rows)
        identities = row_identities(
            *(source, case, None if where.rows_are_cases else columns.groups, rows),
            in_one_row=where.columns_by_model,
            needed=paired,
        )
        complete = rows[np.logical_and.reduce([table.present(name)[rows] for name in where.used])]
        repeats = repeats_in(
            table,
            complete,
            case=case,
            groups=None if columns.groups is None else table.levels(columns.groups),
            taken=used,
        )
        for name, predictions in cells.items():
            models.append(
                (
                    within,
                    ModelCases(
                        name or source.model or (level_text(levels[columns.by]) if by else ""),
                        take(predictions, rows),
                        identities,
                        target=take(target, rows),
                        groups=groups,
                        strata=column_labels(table, columns.strata, rows),
                        weights=None
                        if columns.weights is None
                        else table.values(columns.weights, rows),
                        cautions=(
                            *repeat_cautions(
                                repeats, len(complete), ids_of_groups=groups is not None
                            ),
                            *box_cautions(table.names),
                        ),
                    ),
                )
            )
    return models


def _cells(
    source: ModelTable, where: PredictionColumns, names: tuple[str, ...], *, numbers: bool
) -> Any:
    if where.scores:
        return score_cells(source.table, names, source.named.rstrip(": ") or "the table")
    return class_cells(source.table, names[0], numbers=numbers)
