"""Every verb that writes a file: never onto what it reads, and whole or not at all."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import Run

from halfwidth.cli.main import command

FAST = ("--metric", "dsc", "--method", "t")
PLANNED = ("--halfwidth", 0.05)
# A small command of each verb that writes; what it writes comes last.
VERBS: dict[str, tuple[Any, ...]] = {
    "ci": ("ci", "a.csv", *FAST, "-o", "old.csv"),
    "ci --plot": ("ci", "a.csv", *FAST, "--plot", "old.svg"),
    "detect": ("detect", "found.csv", "true.csv", "--metric", "sensitivity", "-o", "old.csv"),
    "score": ("score", "a.npy", "b.npy", "--metric", "dsc", "-o", "old.csv"),
    "check": ("check", "a.csv", "--metric", "dsc", "-o", "old.csv"),
    "compare": ("compare", "a.csv", "b.csv", *FAST, "-o", "old.csv"),
    "rank": ("rank", "a.csv", "b.csv", "--metric", "dsc", "--n-resamples", 99, "-o", "old.csv"),
    "gate": ("gate", "a.csv", "--against", "b.csv", *FAST, "--margin", 0.1, "-o", "old.csv"),
    "runs": ("runs", "a.csv", "--value", "dice", "-o", "old.csv"),
    "convert": ("convert", "a.csv", "--metric", "dsc", "-o", "old.csv"),
    "convert to Parquet": ("convert", "a.csv", "--metric", "dsc", "-o", "old.parquet"),
    "report": ("report", "a.csv", *FAST, "--no-figures", "-o", "old.html"),
    "report --json": ("report", "old.json", *FAST, "--no-figures", "--json", "-o", "new.html"),
    "review": ("review", "published.csv", "--metric", "dsc", "-o", "old.csv"),
    "plan pilot": ("plan", "pilot", "a.csv", *FAST, "-n", 20, "--n-samples", 100, "-o", "old.csv"),
    "plan subsample": ("plan", "subsample", "a.csv", "--metric", "dsc", "-o", "old.csv"),
    "plan mean": ("plan", "mean", "--metric", "dsc", "--sd", 0.1, *PLANNED, "-o", "old.csv"),
    "study init": ("study", "init", "tables", "--force", "-o", "old.toml"),
}
WITH_INPUT = {name: words for name, words in VERBS.items() if name != "plan mean"}
# Those that write by the same function of the verbs of plan.
AS_PLAN_MEAN = {f"plan {name}" for name in ("difference", "quantile", "proportion", "auroc")}
AS_PLAN_MEAN |= {"plan classes", "plan runs", "plan calibration"}
# Writes a folder of figures; tests/cli/test_study_plot.py says what of it.
OF_FOLDERS = {"study plot"}


def writers() -> Iterator[str]:
    def walk(parser: Any, words: tuple[str, ...]) -> Iterator[str]:
        for name, one in parser.commands.items():
            if hasattr(one, "commands"):
                yield from walk(one, (*words, name))
            elif any(param.name in ("out", "plot") for param in one.params):
                yield " ".join((*words, name))

    return walk(command(), ())


def test_no_verb_that_writes_is_left_out() -> None:
    assert {*writers()} == {*VERBS} - {
        "ci --plot",
        "report --json",
        "convert to Parquet",
    } | AS_PLAN_MEAN | OF_FOLDERS


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(1)
    (folder / "tables").mkdir()
    for name in ("a.csv", "b.csv", "tables/net_dsc.csv"):
        dice = rng.beta(9, 2, 20).round(4)
        table = pd.DataFrame({"case": [f"c{i}" for i in range(20)], "dice": dice})
        table.to_csv(folder / name, index=False)
    for name in ("a.npy", "b.npy"):
        np.save(folder / name, rng.integers(0, 2, (8, 8)).astype(np.uint8))
    box = {"image": [f"i{i}" for i in range(9)], "x1": 0, "y1": 0, "x2": 9, "y2": 9, "class": "a"}
    pd.DataFrame(box).to_csv(folder / "true.csv", index=False)
    pd.DataFrame({**box, "score": 0.9}).to_csv(folder / "found.csv", index=False)
    published = pd.DataFrame({"label": ["x"], "n": [50], "mean": [0.85], "sd": [0.1]})
    published.to_csv(folder / "published.csv", index=False)
    (folder / "old.json").write_text('{"metric": {"a": 1}}')
    return folder


@pytest.fixture
def folder(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "here"
    shutil.copytree(data, here)
    monkeypatch.chdir(here)
    return here


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def same(file: Path) -> Path:
    return file


def dotted(file: Path) -> Path:
    return Path("tables", "..", file)


def symlink(file: Path) -> Path:
    return _linked(file, Path.symlink_to)


def hard_link(file: Path) -> Path:
    return _linked(file, Path.hardlink_to)


def _linked(file: Path, link: Callable[[Path, Path], None]) -> Path:
    other = file.with_name(f"link{file.suffix}")
    link(other, file.resolve())
    return other


@pytest.mark.sampled(3)
@pytest.mark.parametrize("spelled", [same, dotted, symlink, hard_link])
@pytest.mark.parametrize("verb", WITH_INPUT)
def test_an_input_is_no_output(
    run: Run, folder: Path, verb: str, spelled: Callable[[Path], Path]
) -> None:
    words = WITH_INPUT[verb]
    read = next(Path(str(word)) for word in words if Path(str(word)).exists())
    if verb == "study init":
        read = Path("tables/net_dsc.csv")
    output = spelled(read)
    if verb == "report --json":
        output = output.with_suffix(".html")
    before = contents(folder)
    ran = run(*words[:-1], output)
    assert ran.status == 2
    assert len(ran.err.splitlines()) == 1
    assert str(output.with_suffix("")) in ran.err
    assert contents(folder) == before


@pytest.mark.parametrize("read", ["labels/i1.txt", "labels/i1.xml", "labels/i1.png"])
def test_an_output_is_no_file_of_a_folder_that_is_read(run: Run, folder: Path, read: str) -> None:
    (folder / "labels").mkdir()
    (folder / read).write_bytes(b"read")
    ran = run("detect", "found.csv", "labels", "--metric", "ap50", "--format", "csv", "-o", read)
    assert ran.err == (
        f"halfwidth: {read}: lies in labels, which is read here; name another file for the output\n"
    )
    assert (folder / read).read_bytes() == b"read"


def test_standard_input_is_no_output(run: Run, folder: Path) -> None:
    before, stdin = contents(folder), os.dup(0)
    with Path("a.csv").open("rb") as opened:
        os.dup2(opened.fileno(), 0)
    try:
        ran = run("ci", "-", *FAST, "-o", "a.csv")
    finally:
        os.dup2(stdin, 0)
        os.close(stdin)
    assert ran.err.startswith("halfwidth: a.csv: is read here (-)")
    assert contents(folder) == before


@pytest.mark.usefixtures("folder")
def test_a_figure_does_not_replace_what_it_is_drawn_of(run: Run) -> None:
    Path("link.svg").symlink_to("new.svg")
    ran = run("ci", "a.csv", *FAST, "--format", "csv", "-o", "new.svg", "--plot", "link.svg")
    assert ran.err == "halfwidth: link.svg: two outputs have this name; name a file for each\n"
    assert not Path("new.svg").exists()


def full(_: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def read_only(opens: Callable[..., int]) -> Callable[..., int]:
    def opened(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return opens(path, flags, *more, **named)

    return opened


# Of a report, what is written first.
@pytest.mark.sampled(7)
@pytest.mark.parametrize("verb", sorted(VERBS.keys() - {"report --json"}))
def test_what_cannot_be_written_leaves_what_was_there(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    words = VERBS[verb]
    Path(words[-1]).write_bytes(b"as it was")
    before = contents(folder)
    for name, fault, reason in (
        ("fsync", full, "No space left on device"),
        ("open", read_only(os.open), "Permission denied"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(os, name, fault)
            ran = run(*words)
        assert ran.status == 2
        assert ran.err.splitlines()[-1].endswith(f"cannot be written ({reason})")
        left = contents(folder)
        # Cases that are scored are kept for the same command, once there is room.
        left.pop("old.csv.partial", None)
        assert left == before


@pytest.mark.usefixtures("folder")
def test_a_link_and_the_permissions_of_a_file_stay(run: Run) -> None:
    Path("old.csv").touch(0o600)
    Path("latest.csv").symlink_to("old.csv")
    assert run("ci", "a.csv", *FAST, "-o", "latest.csv").status == 0
    assert Path("latest.csv").is_symlink()
    assert Path("old.csv").read_text().startswith("label,")
    assert Path("old.csv").stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("folder")
def test_a_device_is_written_to_and_stays(run: Run) -> None:
    Path("device").symlink_to("/dev/null")
    before = Path("/dev/null").stat()
    assert run("ci", "a.csv", *FAST, "--format", "csv", "-o", "device").status == 0
    assert os.path.samestat(Path("device").stat(), before)


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["ci --plot", "convert", "convert to Parquet", "report"])
def test_a_disk_that_fills_up_leaves_what_was_there(folder: Path, verb: str) -> None:
    words = [str(word) for word in VERBS[verb]]
    Path(words[-1]).write_bytes(b"as it was")
    before = contents(folder)
    ran = subprocess.run(
        [sys.executable, "-m", "halfwidth", *words],
        capture_output=True,
        check=False,
        encoding="utf-8",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[-1].endswith("cannot be written (File too large)")
    assert contents(folder) == before
