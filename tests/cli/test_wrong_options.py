"""Options of other names, and typos, are met with the option that was meant."""

from __future__ import annotations

from typing import Any

import pytest
from support import Run

from halfwidth.cli.main import command
from halfwidth.cli.wrong_options import LEVELS, OTHER_NAMES, proposal

VERBS = command()


@pytest.mark.parametrize(
    ("verb", "given", "meant"),
    [
        ("ci", "--metrics dsc", "--metric"),
        ("ci", "--seeds 1", "--seed"),
        ("ci", "--positive 1", "--pos-label"),
        ("ci", "--weight w", "--sample-weight"),
        ("ci", "--alpha 0.05", "--confidence-level 0.95"),
        ("ci", "--ci 95", "--confidence-level 0.95"),
        ("ci", "--ci 0.9", "--confidence-level 0.9"),
        ("ci", "--level 99", "--confidence-level 0.99"),
        ("ci", "--alpha", "--confidence-level"),
        ("ci", "--ci nan", "--confidence-level"),
        ("ci", "--alpha 7", "--confidence-level"),
        ("ci", "--n-boot 999", "--n-resamples"),
        ("ci", "--threads 4", "--jobs"),
        ("ci", "--random-state 4", "--seed"),
        ("ci", "--frobnicate", None),
        ("score", "--metrics dsc", "--metric"),
        ("score", "--labels names.json", "--label-names"),
        ("study summary", "--level task", "--over"),
        ("study summary", "--target 0.9", "--coverage"),
        ("plan runs", "--kind exact", "--method"),
        ("plan mean", "--sds 1", "--sd"),
        # Nothing is proposed that the verb does not have.
        ("explain", "--metrics dsc", None),
    ],
)
def test_the_right_option_is_proposed(verb: str, given: str, meant: str | None) -> None:
    command: Any = VERBS
    for word in verb.split():
        command = command.commands[word]
    name, _, value = given.partition(" ")
    assert proposal(name, value or None, _options(command)) == meant


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ci t.csv --alpha=0.1", "no option --alpha; did you mean --confidence-level 0.9? Try '"),
        ("score a b --metrics dsc", "no option --metrics; did you mean --metric? Try '"),
        ("ci t.csv -x", "no option -x. Try 'halfwidth ci --help'."),
    ],
)
def test_it_is_one_line(command: str, words: str, run: Run) -> None:
    ran = run(*command.split())
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


def test_other_names_are_no_options_themselves_where_they_are_proposed() -> None:
    """Each leads to an option that some verb has, and that verb has none of the other name."""
    verbs = [set(_options(verb)) for verb in _verbs(VERBS)]
    for given, meant in OTHER_NAMES.items():
        for name in meant:
            assert any(name in options and given not in options for options in verbs), (given, name)
    assert all(not any(name in options for options in verbs) for name in LEVELS)


def _verbs(command: object) -> list[object]:
    below = getattr(command, "commands", {})
    return [command] if not below else [one for verb in below.values() for one in _verbs(verb)]


def _options(verb: object) -> list[str]:
    return [name for param in getattr(verb, "params", []) for name in param.opts]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ci t.csv --seed 1 --seed 2", "--seed is given 2 times"),
        ("runs t.csv --metric dsc --metric iou", "--metric is given 2 times"),
        ("plan mean --sd 1 --halfwidth .1 --formula t --formula z", "--formula is given 2 times"),
    ],
)
def test_an_option_that_takes_one_value_is_not_given_twice(
    command: str, words: str, run: Run
) -> None:
    ran = run(*command.split())
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
