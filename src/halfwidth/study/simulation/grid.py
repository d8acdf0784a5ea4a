"""From a spec and its instances to chunks; nothing else decides their boundaries."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from halfwidth import __version__
from halfwidth.core.errors import OptionError
from halfwidth.core.spec import Metric, MetricLevel
from halfwidth.study.chunks import Chunk
from halfwidth.study.simulation.cells import Cells
from halfwidth.study.simulation.costs import rough_seconds
from halfwidth.study.specs.spec import Instance, StudySpec, written

# Longest part of a file's name that comes from the name of an instance.
LONGEST = 80


def shared_settings(spec: StudySpec) -> dict[str, object]:
    """What all results of a study have in common, as its store keeps it."""
    return {"halfwidth": __version__, **spec.settings()}


def plan_chunks(spec: StudySpec, instances: Sequence[Instance]) -> tuple[Chunk, ...]:
    """One chunk for each instance, metric and sample size.

    Chunks of one instance follow one another, small samples first, so that its population is fitted
    once by whoever works on them.
    """
    chunks: list[Chunk] = []
    used: set[str] = set()
    for instance in instances:
        for metric in _metrics_on(instance, spec):
            for n in spec.sizes:
                cells = Cells(instance, metric, n, spec)
                measured = cells.measured
                used |= {method.name for target in measured for method in target.methods}
                if any(target.method_names for target in measured):
                    chunks.append(_chunk(cells))
    _check_methods(spec, used)
    if not chunks:
        raise OptionError(
            "the study has no cells: per-case values need statistics, test sets need metrics, and "
            "a method must accept one of them"
        )
    return _with_distinct_names(chunks)


def _metrics_on(instance: Instance, spec: StudySpec) -> Iterator[Metric | None]:
    if instance.level is MetricLevel.INDIVIDUAL:
        yield from (None,) if spec.statistics else ()
    elif instance.detected is not None:
        yield instance.metric
    else:
        yield from spec.metrics


def _chunk(cells: Cells) -> Chunk:
    instance = cells.instance
    metric = cells.metric or instance.metric
    name_parts = [_safe(instance.name)]
    if cells.metric is not None and metric is not None and instance.detected is None:
        name_parts.append(_safe(written(metric)))
    name_parts.append(f"n{cells.n:05d}")
    cost = float(rough_seconds(cells))
    return Chunk(".".join(name_parts), _digest(cells), cells, cost, instance.name)


def _digest(cells: Cells) -> str:
    """Hash of all that the rows of a chunk depend on; other sample sizes are none of it."""
    settings = {
        name: value for name, value in shared_settings(cells.spec).items() if name != "sizes"
    }
    metric = "" if cells.metric is None else written(cells.metric, complete=True)
    instance = cells.instance
    identity = [instance.name, instance.task, instance.model, instance.classes]
    hashed = [settings, identity, instance.digest, metric, cells.n]
    text = json.dumps(hashed, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _safe(name: str) -> str:
    """A name that any file system takes."""
    return re.sub(r"[^A-Za-z0-9_=+-]+", "-", name).strip("-")[:LONGEST] or "instance"


def _with_distinct_names(chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Names that differ only in characters that no file name can hold get their digests."""
    seen: dict[str, int] = {}
    for chunk in chunks:
        key = chunk.name.casefold()
        seen[key] = seen.get(key, 0) + 1
    return tuple(
        chunk
        if seen[chunk.name.casefold()] == 1
        else replace(chunk, name=f"{chunk.name}.{chunk.digest}")
        for chunk in chunks
    )


def _check_methods(spec: StudySpec, used: set[str]) -> None:
    idle = [method.name for method in spec.methods or () if method.name not in used]
    if idle:
        raise OptionError(
            f"methods: {', '.join(idle)} {'accepts' if len(idle) == 1 else 'accept'} nothing that "
            "this study estimates; 'halfwidth methods' says what each is for"
        )
