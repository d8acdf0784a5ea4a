from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from halfwidth import STATISTICS, Bounds
from halfwidth.core.forms import Moments, OrderStatistics, SortedWeights
from halfwidth.core.spec import Statistic
from halfwidth.summaries import iqr, mean, median, quantile, sd, trimmed_mean

BATCH = np.random.default_rng(0).beta(8, 2, (3, 4, 23))
SIZES = [1, 2, 3, 4, 5, 8, 10, 23, 100]


def test_statistics_agree_with_numpy_and_scipy_on_any_axis() -> None:
    for axis in (0, 1, -1):
        moved = np.moveaxis(BATCH, -1, axis)
        np.testing.assert_allclose(mean(moved, axis=axis), BATCH.mean(-1), rtol=1e-13)
        np.testing.assert_allclose(median(moved, axis=axis), np.median(BATCH, -1), rtol=1e-13)
        np.testing.assert_allclose(sd(moved, axis=axis), BATCH.std(-1, ddof=1), rtol=1e-12)
        np.testing.assert_allclose(
            sd(moved, ddof=0.0, axis=axis), BATCH.std(-1, ddof=0), rtol=1e-12
        )
        np.testing.assert_allclose(iqr(moved, axis=axis), stats.iqr(BATCH, axis=-1), rtol=1e-12)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("q", [0.01, 0.1, 0.25, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_quantile_is_type_7(n: int, q: float) -> None:
    values = np.random.default_rng(n).normal(size=n)
    assert quantile(values, q=q) == pytest.approx(np.quantile(values, q), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("share", [0.0, 0.05, 0.1, 0.25, 0.4])
def test_trimmed_mean_agrees_with_scipy(n: int, share: float) -> None:
    values = np.random.default_rng(n).normal(size=n)
    assert trimmed_mean(values, share=share) == pytest.approx(stats.trim_mean(values, share))


def test_a_share_that_rounds_down_by_accident_cuts_what_it_says() -> None:
    # 0.07 * 100 is 7.000000000000001 and 0.29 * 100 is 28.999999999999996 in binary.
    values = np.arange(100.0) ** 2
    for share, cut in ((0.07, 7), (0.29, 29)):
        assert trimmed_mean(values, share=share) == pytest.approx(values[cut : 100 - cut].mean())


def test_equal_values_give_exactly_themselves() -> None:
    values = np.full(10, 0.1)
    assert mean(values) == 0.1
    assert sd(values) == 0
    assert iqr(values) == 0
    assert quantile(values, q=0.33) == 0.1
    assert trimmed_mean(values) == 0.1


def test_a_small_spread_far_from_zero_keeps_its_digits() -> None:
    values = 1e8 + np.array([1.0, 2.0, 3.0, 4.0]) * 2.0**-20
    assert sd(values) == pytest.approx(np.std([1, 2, 3, 4], ddof=1) * 2.0**-20, rel=1e-12)


def test_empty_and_too_small_samples_are_nan() -> None:
    empty = np.empty((2, 0))
    for spec in STATISTICS:
        parameters = {p.name: 0.25 if p.default is None else p.default for p in spec.parameters}
        made = Statistic(spec, parameters)(empty)
        assert made.shape == (2,)
        assert np.isnan(made).all()
    assert np.isnan(sd(np.array([1.0])))
    assert sd(np.array([1.0]), ddof=0.0) == 0


@pytest.mark.parametrize("spec", STATISTICS, ids=lambda s: s.name)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 10, 57])
def test_the_sufficient_form_is_the_statistic(spec: object, n: int) -> None:
    statistic = Statistic(
        STATISTICS[spec.name],  # type: ignore[attr-defined]
        {p.name: 0.3 if p.default is None else p.default for p in spec.parameters},  # type: ignore[attr-defined]
    )
    values = np.sort(np.random.default_rng(n).normal(size=(2, n)), axis=-1)
    form = statistic.spec.form
    if isinstance(form, Moments):
        centre = values.mean(axis=-1, keepdims=True)
        sums = [((values - centre) ** p).sum(-1) for p in range(1, form.order + 1)]
        made = form.finish(n, sums, centre[:, 0], **statistic.parameters)
    elif isinstance(form, SortedWeights):
        made = values @ form.weights(n, **statistic.parameters)
    elif form is None:
        pytest.skip("no form is declared: the generic path calls the statistic itself")
    else:
        assert isinstance(form, OrderStatistics)
        ranks, weights = form.picks(n, **statistic.parameters)
        made = values[:, ranks - 1] @ weights
    np.testing.assert_allclose(made, statistic(values), rtol=1e-12, atol=1e-12)


def test_ranges_follow_the_metric() -> None:
    unit = Bounds(0, 1)
    assert STATISTICS["mean"].range_rule(unit, 9) == unit
    assert STATISTICS["iqr"].range_rule(Bounds(-2, 2), 9) == Bounds(0, 4)
    assert STATISTICS["sd"].range_rule(Bounds(0, np.inf), 9, ddof=1) == Bounds(0, np.inf)


@pytest.mark.parametrize("ddof", [0.0, 1.0])
@pytest.mark.parametrize("n", [2, 4, 10])
def test_the_range_of_an_sd_ends_where_half_of_the_values_lie_at_either_bound(
    n: int, ddof: float
) -> None:
    apart = np.repeat([-1.0, 2.0], n // 2)
    assert STATISTICS["sd"].range_rule(Bounds(-1, 2), n, ddof=ddof).high == pytest.approx(
        np.std(apart, ddof=ddof), rel=1e-14
    )


@pytest.mark.parametrize("size", [2.0**-1030, 2.0**-900, 2.0**-470, 1.0, 2.0**470, 2.0**900])
def test_the_sd_of_values_that_have_no_squares_has_all_its_digits(size: float) -> None:
    rows = np.array([[1.0, 2.0, 5.0, 9.0], [3.0, 3.0, 3.0, 3.0], [0.5, 0.25, 0.5, 1.0]])
    mixed = rows * np.array([[size], [size], [1.0]])
    np.testing.assert_allclose(sd(mixed), rows.std(axis=-1, ddof=1) * [size, size, 1], rtol=1e-14)
    np.testing.assert_array_equal(sd(mixed.T, axis=0), sd(mixed))
