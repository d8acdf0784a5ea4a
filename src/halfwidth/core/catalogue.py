"""Catalogues: explicit, ordered sets of specs."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

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


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-]+", "_", name.strip().lower())


@frozen
class Catalogue(Generic[N]):
    """An explicit, ordered set of specs with look-up by name or synonym.

    Capitals, and the choice between spaces, hyphens and underscores, do not matter.
    """

    kind: str
    items: tuple[N, ...]

    @functools.cached_property
    def _by_name(self) -> dict[str, N]:
        return {_plain(name): item for item in self for name in (item.name, *item.synonyms)}

    def __iter__(self) -> Iterator[N]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _plain(name) in self._by_name

    @property
    def names(self) -> list[str]:
        """The names, in catalogue order."""
        return [item.name for item in self]

    @property
    def every_name(self) -> list[str]:
        """The names and the synonyms."""
        return list(self._by_name)

    def __getitem__(self, name: str) -> N:
        try:
            return self._by_name[_plain(name)]
        except KeyError:
            raise UnknownNameError(self.kind, name, self.names, synonyms=self._by_name) from None
