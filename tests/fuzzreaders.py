"""Every reader against damaged files, in a process of its own that may take 2 GB and no more.

A file is read, and its values are used; or it is refused in one line. Anything else is a fault:
a traceback, a warning, noise, a crash, too much memory, or `MOST_SECONDS` of computing.
Each input follows from its format and a seed:

    python tests/fuzzreaders.py --count 20000 --seed 7
    python tests/fuzzreaders.py --cpu-minutes 60
    python tests/fuzzreaders.py --format workbook --seed 1234 --count 1 --keep FOLDER
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from foreignfiles import FIXTURES, IMPORTED
from fuzzdamage import damage_in_kind, zip_of
from fuzzfiles import KINDS, Source, damaged, write_good_files
from fuzzobjects import OBJECT_FORMATS, damaged_objects, read_damaged

__all__ = ["FIXTURES", "FORMATS", "Format", "Tally", "inspect_log", "outcome", "source_of", "tried"]

LIMIT = 2 * 10**9
# Of one input, beyond what the process had: the inputs are small, or should say so.
MOST_MEMORY = 10**9
MOST_SECONDS = 20
LONGEST = 1000
# A tab may stand in a name, and does nothing to a terminal.
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e]")
PLAIN_TABLES = ("csv", "tsv", "txt", "parquet", "xlsx")
# Good files of a format among which one is damaged.
VARIANTS = 24


# --------------------------------------------------------------------------- formats

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Format:
    """What makes the files of a format, the main one first, and what reads them."""

    files: Callable[[Source], Files]
    read: Callable[[Path, Source], object]


def _grammar(name: str, read: Callable[[Path, Source], object], *, intact: float = 0.2) -> Format:
    """Files made by the grammar of `fuzzfiles`, of which a share is left as it is."""
    kind = KINDS[name]

    def files(r: Source) -> Files:
        if name in ("text", "labels", "tolerances", "study"):
            r.columns = tuple(r.choice(kind.commands)[0].split())
            content = kind.made(r)
        else:
            # These take long to make: a few of each are enough to damage.
            inner = Source(r.randrange(VARIANTS))
            inner.columns = tuple(inner.choice(kind.commands)[0].split())
            content = _made(name, inner)
        return {
            f"f{r.choice(kind.suffixes)}": content if r.random() < intact else _faulty(r, content)
        }

    return Format(files, read)


_kept: dict[tuple[str, object], Any] = {}


def _made(name: str, inner: Source) -> bytes:
    key = (name, inner.getstate())
    if key not in _kept:
        _kept[key] = KINDS[name].made(inner)
    content: bytes = _kept[key]
    return content


def _faulty(r: Source, content: bytes) -> bytes:
    return damaged(r, content) if r.random() < 0.2 else damage_in_kind(r, content)


def _npz(r: Source) -> Files:
    import io

    arrays = {name: np.arange(12.0) for name in ("y", "p", "odd")}
    made = io.BytesIO()
    saving: Any = np.savez_compressed if r.random() < 0.5 else np.savez
    saving(made, **dict(list(arrays.items())[: r.choice([1, 1, 2, 3])]))
    return {"f.npz": damage_in_kind(r, made.getvalue())}


def _images(names: Sequence[str]) -> Format:
    def files(r: Source) -> Files:
        from fuzzimages import FILES, mutated

        name = r.choice(names)
        suffix = FILES[name][0]
        parts = dict(_image(name))
        hit = r.choice(sorted(parts))
        if suffix == ".nii.gz" and r.random() < 0.7:
            parts[hit] = _repacked(r, parts[hit], suffix)
        else:
            parts[hit] = mutated(parts[hit], r, suffix)
        return {f"a{suffix}": parts.pop(f"a{suffix}"), **parts}

    def read(path: Path, _: Source) -> None:
        from halfwidth.io.images import read_image

        found = read_image(path)
        assert found.voxels.dtype.kind in "bu"
        assert found.voxels.ndim in (2, 3)

    return Format(files, read)


def _image(name: str) -> Files:
    from fuzzimages import FILES

    if ("image", name) not in _kept:
        suffix, make = FILES[name]
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder, f"a{suffix}"))
            _kept["image", name] = {one.name: one.read_bytes() for one in Path(folder).iterdir()}
    found: Files = _kept["image", name]
    return found


def _repacked(r: Source, content: bytes, suffix: str) -> bytes:
    import gzip

    from fuzzimages import mutated

    return gzip.compress(mutated(gzip.decompress(content), r, suffix), 1, mtime=0)


def _store(r: Source) -> Files:
    """The store of a small study, of whose files one is damaged."""
    if ("store", "") not in _kept:
        from halfwidth import study
        from halfwidth.study.specs.parsing import parse_spec

        population = {"name": "beta", "family": "beta", "a": 2, "b": 8}
        settings = {"name": "small", "seed": 1, "sizes": [10], "samples": 20, "resamples": 20}
        spec = parse_spec(
            {"study": settings | {"methods": ["t"]}, "populations": [population]}, Path("s.toml")
        )
        with tempfile.TemporaryDirectory() as folder:
            study.run(spec, folder)
            _kept["store", ""] = {
                str(one.relative_to(folder)): one.read_bytes()
                for one in sorted(Path(folder).rglob("*"))
                if one.is_file()
            }
    parts = dict(_kept["store", ""])
    hit = r.choice(sorted(parts))
    if r.random() < 0.1:
        del parts[hit]
    else:
        parts[hit] = damage_in_kind(r, parts[hit])
    return {"run.json": parts.pop("run.json", b""), **parts}


def _fixture(folder: Path) -> Format:
    """A file of another program, beside what else lies in its folder."""

    def files(r: Source) -> Files:
        parts = {
            str(one.relative_to(folder)): one.read_bytes()
            for one in sorted(folder.rglob("*"))
            if one.is_file()
        }
        main = r.choice(sorted(parts))
        hit = main if r.random() < 0.8 else r.choice(sorted(parts))
        if r.random() > 0.1:
            parts[hit] = damage_in_kind(r, parts[hit])
        return {main: parts.pop(main), **parts}

    return Format(files, _use_table)


def inspect_log() -> bytes:
    """A good log of Inspect: a zip with a document for each sample and epoch."""
    header = {
        "status": "success",
        "eval": {"task": "gpqa", "model": "org/model", "dataset": {"name": "gpqa", "samples": 3}},
        "results": {"scores": [{"name": "choice", "metrics": {"accuracy": {"value": 0.5}}}]},
    }
    members: dict[str, Any] = {"header.json": header, "_journal/start.json": header}
    for place, grade in enumerate("CPINCI"):
        case, epoch = "abc"[place // 2], place % 2 + 1
        scores = {"choice": {"value": grade, "explanation": "because"}}
        fields = {"id": case, "epoch": epoch, "scores": scores, "metadata": {"topic": "cells"}}
        members[f"samples/{case}_epoch_{epoch}.json"] = fields
    return zip_of({name: json.dumps(one).encode() for name, one in members.items()})


def _inspect(r: Source) -> Files:
    content = inspect_log()
    return {"a.eval": content if r.random() < 0.1 else damage_in_kind(r, content)}


def _formats() -> dict[str, Format]:
    mask = np.eye(3, dtype=np.uint8)

    def array(path: Path, _: Source) -> None:
        from halfwidth.io.arrays import read_array

        read_array(path)

    def labels(path: Path, _: Source) -> None:
        import halfwidth as hw

        hw.score_masks(mask, mask, "dsc", labels=path)

    def tolerances(path: Path, _: Source) -> None:
        import halfwidth as hw

        image, other = path.with_name("image.npy"), path.with_name("other.npy")
        np.save(image, mask)
        np.save(other, mask)
        hw.score_folders(image, other, "nsd", spacing=1, tolerance_file=path)

    def spec(path: Path, _: Source) -> None:
        from halfwidth import study

        # The data that it names.
        write_good_files(path.parent)
        study.plan(path)

    def store(path: Path, _: Source) -> None:
        from halfwidth import study

        study.open(path.parent).to_frame()

    found = {
        **{name: _grammar(name, _use_table) for name in ("text", "zipped text", "workbook")},
        "parquet": _grammar("parquet", _use_table),
        "npy": _grammar("array", array),
        "npz": Format(_npz, array),
        "label names": _grammar("labels", labels, intact=0.5),
        "tolerances": _grammar("tolerances", tolerances, intact=0.5),
        "study spec": _grammar("study", spec, intact=0.7),
        "study store": Format(_store, store),
        "NIfTI": _images(("nifti", "nifti i2", "nifti-2 f8", "nifti gz")),
        "NRRD": _images(("nrrd raw", "nrrd gzip", "nhdr")),
        "MetaImage": _images(("mha", "mha zlib", "mhd")),
        "PNG": _images(("png", "png 1 bit", "png palette", "png 16 bit")),
        "TIFF": _images(
            (
                *("tiff", "tiff tiles", "tiff predictor", "bigtiff"),
                *("tiff lzw", "tiff packbits", "tiff deflate"),
            )
        ),
        "npy image": _images(("npy", "npy bool")),
    }
    found |= {
        f"objects {name}": Format(damaged_objects(name), read_damaged(name))
        for name in OBJECT_FORMATS
    }
    folders = sorted(FIXTURES.iterdir()) if FIXTURES.is_dir() else []
    found |= {f"import {one.name}": _fixture(one) for one in folders if one.is_dir()}
    return found | {"import inspect": Format(_inspect, _use_table)}


def _use_table(path: Path, r: Source) -> None:
    """Read a table and do with it what some verb does."""
    import halfwidth as hw
    from halfwidth.tables.readers import read_table

    table = read_table(path, _reading(r))
    rows = np.arange(len(table))
    for name in table.names[:20]:
        table.values(name, rows)
        table.levels(name)
    uses: list[Callable[[], object]] = [
        lambda: hw.estimate(
            hw.CaseValues.from_table(table, missing=r.choice(["raise", "omit", "all"])),
            method="t",
            rng=1,
        ).to_json(),
        lambda: hw.estimate(
            hw.CaseValues.from_runs(table), statistic="median", n_resamples=19, rng=1
        ),
        lambda: hw.check(table).to_json(),
    ]
    r.choice(uses)()


def _reading(r: Source) -> Any:
    """How the user says that a table is to be read: mostly nothing."""
    from halfwidth.tables.importers.importer import ImportOptions
    from halfwidth.tables.readers import Reading

    if r.random() < 0.9:
        return Reading()
    words = [None, None, None, "none", "doc.topic", "metadata", "a.b", "*", "."]
    return Reading(
        header=r.choice([None, None, False, True]),
        decimal=r.choice([None, None, ".", ","]),
        format=r.choice([None, None, *PLAIN_TABLES, *IMPORTED]),
        options=ImportOptions(path=r.choice(words), filter=r.choice(words), groups=r.choice(words)),
    )


FORMATS = _formats()


# --------------------------------------------------------------------------- one input


def source_of(name: str, seed: int) -> Source:
    """What decides about an input, the same on every machine."""
    return Source(int.from_bytes(f"{name}:{seed}".encode(), "big"))


def write(files: Files, folder: Path) -> Path:
    """Write the files of an input into a folder that is empty; the path of the main one."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder / next(iter(files))


def outcome(name: str, seed: int, folder: Path) -> str:
    """``"accepted"``, ``"refused"``, or what is wrong."""
    from halfwidth import HalfwidthError

    r = source_of(name, seed)
    path = write(FORMATS[name].files(r), folder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            FORMATS[name].read(path, r)
        except HalfwidthError as error:
            return _of_refusal(str(error))
        except BaseException as error:  # noqa: BLE001 -- whatever escapes is what is looked for
            return f"{type(error).__name__}: {error}"[:300] + " " + _where(error)
    return "accepted"


def _of_refusal(text: str) -> str:
    if "does not fit into memory" in text:
        return f"only the limit of the memory stopped it: {text[:300]}"
    if CONTROL.search(text) or len(text) > LONGEST or len(text) < 10:
        return f"not a line to read: {text[:300]!r} ({len(text)} letters)"
    return "refused"


def _where(error: BaseException) -> str:
    places = traceback.extract_tb(error.__traceback__)[-6:]
    return "at " + " < ".join(f"{Path(one.filename).name}:{one.lineno}" for one in places[::-1])


# --------------------------------------------------------------------------- who reads


def work(names: Sequence[str], first: int, count: int, cpu_seconds: float) -> None:
    """Read ``count`` inputs or until the time is up, telling of each on the first output.

    Input i is of format i modulo their number, with the seed ``first + i`` over it.
    """
    told = os.fdopen(os.dup(1), "w", buffering=1)
    noise = tempfile.TemporaryFile()  # noqa: SIM115 -- for as long as the process lives
    complaints = os.dup(2)
    os.dup2(noise.fileno(), 1)
    os.dup2(noise.fileno(), 2)
    try:
        _read_all(names, range(first, first + count), cpu_seconds, told, noise)
    finally:
        # What escapes from here is a mistake of this file.
        os.dup2(complaints, 2)
    told.write(json.dumps(["end"]) + "\n")


def _read_all(
    names: Sequence[str], inputs: range, cpu_seconds: float, told: IO[str], noise: IO[bytes]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _warm_up(Path(folder))
        noise.truncate(0)
        limit = int(_memory("VmSize")) + LIMIT
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        for i in inputs:
            if time.process_time() > cpu_seconds:
                break
            name, seed = names[i % len(names)], i // len(names)
            told.write(json.dumps(["begin", name, seed, i]) + "\n")
            told.write(json.dumps([*_watched(name, seed, Path(folder), noise), i]) + "\n")


def _watched(name: str, seed: int, folder: Path, noise: IO[bytes]) -> tuple[str, float]:
    place = Path(tempfile.mkdtemp(dir=folder))
    before, began = _memory("VmRSS"), time.process_time()
    # Ends the process, in Python and in C, unless the input is done first.
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    found = outcome(name, seed, place)
    signal.setitimer(signal.ITIMER_PROF, 0)
    taken = _memory("VmHWM") - before
    shutil.rmtree(place)
    if taken > MOST_MEMORY:
        # Measure the peak from now on.
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        found = f"took {taken / 1e6:.0f} MB ({found})"
    if noise.seek(0, os.SEEK_END):
        noise.seek(0)
        found = f"wrote {noise.read()[:200]!r} ({found})"
        noise.truncate(0)
    return found, time.process_time() - began


def _warm_up(folder: Path) -> None:
    """Load what readers load, so that it counts for no input."""
    for name in FORMATS:
        for seed in range(3):
            place = folder / f"{name} {seed}"
            place.mkdir()
            outcome(name, seed, place)
            shutil.rmtree(place)


def _memory(what: str) -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    found = re.search(rf"{what}:\s+(\d+) kB", status)
    return 1024.0 * int(found[1]) if found else 0.0


# --------------------------------------------------------------------------- who watches


@dataclass
class Tally:
    """What became of the inputs: by format how many, and the faults."""

    counts: collections.Counter[tuple[str, str]] = field(default_factory=collections.Counter)
    faults: list[str] = field(default_factory=list)
    slowest: dict[str, tuple[float, int]] = field(default_factory=dict)

    def add(self, name: str, seed: int, found: str, seconds: float) -> None:
        if found in ("accepted", "refused"):
            self.counts[name, found] += 1
        else:
            self.counts[name, "faults"] += 1
            self.faults.append(f"{name} {seed}: {found}")
        self.slowest[name] = max(self.slowest.get(name, (0.0, 0)), (seconds, seed))

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def table(self) -> str:
        """Inputs by format, with the slowest of each."""
        lines = [f"{'format':<24}{'inputs':>9}{'accepted':>10}{'refused':>9}{'faults':>8}  slowest"]
        for name in FORMATS:
            each = [self.counts[name, what] for what in ("accepted", "refused", "faults")]
            seconds, seed = self.slowest.get(name, (0.0, 0))
            numbers = f"{sum(each):>9}{each[0]:>10}{each[1]:>9}{each[2]:>8}"
            lines.append(f"{name:<24}{numbers}  {seconds:.2f} s (seed {seed})")
        return "\n".join([*lines, f"{self.total} inputs, {len(self.faults)} faults"])


def tried(names: Sequence[str], first: int, count: int, cpu_seconds: float = float("inf")) -> Tally:
    """Read so many inputs, in a new process after each that ended one."""
    tally, last = Tally(), first + count
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    while first < last:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        left = cpu_seconds - (used.ru_utime + used.ru_stime - began.ru_utime - began.ru_stime)
        if left <= 0:
            break
        settings = json.dumps([list(names), first, last - first, min(left, 1e9)])
        with subprocess.Popen(
            [sys.executable, __file__, "--work", settings],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        ) as process:
            assert process.stdout is not None
            begun, ended = _listen(process.stdout, tally)
        if ended:
            break
        assert begun is not None, "the process that reads did not start"
        name, seed, first = begun
        status = process.returncode
        hung = status == -signal.SIGPROF
        tally.add(name, seed, f"hung for {MOST_SECONDS} s" if hung else f"ended with {status}", 0)
        first += 1
    return tally


def _listen(told: IO[str], tally: Tally) -> tuple[tuple[str, int, int] | None, bool]:
    """The input that was begun last, and whether the process came to its end."""
    begun = None
    for line in told:
        what, *rest = json.loads(line)
        if what == "end":
            return None, True
        if what == "begin":
            begun = (rest[0], rest[1], rest[2])
        elif begun is not None:
            tally.add(begun[0], begun[1], what, rest[0])
    return begun, False


def _keep(name: str, seed: int, folder: Path) -> Iterator[str]:
    folder.mkdir(parents=True, exist_ok=True)
    yield str(write(FORMATS[name].files(source_of(name, seed)), folder))
    yield outcome(name, seed, folder)


def main() -> int:
    """The command line; 1 if there were faults."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--format", action="append", choices=sorted(FORMATS), metavar="NAME")
    parser.add_argument("--seed", type=int, default=0, help="of the first input of each format")
    parser.add_argument("--count", type=int, help="of inputs; default: 100 of each format")
    parser.add_argument("--cpu-minutes", type=float, default=float("inf"))
    parser.add_argument("--keep", type=Path, help="folder for the files of the first input")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(*json.loads(given.work))
        return 0
    names = given.format or list(FORMATS)
    if given.keep:
        sys.stdout.write("\n".join([*_keep(names[0], given.seed, given.keep), ""]))
        return 0
    unlimited = 10**9 if given.cpu_minutes < float("inf") else 100 * len(names)
    tally = tried(names, given.seed * len(names), given.count or unlimited, 60 * given.cpu_minutes)
    sys.stdout.write("\n".join([tally.table(), *tally.faults[:100], ""]))
    return 1 if tally.faults else 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
