from __future__ import annotations

import functools
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import linalg, special, stats

from halfwidth import DataError, OptionError
from halfwidth.core.types import Array
from halfwidth.study.populations import (
    LogitPopulation,
    Population,
    logit_empirical,
    logit_kde,
    truth_of_metric,
)


def model(classes: int, n: int, seed: int = 0) -> tuple[Array, Any]:
    """Logits of a model that is right more often than not, skewed and correlated."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(classes, n, p=np.arange(1, classes + 1) / sum(range(classes + 1)))
    logits = rng.standard_normal((classes, n)) + rng.standard_exponential(n)
    logits[labels, np.arange(n)] += 1.5
    return logits, labels


def accuracy(records: Array) -> Array:
    return np.asarray((records[:, :-1].argmax(axis=1) == records[:, -1]).mean(axis=-1))


def naive_widths(logits: Array, exponent: Any) -> Array:
    """Algorithm 2 of andre2025 in d dimensions, without bounds and without its misprints."""
    d, n = logits.shape
    precision = np.linalg.inv(np.cov(logits))
    h = 1.06 * n ** (-1 / (d + 4 if exponent == "d+4" else 5))
    pilot = np.zeros(n)
    for i in range(n):
        for j in range(n):
            off = logits[:, i] - logits[:, j]
            square = off @ precision @ off / h**2
            pilot[i] += max(0.0, 1 - square) / (n * h**d)
    log_g = np.log(pilot).mean()
    return np.asarray(h * (pilot / np.exp(log_g)) ** -0.5)


def in_unit_ball(d: int, count: int, rng: np.random.Generator) -> Array:
    """Epanechnikov variates in d dimensions by rejection from the cube, shape (d, count)."""
    kept: list[Array] = []
    while sum(len(part) for part in kept) < count:
        x = rng.uniform(-1, 1, (count, d))
        square = (x**2).sum(axis=1)
        kept.append(x[rng.random(count) < np.maximum(1 - square, 0)])
    return np.concatenate(kept)[:count].T


# --------------------------------------------------------------------------- the fit


@pytest.mark.parametrize("exponent", ["d+4", "5"])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_widths_follow_the_formula(classes: int, exponent: Any) -> None:
    logits, labels = model(classes, 60)
    population = logit_kde(logits, labels, exponent=exponent)
    np.testing.assert_allclose(population.widths, naive_widths(logits, exponent), rtol=1e-9)
    np.testing.assert_allclose(population.root @ population.root.T, np.cov(logits), rtol=1e-10)


def test_blocks_of_any_size_give_the_same_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    logits, labels = model(3, 300)
    whole = logit_kde(logits, labels).widths
    monkeypatch.setattr("halfwidth.study.populations.logits.CELLS", 1)
    np.testing.assert_allclose(logit_kde(logits, labels).widths, whole, rtol=1e-12)


def test_the_fit_does_not_depend_on_coordinates() -> None:
    logits, labels = model(3, 80)
    turned = np.random.default_rng(1).standard_normal((3, 3)) @ logits + 5
    np.testing.assert_allclose(
        logit_kde(turned, labels).widths, logit_kde(logits, labels).widths, rtol=1e-8
    )


@pytest.mark.parametrize("exponent", ["d+4", "5"])
def test_logits_that_add_up_to_nothing_have_one_dimension_less(exponent: Any) -> None:
    logits, labels = model(4, 80)
    centred = logits - logits.mean(axis=0)
    population = logit_kde(centred, labels, exponent=exponent)
    assert population.root.shape == (4, 3)
    # Any three of the coordinates say everything: the same KDE in another basis.
    three = logit_kde(centred[:3], np.minimum(labels, 2), exponent=exponent)
    np.testing.assert_allclose(population.widths, three.widths, rtol=1e-8)
    np.testing.assert_allclose(population.root @ population.root.T, np.cov(centred), atol=1e-12)
    # So do single-precision logits, whose rounding is no dimension.
    rounded = logit_kde(centred.astype(np.float32), labels, exponent=exponent)
    assert rounded.root.shape == (4, 3)
    np.testing.assert_allclose(rounded.widths, population.widths, rtol=1e-4)
    # No kernel leaves the plane.
    noise = population._kernels(np.random.default_rng(0), np.arange(80))
    np.testing.assert_allclose(noise.sum(axis=0), 0, atol=1e-12)


def test_fewer_cases_than_classes_can_be_fitted() -> None:
    logits, labels = model(6, 4)
    assert logit_kde(logits, labels).root.shape == (6, 3)


def test_without_spread_cases_keep_their_logits() -> None:
    logits = np.tile([[1.0], [0.0]], 5)
    population = logit_kde(logits, [0, 1, 0, 0, 1])
    drawn = population.draw(np.random.default_rng(0), 3, 40)
    np.testing.assert_allclose(drawn[:, 0], special.expit(1), rtol=1e-15)
    assert population.skewness == 0
    assert population.kurtosis == 0


# --------------------------------------------------------------------------- the kernel


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_kernels_have_their_radius_direction_and_covariance(classes: int) -> None:
    logits, labels = model(classes, 50)
    population = logit_kde(logits, labels)
    n, d, case = 200_000, classes, 7
    noise = population._kernels(np.random.default_rng(3), np.full(n, case))
    unit = np.linalg.solve(population.root, noise) / population.widths[case]
    squares = (unit**2).sum(axis=0)
    assert squares.max() < 1
    # Massart's inequality, a false alarm of 1e-6.
    gap = math.sqrt(math.log(2e6) / (2 * n))
    assert stats.kstest(squares, stats.beta(d / 2, 2).cdf).statistic < gap
    # A coordinate of a uniform direction, squared, is Beta(1/2, (d - 1)/2).
    along = unit[0] ** 2 / squares
    assert stats.kstest(along, stats.beta(0.5, (d - 1) / 2).cdf).statistic < gap
    assert abs((unit[0] > 0).mean() - 0.5) < 2.5 / math.sqrt(n)  # 5 SE
    assert abs(np.corrcoef(along, squares)[0, 1]) < 5 / math.sqrt(n)
    expected = np.cov(logits) * population.widths[case] ** 2 / (d + 4)
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    # Entries of a sample covariance; kurtosis is below a normal's: 6 SE.
    assert (np.abs(np.cov(noise) - expected) < 6 * scale * math.sqrt(2 / n)).all()
    assert (np.abs(noise.mean(axis=1)) < 6 * np.sqrt(np.diag(expected) / n)).all()


def test_kernels_agree_with_rejection_sampling() -> None:
    logits, labels = model(3, 40)
    population = logit_kde(logits, labels)
    rng = np.random.default_rng(5)
    n = 100_000
    case = rng.integers(40, size=n)
    root = linalg.sqrtm(np.cov(logits)).real
    moved = logits[:, case] + naive_widths(logits, "d+4")[case] * (root @ in_unit_ball(3, n, rng))
    by_rejection = special.softmax(moved, axis=0)
    drawn = population.draw(rng, 10, n // 10)
    for row in range(3):
        # Two-sample tests at a false alarm of 1e-6 each.
        ours = drawn[:, row].ravel()
        assert stats.ks_2samp(ours, by_rejection[row], method="asymp").pvalue > 1e-6
    right = (by_rejection.argmax(axis=0) == labels[case]).mean()
    # The difference of two proportions of 100 000; 5 SE, false alarm 6e-7.
    assert abs(accuracy(drawn).mean() - right) < 5 * math.sqrt(2 * 0.25 / n)


# --------------------------------------------------------------------------- draws


@pytest.mark.parametrize("build", [logit_kde, logit_empirical])
@pytest.mark.parametrize(("samples", "n"), [(7, 11), (1, 30_000), (300, 100), (0, 5)])
def test_draws_are_probabilities_with_labels(build: Any, samples: int, n: int) -> None:
    logits, labels = model(4, 90)
    drawn = build(logits, labels).draw(np.random.default_rng(0), samples, n)
    assert drawn.shape == (samples, 5, n)
    assert drawn.dtype == np.float64
    assert ((drawn[:, :-1] >= 0) & (drawn[:, :-1] <= 1)).all()
    np.testing.assert_allclose(drawn[:, :-1].sum(axis=1), 1, rtol=1e-14)
    assert np.isin(drawn[:, -1], [0, 1, 2, 3]).all()


def test_labels_are_as_frequent_as_in_the_data_and_stay_with_their_cases() -> None:
    labels = np.repeat([0, 1, 2], [20, 50, 30])
    logits = np.random.default_rng(0).normal(0, 0.1, (3, 100))
    logits[labels, np.arange(100)] += 4  # far from those of the other classes
    population = logit_kde(logits, labels)
    drawn = population.draw(np.random.default_rng(1), 100, 400)
    counts = np.bincount(drawn[:, -1].ravel().astype(int))
    assert stats.chisquare(counts, population.class_shares * 40_000).pvalue > 1e-6
    assert population.class_shares.tolist() == [0.2, 0.5, 0.3]
    # The classes lie apart by more than most kernels reach; labels drawn anew would agree in 38 %.
    assert accuracy(drawn).mean() > 0.97
    assert (population.n_classes, population.classes.tolist()) == (3, [0, 1, 2])


def test_empirical_draws_are_cases() -> None:
    logits, labels = model(3, 25)
    population = logit_empirical(logits, labels)
    drawn = population.draw(np.random.default_rng(2), 10, 50)
    records = np.vstack([special.softmax(logits, axis=0), labels])
    gaps = np.abs(drawn.transpose(0, 2, 1)[:, :, None] - records.T).max(axis=-1).min(axis=-1)
    assert gaps.max() < 1e-15
    impossible = logit_empirical([[0.0, -math.inf], [-math.inf, 0.0]], [0, 1])
    drawn = impossible.draw(np.random.default_rng(0), 1, 30)
    assert (drawn[0, 1] == drawn[0, 2]).all()


def test_logits_have_the_moments_of_data_and_kernels() -> None:
    logits, labels = model(3, 60)
    population = logit_kde(logits, labels)
    n = 400_000
    drawn = np.log(population.draw(np.random.default_rng(4), 1, n)[0, :3])
    apart = drawn[1:] - drawn[0]  # a softmax loses what all logits have in common
    contrast = np.array([[-1, 1, 0], [-1, 0, 1]])
    whole = np.cov(logits, ddof=0) + np.cov(logits) * (population.widths**2).mean() / 7
    expected = contrast @ whole @ contrast.T
    scale = np.sqrt(np.diag(expected))
    # Means and variances of 400 000 draws whose kurtosis is below 6: 5 SE.
    assert (np.abs(apart.mean(axis=1) - contrast @ logits.mean(axis=1)) < 5 * scale / n**0.5).all()
    slack = 5 * np.outer(scale, scale) * math.sqrt(5 / n)
    assert (np.abs(np.cov(apart) - expected) < slack).all()


def test_populations_are_pickled() -> None:
    logits, labels = model(3, 30)
    build = functools.partial(logit_kde, logits, labels, exponent="5")
    population = pickle.loads(pickle.dumps(build))()  # noqa: S301 -- our own bytes
    assert population.kurtosis > 0  # fills the cache
    again = pickle.loads(pickle.dumps(population))  # noqa: S301 -- our own bytes
    one = population.draw(np.random.default_rng(1), 2, 50)
    np.testing.assert_array_equal(one, again.draw(np.random.default_rng(1), 2, 50))
    assert isinstance(again, LogitPopulation)
    assert not isinstance(again, Population)
    assert (again.kind, logit_empirical(logits, labels).kind) == ("logit_kde", "logit_empirical")


def test_a_later_change_of_the_array_changes_nothing() -> None:
    logits, labels = model(3, 30)
    population = logit_empirical(logits, labels)
    before = population.draw(np.random.default_rng(1), 2, 50)
    logits[:] = 0
    np.testing.assert_array_equal(before, population.draw(np.random.default_rng(1), 2, 50))


# --------------------------------------------------------------------------- characteristics


def test_skewness_and_kurtosis_follow_their_definitions() -> None:
    logits, labels = model(3, 40)
    population = logit_empirical(logits, labels)
    inverse = linalg.inv(linalg.sqrtm(np.cov(logits, ddof=0)).real)
    y = inverse @ (logits - logits.mean(axis=1, keepdims=True))
    vector, cubes, fourth = np.zeros(3), 0.0, 0.0
    for case in range(40):
        one = y[:, case]
        vector += (one @ one) * one / 40
        fourth += (one @ one) ** 2 / 40
        cubes += sum(a * b * c for a in one for b in one for c in one) / 40
    assert population.skewness == pytest.approx(math.sqrt(vector @ vector), rel=1e-10)
    assert population.skewness_of_sum == pytest.approx(cubes, rel=1e-10)
    assert population.kurtosis == pytest.approx(fourth, rel=1e-10)


def test_only_one_of_the_two_skewnesses_depends_on_the_basis() -> None:
    logits, labels = model(3, 200)
    turn = stats.special_ortho_group.rvs(3, random_state=1)
    plain, turned = logit_empirical(logits, labels), logit_empirical(turn @ logits, labels)
    assert turned.skewness == pytest.approx(plain.skewness, rel=1e-10)
    assert turned.kurtosis == pytest.approx(plain.kurtosis, rel=1e-10)
    assert abs(turned.skewness_of_sum - plain.skewness_of_sum) > 0.1


def test_characteristics_of_a_normal_and_of_two_points() -> None:
    logits = np.random.default_rng(0).standard_normal((3, 100_000))
    population = logit_empirical(logits, np.zeros(100_000, dtype=int))
    # Var |Y|⁴ = 360·... is below 900 in 3 dimensions: 5 SE; the skewness is a norm near 0.
    assert population.kurtosis == pytest.approx(15, abs=5 * 30 / math.sqrt(100_000))
    assert population.skewness < 0.1
    # On one line Y is one-dimensional: E Y³ and E Y⁴ of the plain kind.
    line = np.outer([3.0, 4.0], np.random.default_rng(1).standard_exponential(50))
    flat = logit_empirical(line, np.zeros(50, dtype=int))
    assert flat.skewness == pytest.approx(stats.skew(line[0]), rel=1e-10)
    assert flat.kurtosis == pytest.approx(stats.kurtosis(line[0]) + 3, rel=1e-10)
    assert flat.skewness_of_sum == pytest.approx((7 / 5) ** 3 * stats.skew(line[0]), rel=1e-10)


# --------------------------------------------------------------------------- truths


def test_the_accuracy_of_an_empirical_population_is_that_of_its_cases() -> None:
    logits, labels = model(4, 150)
    population = logit_empirical(logits, labels)
    expected = (logits.argmax(axis=0) == labels).mean()
    found = truth_of_metric(population, accuracy, np.random.default_rng(7))
    assert (found.value, found.standard_error, found.how) == (expected, 0.0, "formula")


def test_areas_of_an_empirical_population_are_those_of_large_samples() -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    logits, labels = model(2, 60)
    population = logit_empirical(logits, labels)
    generator = np.random.default_rng(7)
    for area in (roc_auc_score, average_precision_score):

        def reduce(records: Array, area: Callable[..., float] = area) -> Array:
            return np.array([area(record[-1], record[1]) for record in records])

        found = truth_of_metric(population, reduce, generator)
        drawn = reduce(population.draw(generator, 20, 20_000))
        error = drawn.std(ddof=1) / math.sqrt(20)
        # 6 SE with 19 degrees of freedom has a false alarm of 9e-6.
        assert abs(drawn.mean() - found.value) < 6 * error


def test_truths_are_means_over_blocks() -> None:
    logits, labels = model(3, 50)
    population = logit_kde(logits, labels)
    sizes: list[tuple[int, ...]] = []

    def reduce(records: Array) -> Array:
        sizes.append(records.shape)
        return accuracy(records)

    rng = np.random.default_rng(8)
    one = truth_of_metric(population, reduce, rng, draws=4000, blocks=8)
    assert sizes == [(1, 4, 500)] * 8
    rng = np.random.default_rng(8)
    blocks = [float(accuracy(population.draw(rng, 1, 500))[0]) for _ in range(8)]
    assert one.value == pytest.approx(np.mean(blocks))
    assert one.standard_error == pytest.approx(np.std(blocks, ddof=1) / math.sqrt(8))
    with pytest.raises(OptionError, match="blocks=1"):
        truth_of_metric(population, accuracy, rng, blocks=1)
    with pytest.raises(OptionError, match="draws=30 is too few for 20 blocks"):
        truth_of_metric(population, accuracy, rng, draws=30)


@pytest.mark.parametrize("task", ["adrenalmnist", "pneumoniamnist"])
def test_real_log_posteriors_can_be_fitted(shared: Path, task: str) -> None:
    folder = shared / "data" / "medmnist_scores"
    logits = np.load(folder / f"{task}_scores.npy").T
    labels = np.load(folder / f"{task}_targets.npy")
    population = logit_kde(logits, labels)
    np.testing.assert_allclose(population.class_shares, np.bincount(labels) / len(labels))
    found = truth_of_metric(population, accuracy, np.random.default_rng(0), draws=100_000)
    # The KDE moves a few cases across the threshold, not many.
    assert abs(found.value - (logits.argmax(axis=0) == labels).mean()) < 0.02
    assert population.skewness > 0


# --------------------------------------------------------------------------- doors

GOOD = [[2.0, 0.5, -1.0], [0.0, 0.0, 0.3]]


@pytest.mark.parametrize(
    ("logits", "labels", "said"),
    [
        ([[1.0, 2.0]], [0, 0], "at least 2 classes, got"),
        ([1.0, 2.0], [0, 1], "shape"),
        (GOOD, [0, 1], r"each of 3 cases, got shape \(2,\)"),
        (GOOD, [0, 1, 2], "integers from 0 to 1.*from 0 to 2"),
        (GOOD, [0, -1, 1], "from -1 to 1"),
        (GOOD, [0.0, 1.0, 1.0], "got float64"),
        ([[1.0, math.nan], [0, 1]], [0, 1], "1 of 2 cases, the first at position 1"),
        ([[1.0, math.inf], [0, 1]], [0, 1], "missing, ∞"),
        ([[1.0, -math.inf], [0, -math.inf]], [0, 1], "-∞ for all classes"),
        ([["a", "b"], ["c", "d"]], [0, 1], "numbers"),
    ],
)
@pytest.mark.parametrize("build", [logit_kde, logit_empirical])
def test_what_cannot_be_used_is_said(build: Any, logits: Any, labels: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        build(logits, labels)


def test_a_probability_of_zero_is_said() -> None:
    with pytest.raises(DataError, match=r"1 of 3 cases have an infinite one .*probability of 0"):
        logit_kde([[0.0, -1.0, -math.inf], [-1.0, 0.0, 0.0]], [0, 1, 1])
    with pytest.raises(DataError, match="at least 2 cases, got 1"):
        logit_kde([[0.0], [1.0]], [1])
    with pytest.raises(DataError, match="at least 1 case, got 0"):
        logit_empirical(np.zeros((2, 0)), np.zeros(0, dtype=int))
    with pytest.raises(OptionError, match="exponent='d\\+5' is none of d\\+4, 5"):
        logit_kde(GOOD, [0, 1, 1], exponent="d+5")  # type: ignore[arg-type]
