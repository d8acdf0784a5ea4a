"""How many runs a quantile needs: Tables 1 and 2 of Lehmann & Paromau, and slips of the hand."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import halfwidth as hw
from halfwidth.planning import minimum_runs


def cells(path: Path) -> list[tuple[float, float, int]]:
    with path.open(newline="") as file:
        return [
            (float(u), float(row["confidence_level"]), int(n))
            for row in csv.DictReader(file)
            for u, n in row.items()
            if u != "confidence_level"
        ]


@pytest.mark.parametrize(
    ("kind", "name", "count"),
    [("exact", "lehmann_table1.csv", 18), ("asymptotic", "lehmann_table2.csv", 27)],
)
def test_the_published_tables_in_full(kind: str, name: str, count: int, shared: Path) -> None:
    published = cells(shared / "reference" / name)
    assert len(published) == count
    assert [minimum_runs(u, level, kind) for u, level, _ in published] == [n for *_, n in published]


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("u", [0.03, 0.2, 0.5, 0.77])
def test_the_exact_minimum_is_symmetric_and_is_the_first(u: float, level: float) -> None:
    n = minimum_runs(u, level)
    assert n == minimum_runs(1 - u, level)
    misses = [u**m + (1 - u) ** m for m in (n - 1, n)]
    assert misses[1] <= 1 - level < misses[0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((0.5, 95), "for 95 % write 0.95"),
        ((0.5, 0), "confidence_level=0 is not strictly between 0 and 1"),
        ((0,), "quantile=0 is not strictly between 0 and 1"),
        ((1,), "quantile=1 is not strictly between 0 and 1"),
        ((90,), "for 90 % write 0.9"),
        ((True,), "quantile=True is not a number"),
        (("0.5",), "quantile='0.5' is not a number"),
        ((float("nan"),), "not a finite number"),
        ((0.5, 0.95, "exakt"), "unknown method 'exakt'; did you mean 'exact'?"),
        ((0.5, 0.95, None), "unknown method 'None'. Known: exact, asymptotic."),
    ],
)
def test_slips_are_named(given: tuple[Any, ...], words: str) -> None:
    with pytest.raises(hw.OptionError) as error:
        minimum_runs(*given)
    assert words in str(error.value)
