"""What a report says of the files it was made from."""

import hashlib
from pathlib import Path

from halfwidth.reports.results import InputFile


def test_a_file_is_known_by_its_hash(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"dice\n0.9\n" * 300_000)
    assert InputFile.from_file(file, "unet").to_dict() == {
        "file": "a.csv",
        "role": "unet",
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    }


def test_a_folder_is_known_by_the_list_that_sha256sum_makes_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "found.v1"
    (folder / "more").mkdir(parents=True)
    for name in ("b.txt", "a.txt", "more/c d.txt"):
        (folder / name).write_text(f"0 0.5 0.5 {name}", encoding="utf-8")
    lines = (
        f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n"
        for name in ("a.txt", "b.txt", "more/c d.txt")
    )
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    assert InputFile.from_file(folder, "").to_dict() == {
        "file": "found.v1/",
        "role": "",
        "sha256": digest,
    }
