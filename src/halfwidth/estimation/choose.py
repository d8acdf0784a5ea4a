"""What ``method="auto"`` chooses: reliability first, then precision.

The rules and the evidence for them stand in ``docs/choosing.md`` and decisions 0040, 0072 and 0090.
"""

from __future__ import annotations

import numpy as np

from halfwidth.core.forms import (
    BranchForm,
    CellCounts,
    Contrast,
    Effect,
    LogisticFit,
    RankedAreas,
    Sums,
)
from halfwidth.core.spec import (
    OF_INVERTED_TESTS,
    Estimand,
    MethodSpec,
    Statistic,
    StatisticSpec,
    Takes,
)
from halfwidth.core.types import Array, Bounds, Level
from halfwidth.estimation.records import Functional, Records
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import PAIRED_PROPORTIONS, estimands, rests_on_bounds
from halfwidth.intervals.dirichlet_intervals import OF_DIFFERENCE, open_side
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
# Of the mean of either of two samples: with the tail of differences, since what fails in one sample
# and not in the other is what a comparison is about (decision 0093).
OF_EITHER_SAMPLE = METHODS["dirichlet_pareto"].with_parameters({"shape": OF_DIFFERENCE[1]})
# DeLong's variance of an AUROC rests on the cases of the rarer class that are ranked wrongly. Where
# it is expected of fewer cases than these, the variance is too small too often.
FEW_RANKED_WRONG = 5
# Of clusters a single one is enough: DeLong's variance then adds up what whole clusters do.
FEW_CLUSTERS_RANKED_WRONG = 1
# Of two AUROCs on the same cases it is short more often: what counts are the cases that they rank
# differently. From so many ranked wrongly by either on, all methods agree.
MANY_RANKED_WRONG = 20
# Of metrics of two models on the same clusters Dirichlet weights have no power, whose pseudo-cases
# are whole clusters; from so many on the jackknife's variance holds (decision 0093).
MANY_CLUSTERS = 50
# From so many cases on, with so many of the rarer class, the jackknife of an area under a PR curve
# and Dirichlet weights agree, and these would take minutes (decision 0092).
MANY_CASES, MANY_OF_CLASS = 100_000, 1000
# Of fewer cases BCa's correction of a metric of a test set, and a stratified mean, are rough.
SMALL = 50
# A cluster bootstrap's coverage depends on the number of clusters.
FEW_CLUSTERS = 30
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
    if statistic.spec.estimand is not Estimand.MEAN:
        return METHODS["mover"]
    if not bounds.finite:
        return METHODS["welch"]
    return METHODS["mover_or_welch"].putting_together(OF_EITHER_SAMPLE)


def if_unseen_failures(
    method: MethodSpec, statistic: StatisticSpec, bounds: Bounds
) -> MethodSpec | None:
    """What stands in for a method if cases can fail as none did; None where it allows for that.

    None too of the SDs of two models, which no pseudo-pair at the bounds is known for.
    """
    placed = method.name in ("dirichlet_pareto", "dirichlet_pareto_or_t")
    other = METHODS["dirichlet_or_pareto"]
    return other if placed and bounds.finite and statistic.estimand in other.accepts else None


def choose(functional: Functional, records: Records, level: Level) -> MethodSpec:
    """The method for a functional of some records."""
    statistic = functional.statistic
    if Estimand.PROPORTION in estimands(statistic, binary=functional.binary):
        return choose_for_counts()
    if statistic.spec.estimand in PAIRED_PROPORTIONS:
        return METHODS["newcombe_paired"]  # decision 0049
    if statistic.spec.estimand is Estimand.MEAN_RATIO:
        return METHODS["fieller"]  # decision 0091
    of_kind = _for_test_set if statistic.spec.of_records else _for_values
    return METHODS[of_kind(functional, records, level)]


def _takes_weights(functional: Functional) -> bool:
    """Whether it takes Dirichlet weights with pseudo-cases at the bounds."""
    statistic, bounded = functional.statistic, functional.metric.spec.bounds.finite
    bounded = bounded or not rests_on_bounds(METHODS["dirichlet"], statistic)
    return bounded and has_weights(statistic)


def _for_test_set(functional: Functional, records: Records, _level: Level) -> str:
    named = _for_calibration(records, functional.statistic)
    return named or _for_records(records, functional, weighted=_takes_weights(functional))


def _for_values(functional: Functional, records: Records, level: Level) -> str:
    statistic, n = functional.statistic, records.design.n
    if _is_of_two_spreads(functional) and n >= METHODS["dirichlet_pareto"].min_n:
        return "dirichlet_pareto"
    # A single case has a mean, and hardly another statistic.
    kinds = WEIGHTED if n > 1 else {Estimand.MEAN}
    if statistic.spec.estimand in kinds and _is_placed(functional, records):
        return "dirichlet_pareto_or_t" if _thin_mean(records, statistic) else "dirichlet_pareto"
    if statistic.spec.estimand in kinds and _takes_weights(functional):
        return "dirichlet"
    return _without_bounds(records, statistic, level)


def _is_of_two_spreads(functional: Functional) -> bool:
    """Whether it is the difference between the SDs of two models."""
    statistic, bounds = functional.statistic, functional.metric.spec.bounds
    form = statistic.spec.form
    contrast = isinstance(form, Contrast) and form.effect == "difference"
    return contrast and statistic.spec.is_spread and statistic.spec.smooth and bounds.finite


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
        if weighted and isinstance(form, BranchForm):
            own = form.method_of_difference(records.arranged[0], design)
            if own is not None:
                return own
    if Estimand.AUROC is statistic.spec.estimand:
        return _for_auroc(records.arranged[None], design, statistic)
    if Estimand.AUROC_DIFFERENCE is statistic.spec.estimand:
        return _for_two_aurocs(records.arranged[None], design, statistic)
    return _for_other_records(records, statistic, form, weighted=weighted)


def _for_other_records(
    records: Records, statistic: Statistic, form: object, *, weighted: bool
) -> str:
    """For what is neither an AUROC nor of detectors; ``form`` is that of one model."""
    design = records.design
    tuned, contrast = False, isinstance(statistic.spec.form, Contrast)
    if contrast and _many_clusters(design) and isinstance(form, RankedAreas | CellCounts):
        return "jackknife_t"
    if isinstance(form, RankedAreas):
        if _many(records, statistic, form):
            return "jackknife_t"
        tuned = form.area.tuned
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
        if not records.design.independent or records.n_effective is not None:
            return "t"
        # A slope that is held at 1 need not be 1 (decision 0091).
        held = isinstance(form, LogisticFit) and form.offset is not None
        return "model_wald_or_t" if held else "model_wald"
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
    few = FEW_RANKED_WRONG if design.sizes is None else FEW_CLUSTERS_RANKED_WRONG
    if not rarer * min(area, 1 - area) >= few - 1e-9:
        return "dirichlet"
    return "delong_logit_t" if standard_error(records, design, statistic)[0] > 0 else "dirichlet"


def _for_two_aurocs(pair: Array, design: Design, statistic: Statistic) -> str:
    """DeLong's where both models rank many cases wrongly, which needs no draws (decision 0048)."""
    rarer = _units_of_the_rarer_class(pair, design, statistic)
    areas = single_model(statistic)(pair[0])
    many = rarer * np.minimum(areas, 1 - areas).min() >= MANY_RANKED_WRONG
    many = many or _many_clusters(design)
    known = many and standard_error(pair, design, statistic)[0] > 0
    return "delong_t" if known else "dirichlet"


def _many_clusters(design: Design) -> bool:
    return design.sizes is not None and design.units >= MANY_CLUSTERS


def _many(records: Records, statistic: Statistic, form: RankedAreas) -> bool:
    """Whether resampling would take long, and either class has many cases; of one curve."""
    design, one_curve = records.design, form.row is not None and form.area.fast is not None
    alike = design.independent and records.n_effective is None
    if not (one_curve and alike and design.n >= MANY_CASES):
        return False
    return _units_of_the_rarer_class(records.arranged[None], design, statistic) >= MANY_OF_CLASS


def _units_of_the_rarer_class(records: Array, design: Design, statistic: Statistic) -> float:
    return min(float(units[0]) for units in class_units(records, design, statistic))


def _for_cases(values: Array, statistic: Statistic, level: Level) -> str:
    """For a statistic of independent cases that takes no Dirichlet weights."""
    spec = statistic.spec
    if spec.estimand is Estimand.QUANTILE:
        # A bootstrap sees no value beyond those observed: it under-covers at any n (decision 0091).
        exists = values.size and exact_ranks(len(values), statistic.quantile_level, level)
        return "exact" if exists else _instead_of("exact")
    return "t" if spec.estimand is Estimand.MEAN else "percentile"


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
