"""Names of images, as files of different programs have them."""

from __future__ import annotations

from pathlib import PurePosixPath

# Suffixes of images and of the files that say what is in them. Others may be parts of names, as in
# the identifiers of DICOM.
SUFFIXES = (
    *(".nii.gz", ".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".gif", ".ppm", ".pgm"),
    *(".nii", ".nrrd", ".nhdr", ".mha", ".mhd", ".npy", ".npz", ".dcm", ".dicom", ".svs", ".raw"),
    *(".txt", ".xml", ".json"),
)


def without_folders(name: str) -> str:
    r"""The last part of a path, of any system.

    >>> without_folders("images\\a.png")
    'a.png'
    """
    return PurePosixPath(name.replace("\\", "/")).name or name


def bare(name: str) -> str:
    """The name without folders and without the suffix of an image.

    >>> bare("val/case_7.left.nii.gz"), bare("1.3.6.1")
    ('case_7.left', '1.3.6.1')
    """
    base = without_folders(name)
    suffix = next((one for one in SUFFIXES if base.lower().endswith(one)), "")
    return base[: len(base) - len(suffix)] or base
