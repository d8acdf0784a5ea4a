"""What a study's instances are like, and what its results say.

>>> import halfwidth as hw
>>> "characteristics" in hw.study.analysis.__all__
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from halfwidth.study.analysis.description import characteristics, characteristics_summary
    from halfwidth.study.analysis.goodness import (
        kolmogorov_smirnov,
        lilliefors_p,
    )
    from halfwidth.study.analysis.rejections import family_fits, family_rejections

__all__ = [
    "characteristics",
    "characteristics_summary",
    "family_fits",
    "family_rejections",
    "kolmogorov_smirnov",
    "lilliefors_p",
]

_HOME = {
    "characteristics": "description",
    "characteristics_summary": "description",
    "family_fits": "rejections",
    "family_rejections": "rejections",
    "kolmogorov_smirnov": "goodness",
    "lilliefors_p": "goodness",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'halfwidth.study.analysis' has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
