"""Public names: ``__all__`` of a few packages, each in the reference once; nothing else has one."""

import ast
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from pages import api
from pages.docstrings import docstring

import halfwidth as hw
from halfwidth.core.branches import brought

SOURCES = Path(hw.__file__).parent
PUBLIC = {
    "halfwidth",
    "halfwidth.intervals",
    "halfwidth.metrics",
    "halfwidth.planning",
    "halfwidth.plots",
    "halfwidth.study",
    "halfwidth.study.analysis",
    "halfwidth.study.plots",
    "halfwidth.study.populations",
    "halfwidth.summaries",
    "halfwidth.testing",
}


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCES.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def lists_names(path: Path) -> bool:
    """Whether a file has ``__all__``, or makes it of catalogues when it is asked for."""
    text = path.read_text(encoding="utf-8")
    if "__all__" not in text:  # most files: they need not be parsed
        return False
    tree = ast.parse(text)
    targets = [node.targets[0] for node in tree.body if isinstance(node, ast.Assign)]
    made = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    written = any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)
    return written or "__getattr__" in made


def exported_whole(package: str) -> set[str]:
    """Modules from which a package imports all that they list: the files of families."""
    tree = ast.parse(inspect.getsource(importlib.import_module(package)))
    return {
        str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
    }


def test_only_public_packages_and_their_families_have_all() -> None:
    families = {module for package in PUBLIC for module in exported_whole(package)}
    families |= {place for places in brought("METHODS") for place in places}
    assert {module_of(path) for path in SOURCES.rglob("*.py") if lists_names(path)} == (
        PUBLIC | families
    )


@pytest.mark.parametrize("package", sorted(PUBLIC))
def test_public_names_exist_and_are_listed_once(package: str) -> None:
    module = importlib.import_module(package)
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(getattr(module, name) is not None for name in module.__all__)


# Methods are in the pages of methods, by their specs.
NOT_REFERENCED = {"halfwidth.intervals"}


def test_public_names_are_in_the_reference_once() -> None:
    listed = [name for job in api.JOBS.values() for name in api.names_of(job)]
    assert len(set(listed)) == len(listed)
    public = {
        f"{package}.{name}".removeprefix("halfwidth.")
        for package in PUBLIC - NOT_REFERENCED
        for name in importlib.import_module(package).__all__
    }
    packages = {package.removeprefix("halfwidth.") for package in PUBLIC}
    assert set(listed) == public - packages - set(api.CATALOGUES)
    assert all(api.public(name) is not None for name in listed)


# What the vocabulary of CONTRIBUTING.md has other words for.
PRIVATE_WORDS = re.compile(
    r"^ *(?:def _?of(?:_\w+)?\(|class _?(?:Asked|Wanted|Facts|Made|Look)\w*\b)", re.MULTILINE
)
CONSTRUCTORS = {"metrics/masks.py", "core/types.py"}  # MaskPair.of and Interval.of are public


def test_names_are_words_of_the_vocabulary() -> None:
    """No ``def _of_…`` and no ``class _Made…``: a name says what a thing is, not whose."""
    found = {
        path.relative_to(SOURCES).as_posix(): PRIVATE_WORDS.findall(path.read_text("utf-8"))
        for path in SOURCES.rglob("*.py")
    }
    assert {place: names for place, names in found.items() if names}.keys() == CONSTRUCTORS


def documented(function: Any) -> list[str]:
    """The names that stand under Parameters, in their order."""
    section = docstring(function).sections.get("Parameters", "")
    entries = re.findall(r"^([*\w][*\w, ]*?)(?: :|$)", section, re.MULTILINE)
    return [name.strip(" *") for entry in entries for name in entry.split(",") if name.strip()]


@pytest.mark.parametrize("package", sorted(PUBLIC))
def test_docstrings_have_the_parameters_of_their_functions(package: str) -> None:
    module = importlib.import_module(package)
    values = {name: getattr(module, name) for name in module.__all__}
    functions = {name: one for name, one in values.items() if inspect.isfunction(one)}
    for name, one in values.items():
        if inspect.isclass(one):
            functions |= {
                f"{name}.{key}": getattr(one, key)
                for key, member in vars(one).items()
                if isinstance(member, classmethod | staticmethod) and not key.startswith("_")
            }
    wrong = {
        name: set(listed) ^ {*inspect.signature(one).parameters}
        for name, one in functions.items()
        if (listed := documented(one))
    }
    # A parameter with an underscore is not for users.
    assert {n: p for n, p in wrong.items() if any(not q.startswith("_") for q in p)} == {}
