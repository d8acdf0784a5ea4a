"""Weights meet statistics: blocks, threads and batches change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import leave_one_out, replicates

DESIGNS = (
    Design.iid(30),
    Design((12, 18), paired=True),
    Design((15,), (2,) * 15, paired=True),
    Design((10,), (1, 1, 2, 2, 3, 3, 4, 4, 5, 5), paired=True),
)
EVERY = pytest.mark.parametrize("name", ["mean", "sd", "median", "iqr", "trimmed_mean"])
VALUES = np.sort(np.random.default_rng(3).beta(8, 2, (3, 30)), axis=-1)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
@EVERY
def test_how_draws_are_cut_and_shared_changes_nothing(name: str, design: Design) -> None:
    statistic = resolve_statistic(name)
    whole = replicates(VALUES, design, statistic, Plan(1, 700))
    for plan in (Plan(1, 700, threads=3), Plan(1, 700, block_elements=100)):
        np.testing.assert_allclose(replicates(VALUES, design, statistic, plan), whole, rtol=1e-12)
    kept = replicates(VALUES, design, statistic, Plan(1, 700, kept={}))
    np.testing.assert_allclose(kept, whole, rtol=1e-12)
    alone = replicates(VALUES[1:2], design, statistic, Plan(1, 700))
    np.testing.assert_allclose(alone, whole[1:2], rtol=1e-12)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
@EVERY
def test_no_samples_have_no_replicates(name: str, design: Design) -> None:
    statistic, none = resolve_statistic(name), np.empty((0, 30))
    assert replicates(none, design, statistic, Plan(1, 50)).shape == (0, 50)
    assert leave_one_out(none, design, statistic).shape == (0, design.units)
