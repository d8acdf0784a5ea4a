"""Tests of calibration, and calibration over centres, as documents."""

from __future__ import annotations

import math
from collections.abc import Iterable

from halfwidth.core.formatting import fixed, percent
from halfwidth.document.parts import (
    Adaptive,
    Cell,
    Column,
    Data,
    Document,
    Heading,
    Item,
    Items,
    Kind,
    Note,
    Table,
)
from halfwidth.results.calibration_results import CalibrationTest, CalibrationTests
from halfwidth.results.centre_results import CentreResults, OverCentres
from halfwidth.results.comparison_words import p_text
from halfwidth.results.documents.estimates import CAUTIONS_TITLE

P_NOTE = (
    "p: share of samples of outcomes, drawn from the probabilities themselves, that lie as far "
    "from them as these ({count} samples, seed {seed}); in large samples: by the distribution "
    "named."
)
CENTRES_NOTE = (
    "Over centres: random effects, REML; the interval of the mean by Hartung and Knapp (t, k - 1), "
    "that of a new centre a prediction interval (t, k - 2). τ: SD between centres{scale}; I²: "
    "share of their differences that is more than chance."
)


def tests_document(tests: CalibrationTests) -> Document:
    """A row for each test, cautions, and what p is."""
    labelled = any(item.label for item in tests)
    columns = (
        *([Column("label")] if labelled else []),
        Column("test of calibration"),
        *(Column(name, Kind.NUMBER) for name in ("n", "observed", "expected", "value", "p")),
        Column("in large samples"),
    )
    rows = tuple((*([Cell(item.label)] if labelled else []), *_test_cells(item)) for item in tests)
    first = tests[0]
    note = P_NOTE.format(count=first.n_resamples, seed=first.seed)
    return Document(
        (Table(columns, rows), *_cautions(tests.caution_lines()), Note(note)),
        Data(tests.to_dict, tests.to_rows),
    )


def _test_cells(item: CalibrationTest) -> tuple[Cell, ...]:
    large = f"{p_text(item.asymptotic_p)} ({item.reference})" if item.reference else ""
    return (
        Cell(item.subject),
        Cell(str(item.n), item.n),
        Cell(str(item.observed), item.observed),
        Cell(f"{item.expected:.1f}", item.expected),
        Cell(f"{item.value:.3g}", item.value),
        Cell(p_text(item.p_value), item.p_value),
        Cell(large, item.asymptotic_p),
    )


def centres_document(results: CentreResults) -> Document:
    """Metrics over centres, and those of each centre."""
    level = percent(results[0].confidence_level)
    columns = (
        Column("over centres"),
        Column("centres", Kind.NUMBER),
        Column("n", Kind.NUMBER),
        Column("mean", Kind.NUMBER),
        Column(f"{level} CI", Kind.INTERVAL),
        Column("new centre", Kind.INTERVAL),
        Column("τ", Kind.NUMBER),
        Column("I²", Kind.NUMBER),
    )
    rows = tuple(_row(item) for item in results)
    logarithmic = any(item.is_logarithmic for item in results)
    note = CENTRES_NOTE.format(scale=" (of O:E of its logarithm)" if logarithmic else "")
    return Document(
        (
            Table(columns, rows),
            *(part for item in results for part in _each_centre(item, level)),
            *_cautions(results.caution_lines()),
            Note(note),
        ),
        Data(results.to_dict, results.to_rows),
    )


def _row(item: OverCentres) -> tuple[Cell, ...]:
    return (
        Cell(item.subject),
        Cell(str(item.n_centres), item.n_centres),
        Cell(str(item.n), item.n),
        Cell(fixed(item.value, item.decimals), item.value),
        _ends(item.low, item.high, item.decimals),
        _ends(item.new_low, item.new_high, item.decimals),
        Cell(fixed(item.tau, item.decimals), item.tau),
        Cell(f"{100 * item.i_squared:.0f} %", item.i_squared),
    )


def _ends(low: float, high: float, decimals: int) -> Cell:
    text = "none" if math.isnan(low) else f"{fixed(low, decimals)} to {fixed(high, decimals)}"
    return Cell(text, (low, high))


def _each_centre(item: OverCentres, level: str) -> tuple[Heading | Table, ...]:
    columns = (
        Column("centre"),
        Column("n", Kind.NUMBER),
        Column("value", Kind.NUMBER),
        Column(f"{level} CI", Kind.INTERVAL),
    )
    rows = tuple(
        (
            Cell(one.label),
            Cell(str(one.n), one.n),
            Cell(one.text_of(one.value), one.value),
            Cell(one.ends_text, (one.low, one.high)),
        )
        for one in item.centres
    )
    return Heading(item.subject[:1].upper() + item.subject[1:]), Table(columns, rows)


def _cautions(lines: Iterable[tuple[str, str]]) -> tuple[Adaptive, ...]:
    items = tuple(Item(code, text, code) for code, text in lines)
    return (Adaptive((Items(items, CAUTIONS_TITLE),), (Items(items),)),) if items else ()
