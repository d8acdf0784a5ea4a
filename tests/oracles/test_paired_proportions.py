"""Intervals for paired proportions, against published tables, a quartic and enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, special, stats

from halfwidth.core.types import Interval, Level
from halfwidth.intervals import newcombe_paired, tango, wilson

Array = NDArray[np.float64]
Method = Callable[[Any, Level], Interval]


def newcombe(counts: Any, level: Level) -> Interval:
    """Of the difference."""
    return newcombe_paired(counts, "difference", level)


METHODS: tuple[Method, ...] = (newcombe, tango)


def tables(n: int) -> NDArray[np.int_]:
    """All tables of n pairs: both, first only, second only, neither."""
    cells = itertools.product(range(n + 1), repeat=3)
    return np.array([(*cell, n - sum(cell)) for cell in cells if sum(cell) <= n])


# Fagerland, Lydersen & Laake (2014, BMC Medical Research Methodology 14:119) print these of the
# airway reactivity of Bentur et al. (2009); Newcombe (1998, 17:2635) that of his example (a).
@pytest.mark.parametrize(
    ("method", "counts", "low", "high"),
    [
        (tango, (1, 1, 7, 12), -0.517, -0.026),
        (newcombe, (1, 1, 7, 12), -0.507, -0.026),
        (newcombe, (36, 12, 2, 0), 0.057, 0.340),
    ],
)
def test_published_examples(
    method: Method, counts: tuple[int, ...], low: float, high: float
) -> None:
    made = method(counts, Level())
    assert (round(float(made.low), 3), round(float(made.high), 3)) == (low, high)


def quartic(counts: Any, level: Level) -> tuple[float, float]:
    """Tango's bounds as roots of the quartic of Yang, Sun & Hardin (2013, Stat Med 32:1336)."""
    _, b, c, _ = (float(cell) for cell in counts)
    n, d, g = float(sum(counts)), float(b - c), special.ndtri(level.tail) ** 2
    coefficients = [
        n**2 * (n / g + 1) ** 2,
        -n * d * (n / g + 1) * (4 * n / g + 1),
        2 * n * d**2 * (3 * n / g + 2) / g - n**2 * ((b + c) / g + 1),
        n * d * (2 * (b + c) / g + 1) - d**3 * (4 * n / g + 1) / g,
        d**2 * (d**2 / g - (b + c)) / g,
    ]
    roots = np.roots(coefficients)
    real = np.sort(roots[np.abs(roots.imag) < 1e-6].real)
    return float(real[0]), float(real[-1])


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [7, 40])
def test_tango_solves_the_quartic(n: int, confidence: float) -> None:
    rng = np.random.default_rng(n)
    level = Level(confidence)
    # Where b - c = 0 or all pairs disagree alike, roots coincide and lose their digits.
    some = [row for row in rng.multinomial(n, (0.4, 0.25, 0.15, 0.2), 60) if row[1] != row[2]]
    made = tango(np.array(some), level)
    for counts, low, high in zip(some, made.low, made.high, strict=True):
        assert (low, high) == pytest.approx(quartic(counts, level), abs=1e-9)


def constrained_statistic(counts: Any, difference: float) -> float:
    """Tango's score statistic by a search for the most likely table with this difference."""
    _, b, c, _ = counts
    n = sum(counts)
    rest = n - b - c

    def loss(q: float) -> float:
        return -float(
            special.xlogy(b, q + difference)
            + special.xlogy(c, q)
            + special.xlogy(rest, 1 - 2 * q - difference)
        )

    low, high = max(0.0, -difference), (1 - difference) / 2
    found = optimize.minimize_scalar(
        loss, bounds=(low, high), method="bounded", options={"xatol": 1e-13}
    )
    variance = n * (2 * found.x + difference - difference**2)
    return float((b - c - n * difference) / math.sqrt(variance))


@pytest.mark.parametrize("counts", [(1, 1, 7, 12), (10, 15, 5, 20), (3, 4, 4, 1), (30, 1, 9, 2)])
def test_tango_inverts_the_score_test(counts: tuple[int, ...]) -> None:
    made, z = tango(counts, Level()), stats.norm.ppf(0.975)
    assert constrained_statistic(counts, float(made.low)) == pytest.approx(z, abs=1e-4)
    assert constrained_statistic(counts, float(made.high)) == pytest.approx(-z, abs=1e-4)


@pytest.mark.parametrize("n", [1, 5, 50])
def test_tango_without_disagreement_has_a_closed_form(n: int) -> None:
    level = Level()
    z2 = special.ndtri(level.tail) ** 2
    for agreeing in range(n + 1):
        made = tango((agreeing, 0, 0, n - agreeing), level)
        # nδ/(1 - δ) = z², as Wilson's bound at no success.
        assert made.high == pytest.approx(z2 / (n + z2), rel=1e-13)
        assert made.low == -made.high


def test_tango_agrees_with_mcnemar_at_0() -> None:
    # (b - c)²/(b + c) is both McNemar's statistic and the score statistic of no difference.
    counts = tables(14)
    b, c = counts[:, 1], counts[:, 2]
    some = b + c > 0
    statistic = np.abs(b - c)[some] / np.sqrt((b + c)[some])
    made = tango(counts[some], Level())
    excludes = (made.low > 0) | (made.high < 0)
    assert np.array_equal(excludes, statistic > stats.norm.ppf(0.975))


def by_hand(counts: Any, level: Level) -> tuple[float, float]:
    """Newcombe's method 10 as his paper prints it."""
    a, b, c, d = (int(cell) for cell in counts)
    n = a + b + c + d
    first, second = wilson(a + b, n, level), wilson(a + c, n, level)
    p1, p2 = (a + b) / n, (a + c) / n
    product = (a + b) * (c + d) * (a + c) * (b + d)
    top: float = a * d - b * c
    if top > n / 2:
        top = top - n / 2
    elif top >= 0:
        top = 0
    phi = top / math.sqrt(product) if product else 0.0
    dl1, du1 = p1 - float(first.low), float(first.high) - p1
    dl2, du2 = p2 - float(second.low), float(second.high) - p2
    down = math.sqrt(max(dl1**2 - 2 * phi * dl1 * du2 + du2**2, 0))
    up = math.sqrt(max(du1**2 - 2 * phi * du1 * dl2 + dl2**2, 0))
    return p1 - p2 - down, p1 - p2 + up


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_newcombe_is_his_formula(confidence: float) -> None:
    level = Level(confidence)
    for counts in tables(7):
        made = newcombe(counts, level)
        assert (made.low, made.high) == pytest.approx(by_hand(counts, level), abs=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_promises_hold_for_every_table(method: Method) -> None:
    for n in (1, 2, 9, 20):
        counts = tables(n)
        estimate = (counts[:, 1] - counts[:, 2]) / n
        narrow, wide = method(counts, Level(0.8)), method(counts, Level(0.99))
        for made in (narrow, wide):
            assert (made.low >= -1 - 1e-15).all()
            assert (made.high <= 1 + 1e-15).all()
            assert (made.low <= estimate).all()
            assert (estimate <= made.high).all()
        if method is tango:
            assert (wide.low <= narrow.low).all()
            assert (narrow.high <= wide.high).all()


@pytest.mark.parametrize("method", METHODS)
def test_models_and_outcomes_may_change_places(method: Method) -> None:
    counts = tables(12)
    made = method(counts, Level())
    swapped = method(counts[:, [0, 2, 1, 3]], Level())
    np.testing.assert_allclose(made.low, -swapped.high, atol=2e-16)
    failures = method(counts[:, [3, 1, 2, 0]], Level())
    np.testing.assert_allclose(made.low, failures.low, atol=5e-16)
    np.testing.assert_allclose(made.high, failures.high, atol=5e-16)


@pytest.mark.parametrize("method", METHODS)
def test_one_sided_bounds_have_twice_the_error(method: Method) -> None:
    counts = tables(9)
    both, lower = method(counts, Level(0.9)), method(counts, Level(0.95, "lower"))
    upper = method(counts, Level(0.95, "upper"))
    np.testing.assert_allclose(lower.low, both.low, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(upper.high, both.high, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("n", [4, 9])
def test_the_ratio_solves_its_equation(n: int) -> None:
    for counts in tables(n):
        a, b, c, d = (int(cell) for cell in counts)
        made = newcombe_paired(counts, "ratio", Level())
        if a + b == 0 or a + c == 0:
            assert np.isnan(made.low)
            assert np.isnan(made.high)
            continue
        first, second = wilson(a + b, n, Level()), wilson(a + c, n, Level())
        p, q = (a + b) / n, (a + c) / n
        top: float = a * d - b * c
        top = max(top - n / 2, 0) if top > 0 else top
        margins = (a + b) * (c + d) * (a + c) * (b + d)
        phi = top / math.sqrt(margins) if margins else 0.0
        low, high = float(made.low), float(made.high)
        assert 0 <= low <= p / q * (1 + 1e-12)
        assert p / q <= high * (1 + 1e-12)
        for bound, x, y in (
            (low, p - float(first.low), float(second.high) - q),
            (high, float(first.high) - p, q - float(second.low)),
        ):
            if math.isfinite(bound):
                reach = x**2 - 2 * phi * bound * x * y + (bound * y) ** 2
                assert (p - bound * q) ** 2 == pytest.approx(reach, rel=1e-8, abs=1e-12)


def test_the_ratio_covers_by_enumeration() -> None:
    draws, n = np.random.default_rng(3), 20
    counts = tables(n)
    counts = counts[(counts[:, 0] + counts[:, 1] > 0) & (counts[:, 0] + counts[:, 2] > 0)]
    shares = draws.dirichlet((4, 1, 1, 1), 200)
    log_choose = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(axis=-1)
    probability = np.exp(log_choose + np.log(shares) @ counts.T)
    truth = ((shares[:, 0] + shares[:, 1]) / (shares[:, 0] + shares[:, 2]))[:, None]
    made = newcombe_paired(counts, "ratio", Level())
    inside = (made.low <= truth) & (truth <= made.high)
    coverage = (probability * inside).sum(axis=-1) / probability.sum(axis=-1)
    assert 0.945 < coverage.mean() < 0.975
    assert coverage.min() > 0.92


def test_coverage_by_enumeration() -> None:
    """Newcombe's question: the exact coverage, on average over what may be true."""
    rng, n = np.random.default_rng(8), 20
    counts, shares = tables(n), rng.dirichlet((2, 1, 1, 2), 200)
    log_choose = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(axis=-1)
    probability = np.exp(log_choose + np.log(shares) @ counts.T)
    truth = (shares[:, 1] - shares[:, 2])[:, None]
    for method in METHODS:
        made = method(counts, Level())
        inside = (made.low <= truth) & (truth <= made.high)
        coverage = (probability * inside).sum(axis=-1)
        assert 0.945 < coverage.mean() < 0.965, method.__name__
        assert coverage.min() > 0.88, method.__name__
