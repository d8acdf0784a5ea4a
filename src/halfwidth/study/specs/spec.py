"""The spec of a study and its instances."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import (
    MethodSpec,
    Metric,
    MetricLevel,
    MetricSpec,
    Statistic,
    StatisticSpec,
)
from halfwidth.core.types import Bounds, Level
from halfwidth.core.undefined import AbsentClass, Missing
from halfwidth.estimation.functionals import MetricRow
from halfwidth.estimation.resolve import AUTO
from halfwidth.intervals.all_methods import METHODS
from halfwidth.study.populations.logits import Exponent

# Fewer are left out by andre2025, section 3.1: fits to them were unreliable.
FEW_CASES = 50
# Fewest cases of a class: scores of fewer are hardly a distribution.
FEW_OF_A_CLASS = 10

FittedBy = Literal["auto", "kde", "empirical"]
ScoreKind = Literal["logits", "probabilities"]


@frozen
class TableSource:
    """Tables of per-case values, as ``[[tables]]`` of a spec says it."""

    # What messages call it: the file and the section.
    place: str
    # Paths or patterns, relative to the folder of the spec.
    files: tuple[str, ...]
    # What the values are; None: the table says it (canonical long tables).
    metric: Metric | None
    # None: all numeric ones.
    columns: tuple[str, ...] | None
    # Columns whose levels are instances of their own.
    by: tuple[str, ...]
    # Of these columns the rows with one of these levels count; empty: all rows.
    where: Mapping[str, Sequence[str]]
    case: str | None
    # Range of a metric of the user's own, or instead of the metric's.
    bounds: Bounds | None
    # Values are divided by it.
    scale: float
    missing: Missing
    # Of ``missing="worst"``.
    penalty: float | None
    # ``auto``: ``kde`` for continuous metrics, ``empirical`` for discrete ones.
    population: FittedBy
    # Instances with fewer cases are left out.
    min_cases: int
    # Empty: from the table, the pattern or the name of the file.
    model: str
    task: str
    # The metric that the tables hold, where ``metric`` is computed from it.
    converted_from: str
    # The share of cases of the population that have the worst value of the metric.
    failures: float
    # Cases up to this share of the median of the instance are left out; 0 keeps all.
    above: float


@frozen
class ScoreSource:
    """Test sets with a score for each class, as ``[[scores]]`` of a spec says it."""

    place: str
    kind: ScoreKind
    # Patterns of NumPy files that belong together where their wildcards stand for the same.
    scores: str
    targets: str
    # Tables instead, with the columns ``target`` and ``columns``.
    files: tuple[str, ...]
    target: str
    # In the order of the classes.
    columns: tuple[str, ...]
    # The classes in the order of the columns; empty: those that occur, sorted.
    labels: tuple[Any, ...]
    # The positive one of two classes; None: 1 of 0 and 1.
    positive: Any
    # What smaller probabilities are set to before their logarithm is taken.
    floor: float | None
    missing: Missing
    population: Literal["kde", "empirical"]
    # The exponent of n in the bandwidth is -1 over it.
    bandwidth: Exponent
    # Intercept and slope that the model is given, with classes drawn anew; None: labels stay.
    calibration: tuple[float, float] | None
    min_cases: int
    model: str
    task: str


@frozen
class DetectionSource:
    """Detectors with the objects to be found, as ``[[detections]]`` of a spec says it."""

    place: str
    # Paths or patterns, one file or folder for each detector.
    detections: tuple[str, ...]
    # The file or folder of the objects to be found.
    references: str
    # Each an instance: ``ap50``, ``froc_score``.
    metrics: tuple[str, ...]
    # Empty: as `hw.estimate` averages.
    averages: tuple[str, ...]
    # The only ones that count; empty: all.
    classes: tuple[str, ...]
    # As the branch of detection has it.
    matching: Any
    min_cases: int
    model: str
    task: str


@frozen
class DetectedRow:
    """What is computed of the images of an instance."""

    row: MetricRow
    # Of the objects.
    classes: tuple[str, ...]
    # Of localisation; curves are averaged over them.
    thresholds: int
    # With its thresholds: ``ap@0.5``.
    metric: str


@frozen
class MixtureComponent:
    """One distribution of a mixture, or the only one of a population."""

    family: str
    parameters: Mapping[str, float]
    weight: float = 1.0


@frozen
class PopulationSource:
    """A population by formula, as ``[[populations]]`` of a spec says it."""

    place: str
    name: str
    # One, or those of a mixture.
    parts: tuple[MixtureComponent, ...]
    # What the values are taken to be; its range then holds all of them.
    metric: Metric | None
    # Their range; None: that of the metric, else that of the distribution.
    bounds: Bounds | None


@frozen
class StudySpec:
    """A study: what is simulated, on what, how often.

    Names stand in the order of the catalogues, sizes and levels ascending, so that their order in
    the file means nothing.

    Attributes
    ----------
    name : str
    seed : int
        Root entropy of all draws.
    sizes : tuple of int
        Cases of a sample.
    samples : int
        Samples of a cell.
    resamples : int
        Resamples of each sample.
    batches : int
        Into which the samples of a cell are split, with fresh draws for each.
    levels : tuple of Level
    statistics : tuple of Statistic
        Of per-case values.
    metrics : tuple of Metric
        Of test sets.
    averages : tuple of str
        Of metrics that have several.
    methods : tuple of MethodSpec or None
        None: all that accept the statistic.
    absent_class : {"omit", "zero", "undefined"}
    truth_draws : int
        Size of the draw that stands for the population where its true value has no formula.
    tables, scores, populations : tuple
        Where instances come from.
    folder : Path
        The folder that files are relative to.
    auto : bool
        Whether the study has intervals by what ``auto`` chooses for each sample.
    detections : tuple of DetectionSource
        Further instances.
    """

    name: str
    seed: int
    sizes: tuple[int, ...]
    samples: int
    resamples: int
    batches: int
    levels: tuple[Level, ...]
    statistics: tuple[Statistic, ...]
    metrics: tuple[Metric, ...]
    averages: tuple[str, ...]
    methods: tuple[MethodSpec, ...] | None
    absent_class: AbsentClass
    truth_draws: int
    tables: tuple[TableSource, ...]
    scores: tuple[ScoreSource, ...]
    populations: tuple[PopulationSource, ...]
    folder: Path
    auto: bool = False
    detections: tuple[DetectionSource, ...] = ()

    def settings(self) -> dict[str, Any]:
        """All that results depend on except the instances, ready for JSON.

        Neither the name of the study nor the folder of its files is among it; what becomes of the
        data is part of the digest of each instance. Methods are named even where all are meant, so
        that a later version with more of them differs.
        """
        methods = METHODS if self.methods is None else self.methods
        return {
            "seed": self.seed,
            "sizes": list(self.sizes),
            "samples": self.samples,
            "resamples": self.resamples,
            "batches": self.batches,
            "levels": [float(level.confidence_level) for level in self.levels],
            "alternative": self.levels[0].alternative,
            "statistics": [written(statistic, complete=True) for statistic in self.statistics],
            "metrics": [written(metric, complete=True) for metric in self.metrics],
            "averages": list(self.averages),
            "methods": [*(method.name for method in methods), *([AUTO] if self.auto else [])],
            "absent_class": self.absent_class,
            "truth_draws": self.truth_draws,
        }


@frozen
class Instance:
    """One model on one task: a population is fitted to it and sampled.

    Attributes
    ----------
    name : str
        Unique in the study, and the same whenever it is read: model, task and metric.
    task, model : str
        Empty where nothing says it.
    source : str
        The file and the column, or the formula.
    level : MetricLevel
    metric : Metric or None
        What per-case values are of, or what detectors are measured by; None for classes.
    build : callable
        ``build()`` makes the population; can be pickled.
    n_cases : int or None
        Cases that it is fitted to; None for a formula.
    digest : str
        Hash of the values and of what is made of them; the order of cases does not matter.
    bounds : Bounds
        Of per-case values.
    notes : tuple of str
        What was left out or put in, as the spec said.
    cautions : tuple of Caution
    classes : tuple of str
        Of a test set, in the order of their codes; the second of two is the positive one.
    detected : DetectedRow or None
        Of images with detections.
    """

    name: str
    task: str
    model: str
    source: str
    level: MetricLevel
    metric: Metric | None
    build: Callable[[], Any]
    n_cases: int | None
    digest: str
    bounds: Bounds
    notes: tuple[str, ...] = ()
    cautions: tuple[Caution, ...] = ()
    classes: tuple[str, ...] = field(default=())
    detected: DetectedRow | None = None


def written(bound: Metric | Statistic, *, complete: bool = False) -> str:
    """A metric or a statistic as it is written in a spec: ``"quantile:q=0.9"``.

    Parameters that have their default are left out unless it is to be ``complete``.
    """
    spec: MetricSpec | StatisticSpec = bound.spec
    parameters = [
        f"{parameter.name}={parameter.word(bound.parameters[parameter.name])}"
        for parameter in spec.parameters
        if parameter.name in bound.parameters
        and (complete or bound.parameters[parameter.name] != parameter.default)
    ]
    return spec.name + (":" + ",".join(parameters) if parameters else "")


DIGEST_BYTES = 16


def digest_of(recipe: Mapping[str, Any], *arrays: NDArray[Any]) -> str:
    """A hash of plain values and of arrays, which have a canonical order of cases.

    Whole numbers and fractions alike are hashed as little-endian words of 64 bits, with their
    shape.

    >>> digest_of({"population": "kde"}, np.array([0.5, 1.0])) == digest_of(
    ...     {"population": "kde"}, np.array([0.5, 1.0]).astype(">f8"))
    True
    """
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    digest.update(json.dumps(recipe, sort_keys=True).encode())
    for array in arrays:
        kind = "<i8" if array.dtype.kind in "biu" else "<f8"
        # A negative zero is a zero.
        plain = np.ascontiguousarray(array + 0, dtype=kind)
        digest.update(json.dumps([kind, *plain.shape]).encode())
        digest.update(plain.tobytes())
    return digest.hexdigest()
