"""Docstrings are understood alone, and name what is there."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path

import halfwidth as hw
from halfwidth.core.option_table.table import OPTIONS
from halfwidth.estimation.resolve import AUTO

SOURCE = Path(hw.__file__).parent
NAMED = re.compile(r"``([A-Za-z_]\w*)``")
# A public docstring has sections, whose parameters are compared with the signature elsewhere.
PUBLIC = "\n----"
CATALOGUES = (hw.METRICS, hw.SAMPLE_METRICS, hw.DETECTION_METRICS, hw.METHODS, hw.STATISTICS)
SPECS = [spec for catalogue in CATALOGUES for spec in catalogue]
# What a user writes: names of the catalogues, options and their words.
WORDS = {
    *dir(builtins),
    AUTO,
    *(name.rpartition(".")[2] for name in OPTIONS),
    *(spec.name for spec in SPECS),
    *(other for spec in SPECS for other in getattr(spec, "synonyms", ())),
    *(one.name for spec in SPECS for one in spec.parameters),
}
# Names in tables and files, as examples; beginnings of codes; a key of JSON.
EXAMPLES = {
    "XFD",
    "Patient_ID",
    "patientid",
    "p_sick",
    "p_well",
    "sick",
    "well",
    "organ",
    "HW",
    "ap50",
}
EXAMPLES |= {"schema_version"}

# A docstring that begins so continues the line above, which a reader of help does not see.
CONTINUING = re.compile(r'(?:\A|\n +)"""(?:(?:Those|That|Of|By|As|From|The same)\b.*)')

DEFINED = (ast.FunctionDef, ast.ClassDef)


def test_names_in_internal_docstrings_are_parameters_or_names_of_the_code_below() -> None:
    texts = {path: path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    strangers = [
        f"{path.relative_to(SOURCE)}: {where} names {name}"
        for path, text in texts.items()
        if NAMED.search(text)
        for where, name in strangers_in(text)
    ]
    assert strangers == []


def test_a_docstring_that_names_what_a_parameter_was_called_is_found() -> None:
    code = """\
def read(source, classes):
    '''``classes`` of ``given``, given as a file.'''
    # What is given.
    return source
"""
    assert list(strangers_in(code)) == [("read", "given")]
    assert list(strangers_in(code.replace("given", "source"))) == []


def test_docstrings_begin_with_a_noun_or_a_verb() -> None:
    found = {
        path.relative_to(SOURCE).as_posix(): begun
        for path in SOURCE.rglob("*.py")
        if (begun := CONTINUING.findall(path.read_text("utf-8")))
    }
    assert found == {}
    assert CONTINUING.search('def rows(self):\n    """Of each sample."""')


def strangers_in(text: str) -> Iterator[tuple[str, str]]:
    """What docstrings of a module name and nothing is called, each with whose docstring it is."""
    lines = text.splitlines()
    module = ast.parse(text)
    outside = (one for one in module.body if not isinstance(one, DEFINED))
    functions = {one.name for one in module.body if isinstance(one, DEFINED)}
    yield from _strangers(
        module, functions.union(*(words_of(one, lines) for one in outside)), lines
    )


def _strangers(node: ast.AST, known: set[str], lines: list[str]) -> Iterator[tuple[str, str]]:
    for one in getattr(node, "body", ()):
        if isinstance(one, DEFINED):
            own = known | words_of(one, lines)
            told = ast.get_docstring(one) or ""
            if PUBLIC not in told:
                strange = {*NAMED.findall(told)} - own - WORDS - EXAMPLES
                yield from ((one.name, name) for name in sorted(strange))
            yield from _strangers(one, own, lines)


def words_of(node: ast.stmt, lines: list[str]) -> set[str]:
    """The words of a piece of code, without those of its docstring and its comments."""
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    body = getattr(node, "body", [])
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        told = body[0]
        kept = lines[first : told.lineno - 1] + lines[told.end_lineno or told.lineno : last]
    else:
        kept = lines[first:last]
    return {*re.findall(r"\w+", re.sub(r"#.*|``\w+``", "", "\n".join(kept)))}
