"""What a notebook shows of each kind of result."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
from over_data import over

import halfwidth as hw
from halfwidth.planning import auroc, mean, review, subsample

DICE = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92]
TRUTH, SCORE = [0, 1, 0, 1, 0, 1], [0.1, 0.8, 0.3, 0.2, 0.4, 0.9]


def curves() -> Any:
    return hw.curve(TRUTH, "roc", y_score=SCORE, rng=1, n_resamples=99)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (lambda: mean(0.1, halfwidth=0.02, metric="dsc"), ["Mean DSC, 95 % CI", "Assumed: mean"]),
        (lambda: auroc(0.9, prevalence=0.2, halfwidth=0.03), ["AUROC, 95 % CI", "613"]),
        (lambda: review(n=50, mean=0.85, sd=0.1, metric="dsc"), ["0.822 to 0.878", "This assumes"]),
        (
            lambda: over(hw.check, hw.CaseValues.from_table)(
                {"case": [*"abc"], "dice": [91.0, 88.5, 12.0]}
            ),
            ["HW904", "per cent"],
        ),
        (lambda: subsample(DICE, metric="dsc", sizes=[3], repeats=9, rng=1), ["half-width"]),
    ],
)
def test_each_result_is_shown_as_its_document(result: Callable[[], Any], words: list[str]) -> None:
    html = result()._repr_html_()
    assert "<table" in html
    assert "href" not in html
    assert "<script" not in html
    assert [word for word in words if word not in html] == []


@pytest.mark.slow
def test_curves_are_drawn_above_their_areas() -> None:
    html = curves()._repr_html_()
    assert html.index("data:image/png") < html.index("AUROC")


def test_curves_without_matplotlib_are_their_areas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    html = curves()._repr_html_()
    assert "<img" not in html
    assert "AUROC" in html


def test_metrics_of_other_units_have_axes_of_their_own() -> None:
    table = {
        "case": [*"abcd"] * 2,
        "metric": ["dsc"] * 4 + ["hd95"] * 4,
        "value": [0.91, 0.88, 0.93, 0.79, 12.0, 30.0, 9.0, 44.0],
    }
    html = hw.estimate(hw.CaseValues.from_table(table))._repr_html_()
    assert html.count("<table") == 2


def test_the_repr_of_a_plan_is_its_sentence() -> None:
    plan = mean(0.1, halfwidth=0.02, method="t")
    assert repr(plan) == f"SampleSize: {plan.sentence()}"
    assert "(t; SD 0.1)" in plan.sentence()


def test_a_notebook_says_nothing_of_its_tables_and_colours() -> None:
    html = hw.estimate(
        hw.CaseValues.from_table({"a": DICE, "b": DICE[::-1]}, metric="dsc")
    )._repr_html_()
    # Heavier than JupyterLab's ":not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon td".
    assert ".page.page th, .page.page td {" in html
    assert re.search(r"\.page(?!\.page)(?<!\.page\.page)", html) is None
    assert '[data-jp-theme-light="false"]' in html
