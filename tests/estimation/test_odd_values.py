"""Numbers, options and counts that nobody means: refused in words, never bent into an answer."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import metric_ci

import halfwidth as hw

DICE = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
TRUTH = [0, 1] * 5
HUGE = 10**400


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """A warning would be a failure: it tells of something that was done in silence."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def complaint(call: Callable[[], Any]) -> str:
    with pytest.raises(hw.HalfwidthError) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) <= 600
    return text


def refused(*values: Any, **options: Any) -> str:
    return complaint(lambda: hw.summary_ci(*(values or (DICE,)), **options))


# --------------------------------------------------------------------------- complex numbers

COMPLEX = {
    "an array": np.array(DICE) * (1 + 1j),
    "a list": [x + 1j for x in DICE],
    "one among others": [*DICE[1:], 0.5 + 1j],
    "objects": np.array([*DICE[1:], 1j], dtype=object),
    "masked": np.ma.masked_array(np.array(DICE) * 1j, [False] * 9 + [True]),
    "a series": pd.Series(np.array(DICE) * 1j),
    "without an imaginary part": np.array(DICE) + 0j,
}
TAKERS: dict[str, Callable[[Any], Any]] = {
    "summary_ci": hw.summary_ci,
    "difference_ci": lambda v: hw.difference_ci(DICE, v),
    "runs_ci": hw.runs_ci,
    "summary_table": lambda v: hw.estimate(hw.CaseValues.from_table({"dice": v}, "dice")),
    "metric_ci, scores": lambda v: metric_ci(TRUTH, v, metric="auroc"),
    "metric_ci, numbers": lambda v: metric_ci(DICE, v, metric="rmse"),
    "metric_ci, targets": lambda v: metric_ci(v, DICE, metric="rmse"),
    "metric_ci, columns": lambda v: metric_ci(
        TRUTH, np.stack([np.asarray(v), np.asarray(v)], axis=1), metric="auroc"
    ),
    "metric_ci, weights": lambda v: metric_ci(TRUTH, DICE, metric="auroc", sample_weight=v),
    "curve": lambda v: hw.curve(TRUTH, "roc", y_score=v),
    "confusion_ci": lambda v: hw.confusion_ci(TRUTH, v),
    "plan": lambda v: hw.plan(v, halfwidth=0.05),
    "subsample": hw.planning.subsample,
    "auroc": lambda v: hw.metrics.auroc(TRUTH, v),
    "average_precision": lambda v: hw.metrics.average_precision(TRUTH, v),
    "squared_error": lambda v: hw.metrics.squared_error(DICE, v),
    "absolute_error": lambda v: hw.metrics.absolute_error(v, DICE),
    "distribution_frame": lambda v: hw.plots.distribution_frame({"": v}, hw.summary_ci(DICE)),
}


@pytest.mark.parametrize("kind", COMPLEX)
@pytest.mark.parametrize("taker", TAKERS)
def test_complex_numbers_are_refused_wherever_values_enter(taker: str, kind: str) -> None:
    complaint(lambda: TAKERS[taker](COMPLEX[kind]))


def test_complex_options_are_refused() -> None:
    for option in ("confidence_level", "scale", "n_resamples"):
        assert option in refused(**{option: np.complex128(0.9)})
    assert "penalty" in refused(penalty=np.complex128(1), missing="worst")
    assert "bounds" in refused(bounds=(0, np.complex128(1)))
    odd: Any = np.complex128(0.5)
    text = complaint(lambda: metric_ci(TRUTH, DICE, metric="f1", threshold=odd))
    assert "threshold" in text
    costs = np.eye(2) * 1j
    assert "costs" in complaint(lambda: metric_ci(TRUTH, DICE, metric="expected_cost", costs=costs))


def test_functions_of_ones_own_return_real_numbers() -> None:
    assert "complex" in refused(statistic=lambda v, axis: np.mean(v, axis=axis) * 1j)
    assert "complex" in complaint(
        lambda: metric_ci(TRUTH, DICE, metric=lambda _t, _s: np.complex128(1j))
    )


# --------------------------------------------------------------------------- sizes of numbers


@pytest.mark.parametrize("method", ["basic", "percentile", "bca", "studentized", "wilson", "auto"])
@pytest.mark.parametrize("n", [10**12 + 1, 10**18, 10**30, HUGE])
def test_more_cases_than_anybody_has_are_refused(n: int, method: str) -> None:
    text = complaint(lambda: hw.proportion_ci(2, n, method=method))
    assert "is beyond 1e+12 cases, which nobody has" in text


@pytest.mark.parametrize("method", ["basic", "percentile", "wilson"])
def test_very_many_cases_have_an_interval(method: str) -> None:
    n = 10**9
    e = hw.proportion_ci(n // 10, n, method=method)
    # 1.96 √(0.1 · 0.9 / n) on either side, by the normal distribution.
    assert (e.high - e.low) / (2 * 1.959964 * 0.3 / math.sqrt(n)) == pytest.approx(1, abs=0.01)
    assert e.low < e.value < e.high


@pytest.mark.parametrize("value", [True, 2.5, "2", None, 2 + 0j, math.nan, Decimal(2)])
def test_counts_are_whole_numbers(value: Any) -> None:
    assert "is not a whole number" in complaint(lambda: hw.proportion_ci(value, 10))
    assert "is not a whole number" in complaint(lambda: hw.proportion_ci(1, value))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([5e-324 * k for k in range(10)], "differ by too little to be squared"),
        ([1e-300, 4e-300, 5e-300], "differ by too little to be squared"),
        ([1e308] * 5 + [-1e308] * 5, "too large to be squared"),
        ([HUGE, 1, 2], "too large for floating point"),
        ([0.5, np.array([1]), 0.5], ""),
    ],
)
def test_numbers_that_floating_point_has_no_room_for(values: Any, words: str) -> None:
    assert words in refused(values)


def test_a_spread_that_the_scale_makes_vanish() -> None:
    assert "differ by too little" in refused(scale=1e308)
    assert "is too small" in refused(scale=1e-320)
    assert "differences" in complaint(lambda: hw.difference_ci([0.0, 1e-99], [1e-101, 1e-99]))


def test_numbers_of_every_exact_kind_are_numbers() -> None:
    plain = hw.summary_ci(DICE)
    for kind in (Decimal, Fraction):
        level: Any = kind("0.95")
        exact = hw.summary_ci([kind(str(x)) for x in DICE], confidence_level=level)
        assert (exact.low, exact.high) == (plain.low, plain.high)
    short: Any = np.float32(0.95)
    single = hw.summary_ci(DICE, confidence_level=short)
    assert single.confidence_level == 0.95
    assert "95 % CI" in single.sentence()


def test_a_signalling_nan_is_a_missing_value() -> None:
    assert "1 of 2 values are missing" in refused([Decimal("sNaN"), Decimal(1)])


def test_masked_text_is_no_number() -> None:
    assert "holds 'b', which is not a number" in refused(
        np.ma.masked_array(["a", "b"], [True, False])
    )


def test_the_most_cases_have_an_interval() -> None:
    assert hw.proportion_ci(10**11, 10**12).sentence().startswith("Proportion 0.1000000 (95 % CI")


# --------------------------------------------------------------------------- levels


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


# --------------------------------------------------------------------------- other options


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
        ("over", np.array(["cases"])),
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


def test_numbers_beyond_all_digits_are_powers_of_ten() -> None:
    e = hw.summary_ci([x * 1e99 for x in DICE])
    assert len(e.sentence()) < 150
    assert "e+98" in e.sentence()


def test_a_level_that_is_not_all_does_not_read_as_all() -> None:
    e = hw.summary_ci(DICE, method="t", confidence_level=1 - 2**-53)
    assert "99.99999999999999 % CI" in e.sentence()


@pytest.mark.parametrize("penalty", [math.nan, "1", HUGE, True])
def test_penalties_that_are_none(penalty: Any) -> None:
    text = refused(metric="hd95", missing="worst", penalty=penalty)
    assert text.startswith("penalty=")


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2", None, 10**9])
def test_threads_that_are_none(threads: Any) -> None:
    text = complaint(lambda: metric_ci(TRUTH, DICE, metric="auroc", n_threads=threads))
    assert text.startswith("n_threads=")


def test_errors_are_one_short_printable_line_whatever_they_quote() -> None:
    text = refused(label="\x1b[31mred\x07\nline", metric="d" * 5000)
    assert text.isprintable()
    text = complaint(
        lambda: hw.estimate(
            hw.CaseValues.from_table({"\x1b]0;title\x07": ["a"]}, "\x1b]0;title\x07")
        )
    )
    assert text.isprintable()
    assert "Known" in refused(metric="\x00" * 5000)


def test_figures_take_finished_results_only() -> None:
    pytest.importorskip("matplotlib")
    plots: Any = hw.plots
    for draw in (plots.forest, plots.roc, plots.pr, plots.plan_curve):
        assert "is neither of type" in complaint(functools.partial(draw, [1, 2]))
    for draw in (plots.confusion, plots.subsample_means, plots.figure_of_table):
        assert "is not what" in complaint(functools.partial(draw, None))
    assert "is no axes" in complaint(lambda: plots.forest(hw.summary_ci(DICE), ax={}))


@pytest.mark.parametrize(("bounds", "hint"), [((50, 100), "bounds 0.5,1"), ((96, 100), None)])
def test_bounds_in_the_unit_before_scaling(bounds: tuple[float, float], hint: str | None) -> None:
    with pytest.raises(hw.DataError, match="lie outside the range") as error:
        hw.summary_ci([85.0, 90.0, 95.0], metric="score", scale=100, bounds=bounds)
    assert ("are meant?" in str(error.value)) is (hint is not None)
    assert hint is None or hint in str(error.value)
    with pytest.raises(
        hw.OptionError, match=r"beyond the range of DSC, \[0, 1\]: .*scale=100.*bounds=\(0."
    ):
        hw.summary_ci([85.0, 90.0, 95.0], metric="dsc", bounds=bounds)
