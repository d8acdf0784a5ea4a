"""The families of metrics: modules that are loaded when one of their metrics is asked for.

A call needs one of them, and all together are a sixth of the package.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from halfwidth.core.branches import brought
from halfwidth.core.declaring import specs_of

PACKAGE = "halfwidth.metrics"


def _brought_for(level: str) -> tuple[str, ...]:
    """The modules of the families that branches bring."""
    return tuple(place for metrics in brought("METRICS") for place in metrics.get(level, ()))


OF_CASES = (
    *("overlap", "boundary", "boundary_overlap", "volume", "error"),
    *_brought_for("cases"),
)
OF_TEST_SETS = (
    "agreement",
    "counting",
    "ranking",
    "proper_scores",
    *_brought_for("test sets"),
    "regression",
)
OF_DETECTIONS = _brought_for("detections")


def _module(name: str) -> ModuleType:
    return importlib.import_module(name if name.startswith("halfwidth.") else f"{PACKAGE}.{name}")


def specs_when_asked(*families: str) -> tuple[Callable[[], tuple[Any, ...]], ...]:
    """What gives the specs of each of some families; nothing is loaded before it does."""
    return tuple(functools.partial(_specs, family) for family in families)


def _specs(family: str) -> tuple[Any, ...]:
    return specs_of(_module(family))


def exported(name: str) -> Any:
    """A metric that a family declares, or a module of the package, by its name."""
    public = None if name.startswith("__") else _submodule(name) or _metric(name)
    if public is None:
        raise AttributeError(f"module {PACKAGE!r} has no attribute {name!r}")
    setattr(sys.modules[PACKAGE], name, public)
    return public


def _submodule(name: str) -> ModuleType | None:
    try:
        return _module(name)
    except ModuleNotFoundError as error:
        if error.name != f"{PACKAGE}.{name}":
            raise
        return None


def _metric(name: str) -> Any:
    # Cases first: sensitivity is of a test set here, and that of voxels is in a module of its own.
    for family in (*OF_TEST_SETS, *OF_CASES, *OF_DETECTIONS):
        for function in _module(family).DECLARED:
            if function.__name__ == name:
                return function
    return None
