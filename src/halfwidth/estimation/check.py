"""Checks of per-case values; everything below trusts their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.checks import as_number, is_masked, is_number, refuse_paths
from halfwidth.core.errors import DataError, OptionError, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.metric_spec import PROPORTION, UNNAMED
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Kind, Metric, MetricSpec
from halfwidth.core.types import Array, Bounds
from halfwidth.core.undefined import apply_missing_policy, is_missing
from halfwidth.estimation.grouping import arrange_cases, unit_codes
from halfwidth.estimation.pairing import paired
from halfwidth.estimation.records import Records
from halfwidth.estimation.resolve import Request

# Values this little outside the bounds, relative to their width, are rounding of the file.
RANGE_ROUNDING = 1e-9
# Squares of sums of larger values overflow, and squares of smaller differences vanish.
LARGEST, SMALLEST_SPREAD = 1e100, 1e-100
WANTED_SCALE = "a positive number; values are divided by it"


@frozen
class Sample:
    """Values of cases, ready for use: finite and in range."""

    metric: Metric
    # Whether the values are 0 and 1, so that their mean is a proportion.
    binary: bool
    records: Records
    # The values in the order given, and which of the cases given they are.
    in_order: Array
    kept: NDArray[np.bool_]

    @property
    def values(self) -> Array:
        """Values of cases, or means of clusters, ascending."""
        return self.records.values


def as_numbers(values: Any, where: str = "values", cases: Sequence[object] | None = None) -> Array:
    """A flat float array, or a `DataError`; None, NA and masked entries become NaN."""
    if is_masked(values) and values.ndim == 1:
        hidden = np.ma.getmaskarray(values).tolist()
        pairs = zip(values.data.tolist(), hidden, strict=True)
        values = [None if masked else cell for cell, masked in pairs]
    array = _as_flat_array(values, where)
    if array.dtype.kind in "bui":
        return array.astype(float)
    if array.dtype.kind == "f":
        return array.astype(float, copy=False)
    if array.dtype.kind != "O":
        raise DataError(f"{where}: cannot use values of type {array.dtype}")
    numbers = [_as_number(value) for value in array.tolist()]
    if None in numbers:
        raise _not_a_number(array.tolist(), where, cases)
    as_floats = np.array(numbers, dtype=float)
    truths = [isinstance(value, bool | np.bool_) for value in array.tolist()]
    if any(truths) and not np.isin(as_floats[~np.isnan(as_floats)], (0, 1)).all():
        place = truths.index(True)
        raise DataError(
            f"{where}: case {_called(cases, place)} holds {array[place]}, which is not a number, "
            "and other cases hold numbers"
        )
    return as_floats


def _as_flat_array(values: Any, where: str) -> np.ndarray[Any, Any]:
    """One dimension of numbers or objects; NumPy would turn a list with one text into text."""
    refuse_paths(values)
    if isinstance(values, str | bytes | Mapping):
        raise DataError(f"{where}: expected one number per case, got {shown(values)}")
    try:
        array = np.asarray(values)
    except ValueError:
        raise DataError(f"{where}: expected one number per case, got nested values") from None
    # NumPy makes True among numbers 1.
    kinds = set(map(type, values)) if isinstance(values, list | tuple) else set()
    if array.dtype.kind in "SU" or (array.dtype.kind in "iuf" and kinds & {bool, np.bool_}):
        array = np.asarray(values, dtype=object)
    if array.ndim == 0:
        raise DataError(f"{where}: expected one number per case, got {shown(values)}")
    if array.ndim != 1:
        tables = "; name the column, or give the table to CaseValues.from_table"
        raise DataError(
            f"{where}: expected one number per case (one dimension), got shape {array.shape}"
            f"{tables if hasattr(values, 'columns') else ''}"
        )
    return array


def _are_bools(values: Any) -> bool:
    """Whether the values say right or wrong rather than how much."""
    array = np.asarray(values)
    if array.dtype.kind == "O":
        return all(isinstance(value, bool | np.bool_) for value in array)
    return array.dtype.kind == "b"


def _as_number(value: Any) -> float | None:
    """A cell as a float, None where it is none."""
    if is_missing(value):
        return float("nan")
    if not isinstance(value, bool | np.bool_) and not is_number(value):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _not_a_number(values: Sequence[Any], where: str, cases: Sequence[object] | None) -> DataError:
    """Blames the first cell that no reading makes a number; else the first that is text."""
    texts = [i for i, value in enumerate(values) if _as_number(value) is None]
    position = next((i for i in texts if not _reads_as_number(values[i])), texts[0])
    from halfwidth.io.numerals import like_a_number

    value = values[position]
    hint = ""
    if isinstance(value, str) and like_a_number(value) and not _reads_as_number(value):
        grouped = value.count(",") != 1 or "." in value
        hint = (
            "; write numbers without separators of thousands"
            if grouped
            else f"; write decimals with a point, or say what they are: {spelled('decimal', ',')}"
        )
    elif isinstance(value, str) and value.endswith("%"):
        hint = f"; remove the % signs and use {spelled('scale', 100)}"
    elif _reads_as_number(value):
        hint = " but text; convert the values first"
    wrong = "too large for floating point" if is_number(value) else "not a number"
    case = _called(cases, position)
    return DataError(f"{where}: case {case} holds {shown(value)}, which is {wrong}{hint}")


def _called(cases: Sequence[object] | None, place: int) -> object:
    return f"#{place + 1}" if cases is None else cases[place]


def _reads_as_number(value: Any) -> bool:
    try:
        float(value if isinstance(value, str | bytes) else "")
    except ValueError:
        return False
    return True


@frozen
class Ready:
    """Values of cases that count, finite and in range, in the order given."""

    values: Array
    # Which of the cases given they are.
    kept: NDArray[np.bool_]
    n_missing: int
    n_infinite: int


def scaled_numbers(
    values: Any,
    metric: Metric,
    scale: float,
    where: str,
    cases: Sequence[object] | None = None,
) -> Array:
    """Values as numbers in the metric's unit and range; missing ones are NaN, or infinite."""
    numbers = as_numbers(values, where, cases)
    scale = as_number("scale", scale, WANTED_SCALE)
    if scale <= 0:
        raise OptionError(f"{spelled('scale', scale)} is not {WANTED_SCALE}")
    with np.errstate(over="ignore"):
        scaled = numbers / scale
    if np.isinf(scaled[np.isfinite(numbers)]).any():
        raise OptionError(f"{spelled('scale', scale)} is too small: {where} divided by it overflow")
    # Out of range is out of range, whatever becomes of the missing ones.
    outside = outside_range(scaled, metric.spec)
    if outside.any():
        raise DataError(_out_of_range(scaled, outside, metric.spec, scale, where, cases))
    return scaled


def ready_values(
    values: Any,
    metric: Metric,
    request: Request,
    *,
    scale: float = 1.0,
    where: str,
    cases: Sequence[object] | None = None,
    may_be_empty: bool = False,
) -> Ready:
    """Values that are numbers, in range and present, or a `DataError` that says what is wrong."""
    numbers = scaled_numbers(values, metric, scale, where, cases)
    finite, kept, n_missing = apply_missing_policy(
        numbers, request.missing, request.penalty, metric, where, cases
    )
    if not len(finite) and not may_be_empty:
        raise DataError(f"{where}: no values" + (" left" if len(numbers) else " given"))
    check_magnitude(finite, where)
    return Ready(finite, kept, n_missing, int(np.isinf(numbers).sum()))


def check_sample(
    values: Any,
    metric: Metric,
    request: Request,
    *,
    scale: float,
    where: str,
    cases: Sequence[object] | None = None,
    groups: Any = None,
    strata: Any = None,
    may_be_empty: bool = False,
) -> Sample:
    """Per-case values made ready, or a `DataError` that says what is wrong with them and where."""
    inputs = paired({where: values, "groups": groups, "strata": strata})
    groups, strata = inputs.aligned["groups"], inputs.aligned["strata"]
    ready = ready_values(
        values,
        metric,
        request,
        scale=scale,
        where=where,
        cases=cases,
        may_be_empty=may_be_empty,
    )
    clusters, strata_codes = unit_codes(groups, strata, ready.kept, where, cases)
    binary = metric.spec.kind is Kind.BINARY
    if metric.spec == UNNAMED and len(ready.values):
        binary = _are_bools(values) or set(np.unique(ready.values)) == {0.0, 1.0}
        if binary:
            metric = Metric(PROPORTION)
    in_order, design = arrange_cases(ready.values, clusters, strata_codes, request.over)
    records = Records(
        in_order,
        design,
        len(ready.values),
        values=in_order if design.simple else np.sort(in_order),
        n_groups=None if clusters is None else len(np.unique(clusters)),
        over=request.over,
        n_missing=ready.n_missing,
        n_infinite=ready.n_infinite,
        cautions=inputs.cautions(ready.kept, groups),
    )
    return Sample(metric, binary and request.over == "cases", records, ready.values, ready.kept)


def check_magnitude(values: Array, where: str) -> None:
    """Refuse values whose squares floating point has no room for, and spreads that vanish in it."""
    if not len(values):
        return
    low, high = float(values.min()), float(values.max())
    largest = max(abs(low), abs(high))
    if largest > LARGEST:
        raise DataError(
            f"{where}: values up to {largest:.3g} are too large to be squared in floating point; "
            "scale them"
        )
    if 0 < high - low < SMALLEST_SPREAD:
        raise DataError(
            f"{where}: values from {low:.3g} to {high:.3g} differ by too little to be squared in "
            "floating point; scale them"
        )


def like_per_cent(values: Array) -> bool:
    """Whether numbers beyond the range of a fraction look like per cent."""
    return bool(values.min() >= 0 and 10 < values.max() <= 100)


def outside_range(numbers: Array, spec: MetricSpec) -> NDArray[np.bool_]:
    """Which values the metric cannot have."""
    if spec.kind is Kind.BINARY:
        return np.asarray(np.isfinite(numbers) & (numbers != 0) & (numbers != 1))
    bounds = spec.bounds
    slack = RANGE_ROUNDING * bounds.width if bounds.finite else 0.0
    # An infinite distance is a missed structure; an infinite Dice, or minus infinity, is no value.
    # Comparisons with NaN are false.
    return np.asarray((numbers < bounds.low - slack) | (numbers > bounds.high + slack))


def _out_of_range(
    numbers: Array,
    outside: NDArray[np.bool_],
    spec: MetricSpec,
    scale: float,
    where: str,
    cases: Sequence[object] | None,
) -> str:
    """Which values lie outside, and what they may be instead."""
    bounds, first = spec.bounds, int(np.flatnonzero(outside)[0])
    allowed = "0 and 1" if spec.kind is Kind.BINARY else f"the range {bounds}"
    text = (
        f"{where}: {int(outside.sum())} of {len(numbers)} values lie outside {allowed} of "
        f"{spec.called} (case {_called(cases, first)}: {numbers[first]:g})"
    )
    finite = numbers[np.isfinite(numbers)]
    share = bounds == Bounds(0, 1) and scale == 1 and len(finite) > 0
    whole = bool((finite == np.rint(finite)).all())
    columns = f"name the columns that hold values ({spelled('value')})"
    if share and like_per_cent(finite):
        if whole:
            per_cent = f"If they are per cent: {spelled('scale', 100)}"
            return f"{text}. {per_cent}; if they are counts, {columns}"
        return f"{text}. They look like per cent: use {spelled('scale', 100)}"
    if share and whole:
        return f"{text}. If they are counts or codes, {columns}"
    unscaled = finite * scale
    if (
        spec.bounds_given
        and scale != 1
        and (bounds.low <= unscaled).all()
        and (unscaled <= bounds.high).all()
    ):
        low, high = (bound / scale for bound in (bounds.low, bounds.high))
        return (
            f"{text}. Values are divided by {spelled('scale', scale)} first: did you "
            f"mean the bounds {low:g},{high:g}?"
        )
    if spec.kind is Kind.BINARY:
        text += ". It takes 1 for a case that is right and 0 for one that is not"
    return text
