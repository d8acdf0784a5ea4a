"""Values of metrics of a test set, against scikit-learn, brute force and printed numbers."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from over_data import metric_ci
from sklearn import metrics as sk
from support import examples

import halfwidth as hw

Array = NDArray[Any]

ALPHABETS: tuple[tuple[Any, ...], ...] = (
    (0, 1),
    (False, True),
    (-1, 1),
    ("no", "yes"),
    (0, 1, 2),
    ("b", "a", "ä", "A"),
    (-7, 10**9, 3, -(2**40)),
)
# Weights that add up without rounding, so that 0/0 is 0/0 for both sides.
WEIGHTS = (0.25, 0.5, 1.0, 3.0, 1024.0)
AVERAGED = ("sensitivity", "ppv", "f1", "f_beta:beta=2", "f_beta:beta=0.5")
OF_SKLEARN: dict[str, Callable[..., Any]] = {
    "sensitivity": sk.recall_score,
    "ppv": sk.precision_score,
    "f1": sk.f1_score,
    "f_beta:beta=2": functools.partial(sk.fbeta_score, beta=2),
    "f_beta:beta=0.5": functools.partial(sk.fbeta_score, beta=0.5),
}


def value(truth: Any, given_: Any, metric: Any, **options: Any) -> float:
    """The value alone: two resamples are the fewest that may be asked for."""
    return float(metric_ci(truth, given_, metric=metric, n_resamples=2, rng=1, **options).value)


def values(truth: Any, given_: Any, metric: Any, **options: Any) -> list[float]:
    made = metric_ci(truth, given_, metric=metric, average="none", n_resamples=2, rng=1, **options)
    return [float(row.value) for row in made]


def quiet(function: Callable[..., Any], *given_: Any, **options: Any) -> Any:
    """scikit-learn warns where a value is undefined; what it returns is compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*given_, **options)


def as_array(cells: Sequence[Any]) -> Array:
    return np.array(list(cells))


@st.composite
def decided(draw: st.DrawFn) -> tuple[list[Any], Array, Array, Array | None]:
    """Classes, true and predicted ones of cases (some absent from either), and weights."""
    classes = list(draw(st.sampled_from(ALPHABETS)))
    n = draw(st.integers(1, 40))
    # Subsets of the classes, so that some are absent from the truth, the predictions or both.
    some = [draw(st.lists(st.sampled_from(classes), min_size=1, max_size=5)) for _ in range(2)]
    truth, said = (draw(st.lists(st.sampled_from(s), min_size=n, max_size=n)) for s in some)
    weighted = draw(st.booleans())
    weights = draw(st.lists(st.sampled_from(WEIGHTS), min_size=n, max_size=n))
    return classes, as_array(truth), as_array(said), np.array(weights) if weighted else None


Decided = tuple[list[Any], Array, Array, Array | None]


@examples(50)
@given(decided())
def test_accuracy_balanced_accuracy_mcc_and_kappa_are_those_of_scikit_learn(case: Decided) -> None:
    classes, truth, said, weights = case
    ours = functools.partial(value, truth, said, labels=classes, sample_weight=weights)
    theirs = {"sample_weight": weights}
    assert ours("accuracy") == pytest.approx(sk.accuracy_score(truth, said, **theirs))
    balanced = quiet(sk.balanced_accuracy_score, truth, said, **theirs)
    assert ours("balanced_accuracy") == pytest.approx(balanced)
    mcc = quiet(sk.matthews_corrcoef, truth, said, **theirs)
    one_class = len(set(truth.tolist())) == 1 or len(set(said.tolist())) == 1
    assert math.isnan(ours("mcc")) == one_class
    assert ours("mcc", undefined="zero") == pytest.approx(mcc, abs=1e-9)
    assert ours("mcc", undefined="worst") == pytest.approx(-1.0 if one_class else mcc, abs=1e-9)
    for weights_of_classes in ("none", "linear", "quadratic"):
        name = None if weights_of_classes == "none" else weights_of_classes
        kappa = quiet(sk.cohen_kappa_score, truth, said, labels=classes, weights=name, **theirs)
        got = ours(f"cohen_kappa:weights={weights_of_classes}")
        np.testing.assert_allclose(got, kappa, rtol=1e-9, atol=1e-9)


def assert_averages_of_scikit_learn(metric: str, case: Decided) -> None:
    classes, truth, said, weights = case
    ours = functools.partial(
        metric_ci, truth, said, metric=metric, labels=classes, sample_weight=weights, rng=1,
        n_resamples=2,
    )  # fmt: skip
    theirs = functools.partial(
        quiet, OF_SKLEARN[metric], truth, said, labels=classes, sample_weight=weights
    )
    averages = ["micro", "macro", "weighted"]
    by_class = np.array(theirs(average=None, zero_division=np.nan))
    wanted = [theirs(average=average, zero_division=np.nan) for average in averages]
    support = np.array([(truth == label).sum() for label in classes])
    if not support[~np.isnan(by_class)].any():
        # No class that counts has a value; scikit-learn then averages those that do not count.
        wanted[2] = np.nan
    omitted = [float(row.value) for row in ours(average=[*averages, "none"])]
    np.testing.assert_allclose(omitted, [*wanted, *by_class], rtol=1e-9)
    zero = [theirs(average=average, zero_division=0) for average in averages]
    filled = [float(row.value) for row in ours(average=averages, absent_class="zero")]
    np.testing.assert_allclose(filled, zero, rtol=1e-9)
    zeros = [float(row.value) for row in ours(average="none", undefined="zero")]
    np.testing.assert_allclose(zeros, theirs(average=None, zero_division=0), rtol=1e-9)


@pytest.mark.parametrize("metric", AVERAGED)
@examples(30)
@given(case=decided())
def test_averages_over_classes_are_those_of_scikit_learn(metric: str, case: Decided) -> None:
    assert_averages_of_scikit_learn(metric, case)


@pytest.mark.slow
@pytest.mark.parametrize("metric", AVERAGED)
def test_averages_over_twenty_classes_are_those_of_scikit_learn(metric: str) -> None:
    # 25 cases of 20 classes: some are absent from the truth, the predictions or both.
    generator = np.random.default_rng(20)
    truth, other = generator.integers(0, 20, (2, 25))
    said = np.where(generator.uniform(size=25) < 0.6, truth, other)
    assert not set(range(20)) <= {*truth.tolist(), *said.tolist()}
    assert_averages_of_scikit_learn(metric, (list(range(20)), truth, said, None))


@examples(50)
@given(decided(), st.data())
def test_metrics_of_a_positive_class_are_those_of_scikit_learn(
    case: Decided, data: st.DataObject
) -> None:
    classes, truth, said, weights = case
    positive = data.draw(st.sampled_from(classes))
    true, yes = truth == positive, said == positive
    ours = functools.partial(
        value, truth, said, labels=classes, pos_label=positive, average="binary",
        sample_weight=weights,
    )  # fmt: skip
    options = {"sample_weight": weights, "zero_division": np.nan}
    for metric, function in OF_SKLEARN.items():
        np.testing.assert_allclose(ours(metric), quiet(function, true, yes, **options), rtol=1e-9)
    specificity = quiet(sk.recall_score, ~true, ~yes, **options)
    npv = quiet(sk.precision_score, ~true, ~yes, **options)
    sensitivity = quiet(sk.recall_score, true, yes, **options)
    np.testing.assert_allclose(ours("specificity"), specificity, rtol=1e-9)
    np.testing.assert_allclose(ours("npv"), npv, rtol=1e-9)
    np.testing.assert_allclose(ours("youden_j"), sensitivity + specificity - 1, atol=1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.divide(sensitivity, 1 - np.float64(specificity))
    np.testing.assert_allclose(ours("lr_plus"), ratio, rtol=1e-9)
    w = np.ones(len(truth)) if weights is None else weights
    benefit = (w * (true & yes)).sum() - 0.3 * (w * (~true & yes)).sum()
    assert ours("net_benefit:exchange_rate=0.3") == pytest.approx(benefit / w.sum())


@examples(50)
@given(decided(), st.data())
def test_expected_costs_are_sums_over_the_cases(case: Decided, data: st.DataObject) -> None:
    classes, truth, said, weights = case
    some = sorted({*truth.tolist(), *said.tolist()}, key=classes.index)
    classes = (some + [c for c in classes if c not in some])[: max(len(some), 2)]
    n = len(classes)
    flat = data.draw(st.lists(st.integers(0, 9), min_size=n * n, max_size=n * n))
    costs = np.array(flat, float).reshape(n, n)
    assume(costs.min() < costs.max())
    w = np.ones(len(truth)) if weights is None else weights
    true, yes = ([classes.index(c) for c in cells.tolist()] for cells in (truth, said))
    ours = functools.partial(value, truth, said, labels=classes, sample_weight=weights)
    paid = sum(wi * costs[i, j] for wi, i, j in zip(w, true, yes, strict=True)) / w.sum()
    assert ours("expected_cost", costs=costs) == pytest.approx(paid)
    constant = min(
        sum(wi * costs[i, j] for wi, i in zip(w, true, strict=True)) / w.sum() for j in range(n)
    )
    if constant:
        got = ours("normalized_expected_cost", costs=costs)
        assert got == pytest.approx(paid / constant)
    shares = np.array([w[np.array(true) == i].sum() for i in range(n)])
    priors = np.where(shares > 0, np.arange(1, n + 1), 0.0)
    priors /= priors.sum()
    rates = sum(
        priors[i] * wi * costs[i, j] / shares[i] for wi, i, j in zip(w, true, yes, strict=True)
    )
    assert ours("expected_cost", costs=costs, priors=priors) == pytest.approx(rates)
    if (shares == 0).any():
        assert math.isnan(ours("expected_cost", costs=costs, priors=np.full(n, 1 / n)))


# --------------------------------------------------------------------------- printed numbers


def cases_of(tp: int, fn: int, fp: int, tn: int) -> tuple[list[int], list[int]]:
    return [1] * (tp + fn) + [0] * (fp + tn), [1] * tp + [0] * fn + [1] * fp + [0] * tn


PRINTED = {
    (45, 5, 10, 40): {
        "sensitivity": ".90", "specificity": ".80", "ppv": ".82", "npv": ".889",
        "balanced_accuracy": ".85", "youden_j": ".70", "mcc": ".70", "cohen_kappa": ".70",
        "f1": ".86", "lr_plus": "4.5", "normalized_expected_cost": ".30",
    },
    (81, 9, 2, 8): {
        "sensitivity": ".90", "specificity": ".80", "ppv": ".98", "npv": ".47",
        "balanced_accuracy": ".85", "youden_j": ".70", "mcc": ".56", "cohen_kappa": ".53",
        "f1": ".94", "lr_plus": "4.5", "normalized_expected_cost": "1.10",
    },
    (30, 0, 75, 0): {
        "accuracy": ".286", "net_benefit:exchange_rate=0.1111111111111111": ".206",
        "net_benefit:exchange_rate=1": "-.429",
    },
    (20, 15, 60, 10): {
        "accuracy": ".286", "net_benefit:exchange_rate=0.1111111111111111": ".127",
        "net_benefit:exchange_rate=1": "-.381",
    },
    (1499, 500, 0, 1): {"mcc": ".0387", "cohen_kappa": ".0030"},
}  # fmt: skip
ALL_PRINTED = [
    (table, metric, text) for table, printed in PRINTED.items() for metric, text in printed.items()
]


@pytest.mark.parametrize(("table", "metric", "printed"), ALL_PRINTED)
def test_value_is_the_printed_one(
    table: tuple[int, int, int, int], metric: str, printed: str
) -> None:
    truth, said = cases_of(*table)
    digits = len(printed.split(".")[1])
    assert abs(value(truth, said, metric) - float(printed)) <= 0.5 * 10**-digits + 1e-12


@pytest.mark.parametrize("table", [(45, 5, 10, 40), (81, 9, 2, 8)])
def test_normalised_cost_at_even_priors_does_not_depend_on_the_prevalence(
    table: tuple[int, int, int, int],
) -> None:
    truth, said = cases_of(*table)
    got = value(truth, said, "normalized_expected_cost", priors=[0.5, 0.5])
    assert got == pytest.approx(0.30)


# --------------------------------------------------------------------------- functions

GENERATOR = np.random.default_rng(11)
TRUTH = GENERATOR.integers(0, 3, 80)
PROBABILITIES = GENERATOR.dirichlet(np.ones(3), 80)
NAMES = np.array(["ant", "bee", "cat"])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("function", "name", "truth", "given_"),
    [
        (sk.roc_auc_score, "auroc", TRUTH > 0, PROBABILITIES[:, 0]),
        (sk.average_precision_score, "average_precision", TRUTH > 0, PROBABILITIES[:, 0]),
        (sk.accuracy_score, "accuracy", NAMES[TRUTH], NAMES[TRUTH[::-1]]),
        (sk.matthews_corrcoef, "mcc", NAMES[TRUTH], NAMES[TRUTH[::-1]]),
        (sk.balanced_accuracy_score, "balanced_accuracy", TRUTH - 5, TRUTH[::-1] - 5),
        (functools.partial(sk.roc_auc_score, multi_class="ovr"), "auroc", TRUTH, PROBABILITIES),
        (functools.partial(sk.f1_score, average="macro"), "f1", NAMES[TRUTH], NAMES[TRUTH[::-1]]),
    ],
)
def test_function_gets_what_was_given(
    function: Any, name: str, truth: Array, given_: Array
) -> None:
    own = metric_ci(truth, given_, metric=function, n_resamples=99, rng=1, method="percentile")
    assert own.value == pytest.approx(function(truth, given_))
    assert own.value == pytest.approx(value(truth, given_, name))
    assert own.low < own.value < own.high


@pytest.mark.parametrize("weights", [0, 1, 2])
def test_kappa_is_never_below_minus_one_unless_by_costs_of_ones_own(weights: int) -> None:
    generator = np.random.default_rng(1)
    # Cells of few cases, many of them empty, and the confusion of each class with its mirror image.
    tables = generator.poisson(generator.exponential(1, (2000, 4, 4)) ** 3)
    tables[0] = np.fliplr(np.eye(4))
    values = np.asarray(hw.metrics.cohen_kappa(tables, weights=weights))
    defined = values[np.isfinite(values)]
    assert -1 - 1e-12 <= defined.min() < -0.3
    assert hw.SAMPLE_METRICS["cohen_kappa"].bounds.low == -1
    seldom = np.array([[0, 0, 1], [0, 98, 0], [1, 0, 0]])
    assert hw.metrics.cohen_kappa(seldom, costs=[[0, 1, 9], [1, 0, 1], [9, 1, 0]]) < -3
