"""Small files that the fuzz of readers stumbled over, or as little as is left of them.

Others stand beside the tests of their readers: `test_arrays`, `test_workbooks`,
`test_parquet_tables`, `test_text_tables`.
"""

from __future__ import annotations

import contextlib
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from foreignfiles import IMPORTED, written, zipped
from over_data import over

import halfwidth as hw
from halfwidth.tables.readers import Reading, read_table

CORPUS = Path(__file__).parent / "corpus"


def nnunet(dice: Any) -> dict[str, Any]:
    case = {
        "prediction_file": "a.nii.gz",
        "metrics": {"1": {"Dice": dice, "n_pred": 3, "n_ref": 3}},
    }
    return {"metric_per_case": [case], "mean": {"1": {"Dice": 0.5}}, "foreground_mean": {"Dice": 0}}


def test_whole_numbers_beyond_floating_point_are_infinite(tmp_path: Path) -> None:
    file = tmp_path / "summary.json"
    for sign in (1, -1):
        table = read_table(written(file, json.dumps(nnunet(sign * 10**400))))
        assert table.values("value", np.arange(1)).tolist() == [sign * float("inf")]


def test_values_near_the_end_of_floating_point_are_audited_without_a_warning() -> None:
    values = [1e308, 0.5, 0.25, 0.1234, 1e307, 3.5]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        over(hw.check, hw.CaseValues.from_table)({"case": list("abcdef"), "value": values})


def test_a_message_names_some_of_many_columns() -> None:
    with pytest.raises(hw.DataError, match="no column of numbers") as caught:
        hw.CaseValues.from_runs({f"column {place}": ["a"] for place in range(500)})
    assert len(str(caught.value)) < 1000


def test_a_damaged_member_is_not_quoted(tmp_path: Path) -> None:
    file = zipped(tmp_path / "a.eval", {"header.json": {"eval": {}}, "samples/a_epoch_1.json": {}})
    content = bytearray(file.read_bytes())
    # The name of the second member is longer than it is, says its local header.
    place = content.index(b"samples/a_epoch_1.json") - 4
    content[place : place + 2] = (200).to_bytes(2, "little")
    file.write_bytes(bytes(content))
    with pytest.raises(hw.DataError, match="damaged") as caught:
        read_table(file)
    assert len(str(caught.value)) < len(str(file)) + 250


@pytest.mark.parametrize("file", sorted(CORPUS.iterdir()), ids=lambda file: file.name)
def test_files_that_were_kept(file: Path) -> None:
    """The directory of histogram.parquet is damaged where pyarrow ends the process if asked."""
    with contextlib.suppress(hw.DataError):
        read_table(file)


def test_a_name_with_a_line_end_in_a_file_of_tolerances(tmp_path: Path) -> None:
    file = tmp_path / "mm.toml"
    file.write_text('[y]\n"line\\nbreak" = 3\n', encoding="utf-8")
    image, other = tmp_path / "image.npy", tmp_path / "other.npy"
    np.save(image, np.eye(3, dtype=np.uint8))
    np.save(other, np.eye(3, dtype=np.uint8))
    with pytest.raises(hw.DataError, match="is a table") as caught:
        hw.score_folders(image, other, "nsd", spacing=1, tolerance_file=file)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", IMPORTED)
def test_a_table_that_is_not_in_the_format_that_was_named(name: str, tmp_path: Path) -> None:
    file = tmp_path / "metrics.csv"
    file.write_text("case,dice\na,0.5\nb,0.7\n", encoding="utf-8")
    with pytest.raises(hw.DataError):
        read_table(file, Reading(format=name))


@pytest.mark.parametrize("title", [np.array([1, None], dtype=object), 3, None])
def test_the_title_of_a_calibration_curve_is_a_text(title: Any) -> None:
    (curve,) = hw.curve(
        [0, 0, 1, 0, 1, 1] * 10, "reliability-bins", y_score=np.arange(60) / 60, n_resamples=99
    )
    with pytest.raises(hw.OptionError, match="is not a text"):
        hw.plots.calibration(curve, title=title)
    with pytest.raises(hw.OptionError, match=r"titles=.* is no list of texts"):
        hw.plots.figures_of_calibration([curve], titles=np.float32(1))  # type: ignore[arg-type]
