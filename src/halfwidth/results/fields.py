"""What a result holds, declared once: names for programs, titles and texts for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import plain
from halfwidth.core.frozen import frozen
from halfwidth.document.parts import Adaptive, Cell, Column, Item, Items, Kind, Note, Table

CAUTIONS_TITLE = "Cautions ('halfwidth explain CODE' says more)"


@frozen
class Field:
    """A number or a word of a result."""

    # The attribute that holds it, a key of JSON, and a column of frames and CSV.
    name: str
    # Heading of its column in tables; without one it is for programs alone.
    title: str = ""
    # From the result what people read in that column; None: the value as it is.
    text: Callable[[Any], str] | None = None
    kind: Kind = Kind.NUMBER

    def cell(self, result: Any) -> Cell:
        """What a table shows of a result."""
        value = getattr(result, self.name)
        return Cell(str(value) if self.text is None else self.text(result), value)


def fields_dict(result: Any, fields: Iterable[Field]) -> dict[str, Any]:
    """The fields as plain types; cautions as their codes and messages."""
    return {one.name: _plain(getattr(result, one.name)) for one in fields}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple) and value and isinstance(value[0], Caution):
        return [caution.to_dict() for caution in value]
    return plain(value)


def fields_row(result: Any, fields: Iterable[Field]) -> dict[str, Any]:
    """The fields in a flat row, numbers left as they are."""
    return {one.name: _flat(getattr(result, one.name)) for one in fields}


def _flat(value: Any) -> Any:
    if isinstance(value, Mapping):
        return ",".join(f"{name}={one:g}" for name, one in value.items())
    if isinstance(value, tuple):
        return " ".join(one.code if isinstance(one, Caution) else str(one) for one in value)
    return value


def fields_table(results: Sequence[Any], fields: Iterable[Field]) -> Table:
    """A row for each result, in the columns that have a title and say something."""
    columns, cells = [], []
    for one in fields:
        if not one.title:
            continue
        column = [one.cell(result) for result in results]
        if any(cell.text for cell in column):
            columns.append(Column(one.title, one.kind))
            cells.append(column)
    return Table(tuple(columns), tuple(zip(*cells, strict=True)))


def codes_cell(result: Any) -> Cell:
    """The codes of a result's cautions, each once."""
    codes = tuple(dict.fromkeys(caution.code for caution in result.cautions))
    return Cell(" ".join(codes), codes)


def seed_note(seeds: Iterable[int | None], n_resamples: Iterable[int | None]) -> Adaptive:
    """Seed by which all that was drawn can be drawn again, and the most resamples of any result."""
    known = {seed for seed in seeds if seed is not None}
    most = max((count or 0 for count in n_resamples), default=0)
    drawn = f", {most} resamples" if most else ""
    return Adaptive((Note(f"Seed {known.pop()}{drawn}."),) if known else (), ())


def caution_items(lines: Iterable[tuple[str, str]]) -> tuple[Adaptive, ...]:
    """Each code with its message, under a title on a terminal."""
    items = tuple(Item(code, text, code) for code, text in lines)
    return (Adaptive((Items(items, CAUTIONS_TITLE),), (Items(items),)),) if items else ()
