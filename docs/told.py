"""What the program says, in the prose of the pages: words and numbers that it makes again.

A value of a page is followed by a comment that says where it comes from, as figures are
(`figures`):

    Gland is *superior*<!-- printed: gland; verdict -->, by `dirichlet_pareto`<!-- takes: mean -->

The value is a word, what stands between backticks or asterisks, or a number.

- ``printed``: what the commands of the same page print: the cell of a row, named by its first cells
  * the only one (behind the line above the table and ::, where several have such a row), and of a
  column; or, with ``after``, what follows a text: a number or the ``word``. A number behind that
  picks another one (0 is the first).
- ``quoted``: what follows a text on another page; ``cell``: a cell of a table of another page.
- ``takes``: the method that `auto` takes. ``word``: a word or a number of the program.

`docs/generate.py` writes the values, and ``--check`` compares. Verdicts, methods, numbers of cases
and rates that have no such comment are found too; those of an example that nobody computed stand in
a paragraph with ``<!-- an example -->``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from figures import FROM, LEVEL, MARKED, NUMBER, ONCE, FigureError, Table, table

import halfwidth as hw
from halfwidth.core.option_table.table import OPTIONS
from halfwidth.estimation import choose, evidence
from halfwidth.resampling.forms import counts
from halfwidth.resampling.kernels import native
from halfwidth.results import comparison_results, gate
from halfwidth.results.comparison_words import equivalence_sentence

HERE = Path(__file__).parent
BLOCK = re.compile(r"```(?:console|text|sh|toml|python)[^\n]*\n(.*?)```", re.DOTALL)
SOURCES = "printed|quoted|cell|takes|word"
TOLD = re.compile(
    rf"(?P<mark>[`*]?)(?P<said>{NUMBER}|[A-Za-z][\w-]*)(?P=mark)(?P<unit> ?%)?"
    rf"<!-- (?P<source>{SOURCES}): (?P<key>[^>]+?) -->"
)
MARKER = re.compile(rf"<!-- (?:{SOURCES}): ")
RULE = re.compile(r"^─{5,}$", re.MULTILINE)
# Numbers behind a text are looked for so far.
NEAR = 160
EXAMPLE = re.compile("<!-- an example -->")


# --------------------------------------------------------------------------- what is printed


def tables_printed(text: str) -> Iterator[Table]:
    """The tables in the blocks of a page: lines above and below a rule."""
    for block in BLOCK.findall(text):
        heading = ""
        for part in re.split(r"\n\s*\n", block):
            lines = part.splitlines()
            rules = [place for place, line in enumerate(lines) if RULE.match(line)]
            if rules:
                head = [place for place in range(rules[0]) if not _is_typed(lines, place)]
                yield _table(heading, [lines[at] for at in head], lines[rules[0] + 1 :])
            heading = lines[-1]


def _is_typed(lines: list[str], place: int) -> bool:
    """Whether a line is of a command, or a note of one."""
    goes_on = place > 0 and lines[place - 1].endswith("\\")
    return goes_on or lines[place].startswith(("$ ", "halfwidth: "))


def _table(heading: str, head: list[str], body: list[str]) -> Table:
    width = max(map(len, [*head, *body]))
    padded = [line.ljust(width) for line in [*head, *body]]
    blank = [all(line[at] == " " for line in padded) for at in range(width)]
    # Columns stand two spaces apart, or more.
    ends = [at for at in range(1, width) if blank[at - 1] and blank[at]]
    cuts = [0, *(at for at in ends if at + 1 not in ends), width]
    cells = [[line[i:j].strip() for i, j in pairwise(cuts)] for line in padded]
    columns = [" ".join(filter(None, parts)) for parts in zip(*cells[: len(head)], strict=True)]
    rows: list[list[str]] = []
    for row in cells[len(head) :]:
        # The rest of a row whose texts take several lines.
        if rows and sum(map(bool, row)) * 2 <= len(row):
            rows[-1] = [f"{one} {more}".strip() for one, more in zip(rows[-1], row, strict=True)]
        else:
            rows.append(row)
    return Table(heading, tuple(columns), tuple(map(tuple, rows)))


def _cell(key: str, text: str) -> str:
    named, column, *place = (part.strip() for part in key.split(";"))
    heading, _, row = (part.strip() for part in named.rpartition("::"))
    cells = [
        cells[one.columns.index(column)]
        for one in tables_printed(text)
        for cells in one.rows
        if heading in one.heading and column in one.columns
        if row in (cells[0], " / ".join(cells[: row.count(" / ") + 1]))
        or (row == "*" and len(one.rows) == 1)
    ]
    if len(cells) != 1:
        raise FigureError(f"{len(cells)} rows of the page are {named!r} and have {column!r}")
    numbers = re.findall(NUMBER, cells[0])
    return str(numbers[int(place[0]) if place else 0] if numbers else cells[0])


def _after(key: str, text: str) -> str:
    """What follows a text: the first number, another one, or the word."""
    words, *place = (part.strip() for part in key.split(";"))
    _, found, behind = " ".join(text.split()).partition(words)
    if not found:
        raise FigureError(f"{words!r} stands nowhere")
    if place == ["word"]:
        return str(re.findall(r"[A-Za-z][\w-]*", behind[:NEAR])[0])
    numbers = re.findall(NUMBER, behind[:NEAR])
    if len(numbers) <= int(place[0] if place else 0):
        raise FigureError(f"{len(numbers)} numbers follow {words!r}")
    return str(numbers[int(place[0] if place else 0)])


def _printed(key: str, text: str) -> str:
    if key.startswith("after "):
        return _after(key.removeprefix("after "), "\n".join(BLOCK.findall(text)))
    return _cell(key, text)


def _quoted(key: str, _text: str) -> str:
    page, _, rest = key.partition(";")
    # Without what says where the numbers come from.
    return _after(rest, re.sub("<!--.*?-->", "", (HERE / page).read_text(encoding="utf-8")))


def _of_table(key: str, _text: str) -> str:
    source, heading, row, column = (part.strip() for part in key.split(";"))
    return table(source, heading).cell(row, column)


# --------------------------------------------------------------------------- what auto takes


def _of_cases(metric: str | None, statistic: str = "mean") -> str:
    values = np.linspace(0.5, 0.95, 30)
    data = hw.CaseValues.from_arrays(values, metric=metric)
    return hw.estimate(data, statistic=statistic, n_resamples=99, rng=1)[0].method


def _of_difference(
    metric: str | None, statistic: str = "mean", *, above: float | None = None, **options: Any
) -> str:
    values = np.random.default_rng(1).uniform(0.5, 0.9, (2, 30))
    values = values if above is None else (values > above).astype(float)
    models: Any = dict(zip("AB", values, strict=True))
    data = hw.CaseValues.from_arrays(models, metric=metric, **options)
    return hw.compare(data, statistic=statistic, n_resamples=99, rng=1)[0].estimate.method


def _test_set(
    n: int, classes: int, models: int = 1, apart: float = 0.4, **options: Any
) -> hw.Predictions:
    generator = np.random.default_rng(n)
    truth = np.r_[np.arange(classes), generator.integers(0, classes, n - classes)]
    scores = {}
    for model in "AB"[:models]:
        drawn = generator.random((n, classes))
        drawn[np.arange(n), truth] += apart
        drawn /= drawn.sum(axis=1, keepdims=True)
        scores[model] = drawn[:, 1] if classes == 2 else drawn
    return hw.Predictions.from_arrays(truth, scores if models > 1 else scores["A"], **options)


def _of_test_set(metric: Any, n: int = 60, classes: int = 2, **options: Any) -> str:
    average = options.pop("average", None)
    test = _test_set(n, classes, **options)
    return hw.estimate(test, metric=metric, average=average, n_resamples=99, rng=1)[0].method


def _of_test_sets(metric: str, n: int = 60) -> str:
    test = _test_set(n, 2, models=2, apart=0.1)
    return hw.compare(test, metric=metric, n_resamples=99, rng=1)[0].estimate.method


def _of_numbers(metric: str, n: int = 60, **options: Any) -> str:
    generator = np.random.default_rng(n)
    truth = generator.normal(size=n)
    test = hw.Predictions.from_arrays(truth, truth + generator.normal(size=n), **options)
    return hw.estimate(test, metric=metric, n_resamples=99, rng=1)[0].method


TAKES: dict[str, Callable[[], str]] = {
    "mean of a bounded metric": partial(_of_cases, "dsc"),
    "mean without bounds": partial(_of_cases, "absolute_error"),
    "difference of means, bounded": partial(_of_difference, "dsc"),
    "difference of means, without bounds": partial(_of_difference, "hd95"),
    "difference of medians": partial(_of_difference, "dsc", "median"),
    "difference of means, unpaired": partial(_of_difference, "dsc", pairing="none"),
    "difference of means, unpaired, without bounds": partial(
        _of_difference, "hd95", pairing="none"
    ),
    "difference of accuracies": partial(_of_test_sets, "accuracy"),
    "difference of accuracies, unpaired": partial(
        _of_difference, "correct", pairing="none", above=0.6
    ),
    "difference of F1": partial(_of_test_sets, "f1"),
    "difference of AUROCs, many cases": partial(_of_test_sets, "auroc", 300),
    "difference of AUROCs, few cases": partial(_of_test_sets, "auroc", 30),
    "difference of APs": partial(_of_test_sets, "average_precision"),
    "accuracy": partial(_of_test_set, "accuracy"),
    "sensitivity": partial(_of_test_set, "sensitivity"),
    "AUROC": partial(_of_test_set, "auroc", 200, apart=0.1),
    "AUROC, nearly all right": partial(_of_test_set, "auroc", apart=0.95),
    "counting": partial(_of_test_set, "f1"),
    "balanced accuracy of three classes": partial(_of_test_set, "balanced_accuracy", classes=3),
    "MCC": partial(_of_test_set, "mcc"),
    "LR+": partial(_of_test_set, "lr_plus"),
    "AP": partial(_of_test_set, "average_precision"),
    "macro AUROC": partial(_of_test_set, "auroc", classes=3, average="macro"),
    "partial AUROC": partial(_of_test_set, "auroc:max_fpr=0.1"),
    "MAE": partial(_of_numbers, "mae"),
    "RMSE of few cases": partial(_of_numbers, "rmse", 49),
    "RMSE of many cases": partial(_of_numbers, "rmse", 50),
    "RMSE of many patients": partial(_of_numbers, "rmse", 120, groups=np.arange(120) // 2),
    "weighted accuracy": partial(_of_test_set, "accuracy", sample_weight=np.arange(60) % 3 + 1),
    "threshold chosen on the data": partial(_of_test_set, "f1", threshold="youden_j"),
}


def _threshold() -> float:
    truth, scores = np.arange(20) % 2, np.linspace(0, 1, 20)
    (one,) = hw.estimate(hw.Predictions.from_arrays(truth, scores), metric="f1")
    return float(one.parameters["threshold"])


def _equivalent() -> str:
    values = np.linspace(0.6, 0.9, 40)
    (one,) = hw.compare({"A": values, "B": values + values[::-1] / 1000}, metric="dsc", margin=0.2)
    return str(re.findall(r"(?i)equivalent\b", equivalence_sentence(one))[0])


WORDS: dict[str, Any] = {
    "better": comparison_results.BETTER,
    "worse": comparison_results.WORSE,
    "non-inferior": comparison_results.NON_INFERIOR,
    "non-superior": comparison_results.NON_SUPERIOR,
    "open": comparison_results.OPEN,
    **{f"exit status, {word}": float(status) for word, status in gate.STATUS.items()},
    "threshold of two classes": _threshold,
    "wrongly ranked cases of a difference": float(choose.MANY_RANKED_WRONG),
    "cases of the BCa bootstrap": float(choose.SMALL),
    "pairs of nine models": float(math.comb(9, 2)),
    "share between the limits of agreement": OPTIONS["share"].default,
    "resamples side by side": float(native.LANES),
    "cases drawn as cells": float(counts.MULTINOMIAL_FROM),
    "equivalent": _equivalent,
    "reliable n of a mean DSC": hw.METRICS["dsc"].reliable_n,
    "median coverage that is reliable": 100 * evidence.RELIABLE,
    "two-sided quantile of the normal distribution": NormalDist().inv_cdf(0.975),
    "default confidence level": OPTIONS["confidence_level"].default,
    "error of either end": 50 * (1 - OPTIONS["confidence_level"].default),
    "error of equivalence": 100 * (1 - OPTIONS["confidence_level"].default),
    **{method.name: method.name for method in hw.METHODS},
}


def _kept(registry: Callable[[str], object]) -> Callable[[str, str], str]:
    def known(key: str, _text: str) -> str:
        try:
            return str(registry(key))
        except KeyError:
            raise FigureError(f"nothing is known as {key!r}") from None

    return known


@cache
def _word(key: str) -> str:
    word = WORDS[key]
    return str(word() if callable(word) else word)


@cache
def _takes(key: str) -> str:
    # MOVER names the method of either model, too.
    return TAKES[key]().partition(":")[0]


READERS: dict[str, Callable[[str, str], str]] = {
    "printed": _printed,
    "quoted": _quoted,
    "cell": _of_table,
    "takes": _kept(_takes),
    "word": _kept(_word),
}


# --------------------------------------------------------------------------- pages


def filled(text: str) -> str:
    """A page with every value as the program has it now."""

    def again(found: re.Match[str]) -> str:
        now = _like(found["said"], READERS[found["source"]](found["key"], text), found["unit"])
        before, after = found.span("said")
        start = found.start()
        return found[0][: before - start] + now + found[0][after - start :]

    return TOLD.sub(again, text)


def _like(said: str, now: str, unit: str | None) -> str:
    """A value as it is written where it stands: with these decimals, with a capital."""
    if not re.fullmatch(NUMBER, said):
        return now[:1].upper() + now[1:] if said[:1].isupper() and now.islower() else now
    if not re.fullmatch(NUMBER, now.removesuffix(".0")):
        return now
    number, old = (float(one.replace("−", "-").replace(",", "")) for one in (now, said))
    if unit and number <= 1 < old:
        number *= 100
    text = f"{number:{',' if ',' in said else ''}.{len(said.partition('.')[2])}f}"
    return text.replace("-", "−") if said.startswith("−") else text


# Better, worse and open are words of any prose.
VERDICTS = "non-inferior|non-superior|equivalent"
METHODS = "|".join(sorted(map(re.escape, hw.METHODS.names), key=len, reverse=True))
# What a page may say only as the program does, by kind.
KINDS = {
    "verdict": re.compile(rf"(?<![\w-])(?:{VERDICTS})(?![\w-])", re.IGNORECASE),
    "method": re.compile(rf"(?<=`)(?:{METHODS})(?=`)"),
    "number": re.compile(rf"(?<![\w.,−-])(?:{NUMBER}(?= ?%)|\d+\.\d+|[1-9]\d+)(?![\w.,]*\w)"),
}
# Code is no prose, but for names of methods.
NO_PROSE = re.compile(
    r"```.*?```|<!-- table: .*?<!-- end -->|<!--.*?-->|`(?P<code>[^`\n]*)`"
    r"|\]\([^)]*\)|^#.*?$|\b(?:19|20)\d\d\b|\[\d{4}\]",
    re.DOTALL | re.MULTILINE,
)
UNIT = re.compile(r"\n\s*\n|\n(?=- )|(?<=\|)|\n(?=\|)")


def tokens(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The verdicts, methods and numbers in the prose of a page, by their kind."""
    prose = NO_PROSE.sub(
        lambda found: found[0] if found["code"] in hw.METHODS.names else " " * len(found[0]), text
    )
    for kind, pattern in KINDS.items():
        for found in pattern.finditer(prose):
            if kind != "number" or not LEVEL.match(prose, found.end()):
                yield kind, found


def unmarked(text: str) -> list[str]:
    """Those that neither have a comment nor stand beside the name of their source."""
    spans = [found.span() for pattern in (TOLD, MARKED) for found in pattern.finditer(text)]
    spans += sourced(text)
    return [
        f"{kind} {found[0]!r} after {' '.join(text[: found.start()].split())[-40:]!r}"
        for kind, found in tokens(text)
        if not any(start <= found.start() < end for start, end in spans)
    ]


def sourced(text: str) -> Iterator[tuple[int, int]]:
    """Where the paragraphs, items and cells lie that name a source, or are an example."""
    cuts = [0, *(found.end() for found in UNIT.finditer(text)), len(text)]
    for start, end in pairwise(cuts):
        if FROM.search(text, start, end) or EXAMPLE.search(text, start, end):
            yield start, end
    heads = [0, *(found.start() for found in re.finditer("(?m)^#", text)), len(text)]
    for start, end in pairwise(heads):
        if ONCE.search(text, start, end):
            yield start, end


def stray(text: str) -> int:
    """How many comments follow no value."""
    return len(MARKER.findall(text)) - len(TOLD.findall(text))
