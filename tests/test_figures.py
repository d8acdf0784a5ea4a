"""Figures in prose and in cautions are those of the tables that commands made."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import figures
import generate
import numpy as np
import pytest
from over_data import metric_ci

import halfwidth as hw
from halfwidth.core.references import references

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", generate.PAGES_COMPARED)
def test_the_figures_of_a_page_are_those_of_the_tables(name: str) -> None:
    assert page(name) == generate.with_figures(page(name)), "run 'make docs'"


@pytest.mark.parametrize("name", generate.PAGES_WITH_FIGURES)
def test_every_figure_of_a_page_has_a_source(name: str) -> None:
    assert figures.unmarked(page(name)) == []
    text = page(name)
    markers = re.findall(
        r"<!-- (?:study|auto|metrics|runs|comparing|gate|evidence|reckoned): ", text
    )
    assert len(markers) == len(figures.MARKED.findall(text)), "a marker that no number precedes"
    for source in figures.FROM.findall(text):
        assert source in references() or (ROOT / source).exists(), source


def test_a_figure_that_drifts_and_one_without_a_source_are_found() -> None:
    marked = "`hall` covers 99.9 [10.0]<!-- study: mean DSC; hall; n = 10 --> % at n = 10."
    assert figures.filled(marked) == marked.replace("99.9 [10.0]", "93.3 [85.2]")
    assert figures.unmarked(marked) == []
    assert len(figures.unmarked("It covers 93.3 %, and 12 % of 95 % intervals miss.")) == 2
    assert figures.unmarked("It covers 93.3 %. <!-- from: andre2025 -->") == []
    with pytest.raises(figures.FigureError):
        figures.filled("93.3<!-- study: mean DSC; hal; n = 10 -->")


def cell(heading: str, row: str, column: str) -> str:
    text = figures.table("study", heading).cell(row, column)
    assert isinstance(text, str)
    return text


def coverage(heading: str, method: str, n: int) -> str:
    """A median coverage in whole per cent, as prose has it."""
    return f"{figures.numbers_of(cell(heading, method, f'n = {n}'))[0]:.0f}"


def needs(what: str) -> str:
    return cell("coverage 0.925", what, "half")


CLAIMS: list[tuple[str, str, Callable[[], tuple[str, ...]]]] = [
    (
        "HW201",
        r"about (\d+) cases for the mean DSC, (\d+) for its SD, (\d+) for its IQR, \d+ for its",
        lambda: (needs("mean DSC"), needs("sd DSC"), needs("iqr DSC")),
    ),
    ("HW201", r"(\d+) for its median and trimmed mean", lambda: (needs("median DSC"),)),
    ("HW201", r"(\d+) for its median and trimmed mean", lambda: (needs("trimmed mean DSC"),)),
    (
        "HW201",
        r"classification from (\d+) for accuracy and macro F1",
        lambda: (needs("accuracy"),),
    ),
    ("HW201", r"from (\d+) for accuracy and macro F1", lambda: (needs("macro F1"),)),
    (
        "HW201",
        r"not up to (\d+) for a macro AUROC",
        lambda: (needs("macro AUROC").removeprefix("> "),),
    ),
    (
        "HW313",
        r"at 100 cases was (\d+) % by BCa and (\d+) % by percentile",
        lambda: (
            coverage("macro average precision", "bca", 100),
            coverage("macro average precision", "percentile", 100),
        ),
    ),
    (
        "HW313",
        r"at 25 cases (\d+) % and (\d+) %",
        lambda: (
            coverage("macro average precision", "bca", 25),
            coverage("macro average precision", "percentile", 25),
        ),
    ),
]


@pytest.mark.parametrize(("code", "pattern", "wanted"), CLAIMS)
def test_the_figures_of_a_caution_are_those_of_the_tables(
    code: str, pattern: str, wanted: Callable[[], tuple[str, ...]]
) -> None:
    (found,) = re.finditer(pattern, hw.explain(code).meaning)
    assert found.groups() == wanted()


def test_basic_is_the_worst_for_macro_ap_at_every_n_as_its_caution_says() -> None:
    one = figures.table("study", "macro average precision")
    for n in one.columns[1:]:
        basic, others = (
            figures.numbers_of(one.cell("basic", n))[0],
            [figures.numbers_of(one.cell(m, n))[0] for m in ("percentile", "bca")],
        )
        assert basic < min(others)


# --------------------------------------------------------------------------- what auto does


def of_classes(metric: Any, classes: int, n: int, **options: Any) -> str:
    generator = np.random.default_rng(n)
    truth = np.r_[np.arange(classes), generator.integers(0, classes, n - classes)]
    scores = generator.random((n, classes))
    scores[np.arange(n), truth] += 0.4
    scores /= scores.sum(axis=1, keepdims=True)
    given = scores[:, 1] if classes == 2 else scores
    found = metric_ci(truth, given, metric=metric, n_resamples=99, rng=1, **options)
    return (found if isinstance(found, hw.Estimate) else found[0]).method


def of_numbers(metric: str, n: int) -> str:
    generator = np.random.default_rng(n)
    truth = generator.normal(size=n)
    guess = truth + generator.normal(size=n)
    found = metric_ci(truth, guess, metric=metric, n_resamples=99, rng=1)
    assert isinstance(found, hw.Estimate)
    return found.method


ROWS: list[tuple[str, str, list[Callable[[int], str]]]] = [
    (
        "all other counting metrics",
        "other counting metrics",
        [
            lambda n: of_classes("balanced_accuracy", 3, n),
            lambda n: of_classes("f1", 3, n, average="macro"),
            lambda n: of_classes("mcc", 2, n),
        ],
    ),
    (
        "macro and micro AUROC and AP, AP of one class",
        "macro and micro AUROC and AP, AP of one class",
        [
            lambda n: of_classes("auroc", 3, n, average="macro"),
            lambda n: of_classes("average_precision", 3, n, average="macro"),
            lambda n: of_classes("average_precision", 3, n, average="micro"),
            lambda n: of_classes("average_precision", 2, n),
        ],
    ),
    (
        "threshold chosen on the data, a function of your own",
        "threshold chosen on the data; a function of your own",
        [lambda n: of_classes("f1", 2, n, threshold="youden_j")],
    ),
    ("RMSE, R²", "RMSE, R²", [lambda n: of_numbers("rmse", n), lambda n: of_numbers("r2", n)]),
]


def said_by(name: str, row: str) -> tuple[str, str, int]:
    """The methods that a row of a page names below and from some n on, and that n."""
    (cells,) = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in re.sub("<!--.*?-->", "", page(name)).splitlines()
        if line.startswith(f"| {row} |")
    )
    if name == "choosing.md":
        few, many = cells[1], cells[2]
        changes = re.search(r"from (\d+) cases on `(\w+)`", few)
        first = re.findall(r"`(\w+)`", few)[0]
        last = changes[2] if changes else re.findall(r"`(\w+)`", many)[0]
        return first, last, int(changes[1]) if changes else 50
    below = re.search(r"`(\w+)` below (\d+) cases, else `(\w+)`", cells[2])
    if below:
        return below[1], below[3], int(below[2])
    return (re.findall(r"`(\w+)`", cells[2])[0],) * 2 + (50,)


@pytest.mark.parametrize(("own", "choosing", "ways"), ROWS)
def test_the_pages_say_what_auto_takes(
    own: str, choosing: str, ways: list[Callable[[int], str]]
) -> None:
    for name, row in (("classification.md", own), ("choosing.md", choosing)):
        few, many, border = said_by(name, row)
        for method in ways:
            assert (method(border - 1), method(border)) == (few, many), (name, row, border)
