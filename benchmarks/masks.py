"""Timings of metrics of masks, beside surface-distance, medpy and a plain SciPy script.

Part of ``make bench``; alone: ``python benchmarks/masks.py``. The masks are those of two readers in
``../shared/data/head_neck_ct``, 156 x 512 x 512 voxels in memory, or ellipsoids of the same size
where the data is absent. Whatever is timed is first shown to give the same values. What takes
seconds is timed once, and the table says how often each row was timed.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from timing import RUNS, medians

import halfwidth as hw
from halfwidth.io.images import read_image
from halfwidth.metrics import MaskPair

Mask = NDArray[np.bool_]
Spacing = tuple[float, ...]
Values = dict[str, float]

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "head_neck_ct"
READERS = ("radiographer", "oncologist")
CASE = "0522c0017"
TOLERANCE = 3.0
AGREEMENT = 1e-9
# Of eight patients, by one process and by two.
MORE = ("Lung-Lt", "Lung-Rt", "Mandible", "Parotid-Rt", "Spinal-Canal")
# Milliseconds wanted of all metrics, and an ellipsoid for it: centre and radii in voxels.
STRUCTURES = {
    "Brainstem": (100, (60, 256, 256), (12, 17, 18)),
    "Parotid-Lt": (100, (60, 240, 150), (10, 30, 17)),
    "Brain": (300, (100, 256, 256), (27, 84, 66)),
}
SHAPE, STEPS = (156, 512, 512), (2.5, 0.98, 0.98)
MARGIN = 3

# Every metric of masks but clDice, with all definitions; and those that surface-distance has.
EVERY = (
    *("dsc", "iou", "f_beta", "sensitivity", "specificity", "ppv"),
    *("hd", "hd95", "hd95:pooled", "hd95:surface", "assd", "masd"),
    *("nsd", "nsd:surface", "boundary_iou", "boundary_iou:cheng"),
    *("absolute_volume_error", "relative_volume_error", "symmetric_volume_error"),
)
SHARED = ("dsc", "hd95:surface", "assd:surface", "nsd:surface")
PLAIN = ("dsc", "iou", "hd", "hd95", "assd", "masd", "nsd", "boundary_iou")
MEDPY = {"dsc": "dc", "iou": "jc", "hd": "hd", "hd95:pooled": "hd95", "assd": "assd"}

# A CT of 40 labels, scored in a process of its own, so that its memory is its own.
CT, LABELS = (800, 512, 512), 40
ALONE = """
import json, sys
import halfwidth as hw
scores = hw.score_folders(*sys.argv[1:3], "all", tolerance=float(sys.argv[3]))
labels = len({one.label for case in scores.cases for one in case.labels})
# Not ru_maxrss, which a process takes over from the one that started it.
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
print(json.dumps({"labels": labels, "MB": int(status["VmHWM"].split()[0]) / 1024}))
"""


@dataclass(frozen=True)
class Row:
    """A row of the table, in milliseconds."""

    work: str
    ours: float
    theirs: float | None = None
    runs: str = "once"
    wanted: str = ""
    note: str = ""

    def __str__(self) -> str:
        theirs = "" if self.theirs is None else f"{self.theirs:.1f}"
        ratio = "" if self.theirs is None else f"{self.theirs / self.ours:.4g} x"
        return (
            f"{self.work:<44}{self.ours:>10.1f}{theirs:>11}{ratio:>10}  "
            f"{self.runs:<10}{self.wanted:<17}{self.note}"
        )


@dataclass(frozen=True)
class Case:
    """A structure as two readers drew it."""

    name: str
    prediction: Mask
    reference: Mask
    spacing: Spacing
    wanted: int

    def cropped(self) -> Case:
        """The box around both masks and a margin, for what is too slow for a volume."""
        box = tuple(
            slice(max(0, side.start - MARGIN), side.stop + MARGIN)
            for side in ndimage.find_objects((self.prediction | self.reference).astype(np.uint8))[0]
        )
        prediction, reference = (mask[box].copy() for mask in (self.prediction, self.reference))
        return dataclasses.replace(self, prediction=prediction, reference=reference)


def cases() -> Iterator[Case]:
    """The structures of the table, or ellipsoids in their place."""
    there = (DATA / READERS[0] / CASE).is_dir()
    if not there:
        print(f"({DATA} is not there: ellipsoids instead)", flush=True)
    for name, (wanted, centre, radii) in STRUCTURES.items():
        if there:
            images = [read_image(DATA / reader / CASE / f"{name}.nrrd") for reader in READERS]
            steps = images[0].spacing
            assert steps is not None  # noqa: S101 -- these files have one
            masks = [image.voxels.astype(bool) for image in images]
        else:
            steps = STEPS
            masks = [np.zeros(SHAPE, dtype=bool) for _ in READERS]
            for shift, mask in enumerate(masks):
                draw(mask, [place + shift for place in centre], radii, value=True)
        yield Case(name, masks[0], masks[1], steps, wanted)


def draw(volume: NDArray[Any], centre: Iterable[int], radii: Iterable[int], value: int) -> None:
    """Draw an ellipsoid that lies inside the volume, touching no voxel out of its box."""
    sizes = list(radii)
    box = tuple(slice(c - r, c + r + 1) for c, r in zip(centre, sizes, strict=True))
    sides = np.ogrid[tuple(slice(-r, r + 1) for r in sizes)]
    inside = sum((side / r) ** 2 for side, r in zip(sides, sizes, strict=True)) <= 1
    volume[box][inside] = value


# --------------------------------------------------------------------------- implementations


def ours(case: Case, names: Sequence[str]) -> Values:
    """Our metrics, through one pair."""
    pair = MaskPair.of(case.prediction, case.reference, case.spacing)
    return {name: value_of(pair, name) for name in names}


def value_of(pair: MaskPair, name: str) -> float:
    """One metric, whose definition follows a colon."""
    base, _, definition = name.partition(":")
    more: dict[str, Any] = {"definition": definition} if definition else {}
    if base == "nsd":
        more["tolerance"] = TOLERANCE
    if name == "boundary_iou":
        more["distance"] = TOLERANCE
    function = hw.METRICS[base].function
    assert function is not None  # noqa: S101 -- metrics of masks have one
    return float(function(pair, **more))


def surface_distances(case: Case) -> Values:
    """What surface-distance has, given whole volumes; it crops them itself."""
    import surface_distance

    with warnings.catch_warnings():
        # It takes functions of SciPy from where they no longer belong.
        warnings.simplefilter("ignore", DeprecationWarning)
        found = surface_distance.compute_surface_distances(
            case.reference, case.prediction, case.spacing
        )
    to_prediction, to_reference = surface_distance.compute_average_surface_distance(found)
    areas = [found["surfel_areas_gt"].sum(), found["surfel_areas_pred"].sum()]
    return {
        "dsc": float(surface_distance.compute_dice_coefficient(case.reference, case.prediction)),
        "hd95:surface": float(surface_distance.compute_robust_hausdorff(found, 95)),
        # It gives the two directed means.
        "assd:surface": float(np.average([to_prediction, to_reference], weights=areas)),
        "nsd:surface": float(surface_distance.compute_surface_dice_at_tolerance(found, TOLERANCE)),
    }


def medpys(case: Case, names: Sequence[str]) -> Values:
    """Functions of medpy, one call for each, as it offers no other way."""
    from medpy.metric import binary

    masks = case.prediction, case.reference
    return {
        name: float(getattr(binary, MEDPY[name])(*masks, *_spacing_for(name, case)))
        for name in names
    }


def _spacing_for(name: str, case: Case) -> tuple[Spacing, ...]:
    return () if name in ("dsc", "iou") else (case.spacing,)


def plain(case: Case) -> Values:
    """Eight metrics as scripts of the field compute them: on the volume, without cropping it."""
    a, b = case.prediction, case.reference
    edges = [mask & ~ndimage.binary_erosion(mask) for mask in (a, b)]
    maps = [ndimage.distance_transform_edt(~edge, sampling=case.spacing) for edge in edges]
    directed = maps[1][edges[0]], maps[0][edges[1]]
    pooled = np.concatenate(directed)
    bands = [mask & (far <= TOLERANCE) for mask, far in zip((a, b), maps, strict=True)]
    both, either = int((a & b).sum()), int((a | b).sum())
    return {
        "dsc": 2 * both / int(a.sum() + b.sum()),
        "iou": both / either,
        "hd": float(pooled.max()),
        "hd95": max(float(np.percentile(side, 95)) for side in directed),
        "assd": float(pooled.mean()),
        "masd": float(sum(side.mean() for side in directed) / 2),
        "nsd": float((pooled <= TOLERANCE).mean()),
        "boundary_iou": int((bands[0] & bands[1]).sum()) / int((bands[0] | bands[1]).sum()),
    }


# --------------------------------------------------------------------------- what is timed


def once(job: Callable[[], Values]) -> tuple[float, Values]:
    """Milliseconds of a single run, and its values."""
    start = time.perf_counter()
    values = job()
    return 1000 * (time.perf_counter() - start), values


def same(found: Mapping[str, float], own: Mapping[str, float]) -> str:
    """The values, once they are known to be ours."""
    for name, value in found.items():
        if not math.isclose(value, own[name], rel_tol=AGREEMENT, abs_tol=AGREEMENT):
            raise RuntimeError(f"{name} is {value!r} there and {own[name]!r} here")
    return "same " + ", ".join(f"{name} {value:.4f}" for name, value in found.items())


def beside_others(case: Case) -> Iterator[Row]:
    """A structure by each implementation."""
    own = ours(case, [*EVERY, *SHARED])
    several, label = f"{RUNS}, median", case.name
    jobs: list[Callable[[], object]] = [lambda: ours(case, EVERY), lambda: ours(case, SHARED)]
    if has("surface_distance"):
        note = same(surface_distances(case), own)
        all_of_it, mine, theirs = (
            1000 * s for s in medians(*jobs, lambda: surface_distances(case))
        )
    else:
        all_of_it, mine = (1000 * s for s in medians(*jobs))
    yield Row(f"{label}, {len(EVERY)} values", all_of_it, None, several, f"<= {case.wanted} ms")
    if has("surface_distance"):
        yield Row(f"{label}, 4 of surface-distance", mine, theirs, several, "> 1 x", note)
    seconds, values = once(lambda: plain(case))
    yield Row(
        f"{label}, 8 of plain SciPy", our_time(case, PLAIN), seconds, "once", "", same(values, own)
    )
    yield Row(f"{label}, {len(EVERY)} over its 8", all_of_it, seconds, "once", ">= 150, 450 x")


def our_time(case: Case, names: Sequence[str]) -> float:
    """Milliseconds of ours, the median."""
    return 1000 * medians(lambda: ours(case, names))[0]


def beside_medpy(case: Case, *, whole: bool) -> Iterator[Row]:
    """The box of a structure by medpy; of the volume, which takes half a minute, one metric."""
    box = case.cropped()
    mine, own = our_time(box, tuple(MEDPY)), ours(box, tuple(MEDPY))
    seconds, values = once(lambda: medpys(box, tuple(MEDPY)))
    yield Row(f"{case.name}, 5 of medpy, in a box", mine, seconds, "once", "", same(values, own))
    if whole:
        name = "hd95:pooled"
        seconds, values = once(lambda: medpys(case, [name]))
        note = same(values, own) + "; one of its 5"
        yield Row(f"{case.name}, 1 of medpy", our_time(case, [name]), seconds, "once", "", note)


def a_ct() -> Iterator[Row]:
    """Two label maps of a large CT, from files to values."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder) / f"{name}.nii.gz") for name in ("prediction", "reference")]
        write_ct(files[1], files[0])
        command = [sys.executable, "-c", ALONE, *files, str(TOLERANCE)]
        start = time.perf_counter()
        made = subprocess.run(
            command, check=True, capture_output=True, text=True, env=os.environ.copy()
        )
        seconds = time.perf_counter() - start
    result = json.loads(made.stdout)
    size = " x ".join(str(length) for length in CT[::-1])
    yield Row(
        f"{size}, {result['labels']} labels, whole process",
        1000 * seconds,
        wanted="< 20 s, < 3 GB",
        note=f"{result['MB']:.0f} MB at most",
    )


def write_ct(reference: str, prediction: str) -> None:
    """Organs in a body that nearly fills the volume; the prediction is shifted by a voxel or two.

    Organs from large to small, so that none disappears below another.
    """
    import nibabel

    rng = np.random.default_rng(0)
    labels = np.zeros(CT, dtype=np.uint8)
    draw(labels, (400, 256, 256), (396, 220, 245), 1)
    for value, size in enumerate(np.geomspace(60, 6, LABELS - 1), start=2):
        radii = np.round(size * rng.uniform(0.7, 1.3, 3)).astype(int)
        place = (400, 256, 256) + rng.uniform(-0.5, 0.5, 3) * (396, 220, 245)
        draw(labels, place.round().astype(int), radii, value)
    for file, volume in (
        (reference, labels),
        (prediction, np.roll(labels, (2, 1, 1), axis=(0, 1, 2))),
    ):
        make: Any = nibabel.Nifti1Image
        nibabel.save(make(volume.T, np.diag([0.98, 0.98, 1.0, 1.0])), file)


def with_jobs() -> Iterator[Row]:
    """Eight patients by one process and by two; the least of two runs each, taking turns."""
    if not DATA.is_dir():
        return
    metrics, names = ",".join(PLAIN), [*STRUCTURES, *MORE]

    def seconds(jobs: int) -> float:
        start = time.perf_counter()
        hw.score_folders(
            DATA / READERS[0],
            DATA / READERS[1],
            metrics,
            tolerance=TOLERANCE,
            only=names,
            jobs=jobs,
        )
        return time.perf_counter() - start

    rounds = [(seconds(1), seconds(2)) for _ in range(2)]
    one, two = (min(times) for times in zip(*rounds, strict=True))
    work = f"8 patients, {len(names)} structures: --jobs 2, 1"
    note = f"{os.cpu_count()} processors"
    yield Row(work, 1000 * two, 1000 * one, "2, least", "towards 2 x", note)


def has(package: str) -> bool:
    """Whether a package of the extra ``bench`` is installed."""
    return importlib.util.find_spec(package) is not None


def rows() -> Iterator[Row]:
    """All of them."""
    for case in cases():
        yield from beside_others(case)
        if has("medpy"):
            yield from beside_medpy(case, whole=case.name == "Brainstem")
    yield from a_ct()
    yield from with_jobs()


def main() -> None:
    """Print the table."""
    print("masks of 156 x 512 x 512 voxels in memory, one thread, milliseconds\n")
    print(
        f"{'work':<44}{'ours':>10}{'theirs':>11}{'ratio':>10}  {'runs':<10}{'wanted':<17}"
        "values that both have"
    )
    for row in rows():
        print(row, flush=True)


if __name__ == "__main__":
    main()
