"""Differences of test sets, studentized on each resample, against plain formulas on gathered cases.

DeLong's variance comes from all pairs of a positive and a negative, Obuchowski's from their sums
over clusters, the delta method's from derivatives by differences.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from batches import statistic_of
from numpy.typing import NDArray

import halfwidth as hw
from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.spec import Metric, Statistic
from halfwidth.detection.metrics.building import image_sums_statistic
from halfwidth.metrics.averaging import AreaFinish
from halfwidth.metrics.building import ranking_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import joint_resampling, standard_error
from halfwidth.resampling.forms.joint_resamples import gathered
from halfwidth.resampling.joint.simultaneous import (
    all_pairs,
    mean_differences,
    studentized_differences,
)
from halfwidth.resampling.kernels import reference

Array = NDArray[Any]
DESIGNS = {
    "cases": Design((40,), paired=True),
    "clusters": Design((16,), (1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4), paired=True),
    "equal clusters": Design((10,), (4,) * 10, paired=True),
    "strata": Design((18, 22), paired=True),
    "clusters within strata": Design((6, 8), (2,) * 6 + (3, 3, 3, 3, 4, 4, 4, 4), paired=True),
}
PLAN = Plan(11, 10)
PAIRS = all_pairs(3)


def auroc(*, weighted: bool = False) -> Statistic:
    rank, finish = RankEach(1, weighted=weighted), AreaFinish("binary")
    return ranking_statistic(Metric(hw.SAMPLE_METRICS["auroc"]), rank, finish, "omit")


def score_records(design: Design, *, weighted: bool = False, seed: int = 3) -> list[Array]:
    """Three correlated scores with ties, the third far worse; 0 marks the positives."""
    generator = np.random.default_rng(seed)
    negative = (generator.random(design.n) < 0.6).astype(float)
    base = generator.normal(size=design.n) - 1.2 * negative
    records = []
    for noise in (0.5, 0.6, 2.0):
        score = np.round(base + noise * generator.normal(size=design.n), 1)
        rows = [score, negative]
        if weighted:
            rows.append(np.round(1 + (base > 0) + np.abs(base), 2))
        records.append(np.stack(rows))
    return records


def drawn_cases(design: Design) -> list[tuple[Array, Design]]:
    """The positions of the cases of each resample, and the design of what was drawn."""
    draws, found = PLAN.indices(design, 0, PLAN.n_resamples), []
    for _, positions, own in reference.resamples(design, draws):
        found += [(row, own) for row in positions]
    return found


def variance_by_units(influence: Array, design: Design) -> float:
    """Σₕ G/(G - 1) Σ_g (z_g - z̄)², in loops over units."""
    variance, first_case, first_unit = 0.0, 0, 0
    sizes = design.unit_sizes
    for units in design.strata:
        totals = []
        for unit in range(first_unit, first_unit + units):
            totals.append(float(influence[first_case : first_case + sizes[unit]].sum()))
            first_case += int(sizes[unit])
        first_unit += units
        centre = sum(totals) / units
        variance += units / (units - 1) * sum((one - centre) ** 2 for one in totals)
    return variance


# --------------------------------------------------------------------------- AUROC


def components(records: Array) -> tuple[Array, Array, float]:
    """V₁₀, V₀₁ and the area from every pair of a positive and a negative."""
    score, negative = records[0], records[1] == 1
    positives, negatives = score[~negative], score[negative]
    kernel = (positives[:, None] > negatives) + 0.5 * (positives[:, None] == negatives)
    return kernel.mean(axis=1), kernel.mean(axis=0), float(kernel.mean())


def delong_difference(first: Array, second: Array, design: Design) -> tuple[float, float]:
    (v10, v01, area), (w10, w01, other) = components(first), components(second)
    negative = first[1] == 1
    m, n = int((~negative).sum()), int(negative.sum())
    difference = area - other
    if design.independent:
        variance = np.var(v10 - w10, ddof=1) / m + np.var(v01 - w01, ddof=1) / n
        return difference, float(np.sqrt(variance))
    share = np.empty(design.n)
    share[~negative], share[negative] = (v10 - w10 - difference) / m, (v01 - w01 - difference) / n
    if len(design.strata) > 1:
        return difference, float(np.sqrt(variance_by_units(share, design)))
    # Obuchowski 1997.
    unit = np.repeat(np.arange(design.units), design.unit_sizes)
    sums = [
        np.array([share[(unit == g) & mask].sum() for g in range(design.units)])
        for mask in (~negative, negative)
    ]
    with_one = [len(set(unit[mask].tolist())) for mask in (~negative, negative)]
    variance = sum(i / (i - 1) * (part**2).sum() for i, part in zip(with_one, sums, strict=True))
    units = design.units
    variance += 2 * units / (units - 1) * float((sums[0] * sums[1]).sum())
    return difference, float(np.sqrt(variance))


@pytest.mark.parametrize("name", DESIGNS)
def test_auroc_replicates_are_delongs_on_gathered_resamples(name: str) -> None:
    design, statistic = DESIGNS[name], auroc()
    records = score_records(design)
    got = studentized_differences(records, PAIRS, design, statistic, PLAN)
    for place, (i, j) in enumerate(PAIRS):
        difference, error = delong_difference(records[i], records[j], design)
        assert got.estimates[place] == pytest.approx(difference, abs=1e-13)
        assert got.standard_errors[place] == pytest.approx(error, rel=1e-9)
        for resample, (positions, own) in enumerate(drawn_cases(design)):
            one, its_error = delong_difference(
                records[i][:, positions], records[j][:, positions], own
            )
            assert got.replicates[place, resample] == pytest.approx(
                (one - difference) / its_error, rel=1e-7, abs=1e-9
            )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", DESIGNS)
def test_variances_of_single_areas_are_those_that_intervals_use(name: str, weighted: bool) -> None:
    design, statistic = DESIGNS[name], auroc(weighted=weighted)
    records = score_records(design, weighted=weighted)
    of_counts, _ = joint_resampling(records, design, statistic)
    draws = PLAN.indices(design, 0, PLAN.n_resamples)
    made = of_counts(reference.count_draws(draws, design.units).astype(float))
    for resample, (positions, own) in enumerate(drawn_cases(design)):
        for model, one in enumerate(records):
            gathered = one[None][:, :, positions]
            assert made.values[resample, model] == pytest.approx(float(statistic(gathered)[0]))
            expected = float(standard_error(gathered, own, statistic)[0])
            assert made.covariances[resample, model, model] == pytest.approx(expected**2, rel=1e-9)


def test_a_resample_without_a_class_is_left_out() -> None:
    design = Design((6,), paired=True)
    negative = np.array([0.0, 1, 1, 1, 1, 0])
    generator = np.random.default_rng(2)
    records = [np.stack([generator.normal(size=6), negative]) for _ in range(3)]
    plan = Plan(4, 400)
    got = studentized_differences(records, PAIRS, design, auroc(), plan)
    positives = (negative[plan.indices(design, 0, 400)] == 0).sum(axis=-1)
    undefined = (positives < 2) | (positives > 4)
    assert undefined.any()
    assert (np.isnan(got.replicates).all(axis=0) == undefined).all()


# --------------------------------------------------------------------------- counts


def cells_of_models(design: Design, classes: int) -> list[Array]:
    generator = np.random.default_rng(classes)
    truth = generator.integers(0, classes, design.n)
    records = []
    for wrong in (0.25, 0.3, 0.5):
        guess = generator.integers(0, classes, design.n)
        predicted = np.where(generator.random(design.n) < wrong, guess, truth)
        records.append((truth * classes + predicted).astype(float))
    return records


def slopes_by_differences(finish: Callable[[Array], Array], table: Array) -> Array:
    step = 1e-5
    steps = step * np.eye(len(table))
    return np.asarray((finish(table + steps) - finish(table - steps)) / (2 * step))


def delta_method(
    first: Array, second: Array, statistic: Statistic, design: Design
) -> tuple[float, float]:
    """By derivatives at the table of each model and the influences of the joint cells."""
    form: Any = statistic.spec.form
    influence, values = np.zeros(design.n), []
    for sign, codes in ((1, first.astype(int)), (-1, second.astype(int))):
        table = np.bincount(codes, minlength=form.n_cells).astype(float)
        slopes = slopes_by_differences(form.finish, table)
        influence += sign * (slopes[codes] - (slopes * table).sum() / design.n)
        values.append(float(form.finish(table)))
    if design.independent:  # of multinomial counts
        return values[0] - values[1], float(np.sqrt((influence**2).sum()))
    return values[0] - values[1], float(np.sqrt(variance_by_units(influence, design)))


@pytest.mark.parametrize(
    ("metric", "average", "classes"),
    [
        ("f_score", "macro", 3),
        ("mcc", "", 2),
        ("f_score", "binary", 2),
        ("balanced_accuracy", "", 3),
    ],
)
@pytest.mark.parametrize("name", DESIGNS)
def test_counting_replicates_are_the_delta_methods(
    name: str, metric: str, average: str, classes: int
) -> None:
    design, statistic = DESIGNS[name], statistic_of(metric, average, classes)
    records = cells_of_models(design, classes)
    got = studentized_differences(records, PAIRS, design, statistic, PLAN)
    for place, (i, j) in enumerate(PAIRS):
        difference, error = delta_method(records[i], records[j], statistic, design)
        assert got.standard_errors[place] == pytest.approx(error, rel=1e-6)
        for resample, (positions, own) in enumerate(drawn_cases(design)):
            one, its_error = delta_method(
                records[i][positions], records[j][positions], statistic, own
            )
            assert got.replicates[place, resample] == pytest.approx(
                (one - difference) / its_error, rel=1e-5, abs=1e-7
            )


# --------------------------------------------------------------------------- anything else


@pytest.mark.parametrize("what", ["sd", "trimmed_mean"])
@pytest.mark.parametrize("name", DESIGNS)
def test_other_replicates_rest_on_influences_of_gathered_cases(name: str, what: str) -> None:
    design = DESIGNS[name]
    parameters = {"sd": {"ddof": 1.0}, "trimmed_mean": {"share": 0.25}}[what]
    statistic = Statistic(hw.STATISTICS[what], parameters)
    influence_of: Any = statistic.spec.influence
    generator = np.random.default_rng(6)
    base = generator.normal(size=design.n)
    records = [base + generator.normal(size=design.n) for _ in range(3)]
    got = studentized_differences(records, PAIRS, design, statistic, PLAN)
    for place, (i, j) in enumerate(PAIRS):
        whole = float(statistic(records[i]) - statistic(records[j]))
        for resample, (positions, own) in enumerate(drawn_cases(design)):
            first, second = records[i][positions], records[j][positions]
            influence = influence_of(first, **parameters) - influence_of(second, **parameters)
            error = np.sqrt(variance_by_units(influence / len(positions), own))
            one = float(statistic(first) - statistic(second))
            assert got.replicates[place, resample] == pytest.approx(
                (one - whole) / error, rel=1e-7, abs=1e-9
            )


@pytest.mark.parametrize("name", ["cases", "strata"])
def test_sums_of_whole_numbers_are_those_of_gathered_resamples(name: str) -> None:
    design, generator = DESIGNS[name], np.random.default_rng(8)
    f1 = Metric(hw.DETECTION_METRICS["object_f_beta"], {"beta": 1.0})
    statistic = image_sums_statistic(f1, 2, AreaFinish("macro"), "omit")
    # TP, FN, FP and objects of two classes.
    records = [generator.poisson(0.6, (8, design.n)).astype(float) for _ in range(3)]
    drawn = reference.count_draws(PLAN.indices(design, 0, PLAN.n_resamples), design.units)
    counts = drawn.astype(float)
    resample, _ = joint_resampling(records, design, statistic)
    got, plain = resample(counts), gathered(records, design, statistic, counts)
    assert not isinstance(resample, functools.partial), "they were gathered"
    np.testing.assert_array_equal(got.values, plain.values)
    np.testing.assert_array_equal(got.covariances, plain.covariances)


@pytest.mark.parametrize("name", DESIGNS)
def test_means_agree_both_ways(name: str) -> None:
    design = DESIGNS[name]
    generator = np.random.default_rng(8)
    values = generator.random(design.n) + 0.1 * generator.random((3, design.n))
    fast = mean_differences(values, PAIRS, design, PLAN)
    of_counts, _ = joint_resampling(list(values), design, Statistic(hw.STATISTICS["mean"]))
    draws = PLAN.indices(design, 0, PLAN.n_resamples)
    plain = of_counts(reference.count_draws(draws, design.units).astype(float))
    differences, errors = plain.differences(PAIRS)
    ratios = (differences - fast.estimates[:, None]) / errors
    assert fast.replicates == pytest.approx(ratios, rel=1e-8, abs=1e-10)


def test_ratios_of_means_are_taken_on_the_log_scale() -> None:
    design = DESIGNS["cases"]
    generator = np.random.default_rng(9)
    values = 1 + generator.random(design.n) + 0.2 * generator.random((3, design.n))
    mean = Statistic(hw.STATISTICS["mean"])
    got = studentized_differences(list(values), PAIRS, design, mean, PLAN, "ratio")
    i, j = PAIRS.T
    means = values.mean(axis=-1)
    assert got.estimates == pytest.approx(np.log(means[i] / means[j]))
    relative = values / means[:, None]
    expected = (relative[i] - relative[j]).std(axis=-1, ddof=1) / np.sqrt(design.n)
    assert got.standard_errors == pytest.approx(expected)
    below = studentized_differences(list(values - 2), PAIRS, design, mean, PLAN, "ratio")
    assert np.isnan(below.estimates).all()


def test_models_that_agree_in_every_case_have_no_standard_error() -> None:
    design = DESIGNS["clusters"]
    records = score_records(design)
    records[1] = records[0] * [[2.0], [1.0]]  # the same ranks
    got = studentized_differences(records, PAIRS, design, auroc(), PLAN)
    assert got.usable.tolist() == [False, True, True]
    assert (got.replicates[0] == 0).all()
