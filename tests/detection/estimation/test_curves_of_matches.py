"""Curves of matched detections: heights, lines and bands against what they sum up to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rankedscenes import functional_of, of_entries, ranked_scene, value_of

import halfwidth as hw
from halfwidth.core.types import Band
from halfwidth.detection.estimation.curves import AREA_OF, curves_of_jobs, simultaneous
from halfwidth.detection.matching.match_lists import MatchingRule
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.records import Records
from halfwidth.estimation.resolve import Request, resolve_request
from halfwidth.resampling.designs import arrange
from halfwidth.resampling.kernels import native

KINDS: tuple[Any, ...] = ("pr", "froc", "afroc", "wafroc")


def asked(method: str, n_resamples: int, seed: int) -> Request:
    return resolve_request(
        method=method,
        confidence_level=0.9,
        alternative="two-sided",
        n_resamples=n_resamples,
        rng=seed,
        missing="raise",
        penalty=None,
    )


def made(
    lists: hw.MatchLists,
    kind: Any,
    averages: tuple[str, ...] = ("macro",),
    band: Band = "pointwise",
    groups: np.ndarray | None = None,
    **given: object,
) -> hw.DetectionCurves:
    """Curves of some averages, of percentile intervals."""
    jobs = []
    for average in averages:
        functional = functional_of(lists, AREA_OF[kind], average, **given)
        records, design = arrange(functional.records(lists), groups, None, paired=True)
        count = None if groups is None else len(np.unique(groups))
        jobs.append(
            Job(
                functional,
                Records(records, design, lists.n_images, n_groups=count),
                average=average,
            )
        )
    request = asked("percentile", 199, 3)
    return curves_of_jobs(kind, jobs, lists.matching, request, band=band)


def area_under(line: np.ndarray, *, until: float = 1.0) -> float:
    """Of the straight lines between corners."""
    line = np.concatenate([line, [[until, line[-1, 1]]]]) if line[-1, 0] < until else line
    return float(np.trapezoid(line[:, 1], line[:, 0]))


# --------------------------------------------------------------------------- curves themselves


@pytest.mark.parametrize("ties", [False, True])
def test_precision_is_what_ap_averages(ties: bool) -> None:
    lists = ranked_scene(21, classes=1, thresholds=1, ties=ties)
    (curve,) = made(lists, "pr")
    assert curve.y.mean() == pytest.approx(value_of(lists, "ap"), abs=1e-12)
    all_points = value_of(lists, "ap", interpolation="all_points")
    # Beyond the last recall that is reached the precision is 0.
    reached = curve.line[curve.line[:, 0] <= curve.line[-1, 0]]
    assert np.trapezoid(reached[:, 1], reached[:, 0]) == pytest.approx(all_points, abs=1e-12)
    assert not len(curve.extension)
    assert curve.area is not None
    assert curve.area.value == pytest.approx(curve.y.mean(), abs=1e-12)


@pytest.mark.parametrize("interpolation", ["linear", "steps"])
def test_operating_points_are_what_the_froc_score_averages(interpolation: str) -> None:
    lists = ranked_scene(22, classes=1, thresholds=1, ties=True)
    (curve,) = made(lists, "froc", interpolation=interpolation)
    assert curve.points[:, 0].tolist() == (2.0 ** np.arange(-3, 4)).tolist()
    score = value_of(lists, "froc_score", interpolation=interpolation)
    assert curve.points[:, 1].mean() == pytest.approx(score, abs=1e-12)
    for level, height, *_ in curve.points:
        one = value_of(lists, "sensitivity_at_fppi", fppi=level, interpolation=interpolation)
        assert height == pytest.approx(one, abs=1e-12)
    # The line and what follows it run through the heights.
    whole = np.concatenate([curve.line, curve.extension])
    if interpolation == "linear":
        np.testing.assert_allclose(np.interp(curve.x, *whole.T), curve.y, atol=1e-12)
    assert tuple(curve.extension[0]) == tuple(curve.line[-1])
    assert curve.extension[-1].tolist() == [16.0, curve.line[-1, 1]]


@pytest.mark.parametrize(("kind", "name"), [("afroc", "afroc_auc"), ("wafroc", "wafroc_auc")])
@pytest.mark.parametrize("ties", [False, True])
def test_area_under_afroc_curves(kind: Any, name: str, ties: bool) -> None:
    lists = ranked_scene(23, classes=1, thresholds=1, ties=ties)
    (curve,) = made(lists, kind)
    whole = np.concatenate([curve.line, curve.extension])
    assert area_under(whole) == pytest.approx(value_of(lists, name), abs=1e-12)
    assert curve.extension[-1].tolist() == [1.0, 1.0]
    assert curve.n_without == (lists.n_references[:, 0] == 0).sum()


@pytest.mark.parametrize("kind", ["pr", "froc", "afroc"])
def test_the_mean_over_classes_ends_where_the_detections_of_all_classes_do(kind: Any) -> None:
    # Of two classes on the same four images the second has fewer lesions, and fewer marks.
    first = [(0, 0, 0.9, [1]), (2, 0, 0.8, [0]), (1, 0, 0.7, [1]), (0, 0, 0.6, [0])]
    second = [(0, 1, 0.9, [1]), (3, 1, 0.5, [0])]
    lists = of_entries([*first, *second], [[2, 2], [1, 0], [0, 0], [0, 0]], classes=2)
    (mean,), each = made(lists, kind), made(lists, kind, ("none",))
    end = max(one.line[-1, 0] for one in each)
    assert mean.line[-1, 0] <= end < mean.line[-1, 0] + 0.05
    whole = np.concatenate([mean.line, mean.extension[1:]])
    np.testing.assert_array_equal(whole[:, 0], mean.x[: len(whole)])
    np.testing.assert_array_equal(whole[:, 1], mean.y[: len(whole)])
    if kind == "pr":
        # What no class finds has no precision, and the average counts it as 0.
        assert not len(mean.extension)
        assert not mean.y[len(whole) :].any()
    else:
        assert len(whole) == len(mean.x)
        assert tuple(mean.extension[0]) == tuple(mean.line[-1])


def test_a_curve_without_ties_by_hand() -> None:
    lists = of_entries(
        [(0, 0, 0.9, [1]), (2, 0, 0.8, [0]), (1, 0, 0.7, [1]), (0, 0, 0.6, [0])], [2, 1, 0, 0]
    )
    precision, froc, afroc = (made(lists, kind)[0] for kind in ("pr", "froc", "afroc"))
    assert precision.line == pytest.approx(
        np.array([[0, 1], [1 / 3, 1], [1 / 3, 2 / 3], [2 / 3, 2 / 3]])
    )
    assert froc.line == pytest.approx(
        np.array([[0, 0], [0, 1 / 3], [1 / 4, 1 / 3], [1 / 4, 2 / 3], [1 / 2, 2 / 3]])
    )
    assert afroc.line == pytest.approx(
        np.array([[0, 0], [0, 1 / 3], [1 / 2, 1 / 3], [1 / 2, 2 / 3]])
    )
    assert afroc.extension.tolist() == [[0.5, 2 / 3], [1.0, 1.0]]
    assert (froc.n, froc.n_objects, froc.n_without) == (4, 3, 2)


def test_averages_of_curves_are_averages_of_heights() -> None:
    lists = ranked_scene(24, thresholds=1)
    both = [
        made(replace(lists, n_references=lists.n_references), "pr", ("macro",))[0],
        *(made(one_class(lists, which), "pr")[0] for which in range(2)),
    ]
    assert both[0].y == pytest.approx((both[1].y + both[2].y) / 2)
    assert both[0].label == "mean of the classes"
    seen = len(both[0].line)
    assert np.array_equal(both[0].line, np.column_stack([both[0].x, both[0].y])[:seen])
    # No class has a detection beyond.
    assert both[0].y[seen - 1] > 0
    assert not both[0].y[seen:].any()


def one_class(lists: hw.MatchLists, which: int) -> hw.MatchLists:
    """The detections and objects of one class."""
    kept = lists.category == which
    return replace(
        lists,
        classes=lists.classes[which : which + 1],
        image=lists.image[kept],
        category=np.zeros(kept.sum(), np.intp),
        score=np.asarray(lists.score)[kept],
        detection=lists.detection[kept],
        outcome=lists.outcome[:, kept],
        reference=lists.reference[:, kept],
        similarity=lists.similarity[:, kept],
        n_references=lists.n_references[:, which : which + 1],
    )


# --------------------------------------------------------------------------- bands


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_and_numpy_make_the_same_bands(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = ranked_scene(25, thresholds=1, ties=True)
    averages = ("macro", "micro", "none")
    fast = made(lists, kind, averages)
    monkeypatch.setattr(native, "available", lambda: False)
    for one, other in zip(fast, made(lists, kind, averages), strict=True):
        for ends in ("y", "low", "high", "line"):
            np.testing.assert_allclose(getattr(one, ends), getattr(other, ends), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_simultaneous_bands_hold_pointwise_ones(kind: Any) -> None:
    lists = ranked_scene(26, thresholds=1)
    pointwise, whole = (made(lists, kind, band=band)[0] for band in ("pointwise", "simultaneous"))
    wider = (whole.low <= pointwise.low + 1e-12) & (whole.high >= pointwise.high - 1e-12)
    assert wider.mean() > 0.95
    assert (whole.high - whole.low).mean() > (pointwise.high - pointwise.low).mean()


def test_a_point_has_the_interval_of_its_metric() -> None:
    lists = ranked_scene(27, classes=1, thresholds=1)
    (curve,) = made(lists, "froc")
    functional = functional_of(lists, "sensitivity_at_fppi", fppi=1.0)
    records, design = arrange(functional.records(lists), None, None, paired=True)
    (one,) = estimate_jobs(
        [Job(functional, Records(records, design, lists.n_images))],
        asked("dirichlet", 199, 3),
    )
    assert curve.points[3, 2:].tolist() == pytest.approx([one.low, one.high], abs=1e-12)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_share_of_curves_within_a_simultaneous_band(confidence: float) -> None:
    drawn = np.cumsum(np.random.default_rng(1).normal(size=(30, 999)), axis=0)
    drawn[:, 5] = np.nan
    low, high = simultaneous(drawn, drawn, confidence)
    kept = np.delete(drawn, 5, axis=1).T
    inside = ((kept >= low) & (kept <= high)).all(axis=1).mean()
    assert confidence <= inside < confidence + 0.03
    # One order statistic less on either side holds too few.
    ascending = np.sort(kept, axis=0)
    place = int((ascending[:, 0] < low[0]).sum())
    closer = (ascending[place + 1], ascending[-place - 2])
    assert ((kept >= closer[0]) & (kept <= closer[1])).all(axis=1).mean() < confidence


def test_either_end_of_a_simultaneous_band_has_draws_of_its_own() -> None:
    """A curve lies within it where its heights for both ends do, each above or below its end."""
    generator = np.random.default_rng(2)
    lower = np.cumsum(generator.normal(size=(20, 999)), axis=0)
    upper = lower + generator.random((20, 999))
    low, high = simultaneous(lower, upper, 0.9)
    within = (lower.T - low >= 0) & (upper.T - high <= 0)
    inside = within.all(axis=1).mean()
    assert 0.9 <= inside < 0.93
    # Of one level: as many heights lie below the lower end as above the upper one.
    below, above = (lower.T - low < 0).sum(axis=0), (upper.T - high > 0).sum(axis=0)
    assert below.tolist() == above.tolist()


def test_few_clusters_have_no_bands_of_averages() -> None:
    """Bootstraps of so few do not hold; Dirichlet weights of a single class do."""
    lists = ranked_scene(28, thresholds=1)
    groups = np.arange(lists.n_images) // 5
    mean, single = made(lists, "pr", ("macro", "none"), groups=groups)
    assert np.isnan(mean.low).all()
    assert not np.isnan(mean.y).any()
    assert not np.isnan(single.low).any()


def test_precision_without_an_error_may_still_be_lower() -> None:
    """What is right in every resample is no certainty."""
    lists = of_entries([(i, 0, 1 - i / 50, [1]) for i in range(20)], np.ones(25, int))
    precision, sensitivity = (made(lists, kind)[0] for kind in ("pr", "froc"))
    assert precision.y[40] == 1
    assert 0.5 < precision.low[40] < 0.999
    assert 0.5 < sensitivity.low[-1] < sensitivity.y[-1] < sensitivity.high[-1] < 1


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_find_has_no_curve(kind: Any) -> None:
    lists = of_entries([(0, 0, 0.5, [0]), (1, 0, 0.4, [0])], [0, 0, 0])
    (curve,) = made(lists, kind)
    assert np.isnan([curve.y, curve.low, curve.high]).all()
    assert not len(curve.line)


def test_curves_are_of_one_threshold() -> None:
    with pytest.raises(hw.OptionError, match=r"one threshold of localisation, not 2"):
        curves_of_jobs(
            "pr",
            [],
            MatchingRule(thresholds=(0.5, 0.75)),
            asked("auto", 9, 1),
        )


def test_long_froc_lines_are_thinned_over_their_whole_length() -> None:
    rng = np.random.default_rng(2)
    entries = [(i % 50, 0, score, [0]) for i, score in enumerate(rng.random(6000))]
    entries += [(i, 0, score, [1]) for i, score in enumerate(rng.random(50))]
    lists = of_entries(entries, np.ones(50, int))
    (curve,) = made(lists, "froc")
    assert len(curve.line) <= 4000
    assert curve.line[-1, 0] == pytest.approx(120)
    assert np.abs(np.interp(16, *curve.line.T) - curve.y[-1]) < 0.02
    assert curve.x[-1] == 16
