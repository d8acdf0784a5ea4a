"""``halfwidth review`` and the verb for subsamples: commands, formats, bad input."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from support import Run

import halfwidth as hw

ROOT = Path(__file__).resolve().parents[2]
MEAN = ("review", "--n", 50, "--mean", 0.85, "--sd", "0.10", "--metric", "dsc")
LED = (*MEAN, "--versus", 0.83)
SUBSAMPLE = ("plan", "subsample")


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_mean_with_its_sd(run: Run) -> None:
    ran = run(*MEAN)
    assert (ran.status, ran.err) == (0, "")
    assert "mean DSC   50  0.850  0.822 to 0.878  0.028  t" in ran.out
    assert "From n = 50 and an SD of 0.100 the mean DSC of 0.850 has a 95 % CI" in flat(ran.out)
    assert max(map(len, ran.out.splitlines())) <= 80


def test_a_lead_is_shown_by_correlation(run: Run) -> None:
    ran = run(*LED)
    rows = [line.split() for line in ran.out.splitlines() if line.startswith("       0.")]
    assert [row[0] for row in rows] == ["0.00", "0.50", "0.70", "0.80", "0.90", "0.95"]
    assert [row[-1] for row in rows] == ["no", "no", "no", "yes", "yes", "yes"]
    assert "only if the correlation of the per-case values is 0.76 or more" in flat(ran.out)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--mean", 0.85, "--sem", 0.0141, "--metric", "dsc"), "50 0.850 0.822 to 0.878 0.028 t"),
        (("--mean", 0.85, "--metric", "dsc"), "50 0.85 0.79 to 0.91 0.06 t HW106"),
        (("--mean", 85, "--sd", 10, "--metric", "dsc", "--scale", 100), "0.822 to 0.878"),
        (("--correct", 45), "proportion 50 0.90 0.79 to 0.96 0.09 wilson"),
        (("--auroc", 0.91, "--positives", 20), "delong_logit"),
        (("--mean", 7, "--sd", 3, "--bounds", "0,10"), "mean 50 7.0 6.1 to 7.9 0.9 t"),
        (("--mean", 0.85, "--sd", 0.1, "--confidence-level", 0.9), "90 % CI"),
        (("--mean", 1.2, "--sd", 0.5, "--metric", "hd95"), "mean HD95 [mm] 50 1.20 1.06 to 1.34"),
        (("--correct", 45, "--versus-correct", 40), "correlation of the case outcomes"),
    ],
)
def test_other_published_numbers(arguments: tuple[object, ...], text: str, run: Run) -> None:
    ran = run("review", "--n", 50, *arguments)
    assert ran.status == 0
    assert text in flat(ran.out)
    assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.parametrize("arguments", [LED, (*LED[:5], "--metric", "dsc", "--versus", 0.83)])
@pytest.mark.parametrize("fmt", ["table", "json", "csv", "markdown", "latex"])
def test_every_format_has_the_interval(fmt: str, arguments: tuple[object, ...], run: Run) -> None:
    ran = run(*arguments, "--format", fmt)
    assert (ran.status, ran.err) == (0, "")
    wanted = hw.planning.review(
        50, mean=0.85, sd=0.10 if "--sd" in arguments else None, metric="dsc", versus=0.83
    )
    if fmt == "json":
        made = json.loads(ran.out)
        assert made["schema_version"] == 1
        (only,) = made["reviews"]
        assert only == json.loads(wanted.estimate.to_json())["estimates"][0] | only
        assert only["paragraph"] == wanted.paragraph()
        assert len(only["lead"]["rows"]) == 6
    elif fmt == "csv":
        (row,) = csv.DictReader(io.StringIO(ran.out))
        assert float(row["low"]) == wanted.low
        assert float(row["difference"]) == pytest.approx(0.02)
    else:
        places = wanted.estimate.decimals
        assert f"{wanted.low:.{places}f} to {wanted.high:.{places}f}" in ran.out


def test_latex_is_escaped(run: Run) -> None:
    ran = run(*LED, "--label", "a_b & 50%", "--format", "latex")
    assert r"a\_b \& 50\%" in ran.out
    assert r"95 \% CI" in ran.out
    assert ran.out.count("\\begin{tabular}") == ran.out.count("\\end{tabular}") == 2


def test_a_table_of_published_numbers(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "published.csv"
    file.write_text(
        "label,n,mean,sd,correct,versus,year\n"
        "Net A,50,0.85,0.10,,0.83,2024\n"
        "Net B,110,0.897,,,,2023\n"
        "CNN,200,,,181,,2022\n"
    )
    ran = run("review", file, "--metric", "dsc")
    assert ran.status == 0
    assert ran.err == "halfwidth: columns left out: year\n"
    lines = flat(ran.out)
    assert "Net A mean DSC 50 0.850 0.822 to 0.878 0.028 t" in lines
    assert "Net B mean DSC 110 0.897 0.864 to 0.930 0.033 t HW106" in lines
    assert "CNN proportion 200 0.91 0.86 to 0.94 0.04 wilson" in lines
    assert "Net A 0.830 0.020 0.76" in lines
    out = tmp_path / "out.json"
    assert run("review", file, "--metric", "dsc", "--out", out).status == 0
    assert [item["label"] for item in json.loads(out.read_text())["reviews"]] == [
        "Net A",
        "Net B",
        "CNN",
    ]


def test_the_page_prints_what_the_commands_print(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"```text\n(label,n,.*?)```", text, flags=re.DOTALL)
    (tmp_path / "published.csv").write_text(table)
    (paper,) = re.findall(r"```text\n(Model,.*?)```", text, flags=re.DOTALL)
    (tmp_path / "paper.csv").write_text(paper)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```console\n\$ halfwidth (.*?)\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 8
    for command, printed in blocks:
        ran = run(*command.split())
        assert ran.out + ran.err == printed


@pytest.mark.slow
def test_the_subsamples_of_the_page_are_those_of_the_command(
    run: Run, shared: Path, tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"`halfwidth plan subsample (\S+) (.*?)`", text)
    (printed,) = re.findall(r"```text\n( +half-.*?)```", text, flags=re.DOTALL)
    out = tmp_path / "out.txt"
    file = shared / "data" / "segval" / command[0]
    assert run(*SUBSAMPLE, file, *command[1].split(), "--out", out).status == 0
    assert out.read_text() == printed


def test_strict_turns_a_caution_into_a_status(run: Run) -> None:
    assert run(*MEAN, "--strict").status == 0
    assert run("review", "--n", 50, "--mean", 0.85, "--metric", "dsc", "--strict").status == 3


BAD: list[tuple[tuple[object, ...], str]] = [
    (("--n", 1, "--mean", 0.85, "--sd", 0.1), "n=1 allows no interval: one case has no spread"),
    (("--n", 50, "--mean", 0.85, "--sd", -0.1), "sd -0.1 is negative"),
    (("--n", 50, "--mean", 85, "--sd", 10, "--metric", "dsc"), "--scale 100"),
    (("--n", 50, "--mean", 0.85, "--sd", 0.1, "--confidence-level", 95), "for 95 % write 0.95"),
    (("--n", 50, "--correct", 51), "correct 51 of n=50"),
    (("--n", 50, "--auroc", 0.9, "--positives", 50), "positives 50 of n=50"),
    (("--n", 50, "--mean", 0.8, "--sd", 0.1, "--sem", 0.1), "sd and sem exclude each other"),
    (("--n", 50, "--mean", 0.8, "--sd", 0.1, "--metric", "dcs"), "did you mean 'dsc'"),
    (("--n", 50, "--mean", 0.85, "--sd", 0.5, "--metric", "dsc"), "sd 0.5 is impossible"),
    (("--n", 50, "--mean", 0.85), "give sd (or sem) as published"),
    (("--n", 2.5, "--mean", 0.85), "--n 2.5 is not what the option takes: a valid integer. Try"),
    (("--mean", 0.85), "say what was published, --n N and"),
    ((), "say what was published, --n N and"),
    (("nowhere.csv",), "nowhere.csv: no such file"),
    (("nowhere.csv", "--label", "A"), "--label has no effect with a table"),
    (("--n", 50, "--mean", 0.8, "--plus-minus", "sd"), "--plus-minus is for a table"),
    (("--n", 50, "--mean", 0.8, "--compare", "best"), "--compare is for a table"),
    (("nowhere.csv", "--versus-sd", 5), "--versus-sd has no effect with a table"),
]


@pytest.mark.parametrize(("arguments", "text"), BAD)
def test_bad_input_is_one_plain_line_and_status_2(
    arguments: tuple[object, ...], text: str, run: Run
) -> None:
    ran = run("review", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert text in ran.err
    assert ran.err.startswith("halfwidth: ")
    assert ran.err.count("\n") == 1


# --------------------------------------------------------------------------- subsamples


@pytest.fixture
def dice(tmp_path: Path) -> Path:
    values = np.random.default_rng(0).beta(6, 2, 40)
    file = tmp_path / "dice.csv"
    rows = (f"c{place},{value}\n" for place, value in enumerate(values))
    file.write_text("case,dice\n" + "".join(rows))
    return file


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fmt", ["table", "json", "csv", "markdown", "latex"])
def test_subsamples_of_a_table(run: Run, fmt: str, dice: Path, tmp_path: Path) -> None:
    out, figure = tmp_path / "out.txt", tmp_path / "sizes.svg"
    how = ("--metric", "dsc", "--seed", 1, "--sizes", "10,40", "--repeats", 9)
    ran = run(*SUBSAMPLE, dice, *how, "--format", fmt, "--out", out, "--plot", figure)
    assert ran.status == 0, ran.err
    values = [float(line.split(",")[1]) for line in dice.read_text().splitlines()[1:]]
    found = hw.planning.subsample(values, sizes=[10, 40], repeats=9, metric="dsc", rng=1)
    text = out.read_text()
    if fmt == "json":
        assert json.loads(text) == found.to_dict() | {"label": "dice"}
    elif fmt == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [float(row["sem"]) for row in rows] == [row.sem for row in found.rows]
    else:
        assert f"{found.rows[0].mean:.3f}" in text
        assert f"{found.rows[0].boot_low:.3f} to {found.rows[0].boot_high:.3f}" in text
    assert figure.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--sizes", "10,50"), "a subsample of 50 cases cannot be drawn"),
        (("--sizes", "ten"), "--sizes ten is neither a number of cases"),
        (("--value", "dise"), "did you mean 'dice'"),
        (("--plot", "x.bmp"), "end the name in one of them"),
        (("--plot", "nowhere/x.png"), "no folder nowhere"),
        (("--format", "xml"), "unknown format 'xml'"),
    ],
)
def test_bad_options_of_subsamples(
    run: Run, arguments: tuple[object, ...], text: str, dice: Path
) -> None:
    ran = run(*SUBSAMPLE, dice, *arguments)
    assert ran.status == 2
    assert text in flat(ran.err)


def test_a_table_with_several_columns_wants_a_name(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b\n1,2\n3,4\n")
    assert "several numeric columns (a, b)" in run(*SUBSAMPLE, file).err
