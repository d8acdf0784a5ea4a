"""``halfwidth runs``: the table, its formats, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support import Run


@pytest.fixture
def runs_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twenty finished runs of each of two sources, and one that crashed."""
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(3).beta(90, 10, 40)
    lines = [
        f"r{i},{'weights' if i < 20 else 'split'},FINISHED,{i % 20},{value:.4f},{1 - value:.4f}"
        for i, value in enumerate(values)
    ]
    head = "run_id,params.source,status,params.seed,metrics.accuracy,metrics.error"
    text = "\n".join([head, *lines, "r40,weights,FAILED,20,,"])
    Path("runs.csv").write_text(text + "\n", encoding="utf-8")
    return Path("runs.csv")


def test_table_readings_and_cautions_are_shown_whole(run: Run, runs_csv: Path) -> None:
    given = ("--value", "accuracy", "--by", "source", "--confidence-level", 0.9)
    ran = run("runs", runs_csv, *given)
    assert ran.status == 0
    assert ran.out.startswith("Quantiles of accuracy over runs\n")
    assert ran.out.count("quantile") >= 6
    assert "accuracy is" in ran.out
    assert "lower in at least 90 % of runs" in ran.out
    assert "1 of 21 runs did not finish" in ran.out
    # No code of a caution is cut at the end of a line.
    rows = [line for line in ran.out.splitlines() if " to 0." in line]
    assert len(rows) == 8
    assert all(len(line) <= 80 for line in ran.out.splitlines())
    assert sum(line.count("HW705") for line in ran.out.splitlines()) == 5


def test_one_quantile_of_one_source_is_brief(run: Run, runs_csv: Path) -> None:
    given = ("--value", "error", "--quantile", 0.9, "--no-mean", "--confidence-level", 0.8)
    ran = run("runs", runs_csv, *given, "--json")
    (estimate,) = json.loads(ran.out)["estimates"]
    assert (estimate["quantile"], estimate["n"], estimate["over"]) == (0.9, 40, "runs")
    assert estimate["low"] <= estimate["points"]["sample_quantile"] <= estimate["high"]


def test_randomized_intervals_are_both_told(run: Run, runs_csv: Path) -> None:
    given = ("--value", "accuracy", "--quantile", 0.5, "--no-mean", "--seed", 4)
    ran = run("runs", runs_csv, *given, "--method", "exact_randomized")
    assert "Drawn among, with probability:" in ran.out
    assert ran.out.endswith("Seed 4.\n")


def test_simultaneous_level_is_said(run: Run, runs_csv: Path) -> None:
    ran = run("runs", runs_csv, "--value", "accuracy", "--simultaneous", "--confidence-level", 0.9)
    assert "each of 4 intervals at 97.5 %" in ran.err
    assert "97.5 % CI" in ran.out


def test_a_level_that_nobody_asked_for_is_not_called_asked_for(run: Run, tmp_path: Path) -> None:
    values = np.random.default_rng(1).beta(50, 8, 20)
    (tmp_path / "few.csv").write_text(
        "\n".join(["seed,accuracy", *map("{},{}".format, range(20), values)])
    )
    asked = ("runs", tmp_path / "few.csv", "--value", "accuracy", "--quantile", 0.1)
    ran = run(*asked, "--confidence-level", 0.9, "--simultaneous")
    # Each of two intervals, of the quantile and of the mean, misses with half of 10 %.
    assert "90 %" in ran.err
    assert "asked for" not in ran.out
    assert "short of 95 %" in " ".join(ran.out.split())
    thirds = run(*asked, "--quantile", 0.5, "--confidence-level", 0.9, "--simultaneous")
    assert "96.6667 % CI" in thirds.out


def test_strict_counts_cautions(run: Run, runs_csv: Path) -> None:
    assert run("runs", runs_csv, "--value", "accuracy", "--strict").status == 3


def test_figure_is_written(run: Run, runs_csv: Path) -> None:
    ran = run("runs", runs_csv, "--value", "accuracy", "--by", "source", "--plot", "runs.png")
    assert (ran.status, "wrote runs.png" in ran.err) == (0, True)
    assert Path("runs.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--value acuracy", "did you mean"),
        ("", "2 columns may be the metric (metrics.accuracy, metrics.error); name one"),
        ("--value accuracy --quantile 0", "--quantile 0 is not strictly between 0 and 1"),
        ("--value accuracy --quantile 90", "for 90 % write 0.9"),
        ("--value accuracy --confidence-level 95", "for 95 % write 0.95"),
        ("--value accuracy --by sorce", "did you mean"),
        ("--value accuracy --method exakt", "did you mean 'exact'"),
        ("--value accuracy --point median", "unknown point 'median'"),
        ("--value accuracy --folds mean", "unknown folds 'mean'"),
        ("--value accuracy --missing omitt", "did you mean 'omit'"),
        ("--value accuracy --plot runs.doc", "runs.doc"),
    ],
)
def test_what_cannot_be_used(run: Run, runs_csv: Path, arguments: str, words: str) -> None:
    ran = run("runs", runs_csv, *arguments.split())
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") <= 2
    assert "Traceback" not in ran.err
