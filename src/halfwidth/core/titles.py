"""Titles of metrics, statistics and what is estimated, in prose."""

from __future__ import annotations

from halfwidth.core.forms import EFFECT_WORDS, Contrast, PairAverages
from halfwidth.core.parameters import UNIT
from halfwidth.core.spec import Estimand, Kind, Metric, MetricLevel, Statistic

# The usual threshold of a probability; a title names any other.
DEFAULT_THRESHOLD = 0.5
# What a title calls averages over classes; of one class it names none.
AVERAGE_WORDS = {
    "macro": "macro",
    "micro": "micro",
    "weighted": "weighted",
    "sum": "summed",
    "canonical": "canonical",
    "top_label": "top-label",
}
# When an interval holds that allows for unseen failures.
IF_UNSEEN = "if cases can fail as none here did"
# Statistics that stand before a metric as adjectives do; others are "of" it.
ATTRIBUTIVE = ("mean", "median", "proportion")


def subject_of(metric: Metric, statistic: Statistic, average: str | None, over: str) -> str:
    """What is estimated, in prose: ``mean DSC``, ``SD of DSC over clusters``, ``macro AUROC``."""
    if metric.spec.level is MetricLevel.SAMPLE:
        word = AVERAGE_WORDS.get(average or "", "") if len(metric.spec.averages) > 1 else ""
        prefix = f"{word} " if word else ""
        cut = metric.parameters.get("threshold", DEFAULT_THRESHOLD)
        at = "" if cut == DEFAULT_THRESHOLD else f" at threshold {cut:.3g}"
        form, contrast = statistic.spec.form, ""
        if isinstance(form, Contrast | PairAverages):
            contrast = f"{EFFECT_WORDS[form.effect]} "
        elif statistic.spec.pair_bounds is not None:
            # The mean of differences.
            contrast = f"{EFFECT_WORDS['difference']} "
        return f"{contrast}{prefix}{metric_title(metric)}{at}"
    title = statistic_title(statistic)
    if metric.spec.kind is Kind.BINARY and statistic.spec.estimand is Estimand.MEAN:
        title = "proportion"
    return quantity_title(title, metric) + (f" over {over}" if over else "")


def quantity_title(title: str, metric: Metric) -> str:
    """A statistic, by its title, of a metric: ``mean DSC``, ``SD of DSC``; without one the title.

    >>> from halfwidth.metrics.names import resolve_metric
    >>> dsc = resolve_metric("dsc")
    >>> quantity_title("difference in mean", dsc), quantity_title("0.9 quantile", dsc)
    ('difference in mean DSC', '0.9 quantile of DSC')
    """
    named = metric_title(metric)
    if not named:
        return title
    return f"{title}{' ' if title.endswith(ATTRIBUTIVE) else ' of '}{named}"


def metric_title(metric: Metric) -> str:
    """A metric in prose, with the parameters that are bound: ``NSD (tolerance 3 mm)``."""
    shown = [f"of {metric.of}"] if metric.of else []
    shown += [
        f"{parameter.name} {parameter.text(value, in_voxels=metric.in_voxels)}"
        for parameter in metric.spec.parameters
        # Its unit stands beside a value.
        if parameter != UNIT
        for value in [metric.parameters.get(parameter.name, parameter.default)]
        if value is not None and value != parameter.default
    ]
    shown += [f"{name} {text}" for name, text in metric.table_texts.items()]
    title = metric.spec.display
    return f"{title} ({', '.join(shown)})" if shown else title


def statistic_title(statistic: Statistic) -> str:
    """A statistic in prose, with the parameters that differ from their defaults."""
    spec = statistic.spec
    # The title of a difference of quantiles has the level already.
    if spec.quantile_level and spec.parameters:
        return f"{statistic.parameters['q']:g} {spec.title}"
    changed = {
        parameter.name: statistic.parameters[parameter.name]
        for parameter in spec.parameters
        if statistic.parameters[parameter.name] != parameter.default
    }
    if not changed:
        return spec.title
    return f"{spec.title} ({', '.join(f'{k} {v:g}' for k, v in changed.items())})"
