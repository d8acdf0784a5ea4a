"""Intervals of published numbers against other libraries, real samples and simulations."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint
from support import codes, message

import halfwidth as hw
from halfwidth.core.types import Level
from halfwidth.intervals import delong_logit
from halfwidth.planning.published.estimates import binormal_se
from halfwidth.planning.spread import largest_sd, spread_models, usual_spread

review = hw.planning.review


# --------------------------------------------------------------------------- means


@pytest.mark.parametrize(("n", "level"), [(2, 0.5), (10, 0.9), (50, 0.95), (400, 0.99)])
def test_a_mean_has_the_t_interval_of_scipy(n: int, level: float) -> None:
    found = review(n, mean=12.5, sd=2.5, confidence_level=level)
    low, high = stats.t.interval(level, n - 1, loc=12.5, scale=2.5 / math.sqrt(n))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.halfwidth == pytest.approx((high - low) / 2)


def test_a_published_mean_and_sd_give_back_the_interval_of_the_values() -> None:
    values = np.random.default_rng(5).beta(8, 2, 40)
    whole = hw.summary_ci(values, metric="dsc", method="t")
    found = review(40, mean=values.mean(), sd=values.std(ddof=1), metric="dsc")
    assert (found.low, found.high) == pytest.approx((whole.low, whole.high))
    assert found.estimate.sentence() == whole.sentence()


def test_the_sem_says_the_same_as_the_sd() -> None:
    by_sd = review(50, mean=0.85, sd=0.10, metric="dsc")
    by_sem = review(50, mean=0.85, sem=0.10 / math.sqrt(50), metric="dsc")
    assert (by_sem.low, by_sem.high) == pytest.approx((by_sd.low, by_sd.high))
    assert (by_sd.claim.source, by_sem.claim.source) == ("sd", "sem")
    claim: Any = by_sem.claim
    assert claim.spread.sd == pytest.approx(0.10)


def test_an_interval_is_cut_to_the_range_and_says_so() -> None:
    found = review(8, mean=0.97, sd=0.06, metric="dsc")
    assert found.high == 1.0
    assert found.low == pytest.approx(stats.t.interval(0.95, 7, 0.97, 0.06 / math.sqrt(8))[0])
    assert "HW309" in codes(found)
    assert "cut to the range of the metric" in found.paragraph()


@pytest.mark.parametrize(("n", "few"), [(24, True), (25, False)])
def test_few_cases_are_cautioned_as_the_metric_needs(n: int, few: bool) -> None:
    assert ("HW201" in codes(review(n, mean=0.8, sd=0.1, metric="dsc"))) == few
    # The surface distances need more.
    assert "HW201" in codes(review(n, mean=2.0, sd=1.0, metric="assd"))


def test_an_sd_that_only_a_long_tail_can_have_is_cautioned() -> None:
    assert "HW202" not in codes(review(50, mean=0.85, sd=0.15, metric="dsc"))
    tailed = review(50, mean=0.85, sd=0.16, metric="dsc")
    assert "0.160 with a mean only 0.150 from the upper end" in message(tailed.estimate, "HW202")
    # Distances have a lower end alone.
    near_0 = review(50, mean=2.0, sd=4.0, metric="hd95")
    assert "from the lower end" in message(near_0.estimate, "HW202")


def test_no_spread_gives_no_width_and_says_so() -> None:
    found = review(50, mean=0.85, sd=0.0, metric="dsc")
    assert (found.low, found.high) == (0.85, 0.85)
    assert message(found.estimate, "HW304").startswith(
        "The interval has no width: the published spread is 0"
    )


def test_per_cent_are_scaled() -> None:
    found = review(50, mean=85, sd=10, metric="dsc", scale=100, versus=83)
    plain = review(50, mean=0.85, sd=0.10, metric="dsc", versus=0.83)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))
    assert found.lead is not None
    assert plain.lead is not None
    assert found.lead.needed == pytest.approx(plain.lead.needed)


def test_a_small_sd_is_said_to_be_perhaps_the_sem() -> None:
    suspected = review(110, mean=0.897, sd=0.0127, metric="dsc").paragraph()
    assert "were it the SEM, the SD would be 0.13 and the half-width 10 times" in suspected
    assert "were it the SEM" not in review(110, mean=0.897, sd=0.1, metric="dsc").paragraph()
    assert "were it the SEM" not in review(110, mean=9, sd=0.0127, metric="hd95").paragraph()


# --------------------------------------------------------------------------- impossible spreads


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_no_values_in_a_range_have_a_larger_sd(n: int) -> None:
    # Every sample of n values on a grid; the bound is reached by those with cases at the ends only.
    reached = 0.0
    for values in product(np.linspace(0, 1, 5), repeat=n):
        most = largest_sd(float(np.mean(values)), n, hw.Bounds(0, 1))
        sd = float(np.std(values, ddof=1))
        assert sd <= most + 1e-12
        reached = max(reached, sd / most if most else 0)
    assert reached == pytest.approx(1)


def test_one_case_far_out_has_the_largest_sd_of_distances() -> None:
    values = np.zeros(20)
    values[0] = 60.0
    most = largest_sd(float(values.mean()), 20, hw.Bounds(0, math.inf))
    assert values.std(ddof=1) == pytest.approx(most)
    random = np.random.default_rng(0).pareto(0.6, (2000, 20))
    ratio = random.std(axis=1, ddof=1) / (random.mean(axis=1) * math.sqrt(20))
    assert 0.9 < ratio.max() <= 1 + 1e-12


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"mean": 0.85, "sd": 0.38}, "sd"),
        ({"mean": 0.85, "sem": 0.06}, "sem"),
        ({"mean": 85, "sd": 38, "scale": 100}, "sd"),
        ({"mean": 0.85, "sd": 0.1, "versus": 0.98, "versus_sd": 0.2}, "versus_sd"),
    ],
)
def test_an_sd_beyond_the_range_is_refused(given: dict[str, Any], field: str) -> None:
    with pytest.raises(hw.DataError, match=r"is impossible: 50 values in \[0, 1\] with mean") as e:
        review(50, metric="dsc", **given)
    assert vars(e.value)["field"] == field


def test_the_rounding_of_a_print_is_forgiven() -> None:
    # A mean of .997 and an SD of .034 are possible, and printed as 1.00 and .03.
    assert review(50, mean=1.00, sd=0.03, metric="dsc").high == 1.0
    # A mean of .9 with 50 cases allows .303; rounding from .895, .3097.
    assert review(50, mean=0.9, sd=0.3, metric="dsc").low < 0.9
    with pytest.raises(hw.DataError, match="impossible"):
        review(50, mean=0.9, sd=0.32, metric="dsc")


# --------------------------------------------------------------------------- guessed spreads


def test_without_an_sd_the_interval_is_that_of_the_usual_one_and_a_range() -> None:
    found = review(50, mean=0.85, metric="dsc")
    guess = usual_spread("dsc", 0.85, 50, hw.Bounds(0, 1))
    claim: Any = found.claim
    assert claim.spread == guess
    assert guess.low < guess.sd < guess.high
    widths = [
        review(50, mean=0.85, sd=sd, metric="dsc").halfwidth
        for sd in (guess.low, guess.sd, guess.high)
    ]
    narrow, wide = (end.halfwidth for end in found.ends)
    assert [narrow, found.halfwidth, wide] == pytest.approx(widths)
    assert found.approximate
    assert "SD guessed" in found.sentence()
    assert "approximation" in found.paragraph()
    said = message(found.estimate, "HW106")
    assert "83 instances (11 tasks of SegVal and Touchstone)" in said
    assert f"{narrow:.3f} to {wide:.3f}" in said


@pytest.mark.parametrize("metric", ["dsc", "nsd:tolerance=3"])
@pytest.mark.parametrize("mean", [0.0, 0.001, 0.3, 0.5, 0.97, 0.999, 1.0])
def test_a_guess_is_possible_for_its_mean(metric: str, mean: float) -> None:
    found = review(30, mean=mean, metric=metric)
    claim: Any = found.claim
    spread = claim.spread
    assert 0 <= spread.low <= spread.sd <= spread.high <= largest_sd(mean, 30, hw.Bounds(0, 1))
    low, high = spread_models()[metric.partition(":")[0]].means
    beyond = "lies beyond theirs" in message(found.estimate, "HW106")
    assert beyond == (not low <= mean <= high)


@pytest.mark.parametrize("metric", ["hd95", "iou", None])
def test_other_metrics_have_no_guess(metric: str | None) -> None:
    with pytest.raises(hw.DataError, match=r"for metric dsc and nsd \(0 to 1\) only; give sd"):
        review(50, mean=0.8, metric=metric)


def test_a_metric_on_another_scale_has_no_guess() -> None:
    with pytest.raises(hw.HalfwidthError, match=r"beyond the range of DSC, \[0, 1\]: .*scale=100"):
        review(50, mean=85, metric="dsc", bounds=(0, 100))
    scaled, plain = (
        review(50, mean=mean, metric="dsc", scale=scale).low
        for mean, scale in ((85, 100), (0.85, 1))
    )
    assert scaled == pytest.approx(plain)


# --------------------------------------------------------------------------- proportions


@pytest.mark.parametrize(("n", "x"), [(1, 1), (12, 0), (200, 181), (50, 25)])
def test_a_count_has_wilsons_interval(n: int, x: int) -> None:
    found = review(n, correct=x)
    low, high = proportion_confint(x, n, method="wilson")
    assert found.low == pytest.approx(low, abs=1e-12)
    assert found.high == pytest.approx(high, abs=1e-12)
    assert found.estimate.method == "wilson"


def test_an_accuracy_in_print_is_the_count_that_it_rounds() -> None:
    assert review(200, mean=0.905, metric="accuracy").to_dict()["successes"] == 181
    # 181 of 200 is 90.5 %, printed without decimals as 91 or 90.
    assert review(201, mean=90, scale=100, metric="accuracy").to_dict()["successes"] == 181
    with pytest.raises(hw.DataError, match=r"mean 0\.903 is no share of n=200 cases: 181 of them"):
        review(200, mean=0.903, metric="accuracy")


def test_what_a_count_is_of_can_be_said() -> None:
    found = review(200, correct=181, metric="sensitivity")
    assert found.sentence() == "Sensitivity 0.91 (95 % CI 0.86 to 0.94; n = 200; Wilson)."
    with pytest.raises(hw.DataError, match=r"'acuracy' is no proportion.*did you mean 'accuracy'"):
        review(200, correct=181, metric="acuracy")


# --------------------------------------------------------------------------- AUROC


def test_hanley_and_mcneils_interval_stands_beside() -> None:
    # The example of their paper: an area of .893 with 51 abnormal and 58 normal cases, SE .0325.
    found = review(109, auroc=0.893, positives=51)
    first, second = found.estimates
    assert [first.method, second.method] == ["delong_logit", "hanley_mcneil"]
    assert second.standard_error == pytest.approx(0.0325, abs=5e-5)
    assert second.low == pytest.approx(0.893 - 1.959964 * 0.0325, abs=1e-4)


@pytest.mark.parametrize("area", [0.2, 0.5, 0.8, 0.97])
def test_the_variance_of_normal_scores_is_that_of_a_bivariate_normal(area: float) -> None:
    a = stats.norm.ppf(area)
    both = stats.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]]).cdf([a, a])
    excess = both - area**2
    m, n = 40, 70
    variance = (area * (1 - area) + (m + n - 2) * excess) / (m * n)
    assert float(binormal_se(np.array(area), m, n)) == pytest.approx(math.sqrt(variance), rel=1e-6)


def simulated_areas(area: float, m: int, n: int, samples: int) -> Any:
    """AUROCs of normal scores, by ranks."""
    rng = np.random.default_rng(11)
    shift = math.sqrt(2) * stats.norm.ppf(area)
    scores = np.concatenate(
        [rng.normal(shift, 1, (samples, m)), rng.normal(0, 1, (samples, n))], axis=1
    )
    ranks = scores.argsort(axis=1).argsort(axis=1) + 1
    return (ranks[:, :m].sum(axis=1) - m * (m + 1) / 2) / (m * n)


def test_areas_of_normal_scores_vary_as_the_formula_says() -> None:
    # The SD of 20 000 areas has a relative error of about 1/√40 000; six of them: false alarm 2e-9.
    areas = simulated_areas(0.85, 40, 70, 20_000)
    assert areas.std() == pytest.approx(float(binormal_se(np.array(0.85), 40, 70)), rel=0.03)


def test_the_interval_of_an_area_covers() -> None:
    # 10 000 intervals, Monte-Carlo error .0022; between .94 and .97 (4.5 errors below .95, and
    # some excess for the logit scale): false alarm 7e-6.
    areas = simulated_areas(0.91, 60, 240, 10_000)
    made = delong_logit(areas, binormal_se(areas, 60, 240), np.inf, Level(0.95))
    covered = ((made.low <= 0.91) & (made.high >= 0.91)).mean()
    assert 0.94 < covered < 0.97


@pytest.mark.parametrize("area", [0.0, 1.0])
def test_an_area_without_an_error_has_newcombes_interval(area: float) -> None:
    found = review(40, auroc=area, positives=20)
    assert [e.method for e in found.estimates] == ["newcombe"]
    assert found.halfwidth == pytest.approx((1 - 0.899) / 2, abs=5e-4)
    assert "HW207" in codes(found)


def test_the_rarer_class_is_cautioned() -> None:
    assert message(review(300, auroc=0.9, positives=6).estimate, "HW204") == (
        "Class positive: 6 cases; reliable intervals for the AUROC need about 10 or more of each "
        "class."
    )
    assert "Class negative" in message(review(300, auroc=0.9, positives=294).estimate, "HW204")
    assert "HW204" not in codes(review(300, auroc=0.9, positives=60))


# --------------------------------------------------------------------------- words


def test_the_paragraph_has_everything_a_reviewer_pastes() -> None:
    text = review(50, mean=0.85, sd=0.10, metric="dsc", versus=0.83).paragraph()
    for part in (
        "From n = 50 and an SD of 0.100 the mean DSC of 0.850 has a 95 % CI of 0.822 to 0.878",
        "half-width 0.028; t",
        "The lead of 0.020 over 0.830 is larger than noise only if the correlation",
        "68 pairs of models in a public benchmark whose means were within 0.03",
        "This assumes that the 50 cases are independent",
        "The authors should have reported the 95 % CI of the mean",
    ):
        assert part in text


def test_rounding_that_matters_to_a_lead_is_said() -> None:
    said = "rounding may have changed their difference by up to"
    close = review(50, mean=0.85, sd=0.10, metric="dsc", versus=0.83).paragraph()
    assert f"{said} 0.01)" in close
    assert said in review(300, auroc=0.91, positives=60, versus=0.9).paragraph()
    per_cent = review(50, mean=85.2, sd=10, metric="dsc", versus=84, scale=100).paragraph()
    assert f"{said} 0.001)" in per_cent
    assert said not in review(50, mean=0.85, sd=0.10, metric="dsc", versus=0.5).paragraph()
    # 0.9 and 0.8 were hardly printed with one decimal.
    assert f"{said} 0.01)" in review(50, mean=0.9, sd=0.1, metric="dsc", versus=0.8).paragraph()


def test_results_are_plain_values() -> None:
    found = review(50, mean=0.85, metric="dsc", versus=0.83, label="A")
    made = found.to_dict()
    assert made["approximate"]
    assert made["source"] == "guess"
    assert made["halfwidth_low"] < made["halfwidth"] < made["halfwidth_high"]
    assert made["lead"]["needed_low"] is None  # -inf has no word in JSON
    assert list(made["assumptions"]) == list(found.assumptions)
    assert repr(found).startswith("Review: A: mean DSC 0.85")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(200))
def test_whatever_is_printed_gives_an_interval_about_it_or_a_reason(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def number() -> float:
        return float(rng.choice([0, 1, 0.5, 0.85, 1e-9, 1 - 1e-12, rng.random()]))

    n = int(rng.choice([1, 2, 3, 20, 1000, 10**7]))
    given: dict[str, Any] = {"n": n, "confidence_level": float(rng.choice([0.5, 0.95, 0.999]))}
    kind = rng.integers(3)
    if kind == 0:
        metric = rng.choice(["dsc", "nsd", "hd95", "accuracy", "correct"])
        given |= {"mean": number(), "metric": str(metric), "versus": number()}
        if rng.random() < 0.7:
            given[str(rng.choice(["sd", "sem"]))] = float(rng.choice([0, 1e-12, 0.1, 0.3]))
    elif kind == 1:
        given |= {"correct": int(rng.integers(n + 1)), "versus_correct": int(rng.integers(n + 1))}
    else:
        given |= {"auroc": number(), "positives": int(rng.integers(1, n + 1)), "versus": number()}
    refused = ""
    try:
        found = review(**given)
    except hw.DataError as error:
        refused = vars(error)["field"]
    if refused:
        assert refused in given or refused == "sd"
        return
    assert found.low <= found.value <= found.high
    assert found.lead is not None
    for before, after in pairwise(found.lead.rows):
        assert after.halfwidth <= before.halfwidth + 1e-12
    for row in found.lead.rows:
        assert row.low <= found.lead.difference <= row.high
    assert found.paragraph().endswith(".")


# --------------------------------------------------------------------------- bad input

BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"n": 1, "mean": 0.8, "sd": 0.1}, "n", "one case has no spread"),
    ({"n": 0, "correct": 0}, "n", "n=0 is no number of cases"),
    ({"n": 10.5, "mean": 0.8, "sd": 0.1}, "n", "not a whole number"),
    ({"n": True, "mean": 0.8, "sd": 0.1}, "n", "not a finite number"),
    ({"n": 50, "mean": 0.8, "sd": -0.1}, "sd", "is negative"),
    ({"n": 50, "mean": 1.2, "sd": 0.1}, "mean", r"mean 1.2 lies outside the range \[0, 1\]$"),
    ({"n": 50, "mean": 85, "sd": 10}, "mean", r"for per cent give scale=100"),
    ({"n": 50, "mean": 0.8, "sd": 0.1, "versus": 83}, "versus", "for per cent give scale=100"),
    ({"n": 50, "mean": 0.8, "sd": 0.1, "sem": 0.01}, "sem", "sd and sem exclude each other"),
    ({"n": 50, "mean": 0.8, "sd": math.nan}, "sd", "not a finite number"),
    ({"n": 50, "mean": "high", "sd": 0.1}, "mean", "not a finite number"),
    ({"n": 50, "mean": 0.8, "sd": 0.1, "scale": 0}, "scale", "is not above 0"),
    ({"n": 50, "mean": 0.8, "sd": 0.1, "versus_sd": 0.1}, "versus_sd", "without versus"),
    ({"n": 50, "mean": 0.8, "correct": 40}, "correct", "exclude each other"),
    ({"n": 50}, "mean", "no published number"),
    ({"n": 50, "mean": 0.8, "sd": 0.1, "positives": 9}, "positives", "no effect with mean"),
    ({"n": 50, "correct": 40, "versus": 0.7}, "versus", "give versus_correct"),
    ({"n": 50, "correct": 51}, "correct", "lies between 0 and n"),
    ({"n": 50, "correct": -1}, "correct", "lies between 0 and n"),
    ({"n": 50, "correct": 4, "versus_correct": 51}, "versus_correct", "between 0 and n"),
    ({"n": 50, "auroc": 0.9}, "positives", "needs positives"),
    ({"n": 50, "auroc": 0.9, "positives": 50}, "positives", "between 1 and n - 1"),
    ({"n": 50, "auroc": 0.9, "positives": 0}, "positives", "between 1 and n - 1"),
    ({"n": 50, "auroc": 1.1, "positives": 5}, "auroc", "lies outside the range"),
]


@pytest.mark.parametrize(("given", "field", "text"), BAD)
def test_bad_numbers_are_refused_by_name(given: dict[str, Any], field: str, text: str) -> None:
    told = {"metric": "dsc", **given} if "mean" in given else given
    with pytest.raises(hw.DataError, match=text) as error:
        review(**told)
    assert vars(error.value)["field"] == field


@pytest.mark.parametrize(
    ("metric", "text"),
    [
        ("dcs", "unknown metric 'dcs'; did you mean 'dsc'"),
        ("auroc", "auroc is a metric of a whole test set.*give it as auroc, with positives"),
        ("f1", "f1 is a metric of a whole test set.*confusion matrix"),
        ("accuracy", "give n and the count"),
    ],
)
def test_a_metric_that_is_no_mean_of_cases_is_refused(metric: str, text: str) -> None:
    with pytest.raises(hw.DataError, match=text):
        review(50, mean=0.8, sd=0.1, metric=metric)


@pytest.mark.parametrize("level", [95, 0, 1, -0.5, True, math.nan, "95"])
def test_a_level_is_strictly_between_0_and_1(level: Any) -> None:
    with pytest.raises(hw.OptionError, match="confidence_level"):
        review(50, mean=0.8, sd=0.1, confidence_level=level)


def test_a_count_that_is_inferred_from_a_rounded_share_is_told() -> None:
    found = hw.planning.review(1000, mean=0.91, metric="accuracy", versus=0.89)
    said = " ".join(found.assumptions)
    assert "the count is 910, though 905 to 915 print alike" in said
    assert "rounding may have changed their difference by up to 0.01" in said
    certain = " ".join(hw.planning.review(200, mean=0.905, metric="accuracy").assumptions)
    assert "print alike" not in certain
    assert "print alike" not in " ".join(hw.planning.review(1000, correct=910).assumptions)
