"""Which prediction belongs to which reference, and what is said where they do not match."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.scoring.pairs import CaseFiles, MatchedFiles, match_files


def made(folder: Path, *names: str) -> Path:
    """A folder with empty files; a name that ends with a slash is a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.touch()
    return folder


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "pred", tmp_path / "ref"


def complaint(predictions: Path, references: Path, *, allow_missing: bool = False) -> str:
    with pytest.raises(hw.DataError) as caught:
        match_files(predictions, references, allow_missing=allow_missing)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 900
    return text


def names(matched: MatchedFiles) -> list[str]:
    return [files.case for files in matched.cases]


def in_case(case: str, structures: Iterable[str]) -> list[str]:
    return [f"{case}/{structure}.nii.gz" for structure in structures]


# What matches.


def test_two_files_are_one_case_named_by_the_reference(tmp_path: Path) -> None:
    made(tmp_path, "model.nii.gz", "case 7.nrrd")
    prediction, reference = tmp_path / "model.nii.gz", tmp_path / "case 7.nrrd"
    expected = CaseFiles("case 7", {None: reference}, {None: prediction})
    assert match_files(prediction, reference) == MatchedFiles((expected,), ())


def test_label_maps_match_by_stem_whatever_the_format(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], "a.nii.gz", "b.1.nii")
    ref = made(folders[1], "a.nrrd", "b.1.mha")
    matched = match_files(pred, ref)
    assert matched.cases == (
        CaseFiles("a", {None: ref / "a.nrrd"}, {None: pred / "a.nii.gz"}),
        CaseFiles("b.1", {None: ref / "b.1.mha"}, {None: pred / "b.1.nii"}),
    )
    assert matched.notes == ()


def test_folders_of_structures_match_by_case_and_structure(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], "c1/Brain.nii.gz", "c1/Lung-Lt.nii.gz")
    ref = made(folders[1], "c1/Brain.nrrd", "c1/Lung-Lt.nrrd")
    (files,) = match_files(pred, ref).cases
    assert files.references == {
        "Brain": ref / "c1" / "Brain.nrrd",
        "Lung-Lt": ref / "c1" / "Lung-Lt.nrrd",
    }
    assert files.predictions == {
        "Brain": pred / "c1" / "Brain.nii.gz",
        "Lung-Lt": pred / "c1" / "Lung-Lt.nii.gz",
    }


def test_two_readers_of_real_scans_match(shared: Path) -> None:
    data = shared / "data" / "head_neck_ct"
    matched = match_files(data / "radiographer", data / "oncologist")
    assert len(matched.cases) == 8
    assert names(matched) == sorted(names(matched))
    assert all(len(files.references) == 21 for files in matched.cases)
    assert all(files.predictions.keys() == files.references.keys() for files in matched.cases)
    assert matched.notes == ()
    first = matched.cases[0]
    assert first.references["Brain"] == data / "oncologist" / "0522c0017" / "Brain.nrrd"
    assert first.predictions["Brain"] == data / "radiographer" / "0522c0017" / "Brain.nrrd"


def test_the_folders_of_a_single_case_are_taken_for_label_maps(shared: Path) -> None:
    data = shared / "data" / "head_neck_ct"
    matched = match_files(data / "radiographer" / "0522c0017", data / "oncologist" / "0522c0017")
    assert len(matched.cases) == 21
    assert list(matched.cases[0].references) == [None]


@pytest.mark.parametrize("pattern", ["case{}.nii.gz", "case{}/liver.nii.gz"])
def test_numbers_in_names_sort_by_their_size(folders: tuple[Path, Path], pattern: str) -> None:
    for folder in folders:
        made(folder, *(pattern.format(number) for number in (10, 9, 100, 2)))
    assert names(match_files(*folders)) == ["case2", "case9", "case10", "case100"]


def test_names_of_any_shape_can_be_sorted(folders: tuple[Path, Path]) -> None:
    given = ["b", "10", "a1b", "1", "A1", "a1", "a10b", "²", "٣", "007", "7"]
    expected = ["1", "007", "7", "10", "A1", "a1", "a1b", "a10b", "b", "²", "٣"]
    for folder in folders:
        made(folder, *(f"{name}.nii.gz" for name in given))
    assert names(match_files(*folders)) == expected


def test_links_to_files_are_followed(folders: tuple[Path, Path], tmp_path: Path) -> None:
    made(tmp_path / "store", "x1.nii.gz")
    ref = made(folders[1], "a.nii.gz")
    folders[0].mkdir()
    (folders[0] / "a.nii.gz").symlink_to(tmp_path / "store" / "x1.nii.gz")
    assert match_files(folders[0], ref).cases[0].predictions == {None: folders[0] / "a.nii.gz"}


def test_a_name_matches_in_either_spelling_of_its_accents(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], "Gr\u00f6\u00dfe.nii.gz")
    ref = made(folders[1], "Gro\u0308\u00dfe.nii.gz")
    assert names(match_files(pred, ref)) == ["Gr\u00f6\u00dfe"]


# What lies beside the images.


def test_hidden_files_settings_and_voxels_of_headers_are_not_mentioned(
    folders: tuple[Path, Path],
) -> None:
    beside = (".DS_Store", "._a.nii.gz", ".git/x.nii.gz", "dataset.json", "plans.json", "a.raw")
    pred = made(folders[0], "a.mhd", "a.zraw", "summary.json", *beside)
    ref = made(folders[1], "a.nii", "b.nhdr", "b.raw.gz", *beside)
    made(pred, "b.nii.gz")
    matched = match_files(pred, ref)
    assert names(matched) == ["a", "b"]
    assert matched.notes == ()


def test_other_files_and_subfolders_are_counted_in_a_note(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], "a.nii.gz", "a.csv", "b.csv", "README", "logs/", "b.raw")
    ref = made(folders[1], "a.nii.gz")
    assert match_files(pred, ref).notes == (
        f"{pred}: skipped 4 other files (2 .csv, 1 no suffix, 1 .raw), which are not images",
        f"{pred}: skipped 1 subfolder ('logs')",
    )


def test_leftovers_inside_the_folders_of_cases_are_counted(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], "a/liver.nii.gz", "a/x.csv", "b/liver.nii.gz", "b/y.csv", "z.csv")
    ref = made(folders[1], "a/liver.nii.gz", "b/liver.nii.gz", "b/raw/ct.nii.gz", "empty/")
    assert match_files(pred, ref).notes == (
        f"{pred}: skipped 3 other files (3 .csv), which are not images",
        f"{ref}: skipped 2 subfolders ('b/raw', 'empty')",
    )


# What does not match.

MATCHING = "so that a prediction and its reference have the same name before the suffix"
CHOICE = (
    f". Rename them {MATCHING}, or use allow_missing=True: what has no "
    "prediction is then scored as missed, what has no reference is left out"
)


def test_what_has_no_partner_is_counted_and_named(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], "a.nii.gz", "z_other.nii.gz")
    ref = made(folders[1], "a.nii.gz", *(f"c{number}.nii.gz" for number in range(1, 13)))
    assert complaint(pred, ref) == (
        "predictions and references do not match: 12 references without a prediction ('c1', 'c2', "
        "'c3', 'c4', 'c5' and 7 more); 1 prediction without a reference ('z_other')" + CHOICE
    )


def test_what_is_missing_may_be_allowed(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], "a.nii.gz", "zebra.nii.gz")
    ref = made(folders[1], "a.nii.gz", "c1.nii.gz")
    matched = match_files(pred, ref, allow_missing=True)
    assert matched.cases == (
        CaseFiles("a", {None: ref / "a.nii.gz"}, {None: pred / "a.nii.gz"}),
        CaseFiles("c1", {None: ref / "c1.nii.gz"}, {None: None}),
    )
    assert matched.notes == (
        "1 reference without a prediction ('c1'): scored as missed",
        "1 prediction without a reference ('zebra'): left out",
    )


def test_structures_without_a_partner_are_placed(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], *in_case("c1", "AB"), *in_case("c2", "ADX"), *in_case("c3", "A"))
    ref = made(folders[1], *in_case("c1", "ABC"), *in_case("c2", "ABC"), *in_case("c3", "AB"))
    text = (
        "4 structure files without a prediction ('B' in 2 cases, 'C' in 2 cases)",
        "2 structure files without a reference ('D' in 'c2', 'X' in 'c2')",
    )
    assert complaint(pred, ref) == (
        f"predictions and references do not match: {text[0]}; {text[1]}" + CHOICE
    )
    matched = match_files(pred, ref, allow_missing=True)
    assert matched.notes == (f"{text[0]}: scored as missed", f"{text[1]}: left out")
    assert matched.cases[1].predictions == {
        "A": pred / "c2" / "A.nii.gz",
        "B": None,
        "C": None,
    }
    assert list(matched.cases[1].references) == ["A", "B", "C"]


def test_a_case_without_any_structure_is_missing(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], *in_case("c1", "AB"), "c2/")
    ref = made(folders[1], *in_case("c1", "AB"), *in_case("c2", "AB"))
    matched = match_files(pred, ref, allow_missing=True)
    assert matched.cases[1].predictions == {"A": None, "B": None}
    assert matched.notes == (
        "1 reference without a prediction ('c2'): scored as missed",
        f"{pred}: skipped 1 subfolder ('c2')",
    )


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        ("case01_pred", "case01"),
        ("case01", "case01_gt"),
        ("case01_seg", "case01-label"),
        ("pred_case01", "case01"),
        ("CASE01", "case01"),
        ("case1", "case01"),
        ("case01_unet3d", "case01"),
        ("caes01", "case01"),
        ("case01.pred", "Case01_mask"),
    ],
)
def test_a_name_that_looks_like_another_is_pointed_out(
    folders: tuple[Path, Path], prediction: str, reference: str
) -> None:
    pred = made(folders[0], "a.nii.gz", f"{prediction}.nii.gz", "pred_case02_x.nii.gz")
    ref = made(folders[1], "a.nii.gz", f"{reference}.nii.gz", "zzz9.nii.gz")
    hint = f"; the prediction {prediction!r} looks like the reference {reference!r}"
    assert f"{hint}. Rename" in complaint(pred, ref)
    assert match_files(pred, ref, allow_missing=True).notes[0].endswith(f": scored as missed{hint}")


@pytest.mark.parametrize(
    ("prediction", "reference"), [("case12", "case11"), ("case10", "case1"), ("x", "case1")]
)
def test_another_case_is_not_taken_for_a_misspelling(
    folders: tuple[Path, Path], prediction: str, reference: str
) -> None:
    pred = made(folders[0], "a.nii.gz", f"{prediction}.nii.gz")
    ref = made(folders[1], "a.nii.gz", f"{reference}.nii.gz")
    assert "looks like" not in complaint(pred, ref)


def test_structures_of_other_names_are_pointed_out(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], *in_case("c1", ["brain", "Lungs"]))
    ref = made(folders[1], *in_case("c1", ["Brain", "Lungs"]))
    assert "; the prediction 'brain' looks like the reference 'Brain'" in complaint(pred, ref)


@pytest.mark.parametrize("allow_missing", [False, True])
def test_nothing_in_common_is_always_an_error(
    folders: tuple[Path, Path], allow_missing: bool
) -> None:
    pred = made(folders[0], *(f"c{number}_0000.nii.gz" for number in range(1, 30)))
    ref = made(folders[1], *(f"c{number}.nii.gz" for number in range(1, 30)))
    assert complaint(pred, ref, allow_missing=allow_missing) == (
        f"no prediction is named like a reference: {pred} has 'c1_0000', 'c2_0000', 'c3_0000', "
        f"'c4_0000', 'c5_0000' and 24 more, {ref} has 'c1', 'c2', 'c3', 'c4', 'c5' and 24 more; "
        "the prediction 'c1_0000' looks like the reference 'c1', and so do 28 more (in nnU-Net, "
        f"'_0000' marks an image, not a mask). Rename them {MATCHING}"
    )


@pytest.mark.parametrize("allow_missing", [False, True])
def test_no_structure_in_common_is_always_an_error(
    folders: tuple[Path, Path], allow_missing: bool
) -> None:
    pred = made(folders[0], "c1/pred.nii.gz", "c2/pred.nii.gz")
    ref = made(folders[1], "c1/truth.nii.gz", "c2/truth.nii.gz")
    assert complaint(pred, ref, allow_missing=allow_missing) == (
        "no structure of a prediction is named like one of its reference: in 'c1', "
        f"{pred} has 'pred', {ref} has 'truth'. Rename them {MATCHING}"
    )


@pytest.mark.slow
def test_thousands_of_names_are_compared_in_no_time(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], *(f"scan{number}_pred.nii.gz" for number in range(2000)))
    ref = made(folders[1], *(f"scan{number}.nii.gz" for number in range(2000)))
    assert "'scan0_pred' looks like the reference 'scan0', and so do 1999 more" in complaint(
        pred, ref
    )


# What cannot be used at all.


def test_a_path_that_is_not_there_gets_a_hint(folders: tuple[Path, Path]) -> None:
    pred, ref = (made(folder, "a.nii.gz") for folder in folders)
    absent = pred.with_name("perd")
    assert complaint(absent, ref) == f"{absent}: no such file or folder; did you mean 'pred'?"
    assert complaint(pred, absent) == f"{absent}: no such file or folder; did you mean 'pred'?"
    assert complaint(absent / "x" / "y", ref) == (
        f"{absent / 'x' / 'y'}: no such file or folder: there is no {str(absent)!r}; "
        "did you mean 'pred'?"
    )


def test_a_relative_path_that_is_not_there(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pred = made(folders[0], "a.nii.gz")
    monkeypatch.chdir(pred.parent)
    assert "no 'perd'; did you mean 'pred'?" in complaint(Path("perd/x"), pred)


def test_a_path_that_the_system_refuses(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], "a.nii.gz")
    assert "cannot be read (" in complaint(pred, pred / ("a" * 300))


def test_a_file_and_a_folder(folders: tuple[Path, Path]) -> None:
    pred, ref = (made(folder, "a.nii.gz") for folder in folders)
    text = f"{pred / 'a.nii.gz'} is a file and {ref} a folder; give two files, or two folders"
    assert complaint(pred / "a.nii.gz", ref).startswith(text)
    assert complaint(ref, pred / "a.nii.gz").startswith(text)


def test_a_file_that_is_no_image(folders: tuple[Path, Path]) -> None:
    pred, ref = made(folders[0], "a.csv"), made(folders[1], "a.nii.gz")
    text = complaint(pred / "a.csv", ref / "a.nii.gz")
    assert text.startswith(f"{pred / 'a.csv'}: cannot tell an image from the suffix '.csv'; use ")
    assert ".nii.gz" in text


def test_the_same_twice_would_be_perfect(folders: tuple[Path, Path]) -> None:
    ref = made(folders[1], "a.nii.gz", "sub/")
    link = ref.parent / "link"
    link.symlink_to(ref)
    for same in (ref, ref / "sub" / "..", link):
        assert "are the same" in complaint(same, ref)
        assert "would be perfect" in complaint(same, ref)
    assert "are the same" in complaint(ref / "a.nii.gz", link / "a.nii.gz")


def test_two_layouts(folders: tuple[Path, Path]) -> None:
    pred, ref = made(folders[0], "a.nii.gz"), made(folders[1], "a/liver.nii.gz")
    assert complaint(pred, ref) == (
        f"the two folders are laid out differently: {pred} has one image for each case, {ref} has "
        "a subfolder for each case; lay both out alike"
    )


def test_files_and_subfolders_in_one_folder(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], "a.nii.gz", "b/liver.nii.gz")
    ref = made(folders[1], "a.nii.gz")
    assert complaint(pred, ref).startswith(
        f"{pred}: holds both images ('a') and subfolders with images ('b'); keep one image"
    )


@pytest.mark.parametrize("inside", ["", "case/"])
def test_two_files_of_one_stem(folders: tuple[Path, Path], inside: str) -> None:
    pred = made(folders[0], f"{inside}a.nii.gz", f"{inside}a.nrrd")
    ref = made(folders[1], f"{inside}a.nii.gz")
    assert complaint(pred, ref) == (
        f"{pred / inside}: 'a.nii.gz' and 'a.nrrd' both hold 'a'; keep the one that is meant"
    )


def test_two_folders_of_one_name_in_two_spellings(folders: tuple[Path, Path]) -> None:
    pred = made(folders[0], "\u00f6/liver.nii.gz", "o\u0308/liver.nii.gz")
    ref = made(folders[1], "\u00f6/liver.nii.gz")
    if len(list(pred.iterdir())) == 1:
        pytest.skip("this file system takes both spellings for one")
    assert "two subfolders hold case 'ö'; keep one" in complaint(pred, ref)


def test_a_folder_without_images_says_what_is_there(folders: tuple[Path, Path]) -> None:
    ref = made(folders[1], "a.nii.gz")
    pred = made(folders[0])
    assert re.fullmatch(
        rf"{pred}: no image \(.*\.nii\.gz.*\) there, it is empty", complaint(pred, ref)
    )
    made(pred, "a.dcm", "b.dcm", "c", "logs/", "dataset.json")
    assert complaint(pred, ref).endswith(
        " there, it holds 4 other files (2 .dcm, 1 no suffix, 1 .json) and 1 subfolder"
    )


def test_images_that_lie_too_deep_are_pointed_out(folders: tuple[Path, Path]) -> None:
    ref = made(folders[1], "a.nii.gz")
    pred = made(folders[0], "a/segmentations/liver.nii.gz")
    assert complaint(pred, ref).endswith(
        f"{pred / 'a' / 'segmentations' / 'liver.nii.gz'} lies too deep: name a folder nearer to "
        "the images"
    )


def test_a_link_to_nothing_is_found_before_anything_is_scored(folders: tuple[Path, Path]) -> None:
    pred, ref = (made(folder, "a.nii.gz") for folder in folders)
    (pred / "b.nii.gz").symlink_to(pred / "gone")
    assert complaint(pred, ref) == (
        f"{pred / 'b.nii.gz'}: is a broken link; fetch the file that it points to"
    )


def test_a_name_that_is_no_text(folders: tuple[Path, Path]) -> None:
    ref = made(folders[1], "a.nii.gz")
    try:
        pred = made(folders[0], "\udcff.nii.gz")
    except OSError:
        pytest.skip("this file system keeps no such name")
    text = complaint(pred, ref)
    assert "the name is not text in UTF-8; rename it" in text
    assert text.encode()


@pytest.mark.parametrize("together", [False, True])
def test_names_that_differ_are_paired_by_what_they_share(together: bool, tmp_path: Path) -> None:
    pred, ref = tmp_path / "pred", tmp_path / ("pred" if together else "ref")
    for folder, kind in ((pred, "pred"), (ref, "gt")):
        folder.mkdir(exist_ok=True)
        for case in range(3):
            np.save(folder / f"p{case}-{kind}.npy", np.eye(20, k=case, dtype=np.uint8))
    proposed = (
        "or pair them by match=('{case}-pred', '{case}-gt')" if not together else "tells them"
    )
    with pytest.raises(hw.DataError, match=re.escape(proposed)):
        hw.score_folders(pred, ref, "dsc", spacing=1)
    for match in (("{case}-pred", "{case}-gt"), ["{case}-pred.npy", "{case}-gt.npy"]):
        scores = hw.score_folders(pred, ref, "dsc", match=match, spacing=1)  # type: ignore[arg-type]
        assert [row.case for row in scores.rows] == ["p0", "p1", "p2"]
        assert not any("left out" in note for note in scores.notes)


@pytest.mark.parametrize(
    ("match", "said"),
    [
        (("{case}", "b"), "each with {case} once"),
        ("{case}_gt", "each with {case} once"),
        (("{case}_x", "{case}"), "nothing there is named like '{case}_x', but 'a'"),
    ],
)
def test_names_that_pair_nothing_are_refused(match: Any, said: str, tmp_path: Path) -> None:
    for folder in ("pred", "ref"):
        (tmp_path / folder).mkdir()
        np.save(tmp_path / folder / "a.npy", np.eye(20, dtype=np.uint8))
    with pytest.raises(hw.HalfwidthError, match=re.escape(said)):
        hw.score_folders(tmp_path / "pred", tmp_path / "ref", "dsc", match=match)
