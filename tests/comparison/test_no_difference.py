"""The entry for a family of pairs: which test is made, on which draws, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from halfwidth import SAMPLE_METRICS, DataError, OptionError, explain
from halfwidth.comparison.no_difference import BY_NAME, TESTS, run_tests
from halfwidth.core.references import references
from halfwidth.core.rng import Key
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array, Level
from halfwidth.estimation.functionals import (
    MEAN,
    Classes,
    MetricRow,
    Policies,
    build_functional,
    share_functional,
)
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import Request, resolve_statistic
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.weights.swaps import swap_key
from halfwidth.results.comparison import TestResult

N = 40
PAIRS = [("a", "b"), ("a", "c"), ("b", "c")]


def request(n_resamples: int = 999, seed: int = 1) -> Request:
    return Request(None, Level(), n_resamples, seed, "raise", None)


def jobs_of(functional: Functional, arrays: dict[str, Array], design: Design) -> dict[str, Job]:
    return {
        name: Job(functional, Records(array, design, design.n, values=np.sort(array)))
        for name, array in arrays.items()
    }


def of_values(statistic: Any = "mean", design: Design | None = None) -> dict[str, Job]:
    rng = np.random.default_rng(2)
    base = rng.normal(0.8, 0.1, N)
    arrays = {name: base + shift + rng.normal(0, 0.05, N) for name, shift in SHIFTS.items()}
    functional = Functional(resolve_statistic(statistic), resolve_metric())
    return jobs_of(functional, arrays, design or Design((N,), paired=True))


SHIFTS = {"a": 0.03, "b": 0.0, "c": 0.02}


def of_decisions(design: Design | None = None) -> dict[str, Job]:
    rng = np.random.default_rng(4)
    arrays = {name: (rng.random(N) < 0.7).astype(float) for name in SHIFTS}
    functional = share_functional(Metric(SAMPLE_METRICS["accuracy"]))
    return jobs_of(functional, arrays, design or Design((N,), paired=True))


def of_scores(name: str) -> dict[str, Job]:
    rng = np.random.default_rng(5)
    truth, metric = np.arange(N) % 2, Metric(SAMPLE_METRICS[name])
    functional = build_functional(
        MetricRow(metric, "binary", 1), metric, Classes((0, 1), 1), Policies("omit", "omit")
    )
    arrays = {}
    for model in SHIFTS:
        score = rng.normal(truth, 1)
        decided = truth * 2 + (score > 0.5)
        arrays[model] = decided.astype(float) if name == "f1" else np.stack([score, 1.0 - truth])
    return jobs_of(functional, arrays, Design((N,), paired=True))


def made(test: str, jobs: dict[str, Job], paired: bool = True) -> list[TestResult]:
    found = run_tests(test, jobs, PAIRS, request(), paired=paired)
    return [result for result in found if result is not None]


CLUSTERS = Design((N // 2,), (2,) * (N // 2), paired=True)


@pytest.mark.parametrize(
    ("jobs", "paired", "name", "title"),
    [
        (of_values(), True, "permutation", "sign-flip permutation"),
        (of_values("median"), True, "permutation", "permutation of paired values"),
        (
            of_values(design=CLUSTERS),
            True,
            "permutation",
            "sign-flip permutation, whole clusters",
        ),
        (of_decisions(), True, "mcnemar_midp", "mid-p McNemar"),
        (of_decisions(CLUSTERS), True, "permutation", "sign-flip permutation, whole clusters"),
        (of_scores("auroc"), True, "permutation", "permutation of paired ranks"),
        (of_scores("f1"), True, "permutation", "permutation of paired decisions"),
        (of_values(), False, "permutation", "permutation of the models' labels"),
    ],
)
def test_auto_takes_the_test_that_answers_the_question(
    jobs: dict[str, Job], paired: bool, name: str, title: str
) -> None:
    results = made("auto", jobs, paired)
    assert [(one.name, one.title) for one in results] == [(name, title)] * 3
    assert all(0 < one.p_value <= 1 and np.isnan(one.adjusted) for one in results)


def test_a_family_shares_its_draws_and_a_pair_alone_gives_the_same() -> None:
    jobs = of_values()
    together = made("permutation", jobs)
    alone = [run_tests("permutation", jobs, [pair], request(), paired=True)[0] for pair in PAIRS]
    assert together == alone
    assert together[0].n_resamples == 999
    other = run_tests("permutation", jobs, PAIRS, request(seed=2), paired=True)
    assert [one.p_value for one in other if one] != [one.p_value for one in together]


def test_no_bootstrap_has_the_draws_of_the_swaps() -> None:
    design, plan = Design((N,), paired=True), Plan(1)
    bootstrap = [key for key, *_ in plan.keys(design)]
    assert swap_key(plan, design) not in bootstrap
    assert swap_key(plan, design) != Key(0)


def test_named_tests() -> None:
    decisions = of_decisions()
    first, second = (decisions[name].records.arranged for name in "ab")
    wins, apart = int((first > second).sum()), int((first != second).sum())
    exact = stats.binomtest(wins, apart).pvalue
    assert made("mcnemar", decisions)[0].p_value == pytest.approx(exact)
    half = stats.binom.pmf(wins, apart, 0.5)
    assert made("mcnemar_midp", decisions)[0].p_value == pytest.approx(exact - half)
    (found, *_) = made("wilcoxon", of_values("median"))
    assert (found.title, found.n_resamples) == ("Wilcoxon signed-rank", None)
    assert run_tests("none", decisions, PAIRS, request()) == [None] * 3


@pytest.mark.parametrize(
    ("test", "jobs", "paired", "message"),
    [
        ("mcnemar", of_values(), True, "success or a failure.*auto, permutation, wilcoxon, none"),
        ("mcnemar", of_decisions(CLUSTERS), True, "independent.*auto, permutation, none"),
        ("mcnemar", of_decisions(), False, "both models on the same cases"),
        ("wilcoxon", of_decisions(), True, "a value of each case"),
        ("wilcoxon", of_values("sd"), True, "not about their sd"),
        ("wilcoxon", of_values(), False, "both models on the same cases"),
        ("t", of_values(), True, "test='t' is none of auto, permutation"),
    ],
)
def test_what_does_not_answer_the_question_is_refused(
    test: str, jobs: dict[str, Job], paired: bool, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        run_tests(test, jobs, PAIRS, request(), paired=paired)


def test_records_of_other_cases_are_no_pairs() -> None:
    functional = Functional(MEAN, resolve_metric())
    jobs = {
        name: Job(functional, Records(np.arange(n, dtype=float), Design((n,)), n))
        for name, n in (("a", 5), ("b", 6))
    }
    with pytest.raises(
        DataError, match=r"a has 5 cases and b 6; a paired test needs the same cases"
    ):
        run_tests("auto", jobs, [("a", "b")], request())
    assert run_tests("auto", jobs, [("a", "b")], request(), paired=False)[0] is not None


def test_unpaired_models_within_strata_have_no_test() -> None:
    stratified = Design((N // 4, 3 * N // 4), paired=True)
    (found, *_) = made("auto", of_values(design=stratified), paired=False)
    assert np.isnan(found.p_value)
    assert [one.code for one in found.cautions] == ["HW813"]
    assert "not exchanged within strata" in str(found.cautions[0])
    with pytest.raises(OptionError, match="no labels of unpaired models within strata"):
        made("permutation", of_values(design=stratified), paired=False)


def test_few_units_are_said() -> None:
    functional = Functional(MEAN, resolve_metric())
    arrays = {"a": np.array([1.0, 2, 3, 4, 5]), "b": np.array([0.0, 1, 2, 3, 5]), "c": np.ones(5)}
    results = run_tests(
        "auto", jobs_of(functional, arrays, Design((5,), paired=True)), PAIRS, request()
    )
    first = results[0]
    assert first is not None
    assert first.p_value == 0.125
    assert [str(one) for one in first.cautions] == [
        "HW811 4 cases on which the models differ: no p-value of this test is below 0.12."
    ]
    assert explain("HW811").title == "too few units for the test"


def test_every_test_has_a_source_and_a_question() -> None:
    for spec in TESTS:
        assert spec.cite in references()
        assert spec.question
    assert tuple(BY_NAME) == ("permutation", "mcnemar", "mcnemar_midp", "wilcoxon")
