"""What several test files need: runs of the command line, and the cautions of an estimate."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import pytest
from hypothesis import settings
from messagelist import unlisted

import halfwidth as hw
from halfwidth.cli.main import command
from halfwidth.core.option_table.table import OPTIONS

T = TypeVar("T")
# Flags of other programs and of the parser that messages name.
FOREIGN_FLAGS = {"--log_samples", "--nthreads", "--help"}
# Slices, dictionaries and calls, which nobody can type in a shell.
PYTHON = re.compile(r"\w\[:?\d+:?\d*\]|\{'|\b[A-Za-z_]\w*\.[a-z_]\w*\(|\b[a-z_]\w*\((?=['\"{\[])")
FLAG = re.compile(r"(?<!no option )(?<![\w-])--[a-z][\w-]*")


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


def refusal(call: Callable[[], object]) -> str:
    """The one short line with which a call is refused."""
    with pytest.raises(hw.HalfwidthError) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) <= 600
    assert not unlisted(text)
    return text


def quickly(door: Callable[..., T], *data: Any, n_resamples: int = 199, **options: Any) -> T:
    """What a door answers with few resamples, or as it is where its method draws none."""
    try:
        return door(*data, n_resamples=n_resamples, **options)
    except hw.OptionError as error:
        if "which draws nothing" not in str(error):
            raise
    return door(*data, **options)


def examples(thorough: int) -> settings:
    """So many random examples in the thorough profile, a third in the quick one, five at least."""
    return settings(max_examples=max(settings().max_examples * thorough // 100, 5))


@functools.cache
def flags() -> frozenset[str]:
    """The flags of all verbs."""

    def of(parser: Any) -> Iterator[str]:
        for option in parser.params:
            yield from (*option.opts, *option.secondary_opts)
        for verb in getattr(parser, "commands", {}).values():
            yield from of(verb)

    return frozenset(of(command()))


@functools.cache
def _python_spelling() -> re.Pattern[str]:
    named = {flag.removeprefix("--").replace("-", "_") for flag in flags() if len(flag) > 3}
    options = {name.rpartition(".")[2] for name in OPTIONS}
    names = named | {name for name in options if len(name) > 1}
    # Not within parameters of a metric, names of files and levels of columns.
    return re.compile(rf"(?<!--where )(?<![\w.:,;={{'/-])(?:{'|'.join(sorted(names))})=(?!=)")


def misspelled(text: str) -> list[str]:
    """What an error of the command says as in Python, and flags that no verb has."""
    unknown = set(FLAG.findall(text)) - flags() - FOREIGN_FLAGS
    return [*_python_spelling().findall(text), *PYTHON.findall(text), *sorted(unknown)]
