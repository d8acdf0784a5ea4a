from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from halfwidth import Bounds, DataError, OptionError
from halfwidth.core.types import UNIT_INTERVAL, Array
from halfwidth.study.populations import AdaptiveKde, adaptive_kde, fit_diagnostics

VALUES = np.concatenate([np.round(np.random.default_rng(5).beta(8, 2, 90), 3), [0.0, 1.0, 1.0]])


def test_a_fit_is_described() -> None:
    population = adaptive_kde(VALUES, UNIT_INTERVAL)
    found = fit_diagnostics(population, VALUES, UNIT_INTERVAL)
    assert found.mass_outside == 0
    assert found.n_atoms == 2
    assert found.atom_mass == pytest.approx(3 / 93)
    assert found.integral == pytest.approx(1, abs=1e-10)
    assert found.data_mean == pytest.approx(VALUES.mean())
    assert found.fitted_mean == pytest.approx(VALUES.mean())
    assert found.data_sd == pytest.approx(VALUES.std(ddof=1))
    variance = VALUES.var() + (population.widths**2).mean() / 5
    assert found.fitted_sd == pytest.approx(math.sqrt(variance))
    assert "array" not in repr(found)


def test_the_kolmogorov_distance_is_the_largest_gap_anywhere() -> None:
    population = adaptive_kde(VALUES, UNIT_INTERVAL)
    found = fit_diagnostics(population, VALUES, UNIT_INTERVAL).kolmogorov_distance
    x = np.concatenate([np.linspace(-0.1, 1.1, 200_001), VALUES, VALUES - 1e-12, VALUES + 1e-12])
    share = np.searchsorted(np.sort(VALUES), x, side="right") / len(VALUES)
    assert found == pytest.approx(np.abs(population.cdf(x) - share).max(), abs=1e-9)
    # Without atoms it is SciPy's.
    smooth = np.clip(VALUES, 0.001, 0.999)
    smooth_fit = adaptive_kde(smooth, UNIT_INTERVAL)
    expected = stats.kstest(smooth_fit.cdf(smooth), "uniform").statistic
    got = fit_diagnostics(smooth_fit, smooth, UNIT_INTERVAL).kolmogorov_distance
    assert got == pytest.approx(expected, abs=1e-12)


def test_mass_outside_is_seen() -> None:
    # Kernels of 0.2 on 0.1 and 0.95: W(-0.5) = 0.15625 and 1 - W(0.25) = 0.31640625.
    leaking = AdaptiveKde(np.array([0.1, 0.95]), np.array([0.2, 0.2]))
    found = fit_diagnostics(leaking, [0.1, 0.95], UNIT_INTERVAL)
    assert found.mass_outside == pytest.approx((0.15625 + 0.31640625) / 2)
    outside = AdaptiveKde(np.array([-0.5, 0.5, 2.0]), np.zeros(3))
    assert fit_diagnostics(outside, [-0.5, 0.5, 2], UNIT_INTERVAL).mass_outside == pytest.approx(
        2 / 3
    )
    unbounded = Bounds(-math.inf, math.inf)
    assert fit_diagnostics(leaking, [0.1, 0.95], unbounded).mass_outside == 0


@pytest.mark.parametrize(
    ("values", "bins"), [(VALUES, 30), (VALUES, 1), (np.array([0.0, 0.0, 1.0]), 4), (VALUES, 7)]
)
def test_the_histogram_holds_all_of_both(values: Array, bins: int) -> None:
    population = adaptive_kde(values, UNIT_INTERVAL)
    frame = fit_diagnostics(population, values, UNIT_INTERVAL).histogram(bins)
    assert list(frame.columns) == ["low", "high", "observed", "fitted"]
    assert len(frame) == bins
    width = frame["high"] - frame["low"]
    assert (frame["observed"] * width).sum() == pytest.approx(1)
    assert (frame["fitted"] * width).sum() == pytest.approx(1)
    # The share of many draws in each bin, 5.5 SE: a false alarm of 4e-8 each.
    drawn = population.draw(np.random.default_rng(1), 10, 20_000)
    edges = np.append(frame["low"], frame["high"].iloc[-1])
    share = np.histogram(drawn, edges)[0] / drawn.size
    expected = (frame["fitted"] * width).to_numpy()
    slack = 5.5 * np.sqrt(expected * (1 - expected) / drawn.size) + 1e-12
    assert (np.abs(share - expected) <= slack).all()


def test_equal_values_have_one_bin() -> None:
    values = np.full(4, 0.5)
    found = fit_diagnostics(adaptive_kde(values, UNIT_INTERVAL), values, UNIT_INTERVAL)
    assert (found.integral, found.kolmogorov_distance, found.atom_mass) == (1, 0, 1)
    assert found.histogram().to_numpy().tolist() == [[0.0, 1.0, 1.0, 1.0]]


def test_wrong_options_are_said() -> None:
    population = adaptive_kde(VALUES, UNIT_INTERVAL)
    with pytest.raises(OptionError, match="bins=0"):
        fit_diagnostics(population, VALUES, UNIT_INTERVAL).histogram(0)
    with pytest.raises(DataError, match="missing or infinite"):
        fit_diagnostics(population, [0.5, math.nan], UNIT_INTERVAL)


@pytest.mark.parametrize(
    ("name", "scale", "bounds"),
    [
        ("braintumor_3d_dsc", 100, UNIT_INTERVAL),
        ("hippocampus_3d_dsc", 100, UNIT_INTERVAL),
        ("braintumor_3d_hd95", 1, Bounds(0, math.inf)),
    ],
)
def test_real_fits_are_sound(shared: Path, name: str, scale: float, bounds: Bounds) -> None:
    table = pd.read_csv(shared / "data" / "segval" / f"{name}.csv")
    values = table["metric"].dropna().to_numpy() / scale
    found = fit_diagnostics(adaptive_kde(values, bounds), values, bounds)
    assert found.mass_outside == 0
    assert found.integral == pytest.approx(1, abs=1e-7)
    assert found.fitted_mean == pytest.approx(found.data_mean, rel=1e-12)
    assert found.data_sd * 0.99 < found.fitted_sd < 1.2 * found.data_sd
    # Smoothing moves the distribution function by less than a fifth.
    assert found.kolmogorov_distance < 0.2


def test_fits_of_every_organ_integrate_to_one(shared: Path) -> None:
    table = pd.read_csv(shared / "data" / "touchstone" / "nnU-Net_U-Net_dsc.csv")
    for organ in table.columns[1:]:
        values = table[organ].dropna().to_numpy()
        found = fit_diagnostics(adaptive_kde(values, UNIT_INTERVAL), values, UNIT_INTERVAL)
        assert found.mass_outside == 0
        assert found.integral == pytest.approx(1, abs=1e-7)
        assert found.atom_mass == pytest.approx(np.isin(values, [0, 1]).mean())
