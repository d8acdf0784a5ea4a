"""XML that anybody may have written: parsed block by block, declarations of types refused."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import IO
from xml.parsers import expat

from halfwidth.core.errors import DataError

BLOCK = 1 << 16


class XmlParser:
    """An XML parser that is fed block by block, and heeds no declaration of entities.

    ``kind``: what the file is read as, for messages; ``start``, ``end``, ``text``: called with the
    name of an element and its attributes, with its name, and with text.
    """

    def __init__(
        self,
        kind: str,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None],
        text: Callable[[str], None] | None = None,
    ) -> None:
        self._kind = kind
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.StartElementHandler = lambda tag, has: start(_local(tag), has)
        self._expat.EndElementHandler = lambda tag: end(_local(tag))
        if text is not None:
            self._expat.CharacterDataHandler = text
        self._expat.StartDoctypeDeclHandler = self._refuse_declarations

    def blocks(self, opened: IO[bytes]) -> Iterator[None]:
        """Parse to the end, with a pause after each block."""
        try:
            while block := opened.read(BLOCK):
                self._expat.Parse(block, False)
                yield
            self._expat.Parse(b"", True)
        except DataError:
            raise
        except (expat.ExpatError, ValueError, LookupError) as error:
            # The latter two of encodings that Python does not know.
            raise DataError(
                f"cannot be read as {self._kind} (its XML is damaged: {error})"
            ) from None
        yield

    def all(self, opened: IO[bytes]) -> None:
        """Parse to the end."""
        for _ in self.blocks(opened):
            pass

    def _refuse_declarations(self, *_: object) -> None:
        raise DataError(f"cannot be read as {self._kind} (its XML declares a document type)")


@functools.lru_cache(64)
def _local(tag: str) -> str:
    """The name of an element without its prefix."""
    return tag.rpartition(":")[2]
