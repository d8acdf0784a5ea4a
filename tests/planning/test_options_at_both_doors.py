"""Every option of a plan is given on the command line and in Python."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from typer.main import get_command

import halfwidth as hw
from halfwidth import planning
from halfwidth.cli.plan import app
from halfwidth.core.option_names import flag_of
from halfwidth.core.option_table.table import OPTIONS

COMMANDS: dict[str, Any] = vars(get_command(app))["commands"]
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "mean": (planning.mean,),
    "difference": (planning.difference,),
    "quantile": (planning.quantile,),
    "proportion": (planning.proportion,),
    "auroc": (planning.auroc, planning.auroc_difference),
    "classes": (planning.classes,),
    "pilot": (hw.plan, hw.CaseValues.from_table),
    "runs": (planning.minimum_runs,),
}
# How an answer is written, and how the table of a pilot is read, which Python has as a table.
OUTPUT = {"--debug", "--quiet", "--format", "--json", "--out", "--plot", "--help"}
READING = {
    "difference": {"--value", "--model", "--case"},
    "pilot": {
        "--sheet",
        "--delimiter",
        "--decimal",
        "--input-format",
        "--header",
        "--filter",
        "--path",
        "--where",
    },
}
# In Python: what a plan is of, which goes first; the curve, which --plot draws; data as they are.
PYTHON = {
    "pilot": {"data", "curve", "table", "failures", "pairing"},
}


def flags_of(name: str) -> set[str]:
    """The flag that each parameter of the functions has in the table of options."""
    taken = set()
    for function in FUNCTIONS[name]:
        for one in inspect.signature(function).parameters:
            if one not in PYTHON.get(name, set()):
                option = OPTIONS.get(one)
                taken.add((option and option.flag) or flag_of(one))
    return taken


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_option_of_a_plan_is_known_at_both_doors(name: str) -> None:
    typed = {flag for one in COMMANDS[name].params for flag in one.opts[:1]}
    typed -= OUTPUT | READING.get(name, set())
    assert {one for one in typed if one.startswith("--")} == flags_of(name)


@pytest.mark.slow
def test_a_width_is_twice_the_half_width() -> None:
    assert planning.auroc(0.85, width=0.2).n == planning.auroc(0.85, halfwidth=0.1).n
    assert planning.mean(0.1, width=0.1, method="t") == planning.mean(
        0.1, halfwidth=0.05, method="t"
    )
    dice = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
    options: dict[str, Any] = {"metric": "dsc", "method": "t", "rng": 1, "n_samples": 100}
    assert hw.plan(dice, width=0.06, **options)[0] == hw.plan(dice, halfwidth=0.03, **options)[0]
    with pytest.raises(hw.OptionError, match="the width is twice the half-width"):
        planning.proportion(0.9, width=0.1, halfwidth=0.05)
