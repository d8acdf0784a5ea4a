"""Coverage and width of CI methods by simulation: spec, populations, engine, store.

>>> import halfwidth as hw
>>> sorted(hw.study.__all__)
['Results', 'analysis', 'draft', 'open', 'plan', 'populations', 'read_spec', 'run', 'simulate']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from halfwidth.core.public_functions import public_function

if TYPE_CHECKING:
    from halfwidth.study import analysis, populations
    from halfwidth.study.api import plan, run
    from halfwidth.study.results import Results
    from halfwidth.study.results import open_results as open  # noqa: A004 -- called as study.open
    from halfwidth.study.simulation.cells import simulate
    from halfwidth.study.specs.draft import draft
    from halfwidth.study.specs.parsing import read_spec

__all__ = [
    "Results",
    "analysis",
    "draft",
    "open",
    "plan",
    "populations",
    "read_spec",
    "run",
    "simulate",
]

_HOME = {
    "Results": ("results", "Results"),
    "analysis": ("analysis", ""),
    "draft": ("specs.draft", "draft"),
    "open": ("results", "open_results"),
    "plan": ("api", "plan"),
    "populations": ("populations", ""),
    "read_spec": ("specs.parsing", "read_spec"),
    "run": ("api", "run"),
    "simulate": ("simulation.cells", "simulate"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'halfwidth.study' has no attribute {name!r}")
    home, inside = _HOME[name]

    module = importlib.import_module(f"halfwidth.study.{home}")
    found = public_function(getattr(module, inside), __name__, name) if inside else module
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
