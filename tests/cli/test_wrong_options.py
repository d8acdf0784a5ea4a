"""Options of other names, and typos, are met with the option that was meant."""

from __future__ import annotations

import pytest
from support import Run
from typer.main import get_command

from halfwidth.cli.main import app
from halfwidth.cli.wrong_options import LEVELS, OTHER_NAMES


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ci t.csv --metrics dsc", "no option --metrics; did you mean --metric?"),
        ("ci t.csv --seeds 1", "did you mean --seed?"),
        ("ci t.csv --pos-label 1", "did you mean --positive?"),
        ("ci t.csv --alpha 0.05", "did you mean --confidence-level 0.95?"),
        ("ci t.csv --alpha=0.1", "did you mean --confidence-level 0.9?"),
        ("ci t.csv --ci 95", "did you mean --confidence-level 0.95?"),
        ("ci t.csv --ci 0.9", "did you mean --confidence-level 0.9?"),
        ("ci t.csv --level 99", "did you mean --confidence-level 0.99?"),
        ("ci t.csv --alpha", "did you mean --confidence-level?"),
        ("ci t.csv --ci nan", "did you mean --confidence-level?"),
        ("ci t.csv --n-boot 999", "did you mean --n-resamples?"),
        ("ci t.csv --threads 4", "did you mean --jobs?"),
        ("ci t.csv --random-state 4", "did you mean --seed?"),
        ("score a b --metrics dsc", "did you mean --metric?"),
        ("score a b --labels names.json", "did you mean --label-names?"),
        ("study summary s --what tests --level task", "did you mean --over?"),
        ("study summary s --what needs --target 0.9", "did you mean --coverage?"),
        ("plan runs --quantile .5 --kind exact", "did you mean --method?"),
        ("plan mean --sds 1", "did you mean --sd?"),
        # Nothing is proposed that the verb does not have.
        ("explain --metrics dsc", "no option --metrics. Try 'halfwidth explain --help'."),
        ("ci t.csv --frobnicate", "no option --frobnicate. Try 'halfwidth ci --help'."),
        ("ci t.csv -x", "no option -x. Try 'halfwidth ci --help'."),
    ],
)
def test_the_right_option_is_proposed(command: str, words: str, run: Run) -> None:
    ran = run(*command.split())
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


def test_other_names_are_no_options_themselves_where_they_are_proposed() -> None:
    """Each leads to an option that some verb has, and that verb has none of the other name."""
    verbs = [set(_options(verb)) for verb in _verbs(get_command(app))]
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
