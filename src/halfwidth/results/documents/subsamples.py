"""The subsampling experiment as a document, in the columns of El Jurdi et al. (2025)."""

from __future__ import annotations

from halfwidth.core.formatting import decimals_for, fixed
from halfwidth.document.parts import Data, Document, Note, Table
from halfwidth.results.subsamples import Subsamples

HEADINGS = ("k", "mean", "SD", "SEM", "half-width", "nu", "boot SEM", "boot CI", "boot nu")


def subsamples_document(found: Subsamples) -> Document:
    """A row for each size, and what the columns are."""
    table = Table.from_rows(HEADINGS, _cells(found), kinds={})
    return Document((table, Note(_footer(found))), Data(found.to_dict, found.to_rows))


def _cells(found: Subsamples) -> list[list[str]]:
    # The whole test set is known best, and all rows are read beside it; SEMs are half as large.
    last = found.rows[-1]
    places = decimals_for(last.mean, last.halfwidth) + 1
    rows = []
    for row in found.rows:
        mean, sd, sem, half, boot = (
            fixed(x, places) for x in (row.mean, row.sd, row.sem, row.halfwidth, row.boot_sem)
        )
        interval = f"{fixed(row.boot_low, places)} to {fixed(row.boot_high, places)}"
        nus = fixed(row.nu, 3), fixed(row.boot_nu, 3)
        rows.append([str(row.k), mean, sd, sem, half, nus[0], boot, interval, nus[1]])
    return rows


def _footer(found: Subsamples) -> str:
    unit = f" [{found.metric.unit}]" if found.metric.unit else ""
    return (
        f"{found.metric.spec.called}{unit}: averages over {found.repeats} subsamples of k of "
        f"{found.n} cases; SD with ddof {found.ddof}; {found.n_resamples} resamples, seed "
        f"{found.seed}. nu is the width over the mean; bounds of the bootstrap are relative to its "
        "mean."
    )
