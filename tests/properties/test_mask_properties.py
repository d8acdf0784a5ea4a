"""What holds of metrics of any two masks, whatever their values are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from support import examples

import halfwidth as hw
from halfwidth import metrics
from halfwidth.core.spec import Takes
from halfwidth.metrics import MaskPair

QUICK = examples(40)
Mask = NDArray[np.bool_]
Of = Callable[..., float]

COUNTED: dict[str, Of] = {
    "dsc": metrics.dsc,
    "iou": metrics.iou,
    "f2": partial(metrics.overlap.f_beta, beta=2),
    "sensitivity": metrics.overlap.sensitivity,
    "specificity": metrics.overlap.specificity,
    "ppv": metrics.overlap.ppv,
    "relative_volume_error": metrics.relative_volume_error,
    "symmetric_volume_error": metrics.symmetric_volume_error,
}
DISTANCES: dict[str, Of] = {
    "hd": metrics.hd,
    "hd at 60": partial(metrics.hd, percentile=60),
    "hd surface": partial(metrics.hd, definition="surface"),
    "hd95": metrics.hd95,
    "hd95 pooled": partial(metrics.hd95, definition="pooled"),
    "assd": metrics.assd,
    "assd surface": partial(metrics.assd, definition="surface"),
    "masd": metrics.masd,
    "masd surface": partial(metrics.masd, definition="surface"),
}


def within(scale: float) -> dict[str, Of]:
    """Metrics with a limit in mm, at a few limits."""
    limits = [scale * limit for limit in (0.3, 0.7, 1.4, 2.5, 3.0)]
    found: dict[str, Of] = {}
    for limit in limits:
        found[f"nsd {limit / scale:g}"] = partial(metrics.nsd, tolerance=limit)
        found[f"nsd surface {limit / scale:g}"] = partial(
            metrics.nsd, tolerance=limit, definition="surface"
        )
        found[f"boundary_iou {limit / scale:g}"] = partial(metrics.boundary_iou, distance=limit)
    return found


SPACED = DISTANCES | within(1.0)
CHENG: dict[str, Of] = {"cheng": partial(metrics.boundary_iou, definition="cheng")}
VOLUME: dict[str, Of] = {"absolute_volume_error": metrics.absolute_volume_error}
# One skeleton rather than 48, whose metric has tests of its own.
SKELETONS: dict[str, Of] = {"cldice": partial(metrics.cldice, definition="stored")}
EVERY = COUNTED | SPACED | CHENG | VOLUME | SKELETONS
SYMMETRIC = {"dsc", "iou"} | set(SPACED) | set(CHENG) | set(VOLUME)


class Drawn(NamedTuple):
    a: Mask
    b: Mask
    spacing: tuple[float, ...]

    @property
    def pair(self) -> MaskPair:
        return MaskPair.of(*self)


def values(of: Mapping[str, Of], a: Any, b: Any, spacing: Any) -> dict[str, float]:
    pair = MaskPair.of(a, b, spacing)
    return {name: metric(pair) for name, metric in of.items()}


def alike(values: Mapping[str, float]) -> Any:
    return pytest.approx(dict(values), rel=1e-9, abs=1e-12, nan_ok=True)


@st.composite
def drawn(draw: st.DrawFn, dimensions: int | None = None, thinnest: int = 2) -> Drawn:
    """Two masks that are not empty, noisy ones and boxes."""
    n_axes = dimensions or draw(st.integers(2, 3))
    shape = draw(st.tuples(*[st.integers(thinnest, 6 if n_axes == 2 else 5)] * n_axes))
    masks = []
    for _ in range(2):
        mask: NDArray[np.bool_] = draw(
            arrays(bool, shape, elements=st.booleans(), fill=st.just(False))
        )
        corners = [sorted(draw(st.tuples(*[st.integers(0, n - 1)] * 2))) for n in shape]
        mask[tuple(slice(low, high + 1) for low, high in corners)] |= draw(st.booleans())
        mask[tuple(low for low, _ in corners)] = True
        masks.append(mask)
    spacing = draw(st.tuples(*[st.sampled_from([0.3, 0.7, 1.0, 2.5, 5.0])] * n_axes))
    return Drawn(masks[0], masks[1], spacing)


# --------------------------------------------------------------------------- two masks


@QUICK
@given(drawn())
def test_masks_may_be_exchanged_where_a_metric_is_symmetric(case: Drawn) -> None:
    a, b, spacing = case
    one, other = values(EVERY, a, b, spacing), values(EVERY, b, a, spacing)
    assert {name: one[name] for name in SYMMETRIC} == alike(
        {name: other[name] for name in SYMMETRIC}
    )
    assert one["cldice"] == pytest.approx(other["cldice"], nan_ok=True)
    assert one["symmetric_volume_error"] == -other["symmetric_volume_error"]
    assert one["sensitivity"] == other["ppv"]
    assert one["f2"] == pytest.approx(metrics.overlap.f_beta(b, a, beta=0.5))


@QUICK
@given(drawn())
def test_a_mask_against_itself_is_perfect(case: Drawn) -> None:
    found = values(EVERY, case.a, case.a, case.spacing)
    if case.a.all():
        assert np.isnan(found.pop("specificity"))
    if np.isnan(found["cldice"]):
        found.pop("cldice")
    best = dict.fromkeys(found, 1.0) | dict.fromkeys(DISTANCES, 0.0)
    best |= {name: 0.0 for name in found if name.endswith("volume_error")}
    assert found == best


@QUICK
@given(drawn())
def test_masks_without_overlap_have_no_overlap(case: Drawn) -> None:
    a, b = case.a, case.b & ~case.a
    assume(b.any())
    pair = MaskPair.of(a, b, case.spacing)
    overlaps: list[Of] = [
        metrics.dsc,
        metrics.iou,
        metrics.overlap.f_beta,
        metrics.overlap.sensitivity,
        metrics.overlap.ppv,
        partial(metrics.nsd, tolerance=0),
        partial(metrics.boundary_iou, distance=1),
        CHENG["cheng"],
    ]
    assert [metric(pair) for metric in overlaps] == [0.0] * len(overlaps)
    assert metrics.hd(pair) >= min(case.spacing)


@QUICK
@given(drawn())
def test_values_are_floats_in_their_range(case: Drawn) -> None:
    found = values(EVERY, *case)
    for name, value in found.items():
        assert type(value) is float, name
        if name.endswith("volume_error"):
            low, high = {"a": (0.0, np.inf), "r": (-1.0, np.inf), "s": (-2.0, 2.0)}[name[0]]
        else:
            low, high = 0.0, (np.inf if name in DISTANCES else 1.0)
        # A skeleton may be empty, and there may be no background.
        undefined = np.isnan(value) and name in ("cldice", "specificity")
        assert undefined or low <= value <= high, name


# --------------------------------------------------------------------------- one and another metric


@QUICK
@given(drawn())
def test_overlap_metrics_hang_together(case: Drawn) -> None:
    pair = case.pair
    dsc = metrics.dsc(pair)
    assert metrics.iou(pair) == pytest.approx(dsc / (2 - dsc))
    assert metrics.overlap.f_beta(pair, beta=1) == pytest.approx(dsc, rel=1e-15)
    counts = pair.counts
    assert sum(counts) == case.a.size
    assert counts == (
        (case.a & case.b).sum(),
        (~case.a & case.b).sum(),
        (case.a & ~case.b).sum(),
        (~case.a & ~case.b).sum(),
    )


@QUICK
@given(drawn())
def test_hd_rises_with_its_percentile(case: Drawn) -> None:
    pair = case.pair
    for definition in ("max", "pooled", "surface"):
        of: Any = partial(metrics.hd, definition=definition)
        rising = [of(pair, percentile=q) for q in (0.1, 5, 33, 50, 80, 95, 99.9, 100)]
        assert all(a <= b * (1 + 1e-12) for a, b in pairwise(rising))
        assert rising[-3] == metrics.hd95(pair, definition=of.keywords["definition"])
        assert rising[-1] == of(pair)


@QUICK
@given(drawn())
def test_the_percentile_100_is_the_largest_distance(case: Drawn) -> None:
    pair = case.pair
    largest = max(directed.max() for directed in pair.distances)
    assert metrics.hd(pair) == metrics.hd(pair, definition="pooled") == largest
    surfaces = max(surface.distances.max() for surface in pair.surfaces)
    assert metrics.hd(pair, definition="surface") == surfaces


@QUICK
@given(drawn())
def test_assd_lies_between_the_directed_means(case: Drawn) -> None:
    pair = case.pair
    voxels = sorted(float(directed.mean()) for directed in pair.distances)
    surface = sorted(
        float(np.average(side.distances, weights=side.weights)) for side in pair.surfaces
    )
    for (low, high), definition in ((voxels, "voxels"), (surface, "surface")):
        assd = metrics.assd(pair, definition=definition)  # type: ignore[arg-type]
        masd = metrics.masd(pair, definition=definition)  # type: ignore[arg-type]
        assert low * (1 - 1e-12) <= assd <= high * (1 + 1e-12)
        assert masd == pytest.approx((low + high) / 2)


@QUICK
@given(drawn(), st.lists(st.floats(0, 12), min_size=2, max_size=8))
def test_nsd_never_falls_in_its_tolerance(case: Drawn, tolerances: list[float]) -> None:
    pair = case.pair
    for definition in ("voxels", "surface"):
        of: Any = partial(metrics.nsd, pair, definition=definition)
        rising = [of(tolerance=tolerance) for tolerance in sorted(tolerances)]
        assert all(a <= b * (1 + 1e-12) for a, b in pairwise(rising))
        assert of(tolerance=1e3) == 1
    assert metrics.nsd(pair, tolerance=metrics.hd(pair)) == 1


@QUICK
@given(drawn())
def test_a_band_as_wide_as_the_mask_is_the_mask(case: Drawn) -> None:
    assert metrics.boundary_iou(case.pair, distance=1e3) == metrics.iou(case.pair)


# --------------------------------------------------------------------------- where a mask lies


@QUICK
@given(drawn(), st.data())
def test_background_round_the_masks_changes_nothing(case: Drawn, data: st.DataObject) -> None:
    a, b, spacing = case
    widths = data.draw(st.tuples(*[st.tuples(st.integers(0, 4), st.integers(0, 4))] * a.ndim))
    # Specificity counts the background.
    of = {name: metric for name, metric in EVERY.items() if name != "specificity"}
    wider = values(of, np.pad(a, widths), np.pad(b, widths), spacing)
    assert wider == pytest.approx(values(of, a, b, spacing), rel=1e-15, nan_ok=True)


@QUICK
@given(drawn())
def test_crops_equal_whole_masks(case: Drawn) -> None:
    a, b, spacing = case
    whole = MaskPair.from_crops(a, b, spacing, a.shape)
    cropped = case.pair
    assert {name: metric(whole) for name, metric in EVERY.items()} == pytest.approx(
        {name: metric(cropped) for name, metric in EVERY.items()}, rel=1e-15, nan_ok=True
    )


MASK_METRICS = [spec for spec in hw.METRICS if spec.takes is Takes.MASKS]


def catalogued() -> dict[str, Of]:
    """Every metric of masks of the catalogue, in every definition, at two limits where it has one.

    But for the clDice of the skeletons as they are stored, which is what it says.
    """
    found: dict[str, Of] = {}
    for spec in MASK_METRICS:
        definitions = next((p.words for p in spec.parameters if p.name == "definition"), ())
        limit = next((p.name for p in spec.parameters if p.tolerated), None)
        for word, number in definitions or (("", 0.0),):
            given: dict[str, Any] = {"definition": number} if word else {}
            limited = limit is not None and word != "cheng"
            for value in (0.7, 2.5) if limited else (0.0,):
                own = given | ({str(limit): value} if limited else {})
                assert spec.function is not None
                found[f"{spec.name} {word} {value}"] = partial(spec.function, **own)
    del found["cldice stored 0.0"]
    return found


UNORIENTED = catalogued()


def test_every_metric_of_masks_is_among_those_that_are_turned() -> None:
    assert {name.split()[0] for name in catalogued()} == {spec.name for spec in MASK_METRICS}


@QUICK
@given(drawn(), st.data())
def test_axes_may_be_permuted_and_flipped(case: Drawn, data: st.DataObject) -> None:
    a, b, spacing = case
    order = data.draw(st.permutations(range(a.ndim)))
    flipped = data.draw(st.sets(st.integers(0, a.ndim - 1)))
    first, second = (np.flip(mask.transpose(order), tuple(flipped)) for mask in (a, b))
    found = values(UNORIENTED, first, second, [spacing[axis] for axis in order])
    assert found == alike(values(UNORIENTED, a, b, spacing))


@QUICK
@given(drawn(), st.sampled_from([0.1, 1 / 3, 0.7, 3.0, 10.0, 1000.0]))
def test_distances_scale_with_the_spacing(case: Drawn, scale: float) -> None:
    a, b, spacing = case
    wider = [scale * step for step in spacing]
    n = a.ndim
    found = values(DISTANCES, a, b, wider)
    assert found == alike({k: v * scale for k, v in values(DISTANCES, a, b, spacing).items()})
    assert values(within(scale), a, b, wider) == alike(values(within(1.0), a, b, spacing))
    unscaled = COUNTED | CHENG
    assert values(unscaled, a, b, wider) == alike(values(unscaled, a, b, spacing))
    volume = metrics.absolute_volume_error(a, b, spacing=wider)
    assert volume == pytest.approx(metrics.absolute_volume_error(case.pair) * scale**n)


@QUICK
@given(drawn(dimensions=2), st.integers(0, 2), st.sampled_from([0.3, 1.0, 5.0]))
def test_a_picture_equals_a_volume_of_one_slice(case: Drawn, axis: int, thickness: float) -> None:
    a, b, spacing = case
    steps = list(spacing)
    steps.insert(axis, thickness)
    volume = values(EVERY, np.expand_dims(a, axis), np.expand_dims(b, axis), steps)
    picture = values(EVERY, a, b, spacing)
    area = picture.pop("absolute_volume_error")
    assert volume.pop("absolute_volume_error") == pytest.approx(area * thickness)
    assert volume == pytest.approx(picture, rel=1e-15, nan_ok=True)


# --------------------------------------------------------------------------- how a mask is given


def not_contiguous(mask: Mask) -> Any:
    return np.repeat(np.repeat(mask, 2, axis=0), 3, axis=-1)[::2, ..., ::3]


def backwards(mask: Mask) -> Any:
    return np.flip(np.ascontiguousarray(np.flip(mask)))


def turned(mask: Mask) -> Any:
    order = (*range(1, mask.ndim), 0)
    return np.ascontiguousarray(mask.transpose(order)).transpose(np.argsort(order))


LAYOUTS: list[Callable[[Mask], Any]] = [
    np.asfortranarray,
    not_contiguous,
    backwards,
    turned,
    lambda mask: mask.tolist(),
    lambda mask: mask.astype(int).tolist(),
    *(partial(np.asarray, dtype=dtype) for dtype in "bBhHiIlLefdg"),
    partial(np.asarray, dtype=">i2"),
    lambda mask: np.asfortranarray(mask, dtype=np.uint8),
    lambda mask: not_contiguous(mask).view(np.int8)[..., ::1],
    lambda mask: np.where(mask, 1.0, -0.0),
]


@QUICK
@given(drawn(), st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS))
def test_the_layout_of_a_mask_changes_nothing(
    case: Drawn, first: Callable[[Mask], Any], second: Callable[[Mask], Any]
) -> None:
    a, b, spacing = case
    found = values(EVERY, first(a), second(b), spacing)
    assert found == pytest.approx(values(EVERY, a, b, spacing), rel=1e-15, nan_ok=True)


@QUICK
@given(drawn(), st.permutations(sorted(EVERY)))
def test_sharing_a_pair_changes_nothing(case: Drawn, order: list[str]) -> None:
    pair = case.pair
    shared = {name: EVERY[name](pair) for name in order}
    spaced = {"spacing": case.spacing}
    apart = {
        name: EVERY[name](case.a, case.b, **(spaced if name in SPACED | VOLUME else {}))
        for name in order
    }
    assert shared == pytest.approx(apart, rel=0, abs=0, nan_ok=True)
