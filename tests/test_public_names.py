"""Public names: ``__all__`` of a few packages, all in the reference; nothing else has one."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import halfwidth as hw

SOURCES = Path(hw.__file__).parent
REFERENCE = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^::: (halfwidth[\w.]*)$", REFERENCE, re.MULTILINE)
PUBLIC = {
    "halfwidth",
    "halfwidth.intervals",
    "halfwidth.metrics",
    "halfwidth.planning",
    "halfwidth.plots",
    "halfwidth.plots.study",
    "halfwidth.study",
    "halfwidth.study.analysis",
    "halfwidth.study.populations",
    "halfwidth.summaries",
    "halfwidth.testing",
}


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCES.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def lists_names(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    if "__all__" not in text:  # most files: they need not be parsed
        return False
    tree = ast.parse(text)
    targets = [node.targets[0] for node in tree.body if isinstance(node, ast.Assign)]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def exported_whole(package: str) -> set[str]:
    """Modules from which a package imports all that they list: the files of families."""
    tree = ast.parse(inspect.getsource(importlib.import_module(package)))
    return {
        str(node.module)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
    }


def test_only_public_packages_and_their_families_have_all() -> None:
    families = {module for package in PUBLIC for module in exported_whole(package)}
    assert {module_of(path) for path in SOURCES.rglob("*.py") if lists_names(path)} == (
        PUBLIC | families
    )


@pytest.mark.parametrize("package", sorted(PUBLIC))
def test_public_names_exist_and_are_listed_once(package: str) -> None:
    module = importlib.import_module(package)
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(getattr(module, name) is not None for name in module.__all__)


# The catalogues have pages of their own.
CATALOGUES = {
    *("CAUTIONS", "DETECTION_METRICS", "METHODS", "METRICS", "SAMPLE_METRICS", "STATISTICS"),
}
# Methods are in the catalogue of methods, by their specs.
NOT_REFERENCED = {"halfwidth.intervals"}


@pytest.mark.parametrize("package", sorted(PUBLIC - NOT_REFERENCED))
def test_public_names_are_in_the_reference(package: str) -> None:
    if package in ENTRIES:
        # The reference shows all that the package lists.
        return
    module = importlib.import_module(package)
    documented = {entry.rpartition(".")[2] for entry in ENTRIES}
    # The builtin of that name is imported under its own.
    names = {"open_results" if name == "open" else name for name in module.__all__}
    packages = {name.rpartition(".")[2] for name in PUBLIC}
    assert names - documented - packages - CATALOGUES == set()


@pytest.mark.parametrize(
    "entry",
    ENTRIES,
)
def test_the_reference_names_what_exists(entry: str) -> None:
    home, _, name = entry.rpartition(".")
    assert hasattr(importlib.import_module(home), name)
