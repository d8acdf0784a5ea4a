"""Options of other names, and typos, are met with the option that was meant."""

from __future__ import annotations

import pytest
from support import Run

from halfwidth.cli.main import command

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
        ("ci", "--conf-level 90", "--confidence-level 0.9"),
        ("ci", "--confidence 90", "--confidence-level 0.9"),
        ("ci", "--cl 90", "--confidence-level 0.9"),
        ("ci", "--bootstrap 9", "--n-resamples"),
        ("detect", "--class a", "--classes"),
        ("ci", "--patient p", "--groups"),
        ("plan difference", "--patient p", "--case"),
        ("ci", "--column dice", "--value"),
        ("ci", "--output t.csv", "--out"),
        ("ci", "--figure a.svg", "--plot"),
        ("ci", "--verbose", "--debug"),
        ("ci", "--silent", "--quiet"),
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
def test_the_right_option_is_proposed(verb: str, given: str, meant: str | None, run: Run) -> None:
    ran = run(*verb.split(), *given.split())
    proposed = f"; did you mean {meant}?" if meant else "."
    assert f"no option {given.split(maxsplit=1)[0]}{proposed}" in ran.err
    assert (ran.status, ran.out) == (2, "")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ci t.csv --alpha=0.1", "no option --alpha; did you mean --confidence-level 0.9? Try '"),
        ("score a b --metrics dsc", "no option --metrics; did you mean --metric? Try '"),
        ("ci t.csv -x", "no option -x. Try 'halfwidth ci --help'."),
        ("curve t.csv", "no command 'curve': 'halfwidth ci FILE --target COLUMN --score COLUMN "),
        ("plot t.csv", "no command 'plot': each command draws what it finds: --plot PICTURE"),
        ("estimate t.csv", "no command 'estimate': 'halfwidth ci FILE' estimates. Try 'half"),
        ("read t.csv", "no command 'read': each command reads its files"),
        ("plan t.csv", "no command 't.csv': a table is a pilot, 'halfwidth plan pilot FILE'. Try"),
        ("check t.csv --target y", "no option --target: this command takes values of cases alone"),
        ("plan pilot t.csv --score p", "no option --score: this command takes values of cases"),
        ("plan men", "no command 'men'; did you mean 'mean'?"),
    ],
)
def test_it_is_one_line(command: str, words: str, run: Run) -> None:
    ran = run(*command.split())
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


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
