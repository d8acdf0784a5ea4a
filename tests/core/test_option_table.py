"""The table of options against the functions and commands that have them."""

from __future__ import annotations

import importlib.util
import inspect
import subprocess
import sys
import typing
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import halfwidth as hw
from halfwidth.core.option_table.option import REQUIRED, Option
from halfwidth.core.option_table.table import OPTIONS, option_of

TOOL = Path(__file__).parents[2] / "tools" / "options.py"


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("options_tool", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


DOORS = {door.name: door for door in tool().doors() if door.options}


@pytest.mark.parametrize("name", DOORS)
def test_options_of_a_door_are_declared_with_their_defaults_and_words(name: str) -> None:
    door = DOORS[name]
    function = inspect.unwrap(getattr(door.function, "__func__", door.function))
    try:
        hints = typing.get_type_hints(function)
    except NameError:  # pandas and matplotlib, which load where they are needed
        hints = {}
    for option in door.options:
        declared = option_of(option, name)
        default = inspect.signature(door.function).parameters[option].default
        assert (REQUIRED if default is inspect.Parameter.empty else default) == declared.default
        words = words_of(hints.get(option))
        assert not words or words == set(declared.choices), option


def words_of(hint: object) -> set[object]:
    """The words that an annotation allows."""
    if typing.get_origin(hint) is typing.Literal:
        return set(typing.get_args(hint))
    return {word for one in typing.get_args(hint) for word in words_of(one)}


def test_docstrings_say_what_the_table_says() -> None:
    outdated = subprocess.run([sys.executable, TOOL], capture_output=True, text=True, check=False)
    assert (outdated.stdout, outdated.stderr) == ("", ""), "python tools/options.py --write"


def test_parameters_are_written_from_the_table() -> None:
    options, door = tool(), DOORS["gate"]
    section = "\n    Parameters\n    ----------\n    data\n        Of two."
    with_old_option = f"{section}\n    dropped : int\n        No longer taken."
    assert options.parameters(f"Judge.\n{section}\n\n    Returns\n    -------\n    Gate") == section
    text = options.written(door, section, options.homes())
    of_margin = "margin : float or mapping of str to float\n        Largest loss"
    assert text.startswith(f"{section}\n    {of_margin}")
    assert options.written(door, text, options.homes()) == text
    assert options.written(door, with_old_option, options.homes()) == text


def test_an_option_of_one_door_stands_before_that_of_all() -> None:
    assert option_of("rng", "gate").default == 1
    assert option_of("rng", "compare").default is None
    assert option_of("groups", "CaseValues.from_table").metavar == "COLUMN"
    assert option_of("missing", "Predictions.from_table").choices == ("raise", "omit", "wrong")
    with pytest.raises(KeyError):
        option_of("frobnicate", "gate")


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_has_words_and_a_default_that_go_together(name: str) -> None:
    option: Option = OPTIONS[name]
    texts = (option.meaning, option.more)
    assert all(not text or (text == text.strip() and text.endswith(".")) for text in texts)
    single = not isinstance(option.default, tuple)
    if option.choices and single and option.default not in (None, REQUIRED):
        assert option.default in option.choices


WITH_METRICS = pd.DataFrame(
    {
        "case": np.tile(np.arange(12), 2),
        "model": ["a"] * 12 + ["b"] * 12,
        "dsc": np.random.default_rng(1).beta(8, 2, 24),
        "iou": np.random.default_rng(2).beta(6, 2, 24),
        "correct": np.random.default_rng(3).integers(0, 2, 24),
    }
)
VERBS: dict[str, Any] = {
    "test": hw.compare,
    "correction": hw.compare,
    "effect": hw.compare,
    "combine": hw.rank,
    "scheme": hw.rank,
}


@pytest.mark.parametrize(
    ("option", "word"), [(option, word) for option in VERBS for word in option_of(option).choices]
)
def test_what_a_word_names_is_there(option: str, word: str) -> None:
    metrics = ["dsc", "iou"] if option == "combine" else "dsc"
    data = hw.CaseValues.from_table(WITH_METRICS, metric=metrics)
    if word.startswith("mcnemar"):
        decided = {"A": [1, 1, 0, 1, 0, 1, 1, 0], "B": [1, 0, 0, 1, 1, 0, 1, 0]}
        data = hw.CaseValues.from_arrays(decided, metric="correct")
    further = {"n_resamples": 99, "rng": 1, option: word}
    assert VERBS[option](data, **further)
