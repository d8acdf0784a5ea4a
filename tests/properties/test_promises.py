"""Each method keeps the properties it promises; for each property, one that does not is broken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from halfwidth import METHODS, SAMPLE_METRICS, STATISTICS, Bounds
from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.spec import Estimand, MethodSpec, Metric, Promise, Statistic
from halfwidth.core.types import Array, Interval, Level
from halfwidth.intervals.compute import PAIRED_PROPORTIONS, intervals
from halfwidth.metrics import building
from halfwidth.metrics.averaging import AreaFinish, CountingFinish
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan

PLAN = Plan(entropy=20, n_resamples=199)
UNIT = Bounds(0, 1)
QUICK = examples(40)

# Values on a grid of hundredths, so that ties are common; a few are at the ends of the range.
SAMPLES = st.lists(st.integers(0, 100).map(lambda k: k / 100), min_size=3, max_size=60).map(
    np.array
)
BINARY = st.lists(st.sampled_from([0.0, 1.0]), min_size=3, max_size=60).map(np.array)


# A score and whether the case is positive (0) or not (1).
RECORDS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 1)).map(lambda pair: (pair[0] / 12, pair[1])),
    min_size=3,
    max_size=60,
).map(lambda pairs: np.array(pairs, float).T)
CELLS = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=3, max_size=60).map(np.array)
AUROC, F1 = Metric(SAMPLE_METRICS["auroc"]), Metric(SAMPLE_METRICS["f1"])
OF_RECORDS = building.ranking_statistic(AUROC, RankEach(1), AreaFinish("binary"), "omit")
OF_BINS, OF_PAIRS = (
    building.probability_statistic(
        Metric(SAMPLE_METRICS[name], {"bins": 10.0, "binning": 0.0}), None, ""
    )
    for name in ("ece", "ece_l2")
)
OF_PRODUCTS = building.probability_statistic(
    Metric(SAMPLE_METRICS["kce"], {"estimator": 0.0}), None, ""
)
OF_SLOPE = building.logistic_statistic(Metric(SAMPLE_METRICS["calibration_slope"]))
OF_RATIO = building.probability_statistic(Metric(SAMPLE_METRICS["oe_ratio"]), None, "")
OF_CALIBRATION = {
    Estimand.CALIBRATION_ERROR: OF_BINS,
    Estimand.ROOT_OF_SQUARE: OF_PAIRS,
    Estimand.SQUARE_OF_PAIRS: OF_PRODUCTS,
    Estimand.COEFFICIENT: OF_SLOPE,
    Estimand.OBSERVED_OVER_EXPECTED: OF_RATIO,
}
OF_PROBABILITIES = (OF_RECORDS, *OF_CALIBRATION.values())
OF_CELLS = building.counting_statistic(F1, CountingFinish(F1, 2, "binary", 1), "omit")


def statistic_for(method: MethodSpec) -> Statistic:
    """One statistic that the method accepts."""
    if method.accepts <= {Estimand.AUROC, Estimand.AUROC_DIFFERENCE}:
        return OF_RECORDS
    for estimand, of_bins in OF_CALIBRATION.items():
        if method.accepts <= {estimand, Estimand.ERROR_OF_PAIRS}:
            return of_bins
    if Estimand.COUNTING in method.accepts and Estimand.MEAN not in method.accepts:
        return OF_CELLS
    # A mean stands for the metrics of test sets, which differ in no property of a method.
    if method.accepts & {Estimand.MEAN, Estimand.PROPORTION, Estimand.OTHER, Estimand.RATE}:
        return Statistic(STATISTICS["mean"])
    if Estimand.TRIMMED_MEAN in method.accepts:
        return Statistic(STATISTICS["trimmed_mean"], {"share": 0.2})
    return Statistic(STATISTICS["quantile"], {"q": 0.4})


def is_binary(method: MethodSpec) -> bool:
    return Estimand.MEAN not in method.accepts and Estimand.PROPORTION in method.accepts


def samples_of(method: MethodSpec, rng: np.random.Generator, samples: int, n: int) -> Array:
    """Samples that the method takes, all under one design."""
    values = rng.beta(8, 2, (samples, n))
    if statistic_for(method) in OF_PROBABILITIES:
        records = np.stack([values, rng.integers(0, 2, (samples, n)).astype(float)], axis=1)
        return np.stack([arrange(one, paired=True)[0] for one in records])
    if statistic_for(method) is OF_CELLS:
        return rng.integers(0, 4, (samples, n)).astype(float)
    return (values > 0.8).astype(float) if is_binary(method) else values


def design_of(values: Array) -> Design:
    return Design((values.shape[-1],), paired=values.ndim > 2)


def interval(
    method: MethodSpec, values: Array, level: float = 0.95, bounds: Bounds | None = None
) -> Interval:
    if bounds is None:
        bounds = SAMPLE_METRICS["kce"].bounds if statistic_for(method) is OF_PRODUCTS else UNIT
    values = arrange(values, paired=True)[0] if values.ndim > 1 else values
    (made,) = intervals(
        values[None],
        statistic_for(method),
        [method],
        Level(level),
        bounds=bounds,
        plan=PLAN,
        design=design_of(values[None]),
        binary=is_binary(method),
    )
    return made.interval


# Those that compare have tests of their own: tests/oracles/test_paired_proportions.py,
# test_calibration_differences.py, test_fieller.py and test_unpaired.py.
COMPARING = PAIRED_PROPORTIONS | {Estimand.CALIBRATION_ERROR_DIFFERENCE, Estimand.MEAN_RATIO}
OF_ONE = [
    method for method in METHODS if not method.takes_two_samples and not method.accepts <= COMPARING
]


def promising(promise: Promise) -> list[MethodSpec]:
    return [method for method in OF_ONE if promise in method.promises]


def sample_for(method: MethodSpec, data: st.DataObject) -> Array:
    if statistic_for(method) is OF_CELLS:
        return np.asarray(data.draw(CELLS))
    if statistic_for(method) in OF_PROBABILITIES:
        return np.asarray(data.draw(RECORDS))
    return np.asarray(data.draw(BINARY if is_binary(method) else SAMPLES))


@pytest.mark.parametrize("method", OF_ONE, ids=lambda m: m.name)
@given(data=st.data())
@QUICK
def test_low_is_at_most_high(method: MethodSpec, data: st.DataObject) -> None:
    made = interval(method, sample_for(method, data))
    assert np.isnan(made.low) == np.isnan(made.high)
    assert np.isnan(made.low) or made.low <= made.high + 1e-12


@pytest.mark.parametrize("method", promising(Promise.CONTAINS_ESTIMATE), ids=lambda m: m.name)
@given(data=st.data())
@QUICK
def test_contains_the_estimate(method: MethodSpec, data: st.DataObject) -> None:
    values = sample_for(method, data)
    made, estimate = interval(method, values), statistic_for(method)(values)
    if not np.isnan(made.low):
        assert made.low - 1e-12 <= estimate <= made.high + 1e-12


def test_containing_the_estimate_is_broken_by_percentile_at_a_low_level() -> None:
    # The bootstrap distribution of a skewed mean has its median below the mean.
    values = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 1.0])
    made = interval(METHODS["percentile"], values, level=0.02)
    assert not made.low <= values.mean() <= made.high


@pytest.mark.parametrize("method", promising(Promise.STAYS_IN_RANGE), ids=lambda m: m.name)
@given(data=st.data())
@QUICK
def test_stays_in_the_range(method: MethodSpec, data: st.DataObject) -> None:
    made = interval(method, sample_for(method, data))
    if not np.isnan(made.low):
        least = SAMPLE_METRICS["kce"].bounds.low if statistic_for(method) is OF_PRODUCTS else 0.0
        assert made.low >= least - 1e-12
        # A ratio has no upper bound.
        assert made.high <= 1 + 1e-12 or statistic_for(method) is OF_RATIO


@pytest.mark.parametrize("name", ["t", "z", "hall", "basic", "hoeffding", "empirical_bernstein"])
def test_staying_in_the_range_is_broken_by_means_that_do_not_promise_it(name: str) -> None:
    made = interval(METHODS[name], np.array([0.2, 0.9, 0.95, 1.0, 1.0, 1.0, 1.0, 1.0]))
    assert made.high > 1


@pytest.mark.parametrize("name", ["wald", "agresti_coull"])
def test_staying_in_the_range_is_broken_by_simple_proportions(name: str) -> None:
    made = interval(METHODS[name], np.array([0.0] + [1.0] * 12))
    assert made.high > 1


def test_staying_in_the_range_is_broken_by_extrapolated_tails() -> None:
    made = interval(METHODS["semiparametric"], np.array([0.1, 0.99, 0.99, 1.0, 1.0, 1.0, 1.0]))
    assert made.low < 0


@pytest.mark.parametrize("method", promising(Promise.NESTED), ids=lambda m: m.name)
@given(data=st.data())
@QUICK
def test_widens_with_the_level(method: MethodSpec, data: st.DataObject) -> None:
    values = sample_for(method, data)
    narrow, wide = interval(method, values, level=0.8), interval(method, values, level=0.99)
    if not (np.isnan(narrow.low) or np.isnan(wide.low)):
        assert wide.low <= narrow.low + 1e-12
        assert narrow.high <= wide.high + 1e-12


def test_nesting_is_broken_by_agresti_coull() -> None:
    # At 0 successes its centre moves away from 0 faster than its reach grows.
    none = np.zeros(3)
    narrow, wide = (interval(METHODS["agresti_coull"], none, level) for level in (0.8, 0.99))
    assert narrow.low < wide.low


@pytest.mark.parametrize("method", promising(Promise.EQUIVARIANT), ids=lambda m: m.name)
@given(data=st.data(), shift=st.integers(-5, 5), scale=st.sampled_from([0.25, 1.0, 100.0]))
@QUICK
def test_moves_with_shift_and_scale(
    method: MethodSpec, data: st.DataObject, shift: int, scale: float
) -> None:
    values = sample_for(method, data)
    made = interval(method, values)
    moved = interval(
        method, shift + scale * values, bounds=Bounds(float(shift), float(shift + scale))
    )
    # Rounding of the moved values is all that may differ; BCa's ties are counted within 1e-12.
    allowed = 1e-9 * (abs(shift) + scale)
    for mine, theirs in ((made.low, moved.low), (made.high, moved.high)):
        assert np.isnan(mine) == np.isnan(theirs)
        assert np.isnan(mine) or abs(theirs - (shift + scale * mine)) <= allowed


@pytest.mark.parametrize("method", OF_ONE, ids=lambda m: m.name)
def test_the_order_of_cases_does_not_matter(method: MethodSpec) -> None:
    rng = np.random.default_rng(1)
    values = samples_of(method, rng, 1, 40)[0]
    first, second = interval(method, values), interval(method, rng.permutation(values, axis=-1))
    assert np.array_equal(first.low, second.low, equal_nan=True)
    assert np.array_equal(first.high, second.high, equal_nan=True)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", OF_ONE, ids=lambda m: m.name)
def test_a_batch_gives_what_each_sample_gives_alone(method: MethodSpec) -> None:
    rng = np.random.default_rng(2)
    batch = samples_of(method, rng, 7, 31)
    (made,) = intervals(
        batch,
        statistic_for(method),
        [method],
        Level(0.9),
        bounds=UNIT,
        plan=PLAN,
        design=design_of(batch),
        binary=is_binary(method),
    )
    for row, values in enumerate(batch):
        alone = interval(method, values, level=0.9)
        np.testing.assert_allclose(made.interval.low[row], alone.low[0], rtol=1e-12)
        np.testing.assert_allclose(made.interval.high[row], alone.high[0], rtol=1e-12)


# These choose their pair of ranks jointly; their one-sided bounds have oracles of their own.
JOINTLY = ("exact", "exact_randomized")


@pytest.mark.parametrize(
    "method", [m for m in OF_ONE if m.name not in JOINTLY], ids=lambda m: m.name
)
def test_one_sided_bounds_are_those_of_the_two_sided_interval_with_twice_the_error(
    method: MethodSpec,
) -> None:
    rng = np.random.default_rng(3)
    values = samples_of(method, rng, 1, 60)

    def bounds_of(level: Level) -> Interval:
        (made,) = intervals(
            values,
            statistic_for(method),
            [method],
            level,
            bounds=UNIT,
            plan=PLAN,
            design=design_of(values),
            binary=is_binary(method),
        )
        return made.interval

    both = bounds_of(Level(0.9))
    lower, upper = bounds_of(Level(0.95, "lower")), bounds_of(Level(0.95, "upper"))
    np.testing.assert_allclose(lower.low, both.low, rtol=1e-9)
    np.testing.assert_allclose(upper.high, both.high, rtol=1e-9)
    assert lower.high[0] == 1
    assert upper.low[0] == 0
