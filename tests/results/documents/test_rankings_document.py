"""Documents of rankings against golden files, letter by letter."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from over_data import over

import halfwidth as hw
from halfwidth.document import terminal_width
from halfwidth.document.render import render

GOLDEN = Path(__file__).parents[2] / "golden"
UPDATE = os.environ.get("HALFWIDTH_UPDATE_GOLDEN") == "1"
HOW: dict[str, Any] = {"metric": "dsc", "missing": "omit", "rng": 7}


def three_models() -> hw.Rankings:
    table = pd.read_csv(GOLDEN / "cases.csv")
    third = table[table["model"] == "U-Net"].assign(model="<C>", liver=lambda d: d["liver"] * 0.7)
    return over(hw.rank, hw.CaseValues.from_table)(pd.concat([table, third]), "liver", top=2, **HOW)


def two_organs() -> hw.Rankings:
    return over(hw.rank, hw.CaseValues.from_table)(
        pd.read_csv(GOLDEN / "cases.csv"), ["liver", "pancreas"], **HOW
    )


MADE = {
    "rankings.txt": (three_models, "table"),
    "rankings.md": (three_models, "markdown"),
    "rankings_two.tex": (two_organs, "latex"),
}


@pytest.mark.parametrize("name", MADE)
def test_text(name: str) -> None:
    result, kind = MADE[name]
    text = render(result().document(), kind)
    path = GOLDEN / "expected" / name
    if UPDATE:
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()


def test_json_and_csv_are_those_of_the_result() -> None:
    result = three_models()
    assert "<C>" not in result._repr_html_()
    assert json.loads(render(result.document(), "json")) == result.to_dict()
    assert render(result.document(), "csv").count("\n") == 4
    assert "No rankings" in render(hw.Rankings(()).document(), "table")


def test_prose_of_many_rankings_is_for_pages() -> None:
    (ranking,) = three_models()
    many = replace(three_models(), items=(ranking,) * 4)
    short, full = (render(many.document(), kind) for kind in ("table", "markdown"))
    assert (short.count("Not told apart"), full.count("Not told apart")) == (0, 4)
    assert short.count("U-Net") == 4


def test_long_names_of_models_are_wrapped_so_that_the_table_fits() -> None:
    table = pd.read_csv(GOLDEN / "cases.csv")
    table["model"] = [f"Vision_Language_{name}_CLIP_dsc" for name in table["model"]]
    document = over(hw.rank, hw.CaseValues.from_table)(table, "liver", **HOW).document()
    with terminal_width.on_terminal(80):
        _, ranks, *_ = render(document, "table").split("\n\n")
    lines = ranks.splitlines()
    assert max(map(len, lines)) <= 80
    # A table still, and no list of the cells of each row.
    assert {"─"} in map(set, lines)
    assert sum(line.startswith("Vision_Language_") for line in lines) == 2


@pytest.mark.parametrize(("more", "rest"), [(False, "and 2 further"), (True, "and more than 2 ")])
def test_of_many_groups_the_first_are_shown(more: bool, rest: str) -> None:
    (ranking,) = three_models()
    pairs = tuple((f"M{model}", f"M{model + 1}") for model in range(12))
    many = hw.Rankings((replace(ranking, groups=pairs, more_groups=more),))
    text = render(many.document(), "markdown")
    assert "M9 and M10; " + rest in " ".join(text.split())
    assert "M11" not in text


def test_ties_of_a_consensus_are_said_too() -> None:
    """Two tasks whose winners change places: both models are first of their mean ranks."""
    values = {"A": [0.9, 0.8, 0.85] * 8, "B": [0.8, 0.7, 0.76] * 8}
    rows = [
        {"case": i, "model": model, "organ": organ, "dice": value}
        for organ, names in (("x", "AB"), ("y", "BA"))
        for model, name in zip("AB", names, strict=True)
        for i, value in enumerate(values[name])
    ]
    ranked = hw.rank(
        hw.CaseValues.from_table(pd.DataFrame(rows), "dice", metric="dsc", by="organ"), rng=1
    )
    assert [model.first_share for model in ranked.consensus[0].models] == [1, 1]
    assert "tie for the first rank are each first" in render(ranked.document(), "table")
