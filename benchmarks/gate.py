"""How often the gate and equivalence err, where the true difference is known.

    nice python benchmarks/gate.py ../shared/data/touchstone docs [samples]

Writes ``gate-tables.md`` into the folder given second. A population is a real pair of models on an
organ (Touchstone, DSC and NSD), whose true difference -D is the margin. With the two models of half
of the cases exchanged the true difference is 0, with those of all cases it is +D: the same cases,
margins and spreads at three true differences. Beside them stand normal values of two models, and
two models of which the new one fails in 4 % of the cases and is otherwise no worse. Samples are
drawn with replacement; the gate is that of `halfwidth gate` with a confidence level of 95 %: 0
where L > -D, 4 where U < -D, else 5. Models are equivalent where the 90 % interval lies within ±D.
The intervals are those of the default, in both readings of failures, of t, and of the default's law
with another tail index; samples go through as one batch, and a few of each number of cases are
compared with what `halfwidth.compare` answers.
"""

from __future__ import annotations

import datetime as dt
import itertools
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth.core.forms import differences_of
from halfwidth.core.pseudo_cases import Failures
from halfwidth.core.spec import MethodSpec
from halfwidth.core.types import Bounds, Level
from halfwidth.estimation.batches import intervals_by_method
from halfwidth.estimation.choose import choose, if_unseen_failures
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import RULE, resolve_statistic
from halfwidth.intervals.all_methods import METHODS
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import least_distances
from halfwidth.results.gate import FAILED, PASSED, STATUS
from halfwidth.tables.readers import read_table

Values = NDArray[np.float64]
SIZES, FEW = (10, 25, 50, 100, 200), (10, 25, 50)
TRUTHS = ("-D", "0", "+D")
# What is counted at which true difference: errors at the margin, power where there is none.
EXITS = ("passes", "fails")
COUNTED = {"-D": (*EXITS, "equivalent"), "0": (*EXITS, "equivalent"), "+D": EXITS}
FEWEST_CASES, SMALLEST_MARGIN, LARGEST_MARGIN = 100, 0.005, 0.05
PAIRS, CASES = 40, 20_000
LEVELS = Level(0.95), Level(0.90)
UNIT = Bounds(0, 1)
ONE_MODEL = Functional(resolve_statistic("mean"), resolve_metric("values", UNIT))
DIFFERENCE = difference_functional(ONE_MODEL)


@dataclass(frozen=True)
class Population:
    """Values of a new and of an old model, (2, cases), the new one worse by the margin."""

    name: str
    values: Values
    margin: float

    def sample(self, truth: str, shape: tuple[int, int], rng: np.random.Generator) -> Values:
        """Pairs of sampled cases, (S, 2, n), at one of the three true differences."""
        drawn = self.values[:, rng.integers(0, self.values.shape[1], shape)].swapaxes(0, 1)
        exchanged = rng.random(shape) < {"-D": 0.0, "0": 0.5, "+D": 1.0}[truth]
        return np.where(exchanged[:, None], drawn[:, ::-1], drawn)


@dataclass(frozen=True)
class Rule:
    """Intervals under a heading or, of both readings, two; a method, or what `auto` takes."""

    heads: Sequence[str]
    method: MethodSpec | None = None
    sizes: Sequence[int] = SIZES


@dataclass(frozen=True)
class Rates:
    """Shares of what is counted, (readings, 3), and how many samples took which method."""

    shares: Values
    taken: list[Counter[str]]


def real_pairs(folder: Path) -> list[Population]:
    """Pairs of models on an organ whose difference could be a margin; every so many of them."""
    found = []
    for metric in ("dsc", "nsd"):
        tables = {file.stem: read_table(file) for file in sorted(folder.glob(f"*_{metric}.csv"))}
        for one, other in itertools.combinations(tables, 2):
            rows = np.arange(len(tables[one]))
            for organ in tables[one].names[1:]:
                both = np.stack(
                    [tables[model].values(organ, rows).astype(float) for model in (one, other)]
                )
                both = np.clip(both[:, np.isfinite(both).all(axis=0)], 0, 1)
                difference = float(np.subtract(*both).mean())
                if both.shape[1] < FEWEST_CASES:
                    continue
                if SMALLEST_MARGIN <= abs(difference) <= LARGEST_MARGIN:
                    ordered = both if difference < 0 else both[::-1]
                    found.append(Population(f"{one} {other} {organ}", ordered, abs(difference)))
    return found[:: max(1, len(found) // PAIRS)][:PAIRS]


def normal_pair() -> Population:
    """Normal values of SD .05 with a correlation of .8, .02 apart."""
    from scipy import special

    quantiles = special.ndtri((np.arange(CASES) + 0.5) / CASES)
    shared, own = (np.random.default_rng(seed).permutation(quantiles) for seed in (1, 2))
    new = 0.8 * shared + 0.6 * own
    values = 0.8 + 0.05 * np.stack([new, shared])
    values[0] -= np.subtract(*values).mean() + 0.02
    return Population("normal", np.clip(values, 0, 1), 0.02)


def failing_pair() -> Population:
    """The same, no further apart than by a new model that fails, with 0, in 4 % of the cases."""
    new, old = normal_pair().values
    new = np.minimum(new + 0.02, 1)
    new[: round(0.04 * CASES)] = 0.0
    values = np.stack([new, old])
    return Population("one fails", values, float(np.subtract(old, new).mean()))


READINGS: tuple[Failures, Failures] = ("seen", "unseen")
DEFAULT, UNSEEN = "The default", "The default, failures unlike those seen"
SHAPE = METHODS["dirichlet_pareto"].with_parameters({"shape": 2.0})
OF_BOTH_READINGS, BY_T = Rule((DEFAULT, UNSEEN)), Rule(("By t",), METHODS["t"])
OTHER_TAIL = Rule(("A search: tail index 2 in the place of 5",), SHAPE, FEW)


def ends(rule: Rule, pairs: Values, level: Level) -> tuple[Values, list[Counter[str]]]:
    """Ends of the intervals of samples, (readings, S, 2), and the methods taken, by reading."""
    samples, n = len(pairs), pairs.shape[-1]
    design = Design((n,))
    batch = np.sort(differences_of(pairs[:, 0], pairs[:, 1]), axis=-1)
    least = np.array([least_distances(one, design, paired=True).max() for one in pairs])
    methods = [rule.method] * samples if rule.method else []
    methods = methods or [
        choose(DIFFERENCE, Records(one, design, n, values=one), level) for one in batch
    ]
    made = np.full((2, samples, 2), np.nan)
    for group in intervals_by_method(
        DIFFERENCE,
        batch,
        methods,
        level,
        estimates=DIFFERENCE.statistic(batch),
        design=design,
        plan=Plan(n, 999),
        chosen=rule.method is None,
        least=least,
        errors=False,
        readings=True,
    ):
        own = group.computed.interval
        for place, interval in enumerate((own, group.if_unseen_failures or own)):
            made[place, group.rows] = np.stack([interval.low, interval.high], axis=-1)
    spec = DIFFERENCE.statistic.spec
    others = [if_unseen_failures(one, spec, DIFFERENCE.metric.spec.bounds) for one in methods]
    unseen = [other or one for one, other in zip(methods, others, strict=True)]
    return made, [Counter(one.name for one in each) for each in (methods, unseen)]


def rates(rule: Rule, population: Population, truth: str, n: int, samples: int) -> Rates:
    """Shares of what is counted in per cent, and which methods were taken, by reading."""
    rng = np.random.default_rng([n, TRUTHS.index(truth), population.values.shape[1]])
    pairs = population.sample(truth, (samples, n), rng)
    made, taken = ends(rule, pairs, LEVELS[0])
    low, high = made[..., 0], made[..., 1]
    margin = population.margin
    found = [low > -margin, high < -margin]
    if "equivalent" in COUNTED[truth]:
        # Intervals hold their estimates, and those at 90 % lie within those at 95 %.
        within = np.abs(made).max(axis=-1) < margin
        open_ = np.abs(np.subtract(*pairs.swapaxes(0, 1)).mean(axis=-1)) < margin
        open_ &= ~within.all(axis=0)
        if open_.any():
            within[:, open_] = np.abs(ends(rule, pairs[open_], LEVELS[1])[0]).max(axis=-1) < margin
        found.append(within)
    return Rates(100 * np.mean(found, axis=-1).T, taken)


def tables(rule: Rule, populations: list[Population], samples: int, about: str = "") -> list[str]:
    """A table for each reading: medians over the populations, and the largest rates."""
    columns = [f"{truth}: {what}" for truth in TRUTHS for what in COUNTED[truth]]
    lines: list[list[str]] = [[] for _ in rule.heads]
    taken: list[Counter[str]] = [Counter() for _ in rule.heads]
    for n in rule.sizes:
        cells: list[list[str]] = [[] for _ in rule.heads]
        for truth in TRUTHS:
            found = [rates(rule, one, truth, n, samples) for one in populations]
            for (reading, names), each in itertools.product(enumerate(taken), found):
                names.update(each.taken[reading])
            shares = np.array([one.shares for one in found])
            median, most = np.median(shares, axis=0), shares.max(axis=0)
            for reading, row in enumerate(cells):
                row += [
                    f"{middle:.1f} [{top:.1f}]" if len(populations) > 1 else f"{middle:.1f}"
                    for middle, top in zip(median[reading], most[reading], strict=True)
                ]
        for of_table, row in zip(lines, cells, strict=True):
            of_table.append(f"| {n} | {' | '.join(row)} |")
        print(f"{rule.heads[0]}{about}, n = {n}: {cells}", flush=True)
    ruled = [f"| n | {' | '.join(columns)} |", f"| ---: |{' ---: |' * len(columns)}"]
    page = []
    for head, counts, rows in zip(rule.heads, taken, lines, strict=True):
        methods = ", ".join(
            f"`{name}` {100 * count / counts.total():.4g} %" for name, count in counts.most_common()
        )
        page += [f"## {head}{about}", "", f"Taken: {methods}.", "", *ruled, *rows, ""]
    return page


def same_as_the_front_door(populations: Sequence[Population], samples: int = 3) -> int:
    """How many intervals were compared with those of `halfwidth.compare`; one apart is an error."""
    compared = 0
    for (place, one), n in itertools.product(enumerate(populations), SIZES):
        pairs = one.sample("-D", (samples, n), np.random.default_rng([place, n]))
        batch = np.stack([ends(OF_BOTH_READINGS, pairs, level)[0] for level in LEVELS], axis=-2)
        for pair, of_batch in zip(pairs, batch.swapaxes(0, 1), strict=True):
            for reading, failures in enumerate(READINGS):
                models = {"new": pair[0], "old": pair[1]}
                data = hw.CaseValues.from_arrays(models, metric="dsc", failures=failures)
                (said,) = hw.compare(data, margin=one.margin, test="none")
                narrow = np.nan, np.nan
                if said.verdict is not None:
                    narrow = said.verdict.equivalence_low, said.verdict.equivalence_high
                asked = (said.estimate.low, said.estimate.high), narrow
                np.testing.assert_allclose(of_batch[reading], asked, rtol=0, atol=1e-9)
                compared += 2
    return compared


def main() -> None:
    """Write the rates of the exits."""
    folder, docs = Path(sys.argv[1]), Path(sys.argv[2])
    samples = int(sys.argv[3]) if len(sys.argv) > 3 else 400
    pairs, normal, fails = real_pairs(folder), [normal_pair()], [failing_pair()]
    compared = same_as_the_front_door([*pairs[::8], *normal, *fails])
    error = 100 * np.sqrt(0.025 * 0.975 / samples)
    about = (
        f"Made by `benchmarks/gate.py` on {dt.datetime.now(dt.UTC).date()}: {RULE}, rates of "
        f"{len(pairs)} pairs of models on an organ, {samples} samples each (of one pair a rate of "
        f"2.5 % has a standard error of {error:.1f} points), {5 * samples} of a pair by formula. "
        f"Exits {STATUS[PASSED]} (passes) and {STATUS[FAILED]} (fails), and equivalence (90 % "
        "interval within ±D), in per cent at a true difference of minus the margin, 0 and the "
        "margin: the median over the pairs, in brackets the largest. *The default* reads "
        f"`--failures seen`; {compared} intervals of both readings were compared with those of "
        "`halfwidth.compare`, and were the same."
    )
    page = ["# Tables of the gate", "", about, ""]
    for rule in (OF_BOTH_READINGS, BY_T, OTHER_TAIL):
        page += tables(rule, pairs, samples)
    for few, words in ((normal, ", normal values"), (fails, ", one model fails in 4 %")):
        for rule in (OF_BOTH_READINGS, BY_T):
            page += tables(rule, few, 5 * samples, words)
    (docs / "gate-tables.md").write_text("\n".join(page).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
