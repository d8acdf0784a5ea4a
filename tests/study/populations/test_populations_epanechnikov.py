from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from halfwidth.study.populations import epanechnikov

# Massart's form of the Dvoretzky-Kiefer-Wolfowitz inequality, at a false alarm of 1e-6.
FALSE_ALARM = 1e-6


def largest_gap(n: int) -> float:
    return float(np.sqrt(np.log(2 / FALSE_ALARM) / (2 * n)))


def test_the_integrals_of_the_kernel_agree_with_quadrature() -> None:
    def kernel(t: float) -> float:
        return float(epanechnikov.density(np.array(t)))

    for end in (-1.0, -0.6, 0.0, 0.3, 1.0):
        t = np.array(end)
        assert epanechnikov.below(t) == pytest.approx(integrate.quad(kernel, -1, end)[0], abs=1e-12)
        first = integrate.quad(lambda s: s * kernel(s), -1, end)[0]
        assert epanechnikov.mean_below(t) == pytest.approx(first, abs=1e-12)
    second = integrate.quad(lambda s: s**2 * kernel(s), -1, 1)[0]
    fourth = integrate.quad(lambda s: s**4 * kernel(s), -1, 1)[0]
    assert second == pytest.approx(epanechnikov.VARIANCE, rel=1e-12)
    assert fourth == pytest.approx(epanechnikov.FOURTH, rel=1e-12)


def test_the_distribution_function_is_exact_at_the_ends() -> None:
    assert epanechnikov.below(np.array([-1.0, 0.0, 1.0])).tolist() == [0.0, 0.5, 1.0]


def test_inversion_agrees_with_its_closed_form_to_the_last_digits() -> None:
    ends = [0.0, 1e-300, -1e-300, 1e-9, 1 - 2.0**-52, -1 + 2.0**-52]
    v = np.concatenate([ends, np.random.default_rng(1).uniform(-1, 1, 200_000)])
    t = epanechnikov.variates(v)
    np.testing.assert_allclose(t, 2 * np.sin(np.arcsin(v) / 3), rtol=0, atol=5e-16)
    assert np.abs(t).max() < 1
    assert (np.sign(t[v != 0]) * np.sign(v[v != 0]) >= 0).all()
    # Back through the distribution function: F(t) = (1 + v)/2.
    np.testing.assert_allclose(epanechnikov.below(t), (1 + v) / 2, rtol=0, atol=5e-16)


def test_variates_are_beta_2_2() -> None:
    generator = np.random.default_rng(2)
    n = 300_000
    _, uniform = epanechnikov.numbers(generator, n, 7)
    drawn = (epanechnikov.variates(uniform) + 1) / 2
    assert stats.kstest(drawn, stats.beta(2, 2).cdf).statistic < largest_gap(n)
    # The median of three uniforms, by the definition.
    three = np.median(generator.random((n, 3)), axis=1)
    assert stats.ks_2samp(drawn, three).pvalue > FALSE_ALARM


@pytest.mark.parametrize("choices", [1, 2, 334, 25_000])
def test_choices_are_even_and_independent_of_the_uniforms(choices: int) -> None:
    n = 200_000
    chosen, uniform = epanechnikov.numbers(np.random.default_rng(choices), n, choices)
    assert chosen.min() >= 0
    assert chosen.max() < choices
    assert np.abs(uniform).max() < 1
    assert stats.kstest(uniform, stats.uniform(-1, 2).cdf).statistic < largest_gap(n)
    counts = np.bincount(chosen, minlength=choices)
    if choices > 1:
        assert stats.chisquare(counts).pvalue > FALSE_ALARM
        # Within one choice, the uniforms are uniform still.
        mine = uniform[chosen < max(1, choices // 300)]
        assert stats.kstest(mine, stats.uniform(-1, 2).cdf).pvalue > FALSE_ALARM
        correlation = np.corrcoef(chosen, uniform)[0, 1]
        assert abs(correlation) < 5 / np.sqrt(n)  # false alarm 6e-7


def test_no_word_of_the_generator_makes_an_end() -> None:
    class Extreme:
        def __init__(self, value: float) -> None:
            self.value = value

        def random(self, count: int) -> np.ndarray:
            return np.full(count, self.value)

    chosen, uniform = epanechnikov.numbers(Extreme(0.3125), 1, 4)  # type: ignore[arg-type]
    assert (chosen[0], uniform[0]) == (1, pytest.approx(-0.5, abs=1e-15))
    for value in (0.0, 1 - 2.0**-53, 0.5, 1 / 3):
        for choices in (1, 3, 334, 2**18 - 1):
            extreme = Extreme(value)
            chosen, uniform = epanechnikov.numbers(extreme, 2, choices)  # type: ignore[arg-type]
            assert 0 <= chosen[0] < choices
            assert abs(uniform[0]) < 1
            assert np.isfinite(epanechnikov.variates(uniform)).all()
