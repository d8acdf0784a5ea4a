"""What ``method="auto"`` chooses: reliability first, then precision.

The rules and the evidence for them stand in ``docs/choosing.md``.
"""

from __future__ import annotations

from halfwidth.core.forms import RankedAreas, Sums
from halfwidth.core.spec import Estimand, MethodSpec, Statistic
from halfwidth.core.types import Array, Bounds, Level
from halfwidth.estimation.records import Functional, Records
from halfwidth.intervals.catalogue import METHODS
from halfwidth.intervals.compute import estimands
from halfwidth.intervals.ranks import exact_ranks
from halfwidth.metrics.building import Tuned
from halfwidth.resampling.engine import standard_error

# Below this many cases bootstraps under-cover noticeably.
SMALL = 50
# For AUROC, average precision and SD, BCa covers better than percentile from fewer cases on
# (docs/real-study.md); of an SD not where values are flatter than a uniform distribution, above
# all in two heaps: found and missed.
SMALL_FOR_AREAS = SMALL_FOR_SD = 25
FLAT = 1.8
# The same for clusters, whose number a cluster bootstrap's coverage depends on.
FEW_CLUSTERS = 30
# Resampling Gₕ units of a stratum understates its variance by the factor 1 - 1/Gₕ, which adds up
# over strata however many cases there are in all.
UNITS_PER_STRATUM = 10
# A bootstrap of a quantile sees no value beyond those observed; with fewer than this many of them
# expected beyond the quantile it under-covers badly.
CASES_BEYOND = 10


def choose_for_counts() -> MethodSpec:
    """The method for a proportion, whatever its counts."""
    return METHODS["wilson"]


def choose(functional: Functional, records: Records, level: Level) -> MethodSpec:
    """The method for a functional of some records."""
    statistic = functional.statistic
    accepted = estimands(statistic, binary=functional.binary)
    if Estimand.PROPORTION in accepted:
        return choose_for_counts()
    if statistic.spec.of_records:
        return METHODS[_for_records(records, statistic)]
    if not records.design.simple:
        bounds = functional.metric.spec.bounds
        mean = Estimand.MEAN in accepted
        return METHODS[_for_designed_mean(records, bounds) if mean else "percentile"]
    return METHODS[_for_cases(functional, records, level)]


def _for_cases(functional: Functional, records: Records, level: Level) -> str:
    """For a statistic of the values of independent cases."""
    spec, values = functional.statistic.spec, records.values
    if spec.estimand is Estimand.MEAN:
        return _for_mean(values, functional.metric.spec.bounds)
    if spec.estimand is Estimand.QUANTILE:
        return _for_quantile(len(values), functional.statistic.quantile_level, level)
    return _for_sd(values) if spec.estimand is Estimand.SPREAD and spec.smooth else "percentile"


def _for_records(records: Records, statistic: Statistic) -> str:
    """For a metric of a test set, by its form."""
    form, design = statistic.spec.form, records.design
    if Estimand.AUROC is statistic.spec.estimand:
        error = standard_error(records.arranged[None], design, statistic)[0]
        return "delong_logit_t" if error > 0 else _instead_of("delong_logit_t")
    if design.sizes is not None:
        return "percentile"
    if isinstance(form, RankedAreas) and not isinstance(form.area.curve, Tuned):
        return "bca" if design.n >= SMALL_FOR_AREAS else "percentile"
    smooth = isinstance(form, Sums) or statistic.spec.estimand is Estimand.COUNTING
    return "bca" if smooth and design.n >= SMALL else "percentile"


def _for_quantile(n: int, q: float, level: Level) -> str:
    """Percentile where enough cases lie beyond the quantile; else exact where it exists."""
    if n >= SMALL and n * min(q, 1 - q) >= CASES_BEYOND - 1e-9:
        return "percentile"
    return "exact" if n and exact_ranks(n, q, level) else _instead_of("exact")


def _for_sd(values: Array) -> str:
    """BCa, unless there are few values, or they lie flat or in two heaps."""
    if len(values) < SMALL_FOR_SD or values[0] == values[-1]:
        return "percentile"
    squares = (values - values.mean()) ** 2
    return "percentile" if (squares**2).mean() < FLAT * squares.mean() ** 2 else "bca"


def _for_designed_mean(records: Records, bounds: Bounds) -> str:
    """Cluster-robust t for few clusters; else BCa, unless strata are too small to be resampled."""
    design = records.design
    if records.values[0] == records.values[-1]:
        # Only the metric's range still says anything.
        return "dirichlet" if bounds.finite else "t"
    few = FEW_CLUSTERS if design.sizes is not None else SMALL
    thin = len(design.strata) > 1 and design.units < UNITS_PER_STRATUM * len(design.strata)
    return "t" if design.effective_degrees + 1 < few or thin else "bca"


def _for_mean(values: Array, bounds: Bounds) -> str:
    """Dirichlet weights where the metric has finite bounds, at any n; else Hall's interval.

    What a sample without a failure says of rare ones is in the bounds of the metric, not in its
    SD: a rule that looks at the SD takes short intervals where failures went unseen.
    """
    if bounds.finite:
        return "dirichlet"
    constant = len(values) > 1 and values[0] == values[-1]
    few = len(values) < METHODS["hall"].min_n
    return _instead_of("hall") if few or constant else "hall"


def _instead_of(name: str) -> str:
    """The method that the spec of another one names for where that gives no interval."""
    instead = METHODS[name].instead
    return name if instead is None else instead.__name__
