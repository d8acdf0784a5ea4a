"""Options in the words of the door through which they were given."""

from __future__ import annotations

import math
from typing import Any

import pytest
from support import Run

import halfwidth as hw
from halfwidth.core.option_names import Door, current_door, flag_of, spelled, spelled_both, through
from halfwidth.core.processes import in_workers

DOORS = (Door.PYTHON, Door.COMMAND_LINE, Door.SPEC)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("missing",), ("missing=", "--missing", "missing = ...")),
        (("missing", "omit"), ("missing='omit'", "--missing omit", 'missing = "omit"')),
        (("pos_label", "very ill"), ("pos_label='very ill'", "--pos-label 'very ill'", None)),
        (("by", ["a", "b"]), ("by=['a', 'b']", "--by a --by b", 'by = ["a", "b"]')),
        (("bounds", (0, 1.5)), ("bounds=(0, 1.5)", "--bounds 0,1.5", "bounds = [0, 1.5]")),
        (("metric", {"A": "dsc"}), ("metric={'A': 'dsc'}", "--metric A=dsc", None)),
        (("unpaired", True), ("unpaired=True", "--unpaired", "unpaired = true")),
        (("simultaneous", True), ("simultaneous=True", "--simultaneous", None)),
        (("simultaneous", False), ("simultaneous=False", "--no-simultaneous", None)),
        (("score.labels", "a.json"), ("labels='a.json'", "--label-names a.json", None)),
        (("margin", 0.1 + 0.2), ("margin=0.3", "--margin 0.3", "margin = 0.3")),
        # A whole number that is a float is said to be one where that may be what is wrong.
        (("n_resamples", 1e2), ("n_resamples=100.0", "--n-resamples 100", "n_resamples = 100")),
        (("scale", math.inf), ("scale=inf", "--scale inf", "scale = inf")),
    ],
)
def test_an_option_in_the_words_of_each_door(given: Any, words: tuple[str | None, ...]) -> None:
    for door, expected in zip(DOORS, words, strict=True):
        with through(door):
            assert expected in (spelled(*given), None)


def test_the_words_are_those_of_python_unless_said_otherwise() -> None:
    assert current_door() is Door.PYTHON
    with (
        pytest.raises(hw.OptionError, match="--seed -1 is negative"),
        through(Door.SPEC),
        through(Door.COMMAND_LINE),
    ):
        hw.summary_ci([0.1, 0.2, 0.3], rng=-1)
    assert current_door() is Door.PYTHON
    assert spelled("rng", 1, door=Door.COMMAND_LINE) == "--seed 1"
    assert spelled_both("rng", 1) == "rng=1, --seed 1"


def test_a_long_value_is_cut() -> None:
    for door in DOORS:
        assert len(spelled("by", list("abcdefghijklmnopqrstuvwxyz") * 9, door=door)) < 80


def test_workers_speak_the_words_of_the_door() -> None:
    with through(Door.COMMAND_LINE):
        assert dict(in_workers(spelled, [("unpaired", True)], 1)) == {0: "--unpaired"}
    assert dict(in_workers(spelled, [("unpaired", True)], 1)) == {0: "unpaired=True"}


def test_each_door_names_its_own_option(run: Run) -> None:
    with pytest.raises(hw.OptionError, match=r"it is called pos_label$"):
        hw.metric_ci([0, 1], [0.1, 0.9], metric="auroc", positive=1)  # type: ignore[call-arg]
    ran = run("ci", "t.csv", "--positive", "1")
    assert ran.err.startswith(
        f"halfwidth: no option --positive; did you mean {flag_of('pos_label')}?"
    )
