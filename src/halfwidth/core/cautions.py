"""Cautions: coded warnings that travel with a result, each with a remedy and a docs anchor.

HW1xx is about the data, HW2xx about the sample, HW3xx about the method, HW4xx about the design,
HW5xx about the choice of the metric, HW6xx about the instances of a study, HW7xx about training
runs, HW80x to HW86x about comparisons of models, HW87x and HW88x about detections, HW9xx about
what tables hold.
A code, once published, never changes its meaning.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from halfwidth.core.branches import brought
from halfwidth.core.caution_spec import Caution, CautionSpec
from halfwidth.core.errors import UnknownNameError

# A call that raises none loads none of them.
FAMILIES = (
    "halfwidth.core.sample_cautions",
    "halfwidth.core.method_cautions",
    "halfwidth.core.choice_cautions",
    "halfwidth.core.run_cautions",
    "halfwidth.core.comparison_cautions",
    "halfwidth.core.audit_cautions",
    *brought("CAUTIONS"),
)
CAUTIONS: tuple[CautionSpec, ...]


@functools.cache
def _by_code(family: str) -> dict[str, CautionSpec]:
    declared = importlib.import_module(family).DECLARED
    return {spec.code: spec for spec in declared}


def __getattr__(name: str) -> Any:
    """All cautions, when they are asked for."""
    if name != "CAUTIONS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    specs = (spec for family in FAMILIES for spec in _by_code(family).values())
    every = tuple(sorted(specs, key=lambda spec: spec.code))
    globals()[name] = every
    return every


def explain(code: str) -> CautionSpec:
    """The caution with this code.

    Raises
    ------
    UnknownNameError
        If there is none.

    Examples
    --------
    >>> explain("HW302").title
    'basic bootstrap'
    """
    wanted = code.strip().upper() if isinstance(code, str) else ""
    for known in map(_by_code, FAMILIES):
        if wanted in known:
            return known[wanted]
    raise UnknownNameError("caution", code, [spec.code for spec in __getattr__("CAUTIONS")])


def caution(code: str, **numbers: object) -> Caution:
    """Raise the caution with this code, its message filled in."""
    spec = explain(code)
    return Caution(spec, spec.message.format(**numbers))
