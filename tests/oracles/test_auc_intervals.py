"""Closed-form intervals of an AUROC, against the formulas of the papers pair by pair."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from over_data import metric_ci
from scipy import optimize, special, stats
from support import codes

import halfwidth as hw

Array = NDArray[Any]
Z = 1.959963984540054


def interval(truth: Any, score: Any, method: str, **options: Any) -> hw.Estimate:
    made = metric_ci(truth, score, metric="auroc", method=method, scores="any", rng=1, **options)
    assert isinstance(made, hw.Estimate)
    return made


def kernel(truth: Array, score: Array) -> Array:
    """ψ of every positive (row) with every negative (column): 1, ½ or 0."""
    p, q = score[truth == 1][:, None], score[truth == 0][None]
    return np.where(p > q, 1.0, np.where(p == q, 0.5, 0.0))


def delong_1988(truth: Array, score: Array) -> tuple[float, float]:
    """The area and its SE: √(S10/m + S01/n), S of the structural components."""
    psi = kernel(truth, score)
    s10, s01 = np.var(psi.mean(axis=1), ddof=1), np.var(psi.mean(axis=0), ddof=1)
    return float(psi.mean()), math.sqrt(s10 / psi.shape[0] + s01 / psi.shape[1])


def obuchowski_1997(truth: Array, score: Array, groups: Array) -> tuple[float, float]:
    """The area and its SE by the paper's sums over clusters, case by case."""
    psi = kernel(truth, score)
    m, n = psi.shape
    area = psi.mean()
    v10, v01 = psi.mean(axis=1), psi.mean(axis=0)
    of_positive, of_negative = groups[truth == 1], groups[truth == 0]
    s10 = s01 = s11 = 0.0
    every = np.unique(groups)
    for cluster in every:
        own, others = of_positive == cluster, of_negative == cluster
        x, y = v10[own].sum() - own.sum() * area, v01[others].sum() - others.sum() * area
        s10, s01, s11 = s10 + x * x, s01 + y * y, s11 + x * y
    i10, i01, i = len(np.unique(of_positive)), len(np.unique(of_negative)), len(every)
    s10 *= i10 / ((i10 - 1) * m)
    s01 *= i01 / ((i01 - 1) * n)
    s11 *= i / (i - 1)
    return float(area), math.sqrt(max(s10 / m + s01 / n + 2 * s11 / (m * n), 0.0))


@st.composite
def test_sets(draw: st.DrawFn) -> tuple[Array, Array]:
    """Two or more cases of each class, with ties or without."""
    m, n = draw(st.integers(2, 25)), draw(st.integers(2, 25))
    steps = draw(st.sampled_from([2, 3, 10, 10**6]))
    scores = draw(st.lists(st.integers(0, steps), min_size=m + n, max_size=m + n))
    truth = np.array(draw(st.permutations([1] * m + [0] * n)))
    return truth, np.array(scores) / steps


test_sets.__test__ = False  # type: ignore[attr-defined]
Cases = tuple[Array, Array]


def overlapping(seed: int, n: int, clusters: int = 0) -> tuple[Array, Array, Array]:
    """Scores of two classes with ties, and clusters that share an effect."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 2, n)
    truth[:2] = 0, 1
    groups = generator.integers(0, clusters, n) if clusters else np.arange(n)
    effect = generator.normal(size=max(clusters, n))[groups]
    return truth, np.round(truth + effect + generator.normal(size=n), 1), groups


# --------------------------------------------------------------------------- DeLong


@given(test_sets())
def test_delong_has_the_area_and_error_of_the_structural_components(case: Cases) -> None:
    truth, score = case
    area, error = delong_1988(truth, score)
    made = interval(truth, score, "delong")
    assert made.value == pytest.approx(area)
    if error <= 1e-9:
        assert math.isnan(made.low)
        assert math.isnan(made.high)
        return
    assert made.standard_error == pytest.approx(error)
    np.testing.assert_allclose([made.low, made.high], [area - Z * error, area + Z * error])
    on_logit = interval(truth, score, "delong_logit")
    reach = Z * error / (area * (1 - area))
    ends = special.expit(special.logit(area) + np.array([-reach, reach]))
    np.testing.assert_allclose([on_logit.low, on_logit.high], ends, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
@pytest.mark.parametrize("alternative", ["lower", "upper"])
def test_one_sided_delong_has_the_whole_error_on_one_side(level: float, alternative: str) -> None:
    truth, score, _ = overlapping(3, 60)
    area, error = delong_1988(truth, score)
    made = interval(truth, score, "delong", confidence_level=level, alternative=alternative)
    reach = stats.norm.ppf(level) * error
    wanted = [area - reach, 1.0] if alternative == "lower" else [0.0, area + reach]
    np.testing.assert_allclose([made.low, made.high], wanted)


@pytest.mark.parametrize("seed", range(12))
def test_error_of_clusters_is_obuchowskis(seed: int) -> None:
    truth, score, groups = overlapping(seed, 60, 5 + 2 * seed)
    area, error = obuchowski_1997(truth, score, groups)
    made = interval(truth, score, "delong", groups=groups)
    assert made.value == pytest.approx(area)
    assert made.standard_error == pytest.approx(error)
    # t quantiles of clusters less one.
    reach = stats.t.ppf(0.975, len(np.unique(groups)) - 1) * error
    np.testing.assert_allclose([made.low, made.high], [area - reach, area + reach])
    on_logit = interval(truth, score, "delong_logit", groups=groups)
    away = reach / (area * (1 - area))
    ends = special.expit(special.logit(area) + np.array([-away, away]))
    np.testing.assert_allclose([on_logit.low, on_logit.high], ends)


@pytest.mark.parametrize("seed", range(4))
def test_clusters_of_one_class_each_have_no_cross_term(seed: int) -> None:
    generator = np.random.default_rng(seed)
    groups = np.repeat(np.arange(12), 4)
    truth = np.repeat(generator.permutation([0, 1] * 6), 4)
    score = np.round(truth + generator.normal(size=12)[groups] + generator.normal(size=48), 1)
    _, error = obuchowski_1997(truth, score, groups)
    assert interval(truth, score, "delong", groups=groups).standard_error == pytest.approx(error)


@given(test_sets())
def test_clusters_of_one_case_each_are_independent_cases(case: Cases) -> None:
    truth, score = case
    for method in ("delong", "delong_logit", "delong_logit_t", "newcombe"):
        alone = interval(truth, score, method)
        clustered = interval(truth, score, method, groups=np.arange(len(truth)))
        np.testing.assert_allclose(
            [clustered.low, clustered.high, clustered.standard_error],
            [alone.low, alone.high, alone.standard_error],
        )


@pytest.mark.parametrize("seed", range(4))
def test_every_case_doubled_within_its_cluster_leaves_the_error(seed: int) -> None:
    truth, score, groups = overlapping(seed, 50, 50)
    once = interval(truth, score, "delong", groups=groups)
    double = [np.tile(cells, 2) for cells in (truth, score, groups)]
    twice = interval(double[0], double[1], "delong", groups=double[2])
    np.testing.assert_allclose([twice.low, twice.high], [once.low, once.high])


# --------------------------------------------------------------------------- closed forms


def error_of_exponential_scores(area: float, m: float, n: float) -> float:
    """Hanley and McNeil (1982), equation 1, as printed."""
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    top = area * (1 - area) + (m - 1) * (q1 - area**2) + (n - 1) * (q2 - area**2)
    return math.sqrt(max(top, 0.0) / (m * n))


@given(test_sets())
def test_hanley_mcneil_has_the_printed_error(case: Cases) -> None:
    truth, score = case
    m, n = int(truth.sum()), int((1 - truth).sum())
    made = interval(truth, score, "hanley_mcneil")
    if made.value in {0.0, 1.0}:
        assert math.isnan(made.low)
        return
    error = error_of_exponential_scores(made.value, m, n)
    np.testing.assert_allclose(
        [made.low, made.high, made.standard_error],
        [made.value - Z * error, made.value + Z * error, error],
        rtol=1e-9,
    )


def newcombe_2006(area: float, m: float, n: float, z: float) -> tuple[float, float]:
    """The roots of |Â - A| = z·SE(A), by Brent's method."""
    size = (m + n) / 2 - 1

    def excess(at: float) -> float:
        variance = at * (1 - at) / (m * n)
        variance *= 1 + size * (1 - at) / (2 - at) + size * at / (1 + at)
        return (area - at) ** 2 - z**2 * variance

    low = 0.0 if area == 0 else optimize.brentq(excess, 0.0, area - 1e-13, xtol=1e-14)
    high = 1.0 if area == 1 else optimize.brentq(excess, area + 1e-13, 1.0, xtol=1e-14)
    return float(low), float(high)


@given(test_sets())
def test_newcombe_solves_its_equation(case: Cases) -> None:
    truth, score = case
    made = interval(truth, score, "newcombe")
    wanted = newcombe_2006(made.value, truth.sum(), (1 - truth).sum(), Z)
    np.testing.assert_allclose([made.low, made.high], wanted, rtol=0, atol=1e-9)
    assert made.low < made.high


def test_newcombe_of_clusters_counts_the_clusters_of_each_class_by_their_cases() -> None:
    truth, score, groups = overlapping(5, 80, 15)
    cases = [np.unique(groups[truth == side], return_counts=True)[1] for side in (1, 0)]
    sizes = [own.sum() ** 2 / (own**2).sum() for own in cases]
    made = interval(truth, score, "newcombe", groups=groups)
    wanted = newcombe_2006(made.value, sizes[0], sizes[1], Z)
    np.testing.assert_allclose([made.low, made.high], wanted, rtol=0, atol=1e-9)


# --------------------------------------------------------------------------- degenerate

PERFECT = np.repeat([0, 1], 10), np.arange(20) / 20
REVERSED = PERFECT[0], -PERFECT[1]
TIED = PERFECT[0], np.full(20, 0.3)
LONE = np.eye(1, 20, 12, dtype=int)[0], PERFECT[1]
DEGENERATE = {"perfect": PERFECT, "reversed": REVERSED, "tied": TIED, "lone": LONE}
# With a single positive case its spread is unseen, but that of exponential scores is supposed.
NO_INTERVAL = [
    (name, method)
    for name in DEGENERATE
    for method in ("delong", "delong_logit", "delong_logit_t", "hanley_mcneil")
    if method != "hanley_mcneil" or name in {"perfect", "reversed"}
]


@pytest.mark.parametrize(("name", "method"), NO_INTERVAL)
def test_method_without_a_variance_gives_no_interval_and_says_so(name: str, method: str) -> None:
    made = interval(*DEGENERATE[name], method)
    assert math.isnan(made.low)
    assert math.isnan(made.high)
    assert "HW306" in codes(made)


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("method", ["newcombe", "dirichlet", "auto"])
def test_newcombe_and_dirichlet_which_auto_takes_are_always_defined(name: str, method: str) -> None:
    made = interval(*DEGENERATE[name], method)
    assert 0 <= made.low <= made.value <= made.high <= 1
    assert made.low < made.high
    assert "HW306" not in codes(made)
    assert made.method == ("dirichlet" if method == "auto" else method)


def test_auto_takes_delong_on_the_logit_elsewhere() -> None:
    truth, score, groups = overlapping(7, 120, 40)
    for options in ({}, {"groups": groups}, {"strata": groups % 2}):
        chosen = interval(truth, score, "auto", **options)
        assert chosen.method == "delong_logit_t"
        named = interval(truth, score, "delong_logit_t", **options)
        assert (chosen.low, chosen.high) == (named.low, named.high)


# --------------------------------------------------------------------------- symmetries

METHODS = ("delong", "delong_logit", "delong_logit_t", "hanley_mcneil", "newcombe")


@pytest.mark.parametrize("method", METHODS)
@given(case=test_sets())
def test_rising_transform_of_the_scores_leaves_the_interval(method: str, case: Cases) -> None:
    truth, score = case
    plain = interval(truth, score, method)
    for moved in (1000 * score - 7, np.exp(3 * score)):
        made = interval(truth, moved, method)
        np.testing.assert_array_equal(
            [made.value, made.low, made.high], [plain.value, plain.low, plain.high]
        )


@pytest.mark.parametrize("method", ["delong", "delong_logit", "delong_logit_t", "newcombe"])
@given(case=test_sets())
def test_other_class_as_the_positive_one_mirrors_the_interval(method: str, case: Cases) -> None:
    truth, score = case
    plain, mirrored = interval(truth, score, method), interval(1 - truth, score, method)
    np.testing.assert_allclose(
        [1 - mirrored.high, 1 - mirrored.low], [plain.low, plain.high], rtol=0, atol=1e-9
    )
    if method == "delong":
        # Naming the other class positive, with its own scores, changes nothing at all.
        renamed = interval(truth, -score, method, pos_label=0)
        np.testing.assert_allclose([renamed.low, renamed.high], [plain.low, plain.high])


def test_order_of_cases_and_names_of_clusters_do_not_matter() -> None:
    truth, score, groups = overlapping(9, 70, 14)
    plain = interval(truth, score, "auto", groups=groups)
    order = np.random.default_rng(1).permutation(70)
    names = np.array([f"patient {(5 * g) % 14}" for g in groups])
    moved = interval(truth[order], score[order], "auto", groups=names[order])
    np.testing.assert_allclose([moved.low, moved.high], [plain.low, plain.high], rtol=1e-12)
