"""List every message of the package: errors, cautions with their remedies, notes, sentences.

    python docs/pages/messages.py

The documentation has it as a page, which is built with the others; tests look up there what is
printed.

A message is a text with words in it, wherever it stands in the source. What pages of their own
list is left out: help of options, and what catalogues say of metrics and methods.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "halfwidth"
HEAD = """\
# Messages

Everything that the package can say, file by file: errors, cautions and their remedies, notes,
sentences of results. `…` stands for a value, or for another text of the file.
`python docs/pages/messages.py` prints this list. What a code means: [Cautions](cautions.md).
"""
# Texts for pages of their own: of options and papers, and what these calls and keywords declare.
ELSEWHERE = ("core/option_table/", "core/references")
DECLARING = (
    *("Option", "Argument", "argument", "option", "switch", "declared", "filter_option"),
    *("_part_option", "_number", "Entry", "Field", "compile"),
)
KEYWORDS = ("help", "short_help", "epilog")
# Calls whose text is a message if it is a single word, as that of an error is.
SAYING = ("complain", "note")
PROSE = re.compile(r"[a-z]{2,}[,:;]? |[ (][a-z]{2,}")
# A value of a template for `str.format`.
FIELD = re.compile(r"\{\w+(?:![rs])?(?::[^{}]*)?\}")
# What holds no text: most of a tree.
WITHOUT_TEXT = (
    *(ast.Name, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop),
    *(ast.Import, ast.ImportFrom, ast.Pass),
)
# Values side by side.
VALUES = re.compile(r"…{2,}")


def pages() -> dict[str, Callable[[], str | bytes]]:
    """The page by its path."""
    return {"messages.md": page}


def page() -> str:
    """The list as a page, a heading for each file."""
    said = {file: said_in(source) for file, source in sources()}
    return HEAD + "".join(
        f"\n## {file}\n\n" + "".join(f"- {_as_markdown(text)}\n" for text in texts)
        for file, texts in said.items()
        if texts
    )


def sources() -> Iterator[tuple[str, str]]:
    """The files that are read, sorted, each with what stands in it."""
    files = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    for file in sorted(files):
        if not file.startswith(ELSEWHERE):
            yield file, files[file].read_text("utf-8")


def said_in(source: str) -> list[str]:
    """The texts of a file, in their order."""
    return list(dict.fromkeys(_below(ast.parse(source))))


def _below(node: ast.AST) -> Iterator[str]:
    """The messages in the source below a node."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        yield from _arguments(node.exc, said=True)
    elif isinstance(node, ast.Call):
        yield from _below(node.func)
        if _name(node.func) not in DECLARING:
            yield from _arguments(node, said=_name(node.func) in SAYING)
    elif (text := _text(node)) is not None:
        if PROSE.search(text):
            yield text
        yield from _values(node)
    else:
        for child in _children(node):
            yield from _below(child)


def _arguments(call: ast.Call, said: bool) -> Iterator[str]:
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if _name(call.func) == "CautionSpec":
        code, title, *arguments = arguments
        yield f"{_text(code)}: {_text(title)}"
    for argument in arguments:
        if said and (text := _text(argument)) and not PROSE.search(text):
            yield text
        if getattr(argument, "arg", None) not in KEYWORDS:
            yield from _below(argument)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """All but docstrings, decorators and annotations."""
    skipped: list[ast.AST | None] = []
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        skipped += node.decorator_list
    if isinstance(node, ast.FunctionDef):
        skipped.append(node.returns)
    if isinstance(node, ast.arg | ast.AnnAssign):
        skipped.append(node.annotation)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, WITHOUT_TEXT):
            continue
        documents = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if child not in skipped and not documents:
            yield child


def _text(node: ast.AST) -> str | None:
    """A text as it is written, with an ellipsis for each value; None of anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return VALUES.sub("…", FIELD.sub("…", node.value))
    if isinstance(node, ast.JoinedStr):
        return VALUES.sub("…", "".join(map(_part, node.values)))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return None if left is None and right is None else f"{left or '…'}{right or '…'}"
    return None


def _part(node: ast.expr) -> str:
    """A part of a text: itself, an option as in Python, or an ellipsis."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    call = node.value if isinstance(node, ast.FormattedValue) else None
    if isinstance(call, ast.Call) and _name(call.func) in ("spelled", "spelled_both"):
        name = (_text(call.args[0]) or "").rpartition(".")[2]
        return f"{name}=…" if name else "…"
    return "…"


def _values(node: ast.AST) -> Iterator[str]:
    """The messages within the values of a text."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.FormattedValue):
            yield from _below(part.value)
        elif _text(part) is not None:
            yield from _values(part)
        else:
            yield from _below(part)


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _as_markdown(text: str) -> str:
    return re.sub(r"([\\`*_<>\[\]|#])", r"\\\1", " ".join(text.split()))


if __name__ == "__main__":
    print(page(), end="")
