"""The delta method, against derivatives by differences, closed forms and simulated tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from over_data import metric_ci
from scipy import special, stats
from statsmodels.stats.inter_rater import cohens_kappa

import halfwidth as hw

Array = NDArray[Any]
OfTables = Callable[[Array], Array]
Z = 1.959963984540054

# True classes are rows; the classes differ in size, and the tables are not symmetric.
TWO = np.array([[420, 80], [45, 255]])
THREE = np.array([[300, 40, 10], [35, 120, 25], [2, 18, 50]])
COSTS = np.array([[0.0, 2.0, 5.0], [1.0, 0.0, 1.5], [9.0, 3.0, 0.0]])
PRIORS = np.array([0.2, 0.3, 0.5])


def cases_of(table: Array) -> tuple[Array, Array]:
    truth, said = np.indices(table.shape).reshape(2, -1)
    return np.repeat(truth, table.ravel()), np.repeat(said, table.ravel())


def estimate(table: Array, metric: str, **options: Any) -> hw.Estimate:
    made = metric_ci(*cases_of(table), metric=metric, method="delta", scores="labels", **options)
    assert isinstance(made, hw.Estimate)
    assert made.method == "delta"
    return made


# ------------------------------------------------------------- the metrics, (..., C, C) -> (...)


def rest(t: Array) -> tuple[Array, Array, Array, Array]:
    """TP, FN, FP and TN of each class."""
    tp = np.einsum("...ii->...i", t)
    fn, fp = t.sum(-1) - tp, t.sum(-2) - tp
    return tp, fn, fp, t.sum((-1, -2))[..., None] - tp - fn - fp


def f_of(t: Array, average: str, beta: float = 1.0) -> Array:
    tp, fn, fp, _ = rest(t)
    if average == "micro":
        tp, fn, fp = (a.sum(-1) for a in (tp, fn, fp))
    each = (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)
    if average == "macro":
        return np.asarray(each.mean(-1))
    if average == "weighted":
        return np.asarray((each * t.sum(-1)).sum(-1) / t.sum((-1, -2)))
    return np.asarray(each if average == "micro" else each[..., 1])


def mcc_of(t: Array) -> Array:
    """The correlation of the indicators of the classes, summed over classes."""
    p = t / t.sum((-1, -2))[..., None, None]
    a, b = p.sum(-1), p.sum(-2)
    covariance = np.einsum("...ii->...", p) - (a * b).sum(-1)
    return np.asarray(covariance / np.sqrt((1 - (a**2).sum(-1)) * (1 - (b**2).sum(-1))))


def kappa_of(t: Array, power: int | None) -> Array:
    p = t / t.sum((-1, -2))[..., None, None]
    i, j = np.indices(t.shape[-2:])
    weight = (i != j).astype(float) if power is None else np.abs(i - j) ** float(power)
    expected = p.sum(-1)[..., :, None] * p.sum(-2)[..., None, :]
    return np.asarray(1 - (weight * p).sum((-1, -2)) / (weight * expected).sum((-1, -2)))


def cost_of(t: Array, costs: Array, priors: Array | None, *, normalised: bool) -> Array:
    prior = t.sum(-1) / t.sum((-1, -2))[..., None] if priors is None else priors
    rates = t / t.sum(-1)[..., None]
    paid = (prior[..., None] * rates * costs).sum((-1, -2))
    return np.asarray(paid / (prior @ costs).min(-1) if normalised else paid)


def rates_of(t: Array) -> tuple[Array, Array]:
    """Sensitivity and specificity of class 1 of two."""
    return t[..., 1, 1] / t[..., 1, :].sum(-1), t[..., 0, 0] / t[..., 0, :].sum(-1)


def youden_of(t: Array, average: str) -> Array:
    tp, fn, fp, tn = rest(t)
    j = tp / (tp + fn) + tn / (tn + fp) - 1
    return np.asarray(j.mean(-1) if average == "macro" else j[..., 1])


def lr_of(t: Array) -> Array:
    sensitivity, specificity = rates_of(t)
    return np.asarray(sensitivity / (1 - specificity))


def ppv_of(t: Array, prevalence: float) -> Array:
    sensitivity, specificity = rates_of(t)
    right = sensitivity * prevalence
    return np.asarray(right / (right + (1 - specificity) * (1 - prevalence)))


def npv_of(t: Array, prevalence: float) -> Array:
    sensitivity, specificity = rates_of(t)
    right = specificity * (1 - prevalence)
    return np.asarray(right / (right + (1 - sensitivity) * prevalence))


def error_costs(n: int) -> Array:
    return 1 - np.eye(n)


Row = tuple[Array, str, dict[str, Any], OfTables]
METRICS: dict[str, Row] = {
    "F1": (TWO, "f1", {}, lambda t: f_of(t, "binary")),
    "F2": (TWO, "f_beta:beta=2", {}, lambda t: f_of(t, "binary", 2)),
    "F0.5 macro": (
        THREE, "f_beta:beta=0.5", {"average": "macro"}, lambda t: f_of(t, "macro", 0.5)
    ),
    "F1 macro": (THREE, "f1", {"average": "macro"}, lambda t: f_of(t, "macro")),
    "F1 micro": (THREE, "f1", {"average": "micro"}, lambda t: f_of(t, "micro")),
    "F1 weighted": (THREE, "f1", {"average": "weighted"}, lambda t: f_of(t, "weighted")),
    "MCC of two": (TWO, "mcc", {}, mcc_of),
    "MCC": (THREE, "mcc", {}, mcc_of),
    "kappa of two": (TWO, "cohen_kappa", {}, lambda t: kappa_of(t, None)),
    "kappa": (THREE, "cohen_kappa", {}, lambda t: kappa_of(t, None)),
    "linear kappa": (THREE, "cohen_kappa:weights=linear", {}, lambda t: kappa_of(t, 1)),
    "quadratic kappa": (THREE, "cohen_kappa:weights=quadratic", {}, lambda t: kappa_of(t, 2)),
    "balanced accuracy": (
        THREE, "balanced_accuracy", {},
        lambda t: np.asarray((np.einsum("...ii->...i", t) / t.sum(-1)).mean(-1)),
    ),
    "expected cost": (
        THREE, "expected_cost", {"costs": COSTS},
        lambda t: cost_of(t, COSTS, None, normalised=False),
    ),
    "expected cost at priors": (
        THREE, "expected_cost", {"costs": COSTS, "priors": PRIORS},
        lambda t: cost_of(t, COSTS, PRIORS, normalised=False),
    ),
    "normalised cost": (
        THREE, "normalized_expected_cost", {},
        lambda t: cost_of(t, error_costs(3), None, normalised=True),
    ),
    "normalised cost at priors": (
        THREE, "normalized_expected_cost", {"costs": COSTS, "priors": PRIORS},
        lambda t: cost_of(t, COSTS, PRIORS, normalised=True),
    ),
    "J": (TWO, "youden_j", {}, lambda t: youden_of(t, "binary")),
    "J macro": (THREE, "youden_j", {"average": "macro"}, lambda t: youden_of(t, "macro")),
    "LR+": (TWO, "lr_plus", {}, lr_of),
    "PPV at 5 %": (TWO, "ppv:prevalence=0.05", {}, lambda t: ppv_of(t, 0.05)),
    "NPV at 40 %": (TWO, "npv:prevalence=0.4", {}, lambda t: npv_of(t, 0.4)),
}  # fmt: skip


def gradient(function: OfTables, table: Array) -> Array:
    """Derivatives by the shares of the cells, by central differences."""
    shares, made = table / table.sum(), np.empty(table.shape)
    for cell in np.ndindex(table.shape):
        step = np.zeros(table.shape)
        step[cell] = 1e-6
        made[cell] = (function(shares + step) - function(shares - step)) / 2e-6
    return made


@pytest.mark.parametrize("name", METRICS)
def test_error_is_that_of_numerical_derivatives_and_the_multinomial_covariance(name: str) -> None:
    table, metric, options, function = METRICS[name]
    made = estimate(table, metric, **options)
    assert made.value == pytest.approx(float(function(table.astype(float))))
    p, slopes = (table / table.sum()).ravel(), gradient(function, table).ravel()
    covariance = (np.diag(p) - np.outer(p, p)) / table.sum()
    error = math.sqrt(slopes @ covariance @ slopes)
    assert made.standard_error == pytest.approx(error, rel=1e-7)
    scale = "log" if metric == "lr_plus" else "logit" if "prevalence" in metric else "as it is"
    ends = made.value + np.array([-Z, Z]) * error
    if scale == "log":
        ends = made.value * np.exp(np.array([-Z, Z]) * error / made.value)
    elif scale == "logit":
        away = np.array([-Z, Z]) * error / (made.value * (1 - made.value))
        ends = special.expit(special.logit(made.value) + away)
    np.testing.assert_allclose([made.low, made.high], ends, rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
def test_error_is_the_spread_of_simulated_tables(name: str) -> None:
    # The SD of 2e5 nearly normal values has a relative error of 0.0016; 1 % is 6 of it, which a
    # right formula leaves with probability 2e-9 each, 5e-8 in all.
    table, metric, options, function = METRICS[name]
    # 25 times the table: what is left of higher orders is below a thousandth.
    table = 25 * table
    made = estimate(table, metric, **options)
    generator = np.random.default_rng(list(METRICS).index(name))
    n, p = table.sum(), (table / table.sum()).ravel()
    drawn = generator.multinomial(n, p, 200_000).reshape(-1, *table.shape).astype(float)
    assert abs(made.standard_error / float(np.std(function(drawn))) - 1) < 0.01


# --------------------------------------------------------------------------- closed forms


def test_micro_f1_has_the_error_of_the_accuracy() -> None:
    made = estimate(THREE, "f1", average="micro")
    p = np.trace(THREE) / THREE.sum()
    assert made.value == pytest.approx(p)
    assert made.standard_error == pytest.approx(math.sqrt(p * (1 - p) / THREE.sum()))


@pytest.mark.parametrize("table", [TWO, TWO.T, np.array([[9, 3], [2, 6]])])
def test_lr_plus_has_simels_interval(table: Array) -> None:
    (tn, fp), (fn, tp) = table.tolist()
    made = estimate(table, "lr_plus")
    ratio = (tp / (tp + fn)) / (fp / (fp + tn))
    error = math.sqrt(1 / tp - 1 / (tp + fn) + 1 / fp - 1 / (fp + tn))
    np.testing.assert_allclose(
        [made.low, made.high], [ratio * math.exp(-Z * error), ratio * math.exp(Z * error)]
    )
    assert made.standard_error == pytest.approx(ratio * error)


@pytest.mark.parametrize("prevalence", [0.001, 0.05, 0.5, 0.9])
@pytest.mark.parametrize("table", [TWO, TWO.T, np.array([[9, 3], [2, 6]])])
def test_predictive_values_have_mercaldos_intervals(table: Array, prevalence: float) -> None:
    n0, n1 = table.sum(axis=1)
    se, sp = (float(rate) for rate in rates_of(table))
    odds = math.log(prevalence / (1 - prevalence))
    positive = math.log(se / (1 - sp)) + odds, (1 - se) / (se * n1) + sp / ((1 - sp) * n0)
    negative = math.log(sp / (1 - se)) - odds, se / ((1 - se) * n1) + (1 - sp) / (sp * n0)
    for name, (middle, variance) in (("ppv", positive), ("npv", negative)):
        made = estimate(table, f"{name}:prevalence={prevalence}")
        ends = special.expit(middle + np.array([0, -Z, Z]) * math.sqrt(variance))
        np.testing.assert_allclose([made.value, made.low, made.high], ends, rtol=1e-9)


@pytest.mark.parametrize(("weights", "power"), [("none", None), ("linear", 1), ("quadratic", 2)])
def test_kappa_has_the_error_of_fleiss_cohen_and_everitt(weights: str, power: int | None) -> None:
    classes = np.arange(3)
    distance = np.abs(np.subtract.outer(classes, classes))
    theirs = cohens_kappa(THREE, weights=None if power is None else distance**power)
    made = estimate(THREE, f"cohen_kappa:weights={weights}")
    assert made.value == pytest.approx(theirs.kappa)
    assert made.standard_error == pytest.approx(theirs.std_kappa)


# --------------------------------------------------------------------------- designs


def by_cluster(seed: int) -> tuple[Array, Array, Array]:
    generator = np.random.default_rng(seed)
    groups = generator.integers(0, 14, 150)
    groups[:14] = np.arange(14)
    hard = generator.uniform(0.1, 0.6, 14)[groups]
    truth = generator.integers(0, 3, 150)
    said = np.where(generator.uniform(size=150) < hard, generator.integers(0, 3, 150), truth)
    return truth, said, groups


@pytest.mark.parametrize("name", [name for name, row in METRICS.items() if row[0] is THREE])
def test_error_of_clusters_is_that_of_derivatives_by_their_weights(name: str) -> None:
    _, metric, options, function = METRICS[name]
    truth, said, groups = by_cluster(3)
    tables = np.zeros((14, 3, 3))
    np.add.at(tables, (groups, truth, said), 1.0)
    each = np.array(
        [(function(tables.sum(0) + h) - function(tables.sum(0) - h)) / 2e-4 for h in 1e-4 * tables]
    )
    error = math.sqrt(14 / 13 * ((each - each.mean()) ** 2).sum())
    made = metric_ci(
        truth, said, metric=metric, method="delta", scores="labels", groups=groups, **options
    )
    assert made.standard_error == pytest.approx(error, rel=1e-6)
    reach = stats.t.ppf(0.975, 13) * error
    np.testing.assert_allclose(
        [made.low, made.high], [made.value - reach, made.value + reach], rtol=1e-6
    )


@pytest.mark.parametrize(
    ("table", "metric"),
    [
        (np.array([[5, 0], [0, 7]]), "f1"),
        (np.array([[5, 0], [0, 7]]), "mcc"),
        (np.array([[5, 0], [0, 7]]), "cohen_kappa"),
        (np.array([[5, 0], [2, 7]]), "lr_plus"),
        (np.array([[5, 2], [7, 0]]), "lr_plus"),
        (np.array([[5, 0], [2, 7]]), "ppv:prevalence=0.1"),
        (np.array([[5, 3], [0, 7]]), "npv:prevalence=0.1"),
        (np.array([[0, 3], [0, 7]]), "mcc"),
    ],
)
def test_no_interval_where_the_spread_vanishes_or_the_scale_ends(table: Array, metric: str) -> None:
    made = estimate(table, metric)
    assert math.isnan(made.low)
    assert math.isnan(made.high)
    assert "HW306" in [caution.code for caution in made.cautions]
