"""Everything that a demonstration runs on, as files in one folder."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.files import write_whole
from halfwidth.demonstration import masks, models, pages

TABLES = {
    "tumours.csv": models.tumours,
    "wines.csv": models.wines,
    "diabetes.csv": models.diabetes_errors,
    "runs.csv": models.training_runs,
}


def write_files(folder: Path, seed: int) -> None:
    """Write masks, predictions, errors, runs and detections."""
    _write_masks(folder / "masks", seed)
    for name, make in TABLES.items():
        write_whole(folder / name, make(seed).to_csv(index=False, lineterminator="\n").encode())
    references, detections = pages.coco(seed)
    for name, content in (("references", references), ("detections", detections)):
        write_whole(folder / f"{name}.json", json.dumps(content).encode())


def _write_masks(folder: Path, seed: int) -> None:
    for case, maps in masks.label_maps(seed):
        for name, label_map in maps.items():
            (folder / name).mkdir(parents=True, exist_ok=True)
            _write_nifti(label_map, folder / name / f"{case}.nii.gz")
    write_whole(folder / "labels.json", json.dumps(masks.LABELS).encode())


def _write_nifti(label_map: NDArray[np.uint8], file: Path) -> None:
    import nibabel

    # NIfTI counts columns first, arrays here slices first.
    affine = np.diag([*reversed(masks.SPACING), 1.0])
    image = nibabel.Nifti1Image(label_map.T, affine)  # type: ignore[no-untyped-call]
    image.header.set_xyzt_units("mm")  # type: ignore[no-untyped-call]
    write_whole(file, gzip.compress(image.to_bytes(), 1, mtime=0))
