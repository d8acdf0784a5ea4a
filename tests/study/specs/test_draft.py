"""A first spec from a folder: what is found, what is guessed, and that it runs as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from smallstudies import keys_of

import halfwidth as hw
from halfwidth.study.specs.parsing import DEFAULTS
from halfwidth.study.specs.spec import Instance

VALUES = np.linspace(0.2, 0.9, 60)
LABELS = np.arange(60) % 3
LOGITS = np.random.default_rng(1).normal(size=(60, 3)) + np.eye(3)[LABELS]


def wide(file: Path, **columns: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    base = {"case": [f"c{i}" for i in range(60)]}
    pd.DataFrame({**base, **columns}).to_csv(file, index=False)


def pair(folder: Path, name: str, scores: Any) -> None:
    np.save(folder / f"{name}_scores.npy", scores)
    np.save(folder / f"{name}_targets.npy", LABELS)


def drafted(folder: Path, beside: Path | None = None) -> tuple[str, tuple[Instance, ...]]:
    """The draft, and the instances of the spec that it is."""
    text = hw.study.draft(folder, beside)
    file = (beside or folder) / "study.toml"
    file.write_text(text, encoding="utf-8")
    instances = hw.study.plan(file).instances
    file.unlink()
    return text, instances


def sections(text: str, kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(text).get(kind, [])
    return found


# --------------------------------------------------------------------------- what is found


def test_files_of_one_metric_are_one_section(tmp_path: Path) -> None:
    for model in ("UNet", "ViT"):
        wide(tmp_path / f"{model}_dsc.csv", liver=VALUES, spleen=VALUES**2)
    text, instances = drafted(tmp_path)
    (section,) = sections(text, "tables")
    assert section["files"] == "{model}_dsc.csv"
    assert section["metric"] == "dsc"
    assert [i.name for i in instances] == [
        "UNet/liver/dsc",
        "UNet/spleen/dsc",
        "ViT/liver/dsc",
        "ViT/spleen/dsc",
    ]


def test_files_with_one_column_are_of_tasks(tmp_path: Path) -> None:
    for task in ("brain", "liver"):
        wide(tmp_path / f"HD95-{task}.csv", distance=10 * VALUES)
    text, instances = drafted(tmp_path)
    assert sections(text, "tables")[0]["files"] == "HD95-{task}.csv"
    assert [i.name for i in instances] == ["brain/hd95", "liver/hd95"]


def test_columns_named_by_metrics_are_sections_of_their_own(tmp_path: Path) -> None:
    wide(tmp_path / "results.csv", dice=VALUES, hd95=VALUES * 20, age=VALUES * 90)
    text, instances = drafted(tmp_path)
    named = [(s["metric"], s["columns"]) for s in sections(text, "tables")]
    assert named == [("dsc", ["dice"]), ("hd95", ["hd95"])]
    assert [i.name for i in instances] == ["results/dsc", "results/hd95"]


def test_rows_of_several_models_are_instances_of_their_own(tmp_path: Path) -> None:
    wide(tmp_path / "results.csv", model=["A"] * 30 + ["B"] * 30, task="liver", dice=VALUES)
    text, instances = drafted(tmp_path)
    assert [section["by"] for section in sections(text, "tables")] == [["model"]]
    assert [(i.model, i.n_cases) for i in instances] == [("A", 30), ("B", 30)]


def test_levels_in_which_cases_repeat_are_instances_of_their_own(tmp_path: Path) -> None:
    cases = [f"c{at % 15}" for at in range(60)]
    organs, scanners = (["liver", "spleen"] * 30, ["s1", "s2", "s3"] * 20)
    columns = {"case": sorted(cases), "organ": organs, "scanner": scanners, "dice": VALUES}
    wide(tmp_path / "results.csv", model=["A", "A", "B", "B"] * 15, **columns)
    text, instances = drafted(tmp_path)
    assert [section["by"] for section in sections(text, "tables")] == [["model", "organ"]]
    assert [i.n_cases for i in instances] == [15] * 4


def test_a_canonical_table_speaks_for_itself(tmp_path: Path) -> None:
    wide(tmp_path / "cases.csv", metric=["dsc", "nsd"] * 30, value=VALUES, label=["liver"] * 60)
    text, instances = drafted(tmp_path)
    (section,) = sections(text, "tables")
    assert "metric" not in section
    assert [i.name for i in instances] == ["liver/dsc", "liver/nsd"]


def test_a_pattern_matches_no_file_of_another_kind(tmp_path: Path) -> None:
    wide(tmp_path / "a_dsc.csv", x=VALUES)
    wide(tmp_path / "b_dsc.csv", x=VALUES * 100)
    text, instances = drafted(tmp_path)
    said = [(s["files"], s["scale"]) for s in sections(text, "tables")]
    assert said == [("a_dsc.csv", 1), ("b_dsc.csv", 100)]
    assert {i.name for i in instances} == {"a_dsc/dsc", "b_dsc/dsc"}
    assert instances[0].build().mean == pytest.approx(instances[1].build().mean, rel=1e-12)


def test_names_that_mean_something_in_a_pattern_are_listed(tmp_path: Path) -> None:
    odd = tmp_path / "data [1]"
    for name in ("a", 'b"{task}', "c'ü"):
        wide(odd / f"{name}_dsc.csv", x=VALUES)
    text, instances = drafted(tmp_path)
    (section,) = sections(text, "tables")
    assert isinstance(section["files"], list)
    assert len(instances) == 3


def test_folders_tell_files_of_one_name_apart(tmp_path: Path) -> None:
    for model in ("U", "V"):
        wide(tmp_path / model / "liver_dsc.csv", x=VALUES)
        wide(tmp_path / model / "both_nsd.csv", liver=VALUES, spleen=VALUES)
    _, instances = drafted(tmp_path)
    assert sorted(i.name for i in instances) == [
        "U/liver/dsc",
        "V/liver/dsc",
        "both/U/liver/nsd",
        "both/U/spleen/nsd",
        "both/V/liver/nsd",
        "both/V/spleen/nsd",
    ]


def test_instances_of_one_name_are_told_and_left_to_the_user(tmp_path: Path) -> None:
    wide(tmp_path / "a_dsc.csv", x=VALUES)
    wide(tmp_path / "a_dsc.tsv", x=VALUES)
    text, instances = drafted(tmp_path)
    assert len(instances) == 1
    assert "# This does not work yet: its instances have names of others: a" in text


def test_test_sets_are_found(tmp_path: Path) -> None:
    pair(tmp_path, "a", LOGITS)
    pair(tmp_path, "b", LOGITS)
    text, instances = drafted(tmp_path)
    (section,) = sections(text, "scores")
    assert section["scores"] == "{task}_scores.npy"
    assert section["targets"] == "{task}_targets.npy"
    assert section["kind"] == "logits"
    assert [i.name for i in instances] == ["a", "b"]
    study = tomllib.loads(text)["study"]
    assert study["metrics"] == ["accuracy", "auroc"]
    assert "statistics" not in study


@pytest.mark.parametrize(
    ("names", "targets", "patterns"),
    [
        (["swin_t_derma", "swin_t_blood_1"], ["derma", "blood_1"], "{model}_{task} {task}_targets"),
        (["derma.swin_t", "derma.unet"], ["derma"], "{task}.{model} {task}_targets"),
        (["swin_t", "unet"], [""], "{model} targets"),
    ],
)
def test_targets_of_several_models_are_found(
    names: list[str], targets: list[str], patterns: str, tmp_path: Path
) -> None:
    for name in names:
        np.save(tmp_path / f"{name}_scores.npy", LOGITS)
    for name in targets:
        np.save(tmp_path / f"{name}_targets.npy".removeprefix("_"), LABELS)
    text, instances = drafted(tmp_path)
    (section,) = sections(text, "scores")
    scores, _, of_targets = patterns.partition(" ")
    assert section["scores"] == f"{scores}_scores.npy"
    assert section["targets"] == f"{of_targets}.npy"
    assert {i.model for i in instances} == {
        name for name in ("swin_t", "unet") if name in str(names)
    }
    assert [i.task for i in instances] == (targets[::-1] if len(targets) > 1 else targets * 2)


def test_the_rows_of_the_test_set_are_proposed(tmp_path: Path) -> None:
    wide(tmp_path / "a_dsc.csv", split=["train"] * 20 + ["Test"] * 40, dsc=VALUES)
    text, (instance,) = drafted(tmp_path)
    assert sections(text, "tables")[0]["where"] == "split=Test"
    assert instance.n_cases == 40


def test_probabilities_and_zeros_among_them_are_seen(tmp_path: Path) -> None:
    shares = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
    pair(tmp_path, "a", shares)
    assert sections(drafted(tmp_path)[0], "scores")[0]["kind"] == "probabilities"
    assert "floor" not in sections(drafted(tmp_path)[0], "scores")[0]
    shares[0] = [1, 0, 0]
    pair(tmp_path, "a", shares)
    text, instances = drafted(tmp_path)
    assert sections(text, "scores")[0]["floor"] == 1e-6
    assert "some probabilities are 0" in text
    assert instances[0].notes == ("1 cases have probabilities below 1e-06, which count as 1e-06",)


def test_paths_are_relative_to_where_the_spec_will_lie(tmp_path: Path) -> None:
    wide(tmp_path / "data" / "results" / "liver_dsc.csv", x=VALUES)
    (tmp_path / "specs").mkdir()
    text, instances = drafted(tmp_path / "data", tmp_path / "specs")
    assert sections(text, "tables")[0]["files"] == "../data/results/{task}_dsc.csv"
    assert [i.name for i in instances] == ["liver/dsc"]


# --------------------------------------------------------------------------- what is guessed


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("MedFormer_dsc", "dsc"),
        ("Dice", "dsc"),
        ("surface_dice-liver", "nsd"),
        ("liver HD95", "hd95"),
        ("boundary_iou.v2", "boundary_iou"),
        ("dsc_and_nsd", None),
        ("indiscriminate", None),
        ("ages", None),
    ],
)
def test_a_metric_in_a_name(tmp_path: Path, name: str, metric: str | None) -> None:
    wide(tmp_path / f"{name}.csv", x=VALUES)
    if metric is None:
        with pytest.raises(hw.DataError, match="neither the name nor a column"):
            hw.study.draft(tmp_path)
    else:
        text, instances = drafted(tmp_path)
        assert [section["metric"] for section in sections(text, "tables")] == [metric]
        assert len(instances) == 1


@pytest.mark.parametrize(
    ("name", "values", "scale"),
    [
        ("dsc", VALUES, 1),
        ("dsc", VALUES * 100, 100),
        ("dsc", VALUES * 1.1, 1),
        ("hd95", VALUES * 100, 1),
    ],
)
def test_per_cent_is_seen_in_metrics_that_end_at_one(
    tmp_path: Path, name: str, values: Any, scale: float
) -> None:
    wide(tmp_path / f"a_{name}.csv", x=values)
    text, _ = drafted(tmp_path)
    assert sections(text, "tables")[0]["scale"] == scale
    reason = f"scale 100: values reach {values.max():g}, and {name} ends at 1"
    assert (reason in text) == (scale == 100)


def test_missing_values_are_left_out_and_counted(tmp_path: Path) -> None:
    wide(tmp_path / "a_hd95.csv", x=[np.nan, np.inf, *VALUES[2:]])
    text, instances = drafted(tmp_path)
    assert sections(text, "tables")[0]["missing"] == "omit"
    assert "missing: 2 of 60 cells are empty or infinite" in text
    assert instances[0].n_cases == 58


def test_instances_with_hardly_any_cases_are_left_out(tmp_path: Path) -> None:
    wide(tmp_path / "a_dsc.csv", liver=VALUES, spleen=[0.5, 0.6] + [np.nan] * 58)
    text, instances = drafted(tmp_path)
    assert sections(text, "tables")[0]["min_cases"] == 50
    assert [i.name for i in instances] == ["a/liver/dsc"]


def test_every_option_stands_there_with_its_default_and_a_comment(tmp_path: Path) -> None:
    wide(tmp_path / "a_dsc.csv", liver=VALUES)
    pair(tmp_path, "b", LOGITS)
    text, _ = drafted(tmp_path)
    lines = re.findall(r"^(?:# )?(\w+) = (.*?)  +# .+$", text, flags=re.MULTILINE)
    keys = [key for key, _ in lines]
    beside = {"files", "target", "columns"}  # the other way to name test sets
    assert set(keys) == {
        *DEFAULTS,
        *keys_of("tables", tmp_path),
        *(keys_of("scores", tmp_path) - beside),
        "columns",
        "files",
    }
    given = dict(lines[: len(DEFAULTS)])
    for key, value in DEFAULTS.items():
        shown = list(value) if isinstance(value, tuple) else value
        assert given[key] == json.dumps(tmp_path.name if key == "name" else shown)
    content = tomllib.loads(text)["study"]
    assert set(content) == set(DEFAULTS)


def test_what_is_commented_out_can_be_used(tmp_path: Path) -> None:
    wide(tmp_path / "a_dsc.csv", liver=VALUES)
    text = hw.study.draft(tmp_path)
    for key in ("columns", "bounds", "case"):
        changed = text.replace(f"# {key} = ", f"{key} = ").replace('"case_id"', '"case"')
        (tmp_path / "study.toml").write_text(changed, encoding="utf-8")
        assert len(hw.study.plan(tmp_path / "study.toml").instances) == 1


# --------------------------------------------------------------------------- what is of no use


def test_files_that_are_not_understood_are_named(tmp_path: Path) -> None:
    wide(tmp_path / "a_dsc.csv", liver=VALUES)
    wide(tmp_path / "patients.csv", age=VALUES)
    wide(tmp_path / "b_dsc.csv", liver=["good"] * 60)
    wide(tmp_path / "c_iou.csv", liver=VALUES - 3)
    (tmp_path / "notes.md").write_text("# Notes", encoding="utf-8")
    (tmp_path / "broken.parquet").write_bytes(b"no table")
    np.save(tmp_path / "lone_scores.npy", LOGITS)
    np.save(tmp_path / "alone_targets.npy", LABELS)
    text, instances = drafted(tmp_path)
    assert [i.name for i in instances] == ["a_dsc/dsc"]
    end = text.partition("# Not understood, and no part of the study:\n")[2]
    assert "#   patients.csv: neither the name nor a column (age) names a metric; say" in end
    assert "#   b_dsc.csv: no numeric column to estimate" in end
    assert "#   broken.parquet: cannot be read as Parquet" in end
    assert "#   lone_scores.npy: it has no file of targets" in end
    assert "#   alone_targets.npy: it has no file of scores" in end
    assert "# Files that a study does not read: notes.md" in end
    assert "# This does not work yet: [[tables]]: c_iou.csv: column 'liver': 60 of 60" in text


def test_results_of_studies_and_hidden_files_are_passed_over(tmp_path: Path) -> None:
    wide(tmp_path / "a_dsc.csv", liver=VALUES)
    wide(tmp_path / ".hidden_dsc.csv", liver=VALUES)
    wide(tmp_path / ".cache" / "b_dsc.csv", liver=VALUES)
    wide(tmp_path / "store" / "part_dsc.csv", liver=VALUES)
    (tmp_path / "store" / "run.json").touch()
    wide(tmp_path / "1" / "2" / "c_dsc.csv", liver=VALUES)
    wide(tmp_path / "1" / "2" / "3" / "d_dsc.csv", liver=VALUES)
    _, instances = drafted(tmp_path)
    assert [one.name for one in instances] == ["a/dsc", "c/dsc"]


def test_a_folder_without_data(tmp_path: Path) -> None:
    with pytest.raises(hw.DataError, match="is no folder; name the one that holds the data"):
        hw.study.draft(tmp_path / "nothing")
    with pytest.raises(hw.DataError, match=r"holds nothing that a study can use\. It reads tables"):
        hw.study.draft(tmp_path)
    wide(tmp_path / "patients.csv", age=VALUES)
    with pytest.raises(hw.DataError, match=r"can use \(patients.csv: neither the name nor a colu"):
        hw.study.draft(tmp_path)


@pytest.mark.parametrize("text", ["a", 'a"b', "a\\b", "é{*}#'", "a\x7fb"])
def test_any_text_can_be_written(text: str, tmp_path: Path) -> None:
    wide(tmp_path / "a_dsc.csv", **{text: VALUES})
    (columns,) = re.findall(r"^# (columns = \[.*\]) +# def", hw.study.draft(tmp_path), re.MULTILINE)
    assert tomllib.loads(columns) == {"columns": [text]}


def test_names_with_control_characters_stay_in_their_comment(tmp_path: Path) -> None:
    wide(tmp_path / "a_dsc.csv", liver=VALUES)
    (tmp_path / "b\n[study]\x07.txt").write_text("x", encoding="utf-8")
    wide(tmp_path / "c\x7f\u2028_nsd.csv", liver=VALUES)
    _, instances = drafted(tmp_path)
    assert [i.metric.spec.name for i in instances if i.metric] == ["dsc", "nsd"]


# --------------------------------------------------------------------------- real data


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("segval", [("dsc", 100, 2), ("hd95", 1, 2)]),
        ("touchstone", [("dsc", 1, 81), ("nsd", 1, 81)]),
    ],
)
def test_tables_at_hand(
    shared: Path, tmp_path: Path, name: str, expected: list[tuple[str, float, int]]
) -> None:
    text, instances = drafted(shared / "data" / name, tmp_path)
    said = [(s["metric"], s["scale"]) for s in sections(text, "tables")]
    counts = [sum(1 for i in instances if i.name.endswith(f"/{m}")) for m, _ in said]
    assert [(*pair, count) for pair, count in zip(said, counts, strict=True)] == expected


def test_test_sets_at_hand(shared: Path, tmp_path: Path) -> None:
    text, instances = drafted(shared / "data" / "medmnist_scores", tmp_path)
    # Nothing in it depends on the time or on what was there before.
    assert hw.study.draft(shared / "data" / "medmnist_scores", tmp_path) == text
    assert sections(text, "scores")[0]["kind"] == "logits"
    assert [(i.name, i.n_cases) for i in instances] == [
        ("adrenalmnist", 298),
        ("pneumoniamnist", 624),
    ]


@pytest.mark.slow
def test_a_folder_of_everything(shared: Path, tmp_path: Path) -> None:
    text, instances = drafted(shared / "data", tmp_path)
    found = Counter(Path(instance.source).parts[-2] for instance in instances)
    # Folders that came later are no part of this count.
    expected = {"segval": 4, "touchstone": 162, "medmnist_scores": 2}
    assert {name: found[name] for name in expected} == expected
    assert "# Files that a study does not read: README.md, coco100" in text


def test_linked_folders_are_followed_and_each_once(tmp_path: Path) -> None:
    far, data = tmp_path / "far", tmp_path / "here" / "data"
    wide(far / "liver_dsc.csv", UNet=VALUES, ViT=VALUES**2)
    data.mkdir(parents=True)
    links: dict[str, str | Path] = {"a": far, "b": "a", "self": ".", "up": "..", "top": tmp_path}
    for name, target in links.items():
        (data / name).symlink_to(target)
    text, instances = drafted(data)
    (section,) = sections(text, "tables")
    assert section["files"] == "../../far/{model}_dsc.csv"
    assert len(instances) == 2


# --------------------------------------------------------------------------- nothing is pooled


def of_authors(file: Path, *scores: str) -> None:
    """The layout of the authors of the study: a row for each algorithm, task, metric and case."""
    rows = [
        {"alg_name": model, "subtask": task, "score": score, "value": value}
        for model in "AB"
        for task in ("liver", "spleen")
        for score in scores
        for value in VALUES
    ]
    pd.DataFrame(rows).to_csv(file, index=False)


@pytest.mark.parametrize("scores", [("DSC",), ("DSC", "NSD")], ids=["one metric", "two"])
def test_models_tasks_and_metrics_of_the_authors_layout_are_told_apart(
    tmp_path: Path, scores: tuple[str, ...]
) -> None:
    of_authors(tmp_path / "results.csv", *scores)
    text, instances = drafted(tmp_path)
    assert [section["by"] for section in sections(text, "tables")] == [["alg_name", "subtask"]]
    names = [(i.model, i.task, i.name.rpartition("/")[2], i.n_cases) for i in instances]
    assert sorted(names) == [
        (model, task, score.lower(), 60)
        for model in "AB"
        for task in ("liver", "spleen")
        for score in sorted(scores)
    ]
    # In a spec by hand neither.
    spec = tmp_path / "by_hand.toml"
    spec.write_text('[study]\n[[tables]]\nfiles = "results.csv"\nmetric = "dsc"\n')
    by_hand = hw.study.plan(spec).instances
    assert {i.name for i in by_hand} == {i.name for i in instances if i.name.endswith("/dsc")}


def test_a_spec_by_hand_tells_models_apart_that_the_table_names(tmp_path: Path) -> None:
    organs = ["liver", "spleen"] * 30
    wide(
        tmp_path / "results.csv",
        algorithm=["A", "A", "B", "B"] * 15,
        case=[f"c{at // 4}" for at in range(60)],
        organ=organs,
        dice=VALUES,
    )
    spec = tmp_path / "by_hand.toml"
    spec.write_text('[study]\n[[tables]]\nfiles = "results.csv"\nmetric = "dsc"\n')
    assert [(i.model, i.task, i.n_cases) for i in hw.study.plan(spec).instances] == [
        (model, organ, 15) for model in "AB" for organ in ("liver", "spleen")
    ]
