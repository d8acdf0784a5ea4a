"""The roles of the columns of a table of per-case values: values, groups, cases.

A wide table has a column per structure; a long one has one value column and columns to group by;
the canonical long table names its columns ``case, metric, value`` and needs no options.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, quoted, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.undefined import AnyMissing, Status, is_missing
from halfwidth.io.numerals import LOOKED_AT, like_a_number
from halfwidth.io.table import Factor, Table, joint_codes
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.tables.challenge_columns import VALUE, challenge_levels
from halfwidth.tables.missing_distances import missing_distances
from halfwidth.tables.repeats import (
    Repeats,
    case_column,
    is_design_column,
    is_index_column,
    repeats_in,
)
from halfwidth.tables.summary_rows import check_cases

# In a canonical table, and only there, these are the cluster and the stratum of a case.
CLUSTER_COLUMN, STRATUM_COLUMN = "group", "stratum"
CANONICAL_BY = ("model", "task", "label")
MISSING_LEVEL = "(missing)"


@frozen
class Layout:
    """The part each column plays."""

    values: tuple[str, ...]
    # Columns whose levels are estimated apart.
    by: tuple[str, ...] = ()
    case: str | None = None
    # Column that names the metric of each row (canonical tables).
    metric: str | None = None
    # Columns that name the cluster and the stratum of each row.
    groups: str | None = None
    strata: str | None = None
    # Columns passed over when value columns were looked for, with the reason.
    left_out: tuple[str, ...] = ()


class CaseNames(Sequence[str]):
    """What the cases of some rows are called: by their ids, else by their row.

    Names are made when they are asked for, which errors do, of a few.
    """

    def __init__(self, table: Table, case: str | None, rows: NDArray[np.intp]) -> None:
        self._table, self._rows = table, rows
        self._ids = None if case is None else table.factor(case)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        row = int(self._rows[place])
        level = None if self._ids is None else self._ids.level(row)
        return f"in row {self._table.row_number(row)}" if level is None else str(level)


@frozen
class Slice:
    """One sample of a table: the values of one column at one combination of levels."""

    label: str
    by: Mapping[str, Any]
    column: str
    # As they stand in the table.
    values: NDArray[Any]
    # Case ids, or row numbers where the table has none.
    cases: Sequence[str]
    # What a canonical table calls the metric.
    metric: str | None
    # Its parameters as they follow a name: ``":tolerance=3"``, or nothing.
    parameters: str
    # Rows left out because the metric does not apply to them: where in the table they stand.
    not_applicable: NDArray[np.intp]
    # Cluster and stratum of each value.
    groups: list[Any] | None
    strata: list[Any] | None
    # What speaks against taking the values as those of independent cases.
    repeats: Repeats
    # Where in the table the values stand.
    rows: NDArray[np.intp]
    # The column that tells where there was nothing to find; empty where none was asked.
    overlap: str = ""
    # What is to be asked before the values are used.
    refusal: DataError | None = None

    def checked(self) -> Slice:
        """Slice itself, unless something has to be asked first."""
        if self.refusal is not None:
            raise self.refusal
        return self

    @property
    def n_not_applicable(self) -> int:
        """How many rows were left out because the metric does not apply to them."""
        return len(self.not_applicable)


def layout_of(
    table: Table,
    values: Sequence[str] | None = None,
    by: Sequence[str] | None = None,
    case: str | None = None,
    groups: str | None = None,
    strata: str | None = None,
    model: str = "",
) -> Layout:
    """The layout of a table, from what the user said and what the columns are called.

    ``model``: the column by which models are told apart, before the levels of ``by`` unless it is
    among these.
    """
    # An option that may be repeated, and was not given, is an empty list.
    values = values or None
    units = [name for name in (groups, strata) if name is not None]
    check_columns(table, [*(values or ()), *(by or ()), *([case] if case else []), *units])
    _check_roles(values, by, groups, strata)
    by, models = tuple(dict.fromkeys(by or ())), (model,) if model else ()
    case = case or case_column(table, (*by, *models, *(values or ())))
    check_cases(table, case)
    if _is_canonical(table, values):
        # Its rows are split by metric anyway, each with its own range.
        known = tuple(name for name in CANONICAL_BY if name in table)
        chosen = tuple(name for name in by if name != "metric") if by else known
        groups = groups or _declared(table, CLUSTER_COLUMN, by)
        strata = strata or _declared(table, STRATUM_COLUMN, by)
        by = chosen if model in chosen else (*models, *chosen)
        return Layout(("value",), by, case, metric="metric", groups=groups, strata=strata)
    levels = () if by else challenge_levels([one for one in table.names if one not in units])
    if levels and values is None and VALUE in table:
        values = [VALUE]
    by = (*by, *levels)
    by = by if model in by else (*models, *by)
    if values:
        return Layout(tuple(dict.fromkeys(values)), by, case, groups=groups, strata=strata)
    value_columns, left_out = _numeric_columns(table, (*by, *units), case)
    return Layout(value_columns, by, case, groups=groups, strata=strata, left_out=left_out)


def check_columns(table: Table, names: Iterable[str]) -> None:
    """Refuse names of columns that are not there."""
    for name in names:
        if name not in table:
            raise UnknownNameError("column", name, table.names)


def _check_roles(
    values: Sequence[str] | None,
    by: Sequence[str] | None,
    groups: str | None,
    strata: str | None,
) -> None:
    """Refuse a column with two roles."""
    roles = {"values": values or (), "by": by or ()}
    roles |= {
        name: [column]
        for name, column in (("groups", groups), ("strata", strata))
        if column is not None
    }
    for first, second in itertools.combinations(roles, 2):
        both = set(roles[first]) & set(roles[second])
        if both:
            raise OptionError(
                f"column(s) {quoted(sorted(both))} cannot be {first} and {second} at once"
            )


def _declared(table: Table, column: str, by: Sequence[str]) -> str | None:
    """A canonical table's column of clusters or strata, where it says anything."""
    present = column in table and column not in by and not table.is_empty(column)
    return column if present else None


def _is_canonical(table: Table, values: Sequence[str] | None) -> bool:
    if "metric" not in table or "value" not in table:
        return False
    return not table.is_numeric("metric") and (values is None or list(values) == ["value"])


def _numeric_columns(
    table: Table, taken: tuple[str, ...], case: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns that hold numbers, and those passed over with the reason."""
    columns, left_out = [], []
    for name in table.names:
        if name == case or name in taken:
            continue
        if is_index_column(name):
            left_out.append(f"{name!r} (index)" if name else "the column without a name (index)")
        elif name == STRATUM_COLUMN or is_design_column(name):
            left_out.append(f"{name!r} (design)")
        elif _holds_numbers(table, name):
            columns.append(name)
        else:
            left_out.append(f"{name!r} (text)")
    if not columns:
        raise DataError(
            f"no numeric column to estimate; the table has {shortened(table.names)}. Name the "
            f"column with values: {spelled('value')}"
        )
    return tuple(columns), tuple(left_out)


def _holds_numbers(table: Table, name: str) -> bool:
    """Whether a column is meant to hold numbers: most cells are, but for commas and per cents."""
    if table.is_numeric(name) or table.is_empty(name):
        return True
    # Some of a long column say as well as all.
    rows = np.arange(0, len(table), -(-len(table) // LOOKED_AT))
    cells = [cell for cell in table.values(name, rows) if cell is not None]
    bare = (cell.removesuffix("%").rstrip() if isinstance(cell, str) else cell for cell in cells)
    return 2 * sum(map(like_a_number, bare)) > len(cells)


def slices(
    table: Table, layout: Layout, *, missing: AnyMissing = "omit", as_in_file: bool = False
) -> Iterator[Slice]:
    """The samples of a table, groups in order of appearance, columns in their order.

    Rows that are not applicable are left out; ``as_in_file``: unless they hold a value. Those are
    rows whose status says so and, if what is ``missing`` counts as the worst value, distances of
    which an overlap says that there was nothing to find.
    """
    several = len(layout.values) > 1
    for levels, rows in _groups(table, layout):
        by = {name: levels[name] for name in layout.by}
        left_out = has_status(table, layout, rows, {Status.NOT_APPLICABLE})
        if as_in_file and left_out.any():
            left_out &= [is_missing(cell) for cell in table.values("value", rows)]
        applicable = rows[~left_out]
        shown = [level_text(level) for level in by.values()]
        repeats = _repeats(table, layout, applicable)
        metric = level_text(levels[layout.metric]) if layout.metric else None
        for column in layout.values:
            kept, not_applicable, own_repeats = applicable, rows[left_out], repeats
            distances, refusal = None, None
            if missing != "omit":
                same = (layout.case, *layout.by)
                distances = missing_distances(table, column, kept, metric, same)
            if distances is not None and missing == "raise":
                where = ", ".join(filter(None, (f"column {column!r}", metric, *shown)))
                refusal = distances.refusal(CaseNames(table, layout.case, kept), where)
            elif distances is not None:
                kept = applicable[~distances.absent]
                not_applicable = np.union1d(not_applicable, applicable[distances.absent])
                own_repeats = _repeats(table, layout, kept)
            name_column = several or not (by or layout.metric)
            yield Slice(
                label=" / ".join([*shown, *([column] if name_column else [])]),
                by=by,
                column=column,
                values=table.values(column, kept),
                cases=CaseNames(table, layout.case, kept),
                metric=metric,
                parameters=_parameters_of(levels),
                not_applicable=not_applicable,
                groups=column_labels(table, layout.groups, kept),
                strata=column_labels(table, layout.strata, kept),
                repeats=own_repeats,
                rows=kept,
                overlap="" if distances is None else distances.overlap,
                refusal=refusal,
            )


def not_applicable_note(parts: Iterable[Slice]) -> list[str]:
    """How many rows were left out because the metric does not apply to them, and what says so."""
    without = [part for part in parts if part.n_not_applicable]
    count = sum(part.n_not_applicable for part in without)
    if not count:
        return []
    rows = "1 row that is" if count == 1 else f"{count} rows that are"
    overlaps = dict.fromkeys(part.overlap for part in without if part.overlap)
    why = f": {quoted([*overlaps])} says that there was nothing to find" if overlaps else ""
    return [f"left out: {rows} not applicable{why}"]


def _groups(table: Table, layout: Layout) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
    names = [*layout.by]
    if layout.metric:
        names += [layout.metric, *(["parameters"] if "parameters" in table else [])]
    return grouped_rows(
        {
            name: _metric_levels(table, name) if name == layout.metric else table.factor(name)
            for name in names
        },
        len(table),
    )


def grouped_rows(
    factors: Mapping[str, Factor], n_rows: int
) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
    """Each combination of levels that occurs, in order of appearance, and its rows."""
    if not factors:
        yield {}, np.arange(n_rows)
        return
    together = joint_codes(*(factor.codes for factor in factors.values()))
    _, first, place = np.unique(together, return_index=True, return_inverse=True)
    in_groups = np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1])
    for group in np.argsort(first):
        row = first[group]
        yield {name: factor.level(row) for name, factor in factors.items()}, in_groups[group]


def has_status(
    table: Table, layout: Layout, rows: NDArray[np.intp], wanted: Collection[str]
) -> NDArray[np.bool_]:
    """Whether rows of a canonical table have one of some statuses; no other table has any."""
    if not layout.metric or "status" not in table:
        return np.zeros(len(rows), dtype=bool)
    status = table.factor("status")
    # The last one is where the codes of missing cells point.
    has = [level_text(level).strip().lower() in wanted for level in status.levels]
    return np.array([*has, False])[status.codes[rows]]


def _parameters_of(levels: dict[str, Any]) -> str:
    parameters = levels.get("parameters")
    return "" if parameters is None else f":{str(parameters).replace(';', ',')}"


def metrics_held(table: Table) -> list[str]:
    """The metrics of a canonical table, as it spells them; none in any other."""
    return list(map(str, table.factor("metric").distinct)) if _is_canonical(table, None) else []


def metrics_in(table: Table, layout: Layout) -> list[str]:
    """The metrics that a canonical table names; none in any other."""
    if layout.metric is None:
        return []
    metrics: list[str] = _metric_levels(table, layout.metric).distinct.tolist()
    return metrics


def _metric_levels(table: Table, column: str) -> Factor:
    """Metric of each row, under one name however it is spelled."""
    factor = table.factor(column)
    texts = [level_text(level) for level in [*factor.levels, None]]
    named = [METRICS[text].name if text in METRICS else text for text in texts]
    if bool((factor.codes >= 0).all()):
        named.pop()
    distinct = list(dict.fromkeys(named))
    place = np.array([distinct.index(name) for name in named], dtype=np.intp)
    return Factor(place[factor.codes], np.array(distinct, dtype=object))


def level_text(level: Any) -> str:
    """A level as results call it."""
    return MISSING_LEVEL if level is None else str(level)


def column_labels(table: Table, name: str | None, rows: NDArray[np.intp]) -> list[Any] | None:
    """The cells of a column as labels; None where there is no such column."""
    if name is None:
        return None
    levels = table.levels(name)
    return [levels[row] for row in rows.tolist()]


def _repeats(table: Table, layout: Layout, rows: NDArray[np.intp]) -> Repeats:
    taken = [*layout.by, *layout.values, *filter(None, (layout.groups, layout.strata))]
    groups = None if layout.groups is None else table.levels(layout.groups)
    return repeats_in(table, rows, case=layout.case, groups=groups, taken=taken)
