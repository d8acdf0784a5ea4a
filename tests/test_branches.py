"""The trunk stands without its branches: taken out of a checkout, its tests and walls hold."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from halfwidth.core.branches import BRANCHES

ROOT = Path(__file__).parents[1]
# What lists the public functions and options of all branches.
LISTS = ("test_option_table.py", "test_option_names.py")
# What tests of the trunk are about, where no file of theirs speaks of the branch.
FOLDERS = ("comparison", "core", "document", "estimation", "ranking", "results", "summaries")
SPEAKS_OF = {
    "detection": re.compile(r"[Dd]etect|DETECTION|Matching\b|coco|boxes|froc|lesion|ap50"),
    "calibration": re.compile(r"[Cc]alibrat|\bECE\b|_ece|ece\b|kce|[Cc]entre|reliability|oe_ratio"),
}


def without(branch: str, folder: Path) -> Path:
    """A checkout without a branch and without its registration."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    for name in ("src", "tests", "docs", "tools", "benchmarks"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    source = folder / "src" / "halfwidth"
    shutil.rmtree(source / branch)
    registration = source / "core" / "branches.py"
    text = registration.read_text("utf-8")
    others = tuple(name for name in BRANCHES if name != branch)
    text = re.sub(r"^BRANCHES = .*", f"BRANCHES = {others}", text, flags=re.MULTILINE)
    registration.write_text(text, "utf-8")
    for package in (".", "planning", "plots"):
        index = source / package / "__init__.py"
        text = index.read_text("utf-8")
        imports = rf"^    from halfwidth\.{branch}\..* import (.*)\n"
        names = re.findall(r"\w+", " ".join(re.findall(imports, text, flags=re.MULTILINE)))
        any_name = "|".join(names or ["-"])
        listed = rf'^ *"({any_name})"[:,].*\n|"({any_name})", '
        text = re.sub(imports, "", text, flags=re.MULTILINE)
        text = re.sub(r"^if TYPE_CHECKING:\n(?! )", "", text, flags=re.MULTILINE)
        index.write_text(re.sub(listed, "", text, flags=re.MULTILINE), "utf-8")
    contracts = (ROOT / "pyproject.toml").read_text("utf-8")
    contracts = re.sub(r'\[\[tool[^\[]*id = "branches"[^\[]*(\[[^\[]*\]\n)*', "", contracts)
    kept = [line for line in contracts.splitlines() if f"halfwidth.{branch}" not in line]
    (folder / "pyproject.toml").write_text("\n".join(kept), "utf-8")
    return folder


def with_helpers(path: Path) -> Iterator[str]:
    """The text of a file of tests, and those of the helpers that it imports, but of `support`."""
    text = path.read_text("utf-8")
    yield text
    for name in re.findall(r"^(?:from|import) (\w+)", text, flags=re.MULTILINE):
        helper = ROOT / "tests" / f"{name}.py"
        if name != "support" and helper.is_file():
            yield helper.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("branch", BRANCHES)
def test_the_trunk_stands_without_the_branch(branch: str, tmp_path: Path) -> None:
    checkout = without(branch, tmp_path / "checkout")
    if (ROOT.parent / "shared").is_dir():
        (tmp_path / "shared").symlink_to(ROOT.parent / "shared")
    environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "PYTHONSAFEPATH": "1"}
    lint = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"]
    files = [
        str(path)
        for folder in FOLDERS
        for path in sorted((checkout / "tests" / folder).glob("test_*.py"))
        if path.name not in LISTS
        and not any(SPEAKS_OF[branch].search(text) for text in with_helpers(path))
    ]
    assert len(files) > 20
    tests = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "not slow", *files]
    for command in (lint, tests):
        ran = subprocess.run(
            command, cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-1000:]
