"""Rows of a table that are picked by the levels of its columns."""

from __future__ import annotations

import pytest

from halfwidth import HalfwidthError
from halfwidth.io.table import Table
from halfwidth.tables.picked_rows import pick_rows

TABLE = Table.from_frame(
    {
        "organ": ["heart", "lung", "heart", None],
        "fold": [0, 1, 1.0, 1],
        "dice": [0.9, 0.8, 0.7, 0.6],
    }
)


@pytest.mark.parametrize(
    ("wanted", "dice"),
    [
        ({"organ": ["heart"]}, [0.9, 0.7]),
        ({"organ": ["lung", "heart"]}, [0.9, 0.8, 0.7]),
        ({"fold": ["1"]}, [0.8, 0.7, 0.6]),
        ({"organ": ["heart"], "fold": ["1"]}, [0.7]),
    ],
)
def test_rows_keep_their_order_and_their_numbers(
    wanted: dict[str, list[str]], dice: list[float]
) -> None:
    picked = pick_rows(TABLE, wanted)
    assert picked.columns["dice"].tolist() == dice
    rows = range(len(dice))
    assert [TABLE.columns["dice"][picked.row_number(row) - 2] for row in rows] == dice


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"organs": ["heart"]}, "unknown column 'organs'; did you mean 'organ'?"),
        ({"organ": ["hart"]}, "no row has 'hart' as its organ; did you mean 'heart'?"),
        ({"fold": ["0", "2"]}, "no row has '2' as its fold. Known: 0, 1."),
        ({"organ": ["lung"], "fold": ["0"]}, "no row has all of organ=lung and fold=0"),
    ],
)
def test_rows_that_are_not_there(wanted: dict[str, list[str]], words: str) -> None:
    with pytest.raises(HalfwidthError) as error:
        pick_rows(TABLE, wanted)
    assert words in str(error.value)
