"""What the options of scoring mean: checked once, before any work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.scoring.cases import FOREGROUND, How, Union
from halfwidth.scoring.labels import (
    Label,
    LabelFile,
    chosen,
    labels_of,
    parse_region,
    read_label_file,
    with_regions,
)
from halfwidth.scoring.pairs import CaseFiles, natural
from halfwidth.scoring.tolerances import resolve_tolerances
from halfwidth.scoring.wanted import Wanted, resolve_wanted

__all__ = [
    "Labels",
    "as_given",
    "how_of_maps",
    "how_of_structures",
    "in_voxels",
    "label_file",
    "wanted_of",
]

Labels = str | Path | Mapping[str, Any] | None


def wanted_of(metrics: Any, tolerance: Any, file: str | Path | None) -> Wanted:
    """The metrics and tolerances asked for."""
    texts = [metrics] if isinstance(metrics, str) else list(metrics)
    tolerances = resolve_tolerances(tolerance, None if file is None else Path(file))
    return resolve_wanted(texts, tolerances)


def label_file(labels: Labels) -> LabelFile | None:
    """The names of labels, from a file or a mapping."""
    if labels is None:
        return None
    return labels_of(labels) if isinstance(labels, Mapping) else read_label_file(Path(labels))


def _label_options(
    file: LabelFile | None, only: Sequence[str] | None, regions: Sequence[str], *, binary: bool
) -> tuple[tuple[Label, ...] | None, tuple[Label, ...]]:
    """The labels to score (None: those found), and the regions besides."""
    if binary:
        if file is not None or only or regions:
            raise OptionError(
                "binary= (--binary) makes one label of all; labels=, only= and regions= have no "
                "effect beside it"
            )
        return (FOREGROUND,), ()
    named = () if file is None else file.labels
    added = with_regions(named, list(regions))[len(named) :]
    if only is None:
        return (None if file is None else named), added
    free = tuple(Label(str(int(text)), (int(text),)) for text in only if text.isdecimal())
    picked = chosen((*(named or free), *added), list(only))
    return picked, ()


def how_of_maps(
    file: LabelFile | None,
    only: Sequence[str] | None,
    regions: Sequence[str],
    common: dict[str, Any],
    *,
    binary: bool,
) -> How:
    """How label maps are scored, given what is common to all runs."""
    named, added = _label_options(file, only, regions, binary=binary)
    _check_ignore(file, common["wanted"])
    _check_known(common["wanted"], named, added)
    ignore = None if file is None else file.ignore
    return How(**common, labels=named, regions=added, ignore=ignore, binary=binary)


def how_of_structures(
    cases: Sequence[CaseFiles],
    only: Sequence[str] | None,
    regions: Sequence[str],
    common: dict[str, Any],
) -> How:
    """How folders of structures are scored; their names are known before any is read."""
    held = sorted({str(name) for files in cases for name in files.references}, key=natural)
    unions = tuple(Union(*parse_region(text)) for text in regions)
    for union in unions:
        if union.name in held:
            raise OptionError(f"region {union.name!r}: there is a structure of that name")
        for member in union.members:
            if member not in held:
                raise UnknownNameError("structure of a region", member, held)
    picked = None
    if only is not None:
        every = [*held, *(union.name for union in unions)]
        for name in only:
            if name not in every:
                raise UnknownNameError("structure", name, every)
        picked = tuple(name for name in only if name in held)
        unions = tuple(union for union in unions if union.name in only)
    names = [*(held if picked is None else picked), *(union.name for union in unions)]
    _check_labels(common["wanted"], names)
    return How(**common, structures=picked, unions=unions)


def _check_known(wanted: Wanted, named: Sequence[Label] | None, added: Sequence[Label]) -> None:
    """Refuse, before any work, what the labels show to be wrong."""
    if named is not None:
        _check_labels(wanted, [label.name for label in (*named, *added)])


def _check_labels(wanted: Wanted, names: Sequence[str]) -> None:
    for label in wanted.tolerances.by_label:
        if label not in names:
            raise UnknownNameError("label of a tolerance", label, names)
    for name in names:
        wanted.of(name)


def _check_ignore(file: LabelFile | None, wanted: Wanted) -> None:
    if file is None or file.ignore is None:
        return
    if any(spec.name == "specificity" for spec, _ in wanted.metrics):
        raise OptionError(
            f"specificity counts all background, and label {file.ignore} (ignore) is neither way; "
            "leave one of the two out"
        )


def as_given(spacing: float | Sequence[float] | None) -> float | tuple[float, ...] | None:
    """A spacing that a worker can be told; what it must be depends on the image."""
    if spacing is None or np.ndim(spacing) == 0:
        return spacing  # type: ignore[return-value]
    return tuple(spacing)  # type: ignore[arg-type]


def in_voxels(spacing: float | Sequence[float] | None) -> bool:
    """Whether a spacing says that voxels are the unit."""
    return spacing is not None and bool(np.all(np.asarray(spacing, dtype=object) == 1))
