"""What someone in a hurry gives to a verb: arrays and frames, which become data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halfwidth.core.errors import OptionError, shown
from halfwidth.core.spec import spec_of
from halfwidth.data.case_values import CaseValues
from halfwidth.data.detections import Detections
from halfwidth.data.inputs import names_models
from halfwidth.data.predictions import Predictions
from halfwidth.data.sources import is_table, is_tables
from halfwidth.io.table import Table
from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS
from halfwidth.tables.challenge_columns import MODEL_COLUMNS

Data = CaseValues | Predictions | Detections


def as_data(data: Any, other: Any, metric: Any, *, estimates: bool = False) -> Data:
    """The data meant by what is given to a verb.

    Parameters
    ----------
    data
        Data, which go as they are; true classes, where predictions follow; else values of cases.
    other
        Predictions of one model, or of several by their names; or the values of a second model.
    metric
        A metric of a whole test set tells true classes and scores from values of two models.
    estimates : bool
        Whether a table without a column of models has a structure in each column; else each column
        is a model.

    Raises
    ------
    OptionError
        Where data are followed by further ones.
    """
    if isinstance(data, CaseValues | Predictions | Detections):
        if other is not None:
            raise OptionError(
                f"{type(data).__name__} are complete, and {shown(other)} follows; give predictions "
                "and values where the data are made"
            )
        return data
    if other is None:
        return _case_values(data, estimates=estimates)
    if names_models(other) or estimates or _is_of_test_sets(metric):
        return Predictions.from_arrays(data, other)
    return CaseValues.from_arrays({"A": data, "B": other})


def _case_values(given: Any, *, estimates: bool) -> CaseValues:
    is_frame = is_table(given) and not isinstance(given, Mapping)
    if is_tables(given) or (is_frame and (estimates or _names_models(given))):
        return CaseValues.from_table(given)
    return CaseValues.from_arrays(given)


def _names_models(frame: Any) -> bool:
    """Whether a column of a table names the model of each row."""
    return any(name in MODEL_COLUMNS for name in Table.from_frame(frame).names)


def _is_of_test_sets(metric: Any) -> bool:
    """Whether a metric is one of test sets alone; a function of one's own is."""
    if isinstance(metric, str):
        name = metric.partition(":")[0]
        return name in SAMPLE_METRICS and name not in METRICS
    return callable(metric) and spec_of(metric) is None
