"""Options of ``halfwidth ci --target`` that came of a review."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from over_data import metric_ci
from support import Run

import halfwidth as hw

TRUTH = [0, 1] * 20
SCORE = [place * 7 % 40 / 40 for place in range(40)]
WEIGHT = [1 + place % 3 for place in range(40)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [f"{y},{s},{w},{s * 3}" for y, s, w in zip(TRUTH, SCORE, WEIGHT, strict=True)]
    file = tmp_path / "t.csv"
    file.write_text("\n".join(["y,p,w,x", *rows]), encoding="utf-8")
    return file


def estimates(run: Run, *arguments: object) -> list[dict[str, object]]:
    ran = run("ci", *arguments, "--seed", "1", "--json")
    assert ran.status == 0, ran.err
    made: list[dict[str, object]] = json.loads(ran.out)["estimates"]
    return made


def test_costs_priors_and_weights_are_those_of_python(run: Run, table: Path) -> None:
    (made,) = estimates(
        run,
        *(table, "--target", "y", "--score", "p", "--metric", "expected_cost"),
        *("--costs", "0,1;5,0", "--priors", "0.9,0.1", "--sample-weight", "w"),
    )
    e = metric_ci(
        TRUTH,
        SCORE,
        metric="expected_cost",
        costs=[[0, 1], [5, 0]],
        priors=[0.9, 0.1],
        sample_weight=WEIGHT,
        rng=1,
    )
    assert (made["value"], made["low"], made["high"]) == (e.value, e.low, e.high)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--metric auroc", "auroc is a metric of a whole test set: name the column"),
        ("--target y --score p --metric f1 --costs 0,1", "costs has no effect on f1"),
        (
            "--target y --score p --metric ecn --costs 0,x;1,0",
            "--costs '0,x' is no list of numbers",
        ),
        ("--target y --score p --metric ecn --priors 1", "not one share for each of 2 classes"),
        ("--target y --score p --metric f1 --threshold 50", "lies outside the scores' range"),
        (
            "--target y --score p --metric f_beta:beta=1e200",
            "beta=1e200 is not above 0 and at most",
        ),
        ("--value p --sample-weight w", "--sample-weight needs --target"),
    ],
)
def test_what_would_have_no_meaning_is_refused(
    run: Run, table: Path, arguments: str, words: str
) -> None:
    ran = run("ci", table, *arguments.split())
    assert ran.status == 2
    assert words in ran.err


def test_a_figure_of_classes_is_not_drawn_of_a_regression(
    run: Run, table: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "r.png"
    asked = (
        "ci",
        table,
        "--target",
        "x",
        "--prediction",
        "p",
        "--metric",
        "rmse",
        "--plot",
        picture,
    )
    refused = run(*asked)
    assert refused.status == 2
    assert "of a regression: --plot-kind forest" in refused.err
    assert run(*asked, "--plot-kind", "forest").status == 0
    assert picture.stat().st_size > 0


def test_a_threshold_that_is_not_the_usual_one_is_said(run: Run, table: Path) -> None:
    ask = ("ci", table, "--target", "y", "--score", "p", "--metric", "f1", "--seed", "1")
    assert "at threshold 0.7" in run(*ask, "--threshold", "0.7").out
    assert "threshold" not in run(*ask).out


def test_threads_change_nothing(run: Run, table: Path) -> None:
    ask = (table, "--target", "y", "--score", "p", "--metric", "auroc", "--method", "bca")
    assert estimates(run, *ask) == estimates(run, *ask, "--jobs", "2")


@pytest.mark.slow
def test_methods_of_a_metric_are_those_it_takes(run: Run, table: Path) -> None:
    for metric in ("accuracy", "f1", "auroc", "average_precision"):
        listed = run("methods", "--metric", metric).out
        names = [method.name for method in hw.METHODS if f"\n{method.name} " in listed]
        assert "percentile" in names
        for name in names:
            ask = ("ci", table, "--target", "y", "--score", "p", "--metric", metric)
            assert run(*ask, "--method", name, "--n-resamples", "49").status == 0, name
