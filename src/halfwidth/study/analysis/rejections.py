"""Which families the instances of a study reject, as Tables S1 and S4 of André et al. (2025)."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core import rng as randomness
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.processes import check_jobs, in_workers
from halfwidth.core.spec import MetricLevel
from halfwidth.core.types import Array, Bounds
from halfwidth.document.progress import tracked
from halfwidth.study.analysis.fits import OF_LOGITS, OF_VALUES, families_named, suits
from halfwidth.study.analysis.goodness import (
    Goodness,
    bootstrap_p,
    check_draws,
    fit_and_distance,
)
from halfwidth.study.specs.spec import Instance, written
from halfwidth.study.studies import StudyPlan

if TYPE_CHECKING:
    import pandas as pd

SIGNIFICANCE = 0.05
FIT_COLUMNS = (
    *("instance", "task", "model", "metric", "label", "family", "n", "moved"),
    *("statistic", "p", "lilliefors_p", "draws", "parameters", "failure"),
)


@frozen
class _Task:
    """One instance to fit families to."""

    instance: Instance
    families: tuple[str, ...]
    draws: int
    entropy: int


def family_fits(
    planned: StudyPlan,
    families: Sequence[str] | None = None,
    *,
    lilliefors: int | None = None,
    rng: Any = None,
    jobs: int = 1,
) -> pd.DataFrame:
    """Fit families to the values, or the logits of each class, of every instance.

    Parameters
    ----------
    planned : StudyPlan
        From `halfwidth.study.plan`. Populations by formula hold no values and are left out.
    families : sequence of str, optional
        Default: all that suit the range of a metric (positive ones only where it has no values
        below 0, the beta only between two bounds); of logits normal, t, skewnormal, logistic and
        pareto.
    lilliefors : int, optional
        Draws of the bootstrap of p; None: none is done.
    rng : None, int, SeedSequence or Generator
        Results do not depend on the number of jobs.
    jobs : int, default 1
        Processes; -1: one for each processor.

    Returns
    -------
    DataFrame
        A row for each instance, class (``label``, of logits) and family: ``n``, values ``moved``
        off the ends of the support for the fit, ``statistic`` D, nominal ``p``, ``lilliefors_p``
        (NaN if not asked for) of so many ``draws``, ``parameters`` as text, and ``failure``: why
        there is no fit, in which case D and p are NaN. Logits without spread, as those of a
        negative class that has none of its own, have no row.

    Raises
    ------
    OptionError, UnknownNameError
        For a family that is not there, less than one draw, and no number of jobs.
    DataError
        If no instance has values.
    """
    import pandas as pd

    names = families_named(families)
    if lilliefors is not None:
        check_draws(lilliefors)

    workers = check_jobs(jobs)
    entropy = randomness.resolve_seed(rng)
    tasks = [
        _Task(instance, names, lilliefors or 0, entropy)
        for instance in planned.instances
        if instance.n_cases is not None
    ]
    if not tasks:
        raise DataError(
            "families are fitted to values, and all instances of this study are given by formula"
        )
    with contextlib.closing(_fit_tasks(tasks, workers)) as worked:
        rows = [row for worked_rows in worked for row in worked_rows]
    return pd.DataFrame(rows, columns=list(FIT_COLUMNS))


def family_rejections(
    planned: StudyPlan,
    families: Sequence[str] | None = None,
    *,
    tests: int | None = None,
    lilliefors: int | None = None,
    rng: Any = None,
    jobs: int = 1,
) -> pd.DataFrame:
    """The share of instances that reject each family, by the Kolmogorov-Smirnov test.

    A test rejects at p ≤ 0.05/``tests`` (Bonferroni). A test set rejects a family if the logits of
    any class do. The nominal p supposes a family that was not fitted to the values it is tested
    on, so it rejects too seldom; the Lilliefors p does not.

    Parameters
    ----------
    planned, families, lilliefors, rng, jobs
        As for `family_fits`.
    tests : int, optional
        Tests among which the 5 % are shared. Default: those of one family and metric, that is its
        instances (of test sets: all classes of all instances).

    Returns
    -------
    DataFrame
        A row for each metric (empty: the logits of test sets) and family: ``instances`` asked,
        ``failed`` of them without a fit, ``tests``, ``rejected``, the share of the others that
        reject by the nominal p, ``rejected_lilliefors`` by the bootstrap (NaN if not asked for).

    Raises
    ------
    OptionError, UnknownNameError, DataError
        As `family_fits`; for ``tests`` below 1; and if no bootstrap of so few draws could reject:
        its p is at least 1/(draws + 1).

    References
    ----------
    andre2025, Tables S1 and S4; lilliefors1967.
    """
    check_tests(tests)
    if lilliefors is not None:
        check_draws(lilliefors)
        _check_enough(planned, tests, lilliefors)
    fits = family_fits(planned, families, lilliefors=lilliefors, rng=rng, jobs=jobs)
    return rejections_of(fits, tests=tests)


def rejections_of(fits: pd.DataFrame, *, tests: int | None = None) -> pd.DataFrame:
    """The frame of `family_rejections` from that of `family_fits`."""
    import pandas as pd

    check_tests(tests)
    rows: list[dict[str, Any]] = []
    for (metric, family), group in fits.groupby(["metric", "family"], sort=False):
        count = tests or len(group)
        row = {"metric": metric, "family": family}
        limit = SIGNIFICANCE / count
        nominal = [_rejects(fit["p"], limit) for _, fit in group.groupby("instance")]
        known = [verdict for verdict in nominal if verdict is not None]
        row |= {"instances": len(nominal), "failed": len(nominal) - len(known), "tests": count}
        row["rejected"] = _share(known)
        exact = [_rejects(fit["lilliefors_p"], limit) for _, fit in group.groupby("instance")]
        row["rejected_lilliefors"] = _share([verdict for verdict in exact if verdict is not None])
        row["draws"] = int(group["draws"].max())
        rows.append(row)
    # In the order of the first row of a metric, families as the tables of andre2025 have them.
    return pd.DataFrame(rows)


def check_tests(tests: int | None) -> None:
    """Refuse what is no number of tests."""
    if tests is not None and (isinstance(tests, bool) or not isinstance(tests, int) or tests < 1):
        raise OptionError(f"{spelled('tests', tests)} must be an integer ≥ 1")


def _check_enough(planned: StudyPlan, tests: int | None, draws: int) -> None:
    """Refuse a bootstrap whose lowest p is above what a rejection takes."""
    counts: dict[str, int] = {}
    for instance in planned.instances:
        if instance.n_cases is None or instance.detected is not None:
            continue
        name = "" if instance.metric is None else written(instance.metric)
        counts[name] = counts.get(name, 0) + max(1, len(instance.classes))
    most = tests or max(counts.values(), default=1)
    needed = math.ceil(most / SIGNIFICANCE) - 1
    if draws < needed:
        raise OptionError(
            f"{spelled('lilliefors', draws)}: p is at least 1/{draws + 1} and a rejection takes "
            f"{SIGNIFICANCE:g}/{most} (Bonferroni over {most} tests): nothing could be rejected; "
            f"draw {needed} or more, or say among how many tests the 5 % are shared: "
            f"{spelled('tests', 1)}"
        )


def _rejects(p: Any, limit: float) -> bool | None:
    """Whether any p is low enough; None where none is and one is unknown."""
    low = p[~np.isnan(p)]
    if (low <= limit).any():
        return True
    return False if len(low) == len(p) else None


def _share(rejected: list[bool]) -> float:
    return sum(rejected) / len(rejected) if rejected else math.nan


# --------------------------------------------------------------------------- workers


def _fit_tasks(tasks: list[_Task], jobs: int) -> Generator[list[dict[str, Any]]]:
    """Rows of each instance in their order, for any number of workers."""
    steps = tracked(((i, i + 1) for i in range(len(tasks))), len(tasks), "instances")
    if jobs == 1 or len(tasks) < 2:
        for _, task in zip(steps, tasks, strict=True):
            yield _rows(task)
        return
    workers = in_workers(_rows, ((task,) for task in tasks), min(jobs, len(tasks)))
    with contextlib.closing(workers) as results:
        fitted = dict(result for _, result in zip(steps, results, strict=True))
    yield from (fitted[place] for place in range(len(tasks)))


def _rows(task: _Task) -> list[dict[str, Any]]:
    instance = task.instance
    if instance.detected is not None:
        return []  # images are no distribution of numbers
    population = instance.build()
    if instance.level is MetricLevel.INDIVIDUAL:
        return list(_fits(task, population.cases, "", instance.bounds))
    return [
        row
        for label, logits in zip(instance.classes, population.logits, strict=True)
        if logits.min() < logits.max()
        for row in _fits(task, np.sort(logits), label, None)
    ]


def _fits(
    task: _Task, values: Array, label: str, bounds: Bounds | None
) -> Generator[dict[str, Any]]:
    """A row for each family that values in this range may have."""
    instance = task.instance
    catalogue = OF_LOGITS if bounds is None else OF_VALUES
    for name, fitting in catalogue.items():
        if name not in task.families or (bounds is not None and not suits(fitting, bounds)):
            continue
        goodness = fit_and_distance(values, fitting, bounds)
        p = math.nan
        if task.draws:
            key = (task.entropy, "lilliefors", instance.name, label, name)
            p = bootstrap_p(goodness, fitting, len(values), task.draws, key)
        yield {
            "instance": instance.name,
            "task": instance.task,
            "model": instance.model,
            "metric": "" if instance.metric is None else written(instance.metric),
            "label": label,
            **_row(goodness, len(values)),
            "lilliefors_p": p,
            "draws": task.draws,
        }


def _row(goodness: Goodness, n: int) -> dict[str, Any]:
    parameters = ", ".join(f"{name}={value:.6g}" for name, value in goodness.parameters.items())
    return {
        "family": goodness.family,
        "n": n,
        "moved": goodness.moved,
        "statistic": goodness.statistic,
        "p": goodness.p,
        "parameters": parameters,
        "failure": goodness.failure,
    }
