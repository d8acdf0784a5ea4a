"""Every option of every verb, on every kind of data: it has an effect, or it is an error.

What an option changes is seen in the result, or in an error that it raises. Whether an error says
the right thing is tested where that error is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

import halfwidth as hw
from halfwidth.core.option_table.table import option_of

RNG = np.random.default_rng(7)
CASES = 24
TRUTH = np.arange(CASES) % 3
NAMES = ("A", "B", "C")
VALUES = {name: np.round(RNG.beta(8, 2, CASES) - place / 50, 3) for place, name in enumerate(NAMES)}
# B misses a case, and C in addition a level.
MATCHED = pd.DataFrame({
    "case": np.tile(np.arange(CASES), 3),
    "model": np.repeat(NAMES, CASES),
    "organ": np.tile(np.where(np.arange(CASES) < CASES / 2, "liver", "spleen"), 3),
    "dice": np.clip(np.concatenate([*VALUES.values()]), 0, 1),
})  # fmt: skip
UNMATCHED = MATCHED.drop(index=[CASES, *range(2 * CASES, 2 * CASES + CASES // 2)])
SCORES = {name: RNG.dirichlet([2, 2, 2], CASES) + np.eye(3)[TRUTH] / 2 for name in NAMES}
LABELS = {name: np.where(RNG.random(CASES) < 0.7, TRUTH, (TRUTH + 1) % 3) for name in (*NAMES, "D")}
BOX, BESIDE = [10, 10, 50, 50], [60, 60, 90, 90]
REFERENCES = [{"boxes": [BOX], "labels": [1 + i % 2]} for i in range(CASES)]


def detections(shift: int) -> list[dict[str, Any]]:
    return [
        {
            "boxes": [[x + (i + shift) % 5 * 3 for x in BOX], BESIDE],
            "labels": [1 + i % 2, 1],
            "scores": [(i * 7 + shift) % 10 / 10, (i + shift) % 3 / 3],
        }
        for i in range(CASES)
    ]


def values(frame: pd.DataFrame, models: str, pairing: Any = "complete") -> hw.CaseValues:
    rows = frame[frame["model"].isin([*models])]
    return hw.CaseValues.from_table(
        rows, "dice", metric="dsc", model="model", by="organ", pairing=pairing
    )


def pairs() -> hw.Readings:
    rows = [
        {"case": i, "prediction": one, "reference": other, "dice": 0.5 + 0.5 * RNG.random()}
        for i in range(CASES)
        for place, one in enumerate("mAB")
        for other in "mAB"[place + 1 :]
    ]
    return hw.Readings.from_pairs(pd.DataFrame(rows), "dice", model="m")


OF_MODELS = ("estimate", "compare", "rank", "gate")
# Data of each kind, the metric that verbs need to be told, and the verbs that take them.
KINDS: dict[str, tuple[Callable[[str], Any], Any, tuple[str, ...]]] = {
    "values": (lambda models: values(MATCHED, models), None, OF_MODELS),
    "unmatched values": (
        lambda models: values(UNMATCHED, models, "common"),
        None,
        ("compare", "rank"),
    ),
    "runs": (
        lambda _: hw.CaseValues.from_runs({"dice": VALUES["A"], "seed": range(CASES)}),
        None,
        ("estimate",),
    ),
    "predictions": (
        lambda models: hw.Predictions.from_arrays(
            TRUTH, {name: SCORES[name] for name in models}, scores="any"
        ),
        "auroc",
        (*OF_MODELS, "curve"),
    ),
    "detections": (
        lambda models: hw.Detections.from_files(
            {name: detections(ord(name)) for name in models}, REFERENCES
        ),
        "object_sensitivity",
        (*OF_MODELS, "curve"),
    ),
    "labels": (lambda _: hw.Readings.from_arrays(LABELS, model="A"), "accuracy", ("compare",)),
    "pairs": (lambda _: pairs(), "dsc", ("compare",)),
}
MODELS = {"gate": "AB", "curve": "AB"}
FIXED = {"gate": {"margin": 0.05}}
# Another value than the default, with what it needs beside it.
GIVEN: dict[str, dict[str, Any]] = {
    "alternative": {"alternative": "lower"},
    "average": {"average": "none"},
    "band": {"band": "simultaneous"},
    "baseline": {"baseline": "B"},
    "combine": {"combine": "median_rank"},
    "confidence_level": {"confidence_level": 0.8},
    "correction": {"correction": "bonferroni"},
    "effect": {"effect": "ratio"},
    "goal": {"goal": 0.5},
    "margin": {"margin": 0.02},
    "method": {"method": "percentile"},
    "metric": {"metric": "nsd:tolerance=1"},
    "n_resamples": {"n_resamples": 59, "method": "percentile"},
    "new": {"new": "B"},
    "against": {"against": "A"},
    "rng": {"rng": 2, "method": "percentile"},
    "scheme": {"scheme": "test_then_rank"},
    "simultaneous": {"simultaneous": True, "statistic": ["median", "mean"]},
    "statistic": {"statistic": "median"},
    "test": {"test": "wilcoxon"},
    "top": {"top": 2},
}
# Those that have no effect on a result by what they are.
WITHOUT_EFFECT = {"n_threads", "y_score"}


def options() -> list[tuple[str, str, str]]:
    return [
        (verb, kind, name)
        for kind, (_, _, verbs) in KINDS.items()
        for verb in verbs
        for name, one in inspect.signature(getattr(hw, verb)).parameters.items()
        if one.kind is one.KEYWORD_ONLY
        if name not in WITHOUT_EFFECT
    ]


# What most options are held against is the same.
ANSWERED: dict[str, Any] = {}


def outcome(verb: str, kind: str, given: Mapping[str, Any]) -> Any:
    """What a verb answers, or the error that it raises."""
    asked = f"{verb} {kind} {sorted(given.items())}"
    if asked not in ANSWERED:
        ANSWERED[asked] = _answer(verb, kind, given)
    return ANSWERED[asked]


def _answer(verb: str, kind: str, given: Mapping[str, Any]) -> Any:
    make, metric, _ = KINDS[kind]
    named = {"metric": metric, "n_resamples": 49, "rng": 1} | FIXED.get(verb, {}) | dict(given)
    arguments: tuple[Any, ...] = (make(MODELS.get(verb, "ABC")),)
    if verb == "curve":
        arguments += ("froc" if kind == "detections" else "roc",)
        named.pop("metric")
        named.pop("method", None)
    try:
        result = getattr(hw, verb)(*arguments, **named)
    except hw.HalfwidthError as error:
        return error
    frames = [one.to_frame().to_csv() for one in [result, *(result if verb == "curve" else ())]]
    parts = [result, *(result if hasattr(result, "__iter__") else ())]
    cases = [bool(getattr(one, "cases", None)) for one in parts]
    return {"result": result.to_dict(), "frames": frames, "cases": cases}


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("verb", "kind", "name"), options())
def test_an_option_has_an_effect_or_is_refused(verb: str, kind: str, name: str) -> None:
    given = GIVEN.get(f"{verb}.{name}", GIVEN[name])
    without = {other: one for other, one in given.items() if other != name}
    after, before = outcome(verb, kind, given), outcome(verb, kind, without)
    assert isinstance(after, hw.HalfwidthError) or after != before


@pytest.mark.parametrize(
    ("verb", "kind"), [(verb, kind) for kind, (*_, verbs) in KINDS.items() for verb in verbs]
)
def test_verbs_take_the_data_that_they_are_tried_on(verb: str, kind: str) -> None:
    assert isinstance(outcome(verb, kind, {}), dict)


def test_values_that_are_tried_are_not_the_defaults() -> None:
    for verb in (*OF_MODELS, "curve"):
        for name in inspect.signature(getattr(hw, verb)).parameters:
            if name in GIVEN:
                given = GIVEN.get(f"{verb}.{name}", GIVEN[name])
                assert given[name] != option_of(name, verb).default
