"""Populations fitted to instances and their true values, kept while a process needs them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from halfwidth.core import rng
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import MetricLevel
from halfwidth.core.types import Array
from halfwidth.study.populations.base import Truth, between_blocks, truth
from halfwidth.study.populations.logits import LogitPopulation, truth_of_metric
from halfwidth.study.simulation.targets import Measured
from halfwidth.study.specs.spec import Instance, StudySpec

# Independent parts of a large draw, between which its standard error is seen.
TRUTH_BLOCKS = 20
# Instances whose population is kept: chunks of one instance follow one another.
KEPT = 8


@frozen
class _Key:
    """An instance, or what is estimated on it, told apart by ``digest`` alone."""

    digest: tuple[Any, ...]
    make: Callable[[], Any] = field(compare=False, repr=False)


@functools.lru_cache(maxsize=KEPT)
def _kept(key: _Key) -> Any:
    return key.make()


@functools.lru_cache(maxsize=64 * KEPT)
def _kept_truth(key: _Key) -> Truth:
    truth: Truth = key.make()
    return truth


@frozen
class Fitted:
    """A population, and what the columns of each of its rows hold."""

    population: Any
    facts: dict[str, Any]


def fitted(instance: Instance) -> Fitted:
    """The population of an instance."""
    population: Fitted = _kept(_Key((instance.digest,), lambda: _fit(instance)))
    return population


def _fit(instance: Instance) -> Fitted:
    population = instance.build()
    per_case = instance.level is MetricLevel.INDIVIDUAL
    nothing = float("nan")
    return Fitted(
        population,
        {
            "population": population.kind,
            "population_mean": population.mean if per_case else nothing,
            "population_sd": population.standard_deviation if per_case else nothing,
            "population_skewness": population.skewness,
            "population_kurtosis": population.kurtosis,
            "interdecile_range": population.interdecile_range if per_case else nothing,
        },
    )


def population_truth(instance: Instance, measured: Measured, spec: StudySpec) -> Truth:
    """The population value of what is estimated; it does not depend on the sample size."""
    reduce = measured.reduce
    estimated = (measured.metric, measured.statistic, measured.average, measured.label)
    drawn = (spec.seed, spec.truth_draws, spec.absent_class)
    # The name too: it is part of the key of the draws.
    key = (instance.name, instance.digest, instance.classes, *drawn, *estimated)

    def make() -> Truth:
        key_of_draws = rng.derive_key(spec.seed, "study", "truth", instance.name)
        generator = np.random.Generator(np.random.Philox(key=key_of_draws.value))
        population = fitted(instance).population
        if instance.level is MetricLevel.INDIVIDUAL:
            return truth(population, reduce, generator, draws=spec.truth_draws)

        weighted_value = measured.weighted_value
        if isinstance(population, LogitPopulation) and population.calibration and weighted_value:
            # A case makes a record of each class.
            return between_blocks(
                lambda n: weighted_value(
                    population.draw_expected(generator, max(1, n // population.n_classes))
                ),
                draws=spec.truth_draws,
                blocks=TRUTH_BLOCKS,
            )

        def metric_of_records(records: Array) -> Array:
            return reduce(measured.samples(records))

        return truth_of_metric(
            population, metric_of_records, generator, draws=spec.truth_draws, blocks=TRUTH_BLOCKS
        )

    return _kept_truth(_Key(key, make))
