"""One part of a store: the rows of a chunk as Parquet, the same bytes for the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.study.storage.manifest import FORMAT

__all__ = ["metadata_of", "opens", "parquet"]


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


def opens(path: Path, metadata: Mapping[bytes, bytes]) -> bool:
    """Whether a part has a footer that can be read, says that of itself, and has rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(path)
    except (OSError, pa.ArrowException):
        return False
    said = found.metadata or {}
    return found.num_rows > 0 and all(said.get(key) == text for key, text in metadata.items())


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
    import pyarrow.parquet as pq

    _check_rows(rows, columns)
    types = {
        "string": pa.string(),
        "int64": pa.int64(),
        "double": pa.float64(),
        "bool": pa.bool_(),
        "list<string>": pa.list_(pa.string()),
    }
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()], metadata=metadata)
    arrays = [
        pa.array([_plain(row[name], kind) for row in rows], types[kind])
        for name, kind in columns.items()
    ]
    sink = pa.BufferOutputStream()
    # Written out, so that a new default of the library does not change the bytes.
    pq.write_table(
        pa.Table.from_arrays(arrays, schema=schema),
        sink,
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=3,
        use_dictionary=True,
        write_statistics=True,
        write_page_checksum=True,
        row_group_size=1 << 20,
        store_schema=True,
    )
    return bytes(sink.getvalue())


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
