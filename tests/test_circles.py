"""What modules import: each other in no circle."""

from __future__ import annotations

import importlib.util
from pathlib import Path

SIZE = Path(__file__).resolve().parents[1] / "tools" / "size.py"
_spec = importlib.util.spec_from_file_location("size", SIZE)
assert _spec is not None
assert _spec.loader is not None
size = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(size)


def test_no_modules_import_each_other() -> None:
    assert size.circles_of(SIZE.parents[1]) == []


def test_a_circle_is_found_unless_its_arrow_is_declared(tmp_path: Path) -> None:
    package = tmp_path / "src" / "halfwidth"
    package.mkdir(parents=True)
    texts = {
        "a": "from halfwidth import b",
        "b": "def f():\n    from halfwidth.a import x",
        "c": "",
    }
    for name, text in {"__init__": "", **texts}.items():
        (package / f"{name}.py").write_text(text)
    contract = '[[tool.importlinter.contracts]]\nid = "layers"\n'
    (tmp_path / "pyproject.toml").write_text(contract)
    assert size.circles_of(tmp_path) == [{"halfwidth.a", "halfwidth.b"}]
    arrow = 'ignore_imports = ["halfwidth.b -> halfwidth.a"]\n'
    (tmp_path / "pyproject.toml").write_text(contract + arrow)
    assert size.circles_of(tmp_path) == []
