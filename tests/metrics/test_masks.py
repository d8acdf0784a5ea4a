"""Metrics of masks: empty masks, small and full ones, bad input, and what is left untouched."""

from __future__ import annotations

import itertools
import math
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth import DataError, OptionError, metrics
from halfwidth.core.spec import spec_of
from halfwidth.core.undefined import Status
from halfwidth.metrics import MaskPair

Mask = NDArray[np.bool_]
Of = Callable[..., float]
NAN, INF = math.nan, math.inf

# What a metric is where nothing was predicted, and where the reference is empty.
EMPTY: dict[str, tuple[Of, float, float]] = {
    "dsc": (metrics.dsc, 0, 0),
    "iou": (metrics.iou, 0, 0),
    "f_beta": (metrics.overlap.f_beta, 0, 0),
    "f_beta 2": (partial(metrics.overlap.f_beta, beta=2), 0, 0),
    "f_beta 0.5": (partial(metrics.overlap.f_beta, beta=0.5), 0, 0),
    "sensitivity": (metrics.overlap.sensitivity, 0, NAN),
    "specificity": (metrics.overlap.specificity, 1, 0.5),
    "ppv": (metrics.overlap.ppv, NAN, 0),
    "cldice": (metrics.cldice, 0, 0),
    "hd": (metrics.hd, INF, INF),
    "hd pooled": (partial(metrics.hd, definition="pooled"), INF, INF),
    "hd surface": (partial(metrics.hd, definition="surface"), INF, INF),
    "hd median": (partial(metrics.hd, percentile=50), INF, INF),
    "hd95": (metrics.hd95, INF, INF),
    "hd95 pooled": (partial(metrics.hd95, definition="pooled"), INF, INF),
    "hd95 surface": (partial(metrics.hd95, definition="surface"), INF, INF),
    "assd": (metrics.assd, INF, INF),
    "assd surface": (partial(metrics.assd, definition="surface"), INF, INF),
    "masd": (metrics.masd, INF, INF),
    "masd surface": (partial(metrics.masd, definition="surface"), INF, INF),
    "nsd": (partial(metrics.nsd, tolerance=0), 0, 0),
    "nsd wide": (partial(metrics.nsd, tolerance=1e6), 0, 0),
    "nsd surface": (partial(metrics.nsd, tolerance=1e6, definition="surface"), 0, 0),
    "boundary_iou": (partial(metrics.boundary_iou, distance=1e6), 0, 0),
    "cheng": (partial(metrics.boundary_iou, definition="cheng"), 0, 0),
    # Half of an image of 24 voxels, 2 × 0.5 (× 3) mm each.
    "absolute_volume_error": (metrics.absolute_volume_error, 12, 12),
    "relative_volume_error": (metrics.relative_volume_error, -1, INF),
    "symmetric_volume_error": (metrics.symmetric_volume_error, -2, 2),
}
# Where both masks are empty the others are 0/0, or rest on boundaries that are not there.
OF_NOTHING = {"specificity": 1.0, "absolute_volume_error": 0.0}
UNSPACED = {
    "dsc": metrics.dsc,
    "iou": metrics.iou,
    "f_beta": metrics.overlap.f_beta,
    "sensitivity": metrics.overlap.sensitivity,
    "specificity": metrics.overlap.specificity,
    "ppv": metrics.overlap.ppv,
    "cldice": metrics.cldice,
    "relative_volume_error": metrics.relative_volume_error,
    "symmetric_volume_error": metrics.symmetric_volume_error,
}
SPACED: dict[str, Of] = {
    "hd": metrics.hd,
    "hd95": metrics.hd95,
    "assd": metrics.assd,
    "masd": metrics.masd,
    "nsd": partial(metrics.nsd, tolerance=1),
    "boundary_iou": partial(metrics.boundary_iou, distance=1),
    "absolute_volume_error": metrics.absolute_volume_error,
}
EVERY = UNSPACED | SPACED

SOME = np.zeros((4, 5), bool)
SOME[1:3, 1:4] = True


def same(found: float, wanted: float) -> bool:
    return found == wanted or (math.isnan(found) and math.isnan(wanted))


def half_full(dimensions: int) -> tuple[Mask, Mask, tuple[float, ...]]:
    """A mask, an empty one, and a spacing."""
    shape, spacing = [((4, 6), (2.0, 0.5)), ((4, 3, 2), (2.0, 0.5, 1.0))][dimensions - 2]
    mask = np.zeros(shape, bool)
    mask[:2] = True
    return mask, np.zeros(shape, bool), spacing


# --------------------------------------------------------------------------- empty masks


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("name", EMPTY)
def test_empty_masks(name: str, dimensions: int) -> None:
    metric, missed, spurious = EMPTY[name]
    some, none, spacing = half_full(dimensions)
    nothing = OF_NOTHING.get(name, NAN)
    for a, b, wanted in ((none, some, missed), (some, none, spurious), (none, none, nothing)):
        found = metric(MaskPair.of(a, b, spacing))
        assert same(found, float(wanted)), f"{found} for {wanted}"
        assert type(found) is float
        if name.partition(" ")[0] in UNSPACED:
            assert same(metric(a, b), wanted)
        else:
            assert same(metric(a, b, spacing=spacing), wanted)


def test_no_metric_is_left_out_above() -> None:
    functions = {getattr(metric, "func", metric) for metric, _, _ in EMPTY.values()}
    declared = {
        function
        for module in (metrics.overlap, metrics.boundary, metrics.boundary_overlap, metrics.volume)
        for function in vars(module).values()
        if spec_of(function) is not None and function.__module__ == module.__name__
    }
    assert functions == declared


def test_a_spec_says_whether_a_metric_has_a_value_of_two_empty_masks() -> None:
    declared = {spec.name for spec in hw.METRICS if spec.of_nothing}
    assert declared == set(OF_NOTHING)


def test_metrics_of_counts_are_their_formulas_wherever_these_have_a_value() -> None:
    # Every pair of masks of three voxels; 0/0, and a share of no reference, are not numbers.
    def ratio(part: float, whole: float) -> float:
        return part / whole if whole else NAN

    for bits in itertools.product([False, True], repeat=6):
        a, b = np.array(bits).reshape(2, 1, 3)
        tp, fn, fp, tn = (int((x & y).sum()) for x, y in ((a, b), (~a, b), (a, ~b), (~a, ~b)))
        wanted = {
            "dsc": ratio(2 * tp, 2 * tp + fn + fp),
            "iou": ratio(tp, tp + fn + fp),
            "f_beta 2": ratio(5 * tp, 5 * tp + 4 * fn + fp),
            "sensitivity": ratio(tp, tp + fn),
            "specificity": ratio(tn, tn + fp),
            "ppv": ratio(tp, tp + fp),
            "absolute_volume_error": 2.0 * abs(fp - fn),
            "relative_volume_error": ratio(fp - fn, tp + fn) if tp + fn or not fp else INF,
            "symmetric_volume_error": ratio(2 * (fp - fn), 2 * tp + fn + fp),
        }
        pair = MaskPair.of(a, b, (2, 1))
        found = {name: EMPTY[name][0](pair) for name in wanted}
        assert found == pytest.approx(wanted, rel=1e-15, nan_ok=True)


def test_presence_says_which_mask_is_empty() -> None:
    some, none, _ = half_full(3)
    found = [MaskPair.of(a, b).presence for a in (some, none) for b in (some, none)]
    assert found == [Status.OK, Status.SPURIOUS, Status.MISSED, Status.NOT_APPLICABLE]


def test_empty_masks_of_a_single_slice() -> None:
    none = np.zeros((1, 4, 5), bool)
    pair = MaskPair.of(none, none, (3, 1, 1))
    assert pair.counts == (0, 0, 0, 20)
    assert pair.prediction.ndim == 2
    assert math.isnan(metrics.hd95(pair))
    assert metrics.hd95(none, SOME[None], spacing=1) == INF
    assert metrics.absolute_volume_error(none, SOME[None], spacing=(3, 1, 1)) == 18


def test_specificity_without_background_is_undefined() -> None:
    full = np.ones((3, 4), bool)
    assert math.isnan(metrics.overlap.specificity(full, full))
    assert math.isnan(metrics.overlap.specificity(np.zeros((3, 4), bool), full))


# --------------------------------------------------------------------------- small and full masks


@pytest.mark.parametrize("shape", [(1, 1), (1, 1, 1), (3, 4), (3, 4, 5), (1, 6)])
def test_full_arrays_and_single_voxels_are_equal_to_themselves(shape: tuple[int, ...]) -> None:
    full = np.ones(shape, bool)
    voxel = np.zeros(shape, bool)
    voxel[(0,) * len(shape)] = True
    for mask in (full, voxel):
        pair = MaskPair.of(mask, mask, 0.7)
        for definition in ("max", "pooled", "surface"):
            assert metrics.hd(pair, definition=definition) == 0
        for both in ("voxels", "surface"):
            assert metrics.assd(pair, definition=both) == 0
            assert metrics.masd(pair, definition=both) == 0
            assert metrics.nsd(pair, tolerance=0, definition=both) == 1
        assert metrics.boundary_iou(pair, distance=0.1) == 1
        assert metrics.boundary_iou(pair, definition="cheng") == 1
        assert metrics.dsc(pair) == metrics.iou(pair) == 1
        assert metrics.absolute_volume_error(pair) == 0


def test_a_voxel_against_another() -> None:
    a, b = np.zeros((2, 9, 9, 9), bool)
    a[0, 0, 0] = b[8, 0, 6] = True
    pair = MaskPair.of(a, b, (0.5, 1, 0.5))
    for metric in (metrics.hd, metrics.hd95, metrics.assd, metrics.masd):
        assert metric(pair) == 5
    assert metrics.nsd(pair, tolerance=5) == 1
    assert metrics.nsd(pair, tolerance=4.99) == 0
    assert metrics.dsc(pair) == 0


def test_a_voxel_in_a_full_volume() -> None:
    full, voxel = np.ones((2, 7, 7, 7), bool)
    voxel[:] = False
    voxel[3, 3, 3] = True
    pair = MaskPair.of(full, voxel, 1)
    assert metrics.hd(pair) == math.sqrt(27)
    # The boundary of the full volume is at its border, three voxels from the centre.
    assert float(pair.distances[1].item()) == 3
    assert metrics.masd(pair) == pytest.approx((pair.distances[0].mean() + 3) / 2)
    assert metrics.relative_volume_error(pair) == 342
    assert metrics.relative_volume_error(voxel, full) == -342 / 343
    assert metrics.overlap.ppv(pair) == 1 / 343
    assert metrics.overlap.sensitivity(pair) == 1


def test_counts_are_those_of_the_whole_image() -> None:
    a, b = np.zeros((2, 10, 20, 30), bool)
    a[4:6, 4:6, 4:6] = True
    b[5:7, 4:6, 4:6] = True
    pair = MaskPair.of(a, b)
    assert pair.counts == (4, 4, 4, 5988)
    assert pair.prediction.shape == pair.reference.shape == (3, 2, 2)
    assert pair.shape == (10, 20, 30)
    assert metrics.overlap.specificity(pair) == 5988 / 5992
    assert metrics.overlap.f_beta(pair, beta=3) == 0.5
    # Of a crop, counts are told by the image that it was cut from.
    whole = (slice(3, 8),) * 3
    cut = MaskPair.from_crops(a[whole], b[whole], None, a.shape)
    assert cut.counts == pair.counts


def test_f_beta_weighs_sensitivity() -> None:
    # Everything is found, and as much beside it.
    a, b = np.ones((2, 2), bool), np.array([[1, 1], [0, 0]])
    assert metrics.overlap.f_beta(a, b, beta=2) == pytest.approx(5 * 0.5 / (4 * 0.5 + 1))
    assert metrics.overlap.f_beta(b, a, beta=2) == pytest.approx(5 * 0.5 / (4 + 0.5))


def test_volumes_are_in_cubic_millimetres() -> None:
    a, b = np.zeros((2, 3, 4, 5), bool)
    a[0], b[0, 0] = True, True
    assert metrics.absolute_volume_error(a, b, spacing=(2, 0.5, 3)) == 15 * 3
    assert metrics.absolute_volume_error(b, a, spacing=(2, 0.5, 3)) == 15 * 3
    assert metrics.absolute_volume_error(a, b, spacing=2) == 15 * 8
    assert metrics.absolute_volume_error(a[0], b[0], spacing=(2, 0.5)) == 15
    assert metrics.relative_volume_error(a, b) == 3
    assert metrics.symmetric_volume_error(a, b) == 30 / 25


def test_hd95_interpolates_between_distances() -> None:
    # 20 voxels of a line at 0, and one at 7 mm: their percentile 95 is the twentieth distance.
    a, b = np.zeros((2, 1, 40), bool)
    b[0, :20] = a[0, :20] = a[0, 26] = True
    assert metrics.hd(a, b, spacing=1) == 7
    assert metrics.hd95(a, b, spacing=1) == pytest.approx(0)
    assert metrics.hd(a, b, percentile=97.5, spacing=1) == pytest.approx(3.5)
    # 41 distances in all, 40 of which are 0.
    assert metrics.hd(a, b, percentile=97.5, definition="pooled", spacing=1) == pytest.approx(0)
    assert metrics.hd(a, b, percentile=98.75, definition="pooled", spacing=1) == pytest.approx(3.5)


@pytest.mark.parametrize("percentile", [25, 50, 75, 80, 95])
def test_a_share_of_a_surface_that_is_just_covered_is_covered(percentile: float) -> None:
    # Of 20 single voxels so many are in both masks. Lengths of 2.5 mm add up without rounding.
    a, b = np.zeros((2, 3, 84), bool)
    a[1, 1:81:4] = b[1, 1 : 1 + 4 * int(20 * percentile / 100) : 4] = True
    of: Any = partial(metrics.hd, a, b, definition="surface", spacing=(3, 4))
    assert of(percentile=percentile) == 0
    assert of(percentile=percentile + 0.01) == 12


def test_the_picture_may_be_a_line() -> None:
    a, b = np.zeros((2, 1, 9), bool)
    a[0, 2:5] = b[0, 4:8] = True
    # Of a line, as of an image with one slice that holds it, every voxel is at the boundary.
    for masks in ((a, b), (a.T, b.T), (a[None], b[None]), (a[:, :, None], b[:, :, None])):
        pair = MaskPair.of(*masks, 2)
        assert pair.counts == (1, 3, 2, 3)
        assert metrics.hd(pair) == 6
        assert metrics.assd(pair) == pytest.approx((4 + 2 + 2 + 4 + 6) / 7)
        assert metrics.nsd(pair, tolerance=2) == pytest.approx(4 / 7)


# --------------------------------------------------------------------------- bad masks


@pytest.mark.parametrize("which", ["prediction", "reference"])
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (SOME[0], r"shape \(5,\).*2 or 3 axes"),
        (SOME[None, None], r"shape \(1, 1, 4, 5\).*one case"),
        (np.array(1), r"shape \(\)"),
        (np.zeros((0, 5), bool), r"\(0, 5\)"),
        (np.zeros((4, 0, 5)), r"\(4, 0, 5\)"),
        (SOME * 2, r"2.*label map pick one label: {} == 1"),
        (SOME * np.uint8(255), r"255.*{} > 0"),
        (SOME * 0.5, r"0\.5.*probabilities take a threshold"),
        (SOME - 0.25, r"-0\.25"),
        (SOME * -1, "-1"),
        (np.where(SOME, 1.0, 0.5), "probabilities"),
        (np.where(SOME, 1 - 1e-7, 0).astype(np.float32), "probabilities"),
        (np.where(SOME, np.nan, 0.0), "[Nn]a[Nn]"),
        (np.where(SOME, 1.0, np.nan), "[Nn]a[Nn]"),
        (np.where(SOME, np.inf, 0), "inf"),
        (np.where(SOME, -np.inf, 0), "-inf"),
        (SOME.astype(str), "booleans"),
        (SOME.astype(object), "object"),
        (SOME.astype(complex), "complex"),
        (SOME.astype("datetime64[s]"), "datetime64"),
    ],
)
@pytest.mark.parametrize("metric", [metrics.dsc, metrics.iou, partial(metrics.hd95, spacing=1)])
def test_what_is_no_mask_is_an_error(metric: Of, bad: Any, said: str, which: str) -> None:
    masks = {"prediction": SOME, "reference": SOME} | {which: bad}
    with pytest.raises(DataError, match=f"(?s){which}.*{said.format(which)}"):
        metric(masks["prediction"], masks["reference"])


@pytest.mark.parametrize("metric", EVERY.values(), ids=EVERY)
def test_every_metric_checks_its_masks(metric: Of) -> None:
    spaced = {} if metric in UNSPACED.values() else {"spacing": 1}
    with pytest.raises(DataError, match=r"\(4, 5\).*\(3, 5\).*same shape"):
        metric(SOME, SOME[:3], **spaced)
    with pytest.raises(DataError, match=r"\(4, 5\).*\(1, 4, 5\)"):
        metric(SOME, SOME[None], **spaced)
    with pytest.raises(DataError, match="label map"):
        metric(SOME * 3, SOME, **spaced)
    with pytest.raises(OptionError, match="compares two"):
        metric(SOME, **spaced)


@pytest.mark.parametrize("metric", EVERY.values(), ids=EVERY)
def test_a_pair_stands_for_both_masks_and_the_spacing(metric: Of) -> None:
    pair = MaskPair.of(SOME, SOME, 1)
    assert metric(pair) in (0, 1) or metric is metrics.cldice
    with pytest.raises(OptionError, match="MaskPair holds both masks"):
        metric(pair, SOME)
    if metric not in UNSPACED.values():
        with pytest.raises(OptionError, match="MaskPair holds both masks"):
            metric(pair, spacing=1)


# --------------------------------------------------------------------------- bad spacing


@pytest.mark.parametrize(
    "spacing",
    [
        (1, 1, 1),
        (1,),
        (),
        0,
        -1,
        (1, 0),
        (1, -0.5),
        math.nan,
        (1, math.nan),
        math.inf,
        "wide",
        ("a", "b"),
        (1, None),
        {},
        1j,
        [[1, 2], [3]],
        [[1, 2], [3, 4]],
    ],
    ids=str,
)
def test_bad_spacing_is_an_error(spacing: Any) -> None:
    with pytest.raises(OptionError, match="spacing="):
        MaskPair.of(SOME, SOME, spacing)
    for metric in SPACED.values():
        with pytest.raises(OptionError, match="spacing="):
            metric(SOME, SOME, spacing=spacing)
        with pytest.raises(OptionError, match="spacing="):
            metric(SOME, ~SOME & ~SOME, spacing=spacing)


def test_spacing_has_a_number_for_each_axis_of_the_image() -> None:
    with pytest.raises(OptionError, match=r"\(1, 2\).*each of the 3 axes"):
        metrics.hd95(SOME[None], SOME[None], spacing=(1, 2))


@pytest.mark.parametrize("spacing", [2, 2.0, (2, 2), [2.0, 2], np.array([2, 2]), np.float32(2)])
def test_spacing_may_be_one_number_or_one_for_each_axis(spacing: Any) -> None:
    assert MaskPair.of(SOME, SOME, spacing).spacing == (2.0, 2.0)
    assert metrics.hd(SOME, np.roll(SOME, 1, axis=0), spacing=spacing) == 2


@pytest.mark.parametrize("metric", SPACED.values(), ids=SPACED)
def test_a_metric_in_mm_needs_the_spacing(metric: Of) -> None:
    with pytest.raises(OptionError, match=r"need.* spacing.*spacing=1"):
        metric(SOME, SOME)
    with pytest.raises(OptionError, match=r"need.* spacing.*spacing=1"):
        metric(MaskPair.of(SOME, SOME))


@pytest.mark.parametrize("metric", UNSPACED.values(), ids=UNSPACED)
def test_a_metric_without_unit_needs_no_spacing(metric: Of) -> None:
    assert same(metric(SOME, SOME), metric(MaskPair.of(SOME, SOME)))
    assert metrics.boundary_iou(SOME, SOME, definition="cheng") == 1


# --------------------------------------------------------------------------- bad parameters


@pytest.mark.parametrize(
    ("metric", "given", "said"),
    [
        (metrics.hd, {"percentile": 0}, "percentile=0 is not above 0 and at most 100"),
        (metrics.hd, {"percentile": 100.5}, r"percentile=100\.5 is not .*at most 100"),
        (metrics.hd, {"percentile": math.nan}, "percentile=nan"),
        (metrics.hd, {"percentile": None}, "percentile=None"),
        (metrics.hd, {"definition": "voxels"}, "definition=voxels is not max or pooled or surface"),
        (metrics.hd, {"definition": None}, "definition=None is not max"),
        (metrics.hd95, {"definition": "Max"}, "definition=Max is not max or pooled or surface"),
        (metrics.assd, {"definition": "max"}, "definition=max is not voxels or surface"),
        (metrics.masd, {"definition": 7}, "definition=7 is not voxels or surface"),
        (metrics.nsd, {"tolerance": -0.1}, r"tolerance=-0\.1 is not at least 0"),
        (metrics.nsd, {"tolerance": math.nan}, "tolerance=nan"),
        (metrics.nsd, {"tolerance": None}, "tolerance=None"),
        (metrics.nsd, {"tolerance": "thin"}, "tolerance=thin"),
        (metrics.nsd, {"tolerance": 1, "definition": "area"}, "definition=area is not voxels or"),
        (metrics.boundary_iou, {}, "boundary_iou needs distance"),
        (metrics.boundary_iou, {"distance": 0}, "distance=0 is not above 0"),
        (metrics.boundary_iou, {"distance": -1}, "distance=-1 is not above 0"),
        (metrics.boundary_iou, {"distance": math.nan}, "distance=nan"),
        (metrics.boundary_iou, {"distance": 1.5, "definition": "cheng"}, "no whole number"),
        (metrics.boundary_iou, {"definition": "chen"}, "definition=chen is not band or cheng"),
    ],
)
def test_bad_parameters_are_errors(metric: Of, given: dict[str, Any], said: str) -> None:
    for reference in (SOME, np.zeros_like(SOME)):
        with pytest.raises(OptionError, match=said):
            metric(SOME, reference, spacing=1, **given)
        with pytest.raises(OptionError, match=said):
            metric(MaskPair.of(SOME, reference, 1), **given)


@pytest.mark.parametrize("beta", [0, -1, math.nan, None, "much"])
def test_beta_is_positive(beta: Any) -> None:
    with pytest.raises(OptionError, match=f"f_beta: beta={beta} is not above 0"):
        metrics.overlap.f_beta(SOME, SOME, beta=beta)


def test_the_tolerance_is_never_left_out() -> None:
    nsd: Any = metrics.nsd
    with pytest.raises(TypeError, match="tolerance"):
        nsd(SOME, SOME, spacing=1)


# --------------------------------------------------------------------------- what is given


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int16, float])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_left_as_they_are(dtype: type, order: Any) -> None:
    rng = np.random.default_rng(1)
    masks: list[Any] = [
        np.asarray(rng.random((6, 7, 5)) < 0.6).astype(dtype, order=order) for _ in range(2)
    ]
    before = [mask.copy() for mask in masks]
    for mask in masks:
        mask.flags.writeable = False
    for metric, _, _ in EMPTY.values():
        metric(MaskPair.of(masks[0], masks[1], (1, 2, 3)))
    pair = MaskPair.of(masks[0], masks[1], 1)
    for metric, _, _ in EMPTY.values():
        metric(pair)
    for mask, copy in zip(masks, before, strict=True):
        np.testing.assert_array_equal(mask, copy)


@pytest.mark.parametrize("order", ["C", "F"])
def test_large_volumes_are_not_copied(order: Any) -> None:
    masks: list[Any] = [np.zeros((156, 512, 512), np.uint8, order=order) for _ in range(2)]
    masks[0][70:80, 200:230, 210:220] = masks[1][71:81, 203:233, 208:222] = 1
    part = (slice(65, 85), slice(195, 240), slice(200, 230))
    # Whatever is imported at first use is.
    wanted = {
        name: metric(MaskPair.of(masks[0][part], masks[1][part], 1))
        for name, metric in SPACED.items()
    }
    tracemalloc.start()
    try:
        pair = MaskPair.of(masks[0], masks[1], 1)
        found = {name: metric(pair) for name, metric in SPACED.items()}
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == wanted
    assert pair.counts.tn == masks[0].size - sum(pair.counts[:3])
    assert peak < 1.2 * masks[0].nbytes


def test_a_pair_holds_what_it_computed() -> None:
    pair = MaskPair.of(SOME, np.roll(SOME, 1), 1)
    metrics.hd95(pair)
    for name in ("counts", "boundaries", "distances"):
        assert getattr(pair, name) is getattr(pair, name)
    assert "surfaces" not in vars(pair)
    metrics.nsd(pair, tolerance=1, definition="surface")
    assert pair.surfaces is pair.surfaces


# --------------------------------------------------------------------------- found by trying


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_line_may_lie_along_any_axis(axis: int) -> None:
    shape = [1, 1, 1]
    shape[axis] = 9
    a, b = np.zeros((2, *shape), bool)
    a.flat[2:5] = b.flat[4:8] = True
    pair = MaskPair.of(a, b, 2)
    assert pair.counts == (1, 3, 2, 3)
    assert metrics.hd(pair) == 6
    assert metrics.absolute_volume_error(pair) == 8


@pytest.mark.parametrize("step", [0.3, 0.7, 0.98, 1.0, 2.5])
@pytest.mark.parametrize("q", [50, 80, 90, 95])
def test_a_surface_of_which_just_that_share_is_near_is_near(step: float, q: int) -> None:
    a, b = np.zeros((2, 3, 84), bool)
    a[1, 1:81:4] = True
    b[1, 1 : 1 + 4 * (20 * q // 100) : 4] = True
    for turn in (slice(None), slice(None, None, -1)):
        hd = metrics.hd(a[:, turn], b[:, turn], percentile=q, definition="surface", spacing=step)
        assert hd == 0


@pytest.mark.parametrize("metric", SPACED.values(), ids=SPACED)
def test_spacing_is_needed_whatever_is_empty(metric: Of) -> None:
    none = np.zeros_like(SOME)
    for masks in ((SOME, none), (none, SOME), (none, none)):
        with pytest.raises(OptionError, match=r"need.* spacing"):
            metric(*masks)


def test_a_pair_keeps_what_it_was_made_of() -> None:
    given = np.ones((4, 4), bool)
    other = given.copy()
    other[0, 0] = False
    pair = MaskPair.of(given, other, 1)
    given[:] = False
    assert metrics.dsc(pair) == 30 / 31


@pytest.mark.parametrize("spacing", [True, "1", ["1", "2"], [[1, 2]], [1, [2]]])
def test_a_spacing_is_made_of_numbers(spacing: Any) -> None:
    with pytest.raises(OptionError, match="neither a number of mm per voxel"):
        metrics.hd(SOME, SOME, spacing=spacing)


def test_rows_of_unlike_length_are_no_mask() -> None:
    with pytest.raises(DataError, match="rows differ in length"):
        metrics.dsc([[1, 0], [1]], [[1, 0], [1, 1]])


def test_skeletons_need_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skimage.morphology", None)
    with pytest.raises(OptionError, match=r"scikit-image.*halfwidth\[images\]"):
        metrics.cldice(SOME, SOME)


def blob(shift: int = 0) -> NDArray[np.bool_]:
    mask = np.zeros((40, 44), dtype=bool)
    mask[8:28, 6 + shift : 36 + shift] = True
    return mask


def of_other_bytes(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The same booleans, true ones as bytes of 255."""
    return (mask * np.uint8(255)).view(bool)


OF_MASKS: dict[str, Any] = {
    spec.name: spec.function for spec in hw.METRICS if spec.takes == "two masks of a case"
}


@pytest.mark.parametrize("name", OF_MASKS)
def test_bytes_of_booleans_do_not_matter(name: str) -> None:
    given: dict[str, Any] = {"spacing": 1} if hw.METRICS[name].spaced else {}
    own: dict[str, dict[str, Any]] = {
        "nsd": {"tolerance": 1},
        "boundary_iou": {"definition": "cheng"},
    }
    given |= own.get(name, {})
    wanted = OF_MASKS[name](blob(2), blob(), **given)
    assert OF_MASKS[name](of_other_bytes(blob(2)), of_other_bytes(blob()), **given) == wanted
    assert OF_MASKS[name](of_other_bytes(blob(2)), blob(), **given) == wanted


def test_single_precision_means_the_decimal_it_shows() -> None:
    given: dict[str, Any] = {"tolerance": 1.2, "spacing": np.float32(1.2)}
    assert metrics.nsd(np.roll(blob(), 1, axis=0), blob(), **given) == 1
    steps = np.array([1.2, 0.7], dtype=np.float32)
    assert metrics.MaskPair.of(blob(), blob(), steps).spacing == (1.2, 0.7)
