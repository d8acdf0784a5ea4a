"""Stores on the command line: how far they are, what is damaged in them, methods of all kinds."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from analysed import cell
from support import Run

import halfwidth as hw
from halfwidth.cli import study_answers

SPEC = """
[study]
sizes = [10, 20]
samples = 10
resamples = 10
batches = 2
statistics = ["mean"]
methods = ["t"]

[[populations]]
family = "beta"
a = 8
b = 2
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "spec.toml").write_text(SPEC)
    hw.study.run(folder / "spec.toml", folder / "store")
    return folder


@pytest.fixture
def spec(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "spec.toml"


@pytest.fixture
def store(spec: Path) -> Path:
    return spec.with_name("store")


def test_a_store_says_how_far_it_is(spec: Path, store: Path, run: Run) -> None:
    alone = run("study", "status", store)
    assert (alone.status, alone.err) == (0, "")
    assert alone.out.startswith("2 of 2 chunks done in ")
    assert run("study", "status", spec, "--store", store).out == alone.out
    other = shutil.copytree(store, store.with_name("other"))
    two = run("study", "status", store, other)
    assert f"{store}:\n2 of 2 chunks done" in two.out
    assert f"{other}:\n2 of 2 chunks done" in two.out
    first, _ = sorted((store / "parts").iterdir())
    first.unlink()
    assert "1 of 2 chunks done" in run("study", "status", store).out
    assert f"{store}: 1 of 2 chunks are done" in run("study", "summary", store).err
    (store / "chunks.json").unlink()
    told = run("study", "status", store).out
    assert "1 chunk done" in told
    assert f"halfwidth study status SPEC --store {store}" in told


def test_what_is_no_store_is_told_so(spec: Path, store: Path, run: Run) -> None:
    ran = run("study", "status", spec)
    assert (ran.status, ran.out) == (2, "")
    assert "halfwidth study status STORE" in ran.err
    ran = run("study", "status", store, "--store", store)
    assert ran.status == 2
    assert f"halfwidth study status {store}" in ran.err
    ran = run("study", "status", spec.with_name("nowhere"))
    assert ran.status == 2
    assert "no store of a study" in ran.err


READERS = (["summary"], ["summary", "--what", "pace"], ["plot", "--list"])


@pytest.mark.slow
def test_a_damaged_store_is_read_by_nobody_and_mended_by_a_run(
    spec: Path, store: Path, run: Run
) -> None:
    def read() -> list[tuple[int, str, str]]:
        found = [run("study", verb, store, *options) for verb, *options in READERS]
        return [(ran.status, ran.out, ran.err) for ran in found]

    whole = read()
    assert [(status, err) for status, _, err in whole] == [(0, "")] * 3
    part = min((store / "parts").iterdir())
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 16
    part.write_bytes(content)
    for status, out, err in read():
        assert (status, out) == (2, "")
        assert f"{part.name} is damaged" in err
        assert "'halfwidth study run' with the spec of this study does them again" in err
    told = run("study", "status", store)
    assert "1 part cannot be used; a run does them again:" in told.out
    manifest = store / "run.json"
    manifest.write_bytes(manifest.read_bytes().replace(b"numpy", b"nampy"))
    ran = run("study", "status", store)
    for status, out, err in [*read(), (ran.status, ran.out, ran.err)]:
        assert (status, out) == (2, "")
        assert "run.json: has been changed since it was written" in err
    ran = run("study", "run", spec, "--store", store)
    assert ran.status == 0
    assert "run.json was damaged (kept as run.json.broken)" in ran.err
    assert f"its part is damaged (kept as {part.name}.broken); done again" in ran.err
    assert read() == whole


def test_damaged_parts_that_are_not_collected_are_named(store: Path, run: Run) -> None:
    part = min((store / "parts").iterdir())
    part.write_bytes(part.read_bytes()[:-1])
    ran = run("study", "collect", store.with_name("all"), store)
    assert ran.status == 0
    assert "1 part copied" in ran.err
    assert f"1 left behind: {part.name} of " in ran.err
    assert "is damaged" in ran.err


def test_methods_without_a_mixed_model_are_left_out_and_named(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pandas as pd

    misses = {"t": -1.0, "percentile": -2.0, "empirical_bernstein": 0.0}
    cells = pd.DataFrame(
        [
            cell(
                task=f"task{i}",
                model="m",
                method=method,
                n=n,
                population_skewness=-float(i),
                # Intervals that always cover have one pace, whatever the skewness.
                coverage=0.95 + pace * (1 + i * (i % 3)) / n if pace else 1.0,
            )
            for i in range(6)
            for method, pace in misses.items()
            for n in (10, 50)
        ]
    )
    monkeypatch.setattr(study_answers, "cells_in", lambda _: cells)
    asked = ("study", "summary", "store", "--what", "mixed", "--refits", "20", "--seed", "1")
    ran = run(*asked)
    assert ran.status == 0
    shown = " ".join(ran.out.split())
    assert "Left out: empirical_bernstein of mean (the fixed effects leave no" in shown
    rows = json.loads(run(*asked, "--json").out)["mixed"]
    fitted = {row["method"]: row["slope"] is not None for row in rows}
    assert fitted == {"empirical_bernstein": False, "percentile": True, "t": True}
    # Where none is left, the error says why.
    ran = run(*asked, "--method", "empirical_bernstein")
    assert (ran.status, ran.out) == (2, "")
    assert "the fixed effects leave no residual" in ran.err


def test_cpu_time_stands_beside_the_time_of_a_worker(spec: Path, store: Path, run: Run) -> None:
    told = run("study", "status", store).out
    assert re.match(r"2 of 2 chunks done in \d+ s of one worker, \d+ s of it CPU time\n", told)
    (file,) = (store / "timings").iterdir()
    timings = [json.loads(line) for line in file.read_text().splitlines() if line]
    assert all(0 < one["cpu_seconds"] <= 1.05 * one["seconds"] + 0.05 for one in timings)
    assert all("cpu_seconds" in own for one in timings for own in one["timings"])
    ahead = run("study", "run", spec, "--store", store, "--dry-run")
    assert re.search(r"Predicted: \S+ hours of one worker, \S+ of them CPU time;", ahead.out)
