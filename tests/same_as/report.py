"""Two recordings compared: which calls differ, in which ways, and which of these are meant."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from same_as.differences import ABSENT, Difference, differences
from same_as.renames import Expected, Table

__all__ = ["compared", "report"]

# Ways that are shown, and calls of each.
WAYS, CALLS = 30, 3


def compared(old: Mapping[str, Any], new: Mapping[str, Any], since: Table) -> list[Difference]:
    """All differences, in the order of the calls' names."""
    found: list[Difference] = []
    for call in sorted({*old, *new}):
        if call not in old or call not in new:
            sides = [one.get(call, ABSENT) for one in (old, new)]
            found.append(Difference(call, (), "added" if call in new else "gone", *sides))
            continue
        before = since.renamed(old[call]) if since.renames else old[call]
        found += differences(call, before, new[call], loose=before != old[call])
    return found


def report(found: Sequence[Difference], since: Table, calls: int, name: str) -> tuple[str, bool]:
    """What is to be read of the differences, and whether the table names them all."""
    meant: dict[Expected, int] = dict.fromkeys(since.expected, 0)
    rest: list[Difference] = []
    for difference in found:
        entry = next((one for one in meant if one.names(difference)), None)
        if entry:
            meant[entry] += 1
        else:
            rest.append(difference)
    lines = [_headline(rest, calls, name)]
    lines += [f"{count} as named: {one.reason}" for one, count in meant.items() if count]
    lines += [f"not seen: {one.reason}" for one, count in meant.items() if not count]
    lines += _ways(rest)
    return "\n".join(lines), not rest


def _headline(rest: Sequence[Difference], calls: int, name: str) -> str:
    if not rest:
        return f"{calls} calls answer as in {name}"
    differing = len({one.call for one in rest})
    return f"{differing} of {calls} calls differ from {name}, at {len(rest)} places"


def _ways(rest: Iterable[Difference]) -> list[str]:
    """Differences of one kind at one place together, those of most calls first."""
    groups: dict[tuple[str, str], list[Difference]] = collections.defaultdict(list)
    for one in rest:
        groups[one.way].append(one)
    calls = {way: list(dict.fromkeys(one.call for one in group)) for way, group in groups.items()}
    lines = []
    for way in sorted(groups, key=lambda way: -len(calls[way]))[:WAYS]:
        place, kind = way
        lines += ["", f"{kind} at {place or 'the record'}: {len(calls[way])} calls"]
        for call in calls[way][:CALLS]:
            first = next(one for one in groups[way] if one.call == call)
            lines += [f"    {call}", f"        {first.shown}"]
    if len(groups) > WAYS:
        lines += ["", f"{len(groups) - WAYS} more ways; all are in build/same-as/differences.json"]
    return lines
