"""Several metrics at once, on the cases that all of them have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.core.titles import metric_title
from halfwidth.core.undefined import is_missing
from halfwidth.data.families import Family, Identity, ModelCases, named
from halfwidth.measuring.plans import Comparable, FamilyPlan, Matched


def with_same_cases(
    compared: Sequence[Comparable], how: Matched
) -> tuple[list[Comparable], list[str]]:
    """What is compared, on the same cases by all metrics of a task; detectors see all images."""
    by_label: dict[str, list[Comparable]] = {}
    for one in compared:
        by_label.setdefault(one.label, []).append(one)
    with_same: list[Comparable] = []
    notes: list[str] = []
    for together in by_label.values():
        families = [one.family for one in together if isinstance(one, FamilyPlan)]
        kept, own = keep_shared_cases(families, how.pairing, how.request.missing)
        in_order = iter(kept)
        with_same += [
            replace(one, family=next(in_order)) if isinstance(one, FamilyPlan) else one
            for one in together
        ]
        notes += own
    return with_same, notes


def keep_shared_cases(
    families: Sequence[Family], pairing: str, missing: str
) -> tuple[list[Family], list[str]]:
    """Families without cases that some metric lacks; missing values stay, for their policy."""
    if len(families) < 2 or any(m.identities is None for f in families for m in f.models):
        return list(families), []
    shared = [_shared(one) for one in families]
    if pairing == "complete" and len({frozenset(one) for one in shared}) > 1:
        raise DataError(_differing(families, shared))
    lacking = [_without_value(one) if missing == "omit" else set() for one in families]
    present = [own - without for own, without in zip(shared, lacking, strict=True)]
    common = set.intersection(*present)
    kept, notes = [], []
    for family, own in zip(families, present, strict=True):
        surplus = own - common
        kept.append(_leave_out(family, surplus) if surplus else family)
        if surplus:
            notes.append(
                f"{family.place}{_title(family)} without {len(surplus)} case(s) that lack another "
                "of the combined metrics"
            )
    return kept, notes


def _shared(family: Family) -> set[Identity]:
    return set.intersection(*(set(model.identities or ()) for model in family.models))


def _without_value(family: Family) -> set[Identity]:
    """Cases of which some model has no finite value."""
    return {
        identity
        for model in family.models
        for identity, lacks in zip(model.identities or (), _lacks(model), strict=True)
        if lacks
    }


def _lacks(model: ModelCases) -> NDArray[np.bool_]:
    cells = np.asarray(model.predictions)
    if cells.dtype.kind == "f":
        return np.asarray(~np.isfinite(cells))
    return np.array([is_missing(cell) for cell in cells.tolist()], dtype=bool)


def _leave_out(family: Family, surplus: set[Identity]) -> Family:
    models = tuple(
        model.rows(np.flatnonzero([one not in surplus for one in model.identities or ()]))
        for model in family.models
    )
    return replace(family, models=models, n_unmatched=family.n_unmatched + len(surplus))


def _differing(families: Sequence[Family], shared: Sequence[set[Identity]]) -> str:
    every = set().union(*shared)
    absent = {_title(family): every - own for family, own in zip(families, shared, strict=True)}
    lacking = [
        f"{title} lacks {len(cases)} ({shortened(sorted(map(named, cases)), 3)})"
        for title, cases in absent.items()
        if cases
    ]
    return (
        f"{families[0].place}metrics that are combined need the same cases: {'; '.join(lacking)}. "
        f"{spelled('pairing', 'common')} leaves them out"
    )


def _title(family: Family) -> str:
    return metric_title(family.metric) if isinstance(family.metric, Metric) else "a metric"
