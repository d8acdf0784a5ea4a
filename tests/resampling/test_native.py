"""The compiled library, against NumPy on the same draws."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from halfwidth.core.rng import MOST_CASES, Key, derive_key, indices
from halfwidth.resampling.kernels import (
    native,
    native_areas,
    native_selection,
    reference,
    shared_library,
)
from halfwidth.resampling.kernels.programs import WIDTH

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no compiled library")

KEY = derive_key(7, "compiled")
EXTREME_KEYS = [Key(0), Key(2**64 - 1), Key(2**64), Key(2**128 - 1)]
# Around the borders of blocks of four words, of pieces of 128 blocks, and of the rules for draws.
SIZES = [1, 2, 3, 19, 20, 21, 250, 334, 445, 446, 1000, 1023, 1025, 2048, 2049, 4608, 4609, 33_000]
LARGE = [26_007, 26_008, 300_000, MOST_CASES[2], MOST_CASES[2] + 1]
RANGES = [(0, 1), (0, 12), (5, 9), (1000, 1003)]


def features_of(k: int, units: int) -> NDArray[np.float64]:
    values = np.random.default_rng([k, units]).lognormal(size=(k, units))
    return np.asarray(values - values.mean(axis=-1, keepdims=True))


def assert_sums_agree(k: int, units: int, key: Key, start: int, stop: int) -> None:
    features = features_of(k, units)
    draws = indices(key, start, stop, units, units)
    wanted = np.stack([row[draws].sum(axis=-1) for row in features])
    made = native.sum_drawn(features, key, start, stop, units)
    assert made.shape == wanted.shape == (k, stop - start)
    scale = units * np.abs(features).max(axis=-1, keepdims=True)
    assert (np.abs(made - wanted) <= 1e-12 * np.where(scale > 0, scale, 1)).all()


def assert_counts_are_equal(units: int, key: Key, start: int, stop: int) -> None:
    wanted = reference.count_draws(indices(key, start, stop, units, units), units)
    made = native.count_drawn(key, start, stop, units)
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


@pytest.mark.parametrize(
    "k", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)]
)
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
    whole = native.sum_drawn(features, KEY, 0, 9, units)
    for edges in ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 4, 9], [0, 8, 8, 9]):
        parts = [native.sum_drawn(features, KEY, *pair, units) for pair in pairwise(edges)]
        assert np.array_equal(np.concatenate(parts, axis=-1), whole)


def test_sums_do_not_depend_on_the_place_in_memory_or_on_other_features() -> None:
    features = features_of(5, 334)
    whole = native.sum_drawn(features, KEY, 0, 20, 334)
    for row, wanted in zip(features, whole, strict=True):
        room = np.empty(335)
        room[1:] = row
        room.flags.writeable = False
        assert np.array_equal(native.sum_drawn(room[None, 1:], KEY, 0, 20, 334)[0], wanted)


def test_tables_of_too_many_floats_are_summed_in_narrower_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    features = features_of(5, 334)
    whole = native.sum_drawn(features, KEY, 0, 20, 334)
    monkeypatch.setattr(native, "MOST_UNITS", 2 * 334)
    calls, call = [], native.call

    def counted(*arguments: Any) -> None:
        calls.append(arguments)
        call(*arguments)

    monkeypatch.setattr(native, "call", counted)
    assert np.array_equal(native.sum_drawn(features, KEY, 0, 20, 334), whole)
    assert len(calls) == 3


def test_threads_do_not_disturb_each_other() -> None:
    units, jobs = 5000, 4
    features = features_of(2, units)
    wanted = native.sum_drawn(features, KEY, 0, 200, units)
    together = Barrier(2)

    def job(_: int) -> NDArray[np.float64]:
        together.wait(timeout=60)
        return native.sum_drawn(features, KEY, 0, 200, units)

    with ThreadPoolExecutor(2) as pool:
        assert all(np.array_equal(made, wanted) for made in pool.map(job, range(jobs)))


def test_an_empty_range_is_empty() -> None:
    assert native.sum_drawn(features_of(2, 9), KEY, 4, 4, 9).shape == (2, 0)
    assert native.count_drawn(KEY, 4, 4, 9).shape == (0, 9)


def test_sums_of_no_spread_are_exactly_zero() -> None:
    assert not native.sum_drawn(np.zeros((2, 250)), KEY, 0, 50, 250).any()


def test_what_is_not_finite_stays_so() -> None:
    assert np.isnan(native.sum_drawn(np.array([[np.nan]]), KEY, 0, 3, 1)).all()
    assert (native.sum_drawn(np.array([[np.inf]]), KEY, 0, 3, 1) == np.inf).all()


def test_machine_code_reads_nothing_beyond_the_features() -> None:
    with pytest.raises(ValueError, match="8 columns of features for 9 units"):
        native.sum_drawn(np.zeros((1, 8)), KEY, 0, 1, 9)
    with pytest.raises(ValueError, match="0 units"):
        native.sum_drawn(np.zeros((1, 0)), KEY, 0, 1, 0)


# --------------------------------------------------------------------------- loading


def in_a_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HALFWIDTH_")}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
    )


SAYS = "from halfwidth.resampling.kernels import native; print(native.available(), native.status())"


def test_the_library_can_be_switched_off() -> None:
    assert in_a_process(SAYS).stdout == "True compiled library\n"
    assert in_a_process(SAYS, HALFWIDTH_NO_C="0").stdout == "True compiled library\n"
    off = in_a_process(SAYS, HALFWIDTH_NO_C="1")
    assert off.stdout == "False NumPy: HALFWIDTH_NO_C is set\n"


def test_a_library_of_other_sources_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("HALFWIDTH_REQUIRE_C", raising=False)
    native._loaded.cache_clear()
    try:
        monkeypatch.setattr(shared_library, "source_hash", lambda: "0" * 64)
        with pytest.warns(RuntimeWarning, match="was built from other C files"):
            assert not native.available()
        with pytest.raises(RuntimeError, match="needs the compiled library"):
            native.count_drawn(KEY, 0, 1, 3)
        native._loaded.cache_clear()
        monkeypatch.setattr(shared_library, "SOURCES", tmp_path / "c")
        assert not native.available()
        assert native.status() == "NumPy: no compiled library was built at installation"
        (tmp_path / shared_library.NAME).write_bytes(b"no library")
        native._loaded.cache_clear()
        assert not native.available()
        monkeypatch.setenv("HALFWIDTH_REQUIRE_C", "1")
        native._loaded.cache_clear()
        with pytest.raises(ImportError, match="HALFWIDTH_REQUIRE_C is set"):
            native.available()
    finally:
        monkeypatch.undo()
        native._loaded.cache_clear()
    assert native.available()


def test_every_function_of_the_library_has_a_signature() -> None:
    assert sorted([*native._SIGNATURES, "hw_source_hash"]) == sorted(shared_library.functions())


def test_constants_are_those_of_the_c_files() -> None:
    text = "".join(path.read_text() for path in shared_library.sources())
    for line in (f"#define LANES {native.LANES}", f"#define SLOT {native_areas.SLOT}"):
        assert line in text
    assert f"#define WIDTH {WIDTH}" in text


def test_arrays_of_another_kind_are_refused() -> None:
    rows = np.zeros((2, 8))
    wrongs: list[NDArray[Any]] = [rows.astype(np.float32), rows[:, ::2], np.asfortranarray(rows)]
    for wrong in wrongs:
        with pytest.raises(ValueError, match="in one piece"):
            native_selection.count_below(wrong, np.zeros(2), np.zeros(2))
    with pytest.raises(ValueError, match="in one piece"):
        native_selection.count_below(rows, np.zeros(3), np.zeros(2))
    with pytest.raises(ValueError, match="positions up to 8"):
        native_selection.picked(rows, np.array([[8]]), 1.0, np.zeros(1))
    with pytest.raises(ValueError, match="no resamples 3 to 2"):
        native.count_drawn(KEY, 3, 2, 5)
    with pytest.raises(ValueError, match="beyond 5"):
        native.side_by_side([(KEY, 3, 3)], 0, 1, 5)


# --------------------------------------------------------------------------- selection


def test_picked_values_are_those_of_numpy() -> None:
    generator = np.random.default_rng(3)
    values = np.sort(generator.normal(size=(5, 31)))
    table = np.sort(generator.integers(0, 31, (4, 999)), axis=0)
    gaps = generator.normal(size=4)
    wanted = reference.picked(values, table, 1.0, gaps)
    np.testing.assert_allclose(
        native_selection.picked(values, table, 1.0, gaps), wanted, atol=1e-14
    )


def test_tails_are_those_of_numpy() -> None:
    rows = np.random.default_rng(4).integers(0, 40, (9, 801)).astype(float)
    rows[3, ::5], rows[4] = np.nan, np.nan
    low, high = np.full(9, 4.0), np.full(9, 35.0)
    below, above, counts = reference.tails(rows, low, high)
    made = native_selection.tails(rows, low, high, 300)
    assert np.array_equal(made[2], counts)
    for side, (got, wanted) in enumerate(((made[0], below), (made[1], above))):
        for row, own, held in zip(got, wanted, counts[:, 2 * side], strict=True):
            assert np.array_equal(row[:held], own)
    assert np.array_equal(
        native_selection.count_below(rows, low, high), reference.count_below(rows, low, high)
    )
    short = native_selection.tails(rows, low, high, 10)[2]
    assert (short[[0, 1, 2, 5]][:, [0, 2]] == 10).all(), "what does not fit is said not to"
