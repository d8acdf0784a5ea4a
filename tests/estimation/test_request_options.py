"""Options at the front door: wrong ones are refused with the choices, odd ones work."""

from __future__ import annotations

import functools
import math
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from over_data import metric_ci
from support import codes, message, quickly, refusal

import halfwidth as hw
from halfwidth.core.spec import Estimand
from halfwidth.intervals.compute import PAIRED_PROPORTIONS

DICE = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
RIGHT = [1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0]
NAN = math.nan
STATISTICS = ["mean", "median", "trimmed_mean", "sd", "iqr", "quantile:0.9"]
METHODS = [method.name for method in hw.METHODS]
FOR_COUNTS = [
    *("auto", "wilson", "clopper_pearson", "jeffreys", "agresti_coull", "wald"),
    *("percentile", "basic", "bca", "bca_expanded", "studentized", "dirichlet", "gaffke"),
]


def ask(values: Any = DICE, **options: Any) -> hw.Estimate:
    settings: dict[str, Any] = {"metric": "dsc", "rng": 1, "n_resamples": 199}
    return quickly(hw.summary_ci, values, **(settings | options))


def complaint(values: Any = DICE, **options: Any) -> str:
    with pytest.raises(hw.OptionError) as caught:
        ask(values, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert "  " not in text, "a word is missing"
    return text


# --------------------------------------------------------------------------- level and side


@pytest.mark.parametrize("level", [95, 95.0, np.int64(95)])
def test_a_level_in_per_cent_is_recognised(level: Any) -> None:
    assert complaint(confidence_level=level).endswith("for 95 % write 0.95")


@pytest.mark.parametrize("level", [0, 1, -0.95, 1.5, 250, NAN, math.inf, "0.95", None, True, [0.9]])
def test_a_level_that_is_none_is_refused(level: Any) -> None:
    text = complaint(confidence_level=level)
    assert text.startswith(f"confidence_level={level!r} is not strictly between 0 and 1")


@pytest.mark.parametrize("level", [0.5, 0.999, np.float32(0.5), np.float64(0.9)])
def test_levels_of_any_float_type(level: Any) -> None:
    e = ask(confidence_level=level)
    assert isinstance(e.confidence_level, float)
    assert e.confidence_level == pytest.approx(float(level))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("level", [1 - 1e-6, 1 - 1e-12, 1 - 2**-53])
@pytest.mark.parametrize("method", METHODS)
def test_levels_near_1_give_an_interval_or_say_why_not(method: str, level: float) -> None:
    spec = hw.METHODS[method]
    if spec.takes_two_samples or spec.accepts <= PAIRED_PROPORTIONS:
        assert "makes no interval" in complaint(method=method, confidence_level=level)
        return  # tests/oracles/test_paired_proportions.py and test_unpaired.py
    if spec.accepts <= {Estimand.AUROC_DIFFERENCE}:
        truth = [0, 0, 1, 1, 0, 1]
        scores = {"a": [0.1, 0.7, 0.4, 0.8, 0.2, 0.9], "b": [0.2, 0.8, 0.3, 0.7, 0.4, 0.6]}
        (one,) = hw.compare(
            hw.Predictions.from_arrays(truth, scores),
            metric="auroc",
            method=method,
            confidence_level=level,
            test="none",
        )
        assert one.low < one.value < one.high
        return
    if spec.accepts <= {Estimand.CALIBRATION_ERROR_DIFFERENCE, Estimand.MEAN_RATIO}:
        return  # tests/oracles/test_calibration_differences.py and test_fieller.py
    if spec.accepts <= {Estimand.RATE, Estimand.QUANTILE_CONTRAST}:
        return  # tests/oracles/test_rate_intervals.py, comparison/test_quantiles_of_few_cases.py
    if not spec.accepts & {hw.STATISTICS[name].estimand for name in hw.STATISTICS.names} and (
        Estimand.PROPORTION not in spec.accepts
    ):
        names = {
            Estimand.AUROC: "auroc",
            Estimand.COUNTING: "f1",
            Estimand.OTHER: "ap",
            Estimand.CALIBRATION_ERROR: "ece",
            Estimand.ROOT_OF_SQUARE: "ece_l2:bins=2",
            Estimand.SQUARE_OF_PAIRS: "kce",
            Estimand.COEFFICIENT: "calibration_slope",
            Estimand.OBSERVED_OVER_EXPECTED: "oe_ratio",
        }
        name = next(name for kind, name in names.items() if kind in spec.accepts)
        truth, score = [0, 0, 1, 1, 0, 1], [0.1, 0.7, 0.4, 0.8, 0.2, 0.9]
        e = hw.metric_ci(truth, score, metric=name, method=method, confidence_level=level)
        assert e.low <= e.value <= e.high
        return
    statistic = next(
        name
        for name in STATISTICS
        if method in ("wilson", "clopper_pearson", "jeffreys", "agresti_coull", "wald")
        or hw.STATISTICS[name.partition(":")[0]].estimand in spec.accepts
    )
    proportion = "proportion" in {str(estimand) for estimand in spec.accepts}
    values, metric = (RIGHT, "correct") if proportion else (DICE, "dsc")
    e = ask(values, metric=metric, statistic=statistic, method=method, confidence_level=level)
    if math.isnan(e.low):
        assert "HW306" in codes(e)
    else:
        assert -math.inf < e.low < e.high < math.inf


def test_a_higher_level_is_wider() -> None:
    widths = [ask(method="t", confidence_level=level).width for level in (0.5, 0.9, 0.99, 0.9999)]
    assert widths == sorted(widths)


@pytest.mark.parametrize("alternative", ["less", "two_sided", "LOWER", "", None, 1, ["lower"]])
def test_an_alternative_that_is_none_is_refused_with_the_choices(alternative: Any) -> None:
    text = complaint(alternative=alternative)
    assert text.startswith(f"alternative={alternative!r}")
    assert "two-sided, lower, upper" in text


@pytest.mark.parametrize("method", ["t", "z", "hall", "percentile", "bca", "hoeffding"])
def test_a_one_sided_bound_is_an_end_of_the_interval_of_twice_the_error(method: str) -> None:
    both = ask(method=method, confidence_level=0.9)
    lower = ask(method=method, confidence_level=0.95, alternative="lower")
    upper = ask(method=method, confidence_level=0.95, alternative="upper")
    assert (lower.low, upper.high) == pytest.approx((both.low, both.high))
    assert (lower.high, upper.low) == (1.0, 0.0)


@pytest.mark.parametrize(("alternative", "open_end"), [("lower", math.inf), ("upper", -math.inf)])
def test_the_open_end_of_an_unbounded_metric_is_infinite(alternative: str, open_end: float) -> None:
    e = ask(metric=None, method="t", alternative=alternative)
    assert open_end in (e.low, e.high)
    assert e.low < e.value < e.high


# --------------------------------------------------------------------------- resamples and seed


@pytest.mark.parametrize("number", [0, 1, -5, 1.5, 100.0, "x", "100", NAN])
def test_a_number_of_resamples_that_is_none_is_refused(number: Any) -> None:
    text = complaint(method="bca", n_resamples=number)
    assert text == f"n_resamples={number!r} must be an integer ≥ 2 (usual: 9999)"


def test_few_resamples_are_cautioned() -> None:
    e = ask(method="percentile", n_resamples=np.int64(99))
    assert e.n_resamples == 99
    assert message(e, "HW311").startswith("99 resamples leave 2.5 beyond each bound")


def test_enough_resamples_are_not_cautioned() -> None:
    assert "HW311" not in codes(ask(method="percentile", n_resamples=9999))


def test_no_interval_for_want_of_resamples_does_not_blame_the_jackknife() -> None:
    e = ask(method="bca", n_resamples=2)
    if math.isnan(e.low):
        assert "jackknife" not in message(e, "HW306")


@pytest.mark.parametrize("rng", [-1, 1.5, "x", [1, 2], np.random.RandomState])
def test_a_seed_that_is_none_is_refused(rng: Any) -> None:
    assert complaint(method="bca", rng=rng).startswith("rng=")


@pytest.mark.parametrize("rng", [7, np.int64(7), np.random.SeedSequence(7)])
def test_the_same_seed_gives_the_same_answer_and_is_reported(rng: Any) -> None:
    first, second = ask(method="bca", rng=rng), ask(method="bca", rng=7)
    assert (first.low, first.high) == (second.low, second.high)
    assert first.seed == second.seed == 7


def test_another_seed_gives_another_answer() -> None:
    assert ask(method="bca", rng=1).low != ask(method="bca", rng=2).low


@pytest.mark.parametrize("make", [lambda: None, lambda: np.random.default_rng(3)])
def test_the_reported_seed_reproduces_the_estimate(make: Any) -> None:
    first = ask(method="bca", rng=make())
    again = ask(method="bca", rng=first.seed)
    assert (first.low, first.high, first.seed) == (again.low, again.high, again.seed)


def test_a_generator_advances() -> None:
    rng = np.random.default_rng(3)
    assert ask(method="bca", rng=rng).seed != ask(method="bca", rng=rng).seed


def test_nothing_drawn_means_no_seed_and_no_resamples() -> None:
    for e in (ask(method="t"), ask(statistic="median", method="percentile")):
        assert (e.seed, e.n_resamples) == (None, None)


# --------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("option", "given", "near"),
    [
        ("metric", "dcs", "dsc"),
        ("metric", "hausdorf", "hausdorff"),
        ("statistic", "medain", "median"),
        ("statistic", "quantil:0.9", "quantile"),
        ("method", "wilsn", "wilson"),
        ("method", "percentil", "percentile"),
        ("missing", "omitt", "omit"),
    ],
)
def test_a_slip_in_a_name_gets_a_proposal_and_the_choices(
    option: str, given: str, near: str
) -> None:
    text = complaint(**{option: given})
    assert f"did you mean {near!r}?" in text
    assert repr(given.partition(":")[0]) in text
    assert {"metric": "iou", "statistic": "mean", "method": "auto", "missing": "worst"}[
        option
    ] in text


@pytest.mark.parametrize("option", ["metric", "statistic", "method"])
def test_a_name_near_nothing_lists_the_choices(option: str) -> None:
    text = complaint(**{option: "qqqq"})
    assert text.startswith(f"unknown {option} 'qqqq'. Known: ")


@pytest.mark.parametrize("option", ["metric", "statistic", "method"])
def test_what_cannot_be_a_name_is_refused(option: str) -> None:
    assert complaint(**{option: 5}).startswith(f"{option}=5 ")


@pytest.mark.parametrize("missing", ["drop", None, 1, ["omit"]])
def test_a_missing_policy_that_is_none_is_refused(missing: Any) -> None:
    text = complaint(missing=missing)
    assert text.startswith(f"missing={missing!r} is none of raise, omit, worst")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"metric": "dice"}, {"metric": "dsc"}),
        ({"metric": "DSC "}, {"metric": "dsc"}),
        ({"metric": "Surface-Dice"}, {"metric": "nsd"}),
        ({"statistic": "IQM"}, {"statistic": "trimmed_mean"}),
        ({"statistic": "quantile:q=0.9"}, {"statistic": "quantile:0.9"}),
        ({"statistic": hw.summaries.median}, {"statistic": "median"}),
        (
            {"statistic": functools.partial(hw.summaries.quantile, q=0.9)},
            {"statistic": "quantile:0.9"},
        ),
        ({"method": "BCa"}, {"method": "bca"}),
        ({"method": "Clopper-Pearson", "metric": None}, {"method": "clopper_pearson"}),
        ({"method": "AUTO"}, {"method": "auto"}),
    ],
)
def test_names_have_synonyms_and_forgive_capitals(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    values = RIGHT if "Clopper-Pearson" in one.values() else DICE
    metric = {"metric": "correct"} if values is RIGHT else {}
    first, second = ask(values, **(one | metric)), ask(values, **(other | metric))
    assert (first.metric, first.statistic, first.method) == (
        *(second.metric, second.statistic, second.method),
    )
    assert (first.low, first.high) == (second.low, second.high)


@pytest.mark.parametrize(
    ("option", "given", "words"),
    [
        ("statistic", "quantile", "quantile needs q"),
        ("statistic", "quantile:1.5", "q=1.5 is not above 0 and below 1"),
        ("statistic", "quantile:x", "q=x is not above 0 and below 1"),
        ("statistic", "quantile:nan", "q=nan is not above 0 and below 1"),
        ("statistic", "quantile:1e-300", "q=1e-300 is too extreme for any number of cases"),
        ("statistic", "sample_quantile:0.9999999999", "too extreme for any number of cases"),
        ("statistic", "trimmed_mean:0.5", "share=0.5 is not at least 0 and below 0.5"),
        ("statistic", "trimmed_mean:shar=0.1", "did you mean 'share'?"),
        ("statistic", "mean:2", "mean takes 0 parameter(s)"),
        ("statistic", "sd:ddof=2", "ddof=2 is not 0 or 1"),
        ("metric", "nsd:tolerance=-1", "tolerance=-1 is not"),
        ("metric", "dsc:beta=1", "dsc has no parameters, got 'beta'"),
    ],
)
def test_parameters_that_do_not_fit(option: str, given: str, words: str) -> None:
    assert words in complaint(**{option: given})


@pytest.mark.parametrize(
    "bounds", [(1, 0), (0, 0), (0,), (0, 1, 2), "ab", 5, (None, 1), (0, NAN), (NAN, NAN)]
)
def test_bounds_that_are_none_are_refused(bounds: Any) -> None:
    assert "bounds" in complaint(bounds=bounds)


def test_reversed_bounds_are_told_apart_from_no_bounds() -> None:
    assert complaint(bounds=(1, 0)) == "bounds need a low end below the high one, got (1.0, 0.0)"


@pytest.mark.parametrize(
    ("scale", "shown"),
    [
        *((0, "0.0"), (-1, "-1.0"), (NAN, "nan"), (math.inf, "inf")),
        *(("100", "'100'"), (None, "None")),
    ],
)
def test_a_scale_that_is_none_is_refused(scale: Any, shown: str) -> None:
    assert complaint(scale=scale).startswith(f"scale={shown} is not a positive number")


def test_a_metric_of_ones_own_needs_bounds() -> None:
    assert "A metric of your own needs bounds" in complaint(metric="my score")
    e = ask(metric="my score", bounds=(0, 1))
    assert (e.metric, e.range) == ("my score", hw.Bounds(0, 1))


# --------------------------------------------------------------------------- unfit methods


@functools.cache
def asked_once(statistic: str, method: str) -> Any:
    return ask(statistic=statistic, method=method)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("method", METHODS)
def test_a_method_works_or_is_refused_with_those_that_work(method: str, statistic: str) -> None:
    try:
        asked_once(statistic, method)
    except hw.OptionError as error:
        text = str(error)
        assert text.startswith(f"method {method!r} makes no interval for the ")
        proposed = re.findall(r"\w+", text.rpartition("; use ")[2])
        assert "auto" in proposed
        assert method not in proposed
        for name in proposed:
            assert asked_once(statistic, name).statistic == statistic.partition(":")[0]


def test_the_rule_of_auto_has_one_version() -> None:
    assert ask(method="auto@2") == ask()
    gone = "method='auto@1' was never released, and its rule is gone; give auto@2"
    assert complaint(method=" Auto@1") == gone.replace("auto@1'", " Auto@1'")
    assert complaint(method="auto@3") == "method='auto@3' is not a version of auto; give auto@2"


def test_a_method_for_proportions_says_when_it_would_fit() -> None:
    assert "unless every value is 0 or 1 (metric 'correct')" in complaint(method="wilson")
    assert ask(RIGHT, metric="correct", method="wilson").method == "wilson"


@pytest.mark.parametrize("method", ["hoeffding", "empirical_bernstein"])
@pytest.mark.parametrize("metric", ["hd95", None])
def test_concentration_bounds_need_a_finite_range(method: str, metric: str | None) -> None:
    text = complaint(metric=metric, method=method)
    assert text.startswith(f"method '{method}' needs a metric with finite bounds")
    assert text.endswith("Name the metric, or give bounds=")
    assert ask(metric=metric, method=method, bounds=(0, 1)).method == method


# --------------------------------------------------------------------------- quantiles


@pytest.mark.parametrize("n", [7, 8, 60])
def test_bca_of_a_median_is_computed_and_cautioned(n: int) -> None:
    e = ask(np.linspace(0.3, 0.9, n), statistic="median", method="bca")
    assert e.low <= e.value <= e.high
    assert "HW301" in codes(e)


@pytest.mark.parametrize(
    ("statistic", "needed"), [("median", 6), ("quantile:0.9", 29), ("quantile:0.25", 11)]
)
def test_exact_below_its_minimum_names_the_cases_needed(statistic: str, needed: int) -> None:
    values = np.linspace(0.1, 0.9, needed)
    short = ask(values[1:], statistic=statistic, method="exact")
    assert math.isnan(short.low)
    assert math.isnan(short.high)
    assert f"exact is defined from {needed} cases on" in message(short, "HW306")
    assert "exact_attained takes the level within reach" in message(short, "HW306")
    assert np.isfinite(ask(values, statistic=statistic, method="exact").low)


@pytest.mark.parametrize(("statistic", "needed"), [("median", 6), ("quantile:0.9", 29)])
def test_auto_falls_back_to_the_level_attained_under_its_own_name(
    statistic: str, needed: int
) -> None:
    values = np.linspace(0.1, 0.9, needed)
    short, long = (ask(v, statistic=statistic) for v in (values[1:], values))
    assert (short.method, long.method) == ("exact_attained", "exact")
    assert short.confidence_level < 0.95 == long.confidence_level
    assert f"{needed} cases would do" in message(short, "HW308")
    assert np.isfinite([short.low, short.high]).all()
    assert "HW308" not in codes(long)


def test_semiparametric_asked_for_by_name_says_that_it_extrapolates() -> None:
    named = codes(ask(DICE[:5], statistic="median", method="semiparametric"))
    assert "HW308" not in named
    assert "HW317" in named


# --------------------------------------------------------------------------- proportions


@pytest.mark.parametrize(
    ("successes", "n"), [(51, 50), (-1, 50), (0, 0), (5, -1), (-3, -2), (1, 0)]
)
def test_impossible_counts_are_refused(successes: int, n: int) -> None:
    with pytest.raises(hw.DataError, match=rf"successes={successes} of n={n}: need 0 ≤ successes"):
        hw.proportion_ci(successes, n)


@pytest.mark.parametrize("count", [1.5, "5", None, NAN, math.inf, [1], 1 + 0j])
def test_counts_are_whole_numbers(count: Any) -> None:
    with pytest.raises(hw.DataError, match=r"successes=.* is not a whole number"):
        hw.proportion_ci(count, 10)
    with pytest.raises(hw.DataError, match=r"^n=.* is not a whole number"):
        hw.proportion_ci(1, count)


@pytest.mark.parametrize(("successes", "n"), [(5.0, 10.0), (np.int64(5), np.int32(10)), (5, 10)])
def test_whole_numbers_of_any_type_are_counts(successes: Any, n: Any) -> None:
    assert hw.proportion_ci(successes, n).value == 0.5


@pytest.mark.parametrize("method", FOR_COUNTS)
@pytest.mark.parametrize("successes", [0, 1, 7])
def test_counts_equal_the_values_they_count(successes: int, method: str) -> None:
    values = [1] * successes + [0] * (7 - successes)
    counted = hw.proportion_ci(successes, 7, method=method)
    listed = hw.summary_ci(values, metric="correct", method=method)
    assert counted.value == pytest.approx(listed.value)
    np.testing.assert_allclose(counted.confidence_interval, listed.confidence_interval, rtol=1e-12)
    assert codes(counted) == codes(listed)


@pytest.mark.parametrize("successes", [0, 50])
def test_none_and_all_leave_uncertainty_that_wilson_knows(successes: int) -> None:
    e = hw.proportion_ci(successes, 50)
    assert 0 <= e.low < e.high <= 1
    assert e.value in (e.low, e.high)
    assert e.cautions == ()


@pytest.mark.parametrize("method", FOR_COUNTS)
@pytest.mark.parametrize("level", [1 - 1e-9, 1 - 1e-12])
def test_proportions_at_levels_near_1(method: str, level: float) -> None:
    e = hw.proportion_ci(5, 9, method=method, confidence_level=level)
    assert e.low < e.value < e.high


@pytest.mark.parametrize("method", sorted(set(METHODS) - set(FOR_COUNTS)))
def test_methods_that_need_values_propose_those_that_take_counts(method: str) -> None:
    with pytest.raises(hw.OptionError) as caught:
        hw.proportion_ci(5, 10, method=method)
    proposed = re.findall(r"\w+", str(caught.value).rpartition("use ")[2])
    assert set(proposed) - {"or"} == set(FOR_COUNTS)


@pytest.mark.parametrize("level", [95, 0, 1, NAN])
def test_a_level_that_is_none_is_refused_for_counts_too(level: float) -> None:
    with pytest.raises(hw.OptionError, match="confidence_level="):
        hw.proportion_ci(5, 10, confidence_level=level)


TRUTH = [0, 1] * 5


HUGE = 10**400


def refused(*values: Any, **options: Any) -> str:
    return refusal(lambda: hw.summary_ci(*(values or (DICE,)), **options))


@pytest.mark.parametrize(("alternative", "other"), [("lower", "upper"), ("upper", "lower")])
@pytest.mark.parametrize("level", [0.4, 0.05, 1e-9])
def test_one_sided_levels_below_a_half_name_the_bound_that_is_meant(
    level: float, alternative: Any, other: str
) -> None:
    text = refused(confidence_level=level, alternative=alternative)
    assert f"alternative={other!r} with confidence_level={1 - level:.12g}" in text


@pytest.mark.parametrize("alternative", ["lower", "upper"])
@pytest.mark.parametrize("method", ["t", "z", "wilson", "clopper_pearson"])
def test_at_a_half_the_bound_is_not_beyond_the_estimate(method: str, alternative: Any) -> None:
    values = [1, 0, 1, 1, 0, 1, 1] if method in ("wilson", "clopper_pearson") else DICE
    e = hw.summary_ci(values, method=method, confidence_level=0.5, alternative=alternative)
    assert e.low - 1e-12 <= e.value <= e.high + 1e-12


@pytest.mark.parametrize("level", [1e-300, 1e-6, 0.01, 0.3])
@pytest.mark.parametrize("method", ["t", "z", "hoeffding", "empirical_bernstein", "percentile"])
def test_two_sided_levels_may_be_small(method: str, level: float) -> None:
    e = hw.summary_ci(DICE, metric="dsc", method=method, confidence_level=level, n_resamples=99)
    assert e.low <= e.high


@pytest.mark.parametrize("level", [95, 95.0, np.int64(95), Decimal(95)])
def test_per_cent_are_told_how_they_are_written(level: Any) -> None:
    assert refused(confidence_level=level).endswith("; for 95 % write 0.95")


@pytest.mark.parametrize(
    "level", [0, 1, -0.1, math.nan, math.inf, True, "0.95", None, [0.9], np.array([0.9]), HUGE]
)
def test_levels_that_are_none(level: Any) -> None:
    assert "is not strictly between 0 and 1" in refused(confidence_level=level)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("bounds", (0, 1j)),
        ("n_resamples", 10**9),
        ("n_resamples", HUGE),
        ("rng", True),
        ("rng", HUGE),
        ("scale", True),
        ("scale", HUGE),
        ("bounds", "01"),
        ("bounds", (0, HUGE)),
        ("alternative", np.array(["lower", "upper"])),
        ("missing", np.array(["omit", "raise"])),
        ("label", None),
        ("label", b"liver"),
        ("label", "\ud800"),
    ],
)
def test_options_that_are_none(option: str, value: Any) -> None:
    assert refused(**{option: value}).startswith(option)


def test_seeds_of_any_length_reproduce() -> None:
    long = np.random.SeedSequence(10**6000)
    first, again = (
        hw.summary_ci(DICE, statistic="sd", n_resamples=99, rng=rng) for rng in (long, long)
    )
    assert (first.low, first.high) == (again.low, again.high)
    assert hw.summary_ci(DICE, statistic="sd", n_resamples=99, rng=first.seed).low == first.low


def test_a_level_that_is_not_all_does_not_read_as_all() -> None:
    e = hw.summary_ci(DICE, method="t", confidence_level=1 - 2**-53)
    assert "99.99999999999999 % CI" in e.sentence()


@pytest.mark.parametrize("penalty", [math.nan, "1", HUGE, True])
def test_penalties_that_are_none(penalty: Any) -> None:
    text = refused(metric="hd95", missing="worst", penalty=penalty)
    assert text.startswith("penalty=")


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2", None, 10**9])
def test_threads_that_are_none(threads: Any) -> None:
    text = refusal(lambda: metric_ci(TRUTH, DICE, metric="auroc", n_threads=threads))
    assert text.startswith("n_threads=")


def test_errors_are_one_short_printable_line_whatever_they_quote() -> None:
    text = refused(label="\x1b[31mred\x07\nline", metric="d" * 5000)
    assert text.isprintable()
    text = refusal(
        lambda: hw.estimate(
            hw.CaseValues.from_table({"\x1b]0;title\x07": ["a"]}, "\x1b]0;title\x07")
        )
    )
    assert text.isprintable()
    assert "Known" in refused(metric="\x00" * 5000)


def test_bca_of_a_proportion_of_none_names_wilson() -> None:
    e = hw.proportion_ci(0, 50, method="bca")
    assert any("wilson is defined" in caution.message for caution in e.cautions)
