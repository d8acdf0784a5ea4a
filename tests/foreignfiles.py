"""What the tests of importers share: files in, cells out."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.io.table import Table
from halfwidth.tables.importers.all_importers import IMPORTERS
from halfwidth.tables.importers.importer import ImportOptions
from halfwidth.tables.readers import Reading, read_table

IMPORTED = tuple(one.name for one in IMPORTERS)
FIXTURES = Path(__file__).parent / "tables" / "importers" / "fixtures"


def cells(table: Table, column: str, **levels: Any) -> list[Any]:
    """The cells of a column in the rows with these levels."""
    rows = [
        row
        for row in range(len(table))
        if all(table.levels(name)[row] == level for name, level in levels.items())
    ]
    return list(table.values(column, np.array(rows, dtype=int)))


def read_with(file: Path, **options: Any) -> Table:
    """The table of a file with options of its format."""
    return read_table(file, Reading(options=ImportOptions(**options)))


def written(file: Path, document: Any) -> Path:
    """A file with a document as JSON, or with this text."""
    text = document if isinstance(document, str) else json.dumps(document)
    file.write_text(text, encoding="utf-8")
    return file


def zipped(file: Path, members: Mapping[str, Any], how: int = zipfile.ZIP_DEFLATED) -> Path:
    """A zip file of documents as JSON, or of bytes as they are."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", how) as archive:
        for name, member in members.items():
            data = member if isinstance(member, bytes) else json.dumps(member).encode()
            archive.writestr(name, data)
    file.write_bytes(kept.getvalue())
    return file
