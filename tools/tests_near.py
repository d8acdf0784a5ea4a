"""Name the tests that concern a file: its own doctests, and the test files nearest to it.

    python tools/tests_near.py src/halfwidth/results/audit.py

Nearest are those whose name or folder has the module's, then those that name most of the metrics or
methods that it declares, or that import it and least beside it, then those in the folder of its
name, the shortest first; a file of tests is its own. Beside them stand the tests of lists, where a
new public name, option or text of a help is missed.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# So many files take less than half a minute on two processors.
MOST = 6
LISTS = (
    *("tests/test_public_names.py", "tests/test_catalogues.py"),
    *("tests/golden", "tests/same_as/test_same_as.py"),
)
LISTS_OF = {"plots": "tests/plots/test_figures_as_values.py"}


def near(file: Path) -> list[str]:
    """Paths for pytest."""
    path = file.resolve().relative_to(ROOT)
    if path.parts[0] == "tests":
        return [str(path)]
    if path.parts[:2] != ("src", "halfwidth"):
        raise SystemExit(f"{file}: is no file below src/halfwidth or tests")
    module = ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
    declared = _declared(file.read_text(encoding="utf-8"))
    distances: dict[Path, tuple[int, int]] = {}
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        text = test.read_text(encoding="utf-8")
        imported = _imported(text)
        named = len(declared & {*re.findall(r"\w+", text)})
        if test.stem == f"test_{path.stem}":
            distances[test] = 0, 0
        elif path.stem in test.stem.split("_") and test.parent.name == path.parent.name:
            distances[test] = 1, 0
        elif named > 1:
            distances[test] = 2, -named
        elif module in imported:
            distances[test] = 2, len(imported)
        elif test.parent.name == path.stem:
            distances[test] = 3, 0
        elif test.parent.relative_to(ROOT / "tests") == path.parent.relative_to("src/halfwidth"):
            distances[test] = 4, test.stat().st_size
    nearest = sorted(distances, key=distances.__getitem__)[:MOST]
    lists = [*LISTS, *(LISTS_OF[part] for part in path.parts if part in LISTS_OF)]
    # Its doctests last, as in all tests: what is collected first is imported a second time.
    return [*dict.fromkeys([*(str(test.relative_to(ROOT)) for test in nearest), *lists]), str(path)]


def _declared(text: str) -> set[str]:
    """What a file of a family declares: tests call a metric or a method by its name."""
    return {
        name.id
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "DECLARED"
        for name in ast.walk(node.value)
        if isinstance(name, ast.Name)
    }


def _imported(text: str) -> set[str]:
    """Modules of the package that a file imports, wherever, and what it imports from them."""
    modules = {
        name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module
        for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
    }
    return {name for name in modules if name.split(".")[0] == "halfwidth"}


if __name__ == "__main__":
    print(" ".join(near(Path(sys.argv[1]))))
