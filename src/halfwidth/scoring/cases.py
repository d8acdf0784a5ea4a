"""Scoring the files of one case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, HalfwidthError, OptionError, shortened
from halfwidth.io.images import Image, check_same_geometry, read_image
from halfwidth.metrics.masks import Mask, MaskPair, as_spacing, bounding_box, union_box
from halfwidth.scoring.boxes import Box
from halfwidth.scoring.compare import score_label_maps, score_pair
from halfwidth.scoring.labels import Label
from halfwidth.scoring.pairs import CaseFiles
from halfwidth.scoring.results import CaseScores, LabelScores
from halfwidth.scoring.wanted import Wanted

__all__ = ["FOREGROUND", "How", "Union", "score_case", "without_ignored"]

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
    ignore : int or None
        Value of the reference where neither map counts.
    binary : bool
        Whether every value above 0 is the one label, ``labels``.
    spacing : float, tuple of float, or None
        In place of that of the files.
    ignore_geometry : bool
        Whether shapes alone must be equal.
    """

    wanted: Wanted
    labels: tuple[Label, ...] | None = None
    regions: tuple[Label, ...] = ()
    structures: tuple[str, ...] | None = None
    unions: tuple[Union, ...] = ()
    ignore: int | None = None
    binary: bool = False
    spacing: float | tuple[float, ...] | None = None
    ignore_geometry: bool = False


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
    prediction, reference, spacing = _read(files.predictions[None], files.references[None], how)
    if how.binary:
        prediction, reference = prediction != 0, reference != 0
    prediction, reference = without_ignored(prediction, reference, how.ignore)
    scores, held = score_label_maps(
        prediction, reference, spacing, how.labels, how.wanted, regions=how.regions
    )
    return CaseScores(files.case, spacing, scores, held)


def without_ignored(
    prediction: NDArray[Any], reference: NDArray[Any], ignore: int | None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both maps, background where the reference says that nothing counts."""
    if ignore is None:
        return prediction, reference
    counts = reference != ignore
    return prediction * counts, reference * counts


def _read(
    prediction: Path | None, reference: Path, how: How
) -> tuple[NDArray[Any], NDArray[Any], tuple[float, ...] | None]:
    """Voxels of both, and their common spacing; a missing prediction is empty."""
    truth = read_image(reference)
    spacing = _spacing(truth, how)
    if prediction is None:
        return np.zeros(truth.voxels.shape, dtype=bool), truth.voxels, spacing
    found = read_image(prediction)
    names = str(prediction), str(reference)
    check_same_geometry(found, truth, names, shape_only=how.ignore_geometry)
    if spacing is None and found.spacing is not None:
        spacing = found.spacing
    return found.voxels, truth.voxels, spacing


def _spacing(image: Image, how: How) -> tuple[float, ...] | None:
    if how.spacing is None:
        return image.spacing
    return as_spacing(how.spacing, image.voxels.ndim)


# --------------------------------------------------------------------------- folders of structures


@dataclass(frozen=True)
class _Structure:
    """Both masks of a structure, within the box around them."""

    box: Box
    prediction: Mask
    reference: Mask
    shape: tuple[int, ...]
    spacing: tuple[float, ...] | None

    @property
    def pair(self) -> MaskPair:
        return MaskPair.of_crops(self.prediction, self.reference, self.spacing, self.shape)


def _of_folders(files: CaseFiles, how: How) -> CaseScores:
    held = [str(name) for name in files.references]
    scored = held if how.structures is None else [n for n in how.structures if n in held]
    needed = {member for union in how.unions for member in union.members}
    kept: dict[str, _Structure] = {}
    scores: list[LabelScores] = []
    spacing = None
    for name in dict.fromkeys([*scored, *(member for member in held if member in needed)]):
        structure = _structure(files.predictions[name], files.references[name], how)
        spacing = structure.spacing
        if name in scored:
            scores.append(score_pair(structure.pair, name, how.wanted.of(name)))
        if name in needed:
            kept[name] = structure
    for union in how.unions:
        members = [kept[member] for member in union.members if member in kept]
        if members:
            pair = _united(members, union.name).pair
            scores.append(score_pair(pair, union.name, how.wanted.of(union.name)))
    return CaseScores(files.case, spacing, tuple(scores))


def _structure(prediction: Path | None, reference: Path, how: How) -> _Structure:
    found, truth, spacing = _read(prediction, reference, how)
    masks = [_as_mask(found, prediction or reference), _as_mask(truth, reference)]
    box = union_box(*(bounding_box(mask) for mask in masks), ndim=truth.ndim)
    # Copies, so that the volumes can go.
    crops = [mask[box].copy() for mask in masks]
    return _Structure(box, crops[0], crops[1], truth.shape, spacing)


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


def _united(members: Sequence[_Structure], name: str) -> _Structure:
    first = members[0]
    for other in members[1:]:
        if (other.shape, other.spacing) != (first.shape, first.spacing):
            raise DataError(
                f"region {name!r}: its structures lie on different grids ({first.shape} and "
                f"{other.shape} voxels, spacing {first.spacing} and {other.spacing})"
            )
    box = union_box(*(m.box for m in members if m.reference.size), ndim=len(first.shape))
    crops = [np.zeros([side.stop - side.start for side in box], dtype=bool) for _ in range(2)]
    for member in members:
        if not member.reference.size:
            continue
        inner = tuple(
            slice(own.start - side.start, own.stop - side.start)
            for own, side in zip(member.box, box, strict=True)
        )
        crops[0][inner] |= member.prediction
        crops[1][inner] |= member.reference
    return _Structure(box, crops[0], crops[1], first.shape, first.spacing)
