"""Which rows of two or more models are of the same case: by identity, never by position."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import DataError, shortened, shown
from halfwidth.core.option_names import spelled
from halfwidth.core.undefined import is_missing
from halfwidth.data.families import OF_CASES, Family, Identity, ModelCases, Pairing, named

SHOWN = 3


def matched(family: Family, pairing: Pairing, *, values: bool) -> Family:
    """The cases that all models have, in one order that no table's order of rows can change.

    An error says where a model has a case twice, where cases are not there for all models (unless
    those are to be left out), where no more than one is, and where tables disagree about a case.
    It proposes to count failures where the cases have ``values``.
    """
    models = family.models
    if all(model.identities is None for model in models):
        _check_lengths(family)
        return family
    places = [_places_by_identity(model, family.place) for model in models]
    shared = set(places[0]).intersection(*places[1:])
    every, partly = _applicable(models, places, shared)
    if partly and not shared:
        raise DataError(
            f"{family.place}there is nothing to compare: in each case the metric is 'not "
            "applicable' to some model"
        )
    if pairing == "complete" and shared and len(shared) < len(every):
        raise DataError(_lacking_text(family, shared, every, places, values=values))
    _check_shared(family, shared, places)
    order = sorted(shared, key=_sorted_by)
    n_unmatched = len(every - shared)
    cautions = []
    if n_unmatched:
        cautions.append(caution("HW802", count=n_unmatched, total=len(every)))
    if partly:
        counts = [(len(partly.keys() & set(one.not_applicable)), one.name) for one in models]
        listed = ", ".join(f"{count} of {name}" for count, name in counts if count)
        total = len(every) + len(partly)
        cautions.append(caution("HW808", count=len(partly), total=total, counts=listed))
    in_order = [
        replace(
            model.rows(np.array([place[one] for one in order], dtype=np.intp)),
            cautions=(*model.cautions, *cautions),
            not_applicable=tuple({**dict.fromkeys(model.not_applicable), **partly}),
        )
        for model, place in zip(models, places, strict=True)
    ]
    return replace(
        family,
        models=_with_common_columns(in_order, family.place),
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
    partly = {one: None for one in every if one not in shared and all(one in k for k in known)}
    return every.keys() - partly.keys(), partly


def missing_for_some(lacking: Mapping[str, int], total: int) -> tuple[Caution, ...]:
    """A caution where a policy leaves out cases that some models lack and others do not."""
    if len(set(lacking.values())) < 2:
        return ()
    counts = ", ".join(f"{count} of {name}" for name, count in lacking.items())
    return (caution("HW806", counts=counts, total=total),)


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
            f"({shortened(repeated, SHOWN)}), and nothing says which rows belong together: "
            f"name what tells them apart ({spelled('case')}, such as the lesion within "
            f"{spelled('groups')}; {spelled('by')}), or remove rows that are there twice"
        )
    missing = sum(1 for identity in identities if is_missing(identity))
    if missing:
        raise DataError(f"{place}model {model.name!r} has {missing} row(s) without a case id")
    return by_identity


def _lacking_text(
    family: Family,
    shared: set[Identity],
    every: set[Identity],
    places: Sequence[dict[Identity, int]],
    *,
    values: bool,
) -> str:
    lacking = [
        f"{model.name} lacks {len(absent)} ({shortened(absent, SHOWN)})"
        for model, place in zip(family.models, places, strict=True)
        if (absent := sorted(map(named, every.difference(place))))
    ]
    return (
        f"{family.place}{len(every) - len(shared)} of {len(every)} cases are not there for all "
        f"models: {'; '.join(lacking)}. {spelled('pairing', 'common')} leaves them out"
    ) + f"; a failure needs a row with an empty value, and {spelled('missing', 'worst')}" * values


def _check_shared(
    family: Family, shared: set[Identity], places: Sequence[dict[Identity, int]]
) -> None:
    names = [model.name for model in family.models]
    if not shared:
        examples = shortened(
            [
                f"{name} has {shown(next(iter(place)))}"
                for name, place in zip(names, places, strict=True)
                if place
            ],
            SHOWN,
        )
        raise DataError(
            f"{family.place}{_listed(names)} share no case ({examples}); write ids alike in all, "
            "letter for letter"
        )
    if len(shared) == 1:
        raise DataError(
            f"{family.place}{_listed(names)} share one case ({named(next(iter(shared)))}), which "
            "says nothing of others; a comparison needs at least two"
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
    common: dict[str, Any] = {key: _common(models, key, place) for key in OF_CASES}
    return tuple(replace(model, **common) for model in models)


def _common(models: Sequence[ModelCases], key: str, place: str) -> Any:
    """The column of the first model that has one, if no other disagrees."""
    having = [model for model in models if getattr(model, key) is not None]
    if not having:
        return None
    first, *others = having
    column = getattr(first, key)
    cells = _cells(column)
    for model in others:
        if getattr(model, key) is column:
            continue
        differing = [
            (row, one, other)
            for row, (one, other) in enumerate(zip(cells, _cells(getattr(model, key)), strict=True))
            if one != other and not (is_missing(one) and is_missing(other))
        ]
        if differing:
            names = first.case_names or []
            row, one, other = differing[0]
            raise DataError(
                f"{place}{first.name} and {model.name} disagree about the {key} of "
                f"{len(differing)} of {len(cells)} cases "
                f"({shortened([names[at] for at, *_ in differing], SHOWN)}; of {names[row]}: "
                f"{shown(one)} and {shown(other)}); what belongs to a case must be the same for "
                "every model"
            )
    return column


def _cells(column: Any) -> list[Any]:
    return list(column.tolist() if hasattr(column, "tolist") else column)
