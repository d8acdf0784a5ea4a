"""The results of a study in the form that estimates quote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from halfwidth.core.errors import DataError
from halfwidth.core.spec import Metric
from halfwidth.estimation.evidence import CLASS_SIZES, FIELDS, metric_family
from halfwidth.intervals.bootstrap import percentile
from halfwidth.intervals.mean import t as student_t
from halfwidth.intervals.proportion import wilson
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS

if TYPE_CHECKING:
    import pandas as pd

OF_A_ROW = ["family", "statistic", "average", "method", "n", "smallest"]
# What widths are compared with: the first of these that the statistic has.
REFERENCES = (student_t.__name__, wilson.__name__, percentile.__name__)
LEVEL = 0.95


def evidence_rows(
    cells: pd.DataFrame, *, smallest_shares: Mapping[str, float] | None = None
) -> pd.DataFrame:
    """Quartiles over instances of coverage and width, for each method and size.

    Per-case metrics of segmentation that lie between 0 and 1 are pooled. Metrics of test sets have
    rows for each n and, where the smallest class of an instance is known, for what samples hold
    of it on average, whatever their n.

    Parameters
    ----------
    cells : DataFrame
        Of `halfwidth.study.Results.to_frame`; of several studies below each other.
    smallest_shares : mapping, optional
        Share of the smallest class by the name of the instance, as `characteristics` has it.

    Returns
    -------
    DataFrame
        With the columns of `halfwidth.estimation.evidence.Evidence`.

    Raises
    ------
    DataError
        If there are no two-sided 95 % intervals.
    """
    import pandas as pd

    kept = cells[(cells["confidence_level"] == LEVEL) & (cells["alternative"] == "two-sided")]
    families = {name: _family(name) for name in kept["metric"].unique()}
    kept = kept.assign(family=kept["metric"].map(families))
    kept = kept[(kept["family"] != "") & (kept["label"] == "")].reset_index(drop=True)
    if kept.empty:
        raise DataError("no two-sided 95 % intervals of a metric that evidence is kept of")
    kept = _with_ratios(kept).assign(smallest=0)
    rows = _pooled(kept)
    if smallest_shares:
        rows = pd.concat([rows, _pooled(_by_smallest_class(kept, smallest_shares))])
    return rows[list(FIELDS)].sort_values(OF_A_ROW, kind="stable", ignore_index=True)


def _by_smallest_class(cells: pd.DataFrame, shares: Mapping[str, float]) -> pd.DataFrame:
    """A row for each instance and size of its smallest class, over the n that belong to it."""
    cases = (cells["n"] * cells["instance"].map(shares)).to_numpy()
    known = cases >= CLASS_SIZES[0]
    places = np.searchsorted(CLASS_SIZES, cases[known] + 1e-9, side="right") - 1
    classes = cells[known].assign(n=0, smallest=np.array(CLASS_SIZES)[places])
    return (
        classes.groupby([*OF_A_ROW, "instance", "reference"], as_index=False)
        .agg(
            coverage=("coverage", "mean"),
            ratio=("ratio", "median"),
            undefined=("undefined", "sum"),
            samples=("samples", "sum"),
        )
        .assign(width_mean=np.nan)
    )


def _pooled(cells: pd.DataFrame) -> pd.DataFrame:
    """Quartiles over instances."""
    grouped = cells.groupby(OF_A_ROW, sort=True)
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
    return rows


def _family(metric: str) -> str:
    known = next((held[metric] for held in (SAMPLE_METRICS, METRICS) if metric in held), None)
    return "" if known is None else metric_family(Metric(known))


def _with_ratios(cells: pd.DataFrame) -> pd.DataFrame:
    """Each width over that of the reference, on the same instance, statistic and size."""
    cell = ["instance", "metric", "statistic", "average", "n"]
    parts = []
    for _, group in cells.groupby(["statistic", "family", "average"]):
        there = set(group["method"])
        reference = next((name for name in REFERENCES if name in there), "")
        reference_widths = group[group["method"] == reference].set_index(cell)["width_mean"]
        widths = group.join(reference_widths.rename("reference_width"), on=cell)
        ratio = widths["width_mean"] / widths["reference_width"].where(
            widths["reference_width"] > 0
        )
        parts.append(group.assign(reference=reference, ratio=ratio))
    import pandas as pd

    return pd.concat(parts)
