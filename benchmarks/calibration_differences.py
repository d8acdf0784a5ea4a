"""How often intervals of the difference of two models' calibration errors hold the true one.

A latent number u = x + e, x and e normal, decides the outcome, u > 0. Each of two models sees x
with noise of its own and some that both share, so that the probability that is right for it is
known in closed form; it says another one, of which the log odds are multiplied and shifted. True
errors are those of two million of its quantiles. Of four classes both models see the true log odds,
and multiply them.

    python benchmarks/calibration_differences.py --metric ece --samples 1000
    python benchmarks/calibration_differences.py --metric ici --samples 200 --cases 100 250
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from scipy import special

from halfwidth.calibration.metrics.bins import bin_of
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import UNIT_INTERVAL, Array, Bounds, Level
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.records import Functional
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.metrics import building
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

SPREAD, NOISE, SHARED = 1.5, 1.0, 0.3
COMMON, RARE = 0.0, -2.6
# The mean of x, and of both models what multiplies the log odds and what is added to them.
PAIRS = {
    "both calibrated": (COMMON, (1, 0), (1, 0)),
    "both calibrated, 9 % positive": (RARE, (1, 0), (1, 0)),
    "calibrated and overconfident": (COMMON, (1, 0), (2, 0)),
    "calibrated and slightly overconfident": (COMMON, (1, 0), (1.4, 0)),
    "calibrated and too high": (COMMON, (1, 0), (1, 0.7)),
    "calibrated and too high, 9 % positive": (RARE, (1, 0), (1, 0.8)),
    "equally overconfident": (COMMON, (2, 0), (2, 0)),
    "overconfident and more so": (COMMON, (1.5, 0), (2.5, 0)),
    "under- and overconfident": (COMMON, (0.6, 0), (1.8, 0)),
    "too high and as much too low": (COMMON, (1, 0.6), (1, -0.6)),
}
# Of four classes what multiplies the log odds of both.
OF_CLASSES = {
    "both calibrated": (1.0, 1.0),
    "calibrated and overconfident": (1.0, 2.0),
    "overconfident and more so": (1.5, 2.5),
}
CLASSES = 4
QUANTILES = 2_000_000
BINS = 10


def right_probability(seen: Array, mean: float) -> Array:
    """Of the outcome, for a model that sees x with noise."""
    share = SPREAD**2 / (SPREAD**2 + NOISE**2)
    left = SPREAD**2 * (1 - share) + 1
    return np.asarray(special.ndtr((mean + share * (seen - mean)) / np.sqrt(left)))


def said(right: Array, change: tuple[float, float]) -> Array:
    """The probability that the model says."""
    return np.asarray(special.expit(change[0] * special.logit(right) + change[1]))


def drawn(pair: str, rng: np.random.Generator, samples: int, n: int) -> Array:
    """Records of both models, (S, 2, 2, n)."""
    mean, *changes = PAIRS[pair]
    x = rng.normal(mean, SPREAD, (samples, n))
    outcome = (x + rng.normal(size=x.shape) > 0).astype(float)
    shared, models = rng.normal(size=x.shape), []
    for change in changes:
        own = rng.normal(size=x.shape)
        seen = x + NOISE * (np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * own)
        models.append(np.stack([said(right_probability(seen, mean), change), outcome], axis=1))
    return np.stack(models, axis=1)


def in_bins(values: Array, p: Array, mass: bool) -> Array:
    """Sums of values over bins, as shares of all."""
    bins = bin_of(p, BINS, float(mass))
    return np.bincount(bins, values, minlength=BINS) / len(p)


def error_of(metric: str, p: Array, right: Array, mass: bool) -> float:
    """The calibration error of a population."""
    if metric == "ici":
        return float(np.abs(p - right).mean())
    gaps = in_bins(p - right, p, mass)
    if metric == "ece":
        return float(np.abs(gaps).sum())
    cases = in_bins(np.ones(len(p)), p, mass)
    return float(np.sqrt((gaps**2 / np.where(cases > 0, cases, 1)).sum()))


def true_error(metric: str, mean: float, change: tuple[float, float], mass: bool) -> float:
    """Of one model of a pair."""
    quantiles = special.ndtri((np.arange(QUANTILES) + 0.5) / QUANTILES)
    right = right_probability(mean + np.hypot(SPREAD, NOISE) * quantiles, mean)
    return error_of(metric, said(right, change), right, mass)


def log_odds_of_classes(rng: np.random.Generator, n: int) -> Array:
    """True ones, (n, C)."""
    return rng.normal(0, SPREAD, (n, CLASSES))


def records_of_classes(
    average: str, rng: np.random.Generator, samples: int, n: int, pair: str
) -> Array:
    """Records of both models: of the top label, or of all classes."""
    log_odds = log_odds_of_classes(rng, samples * n)
    right = special.softmax(log_odds, axis=1)
    truth = (rng.random(len(right))[:, None] > right.cumsum(axis=1)).sum(axis=1)
    models = []
    for scale in OF_CLASSES[pair]:
        p = special.softmax(scale * log_odds, axis=1)
        if average == "top_label":
            rows = np.stack([p.max(axis=1), p.argmax(axis=1) == truth])
        else:
            rows = np.vstack([p.T, truth])
        models.append(rows.reshape(len(rows), samples, n).swapaxes(0, 1))
    return np.stack(models, axis=1).astype(float)


def true_error_of_classes(average: str, scale: float, mass: bool) -> float:
    """The ECE of one model of a pair, from as many cases as there are quantiles."""
    log_odds = log_odds_of_classes(np.random.default_rng(0), QUANTILES)
    right, p = special.softmax(log_odds, axis=1), special.softmax(scale * log_odds, axis=1)
    if average == "top_label":
        top = p.argmax(axis=1)[:, None]
        said_of, right_of = (np.take_along_axis(one, top, 1)[:, 0] for one in (p, right))
        return error_of("ece", said_of, right_of, mass)
    return float(np.mean([error_of("ece", p[:, k], right[:, k], mass) for k in range(CLASSES)]))


def statistic_of(name: str, average: str, mass: bool) -> Statistic:
    """The difference of the metric of two models."""
    spec = SAMPLE_METRICS[name]
    if name == "ici":
        metric = Metric(spec, {"knots": 4.0})
        one = building.logistic_statistic(metric)
    else:
        metric = Metric(spec, {"bins": float(BINS), "binning": float(mass)})
        macro = average == "macro"
        one = building.probability_statistic(
            metric, CLASSES if macro else None, "macro" if macro else ""
        )
    return difference_functional(Functional(one, metric)).statistic


def line(
    pair: str,
    records: Array,
    statistic: Statistic,
    errors: Sequence[float],
    methods: Sequence[str],
    draws: int,
) -> str:
    """A row of the table: how often intervals lay above and below the true difference."""
    true, n = errors[0] - errors[1], records.shape[-1]
    observed = statistic(records)
    made = intervals(
        records,
        statistic,
        [METHODS[name] for name in methods],
        Level(0.95),
        bounds=Bounds(-UNIT_INTERVAL.width, UNIT_INTERVAL.width),
        plan=Plan(1, draws),
        design=Design((n,), paired=True),
    )
    known = np.isfinite(observed)
    cells = [pair, str(n), f"{errors[0]:.3f}, {errors[1]:.3f}", f"{true:.3f}"]
    cells.append(f"{observed[known].mean():.3f}")
    for one in made:
        low, high = one.interval.low[known], one.interval.high[known]
        above, below = 100 * (low > true).mean(), 100 * (high < true).mean()
        away = 100 * ((low > 0) | (high < 0)).mean()
        width = np.nanmean(high - low)
        cells += [f"{100 - above - below:.1f}", f"{above:.1f} / {below:.1f}"]
        cells += [f"{width:.3f}", f"{away:.0f}"]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print a row for each pair and number of cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metric", default="ece", choices=["ece", "ece_l2", "ici"])
    parser.add_argument("--average", default="", choices=["", "macro", "top_label"])
    parser.add_argument("--mass", action="store_true", help="bins of equal mass")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--cases", type=int, nargs="+", default=[50, 100, 200, 1000])
    parser.add_argument("--draws", type=int, default=499)
    parser.add_argument("--pairs", nargs="+", help="some of the pairs of models, by name")
    parser.add_argument("--methods", nargs="+", default=["joint_inversion", "bca"])
    given = parser.parse_args()
    print("| models | n | true errors | true difference | mean difference |", end="")
    for name in given.methods:
        print(f" {name}: covered | above / below | width | excludes 0 |", end="")
    print("\n" + "|---" * (5 + 4 * len(given.methods)) + "|")
    statistic = statistic_of(given.metric, given.average, given.mass)
    for pair in given.pairs or (OF_CLASSES if given.average else PAIRS):
        if given.average:
            scales = OF_CLASSES[pair]
            errors = [true_error_of_classes(given.average, one, given.mass) for one in scales]
        else:
            mean, *changes = PAIRS[pair]
            errors = [true_error(given.metric, mean, one, given.mass) for one in changes]
        for n in given.cases:
            rng = np.random.default_rng([n, len(pair)])
            if given.average:
                records = records_of_classes(given.average, rng, given.samples, n, pair)
            else:
                records = drawn(pair, rng, given.samples, n)
            row = line(pair, records, statistic, errors, given.methods, given.draws)
            print(row, flush=True)


if __name__ == "__main__":
    main()
