"""Coverage of differences between proportions, and between samples: the evidence of decision 0049.

    python benchmarks/proportion_differences.py paired
    python benchmarks/proportion_differences.py ratios
    python benchmarks/proportion_differences.py unpaired
    python benchmarks/proportion_differences.py clusters
    python benchmarks/proportion_differences.py means ../shared/data/touchstone [samples]

The first three add up the exact probabilities of all tables: nothing is simulated. ``clusters``
draws tables of correlated cases, ``means`` samples of real DSC values of two models.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import special

from halfwidth.core.forms import Effect
from halfwidth.core.metric_spec import PROPORTION
from halfwidth.core.spec import Statistic
from halfwidth.core.types import UNIT_INTERVAL, Bounds, Interval, Level
from halfwidth.estimation.differences import difference_functional, paired_records
from halfwidth.estimation.functionals import share_functional
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import Request, resolve_request
from halfwidth.estimation.unpaired import estimate_unpaired
from halfwidth.intervals import (
    agresti_coull,
    jeffreys,
    mover,
    newcombe_paired,
    newcombe_unpaired,
    tango,
    wald,
    welch,
    wilson,
)
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates
from halfwidth.summaries.all_statistics import STATISTICS
from halfwidth.tables.layout import layout_of, slices
from halfwidth.tables.readers import read_table

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
LEVEL = Level()
SIZES = (10, 25, 50, 100)
SHARES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
CORRELATIONS = (0.0, 0.4, 0.8)
# Bounds that are equal to the truth but for rounding cover it.
ROUNDING = 1e-9


def summary(name: str, coverage: Array, above: Array, width: Array) -> str:
    """Coverage over all that may be true, and how often the truth lies above the interval."""
    low, middle, least = np.quantile(coverage, 0.25), np.median(coverage), coverage.min()
    return (
        f"{name:18}{100 * middle:9.1f}{100 * low:9.1f}{100 * least:9.1f}"
        f"{100 * np.quantile(above, 0.75):9.1f}{100 * above.max():9.1f}{np.median(width):9.3f}"
    )


COLUMNS = ("median", "first q.", "least", "above q3", "most", "width")
HEAD = f"{'method':18}" + "".join(f"{column:>9}" for column in COLUMNS)


def outcome(
    made: Interval, probability: Array, truth: Array, most: float = 1.0
) -> tuple[Array, Array, Array]:
    """Exact coverage, share with the truth above, and mean width, for each truth (T,)."""
    low, high = np.clip(made.low, -most, most), np.clip(made.high, -most, most)
    inside = (low <= truth[:, None] + ROUNDING) & (truth[:, None] <= high + ROUNDING)
    above = truth[:, None] > high + ROUNDING
    return (
        (probability * inside).sum(axis=-1),
        (probability * above).sum(axis=-1),
        probability @ (high - low),
    )


# --------------------------------------------------------------------------- pairs


def tables(n: int) -> Array:
    """All tables of n pairs: both, first only, second only, neither."""
    cells = np.array(
        [(a, b, c) for a, b, c in itertools.product(range(n + 1), repeat=3) if a + b + c <= n]
    )
    return np.column_stack([cells, n - cells.sum(axis=1)]).astype(float)


def cell_shares() -> Array:
    """Probabilities of the four kinds of pairs, for each pair of proportions and correlation."""
    found = []
    for p, q in itertools.product(SHARES, repeat=2):
        for correlation in CORRELATIONS:
            both = p * q + correlation * np.sqrt(p * (1 - p) * q * (1 - q))
            cells = np.array([both, p - both, q - both, 1 - p - q + both])
            if (cells >= -1e-12).all():
                found.append(np.maximum(cells, 0.0))
    return np.unique(np.round(found, 12), axis=0)


def table_probability(counts: Array, shares: Array) -> Array:
    """Multinomial, (T, tables)."""
    n = counts[0].sum()
    choose = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(axis=-1)
    logs = choose + sum(special.xlogy(counts[:, k], shares[:, k, None]) for k in range(4))
    return np.asarray(np.exp(logs))


def of_differences(name: str, counts: Array, n: int) -> Interval:
    """A method for the mean of the differences of pairs: 1, 0 or -1."""
    kinds, place = np.unique(counts[:, 1:3].astype(int), axis=0, return_inverse=True)
    values = np.zeros((len(kinds), n))
    for row, (first, second) in zip(values, kinds, strict=True):
        row[n - first :], row[:second] = 1.0, -1.0
    spec = replace(STATISTICS["mean"], name="mean_difference", pair_bounds=UNIT_INTERVAL)
    (made,) = intervals(
        values,
        Statistic(spec),
        [METHODS[name]],
        LEVEL,
        bounds=Bounds(-1, 1),
        plan=Plan(1, convolves=True),
        errors=False,
    )
    low, high = made.interval.low.copy(), made.interval.high.copy()
    # Without a disagreement some give no interval, which covers no truth but none.
    low, high = np.nan_to_num(low), np.nan_to_num(high)
    return Interval.of(low[place.ravel()], high[place.ravel()])


PAIRED: dict[str, Callable[[Array], Interval]] = {
    "newcombe_paired": lambda counts: newcombe_paired(counts, "difference", LEVEL),
    "tango": lambda counts: tango(counts, LEVEL),
}


def bonett_price(counts: Array) -> Interval:
    """Their hybrid of Wilson intervals of the pairs with a success (2006, Biometrical Journal)."""
    both, first, second, _ = counts.T
    pairs, one, other = both + first + second, both + first, both + second
    spread = np.sqrt((first + second + 2) / ((one + 1) * (other + 1)))
    shares = (np.sqrt((1 - (x + 1) / (pairs + 2)) / (x + 1)) for x in (one, other))
    z = -special.ndtri(LEVEL.tail) * spread / sum(shares)
    (low, high), (other_low, other_high) = (_wilson(x, pairs, z) for x in (one, other))
    return Interval.of(low / other_high, high / other_low)


def _wilson(successes: Array, n: Array, z: Array) -> tuple[Array, Array]:
    share, middle = successes / n, (successes + z**2 / 2) / (n + z**2)
    reach = z * np.sqrt(n) / (n + z**2) * np.sqrt(share * (1 - share) + z**2 / (4 * n))
    return middle - reach, middle + reach


def wald_of_logarithm(counts: Array) -> Interval:
    """The delta method's."""
    both, first, second, _ = counts.T
    one, other = both + first, both + second
    reach = -special.ndtri(LEVEL.tail) * np.sqrt((first + second) / (one * other))
    return Interval.of(one / other * np.exp(-reach), one / other * np.exp(reach))


RATIOS: dict[str, Callable[[Array], Interval]] = {
    "newcombe_paired": lambda counts: newcombe_paired(counts, "ratio", LEVEL),
    "bonett_price": bonett_price,
    "wald of logarithm": wald_of_logarithm,
}


def ratios() -> None:
    """The ratio of two proportions of the same cases; widths are of its logarithm."""
    shares = cell_shares()
    truth = np.log((shares[:, 0] + shares[:, 1]) / (shares[:, 0] + shares[:, 2]))
    for n in SIZES:
        counts = tables(n)
        counts = counts[(counts[:, :2].sum(axis=1) > 0) & (counts[:, :3:2].sum(axis=1) > 0)]
        probability = table_probability(counts, shares)
        probability /= probability.sum(axis=1, keepdims=True)
        print(f"\nn = {n}: {len(shares)} truths, {len(counts)} tables\n{HEAD}")
        for name, method in RATIOS.items():
            with np.errstate(invalid="ignore", divide="ignore"):
                made = method(counts)
                logarithms = Interval.of(np.log(made.low), np.log(made.high))
            found = outcome(logarithms, probability, truth, most=np.log(1000.0))
            print(summary(name, *found), flush=True)


def paired() -> None:
    """Two proportions of the same cases."""
    shares = cell_shares()
    for n in SIZES:
        counts = tables(n)
        probability = table_probability(counts, shares)
        truth = shares[:, 1] - shares[:, 2]
        print(f"\nn = {n}: {len(shares)} truths, {len(counts)} tables\n{HEAD}")
        for name in ("newcombe_paired", "tango", "dirichlet", "t", "percentile"):
            made = PAIRED[name](counts) if name in PAIRED else of_differences(name, counts, n)
            print(summary(name, *outcome(made, probability, truth)), flush=True)


# --------------------------------------------------------------------------- two samples


def put_together(
    of_one: Callable[..., Interval], effect: Effect = "difference"
) -> Callable[[Array, Array], Interval]:
    """MOVER of the intervals of two proportions."""

    def of_both(successes: Array, n: Array) -> Interval:
        first, second = (of_one(x, k, LEVEL) for x, k in zip(successes, n, strict=True))
        return mover(successes / n, (first, second), effect, LEVEL)

    return of_both


def welch_of_counts(successes: Array, n: Array) -> Interval:
    """Welch's interval of 0 and 1."""
    share = successes / n
    errors = np.sqrt(share * (1 - share) / (n - 1))
    return welch(share, errors, np.broadcast_to(n - 1, share.shape), LEVEL)


def agresti_caffo(successes: Array, n: Array) -> Interval:
    """Wald's with a success and a failure more in either sample."""
    share = (successes + 1) / (n + 2)
    reach = -special.ndtri(LEVEL.tail) * np.sqrt((share * (1 - share) / (n + 2)).sum(axis=0))
    return Interval.of(share[0] - share[1] - reach, share[0] - share[1] + reach)


UNPAIRED: dict[str, Callable[[Array, Array], Interval]] = {
    "newcombe_unpaired": lambda x, n: newcombe_unpaired(x, n, LEVEL),
    "mover:jeffreys": put_together(jeffreys),
    "mover:agresti_coull": put_together(agresti_coull),
    "agresti_caffo": agresti_caffo,
    "welch": welch_of_counts,
    "mover:wald": put_together(wald),
}


def katz(successes: Array, n: Array) -> Interval:
    """The delta method's of the logarithm of a ratio."""
    share = successes / n
    reach = -special.ndtri(LEVEL.tail) * np.sqrt((1 / successes - 1 / n).sum(axis=0))
    return Interval.of(share[0] / share[1] * np.exp(-reach), share[0] / share[1] * np.exp(reach))


UNPAIRED_RATIOS: dict[str, Callable[[Array, Array], Interval]] = {
    "mover:wilson": put_together(wilson, "ratio"),
    "mover:jeffreys": put_together(jeffreys, "ratio"),
    "wald of logarithm": katz,
}


def binomials(n: int, shares: Array) -> Array:
    """Probabilities of 0 to n successes, (T, n + 1)."""
    x = np.arange(n + 1)
    choose = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    return np.exp(
        choose + special.xlogy(x, shares[:, None]) + special.xlog1py(n - x, -shares[:, None])
    )


def unpaired() -> None:
    """Two proportions of different cases, equally many and twice as many."""
    for n, m in itertools.chain.from_iterable(((k, k), (k, 2 * k)) for k in SIZES):
        p, q = np.array(list(itertools.product(SHARES, repeat=2))).T
        x, y = (grid.ravel().astype(float) for grid in np.meshgrid(range(n + 1), range(m + 1)))
        joint = binomials(m, q)[:, :, None] * binomials(n, p)[:, None, :]
        probability = joint.reshape(len(p), -1)
        print(f"\nn = {n} and {m}: {len(p)} truths\n{HEAD}")
        for name, method in UNPAIRED.items():
            made = method(np.stack([x, y]), np.array([[float(n)], [float(m)]]))
            print(summary(name, *outcome(made, probability, p - q)), flush=True)
        print("ratios, widths of the logarithm")
        some = (x > 0) & (y > 0)
        given = probability[:, some] / probability[:, some].sum(axis=1, keepdims=True)
        for name, method in UNPAIRED_RATIOS.items():
            made = method(np.stack([x, y])[:, some], np.array([[float(n)], [float(m)]]))
            with np.errstate(divide="ignore"):
                logarithms = Interval.of(np.log(made.low), np.log(made.high))
            found = outcome(logarithms, given, np.log(p / q), most=np.log(1000.0))
            print(summary(name, *found), flush=True)


# --------------------------------------------------------------------------- clusters


def correlated(draws: np.random.Generator, sizes: Codes, shares: Array, alike: float) -> Array:
    """0/1 values of two models for cases of clusters, (2, n): cases copy one of their cluster."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    own = draws.choice(4, size=len(groups), p=shares)
    common = draws.choice(4, size=len(sizes), p=shares)[groups]
    kind = np.where(draws.random(len(groups)) < np.sqrt(alike), common, own)
    return np.array([np.isin(kind, (0, 1)), np.isin(kind, (0, 2))], dtype=float)


def clusters(samples: int = 1000) -> None:
    """Paired and unpaired proportions of clustered cases, by what ``auto`` takes and by t."""
    functional = share_functional(resolve_metric(PROPORTION, None))
    draws = np.random.default_rng(3)
    names = ("newcombe_paired", "tango", "t", "unpaired auto")
    print(f"{'clusters':>9}{'alike':>7}{'truth':>7}" + "".join(f"{name:>17}" for name in names))
    for n_clusters, alike, shares in itertools.product(
        (10, 20, 50), (0.0, 0.3, 0.8), ((0.80, 0.10, 0.04, 0.06), (0.6, 0.1, 0.1, 0.2))
    ):
        sizes = np.resize([1, 2, 3, 6], n_clusters)
        groups = np.repeat(np.arange(n_clusters), sizes)
        truth, covered = shares[1] - shares[2], dict.fromkeys(names, 0)
        jobs, unpaired_jobs = [], []
        for _ in range(samples):
            one, other = (correlated(draws, sizes, np.array(shares), alike) for _ in range(2))
            jobs.append(_paired_job(functional, one, groups))
            unpaired_jobs.append(tuple(_job(functional, v, groups) for v in (one[0], other[1])))
        for name in names[:3]:
            for e in estimate_jobs(jobs, _request(name)):
                covered[name] += e.low <= truth + ROUNDING and truth <= e.high + ROUNDING
        for first, second in unpaired_jobs:
            e = estimate_unpaired(first, second, _request("auto"))
            covered[names[3]] += e.low <= truth + ROUNDING and truth <= e.high + ROUNDING
        print(
            f"{n_clusters:9}{alike:7}{truth:7.2f}"
            + "".join(f"{100 * covered[name] / samples:17.1f}" for name in names),
            flush=True,
        )


def _request(method: str) -> Request:
    return resolve_request(
        method=method,
        confidence_level=0.95,
        alternative="two-sided",
        n_resamples=None,
        rng=1,
        missing="raise",
        penalty=None,
    )


def _job(functional: Functional, values: Array, groups: Codes | None) -> Job:
    in_order, design = arrange(values, groups)
    count = None if groups is None else len(set(groups.tolist()))
    records = Records(in_order, design, len(values), values=np.sort(values), n_groups=count)
    return Job(functional, records)


def _paired_job(functional: Functional, pair: Array, groups: Codes | None) -> Job:
    identities = np.arange(pair.shape[-1])
    sides = []
    for values in pair:
        in_order, design = arrange(values, groups, identities=identities)
        sides.append(Records(in_order, design, len(values), n_groups=design.units))
    of_pairs = difference_functional(functional)
    return Job(of_pairs, paired_records(sides[0], sides[1], of_pairs))


# --------------------------------------------------------------------------- means


def columns(folder: Path) -> Iterator[tuple[str, Array]]:
    """DSC of every model and organ."""
    for file in sorted(folder.glob("*_dsc.csv")):
        table = read_table(file)
        for part in slices(table, layout_of(table)):
            values = np.asarray(part.values, dtype=float)
            values = values[np.isfinite(values)]
            if len(values) >= 50:
                yield part.label, values


def means(folder: Path, samples: int) -> None:
    """Differences in the mean between two models on different cases."""
    by_organ: dict[str, list[Array]] = {}
    for label, values in columns(folder):
        by_organ.setdefault(label, []).append(values)
    pairs = [
        (group[i], group[(i + 1) % len(group)])
        for group in by_organ.values()
        if len(group) > 1
        for i in range(0, len(group), 3)
    ]
    for n in SIZES:
        print(f"\nn = {n} and {n}: {len(pairs)} pairs of models\n{HEAD}")
        rows: dict[str, list[tuple[float, float, float]]] = {}
        for place, pair in enumerate(pairs):
            draws, truth = np.random.default_rng(place), float(pair[0].mean() - pair[1].mean())
            drawn = [draws.choice(values, (samples, n)) for values in pair]
            for name, made in _of_samples(drawn, n):
                low, high = np.clip(made.low, -1, 1), np.clip(made.high, -1, 1)
                inside = ((low <= truth) & (truth <= high)).mean()
                rows.setdefault(name, []).append(
                    (inside, (truth > high).mean(), (high - low).mean())
                )
        for name, found in rows.items():
            print(summary(name, *np.array(found).T), flush=True)


def _of_samples(drawn: list[Array], n: int) -> Iterator[tuple[str, Interval]]:
    """Intervals of the difference between two means, for batches of samples (S, n)."""
    mean, plans = Statistic(STATISTICS["mean"]), (Plan(1, 999), Plan(2, 999))
    estimates = np.stack([values.mean(axis=-1) for values in drawn])
    for name in ("dirichlet", "hall", "t"):
        first, second = (
            intervals(
                values, mean, [METHODS[name]], LEVEL, bounds=UNIT_INTERVAL, plan=plan, errors=False
            )[0].interval
            for values, plan in zip(drawn, plans, strict=True)
        )
        yield f"mover:{name}", mover(estimates, (first, second), "difference", LEVEL)
    errors = np.stack([values.std(axis=-1, ddof=1) / np.sqrt(n) for values in drawn])
    yield "welch", welch(estimates, errors, np.full_like(errors, n - 1.0), LEVEL)
    one, other = (
        replicates(values, Design.iid(n), mean, plan)
        for values, plan in zip(drawn, plans, strict=True)
    )
    yield "percentile", Interval.of(*np.quantile(one - other, (0.025, 0.975), axis=-1))


def main() -> None:
    """As the first argument says."""
    match sys.argv[1:]:
        case ["paired"]:
            paired()
        case ["ratios"]:
            ratios()
        case ["unpaired"]:
            unpaired()
        case ["clusters", *rest]:
            clusters(*(int(count) for count in rest))
        case ["means", folder, *rest]:
            means(Path(folder), int(rest[0]) if rest else 200)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
