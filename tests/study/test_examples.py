"""The studies in ``examples/`` are what the documentation says of them."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from analysed import with_pace

import halfwidth as hw

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUNS = "quantiles-of-runs.toml"


def test_quantiles_of_runs_are_those_of_the_paper() -> None:
    planned = hw.study.plan(EXAMPLES / RUNS)
    spec = planned.spec
    assert (spec.sizes, spec.samples, spec.resamples) == ((10, 15, 25, 50), 2000, 2000)
    assert [level.confidence_level for level in spec.levels] == [0.9, 0.95, 0.99]
    levels = {0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95}
    for name in ("sample_quantile", "interpolated_quantile", "bootstrap_median", "quantile"):
        asked = {one.quantile_level for one in spec.statistics if one.spec.name == name}
        assert asked == levels
    assert len(planned.instances) == 6
    assert len(planned.chunks) == 24


@pytest.mark.slow
def test_tables_are_made_of_a_small_run_of_it(tmp_path: Path) -> None:
    whole = (EXAMPLES / RUNS).read_text(encoding="utf-8")
    small = whole.replace("samples = 2000\nres", "samples = 20\nbatches = 2\nres")
    small = small.replace("[0.9, 0.95, 0.99]", "[0.9]").replace("[10, 15, 25, 50]", "[10, 25]")
    assert len(small) < len(whole)
    (tmp_path / RUNS).write_text(small, encoding="utf-8")
    hw.study.run(hw.study.plan(tmp_path / RUNS), tmp_path / "store", jobs=1)
    script = EXAMPLES / "quantiles_of_runs.py"
    made = subprocess.run(
        [sys.executable, script, tmp_path / "store"], capture_output=True, text=True, check=True
    )
    assert made.stdout.count("| q | exact | exact_randomized | asymptotic | semiparametric |") == 2
    assert "level 0.9: t for the mean" in made.stdout
    # Ten runs reach no tenth at 90 %, and the median always.
    ten = made.stdout.split("level 0.9, n = 10:")[1].split("level")[0]
    rows = {line.split("|")[1].strip(): line for line in ten.splitlines() if line.startswith("| 0")}
    assert rows["0.1"].count("–") == 3
    assert "–" not in rows["0.5"]


def test_paces_of_two_studies_are_fitted_to_the_same_n(monkeypatch: pytest.MonkeyPatch) -> None:
    # Classifiers are trained by scikit-learn, which is no matter here.
    monkeypatch.setitem(sys.modules, "train_classifiers", SimpleNamespace(train_all=None))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    real_study = importlib.import_module("real_study")
    given: list[Any] = []

    def tests(first: pd.DataFrame, second: pd.DataFrame, **_: Any) -> None:
        given.append((set(first["sizes"]), set(second["sizes"])))

    analysis = {name: getattr(hw.study.analysis, name) for name in hw.study.analysis.__all__}
    analysis |= {"unpaired_pace_tests": tests, "pace_tests": nothing}
    analysis["skewness_model"] = lambda *_, **__: pd.DataFrame()
    monkeypatch.setattr(real_study, "analysis", SimpleNamespace(**analysis))
    monkeypatch.setattr(real_study, "_tests", nothing)
    segmented = pd.concat(with_pace(-1, task=t) for t in "ab")
    macro = {"metric": "f1", "statistic": "", "average": "macro"}
    classified = pd.concat(with_pace(-1, (10, 50, 75), task=t, **macro) for t in "cd")
    real_study.paces(segmented, classified)
    assert given
    assert all(sizes == ({2}, {2}) for sizes in given if sizes[1])


def test_tables_of_auto_tell_the_two_ends_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for made, make in (("train_classifiers", "train_all"), ("restore_digits", "restore_all")):
        monkeypatch.setitem(sys.modules, made, SimpleNamespace(**{make: None}))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    real_auto = importlib.import_module("real_auto")
    same = {"metric": "dsc", "statistic": "mean", "average": "", "label": "", "n": 10}
    same |= {"confidence_level": 0.95, "alternative": "two-sided", "samples": 200}
    rows = [
        same
        | {"instance": f"{task}/dsc", "task": task, "method": method, "coverage_se": 0.01}
        | {"missed_above": above, "missed_below": below, "coverage": 1 - above - below}
        | {"width_mean": width}
        for method, width, misses in (
            ("auto", 0.3, ((0.02, 0.02), (0.03, 0.03))),
            ("t", 0.2, ((0.08, 0.0), (0.1, 0.02))),
        )
        for task, (above, below) in zip("ab", misses, strict=True)
    ]
    monkeypatch.setattr(real_auto, "kinds", lambda _: [("Segmentation", pd.DataFrame(rows))])
    real_auto.tables(Path())
    printed = capsys.readouterr().out
    # Ranks and widths as before; of t nine in a hundred lie above the truth, and one below it.
    assert "| `auto` | 95.0 [94.5] 94.0 × 1.50, 1; 2.5 and 2.5 |" in printed
    assert "| `t` | 90.0 [89.0] 88.0 × 1.00, (2); 9.0 and 1.0 |" in printed


def nothing(*_: Any, **__: Any) -> None:
    pass
