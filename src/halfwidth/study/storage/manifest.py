"""``run.json``: which study a store belongs to, and how two studies differ."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from halfwidth import __version__
from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.core.rng import CONTRACT
from halfwidth.study.storage.disk import parse_json, seal_holds, write_json

NAME = "run.json"
# Version of the store: changes with its files and columns.
FORMAT = 1
LIBRARIES = ("numpy", "scipy", "pyarrow")
# The most differences shown, and the most letters of each.
SHOWN, LONGEST = 4, 60
ABSENT = object()


class DamagedManifestError(DataError):
    """``run.json`` exists but is damaged."""


@frozen
class Manifest:
    """The settings that all parts of a store share."""

    # As parsed from JSON.
    settings: dict[str, Any]
    # Digest of the data of each instance.
    inputs: dict[str, str]
    # Type of each column of a part: string, int64, double, bool, list<string>.
    columns: dict[str, str]
    # Of halfwidth, numerical libraries and Python when the store was begun.
    versions: dict[str, str | None]
    # ISO 8601, in universal time.
    begun: str
    # Version of the rules of random draws; parts of different versions do not mix.
    draws: int = CONTRACT
    # Whether all files of the store have seals, which earlier versions did not write.
    sealed: bool = True

    @property
    def hash(self) -> str:
        """16 hexadecimal digits of the format, the settings, the inputs and the columns."""
        hashed: list[Any] = [FORMAT, self.settings, self.inputs, self.columns]
        # The first rules were not named.
        hashed += [self.draws] if self.draws > 1 else []
        # Arrow keeps the order of columns, and so does the hash.
        text = json.dumps([*hashed, list(self.columns)], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def new_manifest(
    settings: Mapping[str, Any], inputs: Mapping[str, str], columns: Mapping[str, str]
) -> Manifest:
    """The manifest of a study that begins now."""
    plain: dict[str, Any] = json.loads(json.dumps(settings))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Manifest(plain, dict(inputs), dict(columns), versions(), now)


def versions() -> dict[str, str | None]:
    """Versions of halfwidth, Python and the numerical libraries; None for a missing one."""
    return {
        "halfwidth": __version__,
        "python": platform.python_version(),
        **{library: _version(library) for library in LIBRARIES},
    }


def _version(library: str) -> str | None:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return None


def write(store: Path, manifest: Manifest, writer: str) -> None:
    """Write ``run.json``."""
    content = {
        "format": FORMAT,
        "begun": manifest.begun,
        "seed": manifest.settings.get("seed"),
        "hash": manifest.hash,
        "versions": manifest.versions,
        "platform": f"{platform.platform()}, {sys.byteorder} endian",
        "settings": manifest.settings,
        "inputs": manifest.inputs,
        "columns": manifest.columns,
        "draws": manifest.draws,
    }
    write_json(store / NAME, content, writer)


def seal(store: Path, writer: str) -> None:
    """Seal ``run.json``, once all parts of its store have seals."""
    write_json(store / NAME, read_content(store), writer)


def read(store: Path) -> Manifest:
    """Read ``run.json``; a `DamagedManifestError` if it is damaged."""
    return _parse_manifest(*_content(store), store / NAME)


def read_content(store: Path) -> dict[str, Any]:
    """The checked content of ``run.json``; raises like `read`."""
    content, sealed = _content(store)
    _parse_manifest(content, sealed, store / NAME)
    return content


def _content(store: Path) -> tuple[dict[str, Any], bool]:
    """The content of ``run.json``, and whether it has a seal."""
    path = store / NAME
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataError(
            f"{store}: no store of a study (it holds no {NAME}); 'halfwidth study run' makes one"
        ) from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    holds = seal_holds(content)
    if holds is False:
        raise damaged(path, "has been changed since it was written: its seal does not hold")
    parsed = parse_json(content)
    if parsed is None:
        raise damaged(path, "cannot be read as JSON")
    return parsed, holds is True


def _parse_manifest(content: Mapping[str, Any], sealed: bool, path: Path) -> Manifest:
    if content.get("format") != FORMAT:
        raise DataError(
            f"{path.parent}: is a store of format {content.get('format')!r}, this halfwidth "
            f"({__version__}) writes and reads format {FORMAT}: name another store, or use the "
            "version that made it"
        )
    try:
        parsed = Manifest(
            settings=dict(content["settings"]),
            inputs=dict(content["inputs"]),
            columns=dict(content["columns"]),
            versions=dict(content["versions"]),
            begun=str(content["begun"]),
            draws=int(content.get("draws", 1)),
            sealed=sealed,
        )
    except (KeyError, TypeError, ValueError):
        raise damaged(path, "lacks required entries") from None
    if parsed.hash != content.get("hash"):
        raise damaged(path, "has been changed by hand: its hash is not that of its settings")
    return parsed


def damaged(path: Path, fault: str) -> DamagedManifestError:
    """The error for a damaged ``run.json``."""
    return DamagedManifestError(
        f"{path}: {fault}; 'halfwidth study run' with the spec of this study restores it"
    )


# --------------------------------------------------------------------------- differences


def differences(old: Manifest, new: Manifest) -> str:
    """The differences between two studies, old -> new, in a few words; empty if there are none."""
    changes = [
        *_changes("", old.settings, new.settings),
        *_changes("data of ", old.inputs, new.inputs, hashed=True),
    ]
    if list(old.columns.items()) != list(new.columns.items()):
        changes.append("the columns of results (another version of halfwidth)")
    if old.draws != new.draws:
        changes.append(f"the rules of draws, {old.draws} -> {new.draws} (another halfwidth)")
    more = f"; and {len(changes) - SHOWN} more" if len(changes) > SHOWN else ""
    return "; ".join(changes[:SHOWN]) + more


def _changes(
    where: str, old: Mapping[str, Any], new: Mapping[str, Any], *, hashed: bool = False
) -> Iterator[str]:
    for name in sorted({*old, *new}):
        before, after = old.get(name, ABSENT), new.get(name, ABSENT)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _changes(f"{where}{name}.", before, after)
        elif hashed and ABSENT not in (before, after):
            yield f"{where}{name} changed"
        else:
            yield f"{where}{name} {_change(before, after, hashed=hashed)}"


def _change(before: Any, after: Any, *, hashed: bool) -> str:
    if hashed:
        return "is new" if before is ABSENT else "is gone"
    if isinstance(before, list) and isinstance(after, list):
        removed = [value for value in before if value not in after]
        added = [value for value in after if value not in before]
        if removed or added:
            texts = [f"without {_short(removed)}"] if removed else []
            return ", ".join([*texts, f"with {_short(added)}"] if added else texts)
    return f"{_short(before)} -> {_short(after)}"


def _short(value: Any) -> str:
    if value is ABSENT:
        return "(not given)"
    if isinstance(value, list):
        text = ", ".join(map(_short, value))
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
