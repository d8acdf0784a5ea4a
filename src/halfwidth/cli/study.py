"""``halfwidth study``: coverage and width of CI methods on your own instances."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.command import SETTINGS, Verb
from halfwidth.cli.option_groups import argument, option, switch
from halfwidth.cli.options import Jobs, Strict
from halfwidth.cli.output import InterruptReportedError, complain, note, write
from halfwidth.cli.study_advise import advise
from halfwidth.cli.study_answers import summary
from halfwidth.cli.study_describe import describe
from halfwidth.cli.study_plot import plot
from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.option_table.option import Group
from halfwidth.core.processes import check_jobs
from halfwidth.document.parts import (
    Code,
    Document,
    Item,
    Items,
    Kind,
    Note,
    Part,
    Table,
)
from halfwidth.study.execution.interrupts import Stopped
from halfwidth.study.execution.progress import duration_text
from halfwidth.study.specs.draft import draft
from halfwidth.study.storage.manifest import DamagedManifestError
from halfwidth.study.storage.opening import open_store
from halfwidth.study.storage.upkeep import StudyStatus, open_or_create_like
from halfwidth.study.storage.upkeep import collect as collect_parts
from halfwidth.study.storage.upkeep import retry as forget
from halfwidth.study.storage.upkeep import status as status_of
from halfwidth.study.studies import StudyPlan, plan
from halfwidth.study.studies import run as run_study

if TYPE_CHECKING:
    from halfwidth.study.execution.running import Outcome

FAILED_STATUS = 2
# Chunks that --dry-run lists; the others are summed up.
LISTED = 40
MOST_NAMED = 5

app = typer.Typer(
    name="study",
    help="Coverage and width of CI methods, by simulation from your own instances.\n\n"
    "A study fits a population to each instance (a model on a task), draws samples from it, makes "
    "intervals by every method, and counts how often they hold the true value and how wide they "
    "are.\n\n"
    "\b\n"
    "halfwidth study init results/ -o study.toml\n"
    "halfwidth study run study.toml --store store/ --dry-run\n"
    "halfwidth study run study.toml --store store/ --jobs 2\n"
    "halfwidth study summary store/\n"
    "halfwidth study advise store/",
    **SETTINGS,
)

Spec = Annotated[Path, argument("The spec of the study, a TOML file.", "SPEC")]
StoreOption = Annotated[
    Path,
    option(
        "The folder that keeps the results; made on the first run.",
        "DIR",
        Group.RUNNING,
    ),
]
StoreArgument = Annotated[Path, argument("The store of a study.", "STORE")]
Dask = Annotated[
    str | None,
    option(
        "Address of a Dask scheduler (tcp://host:8786), or 'local' for one here.",
        "ADDRESS",
        Group.RUNNING,
    ),
]
ShardOption = Annotated[
    str | None,
    option("Do the i-th of N shares, for array jobs without a scheduler.", "i/N", Group.RUNNING),
]
Retries = Annotated[
    int, option("How often a chunk that went wrong is done again.", "K", Group.RUNNING)
]


@app.command("init", short_help="A commented spec from a folder of data.", cls=Verb)
def init(
    folder: Annotated[Path, argument("Per-case tables, *_scores.npy, *_targets.npy.", "FOLDER")],
    out: Annotated[Path, option("Where to write the spec.", "FILE", flags=("--out", "-o"))] = Path(
        "study.toml"
    ),
    force: Annotated[bool, switch("--force", "Overwrite FILE.")] = False,
) -> Answer:
    """Write a spec that runs as it is: what was found, what was guessed, every option.

    \b
    halfwidth study init results/ -o study.toml
    """
    if out.exists() and not force:
        raise DataError(f"{out}: is there already; --force overwrites it, -o FILE names another")
    if out.exists() and out.suffix != ".toml":
        raise DataError(f"{out}: is not a spec (.toml), and --force overwrites specs only")
    write(draft(folder, out.parent), out)
    note(f"read it, then: halfwidth study run {out} --store {out.with_suffix('')}-store --dry-run")
    return Answer(Document())


app.command("describe", short_help="What the instances are like.", cls=Verb)(describe)


@app.command("run", short_help="Run a study, or go on with one.", cls=Verb)
def run(
    spec: Spec,
    store: StoreOption,
    jobs: Jobs = 1,
    dask: Dask = None,
    shard: ShardOption = None,
    retries: Retries = 1,
    dry_run: Annotated[
        bool, switch("--dry-run", "Show chunks and predicted costs; run nothing.", Group.RUNNING)
    ] = False,
    strict: Strict = False,
) -> Answer:
    """Run a study. The same command goes on with one that was cut off; Ctrl-C is safe.

    Results do not depend on the number of workers, the engine, shards or interruptions. A chunk
    that goes wrong is retried, then set aside; the others are done all the same.

    \b
    halfwidth study run study.toml --store store/ --dry-run
    halfwidth study run study.toml --store store/ --jobs -1
    halfwidth study run study.toml --store store/ --dask tcp://10.0.0.1:8786
    halfwidth study run study.toml --store store/ --shard 3/100
    """
    planned = plan(spec)
    _print_cautions(planned)
    cautioned = strict_status(strict, planned.cautions)
    if dry_run:
        return Answer(_costs(planned, shard, jobs), status=cautioned)
    with _report_interrupts():
        outcome = run_study(planned, store, jobs=jobs, dask=dask, shard=shard, retries=retries)
    return Answer(Document(), status=_finish_run(outcome, store, spec) or cautioned)


@app.command("status", short_help="How far a study is.", cls=Verb)
def status(
    stores: Annotated[list[Path], argument("The store of a study, or several.", "STORE...")],
    store: Annotated[
        Path | None,
        option(
            "The store, where the argument is its SPEC: for stores of earlier versions, which "
            "do not say what is left.",
            "DIR",
            Group.RUNNING,
        ),
    ] = None,
) -> Answer:
    """How far a study is: chunks done, failed and left, and who is working on it.

    \b
    halfwidth study status store/
    """
    if store is not None:
        if len(stores) > 1 or stores[0].is_dir():
            raise OptionError(
                f"--store {store} goes with one SPEC; name a store alone: "
                f"halfwidth study status {store}"
            )
        open_store(store)  # asking must not make a store
        planned = plan(stores[0])
        statuses = {store: status_of(planned.store(store), planned.chunks)}
    else:
        statuses = {one: _status_of_store(one) for one in stores}
    parts: list[Part] = []
    for one, status_found in statuses.items():
        parts += [Note(f"{one}:")] * (len(statuses) > 1)
        parts += _status_parts(status_found, one)
    failed = any(status_found.failed for status_found in statuses.values())
    return Answer(Document(tuple(parts)), status=FAILED_STATUS if failed else 0)


def _status_of_store(folder: Path) -> StudyStatus:
    """What a store says by itself; it knows its chunks from the last run on it."""
    from halfwidth.study.storage.upkeep import status

    if folder.is_file():
        raise OptionError(
            f"{folder} is a file; name the store: halfwidth study status STORE, or both: "
            f"halfwidth study status {folder} --store STORE"
        )
    opened = open_store(folder)
    return status(opened, opened.chunks())


@app.command("retry", short_help="Do failed chunks again.", cls=Verb)
def retry(
    spec: Spec,
    store: StoreOption,
    jobs: Jobs = 1,
    dask: Dask = None,
    retries: Retries = 1,
) -> Answer:
    """Forget what failed and go on: failed chunks are done again, and so is what is left.

    \b
    halfwidth study retry study.toml --store store/
    """
    with contextlib.suppress(DamagedManifestError):  # which the run restores
        open_store(store)
    planned = plan(spec)
    count = forget(planned.store(store, restore=True))
    note(f"{count} failed chunk{'' if count == 1 else 's'} to do again")
    with _report_interrupts():
        outcome = run_study(planned, store, jobs=jobs, dask=dask, retries=retries)
    return Answer(Document(), status=_finish_run(outcome, store, spec))


@app.command("collect", short_help="Bring stores of shards together.", cls=Verb)
def collect(
    store: StoreArgument,
    others: Annotated[list[Path], argument("Stores of the same study.", "OTHER...")],
) -> Answer:
    """Copy the parts of other stores of the same study into STORE, which is made if need be.

    Doing it twice does no harm.

    \b
    halfwidth study collect store/ from-node-1/ from-node-2/
    """
    outcome = collect_parts(open_or_create_like(store, others[0]), others)
    replaced = f", {outcome.replaced} damaged ones replaced" if outcome.replaced else ""
    note(
        f"{_counted(outcome.copied, 'part')} copied, {outcome.already} were there already{replaced}"
    )
    if outcome.damaged:
        faults = shortened(
            [f"{part.name} of {part.parents[1]} {fault}" for part, fault in outcome.damaged.items()]
        )
        note(f"{len(outcome.damaged)} left behind: {faults}")
    return Answer(Document())


app.command("summary", short_help="Coverage, paces, tests, needs, failures.", cls=Verb)(summary)


app.command("advise", short_help="Which method to use, by a study.", cls=Verb)(advise)


app.command("plot", short_help="Figures of coverage, width and what they depend on.", cls=Verb)(
    plot
)


@contextlib.contextmanager
def _report_interrupts() -> Iterator[None]:
    """One line for an interrupt, which the run writes if it has come that far."""
    try:
        yield
    except Stopped:
        raise InterruptReportedError from None
    except KeyboardInterrupt:
        note("interrupted before anything was done; the same command goes on")
        raise InterruptReportedError from None


# --------------------------------------------------------------------------- words


def _print_cautions(planned: StudyPlan) -> None:
    """Each caution once, with the instances that it is about."""
    messages: dict[str, list[str]] = {}
    for instance in planned.instances:
        for caution in instance.cautions:
            messages.setdefault(caution.code, []).append(str(caution))
    for texts in messages.values():
        for text in texts[:MOST_NAMED]:
            complain(text)
        if len(texts) > MOST_NAMED:
            complain(f"and {len(texts) - MOST_NAMED} more instances with the same caution")


def _finish_run(outcome: Outcome, store: Path, spec: Path) -> int:
    if outcome.failed:
        complain(
            f"{len(outcome.failed)} chunks failed; {store / 'failed'} holds why. Once that is "
            f"mended: halfwidth study retry {spec} --store {store}"
        )
        return FAILED_STATUS
    return 0


def _costs(planned: StudyPlan, shard: str | None, jobs: int) -> Document:
    """The chunks and the time they are predicted to take."""
    workers = check_jobs(jobs)
    chunks = planned.shard_chunks(shard)
    prediction = planned.predicted(shard)
    rows = [
        [
            chunk.name,
            str(len(chunk.payload.measured)),
            duration_text(prediction.seconds[chunk.name]),
        ]
        for chunk in chunks[:LISTED]
    ]
    rest = chunks[LISTED:]
    if rest:
        seconds = sum(prediction.seconds[chunk.name] for chunk in rest)
        cells = sum(len(chunk.payload.measured) for chunk in rest)
        rows.append([f"... and {len(rest)} more", str(cells), duration_text(seconds)])
    cells = sum(len(chunk.payload.measured) for chunk in chunks)
    hours = prediction.core_hours
    table = Table.from_rows(["chunk", "cells", "predicted"], rows, kinds={"chunk": Kind.TEXT})
    size = Note(
        f"{_counted(len(planned.instances), 'instance')}, {_counted(len(chunks), 'chunk')}, "
        f"{_counted(cells, 'cell')} of "
        f"{planned.spec.samples} samples and {planned.spec.resamples} resamples."
    )
    cost = Note(
        f"Predicted: {hours:.3g} hours of one worker, {hours * prediction.cpu_share:.3g} of them "
        f"CPU time; about {duration_text(3600 * hours / workers)} with "
        f"{_counted(workers, 'worker')} (from {prediction.tried} trials in "
        f"{duration_text(prediction.took)}; the fit of populations and true values come on top)."
    )
    return Document((table, size, cost))


def _status_parts(status: StudyStatus, store: Path) -> Iterator[Part]:
    time = f"done in {duration_text(status.seconds)} of one worker"
    if not math.isnan(status.cpu_seconds):
        time += f", {duration_text(status.cpu_seconds)} of it CPU time"
    if status.left is None:
        yield Note(f"{_counted(len(status.done), 'chunk')} {time}")
        yield Note("only the spec tells what is left:")
        yield Code((f"halfwidth study status SPEC --store {store}",))
    else:
        total = len(status.done) + len(status.failed) + len(status.left)
        yield Note(f"{len(status.done)} of {_counted(total, 'chunk')} {time}")
    if status.left:
        left = duration_text(status.seconds_left)
        left = "" if math.isnan(status.seconds_left) else f", about {left} of one worker"
        yield Note(f"{len(status.left)} left{left}")
    if status.damaged:
        yield _name_list(
            f"{_counted(len(status.damaged), 'part')} cannot be used; a run does them again:",
            [f"{name} {fault}" for name, fault in status.damaged.items()],
        )
    if status.unsealed:
        yield Note(
            f"{_counted(status.unsealed, 'part')} of an earlier version, without a seal; a run "
            "checks and seals what is sound"
        )
    if status.torn:
        yield Note(f"{_counted(status.torn, 'damaged line')} of timings left out")
    if status.failed:
        yield _name_list(
            f"{len(status.failed)} failed; 'halfwidth study retry' does them again:",
            [f"{name}: {status.reasons.get(name, '')}" for name in status.failed],
        )
    for holder in status.running:
        yield Note(f"running: {holder}")


def _name_list(title: str, texts: list[str]) -> Items:
    more = [f"and {len(texts) - MOST_NAMED} more"] if len(texts) > MOST_NAMED else []
    return Items(tuple(Item("", text) for text in [*texts[:MOST_NAMED], *more]), title)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
