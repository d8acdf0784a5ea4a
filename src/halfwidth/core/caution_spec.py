"""What a caution is: a code, what is wrong, why it matters, and what to do."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from halfwidth.core.frozen import frozen

DOCS = "docs/cautions.md"


class Severity(StrEnum):
    """How much a finding about a table matters."""

    ERROR = "error"
    """Estimates are refused, or of the wrong numbers, until it is settled."""
    WARNING = "warning"
    """Estimates may mislead."""
    NOTE = "note"
    """Good to know; no reason to doubt."""


@frozen
class CautionSpec:
    """One kind of caution.

    Attributes
    ----------
    code : str
        ``HW`` and three digits.
    title : str
        What is the matter, in a few words.
    message : str
        The sentence shown with a result; ``{...}`` are filled in with its numbers.
    meaning : str
        Why it matters.
    remedy : str
        What to do.
    source : str
        Key of the reference; empty where it is the package's own reasoning.
    reliability : bool
        Whether it doubts that intervals like this one cover as often as they say.
    otherwise : str
        What to do where the remedy names the method that was used.
    severity : Severity
        How much it matters where it is found in a table (``halfwidth check``).
    """

    code: str
    title: str
    message: str
    meaning: str
    remedy: str
    source: str = ""
    reliability: bool = False
    otherwise: str = ""
    severity: Severity = Severity.WARNING

    @property
    def anchor(self) -> str:
        """Where the documentation explains it."""
        return f"{DOCS}#{self.code.lower()}"


@frozen
class Caution:
    """A caution as raised for one result.

    Attributes
    ----------
    spec : CautionSpec
    message : str
        Filled in with the numbers of the result.
    taken : bool
        Whether the method of the result is one that the remedy names.
    about : str
        Which model, or which pair, of a result of several it is about; the message begins with it.
    """

    spec: CautionSpec
    message: str
    taken: bool = False
    about: str = ""

    def said_of(self, name: str) -> Caution:
        """The caution about one model, or one pair, of a result of several."""
        if not name or self.about:
            return self
        return replace(self, message=f"{name}: {self.message}", about=name)

    @property
    def code(self) -> str:
        """``HW`` and three digits."""
        return self.spec.code

    @property
    def remedy(self) -> str:
        """What to do."""
        return self.spec.otherwise if self.taken else self.spec.remedy

    @property
    def anchor(self) -> str:
        """Where the documentation explains it."""
        return self.spec.anchor

    def to_dict(self) -> dict[str, str]:
        """Code and message, as in the JSON contract."""
        return {"code": self.code, "message": self.message}

    def __str__(self) -> str:
        return f"{self.code} {self.message}"
