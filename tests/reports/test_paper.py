"""What a report says in sentences: methods, results, how far to trust them, what was drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.document.parts import Document, Section
from halfwidth.document.render import render

LEADS = {"a": 0.9, "b": 0.91, "c": 0.95}


def values(organs: int, models: tuple[str, ...] = ("unet", "vit")) -> dict[str, list[Any]]:
    """A long table of models on organs, ten cases each; of the k-th organ all values are lower."""
    rng = np.random.default_rng(4)
    rows = [
        (f"c{case}", model, f"organ{organ}", dice - 0.05 * organ)
        for organ in range(organs)
        for model in models
        for case, dice in enumerate(rng.uniform(0.8, 0.9, 10))
    ]
    names = ("case", "model", "organ", "dice")
    return {name: list(cells) for name, cells in zip(names, zip(*rows, strict=True), strict=True)}


def section(results: Any, title: str) -> str:
    document = hw.report(results, figures=False).document
    parts = [part for part in document.parts if isinstance(part, Section) and part.title == title]
    return render(Document(tuple(parts)), "markdown")


def test_methods_are_named_with_what_they_were_used_for() -> None:
    truth, score = [0, 1] * 30, np.linspace(0, 1, 60) ** 2
    found = hw.metric_ci(truth, score, metric=["auroc", "sensitivity", "mcc"], rng=3)
    said = section(found, "For the paper")
    assert "95 % confidence intervals were computed with halfwidth" in said
    assert "methods: DeLong on the logit with t (DeLong et al. 1988) for AUROC; Wilson" in said
    assert "9999 resamples were drawn (seed 3) for MCC." in said
    provenance = section(found, "Methods and provenance")
    assert "logit⁻¹(logit A ± t·SE / (A(1 - A)))" in provenance
    assert "- design Cases taken as independent." in provenance


def test_many_estimates_are_said_by_their_range() -> None:
    data = hw.CaseValues.from_table(values(5), by=["model", "organ"], metric="dsc")
    table = hw.estimate(data, method="t")
    said = section(table, "For the paper")
    lowest, highest = (pick(table, key=lambda one: one.value) for pick in (min, max))
    assert f"ranges from {lowest.text_of(lowest.value)} ({lowest.label};" in said
    assert f"to {highest.text_of(highest.value)} ({highest.label};" in said
    assert "among 10 estimates (n = 10)." in said
    assert "no number depends on a seed" in section(table, "Methods and provenance")


def test_tests_without_correction_and_margins_are_named() -> None:
    compared = hw.compare(
        hw.CaseValues.from_table(values(7), metric="dsc", model="model", by="organ"),
        margin=0.01,
        test="permutation",
        rng=1,
        n_resamples=99,
    )
    said = section(compared, "For the paper")
    assert (
        "P values are two-sided, the least alpha at which an interval excludes 0, not adjusted for "
        "multiple comparisons."
    ) in said
    assert "Beside them stand those of another test (sign-flip permutation)." in said
    assert "The margin of non-inferiority is 0.01." in said


def test_coverage_is_told_of_what_was_studied() -> None:
    dice = values(1)["dice"]
    independent = hw.summary_ci(dice, metric="dsc")
    assert "For the mean DSC: on " in section(independent, "How far to trust the intervals")
    pairs = [case // 2 for case in range(len(dice))]
    clustered = section(
        hw.summary_ci(dice, metric="dsc", groups=pairs), "How far to trust the intervals"
    )
    assert "The study of real instances does not cover" in clustered
    assert "| clusters |" in clustered
    assert "more cases of the same clusters bring less" in clustered


def test_more_cases_are_drawn_and_evaluated_by_the_method_itself() -> None:
    """Half-widths of the default fall faster than √n, those of t as √n; else they say ~."""
    dice = np.random.default_rng(2).normal(0.9, 0.02, 20).round(3)
    found = {}
    for method in ("auto", "t"):
        table = hw.estimate(hw.CaseValues.from_table({"dice": dice}), metric="dsc", method=method)
        said = section(table, "How far to trust the intervals")
        assert "drawn from these with replacement" in said
        assert "~" not in said
        (row,) = [line for line in said.splitlines() if line.startswith("| mean DSC | 20")]
        now, *more = (float(cell) for cell in row.split("|")[3:7])
        found[method] = [one / now for one in more]
    # A fifth allows for t at more degrees of freedom and for the simulation.
    assert found["t"] == pytest.approx([times**-0.5 for times in (2, 4, 10)], rel=0.2)
    assert all(one < of_t for one, of_t in zip(found["auto"], found["t"], strict=True))
    without = section(replace(table, cases=()), "How far to trust the intervals")
    assert "~: an extrapolation" in without


def test_runs_are_not_called_cases() -> None:
    found = hw.runs_ci(hw.CaseValues.from_runs(np.linspace(0.8, 0.9, 25), bounds=(0, 1)))
    assert "number of runs grows." in section(found, "How far to trust the intervals")
    assert "| Sample size | 25 runs per estimate." in section(found, "Reporting checklists")


def test_verdicts_on_simultaneous_intervals_say_so() -> None:
    models = {name: np.linspace(0.7, high, 12) for name, high in LEADS.items()}
    compared = hw.compare(models, metric="dsc", test="wilcoxon", rng=1, n_resamples=199)
    said = section(compared, "For the paper")
    assert "excludes 0, adjusted for 3 comparisons by stepdown." in said
    assert "of another test (Wilcoxon signed-rank, adjusted by Holm)." in said
    assert "Verdicts agree with simultaneous intervals of 3 comparisons that hold at once" in said


# --------------------------------------------------------------------------- recomputed

DRAWS = 200_000
LAW = re.compile(r"Dirichlet-Pareto: a = ([0-9.]+), [^.]* d U\\\^\(-1/([0-9.]+)\) from the mean")
SHARPER = re.compile(
    r"where d is shorter, ([0-9.]+) is times the ratio of the longer to the shorter one to the "
    r"power of ([0-9.]+), but at most ([0-9]+)"
)
UNSEEN = re.compile(
    r"Intervals if cases can fail as none here did \(Dirichlet or Dirichlet-Pareto, the farther "
    r"end\): a = ([0-9.]+), at"
)


def weights(n: int, a: float) -> Array:
    rng = np.random.default_rng(1)
    gammas = np.c_[rng.standard_exponential((DRAWS, n)), rng.gamma(a, size=(DRAWS, 1))]
    return np.asarray(gammas / gammas.sum(axis=1, keepdims=True))


def tail_of(n: int) -> float:
    return float(stats.norm.cdf(-np.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1)))


def far_away(nu: float) -> Array:
    return np.asarray(np.random.default_rng(2).random(DRAWS) ** (-1 / nu))


def mean_with(values: Array, w: Array, pseudo: Array | float) -> Array:
    return np.asarray(w[:, :-1] @ values + w[:, -1] * pseudo)


def sharper_on_a_side(said: str, nu: float, below: float, above: float) -> list[Array]:
    """How far the pseudo-case lies out on either side, of which the shorter has a lighter tail."""
    found = SHARPER.search(said)
    assert found is not None
    times, power, most = map(float, found.groups())
    assert times == nu
    ratios = above / below, below / above
    return [far_away(min(nu * max(ratio, 1.0) ** power, most)) for ratio in ratios]


def paragraph(result: Any) -> str:
    return section(result, "For the paper").split("### Results")[0]


def test_a_stranger_can_recompute_the_interval_of_a_mean() -> None:
    x = np.random.default_rng(3).uniform(0.7, 0.9, 14)
    e = hw.summary_ci(x, metric="dsc", failures="both")
    said = paragraph(e)
    assert "Methods were chosen by auto@2." in said
    assert "to the outermost case on that side" in said
    found = LAW.search(said)
    assert found is not None
    a, nu = map(float, found.groups())
    w, mean = weights(14, a), x.mean()
    far = sharper_on_a_side(said, nu, mean - x.min(), x.max() - mean)
    low = mean_with(x, w, np.maximum(mean - (mean - x.min()) * far[0], 0))
    high = mean_with(x, w, np.minimum(mean + (x.max() - mean) * far[1], 1))
    ends = np.quantile(low, tail_of(14)), np.quantile(high, 1 - tail_of(14))
    assert ends == pytest.approx((e.low, e.high), abs=0.03 * e.width)
    found = UNSEEN.search(said)
    assert found is not None
    w = weights(14, float(found[1]))
    ends = np.quantile(mean_with(x, w, 0), 0.025), np.quantile(mean_with(x, w, 1), 0.975)
    assert ends == pytest.approx(e.if_unseen_failures, abs=0.03 * e.width)


def test_a_stranger_can_recompute_the_interval_of_a_distance_at_99_percent() -> None:
    x = np.random.default_rng(3).lognormal(1, 1, 14)
    e = hw.summary_ci(x, metric="hd", confidence_level=0.99)
    said = paragraph(e)
    assert "ends above 95 %" in said
    assert "as those of Student's t do" in said
    assert "but no further than the bounds" in said
    assert "than the bounds" not in paragraph(hw.summary_ci(x))
    found = LAW.search(said)
    assert found is not None
    a, nu = map(float, found.groups())
    w, far, mean = weights(14, a), far_away(nu), x.mean()
    low = mean_with(x, w, np.maximum(mean - (mean - x.min()) * far, 0))
    high = mean_with(x, w, mean + (x.max() - mean) * far)
    ends = np.quantile(low, tail_of(14)), np.quantile(high, 1 - tail_of(14))
    ratio = stats.t.isf(0.005, 13) / stats.t.isf(0.025, 13)
    further = [mean + ratio * (end - mean) for end in ends]
    assert further == pytest.approx((e.low, e.high), abs=0.03 * e.width)


def test_a_stranger_can_recompute_the_interval_of_a_difference() -> None:
    rng = np.random.default_rng(4)
    first = rng.uniform(0.7, 0.9, 14)
    d = rng.normal(0.01, 0.03, 14)
    e = hw.difference_ci(first, first - d, metric="dsc")
    said = paragraph(e)
    found = LAW.search(said)
    assert found is not None
    assert "to the case farthest from it" in said
    a, nu = map(float, found.groups())
    w, reach = weights(14, a), np.abs(d - d.mean()).max() * far_away(nu)
    low = mean_with(d, w, np.maximum(d.mean() - reach, -1))
    high = mean_with(d, w, np.minimum(d.mean() + reach, 1))
    ends = np.quantile(low, tail_of(14)), np.quantile(high, 1 - tail_of(14))
    assert ends == pytest.approx((e.low, e.high), abs=0.03 * e.width)


def test_a_stranger_can_recompute_the_interval_of_an_sd() -> None:
    x = np.random.default_rng(5).uniform(0.5, 0.9, 14)
    e = hw.summary_ci(x, metric="dsc", statistic="sd", rng=1)
    said = paragraph(e)
    found = LAW.search(said)
    assert found is not None
    assert "on the side of the case farthest from the mean" in said
    assert "the lower end has none" in said
    a, nu = map(float, found.groups())
    away = max(x.min() - x.mean(), x.max() - x.mean(), key=abs)
    pseudo = np.clip(x.mean() + away * far_away(nu), 0, 1)

    def deviations(w: Array) -> Array:
        squares = mean_with(x**2, w, pseudo**2) - mean_with(x, w, pseudo) ** 2
        return np.asarray(np.sqrt(squares * 14 / 13))

    with_none = weights(14, 1.0)
    with_none[:, -1] = 0
    with_none /= with_none.sum(axis=1, keepdims=True)
    ends = (
        np.quantile(deviations(with_none), tail_of(14)),
        np.quantile(deviations(weights(14, a)), 1 - tail_of(14)),
    )
    assert ends == pytest.approx((e.low, e.high), abs=0.06 * e.width)


def test_the_paragraph_follows_parameters_few_cases_and_clusters() -> None:
    x = np.random.default_rng(6).uniform(0.7, 0.9, 24)
    named = hw.summary_ci(x, metric="dsc", method="dirichlet_pareto:mass=1,shape=3")
    assert r"(mass 1, shape 3): a = 1, on the side of each end, d U\^(-1/3)" in paragraph(named)
    assert "auto" not in paragraph(named)
    few = paragraph(hw.summary_ci(x[:6], metric="dsc"))
    assert "With fewer than 10 cases the tail is that of 10" in few
    groups = np.arange(24) // 2
    clustered = paragraph(hw.summary_ci(x, metric="dsc", groups=groups))
    assert "1 for each cluster and a for a pseudo-cluster" in clustered
    assert "n as many clusters as their sizes m weigh, (Σm)²/Σm²." in clustered
    apart = hw.compare(
        hw.CaseValues.from_arrays({"A": x, "B": x[:12]}, metric="dsc", pairing="none"),
        rng=1,
        test="none",
    )
    of_either = r"Dirichlet-Pareto (shape 5): a = 0.5, on the side of each end, d U\^(-1/5) from"
    assert of_either in paragraph(apart)
    models = {"A": x, "B": x[::-1]}
    spreads = paragraph(hw.compare(models, metric="dsc", statistic="sd", rng=1, test="none"))
    assert r"a = 1.5, for the upper end d U\^(-1/5) from the mean of the first model" in spreads


def test_methods_with_a_source_of_their_own_still_cite_it() -> None:
    x = np.random.default_rng(7).uniform(0.7, 0.9, 24)
    assert "Gaffke (Gaffke 2005)" in paragraph(hw.summary_ci(x, metric="dsc", method="gaffke"))
    of_t = paragraph(hw.summary_ci(x, metric="dsc", method="t"))
    assert "Dirichlet" not in of_t
    by_class = hw.metric_ci([0, 1] * 12, [0, 1, 1, 1] * 6, metric="f1", rng=1, n_resamples=99)
    assert "for pseudo-cases predicted as badly, or as well, as can be" in paragraph(by_class)


def test_a_test_that_disagrees_is_explained_in_the_paragraph_of_results() -> None:
    easy, steps = np.linspace(0.7, 0.9, 12), np.linspace(-0.05, 0.05, 12)
    shift = 1.05 * float(hw.difference_ci(easy + steps, easy, method="t").halfwidth)
    models = {"A": easy + (steps + shift)[np.random.default_rng(0).permutation(12)], "B": easy}
    compared = hw.compare(models, metric="dsc", test="permutation", rng=1)
    (why,) = (one.message for one in compared[0].cautions if one.code == "HW807")
    assert "the interval also allows for cases beyond those seen." in why
    assert why in section(compared, "For the paper")


def test_the_drawn_intervals_of_a_report_have_pale_lines_with_one_legend() -> None:
    x = np.random.default_rng(8).uniform(0.8, 0.9, 30)
    e = hw.summary_ci(x, metric="dsc", failures="both")
    page = hw.report(e, figures=False).to_html()
    assert page.count('class="pale">pale: if cases can fail as none here did<') == 1
    assert page.count('y2="11.0" class="pale"') == 1
    assert f"{e.unseen_failures_text} if cases can fail as none here did" in page
    failed = hw.summary_ci(np.r_[x, np.zeros(30)], metric="dsc")
    assert 'class="pale"' not in hw.report(failed, figures=False).to_html()
