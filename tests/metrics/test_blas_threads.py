"""Distances between surfaces do not depend on the threads of the BLAS, in no bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from halfwidth import metrics
from halfwidth.metrics import MaskPair


@pytest.fixture(scope="module")
def pair() -> MaskPair:
    """Two masks whose boundaries have more voxels than a BLAS adds up in one thread."""
    z, y, x = np.ogrid[:90, :90, :50]
    first = ((z - 45) / 40) ** 2 + ((y - 45) / 40) ** 2 + ((x - 25) / 20) ** 2 < 1
    second = ((z - 44) / 39) ** 2 + ((y - 46) / 42) ** 2 + ((x - 25) / 22) ** 2 < 1
    made = MaskPair.of(first, second, (0.97, 0.97, 2.5))
    assert min(len(each) for each in made.distances) > 10_000
    return made


@pytest.mark.parametrize("metric", [metrics.assd, metrics.masd])
@pytest.mark.parametrize("definition", ["voxels", "surface"])
def test_threads_of_the_blas_change_no_bit(
    metric: Callable[..., float], definition: str, pair: MaskPair
) -> None:
    found = set()
    for threads in (1, 2, 3):
        with threadpool_limits(limits=threads, user_api="blas"):
            found.add(metric(pair, definition=definition))
    assert len(found) == 1
