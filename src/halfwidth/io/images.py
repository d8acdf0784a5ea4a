"""Reading label maps and masks: NIfTI, NRRD, MetaImage, PNG, TIFF and NumPy files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, one_line, proposed, shortened
from halfwidth.io.grids import Image
from halfwidth.io.image_headers import meta_header, nrrd_header
from halfwidth.io.label_maps import MOST_VOXELS
from halfwidth.io.nifti import nifti_header
from halfwidth.io.paths import no_such_file
from halfwidth.io.pictures import npy_header, read_npy, read_png
from halfwidth.io.tiff import read_tiff
from halfwidth.io.voxel_data import Header, read_labels, read_numbers

EXTRA = "pip install 'halfwidth[images]'"


def is_image(path: Path) -> bool:
    """Whether a file's name is that of an image; names that start with a dot are hidden files."""
    return not path.name.startswith(".") and _suffix(path) is not None


def stem(path: Path) -> str:
    """The file's name without the suffix of an image.

    >>> stem(Path("case_7.left.nii.gz"))
    'case_7.left'
    """
    return path.name[: len(path.name) - len(_suffix(path) or "")]


def files_of(path: Path) -> tuple[Path, ...]:
    """The files that an image consists of: one, or a header and its voxels."""
    headers = {".nrrd": nrrd_header, ".nhdr": nrrd_header, ".mha": meta_header, ".mhd": meta_header}
    read = headers.get(_suffix(path) or "")
    if read is None:
        return (path,)
    try:
        data = read(path).data
    except (DataError, OSError):
        # Reading it will report what is wrong with it.
        return (path,)
    return (path,) if data == path else (path, data)


def read_image(path: str | Path, *, max_voxels: int = MOST_VOXELS) -> Image:
    """Read a label map or a mask from a file of any known suffix.

    Values must be whole and not negative; they may be stored as any type of number. Axes come in
    the order (z, y, x) or (y, x), whatever the order in the file; axes of length one beyond the
    third are dropped. World coordinates are LPS for every format.

    PNG, TIFF and ``.npy`` files have no spacing and no geometry: the resolution in a TIFF file is
    mostly one for printing, and is not taken for one in space. Of a palette the index is the label.
    NRRD and MetaImage files without a spacing have none either (other readers assume 1 mm).

    ``path``: ``.nii``, ``.nii.gz``, ``.nrrd``, ``.nhdr``, ``.mha``, ``.mhd``, ``.png``, ``.tif``,
    ``.tiff`` or ``.npy``; ``max_voxels``: images of more voxels are refused before they are
    unpacked; those with labels above 255 count twice, above 65535 four times.
    """
    return _read(path, _READERS, max_voxels)


def read_map(path: str | Path, *, max_voxels: int = MOST_VOXELS) -> Image:
    """Read a map of numbers, such as probabilities, in single precision.

    ``path``: as in `read_image`, without PNG and TIFF, whose numbers stand for others;
    ``max_voxels``: of maps of so many voxels, four bytes are taken by each.
    """
    return _read(path, _MAPS, max_voxels)


Readers = Mapping[str, tuple[str, Callable[[Path, int], Image]]]


def _read(path: str | Path, readers: Readers, max_voxels: int) -> Image:
    file = Path(path)
    _check_exists(file)
    suffix = _suffix(file)
    if suffix is None or suffix not in readers:
        raise DataError(
            f"{file}: cannot tell the format from the suffix {file.suffix or '(none)'!r}; use "
            f"{shortened(tuple(readers))}{proposed(file.suffix, readers)}"
        )
    if not file.stat().st_size:
        raise DataError(f"{file}: the file is empty")
    kind, read = readers[suffix]
    try:
        return read(file, max_voxels)
    except DataError:
        raise
    except ImportError as error:
        library = _LIBRARIES.get((error.name or "").partition(".")[0], error.name)
        # No fault of this file: none of its kind can be read.
        raise OptionError(f"{file}: reading {kind} needs {library}: {EXTRA}") from None
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({one_line(error.strerror or error)})") from None
    except MemoryError:
        raise DataError(f"{file}: does not fit into memory") from None
    except Exception as error:  # noqa: BLE001 -- each library raises a dozen kinds of its own
        raise DataError(f"{file}: cannot be read as {kind} ({one_line(error)})") from None


def _suffix(path: Path) -> str | None:
    name = path.name.lower()
    return next((suffix for suffix in IMAGE_SUFFIXES if name.endswith(suffix)), None)


def _check_exists(file: Path) -> None:
    if file.is_dir():
        raise DataError(f"{file}: is a folder; name a file ({shortened(IMAGE_SUFFIXES)})")
    if file.is_file():
        return
    if file.exists():
        raise DataError(f"{file}: is no plain file")
    raise no_such_file(file)


def _read_nifti(file: Path, most: int) -> Image:
    return _image(file, nifti_header(file), most)


def _read_nrrd(file: Path, most: int) -> Image:
    return _image(file, nrrd_header(file), most)


def _read_meta(file: Path, most: int) -> Image:
    return _image(file, meta_header(file), most)


def _image(file: Path, header: Header, most: int) -> Image:
    labels = read_labels(file, header, most)
    return Image(labels, header.spacing, header.geometry, header.notes)


def _unplaced(read: Callable[[Path, int], NDArray[Any]]) -> Callable[[Path, int], Image]:
    """A reader of voxels that lie nowhere."""
    return lambda file, most: Image(read(file, most), None, None)


# What is imported, and the name under which it is installed.
_LIBRARIES = {"PIL": "pillow", "nibabel": "nibabel", "tifffile": "tifffile"}
_READERS: dict[str, tuple[str, Callable[[Path, int], Image]]] = {
    ".nii.gz": ("NIfTI", _read_nifti),
    ".nii": ("NIfTI", _read_nifti),
    ".nrrd": ("NRRD", _read_nrrd),
    ".nhdr": ("NRRD", _read_nrrd),
    ".mha": ("MetaImage", _read_meta),
    ".mhd": ("MetaImage", _read_meta),
    ".png": ("PNG", _unplaced(read_png)),
    ".tif": ("TIFF", _unplaced(read_tiff)),
    ".tiff": ("TIFF", _unplaced(read_tiff)),
    ".npy": ("NumPy", _unplaced(read_npy)),
}


def _numbers_of(header_of: Callable[[Path], Header]) -> Callable[[Path, int], Image]:
    """A reader of numbers that lie where a header says."""

    def read(file: Path, most: int) -> Image:
        header = header_of(file)
        numbers = read_numbers(file, header, most)
        return Image(numbers, header.spacing, header.geometry, header.notes)

    return read


def _read_npy_map(file: Path, most: int) -> Image:
    header, by_columns = npy_header(file)
    numbers = read_numbers(file, header, most)
    return Image(np.ascontiguousarray(numbers.T) if by_columns else numbers, None, None)


_MAPS = {
    ".nii.gz": ("NIfTI", _numbers_of(nifti_header)),
    ".nii": ("NIfTI", _numbers_of(nifti_header)),
    ".nrrd": ("NRRD", _numbers_of(nrrd_header)),
    ".nhdr": ("NRRD", _numbers_of(nrrd_header)),
    ".mha": ("MetaImage", _numbers_of(meta_header)),
    ".mhd": ("MetaImage", _numbers_of(meta_header)),
    ".npy": ("NumPy", _read_npy_map),
}
IMAGE_SUFFIXES = tuple(_READERS)
