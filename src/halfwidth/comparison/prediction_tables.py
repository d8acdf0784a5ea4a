"""Families of predictions in tables: a column of models, a table or columns for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halfwidth.comparison.families import Family, ModelCases, take
from halfwidth.comparison.measuring import Measuring
from halfwidth.comparison.settings import Settings
from halfwidth.comparison.sources import (
    Source,
    TableColumns,
    column_labels,
    column_list,
    family_label,
    row_identities,
)
from halfwidth.comparison.table_parts import TablePart, families_of
from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.options import spelled
from halfwidth.estimation.repeat_cautions import repeat_cautions
from halfwidth.io.layout import grouped_rows
from halfwidth.io.prediction_columns import class_cells, score_cells
from halfwidth.io.repeats import case_column, repeats_in


@frozen(eq=False)
class PredictionColumns:
    """Where true classes and predictions are.

    Attributes
    ----------
    target : str
    predictions : mapping of str to tuple of str
        The columns of each model; under the empty name those that all models have.
    scores : bool
        Whether they hold scores, rather than predicted classes.
    """

    target: str
    predictions: Mapping[str, tuple[str, ...]]
    scores: bool

    @property
    def columns_by_model(self) -> bool:
        """Whether each model has columns of its own."""
        return "" not in self.predictions


def prediction_columns(target: str | None, score: Any, prediction: Any) -> PredictionColumns | None:
    """Which columns hold predictions; None where values of cases are to be compared."""
    scored, predicted = _by_model("score", score), _by_model("prediction", prediction)
    if target is None and not scored and not predicted:
        return None
    if target is None:
        raise OptionError(
            f"{spelled('score')} and {spelled('prediction')} need "
            f"{spelled('target')}, the column of true classes"
        )
    if not isinstance(target, str):
        raise OptionError(
            f"{spelled('target', target)} is no text; here it takes the name of a column"
        )
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


def _by_model(option: str, given: Any) -> dict[str, tuple[str, ...]]:
    if isinstance(given, Mapping):
        return {str(name): column_list(option, columns) for name, columns in given.items()}
    columns = column_list(option, given)
    return {"": columns} if columns else {}


def prediction_families(
    sources: Sequence[Source],
    columns: TableColumns,
    where: PredictionColumns,
    measuring: Measuring,
    settings: Settings,
) -> tuple[list[Family], list[str]]:
    """The families that tables hold, and what was left out."""
    parts = []
    for source in sources:
        _check_columns(source, columns, where)
        parts += [
            TablePart(tuple(within.values()), within, family_label(within), measuring.metric, model)
            for within, model in _models(
                source, columns, where, numbers=measuring.numbers, paired=settings.paired
            )
        ]
    return families_of(parts, settings.unmatched)


def _check_columns(source: Source, columns: TableColumns, where: PredictionColumns) -> None:
    further = [columns.case, columns.groups, columns.strata, columns.weights, *columns.within]
    predicted = [name for names in where.predictions.values() for name in names]
    for name in [where.target, *predicted, *further]:
        if name is not None and name not in source.table:
            raise UnknownNameError("column", name, source.table.names)


def _models(
    source: Source,
    columns: TableColumns,
    where: PredictionColumns,
    *,
    numbers: bool,
    paired: bool,
) -> list[tuple[dict[str, Any], ModelCases]]:
    """The models of a table, within each combination of levels."""
    table = source.table
    by = [] if source.model is not None or where.columns_by_model else [columns.by]
    used = [where.target, *(name for names in where.predictions.values() for name in names)]
    used += [*columns.within, *by, *filter(None, (columns.strata, columns.weights))]
    case = columns.case or case_column(table, used)
    target = class_cells(table, where.target, numbers=numbers)
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
            *(source, case, columns.groups, rows),
            in_one_row=where.columns_by_model,
            needed=paired,
        )
        repeats = repeats_in(
            table,
            rows,
            case=case,
            groups=None if columns.groups is None else table.levels(columns.groups),
            taken=used,
        )
        for name, predictions in cells.items():
            models.append(
                (
                    within,
                    ModelCases(
                        name or source.model or str(levels[columns.by]),
                        take(predictions, rows),
                        identities,
                        target=take(target, rows),
                        groups=groups,
                        strata=column_labels(table, columns.strata, rows),
                        weights=None
                        if columns.weights is None
                        else table.values(columns.weights, rows),
                        cautions=repeat_cautions(
                            repeats, len(rows), ids_of_groups=groups is not None
                        ),
                    ),
                )
            )
    return models


def _cells(
    source: Source, where: PredictionColumns, names: tuple[str, ...], *, numbers: bool
) -> Any:
    if where.scores:
        return score_cells(source.table, names, source.named.rstrip(": ") or "the table")
    return class_cells(source.table, names[0], numbers=numbers)
