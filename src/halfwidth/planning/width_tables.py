"""Tables of widths, a row for each number of cases and a column for each SD."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from halfwidth.core.checks import as_list
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.options import spelled
from halfwidth.core.types import Array, Level
from halfwidth.planning.checks import check_choice, check_n, check_positive
from halfwidth.planning.means import FORMULAS, LEAST, mean_interval_width

if TYPE_CHECKING:
    import pandas as pd


@frozen
class WidthTable:
    """Widths of the interval of a mean.

    Attributes
    ----------
    ns : tuple of int
        Cases: the rows.
    sds : tuple of float
        SDs of the cases: the columns.
    formula : {"t", "z"}
    confidence_level : float
    standard_error, width : ndarray, shape (len(ns), len(sds))
        s/√n, and the width of the interval, in the unit of the SDs.
    """

    ns: tuple[int, ...]
    sds: tuple[float, ...]
    formula: str
    confidence_level: float
    standard_error: Array = field(compare=False)
    width: Array = field(compare=False)

    @property
    def halfwidth(self) -> Array:
        """Half of each width."""
        return self.width / 2

    def to_frame(self) -> pd.DataFrame:
        """A row for each n and SD: ``n, sd, standard_error, width, halfwidth``."""
        import pandas as pd

        rows, columns = np.meshgrid(self.ns, self.sds, indexing="ij")
        return pd.DataFrame(
            {
                "n": rows.ravel(),
                "sd": columns.ravel(),
                "standard_error": self.standard_error.ravel(),
                "width": self.width.ravel(),
                "halfwidth": self.halfwidth.ravel(),
            }
        )


def mean_width_table(
    sds: Sequence[float],
    ns: Sequence[int],
    *,
    formula: str = "z",
    confidence_level: float = 0.95,
) -> WidthTable:
    """Standard errors and widths for many SDs and numbers of cases at once, w = 2 q s/√n.

    Parameters
    ----------
    sds : sequence of float
    ns : sequence of int
    formula : {"z", "t"}, default "z"
        ``"z"`` as in the published tables; ``"t"`` is right below 100 cases too.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.

    Returns
    -------
    WidthTable

    Raises
    ------
    OptionError
        If there is no SD or no n, or one of them cannot be.

    References
    ----------
    El Jurdi & Colliot (2023), Table 3; El Jurdi et al. (2025), Table 3.

    Examples
    --------
    >>> table = mean_width_table([2, 5], [10, 100])
    >>> table.width.round(2).tolist()
    [[2.48, 6.2], [0.78, 1.96]]
    """
    for name, given in (("sds", sds), ("ns", ns)):
        if not as_list(given):
            raise OptionError(f"{spelled(name, given)} is no sequence of at least one number")
    level, named = Level(confidence_level), check_choice("formula", formula, list(FORMULAS))
    rows = tuple(check_n(n, LEAST, "the interval of a mean") for n in ns)
    columns = tuple(check_positive("sd", sd) for sd in sds)
    errors = np.array(columns) / np.sqrt(np.array(rows, dtype=float))[:, None]
    widths = np.array([[mean_interval_width(sd, n, named, level) for sd in columns] for n in rows])
    return WidthTable(rows, columns, named, level.confidence_level, errors, widths)
