"""How often clean samples get a caution about reliability, beside the coverage of `auto`.

Cases are independent, values are without failures, classes are about balanced: nothing is the
matter with these samples. Where the coverage of `auto` holds on a population, a caution about
reliability is a false alarm. Every interval comes from a public function, with its fallbacks.

    python benchmarks/false_alarms.py [samples] [words of sources, statistics or metrics]

At the default of 100 samples the standard error of a coverage of 95 % is 2.2 points, and false
alarms of 5 % are read off to ±4 points.
"""

from __future__ import annotations

import math
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from metric_coverage import auroc_of, precision_of
from numpy.typing import NDArray
from scipy import integrate, stats

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.estimation.evidence import RELIABLE

SIZES = (30, 50, 100, 200)
RESAMPLES = 999
# More samples than this share with a caution are too many where coverage holds.
TOLERATED = 0.05
STATISTICS = ("mean", "median", "trimmed_mean", "sd", "iqr")
# Values of cases, by the metric that they stand for; skewness -0.8, 0, -1.0 and 0.8.
VALUES = {
    "beta(8, 2)": ("dsc", stats.beta(8, 2)),
    "normal": ("dsc", stats.truncnorm(-4, 4, 0.8, 0.05)),
    "beta(9.5, 1.5)": ("dsc", stats.beta(9.5, 1.5)),
    "gamma(6)": ("assd", stats.gamma(6, scale=0.2)),
}
# Areas under the ROC curve of two classes of equal size with normal scores.
AREAS = (0.75, 0.85, 0.95)
OF_TWO = ("auroc", "average_precision", "accuracy", "balanced_accuracy", "f1", "mcc", "sensitivity")
# Three classes: their shares, and how far the logit of its own class lies above the others.
SHARES, OWN = (0.4, 0.35, 0.25), 2.2
OF_THREE = ("auroc", "average_precision", "accuracy", "balanced_accuracy", "f1", "mcc")
# Cases that decide the true values of which no formula is at hand.
MANY = 400_000
# Share of the variance that clusters have.
ICC, OF_A_CLUSTER = 0.2, 5


@dataclass(frozen=True)
class Source:
    """What samples are drawn from, and what is estimated of them.

    Attributes
    ----------
    name : str
    truths : mapping
        True value of each statistic or metric.
    estimates : callable
        ``estimates(generator, n)``: the estimates of a sample, in the order of `truths`.
    """

    name: str
    truths: Mapping[str, float]
    estimates: Callable[[np.random.Generator, int], list[hw.Estimate]]


@dataclass
class Cell:
    """What was seen of the samples of one size: counts."""

    samples: int = 0
    covered: int = 0
    flagged: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)

    def add(self, estimate: hw.Estimate, truth: float) -> None:
        """Count a sample."""
        doubts = [item.code for item in estimate.cautions if item.spec.reliability]
        self.samples += 1
        self.covered += estimate.low - 1e-12 <= truth <= estimate.high + 1e-12
        self.flagged += bool(doubts)
        self.codes.update(doubts)
        self.methods[estimate.method] += 1

    @property
    def coverage(self) -> float:
        """Share of the samples whose interval holds the truth."""
        return self.covered / self.samples

    @property
    def share_flagged(self) -> float:
        """Share with a caution about reliability."""
        return self.flagged / self.samples

    @property
    def false_alarms(self) -> bool:
        """Whether coverage holds and too many samples are flagged nevertheless."""
        return self.coverage >= RELIABLE and self.share_flagged > TOLERATED


def measured(source: Source, n: int, samples: int, seed: int = 1) -> dict[str, Cell]:
    """Coverage and cautions over samples of n cases, for each statistic or metric."""
    cells = {what: Cell() for what in source.truths}
    for sample in range(samples):
        found = source.estimates(
            np.random.default_rng([seed, n, sample, zlib.crc32(source.name.encode())]), n
        )
        for (what, truth), estimate in zip(source.truths.items(), found, strict=True):
            cells[what].add(estimate, truth)
    return cells


# --------------------------------------------------------------------------- sources


def of_values(name: str, statistics: tuple[str, ...] = STATISTICS) -> Source:
    """Statistics of values of cases."""
    metric, distribution = VALUES[name]

    def estimates(generator: np.random.Generator, n: int) -> list[hw.Estimate]:
        values = distribution.rvs(n, random_state=generator)
        how: dict[str, Any] = {"n_resamples": RESAMPLES, "rng": generator}
        return [
            hw.summary_ci(values, metric=metric, statistic=statistic, **how)
            for statistic in statistics
        ]

    return Source(name, {one: true_value(distribution, one) for one in statistics}, estimates)


def true_value(distribution: Any, statistic: str) -> float:
    """A statistic of a continuous distribution."""
    if statistic == "iqr":
        return float(distribution.ppf(0.75) - distribution.ppf(0.25))
    if statistic == "trimmed_mean":
        return float(2 * integrate.quad(distribution.ppf, 0.25, 0.75)[0])
    return float(getattr(distribution, {"sd": "std"}.get(statistic, statistic))())


def of_clusters() -> Source:
    """The mean of values, and the share above their mean, of n clusters of equal size."""

    def estimates(generator: np.random.Generator, n: int) -> list[hw.Estimate]:
        shared = generator.normal(0, math.sqrt(ICC), (n, 1))
        own = generator.normal(0, math.sqrt(1 - ICC), (n, OF_A_CLUSTER))
        values, groups = (shared + own).ravel(), np.repeat(np.arange(n), OF_A_CLUSTER)
        return [
            hw.summary_ci(0.8 + 0.05 * values, groups=groups, rng=generator),
            hw.summary_ci(values > 0, metric="correct", groups=groups, rng=generator),
        ]

    return Source(f"n clusters of {OF_A_CLUSTER}", {"mean": 0.8, "proportion": 0.5}, estimates)


def of_two_classes(area: float, metrics: tuple[str, ...] = OF_TWO) -> Source:
    """Metrics of normal scores of two classes, decided at the point between them."""
    shift = math.sqrt(2) * float(stats.norm.ppf(area))
    right = float(stats.norm.cdf(shift / 2))
    truths = dict.fromkeys(OF_TWO, right) | {
        "auroc": auroc_of(shift),
        "average_precision": precision_of(shift, 0.5),
        "mcc": 2 * right - 1,
    }

    def estimates(generator: np.random.Generator, n: int) -> list[hw.Estimate]:
        truth = (generator.random(n) < 0.5).astype(int)
        scores = stats.norm.cdf(generator.normal(size=n) + shift * (truth - 0.5))
        return list(
            hw.metric_ci(truth, scores, metric=list(metrics), n_resamples=RESAMPLES, rng=generator)
        )

    name = f"two classes, AUROC {area:.2f}"
    return Source(name, {metric: truths[metric] for metric in metrics}, estimates)


def of_three_classes(metrics: tuple[str, ...] = OF_THREE) -> Source:
    """Macro-averages, accuracy and MCC of logits of three classes."""

    def estimates(generator: np.random.Generator, n: int) -> list[hw.Estimate]:
        truth, logits = _three_classes(generator, n)
        return list(
            hw.estimate(
                hw.Predictions.from_arrays(truth, logits, labels=[0, 1, 2], scores="logits"),
                metric=list(metrics),
                n_resamples=RESAMPLES,
                rng=generator,
            )
        )

    truths = [estimate.value for estimate in _large(metrics)]
    return Source("three classes", dict(zip(metrics, truths, strict=True)), estimates)


def _three_classes(generator: np.random.Generator, n: int) -> tuple[NDArray[np.intp], Array]:
    truth = generator.choice(len(SHARES), n, p=SHARES).astype(np.intp)
    return truth, generator.normal(size=(n, len(SHARES))) + OWN * np.eye(len(SHARES))[truth]


def _large(metrics: tuple[str, ...]) -> list[hw.Estimate]:
    truth, logits = _three_classes(np.random.default_rng(0), MANY)
    how: dict[str, Any] = {"method": "percentile", "n_resamples": 2, "rng": 0}
    data = hw.Predictions.from_arrays(truth, logits, scores="logits")
    return list(hw.estimate(data, metric=list(metrics), **how))


def sources() -> Iterator[Source]:
    """All of them."""
    yield from map(of_values, VALUES)
    yield of_clusters()
    yield from map(of_two_classes, AREAS)
    yield of_three_classes()


# --------------------------------------------------------------------------- report


def main() -> None:
    """Print a row for each source, statistic and n, and how many of them have false alarms."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    words = sys.argv[2:]
    print("| of | population | n | method | covers % | flagged % | by code, % |")
    print("| --- |" + " --- |" * 6)
    judged = alarming = 0
    for source in sources():
        for n in SIZES:
            for what, cell in measured(source, n, samples).items():
                if words and not any(word in (source.name, what) for word in words):
                    continue
                print(_row(what, source.name, n, cell), flush=True)
                judged += cell.coverage >= RELIABLE
                alarming += cell.false_alarms
    print(
        f"\n{samples} samples of each. Coverage holds (≥ {100 * RELIABLE:.1f} %) in {judged} rows;"
    )
    print(
        f"in {alarming} of them (!) more than {100 * TOLERATED:.0f} % of the samples are flagged."
    )


def _row(what: str, source: str, n: int, cell: Cell) -> str:
    codes = ", ".join(
        f"{code} {100 * count / cell.samples:.0f}" for code, count in sorted(cell.codes.items())
    )
    mark = "!" * cell.false_alarms
    cells = (
        what,
        source,
        n,
        "; ".join(name for name, _ in cell.methods.most_common()),
        f"{100 * cell.coverage:.1f}",
        f"{100 * cell.share_flagged:.0f}{mark}",
        codes,
    )
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
