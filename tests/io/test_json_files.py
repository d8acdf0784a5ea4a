"""JSON within limits: what it refuses, and how."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest

from halfwidth import DataError
from halfwidth.io import json_files
from halfwidth.io.json_files import parsed_json
from halfwidth.tables.readers import read_table


def test_numbers_that_json_does_not_know() -> None:
    found = parsed_json(b'{"a": NaN, "b": -Infinity, "c": "x\\\\\\"{[", "d": 1e999}')
    assert math.isnan(found["a"])
    assert found["b"] == -math.inf
    assert found["c"] == 'x\\"{['
    assert found["d"] == math.inf


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings(encoding: str) -> None:
    assert parsed_json('{"é": ["[", 1]}'.encode(encoding)) == {"é": ["[", 1]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": 1, "a": 2}', "key 'a' twice"),
        (b'{"a": 1', "cut short"),
        (b"", "cut short"),
        (b"[" * 1000 + b"]" * 1000, "nested deeper than 200 levels"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "nested deeper than 200 levels"),
        (b"[" + b"9" * 5000 + b"]", "too many digits"),
        (b"\xff\xfe\xff", "UTF-8"),
    ],
)
def test_refused(data: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parsed_json(data)


def test_brackets_within_text_are_no_structure() -> None:
    deep = "[{" * 500
    assert parsed_json(json.dumps({"a": [deep, '"' + deep]}).encode()) == {"a": [deep, '"' + deep]}


def test_as_many_values_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "MOST_VALUES", 100)
    monkeypatch.setattr(json_files, "BLOCK", 16)
    assert len(parsed_json(json.dumps(["a,b"] * 100).encode())) == 100
    with pytest.raises(DataError, match="more than 100 values"):
        parsed_json(json.dumps([0] * 101).encode())


def test_a_packed_file_that_fills_the_memory_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "summary.json.gz"
    file.write_bytes(gzip.compress(b"[" + b" " * 10**8, 9))
    with pytest.raises(DataError, match="unpacks to more than"):
        read_table(file)


def test_unknown_json_is_refused_with_what_is_read(tmp_path: Path) -> None:
    file = tmp_path / "some.json"
    file.write_text('{"weights": [1, 2]}')
    with pytest.raises(DataError, match=r"no known format \(its keys: weights\).*nnU-Net"):
        read_table(file)
