"""Ways to match detections, and the references."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from halfwidth.core.references import cite, references
from halfwidth.detection.metrics.all_criteria import ASSIGNMENTS, LOCALISATIONS
from pages import parts
from pages.markdown import bullets, page, sentence


def pages() -> Mapping[str, Callable[[], str]]:
    """Every page by its path, to be written when it is asked for."""
    return {
        "matching.md": _matching,
        "references.md": _references,
    }


def _matching() -> str:
    told = [
        "# Localisation and assignment",
        (
            "Which detection finds which object depends on two choices and a threshold. Why "
            "they are so: [decision 0063](decisions/0063-localisation-and-assignment.md)."
        ),
        "## Criteria of localisation",
        (
            "How well a detection lies on an object (`localisation=`, `--localisation`). Where "
            "images have no spacing, lengths in mm are in pixels."
        ),
    ]
    for one in LOCALISATIONS:
        told += [
            f"### `{one.name}`",
            sentence(one.summary),
            bullets(
                [
                    (
                        f"Of detections: {' or '.join(one.of_detections)}; of references: "
                        f"{' or '.join(one.of_references)}."
                    ),
                    _threshold(one.binary, one.admits, one.threshold, one.unit),
                    *map(sentence, one.pitfalls),
                    *_also(one.synonyms, one.cite),
                ]
            ),
        ]
    told += ["## Strategies of assignment", "Which is whose (`assignment=`, `--assignment`)."]
    for each in ASSIGNMENTS:
        scores = ["It needs scores."] if each.needs_scores else []
        pitfalls = map(sentence, each.pitfalls)
        told += [
            f"### `{each.name}`",
            sentence(each.summary),
            bullets([*scores, *pitfalls, *_also(each.synonyms, each.cite)]),
        ]
    return page(*told)


def _threshold(binary: bool, admits: str, threshold: float | None, unit: str) -> str:
    if binary:
        return "No threshold."
    if threshold is None:
        return f"Threshold: {admits} what you name{f', in {unit}' if unit else ''}."
    return f"Usual threshold: {admits} {threshold:g}."


def _also(synonyms: tuple[str, ...], key: str) -> list[str]:
    also = [f"Also {parts.named(synonyms)}."] if synonyms else []
    return [*also, f"Source: {cite(key).short}."] if key else also


def _references() -> str:
    rows = sorted(references().values(), key=lambda one: one.authors.casefold())
    return page("# References", bullets([str(reference) for reference in rows]))
