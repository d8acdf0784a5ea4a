"""Names of the values of label maps: labels, regions of several values, files of names."""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.io.settings import small_text

# A dataset.json names its training files too: thousands of them are some hundred kilobytes.
MOST_BYTES = 4_000_000
LARGEST = 2**32 - 1
INTEGER = re.compile(r"-?[0-9]{1,12}")
IGNORE = "ignore"


@frozen
class Label:
    """A structure of a label map."""

    name: str
    # The voxel value, or several for a region, which is their union.
    values: tuple[int, ...]


@frozen
class LabelFile:
    """The labels that a file defines."""

    # In the order of the file, without the background.
    labels: tuple[Label, ...]
    # The value of voxels to ignore.
    ignore: int | None = None


def read_label_file(path: Path) -> LabelFile:
    """Read the names of labels from a JSON file.

    ``{"liver": 1, "tumour": 2}``, ``{"1": "liver", "2": "tumour"}``, or a ``dataset.json`` of
    nnU-Net with either under ``"labels"``. A list of values is a region: ``[1, 2, 3]``. The value 0
    is the background whatever its name; the name ``ignore`` is no label.
    """
    return read_label_text(small_text(path, MOST_BYTES), str(path))


def read_label_text(text: str, called: str) -> LabelFile:
    """The labels that a text of JSON defines, in the format of the files; errors call it so."""
    try:
        content = json.loads(text, object_pairs_hook=_unrepeated)
        return parse_label_names(content)
    except json.JSONDecodeError as error:
        raise DataError(f"{called}: is not JSON: {error.msg} in line {error.lineno}") from None
    except RecursionError:
        raise DataError(f"{called}: is nested too deeply to be a file of labels") from None
    except DataError as error:
        raise DataError(f"{called}: {error}") from None
    except ValueError:
        # Python refuses to read an integer of thousands of digits.
        raise DataError(f"{called}: holds a number that is too long") from None


def parse_label_names(content: object) -> LabelFile:
    """The labels that a mapping defines, in the format of the files.

    >>> parse_label_names({"background": 0, "core": 1, "whole": [1, 2]}).labels[1]
    Label(name='whole', values=(1, 2))
    """
    return _checked_label_file(_entries(content))


def parse_region(text: str) -> tuple[str, tuple[str, ...]]:
    """Parse a region: its name and members.

    >>> parse_region("lungs=Lung-Lt+Lung-Rt")
    ('lungs', ('Lung-Lt', 'Lung-Rt'))
    """
    name, equals, members = text.partition("=")
    parts = tuple(part.strip() for part in members.split("+"))
    if not equals or not name.strip() or not all(parts):
        raise OptionError(
            f"region {text!r} is not NAME=LABEL+LABEL; write for example whole=1+2+4, with names "
            "or numbers"
        )
    repeated = _repeated(parts)
    if repeated is not None:
        raise OptionError(f"region {text!r} names {repeated!r} twice; once is enough")
    return name.strip(), parts


def with_regions(labels: Sequence[Label], regions: Sequence[str]) -> tuple[Label, ...]:
    """The labels followed by the regions (see `parse_region`), each the union of its members.

    A member is a label or a region before this one, by name or number; without labels, a value.

    >>> brain = [Label("oedema", (1,)), Label("core", (2,))]
    >>> with_regions(brain, ["whole=oedema+2"])[-1]
    Label(name='whole', values=(1, 2))
    """
    known = list(labels)
    for text in regions:
        name, members = parse_region(text)
        if any(label.name == name for label in known):
            raise OptionError(f"region {text!r}: there is a label {name!r}; use another name")
        if _is_integer(name):
            raise OptionError(f"region {text!r}: the name is a number; use a word")
        values = {v for part in members for v in _member(part, known, free=not labels)}
        known.append(Label(name, tuple(sorted(values))))
    return tuple(known)


def select_labels(labels: Sequence[Label], names: Sequence[str] | None) -> tuple[Label, ...]:
    """The selected labels, by name or number, in the order of ``names``.

    >>> select_labels([Label("liver", (1,)), Label("tumour", (2,))], ["2"])
    (Label(name='tumour', values=(2,)),)
    """
    if names is None:
        return tuple(labels)
    if not names:
        raise OptionError("no label is asked for; name at least one")
    return tuple(dict.fromkeys(_label(name.strip(), labels, "label") for name in names))


def _member(text: str, known: Sequence[Label], *, free: bool) -> tuple[int, ...]:
    if free and _is_integer(text) and 0 < int(text) <= LARGEST:
        return (int(text),)
    return _label(text, known, "label of a region").values


def _label(text: str, known: Sequence[Label], kind: str) -> Label:
    for label in known:
        if label.name == text:
            return label
    if _is_integer(text):
        for label in known:
            if label.values == (int(text),):
                return label
    if text in {"0", "background"}:
        raise OptionError(f"{kind} {text!r}: the background is no label; leave it out")
    numbers = [label.values[0] for label in known if len(label.values) == 1]
    hint = f"Numbers: {shortened(numbers)}." if numbers and _is_integer(text) else ""
    raise UnknownNameError(kind, text, [label.name for label in known], hint=hint)


def _unrepeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object; repeated names are an error rather than the last one winning silently."""
    repeated = _repeated([key for key, _ in pairs])
    if repeated is not None:
        raise DataError(f"the name {repeated!r} appears twice; keep one")
    return dict(pairs)


def _entries(content: object) -> list[tuple[str, object]]:
    """Name and value (or values) of each label, unchecked; the mapping may go either way."""
    if isinstance(content, Mapping) and isinstance(content.get("labels"), Mapping):
        content = content["labels"]
    if not isinstance(content, Mapping):
        raise DataError(
            f"holds {_kind(content)} where names and values are expected, such as "
            '{"liver": 1, "tumour": 2}'
        )
    if not content:
        raise DataError('holds no label; write {"liver": 1, "tumour": 2} for example')
    if not all(isinstance(value, str) for value in content.values()):
        return [(key.strip(), value) for key, value in content.items()]
    wrong = next((key for key in content if not _is_integer(key)), None)
    if wrong is not None:
        raise DataError(
            f"{wrong!r}: {reprlib.repr(content[wrong])} is text; write a whole "
            'number without quotes, as in {"liver": 1}, or numbers first, as in {"1": "liver"}'
        )
    return [(name.strip(), int(number)) for number, name in content.items()]


def _checked_label_file(entries: Iterable[tuple[str, object]]) -> LabelFile:
    labels: list[Label] = []
    ignore: int | None = None
    for name, value in entries:
        values = _checked_values(name, value)
        if name == IGNORE:
            if len(values) != 1 or not values[0]:
                raise DataError(f"{name!r} is {value}; give it one value above 0")
            ignore = values[0]
        elif values != (0,):
            labels.append(Label(name, values))
    _check_unique(labels)
    for label in labels:
        if ignore is not None and ignore in label.values:
            raise DataError(f"{label.name!r} holds {ignore}, the value of 'ignore'; keep one")
    if not labels:
        raise DataError("holds no label but the background; name what is to be scored")
    return LabelFile(tuple(labels), ignore)


def _checked_values(name: str, content: object) -> tuple[int, ...]:
    if not name:
        raise DataError(f"the label of {reprlib.repr(content)} has no name; give it one")
    if not name.isprintable():
        raise DataError(f"{name!r} holds a character that cannot be printed; write it anew")
    listed = content if isinstance(content, list) else [content]
    if not listed:
        raise DataError(f"{name!r} has no value; give it one, or leave it out")
    for value in listed:
        if isinstance(value, bool) or not isinstance(value, int):
            shown = reprlib.repr(value) if isinstance(value, str | float) else _kind(value)
            raise DataError(f"{name!r}: {shown} is not a whole number such as 1")
        if not 0 <= value <= LARGEST:
            raise DataError(f"{name!r}: {reprlib.repr(value)} is not between 0 and {LARGEST}")
    if len(listed) > 1 and 0 in listed:
        raise DataError(f"{name!r} holds 0, the background, among other values; leave it out")
    if len(set(listed)) < len(listed):
        raise DataError(f"{name!r} holds {_repeated(listed)} twice; once is enough")
    if _is_integer(name) and listed != [int(name)]:
        raise DataError(f"{name!r} is a number and not its own value; give the label a name")
    return tuple(sorted(listed))


def _check_unique(labels: Sequence[Label]) -> None:
    repeated = _repeated([label.name for label in labels])
    if repeated is not None:
        raise DataError(f"the name {repeated!r} appears twice; write a region: [1, 2]")
    names: dict[int, str] = {}
    for label in labels:
        if len(label.values) > 1:
            continue
        other = names.setdefault(label.values[0], label.name)
        if other != label.name:
            raise DataError(f"{other!r} and {label.name!r} are both {label.values[0]}; keep one")


def _repeated(items: Iterable[object]) -> object | None:
    seen: set[object] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None


def _is_integer(text: str) -> bool:
    return INTEGER.fullmatch(text) is not None


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")
