"""``halfwidth ci`` with a target: metrics of a whole test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import halfwidth as hw
from halfwidth.cli.output import note_if_long
from halfwidth.cli.reading import Options, check_columns, table_in
from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.parameters import split_names
from halfwidth.core.processes import check_jobs
from halfwidth.core.spec import Metric, Takes
from halfwidth.estimation.repeat_cautions import box_cautions, repeat_cautions
from halfwidth.estimation.test_sets.metric_ci import estimates_of_test_set
from halfwidth.estimation.test_sets.metric_names import resolve_sample_metric
from halfwidth.estimation.test_sets.metric_requests import TestSetOptions
from halfwidth.io.arrays import read_array
from halfwidth.io.table import Table
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.results.estimate import Estimates
from halfwidth.tables.folds import ModelFile
from halfwidth.tables.prediction_columns import class_cells, score_cells
from halfwidth.tables.repeats import case_column, repeats_in

if TYPE_CHECKING:
    from halfwidth.results.result import Result

# What describes the cases of curves, and what is asked of these.
OF_CASES = ("labels", "pos_label", "scores", "groups", "strata", "missing")
OF_CURVES = ("confidence_level", "n_resamples", "rng")
# How labels and scores are read, and what is undefined.
OF_TEST_SETS = ("labels", "pos_label", "scores", "threshold", "absent_class", "undefined")


@frozen
class TestSetSource:
    """Where labels and predictions are: in columns of a table, or in NumPy files."""

    file: ModelFile | None
    target: str | None
    score: list[str]
    prediction: str | None
    target_file: Path | None
    score_file: Path | None
    reading: Options = Options()

    @classmethod
    def from_params(cls, file: ModelFile | None, params: Mapping[str, Any]) -> TestSetSource:
        """From the options of a verb; not all have those of NumPy files."""
        return cls(
            file,
            params["target"],
            params["score"] or [],
            params["prediction"],
            params.get("target_file"),
            params.get("score_file"),
            Options.from_given(params),
        )

    @property
    def any(self) -> bool:
        """Whether the options name a test set."""
        columns = self.target or self.score or self.prediction
        return bool(columns or self.target_file or self.score_file)

    @property
    def names(self) -> tuple[str, str]:
        """What messages call the true classes and the predictions."""
        if self.file is None:
            return f"--target-file {self.target_file}", f"--score-file {self.score_file}"
        predicted = f"--prediction {self.prediction}" if self.prediction else "--score"
        return f"--target {self.target}", predicted

    def check(self) -> None:
        """Refuse what does not go together."""
        arrays = self.target_file is not None or self.score_file is not None
        if arrays and (self.file is not None or self.target or self.score or self.prediction):
            raise OptionError(
                "--target-file and --score-file replace a table; leave out FILE, --target, "
                "--score and --prediction"
            )
        if arrays and (self.target_file is None or self.score_file is None):
            lacking = "--target-file" if self.target_file is None else "--score-file"
            raise OptionError(f"--target-file and --score-file go together; {lacking} is missing")
        if arrays and self.reading != Options(groups=self.reading.groups):
            raise OptionError(
                "--where, --sheet, --decimal, --header, --input-format, --path and --filter are "
                "for tables; leave them out for arrays"
            )
        if arrays:
            return
        if self.file is None:
            raise OptionError("name the table: halfwidth ci FILE --target COLUMN --score COLUMN")
        if self.target is None:
            raise OptionError("--score and --prediction need --target COLUMN, the true classes")
        if bool(self.score) == (self.prediction is not None):
            raise OptionError(
                "--target needs --score COLUMN (one for each class, or that of the positive one) "
                "or --prediction COLUMN" + ("; not both" if self.score else "")
            )


def test_set_arguments(params: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of a test set and its metrics; labels are texts still."""
    same = ("labels", "pos_label", "scores", "absent_class", "undefined")
    return {name: params[name] for name in same} | {
        # An option that may be repeated is an empty list where it is not given.
        "average": split_names(params["average"] or ()) or None,
        "threshold": parse_threshold(params["threshold"]),
        "tables": parse_tables(params),
    }


@frozen
class DesignColumns:
    """Names of further columns."""

    groups: str | None
    strata: str | None
    weight: str | None


@frozen
class TestSetData:
    """Labels and predictions, and the clusters, strata and weights of the cases.

    ``cautions`` are what the other columns of their table say against taking rows as cases;
    ``table`` has those that are named.
    """

    y_true: Any
    y_score: Any
    groups: Sequence[Any] | None = None
    strata: Sequence[Any] | None = None
    weight: Any = None
    cautions: tuple[Caution, ...] = ()
    table: Table | None = None


def read_test_set(source: TestSetSource, columns: DesignColumns, *, numbers: bool) -> TestSetData:
    """Read the test set; ``numbers``: targets are numbers rather than classes."""
    source.check()
    if source.file is None:
        if columns.groups or columns.strata or columns.weight:
            raise OptionError(
                "--groups, --strata and --sample-weight name columns of a table; arrays have none"
            )
        return TestSetData(read_array(str(source.target_file)), read_array(str(source.score_file)))

    table = table_in(source.file, source.reading)
    further = [columns.groups, columns.strata, columns.weight]
    every = [source.target, *source.score, source.prediction, *further]
    check_columns(table, every)
    columns_used = [name for name in every if name is not None]
    return TestSetData(
        class_cells(table, str(source.target), numbers=numbers),
        _predictions(table, source, numbers=numbers),
        None if columns.groups is None else table.levels(columns.groups),
        None if columns.strata is None else table.levels(columns.strata),
        None if columns.weight is None else class_cells(table, columns.weight, numbers=True),
        _repeat_cautions(table, columns_used, columns),
        replace(table, columns={name: table.columns[name] for name in columns_used}),
    )


def _repeat_cautions(
    table: Table, taken: Sequence[str], columns: DesignColumns
) -> tuple[Caution, ...]:
    """What columns of case ids, patients, runs or boxes say of the rows that are used."""
    import numpy as np

    used = [name for name in taken if name not in (columns.groups, columns.strata)]
    rows = np.flatnonzero(np.logical_and.reduce([table.present(name) for name in used]))
    groups = None if columns.groups is None else table.levels(columns.groups)
    case = case_column(table, taken, persons=False)
    repeats = repeats_in(table, rows, case=case, groups=groups, taken=taken)
    return (*repeat_cautions(repeats, len(rows)), *box_cautions(table.names))


def _predictions(table: Table, source: TestSetSource, *, numbers: bool) -> Any:

    if source.prediction is not None:
        return class_cells(table, source.prediction, numbers=numbers)
    return score_cells(table, source.score, str(source.file))


def parse_labels(texts: list[str] | None, cells: Any) -> list[Any] | None:
    """The labels meant by texts, given the cells of the target."""
    if not texts:
        return None
    return [parse_label(part, cells) for text in texts for part in text.split(",") if part.strip()]


def parse_label(text: str, cells: Any) -> Any:
    """A text as a label of the kind that the target holds: text, number or boolean."""
    import numpy as np

    text, kind = text.strip(), np.asarray(cells).dtype.kind
    if kind == "b":
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    if kind in "OSU":
        return text
    try:
        number = float(text)
    except ValueError:
        number = {"true": 1.0, "false": 0.0}.get(text.lower(), float("nan"))
    return text if number != number else number  # noqa: PLR0124


def parse_numbers(option: str, text: str | None) -> list[float] | None:
    """``"0.9,0.1"`` as numbers."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"{option} {text!r} is not a list of numbers such as 0.9,0.1") from None


def parse_tables(params: Mapping[str, Any]) -> dict[str, Any]:
    """Costs, ``"0,1;5,0"`` as rows of numbers, and priors, as far as they are given."""
    costs, priors = params["costs"], parse_numbers("--priors", params["priors"])
    rows = None if costs is None else [parse_numbers("--costs", row) for row in costs.split(";")]
    return {name: one for name, one in (("costs", rows), ("priors", priors)) if one is not None}


def with_tables(metrics: Sequence[Any], tables: Mapping[str, Any]) -> list[Any]:
    """Metrics, and what the threshold is chosen by, with the costs and priors that they take."""
    if not tables:
        return list(metrics)
    named = [resolve_sample_metric(one) for one in metrics if isinstance(one, str)]
    specs = [one.spec for one in named if isinstance(one, Metric)]
    for option in tables:
        if not any(option in spec.tables for spec in specs):
            takers = ", ".join(spec.name for spec in SAMPLE_METRICS if option in spec.tables)
            names = ", ".join(spec.name for spec in specs) or "your own metric"
            raise OptionError(f"--{option} has no effect on {names}; it is for {takers}")
    return [with_its_tables(one, tables) for one in metrics]


def with_its_tables(metric: Any, tables: Mapping[str, Any]) -> Any:
    """A metric, if it is named, with the costs and priors that it takes."""
    resolved = resolve_sample_metric(metric) if isinstance(metric, str) else None
    if not isinstance(resolved, Metric) or not resolved.spec.tables:
        return metric
    return replace(
        resolved, tables={name: tables[name] for name in resolved.spec.tables if name in tables}
    )


def parse_threshold(text: str | None) -> float | str | None:
    """A number, or the name of the metric to choose it by."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return text


def estimate_test_set(
    source: TestSetSource,
    metrics: list[str] | None,
    options: dict[str, Any],
    columns: DesignColumns,
    kind: str | None,
) -> tuple[Estimates, Result]:
    """The table of estimates, and the result that a figure of this kind draws."""
    if not metrics:
        raise OptionError(
            f"--target needs --metric NAME; one or more of {', '.join(SAMPLE_METRICS.names)}"
        )
    resolved = [resolve_sample_metric(name) for name in metrics]
    numbers = any(one.spec.takes is Takes.NUMBERS for one in resolved if isinstance(one, Metric))
    if numbers and kind not in (None, "forest"):
        raise OptionError(
            f"--plot-kind {kind} draws a classification; for a regression use --plot-kind forest"
        )
    test_set = read_test_set(source, columns, numbers=numbers)
    if any(isinstance(one, Metric) and one.spec.takes is Takes.SCORES for one in resolved):
        note_if_long(len(test_set.y_true), options["method"], options["n_resamples"])
    positive = options.pop("pos_label")
    options["threads"] = check_jobs(options.pop("jobs"))
    options |= {
        "names": source.names,
        "labels": parse_labels(options["labels"], test_set.y_true),
        "pos_label": None if positive is None else parse_label(positive, test_set.y_true),
        "groups": test_set.groups,
        "strata": test_set.strata,
        "sample_weight": test_set.weight,
    }
    *asked_metrics, threshold = with_tables([*metrics, options["threshold"]], options.pop("tables"))
    asked = {name: one for name, one in options.items() if name not in OF_TEST_SETS}
    test_set_options = {name: options[name] for name in OF_TEST_SETS} | {"threshold": threshold}
    estimates = estimates_of_test_set(
        test_set.y_true,
        test_set.y_score,
        metric=asked_metrics,
        options=TestSetOptions(**test_set_options),
        **asked,
    )
    table = estimates.with_cautions(test_set.cautions)
    return table, table if kind in (None, "forest") else _drawn(test_set, options, kind)


def _drawn(test_set: TestSetData, options: dict[str, Any], kind: str) -> Result:
    """The curves of a test set, or its confusion matrix."""
    described = {name: options[name] for name in OF_CASES}
    asked = {name: options[name] for name in OF_CURVES}
    if kind == "confusion":
        if isinstance(options["threshold"], str):
            raise OptionError("--plot-kind confusion needs a threshold that is a number")
        described["threshold"] = options["threshold"]
    data = hw.Predictions.from_arrays(test_set.y_true, test_set.y_score, **described)
    if kind == "confusion":
        return hw.confusion_ci(data, **asked)
    return hw.curve(data, cast("Any", kind), **asked)
