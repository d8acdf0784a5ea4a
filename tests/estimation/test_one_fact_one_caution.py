"""One fact, one caution: who is named, how many more there are, and counts, in text and in JSON.

Each fact is made once of one of three models and once of all three. `FACTS` raises it; `ELSEWHERE`
says of a caution why it is no fact about some of several models.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

import halfwidth as hw

MODELS = ("A", "B", "C")
ONE, ALL = ("B",), MODELS
N = 40
DRAWS: dict[str, Any] = {"rng": 1, "n_resamples": 199}
GENERATOR = np.random.default_rng(7)
# Models that nothing is to be said of.
GOOD = {
    name: 0.8 - 0.02 * place + GENERATOR.normal(0, 0.02, N) for place, name in enumerate(MODELS)
}
TRUTH = np.arange(N) % 2
SCORES = {
    name: np.clip(0.3 + 0.35 * TRUTH + GENERATOR.normal(0, 0.15, N), 0.01, 0.99) for name in MODELS
}
THREE = np.arange(N) % 3
LABELS = {
    name: np.where(np.arange(N) % 7 == place, (THREE + 1) % 3, THREE)
    for place, name in enumerate(MODELS)
}
ROWS = {name: np.eye(3)[LABELS[name]] * 0.6 + 0.4 / 3 for name in MODELS}


class Fact(NamedTuple):
    """What raises a caution."""

    # Makes data of which some models have the fact.
    data: Callable[[tuple[str, ...]], Any]
    asked: Mapping[str, Any] = {}
    # Whether the difference of two models has it where one of them has, and where both do.
    of_pairs: tuple[bool, bool] = (False, False)


def values(
    change: Callable[[Any], Any], otherwise: Callable[[Any], Any] | None = None, **options: Any
) -> Callable[[tuple[str, ...]], hw.CaseValues]:
    """Values of cases, changed in the models that have a fact, and otherwise in the others."""

    def made(having: tuple[str, ...]) -> hw.CaseValues:
        models = {
            name: change(one) if name in having else otherwise(one) if otherwise else one
            for name, one in GOOD.items()
        }
        described: dict[str, Any] = {"metric": "dsc", "bounds": (0.3, 1)} | options
        return hw.CaseValues.from_arrays(models, **described)

    return made


def predictions(
    change: Callable[[Any], Any], base: Mapping[str, Any] = SCORES, truth: Any = TRUTH
) -> Callable[[tuple[str, ...]], hw.Predictions]:
    """Scores or labels, changed in the models that have a fact."""

    def made(having: tuple[str, ...]) -> hw.Predictions:
        models = {name: change(one) if name in having else one for name, one in base.items()}
        return hw.Predictions.from_arrays(truth, models)

    return made


def with_ends(*ends: float) -> Callable[[Any], Any]:
    return lambda one: np.r_[ends, one[len(ends) :]]


def alike(one: Any) -> Any:
    return 0 * one + 0.8


def never_two(one: Any) -> Any:
    return np.where(one == 2, 1, one)


def asking(metric: str, **options: Any) -> Mapping[str, Any]:
    return {"metric": metric} | options


WHERE_BOTH, ALWAYS = (False, True), (True, True)
WRONG = {name: np.where(at == THREE, (THREE + 1) % 3, THREE) for at, name in enumerate(MODELS)}
FACTS: dict[str, Fact] = {
    "HW103": Fact(values(with_ends(0.3, 0.3, 0.3))),
    "HW202": Fact(values(with_ends(0.4, 0.41)), of_pairs=(True, False)),
    "HW203": Fact(
        predictions(lambda _: np.r_[1, THREE[1:]], WRONG, THREE),
        asking("accuracy", method="percentile"),
    ),
    "HW207": Fact(
        predictions(lambda one: TRUTH * 0.5 + 0.2 + one / 100), asking("f1", method="percentile")
    ),
    "HW208": Fact(
        predictions(never_two, LABELS, THREE), asking("ppv", average="macro"), of_pairs=ALWAYS
    ),
    "HW304": Fact(values(alike), {"method": "percentile"}, of_pairs=WHERE_BOTH),
    "HW306": Fact(values(alike), {"method": "bca"}, of_pairs=WHERE_BOTH),
    "HW319": Fact(values(alike), of_pairs=WHERE_BOTH),
    "HW406": Fact(predictions(lambda one: one > 0.5), asking("auroc"), of_pairs=ALWAYS),
    "HW408": Fact(predictions(lambda one: 0.8 * one, ROWS, THREE), asking("auroc"), ALWAYS),
    "HW410": Fact(predictions(lambda one: 1 - one), asking("auroc")),
    "HW501": Fact(
        predictions(lambda one: 1 - one, truth=TRUTH | (np.arange(N) % 5 == 0)),
        asking("accuracy"),
    ),
    "HW509": Fact(predictions(never_two, LABELS, THREE), asking("accuracy")),
    "HW510": Fact(
        predictions(lambda one: np.r_[TRUTH[:2], one[2:]]), asking("nll"), of_pairs=ALWAYS
    ),
}
ELSEWHERE = {
    "of values and of cases, counted in tests of their own": ["HW101", "HW806"],
    "of a single model, which neither comparisons nor rankings repeat": ["HW315"],
    "of the cases, the classes or the weights, which all models share": [
        *("HW201", "HW204", "HW205", "HW206", "HW209", "HW402", "HW403", "HW404", "HW405"),
        *("HW407", "HW409", "HW502", "HW508", "HW511"),
    ],
    "of rows that models are not compared by, and that verbs of several refuse": [
        *("HW102", "HW401", "HW411"),
    ],
    "of the method, which is the same for all": [
        *("HW301", "HW302", "HW303", "HW305", "HW307", "HW308", "HW309", "HW310", "HW311"),
        *("HW312", "HW313", "HW314", "HW316", "HW317", "HW318", "HW320", "HW321", "HW322"),
    ],
    "of published numbers, tests of calibration, and centres": [
        *("HW106", "HW341", "HW421", "HW422"),
    ],
    "of masks, while they are scored": [
        *("HW104", "HW105", "HW503", "HW504", "HW505", "HW506", "HW507"),
    ],
    "of instances of studies": ["HW601", "HW602", "HW603"],
    "of runs": [f"HW70{number}" for number in range(1, 8)],
    "of pairs, of raters and of rankings themselves": [
        *("HW801", "HW802", "HW803", "HW804", "HW805", "HW807", "HW808", "HW811", "HW812"),
        *("HW813", "HW815", "HW841", "HW842", "HW843", "HW851", "HW852", "HW853", "HW854"),
    ],
    "of detections, which name the detector by the rules of test_detectors_in_every_verb": [
        *(f"HW87{number}" for number in range(1, 10)),
        *("HW880", "HW881", "HW882", "HW883", "HW884", "HW885", "HW886"),
    ],
    "of tables, as check finds it": [f"HW9{number:02}" for number in range(1, 27)],
}


def test_every_caution_is_raised_or_has_a_reason_why_not() -> None:
    known = [*FACTS, *(code for codes in ELSEWHERE.values() for code in codes)]
    assert sorted(known) == [spec.code for spec in hw.CAUTIONS]


def line_of(answer: Any, code: str) -> str:
    """The line about a caution below the answer, as people read it; nothing where there is none."""
    return "".join(text for found, text in answer.caution_lines() if found == code)


def messages(answer: Any, code: str) -> list[list[str]]:
    """Those of each result, in JSON."""
    rows = json.loads(answer.to_json())[answer.KEY]
    return [[one["message"] for one in row["cautions"] if one["code"] == code] for row in rows]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("having", [ONE, ALL], ids=["one", "all"])
@pytest.mark.parametrize("code", FACTS)
def test_who_has_a_fact_is_named_once_and_nobody_else(code: str, having: tuple[str, ...]) -> None:
    fact = FACTS[code]
    data = fact.data(having)
    how = {**fact.asked, **DRAWS}
    estimated, compared, ranked = (
        hw.estimate(data, **how),
        hw.compare(data, **how),
        hw.rank(data, **how),
    )
    alone = messages(estimated, code)
    assert [len(each) for each in alone] == [int(name in having) for name in MODELS]
    others = f" (and {len(having) - 1} more)" * (len(having) > 1)
    named = [
        f"{name}: {each[0]}" for name, each in zip(MODELS, alone, strict=True) if name in having
    ]
    assert line_of(estimated, code) == named[0] + others
    shared = {each[0] for each in alone if each}
    if len(shared) == 1 and len(having) > 1:
        # What is the same of all models names none.
        named, others = [*shared], ""
    assert messages(ranked, code) == [named]
    assert line_of(ranked, code) == named[0] + others
    _check_pairs(compared, code, having, fact.of_pairs)


def _check_pairs(
    compared: hw.Comparisons, code: str, having: tuple[str, ...], of_pairs: tuple[bool, bool]
) -> None:
    pairs = [(item.first, item.second) for item in compared]
    counts = [sum(name in having for name in pair) for pair in pairs]
    wanted = [count > 0 and of_pairs[count - 1] for count in counts]
    found = messages(compared, code)
    assert [len(each) for each in found] == [int(one) for one in wanted]
    if not any(wanted):
        assert line_of(compared, code) == ""
        return
    said = [each[0] for each in found if each]
    names = [" vs ".join(pair) for pair, has in zip(pairs, wanted, strict=True) if has]
    if said[0].startswith("B: "):
        # Of the model rather than of each of its pairs.
        assert {*said} == {line_of(compared, code)}
    else:
        also = f" (also {', '.join(names[1:])})" * (len(names) > 1)
        assert line_of(compared, code) == f"{names[0]}: {said[0]}{also}"


# --------------------------------------------------------------------------- counts


def lacking(**places: list[int]) -> dict[str, Any]:
    models = {name: one.copy() for name, one in GOOD.items()}
    for name, which in places.items():
        models[name][which] = np.nan
    return models


@pytest.mark.parametrize(
    ("places", "pairs", "together"),
    [
        ({"B": [3]}, ["1 of 80 values missing, in 1 of 40 cases", "", "1 of 80"], "1 of 120"),
        (
            {"A": [0, 3], "B": [3], "C": [5, 6, 7]},
            ["3 of 80 values missing, in 2 of 40 cases", "5 of 80", "4 of 80"],
            "6 of 120 values missing, in 5 of 40 cases",
        ),
    ],
    ids=["one", "all"],
)
def test_missing_values_and_the_cases_that_they_are_in_are_counted_apart(
    places: dict[str, list[int]], pairs: list[str], together: str
) -> None:
    data = hw.CaseValues.from_arrays(lacking(**places), metric="dsc", missing="worst")
    alone, compared = hw.estimate(data, **DRAWS), hw.compare(data, **DRAWS)
    ranked = hw.rank(data, **DRAWS)
    counts = [len(places.get(name, [])) for name in MODELS]
    for each, count in zip(messages(alone, "HW101"), counts, strict=True):
        assert each == [f"{count} of 40 values missing: counted as the worst value."] * (count > 0)
    for each, text in zip(messages(compared, "HW101"), pairs, strict=True):
        assert [one[: len(text)] for one in each] == [text] * bool(text)
    ((said,),) = messages(ranked, "HW101")
    assert said.startswith(together)
    assert said.endswith(": counted as the worst value.")
    assert line_of(ranked, "HW101") == said
    assert ranked[0].n_missing == len({place for which in places.values() for place in which})


def test_a_case_that_is_left_out_for_one_model_is_so_for_all() -> None:
    models = lacking(A=[0, 3], B=[3])
    data = hw.CaseValues.from_arrays(models, metric="dsc", missing="omit")
    left_out = "3 of 120 values missing, in 2 of 40 cases: left out."
    assert messages(hw.compare(data, **DRAWS), "HW101") == [[left_out]] * 3
    assert messages(hw.rank(data, **DRAWS), "HW101") == [[left_out]]
    infinite = {name: np.where(np.isnan(one), np.inf, 10 * one) for name, one in models.items()}
    data = hw.CaseValues.from_arrays(infinite, metric="hd95", missing="omit")
    ((said,),) = messages(hw.rank(data, **DRAWS), "HW101")
    assert said == "3 of 120 values missing, in 2 of 40 cases (3 of them infinite): left out."


def test_the_last_rank_of_a_case_is_said_of_missing_values() -> None:
    data = hw.CaseValues.from_arrays(lacking(B=[1]), metric="dsc", missing="worst_rank")
    ranked = hw.rank(data, scheme="rank_then_aggregate", **DRAWS)
    assert line_of(ranked, "HW101") == (
        "1 of 120 values missing, in 1 of 40 cases: given the last rank of their case."
    )


@pytest.mark.slow
def test_a_report_names_the_same_models() -> None:
    models = lacking(A=[10], B=[11], C=[12])
    models["B"][:3] = 0
    page = hw.report(hw.CaseValues.from_arrays(models, metric="dsc", missing="worst"), **DRAWS)
    text = page.to_html()
    assert "A: 1 of 40 values missing: counted as the worst value. (and 2 more)" in text
    assert "B: 4 of 40 values equal the worst one (0): failures or an imputed penalty?" in text
    assert "C: 4 of 40" not in text
