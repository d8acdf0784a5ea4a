"""Parts of the Brier score by isotonic recalibration, against scikit-learn and by identities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression
from support import codes, examples

import halfwidth as hw
from halfwidth.metrics import (
    brier,
    brier_discrimination,
    brier_miscalibration,
    brier_uncertainty,
)

Array = NDArray[Any]
PARTS = (brier_miscalibration, brier_discrimination, brier_uncertainty)
# Few distinct probabilities, so that ties are common.
CASES = st.lists(
    st.tuples(st.integers(0, 12), st.booleans(), st.sampled_from([0.0, 0.5, 1.0, 3.0])),
    min_size=1,
    max_size=40,
)


def sample(n: int = 80) -> tuple[Array, Array, Array]:
    generator = np.random.default_rng(3)
    p = np.round(generator.beta(1, 2, n), 2)
    return (generator.random(n) < p**1.5).astype(int), p, generator.random(n)


@examples(60)
@given(CASES)
def test_parts_add_up_to_the_brier_score(cases: list[tuple[int, bool, float]]) -> None:
    p, y = np.array([c[0] / 12 for c in cases]), np.array([float(c[1]) for c in cases])
    weights = np.array([c[2] for c in cases])
    for given_ in (None, weights):
        miscalibration, discrimination, uncertainty = (part(y, p, given_) for part in PARTS)
        total = brier(y, p, given_)
        if given_ is not None and not weights.any():
            assert all(map(math.isnan, (miscalibration, discrimination, uncertainty, total)))
            continue
        assert abs(miscalibration - discrimination + uncertainty - total) < 1e-12
        assert miscalibration >= -1e-15
        assert -1e-15 <= discrimination <= uncertainty + 1e-15


def test_parts_are_those_of_scikit_learns_isotonic_regression() -> None:
    y, p, weights = sample()
    for given_ in (None, weights):
        fitted = IsotonicRegression().fit(p, y, given_).predict(p)
        best = brier(y, fitted, given_)
        share = np.average(y, weights=given_)
        assert brier_miscalibration(y, p, given_) == pytest.approx(brier(y, p, given_) - best)
        assert brier_discrimination(y, p, given_) == pytest.approx(share * (1 - share) - best)
        assert brier_uncertainty(y, p, given_) == pytest.approx(share * (1 - share))
        rows = [
            hw.metric_ci(
                y, p, metric=part.__name__, sample_weight=given_, n_resamples=19, rng=1
            ).value
            for part in PARTS
        ]
        assert rows == pytest.approx([part(y, p, given_) for part in PARTS], abs=1e-14)


def test_weights_are_copies() -> None:
    y, p, _ = sample(30)
    copies = np.arange(30) % 4
    for part in PARTS:
        weighted = part(y, p, copies)
        assert weighted == pytest.approx(part(np.repeat(y, copies), np.repeat(p, copies)))


def test_discrimination_depends_on_the_order_of_probabilities_alone() -> None:
    y, p, _ = sample()
    assert brier_discrimination(y, p**3 / 2) == pytest.approx(brier_discrimination(y, p))
    # The isotonic fit of probabilities that are its own is what they are.
    fitted = IsotonicRegression().fit_transform(p, y)
    assert brier_miscalibration(y, fitted) == pytest.approx(0.0, abs=1e-15)
    assert brier_discrimination(y, np.full(80, 0.3)) == pytest.approx(0.0, abs=1e-15)


def test_intervals_are_cautioned_as_those_of_what_noise_makes_larger() -> None:
    y, p, _ = sample()
    for part in PARTS[:2]:
        e = hw.metric_ci(y, p, metric=part.__name__, n_resamples=199, rng=1)
        assert e.method == "basic"
        assert "HW321" in codes(e)
        assert e.low >= 0
    of_shares = hw.metric_ci(y, p, metric="brier_uncertainty", n_resamples=199, rng=1)
    assert "HW321" not in codes(of_shares)


def test_the_score_of_dice_keeps_its_name() -> None:
    assert "dsc" in hw.METRICS.names
    assert "dsc" not in hw.SAMPLE_METRICS.every_name
