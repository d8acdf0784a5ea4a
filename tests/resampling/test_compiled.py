"""The compiled kernels, against NumPy on the same draws."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import numpy as np
import pytest
from numpy.typing import NDArray

from halfwidth.core.rng import SMALL_N, Key, derive_key, indices
from halfwidth.resampling.kernels import compiled, reference

pytest.importorskip("numba")

KEY = derive_key(7, "compiled")
EXTREME_KEYS = [Key(0), Key(2**64 - 1), Key(2**64), Key(2**128 - 1)]
# Blocks of 8 draws, and of 4 beyond SMALL_N, in pieces of up to 512 blocks: just below, at and just
# beyond each edge.
SIZES = [1, 2, 3, 7, 8, 9, 15, 16, 17, 250, 334, 1000, 4095, 4096, 4097, 8193, 33_000]
LARGE = [SMALL_N - 1, SMALL_N, SMALL_N + 1, SMALL_N + 2, SMALL_N + 7]
RANGES = [(0, 1), (0, 12), (5, 9), (1000, 1003)]


def features_of(k: int, units: int) -> NDArray[np.float64]:
    values = np.random.default_rng([k, units]).lognormal(size=(k, units))
    return np.asarray(values - values.mean(axis=-1, keepdims=True))


def assert_sums_agree(k: int, units: int, key: Key, start: int, stop: int) -> None:
    features = features_of(k, units)
    draws = indices(key, start, stop, units, units)
    wanted = np.stack([row[draws].sum(axis=-1) for row in features])
    made = compiled.sum_drawn(features, key, start, stop, units)
    assert made.shape == wanted.shape == (k, stop - start)
    scale = units * np.abs(features).max(axis=-1, keepdims=True)
    assert (np.abs(made - wanted) <= 1e-12 * np.where(scale > 0, scale, 1)).all()


def assert_counts_are_equal(units: int, key: Key, start: int, stop: int) -> None:
    wanted = reference.count_draws(indices(key, start, stop, units, units), units)
    made = compiled.count_drawn(key, start, stop, units)
    assert made.dtype == np.int32
    assert np.array_equal(made, wanted)


@pytest.mark.parametrize("units", SIZES)
def test_counts_are_those_of_the_same_draws(units: int) -> None:
    for start, stop in RANGES:
        assert_counts_are_equal(units, KEY, start, stop)


@pytest.mark.parametrize("units", LARGE)
def test_counts_of_many_units_are_those_of_the_same_draws(units: int) -> None:
    assert_counts_are_equal(units, KEY, 3, 5)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 6, 8, 9])
@pytest.mark.parametrize("units", SIZES)
def test_sums_are_those_of_the_same_draws(units: int, k: int) -> None:
    for start, stop in RANGES:
        assert_sums_agree(k, units, KEY, start, stop)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("units", LARGE)
def test_sums_of_many_units_are_those_of_the_same_draws(units: int, k: int) -> None:
    assert_sums_agree(k, units, KEY, 3, 4)


@pytest.mark.parametrize("key", EXTREME_KEYS)
def test_every_bit_of_a_key_counts(key: Key) -> None:
    assert_counts_are_equal(250, key, 2, 4)
    assert_sums_agree(1, 250, key, 2, 4)


def test_resamples_far_on_are_those_of_the_same_draws() -> None:
    assert_counts_are_equal(9, KEY, 2**40, 2**40 + 3)
    assert_sums_agree(2, 9, KEY, 2**40, 2**40 + 3)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("units", [1, 9, 334, 4097, 33_000, 100_000])
def test_sums_do_not_depend_on_how_ranges_are_split(units: int, k: int) -> None:
    features = features_of(k, units)
    whole = compiled.sum_drawn(features, KEY, 0, 9, units)
    for edges in ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 4, 9], [0, 8, 8, 9]):
        parts = [compiled.sum_drawn(features, KEY, *pair, units) for pair in pairwise(edges)]
        assert np.array_equal(np.concatenate(parts, axis=-1), whole)


def test_sums_do_not_depend_on_the_place_in_memory_or_on_other_features() -> None:
    features = features_of(5, 334)
    whole = compiled.sum_drawn(features, KEY, 0, 20, 334)
    for row, wanted in zip(features, whole, strict=True):
        room = np.empty(335)
        room[1:] = row
        room.flags.writeable = False
        assert np.array_equal(compiled.sum_drawn(room[None, 1:], KEY, 0, 20, 334)[0], wanted)


def test_threads_do_not_disturb_each_other() -> None:
    units, jobs = 5000, 4
    features = features_of(2, units)
    wanted = compiled.sum_drawn(features, KEY, 0, 200, units)
    together = Barrier(2)

    def job(_: int) -> NDArray[np.float64]:
        together.wait(timeout=60)
        return compiled.sum_drawn(features, KEY, 0, 200, units)

    with ThreadPoolExecutor(2) as pool:
        assert all(np.array_equal(made, wanted) for made in pool.map(job, range(jobs)))


def test_an_empty_range_is_empty() -> None:
    assert compiled.sum_drawn(features_of(2, 9), KEY, 4, 4, 9).shape == (2, 0)
    assert compiled.count_drawn(KEY, 4, 4, 9).shape == (0, 9)


def test_sums_of_no_spread_are_exactly_zero() -> None:
    assert not compiled.sum_drawn(np.zeros((2, 250)), KEY, 0, 50, 250).any()


def test_what_is_not_finite_stays_so() -> None:
    assert np.isnan(compiled.sum_drawn(np.array([[np.nan]]), KEY, 0, 3, 1)).all()
    assert (compiled.sum_drawn(np.array([[np.inf]]), KEY, 0, 3, 1) == np.inf).all()


def test_machine_code_reads_nothing_beyond_the_features() -> None:
    with pytest.raises(ValueError, match="8 columns of features for 9 units"):
        compiled.sum_drawn(np.zeros((1, 8)), KEY, 0, 1, 9)
    with pytest.raises(ValueError, match="0 units"):
        compiled.sum_drawn(np.zeros((1, 0)), KEY, 0, 1, 0)


def run_python(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_numba_is_loaded_by_the_first_call_only() -> None:
    code = """
import sys
from halfwidth.core.rng import Key
from halfwidth.resampling.kernels import compiled
print(compiled.available(), compiled.loaded(), "numba" in sys.modules)
compiled.count_drawn(Key(1), 0, 1, 3)
print(compiled.available(), compiled.loaded(), "numba" in sys.modules)
"""
    assert run_python(code).splitlines() == ["True False False", "True True True"]


def test_without_a_folder_for_the_cache_code_is_compiled_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caching = pytest.importorskip("numba.core.caching")
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    compile_for = compiled._kernels()._compiled
    assert compile_for(["int64(int64)"])(lambda number: number + 1)(2) == 3


def test_numba_missing_or_switched_off_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled.available()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "numba", None)
        assert not compiled.available()
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert not compiled.available()
