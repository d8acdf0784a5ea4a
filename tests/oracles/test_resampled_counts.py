"""Resamples as counts, against gathering the rows of the same draws and counting anew."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as sk

import halfwidth as hw
from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.undefined import AbsentClass
from halfwidth.metrics.averaging import AreaFinish, CountingFinish
from halfwidth.metrics.building import (
    Tuned,
    counting_statistic,
    ranking_statistic,
    sums_statistic,
    tuned_statistic,
    weighted_counting_statistic,
)
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import leave_one_out, replicates
from halfwidth.resampling.forms.counts import MULTINOMIAL_FROM
from halfwidth.resampling.kernels import native

Array = NDArray[Any]
OfRows = Callable[[Array], float]

RESAMPLES = 12
SLOW = pytest.mark.slow
DESIGNS = (
    "iid",
    pytest.param("clusters", marks=SLOW),
    pytest.param("strata", marks=SLOW),
    "clusters within strata",
)


def metric_of(name: str, **parameters: float) -> Metric:
    return Metric(hw.SAMPLE_METRICS[name], parameters)


def design_of(kind: str, records: Array) -> tuple[Array, Design]:
    """Records in canonical order; clusters of unequal sizes and strata of unequal ones."""
    n = records.shape[-1]
    generator = np.random.default_rng([n, len(kind)])
    clusters = generator.integers(0, max(n // 4, 3), n)
    groups = clusters if "clusters" in kind else None
    of_stratum = np.array(clusters % 3 if "clusters" in kind else generator.integers(0, 3, n))
    strata = of_stratum if "strata" in kind else None
    if groups is None and strata is None and records.ndim == 1:
        return np.sort(records), Design.iid(n)
    return arrange(records, groups, strata, paired=records.ndim > 1)


def rows_of(design: Design, units: Array) -> Array:
    """The cases of the units drawn, unit after unit."""
    first, sizes = design.first_cases, design.unit_sizes
    return np.concatenate([np.arange(first[u], first[u] + sizes[u]) for u in units])


def assert_replicates_are_those_of_rows(
    records: Array, design: Design, statistic: Statistic, of_rows: OfRows, n_resamples: int
) -> None:
    plan = Plan(77, n_resamples)
    drawn = plan.indices(design, 0, n_resamples)
    wanted = [of_rows(records[..., rows_of(design, units)]) for units in drawn]
    blocks, kept = Plan(77, n_resamples, block_elements=1), Plan(77, n_resamples, kept={})
    plans = [plan, blocks, kept, kept]
    if native.available():
        plans.append(Plan(77, n_resamples, compiled=True))
    for how in plans:
        got = replicates(records[None], design, statistic, how)[0]
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        float(statistic(records[None])[0]), of_rows(records), rtol=1e-10, atol=1e-12
    )


def assert_jackknife_is_that_of_rows(
    records: Array, design: Design, statistic: Statistic, of_rows: OfRows
) -> None:
    every = np.arange(design.units)
    wanted = [of_rows(records[..., rows_of(design, np.delete(every, u))]) for u in every]
    got = leave_one_out(records[None], design, statistic)[0]
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-12)


# --------------------------------------------------------------------------- cells


def decoded(codes: Array, classes: int) -> tuple[Array, Array]:
    whole = codes.astype(int)
    return whole // classes, whole % classes


def of_sklearn(function: Callable[..., Any], codes: Array, **options: Any) -> float:
    truth, said = decoded(codes, 3)
    return float(function(truth, said, **options))


MACRO = {"average": "macro", "labels": [0, 1, 2]}
NAN = np.nan
COSTS = ((0.0, 2.0, 5.0), (1.0, 0.0, 1.0), (9.0, 3.0, 0.0))


def cost_of(codes: Array) -> float:
    truth, said = decoded(codes, 3)
    return float(np.array(COSTS)[truth, said].mean())


CELLS: dict[str, tuple[str, str, AbsentClass, Callable[..., Any], dict[str, Any]]] = {
    "macro F1": ("f1", "macro", "omit", sk.f1_score, {**MACRO, "zero_division": NAN}),
    "macro F1, absent 0": ("f1", "macro", "zero", sk.f1_score, {**MACRO, "zero_division": 0}),
    "weighted F1": (
        "f1", "weighted", "zero", sk.f1_score,
        {**MACRO, "average": "weighted", "zero_division": 0},
    ),
    "balanced accuracy": (
        "sensitivity", "macro", "omit", sk.recall_score, {**MACRO, "zero_division": NAN},
    ),
    "accuracy": ("accuracy", "", "omit", sk.accuracy_score, {}),
    "quadratic kappa": (
        "cohen_kappa", "", "omit", sk.cohen_kappa_score,
        {"weights": "quadratic", "labels": [0, 1, 2]},
    ),
}  # fmt: skip


def statistic_of_cells(name: str, *, weighted: bool = False) -> Statistic:
    metric, average, absent, _, options = CELLS[name]
    parameters = {"weights": 2.0} if "weights" in options else {}
    made = metric_of(metric, **parameters)
    finish = CountingFinish(made, 3, average, absent=absent)
    return (weighted_counting_statistic if weighted else counting_statistic)(made, finish, "omit")


def cells(n: int) -> Array:
    """Cells of three classes, of which one is rare and another is missed often."""
    generator = np.random.default_rng(n)
    truth = generator.choice(3, n, p=[0.6, 0.3, 0.1])
    said = np.where(generator.uniform(size=n) < 0.7, truth, generator.integers(0, 3, n))
    truth[0], said[0] = 2, 1
    return np.asarray(3.0 * truth + said)


@pytest.mark.sampled(3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("n", [12, pytest.param(90, marks=SLOW)])
@pytest.mark.parametrize("name", CELLS)
def test_counts_of_cells_are_those_of_the_rows_drawn(name: str, n: int, kind: str) -> None:
    records, design = design_of(kind, cells(n))
    _, _, _, function, options = CELLS[name]
    of_rows = functools.partial(of_sklearn, function, **options)
    statistic = statistic_of_cells(name)
    assert_replicates_are_those_of_rows(records, design, statistic, of_rows, RESAMPLES)
    assert_jackknife_is_that_of_rows(records, design, statistic, of_rows)


@pytest.mark.parametrize("kind", DESIGNS)
def test_costs_of_counts_are_means_over_the_rows_drawn(kind: str) -> None:
    records, design = design_of(kind, cells(70))
    metric = metric_of("expected_cost")
    statistic = counting_statistic(metric, CountingFinish(metric, 3, costs=COSTS), "omit")
    assert_replicates_are_those_of_rows(records, design, statistic, cost_of, RESAMPLES)
    assert_jackknife_is_that_of_rows(records, design, statistic, cost_of)


@pytest.mark.parametrize("n", [MULTINOMIAL_FROM - 2, MULTINOMIAL_FROM - 1])
def test_samples_below_the_multinomial_take_the_draws_of_all_other_bootstraps(n: int) -> None:
    records, design = design_of("iid", cells(n))
    of_rows = functools.partial(of_sklearn, sk.accuracy_score)
    assert_replicates_are_those_of_rows(
        records, design, statistic_of_cells("accuracy"), of_rows, 10
    )


def of_weighted_rows(function: Callable[..., Any], records: Array, **options: Any) -> float:
    truth, said = decoded(records[0], 3)
    return float(function(truth, said, sample_weight=records[1], **options))


@pytest.mark.sampled(6)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("name", CELLS)
def test_sums_of_weights_are_those_of_the_rows_drawn(name: str, kind: str) -> None:
    # Weights that add up without rounding: 0/0 is 0/0 in any order.
    weights = np.random.default_rng(4).integers(1, 64, 60) / 16
    records, design = design_of(kind, np.stack([cells(60), weights]))
    _, _, _, function, options = CELLS[name]
    of_rows = functools.partial(of_weighted_rows, function, **options)
    statistic = statistic_of_cells(name, weighted=True)
    assert_replicates_are_those_of_rows(records, design, statistic, of_rows, RESAMPLES)
    assert_jackknife_is_that_of_rows(records, design, statistic, of_rows)


# --------------------------------------------------------------------------- areas


def scored_cases(n: int, classes: int, *, weighted: bool) -> Array:
    """Records: scores with many ties of each class, codes, weights."""
    generator = np.random.default_rng([n, classes])
    code = generator.integers(0, classes, n)
    code[:classes] = np.arange(classes)
    hot = code == np.arange(classes)[:, None]
    scores = np.round(generator.normal(size=(classes, n)) + hot, 1)
    weights = [generator.integers(1, 64, n) / 16] if weighted else []
    return np.stack([*scores, code, *weights])


def area_of_rows(
    function: Callable[..., float], average: str, classes: int, records: Array
) -> float:
    scores, code = records[:classes], records[classes]
    weight = records[classes + 1] if len(records) > classes + 1 else None
    hot = code == np.arange(classes)[:, None]
    if average == "binary":
        return function(hot[0], scores[0], weight)
    if average == "micro":
        every = None if weight is None else np.tile(weight, classes)
        return function(hot.ravel(), scores.ravel(), every)
    areas = np.array([function(h, s, weight) for h, s in zip(hot, scores, strict=True)])
    support = (hot * (1 if weight is None else weight)).sum(axis=1)
    counted = ~np.isnan(areas)
    if not counted.any():
        return np.nan
    return float(
        np.average(areas[counted], weights=None if average == "macro" else support[counted])
    )


def auroc_of_rows(positive: Array, score: Array, weight: Array | None) -> float:
    if positive.all() or not positive.any():
        return np.nan
    return float(sk.roc_auc_score(positive, score, sample_weight=weight))


def part_of_rows(positive: Array, score: Array, weight: Array | None) -> float:
    if positive.all() or not positive.any():
        return np.nan
    return float(sk.roc_auc_score(positive, score, sample_weight=weight, max_fpr=0.3))


def steps_of_rows(positive: Array, score: Array, weight: Array | None) -> float:
    if not positive.any():
        return np.nan
    return float(sk.average_precision_score(positive, score, sample_weight=weight))


def lines_of_rows(positive: Array, score: Array, weight: Array | None) -> float:
    if not positive.any():
        return np.nan
    precision, recall, _ = sk.precision_recall_curve(positive, score, sample_weight=weight)
    return float(sk.auc(recall, precision))


AREAS: dict[str, Callable[..., float]] = {
    "auroc": auroc_of_rows,
    "auroc:0.3": part_of_rows,
    "average_precision": steps_of_rows,
    "average_precision_trapezoid": lines_of_rows,
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize(
    "average",
    ["binary", pytest.param("micro", marks=SLOW), "macro", pytest.param("weighted", marks=SLOW)],
)
@pytest.mark.parametrize("name", [pytest.param(n, marks=SLOW) if ":" in n else n for n in AREAS])
def test_areas_of_counts_are_those_of_the_rows_drawn(
    name: str, average: str, kind: str, weighted: bool
) -> None:
    classes = 1 if average == "binary" else 3
    base, _, rate = name.partition(":")
    metric = metric_of(base, max_fpr=float(rate)) if rate else metric_of(base)
    for n in (9, 16):
        records = scored_cases(n, max(classes, 2), weighted=weighted)
        # Of one class: its scores, and code 0 where it is the true one.
        records = np.delete(records, 1, axis=0) if classes == 1 else records
        records, design = design_of(kind, records)
        rank = RankEach(classes, flatten=average == "micro", weighted=weighted)
        statistic = ranking_statistic(metric, rank, AreaFinish(average), "omit")
        of_rows = functools.partial(area_of_rows, AREAS[name], average, classes)
        assert_replicates_are_those_of_rows(records, design, statistic, of_rows, 8)
        assert_jackknife_is_that_of_rows(records, design, statistic, of_rows)


def tuned_of_rows(records: Array) -> float:
    """F1 at the threshold of the largest accuracy, the highest of equally good ones."""
    score, positive = records[0], records[1] == 0
    cuts = np.r_[np.inf, np.unique(score)[::-1]]
    right = [((score >= cut) == positive).sum() for cut in cuts]
    said = score >= cuts[int(np.argmax(right))]
    return float(sk.f1_score(positive, said, zero_division=np.nan))


@pytest.mark.parametrize("kind", DESIGNS)
def test_threshold_is_chosen_anew_on_the_rows_drawn(kind: str) -> None:
    records, design = design_of(kind, np.delete(scored_cases(30, 2, weighted=False), 1, axis=0))
    f1, accuracy = metric_of("f1"), metric_of("accuracy")
    tuned = Tuned(CountingFinish(f1, 2, "binary", 1), CountingFinish(accuracy, 2), 1)
    statistic = tuned_statistic(f1, tuned, "omit")
    assert_replicates_are_those_of_rows(records, design, statistic, tuned_of_rows, 40)
    assert_jackknife_is_that_of_rows(records, design, statistic, tuned_of_rows)


# --------------------------------------------------------------------------- sums


@pytest.mark.parametrize("offset", [0.0, 1e5])
@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize(
    ("name", "function"), [("rmse", sk.root_mean_squared_error), ("r2", sk.r2_score)]
)
def test_errors_of_sums_are_those_of_the_rows_drawn(
    name: str, function: Callable[..., float], kind: str, offset: float
) -> None:
    generator = np.random.default_rng(6)
    target = generator.normal(size=40)
    records, design = design_of(
        kind, offset + np.stack([target, target + 0.5 * generator.normal(size=40)])
    )

    def of_rows(drawn: Array) -> float:
        return float(function(drawn[0] - offset, drawn[1] - offset))

    statistic = sums_statistic(metric_of(name))
    plan = Plan(77, RESAMPLES)
    drawn = plan.indices(design, 0, RESAMPLES)
    wanted = [of_rows(records[..., rows_of(design, units)]) for units in drawn]
    # The targets themselves have 11 digits behind the point where they lie at 1e5.
    got = replicates(records[None], design, statistic, plan)[0]
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-9)
    left = [
        of_rows(np.delete(records, rows_of(design, np.array([u])), axis=-1))
        for u in range(design.units)
    ]
    got = leave_one_out(records[None], design, statistic)[0]
    np.testing.assert_allclose(got, left, rtol=0, atol=1e-9)
