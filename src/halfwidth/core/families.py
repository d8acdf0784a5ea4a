"""Families: modules whose ``DECLARED`` functions carry specs, loaded when one is asked for."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterable
from typing import Any

from halfwidth.core.declaring import spec_of


def _declared(module: str) -> tuple[Callable[..., Any], ...]:
    found: tuple[Callable[..., Any], ...] = importlib.import_module(module).DECLARED
    return found


def specs_of(module: str) -> tuple[Any, ...]:
    """The specs of what a family declares."""
    return tuple(spec_of(function) for function in _declared(module))


def families(package: str, *names: str) -> tuple[Callable[[], tuple[Any, ...]], ...]:
    """What gives the specs of each of a package's families; nothing is loaded before it does."""
    return tuple(functools.partial(specs_of, f"{package}.{name}") for name in names)


def exported(package: str, name: str, families: Iterable[str]) -> Any:
    """A function that a family of a package declares, or a module of it, by its name.

    For the ``__getattr__`` of packages, so that their import loads no family.

    Raises
    ------
    AttributeError
        If there is neither.
    """
    if not name.startswith("__"):
        found = _module(f"{package}.{name}") or _function(package, name, families)
        if found is not None:
            setattr(sys.modules[package], name, found)
            return found
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None


def _function(package: str, name: str, families: Iterable[str]) -> Any:
    for family in families:
        for function in _declared(f"{package}.{family}"):
            if function.__name__ == name:
                return function
    return None
