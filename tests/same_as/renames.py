"""The table of renames and of expected differences, `renames.toml`."""

from __future__ import annotations

import dataclasses
import fnmatch
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from same_as.differences import ABSENT, Difference

__all__ = ["Expected", "Program", "Table"]

SECTIONS = ("functions", "options", "columns", "messages")


class TableError(ValueError):
    """The table says something that cannot be read."""


@dataclass(frozen=True)
class Program:
    """What a program reads in trees of before."""

    calls: str
    old: str
    new: str


@dataclass(frozen=True)
class Expected:
    """Differences that are meant, and why."""

    calls: str
    path: str
    reason: str
    kind: str = "*"
    old: str = "*"
    new: str = "*"

    def names(self, difference: Difference) -> bool:
        sides = ((difference.old, self.old), (difference.new, self.new))
        return (
            fnmatch.fnmatchcase(difference.call, self.calls)
            and fnmatch.fnmatchcase(difference.place, self.path)
            and fnmatch.fnmatchcase(difference.kind, self.kind)
            and all(fnmatch.fnmatchcase(_text(side), pattern) for side, pattern in sides)
        )


def _text(side: Any) -> str:
    return "" if side is ABSENT else str(side)


@dataclass(frozen=True)
class Table:
    """Old names and their new ones, and what else may differ."""

    functions: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    messages: Mapping[str, str] = field(default_factory=dict)
    programs: tuple[Program, ...] = ()
    expected: tuple[Expected, ...] = ()

    @classmethod
    def read(cls, text: str) -> Table:
        """The table of a file.

        Raises
        ------
        TableError
            If a section or a key is unknown, or an expected difference has no reason.
        """
        return cls.of_document(tomllib.loads(text))

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Table:
        unknown = set(document) - {*SECTIONS, "programs", "expected"}
        if unknown:
            raise TableError(f"renames.toml: no section {', '.join(sorted(unknown))}")
        try:
            return cls(
                **{name: document.get(name, {}) for name in SECTIONS},
                programs=tuple(Program(**entry) for entry in document.get("programs", ())),
                expected=tuple(Expected(**entry) for entry in document.get("expected", ())),
            )
        except TypeError as error:
            raise TableError(f"renames.toml: {error}") from error

    def since(self, before: Table) -> Table:
        """The entries that a tree of before lacks."""
        sections = {
            name: {
                old: new
                for old, new in getattr(self, name).items()
                if getattr(before, name).get(old) != new
            }
            for name in SECTIONS
        }
        return Table(
            **sections,
            programs=tuple(one for one in self.programs if one not in before.programs),
            expected=tuple(one for one in self.expected if one not in before.expected),
        )

    def as_document(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @property
    def renames(self) -> bool:
        return any(getattr(self, name) for name in SECTIONS)

    # ----------------------------------------------------------------- what old trees are asked

    def program_before(self, call: str, program: str) -> str:
        for one in self.programs:
            if fnmatch.fnmatchcase(call, one.calls):
                program = program.replace(one.new, one.old)
        return program

    def words_before(self, words: list[str]) -> list[str]:
        """A command as old trees know it."""
        words = self._retold(words)
        old = {new: one for one, new in self.options.items()}
        made = []
        for word in words:
            name, mark, value = word.partition("=")
            known = name.startswith("-") and name in old
            made.append(f"{old[name]}{mark}{value}" if known else word)
        return made

    def _retold(self, words: list[str]) -> list[str]:
        """A command whose words stood otherwise, one by one or in number."""
        call = " ".join(words)
        for one in self.programs:
            new, old = one.new.split(), one.old.split()
            if not fnmatch.fnmatchcase(call, one.calls):
                continue
            for at in range(len(words) - len(new), -1, -1):
                if words[at : at + len(new)] == new:
                    words = [*words[:at], *old, *words[at + len(new) :]]
        return words

    # ----------------------------------------------------------------- what old trees answer

    def renamed(self, record: Any, *, of_columns: bool = False) -> Any:
        """The record of an old tree in the names of today."""
        match record:
            case dict():
                return {
                    self.columns.get(key, key): self.renamed(value, of_columns=key == "columns")
                    for key, value in record.items()
                }
            case list():
                return [self.renamed(value, of_columns=of_columns) for value in record]
            case str() if of_columns:
                return self.columns.get(record, record)
            case str():
                return self._text(record)
        return record

    def _text(self, text: str) -> str:
        for old, new in self.messages.items():
            text = text.replace(old, new)
        names = {
            old.partition(".")[2]: new.partition(".")[2] for old, new in self.functions.items()
        }
        for old, new in (names | dict(self.options)).items():
            text = re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", new, text)
        return text
