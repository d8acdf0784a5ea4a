"""Coverage and width of CI methods by simulation: spec, populations, engine, store.

>>> import halfwidth as hw
>>> sorted(hw.study.__all__)
['Results', 'analysis', 'draft', 'open', 'plan', 'populations', 'read_spec', 'run', 'simulate']
"""

from __future__ import annotations

from halfwidth.core.public_functions import public_function
from halfwidth.study import analysis, populations
from halfwidth.study.results import Results
from halfwidth.study.results import open_results as open  # noqa: A004 -- called as study.open
from halfwidth.study.simulation.cells import simulate
from halfwidth.study.specs.draft import draft
from halfwidth.study.specs.parsing import read_spec
from halfwidth.study.studies import plan, run

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

# As users get them.
for _name in __all__:
    globals()[_name] = public_function(globals()[_name], __name__, _name)
