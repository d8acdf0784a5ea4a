"""Reading label maps: what libraries write is read, and bad files get one line each."""

from __future__ import annotations

import gzip
import logging
import random
import struct
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from numpy.typing import NDArray
from PIL import Image as Pillow

import halfwidth as hw
from halfwidth.io.grids import Geometry, Image, check_same_geometry
from halfwidth.io.images import IMAGE_SUFFIXES, is_image, read_image, stem

# Published without types, or with some that their own examples break.
nibabel: Any = import_module("nibabel")
sitk: Any = import_module("SimpleITK")

SPACING = (2.5, 0.75, 0.5)
ORIGIN = (-12.5, 30.25, -400.0)
ITK_SUFFIXES = (".nrrd", ".nhdr", ".mha", ".mhd")
# A turn about z and a tilt: no axis of the grid is one of the world.
TURN = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
TILT = np.array([[1.0, 0.0, 0.0], [0.0, 0.96, -0.28], [0.0, 0.28, 0.96]])
DIRECTION = TURN @ TILT


def labels(shape: tuple[int, ...] = (4, 5, 6), most: int = 3) -> NDArray[np.uint8]:
    return np.random.default_rng(7).integers(0, most + 1, shape).astype(np.uint8)


def write_itk(path: Path, voxels: NDArray[Any], *, compress: bool = True) -> Path:
    image = sitk.GetImageFromArray(voxels)
    dimension = voxels.ndim
    image.SetSpacing(SPACING[::-1][:dimension])
    image.SetOrigin(ORIGIN[:dimension])
    image.SetDirection((DIRECTION if dimension == 3 else TURN[:2, :2]).ravel())
    sitk.WriteImage(image, str(path), compress)
    return path


def affine() -> NDArray[np.float64]:
    lps = np.eye(4)
    lps[:3, :3] = DIRECTION * np.array(SPACING[::-1])
    lps[:3, 3] = ORIGIN
    turned: NDArray[np.float64] = np.diag([-1.0, -1.0, 1.0, 1.0]) @ lps
    return turned


def write_nifti(path: Path, voxels: NDArray[Any], where: NDArray[Any] | None = None) -> Path:
    kind = nibabel.Nifti1Image
    image = kind(voxels.T, affine() if where is None else where, dtype=voxels.dtype)
    nibabel.save(image, str(path))
    return path


def write(path: Path, voxels: NDArray[Any]) -> Path:
    """A file of any of the formats."""
    if path.name.endswith((".nii", ".nii.gz")):
        return write_nifti(path, voxels)
    if path.suffix in ITK_SUFFIXES:
        return write_itk(path, voxels)
    if path.suffix == ".png":
        Pillow.fromarray(voxels[0]).save(path)
    elif path.suffix == ".npy":
        np.save(path, voxels)
    else:
        tifffile.imwrite(path, voxels, compression="zlib", photometric="minisblack")
    return path


def complaint(path: Path) -> str:
    with pytest.raises(hw.DataError) as caught:
        read_image(path)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert "\n" not in text
    assert "  " not in text, "a word is missing"
    return text.removeprefix(str(path))


def edited(path: Path, old: bytes, new: bytes) -> Path:
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))
    return path


def patched(path: Path, place: int, form: str, *values: float) -> Path:
    """A file with numbers written over its header."""
    content = bytearray(path.read_bytes())
    struct.pack_into(form, content, place, *values)
    path.write_bytes(content)
    return path


# Names.


def test_the_suffixes_are_these() -> None:
    suffixes = ".nii.gz .nii .nrrd .nhdr .mha .mhd .png .tif .tiff .npy"
    assert " ".join(IMAGE_SUFFIXES) == suffixes


@pytest.mark.parametrize(
    ("name", "known", "short"),
    [
        ("a.b.nii.gz", True, "a.b"),
        ("A.NII.GZ", True, "A"),
        ("a.nii", True, "a"),
        ("case.TIFF", True, "case"),
        ("a.gz", False, "a.gz"),
        ("a.raw", False, "a.raw"),
        ("nii", False, "nii"),
        (".nii.gz", False, ""),
        ("._a.nrrd", False, "._a"),
        (".a.png", False, ".a"),
    ],
)
def test_names_of_images(name: str, known: bool, short: str) -> None:
    assert is_image(Path("folder.png") / name) is known
    assert stem(Path("folder.png") / name) == short


# What is written is read.


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"])
@pytest.mark.parametrize("suffix", [".nii.gz", ".nii", ".nrrd", ".nhdr", ".mha", ".mhd", ".npy"])
def test_every_type_is_read_into_the_smallest(suffix: str, dtype: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"a{suffix}", labels().astype(dtype))
    found = read_image(path)
    assert found.voxels.dtype == np.uint8
    assert found.voxels.flags.c_contiguous
    np.testing.assert_array_equal(found.voxels, labels())


@pytest.mark.parametrize("most", [255, 256, 65535, 65536, 2**32 - 1])
@pytest.mark.parametrize("suffix", [".nii.gz", ".nrrd", ".mha", ".npy", ".tif"])
def test_labels_keep_their_value(suffix: str, most: int, tmp_path: Path) -> None:
    voxels = labels().astype(np.uint32)
    voxels[1, 2, 3] = most
    found = read_image(write(tmp_path / f"a{suffix}", voxels)).voxels
    np.testing.assert_array_equal(found, voxels)
    assert found.dtype == np.min_scalar_type(most)


def test_wide_labels_in_floats_are_exact(tmp_path: Path) -> None:
    voxels = np.full((3, 600, 700), 2**32 - 1, np.float64)
    voxels[0] = 0
    np.save(tmp_path / "a.npy", voxels)
    found = read_image(tmp_path / "a.npy").voxels
    assert found.dtype == np.uint32
    np.testing.assert_array_equal(found, voxels)


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("suffix", ITK_SUFFIXES)
def test_nrrd_and_meta_image_lie_where_itk_says(
    suffix: str, compress: bool, tmp_path: Path
) -> None:
    path = write_itk(tmp_path / f"a{suffix}", labels(), compress=compress)
    check_against_itk(path)
    found = read_image(path)
    assert found.spacing == pytest.approx(SPACING)
    assert found.geometry is not None
    np.testing.assert_allclose(np.array(found.geometry.direction)[:, ::-1], DIRECTION, atol=1e-12)


def check_against_itk(path: Path, tolerance: float = 1e-9) -> None:
    image, found = sitk.ReadImage(str(path)), read_image(path)
    np.testing.assert_array_equal(found.voxels, sitk.GetArrayFromImage(image))
    assert found.geometry is not None
    assert found.spacing == found.geometry.spacing
    assert found.spacing == pytest.approx(image.GetSpacing()[::-1], rel=tolerance)
    assert found.geometry.origin == pytest.approx(image.GetOrigin(), rel=tolerance)
    dimension = image.GetDimension()
    direction = np.array(image.GetDirection()).reshape(dimension, dimension)
    found_direction = np.array(found.geometry.direction)[:, ::-1]
    np.testing.assert_allclose(found_direction, direction, atol=max(tolerance, 1e-12))


@pytest.mark.parametrize("suffix", ITK_SUFFIXES)
def test_planes_with_a_geometry(suffix: str, tmp_path: Path) -> None:
    check_against_itk(write_itk(tmp_path / f"a{suffix}", labels((5, 6))))


@pytest.mark.parametrize("space", ["RAS", "LAS", "LPS", "right-anterior-superior", "scanner-xyz"])
def test_spaces_of_nrrd_are_turned_as_itk_turns_them(space: str, tmp_path: Path) -> None:
    path = write_itk(tmp_path / "a.nrrd", labels())
    check_against_itk(edited(path, b"left-posterior-superior", space.encode()))


@pytest.mark.parametrize("suffix", [".nrrd", ".mha"])
def test_values_with_the_high_byte_first(suffix: str, tmp_path: Path) -> None:
    path = write_itk(tmp_path / f"a{suffix}", labels().astype(np.uint16), compress=False)
    if suffix == ".nrrd":
        edited(path, b"endian: little", b"endian: big")
    else:
        edited(path, b"ByteOrderMSB = False", b"ByteOrderMSB = True")
    np.testing.assert_array_equal(read_image(path).voxels, labels().astype(np.uint16) << 8)


def test_the_same_image_is_the_same_in_every_volume_format(tmp_path: Path) -> None:
    suffixes = (".nii", ".nii.gz", *ITK_SUFFIXES)
    images = [
        read_image(write(tmp_path / f"{place}{suffix}", labels()))
        for place, suffix in enumerate(suffixes)
    ]
    for image in images:
        np.testing.assert_array_equal(image.voxels, images[0].voxels)
        check_same_geometry(image, images[-1], ("a", "b"))


@pytest.mark.parametrize("kind", [nibabel.Nifti1Image, nibabel.Nifti2Image])
@pytest.mark.parametrize("suffix", [".nii", ".nii.gz"])
def test_nifti_lies_where_itk_and_nibabel_say(suffix: str, kind: Any, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    nibabel.save(kind(labels().T, affine()), str(path))
    found = read_image(path)
    np.testing.assert_array_equal(found.voxels, np.asarray(nibabel.load(path).dataobj).T)
    assert found.spacing == pytest.approx(SPACING, rel=1e-6)
    if kind is nibabel.Nifti1Image:
        check_against_itk(path, tolerance=1e-6)


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_nifti_of_either_byte_order_with_a_qform_only(order: str, tmp_path: Path) -> None:
    header = nibabel.Nifti1Header(endianness=order)
    header.set_data_dtype(np.uint16)
    image = nibabel.Nifti1Image(labels().T.astype(np.uint16), None, header)
    image.set_qform(affine(), code=1)
    image.set_sform(None, code=0)
    nibabel.save(image, str(tmp_path / "a.nii"))
    check_against_itk(tmp_path / "a.nii", tolerance=1e-5)


@pytest.mark.parametrize(("code", "millimetres"), [(0, 1), (1, 1000), (2, 1), (3, 0.001)])
def test_units_of_nifti_become_millimetres(code: int, millimetres: float, tmp_path: Path) -> None:
    path = patched(write_nifti(tmp_path / "a.nii", labels()), 123, "<B", code | 8)
    found = read_image(path)
    assert found.spacing == pytest.approx([step * millimetres for step in SPACING], rel=1e-6)
    assert found.geometry is not None
    assert found.geometry.origin == pytest.approx([x * millimetres for x in ORIGIN], rel=1e-6)


def test_a_nifti_without_a_place_has_a_spacing_only(tmp_path: Path) -> None:
    image = nibabel.Nifti1Image(labels().T, None)
    image.header.set_zooms(SPACING[::-1])
    nibabel.save(image, str(tmp_path / "a.nii.gz"))
    found = read_image(tmp_path / "a.nii.gz")
    assert found.spacing == pytest.approx(SPACING)
    assert found.geometry is None


def test_scaled_values_are_labels_where_whole(tmp_path: Path) -> None:
    # Saved from floats into a byte, as many tools do: the slope is 3 / 255 in single precision.
    image = nibabel.Nifti1Image(labels().T.astype(np.float64), affine())
    image.set_data_dtype(np.uint8)
    nibabel.save(image, str(tmp_path / "a.nii.gz"))
    assert nibabel.load(tmp_path / "a.nii.gz").dataobj.slope != 1
    np.testing.assert_array_equal(read_image(tmp_path / "a.nii.gz").voxels, labels())


def test_axes_of_length_one_beyond_the_third_are_dropped(tmp_path: Path) -> None:
    nibabel.save(nibabel.Nifti1Image(labels().T[..., None, None], affine()), tmp_path / "a.nii")
    np.save(tmp_path / "a.npy", labels()[None, None])
    path = write_itk(tmp_path / "a.nrrd", labels())
    edited(path, b"dimension: 3", b"dimension: 4\nspace dimension: 3")
    edited(path, b"space: left-posterior-superior\n", b"")
    edited(path, b"sizes: 6", b"sizes: 1 6")
    edited(path, b"directions: ", b"directions: none ")
    edited(path, b"kinds: ", b"kinds: list ")
    for name in ("a.nii", "a.npy", "a.nrrd"):
        np.testing.assert_array_equal(read_image(tmp_path / name).voxels, labels())


@pytest.mark.parametrize("suffix", [".nii.gz", ".nrrd", ".mha", ".npy"])
def test_a_volume_of_one_slice_stays_a_volume(suffix: str, tmp_path: Path) -> None:
    assert read_image(write(tmp_path / f"a{suffix}", labels((1, 5, 6)))).voxels.shape == (1, 5, 6)


def test_a_gzip_file_in_blocks_and_with_padding(tmp_path: Path) -> None:
    plain = write_nifti(tmp_path / "a.nii", labels((40, 50, 60))).read_bytes()
    blocks = [gzip.compress(plain[start : start + 1000]) for start in range(0, len(plain), 1000)]
    (tmp_path / "b.nii.gz").write_bytes(b"".join(blocks) + bytes(20))
    np.testing.assert_array_equal(read_image(tmp_path / "b.nii.gz").voxels, labels((40, 50, 60)))


@pytest.mark.parametrize("old", [b"space directions", b"both"])
def test_an_nrrd_without_a_spacing_has_none(old: bytes, tmp_path: Path) -> None:
    path = write_itk(tmp_path / "a.nrrd", labels())
    lines = path.read_bytes().split(b"\n")
    left = [line for line in lines if not line.startswith((b"space", b"kinds"))]
    if old == b"space directions":
        left.insert(4, b"spacings: 0.5 0.75 2.5")
    path.write_bytes(b"\n".join(left))
    found = read_image(path)
    assert found.spacing == (SPACING if old == b"space directions" else None)
    assert found.geometry is None


def test_a_meta_image_without_a_spacing_has_none(tmp_path: Path) -> None:
    path = write_itk(tmp_path / "a.mha", labels())
    found = read_image(edited(path, b"ElementSpacing = 0.5 0.75 2.5\n", b""))
    assert (found.spacing, found.geometry) == (None, None)


def test_units_of_nrrd_and_meta_image(tmp_path: Path) -> None:
    path = write_itk(tmp_path / "a.nrrd", labels())
    edited(path, b"kinds:", b'space units: "um" "um" "um"\nkinds:')
    assert read_image(path).spacing == pytest.approx([step / 1000 for step in SPACING])
    path = edited(write_itk(tmp_path / "a.mha", labels()), b"NDims", b"DistanceUnits = cm\nNDims")
    assert read_image(path).spacing == pytest.approx([step * 10 for step in SPACING])
    path = write_itk(tmp_path / "a.nrrd", labels())
    assert "units" in complaint(edited(path, b"kinds:", b'space units: "mile"\nkinds:'))


@pytest.mark.parametrize("mode", ["1", "L", "I;16", "P"])
def test_pictures_hold_what_is_stored(mode: str, tmp_path: Path) -> None:
    voxels: NDArray[Any] = labels((9, 11))
    if mode == "1":
        voxels = voxels > 1
    elif mode == "I;16":
        voxels = voxels.astype(np.uint16) * 300
    picture = Pillow.fromarray(voxels)
    if mode == "P":
        picture = Pillow.frombytes("P", (11, 9), voxels.tobytes())
        picture.putpalette([200, 0, 0, 0, 0, 0, 9, 9, 9, 0, 0, 255] + [0] * 756)
    for name in ("a.png", "a.tif"):
        picture.save(tmp_path / name)
        found = read_image(tmp_path / name)
        np.testing.assert_array_equal(found.voxels, voxels)
        assert found.voxels.dtype == voxels.dtype
        assert (found.spacing, found.geometry) == (None, None)


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_grey_values_of_few_bits_are_not_spread(depth: int, tmp_path: Path) -> None:
    values = labels((3, 8), most=2**depth - 1)
    bits = np.unpackbits(values[..., None], axis=-1)[..., -depth:].reshape(3, -1)
    rows = b"".join(b"\0" + np.packbits(row).tobytes() for row in bits)
    header = struct.pack(">IIBBBBB", 8, 3, depth, 0, 0, 0, 0)
    path = tmp_path / "a.png"
    path.write_bytes(png((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")))
    np.testing.assert_array_equal(read_image(path).voxels, values)


def png(*parts: tuple[bytes, bytes]) -> bytes:
    content = b"\x89PNG\r\n\x1a\n"
    for kind, data in parts:
        content += struct.pack(">I", len(data)) + kind + data
        content += struct.pack(">I", zlib.crc32(kind + data))
    return content


@pytest.mark.parametrize("compression", [None, "tiff_lzw", "tiff_adobe_deflate", "packbits"])
def test_pages_of_tiff_are_a_stack(compression: str | None, tmp_path: Path) -> None:
    pages = [Pillow.fromarray(page) for page in labels()]
    options = {} if compression is None else {"compression": compression}
    pages[0].save(tmp_path / "a.tif", save_all=True, append_images=pages[1:], **options)
    np.testing.assert_array_equal(read_image(tmp_path / "a.tif").voxels, labels())
    pages[1].save(tmp_path / "b.tiff", **options)
    np.testing.assert_array_equal(read_image(tmp_path / "b.tiff").voxels, labels()[1])


@pytest.mark.parametrize("predictor", [1, 2])
@pytest.mark.parametrize("dtype", ["u1", "u2"])
def test_lzw_with_tables_that_fill_and_start_anew(
    predictor: int, dtype: str, tmp_path: Path
) -> None:
    voxels = np.random.default_rng(3).integers(0, 200, (120, 90)).astype(dtype) * 1
    options: dict[str, Any] = {"compression": "tiff_lzw", "tiffinfo": {317: predictor}}
    Pillow.fromarray(voxels).save(tmp_path / "a.tif", **options)
    np.testing.assert_array_equal(read_image(tmp_path / "a.tif").voxels, voxels)
    flat = np.zeros((800, 700), dtype)
    Pillow.fromarray(flat).save(tmp_path / "a.tif", **options)
    np.testing.assert_array_equal(read_image(tmp_path / "a.tif").voxels, flat)


@pytest.mark.parametrize("compression", [None, "zlib"])
def test_tiff_in_tiles(compression: str | None, tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    voxels = labels((3, 40, 50))
    tifffile.imwrite(path, voxels, tile=(16, 32), compression=compression, photometric="minisblack")
    np.testing.assert_array_equal(read_image(path).voxels, voxels)


def test_a_large_picture_is_no_bomb(tmp_path: Path) -> None:
    voxels = np.zeros((9500, 9500), np.uint8)
    voxels[5, 6] = 1
    limit = Pillow.MAX_IMAGE_PIXELS
    assert limit is not None
    assert voxels.size > limit
    Pillow.fromarray(voxels).save(tmp_path / "a.png", compress_level=1)
    assert read_image(tmp_path / "a.png").voxels[5, 6] == 1


def test_a_truth_value_stays_one(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.asfortranarray(labels() > 1))
    found = read_image(str(tmp_path / "a.npy")).voxels
    assert found.dtype == np.bool_
    assert found.flags.c_contiguous


# Values that are no labels.


@pytest.mark.parametrize("suffix", [".nii.gz", ".nrrd", ".mha", ".npy", ".tif"])
@pytest.mark.parametrize(
    ("value", "others", "text"),
    [
        (0.25, 1.0, "looks like probabilities (it holds 0.25, and all values lie from 0 to 1)"),
        (-7.5, 3.0, "holds -7.5, which is no whole number (values from -7.5 to 3)"),
        (np.nan, 1.0, "NaN or infinite"),
        (-np.inf, 1.0, "NaN or infinite"),
        (-2.0, 1.0, "holds the label -2; labels are 0 (background)"),
        (2.0**32, 1.0, "holds the label 4294967296; the greatest allowed is 4294967295"),
    ],
)
def test_values_that_are_no_labels(
    suffix: str, value: float, others: float, text: str, tmp_path: Path
) -> None:
    voxels = np.full((4, 5, 6), others)
    voxels[3, 2, 1] = value
    assert text in complaint(write(tmp_path / f"a{suffix}", voxels))


def test_integers_below_zero_and_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array([[0, -3]], np.int16))
    assert "holds the label -3" in complaint(path)
    np.save(path, np.array([[0, 2**63]], np.uint64))
    assert "holds the label 9223372036854775808" in complaint(path)


@pytest.mark.parametrize("values", [np.array([["a"]]), np.zeros((2, 2), complex)])
def test_arrays_of_no_numbers(values: NDArray[Any], tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", values)
    assert "one whole number per voxel" in complaint(tmp_path / "a.npy")


def test_pickled_objects_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    assert "pickled" in complaint(tmp_path / "a.npy")


# Shapes that are no label maps.


def write_vectors(path: Path) -> Path:
    sitk.WriteImage(sitk.GetImageFromArray(labels((4, 5, 6, 3)), isVector=True), str(path))
    return path


@pytest.mark.parametrize("name", ["a.nrrd", "a.mha", "a.nii", "a.nii.gz"])
def test_several_values_per_voxel(name: str, tmp_path: Path) -> None:
    text = complaint(write_vectors(tmp_path / name))
    assert "a label map has 2 or 3 dimensions, one label per voxel" in text


@pytest.mark.parametrize("kinds", [b"", b"kinds: RGB-color domain domain\n"])
def test_colours_in_an_nrrd_without_vectors(kinds: bytes, tmp_path: Path) -> None:
    head = b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 3 4 5\nencoding: raw\n" + kinds
    (tmp_path / "a.nrrd").write_bytes(head + b"\n" + bytes(60))
    if kinds:
        assert "axis 1 is not an axis of space" in complaint(tmp_path / "a.nrrd")
    else:
        assert read_image(tmp_path / "a.nrrd").voxels.shape == (5, 4, 3)


@pytest.mark.parametrize("suffix", [".nii.gz", ".npy", ".tif"])
@pytest.mark.parametrize("shape", [(3, 4, 5, 6), (7,)])
def test_shapes_that_are_no_label_maps(suffix: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    if suffix == ".tif":
        shape = (3, 4, 5, 6)  # A page has two axes at least.
        tifffile.imwrite(path, labels(shape), imagej=True)
    elif suffix == ".npy":
        np.save(path, labels(shape))
    else:
        nibabel.save(nibabel.Nifti1Image(labels(shape).T, affine()), path)
    text = complaint(path)
    assert "a label map has 2 or 3 dimensions" in text
    assert " x ".join(map(str, shape[::-1])) in text


def test_images_without_voxels(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((3, 0, 4)))
    assert "and so no voxels" in complaint(tmp_path / "a.npy")
    path = patched(write_nifti(tmp_path / "a.nii", labels()), 42, "<h", 0)
    assert "and so no voxels" in complaint(path)
    path = edited(write_itk(tmp_path / "a.nrrd", labels()), b"sizes: 6", b"sizes: 0")
    assert "and so no voxels" in complaint(path)
    path = edited(write_itk(tmp_path / "a.mha", labels()), b"DimSize = 6", b"DimSize = 0")
    assert "and so no voxels" in complaint(path)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "LA"])
@pytest.mark.parametrize("name", ["a.png", "a.tif"])
def test_colours_are_no_labels(mode: str, name: str, tmp_path: Path) -> None:
    Pillow.new(mode, (5, 4)).save(tmp_path / name)
    assert "with a palette" in complaint(tmp_path / name)


def test_animations_and_pages_of_unlike_shape(tmp_path: Path) -> None:
    pages = [Pillow.fromarray(labels((5, 6)) * value) for value in (1, 2)]
    pages[0].save(tmp_path / "a.png", save_all=True, append_images=pages[1:])
    assert "is an animation" in complaint(tmp_path / "a.png")
    pages[0].save(tmp_path / "a.tif", save_all=True, append_images=[Pillow.new("L", (3, 3))])
    assert "2 pages of unlike kind or shape" in complaint(tmp_path / "a.tif")


def test_tiff_of_unclear_or_unread_kinds(tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "a.tif", labels((5, 6)), photometric="miniswhite")
    assert "stores white as 0" in complaint(tmp_path / "a.tif")
    Pillow.fromarray(labels((5, 6)) > 1).save(tmp_path / "a.tif", compression="group4")
    assert "its compression (TIFF's code 4) is not read" in complaint(tmp_path / "a.tif")


# Headers that contradict themselves or their file.


@pytest.mark.parametrize(
    ("place", "form", "values", "text"),
    [
        (80, "<f", [0.6], "0.6 x 0.75 x 2.5 mm (pixdim), and of 0.5 x 0.75 x 2.5 mm (its affine)"),
        (80, "<f", [0.0], "each size must be above zero"),
        (80, "<f", [-0.5], "each size must be above zero"),
        (80, "<f", [np.nan], "each size must be above zero"),
        (280, "<4f", [np.inf, 0, 0, 0], "not finite"),
        (280, "<4f", [0.3, 0.3, 0.0, 0], "right angles"),
        (40, "<h", [0], "gives 0 dimensions"),
        (40, "<h", [8], "gives 8 dimensions"),
        (42, "<h", [-1], "the impossible shape"),
        (70, "<h", [128], "data type 128"),
        (70, "<h", [9999], "data type 9999"),
        (108, "<f", [10.0], "voxels start at byte 10"),
        (108, "<f", [np.nan], "voxels start at byte nan"),
        (108, "<f", [1e9], "its header promises 1 GB"),
        (112, "<2f", [2.0, np.nan], "adds nan"),
        (344, "<4s", [b"ni1\0"], "no NIfTI file in one part"),
        (42, "<3h", [30000, 30000, 30000], "its header promises 27 TB"),
        (46, "<h", [0], "and so no voxels"),
    ],
)
@pytest.mark.parametrize("suffix", [".nii", ".nii.gz"])
def test_nifti_headers_that_are_wrong(
    suffix: str, place: int, form: str, values: list[Any], text: str, tmp_path: Path
) -> None:
    path = patched(write_nifti(tmp_path / "a.nii", labels()), place, form, *values)
    if suffix == ".nii.gz":
        content = path.read_bytes()
        path = tmp_path / "a.nii.gz"
        path.write_bytes(gzip.compress(content))
    assert text in complaint(path)


def test_a_quaternion_that_is_none(tmp_path: Path) -> None:
    path = write_nifti(tmp_path / "a.nii", labels())
    patched(patched(path, 252, "<2h", 1, 0), 256, "<3f", 2.0, 2.0, 2.0)
    assert "does not say where its voxels lie" in complaint(path)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (b"NRRD0004", b"JPEG0004", "is no NRRD file"),
        (b"sizes: 6 5 4", b"sizes: 60000 50000 40000", "promises 120 TB (40000 x 50000 x 60000"),
        (b"sizes: 6 5 4", b"sizes: 6 5 -4", "the impossible shape"),
        (b"sizes: 6 5 4", b"sizes: 6 5 4.5", "whole numbers are expected"),
        (b"sizes: 6 5 4", b"sizes: six", "numbers are expected"),
        (b"sizes: 6 5 4", b"sizes: 6 20", "but 'dimension' is another number"),
        (b"sizes: 6 5 4", b"x: 6 5 4", "does not say 'sizes'"),
        (b"sizes: 6 5 4", b"sizes: 6 5 3\nsizes: 6 5 4", "gives 'sizes' twice"),
        (b"encoding: gzip", b"encoding: bzip2", "stored as 'bzip2'; raw and gzip are read"),
        (b"encoding: gzip", b"encoding: raw", "cut short"),
        (b"encoding: gzip", b"encoding: gzip\nline skip: 1", "'line skip'"),
        (b"encoding: gzip", b"encoding: gzip\nbyte skip: -1", "encoding raw only"),
        (b"encoding: gzip", b"encoding: gzip\nbyte skip: 9", "cut short"),
        (b"type: unsigned char", b"type: block", "of type 'block'"),
        (b"type: unsigned char", b"type: short", "does not say 'endian'"),
        (b"type: unsigned char", b"type: short\nendian: odd", "little and big are allowed"),
        (b"(0.40000000000000002,0.29999999999999999,0)", b"(0,0,0)", "must be above zero"),
        (b"(0.40000000000000002,0.29999999999999999,0)", b"(nan,0,0)", "not finite"),
        (b"(0.40000000000000002,0.29999999999999999,0)", b"(1,0)", "does not fit"),
        (b"(0.40000000000000002,0.29999999999999999,0)", b"(1,1,1)", "right angles"),
        (b"space origin: (", b"space origin: (1,", "space origin"),
        (b"kinds: domain", b"kinds: domain domain", "'kinds' names 4 axes of 3"),
    ],
)
def test_nrrd_headers_that_are_wrong(old: bytes, new: bytes, text: str, tmp_path: Path) -> None:
    assert text in complaint(edited(write_itk(tmp_path / "a.nrrd", labels()), old, new))


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (b"ObjectType = Image", b"GIF89a", "is no MetaImage file"),
        (b"DimSize = 6 5 4", b"DimSize = 60000 50000 40000", "promises 120 TB"),
        (b"DimSize = 6 5 4", b"DimSize = 6 -5 4", "the impossible shape"),
        (b"DimSize = 6 5 4", b"DimSize = 6 20", "NDims is another number"),
        (b"DimSize = 6 5 4", b"DimSizes = 6 5 4", "does not say 'DimSize'"),
        (b"MET_UCHAR", b"MET_UCHAR_ARRAY", "of type 'MET_UCHAR_ARRAY'"),
        (b"BinaryData = True", b"BinaryData = False", "stored as text"),
        (b"CompressedData = True", b"CompressedData = False", "cut short"),
        (b"CompressedData = True", b"CompressedData = True\nHeaderSize = -2", "HeaderSize is -2"),
        (b"CompressedData = True", b"CompressedData = True\nHeaderSize = -1", "not compressed"),
        (b"ElementSpacing = 0.5", b"ElementSpacing = 0", "must be above zero"),
        (b"ElementSpacing = 0.5", b"ElementSpacing = inf", "must be above zero"),
        (b"ElementSpacing = 0.5", b"ElementSpacing = 1 0.5", "do not fit NDims"),
        (b"TransformMatrix = ", b"TransformMatrix = 1 ", "do not fit NDims"),
        (b"TransformMatrix = 0.8", b"TransformMatrix = 8", "right angles"),
        (b"Offset = -12.5", b"Offset = nan", "not finite"),
        (b"NDims = 3", b"NDims = 3\nNDims = 3", "gives 'NDims' twice"),
    ],
)
def test_meta_headers_that_are_wrong(old: bytes, new: bytes, text: str, tmp_path: Path) -> None:
    assert text in complaint(edited(write_itk(tmp_path / "a.mha", labels()), old, new))


@pytest.mark.parametrize("suffix", [".nhdr", ".mhd"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("/etc/passwd", "must lie in the folder of its header"),
        ("../secret.raw", "must lie in the folder of its header"),
        ("..\\secret.raw", "must lie in the folder of its header"),
        ("C:\\secret.raw", "must lie in the folder of its header"),
        ("link.raw", "must lie in the folder of its header"),
        ("below/../../secret.raw", "must lie in the folder of its header"),
        ("gone.raw", "is not in its folder"),
        ("LIST", "several files"),
        ("LIST 2", "several files"),
        ("slice%03d.raw 1 4 1", "several files"),
    ],
)
def test_detached_data_stay_in_their_folder(
    suffix: str, name: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / "secret.raw").write_bytes(bytes(120))
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "link.raw").symlink_to(tmp_path / "secret.raw")
    path = write_itk(folder / f"a{suffix}", labels(), compress=False)
    assert text in complaint(edited(path, b"a.raw", name.encode()))


@pytest.mark.parametrize("suffix", [".nhdr", ".mhd"])
def test_detached_data_below_the_folder_are_read(suffix: str, tmp_path: Path) -> None:
    path = write_itk(tmp_path / f"a{suffix}", labels(), compress=False)
    (tmp_path / "of it").mkdir()
    (tmp_path / "a.raw").rename(tmp_path / "of it" / "a.raw")
    edited(path, b"a.raw", b"of it/a.raw")
    np.testing.assert_array_equal(read_image(path).voxels, labels())


@pytest.mark.parametrize("suffix", [".nrrd", ".mha"])
def test_voxels_at_the_end_of_the_file(suffix: str, tmp_path: Path) -> None:
    path = write_itk(tmp_path / f"a{suffix}", labels(), compress=False)
    if suffix == ".nrrd":
        edited(path, b"encoding: raw", b"encoding: raw\nbyte skip: -1")
        edited(path, b"\n\n", b"\n\nsomething else")
    else:
        edited(path, b"NDims", b"HeaderSize = -1\nNDims")
        edited(path, b"LOCAL\n", b"LOCAL\nsomething else")
    np.testing.assert_array_equal(read_image(path).voxels, labels())


def test_pictures_that_promise_too_much(tmp_path: Path) -> None:
    header = struct.pack(">IIBBBBB", 2**30, 2**30, 8, 0, 0, 0, 0)
    path = tmp_path / "a.png"
    path.write_bytes(png((b"IHDR", header), (b"IDAT", zlib.compress(b"0")), (b"IEND", b"")))
    assert "promises 1.15e+03 PB" in complaint(path)
    tifffile.imwrite(tmp_path / "a.tif", labels((5, 6)))
    with tifffile.TiffFile(tmp_path / "a.tif", mode="r+") as opened:
        opened.pages.first.tags["ImageLength"].overwrite(2**30)
        opened.pages.first.tags["ImageDescription"].overwrite("")
    complaint(tmp_path / "a.tif")


def test_arrays_that_promise_too_much(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", labels((10, 10)))
    edited(tmp_path / "a.npy", b"(10, 10), }      ", b"(100000, 100000)}")
    assert "promises 10 GB (100000 x 100000 voxels), the file has 228 bytes" in complaint(
        tmp_path / "a.npy"
    )


def test_more_voxels_than_are_read(tmp_path: Path) -> None:
    path = edited(write_itk(tmp_path / "a.nhdr", labels()), b"6 5 4", b"100000 100000 1")
    with (tmp_path / "a.raw.gz").open("wb") as opened:
        opened.truncate(10**8)
    assert "max_voxels=10000000000" in complaint(path)


def test_more_voxels_than_the_header_says(tmp_path: Path) -> None:
    path = write_itk(tmp_path / "a.nrrd", np.zeros((8, 512, 512), np.uint8))
    assert "holds more voxels than its header says" in complaint(
        edited(path, b"sizes: 512 512 8", b"sizes: 512 512 2")
    )


# Files that are none.


@pytest.mark.parametrize("suffix", IMAGE_SUFFIXES)
@pytest.mark.parametrize("content", [b"", b"\0", b"garbage\n" * 30, bytes(range(256))])
def test_files_that_are_no_images(suffix: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / f"a{suffix}").write_bytes(content)
    complaint(tmp_path / f"a{suffix}")
    (tmp_path / f"a{suffix}").write_bytes(b"\x1f\x8b" + content)
    complaint(tmp_path / f"a{suffix}")


def test_names_that_are_no_files(tmp_path: Path) -> None:
    write_nifti(tmp_path / "liver.nii.gz", labels())
    assert "did you mean 'liver.nii.gz'?" in complaint(tmp_path / "livr.nii.gz")
    assert "no such file" in complaint(tmp_path / "nowhere" / "a.png")
    assert "is a folder" in complaint(tmp_path)
    (tmp_path / "a.nif").touch()
    assert "cannot tell the format from the suffix '.nif'" in complaint(tmp_path / "a.nif")
    (tmp_path / "a.png").touch()
    assert "the file is empty" in complaint(tmp_path / "a.png")


@pytest.mark.parametrize("suffix", [".nii.gz", ".nrrd", ".mha", ".mhd", ".nhdr", ".png"])
def test_damage_is_noticed_in_every_byte_of_compressed_data(suffix: str, tmp_path: Path) -> None:
    """Readers of ITK give a somewhat different mask here, without a word."""
    path = write(tmp_path / f"a{suffix}", labels())
    data = next((p for p in tmp_path.iterdir() if p.suffix in {".gz", ".zraw"}), path)
    content = data.read_bytes()
    start = {".nii.gz": 10, ".png": 41}.get(suffix)
    if start is None:
        found = max(content.rfind(b"\n\n\x1f\x8b"), content.rfind(b"LOCAL\n"), 0)
        start = found + 20
    for place in range(start, len(content)):
        broken = bytearray(content)
        broken[place] ^= 0x10
        data.write_bytes(broken)
        try:
            found_voxels = read_image(path).voxels
        except hw.DataError:
            continue
        expected = labels()[0] if suffix == ".png" else labels()
        np.testing.assert_array_equal(found_voxels, expected, err_msg=f"byte {place}")


@pytest.mark.parametrize("library", ["nibabel", "tifffile", "PIL"])
def test_a_library_that_is_missing_is_named(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suffix = {"nibabel": ".nii.gz", "tifffile": ".tif", "PIL": ".png"}[library]
    path = write(tmp_path / f"a{suffix}", labels())
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.setitem(sys.modules, name, None)
    installed = "pillow" if library == "PIL" else library
    # An error in the options: no other case can be scored either.
    with pytest.raises(
        hw.OptionError, match=rf"needs {installed}: pip install 'halfwidth\[images\]'"
    ):
        read_image(path)


def test_reading_imports_no_library_before_it_is_needed() -> None:
    code = (
        "import sys, halfwidth.io.images; "
        "print([n for n in ('nibabel', 'SimpleITK', 'tifffile', 'PIL') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Fuzz: an image, or one line that says why not; never another error, noise, or heaps of memory.


@pytest.mark.sampled(7)
@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("suffix", IMAGE_SUFFIXES)
def test_damaged_files_are_images_or_one_line(
    suffix: str,
    compress: bool,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "tifffile")
    caplog.set_level(logging.DEBUG, "nibabel")
    path = tmp_path / f"a{suffix}"
    if suffix in ITK_SUFFIXES:
        write_itk(path, labels(), compress=compress)
    elif suffix in {".tif", ".tiff"}:
        Pillow.fromarray(labels()[0]).save(path, compression="tiff_lzw" if compress else "raw")
    else:
        write(path, labels())
    content = path.read_bytes()
    tracemalloc.start()
    try:
        for broken in damaged(content, seed=len(suffix) * 2 + compress):
            path.write_bytes(broken)
            try:
                told = f"{path}: {read_image(path).voxels.ndim}"
            except hw.DataError as error:
                told = str(error)
            assert told.startswith(f"{path}: ")
            assert "\n" not in told
        assert tracemalloc.get_traced_memory()[1] < 2**26
    finally:
        tracemalloc.stop()
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


def damaged(content: bytes, seed: int) -> list[bytes]:
    draw = random.Random(seed)
    cuts = sorted({*range(0, len(content), 1 + len(content) // 40), len(content) - 1})
    found = [content[:cut] for cut in cuts]
    for _ in range(60):
        broken = bytearray(content)
        for _ in range(draw.choice([1, 1, 2, 8])):
            broken[draw.randrange(len(content))] = draw.choice(
                [0, 1, 48, 57, 45, 127, 255, draw.randrange(256)]
            )
        found.append(bytes(broken))
    return found


# Geometry.


def grid(**changes: Any) -> Image:
    turned = tuple(tuple(row) for row in np.eye(3)[:, ::-1].tolist())
    geometry = Geometry((2.5, 0.75, 0.5), turned, (-10.0, 20.0, 30.0))
    shape = changes.pop("shape", (4, 5, 6))
    geometry = replace(geometry, **changes)
    return Image(np.zeros(shape, np.uint8), geometry.spacing, geometry)


def difference(one: Image, other: Image, **options: bool) -> str:
    with pytest.raises(hw.DataError) as caught:
        check_same_geometry(one, other, ("p.nii", "r.nii"), **options)
    text = str(caught.value)
    assert text.startswith("p.nii and r.nii: ")
    assert "\n" not in text
    return text


def turned(*signs: float) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in (np.diag(signs)[:, ::-1] + 0.0).tolist())


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"shape": (4, 5, 7)}, "shapes differ (4 x 5 x 7 against 4 x 5 x 6 voxels; z, y, x)"),
        ({"shape": (4, 5, 7)}, "resample the prediction to the reference's grid"),
        ({"shape": (6, 5, 4)}, "the axes look swapped"),
        ({"shape": (4, 5)}, "shapes differ (4 x 5 against 4 x 5 x 6 voxels"),
        (
            {"spacing": (2.5, 0.75, 0.6)},
            "spacing differ (spacing 2.5 x 0.75 x 0.6 mm against 2.5 x 0.75 x 0.5 mm)",
        ),
        ({"direction": turned(-1, -1, 1)}, "orientation RAS against LPS"),
        (
            {"direction": ((0, -0.6, 0.8), (0, 0.8, 0.6), (1, 0, 0))},
            "orientation [0.8, -0.6, 0; 0.6, 0.8, 0; 0, 0, 1] against [1, 0, 0; 0, 1, 0; 0, 0, 1]",
        ),
        ({"origin": (-10.0, 20.1, 30.0)}, "origin (-10, 20.1, 30) against (-10, 20, 30) mm in LPS"),
        (
            {"origin": (0.0, 0.0, 0.0), "direction": turned(-1, -1, 1), "spacing": (1, 1, 1)},
            "spacing, orientation, origin differ",
        ),
        ({"origin": (0.0, 0.0, 0.0)}, "or use ignore_geometry=True if the headers are wrong"),
    ],
)
def test_grids_that_differ(changes: dict[str, Any], text: str) -> None:
    assert text in difference(grid(**changes), grid())
    if "shape" in changes:
        assert "--ignore-geometry" not in difference(grid(**changes), grid(), shape_only=True)
    else:
        check_same_geometry(grid(**changes), grid(), ("p", "r"), shape_only=True)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"spacing": (2.502, 0.75, 0.5)},
        {"direction": ((0.0, 0.0005, 1.0), (0.0, 1.0, -0.0005), (1.0, 0.0, 0.0))},
        {"origin": (-10.009, 20.0, 30.0)},
    ],
)
def test_grids_that_differ_by_rounding(changes: dict[str, Any]) -> None:
    check_same_geometry(grid(**changes), grid(), ("p", "r"))


def test_a_hundredth_of_a_millimetre_is_much_in_a_microscope() -> None:
    small = {"spacing": (0.002, 0.002, 0.002), "origin": (0.0, 0.0, 0.0)}
    moved = grid(**{**small, "origin": (0.005, 0.0, 0.0)})
    assert "origin differ" in difference(moved, grid(**small))


def test_only_what_both_have_is_compared() -> None:
    bare = Image(grid().voxels, None, None)
    spaced = Image(grid().voxels, (1.0, 1.0, 1.0), None)
    check_same_geometry(bare, grid(), ("p", "r"))
    check_same_geometry(grid(), bare, ("p", "r"))
    check_same_geometry(spaced, bare, ("p", "r"))
    text = difference(spaced, grid())
    assert "spacing 1 x 1 x 1 mm against 2.5 x 0.75 x 0.5 mm" in text
    assert "origin" not in text


def test_files_that_differ_by_a_mirrored_axis(tmp_path: Path) -> None:
    one = read_image(write_nifti(tmp_path / "p.nii", labels(), np.diag([1.0, 1, 1, 1])))
    other = read_image(write_nifti(tmp_path / "r.nii", labels(), np.diag([-1.0, 1, 1, 1])))
    assert "orientation differ (orientation RAS against LAS)" in difference(one, other)


# Real files.


@pytest.mark.parametrize("name", ["Brainstem", "Cochlea-Lt"])
def test_real_nrrd(name: str, shared: Path) -> None:
    path = shared / "data" / "head_neck_ct" / "oncologist" / "0522c0017" / f"{name}.nrrd"
    check_against_itk(path)
    found = read_image(path)
    assert found.voxels.shape == (156, 512, 512)
    assert found.spacing == pytest.approx((2.5, 0.98, 0.98))
    other = read_image(
        shared / "data" / "head_neck_ct" / "radiographer" / path.parent.name / path.name
    )
    check_same_geometry(other, found, ("radiographer", "oncologist"))


@pytest.mark.parametrize(
    "name",
    [
        "totalseg/example_seg.nii.gz",
        "totalseg/example_seg_fast.nii.gz",
        "spine/semantic_ref.nii.gz",
        "spine/unmatched_instance_pred.nii.gz",
    ],
)
def test_real_nifti(name: str, shared: Path) -> None:
    path = shared / "data" / name
    check_against_itk(path, tolerance=1e-5)
    found = read_image(path)
    np.testing.assert_array_equal(found.voxels, np.asarray(nibabel.load(path).dataobj).T)


def test_reading_takes_no_second_volume(tmp_path: Path) -> None:
    voxels = np.zeros((64, 256, 256), np.uint8)
    voxels[10:20, 50:90, 50:90] = 3
    for name in ("a.nii.gz", "a.nrrd", "a.mha", "a.nii"):
        path = write(tmp_path / name, voxels)
        peak, found = memory(lambda path=path: read_image(path))  # type: ignore[misc]
        np.testing.assert_array_equal(found.voxels, voxels)
        assert peak < 1.5 * voxels.nbytes, name
    path = write_itk(tmp_path / "f.nrrd", voxels.astype(np.float32))
    peak, found = memory(lambda: read_image(path))
    assert found.voxels.dtype == np.uint8
    assert peak < 1.5 * voxels.nbytes * 4


def memory(read: Callable[[], Image]) -> tuple[int, Image]:
    tracemalloc.start()
    try:
        found = read()
        return tracemalloc.get_traced_memory()[1], found
    finally:
        tracemalloc.stop()
