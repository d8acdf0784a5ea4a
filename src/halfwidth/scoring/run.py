"""Scoring many cases: one after the other or in parallel, with what is done kept on the way."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.processes import deaf_to_interrupts
from halfwidth.resampling.progress import tracked
from halfwidth.scoring.cases import How, score_case
from halfwidth.scoring.checkpoint import Store, fingerprint
from halfwidth.scoring.pairs import CaseFiles
from halfwidth.scoring.scores import CaseScores

__all__ = ["check_jobs", "score_cases"]

SHOWN = 3

Outcome = tuple[str, CaseScores | DataError]


def check_jobs(jobs: Any) -> int:
    """Worker processes: from 1 up, or -1 for one on each processor at hand."""
    if isinstance(jobs, bool) or not isinstance(jobs, int) or (jobs < 1 and jobs != -1):
        raise OptionError(
            f"jobs={jobs!r} (--jobs) is not an integer from 1 up, nor -1 for all processors"
        )
    if jobs > 0:
        return jobs
    import joblib

    return int(joblib.cpu_count())


def score_cases(
    cases: Sequence[CaseFiles], how: How, *, jobs: int = 1, store: Store | None = None
) -> tuple[tuple[CaseScores, ...], int]:
    """The scores of all cases in their order, and how many were known from an earlier run.

    A case that cannot be scored does not stop the others; all that could not are named in the end,
    when the others are kept in the store.

    Raises
    ------
    DataError
        If a case could not be scored.
    """
    keys = {files.case: fingerprint(files) for files in cases}
    known = store.load() if store else {}
    done = {case: known[key] for case, key in keys.items() if key in known}
    if store:
        store.begin({keys[case]: scores for case, scores in done.items()})
    n_known = len(done)
    faults: dict[str, DataError] = {}
    todo = [files for files in cases if files.case not in done]
    steps = tracked(((i, i + 1) for i in range(len(todo))), len(todo), "cases")
    with contextlib.closing(_outcomes(todo, how, jobs)) as outcomes:
        for _, (case, outcome) in zip(steps, outcomes, strict=True):
            if isinstance(outcome, DataError):
                faults[case] = outcome
            else:
                done[case] = outcome
                if store:
                    store.add(keys[case], outcome)
    if faults:
        # In the order of the cases, whichever was done first.
        ordered = [faults[files.case] for files in cases if files.case in faults]
        raise _fault(ordered, len(cases), done if store else {})
    return tuple(done[files.case] for files in cases), n_known


def _outcomes(cases: Sequence[CaseFiles], how: How, jobs: int) -> Generator[Outcome]:
    if jobs == 1 or len(cases) < 2:
        yield from (_attempt(files, how) for files in cases)
        return
    from joblib import Parallel, delayed, parallel_config

    with parallel_config(backend="loky", inner_max_num_threads=1), deaf_to_interrupts():
        run = Parallel(n_jobs=min(jobs, len(cases)), return_as="generator_unordered")
        outcomes = run(delayed(_attempt)(files, how) for files in cases)
    try:
        yield from outcomes
    finally:
        with warnings.catch_warnings():
            # That the rest is given up is meant.
            warnings.simplefilter("ignore")
            outcomes.close()


def _attempt(files: CaseFiles, how: How) -> Outcome:
    """The scores, or what is wrong with the data; a wrong option is wrong for all cases."""
    try:
        return files.case, score_case(files, how)
    except DataError as error:
        return files.case, error


def _fault(faults: Sequence[DataError], total: int, kept: Mapping[str, CaseScores]) -> DataError:
    told = "; ".join(str(fault) for fault in faults[:SHOWN])
    if total == 1:
        return DataError(told)
    more = f"; and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
    rest = ""
    if kept:
        others = "case is" if len(kept) == 1 else f"{len(kept)} cases are"
        rest = f". The other {others} kept: once this is mended, the same command goes on"
    return DataError(f"{len(faults)} of {total} cases could not be scored: {told}{more}{rest}")
