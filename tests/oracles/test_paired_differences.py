"""Differences and ratios of two models on the same cases, against evaluations by their meaning."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.core.forms import Effect
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array
from halfwidth.estimation.differences import difference_functional, paired_records
from halfwidth.estimation.functionals import Classes, MetricRow, Policies, build_functional
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import resolve_request, resolve_statistic
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling import engine
from halfwidth.resampling.designs import Codes, Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.ranked_errors import class_degrees
from halfwidth.resampling.kernels import reference

N = 40
GENERATOR = np.random.default_rng(21)
TRUTH = (np.arange(N) % 5 < 2).astype(int)
HARD = GENERATOR.normal(size=N)
# Scores of two models, with ties, that find the same cases hard.
SCORES = [
    np.round(skill * TRUTH + HARD + 0.5 * GENERATOR.normal(size=N), 1) for skill in (1.4, 1.0)
]
VALUES = [np.round(GENERATOR.beta(8, 2, N), 2) for _ in range(3)]
PATIENT = GENERATOR.integers(0, 12, N)
SITE = PATIENT % 2


def of_test_set(name: str) -> Functional:
    metric = Metric(hw.SAMPLE_METRICS[name])
    row = MetricRow(metric, "binary", 1)
    return build_functional(row, metric, Classes((0, 1), 1), Policies("omit", "omit"))


def of_values(name: str) -> Functional:
    return Functional(resolve_statistic(name), resolve_metric("dsc"))


def rows_of(functional: Functional, side: int) -> Array:
    """What the functional takes of a model."""
    name = functional.statistic.spec.name
    if name in hw.STATISTICS:
        return VALUES[side]
    if name == "f1":
        return 2.0 * TRUTH + (SCORES[side] > 0.5)
    return np.stack([SCORES[side], 1.0 - TRUTH])


def records_of(
    rows: Array, groups: Codes | None = None, strata: Codes | None = None
) -> tuple[Records, Design]:
    arranged, design = arrange(rows, groups, strata, identities=np.arange(N))
    return Records(arranged, design, N), design


def pair_of(
    functional: Functional,
    effect: Effect = "difference",
    groups: Codes | None = None,
    strata: Codes | None = None,
) -> tuple[Functional, Records]:
    of_pairs = difference_functional(functional, effect)
    first, second = (records_of(rows_of(functional, side), groups, strata)[0] for side in (0, 1))
    return of_pairs, paired_records(first, second, of_pairs)


def request(method: str = "auto", **options: Any) -> Any:
    given = {
        "confidence_level": 0.95,
        "alternative": "two-sided",
        "n_resamples": 499,
        "rng": 3,
        "missing": "raise",
        "penalty": None,
    }
    return resolve_request(method=method, **{**given, **options})


FUNCTIONALS = [
    *(of_values(name) for name in ("mean", "median", "trimmed_mean", "sd")),
    *(of_test_set(name) for name in ("f1", "auroc", "ap")),
]
DESIGNS = {
    "iid": (None, None),
    "clusters": (PATIENT, None),
    "strata": (None, SITE),
    "both": (PATIENT, SITE),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("effect", ["difference", "ratio"])
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("functional", FUNCTIONALS, ids=lambda f: f.statistic.spec.name)
def test_replicates_are_those_of_the_two_models_on_the_same_draws(
    functional: Functional, design: str, effect: Effect
) -> None:
    groups, strata = DESIGNS[design]
    of_pairs, pair = pair_of(functional, effect, groups, strata)
    plan = Plan(4, 60)
    drawn = engine.replicates(pair.arranged[None], pair.design, of_pairs.statistic, plan)[0]
    left_out = engine.leave_one_out(pair.arranged[None], pair.design, of_pairs.statistic)[0]
    # The difference of means has its differences in an order of its own.
    one_row = pair.arranged.ndim == 1
    sides = [pair.arranged, np.zeros(N)] if one_row else list(pair.arranged)
    draws = plan.indices(pair.design, 0, 60)
    first, second = (
        reference.plain(side[None], pair.design, functional.statistic, draws)[0] for side in sides
    )
    expected = first - second if effect == "difference" else first / second
    assert drawn == pytest.approx(expected, rel=1e-10, abs=1e-12, nan_ok=True)
    for unit in range(pair.design.units):
        kept = pair.design.unit_of_case != unit
        one, other = (functional.statistic(side[None, ..., kept])[0] for side in sides)
        value = one - other if effect == "difference" else one / other
        assert left_out[unit] == pytest.approx(value, rel=1e-10, abs=1e-12)


def test_models_of_many_pairs_are_resampled_once_each() -> None:
    functional = of_values("median")
    of_pairs = difference_functional(functional)
    models = [records_of(values)[0] for values in VALUES]
    pairs = [
        paired_records(models[i], models[j], of_pairs)
        for i, j in itertools.permutations(range(3), 2)
    ]
    together = estimate_jobs([Job(of_pairs, pair) for pair in pairs], request("percentile"))
    alone = [estimate_jobs([Job(of_pairs, pair)], request("percentile"))[0] for pair in pairs]
    assert [(e.low, e.high) for e in together] == [(e.low, e.high) for e in alone]
    # The opposite difference has the opposite interval.
    assert (together[0].low, together[0].high) == pytest.approx(
        (-together[2].high, -together[2].low)
    )


# --------------------------------------------------------------------------- DeLong


def components(score: Array) -> tuple[Array, Array]:
    """Structural components of positive and of negative cases, from all their pairs."""
    above = score[TRUTH == 1][:, None] - score[TRUTH == 0]
    psi = (above > 0) + 0.5 * (above == 0)
    return psi.mean(axis=1), psi.mean(axis=0)


def test_delongs_covariance_is_that_of_the_components() -> None:
    (v10, v01), (w10, w01) = (components(score) for score in SCORES)
    covariance = np.cov(v10, w10) / len(v10) + np.cov(v01, w01) / len(v01)
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    of_pairs, pair = pair_of(of_test_set("auroc"))
    e = estimate_jobs([Job(of_pairs, pair)], request("delong"))[0]
    assert e.value == pytest.approx(v10.mean() - w10.mean(), abs=1e-14)
    assert e.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)
    assert (e.low, e.high) == pytest.approx(
        e.value + np.array([-1, 1]) * 1.959963984540054 * np.sqrt(variance), rel=1e-9
    )
    # Satterthwaite's degrees of freedom, of the variances that each class adds.
    parts = [np.var(v - w, ddof=1) / len(v) for v, w in ((v10, w10), (v01, w01))]
    degrees = sum(parts) ** 2 / sum(
        part**2 / (len(v) - 1) for part, v in zip(parts, (v10, v01), strict=True)
    )
    found = class_degrees(pair.arranged[None], pair.design, of_pairs.statistic)
    assert found == pytest.approx([degrees], rel=1e-12)


def test_with_clusters_components_are_summed_over_each() -> None:
    # Obuchowski (1997), written out cluster by cluster.
    areas, sums = [], []
    for score in SCORES:
        v10, v01 = components(score)
        areas.append(v10.mean())
        tens, ones = np.zeros(12), np.zeros(12)
        np.add.at(tens, PATIENT[TRUTH == 1], v10 - v10.mean())
        np.add.at(ones, PATIENT[TRUTH == 0], v01 - v10.mean())
        sums.append((tens, ones))
    m, n = int(TRUTH.sum()), int((1 - TRUTH).sum())
    with_positive = len(set(PATIENT[TRUTH == 1]))
    with_negative = len(set(PATIENT[TRUTH == 0]))
    clusters = len(set(PATIENT))

    def covariance(i: int, j: int) -> float:
        s10 = with_positive / ((with_positive - 1) * m) * (sums[i][0] @ sums[j][0])
        s01 = with_negative / ((with_negative - 1) * n) * (sums[i][1] @ sums[j][1])
        s11 = [clusters / (clusters - 1) * (sums[a][0] @ sums[b][1]) for a, b in ((i, j), (j, i))]
        return float(s10 / m + s01 / n + sum(s11) / (m * n))

    variance = covariance(0, 0) + covariance(1, 1) - 2 * covariance(0, 1)
    of_pairs, pair = pair_of(of_test_set("auroc"), groups=PATIENT)
    found = engine.standard_error(pair.arranged[None], pair.design, of_pairs.statistic)
    assert found == pytest.approx([np.sqrt(variance)], rel=1e-12)


# --------------------------------------------------------------------------- standard errors


@pytest.mark.parametrize("effect", ["difference", "ratio"])
@pytest.mark.parametrize("functional", [of_test_set("f1"), of_test_set("auroc")], ids=["f1", "auc"])
def test_the_standard_error_is_that_of_perturbed_weights(
    functional: Functional, effect: Effect
) -> None:
    # The infinitesimal jackknife by the delete-one jackknife of many copies of the clusters, where
    # both agree: the influence of a cluster is what a small change of its weight changes.
    of_pairs, pair = pair_of(functional, effect, groups=PATIENT)
    copies = 60
    many = np.tile(pair.arranged, copies)
    units = pair.design.units
    sizes = tuple(pair.design.unit_sizes.tolist()) * copies
    design = Design((units * copies,), sizes, paired=True)
    left_out = engine.leave_one_out(many[None], design, of_pairs.statistic)[0][:units]
    value = of_pairs.statistic(pair.arranged[None])[0]
    influence = (value - left_out) * copies
    variance = units / (units - 1) * (influence**2).sum()
    found = engine.standard_error(pair.arranged[None], pair.design, of_pairs.statistic)[0]
    assert found == pytest.approx(np.sqrt(variance), rel=0.04)


def test_a_ratio_of_nothing_is_undefined() -> None:
    of_pairs = difference_functional(of_values("mean"), "ratio")
    first, _ = records_of(VALUES[0])
    nothing, _ = records_of(np.zeros(N))
    e = estimate_jobs(
        [Job(of_pairs, paired_records(first, nothing, of_pairs))], request("percentile")
    )[0]
    assert np.isnan(e.value)
    assert np.isnan(e.low)
    assert ["one is not" in caution.message for caution in e.cautions] == [True]


def test_ratios_have_the_interval_of_their_logarithms() -> None:
    of_pairs, pair = pair_of(of_values("mean"), "ratio")
    e = estimate_jobs([Job(of_pairs, pair)], request("delta"))[0]
    means = [v.mean() for v in VALUES[:2]]
    relative = VALUES[0] / means[0] - VALUES[1] / means[1]
    reach = 1.959963984540054 * relative.std(ddof=1) / np.sqrt(N)
    ratio = means[0] / means[1]
    assert e.value == pytest.approx(ratio, rel=1e-13)
    assert (e.low, e.high) == pytest.approx(
        (ratio * np.exp(-reach), ratio * np.exp(reach)), rel=1e-9
    )
    assert e.sentence().startswith("Ratio of mean DSC ")
    swapped = paired_records(records_of(VALUES[1])[0], records_of(VALUES[0])[0], of_pairs)
    opposite = estimate_jobs([Job(of_pairs, swapped)], request("delta"))[0]
    assert (opposite.low, opposite.high) == pytest.approx((1 / e.high, 1 / e.low), rel=1e-12)


def test_difference_ci_is_this_road() -> None:
    of_pairs, pair = pair_of(of_values("trimmed_mean"), groups=PATIENT)
    e = estimate_jobs([Job(of_pairs, pair)], request("delta"))[0]
    same = hw.difference_ci(
        VALUES[0],
        VALUES[1],
        metric="dsc",
        statistic="trimmed_mean",
        method="delta",
        groups=PATIENT,
    )
    assert (same.value, same.low, same.high) == pytest.approx((e.value, e.low, e.high), rel=1e-12)


def test_auto_takes_dirichlet_for_two_aurocs_unless_many_are_ranked_wrongly() -> None:
    generator = np.random.default_rng(3)
    of_pairs, chosen = difference_functional(of_test_set("auroc")), {}
    for n in (40, 400):
        truth = np.arange(n) % 2
        hard = generator.normal(size=n)
        models = []
        for skill in (1.0, 0.8):
            score = skill * truth + hard + 0.3 * generator.normal(size=n)
            arranged, design = arrange(np.stack([score, 1.0 - truth]), identities=np.arange(n))
            models.append(Records(arranged, design, n))
        pair = paired_records(models[0], models[1], of_pairs)
        chosen[n] = estimate_jobs([Job(of_pairs, pair)], request())[0]
    assert (chosen[40].method, chosen[400].method) == ("dirichlet", "delong_t")
    e = chosen[400]
    assert e.low < e.value < e.high
    assert e.high - e.value == pytest.approx(1.966 * e.standard_error, rel=2e-3)


def test_delong_with_t_has_the_quantile_of_its_degrees_of_freedom() -> None:
    of_pairs, pair = pair_of(of_test_set("auroc"))
    e = estimate_jobs([Job(of_pairs, pair)], request("delong_t"))[0]
    (degrees,) = class_degrees(pair.arranged[None], pair.design, of_pairs.statistic)
    reach = stats.t.ppf(0.975, degrees) * e.standard_error
    assert (e.low, e.high) == pytest.approx((e.value - reach, e.value + reach), rel=1e-9)
