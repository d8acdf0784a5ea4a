"""Compile the C library when the package is built or installed; without it NumPy does its work.

HALFWIDTH_NO_C=1 builds without it, HALFWIDTH_REQUIRE_C=1 makes its absence an error, CC names the
compiler (several words are taken apart), and HALFWIDTH_ZIG=1 asks for ``ziglang``, a wheel that is
a C compiler.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

KERNELS = Path("src", "halfwidth", "resampling", "kernels")
FLAGS = [
    "-std=c11",
    "-O3",
    "-fPIC",
    "-shared",
    # No fused sums: all clones agree bit for bit. What the others give up, C asks of no result.
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
]
# Generations of a processor that functions are compiled for, of which a compiler takes some.
CLONES = [
    '__attribute__((target_clones("arch=x86-64-v4","arch=x86-64-v3","default")))',
    '__attribute__((target_clones("avx512f","avx2","default")))',
    '__attribute__((target_clones("avx2","default")))',
    "",
]
# Keeps gcc from jamming loops of fixed length, which it then does not vectorise; clang has no name
# for it.
UNJAMMED = ["-fno-loop-unroll-and-jam"]
# Longest that a compiler may take, in seconds.
PATIENCE = 300


class CannotCompileError(Exception):
    """No compiler made a library that loads."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Build the library into the wheel or, for an editable installation, into the sources."""

    def dependencies(self) -> list[str]:
        """What a build needs beside hatchling."""
        return ["ziglang"] if _asked("HALFWIDTH_ZIG") and not _asked("HALFWIDTH_NO_C") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say where the library goes; a wheel without it is for every platform."""
        if self.target_name != "wheel" or _asked("HALFWIDTH_NO_C"):
            return
        folder = Path(self.root) / KERNELS
        library = _library_module(folder)
        self._made = Path(tempfile.mkdtemp(prefix="halfwidth-"))
        made = self._made / library.NAME
        try:
            how = compile_library(folder, made)
        except CannotCompileError as error:
            if _asked("HALFWIDTH_REQUIRE_C"):
                raise
            self.app.display_warning(f"NumPy will do the work of the C library: {error}")
            return
        self.app.display_info(f"compiled {library.NAME} with {how}")
        if version == "editable":
            # Beside its place first: a process that uses the old one keeps it.
            beside = folder / f"{library.NAME}.{os.getpid()}"
            shutil.copyfile(made, beside)
            beside.replace(folder / library.NAME)
        else:
            build_data["force_include"][str(made)] = f"{KERNELS.relative_to('src')}/{library.NAME}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform_tag()}"

    def finalize(self, _version: str, _build_data: dict[str, Any], _artifact: str) -> None:
        """Leave nothing behind."""
        if hasattr(self, "_made"):
            shutil.rmtree(self._made, ignore_errors=True)


def _asked(variable: str) -> bool:
    return os.environ.get(variable, "0") not in {"", "0"}


def _library_module(folder: Path) -> ModuleType:
    """The module of the package that knows the name and the hash of the library."""
    spec = importlib.util.spec_from_file_location("library", folder / "library.py")
    if spec is None or spec.loader is None:
        raise CannotCompileError(f"{folder} is not there")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _platform_tag() -> str:
    """The platform that was compiled for, as wheels name it."""
    if sys.platform == "darwin":
        return f"macosx_11_0_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def compile_library(folder: Path, into: Path) -> str:
    """Compile the sources with the first compiler that can, and say which it was.

    Raises
    ------
    CannotCompileError
        If none can, or the machine is not one that the library is for.
    """
    if sys.maxsize < 2**32 or sys.byteorder != "little":
        raise CannotCompileError("it is for little-endian machines of 64 bits")
    library = _library_module(folder)
    sources = [str(path) for path in library.sources(folder / "c") if path.suffix == ".c"]
    expected = library.source_hash(folder / "c")
    failed = []
    for compiler in _compilers():
        for extra, clones in itertools.product((UNJAMMED, []), CLONES):
            defined = [f'-DSOURCE_HASH="{expected}"', f"-DCLONES={clones}"]
            command = [
                *compiler,
                *FLAGS,
                *extra,
                *_of_platform(),
                *defined,
                *sources,
                "-o",
                str(into),
            ]
            try:
                done = subprocess.run(  # noqa: S603 -- the compiler of this machine
                    [*command, *([] if os.name == "nt" else ["-lm"])],
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=PATIENCE,
                )
                said = done.stderr.strip()
                if done.returncode == 0:
                    said = _fault(into, expected, library.functions(folder / "c"))
            except (OSError, subprocess.SubprocessError) as error:
                said = str(error)
            if not said:
                return " ".join(compiler)
        failed.append(f"{' '.join(compiler)}: {said.splitlines()[0]}")
    raise CannotCompileError("; ".join(failed) or "no C compiler was found")


def _of_platform() -> list[str]:
    if sys.platform == "darwin":
        return ["-arch", platform.machine(), "-mmacosx-version-min=11.0"]
    return []


def _compilers() -> Iterator[list[str]]:
    """Commands that may be C compilers, the one asked for alone."""
    named = os.environ.get("CC")
    if named:
        yield shlex.split(named)
        return
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            yield [name]
    if importlib.util.find_spec("ziglang") is not None:
        yield [sys.executable, "-m", "ziglang", "cc"]


def _fault(made: Path, expected: str, functions: list[str]) -> str:
    """What is wrong with a library, tried in a process of its own; nothing if it loads."""
    trial = (
        "import ctypes, sys; made = ctypes.CDLL(sys.argv[1]); "
        "[getattr(made, name) for name in sys.argv[3:]]; f = made.hw_source_hash; "
        "f.restype = ctypes.c_char_p; assert f().decode() == sys.argv[2], 'another hash'"
    )
    done = subprocess.run(  # noqa: S603 -- this Python
        [sys.executable, "-c", trial, str(made), expected, *functions],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return "" if done.returncode == 0 else f"it does not load: {done.stderr.strip()[-200:]}"
