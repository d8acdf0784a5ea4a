"""What a study found, read from its store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened
from halfwidth.study.simulation.records import COLUMNS
from halfwidth.study.storage import manifest
from halfwidth.study.storage.part_files import check_part
from halfwidth.study.storage.store import Store, parts_in

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
    notes : tuple of str
        What whoever reads it should know.
    """

    folder: Path
    run: Mapping[str, Any]
    notes: tuple[str, ...] = ()

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

        parts, _ = _sound_parts(self.folder)
        if not parts:
            raise DataError(f"{self.folder}: no part of the study is done yet")
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
                    f"{self.folder}: the parts cannot be read ({_first_line(error)})"
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


def _sound_parts(folder: Path) -> tuple[list[str], int]:
    """Files of the parts of a store, each read as a whole, and how many of them have no seal.

    Raises
    ------
    DataError
        If one is not what was written: nothing is told from the others alone.
    """
    parts, of = parts_in(folder), manifest.read(folder)
    checked = {part: check_part(part, of) for part in parts}
    faults = [f"{part.name} {one.fault}" for part, one in checked.items() if one.fault]
    if faults:
        count = "1 part" if len(faults) == 1 else f"{len(faults)} parts"
        raise DataError(
            f"{folder}: {count} cannot be used ({shortened(faults)}); 'halfwidth study run' with "
            "the spec of this study does them again"
        )
    return [str(part) for part in parts], sum(not one.sealed for one in checked.values())


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
        If there is no store, or a file of it is not what was written.
    """
    path = Path(folder)
    parts, unsealed = _sound_parts(path)
    notes = [*_on_seals(unsealed), *_on_chunks(path, len(parts))]
    return Results(path, manifest.read_content(path), tuple(notes))


def _on_seals(unsealed: int) -> Iterator[str]:
    if unsealed:
        count = "1 part has no seal" if unsealed == 1 else f"{unsealed} parts have no seal"
        yield (
            f"{count}, as earlier versions wrote them: checked by checksums of their pages, not "
            "as a whole; 'halfwidth study run' seals them"
        )


def _on_chunks(folder: Path, done: int) -> Iterator[str]:
    try:
        chunks = Store(folder, manifest.read(folder)).chunks()
    except DataError as error:
        yield str(error)
        return
    if chunks is not None and done < len(chunks):
        yield f"{folder}: {done} of {len(chunks)} chunks are done; the others are not in it"
