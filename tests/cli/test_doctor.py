"""halfwidth doctor: what is installed and what runs."""

from __future__ import annotations

import json
import platform
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from support import Run

import halfwidth
from halfwidth.resampling.kernels import native


def test_it_says_what_runs(run: Run) -> None:
    ran = run("doctor")
    assert (ran.status, ran.err) == (0, "")
    said = dict(line.split(maxsplit=1) for line in ran.out.splitlines() if line[0] != " ")
    assert said["halfwidth"] == halfwidth.__version__
    assert said["numpy"] == np.__version__
    assert platform.python_version() in said["python"]
    assert said["kernels"] == native.status()
    assert "for this process" in said["processors"]
    assert "thread" in said["blas"]
    assert "no terminal" in said["stdout"]


def test_as_json_and_without_a_path(run: Run) -> None:
    ran = run("doctor", "--json")
    found = json.loads(ran.out)
    assert found["schema_version"] == 1
    assert found["libraries"]["scipy"] == metadata.version("scipy")
    assert found["processors"]["usable"] <= found["processors"]["count"]
    assert str(Path.home()) not in ran.out
    assert all("filepath" not in pool for pool in found["blas"])


def test_an_extra_that_is_missing_comes_with_its_remedy(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = metadata.version

    def version(name: str) -> str:
        if name == "pyarrow":
            raise metadata.PackageNotFoundError
        return there(name)

    monkeypatch.setattr(metadata, "version", version)
    extras = json.loads(run("doctor", "--json").out)["extras"]
    assert extras["tables"]["pyarrow"] is None
    assert {"plots", "images", "study"} <= extras.keys()
    assert extras.keys().isdisjoint({"dev", "docs", "bench", "all"})
    assert "pyarrow missing: pip install 'halfwidth[tables]'" in run("doctor").out


def test_a_source_tree_that_is_not_installed_has_no_extras(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def requires(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    assert json.loads(run("doctor", "--json").out)["extras"] == {}
