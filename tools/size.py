"""How large the package is: what a reader has to hold, counted.

python tools/size.py [FOLDER OF A CHECKOUT]
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Container, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Run where the checkout's own package is imported.
PUBLIC = """
import importlib, inspect, halfwidth as hw
packages = ["halfwidth", "halfwidth.planning", "halfwidth.testing"]
functions = {
    f"{package}.{name}": one
    for package in packages
    for name in importlib.import_module(package).__all__
    if inspect.isfunction(one := getattr(importlib.import_module(package), name))
}
names = [name for one in functions.values() for name in inspect.signature(one).parameters]
print(len(functions), len(names), len(set(names)))
"""


def main(root: Path) -> None:
    """Print a line for each count."""
    trees = dict(_trees(root / "src"))
    tests = dict(_trees(root / "tests"))
    statements = sum(isinstance(node, ast.stmt) for t in trees.values() for node in ast.walk(t))
    classes = sum(isinstance(node, ast.ClassDef) for t in trees.values() for node in ast.walk(t))
    circles = circles_of(root)
    within = [
        inner
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]
    own = sum("halfwidth" in ast.unparse(node).split()[1] for node in within)
    imported = set().union(*(_imports(tree, trees) for tree in tests.values()))
    internal = [name for name in imported if name.count(".") > 1 and not _is_public(root, name)]
    ran = subprocess.run(
        [sys.executable, "-c", PUBLIC],
        env={"PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    functions, parameters, names = ran.stdout.split()
    for what, count in {
        "files": len(trees),
        "lines": sum(len(path.read_text("utf-8").splitlines()) for path in _files(root / "src")),
        "statements": statements,
        "classes": classes,
        "imports inside functions": len(within),
        "of them of our own modules": own,
        "circles of modules": len(circles),
        "modules in the largest circle": max(map(len, circles), default=0),
        "internal modules that tests import": len(internal),
        "public functions (package, planning, testing)": functions,
        "their parameters": parameters,
        "names of parameters": names,
    }.items():
        print(f"{count:>8}  {what}")


def circles_of(root: Path) -> list[set[str]]:
    """Modules that import each other, directly or through others, but for declared arrows."""
    modules = {_module(path, root / "src") for path in _files(root / "src")}
    # Trees are let go one by one: together they are more than is needed, and slow to hold.
    graph = {module: _imports(tree, modules) for module, tree in _trees(root / "src")}
    for importer, imported in _declared_arrows(root):
        graph[importer].discard(imported)
    return [group for group in _strongly_connected(graph) if len(group) > 1]


def _declared_arrows(root: Path) -> Iterator[list[str]]:
    """The imports upwards that the contract of layers names."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if contract.get("id") == "layers":
            yield from (arrow.split(" -> ") for arrow in contract.get("ignore_imports", ()))


def _is_public(root: Path, name: str) -> bool:
    """Whether users may import it: a package with a list of names, or one of those names."""
    package, _, last = name.rpartition(".")
    return bool(_listed(root, name)) or last in _listed(root, package)


def _listed(root: Path, package: str) -> list[str]:
    """The names of a package's ``__all__``."""
    file = root.joinpath("src", *package.split("."), "__init__.py")
    body = ast.parse(file.read_text(encoding="utf-8")).body if file.exists() else []
    lists = [
        node.value
        for node in body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    return [
        node.value
        for one in lists
        for node in ast.walk(one)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def _trees(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in _files(folder):
        yield _module(path, folder), ast.parse(path.read_text(encoding="utf-8"))


def _module(path: Path, folder: Path) -> str:
    """The name of a file's module."""
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(tree: ast.Module, modules: Container[str]) -> set[str]:
    """Modules of the package that a module imports, wherever, but for types alone."""
    found = set()
    for node in _below(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            each = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {one if one in modules else node.module for one in each}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.split(".")[0] == "halfwidth"}


def _below(tree: ast.AST) -> Iterator[ast.AST]:
    """The statements below a node, but for what is for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        if not isinstance(node, ast.expr):
            yield node
            yield from _below(node)


def _strongly_connected(graph: dict[str, set[str]]) -> list[set[str]]:
    reached = {module: _reached(module, graph) for module in graph}
    groups: list[set[str]] = []
    for module in graph:
        if not any(module in group for group in groups):
            groups.append(
                {module} | {one for one in reached[module] if module in reached.get(one, ())}
            )
    return groups


def _reached(start: str, graph: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for one in graph.get(waiting.pop(), set()) - seen:
            seen.add(one)
            waiting.append(one)
    return seen


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)
