"""The results of a study, read from its store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.study.storage import manifest
from halfwidth.study.storage.opening import need_libraries
from halfwidth.study.storage.part_files import check_part
from halfwidth.study.storage.store import Store, parts_in

if TYPE_CHECKING:
    import pandas as pd

# The columns that identify cells in a summary, across instances.
BY = (
    *("metric", "statistic", "average", "label"),
    *("method", "confidence_level", "alternative", "n"),
)
# What a summary is made of.
SUMMARISED = (
    *("instance", "coverage", "width_mean", "coverage_se", "undefined", "zero_width", "samples"),
    *("truth_se", "width_median", "missed_below", "missed_above"),
)


@frozen
class Results:
    """The rows of a study: one for each cell, method and level.

    Attributes
    ----------
    folder : Path
        Of the store.
    run : mapping
        What ``run.json`` says: versions, seed, settings, hashes of the data.
    notes : tuple of str
        Remarks for the reader.
    """

    folder: Path
    run: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def query(self, sql: str) -> pd.DataFrame:
        """Query the table ``cells`` with DuckDB.

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
            If the query is not valid SQL, names unknown columns, or DuckDB is not installed.
        """
        need_libraries("duckdb")
        import duckdb

        parts, _ = _sound_parts(self.folder)
        if not parts:
            raise DataError(f"{self.folder}: no part of the study is done yet")
        with duckdb.connect(":memory:") as connection:
            try:
                # A progress bar would mix with the rows on stdout.
                connection.execute("SET enable_progress_bar = false")
                # A copy rather than a view: DuckDB would answer some queries from the statistics
                # of the Parquet files, which leave NaN out.
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
        """All rows, tidy, in an order that does not depend on the run."""
        known = list(self.run["columns"])
        selected = _quoted(known if columns is None else _checked_columns(columns, known))
        return self.query(f"SELECT {selected} FROM cells ORDER BY instance, {_quoted(BY)}")  # noqa: S608 -- names are checked

    def summary(self, by: Sequence[str] = BY) -> pd.DataFrame:
        """Median and quartiles over instances of coverage and mean width.

        Parameters
        ----------
        by : sequence of str
            Columns to group by.

        Returns
        -------
        DataFrame
            A row per group: the number of ``instances``, the quartiles (type 7) of ``coverage``, of
            the intervals that there are, and ``width`` (the mean width of each instance, in the
            unit of the metric), the medians of ``missed_above`` and ``missed_below``, the shares of
            samples whose interval lies wholly above and wholly below the true value (its low end,
            its high end misses), the largest Monte-Carlo standard error of a coverage,
            ``undefined`` and ``zero_width``, the shares of samples without an interval and with one
            of no width, and ``truth_error``, the largest standard error of a true value over the
            median width (NaN where all are exact).
        """
        by = _checked_columns(by, list(self.run["columns"]))
        return summarised(self.to_frame(list(dict.fromkeys([*by, *SUMMARISED]))), by)


def summarised(cells: pd.DataFrame, by: Sequence[str] = BY) -> pd.DataFrame:
    """What `Results.summary` says, of any frame of cells."""
    width, error = (cells[name].to_numpy(float) for name in ("width_median", "truth_se"))
    usable = (error > 0) & (width > 0) & np.isfinite(width)
    ratio = np.divide(error, width, out=np.full(len(cells), np.nan), where=usable)
    coverage = coverage_of_intervals(cells)
    cells = cells.assign(coverage=coverage, width=cells["width_mean"], truth_error=ratio)
    grouped = cells.groupby(list(by), sort=True, dropna=False)
    counts = grouped["instance"].nunique().to_frame("instances")
    for name in ("coverage", "width"):
        for suffix, share in (("q1", 0.25), ("median", 0.5), ("q3", 0.75)):
            counts[f"{name}_{suffix}"] = grouped[name].quantile(share)
    for name in ("missed_above", "missed_below"):
        counts[name] = grouped[name].median()
    counts["coverage_se"] = grouped["coverage_se"].max()
    for name in ("undefined", "zero_width"):
        counts[name] = grouped[name].sum() / grouped["samples"].sum()
    counts["truth_error"] = grouped["truth_error"].max()
    return counts.reset_index()


def coverage_of_intervals(cells: pd.DataFrame) -> pd.Series[float]:
    """Coverage without samples that have no interval, which ``coverage`` misses; NaN of none."""
    there = 1 - share_without(cells)
    return cells["coverage"] / there.where(there > 0)


def share_without(cells: pd.DataFrame) -> pd.Series[float]:
    """The share of samples without an interval; 0 where cells do not say it."""
    known = {"undefined", "samples"} <= {*cells.columns}
    return cells["undefined"] / cells["samples"] if known else 0 * cells["coverage"]


def _sound_parts(folder: Path) -> tuple[list[str], int]:
    """The files of the parts of a store, all checked, and how many of them have no seal."""
    parts, run = parts_in(folder), manifest.read(folder)
    checked = {part: check_part(part, run) for part in parts}
    faults = [f"{part.name} {check.fault}" for part, check in checked.items() if check.fault]
    if faults:
        count = "1 part" if len(faults) == 1 else f"{len(faults)} parts"
        raise DataError(
            f"{folder}: {count} cannot be used ({shortened(faults)}); 'halfwidth study run' with "
            "the spec of this study does them again"
        )
    return [str(part) for part in parts], sum(not check.sealed for check in checked.values())


def _checked_columns(names: Iterable[str], known: Sequence[str]) -> list[str]:
    """Names of columns, or an error that names the nearest one."""
    columns = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in columns if name not in known]
    if unknown:
        raise UnknownNameError("column of a study", unknown[0], known)
    if not columns:
        raise OptionError(f"no columns are named; the usual ones are {', '.join(BY)}")
    return columns


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
        If there is no store, or one of its files is damaged.
    """
    path = Path(folder)
    parts, unsealed = _sound_parts(path)
    notes = list(_chunk_notes(path, len(parts)))
    if unsealed:
        count = "1 part has no seal" if unsealed == 1 else f"{unsealed} parts have no seal"
        sealing = (
            f"{count}, as earlier versions wrote them: checked by checksums of their pages, not "
            "as a whole; 'halfwidth study run' seals them"
        )
        notes = [sealing, *notes]
    return Results(path, manifest.read_content(path), tuple(notes))


def _chunk_notes(folder: Path, done: int) -> Iterator[str]:
    try:
        chunks = Store(folder, manifest.read(folder)).chunks()
    except DataError as error:
        yield str(error)
        return
    if chunks is not None and done < len(chunks):
        yield f"{folder}: {done} of {len(chunks)} chunks are done; the others are not in it"
