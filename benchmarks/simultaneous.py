"""Joint coverage of simultaneous intervals of all pairs of several models: decisions 0051 and 0094.

Populations are the organs of the Touchstone tables (nine models on the same scans, drawn with
replacement), and bounded scores of models whose values of a case correlate by .8: all equal, ever
better, or equal but for rare failures; then AUROCs, average precisions and accuracies of five
models. Counted is how often all intervals hold the true differences at once, and how wide they are,
beside those of Bonferroni and of t. ``many``: metrics of twenty equal models by Dirichlet weights,
of whose draws the outermost of all pairs are more than the level allows outside.

    python benchmarks/simultaneous.py ../shared/data/touchstone [samples]
    python benchmarks/simultaneous.py many [samples] [draws ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth.tables.layout import layout_of, slices
from halfwidth.tables.readers import read_table

Array = NDArray[Any]
Draw = Callable[[np.random.Generator, int], Any]
LARGE, SIZES = 400_000, (10, 25, 50, 100)
FAILURES = np.array([0.0, 0.0, 0.01, 0.01, 0.02, 0.02, 0.04, 0.04, 0.08])
WAYS: dict[str, dict[str, Any]] = {
    "auto": {},
    "t": {"method": "t"},
    "auto, Bonferroni": {"correction": "bonferroni"},
}


def held(
    data: Any, truth: Array, *, options: dict[str, Any], seed: int
) -> Iterator[tuple[str, bool, float, bool]]:
    """Of each metric whether all intervals hold the truth, their width, and if any is claimed."""
    compared = hw.compare(data, rng=seed, **options)
    for name in dict.fromkeys(one.metric_spec.spec.name for one in compared):
        some = [one for one in compared if one.metric_spec.spec.name == name]
        together = [one.simultaneous for one in some if one.simultaneous is not None]
        low, high = np.array([(one.low, one.high) for one in together]).T
        # An end at no difference is a claim against it.
        covered = bool(((low < truth) & (truth < high)).all())
        yield name, covered, float((high - low).mean()), any(one.p_adjusted <= 0.05 for one in some)


def line(found: Sequence[tuple[bool, float, bool]]) -> str:
    """Joint coverage in %, the median of the mean width, and how often anything is claimed."""
    covered, width, claimed = (np.array(column) for column in zip(*found, strict=True))
    return f"{100 * covered.mean():5.1f} x{np.median(width):.3f} ({100 * claimed.mean():.1f})"


def differences(values: Array) -> Array:
    """Of all pairs of models, the first minus the second."""
    first, second = np.triu_indices(len(values), 1)
    return np.asarray(values[first] - values[second])


def named(rows: Array) -> dict[str, Array]:
    """The values of models, whose names sort as they come."""
    return {f"m{place:02d}": row for place, row in enumerate(rows)}


# --------------------------------------------------------------------------- means


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


def of_cases(values: Array) -> Draw:
    """Cases drawn with replacement."""
    return lambda generator, n: values[:, generator.integers(0, values.shape[-1], n)]


def scores(leads: Array, spread: float, failures: Array | float = 0.0) -> Draw:
    """Logistic scores around .9 whose logits correlate by .8 between models; failures are 0."""
    models = len(leads)

    def draw(generator: np.random.Generator, n: int) -> Array:
        shared, own = generator.normal(size=n), generator.normal(size=(models, n))
        logits = 2.2 + leads[:, None] + spread * (np.sqrt(0.8) * shared + np.sqrt(0.2) * own)
        failed = generator.random((models, n)) < np.broadcast_to(failures, models)[:, None]
        return np.where(failed, 0.0, 1 / (1 + np.exp(-logits)))

    return draw


def study_of_means(folder: Path, samples: int) -> None:
    """A line for each population and n."""
    populations = {
        "equal": scores(np.zeros(9), 0.7),
        "ever better": scores(0.3 * np.arange(9), 0.7),
        "rare failures": scores(np.zeros(9), 0.4, FAILURES),
        "rare failures of 3": scores(np.zeros(3), 0.4, FAILURES[[0, 4, 8]]),
        **{organ: of_cases(values) for organ, values in touchstone(folder).items()},
    }
    print(f"\nmeans, {samples} samples: joint coverage in % x width (some claim in %)")
    for name, draw in populations.items():
        truth = differences(draw(np.random.default_rng(1), LARGE).mean(axis=-1))
        for n in SIZES:
            generator, cells = np.random.default_rng([n, samples]), []
            batch = [named(draw(generator, n)) for _ in range(samples)]
            for way, options in WAYS.items():
                how = {"metric": "dsc", **options}
                found = [
                    cell[1:]
                    for seed, values in enumerate(batch)
                    for cell in held(values, truth, options=how, seed=seed)
                ]
                cells.append(f"{way} {line(found)}")
            print(f"{name:<19}{n:>4}  " + "   ".join(cells), flush=True)


# --------------------------------------------------------------------------- test sets


def test_set(
    generator: np.random.Generator, n: int, leads: Array, *, decided: bool
) -> tuple[Array, dict[str, Array]]:
    """Three in ten cases are positive; normal scores correlate by .8, or decide."""
    truth = (generator.random(n) < 0.3).astype(int)
    truth[:4] = 0, 0, 1, 1
    shared, own = generator.normal(size=n), generator.normal(size=(len(leads), n))
    rows = np.sqrt(0.8) * shared + np.sqrt(0.2) * own
    if decided:
        return truth, named(np.where(rows + leads[:, None] > 0, truth, 1 - truth))
    return truth, named(rows + leads[:, None] * truth)


def study_of_test_sets(samples: int) -> None:
    """A line for each metric, step between models, and n."""
    print(f"\ntest sets of five models, {samples} samples: joint coverage in % x width (claims)")
    for metric, base in (("auroc", 1.2), ("average_precision", 1.2), ("accuracy", 1.0)):
        for step in (0.0, 0.15):
            leads, decided = base + step * np.arange(5), metric == "accuracy"
            large = test_set(np.random.default_rng(1), LARGE, leads, decided=decided)
            at_large = [
                hw.metric_ci(large[0], row, metric=metric, n_resamples=2, method="percentile").value
                for row in large[1].values()
            ]
            truth = differences(np.array(at_large))
            for n in (25, 50, 100):
                generator, cells = np.random.default_rng([n, samples]), []
                batch = [test_set(generator, n, leads, decided=decided) for _ in range(samples)]
                for way in ("auto", "auto, Bonferroni"):
                    how = {"metric": metric, "n_resamples": 999, **WAYS[way]}
                    found = [
                        cell[1:]
                        for seed, one in enumerate(batch)
                        for cell in held(
                            hw.Predictions.from_arrays(*one), truth, options=how, seed=seed
                        )
                    ]
                    cells.append(f"{way} {line(found)}")
                print(f"{metric:<18} step {step:<5} {n:>4}  " + "   ".join(cells), flush=True)


def study_of_many_models(samples: int, draws: Sequence[int]) -> None:
    """A line for each number of draws and metric."""
    print(f"twenty equal models, {samples} samples: joint coverage in % x width (some claim in %)")
    truth, leads = np.zeros(190), np.full(20, 1.2)
    for n in (100,):
        for n_draws in draws:
            generator = np.random.default_rng([n, n_draws])
            found: dict[str, list[Any]] = {}
            how = {"metric": ["auroc", "average_precision"], "n_resamples": n_draws}
            for seed in range(samples):
                data = hw.Predictions.from_arrays(*test_set(generator, n, leads, decided=False))
                for name, *cell in held(data, truth, options=how, seed=seed):
                    found.setdefault(name, []).append(tuple(cell))
            for name, cells in found.items():
                print(f"{name:<18} {n:>4} {n_draws:>5}  {line(cells)}", flush=True)


def main() -> None:
    """All studies, or that of many models."""
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    if sys.argv[1] == "many":
        draws = [int(one) for one in sys.argv[3:]] or [199, 499, 9999]
        study_of_many_models(samples, draws)
        return
    study_of_test_sets(samples)
    study_of_means(Path(sys.argv[1]), samples)


if __name__ == "__main__":
    main()
