"""What metrics and methods are called in figures."""

from __future__ import annotations

from halfwidth.core.spec import MetricSpec
from halfwidth.intervals.all_methods import METHODS
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS


def metric_spec(name: str) -> MetricSpec | None:
    """The spec of a metric as a study writes it, with or without parameters; None if unknown."""
    base = name.partition(":")[0]
    catalogues = (METRICS, SAMPLE_METRICS)
    return next((catalogue[base] for catalogue in catalogues if base in catalogue), None)


def metric_label(name: str) -> str:
    """The name of a metric in prose, with its parameters.

    >>> metric_label("dsc"), metric_label("nsd:tolerance=2")
    ('DSC', 'NSD (tolerance = 2)')
    """
    base, _, parameters = name.partition(":")
    spec = metric_spec(name)
    return with_parameters(spec.called if spec else base, parameters)


def with_parameters(title: str, values: str) -> str:
    """A title with the parameters of a name, ``a=1,b=2``."""
    parameters = ", ".join(part.replace("=", " = ") for part in values.split(",") if part)
    return f"{title} ({parameters})" if parameters else title


def method_title(name: str) -> str:
    """What a method is called in prose: ``percentile bootstrap``."""
    return METHODS[name].title if name in METHODS else name
