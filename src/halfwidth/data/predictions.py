"""Predictions: true classes or numbers with what one model or several predicted for them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, cast

import numpy as np

from halfwidth.core.checks import as_choice
from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.option_table.option import DataKind
from halfwidth.core.public_functions import checked_options
from halfwidth.core.spec import Metric
from halfwidth.core.types import Scores
from halfwidth.core.undefined import (
    OF_TEST_SETS,
    AbsentClass,
    MissingPredictions,
    Undefined,
    missing_policy,
)
from halfwidth.data.families import Arrays, Family, ModelCases, Pairing, known_models, shown_data
from halfwidth.data.inputs import models_of, refuse_cases_of_no_model
from halfwidth.data.prediction_tables import (
    PredictionColumns,
    models_in,
    prediction_columns,
    prediction_families,
)
from halfwidth.data.sources import (
    Tables,
    family_label,
    table_columns,
    tables_of,
)
from halfwidth.data.test_set_options import TestSetOptions
from halfwidth.metrics.names import CustomMetric
from halfwidth.results.estimate import MODEL


@frozen(eq=False, repr=False)
class Predictions:
    """The true classes of cases, or their numbers, and what was predicted for them.

    Made by `from_arrays` or `from_table`, whose options its attributes are.

    Attributes
    ----------
    options : TestSetOptions
        How labels and scores are read, and what is undefined.
    bounds : tuple of float or None
    missing : {"raise", "omit", "wrong"}
    pairing : {"complete", "common", "none"}

    Examples
    --------
    >>> import halfwidth as hw
    >>> test = hw.Predictions.from_arrays([0, 1, 1], {"A": [0.2, 0.7, 0.9], "B": [0.4, 0.3, 0.8]})
    >>> test.models
    ('A', 'B')
    """

    kind: ClassVar = DataKind.PREDICTIONS
    several_models: ClassVar = (
        "from_arrays(y_true, {'A': scores, 'B': scores}), or .from_table(table, target, "
        "score={'A': 'column', 'B': 'column'})"
    )

    options: TestSetOptions = TestSetOptions()
    bounds: Any = None
    missing: MissingPredictions = "raise"
    pairing: Pairing = "complete"
    # What verbs on these data have in common, where several are to share it.
    kept: dict[Hashable, Any] | None = field(default=None, kw_only=True)
    _data: PredictionArrays | PredictionTables = field(default=cast("Any", None), kw_only=True)

    @classmethod
    @checked_options
    def from_arrays(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        labels: Sequence[Any] | None = None,
        pos_label: Any = None,
        scores: Scores = "auto",
        threshold: Any = None,
        absent_class: AbsentClass = "omit",
        undefined: Undefined = "omit",
        sample_weight: Any = None,
        bounds: Any = None,
        groups: Any = None,
        strata: Any = None,
        missing: MissingPredictions = "raise",
        pairing: Pairing = "complete",
    ) -> Predictions:
        """Predictions in arrays.

        Parameters
        ----------
        y_true : array-like, shape (n,)
            True classes (numbers, text, booleans), or the targets of a regression.
        y_score : array-like, shape (n,) or (n, C), or mapping of str to these
            Scores, a column per class in the order of ``labels``, or of two classes that of the
            positive one alone; or predicted labels, or predicted numbers. A mapping has those of
            several models by their names. Rows of Series and frames are paired by label with those
            of ``y_true``, as are ``groups``, ``strata`` and ``sample_weight``.
        labels : sequence, optional
            All classes, in the order of the scores; default: those that occur, in ascending order.
            Or in the order of an ordered categorical. The set of classes is fixed before
            resampling.
        pos_label : label, optional
            The positive class; default: 1 of 0 and 1 (or -1 and 1, False and True).
        scores : {"auto", "probabilities", "logits", "any", "labels", "numbers"}, default "auto"
            What the scores are; ``"auto"`` takes numbers in [0, 1] for probabilities. ``"auto"``
            takes labels for labels, and a single column of other numbers for scores that rank;
            several such columns are an error, because it matters whether they are logits.
            ``"numbers"`` are those of a regression, which a function of your own may need to be
            told.
        threshold : float, str or partial, optional
            Positive from this score on; default: 0.5. Or the name of a metric: the threshold that
            is best by it, chosen again in each resample. Of logits it is this probability; of more
            than two classes the largest score decides. A metric with costs is given as it is to
            ``metric``.
        absent_class : {"omit", "zero", "undefined"}, default "omit"
            What a class without a value counts in an average, in the data or in a resample.
        undefined : {"omit", "zero", "worst"}, default "omit"
            What 0/0 counts: ``"omit"``, nothing; ``"zero"``, as in scikit-learn; ``"worst"``.
            Resamples that are left out are counted.
        sample_weight : array-like, shape (n,), optional
            What each case counts.
        bounds : (low, high), optional
            Of one metric of a regression: the least and the largest error that a case can have, for
            methods that rest on them; ``r2`` by itself.
        groups : array-like, shape (n,), optional
            Cluster of each case: its patient, its scan. Cases of a cluster are resampled together.
        strata : array-like, shape (n,), optional
            Stratum of each case (its site, its class), where the number of cases in each was fixed
            beforehand: bootstraps keep it.
        missing : {"raise", "omit", "wrong"}, default "raise"
            What a missing label or score means: ``"raise"``, an error; ``"omit"``: leave the case
            out, of all models that are compared; ``"wrong"``: a wrong answer, the other class or
            the worst score for the true class.
        pairing : {"complete", "common", "none"}, default "complete"
            Which cases of several models are compared: ``"complete"``, all, and a case that some
            model lacks is an error; ``"common"``: such cases are left out and counted; ``"none"``:
            the models were measured on different cases, which are not matched.

        Returns
        -------
        Predictions

        Raises
        ------
        DataError, OptionError
            For lengths that differ, models without names, and options that are not allowed.

        Examples
        --------
        >>> import halfwidth as hw
        >>> truth = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1] * 5
        >>> models = {"A": [i / 50 for i in range(50)], "B": [0.2, 0.9] * 25}
        >>> test = hw.Predictions.from_arrays(truth, models)
        >>> [f"{e.label} {e.value:.2f}" for e in hw.estimate(test, metric="auroc")]
        ['A 0.60', 'B 0.60']
        """
        if isinstance(y_score, Mapping):
            common = {"target": y_true, "groups": groups, "strata": strata}
            cases = models_of(y_score, common | {"weights": sample_weight}, argument="y_score")
            refuse_cases_of_no_model(cases, y_true)
        else:
            cases = (ModelCases("", y_score, None, y_true, groups, strata, sample_weight),)
        options = TestSetOptions(labels, pos_label, scores, threshold, absent_class, undefined)
        return cls(options, bounds, missing, pairing, _data=PredictionArrays(cases))

    @classmethod
    @checked_options
    def from_table(
        cls,
        table: Any,
        target: str,
        *,
        score: Any = (),
        prediction: Any = None,
        model: str | None = None,
        by: Any = (),
        case: str | None = None,
        groups: str | None = None,
        strata: str | None = None,
        sample_weight: str | None = None,
        labels: Sequence[Any] | None = None,
        pos_label: Any = None,
        scores: Scores = "auto",
        threshold: Any = None,
        absent_class: AbsentClass = "omit",
        undefined: Undefined = "omit",
        bounds: Any = None,
        missing: MissingPredictions = "raise",
        pairing: Pairing = "complete",
    ) -> Predictions:
        """Predictions in a table, or in several.

        Parameters
        ----------
        table : data frame, mapping of columns, sequence of tables, or mapping of str to table
            One table; several; or a table for each model, by its name.
        target : str
            Column of true classes or numbers.
        score : str, sequence of str, or mapping of str to these, optional
            Column of scores; several are those of the classes, in the order of ``labels``. Of two
            classes that of the positive one is enough. As a mapping, those of each model.
        prediction : str or mapping of str to str, optional
            Column of predicted classes (or numbers). As a mapping, that of each model.
        model : str, optional
            Column that names the model of each row; default: the first of model, algorithm and
            alg_name that there is.
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
        sample_weight : str, optional
            Column of sample weights: what each case counts.
        labels : sequence, optional
            All classes, in the order of the scores; default: those that occur, in ascending order.
        pos_label : label, optional
            The positive class; default: 1 of 0 and 1 (or -1 and 1, False and True).
        scores : {"auto", "probabilities", "logits", "any", "labels", "numbers"}, default "auto"
            What the scores are; ``"auto"`` takes numbers in [0, 1] for probabilities.
        threshold : float, str or partial, optional
            Positive from this score on; default: 0.5. Or the name of a metric: the threshold that
            is best by it, chosen again in each resample.
        absent_class : {"omit", "zero", "undefined"}, default "omit"
            What a class without a value counts in an average, in the data or in a resample.
        undefined : {"omit", "zero", "worst"}, default "omit"
            What 0/0 counts: ``"omit"``, nothing; ``"zero"``, as in scikit-learn; ``"worst"``.
        bounds : (low, high), optional
            Of one metric of a regression: the least and the largest error that a case can have, for
            methods that rest on them; ``r2`` by itself.
        missing : {"raise", "omit", "wrong"}, default "raise"
            What a missing label or score means: ``"raise"``, an error; ``"omit"``: leave the case
            out, of all models that are compared; ``"wrong"``: a wrong answer, the other class or
            the worst score for the true class.
        pairing : {"complete", "common", "none"}, default "complete"
            Which cases of several models are compared: ``"complete"``, all, and a case that some
            model lacks is an error; ``"common"``: such cases are left out and counted; ``"none"``:
            the models were measured on different cases, which are not matched.

        Returns
        -------
        Predictions

        Raises
        ------
        DataError, OptionError
            For what is no table, and options that are not allowed.

        Examples
        --------
        >>> import pandas as pd, halfwidth as hw
        >>> frame = pd.DataFrame({"y": [0, 1] * 20, "p": [i / 40 for i in range(40)]})
        >>> test = hw.Predictions.from_table(frame, "y", score="p")
        >>> print(f"{hw.estimate(test, metric='auroc')[0].value:.3f}")
        0.525
        """
        where = prediction_columns(target, score, prediction)
        columns = table_columns(
            by, model=model, case=case, groups=groups, strata=strata, sample_weight=sample_weight
        )
        models = where.predictions if where.columns_by_model else ()
        tables = tables_of(table, columns, models, where.used)
        options = TestSetOptions(labels, pos_label, scores, threshold, absent_class, undefined)
        return cls(options, bounds, missing, pairing, _data=PredictionTables(tables, where))

    def __repr__(self) -> str:
        return shown_data("Predictions", self.models)

    def __post_init__(self) -> None:
        if not isinstance(self._data, PredictionArrays | PredictionTables):
            raise OptionError(
                "Predictions are made by Predictions.from_arrays(y_true, y_score) or "
                ".from_table(table, target)"
            )
        missing_policy(self.missing, OF_TEST_SETS)
        as_choice("absent_class", self.options.absent_class)
        as_choice("undefined", self.options.undefined)
        as_choice("pairing", self.pairing)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models; none where nothing tells them."""
        return self._data.models

    @property
    def source(self) -> PredictionArrays | PredictionTables:
        """Where the predictions are: in arrays, or in tables."""
        return self._data

    def taking(self, names: Collection[str]) -> Predictions:
        """The data of some models.

        Parameters
        ----------
        names : sequence of str
            Of the models that are kept.

        Returns
        -------
        Predictions

        Raises
        ------
        UnknownNameError
            For a model that the data have not.
        """
        return replace(self, _data=self._data.taking(known_models(names, self.models)))

    def called(self, y_true: str, y_score: str) -> Predictions:
        """The predictions with the names by which messages call their arrays."""
        if not isinstance(self._data, PredictionArrays):
            raise TypeError("columns of tables have names")
        return replace(self, _data=replace(self._data, called=(y_true, y_score)))

    def without_metrics(self, *, decided: bool = False) -> Predictions:
        """The predictions without what only metrics look at; ``decided``: but with a threshold."""
        read = TestSetOptions(self.options.labels, self.options.pos_label, self.options.scores)
        if decided:
            read = replace(read, threshold=self.options.threshold)
        return replace(self, options=read, bounds=None)

    def over_levels(self) -> Predictions:
        """The cases of all levels together, each level of the column `by` a stratum.

        Raises
        ------
        DataError, OptionError
            For cases without a level, and data that have not one such column.
        """
        return replace(self, _data=self._data.over_levels())


@frozen(eq=False)
class ModelAlone:
    """The cases of one model within some levels, and what messages and results call these."""

    model: ModelCases
    # The levels, at the beginning of a message.
    place: str
    # The true classes and the predictions of a model without a name.
    called: tuple[str, str]
    label: str = ""
    by: Mapping[str, Any] = field(default_factory=dict)


@frozen(eq=False)
class PredictionArrays(Arrays):
    """Predictions of models in arrays."""

    called: tuple[str, str] = ("y_true", "y_score")

    @property
    def has_target(self) -> bool:
        """Whether true classes or numbers are known."""
        return self.cases[0].target is not None

    def models_alone(self, **_: bool) -> Iterator[ModelAlone]:
        """Each model by itself, whatever targets are."""
        for model in self.cases:
            by = {MODEL: model.name} if model.name else {}
            yield ModelAlone(model, "", self.called, model.name, by)

    def families(self, metric: Metric | CustomMetric, **_: Any) -> tuple[list[Family], list[str]]:
        """All models, however their cases are matched."""
        return [Family(self.cases, metric)], []

    def over_levels(self) -> PredictionArrays:
        """Refused: arrays have no levels."""
        raise OptionError(
            f"arrays have no centres: name their column in Predictions.from_table(table, "
            f"target, score=..., {spelled('by', 'centre')})"
        )


@frozen(eq=False)
class PredictionTables:
    """Predictions in tables."""

    tables: Tables
    where: PredictionColumns

    @property
    def models(self) -> tuple[str, ...]:
        """Their names; none where nothing tells them."""
        return self.tables.models

    def taking(self, names: Collection[str]) -> PredictionTables:
        """The tables of some models."""
        where = self.where
        if where.columns_by_model:
            columns = {name: one for name, one in where.predictions.items() if name in names}
            where = replace(where, predictions=columns)
        return replace(self, tables=self.tables.taking(names), where=where)

    @property
    def has_target(self) -> bool:
        """Whether true classes or numbers are known."""
        return self.where.target is not None

    def models_alone(self, *, numbers: bool) -> Iterator[ModelAlone]:
        """Each model and level by itself; rows of several models apart where these are named."""
        columns = self.tables.columns
        for source in self.tables.sources:
            apart = replace(columns, by=self.tables.apart(source))
            for within, model in models_in(
                source, apart, self.where, numbers=numbers, paired=False
            ):
                place = f"{family_label(within)}: " if within else ""
                named = model.name and apart.by not in within
                by = {apart.by or MODEL: model.name} | within if named else within
                label = " / ".join(
                    filter(None, [model.name if named else "", family_label(within)])
                )
                yield ModelAlone(model, place, self.where.spelled, label, by)

    def families(
        self, metric: Metric | CustomMetric, *, numbers: bool, pairing: Pairing
    ) -> tuple[list[Family], list[str]]:
        """The families of each level, and what was left out."""
        columns = self.tables.with_models()
        return prediction_families(
            self.tables.sources, columns, self.where, metric, numbers=numbers, pairing=pairing
        )

    def over_levels(self) -> PredictionTables:
        """The tables with their one column of levels as that of the strata."""
        columns = self.tables.columns
        if len(columns.within) != 1 or columns.strata is not None:
            named = [*columns.within, *filter(None, [columns.strata])]
            raise OptionError(
                f"pooling over centres takes one column of centres, which are the strata as well: "
                f"give {spelled('by', 'centre')}, got {', '.join(named) or 'none'}"
            )
        (name,) = columns.within
        for source in self.tables.sources:
            lacking = np.flatnonzero(~source.table.present(name)) + 1
            if len(lacking):
                raise DataError(
                    f"{source.named}{name}: {len(lacking)} of {len(source.table)} cases lack their "
                    f"centre (case {shortened(lacking.tolist(), most=3)}); give each case a "
                    "centre, or leave it out"
                )
        over_levels = replace(columns, within=(), strata=name)
        return replace(self, tables=replace(self.tables, columns=over_levels))
