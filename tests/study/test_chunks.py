"""Which chunks go to which shard, and in which order they are done."""

from __future__ import annotations

import random

import pytest
from toywork import chunks

import halfwidth as hw
from halfwidth.study.chunks import Chunk, Queue, Shard, check_chunks, chunks_of_shard, parse_shard


def made(costs: list[float], group: str = "") -> list[Chunk]:
    return [Chunk(f"c{i}{group}", f"{i:016x}", None, cost, group) for i, cost in enumerate(costs)]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 40])
def test_every_chunk_is_dealt_to_one_shard(count: int) -> None:
    all_chunks = chunks(30)
    shards = [chunks_of_shard(all_chunks, Shard(i + 1, count)) for i in range(count)]
    names = [chunk.name for shard in shards for chunk in shard]
    assert sorted(names) == sorted(chunk.name for chunk in all_chunks)


def test_dealing_depends_on_the_chunks_alone() -> None:
    all_chunks = chunks(30)
    shuffled = random.Random(1).sample(all_chunks, 30)
    for i in (1, 2, 3):
        ours, others = (
            chunks_of_shard(all_chunks, Shard(i, 3)),
            chunks_of_shard(shuffled, Shard(i, 3)),
        )
        assert {chunk.name for chunk in ours} == {chunk.name for chunk in others}


@pytest.mark.parametrize("groups", [1, 40])
def test_shards_cost_about_the_same(groups: int) -> None:
    generator = random.Random(2)
    costs = [generator.expovariate(1.0) for _ in range(200)]
    listed = [
        Chunk(f"c{i}", f"{i:016x}", None, cost, f"g{i % groups}") for i, cost in enumerate(costs)
    ]
    totals = [
        sum(chunk.cost for chunk in chunks_of_shard(listed, Shard(i, 5))) for i in range(1, 6)
    ]
    assert max(totals) < 1.2 * min(totals)


def test_groups_stay_together_where_there_are_enough() -> None:
    listed = [chunk for i in range(12) for chunk in made([1.0, 2.0], f"g{i}")]
    for i in (1, 2, 3):
        groups = [chunk.group for chunk in chunks_of_shard(listed, Shard(i, 3))]
        assert all(groups.count(group) == 2 for group in groups)


def test_without_shards_all_chunks_are_ours() -> None:
    assert chunks_of_shard(chunks(5), None) == chunks(5)


@pytest.mark.parametrize("given", ["0/4", "5/4", "1", "1/0", "a/b", "-1/4", "1/4/4", "", "1.0/4"])
def test_what_is_no_shard_is_refused(given: str) -> None:
    with pytest.raises(hw.OptionError, match=r"shard=.* is not i/N"):
        parse_shard(given)


def test_a_shard_is_parsed() -> None:
    assert parse_shard(" 4/4 ") == Shard(4, 4)
    assert str(parse_shard("3/16")) == "3/16"


@pytest.mark.parametrize(
    ("first", "second"),
    [("a", "a"), ("a", "A"), ("a/b", "c"), ("..", "c"), ("", "c"), ("a b", "c"), ("a" * 201, "c")],
)
def test_names_that_are_no_files_are_a_fault_of_ours(first: str, second: str) -> None:
    digest = "0" * 16
    with pytest.raises(RuntimeError):
        check_chunks([Chunk(first, digest, None, 1.0), Chunk(second, digest, None, 1.0)])


@pytest.mark.parametrize("cost", [-1.0, float("nan"), float("inf")])
def test_costs_are_numbers(cost: float) -> None:
    with pytest.raises(RuntimeError, match="cost"):
        check_chunks([Chunk("a", "0" * 16, None, cost)])


# --------------------------------------------------------------------------- order


def drained(queue: Queue, *workers: object) -> list[list[str]]:
    """What workers get that take turns."""
    got: list[list[str]] = [[] for _ in workers]
    active = True
    while active:
        active = False
        for seen, worker in zip(got, workers, strict=True):
            chunk = queue.take(worker)
            if chunk is not None:
                seen.append(chunk.name)
                active = True
    return got


def test_costly_groups_go_first_and_costly_chunks_in_them() -> None:
    queue = Queue([*made([1, 5, 2], "a"), *made([9], "b"), *made([3, 4], "c")])
    assert drained(queue, None) == [["c0b", "c1a", "c2a", "c0a", "c1c", "c0c"]]


def test_a_worker_stays_with_a_group_and_then_helps() -> None:
    queue = Queue([*made([4, 3, 2, 1], "a"), *made([5], "b")])
    assert drained(queue, "x", "y") == [["c0a", "c1a", "c3a"], ["c0b", "c2a"]]
    queue = Queue([*made([4, 3, 2, 1], "a"), *made([3, 2, 1], "b")])
    assert drained(queue, "x", "y") == [["c0a", "c1a", "c2a", "c3a"], ["c0b", "c1b", "c2b"]]


def test_chunks_without_a_group_are_groups_of_their_own() -> None:
    assert drained(Queue(made([1, 3, 2])), "x") == [["c1", "c2", "c0"]]


def test_every_chunk_is_taken_once() -> None:
    names = [name for got in drained(Queue(chunks(50)), *range(7)) for name in got]
    assert sorted(names) == sorted(chunk.name for chunk in chunks(50))
