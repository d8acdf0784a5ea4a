"""Damaged images of every format: a label map, or one plain line that says why not.

Small valid files are cut, flipped, spliced, and have extreme numbers written into their headers.
Whatever comes of it, the library raises its own error in one line, without warnings and noise, and
takes no more memory than the file may.
"""

from __future__ import annotations

import contextlib
import random
import re
import struct
import tracemalloc
import warnings
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from numpy.typing import NDArray
from PIL import Image as Pillow

import halfwidth as hw
from halfwidth.io.images import read_image

nibabel: Any = import_module("nibabel")
sitk: Any = import_module("SimpleITK")

Make = Callable[[Path], Any]
# A damaged file of a few hundred bytes has no use for more.
MOST_BYTES = 2**26


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


def outcomes(name: str, folder: Path, seed: int, count: int) -> Iterator[str]:
    """What comes of so many damaged files: the reader's complaints, or nothing where it reads."""
    suffix, make = FILES[name]
    path = folder / f"a{suffix}"
    make(path)
    # Headers in one file and voxels in another: both are damaged.
    parts = {part: part.read_bytes() for part in folder.iterdir()}
    draw = random.Random(seed)
    for _ in range(count):
        for part, content in parts.items():
            part.write_bytes(content)
        part = draw.choice(sorted(parts))
        part.write_bytes(mutated(parts[part], draw, suffix))
        try:
            found = read_image(path)
        except hw.DataError as error:
            yield str(error)
            continue
        assert found.voxels.dtype.kind in "bu"
        assert found.voxels.ndim in (2, 3)
        yield ""


def check(name: str, folder: Path, capfd: Any, seed: int, count: int) -> None:
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            told = list(outcomes(name, folder, seed, count))
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()
    start = str(folder)
    for text in told:
        assert not text or text.startswith(start)
        assert len(text.splitlines()) <= 1
        assert len(text) < 600
        assert text.isprintable()
    assert capfd.readouterr() == ("", "")
    assert any(told), "nothing was refused"


@pytest.mark.parametrize("name", FILES)
def test_damaged_images_are_label_maps_or_one_line(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    check(name, tmp_path, capfd, seed=1, count=12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", FILES)
def test_many_damaged_images_are_label_maps_or_one_line(
    name: str, seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    check(name, tmp_path, capfd, seed=seed, count=400)


@pytest.mark.parametrize("name", ["nifti gz", "nrrd raw", "mha", "png", "tiff lzw", "npy"])
def test_damaged_images_are_scored_or_refused(name: str, tmp_path: Path) -> None:
    suffix, make = FILES[name]
    folders = [tmp_path / side for side in ("predictions", "references")]
    for folder in folders:
        folder.mkdir()
        make(folder / f"a{suffix}")
    path = folders[0] / f"a{suffix}"
    content, draw = path.read_bytes(), random.Random(7)
    for _ in range(12):
        path.write_bytes(mutated(content, draw, suffix))
        with contextlib.suppress(hw.DataError):
            hw.score_folders(folders[0], folders[1], "dsc")
