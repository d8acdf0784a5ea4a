"""Small studies without files: specs, instances by formula and of test sets, rows of cells."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.core.spec import MetricLevel
from halfwidth.core.types import UNBOUNDED, Array
from halfwidth.study.populations import logit_empirical, logit_kde
from halfwidth.study.simulation.cells import Cells, simulate
from halfwidth.study.specs.parsing import parse_spec
from halfwidth.study.specs.spec import Instance, StudySpec

HERE = Path("study.toml")
CLASSES = "abcdefgh"
# Nothing is read from these: instances of test sets are made here, not by a source.
NO_FILES = {"scores": "*.npy", "targets": "*.npy", "kind": "logits"}

Row = Mapping[str, Any]


def spec_of_values(*populations: Mapping[str, Any], **study: Any) -> StudySpec:
    """The spec of a study of populations by formula, as a file would say them."""
    return parse_spec({"study": study, "populations": [dict(one) for one in populations]}, HERE)


def spec_of_sets(**study: Any) -> StudySpec:
    """The spec of a study of test sets."""
    return parse_spec({"study": study, "scores": [NO_FILES]}, HERE)


def cells_of_values(population: Mapping[str, Any], **study: Any) -> Cells:
    """The cells of one population by formula, at the first size."""
    spec = spec_of_values(population, **study)
    (instance,) = hw.study.plan(spec).instances
    return Cells(instance, None, spec.sizes[0], spec)


def labelled(
    name: str = "sets",
    *,
    classes: int = 2,
    n: int = 90,
    shares: Sequence[float] | None = None,
    seed: int = 1,
    shift: float = 1.2,
    empirical: bool = False,
) -> Instance:
    """An instance of test sets: normal logits, higher by ``shift`` for the true class."""
    generator = np.random.default_rng(seed)
    truth = generator.choice(classes, size=n, p=shares)
    truth[:classes] = np.arange(classes)
    logits = generator.normal(size=(classes, n))
    logits[truth, np.arange(n)] += shift
    return of_logits(name, logits, truth, empirical=empirical)


def of_logits(name: str, logits: Array, truth: Any, *, empirical: bool = False) -> Instance:
    """An instance of test sets with given logits (C, n) and codes of the true classes."""
    fit = logit_empirical if empirical else logit_kde
    return Instance(
        name=name,
        task=name,
        model="",
        source="",
        level=MetricLevel.SAMPLE,
        metric=None,
        build=functools.partial(fit, logits, truth),
        n_cases=len(truth),
        digest=f"{empirical} {hashlib.sha256(logits.tobytes() + bytes(truth)).hexdigest()}",
        bounds=UNBOUNDED,
        classes=tuple(CLASSES[: len(logits)]),
    )


def cells_of_sets(
    instance: Instance, metric: str, n: int, average: str | None = None, **study: Any
) -> Cells:
    """The cells of one metric of test sets; ``average`` where it has several."""
    averages = {} if average is None else {"averages": [average]}
    spec = spec_of_sets(metrics=[metric], sizes=[n], **averages, **study)
    return Cells(instance, spec.metrics[0], n, spec)


def rows_of(cells: Cells) -> list[dict[str, Any]]:
    """All rows of a chunk."""
    return simulate(cells).rows


def the_row(rows: Iterable[Row], **which: Any) -> Row:
    """The only row that has these values."""
    (found,) = [row for row in rows if all(row[key] == value for key, value in which.items())]
    return found


def frozen(row: Row) -> dict[str, Any]:
    """A row whose NaNs are equal to each other, and nothing else that differs."""
    return {
        name: "nan" if isinstance(value, float) and value != value else value  # noqa: PLR0124
        for name, value in row.items()
    }


def keys_of(section: str, folder: Path) -> set[str]:
    """The keys that a section may have, as the error about another one tells.

    Of populations those of any family.
    """
    file = folder / "keys.toml"
    beta = ['family = "beta"', "a = 8", "b = 2"] if section == "populations" else []
    file.write_text("\n".join([f"[[{section}]]", *beta, "frobnicate = 1"]), encoding="utf-8")
    with pytest.raises(hw.DataError) as refused:
        hw.study.read_spec(file)
    file.unlink()
    allowed = set(str(refused.value).partition("Allowed: ")[2].split(", "))
    return allowed - {"a", "b", "location", "scale"} if beta else allowed
