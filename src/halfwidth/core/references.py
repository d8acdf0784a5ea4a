"""Every source that the package cites, written once."""

from __future__ import annotations

import functools
import json
import re
from importlib.resources import files

from halfwidth.core.frozen import frozen


@frozen
class Reference:
    """A published source."""

    # The short name by which specs point at it.
    key: str
    # As printed; ``venue`` holds volume and pages.
    authors: str
    title: str
    venue: str
    year: int
    # DOI or arXiv number, empty where neither exists.
    locator: str = ""

    @property
    def in_prose(self) -> str:
        """Citation in a text: ``Efron 1987``, ``Clopper and Pearson 1934``, ``DeLong et al. 1988``.

        >>> cite("efron1987").in_prose
        'Efron 1987'
        """
        return f"{self._surnames} {self.year}"

    @property
    def short(self) -> str:
        """Subject of a sentence: ``Efron (1987)``, ``DeLong et al. (1988)``."""
        return f"{self._surnames} ({self.year})"

    @property
    def _surnames(self) -> str:
        names = [re.sub(r"( [A-Z-]+)+$", "", one) for one in self.authors.split(", ")]
        return " and ".join(names) if len(names) < 3 else f"{names[0]} et al."

    def __str__(self) -> str:
        tail = f" {self.locator}" if self.locator else ""
        title = self.title if self.title.endswith("?") else f"{self.title}."
        return f"{self.authors} ({self.year}). {title} {self.venue}.{tail}"


@functools.cache
def references() -> dict[str, Reference]:
    """All of them by their keys, from ``references.json``."""
    listed = json.loads(files(__package__).joinpath("references.json").read_text("utf-8"))
    return {one["key"]: Reference(**one) for one in listed}


def cite(key: str) -> Reference:
    """The reference with this key.

    >>> cite("efron1987").short
    'Efron (1987)'
    """
    return references()[key]
