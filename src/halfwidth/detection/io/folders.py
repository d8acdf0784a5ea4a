"""Folders with a file for each image."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path

from halfwidth.core.errors import DataError, shortened
from halfwidth.core.natural_order import natural_key

# Bytes of a file of objects of one image.
MOST_BYTES = 2 * 10**7


def files_in(folder: Path, suffix: str) -> list[Path]:
    """The files of a suffix, in the order of their names; hidden ones are none."""
    files = [
        file
        for file in folder.iterdir()
        if file.suffix.lower() == suffix and not file.name.startswith(".") and file.is_file()
    ]
    return sorted(files, key=lambda file: natural_key(file.name))


def image_names(files: Sequence[Path]) -> list[str]:
    """What the images are called whose objects the files hold: by the names of these."""
    names: dict[str, Path] = {}
    for file in files:
        try:
            file.stem.encode()
        except UnicodeEncodeError:
            raise DataError(
                f"the name {str(file.name)!r} is not text in UTF-8; rename it"
            ) from None
        # macOS decomposes accents, other systems do not.
        name = unicodedata.normalize("NFC", file.stem)
        if name in names:
            raise DataError(
                f"{names[name].name!r} and {file.name!r} both describe image {name!r}; keep one"
            )
        names[name] = file
    return list(names)


def small_bytes(file: Path) -> bytes:
    """What a file of one image holds."""
    with file.open("rb") as opened:
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise DataError(
            f"{file.name} is larger than {MOST_BYTES / 1e6:g} MB; is it a list of objects?"
        )
    return content


def no_such_files(folder: Path, suffix: str) -> DataError:
    """The error for a folder without such files."""
    there = sorted(one.name for one in folder.iterdir() if not one.name.startswith("."))
    return DataError(f"no {suffix} files are there (it holds {shortened(there, 4) or 'nothing'})")
