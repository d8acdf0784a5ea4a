"""Damage that knows what it damages: values of JSON, cells and words of text, members of archives.

Random bytes rarely get past a checksum or a parser; these do, and reach what comes behind.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import warnings
import zipfile
from collections.abc import Mapping
from typing import Any

from fuzzfiles import TOKENS, Source, damaged, value_of

__all__ = ["damage_in_kind", "zip_of"]

# Numbers and names that a reader may stumble over, wherever a word stood.
EXTREMES = (
    *("-1", "0", "1", "255", "256", "65536", "2147483647", "2147483648", "4294967296"),
    *("9223372036854775808", "18446744073709551616", "1e308", "-1e-320", "1e400", "NaN", "inf"),
)
WORD = re.compile(rb"[A-Za-z0-9_.+-]+")
NAMES = (
    *(
        "../../etc/passwd",
        "/etc/passwd",
        "C:\\x",
        "..\\x",
        "a/../../b",
        "x" * 3000,
        "",
        "a\0b",
        ".",
    ),
    *("samples/1_epoch_1.json", "xl/workbook.xml", "xl/sharedStrings.xml", "header.json", "é\n"),
)
ZIP, GZIP, PARQUET = b"PK\x03\x04", b"\x1f\x8b", b"PAR1"
DEEP = 3000


def damage_in_kind(r: Source, content: bytes, depth: int = 0) -> bytes:
    """A few faults in a file, inside what it is: archive, compressed data, JSON or text."""
    if depth > 2 or not content:
        return damaged(r, content)
    for beginning, damage in ((GZIP, _in_gzip), (ZIP, _in_zip)):
        if content.startswith(beginning):
            return damage(r, content, depth)
    ways = [damaged]
    if content.startswith(PARQUET):
        ways += [_in_parquet] * 4
    elif content.lstrip()[:1] in (b"{", b"["):
        ways += [_in_json, _in_json, _in_words]
    elif b"\0" not in content[:2000]:
        ways += [_in_words, _in_lines]
    return r.choice(ways)(r, content)


def _in_parquet(r: Source, content: bytes) -> bytes:
    """A byte or a few of the pages of data, or of the directory at the end, are others."""
    length = int.from_bytes(content[-8:-4], "little")
    footer = max(len(content) - 8 - length, 4)
    start, stop = (4, footer) if r.random() < 0.5 else (footer, len(content) - 8)
    made = bytearray(content)
    for _ in range(r.choice([1, 1, 2, 3])):
        place = r.randrange(start, max(stop, start + 1))
        made[place : place + 1] = bytes([r.choice([0, 1, 127, 128, 255, r.randrange(256)])])
    return bytes(made)


# --------------------------------------------------------------------------- text


def _in_words(r: Source, content: bytes) -> bytes:
    """Words of text, names and numbers alike, are others."""
    words = [match.span() for match in WORD.finditer(content[: 1 << 16])]
    if not words:
        return damaged(r, content)
    chosen = sorted(r.sample(words, min(len(words), r.choice([1, 1, 2, 5]))), reverse=True)
    made = bytearray(content)
    for start, stop in chosen:
        new = r.choice(
            [
                r.choice(EXTREMES),
                r.choice(TOKENS),
                content[slice(*r.choice(words))].decode("latin1"),
            ]
        )
        made[start:stop] = new.encode("utf-8", "replace")
    return bytes(made)


def _in_lines(r: Source, content: bytes) -> bytes:
    """Lines are gone, doubled, swapped, or have cells of others."""
    lines = content.splitlines(keepends=True)
    for _ in range(r.choice([1, 1, 2, 4])):
        place, other = r.randrange(len(lines)), r.randrange(len(lines))
        separator = r.choice([b",", b"\t", b";"])
        cells = lines[place].split(separator)
        what = r.randrange(6)
        if what == 0 and len(lines) > 1:
            del lines[place]
        elif what == 1:
            lines[place:place] = lines[other : other + 1] * r.choice([1, 1, 30])
        elif what == 2:
            lines[place], lines[other] = lines[other], lines[place]
        elif what == 3:
            cells.insert(r.randrange(len(cells) + 1), r.choice(cells))
            lines[place] = separator.join(cells)
        elif what == 4:
            del cells[r.randrange(len(cells))]
            lines[place] = separator.join(cells)
        else:
            lines[place] = lines[place].rstrip(b"\r\n") + r.choice([b"", b"\r", b"\n\n", b'"\n'])
    return b"".join(lines)


# --------------------------------------------------------------------------- JSON


def _in_json(r: Source, content: bytes) -> bytes:
    """Values, keys and branches of the documents are others, gone, doubled or deep."""
    try:
        documents = [json.loads(content)]
    except (ValueError, RecursionError):
        return _in_json_lines(r, content)
    text = json.dumps(_changed_node(r, documents[0]), indent=r.choice([None, 1]))
    return _with_odd_text(r, text).encode("utf-8", "surrogatepass")


def _in_json_lines(r: Source, content: bytes) -> bytes:
    lines = content.splitlines()
    place = r.randrange(len(lines))
    try:
        node = json.loads(lines[place])
    except (ValueError, RecursionError):
        return _in_lines(r, content)
    lines[place] = _with_odd_text(r, json.dumps(_changed_node(r, node))).encode("utf-8", "replace")
    return b"\n".join(lines) + b"\n"


def _changed_node(r: Source, document: Any) -> Any:
    """The document with one to four of its nodes changed."""
    for _ in range(r.choice([1, 1, 2, 4])):
        places = list(_places(document))
        if not places:
            return value_of(r)
        holder, key = r.choice(places)
        _change(r, holder, key, places)
    return document


def _places(node: Any) -> Any:
    """Every holder of a value and the key under which it has it."""
    waiting = [node]
    while waiting:
        holder = waiting.pop()
        keys = (
            holder
            if isinstance(holder, dict)
            else range(len(holder))
            if isinstance(holder, list)
            else ()
        )
        for key in keys:
            yield holder, key
            waiting.append(holder[key])


def _change(r: Source, holder: Any, key: Any, places: list[tuple[Any, Any]]) -> None:
    other_holder, other_key = r.choice(places)
    try:
        other = json.loads(json.dumps(other_holder[other_key]))
    except (IndexError, KeyError, ValueError):
        other = None
    what = r.randrange(8)
    if what == 0:
        del holder[key]
    elif what == 1:
        holder[key] = value_of(r)
    elif what == 2:
        holder[key] = other
    elif what == 3:
        number = r.choice([float("nan"), float("inf"), -1, 10**400, 2**64, 1e308, -0.0, True])
        holder[key] = number
    elif what == 4:
        holder[key] = r.choice([None, str(holder[key]), [holder[key]], {"0": holder[key]}, {}, []])
    elif what == 5 and isinstance(holder, dict):
        holder[r.choice([*TOKENS, *NAMES, str(other_key)])] = holder.pop(key)
    elif what == 6 and isinstance(holder, list):
        holder[key:key] = [other] * r.choice([1, 2, 200])
    else:
        holder[key] = r.choice(TOKENS)


def _with_odd_text(r: Source, text: str) -> str:
    """JSON of which a part is nothing that a writer would write."""
    if r.random() > 0.1:
        return text
    place = r.randrange(len(text) + 1)
    odd = r.choice(
        [
            "[" * DEEP, '{"a":' * DEEP, "[" * DEEP + "]" * DEEP, "9" * 6000, "1e" + "9" * 300, ",",
            '"\\ud800"', "/* */", "'", "\ufeff", "\0", "[1," * 50, '{"a":1,"a":2}',
        ]
    )  # fmt: skip
    return text[:place] + odd + text[place:]


# --------------------------------------------------------------------------- archives


def _in_gzip(r: Source, content: bytes, depth: int) -> bytes:
    what = r.randrange(8)
    if what == 0:
        return damaged(r, content)
    if what == 1:
        return content + r.choice([content, gzip.compress(b"x,y\n1,2\n"), b"\0" * 99, b"junk"])
    if what == 2:
        return content[: r.randrange(len(content))]
    try:
        inner = gzip.decompress(content)
    except (OSError, EOFError):
        return damaged(r, content)
    if what == 3:
        inner += r.choice([b"\0", b"\n", b"0,", b" "]) * r.choice([10**4, 2 * 10**6])
        return gzip.compress(inner, 1, mtime=0)
    return gzip.compress(damage_in_kind(r, inner, depth + 1), 1, mtime=0)


Members = dict[str, bytes]


def _in_zip(r: Source, content: bytes, depth: int) -> bytes:
    """An archive whose checksums hold, of members that are others; or of lies about them."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as given:
            members: Members = {name: given.read(name) for name in given.namelist()}
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError):
        return damaged(r, content)
    what = r.randrange(10)
    if what == 0 or not members:
        return damaged(r, content)
    hit = r.choice(sorted(members))
    if what == 1:
        del members[hit]
    elif what == 2:
        members[r.choice(NAMES) or "x"] = members.pop(hit) if r.random() < 0.5 else members[hit]
    elif what == 3:
        members[hit] = r.choice([b"", b"\0" * 3 * 10**7, b"[" * DEEP, content])
    elif what == 4:
        members |= {f"{r.choice(['', 'samples/', 'xl/'])}{i}.json": b"{}" for i in range(2000)}
    else:
        members[hit] = damage_in_kind(r, members[hit], depth + 1)
    method = r.choice([zipfile.ZIP_DEFLATED] * 4 + [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2])
    made = zip_of(members, method, twice=hit if what == 5 and hit in members else None)
    return _with_lies(r, made) if what == 9 else made


def zip_of(
    members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED, twice: str | None = None
) -> bytes:
    """An archive of some members, one of them there twice if it is to be."""
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w", method, compresslevel=1) as out:
        # That a name is there twice is what is meant.
        warnings.simplefilter("ignore")
        for name, content in members.items():
            for _ in range(2 if name == twice else 1):
                out.writestr(name.replace("\0", ""), content)
    return made.getvalue()


def _with_lies(r: Source, archive: bytes) -> bytes:
    """The directory of an archive says other sizes, methods, flags or places."""
    found = [match.start() for match in re.finditer(rb"PK\x01\x02|PK\x03\x04|PK\x05\x06", archive)]
    made = bytearray(archive)
    start = r.choice(found)
    place = start + r.choice([6, 8, 10, 14, 16, 18, 20, 22, 24, 26, 28, 30, 42])
    width = r.choice([1, 2, 4])
    value = r.choice([0, 1, 8, 9, 93, 99, 255, 65535, 2**31, 2**32 - 1, r.randrange(2**32)])
    made[place : place + width] = (value % 256**width).to_bytes(width, "little")
    return bytes(made)
