"""Kinds of things that specs name: one word each, and what it means."""

from __future__ import annotations

from enum import StrEnum


class Better(StrEnum):
    """Which way a metric improves."""

    HIGHER = "higher"
    LOWER = "lower"
    ZERO = "closer to zero"
    ONE = "closer to one"
    UNSTATED = "unstated"


class Kind(StrEnum):
    """What values a metric takes: a continuum, a limited set, or 0 and 1 only."""

    CONTINUOUS = "continuous"
    DISCRETE = "discrete"
    BINARY = "binary"


class MetricLevel(StrEnum):
    """Whether a metric has a value for each case or only for a whole test set."""

    INDIVIDUAL = "one value per case"
    SAMPLE = "one value per test set"


class ClassNeed(StrEnum):
    """What a class must have for a metric of it alone to have a value; of objects for cases too."""

    CASES = "cases of the class"
    PREDICTIONS = "cases predicted as the class"
    EITHER = "cases of the class or predicted as it"
    MATCHES = "matched objects of the class"
    NOTHING = "nothing"


class Takes(StrEnum):
    """What a metric is a function of."""

    TWO_BY_TWO = "labels, one class against the rest"
    CONFUSION = "labels, the whole confusion matrix"
    SCORES = "scores"
    PROBABILITIES = "probabilities"
    NUMBERS = "numbers"
    MASKS = "two masks of a case"
    MATCHES = "detections matched with references"


class Transform(StrEnum):
    """The scale on which a statistic is closest to normal."""

    IDENTITY = "identity"
    LOG = "log"
    LOGIT = "logit"


class Estimand(StrEnum):
    """What kind of population value an interval is about."""

    MEAN = "mean"
    PROPORTION = "proportion"
    TRIMMED_MEAN = "trimmed mean"
    QUANTILE = "quantile"
    SPREAD = "spread"
    AUROC = "one AUROC"
    COUNTING = "function of a confusion matrix"
    RATE = "events per case"
    CALIBRATION_ERROR = "calibration error"
    COEFFICIENT = "coefficient of a logistic regression"
    OBSERVED_OVER_EXPECTED = "observed over expected"
    ENLARGED = "what noise makes larger"
    ROOT_OF_SQUARE = "root of an unbiased square"
    ERROR_OF_PAIRS = "calibration error by pairs of cases"
    SQUARE_OF_PAIRS = "mean product of pairs of cases"
    PROPORTION_DIFFERENCE = "two proportions"
    PROPORTION_RATIO = "ratio of two proportions"
    MEAN_RATIO = "ratio of two means"
    AUROC_DIFFERENCE = "two AUROCs"
    CALIBRATION_ERROR_DIFFERENCE = "two calibration errors"
    QUANTILE_CONTRAST = "two quantiles"
    CONTRAST = "two models"
    OTHER = "other"


# Errors that noise makes larger; the interval of one model allows for that.
OF_INVERTED_TESTS = frozenset({Estimand.CALIBRATION_ERROR, Estimand.ROOT_OF_SQUARE})
# What noise makes larger, so that resamples do once more.
ENLARGED = OF_INVERTED_TESTS | {Estimand.ENLARGED}
# Of which no resample tells anything: copies of a case in it would be pairs.
PAIRS_OF_CASES = frozenset({Estimand.ERROR_OF_PAIRS, Estimand.SQUARE_OF_PAIRS})


class Need(StrEnum):
    """An ingredient of a method, handed to its function in the order declared."""

    SORTED_VALUES = "sorted values"
    BOUNDS = "metric bounds"
    TRIM_SHARE = "trimmed share"
    QUANTILE_LEVEL = "quantile level"
    UNIFORM = "uniform number"
    SUCCESSES = "successes"
    TRIALS = "trials"
    ESTIMATE = "estimate"
    STANDARD_ERROR = "standard error"
    ROBUST_ERROR = "standard error for few clusters"
    PROBABILITIES = "probabilities and weights of cases"
    JACKKNIFE_ERROR = "standard error of the jackknife"
    MODEL_ERROR = "standard error that the likelihood gives"
    DEGREES_OF_FREEDOM = "degrees of freedom"
    UNITS = "units drawn"
    UNIT_DEGREES = "units less strata"
    CLUSTER_DEGREES = "degrees of freedom of clusters"
    CLASS_UNITS = "units with and without the class"
    CLASS_DEGREES = "degrees of freedom of two classes"
    RESEMBLANCE_TRIALS = "trials that the resemblance within clusters leaves"
    TRANSFORM = "transform"
    STUDENTIZED = "studentized bootstrap distribution"
    DISTRIBUTION = "bootstrap distribution"
    DEVIATIONS = "mean deviations and their noise"
    SQUARE = "unbiased square"
    PAIRED_SIZES = "true calibration errors of two models"
    PRODUCTS = "products of pairs and their noise"
    TIE_TOLERANCE = "tie tolerance"
    ACCELERATION = "acceleration"
    JACKKNIFE_DEGREES = "degrees of freedom of the jackknife's variance"
    WEIGHTED = "distributions under Dirichlet weights"
    WEIGHTED_BEYOND = "distributions with pseudo-cases that the data place"
    OPEN_SIDE = "end that few cases leave open"
    PAIRED_COUNTS = "counts of pairs of 0 and 1"
    PAIRED_SHARES = "shares of pairs of 0 and 1"
    PAIRED_MEANS = "mean of the second model, and variances about the ratio"
    BOTH_SUCCESSES = "successes of two samples"
    BOTH_TRIALS = "trials of two samples"
    BOTH_ESTIMATES = "estimates of two samples"
    BOTH_ERRORS = "standard errors of two samples"
    BOTH_DEGREES = "degrees of freedom of two samples"
    BOTH_INTERVALS = "intervals of two samples"
    EFFECT = "difference or ratio"


# What only an unpaired comparison has.
OF_TWO_SAMPLES = frozenset(
    {
        Need.BOTH_SUCCESSES,
        Need.BOTH_TRIALS,
        Need.BOTH_ESTIMATES,
        Need.BOTH_ERRORS,
        Need.BOTH_DEGREES,
        Need.BOTH_INTERVALS,
    }
)


class Promise(StrEnum):
    """A property that a method keeps on every sample on which it is defined."""

    CONTAINS_ESTIMATE = "contains the estimate"
    STAYS_IN_RANGE = "stays in the range"
    NESTED = "widens with the level"
    EQUIVARIANT = "moves with shift and scale"
    GUARANTEED = "covers at least as often as it says"
