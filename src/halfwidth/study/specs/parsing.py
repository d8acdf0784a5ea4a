"""From the TOML file of a study to its spec: strict, and checked before any data are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.spec import MethodSpec, Metric, Statistic, Takes
from halfwidth.core.types import ALTERNATIVES, Alternative, Level
from halfwidth.core.undefined import ABSENT_CLASS
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.estimation.test_sets.metric_names import AVERAGES, resolve_sample_metric
from halfwidth.intervals.all_methods import METHODS, method_named
from halfwidth.metrics.agreement import accuracy
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.ranking import auroc
from halfwidth.study.specs.parsing_sources import (
    parse_detections,
    parse_populations,
    parse_scores,
    parse_tables,
)
from halfwidth.study.specs.spec import AUTO, StudySpec, written
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
# Keys of [study] that are about test sets alone.
ABSENT = "absent_class"
OF_TEST_SETS = ("metrics", "averages", ABSENT)

T = TypeVar("T")


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
    tables, scores = parse_tables(whole), parse_scores(whole)
    detections, populations = parse_detections(whole), parse_populations(whole)
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
    statistics = _statistics(study) if tables or populations else ()
    metrics = _metrics(study) if scores else ()
    averages = _averages(study, metrics) if scores else ()
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
        averages=averages,
        methods=methods,
        absent_class=_word(study, "absent_class", ABSENT_CLASS),
        truth_draws=study.integer("truth_draws", DEFAULTS["truth_draws"], at_least=1000),
        tables=tables,
        scores=scores,
        populations=populations,
        folder=file.parent,
        auto=auto,
        detections=detections,
    )


def _word(study: Section, key: str, allowed: Sequence[T]) -> T:
    """One of a few words, as the type that they have."""
    words = [str(word) for word in allowed]
    return allowed[words.index(study.choice(key, words, DEFAULTS[key]))]


def _check_effects(
    study: Section, *, of_cases: bool, of_test_sets: bool, of_detections: bool
) -> None:
    """Refuse keys that no section of the file looks at."""
    if "statistics" in study and not of_cases:
        raise DataError(
            f"{study.at('statistics')} has no effect: statistics are of values of cases, and there "
            "is no [[tables]] or [[populations]]; test sets have metrics"
        )
    for key in OF_TEST_SETS:
        averaged = key == ABSENT and of_detections
        if key in study and not of_test_sets and not averaged:
            hint = ""
            if key == "metrics":
                hint = "; sections say theirs themselves: metric = ..."
            raise DataError(
                f"{study.at(key)} has no effect: it is about test sets, and there is no "
                f"[[scores]]{hint}"
            )


def _samples(study: Section) -> tuple[int, int]:
    """Samples of a cell, and the batches into which they are split evenly."""
    batches = study.integer("batches", DEFAULTS["batches"], at_least=2)
    samples = study.integer("samples", DEFAULTS["samples"], at_least=2)
    if samples % batches:
        below = samples // batches * batches
        near = f"{below} or {below + batches}" if below else f"{batches}"
        raise DataError(
            f"{study.at('samples')} = {samples} cannot be split into {batches} batches of one size;"
            f" write {near}, or another number of batches"
        )
    return samples, batches


def _levels(study: Section) -> tuple[Level, ...]:
    alternative: Alternative = _word(study, "alternative", ALTERNATIVES)
    with placed(study.at("levels")):
        return tuple(
            Level(level, alternative) for level in study.numbers("levels", DEFAULTS["levels"])
        )


# --------------------------------------------------------------------------- names


def _resolved(study: Section, key: str, resolve: Callable[[str], T]) -> list[tuple[str, T]]:
    """What the names under a key mean."""
    resolved = []
    default = DEFAULTS[key]
    for name in study.texts(key, (default,) if isinstance(default, str) else default):
        with placed(study.at(key)):
            resolved.append((name, resolve(name)))
    return resolved


def _check_once(study: Section, key: str, given: Sequence[tuple[str, str]]) -> None:
    """Refuse two names of one thing; ``given`` are the name and what it means."""
    seen: dict[str, str] = {}
    for name, meant in given:
        if meant in seen:
            raise DataError(f"{study.at(key)}: {seen[meant]!r} and {name!r} are the same, {meant}")
        seen[meant] = name


def _statistics(study: Section) -> tuple[Statistic, ...]:
    statistics = _resolved(study, "statistics", resolve_statistic)
    _check_once(study, "statistics", [(name, written(s, complete=True)) for name, s in statistics])
    order = STATISTICS.names
    ordered = sorted(
        (statistic for _, statistic in statistics),
        key=lambda s: (order.index(s.spec.name), sorted(s.parameters.items())),
    )
    return tuple(ordered)


def _sample_metric(name: str) -> Metric:
    metric = resolve_sample_metric(name)
    if not isinstance(metric, Metric) or metric.spec.takes is Takes.NUMBERS:
        of_classes = [spec.name for spec in SAMPLE_METRICS if spec.takes is not Takes.NUMBERS]
        raise OptionError(
            f"{name!r} is of predicted numbers, and [[scores]] holds classes; use "
            f"{', '.join(of_classes)}"
        )
    return metric


def _metrics(study: Section) -> tuple[Metric, ...]:
    metrics = _resolved(study, "metrics", _sample_metric)
    _check_once(study, "metrics", [(name, written(m, complete=True)) for name, m in metrics])
    order = SAMPLE_METRICS.names
    ordered = sorted(
        (metric for _, metric in metrics),
        key=lambda m: (order.index(m.spec.name), sorted(m.parameters.items())),
    )
    return tuple(ordered)


def _averages(study: Section, metrics: Sequence[Metric]) -> tuple[str, ...]:
    """The averages; each applies to a metric, and each metric has at least one of them."""
    given = study.texts("averages", DEFAULTS["averages"])
    for average in given:
        if average not in AVERAGES:
            words = Section(study.place, {"averages": average})
            words.choice("averages", AVERAGES, "")
    averaged = [metric.spec for metric in metrics if len(metric.spec.averages) > 1]
    for spec in averaged:
        if not set(given) & set(spec.averages):
            raise DataError(
                f"{study.at('averages')}: {spec.name} has none of {', '.join(given)}; it has "
                f"{', '.join(spec.averages)}"
            )
    for average in given if "averages" in study else ():
        if not any(average in spec.averages for spec in averaged):
            raise DataError(
                f"{study.at('averages')}: {average!r} has no effect; none of "
                f"{', '.join(metric.spec.name for metric in metrics)} has it"
            )
    return tuple(average for average in AVERAGES if average in given)


# --------------------------------------------------------------------------- methods


def _methods(study: Section) -> tuple[tuple[MethodSpec, ...] | None, bool]:
    """The methods that are named (None: all), and whether ``auto`` is among them."""
    everything = set(study.texts("methods", (ALL,))) <= {ALL, AUTO}

    def resolved(name: str) -> str:
        return name if name == AUTO or (name == ALL and everything) else method_named(name).name

    methods = _resolved(study, "methods", resolved)
    _check_once(study, "methods", methods)
    names = [name for _, name in methods]
    if ALL in names:
        return None, AUTO in names
    place = {method.function: place for place, method in enumerate(METHODS)}
    named = [method_named(name) for name in names if name != AUTO]
    return tuple(sorted(named, key=lambda one: (place[one.function], one.bound))), AUTO in names
