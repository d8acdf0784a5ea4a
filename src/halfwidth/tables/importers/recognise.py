"""Which foreign format a file is in, if any."""

from __future__ import annotations

from halfwidth.core.branches import modules_brought
from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.io.table import Table
from halfwidth.io.table_sources import head
from halfwidth.tables.importers.all_importers import IMPORTERS
from halfwidth.tables.importers.importer import GLANCE, Candidate, Importer, ImportOptions

NAMES = tuple(importer.name for importer in IMPORTERS)
SUFFIXES = tuple(dict.fromkeys(suffix for one in IMPORTERS for suffix in one.suffixes))
TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
# What no plain table is in.
ONLY_FOREIGN, ARCHIVES = {".json", ".jsonl"}, {".eval"}
PACKED, ZIP = ".gz", b"PK\x03\x04"


def imported(candidate: Candidate, named: str | None, options: ImportOptions) -> Table | None:
    """The table of a file in a foreign format; None if it is in none and may be a plain table.

    ``named``: the format that the user named.
    """
    importer = _named(named) if named is not None else _recognised(candidate, options)
    if importer is None:
        return None
    # Whoever says where the cases are may name a format for a layout of their own.
    led = bool(options.given & importer.options)
    if named is not None and not led and not importer.recognises(candidate):
        raise DataError(f"is no {importer.title}, as {spelled('input_format', named)} says")
    unused = sorted(options.given - importer.options)
    if unused:
        raise OptionError(f"{spelled(unused[0])} is not for {importer.title}; leave it out")
    return importer.read(candidate, options)


def _named(name: str) -> Importer:
    return next(importer for importer in IMPORTERS if importer.name == name)


def _recognised(candidate: Candidate, options: ImportOptions) -> Importer | None:
    suffixes = _suffixes_of(candidate)
    asked = [one for one in IMPORTERS if not suffixes.isdisjoint(one.suffixes)]
    recognising = [importer for importer in asked if importer.recognises(candidate)]
    if len(recognising) > 1:
        raise OptionError(
            f"may be {' or '.join(one.title for one in recognising)}; say which: "
            f"{spelled('input_format', recognising[0].name)}"
        )
    if not recognising and options.given:
        # Only one format looks at either option, so the user has named it.
        recognising = [one for one in asked if options.given <= one.options]
    # On standard input a zip may be a workbook too.
    only_foreign = ONLY_FOREIGN if candidate.path is None else {*ONLY_FOREIGN, *ARCHIVES}
    if not recognising and not suffixes.isdisjoint(only_foreign):
        raise DataError(_unknown(candidate, asked))
    return recognising[0] if recognising else None


def _suffixes_of(candidate: Candidate) -> set[str]:
    """The suffix of the file; of standard input, those that its first bytes allow."""
    if candidate.path is not None:
        suffixes = [suffix.lower() for suffix in candidate.path.suffixes[-2:]]
        packed = len(suffixes) == 2 and suffixes[1] == PACKED
        return {suffixes[0] if packed else "".join(suffixes[-1:])}
    first = head(candidate.source, GLANCE).lstrip()
    if first.startswith(ZIP):
        return {*ARCHIVES}
    if first[:1] not in (b"{", b"["):
        return {*TEXT_SUFFIXES}
    lines = first.splitlines()
    # A line that is complete and not the last is one of many documents.
    return {".jsonl"} if len(lines) > 1 and lines[0].rstrip()[-1:] in (b"}", b"]") else {".json"}


def _unknown(candidate: Candidate, asked: list[Importer]) -> str:
    known = shortened([f"{one.title} ({one.name})" for one in asked])
    document = candidate.document if ".json" in _suffixes_of(candidate) else None
    for files in modules_brought("FILES"):
        if held := files.in_document(document):
            return str(held)
    keys = ""
    if isinstance(document, dict) and document:
        keys = f" (its keys: {shortened(list(document), 5)})"
    place = spelled("path", "{case}.{metric}")
    hint = f"; if it holds numbers of cases, say where: {place}" if document else ""
    return f"is in no known format{keys}. Read are: {known}{hint}"
