"""The results of a study in the form that estimates quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halfwidth.core.errors import DataError
from halfwidth.core.spec import Metric
from halfwidth.estimation.evidence import FIELDS, metric_family
from halfwidth.intervals.bootstrap import percentile
from halfwidth.intervals.mean import t as student_t
from halfwidth.intervals.proportion import wilson
from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS

if TYPE_CHECKING:
    import pandas as pd

OF_A_ROW = ["family", "statistic", "average", "method", "n"]
# What widths are compared with: the first of these that the statistic has.
REFERENCES = (student_t.__name__, wilson.__name__, percentile.__name__)
LEVEL = 0.95


def evidence_rows(cells: pd.DataFrame) -> pd.DataFrame:
    """Quartiles over instances of coverage and width, for each method and size.

    Per-case metrics of segmentation that lie between 0 and 1 are pooled.

    Parameters
    ----------
    cells : DataFrame
        Of `halfwidth.study.Results.to_frame`; of several studies below each other.

    Returns
    -------
    DataFrame
        With the columns of `halfwidth.estimation.evidence.Evidence`.

    Raises
    ------
    DataError
        If there are no two-sided 95 % intervals.
    """
    kept = cells[(cells["confidence_level"] == LEVEL) & (cells["alternative"] == "two-sided")]
    families = {name: _family(name) for name in kept["metric"].unique()}
    kept = kept.assign(family=kept["metric"].map(families))
    kept = kept[(kept["family"] != "") & (kept["label"] == "")]
    if kept.empty:
        raise DataError("no two-sided 95 % intervals of a metric that evidence is kept of")
    kept = _with_ratios(kept)
    grouped = kept.groupby(OF_A_ROW, sort=True)
    rows = grouped.agg(
        instances=("instance", "nunique"),
        **{
            f"{name}_{suffix}": (column, lambda values, p=p: values.quantile(p))
            for name, column in (("coverage", "coverage"), ("width", "width_mean"))
            for suffix, p in (("q1", 0.25), ("median", 0.5), ("q3", 0.75))
        },
        reference=("reference", "first"),
        width_ratio=("ratio", "median"),
        undefined=("undefined", "sum"),
        samples=("samples", "sum"),
    ).reset_index()
    rows["undefined"] /= rows["samples"]
    return rows[list(FIELDS)]


def _family(metric: str) -> str:
    known = next((held[metric] for held in (SAMPLE_METRICS, METRICS) if metric in held), None)
    return "" if known is None else metric_family(Metric(known))


def _with_ratios(cells: pd.DataFrame) -> pd.DataFrame:
    """Each width over that of the reference, on the same instance, statistic and size."""
    of_a_cell = ["instance", "metric", "statistic", "average", "n"]
    parts = []
    for _, group in cells.groupby(["statistic", "family", "average"]):
        there = set(group["method"])
        reference = next((name for name in REFERENCES if name in there), "")
        reference_widths = group[group["method"] == reference].set_index(of_a_cell)["width_mean"]
        widths = group.join(reference_widths.rename("of_reference"), on=of_a_cell)
        ratio = widths["width_mean"] / widths["of_reference"].where(widths["of_reference"] > 0)
        parts.append(group.assign(reference=reference, ratio=ratio))
    import pandas as pd

    return pd.concat(parts)
