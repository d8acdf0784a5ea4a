"""The number of cases from which the interval of a statistic is reliable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from halfwidth.core.checks import as_list
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.references import cite
from halfwidth.core.spec import Estimand, Metric, Statistic
from halfwidth.core.titles import quantity_title, statistic_title
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.results.sample_size import Requirement

# The numbers for the mean are published; those for other statistics were measured here.
OF_THE_MEAN = cite("andre2025").short
OF_OTHERS = "docs/decisions/0006"
OF_CLUSTERS = "docs/decisions/0042"


def quantity_text(statistic: Statistic, metric: Metric) -> str:
    """A statistic of a metric in words: ``mean DSC``, ``SD of DSC``."""
    return quantity_title(statistic_title(statistic), metric)


def reliability_requirement(metric: Metric, statistic: Statistic, title: str = "") -> Requirement:
    """The n from which the median coverage of 95 % intervals reaches 92.5 %.

    >>> from halfwidth.estimation.resolve import resolve_statistic
    >>> from halfwidth.metrics.names import resolve_metric
    >>> reliability_requirement(resolve_metric("assd"), resolve_statistic("sd")).n
    225
    """
    n = statistic.spec.reliable_n(metric.reliable_n, **statistic.parameters)
    source = OF_THE_MEAN if statistic.spec.estimand is Estimand.MEAN else OF_OTHERS
    return Requirement(
        f"reliable coverage of the {title or quantity_text(statistic, metric)}", n, source
    )


def other_requirements(metric: Metric, statistics: Iterable[Any]) -> tuple[Requirement, ...]:
    """The requirements of other statistics that will be reported for the same cases."""
    listed = as_list(statistics)
    if listed is None:
        raise OptionError(f"statistics={shown(statistics)} is no list of names of statistics")
    requirements = (reliability_requirement(metric, resolve_statistic(name)) for name in listed)
    return tuple(dict.fromkeys(requirements))
