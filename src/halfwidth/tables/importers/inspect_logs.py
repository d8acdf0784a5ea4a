"""Logs of Inspect: an ``.eval`` file, which is a zip of JSON files, or the same as one ``.json``.

A sample that is run in several epochs is one case with repeated answers: these are named with their
epoch, and the sample is their ``group``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from halfwidth.core.errors import DataError, shortened, shown
from halfwidth.io.json_files import parsed_json
from halfwidth.io.table import StatedMean, Table
from halfwidth.io.zip_members import ZipMembers, zip_members
from halfwidth.metrics.agreement import accuracy
from halfwidth.tables.importers.case_values import (
    CaseValue,
    canonical_table,
    number,
    right_or_wrong,
)
from halfwidth.tables.importers.fields import Fields, texts_in
from halfwidth.tables.importers.importer import Candidate, Importer, ImportOptions

TITLE = "Inspect log"
HEADERS = ("header.json", "_journal/start.json", "start.json")
SUMMARIES = "summaries.json"
SAMPLES, SAMPLE = "samples/", ("_epoch_", ".json")
ZIP = b"PK"
# Grades of Inspect and what it counts them as; an answer that was refused is a wrong one.
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
# What it calls means.
MEANS = (accuracy.__name__, "mean")

Sample = Mapping[str, Any]


def _recognises(candidate: Candidate) -> bool:
    if candidate.source.first(2) == ZIP:
        with zip_members(candidate.source) as members:
            return any(name in members.names for name in HEADERS)
    if candidate.path is not None and candidate.path.suffix.lower() == ".eval":
        raise DataError("is no zip file, as .eval files are")
    document = candidate.document
    return isinstance(document, dict) and {"version", "status", "eval", "plan"} <= set(document)


def _read(candidate: Candidate, _: ImportOptions) -> Table:
    if candidate.source.first(2) == ZIP:
        with zip_members(candidate.source) as members:
            header, samples = _header(members), _samples(members)
    else:
        header = candidate.document if isinstance(candidate.document, dict) else {}
        samples = header.get("samples") or []
    return _table(header, _checked(samples))


def _header(members: ZipMembers) -> Mapping[str, Any]:
    present = {*members.names}
    name = next((name for name in HEADERS if name in present), None)
    if name is None:
        raise DataError(f"is no Inspect log: it has none of {shortened(HEADERS)}")
    header = parsed_json(members.read(name), f"its member {name} ")
    return header if isinstance(header, dict) else {}


def _samples(members: ZipMembers) -> list[Any]:
    """The samples without their transcripts: from the summaries, where these are of all."""
    begin, end = SAMPLE
    single = [n for n in members.names if n.startswith(SAMPLES) and begin in n and n.endswith(end)]
    # A sample in parts is a folder, in which only this part has its scores.
    whole = [n for n in single if n.count("/") == 1 or n.endswith("/sample.json")]
    if SUMMARIES in members.names:
        summaries = parsed_json(members.read(SUMMARIES), f"its member {SUMMARIES} ")
        if isinstance(summaries, list) and len(summaries) >= len(whole):
            return summaries
    return [_essence(parsed_json(members.read(name), f"its member {name} ")) for name in whole]


def _essence(sample: Any) -> Any:
    """What is read of a sample: transcripts of all would fill the memory."""
    if not isinstance(sample, dict):
        return sample
    kept = {key: sample[key] for key in ("id", "epoch") if key in sample}
    scores = [(name, {"value": value}) for name, value in _values(sample)]
    metadata = texts_in(sample.get("metadata"))
    return {
        **kept,
        "scores": dict(scores),
        "metadata": metadata,
        "error": bool(sample.get("error")),
    }


def _checked(samples: Any) -> list[Sample]:
    for place, sample in enumerate(samples if isinstance(samples, list) else [samples], 1):
        known = isinstance(sample, dict) and isinstance(sample.get("id"), int | str)
        if not known or not isinstance(sample.get("epoch", 1), int):
            raise DataError(
                f"sample {place} is not a sample of Inspect (an object with id and epoch)"
            )
    if not samples:
        raise DataError(
            "holds no samples: the evaluation did not run, or its log has the header only"
        )
    return list(samples)


def _table(header: Mapping[str, Any], samples: list[Sample]) -> Table:
    about = header.get("eval")
    said = about if isinstance(about, dict) else {}
    model, task = (_text(said.get(key)) for key in ("model", "task"))
    epochs = {sample.get("epoch", 1) for sample in samples}
    several = len(epochs) > 1
    scores = [dict(_scores(sample)) for sample in samples]
    names = list(dict.fromkeys(name for of_sample in scores for name in of_sample))
    grades = {name: _grades(scores, name) for name in names}
    fields, rows = Fields("metadata."), []
    for place, sample in enumerate(samples):
        group = str(sample["id"])
        case = f"{group} (epoch {sample.get('epoch', 1)})" if several else group
        for name, values in grades.items():
            if values is None:
                continue
            rows.append(
                CaseValue(
                    case,
                    name,
                    values[place],
                    model=model,
                    task=task,
                    group=group if several else None,
                )
            )
            fields.add(sample.get("metadata"))
    if not rows:
        raise DataError(_no_scores(names))
    notes = list(_notes(header, samples, [n for n in names if grades[n] is None], len(epochs)))
    stated = tuple(_stated_means(header, {row.metric for row in rows}))
    rated = {name for name in grades if any(isinstance(one.get(name), str) for one in scores)}
    # What it calls accuracy is the mean of what is right.
    rated |= {one.where["metric"] for one in stated if one.source.endswith(f" {accuracy.__name__}")}
    table = canonical_table(rows, notes, map(right_or_wrong, rated))
    return replace(table, columns={**table.columns, **fields.columns()}, stated_means=stated)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _scores(sample: Sample) -> Iterator[tuple[str, Any]]:
    """Each score of a sample; one of several values under the names of these."""
    for scorer, value in _values(sample):
        if isinstance(value, dict):
            yield from ((f"{scorer}.{key}", one) for key, one in value.items())
        elif isinstance(value, list):
            yield from ((f"{scorer}.{place}", one) for place, one in enumerate(value))
        else:
            yield scorer, value


def _values(sample: Sample) -> Iterator[tuple[str, Any]]:
    scores = sample.get("scores")
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        yield scorer, score.get("value") if isinstance(score, dict) else score


def _grades(scores: Iterable[Mapping[str, Any]], name: str) -> list[float] | None:
    """What a scorer gave each sample; None if it gives texts that are no grades."""
    values = []
    for grades in scores:
        value = grades.get(name)
        if isinstance(value, str):
            grade = _grade(value)
            if grade is None:
                return None
            values.append(grade)
        elif isinstance(value, dict | list):
            return None
        else:
            values.append(number(value, f"score {name}"))
    return values


def _grade(value: str) -> float | None:
    for written in (value, value.lower()):
        if written in GRADES:
            return GRADES[written]
    try:
        return float(value)
    except ValueError:
        return None


def _no_scores(names: list[str]) -> str:
    if names:
        return f"holds no scores as numbers or grades (C, P, I, N), only {shortened(names, 8)}"
    return "holds no scores: no sample has been scored"


def _notes(
    header: Mapping[str, Any],
    samples: list[Sample],
    no_grades: list[str],
    epochs: int,
) -> Iterator[str]:
    cases = len({str(sample["id"]) for sample in samples})
    yield f"read as {TITLE}: C, P, I, N count as 1, 0.5, 0, 0; a metric for each scorer"
    if epochs > 1:
        yield (
            f"{cases} cases in {epochs} epochs: answers to one sample are repeats of a case, kept "
            "together by the column group"
        )
    status = header.get("status")
    if status not in (None, "success"):
        yield f"the evaluation is not complete (status {shown(status)})"
    failed = sum(1 for sample in samples if sample.get("error"))
    if failed:
        yield f"{failed} samples ended in an error; where these have no score, it is missing"
    if no_grades:
        yield f"left out: {shortened(no_grades, 8)} (texts that are not grades)"


def _stated_means(header: Mapping[str, Any], held: set[str]) -> Iterator[StatedMean]:
    results = header.get("results")
    scores = results.get("scores") if isinstance(results, dict) else None
    for score in scores if isinstance(scores, list) else ():
        metrics = score.get("metrics") if isinstance(score, dict) else None
        # Of several epochs, the best or the most frequent answer may count.
        if not isinstance(metrics, dict) or score.get("reducer") not in (None, "mean"):
            continue
        names = [str(score.get("scorer")), f"{score.get('scorer')}.{score.get('name')}"]
        name = next((name for name in reversed(names) if name in held), None)
        for key in MEANS:
            stated = metrics.get(key)
            value = stated.get("value") if isinstance(stated, dict) else None
            if name is not None and isinstance(value, int | float) and math.isfinite(value):
                yield StatedMean(float(value), "value", {"metric": name}, source=f"{name} {key}")


INSPECT = Importer(
    name="inspect",
    title=TITLE,
    suffixes=(".eval", ".json"),
    recognises=_recognises,
    read=_read,
    source="the log files of Inspect (UKGovernmentBEIS/inspect_ai)",
)
