"""Old and new defaults of quantiles, averages over classes, ratios and calibration-in-the-large.

    python benchmarks/rule_of_auto.py quantiles | averages | ratios | calibration [--samples 1000]

Each row is a population and a number of cases: coverage of 95 % intervals in %, in brackets how
often the whole interval lies above or below the truth, the width over that of the old default, and
where a difference is estimated, how often it excludes 0 (power). The old default is named, as
``auto@1`` was: the same samples and draws under both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

import halfwidth as hw
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array, Level
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.draws import Plan

Ends = tuple[float, float]
LEVEL = Level(0.95)


class Row(NamedTuple):
    """A population at one size: how often either end misses, in %, and what the interval costs."""

    name: str
    n: int
    rule: str
    above: float  # the interval lies above the truth
    below: float
    width: float
    power: float
    none: float  # samples without an interval, in %

    @property
    def coverage(self) -> float:
        """In %, of the samples that have an interval."""
        return 100 - self.above - self.below


def measured(name: str, n: int, rule: str, low: Array, high: Array, truth: float) -> Row:
    """What ends did, and how often they exclude 0."""
    known = ~(np.isnan(low) | np.isnan(high))
    low, high = low[known], high[known]
    slack = 1e-9 * max(abs(truth), 1e-3)
    with np.errstate(invalid="ignore"):
        width = float(np.median(high - low))
    shares = (low > truth + slack, high < truth - slack, (low > 0) | (high < 0))
    above, below, power = (100 * float(np.mean(share)) for share in shares)
    return Row(name, n, rule, above, below, width, power, 100 * float(np.mean(~known)))


def print_rows(rows: Iterator[tuple[Row, Row]], *, power: bool = False) -> None:
    """A line for each population and size: old, new, and the width of the new over the old."""
    print("| population | n | old | new | width |" + (" power |" if power else ""))
    print("| --- | --- | --- | --- | --- |" + (" --- |" if power else ""))
    for old, new in rows:
        told = [f"{r.coverage:.1f} ({r.above:.1f}/{r.below:.1f})" for r in (old, new)]
        if new.none:
            told[1] += f", none in {new.none:.1f}"
        line = f"| {new.name} | {new.n} | {' | '.join(told)} | × {new.width / old.width:.2f} |"
        print(line + (f" {old.power:.0f} → {new.power:.0f} |" if power else ""), flush=True)


# --------------------------------------------------------------------------- quantiles


def quantiles(samples: int) -> Iterator[tuple[Row, Row]]:
    """Medians and quantiles of independent cases from 50 on: percentile, and exact."""
    populations = {"beta(8, 2)": stats.beta(8, 2), "log-normal": stats.lognorm(1)}
    methods = [hw.METHODS["percentile"], hw.METHODS["exact"]]
    for name, population in populations.items():
        for q in (0.1, 0.5, 0.75, 0.9):
            for n in (50, 75, 120, 300):
                if n * min(q, 1 - q) < 10:  # where auto@1 took exact too
                    continue
                values = population.rvs((samples, n), random_state=n)
                made = intervals(
                    values,
                    Statistic(hw.STATISTICS["quantile"], {"q": q}),
                    methods,
                    LEVEL,
                    plan=Plan(1),
                )
                truth = float(population.ppf(q))
                old, new = (
                    measured(
                        f"{name}, {q:g} quantile",
                        n,
                        method.name,
                        one.interval.low,
                        one.interval.high,
                        truth,
                    )
                    for method, one in zip(methods, made, strict=True)
                )
                yield old, new


# --------------------------------------------------------------------------- the rule

MEASURED: dict[str, Callable[[int], Iterator[tuple[Row, Row]]]] = {"quantiles": quantiles}
RULES = (
    ("quantiles of independent cases and runs, from 50 on", "`percentile`", "`exact`"),
)


def print_rules() -> None:
    """What the defaults were and are."""
    print("| estimate | auto@1 | auto@2 |\n| --- | --- | --- |")
    for row in RULES:
        print(f"| {' | '.join(row)} |")
