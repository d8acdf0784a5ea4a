"""How often the gate passes, fails and cannot say, where the true difference is known.

    nice python benchmarks/gate.py ../shared/data/touchstone docs [samples]

Writes ``gate-tables.md`` into the folder given second. A population is a real pair of models on an
organ (Touchstone, DSC and NSD), whose true difference -D is the margin. With the two models of half
of the cases exchanged the true difference is 0, with those of all cases it is +D: the same cases,
margins and spreads at three true differences. Beside them stand normal values of two models with a
correlation of 0.8, and a margin of a quarter of the SD of their differences. Samples are drawn with
replacement; the gate is that of `halfwidth gate` with a confidence level of 95 %: 0 where L > -D, 4
where U < -D, else 5. The intervals are those of the default, in both readings of failures, and t.
"""

from __future__ import annotations

import datetime as dt
import itertools
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.spec import MethodSpec
from halfwidth.core.types import Bounds, Level
from halfwidth.estimation.batches import intervals_by_method
from halfwidth.estimation.choose import choose, if_unseen_failures
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import RULE, resolve_metric, resolve_statistic
from halfwidth.intervals.all_methods import METHODS
from halfwidth.resampling.designs import Design
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


@dataclass(frozen=True)
class Rates:
    """Shares of the exits 0 and 4, (readings, 2), and how many samples took which method."""

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


DEFAULT, UNSEEN = "The default", "The default, failures unlike those seen"


def rates(population: Population, truth: str, n: int, samples: int, *, auto: bool) -> Rates:
    """Shares of the exits 0 and 4 in per cent, and which methods were taken, by reading."""
    rng = np.random.default_rng([n, TRUTHS.index(truth), len(population.differences)])
    batch = np.sort(population.sample(truth, (samples, n), rng), axis=-1)
    one_model = Functional(resolve_statistic("mean"), resolve_metric("values", population.bounds))
    both, design, level = difference_functional(one_model), Design((n,)), Level(0.95)
    methods: Sequence[MethodSpec] = [METHODS["t"]] * samples
    if auto:
        methods = [choose(both, Records(one, design, n, values=one), level) for one in batch]
    groups = intervals_by_method(
        both,
        batch,
        methods,
        level,
        estimates=both.statistic(batch),
        design=design,
        plan=Plan(n, 999),
        chosen=auto,
        errors=False,
        readings=True,
    )
    ends = np.full((2, samples, 2), np.nan)
    for group in groups:
        own = group.computed.interval
        other = group.if_unseen_failures or own
        for place, interval in enumerate((own, other)):
            ends[place, group.rows] = np.stack([interval.low, interval.high], axis=-1)
    limit = -population.margin
    shares = [
        (np.mean(low > limit), np.mean(high < limit)) for low, high in ends.transpose(0, 2, 1)
    ]
    bounds = population.bounds
    others = [if_unseen_failures(one, both.statistic.spec, bounds) or one for one in methods]
    taken = [Counter(one.name for one in made) for made in (methods, others)]
    return Rates(100 * np.array(shares), taken)


def tables(
    heads: Sequence[str], populations: list[Population], samples: int, *, auto: bool
) -> list[str]:
    """A table for each reading: medians over the populations, and the largest rates."""
    columns = [f"{truth}: {exit_}" for truth in TRUTHS for exit_ in ("passes", "fails")]
    lines: list[list[str]] = [[] for _ in heads]
    taken: list[Counter[str]] = [Counter() for _ in heads]
    for n in SIZES:
        cells: list[list[str]] = [[] for _ in heads]
        for truth in TRUTHS:
            found = [rates(one, truth, n, samples, auto=auto) for one in populations]
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
        print(f"n = {n}: {cells}", flush=True)
    ruled = [f"| n | {' | '.join(columns)} |", f"| ---: |{' ---: |' * len(columns)}"]
    page = []
    for head, counts, rows in zip(heads, taken, lines, strict=True):
        methods = ", ".join(
            f"`{name}` {100 * count / counts.total():.4g} %" for name, count in counts.most_common()
        )
        page += [f"## {head}", "", f"Taken: {methods}.", "", *ruled, *rows, ""]
    return page


def main() -> None:
    """Write the rates of the exits."""
    folder, docs = Path(sys.argv[1]), Path(sys.argv[2])
    samples = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    pairs = real_pairs(folder)
    about = (
        f"Made by `benchmarks/gate.py` on {dt.datetime.now(dt.UTC).date()}: {RULE}, "
        f"{len(pairs)} pairs "
        f"of models on an organ, {samples} samples each. Exits {STATUS[PASSED]} (passes) and "
        f"{STATUS[FAILED]} (fails) in per cent at a true difference of minus the margin, 0 and the "
        "margin: the median over the pairs, in brackets the largest."
    )
    page = [
        "# Tables of the gate",
        "",
        about,
        "",
        *tables((DEFAULT, UNSEEN), pairs, samples, auto=True),
        *tables(("By t",), pairs, samples, auto=False),
        *tables(("By t, normal values",), [normal_pairs()], 10 * samples, auto=False),
    ]
    (docs / "gate-tables.md").write_text("\n".join(page).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
