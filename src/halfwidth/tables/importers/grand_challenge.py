"""``metrics.json`` of challenges on grand-challenge.org.

The platform only asks for ``aggregates``; where the cases are is up to each challenge. evalutils
writes ``case``, from the metric to the row of a data frame; others go from the case to its metrics;
the present template writes a list of ``results``. Any other layout is described by ``--path``:
``scores.{label}.{case}.{metric}`` goes through the key ``scores`` and calls the keys below it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, quoted, shortened
from halfwidth.core.option_names import spelled
from halfwidth.io.table import StatedMean, Table
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.tables.importers.case_values import (
    NUMBERS_AS_TEXT,
    CaseValue,
    canonical_table,
    metric_name,
    number,
)
from halfwidth.tables.importers.importer import Candidate, Importer, ImportOptions
from halfwidth.tables.repeats import CASE_COLUMNS

TITLE = "grand-challenge metrics.json"
PLACES_OF_CASES = ("case", "cases", "results")
PARTS = ("case", "metric", "label", "task", "model")
PART = re.compile(r"\{(\w+)\}")
CASES_FIRST, METRICS_FIRST = ("{case}", "{metric}"), ("{metric}", "{case}")
# What a record of a case calls it; texts that differ in all cases will do too.
NAMES_OF_CASES = (*CASE_COLUMNS, "pk", "image", "scan", "study")
MEAN = "mean"
# Longer ones are explanations.
LONGEST_NAME = 200


class Leaf(NamedTuple):
    """A value and the keys that lead to it, by what they are."""

    parts: Mapping[str, str]
    value: Any


def _recognises(candidate: Candidate) -> bool:
    document = candidate.document
    if not isinstance(document, dict):
        return False
    cases = document.get("case")
    nested = isinstance(cases, dict) and any(isinstance(v, dict) for v in cases.values())
    return isinstance(document.get("aggregates"), dict) or nested


def _read(candidate: Candidate, options: ImportOptions) -> Table:
    document = candidate.document
    aggregates = document.get("aggregates") if isinstance(document, dict) else None
    aggregates = aggregates if isinstance(aggregates, dict) else {}
    path = _path(options.path) if options.path else _place_of_cases(document)
    if not any(PART.fullmatch(step) for step in path):
        path = (*path, *_order_below(_at(document, path), path, aggregates))
    leaves = list(_leaves(document, path, {}))
    names, named_by = _names_of_cases(leaves)
    numeric = {parts["metric"] for parts, value in leaves if _is_number(value)}
    rows: list[CaseValue] = []
    left_out: dict[str, None] = {}
    not_numbers: dict[str, int] = {}
    for parts, value in leaves:
        metric = parts["metric"]
        if metric == named_by:
            continue
        is_number = value is None or _is_number(value)
        if not is_number and metric not in numeric:
            left_out[metric] = None
            continue
        if not is_number:
            not_numbers[metric] = not_numbers.get(metric, 0) + 1
        read_value = number(value if is_number else None, f"{metric} of case {parts['case']}")
        case = names.get(parts["case"], parts["case"])
        others = {part: parts.get(part) for part in ("label", "task", "model")}
        rows.append(CaseValue(case, metric_name(metric), read_value, **others))
    if not rows:
        raise DataError(_no_numbers_message(path, left_out))
    notes = [f"read as {TITLE}: values are at {'.'.join(path)}"]
    if named_by:
        notes.append(f"cases are called by their {named_by!r}")
    if left_out:
        notes.append(f"left out, not numbers: {shortened(list(left_out), 10)}")
    if not_numbers:
        counts = [f"{metric} ({count})" for metric, count in not_numbers.items()]
        notes.append(f"missing, since text or more keys: {shortened(counts, 10)}")
    table = canonical_table(rows, notes)
    return replace(table, stated_means=tuple(_stated_means(aggregates, {r.metric for r in rows})))


def _path(text: str) -> tuple[str, ...]:
    """The steps of ``--path``."""
    steps = tuple(step for step in text.split(".") if step)
    parts = [part[1] for step in steps if (part := PART.fullmatch(step))]
    unknown = next((part for part in parts if part not in PARTS), None)
    if unknown is not None:
        raise UnknownNameError("part of a path", unknown, PARTS)
    if len(set(parts)) < len(parts) or (parts and "case" not in parts):
        raise OptionError(
            f"{spelled('path', text)} must name {{case}} once, as in 'case.{{case}}.{{metric}}'"
        )
    return steps


def _place_of_cases(document: Any) -> tuple[str, ...]:
    held = document if isinstance(document, dict) else {}
    place = next((key for key in PLACES_OF_CASES if isinstance(held.get(key), dict | list)), None)
    if place is None:
        raise DataError(
            f"has no {quoted(PLACES_OF_CASES)} with the values of single cases (its keys are "
            f"{shortened(list(held), 10)}); if they are elsewhere, say where: "
            f"{spelled('path', 'KEY.{case}.{metric}')}"
        )
    return (place,)


def _at(node: Any, path: tuple[str, ...]) -> Any:
    for place, step in enumerate(path):
        node = _step(node, step, path[:place])
    return node


def _step(node: Any, step: str, before: Iterable[str]) -> Any:
    if isinstance(node, dict) and step in node:
        return node[step]
    if isinstance(node, list) and step.isdecimal() and len(step) < 10 and int(step) < len(node):
        return node[int(step)]
    held = list(node) if isinstance(node, dict) else [f"a list of {len(node)}"]
    held = held if isinstance(node, dict | list) else ["a single value"]
    where = ".".join(before) or "the document"
    raise DataError(
        f"has no {step!r} in {where}, which holds {shortened(held, 10)}; see {spelled('path')}"
    )


def _order_below(
    node: Any, path: tuple[str, ...], aggregates: Mapping[str, Any]
) -> tuple[str, ...]:
    """Whether the keys of a node are those of cases or of metrics."""
    if isinstance(node, list):
        return CASES_FIRST
    children = (
        [child for child in node.values() if isinstance(child, dict)]
        if isinstance(node, dict)
        else []
    )
    if not children:
        raise DataError(
            f"{'.'.join(path)} holds no values of single cases, only one for each of "
            f"{shortened(list(node) if isinstance(node, dict) else ['one value'], 10)}"
        )
    outer = list(node)
    inner = list(dict.fromkeys(key for child in children for key in child))
    known = [sum(key in aggregates or key in METRICS for key in keys) for keys in (outer, inner)]
    if known[0] != known[1]:
        return METRICS_FIRST if known[0] > known[1] else CASES_FIRST
    for are_cases in (_all_counted, _all_with_digits):
        if are_cases(outer) != are_cases(inner):
            return CASES_FIRST if are_cases(outer) else METRICS_FIRST
    begin = ".".join(path)
    raise OptionError(
        f"cannot tell whether {begin} goes from cases to metrics or from metrics to cases "
        f"(keys {shortened(outer, 3)}; below {shortened(inner, 3)}): "
        f"{spelled('path', begin + '.{case}.{metric}')} or "
        f"{spelled('path', begin + '.{metric}.{case}')}"
    )


def _all_counted(keys: list[str]) -> bool:
    """Whether keys are the numbers of rows."""
    return all(map(str.isdecimal, keys))


def _all_with_digits(keys: list[str]) -> bool:
    """Whether keys have digits, as the names of cases do; of metrics some have none."""
    return all(any(map(str.isdecimal, key)) for key in keys)


def _leaves(node: Any, path: tuple[str, ...], parts: dict[str, str]) -> Iterator[Leaf]:
    """The values that a path leads to. What ends before the path does is left out."""
    if not path:
        yield Leaf(parts, node)
        return
    part = PART.fullmatch(path[0])
    if part is None:
        # The last key that is given names the metric, unless the path says what does.
        last = {"metric": path[0]} if len(path) == 1 else {}
        yield from _leaves(_step(node, path[0], ()), path[1:], {**last, **parts})
        return
    for key, child in _items(node):
        yield from _leaves(child, path[1:], {**parts, part[1]: key})


def _items(node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        yield from node.items()
    elif isinstance(node, list):
        yield from ((str(place), child) for place, child in enumerate(node))


def _names_of_cases(leaves: list[Leaf]) -> tuple[dict[str, str], str | None]:
    """Better names for cases that are only counted, and what the file calls these."""
    cases = dict.fromkeys(leaf.parts["case"] for leaf in leaves if "metric" in leaf.parts)
    if any("metric" not in leaf.parts for leaf in leaves):
        raise OptionError(
            f"{spelled('path')} leads to values without naming their metric: add {{metric}} to it"
        )
    if not all(map(str.isdecimal, cases)):
        return {}, None
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    for parts, value in leaves:
        named = parts["metric"].lower() in NAMES_OF_CASES and isinstance(value, int)
        is_text = isinstance(value, str) and not _is_number(value)
        if named or (is_text and len(value) <= LONGEST_NAME):
            texts[parts["metric"]][parts["case"]] = str(value)
    whole = [
        field
        for field, names in texts.items()
        if len(names) == len(cases) and len(set(names.values())) == len(cases)
    ]
    whole.sort(key=lambda field: field.lower() not in NAMES_OF_CASES)
    return (texts[whole[0]], whole[0]) if whole else ({}, None)


def _is_number(value: Any) -> bool:
    """Whether a value is a number, or a text that stands for one that JSON does not have."""
    as_text = isinstance(value, str) and value.strip().lower() in NUMBERS_AS_TEXT
    return as_text or isinstance(value, int | float)


def _no_numbers_message(path: tuple[str, ...], left_out: Iterable[str]) -> str:
    names = list(left_out)
    holds = "holds" if len(names) == 1 else "hold"
    below = f"; {shortened(names, 5)} {holds} more keys or text" if names else ""
    return (
        f"has no numbers at {'.'.join(path)}{below}. Say where the values of cases are, for "
        f"instance {spelled('path', 'case.{case}.{label}.{metric}')}"
    )


def _stated_means(aggregates: Mapping[str, Any], held: set[str]) -> Iterator[StatedMean]:
    """The aggregates that say that they are means; others are of whatever a challenge ranks by."""
    for name, stated in aggregates.items():
        value = stated.get(MEAN) if isinstance(stated, dict) else None
        metric = metric_name(name)
        if metric in held and isinstance(value, int | float) and not isinstance(value, bool):
            source = f"aggregates.{name}.{MEAN}"
            yield StatedMean(number(value, source), "value", {"metric": metric}, source=source)


GRAND_CHALLENGE = Importer(
    name="grand-challenge",
    title=TITLE,
    suffixes=(".json",),
    recognises=_recognises,
    read=_read,
    source="the evaluation template of grand-challenge.org, and evalutils",
    options=frozenset({"path"}),
)
