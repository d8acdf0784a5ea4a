"""What ``explain`` says of metrics, and of what branches have beside them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from halfwidth.cli.branch_commands import commands_of_branches
from halfwidth.core.catalogue import Catalogue, special_cases
from halfwidth.core.references import cite
from halfwidth.core.spec import MetricSpec, Takes
from halfwidth.document.parts import Document, Heading, Item, Items, Paragraph, Part
from halfwidth.metrics.all_metrics import DETECTION_METRICS, METRICS, SAMPLE_METRICS

# What makes a metric independent of the prevalence, by what it takes.
FIXED = {"priors": ", unless priors are given", "prevalence": ", unless one is given"}


def plain(summary: str) -> str:
    """A summary without marks of names and a full stop."""
    return summary.replace("`", "").rstrip(".")


@functools.cache
def catalogues() -> tuple[Catalogue[Any], ...]:
    """The metrics, and what branches explain beside them."""
    further = (known for branch in commands_of_branches() for known in branch.CATALOGUES)
    return (METRICS, SAMPLE_METRICS, DETECTION_METRICS, *further)


def is_known(name: str) -> bool:
    """Whether a name is that of a metric, a criterion or a strategy."""
    return any(name.partition(":")[0] in catalogue for catalogue in catalogues())


def in_full(name: str) -> Document:
    """What is known of a metric, a criterion or a strategy; of all that share a name."""
    base = name.partition(":")[0]
    # By its own name before another one's synonym.
    known = sorted(
        (one for one in catalogues() if base in one), key=lambda one: base not in one.names
    )
    kinds = ("metric of a case" if one is METRICS else one.kind for one in known)
    parts = (
        _explained(one[base], kind if len(known) > 1 else "")
        for one, kind in zip(known, kinds, strict=True)
    )
    return Document(tuple(part for each in parts for part in each))


def _explained(spec: Any, kind: str) -> Iterator[Part]:
    """The parts on one of them; ``kind`` tells those apart that share a name."""
    lead: tuple[Paragraph, ...] = ()
    if isinstance(spec, MetricSpec):
        title, lead = spec.display, (Paragraph(f"{plain(spec.summary)}."),)
        fields = {
            "range": str(spec.bounds) + (f" {spec.unit}" if spec.unit else ""),
            "better": str(spec.better),
            **({"averages": ", ".join(spec.averages)} if spec.averages else {}),
            **_prevalence(spec),
            **{one.name: f"{one.summary}: {one.allowed_text}" for one in spec.parameters},
        }
    else:
        (branch,) = (
            one
            for one in commands_of_branches()
            if any(each.find(spec.name) is spec for each in one.CATALOGUES)
        )
        title, fields = spec.title, branch.explained(spec)
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
    items = tuple(Item("", f"{plain(text[:1].upper() + text[1:])}.") for text in texts)
    return (Items(items, "Pitfalls:"),) if items else ()
