"""The true values that coverages are set against, by draws that share no code with them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from smallstudies import cells_of_sets, cells_of_values, labelled, of_logits, spec_of_values

from halfwidth import Bounds
from halfwidth.core.spec import MetricLevel
from halfwidth.core.types import Array
from halfwidth.study import populations
from halfwidth.study.populations import LogitPopulation, adaptive_kde
from halfwidth.study.simulation.cells import Cells
from halfwidth.study.simulation.fitted import fitted, population_truth
from halfwidth.study.specs.spec import Instance

STATISTICS = ["mean", "sd", "trimmed_mean", "median", "iqr", "quantile:q=0.8"]
CASES = np.random.default_rng(8).beta(9, 2, size=120)
LIKE_CASES: dict[str, Callable[[], Any]] = {
    "kde": functools.partial(adaptive_kde, np.append(CASES, [1.0, 1.0]), Bounds(0, 1)),
    "kde_in_mm": functools.partial(adaptive_kde, 40 * CASES**3, Bounds(0, math.inf)),
    "empirical": functools.partial(populations.empirical, CASES[:77]),
    "coarse": functools.partial(populations.empirical, np.round(8 * CASES)),
}
FORMULAS: dict[str, dict[str, Any]] = {
    "skewnormal": {"family": "skewnormal", "shape": 4, "location": 1, "scale": 3},
    "lognormal": {"family": "lognormal", "log_sd": 0.6},
    "mixture": {
        "parts": [
            {"family": "beta", "a": 30, "b": 3, "weight": 9},
            {"family": "beta", "a": 1, "b": 20},
        ]
    },
    "hits": {"family": "bernoulli", "probability": 0.7},
}


def _cells(name: str) -> Cells:
    if name in FORMULAS:
        return cells_of_values(FORMULAS[name], statistics=STATISTICS, methods=["percentile"])
    instance = Instance(
        name=name,
        task="",
        model="",
        source="",
        level=MetricLevel.INDIVIDUAL,
        metric=None,
        build=LIKE_CASES[name],
        n_cases=100,
        digest=name,
        bounds=Bounds(0, math.inf),
    )
    spec = spec_of_values(FORMULAS["hits"], statistics=STATISTICS, methods=["percentile"])
    return Cells(instance, None, 10, spec)


@pytest.mark.parametrize("name", [*FORMULAS, *LIKE_CASES])
def test_statistics_of_large_samples_tend_to_the_truth(name: str) -> None:
    """20 samples of 100 001 cases: |t| > 7 with 19 degrees of freedom has probability 1e-6.

    The number is odd, so that of values that cannot be told apart no two are averaged.
    """
    cells = _cells(name)
    population = fitted(cells.instance).population
    generator = np.random.default_rng(99)
    samples = [population.draw(generator, 1, 100_001) for _ in range(20)]
    for measured in cells.measured:
        truth = population_truth(cells.instance, measured, cells.spec)
        assert (truth.standard_error, truth.how in ("formula", "root")) == (0, True)
        found = np.concatenate([measured.reduce(sample) for sample in samples])
        error = found.std(ddof=1) / math.sqrt(20)
        # The statistic of a sample is off by a share of 1/n of what it varies.
        slack = 1e-12 + 1e-3 * error + 1e-5 * abs(truth.value)
        assert abs(found.mean() - truth.value) <= 7 * error + slack, measured.statistic


def test_the_truth_is_the_same_at_every_size_and_for_every_method() -> None:
    spec = spec_of_values(FORMULAS["mixture"], sizes=[10, 200], statistics=STATISTICS)
    cells = cells_of_values(FORMULAS["mixture"], statistics=STATISTICS)
    for n in spec.sizes:
        again = Cells(cells.instance, None, n, spec).measured
        for one, other in zip(cells.measured, again, strict=True):
            first = population_truth(cells.instance, one, cells.spec)
            assert first == population_truth(cells.instance, other, spec)


# --------------------------------------------------------------------------- metrics of test sets

Metric = Callable[[NDArray[np.intp], Array], float]


def _said(scores: Array) -> NDArray[np.intp]:
    return np.asarray(scores.argmax(axis=1))


def _macro(of_class: Callable[[Any, Array], float]) -> Metric:
    def averaged(truth: NDArray[np.intp], scores: Array) -> float:
        return float(np.mean([of_class(truth == c, scores[:, c]) for c in range(scores.shape[1])]))

    return averaged


def _oracles() -> dict[tuple[str, str | None], Metric]:
    from sklearn import metrics as sk

    return {
        ("accuracy", None): lambda y, s: sk.accuracy_score(y, _said(s)),
        ("balanced_accuracy", None): lambda y, s: sk.balanced_accuracy_score(y, _said(s)),
        ("f_beta", "macro"): lambda y, s: sk.f1_score(y, _said(s), average="macro"),
        ("mcc", None): lambda y, s: sk.matthews_corrcoef(y, _said(s)),
        ("cohen_kappa", None): lambda y, s: sk.cohen_kappa_score(y, _said(s)),
        ("auroc", "macro"): _macro(sk.roc_auc_score),
        ("average_precision", "macro"): _macro(sk.average_precision_score),
        ("average_precision", "micro"): lambda y, s: sk.average_precision_score(
            np.eye(s.shape[1])[y], s, average="micro"
        ),
    }


def _by_hand(population: LogitPopulation, generator: np.random.Generator, n: int) -> Any:
    """Cases with kernels drawn by rejection: uniform in the cube, kept as 1 - |z|² says."""
    case = generator.integers(len(population.labels), size=n)
    rank = population.root.shape[1]
    moved = population.logits[:, case].copy()
    todo = np.arange(n if rank else 0)
    while len(todo):
        z = generator.uniform(-1, 1, size=(rank, len(todo)))
        kept = generator.random(len(todo)) < 1 - (z**2).sum(axis=0)
        shift = population.root @ z[:, kept] * population.widths[case[todo[kept]]]
        moved[:, todo[kept]] += shift
        todo = todo[~kept]
    odds = np.exp(moved - moved.max(axis=0))
    return population.labels[case], (odds / odds.sum(axis=0)).T


DRAWS = 60_000


@pytest.mark.parametrize("which", range(8))
def test_metrics_of_a_kernel_density_against_a_draw_by_hand(which: int) -> None:
    """10 draws against 20 blocks: |t| > 9 with 9 degrees of freedom has probability 1e-5."""
    (name, average), oracle = list(_oracles().items())[which]
    sets = labelled(classes=3, shares=[0.6, 0.3, 0.1], n=70, seed=3)
    cells = cells_of_sets(sets, name, 20, average, truth_draws=DRAWS)
    (measured,) = cells.measured
    truth = population_truth(sets, measured, cells.spec)
    assert truth.how == "draw"
    population, generator = fitted(sets).population, np.random.default_rng([17, which])
    found = np.array([oracle(*_by_hand(population, generator, 5000)) for _ in range(10)])
    error = math.hypot(found.std(ddof=1) / math.sqrt(10), truth.standard_error)
    assert abs(found.mean() - truth.value) < 9 * error
    assert 0 < error < 0.01


@pytest.mark.parametrize("which", range(8))
def test_metrics_of_an_empirical_distribution_are_those_of_its_cases(which: int) -> None:
    """All cases once are the population. |t| > 7 with 19 degrees of freedom: 1e-6."""
    (name, average), oracle = list(_oracles().items())[which]
    sets = labelled(classes=3, shares=[0.5, 0.3, 0.2], n=70, seed=3, empirical=True)
    population = fitted(sets).population
    odds = np.exp(population.logits)
    expected = oracle(population.labels, (odds / odds.sum(axis=0)).T)
    cells = cells_of_sets(sets, name, 20, average, truth_draws=DRAWS)
    (measured,) = cells.measured
    truth = population_truth(sets, measured, cells.spec)
    # Blocks of 3000 cases: what they are off by is a share of 1/3000.
    assert abs(truth.value - expected) < 7 * truth.standard_error + 1e-3
    assert truth.standard_error < 0.01


@pytest.mark.parametrize(("metric", "average"), [("auroc", "binary"), ("f_beta", "binary")])
def test_the_positive_class_is_the_second_of_two(metric: str, average: str) -> None:
    from sklearn.metrics import f1_score, roc_auc_score

    generator = np.random.default_rng(4)
    truth = (np.arange(60) < 15).astype(int)
    logits = generator.normal(size=(2, 60))
    logits[1] += 2 * truth - 0.5
    sets = of_logits("two", logits, truth, empirical=True)
    expected = {
        "auroc": roc_auc_score(truth, logits[1] - logits[0]),
        "f_beta": f1_score(truth, logits[1] > logits[0]),
    }
    cells = cells_of_sets(sets, metric, 20, average, truth_draws=DRAWS)
    (measured,) = cells.measured
    found = population_truth(sets, measured, cells.spec)
    assert abs(found.value - expected[metric]) < 7 * found.standard_error + 1e-3


def test_a_larger_draw_is_nearer_and_knows_it() -> None:
    sets = labelled(classes=2, n=60)
    errors = []
    for draws in (4000, 400_000):
        cells = cells_of_sets(sets, "accuracy", 20, truth_draws=draws)
        errors.append(population_truth(sets, cells.measured[0], cells.spec).standard_error)
    # χ² with 19 degrees of freedom: a ratio of errors 3 times off has a probability below 1e-4.
    assert 10 / 3 < errors[0] / errors[1] < 30
