"""Catalogues: explicit, ordered sets of specs."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar

from halfwidth.core.errors import UnknownNameError
from halfwidth.core.frozen import frozen


class Named(Protocol):
    """Anything with a name and other names."""

    @property
    def name(self) -> str:
        """The name in messages and tables."""

    @property
    def synonyms(self) -> tuple[str, ...]:
        """Other names that users may type."""


N = TypeVar("N", bound=Named)


@functools.lru_cache(maxsize=1024)
def plain_name(name: str) -> str:
    """A name as it is looked up, in whichever of its spellings."""
    return re.sub(r"[\s_\-–]+", "_", re.sub("['’]", "", name.strip().lower()))


def listed(*items: N) -> tuple[Callable[[], Iterable[N]], ...]:
    """What gives specs that are there already, as the one part of a catalogue."""
    return (lambda: items,)


@functools.cache
def _by_name(part: Callable[[], Iterable[N]]) -> dict[str, N]:
    items = tuple(part())
    known = {plain_name(name): item for item in items for name in (item.name, *item.synonyms)}
    special = {plain_name(name): one for item in items for name, one in special_cases(item).items()}
    return special | known


def special_cases(item: N) -> Mapping[str, N]:
    """An item by the names that mean it in one setting."""
    one: Any = item
    cases: Mapping[str, Mapping[str, Any]] = getattr(item, "special", {})
    return {name: replace(one, **changes) for name, changes in cases.items()}


@frozen
class Catalogue(Generic[N]):
    """An explicit, ordered set of specs with look-up by name or synonym.

    Capitals, apostrophes, and the choice of spaces, hyphens and underscores do not matter.
    """

    # What the specs are of, in messages.
    kind: str
    # Each returns some of the specs. A look-up asks one after the other until the name is found,
    # so that a call loads the modules of what it names, and not of all there is.
    parts: tuple[Callable[[], Iterable[N]], ...]
    # ``order(spec)``, by which all of them are sorted; None: as the parts have them.
    order: Callable[[N], Any] | None = None

    @functools.cached_property
    def items(self) -> tuple[N, ...]:
        """All specs, in catalogue order."""
        items = [item for part in self.parts for item in part()]
        return tuple(items if self.order is None else sorted(items, key=self.order))

    def find(self, name: str) -> N | None:
        """The spec of a name; None where no spec has it."""
        plain = plain_name(name)
        return next((known[plain] for known in map(_by_name, self.parts) if plain in known), None)

    def __iter__(self) -> Iterator[N]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.find(name) is not None

    @property
    def names(self) -> list[str]:
        """The names, in catalogue order."""
        return [item.name for item in self]

    @property
    def every_name(self) -> list[str]:
        """The names and the synonyms."""
        names = (
            plain_name(name)
            for item in self
            for name in (item.name, *item.synonyms, *special_cases(item))
        )
        return list(dict.fromkeys(names))

    def __getitem__(self, name: str) -> N:
        item = self.find(name)
        if item is None:
            raise UnknownNameError(self.kind, name, self.names, synonyms=self.every_name)
        return item
