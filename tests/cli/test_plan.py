"""``halfwidth plan``: what it answers, in every format, and what it says to slips of the hand."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import Run

import halfwidth as hw

ROOT = Path(__file__).resolve().parents[2]
MEAN = ("plan", "mean", "--sd", "0.1", "--metric", "dsc")
VERBS = {
    "mean": "--sd 0.1 --halfwidth 0.02",
    "difference": "--sd 0.05 --halfwidth 0.01",
    "quantile": "--quantile 0.9 --sd 0.1 --halfwidth 0.02",
    "proportion": "--expected 0.9 --width 0.1",
    "auroc": "--expected 0.85 --prevalence 0.3 --width 0.1",
    "calibration": "--prevalence 0.1 --auroc 0.8 --slope-halfwidth 0.2 --oe-halfwidth 0.1",
    "classes": "--sensitivity .9 --specificity .95 --prevalence .1 --halfwidth .05 --assurance .9",
    "runs": "--quantile 0.9",
}


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    values = np.random.default_rng(5).beta(18, 2, size=(60, 2)).round(3)
    rows = [f"c{place},{a},{b}" for place, (a, b) in enumerate(values)]
    path = tmp_path / "pilot.csv"
    path.write_text("case,liver,spleen\n" + "\n".join(rows) + "\n")
    return path


def plans(text: str) -> list[dict[str, Any]]:
    document = json.loads(text)
    assert document["schema_version"] == 1
    found: list[dict[str, Any]] = document["plans"]
    return found


# --------------------------------------------------------------------------- answers


@pytest.mark.slow
def test_the_commands_of_the_docs_print_what_stands_there(
    run: Run, monkeypatch: pytest.MonkeyPatch, shared: Path
) -> None:
    text = (ROOT / "docs" / "planning.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n\$ halfwidth (.*?)\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 15
    monkeypatch.chdir(shared / "data" / "segval")
    for command, output in blocks:
        ran = run(*command.split())
        assert (ran.status, ran.err) == (0, "")
        assert ran.out == output, command
        assert max(map(len, ran.out.splitlines())) <= 80


def test_the_python_of_the_docs_gives_the_row_that_stands_there() -> None:
    text = (ROOT / "docs" / "planning.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    made: dict[str, Any] = {}
    exec(compile(block, "planning.md", "exec"), made)  # noqa: S102 -- our own page
    said = re.findall(r"[\d.]+", block.partition("#")[2])
    assert [float(number) for number in said] == [round(plan.width, 2) for plan in made["plans"]]


def test_a_plan_is_that_of_the_library(run: Run) -> None:
    (made,) = plans(run(*MEAN, "--halfwidth", "0.02", "--statistic", "sd", "--json").out)
    plan = hw.planning.mean(0.1, halfwidth=0.02, metric="dsc", statistics=["sd"])
    assert made == plan.to_dict() == plans(plan.to_json())[0]
    assert [need["n"] for need in made["requirements"]] == [123, 25, 75]
    assert made["decided_by"] == "width"


def test_reliable_coverage_wins_where_it_needs_more(run: Run) -> None:
    (made,) = plans(run(*MEAN, "--halfwidth", "0.1", "--statistic", "sd", "--json").out)
    assert (made["n"], made["decided_by"]) == (75, "reliable coverage of the SD of DSC")
    assert made["halfwidth"] < 0.1
    assert "reliable coverage of the SD of DSC" in run(*MEAN, "--halfwidth", "0.1").out.replace(
        "mean DSC", "SD of DSC"
    )


def test_the_reverse_gives_back_the_width(run: Run) -> None:
    (forth,) = plans(run(*MEAN, "--halfwidth", "0.02", "--json").out)
    (back,) = plans(run(*MEAN, "--n", forth["n"], "--json").out)
    assert back["width"] == forth["width"]
    assert (back["decided_by"], back["wanted_width"]) == ("given", None)


def test_width_is_twice_the_halfwidth(run: Run) -> None:
    by_half, by_whole = (
        plans(run(*MEAN, option, value, "--json").out)[0]
        for option, value in (("--halfwidth", "0.02"), ("--width", "0.04"))
    )
    assert by_half == by_whole


def test_repeated_options_make_a_table(run: Run) -> None:
    ran = run("plan", "mean", "--sd", "5", "--sd", "10", "-n", "10,50", "--formula", "z")
    rows = [line.split() for line in ran.out.splitlines() if re.match(r" *\d", line)]
    assert [row[:2] for row in rows] == [["5", "10"], ["5", "50"], ["10", "10"], ["10", "50"]]
    assert [row[3] for row in rows] == ["6.20", "2.77", "12.40", "5.54"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("fmt", ["table", "json", "csv", "markdown", "latex"])
def test_every_verb_has_every_format(verb: str, fmt: str, run: Run, tmp_path: Path) -> None:
    ran = run("plan", verb, *VERBS[verb].split(), "--format", fmt)
    assert (ran.status, ran.err) == (0, "")
    if fmt == "json":
        assert json.loads(ran.out)["schema_version"] == 1
    if fmt == "table":
        assert max(map(len, ran.out.splitlines())) <= 80
    if fmt == "csv":
        (first, *_) = csv.DictReader(io.StringIO(ran.out))
        assert int(first["n"]) > 1
    if fmt == "markdown":
        tables = [line for line in ran.out.splitlines() if line.startswith("|")]
        assert len(tables) >= 3
        assert "---:" in ran.out
    if fmt == "latex":
        assert ran.out.count("\\begin{tabular}") == ran.out.count("\\end{tabular}") >= 1
        told = [line for line in ran.out.splitlines() if not line.startswith("%")]
        # Letters that every LaTeX sets, and no formula in Unicode.
        assert set("".join(told)) <= {*map(chr, range(32, 127)), "é"}
    out = tmp_path / "plan.txt"
    assert run("plan", verb, *VERBS[verb].split(), "--format", fmt, "--out", out).status == 0
    assert out.read_text(encoding="utf-8") == ran.out


@pytest.mark.sampled(3)
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "runs"])
def test_every_verb_draws_its_curve(verb: str, run: Run, tmp_path: Path) -> None:
    figure = tmp_path / "plan.svg"
    ran = run("plan", verb, *VERBS[verb].split(), "--plot", figure)
    assert (ran.status, ran.err) == (0, f"halfwidth: wrote {figure}\n")
    text = figure.read_text(encoding="utf-8")
    assert "half-width of the 95 % CI" in text
    assert "dot: n planned" in text


def test_runs_are_those_of_the_library(run: Run) -> None:
    made = json.loads(
        run(
            *("plan", "runs", "--quantile", "0.9", "--method", "exact", "--method", "asymptotic"),
            *("--confidence-level", "0.9", "--confidence-level", "0.95", "--json"),
        ).out
    )
    assert [row["n"] for row in made["minimum_runs"]] == [22, 25, 29, 35]


# --------------------------------------------------------------------------- pilot


def test_a_pilot_is_repeatable_and_tells_its_errors(run: Run, pilot: Path) -> None:
    command = ("plan", "pilot", pilot, "--value", "liver", "--metric", "dsc", "--seed", "3")
    how = ("--halfwidth", "0.02", "--method", "t", "--n-samples", "200", "--json")
    first, again = (plans(run(*command, *how).out) for _ in range(2))
    assert first == again
    (made,) = first
    found = made["simulated"]
    assert (found["samples"], found["seed"]) == (200, 3)
    assert found["n_low"] <= made["requirements"][0]["n"] <= found["n_high"]
    assert found["reached"] >= 0.8
    assert found["q1"] <= found["median"] == made["width"] <= found["q3"]
    text = run(*command, *how[:-1]).out
    assert "Monte-Carlo SE of the share reached" in text
    assert "200 studies drawn at each n (seed 3)" in " ".join(text.split())


def test_a_pilot_takes_any_statistic_and_many_n(run: Run, pilot: Path) -> None:
    ran = run(
        *("plan", "pilot", pilot, "--value", "spleen", "--metric", "dsc", "--seed", "1"),
        *("--statistic", "median,sd", "-n", "20", "-n", "80"),
        *("--n-samples", "100", "--n-resamples", "99", "--json"),
    )
    made = plans(ran.out)
    assert [(plan["of"], plan["n"]) for plan in made] == [
        ("median DSC", 20),
        ("median DSC", 80),
        ("SD of DSC", 20),
        ("SD of DSC", 80),
    ]
    assert made[0]["width"] > made[1]["width"] > 0
    assert made[2]["width"] > made[3]["width"] > 0


def test_groups_of_a_pilot_are_planned_apart(run: Run, tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(0, [[1], [3]], size=(2, 30)).round(3)
    rows = [f"{m},{v}" for m, of in zip("ab", values, strict=True) for v in of]
    (tmp_path / "t.csv").write_text("model,value\n" + "\n".join(rows) + "\n")
    ran = run(
        *("plan", "pilot", tmp_path / "t.csv", "--by", "model", "--halfwidth", "0.5"),
        *("--method", "t", "--seed", "1", "--n-samples", "100", "--json"),
    )
    a, b = plans(ran.out)
    assert (a["label"], b["label"]) == ("a", "b")
    assert b["n"] > 4 * a["requirements"][0]["n"]


def test_long_words_are_wrapped_not_cut(run: Run, pilot: Path) -> None:
    ran = run(
        *("plan", "pilot", pilot, "--value", "liver", "--metric", "dsc", "--halfwidth", "0.1"),
        *("--method", "hall", "--n-samples", "100", "--n-resamples", "99", "--seed", "2"),
    )
    assert "Two Monte-Carlo standard errors move the n for the width" in ran.out
    assert "SE of the share reached" not in ran.out, "that of another n"
    rows = ran.out.partition("needed for")[0]
    for word in ("reliable", "coverage", "mean", "DSC"):
        assert re.search(rf"\b{word}\b", rows)
    assert max(map(len, ran.out.splitlines())) <= 80


def test_a_small_pilot_and_repeated_cases_are_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("case,dice\na,0.9\na,0.8\nb,0.7\nc,0.85\n")
    ran = run("plan", "pilot", path, "-n", "20", "--metric", "dsc", "--method", "t", "--seed", "1")
    assert "cases repeat" in ran.err
    assert "name the column of what rows belong to (groups=, --groups)" in ran.err
    assert "A pilot of 4 cases says little about spread and failures." in ran.out
    path.write_text("PatientID,dice\n1,0.9\n1,0.8\n2,0.7\n3,0.85\n")
    ran = run("plan", "subsample", path, "--value", "dice", "--sizes", "2")
    assert "cases repeat; all rows are drawn as if they were independent" in ran.err


def test_a_pilot_with_clusters_counts_these(run: Run, tmp_path: Path) -> None:
    rng, path = np.random.default_rng(1), tmp_path / "lesions.csv"
    rows = [
        f"{model},{case},p{case // 3},s{case // 15},{rng.beta(9, 2):.3f}"
        for model in ("A", "B")
        for case in range(90)
    ]
    path.write_text("net,case,patient,site,dice\n" + "\n".join(rows) + "\n")
    command = [
        *("plan", "pilot", path, "--value", "dice", "--metric", "dsc", "-n", 20, "--model", "net"),
        *("--groups", "patient", "--method", "t", "--n-samples", 100, "--seed", 1),
    ]
    ran = run(*command)
    assert not ran.err
    assert re.search(r"label +clusters +cases ", ran.out)
    assert "n counts clusters" in ran.out
    values = hw.CaseValues.from_table(
        pd.read_csv(path), "dice", metric="dsc", model="net", groups="patient"
    )
    wanted = hw.plan(values, n=20, method="t", n_samples=100, rng=1)
    found = plans(run(*command, "--json").out)
    assert found == wanted.to_dict()["plans"]
    assert [(one["label"], one["n_cases"]) for one in found] == [("A", 60.0), ("B", 60.0)]
    for further in (("--over", "clusters"), ("--strata", "site")):
        assert plans(run(*command, *further, "--json").out)[0]["width"] != found[0]["width"]


# --------------------------------------------------------------------------- slips


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("mean --sd 0 --halfwidth 0.02", "--sd 0 is not above 0"),
        ("mean --sd -1 --halfwidth 0.02", "--sd -1 is not above 0"),
        ("mean --sd nan --halfwidth 0.02", "--sd nan is not a finite number"),
        ("mean --sd 12 --metric dsc --width 0.1", "for values in per cent divide by 100"),
        ("mean --sd 0.1 --metric dsc --halfwidth 0.6", "ask for less than 0.5"),
        ("mean --sd 0.1 --halfwidth 0", "--halfwidth 0 is not above 0"),
        ("mean --sd 0.1 --width -1", "--width -1 is not above 0"),
        ("mean --sd 0.1 --halfwidth 0.02 -n 5", "got --halfwidth and --n"),
        ("mean --sd 0.1 --halfwidth 0.02 --width 0.1", "got --halfwidth and --width"),
        ("mean --sd 0.1", "got none of them"),
        ("mean --halfwidth 0.1", "--sd is missing: SD of the cases"),
        ("mean --sd 0.1 -n 2", "n=2 is too few: the interval of a mean needs at least 3"),
        ("mean --sd 0.1 -n 1 --method t", "the interval of a mean needs at least 2"),
        ("mean --sd 0.1 --width 0.1 --confidence-level 95", "for 95 % write 0.95"),
        ("mean --sd 0.1 --width 0.1 --formula tt", "unknown method 'tt'; did you mean 't'?"),
        ("mean --sd 0.1 --width 0.1 --metric dcs", "did you mean 'dsc'?"),
        ("mean --sd 0.1 --width 0.1 --metric auroc", "auroc is a metric of a whole test set"),
        ("mean --sd 0.1 -n 10,x", "--n 10,x is neither a number of cases nor a list such as 10,20"),
        ("mean --sd 0.1 --width 0.1 --statistic medain", "did you mean 'median'?"),
        ("mean --sd 0.1 --width 0.1 --assurance 80", "for 80 % write 0.8"),
        ("mean --sd 0.1 --width 0.1 --assurance 0.8 --formula z", "assurance works with"),
        (
            "mean --sd 0.1 -n 20 --assurance 0.8",
            "--assurance 0.8 asks for a number of cases",
        ),
        ("mean --sd 0.1 --halfwidth 1e-9", "more than 1000000000 cases"),
        ("proportion --expected 90 --width 0.1", "for 90 % write 0.9"),
        ("proportion --expected -1 --width 0.1", "--expected -1 is not from 0 to 1"),
        ("proportion --expected .9 --width 1", "(a width of 1) is no restriction"),
        ("proportion --expected .9 -n 1", "n=1 is too few"),
        ("auroc --expected 1 --width 0.1", "--expected 1 is not strictly between 0 and 1"),
        ("auroc --expected .8 --prevalence 0 --width 0.1", "--prevalence 0 is not strictly"),
        ("auroc --expected .8 --prevalence .01 -n 50", "needs at least 150"),
        ("auroc --expected .8 --width .1 --sd-ratio 0", "--sd-ratio 0 is not above 0"),
        (
            "auroc --expected .8 --width .1 --sd-ratio 2 --formula hanley_mcneil",
            "sd_ratio has no effect",
        ),
        ("auroc --expected .8 --width .1 --formula delnog", "did you mean 'delong'?"),
        ("quantile --quantile 0 --width .1", "--quantile 0 is not strictly between 0 and 1"),
        ("quantile --quantile 1 --width .1", "--quantile 1 is not strictly between 0 and 1"),
        ("quantile --quantile 1e-12 --width .1", "too extreme"),
        ("quantile --quantile .9 -n 10", "needs at least 29"),
        ("quantile --quantile .9 -n 9999999", "more than the 1000000 cases that are ranked"),
        ("quantile --quantile .9 --width 1e-7", "ask for a wider interval"),
        ("difference --halfwidth .01", "give sd, the SD of the differences"),
        ("difference --sd .1 --sd-b .1 --width .01", "give one --sd, or --sd-a and --sd-b"),
        ("difference --sd-a .1 --sd-b .1 --correlation 1 --width .01", "do not vary"),
        ("difference --sd-a .1 --sd-b .1 --correlation 2 --width .01", "from -1 to 1"),
        ("difference --sd 1.5 --metric dsc --width .01", "is 1 at most"),
        (
            "classes --sensitivity .9 --specificity 95 --prevalence .1 --width .1",
            "for 95 % write 0.95",
        ),
        ("classes --sensitivity .9 --specificity .9 --prevalence .1 -n 10", "at least 20"),
        ("runs --quantile 1", "--quantile 1 is not strictly between 0 and 1"),
        ("runs --quantile .5 --confidence-level 95", "for 95 % write 0.95"),
        ("runs --quantile .5 --method exat", "did you mean 'exact'?"),
        ("mena --sd 1", "no command 'mena'; did you mean 'mean'?"),
        ("mean --sd 0.1 --width 0.1 --plot x.bmp", "figures are written as .png, .svg, .pdf"),
        ("mean --sd 0.1 --width 0.1 --format tabel", "did you mean 'table'?"),
        ("pilot absent.csv --width 0.1", "absent.csv: no such file"),
    ],
)
def test_slips_get_one_line(command: str, words: str, run: Run) -> None:
    ran = run("plan", *command.split())
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("halfwidth: ")
    assert ran.err.count("\n") == 1
    assert words in ran.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--value livr --width 0.1", "unknown column 'livr'; did you mean 'liver'?"),
        ("--width 0.1", "several numeric columns (liver, spleen); name the one that is meant"),
        ("--value liver --width 0.1 --method wilson", "method 'wilson' makes no interval"),
        ("--value liver --width 0.1 --method hoeffding", "needs a metric with finite bounds"),
        ("--value liver --width 0.1 --n-samples 5", "--n-samples 5 is not a multiple of 50"),
        ("--value liver --width 0.1 --assurance 1", "--assurance 1 is not from 0.5 up"),
        ("--value liver --width 1 --metric dsc", "ask for less than 0.5"),
        ("--value liver --width 1e-5 --method t", "no n up to 20000 gives 0.8 of the studies"),
        ("--value liver -n 1", "n=1 is too few"),
        ("--value liver -n 30000", "more than the 20000 cases"),
        ("--value case --width 0.1", "not a number"),
    ],
)
def test_slips_with_a_pilot(options: str, words: str, run: Run, pilot: Path) -> None:
    ran = run("plan", "pilot", pilot, *options.split())
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1


def test_a_pilot_without_a_spread_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("case,dice\na,0.9\nb,0.9\n")
    ran = run("plan", "pilot", path, "--width", "0.1", "--metric", "dsc")
    assert (ran.status, ran.out) == (2, "")
    assert "without a spread there is nothing to plan from" in ran.err
