"""Reading the TOML file of a study: strict, and checked before any data are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.spec import MethodSpec, Metric, Statistic, Takes
from halfwidth.core.types import ALTERNATIVES, Level
from halfwidth.core.undefined import ABSENT_CLASS
from halfwidth.estimation.resolve import AUTO, resolve_statistic
from halfwidth.intervals.all_methods import METHODS, method_named
from halfwidth.metrics.agreement import accuracy
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.names import AVERAGES, resolve_sample_metric
from halfwidth.metrics.ranking import auroc
from halfwidth.study.specs.branches import detection_sources
from halfwidth.study.specs.parsing_sources import (
    population_source,
    score_source,
    table_source,
)
from halfwidth.study.specs.spec import StudySpec, written
from halfwidth.study.specs.toml_sections import Section, placed, read_toml
from halfwidth.summaries.all_statistics import STATISTICS

ALL = "all"
SECTIONS = ("study", "tables", "scores", "detections", "populations")
# Sizes, samples and resamples of andre2025.
DEFAULTS: dict[str, Any] = {
    "name": "study",
    "seed": 0,
    "sizes": (10, 25, 50, 75, 100, 125, 150, 200, 250),
    "samples": 10_000,
    "resamples": 9999,
    "batches": 10,
    "levels": (0.95,),
    "alternative": "two-sided",
    "statistics": ("mean", "median"),
    "metrics": (accuracy.__name__, auroc.__name__),
    "averages": ("macro",),
    "methods": ALL,
    "absent_class": "omit",
    "truth_draws": 1_000_000,
}
# Keys of [study] that are about test sets; averages over classes are of detections too.
ABSENT = "absent_class"
OF_TEST_SETS = ("metrics", "averages", ABSENT)

Named = TypeVar("Named", Metric, Statistic)


def read_spec(path: str | Path) -> StudySpec:
    """The spec of a study from its TOML file.

    Parameters
    ----------
    path : str or Path
        A file with ``[study]``, and ``[[tables]]``, ``[[scores]]`` or ``[[populations]]``; paths in
        it are relative to its folder. Every key is described in ``docs/study-spec.md``.

    Returns
    -------
    StudySpec
        Names in the order of the catalogues, sizes and levels ascending.

    Raises
    ------
    DataError
        If the file cannot be read, or for an unknown key, a value of the wrong kind, an empty list
        or a name that stands twice; names the file, the section and the key.
    OptionError, UnknownNameError
        For a value that is not allowed, or a metric, statistic or method that no one knows; names
        the nearest.
    """
    file = Path(path)
    return parse_spec(read_toml(file), file)


def parse_spec(content: Mapping[str, Any], file: Path) -> StudySpec:
    """The spec that the content of a file makes; see `read_spec`."""
    whole = Section(f"{file}:", content)
    for key in content:
        if key in DEFAULTS:
            raise DataError(f"{file}: {key} stands outside of [study]; move it below that line")
    whole.check_keys(SECTIONS)
    settings = whole.content.get("study", {})
    if not isinstance(settings, dict):
        raise DataError(f"{file}: [study] is one section, with single brackets and keys below it")
    study = Section(f"{file}: [study]", settings)
    study.check_keys(DEFAULTS)
    tables = tuple(map(table_source, whole.sections("tables")))
    scores = tuple(map(score_source, whole.sections("scores")))
    detections = tuple(detection_sources().source_of(one) for one in whole.sections("detections"))
    populations = tuple(map(population_source, whole.sections("populations")))
    if not (tables or scores or detections or populations):
        raise DataError(
            f"{file}: names no data; add a section [[tables]] (a value for each case), [[scores]] "
            "(test sets), [[detections]] (detectors) or [[populations]] (formulas)"
        )
    _check_effects(
        study,
        of_cases=bool(tables or populations),
        of_test_sets=bool(scores),
        of_detections=bool(detections),
    )
    samples, batches = _samples(study)
    statistics: tuple[Statistic, ...] = ()
    if tables or populations:
        statistics = _resolved(study, "statistics", resolve_statistic, STATISTICS.names)
    metrics: tuple[Metric, ...] = ()
    if scores:
        metrics = _resolved(study, "metrics", _sample_metric, SAMPLE_METRICS.names)
    methods, auto = _methods(study)
    return StudySpec(
        name=study.text("name", DEFAULTS["name"]),
        seed=study.integer("seed", DEFAULTS["seed"], at_least=0),
        sizes=study.integers("sizes", DEFAULTS["sizes"], at_least=2),
        samples=samples,
        resamples=study.integer("resamples", DEFAULTS["resamples"], at_least=2),
        batches=batches,
        levels=_levels(study),
        statistics=statistics,
        metrics=metrics,
        averages=_averages(study, metrics) if scores else (),
        methods=methods,
        absent_class=study.word(ABSENT, ABSENT_CLASS, DEFAULTS[ABSENT]),
        truth_draws=study.integer("truth_draws", DEFAULTS["truth_draws"], at_least=1000),
        tables=tables,
        scores=scores,
        populations=populations,
        folder=file.parent,
        auto=auto,
        detections=detections,
    )


def _check_effects(
    study: Section, *, of_cases: bool, of_test_sets: bool, of_detections: bool
) -> None:
    """Refuse keys that no section of the file looks at."""
    if "statistics" in study and not of_cases:
        raise DataError(
            f"{study.at('statistics')} has no effect: statistics summarise values of cases, and "
            "there is no [[tables]] or [[populations]]; test sets have metrics"
        )
    for key in OF_TEST_SETS:
        applies = of_test_sets or (key == ABSENT and of_detections)
        if key in study and not applies:
            hint = "; sections say theirs themselves: metric = ..." if key == "metrics" else ""
            raise DataError(
                f"{study.at(key)} has no effect: it applies to test sets, and there is no "
                f"[[scores]]{hint}"
            )


def _samples(study: Section) -> tuple[int, int]:
    """Samples of a cell, and the batches into which they are split evenly."""
    batches = study.integer("batches", DEFAULTS["batches"], at_least=2)
    samples = study.integer("samples", DEFAULTS["samples"], at_least=2)
    if samples % batches:
        below = samples // batches * batches
        possible = f"{below} or {below + batches}" if below else f"{batches}"
        raise DataError(
            f"{study.at('samples')} = {samples} cannot be split into {batches} batches of one size;"
            f" write {possible}, or another number of batches"
        )
    return samples, batches


def _levels(study: Section) -> tuple[Level, ...]:
    alternative = study.word("alternative", ALTERNATIVES, DEFAULTS["alternative"])
    with placed(study.at("levels")):
        return tuple(
            Level(level, alternative) for level in study.numbers("levels", DEFAULTS["levels"])
        )


# --------------------------------------------------------------------------- names


def _resolved(
    study: Section, key: str, resolve: Callable[[str], Named], order: Sequence[str]
) -> tuple[Named, ...]:
    """What the names under a key mean, in the order of their catalogue."""
    names = study.texts(key, DEFAULTS[key])
    with placed(study.at(key)):
        values = [resolve(name) for name in names]
    _check_once(study, key, names, [written(value, complete=True) for value in values])
    return tuple(
        sorted(values, key=lambda v: (order.index(v.spec.name), sorted(v.parameters.items())))
    )


def _check_once(study: Section, key: str, names: Sequence[str], meanings: Sequence[str]) -> None:
    """Refuse two names of one thing."""
    seen: dict[str, str] = {}
    for name, meaning in zip(names, meanings, strict=True):
        if meaning in seen:
            raise DataError(
                f"{study.at(key)}: {seen[meaning]!r} and {name!r} are the same, {meaning}"
            )
        seen[meaning] = name


def _sample_metric(name: str) -> Metric:
    metric = resolve_sample_metric(name)
    if not isinstance(metric, Metric) or metric.spec.takes is Takes.NUMBERS:
        names = [spec.name for spec in SAMPLE_METRICS if spec.takes is not Takes.NUMBERS]
        raise OptionError(
            f"{name!r} measures predicted numbers, but [[scores]] holds classes; use "
            f"{', '.join(names)}"
        )
    return metric


def _averages(study: Section, metrics: Sequence[Metric]) -> tuple[str, ...]:
    """The averages; each applies to a metric, and each metric has at least one of them."""
    averages = study.words("averages", AVERAGES, DEFAULTS["averages"])
    averaged = [metric.spec for metric in metrics if len(metric.spec.averages) > 1]
    for spec in averaged:
        if not set(averages) & set(spec.averages):
            raise DataError(
                f"{study.at('averages')}: {spec.name} has none of {', '.join(averages)}; it has "
                f"{', '.join(spec.averages)}"
            )
    for average in averages if "averages" in study else ():
        if not any(average in spec.averages for spec in averaged):
            raise DataError(
                f"{study.at('averages')}: {average!r} has no effect; none of "
                f"{', '.join(metric.spec.name for metric in metrics)} has it"
            )
    return averages


# --------------------------------------------------------------------------- methods


def _methods(study: Section) -> tuple[tuple[MethodSpec, ...] | None, bool]:
    """The methods that are named (None: all), and whether ``auto`` is among them."""
    written_names = study.texts("methods", (ALL,))
    alone = set(written_names) <= {ALL, AUTO}
    with placed(study.at("methods")):
        names = [
            name if name == AUTO or (name == ALL and alone) else method_named(name).name
            for name in written_names
        ]
    _check_once(study, "methods", written_names, names)
    if ALL in names:
        return None, AUTO in names
    place = {method.function: place for place, method in enumerate(METHODS)}
    methods = [method_named(name) for name in names if name != AUTO]
    return tuple(sorted(methods, key=lambda m: (place[m.function], m.bound))), AUTO in names
