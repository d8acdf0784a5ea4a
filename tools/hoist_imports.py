"""Move imports of our own modules from functions to the heads of modules, where that costs nothing.

    python tools/hoist_imports.py [--at-any-cost] src/halfwidth/plots src/halfwidth/cli/ci.py

An import stays where it is if at the head it would close a circle, or load what the module does not
load now: a module that one of `PROGRAMS` runs without, another library, or the figures; and where
its name means something else at the head or in the function. Each that stays is printed with the
reason. With ``--at-any-cost`` the programs may load more.
``ruff check --fix`` and ``ruff format`` sort what was moved.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
ARRAYS = """
import numpy as np
import halfwidth as hw
truth, score = np.arange(60) % 2, np.arange(60) % 7 / 7
"""
# What is to start quickly.
PROGRAMS = {
    "import halfwidth": "import halfwidth",
    "--help": "from halfwidth.cli.main import status_of; status_of(['--help'])",
    "summary_ci": ARRAYS + "hw.summary_ci(score, metric='dsc', method='bca', rng=1)",
    "metric_ci": ARRAYS + "hw.metric_ci(truth, score, metric='auroc', method='percentile', rng=1)",
}
# What is for calls that ask for a figure, which fewer do.
SELDOM = {"halfwidth.plots"}
Import = ast.Import | ast.ImportFrom


class Module:
    """A file, the imports that run when it is imported, and its functions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        tree = ast.parse(path.read_text(encoding="utf-8"))
        at_import = list(_run_at_import(tree))
        self.head = [node for node in at_import if isinstance(node, Import)]
        self.bound = {name for node in at_import for name in _bound(node)}
        # Those that are in no other function.
        self.functions = [node for node in at_import if isinstance(node, ast.FunctionDef)]

    def hoist(self, moved: list[Import]) -> None:
        """Write the file with some imports at its head."""
        lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
        last = max((node.end_lineno or 0 for node in self.head if node not in moved), default=1)
        for node in sorted(moved, key=lambda one: -one.lineno):
            del lines[node.lineno - 1 : node.end_lineno]
            before, after = lines[node.lineno - 2].strip(), lines[node.lineno - 1].strip()
            if before.startswith("#"):
                print(f"{self.path.relative_to(ROOT)}:{node.lineno - 1}: look at: {before}")
            if not after and before.endswith((":", '"""')):
                del lines[node.lineno - 1]
        lines[last:last] = [f"{ast.unparse(node)}\n" for node in moved]
        self.path.write_text("".join(lines), encoding="utf-8")


def main(paths: list[str]) -> None:
    """Move what can be moved in some files and folders."""
    modules = {_name_of(path): Module(path) for path in sorted(SOURCE.rglob("*.py"))}
    at_any_cost = "--at-any-cost" in paths
    chosen = [Path(path).resolve() for path in paths if path != "--at-any-cost"]
    loaded = {} if at_any_cost else {name: _loaded(code) for name, code in PROGRAMS.items()}
    for name, module in modules.items():
        if not any(module.path.is_relative_to(path) for path in chosen):
            continue
        moved = []
        for function in module.functions:
            for node in ast.walk(function):
                if not isinstance(node, Import) or not _named(node)[0].startswith("halfwidth"):
                    continue
                reason = _clash(module, function, node) or _cost(name, node, modules, loaded)
                if reason is None:
                    moved.append(node)
                    module.head.append(node)
                else:
                    where = f"{module.path.relative_to(ROOT)}:{node.lineno}"
                    print(f"{where}: {ast.unparse(node)}: {reason}")
        if moved:
            module.hoist(moved)


def _name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def _loaded(code: str) -> set[str]:
    """The modules that a fresh process holds after a program."""
    ending = "\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code + ending],
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        text=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def _run_at_import(within: ast.AST) -> Iterator[ast.AST]:
    """What runs when a module is imported: functions as wholes, and nothing for types alone."""
    for node in ast.iter_child_nodes(within):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            yield from _run_at_import(node)


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a node binds by itself."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id


def _named(node: Import) -> list[str]:
    """What an import names, in full."""
    package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    return [f"{package}{alias.name}" for alias in node.names]


def _clash(module: Module, function: ast.FunctionDef, node: Import) -> str | None:
    """The name that means something else."""
    elsewhere = {
        alias.asname or alias.name: full
        for one in module.head
        for alias, full in zip(one.names, _named(one), strict=True)
    }
    in_function = {name for one in ast.walk(function) for name in _bound(one)}
    for alias, full in zip(node.names, _named(node), strict=True):
        name = alias.asname or alias.name
        if name in module.bound or elsewhere.get(name, full) != full:
            return f"{name} is another thing at the head"
        if name in in_function:
            return f"{name} is another thing in {function.name}"
    return None


def _cost(
    name: str, node: Import, modules: dict[str, Module], loaded: dict[str, set[str]]
) -> str | None:
    """What is wrong with an import at the head of a module."""
    packages = set(_with_packages(name.rpartition(".")[0]))
    if packages & {_module(full, modules) for full in _named(node)} - {"halfwidth"}:
        return "is a package of its own"
    # They are there when the module is imported.
    new = _reached([_module(full, modules) for full in _named(node)], modules, packages)
    if name in new:
        return "closes a circle"
    for program, held in loaded.items():
        if name in held and (more := (new & modules.keys()) - held):
            return f"{program} would load {len(more)} more, {min(more)} first"
    further = new - _reached([name], modules, packages)
    libraries = {one.partition(".")[0] for one in further if one not in modules}
    libraries -= {*sys.stdlib_module_names, "numpy"}
    libraries |= further & SELDOM
    return f"loads {', '.join(sorted(libraries))}" if libraries else None


def _module(full: str, modules: dict[str, Module]) -> str:
    """The module that has what an import names."""
    package = full.rpartition(".")[0]
    return full if full in modules or package not in modules else package


def _with_packages(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts) + 1)]


def _reached(
    start: list[str], modules: dict[str, Module], without: Collection[str] = ()
) -> set[str]:
    """All that the import of some modules imports, their packages too, but for some."""
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        for one in {*_with_packages(waiting.pop())} - reached - set(without):
            reached.add(one)
            if one in modules:
                names = [full for node in modules[one].head for full in _named(node)]
                waiting += [_module(full, modules) for full in names]
    return reached


if __name__ == "__main__":
    main(sys.argv[1:])
