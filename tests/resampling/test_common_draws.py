"""Models that are compared: resample i holds the same cases for each, whatever their values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import Array
from halfwidth.metrics import building
from halfwidth.metrics.averaging import AreaFinish, CountingFinish
from halfwidth.metrics.catalogue import SAMPLE_METRICS
from halfwidth.resampling.designs import Codes, Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import leave_one_out, replicates
from halfwidth.resampling.forms.counts import MULTINOMIAL_FROM
from halfwidth.resampling.kernels import reference
from halfwidth.summaries.catalogue import STATISTICS

N = 41
SUMMARIES = [
    Statistic(STATISTICS["mean"]),
    Statistic(STATISTICS["sd"], {"ddof": 1}),
    Statistic(STATISTICS["trimmed_mean"], {"share": 0.1}),
    Statistic(STATISTICS["median"]),
    Statistic(STATISTICS["iqr"]),
]
DESIGNS = ["iid", "clusters", "strata", "clusters in strata"]


def _structure(design: str, n: int = N) -> tuple[Codes | None, Codes | None]:
    """Clusters of one to three cases, and strata that no cluster spans."""
    groups = np.arange(n) // 3 + (np.arange(n) % 5 == 0) * 100
    strata = groups % 2 if "clusters" in design else np.arange(n) % 2
    return (
        groups if "clusters" in design else None,
        strata if "strata" in design else None,
    )


def _f1() -> Statistic:
    metric = Metric(SAMPLE_METRICS["f1"])
    return building.counting_statistic(metric, CountingFinish(metric, 3, "macro"), "zero")


def _auroc() -> Statistic:
    metric = Metric(SAMPLE_METRICS["auroc"])
    return building.ranking_statistic(metric, RankEach(1), AreaFinish("binary"), "omit")


def _values(generator: np.random.Generator) -> Array:
    return generator.beta(8, 2, N).round(2)


def _codes(generator: np.random.Generator) -> Array:
    return generator.integers(0, 9, N).astype(float)


def _scores(generator: np.random.Generator) -> Array:
    mark = (np.arange(N) % 3 == 0).astype(float)
    return np.stack([(generator.normal(size=N) - mark).round(1), mark])


CASES: list[tuple[Statistic, Callable[[np.random.Generator], Array]]] = [
    *((statistic, _values) for statistic in SUMMARIES),
    (_f1(), _codes),
    (_auroc(), _scores),
]
NAMES = [statistic.spec.name for statistic, _ in CASES]


def _arranged(model: Array, design: str, ids: Codes | None = None) -> tuple[Array, Design]:
    identities = np.arange(model.shape[-1]) if ids is None else ids
    return arrange(model, *_structure(design, model.shape[-1]), identities=identities)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(("statistic", "draw"), CASES, ids=NAMES)
def test_resamples_of_two_models_hold_the_same_cases(
    statistic: Statistic, draw: Callable[[np.random.Generator], Array], design: str
) -> None:
    """Each model arranged by itself, against both gathered case by case by one table of draws."""
    generator, plan = np.random.default_rng(3), Plan(11, 50)
    models = [draw(generator) for _ in range(2)]
    cases, common = _arranged(np.arange(N, dtype=float), design)
    drawn = plan.indices(common, 0, plan.n_resamples)
    for model in models:
        values, own = _arranged(model, design)
        assert own == common
        got = replicates(values[None], own, statistic, plan)[0]
        wanted = np.empty_like(got)
        for rows, positions, _ in reference.resamples(common, drawn):
            rows_of_file = cases[positions].astype(np.intp)
            wanted[rows] = statistic(reference.gather(model, rows_of_file))
        np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(("statistic", "draw"), CASES, ids=NAMES)
def test_a_third_model_changes_no_difference_of_two(
    statistic: Statistic,
    draw: Callable[[np.random.Generator], Array],
    design: str,
    compiled: bool | None,
) -> None:
    generator, plan = np.random.default_rng(4), Plan(12, 60, compiled=compiled)
    models = [_arranged(draw(generator), design) for _ in range(3)]
    common = models[0][1]
    two, three = (
        replicates(np.stack([values for values, _ in models[:count]]), common, statistic, plan)
        for count in (2, 3)
    )
    alone = [replicates(values[None], common, statistic, plan)[0] for values, _ in models[:2]]
    for made in (two, np.stack(alone)):
        np.testing.assert_allclose(made[0] - made[1], three[0] - three[1], rtol=0, atol=1e-12)


def test_large_tables_draw_cases_and_not_counts_of_their_own() -> None:
    """Two models that agree in every case but one differ in that case's draws alone."""
    n, plan = MULTINOMIAL_FROM + 10, Plan(5, 12)
    statistic = _f1()
    first = np.arange(n) % 9 / 1.0
    second = first.copy()
    second[7] = (first[7] + 1) % 9
    (a, design), (b, _) = (_arranged(codes, "iid") for codes in (first, second))
    drawn = plan.indices(design, 0, plan.n_resamples)
    made = [replicates(codes[None], design, statistic, plan)[0] for codes in (a, b)]
    without = ~(drawn == 7).any(axis=-1)
    assert 0 < without.sum() < plan.n_resamples
    np.testing.assert_array_equal(made[0] == made[1], without)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_order_of_rows_does_not_matter_to_cases_with_identities(design: str) -> None:
    generator, plan = np.random.default_rng(6), Plan(13, 40)
    values, shuffled = _values(generator), np.random.default_rng(7).permutation(N)
    groups, strata = _structure(design)
    turned = [None if codes is None else codes[shuffled] for codes in (groups, strata)]
    before = arrange(values, groups, strata, identities=np.arange(N))
    after = arrange(values[shuffled], *turned, identities=np.arange(N)[shuffled])
    assert before[1] == after[1]
    np.testing.assert_array_equal(before[0], after[0])
    one, other = (replicates(v[None], d, SUMMARIES[0], plan) for v, d in (before, after))
    np.testing.assert_array_equal(one, other)


def test_without_identities_a_single_model_keeps_the_order_of_its_values() -> None:
    values, design = arrange(np.array([0.5, 0.1, 0.3]))
    assert values.tolist() == [0.1, 0.3, 0.5]
    assert design.simple
    named, own = arrange(np.array([0.5, 0.1, 0.3]), identities=np.array([0, 1, 2]))
    assert named.tolist() == [0.5, 0.1, 0.3]
    assert not own.simple


def test_a_table_of_counts_without_each_case_follows_the_cases() -> None:
    codes = _codes(np.random.default_rng(8))
    values, design = _arranged(codes, "iid")
    statistic = _f1()
    wanted = [statistic(np.delete(codes, place)) for place in range(N)]
    got = leave_one_out(values[None], design, statistic)[0]
    np.testing.assert_allclose(got, np.array(wanted), rtol=1e-12)
