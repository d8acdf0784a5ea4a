"""How a bootstrap is drawn."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.document.progress import growing, tracked
from halfwidth.resampling.designs import Design
from halfwidth.resampling.kernels import native, reference

T = TypeVar("T")

# Elements of a temporary inside a kernel: 2**18 float64 are 2 MiB, which a processor's cache
# holds. No result depends on it.
BLOCK_ELEMENTS = 2**18
# Counts of draws that are kept for other samples of as many cases: 80 MB of floats.
MOST_KEPT = 10**7
# Draws in one call of a compiled kernel, which makes no temporaries: a tenth of a second, after
# which an interrupt is heeded.
COMPILED_DRAWS = 2**26
# Draws that are counted faster than threads start.
SHARED_DRAWS = 2**17


@frozen
class Plan:
    """How a bootstrap is drawn."""

    entropy: int  # Root entropy; with what is computed it makes the key of the draws
    n_resamples: int = 9999
    block_elements: int = BLOCK_ELEMENTS  # Upper bound on the elements of a temporary array
    # Whether to use the compiled kernels; None: where they are there. The draws are the same.
    compiled: bool | None = None
    # Where what several statistics of the same cases have in common is kept; None: nowhere
    kept: dict[Hashable, Any] | None = field(default=None, compare=False, repr=False)
    # That share the draws and what kernels make of them; no result depends on it, in no bit
    threads: int = 1
    # Whether each sample of a batch has its own number where a method takes one, as the samples of
    # a simulation need; else each has that which it would have alone
    own_uniforms: bool = False
    # Whether means and ratios of sums get their exact distribution, without draws
    convolves: bool = False

    @property
    def compiles(self) -> bool:
        """Whether the compiled kernels are used."""
        return native.available() if self.compiled is None else self.compiled

    def blocks(
        self, elements_each: int, *, most: int | None = None, slow: bool = False
    ) -> Iterator[tuple[int, int]]:
        """Ranges of resamples whose temporaries stay under the bound, small at first if slow."""
        _let_memory_be_used_again()
        step = self.block_elements // max(elements_each, 1)
        step = max(1, step if most is None else min(step, most))
        ranges = growing(self.n_resamples, step) if slow else self._ranges(step)
        return tracked(ranges, self.n_resamples)

    def _ranges(self, step: int) -> list[tuple[int, int]]:
        total = self.n_resamples
        return [(start, min(start + step, total)) for start in range(0, total, step)]

    def keys(self, design: Design) -> list[tuple[rng.Key, int, int]]:
        """Keys of the draws of each stratum, with its first unit and its number of units."""
        if len(design.strata) == 1:
            return [
                (rng.derive_key(self.entropy, "bootstrap", "iid", design.units), 0, design.units)
            ]
        return [
            (rng.derive_key(self.entropy, "bootstrap", "stratum", place, units), int(first), units)
            for place, (first, units) in enumerate(
                zip(design.first_units, design.strata, strict=True)
            )
        ]

    def indices(self, design: Design, start: int, stop: int) -> reference.Draws:
        """Positions of the units drawn in resamples ``start`` to ``stop``, shape (B, U)."""
        drawn = [
            first + rng.indices(key, start, stop, units, units)
            for key, first, units in self.keys(design)
        ]
        return drawn[0] if len(drawn) == 1 else np.concatenate(drawn, axis=-1)

    def uniforms(self, first: int, count: int) -> Array:
        """Numbers on (0, 1) for samples of a batch, from the ``first`` on."""
        key = rng.derive_key(self.entropy, "uniform")
        if self.own_uniforms:
            return rng.uniforms(key, first, first + count, 1)[:, 0]
        return np.broadcast_to(rng.uniforms(key, 0, 1, 1)[0], count)

    def once(
        self, name: Hashable, arrays: Iterable[NDArray[Any]], design: Design, make: Callable[[], T]
    ) -> T:
        """What ``make`` gives, made once for the same arrays under the same design."""
        if self.kept is None:
            return make()
        key = self._key(name, arrays, design)
        if key not in self.kept:
            self.kept[key] = make()
        kept_value: T = self.kept[key]
        return kept_value

    def latest(
        self, name: Hashable, arrays: Iterable[NDArray[Any]], design: Design
    ) -> dict[Hashable, Any]:
        """Where what is made of some arrays is kept until the same is made of others."""
        key: tuple[Hashable, ...] = self._key(name, arrays, design)
        kept: dict[Hashable, Any] = {} if self.kept is None else self.kept
        if kept.get("latest", (None,))[0] != key:
            kept["latest"] = key, {}
        made: dict[Hashable, Any] = kept["latest"][1]
        return made

    def _key(
        self, name: Hashable, arrays: Iterable[NDArray[Any]], design: Design
    ) -> tuple[Hashable, ...]:
        digest = hashlib.blake2b()
        for array in arrays:
            digest.update(np.ascontiguousarray(array).data)
        return name, design, self.entropy, self.n_resamples, digest.digest()

    def drawn(self, draw: Callable[[int, int], Array], start: int, stop: int, units: int) -> Array:
        """Rows of draws of so many units, shared among threads; as those of one, in every bit."""
        if self.threads == 1 or (stop - start) * units < SHARED_DRAWS:
            return draw(start, stop)
        from concurrent.futures import ThreadPoolExecutor

        ends = [int(end) for end in np.linspace(start, stop, self.threads + 1)]
        with ThreadPoolExecutor(self.threads) as pool:
            return np.concatenate(list(pool.map(draw, ends[:-1], ends[1:])))

    def in_threads(
        self, most: int, make: Callable[[tuple[int, int]], T]
    ) -> Iterator[tuple[tuple[int, int], T]]:
        """Ranges of up to ``most`` resamples and what ``make`` gives of each, in their order."""
        _let_memory_be_used_again()
        each = -(-self.n_resamples // self.threads)
        most = min(most, each)
        ranges = self._ranges(most)
        followed = tracked(ranges, self.n_resamples)
        if self.threads == 1:
            for block in followed:
                yield block, make(block)
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.threads) as pool:
            yield from zip(followed, pool.map(make, ranges), strict=True)


@functools.cache
def _let_memory_be_used_again() -> None:
    """Teach the allocator of the C library to keep what a block frees for the next one.

    glibc gives an array of a few MiB back to the system as soon as it is freed, and asks for
    fresh pages for the next, which costs four times what is done with them. Once it has seen a
    larger array come and go it keeps up to twice the size of that; 32 MiB are the most it heeds.
    Elsewhere this does nothing.
    """
    np.empty(2**22 - 2**10)
