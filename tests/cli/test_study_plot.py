"""Figures of a study from the command line."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from studycells import cells_of
from support import Run

import halfwidth as hw

SPEC = """
[study]
name = "small"
sizes = [10, 20]
samples = 40
resamples = 49
batches = 2
statistics = ["mean", "median"]
methods = ["t", "percentile"]

[[tables]]
files = "{model}_dsc.csv"
metric = "dsc"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store, its spec and its data."""
    made: Path = tmp_path_factory.mktemp("study")
    table = {f"organ{k}": [0.5 + (k * 7 + i * 3) % 11 / 23 for i in range(60)] for k in range(2)}
    pd.DataFrame({"case": range(60), **table}).to_csv(made / "net_dsc.csv", index=False)
    (made / "study.toml").write_text(SPEC, encoding="utf-8")
    hw.study.run(made / "study.toml", made / "store")
    yield made
    shutil.rmtree(made)


def test_a_figure_is_written_with_its_numbers(run: Run, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "figures"
    ran = run("study", "plot", folder / "store", "--out", out, "coverage-dsc-mean")
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == f"halfwidth: wrote 3 files in {out}\n"
    assert {file.suffix for file in out.iterdir()} == {".pdf", ".png", ".csv"}
    numbers = pd.read_csv(out / "coverage-dsc-mean.csv")
    cells = hw.study.open(folder / "store").to_frame().query("statistic == 'mean'")
    expected = cells.groupby(["method", "n"])["coverage"].median()
    found = numbers.set_index(["series", "n"])["median"]
    assert found.to_dict() == pytest.approx(expected.to_dict())


def test_what_cannot_be_written_leaves_what_was_there(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "coverage-dsc-mean.pdf").write_bytes(b"as it was")
    monkeypatch.setattr(os, "fsync", full)
    ran = run("study", "plot", folder / "store", "--out", tmp_path, "coverage-dsc-mean")
    assert ran.status == 2
    assert ran.err.endswith("coverage-dsc-mean.pdf: cannot be written (No space left on device)\n")
    (left,) = tmp_path.iterdir()
    assert left.read_bytes() == b"as it was"


def test_a_family_and_formats_and_filters(run: Run, folder: Path, tmp_path: Path) -> None:
    given = ("--out", tmp_path, "--format", "svg", "--statistic", "median", "--method", "t")
    assert run("study", "plot", folder / "store", *given, "coverage").status == 2
    given = (*given[:-1], "percentile")
    assert run("study", "plot", folder / "store", *given, "coverage").status == 0
    assert {file.name for file in tmp_path.iterdir()} == {
        "coverage-dsc-median.svg",
        "coverage-dsc-median.csv",
    }


def test_names_are_listed(run: Run, folder: Path) -> None:
    ran = run("study", "plot", folder / "store", "--list")
    names = [line.split()[0] for line in ran.out.splitlines()]
    assert {"coverage-dsc-mean", "boxes-dsc-median", "sample-needs", "failures-dsc"} <= set(names)


def test_what_is_missing_is_skipped_and_said_or_an_error_by_name(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from halfwidth.study.plots import all_figures

    # The graphs have tests of their own.
    for family in ("_graphs", "_pages", "_paces", "_concentrations"):
        monkeypatch.setattr(all_figures, family, lambda *_: [])
    out = ("--out", tmp_path, "--format", "png")
    ran = run("study", "plot", folder / "store", *out, "--all")
    assert ran.status == 0
    assert "left out micro-macro: no metric of test sets has both" in ran.err
    assert "left out failures-dsc: a store holds no cases; name the spec" in ran.err
    ran = run("study", "plot", folder / "store", *out, "micro-macro")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert "micro-macro: no metric of test sets has both" in ran.err


def test_a_family_of_which_nothing_can_be_drawn_is_an_error(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    ran = run("study", "plot", folder / "store", "--out", tmp_path, "failures")
    assert (ran.status, ran.out) == (2, "")
    assert "failures: none of these figures can be drawn: a store holds no cases" in ran.err
    # Beside one that can be drawn too, which is written.
    out = ("--out", tmp_path, "--format", "svg")
    ran = run("study", "plot", folder / "store", *out, "failures", "coverage-dsc-mean")
    assert ran.status == 2
    assert (tmp_path / "coverage-dsc-mean.svg").exists()


def test_a_figure_that_fails_does_not_cost_the_others(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from halfwidth.study.plots import graphs

    def broken(*_: object) -> None:
        raise TypeError("broken")

    monkeypatch.setattr(graphs, "overview", broken)
    out = ("--out", tmp_path, "--format", "svg")
    names = ("overview-coverage", "coverage-dsc-mean")
    ran = run("study", "plot", folder / "store", *out, *names)
    assert ran.status not in {0, 2}
    assert "failed at overview-coverage; the others follow" in ran.err
    assert (tmp_path / "coverage-dsc-mean.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("store --out f coverage-dsc-maen", "did you mean 'coverage-dsc-mean'"),
        ("store --out f", "no figure is named; name some figures, or --all"),
        ("store --out f --all boxes", "both --all and names are given"),
        ("store boxes", "--out DIR: name the folder"),
        ("stoer boxes --out f", "stoer: no folder of this name"),
        ("store --out f boxes --format gif", "unknown format of a figure 'gif'"),
        ("store --out f boxes --metric dcs", "did you mean 'dsc'"),
        ("store --out study.toml boxes", "cannot be made"),
    ],
)
def test_errors_say_what_to_do(
    run: Run, folder: Path, arguments: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    ran = run("study", "plot", *arguments.split())
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err.replace("\n", " ")


def test_the_cases_of_failing_instances_come_from_the_spec(folder: Path) -> None:
    from halfwidth.cli.study_plot import _values

    values = _values([folder / "study.toml"], ["net/organ1/dsc"])
    expected = pd.read_csv(folder / "net_dsc.csv")["organ1"].sort_values()
    assert sorted(values["net/organ1/dsc"]) == pytest.approx(expected.tolist())
    with pytest.raises(hw.DataError, match="holds no cases of instance 'other'"):
        _values([folder / "study.toml"], ["other"])


def test_the_cells_made_for_tests_have_the_columns_of_a_study(folder: Path) -> None:
    assert set(cells_of()) == set(hw.study.open(folder / "store").to_frame())
