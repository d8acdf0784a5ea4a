"""The public functions for published numbers: intervals that a paper left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, closest, quoted
from halfwidth.core.estimate import Estimate
from halfwidth.core.types import Level
from halfwidth.core.undefined import is_missing
from halfwidth.io.readers import read_table
from halfwidth.io.table import Table
from halfwidth.planning.published import FIELDS, Claim, ClaimError, read_claim
from halfwidth.planning.review_estimates import estimates_of, mean_estimate
from halfwidth.planning.review_lead import lead_of
from halfwidth.planning.review_results import Review, Reviews

__all__ = ["review", "review_table"]

HEADS = ("mean", "correct", "auroc")
# Other names that papers and tables have for them.
MEANT = {"std": "sd", "stdev": "sd", "se": "sem", "cases": "n", "auc": "auroc"}


def review(
    n: int,
    *,
    mean: float | None = None,
    sd: float | None = None,
    sem: float | None = None,
    metric: Any = None,
    correct: int | None = None,
    auroc: float | None = None,
    positives: int | None = None,
    versus: float | None = None,
    versus_sd: float | None = None,
    versus_correct: int | None = None,
    scale: float = 1.0,
    bounds: Any = None,
    confidence_level: float = 0.95,
    label: str = "",
) -> Review:
    """Plausible confidence interval of a published number, from what the paper prints beside it.

    One of ``mean``, ``correct`` and ``auroc`` says what was published.

    - A mean of per-case values: Student's t, x̄ ± t₍n₋₁₎ s/√n, cut to the metric's range. Without
      ``sd`` and ``sem`` the SD is guessed from the mean (DSC and NSD only), with its error.
    - A count of cases: Wilson's interval.
    - An AUROC: DeLong's interval on the logit scale with the variance that normal scores would
      have, and Hanley and McNeil's.

    Parameters
    ----------
    n : int
        Cases.
    mean : float, optional
        In the metric's unit after scaling. Of ``metric="accuracy"``, the share that is right.
    sd, sem : float, optional
        SD of the cases (n - 1), or s/√n; one of them.
    metric : str, MetricSpec or metric function, optional
        What was measured, as for `halfwidth.summary_ci`; decides the range.
    correct : int, optional
        Cases that are right.
    auroc : float, optional
    positives : int, optional
        Positive cases, with ``auroc``.
    versus : float, optional
        The published value of another model on the same cases: is the lead larger than noise?
    versus_sd : float, optional
        SD of the other model's values; default: the same.
    versus_correct : int, optional
        Cases that are right by the other model.
    scale : float, default 1
        Published values and spreads are divided by it: 100 for per cent on a [0, 1] metric.
    bounds : (low, high), optional
        Range of the values; replaces that of the metric, or declares one of your own.
    confidence_level : float, default 0.95
    label : str, optional
        Carried into the result.

    Returns
    -------
    Review
        ``value``, ``low``, ``high``, ``halfwidth``, ``cautions``, ``lead``, ``assumptions``,
        ``should_have_reported``; `Review.paragraph` is text for a review.

    Raises
    ------
    DataError
        For numbers that cannot be: an SD larger than the range allows for the mean, a mean out of
        range, counts above n.
    OptionError
        For a confidence level that is not between 0 and 1.

    References
    ----------
    Student (1908); Wilson (1927); DeLong, DeLong & Clarke-Pearson (1988); Hanley & McNeil (1982);
    Christodoulou et al. (2024) for the SD of a DSC.

    Examples
    --------
    >>> import halfwidth as hw
    >>> found = hw.planning.review(50, mean=0.85, sd=0.10, metric="dsc", versus=0.83)
    >>> print(found.sentence())
    Mean DSC 0.850 (95 % CI 0.822 to 0.878; n = 50; t).
    >>> round(found.lead.needed, 2)
    0.75
    """
    level = _level(confidence_level)
    given = {
        "n": n,
        "mean": mean,
        "sd": sd,
        "sem": sem,
        "metric": metric,
        "correct": correct,
        "auroc": auroc,
        "positives": positives,
        "versus": versus,
        "versus_sd": versus_sd,
        "versus_correct": versus_correct,
        "scale": scale,
        "label": label or None,
    }
    return _reviewed(read_claim(given, bounds), level)


def _level(confidence_level: float) -> Level:
    if not isinstance(confidence_level, int | float | np.number):
        raise OptionError(f"confidence_level={confidence_level!r} is not a number")
    return Level(confidence_level)


def _reviewed(claim: Claim, level: Level) -> Review:
    ends: tuple[Estimate, ...] = ()
    if claim.source == "guess" and claim.spread is not None:
        ends = tuple(
            mean_estimate(claim, sd, level) for sd in (claim.spread.low, claim.spread.high)
        )
    return Review(claim, estimates_of(claim, level), ends, lead_of(claim, level))


def review_table(
    table: Any,
    *,
    metric: Any = None,
    scale: float | None = None,
    bounds: Any = None,
    confidence_level: float = 0.95,
) -> Reviews:
    """Intervals for a table of published numbers, a row for each.

    Parameters
    ----------
    table : path, data frame or mapping of columns
        Columns ``n, mean, sd, sem, metric, correct, auroc, positives, versus, versus_sd,
        versus_correct, scale, label``, whichever there are; empty cells say nothing.
    metric : str, MetricSpec or metric function, optional
        Of the rows that name none and hold a mean.
    scale : float, optional
        Of the rows that have none.
    bounds, confidence_level
        As for `review`.

    Returns
    -------
    Reviews

    Raises
    ------
    DataError
        If a row cannot be; its line and column are named.

    Examples
    --------
    >>> rows = {"label": ["A", "B"], "n": [50, 20], "mean": [0.85, 0.9], "sd": [0.1, 0.05]}
    >>> for found in review_table(rows, metric="dsc"):
    ...     print(found.sentence())
    A: mean DSC 0.850 (95 % CI 0.822 to 0.878; n = 50; t).
    B: mean DSC 0.900 (95 % CI 0.877 to 0.923; n = 20; t).
    """
    level = _level(confidence_level)
    read = read_table(table) if isinstance(table, str | Path) else Table.of_frame(table)
    where = f"{read.source}: " if read.source else ""
    if not any(name in read for name in HEADS):
        raise DataError(
            f"{where}no column holds published numbers; name them {quoted(HEADS)}, and the others "
            f"of {', '.join(FIELDS)} (there are {quoted(read.names)})"
        )
    if "n" not in read:
        raise UnknownNameError("column", "n", read.names, hint="It holds the number of cases.")
    default = {"metric": metric, "scale": scale}
    others = [name for name in read.names if name not in FIELDS]
    for name in others:
        near = MEANT.get(name.strip().lower()) or closest(name, FIELDS)
        if near and near not in read:
            raise DataError(
                f"{where}column {name!r} is not read; did you mean {near!r}? Rename it, or leave "
                "it out"
            )
    rows = [_row(read, row, default, bounds, level, where) for row in range(len(read))]
    notes = (f"columns left out: {', '.join(others)}",) if others else ()
    return Reviews(tuple(rows), notes)


def _row(
    table: Table, row: int, default: dict[str, Any], bounds: Any, level: Level, where: str
) -> Review:
    told: dict[str, Any] = {}
    for name in FIELDS:
        if name in table:
            cell = (
                table.levels(name)[row] if name in ("label", "metric") else _cell(table, name, row)
            )
            told[name] = None if is_missing(cell) else cell
    of_mean = told.get("mean") is not None
    if told.get("metric") is None and of_mean:
        told["metric"] = default["metric"]
    if told.get("scale") is None and told.get("correct") is None:
        told["scale"] = default["scale"]
    try:
        return _reviewed(read_claim(told, bounds if of_mean else None), level)
    except ClaimError as error:
        line = table.row_number(row)
        raise DataError(f"{where}line {line}, column {error.field}: {error}") from None


def _cell(table: Table, name: str, row: int) -> Any:
    return table.values(name, np.array([row]))[0]
