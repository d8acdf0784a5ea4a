"""A store: what is written is whole, what is damaged is seen, what is foreign is left alone."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import toywork
from toywork import COLUMNS, INPUTS, SETTINGS, chunks, files_of_at_most, parts, store_in

import halfwidth as hw
from halfwidth.study.chunks import Shard
from halfwidth.study.storage import disk, locks
from halfwidth.study.storage.opening import create_or_open, open_store
from halfwidth.study.storage.store import ChunkStates, Store, set_aside
from halfwidth.study.storage.timings import add_timing, read_timings

CHUNK = chunks(1)[0]
ROWS = toywork.work(CHUNK).rows


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_in(tmp_path / "store")


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --------------------------------------------------------------------------- parts


def test_a_part_gives_back_its_rows(store: Store) -> None:
    store.write(CHUNK, ROWS, "whole")
    table = pq.read_table(store.part(CHUNK), page_checksum_verification=True)
    assert table.to_pylist() == ROWS
    assert {field.name: str(field.type) for field in table.schema} == {
        **COLUMNS,
        "cautions": "list<element: string>",
    }
    assert store.done(chunks(3)) == {CHUNK.name}


def test_a_part_says_what_it_is_of(store: Store) -> None:
    store.write(CHUNK, ROWS, "whole")
    said = pq.read_metadata(store.part(CHUNK)).metadata
    assert said[b"halfwidth.chunk"] == CHUNK.name.encode()
    assert said[b"halfwidth.digest"] == CHUNK.digest.encode()
    assert said[b"halfwidth.settings"] == store.hash.encode()


def test_missing_values_keep_apart_from_nan(store: Store) -> None:
    row = {"instance": None, "n": None, "coverage": None, "infinite": None, "cautions": None}
    other = {"instance": "", "n": 0, "coverage": float("nan"), "infinite": False, "cautions": []}
    store.write(CHUNK, [row, other], "whole")
    table = pq.read_table(store.part(CHUNK))
    assert [table[name].null_count for name in COLUMNS] == [1] * 5
    assert str(table["coverage"].to_pylist()) == "[None, nan]"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"more": 1}, "more"),
        ({"n": 1.5}, r"n \(int64\) got 1.5"),
        ({"n": True}, "n "),
        ({"n": "1"}, "n "),
        ({"coverage": "0.9"}, "coverage"),
        ({"coverage": True}, "coverage"),
        ({"infinite": 1}, "infinite"),
        ({"instance": 3}, "instance"),
        ({"instance": b"x"}, "instance"),
        ({"cautions": "HW1"}, "cautions"),
        ({"cautions": [1]}, "cautions"),
    ],
)
def test_rows_that_do_not_fit_are_refused(store: Store, change: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        store.write(CHUNK, [*ROWS, ROWS[0] | change], "whole")
    assert parts(store.path) == {}


def test_rows_that_lack_something_are_refused(store: Store) -> None:
    with pytest.raises(TypeError, match="coverage"):
        store.write(CHUNK, [{k: v for k, v in ROWS[0].items() if k != "coverage"}], "whole")
    with pytest.raises(TypeError, match="without rows"):
        store.write(CHUNK, [], "whole")


def test_numbers_of_numpy_are_numbers(store: Store) -> None:
    import numpy as np

    plain = {"instance": "a", "n": 3, "coverage": 0.5, "infinite": True, "cautions": ["x"]}
    other = plain | {"n": np.int64(3), "coverage": np.float64(0.5), "infinite": np.bool_(True)}
    written = []
    for row in (plain, other):
        store.write(CHUNK, [row], "whole")
        written.append(store.part(CHUNK).read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize("kept", [0, 4, 100, -1])
def test_a_part_that_was_cut_off_is_not_done(store: Store, kept: int) -> None:
    store.write(CHUNK, ROWS, "whole")
    content = store.part(CHUNK).read_bytes()
    store.part(CHUNK).write_bytes(content[:kept])
    fault = "is damaged" if kept else "is empty"
    assert store.chunk_states([CHUNK]) == ChunkStates(set(), {CHUNK.name: fault})
    broken = set_aside(store.part(CHUNK))
    assert store.chunk_states([CHUNK]) == ChunkStates(set(), {})
    assert broken.read_bytes() == content[:kept]
    assert broken.suffix == ".broken"


def test_a_part_of_another_study_or_chunk_is_not_done(store: Store, tmp_path: Path) -> None:
    other = store_in(tmp_path / "other", seed=8)
    other.write(CHUNK, ROWS, "whole")
    shutil.copy(other.part(CHUNK), store.part(CHUNK))
    assert store.chunk_states([CHUNK]).faults == {CHUNK.name: "belongs to another study"}
    second = chunks(2)[1]
    store.write(second, ROWS, "whole")
    shutil.copy(store.part(second), store.part(CHUNK))
    fault = f"is the part of {second.name}"
    assert store.chunk_states([CHUNK, second]) == ChunkStates({second.name}, {CHUNK.name: fault})


def test_parquet_without_rows_or_of_others_is_not_done(store: Store) -> None:
    pq.write_table(pa.table({"a": [1]}), store.part(CHUNK))
    assert store.done([CHUNK]) == set()
    store.write(CHUNK, ROWS, "whole")
    pq.write_table(pq.read_table(store.part(CHUNK))[:0], store.part(CHUNK))
    assert store.done([CHUNK]) == set()
    store.write(CHUNK, ROWS, "whole")
    pq.write_table(pq.read_table(store.part(CHUNK)).replace_schema_metadata(), store.part(CHUNK))
    assert store.done([CHUNK]) == set()


# --------------------------------------------------------------------------- run.json


def test_run_json_says_what_the_study_is(store: Store) -> None:
    said = json.loads((store.path / "run.json").read_text())
    assert said["format"] == 1
    assert (said["settings"], said["inputs"]) == (SETTINGS, INPUTS)
    assert said["seed"] == 7
    assert said["hash"] == store.hash
    assert {"halfwidth", "numpy", "scipy", "python"} <= said["versions"].keys()
    assert said["versions"]["halfwidth"] == hw.__version__
    assert said["platform"]
    assert said["begun"]


def test_the_same_study_opens_its_store(store: Store) -> None:
    before = everything(store.path)
    again = store_in(store.path)
    assert (again.hash, again.notes) == (store.hash, ())
    assert open_store(store.path).manifest == store.manifest
    assert everything(store.path) == before


def refused(folder: Path, **changes: Any) -> str:
    given: dict[str, Any] = {"settings": SETTINGS, "inputs": INPUTS, "columns": COLUMNS}
    before = everything(folder)
    with pytest.raises(hw.DataError) as caught:
        create_or_open(folder, **given | changes)
    assert everything(folder) == before
    assert "ame another store" in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 8}, "seed 7 -> 8."),
        ({"sizes": [10, 25, 50]}, "sizes with 50."),
        ({"sizes": [10, 50]}, "sizes without 25, with 50."),
        ({"sizes": [25, 10]}, "sizes 10, 25 -> 25, 10."),
        ({"levels": None}, "levels 0.95 -> null."),
        ({"new": "yes"}, "new (not given) -> yes."),
        ({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}, "; and 1 more."),
    ],
)
def test_other_settings_are_named(store: Store, changes: dict[str, Any], said: str) -> None:
    assert said in refused(store.path, settings=SETTINGS | changes)


def test_nested_settings_are_named_by_their_path(tmp_path: Path) -> None:
    nested = {"tables": {"one": {"scale": 100, "unit": "mm"}}}
    create_or_open(tmp_path, SETTINGS | nested, INPUTS, COLUMNS)
    other = {"tables": {"one": {"scale": 1, "unit": "mm"}}}
    assert "tables.one.scale 100 -> 1." in refused(tmp_path, settings=SETTINGS | other)


def test_other_data_are_named(store: Store) -> None:
    inputs = INPUTS | {"model1": "f" * 16, "late": "0" * 16}
    del inputs["model3"]
    text = refused(store.path, inputs=inputs)
    assert "data of late is new; data of model1 changed; data of model3 is gone." in text


def test_other_columns_are_another_version(store: Store) -> None:
    assert "columns" in refused(store.path, columns=COLUMNS | {"more": "double"})


def test_another_format_is_refused(store: Store) -> None:
    say(store, format=2)
    assert "format 2" in refused(store.path)
    with pytest.raises(hw.DataError, match="format 2"):
        open_store(store.path)


def test_settings_changed_by_hand_are_seen(store: Store) -> None:
    say(store, settings=SETTINGS | {"seed": 9})
    with pytest.raises(hw.DataError, match="changed by hand"):
        open_store(store.path)


def say(store: Store, **changes: Any) -> None:
    """Have ``run.json`` say something else, under a seal that holds."""
    path = store.path / "run.json"
    disk.write_json(path, (disk.read_json(path) or {}) | changes, "whole")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 1}', b"\xff\xfe"])
def test_a_damaged_run_json_is_no_store(store: Store, content: bytes) -> None:
    (store.path / "run.json").write_bytes(content)
    with pytest.raises(hw.DataError, match=r"run\.json"):
        store_in(store.path)
    assert (store.path / "run.json").read_bytes() == content


def test_other_versions_are_a_note(store: Store) -> None:
    say(store, versions=store.manifest.versions | {"numpy": "1.0"})
    (note,) = store_in(store.path).notes
    assert "numpy 1.0 (now " in note
    assert "last digits" in note


def test_the_hash_is_of_all_that_results_depend_on(tmp_path: Path) -> None:
    columns = dict(reversed(COLUMNS.items()))
    made = [
        create_or_open(tmp_path / "a", SETTINGS, INPUTS, COLUMNS),
        create_or_open(tmp_path / "b", SETTINGS | {"seed": 8}, INPUTS, COLUMNS),
        create_or_open(tmp_path / "c", SETTINGS, INPUTS | {"model0": "f"}, COLUMNS),
        create_or_open(tmp_path / "d", SETTINGS, INPUTS, columns),
    ]
    assert len({store.hash for store in made}) == 4
    again = create_or_open(tmp_path / "e", dict(reversed(SETTINGS.items())), INPUTS, COLUMNS)
    assert again.hash == made[0].hash


@pytest.mark.parametrize("library", ["pyarrow", "filelock"])
def test_what_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    found = importlib.util.find_spec

    def without(name: str) -> Any:
        return None if name == library else found(name)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(hw.OptionError, match=rf"needs {library}: pip install 'halfwidth\[study"):
        store_in(tmp_path / "store")
    assert not (tmp_path / "store").exists()


# --------------------------------------------------------------------------- folders


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(hw.DataError, match=r"thesis\.tex.*name an empty or a new folder"):
        store_in(tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["thesis.tex"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(hw.DataError, match="cannot be made"):
        store_in(tmp_path / "file")


def test_an_empty_folder_and_one_left_unfinished_become_a_store(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "begun" / locks.FOLDER).mkdir(parents=True)
    (tmp_path / "begun" / locks.FOLDER / "door.lock").touch()
    assert store_in(tmp_path / "empty").hash == store_in(tmp_path / "begun").hash


def test_where_there_is_no_store_nothing_opens(tmp_path: Path) -> None:
    with pytest.raises(hw.DataError, match="no store of a study"):
        open_store(tmp_path)


# --------------------------------------------------------------------------- writing


def test_a_full_disk_leaves_no_half_file(store: Store) -> None:
    second = chunks(2)[1]
    store.write(CHUNK, ROWS, "whole")
    before = parts(store.path)
    with files_of_at_most(500), pytest.raises(hw.DataError) as caught:
        store.write(second, ROWS, "whole")
    assert str(store.part(second)) in str(caught.value)
    assert "File too large" in str(caught.value)
    assert parts(store.path) == before


def test_names_may_be_as_long_as_they_can_be(store: Store) -> None:
    chunk = replace(CHUNK, name="a" * 200)
    with locks.hold_lock(store.path, Shard(99999, 99999)) as writer:
        store.write(chunk, ROWS, writer)
        store.fail(chunk, {}, writer)
    assert store.done([chunk]) == {chunk.name}


def test_a_write_that_fails_keeps_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    disk.write_json(file, {"a": 1}, "whole")
    with files_of_at_most(5), pytest.raises(hw.DataError):
        disk.write_json(file, {"a": 1, "b": list(range(1000))}, "whole")
    assert disk.read_json(file) == {"a": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_an_interrupted_write_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_file: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.write(CHUNK, ROWS, "whole")
    assert parts(store.path) == {}


def test_files_and_their_folder_are_synced_before_they_count(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    there: list[bool] = []

    def seen(opened: int) -> None:
        synced.append(Path(f"/proc/self/fd/{opened}").resolve().name)
        there.append(store.part(CHUNK).exists())

    if not Path("/proc/self/fd").exists():
        pytest.skip("no /proc: cannot see what is synced")
    monkeypatch.setattr(os, "fsync", seen)
    store.write(CHUNK, ROWS, "whole")
    assert synced[0].endswith(".tmp")
    assert synced[1] == "parts"
    assert there == [False, True]


def test_half_written_files_of_the_dead_are_removed_and_of_the_living_not(store: Store) -> None:
    def temporary(lock: str, folder: str = "parts") -> Path:
        path = store.path / folder / f".{lock}.4242.tmp"
        path.write_bytes(b"PAR1")
        return path

    mine, other = temporary("shard-1-of-4"), temporary("shard-2-of-4")
    dead = [temporary("whole"), temporary("shard-1-of-8"), temporary("shard-1-of-4", "failed")]
    store.tidy("shard-1-of-4")
    assert [path.exists() for path in (mine, other, *dead)] == [False, True, False, False, False]
    store.tidy("whole")
    assert not other.exists()


def test_timings_are_read_back_without_torn_lines(store: Store) -> None:
    add_timing(store.path, {"chunk": "a", "seconds": 1.0}, "whole")
    (file,) = (store.path / "timings").iterdir()
    with file.open("a") as opened:
        opened.write('{"chunk": "b", "sec')
    add_timing(store.path, {"chunk": "c", "seconds": 2.0}, "whole")
    timings, damaged = read_timings(store.path)
    assert [timing["chunk"] for timing in timings] == ["a", "c"]
    assert damaged == {file: 1}
