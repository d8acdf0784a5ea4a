"""Old and new defaults of quantiles, averages over classes, ratios and calibration-in-the-large.

    python benchmarks/rule_of_auto.py quantiles | averages | ratios | calibration [--samples 1000]

Each row is a population and a number of cases: coverage of 95 % intervals in %, in brackets how
often the whole interval lies above or below the truth, the width over that of the old default, and
where a difference is estimated, how often it excludes 0 (power). The old default is named, as
``auto@1`` was: the same samples and draws under both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from scipy import optimize, special, stats

import halfwidth as hw
from halfwidth.core.forms import Effect
from halfwidth.core.spec import MethodSpec, Metric, Statistic
from halfwidth.core.types import Array, Level
from halfwidth.estimation import functionals
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.compute import Computed, intervals
from halfwidth.metrics.building import logistic_statistic
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.class_averages import Classes
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.results.estimate import Estimate

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


def print_rows(rows: Iterator[tuple[Row, Row]]) -> None:
    """A line for each population and size: old, new, and the width of the new over the old."""
    print("| population | n | old | new | width, power |\n| --- | --- | --- | --- | --- |")
    for old, new in rows:
        told = [f"{r.coverage:.1f} ({r.above:.1f}/{r.below:.1f})" for r in (old, new)]
        if new.none:
            told[1] += f", none in {new.none:.1f}"
        line = f"| {new.name} | {new.n} | {' | '.join(told)} | × {new.width / old.width:.2f}"
        two = new.name.startswith("two models")
        print(line + (f", {old.power:.0f} → {new.power:.0f} |" if two else " |"), flush=True)


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


# --------------------------------------------------------------------------- averages


@dataclass(frozen=True)
class Decider:
    """A classifier: the shares of the classes, and what each is taken for."""

    shares: tuple[float, ...]
    errors: tuple[float, ...]

    def table(self) -> Array:
        """Of the population: an error falls on any other class alike."""
        classes = len(self.shares)
        off = np.array(self.errors)[:, None] / (classes - 1) * np.ones((classes, classes))
        np.fill_diagonal(off, 1 - np.array(self.errors))
        return np.array(self.shares)[:, None] * off

    def value(self, metric: str, average: str) -> float:
        """Of the population."""
        table = self.table()
        tp, truth, said = np.diag(table), table.sum(axis=1), table.sum(axis=0)
        each = {
            "sensitivity": tp / truth,
            "ppv": tp / said,
            "f1": 2 * tp / (truth + said),
            "specificity": 1 - (said - tp) / (1 - truth),
        }[metric]
        return float(each.mean() if average == "macro" else (each * truth).sum())

    def sample(self, n: int, generator: np.random.Generator, classes: Array | None = None) -> Array:
        """True and predicted classes of n cases, (2, n)."""
        count = len(self.shares)
        truth = generator.choice(count, n, p=self.shares) if classes is None else classes
        wrong = generator.random(n) < np.array(self.errors)[truth]
        shift = generator.integers(1, count, n)
        return np.stack([truth, np.where(wrong, (truth + shift) % count, truth)])


DECIDERS = {
    ".7/.2/.1, errors .02/.5/.9": Decider((0.7, 0.2, 0.1), (0.02, 0.5, 0.9)),
    ".5/.3/.2, errors .1/.2/.3": Decider((0.5, 0.3, 0.2), (0.1, 0.2, 0.3)),
    "five, errors .05 to .4": Decider((0.4, 0.3, 0.15, 0.1, 0.05), (0.05, 0.1, 0.2, 0.3, 0.4)),
}


def averages(samples: int) -> Iterator[tuple[Row, Row]]:
    """Weighted averages over classes, shares known and shares that vary with the cases.

    Old: MOVER of the classes with fixed shares, the interval of today without what shares add. Of
    weighted sensitivity the new one is accuracy's.
    """
    for name, decider in DECIDERS.items():
        for metric in ("sensitivity", "f1", "ppv"):
            for n in (200, 1000):
                yield _of_averages(name, decider, metric, n, samples)
    pair = DECIDERS[".7/.2/.1, errors .02/.5/.9"], Decider((0.7, 0.2, 0.1), (0.08, 0.4, 0.6))
    for metric in ("sensitivity", "f1", "ppv"):
        yield _of_two_averages(pair, metric, 200, samples)


def _ends(made: Iterable[Estimate]) -> tuple[Array, Array]:
    low, high = np.array([(one.low, one.high) for one in made]).T
    return low, high


def _options(*, drawn: bool) -> dict[str, Any]:
    return {"average": "weighted"} | ({"n_resamples": 999, "rng": 1} if drawn else {})


@contextmanager
def fixed_shares() -> Iterator[None]:
    """As auto@1 had it: the shares of the classes are known."""
    with (
        mock.patch.object(Classes, "with_average", lambda _self, replicates, _support: replicates),
        mock.patch.object(functionals, "_is_accuracy", return_value=False),
    ):
        yield


def _of_averages(name: str, decider: Decider, metric: str, n: int, samples: int) -> tuple[Row, Row]:
    generator = np.random.default_rng([n, len(decider.shares)])
    drawn = [decider.sample(n, generator) for _ in range(samples)]
    truth, named = decider.value(metric, "weighted"), f"weighted {metric}, {name}"
    labels, rows = list(range(len(decider.shares))), []
    for rule in (fixed_shares, nullcontext):
        options = _options(drawn=metric != "sensitivity" or rule is fixed_shares)
        with rule():
            made = [
                hw.metric_ci(y, said, metric=metric, labels=labels, **options) for y, said in drawn
            ]
        rows.append(measured(named, n, rule.__name__, *_ends(made), truth))
    return rows[0], rows[1]


def _of_two_averages(
    pair: tuple[Decider, Decider], metric: str, n: int, samples: int
) -> tuple[Row, Row]:
    generator = np.random.default_rng(n)
    truth = pair[0].value(metric, "weighted") - pair[1].value(metric, "weighted")
    drawn = []
    for _ in range(samples):
        y, first = pair[0].sample(n, generator)
        drawn.append((y, first, pair[1].sample(n, generator, y)[1]))
    rows = []
    for rule in (fixed_shares, nullcontext):
        options = _options(drawn=metric != "sensitivity" or rule is fixed_shares)
        with rule():
            made = [
                hw.compare(
                    y,
                    {"A": first, "B": second},
                    metric=metric,
                    test="none",
                    **options,
                )[0].estimate
                for y, first, second in drawn
            ]
        rows.append(
            measured(f"two models, weighted {metric}", n, rule.__name__, *_ends(made), truth)
        )
    return rows[0], rows[1]


# --------------------------------------------------------------------------- absent classes


def absent(samples: int) -> Iterator[tuple[Row, Row]]:
    """Macro averages where a class of 3 % may be lacking: 30 clusters, the class of each cluster.

    Of all samples, and of those that lack it; then of two models, where it is left out: that, and
    what it would be if the class could have any difference.
    """
    for errors in ((0.1, 0.2, 0.5), (0.1, 0.2, 0.9), (0.02, 0.05, 0.1), (0.02, 0.03, 0.9)):
        decider = Decider(SHARES, errors)
        generator = np.random.default_rng([int(100 * one) for one in errors])
        drawn = [_clustered(decider, generator) for _ in range(samples)]
        lacking = np.array([(y == len(errors) - 1).sum() == 0 for y, _, _ in drawn])
        for metric, name in (("sensitivity", "balanced accuracy"), ("f1", "macro F1")):
            made = []
            for rule in (omitted_classes, nullcontext):
                with rule():
                    made.append(_ends(_of_clusters(metric, *one) for one in drawn))
            truth = decider.value(metric, "macro")
            for kind, some in (("all", np.full(samples, True)), ("without it", lacking)):
                old, new = (
                    measured(f"{name}, errors {errors}, {kind}", 30, kind, *ends, truth)
                    for ends in ((low[some], high[some]) for low, high in made)
                )
                yield old, new
    for metric, name in (("sensitivity", "balanced accuracy"), ("f1", "macro F1")):
        for scene, (errors, other) in PAIRS.items():
            for units, clustered in ((30, True), (60, True), (60, False)):
                pair = Decider(SHARES, errors), Decider(SHARES, other)
                kind = f"{name}, {scene}, {'clusters' if clustered else 'cases'}"
                yield from _of_two(metric, kind, pair, units, samples, clustered=clustered)


SHARES = (0.6, 0.37, 0.03)
# Errors of two models: alike; apart in the rare class alone; and there the other way round.
PAIRS = {
    "alike": ((0.1, 0.2, 0.5), (0.1, 0.2, 0.5)),
    "apart in the rare class": ((0.1, 0.2, 0.9), (0.1, 0.2, 0.5)),
    "better, but in the rare class": ((0.02, 0.1, 0.9), (0.15, 0.3, 0.4)),
}


def _of_two(
    metric: str,
    kind: str,
    pair: tuple[Decider, Decider],
    units: int,
    samples: int,
    *,
    clustered: bool,
) -> Iterator[tuple[Row, Row]]:
    """The difference of two models, of all samples and of those that lack the rare class."""
    truth = pair[0].value(metric, "macro") - pair[1].value(metric, "macro")
    generator, ends, lacking = np.random.default_rng(units), [], []
    for _ in range(samples):
        sizes = 1 + generator.poisson(2, units) if clustered else np.ones(units, int)
        groups, shares = np.repeat(np.arange(units), sizes), pair[0].shares
        classes = generator.choice(len(shares), units, p=shares)[groups]
        shared = generator.normal(size=units)[groups]
        models = {}
        for model, decider in zip("AB", pair, strict=True):
            own = generator.normal(size=len(groups))
            wrong = special.ndtr(0.5**0.5 * (shared + own)) < np.array(decider.errors)[classes]
            shift = generator.integers(1, len(shares), len(groups))
            models[model] = np.where(wrong, (classes + shift) % len(shares), classes)
        data = hw.Predictions.from_arrays(
            classes, models, labels=[0, 1, 2], groups=groups if clustered else None
        )
        asked: Any = {"metric": metric, "average": "macro", "test": "none", "n_resamples": 499}
        (made,) = hw.compare(data, rng=1, **asked)
        ends.append((made.low, made.high))
        lacking.append(len(shares) - len(np.unique(classes)))
    low, high = np.array(ends).T
    absent = np.array(lacking) / len(pair[0].shares)
    whole = low + absent * (-1 - low), high + absent * (1 - high)
    for which, some in (("all", np.full(samples, True)), ("without it", absent > 0)):
        told = f"two models, {kind}, {which}"
        yield (
            measured(told, units, "left out", low[some], high[some], truth),
            measured(told, units, "whole range", whole[0][some], whole[1][some], truth),
        )


@contextmanager
def omitted_classes() -> Iterator[None]:
    """As auto@1 had it: the interval is about the classes that are there."""
    averaged = Classes.averaged
    with mock.patch.object(Classes, "averaged", lambda *given: averaged(*given[:3])):
        yield


def _clustered(decider: Decider, generator: np.random.Generator) -> tuple[Any, Any, Any]:
    """True and predicted classes and clusters, of one class each, that share half the variance."""
    sizes, count = 1 + generator.poisson(2, 30), len(decider.shares)
    groups = np.repeat(np.arange(30), sizes)
    truth = generator.choice(count, 30, p=decider.shares)[groups]
    shared, own = generator.normal(size=30)[groups], generator.normal(size=len(groups))
    wrong = special.ndtr(0.5**0.5 * (shared + own)) < np.array(decider.errors)[truth]
    shift = generator.integers(1, count, len(groups))
    return truth, np.where(wrong, (truth + shift) % count, truth), groups


def _of_clusters(metric: str, truth: Array, said: Array, groups: Array) -> Any:
    return hw.metric_ci(
        *(truth, said),
        metric=metric,
        average="macro",
        labels=[0, 1, 2],
        groups=groups,
        n_resamples=499,
        rng=1,
    )


# --------------------------------------------------------------------------- the rule

MEASURED: dict[str, Callable[[int], Iterator[tuple[Row, Row]]]] = {
    "quantiles": quantiles,
    "calibration": calibration,
    "ratios": ratios,
    "averages": averages,
    "absent": absent,
}
RULES = (
    ("quantiles of independent cases and runs, from 50 on", "`percentile`", "`exact`"),
    (
        "calibration-in-the-large of independent cases",
        "`model_wald`",
        "`model_wald_or_t`, the wider of both",
    ),
    ("weighted sensitivity", "`dirichlet`, shares fixed", "as accuracy: `wilson`"),
    (
        "weighted averages over classes",
        "`dirichlet`, shares of classes fixed",
        "`dirichlet`, shares vary with the cases",
    ),
    (
        "macro averages of one model, a class without a case",
        "`dirichlet` of the other classes",
        "`dirichlet`, in which it may have any value",
    ),
    ("ratios of means on the same cases", "`percentile`, few clusters `bca_expanded`", "`fieller`"),
)


def print_rules() -> None:
    """What the defaults were and are."""
    print("| estimate | auto@1 | auto@2 |\n| --- | --- | --- |")
    for row in RULES:
        print(f"| {' | '.join(row)} |")
