"""What every result of a verb offers: rows, a frame, JSON, a document, a picture.

A kind of result says what it holds (`to_dict`, `to_rows`), how it is read (`document`), and which
of its columns are whole numbers; all else follows here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Protocol,
    Self,
    TypeVar,
    cast,
    overload,
)

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import json_text
from halfwidth.document.parts import Data, Document, Note
from halfwidth.document.progress import following
from halfwidth.results.fields import Field, caution_items, fields_dict, fields_row, fields_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SCHEMA_VERSION = 1

Item = TypeVar("Item")


class Result:
    """What all results have in common; subclasses are frozen dataclasses."""

    WHOLE_NUMBERS: ClassVar[tuple[str, ...]] = ()
    """Columns that stay whole in a frame: floating point would round a seed that has company
    without one."""
    notes: tuple[str, ...] = ()

    @property
    def collection(self) -> Result:
        """What holds it: one result is alone there, and a collection is its own."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        raise NotImplementedError

    def to_rows(self) -> list[dict[str, Any]]:
        """Flat rows, numbers left as they are."""
        raise NotImplementedError

    def document(self) -> Document:
        """Tables, figures and remarks, as the command line prints them."""
        raise NotImplementedError

    def to_json(self) -> str:
        """The JSON contract as text."""
        return json_text(self.to_dict())

    def to_frame(self) -> pd.DataFrame:
        """The rows as a data frame."""
        import pandas as pd

        rows = self.to_rows()
        frame = pd.DataFrame(rows)
        for name in self.WHOLE_NUMBERS:
            frame[name] = pd.Series([row[name] for row in rows], dtype=object)
        return frame

    def plot(self, kind: str | None = None, *, page: int | None = None) -> Figure:
        """The picture that the command line draws: `halfwidth.plot`."""
        from halfwidth.plots.of_results import plot

        return plot(self, kind, page=page)

    def pictures(self, kind: str | None = None) -> list[bytes]:
        """Each page of it as a small PNG, for a document that holds its pictures."""
        from halfwidth.plots.of_results import pages_of, picture

        return [picture(page) for page in following(pages_of(self, kind), "pages written")]

    def _repr_html_(self) -> str:
        from halfwidth.document.html.page import render_fragment  # for notebooks alone

        document = self.document()
        further = [Note(text) for text in self.notes if Note(text) not in document.parts]
        return render_fragment(replace(document, parts=(*document.parts, *further)))


class SingleResult(Result):
    """One result: JSON, frame and document are those of the collection that holds it alone."""

    FIELDS: ClassVar[tuple[Field, ...]] = ()
    """What it holds, in the order of frames, JSON and tables."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return fields_dict(self, self.FIELDS)

    def to_row(self) -> dict[str, Any]:
        """A flat row, numbers left as they are."""
        return fields_row(self, self.FIELDS)

    @property
    def _alone(self) -> Result:
        raise NotImplementedError

    @property
    def collection(self) -> Result:
        """The collection that holds it alone."""
        return self._alone

    def to_rows(self) -> list[dict[str, Any]]:
        """Flat rows, numbers left as they are."""
        return self._alone.to_rows()

    def document(self) -> Document:
        """Tables, figures and remarks, as the command line prints them."""
        return self._alone.document()

    def to_json(self) -> str:
        """The result as JSON, with its ``schema_version``."""
        return self._alone.to_json()

    def to_frame(self) -> pd.DataFrame:
        """The rows as a data frame."""
        return self._alone.to_frame()


class ResultSequence(Sequence[Item], Generic[Item]):
    """Frozen results in order; subclasses are frozen dataclasses with these items.

    Attributes
    ----------
    items : tuple
    """

    items: tuple[Item, ...]

    @overload
    def __getitem__(self, index: int | str | tuple[str, ...]) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | str | tuple[str, ...] | slice) -> Item | Self:
        """One result by its place or, where results have names, by these; some by a slice."""
        if isinstance(index, slice):
            return self._some(self.items[index])
        if isinstance(index, str | tuple):
            return self._only(index)
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def _some(self, items: tuple[Item, ...]) -> Self:
        """Some of the results, with all else that is known of them."""
        some: Self = replace(cast("Any", self), items=items)
        return some

    def _only(self, names: str | tuple[str, ...]) -> Item:
        """The only result that matches all the names."""
        raise TypeError(f"{type(self).__name__} take a place, not {names!r}")


class CollectedResult(Protocol):
    """A result that a collection can hold."""

    @property
    def label(self) -> str:
        """What it is of."""

    @property
    def by(self) -> Mapping[str, Any]:
        """The levels of the columns within which it was computed."""

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Cautions of the result."""

    def sentence(self) -> str:
        """One sentence for a paper."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""


OneResult = TypeVar("OneResult", bound=CollectedResult)


class ResultCollection(Result, ResultSequence[OneResult]):
    """Results of one kind, in the order of what they were computed from.

    Attributes
    ----------
    items : tuple
    notes : tuple of str
        What was assumed or left out.
    """

    KEY: ClassVar[str]
    """The key of the list of results in JSON."""

    @property
    def by(self) -> tuple[str, ...]:
        """Names of the ``by`` columns."""
        return tuple(dict.fromkeys(name for item in self for name in item.by))

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions, each text once."""
        return tuple(dict.fromkeys(caution for item in self for caution in item.cautions))

    def with_cautions(self, further: Sequence[Caution]) -> Self:
        """Results, each with further cautions, in the order of their codes."""
        if not further:
            return self
        items = tuple(
            replace(
                cast("Any", item),
                cautions=tuple(sorted([*item.cautions, *further], key=lambda one: one.code)),
            )
            for item in self
        )
        return self._some(items)

    def caution_lines(self) -> list[tuple[str, str]]:
        """Each code once, in order, with its first message, and how many more there are."""
        return caution_lines([(item.label, "", item.cautions) for item in self])

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return {"schema_version": SCHEMA_VERSION, self.KEY: [item.to_dict() for item in self]}

    def to_rows(self) -> list[dict[str, Any]]:
        """Flat rows, numbers left as they are: the ``by`` columns, then those of the results."""
        return [
            # A grouping column's name is none of our own.
            {f"by_{name}" if name in row else name: item.by.get(name) for name in self.by} | row
            for item in self
            for row in self._rows_of(item)
        ]

    def document(self) -> Document:
        """A row for each result, cautions, and what the numbers are."""
        data = Data(self.to_dict, self.to_rows)
        if not self:
            return Document((Note("Nothing to show."),), data)
        table = fields_table(self, cast("Any", self.items[0]).FIELDS)
        cautions = caution_items(self.caution_lines())
        return Document((table, *cautions, *map(Note, self.remarks())), data)

    def remarks(self) -> tuple[str, ...]:
        """What the numbers are, in sentences below the table."""
        return ()

    def _rows_of(self, item: OneResult) -> list[dict[str, Any]]:
        return [cast("Any", item).to_row()]

    def _sentences(self) -> Iterator[str]:
        """The lines of its ``repr`` before the cautions."""
        return (item.sentence() for item in self)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ({len(self)}):"]
        lines += [f"  {text}" for text in self._sentences()]
        lines += [f"  {code} {text}" for code, text in self.caution_lines()]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


def caution_lines(
    raised: Iterable[tuple[str, str, Sequence[Caution]]], most_named: int = 0
) -> list[tuple[str, str]]:
    """Each code once, in order, with its first message, of which it is, and how many more.

    ``raised`` are results: what they are within, the models, and their cautions. What is said of
    one model several times counts once; up to ``most_named`` others are named rather than counted.
    """
    results = [*raised]
    several = len({result[:2] for result in results}) > 1
    by_code: dict[str, dict[tuple[str, str, int], None]] = {}
    for at, (place, name, cautions) in enumerate(results):
        within, models = (place, name) if several else ("", "")
        for one in cautions:
            whose = ": ".join(filter(None, [within, one.about or models]))
            message = one.message.removeprefix(f"{one.about}: ")
            by_code.setdefault(one.code, {})[whose, message, 0 if one.about else at] = None
    lines = []
    for code, facts in sorted(by_code.items()):
        whose, message, _ = next(iter(facts))
        where = f"{_named(whose)}: " if whose else ""
        others = dict.fromkeys(name for name, *_ in facts if name not in ("", whose))
        more = f" (and {len(facts) - 1} more)" if len(facts) > 1 else ""
        if 0 < len(others) <= most_named:
            more = f" (also {', '.join(map(_named, others))})"
        lines.append((code, f"{where}{message}{more}"))
    return lines


def _named(label: str) -> str:
    """A label in a sentence, where a bare number would read as a count or a value."""
    return f"label {label}" if label[:1] in "+-.0123456789" else label
