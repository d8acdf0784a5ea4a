"""What a verb computes of its data: one value for all kinds of data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from halfwidth.core.checks import as_list
from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.metrics.all_metrics import SAMPLE_METRICS

USUAL_STATISTIC = "mean"


@frozen(eq=False)
class Quantities:
    """What is computed of the data, as it was given to a verb: one of each, or several."""

    # None where the data say it, or have usual ones.
    metric: Any = None
    # Of values of cases.
    statistic: Any = USUAL_STATISTIC
    # Of a metric over classes.
    average: Any = None

    @property
    def metrics(self) -> list[Any]:
        """The metrics that are named; None stands for those of the data."""
        return listed_metrics(self.metric)

    @property
    def test_set_metrics(self) -> list[Any]:
        """The same, where only they say what is computed."""
        if self.metric is None or any(one is None for one in self.metrics):
            raise OptionError(
                f"true classes are given, and no metric of a test set: {spelled('metric')}, one of "
                f"{shortened(SAMPLE_METRICS.names)}"
            )
        return self.metrics

    @property
    def averages(self) -> list[Any] | None:
        """The averages that are named; None for the usual one."""
        if self.average is None:
            return None
        several = as_list(self.average)
        if several is not None and not several:
            raise OptionError("average: name at least one")
        return [self.average] if several is None else several

    @property
    def statistics(self) -> list[Any]:
        """The statistics that are named."""
        named = self.statistic
        if isinstance(named, str | Callable) or not isinstance(named, Sequence):
            return [named]
        if not named:
            raise OptionError("statistic: name at least one")
        return list(named)

    @property
    def only_statistic(self) -> Any:
        """The statistic by which models are compared."""
        if len(self.statistics) > 1:
            raise OptionError(
                f"models are compared by one statistic, and {spelled('statistic', self.statistic)} "
                "names several"
            )
        return self.statistics[0]


def listed_metrics(metric: Any) -> list[Any]:
    """The metrics that are named: one, or several."""
    several = None if isinstance(metric, Metric | Mapping) else as_list(metric)
    if several is not None and not several:
        raise OptionError(f"{spelled('metric')} is an empty list; name a metric, or leave it out")
    return [metric] if several is None else several
