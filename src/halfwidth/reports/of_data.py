"""What a report tells of data: estimates, of several models their ranks and differences, curves."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from halfwidth.core.by_metric import Numbers
from halfwidth.core.errors import NoOrderError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.rng import resolve_seed
from halfwidth.core.titles import metric_title
from halfwidth.data.predictions import Predictions
from halfwidth.estimation.test_sets.curves import AREA_OF
from halfwidth.measuring.curves import curve_of_metric
from halfwidth.measuring.quantities import USUAL_STATISTIC, Quantities
from halfwidth.metrics.counting import net_benefit
from halfwidth.ranking.ranking_options import NOT_RANKED
from halfwidth.results.comparison import Comparisons
from halfwidth.results.estimate import MODEL, Cases, Estimate, Estimates
from halfwidth.results.ranking import Rankings
from halfwidth.verbs.compare import compare
from halfwidth.verbs.curve import curve
from halfwidth.verbs.estimate import estimate
from halfwidth.verbs.given import Data
from halfwidth.verbs.rank import rank

# Models of which all pairs are compared; of more, ranks say what pairs would.
MOST_IN_PAIRS = 5
# Draws of the bands, unless a number is asked for: each point of a band is seen, not read off.
RESAMPLES = 999
# The kind of curve that is drawn where a metric is estimated.
CURVE_OF = {
    **{area: kind for kind, area in AREA_OF.items()},
    net_benefit.__name__: "decision",
    **curve_of_metric(),
}


@frozen(eq=False)
class DataResults:
    """The finished results of some data."""

    estimates: Estimates
    comparisons: Comparisons | None = None
    rankings: Rankings | None = None


def results_of_data(
    data: Data,
    *,
    statistic: Any = USUAL_STATISTIC,
    baseline: str | None = None,
    margin: Numbers | None = None,
    **asked: Any,
) -> DataResults:
    """Models by rank with estimates, and differences of few, by the first statistic of several."""
    # All have the same draws.
    asked["rng"] = resolve_seed(asked.get("rng"))
    if len(data.models) < 2:
        return DataResults(estimate(data, statistic=statistic, **asked))
    first, *further = Quantities(statistic=statistic).statistics
    pairs = margin is not None or baseline is not None
    few = pairs or len(data.models) <= MOST_IN_PAIRS
    compared = functools.partial(
        compare, data, statistic=first, baseline=baseline, margin=margin, **asked
    )
    if getattr(data, "pairing", "") == "none":
        return DataResults(
            estimate(data, statistic=statistic, **asked), compared() if few else None
        )
    try:
        rankings = rank(data, statistic=first, **asked)
    except NoOrderError as error:
        estimates = estimate(data, statistic=statistic, **asked)
        estimates = replace(estimates, notes=(*estimates.notes, f"no ranks: {error}"))
        return DataResults(estimates, compared() if few else None)
    estimates = _with_unranked(estimates_of_models(rankings), data, statistic=first, **asked)
    for other in further:
        own = estimates_of_models(rank(data, statistic=other, **asked))
        estimates = replace(estimates, items=(*estimates.items, *own.items))
    if further:
        title = estimates[0].statistic_title
        notes = (*estimates.notes, f"models are ranked and compared by the {title} alone")
        estimates = replace(estimates, notes=notes)
    if not pairs and max(len(one.models) for one in rankings) > MOST_IN_PAIRS:
        return DataResults(estimates, None, rankings)
    return DataResults(estimates, compared(), rankings)


def _with_unranked(estimates: Estimates, data: Data, **asked: Any) -> Estimates:
    """Estimates of ranked models, and those of the metrics that rank none."""
    if not any(note.startswith(NOT_RANKED) for note in estimates.notes):
        return estimates
    ranked = {one.metric for one in estimates}
    others = [one for one in estimate(data, **asked) if one.metric not in ranked]
    return replace(estimates, items=(*estimates.items, *others))


def estimates_of_models(rankings: Rankings) -> Estimates:
    """Estimates of the models, each labelled by its model, with the values behind them."""
    items, cases = [], []
    for ranking in rankings:
        for model in ranking.models:
            one = model.estimate
            label = " / ".join(filter(None, [model.name, one.label]))
            items.append(replace(one, label=label, by={MODEL: model.name, **one.by}))
            kept = ranking.cases
            # Test sets, and ranks within cases, have no values of a model to show.
            if kept is not None and model.name in kept.values:
                title = metric_title(one.metric_spec)
                cases.append(Cases(label, title, kept.values[model.name], kept.groups))
    return Estimates(tuple(items), rankings.notes, tuple(cases))


def curves_of_predictions(
    data: Predictions,
    estimates: Sequence[Estimate],
    *,
    confidence_level: float,
    n_resamples: int | None,
    rng: Any,
) -> tuple[tuple[Any, ...], str]:
    """Curves, of all models in one figure where each has one, and why none is drawn."""
    drawn: list[Any] = []
    for kind, one in {CURVE_OF[e.metric]: e for e in estimates if e.metric in CURVE_OF}.items():
        try:
            curves = curve(
                data,
                cast("Any", kind),
                confidence_level=confidence_level,
                n_resamples=n_resamples or RESAMPLES,
                rng=rng if one.seed is None else one.seed,
            )
        except OptionError as error:
            # An average over two classes need not know which of them is positive.
            return (), f"no curves are drawn: {error}"
        each = len(curves) // max(len(data.models), 1)
        some = [curves[first : first + each] for first in range(0, len(curves), each)]
        drawn += some if each > 1 else [curves]
    return tuple(drawn), ""
