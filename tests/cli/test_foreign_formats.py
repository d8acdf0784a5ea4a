"""Results of other programs through the command line, with the numbers worked by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from foreignfiles import FIXTURES, zipped
from support import Run

SAMPLES = FIXTURES / "lm_eval" / "samples_gsm8k_2026-01-16T15-23-47.285735.jsonl"
OMIT = ("--missing", "omit")


def values(run: Run, *arguments: Any) -> dict[tuple[str, str], float]:
    ran = run("ci", *map(str, arguments), "--json", "--seed", "1", "--n-resamples", "99")
    assert ran.status == 0, ran.err
    assert "read as " in ran.err
    return {(one["label"], one["metric"]): one["value"] for one in ran.estimates}


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("grand_challenge/evalutils.json", OMIT, {("", "dsc"): 0.75}),
        ("grand_challenge/by_case.json", (), {("", "f1_score"): (0.8 + 2 / 3) / 3}),
        ("grand_challenge/results.json", (), {("", "my_metric"): 0.55}),
        ("panoptica/results.tsv", OMIT, {("liver", "dsc"): 1.6 / 3, ("liver", "rq"): 5 / 9}),
        ("panoptica/results.jsonl", OMIT, {("liver", "pq_dsc"): 1.4 / 3}),
        (
            "totalsegmentator/evaluation.csv",
            OMIT,
            {("gallbladder", "dsc"): 0.4, ("spleen", "nsd"): 0.98},
        ),
        (
            SAMPLES,
            (),
            {("org/small-7b / gsm8k / flexible-extract", "exact_match"): 0.75},
        ),
        (
            "pi_cai/metrics.json",
            ("--target", "case_target", "--score", "case_pred", "--metric", "auroc"),
            {("", "auroc"): 7 / 9},
        ),
    ],
)
def test_each_format(
    run: Run, name: Any, options: tuple[str, ...], expected: dict[tuple[str, str], float]
) -> None:
    found = values(run, FIXTURES / name, *options)
    assert {key: found[key] for key in expected} == pytest.approx(expected)


def test_answers_of_two_models_are_compared_by_question(run: Run, tmp_path: Path) -> None:
    """Four questions in two epochs: A is right in six of eight answers, B in three."""
    right = {"A": [(1, 1), (1, 1), (1, 0), (1, 0)], "B": [(1, 1), (0, 1), (0, 0), (0, 0)]}
    for model, answers in right.items():
        listed = [
            {"id": name, "epoch": epoch, "scores": {"match": {"value": "IC"[grade]}}}
            for name, grades in zip("abcd", answers, strict=True)
            for epoch, grade in enumerate(grades, 1)
        ]
        header = {"eval": {"model": model, "task": "t"}, "version": 2}
        zipped(tmp_path / f"{model}.eval", {"header.json": header, "summaries.json": listed})
    files = [str(tmp_path / f"{model}.eval") for model in right]
    ran = run("compare", *files, "--seed", "1", "--json")
    assert ran.status == 0, ran.err
    (pair,) = json.loads(ran.out)["comparisons"]
    assert pair["value"] == pytest.approx(6 / 8 - 3 / 8)
    assert pair["n_groups"] == 4


def test_predictions_and_runs_are_sent_where_they_belong(run: Run, tmp_path: Path) -> None:
    ran = run("ci", str(FIXTURES / "pi_cai" / "metrics.json"))
    assert ran.status == 2
    assert "--target case_target --score case_pred --metric auroc" in ran.err
    file = tmp_path / "runs.csv"
    file.write_text("run_id,status,metrics.dice\na,FINISHED,0.8\nb,FINISHED,0.9\n")
    ran = run("ci", str(file))
    assert ran.status == 2
    assert "halfwidth runs FILE --value metrics.dice" in ran.err
    assert run("ci", str(file), "--value", "metrics.dice").status == 0
    assert run("runs", str(file), "--value", "metrics.dice").status == 0


def test_format_names_turn_recognition_off(run: Run) -> None:
    file = str(FIXTURES / "totalsegmentator" / "evaluation.csv")
    ran = run("ci", file, "--input-format", "csv", "--value", "dice-spleen", "--json")
    assert ran.estimates[0]["value"] == pytest.approx(0.96)
    ran = run("ci", file, "--input-format", "panoptica")
    assert ran.status == 2
