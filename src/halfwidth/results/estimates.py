"""Collections of estimates, in the order of the table they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError, proposed, shortened
from halfwidth.core.formatting import json_text
from halfwidth.core.frozen import frozen
from halfwidth.core.notebook import html_of
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Array
from halfwidth.results.estimate import Estimate
from halfwidth.results.sequence import ResultSequence

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1


@frozen(eq=False)
class Cases:
    """The values behind an estimate, for those who ask for them.

    Attributes
    ----------
    label : str
        That of the estimate.
    metric : str
        The metric in prose.
    values : ndarray, shape (n,)
        In the metric's unit, in the order of the table.
    groups : tuple or None
        The cluster of each.
    """

    label: str
    metric: str
    values: Array
    groups: tuple[Any, ...] | None = None


@frozen(repr=False)
class Estimates(ResultSequence[Estimate]):
    """Estimates in the order of the table they come from.

    Attributes
    ----------
    items : tuple of Estimate
    notes : tuple of str
        What was done to the table: columns left out, rows not applicable.
    cases : tuple of Cases
        The values behind each label and metric, where they were asked for; no output holds them.
    """

    items: tuple[Estimate, ...]
    notes: tuple[str, ...] = ()
    cases: tuple[Cases, ...] = field(default=(), compare=False)

    def _only(self, wanted: str | tuple[str, ...]) -> Estimate:
        """The only estimate that matches all the names, or an `OptionError`.

        ``["auroc"]`` is the only one of that metric; a label, a statistic, an average or a method
        will do as well, and ``["liver", "median"]`` has both.
        """
        texts = (wanted,) if isinstance(wanted, str) else wanted
        matching = [item for item in self if all(_matches(item, text) for text in texts)]
        if len(matching) == 1:
            return matching[0]
        query = wanted if isinstance(wanted, str) else ", ".join(map(str, texts))
        there = shortened([_short_name(item) for item in matching or self], 12)
        if matching:
            raise OptionError(
                f"{len(matching)} estimates are of {query!r}: {there}; name more of it, as in "
                '["auroc", "macro"], or take one by its place'
            )
        names = [item.label or item.metric for item in self]
        raise OptionError(
            f"no estimate is of {query!r}{proposed(query, names) or ';'} there are {there}"
        )

    def __contains__(self, wanted: object) -> bool:
        """Whether it holds an estimate, or one that is of what a text names."""
        if isinstance(wanted, str):
            return any(_matches(item, wanted) for item in self)
        return wanted in self.items

    @property
    def by(self) -> tuple[str, ...]:
        """Names of the ``by`` columns."""
        return tuple(dict.fromkeys(name for item in self for name in item.by))

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions, each text once."""
        return tuple(dict.fromkeys(caution for item in self for caution in item.cautions))

    def with_cautions(self, further: Sequence[Caution]) -> Estimates:
        """The same estimates, each with further cautions, in the order of their codes."""
        if not further:
            return self
        items = (
            replace(item, cautions=tuple(sorted([*item.cautions, *further], key=_code)))
            for item in self
        )
        return replace(self, items=tuple(items))

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return {
            "schema_version": SCHEMA_VERSION,
            "estimates": [item.to_dict() for item in self],
        }

    def to_json(self) -> str:
        """The JSON contract as text."""
        return json_text(self.to_dict())

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row per estimate: the ``by`` columns apart, then those of the JSON contract."""
        rows = []
        for item in self:
            row = item.to_row()
            rows.append({free_name(name, row): item.by.get(name) for name in self.by} | row)
        return rows

    def to_frame(self) -> pd.DataFrame:
        """A row per estimate: the ``by`` columns apart, then those of the JSON contract."""
        import pandas as pd

        rows = self.to_rows()
        frame = pd.DataFrame(rows)
        for name in ("seed", "n_resamples"):
            # As objects: floating point would round a seed that has company without one.
            frame[name] = pd.Series([row[name] for row in rows], dtype=object)
        return frame

    def caution_lines(self) -> list[tuple[str, str]]:
        """Each code once, in order, with its first message, and how many more there are."""
        return caution_lines([(item.label, item.cautions) for item in self])

    def __repr__(self) -> str:
        lines = [f"Estimates ({len(self)}):", *(f"  {item.sentence()}" for item in self)]
        lines += [f"  {code} {text}" for code, text in self.caution_lines()]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return html_of(self)


def caution_lines(
    raised: Iterable[tuple[str, Sequence[Caution]]], most_named: int = 0
) -> list[tuple[str, str]]:
    """Each code once, in order, with its first message, of which it is, and how many more.

    Parameters
    ----------
    raised : iterable of (str, sequence of Caution)
        Labels of results, and their cautions.
    most_named : int
        Up to so many further results are named rather than counted.
    """
    by_code: dict[str, list[tuple[str, Caution]]] = {}
    labels = set()
    for label, cautions in raised:
        labels.add(label)
        for caution in cautions:
            by_code.setdefault(caution.code, []).append((label, caution))
    lines = []
    for code, found in sorted(by_code.items()):
        label, first = found[0]
        where = f"{_named(label)}: " if label and len(labels) > 1 else ""
        others = dict.fromkeys(name for name, _ in found if name not in ("", label))
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        if 0 < len(others) <= most_named:
            more = f" (also {', '.join(map(_named, others))})"
        lines.append((code, f"{where}{first.message}{more}"))
    return lines


def _named(label: str) -> str:
    """A label in a sentence, where a bare number would read as a count or a value."""
    return f"label {label}" if label[:1] in "+-.0123456789" else label


def _matches(item: Estimate, text: str) -> bool:
    """Whether a text names what an estimate is of: its label, its metric, its statistic, ..."""
    spec = item.metric_spec.spec
    names = {item.label, item.subject, item.metric, spec.display, *spec.synonyms}
    names |= {str(level) for level in item.by.values()}
    names |= {item.statistic or "", item.average or "", item.method, metric_title(item.metric_spec)}
    if item.without_result is not None:
        names.add(item.missing)
    return bool(text) and text.casefold() in {name.casefold() for name in names}


def _short_name(item: Estimate) -> str:
    """What an estimate is of, in short."""
    return f"{item.label}: {item.subject}" if item.label else item.subject


def _code(caution: Caution) -> str:
    return caution.code


def free_name(name: str, row: Mapping[str, Any]) -> str:
    """A grouping column's name that is none of our own."""
    return f"by_{name}" if name in row else name
