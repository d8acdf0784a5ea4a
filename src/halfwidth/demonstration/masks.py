"""Label maps as three people might hand them in: references, and what two models made of them.

A structure is where a field is positive: an ellipsoid with a smooth disturbance of its own. A model
sees the same field with an error of so many mm. The models share part of it, since a hard case
is hard for both. So Dice has the left tail of real results, and the models' values are correlated.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array

CASES = 30
SHAPE = (24, 56, 56)
# In mm: slices, rows, columns, as of an abdominal CT at reduced size.
SPACING = (4.0, 2.0, 2.0)
REFERENCE = "reference"

LabelMap = NDArray[np.uint8]


@frozen
class Structure:
    """A structure of every scan: where it lies, how large it is, and how often it is absent."""

    name: str
    centre: tuple[float, float, float]
    radii: tuple[float, float, float]
    absent: tuple[int, ...] = ()


@frozen
class Model:
    """A model: by how many mm its boundaries stray, and in which cases it fails.

    ``missed`` and ``invented`` are cases of the lesion; of ``cut``, a part of the organ is lost.
    """

    name: str
    error: float
    missed: tuple[int, ...]
    invented: tuple[int, ...] = ()
    cut: tuple[int, ...] = ()


# Centres in voxels, radii in mm.
STRUCTURES = (
    Structure("organ", (12, 27, 22), (32, 36, 28)),
    Structure("gland", (11, 30, 45), (14, 17, 8)),
    Structure("lesion", (13, 24, 22), (9, 10, 9), absent=(4, 9, 15, 20, 27)),
)
MODELS = (
    Model("unet", 2.6, missed=(2, 17, 25), invented=(9,), cut=(11,)),
    Model("vit", 1.9, missed=(17,), invented=(9,)),
)
LABELS = {structure.name: value for value, structure in enumerate(STRUCTURES, start=1)}


def label_maps(seed: int) -> Iterator[tuple[str, dict[str, LabelMap]]]:
    """Each case with its label maps: the reference and those of the models, by name."""
    for number in range(CASES):
        rng = np.random.default_rng((seed, number))
        yield f"case{number + 1:02d}", _case(rng, number)


def _case(rng: np.random.Generator, number: int) -> dict[str, LabelMap]:
    # A few cases are much harder than most.
    difficulty = rng.lognormal(0.0, 0.45)
    maps = {name: np.zeros(SHAPE, np.uint8) for name in (REFERENCE, *(m.name for m in MODELS))}
    for structure in STRUCTURES:
        field = _field(rng, structure)
        shared = _smooth(rng)
        here = number not in structure.absent
        value = LABELS[structure.name]
        maps[REFERENCE][(field > 0) & here] = value
        for model in MODELS:
            own = _smooth(rng)
            in_radii = difficulty * model.error / np.mean(structure.radii)
            error = in_radii * (0.6 * shared + 0.8 * own)
            seen = (field + error > 0) & _is_marked(model, structure, number, here=here)
            if structure.name == "organ" and number in model.cut:
                seen[: SHAPE[0] // 2] = False
            maps[model.name][seen] = value
    return maps


def _is_marked(model: Model, structure: Structure, number: int, *, here: bool) -> bool:
    """Whether a model marks a structure at all."""
    if structure.name != "lesion":
        return here
    return number in model.invented or (here and number not in model.missed)


def _field(rng: np.random.Generator, structure: Structure) -> Array:
    """One minus the distance from the centre in radii, disturbed; positive inside."""
    voxels = np.indices(SHAPE, dtype=float)
    size = rng.lognormal(0.0, 0.12)
    squares = 0.0
    for axis, (centre, radius, spacing) in enumerate(
        zip(structure.centre, structure.radii, SPACING, strict=True)
    ):
        middle = centre + rng.normal(0.0, 2.0 / spacing)
        squares = squares + ((voxels[axis] - middle) * spacing / (size * radius)) ** 2
    field: Array = 1 - np.sqrt(squares) + 0.10 * _smooth(rng)
    return field


def _smooth(rng: np.random.Generator) -> Array:
    """A random field with mean 0 and SD 1 that changes over some 10 mm."""
    from scipy import ndimage

    noise = ndimage.gaussian_filter(
        rng.normal(size=SHAPE), [10 / spacing for spacing in SPACING], mode="wrap"
    )
    field: Array = (noise - noise.mean()) / noise.std()
    return field
