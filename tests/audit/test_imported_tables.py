"""Means that files of other programs state beside their cases."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import halfwidth as hw
from halfwidth.tables.readers import read_table

FIXTURES = Path(__file__).parents[1] / "tables" / "importers" / "fixtures"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FIXTURES, tmp_path / "fixtures"))


def findings(file: Path) -> dict[str, list[str]]:
    """Labels by code."""
    found: dict[str, list[str]] = {}
    for finding in hw.check(read_table(file)):
        found.setdefault(finding.code, []).append(finding.label)
    return found


def test_the_means_of_nnunet_are_those_of_its_cases(folder: Path) -> None:
    """They leave out cases in which neither mask has the label, which needs no policy."""
    file = folder / "nnunet" / "summary.json"
    assert read_table(file).stated_means
    assert findings(file) == {}


def test_means_of_nnunet_that_belong_to_other_cases(folder: Path) -> None:
    file = folder / "nnunet" / "summary.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["mean"]["1"]["Dice"] += 0.01
    document["foreground_mean"]["IoU"] += 0.01
    file.write_text(json.dumps(document), encoding="utf-8")
    wrong = findings(file)
    assert set(wrong) == {"HW902"}
    assert len(wrong["HW902"]) == 2


def test_means_of_a_metric_with_parameters(folder: Path) -> None:
    file = folder / "nnunet_v1" / "summary.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["results"]["mean"] = {"2": {"Hausdorff Distance 95": 17.25}}
    file.write_text(json.dumps(document), encoding="utf-8")
    stated = read_table(file).stated_means
    assert [dict(mean.where).get("parameters") for mean in stated] == ["definition=pooled"]
    assert findings(file)["HW902"] == ["tumor, hd95:definition=pooled"]


def test_the_summary_of_monai_leaves_missing_values_out(folder: Path) -> None:
    file = folder / "monai" / "mean_dice_raw.csv"
    assert findings(file) == {"HW101": ["class1"], "HW903": ["class1"]}
    summary = folder / "monai" / "mean_dice_summary.csv"
    summary.write_text(summary.read_text("utf-8").replace("class1,0.7000", "class1,0.5250"))
    (found,) = [one for one in hw.check(read_table(file), metric="dsc") if one.code > "HW9"]
    assert found.message == (
        "The stated mean of 0.525 (mean in mean_dice_summary.csv) is that of the cases with "
        "missing values (1) counted as the worst; it would be 0.7 left out, 0.775 counted as "
        "perfect."
    )


def test_rounding_of_cases_and_means_by_monai_is_no_fault(tmp_path: Path) -> None:
    """It rounds both to four decimals: means of rounded cases differ in the last one."""
    values = [0.81234, 0.82234, 0.83234, 0.84234, 0.85244]
    rows = "".join(f"{case}.nii,{one:.4f},{one:.4f}\n" for case, one in enumerate(values))
    raw = tmp_path / "mean_dice_raw.csv"
    raw.write_text(f"filename,class0,mean\n{rows}", encoding="utf-8")
    summary = tmp_path / "mean_dice_summary.csv"
    mean = sum(values) / 5
    assert f"{mean:.4f}" == "0.8324"
    assert sum(round(one, 4) for one in values) / 5 == pytest.approx(0.83232)
    summary.write_text(f"class,mean\nclass0,{mean:.4f}\n", encoding="utf-8")
    # And the mean of one class has the same values as the class.
    assert findings(raw) == {}
    summary.write_text("class,mean\nclass0,0.8326\n", encoding="utf-8")
    assert "HW902" in findings(raw)


def test_what_language_models_are_rated_by_is_not_always_a_mean(tmp_path: Path) -> None:
    stamp = "2025-01-02T03-04-05.678901"
    line = {"doc": {}, "resps": [], "filter": "none", "metrics": ["perplexity", "acc", "best"]}
    lines = [
        json.dumps({**line, "doc_id": at, "perplexity": -at / 2, "acc": at % 2, "best": at / 9})
        for at in range(10)
    ]
    samples = tmp_path / f"samples_lambada_{stamp}.jsonl"
    samples.write_text("\n".join(lines), encoding="utf-8")
    stated = {"perplexity,none": 9.5, "acc,none": 0.5, "best,none": 1.0}
    metrics = [{"metric": "acc"}, {"metric": "best", "aggregation": "max"}]
    results = {"results": {"lambada": stated}, "configs": {"lambada": {"metric_list": metrics}}}
    (tmp_path / f"results_{stamp}.json").write_text(json.dumps(results), encoding="utf-8")
    assert [mean.where["metric"] for mean in read_table(samples).stated_means] == ["acc"]


@pytest.mark.parametrize(("reducer", "count"), [(None, 1), ("mean", 1), ("max", 0)])
def test_a_reducer_of_inspect_that_is_no_mean(
    tmp_path: Path, reducer: str | None, count: int
) -> None:
    score = {"scorer": "match", "reducer": reducer, "metrics": {"mean": {"value": 1.0}}}
    listed = [{"id": 1, "epoch": at, "scores": {"match": {"value": at}}} for at in (0, 1)]
    header = {"version": 2, "status": "success", "eval": {}, "plan": {}}
    log = tmp_path / "log.json"
    document = {**header, "results": {"scores": [score]}, "samples": listed}
    log.write_text(json.dumps(document), encoding="utf-8")
    assert len(read_table(log).stated_means) == count


def test_a_damaged_summary_beside_is_no_business_of_the_table(folder: Path) -> None:
    (folder / "monai" / "mean_dice_summary.csv").write_bytes(b"\xff\xfe\x00\x01,")
    assert findings(folder / "monai" / "mean_dice_raw.csv") == {"HW101": ["class1"]}
