"""Names of labels and regions: from files, from options, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import halfwidth as hw

BOTH = {"liver": 1, "tumour": 2}


def held(*values: int, **options: Any) -> dict[str, list[int]]:
    """Which of the values of a map each label holds: those with which it is found at all."""
    truth = np.tile(np.array(values, dtype=np.uint32), (2, 1))
    held: dict[str, list[int]] = {}
    for value in values:
        scores = hw.score_masks(np.where(truth == value, truth, 0), truth, "dsc", **options)
        for label in scores.labels:
            found = scores.value("dsc", label=label) > 0
            held.setdefault(label, []).extend([value] * found)
    return held


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "labels.json"


def complaint(file: Path, content: str) -> str:
    file.write_text(content, encoding="utf-8")
    with pytest.raises(hw.DataError) as caught:
        held(1, labels=file)
    text = str(caught.value)
    assert text.startswith(f"{file}: ")
    assert "\n" not in text
    assert len(text) < 400
    return text.removeprefix(f"{file}: ")


@pytest.mark.parametrize(
    "content",
    [
        {"liver": 1, "tumour": 2},
        {"1": "liver", "2": "tumour"},
        {"0": "background", "1": " liver ", "2": "tumour"},
        {"background": 0, "liver": 1, "tumour": 2},
        {"labels": {"0": "background", "1": "liver", "2": "tumour"}, "numTraining": 131},
        {"labels": {"background": 0, "liver": 1, "tumour": 2}, "channel_names": {"0": "CT"}},
        {"liver": [1], "tumour": 2},
    ],
)
def test_all_ways_of_naming_labels_mean_the_same(file: Path, content: object) -> None:
    file.write_text(json.dumps(content), encoding="utf-8-sig")
    assert held(1, 2, labels=file) == {"liver": [1], "tumour": [2]}


def test_regions_and_the_label_to_ignore(file: Path) -> None:
    labels = {"background": 0, "whole tumour": [1, 2, 3], "core": [3, 2], "ignore": 4}
    file.write_text(json.dumps({"labels": labels, "regions_class_order": [1, 2]}))
    assert held(1, 2, 3, 4, labels=file) == {"whole tumour": [1, 2, 3], "core": [2, 3]}
    truth = np.array([[1, 2, 3, 4]], dtype=np.uint8)
    scores = hw.score_masks(np.minimum(truth, 3), truth, "dsc", labels=file)
    assert [row.value for row in scores] == [1, 1]


def test_the_label_to_ignore_with_numbers_first(file: Path) -> None:
    file.write_text('{"1": "liver", "255": "ignore"}')
    assert held(1, 255, labels=file) == {"liver": [1]}


def test_a_label_of_the_name_labels_is_one(file: Path) -> None:
    file.write_text('{"labels": 1}')
    assert held(1, labels=file) == {"labels": [1]}


def test_the_largest_value_and_names_that_are_their_own_value(file: Path) -> None:
    file.write_text('{"1": 1, "größe": 4294967295}', encoding="utf-8")
    assert held(1, 2**32 - 1, labels=file) == {"1": [1], "größe": [2**32 - 1]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"liver": 1,\n"tumour" 2}', "is not JSON: Expecting ':' delimiter in line 2"),
        ("", "the file is empty"),
        (" \n", "the file is empty"),
        ("liver = 1", "is not JSON: Expecting value in line 1"),
        ("[" * 100_000, "is nested too deeply"),
        ('{"a": ' * 100_000, "is nested too deeply"),
        ("[1, 2]", "holds a list where names and values are expected, such as"),
        ("3", "holds a number where names"),
        ("null", "holds null where names"),
        ('"liver"', "holds text where names"),
        ("{}", "holds no label; write"),
        ('{"labels": {}}', "holds no label; write"),
        ('{"background": 0}', "holds no label but the background"),
        ('{"0": "background"}', "holds no label but the background"),
        ('{"ignore": 1}', "holds no label but the background"),
        ('{"liver": -1}', "'liver': -1 is not between 0 and 4294967295"),
        ('{"-1": "liver"}', "'liver': -1 is not between 0"),
        ('{"liver": 4294967296}', "'liver': 4294967296 is not between 0"),
        ('{"liver": 1' + "0" * 400 + "}", "'liver': 1000"),
        ('{"liver": 1' + "0" * 5000 + "}", "holds a number that is too long"),
        ('{"liver": 1.5}', "'liver': 1.5 is not a whole number"),
        ('{"liver": 1.0}', "'liver': 1.0 is not a whole number"),
        ('{"liver": NaN}', "'liver': nan is not a whole number"),
        ('{"liver": 1e400}', "'liver': inf is not a whole number"),
        ('{"liver": true}', "'liver': true or false is not a whole number"),
        ('{"liver": null}', "'liver': null is not a whole number"),
        ('{"liver": {"value": 1}}', "'liver': an object is not a whole number"),
        ('{"liver": [[1]]}', "'liver': a list is not a whole number"),
        ('{"liver": [1, "2"]}', "'liver': '2' is not a whole number"),
        ('{"liver": 1, "tumour": "2"}', "'tumour': '2' is not a whole number"),
        ('{"liver": "1"}', "'liver': '1' is text; write a whole number without quotes"),
        ('{"1": "liver", "x": "y"}', "'x': 'y' is text; write a whole number"),
        ('{"liver": []}', "'liver' has no value"),
        ('{"liver": [0, 1]}', "'liver' holds 0, the background"),
        ('{"liver": [1, 1]}', "'liver' holds 1 twice"),
        ('{"liver": 1, "liver": 2}', "the name 'liver' appears twice; keep one"),
        ('{"1": "liver", "2": "liver"}', "the name 'liver' appears twice; write a region"),
        ('{"liver": 1, "tumour": 1}', "'liver' and 'tumour' are both 1; keep one"),
        ('{"liver": 1, "tumour": [1]}', "'liver' and 'tumour' are both 1; keep one"),
        ('{"1": "liver", "01": "tumour"}', "'liver' and 'tumour' are both 1; keep one"),
        ('{"": 1}', "the label of 1 has no name"),
        ('{"1": " "}', "the label of 1 has no name"),
        ('{"2": 1}', "'2' is a number and not its own value; give the label a name"),
        ('{"1": "2"}', "'2' is a number and not its own value"),
        ('{"li\\nver": 1}', "'li\\nver' holds a character that cannot be printed"),
        ('{"\\ud800": 1}', "'\\ud800' holds a character that cannot be printed"),
        ('{"liver": 1, "ignore": [2, 3]}', "'ignore' is [2, 3]; give it one value above 0"),
        ('{"liver": 1, "ignore": 0}', "'ignore' is 0; give it one value above 0"),
        ('{"liver": [1, 2], "ignore": 2}', "'liver' holds 2, the value of 'ignore'; keep one"),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(file: Path, content: str, said: str) -> None:
    assert complaint(file, content).startswith(said)


def test_files_that_are_none(tmp_path: Path, file: Path) -> None:
    file.write_bytes(b"\xff\xfe{\0}\0")
    with pytest.raises(hw.DataError, match="is not text in UTF-8; is it the right file"):
        held(1, labels=file)
    with pytest.raises(hw.DataError, match=r"no such file; did you mean 'labels\.json'"):
        held(1, labels=tmp_path / "lables.json")
    with pytest.raises(hw.DataError, match=r"no such file$"):
        held(1, labels=tmp_path / "absent" / "labels.json")
    with pytest.raises(hw.DataError, match="is a folder; name a file"):
        held(1, labels=tmp_path)
    with pytest.raises(hw.DataError, match="cannot be read"):
        held(1, labels=tmp_path / ("a" * 300))
    file.write_bytes(b" " * 4_000_001)
    with pytest.raises(hw.DataError, match="is larger than 4 MB"):
        held(1, labels=file)


# Regions.


@pytest.mark.parametrize(
    ("text", "region", "values"),
    [
        ("both=liver+tumour", "both", [1, 2]),
        ("whole=1+2+4", "whole", [1, 2, 4]),
        (" whole tumour = 1 + core ", "whole tumour", [1, 4]),
        ("core again=4", "core again", [4]),
    ],
)
def test_a_region_is_a_name_and_its_members(text: str, region: str, values: list[int]) -> None:
    assert held(1, 2, 4, labels=BOTH | {"core": 4}, regions=text)[region] == values


@pytest.mark.parametrize("text", ["", "whole", "=1+2", "whole=", "whole=1+", "whole=+1", "1+2"])
def test_a_region_that_is_none_says_how_to_write_one(text: str) -> None:
    with pytest.raises(hw.OptionError, match=r"is not NAME=LABEL\+LABEL; write for example"):
        held(1, 2, regions=[text])


def test_a_member_is_named_once() -> None:
    with pytest.raises(hw.OptionError, match="names 'a' twice"):
        held(1, 2, regions="whole=a+b+a")


def test_regions_follow_the_labels_and_may_hold_each_other() -> None:
    found = held(1, 2, labels=BOTH, regions=["whole=liver+2", "again=whole+1"])
    assert found == {"liver": [1], "tumour": [2], "whole": [1, 2], "again": [1, 2]}
    assert list(found) == ["liver", "tumour", "whole", "again"]


def test_numbers_stand_for_themselves_where_no_labels_are_known() -> None:
    assert held(1, 4, regions="whole=4+1") == {"1": [1], "4": [4], "whole": [1, 4]}


def test_an_unknown_member_is_refused_with_a_proposal() -> None:
    with pytest.raises(hw.UnknownNameError, match=r"'tumor'; did you mean 'tumour'\?"):
        held(1, 2, labels=BOTH, regions="whole=liver+tumor")
    with pytest.raises(hw.UnknownNameError, match=r"'3'.* Numbers: 1, 2\."):
        held(1, 2, labels=BOTH, regions="whole=1+3")
    with pytest.raises(hw.UnknownNameError, match="'core'"):
        held(1, 2, regions="whole=1+core")


@pytest.mark.parametrize("member", ["0", "background"])
@pytest.mark.parametrize("labels", [BOTH, None])
def test_the_background_is_no_member(member: str, labels: Any) -> None:
    with pytest.raises(hw.OptionError, match="the background is no label"):
        held(1, 2, labels=labels, regions=f"whole={member}")


@pytest.mark.parametrize(
    ("regions", "said"),
    [
        (["liver=1+2"], "there is a label 'liver'; use another name"),
        (["whole=1+2", "whole=1"], "there is a label 'whole'; use another name"),
        (["3=1+2"], "the name is a number; use a word"),
    ],
)
def test_a_region_needs_a_name_of_its_own(regions: list[str], said: str) -> None:
    with pytest.raises(hw.OptionError, match=said):
        held(1, 2, labels=BOTH, regions=regions)


# Choosing.


def test_labels_are_chosen_by_name_or_number_in_the_order_asked_for() -> None:
    given: dict[str, Any] = {"labels": BOTH, "regions": "whole=1+2"}
    found = held(1, 2, **given, only=["tumour", "1"])
    assert list(found) == ["tumour", "liver", "whole"]
    assert list(held(1, 2, labels=BOTH, only=[" liver "])) == ["liver"]


def test_an_unknown_label_is_refused_with_a_proposal() -> None:
    with pytest.raises(hw.UnknownNameError, match=r"'tumor'; did you mean.*Known: liver, tumour"):
        held(1, 2, labels=BOTH, only=["tumor"])
    with pytest.raises(hw.UnknownNameError, match=r"Numbers: 1, 2\."):
        held(1, 2, labels=BOTH, only=["7"])
    with pytest.raises(hw.OptionError, match="name at least one"):
        held(1, 2, labels=BOTH, only=[])


def picture() -> NDArray[np.uint8]:
    labels = np.zeros((40, 40), dtype=np.uint8)
    labels[4:20, 4:20], labels[24:36, 4:30] = 1, 2
    return labels


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


def test_the_background_is_no_label() -> None:
    with pytest.raises(hw.OptionError, match="background"):
        hw.score_masks(picture(), picture(), "dsc", only=["0"])


def test_a_region_is_in_parts_by_its_making() -> None:
    scores = hw.score_masks(picture(), picture(), "dsc", regions=["both=1+2"])
    assert scores.cautions == ()


@pytest.mark.parametrize("only", ["1,2", ["1", "2"], ["1,2"]])
def test_labels_may_be_picked_by_a_text(only: Any) -> None:
    scores = hw.score_masks(picture(), picture(), "dsc", only=only)
    assert scores.labels == ["1", "2"]


def test_a_region_is_scored_besides_what_is_picked() -> None:
    scores = hw.score_masks(picture(), picture(), "dsc", only="2", regions="w=1+2")
    assert scores.labels == ["2", "w"]


def test_values_of_a_region_that_no_case_has_are_told() -> None:
    scores = hw.score_masks(picture(), picture(), "dsc", regions="w=1+9")
    assert "values that no case has: 9" in scores.notes


def blob(shift: int = 0) -> NDArray[np.bool_]:
    mask = np.zeros((40, 44), dtype=bool)
    mask[8:28, 6 + shift : 36 + shift] = True
    return mask


def test_a_label_that_no_case_has_is_an_error_if_it_is_asked_for() -> None:
    maps = blob().astype(np.uint8), blob().astype(np.uint8)
    with pytest.raises(hw.DataError, match=r"no case has label 7; the label maps hold 1$"):
        hw.score_masks(*maps, "dsc", only="7")
    with pytest.raises(hw.DataError, match=r"no case has label 7; the label maps hold 1$"):
        hw.score_masks(*maps, "dsc", only="1,7")
    names = {"liver": 1, "spleen": 7}
    with pytest.raises(hw.DataError, match=r"no case has label spleen; .* hold 1 \(liver\)$"):
        hw.score_masks(*maps, "dsc", labels=names, only="liver,spleen")
    with pytest.raises(hw.OptionError, match="unknown label 'livre'; did you mean 'liver'"):
        hw.score_masks(*maps, "dsc", labels=names, only="livre")


@pytest.mark.parametrize(
    "labels",
    [
        {"liver": 1},
        {1: "liver"},
        {"liver": np.int64(1)},
        {"liver": (1, 2)},
        {"liver": np.array([1])},
    ],
)
def test_labels_may_be_what_python_makes_of_them(labels: Any) -> None:
    whole = blob().astype(np.uint8)
    assert hw.score_masks(whole, whole, "dsc", labels=labels).labels == ["liver"]


@pytest.mark.parametrize("labels", [["a", "b"], 3])
def test_other_labels_are_refused(labels: Any) -> None:
    with pytest.raises(hw.OptionError, match="neither a file nor a mapping"):
        hw.score_masks(blob(), blob(), "dsc", labels=labels)
