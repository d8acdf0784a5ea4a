"""Frames as data for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from halfwidth.document.parts import Data

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1


def frames_data(frames: Mapping[str, pd.DataFrame], **more: Any) -> Data:
    """Data of all frames by name, and ``more``; a CSV file has the rows of the first frame."""
    first = next(iter(frames.values()))
    return Data(
        lambda: {
            "schema_version": SCHEMA_VERSION,
            **more,
            **{name: records(frame) for name, frame in frames.items()},
        },
        lambda: records(first),
        tuple(map(str, first.columns)),
    )


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame, by column; each value keeps its own type, and NA of pandas is None.

    >>> import pandas as pd
    >>> records(pd.DataFrame({"n": pd.array(["ten", pd.NA], dtype="string")}))
    [{'n': 'ten'}, {'n': None}]
    """
    import pandas as pd

    names = list(map(str, frame.columns))
    rows = frame.itertuples(index=False, name=None)
    return [
        {name: None if cell is pd.NA else cell for name, cell in zip(names, row, strict=True)}
        for row in rows
    ]
