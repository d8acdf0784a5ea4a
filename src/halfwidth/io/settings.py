"""Reading small files of settings, such as JSON and TOML."""

from __future__ import annotations

import re
from pathlib import Path

from halfwidth.core.errors import DataError
from halfwidth.io.paths import no_such_file

# Parts of a dotted key of TOML. The parser of Python keeps each of its beginnings: 40 kB of dots
# take it 1.6 GB.
MOST_PARTS = 20
_PART = r"(?:[\w-]+|\"(?:[^\"\\\n]|\\.){0,200}\"|'[^'\n]{0,200}')"
LONG_KEY = re.compile(rf"(?<![\w-])(?:{_PART}[ \t]*\.[ \t]*){{{MOST_PARTS}}}")


def small_text(path: Path, most_bytes: int) -> str:
    """The text of a settings file, which is in UTF-8 and small."""
    try:
        if path.is_dir():
            raise DataError(f"{path}: is a folder; name a file")
        if not path.exists():
            raise no_such_file(path)
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    if len(content) > most_bytes:
        raise DataError(f"{path}: is larger than {most_bytes / 1e6:g} MB; is it the right file?")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: is not text in UTF-8; is it the right file?") from None
    if not text.strip():
        raise DataError(f"{path}: the file is empty")
    return text


def small_toml(path: Path, most_bytes: int) -> str:
    """The text of a TOML file, as `small_text`, that does not fill the memory when parsed."""
    text = small_text(path, most_bytes)
    if key := LONG_KEY.search(text):
        line = text.count("\n", 0, key.start()) + 1
        raise DataError(
            f"{path}: line {line} has a key of more than {MOST_PARTS} parts; none is that long"
        )
    return text
