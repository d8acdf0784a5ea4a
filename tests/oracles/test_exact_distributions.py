"""Exact bootstrap distributions, against all nⁿ resamples and against SciPy."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import ExactDistribution, Replicates
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import bootstrap_distribution
from halfwidth.resampling.exact.proportions import binomial
from halfwidth.resampling.forms.order_statistics import closed_form, spacings
from halfwidth.resampling.weights.gammas import gammas

Array = NDArray[np.float64]

PLAN = Plan(entropy=1, n_resamples=50)


def samples(n: int) -> dict[str, Array]:
    generator = np.random.default_rng(n)
    untied = np.sort(generator.normal(size=n))
    tied = np.sort(generator.integers(0, 2, n) / 8.0)
    return {"untied": untied, "two tied": np.sort(np.r_[untied[:-1], untied[:1]]), "tied": tied}


def all_resamples(values: Array) -> Array:
    """All nⁿ of them, one a row."""
    n = len(values)
    return np.asarray(values[np.array(list(product(range(n), repeat=n)))])


def enumerated(replicates: Array) -> dict[float, float]:
    """Probability of each value, values equal but for rounding taken together."""
    found, counts = np.unique(np.round(replicates, 9), return_counts=True)
    return dict(zip(found.tolist(), (counts / len(replicates)).tolist(), strict=True))


def tabulated(distribution: ExactDistribution, row: int = 0) -> dict[float, float]:
    made: dict[float, float] = {}
    for value, probability in zip(
        np.round(distribution.support[row], 9).tolist(),
        distribution.probability[row].tolist(),
        strict=True,
    ):
        made[value] = made.get(value, 0.0) + probability
    return made


def assert_same_distribution(got: dict[float, float], wanted: dict[float, float]) -> None:
    assert sum(got.values()) == pytest.approx(1, abs=1e-12)
    for value in got.keys() | wanted.keys():
        assert got.get(value, 0.0) == pytest.approx(wanted.get(value, 0.0), rel=0, abs=1e-12), value


# --------------------------------------------------------------------------- order statistics


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "statistic",
    ["median", "quantile:0.05", "quantile:0.25", "quantile:0.4", "quantile:0.9", "quantile:0.99"],
)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_quantile_distribution_is_that_of_all_resamples(n: int, statistic: str) -> None:
    q = 0.5 if statistic == "median" else float(statistic.partition(":")[2])
    for values in samples(n).values():
        wanted = enumerated(np.quantile(all_resamples(values), q, axis=-1))
        got = bootstrap_distribution(
            values[None], Design.iid(values.shape[-1]), resolve_statistic(statistic), PLAN
        )
        assert isinstance(got, ExactDistribution)
        assert_same_distribution(tabulated(got), wanted)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_every_single_and_adjacent_order_statistic_is_that_of_all_resamples(n: int) -> None:
    values = samples(n)["untied"]
    resamples = np.sort(all_resamples(values), axis=-1)
    for rank in range(1, n + 1):
        got = closed_form(values[None], np.array([rank]), np.array([1.0]))
        assert_same_distribution(tabulated(got), enumerated(resamples[:, rank - 1]))
    for rank in range(1, n):
        for weight in (0.001, 0.3, 0.5, 0.75):
            picked = resamples[:, rank - 1 : rank + 1] @ np.array([1 - weight, weight])
            got = closed_form(
                values[None], np.array([rank, rank + 1]), np.array([1 - weight, weight])
            )
            assert_same_distribution(tabulated(got), enumerated(picked))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_moments_quantiles_and_shares_are_those_of_all_resamples(n: int) -> None:
    for values in samples(n).values():
        medians = np.sort(np.median(all_resamples(values), axis=-1))
        got = bootstrap_distribution(
            values[None], Design.iid(values.shape[-1]), resolve_statistic("median"), PLAN
        )
        assert got.mean()[0] == pytest.approx(medians.mean(), rel=1e-12, abs=1e-13)
        assert got.standard_deviation()[0] == pytest.approx(medians.std(), rel=1e-11, abs=1e-13)
        for probability in (0.001, 0.025, 0.1, 0.321, 0.5, 0.9, 0.975, 0.999):
            # inf{x : F(x) ≥ p} of the nⁿ medians.
            wanted = medians[int(np.ceil(probability * len(medians) - 1e-9)) - 1]
            assert got.quantile(probability)[0] == pytest.approx(wanted, rel=1e-12, abs=1e-13)
        centre = float(np.median(values))
        mid = (np.mean(medians < centre - 1e-12) + np.mean(medians <= centre + 1e-12)) / 2
        share = got.share_below(np.array([centre]), np.array([1e-12]))
        assert share[0] == pytest.approx(mid, rel=0, abs=1e-12)


def test_batch_of_samples_has_each_samples_own_distribution() -> None:
    batch = np.stack([samples(5)["untied"], samples(5)["tied"], 10 + samples(5)["untied"]])
    together = bootstrap_distribution(
        batch, Design.iid(batch.shape[-1]), resolve_statistic("quantile:0.6"), PLAN
    )
    assert isinstance(together, ExactDistribution)
    for row, values in enumerate(batch):
        wanted = enumerated(np.quantile(all_resamples(values), 0.6, axis=-1))
        assert_same_distribution(tabulated(together, row), wanted)


def picks(n: int, q: float) -> tuple[Any, Any]:
    """Ranks and weights of the order statistics in a quantile of type 7."""
    below, share = divmod(round((n - 1) * q, 9), 1)
    count = 1 + (share > 0)
    return below + np.arange(1.0, count + 1), np.array([1.0 - share, share])[:count]


@pytest.mark.parametrize(("n", "q"), [(1001, 0.5), (1000, 0.5), (500, 0.987), (317, 0.01)])
def test_probability_of_each_position_is_a_difference_of_binomial_tails(n: int, q: float) -> None:
    # P(X*₍k₎ ≤ x₍j₎) = P(Bin(n, j/n) ≥ k); values 1 ... n make positions visible.
    values = np.arange(1.0, n + 1)
    ranks, weights = picks(n, q)
    got = closed_form(values[None], ranks[:1], weights[:1] / weights[:1])
    tail = stats.binom.sf(int(ranks[0]) - 1, n, np.arange(n + 1) / n)
    wanted = np.diff(tail)
    made = np.zeros(n)
    made[got.support[0].astype(int) - 1] = got.probability[0]
    np.testing.assert_allclose(made, wanted, rtol=0, atol=1e-12)
    if len(ranks) == 2:
        # The two together keep the marginal of either: E = Σ weight · E[X*₍k₎].
        upper = np.diff(stats.binom.sf(int(ranks[1]) - 1, n, np.arange(n + 1) / n))
        both = closed_form(values[None], ranks, weights)
        expected = weights[0] * (wanted @ values) + weights[1] * (upper @ values)
        assert both.probability.sum() == pytest.approx(1, abs=1e-12)
        assert both.mean()[0] == pytest.approx(expected, rel=1e-11)


@pytest.mark.slow
def test_large_sample_agrees_with_20000_resamples() -> None:
    # 6 standard errors of a mean, an SD (its own relative error is √((κ - 1)/(4B)) < 1.5/√(2B) for
    # the near-normal replicates here) and a share: false alarm below 1e-7 in all.
    n, resamples = 10_000, 20_000
    generator = np.random.default_rng(11)
    values = np.sort(generator.beta(8, 2, n))
    wanted = {0.5: np.empty(resamples), 0.9: np.empty(resamples)}
    ranks = {q: picks(n, q) for q in wanted}
    positions = sorted({int(rank) - 1 for picked, _ in ranks.values() for rank in picked})
    for start in range(0, resamples, 250):
        drawn = np.partition(
            generator.integers(0, n, (250, n), dtype=np.uint16), positions, axis=-1
        )
        for q, (picked, weights) in ranks.items():
            wanted[q][start : start + 250] = values[drawn[:, picked.astype(int) - 1]] @ weights
    for q, replicates in wanted.items():
        got = bootstrap_distribution(
            values[None], Design.iid(values.shape[-1]), resolve_statistic(f"quantile:{q}"), PLAN
        )
        assert isinstance(got, ExactDistribution)
        assert got.probability.sum() == pytest.approx(1, abs=1e-12)
        sd = replicates.std()
        assert abs(got.mean()[0] - replicates.mean()) < 6 * sd / np.sqrt(resamples)
        assert got.standard_deviation()[0] == pytest.approx(
            sd, rel=6 * 1.5 / np.sqrt(2 * resamples)
        )
        for probability in (0.025, 0.5, 0.975):
            bound = float(got.quantile(probability)[0])
            allowed = 6 * np.sqrt(probability * (1 - probability) / resamples)
            assert np.mean(replicates < bound - 1e-12) <= probability + allowed
            assert np.mean(replicates <= bound + 1e-12) >= probability - allowed


# --------------------------------------------------------------------------- spacings


def assert_not_rejected(
    counts: Counter[tuple[int, ...]], chances: dict[tuple[int, ...], float]
) -> None:
    """Chi-square over cells that expect at least 10, the rest pooled; false alarm 1e-6."""
    total = sum(counts.values())
    assert counts.keys() <= chances.keys()
    likely = [cell for cell, chance in chances.items() if chance * total >= 10]
    seen = [counts[cell] for cell in likely]
    expected = [chances[cell] * total for cell in likely]
    rest = total - sum(expected)
    if rest > 1e-6 * total:
        seen.append(total - sum(seen))
        expected.append(rest)
    if len(seen) > 1:
        statistic = sum((s - e) ** 2 / e for s, e in zip(seen, expected, strict=True))
        assert statistic < stats.chi2.isf(1e-6, len(seen) - 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "ranks"), [(3, [1, 3]), (4, [1, 2, 3, 4]), (5, [2, 4]), (6, [2, 3, 4, 5]), (6, [1, 6])]
)
def test_spacings_draw_the_positions_of_all_resamples(n: int, ranks: list[int]) -> None:
    # False alarm 1e-6 a case.
    everything = np.sort(all_resamples(np.arange(float(n))), axis=-1)
    cells: Counter[tuple[int, ...]] = Counter(
        map(tuple, everything[:, np.array(ranks) - 1].astype(int).tolist())
    )
    chances: dict[tuple[int, ...], float] = {cell: count / n**n for cell, count in cells.items()}
    table = spacings(7, np.array(ranks), n, 100_000)
    assert_not_rejected(Counter(map(tuple, table.tolist())), chances)


@pytest.mark.parametrize("shape", [1, 2, 3, 10, 84, 2500])
def test_gammas_are_gammas_whatever_their_place(shape: int) -> None:
    # Kolmogorov-Smirnov against scipy.stats.gamma, and independence of two places by the rank
    # correlation; false alarm 1e-6 each, 3e-6 a case.
    first, second = (gammas(5, ("test", place), shape, 50_000) for place in (0, 1))
    for variates in (first, second):
        assert stats.kstest(variates, stats.gamma(shape).cdf).pvalue > 1e-6
    rank: Any = stats.spearmanr(first, second)
    assert rank.pvalue > 1e-6


@pytest.mark.parametrize(("n", "ranks"), [(50, [13, 38]), (999, [250, 251, 749, 750])])
def test_each_position_of_spacings_is_a_difference_of_binomial_tails(
    n: int, ranks: list[int]
) -> None:
    # P(position of rank k ≤ j) = P(Bin(n, j/n) ≥ k); chi-square, false alarm 1e-6 a rank.
    table = spacings(11, np.array(ranks), n, 100_000)
    assert (np.diff(table, axis=-1) >= 0).all()
    for column, k in enumerate(ranks):
        chances = np.diff(stats.binom.sf(k - 1, n, np.arange(n + 1) / n))
        cells: dict[tuple[int, ...], float] = {(j,): p for j, p in enumerate(chances.tolist())}
        assert_not_rejected(Counter((j,) for j in table[:, column].tolist()), cells)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_iqr_distribution_is_that_of_all_resamples(n: int) -> None:
    # False alarm 1e-6 a sample where the distribution is drawn; n = 2 could be exact.
    statistic = resolve_statistic("iqr")
    for values in samples(n).values():
        replicates = stats.iqr(all_resamples(values), axis=-1)
        wanted: dict[tuple[int, ...], float] = {
            (round(value * 1e9),): chance for value, chance in enumerated(replicates).items()
        }
        got = bootstrap_distribution(
            values[None], Design.iid(values.shape[-1]), statistic, Plan(3, 100_000)
        )
        if isinstance(got, ExactDistribution):
            assert_same_distribution(tabulated(got), enumerated(replicates))
        else:
            assert isinstance(got, Replicates)
            drawn = np.round(got.ordered[0], 9) * 1e9
            assert_not_rejected(Counter((round(value),) for value in drawn.tolist()), wanted)


@pytest.mark.parametrize("n", [40, 333])
def test_iqr_of_larger_samples_agrees_with_plain_resampling(n: int) -> None:
    # Two-sample Kolmogorov-Smirnov, false alarm 1e-6 (less, for a discrete distribution).
    generator = np.random.default_rng(n)
    values = np.sort(generator.lognormal(size=n))
    plain = stats.iqr(values[generator.integers(0, n, (20_000, n))], axis=-1)
    got = bootstrap_distribution(
        values[None], Design.iid(values.shape[-1]), resolve_statistic("iqr"), Plan(3, 20_000)
    )
    assert isinstance(got, Replicates)
    # Rounded, since the two subtract in a different order.
    test = stats.ks_2samp(np.round(got.ordered[0], 10), np.round(plain, 10), method="asymp")
    assert test.pvalue > 1e-6


# --------------------------------------------------------------------------- binomial


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_proportion_distribution_is_that_of_all_resamples(n: int) -> None:
    for x in range(n + 1):
        values = np.repeat([0.0, 1.0], [n - x, x])
        got = bootstrap_distribution(
            values[None], Design.iid(values.shape[-1]), resolve_statistic("mean"), PLAN, binary=True
        )
        assert isinstance(got, ExactDistribution)
        wanted = enumerated(all_resamples(values).mean(axis=-1))
        made = tabulated(got)
        assert_same_distribution(made, wanted)


@pytest.mark.parametrize("n", [10, 50, 334, 10_000])
def test_proportion_distribution_is_scipys_binomial(n: int) -> None:
    successes = np.unique([0, 1, 2, n // 10, n // 2, n - 1, n])
    got = binomial(successes.astype(float), n)
    counts = np.rint(got.support * n)
    np.testing.assert_allclose(got.support, counts / n, rtol=1e-15)
    for row, x in enumerate(successes):
        wanted = stats.binom.pmf(counts[row], n, x / n)
        assert wanted.sum() == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(got.probability[row], wanted, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("x", [0, 1, 30, 5_000, 500_000, 990_000, 999_999, 1_000_000])
def test_proportion_distribution_of_a_million_cases_is_scipys_binomial(x: int) -> None:
    n = 1_000_000
    got = binomial(np.array([float(x)]), n)
    counts = np.rint(got.support[0] * n)
    # Log-gamma of a million has an error of about 2e-9.
    np.testing.assert_allclose(
        got.probability[0], stats.binom.pmf(counts, n, x / n), rtol=1e-7, atol=1e-15
    )
    assert got.probability.sum() == pytest.approx(1, abs=1e-12)
    p = x / n
    assert got.mean()[0] == pytest.approx(p, rel=1e-9)
    assert got.standard_deviation()[0] == pytest.approx(np.sqrt(p * (1 - p) / n), rel=1e-8, abs=0)
    for probability in (0.005, 0.025, 0.3, 0.975, 0.995):
        wanted = float(stats.binom.ppf(probability, n, p)) / n
        assert float(got.quantile(probability)[0]) == pytest.approx(wanted, rel=1e-12)
