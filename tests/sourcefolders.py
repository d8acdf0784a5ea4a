"""Folders with a spec and the files that it names, and what becomes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import halfwidth as hw
from halfwidth.study.specs.spec import Instance

VALUES = np.linspace(0.2, 0.9, 60)


def loaded(folder: Path, content: str) -> tuple[Instance, ...]:
    """The instances of a spec with this content."""
    (folder / "spec.toml").write_text(content, encoding="utf-8")
    return hw.study.plan(folder / "spec.toml").instances


def only(folder: Path, content: str) -> Instance:
    """The instance of a spec that has one."""
    (instance,) = loaded(folder, content)
    return instance


def complaint(folder: Path, content: str, kind: type[Exception] = hw.DataError) -> str:
    """What is said of a section of a spec, without the file and the section."""
    with pytest.raises(kind) as caught:
        loaded(folder, content)
    text = str(caught.value)
    assert text.startswith(f"{folder / 'spec.toml'}: [[")
    assert "\n" not in text
    assert "--" not in text
    head, _, said = text.removeprefix(f"{folder / 'spec.toml'}: ").partition("]]")
    assert f"{head}]]" in content
    return said.removeprefix(": ")


# --------------------------------------------------------------------------- tables of values


def with_tables(folder: Path) -> Path:
    """The folder with results of two models on two organs, and in per cent of one task."""
    for shift, model in enumerate(("UNet", "ViT")):
        frame = pd.DataFrame({"name": [f"s{i:02d}" for i in range(60)]})
        frame["liver"] = VALUES - 0.1 * shift
        frame["spleen"] = VALUES[::-1] ** 2 - 0.01 * shift
        frame.to_csv(folder / f"{model}_dsc.csv", index=False)
    (folder / "single").mkdir()
    single = pd.DataFrame({"id": range(60), "metric": 100 * VALUES})
    single.to_csv(folder / "single/brain_dsc.csv")
    return folder


def long_table(folder: Path, **columns: Any) -> None:
    """Write ``long.csv``, a row for each case, with these columns besides or instead."""
    base = {"case": [f"c{i}" for i in range(60)], "metric": "dsc", "value": VALUES}
    pd.DataFrame({**base, **columns}).to_csv(folder / "long.csv", index=False)


def table(*lines: str) -> str:
    """A section of a spec."""
    return "\n".join(["[[tables]]", *lines, ""])


WIDE = table('files = "*_dsc.csv"', 'metric = "dsc"')
SINGLE = table('files = "single/brain_dsc.csv"', 'metric = "dsc"', "scale = 100")


def values_of(instance: Instance) -> Any:
    """What the population is built from."""
    build: Any = instance.build
    return build.args[0]
