"""From the sections of a spec that name data to sources: which files, and how to read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, get_args

from halfwidth.core.errors import DataError
from halfwidth.core.spec import Better, Metric
from halfwidth.core.types import Bounds
from halfwidth.core.undefined import MISSING_POLICIES, Missing
from halfwidth.estimation.detections.matchings import Matching
from halfwidth.estimation.detections.requests import detector_request
from halfwidth.estimation.resolve import resolve_metric
from halfwidth.study.populations.logits import Exponent
from halfwidth.study.specs.formula_instances import (
    complete_component,
    formula_text,
    parameter_names,
)
from halfwidth.study.specs.matching import check_pattern
from halfwidth.study.specs.spec import (
    DetectionSource,
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
MATCHING = (
    *("localisation", "assignment", "threshold", "admits", "score_threshold", "max_detections"),
    *("area", "boundary_distance", "dilation"),
)
OF_DETECTIONS = (
    *("files", "references", "metric", "average", "classes", *MATCHING, "by_class"),
    *("min_cases", "model", "task"),
)
OMISSION: tuple[Missing, ...] = ("raise", "omit")
FITTED_BY: tuple[FittedBy, ...] = get_args(FittedBy)
KINDS: tuple[ScoreKind, ...] = get_args(ScoreKind)
BANDWIDTHS: tuple[Exponent, ...] = get_args(Exponent)

T = TypeVar("T")


def _word(section: Section, key: str, allowed: Sequence[T]) -> T:
    """One of a few words, as the type that they have; the first where the key is absent."""
    words = [str(word) for word in allowed]
    return allowed[words.index(section.choice(key, words, words[0]))]


def _paths(section: Section, key: str, *, single: bool = False) -> tuple[str, ...]:
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


def parse_tables(whole: Section) -> tuple[TableSource, ...]:
    """The sections ``[[tables]]``: values of cases."""
    return tuple(_tables(section) for section in whole.sections("tables"))


def _tables(section: Section) -> TableSource:
    section.check_keys(OF_TABLES)
    section.require("files", 'the tables, for example files = "results/*.csv"')
    bounds = _bounds(section)
    missing = _word(section, "missing", MISSING_POLICIES)
    penalty = section.number("penalty")
    if penalty is not None and missing != "worst":
        raise DataError(
            f'{section.at("penalty")} has no effect with missing = "{missing}"; write missing = '
            '"worst"'
        )
    scale = section.number("scale")
    if scale is not None and scale <= 0:
        raise DataError(f"{section.at('scale')} = {scale:g} is not above 0; it divides the values")
    metric = _metric(section, bounds)
    return TableSource(
        place=section.place,
        files=_paths(section, "files"),
        metric=metric,
        columns=section.texts("columns") or None,
        by=section.texts("by"),
        where=_where(section),
        case=section.text("case") or None,
        bounds=bounds,
        scale=1.0 if scale is None else scale,
        missing=missing,
        penalty=penalty,
        population=_word(section, "population", FITTED_BY),
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
    given = section.text("from")
    known = [source for source, target in CONVERSIONS if metric and target == metric.spec.name]
    if given and given not in known:
        pairs = ", ".join(
            f'metric = "{target}" with from = "{source}"' for source, target in CONVERSIONS
        )
        raise DataError(f"{section.at('from')} = {given!r}: what can be converted is {pairs}")
    return given


def _failures(section: Section, metric: Metric | None) -> float:
    """The share of failed cases that the population has besides those of the tables."""
    share = section.number("failures")
    if share is None:
        return 0.0
    if not 0 < share < 1:
        raise DataError(f"{section.at('failures')} = {share:g} is not a share such as 0.02")
    if metric is None or metric.spec.worst is None:
        raise DataError(
            f"{section.at('failures')} needs a metric with a worst value; "
            + ("name it: metric = ..." if metric is None else f"{metric.spec.called} has none")
        )
    return share


def _above(section: Section, metric: Metric | None) -> float:
    """The share of the median that a case must exceed to be kept."""
    share = section.number("above")
    if share is None:
        return 0.0
    at = section.at("above")
    if not 0 < share < 1:
        raise DataError(f"{at} = {share:g} is not a share of the median such as 0.5")
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


def parse_scores(whole: Section) -> tuple[ScoreSource, ...]:
    """The sections ``[[scores]]``: test sets with a score for each class."""
    return tuple(_scores(section) for section in whole.sections("scores"))


def _scores(section: Section) -> ScoreSource:
    section.check_keys(OF_SCORES)
    section.require(
        "kind",
        'what the scores are, "logits" (log-probabilities are logits too) or "probabilities"',
    )
    _check_files(section)
    kind = _word(section, "kind", KINDS)
    population = _word(section, "population", ("kde", "empirical"))
    for key, lost, why in (
        ("floor", kind == "logits", 'kind = "logits"'),
        ("bandwidth", population == "empirical", 'population = "empirical"'),
    ):
        if key in section and lost:
            raise DataError(f"{section.at(key)} has no effect with {why}")
    floor = section.number("floor")
    if floor is not None and not 0 < floor < 0.5:
        raise DataError(
            f"{section.at('floor')} = {floor:g} is not a small probability above 0, such as 1e-6"
        )
    positive = section.plain("positive")
    if len(positive) > 1:
        raise DataError(f"{section.at('positive')}: one of two classes is the positive one")
    return ScoreSource(
        place=section.place,
        kind=kind,
        scores="".join(_paths(section, "scores", single=True)),
        targets="".join(_paths(section, "targets", single=True)),
        files=_paths(section, "files"),
        target=section.text("target"),
        columns=section.texts("columns"),
        labels=_labels(section),
        positive=positive[0] if positive else None,
        floor=floor,
        missing=_word(section, "missing", OMISSION),
        population="kde" if population == "kde" else "empirical",
        bandwidth=_word(section, "bandwidth", BANDWIDTHS),
        calibration=_calibration(section),
        min_cases=section.integer("min_cases", 0, at_least=0),
        model=section.text("model"),
        task=section.text("task"),
    )


def _calibration(section: Section) -> tuple[float, float] | None:
    """The intercept and the slope that a model is given."""
    slope, intercept = section.number("calibration_slope"), section.number("calibration_intercept")
    if slope is None:
        if intercept is not None:
            raise DataError(
                f"{section.at('calibration_intercept')} has no effect without calibration_slope; "
                "write calibration_slope = 1"
            )
        return None
    if slope <= 0:
        raise DataError(
            f"{section.at('calibration_slope')} = {slope:g} is not above 0; 1 is that of a "
            "calibrated model"
        )
    return (intercept or 0.0, slope)


def _labels(section: Section) -> tuple[Any, ...]:
    labels = section.plain("labels")
    if len(labels) == 1:
        raise DataError(f"{section.at('labels')}: name at least two classes")
    return labels


def _check_files(section: Section) -> None:
    """A pair of NumPy files, or tables with a column of classes; not both and not half of one."""
    arrays, tables = ("scores", "targets"), ("files", "target", "columns")
    given = [key for key in (*arrays, *tables) if key in section]
    keys = tables if set(given) & set(tables) else arrays
    both = bool(set(given) & set(arrays)) and bool(set(given) & set(tables))
    lacking = [key for key in keys if key not in given]
    if both or lacking:
        what = f"has {' and '.join(given)} together" if both else f"lacks {' and '.join(lacking)}"
        raise DataError(
            f"{section.place} {what}; write scores and targets (NumPy files), or files, target and "
            "columns (tables)"
        )


# --------------------------------------------------------------------------- detectors


def parse_detections(whole: Section) -> tuple[DetectionSource, ...]:
    """The sections ``[[detections]]``: detectors, with the objects to be found."""
    return tuple(_detections(section) for section in whole.sections("detections"))


def _detections(section: Section) -> DetectionSource:
    section.check_keys(OF_DETECTIONS)
    section.require("files", 'detections of each model, for example files = "dets_*.json"')
    section.require("references", 'the objects to be found: references = "references.json"')
    section.require("metric", 'what detectors are measured by: metric = ["ap50", "froc_score"]')
    with placed(section.place):
        given: dict[str, Any] = {name: section.content.get(name) for name in MATCHING}
        matching = Matching(**given, by_class=section.content.get("by_class", True))
    source = DetectionSource(
        place=section.place,
        detections=_paths(section, "files"),
        references=section.text("references"),
        metrics=section.texts("metric"),
        averages=section.texts("average"),
        classes=section.texts("classes"),
        matching=matching,
        min_cases=section.integer("min_cases", 0, at_least=0),
        model=section.text("model"),
        task=section.text("task"),
    )
    with placed(section.place):
        detector_request(list(source.metrics), matching, average=list(source.averages) or None)
    return source


# --------------------------------------------------------------------------- formulas


def parse_populations(whole: Section) -> tuple[PopulationSource, ...]:
    """The sections ``[[populations]]``: distributions by formula."""
    return tuple(_population(section) for section in whole.sections("populations"))


def _population(section: Section) -> PopulationSource:
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
        parameters = parameter_names(name)
    beside = (*keys, *(("family", "weight") if weighted else ()))
    section.check_keys([*beside, *parameters])
    weight = section.number("weight") if weighted else None
    if weight is not None and weight <= 0:
        raise DataError(f"{section.at('weight')} = {weight:g} is not above 0")
    numbers = {key: section.number(key) for key in parameters}
    given = {key: number for key, number in numbers.items() if number is not None}
    with placed(section.place):
        return complete_component(MixtureComponent(name, given, 1.0 if weight is None else weight))
