"""What sequences of results have in common: length, order, places, slices of their own kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Generic, Self, TypeVar, cast, overload

Item = TypeVar("Item")


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
        raise TypeError(f"{type(self).__name__} are taken by their places, not by {names!r}")
