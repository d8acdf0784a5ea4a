"""What modules import: each other in no circle, and of other libraries what these offer."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import halfwidth

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


IMPORT = re.compile(r"^[ \t]*(?:from [\w.]+ )?import (?:\([^)]*\)|.*)", re.MULTILINE)
PRIVATE = re.compile(r"\b_(?!_)\w")


def private_imports(text: str) -> Iterator[str]:
    """Imports of other libraries by a name that begins with an underscore somewhere."""
    if not any(PRIVATE.search(line) for line in IMPORT.findall(text)):  # need not be parsed
        return
    for node in ast.walk(ast.parse(text)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            library, *within = name.split(".")
            if library != "halfwidth" and any(part.startswith("_") for part in within):
                yield name


def test_no_private_module_of_another_library_is_imported() -> None:
    source = Path(halfwidth.__file__).parent
    wrong = [
        f"{path.relative_to(source)}: {name}"
        for path in sorted(source.rglob("*.py"))
        for name in private_imports(path.read_text(encoding="utf-8"))
    ]
    assert wrong == []


def test_a_private_import_is_found_wherever_it_stands() -> None:
    text = (
        "from __future__ import annotations\nimport scipy._lib.x\nfrom typer._click import Context"
        "\ndef f():\n    from numpy import _core\n    from halfwidth.cli import main\n"
    )
    found = ["scipy._lib.x", "typer._click.Context", "numpy._core"]
    assert sorted(private_imports(text)) == sorted(found)
