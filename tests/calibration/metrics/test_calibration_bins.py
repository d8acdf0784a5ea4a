"""Bins of probabilities, and calibration errors in them: by hand, and by scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from over_data import metric_ci
from sklearn.calibration import calibration_curve
from support import examples

import halfwidth as hw
from halfwidth.calibration.metrics.bins import MASS, WIDTH, bin_of
from halfwidth.metrics import ece, mce

Array = NDArray[Any]


def value(truth: Any, given_: Any, metric: Any = "ece", **options: Any) -> float:
    """The value alone: two resamples are the fewest that may be asked for."""
    return float(metric_ci(truth, given_, metric=metric, n_resamples=2, rng=1, **options).value)


def by_hand(y: Array, p: Array, bins: Array, weights: Array) -> tuple[float, float]:
    """ECE and MCE from a loop over bins, as their definitions read."""
    total, largest = 0.0, 0.0
    for one in set(bins.tolist()):
        inside = bins == one
        w = weights[inside]
        if w.sum() > 0:
            gap = abs(np.average(p[inside], weights=w) - np.average(y[inside], weights=w))
            total += w.sum() / weights.sum() * gap
            largest = max(largest, gap)
    return total, largest


# --------------------------------------------------------------------------- bins


def test_a_bin_is_open_below_and_closed_above() -> None:
    edges = np.arange(11) / 10
    assert bin_of(edges, 10, WIDTH).tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert bin_of(np.nextafter(edges, 2) + 1e-6, 10, WIDTH)[:-1].tolist() == list(range(10))


@pytest.mark.parametrize("bins", [2, 3, 7, 10, 15, 20, 100, 999])
def test_every_edge_is_in_the_bin_that_it_closes(bins: int) -> None:
    # As quotients, summed up, taken from 1, and of single precision.
    step = np.arange(1, bins + 1)
    lower = step - 1
    for edges in (
        step / bins,
        np.cumsum(np.full(bins, 1 / bins)),
        1 - (bins - step) / bins,
        (step / bins).astype(np.float32).astype(float),
    ):
        assert bin_of(edges, bins, WIDTH).tolist() == lower.tolist()


def test_zero_and_one_are_in() -> None:
    # Both cases are wrong with certainty: a package that loses 1.0 or 0.0 says .5 or 0.
    assert ece([1, 0], [0.0, 1.0]) == 1.0
    assert value([1, 0], [0.0, 1.0], scores="probabilities") == 1.0
    wrong = value(["a", "b"], [[0.0, 1.0], [1.0, 0.0]], average="top_label")
    assert wrong == 1.0


@pytest.mark.parametrize("bins", [1, 3, 10])
def test_bins_of_equal_mass_hold_as_many(bins: int) -> None:
    p = np.random.default_rng(3).permutation(30) / 29
    assert np.bincount(bin_of(p, bins, MASS)).tolist() == [30 // bins] * bins


@examples(50)
@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.35, 0.5, 0.9, 1.0]), min_size=1, max_size=40),
    st.integers(1, 12),
    st.randoms(use_true_random=False),
)
def test_equal_probabilities_share_a_bin_whatever_the_order_of_rows(
    values: list[float], bins: int, shuffler: Any
) -> None:
    p = np.array(values)
    found = bin_of(p, bins, MASS)
    for one in set(values):
        assert len(set(found[p == one].tolist())) == 1
    order = np.array(shuffler.sample(range(len(p)), len(p)))
    assert bin_of(p[order], bins, MASS).tolist() == found[order].tolist()
    # Bins ascend with the probability.
    assert (np.diff(found[np.argsort(p, kind="stable")]) >= 0).all()


def test_ties_do_not_make_the_error_depend_on_the_order_of_rows() -> None:
    generator = np.random.default_rng(0)
    p = generator.choice([0.2, 0.5, 0.8], 100)
    y = (generator.random(100) < p).astype(float)
    found = {
        round(ece(y[order], p[order], binning=MASS), 12)
        for order in (generator.permutation(100) for _ in range(20))
    }
    assert len(found) == 1


def test_a_constant_probability_is_one_bin() -> None:
    y = [1, 0, 0, 1, 0]
    for binning in (WIDTH, MASS):
        assert ece(y, [0.7] * 5, binning=binning) == pytest.approx(0.3)
        assert mce(y, [0.7] * 5, binning=binning) == pytest.approx(0.3)


def test_bins_change_the_value() -> None:
    # As Fig. SN 2.22 of Reinke et al. (2024) shows of three ways to divide [0, 1].
    p = np.array([0.05, 0.15, 0.45, 0.55, 0.85, 0.95])
    y = np.array([0, 1, 1, 0, 0, 1])
    values = {bins: (ece(y, p, bins=bins), mce(y, p, bins=bins)) for bins in (1, 2, 5, 10)}
    assert values[1] == pytest.approx((0.0, 0.0))
    assert values[2] == pytest.approx(((1.35 + 1.35) / 6, 0.45))
    # [0, .2]: .2 foreseen of 1; (.4, .6]: 1 of 1; (.8, 1]: 1.8 of 1.
    assert values[5] == pytest.approx(((0.8 + 0.0 + 0.8) / 6, 0.4))
    assert values[10] == pytest.approx(((0.05 + 0.85 + 0.55 + 0.55 + 0.85 + 0.05) / 6, 0.85))


# --------------------------------------------------------------------------- values


@examples(40)
@given(
    st.lists(
        st.tuples(st.integers(0, 20), st.booleans(), st.sampled_from([0.0, 0.25, 1.0, 3.0])),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from([1, 2, 4, 10, 20]),
)
def test_errors_are_those_of_a_loop_over_bins(
    cases: list[tuple[int, bool, float]], bins: int
) -> None:
    p, y = np.array([c[0] / 20 for c in cases]), np.array([float(c[1]) for c in cases])
    weights = np.array([c[2] for c in cases])
    # In twentieths, by whole numbers: no edge is a matter of rounding.
    inside = np.array([max(-(-c[0] * bins // 20) - 1, 0) for c in cases])
    if not weights.any():
        assert np.isnan(ece(y, p, weights, bins=bins))
        assert np.isnan(mce(y, p, weights, bins=bins))
        return
    wanted = by_hand(y, p, inside, weights)
    made = ece(y, p, weights, bins=bins), mce(y, p, weights, bins=bins)
    assert made == pytest.approx(wanted, abs=1e-12)


def test_gaps_are_those_of_scikit_learns_calibration_curve() -> None:
    generator = np.random.default_rng(4)
    p = generator.beta(0.8, 1.5, 500)
    y = generator.random(500) < p**1.3
    for strategy, binning in (("uniform", WIDTH), ("quantile", MASS)):
        shares, means = calibration_curve(y, p, n_bins=10, strategy=strategy)
        gaps = np.abs(shares - means)
        counts = np.bincount(bin_of(p, 10, binning), minlength=10)
        assert ece(y, p, binning=binning) == pytest.approx((counts * gaps).sum() / 500)
        assert mce(y, p, binning=binning) == pytest.approx(gaps.max())


def several(n: int = 60, classes: int = 4, seed: int = 5) -> tuple[Array, Array]:
    generator = np.random.default_rng(seed)
    scores = generator.dirichlet(np.full(classes, 0.7), n)
    return generator.integers(classes, size=n), scores


def test_of_several_classes_it_is_that_of_the_top_label() -> None:
    truth, scores = several()
    right = (scores.argmax(axis=1) == truth).astype(float)
    assert value(truth, scores) == pytest.approx(ece(right, scores.max(axis=1)))
    assert value(truth, scores, "ece:bins=15,binning=mass") == pytest.approx(
        ece(right, scores.max(axis=1), bins=15, binning=MASS)
    )


@pytest.mark.parametrize("metric", [ece, mce])
def test_class_wise_is_the_mean_over_classes(metric: Any) -> None:
    truth, scores = several()
    weights = np.random.default_rng(1).random(60)
    for given_ in (None, weights):
        each = [metric(truth == c, scores[:, c], given_) for c in range(4)]
        rows = metric_ci(
            truth, scores, metric=metric.__name__, average=["none", "macro"], rng=1,
            n_resamples=2, sample_weight=given_,
        )  # fmt: skip
        assert [row.value for row in rows] == pytest.approx([*each, np.mean(each)], abs=1e-12)


def test_both_ways_to_give_two_classes_are_one() -> None:
    generator = np.random.default_rng(2)
    p, y = generator.random(50), generator.integers(2, size=50)
    one = value(y, p)
    assert one == pytest.approx(ece(y, p))
    assert value(y, np.column_stack([1 - p, p]), pos_label=1) == pytest.approx(one, abs=1e-12)
    logits = np.log(p) - np.log1p(-p)
    assert value(y, logits, scores="logits") == pytest.approx(one, abs=1e-12)


def test_logits_of_several_classes_are_their_softmax() -> None:
    truth, scores = several()
    logits = np.log(scores) + 3.0
    assert value(truth, logits, scores="logits") == pytest.approx(value(truth, scores), abs=1e-9)


# --------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("y", "p", "said"),
    [
        ([0, 1], [0.5, 1.2], "from 0 to 1"),
        ([0, 1], [0.5, float("nan")], "from 0 to 1"),
        ([0, 2], [0.5, 0.5], "other than 0 and 1"),
        ([0, 1], [0.5], "shapes"),
        ([0, 1], [[0.5, 0.5], [0.5, 0.5]], "shapes"),
    ],
)
def test_what_is_no_probability_or_outcome_is_refused(y: Any, p: Any, said: str) -> None:
    for metric in (ece, mce):
        with pytest.raises(hw.DataError, match=said):
            metric(y, p)


def test_weights_are_not_negative() -> None:
    with pytest.raises(hw.DataError, match="sample_weight"):
        ece([0, 1], [0.5, 0.5], [1.0, -1.0])


def test_at_the_door_scores_are_to_be_probabilities() -> None:
    truth, scores = several()
    with pytest.raises(hw.HalfwidthError, match="logits"):
        value(truth, np.log(scores) + 3.0)
    with pytest.raises(hw.HalfwidthError, match="logits"):
        value([0, 1, 0], [-2.0, 1.0, 3.0])
    with pytest.raises(hw.HalfwidthError, match="sum of 1"):
        value(truth, scores * 0.9)
    with pytest.raises(hw.HalfwidthError, match="not labels: give the probability"):
        value(truth, truth)


@pytest.mark.parametrize("bins", [0, 1001, 2.5, "nan"])
def test_bins_are_a_whole_number_of_them(bins: object) -> None:
    with pytest.raises(hw.HalfwidthError, match="bins"):
        value([0, 1], [0.2, 0.7], f"ece:bins={bins}")
