"""Multinomial tables of resamples, and what a case contributes to a function of the table."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from support import examples

import halfwidth as hw
from halfwidth.core import rng
from halfwidth.core.forms import CellCounts
from halfwidth.core.spec import Metric, Statistic
from halfwidth.metrics.averaging import CountingFinish
from halfwidth.metrics.building import (
    counting_statistic,
    sums_statistic,
    weighted_counting_statistic,
)
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates
from halfwidth.resampling.forms.counts import MULTINOMIAL_FROM
from halfwidth.resampling.weights.bootstrap import Drawn
from halfwidth.resampling.weights.multinomial import binomial_quantile, multinomial

Array = NDArray[Any]

CELLS = {
    "macro F1": ("f1", "macro", {}),
    "weighted F1": ("f1", "weighted", {}),
    "micro F1": ("f1", "micro", {}),
    "balanced accuracy": ("sensitivity", "macro", {}),
    "MCC": ("mcc", "", {}),
    "quadratic kappa": ("cohen_kappa", "", {"weights": 2.0}),
}


def statistic_of_cells(name: str, *, weighted: bool = False) -> Statistic:
    metric, average, parameters = CELLS[name]
    made = Metric(hw.SAMPLE_METRICS[metric], parameters)
    finish = CountingFinish(made, 3, average)
    return (weighted_counting_statistic if weighted else counting_statistic)(made, finish, "omit")


def cells(n: int) -> Array:
    """Cells of three classes, of which one is rare and another is missed often."""
    generator = np.random.default_rng(n)
    truth = generator.choice(3, n, p=[0.6, 0.3, 0.1])
    said = np.where(generator.uniform(size=n) < 0.7, truth, generator.integers(0, 3, n))
    truth[0], said[0] = 2, 1
    return np.asarray(3.0 * truth + said)


@examples(300)
@given(
    st.lists(st.integers(0, 20_000), min_size=1, max_size=20),
    st.one_of(st.floats(1e-9, 1 - 1e-9), st.sampled_from([1e-9, 1e-4, 0.5, 1 - 1e-4, 1 - 2**-40])),
    st.lists(
        st.one_of(st.floats(2**-53, 1 - 2**-53), st.sampled_from([2**-53, 0.5, 1 - 2**-53])),
        min_size=20,
        max_size=20,
    ),
)
def test_binomial_quantile_is_the_smallest_count_that_reaches_the_level(
    n: list[int], p: float, u: list[float]
) -> None:
    trials, uniform = np.array(n), np.array(u[: len(n)])
    got = binomial_quantile(uniform, trials, p)
    assert (got >= 0).all()
    assert (got <= trials).all()
    # Where a step of the distribution function lies at u but for rounding, either side is right.
    assert (stats.binom.cdf(got, trials, p) >= uniform * (1 - 1e-9) - 4e-15).all()
    below = np.where(got > 0, stats.binom.cdf(got - 1, trials, p), 0.0)
    assert (below <= uniform * (1 + 1e-9) + 4e-15).all()


def test_binomial_quantile_of_many_uniforms_is_that_of_scipy() -> None:
    generator = np.random.default_rng(5)
    uniform = rng.uniforms(rng.derive_key(2, "quantiles"), 0, 5000, 1)[:, 0]
    for p in (1e-3, 0.02, 0.3, 0.5, 0.77, 0.999):
        trials = generator.integers(0, 30_000, 5000)
        got = binomial_quantile(uniform, trials, p)
        np.testing.assert_array_equal(got, stats.binom.ppf(uniform, trials, p))


def test_ranges_of_multinomial_resamples_can_be_cut_anywhere() -> None:
    counts, key = np.array([5, 0, 4000, 1, 994, 0, 2000]), rng.derive_key(3, "test")
    whole = multinomial(key, 0, 97, counts)
    assert (whole.sum(axis=1) == counts.sum()).all()
    assert (whole[:, counts == 0] == 0).all()
    for cuts in ([0, 1, 2, 97], [0, 50, 51, 97], [0, 33, 66, 97]):
        parts = [multinomial(key, a, b, counts) for a, b in itertools.pairwise(cuts)]
        np.testing.assert_array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("counts", [[7], [0, 7, 0], [1, 1], [0, 6000], [6000, 1]])
def test_multinomial_of_few_cells_adds_up(counts: list[int]) -> None:
    made = multinomial(rng.derive_key(1, "few"), 0, 200, np.array(counts))
    assert (made.sum(axis=1) == sum(counts)).all()
    assert (made[:, np.array(counts) == 0] == 0).all()
    assert len(np.unique(made, axis=0)) > 1 or sum(c > 0 for c in counts) == 1


COUNTS = np.array([3000, 12, 0, 700, 1, 1999, 300])


def test_marginals_of_the_multinomial_are_binomial_and_its_cells_uncorrelated_but_for_the_sum() -> (
    None
):
    # Chi-square of six marginals and of one pair; false alarm 1e-6 each, 7e-6 in all.
    made, n = multinomial(rng.derive_key(9, "marginals"), 0, 40_000, COUNTS), COUNTS.sum()
    for cell in np.flatnonzero(COUNTS):
        share = COUNTS[cell] / n
        edges = np.unique(stats.binom.ppf(np.linspace(0, 1, 21)[1:-1], n, share))
        probability = np.diff(np.r_[0.0, stats.binom.cdf(edges, n, share), 1.0])
        seen = np.bincount(np.searchsorted(edges, made[:, cell]), minlength=len(edges) + 1)
        usable = probability * len(made) > 5
        assert usable.sum() > 1
        observed, wanted = seen[usable], probability[usable]
        assert stats.chisquare(observed, wanted / wanted.sum() * observed.sum()).pvalue > 1e-6
    pair = made[:, 0] + made[:, 3]
    share = (COUNTS[0] + COUNTS[3]) / n
    edges = np.unique(stats.binom.ppf(np.linspace(0, 1, 21)[1:-1], n, share))
    probability = np.diff(np.r_[0.0, stats.binom.cdf(edges, n, share), 1.0])
    seen = np.bincount(np.searchsorted(edges, pair), minlength=len(edges) + 1)
    assert stats.chisquare(seen, probability * len(made)).pvalue > 1e-6


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["iid", "strata"])
def test_multinomial_draws_are_in_distribution_those_of_rows(kind: str) -> None:
    # Two-sample Kolmogorov-Smirnov of 2000 against 2000; false alarm 1e-6 each, 2e-6 in all.
    n = 3 * MULTINOMIAL_FROM + 500
    codes = cells(n)
    strata = None if kind == "iid" else np.random.default_rng(1).integers(0, 3, n)
    records, design = (
        (np.sort(codes), Design.iid(n)) if strata is None else arrange(codes, None, strata)
    )
    statistic = statistic_of_cells("macro F1")
    got = replicates(records[None], design, statistic, Plan(5, 2000))[0]
    tables = np.empty((2000, 9), dtype=np.int64)
    for row in range(2000):
        drawn = Plan(6, 2000).indices(design, row, row + 1)[0]
        tables[row] = np.bincount(records[drawn].astype(int), minlength=9)
    form = statistic.spec.form
    assert isinstance(form, CellCounts)
    wanted = form.finish(tables)
    assert stats.ks_2samp(got, wanted).pvalue > 1e-6
    # Strata keep their sizes; the draws are others than those of the rows.
    of_strata = np.split(records.astype(int), design.first_units[1:])
    cases = np.stack([np.bincount(one, minlength=9) for one in of_strata])[:, None]
    counts = Drawn(design, Plan(6, 3), 0, 3).tables(cases)
    assert (counts.sum(axis=-1) == n).all()
    assert not (counts[0] == tables[:3]).all()


# --------------------------------------------------------------------------- influence


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", CELLS)
def test_influence_is_the_numerical_derivative_by_the_weight_of_a_case(
    name: str, weighted: bool
) -> None:
    n = 40
    weights = np.random.default_rng(2).uniform(0.5, 2, n) if weighted else np.ones(n)
    codes = cells(n)
    records = np.stack([codes, weights]) if weighted else codes
    statistic = statistic_of_cells(name, weighted=weighted)
    assert statistic.spec.influence is not None
    got = statistic.spec.influence(records)
    heavier = statistic_of_cells(name, weighted=True)
    step, wanted = 1e-5, np.empty(n)
    for case in range(n):
        ends = [
            float(heavier(np.stack([codes, weights * (1 + e * (np.arange(n) == case))])[None])[0])
            for e in (step, -step)
        ]
        wanted[case] = n * (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(got, wanted - wanted.mean(), rtol=0, atol=1e-6)
    assert np.abs(got).max() > 0.1


@pytest.mark.parametrize("name", ["rmse", "r2"])
def test_influence_of_errors_is_the_numerical_derivative(name: str) -> None:
    n, generator = 30, np.random.default_rng(8)
    target = generator.normal(size=n)
    records = np.stack([target, target + generator.normal(size=n)])
    influence = sums_statistic(Metric(hw.SAMPLE_METRICS[name])).spec.influence
    assert influence is not None

    def at(w: Array) -> float:
        error, mean = (w * (records[0] - records[1]) ** 2).sum(), (w * target).sum() / w.sum()
        if name == "rmse":
            return float(np.sqrt(error / w.sum()))
        return float(1 - error / (w * (target - mean) ** 2).sum())

    step = 1e-5 * np.eye(n)
    wanted = np.array([n * (at(1 + e) - at(1 - e)) / 2e-5 for e in step])
    np.testing.assert_allclose(influence(records), wanted - wanted.mean(), rtol=0, atol=1e-6)
