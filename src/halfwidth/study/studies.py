"""The public functions of a study: planning it, predicting its cost, running it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from halfwidth import __version__
from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric, MetricLevel
from halfwidth.study.chunks import Chunk, ChunkResult, chunks_of_shard, parse_shard
from halfwidth.study.execution.running import Outcome, run_chunks
from halfwidth.study.simulation.cells import Cells, simulate
from halfwidth.study.simulation.costs import Predicted, predict, rough_seconds
from halfwidth.study.simulation.performance import CHOICES, COLUMNS
from halfwidth.study.specs.instances import load_instances
from halfwidth.study.specs.parsing import read_spec
from halfwidth.study.specs.spec import Instance, StudySpec, written
from halfwidth.study.storage.opening import create_or_open
from halfwidth.study.storage.store import Store


@frozen
class StudyPlan:
    """A study that is ready to run.

    Attributes
    ----------
    spec : StudySpec
    instances : tuple of Instance
    chunks : tuple of Chunk
        The units of work: an instance, a metric and a sample size each.
    """

    spec: StudySpec
    instances: tuple[Instance, ...]
    chunks: tuple[Chunk, ...]

    @property
    def cells(self) -> int:
        """The number of cells: instance, metric, statistic or average, and sample size."""
        return sum(len(chunk.payload.measured) for chunk in self.chunks)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """The cautions of all instances; each names its instance."""
        return tuple(caution for instance in self.instances for caution in instance.cautions)

    def shard_chunks(self, shard: str | None) -> list[Chunk]:
        """The chunks of a shard such as ``"2/8"``; all chunks for None."""
        return chunks_of_shard(self.chunks, None if shard is None else parse_shard(shard))

    def predicted(self, shard: str | None = None) -> Predicted:
        """Seconds of a worker for each chunk, from short trials on this machine."""
        return predict(self.shard_chunks(shard))

    def store(self, folder: str | Path, *, restore: bool = False) -> Store:
        """Open the store in a folder, or create it.

        With ``restore``, a damaged ``run.json`` is rewritten, as a run does.

        Raises
        ------
        DataError
            If the folder holds something else, or another study.
        """
        inputs = {instance.name: instance.digest for instance in self.instances}
        columns = COLUMNS | CHOICES if self.spec.auto else COLUMNS
        return create_or_open(folder, shared_settings(self.spec), inputs, columns, restore=restore)


def plan(spec: str | Path | StudySpec) -> StudyPlan:
    """Read the spec of a study and its data.

    Parameters
    ----------
    spec : path or StudySpec

    Returns
    -------
    StudyPlan

    Raises
    ------
    DataError
        If a file cannot be read, or its values cannot be used.
    OptionError
        If an option applies to nothing.
    """
    study = spec if isinstance(spec, StudySpec) else read_spec(spec)
    instances = load_instances(study)
    return StudyPlan(study, instances, plan_chunks(study, instances))


def run(
    spec: str | Path | StudySpec | StudyPlan,
    store: str | Path,
    *,
    jobs: int = 1,
    dask: str | None = None,
    shard: str | None = None,
    retries: int = 1,
) -> Outcome:
    """Run a study, or resume one: chunks already in its store are not done again.

    Parameters
    ----------
    spec : path, StudySpec or StudyPlan
    store : path
        A folder: absent, empty, or the store of this study.
    jobs : int
        Worker processes; -1: one for each processor at hand. Results are the same for any number.
    dask : str, optional
        Address of a Dask scheduler, or ``"local"``.
    shard : str, optional
        ``"i/N"``: do the i-th of N shares, on the same store or one of its own.
    retries : int
        How often a failed chunk is repeated before it is set aside.

    Returns
    -------
    Outcome
        Names of the chunks done by this run, done before, and failed.

    Raises
    ------
    DataError, OptionError
        As `plan`, and if the store is of another study, in use, or cannot be written to.
    """
    if dask is not None and shard is not None:
        raise OptionError(f"{spelled('dask')} and {spelled('shard')} exclude each other")
    own_shard = None if shard is None else parse_shard(shard)
    planned = spec if isinstance(spec, StudyPlan) else plan(spec)
    return run_chunks(
        planned.chunks,
        work,
        planned.store(store, restore=True),
        jobs=jobs,
        dask=dask,
        shard=own_shard,
        retries=retries,
    )


def work(chunk: Chunk) -> ChunkResult:
    """Simulate a chunk; runs in the workers."""
    return simulate(chunk.payload)


# --------------------------------------------------------------------------- chunks

# Longest part of a file's name that comes from the name of an instance.
LONGEST = 80


def shared_settings(spec: StudySpec) -> dict[str, object]:
    """What all results of a study have in common, as its store keeps it."""
    return {"halfwidth": __version__, **spec.settings()}


def plan_chunks(spec: StudySpec, instances: Sequence[Instance]) -> tuple[Chunk, ...]:
    """One chunk for each instance, metric and sample size; nothing else decides their boundaries.

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
