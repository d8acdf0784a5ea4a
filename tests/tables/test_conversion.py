"""Any table as the canonical long one, and several as one."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import Run

from halfwidth import DataError, OptionError, UnknownNameError
from halfwidth.io.table import Table
from halfwidth.io.writers import write_table
from halfwidth.tables.conversion import long_table, rows_of, stacked
from halfwidth.tables.readers import read_table

NNUNET = Path(__file__).parent / "importers" / "fixtures" / "nnunet" / "summary.json"
WIDE: Mapping[str, Sequence[Any]] = {
    "image": ["x", "y"],
    "model": ["A", "A"],
    "subject": ["01", "02"],
    "liver": [0.9, 0.1 + 0.2],
    "spleen": [0.8, None],
    "site": ["m", "n"],
}


def test_a_wide_table_becomes_long() -> None:
    table = long_table(Table.from_frame(WIDE), "Dice", case="image", groups="subject")
    assert table.names == ["case", "metric", "value", "model", "label", "group"]
    cells = [tuple(str(cell) for cell in row) for row in rows_of(table)]
    assert cells == [
        ("x", "dsc", "0.9", "A", "liver", "01"),
        ("x", "dsc", "0.8", "A", "spleen", "01"),
        ("y", "dsc", "0.30000000000000004", "A", "liver", "02"),
        ("y", "dsc", "nan", "A", "spleen", "02"),
    ]
    assert table.notes[1] == "left out: column site"


def test_one_column_of_values_is_no_label() -> None:
    scores = Table.from_frame({**WIDE, "NSD": [0.7, 0.8]})
    table = long_table(scores, "nsd:tolerance=3,definition=surface", ["NSD"])
    assert table.names == ["case", "metric", "value", "model", "parameters"]
    assert table.levels("parameters") == ["tolerance=3;definition=surface"] * 2
    assert table.levels("case") == ["01", "02"]


def test_the_algorithms_of_a_challenge_are_its_models() -> None:
    columns = {"algorithm": ["A", "B"], "task": ["t", "t"], "case": ["1", "1"], "value": [0.5, 0.6]}
    table = long_table(Table.from_frame(columns), "dsc")
    assert table.names == ["case", "metric", "value", "model", "task"]
    assert table.levels("model") == ["A", "B"]
    assert table.notes == ("values of column value as dsc, cases by 'case', models by 'algorithm'",)


def test_what_cannot_be_converted() -> None:
    wide = Table.from_frame(WIDE)
    assert long_table(wide) is wide
    with pytest.raises(OptionError, match="need metric="):
        long_table(wide, values=["liver"])
    with pytest.raises(DataError, match="column 'site' holds 'm' in row 2"):
        long_table(wide, "dsc", ["site"])
    with pytest.raises(DataError, match="no column of case ids"):
        long_table(Table.from_frame({"liver": [0.5, 0.6]}), "dsc")
    canonical = read_table(NNUNET)
    with pytest.raises(OptionError, match="names the metric of each row"):
        long_table(canonical, "dsc")
    with pytest.raises(UnknownNameError, match="no_such"):
        long_table(canonical, groups="no_such")


@pytest.mark.parametrize("name", ["long.csv", "long.tsv", "long.parquet"])
def test_what_is_written_is_read_again_to_the_last_digit(name: str, tmp_path: Path) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    numbers = {"liver": [0.1 + 0.2, 5e-324, math.inf], "spleen": [1 / 3, None, 123456789.123456789]}
    wide = long_table(Table.from_frame({"case": ["01", "é,b", 'c"'], **numbers}), "hd95")
    for table in (stacked({"a\tb": read_table(NNUNET), "B": read_table(NNUNET)}), wide):
        write_table(table.names, rows_of(table), tmp_path / name)
        again = read_table(tmp_path / name)
        assert again.names == table.names
        for column in table.names:
            if column == "value":
                rows = range(len(table))
                expected = table.columns["value"].tolist()
                found = again.values("value", list(rows)).tolist()  # type: ignore[arg-type]
                assert [repr(number) for number in found] == [repr(number) for number in expected]
            else:
                assert again.levels(column) == table.levels(column)


def test_tables_of_models_with_other_columns_are_one() -> None:
    first = Table.from_frame({"case": ["a"], "metric": ["dsc"], "value": [0.5], "status": ["ok"]})
    other = Table.from_frame({"case": ["b"], "metric": ["dsc"], "value": [0.7], "fold": [3]})
    table = stacked({"A": first, "B": other})
    assert table.names == ["case", "metric", "value", "model", "status", "fold"]
    assert table.levels("model") == ["A", "B"]
    assert table.levels("status") == ["ok", None]
    assert table.levels("fold") == [None, 3]
    # Models that a file names are kept, unless the user says otherwise.
    assert stacked({"C": table}).levels("model") == ["A", "B"]
    one = stacked({"A": first})
    assert stacked({"C": one, "D": first}, ["C"]).levels("model") == ["C", "D"]
    with pytest.raises(DataError, match=r"several models.*'C'"):
        stacked({"C": table}, ["C"])


ODD = ["=a", "'=a", "''=a", "+b", "-b", "@c", "\tc", "\t5", "\rd", "=", "'@'", "- -", "=1+1"]
NEVER_DEFUSED = ["'tis", "'", "''", "'-1", "-1", '"q"', "a,b", "a;b", "-1,1", "a\nb", "a'b"]


@pytest.mark.parametrize("name", ["w.csv", "w.tsv", "w.parquet"])
def test_cases_with_odd_names_pair_with_their_conversion(
    name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    odd = [*ODD, *NEVER_DEFUSED]
    frame = pd.DataFrame({"=case": odd, "dsc": np.linspace(0.5, 0.9, len(odd))})
    frame.to_parquet("t.parquet", index=False)
    assert run("convert", "t.parquet", "-o", name).status == 0
    again = read_table(name)
    assert again.names == ["=case", "dsc"]
    assert list(map(str, again.levels("=case"))) == odd
    ran = run(
        *("compare", "a=t.parquet", f"b={name}", "--metric", "dsc", "--case", "=case", "--json")
    )
    (compared,) = json.loads(ran.out)["comparisons"]
    assert compared["n"] == len(odd)


@pytest.mark.parametrize("columns", [["dice"], ["liver"], ["liver", "spleen"]])
@pytest.mark.parametrize("metric", ["dsc", "nsd:tolerance=3"])
def test_a_wide_table_pairs_with_the_long_one_made_of_it(
    columns: list[str], metric: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    values = {name: [0.9, 0.8, 0.85 - 0.1 * place] for place, name in enumerate(columns)}
    pd.DataFrame({"case": ["=a", "b", "c"], **values}).to_csv("wide.csv", index=False)
    assert run("convert", "wide.csv", "--metric", metric, "-o", "long.csv").status == 0
    ran = run("compare", "wide.csv", "long.csv", "--metric", metric, "--method", "t", "--json")
    compared = json.loads(ran.out)["comparisons"]
    assert [one["n"] for one in compared] == [3] * len(columns)
    assert all(one["value"] == 0 for one in compared)
    ran = run("rank", "long.csv", "wide.csv", "--metric", metric, "--json")
    assert len(json.loads(ran.out)["rankings"]) == len(columns)
    ran = run("compare", "wide.csv", "long.csv", "--metric", "nsd:tolerance=2")
    assert ran.status == 2
