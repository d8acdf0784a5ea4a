"""What a user's type checker sees of the public API."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

import halfwidth as hw

ROOT = Path(__file__).resolve().parents[1]
USED = """
from __future__ import annotations

import numpy as np
from typing_extensions import assert_type

import halfwidth as hw

values = np.array([0.8, 0.9, 0.7])
one: hw.Estimate | hw.Estimates = hw.summary_ci(values, metric="dsc", statistic="mean")
assert_type(hw.__version__, str)
sample = hw.metric_ci([0, 1, 1], [0.1, 0.8, 0.7], metric="auroc")
plan: hw.planning.SampleSize = hw.planning.mean(0.1, halfwidth=0.02)
assert_type(plan.n, int)
share = hw.proportion_ci(45, 50)
assert_type(share.low, float)
assert_type(share.sentence(), str)
cautions: tuple[hw.Caution, ...] = share.cautions
spec: hw.MetricSpec = hw.METRICS["dsc"]
try:
    hw.explain("HW101")
except hw.HalfwidthError as error:
    print(str(error))
opened = hw.study.open("store")
assert_type(opened, hw.study.Results)
"""


def test_the_marker_of_types_is_in_the_package() -> None:
    assert resources.files("halfwidth").joinpath("py.typed").is_file()


@pytest.mark.slow
def test_a_users_file_passes_strictly(tmp_path: Path) -> None:
    """Every public name has a type; ``reveal_type`` of one that had none would say ``Any``."""
    names = list(hw.__all__)
    below = [
        f"hw.{package}.{name}"
        for package in ("metrics", "planning", "plots", "study", "summaries")
        for name in getattr(hw, package).__all__
    ]
    shown = [*(f"hw.{name}" for name in names), *below]
    text = USED + "".join(f"reveal_type({name})\n" for name in shown)
    file = tmp_path / "user.py"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", "", file],
        capture_output=True,
        check=False,
        encoding="utf-8",
        cwd=ROOT / "src",
    )
    assert ": error:" not in done.stdout, done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    revealed = [line.partition("Revealed type is ")[2] for line in done.stdout.splitlines()]
    revealed = [line for line in revealed if line]
    assert len(revealed) == len(shown)
    untyped = [
        n
        for n, kind in zip(shown, revealed, strict=True)
        if kind in ('"Any"', '"def (*Any, **Any)"')
    ]
    assert untyped == []
