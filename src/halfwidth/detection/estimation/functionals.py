"""What is computed on match lists: a statistic of records of images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.detection.arithmetic.match_records import ScoreRecords, SumRecords
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.detection.metrics.building import image_sums_statistic, matched_scores_statistic
from halfwidth.estimation.functionals import MetricRow, Policies
from halfwidth.estimation.records import Functional
from halfwidth.metrics.averaging import AreaFinish

AVERAGES = ("macro", "micro", "weighted", "none")


def detection_rows(
    metric: Metric, averages: Sequence[str] | None, classes: Sequence[str]
) -> Iterator[MetricRow]:
    """The rows that a metric makes: one for each average, and for each class with ``"none"``."""
    allowed = metric.spec.averages
    if averages is None:
        # The macro-average, which a single class does not need.
        averages = ["none" if len(classes) == 1 else allowed[0]]
    for average in averages:
        if average not in allowed:
            raise OptionError(
                f"{metric.spec.name} has no average {average!r}; it has {', '.join(allowed)} "
                f"({spelled('average')})"
            )
        if average != "none":
            yield MetricRow(metric, average)
            continue
        for which, label in enumerate(classes):
            yield MetricRow(metric, "none", which, str(label))


def detection_functional(
    row: MetricRow, classes: Sequence[str], thresholds: int, policies: Policies
) -> Functional:
    """What is computed for one row, of records of `MatchLists` of these classes.

    Curves are averaged over so many ``thresholds`` of localisation.
    """
    metric = row.metric
    if not isinstance(metric, Metric):
        raise TypeError("a metric of detections cannot be a function of your own")
    metric = metric.bounded()
    one = row.average in ("none", "micro")
    finish = AreaFinish("none" if one else row.average or "none", absent=policies.absent)
    n_classes = 1 if one else len(classes)
    which, pooled = (row.which if row.average == "none" else None), row.average == "micro"
    form = metric.form
    if isinstance(form, ImageSums):
        statistic = image_sums_statistic(metric, n_classes, finish, policies.undefined)
        return Functional(statistic, metric, records=SumRecords(form, which, pooled))
    statistic = matched_scores_statistic(metric, n_classes, thresholds, finish, policies.undefined)
    return Functional(statistic, metric, records=ScoreRecords(which, pooled))
