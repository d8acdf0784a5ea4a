"""What a store answers, against pandas, and what it says where there is nothing to read."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import halfwidth as hw
from halfwidth import DataError, OptionError, UnknownNameError
from halfwidth.study.simulation.performance import COLUMNS, IDENTITY

BY = (
    *("metric", "statistic", "average", "label"),
    *("method", "confidence_level", "alternative", "n"),
)

SPEC = """
[study]
sizes = [20, 10]
samples = 30
resamples = 40
batches = 3
levels = [0.8, 0.95]
statistics = ["mean", "median", "quantile:q=0.95"]
methods = ["t", "percentile", "exact"]

[[populations]]
family = "beta"
a = 8
b = 2

[[populations]]
family = "lognormal"

[[populations]]
name = "hits, 'quoted' \\"twice\\""
family = "bernoulli"
probability = 0.7

[[populations]]
name = "no mean"
family = "t"
df = 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("study [1]")
    (made / "spec.toml").write_text(SPEC, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        outcome = hw.study.run("spec.toml", made / "store")
    assert not outcome.failed
    assert len(outcome.done) == 8
    return made


@pytest.fixture(scope="module")
def rows(folder: Path) -> pd.DataFrame:
    """The parts as pandas reads them."""
    parts = (folder / "store" / "parts").glob("*.parquet")
    return pd.concat([pd.read_parquet(part) for part in parts], ignore_index=True)


def _sorted(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    return frame.sort_values(by, kind="stable", ignore_index=True)


# --------------------------------------------------------------------------- all rows


def test_a_frame_has_every_row_once_in_order(folder: Path, rows: pd.DataFrame) -> None:
    frame = hw.study.open(folder / "store").to_frame()
    assert list(frame.columns) == list(COLUMNS)
    # 4 instances, 2 sizes, 2 levels; t and percentile for the mean, two for each quantile.
    assert len(frame) == len(rows) == 4 * 2 * 2 * 6
    assert not frame.duplicated(list(IDENTITY)).any()
    expected = _sorted(rows, ["instance", *BY])[list(COLUMNS)]
    assert_frame_equal(frame, expected, check_dtype=False, check_exact=True)
    for name, kind in COLUMNS.items():
        known = {"int64": "iI", "double": "f"}.get(kind, "OT")
        assert frame[name].dtype.kind in known, name
    assert frame["n_cases"].isna().all()
    missing = frame["instance"] == "no mean"
    mean = frame["statistic"] == "mean"
    assert frame["truth"].isna().equals(missing & mean)


def test_columns_may_be_chosen(folder: Path) -> None:
    results = hw.study.open(folder / "store")
    whole = results.to_frame()
    names = ["coverage", "n", "instance"]
    assert_frame_equal(results.to_frame(names), whole[names])
    assert_frame_equal(results.to_frame(("truth_how",)), whole[["truth_how"]])


def test_what_is_not_installed_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = hw.study.open(folder / "store")
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(OptionError, match=r"needs duckdb: pip install 'halfwidth\[study\]'"):
        results.to_frame()


def test_the_run_says_what_it_was(folder: Path) -> None:
    results = hw.study.open(str(folder / "store"))
    said = json.dumps(dict(results.run))
    planned = hw.study.plan(folder / "spec.toml")
    for instance in planned.instances:
        assert instance.digest in said
    assert '"samples": 30' in said


# --------------------------------------------------------------------------- summaries


def _quartiles(values: pd.Series) -> list[float]:
    known = values.dropna().to_numpy(dtype=float)
    return list(np.quantile(known, [0.25, 0.5, 0.75])) if len(known) else [math.nan] * 3


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "by", [BY, ("method", "n"), ("instance",), ("statistic", "confidence_level", "method"), ("n",)]
)
def test_a_summary_is_what_pandas_makes_of_the_rows(
    folder: Path, rows: pd.DataFrame, by: tuple[str, ...]
) -> None:
    found = hw.study.open(folder / "store").summary(by)
    groups = list(rows.groupby(list(by), sort=True))
    assert len(found) == len(groups)
    for (key, group), (_, row) in zip(groups, found.iterrows(), strict=True):
        assert tuple(row[list(by)]) == tuple(key)
        assert row["instances"] == group["instance"].nunique()
        for column, name in (("coverage_defined", "coverage"), ("width_mean", "width")):
            quartiles = [row[f"{name}_{said}"] for said in ("q1", "median", "q3")]
            assert quartiles == pytest.approx(_quartiles(group[column]), rel=1e-12, nan_ok=True)
        for end in ("missed_above", "missed_below"):
            assert row[end] == pytest.approx(group[end].median(), rel=1e-12, nan_ok=True)
        assert row["coverage_se"] == pytest.approx(
            group["coverage_se"].max(), rel=1e-12, nan_ok=True
        )
        share = group["undefined"].sum() / group["samples"].sum()
        assert row["undefined"] == pytest.approx(share, rel=1e-12)


def test_a_summary_has_all_columns_whatever_it_is_by(folder: Path) -> None:
    results = hw.study.open(folder / "store")
    names = ["instances", "coverage_q1", "coverage_median", "coverage_q3"]
    names += ["width_q1", "width_median", "width_q3", "missed_above", "missed_below"]
    names += ["coverage_se", "undefined", "zero_width", "truth_error"]
    assert list(results.summary(("n",)).columns) == ["n", *names]
    assert list(results.summary().columns) == [*BY, *names]
    wide = results.summary()
    none = wide[(wide["statistic"] == "quantile:q=0.95") & (wide["confidence_level"] == 0.95)]
    none = none[none["method"] == "exact"]
    assert (none["undefined"] == 1).all()
    assert none["width_median"].isna().all()


# --------------------------------------------------------------------------- questions


def test_questions_are_answered_by_the_rows(folder: Path, rows: pd.DataFrame) -> None:
    results = hw.study.open(folder / "store")
    (count,) = results.query("SELECT count(*) AS c FROM cells")["c"]
    assert count == len(rows)
    found = results.query(
        "SELECT method, avg(coverage) AS c FROM cells WHERE statistic = 'median'"
        " GROUP BY method ORDER BY method"
    )
    expected = rows[rows["statistic"] == "median"].groupby("method")["coverage"].mean()
    assert found["method"].tolist() == expected.index.tolist()
    assert found["c"].to_numpy() == pytest.approx(expected.to_numpy(), rel=1e-12)


def test_questions_tell_what_is_no_number(folder: Path, rows: pd.DataFrame) -> None:
    """Statistics in a Parquet file leave NaN out, and DuckDB would conclude that there is none."""
    results = hw.study.open(folder / "store")
    for name in ("width_mean", "truth", "coverage_defined"):
        missing = f"{name} IS NULL OR isnan({name})"
        (count,) = results.query(f"SELECT count(*) AS c FROM cells WHERE {missing}")["c"]  # noqa: S608
        assert count == rows[name].isna().sum() > 0
        (largest,) = results.query(
            f"SELECT max({name}) FILTER (NOT isnan({name})) AS m, "  # noqa: S608
            f"min({name}) FILTER (NOT isnan({name})) AS l FROM cells"
        )["m"]
        assert largest == rows[name].max()


@pytest.mark.parametrize("sql", ["SELECT nothing FROM cells", "SELECT", "this is no question", ""])
def test_questions_that_are_none_are_refused(folder: Path, sql: str) -> None:
    with pytest.raises(OptionError, match="query"):
        hw.study.open(folder / "store").query(sql)


def test_unknown_columns_are_refused_and_the_nearest_named(folder: Path) -> None:
    results = hw.study.open(folder / "store")
    with pytest.raises(UnknownNameError, match="'coverage'"):
        results.to_frame(["instance", "coverag"])
    with pytest.raises(UnknownNameError, match="'method'"):
        results.summary(["methods"])
    # A name is a name, and no piece of a question.
    with pytest.raises(UnknownNameError):
        results.to_frame(['n" FROM cells; DROP VIEW cells; --'])


# --------------------------------------------------------------------------- nothing to read


def test_no_store(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere", str(tmp_path / "nowhere")):
        with pytest.raises(DataError, match=r"no store of a study.*halfwidth study run"):
            hw.study.open(path)
    (tmp_path / "run.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match=r"run\.json: cannot be read"):
        hw.study.open(tmp_path)


def test_an_empty_store(tmp_path: Path, folder: Path) -> None:
    hw.study.plan(folder / "spec.toml").store(tmp_path / "store")
    results = hw.study.open(tmp_path / "store")
    with pytest.raises(DataError, match="no part of the study is done yet"):
        results.to_frame()
    with pytest.raises(DataError, match="no part of the study is done yet"):
        results.summary()
    with pytest.raises(DataError, match="no part of the study is done yet"):
        results.query("SELECT 1")


def test_a_store_that_is_not_finished_gives_what_it_has(tmp_path: Path, folder: Path) -> None:
    shutil.copytree(folder / "store", tmp_path / "store")
    whole = hw.study.open(folder / "store").to_frame()
    for part in sorted((tmp_path / "store" / "parts").iterdir())[::2]:
        part.unlink()
    some = hw.study.open(tmp_path / "store").to_frame()
    assert 0 < len(some) < len(whole)
    merged = whole.merge(some[list(IDENTITY)], on=list(IDENTITY))
    assert_frame_equal(merged, some)


def test_a_part_that_was_cut_off_is_named(tmp_path: Path, folder: Path) -> None:
    shutil.copytree(folder / "store", tmp_path / "store")
    part = min((tmp_path / "store" / "parts").iterdir())
    part.write_bytes(part.read_bytes()[:-50])
    with pytest.raises(DataError) as error:
        hw.study.open(tmp_path / "store").to_frame()
    assert part.name in str(error.value)
