"""The errors for files that do not exist."""

from __future__ import annotations

import errno
from pathlib import Path

from halfwidth.core.errors import DataError, closest


def no_such_file(path: Path) -> DataError:
    """The error for a file that does not exist, with the nearest name that does."""
    if link := link_to_nothing(path):
        return link
    there = list(path.parent.iterdir()) if path.parent.is_dir() else []
    # All tables end alike; what comes before says which is meant: of this kind one with a similar
    # name, of another kind one with the same.
    alike = {p.stem: p.name for p in there if p.suffix == path.suffix}
    others = {p.stem: p.name for p in there if p.stem == path.stem}
    meant = alike.get(closest(path.stem, alike) or "") or others.get(path.stem)
    proposal = f"; did you mean {meant!r}?" if meant else ""
    return DataError(f"{path}: no such file{proposal}")


def link_to_nothing(path: Path) -> DataError | None:
    """The error for a link that leads in a circle or to nothing; None for another path."""
    try:
        path.stat()
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.ELOOP:
            return DataError(f"{path}: a link that leads back to itself, and to no file")
    if not path.exists() and path.is_symlink():
        return DataError(f"{path}: a link to {path.readlink()}, where nothing is")
    return None
