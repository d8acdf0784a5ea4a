"""Names of classes that a file numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError, OptionError, shortened, shown
from halfwidth.io.json_files import parsed_json
from halfwidth.io.settings import small_text

MOST_BYTES = 10**6


def names_of_classes(codes: Sequence[int], source: Any) -> tuple[list[int], list[str]]:
    """Numbers of classes in their order, and their names.

    ``source``: a file with a name in each line (the first is class 0) or JSON with names by number;
    names from class 0 on; or names by number. None: the classes are called by their numbers.
    """
    used = sorted(set(codes))
    if source is None:
        return used, [str(code) for code in used]
    named = _names(source)
    lacking = [code for code in used if code not in named]
    if lacking:
        raise DataError(
            f"objects are of class {lacking[0]}, and the names of classes "
            f"({shortened(list(named.values()), 5)}) are of {shortened(sorted(named), 5)}"
        )
    numbers = sorted(named)
    names = [named[number] for number in numbers]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"two classes are called {twice!r}")
    return numbers, names


def _names(source: Any) -> dict[int, str]:
    if isinstance(source, str | Path):
        path = Path(source)
        text = small_text(path, MOST_BYTES)
        if path.suffix.lower() in (".yaml", ".yml"):
            raise DataError(f"{path}: YAML is not read; write the names into a text, one a line")
        if path.suffix.lower() == ".json":
            try:
                source = parsed_json(text.encode())
            except DataError as error:
                raise DataError(f"{path}: {error}") from None
        else:
            source = [line.strip() for line in text.strip().splitlines()]
    if isinstance(source, Mapping):
        pairs = list(source.items())
    elif isinstance(source, Sequence):
        pairs = list(enumerate(source))
    else:
        pairs = []
    try:
        names = {int(number): str(name) for number, name in pairs if isinstance(name, str) and name}
    except (TypeError, ValueError):
        names = {}
    if not names or len(names) < len(pairs):
        raise OptionError(
            f"class_names {shown(source)} gives no names; give one for each number: a text with "
            "one a line, a list, or {0: 'cat', 1: 'dog'}"
        )
    return names
