"""Weights meet statistics: blocks, threads and batches change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from halfwidth.core.spec import Metric, spec_of
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.metrics import brier_discrimination, brier_miscalibration
from halfwidth.metrics.building import probability_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import leave_one_out, replicates
from halfwidth.resampling.forms import generic
from halfwidth.resampling.kernels import reference

DESIGNS = (
    Design.iid(30),
    Design((12, 18), paired=True),
    Design((15,), (2,) * 15, paired=True),
    Design((10,), (1, 1, 2, 2, 3, 3, 4, 4, 5, 5), paired=True),
)
EVERY = pytest.mark.parametrize("name", ["mean", "sd", "median", "iqr", "trimmed_mean"])
VALUES = np.sort(np.random.default_rng(3).beta(8, 2, (3, 30)), axis=-1)


@pytest.mark.sampled(6)
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


@pytest.mark.sampled(3)
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("part", [brier_miscalibration, brier_discrimination])
def test_parts_of_the_brier_score_by_weights_are_those_of_gathered_cases(
    part: Any, *, weighted: bool, design: Design
) -> None:
    generator = np.random.default_rng(5)
    p = np.round(generator.beta(1, 2, (2, 30)), 1)
    y = (generator.random(p.shape) < p) * 1.0
    weights = generator.integers(0, 4, p.shape) * 0.7
    values = np.stack([p, y, weights][: 2 + weighted], axis=1)
    statistic = probability_statistic(Metric(spec_of(part)), None, "binary", weighted=weighted)
    plan = Plan(1, 60)
    drawn = reference.plain(values, design, statistic, plan.indices(design, 0, 60))
    for own in (plan, Plan(1, 60, kept={}), Plan(1, 60, block_elements=100)):
        np.testing.assert_allclose(replicates(values, design, statistic, own), drawn, atol=1e-14)
    np.testing.assert_allclose(
        leave_one_out(values, design, statistic),
        generic.leave_one_out(values, design, statistic),
        atol=1e-14,
    )
    none = np.empty((0, 2 + weighted, 30))
    assert leave_one_out(none, design, statistic).shape == (0, design.units)
