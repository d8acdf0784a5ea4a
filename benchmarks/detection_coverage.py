"""How often 95 % intervals of detectors hold the true value: AP50, FROC score and wAFROC AUC.

Two detectors mark simulated images (`simulated_detectors.py`); of each sample of n images there are
intervals for the first detector, and for its difference from the second on the same images. The
true values are those of 600 000 images. "Sets" draws images with replacement and evaluates the set
of those drawn, so that an image drawn twice counts once, as hotcoco (1.0 to 1.3.0) does; with
``--hotcoco``, where that is installed, it makes the intervals of differences in AP50 itself.

    python benchmarks/detection_coverage.py [SAMPLES] [--sizes 50,200] [--metrics ap,froc_score]
    python benchmarks/detection_coverage.py 250 --hotcoco --sizes 50 --populations screening
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from simulated_detectors import POPULATIONS, Images

from halfwidth.core.spec import Metric, Statistic, spec_of
from halfwidth.core.types import Array, Level
from halfwidth.detection.arithmetic.match_records import with_equal_slots
from halfwidth.detection.estimation.functionals import detection_functional, detection_rows
from halfwidth.detection.forms.declared import MatchedScores
from halfwidth.detection.forms.matched_curves import compiled
from halfwidth.detection.matching.match_lists import MatchLists, Outcome
from halfwidth.estimation.choose import choose
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.functionals import Policies
from halfwidth.estimation.records import Functional, Records
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.metrics.all_metrics import DETECTION_METRICS
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.resampling.kernels import native
from halfwidth.resampling.kernels.reference import count_draws

# Methods for one detector, and for the difference of two.
COMPARED = (
    ("dirichlet", "percentile", "bca", "bca_expanded", "basic"),
    ("percentile_expanded", "dirichlet_expanded", "dirichlet", "percentile", "bca"),
)
AUTO, SETS = "auto", "sets"
# For one detector ``auto`` takes the first of them.
COLUMNS = ((*COMPARED[0], SETS), (AUTO, *COMPARED[1], SETS))
TITLES = {"ap": "AP50", "froc_score": "FROC score", "wafroc_auc": "wAFROC AUC"}
RESAMPLES, BATCH = 599, 25
# Of the truth: samples and images of each.
BLOCKS, LARGE = 60, 10_000
LEVEL = Level(0.95)
TAILS = (0.025, 0.975)


@dataclass(frozen=True)
class Ends:
    """Bounds of all samples by one method; NaN where there are none."""

    low: Array
    high: Array

    def cell(self, truth: float) -> str:
        """Coverage in %, misses on either side, mean width."""
        below, above = self.high < truth - 1e-12, self.low > truth + 1e-12
        held = ~(below | above | np.isnan(self.low))
        width = float(np.nanmean(self.high - self.low))
        # An interval that lies above the truth is too high.
        return (
            f"{100 * held.mean():.1f} ({100 * above.mean():.1f}, {100 * below.mean():.1f}) "
            f"[{width:.3f}]"
        )


def functional_of(name: str, images: Images) -> Functional:
    """A metric at the threshold of 0.5, the mean over the classes."""
    metric = Metric(DETECTION_METRICS[name])
    classes = [str(which) for which in range(len(images.shares))]
    row = next(detection_rows(metric, None, classes))
    return detection_functional(row, classes, 1, Policies("omit", "omit"))


def pairs_of(
    images: Images, functional: Functional, samples: int, n: int, seed: int
) -> Iterator[Array]:
    """Records of both detectors on n images, (2, k, n), sample after sample."""
    for sample in range(samples):
        generator = np.random.default_rng([seed, n, sample])
        both = images.draw(generator, n)
        yield np.stack(with_equal_slots([functional.records(one) for one in both]))


def truths(images: Images, functional: Functional) -> tuple[Array, Array]:
    """Of the first detector and of the difference, with standard errors."""
    values = np.array(
        [functional.statistic(pair) for pair in pairs_of(images, functional, BLOCKS, LARGE, 99)]
    )
    both = np.stack([values[:, 0], values[:, 0] - values[:, 1]])
    return both.mean(axis=1), both.std(axis=1, ddof=1) / np.sqrt(BLOCKS)


def stacked(pairs: Sequence[Array]) -> Array:
    """Records of several samples with as many rows, (S, 2, k, n)."""
    every = with_equal_slots([side for pair in pairs for side in pair])
    return np.stack(every).reshape(len(pairs), 2, *every[0].shape)


def set_drawn(values: Array, statistic: Statistic, n: int, plan: Plan) -> Array:
    """Replicates of sets of images, those drawn twice once: (S, 2, k, n) -> (S, 2, B)."""
    form, design = declared_form(statistic, MatchedScores), Design((n,), paired=True)
    drawn = count_draws(plan.indices(design, 0, plan.n_resamples), n) > 0
    counts = native.counts_side_by_side(drawn.astype(np.uint8))
    replicates = np.empty((*values.shape[:2], plan.n_resamples))
    for place in np.ndindex(values.shape[:2]):
        curves = compiled(form.curve, form.unpack(values[place]), design)
        if curves is None:
            raise RuntimeError("this benchmark needs the compiled library")
        replicates[place] = form.finish(*(one.T for one in curves(counts)))
    return replicates


def simulated(
    images: Images, functional: Functional, samples: int, n: int
) -> tuple[dict[str, Ends], dict[str, Ends]]:
    """Intervals of all samples, for the first detector and for the difference."""
    difference = difference_functional(functional)
    found: list[dict[str, list[Array]]] = [{}, {}]
    batch: list[Array] = []
    for number, pair in enumerate(pairs_of(images, functional, samples, n, 1), 1):
        batch.append(pair)
        if number % BATCH and number < samples:
            continue
        values, batch = stacked(batch), []
        plan = Plan(1000 * n + number, RESAMPLES, kept={}, own_uniforms=True)
        for into, own, what, names in zip(
            found, (values[:, 0], values), (functional, difference), COMPARED, strict=True
        ):
            made = _by_all(own, what, names, plan)
            for name, ends in made.items():
                into.setdefault(name, []).append(ends)
            if what is difference:
                into.setdefault(AUTO, []).append(_by_auto(own, what, made))
        sets = set_drawn(values, functional.statistic, n, plan)
        for into, replicates in zip(found, (sets[:, 0], sets[:, 0] - sets[:, 1]), strict=True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # samples without an object
                ends = np.nanquantile(replicates, TAILS, axis=-1)
            into.setdefault(SETS, []).append(ends)
    joined = [
        {name: Ends(*np.concatenate(parts, axis=-1)) for name, parts in into.items()}
        for into in found
    ]
    return joined[0], joined[1]


def _by_all(values: Array, what: Functional, names: Sequence[str], plan: Plan) -> dict[str, Array]:
    """Bounds of some samples by several methods, (2, S) each."""
    made = intervals(
        values,
        what.statistic,
        [METHODS[name] for name in names],
        LEVEL,
        bounds=what.metric.spec.bounds,
        plan=plan,
        design=Design((values.shape[-1],), paired=True),
        errors=False,
    )
    return {
        name: np.stack([one.interval.low, one.interval.high])
        for name, one in zip(names, made, strict=True)
    }


def _by_auto(values: Array, what: Functional, made: dict[str, Array]) -> Array:
    """Those of the method that ``auto`` takes for each sample, or of what stands in for it."""
    n, columns = values.shape[-1], []
    for sample, one in enumerate(values):
        method = choose(what, Records(one, Design((n,), paired=True), n), LEVEL)
        ends = made[method.name][:, sample]
        if np.isnan(ends).any() and method.instead is not None:
            ends = made[spec_of(method.instead).name][:, sample]
        columns.append(ends)
    return np.stack(columns, axis=-1)


def print_coverage(
    samples: int, sizes: Sequence[int], metrics: Sequence[str], populations: Sequence[Images]
) -> None:
    """A row for each population, metric and size; a column for each method."""
    for what, title in enumerate(("One detector", "Difference of two detectors, same images")):
        print(f"\n## {title}\n")
        print("| metric, images | truth | n | " + " | ".join(COLUMNS[what]) + " |")
        print("| --- | --- | --- |" + " --- |" * len(COLUMNS[what]))
        for row in _rows(samples, sizes, metrics, populations, what):
            print(row, flush=True)


_DONE: dict[tuple[str, str, int], Any] = {}


def _rows(
    samples: int,
    sizes: Sequence[int],
    metrics: Sequence[str],
    populations: Sequence[Images],
    what: int,
) -> Iterator[str]:
    for name in metrics:
        for images in populations:
            if name == "wafroc_auc" and not images.empty:
                continue  # undefined without an image that holds no object
            functional = functional_of(name, images)
            key = (name, images.called, 0)
            if key not in _DONE:
                _DONE[key] = truths(images, functional)
            truth, error = _DONE[key]
            for n in sizes:
                key = (name, images.called, n)
                if key not in _DONE:
                    _DONE[key] = simulated(images, functional, samples, n)
                cells = " | ".join(
                    _DONE[key][what][method].cell(truth[what]) for method in COLUMNS[what]
                )
                value = f"{truth[what]:.3f} ± {error[what]:.4f}"
                yield f"| {TITLES[name]}, {images.called} | {value} | {n} | {cells} |"


# --------------------------------------------------------------------------- hotcoco


def print_hotcoco(samples: int, sizes: Sequence[int], populations: Sequence[Images]) -> None:
    """Coverage of the differences in AP50 that hotcoco itself makes intervals of."""
    import hotcoco

    print(f"hotcoco {getattr(hotcoco, '__version__', '')}, 1000 resamples")
    print("| AP50, images | truth | n | coverage (too high, too low) [width] |")
    print("| --- | --- | --- | --- |")
    for images in populations:
        functional = functional_of("ap", images)
        truth, _ = truths(images, functional)
        for n in sizes:
            ends = []
            for sample in range(samples):
                both = images.draw(np.random.default_rng([1, n, sample]), n)
                ends.append(_by_hotcoco(hotcoco, both))
            low, high = np.array(ends).T
            cell = Ends(low, high).cell(truth[1])
            print(f"| {images.called} | {truth[1]:.3f} | {n} | {cell} |", flush=True)


def _by_hotcoco(hotcoco: Any, both: Sequence[MatchLists]) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        evaluations = []
        references, *detections = _as_coco(both)
        path = Path(folder) / "references.json"
        path.write_text(json.dumps(references))
        for which, found in enumerate(detections):
            own = Path(folder) / f"{which}.json"
            own.write_text(json.dumps(found))
            truth = hotcoco.COCO(str(path))
            evaluation = hotcoco.COCOeval(truth, truth.load_res(str(own)), "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluations.append(evaluation)
        second, first = evaluations[1], evaluations[0]
        interval = hotcoco.compare(second, first, n_bootstrap=1000, seed=1)["ci"]["AP50"]
    return float(interval["lower"]), float(interval["upper"])


def _as_coco(both: Sequence[MatchLists]) -> list[Any]:
    """Boxes whose matches are those of the lists: each object in a cell of its own."""
    side, step = 20, 30
    objects = both[0].n_references
    annotations: list[dict[str, Any]] = []
    places: dict[tuple[int, int], list[int]] = {}
    for image in range(len(objects)):
        for which in range(objects.shape[1]):
            for _ in range(objects[image, which]):
                x = step * sum(len(own) for (i, _), own in places.items() if i == image)
                places.setdefault((image, which), []).append(x)
                annotations.append(_box(image, which, x, side, id=len(annotations) + 1))
    found = [_detections(one, places, side, step) for one in both]
    categories = [{"id": which + 1, "name": str(which)} for which in range(objects.shape[1])]
    images = [{"id": i + 1, "width": 9999, "height": 9999} for i in range(len(objects))]
    references = {"images": images, "annotations": annotations, "categories": categories}
    return [references, *found]


def _box(image: int, which: int, x: int, side: int, **more: Any) -> dict[str, Any]:
    return {
        "image_id": image + 1,
        "category_id": which + 1,
        "bbox": [x, 0, side, side],
        "area": side * side,
        "iscrowd": 0,
        **more,
    }


def _detections(
    lists: MatchLists, places: dict[tuple[int, int], list[int]], side: int, step: int
) -> list[dict[str, Any]]:
    free = {key: list(own) for key, own in places.items()}
    found = []
    outcome: NDArray[np.uint8] = lists.outcome[0]
    scores = lists.score if lists.score is not None else np.zeros(len(outcome))
    for entry, (image, which) in enumerate(zip(lists.image, lists.category, strict=True)):
        key = (int(image), int(which))
        hit = outcome[entry] == Outcome.TRUE_POSITIVE
        x = free[key].pop() if hit else 5000 + step * (entry % 100)
        found.append(_box(*key, x, side, score=float(scores[entry])))
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("samples", nargs="?", type=int, default=1000)
    parser.add_argument("--sizes", default="50,200")
    parser.add_argument("--metrics", default=",".join(TITLES))
    parser.add_argument("--populations", default=",".join(one.called for one in POPULATIONS))
    parser.add_argument("--hotcoco", action="store_true")
    given = parser.parse_args()
    sizes = [int(n) for n in given.sizes.split(",")]
    chosen = [one for one in POPULATIONS if one.called in given.populations.split(",")]
    error = 100 * np.sqrt(0.95 * 0.05 / given.samples)
    print(f"{given.samples} samples; Monte-Carlo SE {error:.1f} points at 95 %")
    if given.hotcoco:
        print_hotcoco(given.samples, sizes, chosen)
        return
    print(f"{RESAMPLES} resamples. Coverage in % (too high, too low) [mean width]")
    print_coverage(given.samples, sizes, given.metrics.split(","), chosen)


if __name__ == "__main__":
    main()
