"""Who may be on a store at the same time, and what the others are told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from toywork import store_in

import halfwidth as hw
from halfwidth.study.chunks import Shard
from halfwidth.study.storage import locks
from halfwidth.study.storage.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_in(tmp_path / "store")


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        (None, None, False),
        (None, Shard(1, 4), False),
        (Shard(1, 4), None, False),
        (Shard(1, 4), Shard(1, 4), False),
        (Shard(1, 4), Shard(2, 4), True),
        (Shard(1, 4), Shard(2, 8), False),
        (Shard(1, 1), Shard(1, 11), False),
    ],
)
def test_who_may_be_on_a_store_together(
    store: Store, first: Shard | None, second: Shard | None, together: bool
) -> None:
    with locks.hold_lock(store.path, first):
        if together:
            with locks.hold_lock(store.path, second):
                assert len(locks.holders(store.path)) == 2
            assert len(locks.holders(store.path)) == 1
        else:
            with pytest.raises(hw.DataError) as caught, locks.hold_lock(store.path, second):
                pytest.fail("two runs on one store")
            assert f"process {os.getpid()} on " in str(caught.value)
            assert "since 20" in str(caught.value)
        (holder,) = locks.holders(store.path)
        assert (holder.lock, holder.pid) == (locks.lock_name(first), os.getpid())
    assert locks.holders(store.path) == []
    with locks.hold_lock(store.path, second):
        pass


def test_shards_of_another_number_are_told_so(store: Store) -> None:
    with (
        locks.hold_lock(store.path, Shard(1, 4)),
        pytest.raises(hw.DataError) as caught,
        locks.hold_lock(store.path, Shard(3, 8)),
    ):
        pytest.fail("a chunk might be done twice")
    assert "shard 1 of 4" in str(caught.value)
    assert "4 ways, and this one, 3/8, 8 ways" in str(caught.value)


def test_what_a_dead_holder_said_does_not_count(store: Store) -> None:
    for name in ("whole", "shard-1-of-2"):
        (store.path / locks.FOLDER / f"{name}.lock").touch()
        (store.path / locks.FOLDER / f"{name}.json").write_text('{"pid": 1}')
    assert locks.holders(store.path) == []
    with locks.hold_lock(store.path, Shard(1, 3)):
        pass


def test_a_holder_that_said_nothing_is_a_holder(store: Store) -> None:
    with locks.hold_lock(store.path):
        (store.path / locks.FOLDER / "whole.json").unlink()
        with pytest.raises(hw.DataError, match="has not said which"), locks.hold_lock(store.path):
            pytest.fail("two runs on one store")
