"""Summary statistics: what reduces one value per case to one number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfwidth.core.families import exported

if TYPE_CHECKING:
    from halfwidth.summaries.location import *  # noqa: F403 -- all that it declares
    from halfwidth.summaries.quantiles import *  # noqa: F403 -- all that it declares
    from halfwidth.summaries.spread import *  # noqa: F403 -- all that it declares


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    from halfwidth.summaries.catalogue import FAMILIES, STATISTICS

    return list(STATISTICS.names) if name == "__all__" else exported(__name__, name, FAMILIES)


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
