"""The menu: what mkdocs.yml lists, with the pages of a kind below the index of their kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pages import methods, metrics, statistics

DECISIONS = Path(__file__).parents[1] / "decisions"


def with_kinds(menu: Any) -> Any:
    """The menu of mkdocs.yml, each index replaced by itself and the pages that it leads to."""
    below = kinds()
    if isinstance(menu, dict):
        return {title: with_kinds(entries) for title, entries in menu.items()}
    if isinstance(menu, list):
        return [entry for given in menu for entry in _expanded(given, below)]
    return menu


def kinds() -> dict[str, list[Any]]:
    """What stands below each index: pages, and groups of pages by their heading."""
    decisions = [f"decisions/{path.name}" for path in sorted(DECISIONS.glob("[0-9]*.md"))]
    return {
        "metrics/index.md": [{group: pages} for group, pages in metrics.groups().items()],
        "statistics/index.md": [path for path in statistics.pages() if "index" not in path],
        "methods/index.md": [path for path in methods.pages() if "index" not in path],
        "decisions/index.md": decisions,
    }


def _expanded(given: Any, below: dict[str, list[Any]]) -> list[Any]:
    if isinstance(given, str):
        return [given, *below.get(given, [])]
    return [with_kinds(given)]
