"""Counting metrics of a batch of test sets, against counting the rows of the same draws anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batches import (
    EVERY,
    RESAMPLES,
    WAYS,
    Array,
    assert_equal,
    batch,
    declared_form,
    of_rows,
    policies_for,
    statistic_of,
    tables_of,
)

import halfwidth as hw
from halfwidth.core.types import Level
from halfwidth.core.undefined import UNDEFINED_POLICIES
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import leave_one_out, replicates
from halfwidth.resampling.exact.proportions import binomial, studentized_binomial
from halfwidth.resampling.forms.counts import MULTINOMIAL_FROM
from halfwidth.resampling.kernels.programs import program_of

# It looks for the best of all decisions, which a formula cannot.
WITHOUT_FORMULA = ("normalized_expected_cost",)

# --------------------------------------------------------------------------- every metric


@pytest.mark.sampled(7)
@pytest.mark.parametrize("fast", WAYS)
@pytest.mark.parametrize(("name", "average"), EVERY)
def test_every_metric_is_that_of_the_rows_drawn(name: str, average: str, fast: bool) -> None:
    codes, design = batch(9, 3), Design.iid(9)
    plan = Plan(7, RESAMPLES, compiled=fast)
    tables = tables_of(codes, 9, plan.indices(design, 0, RESAMPLES))
    for absent in policies_for(average):
        for undefined in UNDEFINED_POLICIES:
            statistic = statistic_of(name, average, 3, absent, undefined)
            wanted = declared_form(statistic).finish(tables)
            assert_equal(replicates(codes, design, statistic, plan), wanted)
    # The tables are such that the policies matter, to metrics of one class surely.
    assert (
        average not in ("binary", "none")
        or name == "net_benefit"
        or np.isnan(declared_form(statistic_of(name, average)).finish(tables)).any()
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("fast", WAYS)
@pytest.mark.parametrize(("name", "average"), EVERY)
def test_two_classes(name: str, average: str, fast: bool) -> None:
    codes, design, statistic = batch(10, 2), Design.iid(10), statistic_of(name, average, 2)
    plan = Plan(7, 40, compiled=fast)
    wanted = of_rows(codes, statistic, plan.indices(design, 0, 40))
    assert_equal(replicates(codes, design, statistic, plan), wanted)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "average"), EVERY)
def test_metrics_have_formulas(name: str, average: str) -> None:
    for absent in policies_for(average):
        for undefined in UNDEFINED_POLICIES:
            form = declared_form(statistic_of(name, average, 4, absent, undefined))
            program = program_of(form.finish, form.n_cells)
            assert (program is None) == (name in WITHOUT_FORMULA)


COSTS = ((0.0, 2.0, 5.5), (1.0, 0.0, 1.0), (9.0, 3.0, 0.0))
OPTIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("f_beta", "macro", {"parameters": {"beta": 0.5}}),
    ("f_beta", "weighted", {"parameters": {"beta": 2.0}}),
    ("f_beta", "macro", {"parameters": {"beta": 30.0}}),
    ("ppv", "macro", {"parameters": {"prevalence": 0.2}}),
    ("npv", "micro", {"parameters": {"prevalence": 0.7}}),
    ("cohen_kappa", "", {"parameters": {"weights": 1.0}}),
    ("cohen_kappa", "", {"parameters": {"weights": 2.0}}),
    ("cohen_kappa", "", {"costs": COSTS}),
    ("expected_cost", "", {"costs": COSTS}),
    ("expected_cost", "", {"costs": COSTS, "priors": (0.5, 0.5, 0.0)}),
    ("normalized_expected_cost", "", {"priors": (0.2, 0.3, 0.5)}),
    ("net_benefit", "binary", {"parameters": {"exchange_rate": 3.0}}),
]


@pytest.mark.parametrize("fast", WAYS)
@pytest.mark.parametrize(("name", "average", "options"), OPTIONS)
def test_parameters_and_tables_are_those_of_the_rows_drawn(
    name: str, average: str, options: dict[str, Any], fast: bool
) -> None:
    codes, design = batch(14, 3), Design.iid(14)
    statistic = statistic_of(name, average, **options)
    plan = Plan(8, RESAMPLES, compiled=fast)
    wanted = of_rows(codes, statistic, plan.indices(design, 0, RESAMPLES))
    assert_equal(replicates(codes, design, statistic, plan), wanted)


@pytest.mark.parametrize("fast", WAYS)
@pytest.mark.parametrize("n", [1, 2, 16, 17, 250, 1024, 1025, MULTINOMIAL_FROM - 1])
def test_sizes_of_samples(n: int, fast: bool) -> None:
    codes, design = batch(n, 6, samples=4), Design.iid(n)
    plan = Plan(9, 37, compiled=fast)
    drawn = plan.indices(design, 0, 37)
    for name, average in (("f1", "macro"), ("mcc", ""), ("accuracy", "")):
        statistic = statistic_of(name, average, 6)
        assert_equal(replicates(codes, design, statistic, plan), of_rows(codes, statistic, drawn))


@pytest.mark.parametrize("fast", WAYS)
def test_classes_that_some_resamples_lack(fast: bool) -> None:
    # From 1 to 13 cases of one class, in turns: few, some or nearly all rows of resamples lack it.
    # Of five classes NumPy takes half of the samples at a time.
    rare = 1 + 3 * (np.arange(40) % 5)
    cells = [np.repeat([0.0, 6.0, 12.0], np.array([60 - own, own, 40])) for own in rare]
    codes, design = np.stack(cells), Design.iid(100)
    statistic, plan = statistic_of("balanced_accuracy", "macro", 5), Plan(10, 1000, compiled=fast)
    wanted = of_rows(codes[:5], statistic, plan.indices(design, 0, 1000))
    assert_equal(replicates(codes, design, statistic, plan), np.tile(wanted, (8, 1)))


# --------------------------------------------------------------------------- blocks and threads


@pytest.mark.parametrize("fast", WAYS)
def test_blocks_threads_and_what_is_kept_change_no_bit(fast: bool) -> None:
    codes, design = batch(30, 3), Design.iid(30)
    for name, average in (("f1", "macro"), ("cohen_kappa", ""), ("normalized_expected_cost", "")):
        statistic = statistic_of(name, average)
        whole = replicates(codes, design, statistic, Plan(11, 700, compiled=fast))
        kept: dict[Any, Any] = {}
        for options in (
            {"block_elements": 1},
            {"block_elements": 200},
            {"threads": 2},
            {"kept": kept},
            {"kept": kept},
        ):
            plan = Plan(11, 700, compiled=fast, **options)
            assert np.array_equal(replicates(codes, design, statistic, plan), whole, equal_nan=True)
        halves = [replicates(part, design, statistic, plan) for part in (codes[:2], codes[2:])]
        assert np.array_equal(np.concatenate(halves), whole, equal_nan=True)


@pytest.mark.parametrize("fast", WAYS)
def test_a_sample_alone_has_the_replicates_it_has_in_a_batch(fast: bool) -> None:
    codes, design = batch(40, 5), Design.iid(40)
    for name, average in (("f1", "macro"), ("f1", "weighted"), ("mcc", ""), ("cohen_kappa", "")):
        statistic = statistic_of(name, average, 5)
        together = replicates(codes, design, statistic, Plan(12, 300, compiled=fast))
        alone = [replicates(one[None], design, statistic, Plan(12, 300)) for one in codes]
        assert_equal(together, np.concatenate(alone))


@pytest.mark.parametrize("fast", WAYS)
@pytest.mark.parametrize("kind", ["strata", "clusters"])
def test_other_designs(kind: str, fast: bool) -> None:
    draw = np.random.default_rng(3)
    labels = draw.integers(0, 3 if kind == "strata" else 12, 40)
    given = (None, labels) if kind == "strata" else (labels, None)
    samples = [arrange(draw.integers(0, 9, 40).astype(float), *given) for _ in range(3)]
    design = samples[0][1]
    # Strata and clusters come in the order of their sizes and values: one design for all is one
    # whose strata, or clusters, have the sizes of the first.
    codes = np.stack([samples[0][0]] * 3)
    statistic = statistic_of("f1", "macro")
    plan = Plan(13, RESAMPLES, compiled=fast)
    made = replicates(codes, design, statistic, plan)
    alone = replicates(codes[:1], design, statistic, Plan(13, RESAMPLES))
    assert_equal(made, alone.repeat(3, 0))
    if kind == "strata":
        drawn = plan.indices(design, 0, RESAMPLES)
        assert_equal(made, of_rows(codes, statistic, drawn))


@pytest.mark.parametrize("fast", WAYS)
def test_bounds_of_a_batch_are_those_of_its_samples(fast: bool) -> None:
    codes, design = batch(60, 3, samples=7), Design.iid(60)
    methods = [hw.METHODS[name] for name in ("percentile", "basic", "bca")]
    statistic = statistic_of("mcc")
    bounds = hw.SAMPLE_METRICS["mcc"].bounds

    def made(codes: Array, plan: Plan) -> Array:
        done = intervals(
            codes, statistic, methods, Level(), bounds=bounds, plan=plan, design=design
        )
        return np.stack([[one.interval.low, one.interval.high] for one in done])

    together = made(codes, Plan(14, 999, compiled=fast))
    alone = [made(one[None], Plan(14, 999)) for one in codes]
    assert_equal(together, np.concatenate(alone, axis=-1))


# --------------------------------------------------------------------------- jackknife


@pytest.mark.parametrize(("name", "average"), EVERY)
def test_values_without_each_case_are_those_of_the_rows_left(name: str, average: str) -> None:
    codes, design = batch(12, 3), Design.iid(12)
    statistic = statistic_of(name, average)
    left = np.stack([np.delete(np.arange(12), case) for case in range(12)])
    got = leave_one_out(codes, design, statistic)
    assert_equal(got, of_rows(codes, statistic, left))


def test_values_without_each_case_of_many_samples() -> None:
    # More samples than are worked on at a time.
    codes = batch(8, 5, samples=1200)
    statistic = statistic_of("f1", "macro", 5)
    got = leave_one_out(codes, Design.iid(8), statistic)
    alone = [leave_one_out(one[None], Design.iid(8), statistic)[0] for one in codes[::50]]
    assert_equal(got[::50], np.stack(alone))


# --------------------------------------------------------------------------- proportions


def test_binomials_of_a_batch_are_those_of_its_samples() -> None:
    successes = np.array([0.0, 7.0, 20.0, 7.0, 3.0, 0.0])
    for made in (binomial, studentized_binomial):
        together = made(successes, 20)
        assert together.support.shape == together.probability.shape == (6, 21)
        for row, one in enumerate(successes):
            alone = made(np.array([one]), 20)
            assert_equal(together.support[row], alone.support[0])
            assert_equal(together.probability[row], alone.probability[0])
    assert_equal(binomial(np.array(7.0), 20).probability, binomial(successes, 20).probability[1])
