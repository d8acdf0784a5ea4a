"""Areas under random weights: the compiled kernel, its NumPy twin, and values known by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from halfwidth.arithmetic.areas import CONCORDANCE, STEPS
from halfwidth.arithmetic.ranked_scores import rank
from halfwidth.core import rng
from halfwidth.core.forms import Ranking
from halfwidth.resampling.kernels import native, native_areas, reference

KEY = rng.Key(17)
Array = NDArray[np.float64]
needs_library = pytest.mark.skipif(not native.available(), reason="there is no compiled library")


def _twice(weights: Array, positive: NDArray[np.bool_], score: Array) -> tuple[float, float]:
    """AUROC and average precision of weighted cases by their definitions, pair by pair."""
    p, q = weights[positive], weights[~positive]
    sign = np.sign(score[positive][:, None] - score[~positive])
    auroc = (np.outer(p, q) * (sign + 1) / 2).sum() / (p.sum() * q.sum())
    precision = [
        weights[positive & (score >= s)].sum() / weights[score >= s].sum() for s in score[positive]
    ]
    return float(auroc), float(np.dot(p, precision) / p.sum())


def test_areas_are_those_of_the_definitions() -> None:
    generator = np.random.default_rng(3)
    score = generator.integers(0, 6, 15).astype(float)
    positive, weights = generator.random(15) < 0.5, generator.random(15)
    ends = np.array([0.2, 0.7, 0.4, 0.1])
    ranking = rank(positive[None], score[None])
    every = np.concatenate([weights, ends])
    both = np.concatenate([positive, [True, False, True, False]])
    scores = np.concatenate([score, [9, 9, -9, -9]])
    expected = _twice(every, both, scores)
    for area, value in zip((CONCORDANCE, STEPS), expected, strict=True):
        of_entries = weights[ranking.case[0]][None]
        made, held = reference.weighted_areas(of_entries, ranking.mark[0], ends[None], area.curve)
        assert made[0] == pytest.approx(value, rel=1e-12)
        assert held[0] == pytest.approx(every[both].sum())


@needs_library
@pytest.mark.parametrize(("units", "entries", "levels"), [(7, 7, 50), (20, 33, 4), (300, 300, 40)])
@pytest.mark.parametrize("valued", [False, True])
def test_kernel_equals_numpy_on_the_same_draws(
    units: int, entries: int, levels: int, valued: bool
) -> None:
    generator = np.random.default_rng(units)
    rows, resamples = 3, 2 * native.LANES + 5
    ranking = rank(
        generator.random((rows, entries)) < 0.4,
        generator.integers(0, levels, (rows, entries)).astype(float),
    )
    unit = generator.integers(0, units, entries)[ranking.case].astype(np.int32)
    value = generator.random((rows, entries)) if valued else None
    turned = native_areas.turned_exponentials(KEY, 4, 4 + resamples, units)
    plain = rng.exponentials(KEY, 4, 4 + resamples, units)
    back = np.moveaxis(turned, 1, -1).reshape(-1, units)[:resamples]
    assert np.array_equal(back, plain)
    # Two lists are of one class, whose pseudo-cases they share, and each has two sides.
    ends = generator.gamma(0.25, size=(2, len(turned), 2, 4, native.LANES))
    for area in (CONCORDANCE, STEPS):
        made = native_areas.weighted_areas(
            turned, unit, ranking.mark, value, ends, auroc=area is CONCORDANCE
        )
        for row, side in np.ndindex(rows, 2):
            weights = plain[:, unit[row]] * (1 if value is None else value[row])
            own = np.moveaxis(ends[row % 2, :, side], 1, -1).reshape(-1, 4)[:resamples]
            expected = reference.weighted_areas(weights, ranking.mark[row], own, area.curve)
            for one, other in zip(made, expected, strict=True):
                assert np.allclose(one[row, side, :resamples], other, rtol=1e-12, atol=0)


@needs_library
def test_without_pseudo_cases_missing_classes_leave_areas_undefined() -> None:
    turned = native_areas.turned_exponentials(KEY, 0, native.LANES, 3)
    unit = np.arange(3, dtype=np.int32)[None]
    none = np.full((1, 3), Ranking.LAST_OF_TIES, np.uint8)
    ends = np.zeros((1, 1, 1, 4, native.LANES))
    for auroc in (True, False):
        area, positives = native_areas.weighted_areas(turned, unit, none, None, ends, auroc=auroc)
        assert np.isnan(area).all()
        assert not positives.any()


@needs_library
def test_kernel_refuses_what_does_not_fit() -> None:
    turned = native_areas.turned_exponentials(KEY, 0, native.LANES, 3)
    mark, ends = np.full((1, 3), 2, np.uint8), np.zeros((1, 1, 1, 4, native.LANES))
    with pytest.raises(ValueError, match="do not fit weights"):
        native_areas.weighted_areas(
            turned, np.array([[0, 1, 3]], np.int32), mark, None, ends, auroc=True
        )
    unit = np.array([[0, 1, 2]], np.int32)
    with pytest.raises(ValueError, match="is not one of"):
        native_areas.weighted_areas(turned, unit, mark, None, ends[:, :, :, :3], auroc=True)
    with pytest.raises(ValueError, match="is not one of"):
        native_areas.weighted_areas(turned, unit.astype(np.int64), mark, None, ends, auroc=True)
