"""``halfwidth detect`` from files to every output, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import Run

N = 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """References and detections of two classes as COCO JSON and as tables."""
    made = tmp_path_factory.mktemp("detections")
    rng = np.random.default_rng(2)
    images = [
        {"id": i, "file_name": f"i{i}.png", "width": 400, "height": 400, "patient": f"p{i // 3}"}
        for i in range(N)
    ]
    classes = [{"id": 1, "name": "nodule"}, {"id": 2, "name": "mass"}]
    true = [
        {
            "id": i,
            "image_id": i,
            "category_id": 1 + i % 2,
            "bbox": [9, 9, 60, 60],
            "area": 3600,
            "iscrowd": 0,
        }
        for i in range(N - 5)
    ]
    found = [
        {
            "image_id": i,
            "category_id": 1 + i % 2,
            "bbox": [9 + int(rng.integers(0, 30)), 9, 60, 60],
            "score": round(float(rng.uniform()), 2),
        }
        for i in range(N)
    ]
    both = {"images": images, "categories": classes, "annotations": true}
    (made / "truth.json").write_text(json.dumps(both), encoding="utf-8")
    (made / "found.json").write_text(json.dumps(found), encoding="utf-8")
    unscored = [
        "image,class,x_min,y_min,x_max,y_max",
        *(f"i{i},nodule,9,9,69,69" for i in range(9)),
    ]
    (made / "boxes.csv").write_text("\n".join(unscored), encoding="utf-8")
    return made


@pytest.fixture
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


FILES = ("found.json", "truth.json", "--seed", "1", "--n-resamples", "99")


@pytest.mark.usefixtures("there")
def test_the_table_names_the_choices_and_the_notes_what_was_read(run: Run) -> None:
    ran = run("detect", *FILES)
    assert ran.status == 0
    assert ran.err == (
        "halfwidth: 30 images, 5 of them without objects; 25 objects of 2 classes, 30 detections\n"
    )
    assert ran.out.startswith("Matched by box IoU ≥ 0.5, greedy by score\n")
    assert "macro AP50 " in ran.out
    assert "macro FROC" in ran.out


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("fmt", ["markdown", "latex", "csv", "json"])
def test_every_row_of_every_format_names_the_choices(fmt: str, run: Run) -> None:
    ran = run("detect", *FILES, "--metric", "ap,fppi", "--average", "none", "--format", fmt)
    assert ran.status == 0
    if fmt == "json":
        for e in ran.estimates:
            chosen = {name: e["parameters"][name] for name in ("localisation", "assignment")}
            assert chosen == {"localisation": "box_iou", "assignment": "greedy_by_score"}
            assert e["parameters"]["threshold"] == 0.5
        return
    words = {"csv": "localisation=box_iou", "markdown": "box IoU ≥ 0.5", "latex": "box IoU"}
    rows = [
        line for line in ran.out.splitlines() if line.startswith(("| nod", "| mass", "nod", "mass"))
    ]
    assert [words[fmt] in row for row in rows] == [True] * 4


@pytest.mark.usefixtures("there")
def test_what_tells_rows_apart_stands_in_them(run: Run) -> None:
    out = run("detect", *FILES, "--metric", "ap50,ap75").out
    assert "matched by box IoU, greedy by score" in out
    assert "AP50 ≥ 0.5 " in " ".join(out.split())
    assert "AP75 ≥ 0.75 " in " ".join(out.split())


@pytest.mark.usefixtures("there")
def test_coco_is_a_set_of_metrics_or_of_settings(run: Run) -> None:
    rows = run("detect", *FILES, "--coco", "--json").estimates
    assert len(rows) == 12
    assert rows[0]["parameters"]["max_detections"] == 100
    (one,) = run("detect", *FILES, "--coco", "--metric", "ap", "--json").estimates
    assert one["parameters"] == rows[0]["parameters"]
    assert (one["value"], one["low"]) == (rows[0]["value"], rows[0]["low"])
    assert run("detect", *FILES, "--coco", "--area", "small").status == 2


@pytest.mark.usefixtures("there")
def test_patients_are_a_field_of_the_references(run: Run) -> None:
    (e,) = run("detect", *FILES, "--metric", "ap", "--groups", "patient", "--json").estimates
    assert (e["n"], e["n_groups"], e["design"]) == (30, 10, "clustered")


def several(run: Run, *words: str) -> tuple[list[Any], str]:
    ran = run("detect", *words, "--metric", "ap50", *FILES[2:], "--json")
    assert ran.status == 0, ran.err
    return json.loads(ran.out)["estimates"], ran.err


@pytest.mark.usefixtures("there")
def test_each_detector_has_its_rows_however_the_references_are_named(
    run: Run, folder: Path
) -> None:
    other = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    (folder / "other.json").write_text(json.dumps(other[: N // 2]), encoding="utf-8")
    rows, err = several(run, "found.json", "other.json", "truth.json")
    assert [row["by"] for row in rows] == [{"model": "found"}, {"model": "other"}]
    assert "truth.json holds the objects to be found, the others what detectors found" in err
    assert "found: 30 images, 5 of them without objects" in err
    for row, file in zip(rows, ("found.json", "other.json"), strict=True):
        (alone,), _ = several(run, file, "truth.json")
        numbers = ("value", "low", "high", "seed")
        assert [row[name] for name in numbers] == [alone[name] for name in numbers]
    others = (
        ("found.json", "other.json", "--references", "truth.json"),
        ("truth.json", "found.json", "other.json"),
        ("found=found.json", "truth.json", "other=other.json"),
    )
    assert all(several(run, *words)[0] == rows for words in others)


@pytest.mark.parametrize(
    ("words", "of"),
    [
        ("found.json boxes.csv truth.json", "without scores are boxes.csv, truth.json"),
        ("found.json again.json truth.json", "again.json: no such file"),
        ("found.json other_scores.json found_too.json", "without scores are none"),
        ("truth.json truth.json found.json", "truth.json is given twice"),
        ("", "DETECTIONS is missing: "),
        ("--references truth.json", "DETECTIONS is missing: "),
    ],
)
@pytest.mark.usefixtures("there")
def test_references_that_are_not_to_be_told_are_asked_for(
    words: str, of: str, run: Run, folder: Path
) -> None:
    for name in ("other_scores.json", "found_too.json"):
        (folder / name).write_bytes((folder / "found.json").read_bytes())
    ran = run("detect", *words.split())
    assert (ran.status, ran.out) == (2, "")
    assert of in ran.err
    if "without scores" in of:
        assert "--references FILE, or name the detectors, as in " in ran.err


@pytest.mark.usefixtures("there")
def test_cautions_set_the_status_with_strict(run: Run) -> None:
    assert run("detect", *FILES, "--strict").status == 3


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("found.json nowhere.json", "nowhere.json: no such file"),
        ("truth.json found.json", "found.json: "),
        ("truth.json truth.json", "stands for both the detections and the references"),
        ("found.json truth.json --metric auroc", "halfwidth explain HW881"),
        ("found.json truth.json --metric app", "did you mean"),
        ("found.json truth.json --threshold 1,5", "box_iou is at most 1"),
        ("found.json truth.json --localisation mask_iou", "mask_iou needs masks"),
        ("found.json truth.json --groups hospital", "hospital"),
        ("found.json truth.json --plot-kind froc", "no effect without --plot"),
        ("found.json truth.json --plot x.png --plot-kind roc", "unknown plot kind"),
        ("found.json truth.json --classes nodule=a,mass", "for all classes, or for none"),
        ("found.json truth.json --classes lump", "lump"),
        ("found.json truth.json --column image", "not ROLE=COLUMN"),
        ("found.json truth.json --box-format xyxy", "not with COCO JSON"),
        ("boxes.csv truth.json --metric ap", "no scores"),
        ("found.json", "REFERENCES is missing: "),
    ],
)
def test_slips_are_told_in_a_line(words: str, text: str, run: Run) -> None:
    ran = run("detect", *words.split())
    assert (ran.status, ran.out) == (2, "")
    assert text in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ("--metric froc_score", None),
        ("--metric ap", None),
        ("--metric wafroc_auc", None),
        ("--metric ap --by-threshold", None),
        ("--metric ap", "matches"),
        ("--metric ap --average none", "forest"),
    ],
)
def test_figures_are_written(options: str, kind: str | None, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "figure.svg"
    more: list[Any] = ["--plot", file, *(("--plot-kind", kind) if kind else ())]
    ran = run("detect", *FILES, *options.split(), *more)
    assert ran.status == 0, ran.err
    assert file.read_text(encoding="utf-8").startswith("<?xml")


def test_a_table_of_boxes_is_no_test_set_of_cases(run: Run, tmp_path: Path) -> None:
    rows = ["image,x_min,y_min,x_max,y_max,y,p"]
    rows += [f"i{i},0,0,9,9,{i % 2},{i / 60}" for i in range(60)]
    (tmp_path / "boxes.csv").write_text("\n".join(rows), encoding="utf-8")
    words = ("--target", "y", "--score", "p", "--metric", "auroc", "--json")
    (e,) = run("ci", tmp_path / "boxes.csv", *words).estimates
    assert "HW881" in [one["code"] for one in e["cautions"]]


def test_explain_and_methods_know_what_detections_are_matched_by(run: Run) -> None:
    listed = run("methods", "--for", "detection")
    assert listed.status == 0
    for name in ("wafroc_auc", "box_iou", "overlap_above_half"):
        assert name in listed.out
        explained = run("explain", name)
        assert explained.status == 0
        assert explained.out.startswith(f"{name}: ")
    assert "Pitfalls:" in run("explain", "box_iou").out
    assert run("methods", "--for", "detection", "bca").status == 2
    assert "percentile" in run("methods", "--metric", "ap").out
