"""Scores of the instances of label maps, from a table beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, HalfwidthError, OptionError, shortened
from halfwidth.core.types import Array
from halfwidth.detection.io.box_columns import NAMES, image_column, named_column
from halfwidth.detection.io.image_names import bare
from halfwidth.io.paths import no_such_file
from halfwidth.io.plain_tables import plain_table
from halfwidth.io.table import Table

LABELS = ("label", "labelid", "instance", "instanceid", "object", "objectid", "lesion", "component")


def scores_of(images: Sequence[str], labels: Sequence[int], source: Any) -> Array:
    """The score of each instance, from a table (or its file) of images, labels and scores."""
    name = str(source) if isinstance(source, str | Path) else "scores"
    try:
        known = _known(_table(source))
    except HalfwidthError as error:
        text = str(error)
        raise type(error)(text if text.startswith(name) else f"{name}: {text}") from None
    wanted = [(bare(image), label) for image, label in zip(images, labels, strict=True)]
    lacking = [one for one in wanted if one not in known]
    if lacking:
        image, label = lacking[0]
        raise DataError(
            f"{name}: has no score for label {label} of image {image!r} ({len(lacking)} of "
            f"{len(wanted)} instances have none)"
        )
    spare = sorted(set(known) - set(wanted))
    if spare:
        image, label = spare[0]
        raise DataError(
            f"{name}: has a score for label {label} of image {image!r}, which no map holds"
        )
    return np.array([known[one] for one in wanted])


def _table(source: Any) -> Table:
    if not isinstance(source, str | Path):
        return Table.from_frame(source)
    path = Path(source)
    if not path.exists():
        raise no_such_file(path)
    return plain_table(path)


def _known(table: Table) -> dict[tuple[str, int], float]:
    """Scores by image and label."""
    image, label = image_column(table.names), named_column(table.names, LABELS)
    score = named_column(table.names, NAMES["score"])
    if image is None or label is None or score is None:
        raise OptionError(
            f"has the columns {shortened(table.names, 8)}; scores of instances are in image, label "
            "and score"
        )
    scores = table.values(score, np.arange(len(table)))
    known: dict[tuple[str, int], float] = {}
    levels = zip(table.levels(image), table.levels(label), scores.tolist(), strict=True)
    for row, (called, numbered, value) in enumerate(levels):
        whole = isinstance(numbered, int) and called is not None
        if not whole or not isinstance(value, float | int) or not np.isfinite(value):
            raise DataError(
                f"line {table.row_number(row)} has no image, whole label and finite score"
            )
        key = bare(str(called)), numbered
        if key in known:
            raise DataError(
                f"line {table.row_number(row)} is of label {numbered} of image {key[0]!r}, as one "
                "before"
            )
        known[key] = float(value)
    return known
