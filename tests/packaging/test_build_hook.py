"""The hook that compiles the library when the package is built, with compilers that fail."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hatchling", reason="hatchling builds the package")

ROOT = Path(__file__).resolve().parents[2]
# What the package reads at run time or compiles, beside its modules.
DATA = {
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "src" / "halfwidth").rglob("*")
    if path.is_file() and path.suffix not in (".py", ".pyc", ".so", ".dylib", ".dll")
}
SETTINGS = ("HALFWIDTH_NO_C", "HALFWIDTH_REQUIRE_C", "HALFWIDTH_ZIG", "CC")


class App:
    """What hatchling gives a hook to speak through."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def display_info(self, text: str) -> None: ...

    def display_warning(self, text: str) -> None:
        self.warnings.append(text)

    def abort(self, text: str) -> None:
        sys.exit(text)


@pytest.fixture
def hook_module(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of what the hook reads, with a library of an earlier installation."""
    kernels = tmp_path / "src/halfwidth/resampling/kernels"
    shutil.copytree(
        ROOT / "src/halfwidth/resampling/kernels",
        kernels,
        ignore=shutil.ignore_patterns("_core.*", "__pycache__"),
    )
    (kernels / "_core.so").write_bytes(b"an old one")
    return tmp_path


@pytest.fixture
def build(hook_module: Any, package: Path) -> Callable[..., tuple[dict[str, Any], list[str]]]:
    def run(version: str = "standard") -> tuple[dict[str, Any], list[str]]:
        app, data = App(), {"force_include": {}, "pure_python": True}
        hook = hook_module.CustomBuildHook(str(package), {}, None, None, "", "wheel", app)
        hook.initialize(version, data)
        hook.finalize(version, data, "")
        return data, app.warnings

    return run


@pytest.mark.parametrize(
    ("compiler", "said"),
    [
        ("false", "false: it ended with status 1"),
        ("no-such-compiler", "no-such-compiler: there is no such command"),
        ("sh -c true", "it wrote no library"),
        ("sh -c 'echo it.c:1: error: no headers >&2; echo more >&2; exit 1'", "error: no headers"),
    ],
)
def test_a_broken_compiler_gives_a_pure_wheel_or_an_error(
    compiler: str, said: str, build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", compiler)
    data, warnings = build()
    assert data == {"force_include": {}, "pure_python": True}
    (warning,) = warnings
    assert warning.startswith("No C library, so NumPy will do its work: ")
    assert said in warning
    monkeypatch.setenv("HALFWIDTH_REQUIRE_C", "1")
    with pytest.raises(SystemExit, match="HALFWIDTH_REQUIRE_C is set, but there is no C library"):
        build()


@pytest.mark.parametrize(("name", "value"), [("HALFWIDTH_NO_C", "1"), ("CC", "false")])
def test_no_library_outlives_an_editable_installation_without_one(
    name: str, value: str, build: Any, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    build("editable")
    assert not list(package.rglob("_core.*"))


def test_zig_is_asked_for_only_where_it_is_wanted(
    hook_module: Any, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = hook_module.CustomBuildHook(str(package), {}, None, None, "", "wheel", App())
    assert hook.dependencies() == []
    monkeypatch.setenv("HALFWIDTH_ZIG", "1")
    assert hook.dependencies() == ["ziglang"]
    monkeypatch.setenv("HALFWIDTH_NO_C", "1")
    assert hook.dependencies() == []


@pytest.mark.usefixtures("hook_module")
@pytest.mark.parametrize("without", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_wheel_has_the_library_its_sources_and_no_tests(without: bool, tmp_path: Path) -> None:
    if not without and not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("there is no C compiler")
    switch = "HALFWIDTH_NO_C" if without else "HALFWIDTH_REQUIRE_C"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {switch: "1"},
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    library = [name for name in names if "_core" in name]
    assert wheel.name.endswith("-py3-none-any.whl") == without
    assert len(library) == (0 if without else 1)
    assert "halfwidth/resampling/kernels/c/draws.c" in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"halfwidth"}
    assert {path.removeprefix("src/") for path in DATA} <= set(names)


def test_a_source_archive_has_what_a_build_needs_and_nothing_that_lies_about() -> None:
    from hatchling.builders.sdist import SdistBuilder

    assert {Path(path).suffix for path in DATA} >= {".css", ".js", ".csv", ".json", ".c", ".h"}
    held = {one.distribution_path for one in SdistBuilder(str(ROOT)).recurse_included_files()}
    # The project file always is in it.
    needed = {"hatch_build.py", "LICENSE", "README.md", "Makefile", *DATA}
    assert needed <= held
    left = re.compile(r"(^|/)(\.[^/]*cache|__pycache__|\.venv|\.hypothesis|site|dist)/|_core\.")
    assert [path for path in held if left.search(path)] == []


@pytest.mark.parametrize("version", ["standard", "editable"])
@pytest.mark.parametrize("required", ["0", "1"])
def test_an_installation_leaves_no_folder_behind(
    version: str,
    required: str,
    hook_module: Any,
    package: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = tmp_path / "temporary"
    kept.mkdir()
    monkeypatch.setattr(hook_module.tempfile, "tempdir", str(kept))
    monkeypatch.setenv("CC", "false")
    monkeypatch.setenv("HALFWIDTH_REQUIRE_C", required)
    data: dict[str, Any] = {"force_include": {}, "pure_python": True}
    hook = hook_module.CustomBuildHook(str(package), {}, None, None, "", "wheel", App())
    # A build that is aborted, or fails elsewhere, is not finalized.
    with contextlib.suppress(SystemExit):
        hook.initialize(version, data)
    assert list(kept.iterdir()) == []
