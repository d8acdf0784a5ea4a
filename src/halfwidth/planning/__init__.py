"""Reading published numbers, and planning test sets.

>>> import halfwidth as hw
>>> print(hw.planning.review(50, mean=0.85, sd=0.10, metric="dsc").sentence())
Mean DSC 0.850 (95 % CI 0.822 to 0.878; n = 50; t).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from halfwidth.planning.review_front import review, review_table
    from halfwidth.planning.review_results import Review, Reviews
    from halfwidth.planning.subsampling import Subsamples, subsample

__all__ = ["Review", "Reviews", "Subsamples", "review", "review_table", "subsample"]

_HOME = {
    "Review": "review_results",
    "Reviews": "review_results",
    "Subsamples": "subsampling",
    "review": "review_front",
    "review_table": "review_front",
    "subsample": "subsampling",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'halfwidth.planning' has no attribute {name!r}")
    return getattr(importlib.import_module(f"halfwidth.planning.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
