"""Gamma variates against their distribution."""

import numpy as np
import pytest
from scipy import stats

from halfwidth.resampling.weights.gammas import gammas

N = 20_000


@pytest.mark.parametrize("shape", [0.05, 0.25, 0.5, 1, 1.5, 3, 400.5])
def test_distribution_is_that_of_gamma_variates(shape: float) -> None:
    assert stats.kstest(gammas(7, ("test", shape), shape, N), stats.gamma(shape).cdf).pvalue > 1e-3


def test_shape_zero_weighs_nothing() -> None:
    assert not gammas(7, ("test",), 0, 10).any()


def test_a_variate_does_not_depend_on_how_many_there_are() -> None:
    few, many = (gammas(7, ("test",), 2.5, n) for n in (50, 5000))
    assert np.array_equal(few, many[:50])


def test_purposes_are_independent() -> None:
    one, other = (gammas(7, ("test", which), 0.5, N) for which in range(2))
    assert abs(np.corrcoef(one, other)[0, 1]) < 4 / np.sqrt(N)
