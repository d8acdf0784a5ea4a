from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import halfwidth as hw
from halfwidth import plots
from halfwidth.plots import distribution

RNG = np.random.default_rng(0)
SAMPLES = {"liver": RNG.beta(9, 1, 60), "pancreas $_<": RNG.beta(5, 2, 40)}
ORGANS = "aorta gall_bladder kidney_left kidney_right liver pancreas postcava spleen stomach"


def estimates_of(
    samples: dict[str, Any], *statistics: str, metric: str = "dsc"
) -> list[hw.Estimate]:
    return [
        hw.summary_ci(values, metric=metric, statistic=statistic, label=label, rng=1)
        for label, values in samples.items()
        for statistic in statistics or ("mean",)
    ]


ESTIMATES = estimates_of(SAMPLES, "mean", "median")


def part(frame: pd.DataFrame, kind: str, *columns: str) -> np.ndarray:
    return frame.loc[frame["kind"] == kind, list(columns)].to_numpy(float)


def scattered(ax: Axes) -> list[Any]:
    return ax.findobj(PathCollection)


def texts_of(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def drawn(figure: Any) -> None:
    canvas: Any = FigureCanvasAgg
    canvas(figure).draw()


# --------------------------------------------------------------------------- the frame


def test_every_plotted_number_is_in_the_frame() -> None:
    frame = distribution.frame(SAMPLES, ESTIMATES)
    for label, values in SAMPLES.items():
        own = frame[frame["label"] == label]
        np.testing.assert_array_equal(part(own, "case", "x")[:, 0], np.sort(values))
        quartiles = np.quantile(values, [0.25, 0.5, 0.75])
        np.testing.assert_allclose(part(own, "box", "low", "x", "high")[0], quartiles)
        (whiskers,) = part(own, "whiskers", "low", "high")
        reach = 1.5 * (quartiles[2] - quartiles[0])
        inside = values[(values >= quartiles[0] - reach) & (values <= quartiles[2] + reach)]
        np.testing.assert_array_equal(whiskers, [inside.min(), inside.max()])
    marks = frame[frame["kind"] == "estimate"]
    assert marks["statistic"].tolist() == ["mean", "median"] * 2
    for (_, mark), e in zip(marks.iterrows(), ESTIMATES, strict=True):
        assert (mark["x"], mark["low"], mark["high"]) == (e.value, e.low, e.high)


def test_rows_do_not_overlap() -> None:
    frame = distribution.frame(SAMPLES, ESTIMATES)
    rows = {label: row for row, label in enumerate(SAMPLES)}
    assert all(
        rows[str(a)] < b < rows[str(a)] + 1 for a, b in zip(frame["label"], frame["y"], strict=True)
    )
    for label in SAMPLES:
        own = frame[frame["label"] == label]
        bands = [part(own, kind, "y") for kind in ("estimate", "density", "box", "case")]
        # Estimates are above the density, that above the box, and the cases below all.
        assert all(upper.max() < lower.min() for upper, lower in itertools.pairwise(bands))


# --------------------------------------------------------------------------- shapes


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(RNG.beta(9, 1, 300), id="near a bound"),
        pytest.param(np.append(RNG.beta(90, 10, 60), 0.0), id="outlier"),
        pytest.param(np.append(np.full(30, 0.5), [0.1, 0.2, 0.3, 0.9]), id="no IQR"),
        pytest.param(RNG.beta(9, 1, 9000), id="thousands"),
    ],
)
def test_no_density_where_no_case_can_be(values: np.ndarray) -> None:
    frame = distribution.frame({"x": values}, estimates_of({"x": values}))
    x, density = part(frame, "density", "x", "density").T
    assert (x.min(), x.max()) == (values.min(), values.max())
    assert (density >= 0).all()
    assert np.isfinite(density).all()
    # What is cut off at the ends of the data is little; what leaks over the range is reflected.
    assert 0.8 < np.trapezoid(density, x) < 1.2


def test_the_density_does_not_fall_at_the_bound_of_the_metric() -> None:
    values = np.linspace(0, 1, 400)
    frame = distribution.frame({"x": values}, estimates_of({"x": values}))
    np.testing.assert_allclose(part(frame, "density", "density"), 1, atol=0.03)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("values", "shares"),
    [
        ([0.5], []),
        ([0.5, 0.6], []),
        ([0.5, 0.5, 0.6], [2 / 3, 1 / 3]),
        ([0.7] * 9, [1]),
        ([0.0] * 3 + [1.0] * 9, [0.25, 0.75]),
    ],
)
def test_few_different_values_have_shares_and_no_box(
    values: list[float], shares: list[float]
) -> None:
    frame = distribution.frame({"x": values}, estimates_of({"x": values}))
    np.testing.assert_allclose(part(frame, "share", "density")[:, 0], shares)
    assert not set(frame["kind"]) & {"box", "whiskers", "density"}
    drawn(plots.distribution({"x": values}, estimates_of({"x": values})).figure)


def test_a_spread_is_written_but_has_no_place_on_the_axis() -> None:
    values = {"x": 90 + RNG.random(50)}
    made = estimates_of(values, "sd", "iqr", "median", metric="hd95")
    assert distribution.frame(values, made)["kind"].tolist()[-3:] == ["number"] * 2 + ["estimate"]
    ax = plots.distribution(values, made)
    assert ax.get_xlim()[0] > 80
    assert any(text.startswith("SD ") for text in texts_of(ax))


def test_a_users_statistic_has_a_place_only_among_the_values() -> None:
    values = 0.9 + 0.05 * RNG.random(50)
    for function, kind in ((np.ptp, "number"), (lambda x: np.sort(x)[20], "estimate")):
        e = hw.summary_ci(values, metric="dsc", statistic=function, label="x", rng=1)
        assert distribution.frame({"x": values}, [e])["kind"].iloc[-1] == kind


def test_values_that_are_not_finite_are_left_out() -> None:
    values = np.array([0.5, np.nan, 0.7, np.inf])
    e = hw.summary_ci(values, missing="omit", label="x")
    frame = distribution.frame({"x": values}, [e], groups={"x": ["a", None, "a", "c"]})
    assert part(frame, "case", "x")[:, 0].tolist() == [0.5, 0.7]
    assert frame.loc[frame["kind"] == "case", "group"].tolist() == ["a", "a"]
    assert "n = 2, 2 missing" in texts_of(plots.distribution({"x": values}, [e]))


# --------------------------------------------------------------------------- texts


def shown_texts(ax: Axes) -> Iterator[Text]:
    yield from ax.texts
    yield from ax.get_yticklabels()
    low, high = ax.get_xlim()
    yield from (text for text in ax.get_xticklabels() if low <= text.get_position()[0] <= high)
    yield ax.xaxis.label


def boxes_of(ax: Axes) -> list[Bbox]:
    drawn(ax.figure)
    return [Text.get_window_extent(text) for text in shown_texts(ax) if text.get_text()]


def assert_tidy(ax: Axes) -> None:
    """No text over another, over the data, or cut off."""
    boxes = boxes_of(ax)
    page = ax.figure.bbox
    for box in boxes:
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1
        inside = Bbox.intersection(box, ax.bbox)
        assert inside is None or inside.width * inside.height < 1
    for a, b in itertools.combinations(boxes, 2):
        overlap = Bbox.intersection(a, b)
        assert overlap is None or overlap.width * overlap.height < 1


@pytest.mark.slow
def test_texts_of_nine_labels_and_two_statistics_do_not_overlap() -> None:
    samples = {label: RNG.beta(9, 2, 60) for label in ORGANS.split()}
    assert_tidy(plots.distribution(samples, estimates_of(samples, "mean", "median")))


@pytest.mark.slow
def test_texts_of_long_labels_and_statistics_do_not_overlap() -> None:
    samples = {f"{'a long name of $a structure_ ' * 5} {k}": RNG.random(30) for k in range(3)}
    made = estimates_of(samples, "trimmed_mean:0.1", "quantile:0.9", "mean")
    ax = plots.distribution(samples, [*made, *(replace(e, over="clusters") for e in made)])
    assert_tidy(ax)
    # What is cut is the middle: the labels differ at their ends.
    assert len({text.get_text() for text in ax.get_yticklabels()}) == 3


def test_texts_of_named_clusters_do_not_overlap() -> None:
    samples = {"x": RNG.random(40), "y": RNG.random(40)}
    names = [f"centre {k % 8}: the hospital of that name" for k in range(40)]
    made = [replace(e, n_groups=8) for e in estimates_of(samples, "mean", "median")]
    assert_tidy(plots.distribution(samples, made, groups=dict.fromkeys(samples, names)))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "label", ["", "$\\alpha_{", "tab\tand\nline\x1b[0m", "<script>&", "%d {0}"]
)
def test_odd_labels_are_plain_text(label: str) -> None:
    samples = {label: RNG.random(9)}
    ax = plots.distribution(samples, estimates_of(samples), groups={label: [label] * 9})
    assert_tidy(ax)
    shown = ax.get_yticklabels()[0].get_text()
    assert shown == "".join(letter if letter.isprintable() else " " for letter in label)


# --------------------------------------------------------------------------- axes


def test_the_axes_are_returned_and_drawn(tmp_path: Path) -> None:
    ax = Figure(layout="constrained").add_subplot()
    assert plots.distribution(SAMPLES, ESTIMATES, ax) is ax
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


def test_without_axes_a_figure_is_made_that_grows_with_the_rows() -> None:
    few, many = ({str(k): RNG.random(9) for k in range(n)} for n in (2, 20))
    heights = [plots.distribution(s, estimates_of(s)).figure.bbox.height for s in (few, many)]
    assert heights[1] > 5 * heights[0]


def test_an_estimate_without_an_interval_says_so() -> None:
    values = np.array([3.0])
    ax = plots.distribution({"x": values}, [hw.summary_ci(values, metric="hd95", label="x")])
    assert "mean 3.00 (no interval)" in texts_of(ax)
    assert "n = 1" in texts_of(ax)
    drawn(ax.figure)


@pytest.mark.parametrize(("alternative", "caret", "sign"), [("lower", 5, "≥"), ("upper", 4, "≤")])
@pytest.mark.parametrize("metric", ["dsc", None])
def test_an_open_end_has_an_arrow_and_does_not_stretch_the_axis(
    alternative: Any, caret: int, sign: str, metric: str | None
) -> None:
    values = 0.7 + 0.2 * RNG.random(30)
    e = hw.summary_ci(values, metric=metric, alternative=alternative, label="x")
    ax = plots.distribution({"x": values}, [e])
    (arrow,) = [line for line in ax.lines if line.get_marker() in (4, 5)]
    assert arrow.get_marker() == caret
    low, high = ax.get_xlim()
    assert 0.6 < low < high < 1.0
    assert np.asarray(arrow.get_xdata()).item() == (high if caret == 5 else low)
    assert any(sign in text for text in texts_of(ax))


def test_levels_that_differ_are_said_in_each_row() -> None:
    values = RNG.random(30)
    made = [
        hw.summary_ci(values, metric="dsc", label="x", confidence_level=level)
        for level in (0.9, 0.95)
    ]
    texts = texts_of(plots.distribution({"x": values}, made))
    assert ["(90 % CI" in texts[0], "(95 % CI" in texts[1]] == [True, True]


@pytest.mark.parametrize("values", [[0.0] * 5, [1.0] * 5, [1e-12], [1e9] * 3])
def test_equal_values_have_an_axis(values: list[float]) -> None:
    ax = plots.distribution({"x": values}, [hw.summary_ci(values, label="x", bounds=(0, 1e10))])
    low, high = ax.get_xlim()
    assert low < values[0] < high


def test_a_statistic_of_each_label_is_optional_and_counts_are_shown() -> None:
    ax = plots.distribution(SAMPLES, ESTIMATES[:1])
    assert {"n = 60", "n = 40"} <= set(texts_of(ax))


def test_thousands_of_cases_are_a_picture_in_vector_graphics() -> None:
    for n, expected in ((3000, True), (2999, False)):
        samples = {"x": RNG.random(n)}
        ax = plots.distribution(samples, estimates_of(samples))
        assert [dots.get_rasterized() for dots in scattered(ax)] == [expected]


def test_more_cases_are_smaller_and_fainter() -> None:
    sizes, alphas = [], []
    for n in (20, 300, 4000):
        samples = {"x": RNG.random(n)}
        (dots,) = scattered(plots.distribution(samples, estimates_of(samples)))
        sizes.append(dots.get_sizes()[0])
        alphas.append(dots.get_alpha())
    assert sizes == sorted(sizes, reverse=True)
    assert alphas == sorted(alphas, reverse=True)


# --------------------------------------------------------------------------- refusals


def test_an_estimate_without_its_sample_is_refused() -> None:
    with pytest.raises(hw.OptionError, match="no sample with label 'pancreas"):
        plots.distribution({"liver": SAMPLES["liver"]}, ESTIMATES)
    with pytest.raises(hw.OptionError, match="at least one"):
        plots.distribution({}, [])


def test_two_metrics_on_one_axis_are_refused() -> None:
    other = hw.summary_ci([1.0, 2, 4, 5], metric="hd95", label="liver")
    with pytest.raises(hw.OptionError, match=r"several metrics.*figures_of_panels"):
        plots.distribution(SAMPLES, [*ESTIMATES, other])


def test_settings_of_the_user_are_left_alone() -> None:
    before = dict(mpl.rcParams)
    drawn(distribution(SAMPLES, ESTIMATES).figure)
    assert dict(mpl.rcParams) == before
