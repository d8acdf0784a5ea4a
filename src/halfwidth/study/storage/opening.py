"""Opening the store of a study: creating it, or restoring its manifest."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.files import TEMPORARY, cannot_write
from halfwidth.study.storage import locks, manifest
from halfwidth.study.storage.part_files import study_hash_in
from halfwidth.study.storage.store import BROKEN, CHUNKS, FOLDERS, PARTS, Store, set_aside


def create_or_open(
    path: str | Path,
    settings: Mapping[str, Any],
    inputs: Mapping[str, str],
    columns: Mapping[str, str],
    *,
    restore: bool = False,
) -> Store:
    """Open the store of a study, or create it in a folder that is absent or empty.

    ``settings`` are all that every result depends on, as JSON values, and ``inputs`` the digests of
    the data of each instance. With ``restore`` a ``run.json`` that is damaged or gone is written
    again, if the parts are of this study. Nothing in the folder of another study, or of something
    else, is changed.
    """
    need_libraries("pyarrow", "filelock")
    folder, new = Path(path), manifest.new_manifest(settings, inputs, columns)
    notes: tuple[str, ...] = ()
    try:
        if not (folder / manifest.NAME).exists():
            _create(folder, new)
        old = manifest.read(folder)
    except manifest.DamagedManifestError as fault:
        if not restore:
            raise
        notes = (_restore_manifest(folder, new, fault),)
        old = manifest.read(folder)
    differences = manifest.differences(old, new)
    if differences:
        raise DataError(
            f"{folder}: holds another study, begun {old.begun}. "
            f"What differs, old -> new: {differences}."
            " Name another store, or go back to the old settings and data"
        )
    _make_folders(folder)
    return Store(folder, old, notes + _version_notes(old.versions, new.versions))


def open_store(path: str | Path) -> Store:
    """Open the store in a folder, of any study."""
    need_libraries("pyarrow", "filelock")
    return Store(Path(path), manifest.read(Path(path)))


def need_libraries(*libraries: str) -> None:
    """Say how to install what an installation without the extra of studies lacks."""
    for library in libraries:
        if importlib.util.find_spec(library) is None:
            raise OptionError(f"a study needs {library}: pip install 'halfwidth[study]'")


def _create(folder: Path, new: manifest.Manifest) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Another shard may be creating the store right now, or was killed while doing so.
        foreign = sorted(entry.name for entry in os.scandir(folder) if not _is_ours(entry.name))
        if foreign and not (folder / manifest.NAME).exists():
            raise DataError(
                f"{folder}: holds other files ({foreign[0]}) and is no store of a study; name an "
                "empty or a new folder"
            )
        (folder / locks.FOLDER).mkdir(exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be made ({error.strerror or error})") from None
    with locks.guarding_locks(folder):
        _make_folders(folder)
        if (folder / manifest.NAME).exists():
            return
        if any((folder / PARTS).glob("*.parquet")):
            raise manifest.damaged(folder / manifest.NAME, "is gone")
        manifest.write(folder, new, locks.DOOR)


def _is_ours(name: str) -> bool:
    names = (*FOLDERS, CHUNKS, manifest.NAME, f"{manifest.NAME}{BROKEN}")
    return name in names or (name.startswith(".") and name.endswith(TEMPORARY))


def _restore_manifest(folder: Path, new: manifest.Manifest, fault: DataError) -> str:
    """Rewrite ``run.json``, unless parts are of another study; returns a note."""
    path = folder / manifest.NAME
    with locks.guarding_locks(folder):
        parts = sorted((folder / PARTS).glob("*.parquet"))
        foreign = [part for part in parts if study_hash_in(part) not in (None, new.hash)]
        if foreign:
            raise DataError(
                f"{fault}, which this spec is not (parts/{foreign[0].name} is of another study)"
            )
        kept = set_aside(path).name if path.exists() else ""
        # Parts written before seals existed must not count as parts that lost theirs.
        Store(folder, replace(new, sealed=False)).seal(locks.DOOR)
        manifest.write(folder, new, locks.DOOR)
    before = f"was damaged (kept as {kept})" if kept else "was gone"
    return (
        f"{manifest.NAME} {before} and is restored from the spec; the date and the versions in it "
        "are those of now"
    )


def _make_folders(folder: Path) -> None:
    for name in FOLDERS:
        try:
            (folder / name).mkdir(exist_ok=True)
        except OSError as error:
            raise cannot_write(folder / name, error) from None


def _version_notes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    changed = [
        f"{name} {old.get(name)} (now {new[name]})" for name in new if old.get(name) != new[name]
    ]
    if not changed:
        return ()
    changes = ", ".join(changed)
    return (
        f"the store was begun with {changes}: what is done from here on may differ in last digits",
    )
