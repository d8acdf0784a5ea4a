"""The error for files that do not exist."""

from __future__ import annotations

from pathlib import Path

from halfwidth.core.errors import DataError, closest


def no_such_file(path: Path) -> DataError:
    """The error for a file that does not exist, with the nearest name that does."""
    there = path.parent.iterdir() if path.parent.is_dir() else ()
    # All tables end alike; what comes before says which is meant. Of several files called alike,
    # the one of this kind is.
    siblings = {p.stem: p.name for p in sorted(there, key=lambda p: p.suffix == path.suffix)}
    meant = closest(path.stem, siblings)
    proposal = f"; did you mean {siblings[meant]!r}?" if meant else ""
    return DataError(f"{path}: no such file{proposal}")
