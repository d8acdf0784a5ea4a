"""The public functions for published numbers: intervals that a paper left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from halfwidth.core.checks import plain_text
from halfwidth.core.errors import UnknownNameError
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Level
from halfwidth.io.table import Table
from halfwidth.planning.published.claim_parsing import parse_claim
from halfwidth.planning.published.claims import Claim, MeanClaim
from halfwidth.planning.published.comparisons import Compare, NamedClaim, compare_unpaired
from halfwidth.planning.published.comparisons import compare as compare_rows
from halfwidth.planning.published.estimates import estimates_of_claim, mean_estimate
from halfwidth.planning.published.leads import lead_over_rival
from halfwidth.planning.published.printed_numbers import ClaimError
from halfwidth.planning.published.printed_table import PublishedEntry, PublishedTable
from halfwidth.planning.published.reviews import Review, Reviews
from halfwidth.planning.published.unpaired import unpaired_difference
from halfwidth.results.estimate import Estimate
from halfwidth.tables.readers import read_table


def review(
    n: int,
    *,
    mean: float | None = None,
    sd: float | None = None,
    sem: float | None = None,
    halfwidth: float | None = None,
    metric: Any = None,
    correct: int | None = None,
    auroc: float | None = None,
    positives: int | None = None,
    versus: float | None = None,
    versus_sd: float | None = None,
    versus_correct: int | None = None,
    versus_n: int | None = None,
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
        As published, in the metric's unit after scaling. Of ``metric="accuracy"``, the share
        that is right.
    sd : float, optional
        SD of the cases, with division by n - 1.
    sem : float, optional
        Instead of the SD: s/√n.
    halfwidth : float, optional
        Instead of an SD: half of the published 95 % interval. Its SD is that of a t interval.
    metric : str, MetricSpec or metric function, optional
        What the values are: their range, their unit, and from how many cases their mean is
        reliable.
    correct : int, optional
        Cases that are right.
    auroc : float, optional
        As published.
    positives : int, optional
        Positive cases, with ``auroc``.
    versus : float, optional
        The published value of another model on the same cases, over which the lead is judged.
    versus_sd : float, optional
        SD of the other model's values; default: the same.
    versus_correct : int, optional
        Cases that are right by the other model.
    versus_n : int, optional
        Cases of the other model, where it saw other cases than the first.
    scale : float, default 1.0
        Published values and spreads are divided by it: 100 for per cent.
    bounds : (low, high), optional
        Range of the values; replaces that of the metric, or declares one of your own.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
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
        For impossible numbers: an SD larger than the range allows for the mean, a mean out of
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
    level = Level(confidence_level)
    printed = {
        "n": n,
        "mean": mean,
        "sd": sd,
        "sem": sem,
        "halfwidth": halfwidth,
        "metric": metric,
        "correct": correct,
        "auroc": auroc,
        "positives": positives,
        "versus": versus,
        "versus_sd": versus_sd,
        "versus_correct": versus_correct,
        "versus_n": versus_n,
        "scale": scale,
        "label": plain_text("label", label) or None,
    }
    return _review_claim(parse_claim(printed, bounds), level, apart=versus_n is not None)


def _review_claim(claim: Claim, level: Level, *, apart: bool) -> Review:
    """``apart``: whether the other model saw other cases."""
    ends: tuple[Estimate, ...] = ()
    if isinstance(claim, MeanClaim) and claim.source == "guess":
        ends = tuple(
            mean_estimate(claim, sd, level) for sd in (claim.spread.low, claim.spread.high)
        )
    estimates, rival = estimates_of_claim(claim, level), claim.rival
    if apart and rival is not None:
        unpaired = unpaired_difference(claim, rival, level)
        return Review(claim, estimates, ends, unpaired=unpaired)
    return Review(claim, estimates, ends, lead_over_rival(claim, level))


def review_table(
    table: Any,
    *,
    n: int | None = None,
    metric: Any = None,
    scale: float | None = None,
    bounds: Any = None,
    plus_minus: str | None = None,
    compare: Compare = "auto",
    confidence_level: float = 0.95,
) -> Reviews:
    """Intervals for a table of published numbers, and its rows against each other.

    Parameters
    ----------
    table : path, data frame or mapping of columns
        Columns as `review` names them, or as papers do: ``Model``, ``Structure``, ``N``, ``Dice``,
        ``Dice (SD)``, ``HD95 [mm]``, ``SD``; cells such as ``0.891 ± 0.09``, ``0.891 (0.09)`` or
        ``89.1±9.0 %``. Empty cells say nothing.
    n : int, optional
        Of the rows that have none.
    metric : str, MetricSpec or metric function, optional
        Of the rows that name none and hold a mean.
    scale : float, optional
        Of the rows that have none.
    bounds : (low, high), optional
        Range of the values; replaces that of the metric, or declares one of your own.
    plus_minus : {"sd", "sem", "halfwidth"}, optional
        What follows a ± (or stands in brackets) where the heading does not say it. It is never
        guessed.
    compare : {"auto", "best", "pairs", "none"}, default "auto"
        Rows with the same metric, structure and n against the best one, or all pairs of them.
        ``"auto"``: all pairs of up to four rows.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.

    Returns
    -------
    Reviews

    Raises
    ------
    DataError
        If a row is impossible; names its line and column.

    Examples
    --------
    >>> rows = {"Model": ["A", "B"], "N": [50, 50], "Dice (SD)": ["0.85 ± 0.10", "0.900 (0.05)"]}
    >>> found = review_table(rows)
    >>> for one in found:
    ...     print(one.sentence())
    A: mean DSC 0.850 (95 % CI 0.822 to 0.878; n = 50; t).
    B: mean DSC 0.900 (95 % CI 0.886 to 0.914; n = 50; t).
    >>> found.comparisons[0].first, round(found.comparisons[0].lead.difference, 3)
    ('B', 0.05)
    """
    level = Level(confidence_level)
    read = read_table(table) if isinstance(table, str | Path) else Table.from_frame(table)
    where = f"{read.source}: " if read.source else ""
    published = PublishedTable(read, where, plus_minus)
    if n is None and not any(column.field == "n" for column in published.columns):
        raise UnknownNameError(
            "column",
            "n",
            read.names,
            hint=f"It holds the number of cases; {spelled('n')} is for all rows.",
        )
    default = {"n": n, "metric": metric, "scale": scale}
    reviews, rows = [], []
    for entry in published.rows():
        try:
            reviews.append(_review_entry(entry, default, bounds, level))
        except ClaimError as error:
            raise published.error(entry.line, error, entry.columns) from None
        rows.append(NamedClaim(reviews[-1].claim, entry.model or f"line {entry.line}", entry.part))
    # Whoever read the table elsewhere has its notes already.
    notes = read.notes if isinstance(table, str | Path) else ()
    return Reviews(
        tuple(reviews),
        (*notes, *published.notes),
        compare_rows(rows, level, compare),
        compare_unpaired(rows, level, compare),
    )


def _review_entry(
    entry: PublishedEntry, default: dict[str, Any], bounds: Any, level: Level
) -> Review:
    fields = {**entry.printed, "label": entry.label or None}
    is_mean = fields.get("mean") is not None
    if fields.get("n") is None:
        fields["n"] = default["n"]
    if fields.get("metric") is None and is_mean:
        fields["metric"] = default["metric"]
    if fields.get("scale") is None and fields.get("correct") is None:
        fields["scale"] = default["scale"]
    apart = fields.get("versus_n") is not None
    return _review_claim(parse_claim(fields, bounds if is_mean else None), level, apart=apart)
