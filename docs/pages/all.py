"""Everything that the build makes, by its path below ``docs/``."""

from __future__ import annotations

from collections.abc import Callable

from pages import (
    api,
    gallery,
    messages,
    methods,
    metrics,
    one_page,
    quickstarts,
    reference,
    shell,
    statistics,
    way,
)

MAKERS: dict[str, Callable[[], str | bytes]] = {
    **metrics.pages(),
    **statistics.pages(),
    **methods.pages(),
    **reference.pages(),
    **shell.pages(),
    **api.pages(),
    **one_page.pages(),
    **gallery.pages(),
    **quickstarts.pages(),
    **way.pages(),
    **messages.pages(),
}


def made() -> dict[str, str | bytes]:
    """Each page and picture."""
    return {path: make() for path, make in MAKERS.items()}
