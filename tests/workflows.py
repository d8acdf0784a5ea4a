"""Chains of verbs on random small data: what is equal by construction stays equal.

A *scene* is a small table and the options that go with it. A *telling* says the same in another
way: rows in another order, other names, another kind of file, and every verb must answer the same.
A *relation* holds between answers: of two verbs, of a verb and the library, of a model and its
copy. Each is a short function that gets a `Bench`, which draws, writes files and runs verbs:

    python tests/workflows.py --count 1000 --seed 7
    python tests/workflows.py --relation swapped --seed 12 --count 1 --keep FOLDER

A failure prints the seed, the fewest cases with which it happens, and the commands.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import copy
import csv
import functools
import io
import itertools
import json
import math
import os
import pickle
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from over_data import over
from tellings import ODD_NAMES, TELLINGS, Told, a_file_each
from workbench import (
    Bench,
    Columns,
    FaultError,
    RefusedError,
    Scene,
    a_table,
    both,
    option_words,
    renamed,
    same,
    table_of_predictions,
    table_of_values,
    values_of,
    write_table,
)

import halfwidth as hw

__all__ = ["RELATIONS", "Outcome", "fewest_cases", "tried"]


def told_otherwise(bench: Bench, telling: Callable[[Bench, Scene], Told]) -> None:
    """A verb answers the same."""
    scene = a_table(bench)
    told = telling(bench, scene)
    verb = bench.r.choice(told.verbs)
    but = ("provenance", *told.but)
    file = bench.write(scene)
    answers = both(
        lambda: bench.answer(verb, scene, file),
        lambda: bench.answer(verb, told.scene, *told.files),
    )
    if answers:
        same(answers[0], renamed(answers[1], told.names), but=but, redrawn=told.redrawn)


# --------------------------------------------------------------------------- relations of answers


def copied(bench: Bench) -> None:
    """A model and its copy: the same intervals, no difference, one rank."""
    one = a_table(bench, 1)
    rows = one.rows
    at = list(one.columns).index("model")
    copies = [(*row[:at], "b", *row[at + 1 :]) for row in rows]
    scene = one.of_rows([*rows, *copies])
    file = bench.write(scene)
    estimates = bench.answer("ci", scene, file)["estimates"]
    parts = {name: [e for e in estimates if e["by"]["model"] == name] for name in "ab"}
    same(parts["a"], parts["b"], but=("by", "label", "message"))
    with contextlib.suppress(RefusedError):
        for pair in bench.answer("compare", scene, file)["comparisons"]:
            same(pair["first_value"], pair["second_value"])
            if pair["value"] is not None:
                same(pair["value"], 0.0)
                for end, sign in (("low", -1), ("high", 1)):
                    if pair[end] is not None and sign * pair[end] < -1e-12:
                        raise FaultError(f"{end} {pair[end]} of no difference")
            if pair["test"] and pair["test"]["p_value"] not in (None, 1.0):
                raise FaultError(f"p {pair['test']['p_value']} of no difference")
    with contextlib.suppress(RefusedError):
        for ranking in bench.answer("rank", scene, file)["rankings"]:
            first, second = ranking["models"]
            same(first, second, but=("model",))


def swapped(bench: Bench) -> None:
    """The second model minus the first: the difference negated, the interval mirrored."""
    scene = a_table(bench)
    told = a_file_each(bench, scene)
    answers = both(
        lambda: bench.answer("compare", told.scene, *told.files),
        lambda: bench.answer("compare", told.scene, *reversed(told.files)),
    )
    if not answers:
        return
    for one, other in zip(*(answer["comparisons"] for answer in answers), strict=True):
        mirror = dict(other)
        mirror["first"], mirror["second"] = other["second"], other["first"]
        mirror["first_value"], mirror["second_value"] = other["second_value"], other["first_value"]
        mirror["value"] = _minus(other["value"])
        mirror["low"], mirror["high"] = _minus(other["high"]), _minus(other["low"])
        if other["bounds"]:
            mirror["bounds"] = [_minus(x) for x in reversed(other["bounds"])]
        if other["if_unseen_failures"]:
            mirror["if_unseen_failures"] = [
                _minus(x) for x in reversed(other["if_unseen_failures"])
            ]
        if other["superiority"] is not None:
            mirror["superiority"] = 1 - other["superiority"]
        same(one, mirror, but=("message", "verdict"), redrawn=True)


def _minus(number: float | None) -> float | None:
    return None if number is None else -number


def one_model_in_every_verb(bench: Bench) -> None:
    """Numbers of a model by `compare`, `rank` and `report` are those of `ci`."""
    scene = a_table(bench).having(groups=None, missing=None)
    scene = scene.without("patient") if "patient" in scene.columns else scene
    file = bench.write(scene)
    alone = {tuple(e["by"].values()): e for e in bench.answer("ci", scene, file)["estimates"]}
    ends = ("value", "low", "high")
    compared = bench.answer("compare", scene, file)["comparisons"]
    for pair in compared:
        inside = tuple(pair["by"].values())
        for place in ("first", "second"):
            same(pair[f"{place}_value"], alone[(pair[place], *inside)]["value"], place=".compare")
    ranked = bench.answer("rank", scene, file)["rankings"]
    for ranking in ranked:
        for model in ranking["models"]:
            wanted = alone[(model["model"], *ranking["by"].values())]
            same({k: model[k] for k in ends}, {k: wanted[k] for k in ends}, place=".rank")
    reported = bench.answer("report", scene, file)
    for e in reported["estimates"]:
        levels = e["by"]
        wanted = alone[tuple(levels[name] for name in scene.by)]
        same({k: e[k] for k in ends}, {k: wanted[k] for k in ends}, place=".report")
    same(reported["comparisons"], compared, place=".report.comparisons")
    same(reported["rankings"], ranked, place=".report.rankings")


def two_ranked(bench: Bench) -> None:
    """Of two models the ranks are settled where the interval of their difference excludes 0."""
    scene = a_table(bench)
    file = bench.write(scene)
    pairs = bench.answer("compare", scene, file)["comparisons"]
    rankings = bench.answer("rank", scene, file)["rankings"]
    for pair, ranking in zip(pairs, rankings, strict=True):
        if pair["low"] is None or pair["high"] is None:
            continue
        apart = pair["low"] > 0 or pair["high"] < 0
        settled = all(m["rank_low"] == m["rank_high"] for m in ranking["models"])
        if apart != settled:
            raise FaultError(f"{pair['low']} to {pair['high']}, and ranks settled: {settled}")


def gated(bench: Bench) -> None:
    """The outcome of a gate follows from the interval that `compare` gives."""
    scene = a_table(bench)
    told = a_file_each(bench, scene)
    margin = bench.r.choice([0.01, 0.1, 0.5])
    pairs = bench.answer("compare", told.scene, *told.files, margin=margin)["comparisons"]
    new, old = told.files
    words = [new, "--against", old, *bench.words(told.scene, margin=margin)]
    ran = bench.run("gate", *words, "--json", statuses=(0, 4, 5))
    answer = json.loads(ran.out)
    drop = (
        "test",
        "cautions",
        "simultaneous",
        "superiority",
        "verdict",
        "if_unseen_failures",
        "seed",
    )
    same(answer["comparisons"], pairs, but=drop)
    lower = scene.shared["metric"] in ("hd95", "expected_cost")
    if len(pairs) == 1 and pairs[0]["low"] is not None:
        pair = pairs[0]
        worst, best = (-pair["high"], -pair["low"]) if lower else (pair["low"], pair["high"])
        unseen = pair["if_unseen_failures"]
        if scene.shared.get("statistic") in ("sd", "iqr"):
            return
        expected = 0 if worst > -margin else 4 if best < -margin else 5
        if ran.status != expected and not (unseen and ran.status == 5):
            raise FaultError(f"status {ran.status} at {worst} to {best}, margin {margin}")


def kept_whole(result: Any) -> dict[str, Any]:
    """What a result says of itself, after checking that copies of it say the same."""
    whole: dict[str, Any] = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    for again in _copies(result):
        same(json.loads(json.dumps(again.to_dict())), whole)
        if str(again) != str(result) or repr(again) != repr(result):
            raise FaultError("a copy is shown otherwise")
    return whole


def _copies(result: Any) -> Iterator[Any]:
    yield copy.deepcopy(result)
    yield pickle.loads(pickle.dumps(result))  # noqa: S301 -- written here


def keywords(scene: Scene) -> dict[str, Any]:
    return {"rng" if k == "seed" else k: v for k, v in scene.shared.items()}


def by_the_library(bench: Bench) -> None:
    """The same numbers from a data frame, and from arrays; results survive pickle and copy."""
    scene = a_table(bench)
    frame = pd.DataFrame(scene.columns)
    file = bench.write(scene)
    options = keywords(scene)
    verb = bench.r.choice(["ci", "compare", "rank"])

    def asked() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            made = hw.Predictions if scene.of_test_set else hw.CaseValues
            work: Any = {"ci": hw.estimate, "compare": hw.compare, "rank": hw.rank}[verb]
            named = {"model": scene.model or None, "by": list(scene.within)}
            return kept_whole(over(work, made.from_table)(frame, **named, **options))

    answers = both(lambda: bench.answer(verb, scene, file), asked)
    if answers:
        same(*answers, but=("message", "sentence"))


def of_arrays(bench: Bench) -> None:
    """Values of one model as an array against its rows of a table."""
    scene = table_of_values(bench, 1).having(strata=None)
    if len(scene.by) > 1:
        scene = scene.where(label="liver").without("label")
    scene = replace(scene, model="", within=())
    file = bench.write(scene)
    options = {k: v for k, v in keywords(scene).items() if k != "value"}
    values = scene.columns["dice"]
    if "groups" in options:
        options["groups"] = scene.columns["patient"]
    shapes: list[Callable[[Any], Any]] = [list, lambda v: np.array(v, dtype=float), pd.Series]
    shape = bench.r.choice(shapes)
    answers = both(
        lambda: bench.answer("ci", scene, file),
        lambda: kept_whole(hw.summary_ci(shape(values), **options)),
    )
    if answers:
        same(answers[0]["estimates"][0], answers[1], but=("label", "message", "by"))


def reflected(bench: Bench) -> None:
    """1 minus each value: 1 minus a mean or median, and the spread as it was."""
    n, r = bench.n, bench.r
    values = values_of(bench, n, r.choice(["dsc", "dsc", "correct"]))
    statistic = r.choice(["mean", "mean", "median", "sd", "iqr", "trimmed_mean:0.1"])
    method = r.choice(["auto", "auto", "percentile", "basic", "t", "dirichlet", "studentized"])
    cases = [f"c{at}" for at in range(n)]
    options = {"bounds": "0,1", "statistic": statistic, "method": method, "n_resamples": 39}
    scene = Scene({"case": cases, "x": values}, {**options, "seed": 1, "value": "x"})
    mirror = scene.with_column("x", [1 - x for x in values])
    answers = both(
        lambda: bench.answer("ci", scene, bench.write(scene))["estimates"][0],
        lambda: bench.answer("ci", mirror, bench.write(mirror, "mirror.csv"))["estimates"][0],
    )
    if not answers:
        return
    one, other = answers
    spread = statistic in ("sd", "iqr")
    # A bootstrap of the mirrored cases draws other cases.
    drawn = one["n_resamples"] is not None
    wanted = {
        "value": other["value"] if spread else _one_minus(other["value"]),
        "low": other["low"] if spread else _one_minus(other["high"]),
        "high": other["high"] if spread else _one_minus(other["low"]),
    }
    for key in ("value",) if drawn else ("value", "low", "high"):
        left, right = (math.nan if x is None else x for x in (one[key], wanted[key]))
        # Ends that are solved for are known to less than rounding.
        if not (
            math.isclose(left, right, abs_tol=1e-6) or (math.isnan(left) and math.isnan(right))
        ):
            raise FaultError(f"{key}: {left} and {right} ({one['method']}, {other['method']})")


def _one_minus(number: float | None) -> float | None:
    return None if number is None else 1 - number


def other_class_positive(bench: Bench) -> None:
    """Of the other class with 1 minus the scores AUROC is the same; sensitivity is specificity."""
    scene = table_of_predictions(bench, 1).having(undefined=None)
    pairs = {"auroc": "auroc", "sensitivity": "specificity", "ppv": "npv", "mcc": "mcc"}
    pairs |= {"specificity": "sensitivity", "accuracy": "accuracy", "cohen_kappa": "cohen_kappa"}
    pairs |= {"balanced_accuracy": "balanced_accuracy", "youden_j": "youden_j"}
    metric = bench.r.choice(list(pairs))
    # At a threshold that no score has, no score is on the other side.
    scores = [round(x, 2) for x in scene.columns["score"]]
    scene = (
        replace(scene, model="").with_column("score", scores).having(threshold=0.505, method=None)
    )
    truth = [1 - y for y in scene.columns["truth"]]
    mirror = scene.with_column("score", [round(1 - x, 2) for x in scores])
    mirror = mirror.with_column("truth", truth).having(metric=pairs[metric], threshold=0.495)
    if metric == "auroc":
        scene, mirror = scene.having(threshold=None), mirror.having(threshold=None)
    scene = scene.having(metric=metric)
    answers = both(
        lambda: bench.answer("ci", scene, bench.write(scene))["estimates"][0],
        lambda: bench.answer("ci", mirror, bench.write(mirror, "mirror.csv"))["estimates"][0],
    )
    if answers:
        one, other = answers
        keys = ("value",) if one["n_resamples"] is not None else ("value", "low", "high")
        same({k: one[k] for k in keys}, {k: other[k] for k in keys})


def one_sided(bench: Bench) -> None:
    """A bound at 97.5 % is the end of the interval at 95 %."""
    scene = a_table(bench, 1).having(confidence_level=None)
    file = bench.write(scene)
    answers = both(
        lambda: bench.answer("ci", scene, file)["estimates"],
        lambda: bench.answer("ci", scene, file, confidence_level=0.975, alternative="lower")[
            "estimates"
        ],
    )
    for one, other in zip(*(answers or ([], [])), strict=True):
        same(one["value"], other["value"])
        if one["method"] == other["method"]:
            same(one["low"], other["low"], place=f".low of {one['method']}")


def parts_of_a_table(bench: Bench) -> None:
    """What is told apart within a table is what the part says by itself."""
    scene = a_table(bench)
    file = bench.write(scene)
    whole = bench.answer("ci", scene, file)["estimates"]
    one = bench.r.choice(whole)
    part = scene.where(**one["by"])
    (alone,) = bench.answer("ci", part, bench.write(part, "part.csv"))["estimates"]
    same(one, alone, but=("message",))
    if len(scene.by) > 1:
        pairs = bench.answer("compare", scene, file, correction="none")["comparisons"]
        pair = bench.r.choice(pairs)
        narrow = replace(scene, within=()).having(where=f"label={pair['label']}")
        (alone,) = bench.answer("compare", narrow, file)["comparisons"]
        same(pair, alone, but=("by", "label", "message", "adjusted", "correction", "verdict"))


def in_every_format(bench: Bench) -> None:
    """A table, Markdown and LaTeX can be had of any answer; CSV has the numbers of JSON."""
    scene = a_table(bench)
    verb = bench.r.choice(["ci", "compare", "rank"])
    words = [bench.write(scene), *bench.words(scene)]
    answer = json.loads(bench.run(verb, *words, "--json").out)
    rows = next(iter(v for k, v in answer.items() if isinstance(v, list)))
    for form in ("table", "markdown", "latex"):
        bench.run(verb, *words, "--format", form)
    bench.run(verb, *words, "--json", "-o", "answer.json")
    same(json.loads((bench.folder / "answer.json").read_text(encoding="utf-8")), answer)
    text = bench.run(verb, *words, "--format", "csv").out
    printed = list(csv.DictReader(io.StringIO(text)))
    rows = [m for r in rows for m in r["models"]] if verb == "rank" else rows
    for row, wanted in zip(printed, rows, strict=True):
        for key in ("value", "low", "high"):
            number = wanted[key]
            cell = row.get(key, "")
            # In JSON, which has no infinity, it is null.
            read = float(cell) if cell else math.nan
            if (read if math.isfinite(read) else None) != number:
                raise FaultError(f"CSV {key} {cell!r}, JSON {number!r}")


def of_runs(bench: Bench) -> None:
    """Runs of several sources: a table, its part, and the library."""
    r = bench.r
    sources = ["seed", "data"][: r.choice([1, 2])]
    rows = [
        (at, source, value)
        for source in sources
        for at, value in enumerate(values_of(bench, bench.n, "dsc"))
    ]
    columns = {k: [row[i] for row in rows] for i, k in enumerate(("seed", "source", "accuracy"))}
    options = {"value": "accuracy", "by": "source", "n_resamples": 39}
    method = r.choice(["auto", "auto", "exact", "percentile", "asymptotic"])
    options |= {"method": method} if method != "auto" else {}
    scene = Scene(columns, {**options, "quantile": [r.choice([0.1, 0.5, 0.9])]})
    file = bench.write(scene)

    def ask(scene: Scene, file: str) -> Any:
        words = [w for k, v in {**scene.shared, "seed": 1}.items() for w in option_words(k, v)]
        return json.loads(bench.run("runs", file, *words, "--json").out)

    frame = pd.DataFrame(columns)
    named = {**scene.shared, "value": "accuracy", "by": "source", "rng": 1}

    def library() -> Any:
        level = named.pop("quantile")[0]
        estimates = over(hw.estimate, hw.CaseValues.from_runs)(
            frame, statistic=[f"quantile:{level}", "mean"], **named
        )
        return kept_whole(estimates)

    answers = both(lambda: ask(scene, file), library)
    if answers:
        same(*answers, but=("message",))
        shuffled_rows = scene.of_rows(sorted(rows, key=lambda row: (row[1] != rows[0][1], row[2])))
        same(answers[0], ask(shuffled_rows, bench.write(shuffled_rows, "sorted.csv")))
        same(
            answers[0]["estimates"][0],
            ask(scene.having(where=f"source={sources[0]}"), file)["estimates"][0],
        )


# --------------------------------------------------------------------------- other programs' files


def nnunet(cells: Mapping[str, list[float | None]]) -> tuple[str, str]:
    """The summary of nnU-Net with these Dice of labels 1 and 2; none where both are empty."""
    cases = [
        {
            "prediction_file": f"/p/c{at}.nii.gz",
            "reference_file": f"/r/c{at}.nii.gz",
            "metrics": {
                label: {
                    "Dice": math.nan if column[at] is None else column[at],
                    "n_pred": 3 if column[at] is not None else 0,
                    "n_ref": 3 if column[at] is not None else 0,
                }
                for label, column in cells.items()
            },
        }
        for at in range(len(cells["1"]))
    ]
    return "summary.json", json.dumps(
        {"metric_per_case": cases, "mean": {"1": {"Dice": 0.5}}, "foreground_mean": {"Dice": 0.5}}
    )


def monai(cells: Mapping[str, list[float | None]]) -> tuple[str, str]:
    lines = ["filename,class0,class1,mean"]
    for at, (one, two) in enumerate(zip(cells["1"], cells["2"], strict=True)):
        pair = [math.nan if x is None else x for x in (one, two)]
        known = [x for x in pair if not math.isnan(x)]
        mean = sum(known) / len(known) if known else math.nan
        lines.append(f"/d/c{at}.nii.gz,{pair[0]!r},{pair[1]!r},{mean!r}")
    return "mean_dice_raw.csv", "\n".join(lines) + "\n"


def evalutils(cells: Mapping[str, list[float | None]]) -> tuple[str, str]:
    names = {str(at): f"c{at}.mha" for at in range(len(cells["1"]))}
    dice = {str(at): math.nan if x is None else x for at, x in enumerate(cells["1"])}
    return "metrics.json", json.dumps({"case": {"fname_prediction": names, "Dice": dice}})


def totalsegmentator(cells: Mapping[str, list[float | None]]) -> tuple[str, str]:
    lines = [",subject,dice-1,dice-2"]
    for at, pair in enumerate(zip(cells["1"], cells["2"], strict=True)):
        lines.append(f"{at},c{at},{','.join('' if x is None else repr(x) for x in pair)}")
    return "evaluation.csv", "\n".join(lines) + "\n"


def panoptica(cells: Mapping[str, list[float | None]]) -> tuple[str, str]:
    names = "\t".join(f"{k}-{m}" for k in "12" for m in ("n_ref_instances", "global_bin_dsc"))
    lines = [f"subject_name\t{names}"]
    for at, pair in enumerate(zip(cells["1"], cells["2"], strict=True)):
        told = "\t".join("0\t" if x is None else f"1\t{x!r}" for x in pair)
        lines.append(f"c{at}\t{told}")
    return "results.tsv", "\n".join(lines) + "\n"


PROGRAMS = (nnunet, monai, evalutils, totalsegmentator, panoptica)


def from_another_program(bench: Bench) -> None:
    """Results of other programs, and what `convert` makes of them, say what a plain table says."""
    program = bench.r.choice(PROGRAMS)
    share = bench.r.choice([0.0, 0.2])
    cells: dict[str, list[float | None]] = {
        label: [
            None if bench.r.random() < share else value
            for value in values_of(bench, bench.n, "dsc")
        ]
        for label in "12"
    }
    name, text = program(cells)
    (bench.folder / name).write_text(text, encoding="utf-8")
    labels = "1" if program is evalutils else "12"
    rows = [(f"c{i}", f"L{k}", x) for k in labels for i, x in enumerate(cells[k])]
    columns = {k: [row[i] for row in rows] for i, k in enumerate(("case", "label", "dice"))}
    shared = {"missing": "omit", "metric": "dsc", "seed": 1, "n_resamples": 39}
    within = () if program is evalutils else ("label",)
    plain = Scene(columns, {**shared, "value": "dice"}, within=within)
    apart = {"value": ["class0", "class1"]} if program is monai else {}
    foreign = Scene({}, {**shared, **apart}, within=() if apart else within)
    numbers = ("value", "low", "high", "n", "method", "standard_error", "if_unseen_failures")

    def ask(scene: Scene, file: str) -> list[Any]:
        estimates = bench.answer("ci", scene, file)["estimates"]
        return [{key: e[key] for key in numbers} for e in estimates]

    def convert(suffix: str) -> str:
        words = [word for column in apart.get("value", []) for word in ("--value", column)]
        bench.run("convert", name, *words, "-o", f"long{suffix}")
        return f"long{suffix}"

    answers = both(lambda: ask(plain, bench.write(plain)), lambda: ask(foreign, name))
    if answers:
        same(*answers, place=f".{program.__name__}")
        suffix = bench.r.choice([".csv", ".tsv", ".parquet"])
        same(
            answers[1],
            ask(Scene({}, shared, within=within), convert(suffix)),
            place=f".{program.__name__} converted",
        )


# --------------------------------------------------------------------------- masks


def from_masks(bench: Bench) -> None:
    """Scores of masks, and what `convert` makes of them; copies of masks score 1."""
    g, r = bench.numpy, bench.r
    n = min(bench.n, 4)
    kinds = ("reference", "model")
    for kind in kinds:
        (bench.folder / kind).mkdir()
    copies = r.random() < 0.2
    for at in range(n):
        truth = (g.random((6, 7)) < 0.4).astype(np.uint8)
        truth[truth == 1] += (g.random(int(truth.sum())) < 0.3).astype(np.uint8)
        other = truth if copies else np.roll(truth, r.choice([0, 1]), axis=1)
        if not copies and r.random() < 0.3:
            other = np.where(other == 2, 0, other).astype(np.uint8)
        for kind, mask in zip(kinds, (truth, other), strict=True):
            np.save(bench.folder / kind / f"c{at}.npy", mask)
    words = ["--metric", r.choice(["dsc", "dsc,hd95", "iou,nsd:tolerance=1"]), "--spacing", "1"]
    quick = ["--seed", "1", "--n-resamples", "39"]
    policy = ["--missing", "worst", "--penalty", "20"]
    bench.run("score", "model", "reference", *words, "--no-summary", "-o", "c.csv")
    asked = bench.run("ci", "c.csv", "--by", "label", *quick, *policy, "--json").estimates
    for e in asked:
        if copies and e["value"] not in (None, 0.0 if e["metric"] == "hd95" else 1.0):
            raise FaultError(f"copies of masks: {e['metric']} {e['value']}")
    bench.run("convert", "c.csv", "-o", "again.parquet")
    again = bench.run("ci", "again.parquet", "--by", "label", *quick, *policy, "--json").estimates
    same(again, asked)


# --------------------------------------------------------------------------- detections


def a_detector(bench: Bench, found: float) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Rows of references and of detections in images; every image has a row of its own."""
    r = bench.r
    references: list[tuple[Any, ...]] = []
    detections: list[tuple[Any, ...]] = []
    for at in range(bench.n):
        objects = r.choice([0, 1, 1, 2, 3])
        for k in range(objects):
            x, y, side = 30 * k, 10, r.choice([8, 12, 20])
            kind = r.choice("xy")
            references.append((f"i{at}", kind, x, y, x + side, y + side))
            if r.random() < found:
                off = r.choice([0, 1, 4, 9])
                box = (x + off, y, x + off + side, y + side)
                detections.append((f"i{at}", kind, *box, round(r.random(), 2)))
        if not objects:
            references.append((f"i{at}", None, None, None, None, None))
        if r.random() < 0.3:
            detections.append((f"i{at}", r.choice("xy"), 100, 100, 110, 120, round(r.random(), 2)))
    return references, detections


BOX = ("x_min", "y_min", "x_max", "y_max")


def objects_file(bench: Bench, name: str, rows: Sequence[Sequence[Any]]) -> str:
    """A table of boxes, or COCO's JSON."""
    names = ("image", "class", *BOX, "score")[: 7 if rows and len(rows[0]) == 7 else 6]
    if name.endswith(".csv"):
        table = {key: [row[at] for row in rows] for at, key in enumerate(names)}
        write_table(table, bench.folder / name)
        return name
    images = {f"i{at}": at + 1 for at in range(bench.n)}
    boxes = [
        {
            "id": at + 1,
            "image_id": images[row[0]],
            "category_id": "xy".index(row[1]) + 1,
            "bbox": [row[2], row[3], row[4] - row[2], row[5] - row[3]],
            "area": (row[4] - row[2]) * (row[5] - row[3]),
            "iscrowd": 0,
            **({"score": row[6]} if len(row) > 6 else {}),
        }
        for at, row in enumerate(rows)
        if row[1] is not None
    ]
    document = {
        "images": [
            {"id": v, "file_name": f"{k}", "width": 200, "height": 200} for k, v in images.items()
        ],
        "categories": [{"id": 1, "name": "x"}, {"id": 2, "name": "y"}],
        "annotations": boxes,
    }
    (bench.folder / name).write_text(json.dumps(document), encoding="utf-8")
    return name


def of_detectors(bench: Bench) -> None:
    """Tables of boxes and COCO's files, rows in any order, the library, and every verb agree."""
    r = bench.r
    references, one = a_detector(bench, r.choice([0.5, 0.9, 1.0]))
    if {row[1] for row in references} - {None} != {"x", "y"}:
        raise RefusedError("a class without objects")
    other = [row for row in one if r.random() < 0.8]
    if not one or not other:
        raise RefusedError("nothing detected")
    metrics = ["ap50", "ap", "object_sensitivity", "object_ppv", "object_f_beta", "fppi"]
    metrics += ["froc_score", "ap@0.5:0.95", "pq", "ar", "afroc_auc"]
    metric = r.choice(metrics)
    average = r.choice(["macro", "macro", "micro", "weighted"])
    options = ["--metric", metric, "--average", average, "--seed", "1", "--n-resamples", "39"]
    options += r.choice([[], [], ["--confidence-level", "0.9"], ["--method", "percentile"]])
    truth = objects_file(bench, "truth.csv", references)
    files = [objects_file(bench, f"{k}.csv", rows) for k, rows in (("A", one), ("B", other))]

    def detect(detections: str, references: str) -> Any:
        return bench.run("detect", detections, references, *options, "--json").estimates

    alone = detect(files[0], truth)
    mixed = [r.sample(rows, len(rows)) for rows in (one, references)]
    # Of equal scores the first is the better; here the order must not count.
    if len({row[6] for row in one}) == len(one):
        told = [objects_file(bench, f"{k}.csv", v) for k, v in zip("mt", mixed, strict=True)]
        same(alone, detect(*told), but=("message",), place=".shuffled")
    coco = [objects_file(bench, f"{k}.json", v) for k, v in (("A", one), ("truth", references))]
    same(alone, detect(*coco), but=("message", "label"), place=".coco")
    both_files = [*files, "--references", truth, *options]
    pairs = json.loads(bench.run("compare", *both_files, "--json").out)["comparisons"]
    turned = [*reversed(files), "--references", truth, *options]
    back = json.loads(bench.run("compare", *turned, "--json").out)["comparisons"]
    second = detect(files[1], truth)
    for pair, mirror, e, f in zip(pairs, back, alone, second, strict=True):
        same(pair["first_value"], e["value"], place=".compare first")
        same(pair["second_value"], f["value"], place=".compare second")
        same(pair["value"], _minus(mirror["value"]), place=".swapped")
    ranked = json.loads(bench.run("rank", *both_files, "--json").out)["rankings"]
    for ranking, e in zip(ranked, alone, strict=True):
        (model,) = [m for m in ranking["models"] if m["model"] == "A"]
        same(
            {k: model[k] for k in ("value", "low", "high")},
            {k: e[k] for k in ("value", "low", "high")},
            place=".rank",
        )
    copied_file = objects_file(bench, "C.csv", one)
    for pair in json.loads(
        bench.run("compare", files[0], copied_file, "--references", truth, *options, "--json").out
    )["comparisons"]:
        same(pair["value"], 0.0 if e["value"] is not None else None, place=".copy")
    bench.run("report", *both_files, "--json", "--no-figures", "-o", "page.html")
    page = json.loads((bench.folder / "page.json").read_text(encoding="utf-8"))
    drop = ("message", "sentence", "by", "label")
    same(page["comparisons"], pairs, but=drop, place=".report.comparisons")
    same(
        next(e for e in page["estimates"] if "A" in (e["label"], *e["by"].values())),
        alone[0],
        but=drop,
        place=".report",
    )
    more: dict[str, Any] = {"confidence_level": 0.9} if "0.9" in options else {}
    more |= {"method": "percentile"} if "percentile" in options else {}
    with contextlib.chdir(bench.folder):
        (result,) = hw.estimate(
            hw.Detections.from_files(files[0], truth),
            metric=metric,
            average=average,
            rng=1,
            n_resamples=39,
            **more,
        )
    same(kept_whole(result), alone[0], but=("message",), place=".function")


# --------------------------------------------------------------------------- raters


def of_raters(bench: Bench) -> None:
    """A model against raters: rows in any order, other names, and the library."""
    r, g, n = bench.r, bench.numpy, bench.n
    truth = (g.random(n) < 0.5).astype(int)
    said = {
        name: [int(x) for x in np.where(g.random(n) < 0.2, 1 - truth, truth)] for name in "mpqs"
    }
    raters = ["p", "q", "s"][: r.choice([2, 3])]
    columns: Columns = {"case": [f"c{at}" for at in range(n)], **said}
    metric = r.choice(["accuracy", "cohen_kappa", "f1", "mcc", "balanced_accuracy"])
    options = {"metric": metric, "seed": 1, "n_resamples": 39}
    scene = Scene(columns, {**options, "model": "m", "rater": raters})

    def library() -> Any:
        readings = hw.Readings.from_arrays({name: said[name] for name in ["m", *raters]}, model="m")
        return kept_whole(hw.compare(readings, metric=metric, rng=1, n_resamples=39))

    file = bench.write(scene)
    answers = both(lambda: bench.answer("compare", scene, file), library)
    if not answers:
        return
    same(*answers, but=("message",))
    rows = r.sample(scene.rows, n)
    mixed = scene.of_rows(rows).having(rater=raters[::-1])
    drop = ("message",)
    same(
        answers[0],
        bench.answer("compare", mixed, bench.write(mixed, "mixed.csv")),
        but=drop,
        redrawn=True,
    )
    new = dict(zip(["m", *raters], r.sample(ODD_NAMES, len(raters) + 1), strict=True))
    called = {new.get(name, name): cells for name, cells in columns.items()}
    told = replace(scene, columns=called).having(model=new["m"], rater=[new[x] for x in raters])
    again = bench.answer("compare", told, bench.write(told, "called.csv"))
    names = {b: a for a, b in new.items()}
    same(answers[0], renamed(again, names), but=("message", "sentence"), redrawn=True)


# --------------------------------------------------------------------------- trying them


RELATIONS: Mapping[str, Callable[[Bench], None]] = {
    **{
        telling.__name__: functools.partial(told_otherwise, telling=telling) for telling in TELLINGS
    },
    **{
        relation.__name__: relation
        for relation in (
            *(copied, swapped, one_model_in_every_verb, two_ranked, gated, by_the_library),
            *(of_arrays, reflected, other_class_positive, one_sided, parts_of_a_table),
            *(in_every_format, of_runs, from_another_program, from_masks, of_detectors, of_raters),
        )
    },
}


@dataclass(frozen=True)
class Outcome:
    """What came of a relation at a seed: a fault with its commands, or none."""

    relation: str
    seed: int
    answered: int
    fault: str = ""
    commands: tuple[str, ...] = ()
    cases: int = 0

    def __str__(self) -> str:
        lines = [f"{self.relation}, seed {self.seed}, {self.cases} cases: {self.fault:.700}"]
        return "\n    ".join([*lines, *self.commands[-3:]])


def outcome(relation: str, seed: int, most_cases: int = 40, keep: Path | None = None) -> Outcome:
    folder = keep or Path(tempfile.mkdtemp())
    bench = Bench(seed, folder, most_cases)
    fault = ""
    try:
        RELATIONS[relation](bench)
    except (RefusedError, hw.DataError, hw.OptionError):
        pass
    except Exception as error:  # noqa: BLE001 -- whatever escapes is what is looked for
        kind = "" if isinstance(error, FaultError) else f"{type(error).__name__}: "
        fault = f"{kind}{error}"
    finally:
        if not keep:
            shutil.rmtree(folder)
    return Outcome(relation, seed, bench.answered, fault, tuple(bench.commands), bench.n)


def fewest_cases(failed: Outcome) -> Outcome:
    """The same relation and seed with as few cases as still fail."""
    smaller = (outcome(failed.relation, failed.seed, n) for n in range(1, failed.cases))
    return next((one for one in smaller if one.fault), failed)


def tried(first: int, count: int, names: Sequence[str] = ()) -> Iterator[Outcome]:
    """Relations in turn, each at the next seed; a fault comes with the fewest cases."""
    turn = itertools.cycle(names or RELATIONS)
    for seed, relation in zip(range(first, first + count), turn, strict=False):
        one = outcome(relation, seed)
        yield fewest_cases(one) if one.fault else one


def _main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--relation", choices=list(RELATIONS), action="append", default=[])
    parser.add_argument("--cases", type=int, default=40, help="so many cases at most")
    parser.add_argument("--keep", type=Path, help="folder for the files of a single seed")
    asked = parser.parse_args()
    os.environ["COLUMNS"] = "80"
    start = time.process_time()
    counts: collections.Counter[str] = collections.Counter()
    if asked.keep:
        asked.keep.mkdir(parents=True, exist_ok=True)
        print(outcome(asked.relation[0], asked.seed, asked.cases, asked.keep))  # noqa: T201
        return
    for one in tried(asked.seed, asked.count, asked.relation):
        counts["answers"] += one.answered
        counts["faults" if one.fault else "held" if one.answered else "refused"] += 1
        if one.fault:
            print(one, flush=True)  # noqa: T201
    print(f"{dict(counts)} in {time.process_time() - start:.0f} CPU-seconds")  # noqa: T201


if __name__ == "__main__":
    _main()
