"""What the verbs that compare models pass on, from their options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from halfwidth.cli import options, predictions, reading
from halfwidth.cli.command import refuse_given
from halfwidth.cli.compared_models import (
    MODEL_COLUMN,
    Columns,
    Models,
    named_models,
    read_models,
    refuse_name_of_one,
)
from halfwidth.cli.metric_names import typed_metrics
from halfwidth.cli.output import note_if_long
from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.parameters import split_names
from halfwidth.core.spec import Better, MetricSpec
from halfwidth.data.case_values import CaseValues
from halfwidth.data.predictions import Predictions
from halfwidth.io.table import Table
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS
from halfwidth.tables.layout import metrics_held
from halfwidth.tables.prediction_columns import class_cells

# Options with a meaning for per-case values alone, and for test sets alone.
OF_VALUES = ("value", "statistic", "penalty", "scale", "over", "failures")
OF_TEST_SETS = (
    *("scores", "labels", "pos_label", "average", "threshold", "absent_class", "undefined"),
    *("costs", "priors", "sample_weight"),
)
# What options and arguments of a verb are both called.
OF_VERBS = (
    *("baseline", "margin", "goal", "test", "correction"),
    *("method", "confidence_level", "n_resamples", "top", "combine"),
)
# Those of the data.
OF_DATA = ("groups", "strata", "missing", "case", "pairing")
OF_CASE_VALUES = ("scale", "penalty", "over", "failures")
OF_PREDICTIONS = ("scores", "absent_class", "undefined")


def verb_options(ctx: typer.Context) -> dict[str, Any]:
    """The options of a verb that compares models. No verb need have them all."""
    params = ctx.params
    options = given_options(params)
    if not refuse_ignored(ctx):
        return options | {"statistic": params["statistic"]}
    return options | {
        "metric": _with_tables(
            _metric(params["metric"], params["better"], has_test_set=True), params
        ),
        "average": params["average"],
    }


def given_options(params: Mapping[str, Any]) -> dict[str, Any]:
    """What describes inference."""
    options = {name: params[name] for name in OF_VERBS if name in params} | {"rng": params["seed"]}
    if "ratio" in params:
        options["effect"] = "ratio" if params["ratio"] else "difference"
    if "scheme" in params:
        options["scheme"] = split_names(params["scheme"])
    return options


def refuse_ignored(ctx: typer.Context) -> bool:
    """Refuse what has no effect on test sets, or on values of cases; whether it is test sets."""
    has_test_set = columns_of(ctx.params).has_test_set
    if has_test_set:
        refuse_given(ctx, OF_VALUES, "has no effect on a metric of a test set (--target)")
    else:
        refuse_given(ctx, OF_TEST_SETS, "needs --target COLUMN, the true classes")
    return has_test_set


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
        params.get("by"),
        params["case"],
        params["value"] or (),
        params["target"],
        params["score"] or (),
        params["prediction"],
        [
            *(params["within"] or ()),
            *filter(None, map(params.get, ("groups", "strata", "sample_weight"))),
        ],
        predicted if any(predicted) else scores,
        any(predicted),
        takes_sides="score_a" in params,
    )


def _one(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def data_in(
    files: list[str],
    params: Mapping[str, Any],
    model_columns: Sequence[str] = (MODEL_COLUMN,),
) -> CaseValues | Predictions:
    """The tables of the models, read as options say."""
    may_be_one = params.get("goal") is not None
    columns = columns_of(params)
    named = named_models(files, params.get("model_from"))
    refuse_name_of_one(named, params.get("model_from"))
    models = read_models(
        named,
        columns,
        reading.Options.from_given(params),
        may_be_one=may_be_one,
        model_columns=model_columns,
    )
    note_if_long(sum(map(len, models.each)), params["method"], params["n_resamples"])
    described = {name: params[name] for name in OF_DATA}
    described |= {
        "by": tuple(params["within"] or ()),
        "bounds": options.parse_bounds(params["bounds"]),
    }
    return (
        _predictions(models, params, described)
        if columns.has_test_set
        else _case_values(models, params, described)
    )


def _case_values(
    models: Models, params: Mapping[str, Any], described: dict[str, Any]
) -> CaseValues:
    metric = params["metric"] or ()
    held = metrics_held(models.each[0])
    if held and params["better"] is not None and not metric:
        raise OptionError(
            f"--better needs --metric here, since the table names its metrics: {shortened(held)}"
        )
    options.refuse_test_set_metrics(metric, models.each)
    return CaseValues.from_table(
        models.tables,
        models.value,
        model=models.model,
        metric=_metric(params["metric"], params["better"], has_test_set=False),
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
        threshold=predictions.with_its_tables(
            predictions.parse_threshold(params["threshold"]), predictions.parse_tables(params)
        ),
        **described,
        **{name: params[name] for name in OF_PREDICTIONS},
    )


def _with_tables(metric: Any, params: Mapping[str, Any]) -> Any:
    """A metric, or several, with the costs and priors that they take."""
    several = metric if isinstance(metric, list) else [metric]
    threshold = predictions.parse_threshold(params["threshold"])
    *metrics, _ = predictions.with_tables([*several, threshold], predictions.parse_tables(params))
    return metrics if isinstance(metric, list) else metrics[0]


def label_options(table: Table, column: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Labels, and which is the positive one, as a column has them."""
    positive = params["pos_label"]
    if not params["labels"] and positive is None:
        return {}
    cells = class_cells(table, column, numbers=False)
    return {
        "labels": predictions.parse_labels(params["labels"], cells),
        "pos_label": None if positive is None else predictions.parse_label(positive, cells),
    }


def _metric(texts: list[str] | None, better: str | None, *, has_test_set: bool) -> Any:
    """The metric or metrics, where they are columns by these."""
    metrics = typed_metrics(texts)
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
