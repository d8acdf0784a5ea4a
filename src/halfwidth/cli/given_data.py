"""The data that options describe: values of cases or predictions, in tables or in arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halfwidth.cli import options, reading, test_set_texts
from halfwidth.cli.compared_models import (
    Columns,
    Models,
    named_models,
    read_models,
    refuse_name_of_one,
)
from halfwidth.cli.metric_names import typed_metrics
from halfwidth.cli.output import note_if_long
from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.kinds import Estimand
from halfwidth.core.parameters import split_names
from halfwidth.core.spec import Better, Metric, MetricSpec, Takes
from halfwidth.data.case_values import CaseValues
from halfwidth.data.predictions import Predictions
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.io.arrays import read_array
from halfwidth.io.table import Table
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS
from halfwidth.metrics.names import resolve_sample_metric
from halfwidth.tables.layout import metrics_held
from halfwidth.tables.prediction_columns import class_cells

# What options and arguments of data are both called.
OF_DATA = ("groups", "strata", "missing", "case", "pairing")
OF_CASE_VALUES = ("scale", "penalty", "over", "failures")
OF_PREDICTIONS = ("scores", "absent_class", "undefined")
# Arrays of a test set, which replace a table.
ARRAYS = ("target_file", "score_file")
COLUMNS = ("groups", "strata", "sample_weight", "case", "by", "model")


def has_test_set(params: Mapping[str, Any]) -> bool:
    """Whether any option is of a test set."""
    return any(params.get(name) for name in ARRAYS) or columns_of(params).has_test_set


def columns_of(params: Mapping[str, Any]) -> Columns:
    """The columns that options name."""
    scores = (params.get("score_a") or (), params.get("score_b") or ())
    predicted = (_one(params.get("prediction_a")), _one(params.get("prediction_b")))
    if any(scores) and any(predicted):
        raise OptionError(
            "both models need the same kind of columns: --score-a and --score-b, or "
            "--prediction-a and --prediction-b"
        )
    return Columns(
        params.get("model"),
        params["case"],
        params["value"] or (),
        params["target"],
        params["score"] or (),
        params["prediction"],
        [
            *(params["by"] or ()),
            *filter(None, map(params.get, ("groups", "strata", "sample_weight"))),
        ],
        predicted if any(predicted) else scores,
        any(predicted),
        takes_sides="score_a" in params,
    )


def _one(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def data_in(
    files: Sequence[str], params: Mapping[str, Any], *, compared: bool = True
) -> CaseValues | Predictions:
    """The tables of models, or the arrays of one, read as options say.

    ``compared``: whether models are held against each other, so that there have to be two, unless
    one has a goal.
    """
    if any(params.get(name) for name in ARRAYS):
        return _arrays(files, params)
    columns = columns_of(params)
    named = named_models(files, params.get("model_from"))
    refuse_name_of_one(named, params.get("model_from"))
    models = read_models(
        named,
        columns,
        reading.Options.from_given(params),
        compared=compared,
        may_be_one=not compared or params.get("goal") is not None,
    )
    if _draws(params, columns):
        note_if_long(sum(map(len, models.each)), params["method"], params["n_resamples"])
    described = {name: params[name] for name in OF_DATA if name in params}
    described |= {
        "by": tuple(params["by"] or ()),
        "bounds": options.parse_bounds(params["bounds"]),
    }
    return (
        _predictions(models, params, described)
        if columns.has_test_set
        else _case_values(models, params, described)
    )


def _draws(params: Mapping[str, Any], columns: Columns) -> bool:
    """Whether bootstraps have to draw: of ranks of scores, and of all statistics but means."""
    if columns.has_test_set:
        metrics = [resolve_sample_metric(name) for name in split_names(params["metric"] or ())]
        return any(one.spec.takes is Takes.SCORES for one in metrics if isinstance(one, Metric))
    asked = params["statistic"]
    names = split_names([asked] if isinstance(asked, str) else asked)
    kinds = {resolve_statistic(name).spec.estimand for name in names}
    return params["n_resamples"] is not None or kinds != {Estimand.MEAN}


def _case_values(
    models: Models, params: Mapping[str, Any], described: dict[str, Any]
) -> CaseValues:
    metric = params["metric"] or ()
    held = metrics_held(models.each[0])
    if held and params.get("better") is not None and not metric:
        raise OptionError(
            f"--better needs --metric here, since the table names its metrics: {shortened(held)}"
        )
    options.refuse_test_set_metrics(metric, models.each)
    return CaseValues.from_table(
        models.tables,
        models.value,
        model=models.model,
        metric=metric_asked(params, has_test_set=False),
        **described,
        **{name: params[name] for name in OF_CASE_VALUES},
    )


def _predictions(
    models: Models, params: Mapping[str, Any], described: dict[str, Any]
) -> Predictions:
    return Predictions.from_table(
        models.tables,
        params["target"],
        score=models.score,
        prediction=models.prediction,
        model=models.model,
        **label_options(models.each[0], params["target"], params),
        sample_weight=params["sample_weight"],
        threshold=test_set_texts.threshold_of(params),
        **described,
        **{name: params[name] for name in OF_PREDICTIONS},
    )


def _arrays(files: Sequence[str], params: Mapping[str, Any]) -> Predictions:
    """A test set in NumPy files."""
    if files or any(params[name] for name in ("target", "score", "prediction")):
        raise OptionError(
            "--target-file and --score-file replace a table; leave out FILE, --target, --score and "
            "--prediction"
        )
    given: dict[str, Path | None] = {name.replace("_", "-"): params[name] for name in ARRAYS}
    for flag, file in given.items():
        if file is None:
            raise OptionError(f"--target-file and --score-file go together; --{flag} is missing")
    if named := [f"--{name.replace('_', '-')}" for name in COLUMNS if params.get(name)]:
        raise OptionError(f"{', '.join(named)}: arrays have no columns; give a table")
    if reading.Options.from_given(params) != reading.Options():
        raise OptionError(
            "--where, --sheet, --decimal, --header, --input-format, --path and --filter are for "
            "tables; leave them out for arrays"
        )
    y_true, y_score = (read_array(str(file)) for file in given.values())
    arrays = Predictions.from_arrays(
        y_true,
        y_score,
        **test_set_texts.labels_among(y_true, params),
        threshold=test_set_texts.threshold_of(params),
        bounds=options.parse_bounds(params["bounds"]),
        missing=params["missing"],
        **{name: params[name] for name in OF_PREDICTIONS},
    )
    return arrays.called(*(f"--{flag} {file}" for flag, file in given.items()))


def label_options(table: Table, column: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Labels, and which is the positive one, as a column has them."""
    if not params["labels"] and params["pos_label"] is None:
        return {}
    return test_set_texts.labels_among(class_cells(table, column, numbers=False), params)


def metric_asked(params: Mapping[str, Any], *, has_test_set: bool) -> Any:
    """The metric or metrics, where they are columns by these."""
    metrics, better = typed_metrics(params["metric"]), params.get("better")
    if better is not None and len(metrics) > 1:
        raise OptionError(
            f"--better {better} says the direction of one metric, not of {len(metrics)}; compare "
            "one metric at a time"
        )
    if isinstance(metrics, dict):
        return {column: _one_metric(name, better, has_test_set) for column, name in metrics.items()}
    names: list[str | None] = [*metrics] or [None]
    each = [_one_metric(name, better, has_test_set) for name in names]
    return each[0] if len(each) == 1 else each


def _one_metric(
    name: str | None, better: str | None, has_test_set: bool
) -> str | MetricSpec | None:
    """The metric, with the direction that is given for one of the user's own."""
    known = (name or "").partition(":")[0]
    catalogue = SAMPLE_METRICS if has_test_set else METRICS
    if better is None:
        return name
    if better not in (Better.HIGHER, Better.LOWER):
        raise OptionError(f"--better {better!r} is neither higher nor lower")
    if known in catalogue:
        spec = catalogue[known]
        if spec.better != better:
            raise OptionError(
                f"--better {better}: of {spec.called}, {spec.better} is better, and that cannot be "
                "changed; leave out --better"
            )
        return name
    return MetricSpec(name or "value", better=Better(better))
