"""What ``method="auto"`` chooses: reliability first, then precision.

The rules and the evidence for them stand in ``docs/choosing.md`` and decisions 0040, 0072 and 0090.
"""

from __future__ import annotations

import numpy as np

from halfwidth.core.detection_forms import MatchedScores
from halfwidth.core.forms import Contrast, Effect, LogisticFit, RankedAreas, Sums
from halfwidth.core.spec import OF_INVERTED_TESTS, Estimand, MethodSpec, Statistic, Takes
from halfwidth.core.types import Array, Bounds, Level
from halfwidth.estimation.records import Functional, Records
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import PAIRED_PROPORTIONS, estimands, rests_on_bounds
from halfwidth.intervals.dirichlet_intervals import open_side
from halfwidth.intervals.ranks import exact_ranks, holds_differences
from halfwidth.resampling.designs import Design
from halfwidth.resampling.engine import has_weights, standard_error
from halfwidth.resampling.forms.contract import single_model
from halfwidth.resampling.forms.ranked_errors import class_units

# Statistics of values that take Dirichlet weights where the metric has finite bounds. Medians and
# quantiles have exact intervals, and of a user's function nothing is known.
WEIGHTED = frozenset({Estimand.MEAN, Estimand.TRIMMED_MEAN, Estimand.SPREAD})
# Those whose pseudo-cases the data place, where they are smooth, which need no bounds then.
PLACED = frozenset({Estimand.MEAN, Estimand.SPREAD})
# What noise makes larger, and resamples once more: basic at least takes off what they add.
OF_CALIBRATION = {
    Estimand.CALIBRATION_ERROR: "inverted",
    Estimand.ROOT_OF_SQUARE: "debiased",
    Estimand.CALIBRATION_ERROR_DIFFERENCE: "joint_inversion",
    Estimand.ERROR_OF_PAIRS: "inverted",
    Estimand.SQUARE_OF_PAIRS: "inverted_products",
    Estimand.OBSERVED_OVER_EXPECTED: "expected_score",
    Estimand.ENLARGED: "basic",
}
# DeLong's variance of an AUROC rests on the cases of the rarer class that are ranked wrongly. Where
# it is expected of fewer cases (or clusters) than these, the variance is too small too often.
FEW_RANKED_WRONG = 5
# Of two AUROCs on the same cases it is short more often: what counts are the cases that they rank
# differently. From so many ranked wrongly by either on, all methods agree.
MANY_RANKED_WRONG = 20
# A bootstrap of a quantile sees no value beyond those observed; with fewer cases than these in all,
# or expected beyond the quantile, it under-covers.
SMALL = 50
CASES_BEYOND = 10
# A cluster bootstrap's coverage depends on the number of clusters.
FEW_CLUSTERS = 30
# Images or patients with objects (of a class, where it is of one) from which resamples of them say
# something: as of clusters, whose bootstraps hold from about twenty on (decision 0066). HW882 warns
# where there are fewer.
FEW_WITH_OBJECTS = 20
# Resampling Gₕ units of a stratum understates its variance by the factor 1 - 1/Gₕ, which adds up
# over strata however many cases there are in all.
UNITS_PER_STRATUM = 10


def choose_for_counts() -> MethodSpec:
    """The method for a proportion, whatever its counts."""
    return METHODS["wilson"]


def inverted_together(statistic: Statistic) -> bool:
    """Whether the true errors of two models are known draw by draw: those in bins and of curves."""
    spec = statistic.spec
    return spec.estimand in OF_INVERTED_TESTS and isinstance(spec.form, LogisticFit | Sums)


def choose_unpaired(functional: Functional, effect: Effect) -> MethodSpec:
    """The method for the difference, or ratio, of a functional of two samples (decision 0049)."""
    statistic, bounds = functional.statistic, functional.metric.spec.bounds
    if effect == "ratio":
        return METHODS["mover"]
    if inverted_together(statistic):
        return METHODS[OF_CALIBRATION[Estimand.CALIBRATION_ERROR_DIFFERENCE]]
    if Estimand.PROPORTION in estimands(statistic, binary=functional.binary):
        return METHODS["newcombe_unpaired"]
    if statistic.spec.estimand is Estimand.MEAN and not bounds.finite:
        return METHODS["welch"]
    return METHODS["mover"]


def if_unseen_failures(method: MethodSpec, bounds: Bounds) -> MethodSpec | None:
    """What stands in for a method if cases can fail as none did; None where it allows for that."""
    placed = method.name in ("dirichlet_pareto", "dirichlet_pareto_or_t")
    return METHODS["dirichlet_or_pareto"] if placed and bounds.finite else None


def choose(functional: Functional, records: Records, level: Level) -> MethodSpec:
    """The method for a functional of some records."""
    statistic = functional.statistic
    if Estimand.PROPORTION in estimands(statistic, binary=functional.binary):
        return choose_for_counts()
    if statistic.spec.estimand in PAIRED_PROPORTIONS:
        return METHODS["newcombe_paired"]  # decision 0049
    bounded = functional.metric.spec.bounds.finite
    bounded = bounded or not rests_on_bounds(METHODS["dirichlet"], statistic)
    weighted = bounded and has_weights(statistic)
    if statistic.spec.of_records:
        named = _for_calibration(records, statistic)
        return METHODS[named or _for_records(records, functional, weighted=weighted)]
    # A single case has a mean, and hardly another statistic.
    kinds = WEIGHTED if records.design.n > 1 else {Estimand.MEAN}
    if statistic.spec.estimand in kinds and _is_placed(functional, records):
        thin = _thin_mean(records, statistic)
        return METHODS["dirichlet_pareto_or_t" if thin else "dirichlet_pareto"]
    if weighted and statistic.spec.estimand in kinds:
        return METHODS["dirichlet"]
    return METHODS[_without_bounds(records, statistic, level)]


def _is_placed(functional: Functional, records: Records) -> bool:
    """Whether the data place the pseudo-cases of a mean or an SD.

    Without bounds nothing stands in where they cannot, as of values that are all equal.
    """
    statistic, bounds = functional.statistic, functional.metric.spec.bounds
    method, design = METHODS["dirichlet_pareto"], records.design
    smooth = statistic.spec.estimand in PLACED and statistic.spec.smooth
    if not smooth or not has_weights(statistic):
        return False
    if bounds.finite:
        return True
    if rests_on_bounds(method, statistic):
        return False
    few, equal = design.units < method.min_n, records.values[:1] == records.values[-1:]
    return bool(open_side(statistic, bounds, design.units)) or not (few or equal.all())


def _without_bounds(records: Records, statistic: Statistic, level: Level) -> str:
    """For a statistic of cases that takes no pseudo-cases at the bounds of the metric."""
    if statistic.spec.estimand is Estimand.MEAN and statistic.spec.pair_bounds is not None:
        return "t"
    if _few_for_two_quantiles(records, statistic, level):
        return "percentile_attained"
    if not records.design.simple:
        return _for_design(records, statistic)
    return _for_cases(records.values, statistic, level)


def _for_records(records: Records, functional: Functional, *, weighted: bool) -> str:
    """For a metric of a test set: Dirichlet weights, but of an AUROC with cases enough."""
    statistic = functional.statistic
    form, design = statistic.spec.form, records.design
    of_detector = functional.metric.spec.takes is Takes.MATCHES and isinstance(form, Sums)
    if of_detector and not weighted:
        # FPPI and distances: percentile is short below 50 images (docs/detection-metrics.md).
        return "garwood" if _alike(records, statistic) else "bca_expanded"
    if isinstance(form, Contrast):
        form = form.statistic.form
        if weighted and isinstance(form, MatchedScores):
            return _for_two_detectors(records, form)
    if Estimand.AUROC is statistic.spec.estimand:
        return _for_auroc(records.arranged[None], design, statistic)
    if Estimand.AUROC_DIFFERENCE is statistic.spec.estimand:
        return _for_two_aurocs(records.arranged[None], design, statistic)
    tuned = isinstance(form, RankedAreas) and form.area.tuned
    if tuned or (not weighted and design.sizes is not None):
        # How Dirichlet weights do where they choose a threshold has not been studied.
        return "percentile"
    smooth = isinstance(form, Sums) or statistic.spec.estimand is Estimand.COUNTING
    bootstrap = "bca" if smooth and design.n >= SMALL else "percentile"
    return "dirichlet" if weighted else bootstrap


def _for_calibration(records: Records, statistic: Statistic) -> str | None:
    """For an error of calibration, or coefficients of a recalibration; None where it is neither."""
    form = statistic.spec.form
    single = form.statistic if isinstance(form, Contrast) else statistic.spec
    if single.estimand is not Estimand.COEFFICIENT:
        return OF_CALIBRATION.get(statistic.spec.estimand)
    if single is statistic.spec:
        # Robust errors of independent cases are too small below 200 of them.
        alone = records.design.independent and records.n_effective is None
        return "model_wald" if alone else "t"
    differ = standard_error(records.arranged[None], records.design, statistic)[0] > 0
    return "delta" if differ else "percentile"


def _alike(records: Records, statistic: Statistic) -> bool:
    """Whether it is a rate of events of which all units have as many: none, as a rule."""
    if statistic.spec.estimand is not Estimand.RATE:
        return False
    return not standard_error(records.arranged[None], records.design, statistic)[0] > 0


def _for_auroc(records: Array, design: Design, statistic: Statistic) -> str:
    """DeLong's on the logit, unless few cases are ranked wrongly (or, near 0, correctly)."""
    rarer = _units_of_the_rarer_class(records, design, statistic)
    area = float(statistic(records)[0])
    if not rarer * min(area, 1 - area) >= FEW_RANKED_WRONG - 1e-9:
        return "dirichlet"
    return "delong_logit_t" if standard_error(records, design, statistic)[0] > 0 else "dirichlet"


def _for_two_aurocs(pair: Array, design: Design, statistic: Statistic) -> str:
    """DeLong's where both models rank many cases wrongly, which needs no draws (decision 0048)."""
    rarer = _units_of_the_rarer_class(pair, design, statistic)
    areas = single_model(statistic)(pair[0])
    many = rarer * np.minimum(areas, 1 - areas).min() >= MANY_RANKED_WRONG
    known = many and standard_error(pair, design, statistic)[0] > 0
    return "delong_t" if known else "dirichlet"


def _units_of_the_rarer_class(records: Array, design: Design, statistic: Statistic) -> float:
    return min(float(units[0]) for units in class_units(records, design, statistic))


def _for_two_detectors(records: Records, form: MatchedScores) -> str:
    """Student's t for what the images know; of few with objects as they and pseudo-images show."""
    design = records.design
    if design.degrees_of_freedom < 1:
        return "dirichlet"
    objects = np.sum([one.references for one in form.unpack(records.arranged[0])], axis=0)
    units = np.count_nonzero(design.totals(objects))
    return "dirichlet_expanded" if units < FEW_WITH_OBJECTS else "percentile_expanded"


def _for_cases(values: Array, statistic: Statistic, level: Level) -> str:
    """For a statistic of independent cases that takes no Dirichlet weights."""
    spec = statistic.spec
    if spec.estimand is Estimand.QUANTILE:
        return _for_quantile(len(values), statistic.quantile_level, level)
    return "t" if spec.estimand is Estimand.MEAN else "percentile"


def _for_quantile(n: int, q: float, level: Level) -> str:
    """Percentile where enough cases lie beyond the quantile; else exact where it exists."""
    if n >= SMALL and n * min(q, 1 - q) >= CASES_BEYOND - 1e-9:
        return "percentile"
    return "exact" if n and exact_ranks(n, q, level) else _instead_of("exact")


def _few_for_two_quantiles(records: Records, statistic: Statistic, level: Level) -> bool:
    """Whether so few independent pairs cannot hold either quantile as often as asked for."""
    design, spec = records.design, statistic.spec
    together = design.sizes is None and len(design.strata) == 1
    if spec.estimand is not Estimand.QUANTILE_CONTRAST or not together:
        return False
    return not holds_differences(design.n, statistic.quantile_level, level)


def _thin_mean(records: Records, statistic: Statistic) -> bool:
    """Whether it is the mean of unequal values in strata of few units."""
    strata, values = records.design.strata, records.values
    if statistic.spec.estimand is not Estimand.MEAN or len(strata) < 2 or values[0] == values[-1]:
        return False
    return records.design.units < max(SMALL, UNITS_PER_STRATUM * len(strata))


def _for_design(records: Records, statistic: Statistic) -> str:
    """Under clusters or strata: a bootstrap, and t of values that are all equal."""
    design = records.design
    if statistic.spec.estimand is Estimand.MEAN:
        return "t"
    few = design.sizes is not None and design.effective_degrees + 1 < FEW_CLUSTERS
    return "bca_expanded" if few else "percentile"


def _instead_of(name: str) -> str:
    """The method that the spec of another one names for where that gives no interval."""
    instead = METHODS[name].instead
    return name if instead is None else instead.__name__
