"""The tool that moves modules renames them wherever a file names them."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).resolve().parents[1] / "tools" / "move_modules.py"
INDEX = """
_HOME = {
    "Estimate": "verbs.estimate",
    "verbs": "verbs",
    "Verbose": "verbs_of_old.estimate",
}
"""
IMPORTS = '''
from halfwidth.core import (
    curves,
    errors as wrong,  # what went wrong
    rng,
)
from halfwidth.core import curves  # noqa: F401
from halfwidth import core, verbs


def f():
    """Doubled.

    >>> from halfwidth.core import curves, rng
    """
    from halfwidth.core import (curves as lines, rng)
'''
MOVED = '''
from halfwidth.core import errors as wrong, rng
from halfwidth.arithmetic import lines as curves
from halfwidth.arithmetic import lines as curves  # noqa: F401
from halfwidth import core
from halfwidth import doors as verbs


def f():
    """Doubled.

    >>> from halfwidth.core import rng
    >>> from halfwidth.arithmetic import lines as curves
    """
    from halfwidth.core import rng
    from halfwidth.arithmetic import lines
'''


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The tool over a small package in a repository of its own."""
    spec = importlib.util.spec_from_file_location("move_modules", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    package = tmp_path / "src" / "halfwidth"
    texts = {
        "__init__": INDEX,
        "used": IMPORTS,
        "core/__init__": "",
        "core/curves": "",
        "verbs/__init__": "",
        "verbs/estimate": "",
    }
    for name, text in texts.items():
        file = package / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)  # noqa: S607
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def test_modules_are_renamed_where_a_package_is_imported_from(tool: Any, tmp_path: Path) -> None:
    tool.main(["core/curves.py=arithmetic/lines.py", "verbs=doors"])
    package = tmp_path / "src" / "halfwidth"
    assert (package / "used.py").read_text() == MOVED
    assert (package / "arithmetic" / "lines.py").exists()
    compile((package / "used.py").read_text(), "used.py", "exec")


def test_what_lies_in_a_package_is_renamed_in_the_index(tool: Any, tmp_path: Path) -> None:
    tool.main(["verbs=doors"])
    index = (tmp_path / "src" / "halfwidth" / "__init__.py").read_text()
    assert '"Estimate": "doors.estimate"' in index
    assert '"Verbose": "verbs_of_old.estimate"' in index
