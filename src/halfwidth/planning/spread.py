"""The spread of cases: the largest possible and the usual one for a mean.

If a paper prints a mean without an SD, the reader must guess. Christodoulou et al. (2024)
guess the SD of a Dice coefficient by a second-order polynomial of its mean. The polynomials here
are fitted on real instances (`benchmarks/spread.py`), and their error goes with them.
"""

from __future__ import annotations

import functools
import json
import math
from importlib import resources
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import UNIT_INTERVAL, Bounds

DATA = "spread.json"
# Share of the instances of unseen tasks whose SD lies in the range given with a guess.
SHARE = 0.9


@frozen
class SpreadModel:
    """The SD of cases as a polynomial of their mean, and how far it is off."""

    metric: str
    # The benchmarks that the instances are from.
    sources: tuple[str, ...]
    # c₀, c₁, c₂ of SD = c₀ + c₁ m + c₂ m², by least squares over the instances.
    coefficients: tuple[float, float, float]
    # What it was fitted on: pairs of a model and a task.
    instances: int
    tasks: int
    # The smallest and the largest mean among them.
    means: tuple[float, float]
    # √(Σ residual² / (instances - 3)), in the unit of the metric.
    residual_sd: float
    # Root mean square error for tasks that the fit had not seen.
    left_out_rmse: float
    # Between these multiples of the predicted SD lie 90 % of the SDs of tasks that the fit had not
    # seen, each task weighing the same.
    ratio: tuple[float, float]

    def sd(self, mean: float) -> float:
        """The polynomial at a mean."""
        constant, linear, square = self.coefficients
        return constant + linear * mean + square * mean**2


@frozen
class Spread:
    """An SD, with a plausible range if it is a guess."""

    sd: float
    # Equal to the SD where it was published.
    low: float
    high: float
    # The model of a guess.
    model: SpreadModel | None = None
    # Whether the mean lies beyond those that the model was fitted on.
    outside: bool = False

    @classmethod
    def known(cls, sd: float) -> Spread:
        """An SD that was published."""
        return cls(sd, sd, sd)


@frozen
class Correlations:
    """Correlations between the per-case values of two models of similar quality."""

    # Pairs of models on one task.
    pairs: int
    # The largest difference of their means.
    within: float
    # The 5 %, 50 % and 95 % quantile of their correlations.
    low: float
    median: float
    high: float


@functools.cache
def _shipped() -> dict[str, Any]:
    text = resources.files("halfwidth.planning").joinpath(DATA).read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def spread_models() -> dict[str, SpreadModel]:
    """The fitted polynomials by the name of their metric."""
    return {name: _model(name, plain) for name, plain in _shipped()["models"].items()}


def usual_correlations() -> dict[str, Correlations]:
    """Correlations of pairs of models by the name of the metric; from one benchmark, Touchstone."""
    return {name: Correlations(**plain) for name, plain in _shipped()["correlations"].items()}


def _model(name: str, plain: dict[str, Any]) -> SpreadModel:
    # JSON has lists instead of tuples.
    fields: dict[str, Any] = {k: tuple(x) if isinstance(x, list) else x for k, x in plain.items()}
    return SpreadModel(name, **fields)


def usual_spread(metric: str, mean: float, n: int, bounds: Bounds) -> Spread:
    """The usual SD for a mean, with a plausible range, as by Christodoulou et al. (2024)."""
    models = spread_models()
    if metric not in models or bounds != UNIT_INTERVAL:
        raise DataError(
            "without an SD an interval can be guessed for metric "
            f"{' and '.join(models)} (0 to 1) only; give sd (or sem) as published, or ask the "
            "authors for it"
        )
    model, most = models[metric], largest_sd(mean, n, bounds)
    guess = max(model.sd(mean), 0.0)
    low, high = (min(ratio * guess, most) for ratio in model.ratio)
    outside = not model.means[0] <= mean <= model.means[1]
    return Spread(min(guess, most), low, high, model, outside)


def largest_sd(mean: float, n: int, bounds: Bounds) -> float:
    """The largest SD (n - 1) that n values in a range can have about their mean.

    Not above √((m - a)(b - m) n/(n - 1)), which half of the cases at each end reach, nor above
    (m - a)√n or (b - m)√n, which one case far out and all others at an end reach.
    """
    below, above = mean - bounds.low, bounds.high - mean
    alone = min(below, above) * math.sqrt(n)
    if not bounds.finite:
        return alone
    return min(alone, math.sqrt(max(below * above, 0.0) * n / (n - 1)))
