"""Hashes of the data and settings of an instance, the same on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIGEST_BYTES = 16


def digest_of(recipe: Mapping[str, Any], *arrays: NDArray[Any]) -> str:
    """A hash of plain values and of arrays, which have a canonical order of cases.

    Whole numbers and fractions alike are hashed as little-endian words of 64 bits, with their
    shape.

    >>> digest_of({"population": "kde"}, np.array([0.5, 1.0])) == digest_of(
    ...     {"population": "kde"}, np.array([0.5, 1.0]).astype(">f8"))
    True
    """
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    digest.update(json.dumps(recipe, sort_keys=True).encode())
    for array in arrays:
        kind = "<i8" if array.dtype.kind in "biu" else "<f8"
        # A negative zero is a zero.
        plain = np.ascontiguousarray(array + 0, dtype=kind)
        digest.update(json.dumps([kind, *plain.shape]).encode())
        digest.update(plain.tobytes())
    return digest.hexdigest()
