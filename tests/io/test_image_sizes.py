"""What an image may take: refused by its header, read in portions, never more than it is worth."""

from __future__ import annotations

import gzip
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image as Pillow

import halfwidth as hw
from halfwidth.io.grids import Image
from halfwidth.io.images import read_image

nibabel: Any = import_module("nibabel")
SIDE = 200


def volume(dtype: str = "u1", most: int = 3) -> Any:
    found = np.zeros((16, SIDE, SIDE), dtype)
    found[2:9, 20:70, 30:90], found[9, 5, 6] = 1, most
    return found


def nrrd(path: Path, voxels: Any) -> None:
    sizes = " ".join(map(str, voxels.shape[::-1]))
    kind = {"u": "uint", "i": "int", "f": "double"}[voxels.dtype.kind]
    kind += str(8 * voxels.itemsize) if kind != "double" else ""
    header = f"NRRD0004\ntype: {kind}\nendian: little\ndimension: {voxels.ndim}\nsizes: {sizes}\n"
    packed = gzip.compress(voxels.tobytes(), compresslevel=1)
    path.write_bytes(header.encode() + b"encoding: gzip\n\n" + packed)


def meta(path: Path, voxels: Any) -> None:
    kind = {"u1": "UCHAR", "u2": "USHORT", "i4": "INT", "f8": "DOUBLE"}[voxels.dtype.str[1:]]
    sizes = " ".join(map(str, voxels.shape[::-1]))
    header = f"NDims = {voxels.ndim}\nDimSize = {sizes}\nElementType = MET_{kind}\n"
    header += "CompressedData = True\nElementDataFile = LOCAL\n"
    path.write_bytes(header.encode() + zlib.compress(voxels.tobytes(), 1))


def tiff(path: Path, voxels: Any) -> None:
    options: Any = {"photometric": "minisblack", "rowsperstrip": 16, "compression": "zlib"}
    tifffile.imwrite(path, voxels, **options)


WRITERS: dict[str, Callable[[Path, Any], Any]] = {
    ".nii.gz": lambda path, v: nibabel.save(
        nibabel.Nifti1Image(v.T, np.eye(4), dtype=v.dtype), str(path)
    ),
    ".nrrd": nrrd,
    ".mha": meta,
    ".tif": tiff,
    ".npy": np.save,
}


def memory(read: Callable[[], Image]) -> tuple[int, Image]:
    tracemalloc.start()
    try:
        found = read()
        return tracemalloc.get_traced_memory()[1], found
    finally:
        tracemalloc.stop()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("suffix", WRITERS)
def test_values_of_eight_bytes_take_one(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("label_maps", "voxel_data"):
        monkeypatch.setattr(f"halfwidth.io.{module}.PORTION", 2**14)
    path = tmp_path / f"a{suffix}"
    voxels = np.repeat(volume("f8"), 4, axis=0)
    WRITERS[suffix](path, voxels)
    peak, found = memory(lambda: read_image(path))
    assert found.voxels.dtype == np.uint8
    np.testing.assert_array_equal(found.voxels, voxels)
    # A portion of values, beside the labels; all would be eight times as much.
    assert peak < 3 * found.voxels.nbytes


@pytest.mark.parametrize("suffix", [*WRITERS, ".png"])
def test_images_of_more_voxels_are_refused_unless_allowed(suffix: str, tmp_path: Path) -> None:
    path, voxels = tmp_path / f"a{suffix}", volume()
    if suffix == ".png":
        voxels = voxels[3]
        Pillow.fromarray(voxels).save(path)
    else:
        WRITERS[suffix](path, voxels)
    most = voxels.size - 1
    with pytest.raises(hw.DataError) as caught:
        read_image(path, max_voxels=most)
    shape = " x ".join(map(str, voxels.shape[::-1]))
    assert str(caught.value).startswith(f"{path}: has {shape} voxels; up to {most} are read")
    assert f"max_voxels={voxels.size}" in str(caught.value)
    np.testing.assert_array_equal(read_image(path, max_voxels=voxels.size).voxels, voxels)


@pytest.mark.parametrize(("label", "times", "above"), [(256, 2, 255), (65536, 4, 65535)])
def test_wide_labels_count_as_what_they_take(
    label: int, times: int, above: int, tmp_path: Path
) -> None:
    voxels = volume("i4", label)
    nrrd(tmp_path / "a.nrrd", voxels)
    text = f"each counted {times} times for labels above {above};"
    with pytest.raises(hw.DataError, match=text):
        read_image(tmp_path / "a.nrrd", max_voxels=times * voxels.size - 1)
    found = read_image(tmp_path / "a.nrrd", max_voxels=times * voxels.size).voxels
    np.testing.assert_array_equal(found, voxels)


def png(width: int, height: int, depth: int, packed: bytes) -> bytes:
    content = b"\x89PNG\r\n\x1a\n"
    header = struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0)
    for kind, data in ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")):
        content += struct.pack(">I", len(data)) + kind + data
        content += struct.pack(">I", zlib.crc32(kind + data))
    return content


def test_a_small_picture_of_many_pixels_is_not_unpacked(tmp_path: Path) -> None:
    # As large as those lines may be, when they are deflated: 50 000 x 50 000 pixels of a bit each.
    path = tmp_path / "a.png"
    path.write_bytes(png(50_000, 50_000, 1, bytes(50_000 * 6251 // 1000)))
    tracemalloc.start()
    try:
        with pytest.raises(hw.DataError, match="up to 419430400 are read"):
            read_image(path)
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("compression", ["tiff_adobe_deflate", "packbits", "tiff_lzw"])
def test_a_strip_is_unpacked_as_far_as_it_is_wanted(compression: str, tmp_path: Path) -> None:
    large = np.zeros((3000, 1000), np.uint8)
    Pillow.fromarray(large).save(tmp_path / "a.tif", compression=compression)
    small = np.zeros((40, 1000), np.uint8)
    small[3, 4] = 5
    Pillow.fromarray(small).save(tmp_path / "b.tif", compression=compression)
    # The strip of the large picture, in the place of that of the small one.
    with tifffile.TiffFile(tmp_path / "a.tif") as opened:
        page: Any = opened.pages.first
        opened.filehandle.seek(page.dataoffsets[0])
        strip = opened.filehandle.read(page.databytecounts[0])
    end = (tmp_path / "b.tif").stat().st_size
    with (tmp_path / "b.tif").open("ab") as appended:
        appended.write(strip)
    with tifffile.TiffFile(tmp_path / "b.tif", mode="r+") as opened:
        page = opened.pages.first
        page.tags["StripOffsets"].overwrite(end)
        page.tags["StripByteCounts"].overwrite(len(strip))
    peak, found = memory(lambda: read_image(tmp_path / "b.tif"))
    assert not found.voxels.any()
    assert peak < 2**20 < large.nbytes


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("order", ["<", ">"])
def test_directories_upon_each_other_are_not_read_over_and_over(
    big: bool, order: Any, tmp_path: Path
) -> None:
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, volume()[3], bigtiff=big, byteorder=order, metadata=None)
    read_image(path)
    content = bytearray(path.read_bytes())
    count, entry, form = (8, 20, "Q") if big else (2, 12, "I")
    start = 16 if big else 8
    (tags,) = struct.unpack_from(f"{order}{'Q' if big else 'H'}", content, start)
    after = start + count + tags * entry
    # The next page is the first one; and one that begins within it and never ends.
    for following, tags_there in ((start, None), (start + count + 4, 4000)):
        broken = bytearray(content)
        struct.pack_into(f"{order}{form}", broken, after, following)
        if tags_there is not None:
            struct.pack_into(f"{order}{'Q' if big else 'H'}", broken, following, tags_there)
        path.write_bytes(broken)
        with pytest.raises(hw.DataError, match="the directories of its pages overlap"):
            read_image(path)


def test_strips_that_are_too_large_at_once_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("halfwidth.io.tiff.MOST_OF_SEGMENT", 1000)
    tiff(tmp_path / "a.tif", volume("f8")[3])
    with pytest.raises(hw.DataError, match="strips or tiles are of 25600 bytes each"):
        read_image(tmp_path / "a.tif")


# --------------------------------------------------------------------------- scoring


def test_scoring_takes_the_limit(tmp_path: Path) -> None:
    for side in "pr":
        np.save(tmp_path / f"{side}.npy", volume())
    files = tmp_path / "p.npy", tmp_path / "r.npy"
    with pytest.raises(hw.DataError, match="up to 639999 are read"):
        hw.score_folders(*files, "dsc", max_voxels=639_999)
    assert hw.score_folders(*files, "dsc", max_voxels=640_000).value("dsc", label="1") == 1
    for wrong in (0, -1, True, 2.5, "many"):
        with pytest.raises(hw.OptionError, match=r"max_voxels=.* must be an integer ≥ 1"):
            hw.score_folders(*files, "dsc", max_voxels=wrong)  # type: ignore[arg-type]


def test_a_run_that_was_refused_goes_on_with_a_higher_limit(tmp_path: Path) -> None:
    for side in ("p", "r"):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "a.npy", volume()[:3])
        np.save(tmp_path / side / "b.npy", volume())
    folders, out = (tmp_path / "p", tmp_path / "r"), tmp_path / "out.csv"
    with pytest.raises(hw.DataError, match=r"case b: .*max_voxels="):
        hw.score_folders(*folders, "dsc", max_voxels=500_000, out=out)
    scores = hw.score_folders(*folders, "dsc", max_voxels=700_000, out=out)
    assert "1 of 2 cases were scored by an earlier run" in scores.notes


@pytest.mark.parametrize("metric", ["hd95", "nsd:tolerance=1,definition=surface", "cldice"])
def test_noise_whose_distances_take_too_much_is_refused(metric: str, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    for side in "pr":
        noise = (random.random((30, 60, 60)) < 0.4).astype(np.uint8)
        noise[0, 0, 0] = noise[-1, -1, -1] = 1
        np.save(tmp_path / f"{side}.npy", noise)
    files = tmp_path / "p.npy", tmp_path / "r.npy"
    given: Any = {"spacing": 1, "max_voxels": 110_000}
    assert hw.score_folders(*files, "dsc", **given).value("dsc") > 0.3
    with pytest.raises(hw.DataError, match=r"label 1: .* is it noise\? .*max_voxels=[0-9]{6,}"):
        hw.score_folders(*files, metric, **given)
