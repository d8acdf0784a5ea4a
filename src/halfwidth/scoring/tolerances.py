"""Tolerances of the normalised surface distance in mm: common, per label, or published."""

from __future__ import annotations

import contextlib
import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import field
from numbers import Real
from pathlib import Path

from halfwidth.core.errors import DataError, HalfwidthError, OptionError, UnknownNameError, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.io.settings import small_toml

# Medical Segmentation Decathlon, by task and the same for all its targets; andre2025, section S3.1.
MSD: Mapping[str, float] = {
    "brain": 5.0,
    "heart": 4.0,
    "hippocampus": 1.0,
    "liver": 7.0,
    "lung": 2.0,
    "prostate": 4.0,
    "pancreas": 5.0,
    "colon": 4.0,
    "hepatic_vessel": 3.0,
    "spleen": 3.0,
}
MSD_PREFIX = "msd:"
DEFAULT = "default"
TABLE = "tolerances"
MOST_BYTES = 1_000_000


@frozen
class Tolerances:
    """How far a boundary may be off, in mm."""

    # For labels without a tolerance of their own.
    default: float | None = None
    by_label: Mapping[str, float] = field(default_factory=dict)

    def for_label(self, label: str) -> float | None:
        """The tolerance of a label; None if it has none.

        >>> Tolerances(2.0, {"liver": 3.0}).for_label("liver")
        3.0
        """
        return self.by_label.get(label, self.default)


def resolve_tolerances(
    tolerance: float | str | Mapping[str, float | str] | None, file: Path | None = None
) -> Tolerances:
    """Combine the tolerances given as an option and in a file.

    As an option a number of mm for all labels, ``"msd:liver"`` for that of a task of the Medical
    Segmentation Decathlon, or either for each label; in TOML either for each label: ``liver = 3``.
    In a file and a mapping, ``default`` is for all other labels.

    >>> resolve_tolerances({"spleen": "MSD:Spleen", "default": 2}, None).for_label("aorta")
    2.0
    """
    entries: dict[str, float] = {}
    if isinstance(tolerance, Mapping):
        entries = {str(name): _tolerance(value, f"{name!r}") for name, value in tolerance.items()}
    elif tolerance is not None:
        entries = {DEFAULT: _tolerance(tolerance, "tolerance")}
    if file is not None:
        for name, value in _read_tolerances(file).items():
            if entries.setdefault(name, value) != value:
                where = "all other labels" if name == DEFAULT else repr(name)
                raise OptionError(
                    f"the tolerance of {where} is {entries[name]:g} mm by {spelled('tolerance')} "
                    f"and {value:g} mm in {file}; leave one out"
                )
    labels = {name: value for name, value in entries.items() if name != DEFAULT}
    return Tolerances(entries.get(DEFAULT), labels)


def _read_tolerances(file: Path) -> dict[str, float]:
    text = small_toml(file, MOST_BYTES)
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise DataError(f"{file}: is nested too deeply to be a file of tolerances") from None
    except ValueError as error:
        hint = "; write one label on each line, such as liver = 3"
        raise DataError(f"{file}: is not TOML: {error}{hint}") from None
    table = content.get(TABLE)
    if isinstance(table, dict):
        beside = [name for name in content if name != TABLE]
        if beside:
            raise DataError(f"{file}: {beside[0]!r} stands outside of [{TABLE}]; move it there")
        content = table
    if not content:
        raise DataError(f"{file}: holds no tolerance; write for example liver = 3")
    return {name: _tolerance_in_file(value, name, file) for name, value in content.items()}


def _tolerance_in_file(value: object, name: str, file: Path) -> float:
    if isinstance(value, dict):
        inner = json.dumps(f"{name}.{next(iter(value), '')}", ensure_ascii=False)
        raise DataError(
            f"{file}: {name!r} is a table; write one number for each label, and quotes around a "
            f"name with a dot: {inner} = 3"
        )
    try:
        return _tolerance(value, f"{name!r}")
    except HalfwidthError as error:
        raise DataError(f"{file}: {error}") from None


def _tolerance(value: object, owner: str) -> float:
    if isinstance(value, str) and value.strip().lower().startswith(MSD_PREFIX):
        return _task_tolerance(value.strip()[len(MSD_PREFIX) :])
    number = math.nan
    if not isinstance(value, bool) and isinstance(value, (str, Real)):
        with contextlib.suppress(ValueError, OverflowError):
            number = float(value)
    if not 0 <= number < math.inf:
        raise OptionError(
            f"{owner}: {shown(value)} is not a number of mm, at least 0, nor "
            f"{MSD_PREFIX}TASK with a task of the Medical Segmentation Decathlon"
        )
    return number


def _task_tolerance(name: str) -> float:
    by_plain = {_plain(task): tolerance for task, tolerance in MSD.items()}
    if _plain(name) not in by_plain:
        kind = "task of the Medical Segmentation Decathlon"
        raise UnknownNameError(kind, name.strip(), MSD)
    return by_plain[_plain(name)]


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.casefold())
