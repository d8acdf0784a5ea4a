"""Permutations of the labels of unpaired models, against SciPy and against enumeration."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from halfwidth import SAMPLE_METRICS
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import Classes, MetricRow, Policies, build_functional
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.permutations.label_tests import drawn_labels, label_test

# More than there are divisions: SciPy then counts all.
MANY = 10**5


def iid(values: Array) -> tuple[Array, Design]:
    return values, Design((values.shape[-1],))


def two_samples() -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    return rng.normal(0, 1, 5).round(1), rng.normal(1.2, 3, 6).round(1)


def welch(first: Array, second: Array, axis: int = -1) -> Any:
    return stats.ttest_ind(first, second, equal_var=False, axis=axis).statistic


def test_means_are_compared_by_welchs_t() -> None:
    first, second = two_samples()
    found = label_test(iid(first), iid(second), resolve_statistic("mean"), Plan(1))
    expected = stats.permutation_test((first, second), welch, n_resamples=MANY, vectorized=True)
    larger = np.abs(expected.null_distribution) >= abs(expected.statistic) - 1e-9
    assert found.p_value == pytest.approx(larger.mean())
    assert found.n_resamples is None


@pytest.mark.parametrize("name", ["median", "sd"])
def test_other_statistics_by_their_difference(name: str) -> None:
    statistic, samples = resolve_statistic(name), two_samples()
    found = label_test(iid(samples[0]), iid(samples[1]), statistic, Plan(1))
    expected = stats.permutation_test(
        samples, lambda a, b, axis: statistic(a) - statistic(b), n_resamples=MANY
    ).null_distribution
    observed = abs(float(statistic(samples[0]) - statistic(samples[1])))
    assert found.p_value == pytest.approx((np.abs(expected) >= observed - 1e-9).mean())


def test_clusters_are_divided_whole() -> None:
    rng = np.random.default_rng(4)
    sizes = (1, 2, 2), (1, 1, 3, 4)
    samples = [rng.normal(size=sum(own)) for own in sizes]
    designs = [Design((len(own),), own) for own in sizes]
    parts = [
        part
        for sample, own in zip(samples, sizes, strict=True)
        for part in np.split(sample, np.cumsum(own)[:-1])
    ]

    def t(first: Any) -> float:
        sides = [[parts[i] for i in range(7) if (i in first) == mine] for mine in (True, False)]
        means = [np.concatenate(side).mean() for side in sides]
        variances = [
            len(side) / (len(side) - 1) * sum((c - mean).sum() ** 2 for c in side)
            / sum(map(len, side)) ** 2
            for side, mean in zip(sides, means, strict=True)
        ]  # fmt: skip
        return float((means[0] - means[1]) / np.sqrt(sum(variances)))

    every = np.array([t(first) for first in combinations(range(7), 3)])
    pairs = list(zip(samples, designs, strict=True))
    found = label_test(pairs[0], pairs[1], resolve_statistic("mean"), Plan(1))
    assert found.p_value == pytest.approx((np.abs(every) >= abs(every[0]) - 1e-9).mean())
    medians = np.array(
        [
            np.median(np.concatenate([parts[i] for i in first]))
            - np.median(np.concatenate([parts[i] for i in range(7) if i not in first]))
            for first in combinations(range(7), 3)
        ]
    )
    found = label_test(pairs[0], pairs[1], resolve_statistic("median"), Plan(1))
    assert found.p_value == pytest.approx((np.abs(medians) >= abs(medians[0]) - 1e-9).mean())


def test_drawn_labels_keep_their_numbers_and_are_fair() -> None:
    (_, _, labels), *_ = drawn_labels([(2, 3), (0, 1), (4, 4)], Plan(5, 4000))
    assert (labels[:, :5].sum(axis=1) == 2).all()
    assert not labels[:, 5].any()
    assert (labels[:, 6:].sum(axis=1) == 4).all()
    assert np.abs(labels[:, :5].mean(axis=0) - 0.4).max() < 0.04


def test_drawn_divisions_come_near_all_of_them() -> None:
    samples = two_samples()
    for name in ("mean", "median"):
        statistic = resolve_statistic(name)
        exact = label_test(iid(samples[0]), iid(samples[1]), statistic, Plan(1)).p_value
        found = label_test(iid(samples[0]), iid(samples[1]), statistic, Plan(1, 400))
        assert found.n_resamples == 400
        assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 400))


@pytest.mark.parametrize("name", ["f1", "auroc"])
def test_test_sets_are_divided_within_classes(name: str) -> None:
    rng = np.random.default_rng(8)
    metric = Metric(SAMPLE_METRICS[name])
    functional = build_functional(
        MetricRow(metric, "binary", 1), metric, Classes((0, 1), 1), Policies("omit", "zero")
    )
    sides = []
    for scale, truth in ((1, np.array([0, 1, 0, 1, 1])), (100, np.array([1, 0, 0, 1]))):
        score = scale * (rng.random(len(truth)) + 0.4 * truth)
        cases = SimpleNamespace(truth=truth, predicted=(score > 0.6 * scale) * 1, weights=None)
        cases.score_rows = lambda score=score: np.stack([-score, score])
        sides.append(functional.records(cases))
    found = label_test(iid(sides[0]), iid(sides[1]), functional.statistic, Plan(1))

    def by_case(records: Array) -> Array:
        if name == "f1":
            return np.stack([records, records // 2])
        ranks = (stats.rankdata(records[0]) - 0.5) / records.shape[1]
        return np.stack([np.stack([ranks, records[1]])[0], records[1]])

    pool = np.concatenate([by_case(side) for side in sides], axis=1)
    n = sides[0].shape[-1]
    held = np.bincount(pool[1, :n].astype(int), minlength=2)
    every = []
    for first in combinations(range(pool.shape[1]), n):
        mine = np.isin(np.arange(pool.shape[1]), first)
        if (np.bincount(pool[1, mine].astype(int), minlength=2) == held).all():
            records = pool[0] if name == "f1" else pool
            one, other = (
                float(functional.statistic(records[..., side][None])[0]) for side in (mine, ~mine)
            )
            every.append((mine[:n].all(), one - other))
    observed = next(abs(difference) for as_given, difference in every if as_given)
    expected = np.mean([abs(difference) >= observed - 1e-9 for _, difference in every])
    assert found.p_value == pytest.approx(expected)


def test_no_test_where_labels_cannot_be_exchanged() -> None:
    first, second = two_samples()
    mean = resolve_statistic("mean")
    stratified = Design((2, 3))
    assert np.isnan(label_test((first, stratified), iid(second), mean, Plan(1)).p_value)


def test_clusters_of_a_test_set_are_divided_whatever_their_classes() -> None:
    rng = np.random.default_rng(9)
    metric = Metric(SAMPLE_METRICS["f1"])
    functional = build_functional(
        MetricRow(metric, "binary", 1), metric, Classes((0, 1), 1), Policies("omit", "zero")
    )
    sizes = (2, 2, 3), (1, 2, 2, 3)
    codes = [rng.integers(0, 4, sum(own)).astype(float) for own in sizes]
    parts = [
        part
        for sample, own in zip(codes, sizes, strict=True)
        for part in np.split(sample, np.cumsum(own)[:-1])
    ]
    f1 = functional.statistic
    every = []
    for first in combinations(range(7), 3):
        sides = [[parts[i] for i in range(7) if (i in first) == mine] for mine in (True, False)]
        one, other = (float(f1(np.concatenate(side)[None])[0]) for side in sides)
        every.append(abs(one - other))
    pairs = [(sample, Design((len(own),), own)) for sample, own in zip(codes, sizes, strict=True)]
    found = label_test(pairs[0], pairs[1], f1, Plan(1))
    assert found.p_value == pytest.approx(np.mean(np.array(every) >= every[0] - 1e-9))
