"""Whether plans keep what they promise: a thousand studies of the size of each.

    nice python benchmarks/plans.py [STUDIES] [PART OF A NAME]

A plan is asked for with a power, or with a width and an assurance, and studies of its n cases are
drawn from what it assumed, with draws of their own. Each gets the interval that `compare` or `ci`
makes by default, and what is counted is how many of these exclude 0, lie above minus the margin, or
are as narrow as wanted. A power keeps its promise from 2 points below what was asked to 5 above, a
width from 3 points below the assurance on. Of plans from a pilot every four studies have a pilot
and a plan of their own, with 100 studies simulated, which is fast; the standard error of a share is
that of the means of such fours, which is nearly twice that of as many independent studies.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

import halfwidth as hw
from halfwidth import planning

Array = NDArray[np.float64]
Generator = np.random.Generator
# From the cases of a study to its intervals: one, or of `classes` those of each class.
Study = Callable[[Generator, int], list[tuple[float, float]]]
BELOW, ABOVE, SHORT = 0.02, 0.05, 0.03
# Studies that share a pilot and its plan.
OF_A_PILOT = 4


@dataclass(frozen=True)
class Promise:
    """What is planned, and how a study of it is drawn."""

    name: str
    plan: Callable[[Generator], Any]
    study: Study
    # Each study has a pilot and a plan of its own.
    from_pilot: bool = False


def cases_for(plan: Any) -> int:
    """Those for the power or the width, without what reliable intervals take."""
    return int(plan.n if plan.parts else plan.requirements[0].n)


def kept(plan: Any, intervals: list[tuple[float, float]]) -> bool:
    """Whether a study shows what it was planned for."""
    if plan.wanted is not None:
        return all(0 < high - low <= plan.wanted * (1 + 1e-9) for low, high in intervals)
    (low, high), margin = intervals[0], plan.assumed.get("margin")
    return low > -margin if margin is not None else low > 0 or high < 0


# --------------------------------------------------------------------------- studies


def ends(*estimates: Any) -> list[tuple[float, float]]:
    """The interval of each."""
    return [(one.low, one.high) for one in estimates]


def seed(generator: Generator) -> int:
    """One of many."""
    return int(generator.integers(2**31))


def values_study(
    generator: Generator, n: int, *, mean: float, sd: float, failures: float = 0.0, **options: Any
) -> list[tuple[float, float]]:
    """Of a DSC, a share of which is 0."""
    values = generator.normal(mean, sd, n).clip(0, 1)
    values[generator.random(n) < failures] = 0.0
    return ends(hw.summary_ci(values, metric="dsc", rng=seed(generator), **options))


def compared(
    generator: Generator, models: Any, metric: str, **options: Any
) -> list[tuple[float, float]]:
    """The interval of the difference of two models."""
    found = hw.compare(models, metric=metric, rng=seed(generator), **options)
    return ends(found[0].estimate)


def pairs_study(
    generator: Generator, n: int, *, sd: float, difference: float, metric: str = "dsc"
) -> list[tuple[float, float]]:
    """Two models on the same cases, whose values correlate with .9."""
    spread = sd / math.sqrt(2 * (1 - 0.9))
    middle = 0.5 if metric == "dsc" else 100.0
    case = generator.normal(middle, spread * math.sqrt(0.9), n)
    old, new = case + generator.normal(0, sd / math.sqrt(2), (2, n))
    models = {"new": new + difference, "old": old}
    if metric == "dsc":
        models = {name: values.clip(0, 1) for name, values in models.items()}
    return compared(generator, models, metric)


def pilot_pairs_study(generator: Generator, n: int, *, pilot: Array, difference: float) -> Any:
    """Differences like those of a pilot, with its spread."""
    spread = math.sqrt(len(pilot) / (len(pilot) - 1))
    drawn = difference + spread * (generator.choice(pilot, n) - pilot.mean())
    old = np.full(n, 0.5)
    return compared(generator, {"new": old + drawn, "old": old}, "dsc")


def groups_study(
    generator: Generator, n: int, *, sd: float, mean: float, difference: float, metric: str = "dsc"
) -> list[tuple[float, float]]:
    """Two models on cases of their own."""
    models = {
        "new": generator.normal(mean + difference, sd, n),
        "old": generator.normal(mean, sd, n),
    }
    if metric == "dsc":
        models = {name: values.clip(0, 1) for name, values in models.items()}
    return compared(generator, hw.CaseValues.from_arrays(models, pairing="none"), metric)


def truth(n: int, prevalence: float) -> NDArray[np.intp]:
    """Classes of which the positive one has the nearest whole number."""
    return (np.arange(n) < math.floor(n * prevalence + 0.5)).astype(np.intp)


def area_study(
    generator: Generator, n: int, *, area: float, prevalence: float = 0.5
) -> list[tuple[float, float]]:
    """Of normal scores."""
    y = truth(n, prevalence)
    scores = generator.normal(size=n) + math.sqrt(2) * special.ndtri(area) * y
    cases = hw.Predictions.from_arrays(y, scores, scores="any")
    return ends(hw.estimate(cases, metric="auroc", rng=seed(generator))[0])


def areas_study(
    generator: Generator,
    n: int,
    *,
    areas: tuple[float, float],
    correlation: float | None,
    prevalence: float = 0.5,
) -> list[tuple[float, float]]:
    """Of two models with normal scores, on the same cases or on their own."""
    y, shifts = truth(n, prevalence), math.sqrt(2) * special.ndtri(areas)
    common = generator.normal(size=n)
    r = correlation or 0.0
    scores = {
        name: math.sqrt(r) * common + math.sqrt(1 - r) * generator.normal(size=n) + shift * y
        for name, shift in zip(("new", "old"), shifts, strict=True)
    }
    pairing: Any = "complete" if correlation is not None else "none"
    if correlation is None:
        scores["old"] = generator.normal(size=n) + shifts[1] * y
    models = hw.Predictions.from_arrays(y, scores, scores="any", pairing=pairing)
    return compared(generator, models, "auroc")


def shares_study(
    generator: Generator,
    n: int,
    *,
    sensitivity: float | None,
    specificity: float | None,
    prevalence: float,
) -> list[tuple[float, float]]:
    """Wilson's intervals of both, of a sample whose positives are binomial."""
    positives = int(generator.binomial(n, prevalence))
    each = [(sensitivity, positives), (specificity, n - positives)]
    return ends(
        *(
            hw.proportion_ci(int(generator.binomial(cases, share)), cases)
            for share, cases in each
            if share is not None
        )
    )


def quantile_study(generator: Generator, n: int, *, q: float, **given: Any) -> Any:
    """Of a normal DSC."""
    return values_study(generator, n, statistic=f"quantile:{q}" if q != 0.5 else "median", **given)


def shares_of_ranks(generator: Generator, n: int, *, q: float) -> list[tuple[float, float]]:
    """What lies between the ends of the interval, of uniform values."""
    name = "median" if q == 0.5 else f"quantile:{q}"
    return ends(hw.summary_ci(generator.random(n), statistic=name, bounds=(0, 1), rng=1))


# --------------------------------------------------------------------------- pilots


def clusters(generator: Generator, count: int) -> tuple[Array, NDArray[np.intp]]:
    """Values of so many patients with five lesions each, which correlate with .5."""
    means = generator.normal(0.6, 0.1, count)
    values = means[:, None] + generator.normal(0, 0.1, (count, 5))
    return values.ravel().clip(0, 1), np.repeat(np.arange(count), 5)


def clusters_study(generator: Generator, n: int) -> list[tuple[float, float]]:
    """Of the mean over lesions, in clusters."""
    values, patients = clusters(generator, n)
    data = hw.CaseValues.from_arrays(values, metric="dsc", groups=patients)
    return ends(hw.estimate(data, method="t")[0])


def plan_of_clusters(generator: Generator) -> Any:
    """Of a pilot of 40 patients."""
    values, patients = clusters(generator, 40)
    data = hw.CaseValues.from_arrays(values, metric="dsc", groups=patients)
    return hw.plan(data, halfwidth=0.025, method="t", n_samples=100, rng=seed(generator))[0]


def plan_of_cases(generator: Generator, *, cases: int, **options: Any) -> Any:
    """Of a pilot of so many cases."""
    values = generator.normal(0.7, 0.1, cases).clip(0, 1)
    return hw.plan(values, metric="dsc", n_samples=100, rng=seed(generator), **options)[0]


# --------------------------------------------------------------------------- promises


def promises() -> Iterator[Promise]:
    """All that are checked."""

    def of(name: str, plan: Callable[..., Any], study: Study, **options: Any) -> Promise:
        return Promise(name, lambda _: plan(**options), study)

    dsc: dict[str, Any] = {"metric": "dsc"}
    pairs, groups = partial(planning.difference, 0.05), partial(planning.difference, 0.1)
    yield of(
        "mean, assurance .8",
        partial(planning.mean, 0.1),
        partial(values_study, mean=0.8, sd=0.1),
        mean=0.8,
        halfwidth=0.02,
        assurance=0.8,
        **dsc,
    )
    yield of(
        "mean with 2 % failures, .9",
        partial(planning.mean, 0.05),
        partial(values_study, mean=0.85, sd=0.05, failures=0.02),
        mean=0.85,
        failures_share=0.02,
        halfwidth=0.025,
        assurance=0.9,
        **dsc,
    )
    yield of(
        "pairs, power .8",
        pairs,
        partial(pairs_study, sd=0.05, difference=0.02),
        difference=0.02,
        power=0.8,
        **dsc,
    )
    yield of(
        "pairs, power .9",
        pairs,
        partial(pairs_study, sd=0.05, difference=0.01),
        difference=0.01,
        power=0.9,
        **dsc,
    )
    yield of(
        "pairs, few, power .8",
        pairs,
        partial(pairs_study, sd=0.05, difference=0.05),
        difference=0.05,
        power=0.8,
        **dsc,
    )
    yield of(
        "pairs in mm, power .8",
        partial(planning.difference, 5.0),
        partial(pairs_study, sd=5.0, difference=2.0, metric="hd95"),
        difference=2.0,
        power=0.8,
        metric="hd95",
    )
    yield of(
        "pairs, margin, power .8",
        pairs,
        partial(pairs_study, sd=0.05, difference=0.0),
        margin=0.02,
        power=0.8,
        **dsc,
    )
    yield of(
        "pairs, margin, power .9",
        pairs,
        partial(pairs_study, sd=0.05, difference=0.005),
        margin=0.015,
        difference=0.005,
        power=0.9,
        **dsc,
    )
    yield of(
        "pairs, assurance .8",
        pairs,
        partial(pairs_study, sd=0.05, difference=0.0),
        halfwidth=0.01,
        assurance=0.8,
        **dsc,
    )
    failing = np.r_[np.full(38, 0.01), 0.3, 0.3] + np.linspace(-0.02, 0.02, 40)
    yield of(
        "pairs like a pilot's, power .8",
        planning.difference,
        partial(pilot_pairs_study, pilot=failing, difference=0.03),
        pilot=failing,
        difference=0.03,
        power=0.8,
        **dsc,
    )
    apart = {"unpaired": True}
    yield of(
        "groups, power .8",
        groups,
        partial(groups_study, sd=0.1, mean=0.7, difference=0.05),
        mean=0.7,
        difference=0.05,
        power=0.8,
        **dsc,
        **apart,
    )
    yield of(
        "groups, few, power .8",
        groups,
        partial(groups_study, sd=0.1, mean=0.7, difference=0.1),
        mean=0.7,
        difference=0.1,
        power=0.8,
        **dsc,
        **apart,
    )
    yield of(
        "groups, margin, power .9",
        groups,
        partial(groups_study, sd=0.1, mean=0.7, difference=0.0),
        mean=0.7,
        margin=0.05,
        power=0.9,
        **dsc,
        **apart,
    )
    yield of(
        "groups in mm, power .8",
        partial(planning.difference, 5.0),
        partial(groups_study, sd=5.0, mean=50.0, difference=3.0, metric="hd95"),
        difference=3.0,
        power=0.8,
        metric="hd95",
        **apart,
    )
    yield of(
        "groups, assurance .8",
        groups,
        partial(groups_study, sd=0.1, mean=0.7, difference=0.0),
        mean=0.7,
        halfwidth=0.03,
        assurance=0.8,
        **dsc,
        **apart,
    )
    for area, share, half in (
        (0.97, 0.1, 0.04),
        (0.98, 0.3, 0.02),
        (0.85, 0.3, 0.1),
        (0.8, 0.5, 0.05),
    ):
        yield of(
            f"AUROC {area}, {share}, ± {half}, .8",
            partial(planning.auroc, area),
            partial(area_study, area=area, prevalence=share),
            prevalence=share,
            halfwidth=half,
            assurance=0.8,
        )
    for old, gain, r, share in (
        (0.85, 0.05, 0.6, 0.5),
        (0.7, 0.08, 0.3, 0.3),
        (0.9, 0.04, 0.5, 0.2),
        (0.95, 0.03, 0.7, 0.3),
    ):
        yield of(
            f"AUROC {old} + {gain}, r {r}, {share}, power .8",
            partial(planning.auroc_difference, old),
            partial(areas_study, areas=(old + gain, old), correlation=r, prevalence=share),
            difference=gain,
            correlation=r,
            prevalence=share,
            power=0.8,
        )
    yield of(
        "AUROC margin, power .8",
        partial(planning.auroc_difference, 0.85),
        partial(areas_study, areas=(0.85, 0.85), correlation=0.6),
        margin=0.05,
        correlation=0.6,
        power=0.8,
    )
    for old, gain in ((0.8, 0.1), (0.9, 0.06)):
        yield of(
            f"AUROC {old} + {gain}, groups, power .8",
            partial(planning.auroc_difference, old),
            partial(areas_study, areas=(old + gain, old), correlation=None),
            difference=gain,
            power=0.8,
            **apart,
        )
    yield of(
        "proportion .9, .8",
        partial(planning.proportion, 0.9),
        partial(shares_study, sensitivity=0.9, specificity=None, prevalence=1.0),
        halfwidth=0.04,
        assurance=0.8,
    )
    for sens, spec, share, half, asked in (
        (0.9, None, 0.1, 0.05, 0.9),
        (0.9, 0.95, 0.1, 0.05, 0.9),
        (0.8, 0.9, 0.5, 0.08, 0.8),
        (0.95, 0.9, 0.3, 0.05, 0.9),
        (0.85, 0.85, 0.5, 0.1, 0.9),
    ):
        yield of(
            f"classes {sens}, {spec}, {share}, ± {half}, {asked}",
            planning.classes,
            partial(shares_study, sensitivity=sens, specificity=spec, prevalence=share),
            sensitivity=sens,
            specificity=spec,
            prevalence=share,
            halfwidth=half,
            assurance=asked,
        )
    for q in (0.5, 0.9):
        yield of(
            f"quantile {q}, shares, .8",
            partial(planning.quantile, q),
            partial(shares_of_ranks, q=q),
            halfwidth=0.06,
            assurance=0.8,
        )
        yield of(
            f"quantile {q}, normal, .8",
            partial(planning.quantile, q),
            partial(quantile_study, q=q, mean=0.5, sd=0.1),
            sd=0.1,
            halfwidth=0.03,
            assurance=0.8,
            **dsc,
        )
    yield Promise("clusters, pilot of 40, .8", plan_of_clusters, clusters_study, True)
    pilots: tuple[tuple[str, int, dict[str, Any]], ...] = (
        ("mean, pilot of 40, .8", 40, {"halfwidth": 0.02}),
        ("mean by t, pilot of 40, .8", 40, {"halfwidth": 0.02, "method": "t"}),
        ("SD, pilot of 40, .8", 40, {"halfwidth": 0.015, "statistic": "sd"}),
        ("median, pilot of 60, .8", 60, {"halfwidth": 0.025, "statistic": "median"}),
    )
    for name, cases, options in pilots:
        rest = {key: value for key, value in options.items() if key != "halfwidth"}
        yield Promise(
            name,
            partial(plan_of_cases, cases=cases, **options),
            partial(values_study, mean=0.7, sd=0.1, **rest),
            True,
        )


def share_kept(promise: Promise, studies: int) -> tuple[float, float, Array]:
    """The mean n, what was asked, and of studies with one plan the share that keep it."""
    generator, sizes, good = np.random.default_rng(20_261_129), [], []
    plan = promise.plan(generator)
    for study in range(studies):
        if promise.from_pilot and study % OF_A_PILOT == 0:
            plan = promise.plan(generator)
        sizes.append(cases_for(plan))
        good.append(float(kept(plan, promise.study(generator, sizes[-1]))))
    together = OF_A_PILOT if promise.from_pilot else 1
    shares = [np.mean(good[at : at + together]) for at in range(0, studies, together)]
    return float(np.mean(sizes)), float(plan.assurance or plan.aim), np.array(shares)


def main(studies: int = 1000, part: str = "") -> None:
    """Print a row for each plan, and how many keep what they promise."""
    chosen = [promise for promise in promises() if part in promise.name]
    print("| plan | n | asked | studies ± standard error | |\n| --- | --- | --- | --- | --- |")
    good = 0
    for promise in chosen:
        n, asked, shares = share_kept(promise, studies)
        share, error = shares.mean(), shares.std(ddof=1) / math.sqrt(len(shares))
        power = "power" in promise.name
        low, high = (asked - BELOW, asked + ABOVE) if power else (asked - SHORT, 1.0)
        right = low - 1e-9 <= share <= high + 1e-9
        good += right
        print(
            f"| {promise.name} | {n:.0f} | {100 * asked:.0f} % | "
            f"{100 * share:.1f} ± {100 * error:.1f} % | {'kept' if right else 'NOT KEPT'} |",
            flush=True,
        )
    print(f"\n{good} of {len(chosen)} plans keep what they promise")


if __name__ == "__main__":
    main(int((sys.argv[1:2] or ["1000"])[0]), *sys.argv[2:3])
