"""Samples of lm-evaluation-harness, with the numbers worked by hand."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from foreignfiles import FIXTURES, cells, read_with, written

import halfwidth as hw
from halfwidth.tables.readers import read_table

STAMP = "2026-01-16T15-23-47.285735"
FILE = FIXTURES / "lm_eval" / f"samples_gsm8k_{STAMP}.jsonl"
RESULTS = FILE.with_name(f"results_{STAMP}.json")


def sample(**changed: Any) -> dict[str, Any]:
    line = {
        "doc_id": 0,
        "doc": {},
        "resps": [["1"]],
        "filter": "none",
        "metrics": ["acc"],
        "acc": 1,
    }
    return {**line, **changed}


def lines(file: Path, *samples: Any) -> Path:
    texts = [one if isinstance(one, str) else json.dumps(one) for one in samples]
    return written(file, "\n".join(texts))


def test_a_case_for_each_document_and_a_label_for_each_filter() -> None:
    table = read_table(FILE)
    assert cells(table, "value", label="strict-match") == [1.0, 0.0, 1.0, 0.0]
    assert cells(table, "value", label="flexible-extract") == [1.0, 1.0, 1.0, 0.0]
    assert cells(table, "case", label="strict-match") == [0, 1, 2, 3]
    assert set(table.levels("model")) == {"org/small-7b"}
    assert set(table.levels("task")) == {"gsm8k"}
    stated = json.loads(RESULTS.read_text())["results"]["gsm8k"]
    for estimate, mean in zip(
        hw.estimate(hw.CaseValues.from_table(table), rng=1), table.stated_means, strict=True
    ):
        assert estimate.value == mean.value == stated[f"exact_match,{mean.where['label']}"]
    assert any("bleu (computed from all" in note for note in table.notes)


def test_one_filter() -> None:
    table = read_with(FILE, filter="strict-match")
    assert "label" not in table
    assert cells(table, "value") == [1.0, 0.0, 1.0, 0.0]
    assert [(m.value, dict(m.where)) for m in table.stated_means] == [
        (0.5, {"metric": "exact_match"})
    ]
    with pytest.raises(
        hw.OptionError, match="unknown filter 'strict'; did you mean 'strict-match'"
    ):
        read_with(FILE, filter="strict")


def test_questions_about_one_text_are_a_cluster() -> None:
    table = read_with(FILE, filter="strict-match")
    assert cells(table, "doc.text") == ["t1", "t1", "t2", "t2"]
    assert "doc.choices" not in table
    (estimate,) = hw.estimate(hw.CaseValues.from_table(table, groups="doc.text"), rng=1)
    assert (estimate.value, estimate.n, estimate.n_groups) == (0.5, 4, 2)


def test_a_long_text_is_told_from_others(tmp_path: Path) -> None:
    texts = ["x" * 5000 + end for end in "aab"]
    samples = [sample(doc_id=i, doc={"context": text}) for i, text in enumerate(texts)]
    found = cells(read_table(lines(tmp_path / "s.jsonl", *samples)), "doc.context")
    assert found[0] == found[1] != found[2]
    assert max(map(len, found)) < 100


def test_a_file_by_itself(tmp_path: Path) -> None:
    """Older releases do not list the scores; without the results, nothing names the model."""
    old = {"doc_id": 7, "doc": {}, "target": "1", "resps": [["1"]], "acc": True, "acc_norm": 0.0}
    table = read_table(lines(tmp_path / "renamed.jsonl", old, {**old, "doc_id": 8, "acc": None}))
    assert cells(table, "value", metric="acc") == [1.0]
    assert cells(table, "case", metric="acc_norm") == [7, 8]
    assert "model" not in table
    assert any("results_<stamp>.json, which is not beside" in note for note in table.notes)
    named = sample(acc=None)
    assert math.isnan(cells(read_table(lines(tmp_path / "b.jsonl", named)), "value")[0])


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([sample(), {"id": 1}], "line 2 is not a sample"),
        ([sample(), '{"doc_id": 1, "doc"'], "line 2 is not JSON, or cut short"),
        ([sample(), "[" * 1000], "line 2 is nested deeper than 200 levels"),
        ([sample(doc_id=[1])], "line 1 is not a sample"),
        ([sample(metrics=[])], "no scores; lm-eval writes them"),
        ([sample(metrics=["f1"], f1=["a", ["b"]])], "f1 are computed from all documents"),
        (["[" * 1000], "no known format"),
        (['{"doc_id": 1'], "no known format"),
    ],
)
def test_malformed(tmp_path: Path, samples: list[Any], message: str) -> None:
    with pytest.raises(hw.DataError, match=message):
        read_table(lines(tmp_path / "samples.jsonl", *samples))


@pytest.mark.parametrize(
    "results", ["[1, 2", "[" * 1000, '{"results": 3}', "[]", '{"results": {"t": 1}}']
)
def test_malformed_results_beside_it(tmp_path: Path, results: str) -> None:
    file = lines(tmp_path / "samples_t_2026-01-16T15-23-47.jsonl", sample())
    written(tmp_path / "results_2026-01-16T15-23-47.json", results)
    if results.startswith(("[1", "[[")):
        with pytest.raises(hw.DataError, match=r"results_2026.*beside it"):
            read_table(file)
    else:
        assert cells(read_table(file), "value") == [1.0]


def test_what_is_known_of_scores_is_used(tmp_path: Path) -> None:
    scores = {"exact_match": 1.0, "acc": 1.0, "passed": True, "f1": 1.0, "surprise": 2.0}
    every = [sample(doc_id=i, metrics=[*scores], **scores) for i in range(20)]
    file = lines(tmp_path / f"samples_t_{STAMP}.jsonl", *every)
    said = {"higher_is_better": {"t": {"f1": True, "surprise": False}}}
    written(tmp_path / f"results_{STAMP}.json", said)
    table = read_table(file)
    rows = {one.metric: one for one in hw.estimate(hw.CaseValues.from_table(table))}
    for metric in ("exact_match", "acc", "passed"):
        assert rows[metric].method == "wilson"
        assert round(rows[metric].low, 2) == 0.84
    # Nothing says what range these have, but the results say which direction is better.
    assert rows["f1"].method != "wilson"
    more = {"value": table.columns["value"] + 1, "model": np.array(["B"] * len(table))}
    models = {"A": table, "B": replace(table, columns={**table.columns, **more})}
    (ranking,) = hw.rank(hw.CaseValues.from_table(models, metric="surprise"))
    assert [model.name for model in ranking.models] == ["A", "B"]
