"""Damaged files of every format, each read in a process that may take 2 GB: see `fuzzreaders`.

``HALFWIDTH_FUZZ_READERS`` and ``HALFWIDTH_FUZZ_SEED`` set the number of inputs of the long form,
and the seed of the first of each format.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from foreignfiles import IMPORTED
from fuzzreaders import (
    FIXTURES,
    FORMATS,
    PLAIN_TABLES,
    Format,
    inspect_log,
    outcome,
    source_of,
    tried,
)

from halfwidth import DataError, HalfwidthError
from halfwidth.tables.readers import Reading, read_table

LONG = int(os.environ.get("HALFWIDTH_FUZZ_READERS", "1700"))
FIRST = int(os.environ.get("HALFWIDTH_FUZZ_SEED", "0"))
linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


@linux
@pytest.mark.slow
def test_many_damaged_files(capfd: pytest.CaptureFixture[str]) -> None:
    tally = tried(list(FORMATS), FIRST * len(FORMATS), LONG)
    with capfd.disabled():
        sys.stdout.write(f"\n{tally.table()}\n")
    assert not tally.faults, "\n".join(tally.faults[:40])
    assert tally.total == LONG
    for name in FORMATS:
        # Fuzz that is all refused at the door, or all taken, tries nothing.
        assert tally.counts[name, "accepted"] > 0, name
        assert tally.counts[name, "refused"] > 0, name


def test_every_importer_has_files_to_damage(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_bytes(inspect_log())
    files = [*FIXTURES.rglob("*.*"), tmp_path / "a.eval"]
    read = {name for file in files for name in IMPORTED if _is_read(file, name)}
    assert read == set(IMPORTED)
    with pytest.raises(HalfwidthError, match="Known: ") as refused:
        read_table(tmp_path / "a.eval", Reading(format="?"))
    known = re.findall(r"[\w-]+", str(refused.value).partition("Known: ")[2])
    assert set(known) == {*PLAIN_TABLES, *IMPORTED}


def _is_read(file: Path, name: str) -> bool:
    try:
        read_table(file, Reading(format=name))
    except DataError:
        return False
    return True


def test_an_input_follows_from_its_format_and_seed() -> None:
    for name in ("text", "parquet", "npz", "NRRD"):
        made = [FORMATS[name].files(source_of(name, 5)) for _ in range(2)]
        assert made[0] == made[1]
        assert made[0] != FORMATS[name].files(source_of(name, 6))


def _given(files: Mapping[str, bytes], _: object) -> Mapping[str, bytes]:
    return files


def test_what_is_no_refusal_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[Exception] = [
        DataError("line 3 is no number"),
        DataError("f.csv: does not fit into memory"),
        DataError("x" * 5),
        KeyError("dice"),
        RecursionError("deep"),
        MemoryError(),
    ]

    def read(path: Path, _: object) -> None:
        raise raised[int(path.read_text(encoding="utf-8"))]

    for place in range(len(raised)):
        files = {"f.csv": str(place).encode()}
        monkeypatch.setitem(FORMATS, "text", Format(functools.partial(_given, files), read))
        found = outcome("text", 0, tmp_path)
        assert (found == "refused") == (place == 0), found
        if place > 2:
            assert "test_damaged_files.py" in found
