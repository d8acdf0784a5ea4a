"""Results of other programs through every verb that reads tables, with numbers worked by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import Run

FIXTURES = Path(__file__).parents[1] / "tables" / "importers" / "fixtures"
NNUNET = FIXTURES / "nnunet" / "summary.json"
# Dice of each label of five cases, and what the second model adds to those of the kidney. Both
# labels have a mean without the cases in which they are in neither mask.
KIDNEY = [0.8, 0.9, 0.75, None, 0.7]


def summary(file: Path, kidney: list[float | None]) -> Path:
    """A summary.json of nnU-Net with one label."""
    cases = [
        {
            "prediction_file": f"/pred/{file.parent.name}/c{place}.nii.gz",
            "metrics": {
                "1": {
                    "Dice": float("nan") if dice is None else dice,
                    "n_pred": 0 if dice is None else 9,
                    "n_ref": 0 if dice is None else 9,
                }
            },
        }
        for place, dice in enumerate(kidney)
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"metric_per_case": cases}))
    return file


@pytest.fixture
def models(tmp_path: Path) -> list[Path]:
    better = [None if dice is None else dice + 0.05 for dice in KIDNEY]
    return [
        summary(tmp_path / "old" / "fold_0" / "summary.json", KIDNEY),
        summary(tmp_path / "new" / "fold_0" / "summary.json", better),
    ]


def answer(run: Run, *arguments: object) -> dict[str, Any]:
    ran = run(*arguments, "--json", "--seed", "1")
    assert ran.status == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_ci(run: Run) -> None:
    ran = run("ci", NNUNET, "--metric", "dsc", "--json", "--seed", "1")
    # 3.15 / 4 without the case in neither mask; missed and spurious count as 0: 1.55 / 4.
    assert {one["label"]: one["value"] for one in ran.estimates} == pytest.approx(
        {
            "kidney": 0.7875,
            "tumor": 0.3875,
            "kidney and tumor": 0.8 * 0.2 + 0.9 * 0.2 + 0.257142857142,
        }
    )
    assert "read as nnU-Net v2 summary.json: 5 cases" in ran.err
    assert "labels kidney and tumor, kidney, tumor (named by" in ran.err
    assert "left out: 2 rows that are not applicable" in ran.err


def test_ci_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NNUNET.read_bytes())))
    ran = run("ci", "-", "--metric", "dsc", "--json", "--seed", "1")
    assert {one["label"]: one["value"] for one in ran.estimates}["1"] == pytest.approx(0.7875)


def test_compare(run: Run, models: list[Path]) -> None:
    (found,) = answer(run, "compare", *models, "--metric", "dsc")["comparisons"]
    assert (found["first"], found["second"]) == ("old", "new")
    assert abs(found["value"]) == pytest.approx(0.05)
    assert found["n"] == 4


def test_rank(run: Run, models: list[Path]) -> None:
    (found,) = answer(run, "rank", *models, "--metric", "dsc")["rankings"]
    values = {one["model"]: one["value"] for one in found["models"]}
    assert values == pytest.approx({"old": 0.7875, "new": 0.8375})


def test_gate(run: Run, models: list[Path]) -> None:
    old, new = models
    ran = run("gate", new, "--against", old, "--margin", "0.5", "--metric", "dsc", "--seed", "1")
    assert ran.status in (0, 5)
    assert "Traceback" not in ran.err


def test_pilot(run: Run, models: list[Path]) -> None:
    options = ("--metric", "dsc", "--n", "50", "--n-samples", "100")
    (found,) = answer(run, "plan", "pilot", models[0], *options)["plans"]
    assert found["n"] == 50


def test_a_pilot_of_a_metric_that_has_no_range(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    table.write_text("case,metric,value\na,pulse,3.2\nb,pulse,2.2\nc,pulse,5.1\nd,pulse,4\n")
    (found,) = answer(run, "plan", "pilot", table, "--n", "50", "--n-samples", "100")["plans"]
    assert "pulse" in json.dumps(found)
    assert found["n"] == 50


def test_rows_that_are_cases_are_no_runs(run: Run) -> None:
    ran = run("runs", NNUNET)
    assert ran.status == 2
    assert "values of cases (columns case, metric, value), not training runs" in ran.err


def test_subsamples_are_of_one_sample(run: Run, models: list[Path]) -> None:
    ran = run("plan", "subsample", NNUNET, "--metric", "dsc")
    assert ran.status == 2
    assert "holds 3 samples (kidney and tumor dsc, kidney dsc, tumor dsc)" in ran.err
    ran = run("plan", "subsample", models[0], "--sizes", "3", "--seed", "1")
    assert ran.status == 0, ran.err


def test_another_parameter_is_refused_with_those_that_there_are(run: Run) -> None:
    file = FIXTURES / "totalsegmentator" / "evaluation.csv"
    ran = run("ci", file, "--metric", "nsd:tolerance=9", "--missing", "omit")
    assert ran.status == 2
    assert "it holds dsc, nsd:tolerance=3,definition=surface" in ran.err


def test_convert(run: Run, models: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "models.csv"
    ran = run("convert", *models, "-o", out)
    assert (ran.status, ran.out) == (0, "")
    lines = out.read_text().splitlines()
    assert lines[0] == "case,metric,value,model,label,status,fold"
    assert lines[1] == "c0,dsc,0.8,old,1,ok,0"
    assert lines[4] == "c3,dsc,,old,1,not applicable,0"
    assert len(lines) == 11
    both = [answer(run, "rank", *given, "--metric", "dsc")["rankings"] for given in ([out], models)]
    assert both[0] == both[1]


def test_convert_to_standard_output(run: Run) -> None:
    ran = run(
        "convert", FIXTURES / "monai" / "mean_dice_raw.csv", "--metric", "dsc", "--value", "class1"
    )
    assert ran.out.splitlines()[:3] == [
        "case,metric,value,label",
        "/data/imagesTs/case_01.nii.gz,dsc,0.8,class1",
        "/data/imagesTs/case_02.nii.gz,dsc,,class1",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a file"),
        ([NNUNET, "-o", "x.json"], "is written to .csv, .tsv, .parquet"),
        ([NNUNET, "--metric", "dsc"], "names the metric of each row"),
        ([NNUNET, "--path", "a.b"], "--path is not for nnU-Net v2 summary.json"),
        ([NNUNET, "--no-header"], "--no-header is for plain tables"),
        ([NNUNET, "--decimal", ","], "--decimal is for tables of text"),
        ([NNUNET, "--model-from", "moon"], "unknown --model-from 'moon'"),
        ([NNUNET, "--input-format", "nnunet-v1"], "is no nnU-Net v1 summary.json"),
        ([NNUNET, "--input-format", "nnunets"], "did you mean 'nnunet'?"),
        ([FIXTURES / "monai" / "mean_dice_raw.csv", "--filter", "x"], "--filter is not for MONAI"),
    ],
)
def test_wrong_use(run: Run, arguments: list[object], message: str) -> None:
    ran = run("convert", *arguments)
    assert ran.status == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", "", "a.json: the file is empty"),
        ("a.jsonl", "", "a.jsonl: the file is empty"),
        ("a.eval", "", "a.eval: the file is empty"),
        ("a.eval", "a picture", "a.eval: is no zip file, as .eval files are"),
        ("a.json", '{"lr": 0.1}', "say where: --path '{case}.{metric}'"),
    ],
)
def test_wrong_files(run: Run, tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    ran = run("ci", tmp_path / name)
    assert ran.status == 2
    assert message in ran.err


def test_a_path_says_that_a_file_without_aggregates_holds_cases(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "records.json"
    file.write_text('[{"case": "a", "dice": 0.9}, {"case": "b", "dice": 0.8}]')
    found = answer(run, "ci", file, "--path", "{case}.{metric}")["estimates"]
    assert [(one["metric"], one["n"]) for one in found] == [("dsc", 2)]
    assert found[0]["value"] == pytest.approx(0.85)


@pytest.fixture
def answers(tmp_path: Path) -> list[Path]:
    """Samples of lm-eval of two models, right and wrong."""
    files = []
    for model, right in (("a", "110110111010"), ("b", "010110011010")):
        rows = [
            {"doc_id": at, "filter": "none", "metrics": ["acc"], "acc": float(one)}
            for at, one in enumerate(right)
        ]
        file = tmp_path / model / "samples_quiz_2026-01-16T15-23-47.285735.jsonl"
        file.parent.mkdir()
        file.write_text("".join(json.dumps({**row, "doc": {}, "resps": []}) + "\n" for row in rows))
        files.append(file)
    return files


def test_acc_of_lm_eval_is_a_metric_of_single_cases(run: Run, answers: list[Path]) -> None:
    (found,) = answer(run, "ci", answers[0], "--metric", "acc")["estimates"]
    assert found["value"] == pytest.approx(8 / 12)
    assert found["method"] == "wilson"
    refused = run("ci", answers[0], "--metric", "auroc")
    assert "auroc is a metric of a whole test set" in refused.err


def test_a_direction_leaves_a_proportion_one(run: Run, answers: list[Path]) -> None:
    plain = answer(run, "compare", *answers)["comparisons"]
    directed = answer(run, "compare", *answers, "--metric", "acc", "--better", "higher")
    (found,) = directed["comparisons"]
    assert found["method"] == plain[0]["method"] == "newcombe_paired"
    assert (found["low"], found["high"]) == (plain[0]["low"], plain[0]["high"])
    refused = run("rank", *answers, "--better", "higher")
    assert "--better needs --metric here, since the table names its metrics: acc" in refused.err


def test_models_are_called_by_what_tells_their_files_apart(run: Run, tmp_path: Path) -> None:
    def table(*parts: str) -> Path:
        path = tmp_path.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("case,dsc\n" + "".join(f"c{i},{0.5 + i / 30}\n" for i in range(9)))
        return path

    def names(files: list[Path], *options: str) -> list[str]:
        found = answer(run, "rank", *files, "--metric", "dsc", "--method", "t", *options)
        return sorted(one["model"] for one in found["rankings"][0]["models"])

    files = [table(model, "test", part, "dice.csv") for model in "ab" for part in "xy"]
    assert names(files) == ["a/test/x", "a/test/y", "b/test/x", "b/test/y"]
    assert names([files[0], files[2]]) == ["a", "b"]
    assert names(files[:2]) == ["x", "y"]
    assert names(files[:2], "--model-from", "folder") == ["x", "y"]
    apart = [table("u", "one.csv"), table("v", "two.csv")]
    assert names(apart) == ["one", "two"]
    assert names(apart, "--model-from", "path") == ["u/one", "v/two"]
    refused = run("rank", *files, "--metric", "dsc", "--model-from", "file")
    assert "4 files would have the name 'dice'" in refused.err
