"""Size and power of the tests beside the interval of a difference: the evidence of decision 0050.

Each line gives how often, in %, two-sided tests reject at 5 %. Under "equal" the two models do
equally well: 5 is right. Models resemble each other case by case with a correlation of .8.

    python benchmarks/comparison_tests.py [samples] [part ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from halfwidth.comparison.paired_tests import mcnemar, wilcoxon
from halfwidth.core.spec import Metric, Statistic
from halfwidth.estimation.functionals import Classes, MetricRow, Policies, build_functional
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.permutations.label_tests import label_test
from halfwidth.resampling.permutations.swap_tests import signed_sum_tests, swap_tests

Array = NDArray[np.float64]
Rates = dict[str, Array]
RESAMPLES, BATCH, LEVEL, CORRELATION = 999, 50, 0.05, 0.8
SIZES = (10, 25, 50, 100)
TOUCHSTONE = Path(__file__).parents[2] / "shared" / "data" / "touchstone"
MEAN = resolve_statistic("mean")


def paired(rng: np.random.Generator, shape: tuple[int, ...], r: float = CORRELATION) -> Array:
    """Standard normals of two models, (2, ...), correlated."""
    shared = rng.normal(size=shape)
    return np.asarray(np.sqrt(r) * shared + np.sqrt(1 - r) * rng.normal(size=(2, *shape)))


def in_batches(samples: Array, test: Callable[[list[Array], Plan], Array]) -> Array:
    """P-values of samples, (S, ...), a batch on the same draws."""
    made = [
        test(list(samples[at : at + BATCH]), Plan(at, RESAMPLES))
        for at in range(0, len(samples), BATCH)
    ]
    return np.concatenate(made)


def swapped(samples: Array, statistic: Statistic = MEAN, design: Design | None = None) -> Array:
    """Permutation tests of pairs, (S, 2, ..., n)."""
    design = design or Design((samples.shape[-1],), paired=True)

    def test(some: list[Array], plan: Plan) -> Array:
        pairs = [(one[0], one[1]) for one in some]
        return np.array([r.p_value for r in swap_tests(pairs, design, statistic, plan)])

    return in_batches(samples, test)


def report(what: str, rates: Rates) -> None:
    """A line of rejection rates."""
    cells = "  ".join(f"{name} {100 * np.mean(p <= LEVEL):5.1f}" for name, p in rates.items())
    print(f"{what:58s} {cells}", flush=True)


# --------------------------------------------------------------------------- values of cases


def margins(normal: Array, kind: str) -> Array:
    """Normals as values of a metric."""
    if kind == "normal":
        return normal
    # DSC with a tail of failures: a beta distribution of mean .86, skewness -1.6.
    return np.asarray(stats.beta.ppf(stats.norm.cdf(normal), 3, 0.5))


def values(samples: int) -> None:
    """Means of values of cases: shifted or equal, and with skewed differences of mean 0."""
    rng = np.random.default_rng(1)
    for kind in ("normal", "dsc"):
        for n in SIZES:
            for shift in (0.0, 0.3):
                normal = paired(rng, (samples, n))
                normal[0] += shift
                both = np.moveaxis(margins(normal, kind), 0, 1)
                report(
                    f"values, {kind}, n = {n}, {'shifted' if shift else 'equal'}", of_values(both)
                )
    for n in SIZES:
        # Equal means, but the differences of cases are skewed: the models are not exchangeable.
        shared = rng.normal(size=(samples, n))
        lost = rng.exponential(size=(samples, n)) - 1
        both = np.stack([shared, shared + lost], axis=1)
        report(f"values, skewed differences of mean 0, n = {n}, equal", of_values(both))


def of_values(both: Array) -> Rates:
    """P-values of three tests of pairs of samples, (S, 2, n)."""
    differences = both[:, 0] - both[:, 1]
    design = Design((both.shape[-1],), paired=True)
    return {
        "permutation": swapped(both),
        "t": np.asarray(stats.ttest_1samp(differences, 0, axis=1).pvalue),
        "wilcoxon": np.array(
            [wilcoxon([one], design, Plan(1))[0].p_value for one in differences]
        ),
    }  # fmt: skip


def touchstone(samples: int) -> None:
    """Populations of real differences about their mean, of all organs and pairs of models."""
    rng = np.random.default_rng(2)
    populations = list(real_differences())
    each = max(100, samples // 10)
    for n in SIZES:
        design, rates = Design((n,), paired=True), []
        for population in populations:
            drawn = population[rng.integers(0, len(population), (each, n))]

            def test(some: list[Array], plan: Plan, design: Design = design) -> Array:
                return np.array([r.p_value for r in signed_sum_tests(some, design, plan)])

            flipped = in_batches(drawn, test)
            t = stats.ttest_1samp(drawn, 0, axis=1).pvalue
            rates.append([np.mean(p <= LEVEL) for p in (flipped, t)])
        quartiles = 100 * np.quantile(rates, [0.25, 0.5, 0.75], axis=0).T
        rows = zip(("permutation", "t"), quartiles, strict=True)
        cells = "  ".join(f"{name} {q[0]:.1f} {q[1]:.1f} {q[2]:.1f}" for name, q in rows)
        print(f"Touchstone DSC, {len(rates)} pairs, n = {n}, equal: quartiles  {cells}", flush=True)


def real_differences() -> Iterator[Array]:
    """Differences of each organ between each two models, about their mean."""
    tables = [
        np.genfromtxt(path, delimiter=",", skip_header=1)[:, 1:]
        for path in sorted(TOUCHSTONE.glob("*_dsc.csv"))
    ]
    for place, first in enumerate(tables):
        for second in tables[:place]:
            for organ in range(first.shape[1]):
                differences = first[:, organ] - second[:, organ]
                differences = differences[~np.isnan(differences)]
                if len(differences) > 200 and np.ptp(differences) > 0:
                    yield differences - differences.mean()


# --------------------------------------------------------------------------- decisions


def decisions(samples: int) -> None:
    """Shares of right decisions, and F1."""
    rng = np.random.default_rng(3)
    for accuracy in (0.8, 0.95):
        for n in (*SIZES, 400):
            for gain in (0.0, 0.08 if accuracy < 0.9 else 0.03):
                normal = np.moveaxis(paired(rng, (samples, n)), 0, 1)
                right = np.asarray(stats.norm.ppf([accuracy + gain, accuracy]))[:, None]
                hits = (normal < right).astype(float)
                report(
                    f"accuracy {accuracy}, n = {n}, {'better' if gain else 'equal'}",
                    {
                        "mid-p": np.array([mcnemar(*one, mid_p=True) for one in hits]),
                        "exact": np.array([mcnemar(*one) for one in hits]),
                    },
                )
    metric = Metric(SAMPLE_METRICS["f1"])
    statistic = build_functional(
        MetricRow(metric, "binary", 1), metric, Classes((0, 1), 1), Policies("omit", "zero")
    ).statistic
    for n in SIZES:
        truth = rng.random((samples, n)) < 0.3
        scores = np.moveaxis(paired(rng, (samples, n)), 0, 1) + 1.5 * truth[:, None]
        codes = 2.0 * truth[:, None] + (scores > 0.8)
        report(
            f"F1, 30 % positive, n = {n}, equal",
            {"permutation": swapped(codes.astype(float), statistic)},
        )


# --------------------------------------------------------------------------- ranked scores


def areas(samples: int) -> None:
    """AUROCs of about .82 and, where better, .90; models of one scale, or of two."""
    rng = np.random.default_rng(4)
    for n in SIZES[1:]:
        for gain in (0.0, 0.5):
            for scale in ("one scale", "two scales"):
                report(
                    f"AUROC .82, n = {n}, {scale}, {'better' if gain else 'equal'}",
                    of_areas(rng, samples, n, gain, scale),
                )


def of_areas(rng: np.random.Generator, samples: int, n: int, gain: float, scale: str) -> Rates:
    """P-values of swaps of ranks and of raw scores, and of DeLong's test."""
    positives = max(5, n * 3 // 10)
    truth = np.arange(n) < positives
    scores = paired(rng, (samples, n)) + 1.3 * truth
    scores[0] += gain * truth
    if scale == "two scales":
        scores[1] = 0.1 * scores[1] + 5
    rows = np.moveaxis(scores, 0, 1)
    statistic = area_statistic()
    codes = np.broadcast_to(np.where(truth, 0.0, 1.0), rows.shape)
    ranked = swapped(np.stack([rows, codes], axis=2), statistic)
    parts = [raw_contributions(one, truth) for one in rows]
    design = Design((n,), paired=True)
    raw = in_batches(
        np.array([swaps for swaps, _ in parts]),
        lambda some, plan: np.array([r.p_value for r in signed_sum_tests(some, design, plan)]),
    )
    return {"ranks": ranked, "raw scores": raw, "DeLong z": np.array([p for _, p in parts])}


def area_statistic(name: str = "auroc") -> Statistic:
    """An area under a curve of one class."""
    metric = Metric(SAMPLE_METRICS[name])
    return build_functional(
        MetricRow(metric, "binary", 0), metric, Classes((0, 1), 1), Policies("omit", "omit")
    ).statistic


def raw_contributions(scores: Array, truth: NDArray[np.bool_]) -> tuple[Array, float]:
    """Of swaps of raw scores, by all pairs of cases; and the p-value of DeLong's test."""
    positive, negative = scores[:, truth], scores[:, ~truth]
    greater = np.sign(positive[:, None, :, None] - negative[None, :, None, :]) / 2 + 0.5
    same, crossed = greater[0, 0] - greater[1, 1], greater[0, 1] - greater[1, 0]
    swaps = np.empty(len(truth))
    swaps[truth] = (same + crossed).mean(axis=1) / (2 * len(same))
    swaps[~truth] = (same - crossed).mean(axis=0) / (2 * same.shape[1])
    by_positive, by_negative = same.mean(axis=1), same.mean(axis=0)
    variance = by_positive.var(ddof=1) / len(by_positive) + by_negative.var(ddof=1) / len(
        by_negative
    )
    p = 1.0 if variance == 0 else 2 * stats.norm.sf(abs(same.mean()) / np.sqrt(variance))
    return swaps, float(p)


# --------------------------------------------------------------------------- designs


def clusters(samples: int) -> None:
    """Clusters swapped whole, or wrongly as cases."""
    rng = np.random.default_rng(5)
    for count in (6, 10, 20):
        sizes = tuple([2, 4, 6] * (count // 3) + [4] * (count % 3))
        member = np.repeat(np.arange(count), sizes)
        effect = 0.9 * rng.normal(size=(samples, 2, count))[..., member]
        both = paired(rng, (samples, len(member))).swapaxes(0, 1) + effect
        whole = Design((count,), sizes, paired=True)
        report(
            f"values, {count} clusters of 2 to 6, equal",
            {"whole clusters": swapped(both, MEAN, whole), "cases": swapped(both)},
        )


def unpaired(samples: int) -> None:
    """Models of unequal spread on different cases."""
    rng = np.random.default_rng(6)
    for n, spread in (((10, 10), 1), ((10, 30), 1), ((10, 30), 3), ((30, 10), 3), ((50, 100), 3)):
        first, second = rng.normal(size=(samples, n[0])), spread * rng.normal(size=(samples, n[1]))
        bare = resolve_statistic(lambda values, axis=-1: values.mean(axis=axis))
        designs = Design((n[0],)), Design((n[1],))
        rates = {
            name: np.array(
                [
                    label_test((a, designs[0]), (b, designs[1]), statistic, Plan(i, 299)).p_value
                    for i, (a, b) in enumerate(zip(first, second, strict=True))
                ]
            )
            for name, statistic in (("Welch's t", MEAN), ("bare", bare))
        }
        rates["Welch"] = np.asarray(stats.ttest_ind(first, second, axis=1, equal_var=False).pvalue)
        report(f"unpaired, n = {n[0]} and {n[1]}, SD 1 and {spread}, equal", rates)


# --------------------------------------------------------------------------- speed


def speed(_samples: int) -> None:
    """CPU seconds of 9999 permutations: medians of three runs."""
    rng = np.random.default_rng(7)
    truth = np.arange(10_000) < 4000
    scores = paired(rng, (10_000,)) + 1.3 * truth
    rows = [np.stack([one, np.where(truth, 0.0, 1.0)]) for one in scores]
    models = 0.3 * rng.normal(size=(9, 743)) + rng.normal(size=743)
    pairs = [(models[i], models[j]) for i in range(9) for j in range(i)]
    timed("two AUROCs of 10 000 cases", [(rows[0], rows[1])], area_statistic())
    some = [one[:, ::10] for one in rows]
    timed("two APs of 1000 cases", [(some[0], some[1])], area_statistic("average_precision"))
    for name in ("mean", "sd", "median", "trimmed_mean"):
        timed(f"{name}, 36 pairs of 743 cases", pairs, resolve_statistic(name))


def timed(what: str, pairs: list[tuple[Array, Array]], statistic: Statistic) -> None:
    """With the compiled library where it helps, and without."""
    design = Design((pairs[0][0].shape[-1],), paired=True)
    both = []
    for compiled in (None, False):
        seconds = []
        for _ in range(3):
            started = time.process_time()
            swap_tests(pairs, design, statistic, Plan(1, compiled=compiled))
            seconds.append(time.process_time() - started)
        both.append(float(np.median(seconds)))
    print(f"{what:40s} {both[0]:6.2f} s, NumPy alone {both[1]:6.2f} s", flush=True)


PARTS = {
    one.__name__: one for one in (values, touchstone, decisions, areas, clusters, unpaired, speed)
}


def main() -> None:
    """Run the parts that are named, or all."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    for name in sys.argv[2:] or PARTS:
        PARTS[name](samples)


if __name__ == "__main__":
    main()
