"""Exponential draws, of which Dirichlet weights are made, and sums that they weigh."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal, localcontext
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from halfwidth.core.rng import Key, derive_key, exponentials, exponentials_of
from halfwidth.resampling.kernels import native, reference

KEY = derive_key(7, "weights")
# Around the borders of blocks of twelve draws, and of pieces of 128 blocks.
SIZES = [1, 11, 12, 13, 65, 250, 1524, 1536, 1537, 3073]
RANGES = [(0, 1), (0, 40), (5, 9), (1000, 1003)]
# The first words of the key 0, from the known answers of the Random123 library.
PUBLISHED = (0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B)

compiled = pytest.mark.skipif(not native.available(), reason="there is no compiled library")


def logarithms(integers: list[int]) -> list[float]:
    """-log((r + ½) / 2²¹) in 40 digits."""
    with localcontext() as context:
        context.prec = 40
        return [float(-((Decimal(r) + Decimal("0.5")) / 2**21).ln()) for r in integers]


def test_draws_are_logarithms_of_parts_of_published_words() -> None:
    parts = [word >> shift & (2**21 - 1) for shift in (0, 21, 42) for word in PUBLISHED]
    drawn = exponentials(Key(0), 0, 1, 12)[0]
    assert drawn == pytest.approx(logarithms(parts), rel=2e-11, abs=0)


def test_the_logarithm_is_exact_to_ten_digits_from_end_to_end() -> None:
    ends = [0, 1, 2, 2**20 - 1, 2**20, 2**21 - 3, 2**21 - 2, 2**21 - 1]
    # Around √½, where the power of two changes.
    root = [int(2**power * 2**-0.5) + step for power in (10, 20, 21) for step in (-1, 0, 1)]
    some = np.random.default_rng(1).integers(0, 2**21, 2000).tolist()
    integers = ends + root + some
    made = exponentials_of(np.array(integers, dtype=np.uint64))
    assert made == pytest.approx(logarithms(integers), rel=2e-11, abs=0)


def test_draws_are_exponential() -> None:
    drawn = exponentials(KEY, 0, 500, 40).ravel()
    assert stats.kstest(drawn, "expon").pvalue > 0.001
    assert stats.kstest(drawn.reshape(-1, 2).min(axis=-1) * 2, "expon").pvalue > 0.001


@compiled
@pytest.mark.parametrize("units", SIZES)
def test_compiled_draws_are_the_same_in_every_bit(units: int) -> None:
    for start, stop in RANGES:
        made = native.exponentials(KEY, start, stop, units)
        assert np.array_equal(made, exponentials(KEY, start, stop, units))


def features_of(k: int, units: int) -> NDArray[np.float64]:
    return np.random.default_rng([k, units]).normal(size=(k, units))


@compiled
@pytest.mark.parametrize("k", [1, 8, 9])
@pytest.mark.parametrize("units", SIZES)
def test_sums_are_those_of_the_same_weights(units: int, k: int) -> None:
    features = features_of(k, units)
    for start, stop in RANGES:
        made = native.sum_weighted(features, KEY, start, stop, units)
        wanted = reference.sum_weighted(features, exponentials(KEY, start, stop, units))
        assert made.shape == (k, stop - start)
        assert np.allclose(made, wanted, rtol=0, atol=1e-12 * units)


@compiled
@pytest.mark.parametrize("units", [1, 9, 130, 1025])
def test_sums_do_not_depend_on_how_resamples_are_split(
    units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    features = features_of(2, units)
    whole = native.sum_weighted(features, KEY, 0, 300, units)
    for edges in ([0, 1, 2, 300], [0, 130, 131, 300]):
        parts = [native.sum_weighted(features, KEY, *pair, units) for pair in pairwise(edges)]
        assert np.array_equal(np.concatenate(parts, axis=-1), whole)
    calls: list[int] = []
    call = native.call

    def counted(name: str, *arguments: Any) -> None:
        calls.append((arguments[3] - arguments[2]) * units)
        call(name, *arguments)

    monkeypatch.setattr(native, "call", counted)
    monkeypatch.setattr(native, "AT_A_TIME", 2 * units * 40)
    assert np.array_equal(native.sum_weighted(features, KEY, 0, 300, units), whole)
    drawn = native.exponentials(KEY, 0, 300, units)
    assert np.array_equal(drawn, exponentials(KEY, 0, 300, units))
    assert len(calls) >= 2 * 300 // 40
    assert max(calls) <= 40 * units


@compiled
def test_threads_give_the_same_bits() -> None:
    features = features_of(3, 700)
    whole = native.sum_weighted(features, KEY, 0, 400, 700)
    edges = [0, 100, 250, 400]
    sums = partial(native.sum_weighted, features, KEY, units=700)
    with ThreadPoolExecutor(3) as pool:
        parts = list(pool.map(sums, edges[:-1], edges[1:]))
    assert np.array_equal(np.concatenate(parts, axis=-1), whole)


@compiled
def test_features_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="8 columns of features for 9 units"):
        native.sum_weighted(np.zeros((1, 8)), KEY, 0, 1, 9)
    with pytest.raises(ValueError, match="0 units"):
        native.exponentials(KEY, 0, 1, 0)
    with pytest.raises(ValueError, match="no resamples 3 to 2"):
        native.sum_weighted(np.zeros((1, 9)), KEY, 3, 2, 9)
