"""Reading NumPy files: numbers and text, never objects, and a word on every file that is none."""

from __future__ import annotations

import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.io.arrays import read_array

ARRAYS: dict[str, Any] = {
    "integers": np.arange(7, dtype=np.uint8),
    "scores": np.linspace(0, 1, 12).reshape(4, 3),
    "half": np.linspace(0, 1, 5, dtype=np.float16),
    "right": np.array([True, False, True]),
    "text": np.array(["a", "größe", "測試"]),
    "bytes": np.array([b"a", b"bc"]),
    "big_endian": np.arange(4, dtype=">f8"),
    "columns_first": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "empty": np.zeros((0, 3)),
}


def complaint(path: Path | str) -> str:
    with pytest.raises(hw.DataError) as caught:
        read_array(path)
    text = str(caught.value)
    assert "\n" not in text
    assert "  " not in text, "a word is missing"
    return text


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("suffix", ["npy", "npz", "NPY"])
def test_what_is_written_is_read(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.{suffix}"
    with path.open("wb") as file:
        if suffix == "npz":
            np.savez_compressed(file, **{name: ARRAYS[name]})
        else:
            np.save(file, ARRAYS[name])
    found = read_array(str(path))
    assert found.dtype == ARRAYS[name].dtype
    np.testing.assert_array_equal(found, ARRAYS[name])


@pytest.mark.parametrize("name", ["y", "p", "of model"])
def test_an_array_among_several_is_named_after_a_colon(name: str, tmp_path: Path) -> None:
    arrays: dict[str, Any] = {"y": np.arange(3), "p": np.ones(2), "of model": np.zeros(4)}
    np.savez(tmp_path / "all.npz", **arrays)
    np.testing.assert_array_equal(read_array(f"{tmp_path / 'all.npz'}:{name}"), arrays[name])


def test_the_only_array_may_be_named_too(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", np.arange(3))
    np.testing.assert_array_equal(read_array(f"{tmp_path / 'one.npz'}:arr_0"), np.arange(3))


def test_several_arrays_ask_which(tmp_path: Path) -> None:
    path = tmp_path / "all.npz"
    np.savez(path, y=np.arange(3), p=np.arange(3))
    assert complaint(path) == f"{path}: holds 2 arrays (y, p); say which: {path}:NAME"


@pytest.mark.parametrize("name", ["q", "Y", ""])
def test_a_name_that_no_array_has_lists_those_there_are(name: str, tmp_path: Path) -> None:
    path = tmp_path / "all.npz"
    np.savez(path, y=np.arange(3), p=np.arange(3))
    assert complaint(f"{path}:{name}").startswith(f"{path}: no array {name!r}; it holds y, p")


class Harmful:
    """What a file could run, if it were let."""

    ran = False

    def __reduce__(self) -> tuple[Any, ...]:
        return setattr, (Harmful, "ran", True)


@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_pickled_objects_are_refused_and_never_run(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"objects.{suffix}"
    objects = np.array([Harmful(), None], dtype=object)
    if suffix == "npy":
        np.save(path, objects, allow_pickle=True)
    else:
        np.savez(path, y=objects)
    text = complaint(path)
    assert text.startswith(f"{path}: holds pickled Python objects, which could run code")
    assert "save plain numbers or text" in text
    assert not Harmful.ran


@pytest.mark.parametrize("size", [0, 5, 20, 100, 130, 150])
def test_a_file_that_is_cut_short(size: int, tmp_path: Path) -> None:
    path = tmp_path / "cut.npy"
    np.save(path, np.arange(50))
    path.write_bytes(path.read_bytes()[:size])
    assert complaint(path).startswith(f"{path}: ")


@pytest.mark.parametrize("name", ["t.csv", "scores", "y.np", "y.txt", "y.pt"])
def test_another_suffix_is_told_from_the_two_that_are_read(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("0\n1\n")
    text = complaint(tmp_path / name)
    assert text.startswith(f"{tmp_path / name}: arrays are read from .npy and .npz; a table goes ")


def test_a_file_that_is_absent_proposes_a_near_one(tmp_path: Path) -> None:
    np.save(tmp_path / "targets.npy", np.arange(3))
    near = tmp_path / "target.npy"
    assert complaint(near) == f"{near}: no such file; did you mean 'targets.npy'?"
    far = tmp_path / "no/such.npy"
    assert complaint(far) == f"{far}: no such file"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "y.npy").mkdir()
    assert complaint(tmp_path / "y.npy").startswith(f"{tmp_path / 'y.npy'}: ")


def test_an_archive_without_arrays_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "none.npz", "w"):
        pass
    assert complaint(tmp_path / "none.npz").startswith(f"{tmp_path / 'none.npz'}: ")


def _npy(header: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


@pytest.mark.parametrize("suffix", ["npy", "npz"])
@pytest.mark.parametrize(
    "header",
    [
        b"{",
        b"",
        b"}{",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000,), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"9" * 4000 + b",), }",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': 'abc', }",
        b"{'descr': 'xx', 'fortran_order': False, 'shape': (1,), }",
        b"[" * 3000,
    ],
    ids=range(9),
)
def test_a_header_that_promises_anything(header: bytes, suffix: str, tmp_path: Path) -> None:
    path, content = tmp_path / f"t.{suffix}", _npy(header) + bytes(64)
    if suffix == "npy":
        path.write_bytes(content)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.npy", content)
    assert str(path) in complaint(path)


@pytest.mark.parametrize("version", [(3, 0), (9, 9)])
def test_versions_of_the_format(version: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "t.npy"
    np.save(path, np.arange(3.0))
    path.write_bytes(b"\x93NUMPY" + bytes(version) + path.read_bytes()[8:])
    assert "is no NumPy file, or is cut short" in complaint(path)


def test_an_array_that_python_2_wrote(tmp_path: Path) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3L,), }"
    path = tmp_path / "t.npy"
    path.write_bytes(_npy(header.ljust(117) + b"\n") + np.arange(3.0).tobytes())
    assert read_array(path).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "start", [b"\x93NUMPY\xff\xff\xdf\xff\xff\xff", b"\x93NUMPY\x02\x00\x80\x80\x80\x80"]
)
def test_a_header_that_promises_to_be_long_gets_no_room(start: bytes, tmp_path: Path) -> None:
    path = tmp_path / "y.npy"
    path.write_bytes(start + b" " * 200)
    tracemalloc.start()
    try:
        assert "no NumPy file" in complaint(path)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("kind", "refused"), [(float, True), (np.int8, False)])
def test_an_archive_that_fills_the_memory(kind: type, refused: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, a=np.zeros(10**7, dtype=kind))
    if refused:
        with pytest.raises(hw.DataError, match=r"'a' unpacks to 80 MB from 0.078 MB; at most 200 "):
            read_array(path)
    else:
        assert len(read_array(path)) == 10**7
