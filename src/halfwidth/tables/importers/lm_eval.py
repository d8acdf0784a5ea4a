"""``samples_<task>_<stamp>.jsonl`` of lm-evaluation-harness: a line per document and filter.

A filter is a way to find the answer in what the model wrote; each gives scores of its own. The
fields of the documents become columns ``doc.FIELD``, so that ``--groups doc.FIELD`` keeps questions
about one text together. Model and stated scores are in the ``results_<stamp>.json`` beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from halfwidth.core.errors import DataError, UnknownNameError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Better, MetricSpec
from halfwidth.io.json_files import json_lines
from halfwidth.io.table import StatedMean, Table
from halfwidth.tables.importers.case_values import (
    CaseValue,
    canonical_table,
    number,
    right_or_wrong,
)
from halfwidth.tables.importers.fields import Fields
from halfwidth.tables.importers.importer import Candidate, Importer, ImportOptions, json_beside

TITLE = "lm-eval samples"
FILE = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl")
NO_FILTER = "none"
# What a line holds besides its scores; older releases do not list the names of these.
DESCRIPTIONS = frozenset(
    {
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash", "task_name", "native_id"),
    }
)

# What says of a document whether its answer is right, or how probable the right ones are.
RIGHT_OR_WRONG = re.compile(
    r"acc(_norm|_mutual_info|_bytes|_all)?|\w+_acc|exact_match|em|contains|mc1|pass(@|_at_)\d+"
)

Line = Mapping[str, Any]


def _recognises(candidate: Candidate) -> bool:
    if not candidate.first_line.lstrip().startswith("{"):
        return False
    try:
        first = next(json_lines(candidate.source), (0, None))[1]
    except DataError:
        return False
    return isinstance(first, dict) and {"doc_id", "doc", "resps"} <= set(first)


def _read(candidate: Candidate, options: ImportOptions) -> Table:
    task, stamp = _task_and_stamp(candidate)
    results, model = _results(candidate, stamp)
    fields = Fields("doc.")
    rows: list[CaseValue] = []
    filters: dict[str, None] = {}
    no_numbers: dict[str, None] = {}
    for line, sample in _lines(candidate):
        chosen = str(sample.get("filter", NO_FILTER))
        filters[chosen] = None
        if options.filter is not None and chosen != options.filter:
            continue
        case = str(sample["doc_id"])
        for name in _names(sample):
            value = sample.get(name)
            if isinstance(value, str | dict | list):
                no_numbers[name] = None
                continue
            score = number(value, f"{name} in line {line}")
            rows.append(CaseValue(case, name, score, model=model, task=task, label=chosen))
            fields.add(sample["doc"])
    if options.filter is not None and options.filter not in filters:
        raise UnknownNameError("filter", options.filter, list(filters))
    if not rows:
        raise DataError(_no_scores(no_numbers))
    if len(filters) == 1 or options.filter is not None:
        rows = [row._replace(label=None) for row in rows]
    notes = list(_notes(task, model, filters, options, no_numbers))
    table = canonical_table(rows, notes, _known({row.metric for row in rows}, results, task))
    stated = tuple(_stated_means(results, task, rows, filters, options.filter))
    return replace(table, columns={**table.columns, **fields.columns()}, stated_means=stated)


def _known(metrics: Iterable[str], results: Any, task: str | None) -> Iterator[MetricSpec]:
    """What is known of the scores: of some by their names, of others which direction is better."""
    tasks = results.get("higher_is_better") if isinstance(results, dict) else None
    said = tasks.get(task) if isinstance(tasks, dict) else None
    for name in metrics:
        higher = said.get(name) if isinstance(said, dict) else None
        if RIGHT_OR_WRONG.fullmatch(name):
            yield right_or_wrong(name)
        elif isinstance(higher, bool):
            yield MetricSpec(name, better=Better.HIGHER if higher else Better.LOWER)


def _lines(candidate: Candidate) -> Iterator[tuple[int, Line]]:
    for line, sample in json_lines(candidate.source):
        if not isinstance(sample, dict) or not isinstance(sample.get("doc_id"), int | str):
            raise DataError(f"line {line} is not a sample of lm-eval (an object with a doc_id)")
        yield line, {"doc": None, **sample}


def _names(sample: Line) -> list[str]:
    """The names of the scores of a line."""
    listed = sample.get("metrics")
    if isinstance(listed, list):
        return [name for name in listed if isinstance(name, str) and name in sample]
    scores = (int, float)
    return [n for n, v in sample.items() if n not in DESCRIPTIONS and isinstance(v, scores)]


def _task_and_stamp(candidate: Candidate) -> tuple[str | None, str | None]:
    name = "" if candidate.path is None else candidate.path.name.removesuffix(".gz")
    match = FILE.fullmatch(name)
    return (match[1], match[2]) if match else (None, None)


def _results(candidate: Candidate, stamp: str | None) -> tuple[Any, str | None]:
    """The results of the same run, and its model; neither where the file is not there."""
    file = candidate.beside(f"results_{stamp}.json") if stamp is not None else None
    document = json_beside(file) if file is not None else None
    if not isinstance(document, dict):
        return {}, None
    config = document.get("config")
    arguments = config.get("model_args") if isinstance(config, dict) else None
    named = [document.get("model_name"), arguments]
    model = next((name for name in named if isinstance(name, str) and name), None)
    return document, model


def _no_scores(no_numbers: Mapping[str, None]) -> str:
    if no_numbers:
        return (
            f"holds no score of single documents: {shortened(list(no_numbers), 5)} are computed "
            "from all documents together, and a line only has what goes into them"
        )
    return "holds no scores; lm-eval writes them with --log_samples"


def _notes(
    task: str | None,
    model: str | None,
    filters: Mapping[str, None],
    options: ImportOptions,
    no_numbers: Mapping[str, None],
) -> Iterator[str]:
    said = [f"task {task}"] * (task is not None) + [f"model {model}"] * (model is not None)
    yield f"read as {TITLE}: a case for each doc_id{''.join(f', {one}' for one in said)}"
    if model is None:
        yield "the model is named in results_<stamp>.json, which is not beside the file"
    if len(filters) > 1 and options.filter is None:
        listed = shortened(list(filters))
        yield f"the filters {listed} are labels; {spelled('filter')} takes one of them"
    if no_numbers:
        names = shortened(list(no_numbers), 8)
        yield f"left out: {names} (computed from all documents together)"


def _stated_means(
    results: Any,
    task: str | None,
    rows: list[CaseValue],
    filters: Mapping[str, None],
    chosen: str | None,
) -> Iterator[StatedMean]:
    """The scores that the results state of the task, for each metric and filter that is read."""
    tasks = results.get("results") if isinstance(results, dict) else None
    scores = tasks.get(task) if isinstance(tasks, dict) else None
    other = _no_means(results, task)
    for metric in dict.fromkeys(row.metric for row in rows if row.metric not in other):
        for name in [chosen] if chosen is not None else filters:
            value = scores.get(f"{metric},{name}") if isinstance(scores, dict) else None
            if isinstance(value, int | float):
                label = {"label": name} if len(filters) > 1 and chosen is None else {}
                where = {"metric": metric, **label}
                source = f"results_<stamp>.json, {metric},{name}"
                yield StatedMean(number(value, source), "value", where, source=source)


def _no_means(results: Any, task: str | None) -> set[str]:
    """The metrics that are no means, by the configuration; one without aggregation has its own."""
    metrics = {"perplexity"}
    tasks = results.get("configs") if isinstance(results, dict) else None
    config = tasks.get(task) if isinstance(tasks, dict) else None
    listed = config.get("metric_list") if isinstance(config, dict) else None
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and one.get("aggregation", "mean") not in ("mean", "nanmean"):
            metrics.add(str(one.get("metric")))
    return metrics


LM_EVAL = Importer(
    name="lm-eval",
    title=TITLE,
    suffixes=(".jsonl",),
    recognises=_recognises,
    read=_read,
    source="EvaluationTracker of lm-evaluation-harness (EleutherAI/lm-evaluation-harness)",
    options=frozenset({"filter"}),
)
