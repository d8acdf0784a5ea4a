"""What ``auto`` delivers: coverage and width on real and simulated instances, and what is wanted.

    python benchmarks/coverage_of_auto.py [--rows mean,sd] [--samples 400] [--jobs 2] [--quick]

The intervals are those of ``methods = ["auto"]`` in a study, which are those of users; clusters
and perfect test sets go through the public functions. Instances (`auto_instances.py`) are real from
``../shared/data`` and simulated ones. A cell has the coverage of 95 % intervals in %, as median
[first quartile] lowest of its instances, how often the lower end lies above the truth and the upper
one below it (medians in %), the median width, the same over that of a reference (t, percentile,
DeLong on the logit: the price), what is wanted, and whether it is reached. Samples on which the
statistic is undefined, as the MCC is without a positive case, are misses; beside it stands the
coverage without these.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import auto_clusters
import numpy as np
from auto_instances import DATA, PLANTED, all_of_cases, few_positives, rare_classes

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.study.simulation.cells import Cells, batch_parts, batch_sizes, simulate, simulated
from halfwidth.study.simulation.fitted import fitted, population_truth
from halfwidth.study.specs.parsing import parse_spec
from halfwidth.study.specs.spec import Instance

LEVEL = 0.95
RESAMPLES = 999
BATCHES = 4
# Sources that a spec must name; instances are made here.
NO_TABLES = {"populations": [{"family": "uniform"}]}
NO_SCORES = {"scores": [{"scores": "*.npy", "targets": "*.npy", "kind": "logits"}]}
COUNTING, AREAS = ("balanced_accuracy", "f1", "mcc"), ("auroc", "average_precision")
LARGE = (500, 1000, 5000)


@dataclass(frozen=True)
class Wanted:
    """What a cell is to reach, in %: of the coverage, and at most of the misses at each end."""

    median: float | None = None
    q1: float | None = None
    each_end: float | None = None

    def __str__(self) -> str:
        middle = [f"≥ {self.median:g}"] if self.median else []
        first = [f"[≥ {self.q1:g}]"] if self.q1 else []
        ends = [f"each end ≤ {self.each_end:g}"] if self.each_end else []
        return ", ".join([" ".join(middle + first), *ends])

    def misses(self, shares: Array, ends: tuple[float, float]) -> Iterator[str]:
        """What a cell falls short of, in words."""
        middle, low = 100 * np.median(shares), 100 * np.quantile(shares, 0.25)
        if self.median and round(middle, 1) < self.median:
            yield f"median {self.median - middle:.1f} short"
        if self.q1 and round(low, 1) < self.q1:
            yield f"first quartile {self.q1 - low:.1f} short"
        for end, share in zip(("lower", "upper"), ends, strict=True):
            if self.each_end and round(100 * share, 1) > self.each_end:
                yield f"{end} end {100 * share - self.each_end:.1f} too often"


@dataclass(frozen=True)
class Row:
    """A quantity on instances of one kind, at one n.

    Attributes
    ----------
    group : str
        What ``--rows`` names.
    title : str
    n : int
    cells : tuple of Cells
        One for each instance.
    reference : str
    wanted : Wanted or None
    """

    group: str
    title: str
    n: int
    cells: tuple[Cells, ...]
    reference: str
    wanted: Wanted | None = None


@dataclass(frozen=True)
class Found:
    """What one instance gave.

    ``if_defined`` is the coverage of the samples whose statistic, and so their interval, is
    defined; the others are misses in ``coverage``. ``above`` and ``below`` say how often the whole
    interval is above and below the truth.
    """

    coverage: float
    width: float
    reference_width: float = float("nan")
    methods: str = ""
    if_defined: float = float("nan")
    above: float = float("nan")
    below: float = float("nan")


# --------------------------------------------------------------------------- rows


def of_cases(samples: int, most: int) -> Iterator[Row]:
    """Means and SDs of per-case values."""
    kinds = all_of_cases(most)
    # Each end is asked for from 40 cases on.
    wanted = {10: Wanted(q1=93.5), 25: Wanted(q1=94), 50: Wanted(q1=94, each_end=3.5)}
    planted = {n: replace(one, median=90, q1=None) for n, one in wanted.items()}
    for statistic, reference in (("mean", "t"), ("sd", "percentile")):
        for kind, instances in kinds.items():
            spec = parse_spec(
                {"study": _study(samples, reference) | {"statistics": [statistic]}} | NO_TABLES,
                Path("auto.toml"),
            )
            for n, own in (planted if kind == PLANTED else wanted).items():
                cells = tuple(Cells(one, None, n, spec) for one in instances)
                yield Row(statistic, f"{statistic}, {kind}", n, cells, reference, own)


def of_two_classes(samples: int, *, large: bool) -> Iterator[Row]:
    """Binary metrics where few cases are positive."""
    sets = few_positives()
    kinds = {"6 to 16 %": sets, "5 to 6 %": [one for one in sets if one.task == "6%"]}
    counts = [("counts", "6 to 16 %", name, (50,), Wanted(94, 93)) for name in COUNTING]
    ap = ("ap", "6 to 16 %", "average_precision", (50, 100), Wanted(94))
    auroc = ("auroc", "5 to 6 %", "auroc", (100, 250), Wanted(93.5))
    for group, kind, name, sizes, wanted in (*counts, ap, auroc):
        for n in (*sizes, *(LARGE if large else ())):
            reference = "delong_logit" if name == "auroc" else "percentile"
            cells = _of_sets(kinds[kind], name, n, samples, reference)
            title = f"{_title(name)}, {kind} positives"
            yield Row(group, title, n, cells, reference, wanted)


def of_several_classes(samples: int) -> Iterator[Row]:
    """Macro averages with a rare class."""
    sets = rare_classes()
    for name in ("auroc", "average_precision", "f1"):
        for n in (50, 100):
            cells = _of_sets(sets, name, n, samples, "percentile", "macro")
            title = f"macro {_title(name)}, rare class"
            yield Row("macro", title, n, cells, "percentile", Wanted(93))


def _of_sets(
    sets: Sequence[Instance],
    name: str,
    n: int,
    samples: int,
    reference: str,
    average: str = "binary",
) -> tuple[Cells, ...]:
    averages = {"averages": [average]} if len(SAMPLE_METRICS[name].averages) > 1 else {}
    study = _study(samples, reference) | {"metrics": [name], "truth_draws": 200_000} | averages
    spec = parse_spec({"study": study} | NO_SCORES, Path("auto.toml"))
    return tuple(Cells(one, spec.metrics[0], n, spec) for one in sets)


def _study(samples: int, reference: str) -> dict[str, object]:
    return {
        "seed": 20,
        "samples": samples - samples % BATCHES,
        "batches": BATCHES,
        "resamples": RESAMPLES,
        "methods": ["auto", reference],
    }


def _title(metric: str) -> str:
    return SAMPLE_METRICS[metric].title or metric


# --------------------------------------------------------------------------- measuring


def measure(cells: Cells) -> Found:
    """Simulate the cells of one instance."""
    rows = {row["method"]: row for row in simulate(cells).rows}
    auto = rows.pop("auto")
    beside = next(iter(rows.values()), {"width_mean": float("nan")})
    widths = auto["width_mean"], beside["width_mean"]
    ends = auto["missed_above"], auto["missed_below"]
    return Found(auto["coverage"], *widths, auto["chosen"], auto["coverage_defined"], *ends)


def counted_cases(cells: Cells) -> list[tuple[int, bool]]:
    """For each sample the number of cases of its rarest class, and whether it is covered."""
    (measured,) = cells.measured
    population, spec = fitted(cells.instance).population, cells.spec
    (bounded, *_) = simulated(cells, replace(measured, methods=()), population).bounded
    truth = population_truth(cells.instance, measured, spec).value
    covered = (bounded.low <= truth + 1e-12) & (truth - 1e-12 <= bounded.high)
    classes = np.arange(len(cells.instance.classes))[:, None]
    fewest = [
        (part[:, -1][:, None, :] == classes).sum(axis=-1).min(axis=-1)
        for batch, samples in enumerate(batch_sizes(spec))
        for part in batch_parts(cells, population, batch, samples)
    ]
    return [(int(k), bool(c)) for k, c in zip(np.concatenate(fewest), covered, strict=True)]


def print_row(row: Row, found: Sequence[Found]) -> None:
    """One line of the table."""
    shares = np.array([one.coverage for one in found])
    width = statistics.median(one.width for one in found)
    ratio = statistics.median(one.width / one.reference_width for one in found)
    cover = _summary(shares)
    if_defined = np.array([one.if_defined for one in found])
    if (if_defined > shares).any():
        cover += f"; where defined {_summary(if_defined)}"
    ends = (
        statistics.median(one.above for one in found),
        statistics.median(one.below for one in found),
    )
    missed = "–" if np.isnan(ends).any() else " and ".join(map(_percent, ends))
    beside = "–" if np.isnan(ratio) else f"× {ratio:.2f} {row.reference}"
    wanted = "–" if row.wanted is None else str(row.wanted)
    missing = [] if row.wanted is None else list(row.wanted.misses(shares, ends))
    reached = "–" if row.wanted is None else "; ".join(missing) or "reached"
    cells = [row.title, row.n, len(found), cover, missed, f"{width:.3f}", beside, _taken(found)]
    print("| " + " | ".join(map(str, [*cells, wanted, reached])) + " |", flush=True)


def _summary(shares: Array) -> str:
    """Median [first quartile] lowest."""
    quartile = _percent(np.quantile(shares, 0.25))
    return f"{_percent(np.median(shares))} [{quartile}] {_percent(shares.min())}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _taken(found: Iterable[Found]) -> str:
    """The methods that were taken, with their mean shares of samples."""
    shares: dict[str, list[float]] = defaultdict(list)
    instances = [one for one in found if one.methods]
    for one in instances:
        for text in one.methods.split(", "):
            name, share = text.rsplit(" ", 1)
            shares[name].append(float(share))
    means = {name: sum(own) / len(instances) for name, own in shares.items()}
    ordered = sorted(means.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {100 * share:.0f} %" for name, share in ordered if share >= 0.005)


def print_smallest_classes(rows: Sequence[Row], pool: ProcessPoolExecutor) -> None:
    """Coverage of macro averages by the cases of the rarest class in the sample."""
    print("\n## Macro averages by the cases of the rarest class in the sample\n")
    edges = (0, 1, 2, 3, 4, 5, 7, 10, 15)
    print("| metric |" + "".join(f" {k} |" for k in edges) + "\n| --- |" + " --- |" * len(edges))
    by_title: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for row in rows:
        for pairs in pool.map(counted_cases, row.cells):
            by_title[row.title] += pairs
    for title, pairs in by_title.items():
        counts, covered = (np.array(side) for side in zip(*pairs, strict=True))
        cells = []
        for low, high in zip(edges, (*edges[1:], np.inf), strict=True):
            own = covered[(counts >= low) & (counts < high)]
            cells.append(f"{_percent(own.mean())} ({len(own)})" if len(own) else "–")
        print(f"| {title} | {' | '.join(cells)} |")
    print("\nCoverage in % (samples); from the count in the heading up to the next, all instances.")


def print_perfect_test_sets() -> None:
    """Intervals of metrics of test sets without an error."""
    print("\n## Perfect test sets: an interval with a length that holds the estimate\n")
    print("| metric | n (positive) | estimate | interval | method | reached |")
    print("| --- | --- | --- | --- | --- | --- |")
    for positives, n in ((5, 20), (10, 50), (20, 200)):
        truth = (np.arange(n) < positives).astype(int)
        scores = np.where(truth == 1, 0.9, 0.1) + np.linspace(0, 0.01, n)
        for name in ("f1", "balanced_accuracy", "mcc", "cohen_kappa", *AREAS):
            found = cast("hw.Estimate", hw.metric_ci(truth, scores, metric=name))
            long = found.high - found.low > 1e-9
            holds = found.low <= found.value <= found.high
            why = "reached" if long and holds else "without the estimate" if long else "no length"
            print(
                f"| {_title(name)} | {n} ({positives}) | {found.value:.3f} | "
                f"[{found.low:.3f}, {found.high:.6g}] | `{found.method}` | {why} |"
            )


def print_clusters(samples: int, pool: ProcessPoolExecutor) -> None:
    """Coverage with ten unequal clusters."""
    for title, cases in auto_clusters.kinds().items():
        found = [
            Found(*one) for one in pool.map(auto_clusters.coverage, cases, [samples] * len(cases))
        ]
        print_row(Row("clusters", title, 10, (), "", Wanted(93)), found)


# --------------------------------------------------------------------------- the command


def main() -> None:
    """Print the tables."""
    given = _arguments()
    if not DATA.is_dir():
        sys.exit(
            f"{DATA} is not there: this benchmark reads its instances in place, from touchstone/, "
            "segval/ and medmnist_scores/ in ../shared/data beside the project"
        )
    begun = time.perf_counter()
    samples, most = (80, 12) if given.quick else (given.samples, given.instances)
    rows = [
        *of_cases(samples, most),
        *of_two_classes(samples, large=given.large),
        *of_several_classes(samples),
    ]
    groups = [*dict.fromkeys(row.group for row in rows), "clusters", "perfect"]
    chosen = given.rows.split(",") if given.rows else groups
    if unknown := set(chosen) - set(groups):
        sys.exit(f"--rows {', '.join(sorted(unknown))}: there are {', '.join(groups)}")
    rows = [row for row in rows if row.group in chosen]
    error = 100 * np.sqrt(LEVEL * (1 - LEVEL) / samples)
    print(
        f"{samples} samples of each instance, {RESAMPLES} resamples. Monte-Carlo SE of the coverage"
        f" of an instance: {error:.1f} points; of instances that are all covered {100 * LEVEL:g} %"
        f" of the time, a quarter would be seen below {100 * LEVEL - 0.674 * error:.1f} %.\n"
    )
    headings = (
        "",
        "n",
        "instances",
        "coverage %",
        "ends %",
        "width",
        "beside",
        "took",
        "wanted",
        "reached",
    )
    print("| " + " | ".join(headings) + " |\n|" + " --- |" * len(headings), flush=True)
    with ProcessPoolExecutor(given.jobs) as pool:
        for row in rows:
            print_row(row, list(pool.map(measure, row.cells)))
        if "clusters" in chosen:
            print_clusters(samples, pool)
        if "macro" in chosen:
            print_smallest_classes([row for row in rows if row.group == "macro"], pool)
    if "perfect" in chosen:
        print_perfect_test_sets()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(one.ru_utime + one.ru_stime for one in used)
    print(
        f"\n{cpu / 60:.1f} CPU-minutes, "
        f"{(time.perf_counter() - begun) / 60:.1f} minutes by the clock"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=400, help="of each instance and n")
    parser.add_argument("--instances", type=int, default=60, help="at most, of organs")
    parser.add_argument(
        "--rows", help="groups to run: mean,sd,counts,ap,auroc,macro,clusters,perfect"
    )
    parser.add_argument("--large", action="store_true", help="test sets of 500 to 5000 cases too")
    parser.add_argument("--quick", action="store_true", help="80 samples of 12 instances")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
