"""What a study found, read from its store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.study.simulation.records import COLUMNS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Results", "open_results"]

# By what cells are told apart in a summary, across instances.
BY = (
    *("metric", "statistic", "average", "label"),
    *("method", "confidence_level", "alternative", "n"),
)
SUMMARISED = ("coverage", "width_mean")


@dataclass(frozen=True)
class Results:
    """The rows of a study: one for each cell, method and level.

    Attributes
    ----------
    folder : Path
        Of the store.
    run : mapping
        What ``run.json`` says: versions, seed, settings, hashes of the data.
    """

    folder: Path
    run: Mapping[str, Any]

    def query(self, sql: str) -> pd.DataFrame:
        """The answer of DuckDB to a question about the table ``cells``.

        Parameters
        ----------
        sql : str
            Such as ``"SELECT method, avg(coverage) FROM cells GROUP BY method"``.

        Returns
        -------
        DataFrame

        Raises
        ------
        OptionError
            If the question is no SQL, or names columns that are not there.
        """
        import duckdb

        parts = self._parts()
        with duckdb.connect(":memory:") as connection:
            try:
                # A bar of progress would stand among the rows that go to stdout.
                connection.execute("SET enable_progress_bar = false")
                # Taken over, not looked at: statistics in a Parquet file leave NaN out, and a
                # question about it would be answered from them.
                reading = "CREATE TABLE cells AS SELECT * FROM read_parquet(?, union_by_name=true)"
                connection.execute(reading, [parts])
            except duckdb.Error as error:
                raise DataError(
                    f"{self.folder}: a part cannot be read ({_first_line(error)}); "
                    "'halfwidth study run' makes damaged parts anew"
                ) from None
            try:
                answer = connection.execute(sql)
                if answer is None:
                    raise OptionError("the query is empty")
                return answer.df()
            except duckdb.Error as error:
                raise OptionError(f"the query failed: {_first_line(error)}") from None

    def to_frame(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """All rows, tidy, in an order that does not depend on how they were made."""
        wanted = _quoted(_known(COLUMNS if columns is None else columns))
        return self.query(f"SELECT {wanted} FROM cells ORDER BY instance, {_quoted(BY)}")  # noqa: S608 -- names are checked

    def summary(self, by: Sequence[str] = BY) -> pd.DataFrame:
        """Median and quartiles over instances of coverage and mean width.

        Parameters
        ----------
        by : sequence of str
            Columns whose values stay apart.

        Returns
        -------
        DataFrame
            A row for each, with the number of ``instances``, the quartiles (type 7) of ``coverage``
            and ``width`` (the mean width of each instance, in the unit of the metric), the largest
            Monte-Carlo standard error of a coverage, ``undefined`` and ``zero_width``, the shares
            of samples without an interval and with one of no width, and ``truth_error``, the
            largest standard error of a true value over the median width (NaN where all are exact).
        """
        by = _known(by)
        quartiles = ", ".join(
            f"quantile_cont({column}, {p}) FILTER (NOT isnan({column})) AS {name}_{said}"
            for column, name in zip(SUMMARISED, ("coverage", "width"), strict=True)
            for p, said in ((0.25, "q1"), (0.5, "median"), (0.75, "q3"))
        )
        return self.query(
            f"SELECT {_quoted(by)}, count(DISTINCT instance) AS instances, {quartiles}, "  # noqa: S608 -- names are checked
            "max(coverage_se) FILTER (NOT isnan(coverage_se)) AS coverage_se, "
            "sum(undefined) / sum(samples) AS undefined, "
            "sum(zero_width) / sum(samples) AS zero_width, "
            "max(truth_se / width_median) "
            "FILTER (truth_se > 0 AND width_median > 0 AND isfinite(width_median)) AS truth_error "
            f"FROM cells GROUP BY {_quoted(by)} ORDER BY {_quoted(by)}"
        )

    def _parts(self) -> list[str]:
        parts = sorted(str(part) for part in (self.folder / "parts").glob("*.parquet"))
        if not parts:
            raise DataError(f"{self.folder}: no part of the study is done yet")
        return parts


def _known(names: Iterable[str]) -> list[str]:
    """Names of columns, or an error that names the nearest one."""
    asked = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in asked if name not in COLUMNS]
    if unknown:
        raise UnknownNameError("column of a study", unknown[0], COLUMNS)
    if not asked:
        raise OptionError(f"no columns are named; the usual ones are {', '.join(BY)}")
    return asked


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def open_results(folder: str | Path) -> Results:
    """Open the store of a study, finished or not.

    Parameters
    ----------
    folder : path

    Returns
    -------
    Results

    Raises
    ------
    DataError
        If there is no store.
    """
    path = Path(folder)
    try:
        run = json.loads((path / "run.json").read_text(encoding="utf-8"))
    except OSError:
        raise DataError(
            f"{path}: no store of a study (it holds no run.json); 'halfwidth study run' makes one"
        ) from None
    except ValueError:
        raise DataError(f"{path / 'run.json'}: cannot be read as JSON") from None
    return Results(path, run)
