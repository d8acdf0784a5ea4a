"""One part of a store: the rows of a chunk as Parquet, the same bytes for the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.study.storage import seals
from halfwidth.study.storage.manifest import FORMAT, Manifest

__all__ = [
    "Checked",
    "check_content",
    "check_part",
    "metadata_of",
    "parquet",
    "study_of",
    "with_seal",
]


def metadata_of(name: str, digest: str, settings: str) -> dict[bytes, bytes]:
    """What a part says of itself.

    Parameters
    ----------
    name, digest : str
        Of the chunk.
    settings : str
        Hash of what all parts have in common.
    """
    said = {"chunk": name, "digest": digest, "settings": settings, "format": FORMAT}
    return {f"halfwidth.{key}".encode(): str(text).encode() for key, text in said.items()}


@dataclass(frozen=True)
class Checked:
    """What reading a part as a whole showed.

    Attributes
    ----------
    fault : str
        What is wrong with it, such as ``"is damaged"``; empty if it is sound.
    sealed : bool
        Whether that was told by its seal. A part without one, as earlier versions wrote them, is
        checked by its pages' checksums, its columns and what it says that it is of.
    """

    fault: str = ""
    sealed: bool = True


def check_part(path: Path, of: Manifest) -> Checked:
    """Whether a part is what was written, of the chunk that it is named after, of this study."""
    try:
        content = path.read_bytes()
    except OSError as error:
        return Checked(f"cannot be read ({error.strerror or error})")
    return check_content(content, path.stem, of)


def study_of(path: Path) -> str | None:
    """The hash of the study that a part is of, by its own words; None if it is not whole."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    said = _metadata_in(content)
    if said is None or seals.holds(content, _seal_of(said)) is False:
        return None
    return said.get(b"halfwidth.settings", b"").decode(errors="replace")


def check_content(content: bytes, stem: str, of: Manifest) -> Checked:
    """The same of the bytes of a part; ``stem`` is the name of its file without the suffix."""
    if not content:
        return Checked("is empty")
    name, _, digest = stem.rpartition("-")
    wanted = metadata_of(name, digest, of.hash)
    holds = seals.holds(content, _seal_of(wanted))
    if holds:
        return Checked()
    if holds is None and not of.sealed:
        return Checked(_fault_without_seal(content, wanted, of.columns), sealed=False)
    said = _metadata_in(content)
    if said is None or not seals.holds(content, _seal_of(said)):
        return Checked("is damaged" if said is None or holds is False else "has lost its seal")
    return Checked(_misplaced(said, wanted))


def _seal_of(metadata: Mapping[bytes, bytes]) -> str:
    """What a seal binds a part to: a sound part under the name of another is no sound part."""
    return " ".join(
        metadata.get(key, b"").decode(errors="replace") for key in metadata_of("", "", "")
    )


def _metadata_in(content: bytes) -> dict[bytes, bytes] | None:
    """What a part says of itself; None if its footer cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return dict(pq.read_metadata(pa.BufferReader(content)).metadata or {})
    except Exception:  # noqa: BLE001 -- damaged bytes make Arrow raise whatever they like
        return None


def _misplaced(said: Mapping[bytes, bytes], wanted: Mapping[bytes, bytes]) -> str:
    settings, chunk = b"halfwidth.settings", b"halfwidth.chunk"
    if said.get(settings) != wanted[settings]:
        return "is of another study"
    if said.get(chunk) != wanted[chunk]:
        return f"is the part of {said.get(chunk, b'nothing').decode(errors='replace')}"
    return "is of other settings or data"


def _fault_without_seal(
    content: bytes, wanted: Mapping[bytes, bytes], columns: Mapping[str, str]
) -> str:
    said = _metadata_in(content)
    if said is None:
        return "is damaged"
    if any(said.get(key) != text for key, text in wanted.items()):
        return _misplaced(said, wanted)
    table = _table_of(content)
    if table is None or not table.num_rows or not table.schema.equals(_schema(columns)):
        return "is damaged"
    return ""


def _table_of(content: bytes) -> Any:
    """The rows of a part; None if its pages do not have the checksums that they should have."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True) as file:
            return file.read(use_threads=False)
    except Exception:  # noqa: BLE001 -- damaged bytes make Arrow raise whatever they like
        return None


def with_seal(content: bytes, stem: str, of: Manifest) -> bytes:
    """A part from before there were seals, once it has been checked, as it is written now."""
    import pyarrow as pa

    name, _, digest = stem.rpartition("-")
    read, schema = _table_of(content), _schema(of.columns)
    # Without what reading adds to the schema: the bytes are those that a run writes.
    arrays = [column.combine_chunks() for column in read.columns]
    table = pa.Table.from_arrays(arrays, schema=schema)
    return _encoded(table, metadata_of(name, digest, of.hash))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or isinstance(value, float | np.floating)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)


# Arrow would cut off fractions, and take a text for a list of letters, without a word.
FITS: dict[str, Callable[[Any], bool]] = {
    "string": _is_text,
    "int64": _is_whole,
    "double": _is_number,
    "bool": _is_truth,
    "list<string>": _is_texts,
}


def parquet(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], metadata: Mapping[bytes, bytes]
) -> bytes:
    """The bytes of a part.

    Parameters
    ----------
    rows : sequence of mapping
        Each has all columns and no other; None is a missing value of any type.
    columns : mapping
        Type of each column: string, int64, double, bool, list<string>.
    metadata : mapping
        See `metadata_of`.

    Raises
    ------
    TypeError
        If rows do not fit the columns; whoever made them is wrong, not the user.
    """
    import pyarrow as pa

    _check_rows(rows, columns)
    schema = _schema(columns)
    arrays = [
        pa.array([_plain(row[name], kind) for row in rows], schema.field(name).type)
        for name, kind in columns.items()
    ]
    return _encoded(pa.Table.from_arrays(arrays, schema=schema), metadata)


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


def _encoded(table: Any, metadata: Mapping[bytes, bytes]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = table.replace_schema_metadata(metadata)
    sink = pa.BufferOutputStream()
    # Written out, so that a new default of the library does not change the bytes.
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
        # Into the footer alone: the schema is kept twice.
        writer.add_key_value_metadata({seals.NAME: seals.BLANK})
    return seals.sealed(sink.getvalue().to_pybytes(), _seal_of(metadata))


def _check_rows(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> None:
    if not rows:
        raise TypeError("a chunk without rows")
    for row in rows:
        if row.keys() != columns.keys():
            unlike = sorted(row.keys() ^ columns.keys())
            raise TypeError(f"a row lacks, or has besides, the columns {', '.join(unlike)}")
        for name, kind in columns.items():
            if row[name] is not None and not FITS[kind](row[name]):
                raise TypeError(f"column {name} ({kind}) got {row[name]!r}")


def _plain(value: Any, kind: str) -> Any:
    """A whole number in a column of fractions may be too large for Arrow."""
    return float(value) if kind == "double" and value is not None else value
