"""Joint coverage of simultaneous intervals of all pairs of several models: decision 0051.

Populations are the organs of the Touchstone tables (nine models on the same scans, drawn with
replacement), and bounded scores of models whose values of a case correlate by .8: all equal, ever
better, or equal but for rare failures. Counted is how often all intervals hold the true
differences at once; "fixed SE" divides the replicates of the max-t bootstrap by the standard error
of the sample, as it must not be done. Then AUROCs and accuracies of five models, and what max-t of
nine models on nine organs takes. ``many``: metrics of twenty equal models by Dirichlet weights, of
whose draws the outermost of all pairs are more than the level allows outside.

    python benchmarks/simultaneous.py ../shared/data/touchstone [samples]
    python benchmarks/simultaneous.py many [samples]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.comparison.pairing import pair_job
from halfwidth.comparison.simultaneous import (
    Comparanda,
    bonferroni_intervals,
    simultaneous_intervals,
)
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import UNIT_INTERVAL, Bounds, Level
from halfwidth.estimation.functionals import share_functional
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import resolve_request
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.intervals.dirichlet_intervals import pseudo_cases_beyond
from halfwidth.metrics.averaging import AreaFinish
from halfwidth.metrics.building import ranking_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.joint.dirichlet import JointDraws, draws_of_means, draws_of_test_sets
from halfwidth.resampling.joint.simultaneous import all_pairs, mean_differences
from halfwidth.summaries.all_statistics import STATISTICS
from halfwidth.tables.layout import layout_of, slices
from halfwidth.tables.readers import read_table

Array = NDArray[Any]
Draw = Callable[[np.random.Generator, int], Array]
LEVEL, RESAMPLES, LARGE = Level(0.95), 999, 400_000
SIZES = (10, 25, 50, 100)
MEAN = Statistic(replace(STATISTICS["mean"], pair_bounds=UNIT_INTERVAL))
FAILURES = np.array([0.0, 0.0, 0.01, 0.01, 0.02, 0.02, 0.04, 0.04, 0.08])


# --------------------------------------------------------------------------- populations


def touchstone(folder: Path) -> dict[str, Array]:
    """The DSC of each organ: models by scans that all of them have."""
    by_model = []
    for file in sorted(folder.glob("*_dsc.csv")):
        table = read_table(file)
        by_model.append(
            {part.label: part.values.astype(float) for part in slices(table, layout_of(table))}
        )
    organs = {}
    for organ in by_model[0]:
        values = np.stack([model[organ] for model in by_model])
        organs[organ] = values[:, np.isfinite(values).all(axis=0)]
    return organs


def of_cases(values: Array) -> tuple[Draw, Array]:
    """Cases drawn with replacement, and the true means."""
    return (
        lambda generator, n: values[:, generator.integers(0, values.shape[-1], n)],
        values.mean(axis=-1),
    )


def scores(leads: Array, spread: float, failures: Array | float = 0.0) -> tuple[Draw, Array]:
    """Logistic scores around .9 whose logits correlate by .8 between models; failures are 0."""
    models = len(leads)

    def draw(generator: np.random.Generator, n: int) -> Array:
        shared, own = generator.normal(size=n), generator.normal(size=(models, n))
        logits = 2.2 + leads[:, None] + spread * (np.sqrt(0.8) * shared + np.sqrt(0.2) * own)
        failed = generator.random((models, n)) < np.broadcast_to(failures, models)[:, None]
        return np.where(failed, 0.0, 1 / (1 + np.exp(-logits)))

    return draw, draw(np.random.default_rng(1), LARGE).mean(axis=-1)


# --------------------------------------------------------------------------- means


def means(draw: Draw, truth: Array, n: int, samples: int) -> Iterator[tuple[str, Array, Array]]:
    """Methods, and which samples they cover jointly, with the mean width of each."""
    pairs, generator = all_pairs(len(truth)), np.random.default_rng([n, samples])
    first, second = pairs.T
    differences, design = truth[first] - truth[second], Design((n,), paired=True)
    batch = [draw(generator, n) for _ in range(samples)]
    bounds: dict[str, list[tuple[Array, Array]]] = {}

    def note(method: str, low: Array, high: Array) -> None:
        bounds.setdefault(method, []).append((np.maximum(low, -1), np.minimum(high, 1)))

    pseudo_cases = pseudo_cases_beyond(UNIT_INTERVAL, paired=True, spread=False)
    for seed, values in enumerate(batch):
        plan = Plan(seed, RESAMPLES)
        found = mean_differences(values, pairs, design, plan)
        interval = found.bounds(LEVEL)
        note("max-t", interval.low, interval.high)
        note("fixed SE", *fixed(found, values[first] - values[second], design, plan))
        # Its level comes from the tails of draws, of which more are needed.
        draws = draws_of_means(values, pairs, design, Plan(seed, 9999), pseudo_cases)
        tail = draws.together(LEVEL).level.tail
        drawn = [draws.contrasts(slice(place, place + 1)) for place in range(len(pairs))]
        low, high = (np.concatenate(side) for side in zip(*drawn, strict=True))
        ends = np.quantile(low, tail, axis=-1), np.quantile(high, 1 - tail, axis=-1)
        note("Dirichlet-Pareto together", *ends)
    computed = intervals(
        np.concatenate([values[first] - values[second] for values in batch]),
        MEAN,
        [METHODS["t"], METHODS["dirichlet_pareto"]],
        Level(1 - LEVEL.alpha / len(pairs)),
        bounds=Bounds(-1, 1),
        plan=Plan(1, RESAMPLES),
    )
    for name, one in zip(("t", "dirichlet_pareto"), computed, strict=True):
        low, high = (side.reshape(samples, -1) for side in (one.interval.low, one.interval.high))
        for ends in zip(low, high, strict=True):
            note(f"Bonferroni {name}", *ends)
    for method, both in bounds.items():
        low, high = (np.stack(side) for side in zip(*both, strict=True))
        covered = ((low <= differences) & (differences <= high)).all(axis=-1)
        yield method, covered, (high - low).mean(axis=-1)


def fixed(found: Any, differences: Array, design: Design, plan: Plan) -> tuple[Array, Array]:
    """The largest |D* - D| divided by the standard error of the sample."""
    draws = plan.indices(design, 0, plan.n_resamples)
    moved = differences[:, draws].mean(axis=-1) - found.estimates[:, None]
    critical = np.quantile(np.abs(moved / found.standard_errors[:, None]).max(axis=0), 0.95)
    reach = critical * found.standard_errors
    return found.estimates - reach, found.estimates + reach


def study_of_means(folder: Path, samples: int) -> None:
    """A line for each population and n: joint coverage in % and median width."""
    leads = 0.3 * np.arange(9)
    few = FAILURES[[0, 4, 8]]
    populations = {
        "equal": scores(np.zeros(9), 0.7),
        "ever better": scores(leads, 0.7),
        "rare failures": scores(np.zeros(9), 0.4, FAILURES),
        "rare failures of 3": scores(np.zeros(3), 0.4, few),
        **{organ: of_cases(values) for organ, values in touchstone(folder).items()},
    }
    print(f"\nmeans, {samples} samples: joint coverage in % x median of the mean width")
    for name, (draw, truth) in populations.items():
        for n in SIZES:
            cells = [
                f"{method} {100 * covered.mean():5.1f} x{np.median(width):.3f}"
                for method, covered, width in means(draw, truth, n, samples)
            ]
            print(f"{name:<19}{n:>4}  " + "   ".join(cells), flush=True)


# --------------------------------------------------------------------------- test sets


def of_scores(name: str) -> Functional:
    """One score for two classes."""
    metric = Metric(hw.SAMPLE_METRICS[name])
    return Functional(ranking_statistic(metric, RankEach(1), AreaFinish("binary"), "omit"), metric)


def scores_of_classes(generator: np.random.Generator, n: int, leads: Array) -> list[Array]:
    """Normal scores that correlate by .8, three in ten cases positive (0 marks those)."""
    negative = (generator.random(n) > 0.3).astype(float)
    negative[:2], negative[2:4] = 0, 1
    shared, own = generator.normal(size=n), generator.normal(size=(len(leads), n))
    rows = np.sqrt(0.8) * shared + np.sqrt(0.2) * own + leads[:, None] * (1 - negative)
    return [np.stack([row, negative]) for row in rows]


def decisions(generator: np.random.Generator, n: int, leads: Array) -> list[Array]:
    """Whether each model is right in a case; what makes a case hard is hard for all."""
    shared, own = generator.normal(size=n), generator.normal(size=(len(leads), n))
    rows = np.sqrt(0.8) * shared + np.sqrt(0.2) * own + leads[:, None] > 0
    return list(rows.astype(float))


def study_of_test_sets(samples: int) -> None:
    """Max-t (or what takes its place) beside Bonferroni with the single intervals."""
    accuracy = share_functional(Metric(hw.SAMPLE_METRICS["accuracy"]))
    print(f"\ntest sets of five models, {samples} samples; shares of intervals by method")
    for what, functional, draw, base in (
        ("AUROC", of_scores("auroc"), scores_of_classes, 1.2),
        ("AP", of_scores("average_precision"), scores_of_classes, 1.2),
        ("accuracy", accuracy, decisions, 1.0),
    ):
        for step in (0.0, 0.15):
            leads = base + step * np.arange(5)
            large = draw(np.random.default_rng(1), LARGE, leads)
            truth = np.array([float(functional.statistic(one[None])[0]) for one in large])
            for n in (25, 50, 100):
                print(f"{what:<10} step {step:<5} {n:>4}  ", end="")
                print(_cells(functional, draw, leads, truth, n, samples), flush=True)


def _cells(
    functional: Functional, draw: Any, leads: Array, truth: Array, n: int, samples: int
) -> str:
    pairs, generator = all_pairs(len(leads)), np.random.default_rng([n, samples])
    differences = truth[pairs[:, 0]] - truth[pairs[:, 1]]
    found: dict[str, list[tuple[bool, float]]] = {"taken": [], "max-t": [], "Bonferroni": []}
    methods: list[str] = []
    for seed in range(samples):
        request = resolve_request(
            method="auto",
            confidence_level=0.95,
            alternative="two-sided",
            n_resamples=RESAMPLES,
            rng=seed,
            missing="raise",
            penalty=None,
            over="cases",
        )
        models = [Records(one, Design((n,), paired=True), n) for one in draw(generator, n, leads)]
        jobs = [
            pair_job(Job(functional, models[i]), Job(functional, models[j]), "difference")
            for i, j in pairs
        ]

        def singles(level: Level, jobs: Any = jobs, request: Any = request) -> Any:
            return estimate_jobs(jobs, replace(request, level=level))

        estimates = singles(LEVEL)
        family = Comparanda(functional, models, pairs)
        plan = Plan(seed, RESAMPLES)
        chosen = simultaneous_intervals(family, plan, LEVEL, estimates, singles)
        methods += [one.method for one in chosen.intervals]
        own = family.studentized(plan)
        interval = None if own is None else own.bounds(LEVEL)
        for name, ends in (
            ("taken", [(one.low, one.high) for one in chosen.intervals]),
            ("max-t", interval and np.transpose([interval.low, interval.high])),
            (
                "Bonferroni",
                [
                    (one.low, one.high)
                    for one in bonferroni_intervals(LEVEL, estimates, singles).intervals
                ],
            ),
        ):
            if ends is None:
                continue
            low, high = np.clip(np.array(ends), -1, 1).T
            covered = bool(((low <= differences) & (differences <= high)).all())
            found[name].append((covered, float((high - low).mean())))
    taken = {one: round(methods.count(one) / len(methods), 2) for one in sorted(set(methods))}
    cells = []
    for name, both in found.items():
        if not both:
            continue
        shares, widths = (np.array(side) for side in zip(*both, strict=True))
        cells.append(f"{name} {100 * shares.mean():5.1f} x{np.nanmedian(widths):.3f}")
    return "   ".join(cells) + f"   {taken}"


def study_of_many_models(samples: int) -> None:
    """By quantiles of the draws at the level of all, and as far as these draws ask for besides."""
    print(f"twenty equal models, {samples} samples: quantiles alone, and what is taken")
    models, half = 20, PseudoCases.outward(0.5, UNIT_INTERVAL, paired=True)
    pairs, leads = all_pairs(models), np.full(models, 1.2)
    for name in ("auroc", "average_precision"):
        statistic = of_scores(name).statistic
        for n, n_draws in ((100, 199), (100, 499), (400, 199)):
            generator, found = np.random.default_rng([n, n_draws]), []
            for seed in range(samples):
                records = np.stack(scores_of_classes(generator, n, leads))
                design, plan = Design((n,), paired=True), Plan(seed, n_draws)
                draws = draws_of_test_sets(
                    records, pairs, design, statistic, plan, half, "difference"
                )
                if draws is None:
                    raise RuntimeError(f"{name} has joint draws")
                found.append(_hold_of_equal(draws))
            (plain, width), (taken, wider) = np.mean(found, axis=0)
            print(f"{name:<18} {n:>4} {n_draws:>4}  {100 * plain:5.1f} x{width:.3f}", end="")
            print(f"  {100 * taken:5.1f} x{wider:.3f}", flush=True)


def _hold_of_equal(draws: JointDraws) -> list[tuple[bool, float]]:
    """Whether all intervals hold 0, and how wide they are, without and with their reach."""
    together = draws.together(LEVEL)
    lower, upper = draws.contrasts(slice(None))
    low = np.quantile(lower, together.level.tail, axis=-1)
    high = np.quantile(upper, 1 - together.level.tail, axis=-1)
    reach = together.reach or (low, high)
    both = ((low, high), (np.fmin(low, reach[0]), np.fmax(high, reach[1])))
    return [(bool(((a <= 0) & (b >= 0)).all()), float((b - a).mean())) for a, b in both]


# --------------------------------------------------------------------------- speed


def speed(folder: Path) -> None:
    """CPU seconds of all pairs of nine models on nine organs, 9999 resamples."""
    organs = touchstone(folder)
    plan, pseudo_cases = (
        Plan(1, 9999, kept={}),
        pseudo_cases_beyond(UNIT_INTERVAL, paired=True, spread=False),
    )
    begin = time.process_time()
    for values in organs.values():
        design = Design((values.shape[-1],), paired=True)
        mean_differences(values, all_pairs(len(values)), design, plan).bounds(LEVEL)
    max_t, begin = time.process_time() - begin, time.process_time()
    for values in organs.values():
        design = Design((values.shape[-1],), paired=True)
        draws_of_means(values, all_pairs(len(values)), design, plan, pseudo_cases).together(LEVEL)
    level = time.process_time() - begin
    largest = max(values.shape[-1] for values in organs.values())
    print(f"\n{len(organs)} organs, n up to {largest}: CPU s max-t {max_t:.2f}, ", end="")
    print(f"level of the Dirichlet intervals {level:.2f}")


def main() -> None:
    """All studies, or that of many models."""
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    if sys.argv[1] == "many":
        study_of_many_models(samples)
        return
    folder = Path(sys.argv[1])
    speed(folder)
    study_of_test_sets(samples)
    study_of_means(folder, samples)


if __name__ == "__main__":
    main()
