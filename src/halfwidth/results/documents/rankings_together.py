"""What several rankings say together, in a document: their consensus, and how far they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halfwidth.core.formatting import percent
from halfwidth.document.parts import (
    Adaptive,
    Cell,
    Column,
    Data,
    Document,
    Heading,
    Kind,
    Note,
    Part,
    Table,
)
from halfwidth.results.documents.ranking_cells import set_cell, share_cell
from halfwidth.results.fields import seed_note
from halfwidth.results.ranking_words import about, listed

if TYPE_CHECKING:
    from halfwidth.results.ranking import Rankings
    from halfwidth.results.ranking_consensus import Consensus, ConsensusModel


COMBINED = "Ranks combined: the best and the worst of those that the consensus is of."


def consensus_document(consensus: Consensus) -> Document:
    """The consensus by itself."""
    level = percent(consensus.confidence_level)
    top = " and top" if _with_top(consensus) else ""
    meaning = (
        f"{level} ranks: the ranks that each model may have, of all models at once. First{top}: "
        "shares of bootstrap resamples, which are no confidence sets."
    )
    seed = seed_note([consensus.seed], [consensus.n_resamples])
    parts = (*consensus_parts(consensus), Note(meaning), Note(COMBINED), seed)
    return Document(parts, Data(consensus.to_dict, consensus.to_rows))


def consensus_parts(consensus: Consensus) -> tuple[Part, ...]:
    """A table with its sentence, and which models are not in it."""
    heading = f"Consensus: {about(consensus.label, consensus.subject)}"
    notes: list[Part] = [Note(consensus.sentence())]
    if consensus.left_out:
        notes.append(Note(f"Left out, as some rankings lack them: {listed(consensus.left_out)}."))
    if consensus.given_last:
        last = listed(consensus.given_last)
        notes.append(Note(f"Given the last rank where they are absent: {last}."))
    return (Heading(heading), _table(consensus), *notes)


def _table(consensus: Consensus) -> Table:
    columns = [
        Column("model"),
        Column("rank", Kind.NUMBER),
        Column(f"{percent(consensus.confidence_level)} ranks", Kind.INTERVAL),
        Column(consensus.combine.replace("_", " "), Kind.NUMBER),
        Column("ranks combined", Kind.INTERVAL),
        Column("first", Kind.NUMBER),
    ]
    with_top = _with_top(consensus)
    if with_top:
        columns.append(Column(f"top {consensus.top}", Kind.NUMBER))
    rows = [_row(model, with_top=with_top) for model in consensus.models]
    return Table(tuple(columns), tuple(rows))


def _with_top(consensus: Consensus) -> bool:
    return 1 < consensus.top < len(consensus.models)


def _row(model: ConsensusModel, *, with_top: bool) -> tuple[Cell, ...]:
    least, most = min(model.ranks), max(model.ranks)
    cells = (
        Cell(model.name),
        Cell(str(model.rank), model.rank),
        set_cell(model.rank_set),
        Cell(f"{model.value:.3g}", model.value),
        Cell(str(least) if least == most else f"{least} to {most}", (least, most)),
        share_cell(model.first_share),
    )
    return (*cells, share_cell(model.top_share)) if with_top else cells


def stability_part(rankings: Rankings) -> Adaptive:
    """How far rankings of different tasks, metrics and schemes agree, in sentences."""
    notes = tuple(Note(text) for text in rankings.stability.sentences())
    return Adaptive(notes, notes)
