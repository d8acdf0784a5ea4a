"""Random chains of verbs: what is equal by construction stays equal.

``HALFWIDTH_FUZZ_WORKFLOWS`` and ``HALFWIDTH_FUZZ_SEED`` set the number of seeds of the long form
and where they begin.
"""

from __future__ import annotations

import collections
import os

import pytest
from workflows import RELATIONS, tried

SHORT, LONG = len(RELATIONS), int(os.environ.get("HALFWIDTH_FUZZ_WORKFLOWS", "600"))
FIRST = int(os.environ.get("HALFWIDTH_FUZZ_SEED", "0"))


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_a_few_workflows_hold() -> None:
    counts = held(SHORT)
    assert counts["answers"] > SHORT


@pytest.mark.slow
def test_many_workflows_hold(capsys: pytest.CaptureFixture[str]) -> None:
    counts = held(LONG)
    with capsys.disabled():
        print(f"\nworkflows: {LONG} tried, {counts['held']} of them answered, ", end="")  # noqa: T201
        print(f"{counts['answers']} answers")  # noqa: T201
    answered = {name for name in RELATIONS if counts[name]}
    assert answered == set(RELATIONS)
    assert counts["held"] > LONG / 2


def held(count: int) -> collections.Counter[str]:
    """How many seeds and runs of verbs were answered; fails where a relation does not hold."""
    counts: collections.Counter[str] = collections.Counter()
    failed: list[str] = []
    for one in tried(FIRST, count):
        counts["answers"] += one.answered
        counts["held"] += one.answered > 0
        counts[one.relation] += one.answered > 0
        failed += [str(one)] if one.fault else []
    assert not failed, f"{len(failed)} of {count} workflows:\n" + "\n".join(failed[:40])
    return counts
