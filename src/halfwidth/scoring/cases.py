"""Scoring the files of one case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, HalfwidthError, OptionError, shortened
from halfwidth.io.images import Image, check_same_geometry, read_image
from halfwidth.io.label_maps import MOST_VOXELS
from halfwidth.metrics.masks import Mask, MaskPair, as_spacing, bounding_box, union_box
from halfwidth.scoring.bounding_boxes import Box
from halfwidth.scoring.label_definitions import Label
from halfwidth.scoring.measuring import score_label_maps, score_pair
from halfwidth.scoring.metric_choice import Wanted
from halfwidth.scoring.pairs import CaseFiles
from halfwidth.scoring.scores import CaseScores, LabelScores

__all__ = ["FOREGROUND", "How", "Union", "score_case", "score_maps"]

FOREGROUND = Label("foreground", (1,))


@dataclass(frozen=True)
class Union:
    """A region of a folder of structures: the union of several."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class How:
    """What is common to all cases of a run.

    Attributes
    ----------
    wanted : Wanted
    labels : tuple of Label or None
        Of label maps; None: those that a map holds.
    regions : tuple of Label
        Of label maps, besides the labels.
    structures : tuple of str or None
        Of folders of structures, those to score; None: those of the reference.
    unions : tuple of Union
        Regions of folders of structures.
    picked : bool
        Whether some labels were picked, so that others are not missed.
    ignore : int or None
        Value of the reference where neither map counts.
    binary : bool
        Whether every value above 0 is the one label, ``labels``.
    spacing : float, tuple of float, or None
        In place of that of the files.
    ignore_geometry : bool
        Whether shapes alone must be equal.
    max_voxels : int
        Of an image; scores do not depend on it.
    """

    wanted: Wanted
    labels: tuple[Label, ...] | None = None
    regions: tuple[Label, ...] = ()
    structures: tuple[str, ...] | None = None
    unions: tuple[Union, ...] = ()
    picked: bool = False
    ignore: int | None = None
    binary: bool = False
    spacing: float | tuple[float, ...] | None = None
    ignore_geometry: bool = False
    max_voxels: int = MOST_VOXELS


def score_case(files: CaseFiles, how: How) -> CaseScores:
    """Read and score one case.

    Raises
    ------
    DataError
        If a file cannot be read, or the two grids differ; names the case or the file.
    """
    try:
        return _of_label_maps(files, how) if None in files.references else _of_folders(files, how)
    except HalfwidthError as error:
        kind = DataError if isinstance(error, DataError) else OptionError
        raise kind(f"case {files.case}: {error}") from None


def _of_label_maps(files: CaseFiles, how: How) -> CaseScores:
    read = _read(files.predictions[None], files.references[None], how)
    found, truth = read.prediction, read.reference
    if how.binary:
        found, truth = _foreground(found), _foreground(truth)
    scores = score_maps(files.case, found, truth, read.spacing, how, from_files=True)
    return replace(scores, notes=read.notes)


def _foreground(voxels: NDArray[Any]) -> Mask:
    """Where a map is above 0; in its own memory, where bytes are bytes."""
    out = voxels.view(bool) if voxels.itemsize == 1 else None
    return np.asarray(np.not_equal(voxels, 0, out=out))


def score_maps(
    case: str,
    prediction: NDArray[Any],
    reference: NDArray[Any],
    spacing: tuple[float, ...] | None,
    how: How,
    *,
    from_files: bool = False,
) -> CaseScores:
    """Score two label maps of a case.

    Those from files are nobody else's and may be written over, and memory is limited.
    """
    ignored = 0
    if how.ignore is not None:
        # What does not count is background in both.
        neither = reference == how.ignore
        ignored = int(np.count_nonzero(neither))
        if not from_files:
            prediction, reference = prediction.copy(), reference.copy()
        prediction[neither] = reference[neither] = 0
    scores, held = score_label_maps(
        prediction,
        reference,
        spacing,
        how.labels,
        how.wanted,
        regions=how.regions,
        max_voxels=how.max_voxels if from_files else None,
    )
    return CaseScores(case, scores, held, ignored)


@dataclass(frozen=True)
class _Read:
    """Voxels of a prediction and a reference, and the grid that they share."""

    prediction: NDArray[Any]
    reference: NDArray[Any]
    spacing: tuple[float, ...] | None
    grid: Image
    notes: tuple[str, ...]


def _read(prediction: Path | None, reference: Path, how: How) -> _Read:
    """Both images; a missing prediction is empty."""
    truth = read_image(reference, max_voxels=how.max_voxels)
    shape = truth.voxels.shape
    # Where the voxels lie, without the voxels.
    grid = Image(np.broadcast_to(np.False_, shape), truth.spacing, truth.geometry)
    spacing = truth.spacing
    if prediction is None:
        found = Image(np.zeros(shape, dtype=bool), None, None)
    else:
        found = read_image(prediction, max_voxels=how.max_voxels)
        names = str(prediction), str(reference)
        check_same_geometry(found, truth, names, shape_only=how.ignore_geometry)
        spacing = spacing or found.spacing
    if how.spacing is not None:
        spacing = as_spacing(how.spacing, len(shape))
    if spacing is None and how.wanted.in_mm:
        raise OptionError(
            f"{reference.name} does not say how large its voxels are, and {how.wanted.in_mm[0]} "
            "needs it: give it in mm (spacing=0.5, --spacing 0.5; one number for each axis: "
            "2.5,0.98,0.98), say 1 to measure in voxels, or ask for metrics without distances (dsc)"
        )
    return _Read(found.voxels, truth.voxels, spacing, grid, found.notes + truth.notes)


# --------------------------------------------------------------------------- folders of structures


@dataclass(frozen=True)
class _Structure:
    """Both masks of a structure, within the box around them."""

    box: Box
    prediction: Mask
    reference: Mask
    spacing: tuple[float, ...] | None
    grid: Image
    notes: tuple[str, ...] = ()

    @property
    def pair(self) -> MaskPair:
        shape = self.grid.voxels.shape
        return MaskPair.of_crops(self.prediction, self.reference, self.spacing, shape)


def _of_folders(files: CaseFiles, how: How) -> CaseScores:
    held = [str(name) for name in files.references]
    scored = held if how.structures is None else [n for n in how.structures if n in held]
    needed = {member for union in how.unions for member in union.members}
    kept: dict[str, _Structure] = {}
    scores: list[LabelScores] = []
    notes: list[str] = []
    for name in dict.fromkeys([*scored, *(member for member in held if member in needed)]):
        structure = _structure(files.predictions[name], files.references[name], how)
        notes += structure.notes
        if name in scored:
            metrics = how.wanted.of(name)
            scores.append(score_pair(structure.pair, name, metrics, how.max_voxels))
        if name in needed:
            kept[name] = structure
    for union in how.unions:
        members = {name: kept[name] for name in union.members if name in kept}
        if members:
            pair = _united(members, union.name, how).pair
            metrics = how.wanted.of(union.name)
            scores.append(score_pair(pair, union.name, metrics, how.max_voxels))
    return CaseScores(files.case, tuple(scores), notes=tuple(notes))


def _structure(prediction: Path | None, reference: Path, how: How) -> _Structure:
    read = _read(prediction, reference, how)
    masks = (
        _as_mask(read.prediction, prediction or reference),
        _as_mask(read.reference, reference),
    )
    box = union_box(*(bounding_box(mask) for mask in masks), ndim=masks[0].ndim)
    # Copies, so that the volumes can go.
    found, truth = (mask[box].copy() for mask in masks)
    return _Structure(box, found, truth, read.spacing, read.grid, read.notes)


def _as_mask(voxels: NDArray[Any], file: Path) -> Mask:
    """The one structure of a file, whatever the value that stands for it."""
    if voxels.dtype == bool:
        return voxels
    values = list(_distinct(voxels))
    if len(values) > 1:
        raise DataError(
            f"{file}: holds the labels {shortened(values, most=5)}; in a folder of structures each "
            "file holds one. Is it a label map? Then keep one for each case, without subfolders"
        )
    if values in ([], [1]) and voxels.dtype == np.uint8:
        return voxels.view(bool)
    return np.asarray(voxels != 0)


def _distinct(voxels: NDArray[Any]) -> Iterator[int]:
    """The values above 0, a few at most."""
    highest = int(voxels.max())
    if highest > 1:
        inside = voxels[bounding_box(voxels != 0) or ...]
        yield from np.unique(inside[inside != 0]).tolist()[:6]
    elif highest:
        yield highest


def _united(members: Mapping[str, _Structure], region: str, how: How) -> _Structure:
    (first_name, first), *others = members.items()
    for name, other in others:
        grids = other.grid, first.grid
        try:
            check_same_geometry(*grids, (name, first_name), shape_only=how.ignore_geometry)
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
