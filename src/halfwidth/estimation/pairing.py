"""Which values belong to the same case: by place, or by label where there are labels.

Arrays, lists and columns of polars have places only. A Series or frame of pandas carries an index,
whose labels say which case a row is of, unless it merely counts the rows 0, 1, 2, ...
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import DataError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.row_labels import counts_in_disorder, has_columns, only_counts, row_labels
from halfwidth.data.repeat_cautions import repeat_cautions
from halfwidth.estimation.grouping import listed

if TYPE_CHECKING:
    from halfwidth.io.table import Table

BY_PLACE = "If rows belong together by place, pass .to_numpy() of each"


@frozen
class Paired:
    """What was given for the same cases, all in the order of the first that carries labels."""

    # By name, as it was given where its order is right.
    aligned: dict[str, Any]
    # Says which were brought into another order.
    moved: tuple[Caution, ...] = ()
    # The labels, where any were carried.
    index: Any = None

    def cautions(self, kept: NDArray[np.bool_], groups: Any = None) -> tuple[Caution, ...]:
        """What the labels of the cases kept, and bringing them into one order, call for."""
        if self.index is None or len(self.index) != len(kept):
            return self.moved
        # Arrays carry no labels, so a call with arrays needs no tables.
        from halfwidth.tables.repeats import repeats_in

        table = _level_table(self.index)
        case = _case_level(self.index, table)
        labels = listed(groups, "groups")
        rows = np.flatnonzero(kept)
        repeats = repeats_in(table, rows, case=case, groups=labels)
        return (*self.moved, *repeat_cautions(repeats, len(rows)))


def paired(inputs: Mapping[str, Any], *, fresh: Sequence[str] = ()) -> Paired:
    """What was given for the same cases, by the names in messages, brought into one order by label.

    ``fresh`` names those of which one is often made anew, such as predictions, so that its index
    counts places where that of the other has labels. Labels that differ between two, repeat in
    different orders, or could as well be places, make a `DataError`.

    >>> import pandas as pd
    >>> inputs = paired({"a": pd.Series([1, 2], ["x", "y"]), "b": pd.Series([4, 3], ["y", "x"])})
    >>> inputs.aligned["b"].tolist(), inputs.moved[0].code
    ([3, 4], 'HW409')
    """
    labels = {name: row_labels(values) for name, values in inputs.items()}
    indices = {name: index for name, index in labels.items() if index is not None}
    labelled = {name: index for name, index in indices.items() if not only_counts(index)}
    if not labelled:
        return Paired(dict(inputs))
    shuffled = [name for name, index in labelled.items() if counts_in_disorder(index)]
    if shuffled:
        # The labels 0 to n - 1 in order are then labels as well, and not the lack of any.
        _check_fresh([name for name in fresh if name in indices], shuffled)
        labelled = indices
    first, reference = next(iter(labelled.items()))
    moved, ordered = [], dict(inputs)
    for name, index in labelled.items():
        if len(index) != len(reference) or index.equals(reference):
            continue  # another length is another error
        ordered[name] = inputs[name].iloc[_places(name, index, first, reference)]
        moved.append(
            caution(
                "HW409", what=name, reference=first, other=_first(index), label=_first(reference)
            )
        )
    return Paired(ordered, tuple(moved), reference)


def class_order(
    classes: Sequence[Any], names: Sequence[Any], where: str, *, declared: bool
) -> tuple[NDArray[np.intp] | None, tuple[Caution, ...]]:
    """Places that bring columns that are named for classes into their order, and a caution of it.

    None where the names are not those of the classes: then places count. Columns may be named
    ``p_sick``, ``p_well`` for ``sick`` and ``well``, unless the order of the classes was declared.
    """
    if len(names) != len(classes) or len(names) < 2:
        return None, ()
    columns, labels = [str(name) for name in names], [str(label) for label in classes]
    if set(columns) != set(labels) and not declared:
        letters = zip(*columns, strict=False)
        shared = sum(1 for _ in itertools.takewhile(lambda at: len(set(at)) == 1, letters))
        columns = [name[shared:] for name in columns]
    if columns == labels or set(columns) != set(labels) or len(set(columns)) < len(columns):
        return None, ()
    raised = caution(
        "HW409", what=where, reference="the classes", other=str(names[0]), label=labels[0]
    )
    return np.array([columns.index(label) for label in labels], dtype=np.intp), (raised,)


def by_class(labelled: Any, classes: Sequence[Any], name: str) -> Any:
    """A Series (or square frame) labelled by classes as an array in their order."""
    index = row_labels(labelled)
    if index is None or only_counts(index):
        return labelled
    labels = [str(label) for label in classes]
    sides = [[str(label) for label in index]]
    if has_columns(labelled):
        sides.append([str(name) for name in labelled.columns])
    for side in sides:
        if sorted(side) != sorted(labels):
            raise DataError(
                f"{name} has the labels {shortened(side, 5)}, but the classes are "
                f"{shortened(labels, 5)}; label it by the classes, or pass .to_numpy()"
            )
    array = labelled.to_numpy()
    for axis, side in enumerate(sides):
        array = array.take([side.index(label) for label in labels], axis=axis)
    return array


def _check_fresh(fresh: Sequence[str], shuffled: Sequence[str]) -> None:
    """Refuse rows 0 to n - 1 in disorder beside rows in order that may count something else."""
    labelled = [name for name in fresh if name in shuffled]
    counting = [name for name in fresh if name not in shuffled]
    if labelled and counting:
        one, other = labelled[0], counting[0]
        raise DataError(
            f"{one} has the rows 0, 1, 2, ... of a frame in another order, and {other} has them in "
            "order: the same rows, or merely counted? If they belong together by place, pass "
            f".to_numpy() of both; if by label, {other}.loc[{one}.index]"
        )


def _places(name: str, index: Any, first: str, reference: Any) -> NDArray[np.intp]:
    """Where the cases of the reference are in another order."""
    absent = index[~index.isin(reference)]
    if len(absent):
        raise DataError(
            f"{name} has {len(absent)} of {len(index)} labels in its index that {first} lacks "
            f"({_examples(absent)}), so their cases differ. {BY_PLACE}"
        )
    repeated = index[index.duplicated()].append(reference[reference.duplicated()])
    if len(repeated):
        raise DataError(
            f"{name} and {first} repeat labels in their indexes ({_examples(repeated)}), in "
            f"different orders: nothing says which rows belong together. {BY_PLACE}"
        )
    places: NDArray[np.intp] = index.get_indexer(reference)
    return places


def _first(labels: Any) -> Any:
    return labels[:1].tolist()[0]


def _examples(labels: Any) -> str:
    return shortened([repr(label) for label in labels.unique().tolist()], 3)


def _level_table(index: Any) -> Table:
    """The levels of an index as columns."""
    from halfwidth.io.table import Table

    names = [f"index {level}" if name is None else str(name) for level, name in _levels(index)]
    cells = [index.get_level_values(level) for level in range(index.nlevels)]
    return Table.from_frame(dict(zip(names, cells, strict=True)))


def _levels(index: Any) -> list[tuple[int, Any]]:
    return list(enumerate(index.names))


def _case_level(index: Any, table: Table) -> str | None:
    """The level that names cases: one called so, or texts without a name; numbers may be rows."""
    if index.nlevels == 1 and index.name is None:
        return table.names[0] if np.asarray(index).dtype.kind in "OSU" else None
    from halfwidth.tables.repeats import case_column

    return case_column(table, persons=False)
