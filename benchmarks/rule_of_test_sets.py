"""Old and new defaults of quantiles, averages over classes, ratios and calibration-in-the-large.

    python benchmarks/rule_of_auto.py quantiles | averages | ratios | calibration [--samples 1000]

Each row is a population and a number of cases: coverage of 95 % intervals in %, in brackets how
often the whole interval lies above or below the truth, the width over that of the old default, and
where a difference is estimated, how often it excludes 0 (power). The old default is named, as
``auto@1`` was: the same samples and draws under both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy import optimize, special, stats

import halfwidth as hw
from halfwidth.core.forms import Effect
from halfwidth.core.spec import MethodSpec, Metric, Statistic
from halfwidth.core.types import Array, Level
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import resolve_metric, resolve_statistic
from halfwidth.intervals.compute import Computed, intervals
from halfwidth.metrics.building import logistic_statistic
from halfwidth.resampling.designs import Design
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


def pair_of_rows(
    name: str, n: int, methods: Sequence[MethodSpec], made: Sequence[Computed], truth: float
) -> tuple[Row, Row]:
    """Old and new."""
    old, new = (
        measured(name, n, method.name, one.interval.low, one.interval.high, truth)
        for method, one in zip(methods, made, strict=True)
    )
    return old, new


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
                yield pair_of_rows(f"{name}, {q:g} quantile", n, methods, made, truth)


# --------------------------------------------------------------------------- calibration


def calibration(samples: int) -> Iterator[tuple[Row, Row]]:
    """Calibration-in-the-large of independent cases, of slopes that are 1 and that are not."""
    statistic = logistic_statistic(Metric(hw.SAMPLE_METRICS["calibration_in_the_large"]))
    methods = [hw.METHODS["model_wald"], hw.METHODS["model_wald_or_t"]]
    for slope in (0.5, 0.75, 1.0, 1.5):
        for shift, n in ((0.0, 50), (0.0, 200), (0.0, 1000), (-2.0, 200), (-2.0, 1000)):
            generator = np.random.default_rng([n, int(4 * slope), int(-shift)])
            log_odds = generator.normal(0.0, 1.5, (samples, n)) + shift
            y = generator.random((samples, n)) < special.expit(slope * log_odds)
            # The intercept that makes as many expected as there are: of a million log odds.
            grid = stats.norm.ppf((np.arange(10**5) + 0.5) / 10**5, shift, 1.5)
            expected = special.expit(slope * grid).mean()
            truth = optimize.brentq(_expected_less, -9, 9, args=(grid, expected))
            made = intervals(
                np.stack([special.expit(log_odds), y], axis=1).astype(float),
                statistic,
                methods,
                LEVEL,
                plan=Plan(1),
                design=Design((n,), paired=True),
            )
            name = f"slope {slope:g}" + (f", log odds about {shift:g}" if shift else "")
            yield pair_of_rows(name, n, methods, made, float(truth))


def _expected_less(intercept: float, log_odds: Array, share: float) -> float:
    return float(special.expit(intercept + log_odds).mean() - share)


# --------------------------------------------------------------------------- ratios


def ratios(samples: int) -> Iterator[tuple[Row, Row]]:
    """Ratios of the means of two models on the same cases: percentile, and Fieller with t."""
    effect: Effect = "ratio"
    methods = [hw.METHODS["percentile"], hw.METHODS["fieller"]]
    size = 200_000
    generator = np.random.default_rng(7)
    hard, one, other = generator.normal(size=(3, size))
    failing = generator.random((2, size)) < 0.04
    dsc = [
        np.where(failed, 0.1, special.expit(mean + 0.8 * hard + 0.5 * own))
        for failed, mean, own in zip(failing, (2.2, 2.0), (one, other), strict=True)
    ]
    populations = {
        "DSC, 4 % fail": dsc,
        "HD, log-normal": [
            np.exp(1.5 + 0.7 * hard + 0.6 * one),
            np.exp(1.6 + 0.7 * hard + 0.6 * other),
        ],
        "volume error": [np.abs(hard + one) ** 1.5, 1.2 * np.abs(hard + other) ** 1.5],
        "MAE, normal": [np.abs(one + 0.5 * hard), np.abs(other + 0.5 * hard)],
    }
    statistic = difference_functional(
        Functional(resolve_statistic("mean"), resolve_metric("hd95")), effect
    ).statistic
    for name, (first, second) in populations.items():
        truth = float(first.mean() / second.mean())
        for n in (10, 30, 100):
            drawn = generator.integers(0, size, (samples, n))
            made = intervals(
                np.stack([first[drawn], second[drawn]], axis=1),
                statistic,
                methods,
                LEVEL,
                plan=Plan(1, 1999),
                design=Design((n,), paired=True),
            )
            yield pair_of_rows(name, n, methods, made, truth)


# --------------------------------------------------------------------------- the rule

MEASURED: dict[str, Callable[[int], Iterator[tuple[Row, Row]]]] = {
    "quantiles": quantiles,
    "calibration": calibration,
    "ratios": ratios,
}
RULES = (
    ("quantiles of independent cases and runs, from 50 on", "`percentile`", "`exact`"),
    (
        "calibration-in-the-large of independent cases",
        "`model_wald`",
        "`model_wald_or_t`, the wider of both",
    ),
    ("ratios of means on the same cases", "`percentile`, few clusters `bca_expanded`", "`fieller`"),
)


def print_rules() -> None:
    """What the defaults were and are."""
    print("| estimate | auto@1 | auto@2 |\n| --- | --- | --- |")
    for row in RULES:
        print(f"| {' | '.join(row)} |")
