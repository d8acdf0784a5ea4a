"""Frozen dataclasses that cost nothing until they are used.

`dataclass(frozen=True)` searches the annotations of each class and compiles six functions for it,
on every import: with a hundred classes that was a third of what a first call spent on loading this
package. Here a class gets its fields and its `__init__` when it is first used, which most of those
that a call loads are not; the other functions are the same for every class and are written once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from threading import RLock
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
# What a class gets when it is first used.
_LATER = ("__dataclass_params__", "__dataclass_fields__", "__match_args__", "__init__")
_MAKING = RLock()


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
        methods: dict[str, Any] = {"__setattr__": _set, "__delattr__": _delete}
        if repr:
            methods["__repr__"] = _repr
        if eq:
            methods |= {"__eq__": _equal, "__hash__": _hash}
        methods |= {name: _Later(plain, name, kw_only=kw_only) for name in _LATER}
        for name, method in methods.items():
            if name not in vars(plain):
                setattr(plain, name, method)
        return plain

    return decorate if cls is None else decorate(cls)


class _Later:
    """Stands in a class for what it gets when it is first used."""

    def __init__(self, cls: type, name: str, *, kw_only: bool) -> None:
        self.cls, self.name, self.kw_only = cls, name, kw_only

    def __get__(self, instance: object, owner: type) -> Any:
        with _MAKING:
            if vars(self.cls)[self.name] is self:
                _complete(self.cls, kw_only=self.kw_only)
        made = vars(self.cls)[self.name]
        return made.__get__(instance, owner) if callable(made) else made


def _complete(cls: type, *, kw_only: bool) -> None:
    """Give a class its fields and what follows from them; each stands there at once."""
    # Where there is no docstring, `dataclass` writes one from the signature, which is to come.
    cls.__doc__ = cls.__doc__ or cls.__name__
    types = cls.__annotations__
    # It would also search each type for ClassVar, whose texts say at once whether they have it.
    cls.__annotations__ = {n: text if "ClassVar" in text else object for n, text in types.items()}
    dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=kw_only)(cls)
    cls.__annotations__ = types
    for one in fields(cls):
        one.type = types.get(one.name, one.type)
    positional = tuple(one.name for one in fields(cls) if one.init and not one.kw_only)
    for name, made in (("__match_args__", positional), ("__init__", _initializer(cls))):
        if isinstance(vars(cls)[name], _Later):
            setattr(cls, name, made)


def _initializer(cls: type[Any]) -> Callable[..., None]:
    """`__init__` with the arguments of a dataclass, which writes the fields past `__setattr__`."""
    arguments, body = ["self"], ["__given = self.__dict__"]
    known: dict[str, Any] = {"__name__": cls.__module__}
    for one in sorted(fields(cls), key=lambda one: bool(one.kw_only)):
        name, given = one.name, one.name
        if one.default_factory is not MISSING:
            known[f"__new_{name}"] = one.default_factory
            given = f"__new_{name}() if {name} is __{name} else {name}"
        if one.kw_only and "*" not in arguments:
            arguments.append("*")
        optional = one.default is not one.default_factory
        known[f"__{name}"] = one.default
        arguments.append(f"{name}=__{name}" if optional else name)
        body.append(f"__given[{name!r}] = {given}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    source = "\n ".join([f"def __init__({', '.join(arguments)}):", *body])
    exec(source, known)  # noqa: S102 -- of names of fields alone, as `dataclass` does
    made = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {one.name: one.type for one in fields(cls)} | {"return": None}
    return made  # type: ignore[no-any-return]


def _set(_self: Any, name: str, _value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


@cache
def _values(cls: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """What reads the class and the fields that instances are compared by."""
    return attrgetter("__class__", *(one.name for one in fields(cls) if one.compare))


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = _values(self.__class__)
    return values(self) == values(other)


def _hash(self: Any) -> int:
    return hash(_values(self.__class__)(self))


def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
