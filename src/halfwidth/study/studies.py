"""The public functions of a study: planning it, predicting its cost, running it."""

from __future__ import annotations

from pathlib import Path

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.study.chunks import Chunk, ChunkResult, chunks_of_shard, parse_shard
from halfwidth.study.execution.running import Outcome, run_chunks
from halfwidth.study.simulation.cells import simulate
from halfwidth.study.simulation.costs import Predicted, predict
from halfwidth.study.simulation.grid import plan_chunks, shared_settings
from halfwidth.study.simulation.performance import CHOICES, COLUMNS
from halfwidth.study.specs.instances import load_instances
from halfwidth.study.specs.parsing import read_spec
from halfwidth.study.specs.spec import Instance, StudySpec
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
