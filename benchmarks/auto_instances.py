"""The instances of `coverage_of_auto.py`: real ones, read in place, and simulated ones."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.spec import MetricLevel
from halfwidth.core.types import UNBOUNDED, Array
from halfwidth.study.populations import logit_empirical, logit_kde
from halfwidth.study.specs.instances import load_instances
from halfwidth.study.specs.parsing import parse_spec
from halfwidth.study.specs.spec import Instance, digest_of

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
# Cases of a simulated population of test sets; its metrics are those of its own cases.
MANY = 20_000
ORGANS = "DSC and NSD"
# A planted failure is missing from most small samples, and no sample tells how many there are.
PLANTED = "failures of 1, 2, 5 %"
FAILURES = (0.01, 0.02, 0.05)
PREVALENCES = (0.06, 0.11, 0.16)


# --------------------------------------------------------------------------- values of cases


def all_of_cases(most: int) -> dict[str, list[Instance]]:
    """Instances of per-case values, by kind."""
    organs = {"missing": "omit", "population": "empirical"}
    dsc, nsd = (
        {"files": f"touchstone/{{model}}_{name}.csv", "metric": name} | organs
        for name in ("dsc", "nsd")
    )
    segval = {"files": "segval/{task}_dsc.csv", "metric": "dsc", "scale": 100}
    segval |= {"population": "empirical"}
    iou = {"metric": "iou", "from": "dsc"}
    return {
        ORGANS: _some(_loaded(tables=[dsc, nsd]), most),
        f"{ORGANS}, cases above half the median": _some(
            _loaded(tables=[one | {"above": 0.5} for one in (dsc, nsd)]), most
        ),
        "IoU": _some(_loaded(tables=[dsc | iou]), max(most // 3, 1)),
        PLANTED: _loaded(
            tables=[segval | {"failures": share} for share in FAILURES],
            populations=[
                _with_failures(mean, sd, share)
                for mean, sd in ((0.85, 0.08), (0.93, 0.05))
                for share in FAILURES
            ],
        ),
        "small SD": _loaded(
            tables=[segval, segval | iou],
            populations=[
                {"name": f"{mean} ± {sd}", "metric": "dsc", **_beta(mean, sd)}
                for mean, sd in ((0.95, 0.01), (0.9, 0.02), (0.85, 0.03), (0.8, 0.05))
            ],
        ),
    }


def _loaded(**sources: Any) -> list[Instance]:
    return list(load_instances(parse_spec(sources, DATA / "auto.toml")))


def _some(instances: list[Instance], most: int) -> list[Instance]:
    """At most so many, evenly from all."""
    places = np.linspace(0, len(instances) - 1, min(most, len(instances))).round().astype(int)
    return [instances[place] for place in places]


def _beta(mean: float, sd: float) -> dict[str, Any]:
    """The beta distribution of a mean and an SD."""
    size = mean * (1 - mean) / sd**2 - 1
    return {"family": "beta", "a": mean * size, "b": (1 - mean) * size}


def _with_failures(mean: float, sd: float, share: float) -> Mapping[str, Any]:
    failed = {"family": "bernoulli", "probability": 0, "weight": share}
    parts = [_beta(mean, sd) | {"weight": 1 - share}, failed]
    return {"name": f"{mean} ± {sd}, {share:.0%} zeros", "metric": "dsc", "parts": parts}


# --------------------------------------------------------------------------- test sets


def few_positives() -> list[Instance]:
    """Two classes, 6 to 16 % of the cases positive: MedMNIST thinned, and normal scores."""
    real = [
        _thinned(task, share)
        for task in ("adrenalmnist", "pneumoniamnist")
        for share in PREVALENCES
    ]
    simulated = [
        _simulated(f"normal {distance}", (1 - share, share), distance, f"{share:.0%}")
        for distance in (1.5, 2.5)
        for share in PREVALENCES
    ]
    return [*real, *simulated]


def _thinned(task: str, share: float) -> Instance:
    """A test set of MedMNIST with so few of its positives that they are a share of the cases.

    They are taken evenly over their scores. A kernel density keeps ties away, as in the studies.
    """
    folder = DATA / "medmnist_scores"
    logits = np.load(folder / f"{task}_scores.npy").astype(float).T
    truth = np.load(folder / f"{task}_targets.npy").astype(np.intp).ravel()
    positive, negative = np.flatnonzero(truth == 1), np.flatnonzero(truth == 0)
    kept = round(share / (1 - share) * len(negative))
    by_score = positive[np.argsort((logits[1] - logits[0])[positive])]
    evenly = by_score[((np.arange(kept) + 0.5) / kept * len(by_score)).astype(int)]
    cases = np.concatenate([negative, evenly])
    return _instance(task, f"{share:.0%}", logits[:, cases], truth[cases], kde=True)


def rare_classes() -> list[Instance]:
    """Three and five classes, the last of 3, 6 or 10 %."""
    return [
        _simulated(f"{classes} classes {distance}", _shares(classes, rare), distance, f"{rare:.0%}")
        for classes in (3, 5)
        for distance in (1.5, 2.5)
        for rare in (0.03, 0.06, 0.1)
    ]


def _shares(classes: int, rare: float) -> tuple[float, ...]:
    """Falling shares of classes, the last of them given."""
    others = np.arange(classes, 1, -1.0)
    return (*(others / others.sum() * (1 - rare)), rare)


def _simulated(name: str, shares: Iterable[float], distance: float, task: str) -> Instance:
    """Normal features, those of the true class higher, as the logits of their posteriors."""
    prior = np.array(list(shares))
    counts = (prior * MANY).round().astype(int)
    truth = np.repeat(np.arange(len(prior)), counts)
    generator = np.random.default_rng(len(prior))
    features = generator.normal(size=(len(prior), len(truth)))
    features[truth, np.arange(len(truth))] += distance
    logits = distance * features + np.log(prior)[:, None]
    return _instance(name, task, logits, truth, kde=False)


def _instance(
    name: str, task: str, logits: Array, truth: NDArray[np.intp], *, kde: bool
) -> Instance:
    (blank,) = _loaded(populations=[{"family": "uniform"}])
    return replace(
        blank,
        name=f"{name}/{task}",
        task=task,
        model=name,
        level=MetricLevel.SAMPLE,
        metric=None,
        build=functools.partial(logit_kde if kde else logit_empirical, logits, truth),
        n_cases=len(truth),
        digest=digest_of({"kde": kde}, logits, truth),
        bounds=UNBOUNDED,
        classes=tuple(map(str, range(len(logits)))),
    )
