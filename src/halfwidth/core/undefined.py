"""What empty, missing, infinite and undefined mean; no other module decides that.

- *Missing*: a per-case value that is NaN or null. Its policy is named: ``"raise"`` (default),
  ``"omit"`` or ``"worst"``. The result says how many there were.
- *Without a result*: a case whose value is missing or infinite, whose status says that the
  structure was missed or is spurious, or whose value is the penalty. ``missing="all"`` sets side
  by side what becomes of such cases under each of `SIDE_BY_SIDE`.
- *Infinite*: a distance to an empty mask. Without a policy it is an error; ``"omit"`` and
  ``"worst"`` treat it as they treat a missing value.
- *Undefined replicate*: a resample on which the statistic is NaN. It is left out of the bootstrap
  distribution and counted in ``n_undefined``.
- *Studentized replicate*: a resample without a spread has SE* = 0. Its t* is ±∞ and is kept; where
  its statistic equals the estimate as well, 0/0 is undefined.
- *Undefined interval*: a method that cannot give bounds returns NaN for both.
- A statistic of an empty sample is NaN.
- *Absent class*: a class without a value of a one-vs-rest metric, because the (re)sample holds no
  case of it (or none is predicted, for PPV). Averages leave it out (``"omit"``), count it as 0
  (``"zero"``) or are NaN themselves (``"undefined"``).
- *Undefined metric*: 0/0 on a test set or a resample is NaN (``undefined="omit"``: such resamples
  are left out and counted), or counts as 0 (``"zero"``, as scikit-learn has it) or as the worst
  value (``"worst"``).
- *Empty masks*: both empty, and a metric of masks that is 0/0, or of boundaries, has no value and
  is *not applicable*; one whose formula has a value keeps it (specificity, absolute volume error).
  One empty, and the structure was *missed* or is *spurious*: overlap is 0, a distance infinite, and
  no perfect score, whatever a formula without a boundary would say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.by_metric import Numbers, number_of
from halfwidth.core.checks import is_decimal, one_of
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array, Interval

Missing = Literal["raise", "omit", "worst"]
# Of a missing label: without a true class there is no worst one.
MissingLabels = Literal["raise", "omit"]
# Of a missing prediction, whose true class makes the other one wrong.
MissingPredictions = Literal["raise", "omit", "wrong"]
AnyMissing = Missing | MissingPredictions
WRONG = "wrong"
MISSING_POLICIES: tuple[Missing, ...] = ("raise", "omit", "worst")
OF_TEST_SETS: tuple[AnyMissing, ...] = (*MISSING_POLICIES, "wrong")
# The policies of missing="all", and what each claims of the cases without a result.
ALL_POLICIES = "all"
SIDE_BY_SIDE = {
    "omit": "they are left out: the metric does not apply to them, or they are like the others",
    "worst": "each is a failure, and counts as the worst value of the metric or the penalty",
    "file": "the table is right as it stands: the values that it gives them count, and those "
    "without a value are left out",
}
AbsentClass = Literal["omit", "zero", "undefined"]
ABSENT_CLASS: tuple[AbsentClass, ...] = ("omit", "zero", "undefined")
Undefined = Literal["omit", "zero", "worst"]
UNDEFINED_POLICIES: tuple[Undefined, ...] = ("omit", "zero", "worst")


def is_missing(cell: Any) -> bool:
    """Whether a cell says that there is no value: None, NaN, NA of pandas; never a text."""
    if isinstance(cell, str):
        return False
    # NaN differs from itself; NA of pandas cannot even be asked.
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(cell != cell)  # noqa: PLR0124
    except (ArithmeticError, TypeError, ValueError):
        # An array in a cell has many answers, and a signalling NaN of a decimal none.
        return is_decimal(cell)


def nan_per_sample(values: Array, *, axis: int = -1) -> Array:
    """NaN for every sample of a batch."""
    return np.full(np.delete(np.shape(values), axis), np.nan)


def no_interval(like: Array) -> Interval:
    """An undefined interval for every sample of a batch."""
    return Interval.of(np.full(np.shape(like), np.nan), np.nan)


def penalty_for(metric: Metric, penalty: Numbers | None) -> float:
    """The value that ``missing="worst"`` puts in: the metric's worst bound or the given penalty."""
    spec = metric.spec
    given = number_of(penalty, metric)
    worst = spec.worst if given is None else given
    if worst is None and penalty is not None:
        raise OptionError(
            f"{spelled('penalty', penalty)} has no number for {spec.name}, which has no finite "
            f"worst value (range {spec.bounds})"
        )
    if worst is None:
        raise OptionError(
            f"{spelled('missing', 'worst')} needs a penalty: {spec.called} (range {spec.bounds}) "
            f"has no finite worst value; give {spelled('penalty')}, in a table of several metrics "
            f"that of distances unless {spelled('metric')} names another"
        )
    if not np.isfinite(worst) or not spec.bounds.low <= worst <= spec.bounds.high:
        raise OptionError(
            f"{spelled('penalty', worst)} lies outside the range {spec.bounds} of {spec.called}"
        )
    return float(worst)


def leave_out_both(first: Array, second: Array) -> tuple[Array, Array]:
    """Pairs of values; where either is missing or infinite, so are both."""
    present = np.isfinite(first) & np.isfinite(second)
    return np.where(present, first, np.nan), np.where(present, second, np.nan)


def apply_missing_policy(
    values: Array,
    missing: AnyMissing,
    penalty: Numbers | None,
    metric: Metric,
    where: str,
    cases: Sequence[object] | None,
) -> tuple[Array, NDArray[np.bool_], int]:
    """Values without NaN or infinities, which of those given they are, and how many are missing."""
    undefined = ~np.isfinite(values)
    count = int(undefined.sum())
    if missing == "worst" and count:
        value = penalty_for(metric, penalty)
        return np.where(undefined, value, values), np.ones(len(values), dtype=bool), count
    if missing == "omit" or not count:
        return values[~undefined], ~undefined, count
    first = np.flatnonzero(undefined)[:3]
    names = [str(cases[i]) for i in first] if cases is not None else [f"#{i + 1}" for i in first]
    infinite = int(np.isinf(values).sum())
    kind = f"missing or infinite ({infinite} infinite)" if infinite else "missing"
    penalty_too = "" if metric.spec.worst is not None else ", with a penalty"
    raise DataError(
        f"{where}: {count} of {len(values)} values are {kind} (case{'s' if count > 1 else ''} "
        f"{', '.join(names)}{', ...' if count > len(names) else ''}). Say what that means: "
        f"{spelled('missing', 'omit')} leaves them out as not applicable, 'worst' counts them as "
        f"failed{penalty_too}"
    )


@frozen
class WithoutResult:
    """What a missing policy makes of the cases without a result."""

    # One of `SIDE_BY_SIDE`.
    policy: str
    # How many of them are left out, and how many count with a value.
    left_out: int = 0
    counted: int = 0
    # The range of those values.
    lowest: float | None = None
    highest: float | None = None

    @property
    def text(self) -> str:
        """What becomes of them in a few words.

        >>> WithoutResult("file", left_out=1, counted=2, lowest=0.0, highest=0.0).text
        '2 as 0, 1 left out'
        """
        ends = dict.fromkeys(
            f"{value:.4g}" for value in (self.lowest, self.highest) if value is not None
        )
        parts = [f"{self.counted} as {' to '.join(ends)}"] if self.counted else []
        parts += [f"{self.left_out} left out"] if self.left_out else []
        return ", ".join(parts) or "none"

    def to_dict(self) -> dict[str, Any]:
        """Dictionary for JSON, with what the policy claims."""
        return {
            "left_out": self.left_out,
            "counted": self.counted,
            "lowest": self.lowest,
            "highest": self.highest,
            "claim": SIDE_BY_SIDE[self.policy],
        }


def studentized_ratio(deviation: Array, standard_error: Array, tolerance: Array) -> Array:
    """t* = deviation / SE*: ±∞ where only SE* is 0, NaN where the deviation is a tie as well.

    >>> studentized_ratio(np.array([1.0, -1.0, 0.0]), np.zeros(3), np.zeros(3))
    array([ inf, -inf,  nan])
    """
    exact = np.where(np.abs(deviation) <= tolerance, 0.0, deviation)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(exact / standard_error)


def absent_classes(
    values: NDArray[Any], weights: NDArray[Any], absent: AbsentClass
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Values of classes and their weights in an average, as the policy has them.

    >>> absent_classes(np.array([0.5, np.nan]), np.ones(2), "omit")
    (array([0.5, 0. ]), array([1., 0.]))
    """
    has_none = np.isnan(values)
    if absent == "undefined":
        # A class that weighs nothing is not missed.
        return np.where(has_none & (weights == 0), 0.0, values), weights
    kept = weights if absent == "zero" else np.where(has_none, 0.0, weights)
    return np.where(has_none, 0.0, values), kept


def undefined_as(values: NDArray[Any], policy: Undefined, worst: float | None) -> NDArray[Any]:
    """Values of a metric, those that are undefined as the policy has them."""
    if policy == "omit":
        return values
    instead = 0.0 if policy == "zero" or worst is None else worst
    return np.where(np.isnan(values), instead, values)


class Status(StrEnum):
    """What became of a structure of a case, as the status column of a table says it."""

    OK = "ok"
    MISSED = "missed"
    SPURIOUS = "spurious"
    NOT_APPLICABLE = "not applicable"
    EMPTY_SKELETON = "empty skeleton"


def presence_of(predicted: bool, present: bool) -> Status:
    """Whether a structure is in both masks, in one, or in none.

    >>> str(presence_of(False, True))
    'missed'
    """
    if predicted and present:
        return Status.OK
    if present:
        return Status.MISSED
    return Status.SPURIOUS if predicted else Status.NOT_APPLICABLE


def distance_without(presence: Status) -> float:
    """A distance between boundaries where a mask has none: NaN if both are empty, else infinite."""
    return math.nan if presence is Status.NOT_APPLICABLE else math.inf


def status_of(value: float, presence: Status, *, on_skeletons: bool = False) -> Status:
    """What the status column says of a value.

    A value that is undefined although something was predicted does not apply: there was nothing to
    find (sensitivity without a reference), or no background. PPV of a structure that was missed is
    undefined too, but as a failure. A value of two empty masks (specificity) is one as any other.

    >>> str(status_of(math.nan, Status.SPURIOUS)), str(status_of(math.nan, Status.MISSED))
    ('not applicable', 'missed')
    >>> str(status_of(1.0, Status.NOT_APPLICABLE))
    'ok'
    """
    if not math.isnan(value):
        return Status.OK if presence is Status.NOT_APPLICABLE else presence
    if presence is Status.MISSED:
        return presence
    if on_skeletons and presence is Status.OK:
        return Status.EMPTY_SKELETON
    return Status.NOT_APPLICABLE


def missing_policy(missing: Any, allowed: Sequence[str] = MISSING_POLICIES) -> Any:
    """One of the policies that are allowed, or an error that lists them."""
    if isinstance(missing, str) and missing == "worst_rank" not in allowed:
        raise OptionError(
            f"{spelled('missing', missing)} is for rankings (rank, halfwidth rank); here choose "
            f"one of {', '.join(allowed)}"
        )
    if isinstance(missing, str) and missing == ALL_POLICIES:
        raise OptionError(
            f"{spelled('missing', 'all')} sets the policies side by side for a table of per-case "
            f"values only (halfwidth ci TABLE, estimate); here choose one of {', '.join(allowed)}"
        )
    return one_of("missing", missing, allowed)
