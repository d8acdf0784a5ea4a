"""What is printed stands in the list of all messages.

Whatever a test prints on stderr with `run`, or is refused by `refusal`, is looked up there too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import messagelist
import numpy as np
import pytest
from pages import messages
from support import Run, refusal

import halfwidth
from halfwidth import planning, study

# Wrong calls are no business of a type checker.
hw: Any = halfwidth
DICE = np.linspace(0.5, 0.99, 30)
TRUTH = np.arange(30) % 2
SCORE = np.linspace(0, 1, 30)
MASK = np.ones((4, 4), dtype=bool)
# A call or an attribute in braces, which stands for its value and lost the f of its text.
CODE = re.compile(r"\{[A-Za-z_]\w*(?:[(.\[][^}]*|![rsa])\}|\bspelled(?:_both)?\(")
# A name in braces: in what is formatted later, and in patterns that a user writes.
PLAIN = re.compile(r"(?<![fFrR\w\"])\"(?:[^\"\\\n]|\\.)*\{[A-Za-z_]\w*[:}]")
NAME = re.compile(r"\{([A-Za-z_]\w*)(?::[^{}]*)?\}")
PATTERNS = {"case", "metric", "model", "task"}

IN_PYTHON: tuple[Callable[[], object], ...] = (
    lambda: hw.summary_ci([]),
    lambda: hw.summary_ci("dice"),
    lambda: hw.summary_ci([[1, 2], [3, 4]]),
    lambda: hw.summary_ci([0.5, None, 0.7]),
    lambda: hw.summary_ci([0.5, 1.2], metric="dsc"),
    lambda: hw.summary_ci(100 * DICE, metric="dsc"),
    lambda: hw.summary_ci(DICE, metric="dcs"),
    lambda: hw.summary_ci(DICE, metric="auroc"),
    lambda: hw.summary_ci(DICE, statistic="quantile:2"),
    lambda: hw.summary_ci(DICE, statistic="mean:q=1"),
    lambda: hw.summary_ci(DICE, method="wald"),
    lambda: hw.summary_ci(DICE, confidence_level=95),
    lambda: hw.summary_ci(DICE, n_resamples=0),
    lambda: hw.summary_ci(DICE, groups=[1, 2]),
    lambda: hw.summary_ci(DICE, missing="maybe"),
    lambda: hw.summary_ci(DICE, alternative="greater"),
    lambda: hw.summary_ci(DICE, bounds=(1, 0)),
    lambda: hw.summary_ci(DICE, rng="seed"),
    lambda: hw.metric_ci(TRUTH, SCORE[:5], metric="auroc"),
    lambda: hw.metric_ci(TRUTH, SCORE, metric="dsc"),
    lambda: hw.metric_ci(np.ones(30), SCORE, metric="auroc"),
    lambda: hw.metric_ci(TRUTH, TRUTH, metric="f1", pos_label=7),
    lambda: hw.proportion_ci(31, 30),
    lambda: hw.proportion_ci(3, 30, method="hall"),
    lambda: hw.difference_ci(DICE, DICE[:5]),
    lambda: hw.difference_ci(DICE, DICE, margin=-1),
    lambda: hw.compare({"a": DICE}),
    lambda: hw.compare({"a": DICE, "b": DICE}, baseline="c"),
    lambda: hw.rank({"a": DICE}),
    lambda: hw.rank({"a": DICE, "b": DICE}),
    lambda: hw.gate(DICE, DICE, margin=0.1),
    lambda: hw.curve(hw.Predictions.from_arrays(TRUTH, SCORE), "froc"),
    lambda: hw.runs_ci(DICE, quantile=2),
    lambda: hw.score_masks(MASK, np.ones((3, 3)), metrics=["dsc"]),
    lambda: hw.score_masks(MASK, MASK, metrics=["hd95"]),
    lambda: hw.read("missing.csv"),
    lambda: hw.explain("HW000"),
    lambda: hw.report(3),
    lambda: planning.mean(-1, halfwidth=0.1),
    lambda: planning.mean(0.1),
    lambda: planning.auroc(2, halfwidth=0.1),
    lambda: hw.plan("mean"),
    lambda: study.open("nowhere"),
    lambda: study.read_spec("nothing.toml"),
)
COMMANDS = """\
ci
ci missing.csv
ci plain.csv --metric dcs
ci plain.csv --metirc dsc
ci plain.csv --value nothing
ci plain.csv --method nothing
ci plain.csv --confidence-level 95
ci plain.csv --n-resamples many
ci plain.csv --threshold 0.5
ci plain.csv --where dice=nobody
ci plain.csv -o plain.csv
ci plain.csv --format yaml
ci plain.csv --target dice --metric dsc
compare plain.csv --value dice
rank plain.csv --value dice
gate plain.csv --against plain.csv --value dice
runs plain.csv --quantile 2
plan mean --sd -1 --halfwidth 0.1
review --n 200 --correct 300
score nowhere nowhere
detect plain.csv plain.csv
report plain.csv --baseline nobody
study summary nowhere
study run nothing.toml
methods nothing
nothing
"""


@pytest.mark.parametrize("call", IN_PYTHON)
def test_what_python_is_refused_with_stands_in_the_list(call: Callable[[], object]) -> None:
    assert refusal(call)


@pytest.mark.parametrize("command", COMMANDS.splitlines())
def test_what_a_command_is_refused_with_stands_in_the_list(
    command: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain.csv").write_text("case,dice\na,0.8\nb,0.7\nc,0.9\n")
    assert run(*command.split()).status == 2


def test_a_message_that_stands_nowhere_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert messagelist.unlisted("the frobnicator is not connected to the mains")
    text = refusal(lambda: hw.summary_ci([0.5, 1.2], metric="dsc"))
    long, short = messagelist.entries()
    others = [one for one in long if not all(part in text for part in one[1])]
    monkeypatch.setattr(messagelist, "entries", lambda: (others, short))
    assert messagelist.unlisted(text)


def test_no_message_holds_code_in_the_place_of_a_value() -> None:
    assert [text for text in messagelist.texts() if CODE.search(text)] == []
    assert CODE.search("left out ({spelled('missing', 'omit')})")
    assert not CODE.search("give models by their names: {'A': values}, or {model}_{task}.csv")


def test_what_is_raised_has_its_values_in_it() -> None:
    """A text with ``{name}`` is an f-string, is formatted, or speaks of a user's pattern."""
    assert [*raised_unformatted(ast.parse("raise ValueError('{count} are bad')"))] == ["count"]
    assert [*raised_unformatted(ast.parse("raise ValueError(f'{count} are bad'.strip())"))] == []
    found = {
        path.name: names
        for path in messages.SOURCE.rglob("*.py")
        if PLAIN.search(text := path.read_text("utf-8"))
        if (names := {*raised_unformatted(ast.parse(text))} - PATTERNS)
    }
    assert found == {}


def raised_unformatted(node: ast.AST) -> Iterator[str]:
    """The names in braces of plain texts in what is raised."""
    for one in ast.walk(node):
        if isinstance(one, ast.Raise) and one.exc is not None:
            for text in plain_texts(one.exc):
                yield from NAME.findall(text)


def plain_texts(node: ast.AST) -> Iterator[str]:
    """The texts below a node that are no parts of f-strings, nor formatted by a call."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif not isinstance(node, ast.JoinedStr) and getattr(node, "attr", "") != "format":
        for child in ast.iter_child_nodes(node):
            yield from plain_texts(child)
