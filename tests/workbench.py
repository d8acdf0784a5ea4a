"""Small random tables, a bench that runs verbs on them, and when answers are equal."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import math
import random
import shlex
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
from door import Answer, run_command

import halfwidth as hw

__all__ = [
    "Bench",
    "FaultError",
    "RefusedError",
    "Scene",
    "a_table",
    "both",
    "option_words",
    "renamed",
    "same",
    "table_of_predictions",
    "table_of_values",
    "values_of",
    "write_table",
]

Columns = dict[str, list[Any]]
# What rests on the draws: of an estimate, a difference and its test, and of ranks.
DRAWN = {
    *(
        "low",
        "high",
        "halfwidth",
        "standard_error",
        "if_unseen_failures",
        "n_undefined",
        "cautions",
    ),
    *("n_resamples", "p_value", "adjusted", "simultaneous", "verdict", "test"),
    *("models", "groups", "more_groups", "kendall_tau", "sentence", "under_policies", "claims"),
}
# Numbers that differ by the order in which they were added.
CLOSE = 1e-9


class FaultError(AssertionError):
    """What should be equal is not, or something else than an answer or an error of ours."""


class RefusedError(Exception):
    """An error of ours, which is an answer too: both sides must be refused."""


@dataclass(frozen=True)
class Scene:
    """A table, and the options with which verbs read it and estimate.

    `shared` belongs to all verbs; `model` is the column of models, if there is one, and within the
    levels of the columns `within` they are compared.
    """

    columns: Columns
    shared: Mapping[str, Any]
    model: str = ""
    within: tuple[str, ...] = ()

    @property
    def by(self) -> tuple[str, ...]:
        return (*([self.model] if self.model else []), *self.within)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*self.columns.values(), strict=True))

    def of_rows(self, rows: Sequence[Sequence[Any]]) -> Scene:
        columns = [list(column) for column in zip(*rows, strict=True)]
        return replace(self, columns=dict(zip(self.columns, columns, strict=True)))

    def where(self, **levels: Any) -> Scene:
        """The rows with these levels."""
        names = list(self.columns)
        wanted = [(names.index(name), level) for name, level in levels.items()]
        kept = [row for row in self.rows if all(row[at] == level for at, level in wanted)]
        return self.of_rows(kept)

    def with_column(self, name: str, values: Sequence[Any]) -> Scene:
        return replace(self, columns={**self.columns, name: list(values)})

    def without(self, *names: str) -> Scene:
        kept = {name: cells for name, cells in self.columns.items() if name not in names}
        return replace(self, columns=kept)

    def levels(self, column: str) -> list[Any]:
        return list(dict.fromkeys(self.columns[column]))

    def having(self, **options: Any) -> Scene:
        """With other options; None takes one away."""
        shared = {**self.shared, **options}
        return replace(self, shared={k: v for k, v in shared.items() if v is not None})

    @property
    def of_test_set(self) -> bool:
        return "target" in self.shared


# --------------------------------------------------------------------------- the bench


@dataclass
class Bench:
    """Draws, writes files into a folder, and runs verbs there."""

    seed: int
    folder: Path
    most_cases: int = 40
    commands: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    answered: int = 0
    # What a command is called in the tree that is asked: `same_as` asks old ones.
    spoken: Callable[[list[str]], list[str]] = list

    def __post_init__(self) -> None:
        self.r = random.Random(self.seed)
        self.numpy = np.random.default_rng(self.seed)
        drawn = self.r.choice([1, 2, 3, 5, 8, 12, 12, 20, 30])
        self.n = min(drawn, self.most_cases)

    # Words of the command line.

    def words(self, scene: Scene, **more: Any) -> list[str]:
        options = {**scene.shared, **more, "by": list(scene.within)}
        if scene.model:
            options["model"] = scene.model
        return [word for name, value in options.items() for word in option_words(name, value)]

    def answer(self, verb: str, scene: Scene, *files: str, **more: Any) -> Any:
        """What a verb says of files, as JSON."""
        words = [*files, *self.words(scene, **more)]
        if verb != "report":
            return json.loads(self.run(verb, *words, "--json").out)
        self.run(verb, *words, "--json", "--no-figures", "-o", "page.html")
        return json.loads((self.folder / "page.json").read_text(encoding="utf-8"))

    def run(self, *words: str, statuses: Sequence[int] = (0,)) -> Answer:
        """Run a verb in this process; only answers and errors of ours may come of it."""
        self.commands.append(shlex.join(["halfwidth", *words]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ran = run_command(self.spoken(list(words)), self.folder)
        self.answers.append(ran)
        if ran.status == 2:
            lines = ran.err.splitlines()
            if ran.out or not all(line.startswith("halfwidth: ") for line in lines):
                raise FaultError(f"refused in other words: {ran.out}{ran.err}")
            if "--help'." in ran.err:
                raise FaultError(f"no command: {ran.err}")
            raise RefusedError(ran.err)
        if ran.status not in statuses:
            raise FaultError(f"status {ran.status}: {ran.err}")
        if "Warning" in ran.err or "Traceback" in ran.err:
            raise FaultError(f"not for users: {ran.err}")
        self.answered += 1
        return ran

    # Files.

    def write(self, scene: Scene, name: str = "t.csv") -> str:
        write_table(scene.columns, self.folder / name)
        return name


def option_words(name: str, value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        yield f"--{name.replace('_', '-')}"
        if one is not True:
            yield str(one)


def write_table(columns: Columns, file: Path) -> None:
    """In the format that the suffix names; missing cells are empty."""
    frame = pd.DataFrame({name: pd.Series(cells) for name, cells in columns.items()})
    if file.suffix == ".parquet":
        frame.to_parquet(file, index=False)
    elif file.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in (columns, *zip(*columns.values(), strict=True)):
            book.active.append(list(row))
        for cell in itertools.chain.from_iterable(book.active.rows):
            # A name that begins with '=' is no formula.
            cell.data_type = "s" if isinstance(cell.value, str) else cell.data_type
        book.save(file)
    else:
        text = io.StringIO()
        comma = file.suffix == ".txt"
        writer = csv.writer(text, delimiter={".tsv": "\t", ".txt": ";"}.get(file.suffix, ","))
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            cells = ["" if cell is None else cell for cell in row]
            if comma:
                cells = [str(c).replace(".", ",") if isinstance(c, float) else c for c in cells]
            writer.writerow(cells)
        content = text.getvalue().encode()
        file.write_bytes(gzip.compress(content) if file.suffix == ".gz" else content)


# --------------------------------------------------------------------------- scenes


def values_of(bench: Bench, n: int, metric: str) -> list[float]:
    """Numbers of cases such as a metric has them, of which some tie, fail, or are all the same."""
    g = bench.numpy
    if metric == "correct":
        return [float(x) for x in g.random(n) < bench.r.choice([0.5, 0.9, 1.0])]
    drawn = bench.r.choice(
        [
            g.beta(8, 2, n),
            np.round(g.beta(8, 2, n), 3),
            np.round(g.beta(8, 2, n), 3),
            g.integers(0, 5, n) / 4,
            np.full(n, bench.r.choice([0.3, 1.0, 0.0])),
            np.r_[np.round(g.beta(40, 2, n), 4)[1:], 0.0],
        ]
    )
    return [float(x) * (30 if metric == "hd95" else 1) for x in drawn]


def table_of_values(bench: Bench, models: int = 2) -> Scene:
    """A long table: a row for each model, case and, in some, label."""
    r = bench.r
    metric = r.choice(["dsc", "dsc", "iou", "hd95", "nsd:tolerance=2", "correct"])
    labels = r.choice([[], [], ["liver", "spleen"]])
    missing = r.choice(["raise", "raise", "omit", "worst"])
    design = r.choice(["", "", "groups", "strata"])
    of_label = r.choice([0.0, 0.3])
    rows = []
    for model, label in itertools.product("ab"[:models], labels or [""]):
        for at, value in enumerate(values_of(bench, bench.n, metric)):
            cell = None if missing != "raise" and r.random() < of_label else value
            # Clusters of all sizes, and two strata.
            part = f"p{at * 2 // 3}" if design == "groups" else f"s{at % 2}"
            rows.append((f"c{at}", model, label, part, cell))
    part = {"groups": "patient", "strata": "stratum"}.get(design, "")
    names = ("case", "model", "label", part or "part", "dice")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    options: dict[str, Any] = {
        "value": "dice",
        "metric": metric,
        **({design: part} if design else {}),
        **({"missing": missing} if missing != "raise" else {}),
        **({"penalty": 50} if missing == "worst" and metric == "hd95" else {}),
        **estimating(bench, metric),
    }
    scene = Scene(columns, options, "model", ("label",) if labels else ())
    return scene.without(*([] if labels else ["label"]), *([] if design else ["part"]))


def estimating(bench: Bench, metric: str) -> dict[str, Any]:
    """What is estimated, and how."""
    r = bench.r
    statistics = ["mean", "mean", "mean", "median", "sd", "iqr", "quantile:0.9", "trimmed_mean:0.1"]
    methods = ["auto", "auto", "percentile", "bca", "t", "studentized", "basic", "dirichlet"]
    statistic = "mean" if metric == "correct" else r.choice(statistics)
    method = r.choice(methods)
    return {
        **({"statistic": statistic} if statistic != "mean" else {}),
        **({"method": method} if method != "auto" else {}),
        **({"confidence_level": 0.9} if r.random() < 0.3 else {}),
        **({"failures": "unseen"} if r.random() < 0.1 else {}),
        "n_resamples": 39,
        "seed": 1,
    }


def table_of_predictions(bench: Bench, models: int = 2) -> Scene:
    """Scores of two models for the same cases, whose classes are known."""
    r, g, n = bench.r, bench.numpy, bench.n
    truth = [int(x) for x in g.random(n) < r.choice([0.3, 0.5])]
    digits = r.choice([1, 3, 9])
    rows = []
    for model in "ab"[:models]:
        for at, y in enumerate(truth):
            score = round(float(g.beta(3 + 2 * y, 5 - 2 * y)), digits)
            rows.append((f"c{at}", model, f"p{at * 2 // 3}", y, score, 1.0))
    names = ("case", "model", "patient", "truth", "score", "weight")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    metrics = ["auroc", "accuracy", "f1", "sensitivity", "specificity", "ppv", "mcc"]
    metrics += ["balanced_accuracy", "average_precision", "cohen_kappa", "auroc:max_fpr=0.5"]
    metrics += ["net_benefit", "expected_cost", "youden_j", "f_beta:beta=2"]
    grouped = r.random() < 0.25
    options = {
        "target": "truth",
        "score": "score",
        "metric": r.choice(metrics),
        **({"groups": "patient"} if grouped else {}),
        **({"undefined": r.choice(["zero", "worst"])} if r.random() < 0.3 else {}),
        **({"method": r.choice(["percentile", "bca", "basic"])} if r.random() < 0.2 else {}),
        **({"confidence_level": 0.9} if r.random() < 0.3 else {}),
        "n_resamples": 39,
        "seed": 1,
    }
    scene = Scene(columns, options, "model")
    return scene.without("weight", *([] if grouped else ["patient"]))


def a_table(bench: Bench, models: int = 2) -> Scene:
    return bench.r.choice([table_of_values, table_of_values, table_of_predictions])(bench, models)


# --------------------------------------------------------------------------- what is equal


def same(
    left: Any, right: Any, *, but: Sequence[str] = (), place: str = "", redrawn: bool = False
) -> None:
    """Two answers as JSON are the same, but for these keys; numbers to rounding.

    What rests on draws is not compared where these are ``redrawn``.
    """
    if isinstance(left, dict) and isinstance(right, dict):
        drawn = any(_drawn(one) or _drawn(one.get("test")) for one in (left, right))
        skipped = {*but, *(DRAWN if redrawn and drawn else ())}
        for key in [*left, *(key for key in right if key not in left)]:
            if key not in skipped:
                inner = f"{place}.{key}"
                same(left.get(key), right.get(key), but=but, place=inner, redrawn=redrawn)
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for at, (one, other) in enumerate(zip(left, right, strict=True)):
            same(one, other, but=but, place=f"{place}[{at}]", redrawn=redrawn)
    elif isinstance(left, int | float) and isinstance(right, int | float):
        if not (left == right or math.isclose(left, right, rel_tol=CLOSE, abs_tol=1e-12)):
            raise FaultError(f"{place[1:]}: {left!r} and {right!r}")
    elif left != right:
        raise FaultError(f"{place[1:]}: {left!r} and {right!r}")


def _drawn(part: Any) -> bool:
    return isinstance(part, dict) and part.get("n_resamples") is not None


def both(one: Callable[[], Any], other: Callable[[], Any]) -> tuple[Any, Any] | None:
    """Two answers, or none where both are refused."""
    answers: list[Any] = []
    for ask in (one, other):
        try:
            answers.append(ask())
        except (RefusedError, hw.DataError, hw.OptionError) as error:
            answers.append(error)
    left, right = answers
    if isinstance(left, Exception) and isinstance(right, Exception):
        return None
    if isinstance(left, Exception) or isinstance(right, Exception):
        refusal = left if isinstance(left, Exception) else right
        raise FaultError(f"one is refused, the other not: {refusal}")
    return left, right


def renamed(answer: Any, names: Mapping[Any, str]) -> Any:
    """An answer in which what is called so is called otherwise."""
    if isinstance(answer, dict):
        return {names.get(key, key): renamed(value, names) for key, value in answer.items()}
    if isinstance(answer, list):
        return [renamed(value, names) for value in answer]
    return names.get(answer, answer) if isinstance(answer, str) else answer
