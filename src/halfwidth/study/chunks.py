"""Chunks of a study: what is worked on as one, in which order, and by which shard."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from halfwidth.core.errors import OptionError

__all__ = ["Chunk", "Made", "Queue", "Shard", "Work", "check_chunks", "dealt", "parse_shard"]

# What every file system takes; no dot at the start, where files hide.
NAME = re.compile(r"[A-Za-z0-9_=+-][A-Za-z0-9._=+-]{0,199}")
DIGEST = re.compile(r"[0-9a-f]{16}")
# Whole groups are dealt out to shards where there are at least so many for each.
GROUPS_PER_SHARD = 4


@dataclass(frozen=True)
class Chunk:
    """The unit of work, which makes one part of the store.

    Attributes
    ----------
    name : str
        Readable and safe as the name of a file, unique in a study.
    digest : str
        16 hexadecimal digits of everything that its results depend on.
    payload : object
        What the work function needs; it can be pickled.
    cost : float
        What it costs compared with others, in any unit. Orders the work and weighs the progress;
        no result depends on it.
    group : str
        Chunks of one group share work that a process keeps (the population of an instance), so
        they are done by the same worker where that holds nobody up. Empty: a group of its own.
    """

    name: str
    digest: str
    payload: Any
    cost: float
    group: str = ""


@dataclass(frozen=True)
class Made:
    """What the work function returns.

    Attributes
    ----------
    rows : list of dict
        Rows of the part: text, whole numbers, fractions, booleans, None, lists of text.
    seconds : float
        Wall time of the work itself.
    timings : list of dict
        Finer timings, as JSON takes them; they go to the side file.
    """

    rows: list[dict[str, Any]]
    seconds: float
    timings: list[dict[str, Any]] = field(default_factory=list)


Work = Callable[[Chunk], Made]


def check_chunks(chunks: Sequence[Chunk]) -> None:
    """Refuse names that clash as files, where lower and upper case may be one.

    Raises
    ------
    RuntimeError
        Whoever made the chunks is wrong, not the user.
    """
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


@dataclass(frozen=True)
class Shard:
    """Number ``number`` (from 1) of ``count`` runs that share the chunks of a study."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def parse_shard(given: str) -> Shard:
    """The shard that was asked for, such as ``"2/8"``.

    Raises
    ------
    OptionError
        If it is not two integers i/N with 1 <= i <= N.

    Examples
    --------
    >>> parse_shard("2/8")
    Shard(number=2, count=8)
    """
    found = re.fullmatch(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", given)
    number, count = (int(part) for part in found.groups()) if found else (0, 0)
    if not 1 <= number <= count:
        raise OptionError(
            f"--shard {given} is not i/N, a shard and how many there are: 1/4, 2/4, 3/4, 4/4"
        )
    return Shard(number, count)


def dealt(chunks: Sequence[Chunk], shard: Shard | None) -> list[Chunk]:
    """The chunks of a shard, in their order; all of them where there are no shards.

    Groups are sorted by cost and dealt out like cards, there and back again (1 2 3 3 2 1 ...);
    where groups are few, so are single chunks. Nothing but the list of chunks decides.
    """
    if shard is None:
        return list(chunks)
    groups = grouped(chunks)
    if len(groups) < GROUPS_PER_SHARD * shard.count:
        groups = [[chunk] for chunk in sorted(chunks, key=_costly_first)]
    mine: set[str] = set()
    for place, group in enumerate(groups):
        turn, seat = divmod(place, shard.count)
        if (seat if turn % 2 == 0 else shard.count - 1 - seat) == shard.number - 1:
            mine.update(chunk.name for chunk in group)
    return [chunk for chunk in chunks if chunk.name in mine]


def grouped(chunks: Iterable[Chunk]) -> list[list[Chunk]]:
    """Groups of chunks, the costly ones first, and so are the chunks of a group."""
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
    """Chunks that wait to be worked on.

    Each worker works through a group of its own; when no group is left that nobody has begun, it
    helps where most is left. Costly chunks go first, so that all workers end at about one time.
    """

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._untouched = deque(deque(group) for group in grouped(chunks))
        self._begun: dict[Any, deque[Chunk]] = {}

    def take(self, worker: Any = None) -> Chunk | None:
        """The next chunk for a worker; None if there is no more to do."""
        group = self._begun.get(worker)
        if not group:
            group = self._untouched.popleft() if self._untouched else self._longest()
            self._begun[worker] = group
        return group.popleft() if group else None

    def _longest(self) -> deque[Chunk]:
        return max(self._begun.values(), key=_cost, default=deque())
