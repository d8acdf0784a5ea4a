"""``halfwidth doctor``: what is installed and what runs, for a report of a fault."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from importlib import metadata
from typing import Annotated, Any

import halfwidth
from halfwidth.cli.answer import Answer
from halfwidth.cli.option_groups import switch
from halfwidth.core.option_table.option import Group
from halfwidth.document.parts import Data, Document, Items
from halfwidth.resampling.kernels import native

SCHEMA_VERSION = 1
NAME = "halfwidth"
LIBRARIES = ("numpy", "scipy", "pandas", "joblib", "typer", "rich")
# A requirement as metadata state it: a name, a range and a marker.
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+).*extra == .(?P<extra>\w+)")


def doctor(
    json: Annotated[bool, switch("--json", "As JSON.", Group.OUTPUT)] = False,
) -> Answer:
    """Say what is installed and what runs: paste it into a report of a fault.

    Versions, the kernels that run, extras that are missing and how to get them, processors and
    threads. Nothing is sent anywhere, and no path of yours is shown.

    \b
    halfwidth doctor
    halfwidth doctor --json
    """
    installation = _installation()
    items = Items.from_texts(_lines(installation))
    data = Data(lambda: {"schema_version": SCHEMA_VERSION, **installation}, list)
    return Answer(Document((items,), data), "json" if json else "table")


def _installation() -> dict[str, Any]:
    """The whole report as plain values."""
    return {
        "halfwidth": halfwidth.__version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "machine": platform.machine(),
        "libraries": {name: _version(name) for name in LIBRARIES},
        "kernels": kernels_in_use(),
        "extras": _extras(),
        "processors": _processors(),
        "blas": _blas(),
        "terminal": {
            "stdout": sys.stdout.isatty(),
            "columns": shutil.get_terminal_size().columns,
            "encoding": sys.stdout.encoding,
        },
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def kernels_in_use() -> str:
    """Which code draws and adds up resamples."""
    return native.status()


def _extras() -> dict[str, dict[str, str | None]]:
    """The version of each library of an extra, or None; those for users are parts of ``all``."""
    libraries: dict[str, dict[str, str | None]] = {}
    for line in _requirements():
        requirement = REQUIREMENT.match(line)
        if requirement is not None:
            libraries.setdefault(requirement["extra"], {})[requirement["name"]] = _version(
                requirement["name"]
            )
    every = libraries.pop("all", {})
    return {
        extra: versions for extra, versions in libraries.items() if versions.keys() <= every.keys()
    }


def _requirements() -> list[str]:
    try:
        return metadata.requires(NAME) or []
    except metadata.PackageNotFoundError:
        return []


def _processors() -> dict[str, int]:
    """How many there are, how many this process may use, and what ``--jobs -1`` takes."""
    import joblib

    count = os.cpu_count() or 1
    # Only Linux says which ones a process may use.
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else count
    return {"count": count, "usable": usable, "jobs": int(joblib.cpu_count())}


def _blas() -> list[dict[str, Any]]:
    """The libraries of linear algebra and threads that NumPy and SciPy load."""
    import scipy.linalg  # noqa: F401 -- loads them
    from threadpoolctl import threadpool_info

    keys = ("user_api", "internal_api", "version", "num_threads")
    pools = [{name: pool.get(name) for name in keys} for pool in threadpool_info()]
    return sorted(pools, key=lambda pool: str(tuple(pool.values())))


# --------------------------------------------------------------------------- words


def _lines(installation: dict[str, Any]) -> list[tuple[str, str]]:
    shown = [(name, installation[name]) for name in ("halfwidth", "python", "platform")]
    shown += [(name, version or "missing") for name, version in installation["libraries"].items()]
    shown += [("kernels", installation["kernels"])]
    for extra, libraries in installation["extras"].items():
        shown.append((f"[{extra}]", _extra_text(extra, libraries)))
    cpus, terminal = installation["processors"], installation["terminal"]
    shown.append(
        (
            "processors",
            f"{cpus['count']}, {cpus['usable']} for this process; --jobs -1 takes {cpus['jobs']}",
        )
    )
    for pool in installation["blas"]:
        version = f" {pool['version']}" if pool["version"] else ""
        plural = "" if pool["num_threads"] == 1 else "s"
        text = f"{pool['internal_api']}{version}, {pool['num_threads']} thread{plural}"
        shown.append((pool["user_api"], text))
    where = f"a terminal of {terminal['columns']} columns" if terminal["stdout"] else "no terminal"
    return [*shown, ("stdout", f"{where}, {terminal['encoding']}")]


def _extra_text(extra: str, libraries: dict[str, str | None]) -> str:
    missing = [name for name, version in libraries.items() if version is None]
    if missing:
        return f"{', '.join(missing)} missing: pip install 'halfwidth[{extra}]'"
    return ", ".join(f"{name} {version}" for name, version in libraries.items())
