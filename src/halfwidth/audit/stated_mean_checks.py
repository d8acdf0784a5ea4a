"""Whether the cases of a table give the means that it states, and under which policy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from halfwidth.audit.findings import of_values
from halfwidth.audit.parts import Part
from halfwidth.core.audit import Finding
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.types import Array
from halfwidth.io.layout import Layout
from halfwidth.io.summary_rows import Totals
from halfwidth.io.table import StatedMean, Table

MEANS = frozenset({"mean", "average", "avg"})
# A stated mean may be rounded to so many digits at the least; beyond it, to those it has.
FEWEST_DIGITS, RELATIVE = 2, 1e-6


def means_of_totals(table: Table, layout: Layout, totals: Totals) -> tuple[StatedMean, ...]:
    """The means in rows called mean below the cases."""
    found = []
    for word, row in zip(totals.words, totals.rows.tolist(), strict=True):
        if word.lower() not in MEANS:
            continue
        where = {name: table.factor(name).level(row) for name in layout.by}
        for column in layout.values:
            cell = table.values(column, np.array([row]))[0]
            if isinstance(cell, float) and math.isfinite(cell):
                given = {name: level for name, level in where.items() if level is not None}
                found.append(StatedMean(cell, column, given, source=f"row {word!r}"))
    return tuple(found)


def check_means(
    stated: Iterable[StatedMean], parts: Sequence[Part], name: str, scale: float
) -> Iterator[Finding]:
    """Every mean that the file states against its cases."""
    for mean in stated:
        of_it = [part for part in parts if _is_of(part, mean)]
        if not of_it:
            continue
        value = mean.value / scale
        raised = _compared(value, mean, of_it)
        if raised is not None:
            label = of_it[0].label if len(of_it) == 1 else mean.source
            count = sum(len(part.numbers) for part in of_it)
            yield Finding(raised, name, label, count)


def check_row_means(parts: Sequence[Part]) -> Iterator[Finding]:
    """A column called mean against the other columns of each row."""
    own = next((part for part in parts if part.slice.column.strip().lower() in MEANS), None)
    if own is None or own.slice.metric is not None:
        return
    others = [
        part.numbers
        for part in parts
        if part.slice.by == own.slice.by and part is not own and part.metric == own.metric
    ]
    if len(others) < 2:
        return
    values = np.stack(others)
    present = np.isfinite(values)
    count = present.sum(axis=0)
    total = np.where(present, values, 0.0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = {"left out": total / count, "counted as 0": total / len(others)}
    stated = np.isfinite(own.numbers) & (count > 0)
    wrong = stated.copy()
    for found in expected.values():
        # A column of rounded values: half of its last digit, and that of the values it is of.
        wrong &= ~np.isclose(own.numbers, found, rtol=RELATIVE, atol=_last_digit(own.numbers))
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        found = ", ".join(
            f"{means[first]:.6g} with missing ones {policy}" for policy, means in expected.items()
        )
        raised = caution(
            "HW902",
            stated=float(own.numbers[first]),
            source=f"column {own.slice.column!r}, in {int(wrong.sum())} rows",
            n=len(others),
            found=found,
        )
        yield of_values(own, wrong, raised)


def _last_digit(numbers: Array) -> float:
    """A unit in the last decimal to which all numbers are rounded, up to six."""
    finite = numbers[np.isfinite(numbers)]
    for decimals in range(1, 7):
        if bool((np.round(finite, decimals) == finite).all()):
            return float(10.0**-decimals)
    return 0.0


def _is_of(part: Part, mean: StatedMean) -> bool:
    if part.slice.column != mean.column:
        return False
    levels = {**part.slice.by, "metric": part.slice.metric}
    return all(str(levels.get(name)) == str(level) for name, level in mean.where.items())


def _compared(value: float, mean: StatedMean, parts: Sequence[Part]) -> Caution | None:
    """What a stated mean calls for; None where no policy is needed to reproduce it."""
    by_policy = _means(parts, over=mean.over)
    missing = sum(int((~np.isfinite(part.numbers)).sum()) for part in parts)
    matching = [policy for policy, found in by_policy.items() if _agree(value, found)]
    n = sum(len(part.numbers) for part in parts)
    shown = {policy: f"{found:.6g} with them {policy}" for policy, found in by_policy.items()}
    if not matching:
        only = next(iter(by_policy.values()), math.nan)
        found = "; ".join(shown.values()) if missing and len(shown) > 1 else f"{only:.6g}"
        if missing and len(shown) > 1:
            found = f"({missing} missing) {found}"
        return caution("HW902", stated=value, source=mean.source, n=n, found=found)
    others = [text for policy, text in shown.items() if policy not in matching]
    if not missing or not others:
        return None
    return caution(
        "HW903",
        stated=value,
        source=mean.source,
        missing=missing,
        policy=matching[0],
        others=f"it would be {' and '.join(others)}",
    )


def _means(parts: Sequence[Part], *, over: str | None) -> dict[str, float]:
    """The mean of some parts under each policy for missing values."""
    found = {"left out": _pooled([part.numbers for part in parts], over)}
    for how, worst in (("counted as the worst", True), ("counted as 0", False)):
        filled = [_filled(part, worst=worst) for part in parts]
        if all(one is not None for one in filled):
            value = _pooled([one for one in filled if one is not None], over)
            if not any(_agree(value, known) for known in found.values()):
                found[how] = value
    return {policy: value for policy, value in found.items() if math.isfinite(value)}


def _filled(part: Part, *, worst: bool) -> Array | None:
    """Numbers with the missing ones as the worst value, or as 0; None where no value is known."""
    value = part.spec.worst if worst else 0.0
    return None if value is None else np.where(np.isfinite(part.numbers), part.numbers, value)


def _pooled(samples: Sequence[Array], over: str | None) -> float:
    """The mean of all values, or the mean of the means of the samples that have any."""
    finite = [sample[np.isfinite(sample)] for sample in samples]
    finite = [sample for sample in finite if len(sample)]
    if not finite:
        return math.nan
    if over is not None:
        return float(np.mean([sample.mean() for sample in finite]))
    return float(np.concatenate(finite).mean())


def _agree(stated: float, found: float) -> bool:
    """Whether a stated number is the one that was found, rounded to the digits that it has."""
    if abs(stated - found) <= RELATIVE * max(abs(stated), abs(found)):
        return True
    text = repr(stated)
    if "e" in text or "." not in text:
        return False
    decimals = len(text.partition(".")[2])
    return len(text.replace(".", "").lstrip("0-")) >= FEWEST_DIGITS and (
        abs(stated - found) <= 0.5000001 * 10.0**-decimals
    )
