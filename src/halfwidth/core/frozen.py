"""Frozen dataclasses that cost nothing until they are used.

`dataclass(frozen=True)` searches the annotations of each class and compiles six functions for it,
on every import: with a hundred classes that was a third of what a first call spent on loading this
package. Here a class gets its fields when it is first used, which most of those that a call loads
are not, and the functions are the same for every class and are written once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from inspect import Parameter, Signature
from operator import attrgetter
from threading import RLock
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")
# What a class gets when it is first used.
_LATER = ("__dataclass_params__", "__dataclass_fields__", "__match_args__")
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
        methods: dict[str, Any] = {"__init__": _initialize, "__signature__": _SIGNATURE}
        methods |= {"__setattr__": _set, "__delattr__": _delete}
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
        value = vars(self.cls)[self.name]
        return value.__get__(instance, owner) if callable(value) else value


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
    if isinstance(vars(cls)["__match_args__"], _Later):
        setattr(cls, "__match_args__", _arguments(cls).positional)  # noqa: B010 -- no type has it


class _Arguments:
    """What the ``__init__`` of a class takes: its fields, those by their place first."""

    def __init__(self, cls: type[Any]) -> None:
        self.fields = sorted(fields(cls), key=lambda one: bool(one.kw_only))
        self.names = {one.name for one in self.fields}
        self.positional = tuple(one.name for one in self.fields if not one.kw_only)
        self.defaults = self._those_with("default")
        self.factories = self._those_with("default_factory")
        self.checked = hasattr(cls, "__post_init__")
        optional = [n in self.defaults or n in self.factories for n in self.positional]
        if optional != sorted(optional):
            raise TypeError(f"{cls.__name__}: a field without default follows one that has one")

    def _those_with(self, default: str) -> dict[str, Any]:
        every = {one.name: getattr(one, default) for one in self.fields}
        return {name: value for name, value in every.items() if value is not MISSING}

    def signature(self) -> Signature:
        """Signature as `dataclass` gives it."""
        return Signature([_parameter(one) for one in self.fields], return_annotation=None)


@cache
def _arguments(cls: type[Any]) -> _Arguments:
    return _Arguments(cls)


def _initialize(self: Any, /, *args: Any, **options: Any) -> None:
    """Write the fields of an instance, past `__setattr__`, which refuses."""
    wanted = _arguments(self.__class__)
    values = dict(zip(wanted.positional, args, strict=False)) | options
    each_once = len(values) == len(args) + len(options)
    if len(values) < len(wanted.names):
        fresh = {name: make() for name, make in wanted.factories.items() if name not in values}
        values = wanted.defaults | fresh | values
    if not each_once or values.keys() != wanted.names:
        _refuse(self.__class__, args, options)
    self.__dict__.update(values)
    if wanted.checked:
        self.__post_init__()


def _refuse(cls: Any, args: tuple[Any, ...], options: dict[str, Any]) -> NoReturn:
    """Say which arguments are missing or too many."""
    try:
        _arguments(cls).signature().bind(*args, **options)
    except TypeError as error:
        raise TypeError(f"{cls.__qualname__}(): {error}") from None
    raise AssertionError("arguments that bind are not refused")


class _NewEachTime:
    """Stands in a signature for a default that is made anew for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


def _parameter(one: Field[Any]) -> Parameter:
    kind = Parameter.KEYWORD_ONLY if one.kw_only else Parameter.POSITIONAL_OR_KEYWORD
    default = Parameter.empty if one.default is MISSING else one.default
    if one.default_factory is not MISSING:
        default = _NewEachTime()
    return Parameter(one.name, kind, default=default, annotation=one.type)


class _SignatureOfFields:
    """The signature of a class whose ``__init__`` is the one of all."""

    def __get__(self, instance: object, owner: Any) -> Signature:
        if instance is not None or owner.__init__ is not _initialize:
            raise AttributeError("__signature__")
        return _arguments(owner).signature()


_SIGNATURE = _SignatureOfFields()


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
