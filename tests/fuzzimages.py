"""Small valid images of every format, and faults in them."""

from __future__ import annotations

import random
import re
import struct
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import tifffile
from numpy.typing import NDArray
from PIL import Image as Pillow

__all__ = ["FILES", "mutated"]

nibabel: Any = import_module("nibabel")
sitk: Any = import_module("SimpleITK")

Make = Callable[[Path], Any]


def voxels(dtype: str = "u1") -> NDArray[Any]:
    found = np.zeros((4, 5, 6), dtype)
    found[1:3, 1:4, 2:5], found[2, 3, 4] = 1, 3
    return found


def nifti(dtype: str, version: int) -> Make:
    kind = (nibabel.Nifti1Image, nibabel.Nifti2Image)[version - 1]
    return lambda path: nibabel.save(kind(voxels(dtype), np.diag([2.0, 3.0, 4.0, 1.0])), str(path))


def itk(dtype: str, *, compress: bool) -> Make:
    def make(path: Path) -> None:
        image = sitk.GetImageFromArray(voxels(dtype))
        image.SetSpacing((0.5, 0.75, 2.5))
        sitk.WriteImage(image, str(path), compress)

    return make


def tiff(dtype: str, **options: Any) -> Make:
    return lambda path: tifffile.imwrite(
        path, voxels(dtype), photometric="minisblack", metadata=None, **options
    )


def pages(compression: str) -> Make:
    def make(path: Path) -> None:
        images = [Pillow.fromarray(page) for page in voxels()]
        images[0].save(path, save_all=True, append_images=images[1:], compression=compression)

    return make


def png(mode: str, **options: Any) -> Make:
    def make(path: Path) -> None:
        image = Pillow.fromarray(voxels("u2" if mode == "I;16" else "u1")[2])
        (image if mode == "I;16" else image.convert(mode)).save(path, **options)

    return make


FILES: dict[str, tuple[str, Make]] = {
    "nifti": (".nii", nifti("u1", 1)),
    "nifti i2": (".nii", nifti("i2", 1)),
    "nifti-2 f8": (".nii", nifti("f8", 2)),
    "nifti gz": (".nii.gz", nifti("f4", 1)),
    "nrrd raw": (".nrrd", itk("i2", compress=False)),
    "nrrd gzip": (".nrrd", itk("u1", compress=True)),
    "nhdr": (".nhdr", itk("u1", compress=False)),
    "mha": (".mha", itk("f4", compress=False)),
    "mha zlib": (".mha", itk("u1", compress=True)),
    "mhd": (".mhd", itk("u2", compress=False)),
    "png": (".png", png("L")),
    "png 1 bit": (".png", png("1")),
    "png palette": (".png", png("P")),
    "png 16 bit": (".png", png("I;16")),
    "tiff": (".tif", tiff("u2")),
    "tiff tiles": (".tif", tiff("u1", tile=(16, 16), compression="zlib")),
    "tiff predictor": (".tif", tiff("i4", compression="zlib", predictor=True)),
    "bigtiff": (".tiff", tiff("f4", bigtiff=True)),
    "tiff lzw": (".tif", pages("tiff_lzw")),
    "tiff packbits": (".tif", pages("packbits")),
    "tiff deflate": (".tif", pages("tiff_adobe_deflate")),
    "npy": (".npy", lambda path: np.save(path, voxels("i4"))),
    "npy bool": (".npy", lambda path: np.save(path, np.asfortranarray(voxels() > 0))),
}
EXTREMES = (0, 1, 2, 255, 2**15 - 1, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1)
WORDS = (
    b"nan",
    b"inf",
    b"-1",
    b"0",
    b"1e30",
    b"99999999999999999999",
    b"none",
    b"",
    b"LIST",
    b"\0",
)


def mutated(content: bytes, draw: random.Random, suffix: str) -> bytes:
    """The content with one to three faults."""
    found = bytearray(content)
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        place = (
            draw.randrange(len(found) + 1)
            if draw.random() < 0.5
            else draw.randrange(min(len(found), 360) + 1)
        )
        kind = draw.randrange(7)
        if kind == 0:
            del found[place:]
        elif kind == 1:
            found[place : place + 1] = bytes([draw.randrange(256)])
        elif kind == 2:
            del found[place : place + draw.choice([1, 2, 4, 30])]
        elif kind == 3:
            other = draw.randrange(len(found) + 1)
            found[place:place] = found[other : other + draw.choice([1, 4, 40])]
        elif kind == 4:
            value, width = draw.choice(EXTREMES), draw.choice([1, 2, 4, 8])
            order: Any = draw.choice(["little", "big"])
            found[place : place + width] = (value % 256**width).to_bytes(width, order)
        elif kind == 5:
            number = draw.choice([np.nan, np.inf, -np.inf, -1.0, 0.0, 1e30, 1e-40])
            found[place : place + 4] = struct.pack(draw.choice("<>") + "f", number)
        else:
            numbers = [m.span() for m in re.finditer(rb"[0-9.]+", bytes(found[:600]))]
            if numbers:
                start, stop = draw.choice(numbers)
                found[start:stop] = draw.choice([*WORDS, str(draw.choice(EXTREMES)).encode()])
    whole = bytes(found)
    return with_checksums(whole) if suffix == ".png" and draw.random() < 0.7 else whole


def with_checksums(content: bytes) -> bytes:
    """A PNG whose parts have the checksums of what is in them, so that it gets past those."""
    found, place = content[:8], 8
    while place + 12 <= len(content):
        length = int.from_bytes(content[place : place + 4], "big")
        part = content[place + 4 : place + 8 + length]
        found += content[place : place + 4] + part + struct.pack(">I", zlib.crc32(part))
        place += 12 + length
    return found
