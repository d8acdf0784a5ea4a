"""What someone in a hurry gives to a verb: arrays and frames, which become data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from halfwidth.core.checks import is_path, refuse_paths
from halfwidth.core.errors import OptionError, shortened, shown
from halfwidth.core.option_names import Door, at_door, current_door, flag_of, spelled
from halfwidth.core.option_table.table import option_of
from halfwidth.core.row_labels import has_columns
from halfwidth.core.spec import MetricSpec, spec_of
from halfwidth.data.case_values import CaseValues
from halfwidth.data.inputs import names_models
from halfwidth.data.predictions import Predictions
from halfwidth.data.readings import OF_A_TRUTH, Readings
from halfwidth.data.several_metrics import listed_metrics
from halfwidth.data.sources import is_table, is_tables
from halfwidth.io.table import Table
from halfwidth.measuring.kinds import DataOfModels, is_data
from halfwidth.measuring.read_test_sets import ReadCases
from halfwidth.metrics.all_metrics import (
    METRICS,
    SAMPLE_METRICS,
    is_sample_metric,
    refuse_detection_metric,
)
from halfwidth.results.result import Result
from halfwidth.tables.challenge_columns import MODEL_COLUMNS
from halfwidth.tables.layout import layout_of

# Those of models, which every verb takes.
Data = DataOfModels


def as_data_of_models(
    data: Any, other: Any, metric: Any, verb: str, *, estimates: bool = False
) -> Data:
    """Data as of `as_data`, for a verb that takes no readings."""
    dataset = as_data(data, other, metric, estimates=estimates)
    if isinstance(dataset, Readings):
        raise OptionError(
            f"{verb} takes no readings: compare says whether a model agrees with its raters as "
            f"these do with each other. {OF_A_TRUTH}"
        )
    return dataset


def as_data(data: Any, other: Any, metric: Any, *, estimates: bool = False) -> Data | Readings:
    """The data meant by what is given to a verb.

    Data go as they are; they are true classes where predictions follow (``other``: of one model, or
    of several by their names); else values of cases, which those of a second model may follow. A
    metric of a whole test set tells true classes and scores from values of two models. In a table
    without a column of models each column is a model; where a verb ``estimates``, a structure.
    """
    if is_data(data):
        if other is not None:
            raise OptionError(
                f"{type(data).__name__} hold all models already, but {shown(other)} follows; give "
                "both models where the data are made, by their names: {'A': ..., 'B': ...}"
            )
        if not estimates:
            _refuse_one_model(data)
        return cast("Data | Readings", data)
    for given in (data, other):
        if is_path(given):
            refuse_paths(given)
    _refuse_finished(data)
    _refuse_finished(other)
    if other is None:
        return _case_values(data, estimates=estimates)
    if isinstance(metric, str) and (name := metric.partition(":")[0]) not in SAMPLE_METRICS:
        refuse_detection_metric(name)
    _refuse_misplaced(data, other)
    if names_models(other) or estimates or _is_of_test_sets(metric):
        return Predictions.from_arrays(data, other)
    return CaseValues.from_arrays({"A": data, "B": other})


def _refuse_one_model(data: Any) -> None:
    """Refuse one model without a name, and its columns where models are meant."""
    several = getattr(data, "several_models", "")
    if several and current_door() is Door.PYTHON and not data.models:
        raise OptionError(
            "one model without a name has nothing to compare it with; name each when the data are "
            f"made: {type(data).__name__}.{several}"
        )
    if not isinstance(data, CaseValues) or data.are_runs or data.models:
        return
    columns = [name for one in data.columns for name in one.names]
    if len(columns) > 1:
        named = {name: name for name in columns}
        raise OptionError(
            f"columns {shortened(columns, 5)} are structures or metrics of one model; those that "
            f"are models are named by a mapping, {spelled('value', named)}"
        )


def _refuse_misplaced(data: Any, other: Any) -> None:
    """Refuse names where arrays follow, a second table, and models before true classes."""
    if isinstance(other, str) and isinstance(data, Mapping) and other in data:
        raise OptionError(
            f"{shown(other)} names a model of these, which options do: {spelled('baseline', other)}"
            f", of a gate {spelled('new', other)}"
        )
    if isinstance(other, str):
        name, columns = other.partition(":")[0], has_columns(data) and other in data
        if not columns and (name in METRICS or name in SAMPLE_METRICS):
            raise OptionError(
                f"{shown(other)} is a metric, and options are given by name: "
                f"{spelled('metric', other)}"
            )
        raise OptionError(
            f"{shown(other)} follows a table; columns are named where data are made: "
            f"CaseValues.from_table(table, {shown(other)})"
        )
    if has_columns(data) and has_columns(other):
        raise OptionError(
            "a table follows a table; name the models of both: {'A': table, 'B': table}"
        )
    if names_models(data) and not names_models(other):
        raise OptionError(
            "models by their names come second, after the true classes: (y_true, {'A': ..., 'B': "
            "...}); values of cases of several models come alone"
        )


def _refuse_finished(given: Any) -> None:
    """Refuse data among arrays, and results among data."""
    parts = given.values() if isinstance(given, Mapping) else given
    first = next(iter(parts), None) if isinstance(given, list | tuple | Mapping) else None
    if is_data(first):
        kind = type(first).__name__
        raise OptionError(
            f"{kind} stand for all models that they hold, and go alone; what names models has "
            f"their arrays or tables: {kind}.{_MAKERS[kind]}"
        )
    if result := next((one for one in (given, first) if isinstance(one, Result)), None):
        raise OptionError(
            f"expected data, got {type(result).__name__}; only plot and report take results"
        )


_MAKERS = {
    "CaseValues": "from_arrays({'A': values, 'B': values})",
    "Predictions": "from_arrays(y_true, {'A': scores, 'B': scores})",
    "Detections": "from_files({'A': detections, 'B': detections}, references)",
    "Readings": "from_arrays({'A': labels, 'B': labels}, model='A')",
}


def refuse_idle(verb: str, data: Data | Readings, **options: Any) -> None:
    """Refuse options of a verb that have no effect on the data."""
    for name, value in options.items():
        option = option_of(name, verb)
        usual = value is option.default or (
            isinstance(value, str | bool) and value == option.default
        )
        if option.kinds and data.kind not in option.kinds and not usual:
            raise OptionError(
                f"{spelled(name, value)} has no effect on {data.kind}; it is of "
                f"{', '.join(option.kinds)}"
            )


def _case_values(data: Any, *, estimates: bool) -> CaseValues:
    if is_tables(data):
        return CaseValues.from_table(data)
    if not is_table(data) or isinstance(data, Mapping):
        return CaseValues.from_arrays(data)
    table = Table.from_frame(data)
    layout = layout_of(table)
    if estimates or layout.metric or any(name in MODEL_COLUMNS for name in table.names):
        return CaseValues.from_table(data)
    if layout.case is None and not layout.left_out:
        return CaseValues.from_arrays(data)
    # Ids and designs are no models.
    return CaseValues.from_table(data, {name: name for name in layout.values})


def _is_of_test_sets(metric: Any) -> bool:
    """Whether a metric, or the first of several, is of test sets; a function of one's own is."""
    (first, *_) = listed_metrics(metric)
    if isinstance(first, str):
        name = first.partition(":")[0]
        return name in SAMPLE_METRICS and name not in METRICS
    if isinstance(first, MetricSpec):
        return is_sample_metric(first)
    declared = spec_of(first) if callable(first) else None
    if isinstance(declared, MetricSpec):
        return is_sample_metric(declared)
    return callable(first)


def predictions_in(data: Any, y_score: Any, purpose: str) -> Predictions:
    """The predictions that a verb is of, which takes nothing else."""
    dataset = as_data(data, y_score, None, estimates=True)
    if isinstance(dataset, Predictions):
        return dataset
    hint = (
        f"; {spelled('y_score')} gives the predictions for true classes" if y_score is None else ""
    )
    raise OptionError(f"{purpose} needs Predictions, not {dataset.kind}{hint}")


def only_cases(read: Sequence[ReadCases], purpose: str) -> ReadCases:
    """The cases of the only model and level."""
    if len(read) == 1:
        return read[0]
    names = shortened([one.label for one in read], 5)
    model = next((one.model.name for one in read if one.model.name), None)
    alone = "the rows of one level do" if model is None else f"data.taking([{model!r}]) is of one"
    how = at_door(alone, f"give the file of one, or its rows, {flag_of('where')} COLUMN=LEVEL")
    raise OptionError(f"{purpose} takes one model, and the data have {len(read)} ({names}); {how}")
