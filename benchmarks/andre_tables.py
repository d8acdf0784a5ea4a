"""Tables 1 and S8 of andre2025 with our times beside theirs, all ours of one machine and one run.

    OPENBLAS_NUM_THREADS=1 python benchmarks/andre_tables.py

One bootstrap and one coverage are those of all nine sample sizes, n = 10 to 250, as in Table 1;
percentile, 9999 resamples, 10 000 samples. "A script here" is what study code calls (SciPy's
bootstrap of a sample, scikit-learn in a loop), timed on this machine, loops on a hundred resamples
and scaled. A coverage is timed on 2000 of its 10 000 samples and scaled. Populations are fitted and
kernels loaded before the clock starts. Takes about ten minutes.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from classification import loop
from numpy.typing import NDArray
from scipy import stats
from sklearn import metrics as sk
from study import (
    BOOTSTRAPS,
    HOURS_OF_ANDRE,
    RESAMPLES,
    SAMPLES,
    SIZES,
    design,
    sample_metric,
    scores_instance,
    seconds_of,
    spec_of,
    values_instance,
)

import halfwidth as hw
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.all_methods import METHODS
from halfwidth.study.simulation.cells import Cells
from halfwidth.study.simulation.costs import predict

Array = NDArray[Any]
Job = Callable[[], object]

INSTANCES, SEGMENTATION_METRICS = 228, 9
CLASSES = (40, 30, 20, 20, 10)
LOOPED = 100
TIMED_SAMPLES = 2000
# Table 1: seconds of one bootstrap, of one coverage, and hours of the whole row.
HOUR = 3600.0
TABLE_1: dict[tuple[str, str], tuple[float, float, float]] = {
    ("mean", ""): (0.33, 55 * 60, 6156),
    ("median", ""): (1.18, 3.2 * HOUR, 20_520),
    ("iqr", ""): (2.52, 7 * HOUR, 43_092),
    ("sd", ""): (0.3, 51.6 * 60, 5336),
    ("trimmed_mean", ""): (0.72, 2 * HOUR, 12_312),
    ("accuracy", "micro"): (0.336, 56 * 60, 638),
    ("auroc", "micro"): (13.44, 37 * HOUR, 25_536),
    ("average_precision", "micro"): (15.12, 42 * HOUR, 28_880),
    ("f1", "micro"): (2.68, 7.4 * HOUR, 5092),
    ("balanced_accuracy", "macro"): (6.72, 18.6 * HOUR, 12_768),
    ("auroc", "macro"): (17.87, 49.6 * HOUR, 33_953),
    ("average_precision", "macro"): (20.1, 55.8 * HOUR, 38_190),
    ("f1", "macro"): (3.57, 9.9 * HOUR, 6783),
    ("mcc", "macro"): (3.36, 9.3 * HOUR, 3684),
}
# Table S8, in seconds.
TABLE_S8 = {
    ("accuracy", 1000): 4.73,
    ("auroc", 1000): 22.72,
    ("accuracy", 10_000): 8.93,
    ("auroc", 10_000): 61.2,
    ("accuracy", 100_000): 48.07,
    ("auroc", 100_000): 615.0,
    ("accuracy", 1_000_000): 397.2,
    ("auroc", 1_000_000): 2.38 * HOUR,
}
OF_CASES: dict[str, Any] = {
    "mean": np.mean,
    "median": np.median,
    "iqr": stats.iqr,
    "sd": lambda sample, axis: np.std(sample, ddof=1, axis=axis),
    "trimmed_mean": lambda sample, axis: stats.trim_mean(sample, 0.25, axis=axis),
}


@dataclass(frozen=True)
class Row:
    """A row of Table 1, measured: seconds."""

    name: str
    average: str
    bootstrap: float
    script: float
    coverage: float
    three: float


def taken(job: Job, runs: int = 5) -> float:
    """Median seconds, after an uncounted run."""
    job()
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        job()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


# --------------------------------------------------------------------------- Table 1


def rows() -> Iterator[Row]:
    """Every row, measured."""
    for name, average in TABLE_1:
        of_cases = name in OF_CASES
        ours, script = (_cases if of_cases else _test_sets)(name, average)
        yield Row(
            name,
            average,
            ours,
            script,
            _coverage(name, average, ("percentile",)),
            _coverage(name, average, BOOTSTRAPS),
        )


def _cases(name: str, _average: str) -> tuple[float, float]:
    """One bootstrap of per-case values at all sizes: ours, SciPy's."""
    samples = [np.random.default_rng(n).beta(8, 2, n) for n in SIZES]

    def ours() -> None:
        for sample in samples:
            hw.summary_ci(sample, metric="dsc", statistic=name, method="percentile", rng=1)

    def scipys() -> None:
        for sample in samples:
            stats.bootstrap(
                (sample,),
                OF_CASES[name],
                n_resamples=RESAMPLES,
                method="percentile",
                rng=np.random.default_rng(1),
            )

    return taken(ours), taken(scipys)


def _test_sets(name: str, average: str) -> tuple[float, float]:
    """One bootstrap of a metric of test sets at all sizes: ours, a loop over scikit-learn."""
    sets = [_test_set(n) for n in SIZES]
    by = None if name in {"accuracy", "balanced_accuracy", "mcc"} else average
    needs_scores = name in {"auroc", "average_precision"}

    def ours() -> None:
        for truth, scores in sets:
            given = scores if needs_scores else scores.argmax(axis=1)
            hw.metric_ci(truth, given, metric=name, average=by, method="percentile", rng=1)

    jobs = [
        loop(truth, scores if needs_scores else scores.argmax(axis=1), _scikit(name, by), LOOPED)
        for truth, scores in sets
    ]
    script = sum(taken(job, runs=1) for job in jobs) * RESAMPLES / LOOPED
    return taken(ours), script


def _test_set(n: int) -> tuple[Array, Array]:
    """Classes in the proportions of `CLASSES`, each there, and probabilities."""
    generator = np.random.default_rng(n)
    shares = np.array(CLASSES) / sum(CLASSES)
    first = np.arange(len(CLASSES))
    truth = np.concatenate([first, generator.choice(first, n - len(first), p=shares)])
    logits = generator.normal(size=(n, len(first))) + 1.5 * np.eye(len(first))[truth]
    scores = np.exp(logits)
    return truth, scores / scores.sum(axis=1, keepdims=True)


def _scikit(name: str, average: str | None) -> Callable[[Array, Array], Any]:
    def one_hot(truth: Array) -> Array:
        return np.eye(len(CLASSES), dtype=int)[truth]

    functions: dict[str, Callable[[Array, Array], Any]] = {
        "accuracy": sk.accuracy_score,
        "balanced_accuracy": sk.balanced_accuracy_score,
        "mcc": sk.matthews_corrcoef,
        "f1": lambda truth, found: sk.f1_score(truth, found, average=average, zero_division=0),
        "auroc": lambda truth, scores: sk.roc_auc_score(one_hot(truth), scores, average=average),
        "average_precision": lambda truth, scores: sk.average_precision_score(
            one_hot(truth), scores, average=average
        ),
    }
    return functions[name]


def _coverage(name: str, average: str, methods: tuple[str, ...]) -> float:
    """Seconds of a coverage at all nine sizes."""
    chosen = tuple(METHODS[method] for method in methods)
    if name in OF_CASES:
        spec = spec_of(statistics=(resolve_statistic(name),), methods=chosen, samples=TIMED_SAMPLES)
        cells = [Cells(values_instance(), None, n, spec) for n in SIZES]
    else:
        spec = spec_of(methods=chosen, averages=(average,), samples=TIMED_SAMPLES)
        five = scores_instance("five classes", CLASSES)
        cells = [Cells(five, sample_metric(name), n, spec) for n in SIZES]
    few = replace(cells[-1], spec=replace(cells[-1].spec, samples=500))
    kept = few.measured[0].average
    seconds_of(few, kept)
    return sum(seconds_of(one, kept) for one in cells) * SAMPLES / TIMED_SAMPLES


def show_table_1() -> None:
    """Theirs, a script's and ours, as Markdown."""
    print(
        "| | one bootstrap: theirs | a script here | ours | one coverage: theirs | ours "
        "| three methods: theirs | ours | whole row: theirs | ours |\n" + "|" + " --- |" * 10
    )
    for row in rows():
        one, coverage, whole = TABLE_1[row.name, row.average]
        metrics = SEGMENTATION_METRICS if row.name in OF_CASES else 1
        own = row.three * INSTANCES * metrics / HOUR
        print(
            f"| {row.average} {row.name} | {one:g} s | {row.script:.3g} s | {row.bootstrap:.3g} s "
            f"| {_time(coverage)} | {_time(row.coverage)} | {_time(3 * coverage)} "
            f"| {_time(row.three)} | {whole:,} h | {own:.3g} h |",
            flush=True,
        )
    hours = sum(predict(part.chunks, patience=45).core_hours * part.times for part in design())
    print(f"| all (ours predicted) | | | | | | | | {HOURS_OF_ANDRE:,} h (actual) | {hours:.3g} h |")


def _time(seconds: float) -> str:
    return f"{seconds / HOUR:.3g} h" if seconds >= HOUR else f"{seconds:.3g} s"


# --------------------------------------------------------------------------- Table S8


def show_table_s8() -> None:
    """A percentile interval of a large test set, as Markdown."""
    print("| n | metric | theirs | a script here | ours | ratio here |\n|" + " --- |" * 6)
    for (name, n), theirs in TABLE_S8.items():
        generator = np.random.default_rng(0)
        truth = generator.integers(0, 2, n)
        scores = 1 / (1 + np.exp(-generator.normal(truth)))
        given = scores if name == "auroc" else (scores > 0.5).astype(int)
        function = sk.roc_auc_score if name == "auroc" else sk.accuracy_score

        def ours(metric: str = name, truth: Array = truth, given: Array = given) -> object:
            return hw.metric_ci(truth, given, metric=metric, method="percentile", rng=1)

        # The longest are timed once.
        own = taken(ours, runs=5 if n < 100_000 else 1)
        looped = max(3, LOOPED * 1000 // n)
        script = taken(loop(truth, given, function, looped), runs=1) * RESAMPLES / looped
        print(
            f"| {n:,} | {name} | {_time(theirs)} | {_time(script)} | {_time(own)} "
            f"| × {script / own:.3g} |",
            flush=True,
        )


def main() -> None:
    """The tables asked for; both if none is."""
    # Resamples of ten cases lack classes, which scikit-learn tells of every time.
    warnings.simplefilter("ignore")
    wanted = sys.argv[1:] or ["1", "S8"]
    if "1" in wanted:
        show_table_1()
    if "S8" in wanted:
        show_table_s8()


if __name__ == "__main__":
    main()
