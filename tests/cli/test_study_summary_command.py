"""halfwidth study summary: every part on a study that was run, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from analysed import cell
from pandas.testing import assert_frame_equal
from support import Run

import halfwidth as hw
from halfwidth.cli import study_answers

SPEC = """
[study]
seed = 3
sizes = [10, 20]
samples = 60
resamples = 60
statistics = ["mean", "median"]
methods = ["t", "percentile", "basic"]

[[tables]]
files = "{task}_dsc.csv"
metric = "dsc"

[[tables]]
files = "{task}_assd.csv"
metric = "assd"
"""


def _ran(folder: Path, tasks: list[str], seed: int) -> Path:
    rng = np.random.default_rng(seed)
    for place, task in enumerate(tasks):
        values = {"dsc": rng.beta(8 + place, 2, 60), "assd": rng.lognormal(0, 0.4 + place / 5, 60)}
        for metric, column in values.items():
            table = pd.DataFrame({"case": [f"c{i}" for i in range(60)], "A": column})
            table.to_csv(folder / f"{task}_{metric}.csv", index=False)
    (folder / "spec.toml").write_text(SPEC, encoding="utf-8")
    outcome = hw.study.run(folder / "spec.toml", folder / "store")
    assert not outcome.failed
    return folder / "store"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _ran(tmp_path_factory.mktemp("one"), ["liver", "spleen", "aorta", "colon"], 1)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _ran(tmp_path_factory.mktemp("other"), ["eye", "ear"], 2)


def asked(run: Run, *arguments: object) -> str:
    ran = run("study", "summary", *arguments)
    assert (ran.status, ran.err) == (0, "")
    return ran.out


def rows(run: Run, *arguments: object) -> dict[str, list[dict[str, Any]]]:
    found = json.loads(asked(run, *arguments, "--json"))
    assert found.pop("schema_version") == 1
    made: dict[str, list[dict[str, Any]]] = found
    return made


def test_coverage_stays_the_default(store: Path, run: Run) -> None:
    default = asked(run, store)
    assert default == asked(run, store, "--what", "coverage")
    assert "mean DSC, 95 % intervals" in default
    assert "Medians and quartiles over 4 instances" in default


def test_coverage_of_frames_is_that_of_the_store(store: Path) -> None:
    results = hw.study.open(store)
    expected = results.summary()
    found = hw.study.analysis.coverage(results.to_frame())
    assert list(found.columns) == list(expected.columns)
    assert_frame_equal(found, expected, check_dtype=False, rtol=1e-12)


def test_two_stores_count_together(store: Path, other: Path, run: Run) -> None:
    text = asked(run, store, other, "--metric", "dsc", "-n", 10)
    assert "over 6 instances" in text
    assert "assd" not in text
    ran = run("study", "summary", store, store)
    assert ran.status == 2
    assert "cells occur twice" in ran.err


def test_paces_are_those_of_python(store: Path, run: Run) -> None:
    cells = hw.study.open(store).to_frame()
    expected = hw.study.analysis.pace(cells[cells["metric"] == "dsc"])
    found = rows(run, store, "--what", "pace", "--metric", "dsc")["pace"]
    assert [row["pace"] for row in found] == pytest.approx(expected["pace"].tolist())
    assert {row["instance"] for row in found} == set(expected["instance"])
    text = asked(run, store, "--what", "pace", "--metric", "dsc", "--statistic", "mean")
    middle = expected[expected["statistic"] == "mean"].groupby("method")["pace"].median()
    (line,) = [line for line in text.splitlines() if line.startswith("mean DSC  basic")]
    assert line.split()[4] == f"{middle['basic']:.2f}"
    assert "least squares" in text


def test_advice_is_that_of_python(store: Path, run: Run) -> None:
    cells = hw.study.open(store).to_frame()
    expected = hw.study.analysis.advice(cells[cells["metric"] == "dsc"], rng=3)
    options = ["study", "advise", store, "--metric", "dsc", "--seed", 3]
    found = json.loads(run(*options, "--json").out)["advice"]
    assert [(row["n"], row["method"]) for row in found] == list(
        zip(expected["n"], expected["method"], strict=True)
    )
    assert [row["first"] for row in found] == expected["first"].tolist()
    shown = run(*options, "--top", 1, "--statistic", "mean", "-n", 10, "--method", "t,basic").out
    assert "mean DSC, 95 % intervals" in shown
    assert "percentile" not in shown.partition("Reliable")[0]
    assert run("study", "advise", store, "--top", 0).status == 2


def test_tests_say_what_was_tested(store: Path, run: Run) -> None:
    options = [store, "--what", "tests", "--statistic", "mean", "--seed", 1]
    (row, *_) = found = rows(run, *options, "--over", "task")["tests"]
    assert len(found) == row["tested"] == 3
    assert (row["a"], row["b"], row["n"], row["tasks"], row["exact"]) == ("assd", "dsc", 4, 4, True)
    assert row["p"] >= 2 / 16
    text = asked(run, *options, "--between", "method")
    assert "6 pairs tested" in text
    assert "Seed 1." in text


def test_tests_against_another_store_are_unpaired(store: Path, other: Path, run: Run) -> None:
    options = [store, "--what", "tests", "--against", other, "--statistic", "mean"]
    text = asked(run, *options, "--method", "t", "--seed", 2)
    assert "unpaired permutation tests" in text
    assert "4/2" in text


def test_mixed_says_what_it_went_without(store: Path, run: Run) -> None:
    options = [store, "--what", "mixed", "--statistic", "mean", "--method", "t"]
    options += ["--seed", 1, "--refits", 20]
    (row,) = rows(run, *options)["mixed"]
    assert (row["n"], row["left_out"]) == (8, "")
    text = asked(run, *options, "--metric", "dsc")
    # One instance for each task, and one metric.
    assert "Without random intercepts for" in text
    assert "metric: only one level" in text


def test_skewness_of_test_sets_is_said_to_be_that_of_logits(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    skewed = np.random.default_rng(5).uniform(1, 40, 12)
    cells = pd.DataFrame(
        [
            cell(
                task=f"t{i % 4}",
                model=f"m{i}",
                metric=("f1", "auroc")[i % 2],
                statistic="",
                average="macro",
                n=n,
                coverage=0.95 - (0.02 * skewed[i] + i % 3) / n,
                population_skewness=skewed[i],
            )
            for i in range(12)
            for n in (10, 50)
        ]
    )
    monkeypatch.setattr(study_answers, "cells_in", lambda stores: cells)
    for part, more in (("mixed", ["--refits", 0]), ("failures", ["-n", 50])):
        text = asked(run, "any", "--what", part, *more)
        if "IQR of the instances of its" not in text:
            assert "multivariate one of the logits" in " ".join(text.split())


def test_words_go_with_what_was_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = pd.DataFrame(
        [
            cell(
                task=f"t{i}",
                model=f"m{i % 3}",
                metric=metric,
                n=n,
                confidence_level=level,
                coverage=level - (0.1 * i + i % 2) / n,
                population_skewness=i,
                n_cases=1234 if i else 60,
            )
            for i in range(7)
            for metric in ("dsc", "hd95")
            for n in (10, 50)
            for level in (0.9, 0.95)
        ]
    )
    monkeypatch.setattr(study_answers, "cells_in", lambda stores: cells)
    options = ["any", "--what", "mixed", "--seed", 1]
    assert "bootstrap" not in asked(run, *options, "--refits", 0)
    assert "(20 refits)" in asked(run, *options, "--refits", 20)
    assert "Widths of hd95 are in mm." in asked(run, "any", "--what", "needs", "--width", 0.01)
    text = " ".join(asked(run, "any", "--what", "needs").split())
    assert "at least 87.5 or 92.5 % (the level less 2.5 points)" in text
    cells.loc[cells["task"] == "t6", "coverage"] = 0.5
    text = asked(run, "any", "--what", "failures")
    assert "1234" in text
    assert "e+03" not in text


def test_nothing_to_test_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = pd.DataFrame([cell(task=m, metric=m, n=n) for m in ("dsc", "nsd") for n in (10, 50)])
    monkeypatch.setattr(study_answers, "cells_in", lambda stores: cells)
    ran = run("study", "summary", "any", "--what", "tests")
    assert (ran.status, ran.out) == (2, "")
    assert "no two metrics share an instance (task, model)" in ran.err


def test_needs_go_by_coverage_or_width(store: Path, run: Run) -> None:
    options = [store, "--what", "needs", "--metric", "dsc", "--statistic", "mean"]
    assert "cover at least 80 %" in asked(run, *options, "--coverage", 0.8)
    text = asked(run, *options, "--width", 0.01)
    assert "~" in text
    assert "at most 0.01 wide" in text
    row = rows(run, *options, "--width", 0.01)["needs"][0]
    assert (row["n_median"], row["reached"]) == (None, 0)


def test_ratios_and_shifts_have_a_reference_that_need_not_be_shown(store: Path, run: Run) -> None:
    found = rows(run, store, "--what", "ratios", "--method", "basic")["ratios"]
    assert {row["method"] for row in found} == {"basic"}
    assert {row["reference"] for row in found} == {"t"}
    # Made of the same draws, basic and percentile intervals are as wide.
    options = ["--reference", "percentile", "--method", "basic"]
    same = rows(run, store, "--what", "ratios", *options)["ratios"]
    assert [row["ratio_median"] for row in same] == pytest.approx([1.0] * len(same))
    text = asked(run, store, "--what", "shifts", "-n", "20", "--reference", "t")
    assert "less the shift of t" in text


def test_failures_are_of_one_method_and_size(store: Path, run: Run) -> None:
    found = rows(run, store, "--what", "failures", "-n", 20, "--method", "t")
    assert set(found) == {"failures", "shared"}
    assert len(found["failures"]) == 8  # 4 instances of 2 metrics; t has the mean only
    text = asked(run, store, "--what", "failures", "-n", 20)
    assert "Q1 - 1.5 IQR" in text
    assert rows(run, store, "--what", "failures", "-n", "2e1", "--method", "t") == found
    ran = run("study", "summary", store, "--what", "failures", "-n", "10,20")
    assert ran.status == 2
    assert "-n 10,20: failures are shown for one n only" in ran.err
    ran = run("study", "summary", store, "--what", "failures")
    assert "takes n 50 by default" in ran.err
    assert "give -n, one of 10, 20" in ran.err


def test_failures_know_outliers_from_the_spec(store: Path, other: Path, run: Run) -> None:
    options = [store, "--what", "failures", "-n", 20, "--statistic", "mean"]
    found = rows(run, *options, "--spec", store.parent / "spec.toml")["failures"]
    assert {"outlier_share", "share_at_bound"} <= set(found[0])
    assert all(0 <= row["outlier_share"] < 0.5 for row in found)
    specs = [x for one in (store, other) for x in ("--spec", one.parent / "spec.toml")]
    both = rows(run, other, *options, *specs)["failures"]
    assert len(both) == 12
    assert all(row["outlier_share"] is not None for row in both)
    ran = run("study", "summary", *options, "--spec", other.parent / "spec.toml")
    assert ran.status == 2
    assert "has no instance of the chosen cells" in ran.err


def test_defaults_that_are_not_in_the_store_name_their_option(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = pd.DataFrame([cell(task=t, method=m) for t in "ab" for m in ("z", "bca")])
    monkeypatch.setattr(study_answers, "cells_in", lambda stores: cells)
    options = {"ratios": "--reference", "shifts": "--reference", "failures": "--method"}
    for part, option in options.items():
        ran = run("study", "summary", "any", "--what", part)
        assert ran.status == 2
        assert f"give {option}, one of z, bca" in ran.err


PARTS = ("pace", "tests", "mixed", "needs", "ratios", "shifts", "failures")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", PARTS)
def test_every_part_has_every_format(store: Path, run: Run, part: str) -> None:
    options = [store, "--what", part, "--statistic", "mean", "--method", "percentile"]
    options += ["--seed", 1] if part in {"tests", "mixed"} else []
    options += ["--refits", 20] if part == "mixed" else []
    options += ["-n", 20] if part == "failures" else []
    text = asked(run, *options)
    assert max(map(len, text.splitlines())) <= 80
    assert "**" in asked(run, *options, "--format", "markdown") or part == "failures"
    table = list(csv.DictReader(io.StringIO(asked(run, *options, "--format", "csv"))))
    first = next(iter(rows(run, *options).values()))
    assert [list(row) for row in table] == [list(row) for row in first]
    assert table


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--what", "paces"], "unknown part (--what) 'paces'; did you mean 'pace'?"),
        (["--what", "pace", "--format", "xml"], "unknown format 'xml'"),
        (["--coverage", "0.9"], "--coverage has no effect with --what coverage"),
        (["--what", "pace", "--seed", "1"], "it goes with --what tests or mixed"),
        (["--what", "tests", "--refits", "99"], "it goes with --what mixed"),
        (["--what", "pace", "--spec", "x.toml"], "it goes with --what failures"),
        (["--what", "mixed", "--refits", "9"], "give 0 or at least 20"),
        (["--what", "tests", "--over", "tsak"], "did you mean 'task'?"),
        (["--what", "tests", "--between", "n"], "unknown thing to compare 'n'"),
        (["--what", "needs", "--coverage", "92"], "--coverage 92 is not a coverage"),
        (["--what", "needs", "--coverage", "0.9", "--width", "1"], "not both"),
        (["--what", "ratios", "--reference", "q"], "unknown method of the study 'q'"),
        (["--what", "pace", "--metric", "dcs"], "did you mean 'dsc'?"),
        (["--what", "pace", "--metric", "dsc", "-n", "ten"], "unknown n of the study"),
    ],
)
def test_what_it_refuses(store: Path, run: Run, arguments: list[str], said: str) -> None:
    ran = run("study", "summary", store, *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


def test_no_store_is_an_error(tmp_path: Path, run: Run) -> None:
    ran = run("study", "summary", tmp_path, "--what", "pace")
    assert ran.status == 2
    assert "no store of a study" in ran.err


def test_both_ways_to_compare_are_one_too_many(store: Path, other: Path, run: Run) -> None:
    options = ["--what", "tests", "--against", other, "--between", "metric"]
    ran = run("study", "summary", store, *options)
    assert ran.status == 2
    assert "--against compares metrics of two stores" in ran.err


def test_the_reference_may_be_named_among_the_methods(store: Path, run: Run) -> None:
    both = rows(run, store, "--what", "ratios", "--method", "percentile,t")["ratios"]
    assert both == rows(run, store, "--what", "ratios", "--method", "percentile")["ratios"]
    alone = asked(run, store, "--what", "ratios", "--method", "t")
    assert "No other method makes intervals where the reference does." in alone


def test_an_average_that_no_cell_has_is_told_so(store: Path, run: Run) -> None:
    ran = run("study", "summary", store, "--what", "tests", "--average", "macro")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "halfwidth: average macro: no cell has any average\n"


def test_paces_of_an_unfinished_study_are_of_equal_n(store: Path, run: Run, tmp_path: Path) -> None:
    unfinished = shutil.copytree(store, tmp_path / "store")
    (part,) = (unfinished / "parts").glob("*liver-dsc.n00020-*")
    part.unlink()
    for what, more in (("pace", []), ("mixed", ["--refits", "0", "--seed", "1"])):
        ran = run("study", "summary", unfinished, "--what", what, *more)
        assert ran.status == 0
        # Of two statistics by three methods, but t of medians.
        assert "left out: 5 of 40 paces, of other n than most (n = 10)" in ran.err
    ran = run("study", "summary", unfinished, "--what", "pace", "--metric", "dsc", "--method", "t")
    assert "left" in ran.out
