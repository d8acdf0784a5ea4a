"""The scores of masks: a value of each metric for each case and label, with cautions and notes."""

from __future__ import annotations

import collections
import json
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import DataError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.undefined import Status

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("case", "label", "metric", "value", "status", "parameters")


class Value(NamedTuple):
    """A metric of one label of one case."""

    metric: str
    parameters: str
    value: float
    status: str


@frozen
class LabelScores:
    """One label of one case.

    Attributes
    ----------
    label : str
    scores : tuple of Value
    presence : str
        A `Status`: in both masks, in one, or in none.
    voxels : int
        Of the reference.
    components : int
        Connected components of the reference, by faces, edges or corners.
    spacing : tuple of float or None
        Of the voxels, in mm along each axis that is longer than one; None where unknown.
    """

    label: str
    scores: tuple[Value, ...]
    presence: str
    voxels: int
    components: int
    spacing: tuple[float, ...] | None = None


@frozen
class CaseScores:
    """One case.

    Attributes
    ----------
    case : str
    labels : tuple of LabelScores
    held : tuple of (tuple of int, tuple of int)
        The values in the label maps of the prediction and of the reference.
    ignored : int
        Voxels that are ignored.
    notes : tuple of str
        How odd headers were read.
    """

    case: str
    labels: tuple[LabelScores, ...]
    held: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    ignored: int = 0
    notes: tuple[str, ...] = ()


class CaseScore(NamedTuple):
    """A row of the per-case table."""

    case: str
    label: str
    metric: str
    value: float
    status: str
    parameters: str


@frozen
class Scores:
    """The per-case table of a set of masks, which `CaseValues` and ``halfwidth ci`` read.

    Attributes
    ----------
    cases : tuple of CaseScores
        For label maps all cases have the same labels, *not applicable* where a case lacks one; for
        folders of structures a case has the labels that it has files for.
    cautions : tuple of Caution
        Reasons to doubt the metrics, found on the masks.
    notes : tuple of str
        What was left out or assumed.
    """

    cases: tuple[CaseScores, ...]
    cautions: tuple[Caution, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[CaseScore, ...]:
        """A row for each case, label and metric."""
        return tuple(self)

    def __iter__(self) -> Iterator[CaseScore]:
        for case in self.cases:
            for label in case.labels:
                for metric, parameters, value, status in label.scores:
                    yield CaseScore(case.case, label.label, metric, value, status, parameters)

    def __len__(self) -> int:
        return sum(len(label.scores) for case in self.cases for label in case.labels)

    def value(self, metric: str, *, case: str | None = None, label: str | None = None) -> float:
        """The one value of a metric, of a case and a label where there are several.

        Raises
        ------
        DataError
            If there is no such value, or more than one.
        """
        values = [
            row.value
            for row in self
            if row.metric == metric and case in (None, row.case) and label in (None, row.label)
        ]
        if len(values) != 1:
            metrics = dict.fromkeys(row.metric for row in self)
            raise DataError(
                f"{len(values)} values of metric {metric!r}, case {case!r}, label {label!r} (None: "
                f"any); metrics: {shortened(list(metrics))}, labels: {shortened(self.labels)}, "
                f"{len(self.cases)} cases"
            )
        return values[0]

    @property
    def labels(self) -> list[str]:
        """The labels, in their order."""
        return list(dict.fromkeys(one.label for case in self.cases for one in case.labels))

    def to_columns(self) -> dict[str, list[Any]]:
        """The canonical table as columns: case, label, metric, value, status, parameters."""
        rows = self.rows
        return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}

    def to_frame(self) -> pd.DataFrame:
        """The canonical table as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.to_columns())

    def to_dict(self) -> dict[str, Any]:
        """Rows and cautions as plain types; NaN and infinities are None."""
        cases = [
            {**row._asdict(), "value": row.value if math.isfinite(row.value) else None}
            for row in self
        ]
        cautions = [caution.to_dict() for caution in self.cautions]
        return {"schema_version": 1, "cases": cases, "cautions": cautions}

    def to_json(self) -> str:
        """Rows and cautions as JSON."""
        return json.dumps(self.to_dict(), indent=2)

    def defined(self, asks: Callable[[str], bool]) -> tuple[tuple[CaseScore, ...], list[str]]:
        """The rows that can be summarised as they are, and a line for each metric left out.

        Parameters
        ----------
        asks : callable
            Whether a metric needs a value for every case it applies to.

        Returns
        -------
        tuple of CaseScore
            Without the labels on which such a metric has a missing or an infinite value.
        list of str
            A line for each such metric.
        """
        rows: dict[tuple[str, str, str], list[CaseScore]] = {}
        for row in self:
            rows.setdefault((row.metric, row.parameters, row.label), []).append(row)
        lacking: dict[str, list[str]] = {}
        kept: list[CaseScore] = []
        for (metric, parameters, label), rows_of_label in rows.items():
            apply = [row for row in rows_of_label if row.status != Status.NOT_APPLICABLE]
            without = sum(not math.isfinite(row.value) for row in apply)
            if without and asks(metric):
                name = f"{metric} ({parameters})" if parameters else metric
                lacking.setdefault(name, []).append(f"{label} ({without} of {len(apply)})")
            elif apply:
                kept += rows_of_label
        texts = [
            f"no interval for {metric} of {shortened(labels, most=6)}: no value, or an infinite one"
            for metric, labels in lacking.items()
        ]
        return tuple(kept), texts

    @property
    def extent(self) -> str:
        """The size of the table, and how many structures are not in both masks, in words."""
        counts = collections.Counter(one.presence for case in self.cases for one in case.labels)
        unlike = {
            "missed": counts[Status.MISSED],
            "spurious": counts[Status.SPURIOUS],
            "in neither mask": counts[Status.NOT_APPLICABLE],
        }
        texts = [f"{count} {settings}" for settings, count in unlike.items() if count]
        many = f"{len(self.cases)} case{'s' * (len(self.cases) != 1)}, {len(self.labels)} label"
        many += f"{'s' * (len(self.labels) != 1)}, {len(self)} values"
        return f"{many}; {', '.join(texts)}" if texts else many

    def __repr__(self) -> str:
        text = f"Scores: {self.extent}"
        return "\n".join([text, *(f"  {caution}" for caution in self.cautions)])
