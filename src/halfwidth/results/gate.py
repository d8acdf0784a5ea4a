"""The outcome of a gate: whether a new model may pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfwidth.core.cautions import Caution
from halfwidth.core.frozen import frozen
from halfwidth.results.comparison import Comparisons
from halfwidth.results.result import SCHEMA_VERSION, Result

if TYPE_CHECKING:
    from halfwidth.document.parts import Document

PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"
# Exit status: neither 1 to 3, which say what else went wrong, nor what shells use.
STATUS = {PASSED: 0, FAILED: 4, UNDECIDED: 5}


@frozen(repr=False)
class Gate(Result):
    """Whether the new model may pass.

    Attributes
    ----------
    comparisons : Comparisons
        The new model against the old one, with verdicts.
    outcome : {"passed", "failed", "undecided"}
        Not inferior by the margin; inferior; too few cases to say.
    reason : str
        Why, on one line.
    """

    comparisons: Comparisons
    outcome: str
    reason: str

    @property
    def collection(self) -> Comparisons:
        """The comparisons, whose picture is that of the gate."""
        return self.comparisons

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """What was assumed about the data, and what was left out."""
        return self.comparisons.notes

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Cautions of the comparisons."""
        return self.comparisons.cautions

    @property
    def status(self) -> int:
        """Exit status of the command: 0, 4 or 5."""
        return STATUS[self.outcome]

    def sentence(self) -> str:
        """The outcome and its reason."""
        return f"{self.outcome}: {self.reason}"

    def __repr__(self) -> str:
        return f"Gate: {self.sentence()}"

    def document(self) -> Document:
        """The sentence, a table of what it rests on, and the comparisons for programs."""
        from halfwidth.document.parts import Adaptive, Data, Document, Paragraph, Part
        from halfwidth.results.documents.comparison_tables import gate_tables
        from halfwidth.results.fields import caution_items

        said = Paragraph(self.sentence(), wraps=False)
        in_short, table = gate_tables(self.comparisons)
        # A log has a line; a page to keep, such as the summary of a step, the numbers.
        short: tuple[Part, ...] = (said, in_short) if len(self.comparisons) > 1 else (said,)
        full: tuple[Part, ...] = (said, table, *caution_items(self.comparisons.caution_lines()))
        return Document((Adaptive(short, full),), Data(self.to_dict, self.to_rows))

    def to_dict(self) -> dict[str, Any]:
        """The outcome, and the JSON contract of the comparisons."""
        needed = [item.verdict.n_needed for item in self.comparisons if item.verdict]
        return {
            "schema_version": SCHEMA_VERSION,
            "gate": {
                "new": self.comparisons[0].first,
                "against": self.comparisons[0].second,
                "outcome": self.outcome,
                "status": self.status,
                "sentence": self.reason,
                "n_needed": max((n for n in needed if n is not None), default=None),
            },
            **self.comparisons.to_dict(),
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each comparison, after the outcome of all."""
        return [{"outcome": self.outcome, **row} for row in self.comparisons.to_rows()]
