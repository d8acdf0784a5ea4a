"""How often the gate passes, fails and cannot say, where the true difference is known.

    nice python benchmarks/gate.py ../shared/data/touchstone [samples]

A population is a real pair of models on an organ (Touchstone, DSC and NSD), whose true difference
-D is the margin. With the two models of half of the cases exchanged the true difference is 0, with
those of all cases it is +D: the same cases, margins and spreads at three true differences. Beside
them stand normal values of two models with a correlation of 0.8, and a margin of a quarter of the
SD of their differences. Samples are drawn with replacement; the gate is that of `halfwidth gate`
with a confidence level of 95 %: 0 where L > -D, 4 where U < -D, else 5.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Bounds, Level
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import resolve_metric, resolve_statistic
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.draws import Plan
from halfwidth.results.gate import FAILED, PASSED, STATUS
from halfwidth.tables.readers import read_table

Values = NDArray[np.float64]
SIZES = (10, 25, 50, 100, 200)
TRUTHS = ("-D", "0", "+D")
FEWEST_CASES, SMALLEST_MARGIN, LARGEST_MARGIN = 100, 0.005, 0.05
PAIRS = 40


@dataclass(frozen=True)
class Population:
    """Differences of pairs, the true mean of which is minus the margin."""

    name: str
    differences: Values
    margin: float
    bounds: Bounds

    def sample(self, truth: str, shape: tuple[int, int], rng: np.random.Generator) -> Values:
        """Differences of sampled cases at one of the three true differences."""
        drawn: Values = rng.choice(self.differences, shape)
        signs: dict[str, Any] = {"-D": 1.0, "0": rng.choice([-1.0, 1.0], shape), "+D": -1.0}
        return np.asarray(drawn * signs[truth])


def real_pairs(folder: Path) -> list[Population]:
    """Pairs of models on an organ whose difference could be a margin; every so many of them."""
    found = []
    for metric in ("dsc", "nsd"):
        tables = {file.stem: read_table(file) for file in sorted(folder.glob(f"*_{metric}.csv"))}
        for one, other in itertools.combinations(tables, 2):
            rows = np.arange(len(tables[one]))
            for organ in tables[one].names[1:]:
                both = [tables[model].values(organ, rows).astype(float) for model in (one, other)]
                differences = both[0] - both[1]
                differences = differences[np.isfinite(differences)]
                margin = abs(float(differences.mean()))
                if len(differences) < FEWEST_CASES:
                    continue
                if SMALLEST_MARGIN <= margin <= LARGEST_MARGIN:
                    worse = -np.sign(differences.mean()) * differences
                    name = f"{one} {other} {organ}"
                    found.append(Population(name, worse, margin, Bounds(0, 1)))
    return found[:: max(1, len(found) // PAIRS)][:PAIRS]


def normal_pairs() -> Population:
    """Normal values of SD 1 with a correlation of 0.8, as so many differences at even quantiles."""
    from scipy import special

    sd, margin = np.sqrt(2 - 2 * 0.8), 0.25 * np.sqrt(2 - 2 * 0.8)
    quantiles = special.ndtri((np.arange(20_000) + 0.5) / 20_000)
    return Population("normal", sd * quantiles - margin, margin, Bounds(-np.inf, np.inf))


def rates(population: Population, truth: str, n: int, method: str, samples: int) -> Values:
    """Shares of the exits 0, 4 and 5."""
    rng = np.random.default_rng([n, TRUTHS.index(truth), len(population.differences)])
    batch = population.sample(truth, (samples, n), rng)
    one_model = Functional(resolve_statistic("mean"), resolve_metric("values", population.bounds))
    both = difference_functional(one_model)
    (made,) = intervals(
        batch,
        both.statistic,
        [METHODS[method]],
        Level(0.95),
        bounds=both.metric.spec.bounds,
        plan=Plan(n, 999),
    )
    passed = np.mean(made.interval.low > -population.margin)
    failed = np.mean(made.interval.high < -population.margin)
    return np.array([passed, failed, 1 - passed - failed])


def table(title: str, populations: list[Population], method: str, samples: int) -> None:
    """Print medians over the populations, and the largest rate of each decision."""
    print(f"\n{title}: {method}")
    print(f"{'n':>5}" + "".join(f"{f'true {truth}':>30}" for truth in TRUTHS))
    for n in SIZES:
        cells = []
        for truth in TRUTHS:
            found = 100 * np.array([rates(p, truth, n, method, samples) for p in populations])
            median, most = np.median(found, axis=0), found.max(axis=0)
            cells.append(
                f"{median[0]:.1f} [{most[0]:.1f}]  {median[1]:.1f} [{most[1]:.1f}]  {median[2]:.1f}"
            )
        print(f"{n:>5}" + "".join(f"{cell:>30}" for cell in cells), flush=True)


def main() -> None:
    """Print the rates of the exits."""
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    pairs = real_pairs(Path(sys.argv[1]))
    print(
        f"exits {STATUS[PASSED]}, {STATUS[FAILED]}, 5 in per cent: median [largest] of populations"
    )
    print(f"{len(pairs)} pairs of models on an organ, {samples} samples each")
    for method in ("dirichlet", "t"):
        table("real pairs", pairs, method, samples)
    table("normal values", [normal_pairs()], "t", 20 * samples)


if __name__ == "__main__":
    main()
