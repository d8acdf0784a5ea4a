"""Rankings as a document."""

from __future__ import annotations

import math
from collections.abc import Callable
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
from halfwidth.results.documents.estimates import interval_column, rule_note
from halfwidth.results.documents.ranking_cells import set_cell, share_cell
from halfwidth.results.documents.rankings_together import COMBINED, consensus_parts, stability_part
from halfwidth.results.fields import caution_items, seed_note
from halfwidth.results.ranking_words import POLICIES, about, listed, nothing_settled, some

if TYPE_CHECKING:
    from halfwidth.results.estimate import Estimate
    from halfwidth.results.ranking import RankedModel, Ranking, Rankings

# Of more rankings than a reader would read prose of, a terminal shows the tables.
MOST_IN_PROSE = 3
# Of many models there may be as many groups, which no one reads.
GROUPS_SHOWN = 10


def rankings_document(rankings: Rankings) -> Document:
    """A table for each ranking with its sentence and its groups; cautions, and the seed."""
    data = Data(rankings.to_dict, rankings.to_rows)
    in_prose = len(rankings) <= MOST_IN_PROSE
    parts = [part for item in rankings for part in _ranking(item, in_prose=in_prose)]
    if not parts:
        return Document((Note("No rankings."),), data)
    parts += [part for one in rankings.consensus for part in consensus_parts(one)]
    stable = stability_part(rankings)
    rule = rule_note(model.estimate for ranking in rankings for model in ranking.models)
    below = (
        _explanations(rankings),
        stable,
        *caution_items(rankings.caution_lines()),
        rule,
        seed_note([rankings[0].seed], (item.n_resamples for item in rankings)),
    )
    return Document((*parts, *(part for part in below if part.short or part.full)), data)


def _ranking(ranking: Ranking, *, in_prose: bool) -> tuple[Part, ...]:
    """A ranking's table and what it says, on a terminal only ``in_prose``."""
    title = about(ranking.label, ranking.subject)
    unit = ranking.models[0].estimate.metric_spec.spec.unit
    heading = f"{title}{f' [{unit}]' if unit else ''} ({ranking.models[0].estimate.basis_text})"
    prose: list[Part] = [Note(ranking.sentence())]
    if ranking.groups and not (len(ranking.groups) == 1 and nothing_settled(ranking.models)):
        prose.append(Note(f"Not told apart: {_groups(ranking)}."))
    notes: list[Part] = [*prose] if in_prose else [Adaptive((), tuple(prose))]
    if ranking.n_unmatched:
        one = ranking.n_unmatched == 1
        cases = "1 case that was" if one else f"{ranking.n_unmatched} cases that were"
        notes.append(Note(f"Left out: {cases} not there for all models."))
    tables: tuple[Part, ...] = (_table(ranking), *_under_policies(ranking))
    return (Heading(heading), *tables, *notes)


def _subject(ranking: Ranking) -> str:
    return ", ".join(filter(None, [ranking.label, ranking.subject]))


def _groups(ranking: Ranking) -> str:
    """The first groups, and how many there are beside them."""
    together = [some(group) for group in ranking.groups[:GROUPS_SHOWN]]
    rest = len(ranking.groups) - len(together)
    if rest:
        than = "more than " if ranking.more_groups else ""
        together.append(f"and {than}{rest} further group{'s' if rest > 1 else ''}")
    return "; ".join(together)


def _table(ranking: Ranking) -> Table:
    level = percent(ranking.confidence_level)
    column, interval = interval_column([model.estimate for model in ranking.models])
    columns = [
        Column("model"),
        Column("rank", Kind.NUMBER),
        *([Column("won", Kind.NUMBER)] if ranking.test else []),
        Column(f"{level} ranks", Kind.INTERVAL),
        Column("by itself", Kind.INTERVAL),
        Column("value", Kind.NUMBER),
        column,
        Column("first", Kind.NUMBER),
    ]
    with_top = 1 < ranking.top < len(ranking.models)
    if with_top:
        columns.append(Column(f"top {ranking.top}", Kind.NUMBER))
    rows = [_row(model, interval, with_top=with_top) for model in ranking.models]
    return Table(tuple(columns), tuple(rows))


# Why there is no other policy beside one.
_ALONE = {
    "omit": "to count them as failures needs a penalty",
    "worst": "without them too few cases are left",
}


def _under_policies(ranking: Ranking) -> tuple[Table | Note, ...]:
    """What becomes of the ranks if missing values count as something else; a line if nothing."""
    policies = ranking.under_policies
    if not policies:
        return ()
    first, *others = policies.values()
    if all(ranks == first for ranks in others):
        same = f"each of these policies gives the same ranks: {listed(list(policies))}"
        return (
            Note(
                f"{_missing_counts(ranking)}; {same if others else _ALONE[next(iter(policies))]}."
            ),
        )
    columns = [
        Column("model"),
        Column("missing", Kind.NUMBER),
        *(Column(f"rank {POLICIES[name]}", Kind.NUMBER) for name in policies),
    ]
    rows = [
        (
            Cell(model.name),
            Cell(str(model.n_missing), model.n_missing),
            *(Cell(str(ranks[model.name]), ranks[model.name]) for ranks in policies.values()),
        )
        for model in ranking.models
    ]
    return (Table(tuple(columns), tuple(rows)),)


def _missing_counts(ranking: Ranking) -> str:
    """How many values each model lacks."""
    missing = {model.name: model.n_missing for model in ranking.models if model.n_missing}
    if len(missing) == len(ranking.models) and len(set(missing.values())) == 1:
        count = next(iter(missing.values()))
        return f"{count} {'value' if count == 1 else 'values'} missing of each model"
    return f"Missing values: {listed([f'{n} of {name}' for name, n in missing.items()])}"


def _row(
    model: RankedModel, interval: Callable[[Estimate], Cell], *, with_top: bool
) -> tuple[Cell, ...]:
    estimate, unit = model.estimate, model.estimate.metric_spec.spec.unit
    cells = [
        Cell(model.name),
        Cell(str(model.rank), model.rank),
        *([] if model.wins is None else [Cell(str(model.wins), model.wins)]),
        set_cell(model.rank_set),
        set_cell(model.marginal_set),
        Cell(estimate.text_of(model.value), model.value, unit),
        interval(estimate),
        share_cell(model.first_share),
    ]
    return (*cells, share_cell(model.top_share)) if with_top else tuple(cells)


# --------------------------------------------------------------------------- below the tables


def _explanations(rankings: Rankings) -> Adaptive:
    """What the columns are, once for all tables, and how stable the rankings are."""
    first = rankings[0]
    level = percent(first.confidence_level)
    with_top = any(1 < item.top < len(item.models) for item in rankings)
    meaning = (
        f"{level} ranks: the ranks that each model may have, of all models of a table at once; by "
        f"itself: of that model alone. First{' and top' if with_top else ''}: shares of bootstrap "
        f"resamples, which are no confidence sets{_ties_for_first(rankings)}."
    )
    texts = [meaning]
    if rankings.consensus:
        texts.append(COMBINED)
    if any(item.test for item in rankings):
        texts.append(
            "Won: how many others a model beats in one-sided tests, corrected together (Holm); "
            "rank sets of this scheme are sets of wins."
        )
    agreement = _agreement_of_resamples(rankings)
    if agreement:
        texts.append(f"Kendall's tau of resamples with the ranking, on average: {agreement}.")
    notes = tuple(Note(text) for text in texts)
    return Adaptive(notes, notes)


def _ties_for_first(rankings: Rankings) -> str:
    """Remark that shares of first ranks count ties for each model, where they exceed the whole."""
    shares = (
        [model.first_share for model in item.models] for item in (*rankings, *rankings.consensus)
    )
    tied = any(sum(each) > 1 + 1e-9 for each in shares)
    return "; models that tie for the first rank are each first, and so sum to more" if tied else ""


# The agreement of so many rankings is given for each, of more from the least to the most.
AGREEMENTS_SHOWN = 4


def _agreement_of_resamples(rankings: Rankings) -> str:
    items = [item for item in rankings if not math.isnan(item.tau)]
    if len(items) <= 1:
        return "".join(f"{item.tau:.2f}" for item in items)
    if len(items) > AGREEMENTS_SHOWN:
        taus = [item.tau for item in items]
        return f"{min(taus):.2f} to {max(taus):.2f}"
    labels = {item.label for item in rankings}
    alike = len(labels) < len(rankings) or "" in labels
    names = [_subject(item) if alike else item.label for item in items]
    return "; ".join(f"{name}: {item.tau:.2f}" for name, item in zip(names, items, strict=True))
