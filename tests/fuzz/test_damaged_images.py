"""Damaged images of every format: a label map, or one plain line that says why not.

Small valid files are cut, flipped, spliced, and have extreme numbers written into their headers.
Whatever comes of it, the library raises its own error in one line, without warnings and noise, and
takes no more memory than the file may.
"""

from __future__ import annotations

import contextlib
import random
import tracemalloc
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fuzzimages import FILES, mutated

import halfwidth as hw
from halfwidth.io.images import read_image

# A damaged file of a few hundred bytes has no use for more.
MOST_BYTES = 2**26


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


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", FILES)
def test_damaged_images_are_label_maps_or_one_line(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    check(name, tmp_path, capfd, seed=1, count=12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("name", FILES)
def test_many_damaged_images_are_label_maps_or_one_line(
    name: str, seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    check(name, tmp_path, capfd, seed=seed, count=250)


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
