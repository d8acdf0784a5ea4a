r"""Randomness: draw i of resample b is a pure function of (key, b, i).

The generator is Philox4x64-10 (Salmon et al. 2011), a published counter-based generator: word w
of a key is output lane ``w mod 4`` of the block whose 256-bit counter is ``w div 4``. NumPy's own
compiled Philox produces the words here; a plain-Python version and the known-answer vectors of
the Random123 library check it in the tests.

How words become draws:

- *indices* below n: index = ``word * n >> 64``; what the product leaves over, ``word * n mod
  2**64``, makes the next index in the same way (Brackett-Rozinsky & Lemire 2024). A word gives as
  many as its bits allow: five for n ≤ 445, four to 2048, three to 26 007, two to 4 194 304, one
  above. So the probability of no k-tuple of indices from one word deviates from n**-k by more than
  2**-20 of itself, which is n**k / 2**64.
- *bits*: 64 a word, the lowest first.
- *uniforms*: one a word, ``((word >> 12) + 0.5) * 2**-52``, inside the open interval (0, 1).
- *exponentials*: three a word, ``-log((r + 0.5) * 2**-21)``. The integers r of a block are the 21
  lowest bits of each of its words, then the next 21 of each, and then the next: so no probability
  is off by more than 2**-22. The logarithm is plain arithmetic, rounded alike on every machine.
- *trials*: two a word, the lower half first, successful where the 32-bit integer is below
  ``round(p * 2**32)``: no probability is off by more than 2**-33.

Resample b owns whole blocks ``b*m ... (b+1)*m - 1``, m = ceil(draws / draws per block), so any
range of resamples can be made alone, in any order, by any number of threads.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.checks import as_count
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array

Words = NDArray[np.uint64]
Indices = NDArray[np.intp]

LANES = 4
# The version of these rules; whatever keeps draws or what was made of them keeps it too.
CONTRACT = 2
# Most cases of which a word gives so many indices: the k-th root of 2**44.
MOST_CASES = {5: 445, 4: 2048, 3: 26_007, 2: 4_194_304}
HALF, LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)
EXPONENTIALS_PER_WORD = 3
BITS_PER_WORD, BITS_PER_OCTET, TRIALS_PER_WORD = 64, 8, 2
EXPONENTIAL_BITS, EXPONENTIAL_MASK = np.uint64(21), np.uint64(2**21 - 1)
# The logarithm of exponential draws: the bits of √½, log 2, and the coefficients of
# (artanh(s) / s - 1) / s² in powers of s², the highest first; `exponentials.h` has the same.
ROOT_OF_HALF, LOG_2 = np.uint64(0x3FE6A09E667F3BCD), 0.6931471805599453
ARTANH = (
    0.11665233664782348,
    0.1427541040585403,
    0.2000006091992305,
    0.33333333277248506,
)
# Longest seed: more than any source of randomness yields, and fit to be printed.
MOST_BITS = 1024


@frozen
class Key:
    """The 128-bit key of one stream of draws."""

    value: int


def resolve_seed(rng: Any = None) -> int:
    """The root entropy of ``rng`` as one non-negative integer, which reproduces it when passed on.

    None draws fresh entropy (53 bits, so that JSON readers keep every digit). An int or a
    `SeedSequence` always gives the same answer and is not advanced. A `Generator` yields 128 bits
    and thereby advances.

    >>> resolve_seed(7), resolve_seed(np.random.SeedSequence(7))
    (7, 7)
    """
    if rng is None:
        return secrets.randbits(53)
    if isinstance(rng, np.random.SeedSequence):
        entropy = rng.entropy
        short = isinstance(entropy, int) and entropy.bit_length() <= MOST_BITS
        if isinstance(entropy, int) and short and not rng.spawn_key:
            return entropy
        return int.from_bytes(rng.generate_state(4, np.uint32).astype("<u4").tobytes(), "little")
    if isinstance(rng, np.random.BitGenerator):
        rng = np.random.Generator(rng)
    if isinstance(rng, np.random.Generator):
        return int.from_bytes(rng.bytes(16), "little")
    seed = as_count(rng)
    if seed is None:
        raise OptionError(
            f"{spelled('rng', rng)} is not a seed: give an integer ≥ 0, a numpy SeedSequence "
            "or Generator, or None"
        )
    if seed < 0:
        raise OptionError(f"{spelled('rng', seed)} is negative; a seed is an integer ≥ 0")
    if seed.bit_length() > MOST_BITS:
        raise OptionError(f"{spelled('rng', seed)} has more than {MOST_BITS} bits")
    return seed


def derive_key(entropy: int, *purpose: object) -> Key:
    """The key for one purpose: a hash of the root entropy and of what is computed.

    ``purpose`` holds names and integers only, so that its text is the same on every machine.
    """
    text = "\x1f".join(str(part) for part in ("halfwidth/1", entropy, *purpose))
    digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
    return Key(int.from_bytes(digest, "little"))


def words(key: Key, start: int, count: int) -> Words:
    """``count`` 64-bit words from word ``start`` on; ``start`` is a multiple of 4."""
    # NumPy increments the counter before each block, hence the one below the first wanted.
    before = (start // LANES - 1) % 2**256
    return np.random.Philox(key=key.value, counter=before).random_raw(count)


def _resample_words(key: Key, start: int, stop: int, draws: int, draws_per_word: int) -> Words:
    """The words of resamples ``start`` to ``stop``, one row each."""
    per_row = LANES * -(-draws // (LANES * draws_per_word))
    return words(key, start * per_row, (stop - start) * per_row).reshape(stop - start, per_row)


def indices(key: Key, start: int, stop: int, draws: int, n: int) -> Indices:
    """Draws with replacement from ``0 .. n-1``, n at most 2**32, shape (stop - start, draws).

    Rows are resamples ``start`` to ``stop``.
    """
    per_word = indices_per_word(n)
    left = _resample_words(key, start, stop, draws, per_word)
    drawn = np.empty((*left.shape, per_word), dtype=np.intp)
    for place in range(per_word):
        # The product of 64 and 32 bits in two halves.
        low = (left & LOW_HALF) * np.uint64(n)
        high = (left >> HALF) * np.uint64(n) + (low >> HALF)
        drawn[..., place] = high >> HALF
        left = (high << HALF) | (low & LOW_HALF)
    return drawn.reshape(len(left), -1)[:, :draws]


def indices_per_word(n: int) -> int:
    """How many indices below n a word gives.

    >>> [indices_per_word(n) for n in (445, 446, 26_007, 4_194_305)]
    [5, 4, 3, 1]
    """
    return next((k for k, most in MOST_CASES.items() if n <= most), 1)


def bits(key: Key, start: int, stop: int, draws: int) -> NDArray[np.uint8]:
    """Independent draws of 0 and 1, each with probability ½, shape (stop - start, draws).

    >>> bits(Key(1), 0, 2, 6).tolist() == bits(Key(1), 0, 2, 9)[:, :6].tolist()
    True
    """
    packed = packed_bits(key, start, stop, draws)
    return np.unpackbits(packed, axis=-1, count=draws, bitorder="little")


def packed_bits(key: Key, start: int, stop: int, draws: int) -> NDArray[np.uint8]:
    """Draw the same bits, eight to an octet, the lowest first: (stop - start, ceil(draws / 8)).

    What lies behind the last is drawn too.
    """
    whole = _resample_words(key, start, stop, draws, BITS_PER_WORD)
    octets = whole.astype("<u8", copy=False).view(np.uint8)
    return octets[:, : -(-draws // BITS_PER_OCTET)]


def trials(probabilities: Array) -> Callable[[Key, int, int], NDArray[np.bool_]]:
    """A function of key, start and stop that draws independent trials, (stop - start, n).

    Each has its own probability of success.

    >>> trials(np.array([0.0, 0.5, 1.0]))(Key(1), 0, 2).tolist()
    [[False, False, True], [False, True, True]]
    """
    n, below = len(probabilities), np.rint(probabilities * 2.0**32)
    certain = below >= 2.0**32
    limits, any_certain = np.where(certain, 0, below).astype("<u4"), bool(certain.any())

    def drawn(key: Key, start: int, stop: int) -> NDArray[np.bool_]:
        whole = _resample_words(key, start, stop, n, TRIALS_PER_WORD)
        successes = whole.astype("<u8", copy=False).view("<u4")[:, :n] < limits
        return successes | certain if any_certain else successes

    return drawn


def uniforms(key: Key, start: int, stop: int, draws: int) -> Array:
    """Uniform draws in the open interval (0, 1), shape (stop - start, draws)."""
    whole = _resample_words(key, start, stop, draws, 1)[:, :draws]
    return ((whole >> np.uint64(12)).astype(float) + 0.5) * 2.0**-52


def exponentials(key: Key, start: int, stop: int, units: int) -> Array:
    """Standard exponential draws, shape (stop - start, units)."""
    whole = _resample_words(key, start, stop, units, EXPONENTIALS_PER_WORD)
    blocks = whole.reshape(len(whole), -1, 1, LANES)
    shift = np.arange(EXPONENTIALS_PER_WORD, dtype=np.uint64)[:, None] * EXPONENTIAL_BITS
    drawn = (blocks >> shift) & EXPONENTIAL_MASK
    return exponentials_of(drawn.reshape(len(whole), -1)[:, :units])


def exponentials_of(whole: Words) -> Array:
    """``-log((r + 0.5) * 2**-21)`` of integers r below 2**21, in the steps of the compiled kernel.

    Both agree in every bit, and with the logarithm within 2e-11 of it.

    >>> exponentials_of(np.array([0, 2**20], dtype=np.uint64)).round(6)
    array([15.249238,  0.693147])
    """
    # 2r + 1 = 2**k m, m from √½ to √2: -log((2r + 1) / 2**22) = (22 - k) log 2 - log m.
    bits = (2 * whole + np.uint64(1)).astype(float).view(np.uint64)
    power = (bits - ROOT_OF_HALF) >> np.uint64(52)
    m = (bits - (power << np.uint64(52))).view(float)
    s = (m - 1) / (m + 1)
    square = s * s
    rest = np.full(s.shape, ARTANH[0])
    for coefficient in ARTANH[1:]:
        rest = rest * square + coefficient
    return np.asarray((22.0 - power) * LOG_2 - 2.0 * (s + s * (square * rest)))
