"""Checks of the values of one column, or of one metric of one structure and model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from halfwidth.audit.findings import part_finding, values_finding
from halfwidth.audit.parts import Part
from halfwidth.core.cautions import caution
from halfwidth.core.errors import shortened
from halfwidth.core.option_names import spelled_both
from halfwidth.core.spec import Better, Kind
from halfwidth.core.types import Array, Bounds
from halfwidth.core.undefined import Status
from halfwidth.data.repeat_cautions import repeat_cautions
from halfwidth.estimation.check import like_per_cent, outside_range
from halfwidth.estimation.worst_values import (
    FEWEST_PENALTIES,
    are_many,
    identical_worst,
    stands_apart,
)
from halfwidth.io.numerals import COMMA, GROUPED
from halfwidth.results.audit import Finding
from halfwidth.tables.missing_distances import missing_distances

FRACTION = Bounds(0, 1)
# What tools put in for a distance that they could not compute (374 and 373.13 mm are the diagonal
# of a BraTS volume), and what people write for "no value".
PENALTIES = frozenset(
    [
        *(374.0, 373.13, 373.129, 373.1287, 373.12866, 1000.0),
        *(-1.0, -9.0, -99.0, -999.0, 999.0, 999.9, 9999.0, 99999.0),
    ]
)
# Values of either unit from which on a column is a mixture, and how large its fractions are.
FEWEST_OF_A_UNIT, FAIR_FRACTION, FEW_FAILURES = 2, 0.2, 0.05
# A value tied so many times as often as any other is no coincidence.
LONE_PILE = 3
MOSTLY_DISTINCT = 0.8
# Fewer values say little about ties and constants.
FEWEST_VALUES, FEWEST_ROUNDED = 5, 20
MOST_DECIMALS = 4
# Rounding matters where it leaves fewer distinct values than this share.
DISTINCT_SHARE = 0.5
# Columns of scores.
SCORE = re.compile(r"(?<![a-z])(scores?|prob\w*|logits?|pred\w*|softmax)(?![a-z])")
# Words that the status column of a table may hold.
STATUSES = frozenset(str(one) for one in Status)


def check_values(part: Part) -> Iterator[Finding]:
    """Everything that one part shows by itself."""
    for check in CHECKS:
        yield from check(part)


# --------------------------------------------------------------------------- cells


def _missing(part: Part) -> Iterator[Finding]:
    absent = ~np.isfinite(part.numbers) & ~part.words
    infinite = int(np.isinf(part.numbers).sum())
    if absent.any():
        count, total = int(absent.sum()), len(absent)
        one = part.slice
        distances = missing_distances(
            part.table, one.column, one.rows, one.metric, (part.case, *one.by)
        )
        if distances is not None:
            raised = caution("HW926", count=count, total=total, reasons=distances.described())
        else:
            raised = caution(
                "HW101",
                count=count,
                total=total,
                what="values missing",
                infinite=f" ({infinite} of them infinite)" if infinite else "",
                policy=f"an estimate needs to know what they mean ({spelled_both('missing')})",
            )
        yield values_finding(part, absent, raised)


def _words(part: Part) -> Iterator[Finding]:
    cells = part.slice.values
    with_comma = [
        isinstance(cell, str) and bool(COMMA.fullmatch(cell) or GROUPED.fullmatch(cell))
        for cell in cells.tolist()
    ]
    commas = part.words & np.array(with_comma, dtype=bool)
    others = part.words & ~commas
    total = len(cells)
    if commas.any():
        raised = caution("HW917", commas=int(commas.sum()), total=total, cell=cells[commas][0])
        yield values_finding(part, commas, raised)
    if others.any():
        distinct = list(dict.fromkeys(cells[others].tolist()))
        raised = caution(
            "HW916", count=int(others.sum()), total=total, cells=shortened(distinct, 5)
        )
        yield values_finding(part, others, raised)


def _repeats(part: Part) -> Iterator[Finding]:
    for raised in repeat_cautions(part.slice.repeats, len(part.numbers)):
        yield part_finding(part, raised)


# --------------------------------------------------------------------------- range and unit


def _range(part: Part) -> Iterator[Finding]:
    outside = outside_range(part.numbers, part.spec)
    if not outside.any() or _mixture(part) is not None:
        return
    about = {
        "outside": int(outside.sum()),
        "total": len(outside),
        "metric": part.spec.called,
        "range": part.spec.bounds,
    }
    present = part.present
    if part.spec.bounds == FRACTION and len(present) and like_per_cent(present):
        yield part_finding(part, caution("HW904", **about))
    else:
        value = float(part.numbers[outside][0])
        yield values_finding(part, outside, caution("HW906", value=value, **about))


def _mixed_units(part: Part) -> Iterator[Finding]:
    mixture = _mixture(part)
    if mixture is None:
        return
    fractions, per_cent = mixture
    text = (
        f"{int(fractions.sum())} values lie within 0 and 1 and {int(per_cent.sum())} within 10 and "
        "100, and none between"
    )
    few = fractions if fractions.sum() < per_cent.sum() else per_cent
    yield values_finding(part, few, caution("HW905", what=text))


def _mixture(part: Part) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Values within (0, 1] and those between 10 and 100, where there are both and none between."""
    if part.spec.unit or (part.known and part.spec.bounds != FRACTION):
        return None
    numbers = part.numbers
    with np.errstate(invalid="ignore"):
        fractions, per_cent = (numbers > 0) & (numbers <= 1), (numbers > 10) & (numbers <= 100)
        others = ((numbers > 1) & (numbers <= 10)) | (numbers > 100) | (numbers < 0)
    if others.any() or min(fractions.sum(), per_cent.sum()) < FEWEST_OF_A_UNIT:
        return None
    # Per cent below 1 are failures, and few.
    few = fractions.sum() < FEW_FAILURES * per_cent.sum()
    fair = np.median(numbers[fractions]) >= FAIR_FRACTION
    return (fractions, per_cent) if fair and not few else None


# --------------------------------------------------------------------------- constants and ties


def _constant(part: Part) -> Iterator[Finding]:
    present = part.present
    if len(present) >= FEWEST_VALUES and present[0] == present[-1]:
        yield part_finding(part, caution("HW908", n=len(present), value=float(present[0])))


def _running_number(part: Part) -> Iterator[Finding]:
    numbers = part.numbers
    if len(numbers) < FEWEST_VALUES or numbers[0] not in (0, 1):
        return
    if bool((numbers == numbers[0] + np.arange(len(numbers))).all()):
        first, last = float(numbers[0]), float(numbers[-1])
        yield part_finding(part, caution("HW922", first=first, last=last))


def _rounded(part: Part) -> Iterator[Finding]:
    present = part.present
    distinct, decimals = len(np.unique(present)), _decimals(present)
    if len(present) < FEWEST_ROUNDED or decimals is None or distinct < 3:
        return
    if distinct < DISTINCT_SHARE * len(present):
        to = "1 decimal" if decimals == 1 else f"{decimals} decimals"
        raised = caution("HW915", n=len(present), distinct=distinct, decimals=to)
        yield part_finding(part, raised)


def _decimals(present: Array) -> int | None:
    """Decimals to which all values are rounded, up to four; None for more and for whole numbers."""
    if not len(present) or bool((present == np.rint(present)).all()):
        return None
    for decimals in range(1, MOST_DECIMALS + 1):
        if bool((np.round(present, decimals) == present).all()):
            return decimals
    return None


def _piles(part: Part) -> Iterator[Finding]:
    """Identical values: the worst, the best, or any other, one finding for each pile."""
    present, spec = part.present, part.spec
    if len(present) < FEWEST_VALUES or present[0] == present[-1] or spec.kind is Kind.BINARY:
        return
    explained: set[float] = set()
    worst = identical_worst(present, spec)
    if worst is not None:
        end = spec.worst
        if end is None:
            end = float(present[0] if spec.better is Better.HIGHER else present[-1])
        explained.add(end)
        yield values_finding(part, part.numbers == end, worst)
    best = {Better.HIGHER: spec.bounds.high, Better.LOWER: spec.bounds.low}.get(spec.better)
    # Values at an end of the range are failures and successes, which are tied by nature.
    explained |= {spec.bounds.low, spec.bounds.high}
    if best is not None and part.known and _pile_of_best(present, best, spec.kind):
        count = int((present == best).sum())
        raised = caution("HW919", count=count, total=len(present), value=best)
        yield values_finding(part, part.numbers == best, raised)
    yield from _constants(part, explained)


def _pile_of_best(present: Array, best: float, kind: Kind) -> bool:
    """Whether many values are perfect, and the others nowhere near.

    Where a perfect value is the last of many good ones, the best of the others is as near to it as
    they are to each other.
    """
    rest = np.abs(np.unique(present[present != best]) - best)
    if not are_many(int((present == best).sum()), len(present)) or len(rest) < FEWEST_VALUES:
        return False
    good = np.sort(rest)[: len(rest) // 2 + 1]
    # Distances between voxels come in steps; 0 is the first.
    steps = 2.0 if kind is Kind.DISCRETE else 0.0
    distinct = len(rest) >= MOSTLY_DISTINCT * int((present != best).sum())
    return bool(distinct and good[0] > np.diff(good).max() and good[0] >= steps)


def _constants(part: Part, explained: set[float]) -> Iterator[Finding]:
    """Values that look as if they were put in, other than those already explained."""
    present = part.present
    values, counts = np.unique(present[~np.isin(present, list(explained))], return_counts=True)
    whole = bool((present == np.rint(present)).all())
    stepped = whole or part.spec.kind is Kind.DISCRETE
    # Grades, such as 0.2, 0.5 and 0.9, are tied all over, and none lies near another.
    few_levels = len(values) <= FEWEST_VALUES
    worth = np.isin(values, list(PENALTIES)) | (counts >= FEWEST_PENALTIES)
    for value, count in zip(values[worth].tolist(), counts[worth].tolist(), strict=True):
        how = ""
        if _is_penalty(value, part) and stands_apart(present, value):
            how = "as tools put it in"
        elif not are_many(count, len(present)) or _is_score(part):
            continue
        elif not stepped and _alone(count, counts):
            how = "and no other value is tied as often"
        elif not (whole or part.known or few_levels) and (
            value in (present[0], present[-1]) and stands_apart(present, value)
        ):
            how = "apart from all others"
        if how:
            raised = caution("HW920", count=count, total=len(present), value=value, how=how)
            yield values_finding(part, part.numbers == value, raised)


def _is_score(part: Part) -> bool:
    """Whether values are scores of a classifier, which are tied where they are saturated."""
    return not part.known and bool(SCORE.search(part.slice.column.lower()))


def _is_penalty(value: float, part: Part) -> bool:
    return value in PENALTIES and not outside_range(np.array([value]), part.spec).any()


def _alone(count: int, counts: NDArray[np.intp]) -> bool:
    """Whether no other value is tied nearly as often."""
    others = np.sort(counts)[:-1]
    if not len(others) or count < counts.max() or count < LONE_PILE * others[-1]:
        return False
    # Values that come in steps are tied all over.
    return bool(len(others) >= MOSTLY_DISTINCT * others.sum())


# --------------------------------------------------------------------------- status


def _status(part: Part) -> Iterator[Finding]:
    """Rows whose status says something else than their value."""
    if part.slice.metric is None or "status" not in part.table:
        return
    factor = part.table.factor("status")
    levels = [str(level).strip().lower() for level in factor.levels]
    codes = factor.codes[part.slice.rows]
    for code in np.unique(codes[codes >= 0]).tolist():
        rows = codes == code
        for chosen, value in _against(part, levels[code]):
            wrong = rows & chosen
            if wrong.any():
                about = {"count": int(wrong.sum()), "status": levels[code], "value": value}
                yield values_finding(part, wrong, caution("HW918", **about))


def _against(part: Part, status: str) -> Iterator[tuple[NDArray[np.bool_], str]]:
    """Values that a status excludes, and what they are."""
    numbers = part.numbers
    if status not in STATUSES:
        yield np.ones(len(numbers), dtype=bool), "no known status"
    elif status == Status.OK:
        yield np.isnan(numbers) & ~part.words, "have no value"
        yield np.isinf(numbers), "are infinite"
    elif status in (Status.MISSED, Status.SPURIOUS) and part.known:
        worst = part.spec.worst
        if worst is not None and not part.spec.of_background:
            beside = np.isfinite(numbers) & (numbers != worst)
            yield beside, f"have another value than {worst:g}"
        elif part.spec.bounds.low == 0 and part.spec.kind is Kind.DISCRETE:
            yield numbers == 0, "a distance of 0"


CHECKS: tuple[Callable[[Part], Iterator[Finding]], ...] = (
    _missing,
    _words,
    _repeats,
    _range,
    _mixed_units,
    _constant,
    _running_number,
    _rounded,
    _piles,
    _status,
)
