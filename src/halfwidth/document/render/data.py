"""A document as data for programs: JSON and CSV."""

from __future__ import annotations

from halfwidth.core.csv_cells import csv_text
from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import json_text, plain
from halfwidth.core.option_names import flag_of
from halfwidth.document.parts import Data, Document


def render_json(document: Document) -> str:
    """The object of the JSON contract; what is not finite is null."""
    values = plain(_document_data(document).values())
    return json_text(values) + "\n"


def render_csv(document: Document) -> str:
    """The rows, with the columns of all of them in the order in which they come."""
    data = _document_data(document)
    rows = data.rows()
    names = list(dict.fromkeys([*data.columns, *(name for row in rows for name in row)]))
    return csv_text(names, ([row.get(name) for name in names] for row in rows)) if names else ""


def _document_data(document: Document) -> Data:
    if document.data is None:
        raise OptionError(
            f"this page has nothing for programs; leave out {flag_of('format')} and "
            f"{flag_of('json')}"
        )
    return document.data
