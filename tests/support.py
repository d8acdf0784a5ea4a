"""What several test files need: runs of the command line, and the cautions of an estimate."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from hypothesis import settings

import halfwidth as hw


@dataclass(frozen=True)
class Ran:
    """What the command left behind."""

    status: int
    out: str
    err: str

    @property
    def estimates(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.out)["estimates"]
        return found


Run = Callable[..., Ran]

# Pictures of rankings.
RANKING_KINDS = (
    *("rank-sets", "significance", "lines", "dots", "podium"),
    *("case-heatmap", "heatmap", "blob"),
)


class Cautioned(Protocol):
    """What carries cautions."""

    @property
    def cautions(self) -> tuple[hw.Caution, ...]: ...


def codes(e: Cautioned) -> list[str]:
    return [caution.code for caution in e.cautions]


def message(e: hw.Estimate, code: str) -> str:
    (found,) = [caution.message for caution in e.cautions if caution.code == code]
    return found


def examples(thorough: int) -> settings:
    """So many random examples in the thorough profile, a fifth of them in the quick one."""
    return settings(max_examples=max(settings().max_examples * thorough // 100, 5))
