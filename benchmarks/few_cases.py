"""From how many cases on the median coverage reaches 92.5 %: the evidence behind HW201.

Each column of the Touchstone tables (a model and an organ) is taken as a population; samples are
drawn from it with replacement, and the coverage of the true value of the column by the interval
that ``auto`` would use is counted.

    python benchmarks/few_cases.py ../shared/data/touchstone [samples]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.spec import Statistic
from halfwidth.core.types import Bounds, Level
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.draws import Plan
from halfwidth.summaries.all_statistics import STATISTICS
from halfwidth.tables.layout import layout_of, slices
from halfwidth.tables.readers import read_table

SIZES = (10, 25, 50, 75, 100, 150, 200, 300)
FEWEST_IN_POPULATION = 50
# The population's own value: with n in the divisor of the SD.
CELLS = (
    (Statistic(STATISTICS["mean"]), Statistic(STATISTICS["mean"]), ("hall", "t", "bca")),
    (
        Statistic(STATISTICS["sd"], {"ddof": 1.0}),
        Statistic(STATISTICS["sd"], {"ddof": 0.0}),
        ("percentile",),
    ),
    (Statistic(STATISTICS["iqr"]), Statistic(STATISTICS["iqr"]), ("percentile",)),
    (Statistic(STATISTICS["median"]), Statistic(STATISTICS["median"]), ("percentile",)),
    (
        Statistic(STATISTICS["trimmed_mean"], {"share": 0.25}),
        Statistic(STATISTICS["trimmed_mean"], {"share": 0.25}),
        ("percentile",),
    ),
)


def populations(folder: Path) -> list[NDArray[np.float64]]:
    """Every model and organ with enough scans."""
    found = []
    for file in sorted(folder.glob("*_dsc.csv")):
        table = read_table(file)
        for part in slices(table, layout_of(table)):
            values = part.values.astype(float)
            values = values[np.isfinite(values)]
            if len(values) >= FEWEST_IN_POPULATION:
                found.append(values)
    return found


def main() -> None:
    """Print the median and first quartile of coverage by statistic, method and n."""
    folder = Path(sys.argv[1])
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    instances = populations(folder)
    print(f"{len(instances)} instances, {samples} samples, 999 resamples: median [first quartile]")
    print(f"{'statistic':<14}{'method':<12}" + "".join(f"{n:>14}" for n in SIZES))
    for statistic, truth, names in CELLS:
        methods = [METHODS[name] for name in names]
        covered = np.empty((len(methods), len(SIZES), len(instances)))
        for i, values in enumerate(instances):
            true = float(truth(values))
            for j, n in enumerate(SIZES):
                batch = np.random.default_rng([i, n]).choice(values, (samples, n))
                made = intervals(
                    batch,
                    statistic,
                    methods,
                    Level(0.95),
                    bounds=Bounds(0, 1),
                    plan=Plan(i, 999),
                )
                for k, computed in enumerate(made):
                    low, high = computed.interval.low, computed.interval.high
                    covered[k, j, i] = np.mean((low <= true) & (true <= high))
        for k, name in enumerate(names):
            cells = [
                f"{100 * np.median(c):.1f} [{100 * np.quantile(c, 0.25):.1f}]" for c in covered[k]
            ]
            print(
                f"{statistic.spec.name:<14}{name:<12}" + "".join(f"{c:>14}" for c in cells),
                flush=True,
            )


if __name__ == "__main__":
    main()
