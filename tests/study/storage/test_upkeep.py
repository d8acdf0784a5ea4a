"""Looking after a store: how far it is, what comes from elsewhere, what is tried again."""

from __future__ import annotations

import io
import math
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import toywork
from toywork import chunks, parts, store_in

import halfwidth as hw
from halfwidth.study.chunks import Chunk, Shard
from halfwidth.study.execution.progress import Reporter
from halfwidth.study.execution.running import run_chunks
from halfwidth.study.storage.locks import hold_lock
from halfwidth.study.storage.store import Store
from halfwidth.study.storage.timings import add_timing, read_timings
from halfwidth.study.storage.upkeep import CollectResult, collect, retry, status

BAD = "model1.n00005"


def ran(folder: Path, made: list[Chunk], **options: Any) -> Store:
    store = store_in(folder)
    run_chunks(made, toywork.work, store, progress=Reporter(io.StringIO()), **options)
    return store


def test_the_status_counts_chunks_by_state(tmp_path: Path) -> None:
    store = ran(tmp_path, chunks(6, names=[BAD], how="raise"))
    part = store.part(chunks()[2])
    part.write_bytes(part.read_bytes()[:50])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
    found = status(store, chunks(8))
    assert found.done == tuple(chunks()[i].name for i in (0, 1, 3, 4))
    assert found.failed == (BAD,)
    assert found.left == tuple(chunks()[i].name for i in (2, 6, 7))
    assert found.damaged == {chunks()[2].name: "is damaged"}
    assert found.reasons == {BAD: "ZeroDivisionError: nothing to divide by"}
    assert found.running == ()
    assert found.seconds > 0
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()} == before
    with hold_lock(tmp_path, Shard(2, 3)):
        (holder,) = status(store, chunks(8)).running
    assert (holder.lock, holder.pid) == ("shard-2-of-3", os.getpid())


def test_the_pace_is_seconds_per_cost(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    assert math.isnan(status(store, chunks(2)).seconds_left)
    add_timing(tmp_path, {"chunk": "a", "cost": 1.0, "seconds": 9.0}, "whole")
    add_timing(tmp_path, {"chunk": "a", "cost": 1.0, "seconds": 2.0}, "whole")
    add_timing(tmp_path, {"chunk": "b", "cost": 3.0, "seconds": 4.0}, "shard-1-of-2")
    add_timing(tmp_path, {"chunk": "c", "cost": None, "seconds": 4.0}, "shard-1-of-2")
    # The last time counts where a chunk was done twice.
    left = sum(chunk.cost for chunk in chunks(2))
    assert status(store, chunks(2)).seconds_left == pytest.approx(6.0 / 4.0 * left)
    assert status(store, chunks(2)).seconds_left == pytest.approx(1.5 * (1.0 + 2.0))
    assert status(store, chunks(2)).seconds == pytest.approx(6.0)


def test_stores_of_shards_are_collected(tmp_path: Path) -> None:
    whole = ran(tmp_path / "whole", chunks())
    shards = [ran(tmp_path / f"{i}", chunks(), shard=Shard(i, 3)) for i in (1, 2, 3)]
    store = store_in(tmp_path / "all")
    others = [shard.path for shard in shards]
    assert collect(store, others) == CollectResult(copied=8, already=0, replaced=0, damaged={})
    assert parts(store.path) == parts(whole.path)
    assert len({timing["chunk"] for timing in read_timings(store.path)[0]}) == 8
    assert collect(store, others) == CollectResult(copied=0, already=8, replaced=0, damaged={})
    assert collect(store, [store.path]) == CollectResult(0, 0, 0, {})
    assert status(store, chunks()).left == ()


def test_damaged_parts_are_neither_taken_nor_kept(tmp_path: Path) -> None:
    here, there = ran(tmp_path / "here", chunks(2)), ran(tmp_path / "there", chunks(4))
    wanted = parts(there.path)
    bad, mine = there.part(chunks()[3]), here.part(chunks()[0])
    bad.write_bytes(b"PAR1")
    mine.write_bytes(b"PAR1")
    found = collect(here, [there.path])
    # The second was there already, the first is mended, the third new, the fourth damaged.
    assert found == CollectResult(copied=1, already=1, replaced=1, damaged={bad: "is damaged"})
    del wanted[bad.name]
    assert parts(here.path) == wanted


def test_parts_under_a_false_name_are_not_taken(tmp_path: Path) -> None:
    here, there = store_in(tmp_path / "here"), ran(tmp_path / "there", chunks(2))
    first, second, third = (there.part(chunk) for chunk in chunks(3))
    shutil.copy(first, third)
    second.rename(there.path / "parts" / "nonsense.parquet")
    found = collect(here, [there.path])
    assert (found.copied, found.already) == (1, 0)
    assert found.damaged[third] == f"is the part of {chunks(1)[0].name}"
    assert len(found.damaged) == 2


def test_failures_are_collected_until_the_chunk_is_done(tmp_path: Path) -> None:
    failing = ran(tmp_path / "failing", chunks(6, names=[BAD], how="raise"))
    store = store_in(tmp_path / "all")
    collect(store, [failing.path])
    assert status(store, chunks(6)).failed == (BAD,)
    sound = ran(tmp_path / "sound", chunks(6))
    collect(store, [sound.path, failing.path])
    assert list((store.path / "failed").iterdir()) == []
    assert len(status(store, chunks(6)).done) == 6


def test_another_study_is_not_collected(tmp_path: Path) -> None:
    store, same = store_in(tmp_path / "all"), ran(tmp_path / "same", chunks(2))
    other = store_in(tmp_path / "other", seed=8)
    with pytest.raises(hw.DataError, match=r"seed 7 -> 8\. Nothing was copied"):
        collect(store, [same.path, other.path])
    with pytest.raises(hw.DataError, match="no store of a study"):
        collect(store, [same.path, tmp_path])
    assert parts(store.path) == {}


def test_nothing_is_collected_or_forgotten_while_a_run_is_on(tmp_path: Path) -> None:
    store = ran(tmp_path / "store", chunks(6, names=[BAD], how="raise"))
    with hold_lock(store.path, Shard(1, 2)):
        with pytest.raises(hw.DataError, match="another run"):
            collect(store, [tmp_path / "store"])
        with pytest.raises(hw.DataError, match="another run"):
            retry(store)
    assert status(store, chunks(6)).failed == (BAD,)
    assert retry(store) == 1
    assert retry(store) == 0
    assert status(store, chunks(6)).left == (BAD,)
