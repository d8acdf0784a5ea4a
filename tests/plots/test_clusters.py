from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex

import halfwidth as hw
from halfwidth import plots
from halfwidth.plots import distribution
from halfwidth.plots.style import cluster_style

RNG = np.random.default_rng(0)


def estimates_of(samples: Mapping[str, Any]) -> list[hw.Estimate]:
    return [hw.summary_ci(v, metric="dsc", label=label, rng=1) for label, v in samples.items()]


def texts_of(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def clustered(n_clusters: int, size: int) -> tuple[dict[str, Any], dict[str, Any]]:
    middles = RNG.uniform(0.6, 0.9, n_clusters)
    values = (middles[:, None] + RNG.normal(0, 0.02, (n_clusters, size))).ravel()
    order = RNG.permutation(len(values))
    names = np.repeat([f"centre {k}" for k in range(n_clusters)], size)
    return {"x": values[order]}, {"x": names[order]}


@pytest.mark.parametrize(("n_clusters", "size"), [(6, 10), (40, 2), (200, 3)])
def test_the_dots_of_a_cluster_share_colour_and_shape(n_clusters: int, size: int) -> None:
    samples, groups = clustered(n_clusters, size)
    made = estimates_of(samples)
    frame = distribution.frame(samples, made, groups=groups)
    cases = frame[frame["kind"] == "case"]
    styles = cases.groupby("group")["code"].unique()
    assert styles.map(len).tolist() == [1] * n_clusters
    # Neighbours in the order of the means differ in colour and in shape.
    by_mean = cases.groupby("group")["x"].mean().sort_values().index
    codes = [int(styles[name][0]) for name in by_mean]
    for a, b in itertools.pairwise(codes):
        assert cluster_style(a)[0] != cluster_style(b)[0]
        assert cluster_style(a)[1] != cluster_style(b)[1]
    ax = plots.distribution(samples, made, groups=groups)
    scattered: list[Any] = ax.findobj(PathCollection)
    shown = {
        (round(x, 9), round(y, 9)): to_hex(colour).upper()
        for dots in scattered
        for (x, y), colour in zip(dots.get_offsets(), dots.get_facecolors(), strict=True)
    }
    assert len(shown) == len(cases)
    for x, y, code in zip(cases["x"], cases["y"], cases["code"], strict=True):
        assert shown[round(x, 9), round(y, 9)] == cluster_style(code)[0]


def test_the_cases_of_a_small_cluster_share_a_height_and_are_joined() -> None:
    samples, groups = clustered(30, 2)
    frame = distribution.frame(samples, estimates_of(samples), groups=groups)
    cases = frame[frame["kind"] == "case"].groupby("group")
    assert cases["y"].nunique().tolist() == [1] * 30
    lanes = frame[frame["kind"] == "cluster"].set_index("group")
    expected = cases["x"].agg(["mean", "min", "max"]).loc[lanes.index]
    np.testing.assert_allclose(lanes[["x", "low", "high"]], expected)
    # The higher the mean, the higher on the page.
    assert lanes.sort_values("x")["y"].is_monotonic_decreasing
    ax = plots.distribution(samples, estimates_of(samples), groups=groups)
    lines: list[Any] = ax.findobj(LineCollection)
    segments = [segment for collection in lines for segment in collection.get_segments()]
    for low, high, y in lanes[["low", "high", "y"]].to_numpy(float):
        assert any(np.allclose(segment, [[low, y], [high, y]]) for segment in segments)


def test_large_clusters_are_spread_within_their_lane() -> None:
    samples, groups = clustered(6, 12)
    frame = distribution.frame(samples, estimates_of(samples), groups=groups)
    heights = frame[frame["kind"] == "case"].groupby("group")["y"].agg(["min", "max"])
    ordered = heights.sort_values("min")
    assert (ordered["max"] > ordered["min"]).all()
    assert (ordered["max"].to_numpy()[:-1] < ordered["min"].to_numpy()[1:]).all()


def test_few_clusters_are_named_and_many_are_counted() -> None:
    samples, groups = clustered(6, 4)
    texts = texts_of(plots.distribution(samples, estimates_of(samples), groups=groups))
    assert {f"centre {k}" for k in range(6)} <= set(texts)
    samples, groups = clustered(60, 2)
    texts = texts_of(plots.distribution(samples, estimates_of(samples), groups=groups))
    assert not any(text.startswith("centre") for text in texts)
    assert "60 clusters" in texts[-1]
    assert "colours repeat" in texts[-1]


def test_a_cluster_looks_the_same_in_every_row_where_there_are_few() -> None:
    names = np.repeat(["a", "b", "c"], 5)
    samples = {"x": np.repeat([0.1, 0.5, 0.9], 5), "y": np.repeat([0.9, 0.1, 0.2], 5)}
    frame = distribution.frame(samples, estimates_of(samples), groups=dict.fromkeys("xy", names))
    assert frame[frame["group"] != ""].groupby("group")["code"].nunique().tolist() == [1, 1, 1]


def test_clusters_of_one_case_are_independent_cases() -> None:
    samples = {"x": RNG.random(30), "y": RNG.random(9)}
    made = estimates_of(samples)
    groups = {label: range(len(values)) for label, values in samples.items()}
    frame = distribution.frame(samples, made, groups=groups)
    pd.testing.assert_frame_equal(frame, distribution.frame(samples, made))


def test_the_number_of_clusters_is_said() -> None:
    samples, groups = clustered(30, 2)
    made = [replace(e, n_groups=30, design="clustered") for e in estimates_of(samples)]
    assert "n = 60 in 30 clusters" in texts_of(plots.distribution(samples, made, groups=groups))


@pytest.mark.parametrize(
    ("groups", "error", "text"),
    [
        ({"y": [1, 2]}, hw.OptionError, "groups for 'y', but samples for 'x'"),
        ({"x": [1, 2]}, hw.DataError, "2 labels for 3 values"),
        ({"x": [1, 2, np.nan]}, hw.DataError, "no cluster"),
        ({"x": [1, 2, None]}, hw.DataError, "no cluster"),
        ([1, 2, 3], hw.OptionError, "maps the label"),
    ],
)
def test_groups_that_do_not_fit_are_refused(groups: Any, error: type, text: str) -> None:
    samples = {"x": [0.5, 0.6, 0.7]}
    with pytest.raises(error, match=text):
        plots.distribution(samples, estimates_of(samples), groups=groups)


def test_groups_may_be_a_series_with_any_index() -> None:
    samples = {"x": pd.Series([0.5, 0.6, 0.7], index=[7, 8, 9])}
    groups = {"x": pd.Series(["a", "a", "b"], index=[3, 2, 1])}
    frame = distribution.frame(samples, estimates_of(samples), groups=groups)
    assert frame.loc[frame["kind"] == "case", "group"].tolist() == ["a", "a", "b"]
