"""Instances of detectors: images with their match lists, by metric."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_data import estimate_detector

import halfwidth as hw
from halfwidth.study.populations import ImagePopulation
from halfwidth.study.simulation.cells import Cells, simulate
from halfwidth.study.simulation.fitted import fitted, population_truth
from halfwidth.study.specs.parsing import parse_spec
from halfwidth.study.specs.spec import Instance, StudySpec

IMAGES = 30


def coco(folder: Path, seed: int = 3) -> None:
    """References of two classes and two detectors, which find some of them and mark others."""
    g = np.random.default_rng(seed)
    images = [
        {"id": i, "file_name": f"{i}.png", "width": 400, "height": 400} for i in range(IMAGES)
    ]
    categories = [{"id": 1, "name": "cyst"}, {"id": 2, "name": "stone"}]
    annotations: list[dict[str, Any]] = []
    found: dict[str, list[dict[str, Any]]] = {"a": [], "b": []}
    for image in range(IMAGES):
        for place in range(int(g.integers(0, 4))):
            box = [40.0 * place, 0.0, 30.0, 30.0]
            category = int(g.integers(1, 3))
            own = {"image_id": image, "category_id": category, "bbox": box}
            annotations.append(own | {"id": len(annotations) + 1, "area": 900, "iscrowd": 0})
            for name, share in (("a", 0.9), ("b", 0.6)):
                if g.random() < share:
                    found[name].append(own | {"score": round(float(g.random()), 2)})
        for name in found:
            box = [0.0, 200.0, 30.0, 30.0]
            wrong = {"image_id": image, "category_id": 1, "bbox": box, "score": float(g.random())}
            found[name] += [wrong] if g.random() < 0.5 else []
    references = {"images": images, "categories": categories, "annotations": annotations}
    (folder / "references.json").write_text(json.dumps(references))
    for name, detections in found.items():
        (folder / f"dets_{name}.json").write_text(json.dumps(detections))


def spec_of(folder: Path, study: dict[str, Any] | None = None, **section: Any) -> StudySpec:
    """A small study of the two detectors."""
    own = {"files": "dets_{model}.json", "references": "references.json", "metric": "ap50"}
    settings = {"sizes": [20], "samples": 8, "batches": 2, "resamples": 99, "truth_draws": 1000}
    content = {"study": settings | (study or {}), "detections": [own | section]}
    return parse_spec(content, folder / "study.toml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With references and detections of two models."""
    coco(tmp_path)
    return tmp_path


def test_one_instance_for_each_model_metric_and_class(folder: Path) -> None:
    """Named after them."""
    spec = spec_of(folder, metric=["ap50", "froc_score"], average="none", task="kidneys")
    names = [one.name for one in hw.study.plan(spec).instances]
    assert names == [
        f"{model}/kidneys/{metric}/{label}"
        for model in "ab"
        for metric in ("ap@0.5", "froc_score@0.5")
        for label in ("cyst", "stone")
    ]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("metric", ["ap50", "ap@0.5:0.95", "wafroc_auc", "object_sensitivity"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_the_truth_is_the_metric_of_the_images(folder: Path, metric: str, average: str) -> None:
    """As `hw.estimate` gives it of the same files."""
    spec = spec_of(folder, metric=metric, average=average)
    for instance, model in zip(hw.study.plan(spec).instances, "ab", strict=True):
        (measured,) = Cells(instance, instance.metric, 100, spec).measured
        known = population_truth(instance, measured, spec)
        estimate = estimate_detector(
            folder / f"dets_{model}.json",
            folder / "references.json",
            metric=metric,
            average=average,
            n_resamples=20,
            rng=1,
        )
        assert known.value == pytest.approx(estimate.value, abs=1e-12)
        assert known.standard_error == 0.0


def test_samples_are_images_with_all_that_belongs_to_them(folder: Path) -> None:
    """A sample of every image once has the value of all; one of copies that of the image."""
    instance, _ = hw.study.plan(spec_of(folder, average="micro")).instances
    population = fitted(instance).population
    assert isinstance(population, ImagePopulation)
    drawn = population.draw(np.random.default_rng(1), 5, 12)
    assert drawn.shape == (5, len(population.records), 12)
    columns = {tuple(column) for column in population.records.T}
    assert all(tuple(column) in columns for sample in drawn for column in sample.T)


def test_a_chunk_has_a_row_for_each_method(folder: Path) -> None:
    """`auto` among them, which takes Dirichlet weights."""
    spec = spec_of(folder, {"methods": ["percentile", "bca", "auto"]}, average="micro")
    instance, _ = hw.study.plan(spec).instances
    rows = simulate(Cells(instance, instance.metric, 20, spec)).rows
    assert [row["method"] for row in rows] == ["percentile", "bca", "auto"]
    assert {row["metric"] for row in rows} == {"ap@0.5"}
    assert rows[-1]["chosen"] == "dirichlet 1.0000"
    assert all(0 <= row["coverage"] <= 1 for row in rows)


def test_instances_travel_to_workers(folder: Path) -> None:
    """Pickled, they are the same."""
    spec = spec_of(folder)
    instance, _ = hw.study.plan(spec).instances
    again: Instance = pickle.loads(pickle.dumps(instance))  # noqa: S301 -- our own
    cells = [Cells(one, one.metric, 20, spec) for one in (instance, again)]
    first, second = (simulate(one).rows for one in cells)
    assert [repr(row) for row in first] == [repr(row) for row in second]


def test_digests_tell_instances_apart(folder: Path) -> None:
    """By the matching, and by what was detected; the order of images in the file means nothing."""
    (first, second), (other, _) = (
        hw.study.plan(spec_of(folder, metric="ap", threshold=threshold)).instances
        for threshold in (0.5, 0.3)
    )
    assert len({first.digest, second.digest, other.digest}) == 3
    path = folder / "references.json"
    references = json.loads(path.read_text())
    references["images"].reverse()
    path.write_text(json.dumps(references))
    again, _ = hw.study.plan(spec_of(folder, metric="object_sensitivity")).instances
    path.write_text(json.dumps(references | {"images": references["images"][::-1]}))
    before, _ = hw.study.plan(spec_of(folder, metric="object_sensitivity")).instances
    assert again.digest == before.digest


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"metric": "dice"}, "one pair of masks"),
        ({"metric": "auroc"}, "and not where objects are"),
        ({"localisation": "iuo"}, "localisation"),
        ({"threshold": "x"}, "threshold"),
        ({"average": "binary"}, "average"),
        ({"references": "none.json"}, "none.json"),
        ({"files": "nothing_{model}.json"}, "matches no file"),
        ({"iou": 0.5}, "has no 'iou'"),
        ({"classes": "liver"}, "liver"),
    ],
)
def test_bad_sections(folder: Path, section: dict[str, Any], message: str) -> None:
    """Errors in one line that say where."""
    with pytest.raises(hw.HalfwidthError, match=message) as raised:
        hw.study.plan(spec_of(folder, **section))
    assert "[[detections]]" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("key", ["metrics", "averages", "statistics"])
def test_keys_of_other_sections_have_no_effect(folder: Path, key: str) -> None:
    """Detectors say their metric and average themselves."""
    with pytest.raises(hw.DataError, match="has no effect"):
        spec_of(folder, {key: ["macro"]})
