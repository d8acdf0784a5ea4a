"""Curves of ranked matches in resamples given as counts: by kernels, and in plain NumPy."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Numbers
from halfwidth.detection.arithmetic.match_curves import (
    RECALLS,
    AveragePrecision,
    LesionConcordance,
    MeanSensitivity,
    false_positives,
    lesions_and_images,
)
from halfwidth.detection.forms import native_matches
from halfwidth.detection.forms.declared import MatchCurve, MatchedScores, ScoredMatches
from halfwidth.detection.forms.native_matches import FrocLists, Objects, PrecisionLists
from halfwidth.resampling.designs import Design
from halfwidth.resampling.kernels import native_areas
from halfwidth.resampling.kernels.native import LANES, Counts

ByClass = tuple[ScoredMatches, ...]
# From counts to the curves of each class and what is to be found of each, two of (C, B).
Compiled = Callable[[Counts], tuple[Array, Array]]


def plain_curves(form: MatchedScores, by_class: ByClass, counts: Numbers) -> tuple[Array, Array]:
    """Curves of each class and what is to be found of it, from counts of images: two of (C, B)."""
    values = [form.curve.values(one, counts).mean(axis=0) for one in by_class]
    objects = [counts @ one.references for one in by_class]
    return np.stack(values), np.stack(objects).astype(float)


def compiled(
    curve: MatchCurve, by_class: ByClass, design: Design, *, any_counts: bool = False
) -> Compiled | None:
    """Kernels for one sample, for counts of draws or up to 255; None where there are none."""
    if not by_class or not native_matches.fits(by_class):
        return None
    unit, units, kind = design.unit_of_case, design.units, curve.values
    objects = native_matches.objects_of(by_class, unit, units)
    if isinstance(kind, AveragePrecision):
        return _Precisions(objects, native_matches.precision_lists(by_class, unit, units), kind)
    if isinstance(kind, MeanSensitivity):
        lists = native_matches.froc_lists(by_class, unit, units)
        return _Sensitivities(objects, lists, kind, design.unit_sizes)
    if isinstance(kind, LesionConcordance):
        return _Concordances.prepared(objects, by_class, design, kind, weighted=any_counts)
    return None


def compiled_heights(
    kind: Callable[..., Array], by_class: ByClass, design: Design
) -> Callable[[Counts], Array] | None:
    """How kernels make heights at one threshold: from counts (C, K, B); None where they cannot."""
    # Of precision at the recalls of COCO, and of sensitivity at the levels of its mean.
    if not isinstance(kind, AveragePrecision | MeanSensitivity):
        return None
    curves = compiled(MatchCurve(kind), by_class, design)
    if not isinstance(curves, _Precisions | _Sensitivities):
        return None

    def heights(counts: Counts) -> Array:
        objects = native_matches.objects_drawn(curves.objects, counts)
        return np.asarray(curves.heights(counts, objects)[:, 0])

    return heights


def defined(values: Array, objects: Array) -> Array:
    """Values where there is something to be found; else NaN."""
    return np.where(objects > 0, values, np.nan)


# --------------------------------------------------------------------------- precision and recall


@frozen(eq=False)
class _Precisions:
    objects: Objects
    lists: PrecisionLists
    kind: AveragePrecision

    def __call__(self, counts: Counts) -> tuple[Array, Array]:
        objects = native_matches.objects_drawn(self.objects, counts)
        steps = 0 if self.kind.all_points else len(RECALLS) - 1
        areas, _ = native_matches.precisions(self.lists, counts, objects, steps)
        return defined(areas.mean(axis=1), objects), objects

    def heights(self, counts: Counts, objects: Array) -> Array:
        """The best precision at each recall or a higher one, (C, T, K, B)."""
        precisions = native_matches.precisions(
            self.lists, counts, objects, len(RECALLS) - 1, heights=True
        )
        return defined(np.asarray(precisions[1]), objects[:, None, None])


# --------------------------------------------------------------------------- FROC


@frozen(eq=False)
class _Sensitivities:
    objects: Objects
    lists: FrocLists
    kind: MeanSensitivity
    unit_sizes: NDArray[np.intp]

    def __call__(self, counts: Counts) -> tuple[Array, Array]:
        objects = native_matches.objects_drawn(self.objects, counts)
        return np.asarray(self.heights(counts, objects).mean(axis=(1, 2))), objects

    def heights(self, counts: Counts, objects: Array) -> Array:
        """The sensitivity at each level, (C, T, K, B)."""
        targets = false_positives(self.kind.levels, self._images(counts)).T
        true_positives = native_matches.frocs(self.lists, counts, targets, stepped=self.kind.steps)
        every = objects[:, None, None]
        return defined(true_positives / np.maximum(every, 1), every)

    def _images(self, counts: Counts) -> Array:
        """Images in each resample."""
        sizes = self.unit_sizes.astype(np.int32)
        every = Objects(
            np.array([0, len(sizes)]), np.arange(len(sizes), dtype=np.int32), sizes, len(sizes)
        )
        return np.asarray(native_matches.objects_drawn(every, counts)[0])


# --------------------------------------------------------------------------- AFROC


@frozen(eq=False)
class _Concordances:
    """Areas by class and threshold, each of lesions and images without one."""

    objects: Objects
    shape: tuple[int, int]
    rows: tuple[Callable[[Counts], Array], ...]

    @classmethod
    def prepared(
        cls,
        objects: Objects,
        by_class: ByClass,
        design: Design,
        kind: LesionConcordance,
        *,
        weighted: bool,
    ) -> _Concordances | None:
        thresholds = len(by_class[0].outcome)
        rankings = [
            lesions_and_images(one, threshold, by_image=kind.by_image)
            for one in by_class
            for threshold in range(thresholds)
        ]
        if not all(native_areas.fits(ranking.case.shape[-1]) for ranking in rankings):
            return None
        if weighted:
            rankings = [_with_weights(ranking) for ranking in rankings]
        rows = tuple(_area_of(ranking, design) for ranking in rankings)
        return cls(objects, (len(by_class), thresholds), rows)

    def __call__(self, counts: Counts) -> tuple[Array, Array]:
        areas = np.stack([row(counts) for row in self.rows]).reshape(*self.shape, -1)
        return areas.mean(axis=1), native_matches.objects_drawn(self.objects, counts)


def _with_weights(ranking: Ranking) -> Ranking:
    """Ranking for the kernel that takes any weights."""
    weight = np.ones(ranking.case.shape) if ranking.weight is None else ranking.weight
    return Ranking(ranking.case, ranking.mark, weight)


def _area_of(ranking: Ranking, design: Design) -> Callable[[Counts], Array]:
    """How the area of one ranking is made."""
    if not ranking.case.size:
        return lambda counts: np.full(counts.resamples, np.nan)
    unit = design.unit_of_case[ranking.case].astype(np.int32)
    if ranking.weight is not None:
        return functools.partial(_weighted_area, unit, ranking)
    lists = native_areas.prepared(unit, ranking.mark, design.units, auroc=True)
    return lambda counts: native_areas.areas(lists, counts, 0, 1)[0][0]


def _weighted_area(unit: NDArray[np.int32], ranking: Ranking, counts: Counts) -> Array:
    """The area where entries have weights of their own."""
    blocks = len(counts.turned)
    weights = counts.turned.reshape(blocks, -1, LANES)[:, : counts.units].astype(float)
    none = np.zeros((1, blocks, 1, 4, LANES))
    with np.errstate(invalid="ignore", divide="ignore"):
        areas, _ = native_areas.weighted_areas(
            weights, unit, ranking.mark, ranking.weight, none, auroc=True
        )
    return areas[0, 0, : counts.resamples]
