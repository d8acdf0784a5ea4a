"""Rankings in words, of many models and of undecided ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.document.parts import Document
from halfwidth.document.render import render

FEW: dict[str, Any] = {"n_resamples": 99, "rng": 1, "method": "t"}


def as_text(document: Document) -> str:
    return render(document, "table")


def said_of(*sets: tuple[int, int]) -> str:
    """The sentence of a ranking of models that have these sets of ranks."""
    (ranking,) = hw.rank({name: [0.9, 0.8, 0.7, 0.95] for name in "AB"}, metric="dsc", **FEW)
    one = ranking.models[0]
    models = tuple(
        replace(one, name=f"M{place}", rank_set=replace(one.rank_set, low=low, high=high))
        for place, (low, high) in enumerate(sets)
    )
    return replace(ranking, models=models).sentence()


def test_an_open_order_is_said_once() -> None:
    said = said_of((1, 3), (1, 3), (1, 3))
    open_order = "the order is open: each of the 3 models may have any rank (95 % confidence)"
    assert said == f"Mean DSC: {open_order}."
    partly = said_of((1, 2), (1, 3), (1, 3))
    assert partly.startswith(
        "Mean DSC: any of the 3 models may be first (95 % confidence); the rank of M0 is"
    )
    same = hw.rank({name: [0.9, 0.8, 0.7, 0.95] for name in "ABC"}, metric="dsc", **FEW)
    assert "Not told apart" not in as_text(same.document())


def test_a_sentence_of_many_models_stays_short() -> None:
    sets = [(max(1, i - 5), min(40, i + 7)) for i in range(1, 41)]
    said = said_of(*sets)
    assert said.count(";") == 9
    assert said.endswith("; the ranks of the other 32 models are within 4 to 40.")
    many_first = said_of(*[(1, 30)] * 30, (2, 31))
    assert "M10, M11 and 18 more may be first of 31" in many_first


def test_one_case_left_out_is_one_case() -> None:
    table = {
        "model": ["A"] * 6 + ["B"] * 5,
        "case": [*range(6), *range(5)],
        "dice": np.linspace(0.5, 0.9, 11),
    }
    rankings = hw.rank(
        hw.CaseValues.from_table(table, "dice", metric="dsc", pairing="common"), **FEW
    )
    assert "Left out: 1 case that was not there for all models." in as_text(rankings.document())


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
    text = " ".join(as_text(rankings.document()).split())
    assert "on average: mean DSC: " in text
    assert "; mean HD95: " in text
    assert "First: shares" in text


def test_a_caution_of_some_models_names_them() -> None:
    first = [0.9, 0.8, 0.95, 0.7, 0.85, 0.9] * 5
    models = {"A": [0.0, 0.0, *first], "B": [0.0, *first, 0.9], "C": [0.9, *first, 0.8]}
    (ranking,) = hw.rank(models, metric="dsc", rng=1)
    failed = [one for one in ranking.cautions if one.code == "HW202"]
    assert [one.message[:3] for one in failed] == ["A: ", "B: "]


def test_a_caution_of_all_models_names_none() -> None:
    values = [0.9, 0.8, 0.95, 0.7]
    models = {name: [one - at / 10 for one in values] for at, name in enumerate("ABC")}
    (ranking,) = hw.rank(models, metric="dsc", **FEW)
    few = next(one for one in ranking.cautions if one.code == "HW201")
    assert few.message.startswith("4 cases; ")


def test_more_first_ranks_than_models_have_no_effect() -> None:
    models = {name: [0.9, 0.8, 0.95, 0.7] for name in "AB"}
    with pytest.raises(hw.OptionError, match="top=4 has no effect: 2 models have no more than 2"):
        hw.rank(models, metric="dsc", top=4, **FEW)
    assert hw.rank(models, metric="dsc", **FEW)[0].top == 3


def test_a_model_first_by_less_than_is_printed_is_said_to_be_so() -> None:
    noise = np.random.default_rng(1)
    values = noise.normal(0.85, 0.04, 60).clip(0, 0.99)
    models = {"A": values + 1e-4 + noise.normal(0, 1e-5, 60), "B": values, "C": values - 0.05}
    data = hw.CaseValues.from_arrays(models, metric="dsc")
    (ranking,) = hw.rank(data, **FEW)
    assert ranking.sentence().startswith("Mean DSC: A is first of 3")
    (said,) = (one.message for one in ranking.cautions if one.code == "HW854")
    shown = ranking["A"].estimate.text_of(ranking["A"].value)
    assert said.startswith(f"A ranks before B by 0.0001, and both print as {shown}: so small a ")
    (with_margin,) = hw.rank(data, margin=0.01, **FEW)
    assert "HW854" not in {one.code for one in with_margin.cautions}
