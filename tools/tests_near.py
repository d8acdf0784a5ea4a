"""Name the tests that concern a file: its own doctests, and the test files nearest to it.

    python tools/tests_near.py src/halfwidth/results/audit.py

Nearest are those whose name or folder has the module's, then those that import the module and least
beside it; a file of tests is its own.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# So many files take less than half a minute on two processors.
MOST = 6


def near(file: Path) -> list[str]:
    """Paths for pytest."""
    path = file.resolve().relative_to(ROOT)
    if path.parts[0] == "tests":
        return [str(path)]
    if path.parts[:2] != ("src", "halfwidth"):
        raise SystemExit(f"{file}: is no file below src/halfwidth or tests")
    module = ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
    distances: dict[Path, tuple[int, int]] = {}
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        imported = _imported(test.read_text(encoding="utf-8"))
        if test.stem == f"test_{path.stem}":
            distances[test] = 0, 0
        elif path.stem in test.stem.split("_") and test.parent.name == path.parent.name:
            distances[test] = 1, 0
        elif module in imported:
            distances[test] = 2, len(imported)
        elif test.parent.name == path.stem:
            distances[test] = 3, 0
    nearest = sorted(distances, key=distances.__getitem__)[:MOST]
    return [str(path), *(str(test.relative_to(ROOT)) for test in nearest)]


def _imported(text: str) -> set[str]:
    """Modules that a file imports, wherever."""
    modules = set()
    for package, names in re.findall(r"from (halfwidth[\w.]*) import (\(?[\w\s,.]+)", text):
        modules |= {package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))}
    return modules


if __name__ == "__main__":
    print(" ".join(near(Path(sys.argv[1]))))
