"""``halfwidth study describe``: what it prints, in which format, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from support import Run

DICE = '[[tables]]\nfiles = "dice.csv"\nmodel = "net"\nmetric = "dsc"\n'
SETS = '[[scores]]\nscores = "{task}_scores.npy"\ntargets = "{task}_targets.npy"\nkind = "logits"\n'
FORMULA = '[[populations]]\nname = "bell"\nfamily = "normal"\n'


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(5)
    values = generator.beta(9, 2, (60, 2))
    values[0, 0] = 0.0
    lines = [f"c{k},{a:.4f},{b:.4f}" for k, (a, b) in enumerate(values)]
    Path("dice.csv").write_text("\n".join(["case,liver,=spleen", *lines]) + "\n", encoding="utf-8")
    np.save("eyes_scores.npy", generator.normal(size=(60, 3)))
    np.save("eyes_targets.npy", np.arange(60) % 3)
    Path("study.toml").write_text(DICE, encoding="utf-8")
    return Path("study.toml")


def test_quartiles_by_metric(run: Run, spec: Path) -> None:
    ran = run("study", "describe", spec)
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "dsc of cases, 2 instances"
    assert [line.split()[0] for line in lines if line.startswith(("kurtosis", "share"))] == [
        *("kurtosis", "share")
    ]
    (kurtosis,) = [line for line in lines if line.startswith("kurtosis")]
    assert kurtosis.split()[-1] == "3"
    assert max(map(len, lines)) <= 80


def test_rows_of_instances(run: Run, spec: Path) -> None:
    ran = run("study", "describe", spec, "--instances", "--format", "csv")
    first, second = csv.DictReader(io.StringIO(ran.out))
    values = np.loadtxt("dice.csv", delimiter=",", skiprows=1, usecols=(1, 2))
    assert float(first["mean"]) == pytest.approx(values[:, 0].mean(), rel=1e-12)
    assert (first["n_cases"], first["classes"], first["counts"]) == ("60", "", "")
    assert float(first["share_at_bound"]) == pytest.approx(1 / 60)
    # A name that begins like a formula is not one in a spreadsheet.
    assert second["task"] == "'=spleen"


def test_test_sets(run: Run, spec: Path) -> None:
    spec.write_text(DICE + SETS, encoding="utf-8")
    ran = run("study", "describe", spec)
    assert "Test sets of 3 classes, 1 instance\n" in ran.out
    (kurtosis,) = [x for x in ran.out.splitlines() if x.startswith("multivariate kurtosis")]
    assert kurtosis.split()[-1] == "15"
    rows = run("study", "describe", spec, "--instances").out
    assert "20/20/20" in rows
    found = json.loads(run("study", "describe", spec, "--instances", "--json").out)
    assert found["schema_version"] == 1
    assert found["characteristics"][2]["counts"] == "20/20/20"
    assert found["characteristics"][2]["mean"] is None


def test_formulas(run: Run, spec: Path) -> None:
    spec.write_text(FORMULA, encoding="utf-8")
    assert run("study", "describe", spec).out.startswith("value by formula, 1 instance\n")
    assert "bell" in run("study", "describe", spec, "--instances").out
    refused = run("study", "describe", spec, "--families")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "given by formula" in refused.err


def test_families(run: Run, spec: Path) -> None:
    spec.write_text(DICE + SETS, encoding="utf-8")
    ran = run("study", "describe", spec, "--families")
    assert (ran.status, ran.err) == (0, "")
    rows = {line.split()[0]: line.split()[1:] for line in ran.out.splitlines() if line}
    assert rows["family"] == ["dsc", "logits"]
    # Families of logits are five.
    assert (len(rows["normal"]), len(rows["beta"])) == (2, 1)
    assert rows["exponential"] == ["100"]
    assert "p ≤ 0.05/2" in ran.out
    assert "it rejects too seldom" in " ".join(ran.out.split())
    assert "--lilliefors 999" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_families_with_a_bootstrap(run: Run, spec: Path) -> None:
    given = ("--families", "--family", "beta,exponential", "--lilliefors", 39, "--seed", 3)
    ran = run("study", "describe", spec, *given)
    assert "Seed 3, 39 draws for each p." in ran.out
    assert "bootstrap, % of instances" in ran.out
    assert run("study", "describe", spec, *given).out == ran.out
    found = json.loads(run("study", "describe", spec, *given, "--json").out)
    assert (found["schema_version"], found["seed"]) == (1, 3)
    exponential, beta = found["rejections"]
    assert (beta["family"], beta["tests"], beta["draws"]) == ("beta", 2, 39)
    assert exponential["rejected_lilliefors"] == 1.0


@pytest.mark.slow  # starting workers takes seconds
def test_workers_print_the_same(run: Run, spec: Path) -> None:
    given = ("--families", "--family", "gamma", "--lilliefors", 39, "--seed", 3)
    alone = run("study", "describe", spec, *given)
    assert run("study", "describe", spec, *given, "--jobs", 2).out == alone.out


def test_all_fits(run: Run, spec: Path) -> None:
    given = ("--families", "--instances", "--family", "normal")
    found = json.loads(run("study", "describe", spec, *given, "--json").out)["fits"]
    assert [row["family"] for row in found] == ["normal", "normal"]
    assert found[0]["lilliefors_p"] is None
    assert "location=" in run("study", "describe", spec, *given).out
    markdown = run("study", "describe", spec, *given, "--format", "markdown").out
    assert markdown.startswith("| instance | family | D | nominal p | parameters |\n")


def test_markdown(run: Run, spec: Path) -> None:
    out = run("study", "describe", spec, "--families", "--format", "markdown").out
    assert out.startswith("**Rejected by the nominal p, % of instances**\n\n| family | dsc |\n")
    assert "| --- | ---: |\n" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--format xml", "unknown format 'xml'"),
        ("--family normal", "needs --families"),
        ("--lilliefors 99", "needs --families"),
        ("--seed 1", "needs --families"),
        ("--families --seed 1", "--lilliefors N"),
        ("--families --tests 0", "--tests 0"),
        ("--families --instances --tests 3", "--instances, which shows every p"),
        ("--families --family nromal", "did you mean 'normal'"),
        ("--families --lilliefors 9", "draw 39 or more"),
        ("--families --jobs 0", "--jobs 0"),
    ],
)
def test_what_is_refused(run: Run, spec: Path, arguments: str, words: str) -> None:
    ran = run("study", "describe", spec, *arguments.split())
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


def test_help_names_it(run: Run) -> None:
    assert "describe" in run("study", "--help").out
    assert "--lilliefors" in run("study", "describe", "--help").out
