"""Clean samples hardly ever get a caution about reliability where coverage holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import quickly

import halfwidth as hw

# Of so many samples this many may be flagged: of 5 % more than this are seen in one run of 30.
SAMPLES, FLAGGED = 25, 3

Draw = Callable[[np.random.Generator, int], hw.Estimate]


def reliability_codes(estimate: hw.Estimate) -> set[str]:
    """Codes of the cautions that doubt the coverage."""
    return {item.code for item in estimate.cautions if item.spec.reliability}


def share_flagged(draw: Draw, n: int) -> tuple[int, set[str]]:
    """Samples of n cases with a caution about reliability, and the codes seen."""
    found = [reliability_codes(draw(np.random.default_rng([n, k]), n)) for k in range(SAMPLES)]
    return sum(map(bool, found)), set().union(*found)


def of_values(distribution: Any, statistic: str, metric: str) -> Draw:
    """A statistic of values of cases."""

    def draw(generator: np.random.Generator, n: int) -> hw.Estimate:
        values = distribution.rvs(n, random_state=generator)
        return quickly(hw.summary_ci, values, metric=metric, statistic=statistic, rng=1)

    return draw


def of_two_classes(metric: str) -> Draw:
    """A metric of normal scores of two classes of about the same size."""

    def draw(generator: np.random.Generator, n: int) -> hw.Estimate:
        truth = generator.random(n) < 0.5
        scores = stats.norm.cdf(generator.normal(size=n) + 1.5 * (truth - 0.5))
        made = quickly(hw.metric_ci, truth.astype(int), scores, metric=metric, rng=1)
        assert isinstance(made, hw.Estimate)
        return made

    return draw


def situations() -> Iterator[Any]:
    """Statistics and metrics whose coverage `benchmarks/false_alarms.py` found to hold."""
    skewed, bell = stats.beta(9.5, 1.5), stats.truncnorm(-4, 4, 0.8, 0.05)
    for n in (30, 100):
        for statistic in ("mean", "median", "iqr", "trimmed_mean"):
            yield pytest.param(of_values(skewed, statistic, "dsc"), n, id=f"{statistic}-{n}")
        yield pytest.param(of_values(stats.gamma(6), "mean", "assd"), n, id=f"assd-{n}")
        for metric in ("auroc", "accuracy", "f1", "sensitivity"):
            yield pytest.param(of_two_classes(metric), n, id=f"{metric}-{n}")
    yield pytest.param(of_values(bell, "sd", "dsc"), 50, id="sd-50")


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("draw", "n"), list(situations()))
def test_clean_samples_are_not_flagged(draw: Draw, n: int) -> None:
    flagged, found = share_flagged(draw, n)
    assert flagged <= FLAGGED, found


def test_failures_that_a_named_t_interval_cannot_know_are_flagged() -> None:
    def with_a_failure(generator: np.random.Generator, n: int) -> hw.Estimate:
        values = np.append(generator.normal(0.85, 0.03, n - 1).clip(0, 1), 0.02)
        return hw.summary_ci(values, metric="dsc", method="t")

    assert share_flagged(with_a_failure, 30)[0] == SAMPLES


def test_a_rare_class_is_flagged() -> None:
    def with_three_positives(generator: np.random.Generator, n: int) -> hw.Estimate:
        truth = np.arange(n) < 3
        scores = stats.norm.cdf(generator.normal(size=n) + truth)
        made = hw.metric_ci(
            truth.astype(int), scores, metric="f1", method="percentile", rng=1, n_resamples=199
        )
        assert isinstance(made, hw.Estimate)
        return made

    flagged, found = share_flagged(with_three_positives, 60)
    assert flagged == SAMPLES
    assert {"HW204", "HW205", "HW206"} <= found
