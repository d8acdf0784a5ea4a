"""Dirichlet intervals of two models on the same test set, against draws made in another way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from halfwidth.core.forms import Effect
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array, Bounds
from halfwidth.estimation.differences import difference_functional, paired_records
from halfwidth.estimation.functionals import Classes, MetricRow, Policies, build_functional
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import resolve_request
from halfwidth.metrics.catalogue import SAMPLE_METRICS
from halfwidth.resampling.designs import arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import weighted_distributions
from halfwidth.resampling.forms.engines import engine_for

N, DRAWS = 50, 4000
GENERATOR = np.random.default_rng(8)
TRUTH = (GENERATOR.random(N) < 0.3).astype(int)
HARD = GENERATOR.normal(size=N)
SCORES = [
    np.round(skill * TRUTH + HARD + 0.6 * GENERATOR.normal(size=N), 1) for skill in (1.8, 1.2)
]
DECISIONS = [(score > 0.8).astype(int) for score in SCORES]
CLASSES = GENERATOR.integers(0, 4, 80)
GUESSES = [
    np.where(GENERATOR.random(80) < wrong, GENERATOR.integers(0, 4, 80), CLASSES)
    for wrong in (0.2, 0.35)
]
PROBABILITIES = [
    np.exp(GENERATOR.normal(size=(4, 80)) + skill * np.eye(4)[CLASSES].T) for skill in (2.0, 1.5)
]


def functional_of(
    name: str, n_classes: int = 2, average: str = "binary", which: int = 1
) -> Functional:
    metric = Metric(SAMPLE_METRICS[name])
    classes = Classes(tuple(range(n_classes)), 1 if n_classes == 2 else None)
    row = MetricRow(metric, average, which)
    return build_functional(row, metric, classes, Policies("omit", "omit"))


def pair(functional: Functional, models: Sequence[Array], effect: Effect = "difference") -> Job:
    of_pairs = difference_functional(functional, effect)
    records = []
    for rows in models:
        arranged, design = arrange(rows, identities=np.arange(rows.shape[-1]))
        records.append(Records(arranged, design, rows.shape[-1]))
    return Job(of_pairs, paired_records(records[0], records[1], of_pairs))


def interval(job: Job, method: str = "dirichlet") -> Any:
    request = resolve_request(
        method=method,
        confidence_level=0.95,
        alternative="two-sided",
        n_resamples=DRAWS,
        rng=11,
        missing="raise",
        penalty=None,
    )
    return estimate_jobs([job], request)[0]


def check(estimate: Any, low: Array, high: Array | None = None) -> None:
    """Whether bounds are quantiles of draws, up to four standard errors of such quantiles."""
    off = 4 * np.sqrt(2 * 0.025 * 0.975 / DRAWS)
    for bound, tail, draws in (
        (estimate.low, 0.025, low),
        (estimate.high, 0.975, low if high is None else high),
    ):
        least, most = np.quantile(draws, np.clip([tail - off, tail + off], 0, 1))
        assert least - 1e-9 <= bound <= most + 1e-9


# --------------------------------------------------------------------------- counts


def f1(table: Array) -> Array:
    """From tables of truth and decision, (..., 2, 2)."""
    return np.asarray(
        2 * table[..., 1, 1] / (2 * table[..., 1, 1] + table[..., 0, 1] + table[..., 1, 0])
    )


def mcc(table: Array) -> Array:
    (tn, fp), (fn, tp) = np.moveaxis(table, (-2, -1), (0, 1))
    return np.asarray((tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


@pytest.mark.parametrize(("name", "function"), [("f1", f1), ("mcc", mcc)])
@pytest.mark.parametrize("effect", ["difference", "ratio"])
def test_two_tables_have_a_quarter_of_a_case_in_each_joint_cell(
    name: str, function: Callable[[Array], Array], effect: Effect
) -> None:
    joint = np.zeros((2, 2, 2))
    np.add.at(joint, (TRUTH, *DECISIONS), 1.0)
    drawn = GENERATOR.standard_gamma(joint + 0.25, (DRAWS, 2, 2, 2))
    first, second = function(drawn.sum(axis=3)), function(drawn.sum(axis=2))
    codes = [2.0 * TRUTH + decisions.astype(float) for decisions in DECISIONS]
    found = interval(pair(functional_of(name), codes, effect))
    check(found, first - second if effect == "difference" else first / second)


def test_a_class_of_several_is_of_its_tables_against_the_rest() -> None:
    joint = np.zeros((2, 2, 2))
    np.add.at(joint, tuple((one == 2).astype(int) for one in (CLASSES, *GUESSES)), 1.0)
    drawn = GENERATOR.standard_gamma(joint + 0.25, (DRAWS, 2, 2, 2))
    codes = [4.0 * CLASSES + guesses.astype(float) for guesses in GUESSES]
    found = interval(pair(functional_of("f1", 4, "none", 2), codes))
    check(found, f1(drawn.sum(axis=3)) - f1(drawn.sum(axis=2)))


def test_of_all_classes_at_once_one_model_is_wrong_where_the_other_is_right() -> None:
    def kappa(table: Array) -> Array:
        share = table / table.sum(axis=(-2, -1), keepdims=True)
        chance = (share.sum(axis=-1) * share.sum(axis=-2)).sum(axis=-1)
        return np.asarray((np.trace(share, axis1=-2, axis2=-1) - chance) / (1 - chance))

    joint, draws = np.zeros((4, 4, 4)), []
    np.add.at(joint, (CLASSES, *GUESSES), 1.0)
    for wrong in (0, 1):
        added = np.zeros((4, 4, 4))
        for true, other in ((t, o) for t in range(4) for o in range(4) if o != t):
            added[(true, other, true) if wrong == 0 else (true, true, other)] = 0.5 / 12
        drawn = GENERATOR.standard_gamma(joint + added, (DRAWS, 4, 4, 4))
        draws.append(kappa(drawn.sum(axis=3)) - kappa(drawn.sum(axis=2)))
    codes = [4.0 * CLASSES + guesses.astype(float) for guesses in GUESSES]
    check(interval(pair(functional_of("cohen_kappa", 4, ""), codes)), *draws)


# --------------------------------------------------------------------------- areas


def concordances(score: Array, truth: Array, weights: Array, ends: Array) -> Array:
    """AUROC under weights (B, n) of cases and (B, 4) of pseudo-cases, from all pairs.

    Pseudo-cases are a positive and a negative above all scores, then below all.
    """
    inside = np.concatenate([score, [1e9, 1e9, -1e9, -1e9]])
    positive = np.concatenate([truth == 1, [True, False, True, False]])
    every = np.concatenate([weights, ends], axis=-1)
    above = inside[positive][:, None] - inside[~positive]
    order = (above > 0) + 0.5 * (above == 0)
    p, q = every[:, positive], every[:, ~positive]
    return np.asarray(np.einsum("bi,ij,bj->b", p, order, q) / (p.sum(axis=-1) * q.sum(axis=-1)))


@pytest.mark.parametrize("effect", ["difference", "ratio"])
def test_two_rankings_have_an_eighth_of_a_case_of_either_class_at_each_corner(
    effect: Effect,
) -> None:
    weights = GENERATOR.standard_exponential((DRAWS, N))
    # Class, above or below all scores of the first, and of the second.
    corners = GENERATOR.standard_gamma(0.125, (DRAWS, 2, 2, 2))
    first, second = (
        concordances(score, TRUTH, weights, np.moveaxis(of_model, 1, -1).reshape(DRAWS, 4))
        for score, of_model in zip(SCORES, (corners.sum(axis=3), corners.sum(axis=2)), strict=True)
    )
    models = [np.stack([score, 1.0 - TRUTH]) for score in SCORES]
    found = interval(pair(functional_of("auroc"), models, effect))
    check(found, first - second if effect == "difference" else first / second)


def test_macro_averages_of_classes_add_up_in_quadrature() -> None:
    functional = functional_of("auroc", 4, "macro")
    models = [np.vstack([scores, CLASSES]) for scores in PROBABILITIES]
    found = interval(pair(functional, models))
    differences, values = [], []
    for end in (0, 1):
        # One end at a time: the first has its bad cases where the second has its good ones.
        of_classes = []
        weights = GENERATOR.standard_exponential((DRAWS, 80))
        for label in range(4):
            corners = GENERATOR.standard_gamma(0.25, (DRAWS, 2))
            bad = np.zeros((DRAWS, 4))
            bad[:, [2, 1]] = corners
            good = np.zeros((DRAWS, 4))
            good[:, [0, 3]] = corners
            truth = np.where(label == CLASSES, 1, 0)
            roles = (bad, good) if end == 0 else (good, bad)
            areas = [
                concordances(scores[label], truth, weights, ends)
                for scores, ends in zip(PROBABILITIES, roles, strict=True)
            ]
            of_classes.append(areas[0] - areas[1])
            if end == 0:
                plain = np.ones((1, 80)), np.zeros((1, 4))
                values.append(
                    np.subtract(*(concordances(s[label], truth, *plain)[0] for s in PROBABILITIES))
                )
        differences.append(np.array(of_classes))
    for end, (sign, bound) in enumerate(((-1, found.low), (1, found.high))):
        away = sign * (np.quantile(differences[end], (0.025, 0.975)[end], axis=1) - values)
        correlation = np.corrcoef(differences[end])
        expected = np.mean(values) + sign * np.sqrt(away @ correlation @ away) / 4
        assert bound == pytest.approx(expected, abs=0.06 * (found.high - found.low))


# --------------------------------------------------------------------------- margins


@pytest.mark.parametrize(
    ("name", "average", "n_classes"),
    [("f1", "binary", 2), ("auroc", "binary", 2), ("ap", "binary", 2), ("mcc", "", 4)],
)
@pytest.mark.parametrize("outward", [False, True])
def test_each_model_by_itself_has_its_own_distribution(
    name: str, average: str, n_classes: int, outward: bool
) -> None:
    functional = functional_of(name, n_classes, average)
    if name in ("auroc", "ap"):
        models = [np.stack([score, 1.0 - TRUTH]) for score in SCORES]
    elif n_classes == 2:
        models = [2.0 * TRUTH + decisions.astype(float) for decisions in DECISIONS]
    else:
        models = [4.0 * CLASSES + guesses.astype(float) for guesses in GUESSES]
    values = np.stack(models)
    _, design = arrange(values[0], identities=np.arange(values.shape[-1]))
    pseudo_cases = (PseudoCases.outward if outward else PseudoCases.at_both)(0.5, Bounds(0, 1))
    plan = Plan(3, DRAWS)
    inner = engine_for(functional.statistic)
    assert inner.weighted_pairs is not None
    ends = inner.weighted_pairs(values, design, functional.statistic, plan, pseudo_cases)
    own = weighted_distributions(values, design, functional.statistic, plan, pseudo_cases)
    probabilities = np.linspace(0.05, 0.95, 10)
    for model in (0, 1):
        # The lower end of a difference is that of the first and the upper one of the second.
        for replicates, of_model in (
            (ends[0].first, own[0]),
            (ends[0].second, own[1]),
            (ends[1].first, own[1]),
            (ends[1].second, own[0]),
        ):
            for p in probabilities:
                quantile = of_model.quantile(p)[model]
                share = (replicates[model, 0] <= quantile + 1e-12).mean()
                assert abs(share - p) < 5 * np.sqrt(2 * p * (1 - p) / DRAWS) + 0.002


def test_a_model_against_itself_differs_by_nothing_on_average() -> None:
    models = [np.stack([SCORES[0], 1.0 - TRUTH])] * 2
    found = interval(pair(functional_of("auroc"), models))
    assert found.low < found.value == 0 < found.high
    assert found.low == pytest.approx(-found.high, rel=0.2)


def test_a_perfect_model_against_a_perfect_one() -> None:
    # What either might have missed in so many cases: about the chance of one error in them.
    codes = [3.0 * TRUTH, 3.0 * TRUTH]
    found = interval(pair(functional_of("f1"), codes))
    alone = 1 - stats.beta(TRUTH.sum() + 0.5, 0.5).ppf(0.025)
    assert 0.3 * alone < found.high < 3 * alone
