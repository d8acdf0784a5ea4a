"""Whatever a call answers, as JSON: numbers as they are, everything else by what it shows.

Texts of several lines become lists of lines; what is different at each run is masked.
"""

from __future__ import annotations

import csv
import dataclasses
import enum
import functools
import hashlib
import io
import json
import math
import pickle
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["Masks", "csv_told", "file_told", "output_told", "told"]

# What users call on a result; each is told where it is there.
WAYS = ("to_dict", "to_frame", "sentence", "to_html", "line_frame", "points_frame", "shares")
DEEPEST = 12


@dataclasses.dataclass(frozen=True)
class Masks:
    """What is written instead of texts that differ from run to run."""

    texts: Mapping[str, str]

    def __call__(self, text: str) -> str:
        for found, mask in self.texts.items():
            text = re.sub(rf"(?<![\d.]){re.escape(found)}", mask, text)
        text = re.sub(r"\b0x[0-9a-f]{6,}\b", "<address>", text)
        text = re.sub(
            r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(\+\d\d:\d\d|Z)?", "<time>", text
        )
        text = re.sub(r"(?m)^\d\d:\d\d (?=study)", "<time> ", text)
        if "hours of one worker" in text:
            # What a study will take, by a trial, and the columns that are as wide as that.
            text = re.sub(r"(?s)Predicted: .*?;", "<prediction>;", re.sub(r" +", " ", text))
        # How long something took: "in 0.3 s", "12 s left".
        return re.sub(
            r"(?m)(?<![\w.])\d+(\.\d+)? (s|ms|min|seconds)\b(?= |$|,|;|\.|\))", "<duration>", text
        )


# --------------------------------------------------------------------------- values


Again = Callable[[Any], Any]


def told(value: Any, masks: Masks, depth: int = 0) -> Any:
    """A value as JSON."""
    if depth > DEEPEST:
        return {"too deep": type(value).__name__}
    again = functools.partial(told, masks=masks, depth=depth + 1)
    home = type(value).__module__
    if home.startswith("matplotlib."):
        return _figure(value, masks)
    if home.startswith("halfwidth") and not isinstance(value, enum.Enum):
        return _result(value, masks, depth)
    for kinds, way in WAYS_OF_KINDS:
        if isinstance(value, kinds):
            return way(value, masks, again)
    return masks(getattr(value, "__qualname__", None) or repr(value))


def _array(value: Any, again: Again) -> dict[str, Any]:
    items = again(value.tolist() if value.dtype.names else value.ravel().tolist())
    return {"array": value.dtype.kind, "shape": list(value.shape), "items": items}


def _frame(value: Any, again: Again) -> dict[str, Any]:
    return {
        "columns": [str(name) for name in value.columns],
        "cells": {str(name): again(list(value[name])) for name in value.columns},
        "kinds": {str(name): str(kind) for name, kind in value.dtypes.items()},
        "index": again(list(value.index)),
    }


def _mapping(value: Any, again: Again) -> dict[str, Any]:
    return {key if isinstance(key, str) else repr(key): again(x) for key, x in value.items()}


# The first that a value is an instance of.
WAYS_OF_KINDS: tuple[tuple[Any, Callable[[Any, Masks, Again], Any]], ...] = (
    ((type(None), bool), lambda value, masks, again: value),
    (enum.Enum, lambda value, masks, again: {"enum": f"{type(value).__name__}.{value.name}"}),
    (str, lambda value, masks, again: _lines(masks(value))),
    ((int, np.integer), lambda value, masks, again: int(value)),
    (np.bool_, lambda value, masks, again: bool(value)),
    ((float, np.floating), lambda value, masks, again: _number(float(value))),
    (bytes, lambda value, masks, again: _digest(value)),
    (Path, lambda value, masks, again: masks(str(value))),
    (np.ndarray, lambda value, masks, again: _array(value, again)),
    (pd.DataFrame, lambda value, masks, again: _frame(value, again)),
    (pd.Series, lambda value, masks, again: {"series": again(list(value))}),
    (Mapping, lambda value, masks, again: _mapping(value, again)),
    ((set, frozenset), lambda value, masks, again: {"set": sorted(map(again, value), key=repr)}),
    (tuple, lambda value, masks, again: {"tuple": [again(one) for one in value]}),
    (Sequence, lambda value, masks, again: [again(one) for one in value]),
)


def _number(value: float) -> Any:
    return value if math.isfinite(value) else {"number": repr(value)}


def _lines(text: str) -> Any:
    return {"lines": text.splitlines()} if "\n" in text else text


def _digest(content: bytes) -> Any:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _result(value: Any, masks: Masks, depth: int) -> dict[str, Any]:
    """A result by everything that it says in public; the first one after a pickle too."""
    again = functools.partial(told, masks=masks, depth=depth + 1)
    said: dict[str, Any] = {"type": type(value).__name__}
    # What has no words of its own shows its fields, sets among them in any order.
    own: Any = type(value).__str__
    if own is not object.__str__:
        said["str"] = _lines(masks(str(value)))
    for way in WAYS:
        if callable(getattr(value, way, None)):
            said[way] = _tried(lambda way=way: again(getattr(value, way)()))
    if not said.keys() - {"type", "str"} and depth < DEEPEST // 2:
        said["fields"] = _fields(value, again)
    if hasattr(type(value), "_repr_html_"):
        said["html"] = _tried(lambda: _lines(masks(value._repr_html_())))
    if not depth:
        said |= _attributes(value, masks)
        said["pickled"] = _tried(lambda: _after_pickle(value, said, masks))
    if isinstance(value, Sequence) and not isinstance(value, str):
        said["items"] = [again(one) for one in value]
    return said


def _fields(value: Any, again: Again) -> dict[str, Any]:
    """Public fields of what says nothing of itself."""
    names = [name for kind in type(value).__mro__ for name in getattr(kind, "__annotations__", ())]
    public = sorted({name for name in names if not name.startswith("_")})
    return {name: again(getattr(value, name)) for name in public if hasattr(value, name)}


def _attributes(value: Any, masks: Masks) -> dict[str, Any]:
    """Public attributes that are numbers, words, or short tuples of these."""
    found = {}
    for name in sorted({*dir(type(value)), *getattr(value, "__dict__", ())}):
        if not name.startswith("_"):
            one = _tried(lambda name=name: getattr(value, name))
            if _simple(one) or (isinstance(one, dict) and "raises" in one):
                found[name] = told(one, masks, 1)
    return {"attributes": found}


def _simple(value: Any) -> bool:
    plain = (str, int, float, bool, np.generic, enum.Enum, type(None))
    inside = value if isinstance(value, tuple) else (value,)
    numbers = (float, int)
    return all(
        isinstance(one, plain)
        or (isinstance(one, tuple) and all(isinstance(x, numbers) for x in one))
        for one in inside
    )


def _after_pickle(value: Any, said: Mapping[str, Any], masks: Masks) -> Any:
    copied = pickle.loads(pickle.dumps(value))  # noqa: S301 -- written here
    if type(copied) is not type(value):
        return {"type": type(copied).__name__}
    ways = {way: getattr(copied, way) for way in ("to_dict", "sentence") if way in said}
    after = {way: _tried(lambda ask=ask: told(ask(), masks, 1)) for way, ask in ways.items()}
    if "str" in said:
        after["str"] = _lines(masks(str(copied)))
    return "the same" if all(said[way] == one for way, one in after.items()) else after


def _tried(ask: Any) -> Any:
    try:
        return ask()
    except Exception as error:  # noqa: BLE001 -- what is raised is what the call says
        return {"raises": type(error).__name__, "message": re.sub("0x[0-9a-f]+", "", str(error))}


# --------------------------------------------------------------------------- figures


def _figure(value: Any, masks: Masks) -> Any:
    """What a figure or its axes show: texts, lines, areas and points, in the order drawn."""
    if hasattr(value, "axes") and hasattr(value, "get_size_inches"):
        size = [float(x) for x in value.get_size_inches()]
        texts = [masks(text.get_text()) for text in value.texts]
        return {"figure": size, "texts": texts, "axes": [_axes(ax, masks) for ax in value.axes]}
    return _axes(value, masks) if hasattr(value, "get_xlabel") else {"drawn": type(value).__name__}


def _axes(ax: Any, masks: Masks) -> dict[str, Any]:
    legend = ax.get_legend()
    return {
        "size": [float(x) for x in ax.figure.get_size_inches()],
        "title": [masks(ax.get_title(where)) for where in ("left", "center", "right")],
        "labels": [masks(ax.get_xlabel()), masks(ax.get_ylabel())],
        "limits": [_numbers(ax.get_xlim()), _numbers(ax.get_ylim())],
        "ticks": [_numbers(ax.get_xticks()), _numbers(ax.get_yticks())],
        "tick labels": [
            [masks(text.get_text()) for text in axis.get_ticklabels()]
            for axis in (ax.xaxis, ax.yaxis)
        ],
        "legend": [masks(text.get_text()) for text in legend.get_texts()] if legend else None,
        "texts": [[masks(text.get_text()), *_numbers(text.get_position())] for text in ax.texts],
        "lines": [[str(line.get_color()), *map(_numbers, line.get_data())] for line in ax.lines],
        "areas": [
            [
                *(type(patch).__name__, _numbers(patch.get_path().vertices)),
                _numbers(patch.get_patch_transform().get_matrix()),
            ]
            for patch in ax.patches
        ],
        "points": [
            [
                *(type(part).__name__, _numbers(part.get_offsets())),
                [_numbers(path.vertices) for path in part.get_paths()],
                None if part.get_array() is None else _numbers(part.get_array()),
            ]
            for part in ax.collections
        ],
        "images": [told(np.asarray(image.get_array()), masks, 3) for image in ax.images],
        "tables": len(ax.tables),
    }


def _numbers(values: Any) -> list[Any]:
    flat = np.ma.filled(np.ma.asarray(values), np.nan).ravel().tolist()
    return [
        _number(x) if isinstance(x, float) else x if isinstance(x, int) else str(x) for x in flat
    ]


# --------------------------------------------------------------------------- files and output


def output_told(text: str, masks: Masks) -> Any:
    """What a command prints: JSON and CSV by their structure, else lines."""
    stripped = text.strip()
    if stripped[:1] in "{[" and stripped:
        try:
            return {"json": told(json.loads(stripped), masks)}
        except ValueError:
            pass
    return {"lines": masks(text).splitlines()} if text else ""


def csv_told(text: str, masks: Masks) -> Any:
    columns, *rows = csv.reader(io.StringIO(masks(text)))
    return {"columns": columns, "rows": rows}


def file_told(file: Path, masks: Masks) -> Any:
    """The content of a file that a command has written."""
    content = file.read_bytes()
    match file.suffix:
        case ".json" | ".html" | ".md" | ".tex" | ".txt" | ".toml":
            text = content.decode()
            # Pictures inside are told by their digests.
            text = re.sub(r"data:[\w/+.-]+;base64,([\w+/=]+)", _picture_digest, text)
            return output_told(text, masks)
        case ".csv":
            return csv_told(content.decode(), masks)
        case ".parquet":
            return told(pd.read_parquet(file), masks)
        case ".png":
            return _pixels(content)
        case ".svg":
            return {
                "lines": masks(re.sub(r"<dc:date>.*?</dc:date>", "", content.decode())).splitlines()
            }
    # PDF and databases hold times and what the system wrote.
    return {"file": file.suffix}


def _picture_digest(found: re.Match[str]) -> str:
    return f"<picture {hashlib.sha256(found[1].encode()).hexdigest()[:16]}>"


def _pixels(content: bytes) -> Any:
    from PIL import Image

    with Image.open(io.BytesIO(content)) as image:
        return {"picture": list(image.size), **_digest(image.convert("RGBA").tobytes())}
