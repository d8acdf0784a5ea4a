"""The list of cautions: stable codes, whole texts, and a way to look them up."""

from __future__ import annotations

import re
import string
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.core.references import cite

by_code = pytest.mark.parametrize("spec", hw.CAUTIONS, ids=lambda spec: spec.code)


def test_codes_are_unique_and_in_order() -> None:
    codes = [spec.code for spec in hw.CAUTIONS]
    assert codes == sorted(set(codes))


@by_code
def test_a_caution_is_complete(spec: Any) -> None:
    assert re.fullmatch(r"HW[1-9]\d\d", spec.code)
    for text in (spec.message, spec.meaning, spec.remedy):
        assert text.endswith((".", "?", "}"))
        assert "  " not in text
    assert spec.title
    assert spec.title[0].islower() or spec.title.split()[0] in ("BCa", "Wald")


@by_code
def test_its_anchor_names_its_code(spec: Any) -> None:
    assert spec.anchor == f"docs/cautions.md#{spec.code.lower()}"


@by_code
def test_its_source_is_a_known_reference(spec: Any) -> None:
    if spec.source:
        assert str(cite(spec.source))


@by_code
def test_its_message_has_named_gaps_only(spec: Any) -> None:
    gaps = [name for _, name, _, _ in string.Formatter().parse(spec.message) if name is not None]
    assert all(name.isidentifier() for name in gaps)


@pytest.mark.parametrize("code", ["HW201", "hw201", " Hw201 "])
def test_explain_finds_a_code_in_any_capitals(code: str) -> None:
    assert hw.explain(code).title == "few cases"


def test_explain_of_an_unknown_code_lists_the_known_ones() -> None:
    with pytest.raises(hw.UnknownNameError, match=r"unknown caution 'HW999'.*Known: HW101, HW102"):
        hw.explain("HW999")


def test_a_caution_raised_carries_its_numbers_code_and_remedy() -> None:
    table = {"case": [*"abcdef"] * 2, "dice": np.linspace(0.5, 0.9, 12)}
    (estimate,) = hw.estimate(hw.CaseValues.from_table(table, case="case"), method="t")
    (raised,) = (one for one in estimate.cautions if one.code == "HW102")
    assert raised.message == (
        "6 of 12 rows repeat a case id: the interval treats them as independent."
    )
    assert str(raised) == f"HW102 {raised.message}"
    assert raised.to_dict() == {"code": "HW102", "message": raised.message}
    assert raised.remedy == hw.explain("HW102").remedy
