"""JSON that anybody may have written, read within limits.

A parser for JSON takes what it is given: a file of brackets fills the memory or the stack. Size,
nesting and the number of values are checked on the bytes, before anything is built of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, shown
from halfwidth.io.table_sources import Source, blocks

# A value takes some two hundred bytes once it is parsed, and the text up to four for each of its
# own, and as much again as a row of the table: with these, a table stays below 2 GB.
MOST_BYTES = 2 * 10**8
MOST_VALUES = 25 * 10**5
MOST_DEPTH = 200
# One line of a file that holds a document in each.
MOST_LINE = 5 * 10**7
BLOCK = 1 << 20
QUOTE, COMMA = ord('"'), ord(",")
NOT_STRUCTURE = bytes(set(range(256)) - set(b'"[]{},'))
# What each byte adds to the depth.
STEPS = np.zeros(256, dtype=np.int32)
STEPS[list(b"[{")], STEPS[list(b"]}")] = 1, -1


def json_document(
    source: Source, *, most_bytes: int | None = None, most_values: int | None = None
) -> Any:
    """The document of a file; NaN and Infinity may stand for numbers."""
    parts, total, allowed = [], 0, most_bytes or MOST_BYTES
    for block in blocks(source):
        total += len(block)
        if total > allowed:
            raise DataError(
                f"is JSON of more than {allowed // 10**6} MB, which is too large to read"
            )
        parts.append(block)
    return parsed_json(b"".join(parts), most_values=most_values)


def json_lines(source: Source) -> Iterator[tuple[int, Any]]:
    """The documents of a file with one in each line, and the number of each line."""
    number, begun = 0, b""
    for block in blocks(source):
        *lines, begun = (begun + block).split(b"\n")
        if len(begun) > MOST_LINE:
            raise DataError(
                f"line {number + len(lines) + 1} is longer than {MOST_LINE // 10**6} MB"
            )
        for line in lines:
            number += 1
            if line.strip():
                yield number, parsed_json(line, f"line {number} ")
    if begun.strip():
        yield number + 1, parsed_json(begun, f"line {number + 1} ")


def parsed_json(data: bytes, where: str = "", *, most_values: int | None = None) -> Any:
    """What some bytes of JSON say, as `json_document`; ``where`` begins the messages."""
    try:
        encoding = json.detect_encoding(data)
        if not encoding.startswith("utf-8"):
            data = data.decode(encoding).encode("utf-8", "replace")
        _check_structure(data, where, most_values or MOST_VALUES)
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once_each)
    except UnicodeDecodeError:
        raise DataError(f"{where}is not text in UTF-8, as JSON is") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise DataError(f"{where}is not JSON, or cut short ({error.msg}, {place})") from None
    except (RecursionError, MemoryError):
        raise DataError(f"{where}is JSON that is nested too deeply or too large") from None
    except ValueError as error:
        if isinstance(error, DataError):
            raise DataError(f"{where}{error}") from None
        # Python refuses whole numbers of thousands of digits.
        raise DataError(f"{where}holds a number with too many digits") from None


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different: of two values under one key, neither is right."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise DataError(f"has the key {shown(repeated)} twice in one object")
    return entries


def _check_structure(data: bytes, where: str, most_values: int) -> None:
    """Refuse what would take too much memory or stack, from its brackets and commas alone."""
    # Most documents have few brackets, wherever these stand.
    brackets = data.count(b"[") + data.count(b"{")
    if brackets <= MOST_DEPTH and brackets + data.count(b",") <= most_values:
        return
    unescaped = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    structure = unescaped.translate(None, NOT_STRUCTURE)
    depth, values, in_text = 0, 0, 0
    for start in range(0, len(structure), BLOCK):
        codes = np.frombuffer(structure, np.uint8, min(BLOCK, len(structure) - start), start)
        quotes = np.cumsum(codes == QUOTE) + in_text
        outside = quotes % 2 == 0
        steps = np.where(outside, STEPS[codes], 0)
        deepest = depth + int(np.cumsum(steps).max(initial=0))
        depth, in_text = depth + int(steps.sum()), int(quotes[-1]) % 2
        values += int(np.count_nonzero(outside & ((codes == COMMA) | (steps > 0))))
        if deepest > MOST_DEPTH:
            raise DataError(
                f"{where}is nested deeper than {MOST_DEPTH} levels; no known result file is"
            )
        if values > most_values:
            raise DataError(
                f"{where}holds more than {most_values} values, which is too many to read"
            )
