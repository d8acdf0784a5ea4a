"""Points in place of very many values, and quantiles of means from them, against every value."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

import halfwidth as hw
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.exact import dirichlet_means
from halfwidth.resampling.exact.dirichlet_means import weighted_means
from halfwidth.resampling.exact.gathered_cells import gathered

Array = NDArray[np.float64]
N = 4500
PLAN = Plan(entropy=1, n_resamples=999)
HALF, WHOLE = (
    PseudoCases.outward(0.5, hw.Bounds(0, 1)),
    PseudoCases.outward(1, hw.Bounds(0, 1)),
)


def samples() -> dict[str, Array]:
    rng = np.random.default_rng(0)
    skewed = rng.beta(20, 1, N)
    normal = rng.standard_normal(N)
    return {
        "skewed": skewed,
        "one outlier": np.append(skewed[1:], 0.0),
        "group of outliers": np.append(skewed[30:], 1e-3 * rng.random(30)),
        "tiny spread": 0.9 + 1e-9 * normal,
        "tiny spread, one outlier": np.append(0.9 + 1e-6 * normal[1:], 0.0),
        "at the bound": 1 - 1e-12 * rng.random(N),
        "heap and others": np.where(rng.random(N) < 0.9, 1.0, rng.random(N)),
        "rare and small": np.append(np.zeros(N - 5), np.full(5, 1e-4)),
        "heaps": rng.choice([0.0, 0.5, 0.8], N) + 1e-9 * rng.random(N),
        "lattice": np.round(skewed, 2),
        "many scales": np.minimum(1e-6 * np.exp(2.5 * normal), 1.0),
        "equal": np.full(N, 0.7),
    }


def quantiles(values: Array, pseudo_cases: PseudoCases, tail: float) -> Array:
    lower, upper = weighted_means(values, Design((values.shape[-1],)), PLAN, pseudo_cases)
    return np.array([lower.quantile(tail), upper.quantile(1 - tail)])


@pytest.mark.parametrize("name", samples())
def test_points_keep_the_moments_of_their_cells(name: str) -> None:
    values = samples()[name]
    median, distances, masses = gathered(values)
    assert (masses >= 0).all()
    assert masses.sum() == pytest.approx(N, rel=1e-13)
    assert median + distances.min() >= values.min() - 1e-15
    assert median + distances.max() <= values.max() + 1e-15
    assert len(masses) < N / 6
    away = values - median
    for power in (1, 2, 3):
        size = (np.abs(away) ** power).sum()
        assert (masses * distances**power).sum() == pytest.approx(
            (away**power).sum(), abs=1e-12 * size
        )


@pytest.mark.parametrize("name", samples())
def test_quantiles_are_those_of_all_values(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = samples()[name][None]
    settings = [(HALF, 0.025), (WHOLE, 0.0005)]
    few = [quantiles(values, *setting) for setting in settings]
    monkeypatch.setattr(dirichlet_means, "MOST_VALUES", N)
    error = float(values.std()) / np.sqrt(N)
    for (pseudo_cases, tail), found in zip(settings, few, strict=True):
        every = quantiles(values, pseudo_cases, tail)
        assert np.abs(found - every).max() <= 1e-8 * max(error, 1 / N)


def test_a_million_zeros_and_ones_have_beta_quantiles() -> None:
    n, ones = 10**6, 999_000
    values = np.repeat([0.25, 0.75], [n - ones, ones])[None]
    low = special.betaincinv(ones, n - ones + 0.5, 0.025)
    high = special.betaincinv(ones + 0.5, n - ones, 0.975)
    expected = pytest.approx((0.25 + low / 2, 0.25 + high / 2), abs=1e-13)
    half = PseudoCases.outward(0.5, hw.Bounds(0.25, 0.75))
    assert quantiles(values, half, 0.025)[:, 0] == expected
    # That was the closed form of proportions; this is the inversion, of points.
    assert dirichlet_means._gathered(values, Design((n,))) is not None
    lower, upper = dirichlet_means._inverted(values, Design((n,)), half)
    assert (lower.quantile(0.025)[0], upper.quantile(0.975)[0]) == expected


def test_batches_pairs_and_equal_clusters_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    a, b = rng.beta([[20.0], [9.0]], 1, (2, 9000))
    groups = np.repeat(np.arange(4500), 2)
    batch = quantiles(np.stack([a, np.full(9000, 0.7)]), HALF, 0.025)
    alone = quantiles(a[None], HALF, 0.025)
    assert batch[:, 0] == pytest.approx(alone[:, 0], abs=1e-14)

    def bounds() -> list[float]:
        paired = hw.difference_ci(a, b, metric="dsc", method="dirichlet")
        clustered = hw.summary_ci(a, metric="dsc", method="dirichlet", groups=groups)
        return [paired.low, paired.high, clustered.low, clustered.high]

    few = bounds()
    monkeypatch.setattr(dirichlet_means, "MOST_VALUES", 9000)
    assert few == pytest.approx(bounds(), abs=1e-12)
    assert few != bounds()
