"""When `auto` leaves DeLong's interval of an AUROC: rules compared (decision 0040).

    python benchmarks/auroc_of_few_cases.py [SAMPLES] [CLASSIFIERS]

Each rule is judged as it is used: it looks at the sample, and takes either ``delong_logit_t`` or
``dirichlet``. Populations are normal scores with a fixed number of cases in the rarer class, and
test sets drawn from real ones: those of MedMNIST with 6 to 16 % positive cases, and, with the
folder that ``train_classifiers.py`` fills, eight classifiers on three tasks. A cell has the
coverage of 95 % intervals in %, median [first quartile] lowest of the populations, and the median
width over that of DeLong's interval with Satterthwaite's degrees of freedom.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from auto_instances import DATA, few_positives
from coverage_of_auto import NO_SCORES
from numpy.typing import NDArray
from rare_class import METRIC, STATISTIC, binormal

from halfwidth.core.types import Array, Bounds, Level
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.study.simulation.cells import Cells, batch_parts, batch_sizes
from halfwidth.study.simulation.fitted import fitted, population_truth
from halfwidth.study.simulation.targets import measured_on
from halfwidth.study.specs.instances import load_instances
from halfwidth.study.specs.parsing import parse_spec
from halfwidth.study.specs.spec import Instance

RESAMPLES, BATCHES = 599, 2
AREAS, SPREADS, RATIOS = (0.7, 0.85, 0.95, 0.98, 0.99), (0.5, 1.0, 2.0), (1, 8)
RARER = (15, 25, 50, 100, 200)
SIZES = (25, 50, 100, 250, 500, 1000)
TASKS = ("breast_cancer", "digit_eight", "diabetes")
# Whether a rule takes DeLong's interval, by the cases of the rarer class and the share of them that
# is ranked wrongly: the distance of the estimate from the nearer end of its range.
Rule = Callable[[Array, Array], NDArray[np.bool_]]


def _from_cases(least: int) -> Rule:
    return lambda rarer, _: rarer >= least


def _from_errors(least: float) -> Rule:
    return lambda rarer, away: rarer * away >= least - 1e-9


RULES: dict[str, Rule] = {
    "`delong_logit_t`": _from_cases(0),
    **{f"from {m} cases": _from_cases(m) for m in (15, 25, 50, 100, 200)},
    **{f"ranked wrongly ≥ {e}": _from_errors(e) for e in (1, 2, 3, 5, 10)},
    "`dirichlet`": lambda rarer, _: rarer < 0,
}


@dataclass(frozen=True)
class Outcome:
    """Whether each rule covers, and how wide it is over DeLong's interval, per sample."""

    covered: dict[str, Array]
    ratio: dict[str, float]


def outcome(samples: Array, truth: float, seed: int) -> Outcome:
    """What every rule makes of samples of scores and classes, shape (S, 2, n)."""
    n = samples.shape[-1]
    exact, weighted = intervals(
        samples,
        STATISTIC,
        [METHODS["delong_logit_t"], METHODS["dirichlet"]],
        Level(0.95),
        bounds=Bounds(0, 1),
        plan=Plan(seed, RESAMPLES, own_uniforms=True),
        design=Design((n,), None, True),
    )
    delong, dirichlet = (
        np.stack([one.interval.low, one.interval.high]) for one in (exact, weighted)
    )
    area, negative = STATISTIC(samples), samples[:, 1].sum(axis=-1)
    rarer, away = np.minimum(negative, n - negative), np.minimum(area, 1 - area)
    defined = np.isfinite(delong[0])
    covered, ratio = {}, {}
    width = delong[1] - delong[0]
    for name, rule in RULES.items():
        low, high = np.where(rule(rarer, away) & defined, delong, dirichlet)
        covered[name] = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
        ratio[name] = float(np.median(((high - low) / width)[defined])) if defined.any() else np.nan
    return Outcome(covered, ratio)


# --------------------------------------------------------------------------- populations


def of_normal_scores(samples: int) -> Iterator[tuple[int, Outcome]]:
    """By the cases of the rarer class."""
    for spread, area, ratio, m in itertools.product(SPREADS, AREAS, RATIOS, RARER):
        draw, n = binormal(area, spread), m * (1 + ratio)
        generator = np.random.default_rng([m, ratio, int(1e4 * area), int(10 * spread)])
        negative = np.arange(n) >= m
        drawn = [
            np.stack([np.concatenate(draw(generator, m, n - m)), negative]) for _ in range(samples)
        ]
        yield m, outcome(_ordered(np.array(drawn)), area, m)


def of_real_sets(samples: int, classifiers: Path | None) -> Iterator[tuple[int, Outcome]]:
    """By n: cases of both classes are drawn."""
    study: dict[str, object] = {"seed": 20, "samples": samples, "batches": BATCHES}
    study |= {"resamples": RESAMPLES}
    study |= {"metrics": ["auroc"], "averages": ["binary"], "truth_draws": 200_000}
    spec = parse_spec({"study": study | {"methods": ["delong_logit_t"]}} | NO_SCORES, DATA / "a")
    for instance, n in itertools.product(_instances(classifiers), SIZES):
        cells = Cells(instance, spec.metrics[0], n, spec)
        (measured,) = measured_on(instance, cells.metric, spec)
        known = fitted(instance)
        truth = population_truth(instance, measured, spec).value
        batches = enumerate(batch_sizes(spec))
        parts = (batch_parts(cells, known.population, *batch) for batch in batches)
        drawn = np.concatenate([measured.samples(part) for part in itertools.chain(*parts)])
        positive = drawn[:, 1].astype(bool).sum(axis=-1)
        both = (positive > 0) & (positive < n)
        if both.mean() > 0.5:
            yield n, outcome(drawn[both], truth, n)


def _instances(classifiers: Path | None) -> list[Instance]:
    if classifiers is None:
        return few_positives()
    names = ({"scores": f"{task}_scores.npy", "targets": f"{task}_targets.npy"} for task in TASKS)
    sources = [
        {key: f"{classifiers.resolve()}/{{model}}/{file}" for key, file in one.items()}
        | {"task": task, "kind": "probabilities", "floor": 0.001}
        for task, one in zip(TASKS, names, strict=True)
    ]
    spec = parse_spec({"study": {"metrics": ["auroc"]}, "scores": sources}, DATA / "a")
    return [*few_positives(), *load_instances(spec)]


def _ordered(samples: Array) -> Array:
    order = np.argsort(samples[:, 0], axis=-1)
    return np.take_along_axis(samples, order[:, None, :], axis=-1)


# --------------------------------------------------------------------------- the table


def print_table(title: str, found: list[tuple[int, Outcome]]) -> None:
    """A row for each rule, a column for each size."""
    sizes = sorted({size for size, _ in found})
    print(f"\n## {title}\n\n| rule | " + " | ".join(map(str, sizes)) + " |")
    print("| --- |" + " --- |" * len(sizes))
    for name in RULES:
        cells = []
        for size in sizes:
            own = [one for other, one in found if other == size]
            shares = 100 * np.array([one.covered[name].mean() for one in own])
            ratio = np.nanmedian([one.ratio[name] for one in own])
            low = np.quantile(shares, 0.25)
            cells.append(f"{np.median(shares):.1f} [{low:.1f}] {shares.min():.0f} × {ratio:.2f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    """Print both tables."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    classifiers = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    print(f"{samples} samples of each population, {RESAMPLES} resamples; {METRIC.spec.title}")
    print_table("Normal scores, by the cases of the rarer class", [*of_normal_scores(samples)])
    print_table("Real test sets, by n", [*of_real_sets(samples, classifiers)])


if __name__ == "__main__":
    main()
