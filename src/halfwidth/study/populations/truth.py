"""True values of statistics in a population."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.parameters import bind
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.study.populations.base import Population, Truth
from halfwidth.summaries import iqr, mean, sd, trimmed_mean

# Independent parts of a large draw, between which its standard error is seen.
BLOCKS = 20


def truth(
    population: Population,
    statistic: Statistic,
    generator: np.random.Generator,
    *,
    draws: int = 10**7,
) -> Truth:
    """The value of a summary statistic in a population.

    - mean, SD: from the moments of the population; the SD has no n, so that ``ddof`` is moot;
    - median, quantile, IQR: from its quantile function inf{x : F(x) ≥ p};
    - trimmed mean of share γ: ∫ Q(p) dp from γ to 1 - γ, over 1 - 2γ;
    - any other statistic: its mean over 20 large independent samples, ``draws`` cases in all, with
      the standard error between them. Of so large samples it is as good as the limit for n → ∞.

    Parameters
    ----------
    population : Population
    statistic : Statistic
        With its parameters bound.
    generator : numpy.random.Generator
        Advanced by a large draw only.
    draws : int, default 10 000 000
        At least 40.

    Returns
    -------
    Truth
        NaN where the population has no such value.

    Raises
    ------
    OptionError
        For too few draws.

    Examples
    --------
    >>> from halfwidth.study.populations import family
    >>> from halfwidth.summaries.all_statistics import STATISTICS
    >>> generator = np.random.default_rng(0)
    >>> truth(family("uniform"), Statistic(STATISTICS["iqr"]), generator)
    Truth(value=0.5, standard_error=0.0, how='formula')
    """
    exact = _exact(population, statistic)
    if exact is not None:
        return exact
    return between_blocks(
        lambda n: statistic(population.draw(generator, 1, n)), draws=draws, blocks=BLOCKS
    )


def _exact(population: Population, statistic: Statistic) -> Truth | None:
    """The value of a statistic of the package; None for a user's own."""
    # By the function, not by the name, which a user's own statistic may share.
    spec = statistic.spec
    function, how = spec.function, population.quantile_how
    if function is mean:
        value, how = population.mean, "formula"
    elif function is sd:
        value, how = population.standard_deviation, "formula"
    elif spec.quantile_level is not None:
        value = float(population.quantile(statistic.quantile_level))
    elif function is iqr:
        low, high = population.quantile([0.25, 0.75])
        value = float(high - low)
    elif function is trimmed_mean:
        share = bind(spec.name, spec.parameters, statistic.parameters, complete=True)["share"]
        value = population.partial_mean(share, 1 - share) / (1 - 2 * share)
    else:
        return None
    return Truth(value, 0.0, how)


def between_blocks(draw: Callable[[int], Array], *, draws: int, blocks: int) -> Truth:
    """The mean of a statistic over independent large samples, with the SE between them.

    ``draw(n)`` gives the statistic of one fresh sample of n cases, shape ``(1,)``; ``draws`` are
    the cases of all samples together, of which there are at least 2 ``blocks``. NaN where the
    statistic is undefined on a sample.
    """
    if blocks < 2:
        raise OptionError(f"blocks={blocks}: a standard error needs at least 2")
    if draws < 2 * blocks:
        raise OptionError(f"draws={draws} is too few for {blocks} blocks of at least 2 cases")
    values = np.concatenate([np.ravel(draw(draws // blocks)) for _ in range(blocks)])
    error = float(np.std(values, ddof=1)) / math.sqrt(blocks)
    return Truth(float(values.mean()), error, "draw")
