"""Dirichlet intervals of two models on the same test set, against draws made in another way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from halfwidth import SAMPLE_METRICS, Bounds
from halfwidth.core.forms import Effect
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array
from halfwidth.estimation.differences import difference_functional, paired_records
from halfwidth.estimation.functionals import Classes, MetricRow, Policies, build_functional
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import resolve_request
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
    off = 5 * np.sqrt(2 * 0.025 * 0.975 / DRAWS)
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


def joint_draws(truth: Any, decisions: Any, *, upper: bool) -> Array:
    """Tables of truth and both decisions, (B, 2, 2, 2), with half a pseudo-pair of either class.

    For the lower end of a difference the first model is wrong of it and the second is right.
    """
    joint = np.zeros((2, 2, 2))
    np.add.at(joint, (truth, *decisions), 1.0)
    for true in (0, 1):
        joint[true, true if upper else 1 - true, 1 - true if upper else true] += 0.5
    return np.asarray(GENERATOR.standard_gamma(joint, (DRAWS, 2, 2, 2)))


@pytest.mark.parametrize(("name", "function"), [("f1", f1), ("mcc", mcc)])
@pytest.mark.parametrize("effect", ["difference", "ratio"])
def test_two_tables_have_half_a_case_of_either_class_that_tells_them_apart(
    name: str, function: Callable[[Array], Array], effect: Effect
) -> None:
    ends = []
    for upper in (False, True):
        drawn = joint_draws(TRUTH, DECISIONS, upper=upper)
        first, second = function(drawn.sum(axis=3)), function(drawn.sum(axis=2))
        ends.append(first - second if effect == "difference" else first / second)
    codes = [2.0 * TRUTH + decisions.astype(float) for decisions in DECISIONS]
    check(interval(pair(functional_of(name), codes, effect)), *ends)


def of_class(label: int) -> list[Array]:
    """Draws of the difference in F1 of a class against the rest, for either end."""
    truth, *guesses = ((one == label).astype(int) for one in (CLASSES, *GUESSES))
    drawn = [joint_draws(truth, guesses, upper=upper) for upper in (False, True)]
    return [f1(one.sum(axis=3)) - f1(one.sum(axis=2)) for one in drawn]


def test_a_class_of_several_is_of_its_tables_against_the_rest() -> None:
    codes = [4.0 * CLASSES + guesses.astype(float) for guesses in GUESSES]
    check(interval(pair(functional_of("f1", 4, "none", 2), codes)), *of_class(2))


def test_of_all_classes_at_once_one_model_is_wrong_where_the_other_is_right() -> None:
    def kappa(table: Array) -> Array:
        share = table / table.sum(axis=(-2, -1), keepdims=True)
        chance = (share.sum(axis=-1) * share.sum(axis=-2)).sum(axis=-1)
        return np.asarray((np.trace(share, axis1=-2, axis2=-1) - chance) / (1 - chance))

    ends = []
    for upper in (False, True):
        joint = np.zeros((4, 4, 4))
        np.add.at(joint, (CLASSES, *GUESSES), 1.0)
        for true, other in ((t, o) for t in range(4) for o in range(4) if o != t):
            joint[(true, true, other) if upper else (true, other, true)] += 0.5 / 12
        drawn = GENERATOR.standard_gamma(joint, (DRAWS, 4, 4, 4))
        ends.append(kappa(drawn.sum(axis=3)) - kappa(drawn.sum(axis=2)))
    codes = [4.0 * CLASSES + guesses.astype(float) for guesses in GUESSES]
    check(interval(pair(functional_of("cohen_kappa", 4, ""), codes)), *ends)


def test_averages_of_classes_add_up_in_quadrature() -> None:
    lower, upper = np.array([of_class(label) for label in range(4)]).swapaxes(0, 1)
    # Classes share the weights of their cases; how much they then correlate is read off such draws.
    weights = GENERATOR.standard_exponential((DRAWS, 80))
    shared = []
    for label in range(4):
        truth, *guesses = [np.where(label == one, 1, 0) for one in (CLASSES, *GUESSES)]
        tables = [
            np.stack([weights @ (2 * truth + guess == cell) for cell in range(4)], axis=-1)
            for guess in guesses
        ]
        one, other = (f1(table.reshape(-1, 2, 2)) for table in tables)
        shared.append(one - other)
    codes = [4.0 * CLASSES + guesses.astype(float) for guesses in GUESSES]
    found = interval(pair(functional_of("f1", 4, "macro"), codes))
    values = [
        f1_of(CLASSES, GUESSES[0], label) - f1_of(CLASSES, GUESSES[1], label) for label in range(4)
    ]
    check_quadrature(found, (lower, upper), np.array(shared), np.array(values))


def f1_of(truth: Any, guess: Any, label: int) -> float:
    both = (truth == label) & (guess == label)
    return float(2 * both.sum() / ((truth == label).sum() + (guess == label).sum()))


def check_quadrature(
    found: Any, differences: tuple[Array, Array], shared: Array, values: Array
) -> None:
    """Whether bounds lie as far from the mean as those of classes do, with their correlations."""
    sides = ((-1, 0.025, found.low), (1, 0.975, found.high))
    for (sign, tail, bound), drawn in zip(sides, differences, strict=True):
        away = sign * (np.quantile(drawn, tail, axis=1) - values)
        expected = np.mean(values) + sign * np.sqrt(away @ np.corrcoef(shared) @ away) / 4
        assert bound == pytest.approx(expected, abs=0.06 * (found.high - found.low))


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


def share_apart(first: Array, second: Array, truth: Array) -> float:
    """How often two normal variates that correlate like the ranks lie on different sides."""
    ranks = [
        np.concatenate(
            [
                (stats.rankdata(score[truth == c]) - ((truth == c).sum() + 1) / 2)
                / (truth == c).sum()
                for c in (0, 1)
            ]
        )
        for score in (first, second)
    ]
    r = ranks[0] @ ranks[1] / np.sqrt((ranks[0] @ ranks[0]) * (ranks[1] @ ranks[1]))
    return float(np.arccos(r) / np.pi)


def corners(apart: float, *, upper: bool) -> tuple[Array, Array]:
    """Weights at the ends as the first and as the second has them, (B, 4) each.

    For the lower end a quarter of a positive case lies below all scores of the first, and a quarter
    of a negative one above them. As often as cases are told apart they lie at the other end of the
    second; else at the worse end of both, or at the better one.
    """
    masses = 0.25 * np.array([2 * apart, 0.5 - apart, 0.5 - apart])[:, None]
    split, bad, good = GENERATOR.standard_gamma(np.maximum(masses, 1e-12)[..., None], (3, 2, DRAWS))
    worse, better = split + bad, good
    other_worse, other_better = bad, split + good

    def at_ends(low: Array, high: Array) -> Array:
        return np.column_stack([high[0], low[1], low[0], high[1]])

    first, second = at_ends(worse, better), at_ends(other_worse, other_better)
    return (second, first) if upper else (first, second)


def two_areas(
    scores: Sequence[Array], truth: Array, effect: Effect, *, upper: bool, apart: float = 0.5
) -> Array:
    weights = GENERATOR.standard_exponential((DRAWS, len(truth)))
    first, second = (
        concordances(score, truth, weights, ends)
        for score, ends in zip(scores, corners(apart, upper=upper), strict=True)
    )
    return np.asarray(first - second if effect == "difference" else first / second)


def discordance(first: Array, second: Array) -> float:
    """Rounded up to a 32nd, as pairs of one discordance share their draws."""
    return float(np.ceil(32 * 2 / 3 * share_apart(first, second, TRUTH)) / 32)


@pytest.mark.parametrize("effect", ["difference", "ratio"])
def test_two_rankings_have_a_pseudo_pair_of_either_class_as_often_as_they_differ(
    effect: Effect,
) -> None:
    models = [np.stack([score, 1.0 - TRUTH]) for score in SCORES]
    found, apart = interval(pair(functional_of("auroc"), models, effect)), discordance(*SCORES)
    assert 1 / 32 < apart < 0.5
    check(
        found,
        *(two_areas(SCORES, TRUTH, effect, upper=upper, apart=apart) for upper in (False, True)),
    )


def test_discordance_is_that_of_the_ranks() -> None:
    functional, share = functional_of("auroc"), discordance(*SCORES)
    values = np.stack([np.stack([score, 1.0 - TRUTH]) for score in SCORES])
    dirichlet, places = engine_for(functional.statistic).dirichlet, np.array([[0, 1], [1, 0]])
    assert dirichlet is not None
    assert dirichlet.discordance is not None
    assert dirichlet.discordance(values, places, functional.statistic).tolist() == [share, share]


def test_macro_averages_of_areas_add_up_in_quadrature() -> None:
    found = interval(
        pair(
            functional_of("auroc", 4, "macro"),
            [np.vstack([scores, CLASSES]) for scores in PROBABILITIES],
        )
    )
    ends: tuple[list[Array], list[Array]] = ([], [])
    shared: list[Array] = []
    values: list[Array] = []
    weights = GENERATOR.standard_exponential((DRAWS, 80))
    nothing = np.zeros((DRAWS, 4))
    for label in range(4):
        truth = np.where(label == CLASSES, 1, 0)
        own = [scores[label] for scores in PROBABILITIES]
        for upper, into in zip((False, True), ends, strict=True):
            into.append(two_areas(own, truth, "difference", upper=upper))
        for among, none, each in (
            (shared, nothing, weights),
            (values, nothing[:1], np.ones((1, 80))),
        ):
            one, other = (concordances(score, truth, each, none) for score in own)
            among.append(one - other)
    drawn = np.array(ends[0]), np.array(ends[1])
    check_quadrature(found, drawn, np.array(shared), np.concatenate(values))


# --------------------------------------------------------------------------- margins


@pytest.mark.parametrize(
    ("name", "average", "n_classes", "outward"),
    [
        ("f1", "binary", 2, False),
        ("f1", "binary", 2, True),
        ("auroc", "binary", 2, False),
        ("auroc", "binary", 2, True),
        # Alone these have pseudo-cases at one end at a time, whatever the method.
        ("ap", "binary", 2, True),
        ("mcc", "", 4, True),
    ],
)
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
    bounds, half = Bounds(0, 1), (0.5, 0.5)
    own_of_end = PseudoCases.outward(0.5, bounds)
    pseudo_cases = own_of_end if outward else PseudoCases(bounds, half, half)
    plan = Plan(3, DRAWS)
    inner = engine_for(functional.statistic).dirichlet
    assert inner is not None
    assert inner.in_pairs is not None
    ends = inner.in_pairs(values, design, functional.statistic, plan, pseudo_cases, 0.5)
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
    assert -found.low < 0.04 > found.high


def test_a_perfect_model_against_a_perfect_one() -> None:
    # What either might have missed in so many cases: about the chance of one error in them.
    codes = [3.0 * TRUTH, 3.0 * TRUTH]
    found = interval(pair(functional_of("f1"), codes))
    alone = 1 - stats.beta(TRUTH.sum() + 0.5, 0.5).ppf(0.025)
    assert 0.3 * alone < found.high < 3 * alone
