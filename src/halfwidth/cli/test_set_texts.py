"""What options of test sets say in texts: labels, thresholds, costs and priors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from halfwidth.core.errors import OptionError
from halfwidth.core.spec import Metric
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.names import resolve_sample_metric


def labels_among(cells: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """The labels that options name, and which is the positive one, as true classes have them."""
    texts = [part for text in params["labels"] or () for part in text.split(",") if part.strip()]
    positive = params["pos_label"]
    return {
        "labels": [_label(text, cells) for text in texts] or None,
        "pos_label": None if positive is None else _label(positive, cells),
    }


def _label(text: str, cells: Any) -> Any:
    """A text as a label of the kind that the target holds: text, number or boolean."""
    import numpy as np

    text, kind = text.strip(), np.asarray(cells).dtype.kind
    if kind == "b":
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    if kind in "OSU":
        return text
    try:
        number = float(text)
    except ValueError:
        number = {"true": 1.0, "false": 0.0}.get(text.lower(), float("nan"))
    return text if number != number else number  # noqa: PLR0124


def _numbers(option: str, text: str | None) -> list[float] | None:
    """``"0.9,0.1"`` as numbers."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"{option} {text!r} is not a list of numbers such as 0.9,0.1") from None


def parse_tables(params: Mapping[str, Any]) -> dict[str, Any]:
    """Costs, ``"0,1;5,0"`` as rows of numbers, and priors, as far as they are given."""
    costs, priors = params["costs"], _numbers("--priors", params["priors"])
    rows = None if costs is None else [_numbers("--costs", row) for row in costs.split(";")]
    return {name: one for name, one in (("costs", rows), ("priors", priors)) if one is not None}


def with_tables(metrics: Sequence[Any], tables: Mapping[str, Any]) -> list[Any]:
    """Metrics, and what the threshold is chosen by, with the costs and priors that they take."""
    if not tables:
        return list(metrics)
    named = [resolve_sample_metric(one) for one in metrics if isinstance(one, str)]
    own = [one for one in named if isinstance(one, Metric)]
    for option in tables:
        if not any(option in one.heeded_tables for one in own):
            takers = ", ".join(
                spec.name
                + "".join(f":{p.name}={option}" for p in spec.parameters if option in dict(p.words))
                for spec in SAMPLE_METRICS
                if option in spec.tables
            )
            names = ", ".join(one.spec.name for one in own) or "your own metric"
            raise OptionError(f"--{option} has no effect on {names}; it is for {takers}")
    return [_with_its_tables(one, tables) for one in metrics]


def _with_its_tables(metric: Any, tables: Mapping[str, Any]) -> Any:
    """A metric, if it is named, with the costs and priors that it takes."""
    resolved = resolve_sample_metric(metric) if isinstance(metric, str) else None
    if not isinstance(resolved, Metric) or not resolved.heeded_tables:
        return metric
    return replace(
        resolved, tables={name: tables[name] for name in resolved.heeded_tables if name in tables}
    )


def threshold_of(params: Mapping[str, Any]) -> Any:
    """The threshold, or the metric that it is chosen by, with its costs and priors."""
    return _with_its_tables(parse_threshold(params["threshold"]), parse_tables(params))


def parse_threshold(text: str | None) -> float | str | None:
    """A number, or the name of the metric to choose it by."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return text
