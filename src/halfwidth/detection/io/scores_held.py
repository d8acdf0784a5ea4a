"""Whether a file of objects holds scores, as what detectors write does, without reading it all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from halfwidth.core.errors import DataError, HalfwidthError
from halfwidth.detection.io.box_columns import box_columns
from halfwidth.detection.io.formats import format_named, format_of
from halfwidth.detection.io.reading import AUTO, named
from halfwidth.detection.io.reading_options import Role
from halfwidth.io.paths import no_such_file
from halfwidth.io.plain_tables import plain_table
from halfwidth.io.table_sources import Source

KEY = b'"score"'
AT_ONCE = 1 << 22
# Of a line in YOLO's texts: class, x and y of the centre, width, height, score.
WITH_SCORE = 6


def holds_scores(path: Path, columns: Mapping[str, str] | None = None, name: str = AUTO) -> bool:
    """Whether the objects of a file or folder have scores; maps of labels have none."""
    if not path.exists():
        raise no_such_file(path)
    try:
        known = name if name != AUTO else format_of(path, Role.DETECTIONS, candidates=False).name
        if known == "coco":
            return _names_scores(path)
        if known == "table":
            names = plain_table(path, may_be_empty=True).names
            return box_columns(names, columns, None).score is not None
        if known == "yolo":
            return any(map(_has_scores, sorted(path.glob("*.txt"))))
        return format_named(known).name == "probabilities"
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    except HalfwidthError as error:
        raise named(error, str(path)) from None


def _names_scores(path: Path) -> bool:
    with Source.open(path) as source, source.unpacked() as opened:
        end = b""
        while part := opened.read(AT_ONCE):
            if KEY in end + part:
                return True
            end = part[1 - len(KEY) :]
    return False


def _has_scores(file: Path) -> bool:
    with file.open("rb") as opened:
        return len(opened.readline(AT_ONCE).split()) == WITH_SCORE
