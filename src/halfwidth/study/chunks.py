"""Chunks of a study: the units of work, their order, and their distribution over shards."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Any

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled

# Characters that every file system allows; a leading dot would hide the file.
NAME = re.compile(r"[A-Za-z0-9_=+-][A-Za-z0-9._=+-]{0,199}")
DIGEST = re.compile(r"[0-9a-f]{16}")
# Whole groups are distributed to shards if there are at least this many per shard.
GROUPS_PER_SHARD = 4


@frozen
class Chunk:
    """The unit of work, which produces one part of the store."""

    # Readable and safe as the name of a file, unique in a study.
    name: str
    # 16 hexadecimal digits, of everything that its results depend on.
    digest: str
    # The picklable input of the work function.
    payload: Any
    # Cost relative to the other chunks, in any unit. Orders the work and weighs the progress; no
    # result depends on it.
    cost: float
    # Chunks of one group share work that a process keeps (the population of an instance), so the
    # same worker does them unless that delays others. Empty: a group of its own.
    group: str = ""


@frozen
class ChunkResult:
    """The result of the work function."""

    # Rows of the part: text, whole numbers, fractions, booleans, None, lists of text.
    rows: list[dict[str, Any]]
    # Wall time of the work itself.
    seconds: float
    # Finer timings as JSON values, for the file of timings.
    timings: list[dict[str, Any]] = field(default_factory=list)
    # How long it had a processor, which is less on a busy machine; None where nobody looked.
    cpu_seconds: float | None = None


Work = Callable[[Chunk], ChunkResult]


def check_chunks(chunks: Sequence[Chunk]) -> None:
    """Refuse names that clash as files, an error of the program; some file systems ignore case."""
    seen: dict[str, str] = {}
    for chunk in chunks:
        if not NAME.fullmatch(chunk.name) or not DIGEST.fullmatch(chunk.digest):
            raise RuntimeError(f"chunk {chunk.name!r} ({chunk.digest!r}) cannot name a file")
        if not (math.isfinite(chunk.cost) and chunk.cost >= 0):
            raise RuntimeError(f"chunk {chunk.name!r} has the cost {chunk.cost!r}")
        folded = chunk.name.casefold()
        if folded in seen:
            raise RuntimeError(f"chunks {seen[folded]!r} and {chunk.name!r} would be one file")
        seen[folded] = chunk.name


# --------------------------------------------------------------------------- shards


@frozen
class Shard:
    """Number ``number`` (from 1) of ``count`` runs that share the chunks of a study."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def parse_shard(text: str) -> Shard:
    """Parse a shard.

    >>> parse_shard("2/8")
    Shard(number=2, count=8)
    """
    match = re.fullmatch(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", text)
    number, count = (int(part) for part in match.groups()) if match else (0, 0)
    if not 1 <= number <= count:
        raise OptionError(
            f"{spelled('shard', text)} is not i/N, a shard and how many there are: "
            "1/4, 2/4, 3/4, 4/4"
        )
    return Shard(number, count)


def chunks_of_shard(chunks: Sequence[Chunk], shard: Shard | None) -> list[Chunk]:
    """The chunks of a shard in their order; all chunks without shards.

    Groups are sorted by cost and distributed in turns, forth and back (1 2 3 3 2 1 ...); if
    there are few groups, single chunks are. The result depends on the list of chunks alone.
    """
    if shard is None:
        return list(chunks)
    groups = group_by_cost(chunks)
    if len(groups) < GROUPS_PER_SHARD * shard.count:
        groups = [[chunk] for chunk in sorted(chunks, key=_costly_first)]
    names: set[str] = set()
    for place, group in enumerate(groups):
        turn, seat = divmod(place, shard.count)
        if (seat if turn % 2 == 0 else shard.count - 1 - seat) == shard.number - 1:
            names.update(chunk.name for chunk in group)
    return [chunk for chunk in chunks if chunk.name in names]


def group_by_cost(chunks: Iterable[Chunk]) -> list[list[Chunk]]:
    """Groups of chunks in order of falling cost, and so are the chunks within each."""
    by_name: dict[str, list[Chunk]] = {}
    for chunk in sorted(chunks, key=_costly_first):
        # The slash keeps a chunk without a group apart from a group of that name.
        by_name.setdefault(chunk.group or f"/{chunk.name}", []).append(chunk)
    return sorted(by_name.values(), key=lambda group: (-_cost(group), group[0].name))


def _cost(chunks: Iterable[Chunk]) -> float:
    return math.fsum(chunk.cost for chunk in chunks)


def _costly_first(chunk: Chunk) -> tuple[float, str]:
    return -chunk.cost, chunk.name


# --------------------------------------------------------------------------- order of work


class Queue:
    """The chunks that still need work.

    Each worker works through a group of its own. When all groups are taken, it helps with the
    one that has most left. Costly chunks go first, so that workers end at about the same time.
    """

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._untouched = deque(deque(group) for group in group_by_cost(chunks))
        self._begun: dict[Any, deque[Chunk]] = {}

    def take(self, worker: Any = None) -> Chunk | None:
        """The next chunk for a worker; None if nothing is left."""
        group = self._begun.get(worker)
        if not group:
            if self._untouched:
                group = self._untouched.popleft()
            else:
                group = max(self._begun.values(), key=_cost, default=deque())
            self._begun[worker] = group
        return group.popleft() if group else None
