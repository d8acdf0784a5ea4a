"""Masks as bits, eight layers of the first axis to a byte: to keep, and for many shifts of them.

Bit k of byte i is layer 8i + k. Other axes stay what they are: shifts along them are slices.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen

Bits = NDArray[np.uint8]
PER_BYTE = 8
# Voxels of a mask that are looked at at a time.
SLAB = 1 << 22


@frozen(eq=False)
class BitMask:
    """A mask in an eighth of its memory, which is had back in slabs.

    >>> bits = BitMask.pack(np.array([[True, False], [True, True]]))
    >>> bits.count, bits.mask.tolist()
    (3, [[True, False], [True, True]])
    """

    # Layers beyond the last are background.
    bits: Bits
    # Of the mask.
    shape: tuple[int, ...]

    @classmethod
    def pack(cls, mask: NDArray[np.bool_]) -> BitMask:
        """The mask as bits."""
        return cls(packed(mask), mask.shape)

    @classmethod
    def empty(cls, shape: Sequence[int]) -> BitMask:
        """A mask without foreground, to be filled by `put`."""
        rows = -(-shape[0] // PER_BYTE)
        return cls(np.zeros((rows, *shape[1:]), dtype=np.uint8), tuple(shape))

    def put(self, first: int, layers: NDArray[np.bool_]) -> None:
        """Set layers of an empty mask: whole bytes of them, or one."""
        if len(layers) == 1:
            self.bits[first // PER_BYTE] |= layers[0].view(np.uint8) << np.uint8(first % PER_BYTE)
        else:
            own = packed(layers)
            self.bits[first // PER_BYTE : first // PER_BYTE + len(own)] = own

    @property
    def count(self) -> int:
        """Voxels of the foreground."""
        return int(np.bitwise_count(self.bits).sum(dtype=np.int64))

    def __and__(self, other: BitMask) -> BitMask:
        return BitMask(self.bits & other.bits, self.shape)

    def __or__(self, other: BitMask) -> BitMask:
        return BitMask(self.bits | other.bits, self.shape)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """The mask as booleans."""
        return unpacked(self.bits, self.shape[0])

    def slabs(self) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """The mask in slabs, each with its first layer."""
        for first, stop in layer_ranges(self.shape):
            own = self.bits[first // PER_BYTE : -(-stop // PER_BYTE)]
            if stop - first == 1:
                yield first, ((own >> np.uint8(first % PER_BYTE)) & np.uint8(1)).view(bool)
            else:
                yield first, unpacked(own, stop - first)


def layer_ranges(shape: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where slabs of about `SLAB` voxels begin and end: whole bytes of bits, or a single layer.

    >>> list(layer_ranges((20, 1 << 19))), list(layer_ranges((2, 1 << 22)))
    ([(0, 8), (8, 16), (16, 20)], [(0, 1), (1, 2)])
    """
    step = max(1, SLAB // max(1, math.prod(shape[1:])))
    step = step // PER_BYTE * PER_BYTE or 1
    for first in range(0, shape[0], step):
        yield first, min(first + step, shape[0])


def packed(mask: NDArray[np.bool_]) -> Bits:
    """A mask as bits; layers beyond its last are background.

    >>> packed(np.array([[True], [False], [True]])).tolist()
    [[5]]
    """
    # NumPy's packbits takes ten times as long along the first axis.
    bits = np.zeros((-(-len(mask) // PER_BYTE), *mask.shape[1:]), dtype=np.uint8)
    layers = mask.view(np.uint8)
    for k in range(PER_BYTE):
        part = layers[k::PER_BYTE]
        bits[: len(part)] |= part << np.uint8(k)
    return bits


def unpacked(bits: Bits, length: int) -> NDArray[np.bool_]:
    """The mask of so many layers.

    >>> unpacked(np.array([[5]], dtype=np.uint8), 3).ravel().tolist()
    [True, False, True]
    """
    layers = np.empty((length, *bits.shape[1:]), dtype=np.uint8)
    for k in range(PER_BYTE):
        part = layers[k::PER_BYTE]
        np.right_shift(bits[: len(part)], np.uint8(k), out=part)
        part &= np.uint8(1)
    return layers.view(bool)


def moved(bits: Bits, layers: int) -> Bits:
    """The mask so many layers on, or back if that is negative; background comes in.

    What moves beyond the last layer may stay in the last byte: `unpacked` leaves it out.

    >>> moved(np.array([[5]], dtype=np.uint8), 1).tolist()
    [[10]]
    """
    there = np.zeros_like(bits)
    whole, rest = divmod(abs(layers), PER_BYTE)
    if whole >= len(bits):
        return there
    kept = len(bits) - whole
    if layers >= 0:
        there[whole:] = bits[:kept] << np.uint8(rest)
        if rest:
            there[whole + 1 :] |= bits[: kept - 1] >> np.uint8(PER_BYTE - rest)
    else:
        there[:kept] = bits[whole:] >> np.uint8(rest)
        if rest:
            there[: kept - 1] |= bits[whole + 1 :] << np.uint8(PER_BYTE - rest)
    return there
