"""Scoring many cases one by one or in parallel, with a checkpoint after each."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path

from halfwidth.core.errors import DataError
from halfwidth.core.processes import in_workers
from halfwidth.document.progress import tracked
from halfwidth.scoring.cases import ScoringSettings, score_case
from halfwidth.scoring.checkpoint import Checkpoint, fingerprint
from halfwidth.scoring.pairs import CaseFiles
from halfwidth.scoring.scores import CaseScores

SHOWN = 3

Outcome = tuple[str, CaseScores | DataError]


def score_cases(
    cases: Sequence[CaseFiles],
    settings: ScoringSettings,
    *,
    jobs: int,
    checkpoint: Checkpoint | None,
) -> tuple[tuple[CaseScores, ...], int]:
    """Score all cases; returns scores in their order, and how many came from an earlier run.

    A case that cannot be scored does not stop the others; all failures are named at the end,
    when the checkpoint holds the other cases.
    """
    keys = {files.case: fingerprint(files) for files in cases}
    known = checkpoint.load() if checkpoint else {}
    done = {case: known[key] for case, key in keys.items() if key in known}
    if checkpoint:
        checkpoint.begin({keys[case]: scores for case, scores in done.items()})
    n_known = len(done)
    errors: dict[str, DataError] = {}
    todo = [files for files in cases if files.case not in done]
    steps = tracked(((i, i + 1) for i in range(len(todo))), len(todo), "cases")
    with contextlib.closing(_outcomes(todo, settings, jobs)) as outcomes:
        for _, (case, outcome) in zip(steps, outcomes, strict=True):
            if isinstance(outcome, DataError):
                errors[case] = outcome
            else:
                done[case] = outcome
                if checkpoint:
                    checkpoint.add(keys[case], outcome)
    if errors:
        # In the order of the cases, not of completion.
        ordered = [errors[files.case] for files in cases if files.case in errors]
        raise _combined_error(ordered, len(cases), done if checkpoint else {})
    return tuple(done[files.case] for files in cases), n_known


def _outcomes(
    cases: Sequence[CaseFiles], settings: ScoringSettings, jobs: int
) -> Generator[Outcome]:
    if jobs == 1 or len(cases) < 2:
        yield from (_attempt(files, settings) for files in cases)
        return
    folder = Path.cwd()
    tasks = ((folder, files, settings) for files in cases)
    with contextlib.closing(in_workers(_attempt_in, tasks, min(jobs, len(cases)))) as outcomes:
        yield from (outcome for _, outcome in outcomes)


def _attempt_in(folder: Path, files: CaseFiles, settings: ScoringSettings) -> Outcome:
    """Attempt a case in a worker, which may be left from a call in another folder."""
    os.chdir(folder)
    return _attempt(files, settings)


def _attempt(files: CaseFiles, settings: ScoringSettings) -> Outcome:
    """The scores, or the error in the data; an error in the options is raised for all cases."""
    try:
        return files.case, score_case(files, settings)
    except DataError as error:
        return files.case, error


def _combined_error(
    errors: Sequence[DataError], total: int, kept: Mapping[str, CaseScores]
) -> DataError:
    listed = "; ".join(str(fault) for fault in errors[:SHOWN])
    if total == 1:
        return DataError(listed)
    more = f"; and {len(errors) - SHOWN} more" if len(errors) > SHOWN else ""
    rest = ""
    if kept:
        others = "case is" if len(kept) == 1 else f"{len(kept)} cases are"
        rest = f". The other {others} kept: once this is mended, the same command goes on"
    return DataError(f"{len(errors)} of {total} cases could not be scored: {listed}{more}{rest}")
