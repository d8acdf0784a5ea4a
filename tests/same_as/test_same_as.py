"""The net can fail: what is changed between two recordings is found, and only what is not meant."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from door import run_command

import halfwidth as hw
from halfwidth import metrics, testing
from halfwidth.plots import Figure
from same_as.calls import (
    FILES,
    HERE,
    Call,
    all_calls,
    blocks,
    expanded,
    with_keywords,
    with_options,
)
from same_as.data import values
from same_as.differences import Difference, differences
from same_as.recorder import Recorder
from same_as.renames import Table, TableError
from same_as.report import compared, report

ROOT = Path(__file__).parents[2]
ESTIMATE = "ci long.csv --value dice --metric dsc --by organ --by model --json"
GATE = "gate sam.csv --against unet.csv --value dice --metric dsc --margin 0.05"
REFUSED = "ci wide.csv --metric dsc --value nothing"
TABLE = "ci wide.csv --value liver --metric dsc --format csv"
PROGRAM = "hw.summary_ci(dice, metric='dsc', rng=1)"
CALLS = (
    *(Call("command", text, 0) for text in (ESTIMATE, GATE, REFUSED, TABLE)),
    Call("program", PROGRAM, 0),
    Call("chain", "swapped 5", 0),
)
# Commands that need what a machine may not have, or that ask for help.
NOT_CALLED = {"--help", "--dask", "--pdf"}
# One verb shows what they do; they are the same everywhere.
OF_ALL_VERBS = {"--quiet", "--debug"}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    recorder = Recorder(ROOT, tmp_path_factory.mktemp("same_as"), Table())
    first, again = ({call.text: recorder.answer(call) for call in CALLS} for _ in range(2))
    assert first == again
    return first


def verdict(old: Any, new: Any, table: str = "") -> tuple[str, bool]:
    since = Table.read(table)
    return report(compared(old, new, since), since, len(new), "before")


def changed(record: dict[str, Any], *path: str | int, to: Any) -> dict[str, Any]:
    """A copy of a recording in which what stands at a place is another."""
    made = copy.deepcopy(record)
    place: Any = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to(place[path[-1]])
    return made


# --------------------------------------------------------------------------- what is found


def test_two_recordings_of_one_tree_are_the_same(recording: dict[str, Any]) -> None:
    text, passed = verdict(recording, copy.deepcopy(recording))
    assert passed
    assert text == f"{len(CALLS)} calls answer as in before"


LOW = (ESTIMATE, "steps", 0, "out", "json", "estimates", 2, "low")
# Where a recording is changed, to what, and what the report says of it.
CHANGES = {
    "a number": (LOW, lambda x: x * (1 + 1e-9), "number at steps[].out.json.estimates[].low"),
    "an integer": ((*LOW[:-1], "n"), lambda n: n + 1, "number at steps[].out.json.estimates[].n"),
    "a number that is none": (LOW, lambda _: None, "type at steps[].out.json.estimates[].low"),
    "a float for an integer": ((*LOW[:-1], "n"), float, "type at steps[].out.json.estimates[].n"),
    "a cell of CSV": (
        (TABLE, "steps", 0, "out", "rows", 0),
        lambda row: [re.sub(r"^0\.\d{8}\d+$", lambda m: f"{float(m[0]) + 1e-9!r}", c) for c in row],
        "text at steps[].out.rows[][]",
    ),
    "an exit status": ((GATE, "steps", 0, "status"), lambda s: s + 1, "number at steps[].status"),
    "a word of an error": (
        (REFUSED, "steps", 0, "err", "lines", 0),
        lambda text: text.replace("column", "field"),
        "text at steps[].err.lines[]",
    ),
    "a word of a table": (
        (GATE, "steps", 0, "out", "lines", 0),
        lambda text: text.replace("against", "versus"),
        "text at steps[].out.lines[]",
    ),
    "a line": ((GATE, "steps", 0, "out", "lines"), lambda x: x[1:], "at steps[].out.lines[]"),
    "a key": (
        LOW[:-1],
        lambda e: {key: value for key, value in e.items() if key != "seed"},
        "gone at steps[].out.json.estimates[].seed",
    ),
    "the order of keys": (
        LOW[:-1],
        lambda e: dict(reversed(e.items())),
        "order at steps[].out.json.estimates[]",
    ),
    "a column": (
        (TABLE, "steps", 0, "out", "columns"),
        lambda columns: ["named", *columns[1:]],
        "text at steps[].out.columns[]",
    ),
    "an attribute": (
        (PROGRAM, "answer", "attributes"),
        lambda known: {k: v for k, v in known.items() if k != "width"},
        "gone at answer.attributes.width",
    ),
    "a pickle": ((PROGRAM, "answer", "pickled"), lambda _: {}, "type at answer.pickled"),
    "an answer of a chain": (
        ("swapped 5", "steps", 0, "status"),
        lambda s: 1 if s == 0 else 0,
        "number at steps[].status",
    ),
    "a warning": ((GATE,), lambda r: r | {"warnings": ["UserWarning"]}, "added at warnings"),
    "a call": ((REFUSED,), lambda _: {}, "gone at steps"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found(recording: dict[str, Any], name: str) -> None:
    path, to, way = CHANGES[name]
    new = changed(recording, *path, to=to)
    assert json.dumps(new) != json.dumps(recording), "nothing was changed"
    text, passed = verdict(recording, new)
    assert not passed
    assert way in text
    assert text.startswith(f"1 of {len(CALLS)} calls differ from before")


def test_rounding_is_no_change(recording: dict[str, Any]) -> None:
    assert verdict(recording, changed(recording, *LOW, to=lambda x: x * (1 + 4e-16)))[1]
    assert not list(differences("", "0.12345678901234,a", "0.12345678901235,a"))
    assert list(differences("", "0.123456789,a", "0.123456780,a"))
    assert list(differences("", "1.2", "1.3"))
    assert list(differences("", 0.0, 1e-17))


def test_a_call_that_one_tree_lacks_is_told(recording: dict[str, Any]) -> None:
    fewer = {call: record for call, record in recording.items() if call != GATE}
    for pair in ((recording, fewer), (fewer, recording)):
        text, passed = verdict(*pair)
        assert not passed
        assert GATE in text


# --------------------------------------------------------------------------- what is meant


def test_renamed_columns_are_the_same(recording: dict[str, Any]) -> None:
    def said_otherwise(record: Any) -> Any:
        if isinstance(record, dict):
            return {"samples" if k == "n" else k: said_otherwise(v) for k, v in record.items()}
        if isinstance(record, list):
            return ["samples" if one == "n" else said_otherwise(one) for one in record]
        return record

    new = {
        call: said_otherwise(record) if call in (ESTIMATE, TABLE) else record
        for call, record in recording.items()
    }
    assert not verdict(recording, new)[1]
    old = {call: record for call, record in recording.items() if call in (ESTIMATE, TABLE)}
    kept = {call: record for call, record in new.items() if call in old}
    assert verdict(old, kept, '[columns]\nn = "samples"')[1]


def test_words_are_renamed_where_lines_are_broken_otherwise() -> None:
    old = {
        "help": {
            "lines": ["Options:", "  --positive LABEL  The positive", "                    class."]
        }
    }
    new = {"help": {"lines": ["Options:", "  --pos-label LABEL   The positive class."]}}
    assert not verdict(old, new)[1]
    renames = '[options]\n"--positive" = "--pos-label"'
    assert verdict(old, new, renames)[1]
    new["help"]["lines"][1] += " Always."
    assert not verdict(old, new, renames)[1]


def test_expected_differences_have_a_reason_and_a_place(recording: dict[str, Any]) -> None:
    new = changed(recording, *LOW, to=lambda x: x + 1)
    entry = '[[expected]]\ncalls = "ci long*"\npath = "*estimates*low"\nreason = "better ends"\n'
    text, passed = verdict(recording, new, entry)
    assert passed
    assert "1 as named: better ends" in text
    assert not verdict(recording, new, entry.replace("low", "high"))[1]
    assert not verdict(recording, new, f'{entry}kind = "text"')[1]
    assert "not seen: better ends" in verdict(recording, recording, entry)[0]
    for wrong in (entry.replace("reason", "because"), "[functoins]", entry.partition("reason")[0]):
        with pytest.raises(TableError):
            Table.read(wrong)


def test_entries_that_a_commit_already_has_do_not_concern_it() -> None:
    before = Table.read('[options]\n"--a" = "--b"\n[functions]\n"hw.f" = "hw.g"')
    now = Table.read('[options]\n"--a" = "--b"\n"--b" = "--c"\n[functions]\n"hw.f" = "hw.g"')
    since = now.since(before)
    assert dict(since.options) == {"--b": "--c"}
    assert not since.functions
    assert now.since(now) == Table()


def test_old_trees_are_asked_in_their_own_words(tmp_path: Path, monkeypatch: Any) -> None:
    options = '[options]\n"--groups" = "--cluster"\nrng = "seed"\n'
    functions = '[functions]\n"hw.summary_ci" = "hw.ci_of"\n'
    table = Table.read(
        f'{options}{functions}[[programs]]\ncalls = "*"\nold = "rng=2"\nnew = "seed=SEED"'
    )
    assert table.words_before(["ci", "--cluster=a", "--cluster", "--b"]) == [
        *("ci", "--groups=a", "--groups", "--b")
    ]
    # The recorder binds them in its process, as this test does.
    for module in (hw, hw.planning, hw.plots, hw.study, testing):
        for name in module.__all__:
            monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(hw, "ci_of", None, raising=False)
    recorder = Recorder(ROOT, tmp_path, table)
    old, new = (
        recorder.answer(Call("program", text, 0))
        for text in ("hw.ci_of(dice, metric='dsc', seed=1)", PROGRAM.replace("rng", "seed"))
    )
    assert old == new
    assert "answer" in old
    told = recorder.answer(Call("command", f"{ESTIMATE} --cluster patient", 0))
    assert told["steps"][0]["status"] == 0
    assert recorder.answer(Call("program", "hw.ci_of(dice, seed=SEED)", 0))["answer"]


# --------------------------------------------------------------------------- what is called


def test_programs_name_public_doors_only() -> None:
    doors = {"hw", "metrics", "planning", "plots", "study", "summaries", "testing", "analysis"}
    doors |= {"populations", "study_plots", "store", "np"}
    known = {
        *doors,
        *values(),
        *("getattr", "sorted", "float", "range", "at", "one", "spec", "name"),
    }
    known |= {"y_true", "y_score", "partial"}
    for call in all_calls():
        assert "halfwidth." not in call.text
        if call.kind == "program":
            names = {
                node.id for node in ast.walk(ast.parse(call.text)) if isinstance(node, ast.Name)
            }
            assert not names - known, call.text
            assert not set(re.findall(r"\b_\w+", call.text)) - {"__all__"}, call.text
    assert with_keywords("f(1, a=2)", "a=3, b=4") == "f(1, a=3, b=4)"
    assert with_options("ci a.csv --by b --x -o c", "--by d") == "ci a.csv --x -o c --by d"
    assert with_options("ci a.csv --x 1 --format *", "--x 2") == "ci a.csv --json --x 2"
    assert with_options("ci a.csv --format *", "-o b.md") == "ci a.csv -o b.md"


def _functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    homes: dict[str, ModuleType] = {"hw": hw, "planning": hw.planning, "plots": hw.plots}
    for home, module in (homes | {"testing": testing}).items():
        for name in module.__all__:
            if isinstance(getattr(module, name), (FunctionType, Figure)):
                yield f"{home}.{name}", getattr(module, name)


def test_every_keyword_of_every_public_function_is_given() -> None:
    given: dict[str, set[str]] = {}
    for call in all_calls():
        if call.kind == "program":
            for node in ast.walk(ast.parse(call.text, mode="eval")):
                if isinstance(node, ast.Call):
                    words = given.setdefault(ast.unparse(node.func), set())
                    words |= {one.arg for one in node.keywords if one.arg}
    lacking = {}
    for name, function in _functions():
        wanted = {
            parameter.name
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY
        }
        if name not in given or wanted - given[name]:
            lacking[name] = wanted - given.get(name, set())
    assert not lacking, "tests/same_as/programs.txt wants a call with these"


def test_every_metric_statistic_and_method_is_computed() -> None:
    words = {word for call in all_calls() for word in re.findall(r"\w+", call.text)}
    lacking = {*metrics.__all__, *hw.STATISTICS.names, *hw.METHODS.names} - words
    assert not lacking, "tests/same_as/commands.txt or programs.txt wants a call of these"


def test_every_verb_is_helped(tmp_path: Path) -> None:
    known = {call.text for call in all_calls()}
    for group in ("", "plan ", "study "):
        text = run_command([*group.split(), "--help"], tmp_path).out.partition("Commands:")[2]
        verbs = re.findall(r"^ {2}(\w+) ", text, flags=re.MULTILINE)
        assert verbs
        assert {f"{group}{verb} --help" for verb in verbs} <= known


def test_every_option_of_every_verb_is_given(tmp_path: Path) -> None:
    commands = [call.text for call in all_calls() if call.kind == "command"]
    lacking = {}
    for helped in (text for text in commands if text.endswith(" --help")):
        verb = helped.removesuffix(" --help")
        text = run_command(helped.split(), tmp_path).out
        options = set(re.findall(r"^ {2}(?:-\w, )?(--[\w-]+)", text, flags=re.MULTILINE))
        options |= set(re.findall(r"^ {2}--[\w-]+ / (--[\w-]+)", text, flags=re.MULTILINE))
        given = {
            word.partition("=")[0]
            for command in commands
            for step in command.split(" && ")
            if step.startswith(f"{verb} ")
            for word in step.replace(" -n ", " --n ").replace(" -o ", " --out ").split()
        }
        if options - given - NOT_CALLED - OF_ALL_VERBS:
            lacking[verb] = options - given - NOT_CALLED - OF_ALL_VERBS
    assert not lacking, "tests/same_as/commands.txt wants a command with these"


def test_every_place_of_a_difference_is_shown() -> None:
    (one,) = differences("call", {"a": [1.5, {"b": "x"}]}, {"a": [1.5, {"b": "y"}]})
    assert isinstance(one, Difference)
    assert one.shown == "a[1].b: 'x' -> 'y'"
    (one,) = differences("call", [1.0], [1.5])
    assert one.shown == "[0]: 1.0 -> 1.5  (by 3.3e-01 of it)"


@pytest.mark.slow
def test_what_is_to_answer_answers_and_what_is_to_be_refused_is(tmp_path: Path) -> None:
    """One call of a block at least, of one block in three; commands build on those before them."""
    recorder = Recorder(ROOT, tmp_path, Table())
    faults = []
    for kind, file in (one for one in FILES if one[1] != "commands.txt"):
        for block in list(blocks((HERE / file).read_text(encoding="utf-8")))[::3]:
            calls = expanded(block, of_commands=kind == "command")
            answers = (recorder.answer(Call(kind, call, 0)) for call in calls)
            if any(map(_answers, answers)) == (file == "refused.txt"):
                faults.append(f"{file}: {block[0]}")
    assert not faults, "\n".join(faults)


def _answers(answer: dict[str, Any]) -> bool:
    steps = answer.get("steps", ())
    return "raises" not in answer and not any(step["status"] in (1, 2) for step in steps)
