"""Frozen dataclasses that are quick to define.

`dataclass(frozen=True)` generates and compiles six functions for each class, on every import: with
some seventy classes that was half of what a first call spends on loading this package. All of them
but `__init__` are the same for every class and are written here once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(
    *, eq: bool = True, repr: bool = True, kw_only: bool = False
) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    cls: type[T] | None = None,
    /,
    *,
    eq: bool = True,
    repr: bool = True,  # noqa: A002
    kw_only: bool = False,
) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a class a frozen dataclass, as `dataclasses.dataclass(frozen=True)` does.

    Parameters
    ----------
    cls : type
    eq, repr, kw_only : bool
        As in `dataclasses.dataclass`.

    Examples
    --------
    >>> @frozen
    ... class Range:
    ...     low: float
    ...     high: float = 1.0
    >>> Range(0.5), Range(0.5) == Range(0.5, 1.0)
    (Range(low=0.5, high=1.0), True)
    >>> Range(0.5).low = 0.2
    Traceback (most recent call last):
    ...
    dataclasses.FrozenInstanceError: cannot assign to field 'low'
    """

    def decorate(plain: type[T]) -> type[T]:
        made: Any = dataclass(eq=False, repr=False, kw_only=kw_only)(plain)
        methods: dict[str, Any] = {"__setattr__": _set_once, "__delattr__": _delete}
        if repr:
            methods["__repr__"] = _repr
        if eq:
            compared = (one.name for one in fields(made) if one.compare)
            methods |= _comparison(attrgetter("__class__", *compared))
        for name, method in methods.items():
            if name not in vars(made):
                setattr(made, name, method)
        return made  # type: ignore[no-any-return]

    return decorate if cls is None else decorate(cls)


def _set_once(self: Any, name: str, value: Any) -> None:
    """Let `__init__` give each field its value; nothing may change it."""
    given = vars(self)
    if name in given or name not in self.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    given[name] = value


def _delete(_self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _comparison(values: Callable[[Any], tuple[Any, ...]]) -> dict[str, Any]:
    """Equality and hash by the class and the fields."""

    def equal(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return {"__eq__": equal, "__hash__": lambda self: hash(values(self))}


def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
