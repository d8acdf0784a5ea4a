"""Names of labels and regions: from files, from options, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import halfwidth as hw
from halfwidth.scoring.label_definitions import (
    Label,
    LabelFile,
    parse_region,
    read_label_file,
    select_labels,
    with_regions,
)

LIVER, TUMOUR = Label("liver", (1,)), Label("tumour", (2,))
BOTH = (LIVER, TUMOUR)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "labels.json"


def complaint(file: Path, content: str) -> str:
    file.write_text(content, encoding="utf-8")
    with pytest.raises(hw.DataError) as caught:
        read_label_file(file)
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
    assert read_label_file(file) == LabelFile(BOTH, None)


def test_regions_and_the_label_to_ignore(file: Path) -> None:
    labels = {"background": 0, "whole tumour": [1, 2, 3], "core": [3, 2], "ignore": 4}
    file.write_text(json.dumps({"labels": labels, "regions_class_order": [1, 2]}))
    found = read_label_file(file)
    assert found.labels == (Label("whole tumour", (1, 2, 3)), Label("core", (2, 3)))
    assert found.ignore == 4


def test_the_label_to_ignore_with_numbers_first(file: Path) -> None:
    file.write_text('{"1": "liver", "255": "ignore"}')
    assert read_label_file(file) == LabelFile((LIVER,), 255)


def test_a_label_of_the_name_labels_is_one(file: Path) -> None:
    file.write_text('{"labels": 1}')
    assert read_label_file(file).labels == (Label("labels", (1,)),)


def test_the_largest_value_and_names_that_are_their_own_value(file: Path) -> None:
    file.write_text('{"1": 1, "größe": 4294967295}', encoding="utf-8")
    assert read_label_file(file).labels == (Label("1", (1,)), Label("größe", (4294967295,)))


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
        read_label_file(file)
    with pytest.raises(hw.DataError, match=r"no such file; did you mean 'labels\.json'"):
        read_label_file(tmp_path / "lables.json")
    with pytest.raises(hw.DataError, match=r"no such file$"):
        read_label_file(tmp_path / "absent" / "labels.json")
    with pytest.raises(hw.DataError, match="is a folder; name a file"):
        read_label_file(tmp_path)
    with pytest.raises(hw.DataError, match="cannot be read"):
        read_label_file(tmp_path / ("a" * 300))
    file.write_bytes(b" " * 4_000_001)
    with pytest.raises(hw.DataError, match="is larger than 4 MB"):
        read_label_file(file)


# Regions.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lungs=Lung-Lt+Lung-Rt", ("lungs", ("Lung-Lt", "Lung-Rt"))),
        ("whole=1+2+4", ("whole", ("1", "2", "4"))),
        (" whole tumour = 1 + core ", ("whole tumour", ("1", "core"))),
        ("tumour=2", ("tumour", ("2",))),
    ],
)
def test_a_region_is_a_name_and_its_members(
    text: str, expected: tuple[str, tuple[str, ...]]
) -> None:
    assert parse_region(text) == expected


@pytest.mark.parametrize("text", ["", "whole", "=1+2", "whole=", "whole=1+", "whole=+1", "1+2"])
def test_a_region_that_is_none_says_how_to_write_one(text: str) -> None:
    with pytest.raises(hw.OptionError, match=r"is not NAME=LABEL\+LABEL; write for example"):
        parse_region(text)


def test_a_member_is_named_once() -> None:
    with pytest.raises(hw.OptionError, match="names 'a' twice"):
        parse_region("whole=a+b+a")


def test_regions_follow_the_labels_and_may_hold_each_other() -> None:
    found = with_regions(BOTH, ["whole=liver+2", "again=whole+1"])
    assert found == (*BOTH, Label("whole", (1, 2)), Label("again", (1, 2)))


def test_numbers_stand_for_themselves_where_no_labels_are_known() -> None:
    assert with_regions((), ["whole=4+1"]) == (Label("whole", (1, 4)),)


def test_an_unknown_member_is_refused_with_a_proposal() -> None:
    with pytest.raises(hw.UnknownNameError, match=r"'tumor'; did you mean 'tumour'\?"):
        with_regions(BOTH, ["whole=liver+tumor"])
    with pytest.raises(hw.UnknownNameError, match=r"'3'.* Numbers: 1, 2\."):
        with_regions(BOTH, ["whole=1+3"])
    with pytest.raises(hw.UnknownNameError, match="'core'"):
        with_regions((), ["whole=1+core"])


@pytest.mark.parametrize("member", ["0", "background"])
def test_the_background_is_no_member(member: str) -> None:
    for labels in (BOTH, ()):
        with pytest.raises(hw.OptionError, match="the background is no label"):
            with_regions(labels, [f"whole={member}"])


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
        with_regions(BOTH, regions)


# Choosing.


def test_labels_are_chosen_by_name_or_number_in_the_order_asked_for() -> None:
    labels = with_regions(BOTH, ["whole=1+2"])
    assert select_labels(labels, None) == labels
    assert select_labels(labels, ["whole", "1", " liver "]) == (labels[2], LIVER)


def test_an_unknown_label_is_refused_with_a_proposal() -> None:
    with pytest.raises(hw.UnknownNameError, match=r"'tumor'; did you mean.*Known: liver, tumour"):
        select_labels(BOTH, ["tumor"])
    with pytest.raises(hw.UnknownNameError, match=r"Numbers: 1, 2\."):
        select_labels(BOTH, ["7"])
    with pytest.raises(hw.OptionError, match="name at least one"):
        select_labels(BOTH, [])
