"""Reading the sections of a spec that name data: which files, and how to read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

from halfwidth.core.errors import DataError
from halfwidth.core.spec import Better, Metric
from halfwidth.core.types import Bounds
from halfwidth.core.undefined import MISSING_POLICIES, Missing
from halfwidth.metrics.names import resolve_metric
from halfwidth.study.populations.logits import Exponent
from halfwidth.study.populations.parametric import FAMILIES
from halfwidth.study.specs.formula_instances import (
    complete_component,
    formula_text,
)
from halfwidth.study.specs.matching import check_pattern
from halfwidth.study.specs.spec import (
    FittedBy,
    MixtureComponent,
    PopulationSource,
    ScoreKind,
    ScoreSource,
    TableSource,
)
from halfwidth.study.specs.toml_sections import Section, placed
from halfwidth.study.specs.value_files import CONVERSIONS
from halfwidth.tables.picked_rows import wanted_levels

OF_TABLES = (
    *("files", "metric", "bounds", "columns", "by", "where", "case", "scale"),
    *("missing", "penalty", "population", "min_cases", "model", "task", "from", "failures"),
    "above",
)
OF_SCORES = (
    *("kind", "scores", "targets", "files", "target", "columns", "labels", "positive"),
    *("floor", "missing", "population", "bandwidth", "min_cases", "model", "task"),
    *("calibration_slope", "calibration_intercept"),
)
OF_POPULATIONS = ("name", "family", "parts", "metric", "bounds")
OMISSION: tuple[Missing, ...] = ("raise", "omit")
FITTED_BY: tuple[FittedBy, ...] = get_args(FittedBy)
POPULATIONS: tuple[Literal["kde", "empirical"], ...] = ("kde", "empirical")
KINDS: tuple[ScoreKind, ...] = get_args(ScoreKind)
BANDWIDTHS: tuple[Exponent, ...] = get_args(Exponent)


def paths_of(section: Section, key: str, *, single: bool = False) -> tuple[str, ...]:
    """Patterns of files, which say the model or the task once."""
    patterns = (section.text(key),) if single and key in section else section.texts(key)
    for pattern in patterns:
        with placed(section.at(key)):
            named = check_pattern(pattern)
        for word in named:
            if word in section:
                raise DataError(
                    f"{section.at(key)}: {{{word}}} and {word} = ... both say the {word}; leave "
                    "one out"
                )
    return patterns


def _bounds(section: Section) -> Bounds | None:
    ends = section.pair("bounds")
    if ends is None:
        return None
    with placed(section.at("bounds")):
        return Bounds(*ends)


def _metric(section: Section, bounds: Bounds | None) -> Metric | None:
    name = section.text("metric")
    if not name:
        return None
    with placed(section.at("metric")):
        return resolve_metric(name, bounds)


# --------------------------------------------------------------------------- tables


def table_source(section: Section) -> TableSource:
    """A section ``[[tables]]``: values of cases."""
    section.check_keys(OF_TABLES)
    section.require("files", 'the tables, for example files = "results/*.csv"')
    bounds = _bounds(section)
    missing = section.word("missing", MISSING_POLICIES, "raise")
    penalty = section.number("penalty", None)
    if penalty is not None and missing != "worst":
        raise DataError(
            f'{section.at("penalty")} has no effect with missing = "{missing}"; write missing = '
            '"worst"'
        )
    metric = _metric(section, bounds)
    return TableSource(
        place=section.place,
        files=paths_of(section, "files"),
        metric=metric,
        columns=section.texts("columns") or None,
        by=section.texts("by"),
        where=_where(section),
        case=section.text("case") or None,
        bounds=bounds,
        scale=section.number("scale", 1.0, above=0, wanted="above 0; it divides the values"),
        missing=missing,
        penalty=penalty,
        population=section.word("population", FITTED_BY, "auto"),
        min_cases=section.integer("min_cases", 0, at_least=0),
        model=section.text("model"),
        task=section.text("task"),
        converted_from=_converted_from(section, metric),
        failures=_failures(section, metric),
        above=_above(section, metric),
    )


def _where(section: Section) -> dict[str, list[str]]:
    with placed(section.at("where")):
        return wanted_levels(section.texts("where"))


def _converted_from(section: Section, metric: Metric | None) -> str:
    """The metric in the tables that the one of the study is computed from."""
    name = section.text("from")
    known = [source for source, target in CONVERSIONS if metric and target == metric.spec.name]
    if name and name not in known:
        pairs = ", ".join(
            f'metric = "{target}" with from = "{source}"' for source, target in CONVERSIONS
        )
        raise DataError(f"{section.at('from')} = {name!r}: what can be converted is {pairs}")
    return name


def _failures(section: Section, metric: Metric | None) -> float:
    """The share of failed cases that the population has besides those of the tables."""
    share = section.number("failures", 0.0, above=0, below=1, wanted="a share such as 0.02")
    if share and (metric is None or metric.spec.worst is None):
        raise DataError(
            f"{section.at('failures')} needs a metric with a worst value; "
            + ("name it: metric = ..." if metric is None else f"{metric.spec.called} has none")
        )
    return share


def _above(section: Section, metric: Metric | None) -> float:
    """The share of the median that a case must exceed to be kept."""
    share = section.number(
        "above", 0.0, above=0, below=1, wanted="a share of the median such as 0.5"
    )
    if not share:
        return share
    at = section.at("above")
    if metric is None:
        raise DataError(f"{at} needs a metric; name it: metric = ...")
    if metric.spec.better is Better.LOWER:
        raise DataError(f"{at} keeps high values; {metric.spec.called} is better the lower it is")
    if metric.spec.bounds.low < 0:
        raise DataError(
            f"{at} is a share of the median, for values from 0 on; {metric.spec.called} begins at "
            f"{metric.spec.bounds.low:g}"
        )
    return share


# --------------------------------------------------------------------------- test sets


def score_source(section: Section) -> ScoreSource:
    """A section ``[[scores]]``: test sets with a score for each class."""
    section.check_keys(OF_SCORES)
    section.require(
        "kind",
        'what the scores are, "logits" (log-probabilities are logits too) or "probabilities"',
    )
    _check_files(section)
    kind = section.word("kind", KINDS, KINDS[0])
    population = section.word("population", POPULATIONS, "kde")
    for key, lost, why in (
        ("floor", kind == "logits", 'kind = "logits"'),
        ("bandwidth", population == "empirical", 'population = "empirical"'),
    ):
        if key in section and lost:
            raise DataError(f"{section.at(key)} has no effect with {why}")
    positive = section.plain("positive")
    if len(positive) > 1:
        raise DataError(f"{section.at('positive')}: one of two classes is the positive one")
    return ScoreSource(
        place=section.place,
        kind=kind,
        scores="".join(paths_of(section, "scores", single=True)),
        targets="".join(paths_of(section, "targets", single=True)),
        files=paths_of(section, "files"),
        target=section.text("target"),
        columns=section.texts("columns"),
        labels=_labels(section),
        positive=positive[0] if positive else None,
        floor=section.number(
            "floor", None, above=0, below=0.5, wanted="a probability near 0, such as 1e-6"
        ),
        missing=section.word("missing", OMISSION, "raise"),
        population=population,
        bandwidth=section.word("bandwidth", BANDWIDTHS, "d+4"),
        calibration=_calibration(section),
        min_cases=section.integer("min_cases", 0, at_least=0),
        model=section.text("model"),
        task=section.text("task"),
    )


def _calibration(section: Section) -> tuple[float, float] | None:
    """The intercept and the slope that a model is given."""
    slope = section.number(
        "calibration_slope", None, above=0, wanted="above 0; that of a calibrated model is 1"
    )
    intercept = section.number("calibration_intercept", 0.0)
    if slope is None and "calibration_intercept" in section:
        raise DataError(
            f"{section.at('calibration_intercept')} has no effect without calibration_slope; "
            "write calibration_slope = 1"
        )
    return None if slope is None else (intercept, slope)


def _labels(section: Section) -> tuple[Any, ...]:
    labels = section.plain("labels")
    if len(labels) == 1:
        raise DataError(f"{section.at('labels')}: name at least two classes")
    return labels


def _check_files(section: Section) -> None:
    """A pair of NumPy files, or tables with a column of classes; not both and not half of one."""
    arrays, tables = ("scores", "targets"), ("files", "target", "columns")
    present = [key for key in (*arrays, *tables) if key in section]
    keys = tables if set(present) & set(tables) else arrays
    lacking = [key for key in keys if key not in present]
    fault = f"lacks {' and '.join(lacking)}" if lacking else ""
    if set(present) & set(arrays) and set(present) & set(tables):
        fault = f"has {' and '.join(present)} together"
    if fault:
        raise DataError(
            f"{section.place} {fault}; write scores and targets (NumPy files), or files, target "
            "and columns (tables)"
        )


# --------------------------------------------------------------------------- formulas


def population_source(section: Section) -> PopulationSource:
    """A section ``[[populations]]``: a distribution by formula."""
    mixed = "parts" in section
    if mixed and "family" in section:
        raise DataError(f"{section.place} has family and parts together; leave one out")
    if mixed:
        section.check_keys([key for key in OF_POPULATIONS if key != "family"])
        parts = tuple(_part(part, (), weighted=True) for part in section.sections("parts"))
        if not parts:
            raise DataError(f"{section.at('parts')} is empty; name at least one distribution")
    else:
        section.require("family", 'the distribution, for example family = "beta", a = 8, b = 2')
        parts = (_part(section, OF_POPULATIONS, weighted=False),)
    bounds = _bounds(section)
    formula = formula_text(parts)
    return PopulationSource(
        place=section.place,
        name=section.text("name", formula),
        parts=parts,
        metric=_metric(section, bounds),
        bounds=bounds,
    )


def _part(section: Section, keys: Sequence[str], *, weighted: bool) -> MixtureComponent:
    """A distribution and its parameters, which stand beside the other keys."""
    section.require("family", 'the distribution, for example family = "beta", a = 8, b = 2')
    name = section.text("family")
    with placed(section.at("family")):
        parameters = list(FAMILIES[name].parameters)
    beside = (*keys, *(("family", "weight") if weighted else ()))
    section.check_keys([*beside, *parameters])
    weight = section.number("weight", 1.0, above=0, wanted="above 0") if weighted else 1.0
    numbers = {key: section.number(key, 0.0) for key in parameters if key in section}
    with placed(section.place):
        return complete_component(MixtureComponent(name, numbers, weight))
