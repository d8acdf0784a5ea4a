"""Sums of features that hold values in few units are those of all units."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from halfwidth import SAMPLE_METRICS
from halfwidth.core.spec import Metric
from halfwidth.metrics import building
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates
from halfwidth.resampling.kernels import native
from halfwidth.resampling.weights.blocks import Features


@pytest.mark.parametrize(
    "design",
    [
        Design((300,), paired=True),
        Design((100, 200), paired=True),
        Design((60,), tuple([2] * 20 + [4] * 10 + [6] * 20 + [10] * 10), paired=True),
    ],
    ids=lambda design: design.name,
)
def test_replicates_are_the_same_however_sums_are_made(
    design: Design, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(1)
    # Cases ascend within a stratum, as everywhere.
    parts = (100, 200) if len(design.strata) > 1 else (300,)
    p = np.concatenate([np.sort(generator.random(units)) for units in parts])
    records = np.stack([p, generator.random(300) < p])[None].astype(float)
    metric = Metric(SAMPLE_METRICS["ece"], {"bins": 20, "binning": 0.0})
    statistic = building.probability_statistic(metric, None, "")
    by_numpy = replicates(records, design, statistic, Plan(3, 200, compiled=False))
    if not native.available():
        pytest.skip("there is no compiled library")
    made = replicates(records, design, statistic, Plan(3, 200, compiled=True))
    features = statistic.spec.form.features(records)[0]  # type: ignore[union-attr]
    assert Features(design.totals(features), design).ranges[0]
    monkeypatch.setattr(Features, "ranges", [[]] * len(design.strata))
    dense = replicates(records, design, statistic, Plan(3, 200, compiled=True))
    np.testing.assert_allclose(made, dense, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(made, by_numpy, rtol=1e-12, atol=1e-15)


def test_ranges_are_given_where_they_are_short() -> None:
    def ranges(values: NDArray[np.float64]) -> list[list[tuple[int, int]]]:
        return Features(values, Design((values.shape[1],))).ranges

    features = np.repeat(np.eye(5), 4, axis=1)
    assert ranges(features) == [[(0, 4), (4, 8), (8, 12), (12, 16), (16, 20)]]
    assert ranges(np.ones((5, 20))) == [[]]
    assert ranges(np.zeros((2, 3))) == [[(0, 0), (0, 0)]]
