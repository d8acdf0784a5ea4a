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
    """The options of a verb that compares models. No verb need have them all.

    Raises
    ------
    OptionError
        For options that would be ignored, and values that cannot be read.
    """
    given = ctx.params
    found = given_options(given)
    if not refuse_ignored(ctx):
        return found | {"statistic": given["statistic"]}
    return found | {
        "metric": _with_tables(_metric(given["metric"], given["better"], of_test_set=True), given),
        "average": given["average"],
    }


def given_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """What describes inference."""
    found = {name: given[name] for name in OF_VERBS if name in given} | {"rng": given["seed"]}
    if "ratio" in given:
        found["effect"] = "ratio" if given["ratio"] else "difference"
    if "scheme" in given:
        found["scheme"] = split_names(given["scheme"])
    return found


def refuse_ignored(ctx: typer.Context) -> bool:
    """Refuse what has no effect on test sets, or on values of cases; whether it is test sets."""
    of_test_set = columns_of(ctx.params).has_test_set
    if of_test_set:
        refuse_given(ctx, OF_VALUES, "has no effect on a metric of a test set (--target)")
    else:
        refuse_given(ctx, OF_TEST_SETS, "needs --target COLUMN, the true classes")
    return of_test_set


def columns_of(given: Mapping[str, Any]) -> Columns:
    """The columns that options name."""
    scores = (given.get("score_a") or (), given.get("score_b") or ())
    predicted = (_one(given.get("prediction_a")), _one(given.get("prediction_b")))
    if any(scores) and any(predicted):
        raise OptionError(
            "--score-a and --score-b, or --prediction-a and --prediction-b: both models need the "
            "same kind of columns"
        )
    return Columns(
        given.get("by"),
        given["case"],
        given["value"] or (),
        given["target"],
        given["score"] or (),
        given["prediction"],
        [
            *(given["within"] or ()),
            *filter(None, map(given.get, ("groups", "strata", "sample_weight"))),
        ],
        predicted if any(predicted) else scores,
        any(predicted),
        takes_sides="score_a" in given,
    )


def _one(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def data_in(
    files: list[str],
    given: Mapping[str, Any],
    model_columns: Sequence[str] = (MODEL_COLUMN,),
) -> CaseValues | Predictions:
    """The tables of the models, read as options say."""
    may_be_one = given.get("goal") is not None
    columns = columns_of(given)
    named = named_models(files, given.get("model_from"))
    refuse_name_of_one(named, given.get("model_from"))
    models = read_models(
        named,
        columns,
        reading.Options.from_given(given),
        may_be_one=may_be_one,
        model_columns=model_columns,
    )
    note_if_long(sum(map(len, models.each)), given["method"], given["n_resamples"])
    found = {name: given[name] for name in OF_DATA}
    found |= {"by": tuple(given["within"] or ()), "bounds": options.parse_bounds(given["bounds"])}
    return (
        _predictions(models, given, found)
        if columns.has_test_set
        else _case_values(models, given, found)
    )


def _case_values(models: Models, given: Mapping[str, Any], found: dict[str, Any]) -> CaseValues:
    metric = given["metric"] or ()
    held = metrics_held(models.each[0])
    if held and given["better"] is not None and not metric:
        raise OptionError(
            f"--better needs --metric here, since the table names its metrics: {shortened(held)}"
        )
    options.refuse_test_set_metrics(metric, models.each)
    return CaseValues.from_table(
        models.tables,
        models.value,
        model=models.model,
        metric=_metric(given["metric"], given["better"], of_test_set=False),
        **found,
        **{name: given[name] for name in OF_CASE_VALUES},
    )


def _predictions(models: Models, given: Mapping[str, Any], found: dict[str, Any]) -> Predictions:
    return Predictions.from_table(
        models.tables,
        given["target"],
        score=models.score,
        prediction=models.prediction,
        model=models.model,
        **label_options(models.each[0], given["target"], given),
        sample_weight=given["sample_weight"],
        threshold=predictions.with_its_tables(
            predictions.parse_threshold(given["threshold"]), predictions.parse_tables(given)
        ),
        **found,
        **{name: given[name] for name in OF_PREDICTIONS},
    )


def _with_tables(metric: Any, given: Mapping[str, Any]) -> Any:
    """A metric, or several, with the costs and priors that they take."""
    several = metric if isinstance(metric, list) else [metric]
    threshold = predictions.parse_threshold(given["threshold"])
    *found, _ = predictions.with_tables([*several, threshold], predictions.parse_tables(given))
    return found if isinstance(metric, list) else found[0]


def label_options(table: Table, column: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Labels, and which is the positive one, as a column has them."""
    positive = given["pos_label"]
    if not given["labels"] and positive is None:
        return {}
    cells = class_cells(table, column, numbers=False)
    return {
        "labels": predictions.parse_labels(given["labels"], cells),
        "pos_label": None if positive is None else predictions.parse_label(positive, cells),
    }


def _metric(given: list[str] | None, better: str | None, *, of_test_set: bool) -> Any:
    """The metric or metrics, where they are columns by these."""
    metrics = typed_metrics(given)
    if better is not None and len(metrics) > 1:
        raise OptionError(
            f"--better {better} is the direction of one metric of your own, and {len(metrics)} are "
            "given"
        )
    if isinstance(metrics, dict):
        return {column: _one_metric(name, better, of_test_set) for column, name in metrics.items()}
    names: list[str | None] = [*metrics] or [None]
    each = [_one_metric(name, better, of_test_set) for name in names]
    return each[0] if len(each) == 1 else each


def _one_metric(name: str | None, better: str | None, of_test_set: bool) -> str | MetricSpec | None:
    """The metric, with the direction that is given for one of the user's own."""
    known = (name or "").partition(":")[0]
    catalogue = SAMPLE_METRICS if of_test_set else METRICS
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
