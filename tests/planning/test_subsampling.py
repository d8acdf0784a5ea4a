"""Subsamples of a test set against the published tables and NumPy by hand."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.planning.subsampling import _draw_subsamples

subsample = hw.planning.subsample
VALUES = np.sort(np.random.default_rng(0).beta(6, 2, 60))
Z = stats.norm.ppf(0.975)
THEIRS = 100
SIZES = {"hippocampus_3d": 110, "braintumor_3d": 334}


def published(shared: Path) -> list[dict[str, str]]:
    with (shared / "reference" / "eljurdi_subsamples_3d.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def values_behind(shared: Path, row: dict[str, str]) -> Array:
    name = f"{row['dataset']}_{row['metric'].partition('_')[0]}.csv"
    with (shared / "data" / "segval" / name).open(newline="") as file:
        return np.array([float(cell["metric"]) for cell in csv.DictReader(file)])


def assert_printed(got: float, printed: str, error: float) -> None:
    decimals = len(printed.partition(".")[2])
    # Zeros at the end are lost from the file, and .02 of ν is a unit of its print.
    rounding = 0.5 * 10.0 ** -min(decimals, 3) * (1 + 1e-9)
    assert abs(got - float(printed)) <= rounding + error, f"{got}, printed {printed}"


def test_the_whole_set_gives_the_printed_numbers_exactly(shared: Path) -> None:
    rows = [row for row in published(shared) if int(row["k"]) == SIZES[row["dataset"]]]
    assert len(rows) == 3
    for row in rows:
        values = values_behind(shared, row)
        # Ours is exact. Theirs: an average over 100 bootstraps of 15 000 resamples; of one the SEM
        # has a relative Monte-Carlo error of 1/√(2B), the mean 1/√B SEMs and a bound about 2.7/√B;
        # six of these: false alarm 2e-9 each.
        found = subsample(values, sizes=[len(values)], rng=4).rows[0]
        error = 6 * found.sem * math.sqrt(1 / 15_000 / THEIRS)
        for name, got, own in (
            ("mean", found.mean, 0.0),
            ("sd", found.sd, 0.0),
            ("sem", found.sem, 0.0),
            ("ci_low", found.low, 0.005),
            ("ci_high", found.high, 0.005),
            ("nu", found.nu, 0.0),
            ("boot_mean", found.boot_mean, error),
            ("boot_sem", found.boot_sem, error / math.sqrt(2)),
            ("boot_ci_low", found.boot_low, 3 * error),
            ("boot_ci_high", found.boot_high, 3 * error),
            ("boot_nu", found.boot_nu, 4 * error / found.mean),
        ):
            assert_printed(got, row[name], own)


@pytest.mark.parametrize("ours", [25, pytest.param(200, marks=pytest.mark.slow)])
def test_smaller_subsamples_agree_within_the_subsampling_error(shared: Path, ours: int) -> None:
    # The printed numbers average 100 subsamples, ours 25 or 200. Between subsamples a number varies
    # by its spread, so the two averages differ by spread·√(1/100 + 1/25): five of these, and a half
    # of the last digit. Numbers of one row go together; 11 rows of 6: false alarm 4e-5.
    rows = [row for row in published(shared) if int(row["k"]) < SIZES[row["dataset"]]]
    assert len(rows) == 11
    five = 5 * math.sqrt(1 / THEIRS + 1 / ours)
    for row in rows:
        values, k = values_behind(shared, row), int(row["k"])
        found = subsample(values, sizes=[k], repeats=ours, rng=8).rows[0]
        half = found.width_spread / 2
        for name, got, spread in (
            ("mean", found.mean, found.mean_spread),
            ("sd", found.sd, found.sd_spread),
            ("sem", found.sem, found.sem_spread),
            ("ci_high", found.high, half + 0.005),
            ("boot_mean", found.boot_mean, found.mean_spread),
            ("boot_sem", found.boot_sem, found.sem_spread),
        ):
            assert_printed(got, row[name], five * spread)
        width = float(row["boot_ci_high"]) - float(row["boot_ci_low"])
        assert (
            abs(found.boot_high - found.boot_low - width) < five * found.boot_width_spread + 0.005
        )


def test_nu_is_the_ratio_of_averages_as_the_tables_have_it(shared: Path) -> None:
    # Their text says the average of ratios; their numbers say this.
    for row in published(shared):
        ratio = (float(row["ci_high"]) - float(row["ci_low"])) / float(row["mean"])
        assert ratio == pytest.approx(float(row["nu"]), abs=0.0035)
    found = subsample(VALUES, sizes=[10], rng=1, repeats=5).rows[0]
    assert found.nu == pytest.approx(2 * Z * found.sem / found.mean)
    assert found.nu_each != found.nu


def test_averages_are_those_of_the_subsamples_drawn() -> None:
    samples = _draw_subsamples(VALUES, 12, 40, 3)
    found = subsample(VALUES, sizes=[12], repeats=40, rng=3, ddof=1).rows[0]
    sd = samples.std(axis=1, ddof=1)
    mean, sem = samples.mean(axis=1), sd / math.sqrt(12)
    assert found.mean == pytest.approx(mean.mean())
    assert (found.sd, found.sem) == pytest.approx((sd.mean(), sem.mean()))
    assert (found.low, found.high) == pytest.approx((-Z * found.sem, Z * found.sem))
    assert found.nu_each == pytest.approx((2 * Z * sem / mean).mean())
    assert found.mean_spread == pytest.approx(mean.std(ddof=1))
    assert found.width_spread == pytest.approx((2 * Z * sem).std(ddof=1))


def test_bootstrap_columns_are_those_of_numpy_within_monte_carlo_error() -> None:
    samples, b = _draw_subsamples(VALUES, 12, 20, 3), 20_000
    found = subsample(VALUES, sizes=[12], repeats=20, rng=3).rows[0]
    rng = np.random.default_rng(1)
    means = np.stack([s[rng.integers(0, 12, (b, 12))].mean(axis=1) for s in samples])
    low, high = np.quantile(means, [0.025, 0.975], axis=1)
    # Averages of 20; six errors of NumPy's.
    error = 6 * found.sem / math.sqrt(20 * b)
    assert found.boot_mean == pytest.approx(means.mean(), abs=error)
    assert found.boot_sem == pytest.approx(means.std(axis=1).mean(), abs=error)
    assert found.boot_low == pytest.approx(low.mean() - means.mean(), abs=3 * error)
    assert found.boot_high == pytest.approx(high.mean() - means.mean(), abs=3 * error)
    assert found.boot_nu == pytest.approx((found.boot_high - found.boot_low) / found.boot_mean)


def test_bootstrap_columns_are_those_of_all_resamples() -> None:
    values = np.array([0.31, 0.52, 0.77, 0.9])
    every = np.array([np.mean(one) for one in itertools.product(values, repeat=4)])
    found = subsample(values, sizes=[4], rng=1).rows[0]
    low, high = np.quantile(every, [0.025, 0.975], method="inverted_cdf")
    assert found.boot_mean == pytest.approx(every.mean(), rel=1e-12)
    assert found.boot_sem == pytest.approx(every.std(), rel=1e-12)
    assert found.boot_low == pytest.approx(low - every.mean(), rel=1e-9)
    assert found.boot_high == pytest.approx(high - every.mean(), rel=1e-9)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_bootstrap_of_the_whole_set_has_the_exact_and_the_printed_error(
    shared: Path, seed: int
) -> None:
    (row,) = (
        row
        for row in published(shared)
        if (row["dataset"], row["k"], row["metric"]) == ("braintumor_3d", "334", "hd95_mm")
    )
    values = values_behind(shared, row)
    found = subsample(values, sizes=[334], metric="hd95", rng=seed).rows[0]
    assert found.boot_sem == pytest.approx(np.std(values) / math.sqrt(334), rel=1e-12)
    assert f"{found.boot_sem:.3f}" == row["boot_sem"] == "0.581"


def test_subsamples_are_without_replacement_and_every_case_is_as_likely() -> None:
    drawn = _draw_subsamples(np.arange(30.0), 6, 20_000, 9).astype(int)
    assert all(len(set(row)) == 6 for row in drawn[:500].tolist())
    counts = np.bincount(drawn.ravel(), minlength=30)
    # Inclusion is hypergeometric, less variable than independent draws: the test is conservative.
    assert stats.chisquare(counts).pvalue > 1e-6
    pairs = ((drawn == 0).any(axis=1) & (drawn == 1).any(axis=1)).mean()
    # 6·5/(30·29) = .0345, Monte-Carlo error .0013; six of them.
    assert abs(pairs - 30 / 870) < 6 * math.sqrt(0.0345 / 20_000)


def test_all_cases_are_one_subsample_and_vary_not_at_all() -> None:
    found = subsample(VALUES, sizes=[60], rng=1).rows[0]
    assert found.mean == pytest.approx(VALUES.mean())
    assert found.sd == pytest.approx(VALUES.std())
    spreads = ("mean_spread", "sd_spread", "sem_spread", "width_spread", "boot_width_spread")
    assert [getattr(found, name) for name in spreads] == [0.0] * 5


def test_the_same_seed_gives_the_same_and_rows_do_not_depend_on_the_others() -> None:
    both = subsample(VALUES, sizes=[30, 10], rng=7, repeats=12)
    again = subsample(VALUES[::-1], sizes=[10], rng=7, repeats=12)
    assert [row.k for row in both.rows] == [10, 30]
    assert both.rows[0] == again.rows[0]
    assert both.seed == 7
    other = subsample(VALUES, sizes=[10], rng=8, repeats=12)
    assert other.rows[0].mean != both.rows[0].mean


def test_the_global_random_state_is_left_alone() -> None:
    np.random.seed(3)  # noqa: NPY002 -- the very state that is to be left alone
    before = np.random.get_state()[1].copy()  # type: ignore[index] # noqa: NPY002
    subsample(VALUES, sizes=[10], repeats=2)
    after = np.random.get_state()[1]  # type: ignore[index] # noqa: NPY002
    np.testing.assert_array_equal(before, after)


def test_default_sizes_end_with_all_cases() -> None:
    found = subsample(VALUES, rng=1, repeats=2)
    assert [row.k for row in found.rows] == [10, 20, 30, 50, 60]
    frame = found.to_frame()
    assert list(frame.columns) == [field.name for field in dataclasses.fields(found.rows[0])]
    assert frame["k"].tolist() == [10, 20, 30, 50, 60]
    assert found.to_dict()["schema_version"] == 1


def test_a_mean_of_0_has_no_relative_width() -> None:
    found = subsample([-1.0, 1.0, -1.0, 1.0], sizes=[4], rng=1)
    assert math.isnan(found.rows[0].nu)
    assert found.to_dict()["subsamples"][0]["nu"] is None


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"sizes": [61]}, "a subsample of 61 cases cannot be drawn without replacement from 60"),
        ({"sizes": [1]}, "1 is too few"),
        ({"sizes": []}, "sizes is empty"),
        ({"sizes": [10.5]}, "not a whole number"),
        ({"repeats": 0}, "repeats=0"),
        ({"repeats": 1.5}, "not a whole number"),
        ({"ddof": 2}, "ddof=2"),
        ({"confidence_level": 95}, "for 95 % write 0.95"),
        ({"metric": "dcs"}, "did you mean 'dsc'"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(hw.OptionError, match=text):
        subsample(VALUES, **options)


def test_bad_values_are_refused() -> None:
    with pytest.raises(hw.DataError, match="missing"):
        subsample([0.1, None, 0.3], metric="dsc")
    with pytest.raises(hw.DataError, match="outside"):
        subsample([0.1, 1.3, 0.3], metric="dsc")
    with pytest.raises(hw.OptionError, match="1 value cannot be subsampled"):
        subsample([0.1], metric="dsc")
    found = subsample([0.1, None, 0.3], metric="dsc", missing="omit")
    assert found.n == 2
