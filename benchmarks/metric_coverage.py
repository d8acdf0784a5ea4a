"""How often 95 % intervals of metrics of a whole test set hold the true value: by method and n.

Scores of two classes are normal, 30 % of the cases positive; of more classes each has a column of
normal scores that is higher for its own cases. Decisions are drawn from a fixed confusion matrix
of three classes, of which "common" ones have shares of .5, .3 and .2, and "rare" ones of .6, .37
and .03. "ten" are ten classes of a tenth each. All true values are known in closed form or by
quadrature.

    python benchmarks/metric_coverage.py [samples]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy import integrate, stats

from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import UNIT_INTERVAL, Array, Level
from halfwidth.core.undefined import AbsentClass
from halfwidth.estimation.choose import FEW_RANKED_WRONG
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.metrics import building
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.averaging import AreaFinish, CountingFinish
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.summaries.all_statistics import STATISTICS

SIZES = (25, 50, 100, 250)
RESAMPLES = 999
# Samples that share their draws; the noise of those is the same for all of them.
BATCH = 50
ELSE_NEWCOMBE = "delong_logit, else newcombe"
BOOTSTRAPS = ("percentile", "bca", "dirichlet", "basic")
OF_AUROC = (
    "delong_logit_t",
    "dirichlet",
    "delong_logit",
    "delong",
    "newcombe",
    "hanley_mcneil",
    "percentile",
    "bca",
    "basic",
)
OF_ACCURACY = ("wilson", "clopper_pearson", "wald", "percentile", "bca")
POSITIVE = 0.3
# Of each true class the shares of what is predicted.
ROWS = ((0.90, 0.09, 0.01), (0.12, 0.85, 0.03), (0.25, 0.15, 0.60))
POLICIES: tuple[AbsentClass, ...] = get_args(AbsentClass)

Draw = Callable[[np.random.Generator, int, int], Array]


@dataclass(frozen=True)
class Task:
    """A population of classes.

    Attributes
    ----------
    called : str
    shares : tuple of float
        Of the classes.
    shifts : tuple of float
        How far the scores of a class lie above those of the others.
    """

    called: str
    shares: tuple[float, ...]
    shifts: tuple[float, ...]


# AUROC from .92 to .76, the last class the worst.
COMMON = Task("common", (0.5, 0.3, 0.2), (2.0, 1.5, 1.0))
RARE = Task("rare", (0.6, 0.37, 0.03), (2.0, 1.5, 1.0))
TEN = Task("ten", (0.1,) * 10, tuple(np.linspace(2.0, 1.0, 10).tolist()))


@dataclass(frozen=True)
class Study:
    """A metric of samples from a population.

    Attributes
    ----------
    title : str
    statistic : Statistic
    truth : float
    draw : callable
        ``draw(generator, samples, n)``, shape (S, n), or (S, k, n) for scores.
    methods : sequence of str
    binary : bool
    """

    title: str
    statistic: Statistic
    truth: float
    draw: Draw
    methods: Sequence[str] = BOOTSTRAPS
    binary: bool = False


@dataclass(frozen=True)
class ChunkResult:
    """Bounds of all samples by one method; NaN where there are none."""

    low: Array
    high: Array

    def covers(self, truth: float) -> NDArray[np.bool_]:
        """Whether each interval holds the truth; no interval does not."""
        return np.asarray((self.low <= truth + 1e-12) & (truth - 1e-12 <= self.high))

    def missed(self, truth: float) -> tuple[float, float]:
        """How often the lower end lies above the truth, and how often the upper one below it."""
        return float((self.low > truth + 1e-12).mean()), float((self.high < truth - 1e-12).mean())

    @property
    def none(self) -> float:
        """Share of samples without an interval."""
        return float(np.isnan(self.low).mean())

    @property
    def width(self) -> float:
        """Mean width of the intervals there are."""
        return float(np.nanmean(self.high - self.low))


# --------------------------------------------------------------------------- populations


def two_classes(shift: float) -> Draw:
    """Records of a score and whether a case is negative, ascending by the score."""

    def draw(generator: np.random.Generator, samples: int, n: int) -> Array:
        negative = generator.random((samples, n)) >= POSITIVE
        scores = generator.normal(size=(samples, n)) + shift * ~negative
        return _ascending(np.stack([scores, negative], axis=1))

    return draw


def several_classes(task: Task) -> Draw:
    """Records of a score for each class and the class, ascending by the first score."""
    classes = np.arange(len(task.shares))[:, None]

    def draw(generator: np.random.Generator, samples: int, n: int) -> Array:
        truth = generator.choice(len(classes), (samples, 1, n), p=task.shares)
        own = truth == classes
        scores = generator.normal(size=(samples, len(classes), n))
        scores += own * np.array(task.shifts)[:, None]
        return _ascending(np.concatenate([scores, truth], axis=1))

    return draw


def _ascending(records: Array) -> Array:
    order = np.argsort(records[:, :1], axis=-1, kind="stable")
    return np.asarray(np.take_along_axis(records, np.broadcast_to(order, records.shape), axis=-1))


def population(task: Task) -> Array:
    """Shares of the cells of the confusion matrix of three classes."""
    return np.asarray(np.array(task.shares)[:, None] * np.array(ROWS))


def decisions(task: Task) -> Draw:
    """Cells of cases."""

    def draw(generator: np.random.Generator, samples: int, n: int) -> Array:
        cells = generator.choice(9, (samples, n), p=population(task).ravel())
        return np.asarray(cells, dtype=float)

    return draw


def right_or_wrong(generator: np.random.Generator, samples: int, n: int) -> Array:
    """1 for each case whose cell is on the diagonal."""
    return np.asarray(decisions(RARE)(generator, samples, n) % 4 == 0, dtype=float)


def auroc_of(shift: float) -> float:
    """P(a positive's score exceeds a negative's)."""
    return float(stats.norm.cdf(shift / np.sqrt(2)))


def precision_of(shift: float, share: float) -> float:
    """Average precision of the population: the mean precision at the score of a positive."""

    def at(score: float) -> float:
        found = share * stats.norm.sf(score - shift)
        density = stats.norm.pdf(score - shift)
        return float(density * found / (found + (1 - share) * stats.norm.sf(score)))

    return float(integrate.quad(at, -8.0, 8.0 + shift, limit=200)[0])


# --------------------------------------------------------------------------- metrics


def counting(name: str, task: Task, absent: AbsentClass = "omit") -> tuple[Statistic, float]:
    """A macro-average, or a metric of all three classes, and its true value."""
    metric = Metric(SAMPLE_METRICS[name])
    finish = CountingFinish(metric, 3, "macro", absent=absent)
    return building.counting_statistic(metric, finish, "omit"), float(
        finish(population(task).ravel())
    )


def macro(name: str, task: Task, absent: AbsentClass = "omit") -> tuple[Statistic, float]:
    """A macro-averaged area and its true value."""
    pairs = zip(task.shifts, task.shares, strict=True)
    truths = [auroc_of(d) if name == "auroc" else precision_of(d, share) for d, share in pairs]
    finish = AreaFinish("macro", absent=absent)
    metric = Metric(SAMPLE_METRICS[name])
    return building.ranking_statistic(metric, RankEach(len(task.shares)), finish, "omit"), float(
        np.mean(truths)
    )


def of_two_classes() -> Iterator[Study]:
    """AUROC and AP of binormal scores."""
    for name, called in (("auroc", "AUROC"), ("average_precision", "AP")):
        metric = Metric(SAMPLE_METRICS[name])
        statistic = building.ranking_statistic(metric, RankEach(1), AreaFinish("binary"), "omit")
        for aimed in (0.75, 0.95):
            shift = float(np.sqrt(2) * stats.norm.ppf(aimed))
            truth = aimed if name == "auroc" else precision_of(shift, POSITIVE)
            methods = OF_AUROC if name == "auroc" else BOOTSTRAPS
            yield Study(f"{called} {truth:.2f}", statistic, truth, two_classes(shift), methods)


def of_several_classes() -> Iterator[Study]:
    """Averages over classes, and what is of all classes at once."""
    for name, title in (("auroc", "macro AUROC"), ("average_precision", "macro AP")):
        for task in (COMMON, TEN, RARE):
            statistic, truth = macro(name, task)
            called = f"{title} {truth:.2f} ({task.called})"
            yield Study(called, statistic, truth, several_classes(task))
    for name, title in (
        ("balanced_accuracy", "balanced accuracy"),
        ("f1", "macro F1"),
        ("mcc", "MCC"),
    ):
        for task in (COMMON, RARE):
            statistic, truth = counting(name, task)
            called = f"{title} {truth:.2f} ({task.called})"
            yield Study(called, statistic, truth, decisions(task), (*BOOTSTRAPS, "delta"))
    truth = float(population(RARE).trace())
    statistic = Statistic(STATISTICS["mean"])
    title = f"accuracy {truth:.2f} (rare)"
    yield Study(title, statistic, truth, right_or_wrong, OF_ACCURACY, binary=True)


# --------------------------------------------------------------------------- simulation


def simulated(study: Study, n: int, samples: int) -> dict[str, ChunkResult]:
    """Intervals of all samples by each method."""
    auto = ["auto"] if "delong_logit_t" in study.methods else []
    bounds: dict[str, list[Array]] = {name: [] for name in (*auto, *study.methods)}
    for batch in range(max(1, samples // BATCH)):
        values = study.draw(np.random.default_rng([n, batch]), BATCH, n)
        scores = values.ndim > 2
        made = intervals(
            values,
            study.statistic,
            [METHODS[name] for name in study.methods],
            Level(0.95),
            bounds=UNIT_INTERVAL,
            plan=Plan(1000 * n + batch, RESAMPLES, compiled=True if scores else None),
            design=Design((n,), paired=True) if scores else None,
            binary=study.binary,
        )
        for name, one in zip(study.methods, made, strict=True):
            bounds[name].append(np.stack([one.interval.low, one.interval.high]))
        if auto:
            ranked_wrongly = _ranked_wrongly(values, study.statistic)
            own = [bounds[name][-1] for name in ("delong_logit_t", "dirichlet")]
            bounds["auto"].append(np.where(ranked_wrongly >= FEW_RANKED_WRONG, *own))
    joined = {name: np.concatenate(parts, axis=-1) for name, parts in bounds.items()}
    return {name: ChunkResult(*both) for name, both in joined.items()}


def _ranked_wrongly(values: Array, statistic: Statistic) -> Array:
    """Cases of the rarer class that are ranked wrongly (or, near 0, correctly), as AUROCs say."""
    areas, negative = statistic(values), values[:, 1].sum(axis=-1)
    rarer = np.minimum(negative, values.shape[-1] - negative)
    return np.asarray(rarer * np.minimum(areas, 1 - areas))


def print_coverage(samples: int) -> None:
    """Coverage and mean width by metric, method and n."""
    print("| metric | method |" + "".join(f" {n} |" for n in SIZES))
    print("| --- | --- |" + " --- |" * len(SIZES))
    for study in (*of_two_classes(), *of_several_classes()):
        made = [simulated(study, n, samples) for n in SIZES]
        if "newcombe" in study.methods:
            made = [{ELSE_NEWCOMBE: _instead(one), **one} for one in made]
        for name in made[0]:
            cells = [_cell(one[name], study.truth) for one in made]
            print(f"| {study.title} | {name} |" + "".join(f" {c} |" for c in cells), flush=True)


def _instead(made: dict[str, ChunkResult]) -> ChunkResult:
    """DeLong's on the logit; Newcombe's where that is undefined."""
    first, second = made["delong_logit"], made["newcombe"]
    missing = np.isnan(first.low)
    return ChunkResult(
        np.where(missing, second.low, first.low), np.where(missing, second.high, first.high)
    )


def _cell(made: ChunkResult, truth: float) -> str:
    none = f", {100 * made.none:.1f} none" if made.none >= 0.0005 else ""
    ends = " and ".join(f"{100 * share:.1f}" for share in made.missed(truth))
    return f"{100 * made.covers(truth).mean():.1f} [{made.width:.3f}{none}]; {ends}"


def print_absent_class(samples: int) -> None:
    """What an absent class counts: coverage, misses on both sides, mean bounds, no interval."""
    print(
        "| metric | n | absent_class | covers | all too low | all too high | none | "
        "mean bounds | mean width |"
    )
    print("| --- |" + " --- |" * 8)
    for name, called in (
        ("auroc", "macro AUROC"),
        ("average_precision", "macro AP"),
        ("balanced_accuracy", "balanced accuracy"),
    ):
        for n in SIZES[1:]:
            for policy in POLICIES:
                study = _with_policy(name, policy)
                made = simulated(study, n, samples)["percentile"]
                print(
                    f"| {called} {study.truth:.2f} | {n} | `{policy}` |{_row(made, study.truth)}",
                    flush=True,
                )


def _with_policy(name: str, policy: AbsentClass) -> Study:
    if name == "balanced_accuracy":
        return Study("", *counting(name, RARE, policy), decisions(RARE), ("percentile",))
    return Study("", *macro(name, RARE, policy), several_classes(RARE), ("percentile",))


def _row(made: ChunkResult, truth: float) -> str:
    too_high, too_low = made.missed(truth)
    shares = (made.covers(truth).mean(), too_low, too_high, made.none)
    cells = [f"{100 * share:.1f}" for share in shares]
    cells.append(f"{np.nanmean(made.low):.3f} to {np.nanmean(made.high):.3f}")
    cells.append(f"{made.width:.3f}")
    return "".join(f" {cell} |" for cell in cells)


def main() -> None:
    """Print both tables."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    error = 100 * np.sqrt(0.95 * 0.05 / samples)
    print(f"{samples} samples, {RESAMPLES} resamples; Monte-Carlo SE {error:.1f} points at 95 %\n")
    print(
        "Coverage in % [mean width, % of samples without an interval, which count as misses]; how "
        "often the lower end lies above the true value, and how often the upper one below it, in % "
        "(2.5 each is what is wanted)\n"
    )
    print_coverage(samples)
    print("\nMisses in % of samples: the whole interval too low, or too high\n")
    print_absent_class(samples)


if __name__ == "__main__":
    main()
