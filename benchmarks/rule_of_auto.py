"""The frontier behind the rule of ``auto``: pseudo-cases by law and place, coverage, width, power.

    python benchmarks/rule_of_auto.py means [--samples 250] [--every 12] [--sizes 10,20,40,100]
    python benchmarks/rule_of_auto.py pairs | sds | clusters | strata [...]
    python benchmarks/rule_of_auto.py quantiles | averages | ratios | calibration | absent | table
    python benchmarks/rule_of_auto.py unpaired | spreads | detectors [...]

Each takes at most some ten minutes with the numbers of samples that it has by itself (`SAMPLES`);
the first line says how many, and the standard error of a coverage of 95 %.

*means*: intervals of the mean on models and organs of ``../shared/data`` that fail now and then
(*real*; *hard* is the half of them that t covers least), on the same without the cases below half
the median (*cut*), on tasks of SegVal, on six small SDs (.01 to .1), and with 1, 2 and 5 % of
failures planted, at the bound and halfway (*planted*); then of means without bounds. *strata*: of
means within them (`rules_without_bounds`). *pairs*: differences of two models on the same cases,
and power where that of t is .80. *sds*: of the SD, with bounds and without. *clusters*: of the
library alone, few clusters; and of two models. *unpaired*, *spreads* (SDs of two models) and
*detectors*: `rule_of_comparisons`.

Laws are simulated as they are defined, with draws shared by the samples of a batch; the row
``auto`` is what the library makes of the same samples. A row has the coverage of 95 % intervals in
% (median [first quartile] lowest of the instances), the width over that of t (of SDs: percentile),
and how often the worse end misses (median/ninth decile). What each row falls short of in the
criterion of decision 0072 (of means: that of 0090) stands beside it.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rule_of_comparisons as compared
import rules_without_bounds as free
from rule_of_test_sets import MEASURED, print_rows, print_rules
from scipy import optimize, special, stats

from halfwidth.core.types import UNIT_INTERVAL, Array, Bounds, Level
from halfwidth.estimation.batches import automatic_intervals
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LEVEL = Level(0.95)
DRAWS, BATCH, CASES = 1999, 250, 20_000
LEVELS = (np.arange(CASES) + 0.5) / CASES
Ends = tuple[Array, Array]


@dataclass(frozen=True)
class Law:
    """A pseudo-case of a mass, at mean - distance · U^(-1/shape), and the quantile z taken.

    ``z``: 1 the expanded one, √(n/(n - 1)) t; 0 the normal one; .5 midway. On the side that is
    shorter the shape is times (longer / shorter)^``power``, at most ``cap``. ``later``: the mass
    that takes the place of the first one as n grows, by 10/n. ``even``: of an SD, how much larger
    the shape is where cases lie as far out on both sides; times (shorter / longer)^4.
    """

    mass: float
    shape: float
    z: float = 1.0
    power: float = 0.0
    cap: float = 15.0
    later: float | None = None
    even: float = 0.0

    def __str__(self) -> str:
        words = {1.0: "", 0.5: ", z midway", 0.0: ", z normal"}[self.z]
        mass = f"{self.mass:g}" + ("" if self.later is None else f" to {self.later:g}")
        sharper = f", power {self.power:g} to {self.cap:g}" if self.power else ""
        sharper += f", up to {self.even:g} more" if self.even else ""
        return f"{mass}, {self.shape:g}{sharper}{words}"

    def mass_of(self, n: int) -> float:
        """Of the pseudo-case beside n cases."""
        if self.later is None:
            return self.mass
        return self.later + (self.mass - self.later) * min(10 / n, 1.0)

    def shapes(self, own: Array, other: Array) -> Array | float:
        """Of a side with this distance, (S, 1), beside one with the other."""
        if not self.power:
            return self.shape
        with np.errstate(divide="ignore"):
            return np.minimum(self.shape * np.maximum(other / own, 1) ** self.power, self.cap)


def sharper(power: float, cap: float = 15.0, mass: float = 0.5, later: float | None = None) -> Law:
    """The law of 0072 with a sharper tail on the shorter side."""
    return Law(mass, 1.5, power=power, cap=cap, later=later)


MEANS = (
    *(Law(0.5, 1.5), Law(0.35, 1.5), Law(0.5, 2)),
    *(sharper(1), sharper(2), sharper(3), sharper(4), sharper(6)),
    *(sharper(2, 5), sharper(4, 3), sharper(4, 5), sharper(4, 30)),
    *(sharper(4, mass=0.6), sharper(4, mass=0.4), sharper(4, mass=0.35), sharper(2, mass=0.4)),
    *(sharper(4, mass=0.6, later=0.4), sharper(4, mass=0.5, later=0.3)),
    *(sharper(2, mass=0.5, later=0.3), Law(0.5, 1.75, power=4, cap=15), Law(0.75, 2, power=4)),
)
PAIRS = (
    *(Law(0.25, 2, 0.5), Law(0.25, 2), Law(0.25, 3), Law(0.35, 3)),
    *(Law(0.5, 3), Law(0.5, 4), Law(0.5, 5), Law(0.5, 7)),
)
SDS = (
    *(Law(0.5, 1.5), Law(0.5, 2), Law(1, 2), Law(1, 2.2), Law(1, 2.5)),
    *(Law(1.25, 2.25), Law(1.5, 2.4), Law(1.5, 3), Law(2, 2.6)),
    *(Law(1.5, 2.4, even=2), Law(1.5, 2.4, even=5), Law(1.5, 2.2, even=3), Law(1.5, 2.2, even=6)),
    *(Law(1, 2, even=3), Law(1, 2.2, even=4)),
)
# The most that the widest kind may have, by n, over t.
WIDEST = {10: 2.9, 20: 2.1, 40: 1.8, 100: 1.5}


@dataclass(frozen=True)
class Instance:
    """A population of equally likely values; ``powered``: shifted to where t finds it by 80 %."""

    kind: str
    name: str
    values: Array
    powered: bool = False


# --------------------------------------------------------------------------- instances


def tables() -> dict[tuple[str, str, str], dict[str, float]]:
    """Values by model, metric and organ of Touchstone, by case."""
    found = {}
    for file in sorted((DATA / "touchstone").glob("*.csv")):
        model, _, metric = file.stem.rpartition("_")
        with file.open(newline="") as lines:
            header, *rows = csv.reader(lines)
        for place, organ in enumerate(header[1:], 1):
            found[model, metric, organ] = {
                row[0]: min(max(float(row[place]), 0.0), 1.0) for row in rows if row[place]
            }
    return {key: cases for key, cases in found.items() if len(cases) >= 100}


def segval(task: str) -> Array:
    """The DSC of a task."""
    with (DATA / "segval" / f"{task}_3d_dsc.csv").open(newline="") as lines:
        return np.array([float(row["metric"]) / 100 for row in csv.DictReader(lines)])


def beta(mean: float, sd: float) -> Array:
    """A beta distribution."""
    total = mean * (1 - mean) / sd**2 - 1
    return np.asarray(stats.beta(mean * total, (1 - mean) * total).ppf(LEVELS))


def planted(values: Array, share: float, at: float) -> Array:
    """The same, of which a share fails with one value."""
    failures = round(share * CASES)
    return np.concatenate([np.full(failures, at), np.resize(values, CASES - failures)])


def of_cases(every: int) -> Iterator[Instance]:
    """Populations of values of one model."""
    known = tables()
    for kind, keys in (("real", list(known)[::every]), ("cut", list(known)[every // 3 :: every])):
        for key in keys:
            values = np.array(list(known[key].values()))
            kept = values > np.median(values) / 2 if kind == "cut" else slice(None)
            yield Instance(kind, " ".join(key), values[kept])
    hippocampi, tumours = segval("hippocampus"), segval("braintumor")
    steady = tumours[tumours > np.median(tumours) / 2]
    for name, values in (
        ("hippocampi", hippocampi),
        ("hippocampi, IoU", hippocampi / (2 - hippocampi)),
        ("tumours", tumours),
        ("tumours above half the median", steady),
    ):
        yield Instance("SegVal", name, values)
    for mean, sd in ((0.95, 0.01), (0.85, 0.03)):
        yield Instance("small SD", f"beta {mean} {sd}", beta(mean, sd))
    for mean, sd in ((0.9, 0.01), (0.9, 0.03), (0.85, 0.05), (0.8, 0.1)):
        normal = np.clip(stats.norm(mean, sd).ppf(LEVELS), 0, 1)
        yield Instance("small SD", f"normal {mean} {sd}", normal)
    for place, values in enumerate((hippocampi, beta(0.85, 0.08), beta(0.9, 0.03), steady)):
        for share in (0.01, 0.02, 0.05):
            for at in (0.0, values.mean() / 2):
                yield Instance("planted", f"{place} {share} {at}", planted(values, share, at))


def models_on_organs(first: int, every: int) -> Iterator[tuple[str, Array]]:
    """Two models on the cases of an organ, (2, cases)."""
    known = tables()
    keys = list(known)
    pairs = [(a, b) for at, a in enumerate(keys) for b in keys[at + 1 :] if a[1:] == b[1:]]
    for a, b in pairs[first::every]:
        cases = [case for case in known[a] if case in known[b]]
        yield f"{a} {b}", np.array([[known[one][case] for case in cases] for one in (a, b)])


def of_pairs(every: int) -> Iterator[Instance]:
    """Populations of differences of two models on the same cases."""
    for kind, first in (("real", 0), ("cut", every // 3)):
        for name, both in models_on_organs(first, every):
            good = (both > np.median(both, axis=1, keepdims=True) / 2).all(axis=0)
            kept = both[:, good] if kind == "cut" else both
            yield Instance(kind, name, kept[0] - kept[1])
    normal = 0.03 * stats.norm.ppf(LEVELS)
    yield Instance("normal", "SD .03", normal, powered=True)
    heavy = 0.03 * stats.t(5).ppf(LEVELS) / np.sqrt(5 / 3)
    yield Instance("t5", "SD .03", heavy, powered=True)
    shuffled = np.random.default_rng(1).permutation(normal)
    for share in (0.01, 0.02, 0.05):
        yield Instance("one fails", f"{share}", planted(shuffled, share, -0.85))


# --------------------------------------------------------------------------- rules


def expanded(n: int, z: float) -> tuple[float, float]:
    """The tail that a law takes its quantile at, and how much further the end then lies."""

    def reach(n: int) -> float:
        return float(np.sqrt(n / (n - 1)) * stats.t.isf(LEVEL.tail, n - 1))

    normal, least = float(stats.norm.isf(LEVEL.tail)), reach(max(n, 10))
    return float(stats.norm.sf(normal + z * (least - normal))), reach(n) / least


def low_quantile(rows: Array, tail: float) -> Array:
    """Type-7 quantile of each row."""
    place = tail * (rows.shape[1] - 1)
    first = int(place)
    found = np.partition(rows, (first, first + 1), axis=1)
    return np.asarray(found[:, first] + (place - first) * (found[:, first + 1] - found[:, first]))


@dataclass(frozen=True)
class Batch:
    """Samples about their means, and what they have in common: weights of cases and draws."""

    values: Array
    bounds: Bounds
    generator: np.random.Generator

    def __post_init__(self) -> None:
        draws, n = DRAWS, self.values.shape[1]
        weights = self.generator.standard_exponential((draws, n))
        mean = self.values.mean(axis=1)
        fields = {
            "mean": mean,
            "off": self.values - mean[:, None],
            "total": weights.sum(axis=1),
            "sums": (self.values - mean[:, None]) @ weights.T,
            "squares": (self.values - mean[:, None]) ** 2 @ weights.T,
            "levels": self.generator.random((draws, 2)),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    mean: Array = None  # type: ignore[assignment]
    off: Array = None  # type: ignore[assignment]
    total: Array = None  # type: ignore[assignment]
    sums: Array = None  # type: ignore[assignment]
    squares: Array = None  # type: ignore[assignment]
    levels: Array = None  # type: ignore[assignment]

    @property
    def room(self) -> Ends:
        """From the means to the bounds."""
        return self.mean - self.bounds.low, self.bounds.high - self.mean

    def weight(self, mass: float) -> Array:
        """Of the pseudo-case in each draw."""
        return np.asarray(special.gammaincinv(mass, self.levels[:, 0]))

    def ends(self, distances: Ends, law: Law) -> Ends:
        """Of the mean, with a pseudo-case as far out as the law says."""
        tail, factor = expanded(self.values.shape[1], law.z)
        added = self.weight(law.mass_of(self.values.shape[1]))
        own, reached = np.stack(distances)[..., None], []
        for sign, distance, other, room in zip((1, -1), own, own[::-1], self.room, strict=True):
            far = self.levels[:, 1] ** (-1 / law.shapes(distance, other))
            place = np.minimum(distance * far, room[:, None])
            rows = (sign * self.sums - added * place) / (self.total + added)
            reached.append(np.minimum(np.maximum(-factor * low_quantile(rows, tail), 0), room))
        return self.mean - reached[0], self.mean + reached[1]

    def at(self, places: tuple[Callable[[Array], Array], ...], mass: float) -> Ends:
        """Of the mean, at plain levels, with a pseudo-case as far out as functions of U say."""
        added, reached = self.weight(mass), []
        for sign, place in zip((1, -1), places, strict=True):
            rows = (sign * self.sums - added * place(self.levels[:, 1])) / (self.total + added)
            reached.append(np.maximum(-low_quantile(rows, LEVEL.tail), 0))
        return self.mean - reached[0], self.mean + reached[1]


def t_ends(values: Array) -> Ends:
    """Student's t."""
    n = values.shape[1]
    mean, sd = values.mean(axis=1), values.std(axis=1, ddof=1)
    half = stats.t.isf(LEVEL.tail, n - 1) * sd / np.sqrt(n)
    return mean - half, mean + half


def both_bounds(batch: Batch) -> Ends:
    """Half a case at both bounds for both ends: the former `dirichlet`."""
    below, above = special.gammaincinv(0.5, batch.levels).T
    low, high = batch.room
    total = batch.total + below + above
    rows = (batch.sums - below * low[:, None] + above * high[:, None]) / total
    return (
        batch.mean + np.minimum(low_quantile(rows, LEVEL.tail), 0),
        batch.mean + np.maximum(-low_quantile(-rows, LEVEL.tail), 0),
    )


def empirical_likelihood(values: Array) -> Ends:
    """Owen's, with t² in place of χ²; always within the values."""
    n = values.shape[1]
    limit = stats.t.isf(LEVEL.tail, n - 1) ** 2

    def ratio(row: Array, theta: float) -> float:
        off = row - theta
        least, most = (1 / n - 1) / off.max(), (1 / n - 1) / off.min()
        root = optimize.brentq(lambda x: (off / (1 + x * off)).sum(), least, most)
        return float(2 * np.log1p(root * off).sum() - limit)

    ends = []
    for row in values:
        mean, edge = row.mean(), 1e-9 * np.ptp(row)
        outer = row.min() + edge, row.max() - edge
        ends.append(
            [
                optimize.brentq(lambda x, row=row: ratio(row, x), *sorted((one, mean)))
                for one in outer
            ]
            if edge
            else [mean, mean]
        )
    low, high = np.array(ends).T
    return low, high


def automatic(values: Array, statistic: str, seed: int, *, paired: bool = False) -> Ends:
    """What the library makes of the samples."""
    functional = Functional(resolve_statistic(statistic), resolve_metric("dsc"))
    functional = difference_functional(functional) if paired else functional
    design, plan = Design.iid(values.shape[1]), Plan(seed, 999, kept={})
    ends = np.empty((2, len(values)))
    for group in automatic_intervals(functional, values, LEVEL, design=design, plan=plan):
        interval = group.computed.interval
        ends[:, group.rows] = interval.low, interval.high
    return ends[0], ends[1]


def rules_of_means(values: Array, seed: int, *, rivals: bool) -> dict[str, Ends]:
    """Intervals of means by all rules."""
    batch = Batch(values, UNIT_INTERVAL, np.random.default_rng(seed))
    below, above = -batch.off.min(axis=1), batch.off.max(axis=1)
    low, high = batch.room
    made = {"t": t_ends(values), "auto": automatic(values, "mean", seed)}
    made |= {str(law): batch.ends((below, above), law) for law in MEANS}
    if rivals:
        made["both bounds"] = both_bounds(batch)
        made["bounds, each end"] = batch.at((lambda _: low[:, None], lambda _: high[:, None]), 0.5)
        made["uniform to the bound"] = batch.at(
            (
                lambda u: below[:, None] + (low - below)[:, None] * u,
                lambda u: above[:, None] + (high - above)[:, None] * u,
            ),
            0.5,
        )
        made["empirical likelihood"] = empirical_likelihood(values)
    return made


def rules_of_pairs(values: Array, seed: int, *, rivals: bool) -> dict[str, Ends]:
    """Intervals of mean differences by all rules."""
    batch = Batch(values, Bounds(-1, 1), np.random.default_rng(seed))
    farther = np.abs(batch.off).max(axis=1)
    made = {"t": t_ends(values), "auto": automatic(values, "mean", seed, paired=True)}
    made |= {str(law): batch.ends((farther, farther), law) for law in PAIRS}
    if rivals:
        low, high = batch.room
        made["bounds, each end"] = batch.at((lambda _: low[:, None], lambda _: high[:, None]), 0.5)
        made["empirical likelihood"] = empirical_likelihood(values)
    return made


def rules_of_sds(values: Array, seed: int, *, rivals: bool) -> dict[str, Ends]:
    """Intervals of SDs by all rules."""
    del rivals  # the library's own `dirichlet` is one, and its table stands in the decision
    n = values.shape[1]
    batch = Batch(values, UNIT_INTERVAL, np.random.default_rng(seed))
    counts = batch.generator.multinomial(n, np.full(n, 1 / n), size=DRAWS) / n
    drawn = (batch.off**2 @ counts.T) - (batch.off @ counts.T) ** 2
    low, high = (np.sqrt(np.abs(low_quantile(sign * drawn, LEVEL.tail))) for sign in (1, -1))
    scale, sd = np.sqrt(n / (n - 1)), values.std(axis=1, ddof=1)
    made = {"t": (scale * low, scale * high), "auto": automatic(values, "sd", seed)}
    below, above = -batch.off.min(axis=1), batch.off.max(axis=1)
    farther, is_below = np.maximum(below, above), below >= above
    room = np.where(is_below, *batch.room)
    plain = batch.squares / batch.total - (batch.sums / batch.total) ** 2
    for law in SDS:
        tail, factor = expanded(n, law.z)
        even = (np.minimum(below, above) / farther)[:, None] ** 4
        added = batch.weight(law.mass)
        far = batch.levels[:, 1] ** (-1 / (law.shape + law.even * even))
        place = np.minimum(farther[:, None] * far, room[:, None])
        total, sign = batch.total + added, np.where(is_below, -1, 1)[:, None]
        rows = (batch.squares + added * place**2) / total
        rows -= ((batch.sums + sign * added * place) / total) ** 2
        lower = sd - scale * np.sqrt(np.maximum(low_quantile(plain, tail), 0))
        upper = scale * np.sqrt(-low_quantile(-rows, tail)) - sd
        made[str(law)] = sd - factor * np.maximum(lower, 0), sd + factor * np.maximum(upper, 0)
    return made


# --------------------------------------------------------------------------- measuring


@dataclass(frozen=True)
class Cell:
    """What a rule does on samples of an instance; shares in %."""

    instance: Instance
    n: int
    rule: str
    below: float
    above: float
    ratio: float
    power: float

    @property
    def coverage(self) -> float:
        """In %."""
        return 100 - self.below - self.above


def cells_of(
    instance: Instance, n: int, samples: int, seed: int, make: Callable[..., dict[str, Ends]]
) -> Iterator[Cell]:
    """All rules on the same samples."""
    generator = np.random.default_rng([seed, n])
    of_sd = make is rules_of_sds
    truth = instance.values.std() if of_sd else instance.values.mean()
    slack = 1e-9 * max(abs(truth), 1e-3)
    shift = _powered_shift(n) * instance.values.std() if instance.powered else np.nan
    sums: dict[str, Array] = defaultdict(lambda: np.zeros(4))
    for start in range(0, samples, BATCH):
        drawn = generator.choice(instance.values, (min(BATCH, samples - start), n))
        # Empirical likelihood takes a root for each sample.
        for rule, (low, high) in make(drawn, seed + start, rivals=not start).items():
            found = (low > truth + slack, high < truth - slack, high - low, low + shift > 0)
            sums[rule] += [*(one.sum() for one in found)]
    of_t = sums["t"]
    for rule, (below, above, width, power) in sums.items():
        made = min(BATCH, samples) if rule in RIVALS else samples
        yield Cell(
            *(instance, n, rule, 100 * below / made, 100 * above / made),
            ratio=(width / made) / (of_t[2] / samples),
            power=(power / made) / max(of_t[3] / samples, 1 / samples),
        )


RIVALS = ("both bounds", "bounds, each end", "uniform to the bound", "empirical likelihood")


def _powered_shift(n: int) -> float:
    """How many SDs the mean lies from 0 where t finds it 80 % of the time."""
    limit = stats.t.isf(LEVEL.tail, n - 1)
    return float(optimize.brentq(lambda x: stats.nct.sf(limit, n - 1, x * n**0.5) - 0.8, 1e-3, 5))


def print_table(cells: Sequence[Cell], sizes: Sequence[int], *, sharper: bool) -> None:
    """A row for each rule and n, a column for each kind."""
    kinds = list(dict.fromkeys(cell.instance.kind for cell in cells))
    by_t = {(c.instance.name, c.n): c.coverage for c in cells if c.rule == "t"}
    print(f"| n | rule | {' | '.join(kinds)} | hard | short of |")
    print(f"|{' --- |' * (len(kinds) + 4)}")
    for n in sizes:
        middle = np.median([by_t[c.instance.name, n] for c in cells if c.instance.kind == "real"])
        for rule in dict.fromkeys(cell.rule for cell in cells):
            own = [cell for cell in cells if cell.n == n and cell.rule == rule]
            groups = {kind: [c for c in own if c.instance.kind == kind] for kind in kinds}
            groups["hard"] = [c for c in groups["real"] if by_t[c.instance.name, n] <= middle]
            row = [_text(group) for group in groups.values()]
            short = _short_of_sharper(groups, n) if sharper else _short(groups, n)
            print(f"| {n} | {rule} | {' | '.join(row)} | {', '.join(short)} |", flush=True)


def _text(cells: Sequence[Cell]) -> str:
    coverage = [cell.coverage for cell in cells]
    worse = [max(cell.below, cell.above) for cell in cells]
    power = f" power {np.mean([c.power for c in cells]):.2f}" if cells[0].instance.powered else ""
    return (
        f"{np.median(coverage):.1f} [{np.quantile(coverage, 0.25):.1f}] {min(coverage):.0f} "
        f"× {np.median([cell.ratio for cell in cells]):.2f}, "
        f"{np.median(worse):.1f}/{np.quantile(worse, 0.9):.1f}{power}"
    )


def _short(groups: dict[str, list[Cell]], n: int) -> Iterator[str]:
    """What a rule falls short of in the criterion."""
    least = 94.0 if n >= 20 else 93.5 if n >= 10 else 93.0
    for kind, cells in groups.items():
        coverage = [cell.coverage for cell in cells]
        if kind in ("real", "cut", "SegVal", "small SD") and np.quantile(coverage, 0.25) < least:
            yield f"{kind}: first quartile"
        if kind == "planted" and n >= 20 and np.median(coverage) < 90:
            yield "planted: median"
        if kind == "real" and n >= 20 and min(coverage) < 88:
            yield "real: lowest"
        worse = [max(cell.below, cell.above) for cell in cells]
        if kind == "real" and n >= 40 and (np.median(worse) > 3.5 or np.quantile(worse, 0.9) > 5):
            yield "an end"
        wanted = {"normal": {40: 0.84, 100: 0.9}, "t5": {40: 0.78, 100: 0.83}}.get(kind, {})
        if n in wanted and np.mean([cell.power for cell in cells]) < wanted[n]:
            yield f"power of {kind}"
    widths = [np.median([c.ratio for c in cells]) for cells in groups.values()]
    if "SegVal" in groups and n in WIDEST and max(widths) > WIDEST[n]:
        yield "width"


def _short_of_sharper(groups: dict[str, list[Cell]], n: int) -> Iterator[str]:
    """What a rule of means falls short of in the criterion of decision 0090."""

    def coverage(kind: str, share: float) -> float:
        return float(np.quantile([cell.coverage for cell in groups[kind]], share))

    least = 94.0 if n > 10 else 93.0
    decile = 94.0 if n >= 40 else 92.0 if n >= 20 else 90.0
    if n >= 10 and coverage("real", 0.1) < decile:
        yield "real: first decile"
    for kind in ("real", "cut"):
        if coverage(kind, 0.25) < least:
            yield f"{kind}: first quartile"
    if coverage("hard", 0.5) < 93.5:
        yield "hard half: median"
    if (
        max(np.median([getattr(c, end) for c in groups["real"]]) for end in ("below", "above"))
        > 3.5
    ):
        yield "an end"
    if n >= 20 and coverage("planted", 0.5) < (88 if n >= 40 else 85):
        yield "planted: median"


# --------------------------------------------------------------------------- clusters


def clusters(samples: int, every: int) -> None:
    """Few clusters of unequal size that share four fifths of their variance, as normal scores."""
    import halfwidth as hw

    print("| clusters | auto | t |\n| --- | --- | --- |")
    instances = [one for one in of_cases(3 * every) if one.kind in ("real", "cut", "SegVal")]
    for count in (3, 5, 10):
        rows = defaultdict(list)
        for seed, instance in enumerate(instances):
            generator = np.random.default_rng([seed, count])
            quantiles, truth = np.sort(instance.values), instance.values.mean()
            held = defaultdict(list)
            for _ in range(samples):
                sizes = 1 + generator.poisson(3, count)
                shared = np.repeat(generator.normal(size=count), sizes)
                own = 0.8**0.5 * shared + 0.2**0.5 * generator.normal(size=sizes.sum())
                places = (stats.norm.cdf(own) * len(quantiles)).astype(int)
                values, groups = quantiles[places], np.repeat(np.arange(count), sizes)
                for method in ("auto", "t"):
                    e = hw.summary_ci(values, metric="dsc", groups=groups, method=method, rng=1)
                    held[method].append((e.low <= truth <= e.high, e.width))
            for method, found in held.items():
                shares, widths = np.mean(found, axis=0)
                rows[method].append((100 * shares, widths / np.mean(held["t"], axis=0)[1]))
        texts = []
        for found in rows.values():
            shares, ratios = np.transpose(found)
            texts.append(
                f"{np.median(shares):.1f} [{np.quantile(shares, 0.25):.1f}] {shares.min():.0f} "
                f"× {np.median(ratios):.2f}"
            )
        print(f"| {count} | {' | '.join(texts)} |", flush=True)


# So many samples of each population take some ten minutes at most.
SAMPLES = {
    "means": 250,
    "pairs": 250,
    "sds": 250,
    "clusters": 50,
    "strata": 500,
    "quantiles": 4000,
    "calibration": 2000,
    "ratios": 2000,
    "averages": 300,
    "absent": 300,
    "unpaired": 200,
    "spreads": 500,
    "detectors": 50,
}


def main() -> None:
    """Measure what is asked for and print it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=(*SAMPLES, "table"))
    parser.add_argument("--samples", type=int)
    parser.add_argument("--every", type=int, help="of the instances one of so many is taken")
    parser.add_argument("--sizes", help="numbers of cases: 10,20,40,100")
    asked = parser.parse_args()
    if asked.what == "table":
        print_rules()
        return
    asked.samples = asked.samples or SAMPLES[asked.what]
    asked.every = asked.every or (12 if asked.what == "means" else 6)
    asked.sizes = asked.sizes or ("20,30" if asked.what == "detectors" else "10,20,40,100")
    error = 100 * (0.05 * 0.95 / asked.samples) ** 0.5
    print(f"{asked.samples} samples each: a coverage of 95 % has a standard error of {error:.1f}\n")
    if asked.what in MEASURED:
        print_rows(MEASURED[asked.what](asked.samples))
        return
    if asked.what in compared.MEASURED:
        pairs = [both for _, both in models_on_organs(0, 4 * asked.every)]
        sizes = [int(size) for size in asked.sizes.split(",")]
        compared.MEASURED[asked.what](asked.samples, sizes, pairs)
        return
    if asked.what == "clusters":
        clusters(asked.samples, asked.every)
        compared.clusters(asked.samples, (20, 50, 100))
        return
    if asked.what == "strata":
        free.in_strata(asked.samples)
        return
    sizes = [int(size) for size in asked.sizes.split(",")]
    make = {"means": rules_of_means, "pairs": rules_of_pairs, "sds": rules_of_sds}[asked.what]
    every = 4 * asked.every if asked.what == "pairs" else asked.every
    instances = list((of_pairs if asked.what == "pairs" else of_cases)(every))
    print(f"{asked.what}: {len(instances)} instances\n")
    cells = [
        cell
        for n in sizes
        for seed, instance in enumerate(instances)
        for cell in cells_of(instance, n, asked.samples, seed, make)
    ]
    print_table(cells, sizes, sharper=asked.what == "means")
    if asked.what != "pairs":
        free.tables_without_bounds({"means": "mean", "sds": "sd"}[asked.what], asked.samples, sizes)


if __name__ == "__main__":
    main()
