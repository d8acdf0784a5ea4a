"""``rank``: the order of models, and how sure it is, of any kind of data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from halfwidth.comparison.multiplicity import STEPDOWN
from halfwidth.comparison.settings import check_families, check_models, plain, resolve_settings
from halfwidth.core.by_metric import Numbers
from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.option_table.table import option_of
from halfwidth.data.case_values import WORST_RANK, CaseValues
from halfwidth.estimation.resolve import AUTO
from halfwidth.measuring.kinds import kind_of
from halfwidth.measuring.plans import Matched, penalized
from halfwidth.measuring.quantities import USUAL_STATISTIC, Quantities
from halfwidth.measuring.same_cases import with_same_cases
from halfwidth.ranking.consensus import resolve_combining
from halfwidth.ranking.missing_values import check_worst_rank, measured_with_policies
from halfwidth.ranking.ranking_options import in_order, resolve_options
from halfwidth.ranking.together import all_ranked
from halfwidth.results.ranking import Rankings
from halfwidth.verbs.given import as_data_of_models, refuse_idle


def rank(
    data: Any,
    other: Any = None,
    *,
    metric: Any = None,
    statistic: Any = USUAL_STATISTIC,
    average: Any = None,
    scheme: str | Sequence[str] = "aggregate_then_rank",
    margin: Numbers = 0.0,
    top: int = 3,
    combine: str | None = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
) -> Rankings:
    """Models by rank, and the ranks that each may have: confidence sets for ranks.

    The rank of a model is 1 + the number of models that are better. Its set counts those that the
    differences between models, taken together, show to be better or worse. How ranks spread over
    bootstrap resamples stands beside it; at near ties that is no confidence set. Models are ranked
    within each level (`by`), by each metric and class.

    Parameters
    ----------
    data, other
        As `compare` takes them.
    metric : str, MetricSpec or callable, or sequence of them, optional
        Of predictions and detections, what is estimated; of values, what they are, where their
        data do not say it.
    statistic : str, callable or StatisticSpec, default "mean"
        Summary statistic of values of cases; with parameters: ``"quantile:0.9"``.
    average : str or sequence of them, optional
        Over classes: ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``; ``"none"`` takes
        each class apart.
    scheme : str or sequence of them, default "aggregate_then_rank"
        ``"aggregate_then_rank"``: by the statistic of the values; ``"rank_then_aggregate"``: by
        that of the ranks within each case; ``"test_then_rank"``: by the tests that a model
        wins. Further: ``rank_then_aggregate:ties=average`` (or ``max``),
        ``test_then_rank:test=wilcoxon`` (``permutation``, ``mcnemar``, ``mcnemar_midp``). Ranks
        within a case are shared by ``ties``, ``min`` by default; in the ranking itself it
        always is the smallest. Tests are one-sided, of pairs, with Holm's correction; by
        default Wilcoxon's of values of cases, else that of `compare`. Several schemes make a
        ranking each.
    margin : float or mapping of str to float, default 0.0
        A model ranks behind those that are better by more than this, in the unit of the metric.
        Of ``"rank_then_aggregate"`` in ranks. Of several metrics that of each: ``{"dsc": 0.02,
        "hd95": 1}``.
    top : int, default 3
        How many first ranks the share of resamples among the first takes together.
    combine : str, optional
        Combine the ranks by several metrics, within tasks and over them. Further:
        ``mean_rank:absent_model=last``, of a model that some task lacks. Over tasks alone there
        always is a consensus, by mean ranks unless this says otherwise. A model that some task
        lacks, with ``pairing="common"``, is left out of the consensus, or last in that task.
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
    Rankings
        One for each level, metric, class and scheme; ``result["liver"]``, of several schemes
        ``result["liver", "rank_then_aggregate"]``. Confidence sets hold together within each
        ranking, not over all.

    Raises
    ------
    DataError, OptionError, UnknownNameError
        As for `compare`, and where the metric has no better direction.

    Examples
    --------
    >>> import halfwidth as hw
    >>> (ranking,) = hw.rank(
    ...     {
    ...         "A": [0.91, 0.88, 0.93, 0.89, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91] * 4,
    ...         "B": [0.90, 0.89, 0.92, 0.90, 0.89, 0.92, 0.85, 0.93, 0.91, 0.90] * 4,
    ...         "C": [0.31, 0.25, 0.33, 0.17, 0.29, 0.30, 0.25, 0.43, 0.27, 0.40] * 4,
    ...     },
    ...     metric="dsc",
    ...     rng=1,
    ... )
    >>> print(ranking.sentence())
    Mean DSC: A and B may be first of 3 (95 % confidence); the ranks of A and B are within 1 to 2; \
the rank of C is 3.
    """
    dataset = as_data_of_models(data, other, metric, "rank")
    refuse_idle("rank", dataset, statistic=statistic, average=average)
    worst_rank = False
    if isinstance(dataset, CaseValues) and dataset.missing == WORST_RANK:
        worst_rank, dataset = True, replace(dataset, missing="raise")
    options = replace(
        resolve_options(scheme, margin, top),
        combining=resolve_combining(combine),
        worst_rank=worst_rank,
    )
    if worst_rank:
        check_worst_rank(options.schemes)
    if dataset.pairing == "none":
        raise OptionError(
            f"{spelled('pairing', 'none')} leaves nothing to rank: ranks need models on the same "
            "cases"
        )
    kind = kind_of(dataset)
    request = kind.request(
        dataset,
        method=method,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    settings = replace(
        resolve_settings(
            Matched(request, dataset.pairing),
            effect="difference",
            baseline=None,
            test=options.test,
            correction=STEPDOWN,
            margin=None,
            goal=None,
        ),
        ranked=True,
    )
    if kind.MATCHED_WHEN_READ:
        check_models(dataset.models, settings)
    families, notes = kind.families(dataset, Quantities(metric, statistic, average), settings.how)
    families, left_out = in_order(families)
    notes = [*notes, *left_out]
    check_families(families, settings)
    options.check_margin([plain(family.metric) for family in families])
    _check_top(top, max((len(family.models) for family in families), default=0))
    if options.combining.over_metrics:
        families, further = with_same_cases(families, settings.how)
        notes = [*notes, *further]
    measured = [
        (family.label, one)
        for family, how in penalized(families, settings.how)
        for one in measured_with_policies(family, how, worst_rank=worst_rank)
    ]
    return all_ranked(measured, options, settings, notes)


def _check_top(top: int, most: int) -> None:
    """Refuse more first ranks than there are models; the default goes for few models too."""
    if top > max(most, option_of("top", "rank").default):
        raise OptionError(
            f"{spelled('top', top)} has no effect: {most} models have no more than {most} ranks"
        )
