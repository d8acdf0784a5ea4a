"""Scoring the files of one case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, HalfwidthError, OptionError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.io.grids import Image, check_same_geometry
from halfwidth.io.images import read_image
from halfwidth.io.label_maps import MOST_VOXELS
from halfwidth.metrics.masks import Mask, MaskPair, as_spacing, bounding_box, union_box
from halfwidth.scoring.bounding_boxes import BoundingBox
from halfwidth.scoring.label_definitions import Label
from halfwidth.scoring.measuring import score_label_maps, score_pair
from halfwidth.scoring.metric_choice import MetricChoice
from halfwidth.scoring.pairs import CaseFiles
from halfwidth.scoring.scores import CaseScores, LabelScores

FOREGROUND = Label("foreground", (1,))


@frozen
class StructureUnion:
    """A region of a folder of structures: the union of several."""

    name: str
    members: tuple[str, ...]


@frozen
class ScoringSettings:
    """The settings that all cases of a run share."""

    metrics: MetricChoice
    # Of label maps; None: the labels found in the maps.
    labels: tuple[Label, ...] | None = None
    # Of label maps, besides the labels.
    regions: tuple[Label, ...] = ()
    # Of folders of structures, the ones to score; None: those of the reference.
    structures: tuple[str, ...] | None = None
    # Regions of folders of structures.
    unions: tuple[StructureUnion, ...] = ()
    # Whether the user selected labels, so that a note about the others is not needed.
    labels_selected: bool = False
    # Value of the reference that marks voxels to ignore.
    ignore: int | None = None
    # Whether every value above 0 is the one label, ``labels``.
    binary: bool = False
    # Replaces the spacing in the files.
    spacing: float | tuple[float, ...] | None = None
    # Whether shapes alone must be equal.
    ignore_geometry: bool = False
    # Largest allowed size of an image; scores do not depend on it.
    max_voxels: int = MOST_VOXELS


def score_case(files: CaseFiles, settings: ScoringSettings) -> CaseScores:
    """Read and score one case."""
    try:
        if None in files.references:
            return _score_label_map_files(files, settings)
        return _score_structure_files(files, settings)
    except HalfwidthError as error:
        kind = DataError if isinstance(error, DataError) else OptionError
        raise kind(f"case {files.case}: {error}") from None


def _score_label_map_files(files: CaseFiles, settings: ScoringSettings) -> CaseScores:
    read = _read_pair(files.predictions[None], files.references[None], settings)
    predicted, true = read.prediction, read.reference
    if settings.binary:
        predicted, true = _foreground(predicted), _foreground(true)
    scores = score_maps(files.case, predicted, true, read.spacing, settings, from_files=True)
    return replace(scores, notes=read.notes)


def _foreground(voxels: NDArray[Any]) -> Mask:
    """Where a map is above 0; maps of bytes are overwritten to save memory."""
    out = voxels.view(bool) if voxels.itemsize == 1 else None
    return np.asarray(np.not_equal(voxels, 0, out=out))


def score_maps(
    case: str,
    prediction: NDArray[Any],
    reference: NDArray[Any],
    spacing: tuple[float, ...] | None,
    settings: ScoringSettings,
    *,
    from_files: bool = False,
) -> CaseScores:
    """Score two label maps of a case.

    Maps from files belong to nobody else: they may be overwritten, and their memory is limited.
    """
    ignored = 0
    if settings.ignore is not None:
        # Ignored voxels become background in both.
        neither = reference == settings.ignore
        ignored = int(np.count_nonzero(neither))
        if not from_files:
            prediction, reference = prediction.copy(), reference.copy()
        prediction[neither] = reference[neither] = 0
    scores, held = score_label_maps(
        prediction,
        reference,
        spacing,
        settings.labels,
        settings.metrics,
        regions=settings.regions,
        max_voxels=settings.max_voxels if from_files else None,
    )
    return CaseScores(case, scores, held, ignored)


@frozen
class _ReadPair:
    """The voxels of a prediction and a reference, and the grid they share."""

    prediction: NDArray[Any]
    reference: NDArray[Any]
    spacing: tuple[float, ...] | None
    grid: Image
    notes: tuple[str, ...]


def _read_pair(prediction: Path | None, reference: Path, settings: ScoringSettings) -> _ReadPair:
    """Both images; a missing prediction is empty."""
    truth = read_image(reference, max_voxels=settings.max_voxels)
    shape = truth.voxels.shape
    # The geometry without the voxels.
    grid = Image(np.broadcast_to(np.False_, shape), truth.spacing, truth.geometry)
    spacing = truth.spacing
    if prediction is None:
        predicted = Image(np.zeros(shape, dtype=bool), None, None)
    else:
        predicted = read_image(prediction, max_voxels=settings.max_voxels)
        names = str(prediction), str(reference)
        check_same_geometry(predicted, truth, names, shape_only=settings.ignore_geometry)
        spacing = spacing or predicted.spacing
    if settings.spacing is not None:
        spacing = as_spacing(settings.spacing, len(shape))
    if spacing is None and settings.metrics.in_mm:
        raise OptionError(
            f"{reference.name} does not say how large its voxels are, and "
            f"{settings.metrics.in_mm[0]} needs it: give it in mm ({spelled('spacing', 0.5)}; one "
            "number for each axis: 2.5,0.98,0.98), say 1 to measure in voxels, or ask for metrics "
            "without distances (dsc)"
        )
    return _ReadPair(predicted.voxels, truth.voxels, spacing, grid, predicted.notes + truth.notes)


# --------------------------------------------------------------------------- folders of structures


@frozen
class _Structure:
    """Both masks of a structure, cropped to their bounding box."""

    box: BoundingBox
    prediction: Mask
    reference: Mask
    spacing: tuple[float, ...] | None
    grid: Image
    notes: tuple[str, ...] = ()

    @property
    def pair(self) -> MaskPair:
        shape = self.grid.voxels.shape
        return MaskPair.from_crops(self.prediction, self.reference, self.spacing, shape)


def _score_structure_files(files: CaseFiles, settings: ScoringSettings) -> CaseScores:
    held = [str(name) for name in files.references]
    scored = held if settings.structures is None else [n for n in settings.structures if n in held]
    needed = {member for union in settings.unions for member in union.members}
    kept: dict[str, _Structure] = {}
    scores: list[LabelScores] = []
    notes: list[str] = []
    for name in dict.fromkeys([*scored, *(member for member in held if member in needed)]):
        structure = _read_structure(files.predictions[name], files.references[name], settings)
        notes += structure.notes
        if name in scored:
            metrics = settings.metrics.for_label(name)
            scores.append(score_pair(structure.pair, name, metrics, settings.max_voxels))
        if name in needed:
            kept[name] = structure
    for union in settings.unions:
        members = {name: kept[name] for name in union.members if name in kept}
        if members:
            pair = _unite(members, union.name, settings).pair
            metrics = settings.metrics.for_label(union.name)
            scores.append(score_pair(pair, union.name, metrics, settings.max_voxels))
    return CaseScores(files.case, tuple(scores), notes=tuple(notes))


def _read_structure(
    prediction: Path | None, reference: Path, settings: ScoringSettings
) -> _Structure:
    read = _read_pair(prediction, reference, settings)
    masks = (
        _as_mask(read.prediction, prediction or reference),
        _as_mask(read.reference, reference),
    )
    box = union_box(*(bounding_box(mask) for mask in masks), ndim=masks[0].ndim)
    # Copies, so that the whole volumes can be freed.
    predicted, truth = (mask[box].copy() for mask in masks)
    return _Structure(box, predicted, truth, read.spacing, read.grid, read.notes)


def _as_mask(voxels: NDArray[Any], file: Path) -> Mask:
    """The one structure of a file as a mask, whatever value it has."""
    if voxels.dtype == bool:
        return voxels
    values = list(_distinct_values(voxels))
    if len(values) > 1:
        raise DataError(
            f"{file}: holds the labels {shortened(values, most=5)}; in a folder of structures each "
            "file holds one. Is it a label map? Then keep one for each case, without subfolders"
        )
    if values in ([], [1]) and voxels.dtype == np.uint8:
        return voxels.view(bool)
    return np.asarray(voxels != 0)


def _distinct_values(voxels: NDArray[Any]) -> Iterator[int]:
    """The values above 0, at most six."""
    highest = int(voxels.max())
    if highest > 1:
        inside = voxels[bounding_box(voxels != 0) or ...]
        yield from np.unique(inside[inside != 0]).tolist()[:6]
    elif highest:
        yield highest


def _unite(members: Mapping[str, _Structure], region: str, settings: ScoringSettings) -> _Structure:
    (first_name, first), *others = members.items()
    for name, other in others:
        grids = other.grid, first.grid
        try:
            check_same_geometry(*grids, (name, first_name), shape_only=settings.ignore_geometry)
        except DataError as error:
            unlike = str(error).partition("; resample")[0]
            raise DataError(f"region {region!r}: structures on different grids: {unlike}") from None
    drawn = [member for member in members.values() if member.reference.size]
    box = union_box(*(member.box for member in drawn), ndim=first.grid.voxels.ndim)
    crops = np.zeros((2, *(side.stop - side.start for side in box)), dtype=bool)
    for member in drawn:
        inner = tuple(
            slice(own.start - side.start, own.stop - side.start)
            for own, side in zip(member.box, box, strict=True)
        )
        crops[0][inner] |= member.prediction
        crops[1][inner] |= member.reference
    return _Structure(box, crops[0], crops[1], first.spacing, first.grid)
