"""What ``methods`` and ``explain`` say of how detections are matched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halfwidth.cli.explained_metrics import plain
from halfwidth.core.catalogue import Catalogue
from halfwidth.detection.metrics.all_criteria import ASSIGNMENTS, LOCALISATIONS
from halfwidth.detection.metrics.assignment import AssignmentSpec
from halfwidth.detection.metrics.localisation import LocalisationSpec
from halfwidth.document.parts import (
    Document,
    Heading,
    Kind,
    Note,
    Table,
)
from halfwidth.metrics.all_metrics import DETECTION_METRICS

CATALOGUES: tuple[Catalogue[Any], ...] = (LOCALISATIONS, ASSIGNMENTS)


def overview() -> Document:
    """All metrics of detections, criteria of localisation and strategies of assignment."""
    rows = [[spec.name, plain(spec.summary)] for spec in DETECTION_METRICS]
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


def explained(spec: LocalisationSpec | AssignmentSpec) -> dict[str, str]:
    """What `explain` says of a criterion of localisation, or of a strategy of assignment."""
    fields = {"what": spec.summary}
    if isinstance(spec, LocalisationSpec):
        fields["of"] = (
            f"detections by {' or '.join(spec.of_detections)}, "
            f"references by {' or '.join(spec.of_references)}"
        )
        fields["threshold"] = _threshold(spec)
    elif spec.needs_scores:
        fields["needs"] = "scores"
    return fields
