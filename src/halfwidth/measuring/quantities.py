"""What a verb computes of its data: one value for all kinds of data."""

from __future__ import annotations

from typing import Any

from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.data.several_metrics import listed_metrics
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.names import several

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
        """The metrics that are named, where only they say what is computed."""
        if self.metric is None or any(one is None for one in self.metrics):
            raise OptionError(
                f"true classes need a metric of a test set: {spelled('metric')}, one of "
                f"{shortened(SAMPLE_METRICS.names)}"
            )
        return self.metrics

    @property
    def averages(self) -> list[Any] | None:
        """The averages that are named; None for the usual one."""
        return None if self.average is None else several(self.average, "average")

    @property
    def statistics(self) -> list[Any]:
        """The statistics that are named."""
        return several(self.statistic, "statistic")

    @property
    def only_statistic(self) -> Any:
        """The statistic by which models are compared."""
        if len(self.statistics) > 1:
            raise OptionError(
                f"{spelled('statistic', self.statistic)} names several statistics; compare models "
                "by one"
            )
        return self.statistics[0]
