"""What a regulator follows: definitions, methods with their sources, versions, seeds, inputs."""

from __future__ import annotations

import platform
from importlib import metadata

from halfwidth import __version__
from halfwidth.core.declaring import definition
from halfwidth.core.formatting import as_beginning, percent
from halfwidth.core.references import cite
from halfwidth.core.spec import MethodSpec, Metric, Statistic
from halfwidth.core.titles import metric_title
from halfwidth.document.parts import (
    Code,
    Column,
    Heading,
    Item,
    Items,
    Kind,
    Part,
    Section,
    Table,
)
from halfwidth.reports.paper import missing_values, resampling, tests
from halfwidth.reports.results import Results
from halfwidth.reports.sentences import span
from halfwidth.resampling.kernels import native

LIBRARIES = ("numpy", "scipy", "pandas")


def appendix(results: Results) -> Section:
    """Everything that someone needs who wants to follow each number."""
    parts: list[Part] = [
        Heading("Metrics and statistics"),
        Items((*map(_metric_item, results.metrics), *map(_statistic_item, results.statistics))),
        Heading("Methods of the intervals"),
        _methods(results),
        Heading("Data and settings"),
        _settings(results),
        Heading("Software"),
        Items.from_texts(software().items()),
    ]
    if results.command:
        parts += [Heading("Command"), Code((results.command,))]
    if results.sources:
        parts += [Heading("Inputs"), _sources(results)]
    return Section("Methods and provenance", tuple(parts))


def _metric_item(metric: Metric) -> Item:
    spec = metric.spec
    formula = definition(spec.function) if spec.function else ""
    texts = [formula or _as_sentence(spec.summary)]
    unit = f" {metric.unit}" if metric.unit else ""
    better = {"higher": "; higher is better", "lower": "; lower is better"}.get(spec.better, "")
    texts.append(f"Range {spec.bounds}{unit}{better}.")
    texts.append(_reference(spec.cite))
    return Item(metric_title(metric) or spec.name, " ".join(filter(None, texts)))


def _statistic_item(statistic: Statistic) -> Item:
    spec = statistic.spec
    texts = [definition(spec.function), _reference(spec.cite)]
    return Item(spec.title, " ".join(filter(None, texts)))


def _reference(key: str) -> str:
    return f"Reference: {cite(key)}" if key else ""


def _as_sentence(text: str) -> str:
    return f"{as_beginning(text.rstrip('.'))}." if text else ""


def _methods(results: Results) -> Items:
    """Each method once, of pairs and of clusters by itself: what it is, where it comes from."""
    levels: dict[str, tuple[MethodSpec, dict[str, None]]] = {}
    for one in results.every_estimate:
        level = f"{percent(one.confidence_level)}, {one.alternative}"
        levels.setdefault(one.method_title, (one.method_spec, {}))[1][level] = None
    items = []
    for title, (spec, labels) in levels.items():
        texts = [
            definition(spec.function),
            f"Assumed: {_as_sentence(spec.assumes)}" if spec.assumes else "",
            f"Level {'; '.join(labels)}.",
            _reference(spec.cite),
        ]
        items.append(Item(title, " ".join(filter(None, texts))))
    return Items(tuple(items))


def _settings(results: Results) -> Items:
    """What the numbers rest on, and what was drawn to get at them."""
    estimates = list(results.every_estimate)
    designs = dict.fromkeys(one.design for one in estimates)
    lacking = missing_values(results) or ["None"]
    apart = {one.n_not_applicable for one in estimates}
    items = (
        {results.units: f"{span(one.n for one in estimates)} per estimate."} if estimates else {}
    )
    groups = {one.n_groups for one in estimates if one.n_groups is not None}
    if groups:
        items["clusters"] = f"{span(groups)} per estimate."
    items["design"] = _as_sentence(", ".join(_DESIGNS.get(one, one) for one in designs))
    items["missing values"] = f"{'. '.join(lacking)}."
    if any(apart):
        items["not applicable"] = f"{span(apart)} rows per estimate, left out and not counted."
    items["tests"] = _sentences(tests(results))
    items["draws"] = _sentences(resampling(results)) or _undrawn(results)
    return Items.from_texts(item for item in items.items() if item[1])


_DESIGNS = {
    "iid": "cases taken as independent",
    "paired": "differences on the same cases of both models",
    "clustered": "cases in clusters, which resamples keep together, for which standard errors "
    "allow, and which counts take for as many cases as they are worth (design effect)",
    "stratified": "strata whose sizes are fixed",
    "clustered within strata": "cases in clusters, in strata whose sizes are fixed",
}


def _sentences(texts: list[str]) -> str:
    return " ".join(f"{text}." for text in texts)


def _undrawn(results: Results) -> str:
    """Say that no seed is needed, unless bands of curves or ranks took draws."""
    if results.curves or results.rankings is not None:
        return ""
    return "Nothing was drawn at random: no number depends on a seed."


def software() -> dict[str, str]:
    """Versions of what computed the numbers."""
    versions = {"halfwidth": f"{__version__} ({native.status()})"}
    versions |= {name: metadata.version(name) for name in LIBRARIES}
    return versions | {"Python": platform.python_version()}


def _sources(results: Results) -> Table:
    """File names without folders, which could say whose they are, and what tells files apart."""
    sources = [*results.sources]
    if results.protocol is not None:
        sources.append(results.protocol)
    columns = (Column("file"), Column("holds"), Column("SHA-256", Kind.NAME))
    table = Table(columns, tuple((one.name, one.role, one.digest) for one in sources))
    return table if any(source.role for source in sources) else table.columns_at([0, 2])
