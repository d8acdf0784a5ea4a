"""Any table as the canonical long one, and several as one."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from shapes.data import METRICS, Shape, data_frame
from support import Run

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


@pytest.fixture
def converted(run: Run, tmp_path: Path) -> Callable[..., tuple[list[list[str]], str]]:
    """The rows that files become, header first, and what is said of them."""

    def converts(*tables: Any, **options: str) -> tuple[list[list[str]], str]:
        files: list[object] = []
        for place, table in enumerate(tables):
            file = tmp_path / f"{place}.csv"
            if not isinstance(table, str):
                pd.DataFrame(table).to_csv(file, index=False)
            files.append(table if isinstance(table, str) else file)
        more = [word for name, value in options.items() for word in (f"--{name}", value)]
        ran = run("convert", *files, *more)
        if ran.status:
            assert ran.out == ""
        return list(csv.reader(io.StringIO(ran.out))), " ".join(ran.err.split())

    return converts


def test_a_wide_table_becomes_long(converted: Any) -> None:
    rows, said = converted(WIDE, metric="Dice", case="image", groups="subject")
    assert rows == [
        ["case", "metric", "value", "model", "label", "group", "site"],
        ["x", "dsc", "0.9", "A", "liver", "01", "m"],
        ["x", "dsc", "0.8", "A", "spleen", "01", "m"],
        ["y", "dsc", "0.30000000000000004", "A", "liver", "02", "n"],
        ["y", "dsc", "", "A", "spleen", "02", "n"],
    ]
    assert "left out" not in said


def test_one_column_of_values_is_no_label(converted: Any) -> None:
    asked = {"metric": "nsd:tolerance=3,definition=surface", "value": "NSD"}
    rows, _ = converted({**WIDE, "NSD": [0.7, 0.8]}, **asked)
    assert [row[:5] for row in rows] == [
        ["case", "metric", "value", "model", "parameters"],
        ["01", "nsd", "0.7", "A", "tolerance=3;definition=surface"],
        ["02", "nsd", "0.8", "A", "tolerance=3;definition=surface"],
    ]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("shape", "named"),
    [
        (Shape(3, 2, (2,)), True),
        (Shape(3, 1, (3,)), False),
        (Shape(2, 3, (2, 2)), False),
        (Shape(3, 3), True),
        (Shape(1, 2, (1,)), True),
    ],
)
def test_a_conversion_gives_what_its_source_gives_level_by_level(
    shape: Shape, named: bool, run: Run, tmp_path: Path
) -> None:
    source, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    data_frame("wide", shape).to_csv(source, index=False)
    metric = ["--metric", ",".join(METRICS["wide"][: shape.metrics])]
    assert run("convert", source, *(metric if named else []), "-o", long).status == 0
    by = [word for name in shape.by for word in ("--by", name)]
    further = ["--groups", "patient", *by, "--n-resamples", 49, "--seed", 1, "--json"]
    for verb, key in (("ci", "estimates"), ("compare", "comparisons"), ("rank", "rankings")):
        answers = [run(verb, *given, *further) for given in ((source, *metric), (long,))]
        assert len({ran.status for ran in answers}) == 1
        if shape.models == 1 and verb != "ci":
            continue
        # Rows of several metrics stand in another order.
        wide, of_long = (
            sorted(json.loads(ran.out)[key], key=lambda one: (str(one["by"]), one["metric"]))
            for ran in answers
        )
        assert [one | {"label": ""} for one in wide] == [one | {"label": ""} for one in of_long]
        assert len(wide) >= shape.metrics * math.prod(shape.levels)


def test_metrics_of_columns_that_are_called_otherwise(converted: Any) -> None:
    table = {"case": ["1"], "organ": ["liver"], "Dice (%)": [0.5], "HD": [3.0]}
    rows, said = converted(table, metric="Dice (%)=dsc,HD=hd:percentile=99")
    assert rows == [
        ["case", "metric", "value", "parameters", "organ"],
        ["1", "dsc", "0.5", "", "liver"],
        ["1", "hd", "3.0", "percentile=99", "liver"],
    ]
    assert "values of columns Dice (%), HD as dsc, hd:percentile=99" in said
    # Measured values that are not asked for are none of its levels.
    rows, said = converted({**table, "HD": [0.5], "fold": [3]}, metric="Dice (%)=dsc")
    assert rows[0] == ["case", "metric", "value", "label", "fold", "organ"]
    assert "left out: column HD" in said
    # Of one metric the columns are told apart.
    rows, _ = converted({**table, "HD": [0.75]}, metric="Dice (%)=dsc,HD=dsc")
    assert [row[:4] for row in rows[1:]] == [
        ["1", "dsc", "0.5", "Dice (%)"],
        ["1", "dsc", "0.75", "HD"],
    ]


def test_columns_for_metrics_that_are_not_there(converted: Any) -> None:
    assert (
        "no column is called 'hd95'" in converted({**WIDE, "dsc": [0.5, 0.6]}, metric="dsc,hd95")[1]
    )
    twice = converted({"case": ["1"], "nsd": [0.5]}, metric="nsd:tolerance=1,nsd:tolerance=2")
    assert "names a column twice" in twice[1]


def test_the_algorithms_of_a_challenge_are_its_models(converted: Any) -> None:
    columns = {"algorithm": ["A", "B"], "task": ["t", "t"], "case": ["1", "1"], "value": [0.5, 0.6]}
    (names, *rows), said = converted(columns, metric="dsc")
    assert names == ["case", "metric", "value", "model", "task"]
    assert [row[3] for row in rows] == ["A", "B"]
    assert "values of column value as dsc, cases by 'case', models by 'algorithm'" in said


def test_what_cannot_be_converted(converted: Any) -> None:
    rows, _ = converted(WIDE)
    assert rows[0] == list(WIDE)
    assert "need --metric" in converted(WIDE, value="liver")[1]
    assert "column 'site' holds 'm' in row 2" in converted(WIDE, metric="dsc", value="site")[1]
    assert "no column of case ids" in converted({"liver": [0.5, 0.6]}, metric="dsc")[1]
    assert "names the metric of each row" in converted(str(NNUNET), metric="dsc")[1]
    assert "unknown column 'no_such'" in converted(str(NNUNET), groups="no_such")[1]


@pytest.mark.parametrize("name", ["long.csv", "long.tsv", "long.parquet"])
def test_what_is_written_is_read_again_to_the_last_digit(
    name: str, run: Run, tmp_path: Path
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    numbers = {"liver": [0.1 + 0.2, 5e-324, math.inf], "spleen": [1 / 3, None, 123456789.123456789]}
    wide = pd.DataFrame({"case": ["01", "é,b", 'c"'], **numbers})
    wide.to_parquet(tmp_path / "wide.parquet")
    other = shutil.copy(NNUNET, tmp_path / "other.json")
    models = (f"a\tb={NNUNET}", f"B={other}")
    for given in (models, (tmp_path / "wide.parquet", "--metric", "hd95")):
        assert run("convert", *given, "-o", tmp_path / name).status == 0
        # Once more, to text: the same as at once.
        again = run("convert", tmp_path / name)
        assert again.out == run("convert", *given).out
    values = [row[2] for row in csv.reader(io.StringIO(again.out))][1:]
    assert [float(value or "nan") for value in values] == pytest.approx(
        [0.1 + 0.2, 1 / 3, 5e-324, math.nan, math.inf, 123456789.123456789],
        rel=0,
        abs=0,
        nan_ok=True,
    )


def test_tables_of_models_with_other_columns_are_one(converted: Any, tmp_path: Path) -> None:
    first = {"case": ["a"], "metric": ["dsc"], "value": [0.5], "status": ["ok"]}
    other = {"case": ["b"], "metric": ["dsc"], "value": [0.7], "fold": [3]}
    for name, table in (("A", first), ("B", other)):
        pd.DataFrame(table).to_csv(tmp_path / f"{name}.csv", index=False)
    (names, *rows), _ = converted(f"A={tmp_path / 'A.csv'}", f"B={tmp_path / 'B.csv'}")
    assert names == ["case", "metric", "value", "model", "status", "fold"]
    assert [row[3:] for row in rows] == [["A", "ok", ""], ["B", "", "3"]]
    both, one = tmp_path / "both.csv", tmp_path / "one.csv"
    both.write_text("\n".join(map(",".join, [names, *rows])))
    one.write_text("\n".join(map(",".join, [names, rows[0]])))
    # Models that a file names are kept, unless the user says otherwise.
    (_, *kept), _ = converted(str(both))
    assert [row[3] for row in kept] == ["A", "B"]
    (_, *named), _ = converted(f"C={one}", f"D={tmp_path / 'B.csv'}")
    assert [row[3] for row in named] == ["C", "D"]
    _, said = converted(f"C={both}")
    assert re.search("several models.*'C'", said)


ODD = ["=a", "'=a", "''=a", "+b", "-b", "@c", "\tc", "\t5", "\rd", "=", "'@'", "- -", "=1+1"]
NEVER_DEFUSED = ["'tis", "'", "''", "'-1", "-1", '"q"', "a,b", "a;b", "-1,1", "a\nb", "a'b"]


@pytest.mark.parametrize("name", ["w.csv", "w.tsv", "w.parquet"])
def test_cases_with_odd_names_pair_with_their_conversion(
    name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    odd = [*ODD, *NEVER_DEFUSED]
    frame = pd.DataFrame({"=case": odd, "own": np.linspace(0.5, 0.9, len(odd))})
    frame.to_parquet("t.parquet", index=False)
    assert run("convert", "t.parquet", "-o", name).status == 0
    again = read_table(name)
    assert again.names == ["=case", "own"]
    assert list(map(str, again.levels("=case"))) == odd
    ran = run(
        *("compare", "a=t.parquet", f"b={name}", "--metric", "dsc", "--case", "=case", "--json")
    )
    (compared,) = json.loads(ran.out)["comparisons"]
    assert compared["n"] == len(odd)


@pytest.mark.sampled(3)
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
