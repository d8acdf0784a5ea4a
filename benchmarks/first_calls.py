"""What the first call of a fresh process takes, beside what a user would use instead.

Run as ``python benchmarks/first_calls.py``, which holds BLAS to one thread. Each figure of ours is
the median of five processes, whose clock starts after ``import halfwidth, scipy.special``. Loops
over scikit-learn are timed on some of the resamples and scaled.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import accuracy_score, roc_auc_score
from timing import RESAMPLES, RUNS, Line

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
# Resamples of a loop that are timed.
PART = 20

PREDICTIONS = """
def predictions(n, classes):
    generator = np.random.default_rng(0)
    truth = generator.integers(0, classes, n)
    score = generator.normal(size=(n, classes)) + 1.5 * np.eye(classes)[truth]
    return truth, np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
"""
FRESH = f"""
import time
import numpy as np
import halfwidth as hw, scipy.special
{PREDICTIONS}
values = np.random.default_rng(0).beta(8, 2, 10_000)
{{prepared}}
start = time.perf_counter()
{{call}}
print(time.perf_counter() - start)
"""


def first(call: str, prepared: str = "") -> float:
    """Median seconds of a call that is the first one in its process."""
    code = FRESH.format(prepared=prepared, call=call)
    seconds = [
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        for _ in range(RUNS)
    ]
    return statistics.median(float(done.stdout) for done in seconds)


def predictions(n: int, classes: int) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """The test set of the fresh processes, made by the same lines."""
    space: dict[str, Any] = {"np": np}
    exec(PREDICTIONS, space)  # noqa: S102 -- the lines above
    made: tuple[NDArray[Any], NDArray[np.float64]] = space["predictions"](n, classes)
    return made


def loop(metric: Callable[..., float], truth: NDArray[Any], given: NDArray[Any]) -> float:
    """Seconds of a bootstrap in a loop, from some of its resamples."""
    generator = np.random.default_rng(1)
    start = time.perf_counter()
    for _ in range(PART):
        drawn = generator.integers(0, len(truth), len(truth))
        metric(truth[drawn], given[drawn])
    return (time.perf_counter() - start) / PART * RESAMPLES


def areas() -> Iterator[Line]:
    """Areas under ROC curves, of two classes and of three."""
    prepared = "truth, score = predictions({n}, {classes}); score = score{column}"
    call = "hw.metric_ci(truth, score, metric='auroc', method='percentile', rng=1{average})"
    for n, classes, wanted in ((20_000, 2, ">= 200 x"), (5000, 3, "0.4 s")):
        column = "[:, 1]" if classes == 2 else ""
        average = "" if classes == 2 else ", average='macro'"
        seconds = first(
            call.format(average=average),
            prepared.format(n=n, classes=classes, column=column),
        )
        truth, score = predictions(n, classes)
        score = score[:, 1] if classes == 2 else score
        other = loop(lambda y, s: roc_auc_score(y, s, multi_class="ovr"), truth, score)
        name = "AUROC" if classes == 2 else f"macro AUROC, {classes} classes"
        yield Line(f"{name}, n = {n:,}", seconds, other, "scikit-learn in a loop", wanted)


def accuracy() -> Iterator[Line]:
    """A proportion of a million cases."""
    n = 1_000_000
    prepared = f"truth, score = predictions({n}, 2); said = score.argmax(axis=1)"
    call = "hw.metric_ci(truth, said, metric='accuracy', method='percentile', rng=1)"
    truth, score = predictions(n, 2)
    other = loop(accuracy_score, truth, score.argmax(axis=1))
    yield Line(f"accuracy, n = {n:,}", first(call, prepared), other, "scikit-learn", "0.08 s")


def means() -> Iterator[Line]:
    """BCa of a mean beside SciPy, at its default and at its best batch."""
    values = np.random.default_rng(0).beta(8, 2, 10_000)
    for n in (334, 10_000):
        seconds = first(f"hw.summary_ci(values[:{n}], metric='dsc', method='bca', rng=1)")
        for batch in (None, 100):
            times = []
            for _ in range(RUNS):
                start = time.perf_counter()
                stats.bootstrap((values[:n],), np.mean, method="BCa", batch=batch, rng=1)
                times.append(time.perf_counter() - start)
            name = f"scipy.stats.bootstrap, batch={batch}"
            yield Line(f"mean, BCa, n = {n:,}", seconds, statistics.median(times), name, "")


def whole_process() -> Iterator[Line]:
    """The command line on a table of predictions."""
    truth, score = predictions(10_000, 2)
    rows = "".join(
        f"{y},{p!r}\n" for y, p in zip(truth.tolist(), score[:, 1].tolist(), strict=True)
    )
    options = [
        "--target",
        "y",
        "--score",
        "p",
        "--metric",
        "auroc",
        "--method",
        "percentile",
        "--seed",
        "1",
    ]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "predictions.csv"
        table.write_text("y,p\n" + rows, encoding="utf-8")
        times = []
        for _ in range(RUNS):
            start = time.perf_counter()
            command = [sys.executable, "-m", "halfwidth", "ci", str(table), *options]
            subprocess.run(command, check=True, capture_output=True)
            times.append(time.perf_counter() - start)
    yield Line("halfwidth ci, AUROC of 10,000", statistics.median(times), None, "", "1.2 s")


def main() -> None:
    """Print the table."""
    if not ONE_THREAD.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | ONE_THREAD)  # noqa: S606
    print(f"{'first call of a fresh process':<54}{'ours':>9}{'other':>10}{'ratio':>9}  wanted")
    for part in (areas, accuracy, means, whole_process):
        for line in part():
            print(line, flush=True)


if __name__ == "__main__":
    main()
