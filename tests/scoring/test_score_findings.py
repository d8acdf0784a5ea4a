"""What trying and reading found wrong in scoring, and what is right now."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import Run

import halfwidth as hw
from halfwidth.scoring.cases import ScoringSettings
from halfwidth.scoring.checkpoint import Checkpoint, checkpoint_path, fingerprint
from halfwidth.scoring.options import ScoringOptions
from halfwidth.scoring.pairs import CaseFiles

sitk: Any = pytest.importorskip("SimpleITK")

DIGEST = """
from pathlib import Path
from halfwidth.scoring.cases import ScoringSettings
from halfwidth.scoring.options import ScoringOptions
from halfwidth.scoring.checkpoint import Checkpoint
settings = ScoringSettings(ScoringOptions("dsc,hd95,nsd:3").metric_choice())
print(Checkpoint(Path("x.csv"), settings)._options_digest)
"""


def picture() -> NDArray[np.uint8]:
    labels = np.zeros((40, 40), dtype=np.uint8)
    labels[4:20, 4:20], labels[24:36, 4:30] = 1, 2
    return labels


# tests/scoring/test_resuming.py


def test_another_process_knows_the_same_run() -> None:
    given = [sys.executable, "-c", DIGEST]
    found = {subprocess.run(given, check=True, capture_output=True).stdout for _ in range(2)}
    assert len(found) == 1


@pytest.mark.parametrize("entry", ["{}", '{"files": 1}', '{"files": "x", "scores": []}'])
def test_an_entry_of_another_make_is_not_read(tmp_path: Path, entry: str) -> None:
    for side in ("pred", "ref"):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "a.npy", picture())
    pair, out = (tmp_path / "pred", tmp_path / "ref"), tmp_path / "cases.csv"
    store = Checkpoint(out, ScoringSettings(ScoringOptions("dsc").metric_choice()))
    store.begin({})
    first = store.path.read_text().splitlines()[0]
    checkpoint_path(out).write_text(f"{first}\n{entry}\n")
    assert len(hw.score_folders(*pair, "dsc", out=out)) == 2


# tests/scoring/test_scores.py


@pytest.mark.parametrize(
    "options", [{"labels": {"organ": [1, 254]}}, {"regions": ["organ=1+254"], "only": ["organ"]}]
)
def test_values_mapped_to_one_label_need_not_be_equal(options: dict[str, Any]) -> None:
    truth = (picture() == 1).astype(np.uint8)
    scores = hw.score_masks(truth * 254, truth, "dsc", **options)
    assert scores.value("dsc", label="organ") == 1


def test_labels_with_names_may_be_missed_throughout() -> None:
    truth = (picture() == 1).astype(np.uint8)
    scores = hw.score_masks(truth * 2, truth, "dsc", labels={"liver": 1, "spleen": 2})
    assert [row.status for row in scores] == ["missed", "spurious"]


def test_a_single_slice_has_no_boundary_across() -> None:
    volume = picture()[None]
    scores = hw.score_masks(volume, volume, "hd95,nsd", spacing=(5, 1, 1), tolerance=2)
    assert scores.cautions == ()


@pytest.mark.parametrize("texts", ["hd,hd:percentile=100", "nsd,nsd:3", "f_beta,f_beta:beta=1"])
def test_a_metric_whose_default_is_said_is_the_same(texts: str) -> None:
    with pytest.raises(hw.OptionError, match="named twice"):
        hw.score_masks(picture(), picture(), texts, spacing=1.5, tolerance=3)


def test_the_background_is_no_label() -> None:
    with pytest.raises(hw.OptionError, match="background"):
        hw.score_masks(picture(), picture(), "dsc", only=["0"])


def test_a_region_is_in_parts_by_its_making() -> None:
    scores = hw.score_masks(picture(), picture(), "dsc", regions=["both=1+2"])
    assert scores.cautions == ()


def folder_of(path: Path, **cases: NDArray[Any]) -> Path:
    path.mkdir()
    for name, voxels in cases.items():
        np.save(path / f"{name}.npy", voxels)
    return path


def structures_of(
    path: Path, spacings: dict[str, float] | None = None, **structures: tuple[NDArray[Any], float]
) -> Path:
    """One case whose structures lie at some height, in slices of 1 mm or as far apart."""
    (path / "a").mkdir(parents=True)
    for name, (voxels, height) in structures.items():
        image: Any = sitk.GetImageFromArray(voxels)
        image.SetOrigin((0.0, 0.0, height))
        image.SetSpacing((1.0, 1.0, (spacings or {}).get(name, 1.0)))
        sitk.WriteImage(image, str(path / "a" / f"{name}.nrrd"))
    return path


BOX = np.zeros((8, 9, 10), dtype=np.uint8)
BOX[2:6, 2:7, 2:8] = 1


def test_structures_of_a_region_lie_on_one_grid(tmp_path: Path) -> None:
    one, two = (
        structures_of(tmp_path / side, one=(BOX, 0.0), two=(BOX, 500.0)) for side in ("p", "r")
    )
    with pytest.raises(hw.DataError, match=r"case a: region 'both': .*two and one: origin differ"):
        hw.score_folders(one, two, "dsc", regions="both=one+two")
    assert len(hw.score_folders(one, two, "dsc", regions="b=one+two", ignore_geometry=True)) == 3


def test_regions_of_structures_may_hold_regions_and_have_names_of_their_own(tmp_path: Path) -> None:
    given: dict[str, Any] = {"one": (BOX, 0.0), "two": (np.roll(BOX, 2, axis=2), 0.0)}
    one, two = (structures_of(tmp_path / side, **given) for side in ("p", "r"))
    scores = hw.score_folders(one, two, "dsc", regions=["both=one+two", "more=both+one"])
    assert scores.labels == ["one", "two", "both", "more"]
    with pytest.raises(hw.OptionError, match="already"):
        hw.score_folders(one, two, "dsc", regions=["both=one+two", "both=two"])


@pytest.mark.parametrize(("coarse", "fine"), [("a", "z"), ("z", "a")])
def test_structures_with_grids_of_their_own_are_doubted_apart(
    coarse: str, fine: str, tmp_path: Path
) -> None:
    volume = np.repeat(picture()[None], 6, axis=0)
    given = {coarse: (volume == 1, 0.0), fine: (volume == 2, 0.0)}
    voxels = {name: (mask.astype(np.uint8), height) for name, (mask, height) in given.items()}
    one, two = (structures_of(tmp_path / side, {coarse: 5.0}, **voxels) for side in ("p", "r"))
    found = [one for one in hw.score_folders(one, two, "hd95,nsd:2").cautions if "HW50" in one.code]
    assert [caution.code for caution in found] == ["HW505", "HW506"]
    assert f"{coarse} 2 mm" in found[1].message
    assert f"{fine} 2 mm" not in found[1].message


def test_a_change_behind_a_header_is_noticed(tmp_path: Path) -> None:
    image: Any = sitk.GetImageFromArray(BOX)
    sitk.WriteImage(image, str(tmp_path / "a.mhd"))
    files = CaseFiles("a", {None: tmp_path / "a.mhd"}, {None: tmp_path / "a.mhd"})
    before = fingerprint(files)
    assert fingerprint(files) == before
    (tmp_path / "a.raw").write_bytes((tmp_path / "a.raw").read_bytes() + b"\0")
    assert fingerprint(files) != before


@pytest.mark.parametrize("only", ["1,2", ["1", "2"], ["1,2"]])
def test_labels_may_be_picked_by_a_text(only: Any) -> None:
    scores = hw.score_masks(picture(), picture(), "dsc", only=only)
    assert scores.labels == ["1", "2"]


def test_a_region_is_scored_besides_what_is_picked() -> None:
    scores = hw.score_masks(picture(), picture(), "dsc", only="2", regions="w=1+2")
    assert scores.labels == ["2", "w"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"only": "liver"}, "label maps hold numbers"),
        ({"only": [1]}, "only="),
        ({"regions": 3}, "regions="),
        ({"metrics": None}, "metrics="),
        ({"metrics": "dsc", "tolerance": 3}, "has no effect"),
        ({"metrics": "nsd:3", "tolerance": 3}, "has no effect"),
        ({"spacing": 0}, "positive"),
    ],
)
def test_what_is_not_meant_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(hw.OptionError, match=said):
        hw.score_masks(picture(), picture(), **{"metrics": "dsc", **options})


def test_all_says_what_it_leaves_out() -> None:
    scores = hw.score_masks(picture(), picture(), "all", spacing=1)
    (note,) = scores.notes
    assert "cldice (slow), nsd (no tolerance), boundary_iou (no tolerance)" in note
    named = {"a": 1, "ignore": 2}
    scores = hw.score_masks(picture(), picture(), "all", spacing=1, tolerance=2, labels=named)
    assert "specificity (some voxels are ignored)" in scores.notes[0]
    with pytest.raises(hw.OptionError, match="specificity counts all background"):
        hw.score_masks(picture(), picture(), "specificity", labels=named)


def test_values_of_a_region_that_no_case_has_are_told() -> None:
    scores = hw.score_masks(picture(), picture(), "dsc", regions="w=1+9")
    assert "values that no case has: 9" in scores.notes


def test_faults_are_told_in_the_order_of_the_cases(tmp_path: Path) -> None:
    maps = {f"case{i}": picture() for i in range(4)}
    one, two = (folder_of(tmp_path / side, **maps) for side in ("p", "r"))
    for case in ("case3", "case1"):
        (one / f"{case}.npy").write_bytes(b"nothing")
    with pytest.raises(hw.DataError, match=r"2 of 4 cases.*case case1: .*case case3: "):
        hw.score_folders(one, two, "dsc", jobs=2)


def test_the_table_is_written_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    one, two = (folder_of(tmp_path / side, a=picture(), b=picture()) for side in ("p", "r"))
    hw.score_folders(one, two, "dsc", out=tmp_path / "cases.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases.csv", "p", "r"]
    assert (tmp_path / "cases.csv").read_text().startswith("case,label,metric,value,status,par")


def test_shapes_of_a_mapping_name_the_case() -> None:
    with pytest.raises(hw.DataError, match=r"prediction of case x has shape \(40, 39\)"):
        hw.score_masks({"x": picture()[:, 1:]}, {"x": picture()}, "dsc")
    with pytest.raises(hw.DataError, match="hold no case"):
        hw.score_masks({}, {})


def test_a_penalty_is_for_what_has_no_worst_value(tmp_path: Path, run: Run) -> None:
    lost = np.zeros_like(picture())
    maps = {"a": picture(), "b": picture(), "c": picture()}
    one = folder_of(tmp_path / "p", **maps | {"c": lost})
    two = folder_of(tmp_path / "r", **maps)
    given = ("score", one, two, "--spacing", "0.9", "--seed", "1", "-o", tmp_path / "cases.csv")
    for metrics in ("dsc", "dsc,hd95", "all"):
        ran = run(*given, "--metric", metrics, "--missing", "worst", "--penalty", "374", "--json")
        assert ran.status == 0
        assert {e["label"] for e in ran.estimates} == {"1", "2"}
    ran = run(*given, "--missing", "worst", "--json")
    assert {e["metric"] for e in ran.estimates} == {"dsc"}
    assert "no interval for hd95 of 1 (1 of 3), 2 (1 of 3)" in ran.err


def test_a_single_case_in_json_is_the_table(tmp_path: Path, run: Run) -> None:
    one, two = (folder_of(tmp_path / side, a=picture()) for side in ("p", "r"))
    ran = run("score", one, two, "--metric", "dsc", "-o", tmp_path / "cases.csv", "--json")
    assert [row["value"] for row in json.loads(ran.out)["cases"]] == [1.0, 1.0]
    assert "unknown format 'xml'" in run("score", one, two, "--format", "xml").err
