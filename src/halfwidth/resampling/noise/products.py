"""Means of products of deviations over pairs of cases, and the two kinds of noise in them.

T is a U-statistic. Where deviations are noise alone, it is a mean of products of noise, skewed and
of the order 1/n; where they are not, what cases deviate by on average varies too, by 1/√n, which is
taken to grow with the root of what T estimates.
"""

from __future__ import annotations

import math

import numpy as np

from halfwidth.arithmetic.kernel_cases import evenly
from halfwidth.arithmetic.kernel_products import (
    bandwidth_of,
    cases_of,
    products_of_cases,
    sum_of_products,
)
from halfwidth.core import rng
from halfwidth.core.forms import PairedCases
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.distribution import AllDefined
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form

# n T of outcomes drawn from the probabilities is distributed as that of so many of the cases.
DRAWN_AT = 500
# A mean product is not all noise from so many of its standard deviations on.
FEW_SDS = 1.0
# Elements of a temporary.
AT_ONCE = 2**20


@frozen(eq=False)
class Products(AllDefined):
    """Mean products of a batch of samples."""

    value: Array  # (S,): T, of different cases
    slope: Array  # (S,): variance of the mean deviations' part of T over what it estimates
    at_random: Array  # (S, B): T of outcomes drawn from the probabilities
    scatter: Array  # (S,): how many times the variance of these the deviations have, 1 at least
    normal: Array  # (B,): standard normal draws

    @property
    def n_resamples(self) -> int:
        """Draws of the noise."""
        return len(self.normal)

    def true_squares(self, observed: Array) -> Array:
        """The largest θ with θ + √(vθ) z + T₀ ≤ T in each draw, (S,) -> (S, B); 0 without any."""
        half = np.sqrt(self.slope)[:, None] * self.normal / 2
        inside = half**2 + observed[:, None] - self.scatter[:, None] * self.at_random
        root = np.sqrt(np.maximum(inside, 0.0)) - half
        return np.where((inside >= 0) & (root > 0), root**2, 0.0)

    def standard_deviation(self) -> Array:
        """SD of T, (S,)."""
        smooth = self.slope * np.maximum(self.value, 0.0)
        rough = self.scatter**2 * self.at_random.var(axis=-1, ddof=1)
        return np.asarray(np.sqrt(smooth + rough))


def products(records: Array, statistic: Statistic, plan: Plan) -> Products:
    """Mean products of samples of independent cases, (S, k, n)."""
    from scipy import special

    form = declared_form(statistic, PairedCases)
    value, slope, at_random, scatter = zip(
        *(_from_sample(one, form, plan) for one in records), strict=True
    )
    uniform = rng.uniforms(rng.derive_key(plan.entropy, "products"), 0, plan.n_resamples, 1)
    normal = np.asarray(special.ndtri(uniform[:, 0]))
    return Products(
        np.array(value), np.array(slope), np.stack(at_random), np.array(scatter), normal
    )


def _from_sample(
    records: Array, form: PairedCases, plan: Plan
) -> tuple[float, float, Array, float]:
    p, y = cases_of(*form.cases(records))
    n, r = p.shape[-1], y - p
    bandwidth = bandwidth_of(p, dict(form.parameters).get("bandwidth"))
    at_random = _drawn(p[:, evenly(n, DRAWN_AT)], n, bandwidth, plan)
    one_less = (p * (1 - p)).sum()
    scatter = max(float((r**2).sum() / one_less), 1.0) if one_less > 0 else 1.0
    each, squares = products_of_cases(p, r, bandwidth)
    value = float(each.sum()) / (n * (n - 1))
    slope = _slope(each / (n - 1), squares / (n * (n - 1) ** 2), float((r**2).mean()))
    return value, slope, at_random, scatter


def _slope(means: Array, noise: float, own: float) -> float:
    """4 Var(h)/n over θ, of the mean products h of cases with all others, whose noise is known."""
    # Where θ is all noise, both are taken with it.
    n, value, spread = len(means), float(means.mean()), float(means.var())
    whole = value + own / n
    plain = spread / whole if whole > 0 else 0.0
    clean = (spread - noise) / value if value > FEW_SDS * math.sqrt(2 * noise / n) else 0.0
    return 4 * max(plain, clean) / n


def _drawn(p: Array, n: int, bandwidth: float, plan: Plan) -> Array:
    """T of n cases like these, with outcomes drawn from their probabilities, (B,)."""
    m = p.shape[-1]
    key, products = rng.derive_key(plan.entropy, "outcomes", m), np.empty(plan.n_resamples)
    step = max(1, AT_ONCE // p.size)
    up_to = np.cumsum(p, axis=0)[:-1, None]
    for start in range(0, len(products), step):
        stop = min(start + step, len(products))
        uniform = rng.uniforms(key, start, stop, m)
        if len(p) == 1:
            outcomes = (uniform < p)[:, None].astype(float)
        else:
            code = (uniform >= up_to).sum(axis=0)
            outcomes = (code[:, None] == np.arange(len(p))[:, None]).astype(float)
        products[start:stop] = sum_of_products(p, outcomes - p, bandwidth)
    return np.asarray(products / math.sqrt(m * (m - 1.0) * n * (n - 1.0)))
