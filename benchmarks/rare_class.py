"""Coverage of 95 % intervals of an AUROC where 5 % of the cases are positive.

Populations are normal scores, and the scores of files given: one row of scores per model, and the
true class of each case. A sample draws positive and negative cases by their prevalence. Where the
variance vanishes `newcombe` stands in, as in ``auto``. Each line gives the coverage in % and the
mean width of both formulas.

    python benchmarks/rare_class.py [samples] [SCORES.npy TARGETS.npy ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.spec import Metric
from halfwidth.core.types import Level
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.metrics import building
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.averaging import AreaFinish
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan

Array = NDArray[np.float64]
# Scores of some positive and of some negative cases.
Draw = Callable[[np.random.Generator, int, int], tuple[Array, Array]]
PREVALENCE, SIZES = 0.05, (100, 250)
COMPARED = ("delong_logit", "delong_logit_t")
METRIC = Metric(SAMPLE_METRICS["auroc"])
STATISTIC = building.ranking_statistic(METRIC, RankEach(1), AreaFinish("binary"), "omit")


def binormal(area: float, spread: float = 1.0) -> Draw:
    """Normal scores, those of positive cases higher by a shift and of another SD."""
    shift = float(np.sqrt(1 + spread**2) * stats.norm.ppf(area))

    def draw(generator: np.random.Generator, m: int, k: int) -> tuple[Array, Array]:
        return shift + spread * generator.normal(size=m), generator.normal(size=k)

    return draw


def drawing_from(positive: Array, negative: Array) -> Draw:
    """The scores themselves, with replacement."""
    return lambda generator, m, k: (generator.choice(positive, m), generator.choice(negative, k))


def populations(files: list[str]) -> Iterator[tuple[str, float, Draw]]:
    """Name, true area and how to draw: of normal scores and of each model in the files."""
    for area in (0.75, 0.85, 0.95):
        yield f"normal, {area}", area, binormal(area)
    for scores_file, targets_file in zip(files[::2], files[1::2], strict=True):
        targets = np.load(targets_file).ravel()
        scores = np.load(scores_file)
        for row, own in enumerate(_of_positive_class(scores, targets)):
            p, q = own[targets == 1], own[targets == 0]
            area = float(stats.mannwhitneyu(p, q).statistic / (len(p) * len(q)))
            yield f"{Path(scores_file).stem} {row + 1}, {area:.2f}", area, drawing_from(p, q)


def _of_positive_class(scores: Array, targets: NDArray[np.intp]) -> Array:
    """A row of scores for each model: (n,), (n, 2), (models, n) or (models, n, 2)."""
    two_columns = scores.ndim > 1 and scores.shape[-1] == 2 and scores.shape[-2] == len(targets)
    return np.atleast_2d(scores[..., 1] if two_columns else scores.squeeze())


def main() -> None:
    """Print a line for each population and size."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"{samples} samples, {PREVALENCE:.0%} positive: coverage in % (mean width)")
    print(f"{'population':<32}{'n':>5}" + "".join(f"{name:>18}" for name in COMPARED))
    rows: dict[int, list[list[float]]] = {n: [] for n in SIZES}
    for name, area, draw in populations(sys.argv[2:]):
        for n in SIZES:
            generator = np.random.default_rng([n, int(1e6 * area)])
            covered = np.empty((2, samples))
            width = np.empty((2, samples))
            for sample in range(samples):
                positives = 0
                while not 1 < positives < n - 1:
                    positives = int(generator.binomial(n, PREVALENCE))
                scores = np.concatenate(draw(generator, positives, n - positives))
                negative = (np.arange(n) >= positives).astype(float)
                values, _ = arrange(np.stack([scores, negative]), paired=True)
                found = intervals(
                    values[None],
                    STATISTIC,
                    [METHODS[one] for one in (*COMPARED, "newcombe")],
                    Level(0.95),
                    plan=Plan(0, 1),
                    design=Design((n,), None, True),
                )
                low, high = (
                    np.array([getattr(one.interval, side)[0] for one in found])
                    for side in ("low", "high")
                )
                low, high = (np.where(np.isnan(end[:2]), end[2], end[:2]) for end in (low, high))
                covered[:, sample] = (low <= area) & (area <= high)
                width[:, sample] = high - low
            rows[n].append(covered.mean(axis=1).tolist())
            cells = [f"{100 * covered[k].mean():.1f} ({width[k].mean():.3f})" for k in range(2)]
            print(f"{name:<32}{n:>5}" + "".join(f"{cell:>18}" for cell in cells), flush=True)
    for n, shares in rows.items():
        median = [f"{100 * share:.1f}" for share in np.median(shares, axis=0)]
        print(f"{'median':<32}{n:>5}" + "".join(f"{one:>18}" for one in median))


if __name__ == "__main__":
    main()
