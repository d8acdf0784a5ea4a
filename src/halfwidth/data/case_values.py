"""Values of cases: a number for each, of one model or of several, in arrays or in tables."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Hashable, Mapping
from dataclasses import field, replace
from typing import Any, cast

from halfwidth.core.by_metric import Numbers
from halfwidth.core.checks import as_choice, refuse_paths
from halfwidth.core.errors import DataError, HalfwidthError, OptionError, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.option_table.option import DataKind
from halfwidth.core.pseudo_cases import Failures
from halfwidth.core.public_functions import checked_options
from halfwidth.core.types import Over
from halfwidth.core.undefined import missing_policy
from halfwidth.data.families import (
    Arrays,
    ModelCases,
    Pairing,
    known_models,
    shown_data,
)
from halfwidth.data.inputs import is_column, models_of, names_models
from halfwidth.data.run_values import RunValues, run_values
from halfwidth.data.several_metrics import MetricColumns, metric_columns
from halfwidth.data.sources import (
    ModelTable,
    TableColumns,
    Tables,
    column_list,
    column_name,
    is_table,
    table_columns,
    tables_of,
    value_columns,
)
from halfwidth.io.table import Table
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.tables.layout import metrics_in

# What a missing value may mean: to all verbs, to `estimate` ("all"), to `rank` ("worst_rank").
WORST_RANK = "worst_rank"
# What the column of values is called in a table that is made of arrays.
ARRAY = "values"


@frozen(eq=False, repr=False)
class CaseValues:
    """Values of cases, such as the Dice of each image: of one model or of several.

    Made by `from_arrays`, `from_table` or `from_runs`. Its attributes are what these were given.

    Attributes
    ----------
    metric : str, MetricSpec or metric function, sequence or mapping of these, or None
    bounds : tuple of float or None
    scale : float
    over : {"cases", "clusters"}
    missing : {"raise", "omit", "worst", "worst_rank", "all"}
    penalty : float, mapping or None
    failures : {"seen", "unseen", "both"}
    pairing : {"complete", "common", "none"}

    Examples
    --------
    >>> import halfwidth as hw
    >>> values = hw.CaseValues.from_arrays({"A": [0.9, 0.8, 0.7], "B": [0.8, 0.9, 0.6]})
    >>> values.models
    ('A', 'B')
    """

    metric: Any = None
    bounds: Any = None
    scale: float = 1.0
    over: Over = "cases"
    missing: Any = "raise"
    penalty: Numbers | None = None
    failures: Failures = "seen"
    pairing: Pairing = "complete"
    # What verbs on these data have in common, where several are to share it.
    kept: dict[Hashable, Any] | None = field(default=None, kw_only=True)
    _data: ValueArrays | ValueTables | RunValues = field(default=cast("Any", None), kw_only=True)

    @classmethod
    @checked_options
    def from_arrays(
        cls,
        values: Any,
        *,
        metric: Any = None,
        groups: Any = None,
        strata: Any = None,
        over: Over = "cases",
        bounds: Any = None,
        scale: float = 1.0,
        missing: Any = "raise",
        penalty: Numbers | None = None,
        failures: Failures = "seen",
        pairing: Pairing = "complete",
    ) -> CaseValues:
        """Values of cases in arrays.

        Parameters
        ----------
        values : array-like, shape (n,), or mapping of str to array-like, or data frame
            A number for each case in the metric's unit; of several models by their names, or a
            column for each. Labels of pandas Series and frames say which case a row is of, in any
            order; without labels all models have the same cases in the same places.
        metric : str, MetricSpec or metric function, optional
            What the values are: ``"dsc"``, ``"hd95"``, ``"nsd:tolerance=3"``, ...; decides range,
            unit and which direction is better. Those of the catalogue are ``halfwidth.METRICS``.
        groups : array-like, shape (n,), optional
            Cluster of each case: its patient, its scan. Cases of a cluster are resampled together.
            They resemble each other: bootstraps draw whole clusters, ``t`` and Wilson's interval
            are made robust.
        strata : array-like, shape (n,), optional
            Stratum of each case (its site, its class), where the number of cases in each was fixed
            beforehand: bootstraps keep it.
        over : {"cases", "clusters"}, default "cases"
            What the statistic is taken of: cases, or clusters, by the mean of each. The two
            estimate different things where clusters differ in size.
        bounds : (low, high), optional
            Range of the values, for a metric of your own. It replaces that of the metric.
        scale : float, default 1.0
            Values are divided by it; 100 for per cent.
        missing : {"raise", "omit", "worst", "all", "worst_rank"}, default "raise"
            What a missing value means: ``"raise"``, an error; ``"omit"``: not applicable, leave the
            case out, of all models that are compared; ``"worst"``: failed, count it as the worst
            value; ``"worst_rank"``, of `rank`: the last rank of its case; ``"all"``, of `estimate`:
            the first policies side by side, with what the table itself has for failed cases.
        penalty : float or mapping of str to float, optional
            The worst value with ``missing="worst"``, for metrics without one (distances), in the
            unit after scaling. Of several metrics by name: ``{"hd95": 200}``.
        failures : {"seen", "unseen", "both"}, default "seen"
            What ``"auto"`` allows for: ``"seen"``, failures such as these cases show; ``"unseen"``,
            failures as none of them did; ``"both"``, the first with the second beside it. Failures
            that are seen may be worse by a heavy tail of them, others as bad as the bounds of the
            metric. With ``"both"`` the other interval is ``if_unseen_failures``, and a verdict has
            to hold under either.
        pairing : {"complete", "common", "none"}, default "complete"
            Which cases of several models are compared: ``"complete"``, all, and a case that some
            model lacks is an error; ``"common"``: such cases are left out and counted; ``"none"``:
            the models were measured on different cases, which are not matched.

        Returns
        -------
        CaseValues

        Raises
        ------
        DataError, OptionError
            For lengths that differ, models without names, and options that are not allowed.

        Examples
        --------
        >>> import halfwidth as hw
        >>> dice = {"A": [0.91, 0.88, 0.93, 0.85], "B": [0.90, 0.85, 0.89, 0.80]}
        >>> values = hw.CaseValues.from_arrays(dice, metric="dsc", groups=["p1", "p1", "p2", "p3"])
        >>> [f"{e.label} {e.value:.4f}, {e.n_groups} patients" for e in hw.estimate(values)]
        ['A 0.8925, 3 patients', 'B 0.8600, 3 patients']
        """
        if names_models(values):
            cases = models_of(values, {"groups": groups, "strata": strata}, argument="values")
        else:
            refuse_paths(values)
            cases = (ModelCases("", values, groups=groups, strata=strata),)
        options = (metric, bounds, scale, over, missing, penalty, failures, pairing)
        return cls(*options, _data=ValueArrays(cases))

    @classmethod
    @checked_options
    def from_table(
        cls,
        table: Any,
        value: Any = None,
        *,
        metric: Any = None,
        model: str | None = None,
        by: Any = (),
        case: str | None = None,
        groups: str | None = None,
        strata: str | None = None,
        over: Over = "cases",
        bounds: Any = None,
        scale: float = 1.0,
        missing: Any = "raise",
        penalty: Numbers | None = None,
        failures: Failures = "seen",
        pairing: Pairing = "complete",
    ) -> CaseValues:
        """Values of cases in a table, or in several.

        Cases are matched by their ids, never by the places of their rows. A canonical long table
        (columns ``case, metric, value`` and optionally ``model, task, label, status, parameters,
        group, stratum``) needs no further options, nor does that of a challenge (algorithm or
        model, task, case and value).

        Parameters
        ----------
        table : data frame, mapping of columns, sequence of tables, or mapping of str to table
            One table; several; or a table for each model, by its name.
        value : str, sequence of str, or mapping of str to str, optional
            Columns of values, each apart; or, from the name of each model, its column. Default:
            every numeric column that is neither a case id nor has another role.
        metric : str, MetricSpec or metric function, sequence or mapping of these, optional
            What the values are; of a canonical table those of its metrics that are wanted. Several
            are columns that are called as their metrics, or a mapping from column to metric.
        model : str, optional
            Column that names the model of each row; default: the first of model, algorithm and
            alg_name that there is.
        by : str or sequence of str, optional
            Column, such as the organ, for each of whose levels a verb answers apart. Of several
            columns each combination of levels.
        case : str, optional
            Column of case ids; default: the first of case, case_id, id, subject, patient, name,
            filename that exists. With ``groups``, ids need be unique within their cluster only.
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
        missing : {"raise", "omit", "worst", "all", "worst_rank"}, default "raise"
            What a missing value means: ``"raise"``, an error; ``"omit"``: not applicable, leave the
            case out, of all models that are compared; ``"worst"``: failed, count it as the worst
            value; ``"worst_rank"``, of `rank`: the last rank of its case; ``"all"``, of `estimate`:
            the first policies side by side, with what the table itself has for failed cases.
        penalty : float or mapping of str to float, optional
            The worst value with ``missing="worst"``, for metrics without one (distances), in the
            unit after scaling.
        failures : {"seen", "unseen", "both"}, default "seen"
            What ``"auto"`` allows for: ``"seen"``, failures such as these cases show; ``"unseen"``,
            failures as none of them did; ``"both"``, the first with the second beside it.
        pairing : {"complete", "common", "none"}, default "complete"
            Which cases of several models are compared: ``"complete"``, all, and a case that some
            model lacks is an error; ``"common"``: such cases are left out and counted; ``"none"``:
            the models were measured on different cases, which are not matched.

        Returns
        -------
        CaseValues

        Raises
        ------
        DataError, OptionError
            For what is no table, and options that are not allowed.

        Examples
        --------
        >>> import pandas as pd, halfwidth as hw
        >>> frame = pd.DataFrame({
        ...     "case": ["a", "b", "c", "c", "b", "a"],
        ...     "model": ["U-Net"] * 3 + ["ViT"] * 3,
        ...     "dice": [0.91, 0.88, 0.93, 0.85, 0.80, 0.89],
        ... })
        >>> values = hw.CaseValues.from_table(frame, "dice", metric="dsc", model="model")
        >>> [(e.label, round(e.value, 2)) for e in hw.estimate(values, statistic="median")]
        [('U-Net', 0.91), ('ViT', 0.85)]
        """
        columns = table_columns(by, model=model, case=case, groups=groups, strata=strata)
        models = map(str, value) if isinstance(value, Mapping) else ()
        names = value_columns(value)
        tables = tables_of(
            table, columns, models, names.values() if isinstance(names, dict) else names or ()
        )
        options = (metric, bounds, scale, over, missing, penalty, failures, pairing)
        return cls(*options, _data=ValueTables(tables, names))

    @classmethod
    @checked_options
    def from_runs(
        cls,
        runs: Any,
        value: str | None = None,
        *,
        metric: Any = None,
        by: Any = (),
        folds: str = "refuse",
        bounds: Any = None,
        scale: float = 1.0,
        missing: Any = "raise",
        penalty: Numbers | None = None,
    ) -> CaseValues:
        """Values of independent training runs, of which `estimate` gives quantiles and the mean.

        Runs repeat a training with one source of variation changed (the seed of the initial
        weights, the split, the augmentation, ...). Their number is the sample size, whatever the
        size of the test set.

        Parameters
        ----------
        runs : array-like, shape (n,), or data frame or mapping of columns
            The metric of each run; or a table with a row per run, plain or as MLflow and W&B export
            it: the metric may be called ``metrics.accuracy``, settings ``params.lr``; runs whose
            ``status`` or ``State`` says that they did not finish are left out, with a caution.
        value : str, optional
            Column of the metric; default: the only one there is.
        metric : str, MetricSpec or callable, or sequence of them, optional
            Of predictions and detections, what is estimated; of values, what they are, where their
            data do not say it. It decides range, unit and which direction is better. Parameters
            stand after a colon: ``"nsd:tolerance=3"``; costs and priors by
            ``functools.partial(halfwidth.metrics.expected_cost, costs=[[0, 1], [5, 0]])``. Or a
            function of your own.
        by : str or sequence of str, optional
            Column, such as the organ, for each of whose levels a verb answers apart.
        folds : {"refuse", "average"}, default "refuse"
            What a column ``fold`` means: ``"refuse"``, an error, as folds are no independent runs;
            or ``"average"`` over the folds of each seed as one run.
        bounds : (low, high), optional
            Range of the values, for a metric of your own.
        scale : float, default 1.0
            Values are divided by it; 100 for per cent.
        missing : {"raise", "omit", "worst", "all", "worst_rank"}, default "raise"
            What a missing value means: ``"raise"``, an error; ``"omit"``: not applicable, leave the
            case out, of all models that are compared; ``"worst"``: failed, count it as the worst
            value; ``"worst_rank"``, of `rank`: the last rank of its case; ``"all"``, of `estimate`:
            the first policies side by side, with what the table itself has for failed cases.
        penalty : float or mapping of str to float, optional
            The worst value with ``missing="worst"``, for metrics without one (distances), in the
            unit after scaling.

        Returns
        -------
        CaseValues

        Raises
        ------
        DataError, OptionError, UnknownNameError
            For columns that are not there, and a table of cases.

        References
        ----------
        Lehmann & Paromau (2025).

        Examples
        --------
        >>> import halfwidth as hw
        >>> table = {
        ...     "metrics.accuracy": [0.87, 0.88, 0.86, 0.89, 0.85, 0.87, 0.88, 0.90],
        ...     "params.seed": list(range(8)),
        ...     "status": ["FINISHED"] * 8,
        ... }
        >>> runs = hw.CaseValues.from_runs(table, "accuracy")
        >>> estimates = hw.estimate(runs, statistic=["median", "mean"], confidence_level=0.9)
        >>> [(e.subject, e.method) for e in estimates]
        [('0.5 quantile of accuracy over runs', 'exact'), ('mean of accuracy over runs', 't')]
        """
        refuse_paths(runs)
        values = run_values(
            runs, column_name("value", value), column_list("by", by), folds, is_table=is_table(runs)
        )
        missing = missing_policy(missing)
        return cls(metric, bounds, scale, missing=missing, penalty=penalty, _data=values)

    def __repr__(self) -> str:
        options = {"metric": self.metric}
        # What cannot be estimated can be looked at all the same.
        with contextlib.suppress(HalfwidthError):
            options |= self._data.roles(self)
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([shown_data("CaseValues", self.models, **options), *notes])

    def __post_init__(self) -> None:
        if not isinstance(self._data, ValueArrays | ValueTables | RunValues):
            raise OptionError(
                "CaseValues are made by CaseValues.from_arrays(values), .from_table(table) or "
                ".from_runs(runs)"
            )
        as_choice("missing", self.missing, "CaseValues")
        as_choice("failures", self.failures)
        as_choice("pairing", self.pairing)
        as_choice("over", self.over)

    @property
    def kind(self) -> DataKind:
        """Values of cases, or of training runs."""
        return DataKind.RUNS if isinstance(self._data, RunValues) else DataKind.VALUES

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models; none where nothing tells them."""
        return self._data.models

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed when the files were read."""
        if not isinstance(self._data, ValueTables):
            return ()
        tables = (one.table for one in self.tables.sources)
        return tuple(f"{table.source}: {note}" for table in tables for note in table.notes)

    @property
    def tables(self) -> Tables:
        """The values in tables: those that were given, or one of the arrays of each model."""
        return self._data.tables

    @property
    def columns(self) -> list[MetricColumns]:
        """Each metric with the columns of its values."""
        tables = self.tables
        return self.columns_of(
            None if isinstance(self._data, RunValues) else self._data.value, tables
        )

    def columns_of(self, value: Any, tables: Tables) -> list[MetricColumns]:
        """Each metric with its columns, where ``value`` names the columns of values."""
        wanted = metric_columns(self.metric, value, tables.sources)
        if self.bounds is not None and len(wanted) > 1:
            raise OptionError(f"{spelled('bounds')} is the range of one metric; give one at a time")
        return wanted

    @property
    def source(self) -> ValueArrays | ValueTables | RunValues:
        """Where the values are: in arrays, in tables, or in those of training runs."""
        return self._data

    @property
    def are_runs(self) -> bool:
        """Whether they are of training runs."""
        return self.kind is DataKind.RUNS

    def taking(self, names: Collection[str]) -> CaseValues:
        """The data of some models.

        Parameters
        ----------
        names : sequence of str
            Of the models that are kept.

        Returns
        -------
        CaseValues

        Raises
        ------
        UnknownNameError
            For a model that the data have not.
        """
        wanted = known_models(names, self.models)
        if isinstance(self._data, RunValues):
            raise OptionError("training runs are of no models")
        return replace(self, _data=self._data.taking(wanted))

    def with_metric(self, metric: Any) -> CaseValues:
        """The values, of the metric that a verb names in their stead."""
        if metric is None or (isinstance(metric, str) and _called(metric) == _called(self.metric)):
            return self
        if self.metric is not None:
            raise OptionError(
                f"{spelled('metric', metric)} has no effect: the values already have "
                f"{spelled('metric', self.metric)}"
            )
        return replace(self, metric=metric)


def _called(metric: Any) -> Any:
    return METRICS[metric].name if isinstance(metric, str) and metric in METRICS else metric


@frozen(eq=False)
class ValueArrays(Arrays):
    """Values of models in arrays."""

    @property
    def tables(self) -> Tables:
        """A table for each model; cases without names are called by their places."""
        first = self.cases[0]
        columns = TableColumns(
            "",
            case="case",
            groups=None if first.groups is None else "groups",
            strata=None if first.strata is None else "strata",
        )
        return Tables(
            tuple(ModelTable(_table_of(one), one.name or None) for one in self.cases), columns
        )

    @property
    def value(self) -> list[str]:
        """The column of values in these tables."""
        return [ARRAY]

    def roles(self, _: CaseValues) -> dict[str, Any]:
        """Nothing: arrays have no columns."""
        return {}


def _table_of(model: ModelCases) -> Table:
    """The cases of a model as a table."""
    if not is_column(model.predictions):
        raise DataError(f"values: expected one value per case, got {shown(model.predictions)}")
    names = model.identities or range(1, len(model) + 1)
    columns = {"case": names, ARRAY: model.predictions}
    design = {"groups": model.groups, "strata": model.strata}
    return Table.from_frame(
        columns | {name: one for name, one in design.items() if one is not None}
    )


@frozen(eq=False)
class ValueTables:
    """Values in tables: columns of values, or the column of each model."""

    tables: Tables
    value: list[str] | dict[str, str] | None

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models; none where nothing tells them."""
        return self.tables.models

    def taking(self, names: Collection[str]) -> ValueTables:
        """The tables, rows or columns of some models."""
        value = self.value
        if isinstance(value, dict):
            value = {name: column for name, column in value.items() if name in names}
        return replace(self, tables=self.tables.taking(names), value=value)

    def roles(self, values: CaseValues) -> dict[str, Any]:
        """Which columns play which part: those named, else those taken by their names."""
        source, *_ = self.tables.sources
        named = [column for metric_columns in values.columns for column in metric_columns.names]
        layout, model = self.tables.layout(source, named), self.tables.apart(source)
        by = [column for column in layout.by if column != model]
        listed = self.value if isinstance(self.value, dict) else list(layout.values)
        metric = metrics_in(source.table, layout) if values.metric is None else values.metric
        return {
            "metric": _one_or_list(metric),
            "value": _one_or_list(listed),
            "case": layout.case,
            "model": model or None,
            "by": _one_or_list(by),
            "groups": layout.groups,
            "strata": layout.strata,
            "rows": sum(len(one.table) for one in self.tables.sources),
        }


def _one_or_list(values: Any) -> Any:
    """The only one of a list, and nothing for an empty one."""
    if not isinstance(values, list):
        return values
    return values if len(values) > 1 else next(iter(values), None)
