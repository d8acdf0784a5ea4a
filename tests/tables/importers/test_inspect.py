"""Logs of Inspect, with the numbers worked by hand."""

from __future__ import annotations

import json
import math
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from foreignfiles import cells, written, zipped

import halfwidth as hw
from halfwidth.io import zip_members
from halfwidth.tables.readers import read_table

HEADER = {
    "version": 2,
    "status": "success",
    "eval": {"task": "gpqa", "model": "org/model", "dataset": {"name": "gpqa", "samples": 3}},
    "plan": {},
    "results": {
        "scores": [
            {"name": "choice", "scorer": "choice", "metrics": {"accuracy": {"value": 5 / 12}}}
        ]
    },
}
# Two epochs of three questions.
GRADES = {("a", 1): "C", ("a", 2): "C", ("b", 1): "P", ("b", 2): "I", ("c", 1): "N", ("c", 2): "I"}


def sample(name: Any, epoch: int = 1, value: Any = "C", **more: Any) -> dict[str, Any]:
    scores = {"choice": {"value": value, "explanation": "because", "history": []}}
    return {"id": name, "epoch": epoch, "input": "?", "scores": scores, "metadata": {}, **more}


def samples() -> list[dict[str, Any]]:
    topic = {"a": "cells", "b": "cells", "c": "stars"}
    return [
        sample(name, epoch, grade, metadata={"topic": topic[name], "tags": ["x"]})
        for (name, epoch), grade in GRADES.items()
    ]


def members(listed: list[Any]) -> dict[str, Any]:
    files = {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in listed}
    return {"_journal/start.json": HEADER, **files, "header.json": HEADER}


def log(file: Path, *listed: Any, **more: Any) -> Path:
    return zipped(file, {**members(list(listed)), **more})


def test_epochs_are_repeats_of_a_case(tmp_path: Path) -> None:
    table = read_table(log(tmp_path / "a.eval", *samples()))
    assert cells(table, "value") == [1.0, 1.0, 0.5, 0.0, 0.0, 0.0]
    assert cells(table, "group") == list("aabbcc")
    assert cells(table, "case")[:3] == ["a (epoch 1)", "a (epoch 2)", "b (epoch 1)"]
    assert (set(table.levels("model")), set(table.levels("task"))) == ({"org/model"}, {"gpqa"})
    (estimate,) = hw.estimate(hw.CaseValues.from_table(table), rng=1)
    assert estimate.value == pytest.approx(2.5 / 6)
    assert estimate.n_groups == 3
    assert [mean.value for mean in table.stated_means] == [pytest.approx(2.5 / 6)]
    assert {caution.code for caution in estimate.cautions} <= {"HW103", "HW201"}
    (by_topic,) = hw.estimate(hw.CaseValues.from_table(table, groups="metadata.topic"), rng=1)
    assert by_topic.n_groups == 2


def test_a_single_epoch_has_cases_only(tmp_path: Path) -> None:
    table = read_table(log(tmp_path / "a.eval", sample("x"), sample("y", value=0.25), sample(3)))
    assert "group" not in table
    assert (cells(table, "case"), cells(table, "value")) == (["x", "y", 3], [1.0, 0.25, 1.0])


def test_summaries_say_the_same_as_samples(tmp_path: Path) -> None:
    summaries = [{**one, "scores": one["scores"]} for one in samples()]
    file = log(tmp_path / "a.eval", *samples(), **{"summaries.json": summaries})
    assert cells(read_table(file), "value") == [1.0, 1.0, 0.5, 0.0, 0.0, 0.0]
    # Of a log that is not complete they hold less than there is.
    file = log(tmp_path / "b.eval", *samples(), **{"summaries.json": summaries[:2]})
    assert len(read_table(file)) == 6


def test_the_same_log_as_json(tmp_path: Path) -> None:
    table = read_table(written(tmp_path / "log.json", {**HEADER, "samples": samples()}))
    assert cells(table, "value") == [1.0, 1.0, 0.5, 0.0, 0.0, 0.0]


def test_scores_of_several_values_and_without_any(tmp_path: Path) -> None:
    first = sample(
        "a", scores={"two": {"value": {"fact": 1, "style": "yes"}}, "free": {"value": "A"}}
    )
    second = sample("b", scores=None, error={"message": "timeout"})
    third = sample("c", scores={"two": {"value": {"fact": math.nan, "style": "0.5"}}})
    table = read_table(log(tmp_path / "a.eval", first, second, third))
    nan = math.nan
    assert cells(table, "value", metric="two.fact") == pytest.approx([1, nan, nan], nan_ok=True)
    assert cells(table, "value", metric="two.style") == pytest.approx([1, nan, 0.5], nan_ok=True)
    notes = " | ".join(table.notes)
    assert "1 samples ended in an error" in notes
    assert "left out: free" in notes


def test_members_compressed_by_zstandard_are_read_by_arrow(tmp_path: Path) -> None:
    """As Inspect writes them now, and Python below 3.14 does not read them."""
    pyarrow = pytest.importorskip("pyarrow")
    codec = pyarrow.Codec("zstd")
    plain = log(tmp_path / "a.eval", *samples())
    file = tmp_path / "b.eval"
    with zipfile.ZipFile(plain) as archive, file.open("wb") as packed:
        packed.write(_zip_of({n: archive.read(n) for n in archive.namelist()}, codec))
    assert cells(read_table(file), "value") == [1.0, 1.0, 0.5, 0.0, 0.0, 0.0]


def test_members_compressed_by_zstandard_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codec = pytest.importorskip("pyarrow").Codec("zstd")
    texts = {name: json.dumps(one).encode() for name, one in members(samples()).items()}
    whole = _zip_of(texts, codec)
    changed = bytearray(whole)
    place = whole.rfind(b"PK\x01\x02")
    changed[place + 16] ^= 1
    file = tmp_path / "a.eval"
    file.write_bytes(changed)
    with pytest.raises(hw.DataError, match=r"'header\.json' is damaged .*checksum"):
        read_table(file)
    changed[place + 16] ^= 1
    changed[place + 24] //= 2
    file.write_bytes(changed)
    with pytest.raises(hw.DataError, match=r"'header\.json' is damaged"):
        read_table(file)
    if not hasattr(zipfile, "ZIP_ZSTANDARD"):
        file.write_bytes(whole)
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(hw.DataError, match=r"Python reads from 3\.14.*halfwidth\[tables\]"):
            read_table(file)


def _zip_of(files: dict[str, bytes], codec: Any) -> bytes:
    """A zip with members of compression method 93 (APPNOTE 4.4.5)."""
    import zlib

    data, listed = b"", b""
    for name, content in files.items():
        packed = codec.compress(content, asbytes=True)
        common = struct.pack(
            "<HHHHHIIIHH",
            *(63, 0, 93, 0, 33, zlib.crc32(content), len(packed), len(content), len(name), 0),
        )
        place = len(data)
        data += b"PK\x03\x04" + common + name.encode() + packed
        listed += b"PK\x01\x02\x3f\x00" + common + struct.pack("<HHHII", 0, 0, 0, 0, place)
        listed += name.encode()
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(listed), len(data), 0)
    return data + listed + b"PK\x05\x06" + end


# --------------------------------------------------------------------------- malformed twins


def test_names_of_members_are_never_paths(tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    names = ("samples/../../outside_epoch_1.json", "/etc/samples/x_epoch_1.json")
    folder = tmp_path / "in"
    folder.mkdir()
    file = zipped(folder / "a.eval", {"header.json": HEADER, **{n: sample(n) for n in names}})
    with pytest.raises(hw.DataError, match="holds no samples"):
        read_table(file)
    assert not outside.exists()
    assert [one.name for one in tmp_path.iterdir()] == ["in"]


def test_a_member_that_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = b"[" + b" " * (1 << 25) + b"]"
    file = zipped(tmp_path / "a.eval", {"header.json": HEADER, "summaries.json": bomb})
    assert file.stat().st_size < 1 << 16
    monkeypatch.setattr(zip_members, "ALWAYS_UNPACKED", 1 << 24)
    with pytest.raises(
        hw.DataError, match=r"'summaries\.json' unpacks to 34 MB, which is too much"
    ):
        read_table(file)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("MOST_UNPACKED", "unpacks to"),
        ("MOST_IN_ALL", "unpack to more than"),
        ("MOST_LISTED", "lists its members"),
    ],
)
def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, message: str) -> None:
    file = log(tmp_path / "a.eval", *samples())
    monkeypatch.setattr(zip_members, limit, 100)
    with pytest.raises(hw.DataError, match=message):
        read_table(file)


def test_a_member_that_is_longer_than_it_says(tmp_path: Path) -> None:
    file = log(tmp_path / "a.eval", sample("x"))
    data = bytearray(file.read_bytes())
    with zipfile.ZipFile(file) as archive:
        size = archive.getinfo("header.json").file_size
    place = data.rfind(b"PK\x01\x02")
    assert struct.unpack_from("<I", data, place + 24) == (size,)
    struct.pack_into("<I", data, place + 24, size // 2)
    file.write_bytes(data)
    with pytest.raises(hw.DataError, match=r"'header\.json' is damaged"):
        read_table(file)


@pytest.mark.parametrize("cut", [5, 30, 200, -30, -5])
def test_cut_short(tmp_path: Path, cut: int) -> None:
    file = log(tmp_path / "a.eval", *samples())
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(hw.DataError, match=r"no zip file, or damaged|damaged|no format"):
        read_table(file)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"samples/a_epoch_1.json": sample("a")}, "no known format|no Inspect log"),
        ({"header.json": HEADER}, "holds no samples"),
        (
            {"header.json": HEADER, "samples/a_epoch_1.json": b'{"id": 1'},
            "a_epoch_1.json is not JSON",
        ),
        (
            {"header.json": HEADER, "samples/a_epoch_1.json": b"[" * 1000},
            "nested deeper than 200 levels",
        ),
        (
            {"header.json": b"[" * 1000, "samples/a_epoch_1.json": sample("a")},
            "header.json is nested",
        ),
        ({"header.json": HEADER, "samples/a_epoch_1.json": [1]}, "sample 1 is not a sample"),
        ({"header.json": HEADER, "samples/a_epoch_1.json": sample("a", epoch="x")}, "not a sample"),  # type: ignore[arg-type]
        ({"header.json": HEADER, "samples/a_epoch_1.json": sample("a", scores=[1])}, "no scores"),
        ({"header.json": HEADER, "samples/a_epoch_1.json": sample("a", value="A")}, "only choice"),
        (
            {"header.json": [], "summaries.json": {"a": 1}},
            "sample 1 is not a sample|holds no samples",
        ),
    ],
)
def test_malformed(tmp_path: Path, files: dict[str, Any], message: str) -> None:
    with pytest.raises(hw.DataError, match=message):
        read_table(zipped(tmp_path / "a.eval", files))


def test_a_header_of_other_kinds_is_read_without_its_names(tmp_path: Path) -> None:
    header = {"eval": {"model": 3, "task": None}, "results": {"scores": [{"metrics": 1}, 2]}}
    table = read_table(
        zipped(tmp_path / "a.eval", {**members([sample("a")]), "header.json": header})
    )
    assert "model" not in table
    assert table.stated_means == ()


def test_a_member_that_is_there_several_times_counts_once(tmp_path: Path) -> None:
    file = log(tmp_path / "a.eval", sample("a"), sample("b", value="I"))
    with zipfile.ZipFile(file) as archive:
        same = archive.read("samples/a_epoch_1.json")
    for _ in range(2):
        _append(file, "samples/a_epoch_1.json", same)
    assert cells(read_table(file), "case") == ["a", "b"]
    _append(file, "samples/a_epoch_1.json", json.dumps(sample("a", value="I")).encode())
    with pytest.raises(hw.DataError, match=r"more than once, with different contents"):
        read_table(file)


def _append(file: Path, name: str, data: bytes) -> None:
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(name, data)


def test_all_right_is_not_certain(tmp_path: Path) -> None:
    log(tmp_path / "all.eval", *[sample(f"q{i}") for i in range(20)])
    log(tmp_path / "some.eval", *[sample(f"q{i}", value="CP"[i % 3 == 0]) for i in range(20)])
    log(tmp_path / "counts.eval", *[sample(f"q{i}", value=7) for i in range(20)])
    (right,) = hw.estimate(hw.read(tmp_path / "all.eval"))
    assert right.method == "wilson"
    assert right.low == pytest.approx(20 / (20 + 1.959964**2), rel=1e-6)
    assert right.high == 1
    # Part of the marks for some: a mean within the range of the grades.
    (partly,) = hw.estimate(hw.read(tmp_path / "some.eval"))
    assert partly.to_dict()["bounds"] == [0, 1]
    # Counts are called an accuracy in vain.
    (counted,) = hw.estimate(hw.read(tmp_path / "counts.eval"))
    assert counted.to_dict()["bounds"] == [None, None]
    tables = {name: read_table(tmp_path / f"{name}.eval") for name in ("all", "some")}
    (better,) = hw.compare(hw.CaseValues.from_table(tables))
    assert better.verdict is not None
    assert better.verdict.word == "better"
