"""``halfwidth ci`` on good input: the contract of the command line."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support import Run

import halfwidth as hw
from halfwidth.tables.readers import read_table

FORMATS = ["table", "json", "csv", "markdown", "latex"]


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.beta(12, 2, (60, 2)).round(3), columns=["liver", "spleen"])
    frame.insert(0, "case", [f"c{i}" for i in range(60)])
    frame.to_csv(tmp_path / "wide.csv", index=False)
    return tmp_path / "wide.csv"


@pytest.fixture
def long(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "case": np.tile([f"c{i}" for i in range(30)], 4),
            "model": np.repeat(["U-Net", "ViT"], 60),
            "task": np.tile(np.repeat(["liver", "spleen"], 30), 2),
            "dice": rng.beta(12, 2, 120).round(3),
        }
    )
    frame.to_csv(tmp_path / "long.csv", index=False)
    return tmp_path / "long.csv"


# --------------------------------------------------------------------------- real data


def test_published_numbers_of_the_hippocampus(run: Run, shared: Path) -> None:
    ran = run(
        *("ci", shared / "data/segval/hippocampus_3d_dsc.csv", "--value", "metric"),
        *("--metric", "dsc", "--scale", "100", "--statistic", "mean", "--method", "z", "--json"),
    )
    assert ran.status == 0
    assert ran.err == ""
    (e,) = ran.estimates
    assert round(e["value"], 5) == 0.89714
    assert round(e["standard_error"], 5) == 0.00267
    assert round(e["halfwidth"], 4) == 0.0052
    assert (e["n"], e["n_missing"], e["method"], e["cautions"]) == (110, 0, "z", [])


def test_real_organs_are_refused_with_one_clear_line(run: Run, shared: Path) -> None:
    ran = run("ci", shared / "data/touchstone/nnU-Net_U-Net_dsc.csv", "--metric", "dsc")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("halfwidth: column 'aorta': 129 of 743 values are missing (case")
    assert " s0000, s0002, s0003, ...)" in ran.err
    assert ran.err.count("\n") == 1
    assert "omit" in ran.err
    assert "'worst'" in ran.err


def test_real_organs_at_once_with_a_policy(run: Run, shared: Path) -> None:
    ran = run(
        *("ci", shared / "data/touchstone/nnU-Net_U-Net_dsc.csv", "--metric", "dsc"),
        *("--missing", "omit", "--json", "--seed", "1", "--n-resamples", "199"),
    )
    assert ran.status == 0
    assert len(ran.estimates) == 9
    for e in ran.estimates:
        assert e["n"] + e["n_missing"] == 743
        assert e["n_missing"] > 0
        assert 0 <= e["low"] < e["value"] < e["high"] <= 1
        assert e["missing"] == "omit"


# --------------------------------------------------------------------------- output


@pytest.mark.parametrize("fmt", FORMATS)
def test_data_go_to_stdout_and_chatter_to_stderr(fmt: str, run: Run, long: Path) -> None:
    ran = run("ci", long, "--metric", "dsc", "--format", fmt, "--seed", "1")
    assert ran.status == 0
    assert ran.out.endswith("\n")
    assert ran.err == ""
    assert "left out" not in ran.out


def test_nothing_to_say_is_nothing_on_stderr(run: Run, wide: Path) -> None:
    assert run("ci", wide, "--metric", "dsc").err == ""


def test_json_is_short_for_format_json(run: Run, wide: Path) -> None:
    short = run("ci", wide, "--metric", "dsc", "--seed", "4", "--json")
    assert short.out == run("ci", wide, "--metric", "dsc", "--seed", "4", "--format", "json").out


def test_json_equals_what_python_gives(run: Run, wide: Path) -> None:
    ran = run("ci", wide, "--metric", "dsc", "--statistic", "median", "--seed", "4", "--json")
    table = hw.estimate(
        hw.CaseValues.from_table(read_table(wide), metric="dsc"), statistic="median", rng=4
    )
    assert ran.out == table.to_json() + "\n"
    assert json.loads(ran.out)["schema_version"] == 1


def test_json_has_no_nan_and_no_infinity(run: Run, wide: Path) -> None:
    for options in (["--alternative", "lower"], ["--statistic", "quantile:0.999"]):
        ran = run("ci", wide, "--json", "--method", "exact", "--statistic", "median", *options)

        def refuse(constant: str) -> float:
            raise AssertionError(constant)

        json.loads(ran.out, parse_constant=refuse)
    assert ran.estimates[1]["low"] is None


def test_csv_reads_back_as_a_table(run: Run, long: Path) -> None:
    options = ("--value", "dice", "--by", "model", "--by", "task", "--seed", "1")
    ran = run("ci", long, *options, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    entries = run("ci", long, *options, "--json").estimates
    assert [(row["model"], row["task"]) for row in rows] == [
        tuple(e["by"].values()) for e in entries
    ]
    assert [float(row["low"]) for row in rows] == [e["low"] for e in entries]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("flag", ["--out", "-o"])
def test_out_writes_the_same_text_to_a_file(
    fmt: str, flag: str, run: Run, wide: Path, tmp_path: Path
) -> None:
    path = tmp_path / f"größe.{fmt}"
    printed = run("ci", wide, "--metric", "dsc", "--seed", "1", "--format", fmt)
    ran = run("ci", wide, "--metric", "dsc", "--seed", "1", "--format", fmt, flag, path)
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == f"halfwidth: wrote {path}\n"
    assert path.read_bytes().decode() == printed.out


# --------------------------------------------------------------------------- exit status


def test_strict_with_a_caution_is_3_and_still_prints(run: Run, long: Path) -> None:
    options = ("--value", "dice", "--by", "model", "--by", "task", "--method", "basic")
    assert run("ci", long, *options).status == 0
    ran = run("ci", long, *options, "--strict")
    assert ran.status == 3
    assert "HW302" in ran.out


def test_strict_without_a_caution_is_0(run: Run, wide: Path) -> None:
    ran = run("ci", wide, "--statistic", "median", "--strict", "--json")
    assert [e["cautions"] for e in ran.estimates] == [[], []]
    assert ran.status == 0


def test_strict_with_a_file_is_3_too(run: Run, wide: Path, tmp_path: Path) -> None:
    ran = run("ci", wide, "--method", "basic", "--strict", "--out", tmp_path / "o.txt")
    assert ran.status == 3
    assert (tmp_path / "o.txt").read_text(encoding="utf-8")


# --------------------------------------------------------------------------- options


def test_every_option_reaches_the_estimate(run: Run, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"scan": list("abcdefgh"), "d": [10, 20, 30, 25, 15, None, 35, 5], "x": range(8)}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    (e,) = run(
        *("ci", tmp_path / "t.csv", "--value", "d", "--case", "scan", "--metric", "my distance"),
        *("--bounds", "0,inf", "--scale", "10", "--missing", "worst", "--penalty", "9"),
        *("--statistic", "trimmed_mean:0.1", "--method", "percentile", "--confidence-level", "0.9"),
        *("--alternative", "upper", "--n-resamples", "300", "--seed", "12", "--json"),
    ).estimates
    alone = hw.summary_ci(
        [1, 2, 3, 2.5, 1.5, math.nan, 3.5, 0.5],
        metric="my distance",
        bounds=(0, math.inf),
        missing="worst",
        penalty=9,
        statistic="trimmed_mean:0.1",
        method="percentile",
        confidence_level=0.9,
        alternative="upper",
        n_resamples=300,
        rng=12,
    )
    expected = alone.to_dict() | {"label": "d"}
    assert e == expected
    assert (e["seed"], e["n_resamples"], e["parameters"]) == (12, 300, {"share": 0.1})


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_one_sided(side: str, run: Run, wide: Path) -> None:
    options = ("ci", wide, "--metric", "dsc", "--method", "t")
    both = run(*options, "--json", "--confidence-level", "0.9").estimates
    for e, two_sided in zip(
        run(*options, "--json", "--alternative", side).estimates, both, strict=True
    ):
        low, high = (two_sided["low"], 1.0) if side == "lower" else (0.0, two_sided["high"])
        assert (e["low"], e["high"]) == pytest.approx((low, high))
        assert e["halfwidth"] is None
    table = run(*options, "--alternative", side).out
    assert {"lower": "≥", "upper": "≤"}[side] in table
    assert " to " not in table


def test_a_one_sided_table_shows_more_than_the_value_rounded(run: Run, wide: Path) -> None:
    table = run("ci", wide, "--metric", "dsc", "--method", "t", "--alternative", "lower").out
    row = next(line for line in table.splitlines() if line.startswith("liver"))
    _, _, value, _, bound, *_ = row.split()
    assert float(bound) < float(value)


def test_the_same_seed_prints_the_same_and_another_does_not(run: Run, wide: Path) -> None:
    drawn = ("--method", "bca", "--n-resamples", 999)
    options = ("ci", wide, "--metric", "dsc", *drawn, "--json", "--seed")
    assert run(*options, 1).out == run(*options, 1).out
    assert run(*options, 1).out != run(*options, 2).out


def test_the_seed_that_is_printed_reproduces_the_table(run: Run, wide: Path) -> None:
    options = ("ci", wide, "--metric", "dsc", "--method", "bca", "--n-resamples", 999)
    first = run(*options).out
    seed = first.splitlines()[-1].split()[1].rstrip(",")
    assert run(*options, "--seed", seed).out == first


def test_means_print_the_same_without_a_seed(run: Run, wide: Path) -> None:
    first = run("ci", wide, "--metric", "dsc", "--method", "bca").out
    assert run("ci", wide, "--metric", "dsc", "--method", "bca").out == first
    assert "seed" not in first.lower()


def test_several_statistics(run: Run, wide: Path) -> None:
    ran = run("ci", wide, "--value", "liver", "--statistic", "mean", "--statistic", "sd", "--json")
    assert [e["statistic"] for e in ran.estimates] == ["mean", "sd"]


# --------------------------------------------------------------------------- layouts


def test_all_numeric_columns_by_default(run: Run, wide: Path) -> None:
    assert [e["label"] for e in run("ci", wide, "--json").estimates] == ["liver", "spleen"]


def test_named_columns_in_the_order_given(run: Run, wide: Path) -> None:
    ran = run("ci", wide, "--value", "spleen", "--value", "liver", "--json")
    assert [e["label"] for e in ran.estimates] == ["spleen", "liver"]


def test_a_long_table_by_model_and_task(run: Run, long: Path) -> None:
    ran = run(
        *("ci", long, "--value", "dice", "--by", "model", "--by", "task", "--metric", "dsc"),
        "--json",
    )
    assert [e["label"] for e in ran.estimates] == [
        *("U-Net / liver", "U-Net / spleen", "ViT / liver", "ViT / spleen"),
    ]
    assert ran.estimates[0]["by"] == {"model": "U-Net", "task": "liver"}
    assert [e["n"] for e in ran.estimates] == [30] * 4


def test_a_canonical_table(run: Run, tmp_path: Path) -> None:
    lines = ["case,metric,value,model,status,parameters"]
    for i in range(12):
        status = "not applicable" if i % 4 == 0 else "ok"
        lines += [
            f"c{i},dsc,0.{70 + i},U-Net,ok,",
            f"c{i},nsd,{'' if i % 4 == 0 else f'0.{60 + i}'},U-Net,{status},tolerance=3",
        ]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    ran = run("ci", tmp_path / "t.csv", "--json")
    assert ran.err == "halfwidth: left out: 3 rows that are not applicable\n"
    dsc, nsd = ran.estimates
    assert (dsc["metric"], dsc["n"], dsc["parameters"]) == ("dsc", 12, {})
    assert (nsd["metric"], nsd["n"], nsd["parameters"]) == ("nsd", 9, {"tolerance": 3.0})
    assert nsd["n_missing"] == 0
    chosen = run("ci", tmp_path / "t.csv", "--metric", "nsd", "--json").estimates
    assert [e["metric"] for e in chosen] == ["nsd"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".xlsx"])
def test_every_kind_of_file(suffix: str, run: Run, long: Path, tmp_path: Path) -> None:
    frame, path = pd.read_csv(long), tmp_path / f"copy{suffix}"
    {
        ".csv": lambda: frame.to_csv(path, index=False),
        ".tsv": lambda: frame.to_csv(path, index=False, sep="\t"),
        ".parquet": lambda: frame.to_parquet(path),
        ".xlsx": lambda: frame.to_excel(path, index=False),
    }[suffix]()
    options = ("--value", "dice", "--by", "model", "--method", "bca", "--seed", "1", "--json")
    assert run("ci", path, *options).estimates == run("ci", long, *options).estimates


def test_the_order_of_rows_does_not_matter(run: Run, wide: Path, tmp_path: Path) -> None:
    header, *rows = wide.read_text().splitlines()
    (tmp_path / "turned.csv").write_text("\n".join([header, *rows[::-1]]))
    options = ("--method", "bca", "--seed", "1", "--json")
    assert run("ci", tmp_path / "turned.csv", *options).out == run("ci", wide, *options).out


def test_names_beyond_ascii(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "größe_測試.csv"
    rows = [f"ä{i},Modell ß,0.{70 + i},0.{60 + i}" for i in range(20)]
    path.write_text("\n".join(["case,модель,größe,肝臓", *rows]), encoding="utf-8")
    ran = run("ci", path, "--by", "модель", "--metric", "dsc", "--json")
    assert [e["label"] for e in ran.estimates] == ["Modell ß / größe", "Modell ß / 肝臓"]
    assert "肝臓" in run("ci", path, "--metric", "dsc").out


def test_three_hundred_columns(run: Run, tmp_path: Path) -> None:
    values = np.random.default_rng(1).beta(8, 1, (40, 300)).round(3)
    frame = pd.DataFrame(values, columns=[f"structure_{i:03d}" for i in range(300)])
    frame.to_csv(tmp_path / "t.csv", index=False)
    ran = run("ci", tmp_path / "t.csv", "--metric", "dsc", "--seed", "1")
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("structure_") for line in lines) == 300
    # Cautions are gathered, not repeated three hundred times.
    assert len(lines) < 330


@pytest.mark.sampled(2)
@pytest.mark.parametrize("statistics", [["mean"], ["mean", "median"]])
@pytest.mark.parametrize("side", ["two-sided", "lower"])
def test_tables_of_real_data_fit_80_columns(
    statistics: list[str], side: str, run: Run, shared: Path
) -> None:
    chosen = [word for name in statistics for word in ("--statistic", name)]
    ran = run(
        *("ci", shared / "data/touchstone/MedFormer_nsd.csv", "--metric", "nsd:tolerance=2"),
        *("--missing", "omit", "--n-resamples", "199", "--alternative", side, *chosen),
    )
    assert ran.status == 0
    assert max(map(len, ran.out.splitlines())) <= 80


def test_a_long_job_is_announced(run: Run, wide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("halfwidth.cli.output.LONG_JOB", 1000)
    monkeypatch.setattr("halfwidth.resampling.kernels.native.available", lambda: False)
    assert "60 rows and 99 resamples may take minutes" in run("ci", wide, "--n-resamples", 99).err
    assert "minutes" not in run("ci", wide, "--method", "t").err


def test_columns_of_truth_values_count_right_and_wrong(run: Run, tmp_path: Path) -> None:
    rows = ["metric,case,value", "correct,a,True", "correct,b,false", "correct,c,1"]
    (tmp_path / "t.csv").write_text("\n".join([*rows, "dsc,a,0.9", "dsc,b,0.8", "dsc,c,0.7"]))
    first, second = run("ci", tmp_path / "t.csv", "--statistic", "mean", "--json").estimates
    assert (first["metric"], first["value"]) == ("correct", pytest.approx(2 / 3))
    assert (second["metric"], second["value"]) == ("dsc", pytest.approx(0.8))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
@pytest.mark.parametrize("name", ["x" * 20_000, "word " * 4_000], ids=["letters", "words"])
def test_names_without_end_lose_their_middle(
    name: str, form: str, run: Run, tmp_path: Path
) -> None:
    rows = [f"c{place},{place / 40}" for place in range(40)]
    (tmp_path / "t.csv").write_text("\n".join([f"case,first {name} last", *rows]))
    ran = run("ci", tmp_path / "t.csv", "--method", "t", "--format", form)
    assert ran.status == 0
    assert len(ran.out) < 4_000
    assert "first" in ran.out
    assert "last" in ran.out
    # Programs get all of it.
    (e,) = run("ci", tmp_path / "t.csv", "--method", "t", "--json").estimates
    assert len(e["label"]) > 19_000


@pytest.mark.parametrize("before", ["", "ci ", "ci --", "ci t.csv --out "])
def test_words_without_end_are_cut_in_errors(
    before: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("case,dsc\na,0.5\nb,0.6\nc,0.8\n")
    ran = run(*f"{before}{'x' * 20_000}".split())
    assert (ran.status, ran.out) == (2, "")
    assert len(ran.err) < 500
