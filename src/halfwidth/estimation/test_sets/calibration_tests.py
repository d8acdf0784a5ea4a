"""The public function that tests whether outcomes happen as often as probabilities say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from halfwidth.core import rng as random
from halfwidth.core.cautions import caution
from halfwidth.core.checks import as_list, one_of
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.spec import Metric, spec_of
from halfwidth.core.types import Array
from halfwidth.core.undefined import Missing
from halfwidth.estimation.functionals import MetricRow, metric_rows, probabilities_of_one
from halfwidth.estimation.resolve import AUTO, Request, resolve_request
from halfwidth.estimation.test_sets.jobs import check_probabilities
from halfwidth.estimation.test_sets.reading import check_names, check_test_set
from halfwidth.estimation.test_sets.score_scales import Scores, check_kind
from halfwidth.estimation.test_sets.test_set import Decisions, TestSet
from halfwidth.metrics.calibration.bins import ece
from halfwidth.metrics.calibration.perfect import (
    DEFAULT,
    BoundStatistic,
    Departure,
    resolve_statistic,
)
from halfwidth.resampling.draws import Plan
from halfwidth.results.calibration_results import CalibrationTest, CalibrationTests

AVERAGES = ("binary", "none", "top_label")
# Samples whose statistics differ by less than this share of themselves are as far away: sums of the
# same outcomes are rounded differently where they stand in other blocks.
ROUNDING = 1e-9


def calibration_test(
    y_true: Any,
    y_prob: Any,
    *,
    statistic: Any = DEFAULT,
    average: Any = None,
    labels: Sequence[Any] | None = None,
    pos_label: Any = None,
    scores: Scores = "auto",
    sample_weight: Any = None,
    groups: Any = None,
    n_resamples: int | None = None,
    rng: Any = None,
    missing: Missing = "raise",
    n_threads: int = 1,
    names: tuple[str, str] = ("y_true", "y_prob"),
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
    y_true : array-like, shape (n,)
        True classes.
    y_prob : array-like, shape (n,) or (n, C)
        Predicted probabilities (or, said so by ``scores``, logits), as `metric_ci` takes them.
    statistic : str or sequence of str
        One or several of the names above, with parameters behind a colon:
        ``"hosmer_lemeshow:groups=20"``, ``"ece:bins=15,binning=mass"``.
    average : {"binary", "none", "top_label"}, or sequence of them, optional
        Of the positive class, of each class by itself, or of the largest probability of each case
        and whether it is right. Default: that of the positive class where there is one, else that
        of the top label.
    labels, pos_label, scores, missing, n_threads, names
        As for `metric_ci`.
    sample_weight : array-like, shape (n,), optional
        What each case counts in the statistic; outcomes are drawn for each case once.
    groups : array-like, shape (n,), optional
        Cluster of each case: only to refuse cases that are not independent.
    n_resamples : int, default 9999
        Samples of outcomes, N. Of 100 000 cases they take some seconds; minutes for
        ``"likelihood_ratio"``, which fits each of them.
    rng
        As for `summary_ci`.

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
        For an option that is not allowed.

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
    check_names(names)
    request = resolve_request(
        method=AUTO,
        confidence_level=0.95,
        alternative="two-sided",
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=None,
        threads=n_threads,
    )
    listed = None if isinstance(statistic, str) else as_list(statistic)
    chosen = [resolve_statistic(one) for one in ([statistic] if listed is None else listed)]
    averages = None
    if average is not None:
        named = [average] if isinstance(average, str) else as_list(average)
        averages = [one_of("average", one, AVERAGES) for one in named or [average]]
    if not chosen:
        raise OptionError("statistic: name at least one")
    cases = check_test_set(
        y_true,
        y_prob,
        Decisions(check_kind(scores), None, needed=False, tuned=False),
        labels=labels,
        pos_label=pos_label,
        missing=missing,
        sample_weight=sample_weight,
        groups=groups,
        where=names,
    )
    check_probabilities("a test of calibration", cases)
    _refuse_clusters(cases)
    rows = list(metric_rows(Metric(spec_of(ece)), averages, cases.classes))
    tests = tuple(_tested(one, row, cases, request) for one in chosen for row in rows)
    return tests[0] if len(tests) == 1 and listed is None else CalibrationTests(tests, cases.notes)


def _refuse_clusters(cases: TestSet) -> None:
    if cases.groups is None or len(np.unique(cases.groups)) == cases.n:
        return
    raise DataError(
        f"{cases.n} cases come in {len(np.unique(cases.groups))} clusters, and outcomes are drawn "
        "as independent: a test of calibration would be too sure; take one case of each cluster, "
        "or the interval of the calibration slope, which allows for clusters"
    )


def _tested(
    chosen: BoundStatistic, row: MetricRow, cases: TestSet, request: Request
) -> CalibrationTest:
    """The test of one row."""
    p, y = probabilities_of_one(row, cases)
    weights = np.ones(cases.n) if cases.weights is None else cases.weights
    # Neither the order of rows nor the outcomes decide which draws a case gets.
    p, weights, y = np.array([p, weights, y])[:, np.lexsort((weights, p))]
    departure = chosen.prepare(p, None if cases.weights is None else weights)
    value = float(departure.of(y[None])[0])
    plan = Plan(request.seed, request.n_resamples, threads=request.threads)
    key, outcomes = random.derive_key(request.seed, "outcomes", cases.n), random.trials(p)
    far = abs(value) if departure.normal else value
    least = far - ROUNDING * abs(far) if np.isfinite(far) else far

    def as_far(block: tuple[int, int]) -> int:
        drawn: Array = departure.of(outcomes(key, *block).astype(float))
        return int(((np.abs(drawn) if departure.normal else drawn) >= least).sum())

    blocks = plan.in_threads(max(1, plan.block_elements // cases.n), as_far)
    count = sum(found for _, found in blocks)
    impossible = int((((p == 0) & (y == 1)) | ((p == 1) & (y == 0))).sum())
    return CalibrationTest(
        statistic=chosen.statistic.name,
        title=chosen.statistic.title,
        parameters={**chosen.parameters, **departure.chosen},
        value=value,
        p_value=(1 + count) / (1 + request.n_resamples),
        **_in_large_samples(departure, value),
        average=str(row.average),
        label=row.label,
        n=cases.n,
        observed=int(y.sum()),
        expected=float(p.sum()),
        n_resamples=request.n_resamples,
        seed=request.seed,
        n_missing=cases.n_missing,
        cautions=(
            *cases.cautions,
            *([caution("HW341", count=impossible, n=cases.n)] if impossible else []),
        ),
    )


def _in_large_samples(departure: Departure, value: float) -> dict[str, Any]:
    """The distribution of a statistic in large samples, and the p-value by it."""
    from scipy import special

    if departure.normal:
        return {"reference": "normal", "asymptotic_p": float(2 * special.ndtr(-abs(value)))}
    if departure.df is not None:
        p = float(special.chdtrc(departure.df, value))
        return {"reference": f"chi-square, {departure.df} df", "asymptotic_p": p}
    return {"reference": "", "asymptotic_p": math.nan}
