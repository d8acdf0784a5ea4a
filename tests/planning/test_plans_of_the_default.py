"""Plans agree with the analysis that a study of the planned size gets by default."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest
from scipy import special, stats
from support import Run

import halfwidth as hw
from halfwidth.core.rng import derive_key
from halfwidth.core.types import UNBOUNDED, Array, Level
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.compute import intervals
from halfwidth.metrics.names import resolve_metric
from halfwidth.planning.assumed_cases import AssumedCases, before_the_cut
from halfwidth.planning.simulated_areas import AreaStudies
from halfwidth.resampling.draws import Plan

planning = hw.planning
# A test that compares a mean over studies with its expectation fails by chance once in 16 000 times
# at so many standard errors of the simulation.
ERRORS = 4.0


def default_ends(values: Array, metric: str | None, *, differences: bool = False) -> Array:
    """Ends of the intervals that `summary_ci` and `difference_ci` give by default, (2, studies)."""
    functional = Functional(resolve_statistic("mean"), resolve_metric(metric))
    if differences:
        functional = difference_functional(functional)
        front = hw.difference_ci(0.5 + values[0] / 2, 0.5 - values[0] / 2, metric=metric)
    else:
        front = hw.summary_ci(values[0], metric=metric)
    (made,) = intervals(
        values,
        functional.statistic,
        [front.method_spec],
        front.level,
        bounds=functional.metric.spec.bounds,
        plan=Plan(1, 99),
        clip=True,
        errors=False,
    )
    ends = np.array([made.interval.low, made.interval.high])
    # The batch is what the front door gives.
    assert (front.low, front.high) == pytest.approx(tuple(ends[:, 0]), abs=1e-9)
    return ends


def assert_power(found: Array, plan: Any, points: float) -> None:
    share = float(found.mean())
    error = math.sqrt(plan.power * (1 - plan.power) / len(found))
    assert abs(share - plan.power) < points + ERRORS * error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("studies", "points"),
    # The second holds the plan to 3 points where the simulation alone is off by 1.3.
    [(400, 0.0), (4000, 0.005)],
)
def test_the_power_and_width_planned_are_those_of_a_comparison(studies: int, points: float) -> None:
    plan = planning.difference(0.05, difference=0.02, power=0.8, metric="dsc")
    assert plan.n > planning.difference(0.05, difference=0.02, power=0.8, method="t").n
    drawn = np.random.default_rng(studies).normal(0.02, 0.05, size=(studies, plan.n))
    low, high = default_ends(drawn, "dsc", differences=True)
    assert_power((low > 0) | (high < 0), plan, points)
    assert (high - low).mean() == pytest.approx(plan.width, rel=0.02)
    margin = planning.difference(0.05, n=plan.n, margin=0.02, metric="dsc")
    assert_power(low - 0.02 > -0.02, margin, points)


@pytest.mark.parametrize(
    ("sd", "mean", "halfwidth"),
    [(0.03, 0.9, 0.02), (0.1, 0.85, 0.03), pytest.param(0.03, 0.9, 0.01, marks=pytest.mark.slow)],
)
def test_the_width_planned_is_that_of_the_default_interval(
    sd: float, mean: float, halfwidth: float
) -> None:
    plan = planning.mean(sd, halfwidth=halfwidth, mean=mean, metric="dsc")
    assert plan.rule == "auto@2"
    assert plan.n_for_width is not None
    at = planning.mean(sd, n=plan.n_for_width, mean=mean, metric="dsc")
    assert at.halfwidth <= halfwidth
    less = planning.mean(sd, n=plan.n_for_width - 1, mean=mean, metric="dsc")
    assert less.halfwidth > halfwidth
    centre, spread = before_the_cut(mean, sd, hw.Bounds(0, 1))
    generator = np.random.default_rng(3)
    drawn = generator.normal(centre, spread, size=(300, plan.n_for_width)).clip(0, 1)
    low, high = default_ends(drawn, "dsc")
    error = (high - low).std() / math.sqrt(len(drawn))
    assert abs((high - low).mean() - at.width) < ERRORS * error + 0.01 * at.width
    assert (high - low).mean() == pytest.approx(at.width, rel=0.05)


def test_failures_are_planned_for() -> None:
    given: dict[str, Any] = {"mean": 0.9, "metric": "dsc", "failures_share": 0.05}
    plan = planning.mean(0.03, n=80, **given)
    generator = np.random.default_rng(4)
    drawn = generator.normal(0.9, 0.03, size=(300, 80)).clip(0, 1)
    drawn[generator.random(drawn.shape) < 0.05] = 0.0
    low, high = default_ends(drawn, "dsc")
    error = (high - low).std() / math.sqrt(len(drawn))
    assert abs((high - low).mean() - plan.width) < ERRORS * error + 0.02 * plan.width
    assert plan.width > 3 * planning.mean(0.03, n=80, mean=0.9, metric="dsc").width
    assert "5 % of the cases, which fail (value 0)" in plan.shape


@pytest.mark.slow
def test_an_assurance_is_the_share_of_studies_that_keep_below_the_width() -> None:
    given: dict[str, Any] = {"mean": 0.85, "metric": "dsc"}
    plan = planning.mean(0.05, halfwidth=0.02, assurance=0.8, **given)
    n = plan.n_for_width
    assert n is not None
    drawn = np.random.default_rng(5).normal(0.85, 0.05, size=(400, n)).clip(0, 1)
    low, high = default_ends(drawn, "dsc")
    error = math.sqrt(0.8 * 0.2 / len(drawn))
    # Monte-Carlo error of the plan, which is of 200 studies, on top.
    assert abs(((high - low) <= 0.04).mean() - 0.8) < ERRORS * error + 0.04


def test_without_bounds_the_default_is_planned_too() -> None:
    plan = planning.mean(1.0, n=20)
    assert (plan.formula, plan.rule, plan.shape) == ("dirichlet_pareto", "auto@2", "normal")
    drawn = np.random.default_rng(6).normal(size=(400, 20))
    low, high = default_ends(drawn, None)
    assert (high - low).mean() == pytest.approx(plan.width, rel=0.02)
    paired = planning.difference(0.05, difference=0.02, power=0.8)
    assert (paired.n, paired.formula, paired.rule) == (52, "t", "auto@2")
    assert "name the metric (metric=, --metric)" in paired.notes[0]


def test_of_distances_ten_cases_are_planned_at_least_and_no_bound_is_near_without_a_mean() -> None:
    with pytest.raises(hw.OptionError, match="needs at least 10"):
        planning.mean(10.0, n=9, metric="hd")
    around = [planning.mean(10.0, n=n, metric="hd") for n in (10, 11, 12, 30)]
    assert [plan.width for plan in around] == sorted((p.width for p in around), reverse=True)
    # A bound that nobody knows to be near cuts nothing, which halved the width once.
    free = planning.mean(10.0, n=30)
    assert around[-1].width == pytest.approx(free.width)
    near = planning.mean(10.0, n=30, metric="hd", mean=20)
    assert near.width < free.width


@pytest.mark.slow
@pytest.mark.parametrize("metric", [None, "dsc"])
def test_two_groups_have_the_interval_of_an_unpaired_comparison(metric: str | None) -> None:
    plan = planning.difference(0.1, n=25, unpaired=True, difference=0.08, metric=metric)
    generator = np.random.default_rng(7)
    found, widths = [], []
    for _ in range(150):
        models = {"new": generator.normal(0.54, 0.1, 25), "old": generator.normal(0.46, 0.1, 25)}
        data = hw.CaseValues.from_arrays(models, metric=metric, pairing="none")
        (item,) = hw.compare(data, test="none")
        found.append(item.estimate.low > 0)
        widths.append(item.estimate.width)
        assert item.estimate.method == plan.formula
    assert_power(np.array(found), plan, 0.01)
    assert np.mean(widths) == pytest.approx(plan.width, rel=0.05)


@pytest.mark.slow
def test_a_plan_grows_no_wider_with_n_and_needs_no_more_for_less() -> None:
    widths = [planning.mean(0.05, n=n, metric="dsc", mean=0.9).width for n in range(3, 49)]
    assert (np.diff(widths) < 0).all()
    powers = [
        planning.difference(0.05, n=n, difference=0.02, metric="dsc").power for n in range(13, 48)
    ]
    assert powers == sorted(powers)  # type: ignore[type-var]
    needed = [planning.difference(0.05, margin=m, power=0.8).n for m in (0.01, 0.02, 0.03)]
    assert needed == sorted(needed, reverse=True)


@pytest.mark.parametrize(("mean", "sd"), [(0.9, 0.1), (0.5, 0.03), (0.97, 0.05), (0.4, 0.4)])
def test_cut_cases_have_the_mean_and_the_sd_that_were_given(mean: float, sd: float) -> None:
    drawn = AssumedCases.normal(mean, sd, hw.Bounds(0, 1)).drawn(derive_key(1, "test"), 2000, 200)
    assert drawn.min() >= 0
    assert drawn.max() <= 1
    error = sd / math.sqrt(drawn.size)
    assert abs(drawn.mean() - mean) < ERRORS * error
    assert drawn.std() == pytest.approx(sd, rel=0.01)
    assert before_the_cut(mean, sd, UNBOUNDED) == (mean, sd)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"mean": 1.2, "metric": "dsc"}, "mean=1.2 is not within"),
        ({"mean": 0.9}, "mean=0.9 has no effect without bounds"),
        ({"mean": 0.9, "metric": "dsc", "method": "t"}, "has no effect with method 't'"),
        ({"failures_share": 0.02}, "takes a metric with a worst value"),
        ({"failures_share": 2, "metric": "dsc"}, "for 2 % write 0.02"),
        ({"metric": "dsc", "mean": 0.99}, "sd=0.1 is impossible: values in"),
        ({"metric": "correct"}, "halfwidth plan proportion"),
        ({"method": "wilson"}, "method 'wilson' makes no interval for the mean"),
    ],
)
def test_what_cannot_be_assumed(given: dict[str, Any], words: str) -> None:
    with pytest.raises(hw.OptionError, match=words):
        planning.mean(0.1, halfwidth=0.02, **given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"margin": -0.1}, "margin=-0.1 is not above 0"),
        ({"margin": 0.02, "difference": -0.02}, "is not above -margin"),
        ({"margin": 3.0, "metric": "dsc"}, "is no restriction"),
        ({"margin": 0.02, "mean": 0.9, "metric": "dsc"}, "mean=0.9 has no effect on differences"),
        ({"margin": 0.02, "assurance": 0.8}, "assurance needs a half-width"),
    ],
)
def test_what_cannot_be_shown(given: dict[str, Any], words: str) -> None:
    with pytest.raises(hw.OptionError, match=words):
        planning.difference(0.05, power=0.8, **given)


# --------------------------------------------------------------------------- AUROCs


@pytest.mark.parametrize(("areas", "correlation"), [((0.85,), None), ((0.85, 0.8), 0.6)])
def test_simulated_areas_have_the_intervals_of_the_front_door(
    areas: tuple[float, ...], correlation: float | None
) -> None:
    """Ends of DeLong's, and the choice of a method, of the very same scores."""
    studies = AreaStudies(areas, correlation, 0.3, 1.0, Level(0.95))
    n, found = 600, studies.intervals(600)
    truth = (np.arange(n) < 180).astype(int)
    scores = studies._drawn(n)[:10]
    weighted = studies._few(scores)
    for study, low, high, few in zip(scores, found.low, found.high, weighted, strict=False):
        models = dict(zip("ab", study, strict=False))
        cases = hw.Predictions.from_arrays(truth, models, scores="any")
        options: dict[str, Any] = {"metric": "auroc", "rng": 1}
        if len(models) > 1:
            estimate = hw.compare(cases, test="none", **options)[0].estimate
        else:
            estimate = hw.estimate(cases, **options)[0]
        assert few == (estimate.method == "dirichlet")
        if not few:
            assert (low, high) == pytest.approx((estimate.low, estimate.high), abs=1e-12)
    assert not weighted.all()


@pytest.mark.slow
def test_the_width_of_an_auroc_is_that_of_its_default_interval() -> None:
    """Of 100 studies at the n planned, whose widths the plan is to have."""
    plan = planning.auroc(0.95, prevalence=0.2, halfwidth=0.06)
    assert (plan.rule, plan.formula) == ("auto@2", "dirichlet")
    positives, negatives = plan.counts.values()
    truth = np.repeat([1, 0], [positives, negatives])
    generator = np.random.default_rng(5)
    shift = stats.norm.ppf(0.95) * math.sqrt(2) * truth
    widths = [
        hw.metric_ci(
            truth,
            special.expit(shift + generator.normal(size=len(truth))),
            metric="auroc",
            n_resamples=499,
            rng=study,
        ).width
        for study in range(100)
    ]
    error = np.std(widths) / 10
    assert np.mean(widths) == pytest.approx(plan.width, abs=3.3 * error)


@pytest.mark.slow
@pytest.mark.parametrize("paired", [True, False])
def test_non_inferiority_of_two_aurocs_is_shown_as_often_as_planned(paired: bool) -> None:
    given: dict[str, Any] = {"correlation": 0.6} if paired else {"unpaired": True}
    margin = 0.06 if paired else 0.1
    plan = planning.auroc_difference(0.8, margin=margin, power=0.8, prevalence=0.4, **given)
    assert plan.rule == "auto@2"
    m, n = plan.counts.values()
    truth = np.repeat([1, 0], [m, n])
    generator, studies = np.random.default_rng(8), 400
    shift = stats.norm.ppf(0.8) * math.sqrt(2) * truth
    found, widths = [], []
    for _ in range(studies):
        shared, own = generator.normal(size=(2, 1, m + n)), generator.normal(size=(2, m + n))
        weight = math.sqrt(0.6) if paired else 0.0
        scores = shift + weight * shared[0] + math.sqrt(1 - weight**2) * own
        (item,) = hw.compare(
            hw.Predictions.from_arrays(
                truth,
                {"new": scores[0], "old": scores[1]},
                pairing="complete" if paired else "none",
            ),
            metric="auroc",
            test="none",
            rng=1,
        )
        found.append(item.estimate.low > -margin)
        widths.append(item.estimate.width)
    assert_power(np.array(found), plan, 0.01)
    assert np.mean(widths) == pytest.approx(plan.width, rel=0.05)


@pytest.mark.slow
def test_studies_that_take_different_methods_are_told() -> None:
    plan = planning.auroc_difference(0.85, n=350, margin=0.05, correlation=0.5)
    assert (plan.rule, plan.formula) == ("auto@2", "delong_t")
    assert re.search(r"Of such studies \d+ % take dirichlet, others delong_t", plan.notes[0])
    assert re.search(r"Monte-Carlo standard error of the power 0\.\d points", plan.notes[-1])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "give the correlation of the scores"),
        ({"correlation": 1.0}, "must be at least 0 and below 1"),
        ({"correlation": 0.5, "unpaired": True}, "have no correlation"),
        ({"correlation": 0.5, "margin": None}, "power needs a difference"),
        ({"correlation": 0.5, "difference": 0.3}, "gives one outside 0 to 1"),
        ({"correlation": 0.5, "difference": -0.05}, "is not above -margin"),
    ],
)
def test_what_cannot_be_planned_of_two_aurocs(given: dict[str, Any], words: str) -> None:
    with pytest.raises(hw.OptionError, match=words):
        planning.auroc_difference(0.85, **{"margin": 0.05, "power": 0.8, **given})


# --------------------------------------------------------------------------- the command line


@pytest.mark.slow
def test_the_command_line_has_the_same_plans(run: Run) -> None:
    ran = run(
        *("plan", "mean", "--sd", ".03", "--mean", ".9", "--failures-share", ".02"),
        *("--halfwidth", ".02", "--metric", "dsc", "--json"),
    )
    (made,) = json.loads(ran.out)["plans"]
    plan = planning.mean(0.03, halfwidth=0.02, mean=0.9, failures_share=0.02, metric="dsc")
    assert made == plan.to_dict()
    assert (made["rule"], made["formula"]) == ("auto@2", "dirichlet_pareto")
    ran = run(
        *("plan", "difference", "--sd", ".05", "--margin", ".05", "--power", ".8"),
        *("--metric", "dsc"),
    )
    assert "Method: dirichlet_pareto (the default, auto@2)" in ran.out
    assert "Shape assumed: normal, cut at -1 and 1." in ran.out
    assert "power 0.8 for non-inferiority by 0.05" in " ".join(ran.out.split())
    two = ("plan", "auroc", "--expected", ".85", "--margin", ".05", "--power", ".8")
    (made,) = json.loads(run(*two, "--correlation", ".6", "--json").out)["plans"]
    expected = planning.auroc_difference(0.85, margin=0.05, power=0.8, correlation=0.6)
    assert made == expected.to_dict()
    assert "give the correlation of the scores" in run(*two).err
    assert "is for one AUROC" in run(*two, "--formula", "delong").err
