"""Instances of the sources of a spec: files read, values checked, populations named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from halfwidth.core.errors import DataError, shortened
from halfwidth.study.specs.branches import detection_sources
from halfwidth.study.specs.formula_instances import instance_of_formula
from halfwidth.study.specs.score_files import instances_of_scores
from halfwidth.study.specs.spec import FEW_CASES, Instance, StudySpec
from halfwidth.study.specs.toml_sections import placed
from halfwidth.study.specs.value_files import instances_of_tables

# Fewer values are no distribution to speak of.
FEWEST = 5


def load_instances(spec: StudySpec) -> tuple[Instance, ...]:
    """The instances that a spec names, in the order of its sections, files and columns.

    Files are read and checked; populations are fitted when ``build()`` is called. Instances of
    fewer than 5 cases are an error, and so are two of one name.
    """
    instances: list[Instance] = []
    for tables in spec.tables:
        with placed(tables.place):
            candidates = instances_of_tables(tables, spec.folder)
            instances += _with_enough_cases(candidates, tables.min_cases)
    for scores in spec.scores:
        with placed(scores.place):
            candidates = instances_of_scores(scores, spec.folder, spec.averages)
            instances += _with_enough_cases(candidates, scores.min_cases)
    for detections in spec.detections:
        with placed(detections.place):
            candidates = detection_sources().instances_of(detections, spec.folder)
            instances += _with_enough_cases(candidates, detections.min_cases)
    for population in spec.populations:
        with placed(population.place):
            instances.append(instance_of_formula(population))
    _check_names(instances)
    return tuple(instances)


def _with_enough_cases(candidates: Iterator[Instance], min_cases: int) -> list[Instance]:
    """Instances with enough cases; those left out are noted with the first that is kept."""
    kept, left_out = [], []
    for instance in candidates:
        n = instance.n_cases or 0
        if n < min_cases:
            left_out.append(f"{instance.name} ({n})")
        elif n < FEWEST:
            raise DataError(
                f"{instance.source}: {n} case{'' if n == 1 else 's'} left; a population needs "
                f"{FEWEST} at the very least, and {FEW_CASES} to be worth a study. min_cases = "
                f"{FEW_CASES} leaves such instances out"
            )
        else:
            kept.append(instance)
    if not kept:
        raise DataError(
            f"no instance has min_cases = {min_cases} cases; there are {shortened(left_out, 5)}"
        )
    if left_out:
        note = f"left out, with fewer than {min_cases} cases: {shortened(left_out, 20)}"
        kept[0] = replace(kept[0], notes=(*kept[0].notes, note))
    return kept


def _check_names(instances: Iterable[Instance]) -> None:
    seen: dict[str, Instance] = {}
    for instance in instances:
        first = seen.setdefault(instance.name, instance)
        if first is not instance:
            raise DataError(
                f"two instances are called {instance.name!r}: {first.source} and "
                f"{instance.source}. Tell them apart by model or task in their sections, or by "
                "{model} and {task} in the pattern of their files"
            )
