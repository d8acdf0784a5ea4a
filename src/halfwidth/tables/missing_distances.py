"""Why a distance is missing, as the overlap of the same masks tells.

In a wide table that stands in a neighbouring column, in a long one in another row.

Programs such as MONAI leave a distance between boundaries empty where a mask has none. With an
overlap of 0 only one mask is empty: a structure was missed, or is spurious. Where the overlap is
missing too, or 1, both are: there was nothing to find, and nothing was found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.undefined import Status
from halfwidth.io.table import Table, joint_codes
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.metrics.overlap import dsc, iou
from halfwidth.tables.metric_names import metric_in

# What an overlap is called, the likeliest first, and words that only say the unit of a column.
OVERLAPS = (dsc.__name__, iou.__name__)
UNITS = frozenset(["mm", "percent", "pct"])
# What rows of a canonical table on the same masks have in common, where it has these columns.
OF_MASKS = ("model", "task", "label", "reader", "seed", "fold")
# An overlap that tells nothing.
UNTOLD = 0.5
SHOWN = 3


@frozen(eq=False)
class MissingDistances:
    """Which distances of some rows are missing, and why."""

    # The column of overlaps; of a long table their metric.
    overlap: str
    # Where one mask is empty, where both are, and where the overlap tells neither.
    one_empty: NDArray[np.bool_]
    absent: NDArray[np.bool_]
    others: NDArray[np.bool_]
    # Where the table itself says which one is empty: missed, and spurious.
    stated: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)

    def described(self, cases: Sequence[str] | None = None) -> str:
        """How many are missing for which reason, and of which cases.

        >>> table = Table.from_frame({"dice": [0.9, 0.0, None], "hd95": [2.0, None, None]})
        >>> missing_distances(table, "hd95", np.arange(2)).described(["a", "b"])
        "1 where 'dice' is 0: missed or spurious (b)"
        """
        unstated = self.one_empty & ~np.any([*self.stated.values(), self.absent], axis=0)
        reasons = {
            **self.stated,
            f"where {self.overlap!r} is 0: missed or spurious": unstated,
            f"where {self.overlap!r} has no value, or 1: nothing in either mask": self.absent,
            f"where {self.overlap!r} tells neither": self.others,
        }
        return "; ".join(
            f"{int(rows.sum())} {reason}{_named(rows, cases)}"
            for reason, rows in reasons.items()
            if rows.any()
        )

    def refusal(self, cases: Sequence[str], where: str) -> DataError:
        """The error that asks what becomes of them; ``where``: in which column, of what."""
        missing = self.one_empty | self.absent | self.others
        worst = "counts them as failed"
        if self.absent.any():
            worst = "leaves out those with nothing in either mask, and counts the others as failed"
        return DataError(
            f"{where}: {int(missing.sum())} of {len(missing)} values are missing: "
            f"{self.described(cases)}. {spelled('missing', 'worst')} with {spelled('penalty')} "
            f"{worst}; {spelled('missing', 'omit')} leaves out all of them"
        )


def missing_distances(
    table: Table,
    column: str,
    rows: NDArray[np.intp],
    metric: str | None = None,
    same: Sequence[str | None] = (),
) -> MissingDistances | None:
    """The distances of some rows that are missing; None without any, or without overlaps.

    ``metric``: of these rows in a long table; ``same``: its column of cases (None without one), and
    others that tell masks apart.
    """
    distances = _numbers(table, column, rows)
    missing = ~np.isfinite(distances)
    if not missing.any():
        return None
    if metric is None:
        overlap = overlap_beside(table, column)
        overlaps = None if overlap is None else _numbers(table, overlap, rows)
    else:
        overlap, overlaps = _overlaps_in_rows(table, column, rows, metric, same)
    if overlap is None or overlaps is None:
        return None
    stated = {}
    if metric is not None and "status" in table:
        status = table.factor("status")
        for one in (Status.MISSED, Status.SPURIOUS):
            # The last one is where the codes of missing cells point.
            says = [str(level).strip().lower() == one for level in status.levels]
            stated[str(one)] = missing & np.array([*says, False])[status.codes[rows]]
    one_empty = np.any([missing & (overlaps == 0), *stated.values()], axis=0)
    # Some programs give two empty masks an overlap of 1, or of 100 per cent.
    whole = 100.0 if np.nanmax(overlaps, initial=0) > 1 else 1.0
    absent = np.isnan(distances) & (np.isnan(overlaps) | (overlaps == whole))
    return MissingDistances(overlap, one_empty, absent, missing & ~one_empty & ~absent, stated)


def _overlaps_in_rows(
    table: Table, column: str, rows: NDArray[np.intp], metric: str, same: Sequence[str | None]
) -> tuple[str | None, NDArray[np.float64] | None]:
    """The overlaps that other rows of a long table have of the same masks, and what they are."""
    nothing = None, None
    if metric not in METRICS or METRICS[metric].unit != "mm" or None in same:
        return nothing
    metrics = table.factor("metric")
    called = [METRICS[str(one)].name if str(one) in METRICS else "" for one in metrics.levels]
    overlap = next((one for one in OVERLAPS if one in called), None)
    if overlap is None:
        return nothing
    others = np.flatnonzero(np.array([*(one == overlap for one in called), False])[metrics.codes])
    further = [name for name in OF_MASKS if name in table]
    names = list(dict.fromkeys([*filter(None, same), *further]))
    masks = joint_codes(
        *(table.factor(name).codes[np.concatenate([rows, others])] for name in names)
    )
    of_rows, of_others = masks[: len(rows)], masks[len(rows) :]
    if len(np.unique(of_others)) < len(of_others) or not np.isin(of_others, of_rows).any():
        return nothing
    overlap_of_mask = np.full(masks.max() + 1, UNTOLD)
    overlap_of_mask[of_others] = _numbers(table, column, others)
    overlaps = overlap_of_mask[of_rows]
    if "status" in table:
        # What a row says itself is so.
        overlaps[(table.factor("status").codes[rows] >= 0) & (overlaps != 0)] = UNTOLD
    return overlap, overlaps


def overlap_beside(table: Table, column: str) -> str | None:
    """The column with overlaps of the same structure as a column of distances; None without.

    >>> table = Table.from_frame({"Dice_liver": [1.0], "Dice_spleen": [1.0], "HD95_liver_mm": [0]})
    >>> overlap_beside(table, "HD95_liver_mm"), overlap_beside(table, "Dice_liver")
    ('Dice_liver', None)
    """
    metric, structure = _parts(column)
    if metric not in METRICS or METRICS[metric].unit != "mm":
        return None
    named = {_parts(name): name for name in reversed(table.names)}
    return next((named[key] for one in OVERLAPS if (key := (one, structure)) in named), None)


def _parts(name: str) -> tuple[str, tuple[str, ...]]:
    """The metric of a column by its name, and the words that say of what it is."""
    named = metric_in(name)
    if named is None:
        return "", ()
    metric, before, behind = named
    words = re.findall(r"\w+", f"{before} {behind}".replace("_", " ").lower())
    return metric, tuple(word for word in words if word not in UNITS)


def _numbers(table: Table, column: str, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Cells as numbers; NaN where there is none, and 0 where there is text, which has its error."""
    cells = table.values(column, rows)
    if cells.dtype.kind in "fiub":
        return np.asarray(cells, dtype=float)
    return np.array([0.0 if isinstance(one, str) else one for one in cells.tolist()], dtype=float)


def _named(rows: NDArray[np.bool_], cases: Sequence[str] | None) -> str:
    if cases is None:
        return ""
    names = [cases[row] for row in np.flatnonzero(rows).tolist()]
    return f" ({shortened(names, SHOWN)})"
