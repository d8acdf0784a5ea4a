"""Timings of metrics of a test set, beside what one would use instead.

Part of ``make bench``; alone: ``python benchmarks/classification.py``. Loops that would take hours
are timed on some of the resamples and scaled, and the table says on how many. The package
``confidenceinterval`` is timed where it is installed (extra ``bench``).
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn import metrics as sk
from timing import RESAMPLES, RUNS, Line, medians

import halfwidth as hw
from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.spec import Metric
from halfwidth.core.types import Level
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.metrics import building
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.averaging import AreaFinish
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan

Array = NDArray[Any]
Job = Callable[[], object]

# One AUROC of a million cases in a process of its own, so that its memory is its own.
ALONE = """
import json, sys, time
import numpy as np
import halfwidth as hw
n = int(sys.argv[1])
rng = np.random.default_rng(0)
truth = rng.integers(0, 2, n)
score = 1 / (1 + np.exp(-rng.normal(truth)))
start = time.perf_counter()
hw.metric_ci(truth, score, metric=sys.argv[2], method="percentile", rng=1)
seconds = time.perf_counter() - start
# Not ru_maxrss, which a process takes over from the one that started it.
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
print(json.dumps({"seconds": seconds, "MB": int(status["VmHWM"].split()[0]) / 1024}))
"""


def two_classes(n: int) -> tuple[Array, Array]:
    """Classes and probabilities, none tied."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    return truth, 1 / (1 + np.exp(-rng.normal(truth)))


def five_classes(n: int) -> tuple[Array, Array]:
    """Classes and predictions, 76 % of which are right."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, n)
    return truth, np.where(rng.random(n) < 0.7, truth, rng.integers(0, 5, n))


def ci(truth: Array, predicted: Array, metric: Any, method: str = "percentile") -> Job:
    """Our front door."""
    return lambda: hw.metric_ci(truth, predicted, metric=metric, method=method, rng=1)


def loop(truth: Array, predicted: Array, function: Any, resamples: int) -> Job:
    """What people write: draw rows, call scikit-learn."""

    def job() -> None:
        rng = np.random.default_rng(1)
        for _ in range(resamples):
            rows = rng.integers(0, len(truth), len(truth))
            function(truth[rows], predicted[rows])

    return job


def scipys(truth: Array, predicted: Array, function: Any, resamples: int) -> Job:
    """SciPy's bootstrap with a vectorised statistic, one resample at a time or as many as fit."""
    batch = max(1, min(resamples, 2**22 // len(truth)))
    return lambda: stats.bootstrap(
        (truth, predicted),
        function,
        paired=True,
        vectorized=True,
        n_resamples=resamples,
        batch=batch,
        method="percentile",
        rng=np.random.default_rng(1),
    )


def auroc_by_ranks(truth: Array, score: Array, axis: int = -1) -> Array:
    """A vectorised AUROC, by ranks."""
    ranks = stats.rankdata(score, axis=axis)
    positives = truth.sum(axis=axis)
    negatives = truth.shape[axis] - positives
    above = (ranks * truth).sum(axis=axis) - positives * (positives + 1) / 2
    return np.asarray(above / (positives * negatives))


def accuracy_by_rows(truth: Array, predicted: Array, axis: int = -1) -> Array:
    """A vectorised accuracy."""
    return np.asarray((truth == predicted).mean(axis=axis))


def compared(work: str, ours: Job, others: dict[str, tuple[Job, int]], wanted: str) -> list[Line]:
    """A line for each of the others, scaled to all resamples."""
    mine, *theirs = medians(ours, *(job for job, _ in others.values()))
    lines = []
    for (name, (_, resamples)), seconds in zip(others.items(), theirs, strict=True):
        scaled = "" if resamples == RESAMPLES else f" (timed on {resamples} resamples, scaled)"
        lines.append(Line(work, mine, seconds * RESAMPLES / resamples, name + scaled, wanted))
    return lines


def package(function: str, truth: Array, predicted: Array, resamples: int, **more: Any) -> Any:
    """The ``confidenceinterval`` package, if it is there."""
    if importlib.util.find_spec("confidenceinterval") is None:
        return {}
    import confidenceinterval

    called = getattr(confidenceinterval, function)
    options = {"method": "bootstrap_percentile", "n_resamples": resamples} | more
    return {"confidenceinterval": (lambda: called(truth, predicted, **options), resamples)}


def counting() -> Iterator[Line]:
    """Functions of a confusion matrix of a million cases."""
    truth, predicted = five_classes(10**6)
    yield from compared(
        "n = 1 000 000, accuracy, percentile",
        ci(truth, predicted, "accuracy"),
        {
            "scikit-learn loop": (loop(truth, predicted, sk.accuracy_score, 2), 2),
            "scipy, vectorised": (scipys(truth, predicted, accuracy_by_rows, 4), 4),
            **package("accuracy_score", truth, predicted, 2),
        },
        "0.05 s",
    )

    def all_three(a: Array, b: Array) -> None:
        sk.f1_score(a, b, average="macro")
        sk.matthews_corrcoef(a, b)
        sk.balanced_accuracy_score(a, b)

    yield from compared(
        "n = 1 000 000, macro F1 + MCC + BA, 5 classes",
        ci(truth, predicted, ["f1", "mcc", "balanced_accuracy"]),
        {"scikit-learn loop": (loop(truth, predicted, all_three, 1), 1)},
        "1 s",
    )


def ranked() -> Iterator[Line]:
    """AUROC and AP of one sample, and BCa beside percentile."""
    for n, wanted in ((1000, "0.05 s"), (10_000, "0.2 s"), (100_000, "2 s")):
        truth, score = two_classes(n)
        some = max(2, 200_000 // n)
        yield from compared(
            f"n = {n}, AUROC, percentile",
            ci(truth, score, "auroc"),
            {
                "scikit-learn loop": (loop(truth, score, sk.roc_auc_score, some), some),
                "scipy, vectorised ranks": (scipys(truth, score, auroc_by_ranks, some), some),
                **package("roc_auc_score", truth, score, some),
            },
            wanted,
        )
        area, precision = medians(ci(truth, score, "auroc"), ci(truth, score, "average_precision"))
        work = f"n = {n}, AP over AUROC"
        yield Line(work, area, precision, "our AP", "<= 2 x")
    truth, score = two_classes(100_000)
    plain, corrected = medians(ci(truth, score, "auroc"), ci(truth, score, "auroc", "bca"))
    yield Line("n = 100 000, AUROC, BCa over percentile", plain, corrected, "our BCa", "<= 1.5 x")


def a_million() -> Iterator[Line]:
    """A million cases, once, in a process of its own."""
    for metric in ("auroc", "average_precision"):
        made = subprocess.run(
            [sys.executable, "-c", ALONE, "1000000", metric],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ.copy(),
        )
        result = json.loads(made.stdout)
        work = f"n = 1 000 000, {metric}, {result['MB']:.0f} MB"
        yield Line(work, result["seconds"], None, "one run", "60 s, < 1 GB")


def batch() -> Iterator[Line]:
    """500 samples of 250 cases of 3 classes, as a simulation study has them."""
    samples, n, classes = 500, 250, 3
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, (samples, n))
    logits = rng.normal(size=(samples, classes, n)) + (
        truth[:, None] == np.arange(classes)[:, None]
    )
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    records = np.concatenate([shares, truth[:, None].astype(float)], axis=1)
    ordered = np.stack([arrange(one, paired=True)[0] for one in records])
    metric = Metric(SAMPLE_METRICS["auroc"])
    macro = building.ranking_statistic(metric, RankEach(classes), AreaFinish("macro"), "omit")
    plan, design = Plan(1, RESAMPLES, compiled=True), Design((n,), paired=True)

    def ours() -> object:
        return intervals(ordered, macro, [METHODS["percentile"]], Level(), plan=plan, design=design)

    def sklearns(resamples: int) -> Job:
        scores = shares[0].T

        def score(a: Array, rows: Array) -> float:
            return float(sk.roc_auc_score(a, scores[rows], multi_class="ovr", average="macro"))

        return loop(truth[0], np.arange(n), score, resamples)

    def by_ranks(resamples: int) -> Job:
        def statistic(a: Array, *columns: Array, axis: int = -1) -> Array:
            areas = [auroc_by_ranks((a == k) * 1, s, axis) for k, s in enumerate(columns)]
            return np.asarray(np.mean(areas, axis=0))

        return lambda: stats.bootstrap(
            (truth[0], *shares[0]),
            statistic,
            paired=True,
            vectorized=True,
            n_resamples=resamples,
            batch=1000,
            method="percentile",
            rng=np.random.default_rng(1),
        )

    mine, theirs, ranks = medians(ours, sklearns(200), by_ranks(RESAMPLES))
    work = "500 samples, n = 250, 3 classes, macro AUROC"
    scaled = "one sample, scaled"
    yield Line(
        work,
        mine,
        theirs * samples * RESAMPLES / 200,
        f"scikit-learn loop (200 resamples of {scaled})",
        ">= 1000 x",
    )
    yield Line(work, mine, ranks * samples, f"scipy, vectorised ranks ({scaled})", ">= 300 x")


def classification() -> Iterator[Line]:
    """All of them."""
    for part in (counting, ranked, batch, a_million):
        yield from part()


def main() -> None:
    """Print the table."""
    print(f"{RESAMPLES} resamples, one thread, medians of {RUNS} runs, seconds\n")
    for line in classification():
        print(line, flush=True)


if __name__ == "__main__":
    main()
