"""What the comparisons of models allow to say together, as `compare` and `rank` have it."""

from __future__ import annotations

from typing import Any

from halfwidth.comparison.estimates import ChosenPairs, estimates_of, inference_of
from halfwidth.comparison.inference import FamilyInference
from halfwidth.comparison.settings import Settings, resolve_settings
from halfwidth.measuring.kinds import kind_of
from halfwidth.measuring.plans import Matched
from halfwidth.measuring.quantities import USUAL_STATISTIC, Quantities
from halfwidth.results.estimate import Estimate
from halfwidth.verbs.given import as_data


def chosen_pairs(
    data: Any, *, metric: Any = None, statistic: Any = USUAL_STATISTIC, **options: Any
) -> tuple[ChosenPairs, Settings]:
    """The pairs of a family, and the options of a comparison."""
    dataset = as_data(data, None, metric)
    drawn = {"method": "auto", "confidence_level": 0.95, "n_resamples": None, "rng": 1}
    kind = kind_of(dataset)
    request = kind.request(
        dataset, **{key: options.pop(key, given) for key, given in drawn.items()}
    )
    asked: dict[str, Any] = {"effect": "difference", "baseline": None, "test": "none"}
    asked |= {"correction": "stepdown", "margin": None, "goal": None} | options
    settings = resolve_settings(Matched(request, dataset.pairing), **asked)
    families, _ = kind.families(dataset, Quantities(metric, statistic, None), settings.how)
    (measured,) = families[0].measured(settings.how)
    pairs = tuple(settings.pairs(list(measured.jobs)))
    return ChosenPairs(measured, pairs, settings.effect), settings


def family_of(data: Any, **options: Any) -> tuple[FamilyInference, tuple[Estimate, ...]]:
    """Of all pairs of some models; and the intervals of each pair by itself."""
    chosen, settings = chosen_pairs(data, **options)
    (estimates,) = estimates_of([chosen], settings, settings.request.level)
    return inference_of(chosen, estimates, settings), estimates
