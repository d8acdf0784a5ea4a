"""Every typeset table says by itself whose models, metric and level it holds; rows round alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import halfwidth as hw
from halfwidth.document.render import render

ORGANS, METRICS, MODELS = ("liver", "spleen"), {"dsc": "DSC", "hd95": "HD95"}, ("ann", "bob", "cem")


def _values(n_models: int, n_metrics: int, n_levels: int) -> hw.CaseValues:
    rng = np.random.default_rng(2)
    rows = [
        (f"c{k:02d}", model, organ, rng.uniform(0.6, 0.95), rng.uniform(1, 12))
        for k in range(18)
        for model in MODELS[:n_models]
        for organ in ORGANS[: n_levels or 1]
    ]
    frame = pd.DataFrame(rows, columns=["case", "model", "organ", *METRICS])
    names = [*METRICS][:n_metrics]
    further: Any = {"by": "organ"} if n_levels else {}
    if len(names) == 1:
        further["value"] = names[0]
    metric: Any = names if len(names) > 1 else names[0]
    return hw.CaseValues.from_table(frame, metric=metric, case="case", model="model", **further)


def _gate(values: hw.CaseValues) -> hw.Gate:
    margin: Any = 0.05 if values.metric == "dsc" else {"dsc": 0.05, "hd95": 2}
    return hw.gate(values, new="ann", against="bob", margin=margin)


VERBS: dict[str, Callable[[hw.CaseValues], Any]] = {
    "estimate": lambda values: hw.estimate(values, rng=1),
    "compare": lambda values: hw.compare(values, rng=1),
    "rank": lambda values: hw.rank(values, rng=1, n_resamples=99),
    "gate": _gate,
}


def _latex_tables(text: str) -> Iterator[str]:
    pasted = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    yield from re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", pasted, re.DOTALL)


def _markdown_tables(text: str) -> Iterator[str]:
    """With the heading right above, which is pasted with them."""
    for block in re.split(r"\n(?=\*\*)", text):
        if "| --- " in block:
            yield block


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "shape",
    [
        (2, 1, 0),
        (2, 2, 2),
        *(pytest.param(one, marks=pytest.mark.slow) for one in ((3, 2, 2), (3, 1, 2))),
    ],
)
@pytest.mark.parametrize("verb", VERBS)
def test_a_table_names_its_models_metric_and_level(verb: str, shape: tuple[int, int, int]) -> None:
    found = VERBS[verb](_values(*shape))
    tables = [
        *_latex_tables(render(found.document(), "latex")),
        *_markdown_tables(render(found.document(), "markdown")),
    ]
    assert tables
    for table in tables:
        consensus = "ean of ranks by" in table
        assert any(title in table for title in METRICS.values()), table
        assert all(model in table for model in MODELS[:2]), table
        assert consensus or not shape[2] or any(organ in table for organ in ORGANS), table


@pytest.mark.parametrize("verb", ["compare", "gate"])
def test_a_verdict_names_both_models_and_the_metric(verb: str) -> None:
    found = VERBS[verb](_values(2, 2, 2))
    for one in getattr(found, "comparisons", found):
        assert one.verdict is not None
        assert "ann against bob" in one.verdict.sentence
        assert METRICS[one.estimate.metric] in one.verdict.sentence
    if verb == "gate":
        assert found.outcome == "undecided"
        first, *others = [one for one in found.comparisons if not one.verdict.not_inferior]
        assert f"{first.label}, ann against bob: {first.subject}" in found.sentence()
        for one in others:
            assert f"{one.label} / mean {METRICS[one.estimate.metric]}" in found.sentence()


def _decimals(text: str) -> set[int]:
    return {len(number.partition(".")[2]) for number in re.findall(r"\d[\d.]*", text)}


def test_the_numbers_of_a_row_are_rounded_alike() -> None:
    """Models that differ by .1 in a wide interval were 7 and 6: one more decimal is of all."""
    base = np.array([7.2, 9.9, 8.1, 9.4, 7.7, 9.6, 11.3, 14.9, 2.2, 8.3])
    shift = np.array([6.1, -5.8, 5.2, -4.9, 6.6, -6.4, 4.7, -5.5, 0.7, 0.8])
    (one,) = hw.compare({"A": base + shift, "B": base}, metric="hd95", method="t", test="none")
    row = [one.first_value, one.second_value, one.value, one.low, one.high]
    texts = [one.estimate.text_of(number) for number in row]
    assert len(_decimals(" ".join(texts))) == 1, texts
    # And so the difference is that of the values beside it.
    first, second, difference = map(float, texts[:3])
    assert first - second == pytest.approx(difference, abs=0.11)
