"""Random files for every reader: made by a grammar, or small good ones damaged byte by byte."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import json
import math
import random
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["KINDS", "Kind", "good_files", "made_file", "write_good_files"]

QUICK = ("--n-resamples", "49", "--seed", "1")
# What stands where a cell, a name, a value or a few bytes were.
TOKENS = (
    *(
        "",
        " ",
        "0",
        "-0",
        "1",
        "0.5",
        "0,5",
        "91%",
        "1e400",
        "-1e400",
        "1e-400",
        "5e-324",
        "9" * 5000,
    ),
    *("nan", "NaN", "inf", "-Infinity", "NA", "None", "null", "true", "0x10", "1_000", "١٢", "½"),
    *(
        "=1+1",
        "@cmd",
        "'",
        '"',
        '""',
        "a" * 4500,
        "\x1b[31mred\x07",
        "\u202eabc",
        "é",
        "日本",
        "\ufeff",
    ),
    *(
        "a;b",
        "a\tb",
        "a,b",
        "line\nbreak",
        "2024-01-01",
        "[1, 2]",
        "{}",
        "<b>",
        "\\",
        "/etc",
        "é" * 300,
    ),
)
NAMES = (
    *(
        "case",
        "patient",
        "dice",
        "metric",
        "value",
        "model",
        "status",
        "label",
        "parameters",
        "group",
    ),
    *("n", "mean", "sd", "sem", "correct", "auroc", "positives", "versus", "scale", "halfwidth"),
    *("seed", "fold", "accuracy", "metrics.accuracy", "params.lr", "y", "p", "State", "run_id"),
)


class Source(random.Random):
    """Random choices, the columns that a table should have, and how often a cell is anything."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.odd = self.choice([0.0, 0.01, 0.05, 0.2])
        self.rows = self.choice([0, 1, 2, 5, 12, 40])
        self.columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind:
    """A kind of file: its suffixes, what makes one, and the commands that read it.

    Beside each command stand the columns of a table that it reads.
    """

    suffixes: tuple[str, ...]
    made: Callable[[Source], bytes]
    commands: tuple[tuple[str, tuple[str, ...]], ...]


# --------------------------------------------------------------------------- tables


def cell(r: Source, name: str) -> str:
    """What a good table has in a column of that name, now and then anything."""
    if r.random() < r.odd:
        return r.choice(TOKENS)
    if name == "n":
        return str(r.randint(150, 400))
    whole = {"correct": 150, "positives": 60, "y": 1, "fold": 4, "seed": 99, "versus": 1}
    if name in whole:
        return str(r.randint(0, whole[name]))
    words = {"metric": ["dsc", "hd95"], "model": ["a", "b"], "status": ["ok", "missed", "FINISHED"]}
    if name in words:
        return r.choice(words[name])
    if name in {"case", "patient", "label", "group", "run_id", "State", "parameters"}:
        return f"{name}{r.randrange(30)}"
    return f"{r.betavariate(8, 2):.{r.randint(1, 9)}f}"


def grid(r: Source) -> tuple[list[str], list[list[str]]]:
    known = r.sample(NAMES, r.randint(1, 8)) if r.random() < 2 * r.odd else r.columns
    names = [r.choice(TOKENS) if r.random() < r.odd else name for name in known]
    rows = [[cell(r, name) for name in known] for _ in range(r.rows)]
    return names, rows


def text_table(r: Source) -> bytes:
    """CSV and its kin: separators, quotes, line ends and encodings of every kind."""
    names, rows = grid(r)
    comma, end = r.choice(",,,;\t| " if r.odd else ",;\t"), r.choice(["\n", "\n", "\r\n", "\r"])
    lines = rows if r.random() < r.odd else [names, *rows]

    def written(text: str) -> str:
        quoted = r.random() < 0.1 or any(c in text for c in (comma, '"', "\n"))
        return '"' + text.replace('"', '""') + '"' if quoted and r.random() < 0.95 else text

    parts = [comma.join(map(written, line)) for line in lines]
    if parts and r.random() < 2 * r.odd:
        place = r.randrange(len(parts))
        parts[place] = r.choice([parts[place] + comma + "9", "", "# note", parts[place][:-3]])
    encoding = r.choice(
        ["utf-8"] * 6 + ["utf-8-sig", "utf-16"] + ["utf-16-le", "utf-32"] * (r.odd > 0)
    )
    return end.join([*parts, ""]).encode(encoding, "replace")


def zipped_table(r: Source) -> bytes:
    return gzip.compress(text_table(r), mtime=0)


def typed(r: Source, text: str) -> Any:
    """A cell as a workbook may hold it."""
    if r.random() < r.odd:
        return r.choice(
            [True, None, np.datetime64("2024-01-02", "s").item(), "=A1", "#REF!", 1e300, 7]
        )
    try:
        return float(text)
    except ValueError:
        return text


def workbook(r: Source) -> bytes:
    import openpyxl

    names, rows = grid(r)
    book = openpyxl.Workbook()
    for number in range(r.choice([1, 1, 1, 2, 3])):
        sheet = book.active if not number else book.create_sheet(f"Sheet {number}")
        for line in [names, *rows] if not number or r.random() < 0.9 else []:
            legal = [openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE.sub("", text) for text in line]
            sheet.append([typed(r, text) if line is not names else text for text in legal])
        if r.random() < r.odd:
            sheet[r.choice(["XFD9", "ZZ1", "A5000"])] = r.choice([1, "stray"])
    made = io.BytesIO()
    book.save(made)
    return made.getvalue() if r.random() > 10 * r.odd else damaged_parts(r, made.getvalue())


def damaged_parts(r: Source, archive: bytes) -> bytes:
    """A good archive of damaged parts: what a checksum does not find."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as given, zipfile.ZipFile(made, "w") as out:
        hit = r.choice(given.namelist())
        for name in given.namelist():
            content = given.read(name)
            if name != hit:
                out.writestr(name, content)
            elif r.random() < 0.8:
                out.writestr(name, damaged(r, content))
    return made.getvalue()


def parquet(r: Source) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names, rows = grid(r)
    n = len(rows)
    odd: list[Any] = [
        [[1.0, 2.0]] * n,
        [{"a": 1}] * n,
        [Decimal("0.91")] * n,
        [dt.date(2024, 1, 1)] * n,
        [dt.timedelta(1)] * n,
        [b"\xff\x00"] * n,
        [None] * n,
        [True] * n,
        [2**63 - 1] * n,
        pa.array(["a"] * n).dictionary_encode(),
        pa.array(np.arange(n, dtype=np.float16)),
        pa.array([1] * n, pa.time64("ns")),
    ]
    columns = {}
    for place, name in enumerate(dict.fromkeys(names)):
        values: Any = [typed(r, row[place]) for row in rows]
        if r.random() < r.odd or len({type(value) for value in values}) > 1:
            values = r.choice([odd[r.randrange(len(odd))], [str(value) for value in values]])
        columns[name] = values if isinstance(values, pa.Array) else pa.array(values)
    made = io.BytesIO()
    pq.write_table(pa.table(columns), made)
    return made.getvalue()


def array_file(r: Source) -> bytes:
    g = np.random.default_rng(r.randrange(2**32))
    n = r.choice([0, 1, 12, 12, 12, 12])
    array: Any = r.choice(
        [
            g.uniform(size=n),
            g.integers(0, 2, n),
            g.uniform(size=(n, 2)),
            g.uniform(size=n) + 1j,
            np.array(["a"] * n),
            np.array(["2024"] * n, "M8[D]"),
            np.zeros((n, 2, 2)),
            np.float64(1),
            np.zeros(n, dtype=[("a", int), ("b", float)]),
            g.uniform(size=n).astype(r.choice(["f2", "f4", ">f8", "i1", "u8", "?"])),
            np.array([1, None] * (n // 2), dtype=object),
        ]
    )
    made = io.BytesIO()
    np.save(made, array, allow_pickle=True)
    content = made.getvalue()
    if r.random() < 0.3:
        shapes = (
            "(10**12,)",
            "(100000000000,)",
            "(-1,)",
            "(1e9,)",
            "((((",
            "'a'",
            "(2**40, 2**40)",
        )
        header = r.choice(
            [
                *("{", "{}", "[]", "(" * 500, "{'descr': '<f8'}"),
                *(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {one}}}" for one in shapes),
                "{'descr': [('a', 'O')], 'fortran_order': 0, 'shape': (1,)}",
            ]
        )
        text = header.encode()
        content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(96)
    return content


# --------------------------------------------------------------------------- settings


def value_of(r: Source, depth: int = 0) -> Any:
    simple = [0, 1, 2, -1, 1.5, 10**30, True, "", "a", "1", 2**53 + 1, "x" * 400, "\x1b[1m", "dsc"]
    if depth > 3 or r.random() < 0.7:
        return r.choice(simple)
    if r.random() < 0.5:
        return [value_of(r, depth + 1) for _ in range(r.randint(0, 3))]
    return {r.choice([*NAMES, *TOKENS]): value_of(r, depth + 1) for _ in range(r.randint(0, 3))}


def changed(r: Source, good: Any) -> Any:
    """Good settings of which some values are others."""
    if r.random() < 0.04:
        return value_of(r)
    if isinstance(good, dict):
        made = {key: changed(r, value) for key, value in good.items() if r.random() > 0.02}
        return made | ({r.choice(NAMES): value_of(r)} if r.random() < 0.04 else {})
    return [changed(r, value) for value in good] if isinstance(good, list) else good


def labels_json(r: Source) -> bytes:
    good = r.choice(
        [
            {"liver": 1, "tumour": 2, "both": [1, 2]},
            {"labels": {"background": 0, "liver": 1, "tumour": [1, 2]}, "file_ending": ".nii.gz"},
            {"labels": {"0": "background", "1": "liver"}},
        ]
    )
    deep = "[" * 3000 + "]" * 3000
    return deep.encode() if r.random() < 0.02 else json.dumps(changed(r, good)).encode()


def toml(value: Any, name: str = "") -> str:
    """A mapping as TOML; what it has no words for is written as text."""
    inner, tables = [], []
    for key, item in value.items():
        shown = json.dumps(str(key))
        if isinstance(item, list) and item and all(isinstance(one, dict) for one in item):
            tables += [f"[[{name}{shown}]]\n{toml(one, f'{name}{shown}.')}" for one in item]
        elif isinstance(item, dict):
            tables.append(f"[{name}{shown}]\n{toml(item, f'{name}{shown}.')}")
        else:
            inner.append(f"{shown} = {json.dumps(item)}\n")
    return "".join(inner) + "".join(tables)


def settings(r: Source, good: Mapping[str, Any]) -> bytes:
    made = changed(r, dict(good))
    return toml(made if isinstance(made, dict) else {"a": made}).encode()


def tolerances(r: Source) -> bytes:
    return settings(
        r, r.choice([{"1": 2, "default": 3.5}, {"tolerances": {"1": 1, "2": "msd:liver"}}])
    )


def study_spec(r: Source) -> bytes:
    study = {
        "name": "small",
        "seed": 1,
        "sizes": [10, 20],
        "samples": 100,
        "resamples": 50,
        "levels": [0.95],
        "methods": ["t", "percentile"],
        "statistics": ["mean", "quantile:q=0.9"],
    }
    populations = [
        {"name": "beta", "family": "beta", "a": 2, "b": 8},
        {"name": "normal", "family": "normal", "location": 0.5, "scale": 0.1},
        {"name": "both", "parts": [{"family": "uniform", "low": 0, "high": 1, "weight": 1}]},
        {"name": "data", "values": "dice.csv", "metric": "dsc"},
    ]
    chosen = r.sample(populations, r.randint(1, 3))
    sources = {"values": [{"file": "dice.csv", "metric": "dsc"}]} if r.random() < 0.3 else {}
    return settings(r, {"study": study, "populations": chosen, **sources})


# --------------------------------------------------------------------------- damage


def damaged(r: Source, content: bytes) -> bytes:
    """Some bytes are others, gone, doubled, or from elsewhere."""
    made = bytearray(content)
    for _ in range(r.choice([1, 1, 1, 2, 4, 16])):
        if not made:
            return bytes(made)
        at = r.randrange(len(made))
        upto = min(len(made), at + r.choice([1, 2, 8, 100]))
        what = r.randrange(7)
        if what == 0:
            made[at] ^= 1 << r.randrange(8)
        elif what == 1:
            del made[at:upto]
        elif what == 2:
            made[at:at] = made[at:upto] * r.choice([1, 2, 50])
        elif what == 3:
            made[at:upto] = r.randbytes(upto - at)
        elif what == 4:
            del made[at:]
        elif what == 5:
            made[at:at] = r.choice(TOKENS).encode()
        else:
            made[at:upto] = r.choice([b"\xff", b"\x00", b"\x80"]) * (upto - at)
    return bytes(made)


# --------------------------------------------------------------------------- kinds

CI, RUNS = ("ci", "FILE", *QUICK), ("runs", "FILE", *QUICK)
OF_TABLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("case dice", (*CI, "--metric", "dsc")),
    ("case dice iou", CI),
    ("case model dice", (*CI, "--by", "model", "--missing", "omit", "--strict")),
    ("case metric value", CI),
    ("case patient dice", (*CI, "--value", "dice", "--groups", "patient", "--format", "markdown")),
    ("case metric value status", (*CI, "--missing", "all", "--penalty", "400")),
    ("case model dice", ("check", "FILE", "--metric", "dsc")),
    ("case model dice", ("convert", "FILE", "--metric", "dsc")),
    ("case y p", (*CI, "--target", "y", "--score", "p", "--metric", "auroc")),
    ("seed accuracy", RUNS),
    ("run_id metrics.accuracy params.lr", (*RUNS, "--value", "accuracy", "--missing", "omit")),
    ("label n mean sd", ("review", "FILE")),
    ("n correct", ("review", "FILE", "--strict")),
    ("n auroc positives", ("review", "FILE", "--format", "csv")),
    ("case dice", ("plan", "subsample", "FILE", "--sizes", "2,5", "--repeats", "2", "--seed", "1")),
    ("case dice", ("plan", "pilot", "FILE", "-n", "20", "--n-samples", "100", *QUICK)),
)
OF_ARRAYS = tuple(
    ("", command)
    for command in (
        ("ci", "--target-file", "y.npy", "--score-file", "FILE", "--metric", "auroc", *QUICK),
        ("ci", "--target-file", "FILE", "--score-file", "p.npy", "--metric", "f1", *QUICK),
        ("score", "FILE", "reference.npy", "--metric", "dsc", "--spacing", "1", *QUICK),
    )
)
MASKS = ("score", "prediction.npy", "reference.npy", "--spacing", "1", *QUICK)
LABELS = ("", (*MASKS, "--label-names", "FILE"))
TOLERANCES = ("", (*MASKS, "--metric", "nsd", "--tolerance-file", "FILE"))
STUDY = ("", ("study", "run", "FILE", "--store", "s", "--dry-run"))
KINDS: Mapping[str, Kind] = {
    "text": Kind((".csv", ".csv", ".tsv", ".txt"), text_table, OF_TABLES),
    "zipped text": Kind((".csv.gz",), zipped_table, OF_TABLES),
    "workbook": Kind((".xlsx",), workbook, OF_TABLES),
    "parquet": Kind((".parquet",), parquet, OF_TABLES),
    "array": Kind((".npy",), array_file, OF_ARRAYS),
    "labels": Kind((".json",), labels_json, (LABELS,)),
    "tolerances": Kind((".toml",), tolerances, (TOLERANCES,)),
    "study": Kind((".toml",), study_spec, (STUDY,)),
}


def made_file(seed: int, folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A file written into a folder, and a command that reads it."""
    r = Source(seed)
    kind = KINDS[r.choice([*KINDS, "text", "text"])]
    columns, command = r.choice(kind.commands)
    r.columns = tuple(columns.split())
    content = kind.made(r)
    if r.random() < (0.6 if r.odd else 0.8):
        content = damaged(r, content)
    suffix = r.choice(kind.suffixes) if r.random() > 0.01 else ".csv"
    return written_for(command, folder / f"f{suffix}", content)


def good_files(folder: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """For each command that reads tables a good text file; one of each other kind of table."""
    for name, most in {
        "text": len(OF_TABLES),
        "zipped text": 1,
        "workbook": 1,
        "parquet": 1,
    }.items():
        for columns, command in OF_TABLES[:most]:
            r = Source(0)
            r.odd, r.rows, r.columns = 0.0, 12, tuple(columns.split())
            file = folder / f"f{KINDS[name].suffixes[0]}"
            yield written_for(command, file, KINDS[name].made(r))


def written_for(
    command: tuple[str, ...], file: Path, content: bytes
) -> tuple[Path, tuple[str, ...]]:
    file.write_bytes(content)
    return file, tuple(file.name if word == "FILE" else word for word in command)


def write_good_files(folder: Path) -> None:
    """What the commands read besides."""
    g = np.random.default_rng(1)
    np.save(folder / "y.npy", np.array([0, 1] * 6))
    np.save(folder / "p.npy", g.uniform(size=12))
    reference = np.zeros((8, 9), dtype=np.uint8)
    reference[1:4, 1:6], reference[5:7, 2:8] = 1, 2
    np.save(folder / "reference.npy", reference)
    np.save(folder / "prediction.npy", np.roll(reference, 1, axis=0))
    rows = "".join(f"c{k},{math.sin(k) ** 2:.3f}\n" for k in range(12))
    (folder / "dice.csv").write_text(f"case,dice\n{rows}", encoding="utf-8")
