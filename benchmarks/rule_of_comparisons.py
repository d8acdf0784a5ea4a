"""What ``auto`` takes for two models beside what it took: other cases, clusters, SDs, detectors.

Called by ``rule_of_auto.py unpaired|clusters|spreads|detectors``. A row has the coverage of 95 %
intervals with the misses of either side (too high, too low), their mean width, and how often they
exclude 0, all in % but the width.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth.core.types import Array

Generator = np.random.Generator
Found = dict[str, list[tuple[float, float, float]]]


def _row(found: Sequence[tuple[float, float, float]]) -> str:
    """Of intervals and true values."""
    low, high, truth = np.transpose(found)
    above, below = low > truth + 1e-12, high < truth - 1e-12
    held = 100 * (1 - above.mean() - below.mean())
    excludes = 100 * ((low > 0) | (high < 0)).mean()
    misses = f"{100 * above.mean():.1f}, {100 * below.mean():.1f}"
    return f"{held:.1f} ({misses}) | {np.nanmean(high - low):.4f} | {excludes:.0f}"


def _print(what: str, found: Found) -> None:
    for method, intervals in found.items():
        print(f"| {what} | {method} | {_row(intervals)} |", flush=True)


def _heading() -> None:
    print("| | method | coverage | width | excludes 0 |\n| --- | --- | --- | --- | --- |")


# --------------------------------------------------------------------------- two samples


def _dice(generator: Generator, n: int, failing: float, shift: float = 0.0) -> Array:
    values = np.clip(generator.normal(0.85, 0.052, n), 0, 1) - shift
    return np.where(generator.random(n) < failing, 0.0, values)


def unpaired(samples: int, sizes: Sequence[int], _pairs: Sequence[Array]) -> None:
    """Means of two samples: apart by .05, alike, failing in 5 % of cases both, or one."""
    _heading()
    scenes = {
        ".05 apart": (0.0, 0.0, 0.05),
        "alike": (0.0, 0.0, 0.0),
        "both fail": (0.05, 0.05, 0.0),
        "one fails": (0.0, 0.05, 0.0),
    }
    for n in sizes:
        for name, (first, second, shift) in scenes.items():
            generator, found = np.random.default_rng(n), defaultdict(list)
            truth = (1 - first) * (0.85 - shift) - (1 - second) * 0.85
            for _ in range(samples):
                models = {
                    "a": _dice(generator, n, first, shift),
                    "b": _dice(generator, n, second),
                }
                data = hw.CaseValues.from_arrays(models, metric="dsc", pairing="none")
                for method in ("auto", "mover", "welch"):
                    (one,) = hw.compare(data, method=method, test="none")
                    found[method].append((one.low, one.high, truth))
            _print(f"{name}, n = {n} + {n}", found)


# --------------------------------------------------------------------------- clusters

Drawn = tuple[NDArray[Any], list[Array], NDArray[Any]]


def _clustered(generator: Generator, clusters: int, effects: Sequence[float]) -> Drawn:
    """Truth, a score for each effect and clusters, four cases that share half of it."""
    sizes = 1 + generator.poisson(3, clusters)
    groups = np.repeat(np.arange(clusters), sizes)
    truth = (generator.random(len(groups)) < 0.3).astype(int)
    shared = generator.normal(size=clusters)[groups] + generator.normal(size=len(groups))
    scores = [
        effect * truth + 0.35**0.5 * shared + 0.3**0.5 * generator.normal(size=len(groups))
        for effect in effects
    ]
    return truth, scores, groups


def _predictions(drawn: Drawn, *, decided: bool) -> hw.Predictions:
    truth, scores, groups = drawn
    models = {"ab"[k]: (one > 1) * 1 if decided else one for k, one in enumerate(scores)}
    read: Any = "labels" if decided else "any"
    return hw.Predictions.from_arrays(truth, models, groups=groups, pos_label=1, scores=read)


def clusters(samples: int, sizes: Sequence[int]) -> None:
    """Two models on clusters, alike and apart (effects of 1.5 and of 1.5 against 2)."""
    _heading()
    for metric in ("auroc", "average_precision", "f1", "mcc"):
        decided = metric in ("f1", "mcc")
        for effects in ((1.5, 1.5), (1.5, 2.0)):
            large = _clustered(np.random.default_rng(1), 40_000, effects)
            a, b = _values(metric, large, decided=decided)
            for count in sizes:
                generator, found = np.random.default_rng(count), defaultdict(list)
                for seed in range(samples):
                    data = _predictions(_clustered(generator, count, effects), decided=decided)
                    asked: Any = {"metric": metric, "test": "none", "rng": seed}
                    for method in ("auto", "dirichlet"):
                        (one,) = hw.compare(data, method=method, **asked)
                        found[method].append((one.low, one.high, a - b))
                _print(f"{metric}, effects {effects}, {count} clusters", found)


def _values(metric: str, drawn: Drawn, *, decided: bool) -> Iterator[float]:
    truth, scores, _ = drawn
    data = _predictions((truth, scores, np.arange(len(truth))), decided=decided)
    for made in hw.estimate(data, metric=metric, method="delta" if decided else "auto"):
        yield float(made.value)


# --------------------------------------------------------------------------- SDs


def spreads(samples: int, sizes: Sequence[int], pairs: Sequence[Array]) -> None:
    """SDs of two models: pairs of models on an organ, (2, cases), and .05 against .08."""
    _heading()
    for n in sizes:
        found: Found = defaultdict(list)
        generator = np.random.default_rng(n)
        for number, pair in enumerate(pairs):
            truth = float(np.subtract(*pair.std(axis=1)))
            for _ in range(max(1, samples // len(pairs))):
                drawn = pair[:, generator.choice(pair.shape[1], n)]
                _both_spreads(drawn, number, truth, found)
        _print(f"real pairs, n = {n}", found)
        found = defaultdict(list)
        for seed in range(samples):
            hard = 0.9**0.5 * generator.normal(size=n)
            sizes_of = (0.08, 0.05)
            drawn = np.stack(
                [0.8 + size * (hard + 0.1**0.5 * generator.normal(size=n)) for size in sizes_of]
            )
            _both_spreads(drawn.clip(0, 1), seed, 0.03, found)
        _print(f".05 against .08, ρ = .9, n = {n}", found)


def _both_spreads(drawn: Array, seed: int, truth: float, found: Found) -> None:
    for method in ("auto", "percentile"):
        one = hw.difference_ci(
            *drawn, metric="dsc", statistic="sd", method=method, rng=seed, n_resamples=999
        )
        found[method].append((one.low, one.high, truth))


def detectors(samples: int, sizes: Sequence[int], _pairs: Sequence[Array]) -> None:
    """Two detectors, as ``detection_coverage.py`` measures them."""
    from detection_coverage import print_coverage
    from simulated_detectors import POPULATIONS

    print_coverage(samples, sizes, ("ap", "froc_score"), POPULATIONS)


# `what(samples, sizes, pairs)`; pairs of models are (2, cases).
MEASURED: dict[str, Callable[[int, Sequence[int], Sequence[Array]], None]] = {
    "unpaired": unpaired,
    "spreads": spreads,
    "detectors": detectors,
}
