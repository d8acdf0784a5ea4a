"""Whether the cases of a table give the means that it states, and under which policy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from halfwidth.audit.findings import values_finding
from halfwidth.audit.parts import MEANS, Part
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.spec import Better, MetricSpec
from halfwidth.core.types import Array
from halfwidth.io.table import StatedMean, Table
from halfwidth.results.audit import Finding
from halfwidth.tables.layout import Layout
from halfwidth.tables.summary_rows import Totals

# A stated mean is taken as rounded to the digits that it has, and to so many at the least.
FEWEST_DIGITS, RELATIVE = 2, 1e-6
LEFT_OUT = "left out"


def means_of_totals(table: Table, layout: Layout, totals: Totals) -> tuple[StatedMean, ...]:
    """The means in rows called mean below the cases."""
    means = []
    for word, row in zip(totals.words, totals.rows.tolist(), strict=True):
        if word.lower() not in MEANS:
            continue
        where = {name: table.factor(name).level(row) for name in layout.by}
        for column in layout.values:
            cell = table.values(column, np.array([row]))[0]
            if isinstance(cell, float) and math.isfinite(cell):
                known = {name: level for name, level in where.items() if level is not None}
                means.append(StatedMean(cell, column, known, source=f"row {word!r}"))
    return tuple(means)


def check_means(
    stated: Iterable[StatedMean], parts: Sequence[Part], name: str, scale: float
) -> Iterator[Finding]:
    """Every mean that the file states against its cases."""
    for mean in stated:
        own = [part for part in parts if _is_of(part, mean)]
        if not own:
            continue
        raised = _compared(mean, own, scale)
        if raised is not None:
            label = own[0].label if len(own) == 1 else mean.source
            count = sum(len(part.numbers) for part in own)
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
    for means in expected.values():
        # A column of rounded values: half of its last digit, and that of the values it is of.
        wrong &= ~np.isclose(own.numbers, means, rtol=RELATIVE, atol=_last_digit(own.numbers))
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        texts = [
            f"{means[first]:.6g} with missing ones {policy}" for policy, means in expected.items()
        ]
        raised = caution(
            "HW902",
            stated=float(own.numbers[first]),
            source=f"column {own.slice.column!r}, in {int(wrong.sum())} rows",
            n=len(others),
            found=", ".join(texts),
        )
        yield values_finding(own, wrong, raised)


def _last_digit(numbers: Array) -> float:
    """A unit in the last decimal to which all numbers are rounded, up to six."""
    finite = numbers[np.isfinite(numbers)]
    for decimals in range(1, 7):
        if bool((np.round(finite, decimals) == finite).all()):
            return float(10.0**-decimals)
    return 0.0


def _rounding_of_mean(parts: Sequence[Part]) -> float:
    """How far the mean of rounded values may be from that of the values before."""
    values = np.concatenate([part.present for part in parts])
    if bool((values == np.rint(values)).all()):
        return 0.0
    # Errors of rounding have an SD of a twelfth's root of the last digit: four standard errors.
    return _last_digit(values) * min(0.5, 4 / math.sqrt(12 * len(values)))


def _is_of(part: Part, mean: StatedMean) -> bool:
    if part.slice.column != mean.column:
        return False
    parameters = part.slice.parameters.removeprefix(":").replace(",", ";")
    levels = {**part.slice.by, "metric": part.slice.metric, "parameters": parameters}
    return all(
        str(levels.get(name)).replace(",", ";") == str(level).replace(",", ";")
        for name, level in mean.where.items()
    )


def _compared(mean: StatedMean, parts: Sequence[Part], scale: float) -> Caution | None:
    """What a stated mean calls for; None where no policy is needed to reproduce it."""
    value = mean.value / scale
    slack = _rounding(mean.value) / scale + _rounding_of_mean(parts)
    by_policy = _means(parts, over=mean.over)
    samples = [_every_row(part) for part in parts]
    missing = sum(int((~np.isfinite(sample)).sum()) for sample in samples)
    unexplained = sum(int((~np.isfinite(part.numbers)).sum()) for part in parts)
    matching = [policy for policy, own in by_policy.items() if _agree(value, own, slack)]
    n = sum(len(part.rows) for part in parts)
    if not matching:
        texts = [f"{own:.6g} {policy}" for policy, own in by_policy.items()]
        only = f"{next(iter(by_policy.values()), math.nan):.6g}"
        means = f"with missing values ({missing}) {', '.join(texts)}" if len(texts) > 1 else only
        return caution("HW902", stated=value, source=mean.source, n=n, found=means)
    others = [f"{own:.6g} {policy}" for policy, own in by_policy.items() if policy not in matching]
    # Leaving out rows to which a metric does not apply needs no policy.
    if not others or (not unexplained and LEFT_OUT in matching):
        return None
    return caution(
        "HW903",
        stated=value,
        source=mean.source,
        missing=missing,
        policy=matching[0],
        others=", ".join(others),
    )


def _means(parts: Sequence[Part], *, over: str | None) -> dict[str, float]:
    """The mean of some parts under each policy for values that are missing or not applicable."""
    means = {LEFT_OUT: _pooled([part.numbers for part in parts], over)}
    for policy, value_of in POLICIES.items():
        values = [value_of(part.spec) for part in parts]
        filled = [
            np.where(np.isfinite(numbers), numbers, value)
            for numbers, value in zip(map(_every_row, parts), values, strict=True)
            if value is not None and math.isfinite(value)
        ]
        if len(filled) == len(parts):
            mean = _pooled(filled, over)
            if not any(_agree(mean, known) for known in means.values()):
                means[policy] = mean
    return {policy: mean for policy, mean in means.items() if math.isfinite(mean)}


def _every_row(part: Part) -> Array:
    """Values of all rows, and NaN for each row to which the metric does not apply."""
    return np.append(part.numbers, np.full(len(part.rows) - len(part.numbers), np.nan))


def _best(spec: MetricSpec) -> float | None:
    return {Better.HIGHER: spec.bounds.high, Better.LOWER: spec.bounds.low}.get(spec.better)


POLICIES: Mapping[str, Callable[[MetricSpec], float | None]] = {
    "counted as the worst": lambda spec: spec.worst,
    "counted as 0": lambda _: 0.0,
    "counted as perfect": _best,
}


def _pooled(samples: Sequence[Array], over: str | None) -> float:
    """The mean of all values, or the mean of the means of the samples that have any."""
    finite = [sample[np.isfinite(sample)] for sample in samples]
    finite = [sample for sample in finite if len(sample)]
    if not finite:
        return math.nan
    if over is not None:
        return float(np.mean([sample.mean() for sample in finite]))
    return float(np.concatenate(finite).mean())


def _agree(stated: float, computed: float, slack: float = 0.0) -> bool:
    """Whether a stated mean is the one computed, up to its rounding."""
    return abs(stated - computed) <= max(slack, RELATIVE * max(abs(stated), abs(computed)))


def _rounding(stated: float) -> float:
    """Half a unit in the last decimal of a number, of 0.8 that of 0.80."""
    digits, point, decimals = repr(float(stated)).partition(".")
    if not point or "e" in decimals:
        return 0.0
    significant = len((digits + decimals).lstrip("-0"))
    return 0.5000001 * 10.0 ** -(len(decimals) + max(FEWEST_DIGITS - significant, 0))
