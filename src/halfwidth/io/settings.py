"""Reading small files of settings, such as JSON and TOML."""

from __future__ import annotations

from pathlib import Path

from halfwidth.core.errors import DataError
from halfwidth.io.paths import no_such_file


def small_text(path: Path, most_bytes: int) -> str:
    """The text of a settings file, which is in UTF-8 and small.

    Raises
    ------
    DataError
        If it does not exist, cannot be read, or is neither.
    """
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
