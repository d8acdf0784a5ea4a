"""Branches: products that share the trunk, each in one folder that brings what it needs.

A branch is a package beside the trunk, which never imports it: the trunk asks `brought` for what
the module ``front`` of each branch brings under one of the names of `Front`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Protocol, cast

# The registration. Public names stand in the package's index as well.
BRANCHES = ("detection", "calibration")


class Front(Protocol):
    """The names by which the trunk knows a branch; all texts are modules, loaded when needed."""

    # The kind of data, with the module of what verbs ask of it (`measuring.kinds.Kind`).
    KIND: tuple[Any, str]
    # The families of metrics of ``cases``, ``test sets`` or ``detections`` (`metrics.families`).
    METRICS: Mapping[str, tuple[str, ...]]
    # The families of interval methods (`intervals.all_methods`).
    METHODS: tuple[str, ...]
    # ``calibration_cautions`` of metrics of predicted probabilities (`test_sets.jobs`).
    PROBABILITIES: str
    # Curves of predictions: their kinds, each with its module (`measuring.curves`).
    CURVES: Mapping[str, str]
    # Functions of `halfwidth.planning`, each with its module and that of its command.
    PLANS: Mapping[str, tuple[str, str]]
    # What `halfwidth ci` has of test sets beside estimates: ``OPTIONS``, ``NAMES`` of these, and
    # ``document_of``.
    TEST_SETS: str
    # What `core.cautions` has of the branch.
    CAUTIONS: str
    # ``ENGINES`` by the forms that statistics have here, as in `resampling.forms.engines`.
    ENGINES: str
    # ``PICTURES`` by the results that are drawn, as in `plots.of_results`, and the functions
    # of `halfwidth.plots` that draw them (``PUBLIC``).
    FIGURES: str
    # What files hold that are no tables of cases: ``in_table``, ``in_document``.
    FILES: str
    # Verbs of the command line: where each is defined, and what the overview says of it.
    VERBS: Mapping[str, tuple[str, str]]
    # What the other verbs have of the branch (`cli.branch_commands.BranchCommands`).
    COMMANDS: str


def brought(name: str) -> list[Any]:
    """What each branch brings under a name of `Front`, where it brings that."""
    return [getattr(front, name) for front in _fronts() if hasattr(front, name)]


def modules_brought(name: str) -> list[ModuleType]:
    """The modules that each branch brings under a name."""
    return [importlib.import_module(place) for place in brought(name)]


@functools.cache
def _fronts() -> tuple[Front, ...]:
    return tuple(
        cast("Front", importlib.import_module(f"halfwidth.{name}.front")) for name in BRANCHES
    )
