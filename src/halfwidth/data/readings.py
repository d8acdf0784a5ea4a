"""Readings: what readers, persons or programs, said of cases, in one modality or in several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, cast

from halfwidth.core.checks import as_choice
from halfwidth.core.errors import OptionError, UnknownNameError, quoted, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.option_table.option import DataKind
from halfwidth.core.public_functions import checked_options
from halfwidth.core.types import Over
from halfwidth.core.undefined import (
    AbsentClass,
    Missing,
    MissingLabels,
    Undefined,
    missing_policy,
)
from halfwidth.data.case_values import CaseValues
from halfwidth.data.families import Pairing, shown_data
from halfwidth.data.inputs import models_of
from halfwidth.data.prediction_tables import PredictionColumns, columns_of_models
from halfwidth.data.predictions import PredictionArrays, PredictionTables
from halfwidth.data.reader_pairs import Raters, raters_of, tables_of_pairs
from halfwidth.data.sources import column_list, column_name, table_columns, tables_of
from halfwidth.data.test_set_options import TestSetOptions
from halfwidth.io.table import Table

# What can be done with readings for which agreement is not the question.
OF_A_TRUTH = (
    "Readers against a truth are models with predictions: Predictions.from_table(table, truth, "
    "score=..., model=...)"
)


@frozen(eq=False, repr=False)
class Readings:
    """What readers said of cases: of persons and programs, in one modality or in several.

    Made by `from_arrays`, `from_table` or `from_pairs`.

    Attributes
    ----------
    model : str or None
        The reader that is compared with the others, its raters.
    options : TestSetOptions
        How labels are read, and what is undefined.
    missing : {"raise", "omit"}
    pairing : {"complete", "common"}

    Examples
    --------
    >>> import halfwidth as hw
    >>> said = {"unet": [0, 1, 1, 0], "A": [0, 1, 0, 0], "B": [0, 1, 1, 1]}
    >>> hw.Readings.from_arrays(said, model="unet").readers
    ('unet', 'A', 'B')
    """

    model: str | None = None
    options: TestSetOptions = TestSetOptions()
    missing: Missing = "raise"
    pairing: Pairing = "complete"
    _data: PredictionArrays | PredictionTables | PairValues = field(
        default=cast("Any", None), kw_only=True
    )

    @property
    def kind(self) -> DataKind:
        """Labels, or values of pairs of readers."""
        return DataKind.PAIRS if isinstance(self._data, PairValues) else DataKind.LABELS

    @classmethod
    @checked_options
    def from_arrays(
        cls,
        ratings: Any,
        *,
        model: str | None = None,
        truth: Any = None,
        labels: Sequence[Any] | None = None,
        pos_label: Any = None,
        absent_class: AbsentClass = "omit",
        undefined: Undefined = "omit",
        groups: Any = None,
        strata: Any = None,
        missing: MissingLabels = "raise",
        pairing: Literal["complete", "common"] = "complete",
    ) -> Readings:
        """Readings in arrays.

        Parameters
        ----------
        ratings : mapping of str to array-like, or data frame with a column for each reader
            The label, or the number, that each reader gives each case; labels of pandas Series and
            frames say which case a row is of, in any order.
        model : str, optional
            The reader that is compared with the others, its raters.
        truth : array-like, optional
            True classes or numbers of the cases, whatever readers say.
        labels : sequence, optional
            All classes, in the order of the scores; default: those that occur, in ascending order.
        pos_label : label, optional
            The positive class; default: 1 of 0 and 1 (or -1 and 1, False and True).
        absent_class : {"omit", "zero", "undefined"}, default "omit"
            What a class without a value counts in an average, in the data or in a resample.
        undefined : {"omit", "zero", "worst"}, default "omit"
            What 0/0 counts: ``"omit"``, nothing; ``"zero"``, as in scikit-learn; ``"worst"``.
        groups : array-like, shape (n,), optional
            Cluster of each case: its patient, its scan. Cases of a cluster are resampled together.
        strata : array-like, shape (n,), optional
            Stratum of each case (its site, its class), where the number of cases in each was fixed
            beforehand: bootstraps keep it.
        missing : {"raise", "omit"}, default "raise"
            What a missing label means: ``"raise"``, an error, or ``"omit"``: leave out cases that
            some reader did not label.
        pairing : {"complete", "common"}, default "complete"
            Which cases are compared: ``"complete"``, all, and a case that some reader lacks is an
            error; ``"common"``: such cases are left out and counted.

        Returns
        -------
        Readings

        Raises
        ------
        DataError, OptionError, UnknownNameError
            For lengths that differ, readers without names, and options that are not allowed.

        Examples
        --------
        >>> import halfwidth as hw
        >>> said = {
        ...     "unet": [0, 1, 1, 0, 2, 2, 1, 0, 1, 2] * 4,
        ...     "A": [0, 1, 1, 0, 2, 1, 1, 0, 1, 2] * 4,
        ...     "B": [0, 1, 2, 0, 2, 2, 1, 0, 0, 2] * 4,
        ... }
        >>> readings = hw.Readings.from_arrays(said, model="unet")
        >>> (d,) = hw.compare(readings, metric="accuracy")
        >>> round(d.first_value, 3), round(d.second_value, 3), round(d.value, 3)
        (0.85, 0.7, 0.15)
        """
        common = {"target": truth, "groups": groups, "strata": strata}
        readings = PredictionArrays(models_of(ratings, common, argument="ratings"))
        options = TestSetOptions(labels, pos_label, absent_class=absent_class, undefined=undefined)
        return cls(_name(model), options, missing, pairing, _data=readings)

    @classmethod
    @checked_options
    def from_table(
        cls,
        table: Any,
        *,
        label: Any = None,
        score: Any = None,
        reader: str | None = None,
        case: str | None = None,
        modality: str | None = None,
        model: str | None = None,
        truth: str | None = None,
        labels: Sequence[Any] | None = None,
        pos_label: Any = None,
        absent_class: AbsentClass = "omit",
        undefined: Undefined = "omit",
        groups: str | None = None,
        strata: str | None = None,
        missing: MissingLabels = "raise",
        pairing: Literal["complete", "common"] = "complete",
    ) -> Readings:
        """Readings in a table: a row for each reader and case, or a column for each reader.

        Parameters
        ----------
        table : data frame, mapping of columns, sequence of tables, or mapping of str to table
            One table; several; or a table for each reader, by its name.
        label : str, sequence of str, or mapping of str to str, optional
            Column of the labels, or numbers, that readers give. Those of a sequence or mapping are
            of a reader each, called as its column or as the mapping says.
        score : str, sequence of str, or mapping of str to str, optional
            The same of scores, instead of labels.
        reader : str, optional
            Column that names the reader of each row.
        case : str, optional
            Column of case ids; default: the first of case, case_id, id, subject, patient, name,
            filename that exists.
        modality : str, optional
            Column of the modality, or of another circumstance, in which a case was read: readers
            are compared within each.
        model : str, optional
            The reader that is compared with the others, its raters.
        truth : str, optional
            Column of true classes or numbers.
        labels : sequence, optional
            All classes, in the order of the scores; default: those that occur, in ascending order.
        pos_label : label, optional
            The positive class; default: 1 of 0 and 1 (or -1 and 1, False and True).
        absent_class : {"omit", "zero", "undefined"}, default "omit"
            What a class without a value counts in an average, in the data or in a resample.
        undefined : {"omit", "zero", "worst"}, default "omit"
            What 0/0 counts: ``"omit"``, nothing; ``"zero"``, as in scikit-learn; ``"worst"``.
        groups : str, optional
            Column that names the cluster of each row: its patient, its scan. Rows of a cluster are
            resampled together.
        strata : str, optional
            Column that names the stratum of each row: its site, its class. Each keeps its size.
        missing : {"raise", "omit"}, default "raise"
            What a missing label means: ``"raise"``, an error, or ``"omit"``: leave out cases that
            some reader did not label.
        pairing : {"complete", "common"}, default "complete"
            Which cases are compared: ``"complete"``, all, and a case that some reader lacks is an
            error; ``"common"``: such cases are left out and counted.

        Returns
        -------
        Readings

        Raises
        ------
        DataError, OptionError, UnknownNameError
            For columns that are not there, readers without names, and options that are not
            allowed.

        Examples
        --------
        >>> import pandas as pd, halfwidth as hw
        >>> frame = pd.DataFrame({
        ...     "case": list("abcdef") * 3,
        ...     "reader": ["unet"] * 6 + ["A"] * 6 + ["B"] * 6,
        ...     "grade": [0, 1, 1, 0, 2, 2, 0, 1, 0, 0, 2, 1, 0, 1, 1, 0, 2, 1],
        ... })
        >>> readings = hw.Readings.from_table(frame, label="grade", reader="reader", model="unet")
        >>> (d,) = hw.compare(readings, metric="accuracy")
        >>> round(d.first_value, 3), round(d.second_value, 3)
        (0.75, 0.833)
        """
        where = _reading_columns(label, score, column_name("truth", truth))
        within = column_name("modality", modality)
        columns = table_columns(within, reader=reader, case=case, groups=groups, strata=strata)
        readers = where.predictions if where.columns_by_model else ()
        tables = tables_of(table, columns, readers, [*where.used, *filter(None, [columns.by])])
        if not columns.by and not readers and tables.sources[0].model is None:
            raise OptionError(
                f"nothing says who gave a reading: name the column of readers ({spelled('reader')}"
                "), or a column for each of them"
            )
        options = TestSetOptions(labels, pos_label, absent_class=absent_class, undefined=undefined)
        return cls(_name(model), options, missing, pairing, _data=PredictionTables(tables, where))

    @classmethod
    @checked_options
    def from_pairs(
        cls,
        table: Any,
        value: Any = None,
        *,
        model: str,
        raters: Sequence[str] | None = None,
        pairs: Sequence[str] = ("prediction", "reference"),
        by: Any = (),
        case: str | None = None,
        groups: str | None = None,
        strata: str | None = None,
        over: Over = "cases",
        bounds: Any = None,
        scale: float = 1.0,
        missing: Missing = "raise",
        penalty: float | None = None,
        pairing: Literal["complete", "common"] = "complete",
    ) -> Readings:
        """Readings that are known by values of pairs, such as the DSC of the masks of two readers.

        Each row has a case, the one whose mask was scored, the one whose mask was the reference,
        and a value: what `score_folders` gives for the model against each rater, and for each rater
        against each other, one below the other with two columns that say which it is. Of two raters
        one order will do.

        Parameters
        ----------
        table : data frame or mapping of columns
        value : str or sequence of str, optional
            Column of values; default: as for `CaseValues.from_table`.
        model : str
            What the model is called in the columns of pairs.
        raters : sequence of str, optional
            A rater, two or more; default: all others in the columns of pairs.
        pairs : pair of str, default ('prediction', 'reference')
            The two columns that say whose mask was scored, and whose was the reference.
        by : str or sequence of str, optional
            Column, such as the organ, for each of whose levels a verb answers apart.
        case : str, optional
            Column of case ids; default: the first of case, case_id, id, subject, patient, name,
            filename that exists.
        groups : str, optional
            Column that names the cluster of each row: its patient, its scan. Rows of a cluster are
            resampled together.
        strata : str, optional
            Column that names the stratum of each row: its site, its class. Each keeps its size.
        over : {"cases", "clusters"}, default "cases"
            What the statistic is taken of: cases, or clusters, by the mean of each.
        bounds : (low, high), optional
            Range of the values, for a metric of your own.
        scale : float, default 1.0
            Values are divided by it; 100 for per cent.
        missing : {"raise", "omit", "worst"}, default "raise"
            What a missing value means: ``"raise"``, an error; ``"omit"``: leave the case out;
            ``"worst"``: count it as the worst value.
        penalty : float, optional
            The worst value with ``missing="worst"``, for metrics without one (distances), in the
            unit after scaling.
        pairing : {"complete", "common"}, default "complete"
            Which cases are compared: ``"complete"``, all, and a case that some reader lacks is an
            error; ``"common"``: such cases are left out and counted.

        Returns
        -------
        Readings

        Raises
        ------
        DataError, OptionError, UnknownNameError
            For a pair that is not in the table, and as for `CaseValues.from_table`.

        Examples
        --------
        >>> import pandas as pd, halfwidth as hw
        >>> table = pd.DataFrame({
        ...     "case": ["a", "b", "c"] * 3,
        ...     "prediction": ["U-Net"] * 6 + ["B"] * 3,
        ...     "reference": ["A"] * 3 + ["B"] * 3 + ["A"] * 3,
        ...     "dice": [0.91, 0.88, 0.93, 0.85, 0.80, 0.89, 0.84, 0.81, 0.88],
        ... })
        >>> readings = hw.Readings.from_pairs(table, "dice", model="U-Net")
        >>> (d,) = hw.compare(readings, metric="dsc")
        >>> round(d.first_value, 3), round(d.second_value, 3)
        (0.877, 0.843)
        """
        columns = column_list("pairs", pairs)
        if len(columns) != 2:
            raise OptionError(
                f"{spelled('pairs', list(columns))} names {len(columns)} column(s): give two, that "
                "of whose mask was scored and that of whose was the reference"
            )
        tables, known = tables_of_pairs(
            Table.from_frame(table), str(model), column_list("raters", raters), columns
        )
        values = CaseValues.from_table(
            tables,
            column_list("value", value),
            by=by,
            case=case,
            groups=groups,
            strata=strata,
            over=over,
            bounds=bounds,
            scale=scale,
            missing=missing_policy(missing),
            penalty=penalty,
        )
        return cls(known.model, missing=missing, pairing=pairing, _data=PairValues(values, known))

    def __repr__(self) -> str:
        return shown_data("Readings", self.readers, model=self.model)

    def __post_init__(self) -> None:
        if not isinstance(self._data, PredictionArrays | PredictionTables | PairValues):
            raise OptionError(
                "Readings are made by Readings.from_arrays(ratings), .from_table(table) or "
                ".from_pairs(table)"
            )
        missing_policy(self.missing)
        as_choice("absent_class", self.options.absent_class)
        as_choice("undefined", self.options.undefined)
        as_choice("pairing", self.pairing, "Readings")
        if self.model is not None and self.model not in self.readers:
            raise UnknownNameError("model", self.model, self.readers)

    @property
    def readers(self) -> tuple[str, ...]:
        """Names of the readers."""
        return self._data.models

    @property
    def source(self) -> PredictionArrays | PredictionTables | PairValues:
        """Where the readings are: in arrays, in tables, or in values of pairs of readers."""
        return self._data

    @property
    def raters(self) -> Raters:
        """The model and its raters.

        Raises
        ------
        OptionError
            Where no model is named, or it has fewer raters than two.
        """
        if isinstance(self._data, PairValues):
            return self._data.raters
        if self.model is None:
            raise OptionError(
                f"say which reader is the model to compare with the others ({spelled('model')}, "
                f"one of {shortened(self.readers, 5)}). {OF_A_TRUTH}"
            )
        return raters_of(self.model, [name for name in self.readers if name != self.model])


@frozen(eq=False)
class PairValues:
    """Values of pairs of readers, each pair as a model."""

    values: CaseValues
    raters: Raters

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the readers."""
        return (self.raters.model, *self.raters.names)


def _name(model: Any) -> str | None:
    return None if model is None else str(model)


def _reading_columns(label: Any, score: Any, truth: str | None) -> PredictionColumns:
    """The columns of labels or scores, of all readers or of each."""
    if (label is None) == (score is None):
        raise OptionError(
            f"{spelled('label')} or {spelled('score')} names the column of what readers said, or "
            "that of each reader" + ("" if label is None else "; not both")
        )
    option, named = ("label", label) if score is None else ("score", score)
    if isinstance(named, Mapping):
        columns = columns_of_models(option, named)
        if any(len(names) != 1 for names in columns.values()):
            raise OptionError(f"{spelled(option, named)}: give one column for each reader")
    else:
        names = column_list(option, named)
        if repeated := [name for at, name in enumerate(names) if name in names[:at]]:
            raise OptionError(
                f"{quoted(repeated)} named twice; give each reader a column of their own"
            )
        columns = {"": names} if isinstance(named, str) else {name: (name,) for name in names}
    # Where all readers stand in one row, that is the case.
    return PredictionColumns(truth, columns, score is not None, rows_are_cases="" not in columns)
