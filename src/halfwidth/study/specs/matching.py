"""Patterns of file names: the files they match, and the values of their wildcards.

``*`` and ``?`` are those of a shell and ``**/`` is any number of folders; ``{model}`` and
``{task}`` match like ``*`` and say what the text is that they stand for.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath

from halfwidth.core.errors import DataError, closest, proposed, shortened
from halfwidth.core.frozen import frozen

NAMED = ("model", "task")
STARS = "stars"
TOKEN = re.compile(r"\{(\w*)\}|\*\*/|\*|\?|\[[^\]/]+\]")
MOST_SHOWN = 8


@frozen
class Match:
    """A file that a pattern matches."""

    path: Path
    # As messages and results name it: relative to the folder of the spec.
    shown: str
    # What wildcards without a name stand for, joined by slashes.
    stars: str = ""
    # What ``{model}`` and ``{task}`` stand for; empty without.
    model: str = ""
    task: str = ""

    def key(self, parts: Iterable[str]) -> tuple[str, ...]:
        """What files that belong together have in common, of these parts of their names."""
        return tuple(getattr(self, part) for part in parts)


def check_pattern(pattern: str) -> list[str]:
    """The names in braces of a pattern; an error if one means nothing or stands twice."""
    named = [token[1] for token in TOKEN.finditer(pattern) if token[1] is not None]
    for place, name in enumerate(named):
        if name not in NAMED:
            raise DataError(
                f"{pattern!r}: {{{name}}} has no meaning{proposed(name, NAMED) or '.'} Use * for "
                "any text, {model} and {task} for text that says which"
            )
        if name in named[:place]:
            raise DataError(f"{pattern!r} has {{{name}}} twice; write * for the other")
    return named


def matches(
    pattern: str, folder: Path, known: Mapping[str, Collection[str]] | None = None
) -> list[Match]:
    """The files that a pattern matches, by their names; an error says what is there instead of any.

    ``known`` are the models and tasks that there are: ``{model}_{task}`` alone leaves open where
    the name of a model with an underscore ends.
    """
    # A name may hold brackets and braces of its own; Path.is_file raises for one that is too long.
    if os.path.isfile(folder / pattern):  # noqa: PTH113
        return [Match(folder / pattern, pattern)]
    expressions = [_expression(pattern, known or {}), _expression(pattern, {})]
    plain = TOKEN.sub(lambda token: "*" if token[1] is not None else token[0], pattern)
    found = []
    # Not Path.glob: a pattern may be absolute, or lead out of the folder.
    for name in sorted(glob.glob(plain, root_dir=folder, recursive=True)):  # noqa: PTH207
        shown = name.replace(os.sep, "/")
        parts = expressions[0].fullmatch(shown) or expressions[1].fullmatch(shown)
        if parts is not None and (folder / name).is_file():
            named = {key: parts[key] for key in NAMED if key in parts.re.groupindex}
            texts = [text for key, text in _groups(parts) if key is None]
            stars = "/".join(text.strip("/") for text in texts if text and text.strip("/"))
            found.append(Match(folder / name, shown, stars, **named))
    if not found:
        raise DataError(_nothing(pattern, plain, folder))
    return found


def all_matches(patterns: Iterable[str], folder: Path) -> list[Match]:
    """The files that any of the patterns matches, each once."""
    matched = (match for pattern in patterns for match in matches(pattern, folder))
    return list({match.path: match for match in matched}.values())


def _expression(pattern: str, known: Mapping[str, Collection[str]]) -> re.Pattern[str]:
    """The pattern as a regular expression with a group for each wildcard."""
    pieces, end = [], 0
    for token in TOKEN.finditer(pattern):
        pieces.append(re.escape(pattern[end : token.start()]))
        pieces.append(_piece(token, known))
        end = token.end()
    return re.compile("".join([*pieces, re.escape(pattern[end:])]), re.DOTALL)


def _piece(token: re.Match[str], known: Mapping[str, Collection[str]]) -> str:
    text = token[0]
    if token[1] is not None:
        longest_first = sorted(known.get(token[1], ()), key=len, reverse=True)
        words = "|".join(map(re.escape, longest_first))
        return f"(?P<{token[1]}>{words or '[^/]+?'})"
    if text == "**/":
        return "((?:[^/]+/)*)"
    if text == "*":
        return "([^/]*)"
    if text == "?":
        return "([^/])"
    inner = text[1:-1].replace("\\", r"\\")
    return f"([^{inner[1:]}])" if inner.startswith("!") else f"([{inner}])"


def _groups(parts: re.Match[str]) -> Iterable[tuple[str | None, str]]:
    """What each group stands for, with its name if it has one."""
    names = {place: name for name, place in parts.re.groupindex.items()}
    return ((names.get(place), text) for place, text in enumerate(parts.groups(), 1))


def _nothing(pattern: str, plain: str, folder: Path) -> str:
    """What to say of a pattern that matches no file."""
    parent = PurePosixPath(plain).parent
    fixed = []
    for part in parent.parts:
        if TOKEN.search(part):
            break
        fixed.append(part)
    place = folder
    for part in fixed:
        if not (place / part).is_dir():
            meant = proposed(part, [p.name for p in _inside(place) if p.is_dir()])
            return f"{pattern!r} matches no file: there is no folder {part!r} in {place}{meant}"
        place /= part
    names = sorted(p.name for p in _inside(place))
    if not names:
        return f"{pattern!r} matches no file: {place} is empty"
    nearest = closest(PurePosixPath(plain).name, names)
    hint = f"; is {nearest!r} meant?" if nearest else "."
    return f"{pattern!r} matches no file in {place}{hint} It holds {shortened(names, MOST_SHOWN)}"


def _inside(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def identity(match: Match, model: str, task: str, *, columns: bool) -> tuple[str, str]:
    """The model and the task of a file, or of a column of it where ``columns`` are tasks.

    ``model`` and ``task`` are what the spec or the table says of them.

    >>> liver = Match(Path("liver_dsc.csv"), "liver_dsc.csv", stars="liver")
    >>> identity(liver, "", "", columns=False), identity(liver, "", "left", columns=True)
    (('', 'liver'), ('liver', 'left'))
    """
    model, task = model or match.model, task or match.task
    rest = match.stars
    if not rest and not model and (columns or not task):
        rest = match.path.stem
    if not model and task:
        return rest, task
    if not task:
        return model, rest
    return model, f"{rest}/{task}" if rest else task
