"""Coverage of metrics of a whole test set, in simulations with fixed seeds.

Where theory gives no exact coverage, that of a long run stands next to the test: 20 000 samples
with other seeds, known to within half a point. A test repeats it with fewer samples and allows
the binomial quantiles of that share, half a point lower or higher. (Samples that share their draws
do so in batches of 50, whose shares of hits vary no more than binomial ones.) With an SE that is
too small or too large by √2 the tests of closed forms fail, which they show. 60 shares are checked,
each with a false-alarm probability of 1e-6, and all else that is random is further from failing:
1e-4 in all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from halfwidth import METHODS, SAMPLE_METRICS
from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import Array, Interval, Level
from halfwidth.core.undefined import AbsentClass
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.compute import intervals
from halfwidth.metrics import building
from halfwidth.metrics.averaging import AreaFinish, CountingFinish
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan

Covered = NDArray[np.bool_]
Draw = Callable[[np.random.Generator, int], tuple[Array, Design | None]]

FALSE_ALARM = 1e-6
# What the long runs, and draws shared by the samples of a batch, leave open.
SLACK = 0.005
# Samples that share their draws.
BATCH = 50
RESAMPLES = 999
BOOTSTRAPS = ("percentile", "bca", "basic")

AUROC, PRECISION = Metric(SAMPLE_METRICS["auroc"]), Metric(SAMPLE_METRICS["average_precision"])
OF_AUROC = building.ranking_statistic(AUROC, RankEach(1), AreaFinish("binary"), "omit")
OF_PRECISION = building.ranking_statistic(PRECISION, RankEach(1), AreaFinish("binary"), "omit")


def made_by(
    statistic: Statistic,
    draw: Draw,
    methods: Sequence[str],
    samples: int,
    seed: int,
    *,
    binary: bool = False,
) -> dict[str, Interval]:
    """Intervals by each method for samples in batches, each with draws of its own."""
    parts: dict[str, list[Interval]] = {name: [] for name in methods}
    for batch in range(samples // BATCH):
        values, design = draw(np.random.default_rng([seed, batch]), BATCH)
        made = intervals(
            values,
            statistic,
            [METHODS[name] for name in methods],
            Level(),
            plan=Plan(1_000_000 * seed + batch, RESAMPLES, compiled=False),
            design=design,
            binary=binary,
        )
        for name, one in zip(methods, made, strict=True):
            parts[name].append(one.interval)
    return {name: joined(of_name) for name, of_name in parts.items()}


def joined(parts: Sequence[Interval]) -> Interval:
    return Interval.of(
        np.concatenate([part.low for part in parts]), np.concatenate([part.high for part in parts])
    )


def covers(made: Interval, truth: float) -> Covered:
    """Whether each interval holds the truth; no interval does not."""
    return np.asarray((made.low <= truth + 1e-12) & (truth - 1e-12 <= made.high))


def share_allowed(share: float, trials: int) -> tuple[float, float]:
    """Shares outside which a binomial falls with the false-alarm probability, and the slack."""
    low = float(stats.binom.ppf(FALSE_ALARM / 2, trials, share - SLACK)) / trials
    return low, float(stats.binom.isf(FALSE_ALARM / 2, trials, min(share + SLACK, 1.0))) / trials


def assert_covers(made: Interval, truth: float, share: float) -> None:
    low, high = share_allowed(share, len(made.low))
    assert low <= covers(made, truth).mean() <= high


def assert_more_often(these: Covered, those: Covered) -> None:
    """The first happens more often, on the same samples: sign test, false alarm 1e-6."""
    only_first, only_second = int((these & ~those).sum()), int((those & ~these).sum())
    assert (
        stats.binomtest(only_first, only_first + only_second, alternative="greater").pvalue
        < FALSE_ALARM
    )


def stretched(made: Interval, factor: float) -> Interval:
    """Intervals of the form θ̂ ± z·SE as an SE wrong by a factor would make them."""
    middle, reach = (made.low + made.high) / 2, (made.high - made.low) / 2
    return Interval.of(middle - factor * reach, middle + factor * reach)


def assert_wrong_error_is_noticed(made: Interval, truth: float, share: float) -> None:
    low, high = share_allowed(share, len(made.low))
    assert covers(stretched(made, np.sqrt(0.5)), truth).mean() < low
    assert covers(stretched(made, np.sqrt(2.0)), truth).mean() > high


# --------------------------------------------------------------------------- scores of two classes


def binormal(positives: int, negatives: int, shift: float) -> Draw:
    """Normal scores, those of positive cases higher by a shift."""
    n = positives + negatives
    negative = (np.arange(n) >= positives).astype(float)

    def draw(generator: np.random.Generator, samples: int) -> tuple[Array, Design]:
        scores = generator.normal(size=(samples, n)) + shift * (1 - negative)
        records = np.stack([scores, np.broadcast_to(negative, scores.shape)], axis=1)
        return np.stack([arrange(one, paired=True)[0] for one in records]), Design((n,), None, True)

    return draw


def auroc_of(shift: float) -> float:
    return float(stats.norm.cdf(shift / np.sqrt(2)))


def precision_of(shift: float, share: float) -> float:
    """Average precision of the population: the mean precision at the score of a positive."""

    def at(score: float) -> float:
        found = share * stats.norm.sf(score - shift)
        density = stats.norm.pdf(score - shift)
        return float(density * found / (found + (1 - share) * stats.norm.sf(score)))

    return float(integrate.quad(at, -8.0, 8.0 + shift, limit=200)[0])


def shift_for(area: float) -> float:
    return float(np.sqrt(2) * stats.norm.ppf(area))


OF_TWO_CLASSES = ("delong", "delong_logit", "newcombe", "hanley_mcneil", "percentile", "bca")
CLOSED = OF_TWO_CLASSES[:4]
AUROC_OF_15 = (0.911, 0.959, 0.957, 0.910, 0.933, 0.963)
AUROC_OF_50 = (0.939, 0.954, 0.955, 0.943, 0.946, 0.954)


@pytest.mark.slow
@pytest.mark.parametrize(("each", "shares"), [(15, AUROC_OF_15), (50, AUROC_OF_50)])
def test_auroc_of_normal_scores_is_covered(each: int, shares: tuple[float, ...]) -> None:
    # The shares are of a long run, in the order of OF_TWO_CLASSES.
    draw = binormal(each, each, shift_for(0.8))
    known = dict(zip(OF_TWO_CLASSES, shares, strict=True))
    closed = made_by(OF_AUROC, draw, CLOSED, 2000, 1)
    drawn = made_by(OF_AUROC, draw, ("percentile", "bca"), 1000, 2)
    for name, made in {**closed, **drawn}.items():
        assert_covers(made, 0.8, known[name])
    # By theory the shares are near the level from 50 cases of each class on.
    assert each < 50 or max(abs(share - 0.95) for share in shares) < 0.02


@pytest.mark.slow
def test_auroc_of_a_rare_class_needs_the_degrees_of_freedom_of_that_class() -> None:
    # 5 of 100 positive: z on the logit covers about .87, t with Satterthwaite's degrees of freedom
    # .93 (decision 0042: 2000 samples, with a number of positive cases that varies).
    draw = binormal(5, 95, shift_for(0.75))
    made = made_by(OF_AUROC, draw, ("delong_logit", "delong_logit_t"), 2000, 7)
    assert_covers(made["delong_logit"], 0.75, 0.875)
    assert_covers(made["delong_logit_t"], 0.75, 0.931)
    hits = {name: covers(one, 0.75) for name, one in made.items()}
    assert_more_often(hits["delong_logit_t"], hits["delong_logit"])


def test_a_standard_error_of_auroc_that_is_wrong_by_root_two_is_noticed() -> None:
    made = made_by(OF_AUROC, binormal(50, 50, shift_for(0.8)), ("delong",), 2000, 3)["delong"]
    assert_wrong_error_is_noticed(made, 0.8, AUROC_OF_50[0])


def test_average_precision_of_the_population_is_that_of_many_cases() -> None:
    # 40 draws of 10 000 cases; within 5 standard errors, and the bias of 10 000 cases.
    values, _ = binormal(4000, 6000, 1.0)(np.random.default_rng(4), 40)
    drawn = OF_PRECISION(values)
    error = drawn.std(ddof=1) / np.sqrt(40)
    assert error < 0.002
    assert abs(drawn.mean() - precision_of(1.0, 0.4)) < 5 * error + 0.0005


PRECISION_OF_100 = (0.957, 0.967, 0.917)


@pytest.mark.slow
def test_average_precision_of_normal_scores_is_covered() -> None:
    # Where AP comes out too high, its replicates reach far down and little up; basic turns that
    # round and misses.
    made = made_by(OF_PRECISION, binormal(40, 60, 1.0), BOOTSTRAPS, 1000, 5)
    truth = precision_of(1.0, 0.4)
    for name, share in zip(BOOTSTRAPS, PRECISION_OF_100, strict=True):
        assert_covers(made[name], truth, share)


# --------------------------------------------------------------------------- clusters


def patients(count: int, images: int, shift: float, *, mixed: bool) -> Draw:
    """Scores of variance 1 with an intra-class correlation of 1/2 among images of a patient.

    The images of a patient are all positive or all negative, or mixed: every other one.
    """
    groups = np.repeat(np.arange(count), images)
    of_patient = np.arange(count) % 2
    negative = np.arange(count * images) % 2 if mixed else np.repeat(of_patient, images)

    def draw(generator: np.random.Generator, samples: int) -> tuple[Array, Design]:
        own = np.repeat(generator.normal(size=(samples, count)), images, axis=-1)
        rest = generator.normal(size=(samples, count * images))
        scores = np.sqrt(0.5) * (own + rest) + shift * (1 - negative)
        records = np.stack([scores, np.broadcast_to(negative, scores.shape)], axis=1)
        made = [arrange(one, groups, paired=True) for one in records]
        (design,) = {design for _, design in made}
        return np.stack([values for values, _ in made]), design

    return draw


def ignoring_groups(draw: Draw) -> Draw:
    def alone(generator: np.random.Generator, samples: int) -> tuple[Array, Design]:
        values, _ = draw(generator, samples)
        made = [arrange(one, paired=True)[0] for one in values]
        return np.stack(made), Design((values.shape[-1],), None, True)

    return alone


# With groups and without.
CLUSTERED = {False: (0.953, 0.796), True: (0.955, 0.982)}


@pytest.mark.slow
@pytest.mark.parametrize("mixed", [False, True])
def test_auroc_of_clusters_is_covered_by_obuchowski_and_not_by_delong(mixed: bool) -> None:
    # 40 patients with 4 images. Where patients are positive or negative as a whole, their images
    # say little more than one of each would; where each has both, what patients differ in cancels
    # out, and an interval that takes images for independent is too wide.
    draw = patients(40, 4, shift_for(0.8), mixed=mixed)
    by_patient = made_by(OF_AUROC, draw, ("delong_logit",), 2000, 6)["delong_logit"]
    by_image = made_by(OF_AUROC, ignoring_groups(draw), ("delong_logit",), 2000, 6)["delong_logit"]
    with_groups, without = CLUSTERED[mixed]
    assert_covers(by_patient, 0.8, with_groups)
    assert_covers(by_image, 0.8, without)
    wider = by_patient.high - by_patient.low > by_image.high - by_image.low
    assert_more_often(*((~wider, wider) if mixed else (wider, ~wider)))


# --------------------------------------------------------------------------- confusion matrices

SHARES = np.array([0.60, 0.37, 0.03])
# Of each true class the shares of what is predicted.
ROWS = np.array([[0.90, 0.09, 0.01], [0.12, 0.85, 0.03], [0.25, 0.15, 0.60]])
POPULATION = SHARES[:, None] * ROWS
COSTS = ((0.0, 1.0, 2.0), (1.0, 0.0, 2.0), (10.0, 5.0, 0.0))


def true_values() -> dict[str, float]:
    """Of the population, written out."""
    p, right = POPULATION, POPULATION.diagonal()
    true, said = p.sum(axis=1), p.sum(axis=0)
    chance = float(true @ said)
    return {
        "accuracy": right.sum(),
        "balanced_accuracy": np.mean(right / true),
        "f1": np.mean(2 * right / (true + said)),
        "mcc": (right.sum() - chance) / np.sqrt((1 - true @ true) * (1 - said @ said)),
        "cohen_kappa": (right.sum() - chance) / (1 - chance),
        "expected_cost": (p * np.array(COSTS)).sum(),
    }


def cells(n: int) -> Draw:
    def draw(generator: np.random.Generator, samples: int) -> tuple[Array, None]:
        return generator.choice(9, (samples, n), p=POPULATION.ravel()).astype(float), None

    return draw


def right_or_wrong(n: int) -> Draw:
    def draw(generator: np.random.Generator, samples: int) -> tuple[Array, None]:
        return (cells(n)(generator, samples)[0] % 4 == 0).astype(float), None

    return draw


def counting(name: str, absent: AbsentClass = "omit") -> Statistic:
    metric = Metric(SAMPLE_METRICS[name])
    costs = COSTS if name == "expected_cost" else None
    finish = CountingFinish(metric, 3, "macro", absent=absent, costs=costs)
    return building.counting_statistic(metric, finish, "omit")


OF_CELLS = ("percentile", "bca", "delta")
COUNTED = {
    "balanced_accuracy": (0.725, 0.702, 0.582),
    "f1": (0.879, 0.877, 0.747),
    "mcc": (0.938, 0.951, 0.933),
    "cohen_kappa": (0.942, 0.954, 0.937),
    "expected_cost": (0.792, 0.811, 0.796),
}


def test_wilson_covers_the_accuracy_of_three_classes() -> None:
    made = made_by(
        resolve_statistic("mean"), right_or_wrong(100), ["wilson"], 10_000, 7, binary=True
    )
    # The exact sum over the binomial.
    x, truth = np.arange(101), true_values()["accuracy"]
    ends = METHODS["wilson"].function(x, 100, Level())
    chance = float(stats.binom.pmf(x, 100, truth) @ covers(ends, truth))
    assert_covers(made["wilson"], truth, chance)
    assert abs(chance - 0.95) < 0.02


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", COUNTED)
def test_metrics_of_a_confusion_matrix_with_a_rare_class(name: str) -> None:
    # 100 cases, of which 3 are of the rare class on average and none with probability .05. What
    # rests on those 3 is covered far too seldom by any method.
    made = made_by(counting(name), cells(100), OF_CELLS, 1500, 8)
    for method, share in zip(OF_CELLS, COUNTED[name], strict=True):
        assert_covers(made[method], true_values()[name], share)


@pytest.mark.slow  # its error has oracles of its own: test_delta_method.py
@pytest.mark.parametrize("name", COUNTED)
def test_delta_is_right_for_many_cases(name: str) -> None:
    # 4000 cases, 120 of the rare class: near the level, without any long run.
    made = made_by(counting(name), cells(4000), ["delta"], 2000, 9)["delta"]
    assert_covers(made, true_values()[name], 0.945)
    assert_wrong_error_is_noticed(made, true_values()[name], 0.945)


# --------------------------------------------------------------------------- absent classes

# How far the scores of a class lie above those of the others.
SHIFTS = np.array([2.0, 1.5, 1.0])
POLICIES: tuple[AbsentClass, ...] = ("omit", "zero", "undefined")


def three_classes(n: int) -> Draw:
    """Three scores of each case and its class."""

    def draw(generator: np.random.Generator, samples: int) -> tuple[Array, Design]:
        truth = generator.choice(3, (samples, 1, n), p=SHARES)
        own = truth == np.arange(3)[:, None]
        scores = generator.normal(size=(samples, 3, n)) + own * SHIFTS[:, None]
        records = np.concatenate([scores, truth], axis=1)
        return np.stack([arrange(one, paired=True)[0] for one in records]), Design((n,), None, True)

    return draw


def macro(metric: Metric, absent: AbsentClass) -> Statistic:
    return building.ranking_statistic(
        metric, RankEach(3), AreaFinish("macro", absent=absent), "omit"
    )


def true_macro(name: str) -> float:
    if name == "auroc":
        return float(np.mean([auroc_of(shift) for shift in SHIFTS]))
    if name == "average_precision":
        return float(np.mean([precision_of(*pair) for pair in zip(SHIFTS, SHARES, strict=True)]))
    return true_values()[name]


def by_policy(name: str, samples: int, seed: int) -> dict[str, Interval]:
    """Percentile intervals of the same samples, 60 cases each, with each policy."""
    areas = name in ("auroc", "average_precision")
    draw = three_classes(60) if areas else cells(60)
    parts: dict[str, list[Interval]] = {policy: [] for policy in POLICIES}
    for batch in range(samples // BATCH):
        values, design = draw(np.random.default_rng([seed, batch]), BATCH)
        # Drawn once for all policies.
        plan = Plan(1_000_000 * seed + batch, RESAMPLES, compiled=False, kept={})
        for policy in POLICIES:
            metric = Metric(SAMPLE_METRICS[name])
            statistic = macro(metric, policy) if areas else counting(name, policy)
            method = [METHODS["percentile"]]
            (made,) = intervals(values, statistic, method, Level(), plan=plan, design=design)
            parts[policy].append(made.interval)
    return {policy: joined(made) for policy, made in parts.items()}


# In the order of POLICIES.
ABSENT = {
    "auroc": (0.809, 0.734, 0.561),
    "average_precision": (0.636, 0.922, 0.643),
    "balanced_accuracy": (0.669, 0.653, 0.352),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ABSENT)
def test_what_an_absent_class_counts_moves_the_interval(name: str) -> None:
    # 60 cases with 1.8 of the rare class: none with probability .16. The rare class is also the
    # one that is worst off, so that leaving it out flatters.
    made, truth = by_policy(name, 300, 10), true_macro(name)
    omit, zero, undefined = (made[policy] for policy in POLICIES)
    for one, share in zip(made.values(), ABSENT[name], strict=True):
        assert_covers(one, truth, share)
    # Every resample counts no more with zero than with omit: both bounds are lower, always.
    assert (zero.low <= omit.low + 1e-12).all()
    assert (zero.high <= omit.high + 1e-12).all()
    # So omit puts whole intervals above the truth, and zero below it; less so where the rare
    # class has little to lose, as with AP.
    assert_more_often(omit.low > truth, zero.low > truth)
    if name != "average_precision":
        assert_more_often(zero.high < truth, omit.high < truth)
    # A class that is there, but not in every resample, makes zero wider than leaving those out.
    there = ~np.isnan(undefined.low)
    width = {policy: (one.high - one.low)[there].mean() for policy, one in made.items()}
    assert width["zero"] > 1.05 * width["undefined"]
    # Without the class there is no interval with undefined, and one with the others.
    low, high = share_allowed(0.97**60, 300)
    assert low <= (~there).mean() <= high
    assert not np.isnan(omit.low).any()
    assert not np.isnan(zero.low).any()


def test_policies_agree_where_no_class_is_absent() -> None:
    # Three classes of a third each: of 100 cases one is absent with probability 1e-17.
    codes = np.random.default_rng(11).choice(9, (50, 100), p=ROWS.ravel() / 3).astype(float)
    methods = [METHODS[name] for name in OF_CELLS]
    plan = Plan(11, RESAMPLES)
    first, *others = (
        intervals(codes, counting("balanced_accuracy", policy), methods, Level(), plan=plan)
        for policy in POLICIES
    )
    for made in others:
        for one, same in zip(made, first, strict=True):
            np.testing.assert_array_equal(one.interval.low, same.interval.low)
            np.testing.assert_array_equal(one.interval.high, same.interval.high)


# --------------------------------------------------------------------------- ratios of rates

SENSITIVITY, SPECIFICITY = 0.85, 0.90


def cells_of_a_test(n: int) -> Draw:
    """Cells of a test with these rates in a population of which .3 are positive."""
    shares = [
        0.7 * SPECIFICITY,
        0.7 * (1 - SPECIFICITY),
        0.3 * (1 - SENSITIVITY),
        0.3 * SENSITIVITY,
    ]

    def draw(generator: np.random.Generator, samples: int) -> tuple[Array, None]:
        return generator.choice(4, (samples, n), p=shares).astype(float), None

    return draw


def of_test(name: str) -> Statistic:
    given = {"prevalence": 0.05} if name == "ppv" else {}
    metric = Metric(SAMPLE_METRICS[name], given)
    return building.counting_statistic(metric, CountingFinish(metric, 2, "binary", 1), "omit")


def true_of_test(name: str) -> float:
    ratio = SENSITIVITY / (1 - SPECIFICITY)
    return ratio if name == "lr_plus" else 0.05 * ratio / (0.05 * ratio + 0.95)


TWO_BY_TWO = {"lr_plus": (0.954, 0.944), "ppv": (0.954, 0.944)}


@pytest.mark.parametrize("name", TWO_BY_TWO)
def test_ratios_of_rates_are_covered_on_the_scale_of_their_logarithm(name: str) -> None:
    # LR+ = Se / (1 - Sp), and PPV at a target prevalence is a function of it: delta takes the log
    # of one and the logit of the other, which is the same interval.
    methods = ("delta", "percentile")
    made = made_by(of_test(name), cells_of_a_test(200), methods, 2000, 12)
    for method, share in zip(methods, TWO_BY_TWO[name], strict=True):
        assert_covers(made[method], true_of_test(name), share)
    scale = np.log if name == "lr_plus" else stats.logistic.ppf
    on_scale = Interval.of(scale(made["delta"].low), scale(made["delta"].high))
    assert_wrong_error_is_noticed(on_scale, float(scale(true_of_test(name))), TWO_BY_TWO[name][0])
