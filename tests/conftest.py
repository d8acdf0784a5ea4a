"""What all tests share."""

from __future__ import annotations

import gc
import os
import signal
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from messagelist import unlisted
from support import Ran, Run, misspelled

from halfwidth.cli.main import main

# No test is timed: a machine that does other work as well is slow now and then. `make test` tries
# few examples and `make test-slow` more, the same in every run: a change is judged by what it
# changed. `pytest -m hypothesis --hypothesis-profile=search` looks for new ones.
settings.register_profile("quick", deadline=None, max_examples=10, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=30, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=200)
settings.load_profile("quick")

# What a shell starts in the background does not hear Ctrl-C, nor do its children; tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# `HALFWIDTH_PART=2/10`: the tests of one part of ten, told apart by their names alone.
PART, _, PARTS = os.environ.get("HALFWIDTH_PART", "0/1").partition("/")

# Modules and tests are there to the end: nothing of them need be looked through for garbage.
gc.disable()
gc.set_threshold(10_000, 20, 20)

AS_IMPORTED: dict[ModuleType, list[tuple[np.random.Generator, Any]]] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Make slow what is sampled, but for a part; remember how modules left their generators.

    The doctest of a function that a package only shows runs where the function is written.
    """
    alike: dict[tuple[Path, str, int], list[pytest.Item]] = {}
    for item in items:
        for mark in item.iter_markers("sampled") if not item.get_closest_marker("slow") else ():
            function = item.name.partition("[")[0]
            alike.setdefault((item.path, function, mark.args[0]), []).append(item)
    for (_, _, k), group in alike.items():
        # Drawn by their names, as what stands at every kth place may have something in common.
        group.sort(key=lambda item: zlib.crc32(item.nodeid.encode()))
        for item in group[-(-len(group) // k) :]:
            item.add_marker("slow")
    items[:] = [
        item
        for item in items
        if not isinstance(item, pytest.DoctestItem)
        or item.path.name != "__init__.py"
        or item.name.rpartition(".")[2] == item.path.parent.name
    ]
    items[:] = [
        item for item in items if zlib.crc32(item.nodeid.encode()) % int(PARTS) == int(PART)
    ]
    for module in {item.module for item in items if isinstance(item, pytest.Function)}:
        AS_IMPORTED[module] = [
            (value, value.bit_generator.state)
            for value in vars(module).values()
            if isinstance(value, np.random.Generator)
        ]


def pytest_collection_finish() -> None:
    """Look for garbage again, in what comes now."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _generators_as_imported(request: pytest.FixtureRequest) -> None:
    """A test draws the same numbers whichever tests of its module ran before it."""
    for generator, state in AS_IMPORTED.get(request.module, []):
        generator.bit_generator.state = state


SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data and published tables, which is no part of the repository."""
    if not SHARED.is_dir():
        pytest.skip("../shared is absent: real data and published tables not tested")
    return SHARED


@pytest.fixture
def run(
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Run:
    """Run the command in this process, as on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    # Of damaged files libraries say what they like, in brackets.
    is_fuzz = "fuzz" in request.path.parts

    def runs(*arguments: object) -> Ran:
        capfdbinary.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        assert isinstance(left.value.code, int)
        # Notes may stand before the error.
        assert left.value.code != 2 or not misspelled(err.decode().splitlines()[-1]), err.decode()
        assert is_fuzz or not unlisted(err.decode())
        return Ran(left.value.code, out.decode(), err.decode())

    return runs
