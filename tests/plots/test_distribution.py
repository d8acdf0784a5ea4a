from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import halfwidth as hw
from halfwidth.plots import distribution, distribution_frame

RNG = np.random.default_rng(0)
SAMPLES = {"liver": RNG.beta(9, 1, 60), "pancreas $_<": RNG.beta(5, 2, 40)}
ESTIMATES = [
    hw.summary_ci(values, metric="dsc", statistic=statistic, label=label, rng=1)
    for label, values in SAMPLES.items()
    for statistic in ("mean", "median")
]


def test_every_plotted_number_is_in_the_frame() -> None:
    frame = distribution_frame(SAMPLES, ESTIMATES)
    for label, values in SAMPLES.items():
        own = frame[frame["label"] == label]
        cases = own.loc[own["kind"] == "case", "x"].to_numpy(float)
        np.testing.assert_array_equal(cases, np.sort(values))
        box = own[own["kind"] == "box"].iloc[0]
        expected = np.quantile(values, [0.25, 0.5, 0.75])
        np.testing.assert_allclose([box["low"], box["x"], box["high"]], expected)
    marks = frame[~frame["kind"].isin(["case", "box"])]
    assert marks["kind"].tolist() == ["mean", "median"] * 2
    for (_, mark), e in zip(marks.iterrows(), ESTIMATES, strict=True):
        assert (mark["x"], mark["low"], mark["high"]) == (e.value, e.low, e.high)


def test_rows_do_not_overlap() -> None:
    frame = distribution_frame(SAMPLES, ESTIMATES)
    rows = {label: row for row, label in enumerate(SAMPLES)}
    assert all(
        rows[str(a)] < b < rows[str(a)] + 1 for a, b in zip(frame["label"], frame["y"], strict=True)
    )


def test_the_axes_are_returned_and_drawn(tmp_path: Path) -> None:
    ax = Figure(layout="constrained").add_subplot()
    assert distribution(SAMPLES, ESTIMATES, ax) is ax
    assert [tick.get_text() for tick in ax.get_yticklabels()] == list(SAMPLES)
    assert "DSC" in ax.get_xlabel()
    low, high = ax.get_xlim()
    assert low >= -0.05
    assert high <= 1.05
    figure = ax.get_figure()
    assert figure is not None
    for suffix in ("png", "svg"):
        file = tmp_path / f"figure.{suffix}"
        figure.savefig(file)  # type: ignore[union-attr]
        assert file.stat().st_size > 5000


def test_without_axes_a_figure_is_made() -> None:
    assert distribution(SAMPLES, ESTIMATES).get_figure() is not None


def test_an_estimate_without_an_interval_or_with_an_open_end_can_be_drawn() -> None:
    values = np.array([3.0])
    none = hw.summary_ci(values, metric="hd95", label="x")
    open_end = hw.summary_ci(np.arange(9.0), metric="hd95", alternative="lower", label="y")
    ax = distribution({"x": values, "y": np.arange(9.0)}, [none, open_end])
    assert len(ax.texts) == 2


def test_an_estimate_without_its_sample_is_refused() -> None:
    with pytest.raises(hw.OptionError, match="no sample with label 'pancreas"):
        distribution({"liver": SAMPLES["liver"]}, ESTIMATES)
    with pytest.raises(hw.OptionError, match="at least one"):
        distribution({}, [])
