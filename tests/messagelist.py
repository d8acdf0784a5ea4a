"""The list of all messages, read from the source; and what of a text is in none of them."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
from pathlib import Path

from pages import messages

import halfwidth as hw

# Between the words of a message: options as Python spells them, and values, which may be inflected.
VALUE = re.compile(r"\b\w+=…|…\w*")
# Three words in a row are no value, unless it is a list.
WORDS = re.compile(r"(?<![\w'/.-])[a-z]{2,}(?: (?!and |or )[a-z]{2,}){2,}(?![\w'/.-])")
# What libraries and the help of options say within a message.
BY_OTHERS = re.compile(
    r"(?:(?<=cannot be read as Parquet )|(?<=cut short ))\(.*\)|(?<=is missing: ).*(?= Try ')"
)
# What begins each message on stderr, which may go on in further lines.
BEGINNING = re.compile(r"^halfwidth: ", re.MULTILINE)
# A message of fewer letters ("… is not …") must be all that is said beside two values, since its
# words stand in many a text.
FEW_LETTERS = 10

# What was read from each file, by a hash of it: most are as they were when tests ran last.
KEPT = Path(__file__).parents[1] / "build" / "messages.json"


@functools.cache
def texts() -> list[str]:
    """The texts of all files, as they are written."""
    kept: dict[str, list[str]] = {}
    with contextlib.suppress(OSError, ValueError):
        kept = json.loads(KEPT.read_text("utf-8"))
    reader = Path(messages.__file__).read_text("utf-8")
    hashes = {
        hashlib.sha256(f"{reader}{source}".encode()).hexdigest(): source
        for _, source in messages.sources()
    }
    read = {
        key: kept[key] if key in kept else messages.said_in(source)
        for key, source in hashes.items()
    }
    if read != kept:
        with contextlib.suppress(OSError):
            KEPT.parent.mkdir(exist_ok=True)
            beside = KEPT.with_suffix(f".{os.getpid()}")
            beside.write_text(json.dumps(read), "utf-8")
            beside.replace(KEPT)
    return [text for said in read.values() for text in said]


@functools.cache
def entries() -> tuple[list[tuple[str, list[str]]], list[list[str]]]:
    """The words of each message between its values, and names of metrics: long ones, short ones.

    Long ones with the longest of their parts.
    """
    catalogues = (hw.METRICS, hw.SAMPLE_METRICS, hw.DETECTION_METRICS)
    said = [" ".join(text.split()) for text in texts()]
    said += [spec.called for catalogue in catalogues for spec in catalogue]
    constant = [[part.strip() for part in VALUE.split(text)] for text in dict.fromkeys(said)]
    each = [[part for part in parts if re.search(r"\w", part)] for parts in constant]
    each.sort(key=_letters, reverse=True)
    return (
        [(max(parts, key=len), parts) for parts in each if _letters(parts) >= FEW_LETTERS],
        [parts for parts in each if 0 < _letters(parts) < FEW_LETTERS],
    )


def unlisted(printed: str) -> list[str]:
    """Words in a row that are of no message in the list."""
    return [words for text in BEGINNING.split(printed) for words in _unlisted(text)]


def _letters(parts: list[str]) -> int:
    return len(re.sub(r"\W", "", "".join(parts)))


def _unlisted(text: str) -> list[str]:
    rest, before = BY_OTHERS.sub("", " ".join(text.split())), ""
    if not WORDS.search(rest):
        return []
    long, short = entries()
    # What is not there at first is not there later: what is taken out leaves a mark. Most of the
    # thousands lack their longest part.
    held = [parts for longest, parts in long if longest in rest]
    there = [parts for parts in held if all(part in rest for part in parts)]
    while rest != before:
        before = rest
        for parts in there:
            rest = _without(rest, parts)
    return [
        words
        for piece in rest.split("|")
        for words in WORDS.findall(piece)
        if all(WORDS.search(_without(piece, parts)) for parts in short)
    ]


def _without(text: str, parts: list[str]) -> str:
    """A text without the parts of a message, if they stand there in their order."""
    if not all(part in text for part in parts):
        return text
    kept, end = [], 0
    for part in parts:
        found = _at_the_start_of_a_word(part).search(text, end)
        if not found:
            return text
        kept.append(text[end : found.start()])
        end = found.end()
    return "|".join([*kept, text[end:]])


@functools.cache
def _at_the_start_of_a_word(part: str) -> re.Pattern[str]:
    return re.compile((r"(?<!\w)" if part[0].isalnum() else "") + re.escape(part))
