"""What ``methods`` and ``explain`` say of metrics, and of how detections are matched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from halfwidth.core.catalogue import Catalogue, special_cases
from halfwidth.core.references import cite
from halfwidth.core.spec import MetricSpec, Takes
from halfwidth.document.parts import (
    Document,
    Heading,
    Item,
    Items,
    Kind,
    Note,
    Paragraph,
    Part,
    Table,
)
from halfwidth.metrics.all_metrics import DETECTION_METRICS, METRICS, SAMPLE_METRICS
from halfwidth.metrics.detection.all_criteria import ASSIGNMENTS, LOCALISATIONS
from halfwidth.metrics.detection.assignment import AssignmentSpec
from halfwidth.metrics.detection.localisation import LocalisationSpec

# What makes a metric independent of the prevalence, by what it takes.
FIXED = {"priors": ", unless priors are given", "prevalence": ", unless one is given"}
CATALOGUES: tuple[Catalogue[Any], ...] = (
    METRICS,
    SAMPLE_METRICS,
    DETECTION_METRICS,
    LOCALISATIONS,
    ASSIGNMENTS,
)


def overview() -> Document:
    """All metrics of detections, criteria of localisation and strategies of assignment."""
    rows = [[spec.name, _plain(spec.summary)] for spec in DETECTION_METRICS]
    criteria = [
        [one.name, one.summary, ", ".join(one.of_detections), _threshold(one)]
        for one in LOCALISATIONS
    ]
    strategies = [[one.name, one.summary] for one in ASSIGNMENTS]
    return Document(
        (
            Heading("Metrics"),
            _table(["metric", "what"], rows),
            Heading("Localisation: how well a detection lies on an object"),
            _table(["localisation", "what", "of", "threshold"], criteria),
            Heading("Assignment: which detection is whose"),
            _table(["assignment", "what"], strategies),
            Note("'halfwidth explain NAME' says more of each."),
        )
    )


def _table(headings: Sequence[str], rows: list[list[str]]) -> Table:
    kinds = dict.fromkeys(headings[1:], Kind.TEXT)
    return Table.from_rows(headings, rows, kinds={headings[0]: Kind.NAME, **kinds})


def _threshold(one: LocalisationSpec) -> str:
    if one.binary:
        return "none"
    if one.threshold is None:
        return f"to be named{f', in {one.unit}' if one.unit else ''}"
    return f"{one.admits} {one.threshold:g}"


def _plain(summary: str) -> str:
    """Without marks of names and a full stop."""
    return summary.replace("`", "").rstrip(".")


def is_known(name: str) -> bool:
    """Whether a name is that of a metric, a criterion or a strategy."""
    return any(name.partition(":")[0] in catalogue for catalogue in CATALOGUES)


def in_full(name: str) -> Document:
    """What is known of a metric, a criterion or a strategy; of all that share a name."""
    base = name.partition(":")[0]
    # By its own name before another one's synonym.
    known = sorted(
        (one for one in CATALOGUES if base in one), key=lambda one: base not in one.names
    )
    kinds = ("metric of a case" if one is METRICS else one.kind for one in known)
    parts = (
        _explained(one[base], kind if len(known) > 1 else "")
        for one, kind in zip(known, kinds, strict=True)
    )
    return Document(tuple(part for each in parts for part in each))


def _explained(spec: MetricSpec | LocalisationSpec | AssignmentSpec, kind: str) -> Iterator[Part]:
    """The parts on one of them; ``kind`` tells those apart that share a name."""
    lead: tuple[Paragraph, ...] = ()
    if isinstance(spec, MetricSpec):
        title, lead = spec.display, (Paragraph(f"{_plain(spec.summary)}."),)
        fields = {
            "range": str(spec.bounds) + (f" {spec.unit}" if spec.unit else ""),
            "better": str(spec.better),
            **({"averages": ", ".join(spec.averages)} if spec.averages else {}),
            **_prevalence(spec),
            **{one.name: f"{one.summary}: {one.allowed_text}" for one in spec.parameters},
        }
    else:
        title, fields = spec.title, {"what": spec.summary}
    if isinstance(spec, LocalisationSpec):
        fields["of"] = (
            f"detections by {' or '.join(spec.of_detections)}, "
            f"references by {' or '.join(spec.of_references)}"
        )
        fields["threshold"] = _threshold(spec)
    elif isinstance(spec, AssignmentSpec) and spec.needs_scores:
        fields["needs"] = "scores"
    also = [*spec.synonyms, *special_cases(spec)]
    fields["also"] = ", ".join(also) or "-"
    fields["source"] = str(cite(spec.cite)) if spec.cite else "-"
    items = Items.from_texts(fields.items())
    told = f", {kind}" if kind else ""
    yield Heading(f"{spec.name}: {title}{told}")
    yield from lead
    yield items
    yield from _pitfalls(spec.pitfalls)


def _prevalence(spec: MetricSpec) -> dict[str, str]:
    """Whether a value changes with the share of the classes; nothing where there are none."""
    if spec.takes in (None, Takes.MASKS, Takes.NUMBERS):
        return {}
    told = "no: comparable between test sets"
    if spec.prevalence_dependent:
        takes = {*spec.tables, *(one.name for one in spec.parameters)}
        fixed = next((text for name, text in FIXED.items() if name in takes), "")
        told = f"yes{fixed}: compare on test sets of one prevalence"
    return {"changes with prevalence": told}


def _pitfalls(texts: Sequence[str]) -> tuple[Items, ...]:
    items = tuple(Item("", f"{_plain(text[:1].upper() + text[1:])}.") for text in texts)
    return (Items(items, "Pitfalls:"),) if items else ()
