"""What a verb wrote, read back as its reader would: parsed, whole, and the same numbers."""

from __future__ import annotations

import base64
import io
import json
import math
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pandas as pd
from PIL import Image

__all__ = ["READERS", "numbers_of", "read_html", "read_picture", "same_numbers"]

# Of HTML, those that have no end.
VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}
NUMBERS = ("value", "low", "high", "difference", "p_value", "halfwidth")


def read_table(text: str) -> str:
    assert text.strip()
    return text


def read_json(text: str) -> str:
    # NaN and infinities are no JSON.
    json.loads(text, parse_constant=lambda name: 1 / 0 if name else None)
    return text


def read_csv(text: str) -> str:
    frame = pd.read_csv(io.StringIO(text))
    assert len(frame.columns) == len(set(frame.columns))
    return text


def read_markdown(text: str) -> str:
    """Each table has rows of as many cells."""
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, table
    return text


def read_latex(text: str) -> str:
    """Braces and environments are closed in order, and rows of a table have as many cells."""
    bare = re.sub(r"(?<!\\)%.*", "", text)
    depth = 0
    for mark in re.findall(r"(?<!\\)[{}]", bare):
        depth += 1 if mark == "{" else -1
        assert depth >= 0
    assert depth == 0
    begun: list[str] = []
    for word, name in re.findall(r"\\(begin|end)\{([^}]*)\}", bare):
        if word == "begin":
            begun.append(name)
        else:
            assert begun.pop() == name
    assert not begun
    for table in re.findall(r"\\toprule(.*?)\\bottomrule", bare, re.DOTALL):
        if "multi" not in table:
            rows = [row for row in re.split(r"\\\\", table) if "&" in row]
            assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) <= 1, table
    return bare.replace(r"$\kappa$", "κ")


class _Tags(HTMLParser):
    """Tags that are closed in the order in which they were opened, and the text between them."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.text: list[str] = []
        self.pictures: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.opened.append(tag)
        if tag == "img":
            self.pictures.append(str(dict(attrs)["src"]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Of drawings within a page."""

    def handle_endtag(self, tag: str) -> None:
        assert self.opened, tag
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.opened[-1:] not in (["style"], ["script"]):
            self.text.append(data)


def read_html(text: str) -> str:
    """The text of a page that is well formed, whose pictures can be opened."""
    tags = _Tags()
    tags.feed(text)
    tags.close()
    assert not tags.opened
    for source in tags.pictures:
        kind, _, packed = source.partition(";base64,")
        assert kind == "data:image/png"
        _opened(io.BytesIO(base64.b64decode(packed)))
    return " ".join(tags.text)


def read_picture(file: Path) -> None:
    """A picture of any kind, which is more than an empty page."""
    if file.suffix == ".png":
        _opened(io.BytesIO(file.read_bytes()))
    elif file.suffix == ".svg":
        root = ET.fromstring(file.read_text(encoding="utf-8"))  # noqa: S314
        assert root.tag.endswith("svg")
        assert len(list(root.iter())) > 20
    else:
        assert file.read_bytes().startswith(b"%PDF-")


def _opened(raw: io.BytesIO) -> None:
    with Image.open(raw) as image:
        assert min(image.size) > 40
        assert len(image.convert("RGB").getcolors(1 << 24) or ()) > 2


READERS: dict[str, Callable[[str], str]] = {
    "table": read_table,
    "json": read_json,
    "csv": read_csv,
    "markdown": read_markdown,
    "latex": read_latex,
}


def numbers_of(answer: Any) -> list[dict[str, float]]:
    """The numbers of each result of an answer as JSON."""
    lists = [each for each in answer.values() if isinstance(each, list)]
    items = [item for each in lists[:1] for item in each if isinstance(item, dict)]
    # Of rankings the models.
    items = [one for item in items for one in item.get("models", [item])]
    return [
        {name: item[name] for name in NUMBERS if isinstance(item.get(name), int | float)}
        for item in items
    ]


def same_numbers(frame: pd.DataFrame, items: list[dict[str, float]], *, within: float) -> None:
    """A frame has the numbers of an answer, row by row."""
    assert len(frame) == len(items)
    for (_, row), item in zip(frame.iterrows(), items, strict=True):
        for name in set(item) & set(frame.columns):
            assert math.isclose(row[name], item[name], rel_tol=within), (name, row[name], item)
