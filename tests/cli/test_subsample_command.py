"""``halfwidth plan subsample``, and verbs of plan written as options."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support import Run


@pytest.fixture
def dice_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(5).beta(9, 2, 60)
    lines = [f"c{i},{value:.4f}" for i, value in enumerate(values)]
    Path("dice.csv").write_text("\n".join(["case,dice", *lines]) + "\n", encoding="utf-8")
    return Path("dice.csv")


SUBSAMPLE = ("--value", "dice", "--metric", "dsc", "--sizes", "10,60", "--repeats", 5)


def test_all_cases_give_the_interval_of_the_table(run: Run, dice_csv: Path) -> None:
    ran = run("plan", "subsample", dice_csv, *SUBSAMPLE, "--seed", 1, "--ddof", 1, "--json")
    rows = {row["k"]: row for row in json.loads(ran.out)["subsamples"]}
    by_z = run("ci", dice_csv, "--value", "dice", "--metric", "dsc", "--method", "z", "--json")
    (whole,) = json.loads(by_z.out)["estimates"]
    assert rows[60]["high"] == pytest.approx(whole["halfwidth"], rel=1e-12)
    assert rows[60]["mean"] == pytest.approx(whole["value"], rel=1e-12)
    assert rows[10]["high"] > rows[60]["high"]


@pytest.mark.parametrize("spelled", [["--subsample", "dice.csv"], ["--subsample=dice.csv"]])
def test_a_verb_may_be_written_as_an_option(run: Run, dice_csv: Path, spelled: list[str]) -> None:
    as_verb = run("plan", "subsample", dice_csv, *SUBSAMPLE, "--seed", 1)
    as_option = run("plan", *spelled, *SUBSAMPLE, "--seed", 1)
    assert (as_option.status, as_option.out) == (0, as_verb.out)


def test_a_pilot_may_be_written_as_an_option(run: Run, dice_csv: Path) -> None:
    given = ("--value", "dice", "--metric", "dsc", "--method", "t", "--halfwidth", 0.05)
    as_verb = run("plan", "pilot", dice_csv, *given, "--seed", 1)
    as_option = run("plan", "--pilot", dice_csv, *given, "--seed", 1)
    assert (as_option.status, as_option.out) == (0, as_verb.out)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--value dise", "did you mean 'dice'"),
        ("--value dice --sizes 10,x", "--sizes 10,x is neither a number of cases"),
        ("--value dice --sizes 100", "from 60"),
        ("--value dice --sizes 1", "1 is too few"),
        ("--value dice --repeats 0", "--repeats 0"),
        ("--value dice --ddof 2", "--ddof 2"),
    ],
)
def test_what_cannot_be_subsampled(run: Run, dice_csv: Path, arguments: str, words: str) -> None:
    ran = run("plan", "subsample", dice_csv, *arguments.split())
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_samples_of_several_models_are_named(run: Run, dice_csv: Path) -> None:
    header, *lines = dice_csv.read_text(encoding="utf-8").splitlines()
    rows = [f"{line},{model}" for model in ("A", "B") for line in lines]
    Path("two.csv").write_text("\n".join([f"{header},model", *rows]) + "\n", encoding="utf-8")
    ran = run("plan", "subsample", "two.csv", "--value", "dice")
    assert "holds 2 samples (A, B)" in ran.err
    assert run("plan", "subsample", "two.csv", *SUBSAMPLE, "--where", "model=A").status == 0
