"""Results of the subsampling experiment of El Jurdi et al. (2023, 2025)."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from halfwidth.core.formatting import decimals_for, fixed, plain
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric
from halfwidth.core.types import Level
from halfwidth.document.parts import Data, Document, Note, Table
from halfwidth.results.result import SCHEMA_VERSION, Result

HEADINGS = ("k", "mean", "SD", "SEM", "half-width", "nu", "boot SEM", "boot CI", "boot nu")


@frozen
class SubsampleRow:
    """Averages over the subsamples of one size, in the metric's unit.

    Attributes
    ----------
    k : int
        Cases in a subsample.
    mean, sd, sem : float
        Averages of the means, of the SDs and of SD/√k.
    low, high : float
        Of the interval relative to the mean, ∓ z times ``sem``.
    nu : float
        (``high`` - ``low``)/``mean``: the ratio of the averages, which the papers' tables print.
    nu_each : float
        Average of the widths 2 z SEM, each divided by the mean of its subsample, which the text of
        El Jurdi et al. (2025) says.
    boot_mean, boot_sem : float
        Averages of the mean and of the SD of the replicates.
    boot_low, boot_high : float
        Averages of the percentile bounds, less ``boot_mean``.
    boot_nu : float
        (``boot_high`` - ``boot_low``)/``boot_mean``.
    mean_spread, sd_spread, sem_spread, width_spread, boot_width_spread : float
        SD over the subsamples of their means, SDs, SEMs and widths.
    """

    k: int
    mean: float
    sd: float
    sem: float
    low: float
    high: float
    nu: float
    nu_each: float
    boot_mean: float
    boot_sem: float
    boot_low: float
    boot_high: float
    boot_nu: float
    mean_spread: float
    sd_spread: float
    sem_spread: float
    width_spread: float
    boot_width_spread: float

    @property
    def halfwidth(self) -> float:
        """Half of the average width, z times ``sem``."""
        return (self.high - self.low) / 2


@frozen
class Subsamples(Result):
    """The experiment on one set of values.

    Attributes
    ----------
    rows : tuple of SubsampleRow
        In ascending order of k.
    metric : Metric
    n : int
        Cases in the whole test set.
    repeats, ddof, seed : int
    level : Level
    label : str
    """

    rows: tuple[SubsampleRow, ...]
    metric: Metric
    n: int
    repeats: int
    ddof: int
    seed: int
    level: Level
    label: str = ""

    def to_rows(self) -> list[dict[str, Any]]:
        """A mapping for each size."""
        names = [field.name for field in fields(SubsampleRow)]
        return [{name: getattr(row, name) for name in names} for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Dictionary of plain types."""
        return {
            "schema_version": SCHEMA_VERSION,
            "label": self.label,
            "metric": self.metric.spec.name,
            "n": self.n,
            "repeats": self.repeats,
            "n_resamples": None,
            "ddof": self.ddof,
            "confidence_level": float(self.level.confidence_level),
            "seed": self.seed,
            "subsamples": [plain(row) for row in self.to_rows()],
        }

    def document(self) -> Document:
        """A row for each size, and what the columns are."""
        table = Table.from_rows(HEADINGS, _cells(self), kinds={})
        return Document((table, Note(_footer(self))), Data(self.to_dict, self.to_rows))


# --------------------------------------------------------------------------- as a document


def _cells(result: Subsamples) -> list[list[str]]:
    # The whole test set is known best, and all rows are read beside it; SEMs are half as large.
    last = result.rows[-1]
    places = decimals_for(last.mean, last.halfwidth) + 1
    rows = []
    for row in result.rows:
        mean, sd, sem, half, boot = (
            fixed(x, places) for x in (row.mean, row.sd, row.sem, row.halfwidth, row.boot_sem)
        )
        interval = f"{fixed(row.boot_low, places)} to {fixed(row.boot_high, places)}"
        nus = fixed(row.nu, 3), fixed(row.boot_nu, 3)
        rows.append([str(row.k), mean, sd, sem, half, nus[0], boot, interval, nus[1]])
    return rows


def _footer(result: Subsamples) -> str:
    unit = f" [{result.metric.unit}]" if result.metric.unit else ""
    return (
        f"{result.metric.spec.called}{unit}: averages over {result.repeats} subsamples of k of "
        f"{result.n} cases; SD with ddof {result.ddof}; exact bootstrap, seed "
        f"{result.seed}. nu is the width over the mean; bounds of the bootstrap are relative to "
        "its mean."
    )
