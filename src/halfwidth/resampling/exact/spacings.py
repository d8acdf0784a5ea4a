"""A few order statistics of every resample, without resampling the sample.

For the IQR and other statistics of order statistics that lie apart, whose exact distribution has
too many points. The cost per resample does not depend on n.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.resampling.weights.gammas import gammas


def spacings(entropy: int, ranks: Array, n: int, n_resamples: int) -> NDArray[np.intp]:
    """Positions from 0 of some ranks from 1 in each sorted resample, exact in distribution: (B, K).

    The n + 1 spacings of n sorted uniforms are distributed as exponentials over their sum, so the
    spacing between the order statistics of two ranks is a gamma of their difference over that sum:
    U₍k₎ = G(k) / (G(k) + G(n + 1 - k)), a Beta(k, n + 1 - k). A uniform u stands for the case at
    sorted position ⌈n·u⌉. The table serves every sample of a batch.
    """
    steps = np.diff([0, *(int(rank) for rank in ranks), n + 1])
    what = ("spacings", "iid", n, *(int(step) for step in steps))
    sums = np.cumsum(
        [
            gammas(entropy, (*what, place), int(step), n_resamples)
            for place, step in enumerate(steps)
        ],
        axis=0,
    )
    position = np.ceil(n * (sums[:-1] / sums[-1])).astype(np.intp)
    return np.asarray(np.clip(position, 1, n).T - 1)
