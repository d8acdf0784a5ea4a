"""Calibration of predicted probabilities: tested, and over centres."""

from __future__ import annotations

from typing import Any

from halfwidth.calibration.estimation.centres import NAMES, calibration_over_centres, centre_parts
from halfwidth.calibration.estimation.tests_of_calibration import calibration_tests
from halfwidth.calibration.metrics.perfect import DEFAULT
from halfwidth.estimation.resolve import AUTO
from halfwidth.measuring.kinds import kind_of
from halfwidth.measuring.read_test_sets import test_sets_for
from halfwidth.metrics.names import is_several, several
from halfwidth.verbs.given import only_cases, predictions_in


def calibration_test(
    data: Any,
    y_score: Any = None,
    *,
    statistic: Any = DEFAULT,
    average: Any = None,
    n_resamples: int | None = None,
    rng: Any = None,
    n_threads: int = 1,
) -> Any:
    """Test of perfect calibration, by outcomes drawn from the predicted probabilities themselves.

    If each case is positive with the probability that the model gives it, independently, then
    outcomes drawn from the probabilities are distributed as those observed. p = (1 + k) / (1 + N),
    where k of N samples so drawn lie as far from the probabilities as the outcomes observed: the
    size of the test is right for any number of cases and for rare outcomes, where the asymptotic
    distributions of the same statistics miss it.

    ``"spiegelhalter"``: z = Σ (y - p)(1 - 2p) / √(Σ (1 - 2p)² p (1 - p)), two-sided. It tells
    whether the Brier score is what the probabilities promise, and does not see a shift that leaves
    it. ``"hosmer_lemeshow"``: Σ (O - E)² / (E (1 - E / n)) over ``groups`` (10) of equal mass;
    equal probabilities are in one group. ``"likelihood_ratio"``: 2 log L(a, b) / L(0, 1) of
    logit P(y = 1) = a + b logit p, whose slope and intercept are tested together. ``"ece"``: the
    expected calibration error in ``bins``. ``"kce"``: the squared kernel calibration error, whose
    ``bandwidth`` is the median distance of two probabilities if none is given.

    Parameters
    ----------
    data : Predictions, or array-like
        Of one model, probabilities or logits; or with ``y_score`` the true classes. Weights are
        what each case counts in the statistic; outcomes are drawn for each case once. Clusters are
        refused, as their cases are not independent.
    y_score : array-like, optional
        Predicted probabilities, where ``data`` are true classes.
    statistic : str or sequence of str, default "spiegelhalter"
        One or several of the names above, with parameters behind a colon:
        ``"hosmer_lemeshow:groups=20"``, ``"ece:bins=15,binning=mass"``.
    average : str or sequence of them, optional
        Of the positive class (``"binary"``), of each class by itself (``"none"``), or of the
        largest probability of each case and whether it is right (``"top_label"``). Default:
        that of the positive class where there is one, else that of the top label.
    n_resamples : int, default 9999
        Samples of outcomes, N; default: 9999, and none for Spiegelhalter's z and the likelihood
        ratio of so many cases that their distribution in large samples is as near (Lyapunov's
        ratio at most 0.03: some 1000 / (p (1 - p)) cases). p is then that of large samples.
    rng : None, int, SeedSequence or Generator, optional
        Makes bootstraps repeatable; default: fresh, and reported.
    n_threads : int, default 1
        Threads of bootstraps that the compiled library does; the result is the same for any
        number.

    Returns
    -------
    CalibrationTest or CalibrationTests
        One for a single statistic of a single class or of the top label; else one for each.

    Raises
    ------
    DataError
        For what is no probability, as `metric_ci`; cases in clusters; probabilities of which a
        statistic cannot depend on what happens.
    OptionError, UnknownNameError
        For an option that is not allowed, and several models.

    References
    ----------
    Spiegelhalter (1986); Hosmer & Lemeshow (1980); Cox (1958) and Miller, Langefeld, Tierney, Hui &
    McDonald (1993) for the likelihood ratio; Widmann, Lindsten & Zachariah (2019) for the kernel
    calibration error; Bröcker & Smith (2007) for drawing outcomes from the
    probabilities; Davison & Hinkley (1997) for the p-value of a Monte-Carlo test.

    Examples
    --------
    >>> import halfwidth as hw
    >>> truth = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1] * 5
    >>> test = hw.calibration_test(truth, [i / 50 for i in range(50)], rng=1)
    >>> round(test.value, 2), test.p_value
    (4.53, 0.0001)
    """
    purpose = "a test of calibration"
    predictions = predictions_in(data, y_score, purpose)
    request = kind_of(predictions).request(
        predictions,
        method=AUTO,
        confidence_level=0.95,
        n_resamples=n_resamples,
        rng=rng,
        threads=n_threads,
    )
    read = only_cases(test_sets_for(purpose, predictions, without=("strata",)), purpose)
    tests = calibration_tests(read.cases, several(statistic, "statistic"), average, request)
    return _one_or_all(tests.with_cautions(read.model.cautions), statistic)


def calibration_by_centre(
    data: Any, *, metric: Any = None, average: Any = None, confidence_level: float = 0.95
) -> Any:
    """Calibration in each centre, its mean over centres, and what to expect in a new one.

    Random effects: the estimates θ̂ᵢ of centres are normal about their own θᵢ with the SE that
    `metric_ci` prints, and the θᵢ about their mean μ with the SD τ. τ by restricted maximum
    likelihood, μ = Σ w θ̂ / Σ w with w = 1 / (SE² + τ²), its interval by Hartung & Knapp with t of
    k - 1 degrees of freedom; in a new centre μ ± t √(τ² + SE²) with t of k - 2. O:E ratios are
    pooled as logarithms. The metrics are ``"calibration_slope"``, ``"calibration_intercept"``,
    ``"calibration_in_the_large"`` and ``"oe_ratio"``.

    Parameters
    ----------
    data : Predictions
        Of one model, with the column of centres as ``by``; clusters (patients) are within these.
    metric : str or sequence of str, optional
        Of the slope, both intercepts and the O:E ratio; default: all four.
    average : str, optional
        As for `calibration_test`.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.

    Returns
    -------
    OverCentres or CentreResults
        One for a single metric of a single class; else one for each. A centre whose cases are of
        one class, or where nothing finite fits, is left out, and named in ``left_out`` and in a
        caution.

    Raises
    ------
    DataError
        As `metric_ci`; for a single centre, or fewer than two that have the metric.
    OptionError, UnknownNameError
        For an option that is not allowed, several models, and metrics that are not pooled.

    References
    ----------
    Viechtbauer (2005) for restricted maximum likelihood; Hartung & Knapp (2001); Higgins, Thompson
    & Spiegelhalter (2009) for prediction intervals; Debray et al. (2017) for prediction models; De
    Cock Campo, Barreñada et al. (2025) for calibration over centres.

    Examples
    --------
    >>> import halfwidth as hw
    >>> import numpy as np
    >>> g = np.random.default_rng(1)
    >>> columns = {"centre": np.repeat(list("abcdef"), 200), "p": g.uniform(0.05, 0.95, 1200)}
    >>> columns["y"] = g.random(1200) < columns["p"]
    >>> test = hw.Predictions.from_table(columns, "y", score="p", by="centre")
    >>> print(hw.calibration_by_centre(test, metric="calibration_slope").sentence())
    ... # doctest: +ELLIPSIS
    Calibration slope 1.10 over 6 centres (95 % CI 0.99 to 1.20; in a new centre 0.98 to 1.21; ...
    """
    purpose = "calibration over centres"
    predictions = predictions_in(data, None, purpose).over_levels()
    request = kind_of(predictions).request(
        predictions,
        method=AUTO,
        confidence_level=confidence_level,
        n_resamples=None,
        rng=0,
    )
    read = only_cases(test_sets_for(purpose, predictions), purpose)
    metric = NAMES if metric is None else metric
    parts = centre_parts(read.cases, read.model.strata)
    results = calibration_over_centres(
        read.cases, parts, several(metric, "metric"), average, request
    )
    return _one_or_all(results.with_cautions(read.model.cautions), metric)


def _one_or_all(results: Any, asked: Any) -> Any:
    """The only result where one thing was asked for, of one class."""
    return results[0] if len(results) == 1 and not is_several(asked) else results
