"""Compile the C library when the package is built or installed; without it NumPy does its work.

HALFWIDTH_NO_C=1 builds without it, HALFWIDTH_REQUIRE_C=1 makes its absence an error, CC names the
compiler, with options if need be, and HALFWIDTH_ZIG=1 asks for ``ziglang``, a wheel that is a C
compiler.
"""

from __future__ import annotations

import atexit
import contextlib
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
    "-g0",
    "-fPIC",
    "-shared",
    # No fused sums: all clones agree bit for bit. The next two give up what no result needs.
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
# Keeps gcc from jamming loops of fixed length, which it then does not vectorise, and from splitting
# products of two words early, for which it has too few registers. Clang does neither.
FOR_GCC = ["-fno-loop-unroll-and-jam", "-fno-split-wide-types"]
# Longest that a compiler may take, in seconds.
TIME_LIMIT = 300
# A library is tried in a process of its own: it may not load, or take the process with it.
LOADS = """
import ctypes, sys
path, expected, *functions = sys.argv[1:]
library = ctypes.CDLL(path)
for name in functions:
    getattr(library, name)
library.hw_source_hash.restype = ctypes.c_char_p
if library.hw_source_hash().decode() != expected:
    sys.exit("the library is of other sources")
"""


class CannotCompileError(Exception):
    """No compiler made a library that loads."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Build the library into the wheel or, for an editable installation, into the sources."""

    _temporary: Path | None = None

    def dependencies(self) -> list[str]:
        """What a build needs beside hatchling."""
        return ["ziglang"] if _is_set("HALFWIDTH_ZIG") and not _is_set("HALFWIDTH_NO_C") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say where the library goes; a wheel without it is for every platform."""
        if self.target_name != "wheel":
            return
        folder = Path(self.root) / KERNELS
        name = _library_module(folder).NAME
        editable = version == "editable"
        if _is_set("HALFWIDTH_NO_C"):
            _remove_old(folder / name, editable=editable)
            return
        self._temporary = Path(tempfile.mkdtemp(prefix="halfwidth-"))
        compiled = self._temporary / name
        try:
            compiler = compile_library(folder, compiled)
            if editable:
                # Beside its place first, so that no process reads half of it.
                beside = folder / f"{name}.{os.getpid()}"
                shutil.copyfile(compiled, beside)
                beside.replace(folder / name)
        except (CannotCompileError, OSError) as error:
            # An aborted build is not finalized.
            self._clear()
            if _is_set("HALFWIDTH_REQUIRE_C"):
                self.app.abort(f"HALFWIDTH_REQUIRE_C is set, but there is no C library: {error}")
            _remove_old(folder / name, editable=editable)
            self.app.display_warning(f"No C library, so NumPy will do its work: {error}")
            return
        except BaseException:
            self._clear()
            raise
        self.app.display_info(f"Compiled {name} with {compiler}")
        if editable:
            self._clear()
        else:
            build_data["force_include"][str(compiled)] = f"{KERNELS.relative_to('src')}/{name}"
            # Whatever ends the build: it is finalized only where the wheel is made.
            atexit.register(self._clear)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform_tag()}"

    def finalize(self, _version: str, _build_data: dict[str, Any], _artifact: str) -> None:
        """Leave nothing behind."""
        self._clear()

    def _clear(self) -> None:
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)


def _remove_old(library: Path, *, editable: bool) -> None:
    """Let no library of an earlier editable installation outlive one that has none."""
    if editable:
        with contextlib.suppress(OSError):
            library.unlink()


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "0") not in {"", "0"}


def _library_module(folder: Path) -> ModuleType:
    """The module of the package that knows the name and the hash of the library."""
    spec = importlib.util.spec_from_file_location("shared_library", folder / "shared_library.py")
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
    functions = library.functions(folder / "c")
    failures = []
    for compiler in _compilers():
        failure = "" if shutil.which(compiler[0]) else "there is no such command"
        for extra, clones in itertools.product((FOR_GCC, []), CLONES if not failure else ()):
            options = [*FLAGS, *extra, *_platform_flags()]
            defined = [f'-DSOURCE_HASH="{expected}"', f"-DCLONES={clones}"]
            libraries = [] if os.name == "nt" else ["-lm"]
            command = [*compiler, *options, *defined, *sources, "-o", str(into), *libraries]
            load = [sys.executable, "-c", LOADS, str(into), expected, *functions]
            failure = _failure(command) or (
                _failure(load) if into.exists() else "it wrote no library"
            )
            if not failure:
                return " ".join(compiler)
        failures.append(f"{' '.join(compiler)}: {failure}")
    raise CannotCompileError(
        "; ".join(failures) or "no C compiler was found (cc, gcc, clang or the package ziglang)"
    )


def _platform_flags() -> list[str]:
    if sys.platform == "darwin":
        return ["-arch", platform.machine(), "-mmacosx-version-min=11.0"]
    return []


def _compilers() -> Iterator[list[str]]:
    """Commands that may be C compilers; the one that CC names alone."""
    named = shlex.split(os.environ.get("CC", ""))
    if named:
        yield named
        return
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            yield [name]
    if importlib.util.find_spec("ziglang") is not None:
        yield [sys.executable, "-m", "ziglang", "cc"]


def _failure(command: list[str]) -> str:
    """What went wrong with a command, in a line; nothing if it did its work."""
    try:
        run = subprocess.run(  # noqa: S603 -- the compiler of this machine, or this Python
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIME_LIMIT,
            errors="replace",
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    if run.returncode == 0:
        return ""
    lines = run.stderr.strip().splitlines()
    # Compilers say where they are before what is wrong; Python says what is wrong last.
    errors = [line for line in lines if "error:" in line]
    return (errors or lines[-1:] or [f"it ended with status {run.returncode}"])[0][:300]
