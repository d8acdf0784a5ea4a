"""The options of a verb that answers for data, as it takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from halfwidth.cli import test_set_texts
from halfwidth.cli.command import refuse_given
from halfwidth.cli.given_data import has_test_set, metric_asked
from halfwidth.core.parameters import split_names

# Options with a meaning for per-case values alone, and for test sets alone.
OF_VALUES = ("value", "statistic", "penalty", "scale", "over", "failures")
OF_TEST_SETS = (
    *("scores", "labels", "pos_label", "average", "threshold", "absent_class", "undefined"),
    *("costs", "priors", "sample_weight"),
)
# What options and arguments of a verb are both called.
OF_VERBS = (
    *("baseline", "margin", "goal", "test", "correction", "alternative"),
    *("method", "confidence_level", "n_resamples", "top", "combine"),
)


def verb_options(ctx: typer.Context) -> dict[str, Any]:
    """The options of a verb that answers for data of any kind. No verb need have them all."""
    params = ctx.params
    options = given_options(params)
    if not refuse_ignored(ctx):
        return options | {"statistic": _one_or_several(params["statistic"])}
    metric = metric_asked(params, has_test_set=True)
    average = _one_or_several(params["average"])
    return options | {"metric": _with_tables(metric, params), "average": average}


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
    if has_test_set(ctx.params):
        refuse_given(ctx, OF_VALUES, "has no effect on a metric of a test set (--target)")
        return True
    refuse_given(ctx, OF_TEST_SETS, "needs --target COLUMN, the true classes")
    return False


def _one_or_several(names: Any) -> Any:
    """What an option names that some verbs take once, and others several times."""
    if names is None or isinstance(names, str):
        return names
    return split_names(names) or None


def _with_tables(metric: Any, params: Mapping[str, Any]) -> Any:
    """A metric, or several, with the costs and priors that they take."""
    several = metric if isinstance(metric, list) else [metric]
    threshold = test_set_texts.parse_threshold(params["threshold"])
    tables = test_set_texts.parse_tables(params)
    *metrics, _ = test_set_texts.with_tables([*several, threshold], tables)
    return metrics if isinstance(metric, list) else metrics[0]
