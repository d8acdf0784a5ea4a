"""What a report says in sentences: methods, results, how far to trust them, what was drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.report.document import Document, Section
from halfwidth.report.render import render

LEADS = {"a": 0.9, "b": 0.91, "c": 0.95}


def values(organs: int, models: tuple[str, ...] = ("unet", "vit")) -> dict[str, list[Any]]:
    """A long table of models on organs, ten cases each; of the k-th organ all values are lower."""
    rng = np.random.default_rng(4)
    rows = [
        (f"c{case}", model, f"organ{organ}", dice - 0.05 * organ)
        for organ in range(organs)
        for model in models
        for case, dice in enumerate(rng.uniform(0.8, 0.9, 10))
    ]
    names = ("case", "model", "organ", "dice")
    return {name: list(cells) for name, cells in zip(names, zip(*rows, strict=True), strict=True)}


def section(results: Any, title: str) -> str:
    document = hw.make_report(results, figures=False).document
    parts = [part for part in document.parts if isinstance(part, Section) and part.title == title]
    return render(Document(tuple(parts)), "markdown")


def test_methods_are_named_with_what_they_were_used_for() -> None:
    truth, score = [0, 1] * 30, np.linspace(0, 1, 60) ** 2
    found = hw.metric_ci(truth, score, metric=["auroc", "sensitivity", "mcc"], rng=3)
    said = section(found, "For the paper")
    assert "95 % confidence intervals were computed with halfwidth" in said
    assert "methods: DeLong on the logit with t (DeLong et al. 1988) for AUROC; Wilson" in said
    assert "9999 resamples were drawn (seed 3) for MCC." in said
    provenance = section(found, "Methods and provenance")
    assert "logit⁻¹(logit A ± t·SE / (A(1 - A)))" in provenance
    assert "- design Cases taken as independent." in provenance


def test_many_estimates_are_said_by_their_range() -> None:
    table = hw.summary_table(values(5), by=["model", "organ"], metric="dsc")
    said = section(table, "For the paper")
    lowest, highest = (pick(table, key=lambda one: one.value) for pick in (min, max))
    assert f"ranges from {lowest.text_of(lowest.value)} ({lowest.label};" in said
    assert f"to {highest.text_of(highest.value)} ({highest.label};" in said
    assert "among 10 estimates (n = 10)." in said
    assert "no number depends on a seed" in section(table, "Methods and provenance")


def test_tests_without_correction_and_margins_are_named() -> None:
    compared = hw.compare_table(
        values(7), metric="dsc", by="model", within="organ", margin=0.01, rng=1, n_resamples=99
    )
    said = section(compared, "For the paper")
    assert "the 7 are not adjusted for multiple comparisons" in said
    assert "The margin of non-inferiority is 0.01." in said
    assert "(margin 0.01): " in said


def test_coverage_is_told_of_what_was_studied() -> None:
    dice = values(1)["dice"]
    independent = hw.summary_ci(dice, metric="dsc")
    assert "For the mean DSC: on " in section(independent, "How far to trust the intervals")
    pairs = [case // 2 for case in range(len(dice))]
    clustered = section(
        hw.summary_ci(dice, metric="dsc", groups=pairs), "How far to trust the intervals"
    )
    assert "the study of real instances says nothing" in clustered
    assert "| clusters |" in clustered
    assert "more cases of the same clusters bring less" in clustered


def test_more_cases_are_drawn_and_evaluated_by_the_method_itself() -> None:
    """Half-widths of the default fall faster than √n, those of t as √n; else they say ~."""
    dice = np.random.default_rng(2).normal(0.9, 0.02, 20).round(3)
    kept: dict[str, Any] = {"metric": "dsc", "keep_cases": True}
    found = {}
    for method in ("auto", "t"):
        table = hw.summary_table({"dice": dice}, method=method, **kept)
        said = section(table, "How far to trust the intervals")
        assert "drawn from these with replacement" in said
        assert "~" not in said
        (row,) = [line for line in said.splitlines() if line.startswith("| mean DSC | 20")]
        now, *more = (float(cell) for cell in row.split("|")[3:7])
        found[method] = [one / now for one in more]
    # A fifth allows for t at more degrees of freedom and for the simulation.
    assert found["t"] == pytest.approx([times**-0.5 for times in (2, 4, 10)], rel=0.2)
    assert all(one < of_t for one, of_t in zip(found["auto"], found["t"], strict=True))
    without = section(
        hw.summary_table({"dice": dice}, metric="dsc"), "How far to trust the intervals"
    )
    assert "~: an extrapolation" in without


def test_runs_are_not_called_cases() -> None:
    found = hw.runs_ci(np.linspace(0.8, 0.9, 25), bounds=(0, 1))
    assert "number of runs grows." in section(found, "How far to trust the intervals")
    assert "| Sample size | 25 runs per estimate." in section(found, "Reporting checklists")


def test_verdicts_on_simultaneous_intervals_say_so() -> None:
    models = {name: np.linspace(0.7, high, 12) for name, high in LEADS.items()}
    said = section(hw.compare(models, metric="dsc", rng=1, n_resamples=199), "For the paper")
    assert "adjusted for multiple comparisons by Holm" in said
    assert "Verdicts rest on simultaneous intervals of 3 comparisons that hold at once" in said
