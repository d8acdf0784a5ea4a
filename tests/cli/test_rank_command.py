"""``halfwidth rank``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support import RANKING_KINDS, Run

import halfwidth as hw

QUICK = ("--metric", "dsc", "--seed", "3", "--n-resamples", "199")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(2)
    rows = [
        (f"T{task}", name, f"c{case}", round(float(generator.uniform(lead, lead + 0.3)), 4))
        for task in (1, 2)
        for name, lead in (("a", 0.6), ("b", 0.1), ("c", 0.1))
        for case in range(20)
    ]
    table = pd.DataFrame(rows, columns=["task", "algorithm", "case", "value"])
    table.to_csv("challenge.csv", index=False)
    first = table[table["task"] == "T1"]
    for name, part in first.groupby("algorithm"):
        part[["case", "value"]].to_csv(f"{name}.csv", index=False)


def test_a_challenge_is_ranked_within_its_tasks(run: Run) -> None:
    ran = run(
        *("rank", "challenge.csv", "--model", "algorithm", "--by", "task", "--value", "value"),
        *(*QUICK, "--json"),
    )
    assert ran.status == 0
    got = json.loads(ran.out)
    table = pd.read_csv("challenge.csv")
    wanted = hw.rank(
        hw.CaseValues.from_table(table, "value", metric="dsc", model="algorithm", by="task"),
        rng=3,
        n_resamples=199,
    )
    assert got == json.loads(wanted.to_json())
    assert [one["label"] for one in got["rankings"]] == ["T1", "T2"]


def test_the_table_of_a_challenge_needs_no_options(run: Run) -> None:
    ran = run("rank", "challenge.csv", *QUICK, "--json")
    named = ("--model", "algorithm", "--task", "task", "--value", "value")
    assert ran.out == run("rank", "challenge.csv", *named, *QUICK, "--json").out
    assert "compared by 'value' within each 'task'" in ran.err


def test_models_are_ranked_by_the_tests_that_they_win(run: Run) -> None:
    ran = run("rank", "a.csv", "b.csv", *QUICK, "--scheme", "test_then_rank:test=wilcoxon")
    assert ran.status == 0
    assert "DSC by tests won (Wilcoxon signed-rank): a is first of 2" in ran.out
    refused = run("rank", "a.csv", "b.csv", *QUICK, "--test", "wilcoxon")
    assert "did you mean --scheme test_then_rank:test=wilcoxon?" in refused.err


def test_a_table_for_each_model(run: Run) -> None:
    ran = run("rank", "a.csv", "b.csv", "third=c.csv", "--top", "2", *QUICK)
    assert ran.status == 0
    assert "Mean DSC: a is first of 3 (95 % confidence)" in ran.out
    assert "Not told apart: " in ran.out
    assert "third" in ran.out
    assert run("rank", "a.csv", "b.csv", "c.csv", *QUICK, "--strict").status != 0


def test_several_schemes_with_a_comma_or_repeated(run: Run) -> None:
    names = ("aggregate_then_rank", "rank_then_aggregate")
    asked = ("rank", "a.csv", "b.csv", *QUICK, "--json")
    with_comma = run(*asked, "--scheme", ",".join(names))
    assert [one["scheme"] for one in json.loads(with_comma.out)["rankings"]] == list(names)
    assert run(*asked, "--scheme", names[0], "--scheme", names[1]).out == with_comma.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "a table for each model"),
        (("a.csv", "b.csv"), "higher or lower"),
        (("a.csv", "b.csv", *QUICK, "--scheme", "best"), "scheme"),
        (("a.csv", "b.csv", *QUICK, "--top", "0"), "--top 0"),
        (("a.csv", *QUICK), "model"),
    ],
)
def test_bad_input_says_what_to_do(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run("rank", *arguments)
    assert ran.status != 0
    assert message in ran.err


def test_the_library_draws_these_kinds() -> None:
    ranked = hw.rank({"a": [0.7, 0.8, 0.6], "b": [0.5, 0.4, 0.6]}, metric="dsc", method="t", rng=1)
    with pytest.raises(hw.OptionError, match=f"is none of {', '.join(RANKING_KINDS)}$"):
        hw.plot(ranked, "x")


@pytest.mark.slow
@pytest.mark.parametrize("kind", RANKING_KINDS)
def test_figures_are_written(run: Run, kind: str) -> None:
    challenge = ("challenge.csv", "--model", "algorithm", "--by", "task", "--value", "value")
    ran = run("rank", *challenge, *QUICK, "--plot", f"{kind}.svg", "--plot-kind", kind)
    assert ran.status == 0
    # A podium takes one task at a time.
    pages = [f"{kind}.svg"] if kind != "podium" else ["podium.svg", "podium-2.svg"]
    assert re.findall(r"wrote (.*)", ran.err) == pages
    for name in pages:
        assert Path(name).read_text(encoding="utf-8").startswith("<?xml")


def test_a_figure_of_several_pages_is_several_files(run: Run) -> None:
    challenge = ("challenge.csv", "--model", "algorithm", "--by", "task", "--value", "value")
    ran = run("rank", *challenge, *QUICK, "--plot", "ranks.svg", "--plot-kind", "podium")
    assert ran.status == 0
    assert re.findall(r"wrote (.*)", ran.err) == ["ranks.svg", "ranks-2.svg"]
    assert {path.name for path in Path().glob("*.svg")} == {"ranks.svg", "ranks-2.svg"}
