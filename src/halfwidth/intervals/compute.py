"""Bounds of samples, made in the same way for the public functions and for studies."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import (
    LogisticFit,
    PairedCases,
    SmoothedError,
    Sums,
    UnbiasedSquare,
)
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Estimand, MethodSpec, Need, Statistic, spec_of
from halfwidth.core.types import UNBOUNDED, UNIT_INTERVAL, Array, Bounds, Interval, Level
from halfwidth.intervals.dirichlet_intervals import dirichlet, dirichlet_pareto, open_side
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import DrawnReplicates, Quantiles
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import (
    acceleration,
    bootstrap_distribution,
    jackknife_degrees,
    jackknife_error,
    knows_tails,
    least_distances,
    model_error,
    robust_error,
    standard_error,
    studentized_distribution,
    tie_tolerance,
    weighted_distributions,
    weights_need_bounds,
)
from halfwidth.resampling.exact import proportions
from halfwidth.resampling.expansion import FEWEST_EXPANDED, expanded_tail, unexpanded_tail
from halfwidth.resampling.forms import ranked_errors
from halfwidth.resampling.forms.contract import BothEnds, declared_form, single_model
from halfwidth.resampling.forms.engines import engine_for
from halfwidth.resampling.linearization import effective_trials, resemblance_trials
from halfwidth.resampling.noise.curve_gaps import curve_gaps, kernel_gaps
from halfwidth.resampling.noise.deviations import deviations
from halfwidth.resampling.noise.products import products
from halfwidth.resampling.noise.smoothed_deviations import smoothed_deviations
from halfwidth.resampling.noise.true_sizes import paired_sizes

# Of the values 0 and 1 of two models for the same cases.
PAIRED_PROPORTIONS = frozenset({Estimand.PROPORTION_DIFFERENCE, Estimand.PROPORTION_RATIO})
# Distributions that may be drawn, and arrays of a number for each sample.
DRAWN = (Need.DISTRIBUTION, Need.STUDENTIZED)
OF_EACH_SAMPLE = (
    Need.STANDARD_ERROR,
    Need.ROBUST_ERROR,
    Need.JACKKNIFE_ERROR,
    Need.MODEL_ERROR,
    Need.CLASS_DEGREES,
    Need.TIE_TOLERANCE,
    Need.ACCELERATION,
)
# Elements of the largest array: 2**21 float64 are 16 MiB, which the caches of a processor hold
# while their bounds are computed. No result depends on it.
MOST_ELEMENTS = 2**21
# Of a tail of 1e-9, smaller than any p value that is told apart, and how often it is halved.
FARTHEST_DEVIATE, HALVINGS = 6.0, 30
# A bound that rounding puts beyond the range by less than this share of it lies at its end.
RANGE_ROUNDING = 1e-12


@frozen
class Computed:
    """What one method made of a batch of samples."""

    # One pair of bounds per sample; the open end of a one-sided interval is the end of the
    # statistic's range
    interval: Interval
    level: Level  # Its own, which need not be the one asked for
    clipped: NDArray[np.bool_]  # Whether a bound was cut to the range
    infinite: NDArray[np.bool_]  # Whether the method gave an infinite bound
    n_resamples: int | None  # None where nothing was drawn
    n_undefined: NDArray[np.intp]  # Resamples on which the statistic was undefined


@frozen(eq=False)
class Ingredients:
    """The ingredients of methods, made on first use and kept for the next method."""

    recipes: dict[Need, Callable[[], Any]]
    made: dict[Need, Any] = field(default_factory=dict)
    # Of what the bounds are made for, the power that is the statistic.
    power: float = 1.0

    def take(self, recipes: Mapping[Need, Callable[[], Any]]) -> None:
        """Take more recipes, or other ones for the same need."""
        self.recipes.update(recipes)
        for need in recipes:
            self.made.pop(need, None)

    def __getitem__(self, need: Need) -> Any:
        if need not in self.made:
            self.made[need] = self.recipes[need]()
        return self.made[need]


def estimands(statistic: Statistic, *, binary: bool) -> frozenset[Estimand]:
    """What a statistic estimates: the mean of 0/1 values is a proportion too."""
    kind = statistic.spec.estimand
    both = binary and kind is Estimand.MEAN
    return frozenset({kind, Estimand.PROPORTION} if both else {kind})


def fits(method: MethodSpec, statistic: Statistic, design: Design, *, binary: bool) -> bool:
    """Whether a method makes intervals for a statistic of one sample under a design."""
    engine, needs = engine_for(statistic), set(method.needs)
    errors, dirichlet = engine.errors, engine.dirichlet
    accepted = method.makes_for(estimands(statistic, binary=binary))
    needs_error = needs & {Need.STANDARD_ERROR, Need.ROBUST_ERROR, Need.STUDENTIZED}
    has_error = not needs_error or errors.has_standard_error(statistic)
    has_error = has_error and (Need.MODEL_ERROR not in needs or errors.model_error is not None)
    under = design.simple or method.takes_designs
    under = under or (method.independent_only and design.independent)
    # No one has yet written the standard error of each resample of these.
    studentizes = Need.STUDENTIZED not in needs or not statistic.spec.of_records
    weighted = Need.WEIGHTED not in needs or (
        dirichlet is not None
        and (dirichlet.takes_reach if _reaches(method) else dirichlet.known)(statistic)
    )
    return accepted and has_error and studentizes and weighted and under


def _reaches(method: MethodSpec) -> bool:
    """Whether the data place its pseudo-cases, or some of them."""
    if Need.WEIGHTED_BEYOND in method.needs:
        return True
    if method.pseudo_cases is None:
        return False
    parameters = dict(method.bound)
    return (
        method.pseudo_cases(UNIT_INTERVAL, paired=False, spread=False, **parameters).reach
        is not None
    )


def rests_on_bounds(method: MethodSpec, statistic: Statistic) -> bool:
    """Whether a method makes intervals for a statistic only of a metric with finite bounds."""
    placed = Need.WEIGHTED_BEYOND not in method.needs and _reaches(method)
    if placed and statistic.spec.pair_bounds is None:
        return False
    if Need.BOUNDS in method.needs or Need.WEIGHTED not in method.needs:
        return method.needs_bounds
    return weights_need_bounds(statistic)


def sample_ingredients(
    values: Array,
    design: Design,
    statistic: Statistic,
    *,
    bounds: Bounds = UNBOUNDED,
    plan: Plan,
    binary: bool = False,
    estimates: Array | None = None,
    least: Array | None = None,
    first: int = 0,
) -> Ingredients:
    """Ingredients of samples, (S, n), each in the order of the design; ``first``: its place.

    ``least`` are the least distances of pseudo-cases of differences that the data place, (S,).
    """
    binary = binary and statistic.spec.estimand is Estimand.MEAN
    paired = statistic.spec.estimand in PAIRED_PROPORTIONS
    form = statistic.spec.form
    power = form.power if isinstance(form, PairedCases) else 1.0

    def least_distance() -> Array | None:
        if statistic.spec.pair_bounds is not None:
            return least
        return least_distances(values, design) if bounds.finite else None

    weighted_for = _by_pseudo_cases(
        functools.partial(weighted_distributions, values, design, statistic, plan),
        statistic.spec.pair_bounds or bounds,
        paired=statistic.spec.pair_bounds is not None,
        spread=statistic.spec.is_spread,
        least=least_distance,
    )

    def estimate() -> Array:
        given = statistic(values) if estimates is None else estimates
        return given if power == 1 else given ** (1 / power)

    return Ingredients(
        {
            Need.BOUNDS: lambda: bounds,
            Need.TRIM_SHARE: lambda: statistic.parameters["share"],
            Need.QUANTILE_LEVEL: lambda: statistic.quantile_level,
            Need.UNIFORM: lambda: plan.uniforms(first, len(values)),
            Need.SUCCESSES: lambda: values.sum(axis=-1),
            Need.TRIALS: lambda: values.shape[-1],
            Need.ESTIMATE: estimate,
            Need.STANDARD_ERROR: lambda: standard_error(values, design, statistic),
            Need.ROBUST_ERROR: lambda: robust_error(values, design, statistic),
            Need.JACKKNIFE_ERROR: lambda: jackknife_error(values, design, statistic),
            Need.MODEL_ERROR: lambda: model_error(values, design, statistic),
            Need.DEGREES_OF_FREEDOM: lambda: design.effective_degrees,
            Need.UNITS: lambda: design.units,
            Need.UNIT_DEGREES: lambda: design.degrees_of_freedom,
            Need.DISTRIBUTION: lambda: bootstrap_distribution(
                values, design, statistic, plan, binary=binary
            ),
            Need.DEVIATIONS: lambda: _deviations(values, design, statistic, plan),
            Need.PROBABILITIES: lambda: _probabilities(values),
            Need.SQUARE: lambda: _square(values, statistic),
            Need.PAIRED_SIZES: lambda: paired_sizes(values, design, statistic, plan),
            Need.PRODUCTS: lambda: products(values, statistic, plan),
            Need.STUDENTIZED: lambda: studentized_distribution(
                values, design, statistic, plan, binary=binary
            ),
            Need.CLUSTER_DEGREES: lambda: (
                np.inf if design.sizes is None else float(design.degrees_of_freedom)
            ),
            Need.CLASS_UNITS: lambda: ranked_errors.class_units(values, design, statistic),
            Need.CLASS_DEGREES: lambda: ranked_errors.class_degrees(values, design, statistic),
            Need.RESEMBLANCE_TRIALS: lambda: (
                resemblance_trials(values if binary else values[:, 0] - values[:, 1], design)
                if (binary or paired) and design.sizes is not None and len(design.strata) == 1
                else None
            ),
            Need.EFFECT: lambda: getattr(statistic.spec.form, "effect", "difference"),
            Need.PAIRED_COUNTS: lambda: _counts_of_pairs(values),
            Need.PAIRED_SHARES: lambda: _counts_of_pairs(values) / values.shape[-1],
            Need.PAIRED_MEANS: lambda: _about_the_ratio(values, design, statistic),
            Need.TRANSFORM: lambda: statistic.spec.transform,
            Need.TIE_TOLERANCE: lambda: tie_tolerance(values, statistic),
            Need.ACCELERATION: lambda: acceleration(values, design, statistic),
            Need.JACKKNIFE_DEGREES: lambda: jackknife_degrees(values, design, statistic),
            Need.WEIGHTED: lambda: weighted_for,
            Need.WEIGHTED_BEYOND: lambda: weighted_for(spec_of(dirichlet_pareto)),
            Need.OPEN_SIDE: lambda: open_side(statistic, bounds, design.units),
            **({Need.SORTED_VALUES: lambda: values} if design.simple else {}),
        },
        power=power,
    )


def _by_pseudo_cases(
    weighted: Callable[[PseudoCases], BothEnds],
    bounds: Bounds,
    *,
    paired: bool = False,
    spread: bool = False,
    least: Callable[[], Array | None] = lambda: None,
) -> Callable[[MethodSpec], BothEnds]:
    """Distributions under the Dirichlet weights that a method asks for, by method."""
    once = functools.cache(weighted)

    def weighted_for(method: MethodSpec) -> BothEnds:
        if method.pseudo_cases is None:
            raise TypeError(f"{method.name} declares no pseudo-cases")
        made = method.pseudo_cases(bounds, paired=paired, spread=spread, **dict(method.bound))
        known = least() if made.reach is not None and not spread else None
        return once(made if known is None else made.with_least(known))

    return weighted_for


def _deviations(values: Array, design: Design, statistic: Statistic, plan: Plan) -> Any:
    form = statistic.spec.form
    if isinstance(form, LogisticFit | PairedCases):
        gaps = curve_gaps if isinstance(form, LogisticFit) else kernel_gaps
        return gaps(values, design, statistic, plan)
    if isinstance(form, SmoothedError):
        return smoothed_deviations(values, design, statistic, plan)
    return deviations(values, design, statistic, plan)


def _probabilities(records: Array) -> tuple[Array, Array]:
    """Probabilities of cases of one class and their weights, both (S, n)."""
    p = records[:, 0]
    return p, records[:, 2] if records.shape[1] > 2 else np.ones(p.shape)


def _square(values: Array, statistic: Statistic) -> UnbiasedSquare:
    form = declared_form(statistic, Sums)
    if form.square is None:
        raise TypeError(f"{statistic.spec.name} is not the root of an unbiased square")
    return form.square(np.asarray(float(values.shape[-1])), form.features(values).sum(axis=-1))


def set_level(ingredients: Ingredients, design: Design, level: Level) -> None:
    """Make what depends on the level for this one, of cases that are not independent."""

    def trials(case_variance: Array) -> Array:
        error, most = ingredients[Need.ROBUST_ERROR], ingredients[Need.RESEMBLANCE_TRIALS]
        return effective_trials(case_variance, error, most, design, level)

    # A proportion counts for as many independent trials as would be known as well.
    recipes: dict[Need, Callable[[], Any]] = {
        Need.SUCCESSES: lambda: ingredients[Need.ESTIMATE] * ingredients[Need.TRIALS],
        Need.TRIALS: lambda: trials(ingredients[Need.ESTIMATE] * (1 - ingredients[Need.ESTIMATE])),
    }
    if not design.independent:
        recipes[Need.PAIRED_COUNTS] = lambda: (
            ingredients[Need.PAIRED_SHARES]
            * trials(_variance_of_pairs(ingredients[Need.PAIRED_SHARES]))[:, None]
        )
    ingredients.take(recipes)


def count_ingredients(successes: Array, n: int) -> Ingredients:
    """Ingredients of proportions known by their counts; no sample is ever made."""
    share = np.asarray(successes, float) / n
    return Ingredients(
        {
            Need.SUCCESSES: lambda: successes,
            Need.TRIALS: lambda: n,
            Need.UNITS: lambda: n,
            Need.UNIT_DEGREES: lambda: n - 1,
            Need.ESTIMATE: lambda: share,
            Need.STANDARD_ERROR: lambda: np.sqrt(share * (1 - share) / max(n - 1, 1)),
            Need.DISTRIBUTION: lambda: proportions.binomial(successes, n),
            Need.STUDENTIZED: lambda: proportions.studentized_binomial(successes, n),
            Need.TIE_TOLERANCE: lambda: np.full(share.shape, 1e-12),
            Need.ACCELERATION: lambda: proportions.acceleration(successes, n),
            Need.WEIGHTED: lambda: _by_pseudo_cases(
                functools.partial(proportions.weighted_proportions, successes, n), UNIT_INTERVAL
            ),
        }
    )


def apply(
    method: MethodSpec,
    ingredients: Ingredients,
    level: Level,
    statistic_range: Bounds,
    *,
    clip: bool = False,
    errors: bool = True,
) -> Computed:
    """One method on ready ingredients: call it, open the other side, cut to the range.

    Without ``clip`` a method gives its textbook formula even where that leaves the range. The
    standard error of a bootstrap is the SD of its replicates; without ``errors`` none is reckoned.
    """
    needed = {need: ingredients[need] for need in method.needs}
    drawn: Sequence[Quantiles] = ()
    if Need.WEIGHTED in needed:
        # One for each end.
        drawn = needed[Need.WEIGHTED] = needed[Need.WEIGHTED](method)
    elif method.distribution is not None:
        drawn = (needed[method.distribution],)
    interval: Interval = method.function(*needed.values(), level)
    low, high, standard_error = interval.low, interval.high, interval.standard_error
    if (power := ingredients.power) != 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            size = ingredients[Need.ESTIMATE] ** (power - 1)
            standard_error = np.where(np.isfinite(size), power * size * standard_error, np.nan)
        low, high = low**power, high**power
    undefined = np.isnan(low) | np.isnan(high)
    infinite = np.isinf(low) & (level.alternative != "upper")
    infinite |= np.isinf(high) & (level.alternative != "lower")
    if level.alternative == "lower":
        high = np.where(undefined, np.nan, statistic_range.high)
    elif level.alternative == "upper":
        low = np.where(undefined, np.nan, statistic_range.low)
    slack = RANGE_ROUNDING * statistic_range.width if statistic_range.finite else 0.0
    outside = (low < statistic_range.low - slack) | (high > statistic_range.high + slack)
    clip = clip or method.clips
    clipped = outside & clip
    # What is outside by rounding is not.
    cut = clip | ~outside
    low = np.where(cut, np.clip(low, statistic_range.low, statistic_range.high), low)
    high = np.where(cut, np.clip(high, statistic_range.low, statistic_range.high), high)
    own_error = not np.isnan(standard_error).all()
    if errors and not own_error and method.distribution in (Need.DISTRIBUTION, Need.WEIGHTED):
        with np.errstate(over="ignore"):  # of values beyond 1e154 it is infinite
            squares = [one.standard_deviation() ** 2 for one in drawn]
            standard_error = np.sqrt(np.mean(squares, axis=0))
    return Computed(
        Interval(low, high, standard_error),
        level,
        clipped,
        infinite,
        drawn[0].n_resamples if drawn else None,
        functools.reduce(
            np.maximum, (one.n_undefined for one in drawn), np.zeros(low.shape, dtype=np.intp)
        ),
    )


def intervals(
    values: Array,
    statistic: Statistic,
    methods: Sequence[MethodSpec],
    *levels: Level,
    bounds: Bounds = UNBOUNDED,
    plan: Plan,
    design: Design | None = None,
    binary: bool = False,
    estimates: Array | None = None,
    least: Array | None = None,
    clip: bool = False,
    errors: bool = True,
) -> list[Computed]:
    """Intervals by several methods for a batch of samples, in blocks that bound the memory.

    Samples, (S, n) or (S, k, n), stand in the canonical order of the design; independent cases in
    any. ``estimates`` are the values of the statistic, where they are known already, and ``least``
    the least distances of pseudo-cases that the data place. All bootstraps
    share one block of draws, and so do all samples. One result for each method; with several
    levels, for each method at the first, then at the next.
    """
    samples, n = len(values), values.shape[-1]
    design = Design.iid(n) if design is None else design
    step = samples_per_block(statistic, n, methods, plan)
    blocks: list[list[Computed]] = []
    for start in range(0, samples, step):
        by_level = ByLevel.from_samples(
            values[start : start + step],
            statistic,
            bounds=bounds,
            plan=plan,
            design=design,
            binary=binary,
            estimates=None if estimates is None else estimates[start : start + step],
            least=None if least is None else least[start : start + step],
            first=start,
            clip=clip,
            errors=errors,
        )
        blocks.append([made for level in levels for made in by_level.at(level, methods)])
    if len(blocks) == 1:
        return blocks[0]
    return [_joined(parts) for parts in zip(*blocks, strict=True)]


@frozen(eq=False)
class ByLevel:
    """Intervals of samples at any level, of ingredients that are made once."""

    ingredients: Ingredients
    statistic: Statistic
    design: Design
    bounds: Bounds
    range: Bounds
    clip: bool
    errors: bool

    @classmethod
    def from_samples(
        cls,
        values: Array,
        statistic: Statistic,
        *,
        bounds: Bounds,
        plan: Plan,
        design: Design,
        binary: bool = False,
        estimates: Array | None = None,
        least: Array | None = None,
        first: int = 0,
        clip: bool = False,
        errors: bool = True,
    ) -> ByLevel:
        """Take what `intervals` takes; ``first`` is the place of the first sample in the batch."""
        # Looking whether samples ascend takes a tenth of sorting them.
        if design.simple and not (values[..., 1:] >= values[..., :-1]).all():
            values = np.sort(values, axis=-1)
        ingredients = sample_ingredients(
            values,
            design,
            statistic,
            bounds=bounds,
            plan=plan,
            binary=binary,
            estimates=estimates,
            least=least,
            first=first,
        )
        range_ = statistic.range(bounds, values.shape[-1])
        return cls(ingredients, statistic, design, bounds, range_, clip, errors)

    def at(self, level: Level, methods: Sequence[MethodSpec]) -> list[Computed]:
        """What each of several methods makes at a level."""
        if not self.design.simple:
            set_level(self.ingredients, self.design, level)
        made = []
        for method in methods:
            own = level
            if method.attains is not None:
                own = method.attains(self.statistic, self.bounds, self.design.units, level)
            how = self.ingredients, own, self.range
            made.append(apply(method, *how, clip=self.clip, errors=self.errors))
        return made

    def sharing(self, batch: ByLevel, row: int) -> ByLevel:
        """Share draws and errors of a batch in which this is the sample of a row."""
        recipes, shared = dict(self.ingredients.recipes), batch.ingredients

        def weighted(method: MethodSpec) -> BothEnds:
            low, high = shared[Need.WEIGHTED](method)
            if isinstance(low, DrawnReplicates) and isinstance(high, DrawnReplicates):
                own = low.row_alone(row)
                return own, own if high is low else high.row_alone(row)
            ends: BothEnds = recipes[Need.WEIGHTED]()(method)
            return ends

        def drawn(need: Need) -> Any:
            found = shared[need]
            return found.row_alone(row) if isinstance(found, DrawnReplicates) else recipes[need]()

        self.ingredients.take(
            {Need.WEIGHTED: lambda: functools.cache(weighted)}
            | {need: functools.partial(drawn, need) for need in DRAWN}
            | {need: functools.partial(_row_of, shared, need, row) for need in OF_EACH_SAMPLE}
        )
        return self


def _row_of(shared: Ingredients, need: Need, row: int) -> Array:
    return np.asarray(shared[need][row : row + 1])


def tails_of_null(method: MethodSpec, by_level: ByLevel) -> Callable[[float], Array] | None:
    """Map a value to the tails at which the ends on its side lie on it, (S,).

    None where that has to be looked for: other methods than `dirichlet` and, within bounds,
    `dirichlet_pareto`.
    """
    made, degrees = by_level.ingredients, by_level.ingredients[Need.DEGREES_OF_FREEDOM]
    placed = method.name == spec_of(dirichlet_pareto).name
    known = degrees >= 1 and by_level.bounds.finite
    if not (placed and known) and method.name != spec_of(dirichlet).name:
        return None
    laws: Any = made[Need.WEIGHTED](method)
    if not all(knows_tails(one) for one in laws):
        return None
    lower, upper = laws

    def tails_at(null: float) -> Array:
        estimates = made[Need.ESTIMATE]
        below = null < estimates

        def shares(values: Array) -> Array:
            lows = lower.tail_of(values, below, above=False)
            return np.asarray(np.where(below, lows, upper.tail_of(values, ~below, above=True)))

        if not placed:
            return shares(np.full(below.shape, null))
        if degrees >= FEWEST_EXPANDED - 1:
            return unexpanded_tail(shares(np.full(below.shape, null)), degrees)
        return _tails_of_few(shares, estimates, null - estimates, degrees)

    return tails_at


def _tails_of_few(
    shares: Callable[[Array], Array], estimates: Array, away: Array, degrees: float
) -> Array:
    """Tails at which ends lie on a value so far from the estimates, where these reach further."""
    from scipy import special

    near, far = np.zeros(away.shape), np.full(away.shape, FARTHEST_DEVIATE)
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        tails, factors = np.transpose(
            [expanded_tail(one, degrees) for one in special.ndtr(-middle)]
        )
        reaches = shares(estimates + away / factors) > tails
        near, far = np.where(reaches, near, middle), np.where(reaches, middle, far)
    return np.asarray(special.ndtr(-near))


def samples_per_block(
    statistic: Statistic, n: int, methods: Sequence[MethodSpec], plan: Plan
) -> int:
    """How many samples keep their values or bootstrap distributions under the memory bound."""
    if not any(method.resamples for method in methods):
        # Values, sorted ones and what a method makes of them are there at once.
        return max(1, MOST_ELEMENTS // 2 // max(n, 1))
    return max(1, MOST_ELEMENTS // max(engine_for(statistic).support(n), plan.n_resamples, n))


def _joined(parts: Sequence[Computed]) -> Computed:
    def join(arrays: Sequence[Any]) -> Any:
        return np.concatenate([np.atleast_1d(array) for array in arrays])

    return Computed(
        Interval(
            join([part.interval.low for part in parts]),
            join([part.interval.high for part in parts]),
            join([part.interval.standard_error for part in parts]),
        ),
        parts[0].level,
        join([part.clipped for part in parts]),
        join([part.infinite for part in parts]),
        parts[0].n_resamples,
        join([part.n_undefined for part in parts]),
    )


# --------------------------------------------------------------------------- pairs of values


def _about_the_ratio(pairs: Array, design: Design, statistic: Statistic) -> tuple[Array, ...]:
    """Parts of means x̄ = r ȳ: ȳ, the variances of d̄ = x̄ - r ȳ and of ȳ, and what they share."""
    mean = single_model(statistic)
    x, y = pairs[:, 0], pairs[:, 1]
    off = x - statistic(pairs)[:, None] * y
    own, of_second, together = (robust_error(one, design, mean) ** 2 for one in (off, y, off + y))
    return mean(y), own, of_second, (together - own - of_second) / 2


# --------------------------------------------------------------------------- pairs of trials


def _counts_of_pairs(pairs: Array) -> Array:
    """Cases in which both are 1, only the first, only the second, neither: (S, 2, n) -> (S, 4)."""
    both = (pairs[:, 0] * pairs[:, 1]).sum(axis=-1)
    first, second = pairs[:, 0].sum(axis=-1), pairs[:, 1].sum(axis=-1)
    neither = pairs.shape[-1] - first - second + both
    return np.stack([both, first - both, second - both, neither], axis=-1)


def _variance_of_pairs(shares: Array) -> Array:
    """Variance of the difference of one case, from the shares of the four kinds: (S, 4) -> (S,)."""
    first_only, second_only = shares[:, 1], shares[:, 2]
    return np.asarray(first_only + second_only - (first_only - second_only) ** 2)
