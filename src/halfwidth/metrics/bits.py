"""Masks as bits, eight layers of the first axis to a byte, for many shifts of whole masks.

Bit k of byte i is layer 8i + k. Other axes stay what they are: shifts along them are slices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["moved", "packed", "unpacked"]

Bits = NDArray[np.uint8]
PER_BYTE = 8


def packed(mask: NDArray[np.bool_]) -> Bits:
    """A mask as bits; layers beyond its last are background.

    >>> packed(np.array([[True], [False], [True]])).tolist()
    [[5]]
    """
    # NumPy's packbits takes ten times as long along the first axis.
    bits = np.zeros((-(-len(mask) // PER_BYTE), *mask.shape[1:]), dtype=np.uint8)
    layers = mask.view(np.uint8)
    for k in range(PER_BYTE):
        own = layers[k::PER_BYTE]
        bits[: len(own)] |= own << np.uint8(k)
    return bits


def unpacked(bits: Bits, length: int) -> NDArray[np.bool_]:
    """The mask of so many layers.

    >>> unpacked(np.array([[5]], dtype=np.uint8), 3).ravel().tolist()
    [True, False, True]
    """
    layers = np.empty((length, *bits.shape[1:]), dtype=np.uint8)
    for k in range(PER_BYTE):
        own = layers[k::PER_BYTE]
        np.right_shift(bits[: len(own)], np.uint8(k), out=own)
        own &= np.uint8(1)
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
