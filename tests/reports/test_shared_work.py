"""What one verb of a report reads, matches or resamples, the next ones do not do again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import Run

import halfwidth as hw

CLASSES = ("polyp", "ulcer")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often functions were called, by their names."""
    counted: dict[str, int] = {}
    for path in (
        "halfwidth.detection.estimation.sets.align",
        "halfwidth.detection.estimation.jobs.match_many",
        "halfwidth.comparison.joint_laws.studentized_differences",
    ):
        name = path.rpartition(".")[2]
        module, counted[name] = path.removesuffix(f".{name}"), 0
        monkeypatch.setattr(path, counting(vars(__import__(module, fromlist=["_"]))[name], counted))
    return counted


def counting(function: Callable[..., Any], counted: dict[str, int]) -> Callable[..., Any]:
    def called(*args: Any, **options: Any) -> Any:
        counted[function.__name__] += 1
        return function(*args, **options)

    return called


@pytest.fixture
def detectors(tmp_path: Path) -> list[str]:
    """Files of three detectors, and of the references."""
    rng = np.random.default_rng(3)
    columns = ["image", "class", "x_min", "y_min", "x_max", "y_max"]
    true = [
        (f"scan {i}", name, 60 * place, 10, 60 * place + 20, 30)
        for i in range(14)
        for place, name in enumerate(CLASSES)
    ]
    references = tmp_path / "references.csv"
    pd.DataFrame(true, columns=columns).to_csv(references, index=False)
    files = []
    for name in "ABC":
        moved = [
            (*row[:2], *(n + rng.integers(0, 9) for n in row[2:]), rng.random()) for row in true
        ]
        files.append(str(tmp_path / f"{name}.csv"))
        pd.DataFrame(moved, columns=[*columns, "score"]).to_csv(files[-1], index=False)
    return [*files, "--references", str(references), "--metric", "ap50,froc_score,object_f1"]


def test_a_report_reads_and_matches_each_detector_once(
    run: Run,
    detectors: list[str],
    calls: dict[str, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("halfwidth.plots.of_results.pages_of", lambda *_: [])
    page = tmp_path / "page.html"
    ran = run("report", *detectors, "--n-resamples", "49", "--seed", "1", "-o", page)
    assert ran.status == 0, ran.err
    assert page.read_text().count("<figure") >= 3
    # Ranks, differences, and two kinds of curves; of the F1 score ranks and differences.
    assert calls == {"align": 3, "match_many": 3, "studentized_differences": 1}


def test_a_report_of_values_resamples_differences_once(calls: dict[str, int]) -> None:
    rng = np.random.default_rng(1)
    models = {name: rng.gamma(2, 3, 20) + k for k, name in enumerate("ABC")}
    values = hw.CaseValues.from_arrays(models, metric="hd95")
    hw.report(values, n_resamples=99, rng=1, figures=False, margin=9.0)
    assert calls["studentized_differences"] == 1


def test_a_report_tells_of_detectors_what_the_verbs_tell_by_themselves(
    detectors: list[str],
) -> None:
    files = {Path(one).stem: one for one in detectors[:3]}
    data = hw.Detections.from_files(files, detectors[4])
    how: dict[str, Any] = {"metric": ["ap50", "object_f1"], "n_resamples": 49, "rng": 1}
    page = hw.report(data, figures=False, **how)
    assert page.document.data
    told = page.document.data.values()
    for alone in (hw.compare(data, **how), hw.rank(data, **how)):
        assert alone.to_dict().items() <= told.items()


def test_all_that_a_report_draws_has_one_seed() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(40) % 2
    models = {name: np.clip(0.4 * y + rng.random(40) * 0.6, 0, 1) for name in "ABC"}
    test = hw.Predictions.from_arrays(y, models)
    page = hw.report(test, metric="average_precision", n_resamples=99, figures=False)
    assert page.document.data
    assert len(set(every_seed(page.document.data.values()))) == 1


def every_seed(numbers: Any) -> list[int]:
    """Those of all results in a JSON object."""
    if isinstance(numbers, dict):
        own = [numbers["seed"]] if numbers.get("seed") is not None else []
        return own + [seed for one in numbers.values() for seed in every_seed(one)]
    if isinstance(numbers, list | tuple):
        return [seed for one in numbers for seed in every_seed(one)]
    return []
