"""Rankings in words, of many models and of undecided ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

import halfwidth as hw
from halfwidth.document.parts import Document
from halfwidth.document.render import render
from halfwidth.results.documents.rankings import rankings_document
from halfwidth.results.ranking import RankSet
from halfwidth.results.ranking_words import clauses

FEW: dict[str, Any] = {"n_resamples": 99, "rng": 1, "method": "t"}


def as_text(document: Document) -> str:
    return render(document, "table")


def models(*sets: tuple[int, int]) -> Any:
    return [SimpleNamespace(name=f"M{i}", rank_set=RankSet(*one)) for i, one in enumerate(sets)]


def test_an_open_order_is_said_once() -> None:
    said = clauses(models((1, 3), (1, 3), (1, 3)), 0.95)
    assert said == "the order is open: each of the 3 models may have any rank (95 % confidence)"
    partly = clauses(models((1, 2), (1, 3), (1, 3)), 0.95)
    assert partly.startswith(
        "any of the 3 models may be first (95 % confidence); the rank of M0 is"
    )
    same = hw.rank({name: [0.9, 0.8, 0.7, 0.95] for name in "ABC"}, metric="dsc", **FEW)
    assert "Not told apart" not in as_text(rankings_document(same))


def test_a_sentence_of_many_models_stays_short() -> None:
    sets = [(max(1, i - 5), min(40, i + 7)) for i in range(1, 41)]
    said = clauses(models(*sets), 0.95)
    assert said.count(";") == 9
    assert said.endswith("; the ranks of the other 32 models are within 4 to 40")
    many_first = clauses(models(*[(1, 30)] * 30, (2, 31)), 0.95)
    assert "M10, M11 and 18 more may be first of 31" in many_first


def test_one_case_left_out_is_one_case() -> None:
    table = {
        "model": ["A"] * 6 + ["B"] * 5,
        "case": [*range(6), *range(5)],
        "dice": np.linspace(0.5, 0.9, 11),
    }
    rankings = hw.rank(
        hw.CaseValues.from_table(table, "dice", metric="dsc"), unmatched="omit", **FEW
    )
    assert "Left out: 1 case that was not there for all models." in as_text(
        rankings_document(rankings)
    )


def test_agreement_of_several_metrics_says_whose() -> None:
    rng = np.random.default_rng(1)
    values = rng.beta(8, 2, 40)
    table = {
        "model": ["A", "B"] * 20,
        "case": np.repeat(range(20), 2),
        "dsc": values,
        "hd95": 20 * (1 - values) + rng.uniform(size=40),
    }
    rankings = hw.rank(
        hw.CaseValues.from_table(table, metric=["dsc", "hd95"], model="model"), **FEW
    )
    text = " ".join(as_text(rankings_document(rankings)).split())
    assert "on average: mean DSC: " in text
    assert "; mean HD95: " in text
    assert "First: shares" in text
