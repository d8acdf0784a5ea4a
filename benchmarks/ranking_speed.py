"""Seconds of processor time that ranking takes, beside what one would write instead.

Values like DSCs of some models on the same cases, of a few tasks. Beside the whole call, its sets
of ranks included, stand a loop that resamples cases, averages and ranks with
``scipy.stats.rankdata``, which gives shares of ranks and no sets; and a paired
``scipy.stats.bootstrap`` of each pair of models, from which sets could be made. Of both a part is
timed and scaled. One BLAS thread, since threads that wait for each other count as busy.

    python benchmarks/ranking_speed.py [models] [cases] [tasks]
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import functools
import resource
import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats
from sklearn import metrics

import halfwidth as hw
from halfwidth.core.types import Array

RESAMPLES, PARTS = 9999, 3
TIMED_RESAMPLES, TIMED_PAIRS, TIMED_AREAS = 300, 10, 3
SIZES, FAILING = (100, 1000, 10), 0.01


def main() -> None:
    """Print a row for each way."""
    given = [int(one) for one in sys.argv[1:4]]
    models, cases, tasks = [*given, *SIZES[len(given) :]]
    generator = np.random.default_rng(22)
    values = [_values(generator, models, cases) for _ in range(tasks)]
    table = _table(values)
    loop = _seconds(lambda: _resampled_ranks(values[0])) * RESAMPLES / TIMED_RESAMPLES
    of_pair = _seconds(lambda: _paired_bootstraps(values[0])) / TIMED_PAIRS
    pairs = of_pair * models * (models - 1) / 2
    print(f"{models} models, {cases} cases, {tasks} tasks, {RESAMPLES} resamples")
    print(f"loop of scipy.stats.rankdata, scaled: {tasks * loop:.0f} s")
    print(f"scipy.stats.bootstrap of all pairs, scaled: {tasks * pairs:.0f} s")
    for method in ("auto", "percentile", "bca", "t"):
        ours = _seconds(functools.partial(_ranked, table, method), runs=1)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        ratios = f"{tasks * loop / ours:.2g} and {tasks * pairs / ours:.3g}"
        print(f"hw.rank, {method}: {ours:.1f} s, ratios {ratios}; {most:.0f} MiB", flush=True)
    truth, scores = _scores(generator, models, cases)
    loop = _seconds(lambda: _resampled_areas(truth, scores)) * RESAMPLES / TIMED_AREAS
    ours = _seconds(lambda: _ranked_by_area(truth, scores), runs=1)
    print(f"AUROC, one task: loop of sklearn's roc_auc_score, scaled: {loop:.0f} s")
    print(f"AUROC, one task: hw.rank: {ours:.1f} s, ratio {loop / ours:.2g}")


def _seconds(job: Callable[[], object], runs: int = PARTS) -> float:
    """The median of some runs, in processor time: other work on the machine does not count."""
    taken = []
    for _ in range(runs):
        start = time.process_time()
        job()
        taken.append(time.process_time() - start)
    return float(np.median(taken))


def _values(generator: np.random.Generator, models: int, cases: int) -> Array:
    logits = 1.8 + 0.7 * generator.normal(size=cases) + 0.01 * np.arange(models)[:, None]
    values = 1 / (1 + np.exp(-logits - 0.5 * generator.normal(size=(models, cases))))
    return np.where(generator.random(values.shape) < FAILING, 0.0, values)


def _table(tasks: list[Array]) -> pd.DataFrame:
    shape = (len(tasks), *tasks[0].shape)
    task, model, case = np.indices(shape).reshape(3, -1)
    columns = {"task": task.astype(str), "model": model.astype(str), "case": case.astype(str)}
    return pd.DataFrame(columns | {"dsc": np.stack(tasks).ravel()})


def _ranked(table: pd.DataFrame, method: str) -> hw.Rankings:
    return hw.rank(
        hw.CaseValues.from_table(table, "dsc", metric="dsc", by="task", case="case"),
        method=method,
        n_resamples=RESAMPLES,
        rng=1,
    )


def _scores(generator: np.random.Generator, models: int, cases: int) -> tuple[Array, Array]:
    truth = np.arange(cases, dtype=np.float64) % 2
    ahead = 1 + 0.02 * np.arange(models)[:, None]
    own = 0.3 * generator.normal(size=(models, cases))
    return truth, generator.normal(size=cases) + own + ahead * truth


def _ranked_by_area(truth: Array, scores: Array) -> hw.Rankings:
    named = {f"m{place:03d}": one for place, one in enumerate(scores)}
    data = hw.Predictions.from_arrays(truth, named, scores="any")
    return hw.rank(data, metric="auroc", n_resamples=RESAMPLES, rng=1)


def _resampled_areas(truth: Array, scores: Array) -> Array:
    generator = np.random.default_rng(1)
    ranks = np.empty((TIMED_AREAS, len(scores)))
    for row in ranks:
        drawn = generator.integers(len(truth), size=len(truth))
        areas = [metrics.roc_auc_score(truth[drawn], one[drawn]) for one in scores]
        row[:] = stats.rankdata(-np.array(areas), "min")
    return ranks


def _resampled_ranks(values: Array) -> Array:
    """What is written instead: the ranks of the means on each resample."""
    generator = np.random.default_rng(1)
    ranks = np.empty((TIMED_RESAMPLES, len(values)))
    for row in ranks:
        drawn = generator.integers(values.shape[1], size=values.shape[1])
        row[:] = stats.rankdata(-values[:, drawn].mean(axis=1), "min")
    return ranks


def _paired_bootstraps(values: Array) -> list[object]:
    """The interval of the difference of some pairs."""
    return [
        stats.bootstrap(
            (values[0] - other,), np.mean, method="percentile", n_resamples=RESAMPLES, batch=500
        ).confidence_interval
        for other in values[1 : TIMED_PAIRS + 1]
    ]


if __name__ == "__main__":
    main()
