"""Checks across columns, models and files: what the values of the same cases say of each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.audit.findings import part_finding
from halfwidth.audit.parts import MEANS, Part
from halfwidth.audit.table_checks import spelled_alike
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import quoted, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.io.table import Factor
from halfwidth.results.audit import MOST_NAMED, Finding
from halfwidth.tables.missing_distances import overlap_beside

# Distinct values that two columns must share to be copies, and values of a case.
FEWEST_DISTINCT, FEWEST_SHARED = 5, 3
# Cases in which the values of a label are there for one model and missing for another.
FEWEST_EXCHANGED = 3


@frozen(eq=False)
class CaseTable:
    """The values of all parts by case, (parts, cases); cases without ids have no place here."""

    cases: tuple[str, ...]
    parts: tuple[Part, ...]
    # NaN where there is none.
    values: Array
    # Whether the table has a row, though without a value.
    rows: NDArray[np.bool_]
    # Whether that row says that the metric does not apply.
    not_applicable: NDArray[np.bool_]

    def by_content(self) -> Mapping[str, list[int]]:
        """The places of the parts of each column, or label and metric, one for each model."""
        return _places(part.content for part in self.parts)

    def by_model(self) -> Mapping[str, list[int]]:
        """The places of the parts of each model."""
        return _places(part.model for part in self.parts)

    def finding(self, part: Part, chosen: NDArray[np.bool_], raised: Caution) -> Finding:
        """A finding about some cases of a part."""
        count = int(chosen.sum())
        return Finding(raised, part.name, part.label, count, cases=self.named(chosen))

    def named(self, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
        """The first of some cases."""
        return tuple(self.cases[at] for at in np.flatnonzero(chosen)[:MOST_NAMED])


def _places(names: Iterable[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        places.setdefault(name, []).append(at)
    return places


def by_case(parts: Sequence[Part]) -> CaseTable:
    """The values of parts whose cases have ids; of a case that repeats in a part, the first."""
    identified = [part for part in parts if part.case is not None]
    place: dict[str, int] = {}
    places = {
        id(part.table): np.array(
            [
                *(place.setdefault(str(one), len(place)) for one in _ids(part).levels),
                -1,  # where the codes of missing ids point
            ],
            dtype=np.intp,
        )
        for part in identified
    }
    values = np.full((len(identified), len(place)), np.nan)
    rows, not_applicable = np.zeros((2, *values.shape), dtype=bool)
    for at, part in enumerate(identified):
        codes, own = _ids(part).codes, places[id(part.table)]
        for marked, chosen in ((rows, part.rows), (not_applicable, part.slice.not_applicable)):
            cases = own[codes[chosen]]
            marked[at, cases[cases >= 0]] = True
        cases, numbers = own[codes[part.slice.rows]][::-1], part.numbers[::-1]
        values[at, cases[cases >= 0]] = numbers[cases >= 0]
    # One bit pattern for all missing values, by which rows are compared.
    values[np.isnan(values)] = np.nan
    return CaseTable(tuple(place), tuple(identified), values, rows, not_applicable)


def _ids(part: Part) -> Factor:
    return part.table.factor(str(part.case))


def check_cases_across(table: CaseTable) -> Iterator[Finding]:
    """Everything that the values of the same cases say of each other."""
    yield from _same_columns(table)
    yield from _same_cases(table)
    yield from _contradictions(table)
    yield from _absent_rows(table)
    yield from _ids_in_two_spellings(table)
    apart = list(_without_common_cases(table))
    yield from apart
    exchanged = list(_exchanged(table))
    yield from exchanged
    if not exchanged and not apart:
        yield from _some_models_only(table)
    yield from _units_across(table)


# --------------------------------------------------------------------------- copies


def _same_columns(table: CaseTable) -> Iterator[Finding]:
    seen: dict[bytes, int] = {}
    for at, part in enumerate(table.parts):
        values = table.values[at]
        if _distinct(values) < FEWEST_DISTINCT:
            continue
        first = seen.setdefault(values.tobytes(), at)
        if first == at:
            continue
        other = table.parts[first]
        if _is_mean(part) != _is_mean(other):
            # The mean of one class is that class.
            continue
        if part.content == other.content and part.model != other.model:
            raised = caution("HW801", first=other.model, second=part.model, what=part.content)
        else:
            n = int(np.isfinite(values).sum())
            names = [_called(one, table) for one in (other, part)]
            raised = caution("HW910", first=names[0], second=names[1], n=n)
        yield part_finding(part, raised)


def _is_mean(part: Part) -> bool:
    return part.slice.column.strip().lower() in MEANS


def _called(part: Part, table: CaseTable) -> str:
    several = len({one.model for one in table.parts}) > 1
    return repr(" / ".join(filter(None, [part.model if several else "", part.content])))


def _distinct(values: Array) -> int:
    """Distinct finite values but for those at an end of most metrics' range."""
    finite = np.unique(values[np.isfinite(values)])
    return int((~np.isin(finite, (0.0, 1.0, 100.0))).sum())


def _same_cases(table: CaseTable) -> Iterator[Finding]:
    """Cases that share all their values, in each model by itself."""
    for model, places in table.by_model().items():
        values = table.values[places].T
        first_of: dict[bytes, int] = {}
        copies: list[tuple[int, int]] = []
        for case in np.flatnonzero(np.isfinite(values).sum(axis=1) >= FEWEST_SHARED).tolist():
            first = first_of.setdefault(values[case].tobytes(), case)
            if first != case and _distinct(values[case]) >= FEWEST_SHARED:
                copies.append((first, case))
        if copies:
            chosen = np.zeros(len(table.cases), dtype=bool)
            chosen[[case for _, case in copies]] = True
            raised = caution(
                "HW914",
                count=len(copies),
                total=len(table.cases),
                values=int(np.isfinite(values[copies[0][0]]).sum()),
                first=table.cases[copies[0][0]],
                second=table.cases[copies[0][1]],
            )
            part = table.parts[places[0]]
            yield Finding(raised, part.name, model, len(copies), cases=table.named(chosen))


# --------------------------------------------------------------------------- metrics


def _contradictions(table: CaseTable) -> Iterator[Finding]:
    """Cases with an overlap of 0 and a distance of 0."""
    groups: dict[tuple[str, str], list[int]] = {}
    for at, part in enumerate(table.parts):
        levels = tuple(str(level) for level in part.slice.by.values())
        groups.setdefault((part.name, " / ".join(levels)), []).append(at)
    for places in groups.values():
        overlaps = [at for at in places if table.parts[at].spec.family == "overlap"]
        distances = [at for at in places if table.parts[at].spec.unit == "mm"]
        for distance in distances:
            one = table.parts[distance].slice
            # Columns of a wide table are of several structures.
            beside = one.metric is None and overlap_beside(table.parts[distance].table, one.column)
            overlap = next(
                (
                    at
                    for at in overlaps
                    if table.parts[at].spec.worst == 0
                    and (one.metric is not None or table.parts[at].slice.column == beside)
                ),
                None,
            )
            if overlap is None:
                continue
            both = (table.values[overlap] == 0) & (table.values[distance] == 0)
            if both.any():
                raised = caution(
                    "HW921",
                    count=int(both.sum()),
                    total=len(table.cases),
                    overlap=table.parts[overlap].spec.called,
                    distance=table.parts[distance].spec.called,
                )
                yield table.finding(table.parts[distance], both, raised)


# --------------------------------------------------------------------------- models


def _absent_rows(table: CaseTable) -> Iterator[Finding]:
    """Cases without a row for some structure, in this model and in all others."""
    by_content = table.by_content()
    for places in table.by_model().values():
        rows = table.rows[places]
        there = rows.any(axis=0)
        for at, own in zip(places, rows, strict=True):
            part = table.parts[at]
            elsewhere = table.rows[by_content[part.content]].any(axis=0)
            lacking = there & ~own & ~elsewhere
            if lacking.any():
                count, total = int(lacking.sum()), int(there.sum())
                raised = caution("HW912", count=count, total=total, what=part.content)
                yield table.finding(part, lacking, raised)


def _cases_of_tables(table: CaseTable) -> dict[str, NDArray[np.bool_]]:
    """Which cases each of several tables has."""
    cases: dict[str, NDArray[np.bool_]] = {}
    for part, rows in zip(table.parts, table.rows, strict=True):
        cases[part.name] = cases.get(part.name, np.zeros(len(rows), dtype=bool)) | rows
    return cases


def _ids_in_two_spellings(table: CaseTable) -> Iterator[Finding]:
    """Cases that one table calls otherwise than another one does."""
    own = _cases_of_tables(table)
    if len(own) < 2:
        return
    place = {case: at for at, case in enumerate(table.cases)}
    groups = [
        group
        for group in spelled_alike(table.cases)
        if all(sum(bool(cases[place[one]]) for one in group) < 2 for cases in own.values())
    ]
    if groups:
        raised = caution("HW909", names=quoted(groups[0]), where="the cases of different tables")
        names = tuple(one for group in groups for one in group)[:MOST_NAMED]
        yield Finding(raised, shortened([*own], MOST_NAMED), count=len(groups), cases=names)


def _without_common_cases(table: CaseTable) -> Iterator[Finding]:
    """Tables that share no case with any other."""
    own = _cases_of_tables(table)
    for name, cases in own.items():
        others = [rows for other, rows in own.items() if other != name]
        if others and not (cases & np.any(others, axis=0)).any():
            raised = caution("HW925", model=name, count=int(cases.sum()))
            yield Finding(raised, name, count=int(cases.sum()), cases=table.named(cases))


def _some_models_only(table: CaseTable) -> Iterator[Finding]:
    """Cases without a value, and without a word why, in a model; others have one there."""
    for places in table.by_content().values():
        present = np.isfinite(table.values[places])
        for at, own in zip(places, present, strict=True):
            others = [other for other in places if other != at]
            elsewhere = np.isfinite(table.values[others]).any(axis=0) if others else ~own & False
            lacking = elsewhere & ~own & ~table.not_applicable[at]
            if not lacking.any():
                continue
            part = table.parts[at]
            models = [table.parts[other].model for other in others]
            whose = f"{models[0]} has one" if len(models) == 1 else "others have one"
            raised = caution(
                "HW911",
                model=part.model,
                count=int(lacking.sum()),
                total=int((elsewhere | own).sum()),
                others=whose,
            )
            yield table.finding(part, lacking, raised)


def _exchanged(table: CaseTable) -> Iterator[Finding]:
    """Pairs of labels that are missing in one model where the other one is in most models."""
    models = table.by_model()
    if len(models) < 2:
        return
    missing = {
        model: {table.parts[at].content: ~np.isfinite(table.values[at]) for at in places}
        for model, places in models.items()
    }
    usual = _usual_pattern(missing)
    for model, own in missing.items():
        names = [name for name in own if name in usual and _differ(own[name], usual[name])]
        for place, first in enumerate(names):
            for second in names[place + 1 :]:
                crossed = not _differ(own[first], usual[second]) and not _differ(
                    own[second], usual[first]
                )
                if crossed:
                    other = next(one for one in models if one != model)
                    raised = caution(
                        "HW923", first=repr(first), model=model, second=repr(second), other=other
                    )
                    part = table.parts[models[model][0]]
                    yield Finding(raised, part.name, f"{first}, {second}", 2)


def _usual_pattern(
    missing: Mapping[str, Mapping[str, NDArray[np.bool_]]],
) -> dict[str, NDArray[np.bool_]]:
    """Where the values of each label are missing in most models; of two models, in the first."""
    patterns: dict[str, list[NDArray[np.bool_]]] = {}
    for own in missing.values():
        for name, pattern in own.items():
            patterns.setdefault(name, []).append(pattern)
    usual = {}
    for name, each in patterns.items():
        agreeing = [sum(bool((one == other).all()) for other in each) for one in each]
        usual[name] = each[int(np.argmax(agreeing))]
    return usual


def _differ(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> bool:
    return int((one != other).sum()) >= FEWEST_EXCHANGED


def _units_across(table: CaseTable) -> Iterator[Finding]:
    """Parts of one metric of which some are fractions and others per cent."""
    for content, places in table.by_content().items():
        fractions, per_cent = [], []
        for at in places:
            values = table.values[at][np.isfinite(table.values[at])]
            if len(values) < 2 or values.min() < 0 or table.parts[at].spec.unit:
                continue
            if values.max() <= 1:
                fractions.append(at)
            elif np.median(values) > 10 and values.max() <= 100:
                per_cent.append(at)
        if fractions and per_cent:
            few = min((fractions, per_cent), key=len)
            names = shortened([table.parts[at].model for at in few], MOST_NAMED)
            kind = "fractions" if few is fractions else "per cent"
            other = "per cent" if few is fractions else "fractions"
            text = f"{content} of {names} is in {kind}, that of the other models in {other}"
            part = table.parts[few[0]]
            yield part_finding(part, caution("HW905", what=f"{text[:1].upper()}{text[1:]}"))
