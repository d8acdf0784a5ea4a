"""Candidates for the interval that ``auto`` takes of a mean: coverage, and width over that of t.

Instances are of four kinds: *real* (each model and organ of the Touchstone tables by DSC, NSD and
IoU, brain tumours of SegVal), *small SD* (hippocampi of SegVal, beta distributions of SD .01 and
.03), *failures* (1, 2 and 5 % of zeros planted into those and into the steadiest real ones) and
*unseen* (as many zeros as are expected 1, 2 or 3 times in n cases).

    python benchmarks/rule_of_auto.py ../shared/data [samples] [every]

prints, of every candidate, n and kind, coverage in % (median [first quartile] lowest of the
instances) and the median width over that of t; which candidate the criterion picks; and what it
picks when a model, an organ or a metric is left out, with the coverage there. ``every`` takes
each third real instance, say. The criterion, and what follows, is in docs/decisions/0040.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from halfwidth.core.spec import Statistic
from halfwidth.core.types import UNIT_INTERVAL, Array, Level
from halfwidth.intervals.catalogue import method_named
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.draws import Plan
from halfwidth.summaries.catalogue import STATISTICS

SIZES = (10, 25, 50, 100)
RESAMPLES = 1999
# Samples that share their draws; the noise of those is the same for all of them.
BATCH = 200
# First quartile of the coverage in %, of every kind at every n.
LEAST = 94.0
# Steadiest real instances that failures are planted into.
STEADIEST = 6
# The criterion binds on these; what is unseen by construction says how far a rule can be off.
BINDING = ("real", "small SD", "failures")
METHODS = (
    *("t", "hall", "bca", "bca_expanded", "gaffke", "dirichlet"),
    *("dirichlet:mass=0.25", "dirichlet:mass=0.1"),
)

Bounds = tuple[Array, Array]
Rule = Callable[[dict[str, Bounds], Array], Bounds]


def _mean_of(first: str, second: str) -> Rule:
    def rule(made: dict[str, Bounds], _sd: Array) -> Bounds:
        low, high = np.mean([made[first], made[second]], axis=0)
        return low, high

    return rule


def _below(limit: float, small: str, other: str) -> Rule:
    def rule(made: dict[str, Bounds], sd: Array) -> Bounds:
        low, high = np.where(sd < limit, made[small], made[other])
        return low, high

    return rule


RULES: dict[str, Rule] = {name: lambda made, _sd, name=name: made[name] for name in METHODS} | {
    "mean of dirichlet and hall": _mean_of("dirichlet", "hall"),
    "hall where SD < .05, else dirichlet": _below(0.05, "hall", "dirichlet"),
    "t where SD < .03, else dirichlet": _below(0.03, "t", "dirichlet"),
    "mass .25 where SD < .05, else dirichlet": _below(0.05, "dirichlet:mass=0.25", "dirichlet"),
}


@dataclass(frozen=True)
class Instance:
    """A population, and what it may be left out by."""

    kind: str
    values: Array
    model: str = ""
    organ: str = ""
    metric: str = ""


@dataclass(frozen=True)
class Cell:
    """What a rule does on samples of an instance."""

    instance: Instance
    n: int
    rule: str
    coverage: float
    ratio: float


# --------------------------------------------------------------------------- instances


def columns(file: Path) -> dict[str, Array]:
    """The numbers of each column of a table, empty cells left out."""
    with file.open(newline="") as lines:
        header, *rows = csv.reader(lines)
    return {
        name: np.array([float(row[place]) for row in rows if row[place]])
        for place, name in enumerate(header)
        if name not in ("", "name", "id")
    }


def _by_overlap(kind: str, dsc: Array, model: str, organ: str) -> list[Instance]:
    return [
        Instance(kind, dsc, model, organ, "dsc"),
        Instance(kind, dsc / (2 - dsc), model, organ, "iou"),
    ]


def real(folder: Path) -> list[Instance]:
    """Models on organs, and on brain tumours."""
    found = []
    for file in sorted((folder / "touchstone").glob("*.csv")):
        model, _, metric = file.stem.rpartition("_")
        for organ, values in columns(file).items():
            if metric == "dsc":
                found += _by_overlap("real", values, model, organ)
            else:
                found.append(Instance("real", values, model, organ, metric))
    tumours = columns(folder / "segval" / "braintumor_3d_dsc.csv")["metric"] / 100
    return found + _by_overlap("real", tumours, "nnU-Net", "brain tumour")


def beta(mean: float, sd: float, cases: int = 20_000) -> Array:
    """Equally likely values of a beta distribution."""
    total = mean * (1 - mean) / sd**2 - 1
    levels = (np.arange(cases) + 0.5) / cases
    return np.asarray(stats.beta(mean * total, (1 - mean) * total).ppf(levels))


def with_failures(values: Array, share: float, cases: int = 20_000) -> Array:
    """The same, of which a share fails with 0."""
    failures = round(share * cases)
    return np.concatenate([np.zeros(failures), np.resize(values, cases - failures)])


def made(folder: Path, known: Iterable[Instance]) -> list[Instance]:
    """Small SDs, and failures planted into them and into the steadiest of the real ones."""
    hippocampi = columns(folder / "segval" / "hippocampus_3d_dsc.csv")["metric"] / 100
    small = _by_overlap("small SD", hippocampi, "nnU-Net", "hippocampus")
    for mean, sd in ((0.9, 0.01), (0.9, 0.03), (0.6, 0.03)):
        small.append(Instance("small SD", beta(mean, sd), "beta", f"{mean}, {sd}"))
    steady = [own.values[own.values > 0] for own in known if own.metric != "iou"]
    steady = sorted(steady, key=np.std)[:STEADIEST]
    steady += [hippocampi, beta(0.85, 0.08), beta(0.9, 0.03)]
    failing = [
        Instance("failures", with_failures(values, share), "planted", f"{share}")
        for values in steady
        for share in (0.01, 0.02, 0.05)
    ]
    return small + failing


def unseen(folder: Path, n: int) -> list[Instance]:
    """As many failures as are expected 1, 2 and 3 times in n cases."""
    hippocampi = columns(folder / "segval" / "hippocampus_3d_dsc.csv")["metric"] / 100
    return [
        Instance("unseen", with_failures(values, expected / n), "planted", f"{expected} in n")
        for values in (hippocampi, beta(0.85, 0.08), beta(0.9, 0.03))
        for expected in (1, 2, 3)
    ]


# --------------------------------------------------------------------------- measuring


def measured(instance: Instance, n: int, samples: int, seed: int) -> list[Cell]:
    """All rules on the same samples."""
    generator = np.random.default_rng([seed, n])
    drawn = generator.choice(instance.values, (samples, n))
    methods = [method_named(name) for name in METHODS]
    parts = [
        intervals(
            drawn[start : start + BATCH],
            Statistic(STATISTICS["mean"]),
            methods,
            Level(0.95),
            bounds=UNIT_INTERVAL,
            plan=Plan(seed * 1000 + start, RESAMPLES),
            clip=True,
            errors=False,
        )
        for start in range(0, samples, BATCH)
    ]
    by_method = {
        name: (
            np.concatenate([part[place].interval.low for part in parts]),
            np.concatenate([part[place].interval.high for part in parts]),
        )
        for place, name in enumerate(METHODS)
    }
    truth, sd = instance.values.mean(), drawn.std(axis=1, ddof=1)
    of_t = np.mean(by_method["t"][1] - by_method["t"][0])
    cells = []
    for name, rule in RULES.items():
        low, high = rule(by_method, sd)
        covers = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
        cells.append(Cell(instance, n, name, 100 * covers.mean(), np.nanmean(high - low) / of_t))
    return cells


def quartile(cells: Iterable[Cell]) -> float:
    """First quartile of the coverage."""
    return float(np.quantile([cell.coverage for cell in cells], 0.25))


def picked(cells: list[Cell]) -> str:
    """The narrowest rule, by the median on real instances, that holds the criterion.

    Where none does, the one whose worst first quartile is the highest.
    """
    worst, width = {}, {}
    for name in RULES:
        own = [cell for cell in cells if cell.rule == name]
        groups = [
            [cell for cell in own if cell.n == n and cell.instance.kind == kind]
            for n in SIZES
            for kind in BINDING
        ]
        worst[name] = min(quartile(group) for group in groups if group)
        width[name] = float(np.median([cell.ratio for cell in own if cell.instance.kind == "real"]))
    holding = [name for name in RULES if worst[name] >= LEAST]
    return min(holding, key=width.__getitem__) if holding else max(worst, key=worst.__getitem__)


# --------------------------------------------------------------------------- tables


def table(cells: list[Cell]) -> None:
    """Coverage and width of every rule, n and kind."""
    kinds = (*BINDING, "unseen")
    print(f"| n | rule | {' | '.join(kinds)} | ninth decile of the width |")
    print(f"|{' --- |' * (len(kinds) + 3)}")
    for n in SIZES:
        for name in RULES:
            own = [cell for cell in cells if cell.n == n and cell.rule == name]
            row = [str(n), name]
            for kind in kinds:
                group = [cell for cell in own if cell.instance.kind == kind]
                coverage = [cell.coverage for cell in group]
                row.append(
                    f"{np.median(coverage):.1f} [{quartile(group):.1f}] {min(coverage):.0f} "
                    f"× {np.median([cell.ratio for cell in group]):.2f}"
                )
            row.append(f"{np.quantile([cell.ratio for cell in own], 0.9):.2f}")
            print(f"| {' | '.join(row)} |")


def left_out(cells: list[Cell]) -> None:
    """What is picked without a model, an organ or a metric, and how it does there."""
    print("\n| left out | instances | picked | n = " + " | n = ".join(map(str, SIZES)) + " |")
    print(f"|{' --- |' * (len(SIZES) + 3)}")
    for by in ("model", "organ", "metric"):
        for value in sorted({getattr(c.instance, by) for c in cells if c.instance.kind == "real"}):
            rule = picked([cell for cell in cells if getattr(cell.instance, by) != value])
            out = [
                cell
                for cell in cells
                if getattr(cell.instance, by) == value
                if cell.rule == rule and cell.instance.kind == "real"
            ]
            row = [f"{by} {value}", str(len(out) // len(SIZES)), rule]
            for n in SIZES:
                group = [cell for cell in out if cell.n == n]
                middle = np.median([cell.coverage for cell in group])
                row.append(f"{middle:.1f} [{quartile(group):.1f}]")
            print(f"| {' | '.join(row)} |")


def main() -> None:
    """Measure everything and print it."""
    folder = Path(sys.argv[1])
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    known = real(folder)
    instances = known[::every] + made(folder, known)
    cells = []
    for n in SIZES:
        for seed, instance in enumerate([*instances, *unseen(folder, n)]):
            cells += measured(instance, n, samples, seed)
    print(f"{len(instances)} instances, {samples} samples, {RESAMPLES} resamples\n")
    table(cells)
    print(f"\nPicked: {picked(cells)}")
    left_out(cells)


if __name__ == "__main__":
    main()
