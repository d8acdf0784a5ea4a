"""``halfwidth ci --target`` on tables with several rows of a patient."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support import Run

N, SLICES = 240, 12
RNG = np.random.default_rng(4)
PATIENT = np.arange(N) // SLICES
Y = PATIENT % 2
P = 1 / (1 + np.exp(-(RNG.normal(size=N // SLICES)[PATIENT] + Y + 0.2 * RNG.normal(size=N))))


@pytest.fixture
def slices(tmp_path: Path) -> Path:
    file = tmp_path / "slices.csv"
    lines = [
        f"P{p:02d},{i},{p % 2},{s:.5f}" for i, (p, s) in enumerate(zip(PATIENT, P, strict=True))
    ]
    file.write_text("\n".join(["PatientID,slice,y,prob", *lines]), encoding="utf-8")
    return file


def named(file: Path, name: str) -> Path:
    text = file.read_text(encoding="utf-8").replace("PatientID", name)
    file.write_text(text, encoding="utf-8")
    return file


ASK = ("--target", "y", "--score", "prob", "--metric", "auroc", "--json")


@pytest.mark.parametrize("name", ["patient", "Subject ID", "study"])
def test_several_rows_of_a_patient_are_cautioned(slices: Path, name: str, run: Run) -> None:
    ran = run("ci", named(slices, name), *ASK, "--strict")
    assert ran.status == 3
    (made,) = ran.estimates
    (raised,) = [c for c in made["cautions"] if c["code"] == "HW402"]
    assert raised["message"] == (
        f"Column {name!r} repeats: 240 cases share 20 levels of it, and are taken as independent."
    )


def test_cases_that_repeat_are_cautioned(slices: Path, run: Run) -> None:
    ran = run("ci", named(slices, "case_id"), *ASK, "--strict")
    assert ran.status == 3
    (made,) = ran.estimates
    assert [c["code"] for c in made["cautions"]] == ["HW102"]


def test_models_are_told_apart_unless_their_column_has_another_part(slices: Path, run: Run) -> None:
    models = named(slices, "model")
    asked = ("--target", "y", "--score", "prob", "--metric", "accuracy", "--json")
    each = run("ci", models, *asked).estimates
    assert len(each) == 20
    assert each[0]["by"] == {"model": "P00"}
    (together,) = run("ci", models, *asked, "--groups", "model").estimates
    assert together["n_groups"] == 20


def test_clusters_end_the_caution_and_the_interval_is_wider(slices: Path, run: Run) -> None:
    (plain,) = run("ci", slices, *ASK).estimates
    ran = run("ci", slices, *ASK, "--groups", "PatientID", "--strict")
    (grouped,) = ran.estimates
    assert not {"HW102", "HW402"} & {c["code"] for c in grouped["cautions"]}
    assert grouped["halfwidth"] > 2 * plain["halfwidth"]


def test_every_metric_of_the_call_is_cautioned_and_the_row_count_is_of_cases_used(
    slices: Path, run: Run
) -> None:
    lines = slices.read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].rsplit(",", 1)[0] + ","
    slices.write_text("\n".join(lines), encoding="utf-8")
    made = run("ci", slices, *ASK, "--metric", "accuracy", "--missing", "omit").estimates
    said = [c["message"] for e in made for c in e["cautions"] if c["code"] == "HW402"]
    assert len(said) == len(made) == 2
    assert all("239 cases share 20 levels" in text for text in said)


def test_one_row_of_each_patient_and_one_study_need_no_caution(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "t.csv"
    lines = [f"p{i},trial 1,{y},{s:.4f}" for i, (y, s) in enumerate(zip(Y, P, strict=True))]
    file.write_text("\n".join(["patient,study,y,prob", *lines]), encoding="utf-8")
    ran = run("ci", file, *ASK, "--strict")
    assert ran.status == 0, ran.out
