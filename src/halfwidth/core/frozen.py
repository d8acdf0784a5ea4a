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
from types import FunctionType
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


class _NewEachTime:
    """The default of a field that is made anew for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


_NEW = _NewEachTime()


def _complete(cls: type, *, kw_only: bool) -> None:
    """Give a class its fields and what follows from them; each stands there at once."""
    # Where there is no docstring, `dataclass` writes one from the signature, which is to come.
    cls.__doc__ = cls.__doc__ or cls.__name__
    types = cls.__annotations__
    # It would also search each type for ClassVar, whose texts say at once whether they have it.
    cls.__annotations__ = {n: one if "ClassVar" in str(one) else object for n, one in types.items()}
    dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=kw_only)(cls)
    cls.__annotations__ = types
    for one in fields(cls):
        one.type = types.get(one.name, one.type)
    positional = tuple(one.name for one in fields(cls) if one.init and not one.kw_only)
    for name, made in (("__match_args__", positional), ("__init__", _initializer(cls))):
        if isinstance(vars(cls)[name], _Later):
            setattr(cls, name, made)


def _initializer(cls: type[Any]) -> Callable[..., None]:
    """`__init__` with the arguments of a dataclass: the code of one function, with other names.

    To compile a function for each class took longer than all else that a class needs.
    """
    found = sorted(fields(cls), key=lambda one: bool(one.kw_only))
    names = tuple(one.name for one in found)
    named = [one.name for one in found if one.kw_only]
    given = {
        one.name: one.default if one.default_factory is MISSING else _NEW
        for one in found
        if one.default is not one.default_factory
    }
    needed = [name not in given for name in names[: len(names) - len(named)]]
    if sorted(needed, reverse=True) != needed:
        raise TypeError(f"{cls.__name__}: a field without default follows one that has a default")
    code = _fill.__code__.replace(
        co_name="__init__",
        co_qualname=f"{cls.__qualname__}.__init__",
        co_argcount=1 + len(needed),
        co_kwonlyargcount=len(named),
        co_nlocals=1 + len(names),
        co_varnames=("self", *names),
    )
    made = FunctionType(
        code, globals(), "__init__", tuple(given[name] for name in given if name not in named)
    )
    made.__kwdefaults__ = {name: given[name] for name in named if name in given}
    made.__module__ = cls.__module__
    made.__annotations__ = {one.name: one.type for one in found} | {"return": None}
    return made


def _fill(self: Any) -> None:
    _write(self, locals())


def _write(self: Any, given: dict[str, Any]) -> None:
    """Give an instance its fields past `__setattr__`, which refuses."""
    del given["self"]
    factories, checks = _beside_values(self.__class__)
    for name, make in factories:
        if given[name] is _NEW:
            given[name] = make()
    self.__dict__.update(given)
    if checks:
        self.__post_init__()


@cache
def _beside_values(cls: type[Any]) -> tuple[list[tuple[str, Callable[[], Any]]], bool]:
    """What makes the defaults of fields of a class, and whether it has checks of its own."""
    factories = [
        (one.name, one.default_factory) for one in fields(cls) if one.default_factory is not MISSING
    ]
    return factories, hasattr(cls, "__post_init__")


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
