"""Pieces of Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

# What numpydoc means as stress; any other asterisk is a sign, as in t*.
STRESSED = re.compile(r"(?<![\w*])\*\w[^*\n]*\w\*(?![\w*])")
VERBATIM = re.compile(r"(``.*?``|`[^`\n]*`)", re.DOTALL)


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; a column of which no cell says anything is left out."""
    told = [place for place in range(len(headings)) if any(row[place] for row in rows)]
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(
        "| " + " | ".join(line[place].replace("|", "\\|") for place in told) + " |"
        for line in lines
    )


def listing(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of names and what they are, whose texts stay readable on a phone."""
    return f'<div class="listing" markdown>\n\n{table(headings, rows)}\n\n</div>'


def compact(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of many narrow columns."""
    return f'<div class="compact" markdown>\n\n{table(headings, rows)}\n\n</div>'


def facts(stated: Sequence[tuple[str, str]]) -> str:
    """A table of two columns without headings; what says nothing is left out."""
    rows = [[f"**{name}**", text.replace("|", "\\|")] for name, text in stated if text]
    lines = [["", ""], ["---", "---"], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bullets(items: Sequence[str]) -> str:
    """A list."""
    return "\n".join(f"- {item}" for item in items)


def fenced(language: str, text: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"


def prose(text: str) -> str:
    """The prose of a docstring: signs of formulas are kept from becoming marks."""
    parts = VERBATIM.split(text)
    return "".join(part if place % 2 else _signs(part) for place, part in enumerate(parts))


def sentence(text: str) -> str:
    """A phrase with a capital, unless it begins with a symbol such as β, and a full stop."""
    if not text:
        return ""
    ended = text if text.endswith(("...", "?")) else f"{text.rstrip('.')}."
    return ended[0].upper() + ended[1:] if ended[0].isascii() else ended


def heading(title: str) -> str:
    """A title with a capital, unless its first word is a symbol or has one: t, clDice."""
    first = title.partition(" ")[0]
    return f"{title[:1].upper()}{title[1:]}" if len(first) > 1 and first.islower() else title


def page(*parts: str) -> str:
    """Parts with a line between them, the empty ones left out."""
    return "\n\n".join(part for part in parts if part) + "\n"


def _signs(text: str) -> str:
    kept = STRESSED.findall(text)
    between = STRESSED.split(text)
    # Markdown knows no backslash before "<".
    escaped = [re.sub(r"([*_])", r"\\\1", part).replace("<", "&lt;") for part in between]
    return "".join(one + after for one, after in zip(escaped, [*kept, ""], strict=True))
