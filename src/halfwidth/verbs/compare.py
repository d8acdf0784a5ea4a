"""``compare``: differences between models, of any kind of data."""

from __future__ import annotations

from typing import Any, Literal

from halfwidth.comparison import raters
from halfwidth.comparison.assembling import compared
from halfwidth.comparison.settings import check_families, check_models, resolve_settings
from halfwidth.core.by_metric import Numbers
from halfwidth.data.readings import Readings
from halfwidth.estimation.resolve import AUTO
from halfwidth.measuring.kinds import kind_of
from halfwidth.measuring.plans import Matched, penalized
from halfwidth.measuring.quantities import USUAL_STATISTIC, Quantities
from halfwidth.results.comparison import Comparisons, Effect
from halfwidth.verbs.given import as_data, refuse_idle

Test = Literal["auto", "permutation", "mcnemar", "mcnemar_midp", "wilcoxon", "none"]
Correction = Literal["stepdown", "holm", "bonferroni", "benjamini_hochberg", "none"]


def compare(
    data: Any,
    other: Any = None,
    *,
    metric: Any = None,
    statistic: Any = USUAL_STATISTIC,
    average: Any = None,
    baseline: str | None = None,
    effect: Effect = "difference",
    test: Test = "none",
    correction: Correction = "stepdown",
    margin: Numbers | None = None,
    goal: Numbers | None = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
) -> Comparisons:
    """Differences between models with their confidence intervals, and what stands beside these.

    The interval of the difference is the result. A p-value stands beside it, and with several
    comparisons an interval that holds together with all others; a verdict rests on that. Models
    are compared within each level (`by`), by each metric and class: each is a family.

    Parameters
    ----------
    data : CaseValues, Predictions, Detections or Readings; or data frame, or array-like
        What is given as frames and arrays becomes data with the usual options: a table with a
        column of models, or a column for each; the values of each model by its name; the values of
        a first model, where ``other`` are those of a second; or with the scores of models the true
        classes. Of readings the model is compared with its raters: the mean over these of the
        metric of the model with the rater as the reference, minus the mean over pairs of raters
        (both ways). The ratio is Williams' index. The raters are these: intervals are about further
        cases, not further raters.
    other : array-like, or mapping of str to array-like, optional
        The values of a second model; or, where ``data`` are true classes, the scores or predicted
        classes of each model by its name.
    metric : str, MetricSpec or callable, or sequence of them, optional
        Of predictions and detections, what is estimated; of values, what they are, where their
        data do not say it.
    statistic : str, callable or StatisticSpec, default "mean"
        Summary statistic of values of cases; with parameters: ``"quantile:0.9"``.
    average : str or sequence of them, optional
        Over classes: ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``; ``"none"`` takes
        each class apart.
    baseline : str, optional
        The model that all others are compared with; default: all pairs.
    effect : {"difference", "ratio"}, default "difference"
        First minus second, or first over second. Of raters the ratio is Williams' index: 1
        where the model is like one more rater.
    test : {"auto", "permutation", "mcnemar", "mcnemar_midp", "wilcoxon", "none"}, default "none"
        Another test, beside the p value of the interval; verdicts rest on the latter.
        ``"auto"``: mid-p McNemar for proportions of independent cases, else a permutation of
        the two results of each case.
    correction : str, default "stepdown"
        Of the p values of several comparisons, with intervals that hold for all of them.
        ``"stepdown"`` under their joint law has the most power; ``"holm"`` and ``"bonferroni"``
        know none; ``"benjamini_hochberg"`` has no such intervals; ``"none"`` leaves out both.
    margin : float or mapping of str to float, optional
        Largest loss that would not matter, above 0, in the unit of the metric (of a ratio a
        share): asks for non-inferiority and equivalence. Of several metrics that of each:
        ``{"dsc": 0.02, "hd95": 1}``.
    goal : float or mapping of str to float, optional
        Value that each model by itself should reach, with its confidence bound. Of several
        metrics that of each: ``{"dsc": 0.9, "hd95": 5}``.
    method : str, default "auto"
        CI method, one of ``halfwidth.METHODS``; ``"auto"`` chooses on evidence.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    n_resamples : int, optional
        Bootstrap resamples; default: 9999, and none where the bootstrap distribution is known
        exactly, as of means and of ratios of counts.
    rng : None, int, SeedSequence or Generator, optional
        Makes bootstraps repeatable; default: fresh, and reported.

    Returns
    -------
    Comparisons
        A `Difference` for each pair, by its place or by name: ``result["B", "A"]``, in a family
        ``result["liver", "B", "A"]``.

    Raises
    ------
    DataError
        If models share no cases, or one only, if cases are there for some models only, or if values
        are missing without a policy; says which.
    OptionError, UnknownNameError
        For an option that is not allowed or does not fit the others.

    References
    ----------
    Williams (1976) and figure SN 2.17 of Reinke et al. (2024), on models against raters.

    Examples
    --------
    >>> import halfwidth as hw
    >>> result = hw.compare(
    ...     {
    ...         "B": [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91],
    ...         "A": [0.90, 0.85, 0.93, 0.70, 0.89, 0.90, 0.85, 0.93, 0.87, 0.90],
    ...     },
    ...     metric="dsc",
    ...     margin=0.2,
    ... )
    >>> one = result["B", "A"]
    >>> print(f"{one.value:.3f} ({one.low:.2f} to {one.high:.2f}), {one.verdict.word}")
    0.021 (-0.01 to 0.05), non-inferior
    """
    dataset = as_data(data, other, metric)
    refuse_idle(
        "compare",
        dataset,
        statistic=statistic,
        average=average,
        baseline=baseline,
        test=test,
        correction=correction,
        goal=goal,
    )
    kind = kind_of(dataset)
    request = kind.request(
        dataset,
        method=method,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    settings = resolve_settings(
        Matched(request, dataset.pairing),
        effect=effect,
        baseline=baseline,
        test=test,
        correction=correction,
        margin=margin,
        goal=goal,
    )
    if kind.MATCHED_WHEN_READ:
        check_models(getattr(dataset, "models", ()), settings)
    families, notes = kind.families(dataset, Quantities(metric, statistic, average), settings.how)
    check_families(families, settings)
    if isinstance(dataset, Readings):
        measured = [one for family in families for one in family.measured(settings.how)]
        return raters.against_raters(measured, dataset.raters, settings, notes)
    measured = [
        one for family, how in penalized(families, settings.how) for one in family.measured(how)
    ]
    return compared(measured, settings, notes)
