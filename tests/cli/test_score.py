"""``halfwidth score``: masks in, a per-case table and its summary out; bad input in plain words."""

from __future__ import annotations

import csv
import io
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from support import Ran, Run

# Published without types.
nibabel: Any = import_module("nibabel")

COLUMNS = ["case", "label", "metric", "value", "status", "parameters"]


def save(folder: Path, case: str, voxels: NDArray[np.uint8]) -> Path:
    """A NIfTI file with voxels of 1.5 x 1 x 1 mm."""
    folder.mkdir(exist_ok=True)
    file = folder / f"{case}.nii.gz"
    nibabel.save(nibabel.Nifti1Image(voxels.T, np.diag([1, 1, 1.5, 1])), file)
    return file


def truth() -> NDArray[np.uint8]:
    labels = np.zeros((10, 22, 24), dtype=np.uint8)
    labels[2:8, 2:12, 2:11], labels[2:8, 8:20, 14:23] = 1, 2
    return labels


def shifted(by: int) -> NDArray[np.uint8]:
    return np.roll(truth(), by, axis=1)


def without(label: int, labels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.where(labels == label, 0, labels).astype(np.uint8)


@pytest.fixture
def masks(tmp_path: Path) -> tuple[Path, Path]:
    """Four cases with both labels."""
    pair = tmp_path / "pred", tmp_path / "ref"
    for i, by in enumerate((0, 1, 2, 1)):
        save(pair[0], f"case{i}", shifted(by))
        save(pair[1], f"case{i}", truth())
    return pair


@pytest.fixture
def gaps(masks: tuple[Path, Path]) -> tuple[Path, Path]:
    """The same; label 2 is missed, spurious, and not there."""
    pred, ref = masks
    save(pred, "case1", without(2, shifted(1)))
    save(ref, "case2", without(2, truth()))
    save(pred, "case3", without(2, shifted(1)))
    save(ref, "case3", without(2, truth()))
    return masks


def table(text: str, separator: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter=separator))


def of_rows(rows: list[dict[str, str]]) -> dict[tuple[str, str, str], str]:
    return {(row["case"], row["label"], row["metric"]): row["value"] for row in rows}


def refused(ran: Ran, *said: str) -> None:
    """One plain line that says what is wrong, and nothing else."""
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("halfwidth: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    for part in said:
        assert part in ran.err


# What comes out.


def test_without_out_the_table_goes_to_stdout(masks: tuple[Path, Path], run: Run) -> None:
    ran = run("score", *masks)
    assert ran.status == 0
    assert ran.out.splitlines()[0] == "case,label,metric,value,status,parameters"
    rows = table(ran.out)
    assert len(rows) == 4 * 2 * 2
    assert of_rows(rows)["case1", "1", "dsc"] == "0.9"
    assert of_rows(rows)["case2", "2", "hd95"] == "2.0"
    assert {row["status"] for row in rows} == {"ok"}
    assert "mean HD95" in " ".join(ran.err.split())


def test_the_command_of_the_issue(masks: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    file, out = tmp_path / "per_label.toml", tmp_path / "cases.csv"
    file.write_text("1 = 3\n")
    ran = run(
        *("score", *masks, "--metric", "dsc,hd95,nsd", "--tolerance", 2),
        *("--tolerance-file", file, "--jobs", 1, "-o", out),
    )
    assert ran.status == 0
    rows = table(out.read_text())
    assert list(rows[0]) == COLUMNS
    assert [row["metric"] for row in rows[:6]] == ["dsc", "hd95", "nsd"] * 2
    assert [row["parameters"] for row in rows[2:6:3]] == ["tolerance=3", "tolerance=2"]
    assert {row["parameters"] for row in rows if row["metric"] != "nsd"} == {""}
    assert "mean DSC" in ran.out
    assert "NSD" in ran.out
    assert f"wrote {out} (4 cases" in ran.err
    ran = run("ci", out, "--by", "label", "--json")
    assert ran.status == 0
    assert [(e["label"], e["metric"]) for e in ran.estimates] == [
        (label, metric) for label in "12" for metric in ("dsc", "hd95", "nsd")
    ]
    assert [e["parameters"] for e in ran.estimates][2::3] == [{"tolerance": 3}, {"tolerance": 2}]
    assert [e["n"] for e in ran.estimates] == [4] * 6


def test_the_summary_is_what_ci_says_of_the_table(
    masks: tuple[Path, Path], run: Run, tmp_path: Path
) -> None:
    out = tmp_path / "cases.csv"
    scored = run("score", *masks, "--json", "--seed", 7, "-o", out)
    read = run("ci", out, "--by", "label", "--json", "--seed", 7)
    assert scored.status == read.status == 0
    assert scored.estimates == read.estimates
    given = ("--statistic", "median", "--confidence-level", 0.9, "--method", "percentile")
    again = run("score", *masks, "--json", "--seed", 7, "-o", out, *given)
    assert (
        again.estimates == run("ci", out, "--by", "label", "--json", "--seed", 7, *given).estimates
    )
    assert {(e["statistic"], e["confidence_level"]) for e in again.estimates} == {("median", 0.9)}


def test_json_without_out_is_the_table(gaps: tuple[Path, Path], run: Run) -> None:
    ran = run("score", *gaps, "--json")
    content = json.loads(ran.out, parse_constant=pytest.fail)
    assert list(content) == ["schema_version", "cases", "cautions"]
    assert len(content["cases"]) == 4 * 2 * 2
    assert {row["status"] for row in content["cases"]} == {
        "ok",
        "missed",
        "spurious",
        "not applicable",
    }
    assert [caution["code"] for caution in content["cautions"]] == ["HW104"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".CSV"])
def test_tables_of_all_formats_hold_the_same(
    gaps: tuple[Path, Path], run: Run, tmp_path: Path, suffix: str
) -> None:
    wanted = pd.read_csv(io.StringIO(run("score", *gaps, "--no-summary").out))
    out = tmp_path / f"cases{suffix}"
    ran = run("score", *gaps, "--no-summary", "-o", out)
    assert ran.status == 0
    assert ran.out == ""
    if suffix == ".parquet":
        found = pd.read_parquet(out)
        found["label"] = found["label"].astype(int)
        found["parameters"] = found["parameters"].replace("", None).astype(float)
    else:
        found = pd.read_csv(out, sep="\t" if suffix == ".tsv" else ",")
    assert list(found.columns) == COLUMNS
    pd.testing.assert_frame_equal(found, wanted)
    read = run("ci", out, "--by", "label", "--metric", "dsc", "--json")
    assert [e["n"] for e in read.estimates] == [4, 3]


def test_a_table_replaces_another(masks: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    out = tmp_path / "cases.csv"
    out.write_text("what was there before\n")
    assert run("score", *masks, "--no-summary", "-o", out).status == 0
    assert out.read_text().startswith("case,")
    assert [file.name for file in tmp_path.iterdir() if "cases" in file.name] == ["cases.csv"]


def test_infinite_and_missing_values_are_written_as_such(gaps: tuple[Path, Path], run: Run) -> None:
    values = of_rows(table(run("score", *gaps, "--no-summary").out))
    assert values["case1", "2", "hd95"] == "inf"
    assert values["case1", "2", "dsc"] == "0.0"
    assert values["case3", "2", "dsc"] == values["case3", "2", "hd95"] == ""


def test_a_single_pair_has_no_summary(masks: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    pair = [folder / "case1.nii.gz" for folder in masks]
    ran = run("score", *pair, "--metric", "dsc,nsd", "--tolerance", "msd:liver")
    assert ran.status == 0
    assert ran.err == ""
    rows = table(ran.out)
    assert [(row["case"], row["label"]) for row in rows] == [("case1", label) for label in "1122"]
    assert [row["parameters"] for row in rows] == ["", "tolerance=7"] * 2
    ran = run("score", *pair, "-o", tmp_path / "one.csv")
    assert ran.status == 0
    assert ran.out == ""


def test_two_folders_of_one_case_have_no_summary(tmp_path: Path, run: Run) -> None:
    pair = tmp_path / "pred", tmp_path / "ref"
    for folder in pair:
        save(folder, "a", truth())
    ran = run("score", *pair)
    assert ran.status == 0
    assert ran.err == ""


def test_without_a_summary_there_is_none(masks: tuple[Path, Path], run: Run) -> None:
    ran = run("score", *masks, "--no-summary")
    assert ran.status == 0
    assert ran.err == ""


@pytest.mark.parametrize(
    ("fmt", "said"),
    [("table", "half-"), ("csv", "label,"), ("markdown", "|"), ("latex", "\\begin")],
)
def test_with_out_the_format_is_that_of_the_summary(
    masks: tuple[Path, Path], run: Run, tmp_path: Path, fmt: str, said: str
) -> None:
    ran = run("score", *masks, "-o", tmp_path / "cases.csv", "--format", fmt)
    assert ran.status == 0
    assert said in ran.out
    assert (tmp_path / "cases.csv").read_text().startswith("case,label")


# What has no value.


def test_the_summary_leaves_out_what_has_infinite_values(
    gaps: tuple[Path, Path], run: Run, tmp_path: Path
) -> None:
    ran = run("score", *gaps, "-o", tmp_path / "cases.csv", "--json")
    assert ran.status == 0
    assert [(e["label"], e["metric"]) for e in ran.estimates] == [
        ("1", "dsc"),
        ("1", "hd95"),
        ("2", "dsc"),
    ]
    assert [e["n"] for e in ran.estimates] == [4, 4, 3]
    assert "no interval for hd95 of 2" in ran.err
    assert "--missing omit" in ran.err
    assert "--missing worst" in ran.err
    assert "--penalty" in ran.err


def test_where_nothing_is_left_there_is_no_summary(
    gaps: tuple[Path, Path], run: Run, tmp_path: Path
) -> None:
    out = tmp_path / "cases.csv"
    ran = run("score", *gaps, "--metric", "hd95", "--label", 2, "-o", out)
    assert ran.status == 0
    assert ran.out == ""
    assert "no interval for hd95 of 2" in ran.err


def test_failures_count_as_the_penalty(gaps: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    out = tmp_path / "cases.csv"
    given = ("--missing", "worst", "--penalty", 374, "--json")
    scored = run("score", *gaps, "-o", out, *given)
    read = run("ci", out, "--by", "label", *given)
    for ran in (scored, read):
        assert ran.status == 0
        values = {(e["label"], e["metric"]): e["value"] for e in ran.estimates}
        assert values["2", "dsc"] == pytest.approx(1 / 3)
        assert values["2", "hd95"] == pytest.approx(2 * 374 / 3)
        assert values["1", "dsc"] == pytest.approx((1 + 0.9 + 0.8 + 0.9) / 4)
    one = run("ci", out, "--by", "label", "--metric", "hd95", *given)
    assert [e["value"] for e in one.estimates] == [
        values["1", "hd95"],
        pytest.approx(values["2", "hd95"]),
    ]


def test_failures_may_be_left_out(gaps: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    ran = run("score", *gaps, "-o", tmp_path / "cases.csv", "--missing", "omit", "--json")
    assert ran.status == 0
    (hd,) = [e for e in ran.estimates if (e["label"], e["metric"]) == ("2", "hd95")]
    assert (hd["n"], hd["n_missing"], hd["value"]) == (1, 2, 0)


def test_a_missing_prediction_is_an_error_or_missed(masks: tuple[Path, Path], run: Run) -> None:
    (masks[0] / "case2.nii.gz").unlink()
    save(masks[0], "case9", truth())
    refused(run("score", *masks), "'case2'", "'case9'", "--allow-missing")
    ran = run("score", *masks, "--allow-missing")
    assert ran.status == 0
    rows = [row for row in table(ran.out) if row["case"] == "case2"]
    assert {row["status"] for row in rows} == {"missed"}
    assert "'case2'" in ran.err
    assert "scored as missed" in ran.err


# Options.


def test_strict_turns_a_caution_into_a_status(
    masks: tuple[Path, Path], run: Run, tmp_path: Path
) -> None:
    out = tmp_path / "cases.csv"
    assert run("score", *masks, "--strict", "--no-summary", "-o", out).status == 0
    # Few cases: a caution of the summary.
    assert run("score", *masks, "--strict", "-o", out).status == 3
    again = ("score", *masks, "--strict", "--no-summary", "--spacing", 1, "-o", out)
    ran = run(*again)
    assert ran.status == 3
    assert "HW504" in ran.err
    assert "wrote" in ran.err
    assert out.exists()
    quiet = run(*again, "--quiet")
    assert (quiet.status, "HW504" in quiet.err, "wrote" in quiet.err) == (3, True, False)


def test_labels_have_names(masks: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    file = tmp_path / "dataset.json"
    file.write_text(json.dumps({"labels": {"background": 0, "liver": 1, "spleen": 2}}))
    given = ("--metric", "dsc", "--label-names", file, "--region", "both=liver+spleen")
    ran = run("score", *masks, *given, "--no-summary")
    assert [row["label"] for row in table(ran.out)][:3] == ["liver", "spleen", "both"]
    ran = run("score", *masks, *given, "--label", "both,spleen", "--no-summary")
    assert [row["label"] for row in table(ran.out)][:2] == ["both", "spleen"]
    refused(run("score", *masks, *given, "--label", "livre"), "did you mean 'liver'")
    refused(
        run(
            "score",
            *masks,
            "--metric",
            "nsd",
            *given[2:],
            "--tolerance-file",
            named(tmp_path, "livre = 3"),
        ),
        "'livre'",
        "did you mean 'liver'",
    )


def named(folder: Path, text: str) -> Path:
    file = folder / "mm.toml"
    file.write_text(text + "\n")
    return file


def test_binary_joins_values(masks: tuple[Path, Path], run: Run) -> None:
    rows = table(run("score", *masks, "--binary", "--no-summary").out)
    assert {row["label"] for row in rows} == {"foreground"}


def test_the_spacing_may_be_given(masks: tuple[Path, Path], run: Run) -> None:
    for text, wanted in (("2", "2.0"), ("9,0.5,7", "0.5"), ("9x0.5x7", "0.5")):
        ran = run("score", *masks, "--no-summary", "--spacing", text)
        assert of_rows(table(ran.out))["case1", "1", "hd95"] == wanted


def test_metrics_with_parameters(masks: tuple[Path, Path], run: Run) -> None:
    texts = (
        "--metric",
        "dsc,hd:percentile=99,definition=pooled,nsd:2",
        "--metric",
        "f_beta:beta=2",
    )
    rows = table(run("score", *masks, *texts, "--no-summary").out)
    assert [(row["metric"], row["parameters"]) for row in rows[:4]] == [
        ("dsc", ""),
        ("hd", "percentile=99;definition=pooled"),
        ("nsd", "tolerance=2"),
        ("f_beta", "beta=2"),
    ]


def test_ci_tells_definitions_apart(masks: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    out = tmp_path / "cases.csv"
    texts = ("--metric", "nsd:2,nsd:1,hd95,hd95:definition=surface")
    assert run("score", *masks, *texts, "--no-summary", "-o", out).status == 0
    ran = run("ci", out, "--by", "label", "--json")
    assert ran.status == 0
    assert len(ran.estimates) == 8
    assert [e["parameters"] for e in ran.estimates][:2] == [{"tolerance": 2}, {"tolerance": 1}]
    assert {e["n"] for e in ran.estimates} == {4}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--metric", "dcs"), ("'dcs'", "did you mean 'dsc'")),
        (("--metric", "auroc"), ("'auroc'", "hd95")),
        (("--metric", ","), ("no metric",)),
        (("--metric", "dsc,dice"), ("named twice",)),
        (("--metric", "nsd"), ("tolerance", "--tolerance 3", "--tolerance-file")),
        (("--metric", "nsd", "--tolerance", "three"), ("'three'", "mm")),
        (("--metric", "nsd", "--tolerance", "msd:livre"), ("did you mean 'liver'",)),
        (("--metric", "nsd", "--tolerance-file", "none.toml"), ("none.toml", "no such file")),
        (("--metric", "boundary_iou", "--tolerance", "0"), ("above 0",)),
        (("--label-names", "none.json"), ("none.json", "no such file")),
        (("--label", "liver"), ("'liver'",)),
        (("--region", "both"), ("NAME=LABEL+LABEL",)),
        (("--binary", "--label", "1"), ("--binary",)),
        (("--jobs", "0"), ("--jobs",)),
        (("--jobs", "two"), ("--jobs",)),
        (("--spacing", "wide"), ("--spacing", "'wide'", "2.5,0.98,0.98")),
        (("--spacing", "0"), ("positive",)),
        (("--spacing", "1,1"), ("each of the 3 axes",)),
        (("--format", "table"), ("--out", "csv or json")),
        (("--json", "--format", "csv"), ("exclude each other",)),
        (("--statistic", "men"), ("did you mean 'mean'",)),
        (("--method", "bcaa"), ("did you mean 'bca'",)),
        (("--confidence-level", "95"), ("0.95",)),
        (("--missing", "zero"), ("omit",)),
        (("--penalty", "374"), ("worst",)),
        (("--tolerence", "3"), ("--tolerance",)),
    ],
)
def test_bad_options_are_told_in_a_line(
    masks: tuple[Path, Path], run: Run, given: tuple[str, ...], said: tuple[str, ...]
) -> None:
    refused(run("score", *masks, *given), *said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 = ", "not TOML"),
        ('1 = "wide"', "'wide'"),
        ("1 = -3", "at least 0"),
        ("[tolerances]", "no tolerance"),
        ("1 = 2\n[2]\nmm = 3", "table"),
    ],
)
def test_bad_files_of_tolerances(
    masks: tuple[Path, Path], run: Run, tmp_path: Path, text: str, said: str
) -> None:
    file = named(tmp_path, text)
    refused(run("score", *masks, "--metric", "nsd", "--tolerance-file", file), str(file), said)


def test_tolerances_for_some_labels_only(
    masks: tuple[Path, Path], run: Run, tmp_path: Path
) -> None:
    given = ("--metric", "nsd", "--no-summary", "--tolerance-file")
    refused(run("score", *masks, *given, named(tmp_path, "1 = 2")), "'2'", "--tolerance")
    ran = run("score", *masks, *given, named(tmp_path, "1 = 2\ndefault = 3\ntail = 9"))
    assert ran.status == 0
    assert "tail" in ran.err


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("cases.txt", ("'.txt'", ".csv")),
        ("cases", ("no suffix", ".csv")),
        ("cases.json", ("'.json'", ".csv")),
        ("nowhere/cases.csv", ("no folder",)),
        ("folder.csv", ("it is a folder",)),
    ],
)
def test_tables_that_cannot_be_written_are_refused_before_any_work(
    masks: tuple[Path, Path],
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    out: str,
    said: tuple[str, ...],
) -> None:
    (tmp_path / "folder.csv").mkdir()
    monkeypatch.setattr("halfwidth.scoring.run.score_case", lambda *_: pytest.fail("scored"))
    refused(run("score", *masks, "-o", tmp_path / out), *said)


def test_wrong_folders(masks: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    pred, ref = masks
    (tmp_path / "empty").mkdir()
    refused(run("score", pred, tmp_path / "reff"), "no such file or folder", "did you mean 'ref'")
    refused(run("score", pred, pred), "are the same")
    refused(run("score", tmp_path / "empty", ref), "no image", "it is empty")
    refused(run("score", pred, ref / "case0.nii.gz"), "is a file", "a folder")
    refused(run("score", pred, tmp_path), "laid out differently")
    refused(run("score", pred), "REFERENCES", "halfwidth score --help")
    refused(run("score"), "PREDICTIONS")
    file = tmp_path / "cases.csv"
    file.write_text("case,value\n")
    refused(run("score", file, ref / "case0.nii.gz"), "cannot tell an image", ".nii.gz")


def test_a_corrupt_file_is_named(masks: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    bad = masks[0] / "case2.nii.gz"
    held = bad.read_bytes()
    bad.write_bytes(held[: len(held) // 2])
    out = tmp_path / "cases.csv"
    ran = run("score", *masks, "-o", out)
    refused(ran, "1 of 4 cases", "case case2", str(bad), "other 3 cases are kept")
    assert not out.exists()
    bad.write_bytes(held)
    ran = run("score", *masks, "-o", out)
    assert ran.status == 0
    assert "3 of 4 cases were scored by an earlier run" in ran.err
    assert len(table(out.read_text())) == 16


def test_grids_that_differ(masks: tuple[Path, Path], run: Run) -> None:
    image = nibabel.Nifti1Image(truth().T, np.diag([1, 1, 2, 1]))
    nibabel.save(image, masks[0] / "case1.nii.gz")
    refused(run("score", *masks), "case1", "spacing", "--ignore-geometry")
    assert run("score", *masks, "--ignore-geometry", "--no-summary").status == 0


def test_names_that_begin_like_a_formula_are_defused(tmp_path: Path, run: Run) -> None:
    pair = tmp_path / "pred", tmp_path / "ref"
    for folder in pair:
        save(folder, "=1+1", truth())
    rows = table(run("score", *pair, "--metric", "dsc").out)
    assert {row["case"] for row in rows} == {"'=1+1"}


def test_the_help_shows_every_option_and_stays_narrow(run: Run) -> None:
    ran = run("score", "--help")
    assert ran.status == 0
    for option in (
        "--metric",
        "--tolerance-file",
        "--allow-missing",
        "--jobs",
        "--out",
        "--label",
    ):
        assert option in ran.out
    lines = ran.out.splitlines()
    assert [line for line in lines if len(line) > 80 and "halfwidth score" not in line] == []


# Real masks.


def test_a_real_pair_of_volumes(shared: Path, run: Run) -> None:
    data = shared / "data" / "totalseg"
    pair = data / "example_seg_fast.nii.gz", data / "example_seg.nii.gz"
    ran = run("score", *pair, "--metric", "dsc,hd95")
    assert ran.status == 0
    rows = table(ran.out)
    assert {row["case"] for row in rows} == {"example_seg"}
    assert len({row["label"] for row in rows}) > 5
    for row in rows:
        value, missed = float(row["value"]), row["status"] == "missed"
        assert missed or row["status"] == "ok"
        if row["metric"] == "dsc":
            assert (value == 0) if missed else (0 < value < 1)
        else:
            assert (value == float("inf")) if missed else (0 <= value < 100)


def test_real_folders_of_structures(shared: Path, run: Run, tmp_path: Path) -> None:
    pair = tmp_path / "radiographer", tmp_path / "oncologist"
    names = ("Cochlea-Lt", "Lens-Rt", "Orbit-Lt")
    for side in pair:
        for case in ("0522c0017", "0522c0161"):
            (side / case).mkdir(parents=True)
            for name in names:
                file = shared / "data" / "head_neck_ct" / side.name / case / f"{name}.nrrd"
                (side / case / file.name).symlink_to(file)
    out = tmp_path / "cases.csv"
    ran = run(
        *("score", *pair, "--metric", "dsc,hd95,nsd", "--tolerance", 3, "-o", out),
        *("--region", "left=Cochlea-Lt+Orbit-Lt", "--json"),
    )
    assert ran.status == 0
    rows = table(out.read_text())
    assert list(dict.fromkeys(row["label"] for row in rows)) == [*names, "left"]
    assert {row["case"] for row in rows} == {"0522c0017", "0522c0161"}
    # A cochlea has a few dozen voxels, and slices are 2.5 mm thick.
    assert "HW503" in ran.err
    assert "HW505" in ran.err
    assert "Cochlea-Lt (2 of 2)" in ran.err
    assert {e["n"] for e in ran.estimates} == {2}


def test_what_the_help_shows_of_names_works(tmp_path: Path, run: Run) -> None:
    for kind in ("pred", "gt"):
        save(tmp_path / "masks", f"case1_{kind}", truth())
    both = tmp_path / "masks"
    called = ("score", both, both, "--match", "{case}_pred", "{case}_gt", "--label-names")
    labels = '{"liver": 1, "both": [1, 2]}'
    rows = table(run(*called, labels, "--metric", "dsc", "--no-summary").out)
    assert [(row["case"], row["label"]) for row in rows] == [("case1", "liver"), ("case1", "both")]
    refused(run(*called, '{"liver": }'), "is not JSON")
