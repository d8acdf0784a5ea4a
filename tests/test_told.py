"""What the prose of a page says of a result, a method or a rate is what the program says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import figures
import generate
import pytest
import told

DOCS = Path(generate.__file__).parent
# Four pages besides the quickstarts, in which every edit is found.
FOUR = ("classification.md", "comparing.md", "gate.md", "planning.md")
QUICKSTARTS = generate.PAGES_TOLD[len(FOUR) :]
OTHER = {
    "verdict": {"non-inferior": "non-superior", "non-superior": "non-inferior"},
    "method": {"dirichlet": "dirichlet_pareto", "percentile": "bca", "bca": "percentile"},
}


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", generate.PAGES_TOLD)
def test_the_prose_of_a_page_says_what_the_program_says(name: str) -> None:
    assert generate.found_in(name, page(name)) == [], "run 'python docs/generate.py --check'"


def test_the_pages_in_which_all_is_found_are_the_quickstarts_and_four_more() -> None:
    quickstarts = [f"quickstarts/{path.name}" for path in (DOCS / "quickstarts").glob("*.md")]
    assert sorted(generate.PAGES_TOLD) == sorted([*FOUR, *quickstarts])


@pytest.mark.parametrize(("names", "most"), [(FOUR, 4), (QUICKSTARTS, 2)])
def test_planted_edits_all_over_the_pages_are_found_each_on_its_line(
    names: tuple[str, ...], most: int
) -> None:
    assert found(names, most) >= 15


@pytest.mark.slow
def test_every_edit_that_can_be_planted_is_found_on_its_line() -> None:
    assert found(generate.PAGES_TOLD, most=1000) > 140


@pytest.mark.slow
def test_check_finds_nothing_and_runs_the_commands_of_the_quickstarts() -> None:
    assert generate.check() == [], "run 'python docs/generate.py'"


def found(names: Sequence[str], most: int) -> int:
    """How many planted edits are found, all of which must be; so many of each page, all over it."""
    each = {name: list(edits(page(name))) for name in names}
    spread = {name: -(-len(some) // most) or 1 for name, some in each.items()}
    planted = [(name, *edit) for name, some in each.items() for edit in some[:: spread[name]]]
    assert {kind for _, kind, _, _ in planted} == {*told.KINDS}
    missed = [
        (name, kind, line)
        for name, kind, line, edited in planted
        if not any(
            problem.startswith(f"{name}:{line}: ") for problem in generate.found_in(name, edited)
        )
    ]
    assert missed == []
    return len(planted)


def edits(text: str) -> Iterator[tuple[str, int, str]]:
    """The page with one value changed, each in turn: its kind, its line, and the page.

    Values that a publication or an example has are not the program's.
    """
    foreign = list(told.sourced(text))
    for kind, found in told.tokens(text):
        if not any(start <= found.start() < end for start, end in foreign):
            line = text.count("\n", 0, found.start()) + 1
            edited = text[: found.start()] + changed(kind, found[0]) + text[found.end() :]
            yield kind, line, edited


def changed(kind: str, said: str) -> str:
    """Another verdict, another method, or a number with another last digit."""
    if kind == "number":
        return said[:-1] + str((int(said[-1]) + 1) % 10)
    other = OTHER[kind].get(said.lower(), "non-inferior" if kind == "verdict" else "wald")
    return other.capitalize() if said[0].isupper() else other


def test_a_value_without_a_source_is_found() -> None:
    text = "The gland is non-inferior by `wilson`, n = 120, in 7.5 % of 95 % intervals."
    assert [one.split()[0] for one in told.unmarked(text)] == [
        "verdict",
        "method",
        *("number", "number"),
    ]
    assert told.unmarked(f"{text} <!-- an example -->") == []


PRINTED = """\
```console
$ halfwidth compare a.csv b.csv \\
    --margin 0.02
halfwidth: wrote a.png
label   difference  95 % CI            n  verdict
───────────────────────────────────────────────────────
gland         0.08  0.03 to 0.14      30  better
left         -0.01  -0.02 to 0.01  1,200  non-inferior
kidney

Difference in AUROC

first  second  verdict
──────────────────────────
0.984   0.978  open
```
"""


def test_what_a_page_prints_is_read_by_row_and_column_or_behind_a_text() -> None:
    for key, value in (
        ("gland; verdict", "better"),
        ("left kidney; verdict", "non-inferior"),
        ("left kidney; 95 % CI; 1", "0.01"),
        ("left kidney; n", "1,200"),
        ("after --margin", "0.02"),
        ("after gland 0.08; 1", "0.14"),
        ("Difference in AUROC :: *; verdict", "open"),
    ):
        told_now = told.filled(f"{PRINTED}\nIt is x<!-- printed: {key} -->.")
        assert told_now.endswith(f"It is {value}<!-- printed: {key} -->.")
    with pytest.raises(figures.FigureError, match="0 rows"):
        told.filled(f"{PRINTED}\nIt is X<!-- printed: liver; verdict -->.")


def test_a_value_is_written_as_it_stands_there() -> None:
    def filled(value: str, key: str = "left kidney; 95 % CI") -> str:
        return told.filled(f"{PRINTED}\n{value}<!-- printed: {key} -->").split("\n")[-1]

    assert filled("*Worse*", "gland; verdict").startswith("*Better*<")
    assert filled("3.1", "gland; difference").startswith("0.1<")
    assert filled("9,999", "left kidney; n").startswith("1,200<")
    assert filled("5 %", "after gland").startswith("8 %<")
    assert re.match(r"-?−?0\.02", filled("−0.11"))


def test_a_method_is_the_one_that_auto_takes_now() -> None:
    wrong = "`hall`<!-- takes: difference of means, without bounds -->"
    assert told.filled(wrong) == wrong.replace("hall", "t")
    with pytest.raises(figures.FigureError, match="nothing is known as 'a guess'"):
        told.filled("`hall`<!-- takes: a guess -->")


def test_what_check_says_names_the_page_the_line_and_both_values() -> None:
    wrong = page("gate.md").replace("| 4<!-- word", "| 3<!-- word")
    (problem,) = generate.found_in("gate.md", wrong)
    assert re.match(r"gate\.md:\d+: '\| 3<.* where the program has '\| 4<", problem)
