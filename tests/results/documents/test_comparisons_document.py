"""Documents of comparisons against golden files, letter by letter."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from over_data import over

import halfwidth as hw
from halfwidth.document.parts import Adaptive, Document, Table
from halfwidth.document.render import render

GOLDEN = Path(__file__).parents[2] / "golden"
UPDATE = os.environ.get("HALFWIDTH_UPDATE_GOLDEN") == "1"
HOW: dict[str, Any] = {"metric": "dsc", "missing": "omit", "rng": 7}


def three_models() -> hw.Comparisons:
    table = pd.read_csv(GOLDEN / "cases.csv")
    third = table[table["model"] == "U-Net"].assign(
        model="<C>", liver=lambda d: d["liver"] - d["spleen"] / 50
    )
    return over(hw.compare, hw.CaseValues.from_table)(
        pd.concat([table, third]), "liver", margin=0.05, **HOW
    )


def two_organs() -> hw.Comparisons:
    table = pd.read_csv(GOLDEN / "cases.csv")
    return over(hw.compare, hw.CaseValues.from_table)(
        table, ["liver", "pancreas"], goal=0.5, margin=0.05, **HOW
    )


MADE = {
    "comparisons.txt": (three_models, "table"),
    "comparisons.md": (three_models, "markdown"),
    "comparisons.tex": (two_organs, "latex"),
    "comparisons_two.txt": (two_organs, "table"),
}


@pytest.mark.parametrize("name", MADE)
def test_text(name: str) -> None:
    result, kind = MADE[name]
    text = render(result().document(), kind)
    path = GOLDEN / "expected" / name
    if UPDATE:
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()


def test_json() -> None:
    text = render(two_organs().document(), "json")
    path = GOLDEN / "expected" / "comparisons.json"
    if UPDATE:
        path.write_bytes(text.encode())
    _assert_close(json.loads(text), json.loads(path.read_bytes()))


def _assert_close(got: Any, expected: Any) -> None:
    """Equal, and numbers to 1e-9."""
    if isinstance(expected, dict):
        assert list(got) == list(expected), "the order of the keys"
        for key, value in expected.items():
            _assert_close(got[key], value)
    elif isinstance(expected, list):
        for one, other in zip(got, expected, strict=True):
            _assert_close(one, other)
    elif isinstance(expected, float):
        assert got == pytest.approx(expected, rel=1e-9)
    else:
        assert got == expected


def tables(document: Document, *, terminal: bool) -> list[Table]:
    assert not any(isinstance(part, Adaptive) for part in document.parts_for(terminal=terminal))
    return [part for part in document.parts_for(terminal=terminal) if isinstance(part, Table)]


def test_every_row_stands_in_every_form() -> None:
    result = three_models()
    document = result.document()
    for terminal in (True, False):
        (table,) = tables(document, terminal=terminal)
        assert len(table.rows) == len(result) == 3
        assert "all together" in table.headings
    text = render(document, "csv")
    assert len(text.splitlines()) == 4
    assert text.count(',"-1,1",') == 3, "bounds are no formula"


def test_what_the_estimates_rest_on_is_said_once_on_a_terminal() -> None:
    short, full = (
        tables(three_models().document(), terminal=terminal)[0].headings
        for terminal in (True, False)
    )
    assert set(full) - set(short) == {
        *("of", "n", "method", "cautions"),
        # The values of the models stand below.
        *("first", "second"),
    }


def test_goals_alone_are_a_document() -> None:
    values = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
    result = hw.compare({"A": values}, metric="dsc", goal=0.95)
    (table,) = tables(result.document(), terminal=True)
    assert table.texts[0][-1] == "not shown"


def of_organs(models: list[str]) -> hw.Comparisons:
    """A family for each of two organs with long names."""
    table = pd.read_csv(GOLDEN / "cases.csv")
    one = table[table["model"] == "U-Net"].rename(columns={"liver": "gall_bladder"})
    parts = [
        one.assign(model=name, gall_bladder=one["gall_bladder"] - place / 50)
        for place, name in enumerate(models)
    ]
    values = ["gall_bladder", "pancreas"]
    return over(hw.compare, hw.CaseValues.from_table)(
        pd.concat(parts), values, baseline=models[-1], **HOW
    )


def test_one_pair_of_models_is_named_once_and_its_table_fits_80_columns() -> None:
    first, second = "nnU-Net_ResEncL_dsc", "nnU-Net_U-Net_dsc"
    text = render(of_organs([first, second]).document(), "table")
    heading, _, *rows = text.split("\n\nVerdicts")[0].splitlines()
    assert heading == f"Difference in mean DSC (first: {first}, second: {second})"
    assert max(map(len, text.splitlines())) <= 80
    assert not any(first in row or second in row for row in rows)
    assert rows[2].startswith("gall_bladder  ")


def test_models_with_one_baseline_have_a_table_for_each_family() -> None:
    result = of_organs(["vit", "swin", "unet"])
    document = result.document()
    shown = tables(document, terminal=True)
    assert [[row[0] for row in table.texts] for table in shown] == [["vit", "swin"]] * 2
    text = render(document, "table")
    assert text.startswith(
        "Difference in mean DSC (second: unet)\n\ngall_bladder, n = 12\n\nfirst "
    )
    assert f"Mean DSC: vit {result[0].estimate.text_of(result[0].first_value)}, unet " in text
    assert max(map(len, text.splitlines())) <= 80


def test_cautions_name_the_others_that_have_them() -> None:
    text = render(of_organs(["vit", "unet"]).document(), "table")
    assert "HW201  gall_bladder: 12 cases" in text
    assert "(also pancreas)" in text
