"""From a spec to a store: what a study holds, what it will cost, and running it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError
from halfwidth.study.chunks import Chunk, Made, dealt, parse_shard
from halfwidth.study.execution.running import Outcome, run_chunks
from halfwidth.study.simulation.cells import simulate
from halfwidth.study.simulation.costs import Predicted, predict
from halfwidth.study.simulation.grid import chunks_of, settings_of
from halfwidth.study.simulation.records import COLUMNS
from halfwidth.study.specs.instances import instances_of
from halfwidth.study.specs.parsing import read_spec
from halfwidth.study.specs.spec import Instance, StudySpec
from halfwidth.study.storage.opening import create_or_open
from halfwidth.study.storage.store import Store

__all__ = ["Planned", "plan", "run"]


@dataclass(frozen=True)
class Planned:
    """A study that is ready to run.

    Attributes
    ----------
    spec : StudySpec
    instances : tuple of Instance
    chunks : tuple of Chunk
        What is done one by one: an instance, a metric and a sample size each.
    """

    spec: StudySpec
    instances: tuple[Instance, ...]
    chunks: tuple[Chunk, ...]

    @property
    def cells(self) -> int:
        """Instance, metric, statistic or average, and sample size."""
        return sum(len(chunk.payload.measured) for chunk in self.chunks)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Of all instances, each with the name of its own."""
        return tuple(caution for one in self.instances for caution in one.cautions)

    def of_shard(self, shard: str | None) -> list[Chunk]:
        """The chunks that a shard does, such as ``"2/8"``; all of them for None."""
        return dealt(self.chunks, None if shard is None else parse_shard(shard))

    def predicted(self, shard: str | None = None) -> Predicted:
        """Core-seconds of each chunk, from short trials on this machine."""
        return predict(self.of_shard(shard))

    def store(self, folder: str | Path, *, restore: bool = False) -> Store:
        """The store in a folder, made if it is not there.

        With ``restore``, a damaged ``run.json`` is written anew, as a run does it.

        Raises
        ------
        DataError
            If the folder holds something else, or another study.
        """
        inputs = {instance.name: instance.digest for instance in self.instances}
        return create_or_open(folder, settings_of(self.spec), inputs, COLUMNS, restore=restore)


def plan(spec: str | Path | StudySpec) -> Planned:
    """Read the spec of a study and its data.

    Parameters
    ----------
    spec : path or StudySpec

    Returns
    -------
    Planned

    Raises
    ------
    DataError
        If a file cannot be read, or its values cannot be used.
    OptionError
        If what is asked for fits nothing.
    """
    asked = spec if isinstance(spec, StudySpec) else read_spec(spec)
    instances = instances_of(asked)
    return Planned(asked, instances, chunks_of(asked, instances))


def run(
    spec: str | Path | StudySpec | Planned,
    store: str | Path,
    *,
    jobs: int = 1,
    dask: str | None = None,
    shard: str | None = None,
    retries: int = 1,
) -> Outcome:
    """Run a study, or go on with one: what its store has is not done again.

    Parameters
    ----------
    spec : path, StudySpec or Planned
    store : path
        A folder: absent, empty, or the store of this study.
    jobs : int
        Worker processes; -1: one for each processor at hand. Results are the same for any number.
    dask : str, optional
        Address of a Dask scheduler, or ``"local"``.
    shard : str, optional
        ``"i/N"``: do the i-th of N shares, on the same store or one of its own.
    retries : int
        How often a chunk that went wrong is done again before it is set aside.

    Returns
    -------
    Outcome
        Names of the chunks that were done now, before, and that failed.

    Raises
    ------
    DataError, OptionError
        As `plan`, and if the store is of another study, in use, or cannot be written to.
    """
    if dask is not None and shard is not None:
        raise OptionError("dask= (--dask) and shard= (--shard) exclude each other")
    mine = None if shard is None else parse_shard(shard)
    planned = spec if isinstance(spec, Planned) else plan(spec)
    return run_chunks(
        planned.chunks,
        work,
        planned.store(store, restore=True),
        jobs=jobs,
        dask=dask,
        shard=mine,
        retries=retries,
    )


def work(chunk: Chunk) -> Made:
    """What a worker does."""
    return simulate(chunk.payload)
