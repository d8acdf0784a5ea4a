"""Lines of text: wrapped between words, and measured as a terminal shows them."""

from __future__ import annotations

import re
from enum import IntEnum

from halfwidth.core import errors

# A text with more letters without a space, a hyphen, an underscore or a slash is no word: where
# nothing else helps, it is broken into parts of that many.
LONGEST_WORD, PART_OF_WORD = 24, 16
# A number stays with its per cent, and a rank with the sign of a tie.
_BETWEEN_WORDS = re.compile(r"(?<= )(?=[^ %≈])")
# Not in 1e-05 or 2024-01, and not after a minus.
_WITHIN_WORDS = re.compile(r"(?<=\w-)(?=[^\W\d])|(?<=_)(?=[^_])|(?<=\w/)(?=\w)")


class Break(IntEnum):
    """Where a line may end; each allows what those before it allow."""

    NOWHERE = 0
    BETWEEN_WORDS = 1
    WITHIN_WORDS = 2
    """After hyphens, underscores and slashes."""
    ANYWHERE = 3
    """Within what is too long to be a word."""


def one_line(text: str, *, whole: bool = False) -> str:
    """Without line breaks and escape codes, which a table's labels may hold by accident or not.

    Words without end lose their middle, unless the text is to be typed and is needed ``whole``.
    """
    line = " ".join(errors.printable(text).splitlines()).replace("\t", " ")
    return line if whole else errors.without_endless_words(line)


def length(text: str) -> int:
    """Columns that a text takes on a terminal: two for wide letters, no trailing blanks.

    >>> length("肝臓 ")
    4
    """
    from rich.cells import cell_len

    return cell_len(text.rstrip(" "))


def padded(text: str, width: int, *, right: bool = False) -> str:
    """A text filled up with blanks."""
    blanks = " " * (width - length(text))
    return blanks + text if right else text + blanks


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` columns, ended between words; longer words give way last.

    >>> wrapped("Dice of 95.0 % of the left-lobe", 11)
    ['Dice of', '95.0 % of', 'the', 'left-lobe']
    """
    line, lines = "", []
    for word in _words(text):
        for piece in [word] if length(word) <= width else _cut(word, width):
            if line and length(line + piece) > width:
                lines.append(line.rstrip())
                line = ""
            line += piece
    return [*lines, line.rstrip()]


def longest(text: str, where: Break) -> int:
    """Columns of the longest piece of a text."""
    if where is Break.NOWHERE:
        return length(text)
    pieces = _words(text)
    if where >= Break.WITHIN_WORDS:
        pieces = [part for piece in pieces for part in _WITHIN_WORDS.split(piece)]
    lengths = map(length, pieces)
    if where is Break.ANYWHERE:
        return max((n if n <= LONGEST_WORD else PART_OF_WORD for n in lengths), default=0)
    return max(lengths, default=0)


def _words(text: str) -> list[str]:
    """Words with the blanks after them; scripts with wide letters put none between words."""
    words = _BETWEEN_WORDS.split(text)
    if text.isascii():
        return words
    return [part for word in words for part in _around_wide_letters(word)]


def _around_wide_letters(word: str) -> list[str]:
    parts: list[str] = []
    for letter in _letters(word):
        wide = length(letter) > 1
        if parts and not letter.isspace() and (wide or length(_letters(parts[-1])[-1]) > 1):
            parts.append(letter)
        else:
            parts[-1:] = ["".join([*parts[-1:], letter])]
    return parts


def _letters(text: str) -> list[str]:
    """Letters as people see them: an accent or a sign of style belongs to the letter before it."""
    letters: list[str] = []
    for one in text:
        if letters and one != " " and length(one) == 0:
            letters[-1] += one
        else:
            letters.append(one)
    return letters


def _cut(word: str, width: int) -> list[str]:
    """Parts of a word that is wider than a line."""
    parts: list[str] = []
    for part in _WITHIN_WORDS.split(word):
        line = ""
        for letter in _letters(part):
            if line and length(line + letter) > width:
                parts.append(line)
                line = ""
            line += letter
        parts.append(line)
    return parts
