"""``halfwidth check``: what it prints, its exit statuses, and real tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support import Run

DICE = np.random.default_rng(2).normal(0.8, 0.05, 30).clip(0, 0.99)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    case = [f"c{at}" for at in range(30)]
    pd.DataFrame({"case": case, "dice": DICE}).to_csv("clean.csv", index=False)
    pd.DataFrame({"case": case, "dice": 100 * DICE}).to_csv("per_cent.csv", index=False)
    pd.DataFrame({"case": case, "liver": DICE}).to_csv("unnamed.csv", index=False)


def test_a_clean_table(run: Run) -> None:
    ran = run("check", "clean.csv", "--strict")
    assert ran.status == 0
    assert ran.out.startswith("clean.csv: 30 rows, 30 cases, 1 column of values.\nNothing found.")
    assert "taken for DSC by the name" in ran.err


def test_findings_with_what_to_do(run: Run) -> None:
    ran = run("check", "per_cent.csv")
    assert ran.status == 0
    assert "Found: 1 error" in ran.out
    assert " HW904  Divide by 100 (scale=100, --scale 100)." in ran.out


@pytest.mark.parametrize(
    ("files", "status"),
    [(["per_cent.csv"], 3), (["unnamed.csv"], 0), (["clean.csv", "per_cent.csv"], 3)],
)
def test_strict_counts_errors_and_warnings_and_no_notes(
    run: Run, files: list[str], status: int
) -> None:
    assert run("check", *files, "--strict").status == status
    assert run("check", *files).status == 0


def test_json_and_csv_and_a_file(run: Run) -> None:
    document = json.loads(run("check", "A=clean.csv", "B=per_cent.csv", "--json").out)
    assert [(one["code"], one["table"]) for one in document["findings"]] == [
        ("HW904", "B"),
        ("HW905", "A"),
    ]
    assert run("check", "clean.csv", "--format", "csv").out.startswith("code,severity,table,label,")
    assert run("check", "per_cent.csv", "--out", "found.md").status == 0
    assert "| HW904 | error |" in Path("found.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a table"),
        (["no.csv"], "no such file"),
        (["clean.csv", "--value", "lung"], "unknown column 'lung'"),
        (["clean.csv", "--model-from", "folder"], "no effect on a single file, clean.csv"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_line(
    run: Run, arguments: list[str], message: str
) -> None:
    ran = run("check", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1


# --------------------------------------------------------------------------- real tables


@pytest.mark.parametrize(
    ("file", "codes"),
    [
        ("segval/hippocampus_3d_dsc.csv", ["HW904"]),
        ("segval/hippocampus_3d_hd95.csv", []),
        ("segval/braintumor_3d_hd95.csv", []),
        ("reader_study/crossed.csv", ["HW907"]),
        ("reader_study/unpaired_readers.csv", ["HW907"]),
        ("reader_study/incomplete.csv", ["HW907", "HW911"]),
    ],
)
def test_real_tables(shared: Path, run: Run, file: str, codes: list[str]) -> None:
    found = json.loads(run("check", shared / "data" / file, "--json").out)["findings"]
    assert sorted({one["code"] for one in found}) == codes


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["dsc", "nsd"])
def test_nine_real_models_have_absent_organs_and_failures_and_nothing_else(
    shared: Path, run: Run, metric: str
) -> None:
    files = sorted((shared / "data" / "touchstone").glob(f"*_{metric}.csv"))
    assert len(files) == 9
    found = json.loads(run("check", *files, "--json").out)["findings"]
    assert {one["code"] for one in found} == {"HW101", "HW103"}
    # Which organs are in a scan is the same for all models.
    counts = {(one["label"], one["count"]) for one in found if one["code"] == "HW101"}
    assert len(counts) == 9
