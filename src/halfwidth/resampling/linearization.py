"""Standard errors by linearization: one formula for every design.

The influence of a case is n times what the statistic changes when the weight of the case does. To
first order a statistic therefore varies as the sum of its influences over n does, and of that sum
the variance over units drawn within strata is known.
"""

from __future__ import annotations

import numpy as np

from halfwidth.core.forms import Contrast
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array, Level
from halfwidth.resampling.designs import Design

# A standard error of a proportion below this is rounding.
ROUNDING = 1e-12


def linearized(values: Array, design: Design, statistic: Statistic) -> Array:
    """SE of a statistic of each sample, shape (..., n) -> (...).

    SE² = Σₕ Gₕ/(Gₕ - 1) Σ_g (z_g - z̄ₕ)², z_g the sum over the cases of unit g of influence / n.
    For the mean of independent cases it is s/√n; of clusters, the cluster-robust SE; of a trimmed
    mean, Tukey and McLaughlin's. NaN where no stratum has two units.
    """
    if statistic.spec.influence is None:
        raise TypeError(f"{statistic.spec.name} declares no influence")
    influence = statistic.spec.influence(values, **statistic.parameters)
    form = statistic.spec.form
    single = form.statistic if isinstance(form, Contrast) else statistic.spec
    if single.estimand is not Estimand.COUNTING:
        return np.sqrt(design.variance_of_total(design.totals(influence) / values.shape[-1]))
    if design.independent:
        # The variance of multinomial counts is known; it needs no n / (n - 1).
        variance = np.asarray((influence**2).mean(axis=-1) / values.shape[-1])
    else:
        variance = design.variance_of_total(design.totals(influence) / values.shape[-1])
    rounding = ROUNDING * np.fmax(np.abs(statistic(values)), 1.0)
    return np.where(variance <= rounding**2, 0.0, np.sqrt(variance))


def effective_trials(
    case_variance: Array, standard_error: Array, most: Array | None, design: Design, level: Level
) -> Array:
    """Independent trials that would give the same SE: n over the design effect.

    Of a proportion p the variance of a case is p(1 - p); of two proportions of the same cases it is
    that of the difference between both values of a case (Yang, Sun & Hardin 2012). Clusters never
    count for more than their cases, nor for ``most`` (`resemblance_trials`) where that is known.
    The SE of few units is itself uncertain, which a mean meets with t quantiles; here (z/t)² of the
    trials are left (Korn & Graubard 1998). Where all cases are alike (or those of each stratum),
    their dependence cannot be seen, and trials are the effective units.
    """
    from scipy import special

    equal_units = standard_error <= ROUNDING
    unseen = (case_variance == 0) | (len(design.strata) > 1)
    variance = np.where(equal_units, 1.0, standard_error) ** 2
    trials = np.where(
        equal_units,
        np.where(unseen, design.effective_units, design.n),
        case_variance / variance,
    )
    capped = trials if design.sizes is None else np.minimum(trials, design.n)
    capped = capped if most is None else np.minimum(capped, most)
    degrees = design.effective_degrees if most is None else design.degrees_of_freedom
    # The ratio hardly changes near a tail of a half, where both are 0.
    tail = min(level.tail, 0.4999)
    t = special.stdtrit(degrees, tail)
    few_known = (special.ndtri(tail) / t) ** 2
    return np.where(equal_units & unseen, capped, capped * few_known)


def resemblance_trials(values: Array, design: Design) -> Array:
    """Independent trials by the intra-class correlation ρ of the values of cases, (S, n) -> (S,).

    n / (1 + ρ(Σn_g²/n - 1)), which is n over the design effect of Kish (1965) for clusters of n_g
    cases, with ρ from the analysis of variance within [0, 1]; 1 where all cases are alike. Values
    are 0 and 1, or their differences between two models. Every
    cluster tells of ρ, while the differences that make a robust SE are those of the largest ones.
    """
    sizes, n, clusters = design.unit_sizes.astype(float), design.n, design.units
    shares = design.totals(values) / sizes
    share = values.mean(axis=-1, keepdims=True)
    between = (sizes * (shares - share) ** 2).sum(axis=-1) / (clusters - 1)
    squares = design.totals(values**2) / sizes
    within = (sizes * (squares - shares**2)).sum(axis=-1) / (n - clusters)
    typical = (n - (sizes**2).sum() / n) / (clusters - 1)
    spread = between + (typical - 1) * within
    correlation = np.where(spread > 0, (between - within) / np.where(spread > 0, spread, 1.0), 1.0)
    return np.asarray(n / (1 + np.clip(correlation, 0.0, 1.0) * ((sizes**2).sum() / n - 1)))
