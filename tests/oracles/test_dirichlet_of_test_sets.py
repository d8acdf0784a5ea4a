"""Dirichlet intervals of metrics of a test set, against draws made in another way and Beta."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from over_data import metric_ci
from scipy import stats
from support import codes

import halfwidth as hw

Array = NDArray[Any]
DRAWS = 4_000
GENERATOR = np.random.default_rng(20)

N = 60
TRUTH = (GENERATOR.random(N) < 0.25).astype(int)
SCORES = np.round(GENERATOR.normal(size=N) + 1.5 * TRUTH, 1)
DECISIONS = np.where(GENERATOR.random(N) < 0.15, 1 - TRUTH, TRUTH)
CLASSES = GENERATOR.integers(0, 4, 90)
NOISY = np.where(GENERATOR.random(90) < 0.2, GENERATOR.integers(0, 4, 90), CLASSES)
PROBABILITIES = np.exp(GENERATOR.normal(size=(90, 4)) + 2 * np.eye(4)[CLASSES])
PROBABILITIES /= PROBABILITIES.sum(axis=1, keepdims=True)


def _dirichlet(truth: Array, predicted: Array, metric: str, **options: Any) -> Any:
    given: dict[str, Any] = {"method": "dirichlet", "rng": 5, "n_resamples": DRAWS} | options
    return metric_ci(truth, predicted, metric=metric, **given)


def _check(estimate: Any, low: Array, high: Array | None = None) -> None:
    """Whether bounds are quantiles of draws, up to four standard errors of such quantiles."""
    for bound, tail, draws in (
        (estimate.low, 0.025, low),
        (estimate.high, 0.975, low if high is None else high),
    ):
        # Two sets of draws: each rank is off by up to so many, on either side.
        off = 4 * np.sqrt(2 * 0.025 * 0.975 / DRAWS)
        least, most = np.quantile(draws, np.clip([tail - off, tail + off], 0, 1))
        assert least - 1e-9 <= bound <= most + 1e-9


# --------------------------------------------------------------------------- two classes


def _cells(truth: Array, predicted: Array) -> Array:
    return np.array(
        [((truth == t) & (predicted == p)).sum() for t, p in ((1, 1), (1, 0), (0, 1), (0, 0))]
    )


def _balanced_accuracy(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    return np.asarray((tp / (tp + fn) + tn / (tn + fp)) / 2)


def _f1(tp: Array, fn: Array, fp: Array, _tn: Array) -> Array:
    return np.asarray(2 * tp / (2 * tp + fn + fp))


def _mcc(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    spread = (tp + fn) * (tp + fp) * (tn + fp) * (tn + fn)
    return np.asarray((tp * tn - fp * fn) / np.sqrt(spread))


def _kappa(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    n = tp + fn + fp + tn
    chance = ((tp + fn) * (tp + fp) + (tn + fp) * (tn + fn)) / n**2
    return np.asarray(((tp + tn) / n - chance) / (1 - chance))


def _with_one_end(cells: Array, *, upper: bool, mass: float = 0.5) -> Array:
    """Cells with what a pseudo-case of either class adds: right for an upper end, wrong else."""
    return np.asarray(cells + mass * np.array([1, 0, 0, 1] if upper else [0, 1, 1, 0]))


def _both_ends(cells: Array, function: Callable[..., Array]) -> tuple[Array, Array]:
    """Draws of a function of four cells for the lower and for the upper end."""
    low, high = (
        function(*GENERATOR.standard_gamma(_with_one_end(cells, upper=upper), (DRAWS, 4)).T)
        for upper in (False, True)
    )
    return low, high


COUNTED = [
    ("balanced_accuracy", _balanced_accuracy),
    ("f1", _f1),
    ("mcc", _mcc),
    ("cohen_kappa", _kappa),
]


@pytest.mark.parametrize(("metric", "function"), COUNTED)
@pytest.mark.parametrize("times", [1, 20], ids=["few cases", "many cases"])
def test_counting_metrics_are_those_of_gamma_weights_in_the_cells(
    metric: str, function: Callable[..., Array], times: int
) -> None:
    truth, decisions = np.tile(TRUTH, times), np.tile(DECISIONS, times)
    draws = _both_ends(_cells(truth, decisions), function)
    _check(_dirichlet(truth, decisions, metric, pos_label=1), *draws)


@pytest.mark.parametrize("metric", [name for name, _ in COUNTED])
def test_perfect_test_sets_have_intervals_with_a_length(metric: str) -> None:
    estimate = _dirichlet(TRUTH, TRUTH, metric, pos_label=1)
    assert estimate.value == estimate.high == 1
    assert estimate.low < 0.95


def test_sensitivity_is_a_beta_variate() -> None:
    tp, fn, _, _ = _cells(TRUTH, DECISIONS)
    estimate = _dirichlet(TRUTH, DECISIONS, "sensitivity", pos_label=1)
    expected = stats.beta(tp, fn + 0.5).ppf(0.025), stats.beta(tp + 0.5, fn).ppf(0.975)
    assert np.allclose([estimate.low, estimate.high], expected, rtol=0, atol=1e-8)


def test_one_class_of_several_is_of_its_table_against_the_rest() -> None:
    second = _dirichlet(CLASSES, NOISY, "f1", average="none")[1]
    cells = _cells((CLASSES == 1).astype(int), (NOISY == 1).astype(int))
    _check(second, *_both_ends(cells, _f1))


# --------------------------------------------------------------------------- areas


def _areas(weights: Array, positive: Array, scores: Array, metric: str) -> Array:
    """Areas of weighted cases by trapezoids, or by the precision at each positive, (B,)."""
    order = np.argsort(-scores, kind="stable")
    weights, positive, scores = weights[:, order], positive[order].astype(bool), scores[order]
    ends = np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)
    tp = np.cumsum(weights * positive, axis=1)[:, ends]
    fp = np.cumsum(weights * ~positive, axis=1)[:, ends]
    if metric == "auroc":
        points = [np.pad(one, ((0, 0), (1, 0))) / one[:, -1:] for one in (tp, fp)]
        return np.asarray(np.trapezoid(points[0], points[1], axis=1))
    steps = np.diff(tp, axis=1, prepend=0)
    with np.errstate(invalid="ignore"):
        precision = np.where(steps > 0, tp / (tp + fp), 0.0)
    return np.asarray((steps * precision).sum(axis=1) / tp[:, -1])


def _with_ends(case: Array, masses: list[float]) -> Array:
    """Weights of cases and of pseudo-cases: positive, negative above; positive, negative below."""
    pseudo = GENERATOR.standard_gamma(masses, (len(case), 4))
    return np.concatenate([case, pseudo], axis=1)


LOWER, UPPER = [0, 0.25, 0.25, 0], [0.25, 0, 0, 0.25]
KIND, PLACE = np.array([1, 0, 1, 0]), np.array([99.0, 99.0, -99.0, -99.0])


def _drawn(truth: Array, scores: Array, case: Array, masses: list[float], metric: str) -> Array:
    every = np.concatenate([scores, PLACE])
    return _areas(_with_ends(case, masses), np.concatenate([truth, KIND]), every, metric)


def _at_both(case: Array, metric: str) -> list[Array]:
    return [_drawn(TRUTH, SCORES, case, masses, metric) for masses in (LOWER, UPPER)]


@pytest.mark.parametrize("metric", ["auroc", "average_precision"])
def test_areas_have_a_quarter_of_a_pseudo_case_of_each_class_where_it_moves_an_end_outwards(
    metric: str,
) -> None:
    case = GENERATOR.standard_exponential((DRAWS, N))
    _check(_dirichlet(TRUTH, SCORES, metric), *_at_both(case, metric))


def test_a_cluster_has_one_weight_and_a_pseudo_case_weighs_as_much_as_one() -> None:
    groups = np.arange(N) // 4
    case = np.repeat(GENERATOR.standard_exponential((DRAWS, N // 4)), 4, axis=1).reshape(DRAWS, N)
    draws = _at_both(case / 4, "auroc")
    _check(_dirichlet(TRUTH, SCORES, "auroc", groups=groups), *draws)


def _of_weighted_cells(
    case: Array, function: Callable[..., Array], each: float = 1.0
) -> list[Array]:
    """Draws for either end from weights of cases and pseudo-cases that weigh ``each``."""
    tn, fp, fn, tp = (case[:, cell == 2 * TRUTH + DECISIONS].sum(axis=1) for cell in range(4))
    one, two = each * GENERATOR.standard_gamma(0.5, (2, DRAWS))
    return [function(tp, fn + one, fp + two, tn), function(tp + one, fn, fp, tn + two)]


def test_in_strata_the_cases_of_each_weigh_as_many_as_they_are() -> None:
    strata = (np.arange(N) % 3 == 0).astype(int)
    case = GENERATOR.standard_exponential((DRAWS, N))
    for place in (0, 1):
        own = strata == place
        case[:, own] *= own.sum() / case[:, own].sum(axis=1, keepdims=True)
    _check(_dirichlet(TRUTH, SCORES, "auroc", strata=strata), *_at_both(case, "auroc"))
    _check(
        _dirichlet(TRUTH, DECISIONS, "mcc", pos_label=1, strata=strata),
        *_of_weighted_cells(case, _mcc),
    )


def test_weights_of_cases_multiply_theirs() -> None:
    own = GENERATOR.random(N) + 0.5
    case = own * GENERATOR.standard_exponential((DRAWS, N))
    every = np.append(np.ones(N), np.full(4, own.mean()))
    scores, truth = np.concatenate([SCORES, PLACE]), np.concatenate([TRUTH, KIND])
    estimate = _dirichlet(TRUTH, SCORES, "auroc", sample_weight=own)
    low, high = (
        _areas(_with_ends(case, masses) * every, truth, scores, "auroc")
        for masses in (LOWER, UPPER)
    )
    _check(estimate, low, high)
    estimate = _dirichlet(TRUTH, DECISIONS, "f1", pos_label=1, sample_weight=own)
    _check(estimate, *_of_weighted_cells(case, _f1, own.mean()))


def test_perfect_rankings_reach_1_and_have_a_length() -> None:
    for metric in ("auroc", "average_precision"):
        estimate = _dirichlet(TRUTH, TRUTH + 0.1 * GENERATOR.random(N), metric)
        assert estimate.value == estimate.high == 1
        assert estimate.low < 0.97


# --------------------------------------------------------------------------- many classes


def _is(codes: Array, which: int) -> Array:
    return np.asarray(codes == which)


def _by_hand(values: Array, low: Array, high: Array) -> tuple[float, float]:
    """Bounds of a mean of classes from replicates of each, (C, B), for either end."""
    ends = []
    for draws, tail, sign in ((low, 0.025, -1), (high, 0.975, 1)):
        reach = np.maximum(sign * (np.quantile(draws, tail, axis=1) - values), 0) / len(values)
        ends.append(values.mean() + sign * np.sqrt(reach @ np.corrcoef(draws) @ reach))
    return ends[0], ends[1]


@pytest.mark.parametrize("metric", ["auroc", "average_precision"])
def test_macro_areas_are_made_of_those_of_the_classes(metric: str) -> None:
    case = GENERATOR.standard_exponential((DRAWS, 90))
    own = [(_is(CLASSES, c), PROBABILITIES[:, c]) for c in range(4)]
    low, high = (
        np.stack([_drawn(t, s, case, masses, metric) for t, s in own]) for masses in (LOWER, UPPER)
    )
    values = np.array([_areas(np.ones((1, 90)), t, s, metric)[0] for t, s in own])
    estimate = _dirichlet(CLASSES, PROBABILITIES, metric, average="macro")
    # Both sides are drawn: each bound is uncertain by some .002.
    assert np.allclose((estimate.low, estimate.high), _by_hand(values, low, high), atol=1.2e-2)


def test_macro_f1_is_made_of_those_of_the_classes() -> None:
    case = GENERATOR.standard_exponential((DRAWS, 90))
    observed: list[Array] = []
    low: list[Array] = []
    high: list[Array] = []
    for c in range(4):
        t, p = _is(CLASSES, c), _is(NOISY, c)
        which = (t & p, t & ~p, ~t & p, ~t & ~p)
        observed.append(_f1(*(np.asarray(cell.sum()) for cell in which)))
        tp, fn, fp, tn = (case[:, cell].sum(axis=1) for cell in which)
        one, two, three, four = GENERATOR.standard_gamma(0.5, (4, DRAWS))
        low.append(_f1(tp, fn + one, fp + two, tn))
        high.append(_f1(tp + three, fn, fp, tn + four))
    expected = _by_hand(np.array(observed), np.stack(low), np.stack(high))
    estimate = _dirichlet(CLASSES, NOISY, "f1", average="macro")
    assert np.allclose((estimate.low, estimate.high), expected, atol=6e-3)


def test_metrics_of_all_classes_have_the_same_mass_whatever_their_number() -> None:
    matrix = np.zeros((4, 4))
    np.add.at(matrix, (CLASSES, NOISY), 1)
    case = GENERATOR.standard_gamma(np.broadcast_to(matrix, (DRAWS, 4, 4)))
    right, wrong = np.eye(4) / 8, (1 - np.eye(4)) / 24
    kappas = []
    for masses in (wrong, right):
        table = case + GENERATOR.standard_gamma(np.broadcast_to(masses, (DRAWS, 4, 4)))
        n = table.sum(axis=(1, 2))
        chance = (table.sum(axis=1) * table.sum(axis=2)).sum(axis=1) / n**2
        kappas.append((np.trace(table, axis1=1, axis2=2) / n - chance) / (1 - chance))
    _check(_dirichlet(CLASSES, NOISY, "cohen_kappa"), *kappas)


@pytest.mark.parametrize("metric", ["auroc", "average_precision", "sensitivity", "f1"])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_an_absent_class_counts_its_whole_range_or_nothing(metric: str, level: float) -> None:
    truth, decided = (np.where(codes == 3, 0, codes) for codes in (CLASSES, NOISY))
    shown = PROBABILITIES if metric in ("auroc", "average_precision") else decided
    asked: dict[str, Any] = {"average": "macro", "confidence_level": level}
    every = asked | {"labels": [0, 1, 2, 3]}
    omitted, zero = (
        _dirichlet(truth, shown, metric, absent_class=absent, **every)
        for absent in ("omit", "zero")
    )
    assert omitted.value == pytest.approx(zero.value * 4 / 3)
    assert omitted.low < omitted.value < omitted.high
    # The worst value of the fourth class is the 0 that the policy counts; the best is 1.
    assert (omitted.low, omitted.high) == pytest.approx((zero.low, zero.high + 0.25))
    one_sided = {"labels": [0, 1, 2, 3], "average": "macro", "alternative": "upper"}
    if level > 0.5:
        upper = _dirichlet(truth, shown, metric, confidence_level=(1 + level) / 2, **one_sided)
        assert upper.high == pytest.approx(omitted.high)


def test_what_an_absent_class_may_be_is_said() -> None:
    truth, decided = (np.where(codes == 3, 0, codes) for codes in (CLASSES, NOISY))
    asked: dict[str, Any] = {"metric": "balanced_accuracy", "labels": [0, 1, 2, 3], "rng": 1}
    said = {one.code: one.message for one in metric_ci(truth, decided, **asked).cautions}
    assert said["HW208"] == (
        "1 of 4 classes, '3', is without a case: the average leaves it out, and the interval "
        "counts its whole range."
    )
    assert "no cases" in said["HW204"]
    assert "need about 5 or more of each class" in said["HW204"]
    by_name = metric_ci(truth, decided, method="percentile", n_resamples=199, **asked)
    assert [one.message for one in by_name.cautions if one.code == "HW208"] == [
        "1 of 4 classes, '3', is without a case: the average leaves it out."
    ]


@pytest.mark.parametrize("metric", ["specificity", "npv", "balanced_accuracy", "f1"])
def test_a_class_that_has_a_value_without_cases_is_not_said_to_lack_one(metric: str) -> None:
    truth, decided = (np.where(codes == 3, 0, codes) for codes in (CLASSES, NOISY))
    asked: dict[str, Any] = {"average": "macro", "labels": [0, 1, 2, 3], "n_resamples": 199}
    said = codes(_dirichlet(truth, decided, metric, **asked))
    assert ("HW208" in said) == (metric in ("balanced_accuracy", "f1"))


def test_a_difference_is_about_the_classes_that_are_there() -> None:
    truth, first, second = (
        np.where(codes == 3, 0, codes) for codes in (CLASSES, NOISY, np.roll(NOISY, 7))
    )
    few, all_four = (
        hw.compare(
            hw.Predictions.from_arrays(truth, {"A": first, "B": second}, labels=labels),
            metric="balanced_accuracy",
            rng=1,
            n_resamples=999,
            test="none",
        )[0]
        for labels in ([0, 1, 2], [0, 1, 2, 3])
    )
    assert (few.low, few.high) == pytest.approx((all_four.low, all_four.high), abs=0.02)
    assert "HW208" in codes(all_four)


# --------------------------------------------------------------------------- any metric


@pytest.mark.parametrize("alternative", ["lower", "upper"])
@pytest.mark.parametrize("metric", ["auroc", "average_precision"])
def test_one_sided_bounds_are_those_of_a_wider_level(metric: str, alternative: str) -> None:
    two_sided = _dirichlet(TRUTH, SCORES, metric, confidence_level=0.9)
    one_sided = _dirichlet(TRUTH, SCORES, metric, alternative=alternative)
    name = "low" if alternative == "lower" else "high"
    assert getattr(one_sided, name) == getattr(two_sided, name)


def test_gaffke_reaches_further_on_either_side() -> None:
    for metric, given in (("auroc", SCORES), ("mcc", DECISIONS)):
        inner = _dirichlet(TRUTH, given, metric, pos_label=1)
        outer = _dirichlet(TRUTH, given, metric, pos_label=1, method="gaffke")
        assert outer.low < inner.low < inner.high < outer.high


def test_errors_without_bounds_are_refused() -> None:
    target, predicted = GENERATOR.normal(size=(2, 30))
    for metric in ("rmse", "r2", "mae"):
        with pytest.raises(hw.OptionError, match="needs a metric with finite bounds"):
            _dirichlet(target, predicted, metric)


def test_no_library_no_other_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    from halfwidth.resampling.draws import Plan

    with_it = [
        _dirichlet(TRUTH, SCORES, "auroc", n_resamples=500),
        _dirichlet(CLASSES, PROBABILITIES, "average_precision", average="macro", n_resamples=500),
        _dirichlet(CLASSES, NOISY, "f1", average="macro", n_resamples=500),
    ]
    monkeypatch.setattr(Plan, "compiles", property(lambda _plan: False))
    without = [
        _dirichlet(TRUTH, SCORES, "auroc", n_resamples=500),
        _dirichlet(CLASSES, PROBABILITIES, "average_precision", average="macro", n_resamples=500),
        _dirichlet(CLASSES, NOISY, "f1", average="macro", n_resamples=500),
    ]
    for one, other in zip(with_it, without, strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


def test_errors_within_bounds_have_pseudo_cases_there() -> None:
    target = GENERATOR.normal(size=30)
    predicted = target + GENERATOR.uniform(-0.5, 0.5, 30)
    weights = np.column_stack(
        [GENERATOR.standard_exponential((DRAWS, 30)), GENERATOR.standard_gamma(0.5, DRAWS)]
    )
    weights /= weights.sum(axis=1, keepdims=True)
    error = np.abs(target - predicted)
    for metric, power, high in (("mae", 1, 2), ("mse", 2, 4), ("rmse", 2, 2)):
        at_high = 4 if power == 2 else 2
        draws = [weights @ np.append(error**power, end) for end in (0, at_high)]
        estimate = _dirichlet(target, predicted, metric, bounds=(0, high))
        _check(estimate, *(np.sqrt(draws) if metric == "rmse" else draws))
    case = weights[:, :30] / weights[:, :30].sum(axis=1, keepdims=True)
    spread = case @ target**2 - (case @ target) ** 2
    own = weights[:, :30].sum(axis=1) * (1 - case @ error**2 / spread)
    estimate = _dirichlet(target, predicted, "r2", bounds=(-1, 1))
    _check(estimate, own - weights[:, 30], own + weights[:, 30])


def test_the_error_of_a_single_case_within_bounds_has_that_of_its_square() -> None:
    squared = metric_ci([1.0], [1.2], metric="mse", bounds=(0, 9), rng=1)
    root = metric_ci([1.0], [1.2], metric="rmse", bounds=(0, 3), rng=1)
    assert isinstance(squared, hw.Estimate)
    assert isinstance(root, hw.Estimate)
    assert root.method == squared.method == "dirichlet"
    assert (root.low, root.high) == pytest.approx((squared.low**0.5, squared.high**0.5), rel=0.05)


def test_bounds_that_do_not_fit_are_refused() -> None:
    target, predicted = np.arange(6.0), np.arange(6.0)[::-1]
    with pytest.raises(hw.DataError, match="MAE of case 1 is 5, outside the given bounds"):
        _dirichlet(target, predicted, "mae", bounds=(0, 4))
    with pytest.raises(hw.OptionError, match="reaches beyond the range of MAE"):
        _dirichlet(target, predicted, "mae", bounds=(-1, 9))
    with pytest.raises(hw.OptionError, match="no effect on auroc"):
        _dirichlet(TRUTH, SCORES, "auroc", bounds=(0.5, 1))
    with pytest.raises(hw.OptionError, match="the range of one metric"):
        metric_ci(target, predicted, metric=["mae", "mse"], bounds=(0, 9))


def test_mcc_of_a_test_set_without_errors_is_1_not_nearly() -> None:
    for n in range(2, 60):
        truth = np.arange(3 * n) % 3 // 2
        assert hw.metrics.mcc(np.diag(np.bincount(truth))) == 1
        assert hw.metrics.mcc(np.diag(np.bincount(truth))[::-1]) == pytest.approx(-1, abs=1e-15)
