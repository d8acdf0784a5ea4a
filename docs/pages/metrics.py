"""A page for each metric, and the tables that lead to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import halfwidth as hw
from halfwidth.core.catalogue import Catalogue
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import ClassNeed, Metric
from halfwidth.estimation.evidence import OF_CASES, metric_family
from pages import examples, measured, parts
from pages.docstrings import docstring
from pages.markdown import bullets, facts, heading, listing, page, prose, sentence

UP = "../../"
# Families of which cautions speak as a whole.
FAMILIES = ("overlap", "boundary", "detection")


@frozen
class Shelf:
    """A catalogue of metrics and where its pages stand."""

    folder: str
    heading: str
    about: str
    metrics: Catalogue[hw.MetricSpec]


SHELVES = (
    Shelf(
        "cases",
        "Metrics of a case",
        "One value per case, computed from its two masks or given in a table; `hw.summary_ci` and "
        "`halfwidth ci` estimate the mean, or another [statistic](../statistics/index.md).",
        hw.METRICS,
    ),
    Shelf(
        "test-sets",
        "Metrics of a test set",
        "One value for all cases, from labels and scores, for `hw.metric_ci` and `halfwidth ci "
        "--target` ([guide](../classification.md)).",
        hw.SAMPLE_METRICS,
    ),
    Shelf(
        "detections",
        "Metrics of detections",
        "One value for all images, from detections matched with references, for verbs over "
        "`hw.Detections` and `halfwidth detect` "
        "([guide](../detection-metrics.md)). How they are matched: "
        "[localisation and assignment](../matching.md).",
        hw.DETECTION_METRICS,
    ),
)


def pages() -> Mapping[str, Callable[[], str]]:
    """Every page by its path, to be written when it is asked for."""
    made: dict[str, Callable[[], str]] = {"metrics/index.md": _index}
    for shelf in SHELVES:
        for metric in shelf.metrics:
            made[f"metrics/{shelf.folder}/{metric.name}.md"] = (
                lambda metric=metric, shelf=shelf: _page(metric, shelf)  # type: ignore[misc]
            )
    return made


def groups() -> dict[str, list[str]]:
    """The paths of the pages by the heading of their shelf."""
    return {
        shelf.heading: [f"metrics/{shelf.folder}/{metric.name}.md" for metric in shelf.metrics]
        for shelf in SHELVES
    }


def _index() -> str:
    told = [
        "# Metrics",
        (
            "Each has a page with its formula, range, parameters, pitfalls and an example. "
            "Parameters follow a colon: `nsd:tolerance=3`, `f_beta:beta=2`."
        ),
    ]
    for shelf in SHELVES:
        rows = [
            [
                f"[{heading(one.display)}]({shelf.folder}/{one.name}.md)<br>`{one.name}`",
                prose(sentence(one.summary)),
                str(one.bounds) + (f" {one.unit}" if one.unit else ""),
                str(one.better),
            ]
            for one in shelf.metrics
        ]
        headings = ["metric", "what", "range", "better"]
        told += [f"## {shelf.heading}", shelf.about, listing(headings, rows)]
    return page(*told)


def _page(metric: hw.MetricSpec, shelf: Shelf) -> str:
    function = metric.function
    told = docstring(function) if function else None
    example = examples.of_metric(metric)
    return page(
        f"# {heading(metric.display)}",
        f"`{metric.name}` · [{shelf.heading.lower()}](../index.md)",
        parts.definition(function) if function else prose(sentence(metric.summary)),
        _facts(metric),
        parts.section("Range, and where it is undefined", prose(told.returned) if told else ""),
        parts.section("Parameters", parts.parameters(metric.parameters, function)),
        parts.section("Pitfalls", bullets([sentence(text) for text in _pitfalls(metric)])),
        parts.section("How many cases, which method", _cases(metric), _evidence(metric)),
        parts.section("Related cautions", _cautions(metric)),
        parts.section("Example", example.markdown, parts.session(function) if function else ""),
        parts.section("Sources", parts.sources(metric.cite, told.sources if told else "")),
    )


def _facts(metric: hw.MetricSpec) -> str:
    return facts(
        [
            ("Also called", parts.named((*metric.synonyms, *metric.special))),
            ("Value", f"{metric.level}, {metric.kind}"),
            ("Range", str(metric.bounds) + (f" {metric.unit}" if metric.unit else "")),
            ("Better", str(metric.better)),
            ("Computed from", _computed_from(metric)),
            ("Averages over classes", parts.named(metric.averages)),
            ("Changes with prevalence", "yes" if metric.prevalence_dependent else ""),
        ]
    )


def _computed_from(metric: hw.MetricSpec) -> str:
    if metric.takes is None:
        return "given: the values are read, not computed"
    return f"{metric.takes}, with spacing" if metric.spaced else str(metric.takes)


def _pitfalls(metric: hw.MetricSpec) -> list[str]:
    told = list(metric.pitfalls)
    if metric.prevalence_dependent:
        told.append(
            "it changes with the share of each class even where the error rates stay the same: do "
            "not compare its values across test sets of different composition"
        )
    if metric.worst is None and metric in list(hw.METRICS):
        told.append(
            "it has no worst value, so a failed case needs a penalty of your choice "
            "(`--missing worst --penalty VALUE`)"
        )
    return told


def _cases(metric: hw.MetricSpec) -> str:
    number = Metric(metric).reliable_n
    what, grounds = "it", "an assumption, unless measured coverage is shown below"
    if metric in list(hw.METRICS):
        what = "its mean"
        grounds = "André et al. 2025 for DSC and ASSD; assumed to hold for metrics of their kind"
    noun = "images" if metric in list(hw.DETECTION_METRICS) else "cases"
    about = (
        f"Expect reliable intervals for {what} from about {number} {noun} on ({grounds}). The "
        "sentence that the example prints names the method that `auto` takes; [Choosing a method]"
        f"({UP}choosing.md) says why, and what it falls back on."
    )
    if metric.class_needs in (ClassNeed.CASES, ClassNeed.NOTHING):
        return about
    return f"{about} A class has a value where there are {metric.class_needs}."


def _evidence(metric: hw.MetricSpec) -> str:
    family = metric_family(Metric(metric))
    statistic = "mean" if family == OF_CASES else ""
    return measured.of_family(family, statistic, UP)


def _cautions(metric: hw.MetricSpec) -> str:
    names = [metric.name, metric.display]
    names += [form for name in metric.synonyms for form in (name.upper(), name.capitalize())]
    names += [metric.family] if metric.family in FAMILIES else []
    names += ["distances"] if metric.spaced else []
    return parts.linked(parts.speaking_of(*names), UP)
