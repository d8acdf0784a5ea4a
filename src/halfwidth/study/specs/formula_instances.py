"""Instances by formula: parametric distributions and mixtures of them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.core.metric_spec import UNNAMED
from halfwidth.core.spec import Kind, Metric, MetricLevel
from halfwidth.core.types import Bounds
from halfwidth.study.populations.mixtures import mixture
from halfwidth.study.populations.parametric import FAMILIES, family
from halfwidth.study.specs.spec import (
    Instance,
    MixtureComponent,
    PopulationSource,
    digest_of,
    written,
)

# The family whose values are 0 and 1.
HITS = "bernoulli"


def instance_of_formula(source: PopulationSource) -> Instance:
    """The instance of a distribution; an error if it reaches beyond the range of its metric."""
    formula = formula_text(source.parts)
    low, high = build_population(source.parts).support
    metric, bounds = source.metric, source.bounds
    binary = all(part.family == HITS for part in source.parts)
    if metric is not None and metric.spec.kind is Kind.BINARY and not binary:
        raise DataError(
            f"{metric.spec.called} is 0 or 1, and {formula} takes other values; use family = "
            f'"{HITS}"'
        )
    if bounds is None:
        bounds = Bounds(low, high) if metric is None else metric.spec.bounds
    if low < bounds.low or high > bounds.high:
        raise DataError(
            f"{formula} reaches from {low:g} to {high:g}, beyond the range {bounds}"
            + (f" of {metric.spec.called}" if metric else "")
        )
    if metric is None:
        metric = Metric(replace(UNNAMED, bounds=bounds))
    recipe = {
        "population": [
            [part.family, sorted((k, repr(v)) for k, v in part.parameters.items()), part.weight]
            for part in source.parts
        ],
        "metric": written(metric, complete=True),
        "bounds": [repr(bounds.low), repr(bounds.high)],
    }
    return Instance(
        name=source.name,
        task=source.name,
        model="",
        source=formula,
        level=MetricLevel.INDIVIDUAL,
        metric=metric,
        build=functools.partial(build_population, source.parts),
        n_cases=None,
        digest=digest_of(recipe),
        bounds=bounds,
    )


def complete_component(part: MixtureComponent) -> MixtureComponent:
    """A part whose distribution can be made, with all its parameters."""
    population = build_population((part,))
    return MixtureComponent(population.name, population.parameters, part.weight)


def build_population(parts: Sequence[MixtureComponent]) -> Any:
    """The population of a formula."""
    populations = [family(part.family, **part.parameters) for part in parts]
    if len(populations) == 1:
        return populations[0]
    return mixture(populations, [part.weight for part in parts])


def formula_text(parts: Sequence[MixtureComponent]) -> str:
    """Distributions as one would write them: ``beta(a=8, b=2)``; defaults are left out."""
    total = sum(part.weight for part in parts)
    texts = [f"{part.family}({_arguments(part)})" for part in parts]
    if len(parts) == 1:
        return texts[0]
    shares = [f"{part.weight / total:.4g}" for part in parts]
    return " + ".join(f"{share} {text}" for share, text in zip(shares, texts, strict=True))


def _arguments(part: MixtureComponent) -> str:
    defaults = FAMILIES[part.family].parameters
    changed = {name: value for name, value in part.parameters.items() if value != defaults[name]}
    pairs = (changed or part.parameters).items()
    return ", ".join(f"{name}={repr(value).removesuffix('.0')}" for name, value in pairs)
