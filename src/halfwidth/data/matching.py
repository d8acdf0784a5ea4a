"""Which rows of two or more models are of the same case: by identity, never by position."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import DataError, shortened, shown
from halfwidth.core.option_names import spelled
from halfwidth.core.undefined import is_missing
from halfwidth.data.families import Family, Identity, ModelCases, named

Pairing = Literal["complete", "common", "none"]
SHOWN = 3


def matched(family: Family, pairing: Pairing) -> Family:
    """The cases that all models have, in one order that no table's order of rows can change.

    Raises
    ------
    DataError
        If a model has a case twice, if cases are not there for all models (unless those are to be
        left out), if no more than one is, or if tables disagree about what belongs to a case.
    """
    models = family.models
    if all(model.identities is None for model in models):
        _check_lengths(family)
        return family
    places = [_places_by_identity(model, family.place) for model in models]
    shared = set(places[0]).intersection(*places[1:])
    every, of_some = _applicable(models, places, shared)
    if of_some and not shared:
        raise DataError(
            f"{family.place}in no case does the metric apply for every model: with the status "
            "'not applicable' there is nothing to compare"
        )
    _check_shared(family, shared, every, places, pairing)
    order = sorted(shared, key=_sorted_by)
    rows = tuple(
        model.rows(np.array([place[one] for one in order], dtype=np.intp))
        for model, place in zip(models, places, strict=True)
    )
    n_unmatched = len(every - shared)
    left_out = [
        *_unmatched_cautions(n_unmatched, len(every)),
        *_not_applicable_cautions(models, of_some, len(every) + len(of_some)),
    ]
    rows = tuple(
        replace(
            model,
            cautions=(*model.cautions, *left_out),
            not_applicable=tuple({**dict.fromkeys(model.not_applicable), **of_some}),
        )
        for model in rows
    )
    return replace(
        family,
        models=_with_common_columns(rows, family.place),
        n_unmatched=family.n_unmatched + n_unmatched,
    )


def _applicable(
    models: Sequence[ModelCases],
    places: Sequence[Mapping[Identity, int]],
    shared: AbstractSet[Identity],
) -> tuple[set[Identity], dict[Identity, None]]:
    """Cases to which the metric applies, and those to which it applies for some models only.

    A structure that is in neither mask has no value and a row that says so; where another model
    found one all the same (spurious), it has a value. Every model has a row of such a case, so
    that nothing is lacking, and no pair of values.
    """
    every = dict.fromkeys(itertools.chain(*places))
    known = [
        place.keys() | model.not_applicable for model, place in zip(models, places, strict=True)
    ]
    of_some = {one: None for one in every if one not in shared and all(one in k for k in known)}
    return every.keys() - of_some.keys(), of_some


def _unmatched_cautions(count: int, total: int) -> tuple[Caution, ...]:
    return (caution("HW802", count=count, total=total),) if count else ()


def _not_applicable_cautions(
    models: Sequence[ModelCases], of_some: Mapping[Identity, None], total: int
) -> tuple[Caution, ...]:
    if not of_some:
        return ()
    counts = [(len(of_some.keys() & set(one.not_applicable)), one.name) for one in models]
    listed = ", ".join(f"{count} of {name}" for count, name in counts if count)
    return (caution("HW808", count=len(of_some), total=total, counts=listed),)


def shared_cases(family: Family) -> int:
    """How many cases all models have by their ids, where they are to be taken for different."""
    identities = [set(model.identities or ()) for model in family.models]
    return len(set.intersection(*identities)) if len(identities) > 1 else 0


def _check_lengths(family: Family) -> None:
    lengths = {model.name: len(model) for model in family.models}
    if len(set(lengths.values())) > 1:
        counted = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise DataError(
            f"{family.place}models differ in their number of cases ({counted}), and nothing says "
            "which are the same: give pandas Series labelled by case, or a table with a column of "
            f"cases ({spelled('case')}); {spelled('pairing', 'none')} where they are not the same"
        )


def _places_by_identity(model: ModelCases, place: str) -> dict[Identity, int]:
    identities = model.identities or ()
    by_identity = {identity: row for row, identity in enumerate(identities)}
    if len(by_identity) < len(identities):
        counts = Counter(identities)
        repeated = [named(one) for one, count in counts.items() if count > 1]
        raise DataError(
            f"{place}model {model.name!r} has {len(repeated)} of its cases more than once "
            f"({shortened(repeated, SHOWN)}), so which rows belong together cannot be told: name "
            f"what tells them apart ({spelled('case')}, such as the lesion within "
            f"{spelled('groups')}; {spelled('within')}), or remove rows that are there twice"
        )
    missing = sum(1 for identity in identities if is_missing(identity))
    if missing:
        raise DataError(f"{place}model {model.name!r} has {missing} row(s) without a case id")
    return by_identity


def _check_shared(
    family: Family,
    shared: set[Identity],
    every: set[Identity],
    places: Sequence[dict[Identity, int]],
    pairing: Pairing,
) -> None:
    names = [model.name for model in family.models]
    if not shared:
        examples = ", ".join(
            f"{name} has {shown(next(iter(place)))}"
            for name, place in zip(names, places, strict=True)
            if place
        )
        raise DataError(
            f"{family.place}{_listed(names)} share no case ({examples}); ids must be the same in "
            "all, letter for letter"
        )
    if pairing == "complete" and len(shared) < len(every):
        lacking = [
            f"{name} lacks {len(absent)} ({shortened(absent, SHOWN)})"
            for name, place in zip(names, places, strict=True)
            if (absent := sorted(map(named, every.difference(place))))
        ]
        raise DataError(
            f"{family.place}{len(every) - len(shared)} of {len(every)} cases are not there for all "
            f"models: {'; '.join(lacking)}. {spelled('pairing', 'common')} leaves them out; a "
            f"failure needs a row with an empty value, and {spelled('missing', 'worst')}"
        )
    if len(shared) == 1:
        raise DataError(
            f"{family.place}{_listed(names)} share one case ({named(next(iter(shared)))}), which "
            "says nothing of others; a comparison needs two at least"
        )


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _sorted_by(identity: Identity) -> tuple[tuple[bool, float, str], ...]:
    """Numbers by size, before texts, so that the order rests on nothing but the identities."""
    parts = identity if isinstance(identity, tuple) else (identity,)
    return tuple(
        (False, float(part), "") if isinstance(part, int | float) else (True, 0.0, str(part))
        for part in parts
    )


# --------------------------------------------------------------------------- further columns


def _with_common_columns(models: Sequence[ModelCases], place: str) -> tuple[ModelCases, ...]:
    """Targets, clusters, strata and weights, which are those of the case, whatever the model."""
    common: dict[str, Any] = {
        what: _common([(model.name, getattr(model, what), model) for model in models], what, place)
        for what in ("target", "groups", "strata", "weights")
    }
    return tuple(replace(model, **common) for model in models)


def _common(given: Iterable[tuple[str, Any, ModelCases]], what: str, place: str) -> Any:
    """The first that is given, if no other disagrees."""
    there = [(name, column, model) for name, column, model in given if column is not None]
    if not there:
        return None
    first_name, first, model = there[0]
    cells = _cells(first)
    for name, column, _ in there[1:]:
        if column is first:
            continue
        differing = [
            row
            for row, (one, other) in enumerate(zip(cells, _cells(column), strict=True))
            if one != other and not (is_missing(one) and is_missing(other))
        ]
        if differing:
            names = model.case_names or []
            row = differing[0]
            raise DataError(
                f"{place}{first_name} and {name} disagree about the {what} of {len(differing)} "
                f"of {len(cells)} cases ({shortened([names[at] for at in differing], SHOWN)}; of "
                f"{names[row]}: {shown(cells[row])} and {shown(_cells(column)[row])}); what "
                "belongs to a case must be the same for every model"
            )
    return first


def _cells(column: Any) -> list[Any]:
    return list(column.tolist() if hasattr(column, "tolist") else column)
