"""A part of a store: the rows of a chunk as Parquet; the same rows give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.study.storage.disk import BLANK_SEAL, SEAL, add_seal, seal_holds
from halfwidth.study.storage.manifest import FORMAT, Manifest


def part_metadata(name: str, digest: str, settings: str) -> dict[bytes, bytes]:
    """The metadata of the part of a chunk; ``settings`` is the hash of those all parts share."""
    entries = {"chunk": name, "digest": digest, "settings": settings, "format": FORMAT}
    return {f"halfwidth.{key}".encode(): str(text).encode() for key, text in entries.items()}


@frozen
class PartCheck:
    """The result of checking a part."""

    # What is wrong, such as ``"is damaged"``; empty if the part is sound.
    fault: str = ""
    # Whether the part has a seal. A part without one, as earlier versions wrote them, is checked by
    # the checksums of its pages, its columns and its metadata.
    sealed: bool = True


def check_part(path: Path, manifest: Manifest) -> PartCheck:
    """Check that a part is undamaged, of this study and of the chunk in its name."""
    try:
        content = path.read_bytes()
    except OSError as error:
        return PartCheck(f"cannot be read ({error.strerror or error})")
    return check_content(content, path.stem, manifest)


def study_hash_in(path: Path) -> str | None:
    """The hash of the study in the metadata of a part; None if the part is damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    metadata = _read_metadata(content)
    if metadata is None or seal_holds(content, _sealed_identity(metadata)) is False:
        return None
    return metadata.get(b"halfwidth.settings", b"").decode(errors="replace")


def check_content(content: bytes, stem: str, manifest: Manifest) -> PartCheck:
    """`check_part` for the bytes of a part; ``stem`` is its file name without the suffix."""
    if not content:
        return PartCheck("is empty")
    name, _, digest = stem.rpartition("-")
    expected = part_metadata(name, digest, manifest.hash)
    holds = seal_holds(content, _sealed_identity(expected))
    if holds:
        return PartCheck()
    if holds is None and not manifest.sealed:
        return PartCheck(_fault_without_seal(content, expected, manifest.columns), sealed=False)
    metadata = _read_metadata(content)
    if metadata is None or not seal_holds(content, _sealed_identity(metadata)):
        return PartCheck(
            "is damaged" if metadata is None or holds is False else "has lost its seal"
        )
    return PartCheck(_misplaced(metadata, expected))


def _sealed_identity(metadata: Mapping[bytes, bytes]) -> str:
    """The identity that a seal covers: a part under the name of another is not sound."""
    return " ".join(
        metadata.get(key, b"").decode(errors="replace") for key in part_metadata("", "", "")
    )


def _read_metadata(content: bytes) -> dict[bytes, bytes] | None:
    """The metadata of a part; None if its footer cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return dict(pq.read_metadata(pa.BufferReader(content)).metadata or {})
    except Exception:  # noqa: BLE001 -- damaged bytes make Arrow raise whatever they like
        return None


def _misplaced(metadata: Mapping[bytes, bytes], expected: Mapping[bytes, bytes]) -> str:
    settings, chunk = b"halfwidth.settings", b"halfwidth.chunk"
    if metadata.get(settings) != expected[settings]:
        return "belongs to another study"
    if metadata.get(chunk) != expected[chunk]:
        return f"is the part of {metadata.get(chunk, b'nothing').decode(errors='replace')}"
    return "belongs to other settings or data"


def _fault_without_seal(
    content: bytes, expected: Mapping[bytes, bytes], columns: Mapping[str, str]
) -> str:
    metadata = _read_metadata(content)
    if metadata is None:
        return "is damaged"
    if any(metadata.get(key) != text for key, text in expected.items()):
        return _misplaced(metadata, expected)
    table = _read_table(content)
    if table is None or not table.num_rows or not table.schema.equals(_schema(columns)):
        return "is damaged"
    return ""


def _read_table(content: bytes) -> Any:
    """The rows of a part; None if the checksums of its pages are wrong."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True) as file:
            return file.read(use_threads=False)
    except Exception:  # noqa: BLE001 -- damaged bytes make Arrow raise whatever they like
        return None


def seal_part(content: bytes, stem: str, manifest: Manifest) -> bytes:
    """Rewrite a checked part of an earlier version with a seal."""
    import pyarrow as pa

    name, _, digest = stem.rpartition("-")
    read, schema = _read_table(content), _schema(manifest.columns)
    # Without the additions of reading to the schema, so that the bytes are those of a run.
    arrays = [column.combine_chunks() for column in read.columns]
    table = pa.Table.from_arrays(arrays, schema=schema)
    return _encode(table, part_metadata(name, digest, manifest.hash))


TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "int64": (int, np.integer),
    "double": (int, np.integer, float, np.floating),
    "bool": (bool, np.bool_),
}


def _fits(value: Any, kind: str) -> bool:
    """Arrow would silently cut off fractions and read a text as a list of letters."""
    if kind == "list<string>":
        return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    # A boolean is an int to Python.
    return isinstance(value, TYPES[kind]) and isinstance(value, bool | np.bool_) == (kind == "bool")


def parquet(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], metadata: Mapping[bytes, bytes]
) -> bytes:
    """The bytes of a part; None is a missing value of any type.

    Rows that do not have exactly the columns are a TypeError, an error of the program.
    """
    import pyarrow as pa

    _check_rows(rows, columns)
    schema = _schema(columns)
    arrays = [
        pa.array([_plain(row[name], kind) for row in rows], schema.field(name).type)
        for name, kind in columns.items()
    ]
    return _encode(pa.Table.from_arrays(arrays, schema=schema), metadata)


def _schema(columns: Mapping[str, str]) -> Any:
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "int64": pa.int64(),
        "double": pa.float64(),
        "bool": pa.bool_(),
        "list<string>": pa.list_(pa.string()),
    }
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])


def _encode(table: Any, metadata: Mapping[bytes, bytes]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = table.replace_schema_metadata(metadata)
    sink = pa.BufferOutputStream()
    # Spelt out, so that a new default of the library does not change the bytes.
    with pq.ParquetWriter(
        sink,
        table.schema,
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=3,
        use_dictionary=True,
        write_statistics=True,
        write_page_checksum=True,
        store_schema=True,
    ) as writer:
        writer.write_table(table, row_group_size=1 << 20)
        # Only in the footer: the schema is stored twice.
        writer.add_key_value_metadata({SEAL: BLANK_SEAL})
    return add_seal(sink.getvalue().to_pybytes(), _sealed_identity(metadata))


def _check_rows(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> None:
    if not rows:
        raise TypeError("a chunk without rows")
    for row in rows:
        if row.keys() != columns.keys():
            unlike = sorted(row.keys() ^ columns.keys())
            raise TypeError(f"a row lacks, or has in addition, the columns {', '.join(unlike)}")
        for name, kind in columns.items():
            if row[name] is not None and not _fits(row[name], kind):
                raise TypeError(f"column {name} ({kind}) got {row[name]!r}")


def _plain(value: Any, kind: str) -> Any:
    """A whole number in a column of fractions may be too large for Arrow."""
    return float(value) if kind == "double" and value is not None else value
