"""What a regulator follows: definitions, methods with their sources, versions, seeds, inputs."""

from __future__ import annotations

import platform
from importlib import metadata

from halfwidth.core.estimate import metric_title
from halfwidth.core.formatting import percent
from halfwidth.core.references import cite
from halfwidth.core.spec import Metric
from halfwidth.report.document import (
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
from halfwidth.report.whole.results import Results, Source

LIBRARIES = ("numpy", "scipy", "pandas")


def appendix(results: Results) -> Section:
    """Everything that someone needs who wants to follow each number."""
    parts: list[Part] = [
        Heading("Metrics and statistics"),
        Items(tuple(_metric_item(metric) for metric in results.metrics)),
        Heading("Methods of the intervals"),
        _methods(results),
        Heading("Software"),
        _software(),
    ]
    if results.command:
        parts += [Heading("Command"), Code((results.command,))]
    if results.sources:
        parts += [Heading("Inputs"), _sources(results)]
    return Section("Methods and provenance", tuple(parts))


def _metric_item(metric: Metric) -> Item:
    spec = metric.spec
    texts = [spec.summary.rstrip(".")] if spec.summary else []
    texts.append(f"range {spec.bounds}" + (f" {metric.unit}" if metric.unit else ""))
    texts.append({"higher": "higher is better", "lower": "lower is better"}.get(spec.better, ""))
    source = f" {cite(spec.cite)}" if spec.cite else ""
    return Item(metric_title(metric) or spec.name, f"{'; '.join(filter(None, texts))}.{source}")


def _methods(results: Results) -> Items:
    """Each method once, of pairs and of clusters by itself: what it is, where it comes from."""
    items: dict[str, Item] = {}
    for estimate in results.every_estimate:
        spec = estimate.method_spec
        source = f" {cite(spec.cite)}" if spec.cite else ""
        level = percent(estimate.confidence_level)
        text = f"{spec.summary} Level {level}, {estimate.alternative}.{source}"
        items.setdefault(estimate.method_title, Item(estimate.method_title, text))
    return Items(tuple(items.values()))


def _software() -> Items:
    from halfwidth import __version__
    from halfwidth.resampling.kernels import native

    items = [Item("halfwidth", f"{__version__} ({native.status()})")]
    items += [Item(name, metadata.version(name)) for name in LIBRARIES]
    items.append(Item("Python", platform.python_version()))
    return Items(tuple(items))


def _sources(results: Results) -> Table:
    """File names without folders, which could say whose they are, and what tells files apart."""
    sources = [*results.sources]
    if results.protocol is not None:
        sources.append(results.protocol)
    columns = (Column("file"), Column("holds"), Column("SHA-256", Kind.NAME))
    table = Table(columns, tuple(_source(source) for source in sources))
    return table if any(source.role for source in sources) else table.columns_at([0, 2])


def _source(source: Source) -> tuple[str, str, str]:
    return source.name, source.role, source.digest
