"""Sufficient forms: what a statistic needs to know of a resample."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Numbers, Quotient

if TYPE_CHECKING:
    from halfwidth.core.spec import StatisticSpec
    from halfwidth.resampling.designs import Design


@frozen
class Moments:
    """A statistic that is a function of n and of a power sum."""

    # The power: the sum of the deviations from a centre, or of their squares about the mean.
    order: int
    # ``from_sum(n, sum, centre, **parameters)``, which may overwrite the sum.
    from_sum: Callable[..., Array]

    def finish(
        self, n: int | Array, sums: list[Array], centre: Array, **parameters: float
    ) -> Array:
        """The statistic, from ``sums[p - 1] = Σ(x - centre)^p``, which may be overwritten."""
        total = sums[0] if self.order == 1 else sum_of_squares(n, *sums)
        return self.from_sum(n, total, centre, **parameters)


ROUNDING = 8 * np.finfo(float).eps
# Rounding breaks ties between values that are equal; differences below this share of the
# sample's scale count as none.
TIE_SHARE = 1e-12


def sum_of_squares(n: int | Array, total: Array, squares: Array) -> Array:
    """Sum of squares about the mean, from sums about a centre, which it overwrites."""
    rounding = ROUNDING * squares
    total *= total
    total *= 1 / np.asarray(n)
    squares -= total
    # What is left of a resample of equal values is rounding, of either sign: it is 0.
    squares[squares <= rounding] = 0.0
    return squares


@frozen
class SortedWeights:
    """An L-statistic: ``weights(n, **parameters) @ sorted sample``.

    The weights add up to 1 (location) or to 0 (spread).
    """

    weights: Callable[..., Array]


@frozen
class OrderStatistics:
    """An L-statistic of a few order statistics.

    ``picks(n, **parameters)`` returns their 1-based ranks, ascending, and their weights, which add
    up to 1 (location) or to 0 (spread).
    """

    picks: Callable[..., tuple[Array, Array]]

    def weights(self, n: int, /, **parameters: float) -> Array:
        """Weights of n sorted values, most of them 0."""
        weights = np.zeros(n)
        ranks, picked = self.picks(n, **parameters)
        weights[ranks - 1] = picked
        return weights


@frozen
class ByClass:
    """How a metric of a confusion matrix comes about from tables of one class against the rest."""

    # ``values(tp, fn, fp, tn)``, each of shape (..., C) -> (..., C).
    values: Callable[..., Array]
    # ``average(values, support)``, both (..., C) -> (...), linear in the values; None where it is
    # of one class.
    average: Callable[[Numbers, Numbers], Array] | None = None
    # The class it is of, where it is of one.
    which: int = 0


@frozen
class OfMargins:
    """How a metric of a confusion matrix comes about from its margins and its diagonal."""

    # ``value(right, truth, predicted)``: cases decided rightly, (...), and true and predicted cases
    # of each class, (..., C).
    value: Callable[[Numbers, Numbers, Numbers], Numbers]


@frozen
class CellCounts:
    """A function of the number of cases in each cell of a table; a value is the code of a cell."""

    n_cells: int
    # ``finish(counts)``, shape (..., n_cells) -> (...), of integers or of floats that are whole.
    # It takes complex counts too: its derivatives come from a complex step. It may be called with
    # unknowns, one table of them: where it is plain arithmetic, with ``>``, ``<``, ``==``,
    # `numpy.isnan` and `numpy.where`, its formula is read off for the compiled kernel.
    finish: Callable[[Numbers], Array]
    # Where it is the ratio of two weighted sums of counts, the weights of the cells in the
    # numerator and in the denominator.
    quotient: Quotient | None = None
    # Where it is of one class against the rest, or an average over classes; None where it is of
    # all classes at once.
    by_class: ByClass | None = None
    # ``of_margins(right, truth, predicted)`` where it is of these alone, as of `OfMargins`.
    of_margins: Callable[..., Array] | None = None
    # Whether wrong decisions lower it.
    errors_lower: bool = True


@frozen
class ClassAverages:
    """How a metric of sums comes about as an average over classes of ratios of their sums."""

    # Features are those of each class for the first sum, then for the next.
    classes: int
    # The weights of the sums of one class in the numerator and in the denominator.
    quotient: Quotient
    # ``average(values, support)``, both (..., C) -> (...), linear in the values; the support of a
    # class is its last sum.
    average: Callable[[Numbers, Numbers], Array]


@frozen
class AbsoluteSums:
    """How a metric is a sum of the sizes of mean deviations, of which each case has K."""

    # ``probabilities(records)``, (..., k, n) -> (..., K, n): the deviations of cases of which
    # nothing happens that was foreseen, and so how probable it was.
    probabilities: Callable[[Array], Array]
    # What the sum is multiplied with: 1, or 1/C for the mean over C classes.
    share: float = 1.0
    # Whether the last feature, which comes after the deviations, is the weight of the case.
    weighted: bool = False


@frozen
class UnbiasedSquare:
    """An unbiased estimate of a square θ, whose variance is nearly slope · θ + noise."""

    # May be negative.
    value: Array
    slope: Array
    noise: Array

    def fitting(self, z: Array | float) -> Array:
        """The square of which the estimate is z standard errors above, and 0 at least."""
        value, half = np.maximum(self.value, 0.0), self.slope / 2 * z
        reach = np.sqrt(np.maximum(self.slope * value + half**2 + self.noise, 0.0))
        return np.asarray(np.maximum(value + z * half - z * reach, 0.0))


@frozen
class Sums:
    """A function of sums over cases of several features of each."""

    # ``features(records)``, shape (..., k, n) -> (..., K, n).
    features: Callable[[Array], Array]
    # ``finish(n, sums)``, sums of shape (..., K) -> (...); takes complex sums too.
    finish: Callable[[Numbers, Numbers], Array]
    # Where it is the ratio of two weighted sums, the weights of the features in either.
    quotient: Quotient | None = None
    # Where the features are weights in the cells of a table, what it is of that table.
    table: CellCounts | None = None
    # Where it is an average over classes of ratios of sums.
    by_class: ClassAverages | None = None
    # The power of it that is an average over cases, as the square of a root mean square is.
    power: float = 1.0
    # Where it is a sum of sizes of mean deviations.
    absolute: AbsoluteSums | None = None
    # ``square(n, sums)``, where it is the root of one: the `UnbiasedSquare`.
    square: Callable[[Array, Array], UnbiasedSquare] | None = None


@frozen
class Ranking:
    """Cases in descending order of a score; one row for each one-vs-rest comparison."""

    # (R, L): position of the case that an entry belongs to.
    case: NDArray[np.int32]
    # (R, L): `POSITIVE` plus `LAST_OF_TIES`, where they hold.
    mark: NDArray[np.uint8]
    # (R, L): of the entry; None where each weighs 1.
    weight: Array | None = None

    POSITIVE = 1
    LAST_OF_TIES = 2


class FastArea(Enum):
    """Areas for which there are ways by ranks, faster than by cumulated entries."""

    CONCORDANCE = "pairs in order"
    PRECISION_STEPS = "precision at each positive"


@frozen
class Area:
    """An area under a curve of ranked scores, or any other function of their order."""

    # ``curve(tp, fp)`` of positive and negative entries at or above each distinct score, (..., G)
    # -> (...). Where it has parameters it is a value that compares by them.
    curve: Callable[[Numbers, Numbers], Array]
    # The same by ranks.
    fast: FastArea | None = None
    # Whether it is at a threshold that is chosen on the same cases.
    tuned: bool = False


@frozen
class RankedAreas:
    """A function of areas under curves of ranked scores, one for each row of a `Ranking`."""

    area: Area
    # ``rank(records)``, shape (k, n) or (S, k, n) -> `Ranking`, the rows of one test set after
    # those of another.
    rank: Callable[[Array], Ranking]
    # ``finish(area, positives)``, both of shape (..., R) -> (...); an area is NaN where it is
    # undefined.
    finish: Callable[[Numbers, Numbers], Array]
    # The one row it is the area of; None for an average.
    row: int | None = None
    # Over the rows; empty where it is of one.
    average: str = ""


@frozen
class PerCase:
    """A metric of a test set that is the mean of a value of each case."""

    # ``values(records)``, shape (k, n) -> (n,); of probabilities ``values(p, y)``, both (..., n).
    values: Callable[..., Array]


@frozen
class ProbabilitySums:
    """A metric of predicted probabilities that is a function of sums over cases.

    Of one class, a case has the probability p of the class and its outcome y, 1 where the case is
    of the class and 0 elsewhere; of the top label, the largest probability and whether it is right.
    """

    # ``terms(p, y, **parameters)``, both (..., n) -> (..., K, n).
    terms: Callable[..., Array]
    # ``finish(n, sums, **parameters)``, sums (..., K) -> (...); takes complex sums too.
    finish: Callable[..., Array]
    # The same of the sums of all classes, (..., C, K) -> (...), where the metric of a test set of
    # several classes is a sum over them. None: of one class at a time.
    of_classes: Callable[..., Array] | None = None
    # Where it is the ratio of two weighted sums of terms, their weights in either.
    quotient: Quotient | None = None
    # The power of it that is an average over cases, as the square of a root mean square is.
    power: float = 1.0
    # Whether it is the sum of the sizes of mean terms, each of them p - y or 0.
    absolute: bool = False
    # ``square(n, sums, **parameters)``, where it is the root of one: the `UnbiasedSquare`.
    square: Callable[..., UnbiasedSquare] | None = None


@frozen
class LogisticFit:
    """What is taken of a logistic regression of outcomes on terms of their probabilities."""

    # ``terms(p)``, (n,) -> (K, n), with a one for the intercept; where there are ``gaps``
    # ``terms(p, weights, **parameters)``, and K may depend on the probabilities.
    terms: Callable[..., Array]
    # Which one is taken, where no ``gaps`` are.
    coefficient: int = 0
    # ``offset(p)``, (..., n) -> (..., n), a term of coefficient 1.
    offset: Callable[[Array], Array] | None = None
    # ``gaps(sizes, weights)``, both (..., n) -> (...): what is taken of the distances between the
    # fitted and the predicted probabilities.
    gaps: Callable[[Array, Array], Array] | None = None
    # Whether that is their mean, which has an influence.
    mean_gap: bool = False
    # Whether cases have weights, the last of their values.
    weighted: bool = False


@frozen
class WholeSample:
    """A metric of predicted probabilities that needs all cases at once."""

    # ``parts(p, y)``, both (n,): from weights of the cases, (B, n), to what metrics are made of,
    # (K, B).
    parts: Callable[[Array, Array], Callable[[Array], Array]]
    # ``finish(parts)``, (B,), NaN without weight.
    finish: Callable[[Array], Array]

    def value(self, p: Array, y: Array, weights: Array) -> float:
        """Value of one sample, each (n,)."""
        return float(self.finish(self.parts(p, y)(weights[None]))[0])


@frozen
class SmoothedError:
    """The size of smoothed deviations of probabilities, which is their bandwidth too."""

    # ``value(p, y, weights)``, each (n,), of a sample with some weight.
    value: Callable[[Array, Array, Array], float]
    # Whether cases have weights, the last of their values.
    weighted: bool = False


@frozen
class PairedCases:
    """A metric of predicted probabilities that compares each case with all others."""

    # ``value(p, y, **parameters)``, of one class both (n,), of vectors of probabilities both (C,
    # n).
    value: Callable[..., float]
    # ``bandwidth(p, y)`` that it takes where its parameters name none.
    bandwidth: Callable[[Array, Array], float]
    # Of how many cases, of one class and of vectors, it compares all pairs; None: of any number.
    most_cases: int | None = None
    most_vectors: int | None = None
    # Whether it is a mean of products of deviations; else a mean distance between probabilities
    # and what the outcomes around them are.
    products: bool = False
    # Of the mean distance or product the power that is the value; its noise is that of the first.
    power: float = 1.0
    # What was given of those of the metric.
    parameters: tuple[tuple[str, float], ...] = ()
    # How many probabilities the vector of a case has; None: of one class.
    classes: int | None = None

    def cases(self, records: Array) -> tuple[Array, Array]:
        """Probabilities and outcomes of one sample, (k, n)."""
        if self.classes is None:
            return records[0], records[1]
        happened = records[self.classes] == np.arange(self.classes)[:, None]
        return records[: self.classes], happened.astype(float)

    def metric_of(self, records: Array) -> float:
        """The metric of one sample, (k, n)."""
        return self.value(*self.cases(records), **dict(self.parameters))


Effect = Literal["difference", "ratio"]
EFFECT_WORDS: dict[Effect, str] = {"difference": "difference in", "ratio": "ratio of"}
# What each is where the models do not differ.
NO_EFFECT: dict[Effect, float] = {"difference": 0.0, "ratio": 1.0}


def differences_of(first: Array, second: Array) -> Array:
    """First minus second, where rounding is no difference.

    >>> differences_of(np.array([0.1 + 0.2, 0.5]), np.array([0.3, 0.25])).tolist()
    [0.0, 0.25]
    """
    differences = np.asarray(first - second)
    size = np.maximum(np.abs(first), np.abs(second))
    rounding = (np.abs(differences) <= TIE_SHARE * size) & np.isfinite(size)
    return np.where(rounding, 0.0, differences)


@frozen
class Contrast:
    """A statistic of one model minus, or over, that of another model on the same cases.

    A sample holds what the statistic takes of the first model, then of the second: (2, n), or
    (2, k, n) where it takes k values of a case.
    """

    # That of one model, whose parameters are those of the contrast.
    statistic: StatisticSpec
    # One of "difference", "ratio".
    effect: Effect = "difference"

    def between(self, first: Array, second: Array) -> Array:
        """The contrast of two values; a ratio is NaN unless both are positive."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            if self.effect == "difference":
                return differences_of(first, second)
            return np.where((first > 0) & (second > 0), first / second, np.nan)


def effect_of(first: float, second: float, effect: Effect) -> float:
    """The first value minus, or over, the second; a ratio is NaN unless both are positive."""
    if effect == "difference":
        return first - second
    return first / second if first > 0 and second > 0 else float("nan")


@frozen
class PairAverages:
    """An average of a statistic over some pairs of raters minus, or over, that over other pairs.

    A sample holds what the statistic takes of each pair: (P, n), or (P, k, n) where it takes k
    values of a case.
    """

    # Of the statistic of one pair.
    contrast: Contrast
    # The weight of each pair in the two averages.
    first: tuple[float, ...]
    second: tuple[float, ...]

    @property
    def effect(self) -> Effect:
        """Whether it is a difference or a ratio."""
        return self.contrast.effect

    def between(self, first: Array, second: Array) -> Array:
        """The contrast of the averages, from values of all pairs, (S, P, ...) -> (S, ...)."""
        averages = [
            np.einsum("p,sp...->s...", np.array(weights), values)
            for weights, values in ((self.first, first), (self.second, second))
        ]
        return self.contrast.between(*averages)


class BranchForm:
    """A form of the metrics of a branch, which brings its engine."""

    # Over classes; empty where it is of one.
    average: str = ""

    def method_of_difference(self, records: Array, design: Design) -> str | None:
        """The method that ``auto`` takes for two models; None where the trunk's rule goes."""


# Forms of metrics of test sets that are no functions of counts, or of margins of these alone.
MetricForm = (
    OfMargins
    | Area
    | PerCase
    | ProbabilitySums
    | LogisticFit
    | WholeSample
    | SmoothedError
    | PairedCases
    | Sums
    | BranchForm
)
Form = (
    Moments
    | SortedWeights
    | OrderStatistics
    | CellCounts
    | Sums
    | LogisticFit
    | WholeSample
    | SmoothedError
    | PairedCases
    | RankedAreas
    | BranchForm
    | Contrast
    | PairAverages
)
